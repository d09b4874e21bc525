"""Variable-length numbers: shortest form written, overlong forms read, never past the end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.varint import signed64, unzigzag, varint, zigzag


def cursor(data: bytes) -> Cursor:
    return Cursor(data, 0, len(data))


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, "00"),
        (0x7F, "7f"),
        (0x80, "80 01"),
        (300, "ac 02"),
        ((1 << 64) - 1, "ff ff ff ff ff ff ff ff ff 01"),
    ],
)
def test_shortest_form(value: int, encoded: str):
    assert varint(value) == bytes.fromhex(encoded)
    assert cursor(bytes.fromhex(encoded)).varint() == value


@given(st.integers(0, (1 << 64) - 1))
def test_round_trip(value: int):
    reading = cursor(varint(value) + b"\xff")
    assert reading.varint() == value
    assert reading.remaining == 1


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_zigzag_round_trip(value: int):
    assert unzigzag(zigzag(value)) == value
    assert signed64(value & ((1 << 64) - 1)) == value


@pytest.mark.parametrize(
    ("value", "number"), [(0, 0), (-1, 1), (1, 2), (-(1 << 63), (1 << 64) - 1)]
)
def test_zigzag_of_small_magnitudes_is_small(value: int, number: int):
    assert zigzag(value) == number


def test_ten_bytes_are_read():
    reading = cursor(b"\x85" + b"\x80" * 8 + b"\x00")
    assert reading.varint() == 5
    assert reading.remaining == 0


def test_the_eleventh_byte_is_refused():
    with pytest.raises(BytecodeError, match="more than ten varint bytes") as caught:
        cursor(b"\x80" * 10 + b"\x00").varint()
    assert caught.value.offset == 0


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff\xff"])
def test_a_cut_number_is_refused(data: bytes):
    with pytest.raises(BytecodeError, match="expected a count, but the data ends here"):
        cursor(data).varint("a count")


def test_a_count_beyond_the_data_is_refused_before_anything_is_read():
    reading = cursor(varint(1 << 60) + b"\x00" * 8)
    with pytest.raises(BytecodeError, match="1152921504606846976 strings do not fit"):
        reading.count("strings", 4)


def test_reading_stops_at_the_end_of_the_range_not_of_the_data():
    reading = Cursor(b"\x01\x02\x03", 0, 2)
    assert reading.take(2, "bytes") == b"\x01\x02"
    with pytest.raises(BytecodeError, match="expected a byte") as caught:
        reading.byte()
    assert caught.value.offset == 2
    with pytest.raises(BytecodeError, match="expected 1 bytes of text, but only 0 are left"):
        reading.take(1, "text")


def test_padding_is_skipped_relative_to_the_origin():
    reading = Cursor(bytes(16), 3, 16)
    reading.align(8, 2, "data")
    assert reading.pos == 10
    with pytest.raises(BytecodeError, match="expected data, but the data ends here"):
        reading.align(64, 2, "data")
