# SPDX-License-Identifier: Apache-2.0
# openvino: a run-time axis with dynamic shapes: the output shape of the first call of a model is kept for other values of the axis; the output shape follows from the axis of the call.
# Case sequence-other-axis, openvino.Gather-8, runtime/dynamic/axis-runtime, on openvino 2026.4.1.
# wrong shape: expected shape [3, 2], got [2, 2]
# Rule ov.gather-8.output.shape (openvino/Gather-8, Outputs): The output's shape is data's dimensions before the axis, those of indices from batch_dims on, data's after the axis.
# shows: an output other than [3, 2] 000000400000803f00008040000040400000c0400000a040
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
# data: f32 [3, 2]
operands.append(tensor('f32', [3, 2], bytes.fromhex('0000803f0000004000004040000080400000a0400000c040')))
parameters.append(ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('01000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0100000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
calls = [
    [tensor('f32', [3, 2], bytes.fromhex('0000803f0000004000004040000080400000a0400000c040')), tensor('i64', [2], bytes.fromhex('01000000000000000000000000000000')), tensor('i64', [], bytes.fromhex('0000000000000000'))],
    values,
]
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['f32', 'i64', 'i64']
stated = [node.get_input_element_type(k).get_type_name() for k in range(node.get_input_size())]
assert stated == types, stated
configuration = {'INFERENCE_NUM_THREADS': 1, 'NUM_STREAMS': 1, 'ENABLE_CPU_PINNING': False, 'INFERENCE_PRECISION_HINT': 'f32'}
model = ov.Core().compile_model(ov.Model([node], parameters, 'one_call'), 'CPU', configuration)
request = model.create_infer_request()
for values in calls:  # one after the other
    for k, value in enumerate(values):
        request.set_input_tensor(k, value)
    try:
        request.start_async()
        request.wait()
    except RuntimeError as error:
        print('rejected', error)
        continue
    output = request.get_output_tensor(0)
    if output.element_type == ov.Type.string:
        strings = ov.op.Constant(output, shared_memory=False).get_value_strings() if output.size else []
        print('output', list(output.shape), strings)
    else:
        print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
assert output.element_type.get_type_name() == types[0], output.element_type
