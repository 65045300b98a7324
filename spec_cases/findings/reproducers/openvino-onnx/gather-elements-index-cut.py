# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: GatherElements: an index given at run time that i32 does not hold is cut to 32 bits, and where that is inside the axis the element there is picked; "It is an error if any of the index values are out of bounds.".
# Case gather-elements-index-two-to-32-plus-1, onnx.GatherElements-13, runtime/static, on openvino:onnx 2026.4.1.
# accepted what must be rejected: expected the error index_out_of_bounds, got i32 [2] = [2, 2]
# Rule onnx.gather-elements-13.indices.error (onnx/GatherElements-13, Inputs): One index outside the range makes the call an error.
# shows: an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {6: 'i32', 7: 'i64'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: i32 [3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [3]))
bits_data = np.frombuffer(bytearray.fromhex('010000000200000003000000'), '<i4').reshape([3])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[3], raw_data=bits_data.tobytes()))
# indices: i64 [2]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [2]))
bits_indices = np.frombuffer(bytearray.fromhex('01000000000000000100000001000000'), '<i8').reshape([2])
values['indices'] = value_of(bits_indices, 7)
inputs.append(onnx.TensorProto(name='indices', data_type=7, dims=[2], raw_data=bits_indices.tobytes()))
node = onnx.NodeProto(op_type='GatherElements', input=['data', 'indices'], output=['output'])
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
