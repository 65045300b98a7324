# SPDX-License-Identifier: Apache-2.0
# gathercheck.records(): each record with all its members, as the command has them.
import gzip
import json
import subprocess

import gathercheck
import pytest
from gathercheck.command import program


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    file = tmp_path_factory.mktemp("records") / "run.jsonl"
    command = [program(), "run", "--implementation", "reference", "--sweeps", "none", "--filter", "case=policy-*", "--output", file]
    subprocess.run(command, check=True, capture_output=True)
    return file


def test_they_are_those_of_the_command(run):
    whole = subprocess.run([program(), "report", run, "--format", "jsonl"], check=True, capture_output=True).stdout
    expected = [json.loads(line) for line in whole.splitlines()]
    assert len(expected) > 100
    assert list(gathercheck.records(run)) == expected
    assert run.stat().st_size < len(whole) / 2


def test_they_may_be_compressed(run):
    packed = run.with_name("anything")
    packed.write_bytes(gzip.compress(run.read_bytes()))
    assert list(gathercheck.records(packed)) == list(gathercheck.records(run))


def test_a_number_may_be_declared_again(tmp_path):
    lines = [
        {"record": "common", "number": 0, "members": {"record": "execution", "implementation": "a", "verdict": "pass"}},
        {"of": [0], "case": "x"},
        {"record": "common", "number": 0, "members": {"record": "execution", "implementation": "b"}},
        {"of": [0], "case": "x", "verdict": "fail"},
        {"record": "execution", "implementation": "c", "case": "of schema 1"},
    ]
    file = tmp_path / "run.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert list(gathercheck.records(file)) == [
        {"record": "execution", "implementation": "a", "verdict": "pass", "case": "x"},
        {"record": "execution", "implementation": "b", "case": "x", "verdict": "fail"},
        {"record": "execution", "implementation": "c", "case": "of schema 1"},
    ]


def test_what_nobody_declared_is_an_error(tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_text('{"of": [3]}\n')
    with pytest.raises(KeyError):
        list(gathercheck.records(file))
