"""`agree-vector-width`: one number of elements per access for the tensors of a computation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import core, memory, views
from tileir_xdsl.dialects.cuda_tile.attributes import DivByAttr
from tileir_xdsl.dialects.cuda_tile.memory import storage_bytes
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType
from tileir_xdsl.passes.reporting import remark
from tileir_xdsl.passes.sugar import operations
from tileir_xdsl.passes.tile_pass import TilePass

WIDEST = 16
"""Bytes of the widest access."""


@dataclass(frozen=True)
class AgreeVectorWidthPass(TilePass):
    """States a smaller alignment of pointers whose elements are narrower than what they meet.

    tileiras makes each access as wide as its alignment allows, and moves tiles through shared
    memory where two widths meet in one elementwise computation. Stating less than what is known
    is always sound. Reductions have layouts of their own and end a computation; an entry with
    products is left alone, since TMA needs what is known. Needs `lower-views`.
    """

    name = "agree-vector-width"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in list(operations(op.regions)):
            if isinstance(inner, core.EntryOp) and not _has_products(inner):
                _agree(inner)


def _has_products(entry: core.EntryOp) -> bool:
    return any(isinstance(op, ct.MmaFOp | ct.MmaIOp | ct.MmaFScaledOp) for op in entry.walk())


@dataclass(frozen=True)
class _Access:
    op: Operation
    tile: SSAValue
    pointer: AssumeOp
    """What states the alignment of the tensor."""
    bytes: int
    """Of an element."""

    @property
    def width(self) -> int:
        """Elements that one instruction accesses."""
        predicate = self.pointer.predicate
        assert isinstance(predicate, DivByAttr)
        return max(1, min(WIDEST, predicate.divisor.data) // self.bytes)


def _agree(entry: core.EntryOp) -> None:
    groups = _Groups()
    accesses: list[_Access] = []
    for op in entry.walk():
        access = _access(op)
        if access is not None:
            accesses.append(access)
        elif not isinstance(op, _BARRIERS) and not op.regions:
            groups.join([v for v in (*op.operands, *op.results) if _is_data(v)])
    widths: dict[SSAValue, int] = {}
    for access in accesses:
        root = groups.root(access.tile)
        widths[root] = min(access.width, widths.get(root, access.width))
    stated: dict[AssumeOp, int] = {}
    for access in accesses:
        width = widths[groups.root(access.tile)]
        stated[access.pointer] = min(width, stated.get(access.pointer, width))
        if width < access.width:
            remark(access.op, f"accesses of {width} elements, as the tiles it meets allow")
    for access in accesses:
        alignment = stated[access.pointer] * access.bytes
        predicate = access.pointer.predicate
        assert isinstance(predicate, DivByAttr)
        if alignment < min(WIDEST, predicate.divisor.data):
            access.pointer.properties["predicate"] = DivByAttr.get(alignment)


_BARRIERS = (core.ReduceOp, core.ScanOp, core.PermuteOp, core.CatOp, core.ExtractOp, core.InsertOp)
"""Operations whose operands and results have layouts of their own."""


def _is_data(value: SSAValue) -> bool:
    type = value.type
    return (
        isinstance(type, TileType) and type.rank > 0 and not isinstance(type.element_type, PtrType)
    )


def _access(op: Operation) -> _Access | None:
    address: Any
    if isinstance(op, memory.LoadPtrTkoOp):
        tile, address = op.result, op.source
    elif isinstance(op, memory.StorePtrTkoOp):
        tile, address = op.value, op.destination
    elif isinstance(op, views.LoadViewTkoOp | views.StoreViewTkoOp):
        tile, address = op.tile, op.view
    else:
        return None
    pointer = _aligned(address)
    if pointer is None or not isinstance(tile.type, TileType) or tile.type.get_shape()[-1:] == (1,):
        return None
    return _Access(op, tile, pointer, storage_bytes(tile.type.element_type))


def _aligned(address: SSAValue) -> AssumeOp | None:
    """The assumption about the alignment of the tensor that addresses lie in."""
    while not isinstance(address.owner, Block):
        op: Any = address.owner
        if isinstance(op, AssumeOp):
            predicate = op.predicate
            plain = isinstance(predicate, DivByAttr) and predicate.every_value is None
            return op if plain else None
        if not isinstance(op, _ADDRESSES):
            return None
        address = op.operands[0]
    return None


_ADDRESSES = (
    core.OffsetOp,
    core.BroadcastOp,
    core.ReshapeOp,
    views.MakeTensorViewOp,
    views.MakePartitionViewOp,
)


class _Groups:
    """Values that one elementwise computation connects."""

    def __init__(self) -> None:
        self._parents: dict[SSAValue, SSAValue] = {}

    def root(self, value: SSAValue) -> SSAValue:
        while (parent := self._parents.get(value, value)) is not value:
            value = parent
        return value

    def join(self, values: list[SSAValue]) -> None:
        for value in values[1:]:
            first, second = self.root(values[0]), self.root(value)
            if first is not second:
                self._parents[second] = first
