"""Header, sections and offset tables: what is read, and what is refused at which offset."""

from collections.abc import Callable

import pytest

from tileir_xdsl.bytecode.container import (
    MAGIC,
    OffsetTable,
    Section,
    header,
    is_bytecode,
    put_offset_table,
    put_section,
    read_header,
    read_section,
)
from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink
from tileir_xdsl.versions import SUPPORTED, V13_3, Version

EMPTY = {
    Section.FUNCTION: b"\x00",
    Section.TYPE: b"\x00\xcb\xcb\xcb",
    Section.STRING: b"\x00\xcb\xcb\xcb",
}


def file_of(
    sections: dict[Section, bytes] | None = None, *, version: Version = V13_3, end: bytes = b"\x00"
) -> bytes:
    out = bytearray(header(version))
    for section, payload in (EMPTY if sections is None else sections).items():
        put_section(out, section, payload)
    return bytes(out + end)


def error_of(data: bytes, *, strict: bool = False) -> str:
    with pytest.raises(DiagnosticError) as caught:
        decode_module(data, "k.tileirbc", strict=strict)
    return str(caught.value)


def replaced(data: bytes, offset: int, new: bytes) -> bytes:
    return data[:offset] + new + data[offset + len(new) :]


@pytest.mark.parametrize("version", SUPPORTED)
def test_header_round_trip(version: Version):
    data = header(version)
    assert len(data) == 12
    assert read_header(Cursor(data, 0, len(data))) == version
    assert is_bytecode(data)


def test_text_is_not_bytecode():
    assert not is_bytecode(b"cuda_tile.module @m {}")
    assert not is_bytecode(MAGIC[:-1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "+0x0: error: expected the magic 7f 54 69 6c 65 49 52 00, but found nothing"),
        (MAGIC[:4], "+0x0: error: expected the magic 7f 54 69 6c 65 49 52 00, but found 7f 54"),
        (b"\x7fELF" + bytes(60), "+0x0: error: expected the magic"),
        (MAGIC, "+0x8: error: expected 4 bytes of the version and the tag, but only 0 are left"),
        (header(V13_3)[:11], "+0x8: error: expected 4 bytes of the version and the tag"),
        (
            MAGIC + b"\x0d\x00\x00\x00",
            "+0x8: error: unsupported version 13.0, expected one of 13.1",
        ),
        (MAGIC + b"\x0d\x06\x00\x00", "+0x8: error: unsupported version 13.6"),
        (MAGIC + b"\xfa\x01\x00\x00", "+0x8: error: unsupported version 250.1"),
        (MAGIC + b"\x0d\x05\x01\x00", "+0xa: error: the file holds preview content"),
        (
            MAGIC + b"\x0d\x03\x01\x00",
            "+0xa: error: expected tag 0 for version 13.3, but found 0x1",
        ),
        (MAGIC + b"\x0d\x05\x00\x80", "+0xa: error: expected tag 0 for version 13.5"),
        (header(V13_3), "+0xc: error: expected a section or the end marker"),
    ],
)
def test_header_errors(data: bytes, message: str):
    assert message in error_of(data)


def test_sections_may_come_in_any_order():
    for order in (reversed(EMPTY), sorted(EMPTY)):
        module = decode_module(file_of({section: EMPTY[section] for section in order}))
        assert len(list(module.walk())) == 2


def test_the_type_section_may_be_missing_when_no_type_is_used():
    decode_module(file_of({s: EMPTY[s] for s in (Section.FUNCTION, Section.STRING)}))


@pytest.mark.parametrize("missing", [Section.FUNCTION, Section.STRING])
def test_required_sections(missing: Section):
    data = file_of({section: payload for section, payload in EMPTY.items() if section != missing})
    assert f"the {missing.title} is missing" in error_of(data)


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (b"", "expected a section or the end marker, but the data ends here"),
        (b"\x80", "the end marker must not state an alignment"),
        (b"\x00\x00", "expected the end of the file, 1 bytes follow"),
        (b"\x08", "unknown section id 8"),
        (b"\xff\x01", "unknown section id 127"),
        (b"\x06", "expected the length of the global section, but the data ends here"),
        (b"\x86\x00", "expected the alignment of the global section, but the data ends here"),
        (b"\x86\x00\x00\x00", "alignment 0 is not a power of two"),
        (b"\x86\x00\x03\x00", "alignment 3 is not a power of two"),
        (b"\x86\x00\x80\x20\x00", "expected padding of the global section"),
        (b"\x06\x07\x00", "the global section claims 7 bytes, but only 1 are left"),
        (b"\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "claims 18446744073709551615 bytes"),
        (b"\x05\x00\x00", "must be aligned to a multiple of 4, but states no alignment"),
        (b"\x84\x00\x04\x00", "must be aligned to a multiple of 8, but states an alignment of 4"),
    ],
)
def test_section_errors(end: bytes, message: str):
    assert message in error_of(file_of(end=end))


def test_larger_alignments_and_any_padding_byte_are_read():
    data = bytearray(header(V13_3))
    for section, payload in EMPTY.items():
        data += bytes((section | 0x80, len(payload), 64))
        data += b"\x11" * (-len(data) % 64) + payload
    decode_module(bytes(data) + b"\x00")


def test_a_repeated_section_counts_last_and_is_a_warning():
    producer = b"\x07\x01\x00\x07\x01\x01"
    strings = bytearray()
    put_offset_table(strings, [b"one", b"two"], 4)
    data = file_of({**EMPTY, Section.STRING: bytes(strings)}, end=producer + b"\x00")
    sink = DiagnosticSink()
    module = decode_module(data, sink=sink)
    assert 'producer = "two"' in str(module)
    (warning,) = sink.diagnostics
    assert warning.message == "the producer section is repeated, the last one counts"
    assert warning.place.byte_offset == data.rindex(b"\x07\x01\x01")
    assert "the producer section is repeated" in error_of(data, strict=True)


def test_section_framing():
    out = bytearray(b"\x00" * 12)
    put_section(out, Section.FUNCTION, b"\x00" * 3)
    assert out[12:] == bytes.fromhex("82 03 08 cb 00 00 00")
    put_section(out, Section.GLOBAL, b"\x00")
    assert out[19:] == bytes.fromhex("06 01 00")
    reading = Cursor(bytes(out), 12, len(out))
    first, second = read_section(reading), read_section(reading)
    assert first is not None
    assert second is not None
    assert (first.section, first.alignment, first.start, first.end) == (Section.FUNCTION, 8, 16, 19)
    assert (second.section, second.alignment, second.start, second.end) == (
        Section.GLOBAL,
        0,
        21,
        22,
    )


def table(data: bytes, width: int = 4) -> OffsetTable:
    return OffsetTable(Cursor(data, 0, len(data)), 0, width, "string")


def contents(table: OffsetTable, index: int) -> bytes:
    item = table.item(index)
    return item.data[item.pos : item.end]


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("items", [[], [b""], [b"a", b"", b"bc"]])
def test_offset_table_round_trip(items: list[bytes], width: int):
    out = bytearray()
    put_offset_table(out, items, width)
    read = table(bytes(out), width)
    assert [contents(read, index) for index in range(read.count)] == items


def offsets(*starts: int, data: bytes = b"abcd") -> bytes:
    raw = b"".join(start.to_bytes(4, "little") for start in starts)
    return bytes([len(starts)]) + b"\xcb" * 3 + raw + data


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: table(b"\x02\xcb\xcb\xcb" + bytes(7)), "2 strings do not fit"),
        (lambda: table(b"\xff\xff\xff\xff\x0f" + bytes(8)), "4294967295 strings do not fit"),
        (lambda: table(b"\x01"), "expected the offsets of 1 strings"),
        (lambda: table(offsets(0, 5)).item(1), "string 1 starts 1 bytes after the section's end"),
        (lambda: table(offsets(2, 1)).item(0), "the offsets of strings 0 and 1 decrease"),
    ],
)
def test_offset_table_errors(read: Callable[[], object], message: str):
    with pytest.raises(BytecodeError, match=message):
        read()


def test_overlapping_items_cannot_stand_for_more_than_the_data():
    overlapping = table(offsets(0, 4, 0, 4, 0))
    assert contents(overlapping, 0) == b"abcd"
    with pytest.raises(BytecodeError, match="string 2 overlaps others"):
        overlapping.item(2)
