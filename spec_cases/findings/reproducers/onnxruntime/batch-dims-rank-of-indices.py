# SPDX-License-Identifier: Apache-2.0
# onnxruntime: GatherND: a batch_dims equal to the rank of indices, or where tuples are of length 0 to the rank of data, is not refused.
# Case gather-nd-sweep-batch-dims-out-of-range/ranks=2-1-min, onnx.GatherND-13, runtime/static, on onnxruntime 1.31.1.
# accepted what must be rejected: expected the error batch_dims_out_of_range, got f32 [] = [0]
# Rule onnx.gather-nd-13.batch_dims.range (onnx/GatherND-13, Description): batch_dims is below min(q, r).
# shows: an output
import ctypes, onnx, onnxruntime, numpy as np
value_of = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
type_of = lambda value: onnx.TensorProto.DataType.Name(value.element_type())
types = {'data': 'FLOAT', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 1, [])])
values, inputs = {}, []
# data: f32 [1, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [1, 2]))
bits_data = np.frombuffer(bytearray.fromhex('000000000000803f'), '<u4').reshape([1, 2])
values['data'] = value_of(bits_data, 1)
inputs.append(onnx.TensorProto(name='data', data_type=1, dims=[1, 2], raw_data=bits_data.tobytes()))
# indices: i64 [1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [1]))
bits_indices = np.frombuffer(bytearray.fromhex('0000000000000000'), '<i8').reshape([1])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[1], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='GatherND', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a0a62617463685f64696d731801a00102')))  # batch_dims = 1
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
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
providers = ['CPUExecutionProvider']
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
print('declared', session.get_outputs()[0].type, session.get_outputs()[0].shape)
output = session.run_with_ort_values(['output'], values)[0]
raw = ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())
print('output', output.shape(), raw.hex())
assert type_of(output) == types['data'], type_of(output)
