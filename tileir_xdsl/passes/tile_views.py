"""Which accesses of an entry go through views, and how: the choice that `lower-views` makes.

An access through a partition view names a tile by its number, which is read unsigned: only a start
that is surely a multiple of the tile's extent and not negative has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, i1, i32, i64
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.constants import splat_integer
from tileir_xdsl.analysis.divisibility import divisor_of
from tileir_xdsl.analysis.products import PRODUCTS, accumulated_elements, loops_around
from tileir_xdsl.analysis.ranges import range_of
from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import control_flow as flow
from tileir_xdsl.dialects.cuda_tile import conversions, core, views
from tileir_xdsl.dialects.cuda_tile.attributes import (
    OptimizationHintsAttr,
    PaddingValue,
    PaddingValueAttr,
)
from tileir_xdsl.dialects.cuda_tile.memory import storage_bytes
from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC, PartitionViewType, TensorViewType
from tileir_xdsl.dialects.tile_sugar import memory
from tileir_xdsl.dialects.tile_sugar.attributes import number_attr
from tileir_xdsl.dialects.tile_sugar.kernel import MakeTensorOp
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter
from tileir_xdsl.dialects.tile_sugar.types import TensorType, element_of, shape_of
from tileir_xdsl.passes.reporting import missed, remark
from tileir_xdsl.passes.sugar import SM_8X
from tileir_xdsl.versions import V13_4, Version

WITHOUT_TMA = SM_8X
NO_TMA = OptimizationHintsAttr.get({"default": {"allow_tma": IntegerAttr(0, i1)}})
ZERO_PADDING = PaddingValueAttr(PaddingValue.ZERO)
_PASSING = (core.PermuteOp, core.ReshapeOp, conversions.FToFOp, conversions.BitcastOp)
"""What may stand between a load and the product that it feeds."""

CROWDED = 64 * 128
"""Elements of products from which on the registers of a block have no room for pointers."""

WIDEST = 16
"""Bytes of the widest access."""

ACCESSES = ("auto", "pointer", "view")


def feeds_product(op: memory.LoadOp) -> bool:
    """Whether what a load reads is an operand of a product, in the same loop."""
    worklist: list[SSAValue] = [op.result]
    while worklist:
        for use in worklist.pop().uses:
            if isinstance(use.operation, PRODUCTS):
                return True
            if isinstance(use.operation, _PASSING):
                worklist += use.operation.results
    return False


def feeds_product_in_loop(op: memory.LoadOp) -> bool:
    return any(loops_around(op)) and feeds_product(op)


def is_crowded(entry: core.EntryOp) -> bool:
    """Whether the accumulators of an entry leave few registers."""
    return accumulated_elements(entry) >= CROWDED


class ViewChoice:
    """Decides for the accesses of one entry, and makes those through views."""

    def __init__(
        self, entry: core.EntryOp, version: Version, targets: Sequence[str], access: str
    ) -> None:
        self.version = version
        self.access = access
        loads = [op for op in entry.walk() if isinstance(op, memory.LoadOp)]
        self.streams = (not set(targets) & set(WITHOUT_TMA) or is_crowded(entry)) and any(
            feeds_product_in_loop(op) and self._obstacle(op) is None and self._has_wide_rows(op)
            for op in loads
        )
        """Whether a loop of the entry reads the operands of a product through views."""
        self.views: dict[tuple[SSAValue, Any], SSAValue] = {}

    def load(self, e: Emitter, op: memory.LoadOp, token: SSAValue | None) -> Any:
        """The load through a view; None when it goes through pointers."""
        index = self._index(e, op)
        if index is None:
            return None
        new = views.LoadViewTkoOp(
            self._view(e, op),
            index,
            token=token,
            hints=self._hints,
            inbounds=self._inbounds(op),
        )
        e.insert(new)
        return new

    def store(self, e: Emitter, op: memory.StoreOp, token: SSAValue | None) -> Any:
        """The store through a view; None when it goes through pointers."""
        index = self._index(e, op)
        if index is None:
            return None
        new = views.StoreViewTkoOp(
            op.value,
            self._view(e, op),
            index,
            token=token,
            hints=self._hints,
            inbounds=self._inbounds(op),
        )
        e.insert(new)
        return new

    # The choice.

    def _index(self, e: Emitter, op: Any) -> list[SSAValue] | None:
        """The number of the accessed tile along each dimension, where a view is the choice."""
        full = op.properties.get("full") is not None
        if self.access == "pointer":
            return None
        obstacle = self._obstacle(op)
        if obstacle is not None:
            missed(op, f"{'pointers' if full else 'masked pointers'}: {obstacle}")
            return None
        wide = self._has_wide_rows(op)
        # Without gaps one offset for each thread is enough.
        saves = self.streams or not _is_contiguous(op.tensor.type, _shape(op))
        if full and self.version >= V13_4 and wide and saves:
            remark(op, "partition view without checks: full is promised")
        elif self.streams and wide:
            remark(op, "partition view, as a loop feeds a product from this kernel's tensors")
        elif self.access != "view":
            if not wide and isinstance(op, memory.LoadOp) and feeds_product_in_loop(op):
                missed(op, f"masked pointers: rows are not known to be multiples of {WIDEST} bytes")
            elif not full:
                missed(op, "masked pointers: 'full' is not promised")
            elif self.version < V13_4:
                missed(op, "pointers: inbounds needs bytecode 13.4")
            else:
                remark(op, "pointers: no worse here than a view")
            return None
        return [
            _as_value(e, _tile_number(e, start, extent))
            for start, extent in zip(op.all_indices(), _shape(op), strict=True)
        ]

    def _has_wide_rows(self, op: Any) -> bool:
        """Whether a view has wide accesses: a row of unknown length makes them narrow."""
        maker: MakeTensorOp = op.tensor.owner
        type: TensorType = op.tensor.type
        extents = mixed(type.get_shape(), maker.extents)
        stated = type.get_strides()
        numbers = extents[1:] if stated is None else [extents[-1], *mixed(stated, maker.strides)]
        width = max(1, WIDEST // storage_bytes(type.element_type))
        return all(number == 1 or _divisor(number) % width == 0 for number in numbers)

    @property
    def _hints(self) -> OptimizationHintsAttr | None:
        return None if self.streams else NO_TMA

    def _inbounds(self, op: Any) -> list[bool] | None:
        full = op.properties.get("full") is not None
        return [True] * len(_shape(op)) if full and self.version >= V13_4 else None

    def _obstacle(self, op: Any) -> str | None:
        """Why an access cannot go through a view."""
        if op.extents is not None and tuple(op.extents) != _shape(op):
            return "the tile is padded"
        maker = op.tensor.owner
        if not isinstance(maker, MakeTensorOp) or isinstance(maker.base.type, TensorType):
            return "the tensor is a part of another"
        if maker.offset is not None:
            return "the tensor starts at an offset"
        full = op.properties.get("full") is not None
        if isinstance(op, memory.LoadOp) and not full:
            if op.fill_value != number_attr(0, element_of(op.result.type)):
                return "the fill is not zero"
        promised = full or op.properties.get("inside") is not None
        for dim, (start, extent) in enumerate(zip(op.all_indices(), _shape(op), strict=True)):
            found = _not_a_tile(start, extent, promised)
            if found is None and not promised and not _starts_inside(op, start, dim):
                found = "is not known to lie in the tensor, and 'inside' is not promised"
            if found is not None:
                return f"the start of dimension {dim} {found}"
        return None

    # Views.

    def _view(self, e: Emitter, op: Any) -> SSAValue:
        maker = op.tensor.owner
        shape = _shape(op)
        type: TensorType = op.tensor.type
        padding = ZERO_PADDING if isinstance(op, memory.LoadOp) else None
        key = (op.tensor, (shape, padding))
        if key not in self.views:
            # Beside the tensor: a view of one tile size serves all its accesses.
            outer = e.builder.insertion_point
            e.builder.insertion_point = InsertPoint.after(maker)
            made = self._tensor_view(e, maker, type)
            tensor_view = made.type
            assert isinstance(tensor_view, TensorViewType)
            view_type = PartitionViewType.get(shape, tensor_view, padding_value=padding)
            self.views[key] = e.one(views.MakePartitionViewOp(made, view_type))
            e.builder.insertion_point = outer
        return self.views[key]

    def _tensor_view(self, e: Emitter, maker: MakeTensorOp, type: TensorType) -> SSAValue:
        extents = mixed(type.get_shape(), maker.extents)
        stated = type.get_strides()
        strides = _row_major(e, extents) if stated is None else mixed(stated, maker.strides)
        dynamic = [v for v in (*extents, *strides) if isinstance(v, SSAValue)]
        if any(v.type != dynamic[0].type for v in dynamic):
            # All runtime numbers of a view have one type.
            extents, strides = ([_wide(e, v) for v in values] for values in (extents, strides))
        view = TensorViewType.get(
            [DYNAMIC if isinstance(v, SSAValue) else v for v in extents],
            type.element_type,
            [DYNAMIC if isinstance(v, SSAValue) else v for v in strides],
        )
        shapes, steps = ([v for v in vs if isinstance(v, SSAValue)] for vs in (extents, strides))
        return e.one(views.MakeTensorViewOp(maker.base, shapes, steps, view))


def _shape(op: Any) -> tuple[int, ...]:
    accessed = op.value if isinstance(op, memory.StoreOp) else op.result
    return tuple(shape_of(accessed.type))


def is_row_major(shape: Sequence[int], steps: Mapping[int, Any]) -> bool:
    """Whether the elements of a tile are neighbours in memory, in the tile's own order.

    `steps` are the strides of its dimensions of more than one element, in elements.
    """
    return all(step == prod(shape[dim + 1 :]) for dim, step in steps.items())


def _is_contiguous(type: TensorType, shape: Sequence[int]) -> bool:
    """Whether the elements of a tile of a tensor are surely neighbours in memory."""
    strides = type.get_strides() or _static_strides(type.get_shape())
    return is_row_major(shape, {d: n for d, n in enumerate(strides) if shape[d] > 1})


def _static_strides(shape: Sequence[int]) -> list[int]:
    """The strides of a dense tensor, as far as they are known."""
    strides = [1]
    for extent in reversed(shape[1:]):
        unknown = DYNAMIC in (extent, strides[0])
        strides.insert(0, DYNAMIC if unknown else strides[0] * extent)
    return strides


def _divisor(number: int | SSAValue) -> int:
    return number if isinstance(number, int) else divisor_of(number)


def mixed(static: Sequence[int], values: Sequence[SSAValue]) -> list[int | SSAValue]:
    """The numbers of a type, with values in the place of those that are known at run time."""
    dynamic = iter(values)
    return [next(dynamic) if number == DYNAMIC else number for number in static]


def _wide(e: Emitter, value: int | SSAValue) -> int | SSAValue:
    return value if isinstance(value, int) else e.extend(value, i64, signed=True)


def _row_major(e: Emitter, extents: Sequence[int | SSAValue]) -> list[int | SSAValue]:
    strides: list[int | SSAValue] = [1]
    for extent in reversed(extents[1:]):
        strides.insert(0, _times(e, strides[0], extent))
    return strides


def _times(e: Emitter, a: int | SSAValue, b: int | SSAValue) -> int | SSAValue:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1:
        return b
    if b == 1:
        return a
    wide = [as_i64(e, value) for value in (a, b)]
    return e.make(ct.MulIOp, wide, overflow=ct.NO_OVERFLOW_CLAIM)


def as_i64(e: Emitter, value: int | SSAValue) -> SSAValue:
    """A number, or a tile of i32 or i64, as a tile of i64."""
    if isinstance(value, int):
        return e.attribute(IntegerAttr(value, i64), ())
    return e.extend(value, i64, signed=True)


# Numbers of tiles.


def _not_a_tile(start: int | SSAValue, extent: int, promised: bool) -> str | None:
    """Why a start is not known to be that of a tile."""
    if isinstance(start, int):
        return None if start >= 0 and start % extent == 0 else f"is {start}"
    if not promised and range_of(start).signed[0] < 0:
        return "may be negative, and 'inside' is not promised"
    if divisor_of(start) % extent:
        return f"is not known to be a multiple of {extent}"
    return None


def _starts_inside(op: Any, start: int | SSAValue, dim: int) -> bool:
    """Whether a start that is not negative is below the extent."""
    maker: MakeTensorOp = op.tensor.owner
    extent = mixed(op.tensor.type.get_shape(), maker.extents)[dim]
    if isinstance(start, int):
        return isinstance(extent, int) and start < extent
    if isinstance(start, BlockArgument) and start.index == 0:
        loop = start.block.parent_op()
        return isinstance(loop, flow.ForOp) and loop.upper_bound is extent
    return isinstance(extent, int) and range_of(start).signed[1] < extent


def _tile_number(e: Emitter, start: int | SSAValue, extent: int) -> int | SSAValue:
    if isinstance(start, int):
        return start // extent
    if extent == 1:
        return start
    product = start.owner
    if isinstance(product, ct.MulIOp) and product.overflow != ct.NO_OVERFLOW_CLAIM:
        for factor, other in ((product.rhs, product.lhs), (product.lhs, product.rhs)):
            if splat_integer(factor) == extent:
                return other
    return e.make(
        ct.DivIOp,
        [start, e.attribute(IntegerAttr(extent, i32), ())],
        signedness=ct.SIGNED,
        rounding=ct.ROUND_ZERO,
    )


def _as_value(e: Emitter, number: int | SSAValue) -> SSAValue:
    if isinstance(number, int):
        return e.attribute(IntegerAttr(number, i32), ())
    return number
