#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything for OSS-Fuzz and ClusterFuzzLite, whose build.sh calls it, with what they say in the environment: CC, CXX, CFLAGS,
# CXXFLAGS, LIB_FUZZING_ENGINE, and OUT, where programs, seeds and data go. Needed are cmake, ninja and zip.
# usage: tools/fuzz/oss_fuzz.sh [PLUGIN...]: sources of plug-ins (.c or .cpp) that become programs, too
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${WORK:-$root/build}/oss-fuzz
: "${OUT:?names the folder for programs, seeds and data}" "${CC:?}" "${CXX:?}" "${LIB_FUZZING_ENGINE:?}"

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE= -DGATHERCHECK_TESTS=OFF -DGATHERCHECK_FUZZERS=ON
kinds=(cases records answers known_failures)
# Import is there where ONNX and protobuf are.
! ninja -C "$build" -t query gathercheck_fuzz_import >/dev/null 2>&1 || kinds+=(import)
targets=()
((${FUZZ_READERS:-1} == 0)) || targets=("${kinds[@]/#/gathercheck_fuzz_}")
ninja -C "$build" gathercheck_plugin_fuzzer "${targets[@]}"

mkdir -p "$OUT/share"
cp -rL "$build/share/gathercheck" "$OUT/share/"
for target in "${targets[@]}"; do
  cp "$build/bin/$target" "$OUT/"
  seeds=$root/tools/fuzz/corpus/${target#gathercheck_fuzz_}
  [ ! -d "$seeds" ] || zip -qj "$OUT/${target}_seed_corpus.zip" "$seeds"/*
done

library=$(echo "$build"/lib*/libgathercheck_plugin_fuzzer.a "$build"/lib/*/libgathercheck_plugin_fuzzer.a)
library=$(for file in $library; do [ ! -e "$file" ] || echo "$file"; done | head -n 1)
for plugin in "$@"; do
  name=$(basename "${plugin%.*}")
  compiler=$CXX flags=${CXXFLAGS-}
  [[ $plugin != *.c ]] || compiler=$CC flags=${CFLAGS-}
  # shellcheck disable=SC2086 # several flags
  "$compiler" $flags -I "$root/conformance" -c "$plugin" -o "$build/$name.o"
  # shellcheck disable=SC2086
  "$CXX" ${CXXFLAGS-} "$build/$name.o" "$library" $LIB_FUZZING_ENGINE -o "$OUT/$name"
  rm -rf "$build/seeds"
  "$OUT/$name" "--write-seeds=$build/seeds"
  zip -qj "$OUT/${name}_seed_corpus.zip" "$build/seeds"/*
done
