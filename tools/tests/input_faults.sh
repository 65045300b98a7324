#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Small faults of what a user gives: numbers of options and of recorded settings, filter terms, pipes. usage:
# tools/tests/input_faults.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
without_sweeps

cat >good.json <<'JSON'
{ "cases": [ { "id": "good", "title": "a case", "inputs": {
    "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula.axis0"],
    "output": { "type": "f32", "shape": [2], "values": [3, 1] } } ] } ] }
JSON
"$gathercheck" run --cases good.json --implementation reference --output run.jsonl >output
"$gathercheck" calls --cases good.json --output calls.jsonl 2>output
echo '{"seq":1,"output":{"type":"f32","shape":[2],"base64":"AABAQAAAgD8="}}' >answers.jsonl

# --- numbers: each option of each verb, with what it must not take
refused() {  # VERB OPTION ALLOWED VALUE...: the option is named, and the value, and what is allowed
  local verb=$1 option=$2 allowed=$3 value
  shift 3
  for value; do
    # shellcheck disable=SC2086
    expect "$verb $option=$value" 4 "^$option: '$value' is no .*$allowed" timeout 20 "$gathercheck" $verb "$option=$value"
  done
}
seconds='number from 0\.001 to 86400'
odd=(nan -inf 1e999 -1 ' ' 0x10)
for verb in 'run --cases good.json' policy 'smoke exec:true'; do
  refused "$verb" --time-limit "$seconds" "${odd[@]}" 0 0.0009 86401 20s 1,5
done
refused 'smoke exec:true' --time-to-start "$seconds" "${odd[@]}" 0
refused 'run --cases good.json' --known-timeout-limit "$seconds" "${odd[@]}" 0
refused 'run --cases good.json' --memory-limit 'size from 1MB to 1EB' "${odd[@]}" -5 0 1 1KB 2XB 2EB 99999999999999999999 1.5GB GB 5i 3kkb
refused 'run --cases good.json' --restarts 'whole number from 0 to ' "${odd[@]}" 1.5 99999999999
refused 'run --cases good.json' --jobs 'whole number from 1 to 256' "${odd[@]}" 0 257
for verb in 'run --cases good.json' 'judge --calls calls.jsonl --answers answers.jsonl'; do
  refused "$verb" --failures 'whole number from 0 to ' "${odd[@]}" 99999999999
done
refused mutants --show-cases 'whole number from 0 to ' "${odd[@]}" 1.5
refused overhead --calls 'whole number from 1 to ' "${odd[@]}" 0
refused bench --threads 'whole number from 1 to ' "${odd[@]}" 0 1.5
refused bench --rounds 'whole number from 1 to ' "${odd[@]}" 0
refused bench --sample 'number from 0\.001 to ' "${odd[@]}" 0
expect 'numbers in range are taken' 0 'conforms' "$gathercheck" run --cases good.json --implementation reference \
  --time-limit 1.5 --memory-limit 65536GB --restarts 0 --jobs 2 --failures 0
# Sizes that leave room for what sanitizers reserve.
for size in 70368744177664 65536g '65536 GiB' 67108864MB; do
  expect "a size may be written $size" 0 'conforms' "$gathercheck" run --cases good.json --implementation reference --memory-limit "$size" --output limited.jsonl
  expect "and is $size" 0 '"memory_limit":70368744177664' head -n 1 limited.jsonl
done

# --- settings in the header of a record: what no command line could have given is refused on --resume
head -n 2 run.jsonl >cut.jsonl
expect 'a run that was cut short goes on' 0 'conforms' "$gathercheck" run --resume cut.jsonl
setting() {  # KEY VALUE-AS-JSON PATTERN
  head -n 2 run.jsonl | sed -E "1s#,?\"$1\":([0-9.]+|\"[^\"]*\"|\[[^]]*\])##; 1s#\"options\":\{#&\"$1\":$2,#; 1s#,\}#}#" >bad.jsonl
  cp bad.jsonl kept.jsonl
  expect "the recorded setting $1 $2" 4 "bad.jsonl.*$3" timeout 20 "$gathercheck" run --resume bad.jsonl
  expect "and the file stays as it is" 0 '^same' sh -c 'cmp bad.jsonl kept.jsonl && echo same'
}
setting sweeps '"some"' 'sweeps "some", which is none of all, written, sample and none'
setting shard '"3/2"' 'shard "3/2", which is not i/n'
setting time_limit -1 'time_limit -1, which is not from 0.001 to 86400'
setting time_limit 1e300 'time_limit 1e\+300, which is not from'
setting known_timeout_limit -1 'known_timeout_limit -1, which is not from 0.001 to 86400'
setting restarts -7 'restarts -7, which is not from 0 to'
setting restarts 9223372036854775807 'restarts 9223372036854775807, which is not from 0 to'
setting memory_limit -5 'memory_limit .*, which is not from 1048576 to'
setting memory_limit 12 'memory_limit 12, which is not from 1048576 to'
setting filters '["kase=x"]' "filters: unknown filter key 'kase'"
setting strict '"yes"' 'line 1 is no record'

# --- filters: a term that matches nothing, beside one that does
for verb in 'run --implementation reference' list 'list counts' calls mutants; do
  # shellcheck disable=SC2086
  expect "$verb with a mistyped term" 4 '"operator=onnx.Gather-31" matches no operator version; near it: onnx.Gather-1,' \
    "$gathercheck" $verb --filter operator=onnx.Gather-13 --filter operator=onnx.Gather-31
done
expect 'judge with one' 4 '"goood" matches no case id; near it: good' \
  "$gathercheck" judge --calls calls.jsonl --answers answers.jsonl --filter good --filter goood
expect 'policy with one' 4 '"route=runtime/stat" matches no route; near it: runtime/static' "$gathercheck" policy --filter route=runtime/stat
expect 'coverage with one' 4 '"operator=onnx.Gather-31" matches no operator version' \
  "$gathercheck" coverage --filter operator=onnx.Gather-13 --filter operator=onnx.Gather-31
expect 'list rules with one' 4 '"rule=onnx.gather-13.axis.rang" matches no rule; near it: onnx.gather-13.axis.range' \
  "$gathercheck" list rules --filter rule=onnx.gather-13.axis.rang
expect 'an unknown key' 4 "unknown filter key 'kase'" "$gathercheck" list --filter kase=good
expect 'terms that match nothing together' 4 'no case matches all of the filter, though each .*"good", "type=f16"' \
  "$gathercheck" run --cases good.json --filter good --filter type=f16
expect 'a case that is asked in other types is there' 0 '^good ' "$gathercheck" list --cases good.json --filter 'case=good/data=f64' --filter good

# --- pipes: one that is named is read, one in a folder is not waited for
mkdir folder
cp good.json folder
mkfifo folder/pipe.json
for verb in 'check' 'list --cases' 'run --implementation reference --cases'; do
  # shellcheck disable=SC2086
  expect "$verb on a folder with a pipe in it" 4 'folder/pipe.json: is a pipe, and of a folder only files are read' timeout 20 "$gathercheck" $verb folder
done
expect 'cases from a pipe' 0 'conforms' "$gathercheck" run --implementation reference --cases <(cat good.json)
expect 'records from a pipe' 0 'conforms' "$gathercheck" report <(cat run.jsonl)
expect 'a claim from a pipe' 0 'reference' "$gathercheck" claim <(cat run.jsonl) --cases good.json
expect 'answers from a pipe' 0 'conforms' "$gathercheck" judge --calls <(cat calls.jsonl) --answers <(cat answers.jsonl)
finish
