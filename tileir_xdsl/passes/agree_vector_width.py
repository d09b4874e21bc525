"""`agree-vector-width`: one number of elements per access for the tensors of a computation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.divisibility import divisor_of
from tileir_xdsl.analysis.products import has_products
from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import core, memory, views
from tileir_xdsl.dialects.cuda_tile.attributes import DivByAttr
from tileir_xdsl.dialects.cuda_tile.memory import storage_bytes
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType
from tileir_xdsl.passes.reporting import missed, remark
from tileir_xdsl.passes.sugar import operations
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.passes.tile_views import WIDEST


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
            if isinstance(inner, core.EntryOp) and not has_products(inner):
                _agree(inner)


@dataclass(frozen=True)
class _Access:
    op: Operation
    tile: SSAValue
    pointer: AssumeOp
    """What states the alignment of the tensor."""
    bytes: int
    """Of an element."""

    @property
    def alignment(self) -> int:
        predicate = self.pointer.predicate
        assert isinstance(predicate, DivByAttr)
        return predicate.divisor.data

    @property
    def aligned(self) -> int:
        """Elements of an access as wide as the alignment of the tensor allows."""
        return max(1, min(WIDEST, self.alignment) // self.bytes)

    @property
    def width(self) -> int:
        """Elements that one instruction accesses."""
        if not isinstance(self.op, memory.LoadPtrTkoOp | memory.StorePtrTkoOp):
            return self.aligned
        rows = _aligned_elements(self.op.operands[0])
        return min(self.aligned, rows, _masked_run(self.op.mask))


def _agree(entry: core.EntryOp) -> None:
    groups = _Groups()
    accesses: list[_Access] = []
    for op in entry.walk():
        access = _access(op)
        if access is not None:
            accesses.append(access)
            _explain(access)
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
        if alignment < min(WIDEST, access.alignment):
            access.pointer.properties["predicate"] = DivByAttr.get(alignment)


def _explain(access: _Access) -> None:
    """Say what is missing for an access as wide as the alignment of its tensor."""
    if not isinstance(access.op, memory.LoadPtrTkoOp | memory.StorePtrTkoOp):
        return
    widest = access.aligned
    if _masked_run(access.op.mask) < widest:
        missed(access.op, f"narrow: the mask is not known to end at a multiple of {widest}")
    elif _aligned_elements(access.op.operands[0]) < widest:
        missed(access.op, f"narrow: rows are not known to start at multiples of {widest} elements")


def _aligned_elements(address: SSAValue) -> int:
    """How many elements of each row are surely aligned together, by the offsets of the rows."""
    width = WIDEST
    while isinstance(address.owner, core.OffsetOp | core.BroadcastOp | core.ReshapeOp):
        op = address.owner
        if isinstance(op, core.OffsetOp):
            width = min([width, *map(divisor_of, _row_offsets(op.offset))])
        address = op.operands[0]
    return width


def _row_offsets(offset: SSAValue) -> Iterator[SSAValue]:
    """The parts of an offset that are equal for all elements of a row."""
    op: Any = offset.owner
    type = offset.type
    assert isinstance(type, TileType)
    if isinstance(op, core.BroadcastOp | core.ReshapeOp):
        yield from _row_offsets(op.source)
    elif isinstance(op, ct.AddIOp):
        yield from _row_offsets(op.lhs)
        yield from _row_offsets(op.rhs)
    elif type.get_shape()[-1:] in ((), (1,)):
        yield offset


def _masked_run(mask: SSAValue | None) -> int:
    """How many elements of each row are surely masked together."""
    if mask is None:
        return WIDEST
    op: Any = mask.owner
    type = mask.type
    assert isinstance(type, TileType)
    if type.get_shape()[-1:] in ((), (1,)):
        return WIDEST
    if isinstance(op, core.BroadcastOp | core.ReshapeOp):
        return _masked_run(op.source)
    if isinstance(op, ct.AndIOp):
        return min(_masked_run(op.lhs), _masked_run(op.rhs))
    return min(WIDEST, divisor_of(op.rhs)) if isinstance(op, ct.CmpIOp) else 1


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
