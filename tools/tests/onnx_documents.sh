#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The catalogue against the documentation inside the onnx package. usage: onnx_documents.sh GATHERCHECK PYTHON
#
# Exit code 77 where that Python has no onnx package.
set -u

gathercheck=$1
python=$2
tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/onnx_documents.py
if ! "$python" -c 'import onnx' 2>/dev/null; then
  echo "skipped: $python has no onnx package; run tools/setup.sh onnxruntime"
  exit 77
fi
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

expect 'all versions are written' 0 '^8 documents of onnx [0-9.]+ in now$' "$python" -B "$tool" now
expect 'every sentence is a rule or informative, and every rule still has its own' 0 \
  'documents in now: 8 files, 8 of a document of the catalogue \(8 documents\): .* 0 stale, 0 units unaccounted for' \
  "$gathercheck" coverage --documents now
expect 'help' 0 '^usage: ' "$python" -B "$tool" --help
expect 'no folder is bad usage' 4 '^usage: ' "$python" -B "$tool"
expect 'a Python without onnx is told what to do' 3 'remedy: tools/setup.sh onnxruntime' "$python" -I -S -B "$tool" never

cp -r now changed
sed -i 's/within bounds \[-s, s-1\]/within bounds [0, s-1]/' changed/Gather-13.md
expect 'a changed sentence makes its rules stale' 1 \
  'Gather-13.md: rule onnx.gather-13.indices.range is stale: .* onnx/Gather-13 \(section Inputs\)' "$gathercheck" coverage --documents changed
expect 'what it became is named' 1 'unit of onnx/Gather-13 is neither .*: "All index values are expected to be within bounds \[0, s-1\]' \
  "$gathercheck" coverage --documents changed
expect 'two revisions name the rules of what went away' 0 'rules: onnx.gather-13.indices.negative, onnx.gather-13.indices.range' \
  "$gathercheck" coverage --documents now --documents changed

finish
