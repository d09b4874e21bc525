"""`sweep`: one fused elementwise computation, and the `yield` of all regions over scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import prop_def, region_def, result_def, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.types import short_type
from tileir_xdsl.dialects.tile_sugar.base import (
    TileSugarOp,
    parse_operand_types,
    parse_types,
    require_tile,
    require_values,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.elementwise import (
    ELEMENTWISE,
    BitcastOp,
    CastOp,
    ConstantOp,
)
from tileir_xdsl.dialects.tile_sugar.types import (
    broadcast_shapes,
    element_of,
    is_scalar,
    shape_of,
    shape_text,
)

SCALAR_BODY: tuple[type[Operation], ...] = (*ELEMENTWISE, BitcastOp, CastOp, ConstantOp)
"""What the regions over scalars may hold, beside `index` in a sweep or map."""


@sugar_op
class YieldOp(TileSugarOp):
    """The results of a region over scalars."""

    name = "tile_sugar.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *values: SSAValue | Operation) -> None:
        super().__init__(operands=[values])

    @classmethod
    def parse(cls, parser: Parser) -> YieldOp:
        operands: list[UnresolvedOperand] = []
        first = parser.parse_optional_unresolved_operand()
        if first is not None:
            operands.append(first)
            while parser.parse_optional_punctuation(",") is not None:
                operands.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        types, _ = parse_operand_types(parser, len(operands))
        op = cls(*(parser.resolve_operand(o, t) for o, t in zip(operands, types, strict=True)))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        if self.values:
            self.print_operands(printer)
        printer.print_op_attributes(self.attributes)
        if self.values:
            types = self.operand_types
            equal = all(type == types[0] for type in types)
            printer.print_string(f" : {', '.join(map(short_type, types[:1] if equal else types))}")

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not getattr(parent, "SCALAR_REGIONS", False):
            raise VerifyException(f"cannot be in '{parent.name}'")


@sugar_op
class IndexOp(TileSugarOp):
    """The position along a dimension of what is swept or reduced, as i32."""

    name = "tile_sugar.index"
    dim = prop_def(IntegerAttr)
    result = result_def(i32)
    traits = traits_def(Pure())

    def __init__(self, dim: int) -> None:
        super().__init__(properties={"dim": IntegerAttr(dim, i32)}, result_types=[i32])

    @property
    def dimension(self) -> int:
        dim: Any = self.dim
        return dim.value.data

    @classmethod
    def parse(cls, parser: Parser) -> IndexOp:
        op = cls(parser.parse_integer(allow_boolean=False, allow_negative=False))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        shape = index_shape(self)
        if shape is None:
            raise VerifyException("must be in a 'tile_sugar.sweep' or the map of a reduction")
        rank = len(shape)
        if not 0 <= self.dimension < rank:
            raise VerifyException(f"dimension must be in 0 to {rank - 1}, not {self.dimension}")


def index_shape(op: IndexOp) -> tuple[int, ...] | None:
    """The shape that an `index` is a position in; None where there is none."""
    region = op.parent_region()
    owner: Any = op.parent_op()
    indexed_shape = getattr(owner, "indexed_shape", None)
    return None if indexed_shape is None else indexed_shape(region)


@sugar_op
class SweepOp(TileSugarOp):
    """One computation for each element: its region is over scalars, and nothing in it is a tile.

    Operands broadcast to the shape of the results. `index d` in the region is the position.
    """

    name = "tile_sugar.sweep"
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    SCALAR_REGIONS: ClassVar[bool] = True
    inputs = var_operand_def()
    outputs = var_result_def()
    body = region_def("single_block")
    traits = traits_def(Pure())

    def __init__(
        self,
        inputs: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        body: Region,
    ) -> None:
        super().__init__(operands=[inputs], result_types=[result_types], regions=[body])

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.results[0].type)

    def indexed_shape(self, region: Region) -> tuple[int, ...]:
        """The shape in which `index` counts."""
        return self.shape if self.results else ()

    @classmethod
    def parse(cls, parser: Parser) -> SweepOp:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        types, _ = parse_operand_types(parser, len(operands))
        if not operands:
            parser.parse_punctuation(":")
        parser.parse_punctuation("->")
        results = parse_types(parser)
        values = [parser.resolve_operand(o, t) for o, t in zip(operands, types, strict=True)]
        op = cls(values, results, parser.parse_region())
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.inputs, printer.print_ssa_value)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        types = self.operand_types
        equal = all(type == types[0] for type in types)
        shown = ", ".join(map(short_type, types[:1] if equal else types))
        printer.print_string(f" : {shown}{' ' if shown else ''}-> ")
        printer.print_string(", ".join(map(short_type, self.result_types)))
        printer.print_string(" ")
        printer.print_region(self.body)

    def verify_(self) -> None:
        require_values(self.operand_types)
        if not self.results:
            raise VerifyException("needs at least one result")
        shape = require_tile(self.results[0].type, "a result")
        for result in self.results:
            if shape_of(result.type) != shape:
                raise VerifyException(
                    f"all results have one shape, but one is {shape_text(shape_of(result.type))} "
                    f"and another {shape_text(shape)}"
                )
        for operand in self.inputs:
            operand_shape = shape_of(operand.type)
            if operand_shape and broadcast_shapes(operand_shape, shape) != shape:
                raise VerifyException(
                    f"operand of shape {shape_text(operand_shape)} does not broadcast to the "
                    f"results' {shape_text(shape)}"
                )
        verify_scalar_region(
            self.body,
            [element_of(value.type) for value in self.inputs],
            [element_of(result.type) for result in self.results],
            (*SCALAR_BODY, IndexOp),
            "the body",
        )


def verify_scalar_region(
    region: Region,
    arguments: Sequence[Attribute],
    results: Sequence[Attribute],
    allowed: tuple[type[Operation], ...],
    what: str,
) -> None:
    """A region takes and yields scalars of some types and holds elementwise operations only."""
    block = region.block
    got = [arg.type for arg in block.args]
    if got != list(arguments):
        raise VerifyException(f"{what} must take ({_types(arguments)}), but takes ({_types(got)})")
    last = block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{what} must end with 'yield'")
    yielded = list(last.operand_types)
    if yielded != list(results):
        raise VerifyException(
            f"{what} must yield ({_types(results)}), but yields ({_types(yielded)})"
        )
    for op in block.ops:
        if isinstance(op, YieldOp):
            continue
        if not isinstance(op, allowed):
            raise VerifyException(
                f"{what} holds elementwise operations on scalars, but has '{op.name}'"
            )
        for value in (*op.operands, *op.results):
            if not is_scalar(value.type):
                raise VerifyException(
                    f"nothing in {what} is a tile, but '{op.name}' has '{short_type(value.type)}'"
                )


def _types(types: Sequence[Attribute]) -> str:
    return ", ".join(map(short_type, types))


OPERATIONS: tuple[type[TileSugarOp], ...] = (IndexOp, SweepOp, YieldOp)
