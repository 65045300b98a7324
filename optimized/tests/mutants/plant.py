#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a bug of mutants.txt into a copy of the file that it is about, or sees that every bug can be planted."""

import dataclasses
import json
import pathlib
import re
import sys

USAGE = """usage: plant.py LIST ROOT [NAME FOLDER]

Reads planted bugs from LIST; ROOT is the root of the project. With NAME and FOLDER: writes the mutant's
copy of the file to FOLDER/optimized, and what is to be compiled to FOLDER/planted.cpp. Without: checks
that each can be planted.

Exit: 0 done; 1 some bug cannot be planted; 4 wrong usage, or the list is malformed."""

KEYS = ("mutant", "idea", "in", "compiles", "with")
SETTINGS = ("loads", "prefetch", "stream", "small", "parts", "large")


class Fault(Exception):
    """What is wrong, and where."""


@dataclasses.dataclass
class Mutant:
    """One planted bug."""

    place: str  # file and line of the list
    keys: dict
    old: list
    new: list

    @property
    def name(self):
        return self.keys["mutant"]

    @property
    def is_unchanged(self):
        """Without a bug."""
        return "in" not in self.keys and not self.old and not self.new

    @property
    def file(self):
        return self.keys.get("in", "")

    @property
    def settings(self):
        return self.keys.get("with", "").split()


def read_list(path):
    """The mutants of a list, in their order."""
    mutants = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path}:{number}"
        if not line or line.startswith("#"):
            continue
        if line.startswith("mutant: "):
            mutants.append(Mutant(place, {}, [], []))
        if not mutants:
            raise Fault(f"{place}: a bug begins with 'mutant: NAME'")
        mutant = mutants[-1]
        key, colon, value = line.partition(": ")
        if line.startswith("- "):
            mutant.old.append(line[2:])
        elif line.startswith("+ "):
            mutant.new.append(line[2:])
        elif colon and key in KEYS and key not in mutant.keys:
            mutant.keys[key] = value
        else:
            raise Fault(f"{place}: no line of a bug, or its second: {line}")
    names = set()
    for mutant in mutants:
        check(mutant)
        if mutant.name in names:
            raise Fault(f"{mutant.place}: there is another {mutant.name}")
        names.add(mutant.name)
        ways = [set(other.settings) for other in mutants if other.is_unchanged]
        if set(mutant.settings) - {"large"} not in ways:
            raise Fault(f"{mutant.place}: nothing without a bug is run as {mutant.name} is")
    return mutants


def check(mutant):
    """Whether all is there that a bug needs."""
    if "idea" not in mutant.keys:
        raise Fault(f"{mutant.place}: {mutant.name} has no 'idea: '")
    for setting in mutant.settings:
        if setting not in SETTINGS:
            raise Fault(f"{mutant.place}: {mutant.name} is with '{setting}'; there are {' '.join(SETTINGS)}")
    if mutant.is_unchanged:
        return
    if not mutant.old:
        raise Fault(f"{mutant.place}: {mutant.name} replaces nothing; '- ' begins a line of the old text")
    if mutant.file.endswith(".hpp") == ("compiles" not in mutant.keys):
        raise Fault(f"{mutant.place}: {mutant.name} needs 'compiles: ' where it is in a header, and only there")


def planted(mutant, root):
    """The text of the mutant's file, with the bug. How the old text is broken into lines does not matter."""
    if mutant.is_unchanged:
        return ""
    path = root / "optimized" / mutant.file
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Fault(f"{mutant.place}: {mutant.name} is in a file that cannot be read: {error}") from error
    old = r"\s+".join(re.escape(word) for word in " ".join(mutant.old).split())
    found = list(re.finditer(old, text))
    if len(found) != 1:
        raise Fault(
            f"{mutant.place}: {mutant.name} cannot be planted: its old text is in optimized/{mutant.file} "
            f"{len(found)} times, not once; write down what stands there now, or drop the bug:\n  " + "\n  ".join(mutant.old)
        )
    return text[: found[0].start()] + "\n".join(mutant.new) + text[found[0].end() :]


def source(mutant):
    """What is compiled of a mutant."""
    theme = mutant.file.removeprefix("kernels/").removeprefix("execute/").partition(".")[0] or "unchanged"
    lines = ['#include "optimized/tests/mutants/planted.hpp"']
    compiles = mutant.keys.get("compiles", mutant.file).split()
    of_kernels = mutant.file.startswith("kernels/")
    if of_kernels:
        lines.append('#include "optimized/tests/mutants/plant.hpp"')
    else:
        lines += [f'#include "optimized/{file}"' for file in compiles]
    text = ", ".join(json.dumps(each) for each in (mutant.name, theme.replace("_", "-"), mutant.keys["idea"]))
    flags = ", ".join(f".{setting} = true" for setting in SETTINGS if setting in mutant.settings)
    lines += [
        "namespace gathercheck::optimized {",
        f"extern const Planted planted{{{text}, {{{flags}}}}};",
        "void plant([[maybe_unused]] Kernels& table) {",
        *(f"    plant_{family}(table);" for family in compiles if of_kernels),
        "}",
        "}  // namespace gathercheck::optimized",
    ]
    return "\n".join(lines) + "\n"


def write(path, text):
    """Leaves a file alone that has the text already, so that nothing is compiled for it."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(arguments):
    """The command."""
    if len(arguments) not in (2, 4):
        print(USAGE, file=sys.stderr)
        return 4
    try:
        mutants = read_list(pathlib.Path(arguments[0]))
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 4
    root = pathlib.Path(arguments[1])
    if len(arguments) == 4:
        mutants = [mutant for mutant in mutants if mutant.name == arguments[2]]
    if not mutants:
        print(f"{arguments[0]}: no such mutant", file=sys.stderr)
        return 4
    faults = 0
    for mutant in mutants:
        try:
            text = planted(mutant, root)
        except Fault as fault:
            print(fault, file=sys.stderr)
            faults += 1
            continue
        if len(arguments) == 4:
            folder = pathlib.Path(arguments[3])
            if not mutant.is_unchanged:
                write(folder / "optimized" / mutant.file, text)
            write(folder / "planted.cpp", source(mutant))
    if len(arguments) == 2 and not faults:
        print(f"{len(mutants)} bugs can be planted")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
