# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on ONNX's own reference evaluator.
"""Each call becomes a model of one node (onnx_models), evaluated with numpy arrays by onnx.reference.

No checker and no shape inference go before the evaluator: what it takes, it takes.
"""

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
numpy, onnx = worker.require("numpy", "onnx==1.23.2")
import onnx.reference
import onnx_models

HEADER = [
    "import numpy as np, onnx, onnx.numpy_helper, onnx.reference",
    "value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))",
    "packed_value_of = lambda packed, number, shape: onnx.numpy_helper.to_array(",
    "    onnx.TensorProto(data_type=number, dims=shape, raw_data=packed.tobytes()))",
    *onnx_models.TYPE_OF_ARRAY,
]
PREPARE = ["evaluator = onnx.reference.ReferenceEvaluator(model)"]
MAKE = [
    "(output,) = evaluator.run(None, values)",
    "is_text = output.dtype.kind in 'OU'",
    "contents = output.reshape(-1).tolist() if is_text else onnx.numpy_helper.from_array(output).raw_data.hex()",
    "print('output', output.dtype, list(output.shape), contents)",
]


def no_from_engine(phase):  # None: one call of run() does everything, and does not tell shapes from indices
    return lambda error: worker.Rejected(f"{type(error).__name__}: {error}", phase)


class Evaluator:
    name = "onnx"
    version = onnx.__version__
    keeps_models = True

    def __init__(self):
        self.asked = onnx_models.asked(self.run)
        self.models = worker.BuiltModels()

    @staticmethod
    def built(call):
        model, given = onnx_models.model_of(call)
        with worker.engine_at_work(no_from_engine("build")):
            return onnx.reference.ReferenceEvaluator(onnx.load_from_string(model)), given

    def run(self, call):
        evaluator, given = self.models.of(call, lambda: self.built(call))
        values = {name: onnx_models.array_of(call.inputs[name]) for name in given}
        with worker.engine_at_work(no_from_engine(None)):
            (output,) = evaluator.run(None, values)
        return onnx_models.tensor_of(output)

    def reproduce(self, call, language):
        make = [*MAKE, *onnx_models.output_type(call)]
        return onnx_models.script(call, HEADER, onnx_models.closing(call, PREPARE, make))


worker.serve(channel, Evaluator())
