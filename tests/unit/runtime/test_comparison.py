"""The comparison that harnesses carry: it agrees with the package's number formats, and one wrong
bit does not escape it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.numerics.formats import FLOAT_FORMATS, FORMATS, FloatFormat, IntegerFormat
from tileir_xdsl.numerics.rounding import widen
from tileir_xdsl.numerics.ulp import ulp_distance
from tileir_xdsl.runtime.comparison import (
    Tolerance,
    difference,
    distance,
    element_bits,
    values,
    wrong_elements,
)
from tileir_xdsl.runtime.layouts import layout_of

F32 = layout_of("f32")
EXACT = Tolerance()


def bits_of(*numbers: float) -> Any:
    return np.asarray(numbers, np.float32).view(np.uint32)


def sample(fmt: FloatFormat) -> Any:
    """All encodings of small formats, and for others special and random ones."""
    if fmt.width <= 16:
        return np.arange(1 << fmt.width, dtype=np.uint64)
    random = np.random.default_rng(fmt.width).integers(0, 1 << min(fmt.width, 63), 2000)
    special = [0, 1, fmt.sign_bit, fmt.sign_bit | 1, fmt.canonical_nan_bits or 0]
    exponents = ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits
    special += [exponents, exponents | fmt.sign_bit, exponents - 1, 1 << fmt.mantissa_bits]
    return np.asarray([*special, *random.tolist()], np.uint64)


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_values_and_distances_are_those_of_the_package(name: str):
    fmt = FLOAT_FORMATS[name]
    bits = sample(fmt).astype(fmt.bits_dtype)
    stored = fmt.from_bits(bits)
    np.testing.assert_array_equal(values(bits, layout_of(name)), widen(stored, fmt))
    other = np.random.default_rng(0).permutation(bits)
    np.testing.assert_array_equal(
        distance(bits, other, layout_of(name)),
        ulp_distance(stored, fmt.from_bits(other), fmt),
    )


def test_a_layout_for_every_format():
    assert {name: layout_of(name)[1] for name in FORMATS} == {
        n: f.width for n, f in FORMATS.items()
    }
    assert layout_of("ui16") == layout_of("i16")


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_equal_bits_or_two_nans(first: int, second: int):
    a, b = np.asarray([first], np.uint32), np.asarray([second], np.uint32)
    nans = np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
    right = not wrong_elements(a, b, F32, EXACT)[0]
    assert right == bool(first == second or nans[0])


@pytest.mark.parametrize("name", FORMATS)
def test_a_single_wrong_ulp(name: str):
    fmt = FORMATS[name]
    expected = np.full((3, 4), 1, fmt.bits_dtype)
    actual = expected.copy()
    actual[1, 2] ^= 1
    found = difference("out", actual, expected, layout_of(name), EXACT)
    assert found is not None
    assert (found.wrong, found.total) == (1, 12)
    assert found.lines[0].startswith("[1, 2]: ")
    assert found.largest == 1


def test_a_single_wrong_element_behind_many_tolerated_ones():
    expected = bits_of(*np.linspace(1, 2, 1000))
    actual = expected + np.uint32(2)
    assert difference("out", actual, expected, F32, Tolerance(ulps=2)) is None
    actual[777] = expected[777] + 3
    found = difference("out", actual, expected, F32, Tolerance(ulps=2))
    assert found is not None
    assert str(found).splitlines() == [
        "out: 1 of 1000 elements differ",
        f"  {found.lines[0]}",
    ]
    assert found.lines[0].startswith("[777]: 1.77777")
    assert found.lines[0].endswith(": 3 ulps")


def test_an_absolute_tolerance():
    expected, actual = bits_of(1e-9, 1.0), bits_of(-1e-9, 1.0)
    assert difference("out", actual, expected, F32, Tolerance(0, 3e-9)) is None
    assert difference("out", actual, expected, F32, Tolerance(1000)) is not None
    assert difference("out", actual, expected, F32, Tolerance(0, 1e-9)) is not None


def test_infinities_are_not_within_an_absolute_tolerance_of_numbers():
    expected = bits_of(np.inf, -np.inf, 1.0, np.nan)
    actual = bits_of(np.inf, np.inf, np.inf, 1.0)
    wrong = wrong_elements(actual, expected, F32, Tolerance(5, 10.0))
    assert wrong.tolist() == [False, True, True, True]


def test_zeros_have_signs_only_where_bits_must_be_equal():
    plus, minus = bits_of(0.0), bits_of(-0.0)
    assert difference("out", plus, minus, F32, EXACT) is not None
    assert difference("out", plus, minus, F32, Tolerance(1)) is None


def test_the_worst_is_shown_too():
    expected = bits_of(*[1.0] * 20)
    actual = expected.copy()
    actual[:10] += 1
    actual[7] += 98
    found = difference("y", actual, expected, F32, EXACT)
    assert found is not None
    assert (found.wrong, found.largest) == (10, 99)
    assert str(found).splitlines()[0] == "y: 10 of 20 elements differ"
    assert found.lines[-1].startswith("[7]: ")
    assert found.lines[-1].endswith(": 99 ulps")


def test_integers():
    expected, actual = np.asarray([5, 0xFF], np.uint8), np.asarray([5, 1], np.uint8)
    found = difference("n", actual, expected, layout_of("i8"), Tolerance(100, 100.0))
    assert found is not None
    assert found.lines == ("[1]: 1, expected -1",)
    assert found.largest == 2


def test_a_nan_where_a_number_belongs():
    found = difference("x", bits_of(np.nan), bits_of(1.0), F32, Tolerance(10**6, 1e6))
    assert found is not None
    assert "one is no number" in found.lines[0]


def test_a_shape_of_another_kind():
    with pytest.raises(ValueError, match="shape"):
        difference("x", bits_of(1, 2), bits_of(1), F32, EXACT)


def test_elements_in_memory():
    assert element_bits(np.asarray([0x21, 0x43], np.uint8), ("int", 4), 3).tolist() == [1, 2, 3]
    tf32 = element_bits(np.asarray([0x3F80_1FFF], np.uint32), layout_of("tf32"))
    assert tf32.tolist() == [0x3F80_1FFF >> 13]
    assert isinstance(FORMATS["i4"], IntegerFormat)
