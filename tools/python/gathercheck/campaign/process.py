# SPDX-License-Identifier: Apache-2.0
"""Programs that a task starts: bounded in time and memory, and gone when their worker is."""

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_CHILD = str(Path(__file__).with_name("child.py"))


@dataclass
class Done:
    code: int  # exit code; negative: the signal that ended it
    timed_out: bool
    errors: str  # the end of its standard error
    seconds: float

    def why(self, what: str) -> str:
        if self.timed_out:
            return f"{what}: it took more than {self.seconds:g} s"
        how = f"ended by {signal.Signals(-self.code).name}" if self.code < 0 else f"exit code {self.code}"
        return f"{what}: {self.errors or how}"


def run(command, seconds: float, *, memory: int = 0, environment=None, folder=None) -> Done:
    """Runs a program; where it takes too long it ends with all that it started."""
    variables = dict(os.environ, **(environment or {}))
    variables.pop("PYTHONPATH", None)  # the packages of this process are not those of a task
    child = [sys.executable, "-I", _CHILD, str(os.getpid()), str(memory), *command]
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            child,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=variables,
            cwd=folder,
            start_new_session=True,
        ) as process:
            timed_out = False
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                timed_out = True
            finally:
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
        said = errors.read().decode(errors="replace").strip().splitlines()
    return Done(process.returncode, timed_out, " | ".join(said[-3:]), seconds)
