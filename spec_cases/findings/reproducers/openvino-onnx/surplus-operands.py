# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: the front end ignores operands more than an operator has; "Inputs (2 - 2)".
# Case versions-three-inputs, onnx.Gather-13, runtime/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error wrong_input_count, got i32 [2, 2, 2] = [3, 4, 1, 2, 1, 2, 3, 4]
# Rule onnx.gather-13.inputs.count (onnx/Gather, Inputs): The operation has exactly two inputs, all of them required.
# shows: an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
numbers = {6: 'i32', 7: 'i64'}  # ONNX -> OpenVINO
names = {'i32': 'INT32', 'i64': 'INT64'}  # OpenVINO -> ONNX
packed_value_of = lambda bits, number, shape: ov.Tensor(bits, ov.Shape(shape), getattr(ov.Type, numbers[number]))
value_of = lambda bits, number: packed_value_of(bits, number, list(bits.shape))
text_of = lambda array: np.array([text.encode() for text in array.reshape(-1)], bytes).reshape(array.shape)
array_of = lambda array: text_of(array) if array.dtype == object else array
tensor_of = lambda value: value if isinstance(value, ov.Tensor) else ov.Tensor(array_of(value))
type_of = lambda value: names[tensor_of(value).element_type.get_type_name()]
types = {'data': 'INT32', 'indices': 'INT64', 'axis': 'INT32'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, ['output_0', 'output_1', 'output_2'])])
values, inputs = {}, []
# data: i32 [2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [2, 2]))
bits_data = np.frombuffer(bytearray.fromhex('01000000020000000300000004000000'), '<i4').reshape([2, 2])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[2, 2], raw_data=bits_data.tobytes()))
# indices: i64 [2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [2, 2]))
bits_indices = np.frombuffer(bytearray.fromhex('0100000000000000000000000000000000000000000000000100000000000000'), '<i8').reshape([2, 2])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[2, 2], raw_data=bits_indices.tobytes()))
# axis: i32 []
graph.initializer.append(onnx.TensorProto(name='axis', data_type=6, dims=[], raw_data=bytes.fromhex('01000000')))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices', 'axis'], output=['output'])
graph.node.append(node)
stated = {each.name: each.type.tensor_type.elem_type for each in graph.input}
stated.update((each.name, each.data_type) for each in graph.initializer)
stated = {name: onnx.TensorProto.DataType.Name(number) for name, number in stated.items()}
assert stated == types, stated
for name, value in values.items():
    assert type_of(value) == types[name], (name, type_of(value))
model = onnx.ModelProto(ir_version=8, graph=graph, opset_import=[onnx.OperatorSetIdProto(version=13)])
import os, sys
if len(sys.argv) > 1:  # a folder to save the call to, laid out as ONNX's node tests
    set_0 = os.path.join(sys.argv[1], 'test_data_set_0')
    os.makedirs(set_0, exist_ok=True)
    onnx.save(model, os.path.join(sys.argv[1], 'model.onnx'))
    for k, tensor in enumerate(inputs):
        with open(os.path.join(set_0, f'input_{k}.pb'), 'wb') as file:
            file.write(tensor.SerializeToString())
core = ov.Core()
model = core.read_model(model.SerializeToString())
print('declared', model.output(0).get_element_type().get_type_name(), model.output(0).get_partial_shape())
configuration = {'INFERENCE_NUM_THREADS': 1, 'NUM_STREAMS': 1, 'ENABLE_CPU_PINNING': False, 'INFERENCE_PRECISION_HINT': 'f32'}
model = core.compile_model(model, 'CPU', configuration)
request = model.create_infer_request()
for name in values.keys() - {port.any_name for port in model.inputs}:
    print('the front end dropped the operand', name)
    del values[name]
for name, value in values.items():
    request.set_tensor(name, tensor_of(value))
request.start_async()
request.wait()
output = request.get_output_tensor(0)
if output.element_type == ov.Type.string:
    strings = ov.op.Constant(output, shared_memory=False).get_value_strings() if output.size else []
    print('output', list(output.shape), strings)
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
assert type_of(output) == types['data'], type_of(output)
