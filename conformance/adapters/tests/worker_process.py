# SPDX-License-Identifier: Apache-2.0
# Drives a worker as the runner does, and writes tensors of literal values for the tests of the adapters.
import base64
import importlib.util
import json
import os
import struct
import subprocess
import sys

ADAPTERS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.dirname(os.path.abspath(__file__))
LETTERS = {
    "boolean": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
    "f16": "e", "f32": "f", "f64": "d",
}  # fmt: skip


def missing(*packages):
    """The packages that this Python cannot import, as a reason for a skipped test; "" when none."""
    absent = [package for package in packages if importlib.util.find_spec(package) is None]
    return f"not installed for {sys.executable}: {', '.join(absent)}" if absent else ""


def tensor(element_type, shape, values):
    """A tensor of the protocol from literal values; bytes stand for themselves."""
    if element_type == "string":
        return {"type": element_type, "shape": shape, "values": values}
    if not isinstance(values, bytes):
        values = struct.pack(f"<{len(values)}{LETTERS[element_type]}", *values)
    return {"type": element_type, "shape": shape, "base64": base64.b64encode(values).decode()}


def engine(name):
    """The folder where tools/setup.sh has put an engine that Python does not run; None where it is not."""
    folder = os.path.join(os.environ.get("GATHERCHECK_ENGINES", os.path.join(HERE, "../../../build/engines")), name)
    return folder if os.path.isdir(folder) else None


class WorkerProcess:
    """A worker: a Python script, or a command as a list."""

    def __init__(self, script, environment=None):
        self.command = script if isinstance(script, list) else [sys.executable, script]
        self.environment = {**os.environ, **(environment or {})}
        self.seq = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )

    def send(self, line):
        """Sends a raw line; the answer as an object, None when the worker has gone."""
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else None

    def ask(self, message):
        return self.send(json.dumps(message))

    def hello(self, **more):
        return self.ask({"message": "hello", "protocol": {"min": 1, "max": 1}, "suite": "1.0.0", **more})

    def call(self, operator, inputs, attributes=None, route=None, message="run", model=None):
        self.seq += 1
        answer = self.ask(
            {
                "message": message,
                "seq": self.seq,
                "operator": operator,
                "route": route or {},
                "attributes": attributes or {},
                "inputs": inputs,
                **({"model": model} if model else {}),
            }
        )
        if answer is None:
            died = self.end()[0]
            self.start()
            return {"died": died}
        assert answer.pop("seq") == self.seq, answer
        return answer

    def end(self):
        """Closes the worker's input; its exit code and what it wrote to standard error."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors.decode()


def run_source(source, python=sys.executable, arguments=()):
    """The standard output of a Python script in a process of its own."""
    command = [python, "-", *arguments]
    done = subprocess.run(command, input=source.encode(), capture_output=True, timeout=120, check=False)
    return done.stdout.decode() + (f"exit {done.returncode}: {done.stderr.decode()}" if done.returncode else "")


def routes(claims, operator):
    """Every route on which the claims hold `operator` for f32."""
    found = []
    for claim in claims:
        if operator in claim["operators"] and "f32" in claim["data"]:
            for operands in claim["operands"]:
                for shapes in claim["shapes"]:
                    for axis in claim.get("axis", ["constant"]):
                        route = {"operands": operands, "shapes": shapes, "axis": axis}
                        if route not in found:
                            found.append(route)
    return found
