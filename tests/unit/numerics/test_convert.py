"""Conversions: every legal pair of float formats, integers to floats and back."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support import numeric_oracle as oracle

from tileir_xdsl.numerics import convert
from tileir_xdsl.numerics.formats import FLOAT_FORMATS, INTEGER_FORMATS
from tileir_xdsl.numerics.rounding import widen

INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
WIDENING = {
    "f32": ("f64",),
    "tf32": ("f64", "f32"),
    "f16": ("f64", "f32", "tf32"),
    "bf16": ("f64", "f32", "tf32"),
    "f8E4M3FN": ("f64", "f32", "tf32", "f16", "bf16"),
    "f8E5M2": ("f64", "f32", "tf32", "f16", "bf16"),
    "f8E8M0FNU": ("f64",),
    "f4E2M1FN": ("f64", "f32", "tf32", "f16", "bf16"),
    "fnv8E5M3FNU": ("f64", "f32", "tf32", "bf16"),
}


def legal_modes(source: str, target: str) -> tuple[str, ...]:
    """The rounding modes that ftof accepts for the pair."""
    if target == "f8E8M0FNU":
        return ("zero", "positive_inf")
    if target in ("f8E4M3FN", "f8E5M2", "f4E2M1FN", "fnv8E5M3FNU"):
        return ("nearest_even",)
    if target in WIDENING.get(source, ()):
        return oracle.MODES
    if (source, target) == ("f64", "f32"):
        return ("nearest_even", *oracle.DIRECTED)
    if (source, target) == ("f32", "tf32"):
        return ("nearest_even", "zero", "nearest_away")
    return ("nearest_even", "zero")


PAIRS = [(a, b) for a in FLOAT_FORMATS for b in FLOAT_FORMATS if a != b]


def source_codes(name: str) -> list[int]:
    """All encodings up to 8 bits; else specials, a stride through all, and a few at random."""
    width = oracle.LAYOUTS[name].width
    if width <= 8:
        return list(range(1 << width))
    rng = random.Random(name)
    codes = oracle.special_bits(name)
    if width <= 19:
        return codes + list(range(0, 1 << width, max(1, (1 << width) // 1031)))
    return codes + [rng.getrandbits(width) for _ in range(600)]


def near_target(source: str, target: str) -> list[int]:
    """Encodings of the source at values, midpoints and limits of the target, and next to them."""
    if oracle.LAYOUTS[source].width <= 16:
        return []
    rng = random.Random(source + target)
    layout = oracle.LAYOUTS[target]
    fmt = FLOAT_FORMATS[source]
    codes: list[int] = []
    top = oracle.largest_code(target)
    picks = [rng.randrange(top) for _ in range(200)] + [0, 1, 2, top - 1]
    for code in picks:
        here, above = oracle.decode(target, code), oracle.decode(target, code + 1)
        for value in (here, (here + above) / 2, above * 1.5):
            with np.errstate(all="ignore"):
                stored = np.array(value).astype(fmt.dtype)
            bits = int(fmt.to_bits(stored)) if source != "tf32" else int(stored.view("u4")) >> 13
            codes += [bits - 1, bits, bits + 1]
    assert layout.width
    return [code & ((1 << fmt.width) - 1) for code in codes]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_ftof(source: str, target: str) -> None:
    check_ftof(source, target, source_codes(source) + near_target(source, target))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "target"), [pair for pair in PAIRS if pair[0] in ("f16", "bf16")]
)
def test_ftof_from_every_encoding(source: str, target: str) -> None:
    check_ftof(source, target, list(range(1 << oracle.LAYOUTS[source].width)))


def check_ftof(source: str, target: str, codes: list[int]) -> None:
    src, dst = FLOAT_FORMATS[source], FLOAT_FORMATS[target]
    values = src.from_bits(np.array(codes, dtype=np.uint64))
    for mode in legal_modes(source, target):
        rounding: Any = mode
        result = convert.ftof(values, src, dst, rounding)
        assert result.dtype == dst.dtype
        for code, actual in zip(codes, widen(result, dst).tolist(), strict=True):
            expected = oracle.convert(oracle.decode(source, code), target, mode)
            assert oracle.same(actual, expected), (oracle.decode(source, code), mode)


def test_tf32_results_have_no_bits_below_the_format() -> None:
    values = np.random.default_rng(0).normal(size=500).astype(np.float32)
    result = convert.ftof(values, FLOAT_FORMATS["f32"], FLOAT_FORMATS["tf32"])
    assert not (result.view(np.uint32) & 0x1FFF).any()


def integer_codes(name: str) -> list[int]:
    width = INTEGER_FORMATS[name].width
    if width <= 16:
        return list(range(1 << width))
    rng = random.Random(name)
    codes = [rng.getrandbits(rng.randint(1, width)) for _ in range(1500)]
    for place in range(width):
        around = [(1 << place) + step for step in (-2, -1, 0, 1, 2)]
        # Midpoints of the narrower formats, with and without a bit far below.
        around += [(1 << place) + (1 << max(place - p, 0)) for p in (2, 3, 4, 8, 11, 24, 53)]
        around += [bits + 1 for bits in around] + [bits - 1 for bits in around]
        codes += around + [-bits for bits in around]
    return [code & ((1 << width) - 1) for code in codes]


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("target", [name for name in FLOAT_FORMATS if name != "f8E8M0FNU"])
@pytest.mark.parametrize("source", INTEGERS)
def test_itof(source: str, target: str, signed: bool) -> None:
    src, dst = INTEGER_FORMATS[source], FLOAT_FORMATS[target]
    codes = integer_codes(source)
    codes = codes if len(codes) < 20_000 else [*codes[::23], 0x7FFF, 0x8000, 0xFFFF]
    result = convert.itof(src.from_bits(np.array(codes, dtype=np.uint64)), src, dst, signed)
    assert result.dtype == dst.dtype
    for code, actual in zip(codes, widen(result, dst).tolist(), strict=True):
        value = code - (1 << src.width) if signed and code >> (src.width - 1) else code
        expected = oracle.round_exact(Fraction(value), target)
        assert oracle.same(actual, expected), value


def test_itof_does_not_round_twice() -> None:
    # Through f64 the bit that breaks the tie would be lost.
    i64, bf16, f32 = INTEGER_FORMATS["i64"], FLOAT_FORMATS["bf16"], FLOAT_FORMATS["f32"]
    tie_broken = np.array([2**62 + 2**54 + 1, 2**62 + 2**54], dtype=np.int64)
    assert convert.itof(tie_broken, i64, bf16, True).tolist() == [2.0**62 + 2.0**55, 2.0**62]
    tie_broken = np.array([2**62 + 2**38 + 1, 2**62 + 2**38], dtype=np.int64)
    assert convert.itof(tie_broken, i64, f32, True).tolist() == [2.0**62 + 2.0**39, 2.0**62]


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", list(FLOAT_FORMATS))
def test_ftoi(source: str, target: str, signed: bool) -> None:
    src, dst = FLOAT_FORMATS[source], INTEGER_FORMATS[target]
    codes = source_codes(source)
    low, high = dst.limits(signed)
    if oracle.LAYOUTS[source].width >= 32:
        edges = [float(v) for v in (low, high, low - 1, high + 1, low + 1, high - 1)]
        edges += [math.nextafter(edge, towards) for edge in edges for towards in (-1e30, 1e30)]
        edges += [edge + 0.5 for edge in edges] + [edge - 0.5 for edge in edges]
        stored = np.array(edges).astype(np.float64 if source == "f64" else np.float32)
        codes = codes + src.to_bits(stored.astype(src.dtype)).tolist()
    values = src.from_bits(np.array(codes, dtype=np.uint64))
    result = convert.ftoi(values, src, dst, signed, saturating=True)
    assert result.dtype == dst.dtype
    bare = convert.ftoi(values, src, dst, signed)
    undefined = convert.ftoi_undefined(values, src, dst, signed).tolist()
    assert not convert.ftoi_undefined(values, src, dst, signed, saturating=True).any()
    saturated, plain = dst.to_bits(result).tolist(), dst.to_bits(bare).tolist()
    for index, code in enumerate(codes):
        value = oracle.decode(source, code)
        inside = math.isfinite(value) and low <= math.trunc(value) <= high
        if inside:
            expected = math.trunc(value)
        else:
            expected = 0 if math.isnan(value) else (low if value < 0 else high)
        assert undefined[index] != inside, value
        assert saturated[index] == expected & ((1 << dst.width) - 1), value
        if inside:
            assert plain[index] == saturated[index], value


@pytest.mark.parametrize("source", ["i1", "i4", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("target", ["i1", "i4", "i8", "i16", "i32", "i64"])
def test_exti_and_trunci(source: str, target: str) -> None:
    src, dst = INTEGER_FORMATS[source], INTEGER_FORMATS[target]
    codes = integer_codes(source)
    values = src.from_bits(np.array(codes, dtype=np.uint64))

    def read(code: int, width: int, signed: bool) -> int:
        return code - (1 << width) if signed and code >> (width - 1) else code

    if src.width < dst.width:
        for signed in (True, False):
            result = convert.exti(values, src, dst, signed)
            assert result.dtype == dst.dtype
            expected = [read(code, src.width, signed) & ((1 << dst.width) - 1) for code in codes]
            assert dst.to_bits(result).tolist() == expected
    if src.width > dst.width:
        mask = (1 << dst.width) - 1
        result = convert.trunci(values, src, dst)
        assert result.dtype == dst.dtype
        assert dst.to_bits(result).tolist() == [code & mask for code in codes]
        promises: dict[Any, tuple[bool, ...]] = {
            "none": (),
            "no_signed_wrap": (True,),
            "no_unsigned_wrap": (False,),
            "no_wrap": (True, False),
        }
        for overflow, kinds in promises.items():
            undefined = convert.trunci_undefined(values, src, dst, overflow)
            assert undefined.tolist() == [
                any(read(code & mask, dst.width, s) != read(code, src.width, s) for s in kinds)
                for code in codes
            ]
