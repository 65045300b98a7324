# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: evaluate() does not compare the batch dimensions of data and indices: with dynamic shapes those that differ are accepted, and indices are read outside where data has more.
# Case gather-batch-dims-shapes-differ-smaller, openvino.Gather-8, runtime/dynamic, on openvino:evaluate 2026.4.1.
# accepted what must be rejected: expected the error batch_shape_mismatch, got i32 [3, 1] = [1, 5, 0]
# Rule ov.gather-8.batch_dims.equal-shape (openvino/Gather-8, Attributes): The first b dimensions of data and of indices are equal, one by one; a dimension of 1 is not stretched.
# shows: an output like ^\[3, 1\] 0100000005000000.{8}$
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
# data: i32 [3, 4]
operands.append(tensor('i32', [3, 4], bytes.fromhex('0100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i32 [2, 1]
operands.append(tensor('i32', [2, 1], bytes.fromhex('0000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0100000000000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
node = NodeFactory('opset8').create('Gather', arguments, {'batch_dims': 1})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['i32', 'i32', 'i64']
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
