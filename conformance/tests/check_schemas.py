# SPDX-License-Identifier: Apache-2.0
# Checks the published JSON Schemas with an independent validator: shipped data is valid, damaged data is not.
import copy
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import RefResolver
except ImportError as missing:
    print(f"the Python module jsonschema is missing ({missing}); install it, e.g. as python3-jsonschema")
    sys.exit(77)

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "schemas"
SPEC_CASES = SCHEMAS.parent.parent / "spec_cases"

VALID_CASE = {
    "id": "a-1",
    "title": "t",
    "axis": 0,
    "inputs": {
        "data": {"type": "f32", "shape": [3, 2], "fill": {"except": {"fill": {"address": 1}, "at": {"-1": 0.5}}}},
        "indices": {"type": "i64", "shape": [2], "values": [3, 0]},
    },
    "expect": [
        {"for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.indices.error"], "error": "index_out_of_bounds", "phase": "run"}
    ],
    "control": "b/type=f32",
    "after": ["c", "c", "d.1"],
}
VALID_RULE = {
    "id": "onnx.gather-13.axis.range",
    "operator": "onnx.Gather-13",
    "statement": "s",
    "level": "stated",
    "document": "d",
    "section": "s",
    "sha256": "0" * 64,
    "also": [{"document": "d", "section": "t", "sha256": "1" * 64}],
    "errors": ["axis_out_of_range"],
    "phase": "shape",
    "positive": "p",
    "negative": "n",
}

# Path into the valid document, and the value that makes it invalid; REMOVED removes.
REMOVED = object()
BAD_CASES = [
    (["id"], "A"),
    (["id"], "a--b"),
    (["title"], ""),
    (["titel"], "x"),
    (["axis"], 0.5),
    (["axis"], 2**63),
    (["inputs"], REMOVED),
    (["attributes"], {"axis": 0}),
    (["inputs", "data", "type"], "float"),
    (["inputs", "data", "shape"], [-1]),
    (["inputs", "data", "values"], [1]),
    (["inputs", "data", "fill"], {"address": 1, "mark": 1}),
    (["inputs", "data", "fill"], {"random": 1}),
    (["inputs", "data", "sha256"], "0" * 64),
    (["inputs", "indices", "values"], [None]),
    (["inputs", "indices", "values"], 3),
    (["expect"], []),
    (["expect", 0, "for"], []),
    (["expect", 0, "for"], ["onnx.Gather-12"]),
    (["expect", 0, "for"], ["gather/wraps"]),
    (["expect", 0, "for"], ["gather/wraps/error"]),
    (["expect", 0, "rules"], []),
    (["expect", 0, "error"], "wrong"),
    (["expect", 0, "error"], REMOVED),
    (["expect", 0, "unspecified"], "u"),
    (["expect", 0, "phase"], "late"),
    (["control"], "A b"),
    (["sweep"], {}),
    (["after"], []),
    (["after"], "c"),
    (["after"], ["c/type=f32"]),
    (["after"], ["c"] * 9),
]
BAD_RULES = [
    (["level"], "guessed"),
    (["sha256"], REMOVED),
    (["no_sentence"], "x"),
    (["phase"], REMOVED),
    (["negative"], REMOVED),
    (["errors"], REMOVED),
    (["errors"], []),
    (["operator"], "onnx.Gather-12"),
    (["note"], "x"),
    (["positive"], REMOVED),
    (["id"], "x"),
    (["also"], []),
    (["also", 0, "section"], REMOVED),
    (["also", 0, "sha256"], "1"),
    (["also", 0, "note"], "x"),
]
VALID_CLARIFICATION = {
    "id": "a-1",
    "title": "t",
    "topic": "indices",
    "operators": ["onnx.Gather-13"],
    "rules": ["onnx.gather-13.indices.error"],
    "says": "s",
    "silent": "n",
    "readings": [{"reading": "r", "for": "f"}, {"reading": "q", "against": "a"}],
    "why": "w",
    "cases": ["b/type=f32"],
    "question": "q",
}
BAD_CLARIFICATIONS = [
    (["id"], "A"),
    (["topic"], "weather"),
    (["operators"], []),
    (["operators"], ["onnx.Gather-12"]),
    (["rules"], []),
    (["rules"], ["x"]),
    (["readings"], [{"reading": "r", "for": "f"}]),
    (["readings", 0, "for"], REMOVED),
    (["readings", 0, "better"], "x"),
    (["why"], ""),
    (["cases"], REMOVED),
    (["cases"], []),
    (["no_case"], "x"),
    (["engines"], "x"),
    (["question"], REMOVED),
]
VALID_OBSERVED = {
    "observed": [
        {
            "implementation": "engine",
            "version": "1",
            "date": "2026-11-21",
            "observations": [
                {
                    "case": "a",
                    "operator": "onnx.Gather-13",
                    "verdict": "pass",
                    "outcome": "rejected",
                    "phase": "run",
                    "routes": ["runtime/static"],
                }
            ],
        }
    ]
}
BAD_OBSERVED = [
    (["date"], "today"),
    (["version"], REMOVED),
    (["observations", 0, "routes"], []),
    (["observations", 0, "routes"], ["lazy/static"]),
    (["observations", 0, "verdict"], "broken"),
    (["observations", 0, "detail"], "x"),
    (["observations", 0, "operator"], "onnx.Gather-12"),
]
VALID_FINDING = {
    "id": "engine-clamps",
    "implementations": ["engine"],
    "severity": "missing error",
    "statement": "s",
    "rules": ["onnx.gather-13.indices.error"],
    "call": {
        "case": "a/type=f32",
        "operator": "onnx.Gather-13",
        "route": {"operands": "runtime", "shapes": "static", "axis": "runtime"},
    },
    "outcome": "crash",
    "reproducer": "engine/clamps.py",
    "seen": {"first": "1.2", "last": "1.3"},
    "link": "https://example.org/1",
    "note": "n",
}
BAD_FINDINGS = [
    (["id"], "A"),
    (["id"], "a--b"),
    (["implementations"], []),
    (["severity"], "grave"),
    (["statement"], ""),
    (["rules"], []),
    (["rules"], "x"),
    (["call", "case"], ["a"]),
    (["call", "operator"], "onnx.Gather-12"),
    (["call", "route", "operands"], "lazy"),
    (["call", "route"], REMOVED),
    (["outcome"], "pass"),
    (["reproducer"], REMOVED),
    (["seen"], "1.2"),
    (["seen", "last"], REMOVED),
    (["since"], "1"),
    (["reason"], "r"),
]
VALID_KNOWN = {
    "case": "a",
    "operator": ["onnx.Gather-13"],
    "route": {"operands": "runtime", "shapes": "static"},
    "outcomes": ["crash", "pass"],
    "finding": "engine-clamps",
    "expires": "2027-12-31",
}
BAD_KNOWN = [
    (["finding"], REMOVED),
    (["finding"], ""),
    (["reason"], "r"),
    (["rule"], "x"),
    (["reproducer"], "x"),
    (["link"], "x"),
    (["outcomes"], []),
]
VALID_DECLARED = {
    "operator": "mine.Gather",
    "family": "gather",
    "axis": {"from": "input", "negative": False, "of_one_element": ["output", "error"]},
    "batch_dims": "from_zero",
    "types": {"data": ["f32", "string"], "indices": ["i32"], "axis": ["i64"]},
    "indices": {"negative": False, "outside": ["error", "zero"], "rank": "any"},
    "empty": {"data": "unspecified"},
    "open": {"axis.range": "r"},
    "rules": "mine.gather",
}
BAD_DECLARED = [
    (["operator"], "Gather"),
    (["operator"], "onnx.Gather-12"),
    (["family"], "scatter"),
    (["family"], "gather_nd"),
    (["axis"], REMOVED),
    (["axis", "from"], REMOVED),
    (["axis", "default"], 0),
    (["axis", "of_one_element"], "error"),
    (["batch_dims"], "any"),
    (["types", "data"], ["float"]),
    (["types", "indices"], ["f32"]),
    (["indices", "outside"], "wrap"),
    (["indices", "outside"], REMOVED),
    (["indices", "rank"], 1),
    (["empty", "axis"], "output"),
    (["open", "axis.range"], ""),
    (["note"], "x"),
]


def damaged(document, path, value):
    result = copy.deepcopy(document)
    target = result
    for step in path[:-1]:
        target = target[step]
    if value is REMOVED:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return result


def main():
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.schema.json")}
    for schema in schemas.values():
        schema["$id"] = "file:///" + schema["$id"]  # references between files need absolute names
    store = {schema["$id"]: schema for schema in schemas.values()}

    def validator(name):
        schema = schemas[name]
        Draft202012Validator.check_schema(schema)
        return Draft202012Validator(schema, resolver=RefResolver(schema["$id"], schema, store=store))

    failures = []

    def expect(valid, name, document, what):
        errors = list(validator(name).iter_errors(document))
        if valid and errors:
            first = errors[0]
            failures.append(f"{what}: {'/'.join(map(str, first.absolute_path))}: {first.message[:300]}")
        elif not valid and not errors:
            failures.append(f"{what}: the schema accepts it")

    for name in schemas:
        Draft202012Validator.check_schema(schemas[name])
    files = sorted((SPEC_CASES / "cases").rglob("*.json"))
    rules = sorted(path for path in (SPEC_CASES / "rules").glob("*.json") if "." in path.stem)
    if not files or not rules:
        failures.append("no shipped data was found")
    for path in files:
        expect(True, "case.schema.json", json.loads(path.read_text(encoding="utf-8")), path.name)
    for path in rules:
        expect(True, "rules.schema.json", json.loads(path.read_text(encoding="utf-8")), path.name)
    expect(True, "equations.schema.json", json.loads((SPEC_CASES / "equations.json").read_text(encoding="utf-8")), "equations.json")
    expect(True, "case.schema.json", {"cases": [VALID_CASE]}, "the valid case")
    expect(True, "rules.schema.json", {"rules": [VALID_RULE]}, "the valid rule")
    dialects = sorted((SPEC_CASES / "dialects").glob("*.json"))
    if not dialects:
        failures.append("no dialects were found")
    for path in dialects:
        expect(True, "dialect.schema.json", json.loads(path.read_text(encoding="utf-8")), path.name)
    expect(True, "dialect.schema.json", {"dialect": "mine", "operators": [VALID_DECLARED]}, "the valid declaration")
    for path, value in BAD_DECLARED:
        document = {"dialect": "mine", "operators": [damaged(VALID_DECLARED, path, value)]}
        expect(False, "dialect.schema.json", document, f"declaration with {path} = {value!r}")
    clarifications = sorted((SPEC_CASES / "clarifications").glob("*.json"))
    if not clarifications:
        failures.append("no clarifications were found")
    for path in clarifications:
        schema = "observed.schema.json" if path.name == "observed.json" else "clarification.schema.json"
        expect(True, schema, json.loads(path.read_text(encoding="utf-8")), path.name)
    expect(True, "clarification.schema.json", VALID_CLARIFICATION, "the valid clarification")
    expect(True, "observed.schema.json", VALID_OBSERVED, "the valid observations")
    for path, value in BAD_CLARIFICATIONS:
        expect(
            False, "clarification.schema.json", damaged(VALID_CLARIFICATION, path, value), f"clarification with {path} = {value!r}"
        )
    for path, value in BAD_OBSERVED:
        expect(
            False,
            "observed.schema.json",
            damaged(VALID_OBSERVED, ["observed", 0, *path], value),
            f"observations with {path} = {value!r}",
        )
    findings = sorted((SPEC_CASES / "findings").glob("*.json"))
    known = sorted((SPEC_CASES / "known_failures").glob("*.json"))
    if not findings or not known:
        failures.append("no findings or known failures were found")
    histories = sorted((SPEC_CASES / "findings" / "history").glob("*.json"))
    for schema, paths in (
        ("findings.schema.json", findings),
        ("known_failures.schema.json", known),
        ("finding_history.schema.json", histories),
    ):
        for path in paths:
            expect(True, schema, json.loads(path.read_text(encoding="utf-8")), path.name)

    def with_finding(finding):
        return {"engine": "Engine", "findings": [finding]}

    def with_known(entry):
        return {"implementation": "engine", "versions": "1.2", "failures": [entry]}

    history = {"engine": "engine", "asked": ["1", "2"], "findings": [{"id": "engine-x", "shown": ["1"], "not_shown": ["2"]}]}
    expect(True, "finding_history.schema.json", history, "the valid history")
    for path, value in (
        (["asked"], []),
        (["engine"], REMOVED),
        (["findings", 0, "shown"], ["1", "1"]),
        (["findings", 0, "seen"], []),
    ):
        expect(False, "finding_history.schema.json", damaged(history, path, value), f"history with {path} = {value!r}")
    expect(True, "findings.schema.json", with_finding(VALID_FINDING), "the valid finding")
    expect(True, "known_failures.schema.json", with_known(VALID_KNOWN), "the valid known failure")
    of_a_user = damaged(damaged(VALID_KNOWN, ["finding"], REMOVED), ["reason"], "it clamps")
    expect(
        True,
        "known_failures.schema.json",
        with_known({**of_a_user, "rule": "x", "reproducer": "y", "link": "z"}),
        "a user's known failure",
    )
    for path, value in BAD_FINDINGS:
        expect(False, "findings.schema.json", with_finding(damaged(VALID_FINDING, path, value)), f"finding with {path} = {value!r}")
    for path, value in BAD_KNOWN:
        expect(
            False,
            "known_failures.schema.json",
            with_known(damaged(VALID_KNOWN, path, value)),
            f"known failure with {path} = {value!r}",
        )
    for path, value in BAD_CASES:
        expect(False, "case.schema.json", {"cases": [damaged(VALID_CASE, path, value)]}, f"case with {path} = {value!r}")
    for path, value in BAD_RULES:
        expect(False, "rules.schema.json", {"rules": [damaged(VALID_RULE, path, value)]}, f"rule with {path} = {value!r}")
    expect(False, "case.schema.json", {"cases": []}, "no cases")
    expect(False, "rules.schema.json", {"rules": []}, "no rules")
    print(
        "\n".join(failures)
        if failures
        else f"{len(files)} case files, {len(rules)} rule files and {len(clarifications)} clarification files are valid"
    )
    sys.exit(1 if failures else 0)


main()
