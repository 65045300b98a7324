#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gather calls of a model as cases and workloads. usage: harvest.sh GATHERCHECK
#
# Exit code 77 where the engines' Python lacks the package onnx.
set -u

gathercheck=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export GATHERCHECK_PYTHON=${GATHERCHECK_PYTHON:-python3}
if ! "$GATHERCHECK_PYTHON" -c 'import onnx.inliner' 2>/dev/null; then
  echo 'skipped: no Python with onnx in it; run tools/setup.sh onnx'
  exit 77
fi
source "$here/expect.sh"
"$GATHERCHECK_PYTHON" -B "$here/harvest_model.py" model.onnx || exit 1

expect 'an open dimension is asked for by its name' 4 'model.onnx: its inputs have open dimensions; give --dim batch=SIZE$' \
  "$gathercheck" harvest model.onnx
expect 'calls are found, equal ones once' 0 '^gathercheck: 5 different calls in 7 gather nodes$' \
  "$gathercheck" harvest model.onnx --dim batch=3 --output mine.json --workloads mine.txt
expect 'one whose shape depends on contents is named' 0 '^gathercheck: model.onnx: Gather by_contents is left out: the shape of found' \
  "$gathercheck" harvest model.onnx --dim batch=3
cmp -s output mine.json || { failed=$((failed + 1)); echo 'FAILED: standard output has the same cases'; }
expect 'reference and equations agree with the cases' 0 '5 cases .* agree' "$gathercheck" check mine.json
expect 'and they run' 0 'conforms \(exit 0\)$' "$gathercheck" run --cases mine.json --implementation reference --implementation optimized
expect 'that of a branch, its dimension filled in' 0 '^harvest-model-in-branch onnx.GatherElements-13 f32\[3,4\] i64\[3,2\] axis=1$' \
  cat mine.txt
expect 'that of a function, with its constant' 0 'in-function.*"values": \[0, -1\]' cat mine.json
expect 'bench takes the workloads' 0 '^harvest-model-tuples ' "$gathercheck" bench --workloads mine.txt --list
expect 'a slip in a dimension' 4 "no NAME=SIZE" "$gathercheck" harvest model.onnx --dim batch
expect 'a dimension that nothing has' 4 '^gathercheck: --dim width names no open dimension' \
  "$gathercheck" harvest model.onnx --dim batch=3 --dim width=2
echo nonsense >nonsense.onnx
expect 'no model' 4 '^gathercheck: nonsense.onnx: cannot be read as an ONNX model' "$gathercheck" harvest nonsense.onnx
expect 'a model is not written over' 4 'model.onnx' "$gathercheck" harvest model.onnx --dim batch=3 --output model.onnx
expect 'no such Python' 3 'no-such-python cannot be started' env GATHERCHECK_PYTHON=no-such-python "$gathercheck" harvest model.onnx
printf '#!/bin/sh\nexec python3 -S "$@"\n' >bare && chmod +x bare
expect 'a Python without onnx' 3 'the package onnx cannot be imported' env GATHERCHECK_PYTHON=./bare "$gathercheck" harvest model.onnx

finish
