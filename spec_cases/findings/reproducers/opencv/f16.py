# SPDX-License-Identifier: Apache-2.0
# opencv: f16 data comes out as f32.
# Case gather-type-f16-rows-of-7, onnx.Gather-13, runtime/static, on opencv 5.0.0.
# wrong type: expected element type f16, got f32
# Rule onnx.gather-13.types.T (onnx/Gather, Type Constraints): Data and output have one of: boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, string.
# Rule onnx.gather-13.semantics.slice-per-entry (onnx/Gather, Description): Each index yields one slice of data, of r - 1 dimensions.
# shows: an output other than [3, 7] 804dc04d004e404e804ec04e004f0048804800498049004a804a004b804dc04d004e404e804ec04e004f
import cv2, numpy as np, onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'FLOAT16', 'indices': 'INT32'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 10, ['output_0', 'output_1'])])
values, inputs = {}, []
# data: f16 [4, 7]
graph.input.append(onnx.helper.make_tensor_value_info('data', 10, [4, 7]))
bits_data = np.frombuffer(bytearray.fromhex('003c0040004200440045004600470048804800498049004a804a004b804b004c404c804cc04c004d404d804dc04d004e404e804ec04e004f'), '<u2').reshape([4, 7])
values['data'] = value_of(bits_data, 10)
inputs.append(onnx.TensorProto(name='data', data_type=10, dims=[4, 7], raw_data=bits_data.tobytes()))
# indices: i32 [3]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 6, [3]))
bits_indices = np.frombuffer(bytearray.fromhex('030000000100000003000000'), '<i4').reshape([3])
values['indices'] = value_of(bits_indices, 6)
inputs.append(onnx.TensorProto(name='indices', data_type=6, dims=[3], raw_data=bits_indices.tobytes()))
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
cv2.setNumThreads(1)
net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
for name, value in values.items():
    net.setInput(value, name)
output = net.forward()
assert output is not None, 'Net.forward gave None'
print('output', list(output.shape), output.tobytes().hex())
print('type', type_of(output))
