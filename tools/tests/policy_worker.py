# SPDX-License-Identifier: Apache-2.0
# A worker that treats indices out of bounds as it is told, for the test of the map: all operator versions, element by element.
# usage: policy_worker.py TREATMENT [DATA-TYPE [INDICES-TYPE]]
import itertools
import math
import struct
import sys

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
GARBAGE = object()
FORMATS = {"i32": "i", "i64": "q", "f32": "f", "f64": "d"}


def counted_from_the_end(index, size):
    if not -size <= index < size:
        raise IndexError(f"index {index} of {size}")
    return index % size


def cut(index, width):
    low = index & ((1 << width) - 1)
    return low - (1 << width) if low >> (width - 1) else low


def clamp(index, size, width=64):
    return min(max(index, 0), size - 1) if size else None


# What an index outside [0, size - 1] picks: a coordinate, None for zero bits, GARBAGE.
TREATMENTS = {
    "zero": lambda index, size, width: None,
    "clamp": clamp,
    "wrap": lambda index, size, width: index % size if size else None,
    "first": lambda index, size, width: 0 if size else None,
    "garbage": lambda index, size, width: GARBAGE,
    "numpy": lambda index, size, width: counted_from_the_end(index, size),
    "cut": lambda index, size, width: counted_from_the_end(cut(index, 32), size),
    "cut-clamp": lambda index, size, width: index % size if -size <= index < 0 else clamp(cut(index, 32), size),
    "cut16": lambda index, size, width: counted_from_the_end(cut(index, 16), size),
    "cut8": lambda index, size, width: counted_from_the_end(cut(index, 8), size),
    "unsigned-clamp": lambda index, size, width: clamp(index % (1 << width), size),
    "unsigned-wrap": lambda index, size, width: index % (1 << width) % size if size else None,
    "legal-or-zero": lambda index, size, width: index % size if -size <= index < size else None,
}


def error(index, size, width):
    raise IndexError(f"index {index} of {size}")


TREATMENTS["error"] = error
# One index beyond the range is taken, and no other.
TREATMENTS["only-s"] = lambda index, size, width: size - 1 if index == size > 0 else counted_from_the_end(index, size)
TREATMENTS["only-below"] = lambda index, size, width: 0 if index == -size - 1 and size else counted_from_the_end(index, size)
TREATMENTS["only-minus-1"] = lambda index, size, width: size - 1 if index == -1 else error(index, size, width)


class Planted:
    version = "0"

    def __init__(self, treatment, data=None, indices=None):
        self.name = "planted " + treatment
        self.treatment = TREATMENTS[treatment]
        self.data = [data] if data else list(FORMATS)
        onnx_nd = [f"onnx.GatherND-{number}" for number in (11, 12, 13)]
        others = [
            f"openvino.{name}" for name in ("Gather-1", "Gather-7", "Gather-8", "GatherElements-6", "GatherND-5", "GatherND-8")
        ]
        others += [f"onnx.{name}" for name in ("Gather-1", "Gather-11", "Gather-13", "GatherElements-11", "GatherElements-13")]
        self.claims = [{"operators": others, "data": self.data, "indices": [indices] if indices else ["i32", "i64"]}]
        if indices != "i32":
            self.claims.append({"operators": onnx_nd, "data": self.data, "indices": ["i64"]})

    def run(self, call):
        data, indices = call.inputs["data"], call.inputs["indices"]
        for tensor, claimed in ((data, self.data), (indices, self.claims[0]["indices"])):
            if tensor.type.name not in claimed:
                raise worker.Rejected(f"no {tensor.type.name}", "build")
        width = data.type.bits // 8
        self.elements = [data.raw[k : k + width] for k in range(0, len(data.raw), width)]
        self.garbage = struct.pack("<" + FORMATS[data.type.name], 123)
        self.shape, self.bits = data.shape, indices.type.bits
        values = struct.unpack(f"<{indices.count}{FORMATS[indices.type.name]}", indices.raw)
        operator = call.operator.split(".")[1].split("-")[0]
        axis = call.inputs["axis"] if "axis" in call.inputs else call.attributes.get("axis", 0)
        if not isinstance(axis, int):
            if axis.count != 1:
                raise worker.Rejected(f"axis has {axis.count} elements", "shape")
            axis = struct.unpack("<" + FORMATS[axis.type.name], axis.raw)[0]
        with worker.engine_at_work(lambda error: worker.Rejected(str(error), "run")):
            shape, picked = getattr(self, operator)(indices.shape, values, axis)
        return worker.Tensor(data.type, tuple(shape), b"".join(picked))

    def coordinate(self, index, size):
        return index if 0 <= index < size else self.treatment(index, size, self.bits)

    def element(self, place):
        if None in place:
            return bytes(len(self.garbage))
        if GARBAGE in place:
            return self.garbage
        flat = 0
        for coordinate, size in zip(place, self.shape):
            flat = flat * size + coordinate
        return self.elements[flat]

    def every(self, shape):
        return itertools.product(*map(range, shape))

    def Gather(self, shape, values, axis):
        before, size, after = self.shape[:axis], self.shape[axis], self.shape[axis + 1 :]
        picks = [self.coordinate(value, size) for value in values]
        places = ([*a, pick, *b] for a in self.every(before) for pick in picks for b in self.every(after))
        return [*before, *shape, *after], map(self.element, places)

    def GatherElements(self, shape, values, axis):
        picks = [self.coordinate(value, self.shape[axis]) for value in values]
        places = ([*at[:axis], pick, *at[axis + 1 :]] for at, pick in zip(self.every(shape), picks))
        return shape, map(self.element, places)

    def GatherND(self, shape, values, axis):
        length = shape[-1]
        picks = [self.coordinate(value, self.shape[k % length]) for k, value in enumerate(values)]
        tuples = [picks[k : k + length] for k in range(0, len(picks), length)]
        assert len(tuples) == math.prod(shape[:-1])
        rest = self.shape[length:]
        return [*shape[:-1], *rest], (self.element([*one, *b]) for one in tuples for b in self.every(rest))


worker.serve(channel, Planted(*sys.argv[1:]))
