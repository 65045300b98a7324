# SPDX-License-Identifier: Apache-2.0
# numpy: numpy.take does not look at the indices where a dimension before the axis is 0: the output is empty; the text makes no exception.
# Case gather-empty-output-with-bad-index, onnx.Gather-13, runtime/static, on numpy 2.4.6.
# accepted what must be rejected: expected the error index_out_of_bounds, got i32 [0, 1] = []
# Rule onnx.gather-13.indices.error (onnx/Gather, Inputs): One index outside the range makes the call an error.
# shows: an output
import contextlib, numpy, types

library = types.SimpleNamespace(
    operands=lambda data, indices: (data, indices),
    bits=lambda picked, dtype: picked,
    rows=numpy.take,
    elements=numpy.take_along_axis,
    tuples=lambda data, indices: data[tuple(numpy.moveaxis(indices, -1, 0))],
)


def demand(condition, message, phase):
    if not condition:
        raise ValueError(message)


def in_range(axis, rank):
    demand(-rank <= axis < rank, f"axis {axis} of an array of rank {rank}", "shape")
    return axis % rank


def by_batch(library, data, indices, batch_dims, shape, pick):
    """An output of `shape` whose batches are pick(data, indices) of the batches of both."""
    demand(data.shape[:batch_dims] == indices.shape[:batch_dims], "the batch dimensions differ", "shape")
    output = numpy.empty(shape, data.dtype)
    for batch in numpy.ndindex(shape[:batch_dims]):
        operands = library.operands(data[batch], indices[batch])
        with contextlib.nullcontext():
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
        zeros = numpy.full_like(data, zero, shape=(*data.shape[:axis], 1, *data.shape[axis + 1 :]))
        inside = (indices >= -size) & (indices < size)
        indices = indices.astype(numpy.int64)
        indices = numpy.where(inside, numpy.where(indices < 0, indices + size, indices), size)
        data = numpy.concatenate([data, zeros], axis)
    return by_batch(library, data, indices, batch_dims, shape, lambda d, i: library.rows(d, i, axis - batch_dims))


data = numpy.frombuffer(bytes.fromhex(''), '<i4').reshape([0, 3])  # i32
indices = numpy.frombuffer(bytes.fromhex('0500000000000000'), '<i8').reshape([1])  # i64
output = gather(library, data, indices, axis=1)
contents = output.reshape(-1).tolist() if output.dtype == object else output.tobytes().hex()
print('output', list(output.shape), contents)
