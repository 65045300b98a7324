# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: Gather: folded only: indices of i8 and u8 are taken, and one out of bounds gives memory outside data or an element that was never written; "Tensor of int32/int64 indices".
# Case gather-index-u8-size, onnx.Gather-13, folded/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error unsupported_type, got i32 [2] = [-1515870811, 2]
# Rule onnx.gather-13.types.Tind (onnx/Gather, Type Constraints): Indices are i32 or i64.
# shows: an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {6: 'i32', 2: 'u8'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: i32 [5]
graph.initializer.append(onnx.TensorProto(name='data', data_type=6, dims=[5], raw_data=bytes.fromhex('0100000002000000030000000400000005000000')))
# indices: u8 [2]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=2, dims=[2], raw_data=bytes.fromhex('0501')))
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
configuration = {'INFERENCE_NUM_THREADS': 1, 'NUM_STREAMS': 1, 'ENABLE_CPU_PINNING': False, 'INFERENCE_PRECISION_HINT': 'f32'}
model = core.compile_model(model, 'CPU', configuration)
request = model.create_infer_request()
for name, value in values.items():
    request.set_tensor(name, value if isinstance(value, ov.Tensor) else ov.Tensor(value))
request.start_async()
request.wait()
output = request.get_output_tensor(0)
if output.element_type == ov.Type.string:
    print('output', list(output.shape), output.str_data.reshape(-1).tolist())
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
