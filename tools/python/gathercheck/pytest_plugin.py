# SPDX-License-Identifier: Apache-2.0
# The pytest plug-in: items of suites, and how their failures are shown.
from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

if TYPE_CHECKING:
    from ._calls import Call
    from ._examine import Result
    from ._suite import Suite

_suites: pytest.StashKey[list[Suite]] = pytest.StashKey()
_diagnoses: pytest.StashKey[dict[str, str]] = pytest.StashKey()
_result: pytest.StashKey[Result] = pytest.StashKey()
_claimed: pytest.StashKey[bool] = pytest.StashKey()
_failures: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()

SHOWN_IN_FULL = 3  # failures of each kind


class ItemFailed(AssertionError):
    """The function under test failed a call."""


class KnownFailureSeen(AssertionError):
    """It failed it just so as its known-failure file says."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_suites] = []
    config.stash[_diagnoses] = {}
    config.stash[_failures] = []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    suite: Suite | None = getattr(metafunc.function, "gathercheck_suite", None)
    if suite is None:
        return
    from ._calls import Error

    opened = metafunc.config.stash[_suites]
    if suite not in opened:
        opened.append(suite)
    try:
        selection = suite.examination.selection
    except (Error, ValueError) as error:
        raise pytest.Collector.CollectError(f"gathercheck: {error}") from None
    parameters = []
    for call in selection.calls:
        marks = []
        if call.known is not None:
            strict = "pass" not in call.known.outcomes
            marks.append(pytest.mark.xfail(raises=KnownFailureSeen, strict=strict, reason=call.known.reason))
        parameters.append(pytest.param(call, id=suite.item_name(call), marks=marks))
    if selection.unmatched:
        parameters.append(pytest.param(None, id="known_failures"))
    metafunc.parametrize("gathercheck_call", parameters)


def run_item(suite: Suite, call: Call | None, item: pytest.Item) -> None:
    """Asks the function one call; returns where it passes. Without a call it fails for known failures that are of none."""
    __tracebackhide__ = True
    if call is None:
        pytest.fail("\n".join(["known failures of no call", *suite.examination.selection.unmatched]), pytrace=False)
    result = suite.examination.result(call)
    if result.verdict == "unspecified":
        pytest.skip(f"unspecified: {call.expected.unspecified}; {result.treatment or result.detail}")
    if result.verdict == "unsupported":
        pytest.skip(f"unsupported: {result.detail}")
    if result.verdict in ("pass", "fixed"):
        return
    item.stash[_result] = result
    item.stash[_claimed] = suite.is_claimed(call)
    if result.verdict == "known failure":
        raise KnownFailureSeen(result.headline)
    if result.error is not None:
        raise result.error
    raise ItemFailed(result.headline)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, None]:
    """Shows the call, and what was expected of it, in place of frames of this package."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    result = item.stash.get(_result, None)
    if result is None or call.when != "call" or not report.failed or call.excinfo is None:
        return
    from ._examine import group_of

    # Attributes of plain values come along from a worker of pytest-xdist.
    if result.is_failure:
        group = group_of(result)
        label = item.obj.gathercheck_suite.options.label  # type: ignore[attr-defined]
        said = {"name": label, "group": [group.kind, group.expected, group.rule], "claimed": item.stash[_claimed]}
        report.gathercheck = {**said, "headline": result.headline, "repeat": f"pytest '{item.nodeid}'"}  # type: ignore[attr-defined]
    title = f"{result.call.case} for {result.call.operator}: {result.call.title}"
    text = "\n".join([title, *result.lines(f"pytest '{item.nodeid}'")])
    if result.error is not None and call.excinfo.value is result.error:
        report.sections.append(("gathercheck", text))  # below the traceback of the function
        return
    path, line, _ = item.location
    report.longrepr = _shown(text, path, (line or 0) + 1, result.headline)


def _shown(text: str, path: str, line: int, headline: str) -> ReprExceptionInfo:
    traceback = ReprTraceback([ReprEntryNative([text + "\n"])], None, style="native")
    return ReprExceptionInfo(reprtraceback=traceback, reprcrash=ReprFileLocation(path, line, headline))


class Shortener:
    """Leaves the first failures of each kind in full, and of the others a line, where the reports of all items come together."""

    def __init__(self, config: pytest.Config) -> None:
        self._failures = config.stash[_failures]
        self._in_full = config.get_verbosity() >= 2

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        failure: dict[str, Any] | None = getattr(report, "gathercheck", None)
        if failure is None:
            return
        self._failures.append(failure)
        if self._in_full or sum(one["group"][:2] == failure["group"][:2] for one in self._failures) <= SHOWN_IN_FULL:
            return
        path, line, _ = report.location
        report.longrepr = _shown(f"{failure['headline']}; repeat: {failure['repeat']}", path, (line or 0) + 1, failure["headline"])
        report.sections = [section for section in report.sections if section[0] != "gathercheck"]


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Shortener(session.config), "gathercheck_shortener")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Ends the processes of all suites."""
    config = session.config
    diagnoses = config.stash[_diagnoses]
    for suite in config.stash[_suites]:
        text = suite.close()
        if text:
            diagnoses[suite.options.label] = text
    config.stash[_suites].clear()
    if hasattr(config, "workeroutput"):
        config.workeroutput["gathercheck"] = diagnoses


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what a worker of pytest-xdist found."""
    found = getattr(node, "workeroutput", {}).get("gathercheck", {})
    node.config.stash[_diagnoses].update(found)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> Generator[None, None, None]:
    """Says what the failures have in common, and what explains them, below all else."""
    yield
    diagnoses, failures = config.stash[_diagnoses], config.stash[_failures]
    if not diagnoses and not failures:
        return
    from ._examine import Group, other_types_text, table_of

    terminalreporter.section("gathercheck")
    if failures:
        for line in table_of([Group(*failure["group"]) for failure in failures]):
            terminalreporter.line(line)
    for name in sorted({failure["name"] for failure in failures}):
        of_it = [failure for failure in failures if failure["name"] == name]
        text = other_types_text(name, sum(not failure["claimed"] for failure in of_it), len(of_it))
        if text:
            terminalreporter.line(text)
    for name, text in diagnoses.items():
        terminalreporter.line(f"{name}: {text}")
