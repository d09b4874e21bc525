"""Directives of the assembly formats: short types, keywords, and NVIDIA's spacing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i32
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalUnitAttrVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.types import parse_short_type, short_type


@irdl_custom_directive
class ShortType(CustomDirective):
    """One type, or a comma-separated list of them for a variadic group, spelled short."""

    type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        types: list[Attribute] = [parse_short_type(parser)]
        if self.type.is_comma_separated_list():
            while parser.parse_optional_punctuation(",") is not None:
                types.append(parse_short_type(parser))
        self.type.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        types = self.type.get(op)
        if not types:
            return
        state.print_whitespace(printer)
        printer.print_string(", ".join(map(short_type, types)))

    def is_present(self, op: IRDLOperation) -> bool:
        return self.type.is_present(op)

    def is_anchorable(self) -> bool:
        return self.type.is_anchorable()

    def is_comma_separated_list(self) -> bool:
        return self.type.is_comma_separated_list()

    def can_parse_empty(self) -> bool:
        return self.type.can_parse_empty()

    def can_start_optional_group(self) -> bool:
        return self.type.can_start_optional_group()

    def set_empty(self, state: ParsingState) -> None:
        self.type.set(state, ())


def enum_class(variable: AttributeVariable, op_type: type[IRDLOperation]) -> type[Any]:
    """The enumeration that a property holds."""
    definition = op_type.get_irdl_definition().properties[variable.name]
    bases = definition.constr.get_bases()
    assert bases is not None
    return next(iter(bases))


def default_of(variable: AttributeVariable, op_type: type[IRDLOperation]) -> Attribute | None:
    return op_type.get_irdl_definition().properties[variable.name].default_value


@irdl_custom_directive
class Keyword(CustomDirective):
    """An enumeration as a bare keyword, e.g. `signed`."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        cls = enum_class(self.attr, state.op_type)
        self.attr.set(state, cls(cls.parse_keyword(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        value: Any = self.attr.get(op)
        printer.print_string(value.keyword)


def _parse_bracketed(
    word: str, attr: AttributeVariable, parser: Parser, state: ParsingState
) -> None:
    if parser.parse_optional_keyword(word) is None:
        default = default_of(attr, state.op_type)
        if default is not None:
            attr.set(state, default)
        return
    cls = enum_class(attr, state.op_type)
    with parser.in_angle_brackets():
        attr.set(state, cls(cls.parse_keyword(parser)))


def _bracketed_text(word: str, attr: AttributeVariable, op: IRDLOperation) -> str:
    value: Any = attr.get(op)
    if value is None or value == default_of(attr, type(op)):
        return ""
    return f"{word}<{value.keyword}>"


@irdl_custom_directive
class RoundingSlot(CustomDirective):
    """`rounding<MODE>`, or only the space before it for the operation's default mode."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        _parse_bracketed("rounding", self.attr, parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(_bracketed_text("rounding", self.attr, op))


@irdl_custom_directive
class Rounding(CustomDirective):
    """`rounding<MODE>`, or nothing for the operation's default mode."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        _parse_bracketed("rounding", self.attr, parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if text := _bracketed_text("rounding", self.attr, op):
            state.print_whitespace(printer)
            printer.print_string(text)


@irdl_custom_directive
class Overflow(CustomDirective):
    """`overflow<KIND>`, or nothing for `none`."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        _parse_bracketed("overflow", self.attr, parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if text := _bracketed_text("overflow", self.attr, op):
            state.print_whitespace(printer)
            printer.print_string(text)


@irdl_custom_directive
class FlushAndNan(CustomDirective):
    """`flush_to_zero` and `propagate_nan` in either order; printed in that one."""

    flush: OptionalUnitAttrVariable
    nan: OptionalUnitAttrVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        words = {"flush_to_zero": self.flush, "propagate_nan": self.nan}
        while words:
            word = next((w for w in words if parser.parse_optional_keyword(w) is not None), None)
            if word is None:
                return
            words.pop(word).set(state, UnitAttr())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for word, variable in (("flush_to_zero", self.flush), ("propagate_nan", self.nan)):
            if variable.get(op) is not None:
                state.print_whitespace(printer)
                printer.print_string(word)


@irdl_custom_directive
class I32List(CustomDirective):
    """A list of integers in square brackets."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        if any(not -(1 << 31) <= value < 1 << 31 for value in values):
            parser.raise_error("list entries must fit i32", start, parser.pos)
        self.attr.set(state, DenseArrayBase.from_list(i32, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        value: Any = self.attr.get(op)
        printer.print_string(f"[{', '.join(map(str, value.get_values()))}]")


@irdl_custom_directive
class Predicate(CustomDirective):
    """The predicate of `assume`, with or without `#cuda_tile.`."""

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        from tileir_xdsl.dialects.cuda_tile.attributes import (
            AssumePredicate,
            BoundedAttr,
            DivByAttr,
            SameElementsAttr,
        )

        start = parser.pos
        for cls in (DivByAttr, SameElementsAttr, BoundedAttr):
            if parser.parse_optional_keyword(cls.name.partition(".")[2]) is not None:
                self.attr.set(state, new_attribute(parser, cls, start))
                return
        attribute = parser.parse_optional_attribute()
        if not isinstance(attribute, AssumePredicate):
            parser.raise_error("expected div_by<..>, same_elements<..> or bounded<..>", start)
        self.attr.set(state, attribute)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        value: Any = self.attr.get(op)
        printer.print_string(value.name.partition(".")[2])
        value.print_parameters(printer)


def new_attribute(parser: Parser, cls: type[Any], start: int | None = None) -> Any:
    """Parse an attribute's parameters; a broken rule is an error at `start`, or else there."""
    from xdsl.utils.exceptions import VerifyException

    start = parser.pos if start is None else start
    parameters: Sequence[Attribute] = cls.parse_parameters(parser)
    try:
        return cls(*parameters)
    except VerifyException as error:
        parser.raise_error(str(error), start, parser.pos)


DIRECTIVES: dict[str, type[CustomDirective]] = {
    cls.__name__: cls
    for cls in (
        ShortType,
        Keyword,
        RoundingSlot,
        Rounding,
        Overflow,
        FlushAndNan,
        I32List,
        Predicate,
    )
}
