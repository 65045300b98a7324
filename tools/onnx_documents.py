# SPDX-License-Identifier: Apache-2.0
# Writes the documentation that the installed onnx package holds of its gather operators, one Markdown file a version.
"""usage: python tools/onnx_documents.py FOLDER

`gathercheck coverage --documents FOLDER` then checks the catalogue's ONNX sentences against these texts.
Exit: 0 written; 3 no onnx package; 4 wrong usage.
"""

import pathlib
import sys

VERSIONS = {"Gather": (1, 11, 13), "GatherElements": (11, 13), "GatherND": (11, 12, 13)}


def attribute(schema):
    if schema.required:
        return f"{schema.type.name}, required"
    default = onnx.helper.get_attribute_value(schema.default_value) if schema.default_value.name else None
    return f"{schema.type.name}, " + ("optional" if default is None else f"default {default}")


def listed(entries):
    return [f"- **{name}** ({kind}): {' '.join(text.split())}" for name, kind, text in entries]


def document(schema):
    lines = [f"# {schema.name}-{schema.since_version}", "", "## Description", "", schema.doc.strip("\n")]
    lines += ["", "## Attributes", ""]
    lines += listed((name, attribute(value), value.description) for name, value in sorted(schema.attributes.items()))
    for title, parameters, least, most in (
        ("Inputs", schema.inputs, schema.min_input, schema.max_input),
        ("Outputs", schema.outputs, schema.min_output, schema.max_output),
    ):
        lines += ["", f"## {title} ({least} - {most})", ""]
        lines += listed((each.name, each.type_str, each.description) for each in parameters)
    lines += ["", "## Type Constraints", ""]
    for constraint in schema.type_constraints:
        lines.append(f"- **{constraint.type_param_str}**: {', '.join(sorted(constraint.allowed_type_strs))}")
        lines.append(f"  {constraint.description}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.rstrip(), file=sys.stdout if sys.argv[1:] in (["--help"], ["-h"]) else sys.stderr)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 4)
    try:
        import onnx
    except ImportError as error:
        print(f"onnx_documents: no onnx package here ({error}); remedy: tools/setup.sh onnxruntime", file=sys.stderr)
        sys.exit(3)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, versions in VERSIONS.items():
        for version in versions:
            text = document(onnx.defs.get_schema(name, version, ""))
            (folder / f"{name}-{version}.md").write_text(text, encoding="utf-8")
    print(f"{sum(map(len, VERSIONS.values()))} documents of onnx {onnx.__version__} in {folder}")
