# SPDX-License-Identifier: Apache-2.0
# openvino: Gather from a vector of at most 64 elements of i32, or of i16, u16, u32, i64 or u64, which become i32, with at most 64 indices does not compare these with the size of the axis: instead of zeros (Gather-8) the answer holds memory outside data, or the process dies; for Gather-1 and Gather-7 no text says what must happen, but memory must stay safe.
# Case gather-indices-all-over-i32, openvino.Gather-8, runtime/static, on openvino 2026.4.1.
# crash: killed by SIGSEGV
# Rule ov.gather-8.indices.zero-fill (openvino/Gather-8, Inputs): An index outside -s .. s - 1 is no error: its whole slice of the output is zeros.
# shows: a crash or an output other than [64] 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
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
# indices: i32 [64]
operands.append(tensor('i32', [64], bytes.fromhex('0000008000000084000000880000008c0000009000000094000000980000009c000000a0000000a4000000a8000000ac000000b0000000b4000000b8000000bc000000c0000000c4000000c8000000cc000000d0000000d4000000d8000000dc000000e0000000e4000000e8000000ec000000f0000000f4000000f8000000fc0000000000000004000000080000000c0000001000000014000000180000001c0000002000000024000000280000002c0000003000000034000000380000003c0000004000000044000000480000004c0000005000000054000000580000005c0000006000000064000000680000006c0000007000000074000000780000007c')))
parameters.append(ov.op.Parameter(ov.Type.i32, ov.PartialShape([64])))
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
