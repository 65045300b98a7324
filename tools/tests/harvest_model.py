# SPDX-License-Identifier: Apache-2.0
# Writes the model that harvest.sh looks through. usage: harvest_model.py FILE
import sys

import onnx
from onnx import TensorProto, helper


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
onnx.save(helper.make_model(graph, opset_imports=opsets, functions=[function], ir_version=8), sys.argv[1])
