"""`lower-reductions`: reductions, scans and products as those of `cuda_tile`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import UnitAttr, f32, i32, tf32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.cuda_tile import arithmetic as arith
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.dialects.tile_sugar import library, reductions
from tileir_xdsl.dialects.tile_sugar.attributes import number_attr
from tileir_xdsl.dialects.tile_sugar.elementwise import SplatOp
from tileir_xdsl.dialects.tile_sugar.expansion import KINDS, combination, mapped
from tileir_xdsl.dialects.tile_sugar.library import dot_operands
from tileir_xdsl.dialects.tile_sugar.primitives import SIGNED, UNSIGNED, Emitter, tile
from tileir_xdsl.dialects.tile_sugar.reductions import FoldOp, ReductionOp, identity_attr, wide
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_scalar
from tileir_xdsl.passes.scalar_bodies import BodyLowering, rank0
from tileir_xdsl.passes.sugar import before, check_padded, check_version, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import DEFAULT, Version


@dataclass(frozen=True)
class LowerReductionsPass(TilePass):
    """Lowers `rowsum` and its kind, `reduce`, `scan`, `dot` and `dot_scaled` to `cuda_tile`.

    A sum of f16 or bf16 accumulates in f32. An exclusive scan carries the total before each
    element beside the one after it. `version` is the bytecode version to lower for. Needs
    `pad-to-power-of-two`.
    """

    name = "lower-reductions"

    version: str | float = str(DEFAULT)

    def __post_init__(self) -> None:
        check_version(self.version)

    def run_on(self, ctx: Context, op: Operation) -> None:
        check_padded(op)
        version = Version.parse(str(self.version))
        rewrite(op, lambda inner: lower_reduction(inner, version))


def lower_reduction(op: Operation, version: Version) -> bool:
    """Lower one operation; whether it is one of these."""
    e = before(op, version, Emitter)
    if isinstance(op, ReductionOp):
        replace(op, [_reduction(e, op)])
    elif isinstance(op, reductions.ReduceOp):
        replace(op, _reduce(e, op))
    elif isinstance(op, reductions.ScanOp):
        replace(op, _scan(e, op))
    elif isinstance(op, library.DotOp):
        replace(op, [_dot(e, op)])
    elif isinstance(op, library.DotScaledOp):
        replace(op, [_dot_scaled(e, op)])
    else:
        return False
    return True


def _reduction(e: Emitter, op: Any) -> SSAValue:
    kind = KINDS[type(op)]
    x = op.source
    element = element_of(x.type)
    if kind == "sum":
        x = e.float_cast(x, wide(element)) if wide(element) != element else x
    (total,) = _reduce_values(e, [x], op.dimension, [kind])
    return e.float_cast(total, element) if kind == "sum" and wide(element) != element else total


def _reduce_values(
    e: Emitter, values: Sequence[SSAValue], axis: int, kinds: Sequence[str]
) -> list[SSAValue]:
    """Tiles reduced along an axis, which stays."""
    elements = [tile(value).element_type for value in values]
    identities = [identity_attr(k, t) for k, t in zip(kinds, elements, strict=True)]
    return _fold(e, values, axis, identities, combination(kinds, elements))


def _fold(
    e: Emitter,
    values: Sequence[SSAValue],
    axis: int,
    identities: Sequence[Attribute],
    region: Region,
) -> list[SSAValue]:
    op = core.ReduceOp(values, axis, identities, fold_body(e, region, len(values)))
    e.insert(op)
    shape = reductions.reduced_shape(tile(values[0]).get_shape(), axis)
    return [e.reshape(result, shape) for result in op.results]


def fold_body(e: Emitter, region: Region, count: int) -> Region:
    """A combine region as the body of a `reduce`, which takes accumulators and elements in turn."""
    elements = [arg.type for arg in region.block.args[:count]]
    block = Block(arg_types=[rank0(t) for element in elements for t in (element, element)])
    inner = Emitter(Builder(InsertPoint.at_end(block)), e.origin, e.version)
    arguments = [*block.args[0::2], *block.args[1::2]]
    results = BodyLowering(inner, ()).lower(region.block, arguments)
    inner.insert(YieldOp(*results))
    return Region(block)


def _combine_region(op: FoldOp) -> Region:
    words = op.kind_words
    return op.combine_region if words is None else combination(words, op.elements)


def _reduce(e: Emitter, op: reductions.ReduceOp) -> list[SSAValue]:
    inputs = mapped(e, op)
    results = _fold(e, inputs, op.dimension, op.identity_attrs(), _combine_region(op))
    if not op.inits:
        return results
    shape = tile(results[0]).get_shape()
    inits = [_spread(e, init, shape) for init in op.inits]
    return BodyLowering(e, shape).lower(_combine_region(op).block, [*inits, *results])


def _spread(e: Emitter, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """An init, a tile or a scalar, in the shape of the results."""
    if is_scalar(value.type):
        return e.one(SplatOp.to(value, shape))
    return e.broadcast(value, shape)


def _scan(e: Emitter, op: reductions.ScanOp) -> list[SSAValue]:
    inputs = mapped(e, op)
    region = _combine_region(op)
    identities = op.identity_attrs()
    shape, axis = op.shape, op.dimension
    reverse = op.reverse is not None
    if op.exclusive is None:
        scan = core.ScanOp(
            inputs, axis, identities, fold_body(e, region, len(inputs)), reverse=reverse
        )
        e.insert(scan)
        results: list[SSAValue] = list(scan.results)
    else:
        results = _exclusive_scan(e, inputs, axis, identities, region, reverse=reverse)
    if not op.inits:
        return results
    inits = [_spread(e, init, shape) for init in op.inits]
    return BodyLowering(e, shape).lower(region.block, [*inits, *results])


def _exclusive_scan(
    e: Emitter,
    inputs: Sequence[SSAValue],
    axis: int,
    identities: Sequence[Attribute],
    region: Region,
    *,
    reverse: bool,
) -> list[SSAValue]:
    """A scan of pairs: the total up to an element, and the one before it.

    An element is (x, identity), and combining (t, u) with (x, v) gives (t x, t v).
    """
    count = len(inputs)
    shape = tile(inputs[0]).get_shape()
    nothing = [e.attribute(identity, shape) for identity in identities]
    elements = [tile(value).element_type for value in inputs]
    block = Block(arg_types=[rank0(t) for t in (*elements, *elements) for _ in range(2)])
    inner = Emitter(Builder(InsertPoint.at_end(block)), e.origin, e.version)
    accumulators, right = block.args[0::2], block.args[1::2]
    results: list[SSAValue] = []
    for part in (right[:count], right[count:]):
        arguments = [*accumulators[:count], *part]
        results += BodyLowering(inner, ()).lower(region.block, arguments)
    inner.insert(YieldOp(*results))
    scan = core.ScanOp(
        [*inputs, *nothing],
        axis,
        [*identities, *identities],
        Region(block),
        reverse=reverse,
    )
    e.insert(scan)
    return list(scan.results[count:])


# Products.


def _dot(e: Emitter, op: library.DotOp) -> SSAValue:
    left, right = op.lhs, op.rhs
    result = op.result.type
    assert isinstance(result, TileType)
    if op.acc is None:
        acc = e.attribute(number_attr(0, result.element_type), result.get_shape())
    else:
        acc = op.acc
    if result.element_type == i32:
        return e.make(
            arith.MmaIOp,
            [left, right, acc],
            result,
            signedness_lhs=UNSIGNED if op.from_unsigned_lhs is not None else SIGNED,
            signedness_rhs=UNSIGNED if op.from_unsigned_rhs is not None else SIGNED,
        )
    elements = dot_operands(element_of(left.type), element_of(right.type))
    left, right = (e.float_cast(v, t) for v, t in zip((left, right), elements, strict=True))
    if op.tf32 is not None:
        left, right = (e.float_cast(value, tf32) for value in (left, right))
    return e.make(
        arith.MmaFOp,
        [left, right, acc],
        result,
        fast_acc=None if op.fast_acc is None else UnitAttr(),
    )


def _dot_scaled(e: Emitter, op: library.DotScaledOp) -> SSAValue:
    result = op.result.type
    assert isinstance(result, TileType)
    acc = e.attribute(number_attr(0, f32), result.get_shape())
    return e.make(arith.MmaFScaledOp, [op.lhs, op.rhs, acc, op.lhs_scale, op.rhs_scale], result)
