# SPDX-License-Identifier: Apache-2.0
# openvino: a run-time axis with static shapes: the pass EliminateGather asks for it as a constant, and the legal call is refused ("axis value is not set"); the axis is an input.
# Case gather-axis-middle, openvino.Gather-8, runtime/static/axis-runtime, on openvino 2026.4.1.
# rejected what must be accepted: expected an output, got rejected at build: Exception from src/inference/src/cpp/core.cpp:117:
# Exception from src/inference/src/dev/plugin.cpp:54:
# Exception from src/core/src/pass/graph_rewrite.cpp:298:
# [EliminateGather] END: node: opset8::Gather Gather_150329 (opset1::Parameter Parameter_150326[0]:i32[2,3,4], opset1::Parameter Parameter_150327[0]:i64[2], opset1::Parameter Parameter_150328[0]:i64[]) -> (i32[?,?,?]) CALLBACK HAS THROWN: Check 'const_op' failed at src/core/src/op/util/gather_base.cpp:160:
# axis value is not set
# Rule ov.gather-8.axis.scalar-or-1d (openvino/Gather-8, Inputs): The axis input is a scalar or a 1-D tensor of type T_AXIS; read with the rest, the 1-D tensor has one element.
# shows: refused: axis value is not set
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
# data: i32 [2, 3, 4]
operands.append(tensor('i32', [2, 3, 4], bytes.fromhex('000000000100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c0000000d0000000e0000000f0000001000000011000000120000001300000014000000150000001600000017000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([2, 3, 4])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('02000000000000000000000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([2])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0100000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
types = ['i32', 'i64', 'i64']
stated = [node.get_input_element_type(k).get_type_name() for k in range(node.get_input_size())]
assert stated == types, stated
configuration = {'INFERENCE_NUM_THREADS': 1, 'NUM_STREAMS': 1, 'ENABLE_CPU_PINNING': False, 'INFERENCE_PRECISION_HINT': 'f32'}
request = ov.Core().compile_model(ov.Model([node], parameters, 'one_call'), 'CPU', configuration).create_infer_request()
for k, value in enumerate(values):
    request.set_input_tensor(k, value)
output = request.get_output_tensor(0)
if node.get_output_partial_shape(0).is_static and output.byte_size and output.element_type != ov.Type.string:
    output.data.reshape(-1).view(np.uint8)[:] = 0xa5  # bytes that still are a5 afterwards were never written
request.start_async()
request.wait()
output = request.get_output_tensor(0)
if output.element_type == ov.Type.string:
    strings = ov.op.Constant(output, shared_memory=False).get_value_strings() if output.size else []
    print('output', list(output.shape), strings)
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
assert output.element_type.get_type_name() == types[0], output.element_type
