"""Exact, correctly rounded conversion of a value to any format, in every rounding mode.

The carrier of an exact result is a pair of binary64 arrays `(nearest, residual)`: the value rounded
to nearest even, and a number with the sign of what that rounding lost (0 where nothing was lost, or
NaN where the value is not a finite number).
From such a pair every format's result in every mode follows with one rounding:

* to `f64`, a directed mode moves `nearest` by one place when the residual points that way;
* to a narrower format, the pair is first *rounded to odd* in binary64. Rounding that to a precision
  of at most 51 bits, in any mode, equals rounding the exact value (Boldo and Melquiond, "Emulation
  of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, Literal, ParamSpec

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.formats import F64, FloatFormat

Array = npt.NDArray[Any]
P = ParamSpec("P")

RoundingMode = Literal[
    "nearest_even",
    "zero",
    "negative_inf",
    "positive_inf",
    "nearest_away",
    "nearest_int_to_zero",
    "approx",
    "full",
]


def array_function(function: Callable[P, Any]) -> Callable[P, Array]:
    """Silence NumPy's floating-point warnings in `function` and make its result an array.

    NumPy turns results of rank 0 into scalars, which have other promotion rules and no item
    assignment; tiles of rank 0 stay arrays.
    """

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(function(*args, **kwargs))

    return wrapper


@lru_cache(maxsize=1)
def _fnv8_values() -> Array:
    """The 256 values of fnv8E5M3FNU: bias 15, 3 mantissa bits, subnormals, 0xff is NaN."""
    codes = np.arange(256)
    exponent, mantissa = codes >> 3, codes & 7
    significand = np.where(exponent > 0, 8 + mantissa, mantissa)
    values = np.ldexp(significand.astype(np.float64), np.maximum(exponent, 1) - 15 - 3)
    values[255] = np.nan
    values.flags.writeable = False
    return values


@array_function
def widen(values: Array, fmt: FloatFormat) -> Array:
    """The values of an array in `fmt` as binary64, exactly."""
    if fmt.name == "fnv8E5M3FNU":
        return _fnv8_values()[values]
    return np.asarray(values).astype(np.float64)


def to_odd(nearest: Array, residual: Array) -> Array:
    """Round to odd: of the two neighbours of an inexact value, the one with an odd significand.

    `nearest` is binary64 or binary32.
    """
    nearest = np.asarray(nearest)
    integer = np.int64 if nearest.dtype == np.float64 else np.int32
    bits = nearest.view(integer)
    moves = ((residual < 0) | (residual > 0)) & ((bits & 1) == 0)
    away = np.signbit(nearest) == (residual < 0)
    step = np.where(away, integer(1), integer(-1)) * moves
    return np.asarray(bits + step).view(nearest.dtype)


def _directed(nearest: Array, residual: Array, mode: RoundingMode) -> Array:
    """Move values rounded to nearest (NumPy floats) to where the directed `mode` puts them."""
    if mode == "zero":
        overshot = np.where(np.signbit(nearest), residual > 0, residual < 0)
        return np.where(overshot, np.nextafter(nearest, nearest.dtype.type(0)), nearest)
    limit = nearest.dtype.type(-np.inf if mode == "negative_inf" else np.inf)
    moves = residual < 0 if mode == "negative_inf" else residual > 0
    return np.where(moves, np.nextafter(nearest, limit), nearest)


def _away_from_zero_on_ties(scaled: Array) -> Array:
    truncated = np.trunc(scaled)
    return truncated + np.copysign(np.abs(scaled - truncated) >= 0.5, scaled)


_ROUND_TO_INTEGER: dict[str, Callable[[Array], Array]] = {
    "nearest_even": np.rint,
    "zero": np.trunc,
    "negative_inf": np.floor,
    "positive_inf": np.ceil,
    "nearest_away": _away_from_zero_on_ties,
}


def _limit(rounded: Array, source: Array, fmt: FloatFormat, mode: str, saturate: bool) -> Array:
    """Bring values rounded with an unbounded exponent into the range of `fmt`.

    `source` is what was rounded: an infinity stays one where the format has it.
    """
    largest = fmt.max_finite
    beyond = np.abs(rounded) > largest
    if saturate:
        return np.where(beyond, np.copysign(largest, rounded), rounded)
    to_largest = np.zeros_like(beyond)
    if mode == "zero":
        to_largest = np.isfinite(source)
    if mode == "negative_inf":
        to_largest = np.isfinite(source) & (rounded > 0)
    if mode == "positive_inf":
        to_largest = np.isfinite(source) & (rounded < 0)
    overflowed = np.copysign(np.inf if fmt.has_inf else np.nan, rounded)
    return np.where(
        beyond, np.where(to_largest, np.copysign(largest, rounded), overflowed), rounded
    )


def _store(values: Array, fmt: FloatFormat) -> Array:
    """Binary64 values that `fmt` can represent (or NaN), in its storage."""
    if not fmt.has_nan:
        values = np.where(np.isnan(values), fmt.max_finite, values)
    if fmt.name == "fnv8E5M3FNU":
        codes = np.searchsorted(_fnv8_values()[:255], values)
        return np.where(np.isnan(values), 0xFF, codes).astype(np.uint8)
    return values.astype(fmt.dtype)


def _round_by_scaling(values: Array, fmt: FloatFormat, mode: RoundingMode, saturate: bool) -> Array:
    """Scale by a power of two so that the format's last place is 1, round to an integer, undo."""
    if not fmt.has_sign:
        values = np.abs(values)
    exponent = np.frexp(values)[1] - 1
    last_place = np.maximum(exponent, fmt.min_exponent) - fmt.mantissa_bits
    scaled = np.ldexp(values, -last_place)
    rounded = np.ldexp(_ROUND_TO_INTEGER[mode](scaled), last_place)
    rounded = _limit(rounded, values, fmt, mode, saturate)
    if not fmt.has_zero:
        rounded = np.where(rounded == 0, fmt.smallest_positive, rounded)
    return _store(rounded, fmt)


@array_function
def round_to_format(
    values: Array,
    fmt: FloatFormat,
    mode: RoundingMode = "nearest_even",
    *,
    saturate: bool | None = None,
) -> Array:
    """Round binary64 values to `fmt` once; the result is in the format's storage.

    Overflow gives infinity or the largest finite number as IEEE 754 says for the mode. With
    `saturate` (the default for f8 and f4 formats, as on the device) finite values beyond the range
    and infinities give plus or minus `max_finite`. NaN stays NaN; in f4E2M1FN, which has none, it
    becomes `max_finite`. An unsigned format takes the absolute value, and f8E8M0FNU raises what
    rounds below its smallest number to that number (both as CUDA's conversions do).
    """
    saturate = fmt.saturates if saturate is None else saturate
    values = np.asarray(values, dtype=np.float64)
    if fmt is F64:
        return values
    if saturate or fmt.name not in ("f32", "f16", "bf16"):
        return _round_by_scaling(values, fmt, mode, saturate)
    if fmt.name == "bf16" and mode == "nearest_even":
        single = values.astype(np.float32)
        return to_odd(single, values - single).astype(fmt.dtype)
    if fmt.name == "bf16" or mode == "nearest_away":
        return _round_by_scaling(values, fmt, mode, saturate)
    nearest = np.asarray(values.astype(fmt.dtype))
    if mode == "nearest_even":
        return nearest
    return _directed(nearest, values - nearest, mode)


@array_function
def round_pair(
    nearest: Array, residual: Array, fmt: FloatFormat, mode: RoundingMode = "nearest_even"
) -> Array:
    """Round the exact value that a pair stands for (see the module) to `fmt`, once.

    Raises ValueError for `nearest_away` to f64, which a pair does not determine.
    """
    nearest = np.asarray(nearest, dtype=np.float64)
    if fmt is not F64:
        return round_to_format(to_odd(nearest, residual), fmt, mode)
    if mode == "nearest_away":
        raise ValueError("rounding to f64 with ties away from zero is not supported")
    if mode == "nearest_even":
        return nearest
    return _directed(nearest, residual, mode)


def nearest_float(value: Fraction) -> float:
    """The binary64 nearest to `value`, ties to even; infinite beyond the range."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def residual_sign(value: Fraction, nearest: float) -> float:
    """The sign of `value - nearest`: -1, 0 or 1; an infinite `nearest` lies beyond `value`."""
    if nearest in (float("inf"), float("-inf")):
        return -1.0 if nearest > 0 else 1.0
    difference = value - Fraction(nearest)
    return float((difference > 0) - (difference < 0))


def round_fraction(value: Fraction, fmt: FloatFormat, mode: RoundingMode = "nearest_even") -> Array:
    """Round one exact rational to `fmt`: an array of rank 0 in the format's storage."""
    nearest = nearest_float(value)
    residual = np.asarray(residual_sign(value, nearest))
    return round_pair(np.asarray(nearest), residual, fmt, mode)
