"""Distances in ulps, and the completeness of the accuracy tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import numeric_oracle as oracle

from tileir_xdsl.numerics import bits, compare, convert, floating, integer, matrix
from tileir_xdsl.numerics.formats import FLOAT_FORMATS, FORMATS
from tileir_xdsl.numerics.ulp import ACCURACY, NAN_DISTANCE, ulp_bound, ulp_distance

ARITHMETIC = """
    absf absi addf addi andi atan2 bitcast ceil cmpf cmpi cos cosh divf divi exp exp2 exti floor fma
    fpowf fpowi ftof ftoi itof log log2 maxf maxi minf mini mmaf mmaf_scaled mmai mulf mulhii muli
    negf negi ori pack remf remi rsqrt select shli shri sin sinh sqrt subf subi tan tanh trunci
    unpack xori
"""


@pytest.mark.parametrize("name", [n for n in FLOAT_FORMATS if FLOAT_FORMATS[n].width <= 8])
def test_distance_counts_the_values_between(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    codes = np.arange(1 << fmt.width)
    values = [oracle.decode(name, code) for code in codes.tolist()]
    order = {value: place for place, value in enumerate(sorted({v for v in values if v == v}))}
    first, second = (fmt.from_bits(c.reshape(-1)) for c in np.meshgrid(codes, codes))
    distance = ulp_distance(first, second, fmt).tolist()
    index = 0
    for y in values:
        for x in values:
            if math.isnan(x) or math.isnan(y):
                expected = 0 if math.isnan(x) and math.isnan(y) else NAN_DISTANCE
            else:
                expected = abs(order[x] - order[y])
            assert distance[index] == expected, (x, y)
            index += 1


@given(st.integers(0, 2**63), st.integers(0, 1000))
def test_distance_of_neighbours(code: int, steps: int) -> None:
    f64 = FLOAT_FORMATS["f64"]
    code %= (0x7FF << 52) - 1000
    a, b = (f64.from_bits(np.array([c], dtype=np.uint64)) for c in (code, code + steps))
    assert ulp_distance(a, b, f64).tolist() == [steps]
    assert ulp_distance(-b, -a, f64).tolist() == [steps]
    assert ulp_distance(-a, b, f64).tolist() == [2 * code + steps]


def test_zeros_and_infinities() -> None:
    f32 = FLOAT_FORMATS["f32"]
    a = np.array([0.0, math.inf, -math.inf, math.nan, math.nan], dtype=np.float32)
    b = np.array([-0.0, f32.max_finite, math.inf, math.nan, 1.0], dtype=np.float32)
    assert ulp_distance(a, b, f32).tolist() == [0, 1, 2 * 0x7F800000, 0, NAN_DISTANCE]


def test_every_operation_has_a_function_and_an_entry() -> None:
    modules = (integer, bits, compare, convert, floating, matrix)
    for op in ACCURACY:
        homes = [
            m for m in modules if getattr(getattr(m, op, None), "__module__", "") == m.__name__
        ]
        assert len(homes) == 1, op
    assert set(ACCURACY) == set(ARITHMETIC.split())


@pytest.mark.parametrize(
    ("op", "fmt", "mode", "bound"),
    [
        ("addf", "f32", "nearest_even", None),
        ("fma", "f64", "zero", None),
        ("addi", "i32", None, None),
        ("divf", "f32", "approx", 2),
        ("divf", "f32", "full", 2),
        ("divf", "f32", "nearest_even", None),
        ("sqrt", "f32", "approx", 2),
        ("tanh", "f32", "approx", 8192),
        ("tanh", "f32", "full", 2),
        ("exp", "f32", "full", 2),
        ("exp", "f32", "approx", 123),
        ("sin", "f16", None, 1),
        ("sin", "bf16", None, 1),
        ("sin", "f64", None, 3),
        ("pow", "f32", None, 8),
        ("fpowi", "f16", None, None),
        ("ftof", "f8E4M3FN", "nearest_even", None),
    ],
)
def test_bounds(op: str, fmt: str, mode: str | None, bound: int | None) -> None:
    assert ulp_bound(op, FORMATS[fmt], mode) == bound


def test_matrix_products_have_no_ulp_bound() -> None:
    with pytest.raises(ValueError, match="mma_error_bound"):
        ulp_bound("mmaf", FORMATS["f32"])
    with pytest.raises(KeyError):
        ulp_bound("reshape", FORMATS["f32"])
