# SPDX-License-Identifier: Apache-2.0
# Builds a StableHLO module of one gather, for the adapters of what runs StableHLO.
"""A call becomes a module whose function `main` has one stablehlo.gather. Operands that the route fixes are constants of the
module, others are arguments; jaxlib's own builder infers the type of the result and refuses what the operation does not
allow. Elements travel as bits, in the hexadecimal form of MLIR's dense attributes.
"""

import inspect
import json

import gathercheck.worker as worker
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import func, stablehlo

# Type -> MLIR's name of it.
TYPES = {"boolean": "i1", "bf16": "bf16", "f16": "f16", "f32": "f32", "f64": "f64", "c64": "complex<f32>", "c128": "complex<f64>"}
TYPES |= {"f8e4m3": "f8E4M3FN", "f8e4m3fnuz": "f8E4M3FNUZ", "f8e5m2": "f8E5M2", "f8e5m2fnuz": "f8E5M2FNUZ"}
TYPES |= {"f8e8m0": "f8E8M0FNU", "f4e2m1": "f4E2M1FN"}
TYPES |= {f"i{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)} | {f"u{bits}": f"ui{bits}" for bits in (2, 4, 8, 16, 32, 64)}
SHORT = {mlir: short for short, mlir in TYPES.items()}
OPERATOR = "stablehlo.gather"
DIMENSION_NUMBERS = ["offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims"]
DIMENSION_NUMBERS += ["start_index_map", "index_vector_dim"]


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


CONTEXT = context()


def raw_of(tensor):
    """The bytes of an operand as arrays and MLIR have them: elements below a byte take one."""
    return worker.unpack(tensor.raw, tensor.type.bits, tensor.count) if tensor.type.packed else tensor.raw


def text_of(tensor):
    """An operand as MLIR writes it: (dense attribute, type)."""
    kind, raw = "x".join([*map(str, tensor.shape), TYPES[tensor.type.name]]), raw_of(tensor)
    return f'dense<"0x{raw.hex()}">' if raw else "dense<>", f"tensor<{kind}>"


NAMES = {"data": "operand", "indices": "start_indices"}


def operands_of(call):
    """The operands by the specification's names; one that it has no name for keeps that of the call."""
    if call.operator != OPERATOR:
        raise worker.Unsupported(f"no operator {call.operator}")
    if call.shapes == "dynamic":
        raise worker.Unsupported("modules have static shapes here")
    for tensor in call.inputs.values():
        if tensor.type.name not in TYPES:
            raise worker.Unsupported(f"StableHLO has no type {tensor.type.name}")
    for name in DIMENSION_NUMBERS:
        if name not in call.attributes:
            raise worker.Unsupported(f"MLIR's text cannot say that {name} is absent: it takes it for empty, or 0")
    return {NAMES.get(name, name): tensor for name, tensor in call.inputs.items()}


def constants_of(call):
    return [NAMES.get(name, name) for name in call.inputs if call.fixed(name)]


def no_from_builder(error):
    return worker.Rejected(f"{type(error).__name__}: {error}", "build")


def module_of(call):
    """The module of a call."""
    texts = {name: text_of(tensor) for name, tensor in operands_of(call).items()}
    with CONTEXT, ir.Location.unknown(), worker.engine_at_work(no_from_builder):
        return build(texts, constants_of(call), call.attributes)


def arguments_of(call):
    """The operands that are arguments of the call's module, in their order."""
    return [tensor for name, tensor in call.inputs.items() if not call.fixed(name)]


def asked(run):
    """What an engine of StableHLO takes, with static shapes."""
    return worker.Asked([OPERATOR], lambda operator: worker.routes(shapes=("static",)), lambda calls: list(map(run, calls)))


def script(call, language, imports, parts, closing):
    """A program without the adapter: it builds the call's module and goes on with the lines of `closing`, which use the
    functions `parts`."""
    if language != "python":
        raise worker.Unsupported(f"no reproducer in {language}")
    operands = {name: text_of(tensor) for name, tensor in operands_of(call).items()}
    lines = [
        *imports,
        "import json",
        "from jaxlib.mlir import ir",
        "from jaxlib.mlir._mlir_libs import _jax_mlir_ext",
        "from jaxlib.mlir.dialects import func, stablehlo",
        "",
        "",
        *(inspect.getsource(part) + "\n" for part in (context, build, *parts)),
        f"DIMENSION_NUMBERS = {DIMENSION_NUMBERS!r}",
        f"operands = {operands!r}",
        f"constants, attributes = {constants_of(call)!r}, {call.attributes!r}",
        "with context(), ir.Location.unknown():",
        "    module = build(operands, constants, attributes)",
        "    print(module)",
        *(f"    {line}" for line in closing),
    ]
    return "\n".join(lines) + "\n"
