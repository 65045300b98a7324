# SPDX-License-Identifier: Apache-2.0
# A function under test in a process of its own, which may die or hang.
from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import warnings
from multiprocessing.connection import Connection

from . import _function
from ._calls import Call
from ._function import Answer, Function
from .worker import _die_with_parent


class IsolatedFunction:
    """Answers as the function does, in a forked process that is kept between calls and started again after its death."""

    def __init__(self, function: Function, time_limit: float) -> None:
        if not hasattr(os, "fork"):
            raise NotImplementedError("isolate=True needs a system with fork")
        self._function, self._time_limit = function, time_limit
        self._child: tuple[int, Connection] | None = None
        self._last_words = tempfile.TemporaryFile()

    def answer(self, call: Call) -> Answer:
        """Calls the function there; a death or a late answer is an answer like any other."""
        pid, connection = self._child or self._start()
        try:
            connection.send(call)
            if not connection.poll(self._time_limit):
                self.close()
                return Answer({"timeout": self._time_limit})
            answer = connection.recv()
            assert isinstance(answer, Answer)
            return answer
        except (EOFError, OSError):
            connection.close()
            self._child = None
            how = _end_text(os.waitpid(pid, 0)[1])
            return Answer({"crash": f"its process was ended by {how}"}, traceback=self._stack())

    def close(self) -> None:
        """Ends the process."""
        if self._child is None:
            return
        pid, connection = self._child
        self._child = None
        connection.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def _stack(self) -> str:
        """Where the function was when its process died, as far as Python knows."""
        self._last_words.seek(0)
        words = self._last_words.read().decode(errors="replace")
        return words.partition(f'  File "{_function.__file__}"')[0].rstrip()

    def _start(self) -> tuple[int, Connection]:
        here, there = multiprocessing.Pipe()
        self._last_words.seek(0)
        self._last_words.truncate()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of others do not matter to the child
            pid = os.fork()
        if pid == 0:
            try:
                here.close()
                with contextlib.suppress(AttributeError, OSError):
                    _die_with_parent()
                faulthandler.enable(self._last_words)
                while True:
                    answer = self._function.answer(there.recv())
                    answer.error = None  # not every exception can travel; its traceback does
                    there.send(answer)
            except EOFError:
                pass
            finally:
                os._exit(0)
        there.close()
        self._child = (pid, here)
        return self._child


def _end_text(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"
    return f"an exit with code {os.WEXITSTATUS(status)}"
