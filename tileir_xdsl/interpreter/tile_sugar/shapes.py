"""Operations on the shape of a tile, as NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tileir_xdsl.dialects.tile_sugar import shapes as ir
from tileir_xdsl.dialects.tile_sugar.types import shape_of
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.values import full

Array = npt.NDArray[Any]


def rearranged(
    op: Any, compiler: Compiler, sources: Sequence[Any], arrange: Callable[..., Array]
) -> Step:
    """The step that moves whole tiles and, in the same way, their unspecified lanes."""
    slots, target = compiler.slots(sources), compiler.slot(op.results[0])
    shapes = [shape_of(source.type) for source in sources]

    def run(env: Env) -> None:
        values = [full(env[slot], shape) for slot, shape in zip(slots, shapes, strict=True)]
        env[target] = arrange(*values)
        masks = [env[slot + 1] for slot in slots]
        if all(mask is None for mask in masks):
            env[target + 1] = None
            return
        lanes = [
            np.zeros(shape, np.bool_) if mask is None else np.broadcast_to(mask, shape)
            for mask, shape in zip(masks, shapes, strict=True)
        ]
        env[target + 1] = arrange(*lanes)

    return run


@builder(ir.TransposeOp)
def build_transpose(op: ir.TransposeOp, compiler: Compiler) -> Step:
    return rearranged(op, compiler, [op.source], np.transpose)


@builder(ir.PermuteOp)
def build_permute(op: ir.PermuteOp, compiler: Compiler) -> Step:
    order: tuple[int, ...] = tuple(cast(Any, op.order).get_values())
    return rearranged(op, compiler, [op.source], partial(np.transpose, axes=order))


@builder(ir.ReshapeOp, ir.FlatOp)
def build_reshape(op: Any, compiler: Compiler) -> Step:
    shape = shape_of(op.result.type)
    return rearranged(op, compiler, [op.source], partial(np.reshape, shape=shape))


@builder(ir.ConcatOp)
def build_concat(op: ir.ConcatOp, compiler: Compiler) -> Step:
    axis = op.dimension

    def concatenated(a: Array, b: Array) -> Array:
        return np.concatenate((a, b), axis=axis)

    return rearranged(op, compiler, [op.lhs, op.rhs], concatenated)


class Offsets:
    """The offsets of a piece, checked when they are known."""

    def __init__(
        self, op: Any, compiler: Compiler, piece: Sequence[int], whole: Sequence[int]
    ) -> None:
        self.op = op
        self.piece = tuple(piece)
        self.whole = tuple(whole)
        self.indices = [
            index if isinstance(index, int) else (compiler.slot(index),)
            for index in op.all_indices()
        ]

    def slices(self, env: Env) -> tuple[slice, ...]:
        """Where the piece lies; raises where it leaves the tile or is not aligned to it."""
        found: list[slice] = []
        for dim, index in enumerate(self.indices):
            start = index if isinstance(index, int) else int(env[index[0]])
            if not isinstance(index, int):
                env[0].require_specified(self.op, env[index[0] + 1], "an offset")
            part, whole = self.piece[dim], self.whole[dim]
            if start % part or not 0 <= start <= whole - part:
                raise env[0].undefined(
                    self.op,
                    "slice-index",
                    f"offset {start} of dimension {dim} is no multiple of {part} within {whole}",
                )
            found.append(slice(start, start + part))
        return tuple(found)


@builder(ir.ExtractOp)
def build_extract(op: ir.ExtractOp, compiler: Compiler) -> Step:
    whole = shape_of(op.source.type)
    offsets = Offsets(op, compiler, shape_of(op.result.type), whole)
    source, target = compiler.slot(op.source), compiler.slot(op.result)

    def run(env: Env) -> None:
        place = offsets.slices(env)
        env[target] = full(env[source], whole)[place]
        lanes = env[source + 1]
        env[target + 1] = None if lanes is None else np.broadcast_to(lanes, whole)[place]

    return run


@builder(ir.InsertOp)
def build_insert(op: ir.InsertOp, compiler: Compiler) -> Step:
    whole = shape_of(op.destination.type)
    part = shape_of(op.piece.type)
    offsets = Offsets(op, compiler, part, whole)
    piece, destination = compiler.slot(op.piece), compiler.slot(op.destination)
    target = compiler.slot(op.result)

    def run(env: Env) -> None:
        place = offsets.slices(env)
        result = np.array(full(env[destination], whole))
        result[place] = full(env[piece], part)
        env[target] = result
        old, new = env[destination + 1], env[piece + 1]
        if old is None and new is None:
            env[target + 1] = None
            return
        lanes = np.zeros(whole, np.bool_) if old is None else np.array(np.broadcast_to(old, whole))
        lanes[place] = False if new is None else new
        env[target + 1] = lanes

    return run
