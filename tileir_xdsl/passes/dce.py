"""`dce`: removes operations whose results nobody uses."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation, Region

from tileir_xdsl.analysis.effects import is_dead
from tileir_xdsl.passes.reporting import count
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class DeadCodeEliminationPass(TilePass):
    """Removes operations that only compute results which nobody uses.

    That includes assumptions nobody builds on, and `for`, `if`, `reduce` and `scan` whose bodies
    only compute. Keeps every access to memory, assertion, print and jump, and every `loop`, which
    may not end.
    """

    name = "dce"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            remove_dead(region)


def remove_dead(region: Region) -> bool:
    """Remove the dead operations in `region`; whether there were any.

    One walk from the last operation to the first: users go before what they use.
    """
    changed = False
    for block in region.blocks:
        for op in reversed(list(block.ops)):
            if is_dead(op):
                block.erase_op(op)
                count("removed")
                changed = True
                continue
            for inner in op.regions:
                changed |= remove_dead(inner)
    return changed
