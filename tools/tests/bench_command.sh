#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gathercheck bench as a user meets it: what it prints and writes, and wrong usage. usage: bench_command.sh GATHERCHECK
set -u

gathercheck=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

# expect NAME EXIT-CODE PATTERN COMMAND...: runs the command; both its streams together must match the pattern.
expect() {
  local name=$1 code=$2 pattern=$3 got
  shift 3
  "$@" >output 2>&1 </dev/null
  got=$?
  if [ "$got" = "$code" ] && grep -Eq -- "$pattern" output; then return; fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  command: %s\n  exit code %s, expected %s; expected to find: %s\n' "$name" "$*" "$got" "$code" "$pattern"
  sed 's/^/  | /' output | head -n 40
}

quick=("$gathercheck" bench --peers none --rounds 1 --sample 1)
expect 'help has examples' 0 'Examples' "$gathercheck" bench --help
expect 'the machine is described' 0 '^instruction sets ' "$gathercheck" bench --machine
expect 'and what its threads cost' 0 '^waking a thread ' "$gathercheck" bench --machine
expect 'a size in the environment' 0 'outputs of  3145728 bytes \(GATHERCHECK_STREAM_FROM\)' env GATHERCHECK_STREAM_FROM=3m "$gathercheck" bench --machine
expect 'what is no size is not heeded' 0 'outputs of .*; GATHERCHECK_STREAM_FROM is not a size like 64K: 3x\)' env GATHERCHECK_STREAM_FROM=3x "$gathercheck" bench --machine
expect 'the machine as JSON' 0 '"instruction_sets": \[' "$gathercheck" bench --machine --format json
expect 'workloads are listed' 0 '^N05 .*onnx.GatherND-13 f32\[256,256,64\]' "$gathercheck" bench --list
expect 'a workload is timed' 0 '^G01-1 +[0-9.]+ ns' "${quick[@]}" --filter G01-1
expect 'the summary names the copy' 0 'copy of the output / ours' "${quick[@]}" --filter G01-1
expect 'targets are compared' 0 'Instruction sets slower than the next lower one' "${quick[@]}" --filter G01-3 --targets
expect 'a workload of one'"'"'s own' 0 '^own-1 ' "${quick[@]}" --workload 'onnx.GatherND-13 u8[3,4] i64[5,2] negative=0.5'
expect 'cold caches' 0 '^own-1 ' "${quick[@]}" --cold --workload 'onnx.Gather-13 u8[3,4] i32[5]'
expect 'JSON' 0 '"best_peer_ratio": null' "${quick[@]}" --filter G01-1 --format json
expect 'files are written' 0 '' "${quick[@]}" --filter 'G01-*' --output page.html --output results.json
expect 'the page is one' 0 '<svg' cat page.html
expect 'the file of results has a sample' 0 '"samples_ns"' cat results.json

# An interpreter that is not there: each engine of Python's is said to be missing, with what brings it.
expect 'a missing engine is said, with the way to it' 0 'numpy +missing: .*; to install: tools/setup.sh numpy' \
  env GATHERCHECK_PYTHON=/nonexistent "$gathercheck" bench --rounds 1 --sample 1 --filter G01-1 --peers numpy,jax

expect 'an unknown engine' 4 "no engine 'nosuch'; there are onnxruntime" "$gathercheck" bench --peers nosuch
expect 'an unknown workload' 4 "no workload has an id like 'X9'" "$gathercheck" bench --peers none --filter X9
expect 'a wrong workload' 4 "no operator version 'onnx.Gather-2'" "$gathercheck" bench --peers none --workload 'onnx.Gather-2 f32[1] i64[1]'
expect 'no rounds' 4 'rounds' "$gathercheck" bench --rounds 0
expect 'more threads than CPUs' 4 'this process may use' "$gathercheck" bench --peers none --threads 100000 --filter G01-1
expect 'an unknown format' 4 'format' "$gathercheck" bench --format yaml
expect 'a file that cannot be written' 4 'cannot be written' "${quick[@]}" --filter G01-1 --output nosuch/results.json
exit $((failed > 0))
