"""`approximate-math`: cheaper operations where a fast-math flag, or exactness, allows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import f16, f32
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tileir_xdsl.dialects.cuda_tile.constants import FloatBitsAttr
from tileir_xdsl.dialects.cuda_tile.literals import exact_value, is_special, layout_of
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import reductions
from tileir_xdsl.dialects.tile_sugar.attributes import FastMathAttr, number_attr
from tileir_xdsl.dialects.tile_sugar.expansion import Writer
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_float, shape_of
from tileir_xdsl.passes.legalize_elementwise import spread
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.scalar_bodies import constant_of
from tileir_xdsl.passes.sugar import before, erase_unused, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass

LOG2_E = 1.4426950408889634
SHIFT = 24
"""Powers of two between the smallest normal f32 number, 2**-126, and what rounds to zero."""


@dataclass(frozen=True)
class ApproximateMathPass(TilePass):
    """Replaces slow f32 operations by fast ones.

    Under `fastmath<afn>`: `exp` of a distance from a row's maximum, and under `afn` and `ftz` any
    `exp`, becomes `exp2`, without the range handling that subnormal results cost, and so does that
    of `sigmoid`; a division by values of a row multiplies with their reciprocals; `1 / sqrt`
    becomes `rsqrt`, a division by a constant a product. What is exact needs no flag: division by a
    power of two, the powers 2 and 1/2.

    Rows of huge equal numbers stay uniform: a maximum is subtracted before anything is scaled, or,
    where one fma does both (in softmax and in a step of online softmax), with one rounding for all
    of a row. No subnormal result is lost without `ftz`, except in rows that hold an infinity, in a
    softmax of rows whose maximum is beyond 2**24, where results below 2**-86 may be, and in a step
    of online softmax of weights that only their sum and f16 are made of. In such a step the scaled
    maximum may be up to 2**27, and 2**25 if the scale is no power of two: beyond, the largest
    weight of a row is kept and others may be off by 2**-16, and by more at such a scale, with which
    the distance itself is rounded to units. Needs `legalize-elementwise`.
    """

    name = "approximate-math"

    bit_exact: ClassVar[bool] = False
    bound: ClassVar[str] = (
        "a relative 2**-19 per exp, 2**-17 beyond exp(22) and from exp(-22) to exp(-87) (to 2**-86 "
        "in a softmax of a maximum beyond 2**24), and in a step of online softmax 2**-16 and |g| "
        "2**-22 for a maximum g, the latter for all of a row alike; 2 ulp per division by a "
        "divisor from 2**-126 to 2**126; 2 ulp per rsqrt"
    )
    relative_error: ClassVar[float] = 2.0**-16

    def run_on(self, ctx: Context, op: Operation) -> None:
        rewrite(op, approximate)


def approximate(op: Operation) -> bool:
    """Replace one operation; whether there is a cheaper form of it."""
    pattern = _PATTERNS.get(type(op))
    if pattern is None or not is_float(element_of(op.results[0].type)):
        return False
    operands = list(op.operands)
    found = pattern(before(op), op)
    if found is None:
        return False
    replace(op, [found])
    for operand in operands:
        erase_unused(operand, is_side_effect_free)
    count(op.name.partition(".")[2])
    return True


def _flags(op: Any) -> tuple[str, ...]:
    return () if op.fastmath is None else op.fastmath.data


def _with_flag(op: Any, flag: str) -> tuple[str, ...]:
    return FastMathAttr((*_flags(op), flag)).data


def _maker(value: SSAValue) -> Any:
    return value.owner


def _full(w: Writer, number: float, like: SSAValue) -> SSAValue:
    """A number in the shape and type of a value."""
    return spread(w, w.scalar(number, like), shape_of(like.type))


def _narrow(value: SSAValue) -> SSAValue:
    """The value that a broadcast or splat repeats."""
    while isinstance(value.owner, ew.BroadcastOp | ew.SplatOp):
        value = _maker(value).source
    return value


def _number(value: SSAValue) -> FloatBitsAttr | None:
    """The number that all elements of a float value are."""
    found = constant_of(_narrow(value))
    return found if isinstance(found, FloatBitsAttr) else None


def _is_number(value: SSAValue, number: float | str) -> bool:
    found = _number(value)
    return found is not None and found == number_attr(number, element_of(value.type))


# Exponentials.


@dataclass
class _Distance:
    """What is known of x - g, where g is the maximum of x's row."""

    unbounded: SSAValue | None
    """i1, one for each row: where x - g may be any number, as g is 0 for an infinite maximum.
    Everywhere else it is at most 0, or NaN. None when that holds everywhere."""
    axis: int


def _distance(value: SSAValue) -> _Distance | None:
    """Whether a value is the distance of elements from the maximum of their row."""
    difference = _maker(value)
    if not isinstance(difference, ew.SubOp):
        return None
    x, g = difference.lhs, _narrow(difference.rhs)
    maximum = _maker(g)
    if _is_maximum(maximum, x):
        return _Distance(None, maximum.dimension)
    if not isinstance(maximum, ew.SelectOp) or not _is_number(maximum.if_true, 0):
        return None
    row = _maker(maximum.if_false)
    if not _is_maximum(row, x) or not _guards(maximum):
        return None
    return _Distance(maximum.condition, row.dimension)


def _guards(choice: ew.SelectOp) -> bool:
    """Whether a select takes its first operand where the second is infinite."""
    infinite = _maker(choice.condition)
    if not isinstance(infinite, ew.CmpOp) or infinite.predicate.keyword != "eq":
        return False
    magnitude = _maker(infinite.lhs)
    is_magnitude = isinstance(magnitude, ew.AbsOp) and magnitude.source is choice.if_false
    return is_magnitude and _is_number(infinite.rhs, "inf")


def _is_maximum(op: Any, x: SSAValue) -> bool:
    return isinstance(op, reductions.RowMaxOp | reductions.ColMaxOp) and op.source is x


def _exp(w: Writer, op: ew.ExpOp) -> SSAValue | None:
    """exp(d) is 2**(d * log2 e); moved up by 2**24, what is subnormal is a normal number."""
    if not op.has_flag("afn") or element_of(op.source.type) != f32:
        return None
    d = op.source
    power = _normalized_power(w, op)
    if power is not None:
        return power
    step = _step(d)
    if step is not None:
        remark(op, "exp of scores is exp2 with their scale folded in: licensed by afn")
        return _weights(w, op, step)
    if op.has_flag("ftz"):
        remark(op, "exp is exp2 that flushes subnormal numbers: licensed by afn, ftz")
        scaled = w.of(ew.MulOp, d, _full(w, LOG2_E, d), fastmath=_flags(op))
        return w.of(ew.Exp2Op, scaled, fastmath=_flags(op))
    distance = _distance(d)
    if distance is None:
        missed(
            op,
            "exp keeps its handling of subnormal results: the operand is no distance from "
            "the maximum of its row, and 'ftz' is not given",
        )
        return None
    remark(op, "exp of a distance from the row's maximum is exp2: licensed by afn")
    shift = _by_row(w, distance, 0, SHIFT, d)
    scaled = w.of(ew.FmaOp, d, _full(w, LOG2_E, d), shift)
    # The operand is at most about 24 and results below 2**-126 stand for what rounds to zero.
    power = w.of(ew.Exp2Op, scaled, fastmath=_with_flag(op, "ftz"))
    total = _row_sum(op, distance)
    if total is not None and op.result.has_one_use():
        _scale_sum(total, distance)
        return power
    inverses = None if total is None else _normalizations(op.result, total)
    if inverses is not None:
        _divide_normal(inverses)
        return power
    return w.of(ew.MulOp, power, _by_row(w, distance, 1, 2.0**-SHIFT, d))


HUGE = 2.0**30
"""Two different numbers from here on, one of them the larger in magnitude, are 128 apart."""


def _normalized_power(w: Writer, op: ew.ExpOp) -> SSAValue | None:
    """exp(x - g) of a softmax as 2**(x * log2 e - g * log2 e): one fma an element.

    The second product is rounded once a row, which is a factor of all the row's powers: it cancels
    between them and their sum. A maximum beyond 2**30 would make that factor overflow; elements
    that differ from it are 128 or more below, whose powers are 0 to any base, so that the base is 2
    there and the product exact.
    """
    difference = _maker(op.source)
    if not isinstance(difference, ew.SubOp) or not difference.has_flag("contract"):
        return None
    distance = _distance(op.source)
    total = None if distance is None else _row_sum(op, distance)
    inverses = None if total is None else _normalizations(op.result, total)
    if distance is None or inverses is None:
        return None
    remark(op, "exp of a softmax is exp2 of one fma: licensed by afn, contract")
    x, g = difference.lhs, _narrow(difference.rhs)
    ftz = ("ftz",) if op.has_flag("ftz") else ()
    moved = 0 if ftz else SHIFT
    if distance.unbounded is not None and moved:
        # Powers of any size must not be moved up, which this number in the place of 0 undoes.
        g = w.of(ew.SelectOp, distance.unbounded, _full(w, moved / LOG2_E, g), _maker(g).if_false)
    huge = w.of(ew.CmpOp, w.of(ew.AbsOp, g), _full(w, HUGE, g), predicate="gt")
    scale = w.of(ew.SelectOp, huge, _full(w, 1, g), _full(w, LOG2_E, g))
    negative = w.of(ew.NegOp, g)
    if moved:
        shift = w.of(ew.FmaOp, negative, scale, _full(w, moved, g))
    else:
        shift = w.of(ew.MulOp, negative, scale, fastmath=ftz)
    shape = shape_of(x.type)
    scaled = w.of(ew.FmaOp, x, spread(w, scale, shape), spread(w, shift, shape), fastmath=ftz)
    _divide_normal(inverses)
    return w.of(ew.Exp2Op, scaled, fastmath=_with_flag(op, "ftz"))


def _row_sum(op: ew.ExpOp, distance: _Distance) -> Any:
    """The one sum that a row's powers are added up in."""
    sums: list[Any] = [use.operation for use in op.result.uses if _is_sum(use.operation)]
    return sums[0] if len(sums) == 1 and sums[0].dimension == distance.axis else None


def _is_sum(op: Operation) -> bool:
    return isinstance(op, reductions.RowSumOp | reductions.ColSumOp)


def _by_row(
    w: Writer, distance: _Distance, unbounded: float, otherwise: float, like: SSAValue
) -> SSAValue:
    """A number for rows whose distances are not bounded and one for all others."""
    if distance.unbounded is None:
        return _full(w, otherwise, like)
    condition = distance.unbounded
    shape = shape_of(condition.type)
    numbers = [spread(w, w.scalar(n, like), shape) for n in (unbounded, otherwise)]
    return spread(w, w.of(ew.SelectOp, condition, *numbers), shape_of(like.type))


def _scale_sum(total: Any, distance: _Distance) -> None:
    """Take the shift back once a row, behind the sum."""
    after = total.next_op
    assert after is not None
    w = before(after)
    w.origin = total
    uses = list(total.result.uses)
    scale = _by_row(w, distance, 1, 2.0**-SHIFT, total.result)
    scaled = w.of(ew.MulOp, total.result, scale)
    for use in uses:
        use.operation.operands[use.index] = scaled


def _normalizations(power: SSAValue, total: Any) -> list[ew.DivOp] | None:
    """The reciprocals of the sum of some powers, when nothing but the ratio of the two is used:
    a factor of both cancels."""
    ratios: list[Operation] = []
    inverses: list[ew.DivOp] = []
    for use in total.result.uses:
        user = use.operation
        if isinstance(user, ew.BroadcastOp):
            ratios += _all_users(user.result, ew.DivOp, 1)
        elif isinstance(user, ew.DivOp) and use.index == 1:
            inverses.append(user)
            for spreading in user.result.uses:
                if not isinstance(spreading.operation, ew.BroadcastOp):
                    return None
                ratios += _all_users(spreading.operation.result, ew.MulOp, None)
        else:
            return None
    expected = {use.operation for use in power.uses} - {total}
    if set(ratios) != expected or not ratios or not all(_is_number(i.lhs, 1) for i in inverses):
        return None
    for ratio in ratios:
        if list(ratio.operands).count(power) != 1:
            return None
    return inverses


def _all_users(value: SSAValue, cls: type[Operation], position: int | None) -> list[Operation]:
    """The users of a value; itself as a mark when one is of another kind."""
    users: list[Operation] = []
    for use in value.uses:
        fits = isinstance(use.operation, cls) and position in (None, use.index)
        owner = value.owner
        assert isinstance(owner, Operation)
        users.append(use.operation if fits else owner)
    return users


def _divide_normal(inverses: list[ew.DivOp]) -> None:
    """The sum is 0, infinite, NaN or from 2**-64 to the row's length times 2**88: neither it nor
    its reciprocal is subnormal."""
    for inverse in inverses:
        inverse.properties["fastmath"] = FastMathAttr(_with_flag(inverse, "ftz"))


def _sigmoid(w: Writer, op: ew.SigmoidOp) -> SSAValue | None:
    """1 / (1 + 2**(-x * log2 e)): a subnormal power is lost in the sum with 1 in any case."""
    x = op.source
    if not op.has_flag("afn") or element_of(x.type) != f32:
        return None
    remark(op, "sigmoid is exp2 and a division: licensed by afn")
    flags = _flags(op)
    scaled = w.of(ew.MulOp, x, _full(w, -LOG2_E, x), fastmath=flags)
    power = w.of(ew.Exp2Op, scaled, fastmath=_with_flag(op, "ftz"))
    one = _full(w, 1, x)
    return w.of(ew.DivOp, one, w.of(ew.AddOp, one, power, fastmath=flags), fastmath=flags)


# A step of online softmax.


@dataclass
class _Step:
    """x * scale - g, with g the maximum of what came before, m, and of a row of x times scale, or 0
    where that is infinite. m and g have one number for each row."""

    x: SSAValue
    scale: Fraction
    m: SSAValue
    g: SSAValue
    axis: int

    @property
    def farthest(self) -> float:
        """The magnitude of g from which on its product with log2 e is rounded too much.

        Below it the largest weight of a row is off by a factor of 2**10 at most, which f16 holds.
        Numbers beyond 2**27 are 16 apart: with a scale that is a power of two, a score there is
        the maximum of its row or has a weight below exp(-16).
        """
        return 1.375 * 2**27 if self.scale.numerator.bit_count() == 1 else 2.0**25


def _step(value: SSAValue) -> _Step | None:
    """Whether a value is the distance of scaled scores from their running maximum."""
    distance = _maker(value)
    if not isinstance(distance, ew.FmaOp):
        return None
    x, scale = distance.operands[0], _scale(distance.operands[1])
    negated = _maker(_narrow(distance.operands[2]))
    if scale is None or not isinstance(negated, ew.NegOp):
        return None
    g = _narrow(negated.source)
    choice = _maker(g)
    if not isinstance(choice, ew.SelectOp) or not _is_number(choice.if_true, 0):
        return None
    largest = _maker(choice.if_false)
    if not _guards(choice) or not isinstance(largest, ew.MaxOp) or largest.propagate_nan:
        return None
    for position, operand in enumerate(largest.operands):
        product = _maker(operand)
        if not isinstance(product, ew.MulOp) or _scale(product.rhs) != scale:
            continue
        maximum = _maker(product.lhs)
        if _is_maximum(maximum, x):
            return _Step(x, scale, largest.operands[1 - position], g, maximum.dimension)
    return None


def _scale(value: SSAValue) -> Fraction | None:
    """The positive number of ordinary size that all elements of a value are."""
    number = _number(value)
    if number is None or is_special(number.bits.data, layout_of(number.type)):
        return None
    scale = exact_value(number.bits.data, layout_of(number.type))
    return scale if 2.0**-64 < scale < 2.0**64 else None


def _weights(w: Writer, op: ew.ExpOp, step: _Step) -> SSAValue:
    """exp(x * scale - g) is 2**(x * (scale * log2 e) - g * log2 e), by one fma.

    The product of g is rounded, and so all weights of a row are off by one factor, as if g were
    another number within a rounding of it. What came before is decayed from the rounded product of
    m to that of g: it then has the same factor, however often the maximum changes. Rows with a g
    too far from 0 for that keep the distance as it is, to the base of 2.

    A weight below 2**-126 is flushed to zero: as f16 it would be zero, and in a sum it is less than
    any rounding, since g is the maximum of what the sum is of, whose own weight is 1. Where weights
    are used in another type, `ftz` licenses that or they are moved up by 2**24 until the power is
    taken.
    """
    g = step.g
    owner = g.owner
    assert isinstance(owner, Operation)
    assert owner.next_op is not None
    row = before(owner.next_op)
    row.origin = op
    far = row.of(ew.CmpOp, row.of(ew.AbsOp, g), _full(row, step.farthest, g), predicate="ge")
    unit = row.of(ew.SelectOp, far, _full(row, 1, g), _full(row, LOG2_E, g))
    keeps = not op.has_flag("ftz") and _keeps_subnormal(op.result, step.axis)
    moved = _Distance(far, step.axis) if keeps else None
    shift = _full(row, 0, g) if moved is None else _by_row(row, moved, 0, SHIFT, g)
    start = row.of(ew.FmaOp, row.of(ew.NegOp, g), unit, shift)
    factor = row.of(ew.MulOp, unit, _full(row, float(step.scale), g))
    _decay(step, unit, shift, start)
    shape = shape_of(step.x.type)
    scaled = w.of(ew.FmaOp, step.x, spread(w, factor, shape), spread(w, start, shape))
    power = w.of(ew.Exp2Op, scaled, fastmath=_with_flag(op, "ftz"))
    if moved is None:
        return power
    return w.of(ew.MulOp, power, _by_row(w, moved, 1, 2.0**-SHIFT, power))


def _keeps_subnormal(weights: SSAValue, axis: int) -> bool:
    """Whether something may tell a weight below 2**-126 from zero."""
    for use in weights.uses:
        user = use.operation
        if _is_sum(user) and cast(Any, user).dimension == axis:
            continue
        if not isinstance(user, ew.CastOp) or element_of(user.result.type) != f16:
            return True
    return False


def _decay(step: _Step, unit: SSAValue, shift: SSAValue, start: SSAValue) -> None:
    """exp(m - g) from the products that the weights are taken from."""
    differences = [use.operation for use in step.m.uses if isinstance(use.operation, ew.SubOp)]
    for difference in differences:
        if difference.lhs is not step.m or difference.rhs is not step.g:
            continue
        for op in [use.operation for use in difference.result.uses]:
            if not isinstance(op, ew.ExpOp) or not op.has_flag("afn"):
                continue
            w = before(op)
            origin = w.of(ew.FmaOp, w.of(ew.NegOp, step.m), unit, shift)
            replace(op, [w.of(ew.Exp2Op, w.of(ew.SubOp, start, origin), fastmath=_flags(op))])
            count("exp")
            erase_unused(difference.result, is_side_effect_free)


# Divisions and powers.


def _div(w: Writer, op: ew.DivOp) -> SSAValue | None:
    divisor = _number(op.rhs)
    if divisor is not None:
        return _by_constant(w, op, divisor)
    if not op.has_flag("afn") or element_of(op.result.type) != f32:
        return None
    root = _narrow(op.rhs)
    maker = _maker(root)
    if isinstance(maker, ew.SqrtOp) and maker.has_flag("afn"):
        remark(op, "division by a square root is rsqrt: licensed by afn")
        inverse = w.of(ew.RsqrtOp, maker.source, fastmath=_flags(op))
    elif isinstance(op.rhs.owner, ew.BroadcastOp | ew.SplatOp):
        remark(op, "division by a value of each row is a product with its inverse: licensed by afn")
        one = _full(w, 1, root)
        inverse = w.of(ew.DivOp, one, root, fastmath=_flags(op))
    else:
        return None
    wide = spread(w, inverse, shape_of(op.result.type))
    if _is_number(op.lhs, 1):
        return wide
    return w.of(ew.MulOp, op.lhs, wide, fastmath=_flags(op))


def _by_constant(w: Writer, op: ew.DivOp, divisor: FloatBitsAttr) -> SSAValue | None:
    layout = layout_of(divisor.type)
    if is_special(divisor.bits.data, layout):
        return None
    value = exact_value(divisor.bits.data, layout)
    if not value:
        return None
    # Products and quotients by a power of two whose inverse is a number round the same real.
    inverse = Fraction(1) / value
    rounded = number_attr(cast(Any, inverse), divisor.type)
    assert isinstance(rounded, FloatBitsAttr)
    if is_special(rounded.bits.data, layout):
        return None
    if exact_value(rounded.bits.data, layout) != inverse:
        licensed = op.has_flag("afn") and divisor.type == f32
        if not licensed or not _is_ordinary(inverse):
            return None
        remark(op, "division by a constant is a product: licensed by afn")
    factor = spread(w, w.scalar(rounded, op.lhs), shape_of(op.result.type))
    return w.of(ew.MulOp, op.lhs, factor, fastmath=_flags(op))


def _is_ordinary(value: Fraction) -> bool:
    return abs(log2(abs(value))) < 126


def _pow(w: Writer, op: ew.PowOp) -> SSAValue | None:
    x = op.lhs
    if _is_number(op.rhs, 2):
        return w.of(ew.SquareOp, x, fastmath=_flags(op))
    if not _is_number(op.rhs, 0.5):
        return None
    # pow(-0, 1/2) is +0 and pow(-inf, 1/2) is +inf.
    root = w.of(ew.AddOp, w.of(ew.SqrtOp, x, fastmath=_flags(op)), _full(w, 0, x))
    least = w.of(ew.CmpOp, x, _full_word(w, "-inf", x), predicate="eq")
    return w.of(ew.SelectOp, least, _full_word(w, "inf", x), root)


def _full_word(w: Writer, word: str, like: SSAValue) -> SSAValue:
    return spread(w, w.scalar(number_attr(word, element_of(like.type)), like), shape_of(like.type))


Rewriting = Callable[[Writer, Any], SSAValue | None]
_PATTERNS: dict[type[Operation], Rewriting] = {
    ew.ExpOp: _exp,
    ew.SigmoidOp: _sigmoid,
    ew.DivOp: _div,
    ew.PowOp: _pow,
}
