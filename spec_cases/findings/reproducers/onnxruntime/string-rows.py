# SPDX-License-Identifier: Apache-2.0
# onnxruntime: string data: where an index picks a row of several strings, only the first string of each row is copied and the others come back empty; every element of the slice must be copied.
# Case gather-type-string-plain-rows, onnx.Gather-13, runtime/static, on onnxruntime 1.31.1.
# wrong value: element 1 of [2, 2]: expected "d", got ""
# Rule onnx.gather-13.semantics.slice-per-entry (onnx/Gather, Description): Each index yields one slice of data, of r - 1 dimensions.
# shows: an output other than [2, 2] ["c","d","a","b"]
import ctypes, onnx, onnxruntime, numpy as np
value_of = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
def type_of(array):
    is_text = array.dtype.kind in 'OSU'
    return 'STRING' if is_text else onnx.TensorProto.DataType.Name(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
types = {'data': 'STRING', 'indices': 'INT64'}
graph = onnx.GraphProto(name='one_call', output=[onnx.helper.make_tensor_value_info('output', 8, ['output_0', 'output_1'])])
values, inputs = {}, []
# data: string [2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 8, [2, 2]))
values['data'] = np.array(['a', 'b', 'c', 'd'], dtype=object).reshape([2, 2])
inputs.append(onnx.TensorProto(name='data', data_type=8, dims=[2, 2], string_data=[text.encode() for text in values['data'].reshape(-1)]))
# indices: i64 [2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [2]))
bits_indices = np.frombuffer(bytearray.fromhex('01000000000000000000000000000000'), '<i8').reshape([2])
values['indices'] = bits_indices.view(onnx.helper.tensor_dtype_to_np_dtype(7))
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[2], raw_data=bits_indices.tobytes()))
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
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
providers = ['CPUExecutionProvider']
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
print('declared', session.get_outputs()[0].type, session.get_outputs()[0].shape)
output = session.run(['output'], values)[0]
print('output', list(output.shape), output.reshape(-1).tolist())
assert type_of(output) == types['data'], type_of(output)
