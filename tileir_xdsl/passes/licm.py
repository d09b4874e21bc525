"""`licm`: operations that compute the same in every iteration, computed once before the loop."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation, Region

from tileir_xdsl.analysis.effects import only_computes
from tileir_xdsl.analysis.liveness import values_from_outside
from tileir_xdsl.analysis.speculation import is_speculatable, may_stop, runs_at_least_once
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, LoopOp
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class LoopInvariantCodeMotionPass(TilePass):
    """Moves what a `for` or `loop` computes anew in each iteration in front of it.

    An operation moves when it only computes, uses nothing defined in the loop, and is defined
    whatever its operands are; what may be undefined (a division, a shift, an `assume`, a sum that
    promises not to overflow) moves only when the ranges of its operands exclude that, or when the
    loop surely gets there. Goes from inner loops to outer ones. Never moves accesses to memory,
    and never out of an `if`.
    """

    name = "licm"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            hoist_from(region)


def hoist_from(region: Region) -> None:
    """Hoist out of all loops in a region, inner ones first."""
    for block in region.blocks:
        for op in list(block.ops):
            for inner in op.regions:
                hoist_from(inner)
            if isinstance(op, ForOp | LoopOp):
                _hoist_out_of(op)


def _hoist_out_of(loop: ForOp | LoopOp) -> None:
    parent = loop.parent
    assert parent is not None
    reached = runs_at_least_once(loop)
    # In order, so that what an operation uses has moved before it.
    for op in list(loop.region.block.ops):
        if _is_invariant(op, loop):
            if reached or is_speculatable(op):
                op.detach()
                parent.insert_ops_before([op], loop)
                count("hoisted")
                remark(op, f"hoisted out of '{loop.name}'")
                continue
            missed(op, f"not hoisted: undefined for some operands, and '{loop.name}' may not run")
        reached = reached and not may_stop(op)


def _is_invariant(op: Operation, loop: Operation) -> bool:
    if op.next_op is None or not only_computes(op):
        return False
    return not any(loop.is_ancestor(value.owner) for value in values_from_outside(op))
