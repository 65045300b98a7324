# SPDX-License-Identifier: Apache-2.0
# openvino: a run-time axis with dynamic shapes: batch_dims is not compared with it where data has no elements; batch_dims is at most the axis.
# Case gather-batch-dims-past-axis-empty-data, openvino.Gather-8, runtime/dynamic/axis-runtime, on openvino 2026.4.1.
# accepted what must be rejected: expected the error batch_dims_gt_axis, got i32 [2, 0] = []
# Rule ov.gather-8.batch_dims.le-axis (openvino/Gather-8, Attributes): The normalised batch_dims is at most the normalised axis.
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
# data: i32 [2, 0]
operands.append(tensor('i32', [2, 0], bytes.fromhex('')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i32 [2, 2]
operands.append(tensor('i32', [2, 2], bytes.fromhex('00000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('Gather', arguments, {'batch_dims': 1})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['i32', 'i32', 'i64']
stated = [node.get_input_element_type(k).get_type_name() for k in range(node.get_input_size())]
assert stated == types, stated
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
    strings = ov.op.Constant(output, shared_memory=False).get_value_strings() if output.size else []
    print('output', list(output.shape), strings)
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
assert output.element_type.get_type_name() == types[0], output.element_type
