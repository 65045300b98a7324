#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plug-ins under libFuzzer, built with a plain call of clang. usage: tools/tests/libfuzzer.sh LIBRARY
# Exit: 77 where there is no clang with libFuzzer.
set -u

library=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

clang=$("$root/tools/find_clang.sh") || { echo 'skipped: no clang with sanitizers here (Debian: clang)'; exit 77; }
echo 'int LLVMFuzzerTestOneInput(const unsigned char* d, unsigned long n) { (void)d; (void)n; return 0; }' >empty.c
"$clang" -x c -fsanitize=fuzzer,address empty.c -o empty 2>errors ||
  { echo "skipped: $clang links no -fsanitize=fuzzer,address (Debian: libclang-rt-dev)"; head -n 3 errors; exit 77; }

# build NAME LANGUAGE SOURCE: the program NAME.
build() {
  "$clang" -g -O1 -fsanitize=fuzzer,address -I "$root/conformance" -x "$2" "$3" -x none "$library" -o "$1" && echo built
}

# --- a planted overflow
expect 'the example is built with a plain call of the compiler' 0 built build overflowing c "$root/tools/examples/overflowing_kernel.c"
asks='while it was asked onnx.Gather-13'
expect 'its overflow is found in a minute' 1 'AddressSanitizer: heap-buffer-overflow' \
  ./overflowing -max_total_time=60 -seed=1 -artifact_prefix=found-
grep -q 'overflowing_kernel.c:[0-9]*' errors || { echo 'FAILED: the report does not name the line'; failed=$((failed + 1)); }
grep -q "$asks" errors || { echo 'FAILED: the report does not tell the call'; failed=$((failed + 1)); }
for unit in found-*; do
  expect 'a test unit is the same call again' 1 "call: data f32 \[.*axis 0; route" ./overflowing "$unit"
done

# --- what conforms
sed 's/count < 2 \* block/1/' "$root/tools/examples/overflowing_kernel.c" >mended.c
expect 'the example without its bug builds' 0 built build mended c mended.c
expect 'it passes, and need not take the axes that it does not claim' 0 'Done 4000 runs' ./mended -runs=4000 -seed=1
expect 'the example of a plug-in builds' 0 built build my_plugin c "$root/tools/examples/my_plugin.c"
expect 'it writes seeds' 0 '^500$' sh -c './my_plugin --write-seeds=seeds && ls seeds | wc -l'
expect 'on which it passes' 0 'Done 1500 runs' ./my_plugin -runs=1500 -seed=1 seeds

# --- what a sanitizer does not see; libFuzzer ends with code 77 then
sed 's/"index_out_of_bounds"/"too_large"/' "$root/tools/examples/my_plugin.c" >wrong.c
expect 'a plug-in with a wrong error builds' 0 built build wrong c wrong.c
expect 'a difference is told' 77 'gathercheck: onnx.Gather-1[13]: wrong error' ./wrong -runs=20000 -seed=1 seeds
for told in 'call: data .* indices .* route ' 'rule onnx.gather-1[13].indices.error: ' 'again: ./wrong FILE' 'Test unit written to'; do
  grep -qE "$told" errors || { echo "FAILED: a difference is told without '$told'"; failed=$((failed + 1)); }
done
expect 'a bad plug-in builds' 0 built build bad c++ "$root/tools/tests/plugins/bad_plugin.cpp"
for mode in write-input:'wrote to data, which is an input' unwritten:'element .* of the output was never written'; do
  expect "a plug-in of the kind ${mode%%:*}" 77 "${mode#*:}" env BAD_PLUGIN="${mode%%:*}" ./bad -runs=20000 -seed=1
done
expect 'what cannot be used is refused' 4 'the plug-in cannot be used: its alignment is 3' env BAD_PLUGIN=alignment-3 ./bad -runs=1

finish
