"""Rounding to every format in every mode, against exact rational arithmetic."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import numeric_oracle as oracle

from tileir_xdsl.numerics.formats import FLOAT_FORMATS
from tileir_xdsl.numerics.rounding import round_fraction, round_to_format, widen

TARGETS = [name for name in FLOAT_FORMATS if name != "f64"]
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.7976931348623157e308]


def near_values(name: str, count: int) -> list[float]:
    """Values of the format, midpoints of neighbours, and the doubles next to both."""
    rng = random.Random(name)
    layout = oracle.LAYOUTS[name]
    codes = [rng.randrange(1 << (layout.exponent + layout.mantissa)) for _ in range(count)]
    codes += [0, 1, 2, (1 << layout.mantissa) - 1, 1 << layout.mantissa]
    values: list[float] = []
    for code in codes:
        here, above = oracle.decode(name, code), oracle.decode(name, code + 1)
        if not (math.isfinite(here) and math.isfinite(above)):
            continue
        for value in (here, (here + above) / 2):
            values += [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    top = oracle.largest(name)
    step = top - oracle.decode(name, oracle.largest_code(name) - 1)
    for value in (top, top + step / 2, top + step, 2 * top):
        values += [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    return [*SPECIAL, *values, *(-value for value in values)]


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        (name, mode)
        for name in TARGETS
        for mode in oracle.MODES
        # Conversions to f8E8M0FNU are directed.
        if not (name == "f8E8M0FNU" and mode.startswith("nearest"))
    ],
)
def test_values_midpoints_and_their_neighbours(name: str, mode: str) -> None:
    fmt = FLOAT_FORMATS[name]
    sources = near_values(name, 150)
    rounded = widen(round_to_format(np.array(sources), fmt, mode), fmt).tolist()  # pyright: ignore[reportArgumentType]
    wrong = [
        (source, actual)
        for source, actual in zip(sources, rounded, strict=True)
        if not oracle.same(actual, oracle.convert(source, name, mode))
    ]
    assert not wrong


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in ("f32", "f8E8M0FNU")])
def test_nearest_even_by_table_search(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    sources = [value for value in near_values(name, 60) if math.isfinite(value) and value != 0]
    rounded = widen(round_to_format(np.array(sources), fmt), fmt).tolist()
    for source, actual in zip(sources, rounded, strict=True):
        assert actual == oracle.round_by_search(Fraction(source), name)


@pytest.mark.parametrize("name", ["f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"])
def test_saturation_can_be_chosen(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    source = np.array([math.inf, -math.inf, 1e30 * fmt.max_finite, -1e30 * fmt.max_finite])
    clamped = widen(round_to_format(source, fmt, saturate=True), fmt)
    assert clamped.tolist() == [fmt.max_finite, -fmt.max_finite] * 2
    free = widen(round_to_format(source, fmt, saturate=False), fmt)
    if fmt.has_inf:
        assert np.isinf(free).all()
    elif fmt.has_nan:
        assert np.isnan(free).all()


@given(
    st.fractions(),
    st.integers(-1200, 1200),
    st.sampled_from(list(FLOAT_FORMATS)),
    st.sampled_from(oracle.MODES),
)
def test_rationals(value: Fraction, exponent: int, name: str, mode: str) -> None:
    if mode == "nearest_away" and name == "f64":
        mode = "zero"
    if name == "f8E8M0FNU" and mode.startswith("nearest"):
        mode = "positive_inf"
    exact = value * Fraction(2) ** exponent
    fmt = FLOAT_FORMATS[name]
    actual = widen(round_fraction(exact, fmt, mode), fmt)  # pyright: ignore[reportArgumentType]
    assert actual.shape == ()
    assert oracle.same(float(actual), oracle.round_exact(exact, name, mode))


def test_ties_away_to_f64_is_refused() -> None:
    with pytest.raises(ValueError, match="ties away"):
        round_fraction(Fraction(1, 3), FLOAT_FORMATS["f64"], "nearest_away")
