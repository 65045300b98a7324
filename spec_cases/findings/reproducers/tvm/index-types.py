# SPDX-License-Identifier: Apache-2.0
# tvm: element types of indices that the operator version does not list are taken: all integers
# Case gather-index-type-i8, onnx.Gather-13, runtime/static, on tvm 0.27.0.post1.
# accepted what must be rejected: expected the error unsupported_type, got i32 [2, 2, 2] = [1, 2, 5, 6, 3, 4, 3, 4]
# Rule onnx.gather-13.types.Tind (onnx/Gather, Type Constraints): Indices are i32 or i64.
# shows: an output
import numpy as np, onnx, tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'INT32', 'indices': 'INT8'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, ['output_0', 'output_1', 'output_2'])])
values, inputs = {}, []
# data: i32 [3, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [3, 2]))
bits_data = np.frombuffer(bytearray.fromhex('010000000200000003000000040000000500000006000000'), '<i4').reshape([3, 2])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[3, 2], raw_data=bits_data.tobytes()))
# indices: i8 [2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 3, [2, 2]))
bits_indices = np.frombuffer(bytearray.fromhex('00020101'), 'i1').reshape([2, 2])
values['indices'] = value_of(bits_indices, 3)
inputs.append(onnx.TensorProto(name='indices', data_type=3, dims=[2, 2], raw_data=bits_indices.tobytes()))
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
machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target='llvm'), tvm.cpu())
output = machine['main'](*(tvm.runtime.tensor(value) for value in values.values())).numpy()
print('output', list(output.shape), output.tobytes().hex())
assert type_of(output) == types['data'], type_of(output)
