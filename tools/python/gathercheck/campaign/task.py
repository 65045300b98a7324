# SPDX-License-Identifier: Apache-2.0
"""One task, where it is done: its environment, its command, its records."""

import gzip
import json
import os
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ..command import program
from .environment import NotInstalled, environment
from .plan import Limits, Task
from .process import run

RECORDS, NOT_INSTALLED, FAILED = "records", "not installed", "failed"


@dataclass
class Result:
    id: str
    state: str  # RECORDS, or what it came to in place of them
    why: str = ""
    worker: str = ""
    seconds: float = 0.0
    exit_code: int = -1  # of the command
    records: bytes = b""  # JSON lines, compressed by gzip


def execute(task: Task, limits: Limits) -> Result:
    """Does a task from its beginning. Nothing outside the cache of environments is left of it, so it may be done twice."""
    result = Result(task.id, FAILED, worker=f"{socket.gethostname()}:{os.getpid()}")
    begin = time.monotonic()
    variables = {}
    try:
        if task.requirements:
            folder = environment(task, limits.install_seconds)
            variables["GATHERCHECK_PYTHON"] = str(folder / "bin/python")
            variables["PATH"] = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", os.defpath)])
            variables["VIRTUAL_ENV"] = str(folder)
        _ask(task, limits, variables, result)
    except NotInstalled as error:
        result.state, result.why = NOT_INSTALLED, str(error)
    except OSError as error:
        result.why = str(error)
    result.seconds = time.monotonic() - begin
    return result


def _ask(task: Task, limits: Limits, variables: dict, result: Result) -> None:
    with tempfile.TemporaryDirectory(prefix="gathercheck-task-") as own:
        output = Path(own, "records.jsonl")
        command = [str(program()), *task.words(), "--output", str(output)]
        folder = task.folder if Path(task.folder).is_dir() else own
        done = run(command, limits.task_seconds, memory=limits.memory, environment=variables, folder=folder)
        result.exit_code = done.code
        whole = output.read_bytes() if output.is_file() else b""
        if done.timed_out or done.code not in (0, 1, 2, 3) or not _has_end(whole):
            result.why = done.why(task.label)
            return
        result.state, result.records = RECORDS, gzip.compress(whole, 6, mtime=0)


def _has_end(records: bytes) -> bool:
    """Whether records are those of a run that came to its end."""
    try:
        last = json.loads(records.rstrip().rsplit(b"\n", 1)[-1])
    except ValueError:
        return False
    return last.get("record") == "end" and not last.get("partial", False)
