#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the author of an engine with bugs sees from the first run to the claim: failures, known failures, reports.
# usage: tools/tests/newcomer.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
types='s/"data": \[[^]]*\], "indices": \[[^]]*\]/"data": ["f32"], "indices": ["i64"]/'
sed -E "$types" "$root/tools/examples/my_worker.py" >good.py
# Indices outside the range are clamped to it.
clamps='s/^    if any\(not .*/    indices = [min(max(index, -size), size - 1) for index in indices]\n    if False:/'
sed -E "$clamps" good.py >clamps.py
# And what a negative axis should count from the end is the first one.
sed 's/axis, width = axis % len(data.shape)/axis, width = max(axis, 0)/' clamps.py >two_bugs.py
sed 's/axis, width = axis % len(data.shape)/axis, width = max(axis, 0)/' good.py >first_axis.py
run() { "$gathercheck" run --sweeps none --implementation "engine=exec:python3 $1.py" "${@:2}"; }
known=(--known-failures known.json)
update=("${known[@]}" --update-known-failures)

# --- a failure: its rule, what explains it, what repeats it
expect 'failures are shown' 1 'does not conform' run clamps --filter 'case=gather-index-one-past-the-end'
expect 'with the rule, and what explains the case' 1 \
  '^  rule: onnx\.gather-13\.indices\.error; why: [^ ]*gathercheck explain gather-index-one-past-the-end --for onnx\.Gather-13$' \
  run clamps --filter 'case=gather-index-one-past-the-end' --output failed.jsonl
cp output said
why=$(sed -n 's/^  rule: .*; why: //p' said)
expect 'which does' 0 '^    onnx\.gather-13\.indices\.error \(' sh -c "$why"
expect 'a report has it, too' 1 '^  rule: onnx\.gather-13\.indices\.error; why: ' "$gathercheck" report failed.jsonl
expect 'and JUnit' 1 'rule: onnx\.gather-13\.indices\.error' "$gathercheck" report failed.jsonl --format junit
expect 'and the page' 1 '"onnx\.gather-13\.indices\.error"' "$gathercheck" report failed.jsonl --format page-data
sed 's/index % size/0/' good.py >takes_first.py
expect 'a wrong value is shown with what came, and where' 1 '^  got f32 \[2, 2, 2\] = \[1, 1\.2, .*; 6 of 8 elements differ, the first is output\[0, 1, 0\]$' \
  run takes_first --filter case=documented-onnx-gather-axis-0 --output value.jsonl
expect 'by a report' 1 '^  got f32 ' "$gathercheck" report value.jsonl
expect 'by JUnit' 1 '^  got f32 ' "$gathercheck" report value.jsonl --format junit
expect 'and by the page' 1 '"first":\["[^]]*\]' "$gathercheck" report value.jsonl --format page-data
echo '{ "cases": [ { "id": "mine", "title": "a case", "inputs": { "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] },
  "indices": { "type": "i64", "shape": [1], "values": [3] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error"], "error": "index_out_of_bounds" } ] } ] }' >'my cases.json'
expect 'own cases are named' 1 "why: [^ ]*gathercheck explain mine --for onnx.Gather-13 --cases 'my cases.json'" \
  "$gathercheck" run --implementation "engine=exec:python3 clamps.py" --cases 'my cases.json'
expect 'the cases that were run are counted' 0 '^1 execution of 1 case in ' run good --filter case=gather-axis-first
expect 'of those that the filter leaves' 0 '^12 executions of 12 of 1[0-9] cases in ' run good --filter rule=onnx.gather-13.axis.negative
expect 'of those that were chosen' 0 '^[0-9]+ executions of ([0-9]+) of [0-9]{4} cases in ' run good
cp output said
python3 - <<'PY'
import re
said = re.search(r"executions of (\d+) of (\d+) cases", open("said").read())
print(int(said[1]) < 600 < 1000 < int(said[2]) if said else None, file=open("counted", "w"))
PY
expect 'which are more' 0 True cat counted
# One call by many routes is one call.
sed 's/"indices": \["i64"\]/&, "operands": ["runtime", "constant", "folded"], "shapes": ["static", "dynamic"]/' clamps.py >routes.py
expect 'one call shows little' 1 'diagnosis: engine: too few calls to tell: all [2-9] failures could be explained by: ' \
  run routes --filter 'case=gather-index-one-past-the-end'
cp output said
expect 'of which many causes are told as many' 0 ', or as well: .*, or [0-9]+ others$' cat said
# Of what no misreading explains the failing calls have something in common.
sed '/raw = gather(/a\            if len(indices.shape) == 2: raw = bytes(byte ^ 21 for byte in raw)' good.py >rank_2.py
expect 'what only failing calls have is told' 1 \
  '^diagnosis: engine: no misreading .*; all [0-9]+ failing calls have indices of rank 2, which no passing call of onnx\.Gather-13 has' run rank_2
sed '/raw = gather(/a\            if len(indices.shape) == 2 and picks[0] > 0: raw = bytes(byte ^ 21 for byte in raw)' good.py >some_rank_2.py
expect 'not what some passing calls have' 1 '^diagnosis: engine: no misreading that is known here explains the [0-9]+ failures$' run some_rank_2
# By the rule alone, two misreadings give the same answers.
expect 'two causes that explain the same' 1 'diagnosis: engine: .*, or as well: ' run clamps --filter rule=onnx.gather-13.indices.range
expect 'are both named at each failure' 1 '^  explained by: perhaps .*, or as well: ' run clamps --filter rule=onnx.gather-13.indices.range

# --- the first known failures
expect 'the first update says what to do next' 1 'does not conform; the known failures are brought up to date: run it again \(exit 1\)$' \
  run clamps "${update[@]}"
cp output said
expect 'its reason is what the diagnosis found' 0 '^  the "reason" of [0-9]+ new executions is what the diagnosis found: see that it is so$' cat said
expect 'as the file has it' 0 '"reason": "indices out of bounds are clamped to the range \(index-clamped\)"' cat known.json
expect 'the lines that repeat a failure' 0 'repeat: .* --no-known-failures ' cat said
repeat=$(sed -n 's/^  repeat: //p' said | head -n 1)
expect 'repeat it' 1 '^FAIL ' sh -c "$repeat"
expect 'the next run is green' 0 'conforms but for [0-9]+ known failures' run clamps "${known[@]}"

expect 'of a part of it each cause is told' 0 '^engine: 1 known failure: .*\(index-clamped\)$' \
  run clamps "${known[@]}" --filter case=gather-index-one-past-the-end
expect 'which is no trouble' 0 'conforms but for 1 known failure' \
  run clamps "${known[@]}" --filter case=gather-index-one-past-the-end --output known.jsonl
expect 'nor in a report' 0 '^engine: 1 known failure: ' "$gathercheck" report known.jsonl

# --- reasons: one for one cause
rm known.json
expect 'a reason of yours is that of one cause' 1 'added: ' run clamps "${update[@]}" --reason 'it clamps, ticket 7'
expect 'on all entries' 1 '^0$' sh -c "grep '\"reason\"' known.json | grep -cv 'it clamps, ticket 7'"
rm known.json
expect 'of several causes it is true of none that is explained' 1 'added: ' run two_bugs "${update[@]}" --reason 'it clamps, ticket 7'
expect 'each of these has its own' 0 'index-clamped' cat known.json
expect 'and none has an empty one' 1 '^0$' grep -c '"reason": ""' known.json
expect 'so that the next run is green' 0 'conforms but for' run two_bugs "${known[@]}"
expect 'in entries of its own' 0 '^[2-9]$' sh -c "grep '\"reason\"' known.json | sort -u | wc -l"
rm known.json

# --- what was mended
expect 'two bugs are written down' 1 'added: ' run two_bugs "${update[@]}"
grep -q '"reason": ""' known.json && run two_bugs "${update[@]}" --reason 'not known yet' >/dev/null 2>&1
expect 'both are known' 0 'conforms but for' run two_bugs "${known[@]}"
expect 'mended ones are told as such' 2 '^of [0-9]+ fixed known failures one of each kind was shown' run good "${known[@]}" --output fixed.jsonl
cp output said
expect 'and no failures' 1 '^0$' grep -cE '^of .* failures? and|[0-9]+ failures one of' said
expect 'with what takes them out' 0 'no failure any more; --update-known-failures takes it out of the known failures' cat said
"$gathercheck" report fixed.jsonl --format markdown >fixed.md
expect 'Markdown has them apart' 0 '^### Fixed: known failures that fail no more$' cat fixed.md
expect 'by what they were known as' 0 '^- \*\*engine\*\* [0-9]+ executions, e\.g\. onnx\.Gather-13 .*; known as: .*index-clamped' cat fixed.md
expect 'and no failures there' 1 '^0$' grep -c '^### Failures' fixed.md
"$gathercheck" claim fixed.jsonl >fixed_claim.md
expect 'a claim counts them' 0 '\| unsupported \| fixed \|$' cat fixed_claim.md
expect 'under a verdict' 1 '^0$' grep -c 'no verdict' fixed_claim.md
expect 'and says what that is' 0 '"Fixed" are known failures that fail no more' cat fixed_claim.md
expect 'some fixed and some not' 1 '^of 2 failures and [0-9]+ fixed known failures one of each kind was shown' run first_axis "${known[@]}" --failures 2

# --- the claim
run good --output good.jsonl >/dev/null
expect 'a claim says what is claimed' 0 '^- claimed: onnx\.Gather-13: data f32 with indices i64$' "$gathercheck" claim good.jsonl
finish
