"""Tensor views, tile views, and loads and stores through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import views as ir
from tileir_xdsl.dialects.cuda_tile.types import (
    DYNAMIC,
    GatherScatterViewType,
    StridedViewType,
    TensorViewType,
    TileViewType,
)
from tileir_xdsl.interpreter.access import MemoryAccess, lanes_of
from tileir_xdsl.interpreter.cuda_tile.memory import ordering_of, token_of, token_slot
from tileir_xdsl.interpreter.memory import MemoryFormat, memory_format
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder, refuse
from tileir_xdsl.interpreter.values import (
    TensorView,
    format_of,
    full,
    integer_format,
)
from tileir_xdsl.numerics import F4E2M1FN, FloatFormat

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


@builder(ir.MakeTensorViewOp)
def build_tensor_view(op: ir.MakeTensorViewOp, compiler: Compiler) -> Step:
    type = op.result.type
    assert isinstance(type, TensorViewType)
    base = compiler.slot(op.base)
    dynamic = iter(op.dynamic_shape)
    shape = [_extent(compiler, n, dynamic) for n in type.get_shape()]
    dynamic = iter(op.dynamic_strides)
    strides = [_extent(compiler, n, dynamic) for n in type.get_strides()]
    target = compiler.slot(op.result)

    def read(env: Env, entry: tuple[int, int], what: str) -> int:
        """Extents and strides are signed."""
        value, slot = entry
        if slot < 0:
            return value
        env[0].require_specified(op, env[slot + 1], f"the {what}")
        value = int(env[slot])
        if value < 0:
            raise env[0].undefined(
                op, "tensor-view", f"the {what} is negative", values={what: value}
            )
        return value

    def run(env: Env) -> None:
        env[0].require_specified(op, env[base + 1], "the address")
        env[target] = TensorView(
            int(env[base]),
            tuple([read(env, entry, "extent") for entry in shape]),
            tuple([read(env, entry, "stride") for entry in strides]),
        )

    return run


def _extent(compiler: Compiler, static: int, dynamic: Any) -> tuple[int, int]:
    """A number, and the slot that holds it instead or -1."""
    if static != DYNAMIC:
        return static, -1
    return 0, compiler.slot(next(dynamic))


@builder(ir.MakePartitionViewOp, ir.MakeStridedViewOp, ir.MakeGatherScatterViewOp)
def build_tile_view(op: Any, compiler: Compiler) -> Step:
    source, target = compiler.slot(op.tensor_view), compiler.slot(op.result)

    def run(env: Env) -> None:
        env[target] = env[source]

    return run


@builder(ir.GetTensorShapeOp)
def build_tensor_shape(op: ir.GetTensorShapeOp, compiler: Compiler) -> Step:
    return _shape_query(op, compiler, TensorView.extents)


@builder(ir.GetIndexSpaceShapeOp)
def build_index_space(op: ir.GetIndexSpaceShapeOp, compiler: Compiler) -> Step:
    type = op.src.type
    assert isinstance(type, TileViewType)
    geometry = Geometry(type)
    return _shape_query(op, compiler, geometry.index_space)


def _shape_query(op: Any, compiler: Compiler, query: Any) -> Step:
    source = compiler.slot(op.src)
    results = [(compiler.slot(r), integer_format(r)) for r in op.results]

    def run(env: Env) -> None:
        for (slot, fmt), extent in zip(results, query(env[source]), strict=True):
            env[slot] = np.asarray(extent, np.int64).astype(fmt.dtype)

    return run


def padding_value(type: TileViewType) -> Any:
    """The element that fills what lies outside the tensor; None when that is unspecified."""
    padding = type.padding
    if padding is None:
        return None
    fmt = format_of(type.get_tensor_view().element_type)
    if not isinstance(fmt, FloatFormat):
        return fmt.dtype.type(0)
    match padding.keyword:
        case "nan":
            assert fmt.canonical_nan_bits is not None
            bits = fmt.canonical_nan_bits
        case "neg_zero":
            bits = fmt.sign_bit
        case "zero":
            return np.zeros((), fmt.dtype)[()]
        case infinity:
            value = np.float64(-np.inf if infinity == "neg_inf" else np.inf)
            return value.astype(fmt.dtype)
    return fmt.from_bits(np.asarray(bits, np.uint64))[()]


class Geometry:
    """How the indices of a tile view address its tensor."""

    def __init__(self, type: TileViewType) -> None:
        self.tile = type.get_tile_shape()
        self.dims = type.get_dim_map()
        self.steps = self.tile
        if isinstance(type, StridedViewType):
            self.steps = type.get_traversal_strides()
        self.sparse = type.sparse_dim.data if isinstance(type, GatherScatterViewType) else None

    def index_space(self, view: TensorView) -> list[int]:
        """The number of indices along each tile dimension: of elements along the sparse one."""
        return [
            view.shape[dim] if axis == self.sparse else -(-view.shape[dim] // step)
            for axis, (dim, step) in enumerate(zip(self.dims, self.steps, strict=True))
        ]


class ViewAccess:
    """The view, the indices and the bounds of a view operation."""

    def __init__(self, op: Any, compiler: Compiler, *, writes: bool) -> None:
        view: SSAValue = op.view
        type = view.type
        assert isinstance(type, TileViewType)
        self.op: Operation = op
        self.checked = compiler.checked
        self.type = type
        self.geometry = Geometry(type)
        self.tile = self.geometry.tile
        element = type.get_tensor_view().element_type
        self.access = MemoryAccess(op, element, writes=writes, ordering=ordering_of(op))
        self.format: MemoryFormat = memory_format(element)
        self.view = compiler.slot(view)
        self.indices = [(compiler.slot(i), (1 << integer_format(i).width) - 1) for i in op.index]
        self.claims = [False] * len(self.tile)
        if op.inbounds is not None:
            self.claims = [bool(claim) for claim in op.inbounds.get_values()]
        self.token = token_slot(compiler, op.token)
        self.boxed = self.geometry.sparse is None and not self.format.packed

    def starts(self, env: Env, view: TensorView) -> list[Any]:
        """The first element along each tile dimension; an array along the sparse one."""
        block, geometry = env[0], self.geometry
        found: list[Any] = []
        for axis, (slot, mask) in enumerate(self.indices):
            block.require_specified(self.op, env[slot + 1], f"view index {axis}")
            extent = view.shape[geometry.dims[axis]]
            if axis == geometry.sparse:
                found.append(self._rows(env, axis, slot, mask, extent))
                continue
            # Indices are unsigned whatever their type.
            index = int(env[slot]) & mask
            step = geometry.steps[axis]
            if index * step >= extent:
                count = -(-extent // step)
                raise block.undefined(
                    self.op,
                    "index-space",
                    f"view index {axis} is outside the index space of {count}",
                    values={"index": index, "extent": extent, "tile": self.tile[axis]},
                )
            start = index * step
            if self.claims[axis] and start + self.tile[axis] > extent:
                raise block.undefined(
                    self.op,
                    "inbounds",
                    f"the tile reaches outside of dimension {axis} in spite of inbounds",
                    values={"index": index, "extent": extent, "tile": self.tile[axis]},
                )
            found.append(start)
        return found

    def _rows(self, env: Env, axis: int, slot: int, mask: int, extent: int) -> Array:
        rows = full(env[slot], (self.tile[axis],)).astype(np.int64)
        if mask < (1 << 63):
            rows = rows & mask
        outside = (rows < 0) | (rows >= extent)
        if outside.any():
            lane = int(np.flatnonzero(outside)[0])
            raise env[0].undefined(
                self.op,
                "index-space",
                f"index {lane} of the sparse dimension is outside the tensor",
                values={"index": int(rows[lane]) & mask, "extent": extent},
            )
        return rows

    def counts(self, view: TensorView, starts: list[Any]) -> tuple[int, ...]:
        """How many elements along each tile dimension lie in the tensor."""
        geometry = self.geometry
        return tuple(
            [
                n if axis == geometry.sparse else min(n, view.shape[geometry.dims[axis]] - start)
                for axis, (n, start) in enumerate(zip(self.tile, starts, strict=True))
            ]
        )

    def place(
        self, view: TensorView, starts: list[Any]
    ) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """Address, counts and byte strides of the box of elements in the tensor."""
        size = self.format.size
        counts: list[int] = []
        strides: list[int] = []
        address = view.address
        for n, dim, start in zip(self.tile, self.geometry.dims, starts, strict=True):
            stride = view.strides[dim] * size
            address += start * stride
            counts.append(min(n, view.shape[dim] - start))
            strides.append(stride)
        return address, tuple(counts), tuple(strides)

    def elements(self, view: TensorView, starts: list[Any], counts: Shape) -> Array:
        """The positions of the elements in the tensor, in elements from its start."""
        rank = len(counts)
        total = np.zeros((1,) * rank, np.int64)
        for axis, (dim, start) in enumerate(zip(self.geometry.dims, starts, strict=True)):
            along = start if axis == self.geometry.sparse else start + np.arange(counts[axis])
            shape = [-1 if k == axis else 1 for k in range(rank)]
            total = total + (along * view.strides[dim]).reshape(shape)
        return np.broadcast_to(total, counts)

    def describe_lane(self, counts: Shape) -> Any:
        return lanes_of(counts, None)


@builder(ir.LoadViewTkoOp)
def build_load_view(op: ir.LoadViewTkoOp, compiler: Compiler) -> Step:
    spec = ViewAccess(op, compiler, writes=False)
    access, tile = spec.access, spec.tile
    target, after = compiler.slot(op.tile), compiler.slot(op.result_token)
    padding = padding_value(spec.type)
    dtype = spec.format.fmt.dtype
    plain = spec.format.plain

    def run_box(env: Env) -> None:
        block, view = env[0], env[spec.view]
        starts = spec.starts(env, view)
        address, counts, strides = spec.place(view, starts)
        box = access.box(block, address, counts, strides)
        assert box is not None
        env[after] = access.watch_box(block, box, token_of(env, spec.token))
        unsure = access.unspecified_box(box)
        values = box.view if plain else access.format.load(box.view.copy())
        deliver(env, values, unsure, counts)

    def run_elements(env: Env) -> None:
        block, view = env[0], env[spec.view]
        starts = spec.starts(env, view)
        counts = spec.counts(view, starts)
        positions = spec.elements(view, starts, counts)
        lanes = spec.describe_lane(counts)
        packed = spec.format.packed
        addresses = view.address + (positions >> 1 if packed else positions * spec.format.size)
        parts = access.parts(block, addresses, lanes)
        env[after] = access.watch_parts(block, parts, token_of(env, spec.token), lanes)
        values = access.gather(parts, counts)
        if packed:
            values = nibbles(values, positions)
        deliver(env, values, access.unspecified(parts, counts), counts)

    def deliver(env: Env, values: Array, unsure: Array | None, counts: Shape) -> None:
        """Copy what was read and pad it to the tile."""
        if counts == tile:
            env[target] = values.copy()
            env[target + 1] = unsure
            return
        inside = tuple([slice(0, n) for n in counts])
        result = np.full(tile, 0 if padding is None else padding, dtype)
        result[inside] = values
        env[target] = result
        env[target + 1] = None
        if padding is not None and unsure is None:
            return
        lanes = np.full(tile, padding is None)
        lanes[inside] = False if unsure is None else unsure
        env[target + 1] = lanes

    return run_box if spec.boxed else run_elements


def nibbles(raw: Array, positions: Array) -> Array:
    """The f4 elements at `positions`, from the bytes that hold them: even ones in the low half."""
    encoded = raw.view(np.uint8)
    return F4E2M1FN.from_bits(np.where(positions & 1, encoded >> 4, encoded & 15))


@builder(ir.StoreViewTkoOp)
def build_store_view(op: ir.StoreViewTkoOp, compiler: Compiler) -> Step:
    spec = ViewAccess(op, compiler, writes=True)
    access, tile = spec.access, spec.tile
    value, after = compiler.slot(op.tile), compiler.slot(op.result_token)

    def inner(env: Env, counts: Shape) -> Array:
        """The part of the tile that lies in the tensor."""
        values, unsure = full(env[value], tile), env[value + 1]
        if counts == tile:
            env[0].require_specified(op, unsure, "the stored value")
            return values
        inside = tuple([slice(0, n) for n in counts])
        if unsure is not None:
            env[0].require_specified(op, full(unsure, tile)[inside], "the stored value")
        return values[inside]

    def run_box(env: Env) -> None:
        block, view = env[0], env[spec.view]
        starts = spec.starts(env, view)
        address, counts, strides = spec.place(view, starts)
        values = inner(env, counts)
        box = access.box(block, address, counts, strides)
        assert box is not None
        if compiler.checked:
            access.refuse_overlap(block, box)
        env[after] = access.watch_box(block, box, token_of(env, spec.token))
        box.view[...] = access.format.store(values)
        access.specify_box(box)

    def run_elements(env: Env) -> None:
        block, view = env[0], env[spec.view]
        starts = spec.starts(env, view)
        counts = spec.counts(view, starts)
        values = inner(env, counts)
        positions = spec.elements(view, starts, counts)
        lanes = spec.describe_lane(counts)
        packed = spec.format.packed
        addresses = view.address + (positions >> 1 if packed else positions * spec.format.size)
        parts = access.parts(block, addresses, lanes)
        if compiler.checked and not packed:
            access.refuse_duplicates(block, parts, lanes)
        env[after] = access.watch_parts(block, parts, token_of(env, spec.token), lanes)
        if packed:
            store_nibbles(parts, positions, values)
        else:
            access.scatter(parts, values)
        access.specify(parts)

    return run_box if spec.boxed else run_elements


def store_nibbles(parts: Any, positions: Array, values: Array) -> None:
    """Write f4 elements, each into its half of a byte."""
    encoded = F4E2M1FN.to_bits(values)
    odd = (positions & 1) != 0
    for part in parts:
        memory = part.typed.view(np.uint8)
        index = np.broadcast_to(part.index, positions.shape)
        for half, keep, shift in ((~odd, 0xF0, 0), (odd, 0x0F, 4)):
            where = index[half]
            memory[where] = (memory[where] & keep) | (encoded[half] << shift)


for _multimem in (
    ir.MultimemLoadReduceViewTkoOp,
    ir.MultimemReduceViewTkoOp,
    ir.MultimemStoreViewTkoOp,
):
    refuse(_multimem, "multicast memory spans several devices, and there is one here")

__all__ = ["ViewAccess"]
