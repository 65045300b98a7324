# SPDX-License-Identifier: Apache-2.0
"""Records of runs, read: the form that conformance/schemas/record.schema.json describes."""

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, Union

_GZIP = b"\x1f\x8b"


def whole(lines: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Each record with all its members, of the lines of a file: what executions have in common stands once there."""
    common: dict[int, dict[str, Any]] = {}
    for line in lines:
        record: dict[str, Any] = json.loads(line)
        if record.get("record") == "common":
            common[record["number"]] = record["members"]
            continue
        members: dict[str, Any] = {}
        for number in record.pop("of", ()):
            members.update(common[number])
        yield {**members, **record}


def records(file: Union[str, "os.PathLike[str]"]) -> Iterator[dict[str, Any]]:
    """The records of a file that `gathercheck run --output` wrote, each with all its members; gzip may have compressed it."""
    with open(file, "rb") as stream:
        packed = stream.read(len(_GZIP)) == _GZIP
    with gzip.open(file, "rb") if packed else open(file, "rb") as stream:
        yield from whole(stream)
