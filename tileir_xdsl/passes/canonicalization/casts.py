"""Chains of conversions that lose nothing in between."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import width_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    NO_OVERFLOW_CLAIM,
    SIGNED,
    UNSIGNED,
    element_type,
)
from tileir_xdsl.dialects.cuda_tile.conversions import (
    FTOF_WIDENING,
    BitcastOp,
    ExtIOp,
    FToFOp,
    FToIOp,
    IntToPtrOp,
    IToFOp,
    PtrToIntOp,
    PtrToPtrOp,
    TruncIOp,
    ftof_modes,
)
from tileir_xdsl.passes.canonicalization.build import with_properties
from tileir_xdsl.passes.patterns import Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


@rooted_at(BitcastOp)
def bitcast_chain(op: BitcastOp, rewriter: PatternRewriter) -> Outcome:
    """A bitcast of a bitcast is one; one to the type that it had is none."""
    inner = op.source.owner
    if op.source.type == op.result.type:
        return op.source
    return BitcastOp(inner.source, op.result.type) if isinstance(inner, BitcastOp) else None


@rooted_at(ExtIOp)
def extension_chain(op: ExtIOp, rewriter: PatternRewriter) -> Outcome:
    """Two extensions are one: both of one signedness, or first unsigned."""
    inner = op.from_.owner
    if not isinstance(inner, ExtIOp):
        return None
    if inner.signedness != op.signedness and inner.signedness != UNSIGNED:
        return None
    return ExtIOp(inner.from_, op.to.type, {"signedness": inner.signedness})


@rooted_at(TruncIOp)
def truncation_chain(op: TruncIOp, rewriter: PatternRewriter) -> Outcome:
    """Two truncations are one, which promises what both promise."""
    inner = op.from_.owner
    if not isinstance(inner, TruncIOp):
        return None
    overflow = op.overflow if op.overflow == inner.overflow else NO_OVERFLOW_CLAIM
    return TruncIOp(inner.from_, op.to.type, {"overflow": overflow})


@rooted_at(TruncIOp)
def truncation_of_extension(op: TruncIOp, rewriter: PatternRewriter) -> Outcome:
    """A truncated extension is the source, or one truncation or extension of it."""
    inner = op.from_.owner
    if not isinstance(inner, ExtIOp):
        return None
    source = inner.from_
    if source.type == op.to.type:
        return source
    if width_of(source) < width_of(op.to):
        return ExtIOp(source, op.to.type, {"signedness": inner.signedness})
    return TruncIOp(source, op.to.type)


@rooted_at(FToFOp)
def float_conversion_after_widening(op: FToFOp, rewriter: PatternRewriter) -> Outcome:
    """A float converted after a widening that is exact is converted from the narrow format."""
    inner = op.from_.owner
    if not isinstance(inner, FToFOp):
        return None
    source, middle = _names(inner)
    _, target = _names(op)
    if middle not in FTOF_WIDENING.get(source, ()):
        return None
    if source == target:
        # Conversions to f8 saturate: back in f8E5M2, infinities are the largest numbers.
        return None if source == "f8E5M2" else inner.from_
    if op.rounding_mode.keyword not in ftof_modes(source, target):
        return None
    return FToFOp(inner.from_, op.to.type, with_properties(op, "rounding_mode"))


def _names(op: FToFOp) -> tuple[str, str]:
    source, target = element_type(op.from_), element_type(op.to)
    assert source is not None
    assert target is not None
    return source.name, target.name


@rooted_at(FToIOp)
def integer_conversion_after_widening(op: FToIOp, rewriter: PatternRewriter) -> Outcome:
    """A float converted to an integer after an exact widening is converted from the narrow one."""
    inner = op.from_.owner
    if not isinstance(inner, FToFOp):
        return None
    source, middle = _names(inner)
    if middle not in FTOF_WIDENING.get(source, ()):
        return None
    return FToIOp(
        inner.from_, op.to.type, with_properties(op, "signedness", "rounding_mode", "saturating")
    )


@rooted_at(IToFOp)
def float_conversion_of_extension(op: IToFOp, rewriter: PatternRewriter) -> Outcome:
    """An extended integer converted to a float is converted from the narrow integer."""
    inner = op.from_.owner
    if not isinstance(inner, ExtIOp) or not _is_wire_integer(inner):
        return None
    if inner.signedness == SIGNED and op.signedness != SIGNED:
        return None
    properties = with_properties(op, "rounding_mode")
    return IToFOp(inner.from_, op.to.type, {**properties, "signedness": inner.signedness})


def _is_wire_integer(op: ExtIOp) -> bool:
    """Whether `itof` takes the source: it has no i4."""
    return element_type(op.from_) != IntegerType(4)


# Pointers.


@rooted_at(PtrToPtrOp)
def pointer_conversion_chain(op: PtrToPtrOp, rewriter: PatternRewriter) -> Outcome:
    """Pointers converted twice are converted once, or not at all."""
    if op.source.type == op.result.type:
        return op.source
    inner = op.source.owner
    if isinstance(inner, PtrToPtrOp):
        return PtrToPtrOp(inner.source, op.result.type)
    return IntToPtrOp(inner.source, op.result.type) if isinstance(inner, IntToPtrOp) else None


@rooted_at(PtrToIntOp)
def address_of_converted_pointer(op: PtrToIntOp, rewriter: PatternRewriter) -> Outcome:
    """The address of a pointer made from an integer is that; the pointee does not matter."""
    inner = op.source.owner
    if isinstance(inner, IntToPtrOp):
        return inner.source
    return PtrToIntOp(inner.source, op.result.type) if isinstance(inner, PtrToPtrOp) else None


@rooted_at(IntToPtrOp)
def pointer_of_address(op: IntToPtrOp, rewriter: PatternRewriter) -> Outcome:
    """A pointer made from the address of a pointer is that pointer, converted if need be."""
    inner = op.source.owner
    if not isinstance(inner, PtrToIntOp):
        return None
    if inner.source.type == op.result.type:
        return inner.source
    return PtrToPtrOp(inner.source, op.result.type)
