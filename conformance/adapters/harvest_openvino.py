# SPDX-License-Identifier: Apache-2.0
# Finds the gather calls of OpenVINO models, for `gathercheck harvest`.
"""Reads the IR: model.xml, and of model.bin no more than the indices and axes. Bodies of If, Loop and TensorIterator count.

The file itself says types and shapes. Only where its inputs have open dimensions the package openvino carries their sizes
through the model.
"""

import contextlib
import functools
import os
import re
import sys
import tempfile
import xml.etree.ElementTree

import gathercheck.worker as worker
from harvest_call import Call, Input, LeftOut, Operand, Refused

numpy = worker.require("numpy")

OPERANDS = {"Gather": ("data", "indices", "axis"), "GatherElements": ("data", "indices"), "GatherND": ("data", "indices")}
OLDEST = 10  # version of the IR
KEEP_ELEMENTS = ("Convert", "Reshape", "Squeeze", "Unsqueeze")  # their first input's elements, in order
INTEGERS = worker.LEGAL_TYPES["openvino.Gather-8"][1]
TYPE_NAMES = {
    **{name.upper(): name for name in worker.ELEMENT_TYPES},
    **{"BIN": "u1", "BOOL": "boolean", "FP16": "f16", "FP32": "f32", "FP64": "f64"},
}


def read(path, given):
    net = parsed(path)
    with well_formed():
        graph = Graph(net)
        parameters = [layer for layer in graph.layers.values() if layer.get("type") == "Parameter"]
        inputs = [graph.input(layer) for layer in parameters]
    settled, _ = given.settle(inputs)
    shapes = {}  # by the name of the layer
    for layer, each in zip(parameters, inputs):
        name = each.names[0]
        if name not in settled:
            raise Refused(f"the rank of its input {name} is open; give --input {name}=FILE")
        shapes[layer.get("name")] = settled[name]
    if any(each.dims != settled[each.names[0]] for each in inputs):
        take_shapes(net, with_shapes(path, shapes))
    contents = {id(layer): given.contents_of(each.names) for layer, each in zip(parameters, inputs)}
    yield from nodes_of(net, contents, os.path.splitext(path)[0] + ".bin")


@contextlib.contextmanager
def well_formed():
    """Raises Refused where something is missing inside that every IR has."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"is no whole OpenVINO model ({error})") from None


def parsed(path):
    """The element <net> of a file."""
    try:
        net = xml.etree.ElementTree.parse(path).getroot()
        version = int(net.get("version", 0)) if net.tag == "net" else 0
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        raise Refused(f"cannot be read as an OpenVINO model: {error}") from None
    if net.tag != "net":
        raise Refused(f"cannot be read as an OpenVINO model: it begins with <{net.tag}>, not with <net>")
    if version < OLDEST:
        raise Refused(f"is of version {version} of OpenVINO's IR; {OLDEST} is the oldest that is read: convert the model anew")
    return net


def with_shapes(path, shapes):
    """The element <net> of the model with these shapes of its inputs, by the names of their layers."""
    sys.modules["openvino_telemetry"] = None  # it would ask the network
    remedy = f"{sys.executable} -m pip install openvino, which carries sizes of open dimensions through a model"
    openvino = worker.require("openvino", remedy=remedy)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.xml")
        try:
            model = openvino.Core().read_model(path)
            model.reshape({port: openvino.PartialShape(shapes[port.get_node().get_friendly_name()]) for port in model.inputs})
            openvino.serialize(model, file, os.devnull)  # the constants are where they were
        except Exception as error:
            reason = str(error).strip().splitlines()
            raise Refused(f"OpenVINO cannot give it these shapes: {reason[-1] if reason else type(error).__name__}") from None
        return parsed(file)


def take_shapes(net, other):
    """Gives each layer of a model or body the outputs of the layer of its name in the other, bodies too."""
    others = {layer.get("name"): layer for layer in other.iterfind("layers/layer")}
    for layer in net.iterfind("layers/layer"):
        twin = others.get(layer.get("name"))
        for place, part in enumerate(layer if twin is not None else ()):
            same = twin.find(part.tag)
            if part.tag == "output" and same is not None:
                layer[place] = same
            elif part.find("layers") is not None and same is not None:
                take_shapes(part, same)


def names_of(layer):
    """The names of a Parameter: those of its tensor, then that of its layer."""
    names = re.split(r"(?<!\\),", layer.find("output/port").get("names", ""))
    return [*(name.replace("\\,", ",") for name in names if name), layer.get("name")]


class Graph:
    """A <net> or a body: layers by id, and what each of their inputs comes from."""

    def __init__(self, element):
        self.layers = {layer.get("id"): layer for layer in element.iterfind("layers/layer")}
        self.sources = {
            (edge.get("to-layer"), edge.get("to-port")): (edge.get("from-layer"), edge.get("from-port"))
            for edge in element.iterfind("edges/edge")
        }

    def sources_of(self, layer):
        """The (layer, port) that each input of a layer comes from, in order."""
        found = []
        for port in layer.iterfind("input/port"):
            number, output = self.sources[layer.get("id"), port.get("id")]
            source = self.layers[number]
            found.append((source, {each.get("id"): each for each in source.iterfind("output/port")}[output]))
        return found

    def input(self, layer):
        """A Parameter as an Input."""
        port = layer.find("output/port")
        has_rank = layer.find("data").get("shape") != "..."
        dims = [None if dim < 0 else dim for dim in dims_of(port)] if has_rank else None
        return Input(names_of(layer), type_of(port), dims)


def dims_of(port):
    """Sizes; -1 is an open one. An open rank looks like that of a scalar."""
    return [int(dim.text) for dim in port.iterfind("dim")]


def type_of(port):
    return TYPE_NAMES.get(port.get("precision"), port.get("precision"))


def nodes_of(element, contents, constants):
    """The gather nodes of a model or body. `contents` has those of Parameters, `constants` is the file of constants."""
    with well_formed():
        graph = Graph(element)
    for layer in graph.layers.values():
        if layer.get("type") in OPERANDS:
            yield layer.get("type"), layer.get("name"), functools.partial(call_of, graph, layer, contents, constants)
        for part in layer:
            if part.find("layers") is not None:
                yield from nodes_of(part, contents, constants)


def call_of(graph, layer, contents, constants):
    with well_formed():
        return call(graph, layer, contents, constants)


def call(graph, layer, contents, constants):
    family, opset = layer.get("type"), layer.get("version", "")
    operator = f"openvino.{family}-{opset.removeprefix('opset')}"
    if operator not in worker.LEGAL_TYPES:
        raise LeftOut(f"there is no {family} in {opset or 'an opset without name'}")
    sources = graph.sources_of(layer)
    if len(sources) != len(OPERANDS[family]):
        raise LeftOut(f"it has {len(sources)} operands")
    operands = {}
    for name, (source, port) in zip(OPERANDS[family], sources):
        shape = dims_of(port)
        if any(dim < 0 for dim in shape):
            raise LeftOut(f"the shape of {name}, {source.get('name')}, depends on contents")
        values = None if name == "data" else values_of(graph, source, type_of(port), contents, constants)
        operands[name] = Operand(type_of(port), shape, values)
    data = layer.find("data")
    attributes = {key: int(data.get(key)) for key in ("axis", "batch_dims") if data is not None and key in data.attrib}
    if family == "Gather" and operands["axis"].values is None:
        raise LeftOut("its axis is known at run time only")
    check_ranks(layer, operands, attributes)
    return Call(operator, attributes=attributes, **operands)


def check_ranks(layer, operands, attributes):
    """Raises LeftOut where an operand without dimensions is one of an open rank."""
    data, indices = len(operands["data"].shape), len(operands["indices"].shape)
    batch_dims = attributes.get("batch_dims", 0)
    batch_dims += indices if batch_dims < 0 else 0
    output = len(dims_of(layer.find("output/port")))
    fits = {
        "Gather": output == data + indices - 1 - batch_dims,
        "GatherElements": data == indices == output,
        "GatherND": indices > 0,
    }
    if data == 0 or not fits[layer.get("type")]:
        raise LeftOut("the rank of an operand depends on contents")


def values_of(graph, layer, type_name, contents, constants):
    """The values of an operand of an integer type, flat, where they are those of a constant or of given contents; else None."""
    while layer.get("type") in KEEP_ELEMENTS:
        layer = graph.sources_of(layer)[0][0]
    given = contents.get(id(layer))
    if given:
        array = given.array
    elif layer.get("type") == "Const" and layer.find("data").get("element_type") in INTEGERS:
        array = constant(layer, constants)
    else:
        return None
    if array.dtype.kind not in "iu":
        return None
    converted = array.astype(worker.ELEMENT_TYPES[type_name].storage)
    return converted.reshape(-1).tolist() if (converted == array).all() else None


def constant(layer, path):
    """The elements of a Const of integers, flat."""
    data = layer.find("data")
    offset, size = int(data.get("offset")), int(data.get("size"))
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < offset + size:
                raise Refused(f"its constants, {path}, end before those of {layer.get('name')}; the two files are not of one model")
            file.seek(offset)
            raw = file.read(size)
    except OSError as error:
        raise Refused(f"its constants, {path}, cannot be read: {error.strerror}") from None
    return numpy.frombuffer(raw, worker.ELEMENT_TYPES[data.get("element_type")].storage)
