#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails when a kernel object holds a symbol that the linker may merge with another file's, or instructions that its name
# does not promise, or lacks those that it does. Arguments: nm, objdump (or nothing), the objects.
set -eu
nm=$1
objdump=$2
shift 2
failed=0

complain() {
    echo "$1"
    failed=1
}

[ $# -gt 0 ] || complain "no objects were given"
for object in "$@"; do
    # Weak (W, V) and unique (u) symbols are merged by name. The rest of what is left out here is data, of the C++ run-time
    # library and of sanitizers.
    shared=$("$nm" -C --defined-only "$object" | awk '$2 ~ /^[WVu]$/' | grep -v -e 'DW\.ref\.' -e 'typeinfo ' -e asan -e ubsan || true)
    [ -z "$shared" ] || complain "$object: symbols that the linker may merge:
$shared"
    # One constant, and no code that runs before main.
    if "$nm" "$object" | grep -q '_GLOBAL__sub_I' && ! "$nm" "$object" | grep -q asan; then
        complain "$object: code that runs before main"
    fi
    [ -n "$objdump" ] && "$objdump" --version >/dev/null 2>&1 || continue
    code=$("$objdump" -d --no-show-raw-insn "$object")
    has() { printf '%s\n' "$code" | grep -q -e "$1"; }
    must() { has "$1" || complain "$object: no $2"; }
    must_not() { if has "$1"; then complain "$object: $2"; fi; }
    # What is only prefetched changes no result, and a compiler may take it for nothing.
    set=${object##*/}
    set=${set%%.*}
    case $set in neon64 | generic) ;; *) must 'prefetcht0' "prefetches" ;; esac
    # What the instruction counts cannot guard, since valgrind does not know AVX-512: each of these is one way of moving.
    must_of_avx512() {
        must 'vpgatherdd.*{%k' "gathers of 4 bytes"
        must 'vpgatherqq.*{%k' "gathers of 8 bytes"
        must 'vpermi2d\|vpermt2d' "tables of 4 bytes"
        must 'vpermi2q\|vpermt2q' "tables of 8 bytes"
        must 'vpermi2w\|vpermt2w' "tables of 2 bytes"
        must 'vpmaxud.*%zmm' "checks of positions"
        must 'vmovntdq.*%zmm\|vmovntps.*%zmm' "non-temporal stores"
    }
    case $set in
        avx512vbmi) must '%zmm' "512-bit registers"; must 'vpermi2b\|vpermt2b' "permutation of bytes"; must_of_avx512 ;;
        avx512bw) must '%zmm' "512-bit registers"; must_of_avx512; must_not 'vpermi2b\|vpermt2b\|vpermb' "VBMI instructions" ;;
        avx2) must '%ymm' "256-bit registers"; must 'vpgatherdd' "vector gathers"; must 'vpshufb' "tables of bytes"; must 'vmovntdq\|vmovntps' "non-temporal stores"; must_not '%zmm\|%k[0-7]' "AVX-512 instructions" ;;
        sse4_2) must 'pmaxud' "checks of positions"; must_not '%ymm\|%zmm\|[[:space:]]v[mp]' "AVX instructions" ;;
        sse2) must '%xmm' "128-bit registers"; must_not 'pmaxud\|pshufb\|pinsrd\|[[:space:]]v[mp]' "instructions beyond SSE2" ;;
        neon64 | generic) ;;
        *) complain "$object: tests/check_objects.sh does not know which instructions $set must have and must not have" ;;
    esac
done
exit $failed
