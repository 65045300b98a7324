#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job in one command: set up, build, and run the whole suite; results in build/run.jsonl and build/report.html.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release

usage() {
  cat <<'USAGE'
usage: tools/run.sh [--jobs N] [engine...]

Runs the shipped suite on the reference and on every optimized target this CPU has and, for each engine named, on that
engine too:

  numpy                     an independent witness
  litert                    LiteRT (TensorFlow Lite); litert:plain without its delegates
  onnx                      ONNX's reference evaluator
  onnx-shapes               ONNX's shape inference (described calls only); onnx:inference: that of the onnx package
  onnxruntime               ONNX Runtime; onnxruntime:unoptimized with its graph optimizations off
  openvino                  OpenVINO's native operators; openvino:evaluate by their nodes' own evaluate(),
                            openvino:onnx through its ONNX front end
  tensorflow                TensorFlow, eagerly; tensorflow:xla as XLA compiles it
  tfjs                      TensorFlow.js: needs Node.js; tfjs:wasm by its WebAssembly backend
  torch                     PyTorch, of Debian's package python3-torch
  opencv                    OpenCV's dnn module
  tvm                       Apache TVM by its ONNX front end
  gomlx                     GoMLX by onnx-gomlx, a Go program: needs Go
  tract, rten, candle       Rust programs: need cargo, and candle protoc
  onnxruntime-web           ONNX Runtime as WebAssembly: needs Node.js

They are installed at pinned versions, most under build/. What an engine is known to get wrong is written down in
spec_cases/known_failures; any change of it is a failure. Records go to build/run.jsonl, a page for a browser to build/report.html.

--jobs N has N processes of each answer side by side (default 1), for engines that are slow and a machine that is not: the
records are the same, in the same order.

example: tools/run.sh --jobs 4 onnxruntime openvino
Exit: that of gathercheck run: 0 conforms, 1 does not, 2 known failures out of date, 3 trouble, 4 wrong usage.
USAGE
}

engines=()
jobs=1
while (($#)); do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --jobs)
      jobs=${2-}
      [[ $jobs =~ ^[1-9][0-9]*$ ]] || { echo 'run: --jobs takes a number, e.g. --jobs 4' >&2; exit 4; }
      shift
      ;;
    -*) echo "run: unknown option $1; see tools/run.sh --help" >&2; exit 4 ;;
    *) engines+=("$1") ;;
  esac
  shift
done

"$root/tools/setup.sh" "${engines[@]}"

source "$root/tools/build_release.sh"
configure_release "$root" || { echo 'run: the build could not be configured' >&2; exit 3; }
build_release "$root" gathercheck || { echo 'run: the build failed' >&2; exit 3; }

implementations=()
if ((${#engines[@]})); then
  implementations=(--implementation default)
  for engine in "${engines[@]}"; do implementations+=(--implementation "$engine"); done
  export GATHERCHECK_ENGINES=$root/build/engines
  if [ -e "$root/build/venv/bin/python" ]; then export GATHERCHECK_PYTHON=$root/build/venv/bin/python; fi
fi
status=0
"$build/bin/gathercheck" run "${implementations[@]}" --jobs "$jobs" --output "$root/build/run.jsonl" || status=$?
# The page's exit code is that of the records, which are of this run unless its usage was wrong.
((status == 4)) || "$build/bin/gathercheck" report "$root/build/run.jsonl" --format html --output "$root/build/report.html" || true
exit "$status"
