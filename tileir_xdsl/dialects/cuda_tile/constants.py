"""Constant data: scalar floats as bit patterns, and dense tiles of them.

xDSL's `FloatAttr` holds a Python float, which loses NaN payloads; these hold the bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, BuiltinAttribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.literals import (
    LAYOUTS,
    format_float,
    is_special,
    layout_of,
    parse_decimal,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    AnyInteger,
    TileType,
    bit_width,
    is_integer,
    short_type,
)

if TYPE_CHECKING:
    import numpy

HEX_STRING_ELEMENTS = 100
"""Constants of more elements than this print as one string of hexadecimal bytes."""


@irdl_attr_definition
class FloatBitsAttr(ParametrizedAttribute, BuiltinAttribute):
    """A scalar float, e.g. `0x7FC00001 : f32`, kept as its bit pattern."""

    name = "cuda_tile.float_bits"

    bits: IntAttr = param_def()
    type: Attribute = param_def()

    @staticmethod
    def get(bits: int, type: Attribute) -> FloatBitsAttr:
        return FloatBitsAttr(IntAttr(bits), type)

    def verify(self) -> None:
        if self.bits.data >> layout_of(self.type).width:
            raise VerifyException(f"float bits do not fit '{short_type(self.type)}'")

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(scalar_text(self))


def is_scalar(value: Attribute) -> bool:
    """Whether `scalar_text` prints the attribute."""
    if isinstance(value, IntegerAttr):
        return isinstance(cast(Any, value).type, IntegerType)
    return isinstance(value, FloatBitsAttr | FloatAttr)


def scalar_text(value: Attribute) -> str:
    """A typed scalar as MLIR prints it: i64, i1 and decimal f64 values omit their type."""
    if isinstance(value, IntegerAttr):
        integer = cast("IntegerAttr[IntegerType]", value)
        if integer.type == IntegerType(1):
            return "true" if integer.value.data else "false"
        number = signed(integer.value.data, integer.type.width.data)
        return str(number) if integer.type == i64 else f"{number} : {short_type(integer.type)}"
    bits, type = float_bits(value)
    text = format_float(bits, type.name)
    if type == f64 and not is_special(bits, LAYOUTS["f64"]) and not text.startswith("0x"):
        return text
    return f"{text} : {short_type(type)}"


def float_bits(value: Attribute) -> tuple[int, Attribute]:
    """Bit pattern and type of a scalar float, ours or xDSL's."""
    if isinstance(value, FloatBitsAttr):
        return value.bits.data, value.type
    if isinstance(value, FloatAttr):
        plain = cast(FloatAttr[Any], value)
        raw = plain.type.pack([plain.value.data])
        return int.from_bytes(raw, "little"), plain.type
    raise TypeError("not a scalar float attribute")


def signed(value: int, width: int) -> int:
    """The value's low `width` bits as a two's complement number."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


@lru_cache(maxsize=64)
def element_bytes(element: Attribute) -> int:
    """Bytes of one element in a `DenseElementsAttr`: i1 and the sub-byte floats take one."""
    return (bit_width(element) + 7) // 8


@irdl_attr_definition
class DenseElementsAttr(Data[tuple[TileType, bytes]], BuiltinAttribute):
    """The elements of a constant tile, row-major, little-endian, whole bytes each.

    A tile whose elements are all equal holds a single element (a splat). i1 takes a byte (0 or
    1), tf32 three bytes.
    """

    name = "cuda_tile.dense"

    def __init__(self, type: TileType | tuple[TileType, bytes], raw: bytes | None = None) -> None:
        if isinstance(type, tuple):
            type, raw = type
        assert raw is not None
        super().__init__((type, _collapse(type, raw)))

    @staticmethod
    def from_bits(type: TileType, bits: Iterable[int]) -> DenseElementsAttr:
        """From unsigned element bit patterns, one for a splat or one for each element."""
        size = element_bytes(type.element_type)
        return DenseElementsAttr(type, b"".join(b.to_bytes(size, "little") for b in bits))

    @staticmethod
    def splat(type: TileType, bits: int) -> DenseElementsAttr:
        return DenseElementsAttr.from_bits(type, [bits])

    @staticmethod
    def from_numpy(type: TileType, array: numpy.ndarray[Any, Any]) -> DenseElementsAttr:
        """From an array in the element type's storage dtype and the tile's shape."""
        size = element_bytes(type.element_type)
        if array.dtype == bool or size == array.dtype.itemsize:
            return DenseElementsAttr(type, array.tobytes())
        bits = array.view(f"u{array.dtype.itemsize}").ravel()
        shift = 13 if bit_width(type.element_type) == 19 else 0
        return DenseElementsAttr.from_bits(type, (int(b) >> shift for b in bits))

    @property
    def type(self) -> TileType:
        return self.data[0]

    @property
    def raw(self) -> bytes:
        return self.data[1]

    @property
    def is_splat(self) -> bool:
        return len(self.raw) == element_bytes(self.type.element_type)

    @property
    def splat_bits(self) -> int | None:
        """The bits of the one element of a splat."""
        return int.from_bytes(self.raw, "little") if self.is_splat else None

    def bits(self) -> list[int]:
        """The bit pattern of every element; one pattern for a splat."""
        size = element_bytes(self.type.element_type)
        raw = self.raw
        return [int.from_bytes(raw[k : k + size], "little") for k in range(0, len(raw), size)]

    def with_type(self, type: TileType) -> DenseElementsAttr:
        """The same elements in another shape."""
        return DenseElementsAttr(type, self.raw)

    def print_parameter(self, printer: Printer) -> None:
        self.print_builtin(printer)

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f"dense<{literal_text(self)}> : ")
        printer.print_attribute(self.type)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[TileType, bytes]:
        parser.raise_error("write constant data as 'dense<...> : type'")


def _collapse(type: TileType, raw: bytes) -> bytes:
    size = element_bytes(type.element_type)
    count = type.num_elements
    if len(raw) not in (size, size * count):
        raise VerifyException(
            f"constant has {len(raw)} bytes, but '{short_type(type)}' needs {size} or "
            f"{size * count}"
        )
    if raw == raw[:size] * (len(raw) // size):
        return raw[:size]
    return raw


def literal_text(value: DenseElementsAttr, *, hex_strings: bool = True) -> str:
    """The literal of a constant: a scalar for a splat, nested lists, or one hex string."""
    type = value.type
    if value.is_splat:
        return element_text(value.bits()[0], type.element_type)
    if hex_strings and type.num_elements > HEX_STRING_ELEMENTS:
        return f'"0x{value.raw.hex().upper()}"'
    texts = [element_text(bits, type.element_type) for bits in value.bits()]
    for extent in reversed(type.get_shape()):
        texts = [f"[{', '.join(texts[k : k + extent])}]" for k in range(0, len(texts), extent)]
    return texts[0]


def element_text(bits: int, element: Attribute) -> str:
    if not is_integer(element):
        return format_float(bits, element.name)
    width = element.width.data
    if width == 1:
        return "true" if bits else "false"
    return str(signed(bits, width))


def parse_literal(parser: AttrParser, element: Attribute) -> tuple[list[int], list[int] | None]:
    """A literal: element bits in row-major order, and the shape (None for a scalar or string).

    A hex string answers its elements without a shape.
    """
    start = parser.pos
    string = parser.parse_optional_str_literal()
    if string is not None:
        return _parse_hex_string(parser, string, element, start), None
    bits: list[int] = []
    shape = _parse_nested(parser, element, bits)
    return bits, shape or None


def _parse_nested(parser: AttrParser, element: Attribute, bits: list[int]) -> list[int]:
    start = parser.pos
    shapes = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: _parse_nested(parser, element, bits)
    )
    if shapes is None:
        bits.append(parse_element(parser, element))
        return []
    if any(shape != shapes[0] for shape in shapes):
        parser.raise_error("the lists of one dimension have different lengths", start)
    return [len(shapes), *(shapes[0] if shapes else [])]


def _parse_hex_string(parser: AttrParser, string: str, element: Attribute, start: int) -> list[int]:
    size = element_bytes(element)
    try:
        raw = bytes.fromhex(string.removeprefix("0x")) if string.startswith("0x") else None
    except ValueError:
        raw = None
    if raw is None:
        parser.raise_error('expected hexadecimal bytes, e.g. "0x00FF"', start)
    if len(raw) % size:
        parser.raise_error(f"hex string is not a whole number of {size}-byte elements", start)
    return [int.from_bytes(raw[k : k + size], "little") for k in range(0, len(raw), size)]


def parse_element(parser: AttrParser, element: Attribute) -> int:
    """One scalar literal of the element type, as bits."""
    if is_integer(element):
        return _parse_integer_element(parser, element.width.data)
    start = parser.pos
    sign = "-" if parser.parse_optional_punctuation("-") is not None else ""
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    text = token.text
    layout = layout_of(element)
    if text[:2].lower() == "0x":
        parser._consume_token()  # pyright: ignore[reportPrivateUsage]
        bits = int(text, 16)
        if sign or bits >> layout.width:
            parser.raise_error(
                f"hexadecimal literal does not fit '{short_type(element)}'", start, parser.pos
            )
        return bits
    try:
        bits = parse_decimal(sign + text, layout)
    except ValueError:
        message = "expected a float literal"
        if text.lower() in ("nan", "inf", "infinity"):
            message += f", but got '{text}'; write NaNs and infinities as bits, such as 0x7FC00000"
        parser.raise_error(message, token.span.start, token.span.end)
    parser._consume_token()  # pyright: ignore[reportPrivateUsage]
    if is_special(bits, layout):
        parser.raise_error(f"{sign}{text} is out of range of '{short_type(element)}'", start)
    return bits


def _parse_integer_element(parser: AttrParser, width: int) -> int:
    start = parser.pos
    if width == 1:
        if parser.parse_optional_keyword("true") is not None:
            return 1
        if parser.parse_optional_keyword("false") is not None:
            return 0
    value = parser.parse_integer(allow_boolean=False)
    lowest = -1 if width == 1 else -(1 << (width - 1))
    if not lowest <= value < 1 << width:
        parser.raise_error(f"{value} does not fit i{width}", start)
    return value & ((1 << width) - 1)


def parse_typed_scalar(parser: AttrParser, *, narrow: bool = False) -> Attribute:
    """`VALUE : TYPE`; a bare integer is i64 (with `narrow` i32 if it fits), a bare float f64."""
    if parser.parse_optional_keyword("true") is not None:
        return IntegerAttr(1, IntegerType(1))
    if parser.parse_optional_keyword("false") is not None:
        return IntegerAttr(0, IntegerType(1))
    start = parser.pos
    sign = "-" if parser.parse_optional_punctuation("-") is not None else ""
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    text = token.text
    if not text[:1].isdigit():
        parser.raise_error("expected a number", token.span.start, token.span.end)
    parser._consume_token()  # pyright: ignore[reportPrivateUsage]
    whole = text.isdigit() or text[:2].lower() == "0x"
    type: Attribute = i64 if whole else f64
    typed = parser.parse_optional_punctuation(":") is not None
    if typed:
        type = parser.parse_type()
    if is_integer(type):
        value = _integer(parser, sign, text, type, start)
        fits = narrow and not typed and -(1 << 31) <= value < 1 << 31
        return IntegerAttr(value, i32 if fits else type)
    if type.name not in LAYOUTS:
        parser.raise_error("expected an integer or float type", start)
    layout = layout_of(type)
    if text[:2].lower() == "0x":
        if sign or int(text, 16) >> layout.width:
            parser.raise_error(f"hexadecimal literal does not fit '{short_type(type)}'", start)
        return FloatBitsAttr.get(int(text, 16), type)
    return FloatBitsAttr.get(parse_decimal(sign + text, layout), type)


def _integer(parser: AttrParser, sign: str, text: str, type: AnyInteger, start: int) -> int:
    try:
        value = int(sign + text, 16 if text[:2].lower() == "0x" else 10)
    except ValueError:
        parser.raise_error(f"'{text}' is not an integer", start)
    width = type.width.data
    if not -(1 << (width - 1)) <= value < 1 << width:
        parser.raise_error(f"{value} does not fit {short_type(type)}", start)
    return signed(value, width)


def check_shape(
    parser: AttrParser, bits: Sequence[int], shape: list[int] | None, type: TileType, start: int
) -> DenseElementsAttr:
    """The literal as constant data of `type`, or an error at the literal."""
    expected = list(type.get_shape())
    if shape is not None and shape != expected:
        parser.raise_error(
            f"literal has shape {shape}, but its type is '{short_type(type)}'", start
        )
    if shape is None and len(bits) not in (1, type.num_elements):
        parser.raise_error(
            f"literal has {len(bits)} elements, but '{short_type(type)}' has {type.num_elements}",
            start,
        )
    return DenseElementsAttr.from_bits(type, bits)
