#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reproducers are run and must show what they say: kept ones, and those that a run has just written.
# usage: tools/tests/verify.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1 GATHERCHECK_PYTHON=python3
mkdir kept temporary
export TMPDIR=$folder/temporary

says() { printf '# shows: %s\n%s\n' "$1" "$2" >kept/one.py; }
# shows NAME WORDS PROGRAM, shows_not NAME PATTERN WORDS PROGRAM
shows() {
  says "$2" "$3"
  expect "$1" 0 '^1 of 1 reproducer shows what it says; .*exit 0' "$gathercheck" verify kept --time-limit 20
}
shows_not() {
  says "$3" "$4"
  expect "$1" 1 "^FAILED  kept/one.py: $2" "$gathercheck" verify kept --time-limit 20
}
dies() { echo "import os, signal; os.kill(os.getpid(), signal.$1)"; }

# Each form of words, shown and not.
shows 'another output' 'an output other than [1] 00' 'print("output [1]", "01")'
shows 'an output of another shape' 'an output other than [2] 00' 'print("output (1,)", "00")'
shows_not 'the right output shows nothing' "it says 'an output other than .1. 00', but it ended with code 0; its output ends: output" \
  'an output other than [1] 00' 'print("output uint8 (1,)", "00")'
shows_not 'nor does what nobody can read' 'it says' 'an output other than [1] 00' 'print("output one")'
shows 'other strings' 'an output other than [2] ["a","b\u0000"]' "print('output', [2], ['a', 'b'])"
shows_not 'the right strings as Python writes them' 'it says' 'an output other than [2] ["a","\u00e9\u0000\ud83d\ude00"]' \
  "print('output', [2], ['a', 'é\\0\\U0001f600'])"
shows_not 'the right strings as Rust writes them' 'it says' 'an output other than [2] ["a\"","\u00e9\u0000\ud83d\ude00"]' \
  "print(r'output [2] [\"a\\\"\", \"\\u{e9}\\0\\u{1f600}\"]')"
shows 'an output like a pattern' 'an output like ^\[2\] (a5){4}$' 'print("output [2] a5a5a5a5")'
shows_not 'an output unlike it' 'it says' 'an output like ^\[2\] (a5){4}$' 'print("output [2] a5a5a500")'
shows_not 'a refusal is no output' 'it says .an output., but it ended with code 1; its stderr ends: .*ValueError: no' 'an output' \
  'raise ValueError("no")'
shows_not 'nor is an output before a death' 'it says .* but it was killed by SIGSEGV' 'an output' "print('output [] 00', flush=True); $(dies SIGSEGV)"
shows 'a description' 'a description' 'print("declared u8 [2]")'
shows_not 'no description' 'it says' 'a description' 'print("rejected no")'
shows 'a refusal' 'refused: no such' 'raise ValueError("no such axis")'
shows 'a refusal whose tabs are blanks in the head' 'refused: no such' 'raise ValueError("no\tsuch axis")'
shows_not 'another refusal' 'it says' 'refused: no such' 'raise ImportError("numpy")'
shows_not 'words on the way to an output are no refusal' 'it says' 'refused: no such' 'print("no such"); print("output [] 00")'
shows 'the last call of a sequence is refused' 'refused: no such' 'print("output [] 00\nrejected no such axis")'
shows_not 'an earlier one is' 'it says' 'refused: no such' 'print("rejected no such axis\noutput [] 00")'
shows_not 'an output of an earlier call counts for nothing' 'it says' 'an output' 'print("output [] 00\nrejected no such axis")'
shows 'a crash' 'a crash' "$(dies SIGFPE)"
shows 'a crash by another signal' 'a crash' "$(dies SIGABRT)"
shows_not 'a kill from outside is no crash' 'it says .a crash., but it was killed by SIGKILL; it printed nothing' 'a crash' "$(dies SIGKILL)"
shows_not 'nor is an end' 'it says .a crash., but it ended with code 1' 'a crash' 'raise SystemExit(1)'
shows 'where memory decides, a crash' 'a crash or an output other than [1] 00' "$(dies SIGSEGV)"
shows 'where memory decides, another output' 'a crash or an output other than [1] 00' 'print("output [1]", "01")'
shows_not 'where memory decides, the right output shows nothing' 'it says' 'a crash or an output other than [1] 00' 'print("output [1]", "00")'
shows 'no end' 'no end in 1 seconds' 'import time; time.sleep(30)'
shows_not 'an end' 'it says .no end in 1 seconds., but it ended' 'no end in 1 seconds' 'print("output [] 00")'
shows_not 'words that nobody knows' 'nobody knows the words' 'a surprise' 'print()'
shows_not 'an end of no number' 'nobody knows the words' 'no end in many seconds' 'print()'
shows_not 'contents that nobody can read' 'its line .shows: an output other than' 'an output other than that' 'print("output [] 00")'
echo 'print("output [] 00")' >kept/one.py
expect 'each file says what it shows' 1 'it does not say what it shows; write' "$gathercheck" verify kept

# What programs do to their surroundings.
shows 'memory without end ends at the limit' 'refused: MemoryError' 'bytearray(5 << 30)'
shows 'it works in a folder of its own' 'an output' 'open("left", "w").write("x"); print("output [] 00")'
says 'an output' 'import time; time.sleep(30)'
expect 'a program that does not end is ended' 1 'but it did not end within 1 s' "$gathercheck" verify kept --time-limit 1
says 'an output' "import os, time
if os.fork() == 0:
    os.setsid()
    open('$folder/child', 'w').write(str(os.getpid()))
    time.sleep(300)
while not os.path.exists('$folder/child'): time.sleep(0.01)
print('output [] 00')"
expect 'a child that stays does not keep it' 0 '^1 of 1' timeout 60 "$gathercheck" verify kept
expect 'and is gone with it' 1 'No such process' kill -0 "$(cat child)"
says 'a crash' 'import sys; sys.stdout.buffer.write(b"\xff\x1b[31m\0\r" + b"x" * 9000)'
expect 'hostile bytes are escaped, and cut' 1 'its output ends: x{400}\.\.\.$' "$gathercheck" verify kept
says 'a crash' 'import sys; sys.stdout.buffer.write(b"\xff\x1b[31mred\0")'
expect 'none of them comes out' 1 'its output ends: .*31mred' "$gathercheck" verify kept
expect 'no control character' 1 '^0$' grep -caP '\x1b|\0|\xff' output
says 'an output' 'while True: print("x" * 100000)'
expect 'output without end' 1 'but it printed more than 64 MiB' "$gathercheck" verify kept
expect 'nothing is left behind' 0 '^0$' sh -c 'find temporary -mindepth 1 | wc -l'

# What cannot be run is named, and is no failure.
says 'an output' 'import no_such_engine'
expect 'an engine that is not here' 77 "^not run  kept/one.py: ModuleNotFoundError: No module named 'no_such_engine'" "$gathercheck" verify kept
echo '// shows: an output' >kept/two.rs
printf '# shows: an output\nprint("output [] 00")\n' >kept/one.py
expect 'a language that nothing here builds' 0 '^not run  kept/two.rs: nothing here knows' "$gathercheck" verify kept
mkdir -p lacking/adapters engines/tract tools
ln -s "$root/spec_cases" lacking/spec_cases
printf '#!/bin/sh\nexit 1\n' >tools/cargo
cp tools/cargo tools/go
chmod +x tools/*
printf '// Case a, onnx.Gather-13, runtime/static, on tract 1.\n// shows: an output\n' >kept/three.rs
without_package() { PATH=$folder/tools:$PATH GATHERCHECK_SHARE=$folder/lacking GATHERCHECK_ENGINES=$folder/engines "$gathercheck" verify "$@"; }
expect 'the package of the adapters that is not here' 77 \
  '^not run  kept/three.rs: nothing here knows .*, as [^ ]*/lacking/adapters/rust/Cargo.toml has no feature of its engine; .* tools/setup.sh tract' without_package kept/three.rs
mkdir lacking/adapters/rust
printf '[features]\ntract = []\n' >lacking/adapters/rust/Cargo.toml
rm -r engines/tract
expect 'the crate that is not here' 77 \
  '^not run  kept/three.rs: there is no folder [^ ]*/engines/tract with the crate; tools/setup.sh tract' without_package kept/three.rs
printf '// Case a, onnx.Gather-13, runtime/static, on gomlx 1.\n// shows: an output\n' >kept/three.go
expect 'the module of the adapter that is not here' 77 \
  '^not run  kept/three.go: there is no [^ ]*/lacking/adapters/gomlx/go.sum to build it by; tools/setup.sh gomlx' without_package kept/three.go
rm kept/three.*
expect 'the others are run, and counted' 0 '^1 of 1 reproducer shows what it says; cannot be run here: 1; ' "$gathercheck" verify kept
printf '# command: ["sh", "-c", "echo output [] 00; touch %s/ran; cat {file}"]\n# shows: an output\n' "$folder" >kept/one.py
expect 'a command of a head is not run where a folder is given' 77 '^not run  kept/one.py: its head holds a command' "$gathercheck" verify kept
expect 'really not' 0 '^no$' sh -c '[ -e ran ] || echo no'
expect 'but where the file is' 0 '^1 of 1' "$gathercheck" verify kept/one.py
expect 'really' 0 '^yes$' sh -c '[ -e ran ] && echo yes'
printf '# command: ["python3"]\n# shows: an output\n' >kept/one.py
expect 'a command without the file' 1 'its "command:" holds no \{file\}' "$gathercheck" verify kept/one.py
printf '# command: python3 {file}\n# shows: an output\n' >kept/one.py
expect 'a command that is no list' 1 'its "command:" is no JSON list of strings' "$gathercheck" verify kept/one.py
expect 'a path that is not there' 4 'nowhere is no file and no folder' "$gathercheck" verify nowhere
mkdir empty
expect 'a folder of nothing' 4 'empty holds no reproducer' "$gathercheck" verify empty
rm -r kept
mkdir -p kept/more
for k in 1 2 3 4; do printf '# shows: an output\nprint("output [] 0%s")\n' "$k" >"kept/more/$k.py"; done
printf '# shows: a crash\n' >kept/more/5.py
expect 'several side by side' 1 '^4 of 5 reproducers show what they say' "$gathercheck" verify kept kept/more/1.py --jobs 3
if c++ --version >/dev/null 2>&1; then
  printf '// shows: an output\n#include <cstdio>\nint main() { std::puts("output [] 00"); }\n' >kept/one.cpp
  expect 'C++ is compiled' 0 '^1 of 1' env CXX=c++ "$gathercheck" verify kept/one.cpp
  printf '// shows: an output\nint main() { none; }\n' >kept/one.cpp
  expect 'what does not compile shows nothing' 1 '^FAILED .* it cannot be built: it ended with code 1; .*none' "$gathercheck" verify kept/one.cpp
  printf '// shows: an output\n#include <no/such.h>\n' >kept/one.cpp
  expect 'a library that is not here' 77 '^not run .*fatal error: no/such.h' "$gathercheck" verify kept/one.cpp
fi

# A run: a worker that is always wrong, and writes programs of several kinds.
cat >worker.py <<'PY'
import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
PROGRAMS = {
    1: "print('output [1] 02')",
    2: "print('output [1] 02')",  # which is right
    3: "import os\nos.abort()",
    4: "import sys\nsys.stdout.buffer.write(b'\\x1b[31m\\xff')",
    5: "import no_such_engine",
    6: worker.Source("output [1] 07", ["cat", "{file}"]),
    7: "raise ValueError('no\\nshows: an output')",
}


class Wrong:
    name, version = "wrong", "1"
    claims = [{"operators": ["onnx.Gather-13"], "data": ["u8"], "indices": ["i64"]}]

    def run(self, call):
        data = call.inputs["data"]
        if data.raw[0] == 7:
            raise worker.Rejected("no\nshows: an output")
        return worker.Tensor(data.type, data.shape, raw=bytes([data.raw[0] + 1 if data.raw[0] else 0]))

    def reproduce(self, call, language):
        return PROGRAMS[call.inputs["data"].raw[0]]


worker.serve(channel, Wrong())
PY
cases=
for k in 0 1 2 3 4 5 6 7; do
  cases="$cases${cases:+,}{\"id\":\"case-$k\",\"title\":\"t\",\"why\":\"w\",\"axis\":0,\"inputs\":{\"data\":{\"type\":\"u8\",\"shape\":[1],\"values\":[$k]},
    \"indices\":{\"type\":\"i64\",\"shape\":[1],\"values\":[0]}},\"expect\":[{\"for\":[\"onnx.Gather-13\"],\"rules\":[\"onnx.gather-13.semantics.slice-per-entry\"],
    \"output\":{\"type\":\"u8\",\"shape\":[1],\"values\":[$k]}}]}"
done
echo "{\"cases\":[$cases]}" >cases.json
run() {
  local filters=()
  for k in $1; do filters+=(--filter "case=case-$k"); done
  shift
  "$gathercheck" run --cases cases.json --implementation 'exec:python3 worker.py' "${filters[@]}" --reproducers made --verify --output run.jsonl "$@"
}
expect 'a program that shows it' 1 '^verified: .*: 1 of 1 reproducer shows what it says' run '0 1'
expect 'the records say so' 0 '"level":"verified","text":"1 of 1 reproducer shows what it says"' cat run.jsonl
expect 'and so does a report' 1 '^verified: .*: 1 of 1' "$gathercheck" report run.jsonl
expect 'one that shows the right output is trouble' 3 "^error: .*: the reproducer made/.*case-2.*.py shows something else: it says 'an output other than" run '0 2'
expect 'which the records hold' 3 'case-2.*shows something else' "$gathercheck" report run.jsonl
expect 'one that dies' 3 'but it was killed by SIGABRT' run '0 3' --jobs 2
expect 'one that prints hostile bytes' 3 'shows something else' run '0 4'
expect 'none of them comes out' 1 '^0$' grep -caP '\x1b|\xff' output
expect 'one that cannot be run is said, and no trouble' 1 'cannot be run here: ModuleNotFoundError: .*no_such_engine' run '0 5'
expect 'and counted' 1 '^verified: .*: 0 of 0 reproducers show what they say; cannot be run here: 1' run '0 5'
expect 'a command of the worker' 1 '^verified: .*: 1 of 1' run '0 6'
made=$(echo made/*/case-6.*)
expect 'stands in the head' 0 '^# command: \["cat","\{file\}"\]$' cat "$made"
expect 'and is run again' 0 '^1 of 1' "$gathercheck" verify "$made"
expect 'what an engine says is no line of a head' 1 '^verified: .*: 1 of 1' run '0 7'
expect 'but a part of one' 0 '^#   shows: an output$' cat made/*/case-7.*
expect 'all of them' 3 '^verified: .*: 3 of 6 reproducers show what they say; cannot be run here: 1$' run '0 1 2 3 4 5 6 7' --jobs 3
expect 'verifying needs programs' 4 'reproducers' "$gathercheck" run --verify
finish
