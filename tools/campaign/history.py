#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which versions of an engine show its findings: plans for gathercheck-campaign, and what comes of them as data.

usage: history.py plans FOLDER            writes FOLDER/ENGINE.toml for each engine of history.toml
       history.py update ENGINE FOLDER    of the folder of the campaign of ENGINE.toml: spec_cases/findings/history/ENGINE.json
"""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))

import gathercheck  # noqa: E402

FINDINGS = ROOT / "spec_cases" / "findings"
KNOWN_FAILURES = ROOT / "spec_cases" / "known_failures"
CONTROL = "documented-*"  # cases that any version passes which does its work
SHOWN, NOT_SHOWN, OTHERWISE, NOT_RUN = "shown", "not_shown", "otherwise", "not_run"


def engines():
    return tomllib.loads(Path(__file__).with_name("history.toml").read_text())["engine"]


def findings_of(engine):
    file = FINDINGS / f"{engine}.json"
    return json.loads(file.read_text())["findings"] if file.exists() else []


def is_of(implementation, engine):
    return implementation.split(":")[0] == engine


def implementations_of(engine):
    """Those of the engine's package; others that share a finding have a package of their own."""
    names = {name for finding in findings_of(engine) for name in finding["implementations"] if is_of(name, engine)}
    return sorted(names) or [engine]


# --- plans


def plan_of(engine) -> str:
    calls = [finding["call"] for finding in findings_of(engine["name"])]
    arguments = ["--no-known-failures", "--sweeps", "all", "--filter", f"case={CONTROL}"]
    for key in "case", "operator":
        for value in sorted({call[key] for call in calls}):
            arguments += ["--filter", f"{key}={value}"]
    text = f'name = "{engine["name"]}"\n\n[limits]\ntask_seconds = 3600\n\n'
    for group in engine["versions"]:
        text += "[[engine]]\n"
        text += f"implementations = {json.dumps(implementations_of(engine['name']))}\n"
        text += f"versions = {json.dumps(group['of'])}\n"
        text += f"requirements = {json.dumps([engine['name'] + '=={version}', *group['with']])}\n"
        text += 'pip = ["--only-binary", ":all:"]\n\n'
    return text + f"[[run]]\narguments = {json.dumps(arguments)}\n"


# --- what comes of them


def listed(value):
    return value if isinstance(value, list) else [value]


def executions_of(finding, engine):
    """(implementation, case, operator, route) -> the outcomes that show the finding, of its known failures."""
    expected = {}
    for implementation in finding["implementations"]:
        if not is_of(implementation, engine):
            continue
        known = json.loads((KNOWN_FAILURES / f"{implementation.replace(':', '-')}.json").read_text())
        for entry in known["failures"]:
            if entry.get("finding") != finding["id"]:
                continue
            for case in listed(entry["case"]):
                for operator in listed(entry["operator"]):
                    for route in listed(entry["route"]):
                        key = (implementation, case, operator, json.dumps(route, sort_keys=True))
                        expected[key] = [outcome for outcome in entry["outcomes"] if outcome != "pass"]
    return expected


def outcome_of(record):
    """In the words of known failures; "pass", or empty where it says nothing."""
    if record["verdict"] in ("crash", "timeout"):
        return record["verdict"]
    if record["verdict"] == "fail":
        return record["failure"]
    return "pass" if record["verdict"] in ("pass", "unspecified") else ""


def records_of(folder):
    """version -> (implementation, case, operator, route) -> record; nothing where a task came to nothing."""
    versions = {}
    for file in sorted((folder / "tasks").glob("*.json")):
        told = json.loads(file.read_text())
        records = versions.setdefault(told["task"]["version"], {})
        if told["state"] != "records":
            continue
        for record in gathercheck.records(folder / "records" / f"{told['id']}.jsonl.gz"):
            if record["record"] == "execution":
                key = (record["implementation"], record["case"], record["operator"], json.dumps(record["route"], sort_keys=True))
                records[key] = record
    return versions


def refusal(record):
    """What is said of a refused call, without numbers, which may differ from version to version."""
    return re.sub(r"[\d.]+", "#", record.get("detail", ""))


def passes(record) -> bool:
    """True for a right answer; a rejection, right or not, may be the adapter's own trouble with an older engine."""
    return record is not None and record["verdict"] == "pass" and record["outcome"] != "rejected"


def works(records, reference, key) -> bool:
    """Whether the implementation, by its adapter, does in this version what it does in the other where nothing is wrong."""
    right = [control for control, record in reference.items() if control[0] == key[0] and passes(record)]
    documented = [control for control in right if control[1].startswith(CONTROL.rstrip("*"))]
    of_operator = [control for control in documented if control[2] == key[2]]
    controls = of_operator or documented or right
    return bool(controls) and all(passes(records.get(control)) for control in controls)


def state_of(finding, expected, records, reference):
    """Whether the executions of one version show a finding; `reference` are those of the version that its known failures are of."""
    shown = passed = otherwise = 0
    working = {key for key in expected if works(records, reference, key)}
    for key, outcomes in expected.items():
        record = records.get(key)
        if record is None or key not in working:
            continue
        outcome = outcome_of(record)
        if outcome in outcomes:
            same = outcome != "rejected what must be accepted" or (key in reference and refusal(record) == refusal(reference[key]))
            shown += same
            otherwise += not same
        elif outcome == "pass":
            passed += 1
        else:
            otherwise += bool(outcome)
    if shown:
        return SHOWN
    return OTHERWISE if otherwise else NOT_SHOWN if passed else NOT_RUN


def update(name, folder) -> None:
    engine = next(engine for engine in engines() if engine["name"] == name)
    asked = [version for group in engine["versions"] for version in group["of"]]
    versions = records_of(folder)
    entries = []
    for finding in findings_of(name):
        expected = executions_of(finding, name)
        if not expected:
            continue
        entry = {"id": finding["id"], SHOWN: [], NOT_SHOWN: [], OTHERWISE: [], NOT_RUN: []}
        reference = versions.get(finding["seen"]["last"], {})
        for version in asked:
            entry[state_of(finding, expected, versions.get(version, {}), reference)].append(version)
        entries.append({key: value for key, value in entry.items() if value})
    file = FINDINGS / "history" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    lines = ",\n".join(f"    {json.dumps(entry)}" for entry in entries)
    file.write_text(f'{{\n  "engine": {json.dumps(name)},\n  "asked": {json.dumps(asked)},\n  "findings": [\n{lines}\n  ]\n}}\n')
    print(f"{file.relative_to(ROOT)}: {len(entries)} findings, {len(asked)} versions")


def main() -> None:
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "plans":
        folder = Path(words[1])
        folder.mkdir(parents=True, exist_ok=True)
        for engine in engines():
            (folder / f"{engine['name']}.toml").write_text(plan_of(engine))
    elif len(words) == 3 and words[0] == "update" and any(engine["name"] == words[1] for engine in engines()):
        update(words[1], Path(words[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
