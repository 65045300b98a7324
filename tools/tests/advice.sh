#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a newcomer is told: slips on the command line, claims that a filter misses, warnings by kind, reports and statements that add up.
# usage: tools/tests/advice.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
run() { "$gathercheck" run --sweeps none "$@"; }
# damaged NAME SED: the example worker, changed; $it is what --implementation is given.
damaged() {
  sed -E "$2" "$root/tools/examples/my_worker.py" >"$1.py"
  it="exec:python3 $1.py"
}
good="exec:python3 $root/tools/examples/my_worker.py"
narrow=(--filter operator=onnx.Gather-13 --filter 'case=gather-axis*' --filter 'case=gather-index-one-past*')

# --- slips
expect 'an option that is nearly one' 4 'run takes no .--outpt.; near it: --output; .gathercheck run --help' run --outpt x.jsonl
expect 'an implementation that is nearly one' 4 "no implementation 'onnxrutime'; near it: onnxruntime; .gathercheck list implementations. shows all" \
  run --implementation onnxrutime
expect 'a verb that is nearly one' 4 "no verb 'ruun'; near it: run;" "$gathercheck" ruun
expect 'quotes that were forgotten' 4 "put that in quotes: 'exec:python3 my_worker.py'" run --implementation exec:python3 my_worker.py
expect 'a program without exec:' 4 "a program is 'exec:python3 my_worker.py', in quotes; there are reference" run --implementation 'python3 my_worker.py'
cp "$root/tools/examples/my_worker.py" here.py
expect 'a file without exec:' 4 "a program is 'exec:python3 here.py', in quotes" run --implementation here.py
expect 'an operator without its specification' 4 'near it: onnx.Gather-13' run --filter operator=Gather-13
echo '{ "implementation": "foo", "versions": "*", "failures": [] }' >known.json
expect 'known failures of what is no implementation' 4 "not run; add --implementation 'foo=exec:COMMAND LINE'" \
  run --implementation reference --known-failures known.json
expect 'known failures as cases' 4 'known.json is a file of known failures; gathercheck check --known-failures known.json' "$gathercheck" check known.json
expect 'a file of known failures that is not there' 4 'none.json is not there; with --update-known-failures the run makes it' \
  run --implementation reference --known-failures none.json

# --- explain
expect 'an operator version is explained' 0 '^    onnx.gather-13.indices.error: ' "$gathercheck" explain onnx.Gather-13
expect 'a planted bug is explained' 0 'what is wrong: indices out of bounds are clamped to the range' "$gathercheck" explain index-clamped
expect 'which a diagnosis may name' 0 '^index-clamped, a planted bug \(.*\), and a misreading that the diagnosis names' "$gathercheck" explain index-clamped
expect 'what depends on more than the call is none' 0 '^axis-of-first-call, a planted bug \([a-z]*\)$' "$gathercheck" explain axis-of-first-call
expect 'a finding is explained' 0 '^  breaks onnx.gather-nd-13.batch_dims.negative ' "$gathercheck" explain onnxruntime-negative-batch-dims
expect 'as its own verb does' 0 '^the same$' sh -c '"$1" explain onnxruntime-string-rows >a; "$1" findings onnxruntime-string-rows >b; cmp a b && echo the same' sh "$gathercheck"
expect 'a clarification is explained' 0 '^It leaves open:' "$gathercheck" explain empty-tensors
expect 'as its own verb does' 0 '^the same$' sh -c '"$1" explain empty-tensors >a; "$1" clarifications empty-tensors >b; cmp a b && echo the same' sh "$gathercheck"
expect 'a case names what is open of it' 0 '^Open point: .*\(gathercheck clarifications empty-tensors\)$' "$gathercheck" explain gather-empty-behind-axis
expect 'not of another operator version' 1 '^0$' sh -c '"$1" explain gather-axis-middle --for openvino.Gather-8 | grep -c text-trailing-coordinates' sh "$gathercheck"
expect 'a category of errors leads to its rules' 0 '^    onnx.gather-nd-13.indices.last-dim: ' "$gathercheck" explain index_tuple_too_long
expect 'an unknown name brings those near it' 4 'near it: onnx.gather-13.indices.error' "$gathercheck" explain onnx.gather-13.indices.eror
expect 'of findings as well' 4 'near it: onnxruntime-string-rows' "$gathercheck" explain onnxruntime-strings-rows
expect 'another cause, too' 0 'what is wrong: an index equal to the size of the axis passes the check' "$gathercheck" explain index-s-unchecked
expect 'with the rules that a failure names' 0 '^    onnx.gather-nd-13.batch_dims.range \(' \
  "$gathercheck" explain gather-nd-batch-dims-minus-2 --for onnx.GatherND-13
cp output said
expect 'what is not specified is told as that' 0 '^  any answer conforms: ' cat said
expect 'a reading is not taken where another is' 0 '^  readings that are not taken:$' "$gathercheck" explain gather-index-one-past-the-end --for onnx.Gather-13
expect 'and may be where none is' 0 '^  answers that readings would give:$' "$gathercheck" explain gather-index-one-past-the-end --for openvino.Gather-1
expect 'mutants of other operators are not asked' 0 '1 of 1 mutants caught' \
  "$gathercheck" mutants --filter operator=onnx.Gather-13 --filter 'case=gather-axis*' --mutant axis-ignored --mutant batch-dims-ignored
expect 'and where there are only such' 4 'none of these mutants is about an operator version' \
  "$gathercheck" mutants --filter operator=onnx.Gather-13 --mutant batch-dims-ignored

# --- what a filter leaves
expect 'what is claimed is told where nothing is left' 3 'it claims nothing of what the filter leaves; it claims onnx.Gather-13 \(data .*f32.*; indices i32, i64\)' \
  run --implementation "$good" --filter operator=onnx.Gather-11
damaged f32_only 's/"u8", "f32", "i64"\]/"f32"]/'
expect 'the column unsupported is explained' 0 '^unsupported: calls that must or may be refused' run --implementation "$it" --filter 'case=gather-bad-*' --filter 'case=gather-axis*'

# --- calls of which nothing is specified
unspecified=(--filter operator=onnx.Gather-13 --filter case=gather-attribute-unknown)
expect 'what was done there is shown' 0 '^  rejected at build as unknown_attribute' run --implementation reference "${unspecified[@]}" --output open.jsonl
cp output said
expect 'one by one' 0 '^UNSPECIFIED  reference  onnx.Gather-13  runtime/static  gather-attribute-unknown$' cat said
expect 'as what conforms' 0 '^  any answer conforms; why: .*explain gather-attribute-unknown --for onnx.Gather-13$' cat said
expect 'and nothing more' 0 ': conforms, as any answer to these calls does \(exit 0\)$' cat said
expect 'by a report, too' 0 '^  rejected at build as unknown_attribute' "$gathercheck" report open.jsonl
damaged takes_nothing 's/^    def run\(self, call\):/&\n        raise worker.Unsupported("not yet")/'
expect 'who takes no call is not heard there' 3 'trouble: nothing passed' run --implementation "$it" "${unspecified[@]}"

# --- crashes
damaged crashes 's/^    size, inner = .*/    import os\n    os.abort()/'
expect 'a crash of Python ends in a line of yours' 1 'its stderr ends: .*File "[^"]*crashes.py", line [0-9]+ in gather' run --implementation "$it" "${narrow[@]}"
cp output said
expect 'not in one of the template' 1 '^0$' grep -c 'gathercheck/worker.py' said
expect 'of a few calls all are asked' 1 '^implementation +version +pass +fail +crash +executions$' \
  run --implementation "$it" --filter operator=onnx.Gather-13 --filter 'case=documented-onnx-gather-axis-*'

# --- warnings of one kind are one
cat >moody.py <<'PY'
import json, sys
hello = {"message": "hello", "protocol": 1, "implementation": {"name": "x"}, "claims": [{"operators": ["onnx.Gather-13"], "data": ["f32"], "indices": ["i64"]}]}
for text in sys.stdin:
    message = json.loads(text)
    if message["message"] == "goodbye":
        break
    print(json.dumps(hello if message["message"] == "hello" else {"seq": message["seq"], "nonsense": f"payload {message['seq']}"}), flush=True)
PY
run --implementation 'exec:python3 moody.py' --filter operator=onnx.Gather-13 >said 2>&1
expect 'warnings that differ in numbers and payload are folded' 0 '^[01]$' sh -c 'grep -c "^warning: .*a legal call" said || :'
printf 'import sys\nsys.stdin.readline()\nprint("Engine 3.1 loaded"); print("{}", flush=True); sys.stdin.read()\n' >prints.py
expect 'what is printed before the hello is shown' 3 'Engine 3.1 loaded' run --implementation 'exec:python3 prints.py'

damaged bad_category 's/worker.Rejected\(str\(error\), "run"\)/worker.Rejected(str(error), "run", "oops")/'
"$gathercheck" smoke "$it" >said
expect 'smoke lists the categories of errors' 0 'what to do: +leave "category" out, or give one of .*index_out_of_bounds' cat said

# --- accepted, and not the same twice
damaged unsteady 's/^    if any\(not .*/    import random\n    if any(not -size <= index < size for index in indices): return b"".join(random.choice(rows)[:-1] + bytes([random.randrange(256)]) for _ in range(math.prod(shape[:axis]) * len(indices) * inner))\n    if False:/'
expect 'what had to be refused is told as accepted' 1 \
  'expected the error index_out_of_bounds, accepted the call with answers that differ' run --implementation "$it" "${narrow[@]}"
"$gathercheck" smoke "$it" >said
expect 'by smoke, too' 0 '^FAIL +call +onnx.Gather-13: accepted what must be rejected, and not deterministic: ' cat said
expect 'with the error' 0 'which is wrong: +expected the error index_out_of_bounds; the same call' cat said
expect 'and what explains it' 0 'explained by: +gathercheck explain ' cat said

# --- known failures
damaged clamps 's/^    if any\(not .*/    indices = [min(max(index, -size), size - 1) for index in indices]\n    if False:/'
fixed=(--known-failures k.json --update-known-failures)
expect 'reasons are what the diagnosis found' 1 'the "reason" of [0-9] new executions is what the diagnosis found' \
  run --implementation "one=$it" "${narrow[@]}" "${fixed[@]}"
sed -i -E 's/"reason": ".*"/"reason": ""/' k.json
expect 'empty ones are refused' 4 'k.json: /failures/0/reason' run --implementation "one=$it" "${narrow[@]}" --known-failures k.json
expect 'and filled in' 0 'empty reasons? filled in' run --implementation "one=$it" "${narrow[@]}" "${fixed[@]}" --reason 'it "clamps"'
expect 'so that the file is accepted' 0 'conforms but for' run --implementation "one=$it" "${narrow[@]}" --known-failures k.json
expect 'what fails no more is taken out' 2 'no failure any more; --update-known-failures takes it out' run --implementation "one=$good" "${narrow[@]}" "${fixed[@]}"
cp output said
expect 'and the last line says so' 0 'disagreed, and are brought up to date: run it again \(exit 2\)' cat said
expect 'which it does' 0 'conforms' run --implementation "one=$good" "${narrow[@]}" --known-failures k.json

# --- reports and statements
run --implementation "one=$it" --filter operator=onnx.Gather-13 --output run.jsonl >of_run
"$gathercheck" report run.jsonl >of_report
expect 'a report has the failures that the run has' 0 'the same' sh -c \
  'grep -E "^(FAIL|CRASH|  and|  explained)" of_run >a; grep -E "^(FAIL|CRASH|  and|  explained)" of_report >b; [ -s a ] && cmp a b && echo the same'
expect 'with what explains them' 0 '^  explained by: .*\(index-clamped\)' cat of_report
expect 'or all of them' 1 'repeat: ' "$gathercheck" report run.jsonl --failures 0
"$gathercheck" claim run.jsonl >claim.md
cat >adds.py <<'PY'
rows = [line.split("|")[1:-1] for line in open("claim.md") if line.startswith("| onnx")]
print("adds up" if rows and all(int(row[4]) == sum(map(int, row[5:])) for row in rows) else rows)
PY
expect 'the columns of a statement add up' 0 'adds up' python3 adds.py
finish
