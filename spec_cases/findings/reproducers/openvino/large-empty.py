# SPDX-License-Identifier: Apache-2.0
# openvino: constant indices on an axis of 2^32 elements, of data that is empty by another dimension: EliminateGather asks for 32 GB to count to the size of the axis, and the legal call is rejected with bad_alloc.
# Case gather-empty-large-dimension-beside-zero, openvino.Gather-8, constant/static, on openvino 2026.4.1.
# rejected what must be accepted: expected an output, got rejected: Exception from src/inference/src/cpp/core.cpp:117:
# Exception from src/inference/src/dev/plugin.cpp:54:
# Exception from src/core/src/pass/graph_rewrite.cpp:298:
# [EliminateGather] END: node: opset8::Gather Gather_5276 (opset1::Parameter Parameter_5271[0]:i32[0,4294967296], opset1::Constant Constant_5273[0]:i64[2], opset1::Constant Constant_5275[0]:i64[]) -> (i32[0,2]) CALLBACK HAS THROWN: std::bad_alloc
# Rule ov.gather-8.output.shape (openvino/Gather-8, Outputs): The output's shape is data's dimensions before the axis, those of indices from batch_dims on, data's after the axis.
# shows: refused: CALLBACK HAS THROWN: std::bad_alloc
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
# data: i32 [0, 4294967296]
operands.append(tensor('i32', [0, 4294967296], bytes.fromhex('')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([0, 4294967296])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [2]
operands.append(tensor('i64', [2], bytes.fromhex('0100000000000000ffffffff00000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0100000000000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
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
