"""Floating-point operations of `cuda_tile` on arrays (f16, bf16, f32, f64).

Arrays go in and come out in the storage of their format (`formats`); all operands of an operation
have the same shape. `ftz` is `flush_to_zero`: subnormal inputs, and results subnormal after
rounding, become zeros of their sign.

To nearest even, `addf subf mulf divf sqrt` are the arithmetic of the storage type. NumPy and
`ml_dtypes` compute f16 and bf16 in binary32 and round again, which is innocuous: binary32 has at
least 2p + 2 bits (Figueroa, "When is double rounding innocuous?", 1995), and where a bf16 result is
subnormal, no product or quotient other than a midpoint itself rounds to a midpoint in binary32.

`addf subf mulf divf sqrt fma remf` and the operations that move bits or compare are exact or
correctly rounded. The others are evaluated in binary64 and rounded once (see `ulp.ACCURACY`).
No operation here is undefined for any operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.error_free import (
    exact_fma,
    exact_product,
    exact_quotient,
    exact_sqrt,
    exact_sum,
)
from tileir_xdsl.numerics.formats import F64, FloatFormat, IntegerFormat
from tileir_xdsl.numerics.integer import read_signed
from tileir_xdsl.numerics.rounding import (
    RoundingMode,
    array_function,
    round_pair,
    round_to_format,
    widen,
)

Array = npt.NDArray[Any]

_NEAREST = ("nearest_even", "approx", "full")
"""The modes that answer the correctly rounded value to nearest even; what a device may show under
`approx` and `full` is in `ulp.ulp_bound`."""


def flush(values: Array, fmt: FloatFormat) -> Array:
    """`values` with subnormal numbers replaced by zeros of the same sign."""
    subnormal = np.abs(values) < values.dtype.type(fmt.smallest_normal)
    if not subnormal.any():
        return values
    return np.where(subnormal, np.copysign(values.dtype.type(0), values), values)


def _flushed(operands: tuple[Array, ...], fmt: FloatFormat, ftz: bool) -> tuple[Array, ...]:
    return tuple(flush(x, fmt) for x in operands) if ftz else operands


def _exact_zero_sum(result: Array, first: Array, second: Array, mode: RoundingMode) -> Array:
    """The sign of a sum that is exactly zero: minus when rounding down, unless both terms are +0.

    `result` already has IEEE 754's sign for the other modes.
    """
    if mode != "negative_inf":
        return result
    cancelled = (result == 0) & (first == -second) & (np.signbit(first) | np.signbit(second))
    return np.where(cancelled, -np.abs(result), result)


@array_function
def addf(
    lhs: Array,
    rhs: Array,
    fmt: FloatFormat,
    rounding: RoundingMode = "nearest_even",
    ftz: bool = False,
) -> Array:
    """lhs + rhs, rounded once."""
    lhs, rhs = _flushed((lhs, rhs), fmt, ftz)
    if rounding == "nearest_even":
        total = np.asarray(lhs + rhs)
        return flush(total, fmt) if ftz else total
    first, second = widen(lhs, fmt), widen(rhs, fmt)
    nearest, residual = exact_sum(first, second)
    total = round_pair(
        _exact_zero_sum(np.asarray(nearest), first, second, rounding), residual, fmt, rounding
    )
    return flush(total, fmt) if ftz else total


@array_function
def subf(
    lhs: Array,
    rhs: Array,
    fmt: FloatFormat,
    rounding: RoundingMode = "nearest_even",
    ftz: bool = False,
) -> Array:
    """lhs - rhs, rounded once."""
    if rounding == "nearest_even" and not ftz:
        return lhs - rhs
    return addf(lhs, negf(rhs, fmt), fmt, rounding, ftz)


@array_function
def mulf(
    lhs: Array,
    rhs: Array,
    fmt: FloatFormat,
    rounding: RoundingMode = "nearest_even",
    ftz: bool = False,
) -> Array:
    """lhs * rhs, rounded once."""
    lhs, rhs = _flushed((lhs, rhs), fmt, ftz)
    if rounding == "nearest_even":
        product = np.asarray(lhs * rhs)
        return flush(product, fmt) if ftz else product
    first, second = widen(lhs, fmt), widen(rhs, fmt)
    if fmt is F64:
        product = round_pair(*exact_product(first, second), fmt, rounding)
    else:  # exact: at most 48 bits, far inside the exponent range
        product = round_to_format(first * second, fmt, rounding)
    return flush(product, fmt) if ftz else product


@array_function
def divf(
    lhs: Array,
    rhs: Array,
    fmt: FloatFormat,
    rounding: RoundingMode = "nearest_even",
    ftz: bool = False,
) -> Array:
    """lhs / rhs, rounded once; `approx` and `full` answer as `nearest_even`."""
    lhs, rhs = _flushed((lhs, rhs), fmt, ftz)
    if rounding in _NEAREST:
        quotient = np.asarray(lhs / rhs)
        return flush(quotient, fmt) if ftz else quotient
    first, second = widen(lhs, fmt), widen(rhs, fmt)
    quotient = round_pair(*exact_quotient(first, second), fmt, rounding)
    return flush(quotient, fmt) if ftz else quotient


@array_function
def sqrt(
    source: Array,
    fmt: FloatFormat,
    rounding: RoundingMode = "nearest_even",
    ftz: bool = False,
) -> Array:
    """The square root, rounded once; `approx` answers as `nearest_even`. sqrt(-0) is -0."""
    (source,) = _flushed((source,), fmt, ftz)
    if rounding in _NEAREST:
        return np.sqrt(source)
    return round_pair(*exact_sqrt(widen(source, fmt)), fmt, rounding)


@array_function
def fma(
    lhs: Array,
    rhs: Array,
    acc: Array,
    fmt: FloatFormat,
    rounding: RoundingMode = "nearest_even",
    ftz: bool = False,
) -> Array:
    """lhs * rhs + acc with a single rounding, in every format."""
    lhs, rhs, acc = _flushed((lhs, rhs, acc), fmt, ftz)
    if fmt is F64:
        result = _fma_of_binary64(lhs, rhs, acc, rounding)
    elif rounding == "nearest_even":
        result = _fma_to_nearest(lhs, rhs, acc, fmt)
    else:
        result = _fma_of_narrow(lhs, rhs, acc, fmt, rounding)
    return flush(result, fmt) if ftz else result


def _fma_of_binary64(first: Array, second: Array, third: Array, mode: RoundingMode) -> Array:
    nearest, residual = exact_fma(first, second, third)
    # A product that underflows is not zero: its sum with the addend cannot be an exact zero.
    signed = _exact_zero_sum(np.asarray(nearest), first * second, third, mode)
    nearest = np.where(residual == 0, signed, nearest)
    return round_pair(nearest, residual, F64, mode)


def _fma_of_narrow(
    lhs: Array, rhs: Array, acc: Array, fmt: FloatFormat, mode: RoundingMode
) -> Array:
    product = widen(lhs, fmt) * widen(rhs, fmt)  # exact in binary64
    addend = widen(acc, fmt)
    nearest, residual = exact_sum(product, addend)
    nearest = _exact_zero_sum(np.asarray(nearest), product, addend, mode)
    return round_pair(nearest, residual, fmt, mode)


def _fma_to_nearest(lhs: Array, rhs: Array, acc: Array, fmt: FloatFormat) -> Array:
    """Round the binary64 sum once more where that is innocuous, else from the exact sum.

    The second rounding can only differ from a single one where the binary64 sum sits on a midpoint
    of the format's neighbours, or where the format is subnormal and has other midpoints.
    """
    # In place: at tile sizes the pages of each new binary64 array cost more than the arithmetic.
    total = widen(lhs, fmt)
    total *= widen(rhs, fmt)
    total += widen(acc, fmt)
    result = round_to_format(total, fmt)
    # Shifted to the top of the word, the bits below the format's last place are those of a tie.
    below_last_place = total.view(np.uint64) << np.uint64(12 + fmt.mantissa_bits)
    doubtful = below_last_place == np.uint64(1 << 63)
    doubtful |= np.abs(total, out=total) < fmt.smallest_normal
    lanes = np.flatnonzero(doubtful)
    lanes = lanes[total.reshape(-1)[lanes] != 0]
    if lanes.size:
        a, b, c = (x.reshape(-1)[lanes] for x in (lhs, rhs, acc))
        result.reshape(-1)[lanes] = _fma_of_narrow(a, b, c, fmt, "nearest_even")
    return result


@array_function
def remf(lhs: Array, rhs: Array, fmt: FloatFormat) -> Array:
    """C's fmod: lhs - rhs * trunc(lhs / rhs), exact, with the sign of lhs."""
    if fmt is F64:
        return np.fmod(lhs, rhs)
    return np.fmod(lhs.astype(np.float32), rhs.astype(np.float32)).astype(fmt.dtype)


@array_function
def negf(source: Array, fmt: FloatFormat) -> Array:
    """The sign bit flipped, also of NaN."""
    bits = fmt.to_bits(source)
    return fmt.from_bits(np.asarray(bits ^ bits.dtype.type(fmt.sign_bit)))


@array_function
def absf(source: Array, fmt: FloatFormat) -> Array:
    """The sign bit cleared, also of NaN."""
    bits = fmt.to_bits(source)
    return fmt.from_bits(np.asarray(bits & bits.dtype.type(fmt.sign_bit - 1)))


def _extremum(
    choose: Callable[[Array, Array], Array],
    lhs: Array,
    rhs: Array,
    fmt: FloatFormat,
    propagate_nan: bool,
    ftz: bool,
) -> tuple[Array, Array, Array]:
    """The larger or smaller of two operands, and the operands as binary32 or binary64 bits."""
    lhs, rhs = _flushed((lhs, rhs), fmt, ftz)
    if fmt.width < 32:
        lhs, rhs = lhs.astype(np.float32), rhs.astype(np.float32)
    # np.fmax answers NaN for a signaling one and a number, but only in some positions of an array.
    chosen = choose(lhs, rhs)
    if np.isnan(chosen).any():
        number = lhs + rhs if propagate_nan else np.where(np.isnan(rhs), lhs, rhs)
        chosen = np.where(np.isnan(lhs) | np.isnan(rhs), number, chosen)
    return np.asarray(chosen), np.asarray(lhs), np.asarray(rhs)


@array_function
def maxf(
    lhs: Array, rhs: Array, fmt: FloatFormat, propagate_nan: bool = False, ftz: bool = False
) -> Array:
    """The larger operand; the other one when one is NaN, unless `propagate_nan`.

    max(+0, -0) is +0.
    """
    chosen, lhs, rhs = _extremum(np.maximum, lhs, rhs, fmt, propagate_nan, ftz)
    integer = np.int32 if chosen.dtype == np.float32 else np.int64
    both = np.asarray(lhs.view(integer) & rhs.view(integer)).view(chosen.dtype)
    return np.where(lhs == rhs, both, chosen).astype(fmt.dtype)


@array_function
def minf(
    lhs: Array, rhs: Array, fmt: FloatFormat, propagate_nan: bool = False, ftz: bool = False
) -> Array:
    """The smaller operand; the other one when one is NaN, unless `propagate_nan`.

    min(+0, -0) is -0.
    """
    chosen, lhs, rhs = _extremum(np.minimum, lhs, rhs, fmt, propagate_nan, ftz)
    integer = np.int32 if chosen.dtype == np.float32 else np.int64
    either = np.asarray(lhs.view(integer) | rhs.view(integer)).view(chosen.dtype)
    return np.where(lhs == rhs, either, chosen).astype(fmt.dtype)


def _in_binary32(function: Callable[[Array], Array], source: Array, fmt: FloatFormat) -> Array:
    """Apply a function that is exact in every format (f16 and bf16 through binary32)."""
    if fmt.width >= 32:
        return function(source)
    return function(source.astype(np.float32)).astype(fmt.dtype)


@array_function
def ceil(source: Array, fmt: FloatFormat) -> Array:
    """The smallest integer not below the source; the sign stays (ceil(-0.5) is -0)."""
    return _in_binary32(np.ceil, source, fmt)


@array_function
def floor(source: Array, fmt: FloatFormat) -> Array:
    """The largest integer not above the source."""
    return _in_binary32(np.floor, source, fmt)


def _once_rounded(function: Callable[..., Array], fmt: FloatFormat, *operands: Array) -> Array:
    """Evaluate in binary64 and round the value once to the format."""
    return round_to_format(np.asarray(function(*(widen(x, fmt) for x in operands))), fmt)


@array_function
def exp(source: Array, fmt: FloatFormat, rounding: RoundingMode = "full") -> Array:
    """e to the source; `approx` answers as `full`."""
    return _once_rounded(np.exp, fmt, source)


@array_function
def exp2(source: Array, fmt: FloatFormat, ftz: bool = False) -> Array:
    """2 to the source."""
    (source,) = _flushed((source,), fmt, ftz)
    result = _once_rounded(np.exp2, fmt, source)
    return flush(result, fmt) if ftz else result


@array_function
def log(source: Array, fmt: FloatFormat) -> Array:
    """The natural logarithm: -inf of zeros, NaN of negative numbers."""
    return _once_rounded(np.log, fmt, source)


@array_function
def log2(source: Array, fmt: FloatFormat) -> Array:
    """The logarithm to base 2: -inf of zeros, NaN of negative numbers."""
    return _once_rounded(np.log2, fmt, source)


@array_function
def rsqrt(source: Array, fmt: FloatFormat, ftz: bool = False) -> Array:
    """1 / sqrt(source): an infinity of the same sign for zeros."""
    (source,) = _flushed((source,), fmt, ftz)
    return _once_rounded(_reciprocal_sqrt, fmt, source)


def _reciprocal_sqrt(source: Array) -> Array:
    return 1.0 / np.sqrt(source)


@array_function
def sin(source: Array, fmt: FloatFormat) -> Array:
    """The sine of radians: NaN of infinities."""
    return _once_rounded(np.sin, fmt, source)


@array_function
def cos(source: Array, fmt: FloatFormat) -> Array:
    """The cosine of radians: NaN of infinities."""
    return _once_rounded(np.cos, fmt, source)


@array_function
def tan(source: Array, fmt: FloatFormat) -> Array:
    """The tangent of radians: NaN of infinities."""
    return _once_rounded(np.tan, fmt, source)


@array_function
def sinh(source: Array, fmt: FloatFormat) -> Array:
    """The hyperbolic sine."""
    return _once_rounded(np.sinh, fmt, source)


@array_function
def cosh(source: Array, fmt: FloatFormat) -> Array:
    """The hyperbolic cosine."""
    return _once_rounded(np.cosh, fmt, source)


@array_function
def tanh(source: Array, fmt: FloatFormat, rounding: RoundingMode = "full") -> Array:
    """The hyperbolic tangent; `approx` answers as `full`."""
    return _once_rounded(np.tanh, fmt, source)


@array_function
def atan2(numerator: Array, denominator: Array, fmt: FloatFormat) -> Array:
    """The angle of the point (denominator, numerator), in [-pi, pi]: C's atan2(y, x)."""
    return _once_rounded(np.arctan2, fmt, numerator, denominator)


@array_function
def fpowf(source: Array, exponent: Array, fmt: FloatFormat) -> Array:
    """source to the exponent as C's pow: pow(1, NaN) and pow(NaN, 0) are 1."""
    return _once_rounded(np.power, fmt, source, exponent)


@array_function
def fpowi(source: Array, exponent: Array, fmt: FloatFormat, exponent_fmt: IntegerFormat) -> Array:
    """source to the signed integer exponent, by right-to-left binary exponentiation.

    Powers of |exponent| are multiplied, each product rounded to nearest even, and a negative
    exponent takes the reciprocal at the end. f32 and f64 compute in their own type; f16 and bf16
    compute in f32 and round once at the end, as the code does that NVIDIA's assembler generates
    (tileiras 13.5.37, sm_90).
    """
    power = source if fmt.width >= 32 else source.astype(np.float32)
    signed = read_signed(exponent, exponent_fmt)
    bits = np.abs(signed.astype(np.int64))
    one = power.dtype.type(1)
    result = np.where(bits & 1, power, one)
    bits = bits >> 1
    while bits.any():
        power = power * power
        result = np.where(bits & 1, power * result, result)
        bits = bits >> 1
    return np.where(signed < 0, one / result, result).astype(fmt.dtype)
