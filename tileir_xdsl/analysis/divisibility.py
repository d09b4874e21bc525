"""Powers of two that divide values: every element of an integer tile, every address in bytes.

Modulo two to the width, divisibility by a power of two is all that survives a wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerType, f4E2M1FN
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileir_xdsl.analysis.constants import constant_of, splat_bits, width_of
from tileir_xdsl.dialects.cuda_tile import arithmetic as ops
from tileir_xdsl.dialects.cuda_tile import conversions, core
from tileir_xdsl.dialects.cuda_tile.attributes import DivByAttr
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp, YieldOp
from tileir_xdsl.dialects.cuda_tile.memory import AllocaOp, storage_bytes
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType

POINTER_WIDTH = 64

MAX_DEPTH = 16
"""Definitions that are followed: what lies further back counts as unknown."""


def divisor_of(value: SSAValue, depth: int = MAX_DEPTH) -> int:
    """The greatest power of two known to divide every element of a tile.

    Of integers modulo two to their width (0 is divisible by that power itself), of pointers in
    bytes. Looks back over at most `depth` definitions.
    """
    return 1 << trailing_zeros_of(value, depth)


def trailing_zeros_of(value: SSAValue, depth: int = MAX_DEPTH) -> int:
    """Low bits that are known to be zero in every element of a tile of integers or pointers."""
    return _TrailingZeros().of(value, depth)


def _width(value: SSAValue) -> int:
    """Bits of an element; 0 for what is neither integer nor pointer."""
    if not isinstance(value.type, TileType):
        return 0
    element = value.type.element_type
    if isinstance(element, PtrType):
        return POINTER_WIDTH
    return width_of(value) if isinstance(element, IntegerType) else 0


def _zeros(bits: int, width: int) -> int:
    return width if bits == 0 else (bits & -bits).bit_length() - 1


class _TrailingZeros:
    """One query: each value is looked at once."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, int] = {}

    def of(self, value: SSAValue, depth: int) -> int:
        if (known := self._known.get(value)) is not None:
            return known
        width = _width(value)
        result = 0 if width == 0 else max(0, min(width, self._compute(value, width, depth)))
        self._known[value] = result
        return result

    def _compute(self, value: SSAValue, width: int, depth: int) -> int:
        constant = constant_of(value)
        if constant is not None:
            return min(_zeros(bits, width) for bits in constant.bits())
        if depth <= 0:
            return 0
        owner = value.owner
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, ForOp) or value.index != 0:
                return 0
            return min(self.of(loop.lower_bound, depth - 1), self.of(loop.step, depth - 1))
        if isinstance(owner, IfOp):
            return self._of_if(owner, value, width, depth - 1)
        assert isinstance(owner, Operation)
        transfer = _TRANSFER.get(type(owner))
        if transfer is None:
            return 0
        return transfer(owner, width, [self.of(v, depth - 1) for v in owner.operands])

    def _of_if(self, op: IfOp, value: SSAValue, width: int, depth: int) -> int:
        index = list(op.results).index(value)  # pyright: ignore[reportArgumentType]
        result = width
        for region in op.regions:
            last = region.block.last_op if region.blocks else None
            if isinstance(last, YieldOp):
                result = min(result, self.of(last.operands[index], depth))
        return result


Inputs = Sequence[int]
Transfer = Callable[[Any, int, Inputs], int]


def _least(op: Operation, width: int, inputs: Inputs) -> int:
    return min(inputs)


def _first(op: Operation, width: int, inputs: Inputs) -> int:
    return inputs[0]


def _sum(op: Operation, width: int, inputs: Inputs) -> int:
    return sum(inputs)


def _greatest(op: Operation, width: int, inputs: Inputs) -> int:
    return max(inputs)


def _shift_left(op: ops.ShLIOp, width: int, inputs: Inputs) -> int:
    count = splat_bits(op.rhs)
    return inputs[0] + (count or 0)


def _shift_right(op: ops.ShRIOp, width: int, inputs: Inputs) -> int:
    count = splat_bits(op.rhs)
    if count is None or count >= width:
        return 0
    return width if inputs[0] == width else inputs[0] - count


def _quotient(op: ops.DivIOp, width: int, inputs: Inputs) -> int:
    divisor = splat_bits(op.rhs)
    if not divisor or divisor & (divisor - 1) or divisor >> (width - 1):
        return 0
    return width if inputs[0] == width else inputs[0] - _zeros(divisor, width)


def _extend(op: conversions.ExtIOp, width: int, inputs: Inputs) -> int:
    return width if inputs[0] == _width(op.from_) else inputs[0]


def _select(op: core.SelectOp, width: int, inputs: Inputs) -> int:
    return min(inputs[1:])


def _offset(op: core.OffsetOp, width: int, inputs: Inputs) -> int:
    pointer = op.ptr.type.element_type if isinstance(op.ptr.type, TileType) else None
    if not isinstance(pointer, PtrType) or pointer.pointee_type == f4E2M1FN:
        return 0
    moved = inputs[1] + _zeros(storage_bytes(pointer.pointee_type), POINTER_WIDTH)
    if inputs[1] == _width(op.offset):
        moved = POINTER_WIDTH
    return min(inputs[0], moved)


def _assume(op: AssumeOp, width: int, inputs: Inputs) -> int:
    predicate = op.predicate
    if not isinstance(predicate, DivByAttr) or predicate.every_value is not None:
        return inputs[0]
    return max(inputs[0], _zeros(predicate.divisor.data, width))


def _alloca(op: AllocaOp, width: int, inputs: Inputs) -> int:
    return _zeros(op.alignment.value.data, width)


def _global(op: core.GetGlobalOp, width: int, inputs: Inputs) -> int:
    module = core.enclosing_module(op)
    name = op.symbol.root_reference.data
    found = next((g for g in module.globals() if g.sym_name.data == name), None) if module else None
    return 0 if found is None else _zeros(found.alignment.value.data or 1, width)


_TRANSFER: dict[type[Operation], Transfer] = {
    ops.AddIOp: _least,
    ops.SubIOp: _least,
    ops.MulIOp: _sum,
    ops.NegIOp: _first,
    ops.AbsIOp: _first,
    ops.RemIOp: _least,
    ops.DivIOp: _quotient,
    ops.ShLIOp: _shift_left,
    ops.ShRIOp: _shift_right,
    ops.AndIOp: _greatest,
    ops.OrIOp: _least,
    ops.XOrIOp: _least,
    ops.MaxIOp: _least,
    ops.MinIOp: _least,
    conversions.ExtIOp: _extend,
    conversions.TruncIOp: _first,
    conversions.PtrToIntOp: _first,
    conversions.IntToPtrOp: _first,
    conversions.PtrToPtrOp: _first,
    core.BroadcastOp: _first,
    core.ReshapeOp: _first,
    core.PermuteOp: _first,
    core.ExtractOp: _first,
    core.InsertOp: lambda op, width, inputs: min(inputs[:2]),
    core.CatOp: _least,
    core.SelectOp: _select,
    core.OffsetOp: _offset,
    core.GetGlobalOp: _global,
    AssumeOp: _assume,
    AllocaOp: _alloca,
}
