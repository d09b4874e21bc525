"""What licences allow: certain without flags, as wide as a flag states, free behind a jump."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.licences import Range, allowed, disagreement, keys, moved, numbers

Array = npt.NDArray[Any]
f32 = np.float32
X = np.linspace(-3, 3, 24, dtype=f32).reshape(4, 6)

KERNEL = """tile_sugar.kernel @k(%X: tensor<4x6xf32>, %Y: tensor<4x6xf32>) {{
  %x = load %X[0, 0] : tensor<4x6xf32> -> tile<4x6xf32>
  %c = constant 3.0 : f32
  {body}
  store %y, %Y[0, 0] : tile<4x6xf32>, tensor<4x6xf32>
  return
}}
"""


def ranges(body: str, **options: Any) -> Range:
    values = [X.copy(), np.zeros_like(X)]
    return allowed(KERNEL.format(body=body), values, **options)[1]


def relative(range_: Range) -> float:
    low, high = range_.low.astype(np.float64), range_.high.astype(np.float64)
    return float(((high - low) / np.abs(high)).max())


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, f32, np.float64])
@given(bits=st.lists(st.integers(0, (1 << 64) - 1), min_size=2, max_size=8))
def test_keys_are_in_the_order_of_numbers(dtype: Any, bits: list[int]) -> None:
    size = np.dtype(dtype).itemsize
    words = np.array([b & ((1 << 8 * size) - 1) for b in bits], f"u{size}")
    values = words.view(dtype)
    assert (numbers(keys(values), dtype).view(words.dtype) == words).all()
    ordered = np.sort(values[~np.isnan(values.astype(np.float64))].astype(np.float64))
    # The two zeros compare equal.
    assert (np.diff(keys(ordered.astype(dtype))) >= -1).all()


def test_neighbours_end_at_infinity() -> None:
    largest = np.array([np.finfo(f32).max, -np.inf, 0.0, np.nan], f32)
    assert moved(largest, 1)[0] == np.inf
    assert moved(largest, 5)[0] == np.inf
    assert moved(largest, -1)[1] == -np.inf
    assert np.signbit(moved(largest, -1)[2])
    assert np.isnan(moved(largest, 1)[3])


def test_without_flags_every_bit_is_certain() -> None:
    found = ranges("%e = exp %x : tile<4x6xf32>\n  %y = div %e, %c : tile<4x6xf32>, f32")
    assert found.certain.all()


def test_afn_widens_by_what_it_states() -> None:
    power = ranges("%y = exp %x fastmath<afn> : tile<4x6xf32>")
    assert 2.0**-19 < relative(power) < 2.0**-17
    quotient = ranges("%y = div %x, %c fastmath<afn> : tile<4x6xf32>, f32")
    assert ((keys(quotient.high) - keys(quotient.low)) == 4).all()


def test_contract_widens_products_that_are_taken_up() -> None:
    product = "%p = mul %x, %c fastmath<contract> : tile<4x6xf32>, f32\n"
    alone = ranges(product + "  %y = add %p, %c : tile<4x6xf32>, f32")
    assert alone.certain.all()
    taken = ranges(product + "  %y = add %p, %c fastmath<contract> : tile<4x6xf32>, f32")
    assert not taken.certain.all()
    assert not taken.free.any()


def test_library_takes_the_licences_of_the_pipeline() -> None:
    body = "%y = softmax %x : tile<4x6xf32>"
    assert ranges(body, fastmath=()).certain.all()
    assert relative(ranges(body)) < 2.0**-15


def test_a_comparison_of_uncertain_numbers_joins_both_sides() -> None:
    found = ranges(
        "%p = div %x, %c fastmath<afn> : tile<4x6xf32>, f32\n"
        "  %q = div %x, %c : tile<4x6xf32>, f32\n"
        "  %k = cmp lt %p, %q : tile<4x6xf32>\n"
        "  %y = select %k, %x, %c : tile<4x6xi1>, tile<4x6xf32>, f32"
    )
    assert (found.low == np.minimum(X, 3)).all()
    assert (found.high == 3).all()


def test_a_product_of_a_number_with_itself_is_not_negative() -> None:
    difference = (
        "%p = div %x, %c fastmath<afn> : tile<4x6xf32>, f32\n"
        "  %q = div %x, %c : tile<4x6xf32>, f32\n"
        "  %z = sub %p, %q : tile<4x6xf32>\n"
    )
    found = ranges(difference + "  %y = mul %z, %z : tile<4x6xf32>")
    assert (found.low == 0).all()
    assert (found.high > 0).all()


def test_a_quotient_by_what_may_be_zero_is_free() -> None:
    found = ranges(
        "%p = div %x, %c fastmath<afn> : tile<4x6xf32>, f32\n"
        "  %q = div %x, %c : tile<4x6xf32>, f32\n"
        "  %z = sub %p, %q : tile<4x6xf32>\n"
        "  %y = div %x, %z : tile<4x6xf32>"
    )
    assert found.free.all()


def test_sums_of_long_rows_may_round_otherwise() -> None:
    body = "%s = rowsum %x : tile<4x6xf32>\n  %y = mul %x, %s : tile<4x6xf32>, tile<4x1xf32>"
    assert ranges(body).certain.all()
    assert not ranges(body, sums=(4, 2)).certain.all()


def test_disagreement_names_the_first_element_outside() -> None:
    found = Range(np.array([1, 2], f32), np.array([1, 3], f32), np.array([False, False]))
    assert disagreement(np.array([1, 2.5], f32), found) is None
    problem = disagreement(np.array([1, np.nan], f32), found)
    assert problem == "element (1,) is nan, not from 2.0 to 3.0 (1 of 2 elements)"
