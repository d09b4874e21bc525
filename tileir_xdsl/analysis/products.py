"""Matrix products of an entry, and which of their results registers hold at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile.arithmetic import MmaFOp, MmaFScaledOp, MmaIOp
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, LoopOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.types import TileType

PRODUCTS = (MmaFOp, MmaIOp, MmaFScaledOp)


def has_products(entry: EntryOp) -> bool:
    return any(isinstance(op, PRODUCTS) for op in entry.walk())


def products_held_together(entry: EntryOp) -> list[list[Operation]]:
    """For each product those of its block and of the loops around it, itself among them.

    What comes before or behind a loop has the registers to itself: a loop that goes on where
    another ended holds the same accumulator.
    """
    products = [op for op in entry.walk() if isinstance(op, PRODUCTS)]
    return [_held_with(op, products) for op in products]


def _held_with(product: Operation, products: Sequence[Operation]) -> list[Operation]:
    blocks = [product.parent]
    outer = product.parent_op()
    while outer is not None and not isinstance(outer, EntryOp):
        if isinstance(outer, ForOp | LoopOp):
            blocks.append(outer.region.block)
        outer = outer.parent_op()
    return [op for op in products if op.parent in blocks]


def accumulated_elements(entry: EntryOp) -> int:
    """Elements of the products whose results are held at once, at most; 0 without products."""
    return max(map(_elements, products_held_together(entry)), default=0)


def _elements(products: Sequence[Operation]) -> int:
    types = [op.results[0].type for op in products]
    return sum(prod(type.get_shape()) for type in types if isinstance(type, TileType))
