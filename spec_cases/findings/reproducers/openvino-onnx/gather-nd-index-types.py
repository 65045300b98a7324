# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: GatherND: indices of any integer type are taken; they are of "tensor(int64)".
# Case gather-nd-and-others-i32, onnx.GatherND-13, runtime/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error unsupported_type, got f32 [1, 1] = [2.5]
# Rule onnx.gather-nd-13.types (onnx/GatherND-13, Inputs): Indices are i64 and nothing else; data has one of the sixteen ONNX types of version 13, bf16 included.
# shows: an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
numbers = {1: 'f32', 6: 'i32'}  # ONNX -> OpenVINO
names = {'f32': 'FLOAT', 'i32': 'INT32'}  # OpenVINO -> ONNX
packed_value_of = lambda bits, number, shape: ov.Tensor(bits, ov.Shape(shape), getattr(ov.Type, numbers[number]))
value_of = lambda bits, number: packed_value_of(bits, number, list(bits.shape))
text_of = lambda array: np.array([text.encode() for text in array.reshape(-1)], bytes).reshape(array.shape)
array_of = lambda array: text_of(array) if array.dtype == object else array
tensor_of = lambda value: value if isinstance(value, ov.Tensor) else ov.Tensor(array_of(value))
type_of = lambda value: names[tensor_of(value).element_type.get_type_name()]
types = {'data': 'FLOAT', 'indices': 'INT32'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 1, ['output_0', 'output_1'])])
values, inputs = {}, []
# data: f32 [2, 1]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [2, 1]))
bits_data = np.frombuffer(bytearray.fromhex('0000c03f00002040'), '<u4').reshape([2, 1])
values['data'] = value_of(bits_data, 1)
inputs.append(onnx.TensorProto(name='data', data_type=1, dims=[2, 1], raw_data=bits_data.tobytes()))
# indices: i32 [1, 1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 6, [1, 1]))
bits_indices = np.frombuffer(bytearray.fromhex('01000000'), '<i4').reshape([1, 1])
values['indices'] = value_of(bits_indices, 6)
inputs.append(onnx.TensorProto(name='indices', data_type=6, dims=[1, 1], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='GatherND', input=['data', 'indices'], output=['output'])
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
