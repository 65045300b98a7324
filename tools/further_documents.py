# SPDX-License-Identifier: Apache-2.0
# Cuts the texts of TensorFlow's, WebNN's, PyTorch's and the array API's gather operators out of the files that hold them.
"""usage: python tools/further_documents.py FOLDER FILE...

FILE is api_def_GatherV2.pbtxt or api_def_GatherNd.pbtxt of tensorflow/core/api_def/base_api in TensorFlow's sources,
index.bs of github.com/webmachinelearning/webnn, torch/_torch_docs.py of a PyTorch package, or indexing_functions.py of
src/array_api_stubs in github.com/data-apis/array-api. `gathercheck coverage --documents FOLDER` then checks the
catalogue's sentences against these texts. Exit: 0 written; 4 wrong usage, or a file of another kind.
"""

import ast
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


def torch(text):
    """The docstrings of index_select, gather and take_along_dim, by name, each argument an item of a list."""
    documents, common = {}, {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "common_args":
            lines = [line.strip() for line in node.value.args[0].value.splitlines()]
            common = {line.split()[0]: line for line in lines if line}
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "add_docstr"):
            continue
        name = ast.unparse(node.args[0]).removeprefix("torch.")
        if name in ("index_select", "gather", "take_along_dim"):
            words = next(each.value for each in ast.walk(node.args[1]) if isinstance(each, ast.Constant))
            for argument in ("input", "out"):
                words = words.replace(f"    {{{argument}}}", f"    {common[argument]}")
            words = re.sub(r"^    (?=\w+ \(.*\):)", "- ", words, flags=re.M)
            words = re.sub(r"^\.\. note::\s+", "", words, flags=re.M)
            documents[f"torch-{name}"] = re.sub(r":\w+:`([^`]*)`(\\ )?", r"\1", words).strip() + "\n"
    return documents


def array_api(text):
    """The docstrings of take and take_along_axis, by name."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    words = {f"array_api-{each.name}": ast.get_docstring(each) + "\n" for each in functions if each.name.startswith("take")}
    return {name: re.sub(r":\w+:`([^`]*)`", r"\1", each) for name, each in words.items()}


def documents_of(file):
    """Texts by the name of the file that they go to."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return torch(text) if file.stem == "_torch_docs" else array_api(text)
    document = tensorflow(text) if file.suffix == ".pbtxt" else webnn(text)
    return {file.stem: document} if document else {}


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        asked = sys.argv[1:] in (["--help"], ["-h"])
        print(__doc__.rstrip(), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 4)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for file in map(pathlib.Path, sys.argv[2:]):
        documents = documents_of(file)
        if not documents:
            print(f"further_documents: {file} has no gather operator; name a file that the usage lists", file=sys.stderr)
            sys.exit(4)
        for name, document in documents.items():
            (folder / f"{name}.txt").write_text(document, encoding="utf-8")
        written += len(documents)
    print(f"{written} documents in {folder}")
