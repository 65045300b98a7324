# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on OpenVINO: its ONNX front end, then its CPU plug-in.
"""Each call becomes an ONNX model of one node (onnx_models), read by Core.read_model, compiled and inferred."""

import gathercheck.worker as worker
import openvino_worker
from openvino_worker import openvino_core

onnx = worker.require("onnx==1.23.2")
import onnx_models


class OnnxFrontEnd(openvino_worker.OpenVino):
    name = "openvino:onnx"

    def __init__(self):
        super().__init__()
        self.asked = worker.Asked(onnx_models.OPERATORS, lambda operator: worker.routes(), self.take, together=64)
        self.models = worker.BuiltModels(capacity=32)  # each has two threads, and with them 40 MB of address space

    @staticmethod
    def model_of(call):
        model, _ = onnx_models.model_of(call)
        with worker.engine_at_work(openvino_worker.at_construction):
            return openvino_core.read_model(model)

    def take(self, calls):
        models = [self.model_of(call) for call in calls]
        results = [output for model in models for output in model.results]
        parameters = [one for model in models for one in model.parameters]
        with worker.engine_at_work(openvino_worker.no_from_engine):
            openvino_worker.compiled(openvino_worker.openvino.Model(results, parameters, "calls"))

    def built(self, call):
        model = self.model_of(call)
        with worker.engine_at_work(openvino_worker.at_compile(call)):
            compiled = openvino_worker.compiled(model)
            request = compiled.create_infer_request()
        return compiled, [operand.any_name for operand in model.inputs], request

    def describe(self, call):
        return openvino_worker.descriptor_of(self.model_of(call).output(0))

    def reproduce(self, call, language):
        for each in (call, *call.before):
            for tensor in each.inputs.values():
                if tensor.strings is not None:
                    openvino_worker.demand_numpy_strings(tensor)
        numbers = {tensor.type.onnx: tensor.type.openvino for tensor in call.inputs.values()}
        names = {tensor.type.name: onnx_models.type_name(tensor) for tensor in call.inputs.values()}
        header = [
            "import sys",
            "sys.modules['openvino_telemetry'] = None",
            "import numpy as np, onnx, openvino as ov",
            f"numbers = {numbers!r}  # ONNX -> OpenVINO",
            f"names = {names!r}  # OpenVINO -> ONNX",
            "packed_value_of = lambda bits, number, shape: ov.Tensor(bits, ov.Shape(shape), getattr(ov.Type, numbers[number]))",
            "value_of = lambda bits, number: packed_value_of(bits, number, list(bits.shape))",
            "text_of = lambda array: np.array([text.encode() for text in array.reshape(-1)], bytes).reshape(array.shape)",
            "array_of = lambda array: text_of(array) if array.dtype == object else array",
            "tensor_of = lambda value: value if isinstance(value, ov.Tensor) else ov.Tensor(array_of(value))",
            "type_of = lambda value: names[tensor_of(value).element_type.get_type_name()]",
        ]
        is_described = any(not tensor.has_contents for tensor in call.inputs.values())
        prepare = READ if is_described else [*READ, *COMPILE]
        make = [*MAKE, *onnx_models.output_type(call)]
        return onnx_models.script(call, header, onnx_models.closing(call, prepare, make))


READ = [
    "core = ov.Core()",
    "model = core.read_model(model.SerializeToString())",
    "print('declared', model.output(0).get_element_type().get_type_name(), model.output(0).get_partial_shape())",
]
COMPILE = [
    f"configuration = {openvino_worker.CONFIGURATION!r}",
    "model = core.compile_model(model, 'CPU', configuration)",
    "request = model.create_infer_request()",
]
MAKE = [
    "for name in values.keys() - {port.any_name for port in model.inputs}:",
    "    print('the front end dropped the operand', name)",
    "    del values[name]",
    "for name, value in values.items():",
    "    request.set_tensor(name, tensor_of(value))",
    "request.start_async()",
    "request.wait()",
    "output = request.get_output_tensor(0)",
    *openvino_worker.PRINTS_OUTPUT,
]

if __name__ == "__main__":
    worker.serve(openvino_worker.channel, OnnxFrontEnd())
