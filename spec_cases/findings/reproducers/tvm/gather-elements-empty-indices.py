# SPDX-License-Identifier: Apache-2.0
# tvm: GatherElements with constant indices without elements is refused: "Check failed: indices_dim_i >= 1 (0 vs. 1)", while the same indices are taken at run time
# Case gather-elements-empty-no-indices, onnx.GatherElements-13, constant/static, on tvm 0.27.0.post1.
# rejected what must be accepted: expected an output, got rejected at build: InternalError: Check failed: indices_dim_i >= 1 (0 vs. 1) :
# Rule onnx.gather-elements-13.output.shape (onnx/GatherElements-13, Outputs): The output has the shape of indices.
# shows: refused: InternalError: Check failed: indices_dim_i >= 1 (0 vs. 1) :
import numpy as np, onnx, tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'INT32', 'indices': 'INT32'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, ['output_0', 'output_1'])])
values, inputs = {}, []
# data: i32 [2, 3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [2, 3]))
bits_data = np.frombuffer(bytearray.fromhex('000000000100000002000000030000000400000005000000'), '<i4').reshape([2, 3])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[2, 3], raw_data=bits_data.tobytes()))
# indices: i32 [2, 0]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=6, dims=[2, 0], raw_data=bytes.fromhex('')))
node = onnx.NodeProto(op_type='GatherElements', input=['data', 'indices'], output=['output'])
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
machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target='llvm'), tvm.cpu())
output = machine['main'](*(tvm.runtime.tensor(value) for value in values.values())).numpy()
print('output', list(output.shape), output.tobytes().hex())
assert type_of(output) == types['data'], type_of(output)
