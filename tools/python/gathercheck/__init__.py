# SPDX-License-Identifier: Apache-2.0
# The Python API: does a gather of yours do what the specification says?
"""Does your gather do what the specification says?

    import gathercheck

    test_gather = gathercheck.suite(my_module.gather, operator="onnx.Gather-13", data=["f32"], indices=["i64"])

in a test file makes one pytest item of each case. `check` gives the same without pytest, `cases` the calls with what is
expected of them, `reference` the right answer to any call, and `gathercheck.worker` is for engines that are better asked in a
process of their own.
"""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)  # in the source tree gathercheck.worker lies beside the adapters

from ._calls import Call, Error, Expected, KnownFailure, Output, Rule, cases  # noqa: E402
from ._examine import Result  # noqa: E402
from ._reference import reference  # noqa: E402
from ._report import Failed, Report, check  # noqa: E402
from ._suite import suite  # noqa: E402
from .worker import Rejected, Unsupported  # noqa: E402

__all__ = [
    "Call",
    "Error",
    "Expected",
    "Failed",
    "KnownFailure",
    "Output",
    "Rejected",
    "Report",
    "Result",
    "Rule",
    "Unsupported",
    "cases",
    "check",
    "reference",
    "suite",
]
