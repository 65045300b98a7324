#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Calls with tensors beyond 2^31 elements and 4 GiB, on the reference, every optimized target, and engines.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'USAGE'
usage: tools/large.sh [engine...]

Makes the calls of tools/large/calls.json on the reference and on every optimized target this CPU has and, for each engine
named, on that engine by its adapter in Python: numpy, onnxruntime, openvino and others. Their tensors have up to 6 * 2^30
elements and 4 GiB; all but a few are zero, and such memory is taken only where it is written. Outputs have up to 3 GiB, and
engines may copy operands: have 8 GB of memory free.

Each line has the call, the operator version, the implementation, how it went, the time, and the peak of memory.

example: tools/large.sh onnxruntime openvino
Exit: 0 all calls went as expected; 1 one did not; 3 the set-up or the build failed; 4 wrong usage.
USAGE
}

engines=()
for argument in "$@"; do
  case $argument in
    --help | -h) usage; exit 0 ;;
    -*) echo "large: unknown option $argument; see tools/large.sh --help" >&2; exit 4 ;;
    *)
      [ -e "$root/conformance/adapters/${argument//[:-]/_}_worker.py" ] ||
        { echo "large: '$argument' has no adapter in Python (conformance/adapters/*_worker.py)" >&2; exit 4; }
      engines+=("$argument")
      ;;
  esac
done

"$root/tools/setup.sh" "${engines[@]}"
source "$root/tools/build_release.sh"
configure_release "$root" && build_release "$root" gathercheck_large || { echo 'large: the build failed' >&2; exit 3; }
status=0
"$root/build/release/tools/gathercheck_large" "$root/tools/large/calls.json" || status=$?
((${#engines[@]} == 0)) ||
  "${GATHERCHECK_PYTHON:-$root/build/venv/bin/python}" -B "$root/tools/large/engines.py" "$root/tools/large/calls.json" "${engines[@]//[:-]/_}" || status=1
exit $status
