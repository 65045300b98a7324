# SPDX-License-Identifier: Apache-2.0
# openvino: 64-bit data is narrowed: i64 and u64 to 32 bits, f64 to f32; gather must not change bits.
# Case gather-nd-type-i64, openvino.GatherND-8, runtime/static, on openvino 2026.4.1.
# wrong value: element 0 of [5]: expected 9223372036854775807, got -1
# Rule ov.gather-nd-8.semantics.formula (openvino/GatherND-8, Detailed description): The last dimension of indices holds tuples; each tuple is replaced by the element or slice of data at that place, within its batch.
# shows: an output other than [5] ffffffffffffff7f0000000000000080ffffffffffffffff0000000000000000ffffffffffffff7f
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
# data: i64 [4]
operands.append(tensor('i64', [4], bytes.fromhex('0000000000000080ffffffffffffff7f0000000000000000ffffffffffffffff')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([4])))
arguments.append(parameters[-1])
values.append(operands[-1])
# indices: i64 [5, 1]
operands.append(tensor('i64', [5, 1], bytes.fromhex('01000000000000000000000000000000030000000000000002000000000000000100000000000000')))
parameters.append(ov.op.Parameter(ov.Type.i64, ov.PartialShape([5, 1])))
arguments.append(parameters[-1])
values.append(operands[-1])
node = NodeFactory('opset8').create('GatherND', arguments, {})
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
