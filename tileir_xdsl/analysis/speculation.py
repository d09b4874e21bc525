"""Where operations may be moved to: what is undefined for some operands must not run more often."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.traits import AlwaysSpeculatable, RecursiveMemoryEffect

from tileir_xdsl.analysis.constants import splat_integer, tile_of, width_of
from tileir_xdsl.analysis.effects import leaves, only_computes
from tileir_xdsl.analysis.ranges import is_never_zero, range_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    NO_OVERFLOW_CLAIM,
    SIGNED,
    DivIOp,
    RemIOp,
    ShLIOp,
    ShRIOp,
)
from tileir_xdsl.dialects.cuda_tile.control_flow import AssertOp, ForOp, LoopOp
from tileir_xdsl.dialects.cuda_tile.conversions import FToIOp
from tileir_xdsl.dialects.cuda_tile.core import ExtractOp, InsertOp
from tileir_xdsl.dialects.cuda_tile.views import MakeTensorViewOp


def is_speculatable(op: Operation) -> bool:
    """Whether `op` is defined and only computes whatever its operands are, as far as is known.

    Beside those that always are, an operation is when the ranges of its operands exclude what it
    is undefined for.
    """
    if not only_computes(op):
        return False
    if isinstance(op, DivIOp | RemIOp):
        return _divides_safely(op)
    if isinstance(op, ShLIOp | ShRIOp):
        return _claims_nothing(op) and _upper_bound(op.rhs) < width_of(op.rhs)
    if isinstance(op, FToIOp):
        return op.saturating is not None
    if isinstance(op, ExtractOp | InsertOp):
        return _indices_inside(op)
    if isinstance(op, MakeTensorViewOp):
        sizes = (*op.dynamic_shape, *op.dynamic_strides)
        return all(range_of(size).signed[0] >= 0 for size in sizes)
    if isinstance(op, ForOp) and (splat_integer(op.step) or 0) <= 0:
        return False
    if op.has_trait(RecursiveMemoryEffect, value_if_unregistered=False):
        blocks = (block for region in op.regions for block in region.blocks)
        return all(_speculatable_inside(inner) for block in blocks for inner in block.ops)
    always = op.has_trait(AlwaysSpeculatable, value_if_unregistered=False)
    return always and _claims_nothing(op)


def _speculatable_inside(inner: Operation) -> bool:
    return inner.next_op is None or is_speculatable(inner)


def _claims_nothing(op: Operation) -> bool:
    return op.properties.get("overflow", NO_OVERFLOW_CLAIM) == NO_OVERFLOW_CLAIM


def _upper_bound(value: SSAValue) -> int:
    return range_of(value).unsigned[1]


def _divides_safely(op: DivIOp | RemIOp) -> bool:
    if not is_never_zero(op.rhs):
        return False
    if op.signedness != SIGNED:
        return True
    width = width_of(op.rhs)
    minus_one, least = (1 << width) - 1, 1 << (width - 1)
    return not range_of(op.rhs).contains(minus_one) or not range_of(op.lhs).contains(least)


def _indices_inside(op: ExtractOp | InsertOp) -> bool:
    whole, part = (op.source, op.result) if isinstance(op, ExtractOp) else (op.result, op.source)
    sizes = zip(tile_of(whole).get_shape(), tile_of(part).get_shape(), strict=True)
    return all(
        _upper_bound(index) < extent // size
        for index, (extent, size) in zip(op.indices, sizes, strict=True)
    )


def runs_at_least_once(loop: ForOp | LoopOp) -> bool:
    """Whether a loop that is reached surely starts its first iteration."""
    if isinstance(loop, LoopOp):
        return True
    is_signed = loop.unsigned_cmp is None
    _, greatest_start = range_of(loop.lower_bound).bounds(is_signed)
    least_end, _ = range_of(loop.upper_bound).bounds(is_signed)
    return greatest_start < least_end


def may_stop(op: Operation) -> bool:
    """Whether what follows `op` in its block may not be reached."""
    if isinstance(op, AssertOp | LoopOp) or leaves(op):
        return True
    return any(isinstance(inner, AssertOp | LoopOp) for inner in op.walk())
