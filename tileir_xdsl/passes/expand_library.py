"""`expand-library`: library operations as the operations that define them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation

from tileir_xdsl.dialects.tile_sugar.elementwise import AddOp
from tileir_xdsl.dialects.tile_sugar.expansion import accumulating_dot, expansion_of
from tileir_xdsl.passes.reporting import count
from tileir_xdsl.passes.sugar import before, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class ExpandLibraryPass(TilePass):
    """Replaces library operations of `tile_sugar` by the operations that define them.

    Softmax and its relatives, norms, masks, `topk`, means and variances, argument reductions,
    `cumsum`, `gather_tile`, `tile_dot`, `axpy`; `ordered` reductions and products become loops,
    and `acc + dot(a, b)` with one use a product with an accumulator. Shapes stay as they are.
    """

    name = "expand-library"

    def run_on(self, ctx: Context, op: Operation) -> None:
        rewrite(op, expand)


def expand(op: Operation) -> bool:
    """Expand an operation; whether it had an expansion."""
    expansion = expansion_of(op)
    if expansion is None:
        return False
    dot = accumulating_dot(op) if isinstance(op, AddOp) else None
    replace(op, expansion(before(op), op))
    if dot is not None:
        dot.detach()
        dot.erase()
    count(op.name.partition(".")[2])
    return True
