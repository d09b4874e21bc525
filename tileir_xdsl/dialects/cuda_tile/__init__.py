"""NVIDIA's `cuda_tile` dialect, versions 13.1 to 13.5."""

from __future__ import annotations

from xdsl.ir import Attribute, Dialect

from tileir_xdsl.dialects.cuda_tile import (
    arithmetic,
    atomics,
    control_flow,
    conversions,
    core,
    memory,
    misc,
    views,
)
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ENUM_ATTRIBUTES,
    BoundedAttr,
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
    DivByAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr
from tileir_xdsl.dialects.cuda_tile.types import TYPES

OPERATIONS: tuple[type[CudaTileOp], ...] = tuple(
    sorted(
        (
            *arithmetic.OPERATIONS,
            *atomics.OPERATIONS,
            *control_flow.OPERATIONS,
            *conversions.OPERATIONS,
            *core.OPERATIONS,
            *memory.OPERATIONS,
            *misc.OPERATIONS,
            *views.OPERATIONS,
        ),
        key=lambda op: op.OPCODE,
    )
)
"""All operations, by opcode."""

ALIASES: dict[str, str] = {
    f"cuda_tile.{alias}": op.name for op in OPERATIONS for alias in op.ALIASES
}
"""Older names that text may use, and what they are called now."""

ATTRIBUTES: tuple[type[Attribute], ...] = (
    *ENUM_ATTRIBUTES,
    DivByAttr,
    SameElementsAttr,
    BoundedAttr,
    OptimizationHintsAttr,
    DIFileAttr,
    DICompileUnitAttr,
    DISubprogramAttr,
    DILexicalBlockAttr,
    DILocAttr,
)

CudaTile = Dialect("cuda_tile", list(OPERATIONS), [*TYPES, *ATTRIBUTES])
