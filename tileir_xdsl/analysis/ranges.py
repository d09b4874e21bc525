"""Ranges of integer values: what every element of a tile surely lies between.

Two intervals are kept, of the elements read as signed and as unsigned numbers, and each narrows
the other. Sound with wrap-around: an operation whose result may wrap answers everything, unless
all of it wraps by the same amount or the operation promises that it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileir_xdsl.analysis.constants import constant_of, splat_bits, width_of
from tileir_xdsl.dialects.cuda_tile import arithmetic as ops
from tileir_xdsl.dialects.cuda_tile.arithmetic import SIGNED
from tileir_xdsl.dialects.cuda_tile.attributes import BoundedAttr, IntegerOverflowAttr
from tileir_xdsl.dialects.cuda_tile.constants import signed
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp, YieldOp
from tileir_xdsl.dialects.cuda_tile.conversions import ExtIOp, TruncIOp
from tileir_xdsl.dialects.cuda_tile.core import (
    BroadcastOp,
    CatOp,
    ExtractOp,
    GetNumTileBlocksOp,
    GetTileBlockIdOp,
    InsertOp,
    IotaOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import TileType

Interval = tuple[int, int]
"""Least and greatest number, both included."""

MAX_DEPTH = 16
"""Definitions that are followed: what lies further back counts as unknown."""


@dataclass(frozen=True)
class IntegerRange:
    """The intervals that the elements of a value lie in."""

    width: int
    signed: Interval
    unsigned: Interval

    @staticmethod
    def full(width: int) -> IntegerRange:
        return IntegerRange(width, _signed_limits(width), _unsigned_limits(width))

    @staticmethod
    def of(
        width: int, signed: Interval | None = None, unsigned: Interval | None = None
    ) -> IntegerRange:
        """From what is known of either reading; None and what does not fit is unknown."""
        signed = _inside(signed, _signed_limits(width))
        unsigned = _inside(unsigned, _unsigned_limits(width))
        half, all_ = 1 << (width - 1), 1 << width
        # Where all elements have one sign bit, the two readings differ by a constant.
        if signed[0] >= 0:
            unsigned = _meet(unsigned, signed)
        elif signed[1] < 0:
            unsigned = _meet(unsigned, (signed[0] + all_, signed[1] + all_))
        if unsigned[1] < half:
            signed = _meet(signed, unsigned)
        elif unsigned[0] >= half:
            signed = _meet(signed, (unsigned[0] - all_, unsigned[1] - all_))
        return IntegerRange(width, signed, unsigned)

    @staticmethod
    def exactly(width: int, bits: int) -> IntegerRange:
        value = signed(bits, width)
        return IntegerRange.of(width, (value, value))

    def bounds(self, is_signed: bool) -> Interval:
        return self.signed if is_signed else self.unsigned

    def contains(self, bits: int) -> bool:
        """Whether an element may have a bit pattern."""
        low, high = self.signed
        least, greatest = self.unsigned
        return low <= signed(bits, self.width) <= high and least <= bits <= greatest

    def union(self, other: IntegerRange) -> IntegerRange:
        return IntegerRange.of(
            self.width, _join(self.signed, other.signed), _join(self.unsigned, other.unsigned)
        )


def range_of(value: SSAValue, depth: int = MAX_DEPTH) -> IntegerRange:
    """The range of an integer tile; looks back over at most `depth` definitions."""
    return _Ranges().of(value, depth)


def is_never_zero(value: SSAValue) -> bool:
    """Whether no element of an integer tile is zero."""
    constant = constant_of(value)
    if constant is not None:
        return 0 not in constant.bits()
    return not range_of(value).contains(0)


def _signed_limits(width: int) -> Interval:
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _unsigned_limits(width: int) -> Interval:
    return 0, (1 << width) - 1


def _inside(interval: Interval | None, limits: Interval) -> Interval:
    if interval is None or interval[0] > interval[1]:
        return limits
    if interval[0] < limits[0] or interval[1] > limits[1]:
        return limits
    return interval


def _meet(a: Interval, b: Interval) -> Interval:
    low, high = max(a[0], b[0]), min(a[1], b[1])
    # Contradictory facts: no execution gets here, so that any answer will do.
    return (low, high) if low <= high else a


def _join(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


class _Ranges:
    """One query: each value is looked at once."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, IntegerRange] = {}

    def of(self, value: SSAValue, depth: int) -> IntegerRange:
        if (known := self._known.get(value)) is not None:
            return known
        result = self._compute(value, depth)
        self._known[value] = result
        return result

    def _compute(self, value: SSAValue, depth: int) -> IntegerRange:
        width = width_of(value)
        owner = value.owner
        constant = constant_of(value)
        if constant is not None:
            return _of_bits(width, constant.bits())
        if depth <= 0:
            return IntegerRange.full(width)
        if isinstance(value, BlockArgument):
            return self._of_argument(value, depth - 1)
        if isinstance(owner, IfOp):
            return self._of_if(owner, value, depth - 1)
        transfer = _TRANSFER.get(type(owner)) if isinstance(owner, Operation) else None
        if transfer is None or not isinstance(owner, Operation):
            return IntegerRange.full(width)
        inputs = [self.of(v, depth - 1) for v in owner.operands if _is_integer(v)]
        return transfer(owner, width, inputs)

    def _of_argument(self, value: BlockArgument, depth: int) -> IntegerRange:
        loop = value.block.parent_op()
        if not isinstance(loop, ForOp) or value.index != 0:
            return IntegerRange.full(width_of(value))
        lower, upper, step = (
            self.of(v, depth) for v in (loop.lower_bound, loop.upper_bound, loop.step)
        )
        is_signed = loop.unsigned_cmp is None
        limits = (_signed_limits if is_signed else _unsigned_limits)(lower.width)
        low, _ = lower.bounds(is_signed)
        _, end = upper.bounds(is_signed)
        least_step, greatest_step = step.bounds(is_signed)
        # The variable stays above the lower bound unless a step down or a wrap takes it below.
        if least_step <= 0 or end - 1 + greatest_step > limits[1]:
            low = limits[0]
        interval = (low, end - 1)
        return (
            IntegerRange.of(lower.width, signed=interval)
            if is_signed
            else IntegerRange.of(lower.width, unsigned=interval)
        )

    def _of_if(self, op: IfOp, value: SSAValue, depth: int) -> IntegerRange:
        index = list(op.results).index(value)  # pyright: ignore[reportArgumentType]
        result: IntegerRange | None = None
        for region in op.regions:
            last = region.block.last_op if region.blocks else None
            # A branch that does not end in a yield leaves: it gives no value.
            if not isinstance(last, YieldOp):
                continue
            branch = self.of(last.operands[index], depth)
            result = branch if result is None else result.union(branch)
        return IntegerRange.full(width_of(value)) if result is None else result


def _is_integer(value: SSAValue) -> bool:
    return isinstance(value.type, TileType) and isinstance(value.type.element_type, IntegerType)


def _of_bits(width: int, bits: Sequence[int]) -> IntegerRange:
    numbers = [signed(b, width) for b in bits]
    return IntegerRange.of(width, (min(numbers), max(numbers)), (min(bits), max(bits)))


# What operations do to ranges.

Inputs = Sequence[IntegerRange]
Transfer = Callable[[Any, int, Inputs], IntegerRange]


def _wrapped(interval: Interval, limits: Interval, promised: bool) -> Interval | None:
    """An interval of exact results as one of wrapped results."""
    size = limits[1] - limits[0] + 1
    if promised:
        low, high = max(interval[0], limits[0]), min(interval[1], limits[1])
        return (low, high) if low <= high else None
    turns = (interval[0] - limits[0]) // size
    if turns != (interval[1] - limits[0]) // size:
        return None
    return interval[0] - turns * size, interval[1] - turns * size


def _promises(op: Operation) -> tuple[bool, bool]:
    """Whether an operation promises not to wrap, read as signed and as unsigned."""
    overflow = op.properties.get("overflow")
    keyword = overflow.keyword if isinstance(overflow, IntegerOverflowAttr) else "none"
    return (
        keyword in ("no_signed_wrap", "no_wrap"),
        keyword in ("no_unsigned_wrap", "no_wrap"),
    )


def _arithmetic(combine: Callable[[Interval, Interval], Interval]) -> Transfer:
    def transfer(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
        a, b = inputs
        no_signed_wrap, no_unsigned_wrap = _promises(op)
        return IntegerRange.of(
            width,
            _wrapped(combine(a.signed, b.signed), _signed_limits(width), no_signed_wrap),
            _wrapped(combine(a.unsigned, b.unsigned), _unsigned_limits(width), no_unsigned_wrap),
        )

    return transfer


def _sum(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _difference(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _product(a: Interval, b: Interval) -> Interval:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _negate(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    (a,) = inputs
    negated = (-a.signed[1], -a.signed[0])
    no_signed_wrap, _ = _promises(op)
    return IntegerRange.of(width, _wrapped(negated, _signed_limits(width), no_signed_wrap))


def _absolute(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    (a,) = inputs
    low, high = a.signed
    least = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return IntegerRange.of(width, unsigned=(least, max(abs(low), abs(high))))


def _high_product(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    a, b = (x.unsigned for x in inputs)
    return IntegerRange.of(width, unsigned=((a[0] * b[0]) >> width, (a[1] * b[1]) >> width))


def _quotient(op: ops.DivIOp, width: int, inputs: Inputs) -> IntegerRange:
    is_signed = op.signedness == SIGNED
    a, b = (x.bounds(is_signed) for x in inputs)
    if b[0] <= 0 <= b[1]:
        return IntegerRange.full(width)
    quotients = [_divide(x, y, op.rounding.keyword) for x in a for y in b]
    # The least numerator by -1, which is undefined, would be the only quotient out of range.
    interval = min(quotients), max(quotients)
    return _in_reading(width, interval, is_signed)


def _divide(x: int, y: int, rounding: str) -> int:
    if rounding == "negative_inf":
        return x // y
    if rounding == "positive_inf":
        return -(-x // y)
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _remainder(op: ops.RemIOp, width: int, inputs: Inputs) -> IntegerRange:
    is_signed = op.signedness == SIGNED
    a, b = (x.bounds(is_signed) for x in inputs)
    most = max(abs(b[0]), abs(b[1])) - 1
    low = max(-most, a[0]) if a[0] < 0 else 0
    high = min(most, a[1]) if a[1] > 0 else 0
    return _in_reading(width, (low, high), is_signed)


def _in_reading(width: int, interval: Interval, is_signed: bool) -> IntegerRange:
    if is_signed:
        return IntegerRange.of(width, signed=interval)
    return IntegerRange.of(width, unsigned=interval)


def _shift_left(op: ops.ShLIOp, width: int, inputs: Inputs) -> IntegerRange:
    count = splat_bits(op.rhs)
    if count is None or count >= width:
        return IntegerRange.full(width)
    factor = IntegerRange(width, (1 << count, 1 << count), (1 << count, 1 << count))
    return _arithmetic(_product)(op, width, [inputs[0], factor])


def _shift_right(op: ops.ShRIOp, width: int, inputs: Inputs) -> IntegerRange:
    is_signed = op.signedness == SIGNED
    value, count = inputs
    low, high = value.bounds(is_signed)
    # Counts of the width or more are undefined.
    least, most = count.unsigned[0], min(count.unsigned[1], width - 1)
    if least > most:
        return IntegerRange.full(width)
    shifted = [x >> k for x in (low, high) for k in (least, most)]
    return _in_reading(width, (min(shifted), max(shifted)), is_signed)


def _and(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    a, b = inputs
    return IntegerRange.of(width, unsigned=(0, min(a.unsigned[1], b.unsigned[1])))


def _bits_above(*intervals: Interval) -> int:
    """The greatest number with as many bits as the greatest of some."""
    return (1 << max(i[1] for i in intervals).bit_length()) - 1


def _or(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    a, b = (x.unsigned for x in inputs)
    return IntegerRange.of(width, unsigned=(max(a[0], b[0]), _bits_above(a, b)))


def _xor(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    a, b = (x.unsigned for x in inputs)
    return IntegerRange.of(width, unsigned=(0, _bits_above(a, b)))


def _extremum(op: ops.MaxIOp | ops.MinIOp, width: int, inputs: Inputs) -> IntegerRange:
    is_signed = op.signedness == SIGNED
    a, b = (x.bounds(is_signed) for x in inputs)
    choose = max if isinstance(op, ops.MaxIOp) else min
    return _in_reading(width, (choose(a[0], b[0]), choose(a[1], b[1])), is_signed)


def _extend(op: ExtIOp, width: int, inputs: Inputs) -> IntegerRange:
    is_signed = op.signedness == SIGNED
    return IntegerRange.of(width, signed=inputs[0].bounds(is_signed))


def _truncate(op: TruncIOp, width: int, inputs: Inputs) -> IntegerRange:
    (a,) = inputs
    no_signed_wrap, no_unsigned_wrap = _promises(op)
    return IntegerRange.of(
        width,
        _wrapped(a.signed, _signed_limits(width), no_signed_wrap),
        _wrapped(a.unsigned, _unsigned_limits(width), no_unsigned_wrap),
    )


def _select(op: SelectOp, width: int, inputs: Inputs) -> IntegerRange:
    return inputs[1].union(inputs[2])


def _assume(op: AssumeOp, width: int, inputs: Inputs) -> IntegerRange:
    (a,) = inputs
    if not isinstance(op.predicate, BoundedAttr):
        return a
    limits = _signed_limits(width)
    low = op.predicate.lower_value
    high = op.predicate.upper_value
    stated = (limits[0] if low is None else low, limits[1] if high is None else high)
    return IntegerRange.of(width, _meet(a.signed, _inside(stated, limits)), a.unsigned)


def _first(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    return inputs[0]


def _first_two(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    return inputs[0].union(inputs[1])


def _iota(op: IotaOp, width: int, inputs: Inputs) -> IntegerRange:
    assert isinstance(op.result.type, TileType)
    return IntegerRange.of(width, unsigned=(0, op.result.type.num_elements - 1))


def _block_id(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    return IntegerRange.of(width, signed=(0, (1 << 31) - 2))


def _block_count(op: Operation, width: int, inputs: Inputs) -> IntegerRange:
    return IntegerRange.of(width, signed=(1, (1 << 31) - 1))


_TRANSFER: dict[type[Operation], Transfer] = {
    ops.AddIOp: _arithmetic(_sum),
    ops.SubIOp: _arithmetic(_difference),
    ops.MulIOp: _arithmetic(_product),
    ops.NegIOp: _negate,
    ops.AbsIOp: _absolute,
    ops.MulhiIOp: _high_product,
    ops.DivIOp: _quotient,
    ops.RemIOp: _remainder,
    ops.ShLIOp: _shift_left,
    ops.ShRIOp: _shift_right,
    ops.AndIOp: _and,
    ops.OrIOp: _or,
    ops.XOrIOp: _xor,
    ops.MaxIOp: _extremum,
    ops.MinIOp: _extremum,
    ExtIOp: _extend,
    TruncIOp: _truncate,
    SelectOp: _select,
    AssumeOp: _assume,
    BroadcastOp: _first,
    ReshapeOp: _first,
    PermuteOp: _first,
    ExtractOp: _first,
    InsertOp: _first_two,
    CatOp: _first_two,
    IotaOp: _iota,
    GetTileBlockIdOp: _block_id,
    GetNumTileBlocksOp: _block_count,
}
