# SPDX-License-Identifier: Apache-2.0
# xla: a batching dimension of size 1 whose slice size is 0, and one index: the compiler dies; "slice_sizes[operand_batching_dims...] <= 1" allows the size, and the shape of the result does not depend on it.
# Case stablehlo-batching-slice-zero-of-one, stablehlo.gather, runtime/static, on jax:xla 0.10.2.
# crash: killed by SIGABRT
# Rule stablehlo.gather.c12 (stablehlo/gather, Constraints): The slice size of a batching dimension is at most 1.
# Rule stablehlo.gather.c22 (stablehlo/gather, Constraints): The result has the dimensions of start_indices without index_vector_dim at batch_dims, and the slice sizes of the window's dimensions at offset_dims.
# shows: a crash or an output other than [1] 06000000
import os
os.environ.update({'JAX_ENABLE_X64': '1', 'JAX_PLATFORMS': 'cpu', 'XLA_FLAGS': '--xla_cpu_multi_thread_eigen=false'})
import jax, ml_dtypes, numpy
from jax._src import xla_bridge
from jax._src.lib import xla_client
import json
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import func, stablehlo


def context():
    """A context that knows what a module needs."""
    made = ir.Context()
    made.enable_multithreading(False)
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    made.append_dialect_registry(registry)
    made.load_all_available_dialects()
    stablehlo.register_dialect(made)
    return made


def build(operands, constants, attributes):
    """The module of a gather in the current context. `operands` are pairs (dense attribute, type) as texts by the
    specification's names, `constants` the names of those that the module contains."""
    given = [f"{name} = {json.dumps(attributes[name])}" for name in DIMENSION_NUMBERS]
    others = {name: value for name, value in attributes.items() if name not in DIMENSION_NUMBERS}
    if isinstance(others.get("slice_sizes"), list):
        sizes = others["slice_sizes"]
        others["slice_sizes"] = ir.Attribute.parse(f"array<i64: {json.dumps(sizes)[1:-1]}>" if sizes else "array<i64>")
    if "indices_are_sorted" in others:
        others["indices_are_sorted"] = ir.Attribute.parse(json.dumps(others["indices_are_sorted"]))
    types = [ir.Type.parse(kind) for name, (_, kind) in operands.items() if name not in constants]
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", (types, []), visibility="public")
    block = main.add_entry_block()
    with ir.InsertionPoint(block) as place:
        arguments, values = iter(block.arguments), {}
        for name, (dense, kind) in operands.items():
            if name in constants:
                constant = ir.Operation.parse(f'"stablehlo.constant"() <{{value = {dense} : {kind}}}> : () -> {kind}')
                place.insert(constant)
                values[name] = constant.result
            else:
                values[name] = next(arguments)
        numbers = ir.Attribute.parse(f"#stablehlo.gather<{', '.join(given)}>")
        result = stablehlo.GatherOp(**values, dimension_numbers=numbers, **others).result
        func.ReturnOp([result])
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, [result.type]))
    module.operation.verify()
    return module


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


DIMENSION_NUMBERS = ['offset_dims', 'collapsed_slice_dims', 'operand_batching_dims', 'start_indices_batching_dims', 'start_index_map', 'index_vector_dim']
operands = {'operand': ('dense<"0x050000000600000007000000">', 'tensor<3x1xi32>'), 'start_indices': ('dense<"0x0100000000000000">', 'tensor<1x1xi64>')}
constants, attributes = [], {'offset_dims': [], 'collapsed_slice_dims': [0], 'operand_batching_dims': [1], 'start_indices_batching_dims': [0], 'start_index_map': [0], 'index_vector_dim': 1, 'slice_sizes': [1, 0]}
with context(), ir.Location.unknown():
    module = build(operands, constants, attributes)
    print(module)
    arrays = [
        numpy.frombuffer(bytes.fromhex('050000000600000007000000'), 'u1').view('int32').reshape([3, 1]),
        numpy.frombuffer(bytes.fromhex('0100000000000000'), 'u1').view('int64').reshape([1, 1]),
    ]
    output = executed(compiled(module), arrays)
    print('declared', output.dtype, list(output.shape))
    print('output', list(output.shape), output.tobytes().hex())
