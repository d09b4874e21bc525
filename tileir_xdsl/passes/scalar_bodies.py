"""Lowers the regions over scalars of sweeps, maps and combinations, on tiles of any shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter, lower_cast, lower_elementwise, tile
from tileir_xdsl.dialects.tile_sugar.sweep import IndexOp, YieldOp
from tileir_xdsl.dialects.tile_sugar.types import broadcast_shapes, element_of, signless

Value = SSAValue | Attribute
"""A tile of `cuda_tile`, or a number that takes the shape it is used in."""


def lower_conversion(e: Emitter, op: ew.CastOp | ew.BitcastOp, value: SSAValue) -> SSAValue:
    """The value of a cast or bitcast of a tile."""
    target = signless(element_of(op.result.type))
    if isinstance(op, ew.BitcastOp):
        return e.bitcast(value, target)
    return lower_cast(
        e,
        value,
        target,
        from_unsigned=op.reads_unsigned,
        to_unsigned=op.makes_unsigned,
        unchecked=op.unchecked is not None,
    )


class BodyLowering:
    """Re-instantiates a region over scalars at a shape: every operation at the narrowest one that
    its operands have; only the results are broadcast to the whole shape."""

    def __init__(self, e: Emitter, shape: Sequence[int]) -> None:
        self.e = e
        self.shape = tuple(shape)
        self.values: dict[SSAValue, Value] = {}

    def lower(self, block: Block, arguments: Sequence[SSAValue]) -> list[SSAValue]:
        """What the block yields for some arguments, in the whole shape."""
        self.values = dict(zip(block.args, arguments, strict=True))
        origin = self.e.origin
        for op in block.ops:
            if isinstance(op, YieldOp):
                break
            self.e.origin = op
            self.values[op.results[0]] = self._lower_one(op)
        self.e.origin = origin
        last = block.last_op
        assert isinstance(last, YieldOp)
        return [self._spread(self.values[value], self.shape) for value in last.operands]

    def _lower_one(self, op: Operation) -> Value:
        if isinstance(op, ew.ConstantOp):
            return op.value
        if isinstance(op, IndexOp):
            return self.e.iota(op.dimension, self.shape)
        operands = [self.values[operand] for operand in op.operands]
        shape = self._joined(operands)
        tiles = [self._spread(operand, shape) for operand in operands]
        if isinstance(op, ew.CastOp | ew.BitcastOp):
            return lower_conversion(self.e, op, tiles[0])
        return lower_elementwise(self.e, op, tiles)

    def _joined(self, operands: Sequence[Value]) -> tuple[int, ...]:
        shapes = [tile(v).get_shape() for v in operands if isinstance(v, SSAValue)]
        joined = broadcast_shapes(*shapes)
        return joined or (1,) * len(self.shape)

    def _spread(self, value: Value, shape: tuple[int, ...]) -> SSAValue:
        if isinstance(value, SSAValue):
            return self.e.broadcast(value, shape)
        return self.e.attribute(value, shape)


def rank0(element: Attribute) -> TileType:
    """The type of a scalar in `cuda_tile`."""
    return TileType.get((), signless(element))


def constant_of(value: SSAValue) -> Attribute | None:
    """The number of a scalar constant."""
    from xdsl.dialects import arith
    from xdsl.dialects.builtin import FloatAttr, IntegerAttr

    from tileir_xdsl.dialects.cuda_tile.constants import FloatBitsAttr, float_bits

    owner = value.owner
    if isinstance(owner, ew.ConstantOp):
        return owner.value
    if not isinstance(owner, arith.ConstantOp):
        return None
    constant: Attribute = owner.value
    if isinstance(constant, IntegerAttr):
        return cast("IntegerAttr[Any]", constant)
    if isinstance(constant, FloatAttr | FloatBitsAttr):
        return FloatBitsAttr.get(*float_bits(constant))
    return None
