"""The string and constant tables. Source: `bytecode.md` section 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from xdsl.dialects.builtin import i1
from xdsl.ir import TypeAttribute

from tileir_xdsl.bytecode.container import OffsetTable
from tileir_xdsl.bytecode.cursor import BytecodeError
from tileir_xdsl.bytecode.gate import Unwritable
from tileir_xdsl.bytecode.varint import varint
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr, element_bytes
from tileir_xdsl.dialects.cuda_tile.types import SCALAR_WIRE, TileType, bit_width, short_type

ENCODING = "utf-8"
KEEP_BYTES = "surrogateescape"
"""Strings need not be UTF-8 in the file: other bytes travel as lone surrogates."""


KeyT = TypeVar("KeyT")


@dataclass(frozen=True)
class TableBase(Generic[KeyT]):
    """The items that a table begins with: those of a file whose layout is preserved."""

    items: Sequence[bytes] = ()
    """As they are spelled in the file, those that nothing uses included."""
    index: Mapping[KeyT, int] = field(default_factory=dict[KeyT, int])
    """Where what was read from the items is found; the first index of equal ones."""


def first_indices(values: Iterable[tuple[int, KeyT]]) -> dict[KeyT, int]:
    """What was read at some indices, with the first index of each."""
    first: dict[KeyT, int] = {}
    for index, value in sorted(values, key=lambda entry: entry[0]):
        first.setdefault(value, index)
    return first


class StringWriter:
    """Strings by index, each stored once; `items` are those beyond the base."""

    def __init__(self, base: TableBase[str]) -> None:
        self.items: list[bytes] = []
        self._base = base
        self._index: dict[str, int] = {}

    def index(self, text: str) -> int:
        index = self._base.index.get(text)
        if index is None:
            index = self._index.get(text)
        if index is not None:
            return index
        try:
            item = text.encode(ENCODING, KEEP_BYTES)
        except UnicodeEncodeError:
            raise Unwritable(f"string {text!r} is not valid Unicode") from None
        index = self._index[text] = len(self._base.items) + len(self.items)
        self.items.append(item)
        return index


class ConstantWriter:
    """Constant data by index; `items` are those beyond the base.

    As in NVIDIA's files, equal data of equal type is stored once.
    """

    def __init__(self, base: TableBase[DenseElementsAttr]) -> None:
        self.items: list[bytes] = []
        self._base = base
        self._index: dict[DenseElementsAttr, int] = {}
        self._by_identity: dict[int, int] = {}

    def index(self, value: DenseElementsAttr) -> int:
        index = self._by_identity.get(id(value))
        if index is None:
            index = self._by_identity[id(value)] = self._intern(value)
        return index

    def _intern(self, value: DenseElementsAttr) -> int:
        index = self._base.index.get(value)
        if index is None:
            index = self._index.get(value)
        if index is None:
            raw = pack(value)
            index = self._index[value] = len(self._base.items) + len(self.items)
            self.items.append(varint(len(raw)) + raw)
        return index


_TO_DIGITS = bytes.maketrans(b"\x00\x01", b"01")
_FROM_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


def pack(value: DenseElementsAttr) -> bytes:
    """The bytes of a constant in the pool: i1 tiles take a bit for each element."""
    element = value.type.element_type
    wire = SCALAR_WIRE.get(cast(TypeAttribute, element))
    if wire is None or not wire.constant_bytes:
        raise Unwritable(f"constants of '{short_type(element)}' have no bytecode form")
    if element != i1:
        return value.raw
    if value.is_splat:
        return b"\xff" if value.splat_bits else b"\x00"
    digits = value.raw[::-1].translate(_TO_DIGITS)
    return int(digits, 2).to_bytes((len(digits) + 7) // 8, "little")


def unpack(raw: bytes, type: TileType) -> bytes:
    """The bytes of `DenseElementsAttr` for pool bytes; `ValueError` when their number is wrong."""
    wire = SCALAR_WIRE.get(cast(TypeAttribute, type.element_type))
    if wire is None or not wire.constant_bytes:
        raise ValueError(f"constants of '{short_type(type.element_type)}' are not allowed")
    count = type.num_elements
    if type.element_type == i1:
        return _unpack_bits(raw, count)
    size = wire.constant_bytes
    if len(raw) not in (size, size * count):
        expected = f"{size} or {size * count}" if count > 1 else f"{size}"
        raise ValueError(
            f"a constant of '{short_type(type)}' takes {expected} bytes, but has {len(raw)}"
        )
    return raw


def without_padding_bits(raw: bytes, type: TileType) -> bytes:
    """The bytes of `unpack` without the bits that no element has: readers drop them."""
    spare = -bit_width(type.element_type) % 8
    if not spare or type.element_type == i1:
        return raw
    size = element_bytes(type.element_type)
    out = bytearray(raw)
    out[size - 1 :: size] = out[size - 1 :: size].translate(_LOW_BITS[spare])
    return bytes(out)


_LOW_BITS = {spare: bytes(value & 0xFF >> spare for value in range(256)) for spare in range(1, 8)}


def _unpack_bits(raw: bytes, count: int) -> bytes:
    packed = (count + 7) // 8
    if len(raw) == 1 and count > 8:
        return bytes([raw[0] & 1])
    if len(raw) != packed:
        raise ValueError(
            f"{count} packed i1 elements take {packed} bytes, but there are {len(raw)}"
        )
    digits = f"{int.from_bytes(raw, 'little'):0{packed * 8}b}".encode()
    return digits[::-1][:count].translate(_FROM_DIGITS)


class StringReader:
    """Strings of a file by index."""

    def __init__(self, table: OffsetTable | None):
        self.table = table
        self._strings: list[str | None] = [None] * (table.count if table else 0)

    def get(self, index: int, at: int) -> str:
        """The string with an index that stands at the offset `at`."""
        if index >= len(self._strings):
            raise BytecodeError(
                at, f"string {index} does not exist, the file has {len(self._strings)} strings"
            )
        text = self._strings[index]
        if text is None:
            assert self.table is not None
            item = self.table.item(index)
            text = item.data[item.pos : item.end].decode(ENCODING, KEEP_BYTES)
            self._strings[index] = text
        return text

    def known(self) -> dict[str, int]:
        """The strings that were read, with the first index of each."""
        return first_indices((k, text) for k, text in enumerate(self._strings) if text is not None)


class ConstantReader:
    """Constants of a file by index and type: the type comes from who uses them."""

    def __init__(self, table: OffsetTable | None, lax: Callable[[int, str], None]):
        """Read from `table`; `lax` takes what is wrong and read nevertheless."""
        self.table = table
        self._lax = lax
        self._raw: dict[int, tuple[int, bytes]] = {}
        self._values: dict[tuple[int, TileType], DenseElementsAttr] = {}
        self._last: dict[int, DenseElementsAttr] = {}
        """The value that each constant had last, to be found without hashing its type."""

    def get(self, index: int, type: TileType, at: int) -> DenseElementsAttr:
        """The constant with an index that stands at the offset `at`, as data of `type`."""
        last = self._last.get(index)
        if last is not None and last.type is type:
            return last
        value = self._values.get((index, type))
        if value is None:
            value = self._values[index, type] = self._value(index, type, at)
        self._last[index] = value
        return value

    def _value(self, index: int, type: TileType, at: int) -> DenseElementsAttr:
        where, raw = self._read(index, at)
        try:
            data = unpack(raw, type)
        except ValueError as error:
            raise BytecodeError(where, f"constant {index}: {error}") from None
        clean = without_padding_bits(data, type)
        if clean != data:
            self._lax(where, f"constant {index} has bits that no '{short_type(type)}' has")
        return DenseElementsAttr(type, clean)

    def known(self) -> dict[DenseElementsAttr, int]:
        """The constants that were read, with the first index of each."""
        return first_indices((index, value) for (index, _), value in self._values.items())

    def _read(self, index: int, at: int) -> tuple[int, bytes]:
        known = self._raw.get(index)
        if known is not None:
            return known
        count = 0 if self.table is None else self.table.count
        if self.table is None or index >= count:
            raise BytecodeError(
                at, f"constant {index} does not exist, the file has {count} constants"
            )
        item = self.table.item(index)
        where = item.pos
        size = item.count("bytes of constant data")
        raw = item.take(size, "constant data")
        self._raw[index] = (where, raw)
        return where, raw
