# SPDX-License-Identifier: Apache-2.0
# Finds the gather calls of ONNX models, for `gathercheck harvest`.
"""Prints them as cases; with --workloads FILE they are also written as workloads of `gathercheck bench`.

Shapes and types are those of the model and of ONNX's shape inference. Calls of subgraphs and of the model's own functions
count as well; equal calls count once.
"""

import argparse
import json
import os
import re
import sys

import gathercheck.worker as worker

worker.require("onnx")
import onnx  # noqa: E402
import onnx.inliner  # noqa: E402
import onnx.shape_inference  # noqa: E402
import onnx_models  # noqa: E402

FAMILIES = {name for name, _ in onnx_models.OPERATORS.values()}
RULE = {"Gather": "single-axis", "GatherElements": "formula", "GatherND": "formula"}
RULES_OF = {"Gather": "gather", "GatherElements": "gather-elements", "GatherND": "gather-nd"}


class LeftOut(Exception):
    """Why a node is no case."""


class Refused(Exception):
    """Why nothing can be said of a model."""


def dimension(text):
    name, _, size = text.rpartition("=")
    return name, int(size)


def prepared(path, sizes):
    """The model with the sizes of its dimensions, its functions inlined and all types inferred."""
    try:
        model = onnx.load(path, load_external_data=False)
        model = onnx.inliner.inline_local_functions(model)
    except Exception as error:  # protobuf, the file system, the inliner
        raise Refused(f"cannot be read as an ONNX model: {error}") from None
    used, needed = set(), set()
    given = {tensor.name for tensor in model.graph.initializer}
    for value in [*model.graph.input, *model.graph.value_info, *model.graph.output]:
        is_input = value in model.graph.input and value.name not in given
        for k, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_param in sizes:
                used.add(dim.dim_param)
                dim.dim_value = sizes[dim.dim_param]
            elif is_input and not dim.HasField("dim_value"):
                name = f"{value.name}.{k}"
                if not dim.dim_param and name in sizes:
                    used.add(name)
                    dim.dim_value = sizes[name]
                else:
                    needed.add(dim.dim_param or name)
    if needed:
        raise Refused("its inputs have open dimensions; give " + " ".join(f"--dim {name}=SIZE" for name in sorted(needed)))
    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True), used
    except onnx.shape_inference.InferenceError as error:
        raise Refused(f"its shapes cannot be inferred: {error}") from None


def operator_of(node, model):
    opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 0)
    versions = [(number, name) for name, (op, number) in onnx_models.OPERATORS.items() if op == node.op_type and number <= opset]
    if not versions:
        raise LeftOut(f"version {opset} of ONNX's operator set has no {node.op_type}")
    return max(versions)[1]


def nodes_of(graph, types, constants):
    """Each gather node with what is known of the values around it."""
    types, constants = dict(types), dict(constants)
    for value in [*graph.input, *graph.value_info, *graph.output]:
        tensor = value.type.tensor_type
        if tensor.HasField("shape"):
            types[value.name] = tensor.elem_type, [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
    for tensor in graph.initializer:
        types[tensor.name] = tensor.data_type, list(tensor.dims)
        constants[tensor.name] = tensor
    for node in graph.node:
        if node.domain in ("", "ai.onnx"):
            if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
                constants[node.output[0]] = tensor = node.attribute[0].t
                types[node.output[0]] = tensor.data_type, list(tensor.dims)
            if node.op_type in FAMILIES:
                yield node, types, constants
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.type == attribute.GRAPH else attribute.graphs:
                yield from nodes_of(inner, types, constants)


def operand(name, types):
    number, shape = types.get(name, (0, [None]))
    if number not in onnx_models.BY_NUMBER or None in shape:
        raise LeftOut(f"the shape of {name} depends on contents, or was not inferred")
    return onnx_models.BY_NUMBER[number].name, shape


def bound(family, data, indices, attributes):
    """How many values an index may have at every place: run-time indices go through them."""
    if family == "GatherND":
        first = attributes.get("batch_dims", 0)
        sizes = data[first : first + indices[-1]] if indices else []
        return min(sizes, default=0)
    axis = attributes.get("axis", 0)
    return data[axis] if -len(data) <= axis < len(data) else 0


def call_of(node, model, types, constants):
    """The call as (operator version, data type, data shape, indices type, indices shape, indices or their fill, attributes)."""
    operator = operator_of(node, model)
    if len(node.input) != 2:
        raise LeftOut(f"it has {len(node.input)} operands")
    data_type, data = operand(node.input[0], types)
    indices_type, indices = operand(node.input[1], types)
    attributes = {attribute.name: attribute.i for attribute in node.attribute if attribute.type == attribute.INT}
    constant = constants.get(node.input[1])
    if constant is not None and not onnx.external_data_helper.uses_external_data(constant):
        contents = {"values": onnx.numpy_helper.to_array(constant).reshape(-1).tolist()}
    else:
        size = bound(node.op_type, data, indices, attributes)
        if size == 0 and 0 not in indices:
            raise LeftOut("no index is in bounds")
        contents = {"fill": {"affine": {"start": 0, "step": 1, "modulo": size}}} if size else {"values": []}
    return operator, data_type, data, indices_type, indices, contents, attributes


def words(text):
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def case_of(name, title, call):
    operator, data_type, data, indices_type, indices, contents, attributes = call
    family, version = operator.removeprefix("onnx.").rsplit("-", 1)
    return {
        "id": name,
        "title": title,
        **({"attributes": attributes} if attributes else {}),
        "inputs": {
            "data": {"type": data_type, "shape": "$call.data", "fill": {"mark": 1}},
            "indices": {"type": indices_type, "shape": indices, **contents},
        },
        "expect": [
            {"for": [operator], "rules": [f"onnx.{RULES_OF[family]}-{version}.semantics.{RULE[family]}"], "output": "equation"}
        ],
        "sweep": {"call": [{"name": "harvested", "data": data}]},  # the equations give the output
    }


def workload_of(name, call):
    operator, data_type, data, indices_type, indices, _, attributes = call

    def text(type_name, shape):
        return f"{type_name}[{','.join(map(str, shape))}]"

    options = "".join(f" {key}={value}" for key, value in attributes.items())
    return f"{name} {operator} {text(data_type, data)} {text(indices_type, indices)}{options}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--dim", action="append", type=dimension, default=[])
    parser.add_argument("--workloads")
    parser.add_argument("--output")
    options = parser.parse_args()
    sizes, used = dict(options.dim), set()
    names, seen, cases, workloads, count = set(), set(), [], [], 0
    for path in options.models:
        file = os.path.basename(path)
        try:
            model, found = prepared(path, sizes)
        except Refused as why:
            print(f"gathercheck: {path}: {why}", file=sys.stderr)
            return 4
        used |= found
        for node, types, constants in nodes_of(model.graph, {}, {}):
            count += 1
            label = node.name or node.output[0]
            try:
                call = call_of(node, model, types, constants)
            except LeftOut as why:
                print(f"gathercheck: {path}: {node.op_type} {label} is left out: {why}", file=sys.stderr)
                continue
            key = json.dumps(call)
            if key in seen:
                continue
            seen.add(key)
            stem = name = "-".join(filter(None, ("harvest", words(os.path.splitext(file)[0]), words(label))))
            number = 1
            while name in names:
                number += 1
                name = f"{stem}-{number}"
            names.add(name)
            cases.append(case_of(name, f"{node.op_type} {label} of {file} gives what its equation says", call))
            if call[1] != "string":
                workloads.append(workload_of(name, call))
    for name in sorted(sizes.keys() - used):
        print(f"gathercheck: --dim {name} names no open dimension of an input", file=sys.stderr)
        return 4
    text = '{ "cases": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n] }\n"
    print(f"gathercheck: {len(cases)} different calls in {count} gather nodes", file=sys.stderr)
    if not cases:
        return 4
    try:
        for path, content in ((options.output, text), (options.workloads, "".join(workloads))):
            if path:
                with open(path, "w", encoding="utf-8") as out:
                    out.write(content)
    except OSError as error:
        print(f"gathercheck: {error.filename} cannot be written: {error.strerror}", file=sys.stderr)
        return 4
    if not options.output:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
