# SPDX-License-Identifier: Apache-2.0
"""One task, where it is done: its environment, its command, its records."""

import gzip
import io
import json
import os
import socket
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ..command import program
from .environment import NotInstalled, environment
from .plan import Limits, Task
from .process import run

RECORDS, CORPUS, NOT_INSTALLED, FAILED = "records", "corpus", "not installed", "failed"
DONE = (RECORDS, CORPUS)


@dataclass
class Result:
    id: str
    state: str  # RECORDS of a run, CORPUS of fuzz, or what it came to in place of them
    why: str = ""
    worker: str = ""
    seconds: float = 0.0
    exit_code: int = -1  # of the command
    content: bytes = b""  # records: JSON lines, compressed by gzip; corpus: its folder, as .tar.gz


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
        output, corpus = Path(own, "records.jsonl"), Path(own, "corpus")
        keep = ["--corpus", str(corpus)] if task.kind == "fuzz" else ["--output", str(output)]
        command = [str(program()), *task.words(), *keep]
        folder = task.folder if Path(task.folder).is_dir() else own
        done = run(command, limits.task_seconds, memory=limits.memory, environment=variables, folder=folder)
        result.exit_code = done.code
        if task.kind == "fuzz" and not done.timed_out and done.code in (0, 1):
            result.state, result.content = CORPUS, _packed(corpus)
            return
        whole = output.read_bytes() if output.is_file() else b""
        if done.timed_out or done.code not in (0, 1, 2, 3) or not _has_end(whole):
            result.why = done.why(task.label)
            return
        result.state, result.content = RECORDS, gzip.compress(whole, 6, mtime=0)


def _packed(folder: Path) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        if folder.is_dir():
            archive.add(folder, arcname="corpus")
    return stream.getvalue()


def _has_end(records: bytes) -> bool:
    """Whether records are those of a run that came to its end."""
    try:
        last = json.loads(records.rstrip().rsplit(b"\n", 1)[-1])
    except ValueError:
        return False
    return last.get("record") == "end" and not last.get("partial", False)
