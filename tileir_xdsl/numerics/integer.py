"""Integer operations of `cuda_tile` on arrays.

Arrays go in and come out in the storage of their format (`formats`). Results wrap; in i1 all
arithmetic is modulo 2, read signed its values are 0 and -1. Formats are signless: an operation
whose result depends on it takes `signed`.

Undefined lanes are not refused here: each operation that has any has a partner `<op>_undefined`
that answers the mask of them. The values in such lanes are the ones each docstring names; nothing
may depend on them.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.formats import IntegerFormat
from tileir_xdsl.numerics.rounding import array_function

Array = npt.NDArray[Any]

Overflow = Literal["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"]
DivisionRounding = Literal["zero", "negative_inf", "positive_inf"]


def read_signed(values: Array, fmt: IntegerFormat) -> Array:
    """The values as a signed NumPy integer array (i1: 0 and -1)."""
    return -values.astype(np.int8) if fmt.width == 1 else values


def read_unsigned(values: Array, fmt: IntegerFormat) -> Array:
    """The values as an unsigned NumPy integer array of the same width, or 8 bits for i1 and i4."""
    return fmt.to_bits(values)


def read(values: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """The values as a NumPy integer array of the signedness asked for."""
    return read_signed(values, fmt) if signed else read_unsigned(values, fmt)


def wrap(values: Array, fmt: IntegerFormat) -> Array:
    """Integers of any NumPy type reduced to the low bits of `fmt`, in its storage."""
    if fmt.width < 8:
        return fmt.from_bits(values)
    return np.asarray(values).astype(fmt.dtype)


def _wraps_signed(overflow: Overflow) -> bool:
    return overflow in ("no_signed_wrap", "no_wrap")


def _wraps_unsigned(overflow: Overflow) -> bool:
    return overflow in ("no_unsigned_wrap", "no_wrap")


def _nowhere(*operands: Array) -> Array:
    return np.zeros(np.broadcast_shapes(*(x.shape for x in operands)), dtype=np.bool_)


def _negative(values: Array, fmt: IntegerFormat) -> Array:
    return read_signed(values, fmt) < 0


@array_function
def addi(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """lhs + rhs, wrapping."""
    if fmt.width < 8:
        return wrap(read_signed(lhs, fmt) + read_signed(rhs, fmt), fmt)
    return lhs + rhs


@array_function
def addi_undefined(lhs: Array, rhs: Array, fmt: IntegerFormat, overflow: Overflow) -> Array:
    """The lanes whose sum wraps in a way that `overflow` promises away; addi gives the wrap."""
    total = addi(lhs, rhs, fmt)
    undefined = _nowhere(lhs, rhs)
    if _wraps_signed(overflow):
        sign = _negative(total, fmt)
        undefined |= (_negative(lhs, fmt) != sign) & (_negative(rhs, fmt) != sign)
    if _wraps_unsigned(overflow):
        undefined |= read_unsigned(total, fmt) < read_unsigned(lhs, fmt)
    return undefined


@array_function
def subi(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """lhs - rhs, wrapping."""
    if fmt.width < 8:
        return wrap(read_signed(lhs, fmt) - read_signed(rhs, fmt), fmt)
    return lhs - rhs


@array_function
def subi_undefined(lhs: Array, rhs: Array, fmt: IntegerFormat, overflow: Overflow) -> Array:
    """The lanes whose difference wraps in a way that `overflow` promises away."""
    difference = subi(lhs, rhs, fmt)
    undefined = _nowhere(lhs, rhs)
    if _wraps_signed(overflow):
        sign = _negative(lhs, fmt)
        undefined |= (_negative(rhs, fmt) != sign) & (_negative(difference, fmt) != sign)
    if _wraps_unsigned(overflow):
        undefined |= read_unsigned(lhs, fmt) < read_unsigned(rhs, fmt)
    return undefined


@array_function
def muli(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """lhs * rhs, wrapping."""
    if fmt.width < 8:
        return wrap(read_signed(lhs, fmt) * read_signed(rhs, fmt), fmt)
    return lhs * rhs


@array_function
def muli_undefined(lhs: Array, rhs: Array, fmt: IntegerFormat, overflow: Overflow) -> Array:
    """The lanes whose product wraps in a way that `overflow` promises away."""
    undefined = _nowhere(lhs, rhs)
    if _wraps_signed(overflow):
        fill = np.where(_negative(muli(lhs, rhs, fmt), fmt), -1, 0)
        undefined |= read_signed(_high_half(lhs, rhs, fmt, signed=True), fmt) != fill
    if _wraps_unsigned(overflow):
        undefined |= read_unsigned(_high_half(lhs, rhs, fmt, signed=False), fmt) != 0
    return undefined


@array_function
def mulhii(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """The high half of the unsigned product.

    The operation carries no signedness; NVIDIA's assembler generates unsigned high multiplications
    for it at every width (tileiras 13.5.37, sm_90).
    """
    return _high_half(lhs, rhs, fmt, signed=False)


def _high_half(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    x, y = read(lhs, fmt, signed), read(rhs, fmt, signed)
    if fmt.width < 64:
        wide = np.int64 if signed else np.uint64
        product = x.astype(wide) * y.astype(wide)
        return wrap(product >> wide(fmt.width), fmt)
    # Schoolbook product of 32-bit halves; the upper halves carry the sign. No partial sum
    # overflows (Warren, "Hacker's Delight", 2nd ed., section 8-2).
    half, low_mask = x.dtype.type(32), x.dtype.type(0xFFFFFFFF)
    x_low, x_high = x & low_mask, x >> half
    y_low, y_high = y & low_mask, y >> half
    low = (x_low.astype(np.uint64) * y_low.astype(np.uint64)) >> np.uint64(32)
    middle = x_high * y_low + low.astype(x.dtype)
    other = x_low * y_high + (middle & low_mask)
    return wrap(x_high * y_high + (middle >> half) + (other >> half), fmt)


@array_function
def absi(source: Array, fmt: IntegerFormat) -> Array:
    """The magnitude of the signed source, as an unsigned number: always defined."""
    return wrap(np.abs(read_signed(source, fmt)), fmt)


@array_function
def negi(source: Array, fmt: IntegerFormat) -> Array:
    """-source, wrapping."""
    return wrap(-read_signed(source, fmt), fmt)


@array_function
def negi_undefined(source: Array, fmt: IntegerFormat, overflow: Overflow) -> Array:
    """The smallest signed number, under `no_signed_wrap` and `no_wrap`.

    `no_wrap` is read as the signed promise alone: the operation refuses `no_unsigned_wrap`, and
    unsigned every negation but that of 0 wraps.
    """
    if not _wraps_signed(overflow):
        return _nowhere(source)
    return read_signed(source, fmt) == fmt.limits(signed=True)[0]


@array_function
def divi(
    lhs: Array,
    rhs: Array,
    fmt: IntegerFormat,
    signed: bool,
    rounding: DivisionRounding = "zero",
) -> Array:
    """The quotient rounded as asked; undefined lanes hold 0 (division by zero) or the wrap."""
    x, y = read(lhs, fmt, signed), read(rhs, fmt, signed)
    divisor = np.where(y == 0, y.dtype.type(1), y)
    quotient = x // divisor
    if rounding != "negative_inf":
        inexact = quotient * divisor != x
        below = ((x < 0) != (divisor < 0)) if rounding == "zero" else True
        quotient = quotient + (inexact & below)
    return wrap(np.where(y == 0, 0, quotient), fmt)


@array_function
def divi_undefined(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """Division by zero, and the smallest signed number by -1."""
    by_zero = read_unsigned(rhs, fmt) == 0
    if not signed:
        return by_zero | _nowhere(lhs)
    smallest = read_signed(lhs, fmt) == fmt.limits(signed=True)[0]
    return by_zero | (smallest & (read_signed(rhs, fmt) == -1))


@array_function
def remi(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """lhs - rhs * (lhs / rhs truncated), with the sign of lhs; undefined lanes hold 0."""
    x, y = read(lhs, fmt, signed), read(rhs, fmt, signed)
    # -1 and 0 leave no remainder to keep; 1 stands for them and cannot overflow.
    trivial = (y == 0) | (y == -1) if signed else y == 0
    return wrap(np.fmod(x, np.where(trivial, y.dtype.type(1), y)), fmt)


@array_function
def remi_undefined(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """As for `divi`: the quotient of an undefined remainder overflows too (as in LLVM's srem)."""
    return divi_undefined(lhs, rhs, fmt, signed)


@array_function
def maxi(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """The larger operand."""
    return wrap(np.maximum(read(lhs, fmt, signed), read(rhs, fmt, signed)), fmt)


@array_function
def mini(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """The smaller operand."""
    return wrap(np.minimum(read(lhs, fmt, signed), read(rhs, fmt, signed)), fmt)


@array_function
def shli(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """lhs shifted left by the unsigned rhs; undefined lanes hold 0."""
    x, count = read_unsigned(lhs, fmt), read_unsigned(rhs, fmt)
    too_far = count >= fmt.width
    shifted = x << np.where(too_far, count.dtype.type(0), count)
    return wrap(np.where(too_far, 0, shifted), fmt)


@array_function
def shli_undefined(
    lhs: Array, rhs: Array, fmt: IntegerFormat, overflow: Overflow = "none"
) -> Array:
    """Shift counts of the width or more, and the wraps that `overflow` promises away.

    A left shift by k wraps when shifting back by k does not give lhs again.
    """
    count = read_unsigned(rhs, fmt)
    too_far = count >= fmt.width
    undefined = too_far | _nowhere(lhs)
    count = np.where(too_far, count.dtype.type(0), count)
    shifted = shli(lhs, rhs, fmt)
    if _wraps_signed(overflow):
        value = read_signed(shifted, fmt)
        undefined |= (value >> count.astype(value.dtype)) != read_signed(lhs, fmt)
    if _wraps_unsigned(overflow):
        undefined |= (read_unsigned(shifted, fmt) >> count) != read_unsigned(lhs, fmt)
    return undefined


@array_function
def shri(lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """lhs shifted right by the unsigned rhs, filling with the sign or with zeros.

    Undefined lanes hold the fill alone.
    """
    value, count = read(lhs, fmt, signed), read_unsigned(rhs, fmt)
    # Storage wider than the format is already extended, so width - 1 and one more shift suffice.
    last = count.dtype.type(fmt.width - 1)
    shifted = value >> np.minimum(count, last).astype(value.dtype)
    return wrap(np.where(count > last, shifted >> value.dtype.type(1), shifted), fmt)


@array_function
def shri_undefined(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """Shift counts of the width or more."""
    return (read_unsigned(rhs, fmt) >= fmt.width) | _nowhere(lhs)
