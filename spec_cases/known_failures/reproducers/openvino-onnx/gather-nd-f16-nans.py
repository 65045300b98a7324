# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: GatherND: f16 data goes through f32: signalling NaNs come back quiet; "this operator gathers slices of `data` into an output tensor", with their bits.
# Case gather-nd-type-f16-patterns, onnx.GatherND-13, runtime/static, on openvino:onnx 2026.4.1.
# wrong value: element 10 of [11]: expected NaN (bits 7c01), got NaN (bits 7e01)
# Rule onnx.gather-nd-13.semantics.formula (onnx/GatherND-13, Description): The last dimension of indices holds tuples; each tuple is replaced by the element or slice of data at that place, within its batch.
# shows: an output other than [11] 003cff7b0180010000fc007c0000008001fe007e017c
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {10: 'f16', 7: 'i64'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: f16 [11]
graph.input.append(onnx.helper.make_tensor_value_info('data', 10, [11]))
bits_data = np.frombuffer(bytearray.fromhex('017c007e01fe00800000007c00fc01000180ff7b003c'), '<u2').reshape([11])
values['data'] = value_of(bits_data, 10)
inputs.append(onnx.TensorProto(name='data', data_type=10, dims=[11], raw_data=bits_data.tobytes()))
# indices: i64 [11, 1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [11, 1]))
bits_indices = np.frombuffer(bytearray.fromhex('0a000000000000000900000000000000080000000000000007000000000000000600000000000000050000000000000004000000000000000300000000000000020000000000000001000000000000000000000000000000'), '<i8').reshape([11, 1])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[11, 1], raw_data=bits_indices.tobytes()))
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
