# SPDX-License-Identifier: Apache-2.0
"""A worker for vectors whose engine is the package toy_engine: its version 1.0 takes negative indices for 0, which -6 is too."""

import base64
import json
import os
import struct
import sys
import time

import toy_engine

HELLO = {
    "message": "hello",
    "protocol": 1,
    "implementation": {"name": "toy", "version": toy_engine.version},
    "claims": [{"operators": ["onnx.Gather-13"], "data": ["f32"], "indices": ["i64"]}],
}
held = []
for line in sys.stdin:
    asked = json.loads(line)
    if asked["message"] == "goodbye":
        break
    if asked["message"] == "hello":
        print(json.dumps(HELLO), flush=True)
        continue
    time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
    held.append(bytearray(int(os.environ.get("TOY_BYTES", "0"))))
    data, indices = (base64.b64decode(asked["inputs"][name]["base64"]) for name in ("data", "indices"))
    floats = struct.unpack(f"<{len(data) // 4}f", data)
    picked = [toy_engine.pick(floats, index) for index in struct.unpack(f"<{len(indices) // 8}q", indices)]
    output = {"type": "f32", "shape": [len(picked)], "base64": base64.b64encode(struct.pack(f"<{len(picked)}f", *picked)).decode()}
    print(json.dumps({"seq": asked["seq"], "output": output}), flush=True)
