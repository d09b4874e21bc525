"""`insert`, `pack` and `unpack` by operations that move and combine elements."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, f4E2M1FN, i8, i32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import element_of, tile_of, width_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import UNSIGNED, AndIOp, OrIOp, ShLIOp, ShRIOp
from tileir_xdsl.dialects.cuda_tile.attributes import ComparisonPredicate
from tileir_xdsl.dialects.cuda_tile.conversions import BitcastOp
from tileir_xdsl.dialects.cuda_tile.core import InsertOp, PackOp, UnpackOp
from tileir_xdsl.dialects.cuda_tile.types import TileType, bit_width
from tileir_xdsl.passes.legalization.rules import Emitter, LegalizationList
from tileir_xdsl.passes.patterns import Outcome
from tileir_xdsl.versions import V13_3, V13_4

LEGALIZATIONS = LegalizationList()
removing = LEGALIZATIONS.removing

i1 = IntegerType(1)


@removing(V13_4, InsertOp)
def selected_part(op: InsertOp, rewriter: PatternRewriter) -> Outcome:
    """An inserted part is repeated to the size of the whole and selected where it belongs."""
    whole, part = tile_of(op.destination), tile_of(op.source)
    if whole.element_type == f4E2M1FN:
        return None
    emit = Emitter(rewriter)
    shape = whole.get_shape()
    repeated: SSAValue = op.source
    mask: SSAValue | None = None
    for axis, (extent, size) in enumerate(zip(shape, part.get_shape(), strict=True)):
        if extent == size:
            continue
        while tile_of(repeated).get_shape()[axis] < extent:
            repeated = emit.concatenate(repeated, repeated, axis)
        number = emit.shift_right(emit.iota(extent, i32), size.bit_length() - 1)
        chosen = emit.compare(
            ComparisonPredicate.EQUAL, number, emit.spread(op.indices[axis], [extent])
        )
        here = emit.along(chosen, axis, shape)
        mask = here if mask is None else emit.binary(AndIOp, mask, here)
    return op.source if mask is None else emit.select(mask, repeated, op.destination)


@removing(V13_3, PackOp)
def packed_by_shifts(op: PackOp, rewriter: PatternRewriter) -> Outcome:
    """Bytes are shifted out of wide elements, or together from bits."""
    source = tile_of(op.source)
    emit = Emitter(rewriter)
    bits = _as_integers(op.source, emit)
    if bits is None:
        return None
    width, count = width_of(bits), source.num_elements
    if width == 1:
        return _combined(emit.reshape(bits, [count // 8, 8]), 1, i8, emit)
    columns = [
        emit.reshape(
            emit.resize(emit.shift_right(bits, 8 * k) if k else bits, i8, signed=False), [count, 1]
        )
        for k in range(width // 8)
    ]
    while len(columns) > 1:
        columns = [
            emit.concatenate(columns[k], columns[k + 1], 1) for k in range(0, len(columns), 2)
        ]
    return emit.reshape(columns[0], [count * width // 8])


@removing(V13_3, UnpackOp)
def unpacked_by_shifts(op: UnpackOp, rewriter: PatternRewriter) -> Outcome:
    """Wide elements are shifted together from bytes, or bits out of them."""
    result = tile_of(op.result)
    emit = Emitter(rewriter)
    integer = _integer_type(result)
    if integer is None:
        return None
    count, width = result.num_elements, bit_width(integer)
    if width == 1:
        bytes_ = emit.reshape(op.source, [count // 8, 1])
        counts = emit.along(emit.iota(8, i8), 1, [count // 8, 8])
        shifted = emit.binary(
            ShRIOp, emit.broadcast(bytes_, [count // 8, 8]), counts, signedness=UNSIGNED
        )
        return emit.reshape(emit.resize(shifted, i1, signed=False), [count])
    parts = emit.reshape(op.source, [count, width // 8])
    combined = _combined(parts, 8, integer, emit)
    return combined if result.element_type == integer else emit.op(BitcastOp(combined, result))


def _as_integers(value: SSAValue, emit: Emitter) -> SSAValue | None:
    """The bits of numbers as integers of their width; None of those that have none."""
    type = tile_of(value)
    integer = _integer_type(type)
    if integer is None:
        return None
    if element_of(value) == integer:
        return value
    return emit.op(BitcastOp(value, type.with_element(integer)))


def _integer_type(type: TileType) -> IntegerType | None:
    width = bit_width(type.element_type)
    return IntegerType(width) if width in (1, 16, 32, 64) else None


def _combined(parts: SSAValue, width: int, element: IntegerType, emit: Emitter) -> SSAValue:
    """Rows of parts of `width` bits each, the lowest first, as one integer for each row."""
    rows, columns = tile_of(parts).get_shape()
    total: SSAValue | None = None
    for k in range(columns):
        column = emit.reshape(emit.part(parts, [0, k], [rows, 1]), [rows])
        wide = emit.resize(column, element, signed=False)
        if k:
            wide = emit.binary(ShLIOp, wide, emit.splat(tile_of(wide), width * k))
        total = wide if total is None else emit.binary(OrIOp, total, wide)
    assert total is not None
    return total
