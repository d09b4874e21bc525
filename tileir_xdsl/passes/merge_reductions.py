"""`merge-reductions`: reductions of one shape as one, which goes through shared memory once."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.analysis.effects import only_computes
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.passes.patterns import fuse_locations
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.tile_pass import TilePass

SHORTEST = 256
"""Elements of a reduced dimension from which on it is spread over several warps."""


@dataclass(frozen=True)
class MergeReductionsPass(TilePass):
    """Merges `reduce` operations of one shape and dimension that do not need each other.

    The second moves up to the first, with what it is computed from. Each result is combined in the
    order that it had. Only dimensions of 256 elements or more: shorter ones lie in one warp, where
    there is no barrier to save.
    """

    name = "merge-reductions"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                _merge_block(block)
                for inner in list(block.ops):
                    self.run_on(ctx, inner)


def _merge_block(block: Block) -> None:
    first = block.first_op
    while first is not None:
        if isinstance(first, core.ReduceOp) and _is_long(first):
            first = _merge_with_followers(first)
        first = first.next_op


def _is_long(op: core.ReduceOp) -> bool:
    return _shape(op)[op.fold_dim()] >= SHORTEST


def _shape(op: core.ReduceOp) -> tuple[int, ...]:
    type = op.inputs[0].type
    assert isinstance(type, TileType)
    return tuple(type.get_shape())


def _merge_with_followers(first: core.ReduceOp) -> core.ReduceOp:
    second = first.next_op
    while second is not None:
        following = second.next_op
        if isinstance(second, core.ReduceOp) and _fit(first, second):
            needed = _computed_between(first, second)
            if needed is None:
                missed(second, "not merged with the reduction before it: it needs it or memory")
            else:
                first = _merge(first, second, needed)
        second = following
    return first


def _fit(first: core.ReduceOp, second: core.ReduceOp) -> bool:
    return _shape(first) == _shape(second) and first.fold_dim() == second.fold_dim()


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
