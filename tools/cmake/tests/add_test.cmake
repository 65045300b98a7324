# SPDX-License-Identifier: Apache-2.0
# A project fetches this one as its dependency, where nothing of what the command and the tests need is to be found. It has warnings
# of its own, which are errors, links the reference as a shared library, and includes the optimized library's header.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${work}")
file(WRITE "${work}/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
add_compile_options(-Werror -Wall -Wextra -Wconversion -Wold-style-cast -Wpadded)
include(FetchContent)
FetchContent_Declare(gathercheck URL https://gathercheck.invalid/gathercheck.tar.gz)
FetchContent_MakeAvailable(gathercheck)
add_executable(outside outside.cpp)
target_link_libraries(outside gathercheck::reference)
add_library(header OBJECT header.cpp)
target_link_libraries(header gathercheck::optimized)
]])
file(WRITE "${work}/outside.cpp" [[
#include <gathercheck/plugin.h>
#include <gathercheck/reference/shape.hpp>

#include "reference/shape.hpp"

int main() { return gathercheck::Shape({2, 3}) == gathercheck::Shape({2, 3}) ? 0 : 1; }
]])
file(WRITE "${work}/header.cpp" "#include <gathercheck/optimized/gather.hpp>\n")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0 OR output MATCHES "[Ww]arning|fetching")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit ${code}: ${command}\n${output}")
  endif()
endfunction()

set(absent)
foreach(package IN ITEMS benchmark Catch2 CLI11 nlohmann_json ONNX Protobuf Python3)
  list(APPEND absent -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
if(xsimd)
  set(xsimd "-DFETCHCONTENT_SOURCE_DIR_XSIMD=${xsimd}" -DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON)
elseif(xsimd_package)
  set(xsimd "-Dxsimd_DIR=${xsimd_package}")
endif()
run(${CMAKE_COMMAND} --no-warn-unused-cli -S "${work}" -B "${work}/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DFETCHCONTENT_SOURCE_DIR_GATHERCHECK=${root}" -DBUILD_SHARED_LIBS=ON ${absent} ${xsimd})
run(${CMAKE_COMMAND} --build "${work}/build" --target outside header)
run("${work}/build/outside")
