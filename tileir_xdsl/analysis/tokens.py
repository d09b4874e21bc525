"""The order that tokens give to memory operations."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.memory import JoinTokensOp, MakeTokenOp

TOKEN_ORDERED: tuple[type[CudaTileOp], ...] = tuple(
    op
    for op in OPERATIONS
    if "token" in dict(op.get_irdl_definition().operands)
    and "result_token" in dict(op.get_irdl_definition().results)
)
"""The operations that wait for a token and give one."""

MAX_STEPS = 64
"""Tokens that are followed to see what comes before: beyond, nothing is known."""


def token_of(op: Operation) -> SSAValue | None:
    """The token that a memory operation waits for."""
    return getattr(op, "token", None) if isinstance(op, TOKEN_ORDERED) else None


def predecessors_of(token: SSAValue) -> list[SSAValue]:
    """Tokens that a token surely comes after, one step back.

    Tokens that loops carry and results of `for`, `loop` and `if` have none: what they come after
    depends on the path.
    """
    owner = token.owner
    if isinstance(owner, JoinTokensOp):
        return list(owner.tokens)
    if isinstance(owner, TOKEN_ORDERED):
        before = token_of(owner)
        return [] if before is None else [before]
    return []


def comes_after(later: SSAValue, earlier: SSAValue, steps: int = MAX_STEPS) -> bool:
    """Whether everything before the token `earlier` is surely before the token `later` too."""
    if isinstance(earlier.owner, MakeTokenOp):
        return True
    pending = [later]
    seen: set[SSAValue] = set()
    while pending and len(seen) < steps:
        token = pending.pop()
        if token is earlier:
            return True
        if token not in seen:
            seen.add(token)
            pending.extend(predecessors_of(token))
    return False


def operations_before(token: SSAValue) -> Iterator[Operation]:
    """The memory operations that are surely done when a token is there, nearest first."""
    pending = [token]
    seen: set[SSAValue] = set()
    while pending:
        current = pending.pop(0)
        if current in seen:
            continue
        seen.add(current)
        owner = current.owner
        if isinstance(owner, TOKEN_ORDERED):
            yield owner
        pending.extend(predecessors_of(current))
