# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: evaluate() uses a run-time axis as a place in the dimensions of data without checking its range: dimensions of the output come from memory outside, or the process dies; an axis outside -N .. N - 1 is an error, and data of rank 0 has none.
# Case gather-axis-out-of-range-two-to-28, openvino.Gather-8, runtime/dynamic/axis-runtime, on openvino:evaluate 2026.4.1.
# crash: killed by SIGSEGV
# Rule ov.gather-8.axis.range (openvino/Gather-8, Inputs): The axis lies between -N and N - 1.
# Rule ov.gather-8.data.rank (openvino/Gather-8, Inputs): Data has at least one dimension: for rank 0 no axis is legal.
# shows: a crash or an output
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
# data: f32 [3, 2, 2]
operands.append(tensor('f32', [3, 2, 2], bytes.fromhex('0000803f0000004000004040000080400000a0400000c0400000e0400000004100001041000020410000304100004041')))
parameters.append(ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [1]
operands.append(tensor('i64', [1], bytes.fromhex('0000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000001000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['f32', 'i64', 'i64']
stated = [node.get_input_element_type(k).get_type_name() for k in range(node.get_input_size())]
assert stated == types, stated
declared = node.get_output_partial_shape(0)
shape = declared.to_shape() if declared.is_static else ov.Shape([0])
output = ov.Tensor(node.get_output_element_type(0), shape)
print(node.evaluate([output], operands))
if output.element_type == ov.Type.string:
    strings = ov.op.Constant(output, shared_memory=False).get_value_strings() if output.size else []
    print('output', list(output.shape), strings)
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
assert output.element_type.get_type_name() == types[0], output.element_type
