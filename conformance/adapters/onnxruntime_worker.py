# SPDX-License-Identifier: Apache-2.0
# Worker that runs the ONNX gather operators on ONNX Runtime's CPU kernels.
"""Each call becomes a model of one node (onnx_models), run by an InferenceSession with the graph optimizations of the
default, constant folding among them. Element types travel as bit patterns in OrtValues.
"""

import ctypes
import math
import os

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
os.environ.setdefault("OMP_NUM_THREADS", "1")
numpy, onnx, onnxruntime = worker.require("numpy", "onnx==1.23.2", "onnxruntime==1.31.1")
import onnx_models

PHASES = {"InvalidGraph": "build", "NotImplemented": "build"}


def no_from_engine(error, phase=None):
    """ONNX Runtime's exception as an answer. Shape inference runs at load and says so in its text."""
    kind, text = type(error).__name__, str(error)
    if kind == "NotImplemented" or "not currently registered or supported" in text or "is not supported" in text:
        return worker.Unsupported(f"{kind}: {text}")
    if "ShapeInferenceError" in text:
        phase = "shape"
    return worker.Rejected(f"{kind}: {text}", PHASES.get(kind, phase))


def at_run(error):
    return no_from_engine(error, "run")


def value_of(bits, number):
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, number)


class OnnxRuntime:
    name = "onnxruntime"
    graph_optimizations = "ORT_ENABLE_ALL"  # as by default
    version = onnxruntime.__version__
    keeps_models = True

    def __init__(self):
        self.asked = onnx_models.asked(self.run)
        self.models = worker.BuiltModels()

    def session_of(self, model):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, self.graph_optimizations)
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(self, call):
        session, given = self.models.of(call, lambda: self.built(call))
        try:
            if any(call.inputs[name].strings is not None for name in given):
                return self.ran_with_strings(session, {name: call.inputs[name].array() for name in given})
            return self.ran(session, {name: call.inputs[name] for name in given}, *worker.poison_of(call))
        except worker.Rejected:
            self.models.forget(call)
            raise

    def built(self, call):
        model, given = onnx_models.model_of(call)
        with worker.engine_at_work(no_from_engine):
            return self.session_of(model), given

    def ran_with_strings(self, session, arrays):
        """Strings have no OrtValues in Python: they are objects of numpy arrays."""
        with worker.engine_at_work(at_run):
            (output,) = session.run(["output"], arrays)
        return worker.Tensor.from_array(TYPE_OF_SESSION[session.get_outputs()[0].type], output)

    def ran(self, session, tensors, outside, inside):
        """Operands lie between poison and the output is filled with it: the poison differs from run to run."""
        binding, homes = session.io_binding(), []
        for name, tensor in tensors.items():
            if tensor.type.packed:
                raise worker.Unsupported(f"ONNX Runtime's Python interface takes no {tensor.type.name} values")
            number = onnx_models.onnx_number(tensor)
            if tensor.count == 0:  # numpy has no arrays for some empty shapes
                with worker.engine_at_work(at_run):
                    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(tensor.shape, number)
            else:
                bits = worker.surrounded(tensor.raw, outside).view(tensor.type.storage).reshape(tensor.shape)
                homes.append(bits)  # an OrtValue does not own the memory
                with worker.engine_at_work(at_run):
                    value = value_of(bits, number)
            with worker.engine_at_work(at_run):
                binding.bind_ortvalue_input(name, value)
        declared = session.get_outputs()[0]
        element_type = TYPE_OF_SESSION[declared.type]
        home = self.output_home(element_type, declared.shape, inside)
        with worker.engine_at_work(at_run):
            if home is None:
                binding.bind_output("output", "cpu")
            else:
                binding.bind_ortvalue_output("output", value_of(home, element_type.onnx))
            session.run_with_iobinding(binding)
            output = binding.get_outputs()[0]
        shape = tuple(output.shape())
        if element_type.name == "string":  # all operands were fixed
            return worker.Tensor.from_array(element_type, output.numpy())
        length = worker.byte_length(element_type, math.prod(shape))
        return worker.Tensor(element_type, shape, raw=ctypes.string_at(output.data_ptr(), length) if length else b"")

    def output_home(self, element_type, shape, poison, largest=1 << 26):
        """Memory for the output; None where the session does not know the shape (it reports rank 0 then)."""
        if element_type.name == "string" or not shape or not all(isinstance(extent, int) for extent in shape):
            return None
        length = worker.byte_length(element_type, math.prod(shape))
        if not 0 < length <= largest:
            return None
        return numpy.full(length, poison, dtype=numpy.uint8).view(element_type.storage).reshape(shape)

    def describe(self, call):
        model, _ = onnx_models.model_of(call, described=True)
        with worker.engine_at_work(no_from_engine):
            session = self.session_of(model)
        output, shape = session.get_outputs()
        if not shape.shape or not isinstance(shape.shape[0], int):
            return worker.Descriptor(TYPE_OF_SESSION[output.type], None)  # the session does not tell the rank
        extents = list(output.shape) + [None] * (shape.shape[0] - len(output.shape))
        return worker.Descriptor(
            TYPE_OF_SESSION[output.type],
            tuple(extent if isinstance(extent, int) else None for extent in extents),
        )

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return reproducer(call, self.graph_optimizations)


TYPE_OF_SESSION = {
    f"tensor({name})": worker.ELEMENT_TYPES[short]
    for short, name in (
        pair.split(":")
        for pair in (
            "boolean:bool i8:int8 i16:int16 i32:int32 i64:int64 u8:uint8 u16:uint16 u32:uint32 u64:uint64 f16:float16 "
            "bf16:bfloat16 f32:float f64:double string:string"
        ).split()
    )
}


TYPE_OF_VALUE = ["type_of = lambda value: onnx.TensorProto.DataType.Name(value.element_type())"]


def reproducer(call, graph_optimizations):
    """A script that makes the call with onnx and onnxruntime alone."""
    for name, tensor in call.inputs.items():
        if tensor.type.packed and tensor.has_contents and not call.fixed(name):
            raise worker.Unsupported(f"ONNX Runtime's Python interface takes no {tensor.type.name} values")
    header = [
        "import ctypes, onnx, onnxruntime, numpy as np",
        "value_of = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type",
        *(onnx_models.TYPE_OF_ARRAY if onnx_models.has_strings(call) else TYPE_OF_VALUE),
    ]
    prepare = [
        "options = onnxruntime.SessionOptions()",
        "options.intra_op_num_threads = options.inter_op_num_threads = 1",
        f"options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.{graph_optimizations}",
        "providers = ['CPUExecutionProvider']",
        "session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)",
        "print('declared', session.get_outputs()[0].type, session.get_outputs()[0].shape)",
    ]
    with_strings = [
        "output = session.run(['output'], values)[0]",
        "print('output', list(output.shape), output.reshape(-1).tolist())",
    ]
    with_bits = [
        "output = session.run_with_ort_values(['output'], values)[0]",
        "raw = ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())",
        "print('output', output.shape(), raw.hex())",
    ]
    make = [*(with_strings if onnx_models.has_strings(call) else with_bits), *onnx_models.output_type(call)]
    return onnx_models.script(call, header, onnx_models.closing(call, prepare, make))


if __name__ == "__main__":
    worker.serve(channel, OnnxRuntime())
