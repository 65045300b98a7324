# SPDX-License-Identifier: Apache-2.0
"""The command of the package: where the program and what came with it are, and the launcher `gathercheck`."""

import os
import sys
from pathlib import Path


def program() -> Path:
    """The program: that of this package, else the one that the environment variable GATHERCHECK names, else one on the PATH."""
    inside = Path(__file__).parent / "bin" / "gathercheck"
    if inside.is_file():
        return inside
    named = os.environ.get("GATHERCHECK")
    if named:
        if os.access(named, os.X_OK) and Path(named).is_file():
            return Path(named)
        raise FileNotFoundError(f"GATHERCHECK={named} is no program; name one, e.g. build/release/bin/gathercheck")
    launcher = Path(sys.argv[0]).resolve()  # would only start itself
    for folder in os.get_exec_path():
        file = Path(folder, "gathercheck")
        if os.access(file, os.X_OK) and file.is_file() and file.resolve() != launcher:
            return file
    raise FileNotFoundError(
        "this Python package has no program of its own, the environment variable GATHERCHECK names none, and none is on the PATH; "
        "install the wheel (pip install gathercheck), or set GATHERCHECK to the command of a build"
    )


def get_include() -> str:
    """The folder of plugin.h and gathercheck_worker.hpp, for a compiler's -I."""
    return _installed("include/gathercheck", "conformance/plugin.h and conformance/adapters/gathercheck_worker.hpp")


def get_examples() -> str:
    """The folder of my_plugin.c, my_worker.cpp and my_worker.py, to begin with."""
    return _installed("share/gathercheck/examples", "tools/examples")


def get_protocol() -> str:
    """The file of the protocol that workers speak, protocol.md; its JSON Schema lies beside it in schemas/."""
    return _installed("share/gathercheck/conformance/protocol.md", "conformance/protocol.md")


def get_adapters() -> str:
    """The folder of the shipped workers, and of what those in JavaScript and Go are written with: gathercheck_worker.mjs and
    the package gathercheck_go."""
    return _installed("share/gathercheck/adapters", "conformance/adapters")


def _installed(name: str, in_sources: str) -> str:
    file = program()
    path = file.parent.parent / name
    if not path.exists():
        raise FileNotFoundError(f"{file} is not installed, as there is no {path}; in the source tree it is {in_sources}")
    return str(path)


def main() -> None:
    """Becomes the program. Its adapters run in this Python, unless GATHERCHECK_PYTHON names another."""
    try:
        file = program()
    except FileNotFoundError as error:
        print(f"gathercheck: {error}", file=sys.stderr)
        sys.exit(3)
    os.environ["GATHERCHECK_PYTHON"] = os.environ.get("GATHERCHECK_PYTHON") or sys.executable
    os.execv(file, ["gathercheck", *sys.argv[1:]])
