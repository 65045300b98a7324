# SPDX-License-Identifier: Apache-2.0
# Checks protocol.md's examples, and recorded sessions, against the protocol's JSON Schema with an independent validator.
# usage: check_protocol.py [RECORDING...]
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import RefResolver
except ImportError as missing:
    print(f"the Python module jsonschema is missing ({missing}); install it, e.g. as python3-jsonschema")
    sys.exit(77)

CONFORMANCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CONFORMANCE / "adapters"))
sys.dont_write_bytecode = True
from gathercheck import worker  # noqa: E402

# What a schema cannot say.
BEYOND_SCHEMA = ('claim 0: "attributes" names "batch_dims"', '"seq" is 9, asked was 8', '"output": "base64" holds ')
# Not in the document, since nobody writes them; the schema must refuse them.
CALL = {"message": "run", "seq": 1, "operator": "onnx.Gather-13", "route": {}, "attributes": {}, "inputs": {}}
LISTED = {"case": "x", "title": "x", "rules": []}
NO_MESSAGES = [
    ("to_worker", {**CALL, **LISTED}),
    ("to_worker", {**CALL, **LISTED, "expect": {"error": "index_out_of_bounds", "unspecified": "x"}}),
    ("to_worker", {**CALL, **LISTED, "expect": {"error": "oops"}}),
    ("to_worker", {**CALL, "control": 1}),
    ("to_worker", {"message": "run", "seq": 1}),
    ("to_worker", {"message": "sing"}),
    ("to_worker", {"message": "hello", "protocol": 1, "suite": "1"}),
    (
        "from_worker",
        {
            "message": "hello",
            "protocol": 1,
            "implementation": {"name": ""},
            "claims": [{"operators": ["onnx.Gather-1"], "data": [], "indices": []}],
        },
    ),
    ("from_worker", {"seq": 1, "rejected": {"phase": "load"}}),
    ("from_worker", {"seq": 1, "output": {"type": "u8", "shape": [1], "base64": "A"}}),
    ("from_worker", {"seq": "1", "broken": "x"}),
    ("from_worker", {"seq": 1, "descriptor": {"type": "f32", "shape": [None, "2"]}}),
]


def validators():
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (CONFORMANCE / "schemas").glob("*.schema.json")}
    for schema in schemas.values():
        schema["$id"] = "file:///" + schema["$id"]
    store = {schema["$id"]: schema for schema in schemas.values()}
    schema = schemas["protocol.schema.json"]
    Draft202012Validator.check_schema(schema)
    resolver = RefResolver(schema["$id"], schema, store=store)
    return {name: Draft202012Validator({"$ref": f"{schema['$id']}#/$defs/{name}"}, resolver=resolver) for name in schema["$defs"]}


def check_session(name, lines, failures, validator):
    """Lines "-> ...", "<- ..." and "<! ..." of one file; returns how many there were."""
    count, asked = 0, None
    for number, line in enumerate(lines, 1):
        arrow, text = line[:3], line[3:]
        if arrow not in ("-> ", "<- ", "<! "):
            continue
        count += 1
        where = f"{name}:{number}"
        message = json.loads(text)
        if arrow == "-> ":
            asked = message["message"]
            kind = "to_worker"
            if asked in ("run", "describe"):
                try:
                    worker._decode_call(message, contents_needed=asked == "run")
                except (worker.Malformed, worker.Unsupported, KeyError) as fault:
                    failures.append(f"{where}: gathercheck/worker.py refuses it: {fault}")
        else:
            kind = "hello" if asked == "hello" else f"answer_to_{asked}"
            if isinstance(message, dict) and "message" in message:
                kind = "hello"
        errors = [error.message[:200] for error in validator[kind].iter_errors(message)]
        refused = arrow == "<! "
        if refused and not errors and not lines[number].strip().startswith(BEYOND_SCHEMA):
            failures.append(f"{where}: the schema's {kind} accepts what the runner refuses")
        if not refused and errors:
            failures.append(f"{where}: no {kind}: {errors[0]}")
        if not refused and list(validator["from_worker" if arrow == "<- " else "to_worker"].iter_errors(message)):
            failures.append(f"{where}: the whole schema refuses it")
    return count


def main():
    failures, validator = [], validators()
    total = 0
    for path in [CONFORMANCE / "protocol.md", *map(pathlib.Path, sys.argv[1:])]:
        count = check_session(path.name, path.read_text(encoding="utf-8").split("\n"), failures, validator)
        if count == 0:
            failures.append(f"{path.name}: no message was found")
        total += count
    for kind, message in NO_MESSAGES:
        if not list(validator[kind].iter_errors(message)):
            failures.append(f"the schema's {kind} accepts {message}")
    print("\n".join(failures) if failures else f"{total} messages are as the schema says")
    sys.exit(1 if failures else 0)


main()
