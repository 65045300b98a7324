# SPDX-License-Identifier: Apache-2.0
# tvm: Gather of constants alone, of which one has no elements, is not folded: "Invalid DLTensor file format", and the legal call is refused
# Case gather-empty-no-indices-axis-1, onnx.Gather-13, folded/static, on tvm 0.27.0.post1.
# rejected what must be accepted: expected an output, got rejected at build: InternalError: Check failed: (read_ret) is false: Invalid DLTensor file format
# Rule onnx.gather-13.output.rank (onnx/Gather, Outputs): The output has q + r - 1 dimensions.
# shows: refused: InternalError: Check failed: (read_ret) is false: Invalid DLTensor file format
import numpy as np, onnx, tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'INT32', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 6, ['output_0', 'output_1'])])
values, inputs = {}, []
# data: i32 [3, 2]
graph.initializer.append(onnx.TensorProto(name='data', data_type=6, dims=[3, 2], raw_data=bytes.fromhex('000000000100000002000000030000000400000005000000')))
# indices: i64 [0]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=7, dims=[0], raw_data=bytes.fromhex('')))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a04617869731801a00102')))  # axis = 1
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
machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target='llvm'), tvm.cpu())
output = machine['main'](*(tvm.runtime.tensor(value) for value in values.values())).numpy()
print('output', list(output.shape), output.tobytes().hex())
assert type_of(output) == types['data'], type_of(output)
