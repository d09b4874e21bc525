"""Operations that take a position: indices in square brackets, values and literals mixed."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC, short_type
from tileir_xdsl.dialects.tile_sugar.attributes import number_attr
from tileir_xdsl.dialects.tile_sugar.base import (
    Properties,
    TileSugarOp,
    int_values,
    parse_types,
)
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_scalar, is_tile

Index = SSAValue | Operation | int
"""A value, or a literal."""


class IndexedOp(TileSugarOp, ABC):
    """An operation on a tensor or tile at indices, some of which may be literals."""

    VALUES: ClassVar[int] = 0
    """How many operands stand before the one that is indexed."""

    if TYPE_CHECKING:
        # The subclasses declare these.
        indices: Any
        static_indices: Any

    @property
    def target(self) -> SSAValue:
        """What is indexed."""
        return self.operands[type(self).value_count(self.properties)]

    @property
    def rank(self) -> int:
        """The number of indices that there must be."""
        target: Any = self.target.type
        return len(target.get_shape())

    def all_indices(self) -> list[SSAValue | int]:
        """The index of each dimension: a value or a literal."""
        values = iter(self.indices)
        return [
            next(values) if literal == DYNAMIC else literal
            for literal in int_values(self.static_indices)
        ]

    @classmethod
    def at(
        cls,
        values: Sequence[SSAValue | Operation],
        target: SSAValue | Operation,
        indices: Sequence[Index],
        result_types: Sequence[Attribute] = (),
        **properties: Any,
    ) -> Any:
        """The operation with some values, e.g. what is stored, on a target at indices."""
        dynamic = [SSAValue.get(i) for i in indices if not isinstance(i, int)]
        operands = [*map(SSAValue.get, values), SSAValue.get(target), *dynamic]
        types = [operand.type for operand in operands]
        made = cls.make_properties(types, properties)
        made["static_indices"] = static_indices(indices)
        return cls.create(operands=operands, result_types=result_types, properties=made)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        properties: dict[str, Attribute] = {}
        cls.parse_front(parser, properties)
        values = [_value_and_comma(parser) for _ in range(cls.value_count(properties))]
        target = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: _parse_index(parser)
        )
        numbers = cls.parse_options(parser, properties)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        dynamic = [index for index in indices if not isinstance(index, int)]
        types = _spread_types(parser, types, len(values) + 1, len(dynamic), position)
        operands = [
            parser.resolve_operand(o, t)
            for o, t in zip((*values, target, *dynamic), types, strict=True)
        ]
        results = cls.parse_results(parser, types, properties)
        properties["static_indices"] = static_indices(indices)
        for name, text in numbers.items():
            try:
                properties[name] = number_attr(text, cls.number_element(types))
            except (ValueError, KeyError) as error:
                parser.raise_error(str(error), position, parser.pos)
        return cls.create(
            operands=operands, result_types=results, properties=properties, attributes=attributes
        )

    @classmethod
    def parse_front(cls, parser: Parser, properties: dict[str, Attribute]) -> None:
        """What stands before the operands."""

    @classmethod
    def parse_results(
        cls, parser: Parser, types: Sequence[Attribute], properties: Properties
    ) -> Sequence[Attribute]:
        return parse_types(parser) if parser.parse_optional_punctuation("->") is not None else []

    @classmethod
    def value_count(cls, properties: Properties) -> int:
        return cls.VALUES

    def print_front(self, printer: Printer) -> None:
        """What stands before the operands."""

    def print(self, printer: Printer) -> None:
        self.print_front(printer)
        count = type(self).value_count(self.properties)
        printer.print_string(" ")
        for value in self.operands[:count]:
            printer.print_ssa_value(value)
            printer.print_string(", ")
        printer.print_ssa_value(self.target)
        printer.print_string("[")
        for position, index in enumerate(self.all_indices()):
            printer.print_string(", " if position else "")
            if isinstance(index, int):
                printer.print_string(str(index))
            else:
                printer.print_ssa_value(index)
        printer.print_string("]")
        self.print_options(printer)
        printer.print_op_attributes(self.attributes)
        shown = [value.type for value in self.operands[: count + 1]]
        indices = [value.type for value in self.indices]
        if any(type != i32 for type in indices):
            equal = all(type == indices[0] for type in indices)
            shown += indices[:1] if equal else indices
        printer.print_string(f" : {', '.join(map(short_type, shown))}")
        self.print_results(printer)

    def print_results(self, printer: Printer) -> None:
        if self.results:
            printer.print_string(f" -> {', '.join(map(short_type, self.result_types))}")

    def verify_indices(self) -> None:
        """One index for each dimension, all i32."""
        literals = int_values(self.static_indices)
        dynamic = sum(1 for literal in literals if literal == DYNAMIC)
        if dynamic != len(self.indices):
            raise VerifyException(
                f"{dynamic} indices are values, but there are {len(self.indices)}"
            )
        if len(literals) != self.rank:
            raise VerifyException(
                f"'{short_type(self.target.type)}' needs {self.rank} indices, one for each "
                f"dimension, but got {len(literals)}"
            )
        for position, index in enumerate(self.indices):
            if element_of(index.type) != i32 or not (is_scalar(index.type) or is_tile(index.type)):
                raise VerifyException(
                    f"indices are i32, but index {position} is '{short_type(index.type)}'"
                )

    def verify_scalar_indices(self, what: str) -> None:
        self.verify_indices()
        for index in self.indices:
            if is_tile(index.type):
                raise VerifyException(f"{what} is a scalar, but got '{short_type(index.type)}'")


def static_indices(indices: Sequence[Any]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(
        i64, [index if isinstance(index, int) else DYNAMIC for index in indices]
    )


def _value_and_comma(parser: Parser) -> UnresolvedOperand:
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    return value


def _parse_index(parser: Parser) -> UnresolvedOperand | int:
    operand = parser.parse_optional_unresolved_operand()
    if operand is not None:
        return operand
    start = parser.pos
    value = parser.parse_integer(allow_boolean=False)
    if not -(1 << 31) < value < 1 << 31:
        parser.raise_error(f"index {value} does not fit i32", start, parser.pos)
    return value


def _spread_types(
    parser: Parser, types: list[Attribute], fixed: int, indices: int, position: int
) -> list[Attribute]:
    """The types of all operands: those of indices may be left out (i32), or be one for all."""
    given = len(types) - fixed
    if given == 0 or (indices == 0 and given == 0):
        return types + [i32] * indices
    if given == 1:
        return types[:fixed] + types[fixed:] * indices
    if given == indices:
        return types
    parser.raise_error(
        f"expected {fixed} types, then none, one or {indices} for the indices", position, parser.pos
    )
