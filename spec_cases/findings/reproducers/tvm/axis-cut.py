# SPDX-License-Identifier: Apache-2.0
# tvm: the axis is cut to 32 bits: 2^32 is taken for 0, and 2^63 - 1 for -1; "Accepted range is [-r, r-1] where r = rank(data)."
# Case gather-axis-out-of-range-two-to-32, onnx.Gather-13, runtime/static, on tvm 0.27.0.post1.
# accepted what must be rejected: expected the error axis_out_of_range, got f32 [1, 2, 2] = [1, 2, 3, 4]
# Rule onnx.gather-13.axis.range (onnx/Gather, Attributes): The axis lies between -r and r - 1.
# shows: an output
import numpy as np, onnx, tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'FLOAT', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 1, ['output_0', 'output_1', 'output_2'])])
values, inputs = {}, []
# data: f32 [3, 2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [3, 2, 2]))
bits_data = np.frombuffer(bytearray.fromhex('0000803f0000004000004040000080400000a0400000c0400000e0400000004100001041000020410000304100004041'), '<u4').reshape([3, 2, 2])
values['data'] = value_of(bits_data, 1)
inputs.append(onnx.TensorProto(name='data', data_type=1, dims=[3, 2, 2], raw_data=bits_data.tobytes()))
# indices: i64 [1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [1]))
bits_indices = np.frombuffer(bytearray.fromhex('0000000000000000'), '<i8').reshape([1])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[1], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a0461786973188080808010a00102')))  # axis = 4294967296
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
