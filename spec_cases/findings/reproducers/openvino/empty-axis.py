# SPDX-License-Identifier: Apache-2.0
# openvino: Gather on an axis of size 0 with indices is accepted, and its output is never written, so that it keeps the answer of the call before or whatever its memory holds; every index is out of range there, which gives zeros in Gather-8 and is an error in ONNX; for Gather-1 and Gather-7 no text says what must happen, but memory must stay safe.
# Case sequence-to-empty-axis, openvino.Gather-8, runtime/dynamic, on openvino 2026.4.1.
# wrong value: element 0 of [2, 2]: expected 0, got 5
# Rule ov.gather-8.indices.zero-fill (openvino/Gather-8, Detailed description): An index outside -s .. s - 1 is no error: its whole slice of the output is zeros.
# shows: an output other than [2, 2] 00000000000000000000000000000000
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
# data: f32 [0, 2]
operands.append(tensor('f32', [0, 2], bytes.fromhex('')))
parameters.append(ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('02000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000000000000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
calls = [
    [tensor('f32', [3, 2], bytes.fromhex('0000803f0000004000004040000080400000a0400000c040')), tensor('i64', [2], bytes.fromhex('02000000000000000000000000000000'))],
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
