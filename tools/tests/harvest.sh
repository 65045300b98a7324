#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gather calls of models as cases and workloads. usage: harvest.sh GATHERCHECK
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
"$GATHERCHECK_PYTHON" -B "$here/harvest_model.py" . || exit 1

# --- an ONNX model -------------------------------------------------------------------------------------------------------

expect 'an open dimension is asked for by its name' 4 'model.onnx: its inputs have open dimensions; give --dim batch=SIZE$' \
  "$gathercheck" harvest model.onnx
expect 'calls are found, equal ones once' 0 '^gathercheck: 5 different calls in 7 gather nodes$' \
  "$gathercheck" harvest model.onnx --dim batch=3 --output mine.json --workloads mine.txt
expect 'one whose shape depends on contents is named' 0 '^gathercheck: model.onnx: Gather by_contents is left out: the shape of found' \
  "$gathercheck" harvest model.onnx --dim batch=3
cmp -s output mine.json || { failed=$((failed + 1)); echo 'FAILED: standard output has the same cases'; }
expect 'one with indices by a rule is named' 0 '^gathercheck: model.onnx: Gather embedding: its indices are known at run time only' \
  "$gathercheck" harvest --dim batch=3 model.onnx
expect 'and its case says so' 0 'harvest-model-embedding.*"why": "its indices are known at run time only' cat mine.json
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

# --- indices that are given, stored beside the model, or computed ----------------------------------------------------------

expect 'an open dimension without a name' 4 'give --dim batch=SIZE --dim scores.0=SIZE$' "$gathercheck" harvest inputs.onnx
expect 'given inputs need no sizes' 0 '^gathercheck: 7 different calls in 8 gather nodes$' \
  "$gathercheck" harvest inputs.onnx --inputs inputs.npz --output inputs.json --workloads inputs.txt
cp errors told
expect 'what floats decide is by a rule' 0 'of_computed_scores: its indices are known at run time only' cat told
expect 'an index out of bounds' 0 'Gather out_of_bounds is left out: its index 7 is not in bounds, from -5 to 4$' cat told
expect 'nothing else' 0 '^2$' grep -c inputs.onnx: told
expect 'indices in a file beside the model' 0 'harvest-inputs-beside-the-model.*"values": \[4, 0, 2\]' cat inputs.json
expect 'a given input' 0 'harvest-inputs-given.*"shape": \[1, 2\], "values": \[3, -4\]' cat inputs.json
expect 'computed of it' 0 'harvest-inputs-computed.*"i32", "shape": \[1, 2\], "values": \[4, -3\]' cat inputs.json
expect 'computed of it, used in a branch' 0 'harvest-inputs-in-branch.*"values": \[4, -3\]' cat inputs.json
expect 'computed of a shape' 0 'harvest-inputs-positions.*"values": \[0, 1, 2\]' cat inputs.json
expect 'where given floats are largest' 0 'harvest-inputs-of-given-scores.*"values": \[2\]' cat inputs.json
expect 'these cases agree' 0 '7 cases .* agree' "$gathercheck" check inputs.json
expect 'a workload counts axes from the front' 0 '^harvest-inputs-computed onnx.Gather-13 f32\[5,4\] i32\[1,2\]$' \
  "$gathercheck" bench --workloads inputs.txt --list
expect 'computed of a shape that --dim gives' 0 'harvest-inputs-positions.*"values": \[0, 1, 2, 3\]' \
  "$gathercheck" harvest inputs.onnx --dim batch=1 --dim scores.0=4
for file in ids.pb ids.npy; do
  expect "a given input in $file" 0 'harvest-inputs-given.*"values": \[3, -4\]' \
    "$gathercheck" harvest inputs.onnx --input ids=$file --dim scores.0=3
done
expect 'sizes that disagree' 4 'inputs.onnx: batch is 1 in ids.pb, and 2 by --dim or another input$' \
  "$gathercheck" harvest inputs.onnx --dim batch=2 --input ids=ids.pb
expect 'contents of another type' 4 'its input ids is i64 \[batch, 2\], and ids_of_f64.pb holds f64 \[1, 2\]$' \
  "$gathercheck" harvest inputs.onnx --input ids=ids_of_f64.pb
expect 'contents of no input' 4 '^gathercheck: more.npz: other names no input$' \
  "$gathercheck" harvest inputs.onnx --inputs more.npz --dim scores.0=3
expect 'an input without a file' 4 "no NAME=FILE" "$gathercheck" harvest inputs.onnx --input ids
expect 'contents that are not there' 4 '^gathercheck: absent.pb: cannot be read: No such file' \
  "$gathercheck" harvest inputs.onnx --input ids=absent.pb
expect 'the same of numpy' 4 '^gathercheck: absent.npz: cannot be read: No such file' "$gathercheck" harvest inputs.onnx --inputs absent.npz
cp nonsense.onnx nonsense.pb
expect 'no tensor' 4 '^gathercheck: nonsense.pb: is no TensorProto' "$gathercheck" harvest inputs.onnx --input ids=nonsense.pb
expect 'no arrays' 4 '^gathercheck: nonsense.onnx: is no .npz' "$gathercheck" harvest inputs.onnx --inputs nonsense.onnx
expect 'an array without a name' 4 'ids.npy: holds one array, which has no name; give it as --input NAME=' \
  "$gathercheck" harvest inputs.onnx --inputs ids.npy
expect 'many arrays for one input' 4 'inputs.npz: holds arrays with names of their own; give it as --inputs' \
  "$gathercheck" harvest inputs.onnx --input ids=inputs.npz
expect 'an input is not written over' 4 'ids.npy: it is an input' "$gathercheck" harvest inputs.onnx --input ids=ids.npy --output ids.npy
mv constants.bin elsewhere.bin
expect 'a file of constants that is not there' 4 'inputs.onnx: its constant stored lies in a file that cannot be read: .*constants.bin' \
  "$gathercheck" harvest inputs.onnx --inputs inputs.npz
head -c 7 elsewhere.bin >constants.bin
expect 'a file of constants that is too short' 4 'inputs.onnx: its constant stored lies in a file that cannot be read' \
  "$gathercheck" harvest inputs.onnx --inputs inputs.npz

# --- OpenVINO models -----------------------------------------------------------------------------------------------------

if ! "$GATHERCHECK_PYTHON" -c 'import openvino' 2>/dev/null; then
  echo 'OpenVINO models are skipped: no Python with openvino in it; run tools/setup.sh openvino'
  finish
  exit
fi
"$GATHERCHECK_PYTHON" -B "$here/harvest_ir.py" . || exit 1
mkdir -p without/onnx without/openvino
echo 'raise ImportError("it is not installed")' | tee without/onnx/__init__.py >without/openvino/__init__.py
alone() { env PYTHONPATH=without "$@"; }

expect 'an OpenVINO model needs neither package' 0 '^gathercheck: 9 different calls in 11 gather nodes$' \
  alone "$gathercheck" harvest fixed.xml --output ir.json --workloads ir.txt
cp errors told
expect 'one whose shape depends on contents' 0 'fixed.xml: Gather by_contents is left out: the shape of data, .*, depends on contents$' \
  cat told
expect 'a version without negative indices' 0 'before_the_first is left out: its index -1 is not in bounds, from 0 to 3$' cat told
expect 'run-time indices are by a rule' 0 'Gather embedding: its indices are known at run time only' cat told
expect 'these cases agree, too' 0 '9 cases .* agree' "$gathercheck" check ir.json
expect 'and run' 0 'conforms \(exit 0\)$' "$gathercheck" run --cases ir.json --implementation reference --implementation optimized
expect 'shapes inside a body' 0 '^harvest-fixed-in-branch-1 openvino.Gather-8 f32\[3,2,4\] i64\[1\]$' cat ir.txt
expect 'bench takes them' 0 '^harvest-fixed-oldest openvino.Gather-1 f32\[5,4\] i8\[2\] axis=1$' "$gathercheck" bench --workloads ir.txt --list
for call in 'oldest.*"values": \[1, 0\].*"axis": \{"type": "i64", "shape": \[1\], "values": \[-1\]' 'older.*openvino.Gather-7' \
  'zeros.*"values": \[9\]' 'elements.*"attributes": \{"axis": 1\}' 'tuples.*openvino.GatherND-5' \
  'batches.*"attributes": \{"batch_dims": 1\}' 'in-branch-0.*"values": \[0\]' 'in-branch-1.*"values": \[1\]'; do
  expect "the call $call" 0 "harvest-fixed-$call" cat ir.json
done
"$GATHERCHECK_PYTHON" -c 'import numpy; numpy.save("three.npy", numpy.array([[3, 0], [1, 4], [2, 2]]))'
expect 'indices converted from a given input' 0 'harvest-fixed-embedding.*"type": "i32", "shape": \[3, 2\], "values": \[3, 0, 1, 4, 2, 2\]' \
  alone "$gathercheck" harvest fixed.xml --input input_ids=three.npy
expect 'an open dimension of an OpenVINO model' 4 'open.xml: its inputs have open dimensions; give --dim input_ids.0=SIZE$' \
  "$gathercheck" harvest open.xml
expect 'sizes need openvino' 3 'the package openvino cannot be imported .*pip install openvino' \
  alone "$gathercheck" harvest open.xml --dim input_ids.0=3
for size in '--dim input_ids.0=3' '--dim ids.0=3' '--input ids=three.npy'; do
  # shellcheck disable=SC2086
  expect "with $size the calls are those of fixed shapes" 0 '^gathercheck: 9 different calls' "$gathercheck" harvest open.xml $size --workloads open.txt
  sed -i s/-open-/-fixed-/ open.txt
  diff <(sort ir.txt) <(sort open.txt) || { failed=$((failed + 1)); echo "FAILED: workloads with $size"; }
done
expect 'the file of constants is an input' 4 'fixed.bin: it is an input' "$gathercheck" harvest fixed.xml --output fixed.bin
head -c 100 fixed.bin >short.bin && cp fixed.xml short.xml && cp fixed.xml lone.xml
expect 'constants that are too few' 4 'short.xml: its constants, short.bin, end before' "$gathercheck" harvest short.xml
expect 'constants that are not there' 4 'lone.xml: its constants, lone.bin, cannot be read: No such file' "$gathercheck" harvest lone.xml
sed 's/version="11"/version="7"/' fixed.xml >old.xml
expect 'an IR that is too old' 4 'old.xml: is of version 7 of OpenVINO.s IR; 10 is the oldest' "$gathercheck" harvest old.xml
sed 's/from-port="0"/from-port="77"/' fixed.xml >damaged.xml && cp fixed.bin damaged.bin
expect 'edges that lead nowhere' 4 'damaged.xml: is no whole OpenVINO model' "$gathercheck" harvest damaged.xml
echo '<html></html>' >page.xml
expect 'another XML file' 4 'page.xml: cannot be read as an OpenVINO model: it begins with <html>' "$gathercheck" harvest page.xml
expect 'no XML' 4 'nonsense.xml: cannot be read as an OpenVINO model' sh -c 'cp nonsense.onnx nonsense.xml; "$0" harvest nonsense.xml' "$gathercheck"
expect 'no file' 4 'absent.xml: cannot be read as an OpenVINO model' "$gathercheck" harvest absent.xml

finish
