# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: Gather: element types of data that the operator version does not list are taken: bf16 before version 13, f8e4m3, f8e5m2, f8e8m0, i4 and u4 in all; the constraint T is "any tensor type" beside its list, which can be read as taking them.
# Case gather-data-f8e4m3-refused-by-onnx, onnx.Gather-13, runtime/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error unsupported_type, got f8e4m3 [2] = [-3.25, 1]
# Rule onnx.gather-13.types.T (onnx/Gather, Type Constraints): Data and output have one of: boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, string.
# shows: an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
numbers = {17: 'f8e4m3', 7: 'i64'}  # ONNX -> OpenVINO
names = {'f8e4m3': 'FLOAT8E4M3FN', 'i64': 'INT64'}  # OpenVINO -> ONNX
packed_value_of = lambda bits, number, shape: ov.Tensor(bits, ov.Shape(shape), getattr(ov.Type, numbers[number]))
value_of = lambda bits, number: packed_value_of(bits, number, list(bits.shape))
text_of = lambda array: np.array([text.encode() for text in array.reshape(-1)], bytes).reshape(array.shape)
array_of = lambda array: text_of(array) if array.dtype == object else array
tensor_of = lambda value: value if isinstance(value, ov.Tensor) else ov.Tensor(array_of(value))
type_of = lambda value: names[tensor_of(value).element_type.get_type_name()]
types = {'data': 'FLOAT8E4M3FN', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 17, ['output_0'])])
values, inputs = {}, []
# data: f8e4m3 [3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 17, [3]))
bits_data = np.frombuffer(bytearray.fromhex('3839c5'), 'u1').reshape([3])
values['data'] = value_of(bits_data, 17)
inputs.append(onnx.TensorProto(name='data', data_type=17, dims=[3], raw_data=bits_data.tobytes()))
# indices: i64 [2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [2]))
bits_indices = np.frombuffer(bytearray.fromhex('02000000000000000000000000000000'), '<i8').reshape([2])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[2], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a04617869731800a00102')))  # axis = 0
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
