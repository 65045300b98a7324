#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The exported cases in other people's harness: ONNX's own runner of node tests, and ONNX Runtime by itself, against what the
# suite says of ONNX Runtime. usage: export_engines.sh GATHERCHECK
#
# Exit code 77 where the engines' Python lacks the packages.
set -u

gathercheck=$1
if ! "${GATHERCHECK_PYTHON:-python3}" -c 'import onnx.backend.test.runner, onnxruntime.backend' 2>/dev/null; then
  echo 'skipped: no Python with onnx and onnxruntime in it; run tools/setup.sh onnxruntime'
  exit 77
fi
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

some=(--sweeps none --filter 'operator=onnx.*')
expect 'the cases are exported' 0 'calls: ' "$gathercheck" export onnx "${some[@]}" --output tests
expect 'the suite on ONNX Runtime' 0 'conforms' "$gathercheck" run --implementation onnxruntime "${some[@]}" \
  --filter 'route=runtime/*' --output run.jsonl
"$gathercheck" report run.jsonl --format jsonl --output whole.jsonl || true
expect 'others say the same of every call, by its name' 0 '^[0-9]{4} calls as the suite says' \
  "$GATHERCHECK_PYTHON" -B "$(dirname "${BASH_SOURCE[0]}")/export_engines.py" tests whole.jsonl
grep -E '^[0-9]+ ' output
finish
