"""Float literals as MLIR prints and reads them, on bit patterns.

The printed form has six decimals when that reads back to the same bits, else the shortest-style
form with a capital `E`, else hexadecimal bits. Decimal digits are cut half up, as LLVM's `APFloat`
does. Values stay bit patterns throughout, so NaN payloads survive.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from xdsl.ir import Attribute


class FloatLayout(NamedTuple):
    """Bits of a float format; `special` says what the largest exponent means."""

    width: int
    exponent_bits: int
    mantissa_bits: int
    bias: int
    special: str
    """`ieee`, `fn` (one NaN, no infinity), `finite`, or `exponent` (no mantissa, no zero)."""
    signed: bool = True

    @property
    def precision(self) -> int:
        return self.mantissa_bits + 1


LAYOUTS: dict[str, FloatLayout] = {
    "f16": FloatLayout(16, 5, 10, 15, "ieee"),
    "bf16": FloatLayout(16, 8, 7, 127, "ieee"),
    "f32": FloatLayout(32, 8, 23, 127, "ieee"),
    "f64": FloatLayout(64, 11, 52, 1023, "ieee"),
    "tf32": FloatLayout(19, 8, 10, 127, "ieee"),
    "f8E4M3FN": FloatLayout(8, 4, 3, 7, "fn"),
    "f8E5M2": FloatLayout(8, 5, 2, 15, "ieee"),
    "f8E8M0FNU": FloatLayout(8, 8, 0, 127, "exponent", signed=False),
    "f4E2M1FN": FloatLayout(4, 2, 1, 1, "finite"),
    "fnv8E5M3FNU": FloatLayout(8, 5, 3, 15, "fn", signed=False),
}


def layout_of(type: Attribute) -> FloatLayout:
    return LAYOUTS[type.name]


def is_special(bits: int, layout: FloatLayout) -> bool:
    """Whether the bits are a NaN or an infinity."""
    return is_nan(bits, layout) or is_infinite(bits, layout)


def is_infinite(bits: int, layout: FloatLayout) -> bool:
    if layout.special != "ieee":
        return False
    exponent, mantissa = _fields(bits, layout)
    return exponent == (1 << layout.exponent_bits) - 1 and mantissa == 0


def is_nan(bits: int, layout: FloatLayout) -> bool:
    exponent, mantissa = _fields(bits, layout)
    top = exponent == (1 << layout.exponent_bits) - 1
    if layout.special == "ieee":
        return top and mantissa != 0
    if layout.special == "finite":
        return False
    return top and mantissa == (1 << layout.mantissa_bits) - 1


def _fields(bits: int, layout: FloatLayout) -> tuple[int, int]:
    exponent = (bits >> layout.mantissa_bits) & ((1 << layout.exponent_bits) - 1)
    return exponent, bits & ((1 << layout.mantissa_bits) - 1)


def is_negative(bits: int, layout: FloatLayout) -> bool:
    return layout.signed and bool(bits >> (layout.width - 1))


def exact_value(bits: int, layout: FloatLayout) -> Fraction:
    """The value of finite bits."""
    significand, exponent = _significand(bits, layout)
    value = Fraction(significand) * Fraction(2) ** exponent
    return -value if is_negative(bits, layout) else value


def _significand(bits: int, layout: FloatLayout) -> tuple[int, int]:
    """|value| = significand * 2**exponent."""
    exponent, mantissa = _fields(bits, layout)
    if layout.special == "exponent":
        return 1, exponent - layout.bias
    if exponent == 0:
        return mantissa, 1 - layout.bias - layout.mantissa_bits
    return mantissa | (1 << layout.mantissa_bits), exponent - layout.bias - layout.mantissa_bits


def round_to_bits(value: Fraction, layout: FloatLayout) -> int:
    """The bits nearest to `value`, ties to even; out of range gives infinity or NaN."""
    sign = (1 << (layout.width - 1)) if value < 0 and layout.signed else 0
    magnitude = abs(value)
    if magnitude == 0:
        return sign
    exponent = _floor_log2(magnitude)
    if layout.special == "exponent":
        return _round_to_exponent(magnitude, exponent, layout)
    smallest = 1 - layout.bias
    quantum = max(exponent, smallest) - layout.mantissa_bits
    # Fraction's round() is half to even.
    steps = round(magnitude / Fraction(2) ** quantum)
    if steps >> layout.precision:
        steps >>= 1
        quantum += 1
    biased = quantum + layout.mantissa_bits + layout.bias if steps >> layout.mantissa_bits else 0
    mantissa = steps & ((1 << layout.mantissa_bits) - 1)
    bits = (biased << layout.mantissa_bits) | mantissa
    limit = (1 << layout.exponent_bits) - 1
    if biased > limit or (biased == limit and layout.special == "ieee"):
        bits = limit << layout.mantissa_bits
        if layout.special != "ieee":
            bits |= (1 << layout.mantissa_bits) - 1
    return sign | bits


def _floor_log2(value: Fraction) -> int:
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= value else exponent - 1


def _round_to_exponent(magnitude: Fraction, exponent: int, layout: FloatLayout) -> int:
    power = Fraction(2) ** exponent
    remainder = magnitude / power
    odd = (exponent + layout.bias) & 1
    if remainder > Fraction(3, 2) or (remainder == Fraction(3, 2) and odd):
        exponent += 1
    return min(max(exponent + layout.bias, 0), 255)


@lru_cache(maxsize=1 << 14)
def format_float(bits: int, type_name: str) -> str:
    """The literal that MLIR prints for a bit pattern, e.g. `1.000000e+00` or `0x7FC00000`."""
    layout = LAYOUTS[type_name]
    if is_special(bits, layout):
        return hex_bits(bits, layout)
    negative = "-" if is_negative(bits, layout) else ""
    scientific = negative + _scientific(*_digits(bits, layout, 6))
    if parse_decimal(scientific, layout) == bits:
        return scientific
    precision = 2 + layout.precision * 59 // 196
    general = negative + _general(*_digits(bits, layout, precision), precision)
    if "." in general:
        return general
    return hex_bits(bits, layout)


def hex_bits(bits: int, layout: FloatLayout) -> str:
    digits = (layout.width + 3) // 4
    return f"0x{bits:0{digits}X}"


def _digits(bits: int, layout: FloatLayout, precision: int) -> tuple[str, int]:
    """|value| as int(digits) * 10**exponent with at most `precision` significant digits.

    `APFloat` first drops whole decimal digits from the binary significand, which truncates, and
    then rounds the digits that are left half up; the result differs from one rounding.
    """
    significand, exponent = _significand(bits, layout)
    if significand == 0:
        return "0", 0
    trailing = (significand & -significand).bit_length() - 1
    significand >>= trailing
    exponent += trailing
    if exponent >= 0:
        significand <<= exponent
        exponent = 0
    else:
        significand *= 5**-exponent
    required = (precision * 196 + 58) // 59
    removable = max(0, significand.bit_length() - required) * 59 // 196
    digits, exponent = _strip(str(significand // 10**removable), exponent + removable)
    return _cut(digits, exponent, precision)


def _strip(digits: str, exponent: int) -> tuple[str, int]:
    stripped = digits.rstrip("0")
    return stripped, exponent + len(digits) - len(stripped)


def _cut(digits: str, exponent: int, precision: int) -> tuple[str, int]:
    """At most `precision` significant digits, half up."""
    dropped = len(digits) - precision
    if dropped <= 0:
        return digits, exponent
    kept = int(digits[:precision])
    if digits[precision] >= "5":
        kept += 1
    return _strip(str(kept), exponent + dropped)


def _scientific(digits: str, exponent: int) -> str:
    power = exponent + len(digits) - 1 if digits != "0" else 0
    sign = "-" if power < 0 else "+"
    return f"{digits[0]}.{digits[1:].ljust(6, '0')}e{sign}{abs(power):02d}"


def _general(digits: str, exponent: int, precision: int) -> str:
    """The shortest-style form; a number of up to three padding zeros is not scientific."""
    count = len(digits)
    leading = exponent + count - 1
    if exponent >= 0:
        scientific = exponent > 3 or count + exponent > precision
    else:
        scientific = leading < -3
    if scientific:
        fraction = digits[1:] or "0"
        return f"{digits[0]}.{fraction}E{'-' if leading < 0 else '+'}{abs(leading)}"
    if exponent >= 0:
        return digits + "0" * exponent
    if leading >= 0:
        return f"{digits[: leading + 1]}.{digits[leading + 1 :]}"
    return f"0.{'0' * (-leading - 1)}{digits}"


_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")

MAX_DECIMAL_EXPONENT = 5000
"""Decimal exponents beyond this are zero or infinity in every format."""


@lru_cache(maxsize=1 << 14)
def parse_decimal(text: str, layout: FloatLayout) -> int:
    """The bits nearest to a decimal literal; `ValueError` when it is none."""
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"'{text}' is not a decimal literal")
    mantissa, _, exponent = text.lower().partition("e")
    power = max(-MAX_DECIMAL_EXPONENT, min(MAX_DECIMAL_EXPONENT, int(exponent or 0)))
    value = Fraction(mantissa.rstrip(".")) * Fraction(10) ** power
    bits = round_to_bits(value, layout)
    if value == 0 and text.startswith("-") and layout.signed:
        return 1 << (layout.width - 1)
    return bits
