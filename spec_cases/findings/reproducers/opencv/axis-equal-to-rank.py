# SPDX-License-Identifier: Apache-2.0
# opencv: an axis equal to the rank of data is taken.
# Case gather-axis-out-of-range-vector-1, onnx.Gather-13, runtime/static, on opencv 5.0.0.
# accepted what must be rejected: expected the error axis_out_of_range, got f32 [1] = [1]
# Rule onnx.gather-13.axis.range (onnx/Gather, Attributes): The axis lies between -r and r - 1.
# shows: an output
import cv2, numpy as np, onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'FLOAT', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 1, ['output_0'])])
values, inputs = {}, []
# data: f32 [3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [3]))
bits_data = np.frombuffer(bytearray.fromhex('0000803f0000004000004040'), '<u4').reshape([3])
values['data'] = value_of(bits_data, 1)
inputs.append(onnx.TensorProto(name='data', data_type=1, dims=[3], raw_data=bits_data.tobytes()))
# indices: i64 [1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [1]))
bits_indices = np.frombuffer(bytearray.fromhex('0000000000000000'), '<i8').reshape([1])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[1], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a04617869731801a00102')))  # axis = 1
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
cv2.setNumThreads(1)
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
for name, value in values.items():
    net.setInput(value, name)
output = net.forward()
assert output is not None, 'Net.forward gave None'
print('output', list(output.shape), output.tobytes().hex())
print('type', type_of(output))
