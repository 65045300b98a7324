# SPDX-License-Identifier: Apache-2.0
# What the readers of models give `gathercheck harvest`, and what a user tells them of a model's inputs.
"""A reader has one function, read(path, given): it yields (type, name, make) for each gather node, where make() returns the
node's Call or raises LeftOut; both it and make() raise Refused where nothing can be said of the model."""

from __future__ import annotations

import dataclasses
import os

import gathercheck.worker as worker


class LeftOut(Exception):
    """Why a node is no case."""


class Refused(Exception):
    """Why nothing can be said of a model."""


@dataclasses.dataclass(frozen=True)
class Operand:
    type: str  # as cases name element types
    shape: list
    values: list | None = None  # integers, flat; None: not known before the model runs


@dataclasses.dataclass(frozen=True)
class Call:
    operator: str  # "onnx.Gather-13"
    data: Operand  # without values
    indices: Operand
    attributes: dict
    axis: Operand | None = None  # where it is an input


@dataclasses.dataclass(frozen=True)
class Input:
    names: list  # the first is what messages call it
    type: str
    dims: list | None  # of each dimension the size, its name, or None where it is open and has none; None: the rank is open


@dataclasses.dataclass(frozen=True)
class Contents:
    file: str
    type: str
    array: object  # of numpy


class Given:
    """What the user says of inputs: sizes by the name of a dimension, contents by the name of an input; and what of it was used."""

    def __init__(self, sizes, contents):
        self.sizes, self.contents = sizes, contents
        self.used_sizes, self.used_contents = set(), set()

    def contents_of(self, names):
        """The Contents of an input that has these names, or None."""
        found = [name for name in names if name in self.contents]
        self.used_contents.update(found)
        return self.contents[found[0]] if found else None

    def settle(self, inputs):
        """The shapes of a model's inputs by their first names, without those of an open rank, and the sizes of dimensions by
        name. An open dimension without a name is called INPUT.AXIS.

        Raises Refused where a size is missing, or contents do not fit the input.
        """
        sizes, shapes, needed = dict(self.sizes), {}, set()
        for each in inputs:
            contents = self.contents_of(each.names)
            if contents:
                check_contents(each, contents)
                shapes[each.names[0]] = list(contents.array.shape)
                for names, size in zip(dimension_names(each), contents.array.shape):
                    for name in names:
                        if sizes.setdefault(name, size) != size:
                            raise Refused(f"{name} is {size} in {contents.file}, and {sizes[name]} by --dim or another input")
        for each in inputs:
            if each.names[0] in shapes or each.dims is None:
                continue
            shape = list(each.dims)
            for k, names in enumerate(dimension_names(each)):
                found = [name for name in names if name in sizes]
                if found:
                    shape[k] = sizes[found[0]]
                elif names:
                    needed.add(names[0])
            shapes[each.names[0]] = shape
        if needed:
            raise Refused("its inputs have open dimensions; give " + " ".join(f"--dim {name}=SIZE" for name in sorted(needed)))
        self.used_sizes.update(name for each in inputs for names in dimension_names(each) for name in names if name in self.sizes)
        return shapes, sizes

    def unused(self):
        """What was given and names nothing in any model: a line each."""
        for name in sorted(self.sizes.keys() - self.used_sizes):
            yield f"--dim {name} names no open dimension of an input"
        for name in sorted(self.contents.keys() - self.used_contents):
            yield f"{self.contents[name].file}: {name} names no input"


def dimension_names(each):
    """Of each dimension of an Input the names that it can be given by; none where it is fixed."""
    return [
        [] if isinstance(dim, int) else [dim] if dim else [f"{name}.{k}" for name in each.names]
        for k, dim in enumerate(each.dims or [])
    ]


def check_contents(each, contents):
    shape = contents.array.shape
    fits = contents.type == each.type
    if each.dims is not None:
        fits = fits and len(shape) == len(each.dims)
        fits = fits and all(not isinstance(dim, int) or dim == size for dim, size in zip(each.dims, shape))
    if not fits:
        dims = "of any rank" if each.dims is None else f"[{', '.join(str('?' if dim is None else dim) for dim in each.dims)}]"
        held = f"{contents.type} [{', '.join(map(str, shape))}]"
        raise Refused(f"its input {each.names[0]} is {each.type} {dims}, and {contents.file} holds {held}")


# ---------------------------------------------------------------------------------------------- files with contents


def type_of(dtype):
    """The name of the element type that has a numpy type, or None."""
    if dtype.kind in "OSU":
        return "string"
    name = "boolean" if dtype.kind == "b" else f"{dtype.kind}{8 * dtype.itemsize}"
    return name if name in worker.ELEMENT_TYPES and dtype.kind in "biufc" else None


def arrays_in(path):
    """Contents by name from a file of numpy; a .npy has one, whose name is empty."""
    numpy = worker.require("numpy")
    try:
        loaded = numpy.load(path)
        arrays = {"": loaded} if isinstance(loaded, numpy.ndarray) else {name: loaded[name] for name in loaded.files}
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception as error:  # of numpy, zipfile, zlib
        raise Refused(f"{path}: is no .npz or .npy file of numbers: {error}") from None
    contents = {}
    for name, array in arrays.items():
        if type_of(array.dtype) is None:
            raise Refused(f"{path}: {name or 'the array'} is of the type {array.dtype}, which no operator has")
        contents[name] = Contents(path, type_of(array.dtype), array)
    return contents


def contents_in(path):
    """The Contents in a .npy file, or a .pb file with an ONNX TensorProto, as ONNX's node tests have. Raises Refused."""
    if os.path.splitext(path)[1] != ".pb":
        contents = arrays_in(path)
        if list(contents) != [""]:
            raise Refused(f"{path}: holds arrays with names of their own; give it as --inputs {path}")
        return contents[""]
    onnx = worker.require("onnx")
    try:
        tensor = onnx.load_tensor(path)
        array = onnx.numpy_helper.to_array(tensor)
        name = next(entry.name for entry in worker.ELEMENT_TYPES.values() if entry.onnx == tensor.data_type)
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception as error:  # of protobuf, onnx, numpy; StopIteration
        raise Refused(f"{path}: is no TensorProto of ONNX: {error}") from None
    return Contents(path, name, array)
