# SPDX-License-Identifier: Apache-2.0
# openvino: an index outside the axis, or an index that 32 bits do not hold: instead of zeros (Gather-8) the answer holds memory outside data, elements that were never written or the element at the narrowed index, or the process dies; for Gather-1 and Gather-7 no text says what must happen, but memory must stay safe.
# Case gather-all-indices-bad, openvino.Gather-8, runtime/static, on openvino 2026.4.1.
# wrong value: the elements before and behind data
# Rule ov.gather-8.indices.zero-fill (openvino/Gather-8, Inputs): An index outside -s .. s - 1 is no error: its whole slice of the output is zeros.
# shows: an output other than [4] 00000000000000000000000000000000
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
# data: i32 [3]
operands.append(tensor('i32', [3], bytes.fromhex('010000000200000003000000')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([3])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [4]
operands.append(tensor('i64', [4], bytes.fromhex('03000000000000000400000000000000fcfffffffffffffffbffffffffffffff')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([4])))
arguments.append(parameters[-1])
values.append(operands[-1])
# axis: i64 []
operands.append(tensor('i64', [], bytes.fromhex('0000000000000000')))
arguments.append(ov.op.Constant(operands[-1], shared_memory=False))
node = NodeFactory('opset8').create('Gather', arguments, {})
print('declared', node.get_output_element_type(0).get_type_name(), node.get_output_partial_shape(0))
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
    print('output', list(output.shape), output.str_data.reshape(-1).tolist())
else:
    print('output', list(output.shape), output.data.tobytes().hex() if output.byte_size else '')
