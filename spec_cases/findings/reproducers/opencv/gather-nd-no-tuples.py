# SPDX-License-Identifier: Apache-2.0
# opencv: GatherND with indices without elements divides by zero.
# Case gather-nd-empty-no-tuples, onnx.GatherND-13, runtime/static, on opencv 5.0.0.
# crash: killed by SIGFPE
# Rule onnx.gather-nd-13.output.rank (onnx/GatherND-13, Description): The output has q + r - n - 1 - b dimensions: those of indices without the last, then data's from b + n on.
# Rule onnx.gather-nd-13.semantics.formula (onnx/GatherND-13, Description): The last dimension of indices holds tuples; each tuple is replaced by the element or slice of data at that place, within its batch.
# shows: a crash
import cv2, numpy as np, onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'INT32', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, ['output_0'])])
values, inputs = {}, []
# data: i32 [2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [2, 2]))
bits_data = np.frombuffer(bytearray.fromhex('01000000020000000300000004000000'), '<i4').reshape([2, 2])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[2, 2], raw_data=bits_data.tobytes()))
# indices: i64 [0, 2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [0, 2]))
bits_indices = np.frombuffer(bytearray.fromhex(''), '<i8').reshape([0, 2])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[0, 2], raw_data=bits_indices.tobytes()))
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
cv2.setNumThreads(1)
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
for name, value in values.items():
    net.setInput(value, name)
output = net.forward()
assert output is not None, 'Net.forward gave None'
print('output', list(output.shape), output.tobytes().hex())
print('type', type_of(output))
