# SPDX-License-Identifier: Apache-2.0
# The examples pass, and the README's snippets do what it says.
import pathlib
import re
import shutil

import gathercheck
import pytest
from conftest import INSTALLED

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
PLUGIN = [] if INSTALLED else ["-p", "gathercheck.pytest_plugin"]
SNIPPETS = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("name", ["numpy", "array_api", "torch"])
def test_an_example_passes(name, pytester):
    for file in (PACKAGE / "examples").iterdir():
        if file.is_file():
            shutil.copy(file, pytester.path)
    found = pytester.runpytest_subprocess(*PLUGIN, f"test_{name}.py").parseoutcomes()
    if "passed" not in found and found.get("skipped"):
        pytest.skip(f"{name} is not installed")
    assert found["passed"] > 200 and found["xfailed"] > 0 and "failed" not in found, found


@pytest.fixture
def my_module(monkeypatch, pytester):
    pytester.makepyfile(my_module="from gathers import clamping, right as gather\n")
    monkeypatch.syspath_prepend(pytester.path)
    return pytester


def test_the_readme_shows_a_test_file(my_module):
    suites = [snippet for snippet in SNIPPETS if "gathercheck.suite(" in snippet]
    assert suites
    for snippet in suites:
        my_module.makepyfile(test_it=snippet)
        found = my_module.runpytest_subprocess(*PLUGIN, "test_it.py").parseoutcomes()
        assert found["passed"] > 200 and "failed" not in found and "errors" not in found, snippet


def test_the_readme_shows_programs(my_module, capsys):
    programs = [snippet for snippet in SNIPPETS if "gathercheck.suite(" not in snippet]
    assert len(programs) >= 3
    for snippet in programs:
        exec(compile(snippet, "README.md", "exec"), {"gathercheck": gathercheck})
    assert "conforms" in capsys.readouterr().out
