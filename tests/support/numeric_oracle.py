"""Number formats and roundings by exact rational arithmetic, as an oracle for the numerics tests.

Nothing here uses the package under test: encodings are decoded field by field from the table below,
and rounding is exact arithmetic on `Fraction`. Values are Python floats, which every format's
values are.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")
DIRECTED = ("zero", "negative_inf", "positive_inf")


@dataclass(frozen=True)
class Layout:
    """`special`: "ieee" (all-ones exponent: inf and NaN), "fn" (all ones: NaN), "none"."""

    sign: int
    exponent: int
    mantissa: int
    bias: int
    special: str

    @property
    def width(self) -> int:
        return self.sign + self.exponent + self.mantissa


LAYOUTS = {
    "f16": Layout(1, 5, 10, 15, "ieee"),
    "bf16": Layout(1, 8, 7, 127, "ieee"),
    "f32": Layout(1, 8, 23, 127, "ieee"),
    "tf32": Layout(1, 8, 10, 127, "ieee"),
    "f64": Layout(1, 11, 52, 1023, "ieee"),
    "f8E4M3FN": Layout(1, 4, 3, 7, "fn"),
    "f8E5M2": Layout(1, 5, 2, 15, "ieee"),
    "f8E8M0FNU": Layout(0, 8, 0, 127, "fn"),
    "f4E2M1FN": Layout(1, 2, 1, 1, "none"),
    "fnv8E5M3FNU": Layout(0, 5, 3, 15, "fn"),
}
SATURATING = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU")


def decode(name: str, bits: int) -> float:
    """The value of an encoding."""
    layout = LAYOUTS[name]
    mantissa = bits & ((1 << layout.mantissa) - 1)
    exponent = (bits >> layout.mantissa) & ((1 << layout.exponent) - 1)
    sign = -1.0 if layout.sign and bits >> (layout.width - 1) else 1.0
    last_exponent = (1 << layout.exponent) - 1
    last_mantissa = (1 << layout.mantissa) - 1
    if exponent == last_exponent and layout.special == "ieee":
        return math.copysign(math.inf, sign) if mantissa == 0 else math.nan
    if exponent == last_exponent and mantissa == last_mantissa and layout.special == "fn":
        return math.nan
    if exponent == 0 and layout.mantissa > 0:
        return sign * math.ldexp(mantissa, 1 - layout.bias - layout.mantissa)
    significand = (1 << layout.mantissa) + mantissa
    return sign * math.ldexp(significand, exponent - layout.bias - layout.mantissa)


@cache
def finite_magnitudes(name: str) -> list[float]:
    """All distinct finite magnitudes of a format of at most 19 bits, ascending."""
    values = (decode(name, bits) for bits in range(1 << LAYOUTS[name].width))
    return sorted({abs(value) for value in values if math.isfinite(value)})


def largest_code(name: str) -> int:
    """The encoding of the largest finite number."""
    layout = LAYOUTS[name]
    all_ones = (1 << (layout.exponent + layout.mantissa)) - 1
    if layout.special == "ieee":
        return all_ones - (1 << layout.mantissa)
    return all_ones - 1 if layout.special == "fn" else all_ones


def largest(name: str) -> float:
    return decode(name, largest_code(name))


def _round_up(twice_fraction: Fraction, odd: bool, negative: bool, mode: str) -> bool:
    """Whether the magnitude goes to the upper neighbour; `twice_fraction` in (0, 2)."""
    if mode == "zero":
        return False
    if mode == "negative_inf":
        return negative
    if mode == "positive_inf":
        return not negative
    if twice_fraction == 1:
        return odd or mode == "nearest_away"
    return twice_fraction > 1


def round_exact(
    value: Fraction, name: str, mode: str = "nearest_even", negative_zero: bool = False
) -> float:
    """Round a rational to the format; `negative_zero` is the sign of a zero `value`."""
    layout = LAYOUTS[name]
    negative = value < 0 or (value == 0 and negative_zero)
    if layout.sign == 0:
        negative = False
    sign = -1.0 if negative else 1.0
    magnitude = abs(value)
    top = Fraction(largest(name))
    lowest = -layout.bias if layout.mantissa == 0 else 1 - layout.bias
    exponent = lowest
    if magnitude:
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if magnitude < Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent, lowest)
    quantum = Fraction(2) ** (exponent - layout.mantissa)
    steps = magnitude / quantum
    whole = steps.numerator // steps.denominator
    rest = steps - whole
    if rest and _round_up(2 * rest, bool(whole & 1), negative, mode):
        whole += 1
    rounded = whole * quantum
    if rounded == 0 and layout.mantissa == 0:
        rounded = Fraction(2) ** lowest
    if rounded <= top:
        return math.copysign(float(rounded), sign)
    if name in SATURATING or not _round_up(Fraction(3, 2), False, negative, mode):
        return sign * float(top)
    return sign * math.inf


def round_by_search(value: Fraction, name: str) -> float:
    """Round to nearest even by searching the sorted table of a narrow format's values."""
    table = finite_magnitudes(name)
    magnitude = abs(value)
    sign = -1.0 if value < 0 and LAYOUTS[name].sign else 1.0
    index = bisect_left(table, magnitude)
    if index == 0:
        return sign * table[0]
    if index == len(table):
        half_step = (Fraction(table[-1]) - Fraction(table[-2])) / 2
        stays = name in SATURATING or magnitude < table[-1] + half_step
        return sign * (table[-1] if stays else math.inf)
    below, above = Fraction(table[index - 1]), Fraction(table[index])
    if above - magnitude != magnitude - below:
        return sign * float(above if above - magnitude < magnitude - below else below)
    # The table starts at an even significand, and neighbours alternate.
    return sign * table[index if index % 2 == 0 else index - 1]


def convert(value: float, name: str, mode: str = "nearest_even") -> float:
    """Convert a float, special values included, as `cuda_tile.ftof` does."""
    if math.isnan(value):
        return largest(name) if LAYOUTS[name].special == "none" else math.nan
    if math.isinf(value):
        sign = math.copysign(1.0, value) if LAYOUTS[name].sign else 1.0
        return sign * (largest(name) if name in SATURATING else math.inf)
    return round_exact(Fraction(value), name, mode, math.copysign(1.0, value) < 0)


def same(actual: float, expected: float) -> bool:
    """Equal values with equal signs of zero, or two NaNs."""
    if math.isnan(actual) or math.isnan(expected):
        return math.isnan(actual) and math.isnan(expected)
    return actual == expected and math.copysign(1.0, actual) == math.copysign(1.0, expected)


def special_bits(name: str) -> list[int]:
    """Encodings worth trying in every operation: zeros, extremes, subnormals, NaN, a few plain."""
    layout = LAYOUTS[name]
    mantissa, top = layout.mantissa, 1 << (layout.exponent + layout.mantissa)
    one = layout.bias << mantissa
    infinity = ((1 << layout.exponent) - 1) << mantissa
    plain = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1]
    plain += [one - 1, one, one + 1, one + (1 << mantissa - 1), one + (2 << mantissa), one + 5]
    plain += [infinity - 1, infinity - 2, infinity, infinity + 1, infinity + (1 << mantissa - 1)]
    return plain + [top + bits for bits in plain]
