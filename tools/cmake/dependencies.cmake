# SPDX-License-Identifier: Apache-2.0
# Every third-party dependency.

# tools/setup.sh unpacks what the system does not have into this prefix.
list(PREPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/build/deps/usr")

set(XSIMD_ENABLE_XTL_COMPLEX OFF)
find_package(xsimd 14.3...<15 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Threads REQUIRED)
if(GATHERCHECK_TESTS)
  find_package(Catch2 3 REQUIRED)
  include(Catch)
endif()
find_package(TBB QUIET)
