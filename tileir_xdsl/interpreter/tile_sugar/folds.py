"""Reductions and scans, in the order that the dialect fixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute, Region

from tileir_xdsl.dialects.tile_sugar import reductions
from tileir_xdsl.dialects.tile_sugar.expansion import KINDS, combination
from tileir_xdsl.dialects.tile_sugar.reductions import identity_attr, wide
from tileir_xdsl.dialects.tile_sugar.types import element_of, shape_of
from tileir_xdsl.interpreter.orders import (
    Combine,
    Items,
    identity_items,
    join,
    reduce_in_order,
    scan_in_order,
    sequential,
    take,
)
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, Target, builder
from tileir_xdsl.interpreter.tile_sugar.elementwise import by_expansion, number_array
from tileir_xdsl.interpreter.values import format_of, full
from tileir_xdsl.numerics import FloatFormat
from tileir_xdsl.numerics.convert import ftof

Array = npt.NDArray[Any]


class Combination:
    """A region over scalars as a function of arrays."""

    def __init__(self, region: Region, compiler: Compiler, results: int) -> None:
        block = region.block
        self.region = region
        self.arguments = compiler.slots(block.args)
        self.yielded = [compiler.fresh() for _ in range(results)]
        self.body = compiler.compile_block(block, Target("sweep", yielded=self.yielded))

    def run(self, env: Env, items: Items) -> Items:
        """What the region yields, in shapes that broadcast to that of the result."""
        for slot, (values, lanes) in zip(self.arguments, items, strict=True):
            env[slot] = values
            env[slot + 1] = lanes
        self.body.run(env)
        return [(env[slot], env[slot + 1]) for slot in self.yielded]

    def apply(self, env: Env, items: Items) -> Items:
        """What the region yields for arrays of shapes that broadcast."""
        results = self.run(env, items)
        shape = np.broadcast_shapes(*(values.shape for values, _ in items))
        return [(full(values, shape), lanes) for values, lanes in results]

    def combine(self, env: Env) -> Combine:
        return lambda first, second: self.apply(env, [*first, *second])


def _whole_axis(values: Array, axis: int, extent: int) -> Array:
    """An array with all elements along an axis."""
    if values.shape[axis] == extent:
        return values
    return np.broadcast_to(values, (*values.shape[:axis], extent, *values.shape[axis + 1 :]))


def _items(arrays: Items, axis: int, extent: int) -> Items:
    """Arrays of one shape, with all elements along an axis."""
    found: Items = []
    for values, lanes in arrays:
        lanes = None if lanes is None else np.broadcast_to(lanes, values.shape)
        found.append(
            (
                _whole_axis(values, axis, extent),
                None if lanes is None else _whole_axis(lanes, axis, extent),
            )
        )
    return _joint(found)


def _read(env: Env, slots: Sequence[int]) -> Items:
    return [(env[slot], env[slot + 1]) for slot in slots]


def _of_rank(items: Items, rank: int) -> Items:
    """Scalars among some arrays with an extent of 1 in all dimensions."""
    return [
        (values if values.ndim else values.reshape((1,) * rank), lanes) for values, lanes in items
    ]


def _joint(items: Items) -> Items:
    """Arrays of one shape: what trees leave over is put beside what they combine."""
    shape = np.broadcast_shapes(*(values.shape for values, _ in items))
    return [
        (full(values, shape), None if lanes is None else np.broadcast_to(lanes, shape))
        for values, lanes in items
    ]


def _deliver(env: Env, targets: Sequence[int], items: Items, axis: int | None) -> None:
    for target, (values, lanes) in zip(targets, items, strict=True):
        if axis is not None:
            values = np.expand_dims(values, axis)
            lanes = None if lanes is None else np.expand_dims(lanes, axis)
        env[target] = np.asarray(values)
        env[target + 1] = lanes


@builder(*KINDS)
def build_reduction(op: Any, compiler: Compiler) -> Step:
    """`rowsum` and its kind: f16 and bf16 sum in f32."""
    if op.ordered is not None:
        return by_expansion(op, compiler)
    kind = KINDS[type(op)]
    element: Attribute = element_of(op.source.type)
    accumulated = wide(element) if kind == "sum" else element
    combined = Combination(combination([kind], [accumulated]), compiler, 1)
    identities = [number_array(identity_attr(kind, accumulated))]
    source, target = compiler.slot(op.source), compiler.slot(op.result)
    axis: int = op.dimension
    extent = shape_of(op.source.type)[axis]
    order, seed = compiler.options.order, compiler.options.seed
    narrow, broad = format_of(element), format_of(accumulated)

    def run(env: Env) -> None:
        items = _items(_read(env, [source]), axis, extent)
        if narrow is not broad:
            items = [(_converted(v, narrow, broad), lanes) for v, lanes in items]
        total = reduce_in_order(order, items, axis, combined.combine(env), identities, seed)
        if narrow is not broad:
            total = [(_converted(v, broad, narrow), lanes) for v, lanes in total]
        _deliver(env, [target], total, axis)

    return run


def _converted(values: Array, source: Any, target: Any) -> Array:
    assert isinstance(source, FloatFormat)
    assert isinstance(target, FloatFormat)
    return ftof(values, source, target)


class _Fold:
    """A `reduce` or `scan`, compiled."""

    def __init__(self, op: reductions.FoldOp, compiler: Compiler) -> None:
        self.axis = op.dimension
        self.shape = op.shape
        self.extent = self.shape[self.axis]
        self.sources = compiler.slots(op.inputs)
        self.targets = compiler.slots(op.results)
        self.inits = compiler.slots(op.inits)
        count = len(op.results)
        self.map = Combination(op.map_region, compiler, count) if op.map_region.blocks else None
        words = op.kind_words
        region = op.combine_region if words is None else combination(words, op.elements)
        self.combination = Combination(region, compiler, count)
        self.identities = [number_array(value) for value in op.identity_attrs()]

    def items(self, env: Env) -> Items:
        items = _read(env, self.sources)
        if self.map is not None:
            items = _of_rank(self.map.run(env, items), len(self.shape))
        return _items(items, self.axis, self.extent)

    def begin(self, env: Env, items: Items) -> Items:
        """The results with the inits combined in front; `items` have the rank of the tile."""
        if not self.inits:
            return items
        inits = _of_rank(_read(env, self.inits), len(self.shape))
        return self.combination.apply(env, [*inits, *items])


@builder(reductions.ReduceOp)
def build_reduce(op: reductions.ReduceOp, compiler: Compiler) -> Step:
    fold = _Fold(op, compiler)
    axis, order, seed = fold.axis, compiler.options.order, compiler.options.seed
    ordered = op.ordered is not None

    def run(env: Env) -> None:
        combine = fold.combination.combine(env)
        items = fold.items(env)
        if ordered and fold.inits:
            start = fold.begin(env, take(items, axis, slice(0, 1)))
            items = join(_spread(start, items, axis), take(items, axis, slice(1, None)), axis)
        if ordered:
            total = sequential(items, axis, combine)
        else:
            total = reduce_in_order(order, items, axis, combine, fold.identities, seed)
        kept: Items = [
            (np.expand_dims(v, axis), None if m is None else np.expand_dims(m, axis))
            for v, m in total
        ]
        _deliver(env, fold.targets, kept if ordered else fold.begin(env, kept), None)

    return run


def _spread(start: Items, items: Items, axis: int) -> Items:
    """The first elements in the extents that the others have."""
    spread: Items = []
    for (values, lanes), (whole, _) in zip(start, items, strict=True):
        shape = (*whole.shape[:axis], 1, *whole.shape[axis + 1 :])
        shape = np.broadcast_shapes(values.shape, shape)
        spread.append((np.broadcast_to(values, shape), lanes))
    return spread


@builder(reductions.ScanOp)
def build_scan(op: reductions.ScanOp, compiler: Compiler) -> Step:
    fold = _Fold(op, compiler)
    axis = fold.axis
    reverse, exclusive = op.reverse is not None, op.exclusive is not None
    flip = slice(None, None, -1)
    chosen = compiler.options.order
    order = {"tree": "sequential", "halves": "tree", "shuffled": "tree"}.get(chosen, chosen)

    def run(env: Env) -> None:
        items = fold.items(env)
        if reverse:
            items = take(items, axis, flip)
        combine = fold.combination.combine(env)
        prefixes = scan_in_order(order, items, axis, combine, fold.identities)
        if exclusive:
            first = identity_items(prefixes, axis, fold.identities)
            prefixes = join(first, take(prefixes, axis, slice(0, -1)), axis)
        if reverse:
            prefixes = take(prefixes, axis, flip)
        _deliver(env, fold.targets, fold.begin(env, prefixes), None)

    return run
