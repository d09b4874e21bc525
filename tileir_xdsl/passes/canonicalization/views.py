"""Sizes of views that are known."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import tile_of, width_of
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import (
    DYNAMIC,
    PartitionViewType,
    TensorViewType,
)
from tileir_xdsl.dialects.cuda_tile.views import (
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    MakeTensorViewOp,
)
from tileir_xdsl.passes.canonicalization.build import splat
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


@rooted_at(GetTensorShapeOp)
def tensor_shape_of_made_view(op: GetTensorShapeOp, rewriter: PatternRewriter) -> Outcome:
    """An extent of a tensor view is the constant in its type, or the operand that made it."""
    view = op.src.type
    assert isinstance(view, TensorViewType)
    made = op.src.owner
    while isinstance(made, AssumeOp):
        made = made.value.owner
    dynamic = iter(made.dynamic_shape if isinstance(made, MakeTensorViewOp) else ())
    known: list[int | SSAValue | None] = [
        next(dynamic, None) if extent == DYNAMIC else extent for extent in view.get_shape()
    ]
    return _replace_known(op, known, rewriter)


@rooted_at(GetIndexSpaceShapeOp)
def index_space_of_static_view(op: GetIndexSpaceShapeOp, rewriter: PatternRewriter) -> Outcome:
    """The number of tiles along a dimension of static extent is a constant."""
    view = op.src.type
    if not isinstance(view, PartitionViewType):
        return None
    extents = view.get_tensor_view().get_shape()
    known: list[int | SSAValue | None] = [
        None if extents[dim] == DYNAMIC else -(-extents[dim] // tile)
        for dim, tile in zip(view.get_dim_map(), view.get_tile_shape(), strict=True)
    ]
    return _replace_known(op, known, rewriter)


def _replace_known(
    op: GetTensorShapeOp | GetIndexSpaceShapeOp,
    known: Sequence[int | SSAValue | None],
    rewriter: PatternRewriter,
) -> Outcome:
    changed = False
    for result, value in zip(op.results, known, strict=True):
        if result.first_use is None or value is None:
            continue
        if isinstance(value, int):
            if not _fits(value, result):
                continue
            value = rewriter.insert(splat(tile_of(result), value)).result
        if value.type != result.type:
            continue
        rewriter.replace_all_uses_with(result, value)
        changed = True
    return CHANGED if changed else None


def _fits(number: int, value: SSAValue) -> bool:
    """Whether a positive number is the same read signed and unsigned in a value's type."""
    return number < 1 << (width_of(value) - 1)
