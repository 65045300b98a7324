#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Workers that claim few element types: they are asked the hand-written cases in those, and what is wrong with them shows without a
# sweep. usage: tools/tests/narrow.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
run() { "$gathercheck" run --sweeps none "$@"; }
# changed NAME SED: the example worker, changed.
changed() {
  sed -E "$2" "$root/tools/examples/my_worker.py" >"$1.py"
  cmp -s "$1.py" "$root/tools/examples/my_worker.py" && echo "FAILED: $1 is the example itself" && failed=$((failed + 1))
}
narrow='s/"data": \[[^]]*\], "indices": \[[^]]*\]/"data": ["f32"], "indices": ["i64"]/'

# --- how much is asked
# asked OPERATOR DATA INDICES: how many different calls one who claims these gets.
asked() {
  printf '{"message":"hello","protocol":1,"implementation":{"name":"x"},"claims":[{"operators":["%s"],"data":["%s"],"indices":["%s"]}]}' "$@" >claims.json
  "$gathercheck" calls --sweeps none --claims claims.json --output calls.jsonl 2>&1 | grep -oE '^[0-9]+'
}
# nearly A B: whether A is at least nine tenths of B.
nearly() { [ "$1" -gt 100 ] && [ $(($1 * 10)) -ge $(($2 * 9)) ] && echo "nearly as many: $1 of $2"; }
expect 'GatherND-8 with i32 indices is asked as much as with i64' 0 '^nearly as many' \
  nearly "$(asked openvino.GatherND-8 f32 i32)" "$(asked openvino.GatherND-8 i32 i64)"
expect 'GatherElements-13 of doubles is asked as much as of i32' 0 '^nearly as many' \
  nearly "$(asked onnx.GatherElements-13 f64 i64)" "$(asked onnx.GatherElements-13 i32 i64)"

# --- a good worker
changed good "$narrow"
good="exec:python3 good.py"
expect 'a worker that claims f32 and i64 alone conforms' 0 'conforms \(exit 0\)' run --implementation "$good" --output good.jsonl
by_itself good.jsonl
expect 'retyped cases are recorded by their own ids' 0 '"case":"gather-axis-first/data=f32"' grep -F '/data=f32' good.jsonl
expect 'and pass' 0 '^pass$' sh -c 'grep "/data=f32" good.jsonl | grep -o "\"verdict\":\"[a-z ]*\"" | sort -u | sed "s/.*:\"//; s/\"//" | head -n 1'
expect 'what must be rejected is asked as it is written too' 0 '"case":"[a-z0-9-]*","verdict":"unsupported"' cat good.jsonl
expect 'who claims everything is asked nothing in other types' 0 'conforms' run --implementation reference --output wide.jsonl
expect 'not one' 0 '^0$' sh -c 'grep -cE "/(data|indices)=[a-z0-9]*\"" wide.jsonl; true'

# --- a filter, an explanation
expect 'the written id selects the retyped case' 0 '^1 execution of 1 case' run --implementation "$good" --filter case=gather-axis-first
expect 'as does its own' 0 '^1 execution of 1 case' run --implementation "$good" --filter case=gather-axis-first/data=f32
expect 'in types that are not the nearest claimed ones it is not run' 3 'nothing passed' run --implementation "$good" --filter case=gather-axis-first/data=f64
expect 'it is explained' 0 '^gather-axis-first/data=f32/indices=i32$' "$gathercheck" explain gather-axis-first/data=f32/indices=i32
mv output said
expect 'in its types' 0 'data: f32 \[' cat said
expect 'and as made of another' 0 '^Retyped: gather-axis-first in the element types of its id' cat said
expect 'no case in types that it cannot have' 4 "there is no case 'gather-axis-first/data=string'" "$gathercheck" explain gather-axis-first/data=string

# --- mistakes that do not depend on types
changed first_size "$narrow; s/index % size\) \* inner/(index + shape[0] if index < 0 else index)) * inner/"
wrong="exec:python3 first_size.py"
expect 'negative indices that count from the size of the first dimension' 1 '^FAIL .*/data=f32$' run --implementation "$wrong" --output wrong.jsonl --failures 1000
repeat=$(grep -oE '^ *repeat: .*/data=f32.*' output | head -n 1 | sed 's/^ *repeat: //')
expect 'the line that repeats a failure shows it alone' 1 '^1 execution of 1 case' sh -c "$repeat"
cat >elements.py <<'PY'
import itertools, math, struct
import gathercheck.worker as worker
channel = worker.take_over_standard_streams()


class Elements:
    name, version = "elements", "1"
    claims = [{"operators": ["onnx.GatherElements-13"], "data": ["f32"], "indices": ["i64"]}]

    def run(self, call):
        if list(call.inputs) != ["data", "indices"]:
            raise worker.Rejected("operands", "build")
        axis = call.attributes.get("axis", 0)
        if type(axis) is not int or set(call.attributes) - {"axis"}:
            raise worker.Rejected("attributes", "build")
        data, indices = call.inputs.values()
        if data.type.name != "f32" or indices.type.name != "i64":
            raise worker.Unsupported("a type")
        rank = len(data.shape)
        if rank == 0 or len(indices.shape) != rank or not -rank <= axis < rank:
            raise worker.Rejected("ranks", "shape")
        axis %= rank
        if any(a > b for k, (a, b) in enumerate(zip(indices.shape, data.shape)) if k != axis):
            raise worker.Rejected("shapes", "shape")
        picks, size = struct.unpack(f"<{indices.count}q", indices.raw), data.shape[axis]
        if any(not -size <= pick < size for pick in picks):
            raise worker.Rejected("an index", "run")
        strides = [math.prod(data.shape[k + 1 :]) for k in range(rank)]
        raw = bytearray()  # bytes are copied whole at each +=
        for at, pick in zip(itertools.product(*map(range, indices.shape)), picks):
            place = sum((pick % size if k == axis else at[k]) * strides[k] for k in range(rank))
            place %= max(data.count, 1)
            raw += data.raw[4 * place : 4 * place + 4]
        return worker.Tensor(data.type, indices.shape, bytes(raw))


worker.serve(channel, Elements())
PY
expect 'a good GatherElements of f32 and i64 alone conforms' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 elements.py'
sed 's/math.prod(data.shape\[k/math.prod(indices.shape[k/' elements.py >strides.py
expect "data's strides from the shape of the indices" 1 '^FAIL .*/data=f32$' run --implementation 'exec:python3 strides.py' --failures 1000
changed two_claims 's/claims = .*/claims = [{"operators": ["onnx.Gather-13"], "data": ["f32"], "indices": ["i32"]}, {"operators": ["onnx.Gather-13"], "data": ["u8"], "indices": ["i64"]}]/
  s/if tensor.type.name not in .*/if (call.inputs["data"].type.name, call.inputs["indices"].type.name) not in (("f32", "i32"), ("u8", "i64")):/'
expect 'types go together within one claim only' 0 'conforms \(exit 0\)' run --implementation 'exec:python3 two_claims.py' --output two.jsonl
expect 'both are used' 0 '/data=u8"' cat two.jsonl
expect 'the nearer one too' 0 '/indices=i32"' cat two.jsonl

# --- known failures, runs that go on, answers by file
expect 'failures are written down' 1 'added: [1-9]' run --implementation "$wrong" --update-known-failures --known-failures known.json
sed -i 's/"reason": ""/"reason": "negative indices"/' known.json
expect 'by the retyped ids' 0 '/data=f32"' cat known.json
expect 'and confirmed' 0 'exit 0' run --implementation "$wrong" --known-failures known.json
expect 'a check knows them' 0 'known' "$gathercheck" check --known-failures known.json
sed '0,/gather-[a-z0-9-]*\/data=f32/s//gather-of-nothing\/data=f32/' known.json >unknown.json
expect 'and ids of no case' 4 'the suite has no case gather-of-nothing/data=f32' "$gathercheck" check --known-failures unknown.json
by_itself wrong.jsonl
lines=$(grep -n '/data=f32' wrong.jsonl | sed -n '20s/:.*//p')
head -n "$lines" wrong.jsonl >short.jsonl
expect 'a run that was cut short goes on' 1 'exit 1' "$gathercheck" run --resume short.jsonl --trust-record
executions() { whole "$1" | grep '"verdict"' | sed 's/,"us":[0-9]*//'; }
executions wrong.jsonl >first
executions short.jsonl >second
expect 'to the same records' 0 '^same$' sh -c 'cmp first second && echo same'
python3 good.py <<<'{"message":"hello","protocol":{"min":1,"max":1}}' >hello.json
expect 'calls are retyped for claims' 0 'calls$' "$gathercheck" calls --sweeps none --claims hello.json --output calls.jsonl
python3 first_size.py <calls.jsonl >answers.jsonl
expect 'and their answers are judged' 1 '^FAIL .*/data=f32$' "$gathercheck" judge --calls calls.jsonl --answers answers.jsonl --failures 1000
expect 'of calls for anybody the written ones alone are judged' 0 'calls$' "$gathercheck" calls --sweeps none --filter operator=onnx.Gather-13 --output calls.jsonl
python3 good.py <calls.jsonl >answers.jsonl
expect 'and conform' 0 'conforms' "$gathercheck" judge --calls calls.jsonl --answers answers.jsonl
finish
