# SPDX-License-Identifier: Apache-2.0
# Makes the package of this source tree known where it is not installed.
import importlib.metadata
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
INSTALLED = any(
    entry.name == "gathercheck" for distribution in importlib.metadata.distributions() for entry in distribution.entry_points
)
FOLDERS = [str(pathlib.Path(__file__).parent)]
if not INSTALLED:
    FOLDERS += [str(ROOT / "tools" / "python"), str(ROOT / "conformance" / "adapters")]
    os.environ.setdefault("GATHERCHECK", str(ROOT / "build" / "release" / "bin" / "gathercheck"))
sys.path[:0] = FOLDERS
os.environ["PYTHONPATH"] = os.pathsep.join([*FOLDERS, *filter(None, [os.environ.get("PYTHONPATH")])])

# A few files of cases load in no time.
CASES = [
    str(ROOT / "spec_cases" / "cases" / name)
    for name in ("gather-axis.json", "gather-rejected.json", "policy-probes.json", "documented-examples.json")
]
pytest_plugins = ["pytester"] if INSTALLED else ["pytester", "gathercheck.pytest_plugin"]
