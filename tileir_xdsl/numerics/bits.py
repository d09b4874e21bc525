"""Bitwise operations of `cuda_tile` and the repacking of tiles to and from bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.formats import I8, IntegerFormat, NumberFormat
from tileir_xdsl.numerics.rounding import array_function

Array = npt.NDArray[Any]


@array_function
def andi(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """Bitwise and."""
    return lhs & rhs


@array_function
def ori(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """Bitwise or."""
    return lhs | rhs


@array_function
def xori(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """Bitwise exclusive or."""
    return lhs ^ rhs


@array_function
def bitcast(source: Array, src: NumberFormat, dst: NumberFormat) -> Array:
    """The same encodings read in another format of equal width (tf32 has 19 bits).

    Raises ValueError when the widths differ.
    """
    if src.width != dst.width:
        raise ValueError(f"bitcast from {src.name} ({src.width} bits) to {dst.name} ({dst.width})")
    return dst.from_bits(src.to_bits(source))


@array_function
def pack(source: Array, src: NumberFormat) -> Array:
    """A rank-1 array of n elements as the i8 array of its n * packed_width bits.

    Element k holds bits k*w to (k+1)*w - 1, least significant first: sub-byte elements fill a byte
    from its low end, wider ones are little-endian. tf32 takes 32 bits, the low 13 zero.
    """
    width = src.packed_width
    if width >= 8:
        bits = source if src.name == "tf32" else src.to_bits(source)
        little = np.ascontiguousarray(bits).view(f"u{width // 8}").astype(f"<u{width // 8}")
        return little.view(np.int8)
    elements = src.to_bits(source)
    columns = (elements[:, None] >> np.arange(width, dtype=np.uint8)) & np.uint8(1)
    return np.packbits(columns.reshape(-1), bitorder="little").view(np.int8)


@array_function
def unpack(source: Array, dst: NumberFormat) -> Array:
    """The inverse of `pack`: a rank-1 i8 array as elements of `dst`.

    For tf32 the low 13 bits of each 32 are dropped, since the format does not have them.
    """
    width = dst.packed_width
    stored = np.ascontiguousarray(I8.to_bits(source))
    if dst.name == "tf32":
        return dst.from_bits(stored.view("<u4") >> np.uint32(13))
    if width >= 8:
        return dst.from_bits(stored.view(f"<u{width // 8}"))
    columns = np.unpackbits(stored, bitorder="little").reshape(-1, width)
    weights = np.left_shift(1, np.arange(width)).astype(np.uint8)
    return dst.from_bits((columns * weights).sum(axis=1, dtype=np.uint8))
