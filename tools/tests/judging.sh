#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Nobody is accused of what no sentence demands: workers that do what the texts leave to them conform.
# usage: tools/tests/judging.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
run() { "$gathercheck" run --sweeps none --filter 'case=gather-index-*' --filter 'case=gather-axis-*' "$@"; }
# changed NAME SED [FILE]: the example worker (or that file), changed.
changed() {
  local from=${3:-$root/tools/examples/my_worker.py}
  sed -E "$2" "$from" >"$1.py"
  cmp -s "$1.py" "$from" && echo "FAILED: $1 is $from itself" && failed=$((failed + 1))
}
at_work='worker.engine_at_work\(lambda error: '

# --- unsupported
changed helpless "s/$at_work.*/${at_work}worker.Unsupported(str(error))):/"
expect 'an index out of bounds need not be supported' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 helpless.py' --output run.jsonl
expect 'and is shown as unsupported' 0 '"case":"gather-index-size-plus-1-i64[^"]*","verdict":"unsupported"' whole run.jsonl
changed idle "s/^( *)data, indices = self.operands.*/&\n\1if not indices.count:\n\1    raise worker.Unsupported('no index')/"
expect 'a legal call that is claimed must be' 1 'unsupported though claimed' run --implementation 'exec:python3 idle.py'

# --- phases
changed late 's/"(build|shape)"\)/"run")/'
expect 'an error may be found in any phase' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 late.py'
changed early 's/"(shape|run)"\)/"build")/'
expect 'be it late or early' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 early.py' --output run.jsonl
expect 'the phase is recorded' 0 '"case":"gather-axis-error-in-shape-phase","verdict":"pass","outcome":"rejected","phase":"build"' whole run.jsonl

# --- described calls
full=$root/conformance/tests/adapters_v1/full.py
changed describes 's/^    except No as no:/&\n        if message["message"] == "describe":\n            return {"seq": seq, "descriptor": {"type": message["inputs"]["data"]["type"], "shape": None}}/' "$full"
expect 'inference of shapes may leave an error to the run' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 describes.py' --output run.jsonl
expect 'which is recorded' 0 '"case":"gather-axis-shape-only-out-of-range",.*"verdict":"pass","outcome":"descriptor","class":"left to the run"' whole run.jsonl
changed runs 's/    if not -rank <= axis < rank:/    if call["message"] == "run" and not -rank <= axis < rank:/' "$full"
expect 'the run must find it all the same' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 runs.py'
changed clamps 's/    if not -rank <= axis < rank:/    if False:/' "$full"
expect 'or fails' 1 'accepted what must be rejected' run --implementation 'exec:python3 clamps.py'
# --- values of attributes
none='s/^    axis, batch = axis % rank.*/&\n    if batch != 0:\n        raise Cannot()/; s/^class No.*/class Cannot(Exception):\n    pass\n\n\n&/; s/^    except No as no:/    except Cannot:\n        return {"seq": seq, "unsupported": "batch dimensions"}\n&/'
changed flat "$none" "$full"
batch() { "$gathercheck" run --sweeps none --filter 'case=gather-batch-dims-*' --filter 'case=gather-axis-*' "$@"; }
expect 'who claims batch dimensions and has none fails' 1 'unsupported though claimed' batch --implementation 'exec:python3 flat.py'
changed modest 's/^            "axis": .*/&\n            "attributes": {"batch_dims": [0]},/' flat.py
expect 'who claims batch_dims 0 alone conforms' 0 'conforms \(exit 0\)' batch --implementation 'exec:python3 modest.py' --output run.jsonl
expect 'and was asked calls without the attribute' 0 '"case":"gather-axis-first[^"]*","verdict":"pass"' whole run.jsonl
expect 'not legal ones with another value' 1 '^0$' grep -c '"case":"gather-batch-dims-shape-only-axis-behind"' run.jsonl
expect 'but what must be rejected' 0 '"case":"gather-batch-dims-[^"]*","verdict":"unsupported"' whole run.jsonl
sed 's/"batch_dims": \[0\]/"batchdims": [0]/' modest.py >misspelt.py
expect 'an attribute that no version has is refused' 3 'claim 0: "attributes" names "batchdims", an attribute that no operator version of the claim has' \
  batch --implementation 'exec:python3 misspelt.py'
expect 'by smoke with its place' 3 'at /claims/0/attributes/batchdims: ' "$gathercheck" smoke 'exec:python3 misspelt.py'
# --- a witness
changed clamping 's/^    if any\(not -size.*/    indices = [max(-size, min(index, size - 1)) for index in indices]/; /^        raise IndexError/d'
expect 'who clamps fails' 1 '^FAIL .*' run --implementation 'exec:python3 clamping.py'
changed witness 's/^    name, version/    witness = True\n&/' clamping.py
witness=(--implementation 'exec:python3 witness.py')
expect 'a witness differs, and is no failure' 0 'differences of a witness, which promises nothing \(exit 0\)' run "${witness[@]}" --output run.jsonl
cp output differences
expect 'each is shown' 0 '^DIFFERENCE .*exec:python3 witness.py .*gather-index-' cat differences
expect 'and counted' 0 '^implementation +version +pass +fail +difference ' cat differences
expect 'recorded with its kind' 0 '"verdict":"difference",.*"failure":"accepted what must be rejected"' cat run.jsonl
expect 'as is who it is' 0 '"record":"implementation".*"witness":true' cat run.jsonl
expect 'to the strict one that is not recorded is news' 2 'a difference of this witness is not among its known failures' run "${witness[@]}" --strict
expect 'they are written down as failures are' 0 'added: [1-9]' run "${witness[@]}" --update-known-failures --reason 'it clamps' --known-failures known.json
expect "as those of a witness" 0 "\"witness\": true" cat known.json
expect 'and are known then' 0 'known failure' run "${witness[@]}" --known-failures known.json --strict
cp output known
expect 'all of them' 0 '^0$' sh -c 'grep -c "^DIFFERENCE" known; true'
sed 's/    indices = .max.*/    pass/' witness.py >dies.py
sed -i 's/^    starts = /    if any(not -size <= index < size for index in indices):\n        import os; os.abort()\n&/' dies.py
expect 'a crash of a witness is a crash' 1 '^CRASH ' run --implementation 'exec:python3 dies.py'
expect 'no statement says that a witness conforms' 1 'Result: \*\*[0-9]+ differences of a witness, which promises none of the specifications: nothing is claimed\*\*' "$gathercheck" claim run.jsonl
expect 'nor that it holds' 1 '"holds": ?false' "$gathercheck" claim run.jsonl --format json
expect 'nor does its badge' 0 '>[0-9]+ differences, a witness<' "$gathercheck" report run.jsonl --format badge
expect 'JUnit skips them' 0 'failures="0" .*skipped="[1-9]' "$gathercheck" report run.jsonl --format junit
cp output junit
expect 'with the reason' 0 'message="difference of a witness: accepted what must be rejected: ' cat junit
expect 'Markdown has them under their name' 0 '^### Differences' "$gathercheck" report run.jsonl --format markdown
expect 'and so has the page' 0 '"counts":\{[^}]*"difference":[1-9]' "$gathercheck" report run.jsonl --format page-data
# --- a case that is wrong
cat >wrong.json <<'END'
{"cases": [
  {"id": "wrong-value", "title": "one element of three", "axis": 0,
   "inputs": {"data": {"type": "f32", "shape": [3], "values": [1, 2, 3]}, "indices": {"type": "i64", "shape": [1], "values": [1]}},
   "expect": [{"for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.semantics.slice-per-entry"],
               "output": {"type": "f32", "shape": [1], "values": [3]}}]},
  {"id": "wrong-attribute", "title": "an attribute that the operator has not", "attributes": {"axes": 0},
   "inputs": {"data": {"type": "f32", "shape": [3], "values": [1, 2, 3]}, "indices": {"type": "i64", "shape": [1], "values": [1]}},
   "expect": [{"for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.semantics.slice-per-entry"],
               "output": {"type": "f32", "shape": [1], "values": [2]}}]}]}
END
expect 'nobody is said to misread a case that is wrong' 1 \
  'diagnosis: optimized: 2 failures are what the reference answers, too: the case may be wrong, as gathercheck check wrong.json tells \(wrong-[a-z]*\)$' \
  "$gathercheck" run --cases wrong.json --implementation optimized
expect 'smoke shows what differs, and is content' 0 '^warning +call ' "$gathercheck" smoke 'exec:python3 witness.py'
finish
