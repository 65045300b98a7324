# SPDX-License-Identifier: Apache-2.0
# Every third-party dependency, in one place: what is looked for, and what is downloaded when it is not found.
#
# A dependency that find_package does not find is fetched from its public release archive, whose SHA-256 is checked. Where
# that address cannot be reached, GATHERCHECK_<NAME>_URL (CMake variable, or environment variable at the first configure)
# names another address or a local file; the hash stays the same unless GATHERCHECK_<NAME>_SHA256 says otherwise.
# find_package is switched off for one of them by CMAKE_DISABLE_FIND_PACKAGE_<package>=ON.
include_guard(GLOBAL)
include(FetchContent)

# tools/setup.sh unpacks here what the system does not have; a prefix that is given comes first.
list(APPEND CMAKE_PREFIX_PATH "${CMAKE_CURRENT_LIST_DIR}/../../build/deps/usr")

# gathercheck_fetch(<package> <NAME> <version> <address> <sha256> [further arguments of FetchContent_Declare])
macro(gathercheck_fetch package name version address sha256)
  set(GATHERCHECK_${name}_URL "$ENV{GATHERCHECK_${name}_URL}" CACHE STRING "Where to get ${package} ${version} from instead")
  set(GATHERCHECK_${name}_SHA256 "" CACHE STRING "SHA-256 of the archive at GATHERCHECK_${name}_URL, if it is another one")
  mark_as_advanced(GATHERCHECK_${name}_URL GATHERCHECK_${name}_SHA256)
  set(gathercheck_url "${address}")
  set(gathercheck_sha256 "${sha256}")
  if(GATHERCHECK_${name}_URL)
    set(gathercheck_url "${GATHERCHECK_${name}_URL}")
    if(GATHERCHECK_${name}_SHA256)
      set(gathercheck_sha256 "${GATHERCHECK_${name}_SHA256}")
    endif()
  endif()
  message(STATUS "${package} was not found here; fetching ${version} from ${gathercheck_url} "
                 "(GATHERCHECK_${name}_URL names another place)")
  FetchContent_Declare(
    ${package}
    URL "${gathercheck_url}"
    URL_HASH "SHA256=${gathercheck_sha256}"
    DOWNLOAD_EXTRACT_TIMESTAMP TRUE ${ARGN})
  FetchContent_MakeAvailable(${package})
endmacro()

# The same for a library that is headers only: its own CMake project is left alone (the folder named does not exist), and
# <target> gets the archive's folder include/.
macro(gathercheck_fetch_headers target package name version address sha256)
  gathercheck_fetch(${package} ${name} ${version} ${address} ${sha256} SOURCE_SUBDIR headers-only)
  FetchContent_GetProperties(${package} SOURCE_DIR gathercheck_source)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${gathercheck_source}/include")
endmacro()

# gathercheck_isolate(<target> <folder>): headers in a folder of this system serve every machine, but beside them are those of
# this system's C library. A cross compiler gets a folder with nothing but a link to the library's own.
function(gathercheck_isolate target folder)
  if(NOT CMAKE_CROSSCOMPILING)
    return()
  endif()
  get_target_property(include ${target} INTERFACE_INCLUDE_DIRECTORIES)
  list(GET include 0 include)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
  file(CREATE_LINK "${include}/${folder}" "${PROJECT_BINARY_DIR}/include/${folder}" SYMBOLIC)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_BINARY_DIR}/include")
endfunction()

# What is found here is to be linked from the folder that adds this one, too.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

# xsimd: 14.3 has the right vpermb, a sound check of the operating system's support, and masked memory operations. Its
# option for complex numbers of another library is not wanted.
set(XSIMD_ENABLE_XTL_COMPLEX OFF)
find_package(xsimd 14.3...<15 QUIET)
if(NOT xsimd_FOUND)
  gathercheck_fetch_headers(
    xsimd xsimd XSIMD 14.3.0 https://github.com/xtensor-stack/xsimd/archive/refs/tags/14.3.0.tar.gz
    b3d50e7a73fbf4642ceef30131c93414901d69eee41c2a5302db650b03e2c792)
endif()
gathercheck_isolate(xsimd xsimd)

# oneTBB: without it every gather runs on the calling thread, unless the caller brings threads of its own.
find_package(TBB 2021 QUIET)
if(NOT TBB_FOUND)
  message(STATUS "oneTBB was not found: left out are executors with threads (Debian: libtbb-dev)")
endif()

# The rest is for the harness and the command.
if(NOT GATHERCHECK_TOOLS)
  return()
endif()

find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  gathercheck_fetch_headers(
    nlohmann_json::nlohmann_json nlohmann_json JSON 3.11.3
    https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
endif()
gathercheck_isolate(nlohmann_json::nlohmann_json nlohmann)

find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND)
  gathercheck_fetch_headers(
    CLI11::CLI11 CLI11 CLI11 2.4.2 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
    f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
endif()
gathercheck_isolate(CLI11::CLI11 CLI)

if(GATHERCHECK_TESTS)
  find_package(Catch2 3 QUIET)
  if(NOT Catch2_FOUND)
    gathercheck_fetch(
      Catch2 CATCH2 3.7.1 https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
      c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
    FetchContent_GetProperties(Catch2 SOURCE_DIR gathercheck_source)
    list(APPEND CMAKE_MODULE_PATH "${gathercheck_source}/extras")
    set_target_properties(Catch2 Catch2WithMain PROPERTIES SYSTEM TRUE)
  endif()
  include(Catch)
endif()

find_package(Threads REQUIRED)

# What may be absent: the build says what is left out and goes on.
find_package(ONNX QUIET MODULE)
if(NOT ONNX_FOUND)
  message(STATUS "ONNX was not found: left out is the adapter onnx-shapes (Debian: libonnx-dev libprotobuf-dev)")
endif()

# Google Benchmark: where it is found there is one more program, which nothing else needs.
option(GATHERCHECK_GOOGLE_BENCHMARK "Build the program for Google Benchmark, and fetch that where it is not found" OFF)
find_package(benchmark 1.7 QUIET)
if(NOT benchmark_FOUND AND GATHERCHECK_GOOGLE_BENCHMARK)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_GTEST_TESTS OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_ENABLE_WERROR OFF)
  gathercheck_fetch(
    benchmark BENCHMARK 1.8.3 https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce)
endif()
