#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reproducers of failures on ONNX Runtime show the same wrong answers without us. usage: reproducers.sh GATHERCHECK PYTHON
set -u

gathercheck=$1
python=$2
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
if ! "$python" -c 'import onnx, onnxruntime' 2>/dev/null; then
  echo "$python has no onnxruntime; tools/setup.sh onnxruntime installs it"
  exit 77
fi

run=("$gathercheck" run --implementation onnxruntime --sweeps none --filter operator=onnx.Gather-13 --filter operator=onnx.GatherND-13
  --filter route=runtime/static)
rows=made/onnxruntime/gather-type-string-rows.onnx.Gather-13.runtime-static.py
tuple=made/onnxruntime/gather-nd-empty-tuple.onnx.GatherND-13.runtime-static.py

expect 'a failure names its reproducer' 1 "^  reproducer: $rows" "${run[@]}" --no-known-failures \
  --filter case=gather-type-string-rows --filter case=gather-nd-empty-tuple --reproducers made
expect 'they are counted' 1 '^reproducers in made: 2' "${run[@]}" --no-known-failures \
  --filter case=gather-type-string-rows --filter case=gather-nd-empty-tuple --reproducers made
expect 'the file says what it shows' 0 '^# wrong value: ' cat "$rows"
expect 'only the first string of each row comes back' 0 "output \[3, 2\] \['[^']+', '', '[^']+', '', '[^']+', ''\]" "$python" "$rows"
expect 'it is the engine alone' 1 '^0$' grep -c 'gathercheck_worker' "$rows"
expect 'tuples of length 0 are accepted' 0 '^output ' "$python" "$tuple"
rm -r made
expect 'known failures have reproducers too' 0 '^reproducers in made: 1' "${run[@]}" \
  --filter case=gather-type-string-rows --filter case=gather-7-example-1 --filter case=documented-* --reproducers made --output run.jsonl
expect 'and their records name them' 0 "\"verdict\":\"known failure\".*\"reproducer\":\"$rows\"" cat run.jsonl
expect 'the known failure is there to be seen' 0 "'', " "$python" "$rows"
empty=made/numpy/gather-empty-output-with-bad-index.onnx.Gather-13.runtime-static.py
expect 'and so have those of numpy' 0 '^reproducers in made: 1' "$gathercheck" run --implementation numpy --sweeps none \
  --filter operator=onnx.Gather-13 --filter 'case=gather-empty-*' --reproducers made
expect 'an index of 5 in 3 is accepted' 0 '^output \[0, 1\]' "$python" "$empty"

finish
