# SPDX-License-Identifier: Apache-2.0
# Asks a function under test, and has its answers judged.
from __future__ import annotations

import collections
import dataclasses
import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from . import _arrays, command
from ._calls import Call, Error, Names, PathLike, Selection, Types
from ._function import REJECTS, UNSUPPORTED, Answer, Exceptions, Function
from ._isolate import IsolatedFunction

FAILURES = ("fail", "crash", "timeout", "broken")
LINES_OF_A_TENSOR = 12


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """What became of one call. `str()` tells it in full.

    `verdict` is "pass", "fail", "crash", "timeout", "known failure", "fixed" (a pass where a failure is known), "unsupported"
    or "unspecified" (no sentence decides); `failure` says of a fail what it is: "wrong value", "wrong shape", "wrong type",
    "accepted what must be rejected", "rejected what must be accepted", "wrong error".
    """

    call: Call
    verdict: str
    failure: str = ""
    detail: str = ""
    treatment: str = ""  # of an index out of bounds: "clamp", "zero", "wrap", ...; "value" where none is
    element: int | None = None  # flat position of the first wrong one
    got: numpy.ndarray[Any, Any] | None = None
    reason: str = ""  # of a known failure
    error: BaseException | None = None
    traceback: str = ""

    @property
    def is_failure(self) -> bool:
        return self.verdict in FAILURES

    @property
    def headline(self) -> str:
        """What happened, in a line."""
        what = self.failure or self.verdict
        shown = f" (index out of bounds: {self.treatment})" if self.treatment not in ("", "value", "other") else ""
        return f"{what}: {self.detail.splitlines()[0]}{shown}" if self.detail else what

    def __str__(self) -> str:
        return "\n".join([f"{self.call.case} for {self.call.operator}: {self.call.title}", *self.lines()])

    def lines(self, repeat: str = "") -> list[str]:
        """All that there is to say of it, below its title."""
        call, lines = self.call, [f"  {self.headline}"]
        for name, array in call.operands.items():
            lines += _tensor_lines(name, call.types[name], array)
        lines += [f"  {name}: {value!r}" for name, value in call.attributes.items()]
        expected = call.expected
        if expected.unspecified is not None:
            lines.append(f"  expected: anything, {expected.unspecified}")
        for k, one in enumerate(expected.alternatives):
            name = "or" if k else "expected"
            if isinstance(one, str):
                lines.append(f"  {name}: a rejection ({one})")
            elif one.array is None:
                lines.append(f"  {name}: {one.type} {list(one.shape)}")
            else:
                lines += _tensor_lines(name, one.type, one.array, None if k else self.element)
        if self.got is not None and expected.must_be_rejected:
            lines.append(_first_elements("got", self.got))
        elif self.got is not None:
            lines += _tensor_lines("got", "", self.got, self.element)
        if self.element is not None and self.got is not None:
            lines.append(f"  first wrong element: {_arrays.place(self.got.shape, self.element)}")
        lines += [f"  rule {rule.id}: {rule.statement}" for rule in call.rules]
        if self.reason:
            lines.append(f"  known: {self.reason}")
        if self.traceback and not (repeat and self.error):  # pytest shows it by itself
            lines += ["  " + line for line in self.traceback.rstrip().splitlines()]
        if repeat:
            lines.append(f"  repeat: {repeat}")
        lines.append(f"  why: gathercheck explain '{call.case}' --for {call.operator}")
        return lines


def _tensor_lines(name: str, kind: str, array: numpy.ndarray[Any, Any], marked: int | None = None) -> list[str]:
    head = f"  {name}: {kind or array.dtype} {list(array.shape)}"
    if array.size == 0:
        return [head]
    text = [line for line in _arrays.text_of(array, marked).splitlines() if line.strip()]
    if len(text) > LINES_OF_A_TENSOR:
        half = LINES_OF_A_TENSOR // 2
        shown = next((k for k, line in enumerate(text) if marked is not None and ">" in line), 0)
        middle = text[shown : shown + 1] if half <= shown < len(text) - half else []
        text = [*text[:half], " ...", *middle, *([" ..."] if middle else []), *text[-half:]]
    return [f"{head} {text[0]}"] if len(text) == 1 else [head, *("    " + line for line in text)]


def _first_elements(name: str, array: numpy.ndarray[Any, Any], most: int = 6) -> str:
    """A tensor that is not compared with any, in a line."""
    shown = " ".join(str(value) for value in array.reshape(-1)[:most])
    return f"  {name}: {array.dtype} {list(array.shape)}" + (f" {shown}" if shown else "") + (" ..." if array.size > most else "")


@dataclasses.dataclass(frozen=True)
class Group:
    """What failures have in common."""

    kind: str
    expected: str
    rule: str


def group_of(result: Result) -> Group:
    expected = result.call.expected
    wanted = (
        "anything"
        if expected.unspecified is not None
        else " or ".join(expected.rejections)
        if not expected.outputs
        else "an output"
    )
    rules = result.call.rules
    return Group(result.failure or result.verdict, wanted, rules[0].id if rules else "")


def table_of(groups: Sequence[Group], most: int = 10) -> list[str]:
    """The groups of failures with their counts, the greatest first."""
    counted = collections.Counter(groups).most_common()
    rows = [("failures", "what happened", "expected", "rule")]
    rows += [(str(count), group.kind, group.expected, group.rule) for group, count in counted[:most]]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = ["  ".join([row[0].rjust(widths[0]), row[1].ljust(widths[1]), row[2].ljust(widths[2]), row[3]]) for row in rows]
    rest = sum(count for _, count in counted[most:])
    return [*lines, *([f"{rest:>{widths[0]}}  of {len(counted) - most} groups more"] if rest else [])]


def other_types_text(name: str, of_other_types: int, failures: int) -> str:
    """What to do about failures of element types that are not claimed; empty where there are none."""
    if not of_other_types:
        return ""
    verb = "is" if of_other_types == 1 else "are"
    noun = "failure" if failures == 1 else "failures"
    said = f"{of_other_types} of the {failures} {noun} {verb} of element types that {name} does not claim"
    return f"{said}; other_types=False leaves them out"


class Judge:
    """The command that judges answers, one process for all calls of a selection."""

    def __init__(self, selection: Selection) -> None:
        arguments = [str(command.program()), "judge", "--calls", str(selection.file), "--answers", "-", "--each"]
        arguments += ["--implementation", selection.name]
        if selection.known_failures is not None:
            arguments += ["--known-failures", selection.known_failures]
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)

    def record(self, seq: int, answer: dict[str, Any]) -> dict[str, Any]:
        """The judge's line on an answer."""
        try:
            self._write({"seq": seq, **answer})
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        record: dict[str, Any] = json.loads(line) if line else {"error": self._last_words()}
        if "error" in record:
            raise Error(f"gathercheck judge: {record['error']}")
        return record

    def close(self) -> str:
        """Ends it; returns what explains the failures."""
        text = ""
        try:
            self._write({"message": "goodbye"})
            output, _ = self._process.communicate(timeout=60)
            for line in output.splitlines():
                text = json.loads(line).get("text", text)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._errors.close()
        return text

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self._process.stdin.flush()

    def _last_words(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip() or f"it ended with code {self._process.returncode}"


def _result_without_array(call: Call, what: str) -> Result:
    """The verdict on a function that returned something else."""
    failure = "accepted what must be rejected" if call.expected.must_be_rejected else "wrong type"
    if call.known is not None and failure in call.known.outcomes:
        return Result(call, "known failure", failure, what, reason=call.known.reason)
    return Result(call, "fail", failure, what)


@dataclasses.dataclass(frozen=True)
class Options:
    """What `suite` and `check` are asked for: their parameters, by the same names."""

    function: Callable[..., object]
    operator: Names
    data: Types | None = None
    indices: Types | None = None
    sweeps: str = "sample"
    filter: str | Sequence[str] = ()
    cases: PathLike | Sequence[PathLike] = ()
    known_failures: PathLike | None = None
    takes: str = "operands"
    rejects: Exceptions = REJECTS
    unsupported: Exceptions = UNSUPPORTED
    isolate: bool = False
    time_limit: float = 10
    name: str = ""
    version: str = ""
    other_types: bool = True

    @property
    def label(self) -> str:
        """The name of what is tested."""
        return self.name or getattr(self.function, "__qualname__", type(self.function).__name__)


class Examination:
    """A function, the calls that it is asked, and the judge of its answers."""

    def __init__(self, options: Options) -> None:
        self.selection = Selection(
            options.operator,
            options.data,
            options.indices,
            options.sweeps,
            options.filter,
            options.cases,
            options.known_failures,
            options.label,
            options.version,
            options.other_types,
        )
        claimed = frozenset(self.selection.data + self.selection.indices)
        function = Function(options.function, options.takes, options.rejects, options.unsupported, claimed)
        misfit = function.misfit(self.selection.calls)
        if misfit:
            self.selection.close()
            raise Error(misfit)
        self._isolated = IsolatedFunction(function, options.time_limit) if options.isolate else None
        self._ask: Callable[[Call], Answer] = self._isolated.answer if self._isolated else function.answer
        self._judge: Judge | None = None
        self._controls: dict[int, bool] = {}

    def result(self, call: Call) -> Result:
        """Asks the function, and judges its answer."""
        answer = self._ask(call)
        if "unsupported" in answer.message:
            return Result(call, "unsupported", detail=answer.message["unsupported"])
        if answer.no_array:
            return _result_without_array(call, answer.no_array)
        if "rejected" in answer.message and call.control is not None:
            self._ask_control(call.control)
        record = self._record(call.seq, answer)
        return Result(
            call,
            record["verdict"],
            record.get("failure", ""),
            record.get("detail", ""),
            record.get("class", ""),
            record.get("element"),
            answer.array,
            record.get("reason", ""),
            answer.error,
            answer.traceback,
        )

    def close(self) -> str:
        """Ends all processes; returns what explains the failures."""
        if self._isolated is not None:
            self._isolated.close()
        text = self._judge.close() if self._judge is not None else ""
        self._judge = None
        self.selection.close()
        return text

    def _ask_control(self, number: int) -> None:
        if number not in self._controls:
            answer = self._ask(self.selection.controls[number])
            self._controls[number] = bool(self._record(number, answer)["passed"])

    def _record(self, seq: int, answer: Answer) -> dict[str, Any]:
        if self._judge is None:
            self._judge = Judge(self.selection)
        return self._judge.record(seq, answer.message)
