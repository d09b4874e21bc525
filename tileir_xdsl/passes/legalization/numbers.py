"""Conversions and arithmetic that later versions have a form for."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyFloat,
    bf16,
    f8E8M0FNU,
    f16,
    f32,
    f64,
)
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import element_of, splat_integer, tile_of, width_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    NEAREST_EVEN,
    ROUND_FULL,
    SIGNED,
    AndIOp,
    DivFOp,
    ExpOp,
    FPowIOp,
    MmaFOp,
    MulFOp,
    TanHOp,
)
from tileir_xdsl.dialects.cuda_tile.attributes import ComparisonPredicate
from tileir_xdsl.dialects.cuda_tile.conversions import FTOF_WIDENING, FToFOp, FToIOp
from tileir_xdsl.numerics import FLOAT_FORMATS
from tileir_xdsl.passes.canonicalization.build import splat, with_properties
from tileir_xdsl.passes.legalization.rules import Emitter, LegalizationList
from tileir_xdsl.passes.patterns import CHANGED, Outcome
from tileir_xdsl.versions import V13_2, V13_3, V13_4

LEGALIZATIONS = LegalizationList()
removing = LEGALIZATIONS.removing

COMPARABLE = (f16, bf16, f32, f64)


@removing(V13_4, FToIOp)
def clamped_conversion(op: FToIOp, rewriter: PatternRewriter) -> Outcome:
    """A saturating conversion converts what is in range and selects the limits, and 0 for NaN."""
    if op.saturating is None:
        return None
    emit = Emitter(rewriter)
    source = _comparable(op.from_, emit)
    result = tile_of(op.to)
    width, is_signed = width_of(op.to), op.signedness == SIGNED
    low = _zero(source, emit)
    if is_signed:
        low = _power_of_two(source, width - 1, emit, negative=True)
    high = _power_of_two(source, width - is_signed, emit)
    above_low = emit.compare_floats(ComparisonPredicate.GREATER_THAN, source, low)
    below_high = emit.compare_floats(ComparisonPredicate.LESS_THAN, source, high)
    inside = emit.binary(AndIOp, above_low, below_high)
    number = emit.select(inside, source, _zero(source, emit))
    converted = emit.op(FToIOp(number, result, with_properties(op, "signedness")))
    at_low = emit.compare_floats(ComparisonPredicate.LESS_THAN_OR_EQUAL, source, low)
    at_high = emit.compare_floats(ComparisonPredicate.GREATER_THAN_OR_EQUAL, source, high)
    least = emit.splat(result, -(1 << (width - 1)) if is_signed else 0)
    greatest = emit.splat(result, (1 << (width - is_signed)) - 1)
    return emit.select(at_high, greatest, emit.select(at_low, least, converted))


def _comparable(value: SSAValue, emit: Emitter) -> SSAValue:
    """A float tile in a format that has comparisons, exactly."""
    element = element_of(value)
    if element in COMPARABLE:
        return value
    wide: AnyFloat = f64 if element == f8E8M0FNU else f32
    return emit.op(FToFOp(value, tile_of(value).with_element(wide)))


def _zero(value: SSAValue, emit: Emitter) -> SSAValue:
    return emit.op(splat(tile_of(value), 0))


def _power_of_two(
    value: SSAValue, exponent: int, emit: Emitter, negative: bool = False
) -> SSAValue:
    """Plus or minus two to an exponent; an infinity where the format ends before."""
    fmt = FLOAT_FORMATS[element_of(value).name]
    biased = min(exponent + fmt.bias, (1 << fmt.exponent_bits) - 1)
    sign = 1 << (fmt.width - 1) if negative else 0
    return emit.op(splat(tile_of(value), sign | biased << fmt.mantissa_bits))


@removing(V13_4, FToFOp)
def widening_in_any_rounding(op: FToFOp, rewriter: PatternRewriter) -> Outcome:
    """A conversion to a format that holds every value rounds nothing: any mode will do."""
    if op.rounding_mode == NEAREST_EVEN:
        return None
    source, target = element_of(op.from_).name, element_of(op.to).name
    if target not in FTOF_WIDENING.get(source, ()):
        return None
    return FToFOp(op.from_, op.to.type)


MAX_EXPONENT = 64
"""Constant exponents up to this magnitude are multiplied out."""


@removing(V13_4, FPowIOp)
def multiplied_power(op: FPowIOp, rewriter: PatternRewriter) -> Outcome:
    """A power with a constant integer exponent is the products that compute it.

    In the order of the operation itself: powers from the right, then the reciprocal; f16 and bf16
    through f32, rounded once.
    """
    exponent = splat_integer(op.exponent)
    if exponent is None or abs(exponent) > MAX_EXPONENT:
        return None
    emit = Emitter(rewriter)
    result = tile_of(op.result)
    narrow = result.element_type in (f16, bf16)
    wide = result.with_element(f32) if narrow else result
    base = emit.op(FToFOp(op.source, wide)) if narrow else op.source
    fmt = FLOAT_FORMATS[wide.element_type.name]
    one = emit.op(splat(wide, fmt.bias << fmt.mantissa_bits))
    power = _product_of_powers(base, abs(exponent), one, emit)
    if exponent < 0:
        power = emit.binary(DivFOp, one, power)
    return emit.op(FToFOp(power, result)) if narrow else power


def _product_of_powers(base: SSAValue, exponent: int, one: SSAValue, emit: Emitter) -> SSAValue:
    result = base if exponent & 1 else one
    power = base
    while exponent := exponent >> 1:
        power = emit.binary(MulFOp, power, power)
        if exponent & 1:
            result = emit.binary(MulFOp, power, result)
    return result


# Approximations.


@removing(V13_3, ExpOp, approximate=True)
def full_exponential(op: ExpOp, rewriter: PatternRewriter) -> Outcome:
    """An approximate `exp` is computed in full."""
    return ExpOp(op.source) if op.rounding_mode != ROUND_FULL else None


@removing(V13_2, TanHOp, approximate=True)
def full_hyperbolic_tangent(op: TanHOp, rewriter: PatternRewriter) -> Outcome:
    """An approximate `tanh` is computed in full."""
    return TanHOp(op.source) if op.rounding_mode != ROUND_FULL else None


@removing(V13_3, MmaFOp, approximate=True)
def full_accumulation(op: MmaFOp, rewriter: PatternRewriter) -> Outcome:
    """A matrix product accumulates in full precision."""
    if op.fast_acc is None:
        return None
    op.fast_acc = None
    rewriter.notify_op_modified(op)
    return CHANGED
