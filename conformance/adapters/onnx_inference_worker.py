# SPDX-License-Identifier: Apache-2.0
# Worker that describes calls with the shape inference of the pinned ONNX: what onnx-shapes does with an older libonnx.
"""Each described call becomes a model of one node (onnx_models); onnx.shape_inference infers the output's type and shape.

The options are those of onnx.checker.check_model(model, full_check=True), the check that people run on their models:
check_type and strict_mode. Without strict_mode infer_shapes() swallows every error and leaves the output unknown. The checker
itself is not run before it: attributes that a version does not have are for others to refuse.
"""

import dataclasses

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
onnx = worker.require("onnx==1.23.2")
import onnx.shape_inference
import onnx_models

OPTIONS = "check_type=True, strict_mode=True"


def no_from_engine(error):
    text = str(error)
    phase = "shape" if "ShapeInferenceError" in text else None
    if "typestr" in text or "Inferred elem type differs" in text:
        phase = "build"  # the element type of an operand
    return worker.Rejected(f"{type(error).__name__}: {text}", phase)


class Shapes:
    name = "onnx:inference"
    version = onnx.__version__

    def __init__(self):
        self.asked = worker.Asked(
            onnx_models.OPERATORS,
            lambda operator: worker.routes(operands=("runtime",)),
            lambda calls: [self.describe(without_contents(call)) for call in calls],
        )

    def describe(self, call):
        model, _ = onnx_models.model_of(call)
        with worker.engine_at_work(no_from_engine):
            inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        tensor = inferred.graph.output[0].type.tensor_type
        if tensor.elem_type not in onnx_models.BY_NUMBER:
            raise worker.Unsupported(f"the output's element type is {tensor.elem_type}: nothing was inferred")
        if not tensor.HasField("shape"):
            return worker.Descriptor(onnx_models.BY_NUMBER[tensor.elem_type], None)
        extents = [extent.dim_value if extent.HasField("dim_value") else None for extent in tensor.shape.dim]
        return worker.Descriptor(onnx_models.BY_NUMBER[tensor.elem_type], tuple(extents))

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return onnx_models.script(without_contents(call), ["import onnx, onnx.shape_inference"], INFERS)


def without_contents(call):
    """The call without the contents of what is no constant: shape inference is given none."""
    inputs = {
        name: tensor if call.fixed(name) else dataclasses.replace(tensor, raw=None, strings=None)
        for name, tensor in call.inputs.items()
    }
    return dataclasses.replace(call, inputs=inputs)


INFERS = [
    "try:",
    f"    model = onnx.shape_inference.infer_shapes(model, {OPTIONS})",
    "    print('output', model.graph.output[0])",
    "except Exception as error:",
    "    print('rejected', error)",
]

worker.serve(channel, Shapes())
