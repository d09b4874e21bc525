"""What operations do beside computing their results.

xDSL's `get_effects` knows nothing of `break`, `continue` and `return`: a loop with a `continue`
has unknown effects there, and an `if` around one would look removable if it had none.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

from tileir_xdsl.dialects.cuda_tile.control_flow import (
    BreakOp,
    ContinueOp,
    LoopOp,
    ReturnOp,
    target_loop,
)
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp


@cache
def has_no_effect(cls: type[Operation]) -> bool:
    """Whether operations of a class, apart from their regions, only compute their results.

    That includes `assume` and operations that are undefined for some operands: they can go when
    nobody uses them, but not everywhere else (`speculation`).
    """
    if issubclass(cls, AssumeOp):
        return True
    if cls.get_trait(IsTerminator) is not None or cls.get_trait(SymbolOpInterface) is not None:
        return False
    effects = cls.get_traits_of_type(MemoryEffect)
    return bool(effects) and all(isinstance(e, NoMemoryEffect) for e in effects)


@cache
def has_effects_of_regions(cls: type[Operation]) -> bool:
    """Whether the effects of operations of a class are those of what is in their regions."""
    return cls.get_trait(RecursiveMemoryEffect) is not None


def only_computes(op: Operation) -> bool:
    """Whether `op` with all it contains only computes its results, and surely ends."""
    cls = type(op)
    if has_no_effect(cls):
        return True
    if not has_effects_of_regions(cls):
        return False
    return not isinstance(op, LoopOp) and all(
        _computes_inside(inner, op) for inner in op.walk() if inner is not op
    )


@cache
def _only_passes_values(cls: type[Operation]) -> bool:
    """Whether operations of a class are terminators as `yield` is."""
    return cls.get_trait(IsTerminator) is not None and cls.get_trait(NoMemoryEffect) is not None


def _computes_inside(inner: Operation, op: Operation) -> bool:
    cls = type(inner)
    if has_no_effect(cls) or _only_passes_values(cls):
        return True
    if isinstance(inner, BreakOp | ContinueOp):
        target = target_loop(inner)
        return target is not None and op.is_ancestor(target)
    # A loop may not end; everything else without regions of its own has effects.
    return has_effects_of_regions(cls) and not isinstance(inner, LoopOp)


def is_dead(op: Operation) -> bool:
    """Whether nothing changes when `op` is removed: no result is used, and it only computes."""
    if op.parent is None:
        return False
    for result in op.results:
        if result.first_use is not None:
            return False
    return only_computes(op)


def leaves(op: Operation) -> bool:
    """Whether `op` contains a way out of itself: a `return`, or a jump to a loop around it."""
    for inner in op.walk():
        if isinstance(inner, ReturnOp):
            return True
        if isinstance(inner, BreakOp | ContinueOp):
            target = target_loop(inner)
            if target is None or not op.is_ancestor(target):
                return True
    return False
