# SPDX-License-Identifier: Apache-2.0
# Worker that runs TensorFlow's gather operators on LiteRT (TensorFlow Lite), by its Python interface.
"""Each call becomes a flatbuffers model of one operator, GATHER or GATHER_ND, run by an Interpreter as an application makes
it: with the builtin kernels and the XNNPACK delegate.

Routes: an operand given at run time is an input of the model, a fixed one a buffer in it. With dynamic shapes each extent of
an input is -1 in the model's signature, and every call resizes the inputs and allocates anew. axis and batch_dims are
options of the operator, so axis is constant, and a call without axis cannot be said.
"""

import contextlib
import dataclasses
import inspect
import struct

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
numpy, ml_dtypes, flatbuffers, ai_edge_litert, schema, interpreters = worker.require(
    *("numpy", "ml_dtypes", "flatbuffers", "ai_edge_litert"),
    *("ai_edge_litert.schema_py_generated", "ai_edge_litert.interpreter"),
    extra="litert",
)

OPERATORS = {  # operator version -> LiteRT's name, its options by name on the wire
    "tensorflow.GatherV2": ("GATHER", {"axis": "axis", "batch_dims": "batchDims"}),
    "tensorflow.GatherNd": ("GATHER_ND", {}),
}
TYPES = {  # element type -> LiteRT's name, numpy's of the arrays that stand for it
    "boolean": ("BOOL", "bool"),
    "i2": ("INT2", "int8"),
    "i4": ("INT4", "int8"),
    "i8": ("INT8", "int8"),
    "i16": ("INT16", "int16"),
    "i32": ("INT32", "int32"),
    "i64": ("INT64", "int64"),
    "u4": ("UINT4", "uint8"),
    "u8": ("UINT8", "uint8"),
    "u16": ("UINT16", "uint16"),
    "u32": ("UINT32", "uint32"),
    "u64": ("UINT64", "uint64"),
    "f16": ("FLOAT16", "float16"),
    "bf16": ("BFLOAT16", "bfloat16"),
    "f32": ("FLOAT32", "float32"),
    "f64": ("FLOAT64", "float64"),
    "f8e4m3": ("FLOAT8_E4M3FN", "float8_e4m3fn"),
    "f8e5m2": ("FLOAT8_E5M2", "float8_e5m2"),
    "c64": ("COMPLEX64", "complex64"),
    "c128": ("COMPLEX128", "complex128"),
    "string": ("STRING", "S"),
}


def no_from_engine(phase):
    """The verdict on what LiteRT raises in a phase; of element types it says that they are not supported by gather."""

    def verdict(error):
        text = str(error)
        return worker.Unsupported(text) if "supported by gather" in text else worker.Rejected(text, phase)

    return verdict


def names_of(element_type):
    """LiteRT's name of an element type, numpy's of the arrays that stand for it."""
    if element_type.name not in TYPES:
        raise worker.Unsupported(f"LiteRT has no element type {element_type.name}")
    return TYPES[element_type.name]


def dtype_of(element_type):
    _, name = names_of(element_type)
    return numpy.dtype(getattr(ml_dtypes, name, name))


def array_of(tensor):
    """An operand as the interface takes it: strings as bytes, integers below a byte as int8 of their values."""
    if tensor.strings is not None:
        flat = numpy.empty(tensor.count, dtype=object)
        flat[:] = [text.encode() for text in tensor.strings]
        return tensor.shaped(flat)
    bits, dtype = tensor.array(), dtype_of(tensor.type)
    if tensor.type.packed and dtype == numpy.int8:
        spare = 8 - tensor.type.bits
        return (bits << spare).view(dtype) >> spare
    return bits.view(dtype)


def buffer_of(tensor):
    """An operand as a buffer of a model: strings behind their number and their offsets."""
    if tensor.strings is None:
        return tensor.raw
    texts = [text.encode() for text in tensor.strings]
    offsets = [4 * (len(texts) + 2)]
    for text in texts:
        offsets.append(offsets[-1] + len(text))
    return struct.pack(f"<{len(texts) + 2}i", len(texts), *offsets) + b"".join(texts)


def model_of(name, options, operands, output):
    """A serialized model of one operator. `operands` are tuples of name, type, shape, signature, and contents where they
    are fixed, or None where one is absent; `output` is the type of the output."""
    kind = name.title().replace("_", "")
    code, operator, graph, model = schema.OperatorCodeT(), schema.OperatorT(), schema.SubGraphT(), schema.ModelT()
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, name)
    code.version = 1
    operator.builtinOptionsType = getattr(schema.BuiltinOptions, f"{kind}Options")
    operator.builtinOptions = getattr(schema, f"{kind}OptionsT")()
    for option, value in options.items():
        setattr(operator.builtinOptions, option, value)
    operator.inputs, graph.inputs, graph.tensors = [], [], []
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [schema.BufferT()]
    for operand in (*operands, ("output", output, [], [], None)):
        operator.inputs.append(-1 if operand is None else len(graph.tensors))
        if operand is None:
            continue
        tensor = schema.TensorT()
        tensor.name, type_name, tensor.shape, tensor.shapeSignature, contents = operand
        tensor.type, tensor.buffer, tensor.hasRank = getattr(schema.TensorType, type_name), 0, True
        if contents is not None:
            tensor.buffer = len(model.buffers)
            model.buffers.append(schema.BufferT())
            model.buffers[-1].data = numpy.frombuffer(contents, numpy.uint8)
        else:
            graph.inputs.append(len(graph.tensors))
        graph.tensors.append(tensor)
    operator.inputs.pop()
    operator.outputs = graph.outputs = [graph.inputs.pop()]
    graph.operators = [operator]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def options_of(call):
    """LiteRT's options of a call, by LiteRT's names."""
    _, names = OPERATORS[call.operator]
    values = dict(call.attributes)
    if "axis" in names:
        axis = call.inputs.get("axis")
        if "axis" in values or axis is None or call.axis == "runtime" or axis.shape or axis.type.name not in ("i32", "i64"):
            raise worker.Unsupported("the axis of LiteRT's GATHER is an option: one integer, always there")
        values["axis"] = axis.array().item()
    for name, value in values.items():
        if name not in names:
            raise worker.Unsupported(f"an option {name} is not there")
        if type(value) is not int or not -(2**31) <= value < 2**31:
            raise worker.Unsupported(f"the option {name} is an integer of 32 bits")
    return {names[name]: value for name, value in values.items()}


def arguments_of(call):
    """The arguments of model_of() for a call, and the operands that are given when the model runs."""
    if call.operator not in OPERATORS:
        raise worker.Unsupported(f"LiteRT has no operator {call.operator}")
    name, names = OPERATORS[call.operator]
    options, operands, given = options_of(call), [], []
    inputs = {key: tensor for key, tensor in call.inputs.items() if key != "axis" or "axis" not in names}
    for operand, tensor in dataclasses.replace(call, inputs=inputs).positional(("data", "indices")):
        if tensor is None:
            operands.append(None)
            continue
        type_name, _ = names_of(tensor.type)
        shape, signature = list(tensor.shape), list(tensor.shape)
        if call.fixed(operand):
            contents = buffer_of(tensor)
        else:
            contents = None
            given.append(operand)
            if call.shapes == "dynamic":
                shape, signature = [1] * len(shape), [-1] * len(shape)
        operands.append((operand, type_name, shape, signature, contents))
    data = call.inputs.get("data")
    return (name, options, operands, "FLOAT32" if data is None else TYPES[data.type.name][0]), given


class LiteRt:
    name = "litert"
    resolver = "AUTO"  # as by default
    version = ai_edge_litert.__version__
    keeps_models = True

    def __init__(self):
        self.asked = worker.Asked(OPERATORS, lambda operator: worker.routes(), lambda calls: [self.run(call) for call in calls])
        self.models = worker.BuiltModels()

    def built(self, call):
        arguments, given = arguments_of(call)
        resolver = getattr(interpreters.OpResolverType, self.resolver)
        with worker.engine_at_work(no_from_engine("build")):  # a dimension that the format does not hold is refused by its writer
            model = model_of(*arguments)
            interpreter = interpreters.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=resolver)
        if call.shapes == "static":
            with worker.engine_at_work(no_from_engine("shape")):
                interpreter.allocate_tensors()
        return interpreter, given

    def run(self, call):
        interpreter, given = self.models.of(call, lambda: self.built(call))
        arrays = [array_of(call.inputs[name]) for name in given]
        try:
            with worker.engine_at_work(no_from_engine("shape")):
                if call.shapes == "dynamic":
                    for details, array in zip(interpreter.get_input_details(), arrays):
                        interpreter.resize_tensor_input(details["index"], array.shape)
                    interpreter.allocate_tensors()
            if given:  # else the output may be there by now
                fill_output(interpreter, call, worker.poison_of(call)[1])
            with worker.engine_at_work(no_from_engine("run")):
                for details, array in zip(interpreter.get_input_details(), arrays):
                    interpreter.set_tensor(details["index"], array)
                interpreter.invoke()
                (details,) = interpreter.get_output_details()
                output = interpreter.get_tensor(details["index"]) if details["shape"].all() else None
        except worker.Rejected:
            self.models.forget(call)
            raise
        return result_of(call, details, output)

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return reproducer(call, self.resolver)


def fill_output(interpreter, call, poison):
    """An unwritten element shows. A view of elements below a byte is longer than what it views: they are left alone."""
    (details,) = interpreter.get_output_details()
    data = call.inputs.get("data")
    if data is not None and not data.type.packed and data.strings is None and details["shape"].all():
        with contextlib.suppress(ValueError):  # there are types that can be copied and not viewed
            interpreter.tensor(details["index"])().reshape(-1).view(numpy.uint8)[:] = poison


def result_of(call, details, output):
    """The tensor of an output; None stands for one without elements, as the interface does not copy all of these."""
    types = [worker.ELEMENT_TYPES[name] for name in TYPES]
    types.sort(key=lambda element_type: element_type is not call.inputs["data"].type)  # i4 and i8 share an array's type
    element_type = next(found for found in types if dtype_of(found) == details["dtype"])
    shape = tuple(details["shape"].tolist())
    if output is None:
        return worker.Tensor(element_type, shape, raw=b"", strings=[] if element_type.name == "string" else None)
    if element_type.name == "string":
        return worker.Tensor(element_type, shape, strings=[text.decode(errors="replace") for text in output.flat])
    return worker.Tensor.from_array(element_type, output.view(element_type.storage))


def dtype_expression(element_type):
    _, name = names_of(element_type)
    return f"ml_dtypes.{name}" if hasattr(ml_dtypes, name) else repr(name)


def expression_of(tensor):
    """The expression of a script that makes an operand's array."""
    array, shape = array_of(tensor), list(tensor.shape)
    if tensor.strings is not None:
        return f"numpy.array({array.reshape(-1).tolist()!r}, object).reshape({shape})"
    return f"numpy.frombuffer(bytes.fromhex('{array.tobytes().hex()}'), {dtype_expression(tensor.type)}).reshape({shape})"


def reproducer(call, resolver):
    """A script that makes the call with LiteRT's package, and what that needs, alone."""
    arguments, given = arguments_of(call)
    *before, last = [", ".join(expression_of(each.inputs[name]) for name in given) for each in (*call.before, call)]
    dtypes = ", ".join(dtype_expression(call.inputs[name].type) for name in given)
    data = call.inputs["data"].type
    printed = "output.tobytes().hex()"
    if data.packed:
        printed = f"pack(output.tobytes(), {data.bits}).hex()"
    elif data.name == "string":
        printed = "[text.decode() for text in output.flat]"
    resize = [
        "    for details, array in zip(interpreter.get_input_details(), arrays):",
        "        interpreter.resize_tensor_input(details['index'], array.shape)",
        "    interpreter.allocate_tensors()",
    ]
    lines = [
        "import flatbuffers, ml_dtypes, numpy",
        "from ai_edge_litert import schema_py_generated as schema",
        "from ai_edge_litert.interpreter import Interpreter, OpResolverType",
        "",
        "",
        *[inspect.getsource(part) + "\n" for part in (model_of, *([worker.pack] if data.packed else []))],
        f"# {call.operator}: {', '.join(f'{name} {t.type.name} {list(t.shape)}' for name, t in call.inputs.items())}",
        f"model = model_of(*{arguments!r})",
        f"resolver = OpResolverType.{resolver}",
        "interpreter = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=resolver)",
        *(["interpreter.allocate_tensors()"] if call.shapes == "static" else []),
        "",
        "",
        "def run(*arrays):",
        *(resize if call.shapes == "dynamic" else []),
        f"    for details, dtype, array in zip(interpreter.get_input_details(), [{dtypes}], arrays):",
        "        assert numpy.dtype(details['dtype']) == dtype, details",
        "        interpreter.set_tensor(details['index'], array)",
        "    interpreter.invoke()",
        "    (details,) = interpreter.get_output_details()",
        "    shape = details['shape'].tolist()",
        "    output = numpy.empty(0, details['dtype']) if 0 in shape else interpreter.get_tensor(details['index'])",
        f"    print('output', shape, {printed})",
        f"    assert numpy.dtype(details['dtype']) == {dtype_expression(data)}, details",
        "",
        "",
    ]
    for operands in before:
        lines += ["try:", f"    run({operands})", "except (RuntimeError, ValueError) as error:", "    print('rejected', error)"]
    return "\n".join([*lines, f"run({last})"]) + "\n"


if __name__ == "__main__":
    worker.serve(channel, LiteRt())
