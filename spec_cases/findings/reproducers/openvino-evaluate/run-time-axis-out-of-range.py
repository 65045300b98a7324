# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: a run-time axis is not checked by evaluate(): values outside its range, cut to 32 bits, or of another shape than a scalar are used, sometimes fatally; the axis must be a scalar in [-rank, rank - 1].
# Case gather-axis-out-of-range-two-to-32, openvino.Gather-8, runtime/static/axis-runtime, on openvino:evaluate 2026.4.1.
# crash: killed by SIGSEGV
# Rule ov.gather-8.axis.range (openvino/Gather-8, Inputs): The axis lies between -N and N - 1.
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
parameters.append(ov.op.Parameter(ov.Type.f32, ov.PartialShape([3, 2, 2])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [1]
operands.append(tensor('i64', [1], bytes.fromhex('0000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([1])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000000001000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
declared = node.get_output_partial_shape(0)
shape = declared.to_shape() if declared.is_static else ov.Shape([0])
output = ov.Tensor(node.get_output_element_type(0), shape)
print(node.evaluate([output], operands))
if output.element_type == ov.Type.string:
    print('output', list(output.shape), output.str_data.reshape(-1).tolist())
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
