# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: GatherND: an initializer without elements becomes a scalar in the front end, so that the legal call is rejected, gives an output of another shape or ends the process; a tensor has the shape of its dims, and the output is a "Tensor of rank q + r - indices_shape[-1] - 1".
# Case gather-nd-empty-no-tuples, onnx.GatherND-13, constant/static, on openvino:onnx 2026.4.1.
# rejected what must be accepted: expected an output, got rejected at shape: Exception from src/inference/src/cpp/core.cpp:105:
# Check 'false' failed at src/frontends/common_translators/src/unconverted_ops_report.cpp:151:
# FrontEnd API failed with OpConversionFailure:
# Model wasn't fully converted. Failed operations detailed log:
# -- GatherND-13 with a message:
# While validating ONNX node '<Node(GatherND): output>': Check 'indices_pshape.size() > 0' failed at src/core/shape_inference/include/gather_nd_shape_inference.hpp:27:
# While validating node 'opset8::GatherND GatherND_29562 (opset1::Parameter data[0]:i32[2,2], opset1::Constant indices[0]:i64[]) -> (dynamic[...])' with friendly_name 'GatherND_29562':
# Indices rank must be at least 1.
#
# Summary:
# -- Conversion is failed for: GatherND-13
# Rule onnx.gather-nd-13.output.rank (onnx/GatherND-13, Description): The output has q + r - n - 1 - b dimensions: those of indices without the last, then data's from b + n on.
# shows: refused: -- Conversion is failed for: GatherND-13
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {6: 'i32', 7: 'i64'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: i32 [2, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [2, 2]))
bits_data = np.frombuffer(bytearray.fromhex('01000000020000000300000004000000'), '<i4').reshape([2, 2])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[2, 2], raw_data=bits_data.tobytes()))
# indices: i64 [0, 2]
graph.initializer.append(onnx.TensorProto(name='indices', data_type=7, dims=[0, 2], raw_data=bytes.fromhex('')))
node = onnx.NodeProto(op_type='GatherND', input=['data', 'indices'], output=['output'])
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
