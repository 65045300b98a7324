# SPDX-License-Identifier: Apache-2.0
# Cuts the texts of TensorFlow's and WebNN's gather operators out of the files that hold them.
"""usage: python tools/further_documents.py FOLDER FILE...

FILE is api_def_GatherV2.pbtxt or api_def_GatherNd.pbtxt of tensorflow/core/api_def/base_api in TensorFlow's sources, or
index.bs of github.com/webmachinelearning/webnn. `gathercheck coverage --documents FOLDER` then checks the catalogue's
sentences against these texts. Exit: 0 written; 4 wrong usage, or a file of another kind.
"""

import pathlib
import re
import sys


def tensorflow(text):
    """The name, the arguments, the summary and the description; no pictures and no references to other operators."""
    blocks = ["op " + re.search(r'graph_op_name: "(\w+)"', text)[1]]
    for kind, name, words in re.findall(r'(in_arg|out_arg) \{\s*name: "(\w+)"\s*description: <<END\n(.*?)\nEND', text, re.S):
        blocks.append(f"{kind} {name}: {words}")
    blocks.append("summary: " + re.search(r'^  summary: "(.*)"$', text, re.M)[1])
    description = re.search(r"^  description: <<END\n(.*?)\nEND", text, re.S | re.M)[1]
    description = re.sub(r"<div .*?</div>\n*", "", description, flags=re.S)
    blocks.append(re.sub(r"^See also .*?(\n\n|\Z)", "", description, flags=re.S | re.M))
    return "\n\n".join(blocks).rstrip() + "\n"


def webnn(text):
    """The sections gather, gatherElements and gatherND, as they are."""
    sections = re.findall(r"^### gather(?:Elements|ND)? ### .*?(?=^### )", text, re.S | re.M)
    return "".join(sections)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        asked = sys.argv[1:] in (["--help"], ["-h"])
        print(__doc__.rstrip(), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 4)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file in map(pathlib.Path, sys.argv[2:]):
        text = file.read_text(encoding="utf-8")
        document = tensorflow(text) if file.suffix == ".pbtxt" else webnn(text)
        if not document:
            print(f"further_documents: {file} has no gather operator; name a file that the usage lists", file=sys.stderr)
            sys.exit(4)
        (folder / f"{file.stem}.txt").write_text(document, encoding="utf-8")
    print(f"{len(sys.argv) - 2} documents in {folder}")
