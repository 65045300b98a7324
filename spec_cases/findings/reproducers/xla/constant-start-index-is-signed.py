# SPDX-License-Identifier: Apache-2.0
# xla: one start index that is a constant of an unsigned type is read as a signed number: from half of the type's range on it counts as below 0, so that the slice starts at 0; start_indices is a "tensor of integer type", and "clamp(start_index[d_start], 0, dim(operand, d_operand) - slice_sizes[d_operand])" is of its value.
# Case gather-scalar-index-u8-above-signed-maximum, stablehlo.gather, constant/static, on jax:xla 0.10.2.
# wrong value: element 0 of []: expected 200, got 0
# Rule stablehlo.gather.output (stablehlo/gather, Semantics): Each element of the result is the element of operand at full_start_index + full_batching_index + full_offset_index.
# shows: an output other than [] c8
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
operands = {'operand': ('dense<"0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8">', 'tensor<201xui8>'), 'start_indices': ('dense<"0xc8">', 'tensor<ui8>')}
constants, attributes = ['start_indices'], {'offset_dims': [], 'collapsed_slice_dims': [0], 'operand_batching_dims': [], 'start_indices_batching_dims': [], 'start_index_map': [0], 'slice_sizes': [1], 'index_vector_dim': 0}
with context(), ir.Location.unknown():
    module = build(operands, constants, attributes)
    print(module)
    arrays = [
        numpy.frombuffer(bytes.fromhex('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8'), 'u1').view('uint8').reshape([201]),
    ]
    output = executed(compiled(module), arrays)
    print('declared', output.dtype, list(output.shape))
    print('output', list(output.shape), output.tobytes().hex())
