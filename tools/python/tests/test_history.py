# SPDX-License-Identifier: Apache-2.0
# tools/campaign/history.py: an older version is accused of nothing that it does not show, and what was not asked is not acquitted.
import gzip
import importlib.util
import json

import pytest
from conftest import ROOT

pytest.importorskip("tomllib")
ROUTE = {"operands": "runtime", "shapes": "static"}


@pytest.fixture
def history(tmp_path, monkeypatch):
    """The script, on an engine with a call that is accepted (a), one that is refused (r) and a control (documented-c)."""
    spec = importlib.util.spec_from_file_location("history", ROOT / "tools/campaign/history.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name in "findings", "known_failures", "campaign/tasks", "campaign/records":
        (tmp_path / name).mkdir(parents=True)
    outcomes = {"a": "accepted what must be rejected", "r": "rejected what must be accepted"}
    findings, failures = [], []
    for case, outcome in outcomes.items():
        call = {"case": case, "operator": "onnx.Gather-13", "route": ROUTE}
        seen = {"first": "3", "last": "3"}
        findings.append({"id": f"mine-{case}", "implementations": ["mine"], "call": call, "outcome": outcome, "seen": seen})
        failures.append({**call, "case": [case, f"{case}2"], "outcomes": [outcome, "pass"], "finding": f"mine-{case}"})
    (tmp_path / "findings/mine.json").write_text(json.dumps({"engine": "Mine", "findings": findings}))
    (tmp_path / "known_failures/mine.json").write_text(json.dumps({"implementation": "mine", "failures": failures}))
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "FINDINGS", tmp_path / "findings")
    monkeypatch.setattr(script, "KNOWN_FAILURES", tmp_path / "known_failures")
    return script


def told(script, tmp_path, monkeypatch, versions):
    """What is written of the versions, each with the verdicts of its cases, or None where it could not be installed."""
    monkeypatch.setattr(script, "engines", lambda: [{"name": "mine", "versions": [{"of": list(versions), "with": []}]}])
    for version, cases in versions.items():
        state = "records" if cases is not None else "not installed"
        (tmp_path / f"campaign/tasks/{version}.json").write_text(
            json.dumps({"id": version, "state": state, "task": {"version": version}})
        )
        with gzip.open(tmp_path / f"campaign/records/{version}.jsonl.gz", "wt") as stream:
            for case, verdict in (cases or {}).items():
                record = {
                    "record": "execution",
                    "implementation": "mine",
                    "case": case,
                    "operator": "onnx.Gather-13",
                    "route": ROUTE,
                }
                stream.write(json.dumps({**record, **verdict}) + "\n")
    script.update("mine", tmp_path / "campaign")
    return {entry.pop("id"): entry for entry in json.loads((tmp_path / "findings/history/mine.json").read_text())["findings"]}


C = "documented-c"
PASS = {"verdict": "pass", "outcome": "value"}
REJECTED = {"verdict": "pass", "outcome": "rejected"}
ACCEPTED = {"verdict": "fail", "failure": "accepted what must be rejected"}
REFUSED = {"verdict": "fail", "failure": "rejected what must be accepted", "detail": "axis 7 of 3"}


def test_versions_that_show_it_and_that_do_not(history, tmp_path, monkeypatch):
    versions = {
        "1": {C: PASS, "a": PASS, "r": PASS},
        "2": {C: PASS, "a": ACCEPTED, "r": PASS},
        "3": {C: PASS, "a": ACCEPTED, "r": REFUSED},
    }
    found = told(history, tmp_path, monkeypatch, versions)
    assert found["mine-a"] == {"shown": ["2", "3"], "not_shown": ["1"]}
    assert found["mine-r"] == {"shown": ["3"], "not_shown": ["1", "2"]}


def test_what_could_not_be_asked_is_not_run(history, tmp_path, monkeypatch):
    unsupported = {"verdict": "unsupported"}
    versions = {
        "0": None,
        "1": {C: {"verdict": "not run"}, "a": {"verdict": "not run"}, "r": {"verdict": "broken"}},
        "2": {C: PASS, "a": unsupported, "r": unsupported},
        "3": {C: PASS, "a": ACCEPTED, "r": REFUSED},
    }
    found = told(history, tmp_path, monkeypatch, versions)
    assert found["mine-a"] == found["mine-r"] == {"shown": ["3"], "not_run": ["0", "1", "2"]}


def test_what_fails_in_another_way_is_told_apart(history, tmp_path, monkeypatch):
    versions = {"2": {C: PASS, "a": PASS, "a2": {"verdict": "crash"}}, "3": {C: PASS, "a": ACCEPTED, "a2": PASS}}
    assert told(history, tmp_path, monkeypatch, versions)["mine-a"] == {"shown": ["3"], "otherwise": ["2"]}


def test_a_refusal_is_the_same_only_in_the_same_words(history, tmp_path, monkeypatch):
    other, numbers = {**REFUSED, "detail": "no such opset"}, {**REFUSED, "detail": "axis 12 of 4"}
    versions = {"1": {C: PASS, "r": other}, "2": {C: PASS, "r": numbers}, "3": {C: PASS, "r": REFUSED}}
    assert told(history, tmp_path, monkeypatch, versions)["mine-r"] == {"shown": ["2", "3"], "otherwise": ["1"]}


def test_an_adapter_that_an_old_engine_does_not_suit_shows_nothing(history, tmp_path, monkeypatch):
    # Its own error looks like the rejection that is right.
    versions = {"2": {C: {"verdict": "unsupported"}, "a": REJECTED}, "3": {C: PASS, "a": ACCEPTED}}
    assert told(history, tmp_path, monkeypatch, versions)["mine-a"] == {"shown": ["3"], "not_run": ["2"]}


def test_a_rejection_is_right_where_the_controls_pass(history, tmp_path, monkeypatch):
    versions = {"2": {C: PASS, "a": REJECTED}, "3": {C: PASS, "a": ACCEPTED}}
    assert told(history, tmp_path, monkeypatch, versions)["mine-a"] == {"shown": ["3"], "not_shown": ["2"]}


def test_who_passes_nothing_shows_nothing(history, tmp_path, monkeypatch):
    versions = {"2": {C: REFUSED, "a": ACCEPTED, "r": REFUSED}, "3": {C: PASS, "a": ACCEPTED, "r": REFUSED}}
    found = told(history, tmp_path, monkeypatch, versions)
    assert found["mine-a"] == found["mine-r"] == {"shown": ["3"], "not_run": ["2"]}


def test_the_plans_of_the_listed_engines_are_plans(tmp_path):
    import subprocess
    import sys

    from gathercheck.campaign.plan import read_plan

    subprocess.run([sys.executable, ROOT / "tools/campaign/history.py", "plans", tmp_path], check=True)
    for name in "onnxruntime", "openvino", "onnx", "numpy":
        plan = read_plan(tmp_path / f"{name}.toml", "a suite")
        assert {task.implementation.split(":")[0] for task in plan.tasks} == {name}
        assert all(task.requirements[0] == f"{name}=={task.version}" for task in plan.tasks)
        if name != "numpy":
            asked = {word for task in plan.tasks for word in task.arguments if word.startswith("case=")}
            calls = json.loads((ROOT / f"spec_cases/findings/{name}.json").read_text())["findings"]
            assert {f"case={finding['call']['case']}" for finding in calls} <= asked
