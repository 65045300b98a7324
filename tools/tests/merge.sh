#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shards put together, and records that are compressed or come by standard input. usage: tools/tests/merge.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
without_sweeps

run=("$gathercheck" run --implementation reference --filter 'operator=onnx.Gather-13')
for k in 1 2 3; do "${run[@]}" --shard $k/3 --output shard-$k.jsonl >/dev/null; done
"${run[@]}" --output whole.jsonl >/dev/null
executions=$(sed -n 's/.*"record":"end","executions":\([0-9]*\).*/\1/p' whole.jsonl)

# --- all of them
expect 'all shards are one run' 0 "^3 of 3 shards, $executions executions: conforms \(exit 0\)$" "$gathercheck" merge shard-*.jsonl --output merged.jsonl
judged() { whole "$1" | grep '"record":"execution"' | sed 's/,"us":[0-9]*//' | sort | sha256sum; }
expect 'with every execution of the whole run' 0 "$(judged whole.jsonl)" judged merged.jsonl
expect 'which reports take' 0 "$executions" "$gathercheck" report merged.jsonl
expect 'and so does a merge' 0 '^3 of 3 shards' "$gathercheck" merge merged.jsonl
expect 'they may be written to standard output' 0 '^3 of 3 shards' "$gathercheck" merge shard-*.jsonl --output -
cp output printed.jsonl
expect 'where nothing else stands' 0 '^same$' sh -c 'cmp printed.jsonl merged.jsonl && echo same'

# --- some are not there
expect 'a shard that is not there is named with its command' 3 "^# shard 2/3 is not here$" "$gathercheck" merge shard-3.jsonl shard-1.jsonl --output some.jsonl
command=$(grep -- '--shard 2/3' output)
expect 'with all that it was run with' 0 " run --filter operator=onnx.Gather-13 --implementation reference --shard 2/3 --output shard-2-of-3.jsonl$" echo "$command"
expect 'the command runs it' 0 'conforms' sh -c "$command"
expect 'so that it can be added' 0 "^3 of 3 shards, $executions executions" "$gathercheck" merge some.jsonl shard-2-of-3.jsonl
head -n 40 shard-2.jsonl >cut.jsonl
expect 'one that was cut short is gone on with' 3 "^# cut.jsonl is a part of shard 2/3$" "$gathercheck" merge shard-1.jsonl cut.jsonl shard-3.jsonl --output two.jsonl
expect 'by the command that does so' 0 'conforms' sh -c "$(grep -- '--resume cut.jsonl' output)"
expect 'what was whole was kept' 0 "^3 of 3 shards, $executions executions" "$gathercheck" merge two.jsonl cut.jsonl

# --- what does not belong together
refused() { # NAME PATTERN FILE...
  local name=$1 pattern=$2
  shift 2
  expect "$name" 4 "$pattern" "$gathercheck" merge "$@" --output refused.jsonl
  expect "$name: nothing is written" 0 '^nothing$' sh -c 'test -e refused.jsonl || echo nothing'
}
sed '1s/"hash":"[0-9a-f]\{8\}/"hash":"01234567/' shard-2.jsonl >suite.jsonl
refused 'another suite' 'suite.jsonl: is not put together with shard-1.jsonl: the hash of the suite is 01234567' shard-1.jsonl suite.jsonl
sed '/"record":"implementation"/s/"version":"[^"]*"/"version":"0.9"/; /"record":"common"/s/"version":"[^"]*"/"version":"0.9"/' shard-2.jsonl >version.jsonl
refused 'another version of an implementation' 'version.jsonl: is not of the run of shard-1.jsonl: reference is of version 0.9 here and of [0-9.]+ there' shard-1.jsonl version.jsonl
"${run[@]}" --time-limit 5 --shard 2/3 --output slow.jsonl >/dev/null
refused 'other options' "slow.jsonl: is not of the run of shard-1.jsonl: the option --time-limit is '--time-limit 5' here and its default there" shard-1.jsonl slow.jsonl
"${run[@]}" --shard 2/4 --output fourth.jsonl >/dev/null
refused 'another number of shards' 'fourth.jsonl: is not of the run of shard-1.jsonl: it is one of 4 shards here and of 3 there' shard-1.jsonl fourth.jsonl
refused 'a whole run' 'whole.jsonl: is no shard: it was run without --shard' whole.jsonl
cp shard-1.jsonl copy.jsonl
refused 'one shard twice' 'copy.jsonl: holds the run of shard-1.jsonl again' shard-1.jsonl copy.jsonl shard-2.jsonl
expect 'an output that is an input' 4 'shard-2.jsonl: it is an input' "$gathercheck" merge shard-1.jsonl shard-2.jsonl --output shard-2.jsonl

# --- compressed
gzip -k shard-1.jsonl whole.jsonl
zstd -q shard-2.jsonl whole.jsonl
expect 'compressed shards are read' 0 "^3 of 3 shards, $executions executions" "$gathercheck" merge shard-1.jsonl.gz shard-2.jsonl.zst shard-3.jsonl
mv whole.jsonl.zst whole.of_some_name
for verb in 'report whole.jsonl.gz' 'report whole.of_some_name' 'claim whole.jsonl.gz' 'policy --records whole.jsonl.gz' \
  'compare gather-index-one-past-the-end --records whole.jsonl.gz'; do
  # shellcheck disable=SC2086
  expect "so does gathercheck $verb" 0 'reference' "$gathercheck" $verb
done
expect 'and the clarifications' 0 '' "$gathercheck" clarifications --records whole.jsonl.gz
cat shard-3.jsonl | gzip >more.gz
cat shard-1.jsonl.gz more.gz >members.gz
expect 'several members are one file' 3 '^2 of 3 shards' "$gathercheck" merge members.gz
expect 'a compressed record does not go on' 4 'cannot be written on in place; decompress it' "$gathercheck" run --resume whole.jsonl.gz
head -c 300 whole.jsonl.gz >short.gz
head -c 300 whole.of_some_name >short.zst
expect 'gzip cut short is refused' 4 'short.gz: gzip could not decompress it: .*unexpected end of file; it was cut short or is damaged' "$gathercheck" report short.gz
expect 'so is Zstandard' 4 'short.zst: zstd could not decompress it: .*; it was cut short or is damaged' "$gathercheck" merge shard-1.jsonl short.zst
size=$(stat -c %s whole.jsonl.gz)
head -c $((size - 1)) whole.jsonl.gz >byte.gz
expect 'even where one byte lacks' 4 'byte.gz: gzip could not decompress it' "$gathercheck" report byte.gz
{ head -c 400 whole.jsonl.gz; printf 'XXXX'; tail -c +405 whole.jsonl.gz; } >damaged.gz
expect 'so is what is damaged' 4 'damaged.gz: gzip could not decompress it' "$gathercheck" report damaged.gz
mkdir none
expect 'without the program it is said what lacks' 4 'is compressed, and the program zstd could not be started .*; install zstd' \
  env PATH="$PWD/none" "$(command -v "$gathercheck")" report whole.of_some_name

# --- by standard input
by_pipe() { cat "$1" | "$gathercheck" "${@:2}"; }
expect 'records come by standard input' 0 "$executions" by_pipe whole.jsonl report -
expect 'compressed, too' 0 "$executions" by_pipe whole.of_some_name report -
expect 'beside files' 0 "^3 of 3 shards" by_pipe shard-2.jsonl.zst merge shard-1.jsonl.gz - shard-3.jsonl
expect 'cut short they are refused by their name' 4 'standard input: gzip could not decompress it' by_pipe short.gz report -
expect 'it is given once' 4 'is given twice' by_pipe whole.jsonl report - -
expect 'an empty one holds no run' 4 'standard input.*holds no run|holds no run' "$gathercheck" merge -

finish
