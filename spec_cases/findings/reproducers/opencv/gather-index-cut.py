# SPDX-License-Identifier: Apache-2.0
# opencv: Gather cuts indices to 32 bits, and takes those that are inside then.
# Case gather-index-two-to-32, onnx.Gather-13, folded/static, on opencv 5.0.0.
# accepted what must be rejected: expected the error index_out_of_bounds, got i32 [2] = [1, 2]
# Rule onnx.gather-13.indices.error (onnx/Gather, Inputs): One index outside the range makes the call an error.
# Rule onnx.gather-13.indices.range (onnx/Gather, Inputs): An index lies between -s and s - 1, s being the size of data along the axis.
# shows: an output
import cv2, numpy as np, onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'INT32', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, ['output_0'])])
values, inputs = {}, []
# data: i32 [5]
graph.initializer.append(onnx.TensorProto(name='data', data_type=6, dims=[5], raw_data=bytes.fromhex('0100000002000000030000000400000005000000')))
# indices: i64 [2]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=7, dims=[2], raw_data=bytes.fromhex('00000000010000000100000000000000')))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a04617869731800a00102')))  # axis = 0
graph.node.append(node)
stated = {each.name: each.type.tensor_type.elem_type for each in graph.input}
stated.update((each.name, each.data_type) for each in graph.initializer)
stated = {name: onnx.TensorProto.DataType.Name(number) for name, number in stated.items()}
assert stated == types, stated
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
