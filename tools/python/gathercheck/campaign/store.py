# SPDX-License-Identifier: Apache-2.0
"""The folder of a campaign: what came of each task, kept so that a coordinator which is killed loses nothing that it had."""

import fcntl
import json
import os
from dataclasses import asdict
from pathlib import Path

from .._records import records
from .task import CORPUS, DONE, Result


class Busy(Exception):
    """Another coordinator has the folder."""


def write_whole(file: Path, content: bytes) -> None:
    """The file has all of the content, or is as it was before, whenever this process or the machine ends."""
    unfinished = file.with_name(file.name + ".unfinished")
    with unfinished.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.rename(file)


class Store:
    """Records of a task in records/ID.jsonl.gz, a corpus in corpus/ID.tar.gz; what came of it in tasks/ID.json, written last."""

    def __init__(self, folder: Path):
        self.folder = folder
        for part in "tasks", "records", "corpus", "merged":
            (folder / part).mkdir(parents=True, exist_ok=True)
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Busy(f"{folder}: another gathercheck-campaign works in it; wait for its end, or name another --folder") from None

    def records_of(self, id: str) -> Path:
        return self.folder / "records" / f"{id}.jsonl.gz"

    def put(self, task, result: Result) -> bool:
        """Keeps what came of a task; False where it is here already."""
        if self.state_of(task.id) in DONE:
            return False
        if result.state in DONE:
            file = self.folder / "corpus" / f"{task.id}.tar.gz" if result.state == CORPUS else self.records_of(task.id)
            write_whole(file, result.content)
        told = {key: value for key, value in asdict(result).items() if key != "content"}
        content = json.dumps({"task": asdict(task), **told}, indent=1) + "\n"
        write_whole(self.folder / "tasks" / f"{task.id}.json", content.encode())
        return True

    def told_of(self, id: str):
        """What is kept of a task; None where nothing is."""
        try:
            return json.loads((self.folder / "tasks" / f"{id}.json").read_text())
        except FileNotFoundError:
            return None

    def state_of(self, id: str) -> str:
        told = self.told_of(id)
        return told["state"] if told else ""

    def lines_of(self, id: str):
        """The records of a task, each with all its members."""
        yield from records(self.records_of(id))
