"""`lower-elementwise`: sweeps, free elementwise operations and shapes as those of `cuda_tile`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32, i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import arithmetic as arith
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import shapes, sweep
from tileir_xdsl.dialects.tile_sugar.primitives import (
    UNSIGNED,
    Emitter,
    lower_elementwise,
    tile,
)
from tileir_xdsl.dialects.tile_sugar.types import is_scalar, is_tile, shape_of
from tileir_xdsl.passes.scalar_bodies import BodyLowering, constant_of, lower_conversion
from tileir_xdsl.passes.sugar import before, check_version, needs, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import DEFAULT, Version


@dataclass(frozen=True)
class LowerElementwisePass(TilePass):
    """Lowers sweeps, elementwise operations on tiles, and operations on shapes to `cuda_tile`.

    Each at the narrowest shape it needs: what depends on [R,1] operands alone stays [R,1], and
    broadcasts come last. Operations on scalars stay for `lower-kernel`, and so do the splats and
    `to_scalar` between scalars and tiles. `version` is the bytecode version to lower for: where
    an operation came later, others do the same. Needs `lower-reductions`.
    """

    name = "lower-elementwise"

    version: str | float = str(DEFAULT)

    def __post_init__(self) -> None:
        check_version(self.version)

    def run_on(self, ctx: Context, op: Operation) -> None:
        version = Version.parse(str(self.version))
        rewrite(op, lambda inner: lower(inner, version))


def lower(op: Operation, version: Version) -> bool:
    """Lower one operation on tiles; whether it is one."""
    if not op.results or not is_tile(op.results[0].type):
        return False
    lowering = _LOWERINGS.get(type(op))
    if lowering is None and isinstance(op, ew.ElementwiseOp):
        lowering = _elementwise
    if lowering is None:
        return False
    results = lowering(before(op, version, Emitter), op)
    if results is None:
        return False
    replace(op, results)
    return True


Results = Sequence[SSAValue] | None


def _elementwise(e: Emitter, op: Any) -> Results:
    shape = shape_of(op.result.type)
    if any(not is_tile(v.type) or shape_of(v.type) != shape for v in op.operands):
        raise needs(op, "legalize-elementwise", "it broadcasts its operands")
    return [lower_elementwise(e, op, op.operands)]


def _conversion(e: Emitter, op: Any) -> Results:
    return [lower_conversion(e, op, op.source)]


def _sweep(e: Emitter, op: sweep.SweepOp) -> Results:
    rank = len(op.shape)
    arguments = [_as_tile(e, value, rank) for value in op.inputs]
    return BodyLowering(e, op.shape).lower(op.body.block, arguments)


def _as_tile(e: Emitter, value: SSAValue, rank: int) -> SSAValue:
    """An operand of a sweep as a tile: a scalar has extent 1 in all dimensions."""
    if not is_scalar(value.type):
        return value
    constant = constant_of(value)
    if constant is not None:
        return e.attribute(constant, [1] * rank)
    return e.one(ew.SplatOp.to(value, [1] * rank))


def _constant(e: Emitter, op: ew.ConstantOp) -> Results:
    return [e.attribute(op.value, shape_of(op.result.type))]


def _splat(e: Emitter, op: ew.SplatOp) -> Results:
    constant = constant_of(op.source)
    return None if constant is None else [e.attribute(constant, shape_of(op.result.type))]


def _broadcast(e: Emitter, op: ew.BroadcastOp) -> Results:
    return [e.broadcast(op.source, shape_of(op.result.type))]


def _iota(e: Emitter, op: ew.IotaOp) -> Results:
    shape = shape_of(op.result.type)
    return [e.broadcast(e.iota(op.dimension, shape), shape)]


def _permute(e: Emitter, op: Any) -> Results:
    order = (1, 0) if isinstance(op, shapes.TransposeOp) else tuple(op.order.get_values())
    if order == tuple(range(len(order))):
        return [op.source]
    return [
        e.one(
            core.PermuteOp(
                op.source,
                op.result.type,
                {"permutation": DenseArrayBase.from_list(i32, list(order))},
            )
        )
    ]


def _reshape(e: Emitter, op: Any) -> Results:
    return [e.reshape(op.source, shape_of(op.result.type))]


def _concat(e: Emitter, op: shapes.ConcatOp) -> Results:
    return [
        e.make(
            core.CatOp,
            [op.lhs, op.rhs],
            op.result.type,
            dim=IntegerAttr(op.dimension, i64),
        )
    ]


def _piece_numbers(
    e: Emitter, op: Any, piece: Sequence[int], whole: Sequence[int]
) -> list[SSAValue]:
    """The number of the piece along each dimension, as rank-0 tiles."""
    numbers: list[SSAValue] = []
    for offset, part, all_ in zip(op.all_indices(), piece, whole, strict=True):
        if isinstance(offset, int) or part == all_:
            number = offset // part if isinstance(offset, int) else 0
            numbers.append(e.attribute(IntegerAttr(number, i32), ()))
            continue
        value = offset
        if not isinstance(value.type, TileType):
            value = e.one(ew.SplatOp.create(operands=[value], result_types=[TileType.get((), i32)]))
        if part > 1:
            shift = e.attribute(IntegerAttr(part.bit_length() - 1, i32), ())
            # Offsets are not negative: the logical shift is the quotient.
            value = e.make(arith.ShRIOp, [value, shift], signedness=UNSIGNED)
        numbers.append(value)
    return numbers


def _extract(e: Emitter, op: shapes.ExtractOp) -> Results:
    result = op.result.type
    if result == op.source.type:
        return [op.source]
    numbers = _piece_numbers(e, op, shape_of(result), shape_of(op.source.type))
    return [e.one(core.ExtractOp(op.source, numbers, result))]


def _insert(e: Emitter, op: shapes.InsertOp) -> Results:
    """The piece repeated over the whole tile, selected where it belongs.

    `cuda_tile.insert` came with 13.4, and costs twice as much.
    """
    piece, whole = shape_of(op.piece.type), shape_of(op.destination.type)
    if piece == whole:
        return [op.piece]
    inside: SSAValue | None = None
    for dim, number in enumerate(_piece_numbers(e, op, piece, whole)):
        if piece[dim] == whole[dim]:
            continue
        position = e.iota(dim, whole)
        shift = e.number(piece[dim].bit_length() - 1, position)
        part = e.make(arith.ShRIOp, [position, shift], signedness=UNSIGNED)
        chosen = e.compare("eq", part, e.broadcast(number, tile(part).get_shape()))
        inside = chosen if inside is None else _both(e, inside, chosen)
    assert inside is not None
    repeated = _repeat(e, op.piece, whole)
    return [e.select(e.broadcast(inside, whole), repeated, op.destination)]


def _both(e: Emitter, a: SSAValue, b: SSAValue) -> SSAValue:
    shape = tuple(map(max, tile(a).get_shape(), tile(b).get_shape()))
    return e.make(arith.AndIOp, [e.broadcast(a, shape), e.broadcast(b, shape)])


def _repeat(e: Emitter, piece: SSAValue, whole: Sequence[int]) -> SSAValue:
    """A piece side by side until it fills a shape."""
    part = tile(piece).get_shape()
    narrow = [extent for p in part for extent in (1, p)]
    wide = [extent for p, w in zip(part, whole, strict=True) for extent in (w // p, p)]
    kept = [k for k in range(len(wide)) if wide[k] != 1] or [0]
    spread = e.broadcast(e.reshape(piece, [narrow[k] for k in kept]), [wide[k] for k in kept])
    return e.reshape(spread, whole)


_LOWERINGS: dict[type[Operation], Callable[[Emitter, Any], Results]] = {
    ew.CastOp: _conversion,
    ew.BitcastOp: _conversion,
    ew.ConstantOp: _constant,
    ew.SplatOp: _splat,
    ew.BroadcastOp: _broadcast,
    ew.IotaOp: _iota,
    sweep.SweepOp: _sweep,
    shapes.TransposeOp: _permute,
    shapes.PermuteOp: _permute,
    shapes.ReshapeOp: _reshape,
    shapes.FlatOp: _reshape,
    shapes.ConcatOp: _concat,
    shapes.ExtractOp: _extract,
    shapes.InsertOp: _insert,
}
