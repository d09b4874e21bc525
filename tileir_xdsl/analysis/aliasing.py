"""Where pointers and views come from, and whether two accesses may touch the same memory.

A *base* is what memory belongs to: an argument of the entry, a global, an allocation. Two bases
are different memory only where the program says so: an allocation is nobody else's memory unless
its address is turned into a number, different globals are different, arguments may all be the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import BlockArgument, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.control_flow import (
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    YieldOp,
    target_loop,
)
from tileir_xdsl.dialects.cuda_tile.conversions import PtrToIntOp, PtrToPtrOp
from tileir_xdsl.dialects.cuda_tile.core import (
    BroadcastOp,
    CatOp,
    EntryOp,
    ExtractOp,
    GetGlobalOp,
    InsertOp,
    OffsetOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from tileir_xdsl.dialects.cuda_tile.memory import AllocaOp
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import PtrType, TensorViewType, TileType, TileViewType
from tileir_xdsl.dialects.cuda_tile.views import (
    MakeGatherScatterViewOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
)

Base = SSAValue | str
"""The value that introduces a base; of a global, its name."""

_SAME_BASE = (
    OffsetOp,
    PtrToPtrOp,
    BroadcastOp,
    ReshapeOp,
    PermuteOp,
    ExtractOp,
    AssumeOp,
    MakeTensorViewOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeGatherScatterViewOp,
)
"""Operations whose result belongs to the base of their first operand."""


def is_address(value: SSAValue) -> bool:
    """Whether a value is a tile of pointers or a view."""
    if isinstance(value.type, TensorViewType | TileViewType):
        return True
    return isinstance(value.type, TileType) and isinstance(value.type.element_type, PtrType)


def bases_of(address: SSAValue) -> frozenset[Base] | None:
    """All bases that a tile of pointers or a view may belong to; None when any may be."""
    found: set[Base] = set()
    pending = [address]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if _is_base(value):
            owner = value.owner
            found.add(owner.symbol.root_reference.data if isinstance(owner, GetGlobalOp) else value)
            continue
        sources = _sources(value)
        if sources is None:
            return None
        pending.extend(sources)
    return frozenset(found)


def _is_base(value: SSAValue) -> bool:
    if isinstance(value, BlockArgument):
        return isinstance(value.block.parent_op(), EntryOp)
    return isinstance(value.owner, AllocaOp | GetGlobalOp)


def _sources(value: SSAValue) -> Iterable[SSAValue] | None:
    """The values that an address is one of or is made from; None when that is not known."""
    if isinstance(value, BlockArgument):
        return _carried(value)
    owner = value.owner
    if isinstance(owner, _SAME_BASE):
        return owner.operands[:1]
    if isinstance(owner, SelectOp):
        return (owner.val_if_true, owner.val_if_false)
    if isinstance(owner, CatOp | InsertOp):
        return owner.operands[:2]
    if isinstance(owner, IfOp | ForOp | LoopOp):
        return _results(owner, list(owner.results).index(value))  # pyright: ignore
    return None


def _carried(argument: BlockArgument) -> Iterable[SSAValue] | None:
    loop = argument.block.parent_op()
    if not isinstance(loop, ForOp | LoopOp):
        return None
    position = argument.index - (1 if isinstance(loop, ForOp) else 0)
    return [loop.init_values[position], *_passed(loop, ContinueOp, position)]


def _results(op: IfOp | ForOp | LoopOp, position: int) -> list[SSAValue]:
    if isinstance(op, IfOp):
        ends = [region.block.last_op for region in op.regions if region.blocks]
        return [end.operands[position] for end in ends if isinstance(end, YieldOp)]
    if isinstance(op, ForOp):
        return [op.init_values[position], *_passed(op, ContinueOp, position)]
    return _passed(op, BreakOp, position)


def _passed(
    loop: ForOp | LoopOp, kind: type[ContinueOp | BreakOp], position: int
) -> list[SSAValue]:
    """What the jumps of one kind of a loop pass on in a place."""
    return [
        op.operands[position]
        for op in loop.walk()
        if isinstance(op, kind) and target_loop(op) is loop
    ]


def may_alias(a: SSAValue, b: SSAValue) -> bool:
    """Whether two tiles of pointers or views may reach the same memory."""
    first, second = bases_of(a), bases_of(b)
    if first is None or second is None:
        known = first or second or frozenset()
        return not known or any(not _is_private(base) for base in known)
    return any(_may_be_same(x, y) for x in first for y in second)


def _may_be_same(a: Base, b: Base) -> bool:
    if a == b:
        return True
    if isinstance(a, str) and isinstance(b, str):
        return False
    return not _is_private(a) and not _is_private(b)


def _is_private(base: Base) -> bool:
    """Whether only addresses made from a base reach its memory."""
    if isinstance(base, str) or not isinstance(base.owner, AllocaOp):
        return False
    return not _escapes(base)


def _escapes(base: SSAValue) -> bool:
    """Whether an address made from a base is turned into a number."""
    pending = [base]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            user = use.operation
            if isinstance(user, PtrToIntOp):
                return True
            pending.extend(_made_from(user, use.index))
    return False


def _made_from(user: Operation, index: int) -> Iterable[SSAValue]:
    """The addresses that may be the operand of `user` in a place, or made from it."""
    if isinstance(user, YieldOp):
        parent = user.parent_op()
        return [parent.results[index]] if isinstance(parent, IfOp) else ()
    if isinstance(user, ContinueOp | BreakOp):
        loop = target_loop(user)
        return (
            [] if loop is None else [*_arguments(loop, user, index), *_outputs(loop, user, index)]
        )
    if isinstance(user, ForOp | LoopOp):
        offset = 3 if isinstance(user, ForOp) else 0
        position = index - offset
        shift = 1 if isinstance(user, ForOp) else 0
        results = [user.results[position]] if isinstance(user, ForOp) else []
        return [user.region.block.args[position + shift], *results]
    return [result for result in user.results if is_address(result)]


def _arguments(loop: Operation, jump: Operation, index: int) -> list[SSAValue]:
    if not isinstance(jump, ContinueOp) or not isinstance(loop, ForOp | LoopOp):
        return []
    return [loop.region.block.args[index + (1 if isinstance(loop, ForOp) else 0)]]


def _outputs(loop: Operation, jump: Operation, index: int) -> list[SSAValue]:
    gives = isinstance(loop, ForOp) or isinstance(jump, BreakOp)
    return [loop.results[index]] if gives else []
