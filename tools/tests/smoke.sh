#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# smoke as the author of a worker meets it: each fault is named, with what was sent, what was printed, why, and what to do.
# usage: tools/tests/smoke.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
unset PYTHONUNBUFFERED
smoke() { "$gathercheck" smoke --time-to-start "${start:-10}" --time-limit "${limit:-10}" "$@"; }

# worker NAME: standard input as a Python worker; $it is what smoke is told.
worker() {
  cat >"$1.py"
  it="exec:python3 $1.py"
}
# damaged NAME SED: the example worker, changed.
damaged() {
  sed -E "$2" "$root/tools/examples/my_worker.py" >"$1.py"
  cmp -s "$1.py" "$root/tools/examples/my_worker.py" && echo "FAILED: $1 is the example itself" && failed=$((failed + 1))
  it="exec:python3 $1.py"
}
# line NAME ANSWER: a worker that says hello and answers every call with that line; {seq} is the number.
line() {
  worker "$1" <<PY
import json, sys
for text in sys.stdin:
    message = json.loads(text)
    if message["message"] == "hello":
        print('$hello', flush=True)
    elif message["message"] == "goodbye":
        break
    else:
        print('$2'.replace("{seq}", str(message["seq"])), flush=True)
PY
}
hello='{"message":"hello","protocol":1,"implementation":{"name":"x"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"]}]}'
hello_is() { worker "$1" <<<"import sys; sys.stdin.readline(); print('$2', flush=True); sys.stdin.read()"; }

# --- good ones
good="exec:python3 $root/tools/examples/my_worker.py"
expect 'a good worker is ready, and told how to be scored' 0 'ready \(exit 0\); score it:  gathercheck run --implementation' smoke "$good"
smoke "$good" >said
expect 'its hello is shown' 0 '^ok +hello +my engine 0.1, python, cpu, answers run' cat said
expect 'calls are told by their titles' 0 '^ok +call +onnx.Gather-13: [a-z]' cat said
expect 'a dozen calls' 0 '^12$' grep -cE '^ok +call ' said
expect 'some of them must be rejected' 0 'refused|out of|outside|beyond' grep -E '^ok +call ' said
expect 'goodbye and the end of the input end it' 0 '^ok +end of input +exited with code 0' smoke "$good"
expect 'a worker with every message is ready' 0 '^ok +describe +.*' smoke "exec:python3 $root/conformance/tests/adapters_v1/full.py"
sed 's/"answers": \["run", /"answers": [/' "$root/conformance/tests/adapters_v1/full.py" >describes.py
expect 'a worker that only describes is asked that' 0 '^([5-9]|1[0-9])$' sh -c '"$1" smoke "exec:python3 describes.py" | grep -c "^ok  *describe"' sh "$gathercheck"
line silent_claims '{"seq":{seq},"broken":"x"}'
sed -i 's/f32/posit8/' silent_claims.py
expect 'a worker of which nothing can be asked is not ready' 3 'the suite has no call that the claims cover: nothing was asked' smoke "$it"
expect 'reproducers are tried' 0 '^ok +reproduce +1 lines' smoke "exec:python3 $root/conformance/tests/adapters_v1/full.py"
expect 'names that nobody knows are pointed at' 0 '/claims/0/data names "posit8", which is unknown here' smoke "exec:python3 $root/conformance/tests/adapters_v1/full.py"
damaged keeps_models 's/^    name, version/    keeps_models = True\n&/'
expect 'a worker that keeps models is asked two calls of one' 0 '^ok +sequence +onnx.Gather-13: a second call' smoke "$it"
damaged keeps_indices 's/^    name, version/    keeps_models, kept = True, {}\n&/
  s/shape, picks, axis/shape, self.kept.setdefault(call.model, picks) if call.model else picks, axis/'
expect 'and told what the second one was given' 1 'leave "models" out of "features" if it builds none' smoke "$it"
expect 'findings as JSON' 0 '"exit_code": 0' smoke "$good" --format json
damaged usual_names 's/"f32", "i64"\]/"float32"]/'
expect 'the usual names of types are translated' 0 'names "float32", which is unknown here and claims nothing; write "f32"' smoke "$it"

# --- starting
expect 'a program that is not there' 3 '^TROUBLE +start +the command cannot be run' smoke 'exec:./no_such_worker'
expect 'with the reason of the shell' 3 'its stderr ends: +.*no_such_worker' smoke 'exec:./no_such_worker'
expect 'a package that is missing is unavailable, in its own words' 3 'unavailable: it says that it cannot work here' \
  smoke "exec:python3 -c 'import sys; print(\"pip install engine\", file=sys.stderr); sys.exit(3)'"
expect 'a name in process is no program' 4 "'reference' is no program that speaks the worker protocol; smoke looks at programs" smoke reference
expect 'smoke has help with an example' 0 'gathercheck smoke .exec:python3 my_worker.py' "$gathercheck" smoke --help
expect 'where the module for workers is' 3 'what to do: +let its Python find the module: PYTHONPATH=.*/adapters, or copy the folder gathercheck' \
  env -u PYTHONPATH "$gathercheck" smoke "exec:python3 -I -c 'import sys; sys.exit(\"No module named '\\''gathercheck'\\''\")'"
worker dies_early <<<'import sys; sys.exit("no settings")'
expect 'a worker that ends before its hello' 3 'it ended before its hello' smoke "$it"
expect 'its standard error is shown' 3 'its stderr ends: +no settings' smoke "$it"
expect 'and how it ended' 3 'and then: +exited with code 1' smoke "$it"

# --- hello
worker banner <<PY
import sys
sys.stdin.readline()
print("Engine 3.1 loaded"); print('$hello', flush=True); sys.stdin.read()
PY
expect 'something before the hello' 3 'it prints something before its hello, which follows' smoke "$it"
expect 'the exact line' 3 'it printed: +Engine 3.1 loaded$' smoke "$it"
expect 'what it was sent' 3 'it was sent: +\{"message":"hello","protocol":\{"min":1' smoke "$it"
expect 'what to do' 3 'what to do: +keep standard output for messages' smoke "$it"
expect 'and where the protocol stands' 3 "the contract is /.*/conformance/protocol.md\$" env -u GATHERCHECK_SHARE "$gathercheck" smoke "$it"
expect 'which its help says, too' 0 '^The protocol: /.*/conformance/protocol.md$' env -u GATHERCHECK_SHARE "$gathercheck" smoke --help
hello_is pointer "${hello/\"f32\"/32}"
expect 'a malformed hello is pointed into' 3 'at /claims/0/data/0: claim 0: an entry of "data" is the integer 32, not a string' smoke "$it"
hello_is lacks "${hello/,\"indices\":\[\"i64\"\]/}"
expect 'a good one is shown, with a version' 3 'the shortest good one: .*"version":"1.0"' smoke "$it"
expect 'a key that is missing' 3 'at /claims/0/indices: claim 0: "indices" is missing, not a list' smoke "$it"
hello_is version "${hello/:1,/:2,}"
expect 'no common version' 3 'at /protocol: no common protocol version: it chose 2, offered were 1 to 1' smoke "$it"
hello_is nothing "${hello/onnx.Gather-13/Gather}"
expect 'no operator version that is known' 3 'names are like "onnx.Gather-13"' smoke "$it"
hello_is cut '{"message":"hello",'
expect 'no JSON' 3 'which is wrong: +not JSON' smoke "$it"
worker mute <<<'import time; time.sleep(100)'
start=0.5 expect 'no hello at all' 3 'no hello within 0.5 s' smoke "$it"
worker two <<<"import sys; sys.stdin.readline(); print('$hello'); print('$hello', flush=True); sys.stdin.read()"
expect 'more than a hello' 3 'something follows its hello' smoke "$it"

# --- keeping lines back
worker buffers <<PY
import json, sys
for text in sys.stdin:
    print('$hello' if json.loads(text)["message"] == "hello" else "{}")
PY
start=0.5 expect 'a standard output that is kept back is told from silence' 3 'its hello came only when its input was closed: it keeps back' smoke "$it"
start=0.5 expect 'with the remedy' 3 'flush standard output after every line' smoke "$it"
worker buffers_later <<PY
import json, sys
for text in sys.stdin:
    message = json.loads(text)
    hello = message["message"] == "hello"
    print('$hello' if hello else json.dumps({"seq": message.get("seq", 0), "unsupported": "x"}), flush=hello)
PY
limit=0.5 expect 'also after a good hello' 3 'its answer came only when its input was closed' smoke "$it"
worker no_newline <<<"import sys; sys.stdin.readline(); print('$hello', end='', flush=True); import time; time.sleep(100)"
start=0.5 expect 'a line without an end' 3 'its hello has no end' smoke "$it"
start=0.5 expect 'what there is of it is shown' 3 'it printed: +\{"message":"hello".*\(and no end of line\)' smoke "$it"

# --- answers
line number '{"seq":99,"unsupported":"x"}'
expect 'a wrong number' 3 'at /seq: "seq" is 99, asked was 1' smoke "$it"
expect 'with the call that it was about' 3 'the call: +onnx.Gather-13.*data f32 \[' smoke "$it"
expect 'and how that is explained' 3 'explained by: +gathercheck explain [a-z0-9/=-]+ --for onnx.Gather-13' smoke "$it"
line no_type '{"seq":{seq},"output":{"type":"float32","shape":[1],"base64":"AAAAAA=="}}'
expect 'an element type that is none' 3 'at /output/type: "output": "type" is "float32", which is no element type' smoke "$it"
line length '{"seq":{seq},"output":{"type":"f32","shape":[2],"base64":"AAAAAA=="}}'
expect 'a number of bytes that does not fit' 3 'at /output/base64: "output": "base64" holds 4 bytes, f32 \[2\] has 8' smoke "$it"
line values '{"seq":{seq},"output":{"type":"f32","shape":[1],"values":[1.0]}}'
expect 'values in place of base64' 3 'at /output/base64: .*not the string that contents travel in' smoke "$it"
line text 'Gathering...'
expect 'a line that is no message' 3 'it printed: +Gathering\.\.\.$' smoke "$it"
line form '{"seq":{seq},"result":[1]}'
expect 'none of the forms' 3 'holds none of output, rejected, unsupported, broken' smoke "$it"
line shape '{"seq":{seq},"output":{"type":"f32","shape":[1],"base64":"AAAAAA=="}}'
expect 'a wrong shape is a wrong answer, not trouble' 1 'wrong shape: expected' smoke "$it"
line type '{"seq":{seq},"output":{"type":"u8","shape":[1],"base64":"AA=="}}'
expect 'a wrong type too' 1 'wrong type: expected' smoke "$it"
line unsupported '{"seq":{seq},"unsupported":"not today"}'
expect 'what is claimed must be supported' 1 'unsupported though claimed' smoke "$it"
damaged helpless 's/^        with worker.engine_at_work.*/        with worker.engine_at_work(lambda error: worker.Unsupported(str(error))):/'
expect 'what must be rejected need not be supported' 0 'ready \(exit 0\)' smoke "$it"
expect 'but is shown' 0 '^warning +call +onnx.Gather-13: ' smoke "$it"
expect 'as what it counts as' 0 'which counts as: +unsupported, no failure: this call must be rejected' smoke "$it"
line broken '{"seq":{seq},"broken":"KeyError: x"}'
expect 'a worker that says it is broken' 3 'it says that it is broken: KeyError: x' smoke "$it"
line chatty '{"seq":{seq},"rejected":{}}'
sed -i 's/flush=True)$/flush=True); print("done", flush=True)/' chatty.py
expect 'a second line' 3 'something follows its hello|nobody had asked for|no message' smoke "$it"
damaged dies 's/^        data, indices = self.operands\(call\)/        if call.inputs["data"].type.name == "u8": import os; os.abort()\n&/'
expect 'a death is shown with the call' 1 'it died: .*' smoke "$it"
damaged leaves 's/^        data, indices = self.operands\(call\)/        if call.inputs["data"].type.name == "u8": import os; os._exit(0)\n&/'
expect 'one that ends by itself is told to go on' 1 'it ended: ' smoke "$it"
expect 'until goodbye' 1 'what to do: +answer, and go on to read messages until "goodbye"' smoke "$it"
damaged dies 's/^        data, indices = self.operands\(call\)/        if call.inputs["data"].type.name == "u8": import os; os.abort()\n&/'
expect 'and the rest is asked of a new process' 1 'it speaks the protocol, and gets calls wrong' smoke "$it"
worker hangs <<PY
import json, sys, time
sys.stdin.readline(); print('$hello', flush=True); time.sleep(100)
PY
limit=0.5 expect 'no answer' 3 'no answer within 0.5 s' smoke "$it"

# --- bugs of engines, found by a dozen calls
damaged negative 's/index % size/max(index, 0)/'
expect 'negative indices forgotten' 1 'FAIL +call +onnx.Gather-13: .*' smoke "$it"
damaged axis 's/axis = call.attributes.get\("axis", 0\)/axis = 0/'
expect 'the axis forgotten' 1 'FAIL +call' smoke "$it"
damaged clamps 's/^    if any\(not .*/    if False:/'
expect 'no bounds' 1 'accepted what must be rejected' smoke "$it"
damaged order 's/for outer in range\((.*)\) for index in indices\]/for index in indices for outer in range(\1)]/'
expect 'loops the wrong way round' 1 'wrong value' smoke "$it"
damaged random 's/^    size, inner = .*/&\n    import random; rows = [bytes([random.randrange(256) for _ in row]) for row in rows]/'
expect 'answers that change are wrong or not deterministic' 1 'not deterministic' smoke "$it"
damaged counts 's/^    def run\(self, call\):/&\n        self.times = getattr(self, "times", 0) + 1\n        if self.times > 14: return worker.Tensor(call.inputs["data"].type, (0,), b"")/'
expect 'what depends on the calls before is not deterministic' 1 'not deterministic: ' smoke "$it"

# --- keys and ends

worker strict <<PY
import sys, json
sys.path.insert(0, "$root/tools/examples")
known = {"message", "seq", "pass", "operator", "route", "attributes", "inputs"}
import gathercheck.worker as worker
real = worker._decode_call
def strict(message, contents_needed):
    if set(message) - known: raise worker.Malformed("unknown key")
    return real(message, contents_needed)
worker._decode_call = strict
exec(open("$root/tools/examples/my_worker.py").read())
PY
expect 'unknown keys must be ignored' 3 'a key that it does not know changes its answer' smoke "$it"
worker stays <<PY
import signal
exec(open("$root/tools/examples/my_worker.py").read().replace("worker.serve(channel, MyEngine())", ""))
server = worker._Worker(channel, MyEngine())
while server.step(): pass
signal.pause()
PY
expect 'a worker that does not end' 3 'it does not end after goodbye' smoke "$it"
worker goodbye_only <<PY
import signal
exec(open("$root/tools/examples/my_worker.py").read().replace("worker.serve(channel, MyEngine())", ""))
read = worker.Channel.read_line
def read_line(channel):
    line = read(channel)
    if not line: signal.pause()
    return line
worker.Channel.read_line = read_line
worker.serve(channel, MyEngine())
PY
expect 'a worker that only knows goodbye' 3 'it does not end at the end of its input' smoke "$it"

# --- a run with failures says what explains them
cp -r "$root/tools/examples/my_worker.py" "$root/conformance/adapters/gathercheck" .
sed -i 's/index % size/max(index, 0)/' my_worker.py
expect 'what explains all failures is said' 1 'diagnosis: .*: all [0-9]+ failures are explained by: .*\(negative-takes-first\)' \
  "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --output diagnosed.jsonl
expect 'and recorded' 0 '"level":"diagnosis"' cat diagnosed.jsonl
expect 'and shown in the page' 1 '"level":"diagnosis","text":"all [0-9]+ failures' "$gathercheck" report diagnosed.jsonl --format page-data
expect 'with each failure that it explains' 1 '"cause":"[^"]*\(negative-takes-first\)"' "$gathercheck" report diagnosed.jsonl --format page-data
expect 'but is no test of its own' 1 'failures="[0-9]+"' "$gathercheck" report diagnosed.jsonl --format junit

# --- the failures that are shown: all where they are few, else one of each kind, the gravest first
expect 'few failures are all shown' 1 '^([5-9]|1[0-9])$' sh -c '"$@" | grep -c "^FAIL "; exit 1' sh "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --filter type=f32
expect 'with what explains them' 1 '^([5-9]|1[0-9])$' sh -c '"$@" | grep -c "^  explained by: .*(negative-takes-first)"; exit 1' sh \
  "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --filter type=f32
expect 'of many one is shown' 1 '^1$' sh -c '"$@" | grep -c "^FAIL "; exit 1' sh "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --failures 4
expect 'with how many are like it' 1 '^  and [0-9]+ more like it, of onnx.Gather-13$' "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --failures 4
expect 'and how all are shown' 1 '^of [0-9]+ failures one of each kind was shown; --failures 0 shows all' \
  "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --failures 4
expect 'as they are when they are asked for' 1 '^[2-9][0-9]$' sh -c '"$@" | grep -c "^FAIL "; exit 1' sh \
  "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --failures 0
sed -i 's/^        axis, width = axis/        if axis == 1: __import__("os").abort()\n&/' my_worker.py
expect 'the gravest comes first' 1 '^CRASH ' sh -c '"$@" | head -n 1; exit 1' sh "$gathercheck" run --implementation 'exec:python3 my_worker.py' --sweeps none --failures 4

finish
