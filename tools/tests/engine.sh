#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The hand-written cases on one engine, with records of it where a file is named.
# usage: engine.sh GATHERCHECK RECORDS|- ENGINE [further options of `gathercheck run`...]
#
# Exit code 77 where the engine is not installed.
set -u

gathercheck=$1
records=$2
engine=$3
shift 3
if [ "$records" != - ]; then
  mkdir -p "${records%/*}" && rm -f "$records" || exit 3
  set -- --output "$records" "$@"
fi
output=$("$gathercheck" run --implementation "$engine" --sweeps none --failures 0 "$@" 2>&1)
code=$?
[ $code != 3 ] || rm -f "$records" # nothing that is not whole is shown to anybody
if [ $code = 3 ] && why=$(grep "^$engine is unavailable: " <<<"$output"); then
  echo "skipped: $why"
  echo "tools/setup.sh $engine installs it"
  exit 77
fi
printf '%s\n' "$output"
exit $code
