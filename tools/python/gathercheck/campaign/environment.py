# SPDX-License-Identifier: Apache-2.0
"""Virtual environments, one for each version of an engine, made once on each machine."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

from .process import run


class NotInstalled(Exception):
    """Why an environment could not be made: the last words of pip."""


def cache_folder() -> Path:
    """GATHERCHECK_CAMPAIGN_CACHE, else a folder of the user's cache."""
    named = os.environ.get("GATHERCHECK_CAMPAIGN_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gathercheck" / "campaign"


@contextlib.contextmanager
def _locked(file: Path):
    with file.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def environment(task, seconds: float) -> Path:
    """The folder of the environment that a task asks for; it is made if it is not there.

    It is made under another name and gets its own when it is whole, so that one that was cut short is never used.
    """
    python = task.python or sys.executable
    text = json.dumps([python, sys.version if not task.python else "", task.requirements, task.pip])
    folder = cache_folder() / hashlib.sha256(text.encode()).hexdigest()[:16]
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_suffix(".lock")):
        if folder.is_dir():
            return folder
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        install = [unfinished / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]
        for command in [python, "-m", "venv", unfinished], [*install, *task.pip, *task.requirements]:
            done = run([str(word) for word in command], seconds)
            if done.code != 0:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise NotInstalled(done.why(f"{' '.join(task.requirements)} could not be installed"))
        unfinished.rename(folder)
    return folder
