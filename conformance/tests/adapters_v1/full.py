# SPDX-License-Identifier: Apache-2.0
# A worker of version 1 with every key and message there was: openvino.Gather-8 on whole bytes and strings, i32 and i64 indices.
import base64
import json
import math
import sys

WIDTHS = {"u8": 1, "f16": 2, "f32": 4, "i32": 4, "i64": 8}
INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
HELLO = {
    "message": "hello",
    "protocol": 1,
    "implementation": {"name": "full", "version": "1.0", "language": "python", "device": "cpu", "build": "of old"},
    "claims": [
        {
            "operators": ["openvino.Gather-8", "openvino.Gather-99"],
            "data": ["u8", "f16", "f32", "i32", "i64", "string", "posit8"],
            "indices": ["i32", "i64"],
            "operands": ["runtime", "constant", "folded", "telepathic"],
            "shapes": ["static", "dynamic"],
            "axis": ["constant", "runtime"],
            "layout": ["row-major"],
        }
    ],
    "answers": ["run", "describe", "sing"],
    "features": ["reproduce", "fly"],
    "mood": {"good": True},
}


class No(Exception):
    def __init__(self, phase, category, message):
        super().__init__(message)
        self.answer = {"phase": phase, "category": category, "message": message, "temper": "calm"}


def integers(tensor):
    raw, width = base64.b64decode(tensor["base64"]), int(tensor["type"][1:]) // 8
    signed = tensor["type"][0] == "i"
    return [int.from_bytes(raw[k : k + width], "little", signed=signed) for k in range(0, len(raw), width)]


def checked(call):
    inputs, attributes = call["inputs"], call["attributes"]
    if list(inputs) != ["data", "indices", "axis"]:
        raise No("build", "wrong_input_count", f"{len(inputs)} operands")
    for name, value in attributes.items():
        if name != "batch_dims":
            raise No("build", "unknown_attribute", name)
        if type(value) is not int:
            raise No("build", "invalid_attribute", name)
    data, indices, axis = inputs.values()
    for tensor, types in ((data, [*WIDTHS, "string"]), (indices, INTEGERS), (axis, INTEGERS)):
        if tensor["type"] not in types:
            raise No("build", "unsupported_type", tensor["type"])
    rank, least = len(data["shape"]), min(len(data["shape"]), len(indices["shape"]))
    if rank == 0:
        raise No("shape", "rank_too_small", "data is a scalar")
    if axis["shape"] not in ([], [1]):
        raise No("shape", "axis_not_scalar", str(axis["shape"]))
    (axis,) = integers(axis)
    if not -rank <= axis < rank:
        raise No("shape", "axis_out_of_range", str(axis))
    axis, batch = axis % rank, attributes.get("batch_dims", 0)
    if not -least <= batch <= least:
        raise No("shape", "batch_dims_out_of_range", str(batch))
    batch += len(indices["shape"]) if batch < 0 else 0
    if batch > axis:
        raise No("shape", "batch_dims_gt_axis", str(batch))
    if data["shape"][:batch] != indices["shape"][:batch]:
        raise No("shape", "batch_shape_mismatch", "")
    shape = data["shape"][:axis] + indices["shape"][batch:] + data["shape"][axis + 1 :]
    for dims in (data["shape"], indices["shape"], shape):
        if 16 * math.prod(filter(None, dims)) >= 2**63:
            raise No("shape", "too_large", str(dims))
    return data, indices, axis, batch, shape


def run(call):
    data, indices, axis, batch, shape = checked(call)
    if data["type"] == "string":
        elements, zero = data["values"], ""
    else:
        raw, width = base64.b64decode(data["base64"]), WIDTHS[data["type"]]
        elements, zero = [raw[k : k + width] for k in range(0, len(raw), width)], bytes(width)
    size, inner = data["shape"][axis], math.prod(data["shape"][axis + 1 :])
    batches, middle = math.prod(data["shape"][:batch]), math.prod(data["shape"][batch:axis])
    picks, per_batch, output = integers(indices), math.prod(indices["shape"][batch:]), []
    for b in range(batches):
        for m in range(middle):
            for index in picks[b * per_batch : (b + 1) * per_batch]:
                row = ((b * middle + m) * size + index % max(size, 1)) * inner
                inside = -size <= index < size
                output += elements[row : row + inner] if inside else [zero] * inner
    if data["type"] == "string":
        return {"type": "string", "shape": shape, "values": output}
    return {"type": data["type"], "shape": shape, "base64": base64.b64encode(b"".join(output)).decode(), "strides": None}


def answer(message):
    if message["message"] == "hello":
        return HELLO
    seq = message["seq"]
    try:
        if message["message"] == "run":
            return {"seq": seq, "output": run(message), "seconds": 0.0}
        if message["message"] == "describe":
            data, *_, shape = checked(message)
            return {"seq": seq, "descriptor": {"type": data["type"], "shape": shape}}
        if message["message"] == "reproduce":
            return {"seq": seq, "source": f"# {message['operator']} in {message['language']}\n"}
        return {"seq": seq, "unsupported": f"no message {message['message']}"}
    except No as no:
        return {"seq": seq, "rejected": no.answer}


print("full.py is here", file=sys.stderr)
for line in iter(sys.stdin.readline, ""):
    message = json.loads(line)
    if message["message"] == "goodbye":
        break
    text = json.dumps(answer(message), indent=None, separators=(" , ", " : "))
    sys.stdout.write(text[: len(text) // 2])
    sys.stdout.flush()
    sys.stdout.write(text[len(text) // 2 :] + "\r\n")
    sys.stdout.flush()
