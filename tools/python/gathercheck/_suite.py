# SPDX-License-Identifier: Apache-2.0
# A suite: a test function that pytest makes one item a call of.
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ._calls import Call, Names, PathLike, Types
from ._examine import Examination, Options
from ._function import REJECTS, UNSUPPORTED, Exceptions

if TYPE_CHECKING:
    import pytest


class Suite:
    """What a test function carries: the options, and once pytest asks for items the examination."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._examination: Examination | None = None

    @property
    def examination(self) -> Examination:
        if self._examination is None:
            self._examination = Examination(self.options)
        return self._examination

    def item_name(self, call: Call) -> str:
        return f"{call.operator}:{call.case}" if len(self.examination.selection.operators) > 1 else call.case

    def is_claimed(self, call: Call) -> bool:
        """Whether its element types are claimed."""
        return self.examination.selection.claims(call._message["inputs"])

    def close(self) -> str:
        examination, self._examination = self._examination, None
        return examination.close() if examination is not None else ""


def suite(
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
) -> Callable[..., None]:
    """A test function for pytest, one item a case and operator version. Entries of the known failures that are of no item are
    the failure of one more.

    function        called as function(data, indices, axis=..., batch_dims=...) with numpy arrays: operands by position, by
                    keyword what the call gives of attributes, and OpenVINO's axis; returns an array
    operator        an operator version, a pattern ("onnx.Gather-*"), or a list of them
    data, indices   element types that are claimed ("f32", numpy.float32); by default those of numpy itself, and i32 and i64
    sweeps          "sample", "all" or "none" of the sweeps
    filter          terms as of `gathercheck run --filter`: "case=gather-axis-*", "type=f32", "rule=..."
    cases           files of cases in place of the shipped ones
    known_failures  a known-failure file: what it lists is expected to fail, just so
    takes           "operands", or "call": the function gets the Call alone
    rejects         exceptions by which the function rejects a call; gathercheck.Rejected always does
    unsupported     exceptions by which it says that it cannot be asked that: the item is skipped
    isolate         call it in a process of its own: a death, or no answer in `time_limit` seconds, is a failed item
    other_types     False leaves out calls that must be rejected in element types that are not claimed
    name, version   of what is tested, for known failures
    """
    tested = Suite(Options(**locals()))

    def test(gathercheck_call: Call | None, request: pytest.FixtureRequest) -> None:
        __tracebackhide__ = gathercheck_call is not None  # where there is none the message alone is shown
        from .pytest_plugin import run_item

        run_item(tested, gathercheck_call, request.node)

    carrier: Any = test
    carrier.gathercheck_suite = tested
    test.__doc__ = f"{getattr(function, '__qualname__', function)} as {operator}"
    return test
