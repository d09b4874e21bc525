"""`canonicalize`: the simplest form of everything, by exact rewrites."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Operation

from tileir_xdsl.passes.canonicalization import canonicalization_patterns
from tileir_xdsl.passes.dce import remove_dead
from tileir_xdsl.passes.patterns import rewrite_greedily
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class CanonicalizePass(TilePass):
    """Rewrites operations into simpler ones until no pattern applies.

    Folds operations on constants whose results are exactly specified, applies identities that hold
    for every value, shortens chains of casts, shapes, tokens and assumptions, removes branches and
    loops whose course is known, and what nobody uses. Constants come last among operands.

    Guarantees the same bits in every result, any NaN taken for any other; a second run changes
    nothing. Never reassociates or contracts float arithmetic, never introduces an operation that
    is undefined where the program was defined. Contradictory bounds in assumptions are an error.
    """

    name = "canonicalize"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            rewrite_greedily(region, canonicalization_patterns(), after_walk=remove_dead)
