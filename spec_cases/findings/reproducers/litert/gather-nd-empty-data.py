# SPDX-License-Identifier: Apache-2.0
# Case gather-nd-empty-trailing-dimension, tensorflow.GatherNd, runtime/static, on litert 2.3.0.
# rejected what must be accepted: expected an output, got rejected at run: tflite/kernels/gather_nd.cc:189 (NumElements(params) == 0 && NumElements(indices) == 0) || NumElements(params) > 0 was not true.Node number 0 (GATHER_ND) failed to invoke.
# Rule tf.gather-nd.output (tensorflow/GatherNd, Outputs): The output holds values of params, in the shape of the formula.
# shows: refused: tflite/kernels/gather_nd.cc:189 (NumElements(params) == 0 && NumElements(indices) == 0) || NumElements(params) > 0 was n
import flatbuffers, ml_dtypes, numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType


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


# tensorflow.GatherNd: data f32 [2, 0], indices i64 [1, 1]
model = model_of(*('GATHER_ND', {}, [('data', 'FLOAT32', [2, 0], [2, 0], None), ('indices', 'INT64', [1, 1], [1, 1], None)], 'FLOAT32'))
resolver = OpResolverType.AUTO
interpreter = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=resolver)
interpreter.allocate_tensors()


def run(*arrays):
    for details, dtype, array in zip(interpreter.get_input_details(), ['float32', 'int64'], arrays):
        assert numpy.dtype(details['dtype']) == dtype, details
        interpreter.set_tensor(details['index'], array)
    interpreter.invoke()
    (details,) = interpreter.get_output_details()
    shape = details['shape'].tolist()
    output = numpy.empty(0, details['dtype']) if 0 in shape else interpreter.get_tensor(details['index'])
    print('output', shape, output.tobytes().hex())
    assert numpy.dtype(details['dtype']) == 'float32', details


run(numpy.frombuffer(bytes.fromhex(''), 'float32').reshape([2, 0]), numpy.frombuffer(bytes.fromhex('0100000000000000'), 'int64').reshape([1, 1]))
