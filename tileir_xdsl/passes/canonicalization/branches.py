"""`if` and `assert`: known conditions, unused and equal results, branches that do nothing."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f4E2M1FN
from xdsl.ir import Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.constants import constant_of, is_true, is_zero, splat_bits, tile_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import XOrIOp
from tileir_xdsl.dialects.cuda_tile.control_flow import AssertOp, IfOp, YieldOp
from tileir_xdsl.dialects.cuda_tile.core import BroadcastOp, ConstantOp, ReshapeOp, SelectOp
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.passes.canonicalization.build import insert_constant_like
from tileir_xdsl.passes.canonicalization.integers import complement_of
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


@rooted_at(AssertOp)
def assert_truth(op: AssertOp, rewriter: PatternRewriter) -> Outcome:
    """An assertion of true goes."""
    if not is_true(op.condition):
        return None
    rewriter.erase(op)
    return CHANGED


@rooted_at(IfOp)
def if_constant(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """A known condition chooses a branch; what follows a branch that leaves goes too."""
    condition = splat_bits(op.condition)
    if condition is None:
        return None
    region = op.then_region if condition else op.else_region
    if not region.blocks:
        rewriter.erase(op)
        return CHANGED
    terminator = region.block.last_op
    assert terminator is not None
    if isinstance(terminator, YieldOp):
        results = list(terminator.operands)
        rewriter.erase(terminator)
        rewriter.inline_block(region.block, InsertPoint.before(op))
        return results
    erase_after(op, rewriter)
    rewriter.inline_block(region.block, InsertPoint.before(op))
    rewriter.erase(op)
    return CHANGED


def erase_after(op: Operation, rewriter: PatternRewriter) -> None:
    """Remove what follows `op` in its block, which is never reached."""
    block = op.parent
    assert block is not None
    while (last := block.last_op) is not None and last is not op:
        rewriter.erase(last)


@rooted_at(IfOp)
def if_unused_results(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """Results that nobody uses go."""
    kept = [k for k, result in enumerate(op.results) if result.first_use is not None]
    if len(kept) == len(op.results):
        return None
    for region in op.regions:
        terminator = region.block.last_op if region.blocks else None
        if isinstance(terminator, YieldOp):
            terminator.operands = [terminator.operands[k] for k in kept]
            rewriter.notify_op_modified(terminator)
    regions = [rewriter.move_region_contents_to_new_regions(region) for region in op.regions]
    smaller = IfOp(op.condition, [op.results[k].type for k in kept], *regions)
    smaller.attributes.update(op.attributes)
    rewriter.insert(smaller)
    for new, k in zip(smaller.results, kept, strict=True):
        rewriter.replace_all_uses_with(op.results[k], new)
    rewriter.erase(op)
    return CHANGED


@rooted_at(IfOp)
def if_equal_results(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """A result that is the same from every branch is that value, or the condition itself."""
    yields = [
        last
        for region in op.regions
        if region.blocks and isinstance(last := region.block.last_op, YieldOp)
    ]
    changed = False
    for k, result in enumerate(op.results):
        if result.first_use is None:
            continue
        common = _common_value(op, [y.operands[k] for y in yields], rewriter)
        if common is not None:
            rewriter.replace_all_uses_with(result, common)
            changed = True
    return CHANGED if changed else None


def _common_value(
    op: IfOp, values: Sequence[SSAValue], rewriter: PatternRewriter
) -> SSAValue | None:
    if not values:
        return None
    first = values[0]
    if all(value is first for value in values) and is_outside(first, op):
        return first
    constants = [constant_of(value) for value in values]
    if constants[0] is None:
        return None
    if all(constant == constants[0] for constant in constants):
        return rewriter.insert(ConstantOp(constants[0])).result
    if len(values) != 2 or first.type != op.condition.type:
        return None
    if is_true(values[0]) and is_zero(values[1]):
        return op.condition
    if is_zero(values[0]) and is_true(values[1]):
        true = insert_constant_like(op.condition, 1, rewriter)
        return rewriter.insert(XOrIOp(op.condition, true)).result
    return None


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined outside the regions of `op`."""
    owner = value.owner
    return not op.is_ancestor(owner)


@rooted_at(IfOp)
def if_complement(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """`if p ^ true` with both branches is `if p` with the branches swapped."""
    condition = complement_of(op.condition)
    if condition is None or not op.has_else:
        return None
    then_region, else_region = (
        rewriter.move_region_contents_to_new_regions(region) for region in op.regions
    )
    swapped = IfOp(condition, op.result_types, else_region, then_region)
    swapped.attributes.update(op.attributes)
    return swapped


def _only_ends(region: Region) -> YieldOp | None:
    """The `yield` of a region that holds nothing else."""
    first = region.block.first_op if region.blocks else None
    return first if isinstance(first, YieldOp) else None


@rooted_at(IfOp)
def if_empty_else(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """An else branch that does nothing goes, when there are no results."""
    if op.results or _only_ends(op.else_region) is None:
        return None
    then_region = rewriter.move_region_contents_to_new_regions(op.then_region)
    smaller = IfOp(op.condition, [], then_region)
    smaller.attributes.update(op.attributes)
    return smaller


@rooted_at(IfOp)
def if_to_select(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """An `if` that only chooses between values is a `select` for each result."""
    first, second = _only_ends(op.then_region), _only_ends(op.else_region)
    if first is None or second is None or not op.results:
        return None
    if not all(_can_be_selected(result) for result in op.results):
        return None
    conditions: dict[tuple[int, ...], SSAValue] = {(): op.condition}
    results: list[SSAValue] = []
    for a, b in zip(first.operands, second.operands, strict=True):
        shape = tile_of(a).get_shape()
        if shape not in conditions:
            conditions[shape] = _spread(op.condition, shape, rewriter)
        results.append(rewriter.insert(SelectOp(conditions[shape], a, b)).result)
    return results


def _can_be_selected(result: OpResult) -> bool:
    return isinstance(result.type, TileType) and result.type.element_type != f4E2M1FN


def _spread(condition: SSAValue, shape: Sequence[int], rewriter: PatternRewriter) -> SSAValue:
    ones = tile_of(condition).with_shape([1] * len(shape))
    single = rewriter.insert(ReshapeOp(condition, ones)).result
    return rewriter.insert(BroadcastOp(single, ones.with_shape(shape))).result


@rooted_at(IfOp)
def if_never_continues(op: IfOp, rewriter: PatternRewriter) -> Outcome:
    """When both branches leave, the else branch takes the place of what follows."""
    if not op.has_else:
        return None
    ends = [region.block.last_op for region in op.regions]
    if any(isinstance(end, YieldOp) for end in ends):
        return None
    erase_after(op, rewriter)
    then_region, else_region = (
        rewriter.move_region_contents_to_new_regions(region) for region in op.regions
    )
    smaller = rewriter.insert(IfOp(op.condition, [], then_region))
    smaller.attributes.update(op.attributes)
    rewriter.inline_block(else_region.block, InsertPoint.before(op))
    rewriter.erase(op)
    return CHANGED
