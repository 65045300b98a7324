#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is read from files of others: cases and records that are wrong, incomplete, huge or hostile. usage: tools/tests/records.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

case_of() {  # a case of the list; $1: id, $2: further members, $3: data, $4: expectation
  cat <<JSON
{ "id": "$1", "title": "a case", $2 "inputs": { "data": $3, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error", "onnx.gather-13.formula.axis0"], $4 } ] }
JSON
}
data='{ "type": "f32", "shape": [3], "values": [1, 2, 3] }'
right='"output": { "type": "f32", "shape": [2], "values": [3, 1] }'
wrong='"output": { "type": "f32", "shape": [2], "values": [3, 2] }'
echo "{ \"cases\": [ $(case_of good '' "$data" "$right") ] }" >good.json
echo "{ \"cases\": [ $(case_of good '' "$data" "$right"), $(case_of wrong '' "$data" "$wrong") ] }" >two.json

# --- a rule that nobody knows, in every combination of a sweep
cat >mistyped.json <<'JSON'
{ "cases": [ { "id": "mistyped", "title": "a rule id that nobody knows", "axis": "$axis", "inputs": {
    "data": { "type": "f32", "shape": [2, 2], "fill": { "mark": 1 } }, "indices": { "type": "i64", "shape": [1], "values": [0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formulaa"], "error": "axis_out_of_range" } ],
  "sweep": { "axis": [0, 1, -1, -2, 5, 6, 7] } } ] }
JSON
unknown='mistyped.json: /cases/0/expect/0/rules/0: the rule "onnx.gather-13.formulaa" is not in the catalogue; .* \(in mistyped/axis=0\)'
expect 'check tells a mistyped rule of a sweep' 4 "$unknown" "$gathercheck" check mistyped.json
expect 'so does run' 4 "$unknown" "$gathercheck" run --cases mistyped.json
expect 'and list' 4 "$unknown" "$gathercheck" list --cases mistyped.json
expect 'and explain' 4 "$unknown" "$gathercheck" explain mistyped --cases mistyped.json

# --- lines without an end
truncate -s 1G zeros.jsonl
cat whole.jsonl zeros.jsonl 2>/dev/null | head -c 300M >endless.jsonl
small() { bash -c 'ulimit -v 1000000; exec "$@"' small "$@"; }
if small "$gathercheck" --version >/dev/null 2>&1; then
  expect 'a line beyond the limit is not read to its end' 4 'zeros.jsonl: line 1 is longer than 67108864 bytes' small "$gathercheck" report zeros.jsonl
  expect 'nor one behind a whole run' 4 'endless.jsonl: line [0-9] is longer than' small "$gathercheck" report endless.jsonl
fi
rm -f zeros.jsonl endless.jsonl
finish
