#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a specification allows and a worker does not claim is shown, with its engine's words where it has some, and is no failure.
# usage: tools/tests/not_implemented.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
run() { "$gathercheck" run --sweeps none "$@"; }

# --- a worker that lists what its engine refuses
sed -E 's/^    claims = .*/&\
    not_implemented = [{"operators": ["onnx.Gather-13", "onnx.Gather-11"], "data": ["c64", "c128", "of tomorrow"], "indices": ["i32", "i64"], "why": "no <complex> numbers"}]/' \
  "$root/tools/examples/my_worker.py" >lists.py
expect 'it conforms' 0 'conforms \(exit 0\)' run --implementation lists=exec:'python3 lists.py' --filter type=f32 --output run.jsonl
mv output said
expect 'what is refused is said, folded' 0 '^not implemented by lists: onnx.Gather-11,13: data c64, c128$' cat said
expect 'and what nothing is said of' 0 '^not claimed by lists: onnx.Gather-1, onnx.GatherElements-11,13, onnx.GatherND-11,12,13: all element types; onnx.Gather-11: data other than c64, c128; onnx.Gather-13: data other than u8, i64, f32, c64, c128$' cat said
expect 'nothing of another specification, which is not what the worker is about' 0 '^0$' sh -c 'grep -c "openvino" said; true'
expect 'the record has both' 0 '"claims":\[\{"operators":\["onnx.Gather-13"\].*"not_implemented":\[\{.*"why":"no <complex> numbers"' head -n 2 run.jsonl
expect 'the page for a browser' 0 '"operators":"onnx.Gather-11,13","types":"data c64, c128","why":"no <complex> numbers"' "$gathercheck" report run.jsonl --format page-data
expect 'the summary for a pull request' 0 '^not implemented by lists: onnx.Gather-11,13: data c64, c128\. not claimed' "$gathercheck" report run.jsonl --format markdown
expect 'the summary as JSON' 0 '"why": "no <complex> numbers"' run --implementation lists=exec:'python3 lists.py' --filter type=f32 --format json
expect 'a claim has it with the words' 0 '^- not implemented: onnx.Gather-11,13: data c64, c128: "no &lt;complex&gt; numbers"$' "$gathercheck" claim run.jsonl
mv output said
expect 'beside what is claimed' 0 '^- claimed: onnx.Gather-13: data u8, i64, f32$' cat said
expect 'and what is not' 0 '^- not claimed: all of openvino, onnx.Gather-1, onnx.GatherElements-11,13, onnx.GatherND-11,12,13(, all of [a-z_]+)+: all element types$' cat said
expect 'also as JSON' 0 '"unclaimed": \[' "$gathercheck" claim run.jsonl --format json
sed 's/, "why": "no <complex> numbers"//' lists.py >no_reason.py
expect 'a refusal without a reason is no hello' 3 'not_implemented 0: "why" is missing, not a string' run --implementation exec:'python3 no_reason.py'
sed 's/"why": "no <complex> numbers"/"why": ""/' lists.py >no_words.py
expect 'nor one without words' 3 'not_implemented 0: "why" is empty; give the engine' run --implementation exec:'python3 no_words.py'

# --- a worker that knows nothing of it
expect 'all that it does not claim is shown as such' 0 '^not claimed by plain: .*onnx.Gather-13: data ' run --implementation plain=exec:"python3 $root/tools/examples/my_worker.py" --filter type=f32
expect 'and nothing as refused' 0 '^0$' sh -c 'grep -c "not implemented" output; true'
expect 'whoever claims everything gets no such line' 0 '^0$' sh -c "'$gathercheck' run --sweeps none --filter gather-axis-first | grep -c 'not claimed'; true"

# --- a worker that asks its engine
cat >asks.py <<'PY'
import os
import sys
import gathercheck.worker as worker
channel = worker.take_over_standard_streams()
OPERATORS = [name for name in worker.LEGAL_TYPES if not name.startswith("openvino.GatherND")]


class Asks:
    name, version = "asks", "1"

    def __init__(self):
        self.asked = worker.Asked(OPERATORS, lambda operator: worker.routes(), self.take, together=int(sys.argv[1]))

    def take(self, calls):
        with open("asked", "a") as file:
            file.write("asked\n")
        for call in calls:
            data, indices = (call.inputs[name].type.name for name in ("data", "indices"))
            if data == "f16" and call.operator == "onnx.GatherND-13":
                os.abort()  # a death over a type is no refusal: the run will show it
            if data in ("c64", "u1") or (data == "string" and indices == "i8"):
                raise worker.Unsupported(f"in engine.cpp:\nkernel_{id(call)} has no {data}")
            if indices == "u64":
                raise worker.Rejected("u64 is a bug of mine")
            if call.shapes == "dynamic" and call.operator == "onnx.Gather-1":
                raise worker.Unsupported("no dynamic shapes")
            if call.operands == "folded" and call.operator == "onnx.Gather-11":
                raise worker.Rejected("a bug of folding, which is no lack")

    def run(self, call):
        os.abort()


worker.serve(channel, Asks())
PY
for together in 1 64; do
  rm -f asked
  expect "what it takes is asked, $together at once" 1 '^not implemented by asks: ' run --restarts 3 --implementation asks=exec:"python3 asks.py $together" --filter gather-axis-first --failures 0 --output asked.jsonl
  mv output said
  expect 'a type of data' 0 'openvino.Gather-1,7,8, openvino.GatherElements-6: data u1' cat said
  expect 'types of indices, refused by a bug' 0 'openvino.Gather-1,7,8: data other than u1 with indices u64' cat said
  expect 'a pair of types' 0 'openvino.Gather-1,7,8: data string with indices i8' cat said
  expect 'a route, for all types' 0 'onnx.Gather-1: data other than c64 by runtime/dynamic, constant/dynamic' cat said
  expect 'a bug of a route is no lack' 0 '^0$' sh -c 'grep "^not " said | grep -c "folded"; true'
  expect 'a death is none either' 0 '^0$' sh -c 'grep "^not implemented" said | grep -c f16; true'
  expect 'the words are those of the engine, without the numbers of a node' 0 '"why":"kernel has no c64"' head -n 2 asked.jsonl
  asked=$(wc -l <asked)
  run --restarts 3 --implementation asks=exec:"python3 asks.py $together" --filter gather-axis-first >/dev/null 2>&1
  expect 'a worker that died is not asked again' 0 "^$((asked * 2))$" sh -c 'wc -l <asked'
done
cat >claims_all.py <<'PY'
import gathercheck.worker as worker
channel = worker.take_over_standard_streams()
adapter = type("All", (), {"name": "all", "version": "1", "asked": worker.Asked(worker.LEGAL_TYPES, lambda operator: worker.routes(), None)})()
adapter.claims, adapter.run = adapter.asked.all(), None
del type(adapter).asked
adapter.describe = lambda call: 0 / 0
worker.serve(channel, adapter)
PY
expect 'the types that adapters know as legal are those of the table' 3 'executions' run --implementation exec:'python3 claims_all.py' --filter gather-axis-first
expect 'all of them' 0 '^0$' sh -c 'grep -c "not claimed" output; true'
finish
