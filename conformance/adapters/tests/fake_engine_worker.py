# SPDX-License-Identifier: Apache-2.0
# A worker without an engine: each operator shows one thing that the helper module does with an adapter's answers.
import mmap
import os
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
if "FAKE_NEEDS" in os.environ:
    worker.require(os.environ["FAKE_NEEDS"], extra=os.environ.get("FAKE_EXTRA"))

if "FAKE_LIMIT" in os.environ:
    resource.setrlimit(resource.RLIMIT_AS, (int(os.environ["FAKE_LIMIT"]),) * 2)
kept = []  # what an engine does not give back


class FakeEngine:
    name = "fake"
    version = "1.0"
    reports_unsafe = True
    claims = [{"operators": ["fake.Copy-1"], "data": ["f32"], "operands": ["runtime"], "shapes": ["static"]}]

    def run(self, call):
        data = call.inputs["data"]
        if call.operator == "fake.Copy-1":
            return data
        if call.operator == "fake.Array-1":
            return worker.Tensor.from_array(data.type, data.array())
        if call.operator == "fake.Print-1":
            print("noise from Python")
            os.write(1, b"noise from a descriptor\n")
            subprocess.run(["echo", "noise from a child"], check=True)
            return data
        if call.operator == "fake.Read-1":
            sys.stdin.read()
            return data
        if call.operator == "fake.Hang-1":
            print("at work", file=sys.stderr, flush=True)
            time.sleep(300)
        if call.operator == "fake.Reject-1":
            with worker.engine_at_work(lambda error: worker.Rejected(str(error), "run", "index_out_of_bounds")):
                raise IndexError("index 7 is out of bounds")
        if call.operator == "fake.Fault-1":
            raise IndexError("a fault of the adapter")
        if call.operator == "fake.Unsafe-1":
            with worker.engine_at_work(lambda error: worker.Rejected(str(error))):
                raise worker.UnsafeMemory("an output of 70 dimensions")
        if call.operator == "fake.Panic-1":
            raise SystemExit(7)
        if call.operator == "fake.Short-1":
            return worker.Tensor(data.type, data.shape, raw=b"\0")
        if call.operator == "fake.Apart-1":
            return worker.run_apart(call) if not worker.is_apart() else data
        if call.operator == "fake.ApartReject-1":
            if worker.is_apart():
                raise worker.Rejected("no", "shape")
            return worker.run_apart(call)
        if call.operator == "fake.ApartDeath-1":
            if worker.is_apart():
                os.kill(os.getpid(), signal.SIGSEGV)
            return worker.run_apart(call)
        if call.operator == "fake.Keep-1":
            kept.append(mmap.mmap(-1, 1 << 30))
            raise worker.Rejected("no")
        raise worker.Unsupported(f"no operator {call.operator}")

    def describe(self, call):
        return worker.Descriptor(call.inputs["data"].type, (*call.inputs["data"].shape, None))

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return f"print({call.operator!r}, {call.inputs['data'].raw!r})\n"


worker.serve(channel, FakeEngine())
