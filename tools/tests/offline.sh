#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Calls to a file, answers from a file: calls and judge. usage: tools/tests/offline.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
judge() { "$gathercheck" judge --calls calls.jsonl --answers "$@"; }
answers_of() { python3 "$root/tools/examples/my_worker.py" <calls.jsonl; }

few=(--sweeps none --filter operator=onnx.Gather-13 --filter type=f32)
expect 'calls are written' 0 '^[0-9]+ calls$' "$gathercheck" calls "${few[@]}" --output calls.jsonl
expect 'a line is a message of the protocol' 0 '^\{"message":"run","seq":2,"operator":"onnx.Gather-13","route":\{"operands":"runtime","shapes":"static"\}' \
  sed -n 3p calls.jsonl
expect 'each call stands once' 0 '^0$' sh -c 'sed "s/\"seq\":[0-9]*,//" calls.jsonl | sort | uniq -d | wc -l'
expect 'sequences are left out, since nobody knows the order of answers' 4 'no case matches' "$gathercheck" calls --filter case=sequence-other-indices
expect 'no expected answer is among them' 0 '^0$' sh -c 'grep -cE "\"expect|\"output" calls.jsonl; true'
expect 'calls go to standard output too' 0 '^\{"message":"goodbye"\}$' "$gathercheck" calls "${few[@]}"
"$gathercheck" calls "${few[@]}" 2>/dev/null >again.jsonl
expect 'the same calls each time' 0 '^same$' sh -c 'cmp calls.jsonl again.jsonl && echo same'

# --- a worker's answers, with its hello
answers_of >answers.jsonl
expect 'a worker answers the file as it is, and conforms' 0 'answers.jsonl +0.1 +[0-9]+ +0 .*' judge answers.jsonl
expect 'as it does in a run' 0 'conforms \(exit 0\)' "$gathercheck" run --implementation "exec:python3 $root/tools/examples/my_worker.py" "${few[@]}"
answers_of >second.jsonl
expect 'two runs that agree' 0 'conforms' judge answers.jsonl --answers second.jsonl

# --- a program that knows no hello: any order, only what it can
grep -v '"hello"' answers.jsonl | sort -R --random-source=answers.jsonl >bare.jsonl
expect 'answers in any order, without a hello' 0 'bare.jsonl +[0-9]+ +0 ' judge bare.jsonl
grep '"output"' answers.jsonl | head -n 1 >one.jsonl
expect 'what has no answer was not run' 1 'one.jsonl: [0-9]+ of its executions were not run: one.jsonl has no answer to call' judge one.jsonl
python3 - <<'PY'
import json
with open("bare.jsonl") as lines, open("wrong.jsonl", "w") as wrong, open("unsupported.jsonl", "w") as unsupported:
    for line in lines:
        answer = json.loads(line)
        output = answer.get("output", {"base64": ""})
        if output["base64"] and output["shape"] != [2, 2]:  # which controls have
            output["base64"] = "A" * len(output["base64"].rstrip("=")) + "=" * output["base64"].count("=")
            unsupported.write(json.dumps({"seq": answer["seq"], "unsupported": "no"}) + "\n")
        else:
            unsupported.write(line)
        wrong.write(json.dumps(answer) + "\n")
PY
expect 'a wrong value fails' 1 '^FAIL  wrong.jsonl  onnx.Gather-13  runtime/static' judge wrong.jsonl
expect 'with what was expected' 1 'wrong value: ' judge wrong.jsonl
expect 'and the line that repeats it' 1 'repeat: [^ ]*gathercheck judge --calls calls.jsonl --answers wrong.jsonl --implementation wrong.jsonl --filter case=' judge wrong.jsonl
id=$(sed -n 's/.*--filter case=\([^ ]*\) .*/\1/p' output | head -n 1)
expect 'which shows it alone' 1 '^1 execution: does not conform' judge wrong.jsonl --filter "case=$id"
expect 'without a promise unsupported is no failure' 0 'unsupported.jsonl .*' judge unsupported.jsonl
head -n 1 answers.jsonl | cat - unsupported.jsonl >promised.jsonl
expect 'with one it is' 1 'unsupported though claimed' judge promised.jsonl
expect 'two runs that differ are not deterministic' 1 'not deterministic: ' judge bare.jsonl --answers wrong.jsonl

# --- the diagnosis
sed -E 's/raise IndexError.*/pass/; s/index % size\) \* inner/min(max(index, -size), size - 1) % size) * inner/' \
  "$root/tools/examples/my_worker.py" >clamping.py
python3 clamping.py <calls.jsonl >clamped.jsonl
sentence='all [0-9]+ failures (are|could be) explained by: (an index .* takes the last element|indices out of bounds are clamped to the range)'
expect 'what explains the failures is said' 1 "diagnosis: clamped.jsonl: $sentence" judge clamped.jsonl --output clamped-records.jsonl
expect 'and recorded' 0 "^\{\"record\":\"note\",\"implementation\":\"clamped.jsonl\",\"level\":\"diagnosis\",\"text\":\"$sentence" cat clamped-records.jsonl
expect 'as a run says it' 1 "diagnosis: exec:python3 clamping.py: $sentence" "$gathercheck" run --implementation "exec:python3 clamping.py" "${few[@]}"
expect 'of what was chosen' 1 'clamped.jsonl: too few calls to tell: the failure could be explained by: ' judge clamped.jsonl \
  --filter "case=$(grep '"verdict":"fail"' clamped-records.jsonl | sed 's/.*"case":"\([^"]*\)".*/\1/' | head -n 1)"
expect 'but not what no promise makes a failure' 0 '^0$' sh -c '"$@" | grep -c "explain"; true' sh "$gathercheck" judge --calls calls.jsonl --answers unsupported.jsonl

# --- records, formats, known failures
expect 'records are written' 1 'FAIL' judge wrong.jsonl --output run.jsonl
expect 'as those of a run' 0 '"record":"execution","implementation":"wrong.jsonl"' whole run.jsonl
expect 'with an end' 0 '"record":"end"' tail -n 1 run.jsonl
expect 'under a name of its own' 1 '^mine +[0-9]' judge wrong.jsonl --implementation mine
expect 'records are reported as those of a run' 1 '# |wrong.jsonl' "$gathercheck" report run.jsonl --format markdown
expect 'a summary as JSON' 1 '"exit_code": 1' judge wrong.jsonl --format json
by_itself run.jsonl
python3 - <<'PY'
import json
failures = []
for line in open("run.jsonl"):
    record = json.loads(line)
    if record.get("verdict") == "fail":
        failures.append({"case": record["case"], "operator": record["operator"], "route": record["route"], "outcomes": [record["failure"]], "reason": "on purpose"})
json.dump({"implementation": "mine", "versions": "", "failures": failures}, open("known.json", "w"))
PY
sed -i 's/"versions": ""/"versions": "0.1"/' known.json
head -n 1 answers.jsonl | cat - wrong.jsonl >known.jsonl
expect 'known failures are known' 0 'known.jsonl +0.1 +[0-9]+ +0 +[1-9][0-9]* ' judge known.jsonl --known-failures known.json
expect 'known failures that are gone disagree' 2 'FIXED' judge answers.jsonl --known-failures known.json

# --- claims
head -n 1 answers.jsonl | sed -E 's/"operands":\[[^]]*\],?//; s/"indices":\[/"operands":["runtime","folded"],&/' >hello.json
expect 'claims choose calls and routes' 0 '"route":\{"operands":"folded"' "$gathercheck" calls "${few[@]}" --claims hello.json
expect 'and no others' 0 '^0$' sh -c '"$@" | grep -c "\"route\":{\"operands\":\"constant\""; true' sh "$gathercheck" calls "${few[@]}" --claims hello.json

# --- executions with what is expected of them, and answers judged as they come
list=(calls "${few[@]}" --claims hello.json --expectations)
sed -i 's/"operands":\["runtime","folded"\],//' hello.json
expect 'executions are listed' 0 '^[0-9]+ calls$' "$gathercheck" "${list[@]}" --output listed.jsonl
line() { grep "^{\"message\":\"run\",\"case\":\"$1\"" listed.jsonl; }
expect 'with an output' 0 '"expect":\{"output":\{"type":"f32","shape":\[[0-9,]*\],"base64":"[A-Za-z0-9+/=]+"\}\},"rules":\[\{"id":"onnx.gather-13.[^"]*","statement":"' \
  line 'documented-onnx-gather-axis-0'
expect 'with an error, and the number of its control' 0 '"expect":\{"error":"index_out_of_bounds"\},"rules":\[.*\],"control":[0-9]+,"seq":[0-9]+,"operator":"onnx.Gather-13"' \
  line gather-index-one-past-the-end
expect 'with either' 0 '"expect":\{"either":\[\{"error":"wrong_input_count"\},\{"error":"axis_out_of_range"\}\]\}' line gather-two-rules-surplus-input-and-axis
expect 'or with why nothing is' 0 '"expect":\{"unspecified":"[^"]' grep -m 1 unspecified listed.jsonl
each() { "$gathercheck" judge --calls listed.jsonl --answers - --each "$@"; }
seq=$(line gather-index-one-past-the-end | sed -E 's/.*"seq":([0-9]+).*/\1/')
control=$(line gather-index-one-past-the-end | sed -E 's/.*"control":([0-9]+).*/\1/')
expect 'a control stands before what it is of' 0 '^[1-9]' sh -c "[ $control -lt $seq ] && sed -n \"/\\\"seq\\\":$control,/=\" listed.jsonl"
worker_each() { python3 "$root/tools/examples/my_worker.py" <listed.jsonl | each "$@"; }
expect 'a worker answers the list as it is, and each answer is judged' 0 '^\{"seq":'"$seq"',"record":"execution",.*"verdict":"pass"' worker_each
verdicts() { grep -o '"case":"[^"]*","verdict":"[^"]*"' | sort; }
python3 "$root/tools/examples/my_worker.py" <listed.jsonl | each | verdicts >each.txt
python3 "$root/tools/examples/my_worker.py" <listed.jsonl >listed-answers.jsonl
expect 'answers to a list are judged in one go, too' 0 'conforms' "$gathercheck" judge --calls listed.jsonl --answers listed-answers.jsonl --output listed-records.jsonl
whole listed-records.jsonl | verdicts >batch.txt
expect 'with the same verdicts' 0 '^[1-9]' sh -c 'cmp each.txt batch.txt && wc -l <each.txt'
clamping_each() { python3 clamping.py <listed.jsonl | each "$@"; }
expect 'a wrong answer comes with what it shows' 0 "^\{\"seq\":$seq,.*\"verdict\":\"fail\".*\"failure\":\"accepted what must be rejected\".*\"class\":\"clamp\"" clamping_each
expect 'and all with what explains them' 0 '^\{"record":"note","implementation":"mine","level":"diagnosis","text":".*index' clamping_each --implementation mine
say() { printf '%s\n' "$@" | each; }
python3 - >wrong-element.jsonl <<'PY'
import base64, json
for line in open("listed.jsonl"):
    call = json.loads(line)
    output = call.get("expect", {}).get("output", {})
    if output.get("type") == "f32" and output["shape"] == [2, 2, 2]:
        raw = bytearray(base64.b64decode(output["base64"]))
        raw[4] ^= 1  # element 1
        output["base64"] = base64.b64encode(raw).decode()
        print(json.dumps({"seq": call["seq"], "output": output}))
        break
PY
wrong_element() { each <wrong-element.jsonl; }
expect 'the first wrong element has its place' 0 '^\{"seq":[0-9]+,"element":1,.*"detail":"element 1 of \[2, 2, 2\]: expected' wrong_element
rejected="{\"seq\":$seq,\"rejected\":{}}"
expect 'a rejection shows nothing before its control' 0 "\"verdict\":\"unsupported\"" say "$rejected"
expect 'nor after one that failed' 0 "\"verdict\":\"unsupported\"" say "{\"seq\":$control,\"rejected\":{}}" "$rejected"
expect 'what ended the call without an answer may be said' 0 '"verdict":"crash".*"detail":"SIGSEGV"' say "{\"seq\":$seq,\"crash\":\"SIGSEGV\"}"
expect 'and that none came in time' 0 '"verdict":"timeout"' say "{\"seq\":$seq,\"timeout\":10}"
expect 'a malformed answer is broken' 0 '"verdict":"broken".*"detail":"the answer holds none of output' say "{\"seq\":$seq}"
for bad in rubbish '[1]' '{"output":1}' '{"seq":"a"}' '{"seq":0,"crash":"x"}' '{"seq":9999999,"crash":"x"}' '{"seq":18446744073709551617}' '{"seq":1,"seq":2}'; do
  expect "no answer to a call: $bad" 3 '^\{"error":"line 1: ' say "$bad"
done
expect 'and the next line is judged all the same' 3 '"verdict":"timeout"' say rubbish "{\"seq\":$seq,\"timeout\":10}"
python3 - <<'PY'
import json
failures = []
for line in open("listed.jsonl"):
    call = json.loads(line)
    if call.get("case") in ("gather-index-one-past-the-end", "documented-onnx-gather-axis-0"):
        failures.append({"case": call["case"], "operator": call["operator"], "route": call["route"], "outcomes": ["accepted what must be rejected", "wrong value"], "reason": "on purpose"})
json.dump({"implementation": "mine", "versions": "0.1", "failures": failures}, open("known-each.json", "w"))
PY
expect 'known failures are listed' 0 '"control":[0-9]+,"known":\{"outcomes":\["accepted what must be rejected","wrong value"\],"reason":"on purpose"\},"seq"' \
  "$gathercheck" "${list[@]}" --known-failures known-each.json
expect 'they are known' 0 '"case":"gather-index-one-past-the-end","verdict":"known failure"' clamping_each --known-failures known-each.json
expect 'or fixed' 0 '"case":"documented-onnx-gather-axis-0","verdict":"fixed"' clamping_each --known-failures known-each.json
python3 - <<'PY'
import json
known = json.load(open("known-each.json"))
entry = known["failures"][0]
known["failures"] = [entry, {**entry, "case": "no-such-case"}, {**entry, "route": {"operands": "folded", "shapes": "static"}}]
known["failures"].append({**entry, "operator": "openvino.GatherND-8"})
json.dump(known, open("unmatched.json", "w"))
PY
unmatched="unmatched.json: /failures/1: the suite has no case no-such-case; remove the entry"
unmatched+='","unmatched.json: /failures/2: case [a-z0-9-]+ is not run for onnx.Gather-13 by route folded/static; remove the entry'
expect 'those of no call are named' 0 "^\{\"message\":\"goodbye\",\"unmatched\":\[\"$unmatched\"\]\}\$" \
  "$gathercheck" "${list[@]}" --known-failures unmatched.json
sed -i 's/0\.1/0.2/' known-each.json
expect 'not those of another version' 0 '"case":"gather-index-one-past-the-end","verdict":"fail"' clamping_each --known-failures known-each.json
expect 'known failures that cannot be read' 4 'no_such.json' each --known-failures no_such.json
expect 'known failures need a list' 4 'goes with --expectations' "$gathercheck" calls --known-failures known-each.json
expect 'a file that lists no executions' 4 'lists no executions; make it again: gathercheck calls --expectations' "$gathercheck" judge --calls calls.jsonl --answers - --each
expect 'standard input is judged one by one' 4 'go together' "$gathercheck" judge --calls listed.jsonl --answers -
expect 'each and a filter' 4 'excludes' each --filter case=x

# --- the reference as a worker
expect 'the reference answers all' 0 '^0$' sh -c '"$0" worker --reference <listed.jsonl | "$0" judge --calls listed.jsonl --answers - --each | grep -cv "\"verdict\":\"pass\"\|\"verdict\":\"unspecified\"\|\"passed\":true"; true' "$gathercheck"
expect 'and conforms as a worker' 0 'conforms' "$gathercheck" run --implementation "exec:$gathercheck worker --reference" "${few[@]}"
expect 'what is no protocol ends it' 4 'gathercheck: a message ' sh -c 'echo rubbish | "$0" worker --reference' "$gathercheck"

# --- bad input
expect 'answers that are no JSON are pointed at' 4 'rubbish.jsonl:2: not JSON.*Done!' sh -c 'head -n 1 bare.jsonl >rubbish.jsonl; echo "Done!" >>rubbish.jsonl; "$0" judge --calls calls.jsonl --answers rubbish.jsonl' "$gathercheck"
expect 'answers that were cut short' 4 'short.jsonl:2: .*the line was cut short: write the file again, or remove the line' \
  sh -c 'head -n 1 bare.jsonl >short.jsonl; sed -n 2p bare.jsonl | head -c 20 >>short.jsonl; "$0" judge --calls calls.jsonl --answers short.jsonl' "$gathercheck"
expect 'an answer to no call' 4 'far.jsonl:1: "seq" is the integer 99999, the number of the call it answers, which calls.jsonl has from 1 to' \
  sh -c 'echo "{\"seq\":99999,\"unsupported\":\"x\"}" >far.jsonl; "$0" judge --calls calls.jsonl --answers far.jsonl' "$gathercheck"
expect 'an answer without a number' 4 'none.jsonl:1: has no "seq"' sh -c 'echo "{\"output\":1}" >none.jsonl; "$0" judge --calls calls.jsonl --answers none.jsonl' "$gathercheck"
expect 'a malformed answer is trouble, with its line' 3 'bad.jsonl:1: the answer "output": is the integer 1, not an object' \
  sh -c 'echo "{\"seq\":1,\"output\":1}" >bad.jsonl; "$0" judge --calls calls.jsonl --answers bad.jsonl' "$gathercheck"
expect 'a second answer is trouble' 3 'twice.jsonl:1: call [0-9]+ is answered again in line 2' sh -c 'head -n 1 bare.jsonl >twice.jsonl; cat bare.jsonl >>twice.jsonl; "$0" judge --calls calls.jsonl --answers twice.jsonl' "$gathercheck"
expect 'a file that calls did not write' 4 'answers.jsonl:1: no file that .gathercheck calls. wrote' "$gathercheck" judge --calls answers.jsonl --answers answers.jsonl
expect 'a file that is not there' 4 'no_such.jsonl: cannot be read' judge no_such.jsonl
expect 'calls of other cases' 4 'was made of other cases than those here .*; make it again: gathercheck calls' \
  sh -c 'sed "1s/suite_hash\":\"....../suite_hash\":\"ffffff/" calls.jsonl >other.jsonl; "$0" judge --calls other.jsonl --answers bare.jsonl' "$gathercheck"
expect 'calls that were cut short' 3 'cut.jsonl lacks this call; make it again' sh -c 'head -n 5 calls.jsonl >cut.jsonl; : >empty.jsonl; "$0" judge --calls cut.jsonl --answers empty.jsonl' "$gathercheck"
expect 'claims that are no hello' 4 'calls.jsonl is no hello of a worker' "$gathercheck" calls --claims calls.jsonl
expect 'a filter that matches nothing' 4 'matches no case id' "$gathercheck" calls --filter case=no-such-case
for verb in calls judge; do expect "$verb has help with an example" 0 'Example' "$gathercheck" $verb --help; done
if [ -e /dev/full ]; then
  expect 'a full disk is said' 3 'cannot write /dev/full' "$gathercheck" calls "${few[@]}" --output /dev/full
fi

finish
