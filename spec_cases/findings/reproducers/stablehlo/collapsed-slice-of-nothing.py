# SPDX-License-Identifier: Apache-2.0
# stablehlo: a collapsed slice of size 0 ends the process where the result has elements: "LLVM ERROR: Incompatible index and shape found while flattening index"; every constraint allows the call, "slice_sizes[collapsed_slice_dims...] <= 1" among them, and no sentence says what comes of it.
# Case stablehlo-collapsed-slice-of-nothing, stablehlo.gather, runtime/static, on jax:stablehlo-interpreter 0.10.2.
# crash: killed by SIGABRT
# Rule stablehlo.gather.semantics.collapsed-empty (stablehlo/gather, Constraints): No sentence says what a result with elements gets from a collapsed dimension of slice size 0.
# shows: a crash
import numpy
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


DIMENSION_NUMBERS = ['offset_dims', 'collapsed_slice_dims', 'operand_batching_dims', 'start_indices_batching_dims', 'start_index_map', 'index_vector_dim']
operands = {'operand': ('dense<>', 'tensor<0x2xi32>'), 'start_indices': ('dense<"0x00000000000000000100000000000000">', 'tensor<2xi64>')}
constants, attributes = [], {'offset_dims': [1], 'collapsed_slice_dims': [0], 'operand_batching_dims': [], 'start_indices_batching_dims': [], 'start_index_map': [0], 'index_vector_dim': 1, 'slice_sizes': [0, 2]}
with context(), ir.Location.unknown():
    module = build(operands, constants, attributes)
    print(module)
    given = [ir.Attribute.parse(' : '.join(operands[name])) for name in operands if name not in constants]
    (result,) = stablehlo.eval_module(module, given)
    print('declared', result.type)
    bits = bits_of(result, 32)
    print('output', list(bits.shape), bits.tobytes().hex())
