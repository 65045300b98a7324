# SPDX-License-Identifier: Apache-2.0
# onnx: Gather: the one string that a scalar index picks from a vector becomes an array of fixed width, and loses U+0000 at its end; ONNX says of strings "No trailing null", which can be read as excluding it.
# Case gather-type-string-scalar, onnx.Gather-13, runtime/static, on onnx 1.23.2.
# wrong value: element 0 of []: expected "z\x00", got "z"
# Rule onnx.gather-13.semantics.slice-per-entry (onnx/Gather, Description): Each index yields one slice of data, of r - 1 dimensions.
# shows: an output other than [] ["z\u0000"]
import numpy as np, onnx, onnx.numpy_helper, onnx.reference
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
packed_value_of = lambda packed, number, shape: onnx.numpy_helper.to_array(
    onnx.TensorProto(data_type=number, dims=shape, raw_data=packed.tobytes()))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'STRING', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 8, [])])
values, inputs = {}, []
# data: string [3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 8, [3]))
values['data'] = np.array(['x', 'y', 'z\x00'], dtype=object).reshape([3])
inputs.append(onnx.TensorProto(name='data', data_type=8, dims=[3], string_data=[text.encode() for text in values['data'].reshape(-1)]))
# indices: i64 []
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, []))
bits_indices = np.frombuffer(bytearray.fromhex('0200000000000000'), '<i8').reshape([])
values['indices'] = bits_indices.view(onnx.helper.tensor_dtype_to_np_dtype(7))
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[], raw_data=bits_indices.tobytes()))
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
evaluator = onnx.reference.ReferenceEvaluator(model)
(output,) = evaluator.run(None, values)
is_text = output.dtype.kind in 'OU'
contents = output.reshape(-1).tolist() if is_text else onnx.numpy_helper.from_array(output).raw_data.hex()
print('output', output.dtype, list(output.shape), contents)
assert type_of(output) == types['data'], type_of(output)
