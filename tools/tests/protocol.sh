#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The protocol as workers meet it: those written for version 1 still conform, and what is said is as its schema has it.
# usage: tools/tests/protocol.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
v1=$root/conformance/tests/adapters_v1
check() { python3 -W ignore "$root/conformance/tests/check_protocol.py" "$@"; }

# --- workers of version 1, with at least as many passes as when they were written
expect 'a shell worker of version 1 conforms' 0 'minimal.sh +([7-9]|[1-9][0-9]) +0 ' "$gathercheck" run --implementation "exec:sh $v1/minimal.sh" \
  --sweeps none --filter type=u8
expect 'a minimal Python worker of version 1 conforms' 0 'minimal.py +[1-9][0-9]{2} +0 ' "$gathercheck" run \
  --implementation "exec:python3 $v1/minimal.py" --sweeps none
some=(--sweeps none --filter 'case=gather-type-*' --filter 'case=gather-batch-*' --filter 'case=gather-axis-*' --filter 'case=gather-size-*')
expect 'a full Python worker of version 1 conforms' 0 ' 1\.0 +1[0-9]{3} +0 ' "$gathercheck" run --implementation "exec:python3 $v1/full.py" "${some[@]}"

# --- long messages: records stay short enough for every reader
cat >talker.py <<'PY'
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["message"] == "goodbye":
        break
    if message["message"] == "hello":
        claim = {"operators": ["onnx.Gather-13"], "data": ["f32"], "indices": ["i64"]}
        print(json.dumps({"message": "hello", "protocol": 1, "implementation": {"name": "talker"}, "claims": [claim]}), flush=True)
    else:
        print(json.dumps({"seq": message["seq"], "rejected": {"message": "m" * int(sys.argv[1])}}), flush=True)
PY
cat >numbers.json <<'JSON'
{ "cases": [ { "id": "numbers", "title": "a case", "inputs": {
    "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula.axis0"],
    "output": { "type": "f32", "shape": [2], "values": [3, 1] } } ] } ] }
JSON
talk() { "$gathercheck" run --cases numbers.json --implementation "exec:python3 $folder/talker.py $1" --output talk.jsonl; }
expect 'a message of 10 MB is a rejection' 1 'rejected: m{4096}... \(9995904 bytes more\)' talk 10000000
expect 'and its start is recorded' 0 '^1$' grep -c '"outcome":"rejected".*(9995904 bytes more)' talk.jsonl
expect 'a message of 100 MB is broken' 3 'answer is longer than 1678[0-9]{4} bytes, which is more than it can need: ' talk 100000000
expect 'and the record can be read' 3 '^1 execution|broken' "$gathercheck" report talk.jsonl

few=(--filter 'case=documented-*' --filter 'case=gather-type-string*' --filter 'case=gather-size-*' --filter route=runtime/static --filter route=folded/static)

# --- what runner and workers say to each other
record() { "$gathercheck" run --implementation "exec:python3 $root/conformance/tests/recording_worker.py $folder/$1 ${*:2}" --sweeps none "${few[@]}" >/dev/null; }
if python3 -c 'import jsonschema' 2>/dev/null; then
  record full.txt python3 "$v1/full.py"
  expect 'a whole session of the full worker is as the schema says' 0 '[0-9]{3,4} messages are as the schema says' check full.txt
  sed 's/"seq" *: */"number":/' full.txt >damaged.txt
  expect 'messages that are not are found' 1 "no answer_to_run|whole schema refuses it" check damaged.txt
  for python in "${GATHERCHECK_PYTHON:-python3}" "$root/build/venv/bin/python"; do
    "$python" -c 'import numpy' 2>/dev/null && break
  done
  if "$python" -c 'import numpy' 2>/dev/null; then
    record numpy.txt "$python" -B "$root/conformance/adapters/numpy_worker.py"
    expect 'a whole session of a shipped adapter is as the schema says' 0 '[0-9]{3,4} messages are as the schema says' check numpy.txt
  fi
else
  echo 'no Python module jsonschema: sessions are not validated'
fi

finish
