"""Matrix products against sums of exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support import numeric_oracle as oracle

from tileir_xdsl.numerics import matrix
from tileir_xdsl.numerics.formats import FLOAT_FORMATS, FloatFormat
from tileir_xdsl.numerics.rounding import round_to_format, widen
from tileir_xdsl.numerics.ulp import mma_error_bound

Array = npt.NDArray[Any]
INPUTS = [
    ("f8E4M3FN", "f16"),
    ("f8E4M3FN", "f32"),
    ("f8E5M2", "f16"),
    ("f8E5M2", "f32"),
    ("f16", "f16"),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("tf32", "f32"),
    ("f32", "f32"),
    ("f64", "f64"),
]


def normal(rng: np.random.Generator, shape: tuple[int, ...], fmt: FloatFormat) -> Array:
    return round_to_format(rng.normal(size=shape), fmt)


def exact_product(lhs: Array, rhs: Array, acc: Array) -> list[tuple[Fraction, Fraction]]:
    """Each element of acc + lhs @ rhs and the sum of the magnitudes that make it up."""
    rows, columns = lhs.shape[-2], rhs.shape[-1]
    results: list[tuple[Fraction, Fraction]] = []
    for i in range(rows):
        for j in range(columns):
            terms = [Fraction(float(acc[i, j]))]
            terms += [
                Fraction(a) * Fraction(b)
                for a, b in zip(lhs[i].tolist(), rhs[:, j].tolist(), strict=True)
            ]
            results.append((sum(terms, Fraction(0)), sum(map(abs, terms), Fraction(0))))
    return results


@pytest.mark.parametrize(("name", "acc_name"), INPUTS)
def test_mmaf(name: str, acc_name: str) -> None:
    fmt, acc_fmt = FLOAT_FORMATS[name], FLOAT_FORMATS[acc_name]
    rng = np.random.default_rng(1)
    lhs, rhs = normal(rng, (4, 32), fmt), normal(rng, (32, 8), fmt)
    acc = normal(rng, (4, 8), acc_fmt)
    result = matrix.mmaf(lhs, rhs, acc, fmt, acc_fmt)
    assert result.dtype == acc_fmt.dtype
    exact = exact_product(widen(lhs, fmt), widen(rhs, fmt), widen(acc, acc_fmt))
    bound = mma_error_bound(32, fmt, acc_fmt)
    for actual, (value, magnitude) in zip(widen(result, acc_fmt).flat, exact, strict=True):
        # Sums in binary64, then one rounding: far inside what a device may lose.
        slack = Fraction(2.0**-48) * magnitude
        nearest = [
            oracle.round_exact(value + shift, acc_name) for shift in (-slack, Fraction(0), slack)
        ]
        assert min(nearest) <= actual <= max(nearest)
        assert abs(Fraction(float(actual)) - value) <= Fraction(bound) * magnitude


def test_mmaf_of_small_integers_is_exact_and_batched() -> None:
    rng = np.random.default_rng(2)
    lhs = rng.integers(-8, 9, (3, 4, 16)).astype(np.float16)
    rhs = rng.integers(-8, 9, (3, 16, 2)).astype(np.float16)
    acc = rng.integers(-8, 9, (3, 4, 2)).astype(np.float32)
    f16, f32 = FLOAT_FORMATS["f16"], FLOAT_FORMATS["f32"]
    result = matrix.mmaf(lhs, rhs, acc, f16, f32)
    expected = np.einsum("bij,bjk->bik", lhs.astype(int), rhs.astype(int)) + acc.astype(int)
    assert result.tolist() == expected.tolist()


def test_mmaf_special_values_and_overflow() -> None:
    f16, f32 = FLOAT_FORMATS["f16"], FLOAT_FORMATS["f32"]
    lhs = np.array([[300.0, 300.0], [math.inf, 1.0], [math.inf, 0.0]], dtype=np.float16)
    rhs = np.array([[300.0], [300.0]], dtype=np.float16)
    acc = np.zeros((3, 1))
    narrow = matrix.mmaf(lhs, rhs, acc.astype(np.float16), f16, f16)
    assert narrow.tolist() == [[math.inf], [math.inf], [math.inf]]
    wide = matrix.mmaf(lhs, -rhs, acc.astype(np.float32), f16, f32)
    assert wide.tolist() == [[-180000.0], [-math.inf], [-math.inf]]
    rhs[0, 0] = 0.0
    assert np.isnan(matrix.mmaf(lhs, rhs, acc.astype(np.float32), f16, f32)[1:]).all()


@pytest.mark.parametrize(
    ("name", "scale_name", "block"),
    [
        ("f8E4M3FN", "f8E8M0FNU", 32),
        ("f8E5M2", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E4M3FN", 16),
        ("f4E2M1FN", "f8E8M0FNU", 16),
        ("f4E2M1FN", "f8E8M0FNU", 32),
        ("f4E2M1FN", "fnv8E5M3FNU", 16),
    ],
)
def test_mmaf_scaled(name: str, scale_name: str, block: int) -> None:
    fmt, scale_fmt, f32 = (FLOAT_FORMATS[n] for n in (name, scale_name, "f32"))
    rng = np.random.default_rng(3)
    k = 2 * block
    lhs, rhs = normal(rng, (4, k), fmt), normal(rng, (k, 2), fmt)
    acc = normal(rng, (4, 2), f32)
    codes = (
        rng.integers(50, 70, (2, 4, 2))
        if scale_name != "f8E8M0FNU"
        else rng.integers(120, 134, (2, 4, 2))
    )
    lhs_scale, rhs_scale = scale_fmt.from_bits(codes[0]), scale_fmt.from_bits(codes[1, :2])
    result = matrix.mmaf_scaled(lhs, rhs, acc, lhs_scale, rhs_scale, fmt, scale_fmt, f32)
    assert result.dtype == np.float32
    left, right = widen(lhs, fmt), widen(rhs, fmt)
    for i in range(4):
        for j in range(2):
            exact = Fraction(float(acc[i, j]))
            for t in range(k):
                scales = Fraction(oracle.decode(scale_name, int(codes[0, i, t // block])))
                scales *= Fraction(oracle.decode(scale_name, int(codes[1, t // block, j])))
                exact += Fraction(float(left[i, t])) * Fraction(float(right[t, j])) * scales
            assert float(result[i, j]) == oracle.round_exact(exact, "f32")


@pytest.mark.parametrize("signed_lhs", [True, False])
@pytest.mark.parametrize("signed_rhs", [True, False])
def test_mmai_wraps(signed_lhs: bool, signed_rhs: bool) -> None:
    rng = np.random.default_rng(4)
    lhs = rng.integers(-128, 128, (4, 32), dtype=np.int8)
    rhs = rng.integers(-128, 128, (32, 4), dtype=np.int8)
    lhs[0] = rhs[:, 0] = -128
    acc = np.full((4, 4), 2**31 - 1, dtype=np.int32)
    result = matrix.mmai(lhs, rhs, acc, signed_lhs, signed_rhs)
    assert result.dtype == np.int32

    def read(value: int, signed: bool) -> int:
        return value if signed or value >= 0 else value + 256

    for i in range(4):
        for j in range(4):
            total = int(acc[i, j]) + sum(
                read(a, signed_lhs) * read(b, signed_rhs)
                for a, b in zip(lhs[i].tolist(), rhs[:, j].tolist(), strict=True)
            )
            assert int(result[i, j]) == (total + 2**31) % 2**32 - 2**31
