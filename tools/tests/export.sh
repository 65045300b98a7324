#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cases as node tests and back. usage: export.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# One version of each operator: the other versions have mostly the same calls, and files take time.
some=(--sweeps none --filter operator=onnx.Gather-1 --filter operator=onnx.GatherElements-13 --filter operator=onnx.GatherND-12)
expect 'the hand-written cases are exported' 0 \
  '^gathercheck: [0-9]{4} calls: [0-9]{3} accepted, [0-9]{3} rejected, [0-9]+ either, [0-9]+ unspecified; [0-9]+ controls; [0-9]+ left out' \
  "$gathercheck" export onnx "${some[@]}" --output first
for name in one two; do
  "$gathercheck" export onnx --filter case=documented-* --filter case=sequence-* --output $name 2>errors
done
expect 'two exports are the same bytes' 0 '^Files one/MANIFEST.json .* are identical' diff -rs one two
mkdir imported
expect 'every node test is a case again, in files that the loader reads' 0 '; 0 refused$' \
  "$gathercheck" import onnx first --output imported
expect 'reference and equations agree with the cases' 0 'the cases, the reference and the equations agree' "$gathercheck" check imported
for cases in shipped imported; do
  [ $cases = shipped ] && from=() || from=(--cases imported)
  "$gathercheck" calls --expectations "${some[@]}" "${from[@]}" --output $cases.jsonl 2>errors ||
    cat errors
done

cat >compare.py <<'PYTHON'
import hashlib, json, pathlib

folder = pathlib.Path("first")
manifest = json.loads((folder / "MANIFEST.json").read_text())
files = dict(manifest["files"])
for call in manifest["calls"] + manifest["controls"]:
    files.update({f"{call['folder']}/{name}": digest for name, digest in call["files"].items()})
there = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()} - {"MANIFEST.json"}
assert there == set(files), there ^ set(files)
for name, digest in files.items():
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name
print(len(files), "files are what the manifest says")

passing = {call["folder"] for call in manifest["calls"] if call["folder"].startswith("accepted/")}
passing.update(call["folder"] for call in manifest["controls"])
assert {call["folder"].split("/")[0] for call in manifest["controls"]} == {"controls"}
for call in manifest["calls"] + manifest["controls"]:
    kind = call["folder"].split("/")[0]
    said = call["expect"]
    may_be_rejected = "error" in json.dumps(said)
    assert call["control"] in passing if may_be_rejected else "control" not in call, call
    if kind in ("accepted", "controls"):
        assert list(said) == ["output"] and said["output"] in call["files"], call
        continue
    written = json.loads((folder / call["folder"] / "expectation.json").read_text())
    assert all(written.get(key) == call.get(key) for key in ("case", "operator", "expect", "control")), call
    assert not any(name.endswith("/output_0.pb") and name in json.dumps(said) for name in call["files"]), call


def calls(file):
    for line in open(file):
        message = json.loads(line)
        if "case" in message:
            yield message


def content(message):  # contents of a tensor without elements may be left out
    expected = {key: value for key, value in message["expect"]["output"].items() if value}
    return json.dumps([message["operator"], message["attributes"], message["inputs"], expected], sort_keys=True)


shipped = list(calls("shipped.jsonl"))
exported = {(call["case"], call["operator"]) for call in manifest["calls"]}
left_out = {(entry["case"], entry.get("operator")) for entry in manifest["left_out"]}
for message in shipped:
    key = message["case"], message["operator"]
    assert (key in exported) != (key in left_out), f"{key} is exported and left out, or neither"
assert all(entry["reason"] for entry in manifest["left_out"])
accepted = {content(m) for m in shipped if "output" in m["expect"] and (m["case"], m["operator"]) in exported}
again = {content(m) for m in calls("imported.jsonl") if "-set-" not in m["case"]}
assert accepted - again == set(), f"{len(accepted - again)} calls did not come back"
assert again - accepted == set(), f"{len(again - accepted)} calls came from nowhere"
print(len(again), "calls came back as they were")
PYTHON
expect 'digests, expectations, and calls that came back' 0 '^[0-9]{3} calls came back as they were$' python3 -B compare.py

# What is in the folders, by example.
without_sweeps
expect 'its help says how much that is, and what makes it less' 0 'some 400 MB of small files' "$gathercheck" export onnx --help
exported() { "$gathercheck" export onnx --output "$@"; }
expect 'a rejected call' 0 '1 rejected' exported rejected --filter case=gather-index-one-past-the-end --filter operator=onnx.Gather-13
expect 'says what it must be rejected for' 0 '"error": "index_out_of_bounds"' \
  cat rejected/rejected/test_gather_index_one_past_the_end_gather_13/expectation.json
expect 'and which legal call shows that rejections mean something' 0 \
  '"control": "controls/test_gather_index_one_past_the_end_control_onnx_gather_13_gather_13"' \
  cat rejected/rejected/test_gather_index_one_past_the_end_gather_13/expectation.json
expect 'which is there' 0 'output_0' ls rejected/controls/test_gather_index_one_past_the_end_control_onnx_gather_13_gather_13/test_data_set_0
expect 'has no output' 2 'No such file' ls rejected/rejected/test_gather_index_one_past_the_end_gather_13/test_data_set_0/output_0.pb
expect 'a sequence is data sets of one model' 0 '1 accepted' exported sequence --filter case=sequence-larger --filter operator=onnx.Gather-13
expect 'a second data set' 0 'output_0' ls sequence/accepted/test_sequence_larger_gather_13/test_data_set_1/output_0.pb
expect 'a folder that is there' 4 '^gathercheck: first is there already; name a new folder' exported first
expect 'nothing of ONNX' 4 "^gathercheck: no call of ONNX's operators" exported nothing --filter operator=openvino.Gather-8
expect 'what was not written is not there' 2 'No such file' ls nothing
expect 'a route' 4 '^gathercheck: an export has no routes' exported nothing --filter route=runtime/static
touch plain
expect 'a folder that cannot be made' 3 'cannot be written; .*; the export is not complete$' exported plain/under --filter case=documented-*

finish
