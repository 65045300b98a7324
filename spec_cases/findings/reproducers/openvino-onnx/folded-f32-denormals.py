# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: folded only: f32 denormals become zero; "gather entries of the axis dimension of `data`", with their bits.
# Case gather-type-f32-patterns, onnx.Gather-13, folded/static, on openvino:onnx 2026.4.1.
# wrong value: element 2 of [12]: expected -1e-45, got 0
# Rule onnx.gather-13.semantics.slice-per-entry (onnx/Gather, Description): Each index yields one slice of data, of r - 1 dimensions.
# shows: an output other than [12] 0000803fffff7f7f0100008001000000000080ff0000807f00000000000000800100c0ff0000c07f0100807f0100807f
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {1: 'f32', 6: 'i32'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: f32 [11]
graph.initializer.append(onnx.TensorProto(name='data', data_type=1, dims=[11], raw_data=bytes.fromhex('0100807f0000c07f0100c0ff00000080000000000000807f000080ff0100000001000080ffff7f7f0000803f')))
# indices: i32 [12]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=6, dims=[12], raw_data=bytes.fromhex('0a0000000900000008000000070000000600000005000000040000000300000002000000010000000000000000000000')))
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
