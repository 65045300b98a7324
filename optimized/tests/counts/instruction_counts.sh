#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares how many instructions the calls of counted_calls.cpp take with the counts that are kept, line by line: unlike
# times they are the same on busy machines. Arguments: the program, the file of counts, and "renew" to write that file.
# 77: valgrind is not here.
set -eu
program=$1
kept=$2
tolerance=3 # per cent
command -v valgrind >/dev/null && command -v callgrind_annotate >/dev/null || {
    echo "valgrind is not installed: instructions are not counted (tools/setup.sh --tests installs it)"
    exit 77
}
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# AVX-512 is unknown to valgrind. Loads or gathers: timing does not decide under an emulator.
for counted in sse2 sse4_2 avx2 avx2_by_gathers; do
    target=${counted%_by_gathers}
    [ "$target" = "$counted" ] && GATHERCHECK_GATHERS=0 || GATHERCHECK_GATHERS=1
    export GATHERCHECK_GATHERS
    status=0
    valgrind --tool=callgrind --callgrind-out-file="$temporary/$counted" "$program" "$target" >"$temporary/log" 2>&1 || status=$?
    if [ $status = 2 ]; then
        echo "the target $target is not available here"
        continue
    fi
    [ $status = 0 ] || { cat "$temporary/log"; exit 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$temporary/$counted" |
        sed -n 's/^ *\([0-9,]*\) .*counted<[^<]*::\([a-z0-9_]*\), .*/\2 \1/p' | tr -d , | sed "s/^/$counted /"
done | sort -u >"$temporary/counts"
[ -s "$temporary/counts" ] || { echo "no counts were made"; exit 1; }

if [ "${3:-}" = renew ]; then
    cp "$temporary/counts" "$kept"
    exit
fi
awk -v tolerance=$tolerance '
    NR == FNR { kept[$1 " " $2] = $3; next }
    {
        call = $1 " " $2
        if (!(call in kept)) { print call ": not among the counts that are kept"; failed = 1; next }
        change = ($3 / kept[call] - 1) * 100
        if (change > tolerance) { printf "%s: %d instructions, %+.1f %%: more than %d %%\n", call, $3, change, tolerance; failed = 1 }
        if (change < -tolerance) printf "%s: %d instructions, %+.1f %%: better; keep it by \"renew\"\n", call, $3, change
        ++seen
    }
    END { printf "%d calls counted\n", seen; exit failed }' "$kept" "$temporary/counts" || {
    echo "If that is meant: $0 $1 $2 renew"
    exit 1
}
