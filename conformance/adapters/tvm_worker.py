# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on Apache TVM: its ONNX front end, then LLVM code for this CPU.
"""Each call becomes a model of one node (onnx_models), which relax.frontend.onnx.from_onnx translates, tvm.compile compiles
and a VirtualMachine runs. Its kernels leave the bounds of indices to their caller, and may read any memory.
"""

import os
import warnings

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
os.environ.setdefault("TVM_NUM_THREADS", "1")
numpy, onnx, tvm = worker.require("numpy", "onnx==1.23.2", "tvm", extra="tvm")
import onnx_models
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

warnings.simplefilter("ignore")  # the front end asks onnx.checker, and goes on whatever it says
TARGET = "llvm"

HEADER = [
    "import numpy as np, onnx, tvm",
    "from tvm import relax",
    "from tvm.relax.frontend.onnx import from_onnx",
    "value_of = lambda bits, number: bits.view(onnx.helper.tensor_dtype_to_np_dtype(number))",
    *onnx_models.TYPE_OF_ARRAY,
]
PREPARE = [
    f"machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target={TARGET!r}), tvm.cpu())",
]
MAKE = [
    "output = machine['main'](*(tvm.runtime.tensor(value) for value in values.values())).numpy()",
    "print('output', list(output.shape), output.tobytes().hex())",
]


def no_from_engine(phase):
    def verdict(error):
        kind, text = type(error).__name__, str(error)
        # The last: no pass lowers an operator of which the front end leaves the shape, or even the rank, unknown.
        if (
            kind in ("OpNotImplemented", "NotImplementedError")
            or "not supported" in text
            or "cannot emit this Relax operator" in text
        ):
            return worker.Unsupported(f"{kind}: {text}")
        return worker.Rejected(f"{kind}: {text}", phase)

    return verdict


class Tvm:
    name = "tvm"
    version = tvm.__version__
    keeps_models = True

    def __init__(self):
        self.asked = worker.Asked(onnx_models.OPERATORS, lambda operator: worker.routes(), self.take, together=64)
        self.models = worker.BuiltModels()

    @staticmethod
    def translated(call):
        """The module of a call, and the names of its function's parameters."""
        model, given = onnx_models.model_of(call)
        with worker.engine_at_work(no_from_engine(None)):  # attributes and shapes alike
            return from_onnx(onnx.load_from_string(model)), given

    @staticmethod
    def compiled(module):
        with worker.engine_at_work(no_from_engine("build")):
            return relax.VirtualMachine(tvm.compile(module, target=TARGET), tvm.cpu())

    def take(self, calls):
        """Compiles all calls at once, each as a function of one module, which halves the time, and makes them."""
        translated = [self.translated(call) for call in calls]
        names = [f"call_{k}" for k in range(len(calls))]
        functions = [module["main"].with_attr("global_symbol", name) for name, (module, _) in zip(names, translated)]
        machine = self.compiled(tvm.IRModule(dict(zip(names, functions))))
        for name, call, (_, given) in zip(names, calls, translated):
            self.called(machine, name, call, given)

    @staticmethod
    def called(machine, name, call, given):
        arrays = [onnx_models.array_of(call.inputs[name]) for name in given]
        with worker.engine_at_work(no_from_engine("run")):
            output = machine[name](*(tvm.runtime.tensor(array) for array in arrays)).numpy()
        return onnx_models.tensor_of(output)

    def built(self, call):
        module, given = self.translated(call)
        return self.compiled(module), given

    def run(self, call):
        machine, given = self.models.of(call, lambda: self.built(call))
        return self.called(machine, "main", call, given)

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        make = [*MAKE, *onnx_models.output_type(call)]
        return onnx_models.script(call, HEADER, onnx_models.closing(call, PREPARE, make))


worker.serve(channel, Tvm())
