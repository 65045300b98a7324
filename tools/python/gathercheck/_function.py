# SPDX-License-Identifier: Apache-2.0
# Calls a function under test, and makes of what it does an answer of the protocol.
from __future__ import annotations

import collections
import dataclasses
import inspect
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from . import _arrays
from ._calls import Call
from .worker import Rejected, Unsupported

Exceptions = tuple[type[BaseException], ...]
# Wrong values, wrong indices, wrong types and unknown keywords, and integers that a C long does not hold.
REJECTS: Exceptions = (ValueError, IndexError, TypeError, OverflowError)
UNSUPPORTED: Exceptions = (NotImplementedError,)


@dataclasses.dataclass
class Answer:
    """What the function did: a form of the protocol, and more of it for people."""

    message: dict[str, Any]
    error: BaseException | None = None  # that it raised unasked; not from another process
    traceback: str = ""
    no_array: str = ""  # what it returned that is no array; a death to the judge, which knows arrays only

    @property
    def array(self) -> numpy.ndarray[Any, Any] | None:
        output = self.message.get("output")
        return None if output is None else _arrays.decode(output)


@dataclasses.dataclass(frozen=True)
class Function:
    """The function under test, and how it is called: operands by position, attributes by keyword, or the whole Call."""

    function: Callable[..., object]
    takes: str = "operands"
    rejects: Exceptions = REJECTS
    unsupported: Exceptions = UNSUPPORTED
    claimed: frozenset[str] = frozenset()  # element types

    def __post_init__(self) -> None:
        if self.takes not in ("operands", "call"):
            raise ValueError(f"takes is 'operands' or 'call', not {self.takes!r}")

    @property
    def _says_unsupported(self) -> Exceptions:
        return (Unsupported, *self.unsupported)

    @property
    def _says_rejected(self) -> Exceptions:
        return (Rejected, *self.rejects)

    def answer(self, call: Call) -> Answer:
        """Calls the function once."""
        __tracebackhide__ = True
        why = self._not_expressible(call)
        if why:
            return Answer({"unsupported": why})
        positional, keywords = ([call], {}) if self.takes == "call" else _arguments(call)
        try:
            result = self.function(*positional, **keywords)
        except self._says_unsupported as error:
            return Answer({"unsupported": _text(error)})
        except self._says_rejected as error:
            rejected = {"message": _text(error)}
            for key in ("category", "phase"):
                if isinstance(error, Rejected) and getattr(error, key):
                    rejected[key] = getattr(error, key)
            return Answer({"rejected": rejected})
        except (Exception, SystemExit) as error:
            return Answer({"crash": f"raised {_text(error)}"}, error, traceback.format_exc())
        try:
            return Answer({"output": _arrays.encode(result, call.types.get("data"))})
        except _arrays.NoTensor as error:
            return Answer({"crash": str(error)}, no_array=str(error))

    def misfit(self, calls: Iterable[Call]) -> str:
        """Why its signature does not take calls that it must accept, and what to do; empty where it does, or has none to ask."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):
            return ""
        faults: collections.Counter[str] = collections.Counter()
        first: dict[str, Call] = {}
        known: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
        for call in calls:
            if not call.expected.outputs or call.expected.rejections or self._not_expressible(call):
                continue
            positional, keywords = (("call",), ()) if self.takes == "call" else _argument_names(call)
            key = (positional, keywords)
            if key not in known:
                known[key] = _bind_fault(signature, positional, keywords)
            if known[key]:
                faults[known[key]] += 1
                first.setdefault(known[key], call)
        if not faults:
            return ""
        fault, count = faults.most_common(1)[0]
        call = first[fault]
        positional, keywords = (("call",), ()) if self.takes == "call" else _argument_names(call)
        asked = ", ".join([*positional, *(f"{name}=..." for name in keywords)])
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        others = f" and {count - 1} more" if count > 1 else ""
        advice = "give it one parameter, the Call"
        if self.takes != "call":
            advice = (
                "give it these parameters, as in def gather(data, indices, axis=0), or wrap it in a function that has them, or "
            )
            advice += 'let it take the whole Call: takes="call"'
        return f"{name}{signature} cannot be called as ({asked}), as {call.case}{others} must be: {fault}; {advice}"

    def _not_expressible(self, call: Call) -> str:
        """Why a function of arrays and keywords cannot be asked that."""
        for name, kind in call.types.items():
            if not _arrays.has_dtype(kind) and kind not in self.claimed:
                return f"numpy has no dtype for {name} of type {kind}"
        if self.takes == "call":
            return ""
        is_operand = {"data", "indices"} | ({"axis"} if call.operator.startswith("openvino.Gather-") else set())
        for name in call.types:
            if name not in is_operand and name in ("axis", "batch_dims"):
                return f"a keyword does not tell a surplus operand {name} from the attribute"
        return ""


def _arguments(call: Call) -> tuple[list[Any], dict[str, Any]]:
    """data and indices by position; by keyword what is behind a missing one, axis, attributes and surplus operands."""
    operands = call.operands
    positional: list[Any] = []
    for name in ("data", "indices"):
        if name not in operands:
            break
        positional.append(operands.pop(name))
    axis = operands.get("axis")
    keywords: dict[str, Any] = dict(operands)
    if axis is not None and axis.ndim == 0 and axis.dtype.kind in "iu":
        keywords["axis"] = int(axis)
    return positional, {**keywords, **call.attributes}


def _argument_names(call: Call) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same without the arrays: the names of what comes by position, and by keyword."""
    operands = list(call.types)
    positional = [name for name in ("data", "indices") if name in operands]
    if positional == ["indices"]:
        positional = []
    return tuple(positional), tuple(name for name in [*operands, *call.attributes] if name not in positional)


def _bind_fault(signature: inspect.Signature, positional: tuple[str, ...], keywords: tuple[str, ...]) -> str:
    try:
        signature.bind(*positional, **dict.fromkeys(keywords))
    except TypeError as error:
        return str(error)
    return ""


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
