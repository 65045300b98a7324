# SPDX-License-Identifier: Apache-2.0
# The pytest plug-in: items, failures, known failures, processes of their own.
import importlib.util
import json

import pytest
from conftest import CASES, INSTALLED

FEW = f'operator="onnx.Gather-13", data=["f32"], indices=["i64"], cases={CASES!r}'
PLUGIN = [] if INSTALLED else ["-p", "gathercheck.pytest_plugin"]


@pytest.fixture
def run(pytester):
    """Runs pytest on a file that makes a suite of a gather of gathers.py."""

    def run_with(gather, *arguments, options="", filter="case=gather-axis-*"):
        pytester.makepyfile(
            test_it=f"""
import gathercheck, gathers
test_gather = gathercheck.suite(gathers.{gather}, {FEW}, filter={filter!r}{options})
"""
        )
        return pytester.runpytest_subprocess(*PLUGIN, *arguments)

    return run_with


def counts(result):
    return {key: count for key, count in result.parseoutcomes().items() if key != "warnings"}


def test_a_right_function_passes(run):
    result = run("right", "-v")
    found = counts(result)
    assert result.ret == 0 and found["passed"] > 20 and set(found) <= {"passed", "skipped"}, found
    result.stdout.fnmatch_lines(["*test_it.py::test_gather?gather-axis-vector-axis-0? PASSED*"])


def test_k_chooses_by_case(run):
    assert counts(run("right", "-k", "gather-axis-vector-axis-0"))["passed"] == 1


def test_several_operators_are_in_the_ids(pytester):
    pytester.makepyfile(
        test_it="""
import gathercheck, gathers
test_gather = gathercheck.suite(gathers.right, operator="onnx.Gather-1*", data="f32", filter="case=policy-gather-minus-1")
"""
    )
    result = pytester.runpytest_subprocess(*PLUGIN, "-v", "-k", "onnx.Gather-13:policy")
    result.stdout.fnmatch_lines(["*test_gather?onnx.Gather-13:policy-gather-minus-1?*", "*1 passed, 2 deselected*"])


def test_a_planted_bug_is_found_and_shown(run):
    result = run("without_negatives", filter="case=policy-gather-minus-1")
    assert result.ret == 1 and counts(result)["failed"] == 1
    result.stdout.fnmatch_lines(
        [
            "policy-gather-minus-1 for onnx.Gather-13: *",
            "  wrong value: element 2 of ?3, 2?: expected 21, got 1*",
            "  data: f32 ?11, 2?",
            "  indices: i64 ?3? ?1 -1 -2?",
            "  axis: 0",
            "  expected: f32 ?3, 2?",
            "*>21.0< 22.0*",
            "  got: float32 ?3, 2?",
            "*>1.0< 2.0*",
            "  first wrong element: ?1, 0?",
            "  rule onnx.gather-13.indices.negative: A negative index counts from the end*",
            "  repeat: pytest 'test_it.py::test_gather?policy-gather-minus-1?'",
            "  why: gathercheck explain 'policy-gather-minus-1' --for onnx.Gather-13",
            "FAILED test_it.py::test_gather?policy-gather-minus-1? - wrong value*",
        ]
    )


def test_what_explains_the_failures_is_said(run):
    run("clamping", filter="type=f32").stdout.fnmatch_lines(["clamping: *indices out of bounds are clamped to the range*"])


def test_the_end_says_what_failures_have_in_common(run):
    result = run("clamping", filter="case=policy-gather-*")
    last = [
        "FAILED *",
        "=* gathercheck =*",
        "failures  what happened *expected *rule",
        "*accepted what must be rejected  index_out_of_bounds  onnx.gather-13.indices.error",
        "clamping: *indices out of bounds are clamped to the range*",
        "* failed*",
    ]
    result.stdout.fnmatch_lines(last)
    assert result.outlines[-2].startswith("clamping: ") and " failed" in result.outlines[-1]


def test_three_failures_of_a_kind_are_shown_in_full(run):
    result = run("clamping", filter="case=policy-gather-*")
    text, failed = result.stdout.str(), counts(result)["failed"]
    kinds = [line for line in text.splitlines() if "  onnx.gather-13." in line and line.lstrip()[0].isdigit()]
    assert failed > text.count("  why: gathercheck explain") <= 3 * len(kinds)
    assert text.count("repeat: pytest") == failed and "\n\n\n" not in text
    result.stdout.fnmatch_lines(["accepted what must be rejected: *; repeat: pytest 'test_it.py::test_gather?policy-*?'"])
    assert run("clamping", "-vv", filter="case=policy-gather-*").stdout.str().count("  why: gathercheck explain") == failed


def test_failures_of_other_types_are_counted(run):
    result = run("of_any_type", filter="case=*type*")
    failed = counts(result)["failed"]
    said = f"{failed} of the {failed} failures are of element types that of_any_type does not claim; "
    said += "other_types=False leaves them out"
    result.stdout.fnmatch_lines([said])
    assert "failed" not in counts(run("of_any_type", filter="case=*type*", options=", other_types=False"))


def test_lf_repeats_what_failed(run):
    first = counts(run("without_negatives", "--lf", filter="case=policy-gather-*"))
    again = counts(run("without_negatives", "--lf", filter="case=policy-gather-*"))
    assert 0 < first["failed"] < first["passed"] + first["failed"]
    assert again["failed"] == first["failed"] and "passed" not in again


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pytest-xdist")
def test_xdist_shares_the_items_out(run):
    alone = run("clamping", filter="case=policy-gather-*")
    shared = run("clamping", "-n", "2", filter="case=policy-gather-*")
    assert counts(shared) == counts(alone) and counts(alone)["failed"] > 3
    shared.stdout.fnmatch_lines(["  wrong value: *", "clamping: *"])


def known(pytester, outcomes, operands="runtime", versions="*"):
    entry = {
        "case": "policy-gather-minus-1",
        "operator": "onnx.Gather-13",
        "route": {"operands": operands, "shapes": "static"},
        "outcomes": outcomes,
        "reason": "planted",
    }
    content = {"implementation": "it", "versions": versions, "failures": [entry]}
    (pytester.path / "known.json").write_text(json.dumps(content), encoding="utf-8")
    return ', known_failures="known.json"'


def test_a_known_failure_is_expected(run, pytester):
    options = known(pytester, ["wrong value"])
    result = run("without_negatives", "-rx", filter="case=policy-gather-minus-1", options=options)
    assert result.ret == 0 and counts(result) == {"xfailed": 1}
    result.stdout.fnmatch_lines(["XFAIL *policy-gather-minus-1*"])
    assert "planted" in result.stdout.str()


def test_a_known_failure_that_is_gone_fails(run, pytester):
    result = run("right", filter="case=policy-gather-minus-1", options=known(pytester, ["wrong value"]))
    assert result.ret == 1 and counts(result) == {"failed": 1}
    result.stdout.fnmatch_lines(["*XPASS(strict)*planted*"])


def test_another_outcome_than_the_known_one_fails(run, pytester):
    result = run("as_double", filter="case=policy-gather-minus-1", options=known(pytester, ["wrong value"]))
    assert counts(result) == {"failed": 1}
    result.stdout.fnmatch_lines(["  wrong type: expected element type f32, got f64"])


def test_a_known_failure_of_no_item_fails_one_more(run, pytester):
    options = known(pytester, ["wrong value"], operands="folded")
    result = run("right", filter="case=policy-gather-minus-1", options=options)
    assert result.ret == 1 and counts(result) == {"passed": 1, "failed": 1}
    result.stdout.fnmatch_lines(
        [
            "known failures of no call",
            "*known.json: /failures/0: case policy-gather-minus-1 is not run for onnx.Gather-13 by route folded/static; *",
            "FAILED test_it.py::test_gather?known_failures? - Failed: known failures of no*",
        ]
    )
    result.stdout.no_fnmatch_line("*traceback*")
    result = run("right", "-k", "minus-1", filter="case=policy-gather-minus-1", options=options)
    assert result.ret == 0 and counts(result) == {"passed": 1, "deselected": 1}


def test_a_known_failure_that_the_filter_leaves_out_is_no_failure(run, pytester):
    options = known(pytester, ["wrong value"])
    assert counts(run("right", filter="case=policy-gather-minus-size", options=options)) == {"passed": 1}


def test_known_failures_of_another_version_are_not_applied_which_is_said(run, pytester):
    options = known(pytester, ["wrong value"], versions="2.*") + ', version="1.0"'
    result = run("right", filter="case=policy-gather-minus-1", options=options)
    assert counts(result) == {"passed": 1}
    result.stdout.fnmatch_lines(["*known.json are about versions 2.?; this is '1.0': they are not applied*"])


def test_an_exception_that_is_no_rejection_is_a_failure_with_its_traceback(run):
    result = run("raising", filter="case=policy-gather-minus-1")
    assert counts(result) == {"failed": 1}
    result.stdout.fnmatch_lines(
        ['>*raise ZeroDivisionError("planted")', "E*ZeroDivisionError: planted", "*crash: raised ZeroDivisionError*"]
    )
    result.stdout.no_fnmatch_line("*_function.py*")


def test_exceptions_that_reject_are_said(run):
    found = counts(run("raising", filter="case=policy-gather-minus-1", options=", rejects=(ZeroDivisionError,)"))
    assert found == {"failed": 1}
    found = counts(run("raising", filter="case=policy-gather-minus-1", options=", unsupported=(ZeroDivisionError,)"))
    assert found == {"skipped": 1}


def test_what_is_not_implemented_and_what_is_unspecified_is_skipped(run):
    result = run("of_vectors", "-rs", filter="case=gather-a*")
    assert {"passed", "skipped"} <= set(counts(result))
    result.stdout.fnmatch_lines(["SKIPPED*unsupported: NotImplementedError: vectors only"])
    run("right", "-rs", filter="case=gather-attribute-*").stdout.fnmatch_lines(["SKIPPED*unspecified: *"])


def test_the_session_survives_deaths_and_hangs(run):
    result = run("deadly", filter="case=gather-axis-*", options=", isolate=True, time_limit=0.5")
    found = counts(result)
    assert found["failed"] > 4 and found["passed"] > 4, found
    for text in ("ended by SIGABRT", "ended by SIGSEGV", "ended by an exit with code 7", "timeout: no answer in 0.5 s"):
        result.stdout.fnmatch_lines([f"*{text}*"])
    result.stdout.fnmatch_lines(["*File*gathers.py*, line * in deadly*"])


def test_a_class_has_suites_too(pytester):
    pytester.makepyfile(
        test_it=f"""
import gathercheck, gathers
class TestGathers:
    test_gather = staticmethod(gathercheck.suite(gathers.right, {FEW}, filter="case=policy-gather-minus-1"))
"""
    )
    assert counts(pytester.runpytest_subprocess(*PLUGIN)) == {"passed": 1}


def test_a_signature_that_does_not_fit_fails_once(run):
    result = run("without_axis")
    assert counts(result) == {"errors": 1}
    result.stdout.fnmatch_lines(
        ['*gathercheck: without_axis(data, indices) cannot be called as (data, indices, axis=...), *takes="call"*']
    )


def test_a_suite_that_is_refused_says_why(run):
    result = run("right", filter="case=no-such-case")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*matches no case*"])
