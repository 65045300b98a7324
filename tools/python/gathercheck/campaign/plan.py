# SPDX-License-Identifier: Apache-2.0
"""plan.toml: which versions of which engines are asked what, and the tasks that come of it."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

import tomllib


class PlanError(Exception):
    """What is wrong with a plan: file, key, and what to write instead."""


@dataclass(frozen=True)
class Limits:
    task_seconds: float = 3600
    install_seconds: float = 1800
    memory: int = 0  # bytes of address space for each process of a task; 0: no limit
    retries: int = 2  # how often a task is begun again elsewhere after its worker died


@dataclass(frozen=True)
class Task:
    """One command with one version of one engine. All that decides what comes of it is here."""

    kind: str  # "run" or "fuzz"
    implementation: str
    version: str  # as the plan has it; empty: whatever is installed
    requirements: tuple  # of its virtual environment; empty: none is made
    pip: tuple  # arguments of pip beside them
    python: str  # that makes the environment; empty: the worker's own
    arguments: tuple
    shard: int
    shards: int
    seed: int  # of "fuzz"
    seconds: float  # of "fuzz"
    folder: str  # in which it runs, where there is such a one
    suite: str  # version of the command and hash of the suite

    @property
    def id(self) -> str:
        return _digest(asdict(self))

    @property
    def group(self) -> str:
        """The same for all shards of one run."""
        return _digest({**asdict(self), "shard": 0})

    @property
    def label(self) -> str:
        text = f"{self.implementation} {self.version}".strip()
        seed = f" seed {self.seed}" if self.kind == "fuzz" else ""
        return f"{text}: {self.kind}{seed} {self.shard}/{self.shards}"

    def words(self) -> list:
        """The command line behind the program."""
        words = [self.kind, "--implementation", self.implementation]
        if self.kind == "fuzz":
            words += ["--seed", str(self.seed), "--seconds", f"{self.seconds:g}"]
        return [*words, *self.arguments, "--shard", f"{self.shard}/{self.shards}"]


def _digest(value) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Plan:
    name: str
    limits: Limits
    tasks: tuple


class _Table:
    """A table of the plan. Each key is taken once, with its type; what is left is unknown."""

    def __init__(self, file, place, value):
        self.file, self.place = file, place
        if not isinstance(value, dict):
            raise PlanError(f"{file}: {place or 'the whole'} is no table")
        self.left = dict(value)

    def key(self, name):
        return f"{self.place}.{name}" if self.place else name

    def fail(self, name, what):
        raise PlanError(f"{self.file}: {self.key(name)}: {what}")

    def take(self, name, types, default, what):
        if name not in self.left:
            if default is None:
                self.fail(name, f"is missing; give {what}")
            return default
        value = self.left.pop(name)
        if not isinstance(value, types) or (
            isinstance(value, bool) and bool not in (types if isinstance(types, tuple) else (types,))
        ):
            self.fail(name, f"is {value!r}; give {what}")
        return value

    def text(self, name, default=None):
        return self.take(name, str, default, "a text")

    def texts(self, name, default=None):
        values = self.take(name, list, default, "a list of texts")
        for k, value in enumerate(values):
            if not isinstance(value, str):
                self.fail(f"{name}[{k}]", f"is {value!r}; give a text")
        return tuple(values)

    def number(self, name, default, least, whole=True):
        value = self.take(name, int if whole else (int, float), default, "a number")
        if value < least:
            self.fail(name, f"is {value}; give {least} or more")
        return value

    def tables(self, name):
        values = self.take(name, list, [], f"tables, [[{self.key(name)}]]")
        return [_Table(self.file, f"{self.key(name)}[{k}]", value) for k, value in enumerate(values)]

    def end(self):
        for name in self.left:
            self.fail(name, "is no key of a plan here; gathercheck-campaign --help lists them")


def memory_size(text: str):
    """The bytes of "6GB"; None where it is no such size."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(|K|M|G|T)B?", text.strip().upper())
    if not match:
        return None
    return int(float(match[1]) * 1000 ** ("", "K", "M", "G", "T").index(match[2]))


def _limits(table: _Table) -> Limits:
    default = Limits()
    memory = table.text("memory", "0")
    bytes_of_memory = memory_size(memory)
    if bytes_of_memory is None:
        table.fail("memory", f"is {memory!r}; give a size such as '6GB'")
    limits = Limits(
        table.number("task_seconds", default.task_seconds, 1, whole=False),
        table.number("install_seconds", default.install_seconds, 1, whole=False),
        bytes_of_memory,
        table.number("retries", default.retries, 0),
    )
    table.end()
    return limits


def _engines(table: _Table):
    """(implementation, version, requirements, pip, python) of each."""
    engines = []
    for entry in table.tables("engine"):
        implementations = entry.texts("implementations")
        versions = entry.texts("versions", [])
        requirements = entry.texts("requirements", [])
        pip, python = entry.texts("pip", []), entry.text("python", "")
        entry.end()
        if not implementations:
            entry.fail("implementations", "is empty; name one, as --implementation takes it")
        for k, requirement in enumerate(requirements):
            if "{version}" in requirement and not versions:
                entry.fail(f"requirements[{k}]", "has {version}, and the engine has no versions; list them")
        if versions and not any("{version}" in requirement for requirement in requirements):
            entry.fail("versions", "are listed, and no requirement has {version}; write e.g. 'onnxruntime=={version}'")
        for version in versions or ("",):
            pinned = tuple(requirement.replace("{version}", version) for requirement in requirements)
            engines += [(name, version, pinned, pip, python) for name in implementations]
    if not engines:
        table.fail("engine", "is missing; write [[engine]] with its implementations")
    return engines


def _questions(table: _Table):
    """(kind, arguments, shards, seed, seconds) of each."""
    questions = []
    for kind in "run", "fuzz":
        for entry in table.tables(kind):
            arguments, shards = entry.texts("arguments", []), entry.number("shards", 1, 1)
            for k, word in enumerate(arguments):
                if word.split("=")[0] in ("--shard", "--output", "--implementation", "--seed", "--seconds", "--resume"):
                    entry.fail(f"arguments[{k}]", f"is {word!r}, which the campaign gives itself; leave it out")
            seeds, seconds = [0], 0
            if kind == "fuzz":
                seeds = entry.take("seeds", list, None, "a list of numbers")
                for k, seed in enumerate(seeds):
                    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
                        entry.fail(f"seeds[{k}]", f"is {seed!r}; give a number from 0")
                seconds = entry.number("seconds", 60, 1, whole=False)
            entry.end()
            questions += [(kind, arguments, shards, seed, seconds) for seed in seeds]
    if not questions:
        table.fail("run", "is missing; write [[run]], with arguments of `gathercheck run` where there are any")
    return questions


def read_plan(file: Path, suite: str) -> Plan:
    """The plan in a file; `suite` names the command and its cases."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"{file}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"{file}: is no TOML: {error}") from error
    table = _Table(file, "", document)
    name = table.text("name", file.stem)
    if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
        table.fail("name", f"is {name!r}; give letters, digits, '.', '_' and '-'")
    limits = _limits(_Table(file, "limits", table.left.pop("limits", {})))
    engines, questions = _engines(table), _questions(table)
    table.end()
    folder = str(file.resolve().parent)
    tasks = {}
    for implementation, version, requirements, pip, python in engines:
        for kind, arguments, shards, seed, seconds in questions:
            for shard in range(1, shards + 1):
                task = Task(
                    kind, implementation, version, requirements, pip, python, arguments, shard, shards, seed, seconds, folder, suite
                )
                tasks[task.id] = task  # what stands twice is done once
    return Plan(name, limits, tuple(tasks.values()))
