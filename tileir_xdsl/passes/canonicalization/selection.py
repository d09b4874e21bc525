"""`select`, and comparisons that select an extremum."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import (
    element_of,
    is_splat,
    is_true,
    is_zero,
    splat_bits,
    width_of,
)
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    UNSIGNED,
    AndIOp,
    CmpIOp,
    MaxIOp,
    MinIOp,
    OrIOp,
    XOrIOp,
)
from tileir_xdsl.dialects.cuda_tile.conversions import ExtIOp
from tileir_xdsl.dialects.cuda_tile.core import SelectOp
from tileir_xdsl.passes.canonicalization.build import insert_constant_like
from tileir_xdsl.passes.canonicalization.integers import complement_of
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


@rooted_at(SelectOp)
def select_equal_arms(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(p, x, x)` is `x`."""
    return op.val_if_true if op.val_if_true is op.val_if_false else None


@rooted_at(SelectOp)
def select_by_constant(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """A condition that is all true or all false chooses an arm."""
    bits = splat_bits(op.cond)
    if bits is None:
        return None
    return op.val_if_true if bits else op.val_if_false


def _is_truth_value(op: SelectOp) -> bool:
    return element_of(op.result) == IntegerType(1)


@rooted_at(SelectOp)
def select_truth_values(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(p, true, x)` is `p | x`, `select(p, x, false)` is `p & x`, of i1 values."""
    if not _is_truth_value(op):
        return None
    if is_true(op.val_if_true) and is_zero(op.val_if_false):
        return op.cond
    if is_zero(op.val_if_true) and is_true(op.val_if_false):
        return XOrIOp(op.cond, op.val_if_false)
    if is_true(op.val_if_true):
        return OrIOp(op.cond, op.val_if_false)
    return AndIOp(op.cond, op.val_if_true) if is_zero(op.val_if_false) else None


@rooted_at(SelectOp)
def select_one_or_zero(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(p, 1, 0)` is `p` extended unsigned, `select(p, 0, 1)` is `p ^ true` extended."""
    if not isinstance(element_of(op.result), IntegerType) or width_of(op.result) == 1:
        return None
    unsigned = {"signedness": UNSIGNED}
    if is_splat(op.val_if_true, 1) and is_zero(op.val_if_false):
        return ExtIOp(op.cond, op.result.type, unsigned)
    if not is_zero(op.val_if_true) or not is_splat(op.val_if_false, 1):
        return None
    flipped = XOrIOp(op.cond, insert_constant_like(op.cond, 1, rewriter))
    return ExtIOp(rewriter.insert(flipped).result, op.result.type, unsigned)


@rooted_at(SelectOp)
def select_by_complement(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(p ^ true, x, y)` is `select(p, y, x)`."""
    condition = complement_of(op.cond)
    if condition is None:
        return None
    op.operands = [condition, op.val_if_false, op.val_if_true]
    rewriter.notify_op_modified(op)
    return CHANGED


@rooted_at(SelectOp)
def select_in_arm(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(p, select(p, x, y), z)` is `select(p, x, z)`; the same in the other arm."""
    first, second = op.val_if_true.owner, op.val_if_false.owner
    if isinstance(first, SelectOp) and first.cond is op.cond:
        return SelectOp(op.cond, first.val_if_true, op.val_if_false)
    if isinstance(second, SelectOp) and second.cond is op.cond:
        return SelectOp(op.cond, op.val_if_true, second.val_if_false)
    return None


@rooted_at(SelectOp)
def select_by_equality(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(x == y, x, y)` is `y`, `select(x != y, x, y)` is `x`, of integers."""
    comparison = op.cond.owner
    if not isinstance(comparison, CmpIOp) or not _compares_arms(comparison, op):
        return None
    predicate = comparison.comparison_predicate.keyword
    if predicate == "equal":
        return op.val_if_false
    return op.val_if_true if predicate == "not_equal" else None


def _compares_arms(comparison: CmpIOp, op: SelectOp) -> bool:
    return {comparison.lhs, comparison.rhs} == {op.val_if_true, op.val_if_false}


@rooted_at(SelectOp)
def select_extremum(op: SelectOp, rewriter: PatternRewriter) -> Outcome:
    """`select(x < y, x, y)` is `min(x, y)`, `select(x > y, x, y)` is `max(x, y)`, of integers."""
    comparison = op.cond.owner
    if not isinstance(comparison, CmpIOp) or not _compares_arms(comparison, op):
        return None
    predicate = comparison.comparison_predicate.keyword
    if predicate in ("equal", "not_equal"):
        return None
    takes_less = predicate.startswith("less_than") == (comparison.lhs is op.val_if_true)
    extremum = MinIOp if takes_less else MaxIOp
    properties = {"signedness": comparison.signedness}
    return extremum(op.val_if_true, op.val_if_false, properties=properties)
