#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Engines in gathercheck bench: those that are installed give the right answers through its bindings, and one that does not is
# not timed. usage: bench_engines.sh GATHERCHECK PYTHON
set -u

results=$(mktemp)
trap 'rm -f "$results"' EXIT
GATHERCHECK_PYTHON=$2 "$1" bench --rounds 1 --sample 1 --format json \
  --workload 'onnx.Gather-13 i64[5,2] i64[3] negative=0.5' --workload 'onnx.Gather-13 bf16[2,9,3] i32[4] axis=1' \
  --workload 'openvino.Gather-8 f32[2,3,5] i64[2,3,4] axis=2 batch_dims=2' --workload 'onnx.Gather-13 u8[7] i64[]' \
  --workload 'onnx.GatherElements-13 f32[3,4] i64[3,2] axis=1' --workload 'onnx.GatherND-13 f16[2,4,5,3] i64[2,6,2] batch_dims=1' \
  --workload 'onnx.GatherElements-13 i64[3,4] i64[3,2] axis=1' >"$results" || exit 1

"$2" - "$results" <<'PYTHON'
import json, sys

report = json.load(open(sys.argv[1]))
here = [peer["name"] for peer in report["peers"] if "version" in peer]
failures = [] if {"onnxruntime", "openvino"} <= set(here) else [f"only {here} are here: {report['peers']}"]
for workload in report["workloads"]:
    is_wide_elements = "GatherElements-13 i64" in workload["workload"]
    for name in here:
        ways = [one for one in workload["contenders"] if one["name"].split(":")[0] == name]
        states = {one["state"] for one in ways}
        # OpenVINO's CPU plug-in computes elements of 64 bits in 32: an answer that must be caught.
        expected = {"wrong"} if is_wide_elements and name == "openvino" else {"timed"}
        if states != expected and states != {"unsupported"}:
            failures.append(f"{workload['workload']}: {name} is {states}, not {expected}: {ways}")
        if states == {"unsupported"} and name == "openvino":
            failures.append(f"{workload['workload']}: {ways}")
print("\n".join(failures))
sys.exit(bool(failures))
PYTHON
