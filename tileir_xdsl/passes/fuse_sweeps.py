"""`fuse-sweeps`: elementwise expressions as one `sweep` each, or as the map of a reduction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.cuda_tile.places import copy_place
from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar.base import TileSugarOp
from tileir_xdsl.dialects.tile_sugar.expansion import KINDS
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.dialects.tile_sugar.reductions import FoldOp, ReduceOp, joint_shape, wide
from tileir_xdsl.dialects.tile_sugar.sweep import IndexOp, SweepOp, YieldOp, index_shape
from tileir_xdsl.dialects.tile_sugar.types import (
    broadcast_shapes,
    element_of,
    is_integer,
    is_scalar,
    is_tile,
    shape_of,
    shape_text,
)
from tileir_xdsl.passes.patterns import fuse_locations
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.scalar_bodies import constant_of
from tileir_xdsl.passes.sugar import erase_with_operands, operations, replace
from tileir_xdsl.passes.tile_pass import TilePass

Shape: TypeAlias = tuple[int, ...]

ZERO = IntegerAttr(0, i32)


@dataclass(frozen=True)
class FuseSweepsPass(TilePass):
    """Puts each elementwise expression of two or more operations into one `sweep`, and what only a
    reduction uses into its map.

    An operation moves to the ones that use it when they are one expression, of one block and
    shape, so that nothing is computed twice; what is made of positions and scalars alone moves into
    any shape. Expressions of one shape with the same operands become one sweep of several results.
    Broadcasts, splats, constants and positions that an operation reads become operands, constants
    and `index`. Free of meaning: with and without this pass a program ends in the same operations.
    Needs `legalize-elementwise`.
    """

    name = "fuse-sweeps"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for kernel in operations(op.regions):
            if isinstance(kernel, KernelOp):
                for block in list(_blocks(kernel)):
                    _Fusion(block).run()


def _blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        for block in region.blocks:
            yield block
            for inner in block.ops:
                if not getattr(inner, "SCALAR_REGIONS", False):
                    yield from _blocks(inner)


# What may be fused.

_ELEMENTWISE = (ew.ElementwiseOp, ew.CastOp, ew.BitcastOp)


def _is_computation(op: Operation) -> bool:
    """Whether an operation computes each element of a tile on its own, at one shape."""
    if isinstance(op, SweepOp):
        return _is_whole(op) and not _has_a_guard(op, op.shape)
    if not isinstance(op, _ELEMENTWISE):
        return False
    if not is_tile(op.results[0].type):
        return False
    shape = shape_of(op.results[0].type)
    whole = all(shape_of(operand.type) == shape for operand in op.operands)
    return whole and not _has_a_guard(op, shape)


def _is_whole(op: SweepOp) -> bool:
    """Whether a sweep computes each result at the whole shape, not at one that is broadcast."""
    rank = len(op.shape)
    shapes: dict[SSAValue, Shape] = {}
    for argument, value in zip(op.body.block.args, op.inputs, strict=True):
        shapes[argument] = shape_of(value.type) or (1,) * rank
    for inner in op.body.block.ops:
        if isinstance(inner, YieldOp):
            return all(shapes.get(value) == op.shape for value in inner.values)
        if isinstance(inner, IndexOp):
            shapes[inner.result] = _along(inner.dimension, op.shape)
        elif not isinstance(inner, ew.ConstantOp):
            known = [shapes[value] for value in inner.operands if value in shapes]
            shapes[inner.results[0]] = broadcast_shapes(*known) or (1,) * rank
    return False


def _along(dimension: int, shape: Shape) -> Shape:
    return tuple(extent if k == dimension else 1 for k, extent in enumerate(shape))


def _has_a_guard(op: Operation, shape: Shape) -> bool:
    """Whether padding gives an operation a safe operand: once for a tile, and once for a sweep."""
    if all(map(is_power_of_two, shape)):
        return False
    if isinstance(op, SweepOp):
        return any(_has_a_guard(inner, shape) for inner in op.body.block.ops)
    if isinstance(op, ew.CastOp):
        return op.unchecked is not None
    return isinstance(op, ew.DivOp | ew.RemOp | ew.ShiftOp) and is_integer(
        element_of(op.results[0].type)
    )


def _takes_a_map(op: Operation) -> bool:
    """Whether a reduction or scan may compute what it combines."""
    if type(op) not in KINDS:
        return isinstance(op, FoldOp)
    element = element_of(op.operands[0].type)
    return KINDS[type(op)] != "sum" or wide(element) == element


def _mapped(op: Operation) -> Sequence[SSAValue]:
    """What the map of a reduction or scan reads."""
    return op.inputs if isinstance(op, FoldOp) else op.operands


# What a sweep reads in place of an operand.


def _source(value: SSAValue) -> SSAValue | Attribute | Operation:
    """A smaller value that is broadcast, a number, or the operation that makes positions."""
    constant = _constant(value)
    if constant is not None:
        return constant
    owner: Any = value.owner
    if isinstance(owner, ew.IotaOp):
        return owner
    if isinstance(owner, ew.BroadcastOp):
        below: Any = owner.source.owner
        return below if isinstance(below, ew.IotaOp) and _moves(below) else owner.source
    return owner.source if isinstance(owner, ew.SplatOp) else value


def _source_shape(value: SSAValue) -> Shape | None:
    """The shape of what a sweep would read for a value; None of a constant, which has none."""
    if _constant(value) is not None:
        return None
    owner: Any = value.owner
    shape = shape_of(value.type)
    if isinstance(owner, ew.IotaOp):
        return _along(owner.dimension, shape)
    if isinstance(owner, ew.BroadcastOp):
        return shape_of(owner.source.type)
    return (1,) * len(shape) if isinstance(owner, ew.SplatOp) else shape


def _constant(value: SSAValue) -> Attribute | None:
    """The number that all elements of a tile are."""
    owner: Any = value.owner
    if isinstance(owner, ew.SplatOp):
        return constant_of(owner.source)
    if isinstance(owner, ew.IotaOp) and not _moves(owner):
        return ZERO
    return owner.value if isinstance(owner, ew.ConstantOp) else None


def _moves(op: ew.IotaOp | IndexOp) -> bool:
    """Whether there is more than one position: the only one stays 0 in wider shapes."""
    shape = shape_of(op.result.type) if isinstance(op, ew.IotaOp) else index_shape(op)
    return shape is not None and shape[op.dimension] > 1


_SOURCES = (ew.BroadcastOp, ew.SplatOp, ew.ConstantOp, ew.IotaOp)


def _reads_sources(op: Operation) -> bool:
    """Whether an operation may read its operands before they are broadcast: as a sweep computes at
    the narrowest shape, together they must have the whole one."""
    if isinstance(op, SweepOp) or not op.results:
        return False
    known = [shape for value in op.operands if (shape := _source_shape(value)) is not None]
    return bool(known) and broadcast_shapes(*known) == shape_of(op.results[0].type)


# Expressions.


@dataclass(eq=False)
class _Expression:
    """Operations that become one sweep, or the map of one reduction."""

    shape: Shape
    members: set[Operation] = field(default_factory=set[Operation])
    reduction: Operation | None = None

    @property
    def is_sweep(self) -> bool:
        if self.reduction is not None:
            return False
        return len(self.members) > 1 or any(isinstance(op, SweepOp) for op in self.members)


class _Fusion:
    """Fuses the operations of one block."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.position = {op: k for k, op in enumerate(block.ops)}
        self.owner: dict[Operation, _Expression] = {}
        self.reads_sources: set[Operation] = set()
        for op in block.ops:
            if _is_computation(op):
                self.owner[op] = _Expression(shape_of(op.results[0].type), {op})
                if _reads_sources(op):
                    self.reads_sources.add(op)
            elif _takes_a_map(op):
                shape = joint_shape([value.type for value in _mapped(op)])
                self.owner[op] = _Expression(shape, reduction=op)

    def run(self) -> None:
        changed = True
        while changed:
            moved = [self._move(expression) for expression in reversed(self._expressions())]
            changed = self._merge() or any(moved)
        self._explain()
        for expression in self._expressions():
            if expression.is_sweep:
                self._make_sweep(expression)
            elif expression.reduction is not None and expression.members:
                self._make_map(expression, expression.reduction)

    def _expressions(self) -> list[_Expression]:
        """All that there are, in the order of their first operations."""
        return list(dict.fromkeys(self.owner[op] for op in self.position if op in self.owner))

    def _ordered(self, expression: _Expression) -> list[Operation]:
        return sorted(expression.members, key=self.position.__getitem__)

    # Uses.

    def _readers(self, expression: _Expression) -> list[Operation]:
        """The operations outside that use what an expression computes."""
        return [
            reader
            for op in self._ordered(expression)
            for result in op.results
            for reader in self._readers_of(result)
            if reader not in expression.members
        ]

    def _readers_of(self, value: SSAValue) -> Iterator[Operation]:
        for use in value.uses:
            op = use.operation
            if not isinstance(op, ew.BroadcastOp) or op.result.first_use is None:
                yield op
                continue
            for inner in op.result.uses:
                yield inner.operation if inner.operation in self.reads_sources else op

    def _is_mapped(self, use: Use) -> bool:
        return use.index < len(_mapped(use.operation))

    def _operands(self, *expressions: _Expression) -> dict[SSAValue, None]:
        """What a sweep of some expressions reads."""
        members = {op for expression in expressions for op in expression.members}
        found: dict[SSAValue, None] = {}
        for expression in expressions:
            for op in self._ordered(expression):
                found |= dict.fromkeys(self._values_read(op))
            if expression.reduction is not None:
                found |= dict.fromkeys(_mapped(expression.reduction))
        return {value: None for value in found if value.owner not in members}

    def _values_read(self, op: Operation) -> list[SSAValue]:
        if op not in self.reads_sources:
            return list(op.operands)
        sources = map(_source, op.operands)
        return [source for source in sources if isinstance(source, SSAValue)]

    # Growing.

    def _move(self, expression: _Expression) -> bool:
        """Move an expression into the one that all its uses are in; whether it moved."""
        if self._obstacle(expression) is not None:
            return False
        target = self.owner[self._readers(expression)[0]]
        target.members |= expression.members
        self.owner |= dict.fromkeys(expression.members, target)
        return True

    def _obstacle(self, expression: _Expression) -> str | None:
        """Why an expression that others use stays apart; "" when there is nothing to say."""
        if expression.reduction is not None:
            return ""
        readers = self._readers(expression)
        targets = {self.owner[reader] for reader in readers if reader in self.owner}
        if not targets:
            return self._elsewhere(readers)
        if len(targets) > 1:
            return "more than one expression uses it"
        target = targets.pop()
        other = next((op for op in readers if op not in self.owner), None)
        if other is not None:
            return f"'{other.name}' uses it too"
        return self._misfit(expression, target)

    def _elsewhere(self, readers: Sequence[Operation]) -> str:
        outside = [op for op in readers if op.parent is not self.block]
        if any(_is_computation(op) or _takes_a_map(op) for op in outside):
            return "it is used in another block"
        return ""

    def _misfit(self, expression: _Expression, target: _Expression) -> str | None:
        operands = self._operands(expression)
        narrow = expression.shape != target.shape
        if narrow and not all(is_scalar(value.type) for value in operands):
            shapes = shape_text(expression.shape), shape_text(target.shape)
            return f"needed at {shapes[0]}, and its use is an expression of {shapes[1]}"
        if narrow and any(_has_a_guard(op, target.shape) for op in expression.members):
            return f"padding would give it a safe operand at {shape_text(target.shape)}"
        if target.reduction is None:
            return None
        if self._initial(expression, target.reduction):
            return "a reduction begins with it"
        whole = joint_shape([value.type for value in self._operands(expression, target)])
        if whole != target.shape:
            return f"no operand has the shape {shape_text(target.shape)} of the reduction"
        return None

    def _initial(self, expression: _Expression, reduction: Operation) -> bool:
        values = [result for op in expression.members for result in op.results]
        return any(
            use.operation is reduction and not self._is_mapped(use)
            for value in values
            for use in value.uses
        )

    def _merge(self) -> bool:
        """Merge sweeps of one shape with the same operands; whether there were any."""
        found: dict[tuple[Shape, frozenset[SSAValue]], _Expression] = {}
        merged = False
        for expression in self._expressions():
            if not expression.is_sweep:
                continue
            operands = frozenset(self._operands(expression))
            first = found.setdefault((expression.shape, operands), expression)
            if first is expression or not operands:
                continue
            first.members |= expression.members
            self.owner |= dict.fromkeys(expression.members, first)
            merged = True
        return merged

    def _explain(self) -> None:
        """Say why what could be fused stays apart."""
        for op in self.block.ops:
            if op in self.owner or not isinstance(op, _ELEMENTWISE):
                continue
            if _has_a_guard(op, shape_of(op.results[0].type)):
                missed(op, f"{op.mnemonic()} stays apart: padding gives it a safe operand")
        for expression in self._expressions():
            obstacle = self._obstacle(expression)
            if obstacle:
                root = cast(TileSugarOp, self._roots(expression)[-1])
                missed(root, f"{root.mnemonic()} stays apart: {obstacle}")

    def _roots(self, expression: _Expression) -> list[Operation]:
        """The operations whose results are used outside."""
        ordered = self._ordered(expression)
        roots = [op for op in ordered if any(self._leaves(r, expression) for r in op.results)]
        return roots or ordered[-1:]

    # Building.

    def _make_sweep(self, expression: _Expression) -> None:
        members = self._ordered(expression)
        if len(members) == 1:
            return
        # All results are defined behind all operands, as sweeps only merge on the same ones.
        roots = self._roots(expression)
        old = [result for op in roots for result in op.results if self._leaves(result, expression)]
        old = old or list(roots[-1].results)
        body = _Body(self, expression)
        body.add(members)
        body.end(body.read(old))
        sweep = SweepOp(list(body.inputs), [value.type for value in old], Region(body.block))
        fuse_locations(sweep, *members)
        self.block.insert_op_before(sweep, roots[0])
        for value, new in zip(old, sweep.results, strict=True):
            new.name_hint = value.name_hint
            value.replace_all_uses_with(new)
        _erase(members)
        results = f", with {len(old)} results" if len(old) > 1 else ""
        remark(sweep, f"{len(members)} elementwise operations are one sweep{results}")
        count("sweeps")

    def _leaves(self, value: SSAValue, expression: _Expression) -> bool:
        return any(reader not in expression.members for reader in self._readers_of(value))

    def _make_map(self, expression: _Expression, reduction: Any) -> None:
        members = self._ordered(expression)
        body = _Body(self, expression)
        body.add(members)
        if isinstance(reduction, FoldOp) and reduction.map_region.blocks:
            body.end(body.inline(reduction.map_region.block, reduction.inputs))
        else:
            body.end(body.read(_mapped(reduction)))
        new = _with_map(reduction, list(body.inputs), Region(body.block))
        fuse_locations(new, reduction, *members)
        self.block.insert_op_before(new, reduction)
        replace(reduction, new.results)
        _erase(members)
        what = "an operation is" if len(members) == 1 else f"{len(members)} operations are"
        remark(new, f"{what} in the map of this reduction")
        count("maps")


def _with_map(reduction: Any, inputs: list[SSAValue], map_region: Region) -> FoldOp:
    if not isinstance(reduction, FoldOp):
        words = ["ordered"] if reduction.ordered is not None else []
        kinds = [KINDS[type(reduction)]]
        axis: int = reduction.dimension
        return ReduceOp.fold(inputs, axis, kinds=kinds, map_region=map_region, words=words)
    return reduction.again(inputs, map_region)


def _erase(members: Sequence[Operation]) -> None:
    for op in reversed(members):
        erase_with_operands(op, lambda source: isinstance(source, _SOURCES))


class _Body:
    """The region over scalars that computes an expression."""

    def __init__(self, fusion: _Fusion, expression: _Expression) -> None:
        self.fusion = fusion
        self.block = Block()
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.inputs: dict[SSAValue, SSAValue] = {}
        """What it reads, and the argument for it."""
        self.values: dict[SSAValue, SSAValue] = {}
        """Results of the expression's operations as scalars."""

    def add(self, members: Sequence[Operation]) -> None:
        for op in members:
            if isinstance(op, SweepOp):
                results = self.inline(op.body.block, op.inputs)
                self.values |= zip(op.results, results, strict=True)
            else:
                self._add(op)

    def read(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [self._value(value) for value in values]

    def end(self, results: Sequence[SSAValue]) -> None:
        self.builder.insert(YieldOp(*results))

    def inline(self, body: Block, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """Copy a body for some operands. Answers what it yields."""
        values = dict[SSAValue, SSAValue](zip(body.args, self.read(operands), strict=True))
        for op in body.ops:
            if isinstance(op, YieldOp):
                return [values.get(value, value) for value in op.values]
            if isinstance(op, IndexOp) and not _moves(op):
                values[op.result] = self._number(ZERO, op)
            else:
                self.builder.insert(op.clone(value_mapper=values))
        return []

    def _add(self, op: Operation) -> None:
        absorb = op in self.fusion.reads_sources
        scalar = type(op).create(
            operands=[
                self._operand(value) if absorb else self._value(value) for value in op.operands
            ],
            result_types=[element_of(op.results[0].type)],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self.values[op.results[0]] = self._made(scalar, op)

    def _operand(self, value: SSAValue) -> SSAValue:
        source = _source(value)
        if isinstance(source, SSAValue):
            return self._value(source)
        origin = cast(Operation, value.owner)
        if isinstance(source, ew.IotaOp):
            return self._made(IndexOp(source.dimension), origin)
        return self._number(cast(Attribute, source), origin)

    def _number(self, number: Attribute, origin: Operation) -> SSAValue:
        type = element_of(origin.results[0].type)
        constant = ew.ConstantOp.create(properties={"value": number}, result_types=[type])
        return self._made(constant, origin)

    def _made(self, op: Operation, origin: Operation) -> SSAValue:
        op.location = origin.location
        copy_place(origin, op)
        self.builder.insert(op)
        return op.results[0]

    def _value(self, value: SSAValue) -> SSAValue:
        """A value as a scalar: computed here, or read."""
        if value in self.values:
            return self.values[value]
        if value not in self.inputs:
            argument = self.block.insert_arg(element_of(value.type), len(self.block.args))
            self.inputs[value] = argument
        return self.inputs[value]
