"""Matrix products of an entry, and which of their results registers hold at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation

from tileir_xdsl.analysis.constants import tile_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import MmaFOp, MmaFScaledOp, MmaIOp
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, LoopOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp

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


def loops_around(op: Operation) -> Iterator[ForOp | LoopOp]:
    """The loops of an entry that an operation is in, inner ones first."""
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, EntryOp):
        if isinstance(outer, ForOp | LoopOp):
            yield outer
        outer = outer.parent_op()


def _held_with(product: Operation, products: Sequence[Operation]) -> list[Operation]:
    blocks = [product.parent, *(loop.region.block for loop in loops_around(product))]
    return [op for op in products if op.parent in blocks]


def accumulated_elements(entry: EntryOp) -> int:
    """Elements of the products whose results are held at once, at most; 0 without products."""
    return max(map(_elements, products_held_together(entry)), default=0)


def _elements(products: Sequence[Operation]) -> int:
    return sum(tile_of(op.results[0]).num_elements for op in products)
