# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: evaluate() does not compare a run-time axis with batch_dims: with more batch dimensions it writes past the output, and the process dies of it; batch_dims is at most the axis.
# Case gather-batch-dims-past-axis-2, openvino.Gather-8, runtime/dynamic/axis-runtime, on openvino:evaluate 2026.4.1.
# crash: killed by SIGABRT
# Rule ov.gather-8.batch_dims.le-axis (openvino/Gather-8, Attributes): The normalised batch_dims is at most the normalised axis.
# Rule ov.gather-8.axis.ge-batch_dims (openvino/Gather-8, Inputs): The normalised axis is at least the normalised batch_dims.
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
# data: i32 [2, 3, 2]
operands.append(tensor('i32', [2, 3, 2], bytes.fromhex('0100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i32 [2, 3]
operands.append(tensor('i32', [2, 3], bytes.fromhex('000000000000000000000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0100000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('Gather', arguments, {'batch_dims': 2})
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
