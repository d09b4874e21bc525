"""Top-k against NumPy: ties, zeros of both signs, infinities, NaN, and rows of nothing else."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from support.sugar import Launch, lowered

ELEMENTS: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
FLOATS = ("f16", "bf16", "f32", "f64")

KERNEL = """tile_sugar.kernel @k(%X: tensor<{r}x{c}x{t}>, %V: tensor<{r}x{k}x{t}>,
    %I: tensor<{r}x{k}xi32>) {{
  %x = load %X[0, 0] : tensor<{r}x{c}x{t}> -> tile<{r}x{c}x{t}>
  %v, %i = topk %x k {k} : tile<{r}x{c}x{t}>
  store %v, %V[0, 0] : tile<{r}x{k}x{t}>, tensor<{r}x{k}x{t}>
  store %i, %I[0, 0] : tile<{r}x{k}xi32>, tensor<{r}x{k}xi32>
  return
}}
"""


def rows(element: str, columns: int) -> npt.NDArray[Any]:
    """Eight rows of elements: random ones, few different ones, and one only."""
    dtype = ELEMENTS[element]
    rng = np.random.default_rng(columns)
    if element in FLOATS:
        (tiny,) = np.array([1], f"u{np.dtype(dtype).itemsize}").view(dtype).astype(np.float64)
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, tiny, -tiny, 1.0, -1.0])
        same = (np.nan, -np.inf, -0.0)
        spread = rng.standard_normal((3, columns))
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        odd = np.array([low, low + 1, -1, 0, high], dtype)
        same = (low, high, 0)
        spread = rng.integers(low, high, (3, columns), dtype, endpoint=True)
    few = rng.choice(odd, (2, columns))
    constant = np.repeat(np.array(same, odd.dtype)[:, None], columns, axis=1)
    return np.concatenate([part.astype(dtype) for part in (spread, few, constant)])


def wide(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return x if x.dtype.kind == "i" else x.astype(np.float64)


def reference(x: npt.NDArray[Any], picks: int) -> npt.NDArray[np.int32]:
    """Columns by descending value, then ascending column, NaN last."""

    def rank(row: list[Any], column: int) -> tuple[bool, Any]:
        value = row[column]
        return value != value, 0 if value != value else -value

    order = [sorted(range(len(row)), key=lambda c: rank(row, c)) for row in wide(x).tolist()]
    return np.array(order, np.int32)[:, :picks]


@pytest.mark.parametrize(("columns", "picks"), [(16, 16), (11, 5), (256, 6)])
@pytest.mark.parametrize("element", ELEMENTS)
def test_picks(element: str, columns: int, picks: int) -> None:
    x = rows(element, columns)
    text = KERNEL.format(r=len(x), c=columns, t=element, k=picks)
    values, where = np.ones((len(x), picks), x.dtype), np.ones((len(x), picks), np.int32)
    launch = Launch(text, [x, values, where])
    expected = reference(x, picks)
    for outcome in (
        launch.original(),
        launch.run(lowered(text)),
        launch.run(lowered(text, exact=True)),
    ):
        _, values, where = outcome.arrays
        np.testing.assert_array_equal(where, expected)
        np.testing.assert_array_equal(wide(values), wide(np.take_along_axis(x, expected, axis=1)))
