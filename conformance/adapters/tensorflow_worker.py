# SPDX-License-Identifier: Apache-2.0
# Worker that runs TensorFlow's gather operators on TensorFlow's CPU kernels, eagerly.
"""Each call is one of tf.raw_ops.GatherV2 and tf.raw_ops.GatherNd, which are the operators themselves: operands and attributes
become arguments of their names, and what is not an argument is refused by Python.
"""

import inspect
import os

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
numpy, tensorflow = worker.require("numpy", "tensorflow", extra="tensorflow")
tensorflow.config.threading.set_intra_op_parallelism_threads(1)
tensorflow.config.threading.set_inter_op_parallelism_threads(1)

OPERATORS = {"tensorflow.GatherV2": "GatherV2", "tensorflow.GatherNd": "GatherNd"}
TYPES = {"boolean": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "string": "string"}
TYPES |= {f"i{bits}": f"int{bits}" for bits in (2, 4, 8, 16, 32, 64)}
TYPES |= {f"u{bits}": f"uint{bits}" for bits in (2, 4, 8, 16, 32, 64)}
TYPES |= {"c64": "complex64", "c128": "complex128", "f4e2m1": "float4_e2m1fn", "f8e4m3": "float8_e4m3fn"}
TYPES |= {name: name.replace("f8", "float8_") for name in ("f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz")}
NOT_IMPLEMENTED = ("Could not find device for node", "Detected unsupported operations")


def no_from_engine(phase):
    """The verdict on what TensorFlow raises in a phase."""

    def verdict(error):
        text = f"{type(error).__name__}: {error}"
        is_missing = any(words in text for words in NOT_IMPLEMENTED)
        return worker.Unsupported(text) if is_missing else worker.Rejected(text, phase)

    return verdict


def dtype_of(tensor):
    if tensor.type.name not in TYPES:
        raise worker.Unsupported(f"TensorFlow has no element type {tensor.type.name}")
    return tensorflow.as_dtype(TYPES[tensor.type.name])


def array_of(tensor):
    """An operand as numpy's array of the element type's own values; strings are bytes."""
    if tensor.strings is None:
        return tensor.array().view(dtype_of(tensor).as_numpy_dtype)
    flat = numpy.empty(tensor.count, dtype=object)
    flat[:] = [text.encode() for text in tensor.strings]
    return flat.reshape(tensor.shape)


def constant_of(tensor):
    return tensorflow.constant(array_of(tensor), dtype_of(tensor), tensor.shape)


def operands_of(call):
    """The operands of a call by TensorFlow's names."""
    if call.operator not in OPERATORS:
        raise worker.Unsupported(f"TensorFlow has no operator {call.operator}")
    if call.attributes.keys() & call.inputs.keys():
        raise worker.Unsupported("an operand and an attribute have one name")
    return {"params" if name == "data" else name: tensor for name, tensor in call.inputs.items()}


def result_of(output):
    """The tensor of TensorFlow's output."""
    element_type = next(worker.ELEMENT_TYPES[name] for name in TYPES if TYPES[name] == output.dtype.name)
    if element_type.name == "string":
        strings = numpy.array(output.numpy(), dtype=object).reshape(-1)
        return worker.Tensor(element_type, tuple(output.shape), strings=[text.decode(errors="replace") for text in strings])
    return worker.Tensor.from_array(element_type, numpy.asarray(output.numpy()).view(element_type.storage))


class TensorFlow:
    name = "tensorflow"
    version = tensorflow.__version__

    def __init__(self):
        self.asked = worker.Asked(OPERATORS, self.routes, lambda calls: [self.run(call) for call in calls])

    @staticmethod
    def routes(operator):
        return [worker.DEFAULT_ROUTE]

    def run(self, call):
        operands = operands_of(call)
        operator = getattr(tensorflow.raw_ops, OPERATORS[call.operator])
        with worker.engine_at_work(no_from_engine("run")):
            given = {name: constant_of(tensor) for name, tensor in operands.items()}
            return result_of(operator(**given, **call.attributes))

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        return reproducer(call, ())


def expression_of(tensor):
    """The expression of a script that makes an operand's array."""
    array, shape = array_of(tensor), list(tensor.shape)
    if tensor.strings is not None:
        return f"numpy.array({array.reshape(-1).tolist()!r}, object).reshape({shape})"
    return f"bits('{array.tobytes().hex()}', '{TYPES[tensor.type.name]}', {shape})"


def reproducer(call, given, signature=None):
    """A script that makes the call with TensorFlow alone: eagerly, or where there is the signature of the operands `given`,
    an expression of a script, by a function that XLA compiles."""
    operands = operands_of(call)
    arguments = [f"{name}={name if name in given else f'tf.constant({name})'}" for name in operands]
    arguments += [f"{name}={value!r}" for name, value in call.attributes.items()]
    function = [
        f"@tf.function(input_signature={signature}, jit_compile=True, autograph=False)",
        f"def gather({', '.join(given)}):",
        f"    return tf.raw_ops.{OPERATORS[call.operator]}({', '.join(arguments)})",
    ]
    data = call.inputs["data"].type
    printed = "output.numpy().tobytes().hex()"
    if data.packed:
        printed = f"pack(output.numpy().tobytes(), {data.bits}).hex()"
    elif data.name == "string":
        printed = "[text.decode() for text in numpy.array(output.numpy(), object).flat]"
    lines = [
        "import numpy, tensorflow as tf",
        "",
        "",
        *([inspect.getsource(worker.pack), ""] if data.packed else []),
        "def bits(raw, name, shape):",
        "    return numpy.frombuffer(bytes.fromhex(raw), tf.as_dtype(name).as_numpy_dtype).reshape(shape)",
        "",
        "",
        *function[0 if signature else 1 :],
        "",
        "",
        "def show(output):",
        f"    print('output', list(output.shape), {printed})",
        f"    assert output.dtype.name == '{TYPES[data.name]}', output.dtype",
        "",
        "",
        *(f"{name} = {expression_of(tensor)}  # {tensor.type.name}" for name, tensor in operands.items()),
    ]
    for earlier in call.before:
        values = operands_of(earlier)
        made = ", ".join(f"tf.constant({expression_of(values[name])})" for name in given)
        lines += ["try:", f"    show(gather({made}))", "except Exception as error:", "    print('rejected', error)"]
    lines.append(f"show(gather({', '.join(f'tf.constant({name})' for name in given)}))")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    worker.serve(channel, TensorFlow())
