#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for another machine with a cross compiler and runs the unit tests and the hand-written cases in an emulator.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'USAGE'
usage: tools/cross.sh MACHINE [ctest arguments...]

Builds build/MACHINE with a cross compiler and runs CTest on it in qemu's user mode: the unit tests, and the hand-written
cases on the reference and on every optimized target of the machine. Sets up what that needs (tools/setup.sh --machine).

  aarch64   64-bit Arm: NEON
  s390x     IBM Z, whose bytes stand the other way round (big-endian)

Tests of what no emulator has, limits of memory above all, are shown as skipped, each with the reason. Tests by scripts, which
start programs themselves, are not part of it.

example: tools/cross.sh s390x -L quick-reference
Exit: 0 all tests passed; 1 a test failed, or none ran; 3 the set-up or the build failed; 4 wrong usage.
USAGE
}

case ${1:-} in
  --help | -h) usage; exit 0 ;;
  aarch64 | s390x) machine=$1 ;;
  '') echo 'cross: which machine? aarch64 or s390x; see tools/cross.sh --help' >&2; exit 4 ;;
  *) echo "cross: unknown machine '$1'; there are aarch64 and s390x" >&2; exit 4 ;;
esac
shift

"$root/tools/setup.sh" --tests --machine "$machine"

deps=$root/build/deps-$machine/usr
folder=$root/build/$machine
options=("-DCMAKE_PREFIX_PATH=$deps")
# What is found for this machine is no help: the other one's libraries or none.
[ -e "$deps/lib/cmake/Catch2" ] || options+=(-DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON)
[ -e "$folder/CMakeCache.txt" ] || options+=(-G Ninja)
targets=({reference,optimized,conformance,tools}_tests gathercheck gathercheck_second_worker)
strict=OFF
[ "${CI:-false}" = false ] || strict=ON

echo "== building build/$machine"
cmake -S "$root" -B "$folder" "${options[@]}" -DCMAKE_BUILD_TYPE=Release -DGATHERCHECK_TESTS=ON -DGATHERCHECK_WERROR=$strict \
  -DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$machine" "-DCMAKE_CXX_COMPILER=$machine-linux-gnu-g++" \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=$("$root/tools/find_emulator.sh" "$machine");-L;/usr/$machine-linux-gnu" \
  -DCMAKE_DISABLE_FIND_PACKAGE_ONNX=ON -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON &&
  cmake --build "$folder" --parallel "$(nproc)" --target "${targets[@]}" || { echo 'cross: the build failed' >&2; exit 3; }

echo "== testing build/$machine"
# Emulated programs are slow, and cannot start others of their machine: tests by scripts are for machines of our own.
ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)" --label-regex '^(quick-.*|machine)$' --no-tests=error "$@" || exit 1
