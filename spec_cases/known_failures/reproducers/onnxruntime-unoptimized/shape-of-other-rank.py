# SPDX-License-Identifier: Apache-2.0
# onnxruntime-unoptimized: the shape is inferred without a check of ranks and dimensions.
# Case gather-elements-shape-only-rank, onnx.GatherElements-13, runtime/static, on onnxruntime:unoptimized 1.31.1.
# accepted what must be rejected: expected the error rank_mismatch, got f32 [2, 3, 1]
# Rule onnx.gather-elements-13.rank.equal (onnx/GatherElements-13, Description): Data and indices have the same number of dimensions r, at least 1.
# shows: a description
import ctypes, onnx, onnxruntime, numpy as np
value_of = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: f32 [2, 3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [2, 3]))
# indices: i64 [2, 3, 1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [2, 3, 1]))
node = onnx.NodeProto(op_type='GatherElements', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a04617869731801a00102')))  # axis = 1
graph.node.append(node)
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
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
providers = ['CPUExecutionProvider']
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
print('declared', session.get_outputs()[0].type, session.get_outputs()[0].shape)
