# SPDX-License-Identifier: Apache-2.0
# opencv: an output of more than 10 dimensions is refused.
# Case gather-sweep-axis-ranks-7-and-8/axis=rank-8-axis-0/indices=1x2x1x2, onnx.Gather-13, folded/static, on opencv 5.0.0.
# rejected what must be accepted: expected an output, got rejected: dims_ <= (size_t)MAX_DIMS
# Rule onnx.gather-13.axis.range (onnx/Gather, Attributes): The axis lies between -r and r - 1.
# Rule onnx.gather-13.semantics.single-axis (onnx/Gather, Description): Only the coordinate along the axis is looked up; the others pass through.
# Rule onnx.gather-13.output.rank (onnx/Gather, Outputs): The output has q + r - 1 dimensions.
# shows: refused: dims_ <= (size_t)MAX_DIMS
import cv2, numpy as np, onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'UINT16', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 4, ['output_0', 'output_1', 'output_2', 'output_3', 'output_4', 'output_5', 'output_6', 'output_7', 'output_8', 'output_9', 'output_10'])])
values, inputs = {}, []
# data: u16 [2, 3, 1, 2, 2, 1, 3, 2]
graph.initializer.append(onnx.TensorProto(name='data', data_type=4, dims=[2, 3, 1, 2, 2, 1, 3, 2], raw_data=bytes.fromhex('e803e903ea03eb03ec03ed03ee03ef03f003f103f203f303f403f503f603f703f803f903fa03fb03fc03fd03fe03ff0300040104020403040404050406040704080409040a040b040c040d040e040f0410041104120413041404150416041704180419041a041b041c041d041e041f0420042104220423042404250426042704280429042a042b042c042d042e042f0430043104320433043404350436043704380439043a043b043c043d043e043f0440044104420443044404450446044704480449044a044b044c044d044e044f0450045104520453045404550456045704580459045a045b045c045d045e045f0460046104620463046404650466046704680469046a046b046c046d046e046f0470047104720473047404750476047704')))
# indices: i64 [1, 2, 1, 2]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=7, dims=[1, 2, 1, 2], raw_data=bytes.fromhex('0000000000000000010000000000000000000000000000000100000000000000')))
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
