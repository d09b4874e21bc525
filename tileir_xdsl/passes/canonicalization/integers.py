"""Integer identities. All hold modulo two to the width, or drop an overflow that is undefined."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import (
    constant_of,
    is_all_ones,
    is_splat,
    is_zero,
    splat_bits,
    splat_integer,
    width_of,
)
from tileir_xdsl.analysis.ranges import range_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    NO_OVERFLOW_CLAIM,
    SIGNED,
    AbsIOp,
    AddIOp,
    AndIOp,
    CmpFOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulhiIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    ShLIOp,
    ShRIOp,
    SubIOp,
    XOrIOp,
)
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonPredicate,
    ComparisonPredicateAttr,
    IntegerOverflow,
)
from tileir_xdsl.dialects.cuda_tile.conversions import ExtIOp
from tileir_xdsl.passes.canonicalization.build import (
    constant_like,
    insert_constant_like,
    with_properties,
)
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


# Order of operands.


COMMUTATIVE_INTEGERS = (AddIOp, MulIOp, AndIOp, OrIOp, XOrIOp, MulhiIOp, MaxIOp, MinIOp)


@rooted_at(*COMMUTATIVE_INTEGERS)
def integer_constant_to_the_right(op: Operation, rewriter: PatternRewriter) -> Outcome:
    """`c + x` is `x + c`, for all commutative integer operations."""
    lhs, rhs = op.operands
    if constant_of(lhs) is None or constant_of(rhs) is not None:
        return None
    op.operands = [rhs, lhs]
    rewriter.notify_op_modified(op)
    return CHANGED


MIRRORED = {
    "equal": ComparisonPredicate.EQUAL,
    "not_equal": ComparisonPredicate.NOT_EQUAL,
    "less_than": ComparisonPredicate.GREATER_THAN,
    "less_than_or_equal": ComparisonPredicate.GREATER_THAN_OR_EQUAL,
    "greater_than": ComparisonPredicate.LESS_THAN,
    "greater_than_or_equal": ComparisonPredicate.LESS_THAN_OR_EQUAL,
}
"""The predicate that holds for (b, a) when a predicate holds for (a, b)."""


@rooted_at(CmpIOp, CmpFOp)
def comparison_constant_to_the_right(op: CmpIOp | CmpFOp, rewriter: PatternRewriter) -> Outcome:
    """`c < x` is `x > c`."""
    lhs, rhs = op.operands
    if constant_of(lhs) is None or constant_of(rhs) is not None:
        return None
    op.operands = [rhs, lhs]
    op.comparison_predicate = ComparisonPredicateAttr(MIRRORED[op.comparison_predicate.keyword])
    rewriter.notify_op_modified(op)
    return CHANGED


# Sums.


@rooted_at(AddIOp, SubIOp)
def add_zero(op: AddIOp | SubIOp, rewriter: PatternRewriter) -> Outcome:
    """`x + 0` and `x - 0` are `x`."""
    return op.lhs if is_zero(op.rhs) else None


@rooted_at(SubIOp)
def subtract_itself(op: SubIOp, rewriter: PatternRewriter) -> Outcome:
    """`x - x` is 0, of integers."""
    return constant_like(op.result, 0) if op.lhs is op.rhs else None


@rooted_at(SubIOp)
def subtract_from_zero(op: SubIOp, rewriter: PatternRewriter) -> Outcome:
    """`0 - x` is `-x`."""
    return NegIOp(op.rhs) if is_zero(op.lhs) else None


def _claims_nothing(*operations: AddIOp | SubIOp | MulIOp | ShLIOp) -> bool:
    return all(op.overflow == NO_OVERFLOW_CLAIM for op in operations)


@rooted_at(AddIOp)
def add_constants(op: AddIOp, rewriter: PatternRewriter) -> Outcome:
    """`(x + c) + d` is `x + (c + d)`, where no promise about overflow would be lost."""
    inner = op.lhs.owner
    outer = splat_bits(op.rhs)
    if outer is None or not isinstance(inner, AddIOp) or not _claims_nothing(op, inner):
        return None
    constant = splat_bits(inner.rhs)
    if constant is None:
        return None
    return AddIOp(inner.lhs, insert_constant_like(op.result, constant + outer, rewriter))


@rooted_at(AddIOp)
def add_negated(op: AddIOp, rewriter: PatternRewriter) -> Outcome:
    """`x + (-y)` and `(-y) + x` are `x - y`."""
    for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        negation = other.owner
        if isinstance(negation, NegIOp) and _claims_nothing(op):
            return SubIOp(kept, negation.source)
    return None


@rooted_at(SubIOp)
def subtract_negated(op: SubIOp, rewriter: PatternRewriter) -> Outcome:
    """`x - (-y)` is `x + y`."""
    negation = op.rhs.owner
    if isinstance(negation, NegIOp) and _claims_nothing(op):
        return AddIOp(op.lhs, negation.source)
    return None


@rooted_at(NegIOp)
def negate_twice(op: NegIOp, rewriter: PatternRewriter) -> Outcome:
    """`-(-x)` is `x`."""
    inner = op.source.owner
    return inner.source if isinstance(inner, NegIOp) else None


@rooted_at(AbsIOp)
def absolute_of_sign_free(op: AbsIOp, rewriter: PatternRewriter) -> Outcome:
    """`abs(abs(x))` is `abs(x)`, and so is `abs(-x)`."""
    inner = op.source.owner
    if isinstance(inner, AbsIOp):
        return op.source
    return AbsIOp(inner.source) if isinstance(inner, NegIOp) else None


# Products and quotients.


@rooted_at(MulIOp)
def multiply_by_one(op: MulIOp, rewriter: PatternRewriter) -> Outcome:
    """`x * 1` is `x`."""
    return op.lhs if is_splat(op.rhs, 1) else None


@rooted_at(MulIOp, AndIOp)
def multiply_by_zero(op: MulIOp | AndIOp, rewriter: PatternRewriter) -> Outcome:
    """`x * 0` and `x & 0` are 0."""
    return op.rhs if is_zero(op.rhs) else None


@rooted_at(MulIOp)
def multiply_constants(op: MulIOp, rewriter: PatternRewriter) -> Outcome:
    """`(x * c) * d` is `x * (c * d)`."""
    inner = op.lhs.owner
    outer = splat_bits(op.rhs)
    if outer is None or not isinstance(inner, MulIOp) or not _claims_nothing(op, inner):
        return None
    constant = splat_bits(inner.rhs)
    if constant is None:
        return None
    return MulIOp(inner.lhs, insert_constant_like(op.result, constant * outer, rewriter))


@rooted_at(MulIOp)
def multiply_extended_constants(op: MulIOp, rewriter: PatternRewriter) -> Outcome:
    """`extend(x * c) * d` is `extend(x) * (c * d)`, where `x * c` promises not to overflow."""
    extension = op.lhs.owner
    outer = splat_bits(op.rhs)
    if outer is None or not isinstance(extension, ExtIOp) or not _claims_nothing(op):
        return None
    inner = extension.from_.owner
    signed = extension.signedness == SIGNED
    promise = IntegerOverflow.NO_SIGNED_WRAP if signed else IntegerOverflow.NO_UNSIGNED_WRAP
    if not isinstance(inner, MulIOp) or inner.overflow.data not in (
        promise,
        IntegerOverflow.NO_WRAP,
    ):
        return None
    constant = splat_integer(inner.rhs) if signed else splat_bits(inner.rhs)
    if constant is None:
        return None
    signedness = with_properties(extension, "signedness")
    wide = rewriter.insert(ExtIOp(inner.lhs, op.result.type, signedness))
    return MulIOp(wide.to, insert_constant_like(op.result, constant * outer, rewriter))


@rooted_at(MulhiIOp)
def high_half_of_small_product(op: MulhiIOp, rewriter: PatternRewriter) -> Outcome:
    """The high half of `x * 0` and `x * 1` is 0."""
    return constant_like(op.result, 0) if splat_bits(op.y) in (0, 1) else None


@rooted_at(DivIOp)
def divide_by_one(op: DivIOp, rewriter: PatternRewriter) -> Outcome:
    """`x / 1` is `x`."""
    return op.lhs if is_splat(op.rhs, 1) else None


@rooted_at(DivIOp)
def divide_by_itself(op: DivIOp, rewriter: PatternRewriter) -> Outcome:
    """`x / x` is 1: for 0 it is undefined."""
    return constant_like(op.result, 1) if op.lhs is op.rhs else None


@rooted_at(RemIOp)
def remainder_of_multiple(op: RemIOp, rewriter: PatternRewriter) -> Outcome:
    """`x % 1` and `x % x` are 0."""
    if op.lhs is op.rhs or is_splat(op.rhs, 1):
        return constant_like(op.result, 0)
    return None


# Bits.


@rooted_at(AndIOp, OrIOp)
def same_operand_twice(op: AndIOp | OrIOp, rewriter: PatternRewriter) -> Outcome:
    """`x & x` and `x | x` are `x`."""
    return op.lhs if op.lhs is op.rhs else None


@rooted_at(MaxIOp, MinIOp)
def extremum_of_itself(op: MaxIOp | MinIOp, rewriter: PatternRewriter) -> Outcome:
    """`max(x, x)` and `min(x, x)` are `x`, of integers."""
    return op.lhs if op.lhs is op.rhs else None


@rooted_at(OrIOp, XOrIOp)
def combine_with_no_bits(op: OrIOp | XOrIOp, rewriter: PatternRewriter) -> Outcome:
    """`x | 0` and `x ^ 0` are `x`."""
    return op.lhs if is_zero(op.rhs) else None


@rooted_at(AndIOp)
def and_with_all_bits(op: AndIOp, rewriter: PatternRewriter) -> Outcome:
    """`x & ~0` is `x`."""
    return op.lhs if is_all_ones(op.rhs) else None


@rooted_at(OrIOp)
def or_with_all_bits(op: OrIOp, rewriter: PatternRewriter) -> Outcome:
    """`x | ~0` is `~0`."""
    return op.rhs if is_all_ones(op.rhs) else None


@rooted_at(XOrIOp)
def exclusive_or_with_itself(op: XOrIOp, rewriter: PatternRewriter) -> Outcome:
    """`x ^ x` is 0."""
    return constant_like(op.result, 0) if op.lhs is op.rhs else None


@rooted_at(AndIOp, OrIOp, XOrIOp)
def combine_masks(op: AndIOp | OrIOp | XOrIOp, rewriter: PatternRewriter) -> Outcome:
    """`(x & c) & d` is `x & (c & d)`; the same for `|` and `^`."""
    inner = op.lhs.owner
    outer = splat_bits(op.rhs)
    if outer is None or not isinstance(inner, AndIOp | OrIOp | XOrIOp):
        return None
    constant = splat_bits(inner.rhs)
    if constant is None or type(inner) is not type(op):
        return None
    merged = {AndIOp: constant & outer, OrIOp: constant | outer, XOrIOp: constant ^ outer}
    mask = insert_constant_like(op.result, merged[type(op)], rewriter)
    return type(op)(inner.lhs, mask)


def complement_of(value: SSAValue) -> SSAValue | None:
    """x when the value is `x ^ ~0`."""
    owner = value.owner
    if isinstance(owner, XOrIOp) and is_all_ones(owner.rhs):
        return owner.lhs
    return None


@rooted_at(AndIOp, OrIOp, XOrIOp)
def combine_with_complement(op: AndIOp | OrIOp | XOrIOp, rewriter: PatternRewriter) -> Outcome:
    """`x & ~x` is 0; `x | ~x` and `x ^ ~x` are `~0`."""
    if complement_of(op.lhs) is not op.rhs and complement_of(op.rhs) is not op.lhs:
        return None
    return constant_like(op.result, 0 if isinstance(op, AndIOp) else -1)


# Shifts.


@rooted_at(ShLIOp, ShRIOp)
def shift_by_zero(op: ShLIOp | ShRIOp, rewriter: PatternRewriter) -> Outcome:
    """A shift by 0 changes nothing."""
    return op.lhs if is_zero(op.rhs) else None


@rooted_at(ShLIOp, ShRIOp)
def shift_of_zero(op: ShLIOp | ShRIOp, rewriter: PatternRewriter) -> Outcome:
    """0 shifted is 0."""
    return op.lhs if is_zero(op.lhs) else None


@rooted_at(ShLIOp, ShRIOp)
def shift_twice(op: ShLIOp | ShRIOp, rewriter: PatternRewriter) -> Outcome:
    """Two shifts in one direction by constants are one, when their sum is a shift count."""
    inner = op.lhs.owner
    outer = splat_bits(op.rhs)
    if outer is None or not isinstance(inner, ShLIOp | ShRIOp) or type(inner) is not type(op):
        return None
    constant = splat_bits(inner.rhs)
    width = width_of(op.result)
    if constant is None or max(constant, outer) >= width or constant + outer >= width:
        return None
    if isinstance(op, ShRIOp) and isinstance(inner, ShRIOp) and op.signedness != inner.signedness:
        return None
    if isinstance(op, ShLIOp) and isinstance(inner, ShLIOp) and not _claims_nothing(op, inner):
        return None
    count = insert_constant_like(op.result, constant + outer, rewriter)
    if isinstance(op, ShRIOp):
        return ShRIOp(inner.lhs, count, properties={"signedness": op.signedness})
    return ShLIOp(inner.lhs, count)


# Minimum and maximum.


def _limits(op: MaxIOp | MinIOp | CmpIOp, value: SSAValue) -> tuple[int, int]:
    """The bits of the least and the greatest number in the operation's signedness."""
    width = width_of(value)
    if op.signedness == SIGNED:
        return 1 << (width - 1), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


@rooted_at(MaxIOp, MinIOp)
def extremum_with_limit(op: MaxIOp | MinIOp, rewriter: PatternRewriter) -> Outcome:
    """`max(x, least)` is `x`, `max(x, greatest)` is the greatest; `min` the other way round."""
    least, greatest = _limits(op, op.result)
    neutral, absorbing = (least, greatest) if isinstance(op, MaxIOp) else (greatest, least)
    if is_splat(op.rhs, neutral):
        return op.lhs
    return op.rhs if is_splat(op.rhs, absorbing) else None


@rooted_at(MaxIOp, MinIOp)
def nested_integer_extrema(op: MaxIOp | MinIOp, rewriter: PatternRewriter) -> Outcome:
    """`max(max(x, c), d)` is `max(x, max(c, d))`; `max(max(x, y), x)` is `max(x, y)`."""
    for inner_value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        inner = inner_value.owner
        if type(inner) is not type(op) or not isinstance(inner, MaxIOp | MinIOp):
            continue
        if inner.signedness != op.signedness:
            continue
        if other is inner.lhs or other is inner.rhs:
            return inner.result
        is_signed = op.signedness == SIGNED
        constant = splat_integer(inner.rhs, is_signed=is_signed)
        outer = splat_integer(other, is_signed=is_signed)
        if constant is None or outer is None:
            continue
        choose = max if isinstance(op, MaxIOp) else min
        limit = insert_constant_like(op.result, choose(constant, outer), rewriter)
        return type(op)(inner.lhs, limit, properties={"signedness": op.signedness})
    return None


# Comparisons.

_HOLDS_FOR_EQUAL = ("equal", "less_than_or_equal", "greater_than_or_equal")


@rooted_at(CmpIOp)
def compare_with_itself(op: CmpIOp, rewriter: PatternRewriter) -> Outcome:
    """`x == x` and `x <= x` are true, `x < x` is false."""
    if op.lhs is not op.rhs:
        return None
    return constant_like(op.result, int(op.comparison_predicate.keyword in _HOLDS_FOR_EQUAL))


@rooted_at(CmpIOp)
def compare_truth_value(op: CmpIOp, rewriter: PatternRewriter) -> Outcome:
    """`x == true` is `x` of an i1, `x == false` is `x ^ true`; `!=` the other way round."""
    if width_of(op.lhs) != 1:
        return None
    bits = splat_bits(op.rhs)
    predicate = op.comparison_predicate.keyword
    if bits is None or predicate not in ("equal", "not_equal"):
        return None
    if (bits == 1) == (predicate == "equal"):
        return op.lhs
    return XOrIOp(op.lhs, insert_constant_like(op.lhs, 1, rewriter))


@rooted_at(CmpIOp)
def compare_by_range(op: CmpIOp, rewriter: PatternRewriter) -> Outcome:
    """A comparison that the ranges of its operands decide, e.g. unsigned `x < 0`."""
    is_signed = op.signedness == SIGNED
    lhs = range_of(op.lhs).bounds(is_signed)
    rhs = range_of(op.rhs).bounds(is_signed)
    decided = _decide(op.comparison_predicate.keyword, lhs, rhs)
    return None if decided is None else constant_like(op.result, int(decided))


def _decide(predicate: str, lhs: tuple[int, int], rhs: tuple[int, int]) -> bool | None:
    if predicate in ("greater_than", "greater_than_or_equal"):
        return _decide(MIRRORED[predicate].value, rhs, lhs)
    if predicate == "less_than":
        return _ordered(lhs[1] < rhs[0], lhs[0] >= rhs[1])
    if predicate == "less_than_or_equal":
        return _ordered(lhs[1] <= rhs[0], lhs[0] > rhs[1])
    apart = lhs[1] < rhs[0] or rhs[1] < lhs[0]
    same = lhs[0] == lhs[1] == rhs[0] == rhs[1]
    if not apart and not same:
        return None
    return same if predicate == "equal" else apart


def _ordered(surely: bool, never: bool) -> bool | None:
    return True if surely else False if never else None
