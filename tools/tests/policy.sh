#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The out-of-bounds map of workers whose treatment of bad indices is known: every word of every column, for every operator version.
# usage: tools/tests/policy.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1

cat >words.py <<'PY'
# usage: words.py EQUATIONS "TREATMENT [DATA [INDICES]]" TITLE=WORD...: the map of standard input as JSON has just these words
# in every row, and a row for each of its operator versions that takes the types.
# "legal" is "value" where negative indices are legal, "wrap" elsewhere.
import json, sys

from gathercheck import worker

with open(sys.argv[1]) as file:
    lowest = {entry["operator"]: entry["index"]["lowest"] for entry in json.load(file)["operators"]}
legal = {version for version in lowest if lowest[version] == "-s"}
wanted = dict(pair.rsplit("=", 1) for pair in sys.argv[3:])
versions = set()
for row in json.load(sys.stdin)["policy"]:
    for version in row["operators"]:
        versions.add(version)
        for answer in row["answers"]:
            title, word = answer["index"], answer["answer"]
            want = wanted[title] if title in wanted else wanted["*"]
            if want.startswith("legal"):
                want = ("value" if version in legal else "wrap") + want[len("legal"):]
            if title == "no output" and "Elements" in version:
                want = "-"
            if word != want:
                print(f"{version}: {title}: '{word}', not '{want}' ({answer['case']})")
types = sys.argv[2].split()[1:]
for version, legal_types in worker.LEGAL_TYPES.items():
    if not version.startswith(("onnx.", "openvino.")):
        continue  # the worker has none of them
    if version not in versions and all(name in allowed for name, allowed in zip(types, legal_types)):
        print(f"{version} is not in the map: a case policy-* has to name it")
PY

# map_is WHAT "TREATMENT [DATA [INDICES]]" TITLE=WORD...
map_is() {
  local what=$1 worker=$2 wrong
  shift 2
  "$gathercheck" policy --implementation "exec:python3 $root/tools/tests/policy_worker.py $worker" --format json >map.json 2>errors
  wrong=$(cat errors && python3 words.py "$root/spec_cases/equations.json" "$worker" "$@" <map.json 2>&1)
  if [ -z "$wrong" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$what" "$(head -n 30 <<<"$wrong")"
  fi
}

nowhere='no output=empty output'
map_is 'an engine that refuses' error '*=error (run)'
map_is 'one that fills with zeros' zero '*=zero' "$nowhere"
map_is 'one that clamps' clamp '*=clamp' 'empty axis=zero' "$nowhere"
map_is 'one that takes the first element' first '*=first element' 'empty axis=zero' "$nowhere"
map_is 'one that wraps' wrap '*=wrap' '-1=legal' '-1 inner=legal' '-s=legal' 'empty axis=zero' "$nowhere"
map_is 'one that gives garbage' garbage '*=garbage' "$nowhere"
map_is 'one that counts from the end and refuses the rest' numpy '*=error (run)' '-1=legal' '-1 inner=legal' '-s=legal'
map_is 'one that counts from the end and fills with zeros' legal-or-zero '*=zero' '-1=legal' '-1 inner=legal' '-s=legal' "$nowhere"
map_is 'one that cuts to 32 bits' cut '*=error (run)' '-1=legal' '-1 inner=legal' '-s=legal' \
  '2^32+65793=cut to 32 bits' '2^63-1=cut to 32 bits' '-2^63=cut to 32 bits'
map_is 'one that cuts to 32 bits, then clamps' cut-clamp '*=clamp' '-1=legal' '-1 inner=legal' '-s=legal' 'empty axis=zero' "$nowhere" \
  '2^32+65793=cut to 32 bits' '2^63-1=cut to 32 bits, clamp' '-2^63=cut to 32 bits'
map_is 'one that cuts to 16 bits' cut16 '*=cut to 16 bits' '-1=legal' '-1 inner=legal' '-s=legal' \
  's=error (run)' 's inner=error (run)' '-s-1=error (run)' 'empty axis=error (run)' 'no output=error (run)'
map_is 'one that cuts to 8 bits' cut8 '*=cut to 8 bits' '-1=legal' '-1 inner=legal' '-s=legal' \
  's=error (run)' 's inner=error (run)' '-s-1=error (run)' 'empty axis=error (run)' 'no output=error (run)'
map_is 'one that reads unsigned numbers and clamps' unsigned-clamp '*=clamp as unsigned' 's=clamp' 's inner=clamp' '2^16+257=clamp' \
  '2^32+65793=clamp' '2^31-1=clamp' '2^63-1=clamp' 'empty axis=zero' "$nowhere"
map_is 'one that reads unsigned numbers and wraps' unsigned-wrap '*=wrap as unsigned' 's=wrap' 's inner=wrap' '2^16+257=wrap' \
  '2^32+65793=wrap' '2^31-1=wrap' '2^63-1=wrap' 'empty axis=zero' "$nowhere"

# --- one index too many, beside a neighbour that is refused
map_is 'one that takes s for the last element' only-s '*=error (run)' '-1=legal' '-1 inner=legal' '-s=legal' \
  's=clamp, s+1: error (run)' 's inner=clamp, s+1: error (run)'
map_is 'one that takes -s-1 for the first element' only-below '*=error (run)' '-1=legal' '-1 inner=legal' '-s=legal' \
  '-s-1=clamp or first element, -s-2: error (run)'
map_is 'one that takes -1 and no other negative index' only-minus-1 '*=error (run)' '-1=legal, -2: error (run)' '-1 inner=legal, -2: error (run)'

# --- in other element types than the cases are written in
too_large=('2^32+65793=not in i32' '2^63-1=not in i32' '-2^63=not in i32')
map_is 'data of i32 only' 'clamp i32' '*=clamp' 'empty axis=zero' "$nowhere"
map_is 'indices of i32 only: refuses' 'error f32 i32' '*=error (run)' "${too_large[@]}"
map_is 'indices of i32 only: clamps' 'clamp f32 i32' '*=clamp' 'empty axis=zero' "$nowhere" "${too_large[@]}"
map_is 'indices of i32 only: zero' 'zero f64 i32' '*=zero' "$nowhere" "${too_large[@]}"
map_is 'indices of i32 only: first element' 'first i32 i32' '*=first element' 'empty axis=zero' "$nowhere" "${too_large[@]}"
map_is 'indices of i32 only: wraps' 'wrap f32 i32' '*=wrap' '-1=legal' '-1 inner=legal' '-s=legal' 'empty axis=zero' "$nowhere" "${too_large[@]}"
map_is 'indices of i32 only: unsigned' 'unsigned-clamp f32 i32' '*=clamp as unsigned' 's=clamp' 's inner=clamp' '2^16+257=clamp' \
  '2^31-1=clamp' 'empty axis=zero' "$nowhere" "${too_large[@]}"
map_is 'indices of i32 only: 16 bits' 'cut16 f32 i32' '*=cut to 16 bits' '-1=legal' '-1 inner=legal' '-s=legal' \
  's=error (run)' 's inner=error (run)' '-s-1=error (run)' 'empty axis=error (run)' 'no output=error (run)' "${too_large[@]}"

expect 'of types that no case can be asked in nothing is told' 4 'no case of the map was run' \
  "$gathercheck" policy --implementation "exec:python3 $root/tools/tests/policy_worker.py error boolean"

# --- from the records of a run
it="exec:python3 $root/tools/tests/policy_worker.py clamp f32 i32"
"$gathercheck" run --implementation "$it" --sweeps none --filter 'case=policy-*' --filter route=runtime/static --output run.jsonl >/dev/null
expect 'the map of records' 0 '^exec:.* onnx.Gather-1,11,13 +runtime +clamp ! +clamp ! +clamp ! +clamp ! .* not in i32 ' "$gathercheck" policy --records run.jsonl
finish
