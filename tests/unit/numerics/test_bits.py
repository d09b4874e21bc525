"""Bitwise operations, bitcast, and packing against arithmetic on one big integer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tileir_xdsl.numerics import bits
from tileir_xdsl.numerics.formats import FORMATS, INTEGER_FORMATS

PACKED_WIDTH = {
    **{name: fmt.width for name, fmt in FORMATS.items()},
    "tf32": 32,
}


def random_codes(name: str, count: int) -> list[int]:
    rng = np.random.default_rng(len(name))
    words = rng.integers(0, 1 << 32, (count, 2)).tolist()
    return [((high << 32) | low) & ((1 << FORMATS[name].width) - 1) for high, low in words]


@pytest.mark.parametrize("name", list(INTEGER_FORMATS))
def test_bitwise(name: str) -> None:
    fmt = INTEGER_FORMATS[name]
    codes = random_codes(name, 200)
    a, b = codes[:100], codes[100:]
    lhs, rhs = (fmt.from_bits(np.array(c, dtype=np.uint64)) for c in (a, b))
    table: dict[str, Callable[[int, int], int]] = {
        "andi": lambda x, y: x & y,
        "ori": lambda x, y: x | y,
        "xori": lambda x, y: x ^ y,
    }
    for operation, exactly in table.items():
        result = getattr(bits, operation)(lhs, rhs, fmt)
        assert result.dtype == fmt.dtype
        expected = [exactly(x, y) for x, y in zip(a, b, strict=True)]
        assert fmt.to_bits(result).tolist() == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [(a, b) for a in FORMATS for b in FORMATS if FORMATS[a].width == FORMATS[b].width],
)
def test_bitcast_keeps_the_encoding(source: str, target: str) -> None:
    src, dst = FORMATS[source], FORMATS[target]
    codes = sorted({*random_codes(source, 64), 0, (1 << src.width) - 1})
    result = bits.bitcast(src.from_bits(np.array(codes, dtype=np.uint64)), src, dst)
    assert result.dtype == dst.dtype
    assert dst.to_bits(result).tolist() == codes


def test_bitcast_refuses_other_widths() -> None:
    with pytest.raises(ValueError, match=r"bitcast from f32 \(32 bits\) to i16"):
        bits.bitcast(np.zeros(2, dtype=np.float32), FORMATS["f32"], FORMATS["i16"])


@pytest.mark.parametrize("name", [name for name in FORMATS if PACKED_WIDTH[name] != 8])
def test_pack_and_unpack(name: str) -> None:
    fmt, width = FORMATS[name], PACKED_WIDTH[name]
    codes = random_codes(name, 64)
    tile = fmt.from_bits(np.array(codes, dtype=np.uint64))
    # tf32 sits in the upper 19 bits of its 32.
    shift = width - fmt.width
    stream = sum((code << shift) << (width * place) for place, code in enumerate(codes))
    packed = bits.pack(tile, fmt)
    assert packed.dtype == np.int8
    assert packed.tobytes() == stream.to_bytes(64 * width // 8, "little")
    unpacked = bits.unpack(packed, fmt)
    assert unpacked.dtype == fmt.dtype
    assert fmt.to_bits(unpacked).tolist() == codes


def test_nibbles_fill_a_byte_from_its_low_end() -> None:
    packed = bits.pack(np.array([1, -2], dtype=np.int8), FORMATS["i4"])
    assert packed.view(np.uint8).tolist() == [0xE1]
    flags = bits.pack(np.array([True] + [False] * 6 + [True]), FORMATS["i1"])
    assert flags.view(np.uint8).tolist() == [0x81]


def test_unpack_of_a_strided_view() -> None:
    source = np.arange(16, dtype=np.int8)[::2]
    assert bits.unpack(source, FORMATS["i16"]).tolist() == [0x0200, 0x0604, 0x0A08, 0x0E0C]
