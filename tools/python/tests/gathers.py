# SPDX-License-Identifier: Apache-2.0
# Gathers to be tested: a right one, and such with planted bugs.
import ctypes
import os
import time

import numpy

LEGAL = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 O".split()


def right(data, indices, axis=0):
    """ONNX Gather-13."""
    if data.dtype not in [numpy.dtype(name) for name in LEGAL]:
        if data.dtype.name != "bfloat16":
            raise TypeError(f"data of {data.dtype}")
    if indices.dtype not in (numpy.int32, numpy.int64):
        raise TypeError(f"indices of {indices.dtype}")
    if type(axis) is not int:
        raise TypeError(f"axis {axis!r}")
    if not -data.ndim <= axis < data.ndim:
        raise ValueError(f"axis {axis} of {data.ndim} dimensions")
    size = data.shape[axis]
    if ((indices < -size) | (indices >= size)).any():
        raise IndexError(f"an index outside [{-size}, {size - 1}]")
    return numpy.take(data, indices, axis=axis)


def without_axis(data, indices):
    return right(data, indices)


def clamping(data, indices, axis=0):
    right(data, indices * 0, axis)
    return numpy.take(data, indices, axis=axis, mode="clip")


def of_any_type(data, indices, axis=0):
    if indices.dtype.kind in "iu":
        right(data.astype("O"), indices.astype("i8"), axis)
    return numpy.take(data, indices.astype("i8"), axis=axis)


def without_negatives(data, indices, axis=0):
    return right(data, numpy.maximum(indices, 0), axis)


def as_double(data, indices, axis=0):
    return right(data, indices, axis).astype(numpy.float64)


def as_list(data, indices, axis=0):
    return right(data, indices, axis).tolist()


def one_row_more(data, indices, axis=0):
    return numpy.stack([right(data, indices, axis)])


def rejecting_all(data, indices, axis=0):
    raise ValueError("no")


def raising(data, indices, axis=0):
    if right(data, indices, axis).ndim == 2:
        raise ZeroDivisionError("planted")
    return right(data, indices, axis)


def of_vectors(data, indices, axis=0):
    if data.ndim != 1:
        raise NotImplementedError("vectors only")
    return right(data, indices, axis)


def deadly(data, indices, axis=0):
    """Dies or hangs by rank and axis; right elsewhere."""
    if data.ndim == 2 and axis == 1:
        os.abort()
    if data.ndim == 2 and axis == -1:
        ctypes.string_at(8)
    if data.ndim == 3 and axis == -1:
        time.sleep(600)
    if data.ndim == 1:
        os._exit(7)
    return right(data, indices, axis)
