# SPDX-License-Identifier: Apache-2.0
# onnx: GatherElements: numpy.choose takes at most 64 arrays, the indices among them: an axis of 64 and more (63 works) is refused, or fails in the fallback for matrices.
# Case gather-elements-sweep-counts/type=f32/index=i32/count=64, onnx.GatherElements-13, runtime/dynamic, on onnx 1.23.2.
# rejected what must be accepted: expected an output, got rejected: ValueError: Need at least 0 and at most 64 array objects.
# Rule onnx.gather-elements-13.semantics.formula (onnx/GatherElements-13, Description): The output element at a coordinate is data's at the same one, with the axis entry replaced by the index found there.
# shows: refused: ValueError: Need at least 0 and at most 64 array objects.
import numpy as np, onnx, onnx.numpy_helper, onnx.reference
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
packed_value_of = lambda packed, number, shape: onnx.numpy_helper.to_array(
    onnx.TensorProto(data_type=number, dims=shape, raw_data=packed.tobytes()))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'FLOAT', 'indices': 'INT32'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 1, ['output_0'])])
values, inputs = {}, []
# data: f32 [97]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, ['data_0']))
bits_data = np.frombuffer(bytearray.fromhex('0000c8420000ca420000cc420000ce420000d0420000d2420000d4420000d6420000d8420000da420000dc420000de420000e0420000e2420000e4420000e6420000e8420000ea420000ec420000ee420000f0420000f2420000f4420000f6420000f8420000fa420000fc420000fe420000004300000143000002430000034300000443000005430000064300000743000008430000094300000a4300000b4300000c4300000d4300000e4300000f430000104300001143000012430000134300001443000015430000164300001743000018430000194300001a4300001b4300001c4300001d4300001e4300001f430000204300002143000022430000234300002443000025430000264300002743000028430000294300002a4300002b4300002c4300002d4300002e4300002f430000304300003143000032430000334300003443000035430000364300003743000038430000394300003a4300003b4300003c4300003d4300003e4300003f430000404300004143000042430000434300004443'), '<u4').reshape([97])
values['data'] = value_of(bits_data, 1)
inputs.append(onnx.TensorProto(name='data', data_type=1, dims=[97], raw_data=bits_data.tobytes()))
# indices: i32 [64]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 6, ['indices_0']))
bits_indices = np.frombuffer(bytearray.fromhex('0000000029000000520000001a000000430000000b000000340000005d000000250000004e000000160000003f000000070000003000000059000000210000004a000000120000003b000000030000002c000000550000001d000000460000000e0000003700000060000000280000005100000019000000420000000a000000330000005c000000240000004d000000150000003e000000060000002f000000580000002000000049000000110000003a000000020000002b000000540000001c000000450000000d000000360000005f0000002700000050000000180000004100000009000000320000005b000000230000004c000000140000003d000000'), '<i4').reshape([64])
values['indices'] = value_of(bits_indices, 6)
inputs.append(onnx.TensorProto(name='indices', data_type=6, dims=[64], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='GatherElements', input=['data', 'indices'], output=['output'])
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
evaluator = onnx.reference.ReferenceEvaluator(model)
(output,) = evaluator.run(None, values)
is_text = output.dtype.kind in 'OU'
contents = output.reshape(-1).tolist() if is_text else onnx.numpy_helper.from_array(output).raw_data.hex()
print('output', output.dtype, list(output.shape), contents)
assert type_of(output) == types['data'], type_of(output)
