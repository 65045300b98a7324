# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: GatherElements: operands more than the operator has are ignored; "Inputs (2 - 2)".
# Case gather-elements-third-input, onnx.GatherElements-13, runtime/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error wrong_input_count, got f32 [1, 2] = [1, 4]
# Rule onnx.gather-elements-13.inputs.count (onnx/GatherElements-13, Inputs): The operation has exactly two inputs, all of them required.
# shows: an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {1: 'f32', 7: 'i64'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: f32 [3, 2]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [3, 2]))
bits_data = np.frombuffer(bytearray.fromhex('0000803f0000004000004040000080400000a0400000c040'), '<u4').reshape([3, 2])
values['data'] = value_of(bits_data, 1)
inputs.append(onnx.TensorProto(name='data', data_type=1, dims=[3, 2], raw_data=bits_data.tobytes()))
# indices: i64 [1, 2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [1, 2]))
bits_indices = np.frombuffer(bytearray.fromhex('00000000000000000100000000000000'), '<i8').reshape([1, 2])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[1, 2], raw_data=bits_indices.tobytes()))
# axis: i64 []
graph.initializer.append(onnx.TensorProto(name='axis', data_type=7, dims=[], raw_data=bytes.fromhex('0000000000000000')))
node = onnx.NodeProto(op_type='GatherElements', input=['data', 'indices', 'axis'], output=['output'])
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
