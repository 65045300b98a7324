# SPDX-License-Identifier: Apache-2.0
"""The command gathercheck-campaign."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

USAGE = """\
Asks many versions of engines what a plan says, on this machine or on the workers of a Dask scheduler, and keeps what comes:
records/ and corpus/ (of each task), merged/ (of each run, its shards put together) and summary.json. Started again it goes on with
what is left, and tries once more what came to nothing.

  gathercheck-campaign plan.toml
  gathercheck-campaign plan.toml --scheduler tcp://10.0.0.1:8786
  gathercheck-campaign plan.toml --list"""

PLAN = """\
A plan; `name`, and all of [limits], may be left out:

  name = "two-versions"      # of the folder of what comes of it, beside the plan
  [limits]
  task_seconds = 1800        # of a task; then it is ended with all that it started (3600)
  install_seconds = 900      # of the environment of a version (1800)
  memory = "8GB"             # address space of each process of a task (no limit)
  retries = 2                # how often a task is begun elsewhere after its worker died
  [[engine]]
  implementations = ["onnxruntime", "onnxruntime:unoptimized"]       # as of gathercheck run --implementation
  versions = ["1.30.0", "1.31.1"]                                    # each takes the place of {version} below; none: once
  requirements = ["onnxruntime=={version}", "onnx==1.23.2", "numpy"] # of pip; none: nothing is installed
  pip = ["--find-links", "/mirror"]                                  # further arguments of pip
  python = "python3.12"                                              # makes the environment (that of the worker)
  [[run]]
  arguments = ["--sweeps", "none"]                                   # of gathercheck run
  shards = 4
  [[fuzz]]
  seeds = [1, 2]                                                     # a task of gathercheck fuzz each
  seconds = 60
  arguments = []
  shards = 1
"""

EXIT = "Exit code: 0 all tasks are done; 3 some came to nothing, or what is needed is not here; 4 bad plan or usage."


def suite_of(program: Path) -> str:
    """The version of the command and the hash of its suite, as its records tell them."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "one.jsonl")
        one = [
            str(program),
            "run",
            "--implementation",
            "reference",
            "--filter",
            "case=gather-index-one-past-the-end",
            "--output",
            str(output),
        ]
        subprocess.run(one, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
        with output.open(encoding="utf-8") as stream:
            header = json.loads(stream.readline())
    return f"gathercheck {header['tool']['version']}, suite {header['suite']['hash']}"


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(4, f"gathercheck-campaign: {message}; see gathercheck-campaign --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gathercheck-campaign",
        description=USAGE,
        epilog=f"{PLAN}\n{EXIT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("plan", type=Path, help="what to do, as shown below")
    parser.add_argument("--folder", type=Path, help="of what comes of it (default: the plan's name, beside it)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask scheduler whose workers do it, or the file that it wrote")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="on this machine (default: its CPUs)")
    parser.add_argument("--list", action="store_true", help="say what there is to do, and do nothing")
    return parser


def _client(options, retries: int):
    import dask
    from distributed import Client, LocalCluster

    # A worker gets a task when it has none: that which it dies of is the one that it does.
    dask.config.set({"distributed.scheduler.allowed-failures": retries, "distributed.scheduler.worker-saturation": 1.0})
    if options.scheduler and Path(options.scheduler).is_file():
        return Client(scheduler_file=options.scheduler)
    if options.scheduler:
        return Client(options.scheduler, timeout="30s")
    cluster = LocalCluster(
        n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0, silence_logs=50
    )
    return Client(cluster)


def _fail(code: int, text) -> int:
    print(f"gathercheck-campaign: {text}", file=sys.stderr)
    return code


def campaign(options) -> int:
    from ..command import program
    from .plan import PlanError, read_plan
    from .store import Busy, Store

    try:
        plan = read_plan(options.plan, suite_of(program()))
    except (PlanError, FileNotFoundError) as error:
        return _fail(4 if isinstance(error, PlanError) else 3, error)
    except subprocess.CalledProcessError as error:
        return _fail(3, f"{error.cmd[0]} does not run: {error.stderr.strip()}")
    if options.list:
        for task in plan.tasks:
            print(task.id, task.label)
        return 0
    try:
        store = Store(options.folder or options.plan.resolve().parent / plan.name)
    except Busy as error:
        return _fail(4, error)
    from .coordinator import Campaign

    going = Campaign(plan, store)
    try:
        with _client(options, plan.limits.retries) as client:
            going.run(client)
    except OSError as error:
        return _fail(3, f"the scheduler {options.scheduler} is not there: {error}")
    finally:
        faults = going.end()
    for fault in faults:
        print(f"not put together: {fault}", file=sys.stderr)
    print(f"{store.folder}: {going.progress.done - going.progress.empty} of {len(plan.tasks)} tasks are done")
    return 3 if going.progress.empty or faults else 0


def main() -> None:
    options = _parser().parse_args()
    if options.workers < 1:
        sys.exit(_fail(4, f"--workers is {options.workers}; give 1 or more"))
    try:
        import distributed  # noqa: F401
        import tomllib  # noqa: F401
    except ImportError as error:
        sys.exit(
            _fail(3, f"{error.name} is not here: a campaign needs Python 3.11 or newer and pip install 'gathercheck[campaign]'")
        )
    sys.exit(campaign(options))


if __name__ == "__main__":
    main()
