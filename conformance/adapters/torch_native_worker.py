# SPDX-License-Identifier: Apache-2.0
# Worker that runs PyTorch's own operators torch.index_select, torch.gather and torch.take_along_dim on its CPU kernels.
"""A function gets operands and attributes by keyword, as they are: `dim` is what calls name axis. Tensors are made over
numpy arrays, whose memory they share.
"""

import ctypes
import math

import gathercheck.worker as worker
import torch_worker  # which goes over to the Python that has PyTorch
from torch_worker import torch

worker.perturb_memory()
TYPES = torch_worker.TYPES | {f"u{bits}": f"uint{bits}" for bits in (16, 32, 64)}
TYPES |= {"f8e4m3": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e8m0": "float8_e8m0fnu"}
TYPES |= {"f8e5m2": "float8_e5m2", "f8e5m2fnuz": "float8_e5m2fnuz"}
NAMES = {f"torch.{name}": short for short, name in TYPES.items()}
# Operator -> PyTorch's names of what calls name otherwise.
KEYWORDS = {
    "torch.index_select": {"data": "input", "indices": "index", "axis": "dim"},
    "torch.gather": {"data": "input", "indices": "index", "axis": "dim"},
    "torch.take_along_dim": {"data": "input", "indices": "indices", "axis": "dim"},
}


def no_from_engine(error):
    kind = worker.Unsupported if "not implemented for" in str(error) else worker.Rejected
    return kind(f"{type(error).__name__}: {error}")


def keywords_of(call):
    """The names of PyTorch's arguments by those of the call."""
    if call.operator not in KEYWORDS:
        raise worker.Unsupported(f"no operator {call.operator}")
    for tensor in call.inputs.values():
        if not hasattr(torch, TYPES.get(tensor.type.name, "")):
            raise worker.Unsupported(f"PyTorch {torch.__version__} has no type for {tensor.type.name}")
    known = KEYWORDS[call.operator]
    return {name: known.get(name, name) for name in [*call.inputs, *call.attributes]}


def operand(raw, dtype, shape):
    """A tensor over the bytes of an array."""
    flat = torch.frombuffer(raw, dtype=dtype) if len(raw) else torch.empty(0, dtype=dtype)
    try:
        return flat.reshape(shape)
    except RuntimeError as error:  # strides that 64 bits do not hold
        raise worker.Unsupported(f"PyTorch has no tensor of shape {list(shape)}: {error}") from error


class Native:
    name, version = "torch:native", torch.__version__

    def __init__(self):
        self.asked = worker.Asked(KEYWORDS, lambda operator: [worker.DEFAULT_ROUTE], lambda calls: list(map(self.run, calls)))

    def run(self, call):
        keywords, (outside, _) = keywords_of(call), worker.poison_of(call)
        operands = {
            keywords[name]: operand(worker.surrounded(tensor.raw, outside), getattr(torch, TYPES[tensor.type.name]), tensor.shape)
            for name, tensor in call.inputs.items()
        }
        attributes = {keywords[name]: value for name, value in call.attributes.items()}
        with worker.engine_at_work(no_from_engine):
            output = getattr(torch, call.operator.removeprefix("torch."))(**operands, **attributes).contiguous()
        element_type, shape = worker.ELEMENT_TYPES[NAMES[str(output.dtype)]], tuple(output.shape)
        length = worker.byte_length(element_type, math.prod(shape))
        return worker.Tensor(element_type, shape, ctypes.string_at(output.data_ptr(), length) if length else b"")

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        keywords = keywords_of(call)
        lines = ["import ctypes, torch", ""]
        for name, tensor in call.inputs.items():
            dtype = f"torch.{TYPES[tensor.type.name]}"
            bits = f"torch.frombuffer(bytearray.fromhex('{tensor.raw.hex()}'), dtype={dtype})" if tensor.raw else ""
            lines.append(f"{keywords[name]} = {bits or f'torch.empty(0, dtype={dtype})'}.reshape({list(tensor.shape)})")
        given = [f"{keywords[name]}={keywords[name]}" for name in call.inputs]
        given += [f"{keywords[name]}={value!r}" for name, value in call.attributes.items()]
        lines += [
            f"output = {call.operator}({', '.join(given)}).contiguous()",
            "print('declared', output.dtype, list(output.shape))",
            "length = output.numel() * output.element_size()",
            "print('output', list(output.shape), ctypes.string_at(output.data_ptr(), length).hex() if length else '')",
        ]
        return "\n".join(lines) + "\n"


worker.serve(torch_worker.channel, Native())
