#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What those for whom reports are meant make of them: JUnit and SARIF, with inputs, times and places, and badges of one implementation.
# usage: tools/tests/consumers.sh GATHERCHECK [PYTHON]
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps

# An engine that wraps indices out of bounds, and adds one to each element.
sed 's/^    if any(not -size .*/    if False:/' "$root/tools/examples/my_worker.py" >wraps.py
export PYTHONPATH=$root/conformance/adapters
"$gathercheck" run --implementation 'wraps=exec:python3 -B wraps.py' --filter 'case=gather-index-one-past-the-end' --filter 'case=gather-axis-minus-1' \
  --filter operator=onnx.Gather-13 --filter type=f32 --output run.jsonl >/dev/null
"$gathercheck" report run.jsonl --format junit --output junit.xml

# --- JUnit
junit() { expect "$1" 0 "$2" cat junit.xml; }
junit 'a failure shows its inputs' '^  data: f32 \[3, 2\] = 1'
junit 'the indices' '^  indices: i64 \[2\] = 3, 0$'
junit 'the attributes' '^  axis: 0$'
junit 'the rule, in its words' '^  rule: onnx\.gather-13\.indices\.error: [A-Z].*[a-z]'
junit 'the line that repeats it' '^  repeat: .*--filter case=gather-index-one-past-the-end'
expect 'each test has the time of its calls' 0 '^all$' python3 -c 'import xml.dom.minidom as xml
tests = xml.parse("junit.xml").getElementsByTagName("testcase")
times = [float(test.getAttribute("time")) for test in tests]
print("all" if times and all(0 < time < 60 for time in times) else times)'
# The schema that the xUnit plug-in of Jenkins validates with, by its elements and attributes.
cat >jenkins.py <<'PY'
import xml.etree.ElementTree as xml
ALLOWED = {
    "testsuites": "name time tests failures errors / testsuite",
    "testsuite": "name tests failures errors group time skipped timestamp hostname id package file log url / testsuite properties testcase system-out system-err",
    "testcase": "name time classname group / skipped error failure system-out system-err",
    "failure": "type message /", "error": "type message /", "skipped": "type message /",
    "properties": "/ property", "property": "name value /",
}
NEEDED = {"testsuite": "name tests failures errors", "testcase": "name", "property": "name value"}
for element in xml.parse("junit.xml").iter():
    attributes, children = (words.split() for words in ALLOWED[element.tag].split("/"))
    assert set(NEEDED.get(element.tag, "").split()) <= set(element.keys()) <= set(attributes), element.attrib
    assert {child.tag for child in element} <= set(children), element.tag
print("valid")
PY
expect 'Jenkins takes its elements and attributes' 0 '^valid$' python3 jenkins.py
long=$(printf 'x%.0s' $(seq 100000))
sed "s/\"detail\":\"/\"detail\":\"$long/" run.jsonl >long.jsonl
expect 'however much is said, a report is of a bounded size' 0 '^small$' \
  sh -c '[ "$("$0" report long.jsonl --format junit | wc -c)" -lt 20000 ] && echo small' "$gathercheck"
pythons=("$root/build/venv/bin/python" python3)
[ -z "${2:-${GATHERCHECK_PYTHON:-}}" ] || pythons=("${2:-$GATHERCHECK_PYTHON}" "${pythons[@]}")
for python in "${pythons[@]}"; do
  if "$python" -c 'import junit2htmlreport, sarif' 2>/dev/null; then
    expect 'junit2html takes it' 0 '^made$' sh -c '"$0" -m junit2htmlreport junit.xml junit.html && echo made' "$python"
    expect 'and shows the inputs of the failure' 0 'indices: i64 \[2\] = 3, 0' cat junit.html
    expect 'and what it is' 0 'accepted what must be rejected' cat junit.html
    expect 'a reader of SARIF finds the failure' 0 'error: 1$' \
      sh -c '"$0" report run.jsonl --format sarif --output run.sarif; "$1" -m sarif summary run.sarif' "$gathercheck" "$python"
    expect 'under its rule' 0 'onnx\.gather-13\.indices\.error' "$python" -m sarif summary run.sarif
    expect 'at the line of its case' 0 'spec_cases/cases/[a-z-]*\.json,[1-9][0-9]*' \
      sh -c '"$0" -m sarif csv -o run.csv run.sarif >/dev/null; cat run.csv' "$python"
    break
  fi
done

# --- SARIF
expect 'SARIF has the exit code of the records' 1 '"version": "2\.1\.0"' "$gathercheck" report run.jsonl --format sarif
cp output run.sarif
sarif() {
  expect "$1" 0 "$2" python3 -c 'import json, sys
run = json.load(open("run.sarif"))["runs"][0]
result = run["results"][0]
place = result["locations"][0]["physicalLocation"]
rule = next(rule for rule in run["tool"]["driver"]["rules"] if rule["id"] == result["ruleId"])
line = open(sys.argv[1] + "/" + place["artifactLocation"]["uri"]).read().splitlines()[place["region"]["startLine"] - 1]
print(len(run["results"]), result["ruleId"], result["level"])
print("line:", line)
print("help:", rule["help"]["text"])
print("address:", rule["helpUri"])' "$root"
}
sarif 'failures alone are results' '^1 onnx\.gather-13\.indices\.error error$'
sarif 'the place is the line of the case' '^line: .*"id": "gather-index-one-past-the-end"'
sarif 'the rule is its help' '^help: [A-Z]'
sarif 'with an address' '^address: https://'
"$gathercheck" run --implementation reference --filter 'case=gather-axis-minus-1' --output good.jsonl >/dev/null
expect 'without failures there is no result' 0 '"results": \[\]' "$gathercheck" report good.jsonl --format sarif

mkdir 'my cases'
cat >'my cases/mine.json' <<'JSON'
{ "cases": [ {
  "id": "mine", "title": "an index outside", "axis": 0,
  "inputs": { "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [1], "values": [3] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error"], "error": "index_out_of_bounds" } ] } ] }
JSON
"$gathercheck" run --cases 'my cases/mine.json' --implementation 'wraps=exec:python3 -B wraps.py' --output mine.jsonl >/dev/null
"$gathercheck" report mine.jsonl --format sarif --output mine.sarif
expect 'a case of one'"'"'s own has its place below the folder' 0 '^my%20cases/mine.json 2$' python3 -c 'import json
place = json.load(open("mine.sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
print(place["artifactLocation"]["uri"], place["region"]["startLine"])'

# --- badges
"$gathercheck" run --implementation reference --implementation none=exec:false --implementation 'wraps=exec:python3 -B wraps.py' \
  --filter 'case=gather-axis-minus-1' --output several.jsonl >/dev/null 2>&1
expect 'a badge is of one implementation' 4 'are of several implementations, and a badge is of one: give --implementation NAME, one of reference, wraps, or --all' \
  "$gathercheck" report several.jsonl --format badge
head -n -1 several.jsonl >cut.jsonl
expect 'of records that were cut short it says so' 3 '^ *"message": "[^"]*, incomplete"' "$gathercheck" report cut.jsonl --format badge-json --all
expect 'which is named' 0 'gathercheck reference: 100 % pass' "$gathercheck" report several.jsonl --format badge --implementation reference
expect 'or it is of all' 3 '"label": "gathercheck"' "$gathercheck" report several.jsonl --format badge-json --all
expect 'which nothing else is' 4 '^gathercheck: --all is for a badge' "$gathercheck" report several.jsonl --format junit --all
expect 'one way or the other' 4 'contradict each other' "$gathercheck" report several.jsonl --format badge --all --implementation wraps

# --- the line that repeats a failure works, whoever else the run asked
cat >known.json <<'JSON'
{ "implementation": "reference", "versions": "*", "failures": [ { "case": "gather-axis-minus-1", "operator": "onnx.Gather-13",
  "route": { "operands": "constant", "shapes": "static" }, "outcomes": ["wrong value"], "reason": "a reason" } ] }
JSON
"$gathercheck" run --implementation reference --implementation 'wraps=exec:python3 -B wraps.py' --known-failures known.json \
  --filter 'case=gather-index-one-past-the-end' --filter 'case=gather-axis-minus-1' --filter operator=onnx.Gather-13 >both.txt 2>&1
expect 'with known failures of another' 1 'accepted what must be rejected' \
  sh -c 'line=$(sed -n "/^FAIL  wraps/,/^  repeat: /s/^  repeat: //p" both.txt | head -n 1); echo "$line" >&2; sh -c "$line"'
finish
