# SPDX-License-Identifier: Apache-2.0
# PyTorch: torch.gather is ONNX's GatherElements but for negative indices; it raises RuntimeError.
import pathlib

import gathercheck
import pytest

torch = pytest.importorskip("torch")


def gather_elements(data, indices, axis=0):
    data, indices = torch.from_numpy(data), torch.from_numpy(indices)
    return torch.gather(data, axis, torch.where(indices < 0, indices + data.shape[axis], indices))


test_gather_elements = gathercheck.suite(
    gather_elements,
    operator="onnx.GatherElements-13",
    data=["f32", "i64"],
    indices=["i64"],
    sweeps="none",
    other_types=False,
    rejects=(RuntimeError, IndexError, TypeError),
    known_failures=pathlib.Path(__file__).parent / "torch_gather_elements.json",
)
