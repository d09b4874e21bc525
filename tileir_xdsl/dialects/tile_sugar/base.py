"""What every `tile_sugar` operation declares, and the one syntax that they share.

    NAME [WORD] OPERANDS OPTION* ATTRIBUTES `:` TYPES [`->` RESULT TYPES]

The class says which options there are and computes the result types from the operands
(`infer`), so text states a result type only where the operands do not determine it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.places import problem_of, set_problem
from tileir_xdsl.dialects.cuda_tile.types import short_type
from tileir_xdsl.dialects.tile_sugar.attributes import (
    FastMathAttr,
    is_number,
    number_attr,
    number_text,
    parse_number,
)
from tileir_xdsl.dialects.tile_sugar.types import is_scalar, is_tile, parse_type

SugarOpT = TypeVar("SugarOpT", bound="TileSugarOp")


def sugar_op(cls: type[SugarOpT]) -> type[SugarOpT]:
    """Defines an operation of the dialect."""
    return irdl_op_definition(cls)


@dataclass(frozen=True)
class Option:
    """A property that text spells as a word, with or without a value."""

    name: str
    kind: str = "unit"
    """`unit`, `int`, `ints`, `number` or `fastmath`."""

    def parse(self, parser: Parser) -> Attribute | str:
        match self.kind:
            case "int":
                return IntegerAttr(parser.parse_integer(allow_boolean=False), i32)
            case "ints":
                return DenseArrayBase.from_list(
                    i32,
                    parser.parse_comma_separated_list(
                        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
                    ),
                )
            case "number":
                return parse_number(parser)
            case "fastmath":
                return FastMathAttr(FastMathAttr.parse_parameter(parser))
            case _:
                return UnitAttr()

    def text(self, value: Attribute) -> str:
        match self.kind:
            case "int":
                return f"{self.name} {cast(Any, value).value.data}"
            case "ints":
                return f"{self.name} [{', '.join(map(str, int_values(value)))}]"
            case "number":
                return f"{self.name} {number_text(value)}"
            case "fastmath":
                return f"{self.name}<{', '.join(cast(FastMathAttr, value).data)}>"
            case _:
                return self.name


def int_values(value: Attribute | None) -> tuple[int, ...]:
    """The integers of an `ints` option; none when it is absent."""
    return () if value is None else tuple(cast(Any, value).get_values())


def int_value(value: Attribute | None, default: int) -> int:
    """The integer of an `int` option."""
    return default if value is None else cast(Any, value).value.data


Properties = Mapping[str, Attribute]


class TileSugarOp(IRDLOperation, ABC):
    """Base of all `tile_sugar` operations."""

    OPTIONS: ClassVar[tuple[Option, ...]] = ()
    """The options, in the order in which they print."""

    WORD: ClassVar[tuple[str, type[Any]] | None] = None
    """A property that stands first as a bare word, and the class of its attribute."""

    EXPLICIT_RESULT: ClassVar[bool] = False
    """Whether text states the result types behind `->`."""

    DEFAULT_DIALECT_BODY: ClassVar[bool] = False
    """Whether operations in the regions print without `tile_sugar.`."""

    @classmethod
    def mnemonic(cls) -> str:
        return cls.name.partition(".")[2]

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        """The result types for operands of some types.

        Raises VerifyException when there are none, with the message of the verifier.
        """
        raise NotImplementedError

    @classmethod
    def number_element(cls, types: Sequence[Attribute]) -> Attribute:
        """The element type that numbers among the options are rounded to."""
        raise NotImplementedError

    @classmethod
    def of(cls, *operands: SSAValue | Operation, **properties: Any) -> Self:
        """The operation on some operands, its result types inferred.

        Properties may be attributes, `True` for a word, or numbers and lists for the others.
        Raises VerifyException when the operands do not fit.
        """
        values = [SSAValue.get(operand) for operand in operands]
        types = [value.type for value in values]
        attributes = cls.make_properties(types, properties)
        return cls.create(
            operands=values, result_types=cls.infer(types, attributes), properties=attributes
        )

    @classmethod
    def make_properties(
        cls, types: Sequence[Attribute], values: Mapping[str, Any]
    ) -> dict[str, Attribute]:
        """Python values as the attributes of the options."""
        kinds = {option.name: option.kind for option in cls.OPTIONS}
        made: dict[str, Attribute] = {}
        for name, value in values.items():
            if value is None or value is False:
                continue
            if isinstance(value, Attribute):
                made[name] = value
                continue
            match kinds.get(name):
                case "unit":
                    made[name] = UnitAttr()
                case "int":
                    made[name] = IntegerAttr(value, i32)
                case "ints":
                    made[name] = DenseArrayBase.from_list(i32, list(value))
                case "number":
                    made[name] = number_attr(value, cls.number_element(types))
                case "fastmath":
                    if value:
                        made[name] = FastMathAttr(value)
                case _:
                    assert cls.WORD is not None
                    assert cls.WORD[0] == name
                    attribute = cls.WORD[1]
                    made[name] = attribute(attribute.enum_type(value))
        return made

    # Text.

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {}
        if cls.WORD is not None:
            name, attribute = cls.WORD
            properties[name] = attribute(attribute.parse_keyword(parser))
            parser.parse_optional_punctuation(",")
        operands = cls.parse_operands(parser, properties)
        numbers = cls.parse_options(parser, properties)
        attributes = parser.parse_optional_attr_dict()
        types, position = parse_operand_types(parser, len(operands))
        for name, text in numbers.items():
            properties[name] = _number(parser, cls, types, text, position)
        problem = None
        try:
            results = cls.parse_results(parser, types, properties)
        except VerifyException as error:
            # Any types will do: the parser reports the problem and asks no more of the results.
            results = [types[0]] * len(cls.get_irdl_definition().results)
            problem = str(error)
        values = [parser.resolve_operand(o, t) for o, t in zip(operands, types, strict=True)]
        op = cls.create(
            operands=values, result_types=results, properties=properties, attributes=attributes
        )
        if problem is not None:
            # What follows from another operation's problem is none of its own.
            set_problem(op, "" if follows_from_problem(op) else problem)
        return op

    @classmethod
    def parse_operands(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        count = len(cls.get_irdl_definition().operands)
        operands: list[UnresolvedOperand] = []
        for position in range(count):
            if position:
                parser.parse_punctuation(",")
            operands.append(parse_operand(parser))
        return operands

    @classmethod
    def parse_options(cls, parser: Parser, properties: dict[str, Attribute]) -> dict[str, str]:
        """Options into `properties`; the text of numbers, whose type is not known yet."""
        numbers: dict[str, str] = {}
        remaining = {option.name: option for option in cls.OPTIONS}
        while True:
            found = next(
                (o for n, o in remaining.items() if parser.parse_optional_keyword(n)), None
            )
            if found is None:
                return numbers
            del remaining[found.name]
            value = found.parse(parser)
            if isinstance(value, str):
                numbers[found.name] = value
            else:
                properties[found.name] = value

    @classmethod
    def parse_results(
        cls, parser: Parser, types: Sequence[Attribute], properties: Properties
    ) -> Sequence[Attribute]:
        if cls.EXPLICIT_RESULT:
            parser.parse_punctuation("->")
            return parse_types(parser)
        return cls.infer(types, properties)

    def print(self, printer: Printer) -> None:
        if self.WORD is not None:
            word: Any = self.properties[self.WORD[0]]
            printer.print_string(f" {word.keyword}")
        self.print_operands(printer)
        self.print_options(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {operand_types_text(self.operand_types)}")
        if self.EXPLICIT_RESULT:
            printer.print_string(f" -> {', '.join(map(short_type, self.result_types))}")

    def print_operands(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)

    def print_options(self, printer: Printer) -> None:
        for option in self.OPTIONS:
            value = self.properties.get(option.name)
            if value is not None:
                printer.print_string(f" {option.text(value)}")

    # Rules.

    def verify_(self) -> None:
        if problem_of(self) is not None or follows_from_problem(self):
            return
        expected = list(self.infer(self.operand_types, self.properties))
        self.verify_numbers()
        if expected != list(self.result_types):
            wanted = ", ".join(f"'{short_type(type)}'" for type in expected)
            got = ", ".join(f"'{short_type(type)}'" for type in self.result_types)
            raise VerifyException(
                f"the result must be {wanted or 'absent'}, but is {got or 'absent'}"
            )

    def verify_numbers(self) -> None:
        for option in self.OPTIONS:
            value = self.properties.get(option.name)
            if value is None or option.kind != "number":
                continue
            element = type(self).number_element(self.operand_types)
            if not is_number(value, element):
                raise VerifyException(f"{option.name} must be a number of '{short_type(element)}'")


def follows_from_problem(op: Operation) -> bool:
    """Whether an operand is of unknown type, because its operation was refused when parsed."""
    results = (operand for operand in op.operands if isinstance(operand, OpResult))
    return any(problem_of(result.op) is not None for result in results)


def _number(
    parser: Parser, cls: type[TileSugarOp], types: Sequence[Attribute], text: str, position: int
) -> Attribute:
    try:
        return number_attr(text, cls.number_element(types))
    except (ValueError, KeyError, VerifyException) as error:
        parser.raise_error(str(error), position, parser.pos)


def parse_types(parser: Parser) -> list[Attribute]:
    types: list[Attribute] = [parse_type(parser)]
    while parser.parse_optional_punctuation(",") is not None:
        types.append(parse_type(parser))
    return types


def parse_operand(parser: Parser) -> UnresolvedOperand:
    start = parser.pos
    if parser.parse_optional_number() is not None:
        parser.raise_error("a number must be the value of a 'constant' here", start)
    return parser.parse_unresolved_operand()


def parse_operand_types(parser: Parser, count: int) -> tuple[list[Attribute], int]:
    """The types of `count` operands, and where they stand: one type stands for all."""
    if not count:
        return [], parser.pos
    parser.parse_punctuation(":")
    position = parser.pos
    types = parse_types(parser)
    if len(types) == 1:
        return types * count, position
    if len(types) != count:
        parser.raise_error(
            f"expected one type, or {count}: one for each operand", position, parser.pos
        )
    return types, position


def operand_types_text(types: Sequence[Attribute]) -> str:
    """The types of operands: one when all are equal."""
    equal = all(type == types[0] for type in types[1:])
    return ", ".join(map(short_type, types[:1] if equal else types))


# Rules about operands.


def require_values(types: Sequence[Attribute], what: str = "operand") -> None:
    """Every operand is a tile or a scalar of this level."""
    for position, type in enumerate(types):
        if not (is_tile(type) or is_scalar(type)):
            raise VerifyException(
                f"{what} {position} must be a tile or a scalar, but got '{short_type(type)}'"
            )


def require_tile(type: Attribute, what: str) -> tuple[int, ...]:
    """The shape of an operand that must be a tile."""
    if not is_tile(type):
        raise VerifyException(f"{what} must be a tile, but got '{short_type(type)}'")
    return cast(Any, type).get_shape()
