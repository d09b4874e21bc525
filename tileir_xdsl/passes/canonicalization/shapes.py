"""Compositions of the operations that move elements without computing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, f4E2M1FN, i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import constant_of, splat_integer, tile_of
from tileir_xdsl.dialects.cuda_tile import arithmetic as ops
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.conversions import BitcastOp
from tileir_xdsl.dialects.cuda_tile.core import (
    BroadcastOp,
    CatOp,
    ConstantOp,
    ExtractOp,
    InsertOp,
    IotaOp,
    OffsetOp,
    PackOp,
    PermuteOp,
    RegroupOp,
    ReshapeOp,
    UnpackOp,
)
from tileir_xdsl.dialects.cuda_tile.types import TileType, i4
from tileir_xdsl.passes.canonicalization.build import constant_like, splat
from tileir_xdsl.passes.canonicalization.evaluate import (
    EVALUATORS,
    MAX_ELEMENTS,
    format_of,
    from_array,
    to_array,
)
from tileir_xdsl.passes.patterns import Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at

Positions = list[int]
"""For each element of a result, in row-major order, the element of the source that it is."""


# Constants.


def _moved(elements: DenseElementsAttr, type: TileType, positions: Positions) -> ConstantOp:
    bits = elements.bits()
    return ConstantOp(DenseElementsAttr.from_bits(type, [bits[k] for k in positions]))


def _coordinates(shape: Sequence[int]) -> list[tuple[int, ...]]:
    coordinates: list[tuple[int, ...]] = [()]
    for extent in shape:
        coordinates = [(*c, k) for c in coordinates for k in range(extent)]
    return coordinates


def _position(coordinates: Sequence[int], shape: Sequence[int]) -> int:
    position = 0
    for coordinate, extent in zip(coordinates, shape, strict=True):
        position = position * extent + coordinate
    return position


@rooted_at(ReshapeOp, BroadcastOp, PermuteOp, ExtractOp)
def regroup_constant(op: RegroupOp | ExtractOp, rewriter: PatternRewriter) -> Outcome:
    """A constant reshaped, broadcast, permuted or taken a part of is a constant."""
    elements = constant_of(op.source)
    if elements is None:
        return None
    result = tile_of(op.result)
    if elements.splat_bits is not None:
        return splat(result, elements.splat_bits)
    if isinstance(op, ReshapeOp):
        return ConstantOp(elements.with_type(result))
    if result.num_elements > MAX_ELEMENTS:
        return None
    source = tile_of(op.source).get_shape()
    move = _move(op, source, result.get_shape())
    if move is None:
        return None
    positions = [_position(move(c), source) for c in _coordinates(result.get_shape())]
    return _moved(elements, result, positions)


def _move(
    op: Operation, source: Sequence[int], result: Sequence[int]
) -> Callable[[tuple[int, ...]], Sequence[int]] | None:
    """Where an element of the result comes from."""
    if isinstance(op, BroadcastOp):
        return lambda c: [k if n > 1 else 0 for k, n in zip(c, source, strict=True)]
    if isinstance(op, PermuteOp):
        order = op.order
        return lambda c: [c[order.index(k)] for k in range(len(source))]
    assert isinstance(op, ExtractOp)
    indices = constant_indices(op.indices)
    if indices is None or not _inside(indices, source, result):
        return None
    return lambda c: [i * n + k for i, n, k in zip(indices, result, c, strict=True)]


def constant_indices(values: Sequence[SSAValue]) -> list[int] | None:
    """The constant indices of a part, None when one is not constant."""
    indices = [splat_integer(value) for value in values]
    known = [index for index in indices if index is not None]
    return known if len(known) == len(indices) else None


def _inside(indices: Sequence[int], whole: Sequence[int], part: Sequence[int]) -> bool:
    return all(0 <= i < n // m for i, n, m in zip(indices, whole, part, strict=True))


@rooted_at(IotaOp)
def iota_of_one(op: IotaOp, rewriter: PatternRewriter) -> Outcome:
    """The positions along an extent of 1 are 0."""
    return constant_like(op.result, 0) if tile_of(op.result).num_elements == 1 else None


@rooted_at(CatOp)
def concatenate_constants(op: CatOp, rewriter: PatternRewriter) -> Outcome:
    """Concatenated constants are a constant."""
    lhs, rhs = constant_of(op.lhs), constant_of(op.rhs)
    result = tile_of(op.result)
    if lhs is None or rhs is None:
        return None
    if lhs.splat_bits is not None and lhs.splat_bits == rhs.splat_bits:
        return splat(result, lhs.splat_bits)
    if result.num_elements > MAX_ELEMENTS:
        return None
    dim = op.dim.value.data
    bits: list[int] = []
    for coordinates in _coordinates(result.get_shape()):
        inside = list(coordinates)
        elements = lhs
        if inside[dim] >= lhs.type.get_shape()[dim]:
            inside[dim] -= lhs.type.get_shape()[dim]
            elements = rhs
        bits.append(_element(elements, inside))
    return ConstantOp(DenseElementsAttr.from_bits(result, bits))


def _element(elements: DenseElementsAttr, coordinates: Sequence[int]) -> int:
    if elements.splat_bits is not None:
        return elements.splat_bits
    return elements.bits()[_position(coordinates, elements.type.get_shape())]


@rooted_at(PackOp, UnpackOp)
def repack_constant(op: PackOp | UnpackOp, rewriter: PatternRewriter) -> Outcome:
    """A constant packed into bytes or unpacked from them is a constant."""
    elements = constant_of(op.source)
    source, result = tile_of(op.source), tile_of(op.result)
    if elements is None or result.element_type == i4:
        return None
    if max(source.num_elements, result.num_elements) > MAX_ELEMENTS:
        return None
    import numpy as np

    from tileir_xdsl.numerics.bits import pack, unpack

    array = to_array(elements)
    if elements.is_splat:
        array = np.repeat(array, source.num_elements)
    if isinstance(op, PackOp):
        return ConstantOp(from_array(result, pack(array, format_of(source))))
    return ConstantOp(from_array(result, unpack(array, format_of(result))))


# Reshapes, broadcasts, permutations.


@rooted_at(ReshapeOp, BroadcastOp)
def same_shape(op: ReshapeOp | BroadcastOp, rewriter: PatternRewriter) -> Outcome:
    """A reshape or broadcast to the shape of its source changes nothing."""
    return op.source if op.source.type == op.result.type else None


@rooted_at(ReshapeOp)
def reshape_chain(op: ReshapeOp, rewriter: PatternRewriter) -> Outcome:
    """A reshape of a reshape is one."""
    inner = op.source.owner
    return ReshapeOp(inner.source, op.result.type) if isinstance(inner, ReshapeOp) else None


@rooted_at(BroadcastOp)
def broadcast_chain(op: BroadcastOp, rewriter: PatternRewriter) -> Outcome:
    """A broadcast of a broadcast is one."""
    inner = op.source.owner
    return BroadcastOp(inner.source, op.result.type) if isinstance(inner, BroadcastOp) else None


@rooted_at(PermuteOp)
def permute_nothing(op: PermuteOp, rewriter: PatternRewriter) -> Outcome:
    """The identical permutation changes nothing."""
    return op.source if op.order == tuple(range(len(op.order))) else None


@rooted_at(PermuteOp)
def permutation_chain(op: PermuteOp, rewriter: PatternRewriter) -> Outcome:
    """A permutation of a permutation is one."""
    inner = op.source.owner
    if not isinstance(inner, PermuteOp):
        return None
    order = [inner.order[k] for k in op.order]
    permutation = DenseArrayBase.from_list(i32, order)
    return PermuteOp(inner.source, op.result.type, {"permutation": permutation})


@rooted_at(PermuteOp)
def permute_single_elements(op: PermuteOp, rewriter: PatternRewriter) -> Outcome:
    """A permutation that only moves dimensions of extent 1 is a reshape."""
    shape = tile_of(op.source).get_shape()
    moved = [k for k in op.order if shape[k] > 1]
    return ReshapeOp(op.source, op.result.type) if moved == sorted(moved) else None


# Parts.


@rooted_at(ExtractOp)
def extract_everything(op: ExtractOp, rewriter: PatternRewriter) -> Outcome:
    """The only part of a tile is the tile."""
    return op.source if op.source.type == op.result.type else None


@rooted_at(InsertOp)
def insert_everything(op: InsertOp, rewriter: PatternRewriter) -> Outcome:
    """A part that is all of the destination replaces it."""
    return op.source if op.source.type == op.result.type else None


@rooted_at(ExtractOp)
def extract_chain(op: ExtractOp, rewriter: PatternRewriter) -> Outcome:
    """A part at constant indices of a part at constant indices is a part of the whole."""
    inner = op.source.owner
    if not isinstance(inner, ExtractOp):
        return None
    outer_indices, inner_indices = constant_indices(op.indices), constant_indices(inner.indices)
    if outer_indices is None or inner_indices is None:
        return None
    whole, middle, part = (tile_of(v).get_shape() for v in (inner.source, op.source, op.result))
    if not _inside(inner_indices, whole, middle) or not _inside(outer_indices, middle, part):
        return None
    indices = [
        rewriter.insert(splat(TileType.get([], i32), i * (m // n) + k)).result
        for i, k, m, n in zip(inner_indices, outer_indices, middle, part, strict=True)
    ]
    return ExtractOp(inner.source, indices, op.result.type)


@rooted_at(ExtractOp)
def extract_from_concatenation(op: ExtractOp, rewriter: PatternRewriter) -> Outcome:
    """A part of a concatenation that lies in one side is a part of that side."""
    inner = op.source.owner
    indices = constant_indices(op.indices)
    if not isinstance(inner, CatOp) or indices is None:
        return None
    dim = inner.dim.value.data
    whole, side, part = (tile_of(v).get_shape() for v in (inner.result, inner.lhs, op.result))
    if not _inside(indices, whole, part) or side[dim] % part[dim]:
        return None
    parts = side[dim] // part[dim]
    second = indices[dim] >= parts
    if not second:
        return ExtractOp(inner.lhs, op.indices, op.result.type)
    index = rewriter.insert(constant_like(op.indices[dim], indices[dim] - parts)).result
    moved = [index if k == dim else value for k, value in enumerate(op.indices)]
    return ExtractOp(inner.rhs, moved, op.result.type)


def same_values(a: Sequence[SSAValue], b: Sequence[SSAValue]) -> bool:
    """Whether two lists of indices are the same values, or equal constants."""
    if len(a) != len(b):
        return False
    if all(x is y for x, y in zip(a, b, strict=True)):
        return True
    first = constant_indices(a)
    return first is not None and first == constant_indices(b)


@rooted_at(ExtractOp)
def extract_of_insert(op: ExtractOp, rewriter: PatternRewriter) -> Outcome:
    """The part that was just inserted is its source; parts elsewhere are the old ones."""
    inner = op.source.owner
    if not isinstance(inner, InsertOp) or inner.source.type != op.result.type:
        return None
    if same_values(op.indices, inner.indices):
        return inner.source
    here, there = constant_indices(op.indices), constant_indices(inner.indices)
    whole, part = tile_of(inner.result).get_shape(), tile_of(op.result).get_shape()
    if here is None or there is None or not _inside(there, whole, part):
        return None
    return ExtractOp(inner.destination, op.indices, op.result.type)


@rooted_at(InsertOp)
def insert_over_insert(op: InsertOp, rewriter: PatternRewriter) -> Outcome:
    """A part inserted where another one was inserted replaces it."""
    inner = op.destination.owner
    if not isinstance(inner, InsertOp) or inner.source.type != op.source.type:
        return None
    if not same_values(op.indices, inner.indices):
        return None
    return InsertOp(op.source, inner.destination, op.indices)


@rooted_at(InsertOp)
def insert_extracted(op: InsertOp, rewriter: PatternRewriter) -> Outcome:
    """A part inserted where it was extracted changes nothing."""
    inner = op.source.owner
    if not isinstance(inner, ExtractOp) or inner.source is not op.destination:
        return None
    return op.destination if same_values(op.indices, inner.indices) else None


@rooted_at(CatOp)
def concatenate_halves(op: CatOp, rewriter: PatternRewriter) -> Outcome:
    """The two halves of a tile, concatenated, are the tile."""
    first, second = op.lhs.owner, op.rhs.owner
    if not isinstance(first, ExtractOp) or not isinstance(second, ExtractOp):
        return None
    if first.source is not second.source or first.source.type != op.result.type:
        return None
    dim = op.dim.value.data
    expected = [[0] * tile_of(op.result).rank for _ in range(2)]
    expected[1][dim] = 1
    found = [constant_indices(first.indices), constant_indices(second.indices)]
    return first.source if found == expected else None


# Bytes.


@rooted_at(UnpackOp)
def unpack_packed(op: UnpackOp, rewriter: PatternRewriter) -> Outcome:
    """What was packed, unpacked again, is the source or a bitcast of it."""
    inner = op.source.owner
    if not isinstance(inner, PackOp):
        return None
    source, result = tile_of(inner.source), tile_of(op.result)
    if source == result:
        return inner.source
    if i4 in (source.element_type, result.element_type):
        return None
    same_width = format_of(source).width == format_of(result).width
    return BitcastOp(inner.source, result) if same_width else None


@rooted_at(PackOp)
def pack_unpacked(op: PackOp, rewriter: PatternRewriter) -> Outcome:
    """Bytes unpacked and packed again are the bytes; not through tf32, which drops bits."""
    inner = op.source.owner
    if not isinstance(inner, UnpackOp) or tile_of(op.source).element_type.name == "tf32":
        return None
    return inner.source


# Splats.

ELEMENTWISE = (
    *EVALUATORS,
    ops.Atan2Op,
    ops.CosHOp,
    ops.CosOp,
    ops.Exp2Op,
    ops.ExpOp,
    ops.FPowFOp,
    ops.FPowIOp,
    ops.Log2Op,
    ops.LogOp,
    ops.RsqrtOp,
    ops.SinHOp,
    ops.SinOp,
    ops.TanHOp,
    ops.TanOp,
)
"""Operations that give equal elements for equal elements."""


@rooted_at(*ELEMENTWISE)
def compute_before_broadcast(op: Operation, rewriter: PatternRewriter) -> Outcome:
    """An operation on broadcast tiles and splats computes on the small tiles, then broadcasts."""
    small = _small_type(op)
    if small is None:
        return None
    result = tile_of(op.results[0])
    operands: list[SSAValue] = []
    for value in op.operands:
        source = value.owner
        if isinstance(source, BroadcastOp):
            operands.append(source.source)
            continue
        elements = constant_of(value)
        assert elements is not None
        bits = elements.splat_bits
        assert bits is not None
        operands.append(rewriter.insert(splat(_small_like(value, small), bits)).result)
    computed = type(op).create(
        operands=operands,
        result_types=[result.with_shape(small)],
        properties=op.properties,
        attributes=op.attributes,
    )
    rewriter.insert(computed)
    return BroadcastOp(computed.results[0], result)


def _small_like(value: SSAValue, shape: Sequence[int]) -> TileType:
    return tile_of(value).with_shape(shape)


def _small_type(op: Operation) -> tuple[int, ...] | None:
    """The shape that all operands have before they are broadcast, if computing there is less."""
    if any(tile_of(value).element_type == f4E2M1FN for value in (*op.operands, *op.results)):
        # Not every shape is one of an f4 tile.
        return None
    shapes: set[tuple[int, ...]] = set()
    for value in op.operands:
        owner = value.owner
        if isinstance(owner, BroadcastOp):
            if any(use.operation is not op for use in value.uses):
                return None
            shapes.add(tile_of(owner.source).get_shape())
            continue
        elements = constant_of(value)
        if elements is None or not elements.is_splat:
            return None
    if len(shapes) != 1:
        return None
    (shape,) = shapes
    smaller = prod(shape) < tile_of(op.operands[0]).num_elements
    return shape if smaller else None


# Pointers.


@rooted_at(OffsetOp)
def offset_by_zero(op: OffsetOp, rewriter: PatternRewriter) -> Outcome:
    """A pointer moved by 0 is the pointer."""
    elements = constant_of(op.offset)
    return op.ptr if elements is not None and elements.splat_bits == 0 else None


@rooted_at(OffsetOp)
def offset_chain(op: OffsetOp, rewriter: PatternRewriter) -> Outcome:
    """Two moves by constants are one, when their sum does not overflow."""
    inner = op.ptr.owner
    if not isinstance(inner, OffsetOp) or inner.offset.type != op.offset.type:
        return None
    first, second = splat_integer(inner.offset), splat_integer(op.offset)
    if first is None or second is None:
        return None
    total = first + second
    constant = constant_like(op.offset, total)
    if splat_integer(constant.result) != total:
        return None
    return OffsetOp(inner.ptr, rewriter.insert(constant).result)
