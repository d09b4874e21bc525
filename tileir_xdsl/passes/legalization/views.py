"""Views that early versions lack, and reductions into views, by tiles of pointers and masks."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, f4E2M1FN, i64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import element_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import UNSIGNED, AndIOp, DivIOp
from tileir_xdsl.dialects.cuda_tile.atomics import AtomicRedViewTkoOp, AtomicRMWTkoOp
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonPredicate,
    OptimizationHintsAttr,
    RoundingMode,
    RoundingModeAttr,
)
from tileir_xdsl.dialects.cuda_tile.core import OffsetOp
from tileir_xdsl.dialects.cuda_tile.memory import LoadPtrTkoOp, StorePtrTkoOp
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import (
    DYNAMIC,
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TileViewType,
)
from tileir_xdsl.dialects.cuda_tile.views import (
    GetIndexSpaceShapeOp,
    LoadViewTkoOp,
    MakeTensorViewOp,
    MakeTileViewOp,
    StoreViewTkoOp,
)
from tileir_xdsl.numerics import FLOAT_FORMATS
from tileir_xdsl.passes.canonicalization.build import splat
from tileir_xdsl.passes.legalization.rules import Emitter, LegalizationList
from tileir_xdsl.passes.patterns import Outcome
from tileir_xdsl.versions import V13_3

LEGALIZATIONS = LegalizationList()
removing = LEGALIZATIONS.removing

Access = LoadViewTkoOp | StoreViewTkoOp | AtomicRedViewTkoOp


@dataclass(frozen=True)
class MadeView:
    """A tile view with the operation that made its tensor view."""

    type: TileViewType
    tensor: MakeTensorViewOp

    @staticmethod
    def of(view: SSAValue) -> MadeView | None:
        """The view behind a value; assumptions about it are passed over."""
        type = view.type
        made = _skip_assumptions(view).owner
        if not isinstance(type, TileViewType) or not isinstance(made, MakeTileViewOp):
            return None
        tensor = _skip_assumptions(made.tensor_view).owner
        return MadeView(type, tensor) if isinstance(tensor, MakeTensorViewOp) else None

    @property
    def steps(self) -> tuple[int, ...]:
        """Elements from one index to the next, along each dimension of the tile."""
        if isinstance(self.type, StridedViewType):
            return self.type.get_traversal_strides()
        return self.type.get_tile_shape()

    @property
    def sparse(self) -> int | None:
        """The dimension that is indexed by a tile."""
        return self.type.sparse_dim.data if isinstance(self.type, GatherScatterViewType) else None

    def extent(self, dim: int, emit: Emitter) -> SSAValue:
        """An extent of the tensor as an i64."""
        sizes = self.type.get_tensor_view().get_shape()
        return _size(sizes, list(self.tensor.dynamic_shape), dim, emit)

    def stride(self, dim: int, emit: Emitter) -> SSAValue:
        """A stride of the tensor, in elements, as an i64."""
        sizes = self.type.get_tensor_view().get_strides()
        return _size(sizes, list(self.tensor.dynamic_strides), dim, emit)


def _skip_assumptions(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, AssumeOp):
        value = value.owner.value
    return value


def _size(sizes: tuple[int, ...], dynamic: list[SSAValue], dim: int, emit: Emitter) -> SSAValue:
    if sizes[dim] != DYNAMIC:
        return emit.integer(sizes[dim])
    return emit.resize(dynamic[sizes[:dim].count(DYNAMIC)], i64, signed=True)


def _needs_pointers(op: Access) -> MadeView | None:
    """The view of an access that older versions lack; None of others, and of f4 elements.

    f4 elements have no tiles of pointers.
    """
    if isinstance(op.view.type, PartitionViewType) and not isinstance(op, AtomicRedViewTkoOp):
        return None
    made = MadeView.of(op.view)
    if made is None or made.type.get_tensor_view().element_type == f4E2M1FN:
        return None
    return made


def _pointers(op: Access, view: MadeView, emit: Emitter) -> tuple[SSAValue, SSAValue | None]:
    """A pointer for each element of the accessed tile, and which of them are in the tensor."""
    shape = view.type.get_tile_shape()
    inbounds = op.is_inbounds()
    total: SSAValue | None = None
    mask: SSAValue | None = None
    for axis, (count, dim) in enumerate(zip(shape, view.type.get_dim_map(), strict=True)):
        # Indices are unsigned whatever their type.
        index = emit.resize(op.index[axis], i64, signed=False)
        if axis == view.sparse:
            position = index
        else:
            start = emit.multiply(index, emit.integer(view.steps[axis]))
            position = emit.add(emit.spread(start, [count]), emit.iota(count))
            if not inbounds[axis]:
                end = emit.spread(view.extent(dim, emit), [count])
                inside = emit.compare(ComparisonPredicate.LESS_THAN, position, end)
                here = emit.along(inside, axis, shape)
                mask = here if mask is None else emit.binary(AndIOp, mask, here)
        moved = emit.multiply(position, emit.spread(view.stride(dim, emit), [count]))
        along = emit.along(moved, axis, shape)
        total = along if total is None else emit.add(total, along)
    assert total is not None
    base = emit.spread(view.tensor.base, shape)
    return emit.op(OffsetOp(base, total)), mask


@removing(V13_3, LoadViewTkoOp)
def load_by_pointers(op: LoadViewTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A load from a strided or gather view is a masked load through pointers."""
    view = _needs_pointers(op)
    if view is None:
        return None
    emit = Emitter(rewriter)
    pointers, mask = _pointers(op, view, emit)
    load = LoadPtrTkoOp(
        pointers,
        mask=mask,
        padding_value=None if mask is None else _padding(view.type, emit),
        token=op.token,
        ordering=op.memory_ordering_semantics,
        scope=op.memory_scope,
        hints=_pointer_hints(op.optimization_hints),
    )
    load.attributes.update(op.attributes)
    return load


def _padding(type: TileViewType, emit: Emitter) -> SSAValue | None:
    """A tile of the view's padding; None when elements outside are unspecified."""
    padding = type.padding
    if padding is None:
        return None
    bits = 0
    if padding.keyword != "zero":
        fmt = FLOAT_FORMATS[type.tile_type.element_type.name]
        infinity = ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits
        sign = 1 << (fmt.width - 1)
        bits = {
            "neg_zero": sign,
            "nan": fmt.canonical_nan_bits or 0,
            "pos_inf": infinity,
            "neg_inf": sign | infinity,
        }[padding.keyword]
    return emit.op(splat(type.tile_type, bits))


def _pointer_hints(hints: OptimizationHintsAttr | None) -> OptimizationHintsAttr | None:
    """The hints that accesses through pointers take too."""
    if hints is None:
        return None
    kept = {
        arch: DictionaryAttr({k: v for k, v in keys.data.items() if k != "allow_tma"})
        for arch, keys in hints.hints.data.items()
        if isinstance(keys, DictionaryAttr)
    }
    return OptimizationHintsAttr(DictionaryAttr(kept))


@removing(V13_3, StoreViewTkoOp)
def store_by_pointers(op: StoreViewTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A store to a strided or scatter view is a masked store through pointers."""
    view = _needs_pointers(op)
    if view is None:
        return None
    pointers, mask = _pointers(op, view, Emitter(rewriter))
    store = StorePtrTkoOp(
        pointers,
        op.tile,
        mask=mask,
        token=op.token,
        ordering=op.memory_ordering_semantics,
        scope=op.memory_scope,
        hints=_pointer_hints(op.optimization_hints),
    )
    store.attributes.update(op.attributes)
    return store


@removing(V13_3, AtomicRedViewTkoOp)
def reduction_by_pointers(op: AtomicRedViewTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A reduction into a view is a masked atomic operation through pointers."""
    view = _needs_pointers(op)
    if view is None:
        return None
    pointers, mask = _pointers(op, view, Emitter(rewriter))
    atomic = rewriter.insert(
        AtomicRMWTkoOp(
            pointers,
            op.mode,
            op.value,
            ordering=op.memory_ordering_semantics,
            scope=op.memory_scope,
            mask=mask,
            token=op.token,
        )
    )
    return atomic.result_token


@removing(V13_3, GetIndexSpaceShapeOp)
def computed_index_space(op: GetIndexSpaceShapeOp, rewriter: PatternRewriter) -> Outcome:
    """The number of tiles of a strided or gather view is computed from the tensor's extents."""
    if isinstance(op.src.type, PartitionViewType):
        return None
    view = MadeView.of(op.src)
    if view is None:
        return None
    emit = Emitter(rewriter)
    results: list[SSAValue] = []
    up = RoundingModeAttr(RoundingMode.POSITIVE_INF)
    for axis, (dim, result) in enumerate(zip(view.type.get_dim_map(), op.results, strict=True)):
        count = view.extent(dim, emit)
        if axis != view.sparse:
            step = emit.integer(view.steps[axis])
            count = emit.binary(DivIOp, count, step, signedness=UNSIGNED, rounding=up)
        results.append(emit.resize(count, element_of(result), signed=False))
    return results
