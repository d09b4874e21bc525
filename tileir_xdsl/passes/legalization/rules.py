"""Declarations of legalizations, and short ways to build what they build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import tile_of, width_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    SIGNED,
    UNSIGNED,
    AddIOp,
    CmpFOp,
    CmpIOp,
    MulIOp,
    SameTypeOp,
    ShRIOp,
)
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
)
from tileir_xdsl.dialects.cuda_tile.conversions import ExtIOp, TruncIOp
from tileir_xdsl.dialects.cuda_tile.core import (
    BroadcastOp,
    CatOp,
    ExtractOp,
    IotaOp,
    ReshapeOp,
    SelectOp,
)
from tileir_xdsl.dialects.cuda_tile.types import TileType, bit_width
from tileir_xdsl.passes.canonicalization.build import i64_attr, splat
from tileir_xdsl.passes.patterns import Match, Pattern
from tileir_xdsl.versions import Version


@dataclass(frozen=True)
class Legalization:
    """A pattern that removes a feature of `since` and later versions."""

    since: Version
    pattern: Pattern
    approximate: bool
    """Whether results may change."""


MatchT = TypeVar("MatchT", bound=Match)


@dataclass
class LegalizationList:
    """Legalizations in the order of their declaration."""

    rules: list[Legalization] = field(default_factory=list[Legalization])

    def removing(
        self, since: Version, *roots: type[Operation], approximate: bool = False
    ) -> Callable[[MatchT], MatchT]:
        """Declare the decorated function a legalization of what `since` introduced."""

        def declare(function: MatchT) -> MatchT:
            name = getattr(function, "__name__").replace("_", "-")
            self.rules.append(Legalization(since, Pattern(name, roots, function), approximate))
            return function

        return declare


class Emitter:
    """Inserts operations in front of the matched one and answers their results."""

    def __init__(self, rewriter: PatternRewriter) -> None:
        self._rewriter = rewriter

    def op(self, op: Operation) -> SSAValue:
        return self._rewriter.insert(op).results[0]

    def splat(self, type: TileType, bits: int) -> SSAValue:
        """A constant; `bits` may be negative."""
        return self.op(splat(type, bits & ((1 << bit_width(type.element_type)) - 1)))

    def integer(self, number: int, element: Attribute = i64) -> SSAValue:
        return self.splat(TileType.get([], element), number)

    def binary(self, cls: type[SameTypeOp], lhs: SSAValue, rhs: SSAValue, **props: Any) -> SSAValue:
        return self.op(cls(lhs, rhs, properties=props))

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(AddIOp, lhs, rhs)

    def multiply(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(MulIOp, lhs, rhs)

    def shift_right(self, value: SSAValue, count: int) -> SSAValue:
        counts = self.splat(tile_of(value), count)
        return self.binary(ShRIOp, value, counts, signedness=UNSIGNED)

    def compare(
        self, predicate: ComparisonPredicate, lhs: SSAValue, rhs: SSAValue, *, signed: bool = True
    ) -> SSAValue:
        """An integer comparison."""
        return self.op(
            CmpIOp.create(
                operands=[lhs, rhs],
                result_types=[tile_of(lhs).with_element(IntegerType(1))],
                properties={
                    "comparison_predicate": ComparisonPredicateAttr(predicate),
                    "signedness": SIGNED if signed else UNSIGNED,
                },
            )
        )

    def compare_floats(
        self, predicate: ComparisonPredicate, lhs: SSAValue, rhs: SSAValue
    ) -> SSAValue:
        """A comparison that is false for NaN."""
        return self.op(
            CmpFOp.create(
                operands=[lhs, rhs],
                result_types=[tile_of(lhs).with_element(IntegerType(1))],
                properties={
                    "comparison_predicate": ComparisonPredicateAttr(predicate),
                    "comparison_ordering": ComparisonOrderingAttr(ComparisonOrdering.ORDERED),
                },
            )
        )

    def select(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue) -> SSAValue:
        return self.op(SelectOp(condition, if_true, if_false))

    def resize(self, value: SSAValue, element: Attribute, *, signed: bool) -> SSAValue:
        """An integer tile extended or truncated to another element type."""
        if tile_of(value).element_type == element:
            return value
        type = tile_of(value).with_element(element)
        if width_of(value) > bit_width(element):
            return self.op(TruncIOp(value, type))
        return self.op(ExtIOp(value, type, {"signedness": SIGNED if signed else UNSIGNED}))

    def iota(self, count: int, element: Attribute = i64) -> SSAValue:
        return self.op(IotaOp(TileType.get([count], element)))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        if tile_of(value).get_shape() == tuple(shape):
            return value
        return self.op(ReshapeOp(value, tile_of(value).with_shape(shape)))

    def broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        if tile_of(value).get_shape() == tuple(shape):
            return value
        return self.op(BroadcastOp(value, tile_of(value).with_shape(shape)))

    def spread(self, scalar: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A rank-0 tile in every element of a shape."""
        if not shape:
            return scalar
        return self.broadcast(self.reshape(scalar, [1] * len(shape)), shape)

    def along(self, vector: SSAValue, axis: int, shape: Sequence[int]) -> SSAValue:
        """A rank-1 tile along one axis of a shape, the same along the others."""
        single = [1] * len(shape)
        single[axis] = shape[axis]
        return self.broadcast(self.reshape(vector, single), shape)

    def concatenate(self, lhs: SSAValue, rhs: SSAValue, dim: int) -> SSAValue:
        shape = list(tile_of(lhs).get_shape())
        shape[dim] += tile_of(rhs).get_shape()[dim]
        return self.op(
            CatOp.create(
                operands=[lhs, rhs],
                result_types=[tile_of(lhs).with_shape(shape)],
                properties={"dim": i64_attr(dim)},
            )
        )

    def part(self, value: SSAValue, indices: Sequence[int], shape: Sequence[int]) -> SSAValue:
        positions = [self.integer(k, IntegerType(32)) for k in indices]
        return self.op(ExtractOp(value, positions, tile_of(value).with_shape(shape)))
