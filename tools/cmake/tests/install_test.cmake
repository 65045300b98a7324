# SPDX-License-Identifier: Apache-2.0
# Installs the build tree into a folder, moves it, and uses it from outside: the command, and the libraries in a project.
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

# What its adapters need is there, where it is no program: a Rust program of tract is built by the adapter's package.
foreach(file gathercheck/worker.py tract/Cargo.toml tract/Cargo.lock)
  if(NOT EXISTS "${work}/prefix/share/gathercheck/adapters/${file}")
    message(FATAL_ERROR "adapters/${file} is not installed")
  endif()
endforeach()

# A plug-in needs the installed header and a C compiler, and nothing else of ours.
run("${compiler}" -x c -std=c11 -shared -fPIC -I "${work}/prefix/include/gathercheck" -o "${work}/my_plugin.so"
    "${work}/prefix/share/gathercheck/examples/my_plugin.c")
run("${work}/prefix/bin/gathercheck" run --implementation "plugin:${work}/my_plugin.so" --sweeps none)

file(WRITE "${work}/project/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
find_package(gathercheck ${version} REQUIRED)
add_executable(outside outside.cpp)
target_link_libraries(outside gathercheck::reference gathercheck::optimized)
")
file(WRITE "${work}/project/outside.cpp" [[
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optimized/optimized.hpp"
#include "reference/reference.hpp"

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
    if (!optimized::gather(data, indices, 0, 0, std::as_writable_bytes(std::span(output))) || output != expected) return 2;
}
]])
run(${CMAKE_COMMAND} -S "${work}/project" -B "${work}/project/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_PREFIX_PATH=${work}/prefix")
run(${CMAKE_COMMAND} --build "${work}/project/build")
run("${work}/project/build/outside")
