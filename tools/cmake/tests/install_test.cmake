# SPDX-License-Identifier: Apache-2.0
# Installs the build tree into a folder, moves it, and uses it from outside: the command, and the libraries by CMake and pkg-config.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}/project")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit ${code}: ${command}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install "${build}" --prefix "${work}/first")
file(RENAME "${work}/first" "${work}/prefix")

# The command finds its cases from its own place; the folder it was built from is of no use to it now.
run("${work}/prefix/bin/gathercheck" list)

# What its adapters need is there, where it is no program: a Rust program is built by the adapters' package.
foreach(file gathercheck/worker.py rust/Cargo.toml rust/Cargo.lock gomlx/go.mod gomlx/go.sum gathercheck_go/go.mod gathercheck_go/onnx.go)
  if(NOT EXISTS "${work}/prefix/share/gathercheck/adapters/${file}")
    message(FATAL_ERROR "adapters/${file} is not installed")
  endif()
endforeach()

foreach(file LICENSE README.md optimized/README.md tools/CHANGELOG.md tools/picture.svg)
  if(NOT EXISTS "${work}/prefix/share/doc/gathercheck/${file}")
    message(FATAL_ERROR "the document ${file} is not installed")
  endif()
endforeach()

# A plug-in needs the installed header and a C compiler, and nothing else of ours.
run("${compiler}" -x c -std=c11 -shared -fPIC -I "${work}/prefix/include/gathercheck" -o "${work}/my_plugin.so"
    "${work}/prefix/share/gathercheck/examples/my_plugin.c")
run("${work}/prefix/bin/gathercheck" run --implementation "plugin:${work}/my_plugin.so" --sweeps none)

# A project with folders of its own of the same names, which uses every header.
file(WRITE "${work}/project/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
find_package(gathercheck ${version} REQUIRED)
add_executable(outside outside.cpp)
target_include_directories(outside PRIVATE .)
target_link_libraries(outside gathercheck::reference gathercheck::optimized)
add_executable(one_gather one_gather.cpp)
target_link_libraries(one_gather gathercheck::optimized)
target_link_options(one_gather PRIVATE -Wl,--gc-sections -s)
")
file(GLOB_RECURSE headers RELATIVE "${work}/prefix/include" "${work}/prefix/include/*")
if(NOT "gathercheck/optimized/gather.hpp" IN_LIST headers)
  message(FATAL_ERROR "these headers are installed: ${headers}")
endif()
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
file(WRITE "${work}/project/all.hpp" ${headers})
foreach(name IN ITEMS optimized/gather.hpp reference/error.hpp reference/tensor.hpp)
  file(WRITE "${work}/project/${name}" "#pragma once\n#define THEIRS\n")
endforeach()
file(COPY "${CMAKE_CURRENT_LIST_DIR}/../../packaging/conan/test_package/one_gather.cpp" DESTINATION "${work}/project")
file(WRITE "${work}/project/outside.cpp" [[
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "all.hpp"
#include "optimized/gather.hpp"
#ifndef THEIRS
#error "the project's own header was not found"
#endif

int main() {
    using namespace gathercheck;
    const std::array<float, 3> numbers = {10, 20, 30};
    const std::array<std::int64_t, 2> picks = {2, -3};
    const TensorView data{ElementType::f32, {3}, std::as_bytes(std::span(numbers)).data()};
    const TensorView indices{ElementType::i64, {2}, std::as_bytes(std::span(picks)).data()};
    const Call call{OperatorVersion::onnx_gather_13, {}, {{"data", data}, {"indices", indices}}};
    const std::array<float, 2> expected = {30, 10};
    std::array<float, 2> output = {};
    if (!reference::run(call, std::as_writable_bytes(std::span(output))) || output != expected) return 1;
    output = {};
    const auto executor = optimized::make_executor(2);
    if (!optimized::gather(data, indices, 0, 0, std::as_writable_bytes(std::span(output)), optimized::IndexRule::from_end_too,
                           executor.get()) || output != expected) return 2;
}
]])
run(${CMAKE_COMMAND} -S "${work}/project" -B "${work}/project/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_PREFIX_PATH=${work}/prefix")
run(${CMAKE_COMMAND} --build "${work}/project/build")
run("${work}/project/build/outside")
run("${work}/project/build/one_gather")
if(most_bytes)
  file(SIZE "${work}/project/build/one_gather" bytes)
  if(bytes GREATER most_bytes)
    message(FATAL_ERROR "a program with one gather has ${bytes} bytes, more than ${most_bytes}")
  endif()
endif()

if(pkg_config)
  file(GLOB_RECURSE file "${work}/prefix/gathercheck-optimized.pc")
  cmake_path(GET file PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} "${folder}:$ENV{PKG_CONFIG_PATH}")
  execute_process(COMMAND "${pkg_config}" --cflags --libs "gathercheck-optimized = ${version}" OUTPUT_VARIABLE options
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(options UNIX_COMMAND "${options}")
  cmake_path(GET folder PARENT_PATH folder)
  run("${compiler}" -std=c++20 ${flags} -I "${work}/project" "${work}/project/outside.cpp" -o "${work}/outside" ${options}
      "-Wl,-rpath,${folder}")
  run("${work}/outside")

  # The fuzzer of plug-ins is whole: a plug-in and a main function in the place of libFuzzer's are a program that asks a call.
  execute_process(COMMAND "${pkg_config}" --cflags --libs "gathercheck-plugin-fuzzer = ${version}" OUTPUT_VARIABLE options
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(options UNIX_COMMAND "${options}")
  file(WRITE "${work}/one_input.c" [[
int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size);
int main(void) { return LLVMFuzzerTestOneInput((const unsigned char*)"", 0); }
]])
  set(ENV{GATHERCHECK_SHARE} "${work}/prefix/share/gathercheck")
  # (g++ takes -x for the one file that follows it, clang++ for all of them.)
  run("${compiler}" ${flags} -x c "${work}/one_input.c" -x c "${work}/prefix/share/gathercheck/examples/my_plugin.c" -x none -o
      "${work}/one_input" ${options})
  run("${work}/one_input")
endif()
