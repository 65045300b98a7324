# SPDX-License-Identifier: Apache-2.0
"""The coordinator: hands tasks to Dask, keeps what comes, and puts shards together."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from distributed import Client, as_completed

from ..command import program
from .plan import Plan, Task
from .store import Store, write_whole
from .summary import Summary
from .task import DONE, FAILED, Result, execute


class Progress:
    """A line on a terminal that is written over; elsewhere a line now and then."""

    def __init__(self, total: int):
        self.total, self.done, self.empty, self.kept = total, 0, 0, 0
        self._begin, self._last = time.monotonic(), 0.0

    def show(self, workers: int, last: bool = False) -> None:
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if not last and now - self._last < (0.2 if is_terminal else 10):
            return
        self._last = now
        begun = self.done - self.kept
        left = (now - self._begin) / begun * (self.total - self.done) if begun else 0
        text = f"{self.done} of {self.total} tasks"
        text += f", {self.empty} came to nothing" if self.empty else ""
        text += f", {self.kept} from before" if self.kept else ""
        text += (
            "" if last else f", {workers} worker{'s' * (workers != 1)}, some {left:.0f} s left" if begun else f", {workers} workers"
        )
        print(f"\r\033[K{text}" if is_terminal else text, end="\n" if last or not is_terminal else "", file=sys.stderr, flush=True)


class Campaign:
    def __init__(self, plan: Plan, store: Store):
        self.plan, self.store = plan, store
        self.summary = Summary()
        self.progress = Progress(len(plan.tasks))
        self._groups: dict = {}  # of shards, by group: those that are not here
        self._shards: dict = {}
        for task in plan.tasks:
            self._groups.setdefault(task.group, set()).add(task.id)
            self._shards.setdefault(task.group, []).append(task)
        self._merges = ThreadPoolExecutor(1)
        self._merging: list = []

    def left(self) -> list:
        """The tasks that are not done; those that are count from now on."""
        left = []
        for task in self.plan.tasks:
            if self.store.state_of(task.id) in DONE:
                self._count(task)
                self.progress.kept += 1
            else:
                left.append(task)
        return left

    def _count(self, task: Task) -> None:
        self.progress.done += 1
        if task.kind != "run":
            return
        self.summary.add(task.id, task.version, self.store.lines_of(task.id))
        group = self._groups[task.group]
        group.discard(task.id)
        if not group:
            self._merging.append(self._merges.submit(self._merge, self._shards[task.group]))

    def _merge(self, shards: list) -> str:
        """Puts the shards of one run together; says what is wrong with them."""
        first = shards[0]
        name = "-".join(filter(None, [first.implementation.split("=")[0].replace(":", "-"), first.version, first.group[:6]]))
        output = self.store.folder / "merged" / f"{name}.jsonl"
        if output.exists():
            return ""
        unfinished = output.with_suffix(".unfinished")
        files = [str(self.store.records_of(task.id)) for task in shards]
        done = subprocess.run(
            [str(program()), "merge", *files, "--output", str(unfinished)], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if not unfinished.exists() or done.returncode == 4:
            return f"{first.implementation} {first.version}: {done.stderr.strip()}"
        unfinished.rename(output)
        return ""

    def take(self, task: Task, result: Result) -> None:
        if not self.store.put(task, result):
            return
        if result.state in DONE:
            self._count(task)
            return
        self.progress.done += 1
        self.progress.empty += 1
        print(f"{task.label}: {result.state}: {result.why}", file=sys.stderr, flush=True)

    def run(self, client: Client) -> None:
        """Does what is left. As many tasks are handed out as workers can have, and two for each to come."""
        waiting = iter(self.left())
        running: dict = {}  # by key of Dask
        arriving = as_completed(with_results=False)

        def hand_out() -> None:
            threads = sum(client.nthreads().values())
            while len(running) < max(8, 3 * threads):
                task = next(waiting, None)
                if task is None:
                    return
                future = client.submit(execute, task, self.plan.limits, key=f"gathercheck-{task.id}", pure=False)
                running[future.key] = task
                arriving.add(future)

        hand_out()
        while running:
            future = next(arriving)
            task = running.pop(future.key)
            if future.status == "finished":
                self.take(task, future.result())
            else:
                error = future.exception() if future.status == "error" else "it was given up by the scheduler"
                self.take(task, Result(task.id, FAILED, why=_of_workers(error)))
            future.release()
            hand_out()
            self.progress.show(len(client.nthreads()))

    def end(self) -> list:
        """Waits for what is being put together and writes summary.json; what is wrong with the shards."""
        faults = [fault for fault in (merge.result() for merge in self._merging) if fault]
        self._merges.shutdown()
        summary = {"campaign": self.plan.name, "came_to_nothing": self._nothing(), **self.summary.to_json()}
        write_whole(self.store.folder / "summary.json", (json.dumps(summary, indent=1) + "\n").encode())
        self.progress.show(0, last=True)
        return faults

    def _nothing(self) -> list:
        nothing = []
        for task in self.plan.tasks:
            told = self.store.told_of(task.id)
            if told and told["state"] not in DONE:
                nothing.append(
                    {
                        "implementation": task.implementation,
                        "version": task.version,
                        "task": task.id,
                        "state": told["state"],
                        "why": told["why"],
                    }
                )
        return nothing


def _of_workers(error) -> str:
    """Why Dask has no result."""
    if type(error).__name__ == "KilledWorker":
        return "the workers that did it died, one after the other; it may take more memory than they have"
    return f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else str(error)
