"""Merged reductions have the bits of those that they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.sugar import check_lowering, lowered

from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.tile_sugar.primitives import tile

KERNEL = """tile_sugar.kernel @k(%X: tensor<3x{n}x{t}>, %Y: tensor<3x1x{t}>, %Z: tensor<3x1x{t}>) {{
  %x = load %X[0, 0] : tensor<3x{n}x{t}> -> tile<3x{n}x{t}>
  %s = rowsum %x : tile<3x{n}x{t}>
  store %s, %Y[0, 0] : tile<3x1x{t}>, tensor<3x1x{t}>
  %q = square %x : tile<3x{n}x{t}>
  %m = rowmax %q : tile<3x{n}x{t}>
  store %m, %Z[0, 0] : tile<3x1x{t}>, tensor<3x1x{t}>
  return
}}
"""


def special(columns: int, dtype: Any) -> Any:
    values = np.random.default_rng(1).normal(size=(3, columns))
    values[1, 3], values[2, 7] = np.nan, np.inf
    return values.astype(dtype)


@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f16", np.float16)])
@pytest.mark.parametrize(("columns", "reductions"), [(300, 1), (256, 1), (100, 2)])
def test_sum_and_maximum(element: str, dtype: type, columns: int, reductions: int) -> None:
    text = KERNEL.format(n=columns, t=element)
    check_lowering(
        text, [special(columns, dtype), np.zeros((3, 1), dtype), np.zeros((3, 1), dtype)]
    )
    module = lowered(text, exact=True)
    of_rows = [op for op in module.walk() if isinstance(op, core.ReduceOp) and _rank(op) == 2]
    assert len(of_rows) == reductions


def _rank(op: core.ReduceOp) -> int:
    """2, but for what `extrema-to-redux` combines within a lane."""
    return tile(op.inputs[0]).rank
