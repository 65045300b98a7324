# SPDX-License-Identifier: Apache-2.0
# openvino: GatherElements: an index given at run time that i32 does not hold is cut to 32 bits, and where that is inside the axis the element there is picked; any index out of bounds is an error.
# Case gather-elements-index-two-to-32, openvino.GatherElements-6, runtime/static, on openvino 2026.4.1.
# accepted what must be rejected: expected the error index_out_of_bounds, got i32 [2] = [2, 1]
# Rule ov.gather-elements-6.indices.range (openvino/GatherElements-6, Inputs): An index lies between 0 and s - 1, s being the size of data along the axis; negative ones are not in the range.
# Rule ov.gather-elements-6.indices.error (openvino/GatherElements-6, Inputs): One index outside the range makes the call an error.
# shows: an output
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
# data: i32 [3]
operands.append(tensor('i32', [3], bytes.fromhex('010000000200000003000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([3])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('01000000000000000000000001000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([2])))
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
