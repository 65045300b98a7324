# SPDX-License-Identifier: Apache-2.0
# A worker of version 1 in Python without a package: onnx.GatherElements-13, f32 data, i64 indices.
import base64
import itertools
import json
import struct
import sys

HELLO = {
    "message": "hello",
    "protocol": 1,
    "implementation": {"name": "minimal.py"},
    "claims": [{"operators": ["onnx.GatherElements-13"], "data": ["f32"], "indices": ["i64"]}],
}


class No(Exception):
    pass


def run(call):
    if set(call["inputs"]) != {"data", "indices"} or set(call["attributes"]) - {"axis"}:
        raise No("data, indices and axis, please")
    data, indices, axis = call["inputs"]["data"], call["inputs"]["indices"], call["attributes"].get("axis", 0)
    if data["type"] != "f32" or indices["type"] != "i64" or type(axis) is not int:
        raise No("types")
    shape, picks = data["shape"], indices["shape"]
    if len(shape) != len(picks) or not shape or not -len(shape) <= axis < len(shape):
        raise No("rank or axis")
    axis %= len(shape)
    if any(a > b for k, (a, b) in enumerate(zip(picks, shape)) if k != axis):
        raise No("shape")
    words = base64.b64decode(data["base64"])
    places = base64.b64decode(indices["base64"])
    output = b""
    for k, where in enumerate(itertools.product(*map(range, picks))):
        (index,) = struct.unpack_from("<q", places, 8 * k)
        if not -shape[axis] <= index < shape[axis]:
            raise No(f"index {index}")
        where = list(where)
        where[axis] = index % shape[axis]
        flat = 0
        for extent, coordinate in zip(shape, where):
            flat = flat * extent + coordinate
        output += words[4 * flat : 4 * flat + 4]
    return {"type": "f32", "shape": picks, "base64": base64.b64encode(output).decode()}


for line in sys.stdin:
    message = json.loads(line)
    if message["message"] == "hello":
        answer = HELLO
    elif message["message"] == "run":
        try:
            answer = {"seq": message["seq"], "output": run(message)}
        except No as no:
            answer = {"seq": message["seq"], "rejected": {"message": str(no)}}
    else:
        continue
    print(json.dumps(answer), flush=True)
