#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command as a user meets it: exit codes, messages and files. usage: tools/tests/command.sh GATHERCHECK MY_GATHER
set -u

gathercheck=$1
my_gather=$2
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# worker NAME: writes standard input as a worker script and sets $worker to the implementation's name.
worker() {
  cat >"$1.sh"
  worker="exec:/bin/bash $folder/$1.sh"
}

case_of() {  # one ONNX case; $1: id, $2: indices, $3: expectation
  cat <<JSON
{ "cases": [ { "id": "$1", "title": "a case", "inputs": {
    "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] },
    "indices": { "type": "i64", "shape": [2], "values": $2 } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error", "onnx.gather-13.formula.axis0"], $3 } ] } ] }
JSON
}
case_of good '[2, 0]' '"output": { "type": "f32", "shape": [2], "values": [3, 1] }' >good.json
case_of wrong '[2, 0]' '"output": { "type": "f32", "shape": [2], "values": [3, 2] }' >wrong.json
case_of rejected '[3, 0]' '"error": "index_out_of_bounds"' >rejected.json
cat >two.json <<JSON
{ "cases": [ $(sed -e '1s/^{ "cases": \[//' -e '$s/ \] }$//' good.json), $(sed -e '1s/^{ "cases": \[//' -e '$s/ \] }$//' rejected.json) ] }
JSON
cat >never.json <<'JSON'
{ "cases": [ { "id": "never", "title": "two types that are not allowed, of which the first is reported", "inputs": {
    "data": { "type": "u4", "shape": [2], "values": [1, 2] }, "indices": { "type": "i8", "shape": [1], "values": [0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.types.T", "onnx.gather-13.types.Tind"], "error": "unsupported_type" } ] } ] }
JSON

without_sweeps

# --- help, usage, listing
expect 'help has the verbs' 0 '^ +explain ' "$gathercheck" --help
for verb in run worker report diff list explain check coverage import policy claim compare porting; do
  expect "$verb has help with an example" 0 'Example' "$gathercheck" $verb --help
done
expect 'no verb is bad usage' 4 'subcommand is required' "$gathercheck"
expect 'an unknown verb is named' 4 "there is no verb 'rum'; near it: run; .gathercheck --help. lists them" "$gathercheck" rum
expect 'an unknown option is bad usage' 4 '--colour' "$gathercheck" run --colour
expect 'cases are listed with their titles' 0 'gather-7-example-1|documented' "$gathercheck" list --sweeps none
if command -v script >/dev/null; then
  expect 'a terminal shows each case in one line' 0 '^gather-index-scalar  +a scalar index re[.][.][.].?$' \
    script -qec "stty cols 70; '$gathercheck' list --sweeps none" /dev/null
  # shellcheck disable=SC2016 # it is the inner shell that expands
  expect 'and a run how long it still takes' 0 'of [0-9]+, [0-9]+ a second, [0-9]+ (s|min|h) left' \
    script -qec "timeout 30 '$gathercheck' run --implementation 'p=exec:$gathercheck worker --reference'; true" /dev/null
fi
expect 'operators are listed' 0 '^openvino.GatherND-5' "$gathercheck" list operators
expect 'implementations are listed, unavailable ones too' 0 '^optimized:neon64 +unavailable' "$gathercheck" list implementations
expect 'rules are listed' 0 '^onnx.gather-13.axis.range ' "$gathercheck" list rules --filter operator=onnx.Gather-13
expect 'counts are listed by operator version' 0 '^onnx.Gather-13 +1 +0 +1 +[1-9]' "$gathercheck" list counts --cases good.json
expect 'counts are listed by what is expected' 0 '^index_out_of_bounds +1 +0 +1 +[1-9]' "$gathercheck" list counts --cases rejected.json
expect 'counts are listed by type' 0 '^f32 +1 +0 +1 +[1-9]' "$gathercheck" list counts --cases good.json
expect 'counts are listed by rule' 0 '^onnx.gather-13.formula.axis0 +1 +0 +1 +[1-9]' "$gathercheck" list counts --cases good.json
expect 'counts as JSON' 0 '"hand_written_cases": 1' "$gathercheck" list counts --cases good.json --format json
expect 'counts of the shipped cases know sweeps' 0 '^all +[0-9]{4} +[0-9]{5} +[0-9]{5} +[0-9]{5}' with_sweeps "$gathercheck" list counts
expect 'every choice of sweeps is taken' 0 gather-7-example-1 "$gathercheck" list --sweeps written --filter case=documented-gather-7-example-1
expect 'a list as JSON' 0 '"id": "good"' "$gathercheck" list --cases good.json --format json

# --- the reference and the rows
expect 'a right case passes everywhere' 0 'conforms \(exit 0\)' "$gathercheck" run --cases good.json
expect 'a rejection passes with its control' 0 'conforms \(exit 0\)' "$gathercheck" run --cases rejected.json
expect 'a wrong expectation is a failure that repeats itself' 1 'repeat: [^ ]*gathercheck run --cases wrong.json --implementation reference --filter case=wrong --filter operator=onnx.Gather-13 --filter route=runtime/static' \
  "$gathercheck" run --cases wrong.json --implementation reference
expect 'the repeating line shows the same failure alone' 1 'expected 2, got 1' "$gathercheck" run --cases wrong.json \
  --implementation reference --filter case=wrong --filter operator=onnx.Gather-13 --filter route=runtime/static
expect 'a summary as JSON' 0 '"exit_code": 0' "$gathercheck" run --cases good.json --format json
expect 'a target that this CPU lacks is trouble when asked for' 3 'trouble: optimized:neon64 is unavailable \(exit 3\)' "$gathercheck" run --cases good.json --implementation optimized:neon64
expect 'check finds the wrong expectation' 4 'wrong.json: /cases/0: case wrong for onnx.Gather-13: the reference disagrees' "$gathercheck" check wrong.json
expect 'check is content with right cases' 0 'agree' "$gathercheck" check good.json rejected.json
expect 'explain shows where elements come from' 0 'output\[0\] = data\[2\]' "$gathercheck" explain good --cases good.json
expect 'explain shows other readings of a bad index' 0 'nearest legal index would give' "$gathercheck" explain rejected --cases rejected.json
expect 'explain shows what a sequence comes after' 0 '^After the call of sequence-call-axis-0, of the same model: ' \
  "$gathercheck" explain sequence-other-axis
expect 'and list does' 0 '^sequence-other-axis  .* \(after sequence-call-axis-0\)  ' "$gathercheck" list cases --filter case=sequence-other-axis
expect 'also as JSON' 0 '"after": "sequence-call-axis-0"' "$gathercheck" list cases --filter case=sequence-other-axis --format json
expect 'explain of an unknown case suggests others' 4 "no case 'goo', and no rule, finding or clarification of that name; near it: good" "$gathercheck" explain goo --cases good.json

# --- coverage
expect 'every rule that can be tested is, and every claim of the shipped cases holds' 0 'every claim holds' "$gathercheck" coverage
expect 'a rule without cases is named with what one must show' 1 'rule onnx.gather-13.axis.range: no case keeps it; one must show:' \
  "$gathercheck" coverage --cases good.json --filter operator=onnx.Gather-13
expect 'a rejection is no case that keeps a rule' 1 'rule onnx.gather-13.indices.error: no case keeps it; one must' \
  "$gathercheck" coverage --cases rejected.json --filter operator=onnx.Gather-13
expect 'a case that claims what its call never comes to is named' 1 'case never for onnx.Gather-13 names rule onnx.gather-13.types.Tind, but its call never' \
  "$gathercheck" coverage --cases never.json --filter operator=onnx.Gather-13
expect 'coverage as JSON' 0 '"id": "onnx.gather-13.axis.range"' "$gathercheck" coverage --format json
expect 'a folder of documents that is not there is no failure' 0 'no-such-folder: the folder is not there' \
  "$gathercheck" coverage --documents no-such-folder
mkdir -p before after empty
printf 'Gather\n\nNobody knows this sentence. Nor that one.\n' >before/a.txt
printf 'Nothing of that.\n' >after/a.txt
expect 'a sentence without a rule is named' 1 'before/a.txt: this unit of .* is neither a rule.s nor informative: "Nor that one."' \
  "$gathercheck" coverage --documents before
expect 'a document that nobody knows is listed' 0 'of no document: a.txt' "$gathercheck" coverage --documents after
expect 'a folder without a document compares nothing' 4 'the folder empty holds no document' "$gathercheck" coverage --documents empty
expect 'two folders are compared' 0 '^- .*: Nor that one.' "$gathercheck" coverage --documents before --documents after
expect 'coverage counts whole operator versions' 4 'write --filter operator=PATTERN' "$gathercheck" coverage --filter case=good

expect 'sweeps that are left out are not counted' 0 ' executions of 1 case in ' "$gathercheck" run --implementation reference --sweeps none --filter case=gather-scalar-from-vector
expect 'but told' 0 '^the sweeps were left out; --sweeps all runs them all' with_sweeps "$gathercheck" run --implementation reference --sweeps none --filter operator=onnx.Gather-13

# --- the out-of-bounds map
expect 'the map has a row for what zero-fills' 0 '^reference 1[^ ]* +openvino.Gather-8 +runtime .* zero ' "$gathercheck" policy
expect 'nothing of the reference departs' 0 '^optimized ' "$gathercheck" policy
if grep -q '[a-z)] !' output; then
  failed=$((failed + 1))
  echo 'FAILED: the reference departs from the specification in the map'
fi
expect 'the map in Markdown' 0 '^\| --- \| --- ' "$gathercheck" policy --format markdown --filter operator=onnx.Gather-13
expect 'the map as JSON' 0 '"standing": "conforms"' "$gathercheck" policy --format json --filter operator=onnx.Gather-13
"$gathercheck" run --implementation reference --sweeps none --filter operator=onnx.GatherND-13 --output map.jsonl >/dev/null
expect 'the map from records' 0 '^reference .* onnx.GatherND-13 +runtime +value +value +value +error' "$gathercheck" policy --records map.jsonl
"$gathercheck" run --implementation reference --sweeps none --filter case=gather-axis-minus-1 --output one_call.jsonl >/dev/null
expect 'the page of a run has the map' 0 '"map":\{"legend":"' "$gathercheck" report map.jsonl --format page-data
expect 'and one without its cases has none' 0 '"map":null' "$gathercheck" report one_call.jsonl --format page-data
expect 'a record without cases of the map' 4 'no case of the map was run: .* what is claimed .* data of type f32 and indices of type i64' "$gathercheck" policy --records map.jsonl --filter operator=onnx.Gather-13
expect 'the map has cases of its own' 4 'cases of its own' "$gathercheck" policy --filter case=good
expect 'the map says what is not there' 3 'is unavailable' "$gathercheck" policy --implementation optimized:neon64

# --- bad input
expect 'a missing file' 4 'no-such.json' "$gathercheck" run --cases no-such.json
printf '{ "cases": [ }' >broken.json
expect 'a broken file is named with the place' 4 'broken.json' "$gathercheck" run --cases broken.json
sed 's/onnx.Gather-13"\]/onnx.Gather-12"]/' good.json >operator.json
expect 'an unknown operator is named with its pointer' 4 'operator.json: /cases/0/expect/0/for.*onnx.Gather-12' "$gathercheck" run --cases operator.json
sed 's/"id"/"id": "x", "id"/' good.json >twice.json
expect 'a duplicate key is refused' 4 'twice.json.*id' "$gathercheck" check twice.json
expect 'a bad filter' 4 "unknown filter key 'colour'" "$gathercheck" run --filter colour=red
expect 'a filter that matches nothing' 4 'matches no case id' "$gathercheck" run --filter case=no-such-case
expect 'an unknown implementation is told what is near' 4 "no implementation 'refrence'; near it: reference;" "$gathercheck" run --implementation refrence
expect 'a bad shard' 4 'not i/n' "$gathercheck" run --shard 3/2
expect 'an output that cannot be written' 4 'cannot write no/such/folder.jsonl' "$gathercheck" run --cases good.json --output no/such/folder.jsonl
if [ -e /dev/full ]; then
  expect 'a full disk is said and is trouble' 3 'cannot write /dev/full' "$gathercheck" run --cases good.json --output /dev/full
fi
expect 'a folder that cannot be imported' 4 'no-such-folder' "$gathercheck" import onnx no-such-folder

if [ -e /dev/full ]; then
  expect 'a reader that has seen enough is no trouble' 0 '^0$' sh -c '("$0" list | head -n 1 >/dev/null) 2>&1 | wc -c' "$gathercheck"
  expect 'a full standard output is said and is trouble' 3 'could not be written to standard output' \
    sh -c '"$0" run --cases good.json >/dev/full' "$gathercheck"
fi
expect 'a filter that no execution matches' 4 'no case matches the filter' "$gathercheck" run --cases good.json --filter operator=openvino.Gather-7
expect 'a time limit that is no time' 4 '--time-limit' "$gathercheck" run --cases good.json --time-limit 0
expect 'a second value needs its option again' 4 'good.json' "$gathercheck" run --cases good.json good.json

# A name with a colon has its shipped known failures in a file with a hyphen.
mkdir -p share/spec_cases/known_failures
ln -s "$(dirname "$gathercheck")"/../share/gathercheck/spec_cases/{cases,rules,dialects,equations.json} share/spec_cases
cat >share/spec_cases/known_failures/optimized-threads.json <<'JSON'
{ "implementation": "optimized:threads", "versions": "0 - 1000",
  "failures": [{ "case": "gather-index-one-past-the-end", "operator": "onnx.Gather-13",
                 "route": { "operands": "runtime", "shapes": "static" }, "outcomes": ["wrong value"],
                 "reason": "a failure that is not there any more" }] }
JSON
expect 'known failures of a name with a colon' 2 'FIXED' env GATHERCHECK_SHARE="$folder/share" "$gathercheck" run \
  --implementation optimized:threads --filter case=gather-index-one-past-the-end --filter operator=onnx.Gather-13

# --- programs
expect 'an adapter that is not there' 3 'broken|unavailable' "$gathercheck" run --cases good.json --implementation exec:./no-such-program
printf '#!/bin/sh\necho "onnxruntime is not installed" >&2\nexit 3\n' >python_without_engine
chmod +x python_without_engine
expect 'an engine without its package' 3 'onnxruntime is unavailable: .*onnxruntime is not installed' \
  env GATHERCHECK_PYTHON="$folder/python_without_engine" "$gathercheck" run --cases good.json --implementation onnxruntime
worker rubbish <<'SH'
echo this is no protocol
SH
expect 'a program that prints rubbish' 3 'this is no protocol' "$gathercheck" run --cases good.json --implementation "$worker"
hello='{"message":"hello","protocol":1,"implementation":{"name":"fake","version":"1"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"],"operands":["runtime"],"shapes":["static"]}],"answers":["run"]}'
worker dies <<SH
read -r line; echo '$hello'; read -r line; exit 7
SH
expect 'a program that dies is a crash' 1 'CRASH' "$gathercheck" run --cases good.json --implementation "$worker"
expect 'what was not run for that is said' 1 'dies.sh: 1 of its executions were not run: ' \
  "$gathercheck" run --cases two.json --implementation "$worker" --restarts 0
worker hangs <<SH
read -r line; echo '$hello'; read -r line; sleep 60
SH
expect 'a program that hangs is a timeout' 1 'TIMEOUT' "$gathercheck" run --cases good.json --implementation "$worker" --time-limit 0.3
expect 'and is repeated with its time limit' 1 'repeat: .*gathercheck run --cases good.json --time-limit 0.3 --implementation' \
  "$gathercheck" run --cases good.json --implementation "$worker" --time-limit 0.3
worker babbles <<SH
read -r line; echo '$hello'; while read -r line; do echo '{"seq":0'; done
SH
expect 'a program that answers rubbish is broken' 3 'BROKEN' "$gathercheck" run --cases good.json --implementation "$worker"
expect 'which the last line says' 3 'trouble: the adapter of exec:.*babbles.sh broke 1 execution, shown as BROKEN \(exit 3\)$' "$gathercheck" run --cases good.json --implementation "$worker"
worker says_no <<SH
read -r line; echo '$hello'
while read -r line; do
  seq=\${line#*\"seq\":}; seq=\${seq%%[,\}]*}
  echo "{\"seq\":\$seq,\"rejected\":{\"message\":\"no\"}}"
done
SH
expect 'a program that rejects all passes no rejection' 3 'trouble: nothing passed on exec:.*says_no.sh \(exit 3\)' "$gathercheck" run --cases rejected.json --implementation "$worker"
expect 'and fails what it must accept' 1 'rejected what must be accepted' "$gathercheck" run --cases good.json --implementation "$worker"

sed 's/:\\"no/:\\"\\\\u001b[2Jno/' says_no.sh >escapes.sh
expect 'what a program says cannot steer the terminal' 1 'x1b.2Jno' \
  "$gathercheck" run --cases good.json --implementation "exec:/bin/bash $folder/escapes.sh"

# --- reproducers
worker reproduces <<SH
read -r line; echo '${hello%\}},"features":["reproduce"]}'
while read -r line; do
  seq=\${line#*\"seq\":}; seq=\${seq%%[,\}]*}
  case \$line in *reproduce*) echo "{\"seq\":\$seq,\"source\":\"echo it dies\"}" ;; *) exit 9 ;; esac
done
SH
expect 'a program that died is started again for its reproducer' 1 '^  reproducer: made/exec.*/good.onnx.Gather-13.runtime-static.txt' \
  "$gathercheck" run --cases good.json --implementation "$worker" --reproducers made
expect 'which does not count as a death' 1 '^reproducers in made: 1' \
  "$gathercheck" run --cases good.json --implementation "$worker" --reproducers made --restarts 1
expect 'the reproducer is what the program said' 0 '^echo it dies$' sh -c 'cat made/exec*/good.*'
expect 'what cannot reproduce says so once, and writes nothing' 1 'reference: it writes no reproducers' \
  "$gathercheck" run --cases wrong.json --implementation reference --reproducers none
expect 'nothing is written then' 0 '^0$' sh -c 'ls none | wc -l'
expect 'a folder of reproducers that cannot be made' 4 'cannot make good.json/made' \
  "$gathercheck" run --cases good.json --reproducers good.json/made

# --- records survive
expect 'records are written' 0 'conforms' "$gathercheck" run --cases two.json --implementation reference --output run.jsonl
expect 'a header, an implementation, an execution a call and an end' 0 '^5$' sh -c '"$0" report run.jsonl --format jsonl | wc -l' "$gathercheck"
expect 'records name the verdict' 0 '"case":"good","verdict":"pass"' whole run.jsonl
# cut SIGNALS NAME [OPTION...]: a run that a signal, or several at once, end while a program hangs; leaves NAME.jsonl, NAME.txt and the exit code in NAME.exit.
cut() {
  local signals=$1 name=$2 signal
  shift 2
  rm -f "$name.jsonl"
  set -m  # else Ctrl-C is ignored in the background
  "$gathercheck" run --cases two.json --implementation reference --implementation "exec:/bin/bash $folder/hangs.sh" \
    --time-limit 30 --output "$name.jsonl" "$@" >"$name.txt" 2>&1 &
  set +m
  for _ in $(seq 300); do grep -q '"case":"rejected"' "$name.jsonl" 2>/dev/null && break; sleep 0.1; done
  for signal in $signals; do
    kill "-$signal" $! 2>/dev/null
    sleep 0.01
  done
  wait $! 2>/dev/null
  echo $? >"$name.exit"
}
cut KILL killed
expect 'a run that is killed keeps the records it had' 0 '"case":"rejected","verdict":"pass"' whole killed.jsonl
expect 'which a report shows as partial' 3 'The run was cut short: these records are partial' "$gathercheck" report killed.jsonl
printf '{"record":"execution","impl' >>killed.jsonl
expect 'half a line at the end is no obstacle' 3 'reference +[0-9.]+ +2 ' "$gathercheck" report killed.jsonl
# timeout signals its child, and then the whole group.
for signal in INT TERM HUP 'TERM TERM'; do
  cut "$signal" cut
  expect "a run that SIG$signal ends says so" 0 'interrupted: what has not run yet is missing; marked partial: cut.jsonl' cat cut.txt
  expect "and is trouble" 0 '^3$' cat cut.exit
  expect 'which the last line says' 0 ': trouble: interrupted \(exit 3\)$' tail -n 1 cut.txt
  expect 'its records end with the mark' 0 '"record":"end","executions":2,"exit_code":3,.*"partial":true' tail -n 1 cut.jsonl
  expect 'what was under way is no verdict' 1 '^0$' grep -c '"verdict":"(timeout|crash|not run)"' cut.jsonl
done
expect 'a report of it says partial' 3 'cut short: these records are partial' "$gathercheck" report cut.jsonl --format markdown
expect 'a run that a full disk cut short is trouble' 3 'cannot write small.jsonl: .*; the records in it are not complete' \
  bash -c 'trap "" XFSZ; ulimit -f 8; exec "$0" run --implementation "$1" --sweeps none --filter operator=onnx.Gather-13 --output small.jsonl' \
  "$gathercheck" "exec:/bin/bash $folder/says_no.sh"
expect 'and its records are read as partial' 3 'cut short: these records are partial' "$gathercheck" report small.jsonl
expect 'with the same exit code' 3 'trouble: the run was cut short \(exit 3\)' "$gathercheck" report small.jsonl

# --- the conformance statement
expect 'the statement of a run' 0 'Result: \*\*conforms in what is shown here\*\*' "$gathercheck" claim run.jsonl --cases two.json
expect 'it says what was shown' 0 '\| onnx.Gather-13 \| runtime/static \| f32 \| i64 \| 2 \| 2 \| 0 ' "$gathercheck" claim run.jsonl --cases two.json
expect 'it says what was not shown' 0 '^- nothing of openvino.Gather-1, ' "$gathercheck" claim run.jsonl --cases two.json
expect 'it knows that the suite is another' 0 'another suite than the one at hand' "$gathercheck" claim run.jsonl
expect 'a run that was cut short has none' 3 'incomplete: cut.jsonl: the run was interrupted after 2 executions' "$gathercheck" claim cut.jsonl --cases two.json
expect 'nor has one that was killed' 3 'incomplete: killed.jsonl: the run was cut short' "$gathercheck" claim killed.jsonl --cases two.json
"$gathercheck" run --cases wrong.json --implementation reference --output wrong.jsonl >/dev/null
expect 'what failed has none' 1 '"result": "does not conform: 1 execution failed"' "$gathercheck" claim wrong.jsonl --cases wrong.json --format json
expect 'a statement of an implementation that is not there' 4 "holds no implementation 'other'" "$gathercheck" claim run.jsonl --implementation other
expect 'a statement of what is no record' 4 'good.json' "$gathercheck" claim good.json

# --- known failures
cat >known.json <<'JSON'
{ "implementation": "my_gather", "versions": "0.1", "failures": [
  { "case": "wrong", "operator": "onnx.Gather-13", "route": { "operands": "runtime", "shapes": "static" },
    "outcomes": ["wrong value"], "reason": "the case is wrong on purpose" } ] }
JSON
expect 'an implementation of a program of its own' 0 'my_gather +0.1 +1' "$my_gather" run --cases good.json --implementation my_gather
expect 'the map of a program of its own' 0 '^my_gather 0.1 +' "$my_gather" policy --implementation my_gather
expect 'it passes the shipped suite' 0 'conforms' "$my_gather" run --implementation my_gather
expect 'a known failure alone is an answer' 0 'conforms but for 1 known failure' "$my_gather" run --cases wrong.json --implementation my_gather --known-failures known.json
expect 'a known failure beside a pass is green' 0 'conforms but for 1 known failure \(exit 0\)$' \
  "$my_gather" run --cases wrong.json --cases good.json --implementation my_gather --known-failures known.json
sed 's/"wrong value"/"crash"/' known.json >other.json
"$my_gather" run --cases wrong.json --cases good.json --implementation my_gather --known-failures known.json --output known.jsonl >/dev/null
expect 'a statement with known failures claims no more than the rest' 0 'conforms but for 1 known failure, of 2 executions' "$gathercheck" claim known.jsonl --cases wrong.json --cases good.json
expect 'a statement names known failures' 0 '^- 1 execution of onnx.Gather-13, e.g. case wrong: the case is wrong on purpose' "$my_gather" claim known.jsonl --cases wrong.json --cases good.json
mkdir -p cited/kept
echo 'print("output")' >cited/kept/shows.py
sed 's/"reason":/"rule": "onnx.gather-13.indices.negative", "reproducer": "kept\/shows.py", "reason":/' known.json >cited/known.json
"$my_gather" run --cases wrong.json --cases good.json --implementation my_gather --known-failures cited/known.json --output cited.jsonl >/dev/null
expect 'a statement names the rule that is broken and what shows it' 0 \
  'on purpose\. Breaks `onnx\.gather-13\.indices\.negative`\. Shown by `cited/kept/shows\.py`$' "$gathercheck" claim cited.jsonl --cases wrong.json --cases good.json
expect 'and so does JUnit' 0 'shown by: cited/kept/shows.py' "$gathercheck" report cited.jsonl --format junit
expect 'and the page' 0 '"reason":"[^"]*on purpose","shown_by":"cited/kept/shows.py","rules":\[[0-9]+\]' \
  "$gathercheck" report cited.jsonl --format page-data
expect 'the rule can be read' 0 '^A negative index counts from the end of the axis' "$gathercheck" explain onnx.gather-13.indices.negative
expect 'with its sentence' 0 'onnx/Gather, .*: the sentence with the SHA-256 [0-9a-f]{64}$' "$gathercheck" explain onnx.gather-13.indices.error
expect 'and where that can be read' 0 '^    https://onnx.ai/onnx/operators/onnx__Gather.html$' "$gathercheck" explain onnx.gather-13.indices.error
expect 'what stated means' 0 '^  stated: a sentence says it$' "$gathercheck" explain onnx.gather-13.indices.error
expect 'what derived means' 0 '^  derived: it follows from ' "$gathercheck" explain ov.gather-8.inputs.count
expect 'what a reading is' 0 '^  reading: no sentence decides it' "$gathercheck" explain onnx.gather-nd-13.batch_dims.negative
expect 'a rule is of one version' 4 'leave out --for' "$gathercheck" explain onnx.gather-13.indices.negative --for onnx.Gather-13
sed 's/gather-13.indices/gather-11.indices/' cited/known.json >cited/other.json
expect 'a rule of another version is refused' 4 'other.json: /failures/0/rule: .onnx.gather-11.indices.negative. is a rule of onnx.Gather-11, which' \
  "$my_gather" run --cases wrong.json --implementation my_gather --known-failures cited/other.json
sed 's/gather-13.indices/gather-13.indexes/' cited/known.json >cited/other.json
expect 'an unknown rule is refused' 4 'other.json: /failures/0/rule: .onnx.gather-13.indexes.negative. is no rule of the catalogue' \
  "$gathercheck" check wrong.json --known-failures cited/other.json
sed 's/shows.py/no.py/' cited/known.json >cited/other.json
expect 'a reproducer that is not there is refused' 4 'other.json: /failures/0/reproducer: .kept/no.py. is no file; make it with' \
  "$gathercheck" check good.json --known-failures cited/other.json
expect 'a known failure of a case that is not there' 4 'cited/known.json: /failures/0/case: the suite has no case wrong' \
  "$gathercheck" check good.json --known-failures cited/known.json
sed 's/"wrong", "operator"/"good", "operator"/' cited/known.json >cited/other.json
expect 'known failures that are checked are counted' 0 ', 1 known failure: ' "$gathercheck" check good.json --known-failures cited/other.json
expect 'a failure that changed its kind is red' 1 'FAIL' "$my_gather" run --cases wrong.json --implementation my_gather --known-failures other.json
sed 's/"wrong"/"good"/' known.json >fixed.json
expect 'a failure that went away is red' 2 'FIXED' "$my_gather" run --cases good.json --implementation my_gather --known-failures fixed.json
sed 's/"reason": [^}]*/"reason": ""/' known.json >no_reason.json
sed 's/"versions": "0.1"/"versions": ["0.0.*", ">=0.1rc1 <0.2"]/' known.json >range.json
expect 'versions may be ranges' 0 'conforms but for 1 known failure' \
  "$my_gather" run --cases wrong.json --cases good.json --implementation my_gather --known-failures range.json
sed 's/"versions": "0.1"/"versions": "*"/' known.json >range.json
expect 'or any' 0 'conforms but for 1 known failure' \
  "$my_gather" run --cases wrong.json --cases good.json --implementation my_gather --known-failures range.json
sed 's/"versions": "0.1"/"versions": "0.2 - 0.9"/' known.json >range.json
expect 'known failures of other versions are not applied, in one sentence' 1 \
  'the known failures of range.json are about versions 0.2 - 0.9; this is 0.1: they are not applied; widen its "versions", or' \
  "$my_gather" run --cases wrong.json --implementation my_gather --known-failures range.json
sed 's/"versions": "0.1"/"versions": "0.x"/' known.json >range.json
expect 'versions that are not understood are refused' 4 'range.json: /versions: .0.x. is no pattern of versions: .*; write 1.31.1 .that version.' \
  "$my_gather" run --cases wrong.json --implementation my_gather --known-failures range.json
expect 'an entry without a reason is refused' 4 'no_reason.json: /failures/0' "$my_gather" run --cases good.json --implementation my_gather --known-failures no_reason.json
expect 'known failures of something that is not run' 4 "add --implementation 'my_gather=exec:COMMAND LINE'" "$gathercheck" run --cases good.json --known-failures known.json
expect 'two files of known failures of one implementation' 4 'other.json is about the implementation .my_gather., as known.json is' \
  "$my_gather" run --cases wrong.json --implementation my_gather --known-failures known.json --known-failures other.json
expect 'known failures and none of them' 4 'no-known-failures' \
  "$my_gather" run --cases wrong.json --implementation my_gather --known-failures known.json --no-known-failures

# --- known failures brought up to date
update() { "$my_gather" run --implementation my_gather --update-known-failures --known-failures "$@"; }
expect 'an update makes the file that is not there' 1 'new.json: executions dropped: 0, added: 1' update new.json --cases wrong.json
expect 'with the rules that its case names' 0 '"rule": \["onnx.gather-13.indices.error", ' cat new.json
expect 'its reasons are for a person to write' 4 'new.json: /failures/0' \
  "$my_gather" run --cases wrong.json --implementation my_gather --known-failures new.json
sed -i 's/"reason": ""/"reason": "on purpose", "link": "https:\/\/example.org\/1"/' new.json
expect 'with one the file is good' 0 'conforms' \
  "$my_gather" run --cases wrong.json --cases good.json --implementation my_gather --known-failures new.json
cp new.json before.json
expect 'an update without news' 0 'new.json: executions dropped: 0, added: 0' update new.json --cases wrong.json --cases good.json
expect 'keeps reasons and links' 0 '"link": "https://example.org/1"' cat new.json
sed 's/"id": "wrong"/"id": "wrong", "why": "right now"/; s/\[3, 2\]/[3, 1]/' wrong.json >right.json
expect 'an update takes out what fails no more' 2 'new.json: executions dropped: 1, added: 0' update new.json --cases right.json
expect 'and the file is green' 0 'conforms' "$my_gather" run --cases right.json --implementation my_gather --known-failures new.json
expect 'an update of no known failures' 4 'no-known-failures' update new.json --no-known-failures
expect 'an update of a file for nobody' 4 'none.json is not there; it is made for one --implementation' \
  "$gathercheck" run --cases wrong.json --known-failures none.json --update-known-failures
expect 'an update of a program without a file' 4 'has no known-failure file to update; name the one to be made' \
  "$gathercheck" run --cases wrong.json --implementation "exec:/bin/bash $folder/says_no.sh" --update-known-failures
expect 'an update that cannot be written is trouble' 3 'cannot write no/such/new.json' update no/such/new.json --cases wrong.json
cut TERM cut --known-failures cut.json --update-known-failures
expect 'a run that is cut short updates nothing' 0 'no known-failure file is changed' cat cut.txt
expect 'nor makes a file' 2 'cut.json' ls cut.json

# --- reports
"$my_gather" run --cases wrong.json --cases two.json --implementation my_gather --output failing.jsonl >/dev/null
"$my_gather" run --cases wrong.json --cases two.json --implementation my_gather --output known.jsonl --known-failures known.json >/dev/null
expect 'a report has the conclusion and the exit code of the run' 1 'does not conform.*\(exit 1\)' "$gathercheck" report failing.jsonl
expect 'and the line that repeats a failure' 1 'repeat: [^ ]*my_gather run --cases wrong.json --cases two.json --implementation my_gather' \
  "$gathercheck" report failing.jsonl
run_part() { "$gathercheck" run --implementation reference --filter 'case=gather-axis-minus-*' --sweeps none --output part.jsonl; }
expect 'a part of the suite is asked for' 0 'conforms' run_part
expect 'a report of it says so' 0 "^a part of the suite was asked for: --filter 'case=gather-axis-minus-\*' --sweeps none$" "$gathercheck" report part.jsonl
expect 'in Markdown, too' 0 '^A part of the suite was asked for: .--filter ' "$gathercheck" report part.jsonl --format markdown
expect 'JUnit has the failure' 1 '<failure type="wrong value"' "$gathercheck" report failing.jsonl --format junit
expect 'and skips a known one with its reason' 0 '<skipped message="known failure: the case is wrong on purpose"/>' \
  "$gathercheck" report known.jsonl --format junit
expect 'whose line shows the failure' 0 'repeat: [^ ]*my_gather run .*--no-known-failures --implementation my_gather' \
  "$gathercheck" report known.jsonl --format junit
expect 'Markdown has the conclusion' 1 '^## gathercheck: does not conform' "$gathercheck" report failing.jsonl --format markdown
expect 'a page goes into a file, and nothing to stdout' 0 '^exit 1, 0 bytes$' \
  sh -c '"$0" report failing.jsonl --format html --output page.html >said; echo "exit $?, $(wc -c <said) bytes"' "$gathercheck"
expect 'which has the failure' 0 'expected 2, got 1' cat page.html
expect 'a badge is an SVG' 1 '<svg ' "$gathercheck" report failing.jsonl --format badge
expect 'as JSON, for a server that draws it' 1 '"message": "[0-9.]+ % pass"' "$gathercheck" report failing.jsonl --format badge-json
expect 'a report as JSON' 1 '"exit_code": 1' "$gathercheck" report failing.jsonl --format json
for format in text markdown json html junit; do
  expect "a report as $format says that failures are known" 0 'conforms but for 1 known failure' "$gathercheck" report known.jsonl --format $format
  cp output said
  expect "and nothing else of it, as $format" 0 '^none$' sh -c 'grep -E "conforms *([^ b]|$)" said || echo none'
done
expect 'a badge, too' 0 'pass, 1 known failure<' "$gathercheck" report known.jsonl --format badge
"$gathercheck" run --cases two.json --implementation reference --shard 1/2 --output one.jsonl >/dev/null
"$gathercheck" run --cases two.json --implementation reference --shard 2/2 --output other.jsonl >/dev/null
expect 'shards are put together' 0 '^reference +[0-9.]+ +2 +0 +2$' "$gathercheck" report one.jsonl other.jsonl
"$gathercheck" run --cases wrong.json --cases two.json --implementation reference --output failing_reference.jsonl >/dev/null
expect 'one implementation of several' 0 '^my_gather +0.1 +2 ' "$gathercheck" report failing_reference.jsonl known.jsonl --implementation my_gather
expect 'an implementation that the records lack' 4 "hold no implementation 'nobody'" "$gathercheck" report run.jsonl --implementation nobody
expect 'records that are not there' 4 'no-such.jsonl: cannot be read; give a file that' "$gathercheck" report no-such.jsonl
expect 'a report of what holds no records' 4 'good.json' "$gathercheck" report good.json
expect 'a report that cannot be written' 4 'cannot write no/such/page.html' "$gathercheck" report run.jsonl --output no/such/page.html
if [ -e /dev/full ]; then
  expect 'a report onto a full disk' 4 'cannot write /dev/full' "$gathercheck" report run.jsonl --output /dev/full
fi
if command -v python3 >/dev/null; then
  for format in junit badge; do
    "$gathercheck" report failing.jsonl --format $format --output report.$format
    expect "$format is well formed" 0 'well formed' \
      python3 -c 'import sys, xml.dom.minidom as xml; xml.parse(sys.argv[1]); print("well formed")' report.$format
  done
fi

finish
