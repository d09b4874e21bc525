"""What `legalize-version` rewrites, by what it is about.

Each legalization has the version that introduced what it rewrites: it applies when an older one is
asked for. All give the same results but those that are marked approximate.
"""

from __future__ import annotations

from functools import cache

from tileir_xdsl.passes.legalization.rules import Legalization


@cache
def legalizations() -> tuple[Legalization, ...]:
    """All of them, in the order in which they are tried."""
    from tileir_xdsl.passes.legalization import claims, numbers, regroup, views

    modules = (claims, numbers, regroup, views)
    return tuple(rule for module in modules for rule in module.LEGALIZATIONS.rules)
