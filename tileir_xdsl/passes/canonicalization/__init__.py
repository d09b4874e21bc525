"""The patterns of `canonicalize`, by what they are about.

Each is a function from a matched operation to what replaces it (`tileir_xdsl.passes.patterns`).
All are exact: what a program computes, any NaN taken for any other, stays the same bits.
"""

from __future__ import annotations

from functools import cache, lru_cache

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from tileir_xdsl.passes.patterns import Pattern, PatternSet


@lru_cache(maxsize=1)
def canonicalization_patterns() -> tuple[Pattern, ...]:
    """All patterns; of one operation, those that remove it come before those that change it."""
    from tileir_xdsl.passes.canonicalization import (
        assumptions,
        branches,
        casts,
        floats,
        folding,
        integers,
        loops,
        selection,
        shapes,
        tokens,
        views,
    )

    modules = (
        folding,
        integers,
        floats,
        casts,
        selection,
        shapes,
        branches,
        loops,
        tokens,
        assumptions,
        views,
    )
    return tuple(pattern for module in modules for pattern in module.PATTERNS.patterns)


@cache
def patterns_rooted_at(cls: type[Operation]) -> tuple[RewritePattern, ...]:
    """The patterns of one class of operations, as one pattern of xDSL's."""
    patterns = [p for p in canonicalization_patterns() if cls in p.roots]
    return (PatternSet(patterns, remove_dead=False),) if patterns else ()
