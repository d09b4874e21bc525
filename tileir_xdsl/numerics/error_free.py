"""Exact results of binary64 operations as pairs `(nearest, residual)` (see `rounding`).

The fast path is error-free transformations (Dekker's and Knuth's; Muller et al., "Handbook of
Floating-Point Arithmetic", 2nd ed., chapter 4). They are exact as long as no intermediate value
overflows or underflows; the lanes where that is not certain are computed with Python's rationals,
one at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.rounding import nearest_float, residual_sign, to_odd

Array = npt.NDArray[Any]
Pair = tuple[Array, Array]

_SPLITTER = np.float64(2**27 + 1)
_SMALL = 2.0**-480
"""Between `_SMALL` and `_LARGE` products and quotients, the errors of products, and the parts of a
split operand are far from both ends of binary64's range."""
_LARGE = 2.0**480


def _moderate(values: Array) -> Array:
    magnitude = np.abs(values)
    return (magnitude >= _SMALL) & (magnitude <= _LARGE)


def two_sum(a: Array, b: Array) -> Pair:
    """The rounded sum and its error; exact while the sum is finite (Knuth)."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def _split(a: Array) -> Pair:
    scaled = a * _SPLITTER
    high = scaled - (scaled - a)
    return high, a - high


def two_product(a: Array, b: Array) -> Pair:
    """The rounded product and its error; exact for moderate operands (Dekker, Veltkamp)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _repair(
    residual: Array, lanes: Array, nearest: Array, sign: Callable[..., float], *operands: Array
) -> Array:
    """Replace the residual in the boolean `lanes` by `sign(nearest, *operands)`."""
    indices = np.flatnonzero(lanes)
    if not indices.size:
        return residual
    repaired = np.array(residual, dtype=np.float64)
    flat = repaired.reshape(-1)
    columns = [
        np.broadcast_to(column, repaired.shape).reshape(-1)[indices].tolist()
        for column in (nearest, *operands)
    ]
    flat[indices] = [sign(*lane) for lane in zip(*columns, strict=True)]
    return repaired


def exact_sum(a: Array, b: Array) -> Pair:
    """a + b for binary64 operands; the residual is NaN where one is not finite."""
    nearest, residual = two_sum(a, b)
    overflowed = ~np.isfinite(residual) & np.isfinite(a) & np.isfinite(b)
    return nearest, _repair(residual, overflowed, nearest, _sum_residual, a, b)


def _sum_residual(nearest: float, a: float, b: float) -> float:
    return residual_sign(Fraction(a) + Fraction(b), nearest)


def exact_product(a: Array, b: Array) -> Pair:
    """a * b for binary64 operands."""
    nearest, residual = two_product(a, b)
    proved = _moderate(a) & _moderate(b)
    residual = np.where(proved, residual, 0.0)
    open_lanes = ~proved & np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
    return nearest, _repair(residual, open_lanes, nearest, _product_residual, a, b)


def _product_residual(nearest: float, a: float, b: float) -> float:
    return residual_sign(Fraction(a) * Fraction(b), nearest)


def exact_quotient(a: Array, b: Array) -> Pair:
    """a / b for binary64 operands."""
    nearest = a / b
    product, error = two_product(nearest, b)
    # a - product is exact (the two are within one last place), so the sign is that of a - q * b.
    remainder = (a - product) - error
    proved = _moderate(a) & _moderate(b)
    residual = np.where(proved, np.sign(remainder) * np.sign(b), 0.0)
    open_lanes = ~proved & np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
    return nearest, _repair(residual, open_lanes, nearest, _quotient_residual, a, b)


def _quotient_residual(nearest: float, a: float, b: float) -> float:
    return residual_sign(Fraction(a) / Fraction(b), nearest)


def exact_sqrt(a: Array) -> Pair:
    """The square root of binary64 operands."""
    nearest = np.sqrt(a)
    product, error = two_product(nearest, nearest)
    proved = _moderate(a)
    residual = np.where(proved, np.sign((a - product) - error), 0.0)
    open_lanes = ~proved & np.isfinite(a) & (a > 0)
    return nearest, _repair(residual, open_lanes, nearest, _sqrt_residual, a)


def _sqrt_residual(nearest: float, a: float) -> float:
    difference = Fraction(a) - Fraction(nearest) ** 2
    return float((difference > 0) - (difference < 0))


def exact_fma(a: Array, b: Array, c: Array) -> Pair:
    """a * b + c for binary64 operands, rounded to nearest even once (Boldo and Melquiond, 2008)."""
    product, product_error = two_product(a, b)
    addend, addend_error = two_sum(c, product_error)
    high, low = two_sum(product, addend)
    tail, tail_error = two_sum(low, addend_error)
    odd_tail = to_odd(tail, tail_error)
    # An inexact tail is odd, so the last sum is inexact too and its error has the right sign.
    nearest, residual = two_sum(high, odd_tail)

    nonfinite = ~(np.isfinite(a) & np.isfinite(b) & np.isfinite(c))
    zero_product = (a == 0) | (b == 0)
    proved = _moderate(a) & _moderate(b) & (_moderate(c) | (c == 0))
    plain = nonfinite | zero_product
    nearest = np.where(plain, a * b + c, nearest)
    residual = np.where(proved, residual, 0.0)
    return _fma_lane_by_lane(nearest, residual, ~proved & ~plain, a, b, c)


def _fma_lane_by_lane(
    nearest: Array, residual: Array, lanes: Array, a: Array, b: Array, c: Array
) -> Pair:
    indices = np.flatnonzero(lanes)
    if not indices.size:
        return nearest, residual
    nearest, residual = np.array(nearest), np.array(residual, dtype=np.float64)
    operands = [np.broadcast_to(x, nearest.shape).reshape(-1)[indices].tolist() for x in (a, b, c)]
    for index, x, y, z in zip(indices.tolist(), *operands, strict=True):
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        value = nearest_float(exact)
        nearest.reshape(-1)[index] = value
        residual.reshape(-1)[index] = residual_sign(exact, value)
    return nearest, residual
