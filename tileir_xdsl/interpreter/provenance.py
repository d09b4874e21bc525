"""Which parameters a kernel may write through: the others need no watching for races."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.dialects.cuda_tile import atomics, control_flow, conversions, memory, views
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, GetGlobalOp
from tileir_xdsl.dialects.cuda_tile.types import TensorViewType, TileViewType
from tileir_xdsl.interpreter.values import is_pointer

WRITES: dict[type[Operation], Callable[[Any], SSAValue]] = {
    memory.StorePtrTkoOp: lambda op: op.destination,
    views.StoreViewTkoOp: lambda op: op.view,
    atomics.AtomicCASTkoOp: lambda op: op.pointers,
    atomics.AtomicRMWTkoOp: lambda op: op.pointers,
    atomics.AtomicRedViewTkoOp: lambda op: op.view,
}
"""What each operation that writes memory writes through."""

ANYWHERE = "*"

Root = BlockArgument | str
"""A parameter of the kernel, or the name of a global, or `ANYWHERE`."""


def written_roots(entry: EntryOp) -> set[Root]:
    """The parameters and globals that the kernel may write, or a set with `ANYWHERE` in it."""
    roots: set[Root] = set()
    seen: set[SSAValue] = set()
    for op in entry.walk():
        if not op.name.startswith("cuda_tile."):
            return {ANYWHERE}
        through = WRITES.get(type(op))
        if through is not None:
            _collect(through(op), roots, seen)
    return roots


def _addresses(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [v for v in values if is_pointer(v) or isinstance(v.type, TensorViewType | TileViewType)]


def _collect(value: SSAValue, roots: set[Root], seen: set[SSAValue]) -> None:
    pending = [value]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        if isinstance(current, BlockArgument):
            pending += _into_argument(current, roots)
        elif isinstance(current, OpResult):
            pending += _into_result(current.op, roots)


def _into_argument(argument: BlockArgument, roots: set[Root]) -> list[SSAValue]:
    parent = argument.block.parent_op()
    if parent is None or isinstance(parent, EntryOp):
        roots.add(argument)
        return []
    return _addresses([*parent.operands, *_left_with(parent)])


def _into_result(op: Operation, roots: set[Root]) -> list[SSAValue]:
    if isinstance(op, conversions.IntToPtrOp):
        roots.add(ANYWHERE)
        return []
    if isinstance(op, GetGlobalOp):
        roots.add(op.symbol.root_reference.data)
        return []
    return _addresses([*op.operands, *_left_with(op)])


def _left_with(op: Operation) -> list[SSAValue]:
    """The operands of all terminators inside an operation."""
    terminators = control_flow.YieldOp | control_flow.BreakOp | control_flow.ContinueOp
    found: list[SSAValue] = []
    for region in op.regions:
        for block in region.blocks:
            found += [v for o in _all(block) if isinstance(o, terminators) for v in o.operands]
    return found


def _all(block: Block) -> list[Operation]:
    return [inner for op in block.ops for inner in op.walk()]
