# SPDX-License-Identifier: Apache-2.0
# Writes the ONNX models that harvest.sh looks through, and contents for their inputs. usage: harvest_model.py FOLDER
import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

os.chdir(sys.argv[1])


def node(*arguments, **attributes):
    return helper.make_node(*arguments, **attributes)


def value(name, shape, number=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, number, shape)


INT64 = TensorProto.INT64
branch = helper.make_graph(
    [node("GatherElements", ["rows", "places"], ["b"], "in_branch", axis=1)], "branch", [], [value("b", None)]
)
other = helper.make_graph([node("Identity", ["rows"], ["c"])], "other", [], [value("c", None)])
function = helper.make_function(
    "mine",
    "TwoRows",
    ["table"],
    ["two"],
    [
        node("Constant", [], ["k"], value=helper.make_tensor("k", INT64, [2], [0, -1])),
        node("Gather", ["table", "k"], ["two"], "in_function"),
    ],
    [helper.make_opsetid("", 13)],
)
graph = helper.make_graph(
    [
        node("Gather", ["table", "ids"], ["rows"], "embedding"),
        node("Gather", ["table", "ids"], ["again"], "the_same"),
        node("Shape", ["rows"], ["shape"]),
        node("Gather", ["shape", "zero"], ["size"], "of_shape"),
        node("If", ["flag"], ["chosen"], then_branch=branch, else_branch=other),
        node("TwoRows", ["table"], ["two"], domain="mine"),
        node("NonZero", ["table"], ["found"]),
        node("GatherND", ["table", "tuples"], ["picked"], "tuples"),
        node("Gather", ["found", "zero"], ["some"], "by_contents", axis=1),
    ],
    "model",
    [
        value("ids", ["batch"], INT64),
        value("places", ["batch", 2], INT64),
        value("flag", [], TensorProto.BOOL),
        value("tuples", [3, 2], INT64),
    ],
    [
        value("chosen", None),
        value("two", None),
        value("size", None),
        value("picked", None),
        value("again", None),
        value("some", None),
    ],
    [
        helper.make_tensor("table", TensorProto.FLOAT, [5, 4], [float(k) for k in range(20)]),
        helper.make_tensor("zero", INT64, [1], [0]),
    ],
)
opsets = [helper.make_opsetid("", 13), helper.make_opsetid("mine", 1)]
onnx.save(helper.make_model(graph, opset_imports=opsets, functions=[function], ir_version=8), "model.onnx")

# Indices that are given, stored beside the model, computed, or none of these.
FLOAT = TensorProto.FLOAT
stored = helper.make_tensor("stored", INT64, [3], [4, 0, 2])
table = helper.make_tensor("table", FLOAT, [5, 4], [float(k) for k in range(20)])
other_tensors = [
    helper.make_tensor("one", INT64, [], [1]),
    helper.make_tensor("zero", INT64, [], [0]),
    helper.make_tensor("rows", INT64, [1], [0]),
    helper.make_tensor("outside", INT64, [2], [1, 7]),
]
inner = helper.make_graph([node("Gather", ["table", "next"], ["b"], "in_branch")], "branch", [], [value("b", None)])
other = helper.make_graph([node("Identity", ["table"], ["c"])], "other", [], [value("c", None)])
graph = helper.make_graph(
    [
        node("Gather", ["table", "stored"], ["y0"], "beside_the_model"),
        node("Gather", ["table", "ids"], ["y1"], "given"),
        node("Add", ["ids", "one"], ["next"]),
        node("Cast", ["next"], ["narrow"], to=TensorProto.INT32),
        node("Gather", ["table", "narrow"], ["y2"], "computed", axis=-2),
        node("If", ["flag"], ["y3"], then_branch=inner, else_branch=other),
        node("Shape", ["scores"], ["shape"]),
        node("Squeeze", ["shape", "rows"], ["length"]),
        node("Range", ["zero", "length", "one"], ["positions"]),
        node("Gather", ["table", "positions"], ["y4"], "positions"),
        node("ArgMax", ["scores"], ["best"], keepdims=0),
        node("Gather", ["table", "best"], ["y5"], "of_given_scores"),
        node("Neg", ["scores"], ["losses"]),
        node("ArgMax", ["losses"], ["worst"], keepdims=0),
        node("Gather", ["table", "worst"], ["y6"], "of_computed_scores"),
        node("Gather", ["table", "outside"], ["y7"], "out_of_bounds"),
    ],
    "inputs",
    [value("ids", ["batch", 2], INT64), value("flag", [], TensorProto.BOOL), value("scores", [None], FLOAT)],
    [value(f"y{k}", None) for k in range(8)],
    [table, stored, *other_tensors],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
for tensor in model.graph.initializer:
    if tensor.name == "stored":
        tensor.raw_data = numpy_helper.to_array(tensor).tobytes()
        tensor.ClearField("int64_data")
        onnx.external_data_helper.set_external_data(tensor, "constants.bin")
onnx.save(model, "inputs.onnx")
onnx.save_tensor(numpy_helper.from_array(numpy.array([[3, -4]])), "ids.pb")
onnx.save_tensor(numpy_helper.from_array(numpy.array([[3.0, 1.0]])), "ids_of_f64.pb")
numpy.save("ids.npy", numpy.array([[3, -4]]))
numpy.savez("inputs.npz", ids=numpy.array([[3, -4]]), scores=numpy.array([1, 0, 2], numpy.float32))
numpy.savez("more.npz", ids=numpy.array([[3, -4]]), other=numpy.array(1))
