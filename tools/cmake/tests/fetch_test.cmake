# SPDX-License-Identifier: Apache-2.0
# Configures and builds a small project whose dependencies cannot be found, from archives made here out of installed headers.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}/project")

# Makes <work>/<name>.tar.gz with the folder <name>-1 in it and gives its SHA-256 as <name>_sha256.
function(pack name)
  execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf "${work}/${name}.tar.gz" ${name}-1 WORKING_DIRECTORY "${work}"
                  COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 "${work}/${name}.tar.gz" hash)
  set(${name}_sha256 ${hash} PARENT_SCOPE)
endfunction()

# The same of an installed header-only library: the first folder that has include folder <folder>.
function(pack_headers name folder)
  foreach(candidate IN LISTS header_folders)
    if(EXISTS "${candidate}/${folder}")
      file(COPY "${candidate}/${folder}" DESTINATION "${work}/${name}-1/include")
      pack(${name})
      set(${name}_sha256 ${${name}_sha256} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no folder ${folder} in: ${header_folders}")
endfunction()

pack_headers(xsimd xsimd)
pack_headers(json nlohmann)
pack_headers(cli11 CLI)

# Catch2 is compiled; a project with the same targets and the same CMake module stands in for it.
file(WRITE "${work}/catch2-1/CMakeLists.txt" [[
add_library(Catch2 INTERFACE)
add_library(Catch2WithMain INTERFACE)
add_library(Catch2::Catch2WithMain ALIAS Catch2WithMain)
target_compile_definitions(Catch2WithMain INTERFACE CATCH2_WAS_FETCHED)
]])
file(WRITE "${work}/catch2-1/extras/Catch.cmake" "set(CATCH_MODULE_WAS_FETCHED TRUE)\n")
pack(catch2)

# So is Google Benchmark.
file(WRITE "${work}/benchmark-1/CMakeLists.txt" [[
add_library(benchmark INTERFACE)
add_library(benchmark::benchmark ALIAS benchmark)
target_compile_definitions(benchmark INTERFACE BENCHMARK_WAS_FETCHED)
]])
pack(benchmark)

file(WRITE "${work}/project/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(fetching LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(GATHERCHECK_TOOLS ON)
set(GATHERCHECK_TESTS ON)
list(PREPEND CMAKE_MODULE_PATH \"${module}\")
include(dependencies)
if(NOT CATCH_MODULE_WAS_FETCHED)
  message(FATAL_ERROR \"the module Catch is not the fetched one\")
endif()
add_executable(uses uses.cpp)
target_link_libraries(uses xsimd nlohmann_json::nlohmann_json CLI11::CLI11 Catch2::Catch2WithMain benchmark::benchmark)
")
file(WRITE "${work}/project/uses.cpp" [[
#include <CLI/Version.hpp>
#include <nlohmann/json_fwd.hpp>
#include <xsimd/config/xsimd_config.hpp>
#if !defined(CATCH2_WAS_FETCHED) || !defined(BENCHMARK_WAS_FETCHED) || XSIMD_VERSION_MAJOR != 14 || NLOHMANN_JSON_VERSION_MAJOR != 3 || CLI11_VERSION_MAJOR != 2
#error "not what was asked for"
#endif
int main() {}
]])

# Configures the project in the build folder <name>; further arguments go to CMake. Gives the exit code and the output.
function(configure name result output)
  execute_process(
    COMMAND
      ${CMAKE_COMMAND} -S "${work}/project" -B "${work}/${name}" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
      -DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
      -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON
      -DCMAKE_DISABLE_FIND_PACKAGE_ONNX=ON -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON -DGATHERCHECK_GOOGLE_BENCHMARK=ON
      "-DGATHERCHECK_XSIMD_URL=${work}/xsimd.tar.gz" "-DGATHERCHECK_JSON_URL=${work}/json.tar.gz"
      "-DGATHERCHECK_CLI11_URL=${work}/cli11.tar.gz" "-DGATHERCHECK_CATCH2_URL=${work}/catch2.tar.gz"
      "-DGATHERCHECK_BENCHMARK_URL=${work}/benchmark.tar.gz" ${ARGN}
    RESULT_VARIABLE code
    OUTPUT_VARIABLE text
    ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

set(hashes -DGATHERCHECK_XSIMD_SHA256=${xsimd_sha256} -DGATHERCHECK_JSON_SHA256=${json_sha256}
           -DGATHERCHECK_CLI11_SHA256=${cli11_sha256} -DGATHERCHECK_CATCH2_SHA256=${catch2_sha256}
           -DGATHERCHECK_BENCHMARK_SHA256=${benchmark_sha256})

configure(right code output ${hashes})
if(NOT code EQUAL 0)
  message(FATAL_ERROR "archives with the right hash were not accepted:\n${output}")
endif()
if(NOT output MATCHES "left out is the adapter onnx-shapes")
  message(FATAL_ERROR "the configuration does not say what is left out without ONNX:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build "${work}/right" RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the project does not build from the archives:\n${output}")
endif()

# The pinned hashes belong to the published archives, so each of these archives must be refused with its pinned hash.
foreach(name XSIMD JSON CLI11 CATCH2 BENCHMARK)
  configure(wrong-${name} code output ${hashes} -DGATHERCHECK_${name}_SHA256=)
  if(code EQUAL 0 OR NOT output MATCHES "[Hh]ash")
    message(FATAL_ERROR "an archive with a wrong hash was accepted for ${name}:\n${output}")
  endif()
endforeach()
