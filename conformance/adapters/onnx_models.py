# SPDX-License-Identifier: Apache-2.0
# Builds ONNX models of one node from calls, for the adapters of engines that run ONNX.
"""A model holds the call's node in the operator's own opset (IR 8).

Routes: an operand given at run time is a graph input, a fixed one an initializer; dynamic shapes are symbolic dimensions
of known rank. An adapter imports this after it has taken over the standard streams.
"""

import json

import gathercheck.worker as worker
import onnx

OPERATORS = {  # operator version -> ONNX name, opset
    f"onnx.{name}-{opset}": (name, opset)
    for name, opsets in (("Gather", (1, 11, 13)), ("GatherElements", (11, 13)), ("GatherND", (11, 12, 13)))
    for opset in opsets
}
BY_NUMBER = {entry.onnx: entry for entry in worker.ELEMENT_TYPES.values() if entry.onnx}


def asked(run):
    """What the engine behind run(call) takes of ONNX's operators, by every route."""
    return worker.Asked(OPERATORS, lambda operator: worker.routes(), lambda calls: [run(call) for call in calls])


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


def array_of(tensor):
    """A numpy array of the element type itself, with the bits of the tensor."""
    bits = tensor.array()
    if tensor.strings is not None:
        return bits
    return bits.view(onnx.helper.tensor_dtype_to_np_dtype(onnx_number(tensor)))


def tensor_of(array):
    """The reverse of array_of()."""
    number = 8 if array.dtype.kind in "OSU" else onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    entry = BY_NUMBER[number]
    return worker.Tensor.from_array(entry, array if number == 8 else array.view(entry.storage))


def initializer(name, tensor):
    proto = onnx.TensorProto(name=name, data_type=onnx_number(tensor), dims=tensor.shape)
    if tensor.strings is not None:
        proto.string_data.extend(text.encode() for text in tensor.strings)
    else:
        proto.raw_data = tensor.raw
    return proto


def model_of(call, described=False, declared=False):
    """The serialized model, and the names of its graph inputs. A described model also yields the output's shape, a declared
    one states what output_declaration(call, whole=True) says of the output."""
    if call.operator not in OPERATORS:
        raise worker.Unsupported(f"ONNX has no operator {call.operator}")
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
    if declared:
        graph.output.append(onnx.helper.make_tensor_value_info("output", *output_declaration(call, whole=True)))
    else:
        graph.output.append(onnx.ValueInfoProto(name="output"))
    if described:  # the static shape of this output is the rank, which some engines do not tell of the other
        graph.node.append(onnx.NodeProto(op_type="Shape", input=["output"], output=["shape"]))
        graph.output.append(onnx.ValueInfoProto(name="shape"))
    model = onnx.ModelProto(ir_version=8, graph=graph, opset_import=[onnx.OperatorSetIdProto(version=opset)])
    return model.SerializeToString(), given


def output_rank(call):
    """The number of dimensions of a legal call's output, by ranks and the length of tuples; None where they do not tell."""
    operator, opset = OPERATORS[call.operator]
    data, indices = call.inputs.get("data"), call.inputs.get("indices")
    if data is None or indices is None:
        return None
    rank = len(indices.shape)
    if operator == "Gather":
        rank += len(data.shape) - 1
    if operator == "GatherND":
        batch_dims = call.attributes.get("batch_dims", 0) if opset >= 12 else 0
        if rank == 0 or not isinstance(batch_dims, int):
            return None
        rank += len(data.shape) - indices.shape[-1] - 1 - batch_dims
    return rank if 0 <= rank <= len(data.shape) + len(indices.shape) else None


def output_declaration(call, whole=False):
    """ONNX's number of the output's element type, and its shape: a list of names, None where the call does not tell its rank.
    None in place of both where data is absent. `whole` is for an engine that wants to be told, whatever it does with it: what
    the call does not tell is f32 then, of rank 1."""
    data, rank = call.inputs.get("data"), output_rank(call)
    if whole:
        rank = 1 if rank is None else rank
    elif data is None:
        return None
    number = 1 if data is None else onnx_number(data)
    return number, None if rank is None else [f"output_{k}" for k in range(rank)]


def declared_output(call, whole=False):
    """The output of a script's graph: with what onnx.checker asks for, where the call tells it.

    A described call asks for just that, so nothing is declared; nor does model_of() declare it unasked, for an engine may
    believe a declaration.
    """
    declaration = output_declaration(call, whole)
    if declaration is None or not all(tensor.has_contents for tensor in call.inputs.values()):
        return "onnx.ValueInfoProto(name='output')"
    number, shape = declaration
    return f"onnx.helper.make_tensor_value_info('output', {number}, {shape})"


def has_strings(call):
    return any(tensor.strings is not None for tensor in call.inputs.values())


def value_lines(name, tensor, bits, with_strings):
    """The lines of a script that put an operand into `values`; `bits` names the array."""
    shape, number = list(tensor.shape), onnx_number(tensor)
    if tensor.strings is not None:
        return [f"values[{name!r}] = np.array({tensor.strings!r}, dtype=object).reshape({shape})"]
    made = f"np.frombuffer(bytearray.fromhex('{tensor.raw.hex()}'), '{tensor.type.storage}')"
    if tensor.type.packed:  # as many bytes as they need: only the engine's own value has a shape
        return [f"{bits} = {made}", f"values[{name!r}] = packed_value_of({bits}, {number}, {shape})"]
    value = f"{bits}.view(onnx.helper.tensor_dtype_to_np_dtype({number}))" if with_strings else f"value_of({bits}, {number})"
    return [f"{bits} = {made}.reshape({shape})", f"values[{name!r}] = {value}"]


OTHER_NAMES = {
    "boolean": "BOOL",
    "f16": "FLOAT16",
    "bf16": "BFLOAT16",
    "f32": "FLOAT",
    "f64": "DOUBLE",
    "f8e4m3": "FLOAT8E4M3FN",
    "f8e4m3fnuz": "FLOAT8E4M3FNUZ",
    "f8e5m2": "FLOAT8E5M2",
    "f8e5m2fnuz": "FLOAT8E5M2FNUZ",
    "f8e8m0": "FLOAT8E8M0",
    "f4e2m1": "FLOAT4E2M1",
    "c64": "COMPLEX64",
    "c128": "COMPLEX128",
    "string": "STRING",
}


def type_name(tensor):
    """ONNX's name of the element type. It is made of ours, not looked up by its number: what a script states of its
    operands must not come from the table that the script is written by."""
    name = tensor.type.name
    return OTHER_NAMES.get(name) or {"u": "UINT", "i": "INT"}[name[0]] + name[1:]


STATED_TYPES = [
    "stated = {each.name: each.type.tensor_type.elem_type for each in graph.input}",
    "stated.update((each.name, each.data_type) for each in graph.initializer)",
    "stated = {name: onnx.TensorProto.DataType.Name(number) for name, number in stated.items()}",
    "assert stated == types, stated",
]
GIVEN_TYPES = [
    "for name, value in values.items():",
    "    assert type_of(value) == types[name], (name, type_of(value))",
]


TYPE_OF_ARRAY = [
    "def type_of(array):",
    "    is_text = array.dtype.kind in 'OSU'",
    "    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))",
]


def output_type(call):
    """The line of a script that asserts the element type of `output`, which is that of data."""
    return ["assert type_of(output) == types['data'], type_of(output)"] if call.inputs.get("data") is not None else []


def closing(call, prepare, make):
    """The end of a script: lines that prepare the model, and lines that make a call, in turn for those of a sequence."""
    if call.before:
        make = ["try:", *(f"    {line}" for line in make), "except Exception as error:", "    print('rejected', error)"]
        return [*prepare, "for values in calls:  # one after the other", *(f"    {line}" for line in make)]
    return [*prepare, *(make if all(tensor.has_contents for tensor in call.inputs.values()) else [])]


SAVING = [
    "import os, sys",
    "if len(sys.argv) > 1:  # a folder to save the call to, laid out as ONNX's node tests",
    "    set_0 = os.path.join(sys.argv[1], 'test_data_set_0')",
    "    os.makedirs(set_0, exist_ok=True)",
    "    onnx.save(model, os.path.join(sys.argv[1], 'model.onnx'))",
    "    for k, tensor in enumerate(inputs):",
    "        with open(os.path.join(set_0, f'input_{k}.pb'), 'wb') as file:",
    "            file.write(tensor.SerializeToString())",
]


def script(call, header, closing, declared=False):
    """A script that makes the call without the adapter: `header` imports the engine and defines value_of(bits, number),
    packed_value_of(bytes, number, shape) where the engine takes types below a byte, and type_of(value), ONNX's name of a
    value's element type; `closing` uses `model`, an onnx.ModelProto, and `values`, the run-time operands by name; for the
    last call of a sequence `calls`, the `values` of each, itself included. `declared` is that of model_of().

    Operands of a call with strings are arrays, never value_of(). `types` states the element types of the call: the script
    asserts that the model and the values have them. Given a folder, the script saves the model and these operands there,
    for anything else that runs ONNX.
    """
    operator, opset = OPERATORS[call.operator]
    with_strings = has_strings(call)
    types = {name: type_name(tensor) for name, tensor in call.inputs.items()}
    lines = [
        *header,
        f"types = {types!r}",
        f"graph = onnx.GraphProto(name='one_call', output=[{declared_output(call, declared)}])",
        "values, inputs = {}, []",
    ]
    names, given = [], []
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
        given.append(name)
        lines += value_lines(name, tensor, f"bits_{name}", with_strings)
        if tensor.strings is not None:
            saved = f"string_data=[text.encode() for text in values[{name!r}].reshape(-1)]"
        else:
            saved = f"raw_data=bits_{name}.tobytes()"
        lines.append(f"inputs.append(onnx.TensorProto(name={name!r}, data_type={number}, dims={shape}, {saved}))")
    if call.before:
        lines.append("last, calls = values, []")
        for k, earlier in enumerate(call.before):
            lines.append("values = {}")
            for name in given:  # arrays are kept under names of their own: an OrtValue may only borrow one
                lines += value_lines(name, earlier.inputs[name], f"bits_{name}_{k}", with_strings)
            lines.append("calls.append(values)")
        lines.append("calls.append(last)")
    lines.append(f"node = onnx.NodeProto(op_type={operator!r}, input={names!r}, output=['output'])")
    for name, value in call.attributes.items():
        made = f"onnx.AttributeProto.FromString(bytes.fromhex('{attribute(name, value).SerializeToString().hex()}'))"
        lines.append(f"node.attribute.append({made})  # {name} = {json.dumps(value)}")
    opsets = f"[onnx.OperatorSetIdProto(version={opset})]"
    lines += [
        "graph.node.append(node)",
        *STATED_TYPES,
        *(GIVEN_TYPES if given else []),
        f"model = onnx.ModelProto(ir_version=8, graph=graph, opset_import={opsets})",
        *SAVING,
        *closing,
    ]
    return "\n".join(lines) + "\n"
