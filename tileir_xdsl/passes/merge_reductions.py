"""`merge-reductions`: reductions of one shape as one, which goes through shared memory once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.analysis.constants import element_of, tile_of
from tileir_xdsl.analysis.effects import only_computes
from tileir_xdsl.dialects.cuda_tile import arithmetic as arith
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp
from tileir_xdsl.dialects.cuda_tile.types import bit_width
from tileir_xdsl.dialects.tile_sugar.types import is_integer
from tileir_xdsl.passes.choose_hints import DEFAULT_WARPS, stated_warps
from tileir_xdsl.passes.patterns import fuse_locations
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.sugar import SM_10X, targets_of
from tileir_xdsl.passes.tile_pass import TilePass

BITS_OF_A_WARP = 32 * 128
"""What a warp reads at once: a longer row is spread over several, which meet at barriers."""

REDUX_BITS = 32
"""The widest integers that a warp reduces in one instruction, when they come alone."""

PAIRWISE = SM_10X
"""Targets that add pairs of f32 and take maxima of three, in reductions that come alone."""

SUMS = range(256, 1024 + 1)
"""Columns of the sums for which the barriers saved are worth more there."""

EXTREMES = range(512, 1 << 31)
"""The same when one of the two is a maximum or minimum, which a warp ends in one instruction."""


@dataclass(frozen=True)
class MergeReductionsPass(TilePass):
    """Merges `reduce` operations of one shape and dimension that do not need each other.

    The second moves up to the first, with what it is computed from. Each result is combined in the
    order that it had. Only where it pays on all `target`s: in dimensions that are spread over
    several warps, which then meet at fewer barriers, and never for integers of 32 bits or less.
    On sm_100 only in blocks of several rows: for sums of 256 to 1024 columns, with f32 maxima or
    minima from 512 on. Needs `choose-hints`, which says how many warps there are.
    """

    name = "merge-reductions"

    target: str | tuple[str, ...] = "sm_90"

    def __post_init__(self) -> None:
        targets_of(self.target)

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                _merge_block(block, targets_of(self.target))
                for inner in list(block.ops):
                    self.run_on(ctx, inner)


def _merge_block(block: Block, targets: Sequence[str]) -> None:
    first = block.first_op
    while first is not None:
        if isinstance(first, core.ReduceOp):
            first = _merge_with_followers(first, targets)
        first = first.next_op


def _shape(op: core.ReduceOp) -> tuple[int, ...]:
    return tile_of(op.inputs[0]).get_shape()


def _merge_with_followers(first: core.ReduceOp, targets: Sequence[str]) -> core.ReduceOp:
    second = first.next_op
    while second is not None:
        following = second.next_op
        if isinstance(second, core.ReduceOp) and _fit(first, second):
            first = _merge_if_possible(first, second, targets)
        second = following
    return first


def _fit(first: core.ReduceOp, second: core.ReduceOp) -> bool:
    return _shape(first) == _shape(second) and first.fold_dim() == second.fold_dim()


def _merge_if_possible(
    first: core.ReduceOp, second: core.ReduceOp, targets: Sequence[str]
) -> core.ReduceOp:
    """One reduction for two; the first where that is impossible or does not pay."""
    needed = _computed_between(first, second)
    if needed is None:
        missed(second, "not merged with the reduction before it: it needs it or memory")
        return first
    for target in targets:
        reason = _why_not(first, second, target)
        if reason is not None:
            missed(second, f"not merged with the reduction before it: {reason}")
            return first
    return _merge(first, second, needed)


def _why_not(first: core.ReduceOp, second: core.ReduceOp, target: str) -> str | None:
    """Why two reductions are better than one on a target."""
    if not _has_barriers(first, target):
        return "no barrier to save, as each warp has all that it reduces"
    if any(map(_reduces_narrow_integers, (first, second))):
        return "alone they have instructions for integers"
    if target in PAIRWISE and f32 in (*_elements(first), *_elements(second)):
        extremes = any(map(_has_extremes, (first, second)))
        if not _pays_on_pairwise(first, EXTREMES if extremes else SUMS):
            return f"alone they have faster instructions on {target}"
    return None


def _has_barriers(op: core.ReduceOp, target: str) -> bool:
    """Whether the warps of a block, each with the elements that it reads at once, share results."""
    warps = _warps(op, target)
    bits = max(map(bit_width, _elements(op)))
    shape, dim = _shape(op), op.fold_dim()
    if dim == len(shape) - 1:
        return warps > 1 and shape[dim] * bits > BITS_OF_A_WARP
    return warps > 1 and prod(shape[dim + 1 :]) * bits < warps * BITS_OF_A_WARP


def _warps(op: core.ReduceOp, target: str) -> int:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, core.EntryOp):
        parent = parent.parent_op()
    stated = None if parent is None else stated_warps(parent, target)
    return DEFAULT_WARPS if stated is None else stated


def _pays_on_pairwise(op: core.ReduceOp, columns: range) -> bool:
    shape, dim = _shape(op), op.fold_dim()
    return dim == len(shape) - 1 and prod(shape[:-1]) > 1 and shape[-1] in columns


def _elements(op: core.ReduceOp) -> list[Attribute]:
    return [element_of(value) for value in op.inputs]


def _reduces_narrow_integers(op: core.ReduceOp) -> bool:
    integers = [bit_width(element) for element in _elements(op) if is_integer(element)]
    return any(bits <= REDUX_BITS for bits in integers)


def _has_extremes(op: core.ReduceOp) -> bool:
    return any(isinstance(inner, arith.MaxFOp | arith.MinFOp) for inner in op.body.walk())


def _computed_between(first: Operation, second: Operation) -> list[Operation] | None:
    """What `second` needs of the operations behind `first`, in order; None when that cannot move
    in front of `first`."""
    between: list[Operation] = []
    op = first.next_op
    while op is not None and op is not second:
        between.append(op)
        op = op.next_op
    needed: set[Operation] = set()
    worklist: list[SSAValue] = list(second.operands)
    while worklist:
        owner = worklist.pop().owner
        if owner is first:
            return None
        if not isinstance(owner, Operation) or owner in needed or owner not in between:
            continue
        if owner.regions or not only_computes(owner):
            return None
        needed.add(owner)
        worklist += owner.operands
    return [op for op in between if op in needed]


def _merge(first: core.ReduceOp, second: core.ReduceOp, needed: list[Operation]) -> core.ReduceOp:
    block = first.parent
    assert block is not None
    for op in needed:
        op.detach()
        block.insert_op_before(op, first)
    merged = core.ReduceOp(
        [*first.inputs, *second.inputs],
        first.fold_dim(),
        [*first.identity_values(), *second.identity_values()],
        _bodies(first, second),
    )
    fuse_locations(merged, first, second)
    block.insert_op_before(merged, first)
    old = [*first.results, *second.results]
    for result, new in zip(old, merged.results, strict=True):
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
    for op in (second, first):
        op.detach()
        op.erase()
    remark(merged, "two reductions are one")
    count("merged")
    return merged


def _bodies(first: core.ReduceOp, second: core.ReduceOp) -> Region:
    """The bodies one after the other, on their own arguments."""
    bodies = [first.body.block, second.body.block]
    block = Block(arg_types=[arg.type for body in bodies for arg in body.args])
    arguments = list(block.args)
    results: list[SSAValue] = []
    for body in bodies:
        values = dict[SSAValue, SSAValue](zip(body.args, arguments, strict=False))
        arguments = arguments[len(body.args) :]
        for op in body.ops:
            if isinstance(op, YieldOp):
                results += [values.get(value, value) for value in op.operands]
                break
            block.add_op(op.clone(value_mapper=values))
    block.add_op(YieldOp(*results))
    return Region(block)
