"""Comparison and selection operations of `cuda_tile` on arrays; results are i1 (`bool`) arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tileir_xdsl.numerics.formats import FloatFormat, IntegerFormat
from tileir_xdsl.numerics.integer import read
from tileir_xdsl.numerics.rounding import array_function

Array = npt.NDArray[Any]

Predicate = Literal[
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
]
Ordering = Literal["ordered", "unordered"]

_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}


@array_function
def cmpf(
    predicate: Predicate, ordering: Ordering, lhs: Array, rhs: Array, fmt: FloatFormat
) -> Array:
    """Compare numbers: with a NaN operand the result is False if ordered, True if unordered.

    +0 equals -0.
    """
    holds = _COMPARE[predicate](lhs, rhs)
    if ordering == "ordered" and predicate != "not_equal":
        return holds
    if ordering == "unordered" and predicate == "not_equal":
        return holds
    unordered = np.isnan(lhs) | np.isnan(rhs)
    return holds | unordered if ordering == "unordered" else holds & ~unordered


@array_function
def cmpi(predicate: Predicate, lhs: Array, rhs: Array, fmt: IntegerFormat, signed: bool) -> Array:
    """Compare integers read signed or unsigned (i1 read signed: true is -1, less than false)."""
    return _COMPARE[predicate](read(lhs, fmt, signed), read(rhs, fmt, signed))


@array_function
def select(condition: Array, if_true: Array, if_false: Array) -> Array:
    """Lane by lane, `if_true` where the i1 condition holds, else `if_false`; any storage type."""
    return np.where(condition, if_true, if_false)
