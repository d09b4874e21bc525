"""Enumerations and structured attributes of `cuda_tile`.

Each enumeration lists its values in wire order: the number on the wire is the position.
Source: Tile IR specification, attributes; NVIDIA/cuda-tile `AttrDefs.td` for the mnemonics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.cuda_tile.wording import suggestion
from tileir_xdsl.versions import V13_4, V13_5, Version

_DESCRIBED: Mapping[str, str] = {
    "atomic_rmw_mode": "mode",
    "memory_ordering_semantics": "memory ordering",
    "overflow": "kind of overflow",
    "ptr_attr": "kind of pointer",
    "rounding": "rounding mode",
}
_WITHOUT_ARTICLE = ("signedness",)


class Bracketed:
    """Puts the keyword of an enumeration in angle brackets, so that it parses back.

    xDSL's `EnumAttribute` prints `#dialect.attrkeyword` outside of assembly formats.
    """

    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {}
    """Values that came later than the enumeration itself."""

    enum_type: ClassVar[type[StrEnum]]
    data: Any

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return cls.parse_keyword(parser)

    @classmethod
    def parse_keyword(cls, parser: AttrParser) -> Any:
        """One of the enumeration's keywords, without brackets."""
        if (value := cls.parse_optional_keyword(parser)) is not None:
            return value
        keywords = cls.keywords()
        what = cls.described()
        article = "" if what in _WITHOUT_ARTICLE else "a "
        message = f"expected {article}{what} ({', '.join(keywords)})"
        token = parser._current_token  # pyright: ignore[reportPrivateUsage]
        if token.kind is MLIRTokenKind.BARE_IDENT:
            message += f", but got '{token.text}'{suggestion(token.text, keywords)}"
        parser.raise_error(message)

    @classmethod
    def parse_optional_keyword(cls, parser: AttrParser) -> Any | None:
        for value in cls.enum_type:
            if parser.parse_optional_keyword(value.value) is not None:
                return value
        return None

    @classmethod
    def keywords(cls) -> list[str]:
        return [value.value for value in cls.enum_type]

    @classmethod
    def described(cls) -> str:
        """What a message calls a value of the enumeration, e.g. `memory scope`."""
        name = str(getattr(cls, "name")).partition(".")[2]
        return _DESCRIBED.get(name, name.replace("_", " "))

    @property
    def keyword(self) -> str:
        return self.data.value

    @property
    def number(self) -> int:
        """The value's number on the wire."""
        return self.keywords().index(self.data.value)

    @classmethod
    def from_number(cls, number: int) -> Any:
        """The attribute with a number of the wire; `IndexError` when there is none."""
        return cls(list(cls.enum_type)[number])  # pyright: ignore[reportCallIssue]


class Signedness(StrEnum):
    UNSIGNED = "unsigned"
    SIGNED = "signed"


@irdl_attr_definition
class SignednessAttr(Bracketed, EnumAttribute[Signedness]):
    name = "cuda_tile.signedness"


class IntegerOverflow(StrEnum):
    NONE = "none"
    NO_SIGNED_WRAP = "no_signed_wrap"
    NO_UNSIGNED_WRAP = "no_unsigned_wrap"
    NO_WRAP = "no_wrap"


@irdl_attr_definition
class IntegerOverflowAttr(Bracketed, EnumAttribute[IntegerOverflow]):
    name = "cuda_tile.overflow"


class RoundingMode(StrEnum):
    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"


@irdl_attr_definition
class RoundingModeAttr(Bracketed, EnumAttribute[RoundingMode]):
    name = "cuda_tile.rounding"
    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {"nearest_away": V13_4}


class ComparisonOrdering(StrEnum):
    UNORDERED = "unordered"
    ORDERED = "ordered"


@irdl_attr_definition
class ComparisonOrderingAttr(Bracketed, EnumAttribute[ComparisonOrdering]):
    name = "cuda_tile.comparison_ordering"


class ComparisonPredicate(StrEnum):
    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS_THAN = "less_than"
    LESS_THAN_OR_EQUAL = "less_than_or_equal"
    GREATER_THAN = "greater_than"
    GREATER_THAN_OR_EQUAL = "greater_than_or_equal"


@irdl_attr_definition
class ComparisonPredicateAttr(Bracketed, EnumAttribute[ComparisonPredicate]):
    name = "cuda_tile.comparison_predicate"


class AtomicRMWMode(StrEnum):
    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    ADDF = "addf"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    XCHG = "xchg"


@irdl_attr_definition
class AtomicRMWModeAttr(Bracketed, EnumAttribute[AtomicRMWMode]):
    name = "cuda_tile.atomic_rmw_mode"


class MemoryScope(StrEnum):
    TL_BLK = "tl_blk"
    DEVICE = "device"
    SYS = "sys"


@irdl_attr_definition
class MemoryScopeAttr(Bracketed, EnumAttribute[MemoryScope]):
    name = "cuda_tile.memory_scope"


class MemoryOrdering(StrEnum):
    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


@irdl_attr_definition
class MemoryOrderingAttr(Bracketed, EnumAttribute[MemoryOrdering]):
    name = "cuda_tile.memory_ordering_semantics"


class PaddingValue(StrEnum):
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


@irdl_attr_definition
class PaddingValueAttr(Bracketed, EnumAttribute[PaddingValue]):
    name = "cuda_tile.padding_value"


class SymbolVisibility(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"


@irdl_attr_definition
class SymbolVisibilityAttr(Bracketed, EnumAttribute[SymbolVisibility]):
    name = "cuda_tile.symbol_visibility"


class MultimemReductionKind(StrEnum):
    ADD = "add"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    UMIN = "umin"
    UMAX = "umax"


@irdl_attr_definition
class MultimemReductionKindAttr(Bracketed, EnumAttribute[MultimemReductionKind]):
    name = "cuda_tile.multimem_reduction_kind"


class PtrKind(StrEnum):
    NONE = "none"
    UNICAST = "unicast"
    MULTICAST = "multicast"


@irdl_attr_definition
class PtrKindAttr(Bracketed, EnumAttribute[PtrKind]):
    name = "cuda_tile.ptr_attr"
    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {"unicast": V13_5, "multicast": V13_5}


def _optional_int(value: int | None) -> IntAttr | NoneAttr:
    return NoneAttr() if value is None else IntAttr(value)


def _int_or_none(attr: IntAttr | NoneAttr) -> int | None:
    return attr.data if isinstance(attr, IntAttr) else None


class AssumePredicate(ParametrizedAttribute):
    """What `assume` states about its operand. Specification: `assume`."""

    name = "cuda_tile.assume_predicate"


@irdl_attr_definition
class DivByAttr(AssumePredicate):
    """`div_by<D[, every E along A]>`: values (addresses in bytes) are multiples of D.

    With `every E along A` only the first of each group of E elements along dimension A is,
    and the elements of a group are consecutive.
    """

    name = "cuda_tile.div_by"

    divisor: IntAttr = param_def()
    every: IntAttr | NoneAttr = param_def()
    along: IntAttr | NoneAttr = param_def()

    @staticmethod
    def get(divisor: int, every: int | None = None, along: int | None = None) -> DivByAttr:
        return DivByAttr(IntAttr(divisor), _optional_int(every), _optional_int(along))

    @property
    def every_value(self) -> int | None:
        return _int_or_none(self.every)

    @property
    def along_value(self) -> int | None:
        return _int_or_none(self.along)

    def verify(self) -> None:
        divisor = self.divisor.data
        if divisor <= 0 or divisor & (divisor - 1):
            raise VerifyException(f"div_by divisor must be a power of two, but got {divisor}")
        if divisor > 1 << 62:
            raise VerifyException(f"div_by divisor must be at most 2^62, but got {divisor}")
        if isinstance(self.every, IntAttr) != isinstance(self.along, IntAttr):
            raise VerifyException("div_by needs 'every' and 'along' both or neither")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.divisor.data))
            if self.every_value is not None:
                printer.print_string(f", every {self.every_value} along {self.along_value}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            divisor = parser.parse_integer(allow_boolean=False)
            if parser.parse_optional_punctuation(",") is None:
                return (IntAttr(divisor), NoneAttr(), NoneAttr())
            parser.parse_keyword("every")
            every = parser.parse_integer(allow_boolean=False)
            parser.parse_keyword("along")
            along = parser.parse_integer(allow_boolean=False)
            return (IntAttr(divisor), IntAttr(every), IntAttr(along))


@irdl_attr_definition
class SameElementsAttr(AssumePredicate):
    """`same_elements<[V0, ..]>`: groups of Vi elements along dimension i are equal."""

    name = "cuda_tile.same_elements"

    values: ArrayAttr[IntAttr] = param_def()

    @staticmethod
    def get(values: Sequence[int]) -> SameElementsAttr:
        return SameElementsAttr(ArrayAttr(map(IntAttr, values)))

    @property
    def value_list(self) -> tuple[int, ...]:
        return tuple(value.data for value in self.values)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"[{', '.join(map(str, self.value_list))}]")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            values = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
            )
        return (ArrayAttr(map(IntAttr, values)),)


@irdl_attr_definition
class BoundedAttr(AssumePredicate):
    """`bounded<L, U>`: values lie in [L, U], read as signed; `?` leaves a side open."""

    name = "cuda_tile.bounded"

    lower: IntAttr | NoneAttr = param_def()
    upper: IntAttr | NoneAttr = param_def()

    @staticmethod
    def get(lower: int | None, upper: int | None) -> BoundedAttr:
        return BoundedAttr(_optional_int(lower), _optional_int(upper))

    @property
    def lower_value(self) -> int | None:
        return _int_or_none(self.lower)

    @property
    def upper_value(self) -> int | None:
        return _int_or_none(self.upper)

    def verify(self) -> None:
        lower, upper = self.lower_value, self.upper_value
        if lower is not None and upper is not None and lower > upper:
            raise VerifyException(
                f"bounded needs a lower bound not above the upper one, but got {lower} > {upper}"
            )

    def print_parameters(self, printer: Printer) -> None:
        lower, upper = self.lower_value, self.upper_value
        with printer.in_angle_brackets():
            printer.print_string("?" if lower is None else str(lower))
            printer.print_string(", ")
            printer.print_string("?" if upper is None else str(upper))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            lower = cls._parse_bound(parser)
            parser.parse_punctuation(",")
            return (lower, cls._parse_bound(parser))

    @staticmethod
    def _parse_bound(parser: AttrParser) -> IntAttr | NoneAttr:
        if parser.parse_optional_punctuation("?") is not None:
            return NoneAttr()
        return IntAttr(parser.parse_integer(allow_boolean=False))


@irdl_attr_definition
class OptimizationHintsAttr(ParametrizedAttribute):
    """Hints per architecture: `<sm_100 = {num_cta_in_cga = 2}, default = {occupancy = 1}>`.

    Integers are i32 where the range allows, as the writers of the bytecode have them.
    """

    name = "cuda_tile.optimization_hints"

    hints: DictionaryAttr = param_def()

    @staticmethod
    def get(hints: Mapping[str, Mapping[str, Attribute]]) -> OptimizationHintsAttr:
        return OptimizationHintsAttr(
            DictionaryAttr({arch: DictionaryAttr(dict(keys)) for arch, keys in hints.items()})
        )

    def verify(self) -> None:
        for arch, keys in self.hints.data.items():
            if not isinstance(keys, DictionaryAttr):
                raise VerifyException(f"hints of '{arch}' must be a dictionary in braces")

    def print_parameters(self, printer: Printer) -> None:
        nvidia = bool(getattr(printer, "nvidia", False))
        with printer.in_angle_brackets():
            for position, (arch, keys) in enumerate(sorted_entries(self.hints)):
                printer.print_string(", " if position else "")
                _print_key(printer, arch, nvidia)
                printer.print_string(" = {")
                assert isinstance(keys, DictionaryAttr)
                for inner, (key, value) in enumerate(sorted_entries(keys)):
                    printer.print_string(", " if inner else "")
                    _print_key(printer, key, nvidia)
                    printer.print_string(" = ")
                    _print_hint_value(printer, value, nvidia)
                printer.print_string("}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return (_parse_unique(parser, parser.Delimiter.ANGLE, _parse_hints),)


def _parse_hints(parser: AttrParser) -> Attribute:
    return _parse_unique(parser, parser.Delimiter.BRACES, _parse_hint_value)


def _parse_hint_value(parser: AttrParser) -> Attribute:
    from tileir_xdsl.dialects.cuda_tile.constants import parse_typed_scalar

    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind in _NUMBER_TOKENS or token.text in ("true", "false"):
        return parse_typed_scalar(parser, narrow=True)
    return parser.parse_attribute()


_NUMBER_TOKENS = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.MINUS)


def sorted_entries(dictionary: DictionaryAttr) -> list[tuple[str, Attribute]]:
    """Entries in the order in which MLIR keeps them: bytewise by key."""
    return sorted(dictionary.data.items(), key=lambda entry: entry[0].encode(errors="replace"))


def _parse_unique(
    parser: AttrParser,
    delimiter: AttrParser.Delimiter,
    parse_value: Callable[[AttrParser], Attribute],
) -> DictionaryAttr:
    """`KEY = VALUE, ...` in brackets, each key once."""
    entries: dict[str, Attribute] = {}

    def parse_entry() -> None:
        start = parser.pos
        key = _parse_key(parser)
        if key in entries:
            parser.raise_error(f"'{key}' is given twice", start, start + len(key))
        parser.parse_punctuation("=")
        entries[key] = parse_value(parser)

    parser.parse_comma_separated_list(delimiter, parse_entry)
    return DictionaryAttr(entries)


def _parse_key(parser: AttrParser) -> str:
    if (key := parser.parse_optional_identifier()) is not None:
        return key
    if (key := parser.parse_optional_str_literal()) is not None:
        return key
    # NVIDIA prints keys that are no identifiers without quotes: take the text up to `=`.
    start = parser.pos
    content = parser.lexer.input.content
    end = content.find(" =", start)
    if end < 0 or not content[start].isdigit() or any(c in content[start:end] for c in ",{}<>\n"):
        parser.raise_error("expected a key: an identifier or a string")
    parser._resume_from(end)  # pyright: ignore[reportPrivateUsage]
    return content[start:end]


def _print_key(printer: Printer, key: str, nvidia: bool) -> None:
    if nvidia:
        printer.print_string(key)
        return
    printer.print_identifier_or_string_literal(key)


def _print_hint_value(printer: Printer, value: Attribute, nvidia: bool) -> None:
    from tileir_xdsl.dialects.cuda_tile.constants import is_scalar, scalar_text, signed

    if not is_scalar(value):
        printer.print_attribute(value)
        return
    text = scalar_text(value)
    if nvidia:
        printer.print_string(text.partition(" : ")[0])
        return
    if not isinstance(value, IntegerAttr):
        printer.print_string(text)
        return
    integer = cast("IntegerAttr[IntegerType]", value)
    width = integer.type.width.data
    number = signed(integer.value.data, width)
    bare = width == 1 or width == (32 if -(1 << 31) <= number < 1 << 31 else 64)
    printer.print_string(text.partition(" : ")[0] if bare else f"{number} : i{width}")


class DebugInfo(ParametrizedAttribute):
    """A debug-info attribute that gets its own alias in printed text."""

    name = "cuda_tile.di"


@irdl_attr_definition
class DIFileAttr(DebugInfo):
    """A source file: `di_file<"name" in "directory">`."""

    name = "cuda_tile.di_file"

    file_name: StringAttr = param_def()
    directory: StringAttr = param_def()

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.file_name.data)
            printer.print_string(" in ")
            printer.print_string_literal(self.directory.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            file_name = parser.parse_str_literal()
            parser.parse_keyword("in")
            return (StringAttr(file_name), StringAttr(parser.parse_str_literal()))


@irdl_attr_definition
class DICompileUnitAttr(DebugInfo):
    """A compilation unit: `di_compile_unit<file = FILE>`."""

    name = "cuda_tile.di_compile_unit"

    file: DIFileAttr = param_def()

    def print_parameters(self, printer: Printer) -> None:
        _print_struct(printer, [("file", self.file)])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        fields = _parse_struct(parser, {"file": DIFileAttr})
        return (_required(parser, fields, "file"),)


@irdl_attr_definition
class DISubprogramAttr(DebugInfo):
    """A function of the source program.

    `linkageName` is the symbol of the entry it became; `is_declaration` is the flag of
    version 13.5.
    """

    name = "cuda_tile.di_subprogram"

    file: DIFileAttr = param_def()
    line: IntAttr = param_def()
    subprogram_name: StringAttr = param_def()
    linkage_name: StringAttr = param_def()
    compile_unit: DICompileUnitAttr = param_def()
    scope_line: IntAttr = param_def()
    flags: IntAttr = param_def()

    @property
    def is_declaration(self) -> bool:
        return bool(self.flags.data & 1)

    def print_parameters(self, printer: Printer) -> None:
        fields: list[tuple[str, Any]] = [
            ("file", self.file),
            ("line", self.line.data),
            ("name", self.subprogram_name.data),
            ("linkageName", self.linkage_name.data),
            ("compileUnit", self.compile_unit),
        ]
        if self.scope_line.data:
            fields.append(("scopeLine", self.scope_line.data))
        if self.is_declaration:
            fields.append(("flags", DECLARATION))
        _print_struct(printer, fields)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        kinds = {
            "file": DIFileAttr,
            "line": int,
            "name": str,
            "linkageName": str,
            "compileUnit": DICompileUnitAttr,
            "scopeLine": int,
            "flags": object,
        }
        fields = _parse_struct(parser, kinds)
        return (
            _required(parser, fields, "file"),
            IntAttr(_required(parser, fields, "line")),
            StringAttr(_required(parser, fields, "name")),
            StringAttr(_required(parser, fields, "linkageName")),
            _required(parser, fields, "compileUnit"),
            IntAttr(fields.get("scopeLine", 0)),
            IntAttr(1 if "flags" in fields else 0),
        )


@irdl_attr_definition
class DILexicalBlockAttr(DebugInfo):
    """A block inside a subprogram or another block; a column of 0 is not printed."""

    name = "cuda_tile.di_lexical_block"

    scope: Attribute = param_def()
    file: DIFileAttr = param_def()
    line: IntAttr = param_def()
    column: IntAttr = param_def()

    def verify(self) -> None:
        verify_scope(self.scope)

    def print_parameters(self, printer: Printer) -> None:
        fields: list[tuple[str, Any]] = [
            ("scope", self.scope),
            ("file", self.file),
            ("line", self.line.data),
        ]
        if self.column.data:
            fields.append(("column", self.column.data))
        _print_struct(printer, fields)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        kinds = {"scope": Attribute, "file": DIFileAttr, "line": int, "column": int}
        fields = _parse_struct(parser, kinds)
        return (
            _required(parser, fields, "scope"),
            _required(parser, fields, "file"),
            IntAttr(_required(parser, fields, "line")),
            IntAttr(fields.get("column", 0)),
        )


def verify_scope(scope: Attribute) -> None:
    """A local scope is a subprogram or a lexical block."""
    if isinstance(scope, DISubprogramAttr | DILexicalBlockAttr):
        return
    raise VerifyException("expected a local scope: di_subprogram or di_lexical_block")


class _Keyword(str):
    """A field value that prints bare."""


DECLARATION = _Keyword("declaration")


def _print_struct(printer: Printer, fields: Sequence[tuple[str, Any]]) -> None:
    with printer.in_angle_brackets():
        for position, (key, value) in enumerate(fields):
            printer.print_string(f"{', ' if position else ''}{key} = ")
            if isinstance(value, Attribute):
                printer.print_attribute(value)
            elif isinstance(value, str) and not isinstance(value, _Keyword):
                printer.print_string_literal(value)
            else:
                printer.print_string(str(value))


def _parse_struct(parser: AttrParser, kinds: Mapping[str, type]) -> dict[str, Any]:
    fields: dict[str, Any] = {}

    def parse_field() -> None:
        key = parser.parse_identifier()
        if key not in kinds:
            parser.raise_error(f"unknown field '{key}', expected one of {', '.join(kinds)}")
        if key in fields:
            parser.raise_error(f"field '{key}' is given twice")
        parser.parse_punctuation("=")
        kind = kinds[key]
        if kind is int:
            fields[key] = parser.parse_integer(allow_boolean=False, allow_negative=False)
        elif kind is str:
            fields[key] = parser.parse_str_literal()
        elif kind is object:
            parser.parse_keyword("declaration")
            fields[key] = DECLARATION
        else:
            value = parser.parse_attribute()
            if not isinstance(value, kind):
                parser.raise_error(f"field '{key}' holds another kind of attribute")
            fields[key] = value

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
    return fields


def _required(parser: AttrParser, fields: Mapping[str, Any], key: str) -> Any:
    if key not in fields:
        parser.raise_error(f"field '{key}' is missing")
    return fields[key]


ENUM_ATTRIBUTES: tuple[type[Any], ...] = (
    SignednessAttr,
    IntegerOverflowAttr,
    RoundingModeAttr,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    AtomicRMWModeAttr,
    MemoryScopeAttr,
    MemoryOrderingAttr,
    PaddingValueAttr,
    SymbolVisibilityAttr,
    MultimemReductionKindAttr,
    PtrKindAttr,
)
