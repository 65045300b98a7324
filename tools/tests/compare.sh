#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare and porting as a user meets them. usage: tools/tests/compare.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

# one_line NAME CODE PATTERN COMMAND...: as expect, of standard output with its lines and blanks made one.
one_line() {
  local name=$1 code=$2 pattern=$3
  shift 3
  # shellcheck disable=SC2016 # it is the inner shell that expands
  expect "$name" "$code" "$pattern" bash -c '"$@" >text; code=$?; tr -s " \n" "  " <text; echo; exit $code' bash "$@"
}

# --- one case, all versions
case=gather-index-one-past-the-end
one_line 'what all versions say of a case' 0 'openvino.Gather-8 zero f32 \[2, 2\] = 0, 0, 1, 2' "$gathercheck" compare $case
one_line 'versions that say the same are one row' 0 'onnx.Gather-1,11,13 error index_out_of_bounds' "$gathercheck" compare $case
one_line 'what is open has its reason' 0 'openvino.Gather-1,7 open the text states the range and not what' "$gathercheck" compare $case
one_line 'each answer has its rule, with its place' 0 \
  'openvino.Gather-8: zero ov.gather-8.indices.zero-fill \(stated; openvino/Gather-8, [^)]*\) An index outside' "$gathercheck" compare $case
expect 'and the documents their addresses' 0 '^    https://github.com/openvinotoolkit/openvino/.*gather-8' "$gathercheck" compare $case
one_line 'what is recorded of engines' 0 'onnxruntime 1[^ ]* onnx.Gather-1,11,13 rejects it [^(]*\(run of 20' "$gathercheck" compare $case
expect 'the table keeps to 100 columns, but for addresses' 0 '^0$' \
  sh -c "'$gathercheck' compare $case | grep -v https: | awk 'length > 100' | wc -l"
expect 'an open point is named' 0 '^Open point: ' "$gathercheck" compare $case
one_line 'versions can be chosen' 0 'What the texts say openvino.Gather-8 zero f32 \[2, 2\] = 0, 0, 1, 2 What engines' "$gathercheck" compare $case \
  --operator openvino.Gather-8
one_line 'by patterns, and several' 0 'openvino.Gather-8 zero .* onnx.Gather-13 error' "$gathercheck" compare $case \
  --operator '*.Gather-8' --operator 'onnx.Gather-13'
one_line 'known failures are shown with their finding' 0 'finding onnxruntime-negative-batch-dims' "$gathercheck" compare \
  gather-nd-batch-dims-minus-2
expect 'as JSON' 0 '"says": "zero"' "$gathercheck" compare $case --format json
expect 'which programs read' 0 '^zero error$' sh -c "'$gathercheck' compare $case --format json | python3 -c '
import json, sys
says = {one[\"operator\"]: one for one in json.load(sys.stdin)[\"operators\"]}
assert says[\"openvino.Gather-8\"][\"rules\"][0][\"address\"].startswith(\"https://\")
print(says[\"openvino.Gather-8\"][\"says\"], says[\"onnx.Gather-13\"][\"says\"])'"
expect 'as Markdown' 0 '^\| openvino.Gather-8 \| zero \| f32 \\\[2, 2\\\] = 0, 0, 1, 2 \|$' "$gathercheck" compare $case --format markdown
one_line 'a version that the case does not name is asked by equations and reference' 0 'onnx.GatherND-11,12,13 error unsupported_type in phase build' \
  "$gathercheck" compare documented-gather-nd-5-example-1
one_line 'what has no words for a call says why' 0 'openvino.Gather-1 - it has no batch_dims onnx.Gather-1,11,13' \
  "$gathercheck" compare documented-gather-7-example-2

# --- a call of one's own
one_line 'a call, its data filled by address' 0 'data f32 \[3, 2\] = 1, 2, 3, 4, 5, 6 indices i64 \[3\] = 2, -1, 7 axis 0' \
  "$gathercheck" compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0
one_line 'which versions answer by the equations' 0 'openvino.Gather-8 zero f32 \[3, 2\] = 5, 6, 5, 6, 0, 0' \
  "$gathercheck" compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0
one_line 'or leave it open, as in cases like it' 0 'openvino.Gather-1,7 open the text [^(]*\(as in case [a-z]' \
  "$gathercheck" compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0
one_line 'nothing is recorded of it' 0 'Nothing is recorded of engines here: --implementation NAME' \
  "$gathercheck" compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0
one_line 'but implementations can be asked' 0 'reference 1[^ ]* openvino.Gather-1,7 rejects it at run time as index_out_of_bounds \(asked now\) onnx.Gather-1,11,13' \
  "$gathercheck" compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0 --implementation reference
limited() { bash -c 'ulimit -v 3000000; exec "$@"' limited "$@"; }
export -f limited
# A sanitizer reserves more addresses than such a limit leaves.
if limited "$gathercheck" --version >/dev/null 2>&1; then
  one_line 'an output beyond memory is told, though its tensors are small' 0 'openvino.Gather-8 .*it needs about [0-9]* MB of memory' \
    limited "$gathercheck" compare --data 'f32[0,2147483648]' --indices 5 --axis 0 --operator openvino.Gather-8
fi
one_line "StableHLO's gather, asked by dimension numbers" 0 'stablehlo.gather clamp f32 \[3, 2\] = 5, 6, 1, 2, 5, 6' \
  "$gathercheck" compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0
one_line 'of GatherElements and GatherND, too' 0 'value f32 \[1\] = 6 .*onnx.GatherND-11,12,13 stablehlo.gather' \
  "$gathercheck" compare --data 'f32[2,3]' --indices 'i64[1,2]=1,2' --family gather_nd
one_line 'an index that is too large is open as one that is' 0 \
  'openvino.Gather-1,7 open [^(]* what an index outside it leads to \(as in case gather-index-one-past-the-end\)' \
  "$gathercheck" compare --data 'f32[3,7]' --indices 3,0,11 --axis 1
one_line 'StableHLO is asked the call of a case written for others' 0 'reference 1[^ ]* stablehlo.gather gives the expected output' \
  "$gathercheck" compare $case --implementation reference --operator stablehlo.gather
one_line 'what clamps is called so, even where zeros are the same' 0 'stablehlo.gather clamp boolean \[3, 1\] = true, false, false' \
  "$gathercheck" compare --data 'boolean[3,1]=false,true,false' --indices '1,-4,2' --axis 0
one_line 'indices of a type and shape' 0 'openvino.GatherElements-6 value f32 \[2, 1\] = 1, 5 onnx.GatherElements-11,13' \
  "$gathercheck" compare --data 'f32[2,3]' --indices 'i64[2,1]=0,1' --axis 1 --family gather_elements
one_line 'tuples, and batch_dims' 0 'value i32 \[2\] = 2, 6 .* onnx.GatherND-11 - it has no batch_dims' \
  "$gathercheck" compare --data 'i32[2,4]' --indices 'i64[2,1]=1,1' --batch-dims 1 --family gather_nd
one_line 'data with values' 0 'data string \[2\] = "a", "b"' "$gathercheck" compare --data 'string[2]=a,b' --indices 1
expect 'a call that a case makes is that case' 0 "this is the call of case $case" \
  "$gathercheck" compare --data 'f32[3,2]' --indices 3,0 --axis 0

# --- records and implementations
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
it="clamping=exec:python3 $root/tools/tests/policy_worker.py clamp"
one_line 'an implementation that departs is asked now, and shows its output' 0 \
  'clamping [^ ]+ onnx.Gather-1,11,13 accepts it, though it must be rejected.*\(asked now\)' \
  "$gathercheck" compare $case --implementation "$it"
one_line 'and a wrong output is shown' 0 'gives a wrong value: f32 \[2, 2\] = \[5, 6, 1, 2\]' "$gathercheck" compare $case --implementation "$it"
"$gathercheck" run --implementation "$it" --sweeps none --filter case=$case --output run.jsonl >/dev/null
one_line 'records of a run' 0 'clamping [^ ]+ openvino.Gather-8 gives a wrong value: f32 \[2, 2\] = \[5, 6, 1, 2\]; 2 of 4 elements differ[^(]*\(run of 20' \
  "$gathercheck" compare $case --records run.jsonl
expect 'records without the case say so' 0 'the records hold no execution of case gather-axis-middle' \
  "$gathercheck" compare gather-axis-middle --records run.jsonl

# --- what is refused
expect 'no call' 4 "there is no call: name a case, or give one by --data 'f32\[3,2\]' --indices 3,0" "$gathercheck" compare
expect 'two calls' 4 'leave out one of the two' "$gathercheck" compare $case --data 'f32[2]' --indices 0
expect 'an unknown case' 4 "there is no case 'gather-index-one-past-the-edn'; near it: $case" "$gathercheck" compare gather-index-one-past-the-edn
expect 'an operator version of another family' 4 '--operator onnx.GatherND-13 matches no operator version of the family gather,' \
  "$gathercheck" compare $case --operator onnx.GatherND-13
expect 'half a call' 4 'a call has --data and --indices; --indices is missing' "$gathercheck" compare --data 'f32[2]'
expect 'a type that is none' 4 "--data 'f33\[2\]' has no element type of the name 'f33'; write TYPE" "$gathercheck" compare --data 'f33[2]' --indices 0
expect 'a shape that is none' 4 "has the dimension 'x'" "$gathercheck" compare --data 'f32[x]' --indices 0
expect 'values that do not fill the shape' 4 '^gathercheck: --data: has 2 elements, but the shape \[3\] has 3' "$gathercheck" compare --data 'f32[3]=1,2' --indices 0
expect 'a value beyond its type' 4 '^gathercheck: --indices: the integer 300 is outside the range' "$gathercheck" compare --data 'f32[3]' --indices 'i8[1]=300'
expect 'a family that is none' 4 "there is no family 'scatter'; write one of gather, gather_elements, gather_nd" \
  "$gathercheck" compare --data 'f32[3]' --indices 0 --family scatter
expect 'an axis where there is none' 4 'has words for the call: .*it has no axis' "$gathercheck" compare --data 'f32[3]' --indices 'i64[1,1]=0' \
  --axis 0 --family gather_nd
expect 'an implementation that is none' 4 'no-such' "$gathercheck" compare $case --implementation no-such

# --- from one version to another
"$gathercheck" porting openvino.Gather-8 onnx.Gather-13 >porting.txt
porting_exit=$?
# shown: the text of porting from Gather-8 to ONNX, made once, with its exit code.
shown() { cat porting.txt && return $porting_exit; }
export porting_exit
export -f shown
expect 'two versions' 0 '^openvino.Gather-8 and onnx.Gather-13: of [0-9]{5} calls, [0-9]{4} differ in [0-9]+ ways' shown
one_line 'an answer and an error, with the smallest call' 0 \
  'openvino.Gather-8 gives zeros; onnx.Gather-13 refuses it: index_out_of_bounds the smallest: data [a-z0-9]+ \[[0-9, ]+\] = .* gathercheck compare [a-z]' shown
one_line 'and the sentences on either side' 0 'ov.gather-8.indices.zero-fill \(stated; openvino/Gather-8, .* onnx.gather-13.indices.error \(stated; onnx/Gather' shown
one_line 'element types' 0 'takes it; onnx.Gather-13 refuses it: unsupported_type indices of i16, i8, ' shown
one_line 'what cannot be said' 0 'onnx.Gather-13 has no words for it: it has no batch_dims' shown
one_line 'what is open' 0 'openvino.Gather-7 leaves it open; openvino.Gather-8 gives zeros' "$gathercheck" porting openvino.Gather-7 openvino.Gather-8
one_line 'shapes' 0 'Different shapes or element types of the output 1. [0-9]+ calls: openvino.GatherND-5' \
  "$gathercheck" porting openvino.GatherND-5 openvino.GatherND-8
expect 'an axis that is an attribute for the one and an input for the other is no difference' 0 '^0$' \
  sh -c "<porting.txt grep -c 'wrong_input_count; onnx.Gather-13 gives' || true"
expect 'versions of one text hardly differ' 0 '^onnx.GatherElements-11 and onnx.GatherElements-13: ' \
  "$gathercheck" porting onnx.GatherElements-11 onnx.GatherElements-13
command=$(sed -n 's/^ *gathercheck \(compare .*\)/\1/p' porting.txt | head -n 1)
one_line 'the command that shows an example shows it' 0 'openvino.Gather-8 zero .* onnx.Gather-[0-9,]+ error' sh -c "'$gathercheck' $command"
one_line 'a version and the gather of StableHLO' 0 \
  'onnx.Gather-13 refuses it: index_out_of_bounds; stablehlo.gather takes the nearest legal index the smallest: data' \
  "$gathercheck" porting onnx.Gather-13 stablehlo.gather
expect 'whose sequences are calls like others' 0 '^right$' sh -c "'$gathercheck' porting stablehlo.gather onnx.Gather-13 2>&1 >shown && echo right"
expect 'as JSON' 0 '"kind": "treatment"' "$gathercheck" porting openvino.Gather-8 onnx.Gather-13 --format json
expect 'whose counts add up' 0 '^right$' sh -c "'$gathercheck' porting openvino.Gather-8 onnx.Gather-13 --format json | python3 -c '
import json, sys
page = json.load(sys.stdin)
differ = sum(one[\"calls\"] for one in page[\"differences\"])
print(\"right\" if differ + page[\"same\"] + page[\"both_refuse_for_other_reasons\"] == page[\"calls\"] else page)'"
expect 'as Markdown' 0 '^### openvino.Gather-8 gives zeros; onnx.Gather-13 refuses it: index' "$gathercheck" porting openvino.Gather-8 onnx.Gather-13 \
  --format markdown
expect 'the other way round it is the same' 0 '^onnx.Gather-13 and openvino.Gather-8: ' "$gathercheck" porting onnx.Gather-13 openvino.Gather-8
expect 'an unknown version' 4 "there is no operator version 'openvino.Gather-9'; near it: " "$gathercheck" porting openvino.Gather-9 onnx.Gather-13
expect 'two families' 4 'is of the family gather and onnx.GatherND-13 of gather_nd: .* is compared with ' \
  "$gathercheck" porting onnx.Gather-13 onnx.GatherND-13
expect 'twice the same' 4 'name two operator versions' "$gathercheck" porting onnx.Gather-13 onnx.Gather-13
expect 'one alone' 4 'operators' "$gathercheck" porting onnx.Gather-13

# --- explain, for programs
expect 'explain as JSON has what is expected' 0 '"error": "index_out_of_bounds"' "$gathercheck" explain $case --for onnx.Gather-13 --format json
cp output explained.json
expect 'with the rule in its words, and what readings would give' 0 '^onnx\.gather-13\.indices\.error True 4$' python3 -c 'import json
of = json.load(open("explained.json"))["operators"][0]
print(of["rules"][0]["id"], len(of["rules"][0]["statement"]) > 20, len(of["readings"]))'
expect 'and where elements come from' 0 '"data": \[' "$gathercheck" explain gather-axis-minus-1 --for onnx.Gather-13 --format json
expect 'of cases alone' 4 'only cases are explained as JSON' "$gathercheck" explain onnx.gather-13.indices.error --format json

# --- what programs read has its schema
if python3 -c 'import jsonschema' 2>/dev/null; then
  schemas=$root/conformance/schemas
  # valid NAME ARGUMENTS...: whether the JSON of a verb is as its schema has it.
  valid() {
    local schema=$1
    shift
    "$gathercheck" "$@" --format json 2>/dev/null | python3 "$root/tools/tests/validate.py" "$schemas" "$schema"
  }
  expect 'the schema of compare takes a case' 0 '^valid$' valid comparison compare $case
  expect 'one with findings' 0 '^valid$' valid comparison compare gather-nd-batch-dims-minus-2
  expect "a call of one's own" 0 '^valid$' valid comparison compare --data 'f32[3,2]' --indices 2,-1,7 --axis 0 --implementation reference
  expect 'and the schema of porting what differs' 0 '^valid$' valid porting porting openvino.Gather-8 onnx.Gather-13
  expect "also from StableHLO's" 0 '^valid$' valid porting porting stablehlo.gather openvino.GatherND-8
  expect 'the schema of explain takes a case' 0 '^valid$' valid explanation explain $case
  expect 'one that the reference rejects by its form' 0 '^valid$' valid explanation explain gather-nd-batch-dims-minus-2
  expect 'one that comes after others' 0 '^valid$' valid explanation explain sequence-other-axis
  expect 'one in other types' 0 '^valid$' valid explanation explain gather-axis-first/data=f64
  expect 'nothing else' 1 "'operators' is a required property" sh -c "echo '{}' | python3 '$root/tools/tests/validate.py' '$schemas' porting"
fi

# Neighbours in the table are compared without a word of disagreement between equations and reference.
all=()
mapfile -t all < <("$gathercheck" list operators | cut -d ' ' -f 1)
bad=""
without_sweeps
for ((k = 1; k < ${#all[@]}; k++)); do
  "$gathercheck" porting "${all[k - 1]}" "${all[k]}" >/dev/null 2>errors
  code=$?
  [ $code = 0 ] || grep -q 'of the family' errors || bad+="${all[k - 1]} ${all[k]}: $(head -n 1 errors)"$'\n'
done
expect 'every two neighbours can be compared' 0 '^$' echo "$bad"
finish
