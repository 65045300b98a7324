# SPDX-License-Identifier: Apache-2.0
# A function checked without pytest.
from __future__ import annotations

import collections
import json
from collections.abc import Callable, Sequence
from typing import Any

from ._calls import Names, PathLike, Types
from ._examine import Examination, Options, Result, group_of, other_types_text, table_of
from ._function import REJECTS, UNSUPPORTED, Exceptions


class Failed(AssertionError):
    """A function does not do what the specification says."""


class Report:
    """What became of all calls. `str()` tells the counts, each failure, and what explains them."""

    def __init__(
        self,
        name: str,
        results: Sequence[Result],
        diagnosis: str,
        unmatched: Sequence[str] = (),
        of_other_types: Sequence[Result] = (),
    ) -> None:
        self.name = name
        self.results: list[Result] = list(results)
        self.diagnosis = diagnosis
        self._of_other_types = set(of_other_types)  # of calls in element types that are not claimed
        self.unmatched = list(unmatched)  # known failures that are of none of the calls: their entries are to be removed

    @property
    def counts(self) -> dict[str, int]:
        """How many calls have each verdict."""
        return dict(collections.Counter(result.verdict for result in self.results))

    @property
    def failures(self) -> list[Result]:
        """What does not conform and is not known to."""
        return [result for result in self.results if result.is_failure]

    @property
    def fixed(self) -> list[Result]:
        """What passes although it is known to fail: its entry is to be removed."""
        return [result for result in self.results if result.verdict == "fixed"]

    @property
    def ok(self) -> bool:
        """Something passed, nothing failed, and the known failures are as they are written down."""
        return not (self.failures or self.fixed or self.unmatched) and self.counts.get("pass", 0) > 0

    def raise_for_failures(self) -> None:
        """Raises Failed, with the report as its text, where the function does not conform."""
        if not self.ok:
            raise Failed(str(self))

    def known_failures(self, reason: str, versions: str = "*") -> dict[str, Any]:
        """The failures, new ones and known ones, as the content of a known-failure file; `reason` is that of the new ones."""
        entries = []
        for result in self.results:
            if not result.is_failure and result.verdict != "known failure":
                continue
            known = result.call.known
            outcomes = list(known.outcomes) if known and not result.is_failure else [result.failure or result.verdict]
            entries.append(
                {
                    "case": result.call.case,
                    "operator": result.call.operator,
                    "route": {"operands": "runtime", "shapes": "static"},
                    "outcomes": outcomes,
                    "reason": result.reason or reason,
                }
            )
        return {"implementation": self.name, "versions": versions, "failures": entries}

    def write_known_failures(self, file: PathLike, reason: str, versions: str = "*") -> None:
        """Writes them to a file for `known_failures=`."""
        with open(file, "w", encoding="utf-8") as output:
            json.dump(self.known_failures(reason, versions), output, indent=2)
            output.write("\n")

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(self.counts.items(), key=lambda c: -c[1]))
        lines = [f"{self.name}: {'conforms' if self.ok else 'does not conform'}: {counts or 'no calls'}"]
        if "pass" not in self.counts and not self.failures and not self.fixed:
            lines.append("nothing passed")
        shown = 20
        for result in self.failures[:shown]:
            lines += ["", str(result)]
        if len(self.failures) > shown:
            lines += ["", f"and {len(self.failures) - shown} failures more"]
        lines += [f"known to fail, but passes: {result.call.case} for {result.call.operator}" for result in self.fixed]
        lines += self.unmatched
        if self.failures:
            lines += ["", *table_of([group_of(result) for result in self.failures])]
        of_other_types = sum(result in self._of_other_types for result in self.failures)
        lines += filter(None, [self.diagnosis, other_types_text(self.name, of_other_types, len(self.failures))])
        return "\n".join(lines)


def check(
    function: Callable[..., object],
    *,
    operator: Names,
    data: Types | None = None,
    indices: Types | None = None,
    sweeps: str = "sample",
    filter: str | Sequence[str] = (),
    cases: PathLike | Sequence[PathLike] = (),
    known_failures: PathLike | None = None,
    takes: str = "operands",
    rejects: Exceptions = REJECTS,
    unsupported: Exceptions = UNSUPPORTED,
    isolate: bool = False,
    time_limit: float = 10,
    name: str = "",
    version: str = "",
    other_types: bool = True,
) -> Report:
    """Asks a function every call of some operator versions, and reports what became of them. The options are those of
    `suite`."""
    examination = Examination(Options(**locals()))
    diagnosis = ""
    try:
        results = [examination.result(call) for call in examination.selection.calls]
    finally:
        diagnosis = examination.close()
    selection = examination.selection
    of_other_types = [result for result in results if not selection.claims(result.call._message["inputs"])]
    return Report(selection.name, results, diagnosis, selection.unmatched, of_other_types)
