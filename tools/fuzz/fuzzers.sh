#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Our own readers under libFuzzer: builds the programs, and runs each for a while on a corpus that is kept.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
kinds=(cases records answers known_failures import)

usage() {
  cat <<'USAGE'
usage: tools/fuzz/fuzzers.sh [--seconds N] [--jobs N] [KIND...]

Builds build/fuzz with clang, AddressSanitizer, UndefinedBehaviorSanitizer and counters of coverage, and runs libFuzzer on what reads
inputs of each KIND: cases, records, answers, known_failures, import; all of them by default, N seconds each (600), with N
processes each (1). The corpus is kept in build/fuzz/corpus/KIND, and what fails in build/fuzz/found.

For a scheduled job, which keeps build/fuzz/corpus from one time to the next: tools/fuzz/fuzzers.sh --seconds 600
Exit: 0 nothing was found; 1 something was, see build/fuzz/found; 3 it could not be built; 4 bad usage.
USAGE
}

seconds=600
jobs=1
chosen=()
while (($#)); do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --seconds | --jobs)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || { echo "fuzzers: $1 takes a number, see --help" >&2; exit 4; }
      [ "$1" = --jobs ] && jobs=$2 || seconds=$2
      shift
      ;;
    *)
      [[ " ${kinds[*]} " == *" $1 "* ]] || { echo "fuzzers: there is no kind '$1'; there are ${kinds[*]}" >&2; exit 4; }
      chosen+=("$1")
      ;;
  esac
  shift
done
((${#chosen[@]})) || chosen=("${kinds[@]}")

clang=$("$root/tools/find_clang.sh") || { echo 'fuzzers: there is no clang with sanitizers here (Debian: clang)' >&2; exit 3; }
folder=$root/build/fuzz
generator=()
[ -e "$folder/CMakeCache.txt" ] || generator=(-G Ninja)
cmake -S "$root" -B "$folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1' \
  -DCMAKE_CXX_COMPILER="$clang" -DGATHERCHECK_TESTS=OFF -DGATHERCHECK_SANITIZE=ON -DGATHERCHECK_FUZZERS=ON &&
  cmake --build "$folder" --parallel "$(nproc)" --target "${chosen[@]/#/gathercheck_fuzz_}" || exit 3

mkdir -p "$folder/found"
status=0
for kind in "${chosen[@]}"; do
  corpus=$folder/corpus/$kind
  seeds=$root/tools/fuzz/corpus/$kind
  mkdir -p "$corpus"
  [ -d "$seeds" ] || seeds=$corpus
  workers=()
  ((jobs == 1)) || workers=("-fork=$jobs")
  echo "== $kind"
  "$folder/bin/gathercheck_fuzz_$kind" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=3072 -print_final_stats=1 \
    -max_len=65536 -artifact_prefix="$folder/found/$kind-" "${workers[@]}" "$corpus" "$seeds" || status=1
done
exit $status
