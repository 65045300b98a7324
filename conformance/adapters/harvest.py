# SPDX-License-Identifier: Apache-2.0
# The gather calls of models, for `gathercheck harvest`.
"""Prints them as cases; with --workloads FILE they are also written as workloads of `gathercheck bench`. Equal calls count once.

Exit: 0; 3 a package is missing; 4 bad input, or no call was found.
"""

import argparse
import dataclasses
import importlib
import json
import os
import re
import sys

import gathercheck.worker as worker
from harvest_call import Given, LeftOut, Refused, arrays_in, contents_in

RULES = {"onnx": "onnx", "openvino": "ov"}
RULES_OF = {"Gather": "gather", "GatherElements": "gather-elements", "GatherND": "gather-nd"}
# Versions whose indices do not count from the end.
FROM_THE_START = ("openvino.Gather-1", "openvino.Gather-7", "openvino.GatherElements-6", "openvino.GatherND-5")
ZEROS_OUTSIDE = ("openvino.Gather-8",)  # an index out of bounds gives zeros there
BY_RULE = "its indices are known at run time only; here they go through the range"


def family_of(call):
    return call.operator.split(".")[1].rsplit("-", 1)[0]


def axis_of(call):
    """The axis as the model has it; 0 for what has none."""
    return call.axis.values[0] if call.axis else call.attributes.get("axis", 0)


def sizes_of(call):
    """The sizes that indices are to stay below: of GatherND one for each component of a tuple, else one."""
    data, indices = call.data.shape, call.indices.shape
    if family_of(call) == "GatherND":
        first = call.attributes.get("batch_dims", 0)
        return data[first : first + indices[-1]] if indices else []
    axis = axis_of(call)
    return [data[axis]] if -len(data) <= axis < len(data) else []


def check(call):
    """Raises LeftOut where no output follows from the specification."""
    for name, legal in zip(("data", "indices"), worker.LEGAL_TYPES[call.operator]):
        type_name = getattr(call, name).type
        if type_name not in legal:
            raise LeftOut(f"{call.operator} has no {name} of the type {type_name}")
    sizes, values = sizes_of(call), call.indices.values
    if values is None:
        if min(sizes, default=0) == 0 and 0 not in call.indices.shape:
            raise LeftOut("no index is in bounds")
    elif call.operator not in ZEROS_OUTSIDE:
        for k, value in enumerate(values):
            size = sizes[k % len(sizes)] if sizes else 0
            lowest = 0 if call.operator in FROM_THE_START else -size
            if not lowest <= value < size:
                raise LeftOut(f"its index {value} is not in bounds, from {lowest} to {size - 1}")


def words(text):
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def case_of(name, title, call):
    specification, versioned = call.operator.split(".")
    family, version = versioned.rsplit("-", 1)
    rule = "single-axis" if specification == "onnx" and family == "Gather" else "formula"
    indices = {"type": call.indices.type, "shape": call.indices.shape}
    if call.indices.values is None and 0 not in call.indices.shape:
        indices["fill"] = {"affine": {"start": 0, "step": 1, "modulo": min(sizes_of(call))}}
    else:
        indices["values"] = call.indices.values or []
    return {
        "id": name,
        "title": title,
        **({"why": BY_RULE} if "fill" in indices else {}),
        **({"attributes": call.attributes} if call.attributes else {}),
        "inputs": {
            "data": {"type": call.data.type, "shape": "$call.data", "fill": {"mark": 1}},
            "indices": indices,
            **({"axis": dataclasses.asdict(call.axis)} if call.axis else {}),
        },
        "expect": [
            {
                "for": [call.operator],
                "rules": [f"{RULES[specification]}.{RULES_OF[family]}-{version}.semantics.{rule}"],
                "output": "equation",
            }
        ],
        "sweep": {"call": [{"name": "harvested", "data": call.data.shape}]},  # the equations give the output
    }


def why_untimed(call):
    """Why bench has no workload like the call; empty where it has."""
    data, indices = call.data.shape, call.indices.shape
    if worker.ELEMENT_TYPES[call.data.type].bits % 8 or call.data.type == "string":
        return f"elements of {call.data.type} are not whole bytes"
    if 0 in data or 0 in indices:
        return "a tensor is empty"
    if family_of(call) == "GatherElements":
        axis = axis_of(call) % len(data)
        if data[:axis] + data[axis + 1 :] != indices[:axis] + indices[axis + 1 :]:
            return "dimensions of data and indices other than axis differ"
    entry = worker.ELEMENT_TYPES[call.indices.type]
    if max(sizes_of(call), default=0) > 1 << (entry.bits - entry.name.startswith("i")):
        return f"indices of {entry.name} do not reach the end of data"
    return ""


def workload_of(name, call):
    """A line; axis and batch_dims count from the front there."""
    operands = " ".join(f"{operand.type}[{','.join(map(str, operand.shape))}]" for operand in (call.data, call.indices))
    axis, batch_dims = axis_of(call), call.attributes.get("batch_dims", 0)
    options = {
        "axis": axis + len(call.data.shape) if axis < 0 else axis,
        "batch_dims": batch_dims + len(call.indices.shape) if batch_dims < 0 else batch_dims,
    }
    text = "".join(f" {key}={value}" for key, value in options.items() if value)
    return f"{name} {call.operator} {operands}{text}\n"


class Harvest:
    """The cases and workloads of the models so far."""

    def __init__(self):
        self.names, self.seen = set(), set()
        self.cases, self.workloads = [], []
        self.count = 0  # of gather nodes

    def add_model(self, path, given, with_workloads):
        """Raises Refused."""
        reader = importlib.import_module("harvest_openvino" if path.lower().endswith(".xml") else "harvest_onnx")
        file = os.path.basename(path)
        for kind, label, make in reader.read(path, given):
            self.count += 1
            where = f"{path}: {kind} {label}"
            try:
                call = make()
                check(call)
            except LeftOut as why:
                say(f"{where} is left out: {why}")
                continue
            key = json.dumps(dataclasses.asdict(call))
            if key in self.seen:
                continue
            self.seen.add(key)
            name = self.new_name("-".join(filter(None, ("harvest", words(os.path.splitext(file)[0]), words(label)))))
            case = case_of(name, f"{kind} {label} of {file} gives what its equation says", call)
            self.cases.append(case)
            if "why" in case:
                say(f"{where}: {BY_RULE}")
            if with_workloads:
                untimed = why_untimed(call)
                if untimed:
                    say(f"{where} is no workload: {untimed}")
                else:
                    self.workloads.append(workload_of(name, call))

    def new_name(self, stem):
        name, number = stem, 1
        while name in self.names:
            number += 1
            name = f"{stem}-{number}"
        self.names.add(name)
        return name


def say(text):
    print(f"gathercheck: {text}", file=sys.stderr)


def pair(text):
    name, _, value = text.rpartition("=")
    return name, value


def contents_of(options):
    """Contents by the name of an input. Raises Refused."""
    contents = {}
    for path in options.inputs:
        arrays = arrays_in(path)
        if "" in arrays:
            raise Refused(f"{path}: holds one array, which has no name; give it as --input NAME={path}")
        contents.update(arrays)
    for text in options.input:
        name, _, path = text.partition("=")
        contents[name] = contents_in(path)
    return contents


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--dim", action="append", type=pair, default=[])
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--inputs", action="append", default=[])
    parser.add_argument("--workloads")
    parser.add_argument("--output")
    options = parser.parse_args()
    harvest = Harvest()
    try:
        given = Given({name: int(size) for name, size in options.dim}, contents_of(options))
        for path in options.models:
            try:
                harvest.add_model(path, given, bool(options.workloads))
            except Refused as why:
                raise Refused(f"{path}: {why}") from None
        for line in given.unused():
            raise Refused(line)
    except Refused as why:
        say(why)
        return 4
    say(f"{len(harvest.cases)} different calls in {harvest.count} gather nodes")
    if not harvest.cases:
        return 4
    text = '{ "cases": [\n' + ",\n".join(json.dumps(case) for case in harvest.cases) + "\n] }\n"
    try:
        for path, content in ((options.output, text), (options.workloads, "".join(harvest.workloads))):
            if path:
                with open(path, "w", encoding="utf-8") as out:
                    out.write(content)
    except OSError as error:
        say(f"{error.filename} cannot be written: {error.strerror}")
        return 4
    if not options.output:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
