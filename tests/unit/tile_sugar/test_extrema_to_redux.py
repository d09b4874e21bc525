"""Maxima and minima as integers are those of the numbers, on every kind of row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from support.sugar import Launch, lowered

from tileir_xdsl.dialects.cuda_tile.printer import module_text

f32 = np.float32
KERNEL = """tile_sugar.kernel @k(%X: tensor<4x128xf32>, %Y: tensor<4x1xf32>) {{
  %x = load %X[0, 0] : tensor<4x128xf32> -> tile<4x128xf32>
  %y = {operation} %x : tile<4x128xf32>
  store %y, %Y[0, 0] : tile<4x1xf32>, tensor<4x1xf32>
  return
}}
"""
SPECIAL = np.array(
    [
        *(0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001),  # NaN
        *(0x7F800000, 0xFF800000, 0x7F7FFFFF, 0xFF7FFFFF),  # infinities, and next to them
        *(0x00000000, 0x80000000, 0x00000001, 0x80000001),  # zeros, and next to them
        *(0x3F800000, 0xBF800000),
    ],
    np.uint32,
).view(f32)


@pytest.mark.parametrize("operation", ["rowmax", "rowmin"])
@settings(deadline=None, max_examples=20)
@given(
    rows=npst.arrays(np.uint32, (4, 128), elements=st.integers(0, 2**32 - 1)),
    special=npst.arrays(np.int8, (4, 128), elements=st.integers(-1, len(SPECIAL) - 1)),
)
def test_integers_find_the_same_number(
    operation: str, rows: np.ndarray, special: np.ndarray
) -> None:
    x = np.where(special < 0, rows.view(f32), SPECIAL[special])
    x[3] = np.nan
    launch = Launch(KERNEL.format(operation=operation), [x, np.zeros((4, 1), f32)])
    module = lowered(launch.text, exact=True)
    assert "bitcast" in module_text(module)
    assert launch.original().difference(launch.run(module)) is None


def test_where_f32_has_the_instruction_nothing_changes() -> None:
    text = KERNEL.format(operation="rowmax")
    assert "bitcast" not in module_text(lowered(text, target="sm_100"))
