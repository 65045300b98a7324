# SPDX-License-Identifier: Apache-2.0
# The Python API: does a gather of yours do what the specification says?
"""Does your gather do what the specification says?

    import gathercheck

    test_gather = gathercheck.suite(my_module.gather, operator="onnx.Gather-13", data=["f32"], indices=["i64"])

in a test file makes one pytest item of each case. `check` gives the same without pytest, `cases` the calls with what is
expected of them, `reference` the right answer to any call, and `gathercheck.worker` is for engines that are better asked in a
process of their own. `get_include`, `get_examples`, `get_protocol` and `get_adapters` tell where headers and examples of plug-ins
and workers, the protocol of workers, and the shipped workers lie.
"""

import importlib
from pkgutil import extend_path
from typing import TYPE_CHECKING

__path__ = extend_path(__path__, __name__)  # in the source tree gathercheck.worker lies beside the adapters

if TYPE_CHECKING:
    from . import worker as worker
    from ._calls import Call, Error, Expected, KnownFailure, Output, Rule, cases
    from ._examine import Result
    from ._records import records
    from ._reference import reference
    from ._report import Failed, Report, check
    from ._suite import suite
    from .command import get_adapters, get_examples, get_include, get_protocol
    from .worker import Rejected, Unsupported

# Each comes from its module when it is first asked for: the command and workers need no numpy, and workers want nothing imported
# before they have taken over the standard streams.
_HOMES = {
    "_calls": ("Call", "Error", "Expected", "KnownFailure", "Output", "Rule", "cases"),
    "_examine": ("Result",),
    "_records": ("records",),
    "_reference": ("reference",),
    "_report": ("Failed", "Report", "check"),
    "_suite": ("suite",),
    "command": ("get_adapters", "get_examples", "get_include", "get_protocol"),
    "worker": ("Rejected", "Unsupported"),
}

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
    "get_adapters",
    "get_examples",
    "get_include",
    "get_protocol",
    "records",
    "reference",
    "suite",
]


if not TYPE_CHECKING:  # else any name would be right

    def __getattr__(name):
        if name == "worker":
            return importlib.import_module(f"{__name__}.worker")
        for home, names in _HOMES.items():
            if name in names:
                return getattr(importlib.import_module(f"{__name__}.{home}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> "list[str]":
    return sorted(set(globals()) | set(__all__))
