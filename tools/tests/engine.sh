#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The hand-written cases on one engine. usage: engine.sh GATHERCHECK ENGINE [further options of `gathercheck run`...]
#
# Exit code 77 where the engine is not installed.
set -u

gathercheck=$1
engine=$2
shift 2
output=$("$gathercheck" run --implementation "$engine" --sweeps none --failures 0 "$@" 2>&1)
code=$?
if [ $code = 3 ] && why=$(grep "^$engine is unavailable: " <<<"$output"); then
  echo "skipped: $why"
  echo "tools/setup.sh $engine installs it"
  exit 77
fi
printf '%s\n' "$output"
exit $code
