"""Constants, shapes, selection, packing, pointers, the grid."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import core as ir
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.types import PtrType
from tileir_xdsl.interpreter.elementwise import raw
from tileir_xdsl.interpreter.memory import REGION_BITS, memory_format
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.values import (
    format_of,
    full,
    integer_format,
    merge,
    number_format,
    tile_type,
)
from tileir_xdsl.numerics import F4E2M1FN, TF32, bits
from tileir_xdsl.numerics import integer as integers

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


def dense_array(value: DenseElementsAttr) -> Array:
    """Constant data in the storage of its format; a splat has extents 1."""
    fmt = format_of(value.type.element_type)
    shape = (1,) * value.type.rank if value.is_splat else value.type.get_shape()
    if fmt is TF32:
        encoded = np.array(value.bits(), np.uint64)
    else:
        encoded = np.frombuffer(value.raw, fmt.bits_dtype.newbyteorder("<"))
    array = fmt.from_bits(encoded).reshape(shape)
    array.flags.writeable = False
    return array


@builder(ir.ConstantOp, elementwise=True)
def build_constant(op: ir.ConstantOp, compiler: Compiler) -> None:
    compiler.preset(op.result, dense_array(op.value))


@builder(ir.IotaOp)
def build_iota(op: ir.IotaOp, compiler: Compiler) -> None:
    (extent,) = tile_type(op.result).get_shape()
    fmt = integer_format(op.result)
    compiler.preset(op.result, integers.wrap(np.arange(extent), fmt))


# Shapes.


@builder(ir.BroadcastOp)
def build_broadcast(op: ir.BroadcastOp, compiler: Compiler) -> Step:
    """Nothing to do: an extent of 1 stands for any number of equal elements."""
    source, target = compiler.slot(op.source), compiler.slot(op.result)

    def run(env: Env) -> None:
        env[target] = env[source]
        env[target + 1] = env[source + 1]

    return run


def _shape_step(
    op: Operation, compiler: Compiler, change: Any, source: SSAValue | None = None
) -> Step:
    """The step that rearranges the elements of a tile, and its unspecified lanes alike."""
    a = compiler.slot(op.operands[0] if source is None else source)
    target = compiler.slot(op.results[0])

    def run(env: Env) -> None:
        env[target] = change(env[a])
        lanes = env[a + 1]
        env[target + 1] = None if lanes is None else change(lanes)

    return run


@builder(ir.ReshapeOp)
def build_reshape(op: ir.ReshapeOp, compiler: Compiler) -> Step:
    before, after = tile_type(op.source).get_shape(), tile_type(op.result).get_shape()
    ones = (1,) * len(after)
    moves = _unit_reshape(before, after)

    def change(values: Array) -> Array:
        if values.size == 1:
            return values.reshape(ones)
        if values.shape == before:
            return values.reshape(after)
        if moves is not None:
            extents = values.shape
            return values.reshape([1 if m is None else extents[m] for m in moves])
        return np.broadcast_to(values, before).reshape(after)

    return _shape_step(op, compiler, change)


def _unit_reshape(before: Shape, after: Shape) -> list[int | None] | None:
    """Where each extent comes from, if the reshape only adds and drops extents of 1."""
    axes = [axis for axis, extent in enumerate(before) if extent != 1]
    if [before[axis] for axis in axes] != [extent for extent in after if extent != 1]:
        return None
    remaining = iter(axes)
    return [None if extent == 1 else next(remaining) for extent in after]


@builder(ir.PermuteOp)
def build_permute(op: ir.PermuteOp, compiler: Compiler) -> Step:
    axes = tuple(int(axis) for axis in op.permutation.get_values())

    def change(values: Array) -> Array:
        return values.transpose(axes)

    return _shape_step(op, compiler, change)


@builder(ir.CatOp)
def build_cat(op: ir.CatOp, compiler: Compiler) -> Step:
    axis = op.dim.value.data
    a, b = compiler.slots(op.operands)
    first, second = tile_type(op.lhs).get_shape(), tile_type(op.rhs).get_shape()
    target = compiler.slot(op.result)

    def join(x: Array | None, y: Array | None) -> Array | None:
        if x is None and y is None:
            return None
        x = np.zeros((1,) * len(first), np.bool_) if x is None else x
        y = np.zeros((1,) * len(second), np.bool_) if y is None else y
        return np.concatenate((full(x, first), full(y, second)), axis=axis)

    def run(env: Env) -> None:
        env[target] = join(env[a], env[b])
        env[target + 1] = join(env[a + 1], env[b + 1])

    return run


class SubTile:
    """Reads the slice numbers of `extract` and `insert`."""

    def __init__(self, op: Any, compiler: Compiler, whole: SSAValue, piece: SSAValue) -> None:
        self.op = op
        self.slots = compiler.slots(op.indices)
        self.extents = tile_type(piece).get_shape()
        shape = tile_type(whole).get_shape()
        self.counts = tuple(n // m for n, m in zip(shape, self.extents, strict=True))

    def starts(self, env: Env) -> list[int]:
        found: list[int] = []
        for axis, (slot, count, extent) in enumerate(
            zip(self.slots, self.counts, self.extents, strict=True)
        ):
            env[0].require_specified(self.op, env[slot + 1], f"slice index {axis}")
            index = int(env[slot])
            if not 0 <= index < count:
                raise env[0].undefined(
                    self.op,
                    "slice-index",
                    f"slice index {axis} is not in 0 to {count - 1}",
                    values={"index": index},
                )
            found.append(index * extent)
        return found


@builder(ir.ExtractOp)
def build_extract(op: ir.ExtractOp, compiler: Compiler) -> Step:
    sub = SubTile(op, compiler, op.source, op.result)
    a, target = compiler.slot(op.source), compiler.slot(op.result)
    extents = sub.extents

    def run(env: Env) -> None:
        starts = sub.starts(env)

        def cut(values: Array) -> Array:
            return values[
                tuple(
                    slice(None) if have == 1 else slice(start, start + extent)
                    for have, start, extent in zip(values.shape, starts, extents, strict=True)
                )
            ]

        env[target] = np.asarray(cut(env[a]))
        lanes = env[a + 1]
        env[target + 1] = None if lanes is None else np.asarray(cut(lanes))

    return run


@builder(ir.InsertOp)
def build_insert(op: ir.InsertOp, compiler: Compiler) -> Step:
    sub = SubTile(op, compiler, op.destination, op.source)
    a, b = compiler.slot(op.source), compiler.slot(op.destination)
    target = compiler.slot(op.result)
    shape, extents = tile_type(op.destination).get_shape(), sub.extents

    def run(env: Env) -> None:
        place = tuple(
            slice(start, start + extent)
            for start, extent in zip(sub.starts(env), extents, strict=True)
        )
        result = np.array(full(env[b], shape))
        result[place] = env[a]
        env[target] = result
        source, destination = env[a + 1], env[b + 1]
        if source is None and destination is None:
            env[target + 1] = None
            return
        lanes = np.zeros(shape, np.bool_)
        lanes |= False if destination is None else destination
        lanes[place] = False if source is None else source
        env[target + 1] = lanes

    return run


@builder(ir.PackOp)
def build_pack(op: ir.PackOp, compiler: Compiler) -> Step:
    fmt = number_format(op.source)
    shape, width = tile_type(op.source).get_shape(), number_format(op.source).packed_width
    return _repack(op, compiler, partial(raw(bits.pack), src=fmt), shape, width, 8)


@builder(ir.UnpackOp)
def build_unpack(op: ir.UnpackOp, compiler: Compiler) -> Step:
    fmt = number_format(op.result)
    shape = tile_type(op.source).get_shape()
    return _repack(op, compiler, partial(raw(bits.unpack), dst=fmt), shape, 8, fmt.packed_width)


def _repack(
    op: Operation, compiler: Compiler, function: Any, shape: Shape, before: int, after: int
) -> Step:
    a, target = compiler.slot(op.operands[0]), compiler.slot(op.results[0])

    def run(env: Env) -> None:
        env[target] = function(full(env[a], shape))
        lanes = env[a + 1]
        env[target + 1] = None if lanes is None else spread(full(lanes, shape))

    def spread(lanes: Array) -> Array:
        """An element is unspecified when one of its bits is."""
        if after <= before:
            return np.repeat(lanes, before // after)
        return np.asarray(lanes.reshape(-1, after // before).any(axis=-1))

    return run


# Selection.


@builder(ir.SelectOp, elementwise=True)
def build_select(op: ir.SelectOp, compiler: Compiler) -> Step:
    c, a, b = compiler.slots(op.operands)
    target = compiler.slot(op.result)

    def run(env: Env) -> None:
        condition = env[c]
        env[target] = np.where(condition, env[a], env[b])
        unsure, first, second = env[c + 1], env[a + 1], env[b + 1]
        if first is None and second is None:
            env[target + 1] = unsure
            return
        first = np.False_ if first is None else first
        second = np.False_ if second is None else second
        env[target + 1] = merge(unsure, np.where(condition, first, second))

    return run


# Pointers and the grid.


@builder(ir.OffsetOp, elementwise=True)
def build_offset(op: ir.OffsetOp, compiler: Compiler) -> Step:
    """Moves pointers by elements; offsets are signed."""
    a, b = compiler.slot(op.ptr), compiler.slot(op.offset)
    target = compiler.slot(op.result)
    element = tile_type(op.ptr).element_type
    assert isinstance(element, PtrType)
    size = memory_format(element.pointee_type).size
    fmt = integer_format(op.offset)
    halves = format_of(element.pointee_type) is F4E2M1FN
    limit = (1 << (REGION_BITS - 2)) // size
    wide = fmt.width == 64

    def run(env: Env) -> None:
        offsets = integers.read_signed(env[b], fmt).astype(np.int64)
        if wide:
            # Far outside is as undefined as very far outside, but stays in the buffer's region.
            offsets = np.clip(offsets, -limit, limit)
        if halves:
            env[0].refuse_lanes(
                op,
                "misaligned",
                "a pointer to f4E2M1FN moves by whole bytes, two elements each",
                np.asarray(offsets & 1) != 0,
                env[b + 1],
                {"offset": offsets},
            )
            offsets = offsets >> 1
        env[target] = np.asarray(env[a] + offsets * size)
        env[target + 1] = merge(env[a + 1], env[b + 1])

    return run


@builder(ir.GetTileBlockIdOp)
def build_block_id(op: ir.GetTileBlockIdOp, compiler: Compiler) -> Step:
    x, y, z = compiler.slots(op.results)

    def run(env: Env) -> None:
        id = env[0].id
        env[x] = np.asarray(id[0], np.int32)
        env[y] = np.asarray(id[1], np.int32)
        env[z] = np.asarray(id[2], np.int32)

    return run


@builder(ir.GetNumTileBlocksOp)
def build_grid(op: ir.GetNumTileBlocksOp, compiler: Compiler) -> Step:
    x, y, z = compiler.slots(op.results)

    def run(env: Env) -> None:
        grid = env[0].launch.grid
        env[x] = np.asarray(grid[0], np.int32)
        env[y] = np.asarray(grid[1], np.int32)
        env[z] = np.asarray(grid[2], np.int32)

    return run


@builder(ir.GetGlobalOp)
def build_get_global(op: ir.GetGlobalOp, compiler: Compiler) -> Step:
    name = op.symbol.root_reference.data
    target = compiler.slot(op.result)

    def run(env: Env) -> None:
        env[target] = np.asarray(env[0].launch.globals[name], np.int64)

    return run
