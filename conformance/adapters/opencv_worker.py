# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on OpenCV's dnn module.
"""Each call becomes a model of one node (onnx_models), read by cv2.dnn.readNetFromONNX and run by Net.forward.

OpenCV wants to be told the element type and the rank of the output, and takes no notice of them. Operands are numpy arrays;
Net.forward gives None for a Mat without elements, whose shape is lost: there is no output to answer with then.
"""

import os

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
numpy, onnx, cv2 = worker.require("numpy", "onnx==1.23.2", "cv2", extra="opencv")
import onnx_models

cv2.setNumThreads(1)

HEADER = [
    "import cv2, numpy as np, onnx",
    "value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))",
    *onnx_models.TYPE_OF_ARRAY,
]
PREPARE = [
    "cv2.setNumThreads(1)",
    "net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))",
]
MAKE = [
    "for name, value in values.items():",
    "    net.setInput(value, name)",
    "output = net.forward()",
    "assert output is not None, 'Net.forward gave None'",
    "print('output', list(output.shape), output.tobytes().hex())",
    "print('type', type_of(output))",  # which may be another one than that of data
]


def no_from_engine(phase):  # None: reading a model infers shapes and folds constants, and does not tell which
    def verdict(error):
        lines = [line.strip("> \t") for line in (getattr(error, "err", None) or str(error)).splitlines()]
        text = " ".join(line for line in lines if line)
        if "not supported" in text or "unsupported" in text.lower():
            return worker.Unsupported(text)
        return worker.Rejected(text, phase)

    return verdict


class OpenCv:
    name = "opencv"
    version = cv2.__version__
    keeps_models = True

    def __init__(self):
        self.asked = onnx_models.asked(self.run)
        self.models = worker.BuiltModels()

    @staticmethod
    def built(call):
        model, given = onnx_models.model_of(call, declared=True)
        with worker.engine_at_work(no_from_engine(None)):
            return cv2.dnn.readNetFromONNX(numpy.frombuffer(model, numpy.uint8)), given

    def run(self, call):
        net, given = self.models.of(call, lambda: self.built(call))
        values = {name: onnx_models.array_of(call.inputs[name]) for name in given}
        try:
            with worker.engine_at_work(no_from_engine("run")):
                for name, value in values.items():
                    net.setInput(value, name)
                output = net.forward()
        except worker.Rejected:
            self.models.forget(call)
            raise
        if output is None:
            raise worker.Unsupported("Net.forward gave None: the shape of an output without elements is not to be had")
        return onnx_models.tensor_of(output)

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return onnx_models.script(call, HEADER, onnx_models.closing(call, PREPARE, MAKE), declared=True)


worker.serve(channel, OpenCv())
