# SPDX-License-Identifier: Apache-2.0
# The adapter shown in the README: numpy as an engine, whole and working.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gathercheck_worker as worker

channel = worker.take_over_standard_streams()  # before the engine is imported
numpy = worker.require("numpy")


def rejected(error):
    return worker.Rejected(str(error), "run")


class Numpy:
    name = "numpy"
    version = numpy.__version__
    claims = [
        {
            "operators": ["onnx.Gather-11", "onnx.Gather-13"],
            "data": "boolean i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128 string".split(),
            "indices": ["i32", "i64"],
            "operands": ["runtime"],
            "shapes": ["static"],
        }
    ]

    def run(self, call):
        if call.operator not in self.claims[0]["operators"]:
            raise worker.Unsupported(f"numpy has nothing like {call.operator}")
        data, indices = call.inputs["data"], call.inputs["indices"]
        if indices.type.name not in self.claims[0]["indices"]:
            raise worker.Unsupported(f"no indices of type {indices.type.name}")
        with worker.engine_at_work(rejected):
            output = numpy.take(data.array(), indices.array(), axis=call.attributes.get("axis", 0))
        return worker.Tensor.from_array(data.type, numpy.asarray(output))


worker.serve(channel, Numpy())
