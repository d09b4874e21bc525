"""The `tile_sugar` dialect: the level at which a person writes a kernel.

Tiles of any static shape, NumPy broadcasting, implicit promotion, row reductions, library
operations, and slices of tensors that may run past the end. It lowers to `cuda_tile` in steps that
are each valid, printable and executable.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tileir_xdsl.dialects.tile_sugar import (
    elementwise,
    kernel,
    library,
    memory,
    reductions,
    shapes,
    sweep,
)
from tileir_xdsl.dialects.tile_sugar.attributes import (
    AtomicModeAttr,
    CombineKindAttr,
    ComparePredicateAttr,
    FastMathAttr,
)
from tileir_xdsl.dialects.tile_sugar.base import TileSugarOp
from tileir_xdsl.dialects.tile_sugar.types import TYPES

OPERATIONS: tuple[type[TileSugarOp], ...] = tuple(
    sorted(
        (
            *elementwise.OPERATIONS,
            *kernel.OPERATIONS,
            *library.OPERATIONS,
            *memory.OPERATIONS,
            *reductions.OPERATIONS,
            *shapes.OPERATIONS,
            *sweep.OPERATIONS,
        ),
        key=lambda op: op.name,
    )
)
"""All operations, by name."""

TileSugar = Dialect(
    "tile_sugar",
    list(OPERATIONS),
    [*TYPES, AtomicModeAttr, CombineKindAttr, ComparePredicateAttr, FastMathAttr],
)
