#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is read from files of others: cases and records that are wrong, incomplete, huge or hostile. usage: tools/tests/records.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps

case_of() {  # a case of the list; $1: id, $2: further members, $3: data, $4: expectation
  cat <<JSON
{ "id": "$1", "title": "a case", $2 "inputs": { "data": $3, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error", "onnx.gather-13.formula.axis0"], $4 } ] }
JSON
}
data='{ "type": "f32", "shape": [3], "values": [1, 2, 3] }'
right='"output": { "type": "f32", "shape": [2], "values": [3, 1] }'
wrong='"output": { "type": "f32", "shape": [2], "values": [3, 2] }'
echo "{ \"cases\": [ $(case_of good '' "$data" "$right") ] }" >good.json
echo "{ \"cases\": [ $(case_of good '' "$data" "$right"), $(case_of wrong '' "$data" "$wrong") ] }" >two.json

# --- a rule that nobody knows, in every combination of a sweep
cat >mistyped.json <<'JSON'
{ "cases": [ { "id": "mistyped", "title": "a rule id that nobody knows", "axis": "$axis", "inputs": {
    "data": { "type": "f32", "shape": [2, 2], "fill": { "mark": 1 } }, "indices": { "type": "i64", "shape": [1], "values": [0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formulaa"], "error": "axis_out_of_range" } ],
  "sweep": { "axis": [0, 1, -1, -2, 5, 6, 7] } } ] }
JSON
unknown='mistyped.json: /cases/0/expect/0/rules/0: the rule "onnx.gather-13.formulaa" is not in the catalogue; .* \(in mistyped/axis=0\)'
expect 'check tells a mistyped rule of a sweep' 4 "$unknown" "$gathercheck" check mistyped.json
expect 'so does run' 4 "$unknown" "$gathercheck" run --cases mistyped.json
expect 'and list' 4 "$unknown" "$gathercheck" list --cases mistyped.json
expect 'and explain' 4 "$unknown" "$gathercheck" explain mistyped --cases mistyped.json

# --- complete records, and others
"$gathercheck" run --cases two.json --implementation reference --output whole.jsonl >/dev/null
by_itself whole.jsonl
lines() { grep -v "$1" whole.jsonl >"$2"; }
lines '"verdict":"fail"' lacks.jsonl
expect 'a complete record is one' 1 'does not conform \(exit 1\)' "$gathercheck" report whole.jsonl
expect 'a report tells that lines lack' 3 'incomplete: lacks.jsonl: its end counts 2 executions, and 1 is there' "$gathercheck" report lacks.jsonl
for format in html junit markdown json badge; do
  expect "so does one in the format $format" 3 'incomplete|nothing judged|pass' "$gathercheck" report lacks.jsonl --format $format
done
expect 'a claim is refused' 3 'a claim is made of a complete record' "$gathercheck" claim lacks.jsonl --cases two.json
expect 'and the run does not go on' 4 'its end counts 2 executions, and 1 is there' "$gathercheck" run --resume lacks.jsonl
sed 's/"executions":2/"executions":1/' lacks.jsonl >counted.jsonl
expect 'the exit code is compared with the lines' 3 'counted.jsonl: its end gives exit code 1, and its lines give 0' "$gathercheck" report counted.jsonl
expect 'for a claim too' 3 'its end gives exit code 1' "$gathercheck" claim counted.jsonl --cases two.json
lines '"record":"end"' endless.jsonl
expect 'a record without an end tells what it has' 3 'endless.jsonl: the run was cut short: 2 executions and no end' "$gathercheck" report endless.jsonl
lines '"record":"implementation"' nobody.jsonl
expect 'executions of nobody are told' 3 'nobody.jsonl: 2 executions of reference and no line before that introduces it' "$gathercheck" report nobody.jsonl
{ cat whole.jsonl; grep '"verdict":"pass"' whole.jsonl; } >behind.jsonl
expect 'so is a line behind the end' 3 'behind.jsonl: 1 line behind the end of the run' "$gathercheck" report behind.jsonl
{ cat whole.jsonl; printf '{"record":"ru'; } >half.jsonl
expect 'and half a line' 3 'half.jsonl ends in half a line' "$gathercheck" report half.jsonl
sed '/"verdict":"pass"/p' whole.jsonl >again.jsonl
expect 'an execution that stands twice is refused' 4 'again.jsonl: the execution of case good for onnx.Gather-13 by route runtime/static on reference stands twice' \
  "$gathercheck" report again.jsonl
expect 'a file given twice is refused' 4 'whole.jsonl: is given twice' "$gathercheck" report whole.jsonl whole.jsonl
ln -s whole.jsonl link.jsonl
expect 'also through a link' 4 'link.jsonl: is given twice, also as whole.jsonl' "$gathercheck" report whole.jsonl link.jsonl
cp whole.jsonl copy.jsonl
expect 'so is the same run in another file' 4 'copy.jsonl: holds the run of whole.jsonl again' "$gathercheck" report whole.jsonl copy.jsonl
sed '1s/"started":"[^"]*"/"started":"2020-01-01T00:00:00Z"/' whole.jsonl >later.jsonl
expect 'so are runs that share executions' 4 'stands in whole.jsonl and in later.jsonl; give each run once' "$gathercheck" report whole.jsonl later.jsonl
"$gathercheck" run --cases good.json --implementation reference --output other.jsonl >/dev/null
expect 'runs of other cases are not put together' 4 'other.jsonl: is not put together with whole.jsonl: the hash of the suite is [0-9a-f]{64} here and' \
  "$gathercheck" report whole.jsonl other.jsonl
sed '1s/"tool":{"version":"[^"]*"/"tool":{"version":"0.9"/; 1s/"started":"[^"]*"/"started":"2020-01-01T00:00:00Z"/' whole.jsonl >older.jsonl
expect 'nor those of another version' 4 'the version of gathercheck is 0.9 here' "$gathercheck" report whole.jsonl older.jsonl
for k in 1 2; do "$gathercheck" run --cases two.json --implementation reference --shard $k/2 --output shard$k.jsonl >/dev/null && by_itself shard$k.jsonl; done
expect 'all shards are complete' 1 'does not conform \(exit 1\)' "$gathercheck" report shard1.jsonl shard2.jsonl
expect 'one of them is not' 3 'incomplete: shard2.jsonl: of the 2 shards of its run 1 is not here: 1' "$gathercheck" report shard2.jsonl
sed '1s/"started":"[^"]*"/"started":"2020-01-01T00:00:00Z"/; /"verdict"/d' shard2.jsonl >same.jsonl
expect 'no shard is given twice' 4 'same.jsonl: is shard 2/2, which stands here already' "$gathercheck" report shard2.jsonl same.jsonl
"$gathercheck" run --implementation reference --sweeps none --filter operator=onnx.GatherND-13 --output map.jsonl >/dev/null
by_itself map.jsonl
sed '/"case":"gather-nd-negative-slice"/d' map.jsonl >map_lacks.jsonl
expect 'the map tells what its records lack' 3 'incomplete: map_lacks.jsonl: its end counts' "$gathercheck" policy --records map_lacks.jsonl
expect 'so do the clarifications' 3 'incomplete: map_lacks.jsonl: its end counts' "$gathercheck" clarifications --records map_lacks.jsonl
expect 'which are not written of it' 3 'written of complete records only' "$gathercheck" clarifications --records map_lacks.jsonl --update

# --- a claim says what its run said
cat >worker.sh <<'SH'
read -r line
echo '{"message":"hello","protocol":1,"implementation":{"name":"w","version":"1"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"]}]}'
while read -r line; do
  case $line in *goodbye*) exit 0 ;; esac
  seq=${line#*\"seq\":}
  echo "{\"seq\":${seq%%[,\}]*},\"output\":{\"type\":\"f32\",\"shape\":[2],\"base64\":\"AABAQAAAgD8=\"}}"
done
SH
cat >known.json <<'JSON'
{ "implementation": "w", "versions": "*", "failures": [ { "case": "good", "operator": "onnx.Gather-13",
  "route": { "operands": "constant", "shapes": "static" }, "outcomes": ["wrong value"], "reason": "a reason" } ] }
JSON
worker=(--implementation "w=exec:bash worker.sh")
expect 'a known failure that is not run disagrees' 2 'disagree \(exit 2\)' "$gathercheck" run --cases good.json "${worker[@]}" --known-failures known.json --output disagrees.jsonl
expect 'and is no claim' 1 'Result: \*\*none: the known failures and the run disagree' "$gathercheck" claim disagrees.jsonl --cases good.json
"$gathercheck" run --cases good.json "${worker[@]}" --output noted.jsonl >/dev/null
sed 's/"exit_code":0/"exit_code":3/; /"record":"end"/i {"record":"note","implementation":"w","level":"error","text":"a control was not run"}' noted.jsonl >error.jsonl
expect 'a note that is an error is trouble' 3 'trouble: w: a control was not run \(exit 3\)$' "$gathercheck" report error.jsonl
expect 'and no claim' 1 'Result: \*\*none: a control was not run' "$gathercheck" claim error.jsonl --cases good.json
expect 'who does not start has a statement too' 3 'is broken' "$gathercheck" run --cases good.json "${worker[@]}" --implementation none=exec:false --output half_started.jsonl
expect 'which says so' 1 'Result: \*\*none: it is broken: ' "$gathercheck" claim half_started.jsonl --cases good.json
cat shard1.jsonl shard2.jsonl >shards.jsonl
expect 'shards of one run are one statement' 1 'does not conform: 1 execution failed' "$gathercheck" claim shards.jsonl --cases two.json
"$gathercheck" claim shards.jsonl --cases two.json >shards.md
expect 'there is one' 0 '^1$' grep -c '^# Conformance' shards.md
expect 'with the commands of both' 0 '^2$' grep -c '^- command: .*--shard [12]/2' shards.md
sed '1s/,"options":{.*}}$/}/' shard1.jsonl >optionless.jsonl
expect 'a header without options is no whole run where its command is a shard' 3 'lacks the options of the run' "$gathercheck" report optionless.jsonl
"$gathercheck" calls --cases good.json --output calls.jsonl >/dev/null 2>&1
bash worker.sh <calls.jsonl >answers.jsonl 2>/dev/null
expect 'answers given once' 0 'conforms|does not|trouble' sh -c '"$0" judge --calls calls.jsonl --answers answers.jsonl --output judged.jsonl; true' "$gathercheck"
expect 'are claimed as asked once' 0 'in one pair of element types, asked once' sh -c '"$0" claim judged.jsonl --cases good.json; true' "$gathercheck"
expect 'one file is not two runs' 4 'answers.jsonl is the same file again' "$gathercheck" judge --calls calls.jsonl --answers answers.jsonl --answers ./answers.jsonl

# --- no output over what a run reads
expect 'not over the script of a program' 4 'worker.sh' "$gathercheck" run --cases good.json "${worker[@]}" --output worker.sh
expect 'nor over a plug-in that has a name' 4 'good.json' "$gathercheck" run --cases good.json --implementation p=plugin:good.json --output good.json
expect 'nor over known failures' 4 'known.json' "$gathercheck" run --cases good.json "${worker[@]}" --known-failures known.json --output ./known.json
mkdir share # a copy: a command that is wrong writes to it
cp -rL "$(dirname "$gathercheck")/../share/gathercheck/spec_cases" share/
expect 'nor over the equations' 4 'equations.json' env GATHERCHECK_SHARE="$PWD/share" "$gathercheck" run --cases good.json \
  --implementation reference --output share/spec_cases/equations.json
echo mine >known.json.new
"$gathercheck" run --cases good.json "${worker[@]}" --known-failures known.json --update-known-failures >/dev/null 2>&1
expect 'a file beside the known failures stays' 0 '^mine$' cat known.json.new

# --- a run that goes on reads its record as others do
sed 's/"exit_code":1/"exit_code":0/' whole.jsonl >lies.jsonl
expect 'an end that says what is not so' 4 'is incomplete: its end gives exit code 0, and its lines give 1' "$gathercheck" run --resume lies.jsonl
sed '/"record":"end"/d; /"verdict":"pass"/p' whole.jsonl >doubled.jsonl
expect 'an execution that stands twice' 4 'stands twice in doubled.jsonl' "$gathercheck" run --resume doubled.jsonl

# --- many runs in one file
python3 - <<'PY'
lines = open("whole.jsonl").read().splitlines()
with open("many.jsonl", "w") as many:
    for k in range(4000):
        many.write(lines[0].replace('"started":"2', '"started":"%d-2' % k) + "\n")
        many.write('{"record":"end","executions":0,"seconds":0,"exit_code":3}\n')
PY
expect 'are read in time' 3 'exit 3' timeout 30 "$gathercheck" report many.jsonl

# --- cases larger than memory
huge='{ "type": "u8", "shape": [12000000000], "fill": { "address": 0 } }'
strings='{ "type": "string", "shape": [500000000], "fill": { "mark": 0 } }'
echo "{ \"cases\": [ $(case_of huge '' "$huge" '"output": { "type": "u8", "shape": [2], "values": [2, 0] }'),
  $(case_of strings '' "$strings" '"output": { "type": "string", "shape": [2], "values": ["a", "b"] }'), $(case_of good '' "$data" "$right") ] }" >huge.json
limited() { bash -c 'ulimit -v 3000000; exec "$@"' limited "$@"; }
# A sanitizer reserves more addresses than such a limit leaves.
if limited "$gathercheck" --version >/dev/null 2>&1; then
  expect 'a case beyond memory is told and not run' 3 'NOT RUN  reference  onnx.Gather-13  runtime/static  huge' \
    limited "$gathercheck" run --cases huge.json --implementation reference --output huge.jsonl
  cp output huge.out
  expect 'with what it needs' 0 'it needs about [0-9]+ MB of memory and [0-9]+ MB are available' cat huge.out
  expect 'strings count with all that they are' 0 'NOT RUN  reference  onnx.Gather-13  runtime/static  strings' cat huge.out
  expect 'the others are run' 0 '"case":"good","verdict":"pass"' whole huge.jsonl
  expect 'and a report says the same' 3 'NOT RUN  reference .* huge' "$gathercheck" report huge.jsonl
  expect 'check goes on too' 3 'case huge for onnx.Gather-13: not checked: it needs about' limited "$gathercheck" check huge.json
  expect 'list lists it' 0 '^huge ' limited "$gathercheck" list --cases huge.json
  expect 'explain explains it' 0 'is not shown: it needs about' limited "$gathercheck" explain huge --cases huge.json
fi

# --- long lists: each of these took more than a minute
names() { seq "$1" | sed "s/.*/\"$2&\"/" | paste -sd,; }
sweep_of() {  # $1: lists
  cat <<JSON
{ "cases": [ { "id": "long", "title": "many", "axis": 0, "inputs": {
    "data": { "type": "f32", "shape": [2, 2], "fill": { "mark": 1 } }, "indices": { "type": "i64", "shape": [1], "values": [0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula.axis0"], "output": "equation" } ], "sweep": { $1 } } ] }
JSON
}
sweep_of "\"a\": [ $(names 100000 x) ]" >names.json
expect '100,000 names in a list are read in time' 4 'no .a stands in axis' timeout 30 "$gathercheck" check names.json
sweep_of "\"a\": [ $(names 100000 x) ], \"b\": [ $(names 100000 y) ]" >product.json
expect 'a product of lists has a limit' 4 'has more than 100000 combinations' timeout 30 "$gathercheck" check product.json
for key in for rules; do
  python3 - "$key" <<'PY' 2>/dev/null || continue
import json, sys
document = json.load(open("good.json"))
document["cases"][0]["expect"][0][sys.argv[1]] += ["z%d" % k for k in range(200000)]
json.dump(document, open("long.json", "w"))
PY
  expect "200,000 entries of $key are read in time" 4 '100 problems' timeout 30 "$gathercheck" check long.json
done

# --- one file for output and input, one output for two runs
cp two.json kept.json
same_file() { cmp "$1" "$2" && echo 'the same'; }
ln -s two.json soft.json
ln two.json hard.json
for output in two.json ./two.json soft.json hard.json; do
  expect "no run is written over its cases: $output" 4 'is an input.*name another file for the output' \
    "$gathercheck" run --cases two.json --implementation reference --output $output
  expect 'which stay as they are' 0 'the same' same_file two.json kept.json
done
mkdir -p cases && cp good.json cases/good.json
expect 'nor over a case in a folder' 4 'is an input' "$gathercheck" run --cases cases --implementation reference --output cases/good.json
echo '{ "implementation": "reference", "versions": "1", "failures": [] }' >known.json
expect 'nor over known failures' 4 'is an input|known.json' "$gathercheck" run --cases two.json --implementation reference --known-failures known.json --output known.json
cp whole.jsonl kept.jsonl
expect 'no report is written over its record' 4 'cannot write link.jsonl: it is an input, whole.jsonl' "$gathercheck" report whole.jsonl --output link.jsonl
expect 'which stays as it is' 0 'the same' same_file whole.jsonl kept.jsonl
"$gathercheck" calls --cases good.json --output calls.jsonl 2>/dev/null
echo '{"seq":1,"output":{"type":"f32","shape":[2],"values":[3,1]}}' >answers.jsonl
for output in calls.jsonl answers.jsonl; do
  expect "judge does not write over $output" 4 'is an input' "$gathercheck" judge --calls calls.jsonl --answers answers.jsonl --output $output
done
expect 'nor calls over cases' 4 'is an input' "$gathercheck" calls --cases good.json --output good.json
if command -v flock >/dev/null; then
  expect 'a file that another run writes is left alone' 4 'cannot write whole.jsonl: another process is writing it' \
    flock whole.jsonl "$gathercheck" run --cases two.json --implementation reference --output whole.jsonl
  expect 'as it is' 0 'the same' same_file whole.jsonl kept.jsonl
fi

# --- a record of others is no command
cat >said.sh <<'SH2'
touch started
exit 3
SH2
touch -d '2020-01-01' said.sh  # a program that is newer than the run is refused
head -n 1 whole.jsonl | sed "s|\"implementations\":\[[^]]*\]|\"implementations\":[\"exec:/bin/sh $folder/said.sh\"]|" >theirs.jsonl
expect 'a program that a record names is not started' 4 "start exec:/bin/sh $folder/said.sh" "$gathercheck" run --resume theirs.jsonl
expect 'the line that goes on is shown' 4 '^gathercheck: that is done only for a file that you trust; .* run --resume theirs.jsonl --trust-record$' \
  "$gathercheck" run --resume theirs.jsonl
expect 'nothing was started' 2 'started' ls started
expect 'with that line it is' 3 '' "$gathercheck" run --resume theirs.jsonl --trust-record
expect 'started' 0 'started' ls started
head -n 1 whole.jsonl | sed 's|"time_limit"|"reproducers":"made","time_limit"|' >writes.jsonl
expect 'nor are files written' 4 'write reproducers into made' "$gathercheck" run --resume writes.jsonl
head -n 1 whole.jsonl | sed 's|"folder":"[^"]*"|"folder":"/"|' >moves.jsonl
expect 'nor is another folder entered' 4 'work in /' "$gathercheck" run --resume moves.jsonl
head -n 1 whole.jsonl >ours.jsonl
expect 'what comes with gathercheck needs no trust' 1 'does not conform' "$gathercheck" run --resume ours.jsonl
expect 'trust is for records' 4 '--trust-record' "$gathercheck" run --trust-record --cases two.json

# --- the schema takes what a run writes: lines that refer to others, whole ones, and each kind of record
if python3 -c 'import jsonschema' 2>/dev/null; then
  valid() { python3 "$root/tools/tests/validate.py" "$root/conformance/schemas" record --lines <"$1"; }
  "$gathercheck" run --cases two.json --implementation reference --implementation none=exec:false \
    --implementation 'w=exec:bash worker.sh' --output every_kind.jsonl >/dev/null 2>&1
  expect 'a run writes schema 2' 0 '^[1-9]' grep -cE '"record":"run","schema":2,|"record":"common"|"of":\[' every_kind.jsonl
  expect 'which its schema takes, line by line' 0 '^valid$' valid every_kind.jsonl
  whole every_kind.jsonl >every_whole.jsonl
  expect 'and each record whole' 0 '^valid$' valid every_whole.jsonl
  expect 'of every kind' 0 '^end execution implementation run $' sh -c 'grep -o "\"record\":\"[a-z]*" every_whole.jsonl | grep -v note | sed "s/.*\"//" | sort -u | tr "\n" " "'
  sed 's/"verdict":"fail"/"verdict":"failed"/' every_whole.jsonl >misspelt.jsonl
  expect 'and no other word' 1 '^[0-9]+: ' valid misspelt.jsonl
fi

# --- text of others in every field of a record, and from a program
hostile='::set-output name=a::b\n::error::c\n  ::error::d\n##vso[task.x]e ##[error]f <script>alert(1)</script> \u001b[31m \u0007 \u009b31m \u0085 \u202e \u2066 \u200f \u2028 `g` | h [i](http://j) \r::warning::k'
# clean NAME EXIT-CODE FORMAT COMMAND...: what the command prints holds none of that as it is.
clean() {
  local name=$1 code=$2 format=$3 bad=''
  shift 3
  "$@" >output 2>errors </dev/null
  local got=$?
  cat errors output >all
  LC_ALL=C grep -aqP '\x1b|\x07|\r|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' all && bad="$bad control"
  LC_ALL=C grep -aqP '^\s*::' all && bad="$bad ::"
  grep -aqE '##(vso)?\[' all && bad="$bad ##["
  case $format in html | junit | badge | markdown) grep -aqiE '<script[^>]*>alert' all && bad="$bad <script" ;; esac
  case $format in markdown) LC_ALL=C grep -aqP '(?<!\\)\]\(http' all && bad="$bad link" ;; esac
  if [ "$got" = "$code" ] && [ -z "$bad" ] && { [[ $format = badge* ]] || grep -aq 'alert' all; }; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  command: %s\n  exit code %s, expected %s; found:%s\n' "$name" "$*" "$got" "$code" "$bad"
  cat -v all | sed 's/^/  | /' | head -n 30
}
hash=$(printf 'a%.0s' $(seq 64))
field() { printf '"%s":"%s"' "$1" "$hostile"; }
execution() {  # $1: number, $2: case, $3: verdict and failure
  echo "{\"record\":\"execution\",$(field implementation),$(field version),\"operator\":\"onnx.Gather-13\",\"route\":{\"operands\":\"runtime\",\"shapes\":\"static\"},\"case\":\"$2\",$3,$(field title),$(field outcome),$(field class),$(field category),$(field phase),$(field answer),$(field detail),$(field reason),\"rules\":[\"$hostile\"],$(field shown_by),$(field reproducer)}"
}
{
  echo "{\"record\":\"run\",\"schema\":1,\"suite\":{$(field version),\"hash\":\"$hostile\",\"cases\":1},\"tool\":{$(field version)},\"command\":[\"$hostile\"],$(field started),\"machine\":{$(field cpu),$(field system),$(field distribution)},$(field repeat),$(field repeat_known_failures)}"
  echo "{\"record\":\"implementation\",$(field implementation),\"state\":\"started\",\"asked_by_name\":true,$(field version),$(field language),$(field device),$(field known_failures),\"known_failures_hash\":\"$hash\"}"
  echo "{\"record\":\"implementation\",\"implementation\":\"other\",\"state\":\"unavailable\",$(field why),\"asked_by_name\":false}"
  execution 1 "policy-gather-minus-1" '"verdict":"fail","failure":"wrong value"'
  execution 2 "$hostile" '"verdict":"known failure","failure":"wrong value"'
  execution 3 "gather-index-one-past-the-end" '"verdict":"unspecified"'
  execution 4 "b$hostile" '"verdict":"crash"'
  execution 5 "c$hostile" '"verdict":"not run"'
  execution 6 "d$hostile" '"verdict":"pass"'
  echo "{\"record\":\"note\",$(field implementation),$(field level),$(field text)}"
  echo '{"record":"end","executions":6,"exit_code":1,"seconds":1}'
} >hostile.jsonl
for format in text html junit markdown badge badge-json json; do
  clean "a report of hostile records: $format" 1 $format "$gathercheck" report hostile.jsonl --format $format
done
for format in markdown json; do
  clean "a claim: $format" 1 $format "$gathercheck" claim hostile.jsonl --cases good.json --format $format
done
for format in text markdown json; do
  clean "the map: $format" 0 $format "$gathercheck" policy --records hostile.jsonl --format $format
done
for format in text markdown json; do
  clean "the clarifications: $format" 0 $format "$gathercheck" clarifications --records hostile.jsonl --format $format
done
sed '$d' hostile.jsonl >hostile_cut.jsonl
clean 'a report of hostile records that lack lines' 3 text "$gathercheck" report hostile_cut.jsonl
header=$(head -n 1 hostile.jsonl | sed 's/"schema":1/"schema":2/')
printf '%s\n' "${header%\}},\"options\":{\"folder\":\"$hostile\",\"implementations\":[\"exec:$hostile\"],\"time_limit\":1,\"restarts\":1}}" >hostile_resume.jsonl
clean 'a hostile run to go on with' 4 text "$gathercheck" run --resume hostile_resume.jsonl
cat >hostile.sh <<SH2
read -r line
printf '%s\n' '{"message":"hello","protocol":1,"implementation":{"name":"fake","version":"$hostile"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"],"operands":["runtime"],"shapes":["static"]}],"answers":["run"]}'
while read -r line; do
  case \$line in *goodbye*) exit 0 ;; esac
  seq=\${line#*\"seq\":}; seq=\${seq%%[,\}]*}
  printf '\033[31m\302\233 ::error::c\n##vso[task.x]alert\n\377\n' >&2
  printf '%s\n' "{\"seq\":\$seq,\"rejected\":{\"message\":\"$(printf '%s' "$hostile" | sed 's/\\/\\\\/g; s/`/\\`/g')\"}}"
done
SH2
hostile_program="exec:/bin/bash $folder/hostile.sh"
clean 'a run of a hostile program' 1 text "$gathercheck" run --cases good.json --implementation "$hostile_program" --output theirs.jsonl
for format in text html junit markdown json; do
  clean "a report of its records: $format" 1 $format "$gathercheck" report theirs.jsonl --format $format
done
clean 'a claim of them' 1 markdown "$gathercheck" claim theirs.jsonl --cases good.json
clean 'smoke of it' 1 text "$gathercheck" smoke "$hostile_program"
clean 'smoke of it as JSON' 1 json "$gathercheck" smoke "$hostile_program" --format json
printf '%s\n' "{\"seq\":1,\"rejected\":{\"message\":\"$hostile\"}}" >theirs_answers.jsonl
clean 'judge of its answers' 1 text "$gathercheck" judge --calls calls.jsonl --answers theirs_answers.jsonl
printf '%s\n' "{\"seq\":1,\"rejected\":{\"message\":[\"$hostile\"]}}" >theirs_answers.jsonl
clean 'judge of malformed ones' 3 text "$gathercheck" judge --calls calls.jsonl --answers theirs_answers.jsonl

# --- lines without an end
truncate -s 1G zeros.jsonl
cat whole.jsonl zeros.jsonl 2>/dev/null | head -c 300M >endless.jsonl
small() { bash -c 'ulimit -v 1000000; exec "$@"' small "$@"; }
if small "$gathercheck" --version >/dev/null 2>&1; then
  expect 'a line beyond the limit is not read to its end' 4 'zeros.jsonl: line 1 is longer than 67108864 bytes' small "$gathercheck" report zeros.jsonl
  expect 'nor one behind a whole run' 4 'endless.jsonl: line [0-9] is longer than' small "$gathercheck" report endless.jsonl
fi
rm -f zeros.jsonl endless.jsonl
finish
