# SPDX-License-Identifier: Apache-2.0
# Worker that runs take and take_along_axis of the array API standard as a Python module has them.
"""usage: array_api_worker.py MODULE, a namespace of the standard: array_api_strict, numpy, jax.numpy, dask.array, ...

Arrays are what the module's asarray() makes of numpy arrays, whose memory they may share. A function gets them by position
and the attributes by keyword, as they are, and what it returns is read back by numpy.asarray(), which computes it first
where the module is lazy.
"""

import importlib
import os
import sys

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
# JAX has no types of 64 bits otherwise, and Dask would compute in threads.
SETTINGS = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu", "DASK_SCHEDULER": "synchronous"}
os.environ.update(SETTINGS)
MODULE = sys.argv[1]
PACKAGE = MODULE.split(".")[0]
numpy, package = worker.require("numpy", PACKAGE, extra=PACKAGE.replace("_", "-"))
module = importlib.import_module(MODULE)

# Type -> numpy's name of it; the standard has no others.
TYPES = {"boolean": "bool", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
TYPES |= {f"{letter}{bits}": f"{name}{bits}" for letter, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)}
NAMES = {name: short for short, name in TYPES.items()}


def options_of(shape):
    """Of asarray(). Dask's arrays have two chunks along each axis: by default all but large ones have one in all."""
    return {"chunks": tuple((extent + 1) // 2 or 1 for extent in shape)} if PACKAGE == "dask" else {}


def no_from_engine(error):
    kind = worker.Unsupported if isinstance(error, NotImplementedError) else worker.Rejected
    return kind(f"{type(error).__name__}: {error}")


def function_of(call):
    """The name of the module's function."""
    name = call.operator.removeprefix("array_api.")
    if name not in ("take", "take_along_axis"):
        raise worker.Unsupported(f"no operator {call.operator}")
    if not hasattr(module, name):
        raise worker.Unsupported(f"{MODULE} has no {name}")
    for tensor in call.inputs.values():
        if tensor.type.name not in TYPES:
            raise worker.Unsupported(f"the standard has no type {tensor.type.name}")
    return name


class ArrayApi:
    name, version = MODULE, package.__version__

    def __init__(self):
        operators = ["array_api.take", "array_api.take_along_axis"]
        self.asked = worker.Asked(operators, lambda operator: [worker.DEFAULT_ROUTE], lambda calls: list(map(self.run, calls)))

    def run(self, call):
        function = getattr(module, function_of(call))
        outside, _ = worker.poison_of(call)
        arrays = {
            name: tensor.shaped(worker.surrounded(tensor.raw, outside).view(TYPES[tensor.type.name]))
            for name, tensor in call.inputs.items()
        }
        with worker.engine_at_work(no_from_engine):
            operands = {name: module.asarray(array, **options_of(array.shape)) for name, array in arrays.items()}
            by_position = [operands.pop(name) for name in ("data", "indices") if name in operands]
            output = numpy.asarray(function(*by_position, **operands, **call.attributes))
        element_type = worker.ELEMENT_TYPES[NAMES[output.dtype.name]]
        return worker.Tensor(element_type, output.shape, output.tobytes())

    def reproduce(self, call, language):
        if language != "python":
            raise worker.Unsupported(f"no reproducer in {language}")
        function = function_of(call)
        lines = ["import os", "", f"os.environ.update({SETTINGS!r})", f"import numpy, {MODULE} as xp", ""]
        for name, tensor in call.inputs.items():
            bits = f"numpy.frombuffer(bytes.fromhex('{tensor.raw.hex()}'), '{TYPES[tensor.type.name]}')"
            options = "".join(f", {option}={value}" for option, value in options_of(tensor.shape).items())
            lines.append(f"{name} = xp.asarray({bits}.reshape({list(tensor.shape)}){options})")
            lines.append(f"assert str({name}.dtype).endswith('{TYPES[tensor.type.name]}'), {name}.dtype")
        given = [name for name in ("data", "indices") if name in call.inputs]
        given += [f"{name}={name}" for name in call.inputs if name not in given]
        given += [f"{name}={value!r}" for name, value in call.attributes.items()]
        lines += [
            f"output = numpy.asarray(xp.{function}({', '.join(given)}))",
            "print('declared', output.dtype, list(output.shape))",
            "print('output', list(output.shape), output.tobytes().hex())",
        ]
        return "\n".join(lines) + "\n"


worker.serve(channel, ArrayApi())
