"""Attributes of `tile_sugar`: fast-math flags, predicates, combining kinds, and numbers.

A number in an attribute is rounded to the element type it is used in, and clamped to its finite
range: `-1.0e30` in f16 is -65504.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.cuda_tile.attributes import Bracketed
from tileir_xdsl.dialects.cuda_tile.constants import FloatBitsAttr, element_text, signed
from tileir_xdsl.dialects.cuda_tile.literals import (
    LAYOUTS,
    FloatLayout,
    exact_value,
    is_special,
    layout_of,
    round_to_bits,
)
from tileir_xdsl.dialects.cuda_tile.types import AnyInteger, is_integer, short_type
from tileir_xdsl.dialects.tile_sugar.types import is_unsigned


@irdl_attr_definition
class FastMathAttr(Data[tuple[str, ...]]):
    """`fastmath<afn, contract, ftz>`: the licences an operation gives.

    `afn` allows approximate functions, `contract` fusing a product and a sum, `ftz` flushing
    subnormal f32 numbers to zero.
    """

    name = "tile_sugar.fastmath"
    FLAGS: ClassVar[tuple[str, ...]] = ("afn", "contract", "ftz")

    def __init__(self, flags: Sequence[str]) -> None:
        super().__init__(tuple(flag for flag in self.FLAGS if flag in flags))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[str, ...]:
        flags = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: _parse_word(parser, cls.FLAGS, "a fastmath flag")
        )
        return cls(flags).data

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{', '.join(self.data)}>")


def _parse_word(parser: AttrParser, words: Sequence[str], what: str) -> str:
    for word in words:
        if parser.parse_optional_keyword(word) is not None:
            return word
    parser.raise_error(f"expected {what}: one of {', '.join(words)}")


class ComparePredicate(StrEnum):
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    ORD = "ord"
    UNO = "uno"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class ComparePredicateAttr(Bracketed, EnumAttribute[ComparePredicate]):
    """How `cmp` compares: ordered, but `ne` is unordered; the `u..` forms read integers unsigned,
    `ord` and `uno` ask whether no operand, or one, is a NaN."""

    name = "tile_sugar.predicate"


class CombineKind(StrEnum):
    SUM = "sum"
    PROD = "prod"
    MAX = "max"
    MIN = "min"
    AND = "and"
    OR = "or"
    XOR = "xor"


@irdl_attr_definition
class CombineKindAttr(Bracketed, EnumAttribute[CombineKind]):
    """How a reduction or scan combines two elements."""

    name = "tile_sugar.kind"


class AtomicMode(StrEnum):
    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    XCHG = "xchg"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    CAS = "cas"


@irdl_attr_definition
class AtomicModeAttr(Bracketed, EnumAttribute[AtomicMode]):
    """What an atomic does with the element in memory."""

    name = "tile_sugar.atomic"


# Numbers.

Number = int | float | Fraction | str
"""A number of Python, or `inf`, `-inf`, `nan`, or `0x` and the bits of a float."""


def number_attr(value: Number, element: Attribute) -> Attribute:
    """A number as an attribute of an element type: rounded to nearest even, finite values clamped.

    Raises ValueError for text that is no number and for NaN or an infinity of an integer.
    """
    if isinstance(value, str):
        return _text_attr(value, element)
    if isinstance(value, float):
        return _text_attr(repr(value), element)
    return _rounded(Fraction(value), element, value < 0)


def _rounded(exact: Fraction, element: Attribute, negative: bool) -> Attribute:
    if is_integer(element):
        return IntegerAttr(_clamped_integer(round(exact), element), element)
    layout = layout_of(element)
    sign = 1 << (layout.width - 1) if negative and layout.signed else 0
    bits = round_to_bits(exact, layout) | sign
    if is_special(bits, layout) or abs(exact) > exact_value(largest_bits(layout), layout):
        bits = largest_bits(layout) | sign
    return FloatBitsAttr.get(bits, element)


def _clamped_integer(value: int, element: AnyInteger) -> int:
    width = element.width.data
    if width == 1:
        return 1 if value else 0
    if is_unsigned(element):
        return min(max(value, 0), (1 << width) - 1)
    return min(max(value, -(1 << (width - 1))), (1 << (width - 1)) - 1)


def _text_attr(text: str, element: Attribute) -> Attribute:
    if is_integer(element):
        if text.lower().lstrip("-") in ("inf", "nan"):
            raise ValueError(f"{text} is no value of '{short_type(element)}'")
        exact = Fraction(int(text, 0)) if _HEX.fullmatch(text) else Fraction(text)
        return _rounded(exact, element, exact < 0)
    layout = layout_of(element)
    if _HEX.fullmatch(text):
        bits = int(text, 16)
        if bits >> layout.width:
            raise ValueError(f"{text} does not fit '{short_type(element)}'")
        return FloatBitsAttr.get(bits, element)
    special = {"inf": infinity_bits, "-inf": infinity_bits, "nan": nan_bits}.get(text.lower())
    if special is None:
        return _rounded(Fraction(text), element, text.startswith("-"))
    bits = special(layout)
    sign = 1 << (layout.width - 1) if text.startswith("-") else 0
    return FloatBitsAttr.get(bits | sign, element)


_HEX = re.compile(r"0[xX][0-9a-fA-F]+")


def infinity_bits(layout: FloatLayout) -> int:
    """The bits of +inf; ValueError where the format has none."""
    if layout.special != "ieee":
        raise ValueError("the element type has no infinity")
    return ((1 << layout.exponent_bits) - 1) << layout.mantissa_bits


def nan_bits(layout: FloatLayout) -> int:
    """The bits of the canonical NaN; ValueError where the format has none."""
    exponent = ((1 << layout.exponent_bits) - 1) << layout.mantissa_bits
    if layout.special == "ieee":
        return exponent | (1 << (layout.mantissa_bits - 1))
    if layout.special == "finite":
        raise ValueError("the element type has no NaN")
    return exponent | ((1 << layout.mantissa_bits) - 1)


def largest_bits(layout: FloatLayout) -> int:
    """The bits of the largest finite number."""
    everything = (1 << (layout.exponent_bits + layout.mantissa_bits)) - 1
    if layout.special == "finite":
        return everything
    return (infinity_bits(layout) if layout.special == "ieee" else everything) - 1


def parse_number(parser: AttrParser) -> str:
    """A number's text: a decimal, an integer, hexadecimal bits, `inf`, `-inf` or `nan`."""
    sign = "-" if parser.parse_optional_punctuation("-") is not None else ""
    token: Any = parser._current_token  # pyright: ignore[reportPrivateUsage]
    kinds = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT)
    text: str = token.text
    word = text.lower()
    if token.kind not in kinds and word not in ("inf", "nan", "true", "false"):
        parser.raise_error("expected a number", token.span.start, token.span.end)
    parser._consume_token()  # pyright: ignore[reportPrivateUsage]
    return sign + {"true": "1", "false": "0"}.get(word, text)


def number_text(value: Attribute) -> str:
    """A number as it reads back, without its type."""
    if isinstance(value, IntegerAttr):
        type: Any = cast(Any, value).type
        number: int = value.value.data
        width: int = type.width.data
        if width == 1:
            return "true" if number else "false"
        return str(number if is_unsigned(type) else signed(number, width))
    if isinstance(value, FloatBitsAttr):
        return element_text(value.bits.data, value.type)
    return str(value)


def is_number(value: Attribute, element: Attribute) -> bool:
    """Whether an attribute is a number of an element type."""
    if is_integer(element):
        return isinstance(value, IntegerAttr) and cast(Any, value).type == element
    return isinstance(value, FloatBitsAttr) and value.type == element and element.name in LAYOUTS
