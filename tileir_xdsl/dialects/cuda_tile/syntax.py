"""Pieces of hand-written assembly that several operations share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tileir_xdsl.dialects.cuda_tile.attributes import Bracketed, OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.directives import new_attribute
from tileir_xdsl.dialects.cuda_tile.types import parse_short_type, short_type

EnumT = TypeVar("EnumT", bound=Bracketed)


def parse_enum(parser: Parser, cls: type[EnumT]) -> EnumT:
    return cls(cls.parse_keyword(parser))  # pyright: ignore[reportCallIssue]


def parse_optional_enum(parser: Parser, cls: type[EnumT]) -> EnumT | None:
    value = cls.parse_optional_keyword(parser)
    return None if value is None else cls(value)  # pyright: ignore[reportCallIssue]


def parse_optional_clause(parser: Parser, word: str) -> UnresolvedOperand | None:
    """`WORD = %value`, when the word is there."""
    if parser.parse_optional_keyword(word) is None:
        return None
    parser.parse_punctuation("=")
    return parser.parse_unresolved_operand()


def parse_optional_hints(parser: Parser) -> OptimizationHintsAttr | None:
    """`optimization_hints = <ARCH = {..}, ..>`."""
    if parser.parse_optional_keyword("optimization_hints") is None:
        return None
    parser.parse_punctuation("=")
    return new_attribute(parser, OptimizationHintsAttr)


def parse_optional_inbounds(parser: Parser) -> Attribute | None:
    """`inbounds = [true, ..]`; all false is the default and answers None."""
    if parser.parse_optional_keyword("inbounds") is None:
        return None
    parser.parse_punctuation("=")
    values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
    return bool_array(values)


def bool_array(values: Sequence[bool]) -> Attribute:
    # xDSL stores i1 as signed, so that true is -1.
    return DenseArrayBase.from_list(IntegerType(1), [-1 if v else 0 for v in values])


def bool_values(array: Any) -> tuple[bool, ...]:
    return tuple(bool(value) for value in array.get_values())


def parse_operands(parser: Parser, delimiter: Any) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(delimiter, parser.parse_unresolved_operand)


_RESULTS = re.compile(r"%[\w$.-]+(?::\d+)?(?:\s*,\s*%[\w$.-]+(?::\d+)?)*\s*=(?!=)")


def begins_operation(parser: Parser) -> bool:
    """Whether the names that follow are the results of the next operation, no operands."""
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind is not MLIRTokenKind.PERCENT_IDENT:
        return False
    return _RESULTS.match(parser.lexer.input.content, token.span.start) is not None


def parse_types(parser: Parser) -> list[Attribute]:
    """One or more short types with commas between."""
    types: list[Attribute] = [parse_short_type(parser)]
    while parser.parse_optional_punctuation(",") is not None:
        types.append(parse_short_type(parser))
    return types


def parse_result_types(parser: Parser, count: int) -> list[Attribute]:
    """The types of as many results as the operation has."""
    position = parser.pos
    types = parse_types(parser)
    check_count(parser, "result type", len(types), count, position)
    return types


def parse_types_in_parens(parser: Parser) -> list[Attribute]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parse_short_type(parser)
    )


def resolve(
    parser: Parser, operands: Sequence[UnresolvedOperand], types: Sequence[Attribute]
) -> list[SSAValue]:
    return [parser.resolve_operand(o, t) for o, t in zip(operands, types, strict=True)]


def check_count(parser: Parser, what: str, got: int, expected: int, position: int) -> None:
    if got == expected:
        return
    plural = "" if expected == 1 else "s"
    parser.raise_error(f"expected {expected} {what}{plural}, but got {got}", position, parser.pos)


def parse_body(
    parser: Parser,
    arguments: Sequence[Parser.Argument] = (),
    terminator: Callable[[], Operation] | None = None,
) -> Region:
    """A region of one block, with the implicit terminator added when it is missing."""
    region = parser.parse_region(list(arguments))
    block = region.blocks.first
    if terminator is None or block is None:
        return region
    last = block.last_op
    if last is None or not is_terminator(last):
        block.add_op(terminator())
    return region


def is_terminator(op: Operation) -> bool:
    from xdsl.traits import IsTerminator

    return op.has_trait(IsTerminator, value_if_unregistered=False)


def print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    printer.print_list(values, printer.print_ssa_value)


def types_text(values: Sequence[SSAValue]) -> str:
    return ", ".join(short_type(value.type) for value in values)


def index_types_text(values: Sequence[SSAValue]) -> str:
    """The types of view indices: one when all are equal."""
    equal = all(value.type == values[0].type for value in values[1:])
    return types_text(values[:1] if equal else values)


def print_hints(printer: Printer, hints: OptimizationHintsAttr | None) -> None:
    if hints is None:
        return
    printer.print_string(" optimization_hints = ")
    hints.print_parameters(printer)


def inbounds_text(inbounds: Any) -> str:
    if inbounds is None or not any(bool_values(inbounds)):
        return ""
    return f"inbounds = [{', '.join('true' if v else 'false' for v in bool_values(inbounds))}]"


def print_body(printer: Printer, region: Region) -> None:
    """A region in braces; an implicit terminator is left out."""
    from tileir_xdsl.dialects.cuda_tile.printer import print_body

    print_body(printer, region)
