# SPDX-License-Identifier: Apache-2.0
# Tensors of the protocol as numpy arrays of values, and back.
"""Element types have the numpy dtypes of their values: those of numpy itself, or of ml_dtypes where that is installed. What
neither has (nf4, u1, ...) travels as the elements' bits, in unsigned integers of whole bytes."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from typing import Any, Union

import numpy

from .worker import ELEMENT_TYPES, pack, unpack

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None  # type: ignore[assignment, unused-ignore]

TypeName = Union[str, type, "numpy.dtype[Any]"]

_OF_NUMPY = {
    "boolean": "?",
    "u8": "u1",
    "u16": "<u2",
    "u32": "<u4",
    "u64": "<u8",
    "i8": "i1",
    "i16": "<i2",
    "i32": "<i4",
    "i64": "<i8",
    "f16": "<f2",
    "f32": "<f4",
    "f64": "<f8",
    "c64": "<c8",
    "c128": "<c16",
}
_OF_ML_DTYPES = {
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0": "float8_e8m0fnu",
    "f4e2m1": "float4_e2m1fn",
    "i2": "int2",
    "i4": "int4",
    "u2": "uint2",
    "u4": "uint4",
}


def _dtypes() -> dict[str, numpy.dtype[Any]]:
    table: dict[str, numpy.dtype[Any]] = {name: numpy.dtype(text) for name, text in _OF_NUMPY.items()}
    for name, text in _OF_ML_DTYPES.items():
        if hasattr(ml_dtypes, text):
            table[name] = numpy.dtype(getattr(ml_dtypes, text))
    return table


DTYPES = _dtypes()
OF_NUMPY = tuple(_OF_NUMPY)


class NoTensor(Exception):
    """A result is no tensor."""


def has_dtype(name: str) -> bool:
    """Whether arrays of this element type tell it by their dtype."""
    return name in DTYPES or name == "string"


def type_name(wanted: TypeName) -> str:
    """The suite's name of an element type: "f32", "float32" and numpy.float32 are the same."""
    if isinstance(wanted, str) and wanted in ELEMENT_TYPES:
        return wanted
    if wanted is str:
        return "string"
    try:
        name = _name_of(numpy.dtype(wanted))
    except TypeError:
        name = None
    if name is None:
        raise ValueError(f"{wanted!r} is no element type; there are {', '.join(ELEMENT_TYPES)}, and numpy's dtypes")
    return name


def type_names(wanted: TypeName | Iterable[TypeName]) -> list[str]:
    if isinstance(wanted, (str, type, numpy.dtype)):
        return [type_name(wanted)]
    return [type_name(each) for each in wanted]


def _name_of(dtype: numpy.dtype[Any]) -> str | None:
    if dtype.kind in "OUT":
        return "string"
    native = dtype.newbyteorder("<") if dtype.byteorder == ">" else dtype
    return next((name for name, known in DTYPES.items() if known == native), None)


def decode(tensor: dict[str, Any]) -> numpy.ndarray[Any, Any]:
    """A tensor of a message as an array of its own."""
    kind, shape = ELEMENT_TYPES[tensor["type"]], tuple(tensor["shape"])
    if kind.name == "string":
        flat = numpy.empty(math.prod(shape), dtype=object)
        flat[:] = tensor["values"]
        return flat.reshape(shape)
    raw = base64.b64decode(tensor["base64"])
    if not kind.packed:
        return numpy.frombuffer(raw, dtype=DTYPES.get(kind.name, kind.storage)).copy().reshape(shape)
    bits = numpy.frombuffer(unpack(raw, kind.bits, math.prod(shape)), dtype=numpy.uint8).reshape(shape)
    dtype = DTYPES.get(kind.name)
    if dtype is None:
        return bits.copy()
    if kind.name[0] == "f":
        return bits.copy().view(dtype)
    return bits.astype(dtype)  # patterns of i2 and i4 above the half become negative


def as_array(result: object) -> numpy.ndarray[Any, Any]:
    """A result as an array: one of numpy, or whatever says how it becomes one. A Python list or number has no dtype; a str is
    what numpy makes of a scalar of strings."""
    if isinstance(result, numpy.ndarray):
        return result
    if isinstance(result, str):
        return numpy.array(str(result), dtype=object)
    try:
        if isinstance(result, numpy.generic) or hasattr(result, "__array__"):
            return numpy.asarray(result)
        if hasattr(result, "__dlpack__"):
            array: numpy.ndarray[Any, Any] = numpy.from_dlpack(result)  # type: ignore[arg-type, unused-ignore]
            return array
    except Exception as error:
        raise NoTensor(f"returned a {type(result).__name__} that does not become an array: {error}") from error
    raise NoTensor(f"returned a {type(result).__name__}, which is no array; return one of numpy, or what becomes one")


def encode(result: object, bits_of: str | None = None) -> dict[str, Any]:
    """An array as a tensor of a message. `bits_of`: the element type whose bits unsigned integers hold."""
    array = as_array(result)
    name = _name_of(array.dtype)
    if bits_of is not None and not has_dtype(bits_of) and array.dtype == numpy.dtype(ELEMENT_TYPES[bits_of].storage):
        name = bits_of
    if name is None:
        raise NoTensor(f"returned an array of dtype {array.dtype}, which is no element type of the suite")
    shape = [int(extent) for extent in array.shape]
    if name == "string":
        values = array.reshape(-1).tolist()
        if not all(isinstance(value, str) for value in values):
            raise NoTensor("returned an array of objects that are not all str")
        return {"type": name, "shape": shape, "values": values}
    kind = ELEMENT_TYPES[name]
    if kind.packed:
        as_bits = array.view(numpy.uint8) if name[0] == "f" or name not in DTYPES else array.astype(numpy.int8)
        raw = pack(bytes(int(bits) & 0xFF for bits in as_bits.reshape(-1)), kind.bits)
    else:
        dtype = DTYPES.get(name, array.dtype)
        raw = numpy.ascontiguousarray(array, dtype=dtype).tobytes()
    return {"type": name, "shape": shape, "base64": base64.b64encode(raw).decode()}


def text_of(array: numpy.ndarray[Any, Any], marked: int | None = None) -> str:
    """An array for people, large ones by their ends; the element at the flat position `marked` stands in >...<."""
    texts = numpy.empty(array.shape, dtype=object)
    flat = texts.reshape(-1)
    shown = array.reshape(-1)
    if array.size > 4000:  # only the ends are shown
        return numpy.array2string(array, threshold=100, edgeitems=3)
    for k in range(array.size):
        value = shown[k]
        flat[k] = repr(value) if isinstance(value, str) else str(value)
        if k == marked:
            flat[k] = f">{flat[k]}<"
    return numpy.array2string(texts, threshold=100, edgeitems=3, formatter={"all": str})


def place(shape: tuple[int, ...], position: int) -> list[int]:
    """The coordinates of a flat position."""
    return [int(k) for k in numpy.unravel_index(position, shape)] if shape else []
