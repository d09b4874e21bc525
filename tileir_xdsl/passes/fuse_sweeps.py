"""`fuse-sweeps`: elementwise expressions as one `sweep` each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.cuda_tile.places import copy_place
from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.dialects.tile_sugar.sweep import IndexOp, SweepOp, YieldOp
from tileir_xdsl.dialects.tile_sugar.types import (
    broadcast_shapes,
    element_of,
    is_integer,
    is_tile,
    shape_of,
)
from tileir_xdsl.passes.patterns import fuse_locations
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.scalar_bodies import constant_of
from tileir_xdsl.passes.sugar import erase_with_operands, operations
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class FuseSweepsPass(TilePass):
    """Puts each elementwise expression of two or more operations into one `sweep`.

    An operation moves to the one that uses it when there is no other use, in one block, so that
    nothing is computed twice. Broadcasts, splats, constants and positions that it reads become
    operands, constants and `index`. Free of meaning: with and without this pass a program ends in
    the same operations. Needs `legalize-elementwise`.
    """

    name = "fuse-sweeps"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for kernel in operations(op.regions):
            if isinstance(kernel, KernelOp):
                for block in list(_blocks(kernel)):
                    _fuse_block(block)


def _blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        for block in region.blocks:
            yield block
            for inner in block.ops:
                if not getattr(inner, "SCALAR_REGIONS", False):
                    yield from _blocks(inner)


@dataclass
class _Expression:
    """Operations that become one sweep; the last one has the result."""

    root: Operation
    members: set[Operation] = field(default_factory=set[Operation])


def _fuse_block(block: Block) -> None:
    owner: dict[Operation, _Expression] = {}
    expressions: list[_Expression] = []
    for op in reversed(list(block.ops)):
        if not _is_computation(op):
            continue
        expression = _only_user(op, owner)
        if expression is None:
            expression = _Expression(op)
            expressions.append(expression)
        expression.members.add(op)
        owner[op] = expression
    for expression in reversed(expressions):
        if len(expression.members) > 1:
            _Sweep(expression, [op for op in block.ops if op in expression.members]).replace()


def _is_computation(op: Operation) -> bool:
    """Whether an operation computes each element of a tile on its own."""
    if not isinstance(op, ew.ElementwiseOp | ew.CastOp | ew.BitcastOp):
        return False
    if not is_tile(op.results[0].type):
        return False
    shape = shape_of(op.results[0].type)
    if any(shape_of(operand.type) != shape for operand in op.operands):
        return False
    # Padding gives these a safe operand, which it does once for a tile and once for a sweep.
    return all(map(is_power_of_two, shape)) or not _needs_a_guard(op)


def _needs_a_guard(op: Operation) -> bool:
    if isinstance(op, ew.CastOp):
        return op.unchecked is not None
    return isinstance(op, ew.DivOp | ew.RemOp | ew.ShiftOp) and is_integer(
        element_of(op.results[0].type)
    )


def _only_user(op: Operation, owner: dict[Operation, _Expression]) -> _Expression | None:
    """The expression that all uses of an operation are in."""
    users = [use.operation for use in op.results[0].uses]
    expressions = [owner.get(user) for user in users]
    found = expressions[0] if expressions else None
    if any(expression is not found for expression in expressions):
        missed(op, "begins a sweep of its own: more than one expression uses it")
        return None
    shape = shape_of(op.results[0].type)
    return (
        found if all(shape_of(user.results[0].type) == shape for user in users if found) else None
    )


class _Sweep:
    """Builds the sweep of an expression."""

    def __init__(self, expression: _Expression, members: list[Operation]) -> None:
        self.root = expression.root
        self.members = members
        self.shape = shape_of(self.root.results[0].type)
        self.block = Block()
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.inputs: dict[SSAValue, SSAValue] = {}
        """What the sweep reads, and its argument in the body."""
        self.values: dict[SSAValue, SSAValue] = {}
        """Results of members as scalars."""

    def replace(self) -> None:
        for op in self.members:
            self._move(op)
        self.builder.insert(YieldOp(self.values[self.root.results[0]]))
        result: Attribute = self.root.results[0].type
        sweep = SweepOp(list(self.inputs), [result], Region(self.block))
        fuse_locations(sweep, *self.members)
        old = self.root.results[0]
        sweep.results[0].name_hint = old.name_hint
        block = self.root.parent
        assert block is not None
        block.insert_op_before(sweep, self.root)
        old.replace_all_uses_with(sweep.results[0])
        for op in reversed(self.members):
            erase_with_operands(op, lambda source: isinstance(source, _SOURCES))
        remark(sweep, f"{len(self.members)} elementwise operations are one sweep")
        count("sweeps")

    def _move(self, op: Operation) -> None:
        narrow = self._narrow_shapes(op)
        operands = [
            self._scalar(value, absorb) for value, absorb in zip(op.operands, narrow, strict=True)
        ]
        element = element_of(op.results[0].type)
        scalar = type(op).create(
            operands=operands,
            result_types=[element],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        scalar.location = op.location
        copy_place(op, scalar)
        self.builder.insert(scalar)
        self.values[op.results[0]] = scalar.results[0]

    def _narrow_shapes(self, op: Operation) -> list[bool]:
        """Which operands may be read before they are broadcast: as a sweep computes at the
        narrowest shape, one of the others must have the whole one."""
        absorbed = [_source_shape(value) for value in op.operands]
        known = [shape for shape in absorbed if shape is not None]
        whole = broadcast_shapes(*known) if known else ()
        return [whole == self.shape] * len(absorbed)

    def _scalar(self, value: SSAValue, absorb: bool) -> SSAValue:
        if value in self.values:
            return self.values[value]
        owner: Any = value.owner
        constant = _constant(value)
        if absorb and constant is not None:
            element = element_of(value.type)
            return self._made(
                ew.ConstantOp.create(properties={"value": constant}, result_types=[element]), owner
            )
        if absorb and isinstance(owner, ew.IotaOp):
            return self._made(IndexOp(owner.dimension), owner)
        if absorb and isinstance(owner, ew.BroadcastOp):
            source: Any = owner.source.owner
            if isinstance(source, ew.IotaOp):
                return self._made(IndexOp(source.dimension), owner)
            return self._argument(owner.source)
        if absorb and isinstance(owner, ew.SplatOp):
            return self._argument(owner.source)
        return self._argument(value)

    def _made(self, op: Operation, origin: Operation) -> SSAValue:
        op.location = origin.location
        copy_place(origin, op)
        self.builder.insert(op)
        return op.results[0]

    def _argument(self, value: SSAValue) -> SSAValue:
        if value not in self.inputs:
            argument = self.block.insert_arg(element_of(value.type), len(self.block.args))
            self.inputs[value] = argument
        return self.inputs[value]


def _source_shape(value: SSAValue) -> tuple[int, ...] | None:
    """The shape of what a sweep would read for a value; None of a constant, which has none."""
    if _constant(value) is not None:
        return None
    owner: Any = value.owner
    shape = shape_of(value.type)
    if isinstance(owner, ew.IotaOp):
        return tuple(n if k == owner.dimension else 1 for k, n in enumerate(shape))
    if isinstance(owner, ew.BroadcastOp):
        return shape_of(owner.source.type)
    return (1,) * len(shape) if isinstance(owner, ew.SplatOp) else shape


def _constant(value: SSAValue) -> Attribute | None:
    """The number that all elements of a tile are."""
    owner: Any = value.owner
    if isinstance(owner, ew.SplatOp):
        return constant_of(owner.source)
    return owner.value if isinstance(owner, ew.ConstantOp) else None


_SOURCES = (ew.BroadcastOp, ew.SplatOp, ew.ConstantOp, ew.IotaOp)
