#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gathercheck history: the runs of a folder, and since when failures are there. usage: tools/tests/history.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

suite_a=$(printf 'a%.0s' $(seq 64))
suite_b=$(printf 'b%.0s' $(seq 64))
run() {  # STARTED [SUITE] [OPTIONS]
  echo "{\"record\":\"run\",\"schema\":2,\"suite\":{\"version\":\"1.1.0\",\"hash\":\"${2-$suite_a}\",\"cases\":9},\"tool\":{\"version\":\"1.1.0\"},\"command\":[\"gathercheck\"],\"started\":\"$1\",\"machine\":{\"cpu\":\"cpu\",\"system\":\"Linux\"},\"options\":{\"folder\":\"/\",\"time_limit\":20,\"restarts\":200${3-}}}"
}
engine() {  # NAME VERSION
  name=$1
  version=$2
  echo "{\"record\":\"implementation\",\"implementation\":\"$1\",\"state\":\"started\",\"asked_by_name\":true,\"version\":\"$2\",\"claims\":[{\"operators\":[\"onnx.Gather-13\"],\"data\":[\"f32\"],\"indices\":[\"i64\"],\"operands\":[\"runtime\"],\"shapes\":[\"static\"],\"axis\":[\"constant\"]}]}"
}
of() {  # CASE HASH MEMBERS
  echo "{\"record\":\"execution\",\"implementation\":\"$name\",\"version\":\"$version\",\"operator\":\"onnx.Gather-13\",\"route\":{\"operands\":\"runtime\",\"shapes\":\"static\"},\"case\":\"$1\",\"case_hash\":\"$2\",$3}"
}
end() { echo "{\"record\":\"end\",\"executions\":$1,\"exit_code\":$2,\"seconds\":1}"; }
pass='"verdict":"pass","outcome":"value"'
wrong='"verdict":"fail","failure":"wrong value","outcome":"value","detail":"element 0 of [1]: expected 1, got 5","rules":["onnx.gather-13.formula.axis0"]'
elsewhere=${wrong/formula.axis0/axis.negative}
crash='"verdict":"crash","outcome":"crash","detail":"killed by SIGSEGV","rules":["onnx.gather-13.indices.error"]'
known='"verdict":"known failure","failure":"wrong value","outcome":"value","finding":"engine-bug","reason":"it is so","rules":["onnx.gather-13.formula.axis0"]'

# --- four versions of an engine, with a second one in two of them; the names of the files are in another order
mkdir runs
{
  run 2026-01-01T00:00:00Z
  engine engine 1.13
  of known-one 11111111 "$pass"
  of was-wrong 11111111 "$wrong"
  of stays 11111111 "$pass"
  of changes 11111111 "$elsewhere"
  end 4 1
} >runs/d.jsonl
{
  run 2026-02-01T00:00:00Z
  engine engine 1.14
  of known-one 11111111 "$known"
  of was-wrong 11111111 "$wrong"
  of stays 11111111 "$pass"
  of changes 11111111 "$elsewhere"
  engine other 7
  of known-one 11111111 "$crash"
  end 5 1
} >runs/c.jsonl
{
  run 2026-03-01T00:00:00Z
  engine engine 1.19
  of known-one 11111111 "${known/known failure/fail}"
  of was-wrong 11111111 "$pass"
  of stays 11111111 "$pass"
  of changes 11111111 "$elsewhere"
  end 4 1
} >runs/b.jsonl
{
  run 2026-04-01T00:00:00Z "$suite_b"
  engine engine 1.20
  of known-one 11111111 "$pass"
  of was-wrong 11111111 "$pass"
  of stays 11111111 "$crash"
  of changes 22222222 "$pass"
  engine other 7
  of known-one 11111111 "$crash"
  end 5 1
} >runs/a.jsonl
gzip runs/c.jsonl
zstd -q --rm runs/b.jsonl
expect 'runs are found, compressed or not' 0 '^4 runs, in the order in which they began$' "$gathercheck" history runs
cp output all.txt
said() { expect "$1" 0 "$2" sh -c 'tr "\n" "~" <all.txt'; }
said 'the machine is told once' '~machine: cpu, Linux~'
said 'each implementation by itself' '~engine: 4 runs~.*~other: 2 runs~'
said 'the oldest run first' '~1 +2026-01-01T00:00:00Z +1\.13 +1\.1\.0 +aaaaaaaa +1 +d\.jsonl +2 +2 +0 +0~2 +2026-02-01T00:00:00Z +1\.14 '
said 'and the newest last, with its counts' '~4 +2026-04-01T00:00:00Z +1\.20 +1\.1\.0 +bbbbbbbb +1 +a\.jsonl +3 +0 +1 +0~'
said 'what changed, and why' '~  run 2: new failure: 1 \(another version of the implementation\)~  run 3: fixed: 1 \(another version of the implementation\)~'
said 'what the suite changed is told apart' '~  run 4: new failure: 1 \(another version of the implementation\); fixed: 1 \(the case was changed\); fixed: 1 \(another version of the implementation\)~'
said 'the other engine is compared with its own run before, not with the last' '~other: 2 runs~.*~  run 2: nothing changed~'
said 'since when a finding is there, also where a run does not name it' \
  '~  finding engine-bug \(onnx\.Gather-13\)~      since 1\.14, not in 1\.13; fixed in 1\.20, in 1\.19 still~'
said 'a case that was changed does not show that it is fixed' '~  onnx\.Gather: wrong value; rule onnx\.gather\.axis\.negative \(onnx\.Gather-13\)~      in all 3 runs, 1\.13 to 1\.19; not run: 1\.20~'
said 'a failure of no finding' \
  '~  onnx\.Gather: wrong value; rule onnx\.gather\.formula\.axis0 \(onnx\.Gather-13\)~      in the oldest run asked, 1\.13; fixed in 1\.19, in 1\.14 still~'
said 'runs of one version are told apart' '~  onnx\.Gather: crash; rule onnx\.gather\.indices\.error \(onnx\.Gather-13\)~      in all 2 runs, 7 of 2026-02-01 to 7 of 2026-04-01~'
expect 'of one implementation' 0 '^0$' sh -c '"$0" history runs --implementation other | grep -c "^engine:"; true' "$gathercheck"
expect 'that is none of them' 4 "runs: holds no whole run of 'third'; its runs are of engine, other" "$gathercheck" history runs --implementation third
expect 'as Markdown' 0 '^\| 4 \| 2026-04-01T00:00:00Z \| 1\.20 \|' "$gathercheck" history runs --format markdown
expect 'with since when' 0 '^\| finding engine-bug \| onnx\.Gather-13 \| since 1\.14, not in 1\.13' "$gathercheck" history runs --format markdown
expect 'as JSON' 0 '"since": "since 1\.14, not in 1\.13; fixed in 1\.20, in 1\.19 still"' "$gathercheck" history runs --format json
cp output history.json
expect 'with the runs that show it' 0 '^1 2 \[.1\.14., .1\.19.\]$' python3 -c 'import json
engine = json.load(open("history.json"))["implementations"][0]
finding = next(each for each in engine["failures"] if each.get("finding") == "engine-bug")
print(finding["first"], finding["last"], finding["shown"])'
if python3 -c 'import jsonschema' 2>/dev/null; then
  expect 'that its schema takes' 0 '^valid$' sh -c 'python3 "$0/tools/tests/validate.py" "$0/conformance/schemas" history <history.json' "$root"
fi
expect 'into a file' 0 '^engine: 4 runs$' sh -c '"$0" history runs --output out.txt; cat out.txt' "$gathercheck"
expect 'that is no input' 4 'it is an input' "$gathercheck" history runs --output runs/a.jsonl

# --- what is no whole run does not count
{
  run 2026-05-01T00:00:00Z
  engine engine 1.21
  of known-one 11111111 "$pass"
} >runs/half.jsonl
head -c 300 runs/d.jsonl >runs/broken.jsonl
head -c 100 runs/c.jsonl.gz >runs/broken-too.jsonl.gz
{
  run 2026-05-01T00:00:00Z "$suite_a" ',"shard":"1/3"'
  engine engine 1.21
  of known-one 11111111 "$pass"
  end 1 0
} >runs/shard.jsonl
cp runs/d.jsonl runs/d-again.jsonl
echo 'no records' >runs/notes.txt
"$gathercheck" history runs >all.txt
expect 'other runs count as before' 0 '^4 runs' cat all.txt
said 'a run that was cut short is named' '~left out: half\.jsonl: the run was cut short: 1 execution and no end~'
said 'and one that is not even begun' '~left out: broken\.jsonl: holds no run'
said 'and what cannot be decompressed' '~left out: broken-too\.jsonl\.gz: gzip could not decompress it'
said 'and a shard' '~left out: shard\.jsonl: of the 3 shards of its run 2 are not here: 2, 3~'
said 'and a run that another file holds' '~left out: d-again\.jsonl: is the run of d\.jsonl, which counts~|~left out: d\.jsonl: is the run of d-again\.jsonl, which counts~'
sed 's/"version":"1.13"/"version":"1.13.1"/' runs/d.jsonl >runs/d-other.jsonl
mkfifo runs/pipe.jsonl
timeout 60 "$gathercheck" history runs >all.txt
expect 'a run of another version that began in the same second counts' 0 '^5 runs' cat all.txt
said 'and a pipe is not waited for' '~left out: pipe\.jsonl: is no file~'
rm runs/d-other.jsonl runs/pipe.jsonl
expect 'in the JSON too' 0 '^5$' sh -c '"$0" history runs --format json | python3 -c "import json, sys; print(len(json.load(sys.stdin)[\"left_out\"]))"' "$gathercheck"

# --- older records, and those without a time
mkdir old
{
  run 2025-01-01T00:00:00Z | sed 's/"schema":2/"schema":1/'
  engine engine 1.12
  of known-one '' "$wrong" | sed 's/"case_hash":"",//'
  end 1 1
} >old/z.jsonl
cp runs/a.jsonl old/y.jsonl
expect 'records of schema 1 are read' 0 'in the oldest run asked, 1\.12; fixed in 1\.20, in 1\.12 still' "$gathercheck" history old
sed 's/2025-01-01T00:00:00Z/some day/' old/z.jsonl >old/x.jsonl
rm old/z.jsonl
expect 'without a time by name' 0 '^2 runs, in the order of the names of their files, since x\.jsonl tells no time$' "$gathercheck" history old

# --- nothing to follow
mkdir empty half
cp runs/half.jsonl half
expect 'a folder without records' 4 'empty: holds no file \*\.jsonl, ' "$gathercheck" history empty
expect 'no folder' 4 'nowhere: cannot be read as a folder' "$gathercheck" history nowhere
expect 'no whole run' 3 '^left out: half\.jsonl' "$gathercheck" history half
finish
