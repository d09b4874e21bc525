"""Integer operations: exhaustively for i1 and i8, at extremes and at random for wider formats."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tileir_xdsl.numerics import integer
from tileir_xdsl.numerics.compare import cmpi
from tileir_xdsl.numerics.formats import INTEGER_FORMATS, IntegerFormat

Array = npt.NDArray[Any]
NAMES = ["i1", "i8", "i16", "i32", "i64"]
OVERFLOWS = ["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"]


def operands(name: str) -> list[tuple[int, int]]:
    """Pairs of encodings: all of them up to 8 bits, else extremes crossed, and random ones."""
    width = INTEGER_FORMATS[name].width
    if width <= 8:
        return [(a, b) for a in range(1 << width) for b in range(1 << width)]
    rng = random.Random(name)
    top = 1 << width
    edges = [0, 1, 2, 3, 7, width - 1, width, width + 1, top >> 1, (top >> 1) - 1, (top >> 1) + 1]
    edges += [top - 1, top - 2, top - 3, 1 << (width // 2), (1 << (width // 2)) - 1, 10]
    pairs = [(a, b) for a in edges for b in edges]
    for _ in range(2000):
        pairs.append(
            (rng.getrandbits(rng.randint(1, width)), rng.getrandbits(rng.randint(1, width)))
        )
    return pairs


def signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


def value(bits: int, width: int, is_signed: bool) -> int:
    return signed(bits, width) if is_signed else bits


def columns(name: str) -> tuple[list[tuple[int, int]], Array, Array, IntegerFormat]:
    fmt = INTEGER_FORMATS[name]
    pairs = operands(name)
    lhs, rhs = (fmt.from_bits(np.array(c, dtype=np.uint64)) for c in zip(*pairs, strict=True))
    return pairs, lhs, rhs, fmt


def check_bits(
    result: Array,
    fmt: IntegerFormat,
    pairs: list[tuple[int, int]],
    exactly: Callable[[int, int], int],
) -> None:
    assert result.dtype == fmt.dtype
    mask = (1 << fmt.width) - 1
    for pair, actual in zip(pairs, fmt.to_bits(result).tolist(), strict=True):
        assert actual == exactly(*pair) & mask, pair


RING: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operation", list(RING))
def test_wrapping_arithmetic_and_its_overflow(operation: str, name: str) -> None:
    pairs, lhs, rhs, fmt = columns(name)
    exactly = RING[operation]
    check_bits(getattr(integer, operation)(lhs, rhs, fmt), fmt, pairs, exactly)
    for overflow in OVERFLOWS:
        undefined = getattr(integer, f"{operation}_undefined")(lhs, rhs, fmt, overflow)
        assert undefined.dtype == np.bool_
        for (a, b), actual in zip(pairs, undefined.tolist(), strict=True):
            low, high = fmt.limits(signed=True)
            exact = exactly(signed(a, fmt.width), signed(b, fmt.width))
            expected = overflow in ("no_signed_wrap", "no_wrap") and not low <= exact <= high
            if overflow in ("no_unsigned_wrap", "no_wrap"):
                expected |= not 0 <= exactly(a, b) < 1 << fmt.width
            assert actual == expected, (a, b, overflow)


@pytest.mark.parametrize("name", NAMES)
def test_mulhii(name: str) -> None:
    pairs, lhs, rhs, fmt = columns(name)
    check_bits(integer.mulhii(lhs, rhs, fmt), fmt, pairs, lambda a, b: (a * b) >> fmt.width)


def divide(a: int, b: int, rounding: str) -> int:
    if rounding == "negative_inf":
        return a // b
    if rounding == "positive_inf":
        return -(-a // b)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize("is_signed", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_division(name: str, is_signed: bool) -> None:
    pairs, lhs, rhs, fmt = columns(name)
    width, low = fmt.width, fmt.limits(signed=True)[0]
    undefined = integer.divi_undefined(lhs, rhs, fmt, is_signed).tolist()
    assert undefined == integer.remi_undefined(lhs, rhs, fmt, is_signed).tolist()
    roundings = ["zero", "positive_inf", *(["negative_inf"] if is_signed else [])]
    for rounding in roundings:
        result = integer.divi(lhs, rhs, fmt, is_signed, rounding)  # pyright: ignore[reportArgumentType]
        rest = integer.remi(lhs, rhs, fmt, is_signed)
        assert result.dtype == rest.dtype == fmt.dtype
        quotients, rests = fmt.to_bits(result).tolist(), fmt.to_bits(rest).tolist()
        for index, pair in enumerate(pairs):
            a, b = (value(bits, width, is_signed) for bits in pair)
            assert undefined[index] == (b == 0 or (is_signed and a == low and b == -1))
            if undefined[index]:
                continue
            mask = (1 << width) - 1
            assert quotients[index] == divide(a, b, rounding) & mask, (a, b, rounding)
            assert rests[index] == (a - b * divide(a, b, "zero")) & mask, (a, b)


@pytest.mark.parametrize("is_signed", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_extrema_and_comparisons(name: str, is_signed: bool) -> None:
    pairs, lhs, rhs, fmt = columns(name)
    read = [tuple(value(bits, fmt.width, is_signed) for bits in pair) for pair in pairs]
    check_bits(
        integer.maxi(lhs, rhs, fmt, is_signed),
        fmt,
        pairs,
        lambda a, b: max(a, b, key=lambda bits: value(bits, fmt.width, is_signed)),
    )
    check_bits(
        integer.mini(lhs, rhs, fmt, is_signed),
        fmt,
        pairs,
        lambda a, b: min(a, b, key=lambda bits: value(bits, fmt.width, is_signed)),
    )
    predicates: dict[Any, Callable[[int, int], bool]] = {
        "equal": lambda a, b: a == b,
        "not_equal": lambda a, b: a != b,
        "less_than": lambda a, b: a < b,
        "less_than_or_equal": lambda a, b: a <= b,
        "greater_than": lambda a, b: a > b,
        "greater_than_or_equal": lambda a, b: a >= b,
    }
    for predicate, holds in predicates.items():
        result = cmpi(predicate, lhs, rhs, fmt, is_signed)
        assert result.dtype == np.bool_
        assert result.tolist() == [holds(a, b) for a, b in read]


@pytest.mark.parametrize("name", NAMES)
def test_shifts(name: str) -> None:
    pairs, lhs, rhs, fmt = columns(name)
    width = fmt.width
    left = integer.shli(lhs, rhs, fmt)
    for overflow in OVERFLOWS:
        undefined = integer.shli_undefined(lhs, rhs, fmt, overflow)  # pyright: ignore[reportArgumentType]
        for (a, count), actual in zip(pairs, undefined.tolist(), strict=True):
            expected = count >= width
            if not expected:
                low, high = fmt.limits(signed=True)
                wraps_signed = not low <= signed(a, width) << count <= high
                wraps_unsigned = a << count >= 1 << width
                expected = (overflow in ("no_signed_wrap", "no_wrap") and wraps_signed) or (
                    overflow in ("no_unsigned_wrap", "no_wrap") and wraps_unsigned
                )
            assert actual == expected, (a, count, overflow)
    defined = [count < width for _, count in pairs]
    assert integer.shri_undefined(lhs, rhs, fmt).tolist() == [not d for d in defined]
    check_bits(left, fmt, pairs, lambda a, count: a << count if count < width else 0)
    for is_signed in (True, False):
        check_bits(
            integer.shri(lhs, rhs, fmt, is_signed),
            fmt,
            pairs,
            lambda a, count, s=is_signed: value(a, width, s) >> min(count, width),
        )


@pytest.mark.parametrize("name", NAMES)
def test_negation_and_magnitude(name: str) -> None:
    pairs, lhs, _, fmt = columns(name)
    low = fmt.limits(signed=True)[0]
    check_bits(integer.negi(lhs, fmt), fmt, pairs, lambda a, _: -a)
    check_bits(integer.absi(lhs, fmt), fmt, pairs, lambda a, _: abs(signed(a, fmt.width)))
    for overflow in ("none", "no_signed_wrap", "no_wrap"):
        undefined = integer.negi_undefined(lhs, fmt, overflow)  # pyright: ignore[reportArgumentType]
        promised = overflow != "none"
        expected = [promised and signed(a, fmt.width) == low for a, _ in pairs]
        assert undefined.tolist() == expected


def test_rank_zero() -> None:
    i32 = INTEGER_FORMATS["i32"]
    most = np.array(2**31 - 1, dtype=np.int32)
    total = integer.addi(most, most, i32)
    assert isinstance(total, np.ndarray)
    assert total.tolist() == -2
    assert integer.addi_undefined(most, most, i32, "no_signed_wrap").tolist() is True
    assert integer.divi(most, np.array(0, dtype=np.int32), i32, True).shape == ()
