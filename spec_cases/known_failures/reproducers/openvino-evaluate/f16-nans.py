# SPDX-License-Identifier: Apache-2.0
# openvino-evaluate: f16 goes through another type: signalling NaNs come back quiet; gathered elements keep their bits.
# Case gather-type-f16-patterns, openvino.Gather-8, runtime/static, on openvino:evaluate 2026.4.1.
# wrong value: element 10 of [12]: expected NaN (bits 7c01), got NaN (bits 7e01)
# Rule ov.gather-8.output.type (openvino/Gather-8, Outputs): The output has the type of data and holds elements of data, unchanged.
# shows: an output other than [12] 003cff7b0180010000fc007c0000008001fe007e017c017c
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
# data: f16 [11]
operands.append(tensor('f16', [11], bytes.fromhex('017c007e01fe00800000007c00fc01000180ff7b003c')))
parameters.append(ov.op.Parameter(ov.Type.f16, ov.PartialShape([11])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i32 [12]
operands.append(tensor('i32', [12], bytes.fromhex('0a0000000900000008000000070000000600000005000000040000000300000002000000010000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([12])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000000000000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
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
