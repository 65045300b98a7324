# SPDX-License-Identifier: Apache-2.0
# stablehlo: start_indices of an unsigned type are read as signed numbers: from half of the type's range on they count as below 0, so that the slice starts at 0; start_indices is a "tensor of integer type", and "clamp(start_index[d_start], 0, dim(operand, d_operand) - slice_sizes[d_operand])" is of its value.
# Case gather-index-type-u8-above-127, stablehlo.gather, runtime/static, on jax:stablehlo-interpreter 0.10.2.
# wrong value: element 0 of [3]: expected 200, got 0
# Rule stablehlo.gather.output (stablehlo/gather, Semantics): Each element of the result is the element of operand at full_start_index + full_batching_index + full_offset_index.
# shows: an output other than [3] c8000000800000007f000000
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
operands = {'operand': ('dense<"0x000000000100000002000000030000000400000005000000060000000700000008000000090000000a0000000b0000000c0000000d0000000e0000000f000000100000001100000012000000130000001400000015000000160000001700000018000000190000001a0000001b0000001c0000001d0000001e0000001f000000200000002100000022000000230000002400000025000000260000002700000028000000290000002a0000002b0000002c0000002d0000002e0000002f000000300000003100000032000000330000003400000035000000360000003700000038000000390000003a0000003b0000003c0000003d0000003e0000003f000000400000004100000042000000430000004400000045000000460000004700000048000000490000004a0000004b0000004c0000004d0000004e0000004f000000500000005100000052000000530000005400000055000000560000005700000058000000590000005a0000005b0000005c0000005d0000005e0000005f000000600000006100000062000000630000006400000065000000660000006700000068000000690000006a0000006b0000006c0000006d0000006e0000006f000000700000007100000072000000730000007400000075000000760000007700000078000000790000007a0000007b0000007c0000007d0000007e0000007f000000800000008100000082000000830000008400000085000000860000008700000088000000890000008a0000008b0000008c0000008d0000008e0000008f000000900000009100000092000000930000009400000095000000960000009700000098000000990000009a0000009b0000009c0000009d0000009e0000009f000000a0000000a1000000a2000000a3000000a4000000a5000000a6000000a7000000a8000000a9000000aa000000ab000000ac000000ad000000ae000000af000000b0000000b1000000b2000000b3000000b4000000b5000000b6000000b7000000b8000000b9000000ba000000bb000000bc000000bd000000be000000bf000000c0000000c1000000c2000000c3000000c4000000c5000000c6000000c7000000c8000000">', 'tensor<201xi32>'), 'start_indices': ('dense<"0xc8807f">', 'tensor<3xui8>')}
constants, attributes = [], {'offset_dims': [], 'collapsed_slice_dims': [0], 'operand_batching_dims': [], 'start_indices_batching_dims': [], 'start_index_map': [0], 'slice_sizes': [1], 'index_vector_dim': 1}
with context(), ir.Location.unknown():
    module = build(operands, constants, attributes)
    print(module)
    given = [ir.Attribute.parse(' : '.join(operands[name])) for name in operands if name not in constants]
    (result,) = stablehlo.eval_module(module, given)
    print('declared', result.type)
    bits = bits_of(result, 32)
    print('output', list(bits.shape), bits.tobytes().hex())
