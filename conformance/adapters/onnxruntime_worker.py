# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on ONNX Runtime's CPU kernels.
"""Each call becomes a model of one node in the operator's own opset (IR 8), run by an InferenceSession.

Routes: an operand given at run time is a graph input, a fixed one an initializer (constant folding is on, as it is by
default); dynamic shapes are symbolic dimensions of known rank. Element types travel as bit patterns in OrtValues.
"""

import ctypes
import json
import math
import os

import gathercheck_worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
os.environ.setdefault("OMP_NUM_THREADS", "1")
numpy, onnx, onnxruntime = worker.require("numpy", "onnx==1.23.2", "onnxruntime==1.31.1")

OPERATORS = {  # operator version -> ONNX name, opset
    f"onnx.{name}-{opset}": (name, opset)
    for name, opsets in (("Gather", (1, 11, 13)), ("GatherElements", (11, 13)), ("GatherND", (11, 12, 13)))
    for opset in opsets
}
# What a session loads; every other type is refused at load ("not currently registered or supported" for complex
# numbers, a type error for the rest). bf16 is added by the versions 13 of the specification.
DATA_TYPES = "boolean i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 string".split()
PHASES = {"InvalidGraph": "build", "NotImplemented": "build"}


def claims():
    listed = []
    for routes in (
        {"operands": ["runtime", "constant"], "shapes": ["static", "dynamic"]},
        {"operands": ["folded"], "shapes": ["static"]},
    ):
        for operator, (name, opset) in OPERATORS.items():
            listed.append(
                {
                    "operators": [operator],
                    "data": DATA_TYPES + (["bf16"] if opset == 13 else []),
                    "indices": ["i64"] if name == "GatherND" else ["i32", "i64"],
                    **routes,
                }
            )
    return listed


def no_from_engine(error, phase=None):
    """ONNX Runtime's exception as an answer. Shape inference runs at load and says so in its text."""
    kind, text = type(error).__name__, str(error)
    if kind == "NotImplemented" or "not currently registered or supported" in text or "is not supported" in text:
        return worker.Unsupported(f"{kind}: {text}")
    if "ShapeInferenceError" in text:
        phase = "shape"
    return worker.Rejected(f"{kind}: {text}", PHASES.get(kind, phase))


def at_run(error):
    return no_from_engine(error, "run")


def attribute(name, value):
    """An ONNX attribute of the kind that the JSON value has."""
    proto = onnx.AttributeProto(name=name)
    kinds = onnx.AttributeProto

    def is_integer(item):
        return isinstance(item, int) and not isinstance(item, bool)

    items = value if isinstance(value, list) else [value]
    if all(is_integer(item) for item in items):
        if any(not -(2**63) <= item < 2**63 for item in items):
            raise worker.Unsupported(f"attribute {name}: an ONNX integer has 64 bits")
        kind = "INT"
    elif all(isinstance(item, float) or is_integer(item) for item in items):
        items, kind = [float(item) for item in items], "FLOAT"
    elif all(isinstance(item, str) for item in items):
        items, kind = [item.encode() for item in items], "STRING"
    else:
        raise worker.Unsupported(f"attribute {name}: ONNX has no attribute of the kind of {json.dumps(value)}")
    if isinstance(value, list):
        proto.type = getattr(kinds, kind + "S")
        {"INT": proto.ints, "FLOAT": proto.floats, "STRING": proto.strings}[kind].extend(items)
    else:
        proto.type = getattr(kinds, kind)
        setattr(proto, {"INT": "i", "FLOAT": "f", "STRING": "s"}[kind], items[0])
    return proto


def onnx_number(tensor):
    if tensor.type.onnx is None:
        raise worker.Unsupported(f"ONNX has no element type {tensor.type.name}")
    return tensor.type.onnx


def initializer(name, tensor):
    proto = onnx.TensorProto(name=name, data_type=onnx_number(tensor), dims=tensor.shape)
    if tensor.strings is not None:
        proto.string_data.extend(text.encode() for text in tensor.strings)
    else:
        proto.raw_data = tensor.raw
    return proto


def model_of(call, described=False):
    """The serialized model, and the names of its graph inputs. A described model also yields the output's shape."""
    if call.operator not in OPERATORS:
        raise worker.Unsupported(f"ONNX Runtime has no operator {call.operator}")
    operator, opset = OPERATORS[call.operator]
    node = onnx.NodeProto(op_type=operator, output=["output"])
    node.attribute.extend(attribute(name, value) for name, value in call.attributes.items())
    graph = onnx.GraphProto(name="one_call")
    given = []
    for name, tensor in call.positional(("data", "indices")):
        node.input.append(name if tensor is not None else "")
        if tensor is None:
            continue
        if tensor.has_contents and call.fixed(name):
            graph.initializer.append(initializer(name, tensor))
            continue
        dynamic = call.shapes == "dynamic"
        shape = [f"{name}_{k}" if dynamic else extent for k, extent in enumerate(tensor.shape)]
        if any(isinstance(extent, int) and extent >= 2**63 for extent in shape):
            raise worker.Unsupported(f"input {name}: an ONNX dimension has 63 bits")
        graph.input.append(onnx.helper.make_tensor_value_info(name, onnx_number(tensor), shape))
        given.append(name)
    graph.node.append(node)
    graph.output.append(onnx.ValueInfoProto(name="output"))
    if described:  # the static shape of this output is the rank: the session reports an unknown rank as rank 0
        graph.node.append(onnx.NodeProto(op_type="Shape", input=["output"], output=["shape"]))
        graph.output.append(onnx.ValueInfoProto(name="shape"))
    model = onnx.ModelProto(ir_version=8, graph=graph, opset_import=[onnx.OperatorSetIdProto(version=opset)])
    return model.SerializeToString(), given


def value_of(bits, number):
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, number)


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OnnxRuntime:
    name = "onnxruntime"
    version = onnxruntime.__version__
    claims = claims()

    def __init__(self):
        self.models = worker.BuiltModels()
        self.poison = worker.Poison()

    def run(self, call):
        key = call.model_key()
        session, given = self.models.get(key, lambda: self.built(call))
        try:
            if any(call.inputs[name].strings is not None for name in given):
                return self.ran_with_strings(session, {name: call.inputs[name].array() for name in given})
            return self.ran(session, {name: call.inputs[name] for name in given}, *self.poison.of(call))
        except worker.Rejected:
            self.models.forget(key)
            raise

    def built(self, call):
        model, given = model_of(call)
        with worker.engine_at_work(no_from_engine):
            return session_of(model), given

    def ran_with_strings(self, session, arrays):
        """Strings have no OrtValues in Python: they are objects of numpy arrays."""
        with worker.engine_at_work(at_run):
            (output,) = session.run(["output"], arrays)
        return worker.Tensor.from_array(TYPE_OF_SESSION[session.get_outputs()[0].type], output)

    def ran(self, session, tensors, outside, inside):
        """Operands lie between poison and the output is filled with it: the poison differs from run to run."""
        binding, homes = session.io_binding(), []
        for name, tensor in tensors.items():
            if tensor.type.packed:
                raise worker.Unsupported(f"ONNX Runtime's Python interface takes no {tensor.type.name} values")
            number = onnx_number(tensor)
            if tensor.count == 0:  # numpy has no arrays for some empty shapes
                with worker.engine_at_work(at_run):
                    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(tensor.shape, number)
            else:
                bits = worker.surrounded(tensor.raw, outside).view(tensor.type.storage).reshape(tensor.shape)
                homes.append(bits)  # an OrtValue does not own the memory
                with worker.engine_at_work(at_run):
                    value = value_of(bits, number)
            with worker.engine_at_work(at_run):
                binding.bind_ortvalue_input(name, value)
        declared = session.get_outputs()[0]
        element_type = TYPE_OF_SESSION[declared.type]
        home = self.output_home(element_type, declared.shape, inside)
        with worker.engine_at_work(at_run):
            if home is None:
                binding.bind_output("output", "cpu")
            else:
                binding.bind_ortvalue_output("output", value_of(home, element_type.onnx))
            session.run_with_iobinding(binding)
            output = binding.get_outputs()[0]
        shape = tuple(output.shape())
        if element_type.name == "string":  # all operands were fixed
            return worker.Tensor.from_array(element_type, output.numpy())
        length = worker.byte_length(element_type, math.prod(shape))
        return worker.Tensor(element_type, shape, raw=ctypes.string_at(output.data_ptr(), length) if length else b"")

    def output_home(self, element_type, shape, poison, largest=1 << 26):
        """Memory for the output; None where the session does not know the shape (it reports rank 0 then)."""
        if element_type.name == "string" or not shape or not all(isinstance(extent, int) for extent in shape):
            return None
        length = worker.byte_length(element_type, math.prod(shape))
        if not 0 < length <= largest:
            return None
        return numpy.full(length, poison, dtype=numpy.uint8).view(element_type.storage).reshape(shape)

    def describe(self, call):
        model, _ = model_of(call, described=True)
        with worker.engine_at_work(no_from_engine):
            session = session_of(model)
        output, shape = session.get_outputs()
        if not shape.shape or not isinstance(shape.shape[0], int):
            return worker.Descriptor(TYPE_OF_SESSION[output.type], None)  # the session does not tell the rank
        extents = list(output.shape) + [None] * (shape.shape[0] - len(output.shape))
        return worker.Descriptor(
            TYPE_OF_SESSION[output.type],
            tuple(extent if isinstance(extent, int) else None for extent in extents),
        )

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return reproducer(call)


TYPE_OF_SESSION = {
    f"tensor({name})": worker.ELEMENT_TYPES[short]
    for short, name in (
        pair.split(":")
        for pair in (
            "boolean:bool i8:int8 i16:int16 i32:int32 i64:int64 u8:uint8 u16:uint16 u32:uint32 u64:uint64 f16:float16 "
            "bf16:bfloat16 f32:float f64:double string:string"
        ).split()
    )
}


def reproducer(call):
    """A script that makes the call with onnx and onnxruntime alone."""
    operator, opset = OPERATORS[call.operator]
    with_strings = any(tensor.strings is not None for tensor in call.inputs.values())
    lines = [
        "import ctypes, onnx, onnxruntime, numpy as np",
        "value_of = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type",
        "graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])",
        "values = {}",
    ]
    names = []
    for name, tensor in call.positional(("data", "indices")):
        names.append(name if tensor is not None else "")
        if tensor is None:
            continue
        number, shape = onnx_number(tensor), list(tensor.shape)
        dimensions = [f"{name}_{k}" for k in range(len(shape))] if call.shapes == "dynamic" else shape
        lines.append(f"# {name}: {tensor.type.name} {shape}")
        if tensor.has_contents and call.fixed(name):
            contents = (
                f"string_data={[text.encode() for text in tensor.strings]!r}"
                if tensor.strings is not None
                else f"raw_data=bytes.fromhex('{tensor.raw.hex()}')"
            )
            made = f"onnx.TensorProto(name={name!r}, data_type={number}, dims={shape}, {contents})"
            lines.append(f"graph.initializer.append({made})")
            continue
        lines.append(f"graph.input.append(onnx.helper.make_tensor_value_info({name!r}, {number}, {dimensions}))")
        if not tensor.has_contents:
            continue
        if tensor.strings is not None:
            lines.append(f"values[{name!r}] = np.array({tensor.strings!r}, dtype=object).reshape({shape})")
        else:
            raw, storage = f"bytearray.fromhex('{tensor.raw.hex()}')", tensor.type.storage
            lines.append(f"bits_{name} = np.frombuffer({raw}, '{storage}').reshape({shape})")
            bits = f"bits_{name}" if with_strings else f"value_of(bits_{name}, {number})"
            lines.append(f"values[{name!r}] = {bits}")
    lines.append(f"node = onnx.NodeProto(op_type={operator!r}, input={names!r}, output=['output'])")
    for name, value in call.attributes.items():
        made = f"onnx.AttributeProto.FromString(bytes.fromhex('{attribute(name, value).SerializeToString().hex()}'))"
        lines.append(f"node.attribute.append({made})  # {name} = {json.dumps(value)}")
    lines += [
        "graph.node.append(node)",
        f"model = onnx.ModelProto(ir_version=8, graph=graph, opset_import=[onnx.OperatorSetIdProto(version={opset})])",
        "options = onnxruntime.SessionOptions()",
        "options.intra_op_num_threads = options.inter_op_num_threads = 1",
        "providers = ['CPUExecutionProvider']",
        "session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)",
        "print('declared', session.get_outputs()[0].type, session.get_outputs()[0].shape)",
    ]
    if all(tensor.has_contents for tensor in call.inputs.values()):
        lines += (
            [
                "output = session.run(['output'], values)[0]",
                "print('output', list(output.shape), output.reshape(-1).tolist())",
            ]
            if with_strings
            else [
                "output = session.run_with_ort_values(['output'], values)[0]",
                "raw = ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())",
                "print('output', output.shape(), raw.hex())",
            ]
        )
    return "\n".join(lines) + "\n"


worker.serve(channel, OnnxRuntime())
