# SPDX-License-Identifier: Apache-2.0
# Makes the calls of a file, whose tensors are zero but for a few elements, of an engine by its shipped adapter.
"""usage: engines.py CALLS.json ADAPTER...

Each call runs in a process of its own, with its time, that of building a model included, and its peak of memory. Adapters are the
names of conformance/adapters/*_worker.py. Nothing travels as text: operands go to the adapter as it reads them from a message.
"""

import contextlib
import importlib
import json
import math
import mmap
import os
import pathlib
import resource
import subprocess
import sys
import time

ADAPTERS = pathlib.Path(__file__).resolve().parents[2] / "conformance" / "adapters"
sys.path.insert(0, str(ADAPTERS))

import gathercheck.worker as worker  # noqa: E402

UNSUPPORTED = 77


def sparse(tensor):
    """The operand; what is not written of its zeros takes no memory."""
    import numpy

    of, count = worker.ELEMENT_TYPES[tensor["type"]], math.prod(tensor["shape"])
    if of.packed:
        raise worker.Unsupported(f"an adapter has {of.name} one element a byte")
    # Not numpy.zeros: adapters have the allocator fill its memory.
    raw = mmap.mmap(-1, count * of.bits // 8, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    elements = numpy.frombuffer(raw, of.storage)
    for position, value in tensor["nonzero"]:
        elements[position] = value
    return worker.Tensor(of, tuple(tensor["shape"]), raw=memoryview(raw))


def call_of(case, operator):
    inputs = {name: sparse(case[name]) for name in ("data", "indices")}
    attributes = {}
    if operator.startswith("openvino.Gather-"):
        inputs["axis"] = sparse({"type": "i64", "shape": [], "nonzero": [[0, case["axis"]]]})
    elif "axis" in case:
        attributes["axis"] = case["axis"]
    return worker.Call(1, operator, attributes, inputs)


def difference(expected, output):
    """What is wrong with the output; None where it is zero but for the elements expected."""
    import numpy

    if output.type.name != expected["type"] or list(output.shape) != expected["shape"]:
        return f"the output is {output.type.name} {list(output.shape)}"
    flat = numpy.frombuffer(output.raw, output.type.storage)
    found = numpy.flatnonzero(flat)
    got = [[int(k), int(flat[k])] for k in found[:10]]
    return None if len(found) < 10 and got == expected["nonzero"] else f"its elements are {got}"


def outcome(adapter, case, operator):
    """'pass', 'unsupported' or 'fail' with the reason, and the seconds of the call."""
    started = time.monotonic()
    try:
        output = adapter.run(call_of(case, operator))
    except worker.Unsupported as no:
        return "unsupported", str(no), time.monotonic() - started
    except worker.Rejected as no:
        seconds = time.monotonic() - started
        return ("pass", "", seconds) if "error" in case else ("fail", f"rejected: {no}", seconds)
    seconds = time.monotonic() - started
    wrong = "it was not rejected" if "error" in case else difference(case["output"], output)
    return ("fail", wrong, seconds) if wrong else ("pass", "", seconds)


def make(name, case, operator):
    """In a child: makes the call and writes what came of it."""
    import numpy

    module = importlib.import_module(f"{name}_worker")  # takes standard output over
    # Operands stay where they are: between bytes of another pattern they would have to be written.
    worker.surrounded = lambda raw, poison, margin=0: numpy.frombuffer(raw, numpy.uint8)
    adapter = next(
        made for made in vars(module).values() if isinstance(made, type) and getattr(made, "name", "") == name.replace("_", ":")
    )()
    verdict, reason, seconds = outcome(adapter, case, operator)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps([verdict, " ".join(reason.split())[:150], round(seconds, 2), round(peak)]), file=sys.stderr, flush=True)
    os._exit(0)


def main(file, names):
    cases = json.loads(pathlib.Path(file).read_text())["calls"]
    counts = {"pass": 0, "fail": 0, "known": 0, "unsupported": 0}
    for name in names:
        for case in cases:
            for operator in case["operators"]:
                command = [sys.executable, "-B", __file__, "--child", name, json.dumps(case), operator]
                done = subprocess.run(command, capture_output=True, text=True)
                verdict, reason, seconds, peak = "fail", f"its process ended with {done.returncode}", 0, 0
                with contextlib.suppress(ValueError, IndexError):
                    verdict, reason, seconds, peak = json.loads(done.stderr.strip().splitlines()[-1])
                known = case.get("known", {}).get(name)
                if verdict == "pass" and known:
                    verdict, reason = "fail", f"known to fail, and passes; take it out of {file}: {known}"
                elif verdict == "fail" and reason == known:
                    verdict = "known"
                counts[verdict] += 1
                print(f"{case['name']:48} {operator:24} {name:22} {verdict:12} {seconds:7.2f} s {peak:8} MB  {reason}", flush=True)
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['known']} known to fail, {counts['unsupported']} skipped")
    return 0 if counts["fail"] == 0 and counts["pass"] else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        make(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4])
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
