# SPDX-License-Identifier: Apache-2.0
# Worker that runs TensorFlow's gather operators as XLA compiles them for the CPU.
"""Each call becomes a tf.function with jit_compile=True: operands given at run time are its arguments, fixed ones constants in
it; with dynamic shapes it is traced without them. XLA compiles it for the shapes of each call.
"""

import gathercheck.worker as worker
import tensorflow_worker
from tensorflow_worker import OPERATORS, array_of, constant_of, dtype_of, no_from_engine, operands_of, tensorflow


def signature_of(call, given):
    """Names of element types and shapes of the operands given at run time."""
    dynamic = call.shapes == "dynamic"
    return [(dtype_of(tensor).name, [None if dynamic else extent for extent in tensor.shape]) for tensor in given.values()]


def given_of(call):
    """The operands that are given at run time, by TensorFlow's names."""
    return {name: tensor for name, tensor in operands_of(call).items() if not call.fixed("data" if name == "params" else name)}


class Xla(tensorflow_worker.TensorFlow):
    name = "tensorflow:xla"
    keeps_models = True

    def __init__(self):
        super().__init__()
        self.models = worker.BuiltModels()

    @staticmethod
    def routes(operator):
        """axis is an operand of GatherV2, which may be given at run time."""
        return worker.routes(axes=("constant", "runtime") if operator == "tensorflow.GatherV2" else ("constant",))

    def built(self, call):
        operands, given = operands_of(call), given_of(call)
        fixed = {name: (array_of(tensor), dtype_of(tensor)) for name, tensor in operands.items() if name not in given}
        operator = getattr(tensorflow.raw_ops, OPERATORS[call.operator])
        signature = [tensorflow.TensorSpec(shape, name) for name, shape in signature_of(call, given)]

        def gather(*values):
            constants = {name: tensorflow.constant(*of) for name, of in fixed.items()}
            return operator(**dict(zip(given, values)), **constants, **call.attributes)

        with worker.engine_at_work(no_from_engine("shape")):
            function = tensorflow.function(gather, input_signature=signature, jit_compile=True, autograph=False)
            return function.get_concrete_function()

    def run(self, call):
        function = self.models.of(call, lambda: self.built(call))
        try:
            with worker.engine_at_work(no_from_engine("run")):
                return tensorflow_worker.result_of(function(*map(constant_of, given_of(call).values())))
        except worker.Rejected:
            self.models.forget(call)
            raise

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        given = given_of(call)
        specs = [f"tf.TensorSpec({shape}, '{name}')" for name, shape in signature_of(call, given)]
        return tensorflow_worker.reproducer(call, list(given), f"[{', '.join(specs)}]")


if __name__ == "__main__":
    worker.serve(tensorflow_worker.channel, Xla())
