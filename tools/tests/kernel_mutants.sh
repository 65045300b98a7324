#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bugs planted into the optimized kernels: each is caught, and one that can no longer be planted is told.
# usage: tools/tests/kernel_mutants.sh GATHERCHECK PYTHON
set -u

gathercheck=$1
python=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps

# --- the hand-written cases, and generated calls
expect 'every bug is caught by a hand-written case' 0 '^([0-9]+) of \1 mutants caught; ' "$gathercheck" mutants --kernels
expect 'by its name, with the cases that do' 0 '"name": "extent-allowed"' "$gathercheck" mutants --kernels --mutant extent-allowed --format json
expect 'or by the file that it is in' 0 '^slices$' "$gathercheck" mutants --kernels --mutant slices
expect 'generated calls find it' 0 '1 of 1 mutants are found by generated calls' \
  "$gathercheck" mutants --kernels --fuzz 10 --mutant extent-allowed
expect 'an unknown name is refused' 4 "no mutant 'index-clamped'; 'gathercheck mutants --kernels --format json' names them all" \
  "$gathercheck" mutants --kernels --mutant index-clamped

# --- where they are not built
mkdir -p elsewhere/bin
cp "$gathercheck" elsewhere/bin/
expect 'where there are none it is said how to build them' 3 'no mutants of kernels in .*/elsewhere/.*--target gathercheck_kernel_mutants' \
  elsewhere/bin/gathercheck mutants --kernels
modules=$(cd "$(dirname "$gathercheck")/.." && dirname "$(find . -name kernel_mutants -type d -path './lib*')")
mkdir -p "elsewhere/$modules/kernel_mutants"
echo lost >"elsewhere/$modules/kernel_mutants/names.txt"
expect 'and which one is missing' 3 'the mutant .*/lost.so cannot be loaded' elsewhere/bin/gathercheck mutants --kernels

# --- planting
plant() { "$python" -B "$root/optimized/tests/mutants/plant.py" "$@"; }
bug() {
  printf 'mutant: unchanged\nidea: none\nmutant: bug\nidea: something\nin: kernels/here.hpp\ncompiles: resolve\n' >list
  printf '%s\n' "$@" >>list
}
mkdir -p optimized/kernels
printf 'if (a <\n    b) c();\nd();\nd();\n' >optimized/kernels/here.hpp
bug '- if (a < b) c();' '+ if (a <= b) c();'
expect 'the old text may be broken into lines in another way' 0 '2 bugs can be planted' plant list .
plant list . bug copy
expect 'the copy has the bug' 0 'if \(a <= b\) c\(\);' cat copy/optimized/kernels/here.hpp
bug '- if (a > b) c();'
expect 'old text that is gone' 1 'list:3: bug cannot be planted: its old text is in optimized/kernels/here.hpp 0 times, not once' plant list .
bug '- d();'
expect 'old text that is there twice' 1 'here.hpp 2 times, not once' plant list .
bug '- c();' 'without: anything'
expect 'a line of no meaning' 4 'list:8: no line of a bug' plant list .
bug '- c();' 'with: threads'
expect 'an unknown way of running' 4 "list:3: bug is with 'threads'" plant list .
bug '- c();' 'with: stream'
expect 'a way of running that nothing shows to be right' 4 'nothing without a bug is run as bug is' plant list .

finish
