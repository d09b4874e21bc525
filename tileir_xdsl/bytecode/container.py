"""The file around the content: header, sections, offset tables.

Source: `bytecode.md` section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.varint import align, put_varint
from tileir_xdsl.versions import LATEST, SUPPORTED, Version

MAGIC = b"\x7fTileIR\x00"
HEADER_SIZE = len(MAGIC) + 4
PREVIEW_TAG = 1
"""Bit of the header's tag: the file holds content of a developer preview."""

FILL = 0xCB
"""The byte that pads; readers do not look at it."""

ALIGNED = 0x80
"""Bit of a section's id byte: an alignment and padding follow the length."""


class Section(IntEnum):
    END = 0
    STRING = 1
    FUNCTION = 2
    DEBUG = 3
    CONSTANT = 4
    TYPE = 5
    GLOBAL = 6
    PRODUCER = 7

    @property
    def title(self) -> str:
        return f"{self.name.lower()} section"


ALIGNMENT: dict[Section, int] = {
    Section.STRING: 4,
    Section.FUNCTION: 8,
    Section.DEBUG: 8,
    Section.CONSTANT: 8,
    Section.TYPE: 4,
}
"""The alignment that readers insist on, for the sections that have one."""

REQUIRED = (Section.STRING, Section.FUNCTION)

OFFSET_WIDTH: dict[Section, int] = {
    Section.STRING: 4,
    Section.TYPE: 4,
    Section.DEBUG: 4,
    Section.CONSTANT: 8,
}
"""Bytes of one offset in a section's offset table."""


class SectionRange(NamedTuple):
    """Where a section lies in the file."""

    section: Section
    header: int
    """Offset of the id byte."""
    alignment: int
    """0 when the section states none."""
    start: int
    """Offset of the payload."""
    end: int


def is_bytecode(data: bytes) -> bool:
    """Whether `data` starts as Tile IR bytecode does."""
    return data.startswith(MAGIC)


def header(version: Version) -> bytes:
    return MAGIC + bytes((version.major, version.minor, 0, 0))


def read_header(cursor: Cursor) -> Version:
    """The version that the header states."""
    magic = cursor.data[cursor.pos : cursor.pos + len(MAGIC)]
    if magic != MAGIC:
        raise BytecodeError(
            cursor.pos, f"expected the magic {MAGIC.hex(' ')}, but found {_hex(magic)}"
        )
    start = cursor.pos + len(MAGIC)
    fields = Cursor(cursor.data, start, cursor.end).take(4, "the version and the tag")
    version = Version(fields[0], fields[1])
    if version not in SUPPORTED:
        known = ", ".join(map(str, SUPPORTED))
        raise BytecodeError(start, f"unsupported version {version}, expected one of {known}")
    tag = int.from_bytes(fields[2:], "little")
    if tag == PREVIEW_TAG and version == LATEST:
        raise BytecodeError(start + 2, "the file holds preview content, which is not supported")
    if tag:
        raise BytecodeError(start + 2, f"expected tag 0 for version {version}, but found {tag:#x}")
    cursor.pos = start + 4
    return version


def _hex(data: bytes) -> str:
    return data.hex(" ") or "nothing"


def read_section(cursor: Cursor) -> SectionRange | None:
    """The next section, its payload skipped; None for the end marker."""
    start = cursor.pos
    id_byte = cursor.byte("a section or the end marker")
    number, aligned = id_byte & ~ALIGNED, bool(id_byte & ALIGNED)
    if number > max(Section):
        raise BytecodeError(start, f"unknown section id {number}")
    section = Section(number)
    if section is Section.END:
        if aligned:
            raise BytecodeError(start, "the end marker must not state an alignment")
        return None
    length_at = cursor.pos
    length = cursor.varint(f"the length of the {section.title}")
    alignment = _read_alignment(cursor, section) if aligned else 0
    required = ALIGNMENT.get(section, 1)
    if required > 1 and (not alignment or alignment % required):
        raise BytecodeError(
            start,
            f"the {section.title} must be aligned to a multiple of {required}, "
            f"but states {f'an alignment of {alignment}' if alignment else 'no alignment'}",
        )
    if alignment:
        cursor.align(alignment, 0, f"padding of the {section.title}")
    if length > cursor.remaining:
        raise BytecodeError(
            length_at,
            f"the {section.title} claims {length} bytes, but only {cursor.remaining} are left",
        )
    payload = cursor.pos
    cursor.pos += length
    return SectionRange(section, start, alignment, payload, payload + length)


def _read_alignment(cursor: Cursor, section: Section) -> int:
    at = cursor.pos
    alignment = cursor.varint(f"the alignment of the {section.title}")
    if not alignment or alignment & (alignment - 1):
        raise BytecodeError(at, f"alignment {alignment} is not a power of two")
    return alignment


def put_section(out: bytearray, section: Section, payload: bytes) -> None:
    """Append a section as NVIDIA's writers frame it."""
    alignment = ALIGNMENT.get(section)
    if alignment is None:
        out.append(section)
        put_varint(out, len(payload))
        out += payload
        return
    out.append(section | ALIGNED)
    put_varint(out, len(payload))
    put_varint(out, alignment)
    align(out, alignment, FILL)
    out += payload


def put_offset_table(out: bytearray, items: Sequence[bytes], width: int) -> None:
    """Append the number of items, the offset of each, and their data."""
    put_varint(out, len(items))
    align(out, width, FILL)
    offset = 0
    for item in items:
        out += offset.to_bytes(width, "little")
        offset += len(item)
    for item in items:
        out += item


class OffsetTable:
    """The items of an offset table, found by index. Nothing is decoded before it is asked for."""

    def __init__(self, cursor: Cursor, origin: int, width: int, what: str):
        """Read the table at `cursor`; padding is relative to `origin`, the payload's start."""
        self.data = cursor.data
        self.what = what
        self.end = cursor.end
        at = cursor.pos
        count = cursor.varint(f"the number of {what}s")
        cursor.align(width, origin, f"the offsets of {count} {what}s") if count else None
        if count * width > cursor.remaining:
            raise BytecodeError(
                at,
                f"{count} {what}s do not fit: their offsets need {count * width} bytes, "
                f"but only {cursor.remaining} are left",
            )
        self.count = count
        self.width = width
        self.offsets = cursor.pos
        self.first = cursor.pos + count * width
        self._budget = self.end - self.first

    def start(self, index: int) -> int:
        """The offset in the file of an item."""
        at = self.offsets + index * self.width
        offset = int.from_bytes(self.data[at : at + self.width], "little")
        start = self.first + offset
        if start > self.end:
            raise BytecodeError(
                at, f"{self.what} {index} starts {start - self.end} bytes after the section's end"
            )
        return start

    def item(self, index: int) -> Cursor:
        """The bytes of an item. Each must be asked for once at most."""
        start = self.start(index)
        end = self.end if index + 1 == self.count else self.start(index + 1)
        if end < start:
            raise BytecodeError(
                self.offsets + index * self.width,
                f"the offsets of {self.what}s {index} and {index + 1} decrease",
            )
        # Items that overlap would make a small file stand for much content.
        self._budget -= end - start
        if self._budget < 0:
            raise BytecodeError(
                self.offsets + index * self.width, f"{self.what} {index} overlaps others"
            )
        return Cursor(self.data, start, end)
