#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plug-ins, built with a plain call of a compiler: a good one, and every way to be a bad one. usage: tools/tests/plugin.sh GATHERCHECK CXX
set -u

gathercheck=$1
cxx=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
source "$here/expect.sh"
without_sweeps
# Deaths are wanted here: sanitizers leave the signals alone.
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:detect_leaks=0

warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'
include=$root/conformance
printf '#include "plugin.h"\nint main(void) { return (int)sizeof(gathercheck_implementation) == 0; }\n' >header.c
build() { "$@" && echo built; }
# shellcheck disable=SC2086
{
  expect 'the header is C11 without a warning' 0 built build "$cxx" -x c -std=c11 $warnings -I "$include" -c header.c -o header.o
  expect 'the header is C++11 without a warning' 0 built build "$cxx" -x c++ -std=c++11 $warnings -I "$include" -c header.c -o header.o
  expect 'the example is C11 without a warning' 0 built \
    build "$cxx" -x c -std=c11 $warnings -O2 -shared -fPIC -I "$include" -o my_plugin.so "$root/tools/examples/my_plugin.c"
  expect 'the bad one builds' 0 built build "$cxx" -std=c++17 $warnings -O1 -shared -fPIC -pthread -I "$include" -o bad.so "$here/plugins/bad_plugin.cpp"
  expect 'the bad one builds without its symbol' 0 built \
    build "$cxx" -std=c++17 -DWITHOUT_SYMBOL -shared -fPIC -pthread -I "$include" -o without_symbol.so "$here/plugins/bad_plugin.cpp"
}

# --- the example
expect 'the example passes the shipped suite' 0 'conforms' "$gathercheck" run --implementation plugin:my_plugin.so
expect 'and so do calls that are generated, of which some break two rules' 0 '^my_plugin [0-9.]+, seed 5: 30000 calls in .*; none fails' \
  "$gathercheck" fuzz --implementation plugin:my_plugin.so --seed 5 --count 30000
sed -e 's/"axis_out_of_range"/"too_large"/' -e 's/k < count; ++k) {$/k < (count > 300 ? 300 : count); ++k) {/' "$root/tools/examples/my_plugin.c" >two_bugs.c
expect 'one with two bugs builds' 0 built build "$cxx" -x c -std=c11 -shared -fPIC -I "$include" -o two_bugs.so two_bugs.c
expect 'of which the gravest is told first' 1 '^1[.] onnx[^:]*: (wrong value|not deterministic|unsafe memory) [(]a legal call.*wrong error' \
  sh -c "'$gathercheck' fuzz --implementation plugin:two_bugs.so --seed 5 --count 30000 --time-limit 5 >two_bugs.txt; code=\$?; tr '\\n' ' ' <two_bugs.txt; exit \$code"
expect 'in what is kept it is called as it calls itself' 0 '"engine": "my-plugin"' \
  sh -c '"$0" fuzz --implementation plugin:two_bugs.so --seed 5 --count 2000 --shrink-seconds 1 --time-limit 5 --corpus bugs >told; cat bugs/findings/*.json' "$gathercheck"
expect 'it is called as it calls itself' 0 '^my_plugin +[0-9.]+ ' "$gathercheck" run --implementation plugin:my_plugin.so --sweeps none --output named.jsonl
expect 'in a claim, too' 0 '^# Conformance of gather operators: my.*_plugin [0-9.]+$' "$gathercheck" claim named.jsonl
cp my_plugin.so other.so
expect 'two of one name are told apart by their files' 0 '^plugin:other.so ' \
  "$gathercheck" run --implementation plugin:my_plugin.so --implementation plugin:other.so --sweeps none --filter case=gather-axis-first
expect 'and may be given names' 0 '^other +[0-9.]+ ' \
  "$gathercheck" run --implementation plugin:my_plugin.so --implementation other=plugin:other.so --sweeps none --filter case=gather-axis-first
expect 'it introduces itself' 0 '"name":"my_plugin"' sh -c \
  "echo '{\"message\":\"hello\",\"protocol\":{\"min\":1,\"max\":1}}' | '$gathercheck' worker --plugin ./my_plugin.so"
if python3 -c 'import jsonschema' 2>/dev/null; then
  "$gathercheck" run --implementation "exec:python3 $root/conformance/tests/recording_worker.py $folder/session.txt $gathercheck worker --plugin ./my_plugin.so" \
    --sweeps none --filter 'case=documented-*' >/dev/null
  expect 'a whole session of a plug-in is as the schema says' 0 '[0-9]{3,4} messages are as the schema says' \
    python3 -W ignore "$root/conformance/tests/check_protocol.py" session.txt
  expect 'and its calls say which pass they are of' 0 '"pass":1' cat session.txt
else
  echo 'no Python module jsonschema: the session of a plug-in is not validated'
fi
expect 'implementations are listed with it' 0 '^plugin:FILE' "$gathercheck" list implementations

# --- values of attributes that are not claimed
sed 's/count < 2 \* block/1/' "$root/tools/examples/overflowing_kernel.c" >first_axis.c
expect 'a plug-in of one axis builds' 0 built build "$cxx" -x c -std=c11 -O1 -shared -fPIC -I "$include" -o first_axis.so first_axis.c
expect 'generated calls of other axes are none of its promises' 0 'none fails' \
  "$gathercheck" fuzz --implementation plugin:first_axis.so --seed 1 --count 1500

# --- bad ones
case_of() {  # $1: id, $2: type, $3: values of data, $4: values of the output
  cat <<JSON
{ "cases": [ { "id": "$1", "title": "a case", "inputs": {
    "data": { "type": "$2", "shape": [3], "values": $3 }, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula.axis0"],
    "output": { "type": "$2", "shape": [2], "values": $4 } } ] } ] }
JSON
}
case_of numbers f32 '[1, 2, 3]' '[3, 1]' >numbers.json
cat >nibbles.json <<'JSON'
{ "cases": [ { "id": "nibbles", "title": "a case", "axis": 0, "inputs": {
    "data": { "type": "u4", "shape": [3], "values": [1, 2, 3] }, "indices": { "type": "i64", "shape": [2], "values": [2, 0] } },
  "expect": [ { "for": ["openvino.Gather-8"], "rules": ["ov.gather-8.semantics.formula"],
    "output": { "type": "u4", "shape": [2], "values": [3, 1] } } ] } ] }
JSON
case_of words string '["a", "", "ccc"]' '["ccc", "a"]' >words.json

# bad MODE EXIT-CODE PATTERN [ARGUMENT...]: what comes of a bad plug-in on the numbers.
bad() {
  local mode=$1 code=$2 pattern=$3
  shift 3
  expect "a plug-in of the kind $mode" "$code" "$pattern" env BAD_PLUGIN="$mode" "$gathercheck" run --cases numbers.json \
    --implementation plugin:bad.so "$@"
}
bad good 0 'conforms'
bad read-before 1 'unsafe memory.*(read|touched memory) before the start of data, at byte -1 of its 12 bytes'
bad read-past 1 'unsafe memory.*(read|touched memory) past the end of data, at byte 12 of its 12 bytes'
bad read-indices-past 1 'unsafe memory.*(read|touched memory) past the end of indices, at byte 16 of its 16 bytes'
bad read-in-prepare 1 'unsafe memory.*(read|touched memory) before the start of indices, at byte -1 of its 16 bytes'
bad write-past 1 'unsafe memory.*(wrote|touched memory) past the end of output, at byte 8 of its 8 bytes'
bad write-before 1 'unsafe memory.*(wrote|touched memory) before the start of output, at byte -1 of its 8 bytes'
bad write-input 1 'unsafe memory.*(wrote|touched memory) to data, which is an input, at byte 1 of its 12 bytes'
bad unwritten 1 'unsafe memory.*element 1 of the output was never written'
bad threads-write-past 1 'unsafe memory.*(wrote|touched memory) past the end of output, at byte 8 of its 8 bytes'
bad threads 0 'conforms'
bad thread-that-stays 0 'conforms'
bad fork 0 'conforms'
bad leak 0 'conforms'
if (ulimit -v 4000000 && exec "$gathercheck" --help) >/dev/null 2>&1; then
  bad leak-much 1 'killed by SIGSEGV .its memory limit is 3221225472 bytes.' --memory-limit 3GB
  bad leak-much 1 'repeat: .*--memory-limit 3221225472 ' --memory-limit 3GB
  bad good 0 'conforms' --memory-limit 3GB
  # The limit comes while the program is being loaded: that fails, or it says so itself, or there is no memory for the first call.
  expect 'a limit that leaves a plug-in no memory' 0 \
    'ended before its hello.*its memory limit is 1048576 bytes|is unavailable: gathercheck: out of memory|no guarded memory is to be had' \
    env BAD_PLUGIN=good sh -c '"$0" run --cases numbers.json --implementation plugin:bad.so --memory-limit 1MB; case $? in 1 | 3) ;; *) false ;; esac' \
    "$gathercheck"
else
  echo 'left out: memory limits, since this build (with sanitizers) reserves more address space than any limit'
fi
bad print 0 'conforms'
bad allocate 0 'conforms'
bad large-struct 0 'conforms'
bad hang 1 'TIMEOUT' --time-limit 0.5 --filter route=runtime/static
bad abort 1 'killed by SIGABRT'
bad abort-in-prepare 1 'killed by SIGABRT'
bad exit 1 'exited with code 0'
bad null 1 'killed by SIGSEGV'
bad null 1 'SIGSEGV by the instruction at bad\.so\+0x[1-9a-f]'
bad throw 1 'killed by SIGABRT.*nobody catches this'
bad odd 1 'not deterministic'
bad odd-fault 1 'killed by SIGSEGV.*the tensors begin at odd addresses'
bad wrong-status 3 'BROKEN|prepare returned 17'
bad wrong-type 3 'describe gave an element type of number 99'
bad wrong-rank 3 'describe gave a rank of 65'
bad wrong-dimension 3 'describe gave a dimension of -2'
bad no-output 3 'run made no output'
bad allocate-twice 3 'allocate was called twice'
export BAD_ALIGNMENT=64  # behind a tensor lies a pattern, up to the next multiple of 64
bad good 0 'conforms'
bad read-past 0 'conforms'
bad use-past 1 'unsafe memory.*element 0 of the output comes from outside the inputs'
bad write-past 1 'unsafe memory.*wrote past the end of output, at byte 8 of its 8 bytes'
bad write-before 1 'unsafe memory.*(wrote|touched memory) before the start of output, at byte -1 of its 8 bytes'
unset BAD_ALIGNMENT
expect 'packed elements are moved' 0 'conforms' env BAD_PLUGIN=good "$gathercheck" run --cases nibbles.json --implementation plugin:bad.so
expect 'a packed element that is not written' 1 'element 1 of the output was never written' \
  env BAD_PLUGIN=unwritten "$gathercheck" run --cases nibbles.json --implementation plugin:bad.so
expect 'packed inputs are guarded' 1 'past the end of data, at byte 2 of its 2 bytes' \
  env BAD_PLUGIN=read-past "$gathercheck" run --cases nibbles.json --implementation plugin:bad.so
expect 'strings are moved' 0 'conforms' env BAD_PLUGIN=good "$gathercheck" run --cases words.json --implementation plugin:bad.so
expect 'a string of its own is not the data' 1 'string element 0 points outside the data tensor' \
  env BAD_PLUGIN=foreign-string "$gathercheck" run --cases words.json --implementation plugin:bad.so
expect 'a string that is not written' 1 'string element 1 was never written' \
  env BAD_PLUGIN=unwritten "$gathercheck" run --cases words.json --implementation plugin:bad.so

# --- smoke
expect 'smoke finds the example ready' 0 'ready .exit 0.' "$gathercheck" smoke plugin:my_plugin.so
sed 's/^ *char\* to = output->contents;/&\n    to[output->bytes] = 0;/' "$root/tools/examples/my_plugin.c" >past.c
expect 'one that writes past the end builds' 0 built build "$cxx" -x c -std=c11 -O1 -shared -fPIC -I "$include" -o past.so past.c
expect 'its known failures are of that name' 1 'added: ' "$gathercheck" run --implementation plugin:past.so --sweeps none \
  --filter case=gather-axis-first --known-failures past.json --update-known-failures --reason 'it writes past the end'
cp output said
expect 'as a line that repeats a failure is' 0 '^  repeat: .* --implementation my_plugin=plugin:past.so ' cat said
expect 'and the file' 0 '"implementation": "my_plugin"' cat past.json
expect 'smoke names its fault' 1 'which is wrong: +wrote past the end of output, at byte [0-9]+ of its [0-9]+ bytes' "$gathercheck" smoke plugin:past.so
expect 'and not the protocol' 1 'it speaks the protocol, and gets calls wrong' "$gathercheck" smoke plugin:past.so
expect 'smoke names what a plug-in that does not load hangs in' 3 'stderr ends: .*the plug-in bad.so: its initialisation .dlopen. did not return' \
  env BAD_PLUGIN=hang-in-constructor "$gathercheck" smoke --time-to-start 1 plugin:bad.so

# --- no plug-ins: one message, exit code 3; a file that is not there is bad usage
bad small-struct 3 'struct says that it has 8 bytes, it must have [0-9]+; set size to sizeof'
bad other-version 3 'does not know version 1 of the plug-in interface'
bad nameless 3 'its name is missing'
bad no-run 3 'its function run is missing'
bad alignment-3 3 'its alignment is 3, not 0 or a power of two'
bad claims-nothing 3 'claims no operator version'
bad exit-at-load 3 'ended before its hello: exited with code 0.*the plug-in bad.so: its function gathercheck_plugin ended the process by exit'
bad null-at-load 3 'ended before its hello: killed by SIGSEGV.*the plug-in bad.so: its function gathercheck_plugin ended the process by SIGSEGV'
bad abort-in-constructor 3 'ended before its hello: killed by SIGABRT.*the plug-in bad.so: its initialisation .dlopen. ended the process by SIGABRT'
bad hang-in-constructor 3 'no hello within 5 s.*the plug-in bad.so: its initialisation .dlopen. did not return' --time-limit 1
bad hang-at-load 3 'no hello within 5 s.*the plug-in bad.so: its function gathercheck_plugin did not return' --time-limit 1
expect 'a library without the function' 3 'it exports no function gathercheck_plugin' \
  "$gathercheck" run --cases numbers.json --implementation plugin:without_symbol.so
expect 'a file that is no library' 3 'numbers.json cannot be used: .*(invalid ELF header|file too short)' \
  "$gathercheck" run --cases numbers.json --implementation plugin:numbers.json
expect 'a file that is not there' 4 'no-such.so is no file' "$gathercheck" run --cases numbers.json --implementation plugin:no-such.so
expect 'the worker says the same' 4 'cannot be used: .*no-such.so' "$gathercheck" worker --plugin no-such.so
expect 'the worker needs a plug-in' 4 'from \[--plugin,--reference,--null\] is required' "$gathercheck" worker
expect 'what is no protocol ends the worker' 4 'a message .*: this is no protocol' sh -c "echo this is no protocol | '$gathercheck' worker --plugin ./my_plugin.so"

finish
