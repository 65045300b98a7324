# SPDX-License-Identifier: Apache-2.0
"""Whether the JSON document of stdin, or each of its lines, is as a schema has it. usage: validate.py SCHEMAS NAME [--lines]"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator

folder, name = sys.argv[1:3]
schemas = {}
for path in pathlib.Path(folder).glob("*.schema.json"):
    schema = json.loads(path.read_text())
    schema["$id"] = "file:///" + schema["$id"]
    schemas[schema["$id"]] = schema
schema = schemas[f"file:///gathercheck/{name}.schema.json"]
try:
    from referencing import Registry

    registry = Registry().with_contents(schemas.items())
    validator = Draft202012Validator(schema, registry=registry)
except ImportError:  # jsonschema before 4.18, as Debian 12 has it
    from jsonschema import RefResolver

    validator = Draft202012Validator(schema, resolver=RefResolver(schema["$id"], schema, store=schemas))
documents = sys.stdin if sys.argv[3:] == ["--lines"] else [sys.stdin.read()]
count = 0
for document in documents:
    count += 1
    for error in validator.iter_errors(json.loads(document)):
        sys.exit(f"{count}: {list(error.absolute_path)}: {error.message[:200]}")
print("valid" if count else "there is nothing")
