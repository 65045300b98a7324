# SPDX-License-Identifier: Apache-2.0
# torch: data[tuple of indices]: an index out of bounds is not refused where the output is empty; the text makes no exception.
# Case gather-nd-bad-in-empty-slices, onnx.GatherND-13, runtime/static, on torch 1.13.0a0.
# accepted what must be rejected: expected the error index_out_of_bounds, got f32 [1, 0] = []
# Rule onnx.gather-nd-13.indices.error (onnx/GatherND-13, Description): One component outside its range makes the call an error.
# shows: an output
import contextlib, ctypes, numpy, torch, types


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


def elements(data, indices, axis):
    return torch.gather(data, axis, indices)


def tuples(data, indices):
    return data[indices.unbind(-1)]


library = types.SimpleNamespace(
    operands=lambda data, indices: (tensor_of(data, torch.float32), tensor_of(indices, torch.int64)),
    bits=bits_of, rows=rows_by_indexing, elements=elements, tuples=tuples,
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


data = numpy.frombuffer(bytes.fromhex(''), '<u4').reshape([3, 0])  # f32
indices = numpy.frombuffer(bytes.fromhex('0500000000000000'), '<i8').reshape([1, 1])  # i64
output = gather_nd(library, data, indices)
contents = output.reshape(-1).tolist() if output.dtype == object else output.tobytes().hex()
print('output', list(output.shape), contents)
