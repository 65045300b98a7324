# SPDX-License-Identifier: Apache-2.0
"""What the wheel is made of, without making one: the components that CMake installs are complete, and pyproject.toml agrees with
the version of the project and with the engines' pinned packages.

usage: wheel_files.py ROOT BUILD CMAKE FOLDER
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

root, build, cmake, folder = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
failures = []


def expect(name, condition):
    if not condition:
        failures.append(name)


def lines(file):
    return [line for line in (root / file).read_text().splitlines() if line and not line.startswith("#")]


project = tomllib.loads((root / "tools/python/pyproject.toml").read_text())

# --- version
regex = project["tool"]["scikit-build"]["metadata"]["version"]["regex"]
version = re.search(regex, (root / "CMakeLists.txt").read_text(), re.MULTILINE)
expect("the version of CMakeLists.txt is found by pyproject.toml", version)

# --- extras
pinned = dict(line.split("==") for line in lines("tools/engines/constraints.txt"))
extras = dict(project["project"]["optional-dependencies"])
extras.pop("pytest")
tested = [line for line in lines("tools/tests/requirements.txt") if line.startswith("distributed==")]
expect(f"the extra campaign is {tested}, as its tests have it", extras.pop("campaign", None) == tested)
for file in sorted((root / "tools/engines").glob("requirements-*.txt")):
    engine = file.stem.removeprefix("requirements-")
    wanted = [line if "==" in line else f"{line}=={pinned[line]}" for line in lines(file) if not line.startswith("-c")]
    expect(f"the extra {engine} is {wanted}, as {file.name} and constraints.txt have it", extras.pop(engine, None) == wanted)
expect(f"these extras are of no tools/engines/requirements-*.txt: {list(extras)}", not extras)

# --- files
shutil.rmtree(folder, ignore_errors=True)
for component in "command", "wheel":
    subprocess.run([cmake, "--install", build, "--component", component, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
installed = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
wanted = {"bin/gathercheck", "include/gathercheck/plugin.h", "include/gathercheck/gathercheck_worker.hpp"}
wanted |= {f"share/gathercheck/bench/{name}" for name in ("workloads.txt", "jax_peer.py")}
wanted |= {f"share/gathercheck/examples/{name}" for name in ("my_plugin.c", "my_worker.cpp", "my_worker.py")}
wanted |= {f"metadata/licenses/{name}.txt" for name in ("gathercheck", "nlohmann", "cli11", "xsimd")}
wanted |= {f"share/gathercheck/{file.relative_to(root)}" for file in (root / "spec_cases").rglob("*") if file.is_file()}
wanted |= {file.name for file in (root / "conformance/adapters/gathercheck").glob("*.py")}
wanted |= {f"share/gathercheck/conformance/{name}" for name in ("protocol.md", "schemas/protocol.schema.json")}
# Workers and what they import; and what reproducers in Rust and Go are built by.
for pattern in "*.py", "*.mjs", "Cargo.*", "go.*", "gathercheck_go/*.go":
    for file in (root / "conformance/adapters").rglob(pattern):
        inside = file.relative_to(root / "conformance")
        if "tests" not in inside.parts:
            wanted.add(f"share/gathercheck/{inside}")
for line in lines("tools/engines/engines.txt"):
    name, runner, file = [part.strip() for part in line.split("|")][:3]
    if runner in ("python", "node"):
        wanted.add(f"share/gathercheck/adapters/{file.split()[0]}")
wanted = {name for name in wanted if "__pycache__" not in name}
expect(f"these are not installed: {sorted(wanted - installed)}", wanted <= installed)
expect("the plug-in of overhead is installed", any(name.endswith("/gathercheck/gathercheck_null_plugin.so") for name in installed))
for document in "conformance/protocol.md", "spec_cases/known_failures/README.md":
    file = folder / "share/gathercheck" / document
    links = re.findall(r"\]\(([^)#]+)", file.read_text()) if file.is_file() else []
    dead = [link for link in links if not (file.parent / link).exists()]
    expect(f"links of {document} lead to what is not installed: {dead}", links and not dead)
headers = [name for name in installed if name.endswith((".a", ".hpp", ".cmake")) and not name.endswith("/gathercheck_worker.hpp")]
expect(f"these are of the component development: {headers}", not headers)
said = subprocess.run([folder / "bin/gathercheck", "--version"], capture_output=True, text=True).stdout.strip()
expect(f"the installed command is of version {version and version['value']}, it says {said}", version and said == version["value"])

for failure in failures:
    print(f"FAILED: {failure}")
print(f"{len(installed)} files")
sys.exit(bool(failures))
