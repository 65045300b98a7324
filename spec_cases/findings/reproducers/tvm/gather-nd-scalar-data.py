# SPDX-License-Identifier: Apache-2.0
# tvm: GatherND takes data of rank 0; "Tensor of rank r >= 1."
# Case gather-nd-scalar-data, onnx.GatherND-13, runtime/static, on tvm 0.27.0.post1.
# accepted what must be rejected: expected the error rank_too_small, got i32 [1] = [7]
# Rule onnx.gather-nd-13.rank (onnx/GatherND-13, Description): Data has r dimensions and indices q, each at least 1; neither bounds the other.
# Rule onnx.gather-nd-13.batch_dims.range (onnx/GatherND-13, Description): batch_dims is below min(q, r).
# Rule onnx.gather-nd-13.indices.last-dim (onnx/GatherND-13, Description): The last dimension of indices, the length n of a tuple, is at most r - b, and should be at least 1.
# shows: an output
import numpy as np, onnx, tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
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
# indices: i64 [1, 1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [1, 1]))
bits_indices = np.frombuffer(bytearray.fromhex('0000000000000000'), '<i8').reshape([1, 1])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[1, 1], raw_data=bits_indices.tobytes()))
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
machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target='llvm'), tvm.cpu())
output = machine['main'](*(tvm.runtime.tensor(value) for value in values.values())).numpy()
print('output', list(output.shape), output.tobytes().hex())
assert type_of(output) == types['data'], type_of(output)
