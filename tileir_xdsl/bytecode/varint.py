"""Variable-length integers (LEB128) and little-endian fields. Source: `bytecode.md` section 1."""

from __future__ import annotations

MASK64 = (1 << 64) - 1


def put_varint(out: bytearray, value: int) -> None:
    """Append the shortest unsigned LEB128 form of `value`, which must not be negative."""
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def varint(value: int) -> bytes:
    """The shortest unsigned LEB128 form of `value`, which must not be negative."""
    out = bytearray()
    put_varint(out, value)
    return bytes(out)


def zigzag(value: int) -> int:
    """The unsigned number that stands for a signed 64-bit value, small for small magnitudes."""
    return ((value << 1) ^ (value >> 63)) & MASK64


def unzigzag(value: int) -> int:
    """The signed 64-bit value that `value` stands for."""
    return (value >> 1) ^ -(value & 1)


def signed64(value: int) -> int:
    """The low 64 bits of `value` as a two's complement number."""
    value &= MASK64
    return value - (1 << 64) if value >> 63 else value


def fits_signed(value: int, width: int) -> bool:
    """Whether `value` is a two's complement number of `width` bits."""
    return -(1 << (width - 1)) <= value < 1 << (width - 1)


def align(out: bytearray, alignment: int, fill: int) -> None:
    """Append `fill` until the length of `out` is a multiple of `alignment`."""
    out.extend(bytes([fill]) * (-len(out) % alignment))
