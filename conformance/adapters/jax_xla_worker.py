# SPDX-License-Identifier: Apache-2.0
# Worker that runs StableHLO's gather on XLA's compiler for CPUs, which jaxlib contains.
"""The module of a call (stablehlo_models) is compiled by the CPU client that JAX itself uses, as JAX does with what it
traces, and executed with JAX arrays as arguments. With all operands constant XLA folds the gather.
"""

import os

import gathercheck.worker as worker

channel = worker.take_over_standard_streams()
worker.perturb_memory()
SETTINGS = {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
os.environ.update(SETTINGS)
numpy, ml_dtypes, jax = worker.require("numpy", "ml_dtypes", "jax==0.10.2", extra="jax")
import stablehlo_models
from jax._src import xla_bridge
from jax._src.lib import xla_client

# Type -> numpy's name of it, or that of ml_dtypes.
DTYPES = {"boolean": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64"}
DTYPES |= {"c64": "complex64", "c128": "complex128", "f8e4m3": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz"}
DTYPES |= {"f8e5m2": "float8_e5m2", "f8e5m2fnuz": "float8_e5m2fnuz", "f8e8m0": "float8_e8m0fnu", "f4e2m1": "float4_e2m1fn"}
DTYPES |= {f"{short}{bits}": f"{name}{bits}" for short, name in (("i", "int"), ("u", "uint")) for bits in (2, 4, 8, 16, 32, 64)}
NAMES = {name: short for short, name in DTYPES.items()}


def dtype_of(name):
    return numpy.dtype(getattr(ml_dtypes, DTYPES[name], DTYPES[name]))


def no_from_compiler(error):
    kind = worker.Unsupported if "UNIMPLEMENTED" in str(error) else worker.Rejected
    return kind(f"{type(error).__name__}: {error}", *(["build"] if kind is worker.Rejected else []))


def no_from_executable(error):
    if "array is too big" in str(error):  # the result is made, and numpy has no array of its shape
        return worker.Unsupported(f"numpy: {error}")
    return worker.Rejected(f"{type(error).__name__}: {error}", "run")


def compiled(module):
    """An executable of a module, for the one device of the CPU client."""
    client = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    return client.compile_and_load(str(module), devices, xla_client.CompileOptions())


def executed(executable, arrays):
    """The one result for arrays of numpy, as one."""
    given = [jax.device_put(array) for array in arrays]
    (results,) = executable.execute_sharded(given).disassemble_into_single_device_arrays()
    return numpy.asarray(results[0])


class Xla:
    name, version = "jax:xla", jax.lib.__version__
    keeps_models = True

    def __init__(self):
        self.asked = stablehlo_models.asked(self.run)
        self.models = worker.BuiltModels(capacity=128)

    def built(self, call):
        module = stablehlo_models.module_of(call)
        with worker.engine_at_work(no_from_compiler):
            return compiled(module)

    def run(self, call):
        executable = self.models.of(call, lambda: self.built(call))
        outside, _ = worker.poison_of(call)
        arrays = [
            tensor.shaped(worker.surrounded(stablehlo_models.raw_of(tensor), outside).view(dtype_of(tensor.type.name)))
            for tensor in stablehlo_models.arguments_of(call)
        ]
        with worker.engine_at_work(no_from_executable):
            output = executed(executable, arrays)
        element_type = worker.ELEMENT_TYPES[NAMES[output.dtype.name]]
        return worker.Tensor.from_array(element_type, output.view(element_type.storage))

    def reproduce(self, call, language):
        imports = ["import os", f"os.environ.update({SETTINGS!r})", "import jax, ml_dtypes, numpy"]
        imports += ["from jax._src import xla_bridge", "from jax._src.lib import xla_client"]
        closing = ["arrays = ["]
        for tensor in stablehlo_models.arguments_of(call):
            contents = f"numpy.frombuffer(bytes.fromhex('{stablehlo_models.raw_of(tensor).hex()}'), 'u1')"
            dtype = DTYPES[tensor.type.name]
            known = f"ml_dtypes.{dtype}" if hasattr(ml_dtypes, dtype) else f"'{dtype}'"
            closing.append(f"    {contents}.view({known}).reshape({list(tensor.shape)}),")
        closing += [
            "]",
            "output = executed(compiled(module), arrays)",
            "print('declared', output.dtype, list(output.shape))",
            "print('output', list(output.shape), output.tobytes().hex())",
        ]
        return stablehlo_models.script(call, language, imports, [compiled, executed], closing)


worker.serve(channel, Xla())
