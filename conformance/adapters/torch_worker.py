# SPDX-License-Identifier: Apache-2.0
# Worker that runs the gather operators as PyTorch expresses them, on its CPU kernels.
"""ONNX's Gather is data[indices], OpenVINO's torch.index_select of the flattened indices, GatherElements torch.gather and
GatherND data[tuple of indices]. What PyTorch has no call for is not claimed: zero fill, indices that count from the end in
torch.gather. The rest of an operator's conditions is that of numpy_worker.
"""

import ctypes
import importlib.util
import inspect
import os
import sys

OF_DEBIAN = "/usr/bin/python3"
if importlib.util.find_spec("torch") is None and sys.executable != OF_DEBIAN and os.path.exists(OF_DEBIAN):
    os.execv(OF_DEBIAN, [OF_DEBIAN, "-B", *sys.argv])  # Debian's PyTorch belongs to Debian's Python

import gathercheck.worker as worker

REMEDY = "tools/setup.sh torch, or Debian's package python3-torch"
numpy = worker.require("numpy", remedy=REMEDY)
import numpy_worker
from numpy_worker import channel

torch = worker.require("torch", remedy=REMEDY)
torch.set_num_threads(1)

TYPES = {"boolean": "bool", "u8": "uint8", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
TYPES |= {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "c64": "complex64", "c128": "complex128"}
OPERATORS = {  # what PyTorch can express, with the index types that it takes there
    operator: (*entry, ["i32", "i64"] if operator in ("openvino.Gather-1", "openvino.Gather-7") else ["i64"])
    for operator, (*entry, _) in numpy_worker.OPERATORS.items()
    if not operator.startswith(("openvino.Gather-8", "onnx.GatherElements"))
}


def data_types(operator):
    return [name for name in numpy_worker.data_types(operator) if name in TYPES]


def tensor_of(array, dtype):
    """A tensor of an array's bits."""
    raw = bytearray(array.tobytes())
    return (torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)).reshape(array.shape)


def bits_of(picked, dtype):
    """The reverse."""
    picked = picked.contiguous()
    raw = ctypes.string_at(picked.data_ptr(), picked.numel() * dtype.itemsize) if picked.numel() else b""
    return numpy.frombuffer(raw, dtype).reshape(picked.shape)


def rows_by_indexing(data, indices, axis):
    return data[(slice(None),) * axis + (indices,)]


def rows_by_selection(data, indices, axis):
    shape = data.shape[:axis] + indices.shape + data.shape[axis + 1 :]
    return torch.index_select(data, axis, indices.reshape(-1)).reshape(shape)


def elements(data, indices, axis):
    return torch.gather(data, axis, indices)


def tuples(data, indices):
    return data[indices.unbind(-1)]


def rows_of(operator):
    return rows_by_indexing if operator.startswith("onnx.") else rows_by_selection


class Torch(numpy_worker.Numpy):
    name = "torch"
    version = torch.__version__
    operators, data_types = OPERATORS, staticmethod(data_types)
    claims = numpy_worker.claims(OPERATORS, data_types)
    bits, elements, tuples = staticmethod(bits_of), staticmethod(elements), staticmethod(tuples)

    def run(self, call):
        self.call, self.rows = call, rows_of(call.operator)
        return super().run(call)

    def operands(self, *arrays):
        return [tensor_of(array, dtype) for array, dtype in zip(arrays, self.dtypes(self.call))]

    @staticmethod
    def dtypes(call):
        return [getattr(torch, TYPES[call.inputs[name].type.name]) for name in ("data", "indices")]

    @classmethod
    def reproducer(cls, call):
        rows, (data, indices) = rows_of(call.operator), cls.dtypes(call)
        parts = (tensor_of, bits_of, rows, elements, tuples)
        library = [
            "import contextlib, ctypes, numpy, torch, types",
            "",
            "",
            *(inspect.getsource(part) + "\n" for part in parts),
            "library = types.SimpleNamespace(",
            f"    operands=lambda data, indices: (tensor_of(data, {data}), tensor_of(indices, {indices})),",
            f"    bits=bits_of, rows={rows.__name__}, elements=elements, tuples=tuples,",
            ")",
            "",
        ]
        return numpy_worker.reproducer(call, "\n".join(library))


if __name__ == "__main__":
    worker.serve(channel, Torch())
