# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: an axis of the element type nf4 is taken; the axis is an integer.
# Case gather-sweep-axis-types-refused/type=nf4, openvino.Gather-8, runtime/dynamic, on openvino:evaluate 2026.4.1.
# accepted what must be rejected: expected the error unsupported_type, got f32 [1] = [3]
# Rule ov.gather-8.types.T_AXIS (openvino/Gather-8, Types): The axis has an integer type: i8, i16, i32, i64, u8, u16, u32 and u64.
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
# data: f32 [3]
operands.append(tensor('f32', [3], bytes.fromhex('0000803f0000004000004040')))
parameters.append(ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [1]
operands.append(tensor('i64', [1], bytes.fromhex('0200000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: nf4 []
operands.append(tensor('nf4', [], bytes.fromhex('00')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['f32', 'i64', 'nf4']
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
