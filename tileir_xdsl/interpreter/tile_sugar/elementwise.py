"""Elementwise operations, sweeps, constants, conversions, and the library by its expansions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.builder import Builder
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.cuda_tile.constants import float_bits
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import library, sweep
from tileir_xdsl.dialects.tile_sugar.expansion import (
    EXPANSIONS,
    Writer,
    expansion_of,
    is_accumulated,
)
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter, lower_cast
from tileir_xdsl.dialects.tile_sugar.scalars import promoted
from tileir_xdsl.dialects.tile_sugar.types import element_of, shape_of, signless
from tileir_xdsl.interpreter.plan import BUILDERS, Compiler, Env, Signal, Step, Target, builder
from tileir_xdsl.interpreter.values import format_of
from tileir_xdsl.versions import LATEST

Array = npt.NDArray[Any]
Definition = Callable[[Emitter, Any, Sequence[SSAValue]], SSAValue]


def number_array(value: Attribute) -> Array:
    """A number as an array of rank 0, in the storage of its format."""
    if isinstance(value, IntegerAttr):
        number = cast(Any, value)
        fmt = format_of(signless(number.type))
        bits: int = number.value.data
    else:
        bits, type = float_bits(value)
        fmt = format_of(type)
    return fmt.from_bits(np.asarray(bits & ((1 << fmt.width) - 1), np.uint64))


def sequence(steps: Sequence[Step | None]) -> Step:
    """Steps as one."""
    present = [step for step in steps if step is not None]
    if len(present) == 1:
        return present[0]

    def run(env: Env) -> Signal | None:
        for step in present:
            signal = step(env)
            if signal is not None:
                return signal
        return None

    return run


def by_definition(op: Operation, compiler: Compiler, definition: Definition) -> Step:
    """An elementwise operation as its definition on rank-0 tiles, which runs on whole arrays."""
    elements = [signless(element_of(operand.type)) for operand in op.operands]
    block = Block(arg_types=[TileType.get((), element) for element in elements])
    for argument, operand in zip(block.args, op.operands, strict=True):
        compiler.share(argument, operand)
    emitter = Emitter(Builder(InsertPoint.at_end(block)), op, LATEST)
    result = definition(emitter, op, block.args)
    steps = [compiler.compile_op(inner) for inner in block.ops]
    if result in block.args:
        compiler.share(op.results[0], op.operands[block.args.index(result)])
    else:
        compiler.share(op.results[0], result)
    return sequence(steps)


def by_expansion(op: Operation, compiler: Compiler) -> Step:
    """A library operation as the operations that it expands to."""
    expansion = expansion_of(op)
    assert expansion is not None
    block = Block()
    results = expansion(Writer(Builder(InsertPoint.at_end(block)), op, LATEST), op)
    steps = [compiler.compile_op(inner) for inner in block.ops]
    for old, new in zip(op.results, results, strict=True):
        compiler.share(old, new)
    return sequence(steps)


@builder(*ew.ELEMENTWISE, elementwise=True)
def build_elementwise(op: ew.ElementwiseOp, compiler: Compiler) -> Step:
    if expansion_of(op) is not None:
        return by_expansion(op, compiler)
    return by_definition(op, compiler, promoted)


@builder(ew.CastOp, elementwise=True)
def build_cast(op: ew.CastOp, compiler: Compiler) -> Step:
    def definition(e: Emitter, op: ew.CastOp, operands: Sequence[SSAValue]) -> SSAValue:
        return lower_cast(
            e,
            operands[0],
            signless(element_of(op.result.type)),
            from_unsigned=op.reads_unsigned,
            to_unsigned=op.makes_unsigned,
            unchecked=op.unchecked is not None,
        )

    return by_definition(op, compiler, definition)


@builder(ew.BitcastOp, elementwise=True)
def build_bitcast(op: ew.BitcastOp, compiler: Compiler) -> Step:
    target = signless(element_of(op.result.type))
    return by_definition(op, compiler, lambda e, op, operands: e.bitcast(operands[0], target))


@builder(ew.ConstantOp, elementwise=True)
def build_constant(op: ew.ConstantOp, compiler: Compiler) -> None:
    rank = len(shape_of(op.result.type))
    compiler.preset(op.result, number_array(op.value).reshape((1,) * rank))


@builder(ew.IotaOp)
def build_iota(op: ew.IotaOp, compiler: Compiler) -> None:
    shape, dim = shape_of(op.result.type), op.dimension
    line = np.arange(shape[dim], dtype=np.int32)
    compiler.preset(op.result, line.reshape([-1 if k == dim else 1 for k in range(len(shape))]))


def _reshaped(op: Any, compiler: Compiler, change: Callable[[Array], Array]) -> Step:
    source, target = compiler.slot(op.source), compiler.slot(op.results[0])

    def run(env: Env) -> None:
        env[target] = change(env[source])
        lanes = env[source + 1]
        env[target + 1] = None if lanes is None else change(np.asarray(lanes))

    return run


@builder(ew.SplatOp)
def build_splat(op: ew.SplatOp, compiler: Compiler) -> Step:
    rank = len(shape_of(op.result.type))
    return _reshaped(op, compiler, lambda values: values.reshape((1,) * rank))


@builder(ew.BroadcastOp)
def build_broadcast(op: ew.BroadcastOp, compiler: Compiler) -> Step:
    return _reshaped(op, compiler, lambda values: values)


@builder(ew.ToScalarOp)
def build_to_scalar(op: ew.ToScalarOp, compiler: Compiler) -> Step:
    return _reshaped(op, compiler, lambda values: np.asarray(values.reshape(())))


# Sweeps.


@builder(sweep.SweepOp)
def build_sweep(op: sweep.SweepOp, compiler: Compiler) -> Step:
    block = op.body.block
    rank = len(op.shape)
    sources, arguments = compiler.slots(op.inputs), compiler.slots(block.args)
    yielded = [compiler.fresh() for _ in op.results]
    targets = compiler.slots(op.results)
    body = compiler.compile_block(block, Target("sweep", yielded=yielded))

    def run(env: Env) -> None:
        for source, argument in zip(sources, arguments, strict=True):
            env[argument] = env[source]
            env[argument + 1] = env[source + 1]
        body.run(env)
        for slot, target in zip(yielded, targets, strict=True):
            values, lanes = env[slot], env[slot + 1]
            env[target] = values if values.ndim else values.reshape((1,) * rank)
            env[target + 1] = lanes

    return run


@builder(sweep.IndexOp)
def build_index(op: sweep.IndexOp, compiler: Compiler) -> None:
    shape, dim = sweep.index_shape(op), op.dimension
    assert shape is not None
    line = np.arange(shape[dim], dtype=np.int32)
    compiler.preset(op.result, line.reshape([-1 if k == dim else 1 for k in range(len(shape))]))


@builder(sweep.YieldOp, elementwise=True)
def build_yield(op: sweep.YieldOp, compiler: Compiler) -> Step:
    from tileir_xdsl.interpreter.plan import mover

    return mover(compiler.slots(op.values), compiler.targets[-1].yielded)


# The library.


def _build_expanded(op: Operation, compiler: Compiler) -> Step:
    return by_expansion(op, compiler)


for _cls in EXPANSIONS:
    BUILDERS[_cls] = _build_expanded


@builder(library.DotOp)
def build_dot(op: library.DotOp, compiler: Compiler) -> Step | None:
    """As a product of tiles padded with zeros, so that padding changes no bit of it."""
    if is_accumulated(op):
        return None
    if op.ordered is not None:
        return by_expansion(op, compiler)
    from tileir_xdsl.interpreter.tile_sugar.products import product

    return product(op, compiler)


@builder(library.DotScaledOp)
def build_dot_scaled(op: library.DotScaledOp, compiler: Compiler) -> Step:
    from tileir_xdsl.interpreter.tile_sugar.products import scaled_product

    return scaled_product(op, compiler)
