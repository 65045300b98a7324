# SPDX-License-Identifier: Apache-2.0
# Speaks the worker protocol for adapters written in Python, so that an adapter holds only what its engine needs.
"""The worker protocol (JSON lines on standard input and output) for adapters in Python.

An adapter script does four things:

    import gathercheck.worker as worker
    channel = worker.take_over_standard_streams()       # before the engine is imported: engines print
    numpy, engine = worker.require("numpy", "engine")    # a missing package ends the process with a clear line
    worker.serve(channel, Adapter())                     # an object with name, version, claims and run(call)

`claims` is the list of the hello (protocol.md): `{"operators": [...], "data": [...], "indices": [...]}`, with `"attributes":
{"batch_dims": [0]}` where not every value of an attribute is supported. An adapter of a library that promises none of the
specifications says `witness = True`.
In place of `claims`, which are a list as in a hello, an adapter may have `asked`, an Asked: its engine then says what it
takes, and what it refuses is listed under "not_implemented". `not_implemented` may stand beside `claims`, too.

`run(call)` returns a Tensor, or raises Rejected (the engine said no) or Unsupported (the engine's interface cannot
express the call). Any other exception is a fault of the adapter and is answered `broken`. `describe(call)` (returns a
Descriptor) and `reproduce(call, language)` (returns source text, or a Source that tells what runs it) are answered when the
adapter has them. An adapter that builds models, keeps them in BuiltModels and says `keeps_models = True` is asked sequences
of calls of one model. README.md beside this file shows a complete adapter.
"""

from __future__ import annotations

import base64
import binascii
import collections
import contextlib
import ctypes
import dataclasses
import faulthandler
import hashlib
import importlib
import json
import math
import os
import re
import resource
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, Literal, NoReturn, Optional, Protocol, TypeVar, Union

if TYPE_CHECKING:
    import numpy

PROTOCOL = 1
MISSING_PACKAGE = 3  # exit code
LONGEST_LINE = 1 << 30
LONGEST_TEXT = 4000

Message = dict[str, Any]  # a JSON object of the protocol
Route = tuple[str, str, str]  # operands, shapes, axis
Model = TypeVar("Model")


class Rejected(Exception):
    """The engine refused the call. `phase` is build, shape or run; None where the engine does not tell."""

    def __init__(self, message: str, phase: str | None = None, category: str | None = None) -> None:
        super().__init__(message)
        self.phase = phase
        self.category = category


class Unsupported(Exception):
    """The call cannot be expressed in the engine's interface, or the engine says it does not implement it."""


class UnsafeMemory(Exception):
    """The engine left the memory of the call, and the adapter saw it: the runner ends this process, which is in doubt.

    For an adapter that has `reports_unsafe = True`.
    """


class Malformed(Exception):
    """A message does not follow the protocol."""


# ---------------------------------------------------------------------------------------------- element types


@dataclasses.dataclass(frozen=True)
class ElementType:
    """One element type: its short name, size, names elsewhere and the numpy type that holds its bits unchanged."""

    name: str
    bits: int  # 0 for string
    onnx: int | None  # number in ONNX TensorProto.DataType
    openvino: str | None  # name in OpenVINO
    storage: str  # numpy type of the bit patterns, one element each (sub-byte types: unpacked, one byte each)

    @property
    def packed(self) -> bool:
        return 0 < self.bits < 8


def _element_types() -> dict[str, ElementType]:
    rows = """
        boolean     8    9   boolean  u1
        u1          1    -   u1       u1
        u2          2    25  u2       u1
        u3          3    -   u3       u1
        u4          4    21  u4       u1
        u6          6    -   u6       u1
        u8          8    2   u8       u1
        u16         16   4   u16      <u2
        u32         32   12  u32      <u4
        u64         64   13  u64      <u8
        i2          2    26  i2       u1
        i4          4    22  i4       u1
        i8          8    3   i8       i1
        i16         16   5   i16      <i2
        i32         32   6   i32      <i4
        i64         64   7   i64      <i8
        f16         16   10  f16      <u2
        bf16        16   16  bf16     <u2
        f32         32   1   f32      <u4
        f64         64   11  f64      <u8
        f8e4m3      8    17  f8e4m3   u1
        f8e5m2      8    19  f8e5m2   u1
        f8e4m3fnuz  8    18  -        u1
        f8e5m2fnuz  8    20  -        u1
        f8e8m0      8    24  f8e8m0   u1
        f4e2m1      4    23  f4e2m1   u1
        nf4         4    -   nf4      u1
        c64         64   14  -        <u8
        c128        128  15  -        V16
        string      0    8   string   O
    """
    table = {}
    for row in rows.split("\n"):
        if row.strip():
            name, bits, onnx, openvino, storage = row.split()
            table[name] = ElementType(
                name, int(bits), None if onnx == "-" else int(onnx), None if openvino == "-" else openvino, storage
            )
    return table


ELEMENT_TYPES = _element_types()


# ---------------------------------------------------------------------------------------------- tensors


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An operand or a result: `raw` holds the protocol's bytes, `strings` the elements of a string tensor.

    Both are None for an operand without contents (described calls).
    """

    type: ElementType
    shape: tuple[int, ...]
    raw: bytes | None = None
    strings: list[str] | None = None

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def has_contents(self) -> bool:
        return self.raw is not None or self.strings is not None

    def array(self) -> numpy.ndarray[Any, Any]:
        """A numpy array of the elements' bits: integers of whole bytes as such, strings as objects, all other types
        as unsigned integers (sub-byte types one element a byte). It never converts a value. Unsupported: numpy has no
        array of that shape."""
        import numpy

        flat: numpy.ndarray[Any, Any]
        if self.type.name == "string":
            flat = numpy.empty(self.count, dtype=object)
            flat[:] = self.strings
            return self.shaped(flat)
        assert self.raw is not None, "the call is described, its operands have no contents"
        if self.type.packed:
            flat = numpy.frombuffer(unpack(self.raw, self.type.bits, self.count), dtype=numpy.uint8)
        else:
            flat = numpy.frombuffer(self.raw, dtype=self.type.storage)
        return self.shaped(flat)

    def shaped(self, flat: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
        """A view of a flat array of the elements in the tensor's shape. Unsupported: numpy has no array of that shape."""
        try:
            return flat.reshape(self.shape)
        except ValueError as error:
            if flat.size != self.count:
                raise
            # It counts bytes in 63 bits, and dimensions beside one of 0 too.
            raise Unsupported(f"numpy has no array of shape {list(self.shape)}: {error}") from error

    @staticmethod
    def from_array(element_type: ElementType, array: numpy.ndarray[Any, Any]) -> Tensor:
        """The reverse of array(): a tensor from an array of bits of the type's storage."""
        import numpy

        shape = tuple(int(extent) for extent in array.shape)
        if element_type.name == "string":
            return Tensor(element_type, shape, strings=[str(value) for value in array.reshape(-1).tolist()])
        storage = numpy.dtype(element_type.storage)
        if array.dtype != storage:
            raise TypeError(f"{element_type.name} needs an array of {storage}, not of {array.dtype}")
        raw = numpy.ascontiguousarray(array).tobytes()
        return Tensor(element_type, shape, raw=pack(raw, element_type.bits) if element_type.packed else raw)

    def digest(self) -> str | None:
        """A hash of the contents, for keys of models that contain them."""
        if self.strings is not None:
            return hashlib.sha256(json.dumps(self.strings).encode()).hexdigest()
        return hashlib.sha256(self.raw).hexdigest() if self.raw is not None else None


@dataclasses.dataclass(frozen=True)
class Descriptor:
    """The answer to a described call: an element type and a shape in which None is an unknown extent; None for the whole
    shape where the rank is unknown."""

    type: ElementType
    shape: tuple[int | None, ...] | None


@dataclasses.dataclass(frozen=True)
class Source:
    """A program that reproduce() returns, and the command that runs it; "{file}" in it stands for the program's name."""

    text: str
    command: list[str] | None = None


def byte_length(element_type: ElementType, count: int) -> int:
    """Bytes of `count` packed elements."""
    return (count * element_type.bits + 7) // 8


def unpack(raw: bytes, bits: int, count: int) -> bytes:
    """One byte an element from packed elements: element k occupies bits k*bits and up of a little-endian stream."""
    mask = (1 << bits) - 1
    if 8 % bits == 0:  # no element crosses a byte
        return bytes((byte >> (bits * k)) & mask for byte in raw for k in range(8 // bits))[:count]
    stream = int.from_bytes(raw, "little")
    return bytes((stream >> (bits * k)) & mask for k in range(count))


def pack(elements: bytes, bits: int) -> bytes:
    """The reverse of unpack(); spare bits are zero."""
    stream, mask = 0, (1 << bits) - 1
    for k, element in enumerate(elements):
        stream |= (element & mask) << (bits * k)
    return stream.to_bytes((len(elements) * bits + 7) // 8, "little")


def clear_spare_bits(raw: bytes, element_type: ElementType, count: int) -> bytes:
    """`raw` with the bits behind the last element of a packed type set to zero."""
    used = count * element_type.bits % 8
    if not element_type.packed or used == 0 or not raw:
        return raw
    return raw[:-1] + bytes([raw[-1] & ((1 << used) - 1)])


def surrounded(raw: bytes, poison: int, margin: int = 256) -> numpy.ndarray[Any, Any]:
    """`raw` as a numpy byte array inside a larger one filled with `poison`, aligned to 64 bytes.

    An engine that reads outside an operand picks the poison up, and a second run with another poison shows it.
    """
    import numpy

    home = numpy.full(len(raw) + 2 * margin + 64, poison, dtype=numpy.uint8)
    start = margin + (-(home.ctypes.data + margin)) % 64
    view = home[start : start + len(raw)]
    view[:] = numpy.frombuffer(raw, dtype=numpy.uint8)
    return view


# ---------------------------------------------------------------------------------------------- operator versions

_INTEGERS = "i8 i16 i32 i64 u8 u16 u32 u64".split()
_OPENVINO = "boolean u1 u2 u3 u4 u6 i4 f16 bf16 f32 f64 f8e4m3 f8e5m2 f8e8m0 f4e2m1 nf4 string".split() + _INTEGERS
_ONNX = "boolean f16 f32 f64 c64 c128 string".split() + _INTEGERS
_TENSORFLOW = "boolean f16 bf16 f32 f64 c64 c128 string".split() + _INTEGERS
_NARROW = ["i32", "i64"]
_ARRAY_API = "boolean f32 f64 c64 c128".split() + _INTEGERS
_TORCH = "boolean u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128".split()
_SMALL = "i2 i4 u2 u4".split()
_STABLEHLO = "boolean f4e2m1 f8e4m3 f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0 f16 bf16 f32 f64 c64 c128".split() + _SMALL + _INTEGERS
_WEBNN = "f16 f32 i8 i32 i64 u8 u32 u64".split()
# Operator version -> the element types of data and of indices that its specification allows.
LEGAL_TYPES = {
    "openvino.Gather-1": (_OPENVINO, _INTEGERS),
    "openvino.Gather-7": (_OPENVINO, _INTEGERS),
    "openvino.Gather-8": (_OPENVINO, _INTEGERS),
    "openvino.GatherElements-6": (_OPENVINO, _NARROW),
    "openvino.GatherND-5": (_OPENVINO, _INTEGERS),
    "openvino.GatherND-8": (_OPENVINO, _INTEGERS),
    "onnx.Gather-1": (_ONNX, _NARROW),
    "onnx.Gather-11": (_ONNX, _NARROW),
    "onnx.Gather-13": (_ONNX + ["bf16"], _NARROW),
    "onnx.GatherElements-11": (_ONNX, _NARROW),
    "onnx.GatherElements-13": (_ONNX + ["bf16"], _NARROW),
    "onnx.GatherND-11": (_ONNX, ["i64"]),
    "onnx.GatherND-12": (_ONNX, ["i64"]),
    "onnx.GatherND-13": (_ONNX + ["bf16"], ["i64"]),
    "array_api.take": (_ARRAY_API, _INTEGERS),
    "array_api.take_along_axis": (_ARRAY_API, _INTEGERS),
    "stablehlo.gather": (_STABLEHLO, _INTEGERS),
    "torch.index_select": (_TORCH, _NARROW),
    "torch.gather": (_TORCH, ["i64"]),
    "torch.take_along_dim": (_TORCH, ["i64"]),
    "tensorflow.GatherV2": (_TENSORFLOW, _NARROW),
    "tensorflow.GatherNd": (_TENSORFLOW, _NARROW),
    "webnn.gather": (_WEBNN, ["i32", "i64", "u32"]),
    "webnn.gatherElements": (_WEBNN, ["i32", "i64", "u32"]),
    "webnn.gatherND": (_WEBNN, ["i32", "i64", "u32"]),
}

# ---------------------------------------------------------------------------------------------- messages


@dataclasses.dataclass(frozen=True)
class Call:
    """One call: an operator version, its attributes and named operands, and the route on which they travel."""

    seq: int
    operator: str
    attributes: dict[str, Any]
    inputs: dict[str, Tensor]  # by name, in the order sent
    operands: str = "runtime"  # runtime | constant | folded
    shapes: str = "static"  # static | dynamic
    axis: str = "constant"  # constant | runtime
    asked_before: bool = False  # each call is asked twice; this is the second time
    model: int | None = None  # calls with the same number are to be asked of one built model; BuiltModels.of sees to it
    before: tuple[Call, ...] = ()  # when a reproducer is asked for: the calls that come before this one, of the same model

    def fixed(self, name: str) -> bool:
        """Whether the operand `name` is fixed when the model is built."""
        if name == "axis":
            return self.axis == "constant"
        return self.operands == "folded" or (self.operands == "constant" and name == "indices")

    def positional(self, names: Sequence[str]) -> list[tuple[str, Tensor | None]]:
        """The operands in the order of `names`, then the surplus ones in the order sent: (name, Tensor) pairs.

        An absent operand is (name, None); absent ones at the end are left out.
        """
        listed: list[tuple[str, Tensor | None]] = [(name, self.inputs.get(name)) for name in names]
        listed += [(name, tensor) for name, tensor in self.inputs.items() if name not in names]
        while listed and listed[-1][1] is None:
            listed.pop()
        return listed

    def model_key(self) -> str:
        """Equal for two calls when one built model may answer both.

        Such a model is never asked for a second value of a run-time axis: that makes the output's shape depend on
        contents, and an engine that keeps the first shape would answer by the order of the calls. Sequences ask just that.
        """
        operands = [
            [name, tensor.type.name, tensor.shape, tensor.digest() if self.fixed(name) or name == "axis" else None]
            for name, tensor in self.inputs.items()
        ]
        return json.dumps([self.operator, self.operands, self.shapes, self.axis, self.attributes, operands])


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _decode_tensor(name: str, value: Any, contents_needed: bool) -> Tensor:
    if not isinstance(value, dict):
        raise Malformed(f"input {name}: not an object")
    type_name, shape = value.get("type"), value.get("shape")
    if not isinstance(type_name, str):
        raise Malformed(f"input {name}: no element type")
    if not isinstance(shape, list) or not all(_is_integer(extent) and extent >= 0 for extent in shape):
        raise Malformed(f"input {name}: the shape is not a list of sizes")
    if type_name not in ELEMENT_TYPES:
        raise Unsupported(f"input {name}: this worker knows no element type {type_name}")
    element_type, shape = ELEMENT_TYPES[type_name], tuple(shape)
    count = math.prod(shape)
    forms = [form for form in ("base64", "values", "fill", "file") if form in value]
    if len(forms) > 1:
        raise Malformed(f"input {name}: contents given twice ({', '.join(forms)})")
    if not forms:
        if contents_needed:
            raise Malformed(f"input {name}: no contents")
        return Tensor(element_type, shape)
    if forms[0] in ("fill", "file"):
        raise Unsupported(f"input {name}: this worker takes no contents by {forms[0]}")
    if (forms[0] == "values") != (type_name == "string"):
        raise Malformed(f"input {name}: contents of {type_name} do not travel as {forms[0]}")
    if type_name == "string":
        strings = value["values"]
        if not isinstance(strings, list) or not all(isinstance(text, str) for text in strings):
            raise Malformed(f"input {name}: values is not a list of strings")
        if len(strings) != count:
            raise Malformed(f"input {name}: {len(strings)} strings for {count} elements")
        if any(0xD800 <= ord(letter) <= 0xDFFF for text in strings for letter in text):
            raise Malformed(f"input {name}: half a surrogate pair is not Unicode")
        return Tensor(element_type, shape, strings=strings)
    if not isinstance(value["base64"], str):
        raise Malformed(f"input {name}: base64 is not a string")
    try:
        raw = base64.b64decode(value["base64"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise Malformed(f"input {name}: not base64 ({error})") from None
    if len(raw) != byte_length(element_type, count):
        raise Malformed(f"input {name}: {len(raw)} bytes for {count} elements of {type_name}")
    return Tensor(element_type, shape, raw=raw)


def _decode_call(message: Message, contents_needed: bool) -> Call:
    operator = message.get("operator")
    if not isinstance(operator, str):
        raise Malformed("no operator")
    route, attributes, inputs = message.get("route", {}), message.get("attributes", {}), message.get("inputs")
    if not isinstance(route, dict) or not isinstance(attributes, dict) or not isinstance(inputs, dict):
        raise Malformed("route, attributes and inputs must be objects")
    choices = {
        "operands": ("runtime", "constant", "folded"),
        "shapes": ("static", "dynamic"),
        "axis": ("constant", "runtime"),
    }
    chosen = {}
    for key, allowed in choices.items():
        chosen[key] = route.get(key, allowed[0])
        if not isinstance(chosen[key], str):
            raise Malformed(f"route: {key} is not a string")
        if chosen[key] not in allowed:
            raise Unsupported(f"this worker knows no route with {key} {chosen[key]}")
    tensors = {name: _decode_tensor(name, value, contents_needed) for name, value in inputs.items()}
    model = message.get("model")
    if model is not None and not _is_integer(model):
        raise Malformed("model is not an integer")
    number = message.get("pass", 0)
    if not _is_integer(number) or number not in (0, 1):
        raise Malformed("pass is neither 0 nor 1")
    before = message.get("before", [])
    if not isinstance(before, list) or not all(isinstance(earlier, dict) for earlier in before):
        raise Malformed("before is not a list of calls")
    calls = tuple(_decode_call({"seq": message["seq"], **earlier}, contents_needed) for earlier in before)
    return Call(message["seq"], operator, attributes, tensors, **chosen, asked_before=number == 1, model=model, before=calls)


def _encode_tensor(tensor: Tensor) -> Message:
    shape = list(tensor.shape)
    if tensor.type.name == "string":
        strings = list(tensor.strings or ())
        if len(strings) != tensor.count:
            raise ValueError(f"{len(strings)} strings for the shape {shape}")
        return {"type": "string", "shape": shape, "values": strings}
    raw = bytes(tensor.raw or b"")
    if len(raw) != byte_length(tensor.type, tensor.count):
        raise ValueError(f"{len(raw)} bytes of {tensor.type.name} for the shape {shape}")
    raw = clear_spare_bits(raw, tensor.type, tensor.count)
    return {"type": tensor.type.name, "shape": shape, "base64": base64.b64encode(raw).decode()}


def _shortened(what: object) -> str:
    text = str(what).strip()
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + " ..."


# ---------------------------------------------------------------------------------------------- the process


class Channel:
    """The two ends of the protocol, on file descriptors of their own."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self.source = source
        self.sink = sink

    def read_line(self) -> bytes:
        """One line as bytes, b"" at the end; a line beyond the limit is swallowed and answered as malformed."""
        line = self.source.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = self.source.readline(LONGEST_LINE)
            raise Malformed(f"a line beyond {LONGEST_LINE} bytes")
        return line

    def write(self, answer: Message) -> None:
        self.sink.write(json.dumps(answer, separators=(",", ":")).encode("ascii") + b"\n")
        self.sink.flush()


def _address_space() -> int:
    """The bytes of address space that this process has; 0 where nobody tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _most_address_space() -> float:
    """Where a process ought to make way for another: when half of what its limit leaves it now is gone.

    Engines keep what a refused call has taken; then the calls behind it fail for want of memory, which is none of theirs.
    """
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if limit == resource.RLIM_INFINITY else (_address_space() + limit) / 2


def take_over_standard_streams() -> Channel:
    """Moves the protocol to private descriptors: whatever an engine prints goes to standard error from here on."""
    source, sink = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.stdout.flush()
    os.dup2(2, 1)
    faulthandler.enable()
    threading.Thread(target=_end_unheard, args=(sink,), daemon=True).start()
    return Channel(os.fdopen(source, "rb"), os.fdopen(sink, "wb"))


def _end_unheard(sink: int) -> None:
    """Ends the process when nobody can read its answers any more: the runner may have been killed while the engine was
    at work, on a call that takes all memory perhaps."""
    watch = select.poll()
    watch.register(sink, 0)  # told without being asked for: the other end of a pipe is closed
    watch.poll()
    os._exit(1)


def poison_of(call: Call) -> tuple[int, int]:
    """Two fill patterns: for what lies outside operands, and for outputs. They change places when a call is asked again,
    so its two answers differ in them, whichever process gave them."""
    return (0x5A, 0xA5) if call.asked_before else (0xA5, 0x5A)


def perturb_memory(pattern: int = 0x5A) -> None:
    """Has the C library fill memory that it gives out or takes back, so that elements never written, or read outside an
    operand, do not look right by the luck of a zero. Without glibc nothing happens."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(-6, pattern)  # M_PERTURB


def require(*requirements: str, remedy: str | None = None, extra: str | None = None) -> Any:
    """Imports packages named as for pip ("onnx==1.23.2"); a missing one ends the process with a line that says so, and
    the remedy: to install them with pip, if it is not another. An extra is installed by its name: of the wheel, which has the
    command beside this module, by pip; in the source tree by tools/setup.sh."""
    if extra:
        of_wheel = os.path.exists(os.path.join(os.path.dirname(__file__), "bin", "gathercheck"))
        remedy = f"{sys.executable} -m pip install 'gathercheck[{extra}]'" if of_wheel else f"tools/setup.sh {extra}"
    modules = []
    for requirement in requirements:
        package = requirement.split("==")[0]
        try:
            modules.append(importlib.import_module(package))
        except ImportError as error:
            packages = [name for name in requirements if "." not in name.split("==")[0]]  # no modules of packages
            how = remedy or f"{sys.executable} -m pip install {' '.join(packages)}"
            script = os.path.basename(sys.argv[0])
            print(f"{script}: the package {package} cannot be imported ({error}); remedy: {how}", file=sys.stderr)
            sys.exit(MISSING_PACKAGE)
    return modules[0] if len(modules) == 1 else modules


@contextlib.contextmanager
def engine_at_work(verdict: Callable[[Exception], Exception]) -> Iterator[None]:
    """Whatever is raised inside came from the engine: `verdict(exception)` makes it a Rejected or an Unsupported.

    Only calls of the engine belong inside, so that a fault of the adapter is never taken for a rejection.
    """
    try:
        yield
    except (Rejected, Unsupported, UnsafeMemory):
        raise
    except Exception as error:
        raise verdict(error) from error


class BuiltModels(Generic[Model]):
    """The models built last. Every `anew_every`-th reuse builds again, so that reuse cannot hide a fault; but the calls of
    a sequence, which share a number, all get the model that the first of them built."""

    def __init__(self, capacity: int = 512, anew_every: int = 16) -> None:
        self.capacity = capacity
        self.anew_every = anew_every
        self._models: collections.OrderedDict[str, Model] = collections.OrderedDict()
        self._sequence: tuple[int, Model] | None = None  # number, model
        self._reuses = 0

    def of(self, call: Call, build: Callable[[], Model]) -> Model:
        """The model for a call: the one of its sequence, or one built for an equal call before, or a new one."""
        if call.model is None:
            return self.get(call.model_key(), build)
        if self._sequence is None or self._sequence[0] != call.model:
            self._sequence = None
            self._sequence = (call.model, build())
        return self._sequence[1]

    def get(self, key: str, build: Callable[[], Model]) -> Model:
        if key in self._models:
            self._reuses += 1
            if self._reuses % self.anew_every:
                self._models.move_to_end(key)
                return self._models[key]
        model = self._models[key] = build()
        self._models.move_to_end(key)
        while len(self._models) > self.capacity:
            self._models.popitem(last=False)
        return model

    def forget(self, call: Call) -> None:
        """After a rejection, whose model may be in doubt. Not within a sequence: there just that is asked."""
        if call.model is None:
            self._models.pop(call.model_key(), None)


def is_apart() -> bool:
    """Whether this process is one that run_apart() started."""
    return os.environ.get("GATHERCHECK_APART") == "1"


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a killed worker leaves no child behind


def run_apart(call: Call) -> Tensor:
    """Answers one call in a process of its own: for calls after which this process could not be trusted any more.

    When that process dies, this one dies the same way, so that the death is recorded for the call.
    """
    message = {
        "message": "run",
        "seq": call.seq,
        "operator": call.operator,
        "route": {"operands": call.operands, "shapes": call.shapes, "axis": call.axis},
        "attributes": call.attributes,
        "inputs": {name: _encode_tensor(tensor) for name, tensor in call.inputs.items()},
    }
    child = subprocess.run(
        [sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]],
        input=(json.dumps(message) + "\n").encode("ascii"),
        stdout=subprocess.PIPE,
        env={**os.environ, "GATHERCHECK_APART": "1"},
        preexec_fn=_die_with_parent,
        check=False,
    )
    if child.returncode < 0:
        faulthandler.disable()
        signal.signal(-child.returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -child.returncode)
    if child.returncode != 0 or not child.stdout:
        os._exit(child.returncode or 1)
    answer = json.loads(child.stdout)
    if "rejected" in answer:
        rejected = answer["rejected"]
        raise Rejected(rejected["message"], rejected.get("phase"), rejected.get("category"))
    if "unsupported" in answer:
        raise Unsupported(answer["unsupported"])
    if "unsafe" in answer:
        raise UnsafeMemory(answer["unsafe"])
    if "output" not in answer:
        raise RuntimeError(answer.get("broken", "no answer from the process of its own"))
    return _decode_tensor("output", answer["output"], contents_needed=True)


# ---------------------------------------------------------------------------------------------- claims
#
# What an adapter claims it has from its engine: each legal element type is tried in a smallest legal call. What is taken
# is claimed, whatever values it gives; what is refused is listed under "not_implemented", with the engine's words.

DEFAULT_ROUTE: Route = ("runtime", "static", "constant")


def routes(
    operands: Sequence[str] = ("runtime", "constant", "folded"),
    shapes: Sequence[str] = ("static", "dynamic"),
    axes: Sequence[str] = ("constant",),
) -> list[Route]:
    """Routes as (operands, shapes, axis), the default first: folded operands have no shapes to be unknown, and the axis
    is given at run time with run-time operands only."""
    return [
        (how, known, axis)
        for how in operands
        for known in shapes
        for axis in axes
        if not (how == "folded" and known == "dynamic") and not (how != "runtime" and axis == "runtime")
    ]


# The attributes that a smallest legal call cannot do without.
SMALLEST_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "torch.index_select": {"axis": 0},
    "torch.gather": {"axis": 0},
    "stablehlo.gather": {
        "offset_dims": [],
        "collapsed_slice_dims": [0],
        "operand_batching_dims": [],
        "start_indices_batching_dims": [],
        "start_index_map": [0],
        "index_vector_dim": 1,
        "slice_sizes": [1],
    },
}


def smallest_call(operator: str, data: str = "f32", indices: str = "i64", route: Route = DEFAULT_ROUTE) -> Call:
    """A legal call of one element: index 0 of a list of one."""

    def of(name: str, shape: tuple[int, ...]) -> Tensor:
        entry = ELEMENT_TYPES[name]
        if name == "string":
            return Tensor(entry, shape, strings=["a"])
        return Tensor(entry, shape, raw=bytes(byte_length(entry, 1)))

    inputs = {"data": of(data, (1,)), "indices": of(indices, (1, 1) if "gathernd" in operator.lower() else (1,))}
    if operator.startswith("openvino.Gather-") or operator == "tensorflow.GatherV2":
        inputs["axis"] = of("i64", ())
    operands, shapes, axis = route
    return Call(1, operator, SMALLEST_ATTRIBUTES.get(operator, {}), inputs, operands, shapes, axis)


# What of the claims is tried in one call: operator version, types of data and indices, route.
_Key = tuple[str, str, str, Route]
# None (taken), the kind of a refusal and the engine's words, or False: the process has ended over it.
_Outcome = Optional[Union[list[str], Literal[False]]]
_Refused = dict[_Key, list[str]]  # kinds and words
_Dialogue = Generator[list[_Key], _Outcome, _Refused]


def words_of(error: BaseException, longest: int = 160) -> str:
    """The last line of what an engine says: what comes before it is where. Numbers of nodes differ from call to call."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    text = re.sub(r"(?<=[A-Za-z])_[0-9]+\b", "", lines[-1])
    return text if len(text) <= longest else text[:longest] + " ..."


def _dialogue(groups: Iterable[list[_Key]]) -> _Dialogue:
    """Yields groups of calls to be tried together, and is sent the outcome. What ended the process is taken: that is for
    the run to show."""
    refused: _Refused = {}
    suspects: set[tuple[str, str]] = set()
    for group in groups:
        alone = [key for key in group if key[1:3] in suspects]
        stack = [[key] for key in alone] + [[key for key in group if key not in alone]]
        while stack:
            tried = stack.pop()
            outcome = (yield tried) if tried else None
            if outcome is None:
                continue
            if len(tried) > 1:
                half = len(tried) // 2
                stack += [tried[half:], tried[:half]]
            elif outcome:
                refused[tried[0]] = outcome
                if tried[0][3] == DEFAULT_ROUTE:
                    suspects.add(tried[0][1:3])
    return refused


def _held(groups: list[list[_Key]], outcomes: list[_Outcome]) -> tuple[_Dialogue, list[_Key]] | _Refused:
    """A dialogue after the outcomes so far: (the dialogue, what is to be tried next), or what it returns at its end."""
    dialogue = _dialogue(groups)
    try:
        tried = next(dialogue)
        for outcome in outcomes:
            tried = dialogue.send(outcome)
    except StopIteration as end:
        refused: _Refused = end.value
        return refused
    return dialogue, tried


def _refusals(groups: list[list[_Key]], take: Callable[[list[Call]], object], seconds: int = 30) -> _Refused:
    """What the engine refuses. A process of its own asks it: an engine that dies or hangs over a
    type, or writes where it should not, leaves this one as it is."""
    outcomes: list[_Outcome] = []
    while not isinstance(held := _held(groups, outcomes), dict):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _die_with_parent()
                faulthandler.disable()
                _ask(held, take, writer, seconds)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "r") as lines:
            outcomes += [json.loads(line) for line in lines if line.endswith("\n")]
        os.waitpid(child, 0)
        if not isinstance(_held(groups, outcomes), dict):
            outcomes.append(False)
    return held


def _ask(held: tuple[_Dialogue, list[_Key]], take: Callable[[list[Call]], object], writer: int, seconds: int) -> None:
    dialogue, tried = held
    while True:
        signal.alarm(seconds)
        outcome: _Outcome = None
        try:
            take([smallest_call(*key) for key in tried])
        except (Rejected, Unsupported) as error:
            outcome = [type(error).__name__, words_of(error)]
        except Exception:  # a fault of the adapter, which the run shows
            pass
        os.write(writer, json.dumps(outcome).encode() + b"\n")
        try:
            tried = dialogue.send(outcome)
        except StopIteration:
            return


# What is claimed or refused: operator version, types of data and indices, routes, and the engine's words.
_Cell = tuple[str, tuple[str, str], Sequence[Route], Optional[str]]


class Asked:
    """What an engine takes of `operators`, by the routes that routes_of(operator) lists, the default first.

    `take(calls)` builds the calls, and runs them where the engine refuses only then; it raises Rejected or Unsupported.
    An engine of which building is slow gets `together` calls at once. Each type of data is tried with indices of i64, each
    type of indices with data of f32, strings with all; each other route with f32 and i64, for all types.
    """

    def __init__(
        self,
        operators: Iterable[str],
        routes_of: Callable[[str], Sequence[Route]],
        take: Callable[[list[Call]], object],
        together: int = 1,
    ) -> None:
        self.operators, self.routes_of = list(operators), routes_of
        self.take, self.together = take, together

    def all(self) -> list[Message]:
        """Claims of everything, without asking: for a process that is not the first."""
        taken = {
            operator: [(d, i) for d in LEGAL_TYPES[operator][0] for i in LEGAL_TYPES[operator][1]] for operator in self.operators
        }
        return self._entries((o, pair, self.routes_of(o), None) for o, pairs in taken.items() for pair in pairs)

    def answers(self) -> tuple[list[Message], list[Message]]:
        """The lists of claims and of what is not implemented."""
        refused = _refusals([group for operator in self.operators for group in self._groups(operator)], self.take)
        claims: list[_Cell] = []
        refusals: list[_Cell] = []
        for operator in self.operators:
            data_types, index_types = LEGAL_TYPES[operator]
            by_route = {route: self._by_route(refused, operator, route) for route in self.routes_of(operator)}
            for data in data_types:
                for indices in index_types:
                    why = self._why(refused, operator, data, indices)
                    if why:
                        refusals.append((operator, (data, indices), [DEFAULT_ROUTE], why))
                        continue
                    claims.append((operator, (data, indices), [r for r in by_route if not by_route[r]], None))
                    for route in by_route:
                        if by_route[route]:
                            refusals.append((operator, (data, indices), [route], by_route[route]))
        return self._entries(claims), self._entries(refusals)

    @staticmethod
    def _why(refused: _Refused, operator: str, data: str, indices: str) -> str | None:
        pairs = [(data, indices)] if data == "string" else [(data, "i64"), ("f32", indices)]
        words = [refused.get((operator, *pair, DEFAULT_ROUTE), (None, None))[1] for pair in pairs]
        return words[0] or words[-1]

    @staticmethod
    def _by_route(refused: _Refused, operator: str, route: Route) -> str | None:
        """A route is not implemented where the engine says so: any other refusal of a type that is taken is a failure."""
        kind, words = refused.get((operator, "f32", "i64", route), (None, None))
        return words if kind == Unsupported.__name__ and route != DEFAULT_ROUTE else None

    def _groups(self, operator: str) -> list[list[_Key]]:
        data_types, index_types = LEGAL_TYPES[operator]
        pairs = [(data, "i64") for data in data_types if data != "string"]
        pairs += [("f32", indices) for indices in index_types if indices != "i64"]
        keys = [(operator, *pair, DEFAULT_ROUTE) for pair in pairs]
        strings = [(operator, "string", indices, DEFAULT_ROUTE) for indices in sorted(index_types, key=lambda name: name[1:])]
        others = [(operator, "f32", "i64", route) for route in self.routes_of(operator) if route != DEFAULT_ROUTE]
        return [part[k : k + self.together] for part in (keys, strings, others) for k in range(0, len(part), self.together)]

    @staticmethod
    def _entries(cells: Iterable[_Cell]) -> list[Message]:
        """Cells of (operator, types, routes, words) as few objects of a hello."""
        indices_of: dict[tuple[str, str | None, str, str, str], dict[str, list[str]]] = {}
        for operator, (data, index_type), ways, why in cells:
            for operands, known, axis in ways:
                indices_of.setdefault((operator, why, operands, axis, data), {}).setdefault(index_type, []).append(known)
        products: dict[tuple[Any, ...], list[str]] = {}
        for (operator, why, operands, axis, data), by_indices in indices_of.items():
            for shapes in dict.fromkeys(tuple(found) for found in by_indices.values()):
                indices = tuple(name for name, found in by_indices.items() if tuple(found) == shapes)
                products.setdefault((operator, why, operands, axis, shapes, indices), []).append(data)
        merged: dict[tuple[Any, ...], list[str]] = {}
        for (operator, why, operands, axis, shapes, indices), types in products.items():
            merged.setdefault((operator, why, axis, shapes, indices, tuple(types)), []).append(operands)
        entries: dict[tuple[Any, ...], list[str]] = {}
        for (operator, why, axis, shapes, indices, types), modes in merged.items():
            entries.setdefault((why, axis, shapes, indices, types, tuple(modes)), []).append(operator)
        return [
            {
                "operators": operators,
                "data": list(data),
                "indices": list(indices),
                "operands": list(operands),
                "shapes": list(shapes),
                "axis": [axis],
                **({"why": why} if why else {}),
            }
            for (why, axis, shapes, indices, data, operands), operators in entries.items()
        ]


class Adapter(Protocol):
    """What every adapter has; the head of this module says what else it may have."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...


class _Worker:
    def __init__(self, channel: Channel, adapter: Adapter) -> None:
        self.channel = channel
        self.adapter: Any = adapter  # with what of the optional it has
        self.calls: collections.OrderedDict[int, Call] = collections.OrderedDict()  # by seq, of those asked last, for `reproduce`
        self.most_address_space = math.inf

    def hello(self, restart: bool = False) -> Message:
        self.most_address_space = _most_address_space()
        adapter = self.adapter
        asked = getattr(adapter, "asked", None)
        if asked is None:
            claims, refusals = adapter.claims, getattr(adapter, "not_implemented", [])
        elif restart:  # what the first process said holds
            claims, refusals = asked.all(), []
        else:
            claims, refusals = asked.answers()
        implementation = {
            "name": adapter.name,
            "version": adapter.version,
            "language": "python",
            "device": getattr(adapter, "device", "cpu"),
        }
        if getattr(adapter, "witness", False):
            implementation["witness"] = True
        if hasattr(adapter, "build"):
            implementation["build"] = adapter.build
        return {
            "message": "hello",
            "protocol": PROTOCOL,
            "implementation": implementation,
            "claims": claims,
            "not_implemented": refusals,
            "answers": [kind for kind in ("describe", "run") if getattr(adapter, kind, None)],
            "features": [
                *(["reproduce"] if getattr(adapter, "reproduce", None) else []),
                *(["models"] if getattr(adapter, "keeps_models", False) else []),
                *(["unsafe"] if getattr(adapter, "reports_unsafe", False) else []),
            ],
        }

    def answer(self, message: Message) -> Message:
        kind = message.get("message")
        if kind == "run":
            if not getattr(self.adapter, "run", None):
                raise Unsupported("this worker describes calls and does not run them")
            call = _decode_call(message, contents_needed=True)
            self.remember(call)
            return {"output": _encode_tensor(self.adapter.run(call))}
        if kind == "describe":
            if not getattr(self.adapter, "describe", None):
                raise Unsupported("this worker does not describe calls")
            call = _decode_call(message, contents_needed=False)
            self.remember(call)
            descriptor = self.adapter.describe(call)
            shape = None if descriptor.shape is None else list(descriptor.shape)
            return {"descriptor": {"type": descriptor.type.name, "shape": shape}}
        if kind == "reproduce":
            if not getattr(self.adapter, "reproduce", None):
                raise Unsupported("this worker writes no reproducers")
            # The call may be repeated in the message: a worker that was restarted has not seen it.
            if "operator" in message:
                call = _decode_call(message, contents_needed=False)
            elif message["seq"] in self.calls:
                call = self.calls[message["seq"]]
            else:
                raise Unsupported(f"the call {message['seq']} is not remembered")
            source = self.adapter.reproduce(call, str(message.get("language", "python")))
            if not isinstance(source, Source):
                return {"source": source}
            return {"source": source.text, **({"command": source.command} if source.command else {})}
        raise Malformed(f"unknown message {_shortened(repr(kind))}")

    def remember(self, call: Call, most: int = 256, largest: int = 1 << 20) -> None:
        if sum(len(tensor.raw or "") for tensor in call.inputs.values()) <= largest:
            self.calls[call.seq] = call
        while len(self.calls) > most:
            self.calls.popitem(last=False)

    def guarded(self, message: Message) -> Message:
        """The answer to a message with a seq; never raises."""
        seq = message["seq"]
        try:
            return {"seq": seq, **self.answer(message)}
        except Rejected as rejection:
            rejected = {"message": _shortened(rejection)}
            if rejection.phase is not None:
                rejected["phase"] = rejection.phase
            if rejection.category is not None:
                rejected["category"] = rejection.category
            return {"seq": seq, "rejected": rejected}
        except Unsupported as reason:
            return {"seq": seq, "unsupported": _shortened(reason)}
        except UnsafeMemory as what:
            return {"seq": seq, "unsafe": _shortened(what)}
        except Malformed as fault:
            return {"seq": seq, "broken": f"malformed message: {_shortened(fault)}"}
        except KeyboardInterrupt:
            raise
        except BaseException as fault:  # some bindings raise outside Exception
            traceback.print_exc()
            place = traceback.extract_tb(fault.__traceback__)[-1]
            where = f"{os.path.basename(place.filename)}:{place.lineno}"
            return {"seq": seq, "broken": _shortened(f"{type(fault).__name__} at {where}: {fault}")}

    def step(self) -> bool:
        """Reads one message and answers it; False when there will be no more."""
        try:
            line = self.channel.read_line()
            if not line:
                return False
            if not line.strip():
                return True
            try:
                message = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                raise Malformed(f"not JSON ({error})") from None
            if not isinstance(message, dict):
                raise Malformed("not an object")
            if message.get("message") == "hello":
                self.channel.write(self.hello(message.get("restart") is True))
                return True
            if message.get("message") == "goodbye":
                return False
            if not _is_integer(message.get("seq")):
                raise Malformed("no seq")
            answer = self.guarded(message)
            if self.most_address_space < math.inf and _address_space() > self.most_address_space:
                answer["restart"] = True
        except (Malformed, MemoryError) as fault:
            answer = {"broken": f"malformed message: {_shortened(fault) or type(fault).__name__}"}
        self.channel.write(answer)
        return True


def serve(channel: Channel, adapter: Adapter) -> NoReturn:
    """Answers messages until goodbye or the end of the input."""
    worker = _Worker(channel, adapter)
    try:
        while worker.step():
            pass
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    sys.stderr.flush()
    os._exit(0)  # the static destructors of some engines do not survive an orderly exit
