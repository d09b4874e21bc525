"""The debug section: a row of locations for each function, over a table of debug attributes.

Source: `bytecode.md` section 6 and `attributes.json` (debug_info).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.container import (
    FILL,
    OFFSET_WIDTH,
    OffsetTable,
    Section,
    put_offset_table,
)
from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.gate import Gate, Unwritable
from tileir_xdsl.bytecode.tables import StringReader, StringWriter, TableBase, first_indices
from tileir_xdsl.bytecode.varint import align, put_varint
from tileir_xdsl.dialects.cuda_tile.attributes import (
    DebugInfo,
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
)
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr, nested_location
from tileir_xdsl.versions import V13_5, Version

WIDTH = OFFSET_WIDTH[Section.DEBUG]
INDEX_BYTES = 8
SUBPROGRAM_FLAGS_SINCE = V13_5
DECLARATION = 1
MAX_NODES = 4096
"""Nodes of one debug attribute with everything below it, shared parts counted as often as they
occur: comparing, hashing and printing attributes visit each of them."""

MAX_DEPTH = 128
"""Attributes inside each other: blocks in blocks, calls inlined into calls."""

TOO_DEEP = f"debug attributes nest more than {MAX_DEPTH} deep"

MAX_NUMBER = (1 << 32) - 1
"""Lines and columns have 32 bits; readers drop what is above."""

UNKNOWN = 0
"""The index of the unknown location; attributes count from 1."""


class DebugTag(IntEnum):
    UNKNOWN = 0
    COMPILE_UNIT = 1
    FILE = 2
    LEXICAL_BLOCK = 3
    LOC = 4
    SUBPROGRAM = 5
    CALLSITE = 6


class Size(NamedTuple):
    """Of an attribute with all that is below it."""

    nodes: int
    depth: int


ONE = Size(1, 1)


def is_writable(location: Attribute) -> bool:
    """Whether the bytecode has a form for a location (an unknown one needs none)."""
    while isinstance(location, CallSiteLoc):
        if not is_writable(location.callee):
            return False
        location = location.caller
    return isinstance(location, UnknownLoc | DILocAttr)


def _first_writable(location: Attribute) -> Attribute | None:
    """The first part of a fused location that the bytecode has a form for."""
    if not isinstance(location, FusedLoc):
        return None
    parts = cast("ArrayAttr[Attribute]", location.locations)
    return next((p for p in parts if is_writable(p) and not isinstance(p, UnknownLoc)), None)


def _is_plain(location: Attribute) -> bool:
    """Whether a location says no more than places in files, for which there is no form either."""
    if not isinstance(location, FusedLoc):
        return isinstance(location, FileLineColLoc | UnknownLoc)
    parts = cast("ArrayAttr[Attribute]", location.locations)
    return all(map(_is_plain, parts))


class DebugWriter:
    """Debug attributes by index from 1, each stored once, after those that it refers to.

    `items` are those beyond the base.
    """

    def __init__(self, gate: Gate, strings: StringWriter, base: TableBase[Attribute]) -> None:
        self.items: list[bytes] = []
        self._base = base
        self._gate = gate
        self._strings = strings
        self._index: dict[Attribute, int] = {}
        self._by_identity: dict[int, int] = {}

    def location(self, location: Attribute) -> int:
        """The index of an operation's location, 0 when it is unknown or has no form."""
        if isinstance(location, UnknownLoc):
            return UNKNOWN
        index = self._by_identity.get(id(location))
        if index is None:
            index = self._index_of_location(location)
            self._by_identity[id(location)] = index
        return index

    def _index_of_location(self, location: Attribute) -> int:
        try:
            return self._writable_index(location)
        except Unwritable as error:
            self._gate.error(f"location {location}: {error}")
            return UNKNOWN

    def _writable_index(self, location: Attribute) -> int:
        if is_writable(location):
            return self.index(location)
        # What a pass made from several operations keeps the place of the first.
        if (first := _first_writable(location)) is not None:
            return self.index(first)
        if isinstance(location, NameLoc | FusedLoc) and not _is_plain(location):
            kind = "named" if isinstance(location, NameLoc) else "fused"
            self._gate.remark(f"a {kind} location has no bytecode form and is dropped")
        return UNKNOWN

    def index(self, value: Attribute) -> int:
        if isinstance(value, UnknownLoc):
            return UNKNOWN
        index = self._base.index.get(value)
        if index is None:
            index = self._index.get(value)
        if index is not None:
            return index
        item = bytearray()
        self._put(item, value)
        self.items.append(bytes(item))
        index = self._index[value] = len(self._base.items) + len(self.items)
        return index

    def _put(self, out: bytearray, value: Attribute) -> None:
        match value:
            case DIFileAttr():
                out.append(DebugTag.FILE)
                self._put_strings(out, value.file_name, value.directory)
            case DICompileUnitAttr():
                file = self.index(value.file)
                out.append(DebugTag.COMPILE_UNIT)
                put_varint(out, file)
            case DILexicalBlockAttr():
                scope, file = self.index(value.scope), self.index(value.file)
                out.append(DebugTag.LEXICAL_BLOCK)
                self._put_numbers(out, scope, file, value.line.data, value.column.data)
            case DISubprogramAttr():
                self._put_subprogram(out, value)
            case DILocAttr():
                scope = self.index(value.scope)
                position = value.position
                out.append(DebugTag.LOC)
                put_varint(out, scope)
                self._put_strings(out, position.filename)
                self._put_numbers(out, position.line.data, position.column.data)
            case CallSiteLoc():
                callee, caller = self.index(value.callee), self.index(value.caller)
                out.append(DebugTag.CALLSITE)
                self._put_numbers(out, callee, caller)
            case _:
                raise AssertionError(value)

    def _put_subprogram(self, out: bytearray, value: DISubprogramAttr) -> None:
        file, unit = self.index(value.file), self.index(value.compile_unit)
        flags = value.flags.data
        if flags:
            self._gate.require(SUBPROGRAM_FLAGS_SINCE, "'flags' of di_subprogram")
        out.append(DebugTag.SUBPROGRAM)
        self._put_numbers(out, file, value.line.data)
        self._put_strings(out, value.subprogram_name, value.linkage_name)
        self._put_numbers(out, unit, value.scope_line.data)
        if self._gate.version >= SUBPROGRAM_FLAGS_SINCE:
            put_varint(out, flags)

    def _put_strings(self, out: bytearray, *values: StringAttr) -> None:
        for value in values:
            put_varint(out, self._strings.index(value.data))

    @staticmethod
    def _put_numbers(out: bytearray, *values: int) -> None:
        for value in values:
            if not 0 <= value <= MAX_NUMBER:
                raise Unwritable(f"{value} does not fit 32 bits")
            put_varint(out, value)


def debug_payload(rows: Sequence[bytes], items: Sequence[bytes]) -> bytes:
    """The section: rows of indices (as `row_bytes` spells them) and debug attributes."""
    out = bytearray()
    put_varint(out, len(rows))
    align(out, 4, FILL)
    start = 0
    for row in rows:
        out += start.to_bytes(4, "little")
        start += len(row) // INDEX_BYTES
    put_varint(out, start)
    align(out, INDEX_BYTES, FILL)
    for row in rows:
        out += row
    put_offset_table(out, items, WIDTH)
    return bytes(out)


def row_bytes(row: Sequence[int]) -> bytes:
    """The locations of a function and its operations; empty when all are unknown."""
    if not any(row):
        return b""
    return b"".join(index.to_bytes(INDEX_BYTES, "little") for index in row)


AttributeT = TypeVar("AttributeT", bound=Attribute)


class DebugReader:
    """Rows of locations, and debug attributes decoded when they are first used."""

    def __init__(
        self,
        cursor: Cursor,
        strings: StringReader,
        version: Version,
        lax: Callable[[int, str], None],
    ):
        """Read the section at `cursor`; `lax` takes what is wrong and read nevertheless."""
        origin = cursor.pos
        self.data = cursor.data
        self.version = version
        self.strings = strings
        self.lax = lax
        self.rows = self._table(cursor, origin, 4, "rows of locations")
        self.row_starts = cursor.pos
        cursor.pos += 4 * self.rows
        self.total = self._table(cursor, origin, INDEX_BYTES, "location indices")
        self.indices = cursor.pos
        cursor.pos += INDEX_BYTES * self.total
        self.table = OffsetTable(cursor, origin, WIDTH, "debug attribute")
        self._attributes: dict[int, Attribute] = {}
        self._size: dict[int, Size] = {}
        self._errors: dict[int, tuple[int, str]] = {}
        self._open: set[int] = set()
        self._next = 1

    @staticmethod
    def _table(cursor: Cursor, origin: int, width: int, what: str) -> int:
        at = cursor.pos
        count = cursor.varint(f"the number of {what}")
        cursor.align(width, origin, f"the padding before {count} {what}")
        if count * width > cursor.remaining:
            raise BytecodeError(
                at, f"{count} {what} do not fit in the remaining {cursor.remaining} bytes"
            )
        return count

    def row(self, location: int, at: int) -> range:
        """The offsets of the indices of a function whose `location` field stands at `at`."""
        row = location - 1
        if row >= self.rows:
            raise BytecodeError(
                at, f"row {row} of locations does not exist, the file has {self.rows}"
            )
        start = self._row_start(row)
        end = self.total if row + 1 == self.rows else self._row_start(row + 1)
        if start >= end:
            raise BytecodeError(self.row_starts + 4 * row, f"row {row} of locations has no indices")
        return range(
            self.indices + INDEX_BYTES * start, self.indices + INDEX_BYTES * end, INDEX_BYTES
        )

    def _row_start(self, row: int) -> int:
        at = self.row_starts + 4 * row
        start = int.from_bytes(self.data[at : at + 4], "little")
        if start > self.total:
            raise BytecodeError(
                at, f"row {row} starts at index {start}, but there are {self.total} indices"
            )
        return start

    def location(self, at: int) -> LocationAttr | None:
        """The location whose index stands at the offset `at`; None when it is unknown."""
        index = int.from_bytes(self.data[at : at + INDEX_BYTES], "little")
        if index == UNKNOWN:
            return None
        value = self._attributes.get(index)
        if value is None:
            self._read_up_to(index)
            value = self._get(index, at)
        if isinstance(value, DILocAttr | CallSiteLoc):
            # xDSL's union of locations does not know `di_loc`.
            return cast(LocationAttr, value)
        if isinstance(value, UnknownLoc):
            return None
        raise BytecodeError(at, f"expected a location, but debug attribute {index} is {value.name}")

    def _read_up_to(self, index: int) -> None:
        """Read the attributes below `index`: most refer to earlier ones, and need no recursion.

        What is wrong with one counts only when it is used.
        """
        while self._next < min(index, self.table.count + 1):
            with suppress(BytecodeError):
                self._get(self._next, 0)
            self._next += 1

    def known(self) -> dict[Attribute, int]:
        """The attributes that were read, with the first index of each."""
        return first_indices(self._attributes.items())

    def _get(self, index: int, at: int) -> Attribute:
        value = self._attributes.get(index)
        if value is not None:
            return value
        if index > self.table.count:
            raise BytecodeError(
                at, f"debug attribute {index} does not exist, the file has {self.table.count}"
            )
        if (error := self._errors.get(index)) is not None:
            raise BytecodeError(*error)
        if index in self._open:
            raise BytecodeError(at, f"debug attribute {index} contains itself")
        if len(self._open) == MAX_DEPTH:
            raise BytecodeError(at, TOO_DEEP)
        self._open.add(index)
        try:
            value = self._attributes[index] = self._read(index)
        except BytecodeError as error:
            error.within(f"debug attribute {index}")
            self._errors[index] = (error.offset, error.message)
            raise
        finally:
            self._open.discard(index)
        return value

    def _read(self, index: int) -> Attribute:
        cursor = self.table.item(index - 1)
        at = cursor.pos
        tag = cursor.byte("a debug attribute tag")
        read = _READ.get(tag)
        self._size[index] = Size(1, 1)
        if read is None:
            self.lax(at, f"unknown debug attribute tag {tag}, read as the unknown location")
            return UnknownLoc()
        try:
            value = read(self, cursor, index)
        except VerifyException as error:
            raise BytecodeError(at, str(error)) from None
        size = self._size[index]
        if size.depth > MAX_DEPTH:
            raise BytecodeError(at, TOO_DEEP)
        if size.nodes > MAX_NODES:
            raise BytecodeError(at, f"a debug attribute has more than {MAX_NODES} nodes")
        return value

    def child(
        self, cursor: Cursor, parent: int, kinds: type[AttributeT] | tuple[type[AttributeT], ...]
    ) -> AttributeT:
        """An attribute of one of some kinds that `parent` refers to."""
        at = cursor.pos
        index = cursor.varint("the index of a debug attribute")
        value = UnknownLoc() if index == UNKNOWN else self._get(index, at)
        nodes, depth = self._size.get(index, ONE)
        size = self._size[parent]
        self._size[parent] = Size(size.nodes + nodes, max(size.depth, depth + 1))
        if not isinstance(value, kinds):
            classes = kinds if isinstance(kinds, tuple) else (kinds,)
            expected = " or ".join(kind.name.removeprefix("cuda_tile.") for kind in classes)
            found = value.name.removeprefix("cuda_tile.")
            raise BytecodeError(at, f"expected {expected}, but debug attribute {index} is {found}")
        return value

    def number(self, cursor: Cursor, what: str) -> IntAttr:
        at = cursor.pos
        value = cursor.varint(what)
        if value > MAX_NUMBER:
            self.lax(at, f"{what} of {value} does not fit 32 bits, the higher bits are dropped")
        return IntAttr(value & MAX_NUMBER)

    def text(self, cursor: Cursor) -> StringAttr:
        at = cursor.pos
        return StringAttr(self.strings.get(cursor.varint("a string index"), at))


def _read_unknown(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    return UnknownLoc()


def _read_file(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    return DIFileAttr(reader.text(cursor), reader.text(cursor))


def _read_compile_unit(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    return DICompileUnitAttr(reader.child(cursor, index, DIFileAttr))


SCOPES: tuple[type[DebugInfo], ...] = (DISubprogramAttr, DILexicalBlockAttr)


def _read_lexical_block(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    scope = reader.child(cursor, index, SCOPES)
    file = reader.child(cursor, index, DIFileAttr)
    line, column = reader.number(cursor, "a line"), reader.number(cursor, "a column")
    return DILexicalBlockAttr(scope, file, line, column)


def _read_loc(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    scope = reader.child(cursor, index, SCOPES)
    file = reader.text(cursor)
    line, column = reader.number(cursor, "a line"), reader.number(cursor, "a column")
    return DILocAttr(FileLineColLoc(file, line, column), scope)


def _read_subprogram(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    file = reader.child(cursor, index, DIFileAttr)
    line = reader.number(cursor, "a line")
    name, linkage_name = reader.text(cursor), reader.text(cursor)
    unit = reader.child(cursor, index, DICompileUnitAttr)
    scope_line = reader.number(cursor, "a line")
    flags = 0
    if reader.version >= SUBPROGRAM_FLAGS_SINCE:
        at = cursor.pos
        flags = cursor.varint("the flags of a subprogram")
        if flags > DECLARATION:
            raise BytecodeError(at, f"unknown bits in the flags {flags:#x} of a subprogram")
    return DISubprogramAttr(file, line, name, linkage_name, unit, scope_line, IntAttr(flags))


CALLSITE_PARTS: tuple[type[Attribute], ...] = (DILocAttr, CallSiteLoc, UnknownLoc)


def _read_callsite(reader: DebugReader, cursor: Cursor, index: int) -> Attribute:
    callee = reader.child(cursor, index, CALLSITE_PARTS)
    caller = reader.child(cursor, index, CALLSITE_PARTS)
    return nested_location(CallSiteLoc, callee, caller)


_READ: dict[int, Callable[[DebugReader, Cursor, int], Attribute]] = {
    DebugTag.UNKNOWN: _read_unknown,
    DebugTag.FILE: _read_file,
    DebugTag.COMPILE_UNIT: _read_compile_unit,
    DebugTag.LEXICAL_BLOCK: _read_lexical_block,
    DebugTag.LOC: _read_loc,
    DebugTag.SUBPROGRAM: _read_subprogram,
    DebugTag.CALLSITE: _read_callsite,
}
