"""Conversions between formats: exti, trunci, ftof, ftoi, itof on arrays (bitcast is in `bits`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.formats import BF16, F32, F64, FloatFormat, IntegerFormat
from tileir_xdsl.numerics.integer import (
    Overflow,
    read,
    read_signed,
    read_unsigned,
    wrap,
)
from tileir_xdsl.numerics.rounding import RoundingMode, array_function, round_to_format, widen

Array = npt.NDArray[Any]


@array_function
def exti(source: Array, src: IntegerFormat, dst: IntegerFormat, signed: bool) -> Array:
    """Sign-extend or zero-extend to a wider format."""
    return wrap(read(source, src, signed), dst)


@array_function
def trunci(source: Array, src: IntegerFormat, dst: IntegerFormat) -> Array:
    """Keep the low bits."""
    return wrap(read_signed(source, src), dst)


@array_function
def trunci_undefined(
    source: Array, src: IntegerFormat, dst: IntegerFormat, overflow: Overflow
) -> Array:
    """The lanes whose value changes although `overflow` promises that it does not."""
    kept = trunci(source, src, dst)
    undefined = np.zeros(np.shape(source), dtype=np.bool_)
    if overflow in ("no_signed_wrap", "no_wrap"):
        undefined |= read_signed(kept, dst) != read_signed(source, src)
    if overflow in ("no_unsigned_wrap", "no_wrap"):
        undefined |= read_unsigned(kept, dst) != read_unsigned(source, src)
    return undefined


@array_function
def ftof(
    source: Array,
    src: FloatFormat,
    dst: FloatFormat,
    rounding: RoundingMode = "nearest_even",
) -> Array:
    """Convert between float formats with one rounding; see `rounding.round_to_format`.

    Conversions to f8 and f4 formats saturate: what lies beyond the range, infinities included,
    becomes plus or minus the largest finite number.
    """
    if src is F32 and dst is BF16 and rounding == "nearest_even":
        return source.astype(dst.dtype)
    if dst is F32 and src.width <= 19 and src.name != "f8E8M0FNU":
        # An exact widening; f8E8M0FNU's 2**-127 is a subnormal f32, but exact as well.
        return widen(source, src).astype(np.float32)
    return round_to_format(widen(source, src), dst, rounding)


@array_function
def itof(source: Array, src: IntegerFormat, dst: FloatFormat, signed: bool) -> Array:
    """Convert integers with one rounding to nearest even (i64 to f16 included)."""
    values = read(source, src, signed)
    if src.width < 64 or dst is F64:
        return round_to_format(values.astype(np.float64), dst)
    if dst is F32:
        return values.astype(np.float32)
    # Beyond 2**53 drop 11 bits into a sticky bit: that is rounding to odd, to at least 42 bits.
    low = values.dtype.type(2**11 - 1)
    odd = (values >> values.dtype.type(11)) | ((values & low) != 0)
    exact = (values >= 0) & (values <= 2**53)
    if signed:
        exact |= (values < 0) & (values >= -(2**53))
    wide = np.where(exact, values.astype(np.float64), np.ldexp(odd.astype(np.float64), 11))
    return round_to_format(wide, dst)


@array_function
def ftoi(
    source: Array, src: FloatFormat, dst: IntegerFormat, signed: bool, saturating: bool = False
) -> Array:
    """Convert to integers, rounding toward zero.

    With `saturating`, numbers out of range give the nearest limit and NaN gives 0. Without, those
    lanes are undefined (`ftoi_undefined`); they hold the same values.
    """
    truncated = np.trunc(widen(source, src))
    low, high = dst.limits(signed)
    wide = np.int64 if signed else np.uint64
    # high + 1 is a power of two, hence exact in binary64 where high may not be.
    below, above = truncated <= low, truncated >= float(high + 1)
    inside = ~(below | above | np.isnan(truncated))
    values = np.where(inside, truncated, 0.0).astype(wide)
    values = np.where(below, wide(low), values)
    return wrap(np.where(above, wide(high), values), dst)


@array_function
def ftoi_undefined(
    source: Array, src: FloatFormat, dst: IntegerFormat, signed: bool, saturating: bool = False
) -> Array:
    """NaN, and numbers whose integer part is out of range; no lane when `saturating`."""
    truncated = np.trunc(widen(source, src))
    if saturating:
        return np.zeros(truncated.shape, dtype=np.bool_)
    low, high = dst.limits(signed)
    return ~((truncated >= low) & (truncated < float(high + 1)))
