# SPDX-License-Identifier: Apache-2.0
# openvino-onnx: Gather from a vector of at most 64 elements of i32, or of i16, u16, u32, i64 or u64, which become i32, with at most 64 indices does not compare these with the size of the axis: the answer holds memory outside data, or the process dies; "It is an error if any of the index values are out of bounds.".
# Case gather-indices-all-over-i32, onnx.Gather-13, runtime/static, on openvino:onnx 2026.4.1.
# crash: killed by SIGSEGV (its memory limit is 6442450944 bytes)
# Rule onnx.gather-13.indices.error (onnx/Gather, Inputs): One index outside the range makes the call an error.
# shows: a crash or an output
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, onnx, openvino as ov
types = {6: 'i32'}  # ONNX -> OpenVINO
value_of = lambda bits, number: ov.Tensor(bits, ov.Shape(list(bits.shape)), getattr(ov.Type, types[number]))
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: i32 [3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 6, [3]))
bits_data = np.frombuffer(bytearray.fromhex('010000000200000003000000'), '<i4').reshape([3])
values['data'] = value_of(bits_data, 6)
inputs.append(onnx.TensorProto(name='data', data_type=6, dims=[3], raw_data=bits_data.tobytes()))
# indices: i32 [64]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 6, [64]))
bits_indices = np.frombuffer(bytearray.fromhex('0000008000000084000000880000008c0000009000000094000000980000009c000000a0000000a4000000a8000000ac000000b0000000b4000000b8000000bc000000c0000000c4000000c8000000cc000000d0000000d4000000d8000000dc000000e0000000e4000000e8000000ec000000f0000000f4000000f8000000fc0000000000000004000000080000000c0000001000000014000000180000001c0000002000000024000000280000002c0000003000000034000000380000003c0000004000000044000000480000004c0000005000000054000000580000005c0000006000000064000000680000006c0000007000000074000000780000007c'), '<i4').reshape([64])
values['indices'] = value_of(bits_indices, 6)
inputs.append(onnx.TensorProto(name='indices', data_type=6, dims=[64], raw_data=bits_indices.tobytes()))
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
