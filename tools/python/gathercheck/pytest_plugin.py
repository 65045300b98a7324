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


class ItemFailed(AssertionError):
    """The function under test failed a call."""


class KnownFailureSeen(AssertionError):
    """It failed it just so as its known-failure file says."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_suites] = []
    config.stash[_diagnoses] = {}


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
    title = f"{result.call.case} for {result.call.operator}: {result.call.title}"
    text = "\n".join([title, *result.lines(f"pytest '{item.nodeid}'")])
    if result.error is not None and call.excinfo.value is result.error:
        report.sections.append(("gathercheck", text))  # below the traceback of the function
        return
    path, line, _ = item.location
    place = ReprFileLocation(path, (line or 0) + 1, result.headline)
    traceback = ReprTraceback([ReprEntryNative([text + "\n"])], None, style="native")
    report.longrepr = ReprExceptionInfo(reprtraceback=traceback, reprcrash=place)


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


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what explains the failures."""
    diagnoses = config.stash[_diagnoses]
    if diagnoses:
        terminalreporter.section("gathercheck")
    for name, text in diagnoses.items():
        terminalreporter.line(f"{name}: {text}")
