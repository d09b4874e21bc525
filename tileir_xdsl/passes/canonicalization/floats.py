"""Float identities that hold for every value in IEEE 754 terms: zeros keep their signs.

None holds under `flush_to_zero` where it would skip the flush, and those that depend on the
rounding say on which. What does not hold is not here: `x + 0` is not `x` for -0 (unless rounding
down), `x - x` is not 0 for infinities, `x * 0` not 0 for NaN, `max(x, -inf)` not `x` for NaN.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import constant_of, is_splat, splat_bits, width_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    IEEE_MODES,
    AbsFOp,
    AddFOp,
    CeilOp,
    CmpFOp,
    DivFOp,
    FloorOp,
    FmaOp,
    MaxFOp,
    MinFOp,
    MulFOp,
    NegFOp,
    SubFOp,
    element_type,
)
from tileir_xdsl.dialects.cuda_tile.attributes import RoundingModeAttr
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.conversions import IToFOp
from tileir_xdsl.dialects.cuda_tile.core import ConstantOp
from tileir_xdsl.dialects.cuda_tile.literals import LAYOUTS, is_nan
from tileir_xdsl.numerics import FLOAT_FORMATS
from tileir_xdsl.passes.canonicalization.build import constant_like, with_properties
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at

RoundedOp = AddFOp | SubFOp | MulFOp | DivFOp | FmaOp
ROUNDED = ("rounding_mode", "flush_to_zero")


def _mode(op: RoundedOp) -> str:
    mode: RoundingModeAttr = op.rounding_mode
    return mode.keyword


def _flushes(op: Operation) -> bool:
    return "flush_to_zero" in op.properties


def _bits_of(value: SSAValue, number: float) -> int:
    """The bits of a power of two, with its sign, or of a zero in a value's format."""
    fmt = FLOAT_FORMATS[layout_name(value)]
    magnitude = abs(number)
    negative = str(number).startswith("-")
    bits = 0
    if magnitude:
        exponent = magnitude.hex().partition("p")[2]
        bits = (int(exponent) + fmt.bias) << fmt.mantissa_bits
    return bits | (1 << (fmt.width - 1) if negative else 0)


def layout_name(value: SSAValue) -> str:
    element = element_type(value)
    assert element is not None
    return element.name


def is_float(value: SSAValue, number: float) -> bool:
    """Whether a value is a splat of zero or a power of two, sign included."""
    return is_splat(value, _bits_of(value, number))


@rooted_at(AddFOp, MulFOp, MaxFOp, MinFOp, FmaOp)
def float_constant_to_the_right(op: Operation, rewriter: PatternRewriter) -> Outcome:
    """`c * x` is `x * c`, for all commutative float operations and the product of an `fma`."""
    lhs, rhs, *rest = op.operands
    if constant_of(lhs) is None or constant_of(rhs) is not None:
        return None
    op.operands = [rhs, lhs, *rest]
    rewriter.notify_op_modified(op)
    return CHANGED


@rooted_at(MulFOp, DivFOp)
def multiply_float_by_one(op: MulFOp | DivFOp, rewriter: PatternRewriter) -> Outcome:
    """`x * 1` and `x / 1` are `x`, in every exact rounding."""
    if _flushes(op) or _mode(op) not in IEEE_MODES:
        return None
    return op.lhs if is_float(op.rhs, 1.0) else None


@rooted_at(MulFOp, DivFOp)
def multiply_float_by_minus_one(op: MulFOp | DivFOp, rewriter: PatternRewriter) -> Outcome:
    """`x * -1` and `x / -1` are `-x`, in every exact rounding."""
    if _flushes(op) or _mode(op) not in IEEE_MODES:
        return None
    return NegFOp(op.lhs) if is_float(op.rhs, -1.0) else None


@rooted_at(AddFOp, SubFOp)
def add_neutral_zero(op: AddFOp | SubFOp, rewriter: PatternRewriter) -> Outcome:
    """`x - 0` and `x + -0` are `x`; rounding down it is `x + 0` and `x - -0`."""
    if _flushes(op):
        return None
    negative = isinstance(op, AddFOp)
    if _mode(op) == "negative_inf":
        negative = not negative
    return op.lhs if is_float(op.rhs, -0.0 if negative else 0.0) else None


@rooted_at(SubFOp)
def subtract_from_negative_zero(op: SubFOp, rewriter: PatternRewriter) -> Outcome:
    """`-0 - x` is `-x`, unless rounding down."""
    if _flushes(op) or _mode(op) == "negative_inf":
        return None
    return NegFOp(op.rhs) if is_float(op.lhs, -0.0) else None


@rooted_at(NegFOp)
def negate_float_twice(op: NegFOp, rewriter: PatternRewriter) -> Outcome:
    """`-(-x)` is `x`."""
    inner = op.source.owner
    return inner.source if isinstance(inner, NegFOp) else None


@rooted_at(AbsFOp)
def absolute_of_float_sign(op: AbsFOp, rewriter: PatternRewriter) -> Outcome:
    """`abs(abs(x))` is `abs(x)`, and so is `abs(-x)`."""
    inner = op.source.owner
    if isinstance(inner, AbsFOp):
        return op.source
    return AbsFOp(inner.source) if isinstance(inner, NegFOp) else None


@rooted_at(AddFOp, SubFOp)
def add_negated_float(op: AddFOp | SubFOp, rewriter: PatternRewriter) -> Outcome:
    """`x + (-y)` is `x - y`, `(-x) + y` is `y - x`, `x - (-y)` is `x + y`."""
    properties = with_properties(op, *ROUNDED)
    negation = op.rhs.owner
    if isinstance(negation, NegFOp):
        other = SubFOp if isinstance(op, AddFOp) else AddFOp
        return other(op.lhs, negation.source, properties=properties)
    negation = op.lhs.owner
    if isinstance(op, AddFOp) and isinstance(negation, NegFOp):
        return SubFOp(op.rhs, negation.source, properties=properties)
    return None


@rooted_at(MulFOp, DivFOp, FmaOp)
def product_of_negated(op: MulFOp | DivFOp | FmaOp, rewriter: PatternRewriter) -> Outcome:
    """`(-x) * (-y)` is `x * y`; the same for `/` and for the product of an `fma`."""
    a, b = op.lhs.owner, op.rhs.owner
    if not isinstance(a, NegFOp) or not isinstance(b, NegFOp) or _mode(op) not in IEEE_MODES:
        return None
    op.operands = [a.source, b.source, *op.operands[2:]]
    rewriter.notify_op_modified(op)
    return CHANGED


@rooted_at(MulFOp, DivFOp)
def multiply_negated_by_constant(op: MulFOp | DivFOp, rewriter: PatternRewriter) -> Outcome:
    """`(-x) * c` is `x * (-c)`; the same for `/`."""
    negation = op.lhs.owner
    bits = splat_bits(op.rhs)
    if bits is None or not isinstance(negation, NegFOp) or _mode(op) not in IEEE_MODES:
        return None
    if not negation.result.has_one_use():
        return None
    negated = bits ^ (1 << (width_of(op.rhs) - 1))
    constant = rewriter.insert(constant_like(op.rhs, negated)).result
    return type(op)(negation.source, constant, properties=with_properties(op, *ROUNDED))


@rooted_at(DivFOp)
def divide_by_power_of_two(op: DivFOp, rewriter: PatternRewriter) -> Outcome:
    """`x / c` is `x * (1 / c)` when `c` is a power of two whose reciprocal is normal."""
    bits = splat_bits(op.rhs)
    if bits is None or _mode(op) not in IEEE_MODES:
        return None
    fmt = FLOAT_FORMATS[layout_name(op.rhs)]
    mantissa = bits & ((1 << fmt.mantissa_bits) - 1)
    exponent = bits >> fmt.mantissa_bits & ((1 << fmt.exponent_bits) - 1)
    reciprocal = 2 * fmt.bias - exponent
    if mantissa or not 0 < exponent or not 0 < reciprocal < (1 << fmt.exponent_bits) - 1:
        return None
    sign = bits >> (fmt.width - 1) << (fmt.width - 1)
    inverse = constant_like(op.rhs, sign | reciprocal << fmt.mantissa_bits)
    properties = with_properties(op, *ROUNDED)
    return MulFOp(op.lhs, rewriter.insert(inverse).result, properties=properties)


@rooted_at(FmaOp)
def fma_by_one(op: FmaOp, rewriter: PatternRewriter) -> Outcome:
    """`fma(x, 1, c)` is `x + c`."""
    if not is_float(op.rhs, 1.0):
        return None
    return AddFOp(op.lhs, op.acc, properties=with_properties(op, *ROUNDED))


@rooted_at(FmaOp)
def fma_of_neutral_zero(op: FmaOp, rewriter: PatternRewriter) -> Outcome:
    """`fma(x, y, -0)` is `x * y`; rounding down it is `fma(x, y, 0)`."""
    zero = 0.0 if _mode(op) == "negative_inf" else -0.0
    if not is_float(op.acc, zero):
        return None
    return MulFOp(op.lhs, op.rhs, properties=with_properties(op, *ROUNDED))


@rooted_at(FloorOp, CeilOp)
def round_integral(op: FloorOp | CeilOp, rewriter: PatternRewriter) -> Outcome:
    """`floor` and `ceil` of `floor(x)`, `ceil(x)` and of a converted integer change nothing."""
    return op.source if isinstance(op.source.owner, FloorOp | CeilOp | IToFOp) else None


# Minimum and maximum.


def _propagates(op: MaxFOp | MinFOp) -> bool:
    return op.propagate_nan is not None


@rooted_at(MaxFOp, MinFOp)
def float_extremum_of_itself(op: MaxFOp | MinFOp, rewriter: PatternRewriter) -> Outcome:
    """`max(x, x)` and `min(x, x)` are `x`."""
    return op.lhs if op.lhs is op.rhs and not _flushes(op) else None


def _infinity(value: SSAValue, negative: bool) -> int:
    fmt = FLOAT_FORMATS[layout_name(value)]
    bits = ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits
    return bits | (1 << (fmt.width - 1) if negative else 0)


@rooted_at(MaxFOp, MinFOp)
def float_extremum_with_infinity(op: MaxFOp | MinFOp, rewriter: PatternRewriter) -> Outcome:
    """`max(x, -inf)` is `x` where NaN propagates, `max(x, inf)` is `inf` where it does not."""
    is_max = isinstance(op, MaxFOp)
    if _propagates(op):
        neutral = _infinity(op.rhs, negative=is_max)
        return op.lhs if is_splat(op.rhs, neutral) and not _flushes(op) else None
    absorbing = _infinity(op.rhs, negative=not is_max)
    return op.rhs if is_splat(op.rhs, absorbing) else None


def _splat_is_nan(value: SSAValue) -> bool:
    bits = splat_bits(value)
    return bits is not None and is_nan(bits, LAYOUTS[layout_name(value)])


@rooted_at(MaxFOp, MinFOp)
def float_extremum_with_nan(op: MaxFOp | MinFOp, rewriter: PatternRewriter) -> Outcome:
    """`max(x, NaN)` is `x` where NaN does not propagate."""
    if _propagates(op) or _flushes(op):
        return None
    return op.lhs if _splat_is_nan(op.rhs) else None


def _same_extremum(a: MaxFOp | MinFOp, b: MaxFOp | MinFOp) -> bool:
    return type(a) is type(b) and _propagates(a) == _propagates(b) and _flushes(a) == _flushes(b)


@rooted_at(MaxFOp, MinFOp)
def nested_float_extrema(op: MaxFOp | MinFOp, rewriter: PatternRewriter) -> Outcome:
    """`max(max(x, c), d)` is `max(x, max(c, d))`; `max(max(x, y), x)` is `max(x, y)`."""
    for inner_value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        inner = inner_value.owner
        if not isinstance(inner, MaxFOp | MinFOp) or not _same_extremum(op, inner):
            continue
        if other is inner.lhs or other is inner.rhs:
            return inner.result
        limit = _combined_limit(op, inner.rhs, other)
        if limit is None:
            continue
        constant = rewriter.insert(ConstantOp(limit)).result
        properties = with_properties(op, "propagate_nan", "flush_to_zero")
        return type(op)(inner.lhs, constant, properties=properties)
    return None


def _combined_limit(
    op: MaxFOp | MinFOp, first: SSAValue, second: SSAValue
) -> DenseElementsAttr | None:
    """The extremum of two splats that are no NaN."""
    from tileir_xdsl.passes.canonicalization.evaluate import evaluate

    a, b = constant_of(first), constant_of(second)
    if a is None or b is None or not a.is_splat or not b.is_splat:
        return None
    if _splat_is_nan(first) or _splat_is_nan(second):
        return None
    return evaluate(op, [a, b])


# Comparisons.


@rooted_at(CmpFOp)
def compare_float_with_itself(op: CmpFOp, rewriter: PatternRewriter) -> Outcome:
    """`x < x` and `x != x` are false if ordered; `x <= x` and `x == x` are true if unordered."""
    if op.lhs is not op.rhs:
        return None
    ordered = op.comparison_ordering.keyword == "ordered"
    holds = op.comparison_predicate.keyword in (
        "equal",
        "less_than_or_equal",
        "greater_than_or_equal",
    )
    return constant_like(op.result, int(holds)) if holds != ordered else None


@rooted_at(CmpFOp)
def compare_with_nan(op: CmpFOp, rewriter: PatternRewriter) -> Outcome:
    """A comparison with NaN is false if ordered and true if unordered."""
    if not _splat_is_nan(op.rhs):
        return None
    return constant_like(op.result, int(op.comparison_ordering.keyword == "unordered"))
