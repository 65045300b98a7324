#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Known failures of a program that moves, changes its version or reads garbage, and programs that answer nothing. usage:
# tools/tests/known_failures.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
without_sweeps

# Answers the case "good"; where the call must be rejected it gives what file "garbage" holds: a value, or two for the two passes.
cat >engine.sh <<'SH'
read -r line
echo '{"message":"hello","protocol":1,"implementation":{"name":"my engine","version":"1.31.1+cpu"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"]}],"answers":["run"]}'
value() { echo "{\"seq\":$seq,\"output\":{\"type\":\"f32\",\"shape\":[1],\"base64\":\"$1\"}}"; }
read -r -a garbage <garbage
calls=0
while read -r line; do
  seq=${line#*\"seq\":}; seq=${seq%%[,\}]*}
  case $line in
    *'"message":"goodbye"'*) exit 0 ;;
    *'AwAAAAAAAAA='*) value "${garbage[calls++ % ${#garbage[@]}]}" ;;  # index 3
    *'AgAAAAAAAAA='*) value AABAQA== ;;  # index 2: 3.0
    *) value AACAPw== ;;                 # index 0: 1.0
  esac
done
SH
case_of() {  # $1: id, $2: index, $3: expectation
  cat <<JSON
{ "cases": [ { "id": "$1", "title": "a case", "inputs": {
    "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [1], "values": [$2] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error", "onnx.gather-13.formula.axis0"], $3 } ] } ] }
JSON
}
case_of good 2 '"output": { "type": "f32", "shape": [1], "values": [3] }' >good.json
case_of outside 3 '"error": "index_out_of_bounds"' >outside.json
cases=(--cases good.json --cases outside.json)
mkdir -p first second
cp engine.sh first/
cp engine.sh second/
here="exec:/bin/bash first/engine.sh"
there="exec:/bin/bash second/engine.sh"
run() { "$gathercheck" run "${cases[@]}" "$@"; }

# --- the name by which it introduces itself
echo 'AADgQA==' >garbage
expect 'a new file' 1 'known.json: executions dropped: 0, added: 1' \
  run --implementation "$here" --known-failures known.json --update-known-failures --reason 'it reads outside data'
expect 'has its own name' 0 '"implementation": "my engine",' cat known.json
expect 'and the reason that was given' 0 '"reason": "it reads outside data"' cat known.json
expect 'so that it is accepted at once' 0 'conforms but for 1 known failure \(exit 0\)' run --implementation "$here" --known-failures known.json
expect 'wherever the program lies' 0 'conforms but for 1 known failure \(exit 0\)' run --implementation "$there" --known-failures known.json
expect 'with several processes' 0 'conforms but for 1 known failure \(exit 0\)' run --implementation "$there" --known-failures known.json --jobs 2
expect 'and by a name of its own' 0 '^one +1\.31\.1\+cpu +1 .*' run --implementation "one=$there" --known-failures known.json
expect 'two programs of that name are told' 4 "known.json is about the implementation 'my engine', and so call themselves both exec:.*first.* and exec:.*second" \
  run --implementation "$here" --implementation "$there" --known-failures known.json
sed 's/"my engine"/"one"/' known.json >one.json
expect 'names tell them apart' 1 '^two +1\.31\.1\+cpu +1 +1' \
  run --implementation "one=$here" --implementation "two=$there" --known-failures one.json --output named.jsonl
expect 'in the records' 0 '"implementation":"one","version":"1.31.1.cpu".*"verdict":"known failure"' whole named.jsonl
expect 'and in lines that repeat' 1 "repeat: .* --implementation 'two=exec:/bin/bash second/engine.sh' --filter" "$gathercheck" report named.jsonl
sed 's/"my engine"/"exec:\/bin\/bash first\/engine.sh"/' known.json >path.json
expect 'a file that names the command line holds' 0 'conforms but for 1' run --implementation "$here" --known-failures path.json
expect 'for the same with a name, too' 0 'conforms but for 1' run --implementation "one=$here" --known-failures path.json
expect 'but not elsewhere, which is said' 4 "which is not run; exec:/bin/bash second/engine.sh calls itself 'my engine'; add" \
  run --implementation "$there" --known-failures path.json
expect 'a name is checked' 4 "'my engine' is no name for a program" run --implementation "my engine=$here"
expect 'and must be free' 4 'onnxruntime is the name of another implementation' run --implementation "onnxruntime=$here"
expect 'and given once' 4 'two implementations are called one' run --implementation "one=$here" --implementation "one=$there"
expect 'a new file of a named one has that name' 1 'added: 1' \
  run --implementation "one=$here" --known-failures new.json --update-known-failures
expect 'as it was given' 0 '"implementation": "one"' cat new.json

# --- reasons
expect 'a reason without an update' 4 '--reason' run --implementation "$here" --reason 'it clamps'
expect 'an empty reason' 4 '--reason is empty' run --implementation "$here" --known-failures x.json --update-known-failures --reason ' '

# --- findings: in the shipped data, and in a file of one's own
share=$(cd "$(dirname "$gathercheck")/../share/gathercheck" && pwd)
mkdir -p data/spec_cases/{known_failures,findings/reproducers/mine}
ln -s "$share"/spec_cases/{cases,rules,dialects,equations.json} data/spec_cases
echo 'print("output")' >data/spec_cases/findings/reproducers/mine/outside.py
cat >data/spec_cases/findings/mine.json <<'JSON'
{ "engine": "Mine", "findings": [ { "id": "mine-reads-outside", "implementations": ["my engine"], "severity": "memory outside",
  "statement": "an index past the end is read", "rules": ["onnx.gather-13.indices.error"],
  "call": { "case": "outside", "operator": "onnx.Gather-13", "route": { "operands": "runtime", "shapes": "static" } },
  "outcome": "accepted what must be rejected", "reproducer": "mine/outside.py", "seen": { "first": "1.31.1", "last": "1.31.1" } } ] }
JSON
with_data() { GATHERCHECK_SHARE="$PWD/data" run --implementation "$here" "$@"; }
shipped=data/spec_cases/known_failures/mine.json
expect 'new entries of a shipped file wait for a finding' 1 'write the empty "finding" of each new entry: .*findings/README.md' \
  with_data --known-failures "$shipped" --update-known-failures
expect 'which is empty' 0 '"finding": ""' cat "$shipped"
expect 'and refused until then' 4 'mine.json: /failures/0/finding: ' with_data --known-failures "$shipped"
rm "$shipped"
expect '--finding fills it in' 1 'executions dropped: 0, added: 1' \
  with_data --known-failures "$shipped" --update-known-failures --finding mine-reads-outside
expect 'in place of a reason and rules' 1 '^0$' grep -cE '"(reason|rule|reproducer)"' "$shipped"
expect 'so that the file is taken at once' 0 'conforms but for 1 known failure \(exit 0\)' with_data --known-failures "$shipped" --output found.jsonl
expect 'and records have what the finding says' 0 \
  '"reason":"an index past the end is read","rules":\["onnx.gather-13.indices.error"\],"shown_by":"[^"]*findings/reproducers/mine/outside.py"' cat found.jsonl
expect 'a file of your own may name it' 1 'added: 1' \
  with_data --known-failures own.json --update-known-failures --finding mine-reads-outside
expect 'and is taken' 0 'conforms but for 1' with_data --known-failures own.json
expect 'a finding that is not there is told before the run, with those near it' 4 '"mine-read-outside" is no finding of the catalogue; near it are mine-reads-outside' \
  with_data --known-failures own.json --update-known-failures --finding mine-read-outside
expect 'a finding without an update' 4 '--finding' with_data --finding mine-reads-outside
expect 'a finding beside a reason' 4 '--reason' \
  with_data --known-failures own.json --update-known-failures --finding mine-reads-outside --reason 'it clamps'
sed -i 's/onnx.gather-13.indices.error/onnx.gather-11.indices.error/' data/spec_cases/findings/mine.json
expect 'a finding that breaks no rule of the version' 4 'own.json: /failures/0/finding: the finding mine-reads-outside .* cites no rule of onnx.Gather-13' \
  with_data --known-failures own.json
rm own.json
expect 'which an update says, too' 1 'mine-reads-outside cites no rule of onnx.Gather-13: until it does the file is refused' \
  with_data --known-failures own.json --update-known-failures --finding mine-reads-outside
sed -i 's/"memory outside"/"grave"/' data/spec_cases/findings/mine.json
expect 'a bad finding ends every run' 4 'mine.json: /findings/0/severity: "grave" is no severity' with_data

# --- versions
for versions in '"1.31.1"' '"1.31.*"' '"1.30 - 1.31.1"' '">=1.30 <1.32"' '"*"' '["1.30.0", "1.31.*"]'; do
  sed "s/\"versions\": .*/\"versions\": $versions,/" known.json >versions.json
  expect "versions $versions hold" 0 'conforms but for 1 known failure' run --implementation "$here" --known-failures versions.json
done
sed 's/"versions": .*/"versions": "1.30.*",/' known.json >versions.json
expect 'other versions do not' 1 'are about versions 1.30.\*; this is 1.31.1\+cpu: they are not applied; ' \
  run --implementation "$here" --known-failures versions.json
sed 's/"versions": .*/"versions": "any",/' known.json >versions.json
expect 'what is no pattern is refused' 4 "versions.json: /versions: .any. is no pattern of versions: .any. has no number; write 1.31.1" \
  run --implementation "$here" --known-failures versions.json

# --- garbage
for garbage in 'AADgQA==' 'AADgQA== AAAAQQ==' 'AAAAQQ==' 'AAAAQQ== AADgQA=='; do
  echo "$garbage" >garbage
  cp known.json before.json
  expect "garbage $garbage is the known failure" 0 'conforms but for 1 known failure' run --implementation "$here" --known-failures known.json
  expect 'and moves no entry' 0 'dropped: 0, added: 0' \
    run --implementation "$here" --known-failures known.json --update-known-failures
  expect 'of the file' 0 'the same' sh -c 'cmp known.json before.json && echo the same'
done

# --- programs that answer nothing
hello=$(sed -n '2p' engine.sh | sed 's/"data":\["f32"\]/"data":["f32","i32","i64"]/; s/"onnx.Gather-13"/"onnx.Gather-13","openvino.Gather-8"/')
printf 'read -r line\n%s\nread -r line\necho "no licence" >&2\nexit 9\n' "$hello" >dies.sh
printf 'read -r line\n%s\nread -r line\nsleep 60\n' "$hello" >hangs.sh
expect 'a program that dies in every call is given up' 1 \
  'of its executions were not run: none of its first 5 calls, which .* was answered; the last: crash: exited with code 9; its stderr ends: no licence; .* gathercheck smoke .exec:/bin/bash dies.sh' \
  "$gathercheck" run --implementation 'exec:/bin/bash dies.sh' --jobs 1 --output dead.jsonl
cp output said
expect 'which does not conform' 0 'does not conform \(exit 1\)' cat said
expect 'with hardly a warning' 0 '^[01]$' sh -c 'grep -c "^warning:" said || :'
expect 'a report says the same' 1 'none of its first 5 calls' "$gathercheck" report dead.jsonl
expect 'with several processes, too' 1 'none of its first 5 calls' "$gathercheck" run --implementation 'exec:/bin/bash dies.sh' --jobs 3
start=$(date +%s)
expect 'and so is one that hangs in every call' 1 'none of its first 5 calls, .*; the last: timeout: no answer in 0.3 s' \
  "$gathercheck" run --implementation 'exec:/bin/bash hangs.sh' --time-limit 0.3
expect 'after a few time limits' 0 '^(0|1)?[0-9]$' echo $(($(date +%s) - start))

# --- a program that is known to hang: it is not waited for as long as the others
sed 's/\*.AwAAAAAAAAA=.\*) .*/*AwAAAAAAAAA=*) sleep 60 ;;/' engine.sh >waits.sh
cat >waits.json <<'JSON'
{ "implementation": "my engine", "versions": "1.31.1", "failures": [
  { "case": "outside", "operator": "onnx.Gather-13", "route": {"operands": "runtime", "shapes": "static"}, "outcomes": ["timeout"],
    "reason": "it waits for an index that is none" } ] }
JSON
start=$(date +%s)
expect 'a known timeout has a limit of its own' 0 'conforms but for 1 known failure \(exit 0\)' run --implementation 'exec:/bin/bash waits.sh' \
  --known-failures waits.json --known-timeout-limit 0.3 --output waits.jsonl
expect 'which is short' 0 '^1?[0-9]$' echo $(($(date +%s) - start))
expect 'and in the record' 0 '"known_timeout_limit":0.3' cat waits.jsonl

# --- a sample, in which each case of a sweep goes by one of its routes, says nothing of the others
sed 's/"indices":\["i64"\]/&,"operands":["runtime","constant"]/' engine.sh >two_routes.sh
cat >swept.json <<'JSON'
{ "cases": [ { "id": "swept", "title": "an axis out of range", "axis": "$axis", "inputs": {
    "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [1], "values": [0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.axis.range"], "error": "axis_out_of_range" } ],
  "sweep": { "axis": [5, 6] } } ] }
JSON
swept=(--implementation 'exec:/bin/bash two_routes.sh' --cases swept.json --known-failures swept_known.json)
expect 'known failures of whole sweeps' 1 'added: 4' "$gathercheck" run "${swept[@]}" --sweeps all --update-known-failures --reason 'it takes any axis'
expect 'are confirmed by whole sweeps' 0 'conforms but for 4 known failures' "$gathercheck" run "${swept[@]}" --sweeps all
expect 'and by a sample as far as it goes' 0 'conforms but for 2 known failures' "$gathercheck" run "${swept[@]}"
expect 'without a word of the rest' 0 '^0$' sh -c '"$@" 2>&1 | grep -c "is not run" || :' sh "$gathercheck" run "${swept[@]}"
expect 'which takes none of them out' 0 'dropped: 0, added: 0' "$gathercheck" run "${swept[@]}" --update-known-failures
finish
