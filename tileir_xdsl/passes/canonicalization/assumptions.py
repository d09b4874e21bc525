"""Chains of `assume`: what is implied goes, bounds merge, a contradiction is an error."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import constant_of, width_of
from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, Severity
from tileir_xdsl.dialects.cuda_tile.attributes import AssumePredicate, BoundedAttr, DivByAttr
from tileir_xdsl.dialects.cuda_tile.constants import signed
from tileir_xdsl.dialects.cuda_tile.core import ConstantOp
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.passes.patterns import Outcome, PatternList, fuse_locations

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


def chain_below(op: AssumeOp) -> Iterator[AssumeOp]:
    """The assumptions that an assumption is about, from the last one made."""
    inner = op.value.owner
    while isinstance(inner, AssumeOp):
        yield inner
        inner = inner.value.owner


@rooted_at(AssumeOp)
def assume_implied(op: AssumeOp, rewriter: PatternRewriter) -> Outcome:
    """What an earlier assumption of the chain implies, or a constant fulfils, goes."""
    if any(_implies(inner.predicate, op.predicate) for inner in chain_below(op)):
        return op.value
    elements = constant_of(op.value)
    if elements is None:
        return None
    bits = elements.bits()
    width = width_of(op.value)
    if isinstance(op.predicate, BoundedAttr):
        holds = all(_is_within(signed(b, width), op.predicate) for b in bits)
    elif isinstance(op.predicate, DivByAttr) and op.predicate.every_value is None:
        holds = all(b % op.predicate.divisor.data == 0 for b in bits)
    else:
        return None
    if holds:
        return op.value
    constant = op.value.owner
    assert isinstance(constant, ConstantOp)
    if constant.parent is op.parent:
        defined = Diagnostic(Severity.NOTE, "the constant is defined here", place_of(constant))
        raise DiagnosticError.at(
            f"assumption {_text(op.predicate)} is false: its value is constant",
            place_of(op),
            [defined],
        )
    return None


def _is_within(number: int, predicate: BoundedAttr) -> bool:
    low, high = predicate.lower_value, predicate.upper_value
    return (low is None or low <= number) and (high is None or number <= high)


def _implies(earlier: AssumePredicate, later: AssumePredicate) -> bool:
    if earlier == later:
        return True
    if isinstance(earlier, DivByAttr) and isinstance(later, DivByAttr):
        plain = earlier.every_value is None and later.every_value is None
        return plain and earlier.divisor.data % later.divisor.data == 0
    if isinstance(earlier, BoundedAttr) and isinstance(later, BoundedAttr):
        return _merged(earlier, later) == (earlier.lower_value, earlier.upper_value)
    return False


def _merged(a: BoundedAttr, b: BoundedAttr) -> tuple[int | None, int | None]:
    lows = [x for x in (a.lower_value, b.lower_value) if x is not None]
    highs = [x for x in (a.upper_value, b.upper_value) if x is not None]
    return max(lows, default=None), min(highs, default=None)


@rooted_at(AssumeOp)
def assume_stronger(op: AssumeOp, rewriter: PatternRewriter) -> Outcome:
    """An assumption takes the place of the one right before it that it implies, or merges with it.

    Bounds that leave nothing are an error when both stand in one block.
    """
    _check_bounds(op)
    inner = op.value.owner
    if not isinstance(inner, AssumeOp):
        return None
    if _merge(op.predicate, inner.predicate):
        return _assume(inner.value, _strongest(op.predicate, inner.predicate), op, inner)
    return None


def _contradict(a: BoundedAttr, b: BoundedAttr) -> bool:
    low, high = _merged(a, b)
    return low is not None and high is not None and low > high


def _assume(value: SSAValue, predicate: AssumePredicate, op: AssumeOp, inner: AssumeOp) -> AssumeOp:
    assumption = AssumeOp(value, predicate)
    fuse_locations(assumption, op, inner)
    return assumption


def _check_bounds(op: AssumeOp) -> None:
    """Raise when an earlier assumption of the chain leaves nothing within the bounds of `op`."""
    if not isinstance(op.predicate, BoundedAttr):
        return
    for inner in chain_below(op):
        if not isinstance(inner.predicate, BoundedAttr):
            continue
        # In another block it may stand where the program never gets to.
        if _contradict(op.predicate, inner.predicate) and inner.parent is op.parent:
            earlier = Diagnostic(
                Severity.NOTE, f"{_text(inner.predicate)} is assumed here", place_of(inner)
            )
            raise DiagnosticError.at(
                f"assumption {_text(op.predicate)} contradicts an earlier one",
                place_of(op),
                [earlier],
            )


def _text(predicate: AssumePredicate) -> str:
    return str(predicate).removeprefix("#cuda_tile.")


@rooted_at(AssumeOp)
def assume_merged_over_others(op: AssumeOp, rewriter: PatternRewriter) -> Outcome:
    """An assumption merges with one further back in its chain, over those of other kinds.

    The merged one stands where the later one was, so that nothing is assumed any earlier.
    """
    inner = op.value.owner
    if not isinstance(inner, AssumeOp) or not op.value.has_one_use():
        return None
    for below in chain_below(inner):
        if not below.result.has_one_use():
            return None
        if not _merge(op.predicate, below.predicate):
            continue
        rewriter.replace_all_uses_with(below.result, below.value)
        return _assume(op.value, _strongest(op.predicate, below.predicate), op, below)
    return None


def _merge(a: AssumePredicate, b: AssumePredicate) -> bool:
    """Whether one predicate says what both say, `_strongest`."""
    if isinstance(a, BoundedAttr) and isinstance(b, BoundedAttr):
        return not _contradict(a, b)
    return _implies(a, b)


def _strongest(a: AssumePredicate, b: AssumePredicate) -> AssumePredicate:
    if isinstance(a, BoundedAttr) and isinstance(b, BoundedAttr):
        return BoundedAttr.get(*_merged(a, b))
    return a
