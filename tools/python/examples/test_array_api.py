# SPDX-License-Identifier: Apache-2.0
# take() and take_along_axis() of the array API standard: indices of take are vectors, and out of bounds they are undefined.
import pathlib

import gathercheck
import pytest

xp = pytest.importorskip("array_api_strict")
HERE = pathlib.Path(__file__).parent


def gather(data, indices, axis=0):
    if data.ndim == 0 or indices.ndim != 1:
        raise NotImplementedError("take() wants an axis, and a vector of indices")
    return xp.take(xp.asarray(data), xp.asarray(indices), axis=axis)


test_gather = gathercheck.suite(
    gather,
    operator="onnx.Gather-13",
    data=["f32", "i64"],
    indices=["i64"],
    sweeps="none",
    other_types=False,
    known_failures=HERE / "array_api_gather.json",
)
