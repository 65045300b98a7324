# SPDX-License-Identifier: Apache-2.0
# onnx:inference: shape inference of GatherND: with a batch_dims so far below zero that the length of the tuples does not bring it to zero, dimensions in front of the first one of data are taken, and the process dies.
# Case gather-nd-described-batch-dims-minus-2, onnx.GatherND-13, runtime/static, on onnx:inference 1.23.2.
# crash: killed by SIGSEGV
# Rule onnx.gather-nd-13.batch_dims.negative (onnx/GatherND-13, Description): batch_dims is not negative: it is a number of dimensions, and nothing says from where a negative one would count.
# shows: a crash
import onnx, onnx.shape_inference
graph = onnx.GraphProto(name='one_call', output=[onnx.ValueInfoProto(name='output')])
values, inputs = {}, []
# data: f32 [2, 3]
graph.input.append(onnx.helper.make_tensor_value_info('data', 1, [2, 3]))
# indices: i64 [2, 1]
graph.input.append(onnx.helper.make_tensor_value_info('indices', 7, [2, 1]))
node = onnx.NodeProto(op_type='GatherND', input=['data', 'indices'], output=['output'])
node.attribute.append(onnx.AttributeProto.FromString(bytes.fromhex('0a0a62617463685f64696d7318feffffffffffffffff01a00102')))  # batch_dims = -2
graph.node.append(node)
model = onnx.ModelProto(ir_version=8, graph=graph, opset_import=[onnx.OperatorSetIdProto(version=13)])
import os, sys
if len(sys.argv) > 1:  # a folder to save the call to, laid out as ONNX's node tests
    set_0 = os.path.join(sys.argv[1], 'test_data_set_0')
    os.makedirs(set_0, exist_ok=True)
    onnx.save(model, os.path.join(sys.argv[1], 'model.onnx'))
    for k, tensor in enumerate(inputs):
        with open(os.path.join(set_0, f'input_{k}.pb'), 'wb') as file:
            file.write(tensor.SerializeToString())
try:
    model = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    print('output', model.graph.output[0])
except Exception as error:
    print('rejected', error)
