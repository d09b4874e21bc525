"""`clear-fastmath`: takes the licences of fast-math flags back."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation

from tileir_xdsl.dialects.tile_sugar.attributes import FastMathAttr
from tileir_xdsl.dialects.tile_sugar.base import TileSugarOp
from tileir_xdsl.passes.reporting import count, remark
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class ClearFastmathPass(TilePass):
    """Removes `fastmath<..>` from all operations of `tile_sugar`: what follows is exact.

    An approximate operation becomes the exact one, so results may differ within what the flags
    allowed.
    """

    name = "clear-fastmath"
    bit_exact = False
    bound = "what `afn` and `ftz` allowed"
    relative_error = 1e-6

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in op.walk():
            flags = inner.properties.get("fastmath")
            if isinstance(inner, TileSugarOp) and isinstance(flags, FastMathAttr):
                del inner.properties["fastmath"]
                remark(
                    inner, f"{inner.mnemonic()} is exact: not licensed by {', '.join(flags.data)}"
                )
                count("cleared")
