"""Correctly rounded float operations, against exact rational arithmetic in every mode."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import numeric_oracle as oracle

from tileir_xdsl.numerics import floating
from tileir_xdsl.numerics.formats import FLOAT_FORMATS, FloatFormat
from tileir_xdsl.numerics.rounding import widen

BASE = ["f16", "bf16", "f32", "f64"]
ROUNDINGS = ["nearest_even", *oracle.DIRECTED]
Array = npt.NDArray[Any]


def negative(value: float) -> bool:
    return math.copysign(1.0, value) < 0


def add_exactly(a: float, b: float, name: str, mode: str) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    exact = Fraction(a) + Fraction(b)
    if exact:
        return oracle.round_exact(exact, name, mode)
    if negative(a) == negative(b):
        return math.copysign(0.0, a)
    return -0.0 if mode == "negative_inf" else 0.0


def multiply_exactly(a: float, b: float, name: str, mode: str) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b
    return oracle.round_exact(Fraction(a) * Fraction(b), name, mode, negative(a) != negative(b))


def divide_exactly(a: float, b: float, name: str, mode: str) -> float:
    sign = -1.0 if negative(a) != negative(b) else 1.0
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)) or a == b == 0:
        return math.nan
    if math.isinf(a) or b == 0:
        return sign * math.inf
    if math.isinf(b):
        return sign * 0.0
    return oracle.round_exact(Fraction(a) / Fraction(b), name, mode, sign < 0)


def fma_exactly(a: float, b: float, c: float, name: str, mode: str) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    product = Fraction(a) * Fraction(b)
    exact = product + Fraction(c)
    if exact:
        return oracle.round_exact(exact, name, mode)
    product_negative = negative(a) != negative(b)
    if not product and product_negative == negative(c):
        return math.copysign(0.0, c)
    if product or c == 0:
        return -0.0 if mode == "negative_inf" else 0.0
    raise AssertionError("a nonzero addend and a zero product do not cancel")


def sqrt_exactly(a: float, name: str, mode: str) -> float:
    if math.isnan(a) or a < 0:
        return math.nan
    if a == 0 or math.isinf(a):
        return a
    # Square root with 80 bits to spare: never a tie, and inexact exactly when the remainder is.
    value = Fraction(a)
    shift = 2 * (1200 + 80)
    scaled = (value.numerator << shift) // value.denominator
    root = math.isqrt(scaled)
    exact = root * root == scaled and (value.numerator << shift) % value.denominator == 0
    sticky = Fraction(0) if exact else Fraction(1, 2)
    return oracle.round_exact((root + sticky) / Fraction(2) ** (shift // 2), name, mode)


def arrays(rows: list[tuple[int, ...]], fmt: FloatFormat) -> list[Array]:
    return [fmt.from_bits(np.array(column, dtype=np.uint64)) for column in zip(*rows, strict=True)]


def check(
    operation: Callable[..., Array],
    exactly: Callable[..., float],
    rows: list[tuple[int, ...]],
    name: str,
    mode: str,
) -> None:
    fmt = FLOAT_FORMATS[name]
    result = operation(*arrays(rows, fmt), fmt, mode)
    assert result.dtype == fmt.dtype
    for row, actual in zip(rows, widen(result, fmt).tolist(), strict=True):
        operands = [oracle.decode(name, bits) for bits in row]
        expected = exactly(*operands, name, mode)
        assert oracle.same(actual, expected), (operands, actual, expected)


def subtract(lhs: Array, rhs: Array, fmt: FloatFormat, mode: Any) -> Array:
    return floating.subf(lhs, rhs, fmt, mode)


def subtract_exactly(a: float, b: float, name: str, mode: str) -> float:
    return add_exactly(a, -b, name, mode)


BINARY: dict[str, tuple[Callable[..., Array], Callable[..., float]]] = {
    "addf": (floating.addf, add_exactly),
    "subf": (floating.subf, subtract_exactly),
    "mulf": (floating.mulf, multiply_exactly),
    "divf": (floating.divf, divide_exactly),
}


def hard_bits(name: str, rng: random.Random) -> int:
    """Encodings with few or many significand bits, often near the ends of the exponent range."""
    layout = oracle.LAYOUTS[name]
    last = (1 << layout.exponent) - 2
    exponent = rng.choice(
        (rng.randint(0, last), rng.randint(0, 3), rng.randint(last - 3, last), layout.bias)
    )
    if rng.random() < 0.5:
        exponent = min(max(layout.bias + rng.randint(-layout.mantissa, layout.mantissa), 0), last)
    mantissa = rng.choice(
        (
            rng.getrandbits(layout.mantissa),
            1 << rng.randrange(layout.mantissa),
            (1 << layout.mantissa) - 1 - rng.randrange(4),
            rng.getrandbits(layout.mantissa // 2) << (layout.mantissa - layout.mantissa // 2),
        )
    )
    sign = rng.getrandbits(1) << (layout.width - 1)
    return sign | (exponent << layout.mantissa) | mantissa


def hard_rows(name: str, arity: int, count: int) -> list[tuple[int, ...]]:
    rng = random.Random(f"{name}{arity}")
    return [tuple(hard_bits(name, rng) for _ in range(arity)) for _ in range(count)]


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", BASE)
@pytest.mark.parametrize("operation", list(BINARY))
def test_binary(operation: str, name: str, mode: str) -> None:
    rows: list[tuple[int, ...]] = list(itertools.product(oracle.special_bits(name), repeat=2))
    check(*BINARY[operation], rows + hard_rows(name, 2, 600), name, mode)


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", BASE)
def test_fma(name: str, mode: str) -> None:
    chosen = oracle.special_bits(name)[::3]
    rows: list[tuple[int, ...]] = list(itertools.product(chosen, repeat=3))
    rows += hard_rows(name, 3, 1500)
    # Sums that cancel the product's head, so that its tail decides.
    for a, b, _ in hard_rows(name, 3, 600):
        product = -oracle.decode(name, a) * oracle.decode(name, b)
        if math.isfinite(product):
            near = oracle.round_exact(Fraction(product), name, "nearest_even")
            encoded = FLOAT_FORMATS[name].to_bits(np.array(near).astype(FLOAT_FORMATS[name].dtype))
            rows.append((a, b, int(encoded)))
    check(floating.fma, fma_exactly, rows, name, mode)


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", BASE)
def test_sqrt(name: str, mode: str) -> None:
    rows: list[tuple[int, ...]] = [(bits,) for bits in oracle.special_bits(name)]
    check(floating.sqrt, sqrt_exactly, rows + hard_rows(name, 1, 600), name, mode)


def encodings(name: str) -> st.SearchStrategy[int]:
    layout = oracle.LAYOUTS[name]
    near_one = st.integers(layout.bias - 30, layout.bias + 30)
    exponent = near_one | st.integers(0, (1 << layout.exponent) - 1)
    sparse = st.integers(0, layout.mantissa - 1).map(lambda place: 1 << place)
    mantissa = st.integers(0, (1 << layout.mantissa) - 1) | sparse

    def encode(sign: int, exponent: int, mantissa: int) -> int:
        return (sign << (layout.width - 1)) | (exponent << layout.mantissa) | mantissa

    return st.builds(encode, st.integers(0, 1), exponent, mantissa)


@settings(max_examples=60)
@given(st.data())
@pytest.mark.parametrize("name", ["f32", "f64"])
def test_any_operands_in_any_mode(name: str, data: st.DataObject) -> None:
    operand = encodings(name)
    rows = data.draw(st.lists(st.tuples(operand, operand, operand), min_size=1, max_size=20))
    mode = data.draw(st.sampled_from(ROUNDINGS))
    pairs: list[tuple[int, ...]] = [row[:2] for row in rows]
    for operation, exactly in BINARY.values():
        check(operation, exactly, pairs, name, mode)
    check(floating.sqrt, sqrt_exactly, [row[:1] for row in rows], name, mode)
    check(floating.fma, fma_exactly, [*rows], name, mode)


def test_fma_rounds_once_where_binary64_rounds_twice() -> None:
    # a * b is a tie of f32's last place and c breaks it, far below binary64's last place.
    f32 = FLOAT_FORMATS["f32"]
    a = np.array([1 + 2.0**-12, 1 + 2.0**-12], dtype=np.float32)
    c = np.array([2.0**-100, -(2.0**-100)], dtype=np.float32)
    exact = 1 + 2.0**-11
    assert floating.fma(a, a, c, f32).tolist() == [exact + 2.0**-23, exact]
    twice = (a.astype(np.float64) * a + c).astype(np.float32)
    assert twice.tolist() == [exact, exact]


def test_fma_rounds_once_where_the_result_is_subnormal() -> None:
    # a * b is just below half of f32's smallest number: binary64 takes the sum for a tie.
    f32 = FLOAT_FORMATS["f32"]
    a = np.array([(1 + 2.0**-23) * 2.0**-75], dtype=np.float32)
    b = np.array([(1 - 2.0**-23) * 2.0**-75], dtype=np.float32)
    odd = np.array([(2**22 + 1) * 2.0**-149], dtype=np.float32)
    assert floating.fma(a, b, odd, f32).tolist() == odd.tolist()
    twice = (a.astype(np.float64) * b + odd).astype(np.float32)
    assert twice.tolist() == [(2**22 + 2) * 2.0**-149]


@pytest.mark.parametrize("operation", ["mulf", "divf"])
def test_bf16_subnormals_round_once(operation: str) -> None:
    # Every pair of significands, with the result around and below the smallest bf16 numbers.
    bf16 = FLOAT_FORMATS["bf16"]
    significands = np.ldexp(np.arange(128, 256, dtype=np.float64), -7)
    lhs, rhs = (x.reshape(-1) for x in np.meshgrid(significands, significands))
    for exponent in range(-137, -124):
        small, other = np.ldexp(lhs, -100), np.ldexp(rhs, exponent + 100)
        exact = small * other
        if operation == "divf":
            other = np.ldexp(rhs, -100 - exponent)
            # 53 bits: further from any midpoint than binary64 can err, or exact.
            exact = small / other
        scaled = np.ldexp(exact, 133)
        assert (scaled < 2.0**10).all()
        # The last place is 2**-133 up to 2**-125; above, it doubles.
        place = np.where(scaled >= 2.0**9, 4.0, np.where(scaled >= 2.0**8, 2.0, 1.0))
        expected = np.ldexp(np.rint(scaled / place) * place, -133)
        operands = (x.astype(bf16.dtype) for x in (small, other))
        result = getattr(floating, operation)(*operands, bf16)
        assert (result.astype(np.float64) == expected).all()


@pytest.mark.parametrize("name", BASE)
def test_remf_is_exact(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    rows: list[tuple[int, ...]] = list(itertools.product(oracle.special_bits(name), repeat=2))
    rows += hard_rows(name, 2, 600)
    lhs, rhs = arrays(rows, fmt)
    result = widen(floating.remf(lhs, rhs, fmt), fmt).tolist()
    for row, actual in zip(rows, result, strict=True):
        a, b = (oracle.decode(name, bits) for bits in row)
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
            expected = math.nan
        elif math.isinf(b):
            expected = a
        else:
            quotient = Fraction(a) / Fraction(b)
            rest = Fraction(a) - Fraction(b) * math.trunc(quotient)
            expected = math.copysign(float(rest), a)
        assert oracle.same(actual, expected), (a, b)


@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("operation", ["ceil", "floor", "negf", "absf"])
def test_unary_exact_on_every_encoding(operation: str, name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    bits = np.arange(1 << 16)
    result = getattr(floating, operation)(fmt.from_bits(bits), fmt)
    sign = 0x8000
    if operation == "negf":
        assert (fmt.to_bits(result) == bits ^ sign).all()
        return
    if operation == "absf":
        assert (fmt.to_bits(result) == bits & ~sign).all()
        return
    exactly: Callable[[float], int] = math.ceil if operation == "ceil" else math.floor
    for code, actual in zip(bits.tolist(), widen(result, fmt).tolist(), strict=True):
        value = oracle.decode(name, code)
        if math.isfinite(value):
            value = math.copysign(float(exactly(value)), value)
        assert oracle.same(actual, value), code


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_unary_exact_on_wide_formats(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    codes = oracle.special_bits(name) + [row[0] for row in hard_rows(name, 1, 500)]
    source = fmt.from_bits(np.array(codes, dtype=np.uint64))
    sign = 1 << (fmt.width - 1)
    assert fmt.to_bits(floating.negf(source, fmt)).tolist() == [code ^ sign for code in codes]
    assert fmt.to_bits(floating.absf(source, fmt)).tolist() == [code & ~sign for code in codes]
    for operation, exactly in ((floating.ceil, math.ceil), (floating.floor, math.floor)):
        for code, actual in zip(codes, operation(source, fmt).tolist(), strict=True):
            value = oracle.decode(name, code)
            if math.isfinite(value):
                value = math.copysign(float(exactly(value)), value)
            assert oracle.same(actual, value), code


def choose_exactly(a: float, b: float, larger: bool, propagate_nan: bool) -> float:
    if math.isnan(a) or math.isnan(b):
        return (
            math.nan
            if propagate_nan or (math.isnan(a) and math.isnan(b))
            else min(a, b, key=math.isnan)
        )
    if a == b == 0:
        same_sign = negative(a) == negative(b)
        return a if same_sign else (0.0 if larger else -0.0)
    return max(a, b) if larger else min(a, b)


@pytest.mark.parametrize("propagate_nan", [False, True])
@pytest.mark.parametrize("name", BASE)
def test_maxf_and_minf(name: str, propagate_nan: bool) -> None:
    fmt = FLOAT_FORMATS[name]
    rows: list[tuple[int, ...]] = list(itertools.product(oracle.special_bits(name), repeat=2))
    rows += hard_rows(name, 2, 300)
    for operation, larger in ((floating.maxf, True), (floating.minf, False)):
        lhs, rhs = arrays(rows, fmt)
        result = operation(lhs, rhs, fmt, propagate_nan)
        assert result.dtype == fmt.dtype
        for row, actual in zip(rows, widen(result, fmt).tolist(), strict=True):
            a, b = (oracle.decode(name, bits) for bits in row)
            expected = choose_exactly(a, b, larger, propagate_nan)
            assert oracle.same(actual, expected), (a, b, larger)


@pytest.mark.parametrize("lanes", [1, 4, 7, 16, 33])
def test_signaling_nan_loses_in_every_lane(lanes: int) -> None:
    f32 = FLOAT_FORMATS["f32"]
    nan = np.full(lanes, 0x7F800001, np.uint32).view(np.float32)
    numbers = np.arange(lanes, dtype=np.float32)
    for operation in (floating.maxf, floating.minf):
        for operands in ((nan, numbers), (numbers, nan)):
            assert operation(*operands, f32).tolist() == numbers.tolist()
            assert np.isnan(operation(*operands, f32, propagate_nan=True)).all()


def flushed(value: float) -> float:
    return math.copysign(0.0, value) if abs(value) < 2.0**-126 else value


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_flush_to_zero(mode: Any) -> None:
    f32 = FLOAT_FORMATS["f32"]
    codes = oracle.special_bits("f32") + [row[0] for row in hard_rows("f32", 1, 40)]
    rows: list[tuple[int, ...]] = list(itertools.product(codes, repeat=2))
    lhs, rhs = arrays(rows, f32)
    for operation, exactly in BINARY.values():
        result = operation(lhs, rhs, f32, mode, ftz=True).tolist()
        for row, actual in zip(rows, result, strict=True):
            a, b = (flushed(oracle.decode("f32", bits)) for bits in row)
            assert oracle.same(actual, flushed(exactly(a, b, "f32", mode))), (exactly, a, b)
    result = floating.fma(lhs, rhs, lhs, f32, mode, ftz=True).tolist()
    for row, actual in zip(rows, result, strict=True):
        a, b = (flushed(oracle.decode("f32", bits)) for bits in row)
        assert oracle.same(actual, flushed(fma_exactly(a, b, a, "f32", mode))), (a, b)
    result = floating.sqrt(lhs, f32, mode, ftz=True).tolist()
    for row, actual in zip(rows, result, strict=True):
        assert oracle.same(actual, sqrt_exactly(flushed(oracle.decode("f32", row[0])), "f32", mode))
    for larger, operation in ((True, floating.maxf), (False, floating.minf)):
        result = operation(lhs, rhs, f32, ftz=True).tolist()
        for row, actual in zip(rows, result, strict=True):
            a, b = (flushed(oracle.decode("f32", bits)) for bits in row)
            assert oracle.same(actual, choose_exactly(a, b, larger, propagate_nan=False))


def test_results_of_rank_zero_are_arrays() -> None:
    f64 = FLOAT_FORMATS["f64"]
    one, third = np.array(1.0), np.array(1 / 3)
    for mode in ("nearest_even", "zero"):
        for operation in (floating.addf, floating.mulf, floating.divf):
            result = operation(one, third, f64, mode)
            assert isinstance(result, np.ndarray)
            assert result.shape == ()
        tiny = np.array(5e-324)
        assert floating.fma(tiny, tiny, one, f64, mode).shape == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("operation", list(BINARY))
def test_binary_on_many_16_bit_operands(operation: str, name: str) -> None:
    rng = np.random.default_rng(0)
    lhs, rhs = rng.integers(0, 1 << 16, (2, 60_000))
    for mode in ROUNDINGS:
        rows = list(zip(lhs.tolist(), rhs.tolist(), strict=True))
        check(*BINARY[operation], rows, name, mode)
