# SPDX-License-Identifier: Apache-2.0
# Finds the gather calls of ONNX models, for `gathercheck harvest`.
"""Shapes and types are those of the model and of ONNX's shape inference. Calls of subgraphs and of the model's own functions
count as well.

Contents are known of constants, of given inputs, of shapes, and of what ONNX's reference evaluator computes of them in integers.
"""

import functools
import os

import gathercheck.worker as worker

worker.require("onnx")
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnx.inliner  # noqa: E402
import onnx.reference  # noqa: E402
import onnx.shape_inference  # noqa: E402
import onnx_models  # noqa: E402
from harvest_call import Call, Input, LeftOut, Operand, Refused  # noqa: E402

FAMILIES = {name for name, _ in onnx_models.OPERATORS.values()}
DOMAINS = ("", "ai.onnx")
OF_SHAPES = ("Shape", "Size")  # what they give needs no contents


def read(path, given):
    model, contents = prepared(path, given)
    opset = next((entry.version for entry in model.opset_import if entry.domain in DOMAINS), 0)
    yield from Scope(model.graph, None, opset, contents).nodes()


def prepared(path, given):
    """The model with the sizes of its dimensions, its functions inlined, all types inferred and its external integers read; and the
    given contents of its inputs as arrays by name."""
    try:
        model = onnx.load(path, load_external_data=False)
        model = onnx.inliner.inline_local_functions(model)
    except Exception as error:  # protobuf, the file system, the inliner
        raise Refused(f"cannot be read as an ONNX model: {error}") from None
    read_external_integers(model.graph, os.path.dirname(path))
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = {value.name: input_of(value) for value in model.graph.input}
    is_given = {name: given.contents_of([name]) for name in inputs}
    shapes, sizes = given.settle([each for name, each in inputs.items() if name not in constants or is_given[name]])
    for value in [*model.graph.input, *model.graph.value_info, *model.graph.output]:
        tensor = value.type.tensor_type
        for dim in tensor.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
        if value.name in shapes and value.name in inputs:
            tensor.shape.CopyFrom(onnx.TensorShapeProto(dim=[{"dim_value": size} for size in shapes[value.name]]))
    try:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        raise Refused(f"its shapes cannot be inferred: {error}") from None
    return model, {name: contents.array for name, contents in is_given.items() if contents}


def input_of(value):
    tensor = value.type.tensor_type
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in tensor.shape.dim]
    return Input([value.name], type_name(tensor.elem_type), dims if tensor.HasField("shape") else None)


def type_name(number):
    return onnx_models.BY_NUMBER[number].name if number in onnx_models.BY_NUMBER else "of no element type"


def graphs_of(graph):
    """A graph and all its subgraphs."""
    yield graph
    for node in graph.node:
        for inner in subgraphs_of(node):
            yield from graphs_of(inner)


def subgraphs_of(node):
    return [inner for each in node.attribute for inner in ([each.g] if each.type == each.GRAPH else each.graphs)]


def read_external_integers(graph, folder):
    """Brings the constants in files beside the model whose contents may be indices or shapes into it."""
    for inner in graphs_of(graph):
        nodes = [attribute.t for node in inner.node for attribute in node.attribute if attribute.type == attribute.TENSOR]
        for tensor in [*inner.initializer, *nodes]:
            is_index = tensor.data_type in (onnx.TensorProto.INT32, onnx.TensorProto.INT64)
            if is_index and onnx.external_data_helper.uses_external_data(tensor):
                try:
                    onnx.external_data_helper.load_external_data_for_tensor(tensor, folder)
                    onnx.numpy_helper.to_array(tensor)
                except Exception as error:  # the checker, the file system, numpy
                    raise Refused(f"its constant {tensor.name} lies in a file that cannot be read: {error}") from None


def is_gather(node):
    return node.domain in DOMAINS and node.op_type in FAMILIES


class Scope:
    """A graph with what is known of the values that it sees: by name their types and shapes, and contents."""

    def __init__(self, graph, outer, opset, contents):
        self.graph, self.opset = graph, opset
        self.types = dict(outer.types) if outer else {}  # element type's number, sizes; None where one is not known
        self.contents = dict(outer.contents) if outer else {}  # arrays, and constants as they are stored
        for value in [*graph.input, *graph.value_info, *graph.output]:
            tensor = value.type.tensor_type
            sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
            self.types[value.name] = tensor.elem_type, sizes if tensor.HasField("shape") else [None]
        for tensor in graph.initializer:
            self.set_constant(tensor.name, tensor)
        for node in graph.node:
            if node.domain in DOMAINS and node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
                self.set_constant(node.output[0], node.attribute[0].t)
        self.contents.update(contents)
        self.compute()

    def set_constant(self, name, tensor):
        self.types[name] = tensor.data_type, list(tensor.dims)
        if not onnx.external_data_helper.uses_external_data(tensor):
            self.contents[name] = tensor

    def nodes(self):
        """What read() yields, for this graph and its subgraphs."""
        for node in self.graph.node:
            if is_gather(node):
                label = str(node.name or node.output[0])  # bytes where it is no UTF-8
                yield node.op_type, label, functools.partial(self.call, node)
            for inner in subgraphs_of(node):
                yield from Scope(inner, self, self.opset, {}).nodes()

    def call(self, node):
        versions = [
            (opset, name) for name, (op, opset) in onnx_models.OPERATORS.items() if op == node.op_type and opset <= self.opset
        ]
        if not versions:
            raise LeftOut(f"version {self.opset} of ONNX's operator set has no {node.op_type}")
        if len(node.input) != 2:
            raise LeftOut(f"it has {len(node.input)} operands")
        data, indices = node.input
        attributes = {attribute.name: attribute.i for attribute in node.attribute if attribute.type == attribute.INT}
        array = self.array(indices)
        values = None if array is None else array.reshape(-1).tolist()
        return Call(
            max(versions)[1], Operand(*self.type_and_shape(data)), Operand(*self.type_and_shape(indices), values), attributes
        )

    def type_and_shape(self, name):
        number, shape = self.types.get(name, (0, [None]))
        if number not in onnx_models.BY_NUMBER or None in shape:
            raise LeftOut(f"the shape of {name} depends on contents, or was not inferred")
        return type_name(number), shape

    def array(self, name):
        """The contents of a value as an array, or None."""
        found = self.contents.get(name)
        if isinstance(found, onnx.TensorProto):
            self.contents[name] = found = onnx.numpy_helper.to_array(found)
        return found

    def compute(self):
        """Computes the indices of gathers, here and in subgraphs, as far as that takes integers alone."""
        needed = {
            node.input[1] for graph in graphs_of(self.graph) for node in graph.node if is_gather(node) and len(node.input) > 1
        }
        wanted = []
        for node in reversed(self.graph.node):
            unknown = needed.intersection(node.output) - self.contents.keys()
            if unknown and node.domain in DOMAINS and not subgraphs_of(node) and all(map(self.is_integer, node.output)):
                wanted.append(node)
                needed.update(() if node.op_type in OF_SHAPES else node.input)
        for node in reversed(wanted):
            operands = {name: self.operand(node, name) for name in node.input if name}
            if all(operand is not None for operand in operands.values()):
                try:
                    outputs = onnx.reference.ReferenceEvaluator(node, opsets={"": self.opset}).run(None, operands)
                except Exception:  # what the evaluator cannot compute is not known
                    continue
                for name, array in zip(node.output, map(numpy.asarray, outputs)):
                    self.contents[name] = array
                    self.types[name] = self.types[name][0], list(array.shape)

    def is_integer(self, name):
        number, _ = self.types.get(name, (0, None))
        return not name or type_name(number)[0] in "iub"

    def operand(self, node, name):
        """An operand for the evaluator, or None where it is not known."""
        number, shape = self.types.get(name, (0, [None]))
        if node.op_type in OF_SHAPES and None not in shape:
            return numpy.broadcast_to(numpy.int8(0), shape)
        return self.array(name)
