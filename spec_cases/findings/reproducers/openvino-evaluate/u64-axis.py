# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: an axis of u64 beyond the largest i64 is read as a negative one by evaluate(), and by folding, which calls it.
# Case gather-axis-input-u64-largest, openvino.Gather-8, runtime/static, on openvino:evaluate 2026.4.1.
# accepted what must be rejected: expected the error axis_out_of_range, got i32 [2, 2] = [2, 0, 5, 3]
# Rule ov.gather-8.axis.range (openvino/Gather-8, Inputs): The axis lies between -N and N - 1.
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
# data: i32 [2, 3]
operands.append(tensor('i32', [2, 3], bytes.fromhex('000000000100000002000000030000000400000005000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([2, 3])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('02000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([2])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: u64 []
operands.append(tensor('u64', [], bytes.fromhex('ffffffffffffffff')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['i32', 'i64', 'u64']
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
