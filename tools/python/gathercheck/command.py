# SPDX-License-Identifier: Apache-2.0
# Finds the gathercheck command.
import os
import pathlib
import shutil


def program() -> pathlib.Path:
    """The command: that of this package, else what the environment variable GATHERCHECK names, else that of the PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "gathercheck"
    found = own if own.is_file() else os.environ.get("GATHERCHECK") or shutil.which("gathercheck")
    if found is None:
        raise FileNotFoundError("no gathercheck command: set GATHERCHECK to its path")
    return pathlib.Path(found)
