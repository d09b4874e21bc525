"""Matrix products of `cuda_tile` on arrays of rank 2, or rank 3 with a leading batch extent.

The order in which the hardware accumulates is not specified. Here products are exact (but for f64
operands), sums over K are binary64, and the result is rounded once: a reference for comparison
within a tolerance, not bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.formats import I8, FloatFormat
from tileir_xdsl.numerics.integer import read
from tileir_xdsl.numerics.rounding import array_function, round_to_format, widen

Array = npt.NDArray[Any]


@array_function
def mmaf(lhs: Array, rhs: Array, acc: Array, fmt: FloatFormat, acc_fmt: FloatFormat) -> Array:
    """acc + lhs @ rhs for operands in `fmt` ([B,]MxK and [B,]KxN), in `acc_fmt`."""
    total = np.matmul(widen(lhs, fmt), widen(rhs, fmt)) + widen(acc, acc_fmt)
    return round_to_format(total, acc_fmt)


@array_function
def mmaf_scaled(
    lhs: Array,
    rhs: Array,
    acc: Array,
    lhs_scale: Array,
    rhs_scale: Array,
    fmt: FloatFormat,
    scale_fmt: FloatFormat,
    acc_fmt: FloatFormat,
) -> Array:
    """acc + (lhs * scale) @ (rhs * scale), one scale per block of V = K / (columns of lhs_scale).

    lhs_scale is [B,]M x K/V and rhs_scale [B,]K/V x N; scaled operands and their products are exact
    in binary64.
    """
    block = lhs.shape[-1] // lhs_scale.shape[-1]
    left = widen(lhs, fmt) * np.repeat(widen(lhs_scale, scale_fmt), block, axis=-1)
    right = widen(rhs, fmt) * np.repeat(widen(rhs_scale, scale_fmt), block, axis=-2)
    return round_to_format(np.matmul(left, right) + widen(acc, acc_fmt), acc_fmt)


@array_function
def mmai(lhs: Array, rhs: Array, acc: Array, signed_lhs: bool, signed_rhs: bool) -> Array:
    """acc + lhs @ rhs for i8 operands of the given signedness, wrapping in i32."""
    left = read(lhs, I8, signed_lhs).astype(np.float64)
    right = read(rhs, I8, signed_rhs).astype(np.float64)
    # Exact: every partial sum is below 2**53 for any K a tile can have (2**24).
    return (np.matmul(left, right).astype(np.int64) + acc).astype(np.int32)
