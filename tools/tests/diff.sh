#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gathercheck diff: what changed between two runs, and why. usage: tools/tests/diff.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

suite_a=$(printf 'a%.0s' $(seq 64))
suite_b=$(printf 'b%.0s' $(seq 64))
run() {  # SUITE MACHINE [OPTIONS]
  echo "{\"record\":\"run\",\"schema\":2,\"suite\":{\"version\":\"1.1.0\",\"hash\":\"$1\",\"cases\":9},\"tool\":{\"version\":\"1.1.0\"},\"command\":[\"gathercheck\"],\"started\":\"2026-01-01T00:00:00Z\",\"machine\":{\"cpu\":\"$2\",\"system\":\"Linux\"},\"options\":{\"folder\":\"/\",\"time_limit\":20,\"restarts\":200${3-}}}"
}
engine() {  # NAME VERSION [OPERATOR]
  echo "{\"record\":\"implementation\",\"implementation\":\"$1\",\"state\":\"started\",\"asked_by_name\":true,\"version\":\"$2\",\"claims\":[{\"operators\":[\"onnx.Gather-13\"${3+,\"$3\"}],\"data\":[\"f32\"],\"indices\":[\"i64\"],\"operands\":[\"runtime\"],\"shapes\":[\"static\"],\"axis\":[\"constant\"]}]}"
}
name=engine
version=1
of() {  # CASE HASH MEMBERS [OPERATOR]
  echo "{\"record\":\"execution\",\"implementation\":\"$name\",\"version\":\"$version\",\"operator\":\"${4-onnx.Gather-13}\",\"route\":{\"operands\":\"runtime\",\"shapes\":\"static\"},\"case\":\"$1\",\"case_hash\":\"$2\",$3}"
}
end() { echo "{\"record\":\"end\",\"executions\":$1,\"exit_code\":$2,\"seconds\":1}"; }
pass='"verdict":"pass","outcome":"value"'
unsupported='"verdict":"unsupported","outcome":"unsupported"'
wrong() {  # ELEMENT
  echo "\"verdict\":\"fail\",\"failure\":\"wrong value\",\"outcome\":\"value\",\"detail\":\"element 0 of [1]: expected 1, got $1\",\"got\":{\"type\":\"f32\",\"shape\":[1],\"first\":[\"$1\"],\"differing\":1,\"differences\":[{\"at\":[0],\"expected\":\"1.0\",\"got\":\"$1\"}]},\"expected\":{\"type\":\"f32\",\"shape\":[1],\"first\":[\"1.0\"]},\"rules\":[\"onnx.gather-13.formula.axis0\"]"
}
crash='"verdict":"crash","outcome":"crash","detail":"killed by SIGSEGV","rules":["onnx.gather-13.indices.error"]'
moody='"verdict":"fail","failure":"not deterministic","outcome":"not deterministic","detail":"element 0 is 1 in one run and 2 in another"'
clamp='"verdict":"unspecified","outcome":"value","class":"clamp"'
zero='"verdict":"unspecified","outcome":"value","class":"zero"'
known='"verdict":"known failure","failure":"wrong value","outcome":"value","finding":"engine-bug","reason":"it is so","rules":["onnx.gather-13.formula.axis0"]'

# --- two versions, one suite
{
  run "$suite_a" cpu
  engine engine 1 onnx.Gather-11
  of broke 11111111 "$pass"
  of broke-too 11111111 "$pass"
  of mended 11111111 "$(wrong 5.0)"
  of worse 11111111 "$(wrong 5.0)"
  of other-value 11111111 "$(wrong 5.0)"
  of same-value 11111111 "$(wrong 5.0)"
  of flaky 11111111 "$moody"
  of new-claim 11111111 "$unsupported"
  of lost-claim 11111111 "$pass"
  of lost-version 11111111 "$pass" onnx.Gather-11
  of policy 11111111 "$clamp"
  of listed 11111111 "$pass"
  of stays 11111111 "$pass"
  of mended-sweep/axis=0 11111111 "$known"
  of mended-sweep/axis=1 11111111 "$known"
  end 15 1
} >one.jsonl
{
  version=2
  run "$suite_a" cpu
  engine engine 2
  of broke 11111111 "$crash"
  of broke-too 11111111 "$crash"
  of mended 11111111 "$pass"
  of worse 11111111 "$crash"
  of other-value 11111111 "$(wrong 6.0)"
  of same-value 11111111 "$(wrong 5.0)"
  of flaky 11111111 "$pass"
  of new-claim 11111111 "$pass"
  of lost-claim 11111111 "$unsupported"
  of policy 11111111 "$zero"
  of listed 11111111 "$known"
  of stays 11111111 "$pass"
  of mended-sweep/axis=0 11111111 "$pass"
  of mended-sweep/axis=1 11111111 "$pass"
  end 14 1
} >two.jsonl
expect 'new failures are an exit code' 1 'new failures \(exit 1\)' "$gathercheck" diff one.jsonl two.jsonl
cp output all.txt
said() { expect "$1" 0 "$2" sh -c 'tr "\n" "~" <all.txt'; }
said 'the versions are told' '~engine 1 -> 2: 14 executions in both, 1 in the first alone~'
said 'what fails now, by what it does' '~new failure: 3 executions~  2  onnx.Gather-13: pass -> crash; rule onnx.gather.indices.error~      e.g. broke for onnx.Gather-13 by route runtime/static~      now: killed by SIGSEGV~      repeat: '
said 'a known failure is new too' '~  1  onnx.Gather-13: pass -> wrong value; finding engine-bug~      e.g. listed '
said 'a crash in place of a wrong value' '~other failure: 2 executions~.*  1  onnx.Gather-13: wrong value -> crash; rules onnx.gather.formula.axis0, onnx.gather.indices.error~      e.g. worse '
said 'another wrong value' '  1  onnx.Gather-13: wrong value -> wrong value; rule onnx.gather.formula.axis0~      e.g. other-value [^~]*~      then: got f32 \[1\] = \[5.0\]; 1 of 1 element differs: output\[0\]~      now: got f32 \[1\] = \[6.0\]'
said 'what is mended, by finding' '~fixed: 3 executions~  2  onnx.Gather-13: wrong value -> pass; finding engine-bug~      e.g. mended-sweep/axis=0 .*  1  onnx.Gather-13: wrong value -> pass; rule onnx.gather.formula.axis0~      e.g. mended '
said 'what differed within a run is not called mended' '~flaky: 1 execution~  1  onnx.Gather-13: not deterministic -> pass~      e.g. flaky '
said 'what is claimed of a call' '~newly supported: 1 execution~  1  onnx.Gather-13: unsupported -> pass~      e.g. new-claim .*~no longer supported: 1 execution~  1  onnx.Gather-13: pass -> unsupported~      e.g. lost-claim '
said 'and of an operator version' '~no longer claimed: 1 execution~  1  onnx.Gather-11: pass~      e.g. lost-version '
said 'what is done where nothing is specified' '~other treatment: 1 execution~  1  onnx.Gather-13: unspecified: clamp -> unspecified: zero~      e.g. policy '
expect 'what stays is not told' 1 '^0$' grep -cE 'stays|same-value' all.txt
expect 'the other way round three are mended' 1 '^fixed: 3 executions$' "$gathercheck" diff two.jsonl one.jsonl
expect 'a run is no other than itself' 0 '^nothing changed$' sh -c 'cp one.jsonl again.jsonl; "$0" diff one.jsonl again.jsonl' "$gathercheck"

# --- forms
expect 'as JSON' 1 '"new_failures": 3' "$gathercheck" diff one.jsonl two.jsonl --format json
cp output diff.json
expect 'with each execution' 0 '^3 ' python3 -c 'import json
diff = json.load(open("diff.json"))
changes = diff["implementations"][0]["changes"]
new = [change for change in changes if change["kind"] == "new failure"]
print(sum(change["count"] for change in new), [len(change["executions"]) for change in new])'
if python3 -c 'import jsonschema' 2>/dev/null; then
  expect 'that its schema takes' 0 '^valid$' sh -c 'python3 "$0/tools/tests/validate.py" "$0/conformance/schemas" diff <diff.json' "$root"
fi
expect 'as Markdown' 1 '^## gathercheck diff: 3 new failures$' "$gathercheck" diff one.jsonl two.jsonl --format markdown
cp output diff.md
expect 'a change a line' 0 '^- new failure: 2x onnx.Gather-13: pass -&gt; crash; rule onnx.gather.indices.error, e.g. `broke`$' cat diff.md
expect 'into a file' 0 '^## gathercheck diff' sh -c '"$0" diff one.jsonl two.jsonl --format markdown --output out.md; cat out.md' "$gathercheck"
expect 'that is no input' 4 'it is an input' "$gathercheck" diff one.jsonl two.jsonl --output two.jsonl
gzip -k one.jsonl
zstd -q two.jsonl
expect 'of compressed records' 1 '^new failure: 3 executions$' "$gathercheck" diff one.jsonl.gz two.jsonl.zst
expect 'and of standard input' 1 '^new failure: 3 executions$' sh -c '"$0" diff one.jsonl - <two.jsonl' "$gathercheck"

# --- a run that was cut short
head -n 5 two.jsonl >cut.jsonl
expect 'a run that was cut short is told' 1 '^the second run is incomplete, so what it lacks is not run: cut.jsonl: the run was cut short: 3 executions and no end$' \
  "$gathercheck" diff one.jsonl cut.jsonl
cp output all.txt
said 'what it lacks is not run' '~no longer run: 12 executions~  6  onnx.Gather-11,13: no failure~'
said 'and mended only what was' '~fixed: 1 execution~'
head -n 5 one.jsonl >cut.jsonl
expect 'nor is what fails new, where nobody ran it' 1 '^new failure: 2 executions$' "$gathercheck" diff cut.jsonl two.jsonl
expect 'it is told all the same' 1 '  2  onnx.Gather-13: newly run -> wrong value' "$gathercheck" diff cut.jsonl two.jsonl

# --- other cases, another machine
version=1
{
  run "$suite_a" cpu
  engine engine 1
  of changed 11111111 "$pass"
  of gone 11111111 "$pass"
  of stays 11111111 "$pass"
  end 3 0
} >old_cases.jsonl
{
  run "$suite_b" another
  engine engine 1
  of changed 22222222 "$(wrong 5.0)"
  of added/axis=0 11111111 "$pass"
  of added/axis=1 11111111 "$(wrong 5.0)"
  of stays 11111111 "$crash"
  end 4 1
} >new_cases.jsonl
expect 'cases that changed are told' 1 '^1 case changed: changed$' "$gathercheck" diff old_cases.jsonl new_cases.jsonl
cp output all.txt
said 'and those of one run alone' '~2 cases only in the second: 2 of added~1 case only in the first: gone~'
said 'a case that changed is a cause' 'onnx.Gather-13: pass -> wrong value; rule onnx.gather.formula.axis0; the case was changed~      e.g. changed '
said 'a new one is no old promise' '  1  onnx.Gather-13: case added -> wrong value[^~]*~      e.g. added/axis=1 '
said 'its passes are told apart' '~case added: 1 execution~'
said 'one that is gone is not mended' '~case removed: 1 execution~'
said 'the machine is another' '~machine: cpu, Linux -> another, Linux~'
"$gathercheck" diff old_cases.jsonl new_cases.jsonl --format json >diff.json
expect 'and the cause of what the case is not' 0 "^\['another machine'\]$" python3 -c 'import json
for change in json.load(open("diff.json"))["implementations"][0]["changes"]:
    if change["example"]["case"] == "stays":
        print(change["causes"])'
sed 's/"options":{/&"filters":["case=stays"],/; 1!{/"case":"stays"/!{/"record":"execution"/d}}; s/"executions":3/"executions":1/' old_cases.jsonl >few.jsonl
expect 'what a filter left out is not run' 0 '^no longer run: 2 executions$' "$gathercheck" diff old_cases.jsonl few.jsonl
cp output all.txt
said 'neither gone nor unclaimed' '~no longer run: 2 executions~  2  onnx.Gather-13: no failure~'

# --- names
sed 's/"implementation":"engine"/"implementation":"other"/' two.jsonl >renamed.jsonl
expect 'other names are not compared' 4 'renamed.jsonl: has no implementation in common with one.jsonl: other here and engine there; say by --match OLD=NEW' \
  "$gathercheck" diff one.jsonl renamed.jsonl
expect 'but where it is asked for' 1 '^engine -> other 1 -> 2: 14 executions in both' "$gathercheck" diff one.jsonl renamed.jsonl --match engine=other
expect 'by a name that is there' 4 "renamed.jsonl: holds no implementation 'others'; give --match OLD=NEW one of: other" "$gathercheck" diff one.jsonl renamed.jsonl --match engine=others
expect 'as one word' 4 "'engine' is not OLDNAME=NEWNAME" "$gathercheck" diff one.jsonl renamed.jsonl --match engine
expect 'two runs are two' 4 'one.jsonl is given twice' "$gathercheck" diff one.jsonl one.jsonl
expect 'that are there' 4 'missing.jsonl' "$gathercheck" diff missing.jsonl one.jsonl

# --- a real run
expect 'of what a run writes' 0 '^nothing changed$' sh -c '"$0" run --implementation reference --sweeps none --output a.jsonl >/dev/null; cp a.jsonl b.jsonl; "$0" diff a.jsonl b.jsonl' "$gathercheck"
finish
