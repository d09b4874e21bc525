"""`split-rows`: rows in parts of their columns, so that each lies in one warp."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.passes.reporting import missed
from tileir_xdsl.passes.row_parts import ACCESS, RowsInParts
from tileir_xdsl.passes.sugar import operations, targets_of
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class SplitRowsPass(TilePass):
    """Computes rows of up to eight times `width` columns in parts, so that each lies in one warp.

    tileiras spreads longer rows over several warps, whose reductions meet in shared memory, with
    barriers. Parts are combined element by element, and what is left is reduced within the warp.
    Sums of floats keep their order: their parts are reduced before they are combined.

    Only in kernels that reduce such rows, four or a multiple of four a block, one for each warp.
    All their long rows must be made by elementwise operations, reductions, loops, and accesses that
    begin at constant columns; what all rows share is not read from memory. Remarks name the
    obstacle. `target` is the GPU, or several. Needs `legalize-elementwise`.
    """

    name = "split-rows"

    width: int = ACCESS
    target: str | tuple[str, ...] = "sm_90"

    def __post_init__(self) -> None:
        targets_of(self.target)
        if not is_power_of_two(self.width):
            raise ValueError(f"width must be a power of two, but is {self.width}")

    def run_on(self, ctx: Context, op: Operation) -> None:
        for kernel in operations(op.regions):
            if isinstance(kernel, KernelOp):
                self._split(kernel)

    def _split(self, kernel: KernelOp) -> None:
        rows = RowsInParts(kernel, self.width, targets_of(self.target))
        if not rows.reduced:
            return
        obstacle = rows.obstacle()
        if obstacle is None:
            rows.split(reassociate=False)
            return
        op, reason = obstacle
        missed(op, f"long rows stay whole: {reason}")
