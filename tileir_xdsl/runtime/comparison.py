"""Comparing what a device computed with what was expected, element by element, in ulps.

Works on the bits of elements and with NumPy alone, because harness files carry its source: `f32` is
`("float", 32, 8, 23, "ieee", True)`, a signless 8-bit integer `("int", 8)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[Any]
"""Unsigned integers, one for each element."""

Layout = tuple[Any, ...]
"""`("int", width)` or `("float", width, exponent bits, mantissa bits, specials, signed)`."""

SHOWN = 5
"""Elements that a message lists."""

NAN_DISTANCE = 2**64 - 1
"""The distance of a NaN from a number."""


@dataclass(frozen=True)
class Tolerance:
    """An element may be off by `ulps` units in the last place, or by `atol`.

    Where both are zero the bits have to be equal, but any NaN will do for a NaN.
    """

    ulps: int = 0
    atol: float = 0.0

    def __str__(self) -> str:
        if self.atol:
            return f"{self.ulps} ulps or {self.atol:.3g}"
        return f"{self.ulps} ulps" if self.ulps else "equal"


@dataclass(frozen=True)
class Difference:
    """How an array differs from what was expected."""

    name: str
    total: int
    """Elements of the array."""
    wrong: int
    """Elements that differ by more than is allowed."""
    largest: int
    """The greatest distance in ulps; of integers, the greatest difference."""
    lines: tuple[str, ...]
    """The first wrong elements, and the worst."""

    def __str__(self) -> str:
        head = f"{self.name}: {self.wrong} of {self.total} elements differ"
        return "\n".join([head, *(f"  {line}" for line in self.lines)])


def difference(
    name: str, actual: Bits, expected: Bits, layout: Layout, tolerance: Tolerance
) -> Difference | None:
    """How `actual` differs from `expected`, both bits of elements; None when it does not.

    Raises ValueError when the shapes differ.
    """
    if actual.shape != expected.shape:
        raise ValueError(f"{name}: shape {actual.shape} where {expected.shape} is expected")
    wrong = wrong_elements(actual, expected, layout, tolerance)
    if not wrong.any():
        return None
    distances = distance(actual, expected, layout)
    places = np.argwhere(wrong)
    # NaN where a number belongs is as bad as it gets, and comes first among the worst.
    worst = np.unravel_index(int(np.argmax(np.where(wrong, distances, np.uint64(0)))), wrong.shape)
    lines = [_line(tuple(place), actual, expected, layout, distances) for place in places[:SHOWN]]
    if len(places) > SHOWN:
        lines.append(f"… and {len(places) - SHOWN} more, the worst of all:")
        lines.append(_line(worst, actual, expected, layout, distances))
    largest = int(distances[worst])
    return Difference(name, actual.size, len(places), largest, tuple(lines))


def wrong_elements(
    actual: Bits, expected: Bits, layout: Layout, tolerance: Tolerance
) -> npt.NDArray[np.bool_]:
    """Which elements differ by more than is allowed."""
    right = actual == expected
    if layout[0] == "float":
        a, e = values(actual, layout), values(expected, layout)
        right |= np.isnan(a) & np.isnan(e)
        if tolerance.ulps:
            right |= distance(actual, expected, layout) <= np.uint64(tolerance.ulps)
        if tolerance.atol:
            with np.errstate(invalid="ignore"):
                right |= np.abs(a - e) <= tolerance.atol
    return np.asarray(~right)


def distance(actual: Bits, expected: Bits, layout: Layout) -> npt.NDArray[np.uint64]:
    """Steps between neighbouring values from one element to the other, lane by lane.

    +0 and -0 are the same, the largest finite number and infinity are neighbours, two NaNs are at
    distance 0 and a NaN is at `NAN_DISTANCE` from every number. Integers count around a circle.
    """
    if layout[0] == "int":
        modulus = np.uint64((1 << layout[1]) - 1)
        forward = (actual.astype(np.uint64) - expected.astype(np.uint64)) & modulus
        return np.minimum(forward, (~forward + np.uint64(1)) & modulus)
    first, second = _ordinal(actual, layout), _ordinal(expected, layout)
    steps = np.maximum(first, second) - np.minimum(first, second)
    a, e = np.isnan(values(actual, layout)), np.isnan(values(expected, layout))
    steps = np.where(a != e, np.uint64(NAN_DISTANCE), steps)
    return np.where(a & e, np.uint64(0), steps)


def _ordinal(bits: Bits, layout: Layout) -> npt.NDArray[np.uint64]:
    """Unsigned integers in the order of the values, both zeros at the same one."""
    _, width, _, _, _, signed = layout
    raw = bits.astype(np.uint64)
    middle = np.uint64(1 << 63)
    if not signed:
        return middle + raw
    sign = np.uint64(1 << (width - 1))
    magnitude = raw & ~sign
    return np.where(raw & sign, middle - magnitude, middle + magnitude)


def values(bits: Bits, layout: Layout) -> npt.NDArray[np.float64]:
    """The numbers that bits stand for; those of integers are read as signed.

    `specials` says which encodings are no numbers: `ieee` (as in IEEE 754), `fn` (only all ones is
    NaN, and there is no infinity), `none`.
    """
    if layout[0] == "int":
        width = layout[1]
        raw: Any = bits.astype(np.int64)
        if width == 64:
            return raw.astype(np.float64)
        half = 1 << (width - 1)
        signed_raw: Any = raw - (raw >= half) * (2 * half)
        return signed_raw.astype(np.float64)
    _, width, exponent_bits, mantissa_bits, specials, signed = layout
    if (width, exponent_bits) == (64, 11):
        return bits.astype(np.uint64).view(np.float64)
    raw: Any = bits.astype(np.int64)
    magnitude = raw & ((1 << (width - 1)) - 1) if signed else raw
    exponent: Any = magnitude >> mantissa_bits
    mantissa: Any = magnitude & ((1 << mantissa_bits) - 1)
    top = (1 << exponent_bits) - 1
    bias = top >> 1
    # A format without mantissa (f8E8M0FNU) has no zero and no subnormal numbers.
    normal = (exponent > 0) | (mantissa_bits == 0)
    significand: Any = mantissa + normal * (1 << mantissa_bits)
    power = np.where(normal, exponent, 1) - bias - mantissa_bits
    numbers = np.ldexp(significand.astype(np.float64), power.astype(np.int32))
    if specials == "ieee":
        numbers = np.where(exponent == top, np.where(mantissa, np.nan, np.inf), numbers)
    if specials == "fn":
        largest = (1 << (width - 1)) - 1 if signed else (1 << width) - 1
        numbers = np.where(magnitude == largest, np.nan, numbers)
    negative = (raw >> (width - 1)) & 1 if signed else np.zeros_like(raw)
    return np.where(negative == 1, -numbers, numbers)


def element_bits(data: Bits, layout: Layout, count: int | None = None) -> Bits:
    """The elements in an array of unsigned integers as it lies in memory.

    Those of 4 bits lie two in a byte, the low half first, and then `count` of them are meant;
    those of 19 bits are the upper part of 32.
    """
    if layout[1] == 19:
        return data >> np.uint32(13)
    if layout[1] != 4:
        return data
    halves = np.stack((data & 15, data >> 4), axis=-1).reshape(-1)
    return halves[:count]


def _line(
    place: Any, actual: Bits, expected: Bits, layout: Layout, distances: npt.NDArray[np.uint64]
) -> str:
    index = ", ".join(str(int(i)) for i in place)
    got, wanted = _shown(actual[place], layout), _shown(expected[place], layout)
    steps = int(distances[place])
    if layout[0] == "int":
        return f"[{index}]: {got}, expected {wanted}"
    if steps == NAN_DISTANCE:
        return f"[{index}]: {got}, expected {wanted}: one is no number"
    return f"[{index}]: {got}, expected {wanted}: {steps} ulp{'s' * (steps != 1)}"


def _shown(bits: Any, layout: Layout) -> str:
    one = np.asarray([bits])
    if layout[0] == "int":
        width = layout[1]
        number = int(bits)
        return str(number - (1 << width) if number >> (width - 1) and width > 1 else number)
    digits = {64: 17, 32: 9}.get(layout[1], 6)
    return f"{float(values(one, layout)[0]):.{digits}g} (0x{int(bits):0{-(-layout[1] // 4)}x})"
