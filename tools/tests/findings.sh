#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The findings as a user meets them, and the pages made of them against the data. usage: tools/tests/findings.sh GATHERCHECK
set -u

gathercheck=$1
sources=$(cd "$(dirname "$0")/../.." && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
findings() { "$gathercheck" findings "$@"; }

# --- a small share of our own, whose findings change with nobody
shipped=$(cd "$(dirname "$gathercheck")/../share/gathercheck" && pwd)
mkdir -p data/spec_cases/{known_failures,findings/reproducers/mine}
ln -s "$shipped"/spec_cases/{cases,rules,dialects,equations.json} data/spec_cases
export GATHERCHECK_SHARE="$PWD/data"
call='"route": { "operands": "runtime", "shapes": "static" }'
cat >data/spec_cases/findings/mine.json <<JSON
{ "engine": "My Engine", "findings": [
  { "id": "mine-clamps", "implementations": ["mine"], "severity": "missing error", "statement": "an index *past* the end is clamped; it must be refused",
    "rules": ["onnx.gather-11.indices.error", "onnx.gather-13.indices.error"],
    "call": { "case": "gather-index-one-past-the-end", "operator": "onnx.Gather-13", $call }, "outcome": "accepted what must be rejected",
    "reproducer": "mine/clamps.py", "seen": { "first": "1.0", "last": "1.2" }, "link": "https://example.org/7", "note": "the checker finds it" },
  { "id": "mine-dies", "implementations": ["mine", "mine:fast"], "severity": "crash", "statement": "it dies of zeros",
    "rules": ["ov.gather-8.indices.zero-fill"],
    "call": { "case": "gather-index-one-past-the-end", "operator": "openvino.Gather-8", $call }, "outcome": "crash",
    "reproducer": "mine/dies.py", "seen": { "first": "1.2", "last": "1.2" } },
  { "id": "mine-negative", "implementations": ["mine"], "severity": "crash", "title": "it dies of batch dimensions", "statement": "a negative batch_dims ends the process, whatever its size",
    "rules": ["onnx.gather-nd-13.batch_dims.negative"],
    "call": { "case": "gather-nd-batch-dims-minus-2", "operator": "onnx.GatherND-13", $call }, "outcome": "crash",
    "reproducer": "mine/negative.py", "seen": { "first": "1.2", "last": "1.2" } } ] }
JSON
cat >data/spec_cases/findings/reproducers/mine/clamps.py <<'PY'
# SPDX-License-Identifier: Apache-2.0
# Case gather-index-one-past-the-end, onnx.Gather-13, runtime/static, on mine 1.2.
# accepted what must be rejected: expected the error index_out_of_bounds, got f32 [2, 2] = [1, 2, 5, 6]
# and more
# Rule onnx.gather-13.indices.error: which is not what was seen
# shows: an output
print('output [1] 00')
PY
printf '# Case gather-index-one-past-the-end, openvino.Gather-8, runtime/static, on mine 1.2.\n# crash\n' >data/spec_cases/findings/reproducers/mine/dies.py
printf '# Case gather-nd-batch-dims-minus-2, onnx.GatherND-13, runtime/static, on mine 1.2.\n# crash\n' >data/spec_cases/findings/reproducers/mine/negative.py
cat >data/spec_cases/known_failures/mine.json <<JSON
{ "implementation": "mine", "versions": ["1.0", "1.2"], "failures": [
  { "case": "gather-index-one-past-the-end", "operator": ["onnx.Gather-11", "onnx.Gather-13"], $call,
    "outcomes": ["accepted what must be rejected"], "finding": "mine-clamps" },
  { "case": "gather-index-one-past-the-end", "operator": "openvino.Gather-8", $call, "outcomes": ["crash"], "finding": "mine-dies" },
  { "case": "gather-nd-batch-dims-minus-2", "operator": "onnx.GatherND-13", $call, "outcomes": ["crash"], "finding": "mine-negative" } ] }
JSON
cat >data/spec_cases/known_failures/mine-fast.json <<JSON
{ "implementation": "mine:fast", "versions": "1.2", "failures": [
  { "case": "gather-index-one-past-the-end", "operator": "openvino.Gather-8", $call, "outcomes": ["crash"], "finding": "mine-dies" } ] }
JSON

mkdir data/spec_cases/clarifications
clarification() {  # ID TITLE RULE CASES
  cat >"data/spec_cases/clarifications/$1.json" <<JSON
{ "id": "$1", "title": "$2", "topic": "indices", "operators": ["onnx.Gather-13", "onnx.GatherND-13"], "rules": ["$3"], "says": "s", "silent": "n",
  "readings": [ { "reading": "r", "for": "f" }, { "reading": "q", "against": "a" } ], "why": "w", "question": "q", $4 }
JSON
}
clarification past-the-end 'Whether an index may be past the end' onnx.gather-13.semantics.slice-per-entry '"cases": ["gather-index-one-past-the-end"]'
clarification below-zero 'Whether batch_dims may be negative' onnx.gather-nd-13.batch_dims.negative '"no_case": "none"'
clarification of-the-rule 'Whether it is an error' onnx.gather-13.indices.error '"no_case": "none"'

# --- the list, and what it is narrowed to
expect 'help has examples' 0 'Examples:' findings --help
expect 'the gravest come first' 0 '^crash missing error 3 findings' sh -c "'$gathercheck' findings | sed -n '/^[a-z0-9]/p' | sed 's/;.*//' | tr '\n' ' '"
expect 'with engine, versions and executions' 0 '^  mine-clamps \(My Engine 1\.0 to 1\.2, 2 executions\)$' findings
expect 'of several implementations' 0 '^  mine-dies \(My Engine 1\.2, 2 executions\)$' findings
expect 'those of one implementation' 0 '^1 finding;' findings --implementation mine:fast
expect 'those of one severity' 0 '^  mine-clamps' findings --severity 'missing error'
expect 'are alone' 0 '^1 finding;' findings --severity 'missing error'
expect 'none is an answer, too' 0 '^0 findings$' findings --severity hang
expect 'all of them in full' 0 '^  observed: crash$' findings --full

# --- one
expect 'one by its id: how grave, and how often' 0 '^  missing error, My Engine 1\.0 to 1\.2 \(mine\), 2 executions of 1 case$' findings mine-clamps
expect 'which rule it breaks, and where that stands' 0 '^  breaks onnx.gather-13.indices.error \(stated; onnx/Gather, [A-Z].*; onnx/Gather-13, [A-Z]' findings mine-clamps
expect 'by which call' 0 '^  a small call: case gather-index-one-past-the-end, onnx.Gather-13, runtime/static$' findings mine-clamps
expect 'on the page, too' 0 '^- A small call: .onnx.Gather-13.' findings --format markdown
expect 'with which operands' 0 '^    indices: i64 \[2\] = 3, 0$' findings mine-clamps
expect 'what must come' 0 "^  expected: the call is rejected, by any error \\(index_out_of_bounds in the suite's words\\)$" findings mine-clamps
expect 'what came, all of it, and nothing else' 0 '^  observed: accepted what must be rejected: f32 \[2, 2\] = \[1, 2, 5, 6\] and more$' findings mine-clamps
expect 'and the program' 0 '^  program: .*/reproducers/mine/clamps.py$' findings mine-clamps
last_of() { "$gathercheck" findings "$@" | tail -n 1; }
expect 'which point is open of its case comes last' 0 '^  Open point: Whether an index may be past the end \(gathercheck clarifications past-the-end\)$' last_of mine-clamps
expect 'and nothing of other operator versions' 0 '^  program: ' last_of mine-dies
expect 'nor of every rule that a sentence states' 1 '^0$' sh -c "'$gathercheck' findings mine-clamps | grep -c of-the-rule"
expect 'but of a reading' 0 '^  Open point: Whether batch_dims may be negative ' last_of mine-negative
expect 'ids may be patterns' 0 '^mine-dies$' findings 'mine-*'
expect 'an id that nothing has' 4 '"mine-clamp" is no finding of the catalogue; near it are mine-clamps' findings mine-clamp
expect 'an id like none' 4 '`gathercheck findings` shows them all' findings something-else-altogether
expect 'an implementation that nothing has' 4 'there are findings of mine, mine:fast' findings --implementation yours
expect 'a severity that is none' 4 '--severity' findings --severity grave
expect 'a format that is none' 4 '--format' findings --format html

# --- the versions that show it
mkdir data/spec_cases/findings/history
history() { # what is told of each version asked, 1.0 to 1.4, in the members of the entry of mine-clamps
  cat >data/spec_cases/findings/history/mine.json <<JSON
{ "engine": "mine", "asked": ["1.0", "1.1", "1.2", "1.3", "1.4"], "findings": [ { "id": "${2:-mine-clamps}", $1 } ] }
JSON
}
told() { # NAME MEMBERS WHAT
  history "$2"
  expect "$1" 0 "^  versions: $3$" findings mine-clamps
}
told 'it came and went' '"not_shown": ["1.0", "1.3", "1.4"], "shown": ["1.1", "1.2"]' 'since 1\.1, not in 1\.0; fixed in 1\.3, in 1\.2 still'
told 'it was always there' '"shown": ["1.0", "1.1", "1.2", "1.3", "1.4"]' 'in all 5 versions, 1\.0 to 1\.4'
told 'what did not run is told apart' '"not_run": ["1.0", "1.1"], "not_shown": ["1.2"], "shown": ["1.3", "1.4"]' \
  'since 1\.3, not in 1\.2; in the newest asked, 1\.4, still; not run: 1\.0, 1\.1'
told 'it went and came back' '"shown": ["1.0", "1.2", "1.4"], "not_shown": ["1.1", "1.3"]' 'in the oldest .*, 1\.4, still; in between not in 1\.1, 1\.3'
told 'nothing ran' '"not_run": ["1.0", "1.1", "1.2", "1.3", "1.4"]' 'nothing can be said of the versions asked; not run: 1\.0, .*'
told 'it failed in another way' '"otherwise": ["1.0", "1.1"], "shown": ["1.2", "1.3", "1.4"]' \
  'in all 3 versions, 1\.2 to 1\.4; fails in another way in 1\.0, 1\.1'
told 'none shows it' '"not_run": ["1.0"], "not_shown": ["1.1", "1.2", "1.3", "1.4"]' 'in none of 4 versions, 1\.1 to 1\.4; not run: 1\.0'
expect 'the page says it, too' 0 '^- Versions: in none of 4 versions' findings --format markdown
expect 'and the report' 0 '^\*\*History:\*\* in none of 4 versions' findings mine-clamps --format markdown
expect 'and JSON' 0 '"not_run": ?\["1.0"\]' sh -c "'$gathercheck' findings mine-clamps --format json | tr -d '\n '"
expect 'nothing is said of others' 1 '^0$' sh -c "'$gathercheck' findings mine-dies | grep -c versions:"
history '"shown": ["1.0", "1.5"], "not_shown": ["1.0", "1.1", "1.2", "1.3"]'
expect 'a version that was not asked is refused' 4 'mine.json: /findings/0: the version "1.5" is not among those of "asked"' findings
expect 'so is one in two lists' 4 'the version "1.0" stands in 2 of shown, not_shown, otherwise and not_run' findings
expect 'and one in none' 4 'the version "1.4" stands in 0 of shown' findings
history '"shown": ["1.0", "1.1", "1.2", "1.3", "1.4"]' mine-sleeps
expect 'and a finding that is none' 4 '/findings/0/id: "mine-sleeps" is no finding of the catalogue' findings
rm -r data/spec_cases/findings/history

# --- a report to post
expect 'a report has a title' 0 '^# An index \\\*past\\\* the end is clamped$' findings mine-clamps --format markdown
expect 'its own, if there is one' 0 '^# It dies of batch dimensions$' findings mine-negative --format markdown
expect 'and the statement' 0 '^A negative batch.*dims ends the process, whatever its size$' findings mine-negative --format markdown
expect 'the versions' 0 'My Engine 1\.0 to 1\.2; seen in onnx.Gather-11, onnx.Gather-13' findings mine-clamps --format markdown
expect 'what must come' 0 '^\*\*Expected:\*\* the call is rejected, by any error \(index' findings mine-clamps --format markdown
expect 'what came, and nothing else' 0 '^\*\*Got:\*\* f32 .*2, 2.* = ' findings mine-clamps --format markdown
expect 'whose words are those of the rule' 0 '^## What the specification says, in our words$' findings mine-clamps --format markdown
expect 'where its sentence stands' 0 '^- .* \(\[onnx/Gather, .*\]\(https://onnx.ai/onnx/operators/onnx__Gather.html\)\)$' findings mine-clamps --format markdown
expect 'what no sentence says stands apart' 0 '^## How we read it - batch' sh -c "'$gathercheck' findings mine-negative --format markdown | tr -s '\n' ' ' | sed 's/## How/\n&/'"
expect 'and not as what the specification says' 1 '^0$' sh -c "'$gathercheck' findings mine-negative --format markdown | grep -c 'What the specification says'"
expect 'which point is open' 0 '^- Open point: Whether an index may be past the end \(gathercheck clarifications past-the-end\)$' findings mine-clamps --format markdown
expect 'on the page, too' 0 '^- Open point: Whether an index may be past the end' findings --format markdown
expect 'the program in full' 0 "^print\('output \[1\] 00'\)$" findings mine-clamps --format markdown
expect 'as code' 0 '^```python$' findings mine-clamps --format markdown
expect 'what a reader must know, and where it was told' 0 '^the checker finds it$' findings mine-clamps --format markdown
expect 'several reports are kept apart' 0 '^---$' findings 'mine-*' --format markdown

# --- JSON, tables and parts of pages
expect 'as JSON: what is open' 0 '"id": "below-zero"' findings mine-negative --format json
expect 'as JSON' 0 '"executions": 2' findings mine-clamps --format json
if python3 -c 'import jsonschema' 2>/dev/null; then
  expect 'that its schema takes' 0 '^valid$' sh -c "'$gathercheck' findings --format json | python3 '$sources/tools/tests/validate.py' '$sources/conformance/schemas' findings_report"
  expect 'the shipped ones, too' 0 '^valid$' \
    sh -c "GATHERCHECK_SHARE='$shipped' '$gathercheck' findings --format json | python3 '$sources/tools/tests/validate.py' '$sources/conformance/schemas' findings_report"
fi
expect 'the ten gravest in a table' 0 '^\| crash \| My Engine 1\.2 \| \[it dies of zeros\]\(spec_cases/findings/findings.md#mine-dies\) \|$' findings --table gravest
expect 'engines against operator versions' 0 '^\| openvino.Gather-8 \| 1, crash \|$' findings --table engines
expect 'all operator versions' 0 '^\| onnx.Gather-1 \|  \|$' findings --table engines
printf 'before\n<!-- gathercheck findings --table engines -->\nold\n<!-- end -->\nafter\n' >page.md
expect 'a part of a page is written anew' 0 'page.md says what the findings say' findings --update page.md
expect 'between its markers' 0 '^before <!-- gathercheck findings --table engines -->  \| operator version .*\|  <!-- end --> after $' sh -c "tr '\n' ' ' <page.md"
expect 'a page without parts' 4 'data/spec_cases/findings/mine.json has no part to be written' findings --update data/spec_cases/findings/mine.json
printf '<!-- gathercheck findings --table worst -->\n<!-- end -->\n' >bad.md
expect 'a part that is not known' 4 'bad.md: there is no part "--table worst"; use' findings --update bad.md
printf '<!-- gathercheck findings --table engines -->\n' >bad.md
expect 'a part without an end' 4 'bad.md: a part begins with .* ends it' findings --update bad.md
expect 'a page that is not there' 4 'nowhere.md' findings --update nowhere.md
expect 'a page beside a choice' 4 'leave out the rest' findings --update page.md --severity crash

# --- check: findings and known failures hold together
check() { "$gathercheck" check "$@"; }
expect 'findings that their executions show are right' 0 '3 findings, 5 known failures: ' check
sed -i.bak 's/whatever its size/with one statement that goes on and on beyond what a title may have/; s/"title": [^,]*, //' data/spec_cases/findings/mine.json
expect 'a statement of 120 characters is its own title' 0 '3 findings' check
sed -i 's/goes on and on/goes on and on and on and on and on and on/' data/spec_cases/findings/mine.json
expect 'a long one needs another' 4 'findings/mine.json: /findings/2: .* is longer than 120 characters; write a short "title"' check
mv data/spec_cases/findings/mine.json.bak data/spec_cases/findings/mine.json
sed -i 's/"mine-clamps" }/"mine-dies" }/' data/spec_cases/known_failures/mine.json
expect 'a known failure whose finding breaks no rule of it' 4 'the finding mine-dies .* cites no rule of onnx.Gather-11' check
sed -i 's/"finding": "mine-dies" },$/"reason": "it clamps" },/' data/spec_cases/known_failures/mine.json
expect 'a shipped known failure without a finding' 4 'known_failures/mine.json: /failures/0: names no finding' check
expect 'and a finding that none names' 4 'findings/mine.json: /findings/0: no known failure names mine-clamps' check
echo 'print()' >data/spec_cases/findings/reproducers/mine/left.py
expect 'and a program that none names' 4 'mine/left.py: no finding names this reproducer' check

# --- the committed pages
unset GATHERCHECK_SHARE
cp "$sources/README.md" README.md
cp "$sources/spec_cases/findings/findings.md" findings.md
for name in README.md findings.md; do
  expect "$name has parts" 0 'says what the findings say' findings --update "$name"
done
same() {  # $1: the committed file, $2: what it should be
  if diff "$1" "$2" >difference; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s does not say what the data say; write it anew with:\n  gathercheck findings --update README.md --update spec_cases/findings/findings.md\n' "$1"
    head -n 20 difference
  fi
}
same "$sources/README.md" README.md
same "$sources/spec_cases/findings/findings.md" findings.md
expect 'of each finding where the text is open a clarification tells' 0 '^([0-9]+) of \1$' sh -c "'$gathercheck' findings --severity 'open text' --format json |
  python3 -c 'import json, sys; all = json.load(sys.stdin)[\"findings\"]; print(sum(1 for each in all if each[\"open_points\"]), \"of\", len(all))'"
expect 'the README shows the gravest' 0 '^\| memory outside \|' cat "$sources/README.md"
expect 'and engines against operator versions' 0 '^\| onnx.Gather-13 \|' cat "$sources/README.md"
sed -n 's/.*findings.md#\([a-z0-9-]*\)).*/<a id="\1"><\/a>/p' README.md | sort -u >links
expect 'whose links lead to entries' 1 '^$' sh -c "grep -vxFf findings.md links || { echo; exit 1; }"

finish
