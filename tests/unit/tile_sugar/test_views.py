"""Accesses through views, inferred promises and hints keep every bit, in every state."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.sugar import Launch, check_lowering, lowered

from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.passes.lower_views import LowerViewsPass

f16, f32 = np.float16, np.float32

MATMUL = """tile_sugar.kernel @matmul(
    %A: tensor<?x?xf16> {readonly, multiple = [1, 8]},
    %B: tensor<?x?xf16> {readonly, multiple = [1, 8]},
    %C: tensor<?x?xf16> {writeonly, multiple = [1, 8]})
    grid(ceildiv(dim %C 0, 16), ceildiv(dim %C 1, 32)) {
  %bx = block_id 0
  %by = block_id 1
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %m = arith.muli %bx, %c16 : i32
  %n = arith.muli %by, %c32 : i32
  %K = extent %A, 1 : tensor<?x?xf16>
  %zero = constant 0 : tile<16x32xf32>
  %acc = scf.for %k = %c0 to %K step %c16 iter_args(%c = %zero) -> (tile<16x32xf32>) : i32 {
    %a = load %A[%m, %k] inside : tensor<?x?xf16> -> tile<16x16xf16>
    %b = load %B[%k, %n] inside : tensor<?x?xf16> -> tile<16x32xf16>
    %p = dot %a, %b : tile<16x16xf16>, tile<16x32xf16>
    %next = add %c, %p : tile<16x32xf32>
    scf.yield %next : tile<16x32xf32>
  }
  %h = cast %acc : tile<16x32xf32> -> tile<16x32xf16>
  store %h, %C[%m, %n] : tile<16x32xf16>, tensor<?x?xf16>
  return
}
"""

STRIDED = """tile_sugar.kernel @scale(
    %X: tensor<?x?x8xbf16, strides = [?, ?, 1]> {multiple = [1, 4, 1]},
    %Y: tensor<?x?x16xf32> {multiple = [1, 4, 1]})
    grid(dim %X 0, ceildiv(dim %X 1, 4)) {
  %b = block_id 0
  %i = block_id 1
  %c4 = arith.constant 4 : i32
  %r = arith.muli %i, %c4 : i32
  %x = load %X[%b, %r, 0] : tensor<?x?x8xbf16, strides = [?, ?, 1]> -> tile<1x4x8xbf16>
  %y = cast %x : tile<1x4x8xbf16> -> tile<1x4x8xf32>
  store %y, %Y[%b, %r, 0] full : tile<1x4x8xf32>, tensor<?x?x16xf32>
  return
}
"""

ROW = """tile_sugar.kernel @row(%X: tensor<?x512xf32> {readonly}, %Y: tensor<?x512xf32> {writeonly})
    grid(dim %X 0) {
  %r = block_id 0
  %x = load %X[%r, 0] : tensor<?x512xf32> -> tile<1x512xf32>
  %s = softmax %x : tile<1x512xf32>
  store %s, %Y[%r, 0] : tile<1x512xf32>, tensor<?x512xf32>
  return
}
"""


def normal(*shape: int, dtype: Any = f32) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("version", ["13.1", "13.4"])
@pytest.mark.parametrize(("m", "n", "k"), [(32, 64, 48), (19, 40, 24), (1, 8, 8), (16, 32, 0)])
def test_products_through_views(version: str, m: int, n: int, k: int) -> None:
    a, b = normal(m, k, dtype=f16), normal(k, n, dtype=f16)
    check_lowering(MATMUL, [a, b, np.zeros((m, n), f16)], version)
    assert "load_view_tko" in module_text(lowered(MATMUL, version=version))
    assert "view" not in module_text(lowered(MATMUL, version=version, access="pointer"))
    assert "view" not in module_text(lowered(MATMUL, version=version, target="sm_80"))
    # Rows that need not be multiples of 16 bytes.
    assert "view" not in module_text(lowered(MATMUL.replace("[1, 8]", "[1, 4]"), version=version))


@pytest.mark.parametrize("version", ["13.1", "13.4"])
def test_strided_tensors_of_rank_3(version: str) -> None:
    x = normal(3, 8, 16, dtype=ml_dtypes.bfloat16)[:, :, :8]
    check_lowering(STRIDED, [x, np.zeros((3, 8, 16), f32)], version)
    text = module_text(lowered(STRIDED, version=version))
    assert ("inbounds = [true, true, true]" in text) == (version == "13.4")


def test_rows_of_a_grid_are_inside() -> None:
    check_lowering(ROW, [normal(5, 512), np.zeros((3, 512), f32)], "13.4")
    text = module_text(lowered(ROW, version="13.4"))
    # A row has no gaps, for which pointers are better than a view.
    assert re.search(r"load_ptr_tko weak %\w+ :", text)
    assert "view" not in text
    # The other tensor may have fewer rows: a branch, and no mask.
    assert re.search(r"if %\w+ {\s+%\w+ = store_ptr_tko weak %\w+, %\w+ :", text)
    assert "num_worker_warps_per_cta = 1" in text


def test_views_on_request_are_checked() -> None:
    text = ROW.replace("%X[%r, 0] :", "%X[%r, 0] inside :").replace("grid(dim %X 0) ", "")
    module = lowered(text, version="13.3", access="view")
    assert "load_view_tko" in module_text(module)
    launch = Launch(text, [normal(1, 512), np.zeros((1, 512), f32)])
    assert launch.original().arrays[1].any()
    exact = lowered(text, version="13.3", access="view", exact=True)
    assert launch.original().difference(launch.run(exact)) is None


def test_unknown_access_is_an_error() -> None:
    with pytest.raises(ValueError, match="access must be one of auto, pointer, view, but is 'tma'"):
        LowerViewsPass(access="tma")


def test_full_that_does_not_hold_is_reported() -> None:
    text = ROW.replace("%Y[%r, 0] :", "%Y[%r, 0] full :")
    module = lowered(text, version="13.4")
    launch = Launch(text, [normal(5, 512), np.zeros((3, 512), f32)])
    with pytest.raises(Exception, match=r"outside|index space|inbounds"):
        launch.run(module)
