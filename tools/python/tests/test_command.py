# SPDX-License-Identifier: Apache-2.0
# What comes with the command: headers, examples, and the command by its module.
import subprocess
import sys
from pathlib import Path

import gathercheck
import pytest
from conftest import INSTALLED


def test_the_module_is_the_command():
    said = subprocess.run([sys.executable, "-m", "gathercheck", "--version"], capture_output=True, text=True, check=True).stdout
    assert said.count(".") == 2 and said.replace(".", "").strip().isdigit()


@pytest.mark.skipif(not INSTALLED, reason="it is not installed here")
def test_headers_and_examples_are_there():
    include, examples = Path(gathercheck.get_include()), Path(gathercheck.get_examples())
    assert {file.name for file in include.glob("*.h*")} >= {"plugin.h", "gathercheck_worker.hpp"}
    assert {file.name for file in examples.iterdir()} >= {"my_plugin.c", "my_worker.cpp", "my_worker.py"}


@pytest.mark.skipif(not INSTALLED, reason="it is not installed here")
def test_the_protocol_and_what_speaks_it_are_there():
    protocol, adapters = Path(gathercheck.get_protocol()), Path(gathercheck.get_adapters())
    assert protocol.read_text().startswith("# The worker protocol") and (protocol.parent / "schemas/protocol.schema.json").is_file()
    assert (adapters / "gathercheck_worker.mjs").is_file() and (adapters / "gathercheck_go/worker.go").is_file()
    worker = f"exec:{sys.executable} -c 'print(1)'"
    said = subprocess.run([sys.executable, "-m", "gathercheck", "smoke", worker], capture_output=True, text=True).stdout
    assert f"the contract is {protocol.resolve()}\n" in said, said


@pytest.mark.skipif(INSTALLED, reason="the package has a program of its own")
def test_they_lie_beside_the_program(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "gathercheck"
    for folder in (
        "bin",
        "include/gathercheck",
        "share/gathercheck/examples",
        "share/gathercheck/adapters",
        "share/gathercheck/conformance",
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "share/gathercheck/conformance/protocol.md").touch()
    program.touch(mode=0o755)
    monkeypatch.setenv("GATHERCHECK", str(program))
    assert gathercheck.get_include() == str(tmp_path / "include/gathercheck")
    assert gathercheck.get_examples() == str(tmp_path / "share/gathercheck/examples")
    assert gathercheck.get_adapters() == str(tmp_path / "share/gathercheck/adapters")
    assert gathercheck.get_protocol() == str(tmp_path / "share/gathercheck/conformance/protocol.md")


@pytest.mark.skipif(INSTALLED, reason="the package has a program of its own")
def test_of_a_build_they_lie_in_the_source_tree(tmp_path, monkeypatch):
    program = tmp_path / "gathercheck"
    program.touch(mode=0o755)
    monkeypatch.setenv("GATHERCHECK", str(program))
    with pytest.raises(FileNotFoundError, match="is not installed.*; in the source tree it is conformance/plugin.h and"):
        gathercheck.get_include()
