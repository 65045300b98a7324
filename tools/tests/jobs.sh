#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs with several processes beside runs with one: the same records in the same order. usage: tools/tests/jobs.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# It dies, hangs, is late, breaks the protocol or says no, as the call says.
cat >moody.sh <<'SH'
read -r line
echo '{"message":"hello","protocol":1,"implementation":{"name":"moody","version":"1"},"claims":[{"operators":["onnx.Gather-13","openvino.Gather-8"],"data":["f32","i32"],"indices":["i64"],"operands":["runtime"],"shapes":["static"]}],"answers":["run"]}'
while read -r line; do
  seq=${line#*\"seq\":}; seq=${seq%%[,\}]*}
  case $line in
    *'"message":"goodbye"'*) exit 0 ;;
    *'"axis":2'*) echo 'the axis is two' >&2; exit 7 ;;
    *'"shape":[0,'*) sleep 60 ;;
    *'"shape":[2,3]'*) sleep 0.05 ;;
    *'"axis":-1'*) echo 'what?'; continue ;;
  esac
  echo "{\"seq\":$seq,\"rejected\":{\"message\":\"no\"}}"
done
SH

# What a run leaves, but for its command line and its times; and what it prints.
records() {  # NAME JOBS OPTION...
  local name=$1 jobs=$2
  shift 2
  "$gathercheck" run "$@" --jobs "$jobs" --output "$name.jsonl" --failures 0 >"$name.out" 2>"$name.errors"
  local code=$?
  by_itself "$name.jsonl"
  sed -E -i 's/"command":\[[^]]*\]/"command":[]/; s/"started":"[^"]*"/"started":""/; s/"seconds":[0-9.e+-]+/"seconds":0/; s/,"us":[0-9]+//' "$name.jsonl"
  sed -E -i 's/ in [0-9.]+ s:/ in 0 s:/' "$name.out"
  echo "recorded: exit $code"
  return $code
}
same_file() { cmp "$1" "$2" && echo 'the same'; }
same() {  # NAME EXIT-CODE OPTION...
  local name=$1 code=$2
  shift 2
  expect "$name with one process" "$code" recorded records one 1 "$@"
  expect "$name with four" "$code" recorded records four 4 "$@"
  expect "$name: the same records" 0 'the same' same_file one.jsonl four.jsonl
  expect "$name: the same text" 0 'the same' same_file one.out four.out
}
moody=(--implementation "exec:/bin/bash $folder/moody.sh" --sweeps none --time-limit 1 --filter type=f32 --filter case='gather-*')
same 'a program of every mood' 3 "${moody[@]}"
expect 'it died' 0 '"verdict":"crash"' cat four.jsonl
expect 'it hung' 0 '"verdict":"timeout"' cat four.jsonl
expect 'it broke the protocol' 0 '"verdict":"broken"' cat four.jsonl
expect 'it rejected' 0 '"outcome":"rejected"' cat four.jsonl
same 'a program that reaches its limit' 3 "${moody[@]}" --restarts 6
expect 'the rest was not run' 0 'broke the protocol 6 times, which is the limit' cat four.jsonl
same 'the reference and the rows on hand-written cases' 0 --sweeps none
same 'the reference with sweeps' 0 --implementation reference --filter operator=onnx.Gather-13
expect 'no jobs are bad usage' 4 '--jobs' "$gathercheck" run --jobs 0
expect 'the number of jobs is in the record' 0 '"--jobs","2"' \
  sh -c '"$0" run --implementation reference --filter operator=onnx.Gather-13 --sweeps none --jobs 2 --output - | head -n 1' "$gathercheck"
finish
