"""Transcendental operations against mpmath, their special values; fpowi against its algorithm."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
import numpy.typing as npt
import pytest
from support import numeric_oracle as oracle

from tileir_xdsl.numerics import floating
from tileir_xdsl.numerics.formats import F32, F64, FLOAT_FORMATS, INTEGER_FORMATS
from tileir_xdsl.numerics.rounding import round_to_format, widen
from tileir_xdsl.numerics.ulp import ulp_distance

Array = npt.NDArray[Any]
MP: Any = mpmath
NAMES = ["f16", "bf16", "f32", "f64"]

UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": MP.exp,
    "exp2": lambda x: MP.power(2, x),
    "log": MP.log,
    "log2": lambda x: MP.log(x, 2),
    "sin": MP.sin,
    "cos": MP.cos,
    "tan": MP.tan,
    "sinh": MP.sinh,
    "cosh": MP.cosh,
    "tanh": MP.tanh,
    "rsqrt": lambda x: 1 / MP.sqrt(x),
}
POSITIVE_ONLY = ("log", "log2", "rsqrt")


def sources(name: str, positive: bool) -> list[float]:
    """Numbers over the whole range of the format, most of them of moderate size."""
    rng = random.Random(name)
    fmt = FLOAT_FORMATS[name]
    lowest, highest = math.log2(fmt.smallest_positive), math.log2(fmt.max_finite)
    values = [2.0 ** rng.uniform(lowest, highest) for _ in range(60)]
    values += [rng.uniform(0, 1) * 2.0 ** rng.randint(-8, 7) for _ in range(250)]
    values += [1.0, 2.0, 0.5, 1 + 2.0**-8, 1 - 2.0**-8, 4.0, 8.0, 10.0, math.pi, math.pi / 2, 710.0]
    values += [fmt.smallest_positive, fmt.smallest_normal, fmt.max_finite]
    rounded = widen(round_to_format(np.array(values), fmt), fmt).tolist()
    rounded = [value for value in rounded if value > 0 and math.isfinite(value)]
    return rounded if positive else rounded + [-value for value in rounded]


def check(name: str, actual: Array, expected: list[Any], label: str) -> None:
    """The correctly rounded value; for f64 at most one ulp away from it."""
    fmt = FLOAT_FORMATS[name]
    reference = [oracle_value(value, name) for value in expected]
    rounded = round_to_format(np.array(reference), fmt)
    distance = ulp_distance(actual, rounded, fmt)
    # A binary64 value within an ulp rounds to the narrower formats like the exact one, unless that
    # lies within 2**-52 of a midpoint, which no tested value does.
    limit = 1 if name == "f64" else 0
    worst = int(distance.argmax())
    assert int(distance.max()) <= limit, (label, widen(actual, fmt)[worst], reference[worst])


def oracle_value(value: Any, name: str) -> float:
    """The exact value correctly rounded: to odd in binary64 for narrow formats, so once in all."""
    if name == "f64" or not MP.isfinite(value) or value == 0:
        return float(value)
    nearest = float(value)
    error = MP.mpf(value) - MP.mpf(nearest) if math.isfinite(nearest) else 0
    bits = np.array(nearest).view(np.int64)
    if error == 0 or int(bits) & 1:
        return nearest
    towards = math.inf if error > 0 else -math.inf
    return math.nextafter(nearest, towards)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operation", list(UNARY))
def test_unary(operation: str, name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    values = sources(name, operation in POSITIVE_ONLY)
    with MP.workprec(1200 if operation in ("sin", "cos", "tan") else 200):
        kept = [value for value in values if not _huge(value, operation)]
        expected = [UNARY[operation](MP.mpf(value)) for value in kept]
        source = round_to_format(np.array(kept), fmt)
        check(name, getattr(floating, operation)(source, fmt), expected, operation)


def _huge(value: float, operation: str) -> bool:
    """Arguments at which the exponential would need an enormous exponent; see the limits below."""
    return operation in ("exp", "exp2", "sinh", "cosh") and abs(value) > 20_000


def pairs(name: str) -> tuple[list[float], list[float]]:
    rng = random.Random(name)
    values = sources(name, positive=False)
    return rng.choices(values, k=500), rng.choices(values, k=500)


@pytest.mark.parametrize("name", NAMES)
def test_atan2(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    numerators, denominators = pairs(name)
    with MP.workprec(300):
        expected = [
            MP.atan2(MP.mpf(y), MP.mpf(x)) for y, x in zip(numerators, denominators, strict=True)
        ]
        y, x = (round_to_format(np.array(v), fmt) for v in (numerators, denominators))
        check(name, floating.atan2(y, x, fmt), expected, "atan2")


def test_atan2_takes_the_numerator_first_and_keeps_signs_of_zero() -> None:
    y = np.array([1.0, 0.0, -0.0, 0.0, -0.0, math.inf, math.inf])
    x = np.array([0.0, -1.0, -1.0, 1.0, 1.0, math.inf, -math.inf])
    quarter = math.pi / 4
    expected = [2 * quarter, math.pi, -math.pi, 0.0, -0.0, quarter, 3 * quarter]
    for actual, value in zip(floating.atan2(y, x, F64).tolist(), expected, strict=True):
        assert oracle.same(actual, value)


@pytest.mark.parametrize("name", NAMES)
def test_fpowf(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    rng = random.Random(name)
    bases = [value for value in sources(name, positive=True) for _ in range(2)]
    exponents = [rng.uniform(-4, 4) * 2.0 ** rng.randint(-3, 4) for _ in bases]
    b, e = (round_to_format(np.array(v), fmt) for v in (bases, exponents))
    with MP.workprec(300):
        expected = [
            MP.power(MP.mpf(x), MP.mpf(y))
            for x, y in zip(widen(b, fmt).tolist(), widen(e, fmt).tolist(), strict=True)
        ]
        check(name, floating.fpowf(b, e, fmt), expected, "fpowf")


@pytest.mark.parametrize("name", NAMES)
def test_fpowf_special_values(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    inf, nan = math.inf, math.nan
    cases = [
        (1.0, nan, 1.0),
        (nan, 0.0, 1.0),
        (nan, 1.0, nan),
        (-1.0, inf, 1.0),
        (0.0, -1.0, inf),
        (-0.0, -1.0, -inf),
        (-0.0, -2.0, inf),
        (-2.0, 3.0, -8.0),
        (-2.0, 0.5, nan),
        (0.5, inf, 0.0),
        (2.0, -inf, 0.0),
        (-inf, 3.0, -inf),
        (-inf, -3.0, -0.0),
        (0.0, 0.0, 1.0),
    ]
    base, exponent, expected = ([case[i] for case in cases] for i in range(3))
    b, e = (round_to_format(np.array(v), fmt) for v in (base, exponent))
    for actual, value in zip(widen(floating.fpowf(b, e, fmt), fmt).tolist(), expected, strict=True):
        assert oracle.same(actual, value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("operation", "results"),
    [
        # at +0, -0, +inf, -inf, NaN, -1 (None: not checked here)
        ("exp", [1.0, 1.0, math.inf, 0.0, math.nan, None]),
        ("exp2", [1.0, 1.0, math.inf, 0.0, math.nan, 0.5]),
        ("log", [-math.inf, -math.inf, math.inf, math.nan, math.nan, math.nan]),
        ("log2", [-math.inf, -math.inf, math.inf, math.nan, math.nan, math.nan]),
        ("rsqrt", [math.inf, -math.inf, 0.0, math.nan, math.nan, math.nan]),
        ("sqrt", [0.0, -0.0, math.inf, math.nan, math.nan, math.nan]),
        ("sin", [0.0, -0.0, math.nan, math.nan, math.nan, None]),
        ("cos", [1.0, 1.0, math.nan, math.nan, math.nan, None]),
        ("tan", [0.0, -0.0, math.nan, math.nan, math.nan, None]),
        ("sinh", [0.0, -0.0, math.inf, -math.inf, math.nan, None]),
        ("cosh", [1.0, 1.0, math.inf, math.inf, math.nan, None]),
        ("tanh", [0.0, -0.0, 1.0, -1.0, math.nan, None]),
    ],
)
def test_special_values(operation: str, results: list[float | None], name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    source = round_to_format(np.array([0.0, -0.0, math.inf, -math.inf, math.nan, -1.0]), fmt)
    actual = widen(getattr(floating, operation)(source, fmt), fmt).tolist()
    for value, expected in zip(actual, results, strict=True):
        assert expected is None or oracle.same(value, expected), (value, expected)


@pytest.mark.parametrize("name", NAMES)
def test_exponentials_overflow_and_underflow(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    source = round_to_format(np.array([60_000.0, -60_000.0]), fmt)
    assert widen(floating.exp(source, fmt), fmt).tolist() == [math.inf, 0.0]
    assert widen(floating.exp2(source, fmt), fmt).tolist() == [math.inf, 0.0]
    assert widen(floating.cosh(source, fmt), fmt).tolist() == [math.inf, math.inf]
    assert widen(floating.sinh(source, fmt), fmt).tolist() == [math.inf, -math.inf]


def test_flush_to_zero_of_exp2_and_rsqrt() -> None:
    source = np.array([-126.0, -126.5, -149.0, -140.25], dtype=np.float32)
    assert floating.exp2(source, F32, ftz=True).tolist() == [2.0**-126, 0.0, 0.0, 0.0]
    assert (floating.exp2(source, F32) > 0).all()
    subnormal = np.array([1e-40, -1e-40], dtype=np.float32)
    assert floating.rsqrt(subnormal, F32, ftz=True).tolist() == [math.inf, -math.inf]
    assert floating.exp2(np.array([1e-40], dtype=np.float32), F32, ftz=True).tolist() == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("operation", list(UNARY))
def test_every_16_bit_operand(operation: str, name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    source = fmt.from_bits(np.arange(1 << 16))
    values = widen(source, fmt)
    keep = np.isfinite(values) & (values != 0)
    if operation in POSITIVE_ONLY:
        keep &= values > 0
    keep &= [not _huge(value, operation) for value in values.tolist()]
    with MP.workprec(400 if operation in ("sin", "cos", "tan") else 120):
        expected = [UNARY[operation](MP.mpf(value)) for value in values[keep].tolist()]
        check(name, getattr(floating, operation)(source[keep], fmt), expected, operation)


def power_by_steps(base: float, exponent: int, name: str) -> float:
    """Right-to-left binary exponentiation, each product rounded to the computing format."""
    step = "f32" if name in ("f16", "bf16") else name

    def times(a: float, b: float) -> float:
        product = a * b  # exact sign and special values
        if math.isfinite(a) and math.isfinite(b) and a != 0 and b != 0:
            return oracle.round_exact(Fraction(a) * Fraction(b), step)
        return product

    result, power, count = 1.0, base, abs(exponent)
    while count:
        if count & 1:
            result = times(power, result)
        count >>= 1
        if count:
            power = times(power, power)
    return oracle.convert(reciprocal(result, step) if exponent < 0 else result, name)


def reciprocal(value: float, name: str) -> float:
    if math.isnan(value):
        return value
    if math.isinf(value):
        return math.copysign(0.0, value)
    if value == 0:
        return math.copysign(math.inf, value)
    return oracle.round_exact(1 / Fraction(value), name)


@pytest.mark.parametrize("exponent_type", ["i1", "i8", "i16", "i32"])
@pytest.mark.parametrize("name", NAMES)
def test_fpowi(name: str, exponent_type: str) -> None:
    fmt, exponent_fmt = FLOAT_FORMATS[name], INTEGER_FORMATS[exponent_type]
    low, high = exponent_fmt.limits(signed=True)
    rng = random.Random(name + exponent_type)
    bases = [1 + rng.uniform(-1, 1) * 2.0 ** rng.randint(-9, 1) for _ in range(300)]
    bases += [2.0, -3.0, 0.5, 1.0, -1.0]
    rounded = widen(round_to_format(np.array(bases), fmt), fmt).tolist()
    exponents = [rng.randint(max(low, -40), min(high, 40)) for _ in bases[:-3]] + [low, high, -1]
    exponents = [max(low, min(high, exponent)) for exponent in exponents]
    mask = (1 << exponent_fmt.width) - 1
    codes = np.array([exponent & mask for exponent in exponents], dtype=np.uint64)
    result = floating.fpowi(
        round_to_format(np.array(rounded), fmt), exponent_fmt.from_bits(codes), fmt, exponent_fmt
    )
    assert result.dtype == fmt.dtype
    for base, exponent, actual in zip(rounded, exponents, widen(result, fmt).tolist(), strict=True):
        expected = power_by_steps(base, exponent, name)
        assert oracle.same(actual, expected), (base, exponent)


def test_fpowi_special_values() -> None:
    base = np.array([0.0, -0.0, -0.0, math.inf, -math.inf, math.nan, math.nan, 0.0])
    exponent = np.array([-1, -1, -2, -3, 3, 0, 1, 0], dtype=np.int32)
    expected = [math.inf, -math.inf, math.inf, 0.0, -math.inf, 1.0, math.nan, 1.0]
    result = floating.fpowi(base, exponent, F64, INTEGER_FORMATS["i32"]).tolist()
    for actual, value in zip(result, expected, strict=True):
        assert oracle.same(actual, value)
