# SPDX-License-Identifier: Apache-2.0
# The reference's answer to any call.
from __future__ import annotations

import atexit
import json
import subprocess
from typing import Any

import numpy

from . import _arrays, command
from ._calls import Call, Error
from .worker import Rejected, Unsupported


class _Reference:
    """The reference as a process, started when it is first asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._seq = 0

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            arguments = [str(command.program()), "worker", "--reference"]
            self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._seq += 1
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        line = json.dumps({"message": "run", "seq": self._seq, **message}, separators=(",", ":"))
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = b""
        if not answer:
            raise Error(f"the reference refuses the message: {line[:200]}")
        result: dict[str, Any] = json.loads(answer)
        return result

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_reference = _Reference()
atexit.register(_reference.close)


def reference(call: Call | str, data: object = None, indices: object = None, **attributes: Any) -> numpy.ndarray[Any, Any]:
    """The right answer: of a Call, or of an operator version with its operands and attributes.

    gathercheck.reference("onnx.Gather-13", data, indices, axis=1)

    Raises Rejected, with its category, where the call must be rejected. Where no sentence decides it is the suite's own reading.
    """
    if isinstance(call, Call):
        inputs, operator, attributes = call._message["inputs"], call.operator, call.attributes
    else:
        operator, inputs = call, {}
        for name, operand in (("data", data), ("indices", indices)):
            if operand is not None:
                inputs[name] = _arrays.encode(operand if hasattr(operand, "dtype") else numpy.asarray(operand))
        if operator.startswith("openvino.Gather-") and "axis" in attributes:
            inputs["axis"] = _arrays.encode(numpy.asarray(attributes.pop("axis"), dtype=numpy.int64))
    answer = _reference.ask({"operator": operator, "route": {}, "attributes": attributes, "inputs": inputs})
    if "output" in answer:
        return _arrays.decode(answer["output"])
    if "rejected" in answer:
        rejected = answer["rejected"]
        raise Rejected(rejected.get("message", ""), rejected.get("phase"), rejected.get("category"))
    raise Unsupported(answer.get("unsupported", str(answer)))
