"""`shift-multiply`: multiplications by powers of two become shifts."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import splat_bits
from tileir_xdsl.dialects.cuda_tile.arithmetic import NO_OVERFLOW_CLAIM, MulIOp, ShLIOp
from tileir_xdsl.passes.canonicalization.build import constant_like
from tileir_xdsl.passes.patterns import Outcome, PatternList, rewrite_greedily
from tileir_xdsl.passes.reporting import missed
from tileir_xdsl.passes.tile_pass import TilePass

PATTERNS = PatternList()


@PATTERNS.rooted_at(MulIOp)
def multiply_by_power_of_two(op: MulIOp, rewriter: PatternRewriter) -> Outcome:
    """`x * 2**k` is `x << k`."""
    factor = splat_bits(op.rhs)
    if factor is None or factor < 2 or factor & (factor - 1):
        return None
    if op.overflow != NO_OVERFLOW_CLAIM:
        missed(op, "not a shift: the promise about overflow would be lost")
        return None
    count = rewriter.insert(constant_like(op.rhs, factor.bit_length() - 1))
    return ShLIOp(op.lhs, count)


@dataclass(frozen=True)
class ShiftMultiplyPass(TilePass):
    """Multiplications by constant powers of two become shifts to the left.

    Exact. Leaves multiplications alone that promise not to overflow.
    """

    name = "shift-multiply"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            rewrite_greedily(region, PATTERNS.patterns)
