# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: batch dimensions of data and indices that differ are accepted by evaluate() where the axis is given at run time.
# Case gather-two-rules-shapes-and-index, openvino.Gather-7, runtime/dynamic/axis-runtime, on openvino:evaluate 2026.4.1.
# accepted what must be rejected: expected the error batch_shape_mismatch, got f32 [3, 1] = [0, 3, 0]
# Rule ov.gather-7.batch_dims.equal-shape (openvino/Gather-7, Attributes): The first b dimensions of data and of indices are equal, one by one; a dimension of 1 is not stretched.
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
# data: f32 [3, 2]
operands.append(tensor('f32', [3, 2], bytes.fromhex('0000803f0000004000004040000080400000a0400000c040')))
parameters.append(ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2, 1]
operands.append(tensor('i64', [2, 1], bytes.fromhex('07000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0100000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset7').create('Gather', arguments, {'batch_dims': 1})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
declared = node.get_output_partial_shape(0)
shape = declared.to_shape() if declared.is_static else ov.Shape([0])
output = ov.Tensor(node.get_output_element_type(0), shape)
print(node.evaluate([output], operands))
if output.element_type == ov.Type.string:
    print('output', list(output.shape), output.str_data.reshape(-1).tolist())
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
