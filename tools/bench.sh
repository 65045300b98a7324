#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures speed in one command: sets up the engines to compare with, builds, and runs gathercheck bench.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
engines=(numpy onnxruntime openvino jax)

usage() {
  cat <<'USAGE'
usage: tools/bench.sh [options of gathercheck bench...]

Installs the engines to compare with (ONNX Runtime, OpenVINO, numpy and JAX at pinned versions under build/venv; on
Debian also LibTorch and Google Benchmark, as system packages), builds build/release, and runs gathercheck bench on the whole grid
of workloads: some minutes. Results go to build/bench.json and, as a page with plots, to build/bench.html. An engine that
cannot be had is said to be missing, and the rest goes on.

examples: tools/bench.sh
          tools/bench.sh --threads 2 --filter 'G25-*'
Exit: that of gathercheck bench: 0 measured, 1 an answer of ours was wrong, 3 trouble, 4 wrong usage.
USAGE
}

case ${1:-} in
  --help | -h) usage; exit 0 ;;
  '' | -*) ;;
  *) echo "bench: unknown argument '$1'; see tools/bench.sh --help" >&2; exit 4 ;;
esac

if ! "$root/tools/setup.sh" --bench "${engines[@]}"; then
  # One that cannot be installed must not keep the others away; the build's own needs must be met.
  "$root/tools/setup.sh"
  for engine in "${engines[@]}"; do
    "$root/tools/setup.sh" "$engine" || echo "bench: going on without $engine" >&2
  done
fi

source "$root/tools/build_release.sh"
configure_release "$root" || { echo 'bench: the build could not be configured' >&2; exit 3; }
targets=(gathercheck)
help=$(cmake --build "$build" --target help)
for target in gathercheck_bench_torch gathercheck_google_benchmark; do
  if grep -q "^$target: phony" <<<"$help"; then targets+=("$target"); fi
done
build_release "$root" "${targets[@]}" || { echo 'bench: the build failed' >&2; exit 3; }

[ ! -x "$root/build/venv/bin/python" ] || export GATHERCHECK_PYTHON=$root/build/venv/bin/python
exec "$build/bin/gathercheck" bench --output "$root/build/bench.json" --output "$root/build/bench.html" "$@"
