#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Includes go one way within optimized/: each file includes only files of its own layer and of those above it in `layers`.
# usage: layers.sh ROOT-OF-THE-PROJECT
set -u
cd "$1" || exit 1

layers=(
  'cpu kernels'
  'kernels/*'
  'tuning windows'
  'access plan small_calls'
  'execute/*'
  executor
  partition
  gather
  optimized
)

failed=0
# The number of the layer of a file of optimized/, given without its suffix.
layer_of() {
  local k pattern
  for k in "${!layers[@]}"; do
    for pattern in ${layers[k]}; do
      # shellcheck disable=SC2053 # a pattern
      [[ $1 == $pattern ]] && echo "$k" && return
    done
  done
  echo "FAILED: optimized/$1 has no layer in optimized/tests/layers.sh" >&2
  return 1
}

set -f # patterns are not file names
checked=0
while IFS=: read -r file include; do
  own=$(layer_of "${file%.*}") && included=$(layer_of "${include%.*}") || { failed=1; continue; }
  checked=$((checked + 1))
  ((own >= included)) || { failed=1; echo "FAILED: optimized/$file includes optimized/$include, which is of a layer below"; }
done < <(grep -rE --include='*.[ch]pp' '^#include "optimized/' optimized | grep -v '^optimized/tests/' |
  sed -E 's,^optimized/,,; s,#include "optimized/([^"]+)".*,\1,')
((checked > 50)) || { failed=1; echo "FAILED: only $checked includes were found"; }
echo "$checked includes within optimized/"
exit $failed
