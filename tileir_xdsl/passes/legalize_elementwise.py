"""`legalize-elementwise`: promotion and broadcasting as operations of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.tile_sugar.elementwise import (
    BroadcastOp,
    ElementwiseOp,
    ShiftOp,
    SplatOp,
)
from tileir_xdsl.dialects.tile_sugar.expansion import Writer
from tileir_xdsl.dialects.tile_sugar.reductions import ColSumOp, RowSumOp, wide
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_scalar, shape_of, tile_type
from tileir_xdsl.passes.sugar import before, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class LegalizeElementwisePass(TilePass):
    """Makes the promotion and the broadcasting of operations explicit.

    A sum of f16 or bf16 becomes one of f32 between two casts. Afterwards every operand of an
    elementwise operation has the shape of its result and the element type in which it is computed:
    casts come first, in the narrow shape, then splats and broadcasts. In the regions of sweeps and
    reductions, over scalars, there are only casts.
    """

    name = "legalize-elementwise"

    def run_on(self, ctx: Context, op: Operation) -> None:
        rewrite(op, legalize)


def legalize(op: Operation) -> bool:
    """Give an operation operands of one shape, of the types it computes in; whether it changed."""
    if isinstance(op, RowSumOp | ColSumOp):
        return _widen_sum(op)
    if not isinstance(op, ElementwiseOp):
        return False
    elements = operand_elements(op)
    shape = shape_of(op.result.type)
    writer = before(op)
    changed = False
    for position, (operand, element) in enumerate(zip(op.operands, elements, strict=True)):
        legal = spread(writer, writer.cast(operand, element), shape)
        if legal is not operand:
            op.operands[position] = legal
            changed = True
    return changed


def _widen_sum(op: RowSumOp | ColSumOp) -> bool:
    """Sum f16 and bf16 in f32, rounding once."""
    element = element_of(op.source.type)
    if wide(element) == element:
        return False
    writer = before(op)
    source = writer.widen(op.source)
    total = type(op).create(
        operands=[source],
        result_types=[tile_type(shape_of(op.result.type), wide(element))],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    replace(op, [writer.cast(writer.one(total), element)])
    return True


def operand_elements(op: ElementwiseOp) -> Sequence[Attribute]:
    """The element types in which the operands are computed; the count of a shift stays as it is."""
    if isinstance(op, ShiftOp):
        return [element_of(operand.type) for operand in op.operands]
    return type(op).computed_elements(op.operand_types)


def spread(writer: Writer, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
    """A value splat or broadcast to a shape; as it is when it has it, or for scalars."""
    if shape_of(value.type) == shape or not shape:
        return value
    spreading = SplatOp if is_scalar(value.type) else BroadcastOp
    return writer.one(spreading.to(value, shape))
