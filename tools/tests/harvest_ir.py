# SPDX-License-Identifier: Apache-2.0
# Writes the OpenVINO models that harvest.sh looks through. usage: harvest_ir.py FOLDER
import os
import sys

import numpy

sys.modules["openvino_telemetry"] = None
import openvino  # noqa: E402
from openvino import opset1, opset5, opset6, opset7, opset8  # noqa: E402

os.chdir(sys.argv[1])


def constant(values, dtype=numpy.int64):
    return opset8.constant(numpy.array(values, dtype))


def named(node, name):
    node.set_friendly_name(name)
    return node


def branch(index):
    rows = opset8.parameter([-1, 2, 4], numpy.float32)
    picked = named(opset8.gather(rows, constant([index]), constant(0)), f"in_branch_{index}")
    result = opset8.result(picked)
    return rows, openvino.Model([result], [rows], "branch"), result


def model(batch):
    ids = named(opset8.parameter([batch, 2], numpy.int64), "ids")
    ids.output(0).set_names({"input_ids"})
    flag = named(opset8.parameter([], numpy.bool_), "flag")
    table = constant(numpy.arange(20).reshape(5, 4), numpy.float32)
    rows = named(opset8.gather(table, opset8.convert(ids, "i32"), constant(0, numpy.int32)), "embedding")
    found = opset8.non_zero(rows)
    choice = opset8.if_op(flag)
    (then_rows, then_body, then_result), (else_rows, else_body, else_result) = branch(0), branch(1)
    choice.set_then_body(then_body)
    choice.set_else_body(else_body)
    choice.set_input(rows.output(0), then_rows, else_rows)
    chosen = choice.set_output(then_result, else_result)
    outputs = [
        rows.output(0),
        chosen,
        named(opset1.gather(table, constant([1, 0], numpy.int8), constant([-1])), "oldest").output(0),
        named(opset7.gather(table, constant([2]), constant(1), 0), "older").output(0),
        named(opset7.gather(table, constant([-1]), constant(1), 0), "before_the_first").output(0),
        named(opset8.gather(table, constant([9]), constant(1), 0), "zeros").output(0),
        named(opset6.gather_elements(table, constant([[3, 1]] * 5, numpy.int32), 1), "elements").output(0),
        named(opset5.gather_nd(table, constant([[4, 3]]), 0), "tuples").output(0),
        named(opset8.gather_nd(table, constant([[-1]] * 5), 1), "batches").output(0),
        named(opset8.gather(found, constant([0]), constant(1)), "by_contents").output(0),
    ]
    return openvino.Model(outputs, [ids, flag], "model")


openvino.serialize(model(3), "fixed.xml")
openvino.serialize(model(-1), "open.xml")
