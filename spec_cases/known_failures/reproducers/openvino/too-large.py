# SPDX-License-Identifier: Apache-2.0
# openvino: the byte size of an output is not checked when its shape is inferred.
# Case gather-size-of-data-overflows-bytes, openvino.Gather-8, runtime/static, on openvino 2026.4.1.
# accepted what must be rejected: expected the error too_large, got f64 [1]
# Rule ov.gather-8.output.too-large (openvino/Gather-8, Outputs): Every size the call implies fits 64 bits: the output's dimensions, their product, the byte length.
# shows: a description
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
# data: f64 [2305843009213693952]
parameters.append(ov.op.Parameter(ov.Type.f64, ov.PartialShape([2305843009213693952])))
arguments.append(parameters[-1])
# indices: i64 [1]
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([1])))
arguments.append(parameters[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000000000000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
