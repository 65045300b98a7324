#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz as a user meets it. usage: tools/tests/fuzz.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

fuzz() { "$gathercheck" fuzz "$@"; }

# --- what conforms
expect 'the optimized rows answer as the reference does' 0 'optimized [^ ]*, seed 11: 20000 calls in .*; none fails' \
  "$gathercheck" fuzz --seed 11 --count 20000
expect 'the reference is held against the equations' 0 'reference [^ ]*, seed 11: 5000 calls in .*; none fails' \
  "$gathercheck" fuzz --implementation reference --seed 11 --count 5000
expect 'what of the space was met is told' 0 'met: 25 of 25 operator versions, 30 of 30 types of data, 8 of 8 of indices' \
  "$gathercheck" fuzz --seed 11 --count 20000
expect 'a worker is asked through the protocol' 0 'program [^ ]*, seed 3: 1000 calls in .*; none fails' \
  "$gathercheck" fuzz --implementation "program=exec:'$gathercheck' worker --reference" --seed 3 --count 1000

# --- what does not
found=$(mktemp -d)/found
planted=(--implementation mutant:index-clamped --filter operator=onnx.Gather-13 --seed 1)
expect 'a planted bug is found, and shrunk to one element' 1 'call: data f32 \[1\] = \[1\], indices i64 \[1\] = \[1\], axis 0; route runtime/static' \
  "$gathercheck" fuzz "${planted[@]}" --count 5000 --corpus "$found"
expect 'with the rule that it breaks' 1 'rule onnx.gather-13.indices.error: One index outside the range makes the call an error' \
  "$gathercheck" fuzz "${planted[@]}" --count 5000
expect 'what is kept is cases' 0 'conforms' "$gathercheck" run --cases "$found/cases" --implementation reference
expect 'which show the bug' 1 'does not conform' "$gathercheck" run --cases "$found/cases" --implementation mutant:index-clamped
drafts=("$found"/findings/fuzz-onnx-gather-13-accepted-what-must-be-rejected-*.json)
if python3 -c 'import jsonschema' 2>/dev/null; then
  expect 'with the draft of a finding' 0 '^valid$' sh -c 'sed "s/\"reproducer\": \"\"/\"reproducer\": \"to-be-written.c\"/" "$1" | python3 -B "$0/tools/tests/validate.py" "$0/conformance/schemas" findings' "$root" "${drafts[0]}"
fi
expect 'that says what was seen' 0 '"statement": "expected the error index_out_of_bounds, got f32' cat "${drafts[0]}"
expect 'how grave it is' 0 '"severity": "missing error"' cat "${drafts[0]}"
expect 'and what breaks' 0 '"onnx.gather-13.indices.error"' cat "${drafts[0]}"
expect 'and are asked again' 1 'accepted what must be rejected \(onnx.gather-13.indices.error, clamp\)' \
  "$gathercheck" fuzz --implementation mutant:index-clamped --replay "$found"
expect 'nobody else goes on with its folder' 4 'state.json: it is of mutant:index-clamped, shard 1/1, not of optimized, shard 1/1; give --corpus another folder' \
  "$gathercheck" fuzz --implementation optimized --count 10 --corpus "$found"
expect 'until they pass' 0 'none fails' "$gathercheck" fuzz --implementation optimized --replay "$found"
expect 'a bug of larger calls is shrunk too' 1 'wrong value|accepted' \
  "$gathercheck" fuzz --implementation mutant:rows-counted-in-u8 --seed 2 --count 60000

# --- what an earlier call left
remembered=(--implementation mutant:error-remembered --filter operator=onnx.Gather-13 --seed 1)
expect 'a call that fails only behind another one is told with it' 1 'only behind: onnx.Gather-13, data' \
  "$gathercheck" fuzz "${remembered[@]}" --count 5000 --corpus "$found-behind"
repeat=$(grep -oE 'again: gathercheck fuzz .*' output | sed 's/^again: gathercheck //')
expect 'and with the command that shows it again' 1 'only behind: onnx.Gather-13, data' sh -c '"$0" $1' "$gathercheck" "$repeat"
expect 'its case tells of it too' 0 'only behind onnx.Gather-13, data' cat "$found-behind"/cases/*.json
expect 'where attributes differ, too' 1 'call: .*batch_dims 1; route' \
  "$gathercheck" fuzz --implementation mutant:batch-dims-of-first-call --filter operator=onnx.GatherND-13 --seed 1 --count 5000

# --- nothing is told of a call that what was asked before it makes fail
for seed in 1 2; do
  "$gathercheck" fuzz --implementation mutant:answer-of-first-call --seed $seed --count 3000 --corpus "$found-state-$seed" >told
  expect "what is told of a bug of state is shown again, seed $seed" 0 '^[1-9][0-9]* of them, 0 show nothing$' bash -c '
    none=0 all=0
    while read -r again; do
      all=$((all + 1))
      eval "$0 ${again#*again: gathercheck }" >/dev/null 2>&1
      [ $? = 1 ] || none=$((none + 1))
    done < <(grep "again: " told)
    echo "$all of them, $none show nothing"' "$gathercheck"
done
# It has negative indices count from the size of the first dimension, and starts once.
sed -E 's/index % size\) \* inner/(index + shape[0] if index < 0 else index)) * inner/; s/^import struct/import os, struct, sys\nif os.path.exists("started"):\n    sys.exit(1)\nopen("started", "w").close()/' \
  "$root/tools/examples/my_worker.py" >once.py
expect 'a program that does not start a second time' 0 'os.path.exists' cat once.py
expect 'is not said to pass alone' 0 '^0$' bash -c '
  PYTHONPATH=$1/conformance/adapters "$0" fuzz --implementation "exec:python3 once.py" --seed 1 --count 600 >told
  grep -q "fail, of" told && grep -c "not by itself" told; true' "$gathercheck" "$root"
# It hangs on rows of several elements.
sed -E 's/^    size, inner = .*/&\n    if inner > 1:\n        time.sleep(600)/; s/^import struct/import struct, time/' "$root/tools/examples/my_worker.py" >hangs.py
expect 'a program that hangs is told of in time' 1 'timeout \(a legal call\)' timeout 45 env PYTHONPATH="$root/conformance/adapters" \
  "$gathercheck" fuzz --implementation 'exec:python3 hangs.py' --seed 1 --shrink-seconds 1 --seconds 3 --time-limit 1
expect 'values that have no literal are kept by their bits' 1 'again: gathercheck run' \
  "$gathercheck" fuzz --implementation mutant:nf4-comes-out-as-u4 --seed 1 --count 3000 --corpus "$found-nf4"
expect 'and can be read again' 1 'wrong type|wrong value|fail, of' "$gathercheck" fuzz --implementation mutant:nf4-comes-out-as-u4 --replay "$found-nf4"
expect 'a folder that cannot be written is refused before anything is asked' 4 'cannot be written; give --corpus a folder that can' \
  "$gathercheck" fuzz --count 100000000 --corpus /dev/null/here
expect 'no count below one' 4 "'-1' is no whole number from 1" "$gathercheck" fuzz --count -1
expect 'calls are asked from a number on' 0 'seed 5: 100 calls' "$gathercheck" fuzz --seed 5 --from 1000 --count 100
expect 'not beside a folder that says where' 4 'give no --from beside it' "$gathercheck" fuzz --from 3 --resume --corpus "$found"

limited() { bash -c 'ulimit -v 3000000; exec "$@"' limited "$@"; }
# A sanitizer reserves more addresses than such a limit leaves.
if limited "$gathercheck" --version >/dev/null 2>&1; then
  expect 'no call needs much memory, shrunk ones neither' 1 'model-keeps-axis [^ ]*, seed 4: 12000 calls in .* fail, of' \
    limited "$gathercheck" fuzz --implementation mutant:model-keeps-axis --seed 4 --count 12000
fi

expect 'of every planted bug it is told how long it took' 0 '2 of 2 mutants are found by generated calls, seed 1; medians: .* s, . elements' \
  "$gathercheck" mutants --fuzz 60 --mutant index-clamped --mutant data-column-major
expect 'what texts need not reject need not be found' 0 'no-check-axis-given +not found \(nor need it be' \
  "$gathercheck" mutants --fuzz 0.2 --mutant no-check-axis-given

# --- the same seed, the same calls
without_time() { fuzz "$@" --format json | grep -v '"seconds'; }
first=$(without_time "${planted[@]}" --count 4000)
second=$(without_time "${planted[@]}" --count 4000)
same() { [ "$1" = "$2" ] && echo same; }
expect 'the same seed finds the same' 0 '^same$' same "$first" "$second"
failed() { fuzz "${planted[@]}" --format json "$@" | sed -n 's/^  "failed": \([0-9]*\).*/\1/p'; }
whole=$(failed --count 4000)
halves=$(($(failed --count 2000 --shard 1/2) + $(failed --count 2000 --shard 2/2)))
expect 'shards share the calls' 0 '^same$' same "$whole" "$halves"
fuzz "${planted[@]}" --count 1000 --corpus "$found-2" >/dev/null
expect 'a fuzzing goes on where it was' 1 '"calls": 3000' "$gathercheck" fuzz "${planted[@]:0:4}" --resume --corpus "$found-2" --count 3000 --format json
expect 'and the folder knows it' 0 '"next": 4000' cat "$found-2/state.json"

# --- which of the known findings were met
cat >known.json <<'END'
{
  "implementation": "mutant:index-clamped",
  "versions": ["*"],
  "failures": [
    {
      "case": "gather-empty-output-with-bad-index",
      "operator": "onnx.Gather-13",
      "route": {"operands": "runtime", "shapes": "static"},
      "outcomes": ["accepted what must be rejected"],
      "finding": "tract-bad-index-in-empty-output"
    },
    {
      "case": "gather-rank-1-first-axis",
      "operator": ["onnx.Gather-13", "onnx.Gather-1"],
      "route": {"operands": "runtime", "shapes": "static"},
      "outcomes": ["crash"],
      "finding": "onnxruntime-string-rows"
    },
    {
      "case": "gather-nd-described-batch-dims-minus-100",
      "operator": "onnx.GatherND-13",
      "route": {"operands": "runtime", "shapes": "static"},
      "outcomes": ["crash"],
      "finding": "onnxruntime-negative-batch-dims"
    }
  ]
}
END
expect 'known findings of the operators asked are met, or not' 0 'known findings: calls like 1 of 2 fail; not met: onnxruntime-string-rows$' \
  "$gathercheck" fuzz "${planted[@]}" --count 500 --known-failures known.json
expect 'in JSON too' 0 '"met_findings": \["tract-bad-index-in-empty-output"\]' \
  sh -c '"$0" fuzz "$@" | tr -d " \n" | sed "s/:\[/: [/g"' "$gathercheck" "${planted[@]}" --count 500 --known-failures known.json --format json

# --- what breaks no rule
expect 'no rule is broken where none may be' 0 ' 20000 legal calls, 0 that break 0 of 42 checks' "$gathercheck" fuzz --legal-only --seed 11 --count 20000

# --- what is refused
expect 'no filter of cases' 4 'operator=, type= and route= only' "$gathercheck" fuzz --filter case=gather-x
expect 'no empty space' 4 'claims nothing of what the filter leaves' "$gathercheck" fuzz --filter operator=nothing
expect 'no resume without a folder' 4 'give --corpus FOLDER too' "$gathercheck" fuzz --resume
expect 'no resume of another seed' 4 'its seed is 1' "$gathercheck" fuzz "${planted[@]:0:4}" --resume --corpus "$found-2" --seed 5
expect 'no resume of another implementation' 4 'it is of mutant:index-clamped' "$gathercheck" fuzz --resume --corpus "$found-2"
damaged() {
  mkdir -p damaged
  printf '%s' "$1" >damaged/state.json
  "$gathercheck" fuzz "${planted[@]:0:4}" --resume --corpus damaged
}
expect 'no resume of a state that lacks what it must hold' 4 'state.json: .*seed' damaged '{"implementation": "mutant:index-clamped", "shard": "1/1", "next": 5}'
expect 'or holds something else' 4 'state.json: /next: is no whole number from 0' \
  damaged '{"implementation": "mutant:index-clamped", "shard": "1/1", "seed": 1, "next": -5}'
expect 'or is no object' 4 'state.json: ' damaged '[]'
expect 'no unknown implementation' 4 "there is no implementation 'mutant:none'" "$gathercheck" fuzz --implementation mutant:none
expect 'no bad share' 4 'is no share like 1/4' "$gathercheck" fuzz --shard 5/4

finish
