# SPDX-License-Identifier: Apache-2.0
# Worker that runs the gather operators as numpy expresses them: an independent witness of the suite.
"""Values come from numpy.take, numpy.take_along_axis and indexing by tuples of arrays; batches are a loop around them.

numpy is no gather operator: it has no attributes and no operand count, and it broadcasts and wraps where some versions
forbid it. demand() states those conditions, one line each; whether an index is out of bounds is left to numpy, but for
the one version that forbids the negative indices that numpy allows. Another array library takes numpy's place in a class
with other `rows`, `elements` and `tuples`.
"""

import inspect

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()  # before the engine is imported
numpy = worker.require("numpy")

INTEGERS = "i8 i16 i32 i64 u8 u16 u32 u64".split()
OPENVINO_DATA = "boolean f16 bf16 f32 f64 f8e4m3 f8e5m2 f8e8m0 string".split() + INTEGERS
ONNX_DATA = "boolean f16 f32 f64 c64 c128 string".split() + INTEGERS


def demand(condition, message, phase):
    if not condition:
        raise worker.Rejected(message, phase)


def at_run(error):
    return worker.Rejected(f"{type(error).__name__}: {error}", "run")


def in_range(axis, rank):
    demand(-rank <= axis < rank, f"axis {axis} of an array of rank {rank}", "shape")
    return axis % rank


def by_batch(library, data, indices, batch_dims, shape, pick):
    """An output of `shape` whose batches are pick(data, indices) of the batches of both."""
    demand(data.shape[:batch_dims] == indices.shape[:batch_dims], "the batch dimensions differ", "shape")
    with worker.engine_at_work(at_run):  # there are shapes that numpy cannot make
        output = numpy.empty(shape, data.dtype)
    for batch in numpy.ndindex(shape[:batch_dims]):
        operands = library.operands(data[batch], indices[batch])
        with worker.engine_at_work(at_run):
            picked = pick(*operands)
        output[batch] = library.bits(picked, data.dtype)
    return output


def gather(library, data, indices, axis, batch_dims=0, zero_fill=False):
    axis, most = in_range(axis, data.ndim), min(data.ndim, indices.ndim)
    demand(-most <= batch_dims <= most, f"batch_dims {batch_dims}", "shape")
    batch_dims += indices.ndim if batch_dims < 0 else 0
    demand(batch_dims <= axis, "batch_dims beyond axis", "shape")
    shape = data.shape[:axis] + indices.shape[batch_dims:] + data.shape[axis + 1 :]
    if zero_fill:  # one more slice, of zeros, for every index that is out of range
        size, zero = data.shape[axis], "" if data.dtype == object else numpy.zeros((), data.dtype)
        inside = (indices >= -size) & (indices < size)
        indices = indices.astype(numpy.int64)
        indices = numpy.where(inside, numpy.where(indices < 0, indices + size, indices), size)
        if not inside.all():
            with worker.engine_at_work(at_run):
                zeros = numpy.full_like(data, zero, shape=(*data.shape[:axis], 1, *data.shape[axis + 1 :]))
                data = numpy.concatenate([data, zeros], axis)
    return by_batch(library, data, indices, batch_dims, shape, lambda d, i: library.rows(d, i, axis - batch_dims))


def gather_elements(library, data, indices, axis=0, strict=False):
    demand(data.ndim == indices.ndim, "the ranks differ", "shape")
    axis = in_range(axis, data.ndim)
    wanted = tuple(data.shape[axis] if k == axis else size for k, size in enumerate(indices.shape))
    # Where a size is 1 numpy would broadcast; what lies beyond the indices' shape has no part in the output.
    demand(all(size <= of_data for size, of_data in zip(wanted, data.shape)), "more indices than data", "shape")
    demand(not strict or wanted == data.shape, "fewer indices than data", "shape")
    demand(not strict or not (indices < 0).any(), "a negative index", "run")
    data = data[tuple(slice(size) for size in wanted)]
    return by_batch(library, data, indices, 0, indices.shape, lambda d, i: library.elements(d, i, axis))


def gather_nd(library, data, indices, batch_dims=0, fused=False):
    demand(min(data.ndim, indices.ndim) >= 1, "a rank of 0", "shape")
    demand(0 <= batch_dims < min(data.ndim, indices.ndim), f"batch_dims {batch_dims}", "shape")
    length = indices.shape[-1]
    demand(1 <= length <= data.ndim - batch_dims, f"tuples of length {length}", "shape")
    shape = indices.shape[:-1] + data.shape[batch_dims + length :]
    output = by_batch(library, data, indices, batch_dims, shape, library.tuples)
    if fused and batch_dims > 1:
        return output.reshape(numpy.prod(shape[:batch_dims], dtype=int), *shape[batch_dims:])
    return output


BATCH, AXIS = ["batch_dims"], ["axis"]
NARROW = ["i32", "i64"]
# Operator version -> function, attributes, what else the function is told, types of indices.
OPERATORS = {
    "openvino.Gather-1": (gather, [], {}, INTEGERS),
    "openvino.Gather-7": (gather, BATCH, {}, INTEGERS),
    "openvino.Gather-8": (gather, BATCH, {"zero_fill": True}, INTEGERS),
    "openvino.GatherElements-6": (gather_elements, AXIS, {"strict": True}, NARROW),
    "openvino.GatherND-5": (gather_nd, BATCH, {"fused": True}, INTEGERS),
    "openvino.GatherND-8": (gather_nd, BATCH, {}, INTEGERS),
    "onnx.Gather-1": (gather, AXIS, {"axis": 0}, NARROW),
    "onnx.Gather-11": (gather, AXIS, {"axis": 0}, NARROW),
    "onnx.Gather-13": (gather, AXIS, {"axis": 0}, NARROW),
    "onnx.GatherElements-11": (gather_elements, AXIS, {}, NARROW),
    "onnx.GatherElements-13": (gather_elements, AXIS, {}, NARROW),
    "onnx.GatherND-11": (gather_nd, [], {}, ["i64"]),
    "onnx.GatherND-12": (gather_nd, BATCH, {}, ["i64"]),
    "onnx.GatherND-13": (gather_nd, BATCH, {}, ["i64"]),
}


def data_types(operator):
    if operator.startswith("openvino."):
        return OPENVINO_DATA
    return ONNX_DATA + (["bf16"] if operator.endswith("-13") else [])


def axis_of(tensor):
    demand(tensor.type.name in INTEGERS, f"an axis of type {tensor.type.name}", "build")
    demand(tensor.shape in ((), (1,)), f"an axis of shape {tensor.shape}", "shape")
    return tensor.array().item()


def arguments_of(call):
    """What the operator's function is told besides the library, data and indices."""
    _, attributes, arguments, _ = OPERATORS[call.operator]
    names = ["data", "indices"] + (["axis"] if call.operator.startswith("openvino.Gather-") else [])
    demand(sorted(call.inputs) == sorted(names), f"{len(call.inputs)} operands, not {len(names)}", "build")
    for name, value in call.attributes.items():
        demand(name in attributes, f"an attribute {name}", "build")
        demand(type(value) is int, f"{name} is no integer", "build")
    arguments = {**arguments, **call.attributes}
    if "axis" in call.inputs:
        arguments["axis"] = axis_of(call.inputs["axis"])
    return arguments


def claims(operators, types):
    """Of a table like OPERATORS; types(operator) are those of the data."""
    return [
        {
            "operators": [operator],
            "data": types(operator),
            "indices": indices,
            "operands": ["runtime"],
            "shapes": ["static"],
        }
        for operator, (*_, indices) in operators.items()
    ]


class Numpy:
    name = "numpy"
    version = numpy.__version__
    witness = True  # it promises none of the specifications
    operators, data_types = OPERATORS, staticmethod(data_types)
    claims = claims(OPERATORS, data_types)

    def operands(self, data, indices):
        """Arrays of bits and of indices as the library's own."""
        return data, indices

    def bits(self, picked, dtype):
        return picked

    rows, elements = staticmethod(numpy.take), staticmethod(numpy.take_along_axis)

    @staticmethod
    def tuples(data, indices):
        return data[tuple(numpy.moveaxis(indices, -1, 0))]

    def run(self, call):
        if call.operator not in self.operators:
            raise worker.Unsupported(f"no operator {call.operator}")
        function, _, _, index_types = self.operators[call.operator]
        for operand, types in (("data", self.data_types(call.operator)), ("indices", index_types)):
            if operand in call.inputs and call.inputs[operand].type.name not in types:
                raise worker.Unsupported(f"{call.operator} with {operand} of type {call.inputs[operand].type.name}")
        arguments, data, indices = arguments_of(call), call.inputs["data"], call.inputs["indices"]
        return worker.Tensor.from_array(data.type, function(self, data.array(), indices.array(), **arguments))

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        try:
            return self.reproducer(call)
        except worker.Rejected as rejected:
            raise worker.Unsupported(f"the call does not come to {self.name}: {rejected}") from None

    @staticmethod
    def reproducer(call):
        return reproducer(call)


INTEGERS = {f"{short}{bits}": f"{name}{bits}" for short, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)}
LIBRARY = """import contextlib, numpy, types

library = types.SimpleNamespace(
    operands=lambda data, indices: (data, indices),
    bits=lambda picked, dtype: picked,
    rows=numpy.take,
    elements=numpy.take_along_axis,
    tuples=lambda data, indices: data[tuple(numpy.moveaxis(indices, -1, 0))],
)
"""


def reproducer(call, library=LIBRARY):
    """A script that makes the call with numpy alone, or with the array library that `library` imports."""
    function, arguments = OPERATORS[call.operator][0], arguments_of(call)
    lines = [
        library,
        "",
        "def demand(condition, message, phase):",
        "    if not condition:",
        "        raise ValueError(message)",
        "",
        "",
    ]
    for part in (in_range, by_batch, function):
        source = inspect.getsource(part).replace("worker.engine_at_work(at_run)", "contextlib.nullcontext()")
        lines += [source, ""]
    for name in ("data", "indices"):
        tensor = call.inputs[name]
        contents = (
            f"numpy.array({tensor.strings!r}, dtype=object)"
            if tensor.strings is not None
            else f"numpy.frombuffer(bytes.fromhex('{tensor.raw.hex()}'), '{tensor.type.storage}')"
        )
        lines.append(f"{name} = {contents}.reshape({list(tensor.shape)})  # {tensor.type.name}")
        if tensor.type.name in INTEGERS:  # other types travel as bits
            lines.append(f"assert {name}.dtype == '{INTEGERS[tensor.type.name]}', {name}.dtype")
    given = "".join(f", {name}={value!r}" for name, value in arguments.items())
    lines += [
        f"output = {function.__name__}(library, data, indices{given})",
        "contents = output.reshape(-1).tolist() if output.dtype == object else output.tobytes().hex()",
        "print('output', list(output.shape), contents)",
        "assert output.dtype == data.dtype, output.dtype",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    worker.serve(channel, Numpy())
