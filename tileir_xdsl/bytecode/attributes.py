"""Attributes on the wire: the encodings of properties by name, and tagged attributes.

Source: `attributes.json` (tagged_attributes) and the encodings legend of `ops.json`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.gate import Unwritable
from tileir_xdsl.bytecode.types import read_enum
from tileir_xdsl.bytecode.varint import MASK64, fits_signed, put_varint, signed64, zigzag
from tileir_xdsl.dialects.cuda_tile.attributes import (
    AssumePredicate,
    BoundedAttr,
    Bracketed,
    DivByAttr,
    MultimemReductionKindAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
    sorted_entries,
)
from tileir_xdsl.dialects.cuda_tile.constants import (
    DenseElementsAttr,
    FloatBitsAttr,
    float_bits,
    signed,
)
from tileir_xdsl.dialects.cuda_tile.literals import LAYOUTS
from tileir_xdsl.dialects.cuda_tile.types import SCALAR_WIRE, TileType, bit_width, short_type
from tileir_xdsl.versions import V13_5

if TYPE_CHECKING:
    from tileir_xdsl.bytecode.reader import Reader
    from tileir_xdsl.bytecode.writer import Writer

MAX_DEPTH = 32
"""Arrays and dictionaries inside each other."""


class Tag(IntEnum):
    INTEGER = 1
    FLOAT = 2
    BOOL = 3
    TYPE = 4
    STRING = 5
    ARRAY = 6
    DENSE_ELEMENTS = 7
    DIV_BY = 8
    SAME_ELEMENTS = 9
    DICTIONARY = 10
    OPTIMIZATION_HINTS = 11
    BOUNDED = 12
    MULTIMEM_REDUCTION_KIND = 13


AttributeT = TypeVar("AttributeT", bound=Attribute)


def _expect(cls: type[AttributeT], value: Attribute) -> AttributeT:
    if not isinstance(value, cls):
        raise Unwritable(f"expected {cls.name}, but got {value}")
    return value


# Properties, written. Each takes the writer, the bytes to append to and the value.

PutProperty = Callable[["Writer", bytearray, Attribute], None]


@cache
def _enum_numbers(cls: type[Bracketed]) -> dict[Any, int]:
    return {value: number for number, value in enumerate(cls.enum_type)}


def put_enum(writer: Writer, out: bytearray, value: Attribute) -> None:
    if not isinstance(value, Bracketed):
        raise Unwritable(f"expected an enumeration, but got {value}")
    if value.VALUE_SINCE:
        since = value.VALUE_SINCE.get(value.keyword)
        if since is not None:
            writer.gate.require(since, f"{value.described()} {value.keyword}")
    out.append(_enum_numbers(value.__class__)[value.data])


def _integer(value: Attribute) -> int:
    return cast("IntegerAttr[IntegerType]", _expect(IntegerAttr, value)).value.data


def put_i64(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_varint(out, _integer(value) & MASK64)


def put_i32(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_varint(out, _integer(value) & 0xFFFFFFFF)


def put_bool(writer: Writer, out: bytearray, value: Attribute) -> None:
    out.append(_integer(value) & 1)


def put_string(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_varint(out, writer.strings.index(_expect(StringAttr, value).data))


def put_symbol(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_varint(out, writer.strings.index(_expect(SymbolRefAttr, value).string_value()))


def put_type(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_varint(out, writer.types.index(value))


def put_dense(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_varint(out, writer.constants.index(_expect(DenseElementsAttr, value)))


def put_i32_array(writer: Writer, out: bytearray, value: Attribute) -> None:
    data = cast("DenseArrayBase[IntegerType]", _expect(DenseArrayBase, value)).data.data
    put_varint(out, len(data) // 4)
    out += data


def put_bool_array(writer: Writer, out: bytearray, value: Attribute) -> None:
    array = cast("DenseArrayBase[IntegerType]", _expect(DenseArrayBase, value))
    values = array.get_values()
    put_varint(out, len(values))
    out += bytes(value & 1 for value in values)


def put_array(writer: Writer, out: bytearray, value: Attribute, depth: int = MAX_DEPTH) -> None:
    elements = _expect(ArrayAttr, value).data
    put_varint(out, len(elements))
    for element in elements:
        put_tagged(writer, out, element, depth)


def put_hints(writer: Writer, out: bytearray, value: Attribute, depth: int = MAX_DEPTH) -> None:
    put_dictionary(writer, out, _expect(OptimizationHintsAttr, value).hints, depth)


def put_assume(writer: Writer, out: bytearray, value: Attribute) -> None:
    put_tagged(writer, out, _expect(AssumePredicate, value), MAX_DEPTH)


PUT: dict[str, PutProperty] = {
    "enum": put_enum,
    "i64": put_i64,
    "i32": put_i32,
    "bool": put_bool,
    "str": put_string,
    "symref": put_symbol,
    "type": put_type,
    "dense": put_dense,
    "i32array": put_i32_array,
    "boolarray": put_bool_array,
    "array": put_array,
    "hints": put_hints,
    "assume": put_assume,
}
"""How each encoding of `base.encoding_of` but `unit` is written; a unit is its flag bit alone."""


# Tagged attributes, written.


def put_dictionary(writer: Writer, out: bytearray, value: DictionaryAttr, depth: int) -> None:
    put_varint(out, len(value.data))
    for key, entry in sorted_entries(value):
        put_varint(out, writer.strings.index(key))
        put_tagged(writer, out, entry, depth)


def put_tagged(writer: Writer, out: bytearray, value: Attribute, depth: int) -> None:
    """Append a tag that says the kind of the attribute, and the attribute.

    `depth` is how deep it may nest.
    """
    if not depth:
        raise Unwritable(f"attributes nest more than {MAX_DEPTH} deep")
    match value:
        case IntegerAttr():
            _put_integer(writer, out, cast("IntegerAttr[IntegerType]", value))
        case FloatBitsAttr() | FloatAttr():
            _put_float(writer, out, value)
        case StringAttr():
            out.append(Tag.STRING)
            put_string(writer, out, value)
        case ArrayAttr():
            out.append(Tag.ARRAY)
            put_array(writer, out, value, depth - 1)
        case DictionaryAttr():
            out.append(Tag.DICTIONARY)
            put_dictionary(writer, out, value, depth - 1)
        case OptimizationHintsAttr():
            out.append(Tag.OPTIMIZATION_HINTS)
            put_hints(writer, out, value, depth - 1)
        case DivByAttr():
            _put_div_by(out, value)
        case SameElementsAttr():
            values = value.value_list
            out.append(Tag.SAME_ELEMENTS)
            put_varint(out, len(values))
            for element in values:
                out += (_int64(element) & MASK64).to_bytes(8, "little")
        case BoundedAttr():
            out.append(Tag.BOUNDED)
            _put_optional(out, value.lower_value, value.upper_value)
        case MultimemReductionKindAttr():
            writer.gate.require(V13_5, f"{value.described()} as an attribute")
            out.append(Tag.MULTIMEM_REDUCTION_KIND)
            put_enum(writer, out, value)
        case TypeAttribute():
            out.append(Tag.TYPE)
            put_type(writer, out, value)
        case _:
            raise Unwritable(f"attribute {value} has no bytecode form")


def _put_integer(writer: Writer, out: bytearray, value: IntegerAttr[IntegerType]) -> None:
    if value.type not in SCALAR_WIRE:
        raise Unwritable(f"integers of type '{value.type}' have no bytecode form")
    width = value.type.width.data
    out.append(Tag.INTEGER)
    put_varint(out, writer.types.index(value.type))
    put_varint(out, value.value.data & ((1 << width) - 1))


def _put_float(writer: Writer, out: bytearray, value: Attribute) -> None:
    bits, type = float_bits(value)
    if type.name not in LAYOUTS:
        raise Unwritable(f"floats of type '{type}' have no bytecode form")
    out.append(Tag.FLOAT)
    put_varint(out, writer.types.index(type))
    if bit_width(type) <= 8:
        out.append(bits)
        return
    put_varint(out, zigzag(signed64(bits)))


def _put_div_by(out: bytearray, value: DivByAttr) -> None:
    out.append(Tag.DIV_BY)
    put_varint(out, value.divisor.data)
    _put_optional(out, value.every_value, value.along_value)


def _int64(value: int) -> int:
    if not fits_signed(value, 64):
        raise Unwritable(f"{value} does not fit 64 bits")
    return value


def _put_optional(out: bytearray, first: int | None, second: int | None) -> None:
    out.append((first is not None) | (second is not None) << 1)
    for value in (first, second):
        if value is not None:
            put_varint(out, zigzag(_int64(value)))


# Properties, read. Each takes the reader and its cursor.

ReadProperty = Callable[["Reader", Cursor], Attribute]


def read_i64(reader: Reader, cursor: Cursor) -> Attribute:
    return IntegerAttr(signed64(cursor.varint("a 64-bit integer")), i64)


def read_i32(reader: Reader, cursor: Cursor) -> Attribute:
    at = cursor.pos
    value = cursor.varint("a 32-bit integer")
    if value >> 32:
        raise BytecodeError(at, f"{value} does not fit i32")
    return IntegerAttr(signed(value, 32), i32)


def read_bool(reader: Reader, cursor: Cursor) -> Attribute:
    return TRUE if cursor.byte("a boolean") else FALSE


def read_string(reader: Reader, cursor: Cursor) -> Attribute:
    return StringAttr(reader.string(cursor))


def read_symbol(reader: Reader, cursor: Cursor) -> Attribute:
    return SymbolRefAttr(reader.string(cursor))


def read_type(reader: Reader, cursor: Cursor) -> Attribute:
    return reader.type(cursor)


def read_i32_array(reader: Reader, cursor: Cursor) -> Attribute:
    count = cursor.count("elements of an array", 4)
    return DenseArrayBase(i32, BytesAttr(cursor.take(4 * count, "array elements")))


def read_bool_array(reader: Reader, cursor: Cursor) -> Attribute:
    count = cursor.count("elements of an array")
    values = cursor.take(count, "array elements")
    return DenseArrayBase.from_list(i1, [int(value != 0) for value in values])


def read_array(reader: Reader, cursor: Cursor) -> Attribute:
    count = cursor.count("elements of an array", 2)
    return ArrayAttr([read_tagged(reader, cursor, MAX_DEPTH) for _ in range(count)])


def read_hints(reader: Reader, cursor: Cursor) -> Attribute:
    at = cursor.pos
    hints = _read_dictionary(reader, cursor, MAX_DEPTH)
    try:
        return OptimizationHintsAttr(hints)
    except VerifyException as error:
        raise BytecodeError(at, f"optimization hints are not valid: {error}") from None


def read_assume(reader: Reader, cursor: Cursor) -> Attribute:
    at = cursor.pos
    value = read_tagged(reader, cursor, MAX_DEPTH)
    if not isinstance(value, AssumePredicate):
        raise BytecodeError(at, f"expected an assume predicate, but found {value.name}")
    return value


def enum_reader(enum: type[Any]) -> ReadProperty:
    """A reader of one enumeration, with its attributes made once."""
    keywords = enum.keywords()
    plain = [
        None if word in enum.VALUE_SINCE else enum.from_number(k) for k, word in enumerate(keywords)
    ]

    def read(reader: Reader, cursor: Cursor) -> Attribute:
        pos = cursor.pos
        if pos < cursor.end:
            number = cursor.data[pos]
            if number < len(plain) and (value := plain[number]) is not None:
                cursor.pos = pos + 1
                return value
        return read_enum(cursor, enum, reader.version)

    return read


READ: dict[str, ReadProperty] = {
    "i64": read_i64,
    "i32": read_i32,
    "bool": read_bool,
    "str": read_string,
    "symref": read_symbol,
    "type": read_type,
    "i32array": read_i32_array,
    "boolarray": read_bool_array,
    "array": read_array,
    "hints": read_hints,
    "assume": read_assume,
}
"""How each encoding is read, but `unit`, `enum` (one reader each) and `dense` (needs its type)."""


# Tagged attributes, read.

TRUE = IntegerAttr(1, i1)
FALSE = IntegerAttr(0, i1)


def read_tagged(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    """A tag and the attribute of the kind that it says, nested at most `depth` deep."""
    at = cursor.pos
    tag = cursor.varint("an attribute tag")
    if not depth:
        raise BytecodeError(at, f"attributes nest more than {MAX_DEPTH} deep")
    read = _TAGGED.get(tag)
    if read is None:
        raise BytecodeError(at, f"attribute tag {tag} is {_tag_name(tag)}")
    try:
        return read(reader, cursor, depth - 1)
    except VerifyException as error:
        raise BytecodeError(at, f"attribute is not valid: {error}") from None


def _tag_name(tag: int) -> str:
    if tag == Tag.DENSE_ELEMENTS:
        return "dense elements, which no reader accepts here"
    return "unknown"


def _read_integer(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    at = cursor.pos
    type = reader.type(cursor)
    if not isinstance(type, IntegerType):
        raise BytecodeError(at, f"expected an integer type, but found '{short_type(type)}'")
    width = bit_width(cast(Attribute, type))
    if width == 1:
        return TRUE if cursor.byte("a boolean") else FALSE
    at = cursor.pos
    value = cursor.varint("an integer")
    if value >> width:
        raise BytecodeError(at, f"{value} does not fit i{width}")
    return IntegerAttr(signed(value, width), width)


def _read_float(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    at = cursor.pos
    type = reader.type(cursor)
    if type.name not in LAYOUTS:
        raise BytecodeError(at, f"expected a float type, but found '{short_type(type)}'")
    width = LAYOUTS[type.name].width
    at = cursor.pos
    bits = cursor.byte("a float") if width <= 8 else cursor.zigzag("a float") & MASK64
    if bits >> width:
        raise BytecodeError(at, f"{bits:#x} does not fit {short_type(type)}")
    return FloatBitsAttr.get(bits, type)


def _read_bool(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    return read_bool(reader, cursor)


def _read_type(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    return reader.type(cursor)


def _read_string(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    return read_string(reader, cursor)


def _read_array(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    count = cursor.count("elements of an array", 2)
    return ArrayAttr([read_tagged(reader, cursor, depth) for _ in range(count)])


def _read_dictionary(reader: Reader, cursor: Cursor, depth: int) -> DictionaryAttr:
    count = cursor.count("entries of a dictionary", 3)
    entries: dict[str, Attribute] = {}
    for _ in range(count):
        at = cursor.pos
        key = reader.string(cursor)
        if not key:
            raise BytecodeError(at, "a dictionary key is empty")
        if key in entries:
            raise BytecodeError(at, f"the dictionary key '{key}' is repeated")
        entries[key] = read_tagged(reader, cursor, depth)
    return DictionaryAttr(dict(sorted(entries.items(), key=_bytewise)))


def _bytewise(entry: tuple[str, Attribute]) -> bytes:
    return entry[0].encode("utf-8", "surrogateescape")


def _read_tagged_hints(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    return OptimizationHintsAttr(_read_dictionary(reader, cursor, depth))


def _read_div_by(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    divisor = cursor.varint("a divisor")
    return DivByAttr.get(divisor, *_read_optional(cursor))


def _read_same_elements(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    count = cursor.count("elements of same_elements", 8)
    at = cursor.pos
    raw = cursor.take(8 * count, "same_elements")
    values = [int.from_bytes(raw[k : k + 8], "little", signed=True) for k in range(0, len(raw), 8)]
    for position, value in enumerate(values):
        if value in (-(1 << 63), (1 << 63) - 1):
            raise BytecodeError(at + 8 * position, f"same_elements must not hold {value}")
    return SameElementsAttr.get(values)


def _read_bounded(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    return BoundedAttr.get(*_read_optional(cursor))


def _read_optional(cursor: Cursor) -> tuple[int | None, int | None]:
    at = cursor.pos
    flags = cursor.varint("presence flags")
    if flags > 3:
        raise BytecodeError(at, f"unknown bits in the presence flags {flags:#x}")
    first = cursor.zigzag() if flags & 1 else None
    second = cursor.zigzag() if flags & 2 else None
    return first, second


def _read_reduction_kind(reader: Reader, cursor: Cursor, depth: int) -> Attribute:
    if reader.version < V13_5:
        raise BytecodeError(
            cursor.pos - 1,
            f"attribute tag {Tag.MULTIMEM_REDUCTION_KIND} needs version {V13_5}, "
            f"the file is {reader.version}",
        )
    return read_enum(cursor, MultimemReductionKindAttr, reader.version)


_TAGGED: dict[int, Callable[[Reader, Cursor, int], Attribute]] = {
    Tag.INTEGER: _read_integer,
    Tag.FLOAT: _read_float,
    Tag.BOOL: _read_bool,
    Tag.TYPE: _read_type,
    Tag.STRING: _read_string,
    Tag.ARRAY: _read_array,
    Tag.DIV_BY: _read_div_by,
    Tag.SAME_ELEMENTS: _read_same_elements,
    Tag.DICTIONARY: _read_dictionary,
    Tag.OPTIMIZATION_HINTS: _read_tagged_hints,
    Tag.BOUNDED: _read_bounded,
    Tag.MULTIMEM_REDUCTION_KIND: _read_reduction_kind,
}


def read_dense(reader: Reader, cursor: Cursor, type: Attribute) -> Attribute:
    """A constant of the type of the result that it gives."""
    at = cursor.pos
    index = cursor.varint("a constant index")
    if not isinstance(type, TileType):
        raise BytecodeError(at, f"a constant must be a tile, but is '{short_type(type)}'")
    return reader.constants.get(index, type, at)
