# SPDX-License-Identifier: Apache-2.0
# Worker that runs StableHLO's gather on StableHLO's reference interpreter, which jaxlib contains.
"""The module of a call (stablehlo_models) is evaluated by jaxlib.mlir.dialects.stablehlo.eval_module, which takes arguments
and gives results as dense attributes. Python cannot read those of all types, so a second module turns the elements into
unsigned integers of the same bits.
"""

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
numpy, jaxlib = worker.require("numpy", "jaxlib==0.10.2", extra="jax")
import stablehlo_models
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from stablehlo_models import CONTEXT


def no_from_interpreter(error):
    return worker.Rejected(f"{type(error).__name__}: {error}", "run")


def bits_of(result, width):
    """The elements of a dense attribute as an array of the unsigned integers of their bits; `width` bits each."""
    kind = ir.RankedTensorType(result.type)
    extents = "".join(f"{extent}x" for extent in kind.shape)
    if str(kind.element_type) == "i1":
        return numpy.array(result).view("u1")
    same, whole = f"tensor<{extents}ui{width}>", f"tensor<{extents}ui{max(width, 8)}>"
    module = ir.Module.parse(
        f"""func.func @main(%0: {kind}) -> {whole} {{
          %1 = "stablehlo.bitcast_convert"(%0) : ({kind}) -> {same}
          %2 = "stablehlo.convert"(%1) : ({same}) -> {whole}
          return %2 : {whole}
        }}"""
    )
    return numpy.array(stablehlo.eval_module(module, [result])[0])


class Interpreter:
    name, version = "jax:stablehlo-interpreter", jaxlib.__version__
    keeps_models = True

    def __init__(self):
        self.asked = stablehlo_models.asked(self.run)
        self.models = worker.BuiltModels()

    def run(self, call):
        if any(tensor.type.name in ("c64", "c128") for tensor in call.inputs.values()):
            raise worker.Unsupported("jaxlib's Python interface has no dense attributes of complex numbers")
        module = self.models.of(call, lambda: stablehlo_models.module_of(call))
        texts = [" : ".join(stablehlo_models.text_of(tensor)) for tensor in stablehlo_models.arguments_of(call)]
        with CONTEXT, ir.Location.unknown():
            with worker.engine_at_work(no_from_interpreter):
                (result,) = stablehlo.eval_module(module, [ir.Attribute.parse(text) for text in texts])
            kind = ir.RankedTensorType(result.type)
            element_type = worker.ELEMENT_TYPES[stablehlo_models.SHORT[str(kind.element_type)]]
            if 0 in kind.shape:  # numpy has no arrays for some empty shapes
                return worker.Tensor(element_type, tuple(kind.shape), b"")
            bits = bits_of(result, element_type.bits)
        return worker.Tensor.from_array(element_type, bits.view(element_type.storage).reshape(kind.shape))

    def reproduce(self, call, language):
        width = call.inputs["data"].type.bits if "data" in call.inputs else 8
        closing = [
            "given = [ir.Attribute.parse(' : '.join(operands[name])) for name in operands if name not in constants]",
            "(result,) = stablehlo.eval_module(module, given)",
            "print('declared', result.type)",
            f"bits = bits_of(result, {width})",
            "print('output', list(bits.shape), bits.tobytes().hex())",
        ]
        return stablehlo_models.script(call, language, ["import numpy"], [bits_of], closing)


worker.serve(channel, Interpreter())
