# SPDX-License-Identifier: Apache-2.0
# gathercheck-campaign: nothing is lost, and nothing counts twice, whoever is killed.
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

pytest.importorskip("distributed")
import gathercheck  # noqa: E402
import psutil  # noqa: E402

WORKER = Path(__file__).with_name("campaign_toy_worker.py")
COMMAND = [sys.executable, "-m", "gathercheck.campaign.command"]
PICKS = {"1.0": "floats[max(index, 0)]", "2.0": "floats[index]"}


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A folder with two versions of an engine as wheels, twelve cases, and the shipped data without its sweeps."""
    folder = tmp_path_factory.mktemp("campaign")
    for version, pick in PICKS.items():
        with zipfile.ZipFile(folder / f"toy_engine-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("toy_engine.py", f"version = '{version}'\n\n\ndef pick(floats, index):\n    return {pick}\n")
            about = f"toy_engine-{version}.dist-info"
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: toy-engine\nVersion: {version}\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
    cases = []
    for k in range(12):
        index = k // 2 if k % 2 == 0 else -1 - k // 2
        cases.append(
            {
                "id": f"toy-{k}",
                "title": f"element {index}",
                "inputs": {
                    "data": {"type": "f32", "shape": [6], "values": [1, 2, 3, 4, 5, 6]},
                    "indices": {"type": "i64", "shape": [1], "values": [index]},
                },
                "expect": [
                    {
                        "for": ["onnx.Gather-13"],
                        "rules": ["onnx.gather-13.formula.axis0"],
                        "output": {"type": "f32", "shape": [1], "values": [[1, 2, 3, 4, 5, 6][index]]},
                    }
                ],
            }
        )
    (folder / "cases.json").write_text(json.dumps({"cases": cases}))
    shipped = Path(os.environ["GATHERCHECK"]).resolve().parents[1] / "share/gathercheck/spec_cases"
    if not shipped.is_dir():
        shipped = ROOT / "spec_cases"
    few = folder / "share/spec_cases"
    (few / "cases").mkdir(parents=True)
    for part in shipped.iterdir():
        if part.name != "cases":
            (few / part.name).symlink_to(part)
    for file in (shipped / "cases").iterdir():
        if not file.name.startswith("sweeps-"):
            (few / "cases" / file.name).symlink_to(file)
    (folder / "share/adapters").symlink_to(ROOT / "conformance/adapters")
    return folder


@pytest.fixture
def start(place, tmp_path):
    """Starts a campaign of a plan; it is ended with the test."""
    begun = []

    def start_with(plan, *arguments, **variables):
        (place / f"{tmp_path.name}.toml").write_text(plan)
        environment = dict(
            os.environ, GATHERCHECK_SHARE=str(place / "share"), GATHERCHECK_CAMPAIGN_CACHE=str(place / "environments"), **variables
        )
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "gathercheck.campaign.command",
                place / f"{tmp_path.name}.toml",
                "--folder",
                tmp_path / "out",
                "--workers",
                "2",
                *arguments,
            ],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        begun.append(process)
        return process

    yield start_with
    for process in begun:
        process.kill()
        process.wait()


def plan_of(place, versions=("1.0", "2.0"), more="", shards=3, limits=""):
    return f"""
[limits]
{limits}
[[engine]]
implementations = ["toy=exec:python {WORKER}"]
versions = {list(versions)!r}
requirements = ["toy-engine=={{version}}"]
pip = ["--no-index", "--find-links", "{place}"]

[[run]]
arguments = ["--cases", "cases.json"]
shards = {shards}
{more}
"""


def ended(process, code):
    said, _ = process.communicate(timeout=400)
    assert process.returncode == code, said
    return said


def summary_of(tmp_path):
    return json.loads((tmp_path / "out/summary.json").read_text())


def verdicts(summary):
    return {one["version"]: one["verdicts"] for one in summary["implementations"]}


RIGHT = {"1.0": {"pass": 7, "fail": 5}, "2.0": {"pass": 12}}


def merged(tmp_path):
    """The cases in each file of records that was put together."""
    cases = {}
    for file in (tmp_path / "out/merged").glob("*.jsonl"):
        cases[file.name] = sorted(record["case"] for record in gathercheck.records(file) if record["record"] == "execution")
    return cases


def all_merged(tmp_path):
    found = merged(tmp_path)
    return len(found) == 2 and all(cases == sorted(f"toy-{k}" for k in range(12)) for cases in found.values())


def test_versions_are_told_apart_and_shards_put_together(start, place, tmp_path):
    said = ended(start(plan_of(place)), 0)
    assert "6 of 6 tasks are done" in said
    summary = summary_of(tmp_path)
    assert verdicts(summary) == RIGHT
    assert {failure["case"] for failure in summary["failures"]} == {f"toy-{k}" for k in (1, 3, 5, 7, 9)}
    assert {failure["version"] for failure in summary["failures"]} == {"1.0"}
    assert all_merged(tmp_path)


def test_what_two_tasks_show_counts_once(start, place, tmp_path):
    again = '[[run]]\narguments = ["--cases", "cases.json", "--filter", "case=toy-1"]\n'
    ended(start(plan_of(place, versions=["1.0"], more=again)), 0)
    summary = summary_of(tmp_path)
    assert verdicts(summary) == {"1.0": RIGHT["1.0"]}
    shown = {failure["case"]: len(failure["tasks"]) for failure in summary["failures"]}
    assert shown == {"toy-1": 2, "toy-3": 1, "toy-5": 1, "toy-7": 1, "toy-9": 1}


def wait_for(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"never seen: {what}")


def asking(process):
    """A worker of the campaign that has gathercheck at work, and that."""
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if "run" in child.cmdline() and any(word.startswith("toy=") for word in child.cmdline()):
                return child.parent(), child
        except psutil.Error:
            continue
    return None


def test_a_worker_that_is_killed_loses_nothing(start, place, tmp_path):
    process = start(plan_of(place, versions=["1.0"], shards=2), TOY_SECONDS="1")
    worker, command = wait_for(lambda: asking(process), "a task at work")
    worker.send_signal(signal.SIGKILL)
    # By itself it would go on for twelve seconds: six cases, asked twice.
    wait_for(lambda: not command.is_running(), "the end of what the killed worker had started", seconds=6)
    said = ended(process, 0)
    assert "2 of 2 tasks are done" in said
    assert verdicts(summary_of(tmp_path)) == {"1.0": RIGHT["1.0"]}
    assert [len(cases) for cases in merged(tmp_path).values()] == [12]


def test_a_coordinator_that_is_killed_goes_on(start, place, tmp_path):
    process = start(plan_of(place), TOY_SECONDS="0.3")
    tasks = tmp_path / "out/tasks"
    wait_for(lambda: tasks.is_dir() and len(list(tasks.glob("*.json"))) >= 2, "two tasks that are done")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = {file: file.stat().st_mtime_ns for file in tasks.glob("*.json")}
    assert len(kept) < 6
    said = ended(start(plan_of(place)), 0)
    assert f"{len(kept)} from before" in said
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert verdicts(summary_of(tmp_path)) == RIGHT
    assert all_merged(tmp_path)
    assert "6 from before" in ended(start(plan_of(place)), 0)
    assert verdicts(summary_of(tmp_path)) == RIGHT


def test_a_version_that_cannot_be_installed_is_named_and_the_others_are_done(start, place, tmp_path):
    said = ended(start(plan_of(place, versions=["1.0", "7.5"], shards=1)), 3)
    assert "toy-engine==7.5 could not be installed" in said and "No matching distribution found for toy-engine==7.5" in said
    summary = summary_of(tmp_path)
    assert verdicts(summary) == {"1.0": RIGHT["1.0"]}
    assert [(one["version"], one["state"]) for one in summary["came_to_nothing"]] == [("7.5", "not installed")]
    assert [file.name for file in (place / "environments").glob("*.unfinished")] == []


def test_a_task_has_its_time(start, place, tmp_path):
    said = ended(start(plan_of(place, versions=["2.0"], shards=1, limits="task_seconds = 2"), TOY_SECONDS="5"), 3)
    assert "failed: " in said and "it took more than 2 s" in said


def test_a_task_has_its_memory(start, place, tmp_path):
    ended(start(plan_of(place, versions=["2.0"], shards=1, limits="memory = '3GB'"), TOY_BYTES=str(4 * 10**9)), 0)
    assert verdicts(summary_of(tmp_path)) == {"2.0": {"crash": 12}}


def test_two_coordinators_do_not_share_a_folder(start, place, tmp_path):
    first = start(plan_of(place), TOY_SECONDS="0.3")
    wait_for(lambda: asking(first), "a task at work")
    assert "another gathercheck-campaign works in it" in ended(start(plan_of(place)), 4)


def test_tasks_go_to_the_workers_of_a_scheduler(start, place, tmp_path):
    address = tmp_path / "scheduler.json"
    environment = dict(os.environ, GATHERCHECK_CAMPAIGN_CACHE=str(place / "environments"), GATHERCHECK_SHARE=str(place / "share"))
    arguments = {
        "scheduler": ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(address)],
        "worker": ["--scheduler-file", str(address), "--nworkers", "2", "--nthreads", "1", "--no-dashboard"],
    }
    programs = [
        subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{name}", *words], env=environment, stderr=subprocess.DEVNULL)
        for name, words in arguments.items()
    ]
    try:
        wait_for(address.is_file, "the scheduler")
        tcp = json.loads(address.read_text())["address"]
        assert "6 of 6 tasks are done" in ended(start(plan_of(place), "--scheduler", tcp), 0)
        assert verdicts(summary_of(tmp_path)) == RIGHT
    finally:
        for program in programs:
            program.terminate()
        for program in programs:
            program.wait()


def test_what_fuzz_keeps_is_kept_for_each_seed(start, place, tmp_path):
    fuzz = '[[fuzz]]\nseeds = [1, 2]\nseconds = 3\narguments = ["--shrink-seconds", "1"]\n'
    plan = '[[engine]]\nimplementations = ["mutant:index-clamped"]\n' + fuzz
    ended(start(plan), 0)
    corpora = sorted((tmp_path / "out/corpus").glob("*.tar.gz"))
    assert len(corpora) == 2
    for file in corpora:
        with tarfile.open(file) as archive:
            assert any(name.endswith(".json") for name in archive.getnames()), archive.getnames()


ENGINE = '[[engine]]\nimplementations = ["reference"]\n'


@pytest.mark.parametrize(
    ("plan", "what"),
    [
        ("name = 3\n", "name: is 3; give a text"),
        ("[[engine\n", "is no TOML"),
        ("[[run]]\n", r"engine: is missing"),
        (ENGINE, r"run: is missing"),
        (ENGINE + "[[run]]\nshards = 0\n", "run[0].shards: is 0; give 1 or more"),
        (ENGINE + "[[run]]\nshard = 2\n", "run[0].shard: is no key of a plan here"),
        (
            ENGINE + "[[run]]\narguments = ['--shard', '1/2']\n",
            "run[0].arguments[0]: is '--shard', which the campaign gives itself",
        ),
        (ENGINE + "versions = ['1']\n[[run]]\n", "engine[0].versions: are listed, and no requirement has {version}"),
        (
            ENGINE + "requirements = ['x=={version}']\n[[run]]\n",
            "engine[0].requirements[0]: has {version}, and the engine has no versions",
        ),
        (ENGINE + "requirements = [1]\n[[run]]\n", "engine[0].requirements[0]: is 1; give a text"),
        ("[[engine]]\n[[run]]\n", "engine[0].implementations: is missing; give a list of texts"),
        ("[limits]\nmemory = 'much'\n" + ENGINE + "[[run]]\n", "limits.memory: is 'much'; give a size such as '6GB'"),
        ("[limits]\nretries = true\n" + ENGINE + "[[run]]\n", "limits.retries: is True; give a number"),
        (ENGINE + "[[fuzz]]\nseeds = [1, -2]\n", "fuzz[0].seeds[1]: is -2; give a number from 0"),
        (ENGINE + "[[run]]\n[colour]\n", "colour: is no key of a plan here"),
    ],
)
def test_a_wrong_plan_is_refused_by_its_key(tmp_path, plan, what):
    from gathercheck.campaign.plan import PlanError, read_plan

    file = tmp_path / "plan.toml"
    file.write_text(plan)
    with pytest.raises(PlanError) as refused:
        read_plan(file, "a suite")
    assert str(refused.value).startswith(f"{file}: ") and what in str(refused.value)


def test_a_plan_that_is_not_there_is_bad_usage(start, place, tmp_path):
    process = subprocess.run(
        [*COMMAND, "nowhere.toml"],
        env=dict(os.environ, GATHERCHECK_SHARE=str(place / "share")),
        capture_output=True,
        text=True,
    )
    assert process.returncode == 4 and "nowhere.toml: cannot be read: No such file or directory" in process.stderr


def test_tasks_are_of_each_version_shard_and_seed(tmp_path):
    from gathercheck.campaign.plan import read_plan

    file = tmp_path / "plan.toml"
    file.write_text(
        '[[engine]]\nimplementations = ["a", "b"]\nversions = ["1", "2"]\nrequirements = ["engine=={version}"]\n'
        "[[run]]\nshards = 2\n[[fuzz]]\nseeds = [7, 8]\nseconds = 30\n"
    )
    tasks = read_plan(file, "a suite").tasks
    assert len({task.id for task in tasks}) == len(tasks) == 4 * (2 + 2)
    assert tasks[1].words() == ["run", "--implementation", "a", "--shard", "2/2"]
    assert tasks[3].words() == ["fuzz", "--implementation", "a", "--seed", "8", "--seconds", "30", "--shard", "1/1"]
    assert tasks[3].requirements == ("engine==1",)
    assert {task.id for task in read_plan(file, "another suite").tasks}.isdisjoint({task.id for task in tasks})


def test_the_documented_plan_is_one(tmp_path):
    from gathercheck.campaign.plan import read_plan

    page = (ROOT / "tools/campaign/README.md").read_text()
    file = tmp_path / "plan.toml"
    file.write_text(page.split("```toml\n")[1].split("```")[0])
    plan = read_plan(file, "a suite")
    assert "These are 16 tasks" in page and len(plan.tasks) == 16
    assert (plan.name, plan.limits.memory, plan.limits.retries) == ("two-versions", 8 * 10**9, 2)


def test_the_plan_of_its_help_has_every_key_of_the_page(tmp_path):
    from gathercheck.campaign.command import PLAN
    from gathercheck.campaign.plan import read_plan

    file = tmp_path / "plan.toml"
    file.write_text("\n".join(line[2:] for line in PLAN.splitlines() if line.startswith("  ")))
    assert len(read_plan(file, "a suite").tasks) == 2 * 2 * (4 + 2)
    page = (ROOT / "tools/campaign/README.md").read_text()
    keys = re.findall(r"`[a-z]*\.([a-z_]+)`", page.split("| key | default |")[1].split("\n\n")[0])
    assert len(keys) > 8 and not [key for key in keys if f"\n  {key} = " not in PLAN]
