# SPDX-License-Identifier: Apache-2.0
# Worker that runs OpenVINO's own gather operators on its CPU plug-in.
"""Each call becomes a model of one node of the operator's own opset, compiled for the CPU and inferred.

Routes: an operand given at run time is a Parameter, a fixed one a Constant; dynamic shapes are PartialShapes of known
rank. Inference goes through start_async and wait: a synchronous infer with one thread loses errors at run time. The
inference precision is f32, so that hardware with bf16 arithmetic does not change bits.
"""

import os
import sys

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.modules["openvino_telemetry"] = None  # it forks, and its child would keep our pipes open after a crash
numpy, openvino, factories = worker.require("numpy", "openvino==2026.4.1", "openvino.utils.node_factory")

OPERATORS = {  # operator version -> OpenVINO name, opset, operands in order
    "openvino.Gather-1": ("Gather", "opset1", ("data", "indices", "axis")),
    "openvino.Gather-7": ("Gather", "opset7", ("data", "indices", "axis")),
    "openvino.Gather-8": ("Gather", "opset8", ("data", "indices", "axis")),
    "openvino.GatherElements-6": ("GatherElements", "opset6", ("data", "indices")),
    "openvino.GatherND-5": ("GatherND", "opset5", ("data", "indices")),
    "openvino.GatherND-8": ("GatherND", "opset8", ("data", "indices")),
}
CONFIGURATION = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    "ENABLE_CPU_PINNING": False,
    "INFERENCE_PRECISION_HINT": "f32",
}
MARGIN = 1 << 19  # bytes of poison on each side of an operand: the plug-in reads that far outside (Gather of vectors)
BY_OPENVINO_NAME = {entry.openvino: entry for entry in worker.ELEMENT_TYPES.values() if entry.openvino}


OTHER_BIT_ORDER = ("u1", "u3", "u6")  # not those of the protocol; the plug-in takes no such operands anyway
# The plug-in writes outside the outputs of these types, which it takes for whole bytes.
UNSAFE_TYPES = ("u2", "f4e2m1", "nf4")


def routes(operator):
    """The run-time axis is claimed with run-time operands."""
    return worker.routes(axes=("constant", "runtime") if operator.startswith("openvino.Gather-") else ("constant",))


NOT_IMPLEMENTED = (
    "Not Implemented",
    "unsupported 'data' input precision",
    "unsupported 'inputData' input precision",
    "doesn't support GatherND operation with dynamic rank",
)


def no_from_engine(error, phase=None):
    text = str(error)
    if any(words in text for words in NOT_IMPLEMENTED):
        return worker.Unsupported(text)
    return worker.Rejected(text, phase)


def at_construction(error):
    """Construction checks types, counts and attributes, then infers the shape: the failed check's file tells which."""
    text = str(error)
    inferring = any(mark in text for mark in ("shape_inference", "is_axis_valid", "shape_util.cpp"))
    return no_from_engine(error, "shape" if inferring and "input_shapes.size()" not in text else "build")


def at_compile(call):
    # Fixed operands are computed while the model compiles: then the phase is not to be told.
    return lambda error: no_from_engine(error, "build" if call.operands == "runtime" else None)


def at_run(error):
    return no_from_engine(error, "run")


def type_of(tensor):
    name = tensor.type.openvino
    if name is None or not hasattr(openvino.Type, name):
        raise worker.Unsupported(f"OpenVINO has no element type {tensor.type.name}")
    return getattr(openvino.Type, name)


def shape_of(shape):
    if any(extent >= 2**63 for extent in shape):
        raise worker.Unsupported("an OpenVINO dimension has 63 bits")
    return openvino.Shape(list(shape))


def compiled(model):
    return openvino_core.compile_model(model, "CPU", CONFIGURATION)


def infer(request):
    request.start_async()
    request.wait()


def descriptor_of(output):
    shape = output.get_partial_shape()
    if shape.rank.is_dynamic:
        raise worker.Unsupported("the node does not tell the rank of the output")
    return worker.Descriptor(
        BY_OPENVINO_NAME[output.get_element_type().get_type_name()],
        tuple(extent.get_length() if extent.is_static else None for extent in shape),
    )


class Strings:
    """Exact strings in and out of string tensors: the interface by numpy arrays drops U+0000 at the end."""

    def __init__(self):
        self.packing = {}  # compiled models by rank

    def tensor(self, tensor):
        result = openvino.Tensor(openvino.Type.string, shape_of(tensor.shape))
        if not tensor.count:
            return result
        rank = len(tensor.shape)
        if rank not in self.packing:
            any_shape = openvino.PartialShape([-1] * rank)
            parameters = [
                openvino.op.Parameter(openvino.Type.i32, any_shape),
                openvino.op.Parameter(openvino.Type.i32, any_shape),
                openvino.op.Parameter(openvino.Type.u8, openvino.PartialShape([-1])),
            ]
            node = factories.NodeFactory("opset15").create("StringTensorPack", parameters)
            self.packing[rank] = compiled(openvino.Model([node], parameters, "strings"))
        texts = [text.encode() for text in tensor.strings]
        ends = numpy.cumsum([len(text) for text in texts], dtype=numpy.int32)
        begins = numpy.concatenate([[0], ends[:-1]]).astype(numpy.int32)
        letters = numpy.frombuffer(b"".join(texts) + b"\0", dtype=numpy.uint8)
        request = self.packing[rank].create_infer_request()
        for k, array in enumerate((tensor.shaped(begins), tensor.shaped(ends), letters)):
            request.set_input_tensor(k, openvino.Tensor(array))
        infer(request)
        request.get_output_tensor(0).copy_to(result)
        if self.texts(result) != tensor.strings:
            raise RuntimeError("a string tensor does not hold what was written")
        return result

    @staticmethod
    def texts(tensor):
        if not tensor.get_size():
            return []
        try:
            return openvino.op.Constant(tensor, shared_memory=False).get_value_strings()
        except UnicodeDecodeError:  # an element that nobody wrote
            return [text.decode(errors="replace") for text in tensor.bytes_data.reshape(-1).tolist()]


class OpenVino:
    name = "openvino"
    version = openvino.get_version().split("-")[0]
    build = openvino.get_version()
    keeps_models = True

    def __init__(self):
        self.asked = worker.Asked(OPERATORS, routes, self.take, together=64)
        self.models = worker.BuiltModels()
        self.strings = Strings()
        self.homes = []  # of the last call

    def run(self, call):
        outside, inside = worker.poison_of(call)
        if not worker.is_apart() and any(tensor.type.name in UNSAFE_TYPES for tensor in call.inputs.values()):
            return worker.run_apart(call)
        model, given, request = self.models.of(call, lambda: self.built(call))
        if call.model is None:  # the calls of a sequence share the request too, as those of an application do
            with worker.engine_at_work(at_compile(call)):
                request = model.create_infer_request()
        homes = []  # the engine's tensors do not own the operands' memory
        for k, name in enumerate(given):
            tensor = self.tensor(call.inputs[name], outside, homes)
            with worker.engine_at_work(at_run):
                request.set_input_tensor(k, tensor)
        self.homes = homes
        if model.output(0).get_partial_shape().is_static:
            self.fill(request.get_output_tensor(0), inside)  # an unwritten element shows
        try:
            with worker.engine_at_work(at_run):
                infer(request)
                output = request.get_output_tensor(0)
        except worker.Rejected:
            self.models.forget(call)
            raise
        return self.result(output)

    def tensor(self, tensor, poison, homes):
        if tensor.strings is not None:
            return self.strings.tensor(tensor)
        element_type, shape = type_of(tensor), shape_of(tensor.shape)
        if tensor.type.name in OTHER_BIT_ORDER:
            raise worker.Unsupported(f"OpenVINO orders the bits of {tensor.type.name} in another way, which this adapter does not")
        if not tensor.raw:
            return openvino.Tensor(element_type, shape)
        home = worker.surrounded(tensor.raw, poison, MARGIN)
        homes.append(home)
        return openvino.Tensor(home if tensor.type.packed else home.view(tensor.type.storage), shape, element_type)

    @staticmethod
    def fill(tensor, poison):
        if tensor.byte_size and tensor.element_type != openvino.Type.string:
            tensor.data.reshape(-1).view(numpy.uint8)[:] = poison

    def result(self, output):
        element_type = BY_OPENVINO_NAME[output.element_type.get_type_name()]
        shape = tuple(output.shape)
        if element_type.name == "string":
            return worker.Tensor(element_type, shape, strings=self.strings.texts(output))
        return worker.Tensor(element_type, shape, raw=output.data.tobytes() if output.byte_size else b"")

    def node(self, call, described=False):
        """The operator's node, its parameters and their names. In a described call only the axis input is fixed."""
        if call.operator not in OPERATORS:
            raise worker.Unsupported(f"OpenVINO has no operator {call.operator}")
        operator, opset, names = OPERATORS[call.operator]
        arguments, parameters, given = [], [], []
        for name, tensor in call.positional(names):
            if tensor is None:  # inputs have no names: an absent one is one fewer
                continue
            element_type, shape = type_of(tensor), shape_of(tensor.shape)
            if tensor.has_contents and call.fixed(name) and (name == "axis" or not described):
                contents = self.tensor(tensor, 0, homes := [])
                arguments.append(openvino.op.Constant(contents, shared_memory=False))
                del contents, homes
                continue
            dynamic = call.shapes == "dynamic"
            partial = openvino.PartialShape([-1] * len(shape) if dynamic else list(tensor.shape))
            parameters.append(openvino.op.Parameter(element_type, partial))
            arguments.append(parameters[-1])
            given.append(name)
        with worker.engine_at_work(at_construction):
            return factories.NodeFactory(opset).create(operator, arguments, call.attributes), parameters, given

    def take(self, calls):
        """Compiles one model of all the calls: what the plug-in does not take it refuses then."""
        nodes = [self.node(call) for call in calls]
        with worker.engine_at_work(no_from_engine):
            compiled(openvino.Model([node for node, _, _ in nodes], [one for _, own, _ in nodes for one in own], "calls"))

    def built(self, call):
        node, parameters, given = self.node(call)
        with worker.engine_at_work(at_compile(call)):
            model = compiled(openvino.Model([node], parameters, "one_call"))
            return model, given, model.create_infer_request()

    def describe(self, call):
        node, _, _ = self.node(call, described=True)
        return descriptor_of(node.output(0))

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return reproducer(call, INFERS_CALLS if call.before else INFERS_NODE)


def demand_numpy_strings(tensor):
    """A script makes strings of numpy's, which drop U+0000 at the end."""
    if any(text.endswith("\0") for text in tensor.strings):
        raise worker.Unsupported("no reproducer with strings that end in U+0000")


def made(tensor):
    """The expression of a script that makes an operand."""
    if tensor.strings is not None:
        demand_numpy_strings(tensor)
        contents = repr([text.encode() for text in tensor.strings])
    else:
        contents = f"bytes.fromhex('{tensor.raw.hex()}')"
    return f"tensor({tensor.type.openvino!r}, {list(tensor.shape)}, {contents})"


def reproducer(call, closing):
    """A script that makes the call with openvino and numpy alone: it ends with `closing`, for which `values` holds the
    run-time operands and `operands` all of them; for the last call of a sequence `calls` holds the `values` of each."""
    operator, opset, names = OPERATORS[call.operator]
    lines = [
        "import sys",
        "sys.modules['openvino_telemetry'] = None",
        "import numpy as np, openvino as ov",
        "from openvino.utils.node_factory import NodeFactory",
        "",
        "def tensor(name, shape, contents):",
        "    if name == 'string':",
        "        return ov.Tensor(np.array(contents, dtype=bytes).reshape(shape))",
        "    made = ov.Tensor(getattr(ov.Type, name), ov.Shape(shape))",
        "    if made.byte_size:",
        "        made.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(contents, np.uint8)",
        "    return made",
        "",
        "arguments, parameters, operands, values = [], [], [], []",
    ]
    given = []
    for name, tensor in call.positional(names):
        if tensor is None:
            continue
        element_type, shape = tensor.type.openvino, list(tensor.shape)
        lines.append(f"# {name}: {tensor.type.name} {shape}")
        if tensor.has_contents:
            lines.append(f"operands.append({made(tensor)})")
            if call.fixed(name):
                lines.append("arguments.append(ov.op.Constant(operands[-1], shared_memory=False))")
                continue
        partial = [-1] * len(shape) if call.shapes == "dynamic" else shape
        lines.append(f"parameters.append(ov.op.Parameter(ov.Type.{element_type}, ov.PartialShape({partial})))")
        lines.append("arguments.append(parameters[-1])")
        if tensor.has_contents:
            lines.append("values.append(operands[-1])")
            given.append(name)
    if call.before:
        lines.append("calls = [")
        lines += [f"    [{', '.join(made(each.inputs[name]) for name in given)}]," for each in call.before]
        lines.append("    values,")
        lines.append("]")
    lines += [
        f"node = NodeFactory({opset!r}).create({operator!r}, arguments, {call.attributes!r})",
        "print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))",
        f"types = {[tensor.type.name for _, tensor in call.positional(names) if tensor is not None]!r}",
        "stated = [node.get_input_element_type(k).get_type_name() for k in range(node.get_input_size())]",
        "assert stated == types, stated",
    ]
    if all(tensor.has_contents for tensor in call.inputs.values()):
        lines += closing
        if call.inputs.get("data") is not None:
            lines.append("assert output.element_type.get_type_name() == types[0], output.element_type")
    return "\n".join(lines) + "\n"


PRINTS_OUTPUT = [
    "if output.element_type == ov.Type.string:",
    "    strings = ov.op.Constant(output, shared_memory=False).get_value_strings() if output.size else []",
    "    print('output', list(output.shape), strings)",
    "else:",
    "    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')",
]


def infers(model, *feeds):
    """The part of a script that infers `model`; `feeds` are the lines that give `request` its inputs."""
    return [
        f"configuration = {CONFIGURATION!r}",
        f"request = ov.Core().compile_model({model}, 'CPU', configuration).create_infer_request()",
        *feeds,
        "output = request.get_output_tensor(0)",
        "if node.get_output_partial_shape(0).is_static and output.byte_size and output.element_type != ov.Type.string:",
        "    output.data.reshape(-1).view(np.uint8)[:] = 0xa5  # bytes that still are a5 afterwards were never written",
        "request.start_async()",
        "request.wait()",
        "output = request.get_output_tensor(0)",
        *PRINTS_OUTPUT,
    ]


INFERS_NODE = infers(
    "ov.Model([node], parameters, 'one_call')",
    "for k, value in enumerate(values):",
    "    request.set_input_tensor(k, value)",
)


INFERS_CALLS = [
    f"configuration = {CONFIGURATION!r}",
    "model = ov.Core().compile_model(ov.Model([node], parameters, 'one_call'), 'CPU', configuration)",
    "request = model.create_infer_request()",
    "for values in calls:  # one after the other",
    "    for k, value in enumerate(values):",
    "        request.set_input_tensor(k, value)",
    "    try:",
    "        request.start_async()",
    "        request.wait()",
    "    except RuntimeError as error:",
    "        print('rejected', error)",
    "        continue",
    "    output = request.get_output_tensor(0)",
    *(f"    {line}" for line in PRINTS_OUTPUT),
]

openvino_core = openvino.Core()
if __name__ == "__main__":
    worker.serve(channel, OpenVino())
