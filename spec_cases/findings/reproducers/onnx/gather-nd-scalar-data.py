# SPDX-License-Identifier: Apache-2.0
# onnx: GatherND: data of rank 0 are taken where there are no tuples.
# Case gather-nd-scalar-data-no-tuples, onnx.GatherND-13, runtime/static, on onnx 1.23.2.
# accepted what must be rejected: expected the error rank_too_small, got i32 [0] = []
# Rule onnx.gather-nd-13.rank (onnx/GatherND-13, Description): Data has r dimensions and indices q, each at least 1; neither bounds the other.
# shows: an output
import numpy as np, onnx, onnx.numpy_helper, onnx.reference
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
packed_value_of = lambda packed, number, shape: onnx.numpy_helper.to_array(
    onnx.TensorProto(data_type=number, dims=shape, raw_data=packed.tobytes()))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'INT32', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, [])])
values, inputs = {}, []
# data: i32 []
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, []))
bits_data = np.frombuffer(bytearray.fromhex('07000000'), '<i4').reshape([])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[], raw_data=bits_data.tobytes()))
# indices: i64 [0, 1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [0, 1]))
bits_indices = np.frombuffer(bytearray.fromhex(''), '<i8').reshape([0, 1])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[0, 1], raw_data=bits_indices.tobytes()))
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
evaluator = onnx.reference.ReferenceEvaluator(model)
(output,) = evaluator.run(None, values)
is_text = output.dtype.kind in 'OU'
contents = output.reshape(-1).tolist() if is_text else onnx.numpy_helper.from_array(output).raw_data.hex()
print('output', output.dtype, list(output.shape), contents)
assert type_of(output) == types['data'], type_of(output)
