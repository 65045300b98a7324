# SPDX-License-Identifier: Apache-2.0
# For the scripts beside it, which source it: build/release, built as little as they need.
# shellcheck shell=bash

# The step's output is shown when it fails, and on a terminal.
quietly() {
  local log=$root/build/build.log
  if [ -t 1 ]; then
    "$@"
  else
    "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; return 1; }
  fi
}

# configure_release ROOT: configures build/release.
configure_release() {
  local root=$1 build=$1/build/release options=()
  # Tests need Catch2, which this does not; a folder that tools/test.sh has configured stays as it is.
  [ -e "$build/CMakeCache.txt" ] || options+=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DGATHERCHECK_TESTS=OFF)
  # As tools/test.sh does, which would build all anew otherwise.
  [ "${CI:-false}" = false ] || options+=(-DGATHERCHECK_WERROR=ON)
  quietly cmake -S "$root" -B "$build" "${options[@]}"
}

# build_release ROOT TARGET...: builds targets in it.
build_release() {
  local build=$1/build/release
  shift
  [ -t 1 ] || echo 'building, which takes some ten minutes on two cores the first time; the compiler writes to build/build.log'
  quietly cmake --build "$build" --target "$@" --parallel "$(nproc)"
}
