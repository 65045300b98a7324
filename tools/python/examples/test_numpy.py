# SPDX-License-Identifier: Apache-2.0
# numpy's functions as ONNX's operators. What numpy does differently on purpose is in known failures.
import pathlib

import gathercheck
import numpy

HERE = pathlib.Path(__file__).parent


def gather(data, indices, axis=0):
    return numpy.take(data, indices, axis=axis)


def gather_elements(data, indices, axis=0):
    return numpy.take_along_axis(data, indices, axis=axis)


test_gather = gathercheck.suite(
    gather,
    operator="onnx.Gather-13",
    data=["f32", "i64"],
    indices=["i64"],
    sweeps="none",
    other_types=False,
    known_failures=HERE / "numpy_gather.json",
)

test_gather_elements = gathercheck.suite(
    gather_elements,
    operator="onnx.GatherElements-13",
    data=["f32", "i64"],
    indices=["i64"],
    sweeps="none",
    other_types=False,
    known_failures=HERE / "numpy_gather_elements.json",
)
