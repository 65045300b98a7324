# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: evaluate() does not check the shape of a run-time axis, so that a matrix of one element is taken, and a vector without elements ends the process; the axis is a "Scalar or 1D tensor", and no length of it may end the process.
# Case gather-axis-input-empty, openvino.Gather-8, runtime/dynamic/axis-runtime, on openvino:evaluate 2026.4.1.
# crash: killed by SIGSEGV
# Rule ov.gather-8.axis.scalar-or-1d (openvino/Gather-8, Inputs): The axis input is a scalar or a 1-D tensor of type T_AXIS; read with the rest, the 1-D tensor has one element.
# shows: a crash
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
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([-1, -1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('02000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 [0]
operands.append(tensor('i64', [0], bytes.fromhex('')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['i32', 'i64', 'i64']
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
