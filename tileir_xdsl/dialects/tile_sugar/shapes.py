"""Operations on the shape of a tile.

Lanes cannot move freely in Tile IR, so some forms need extents that are powers of two; a form that
cannot be had is an error that says to store the tile and load it in the other shape.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two, short_type
from tileir_xdsl.dialects.tile_sugar.base import (
    Option,
    Properties,
    TileSugarOp,
    int_value,
    int_values,
    require_tile,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.indexed import IndexedOp
from tileir_xdsl.dialects.tile_sugar.reductions import AXIS, check_axis
from tileir_xdsl.dialects.tile_sugar.types import element_of, shape_text, tile_type

STORE_AND_RELOAD = "store the tile and load it in the other shape"


@sugar_op
class TransposeOp(TileSugarOp):
    """A matrix with rows and columns exchanged."""

    name = "tile_sugar.transpose"
    source = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        if len(shape) != 2:
            raise VerifyException(f"a matrix has rank 2, not {len(shape)}; use permute")
        return [tile_type(shape[::-1], element_of(types[0]))]


@sugar_op
class PermuteOp(TileSugarOp):
    """The tile with its dimensions reordered: dimension i of the result is `order[i]` before."""

    name = "tile_sugar.permute"
    OPTIONS: ClassVar[tuple[Option, ...]] = (Option("order", "ints"),)
    source = operand_def()
    order = prop_def(DenseArrayBase)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        order = int_values(properties.get("order"))
        if sorted(order) != list(range(len(shape))):
            raise VerifyException(
                f"[{', '.join(map(str, order))}] is no permutation of 0 to {len(shape) - 1}"
            )
        return [tile_type([shape[k] for k in order], element_of(types[0]))]


def regrouped(source: Sequence[int], result: Sequence[int]) -> list[tuple[range, range]]:
    """The smallest sets of neighbouring dimensions that hold equally many elements.

    Dimensions of extent 1 join the set before them.
    """
    groups: list[tuple[range, range]] = []
    i = j = 0
    while i < len(source) or j < len(result):
        first_i, first_j = i, j
        a = b = 1
        if i < len(source):
            a, i = source[i], i + 1
        if j < len(result):
            b, j = result[j], j + 1
        while a != b:
            if a < b and i < len(source):
                a, i = a * source[i], i + 1
            elif b < a and j < len(result):
                b, j = b * result[j], j + 1
            else:
                raise VerifyException(
                    f"{prod(source)} elements cannot be reshaped to {prod(result)}"
                )
        while i < len(source) and source[i] == 1:
            i += 1
        while j < len(result) and result[j] == 1:
            j += 1
        groups.append((range(first_i, i), range(first_j, j)))
    return groups


def check_reshape(source: Sequence[int], result: Sequence[int]) -> None:
    """Padding keeps the order of the elements: only the slowest extents may be odd.

    Raises VerifyException otherwise.
    """
    if prod(source) != prod(result):
        raise VerifyException(
            f"{prod(source)} elements of shape {shape_text(source)} cannot be reshaped to "
            f"{shape_text(result)}, which has {prod(result)}"
        )
    for before, after in regrouped(source, result):
        if [source[k] for k in before if source[k] != 1] == [
            result[k] for k in after if result[k] != 1
        ]:
            continue
        for shape, dims in ((source, before), (result, after)):
            extents = [shape[k] for k in dims if shape[k] != 1]
            for extent in extents[1:]:
                if not is_power_of_two(extent):
                    raise VerifyException(
                        f"cannot reshape {shape_text(source)} to {shape_text(result)}: extent "
                        f"{extent} is no power of two and not the slowest of the dimensions that "
                        f"are regrouped; {STORE_AND_RELOAD}"
                    )


@sugar_op
class ReshapeOp(TileSugarOp):
    """The same elements in row-major order in another shape.

    Of dimensions that are regrouped, only the slowest may have an extent that is no power of two.
    """

    name = "tile_sugar.reshape"
    EXPLICIT_RESULT: ClassVar[bool] = True
    source = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def to(cls, source: Any, shape: Sequence[int]) -> ReshapeOp:
        from xdsl.ir import SSAValue

        value = SSAValue.get(source)
        return cls.create(operands=[value], result_types=[tile_type(shape, element_of(value.type))])

    def verify_(self) -> None:
        source = require_tile(self.source.type, "the operand")
        result = require_tile(self.result.type, "the result")
        if element_of(self.source.type) != element_of(self.result.type):
            raise VerifyException("a reshape keeps the element type")
        check_reshape(source, result)


@sugar_op
class FlatOp(TileSugarOp):
    """The elements in row-major order, in one dimension."""

    name = "tile_sugar.flat"
    source = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        check_reshape(shape, [prod(shape)])
        return [tile_type([prod(shape)], element_of(types[0]))]


class PieceOp(IndexedOp, ABC):
    """A piece of a tile at element offsets, which are multiples of the piece's extents."""

    def check_piece(self, piece: Sequence[int], whole: Sequence[int]) -> None:
        self.verify_scalar_indices("an offset")
        if len(piece) != len(whole):
            raise VerifyException(f"a piece of rank {len(piece)} of a tile of rank {len(whole)}")
        for k, (part, all_, offset) in enumerate(
            zip(piece, whole, self.all_indices(), strict=True)
        ):
            _check_dimension(k, part, all_, offset)


def _check_dimension(k: int, part: int, whole: int, offset: Any) -> None:
    if part > whole:
        raise VerifyException(f"extent {part} of dimension {k} is more than the tile's {whole}")
    if part == whole:
        if isinstance(offset, int) and offset:
            raise VerifyException(
                f"offset {offset} of dimension {k} leaves the tile: the piece is as long as it"
            )
        return
    if not is_power_of_two(part):
        raise VerifyException(
            f"extent {part} of dimension {k} is no power of two; {STORE_AND_RELOAD}"
        )
    if not isinstance(offset, int):
        return
    if offset % part:
        raise VerifyException(
            f"offset {offset} of dimension {k} is no multiple of the piece's {part}; "
            f"{STORE_AND_RELOAD}"
        )
    if not 0 <= offset <= whole - part:
        raise VerifyException(f"offset {offset} of dimension {k} leaves the tile of extent {whole}")


@sugar_op
class ExtractOp(PieceOp):
    """The piece of a tile at element offsets.

    Each extent of the piece is the tile's, or a power of two (1 included) of which the offset is a
    multiple. An offset known only at run time that is none, or that leaves the tile, is undefined.
    """

    name = "tile_sugar.extract"
    source = operand_def()
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    result = result_def()
    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        whole = require_tile(self.source.type, "the operand")
        piece = require_tile(self.result.type, "the result")
        if element_of(self.source.type) != element_of(self.result.type):
            raise VerifyException("a piece has the element type of the tile")
        self.check_piece(piece, whole)


@sugar_op
class InsertOp(PieceOp):
    """A tile with the piece at element offsets replaced; see `extract` for the offsets."""

    name = "tile_sugar.insert"
    VALUES: ClassVar[int] = 1
    piece = operand_def()
    destination = operand_def()
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    result = result_def()
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def parse_results(
        cls, parser: Parser, types: Sequence[Attribute], properties: Properties
    ) -> Sequence[Attribute]:
        return types[1:2]

    def print_results(self, printer: Any) -> None:
        """The result has the type of the destination."""

    def verify_(self) -> None:
        piece = require_tile(self.piece.type, "the piece")
        whole = require_tile(self.destination.type, "the destination")
        if element_of(self.piece.type) != element_of(self.destination.type):
            raise VerifyException("a piece has the element type of the tile")
        if self.result.type != self.destination.type:
            raise VerifyException("the result has the type of the destination")
        self.check_piece(piece, whole)


@sugar_op
class ConcatOp(TileSugarOp):
    """Two tiles one after the other along an axis.

    The first part's extent must be a power of two that is not smaller than the second's.
    """

    name = "tile_sugar.concat"
    OPTIONS: ClassVar[tuple[Option, ...]] = (AXIS,)
    lhs = operand_def()
    rhs = operand_def()
    axis = prop_def(IntegerAttr)
    result = result_def()
    traits = traits_def(Pure())

    @property
    def dimension(self) -> int:
        return int_value(self.axis, 0)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        lhs, rhs = (require_tile(type, "an operand") for type in types)
        axis = int_value(properties.get("axis"), 0)
        check_axis(axis, lhs)
        if element_of(types[0]) != element_of(types[1]):
            raise VerifyException(
                f"both parts have one element type, but got '{short_type(element_of(types[0]))}' "
                f"and '{short_type(element_of(types[1]))}'; cast one of them"
            )
        if len(lhs) != len(rhs) or any(
            a != b for k, (a, b) in enumerate(zip(lhs, rhs)) if k != axis
        ):
            raise VerifyException(
                f"shapes {shape_text(lhs)} and {shape_text(rhs)} differ in more than axis {axis}"
            )
        if not is_power_of_two(lhs[axis]) or lhs[axis] < rhs[axis]:
            raise VerifyException(
                f"cannot put extent {rhs[axis]} behind {lhs[axis]}: the first part must be a "
                f"power of two and not the smaller one; {STORE_AND_RELOAD}"
            )
        shape = [a + b if k == axis else a for k, (a, b) in enumerate(zip(lhs, rhs, strict=True))]
        return [tile_type(shape, element_of(types[0]))]


class TriangleOp(TileSugarOp, ABC):
    OPTIONS: ClassVar[tuple[Option, ...]] = (Option("diagonal", "int"),)
    source = operand_def()
    diagonal = opt_prop_def(IntegerAttr)
    result = result_def()
    traits = traits_def(Pure())

    @property
    def offset(self) -> int:
        """The diagonal: positive above the main one."""
        return int_value(self.diagonal, 0)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        if len(shape) < 2:
            raise VerifyException(f"a triangle needs rank 2 or more, not {len(shape)}")
        return types


@sugar_op
class TrilOp(TriangleOp):
    """The lower triangle of the last two dimensions, zeros above `diagonal`."""

    name = "tile_sugar.tril"


@sugar_op
class TriuOp(TriangleOp):
    """The upper triangle of the last two dimensions, zeros below `diagonal`."""

    name = "tile_sugar.triu"


OPERATIONS: tuple[type[TileSugarOp], ...] = (
    ConcatOp,
    ExtractOp,
    FlatOp,
    InsertOp,
    PermuteOp,
    ReshapeOp,
    TransposeOp,
    TrilOp,
    TriuOp,
)
