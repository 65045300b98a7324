# SPDX-License-Identifier: Apache-2.0
# openvino: 64-bit data is narrowed: i64 and u64 to 32 bits, f64 to f32; gather must not change bits.
# Case gather-elements-f64-patterns, openvino.GatherElements-6, runtime/static, on openvino 2026.4.1.
# wrong value: element 0 of [3]: expected NaN (bits fff8dead0000beef), got NaN (bits fff8dead00000000)
# Rule ov.gather-elements-6.output.type (openvino/GatherElements-6, Outputs): The output has the type of data and holds elements of data, unchanged.
# shows: an output other than [3] efbe0000addef8ff0000000000000080010000000000f07f
import sys
sys.modules['openvino_telemetry'] = None
import numpy as np, openvino as ov
from openvino.utils.node_factory import NodeFactory

def tensor(name, shape, contents):
    if name == 'string':
        return ov.Tensor(np.array(contents, dtype=bytes).reshape(shape))
    made = ov.Tensor(getattr(ov.Type, name), ov.Shape(shape))
    if made.byte_size:
        made.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(contents, np.uint8)
    return made

arguments, parameters, operands, values = [], [], [], []
# data: f64 [3]
operands.append(tensor('f64', [3], bytes.fromhex('010000000000f07f0000000000000080efbe0000addef8ff')))
parameters.append(ov.op.Parameter(ov.Type.f64, ov.PartialShape([3])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [3]
operands.append(tensor('i64', [3], bytes.fromhex('020000000000000001000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([3])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset6').create('GatherElements', arguments, {'axis': 0})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
configuration = {'INFERENCE_NUM_THREADS': 1, 'NUM_STREAMS': 1, 'ENABLE_CPU_PINNING': False, 'INFERENCE_PRECISION_HINT': 'f32'}
request = ov.Core().compile_model(ov.Model([node], parameters, 'one_call'), 'CPU', configuration).create_infer_request()
for k, value in enumerate(values):
    request.set_input_tensor(k, value)
output = request.get_output_tensor(0)
if node.get_output_partial_shape(0).is_static and output.byte_size and output.element_type != ov.Type.string:
    output.data.reshape(-1).view(np.uint8)[:] = 0xa5  # bytes that still are a5 afterwards were never written
request.start_async()
request.wait()
output = request.get_output_tensor(0)
if output.element_type == ov.Type.string:
    print('output', list(output.shape), output.str_data.reshape(-1).tolist())
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
