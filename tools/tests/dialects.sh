#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Operator versions that a dialect declares. usage: dialects.sh GATHERCHECK
set -u

gathercheck=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/expect.sh"

cat >mine.json <<'JSON'
{
  "dialect": "mine",
  "operators": [
    {
      "operator": "mine.Gather",
      "family": "gather",
      "axis": {"from": "attribute", "default": 0, "negative": false},
      "types": {"data": ["f32", "i8", "string"], "indices": ["i32", "i64"]},
      "indices": {"negative": false, "outside": "clamp"}
    },
    {
      "operator": "mine.GatherElements",
      "family": "gather_elements",
      "axis": {"from": "attribute"},
      "types": {"data": ["f32"], "indices": ["i64"]},
      "indices": {"negative": true, "outside": ["zero", "error"]},
      "other_dims": "broadcast"
    }
  ]
}
JSON

expect 'a dialect brings operators' 0 '^mine.GatherElements  *2' "$gathercheck" list operators --dialect mine.json
expect 'also before the verb' 0 '^mine.Gather  *2' "$gathercheck" --dialect mine.json list operators
expect 'the shipped ones are always there' 0 '^webnn.gatherND  *2' "$gathercheck" list operators
expect 'reference and equations agree with what is derived' 0 '^mine.Gather  *[0-9]{4} expectations' \
  "$gathercheck" check --dialect mine.json
expect 'and the optimized targets, with all of the sweeps' 0 'conforms \(exit 0\)$' \
  "$gathercheck" run --dialect mine.json --filter 'operator=mine.*' --sweeps all --jobs 2 --implementation reference --implementation optimized
wrong() { "$gathercheck" run --dialect mine.json --filter 'operator=mine.Gather' --sweeps none --implementation "exec:python3 wrong.py" --failures 1; }
sed -E 's/"operators": \[[^]]*\]/"operators": ["mine.Gather"]/; s/"data": \[[^]]*\], "indices": \[[^]]*\]/"data": ["f32"], "indices": ["i64"]/; s/"onnx\.Gather-13"/"mine.Gather"/g' \
  "$here/../examples/my_worker.py" >wrong.py
export PYTHONPATH=$here/../../conformance/adapters PYTHONDONTWRITEBYTECODE=1
expect 'who wraps where it clamps fails' 1 'does not conform' wrong
again=$(grep -oE 'repeat: .*' output | sed 's/^repeat: //')
why=$(grep -oE 'why: .*' output | sed 's/^why: //')
expect 'the line that repeats a failure declares the dialect' 1 '^1 execution of 1 case' sh -c "$again"
expect 'the line that explains it, too' 0 'mine.Gather' sh -c "$why"
sed 's/"mine/"other/' mine.json >other.json
expect 'of several behind one option each is declared' 1 'repeat: .* --dialect mine.json --dialect other.json ' \
  "$gathercheck" run --sweeps none --implementation "exec:python3 wrong.py" --filter 'operator=mine.Gather' --dialect mine.json other.json
expect 'explain says that nobody wrote the expectation' 0 'derived: no one has written it; the dialect and its equation say so' \
  "$gathercheck" explain policy-gather-minus-1 --dialect mine.json
expect 'an index below is taken for the first' 0 'expects the output f32 \[3, 2\] = 3, 4, 1, 2, 1, 2$' \
  "$gathercheck" explain policy-gather-minus-1 --dialect mine.json
expect 'without the dialect nothing knows its operators' 4 'mine.Gather' "$gathercheck" list --filter operator=mine.Gather
expect 'a dialect that is not there' 4 'nowhere.json' "$gathercheck" list --dialect nowhere.json
sed 's/"clamp"/"wrap"/' mine.json >wrong.json
expect 'what is wrong with one is said, with its place' 4 'wrong.json: /operators/0/index/outside: "wrap" is none of' \
  "$gathercheck" check --dialect wrong.json
expect 'two dialects cannot declare the same' 4 'mine.Gather is there already; give it another name' \
  "$gathercheck" list --dialect mine.json --dialect mine.json

finish
