# SPDX-License-Identifier: Apache-2.0
# The calls of cases, with what is expected of them.
from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import json
import os
import pathlib
import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Union

import numpy

from . import _arrays, command
from .worker import LEGAL_TYPES

Names = Union[str, Sequence[str]]
Types = Union[_arrays.TypeName, Iterable[_arrays.TypeName]]
PathLike = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """The command refuses what was asked of it, or is not there."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """A numbered statement of a specification."""

    id: str
    statement: str


@dataclasses.dataclass(frozen=True, eq=False)
class Output:
    """An output that is right. `array` is None where the case states type and shape alone."""

    type: str
    shape: tuple[int, ...]
    array: numpy.ndarray[Any, Any] | None


@dataclasses.dataclass(frozen=True, eq=False)
class Expected:
    """What a call must lead to: one of the alternatives, outputs or categories of rejections, of which the suite's own reading
    comes first. None: no sentence decides, and `unspecified` says why."""

    alternatives: tuple[Output | str, ...] = ()
    unspecified: str | None = None

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(one for one in self.alternatives if isinstance(one, Output))

    @property
    def rejections(self) -> tuple[str, ...]:
        """The categories of the rejections that are right."""
        return tuple(one for one in self.alternatives if isinstance(one, str))

    @property
    def array(self) -> numpy.ndarray[Any, Any] | None:
        """The first output's array, if there is one."""
        return self.outputs[0].array if self.outputs else None

    @property
    def must_be_rejected(self) -> bool:
        return bool(self.alternatives) and not self.outputs

    def __str__(self) -> str:
        if self.unspecified is not None:
            return f"unspecified: {self.unspecified}"
        parts = [f"the rejection {one}" if isinstance(one, str) else f"{one.type} {list(one.shape)}" for one in self.alternatives]
        return " or ".join(parts)


@dataclasses.dataclass(frozen=True)
class KnownFailure:
    """What a known-failure file says of a call."""

    outcomes: tuple[str, ...]
    reason: str
    finding: str = ""


class Call:
    """One call of a case for an operator version, with what is expected of it."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    @property
    def seq(self) -> int:
        """Its number in this list of calls."""
        return int(self._message["seq"])

    @property
    def operator(self) -> str:
        return str(self._message["operator"])

    @property
    def case(self) -> str:
        """The id of the case; empty for a control, which is called for the sake of others."""
        return str(self._message.get("case", ""))

    @property
    def title(self) -> str:
        return str(self._message.get("title", ""))

    @property
    def attributes(self) -> dict[str, Any]:
        """As they are written in the model; absent ones have the specification's defaults."""
        return dict(self._message["attributes"])

    @property
    def types(self) -> dict[str, str]:
        """The element types of the operands, by their names."""
        return {name: str(tensor["type"]) for name, tensor in self._message["inputs"].items()}

    @property
    def operands(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Fresh arrays of the operands by their names: data, indices, for OpenVINO's Gather axis; others are surplus."""
        return {name: _arrays.decode(tensor) for name, tensor in self._message["inputs"].items()}

    @property
    def data(self) -> numpy.ndarray[Any, Any] | None:
        """A fresh array; None where the call lacks it."""
        return self._operand("data")

    @property
    def indices(self) -> numpy.ndarray[Any, Any] | None:
        """A fresh array; None where the call lacks it."""
        return self._operand("indices")

    @property
    def expected(self) -> Expected:
        return _expected(self._message.get("expect", {}))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those that the case rests on."""
        return tuple(Rule(rule["id"], rule["statement"]) for rule in self._message.get("rules", ()))

    @property
    def known(self) -> KnownFailure | None:
        """What the known-failure file says of it."""
        known = self._message.get("known")
        if known is None:
            return None
        return KnownFailure(tuple(known["outcomes"]), known["reason"], known.get("finding", ""))

    @property
    def control(self) -> int | None:
        """The number of its control, the nearest legal call: a rejection shows something only where that passes."""
        return self._message.get("control")

    def _operand(self, name: str) -> numpy.ndarray[Any, Any] | None:
        tensor = self._message["inputs"].get(name)
        return None if tensor is None else _arrays.decode(tensor)

    def __repr__(self) -> str:
        return f"<Call {self.case or 'control'} for {self.operator}>"


def _expected(said: dict[str, Any]) -> Expected:
    if "unspecified" in said:
        return Expected(unspecified=said["unspecified"])
    alternatives: list[Output | str] = []
    for one in said.get("either", [said] if said else []):
        if "error" in one:
            alternatives.append(one["error"])
            continue
        tensor = one["output"]
        known = "base64" in tensor or "values" in tensor
        alternatives.append(Output(tensor["type"], tuple(tensor["shape"]), _arrays.decode(tensor) if known else None))
    return Expected(tuple(alternatives))


def operators(wanted: Names) -> list[str]:
    """Operator versions of names or patterns, "onnx.Gather-*", in the order of the suite."""
    patterns = [wanted] if isinstance(wanted, str) else list(wanted)
    for pattern in patterns:
        if not fnmatch.filter(LEGAL_TYPES, pattern):
            raise ValueError(f"no operator version is {pattern!r}; there are {', '.join(LEGAL_TYPES)}")
    return [name for name in LEGAL_TYPES if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def run(arguments: Sequence[str]) -> str:
    """What the command prints. Its warnings become such of Python."""
    try:
        done = subprocess.run([str(command.program()), *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Error(f"the gathercheck command does not start: {error}") from error
    if done.returncode != 0:
        raise Error(done.stderr.strip().replace("gathercheck: ", "", 1) or f"exit code {done.returncode}")
    for line in done.stderr.splitlines():
        if line.startswith("gathercheck: "):
            warnings.warn(line, stacklevel=2)
    return done.stdout


class Selection:
    """The calls of some operator versions and element types, as a list that answers can be judged by."""

    def __init__(
        self,
        operator: Names,
        data: Types | None = None,
        indices: Types | None = None,
        sweeps: str = "sample",
        filter: str | Sequence[str] = (),
        cases: PathLike | Sequence[PathLike] = (),
        known_failures: PathLike | None = None,
        name: str = "function",
        version: str = "",
        other_types: bool = True,
    ) -> None:
        self.operators = operators(operator)
        legal = [LEGAL_TYPES[each] for each in self.operators]
        self.data = _arrays.type_names(data) if data is not None else list(_arrays.OF_NUMPY)
        every = sorted({kind for _, kinds in legal for kind in kinds})
        usual: list[str] = [kind for kind in ("i32", "i64") if kind in every]
        self.indices = _arrays.type_names(indices) if indices is not None else usual
        illegal = [kind for kind in self.indices if kind not in every]
        if illegal or not any(kind in kinds for kinds, _ in legal for kind in self.data):
            names = ", ".join(self.operators)
            of_data = sorted({kind for kinds, _ in legal for kind in kinds})
            what = f"indices of {', '.join(illegal)}" if illegal else f"data of {', '.join(self.data)}"
            raise ValueError(f"{names} has no {what}; it has {', '.join(every if illegal else of_data)}")
        self.known_failures = None if known_failures is None else os.path.abspath(known_failures)
        self.name, self._folder = name, tempfile.TemporaryDirectory(prefix="gathercheck-")
        folder = pathlib.Path(self._folder.name)
        claim = {"operators": self.operators, "data": self.data, "indices": self.indices}
        implementation = {"name": name, "version": version, "language": "python"}
        hello = {"message": "hello", "protocol": 1, "implementation": implementation, "claims": [claim]}
        (folder / "hello.json").write_text(json.dumps(hello), encoding="utf-8")
        self.file = folder / "calls.jsonl"
        arguments = ["calls", "--expectations", "--sweeps", sweeps, "--claims", str(folder / "hello.json")]
        arguments += ["--output", str(self.file)]
        for path in [cases] if isinstance(cases, (str, os.PathLike)) else cases:
            arguments += ["--cases", os.path.abspath(path)]
        for each in self.operators:
            arguments += ["--filter", f"operator={each}"]
        for term in [filter] if isinstance(filter, str) else filter:
            arguments += ["--filter", term]
        if self.known_failures is not None:
            arguments += ["--known-failures", self.known_failures]
        run(arguments)
        self.calls: list[Call] = []
        self.controls: dict[int, Call] = {}
        self.unmatched: list[str] = []  # entries of the known failures that are of none of the calls, and why
        with open(self.file, encoding="utf-8") as lines:
            for line in lines:
                message = json.loads(line)
                if "case" in message and (other_types or self.claims(message["inputs"])):
                    self.calls.append(Call(message))
                elif "case" not in message and "seq" in message:
                    self.controls[message["seq"]] = Call(message)
                elif message["message"] == "goodbye":
                    self.unmatched = message.get("unmatched", [])

    def claims(self, inputs: dict[str, Any]) -> bool:
        """Whether the element types of a call are claimed."""
        claimed = {"data": self.data, "indices": self.indices}
        return all(tensor["type"] in claimed.get(name, [tensor["type"]]) for name, tensor in inputs.items())

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._folder.cleanup()


def cases(
    operator: Names,
    *,
    data: Types | None = None,
    indices: Types | None = None,
    sweeps: str = "sample",
    filter: str | Sequence[str] = (),
    cases: PathLike | Sequence[PathLike] = (),
    other_types: bool = True,
) -> Iterator[Call]:
    """The calls of some operator versions, with what is expected of each.

    `operator` is a name, a pattern ("onnx.Gather-*") or a list of them; `data` and `indices` are element types ("f32",
    numpy.float32), by default those that numpy itself has but strings, and i32 and i64. Calls that must be rejected come in
    other types, too, unless `other_types` is False. `sweeps` is "sample", "all" or "none"; `filter` holds terms as of
    `gathercheck run --filter`; `cases` names files of cases in place of the shipped ones.
    """
    selection = Selection(operator, data, indices, sweeps, filter, cases, other_types=other_types)
    selection.close()
    yield from selection.calls
