"""`pad-to-power-of-two`: tiles of any shape as tiles that `cuda_tile` can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two, next_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import library, memory, reductions, shapes, sweep
from tileir_xdsl.dialects.tile_sugar.attributes import Number, number_attr
from tileir_xdsl.dialects.tile_sugar.expansion import EXPANSIONS, KINDS, Writer, mapped
from tileir_xdsl.dialects.tile_sugar.types import (
    SugarTileType,
    TensorType,
    element_of,
    is_integer,
    is_unsigned,
    shape_of,
    signless,
    tile_type,
)
from tileir_xdsl.passes.legalize_elementwise import spread
from tileir_xdsl.passes.sugar import before, needs, operations, replace
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class PadToPowerOfTwoPass(TilePass):
    """Rounds the extents of tiles up to powers of two, and makes `ui*` elements signless.

    The added lanes, the padding, hold unspecified values that never reach a result: reductions
    and reversed scans select their identity there, after their map; products select 0 along K;
    integer divisions, remainders, shifts and unchecked conversions see a safe operand; assertions
    hold; memory operations say in `extent` how much they access. A select whose operand surely
    holds the value already is left out. Needs `legalize-elementwise`.
    """

    name = "pad-to-power-of-two"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in operations(op.regions):
            if type(inner) in EXPANSIONS:
                raise needs(inner, "expand-library", "it is a library operation")
        for inner in operations(op.regions):
            _guard(inner)
        # What the types say no longer afterwards is noted before any of them changes.
        for inner in operations(op.regions):
            _mark_unsigned(inner)
            _state_extent(inner)
        for inner in operations(op.regions):
            _convert(inner)
        for inner in operations(op.regions):
            if isinstance(inner, shapes.ConcatOp):
                _repeat_second_part(inner)


def padded_axes(value: SSAValue) -> list[int]:
    """The dimensions of a tile that padding makes longer."""
    return [k for k, extent in enumerate(shape_of(value.type)) if not is_power_of_two(extent)]


# Guards: what keeps padding out of results, inserted while shapes are still logical.


def logical_lanes(writer: Writer, shape: tuple[int, ...], axes: Sequence[int]) -> SSAValue:
    """i1: whether a lane belongs to the tile, as far as some of its axes decide."""
    inside: SSAValue | None = None
    for axis in axes:
        position = writer.position(axis, shape)
        narrow = shape_of(position.type)
        limit = spread(writer, writer.constant(shape[axis], i32), narrow)
        below = writer.of(ew.CmpOp, position, limit, predicate="lt")
        below = spread(writer, below, shape)
        inside = below if inside is None else writer.of(ew.AndOp, inside, below)
    assert inside is not None
    return inside


def keep_logical(
    writer: Writer, value: SSAValue, neutral: Attribute, axes: Sequence[int] | None = None
) -> SSAValue:
    """The tile with a neutral value in the lanes that padding adds along some axes (all)."""
    axes = [axis for axis in padded_axes(value) if axes is None or axis in axes]
    if not axes or holds(value, neutral):
        return value
    shape = shape_of(value.type)
    element = element_of(value.type)
    fallback = spread(writer, writer.constant(neutral, element), shape)
    return writer.of(ew.SelectOp, logical_lanes(writer, shape, axes), value, fallback)


def holds(value: SSAValue, neutral: Attribute) -> bool:
    """Whether the lanes that padding adds to a tile surely hold a value."""
    owner = value.owner
    if isinstance(owner, memory.LoadOp | memory.GatherOp | memory.GatherRowsOp):
        return owner.fill_value == neutral
    if isinstance(owner, ew.SplatOp | ew.BroadcastOp):
        source = owner.source.owner
        return isinstance(source, ew.ConstantOp) and source.value == neutral
    return isinstance(owner, ew.ConstantOp) and owner.value == neutral


def _number(value: Number, of: SSAValue) -> Attribute:
    return number_attr(value, element_of(of.type))


def _guard(op: Operation) -> None:
    for cls, guard in _GUARDS:
        if isinstance(op, cls):
            guard(op)


def _guard_fold(op: Any) -> None:
    """The map as a sweep in front, and identities where the fold meets padding."""
    writer = before(op)
    inputs = mapped(writer, op)
    if op.map_region.blocks:
        _guard_sweep(cast(sweep.SweepOp, inputs[0].owner))
    reverse = isinstance(op, reductions.ReduceOp) or op.reverse is not None
    if reverse:
        inputs = [
            keep_logical(writer, value, identity, [op.dimension])
            for value, identity in zip(inputs, op.identity_attrs(), strict=True)
        ]
    if inputs == list(op.inputs):
        return
    new: Operation = op.again(inputs)
    writer.insert(new)
    replace(op, new.results)


def _guard_reduction(op: Any) -> None:
    kind = KINDS[type(op)]
    neutral = reductions.identity_attr(kind, element_of(op.source.type))
    op.operands[0] = keep_logical(before(op), op.source, neutral, [op.dimension])


def _guard_dot(op: library.DotOp) -> None:
    writer = before(op)
    rank = len(shape_of(op.lhs.type))
    for position, axis in ((0, rank - 1), (1, rank - 2)):
        value = op.operands[position]
        op.operands[position] = keep_logical(writer, value, _number(0, value), [axis])


def _guard_operand(position: int, number: Number) -> Callable[[Any], None]:
    """The guard of an elementwise operation that must not see an unspecified operand."""

    def guard(op: Any) -> None:
        value = op.operands[position]
        if not is_integer(element_of(value.type)) or not padded_axes(op.result):
            return
        if _is_constant(value):
            return
        op.operands[position] = keep_logical(before(op), value, _number(number, value))

    return guard


def _is_constant(value: SSAValue) -> bool:
    """Whether all lanes, padding included, hold what the program says."""
    owner = value.owner
    if isinstance(owner, ew.BroadcastOp):
        return _is_constant(owner.source)
    return isinstance(owner, ew.ConstantOp | ew.SplatOp)


def _guard_cast(op: ew.CastOp) -> None:
    if op.unchecked is not None:
        op.operands[0] = keep_logical(before(op), op.source, _number(0, op.source))


def _guard_print(op: memory.PrintOp) -> None:
    writer = before(op)
    for position, value in enumerate(op.operands):
        op.operands[position] = keep_logical(writer, value, _number(0, value))


def _guard_assert(op: memory.AssertOp) -> None:
    op.operands[0] = keep_logical(before(op), op.condition, _number(1, op.condition))


def _guard_sweep(op: sweep.SweepOp) -> None:
    """Safe operands in the body of a sweep, where lanes are told by `index`."""
    shape = op.shape
    axes = [k for k, extent in enumerate(shape) if not is_power_of_two(extent)]
    if not axes:
        return
    for inner in list(op.body.block.ops):
        needed = _unsafe_operand(inner)
        if needed is None:
            continue
        position, number = needed
        writer = before(inner)
        inside: SSAValue | None = None
        for axis in axes:
            index = writer.one(sweep.IndexOp(axis))
            below = writer.of(ew.CmpOp, index, writer.constant(shape[axis], i32), predicate="lt")
            inside = below if inside is None else writer.of(ew.AndOp, inside, below)
        assert inside is not None
        value = inner.operands[position]
        safe = writer.constant(_number(number, value), value.type)
        inner.operands[position] = writer.of(ew.SelectOp, inside, value, safe)


def _unsafe_operand(op: Operation) -> tuple[int, int] | None:
    """The operand that makes an operation undefined for some values, and a safe value for it."""
    if isinstance(op, ew.CastOp):
        return (0, 0) if op.unchecked is not None else None
    if not isinstance(op, ew.DivOp | ew.RemOp | ew.ShiftOp):
        return None
    if not is_integer(element_of(op.rhs.type)) or isinstance(op.rhs.owner, ew.ConstantOp):
        return None
    return (1, 0) if isinstance(op, ew.ShiftOp) else (1, 1)


_GUARDS: tuple[tuple[Any, Callable[[Any], None]], ...] = (
    (reductions.FoldOp, _guard_fold),
    (tuple(KINDS), _guard_reduction),
    (library.DotOp, _guard_dot),
    ((ew.DivOp, ew.RemOp), _guard_operand(1, 1)),
    (ew.ShiftOp, _guard_operand(1, 0)),
    (ew.CastOp, _guard_cast),
    (memory.PrintOp, _guard_print),
    (memory.AssertOp, _guard_assert),
    (sweep.SweepOp, _guard_sweep),
)


# Conversion of types.


def padded_type(type: Attribute) -> Attribute:
    """The type that holds a tile after padding, and `ui*` elements after being made signless."""
    if isinstance(type, SugarTileType):
        shape = [next_power_of_two(extent) for extent in type.get_shape()]
        return tile_type(shape, signless(type.element_type))
    if isinstance(type, TensorType):
        return type.with_element(signless(type.element_type))
    return signless(type)


def _convert(op: Operation) -> None:
    for name in ("fill", "value"):
        number = op.properties.get(name)
        if not isinstance(number, IntegerAttr):
            continue
        value = cast(Any, number)
        if is_unsigned(value.type):
            op.properties[name] = IntegerAttr(value.value.data, cast(Any, signless(value.type)))
    for value in (*op.results, *(arg for r in op.regions for b in r.blocks for arg in b.args)):
        converted = padded_type(value.type)
        if converted != value.type:
            Rewriter.replace_value_with_new_type(value, converted)


def _mark_unsigned(op: Operation) -> None:
    """Say on an operation what its types say no longer once they are signless."""
    if isinstance(op, ew.CastOp):
        if op.reads_unsigned and element_of(op.source.type) != i1:
            op.properties["from_unsigned"] = UnitAttr()
        if op.makes_unsigned:
            op.properties["to_unsigned"] = UnitAttr()
    if isinstance(op, library.DotOp):
        for name, value in (("lhs", op.lhs), ("rhs", op.rhs)):
            if is_unsigned(element_of(value.type)):
                op.properties[f"from_unsigned_{name}"] = UnitAttr()


def _state_extent(op: Operation) -> None:
    if not isinstance(op, memory.AccessOp):
        return
    accessed = op.results[0] if op.results else getattr(op, "value")
    shape = shape_of(accessed.type)
    if not all(map(is_power_of_two, shape)):
        op.properties["extent"] = DenseArrayBase.from_list(i32, list(shape))


def _repeat_second_part(op: shapes.ConcatOp) -> None:
    """Make the second part as long as the first; what is added is padding."""
    axis = op.dimension
    first, second = shape_of(op.lhs.type), shape_of(op.rhs.type)
    if first[axis] == second[axis]:
        return
    writer = before(op)
    split = [*second[:axis], 1, *second[axis:]]
    wide = [*second[:axis], first[axis] // second[axis], *second[axis:]]
    parts = writer.reshape(op.rhs, split)
    repeated = writer.one(ew.BroadcastOp.to(parts, wide))
    op.operands[1] = writer.reshape(repeated, first)
