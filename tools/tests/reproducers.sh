#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reproducers of failures on engines show the same wrong answers without us. usage: reproducers.sh GATHERCHECK PYTHON COMPILER
#
# What an engine that is not installed would show is left out, and said; exit code 77 where none is.
set -u

gathercheck=$1
python=$2
compiler=$3
engines=${GATHERCHECK_ENGINES:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/expect.sh"

# reproduced ENGINE CASE OPERATOR ROUTE EXTENSION [EXIT-CODE]: has the reproducer of one failure made, under the name in $file.
reproduced() {
  local folder=$1
  if [[ $1 == *:* ]]; then folder="${1/:/_}-*"; fi # and a hash
  expect "$1: one reproducer" "${6:-1}" '^reproducers in made: 1' "$gathercheck" run --implementation "$1" --sweeps none \
    --no-known-failures --filter "case=$2" --filter "operator=$3" --filter "route=$4" --reproducers made
  # shellcheck disable=SC2086,SC2116 # the pattern, spelt out
  file=$(echo made/$folder/$2.$3.${4/\//-}.$5)
  expect "$1: it is the engine alone" 1 '^0$' grep -c 'gathercheck.worker' "$file"
}

lacks() {
  echo "left out: $1; tools/setup.sh $1 installs it"
}

if "$python" -c 'import onnx, onnxruntime' 2>/dev/null; then
  run=("$gathercheck" run --implementation onnxruntime --sweeps none --filter operator=onnx.Gather-13 --filter operator=onnx.GatherND-13
    --filter route=runtime/static)
  rows=made/onnxruntime/gather-type-string-rows.onnx.Gather-13.runtime-static.py
  batch=made/onnxruntime/gather-nd-batch-dims-stretched-data.onnx.GatherND-13.runtime-static.py

  expect 'a failure names its reproducer' 1 "^  reproducer: $rows" "${run[@]}" --no-known-failures \
    --filter case=gather-type-string-rows --filter case=gather-nd-batch-dims-stretched-data --reproducers made
  expect 'they are counted' 1 '^reproducers in made: 2' "${run[@]}" --no-known-failures \
    --filter case=gather-type-string-rows --filter case=gather-nd-batch-dims-stretched-data --reproducers made
  expect 'the file says what it shows' 0 '^# wrong value: ' cat "$rows"
  expect 'only the first string of each row comes back' 0 "output \[3, 2\] \['[^']+', '', '[^']+', '', '[^']+', ''\]" "$python" "$rows"
  expect 'it is the engine alone' 1 '^0$' grep -c 'gathercheck.worker' "$rows"
  expect 'batch dimensions that differ are accepted' 0 '^output ' "$python" "$batch"
  expect 'it saves what it does when asked' 0 '^output ' "$python" "$batch" saved
  expect 'a model and inputs, which show the same' 0 'output \(' "$python" -c '
import onnx, onnx.numpy_helper, onnxruntime
inputs = [onnx.load_tensor(f"saved/test_data_set_0/input_{k}.pb") for k in range(2)]
values = {operand.name: onnx.numpy_helper.to_array(operand) for operand in inputs}
print("output", onnxruntime.InferenceSession("saved/model.onnx").run(None, values)[0].shape)'
  rm -r made
  expect 'known failures have reproducers too' 0 '^reproducers in made: 1' "${run[@]}" \
    --filter case=gather-type-string-rows --filter case=documented-* --reproducers made --output run.jsonl
  expect 'and their records name them' 0 "\"verdict\":\"known failure\".*\"reproducer\":\"$rows\"" cat run.jsonl
  expect 'the known failure is there to be seen' 0 "'', " "$python" "$rows"
else
  lacks onnxruntime
fi

if "$python" -c 'import numpy' 2>/dev/null; then
  empty=made/numpy/gather-empty-output-with-bad-index.onnx.Gather-13.runtime-static.py
  expect 'and so have those of numpy' 0 '^reproducers in made: 1' "$gathercheck" run --implementation numpy --sweeps none \
    --filter operator=onnx.Gather-13 --filter 'case=gather-empty-*' --reproducers made
  expect 'an index of 5 in 3 is accepted' 0 '^output \[0, 1\]' "$python" "$empty"
else
  lacks numpy
fi

if "$python" -c 'import openvino' 2>/dev/null; then
  reproduced openvino gather-large-values-in-data openvino.Gather-8 runtime/static py
  expect 'openvino: 64 bits become 32' 0 '^output \[2\] 0{16}f{16}$' "$python" "$file"
  reproduced openvino:evaluate gather-axis-input-u64-largest openvino.Gather-8 runtime/static py
  expect 'openvino:evaluate: an axis of 2^64 - 1 is accepted' 0 '^output ' "$python" "$file"
  reproduced openvino:onnx gather-large-values-in-data onnx.Gather-13 runtime/static py
  expect 'openvino:onnx: 64 bits become 32' 0 '^output \[2\] 0{16}f{16}$' "$python" "$file" ov_saved
  expect 'openvino:onnx: its memory is limited' 1 'bad_alloc' "$gathercheck" run --implementation openvino:onnx --sweeps none \
    --no-known-failures --filter case=gather-empty-large-dimension-beside-zero --filter operator=onnx.Gather-13 \
    --filter route=constant/static
  expect 'openvino:onnx: it saves the model and both inputs' 0 '^3$' sh -c 'find ov_saved -type f | wc -l'
else
  lacks openvino
fi

if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
  reproduced torch gather-empty-output-with-bad-index onnx.Gather-13 runtime/static py 0 # a witness: a difference is no failure
  expect 'torch: an index of 5 in 3 is accepted' 0 '^output \[0, 1\]' /usr/bin/python3 "$file"
else
  lacks torch
fi

if [ -d "$engines/onnxruntime-web" ]; then
  reproduced onnxruntime-web gather-nd-batch-dims-stretched-data onnx.GatherND-13 runtime/static js
  expect 'onnxruntime-web: batch dimensions that differ are accepted' 0 '^output ' \
    sh -c "here=\$PWD; cd '$engines/onnxruntime-web' && node \"\$here/$file\" \"\$here/web_saved\""
  expect 'onnxruntime-web: it saves the model and both inputs' 0 '^3$' sh -c 'find web_saved -type f | wc -l'
else
  lacks onnxruntime-web
fi

if [ -x "$(dirname "$gathercheck")/gathercheck_onnx_shapes" ]; then
  reproduced onnx-shapes gather-nd-described-batch-dims-minus-2 onnx.GatherND-13 runtime/static cpp
  libraries='-lonnx -lonnx_proto -lprotobuf'
  expect 'onnx-shapes: it compiles' 0 '^it does' \
    sh -c "'$compiler' -DONNX_ML=1 -DONNX_NAMESPACE=onnx '$file' -o shapes $libraries && echo it does"
  expect 'onnx-shapes: it dies, but saves the model first' 0 '^exit code 139' sh -c './shapes model.onnx; echo exit code $?'
  expect 'onnx-shapes: which is there' 0 'GatherND' strings model.onnx
else
  lacks onnx-shapes
fi

[ $((passed + failed)) -gt 0 ] || exit 77
finish
