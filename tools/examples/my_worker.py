# SPDX-License-Identifier: Apache-2.0
# A worker to start from: ONNX Gather-13. Put your engine in place of gather(); gathercheck.worker is of
# the Python package, or of the folder conformance/adapters/gathercheck beside this file.
import math
import struct

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()  # before the engine is imported: engines print
# my_engine = worker.require("my_engine")


def gather(rows, shape, indices, axis):
    """Your engine: elements of `rows` (bytes of one element each), row-major; raises what it raises."""
    size, inner = shape[axis], math.prod(shape[axis + 1 :])
    if any(not -size <= index < size for index in indices):
        raise IndexError(f"an index outside [{-size}, {size - 1}]")
    starts = [(outer * size + index % size) * inner for outer in range(math.prod(shape[:axis])) for index in indices]
    return b"".join(rows[start + k] for start in starts for k in range(inner))


class MyEngine:
    name, version = "my engine", "0.1"
    claims = [{"operators": ["onnx.Gather-13"], "data": ["u8", "f32", "i64"], "indices": ["i32", "i64"]}]

    def run(self, call):
        data, indices = self.operands(call)
        axis = call.attributes.get("axis", 0)
        if type(axis) is not int or set(call.attributes) - {"axis"}:
            raise worker.Rejected(f"attributes {call.attributes}", "build")
        if not -len(data.shape) <= axis < len(data.shape):
            raise worker.Rejected(f"axis {axis} of {len(data.shape)} dimensions", "shape")
        axis, width = axis % len(data.shape), data.type.bits // 8
        rows = [data.raw[k : k + width] for k in range(0, len(data.raw), width)]
        picks = struct.unpack(f"<{indices.count}{'iq'[indices.type.name == 'i64']}", indices.raw)
        with worker.engine_at_work(lambda error: worker.Rejected(str(error), "run")):  # only your engine belongs inside
            raw = gather(rows, data.shape, picks, axis)
        return worker.Tensor(data.type, data.shape[:axis] + indices.shape + data.shape[axis + 1 :], raw)

    def operands(self, call):
        if list(call.inputs) != ["data", "indices"]:
            raise worker.Rejected(f"operands {list(call.inputs)}", "build")
        for name, tensor in call.inputs.items():
            if tensor.type.name not in self.claims[0][name]:
                raise worker.Unsupported(f"{name} of type {tensor.type.name}")
        return call.inputs.values()


worker.serve(channel, MyEngine())
