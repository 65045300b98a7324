# SPDX-License-Identifier: Apache-2.0
# cases(), reference(), and arrays of all element types.
import subprocess
import sys

import gathercheck
import gathers
import numpy
import pytest
from gathercheck import _arrays, worker


def by_case(**options):
    return {call.case: call for call in gathercheck.cases("onnx.Gather-13", sweeps="none", **options)}


def test_a_call_has_all_that_one_asks_for():
    call = by_case(data="float32", indices=[numpy.int64], filter="gather-index-one-past-the-end")["gather-index-one-past-the-end"]
    assert call.operator == "onnx.Gather-13" and call.title == "an index equal to the size of the axis is out of bounds"
    assert call.data.tolist() == [[1, 2], [3, 4], [5, 6]] and call.data.dtype == numpy.float32
    assert call.indices.tolist() == [3, 0] and call.attributes == {"axis": 0}
    assert call.expected.must_be_rejected and call.expected.rejections == ("index_out_of_bounds",)
    assert call.expected.array is None and call.expected.unspecified is None
    assert [rule.id for rule in call.rules] == ["onnx.gather-13.indices.error"] and call.rules[0].statement
    with pytest.raises(gathercheck.Rejected) as rejected:
        gathercheck.reference(call)
    assert rejected.value.category == "index_out_of_bounds"


def test_arrays_are_fresh():
    call = next(gathercheck.cases("onnx.Gather-13", filter="documented-onnx-gather-axis-0", sweeps="none"))
    call.data[:] = 0
    assert call.data.any()


def test_unspecified_calls_say_why():
    reasons = [call.expected.unspecified for call in by_case().values() if call.expected.unspecified]
    assert reasons and all(isinstance(reason, str) for reason in reasons)


def test_calls_in_other_types_may_be_left_out():
    def types(**options):
        return {call.types.get("data") for call in by_case(data="f32", indices="i64", **options).values()}

    assert types(other_types=False) <= {"f32", None} and len(types()) > 5


@pytest.mark.parametrize("operator", ["onnx.*", "openvino.*"])
def test_the_reference_answers_all_calls_as_expected(operator):
    kinds = list(worker.ELEMENT_TYPES)
    compared = 0
    for call in gathercheck.cases(operator, data=kinds, indices=["i32", "i64"], sweeps="none"):
        first = call.expected.alternatives[0] if call.expected.alternatives else None
        if isinstance(first, str):
            with pytest.raises(gathercheck.Rejected) as rejected:
                gathercheck.reference(call)
            assert rejected.value.category == first
        elif first is not None and first.array is not None:
            answer = gathercheck.reference(call)
            assert answer.dtype == first.array.dtype and answer.shape == first.array.shape
            assert answer.tolist() == first.array.tolist() if answer.dtype == object else answer.tobytes() == first.array.tobytes()
            compared += 1
    assert compared > 500


def test_the_reference_takes_arrays_and_lists():
    assert gathercheck.reference("onnx.Gather-13", [[1.5, 2], [3, 4]], [1, 0], axis=1).tolist() == [[2, 1.5], [4, 3]]
    assert gathercheck.reference("openvino.Gather-8", numpy.arange(6).reshape(2, 3), [5], axis=1).tolist() == [[0], [0]]
    with pytest.raises(gathercheck.Rejected, match="axis"):
        gathercheck.reference("onnx.Gather-13", numpy.ones((2, 2)), numpy.array([0]), axis=7)
    with pytest.raises(gathercheck.Unsupported):
        gathercheck.reference("onnx.Gather-99", [1], [0])


def test_a_right_gather_agrees_with_the_reference():
    data, indices = numpy.arange(24, dtype=numpy.int16).reshape(2, 3, 4), numpy.array([[0, -1], [2, 1]])
    assert (gathercheck.reference("onnx.Gather-13", data, indices, axis=1) == gathers.right(data, indices, 1)).all()


def tensor(kind):
    """Every bit pattern of a narrow type, and some of a wide one."""
    entry = worker.ELEMENT_TYPES[kind]
    if kind == "string":
        return {"type": kind, "shape": [3], "values": ["", "a\0", "ä"]}
    count = 2 if kind == "boolean" else min(1 << min(entry.bits, 8), 256)
    width = max(entry.bits // 8, 1)
    patterns = [bytes([(k * 7 + place * 13) & 0xFF for place in range(width)]) if width > 1 else bytes([k]) for k in range(count)]
    raw = b"".join(patterns)
    if entry.packed:
        raw = worker.pack(raw, entry.bits)
    return {"type": kind, "shape": [count], "base64": worker.base64.b64encode(raw).decode()}


@pytest.mark.parametrize("kind", list(worker.ELEMENT_TYPES))
@pytest.mark.parametrize("has_ml_dtypes", [True, False])
def test_every_bit_pattern_survives(kind, has_ml_dtypes, monkeypatch):
    if not has_ml_dtypes:
        own = {name: dtype for name, dtype in _arrays.DTYPES.items() if name in _arrays.OF_NUMPY}
        monkeypatch.setattr(_arrays, "DTYPES", own)
    sent = tensor(kind)
    array = _arrays.decode(sent)
    assert _arrays.encode(array, kind) == sent
    assert array.flags.writeable and array.shape == tuple(sent["shape"])
    if kind in ("i8", "i4", "i2") and _arrays.has_dtype(kind):
        assert min(int(value) for value in array) == -(1 << (worker.ELEMENT_TYPES[kind].bits - 1))


@pytest.mark.parametrize(
    "result", [None, 3, 1.5, [1, 2], numpy.array(["2020"], dtype="M8[D]"), numpy.array([1, "a"], dtype=object)]
)
def test_what_is_no_tensor_is_refused(result):
    with pytest.raises(_arrays.NoTensor, match="returned a"):
        _arrays.encode(result)


def test_big_endian_arrays_are_their_values():
    assert _arrays.encode(numpy.array([1], dtype=">i4")) == _arrays.encode(numpy.array([1], dtype="<i4"))


def test_nothing_is_imported_before_it_is_needed():
    program = "import sys, gathercheck.worker, gathercheck.command, gathercheck.pytest_plugin; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_all_names_are_there():
    assert all(hasattr(gathercheck, name) and name in dir(gathercheck) for name in gathercheck.__all__)
    assert not hasattr(gathercheck, "no_such_name")
    homes = {name for names in gathercheck._HOMES.values() for name in names}
    assert homes == set(gathercheck.__all__)


def test_the_old_name_of_the_worker_module():
    import importlib.util

    if importlib.util.find_spec("gathercheck_worker") is None:
        pytest.skip("not beside the adapters")
    import gathercheck_worker

    assert gathercheck_worker is worker
