#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Nothing of a worker outlives its run, however that ends, and nothing else is ended with it. usage: tools/tests/processes.sh GATHERCHECK CXX
set -u

gathercheck=$1
cxx=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/expect.sh"
export ASAN_OPTIONS=detect_leaks=0

cat >numbers.json <<'JSON'
{ "cases": [ { "id": "numbers", "title": "a case", "inputs": {
    "data": { "type": "f32", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula.axis0"],
    "output": { "type": "f32", "shape": [2], "values": [3, 1] } } ] } ] }
JSON
# For each call it starts processes that leave its group, and one that is an orphan; then it answers, or does not.
cat >scatter.sh <<'SH'
read -r line
echo '{"message":"hello","protocol":1,"implementation":{"name":"scatter","version":"1"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"]}],"answers":["run"]}'
while read -r line; do
  case $line in *'"message":"goodbye"'*) exit 0 ;; esac
  seq=${line#*\"seq\":}; seq=${seq%%[,\}]*}
  for k in 1 2 3; do setsid sleep 1000 >/dev/null 2>&1 & done
  (setsid sh -c '(setsid sleep 1000 &) ; sleep 1000' >/dev/null 2>&1 &)
  sleep 1000 &
  echo scattered >>"$1"
  [ "$2" = hang ] && while :; do sleep 1000; done
  echo "{\"seq\":$seq,\"rejected\":{\"message\":\"no\"}}"
done
SH
expect 'the plug-in builds' 0 built sh -c '"$0" -std=c++17 -O1 -shared -fPIC -pthread -I "$1" -o bad.so "$2" && echo built' \
  "$cxx" "$here/../../conformance" "$here/plugins/bad_plugin.cpp"

# What runs here is known by a variable of its environment. Zombies have none.
mark=gathercheck-processes-$$-$RANDOM
marked=(env --default-signal=INT MARK="$mark")
left() { grep -lF "MARK=$mark" /proc/[0-9]*/environ 2>/dev/null; }
until_true() {  # COMMAND...: waits for it, half a minute at most
  local k
  for ((k = 0; k < 600; ++k)); do "$@" && return; sleep 0.05; done
  return 1
}
nothing_left() { [ -z "$(left)" ]; }
none_left() {
  if until_true nothing_left; then echo 'none left'; return; fi
  left | while read -r file; do tr '\0' ' ' <"${file%/environ}/cmdline"; echo; done
  # shellcheck disable=SC2046 # one argument a process
  kill -KILL $(left | sed 's/[^0-9]//g')
  return 1
}
scattered() { [ -s scattered ] && [ "$(left | wc -l)" -ge "$1" ] && echo scattered; }
run=("$gathercheck" run --cases numbers.json --time-limit 600)
answers=(--implementation "exec:/bin/bash $folder/scatter.sh $folder/scattered answer")
hangs=(--implementation "exec:/bin/bash $folder/scatter.sh $folder/scattered hang")

# ends NAME COMMAND...: a run that comes to its end, and has scattered processes.
ends() {
  local name=$1
  shift
  rm -f scattered
  "${marked[@]}" "$@" >output 2>errors </dev/null
  expect "$name: it has scattered processes" 0 scattered cat scattered
  expect "$name: nothing is left" 0 'none left' none_left
}
# ended NAME SIGNAL COUNT COMMAND...: a run that is ended by a signal once there are so many processes.
ended() {
  local name=$1 signal=$2 count=$3 runner
  shift 3
  rm -f scattered
  "${marked[@]}" "$@" >output 2>errors </dev/null &
  runner=$!
  expect "$name: it has scattered processes" 0 scattered until_true scattered "$count"
  kill -s "$signal" "$runner"
  wait "$runner" 2>/dev/null
  expect "$name: nothing is left" 0 'none left' none_left
}
export SCATTERED="$folder/scattered"
ends 'a worker, after its end' "${run[@]}" "${answers[@]}"
ends 'a worker, after a time-out' "$gathercheck" run --cases numbers.json --time-limit 2 "${hangs[@]}"
ended 'a hung worker, SIGKILL' KILL 6 "${run[@]}" "${hangs[@]}"
ended 'a hung worker, SIGINT' INT 6 "${run[@]}" "${hangs[@]}"
ended 'two hung workers, SIGKILL' KILL 10 "${run[@]}" "${hangs[@]}" --jobs 2
ends 'a plug-in, after its end' env BAD_PLUGIN=scatter "${run[@]}" --implementation plugin:bad.so
ended 'a spinning plug-in, SIGKILL' KILL 100 env BAD_PLUGIN=scatter-and-spin "${run[@]}" --implementation plugin:bad.so
ends 'smoke, after its end' "$gathercheck" smoke "exec:/bin/bash $folder/scatter.sh $folder/scattered answer"
ended 'smoke of a hung worker, SIGKILL' KILL 6 "$gathercheck" smoke --time-limit 600 "exec:/bin/bash $folder/scatter.sh $folder/scattered hang"

# --- a child of the process that the runner was before is none of its business
foreign() {
  local child
  child=$(sh -c 'sleep 1000 >/dev/null 2>&1 & echo $!; exec "$@" >output 2>errors' sh "${run[@]}" "${answers[@]}")
  kill "$child" && echo 'it lives'
}
expect 'a child that is not of the run' 0 'it lives' foreign

# A worker that stops the process which watches over it.
cat >stops.sh <<'SH'
read -r line
echo '{"message":"hello","protocol":1,"implementation":{"name":"stops","version":"1"},"claims":[{"operators":["onnx.Gather-13"],"data":["f32"],"indices":["i64"]}]}'
read -r line
kill -STOP "$PPID"
while :; do sleep 1000; done
SH
expect 'a worker that stops its monitor is a time-out like any other' 1 'does not conform' \
  timeout 60 "${marked[@]}" "$gathercheck" run --cases numbers.json --time-limit 0.5 --implementation "s=exec:exec bash $folder/stops.sh"
expect 'and nothing of it is left' 0 'none left' none_left

finish
