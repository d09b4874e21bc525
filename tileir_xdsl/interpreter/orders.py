"""The orders in which a reduction or a scan may combine its elements.

Tile IR leaves the order open; a run fixes one. For `reduce` it is `tree`: a balanced tree over the
extent rounded up to a power of two, low half with high half, absent elements skipped, so that the
result does not change when a tile is padded. For `scan` it is `sequential`, left to right. The
others are for finding out whether a result depends on the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Item = tuple[Array, Array | None]
"""Values and their unspecified lanes."""
Items = list[Item]
"""One item for each operand of a reduction."""
Combine = Callable[[Items, Items], Items]
"""Combine accumulators with elements."""

REDUCE_ORDERS = (
    "tree",
    "sequential",
    "reversed",
    "halves",
    "shuffled",
    "identity-front",
    "identity-middle",
)
SCAN_ORDERS = ("sequential", "tree", "identity-front")
ORDERS = REDUCE_ORDERS


def take(items: Items, axis: int, index: Any) -> Items:
    """A part of the items along an axis: a slice keeps it, a number drops it."""
    place = (slice(None),) * axis + (index,)
    if isinstance(index, int):
        # Of an array of rank 1 NumPy answers a scalar.
        return [
            (np.asarray(values[place]), None if lanes is None else np.asarray(lanes[place]))
            for values, lanes in items
        ]
    return [(values[place], None if lanes is None else lanes[place]) for values, lanes in items]


def join(first: Items, second: Items, axis: int) -> Items:
    """Items one after the other along an axis."""
    joined: Items = []
    for (a, x), (b, y) in zip(first, second, strict=True):
        a, b = _spread(a, b, axis)
        joined.append((np.concatenate((a, b), axis=axis), _join_lanes(a, x, b, y, axis)))
    return joined


def _spread(a: Array, b: Array, axis: int) -> tuple[Array, Array]:
    """Two arrays with equal extents but along the axis: either may have all elements equal."""
    shapes = [(*v.shape[:axis], 1, *v.shape[axis + 1 :]) for v in (a, b)]
    if shapes[0] == shapes[1]:
        return a, b
    common = np.broadcast_shapes(*shapes)
    return (
        np.broadcast_to(a, (*common[:axis], a.shape[axis], *common[axis + 1 :])),
        np.broadcast_to(b, (*common[:axis], b.shape[axis], *common[axis + 1 :])),
    )


def _join_lanes(a: Array, x: Array | None, b: Array, y: Array | None, axis: int) -> Array | None:
    if x is None and y is None:
        return None
    x = np.zeros(a.shape, np.bool_) if x is None else np.broadcast_to(x, a.shape)
    y = np.zeros(b.shape, np.bool_) if y is None else np.broadcast_to(y, b.shape)
    return np.concatenate((x, y), axis=axis)


def tree(items: Items, axis: int, combine: Combine) -> Items:
    """Combine neighbours, then neighbours of the results, until one is left."""
    extent = items[0][0].shape[axis]
    while extent > 1:
        pairs = extent // 2
        combined = combine(
            take(items, axis, slice(0, 2 * pairs, 2)), take(items, axis, slice(1, None, 2))
        )
        if extent % 2:
            combined = join(combined, take(items, axis, slice(extent - 1, None)), axis)
        items = combined
        extent = items[0][0].shape[axis]
    return take(items, axis, 0)


def sequential(items: Items, axis: int, combine: Combine) -> Items:
    """Left to right."""
    total = take(items, axis, 0)
    for position in range(1, items[0][0].shape[axis]):
        total = combine(total, take(items, axis, position))
    return total


def halves(items: Items, axis: int, combine: Combine) -> Items:
    """Element k with element k + n/2, and so on: what code without shuffles within a row does."""
    extent = items[0][0].shape[axis]
    while extent > 1:
        middle = (extent + 1) // 2
        low, high = (
            take(items, axis, slice(0, extent - middle)),
            take(items, axis, slice(middle, None)),
        )
        combined = combine(low, high)
        if extent % 2:
            combined = join(combined, take(items, axis, slice(middle - 1, middle)), axis)
        items = combined
        extent = middle
    return take(items, axis, 0)


def reduce_in_order(
    order: str, items: Items, axis: int, combine: Combine, identities: Sequence[Array], seed: int
) -> Items:
    """Reduce along an axis in one of `REDUCE_ORDERS`."""
    extent = items[0][0].shape[axis]
    match order:
        case "sequential":
            return sequential(items, axis, combine)
        case "halves":
            return halves(items, axis, combine)
        case "reversed":
            items = take(items, axis, slice(None, None, -1))
        case "shuffled":
            items = take(items, axis, np.random.default_rng(seed).permutation(extent))
        case "identity-front":
            items = join(identity_items(items, axis, identities), items, axis)
        case "identity-middle":
            low = take(items, axis, slice(0, extent // 2))
            high = take(items, axis, slice(extent // 2, None))
            items = join(join(low, identity_items(items, axis, identities), axis), high, axis)
        case _:
            pass
    return tree(items, axis, combine)


def identity_items(items: Items, axis: int, identities: Sequence[Array]) -> Items:
    """The identities as items of extent 1 along the axis."""
    return [
        (np.broadcast_to(identity, (*v.shape[:axis], 1, *v.shape[axis + 1 :])), None)
        for identity, (v, _) in zip(identities, items, strict=True)
    ]


def scan_in_order(
    order: str, items: Items, axis: int, combine: Combine, identities: Sequence[Array]
) -> Items:
    """The inclusive prefixes along an axis, in one of `SCAN_ORDERS`."""
    if order == "tree":
        return _prefix_tree(items, axis, combine)
    total = take(items, axis, 0)
    if order == "identity-front":
        total = combine(take(identity_items(items, axis, identities), axis, 0), total)
    prefixes = [total]
    for position in range(1, items[0][0].shape[axis]):
        total = combine(total, take(items, axis, position))
        prefixes.append(total)
    return stack(prefixes, axis)


def stack(parts: Sequence[Items], axis: int) -> Items:
    """Items without an axis, one after the other along it."""
    stacked: Items = []
    for operand in range(len(parts[0])):
        values = [part[operand][0] for part in parts]
        shape = np.broadcast_shapes(*(v.shape for v in values))
        array = np.stack([np.broadcast_to(v, shape) for v in values], axis=axis)
        masks = [part[operand][1] for part in parts]
        lanes = None
        if any(mask is not None for mask in masks):
            clear = np.zeros(shape, np.bool_)
            lanes = np.stack(
                [clear if m is None else np.broadcast_to(m, shape) for m in masks], axis=axis
            )
        stacked.append((array, lanes))
    return stacked


def _prefix_tree(items: Items, axis: int, combine: Combine) -> Items:
    """Every prefix as a balanced combination (Hillis and Steele, 1986)."""
    extent, distance = items[0][0].shape[axis], 1
    while distance < extent:
        combined = combine(
            take(items, axis, slice(0, extent - distance)), take(items, axis, slice(distance, None))
        )
        items = join(take(items, axis, slice(0, distance)), combined, axis)
        distance *= 2
    return items
