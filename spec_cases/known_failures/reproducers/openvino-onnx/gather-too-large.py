# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: Gather: the byte size of an output is not checked when its shape is inferred; no tensor has it.
# Case gather-size-of-data-overflows-bytes, onnx.Gather-13, runtime/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error too_large, got f64 [1]
# Rule onnx.gather-13.output.too-large (onnx/Gather, Outputs): Every size the call implies fits 64 bits: the output's dimensions, their product, the byte length.
# shows: a description
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {11: 'f64', 7: 'i64'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: f64 [2305843009213693952]
graph.input.append(onnx.helper.make_tensor_value_info('data', 11, [2305843009213693952]))
# indices: i64 [1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [1]))
node = onnx.NodeProto(op_type='Gather', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a04617869731800a00102')))  # axis = 0
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
core = ov.Core()
model = core.read_model(model.SerializeToString())
print('declared', model.output(0).get_element_type().get_type_name(), model.output(0).get_partial_shape())
