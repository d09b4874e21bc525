"""Matrix products: on operands padded with zeros to powers of two, as after lowering.

The order in which a product sums is not specified and may depend on its extents; padding first
makes the result the same before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.dialects.cuda_tile.types import next_power_of_two
from tileir_xdsl.dialects.tile_sugar import library
from tileir_xdsl.dialects.tile_sugar.library import dot_operands
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_unsigned, shape_of, signless
from tileir_xdsl.interpreter.plan import Compiler, Env, Step
from tileir_xdsl.interpreter.values import format_of, full
from tileir_xdsl.numerics import TF32, FloatFormat, IntegerFormat
from tileir_xdsl.numerics.convert import ftof
from tileir_xdsl.numerics.matrix import mmaf, mmaf_scaled, mmai

Array = npt.NDArray[Any]


def padded(values: Array, shape: tuple[int, ...]) -> Array:
    """An array with zeros up to powers of two."""
    whole = full(values, shape)
    wide = tuple(map(next_power_of_two, shape))
    if wide == shape:
        return np.ascontiguousarray(whole)
    result = np.zeros(wide, whole.dtype)
    result[tuple(slice(0, extent) for extent in shape)] = whole
    return result


def _specified(op: Any, env: Env, slots: Sequence[int]) -> None:
    for slot in slots:
        env[0].require_specified(op, env[slot + 1], "an operand of the product")


def product(op: library.DotOp, compiler: Compiler) -> Step:
    """The step of a product, with or without an accumulator."""
    operands = [op.lhs, op.rhs, *([] if op.acc is None else [op.acc])]
    slots, target = compiler.slots(operands), compiler.slot(op.result)
    shapes = [shape_of(operand.type) for operand in operands]
    result = shape_of(op.result.type)
    elements = [element_of(operand.type) for operand in operands[:2]]
    formats = [format_of(signless(element)) for element in elements]
    computed = [format_of(signless(t)) for t in dot_operands(elements[0], elements[1])]
    if op.tf32 is not None:
        computed = [TF32, TF32]
    acc_format = format_of(element_of(op.result.type))
    signed = (
        op.from_unsigned_lhs is None and not is_unsigned(elements[0]),
        op.from_unsigned_rhs is None and not is_unsigned(elements[1]),
    )
    inside = tuple(slice(0, extent) for extent in result)

    def operand(env: Env, position: int) -> Array:
        values = padded(env[slots[position]], shapes[position])
        source, wanted = formats[position], computed[position]
        if source is wanted:
            return values
        assert isinstance(source, FloatFormat)
        assert isinstance(wanted, FloatFormat)
        return ftof(values, source, wanted)

    def run(env: Env) -> None:
        _specified(op, env, slots)
        left, right = operand(env, 0), operand(env, 1)
        if len(slots) > 2:
            acc = padded(env[slots[2]], shapes[2])
        else:
            acc = np.zeros(tuple(map(next_power_of_two, result)), acc_format.dtype)
        if isinstance(acc_format, IntegerFormat):
            total = mmai(left, right, acc, *signed)
        else:
            fmt = computed[0]
            assert isinstance(fmt, FloatFormat)
            total = mmaf(left, right, acc, fmt, acc_format)
        env[target] = total[inside]

    return run


def scaled_product(op: library.DotScaledOp, compiler: Compiler) -> Step:
    """The step of a block-scaled product."""
    operands = [op.lhs, op.rhs, op.lhs_scale, op.rhs_scale]
    slots, target = compiler.slots(operands), compiler.slot(op.result)
    shapes = [shape_of(operand.type) for operand in operands]
    fmt, scale = (format_of(element_of(v.type)) for v in (op.lhs, op.lhs_scale))
    acc_format = format_of(element_of(op.result.type))
    assert isinstance(fmt, FloatFormat)
    assert isinstance(scale, FloatFormat)
    assert isinstance(acc_format, FloatFormat)
    result = shape_of(op.result.type)

    def run(env: Env) -> None:
        _specified(op, env, slots)
        left, right, left_scale, right_scale = (
            full(env[slot], shape) for slot, shape in zip(slots, shapes, strict=True)
        )
        acc = np.zeros(result, acc_format.dtype)
        env[target] = mmaf_scaled(left, right, acc, left_scale, right_scale, fmt, scale, acc_format)

    return run
