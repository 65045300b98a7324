# SPDX-License-Identifier: Apache-2.0
# check(): reports of right functions, wrong ones, and such that are no gathers.
import json

import gathercheck
import gathers
import numpy
import pytest
from conftest import CASES

FEW = {"operator": "onnx.Gather-13", "data": ["f32"], "indices": ["i64"], "cases": CASES, "filter": "case=policy-gather-*"}
ONE = {**FEW, "filter": "case=policy-gather-minus-1"}


def check(function, **options):
    return gathercheck.check(function, **{**FEW, **options})


def test_a_right_function_conforms():
    report = gathercheck.check(gathers.right, operator="onnx.Gather-13")
    assert report.ok, report
    assert report.counts["pass"] > 1500 and not report.failures and not report.diagnosis
    assert str(report).startswith("right: conforms: ")
    report.raise_for_failures()


def test_a_wrong_one_does_not():
    report = check(gathers.clamping)
    assert not report.ok and report.counts["fail"] == len(report.failures) > 3
    first = next(result for result in report.failures if result.failure == "wrong value")
    assert first.element is not None and first.got is not None and first.treatment.startswith("clamp")
    assert "indices out of bounds are clamped to the range" in report.diagnosis and report.diagnosis in str(report)
    assert f"{first.call.case} for onnx.Gather-13" in str(report)
    assert "  accepted what must be rejected  index_out_of_bounds  onnx.gather-13.indices.error\n" in str(report)
    with pytest.raises(gathercheck.Failed, match="does not conform"):
        report.raise_for_failures()


def test_a_long_tensor_is_shown_by_its_ends():
    (result,) = check(lambda data, indices, axis=0: numpy.zeros((9, 9, 9, 9), "f4"), **ONE).results
    lines = result.lines()
    assert "  got: float32 [9, 9, 9, 9]" in lines and len(lines) < 40 and all(line.strip() for line in lines)
    (result,) = check(lambda data, indices, axis=0: numpy.zeros((9, 9), "f4"), filter="case=policy-gather-size").results
    assert "  got: float32 [9, 9] 0.0 0.0 0.0 0.0 0.0 0.0 ..." in result.lines()


@pytest.mark.parametrize(
    "gather, failure, detail",
    [
        ("as_double", "wrong type", "expected element type f32, got f64"),
        ("one_row_more", "wrong shape", "expected shape [3, 2], got [1, 3, 2]"),
        ("without_negatives", "wrong value", "element 2 of [3, 2]: expected 21, got 1"),
        ("as_list", "wrong type", "returned a list, which is no array; return one of numpy, or what becomes one"),
        ("rejecting_all", "rejected what must be accepted", "expected an output, got rejected: ValueError: no"),
    ],
)
def test_a_failure_says_what_is_wrong(gather, failure, detail):
    (result,) = check(getattr(gathers, gather), **ONE).results
    assert result.is_failure and result.failure == failure and result.detail == detail


def test_what_is_no_array_is_judged_as_an_answer(tmp_path):
    report = check(gathers.as_list, filter="case=policy-gather-*")
    assert "crash" not in report.counts and {result.failure for result in report.failures} == {"wrong type"}

    def list_of_anything(data, indices, axis=0):
        return []

    accepted = [result for result in check(list_of_anything).failures if result.call.expected.must_be_rejected]
    assert accepted and {result.failure for result in accepted} == {"accepted what must be rejected"}
    report.write_known_failures(tmp_path / "known.json", reason="it returns lists")
    again = check(gathers.as_list, known_failures=tmp_path / "known.json")
    assert not again.failures and again.counts["known failure"] == len(report.failures)


@pytest.mark.parametrize(
    "gather, options, text",
    [
        (
            lambda data, indices: data,
            {},
            r"\(data, indices\) cannot be called as \(data, indices, axis=\.\.\.\), as .* and \d+ more must be",
        ),
        (
            lambda data, indices: data,
            {},
            """got an unexpected keyword argument 'axis'; give .*, or let it take the whole Call: takes="call"$""",
        ),
        (lambda data, indices, dim=0: data, {"isolate": True}, "got an unexpected keyword argument 'axis'"),
        (lambda data, indices, axis, mode: data, {}, "missing a required .*argument: 'mode'"),
        (
            lambda data, indices: data,
            {"takes": "call"},
            r"cannot be called as \(call\), .*: missing .*'indices'; give it one parameter, the Call",
        ),
    ],
)
def test_a_signature_that_does_not_take_the_calls_is_refused_once(gather, options, text):
    with pytest.raises(gathercheck.Error, match=text):
        check(gather, **options)


def test_a_signature_may_leave_out_what_only_wrong_calls_give():
    assert check(lambda data, indices, axis=0: gathers.right(data, indices, axis), filter="case=gather-a*").ok
    assert check(lambda *operands, **attributes: gathers.right(*operands, **attributes)).ok


def test_what_rejects_all_passes_nothing():
    report = check(gathers.rejecting_all)
    assert "pass" not in report.counts and not report.ok and report.counts["unsupported"] > 3


def test_what_is_unsupported_throughout_does_not_conform():
    def never(data, indices, axis=0):
        raise NotImplementedError

    report = check(never)
    assert set(report.counts) == {"unsupported"} and not report.ok and "nothing passed" in str(report)


def test_known_failures_are_written_and_hold(tmp_path):
    report = check(gathers.clamping)
    report.write_known_failures(tmp_path / "known.json", reason="it clamps")
    again = check(gathers.clamping, known_failures=tmp_path / "known.json")
    assert again.ok and again.counts["known failure"] == len(report.failures)
    assert again.known_failures("new")["failures"] == json.loads((tmp_path / "known.json").read_text())["failures"]
    fixed = check(gathers.right, known_failures=tmp_path / "known.json")
    assert not fixed.ok and len(fixed.fixed) == len(report.failures) and "known to fail, but passes" in str(fixed)


def test_a_call_rejected_for_its_types_says_nothing_of_bounds():
    report = gathercheck.check(numpy.take, operator="onnx.Gather-13", data="f32", filter="case=gather-index-type-*")
    assert report.failures and not any("index out of bounds" in result.headline for result in report.failures)


def test_a_known_failure_of_no_call_is_reported(tmp_path):
    known = check(gathers.clamping).known_failures("it clamps")
    known["failures"][0]["route"]["operands"] = "folded"
    (tmp_path / "known.json").write_text(json.dumps(known))
    report = check(gathers.clamping, known_failures=tmp_path / "known.json")
    assert len(report.failures) == len(report.unmatched) == 1 and report.unmatched[0] in str(report)
    report.results = [result for result in report.results if not result.is_failure]
    assert not report.ok


def test_a_category_is_judged():
    def wrong_words(data, indices, axis=0):
        try:
            return gathers.right(data, indices, axis)
        except IndexError as error:
            raise gathercheck.Rejected(str(error), category="axis_out_of_range") from error

    assert {result.failure for result in check(wrong_words).failures} == {"wrong error"}


def test_a_function_may_take_the_call():
    def gather(call):
        assert isinstance(call, gathercheck.Call) and call.operator == "onnx.Gather-13"
        return gathers.right(call.data, call.indices, **call.attributes)

    assert check(gather, takes="call").ok


def test_an_axis_that_is_an_operand_comes_by_keyword():
    axes = []

    def gather(data, indices, axis):
        axes.append(axis)
        return numpy.take(data, indices, axis=axis)

    options = {"data": "f32", "indices": "i64", "other_types": False, "filter": "case=gather-axis-*", "cases": CASES}
    gathercheck.check(gather, operator="openvino.Gather-1", **options)
    scalars = [axis for axis in axes if type(axis) is int]
    others = [axis for axis in axes if type(axis) is not int]
    assert scalars and others and all(axis.ndim > 0 or axis.dtype.kind not in "iu" for axis in others)


def test_what_has_no_dtype_is_not_asked_unless_it_is_claimed():
    seen = set()

    def gather(call):
        seen.add(call.types["data"])
        return gathercheck.reference(call)

    options = {"operator": "onnx.Gather-13", "filter": "case=gather-zero-fill-*", "sweeps": "none", "takes": "call"}
    for claimed in ([], ["u1", "nf4"]):
        seen.clear()
        report = gathercheck.check(gather, data=["f32", *claimed], indices="i64", **options)
        assert not report.failures and report.counts["unsupported"] > 0
        assert seen & {"u1", "u3", "u6", "nf4"} == set(claimed)


def test_scalars_of_numpy_are_arrays():
    def gather(data, indices, axis=0):
        return gathers.right(data, indices, axis)[()]

    assert check(gather, filter="case=gather-scalar-*", cases=()).ok


def test_a_function_of_strings_and_of_bits():
    def gather(data, indices, axis=0):
        return numpy.take(data, indices, axis=axis)

    for kind in ("string", "u3", "u4", "boolean"):
        operator = "openvino.Gather-1"
        report = gathercheck.check(gather, operator=operator, data=kind, indices="i32", sweeps="none", filter=f"type={kind}")
        wrong = [result for result in report.failures if result.call.expected.array is not None]
        assert report.counts["pass"] > 0 and not wrong, report


def test_deaths_are_verdicts():
    report = gathercheck.check(gathers.deadly, **{**ONE, "filter": "case=gather-axis-vector-*"}, isolate=True)
    assert set(report.counts) >= {"crash"} and "ended by an exit with code 7" in str(report)


def test_own_cases(tmp_path):
    case = {
        "id": "mine",
        "title": "one row",
        "why": "it is mine",
        "axis": 0,
        "inputs": {
            "data": {"type": "f32", "shape": [2, 1], "values": [1, 2]},
            "indices": {"type": "i64", "shape": [1], "values": [1]},
        },
        "expect": [
            {
                "for": ["onnx.Gather-13"],
                "rules": ["onnx.gather-13.semantics.single-axis"],
                "output": {"type": "f32", "shape": [1, 1], "values": [2]},
            }
        ],
    }
    (tmp_path / "mine.json").write_text(json.dumps({"cases": [case]}), encoding="utf-8")
    report = gathercheck.check(gathers.right, operator="onnx.Gather-13", cases=[tmp_path / "mine.json"])
    assert [result.call.case for result in report.results] == ["mine"] and report.ok


def test_an_operator_of_webnn_is_asked_by_its_own_rules():
    def gather(data, indices, axis=0):
        if not 0 <= axis < data.ndim or indices.dtype.kind == "f":
            raise ValueError
        size = data.shape[axis]
        at = numpy.where(indices < 0, indices.astype("i8") + size, indices)
        return numpy.take(data, at.clip(0, size - 1).astype("i8"), axis) if data.size else numpy.take(data, at, axis)

    report = gathercheck.check(gather, operator="webnn.gather", data="f32", other_types=False)
    assert report.ok and report.counts["pass"] > 100, report
    report = gathercheck.check(gathers.right, operator="webnn.gather", data="f32", other_types=False)
    assert {rule.id for result in report.failures for rule in result.call.rules} == {"webnn.gather.axis.range"}


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"operator": "onnx.Gather-99"}, ValueError, "no operator version is 'onnx.Gather-99'"),
        ({"data": "f33"}, ValueError, "'f33' is no element type"),
        ({"indices": "i8"}, ValueError, "onnx.Gather-13 has no indices of i8; it has i32, i64"),
        ({"data": "u1"}, ValueError, "onnx.Gather-13 has no data of u1; it has "),
        ({"filter": "case=no-such-case"}, gathercheck.Error, "matches no case"),
        ({"filter": "colour=blue"}, gathercheck.Error, "colour"),
        ({"sweeps": "some"}, gathercheck.Error, "sweeps"),
        ({"known_failures": "no-such-file.json"}, gathercheck.Error, "no-such-file.json"),
        ({"takes": "all"}, ValueError, "takes is 'operands' or 'call'"),
    ],
)
def test_what_is_not_understood_is_refused(options, error, text):
    with pytest.raises(error, match=text):
        check(gathers.right, **options)
