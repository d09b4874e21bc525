"""Short ways to build what patterns build, in front of the matched operation."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import tile_of, width_of
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.core import ConstantOp
from tileir_xdsl.dialects.cuda_tile.types import TileType


def constant_like(value: SSAValue, bits: int) -> ConstantOp:
    """A splat constant of a value's type; `bits` may be negative."""
    return splat(tile_of(value), bits & ((1 << width_of(value)) - 1))


def splat(type: TileType, bits: int) -> ConstantOp:
    return ConstantOp(DenseElementsAttr.splat(type, bits))


def insert_constant_like(value: SSAValue, bits: int, rewriter: PatternRewriter) -> SSAValue:
    return rewriter.insert(constant_like(value, bits)).result


def i64_attr(value: int) -> IntegerAttr:
    return IntegerAttr(value, i64)


def with_properties(op: Operation, *names: str) -> dict[str, Attribute | None]:
    """Some of the properties of an operation, for a new one."""
    return {name: op.properties.get(name) for name in names}
