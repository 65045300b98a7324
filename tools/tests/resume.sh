#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs that are cut short and go on: the records of a run that nothing disturbed. usage: tools/tests/resume.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

# It lacks what it claims and dies at one axis. While there is a file "hold", which counts over deaths, it stands still after 1600
# calls: behind the first part that a run asks together.
cat >lacking.sh <<'SH'
read -r line
echo '{"message":"hello","protocol":1,"implementation":{"name":"lacking","version":"1"},"claims":[{"operators":["onnx.Gather-13","openvino.Gather-8"],"data":["f32","i32","i64","u8"],"indices":["i64","i32"],"operands":["runtime"],"shapes":["static"]}],"answers":["run"]}'
count=0
[ -e hold ] && read -r count <hold
while read -r line; do
  seq=${line#*\"seq\":}; seq=${seq%%[,\}]*}
  count=$((count + 1))
  if [ "$count" -gt 1600 ] && [ -e hold ]; then sleep 600; fi
  case $line in
    *'"message":"goodbye"'*) exit 0 ;;
    *'"axis":2'*) [ -e hold ] && echo "$count" >hold; echo 'the axis is two' >&2; exit 7 ;;
  esac
  echo "{\"seq\":$seq,\"unsupported\":\"no\"}"
done
SH
sed 's/,\\"unsupported\\":\\"no\\"/,\\"rejected\\":{\\"message\\":\\"no\\"}/; /axis":2/d' lacking.sh >refusing.sh
lacking="exec:/bin/bash $folder/lacking.sh"
options=(--implementation reference --implementation "$lacking" --sweeps all --restarts 100000
  --filter operator=onnx.Gather-13 --filter operator=openvino.Gather-8 --filter type=f32 --filter type=i32)

# All that a run leaves, but for its command line and its times.
comparable() {
  whole "$1" |
    sed -E 's/"command":\[[^]]*\]/"command":[]/; s/"started":"[^"]*"/"started":""/; s/"seconds":[0-9.e+-]+/"seconds":0/; s/,"us":[0-9]+//'
}
# How many executions of the program a file has.
recorded() { awk '/"record":"implementation".*"exec:/ { seen = 1 } seen && /"of":/ { ++count } END { print count + 0 }' "$1"; }
same_file() { cmp "$1" "$2" && echo 'the same'; }
same() {
  comparable "$1" >first
  comparable "$2" >second
  same_file first second
}

"$gathercheck" run "${options[@]}" --failures 0 --output whole.jsonl >output
whole=$?
sed -E 's/ in [0-9.]+ s:/ in 0 s:/' output >whole.out
expect 'a run that nothing disturbs has more than two parts' 0 '^[1-9][0-9]{3}' recorded whole.jsonl
expect 'and crashes' 0 'the axis is two' cat whole.jsonl

# cut SIGNAL FILE OPTION...: a run that a signal ends in the middle of a program's executions.
cut() {
  local signal=$1 file=$2
  shift 2
  echo 0 >hold
  rm -f "$file"
  set -m  # else Ctrl-C is ignored in the background
  "$gathercheck" run "$@" --output "$file" >cut.out 2>&1 &
  set +m
  for _ in $(seq 600); do
    [ -e "$file" ] && [ "$(recorded "$file")" -ge 512 ] && break
    sleep 0.1
  done
  sleep 0.3
  kill "-$signal" $! 2>/dev/null
  wait $! 2>/dev/null
  rm hold
}
for signal in INT KILL; do
  cut $signal cut.jsonl "${options[@]}"
  cp cut.jsonl "$signal.jsonl"
  expect "SIG$signal leaves a part of the program's executions" 0 '^[1-9][0-9]{2}$' recorded cut.jsonl
  expect "a run that SIG$signal cut short goes on to the same exit code" $whole '' "$gathercheck" run --trust-record --resume cut.jsonl --failures 0
  sed -E 's/ in [0-9.]+ s:/ in 0 s:/' output >resumed.out
  expect 'and the same text' 0 'the same' same_file whole.out resumed.out
  expect 'and leaves the same records' 0 'the same' same whole.jsonl cut.jsonl
done
printf '{"record":"execution","impl' >>KILL.jsonl
cp KILL.jsonl torn.jsonl
expect 'half a line is cut off' $whole '' "$gathercheck" run --trust-record --resume torn.jsonl
expect 'and the rest is the same' 0 'the same' same whole.jsonl torn.jsonl
whole whole.jsonl | head -n 700 | head -c -1 >newline.jsonl
expect 'a line that lacks its newline only is kept' $whole '' "$gathercheck" run --trust-record --resume newline.jsonl
expect 'and no line is lost or there twice' 0 'the same' same whole.jsonl newline.jsonl
cp INT.jsonl jobs.jsonl
expect 'it goes on with several processes' $whole '' "$gathercheck" run --trust-record --resume jobs.jsonl --jobs 3
expect 'to the same records' 0 'the same' same whole.jsonl jobs.jsonl
head -n 1 whole.jsonl >header.jsonl
expect 'a header alone is enough' $whole '' "$gathercheck" run --trust-record --resume header.jsonl
expect 'for the same records again' 0 'the same' same whole.jsonl header.jsonl
mkdir -p elsewhere
cp INT.jsonl elsewhere/cut.jsonl
expect 'it goes on from another folder' $whole '' sh -c 'cd elsewhere && exec "$0" run --trust-record --resume cut.jsonl' "$gathercheck"
expect 'in the folder where it began' 0 'the same' same whole.jsonl elsewhere/cut.jsonl

full() { bash -c 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"' full "$@"; }
alone=("${options[@]:2}")  # the limit is on the memory that a child shares, too: the program alone
"$gathercheck" run "${alone[@]}" --failures 0 --output whole_alone.jsonl >output
alone_whole=$?
expect 'a full disk cuts a run short' 3 'cannot write full.jsonl' full 100 "$gathercheck" run "${alone[@]}" --output full.jsonl
expect 'going on meets a full disk again' 3 'cannot write .*full.jsonl' full 200 "$gathercheck" run --trust-record --resume full.jsonl
expect 'and then none' $alone_whole '' "$gathercheck" run --trust-record --resume full.jsonl
expect 'the records are the same' 0 'the same' same whole_alone.jsonl full.jsonl

# The limit on restarts is one of both parts.
limited=("${alone[@]/100000/20}")
"$gathercheck" run "${limited[@]}" --failures 0 --output limited-whole.jsonl >output
limited_whole=$?
by_itself limited-whole.jsonl
for verdict in crash 'not run'; do
  head -n "$(grep -n "\"verdict\":\"$verdict\"" limited-whole.jsonl | sed -n '10s/:.*//p')" limited-whole.jsonl >limited.jsonl
  expect "a run goes on behind its tenth '$verdict' to the limit of the whole" $limited_whole '20 times, which is the limit' "$gathercheck" run --trust-record --resume limited.jsonl
  expect 'with the same records' 0 'the same' same limited-whole.jsonl limited.jsonl
done

# Known failures and their updates.
known=("${options[@]}" --known-failures known.json --update-known-failures)
"$gathercheck" run "${known[@]}" --output known-whole.jsonl >/dev/null 2>&1
mv known.json whole.json
cut KILL known.jsonl "${known[@]}"
expect 'a run that updates known failures goes on' $whole 'known.json: executions dropped: 0, added: [1-9]' "$gathercheck" run --trust-record --resume known.jsonl
expect 'and writes the same file' 0 'the same' same_file whole.json known.json
sed -i 's/"reason": ""/"reason": "on purpose"/' known.json
"$gathercheck" run "${options[@]}" --known-failures known.json --output known-whole.jsonl >/dev/null 2>&1
cut INT known.jsonl "${options[@]}" --known-failures known.json
expect 'known failures are known when the run goes on' 3 'known failure' "$gathercheck" run --trust-record --resume known.jsonl
expect 'in the same records' 0 'the same' same known-whole.jsonl known.jsonl
cut INT known.jsonl "${options[@]}" --known-failures known.json
sed -i 's/"on purpose"/"by accident"/' known.json
cp known.jsonl before.jsonl
expect 'not with other known failures' 4 'cannot resume known.jsonl: the known failures of exec:.* in .*known.json were others: their hash was [0-9a-f]{64} and is .*restore what has changed, or start the run anew' \
  "$gathercheck" run --trust-record --resume known.jsonl
expect 'which leaves the records as they are' 0 'the same' same_file known.jsonl before.jsonl
sed -i 's/"by accident"/"on purpose"/; s/^ *//' known.json
expect 'but with the same, however they are laid out' 3 'known failure' "$gathercheck" run --trust-record --resume known.jsonl
expect 'to the same records' 0 'the same' same known-whole.jsonl known.jsonl

# What was recorded of one build is not put together with what another answers.
cp INT.jsonl rebuilt.jsonl
cp rebuilt.jsonl before.jsonl
touch lacking.sh
expect 'not with a program that was written since' 4 'cannot resume rebuilt.jsonl: .*/lacking.sh was written at [0-9TZ:-]+ and the run began at .*, so what is recorded may be of another build; restore what has changed, or start the run anew' \
  "$gathercheck" run --trust-record --resume rebuilt.jsonl
expect 'which leaves the records as they are, too' 0 'the same' same_file rebuilt.jsonl before.jsonl
touch -d '2020-01-01' lacking.sh

# The diagnosis is one of all failures, whenever they were recorded.
refusing=(--implementation "exec:/bin/bash $folder/refusing.sh" --sweeps all --filter operator=onnx.Gather-13 --filter type=f32)
"$gathercheck" run "${refusing[@]}" --output refused-whole.jsonl >/dev/null 2>&1
cut KILL refused.jsonl "${refusing[@]}"
expect 'a diagnosis after a break' 1 '[0-9]+ failures' "$gathercheck" run --trust-record --resume refused.jsonl
expect 'covers all rejections' 0 'the same' same refused-whole.jsonl refused.jsonl
expect 'of which it speaks' 0 '"level":"diagnosis"' cat refused.jsonl
sed -E 's/raise IndexError.*/pass/; s/index % size\) \* inner/min(max(index, -size), size - 1) % size) * inner/' \
  "$root/tools/examples/my_worker.py" >clamping.py
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1
"$gathercheck" run --implementation "exec:python3 $folder/clamping.py" --sweeps none --filter operator=onnx.Gather-13 --output clamped-whole.jsonl >/dev/null 2>&1
by_itself clamped-whole.jsonl
failures=$(grep -c '"verdict":"fail"' clamped-whole.jsonl)
half=$(grep -n '"verdict":"fail"' clamped-whole.jsonl | sed -n "$((failures / 2))s/:.*//p")
for kept in "$half" "$(($(wc -l <clamped-whole.jsonl) - 2))"; do
  head -n "$kept" clamped-whole.jsonl >clamped.jsonl
  expect "a diagnosis of what was in line $kept and before" 1 "all $failures failures are explained by: " \
    "$gathercheck" run --trust-record --resume clamped.jsonl
  expect 'and of all behind it' 0 'the same' same clamped-whole.jsonl clamped.jsonl
done

# Refusals leave the file as it is.
refused() {  # NAME PATTERN [COMMAND...]
  local name=$1 pattern=$2
  shift 2
  cp bad.jsonl before.jsonl
  expect "$name" 4 "$pattern" "${@:-$gathercheck}" run --trust-record --resume bad.jsonl
  expect 'which leaves the file as it is' 0 'the same' same_file bad.jsonl before.jsonl
}
expect 'a run that is complete has nothing to do' $whole "whole.jsonl is complete: nothing to do \(exit $whole\)" "$gathercheck" run --trust-record --resume whole.jsonl
expect 'a file that is not there' 4 'no-such.jsonl: cannot be read' "$gathercheck" run --trust-record --resume no-such.jsonl
expect 'options are those of the run' 4 '--filter does not go with --resume.*leave it out' "$gathercheck" run --trust-record --resume INT.jsonl --filter type=f32
echo 'no record' >bad.jsonl
refused 'what is no record' 'bad.jsonl: line 1 is no record'
head -c 50 whole.jsonl >bad.jsonl
refused 'half a header' 'does not begin with the header of a run'
cat INT.jsonl KILL.jsonl >bad.jsonl
sed -i '$d' bad.jsonl
refused 'two runs in one file' 'holds several runs'
sed '1s/"tool":{"version":"[^"]*"/"tool":{"version":"0.9"/' INT.jsonl >bad.jsonl
refused 'another version of gathercheck' 'cannot resume bad.jsonl: gathercheck 0.9 wrote it and this is .*start the run anew'
sed '1s/"hash":"..../"hash":"0000/' INT.jsonl >bad.jsonl
refused 'other cases' 'its cases were others: their hash was 0000'
sed '1s/,"options":.*/}/' INT.jsonl >bad.jsonl
refused 'a header that does not tell the options' 'its header does not tell the options of a run'
cp INT.jsonl bad.jsonl
sed -i 's/"lacking","version":"1"/"lacking","version":"2"/' lacking.sh
touch -d '2020-01-01' lacking.sh
refused 'another version of the program' 'the version of exec:.* was 1 then and is 2 now'
if command -v flock >/dev/null; then
  expect 'a file that is being written' 4 'another process is writing it' flock INT.jsonl "$gathercheck" run --trust-record --resume INT.jsonl
fi
finish
