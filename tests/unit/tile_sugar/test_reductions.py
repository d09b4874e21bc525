"""The map of a reduction computes as the body of a sweep, in every state of the lowering."""

from __future__ import annotations

import numpy as np
from support.sugar import check_lowering

RATIOS = """tile_sugar.kernel @k(
    %X: tensor<6x100xi32>, %M: tensor<6x1xi32>, %n: i32, %Y: tensor<6x1xi32>) grid(1) {
  %x = load %X[0, 0] : tensor<6x100xi32> -> tile<6x100xi32>
  %m = load %M[0, 0] : tensor<6x1xi32> -> tile<6x1xi32>
  %s = reduce(%x, %m, %n) axis 1 kinds [sum]
    : tile<6x100xi32>, tile<6x1xi32>, i32 -> tile<6x1xi32> map {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %0 = div %b, %a : i32
    %1 = index 1
    %2 = cmp lt %1, %c : i32
    %3 = select %2, %0, %b : i1, i32, i32
    yield %3 : i32
  }
  store %s, %Y[0, 0] : tile<6x1xi32>, tensor<6x1xi32>
  return
}
"""

POSITIONS = """tile_sugar.kernel @k(%X: tensor<6x100xf32>, %n: i32, %Y: tensor<1x100xi32>) grid(1) {
  %x = load %X[0, 0] : tensor<6x100xf32> -> tile<6x100xf32>
  %s, %t = reduce(%x, %n) axis 0 kinds [sum, max]
    : tile<6x100xf32>, i32 -> tile<1x100xi32>, tile<1x100xi32> map {
  ^bb0(%a: f32, %b: i32):
    %0 = index 1
    %1 = mul %0, %b : i32
    yield %b, %1 : i32, i32
  }
  %r = add %s, %t : tile<1x100xi32>
  store %r, %Y[0, 0] : tile<1x100xi32>, tensor<1x100xi32>
  return
}
"""

HALVES = """tile_sugar.kernel @k(%X: tensor<3x100xf16>, %Y: tensor<3x1xf16>) grid(1) {
  %x = load %X[0, 0] : tensor<3x100xf16> -> tile<3x100xf16>
  %s = rowsum %x : tile<3x100xf16>
  store %s, %Y[0, 0] : tile<3x1xf16>, tensor<3x1xf16>
  return
}
"""


def test_operands_of_a_map_broadcast() -> None:
    # Padding is 0, by which nothing may be divided.
    random = np.random.default_rng(0)
    x = random.integers(1, 9, (6, 100)).astype(np.int32)
    m = random.integers(-90, 90, (6, 1)).astype(np.int32)
    outcome = check_lowering(RATIOS, [x, m, 40, np.zeros((6, 1), np.int32)])
    ratios = np.trunc(m / x).astype(np.int32)
    expected = np.where(np.arange(100) < 40, ratios, m).sum(1, keepdims=True)
    assert (outcome.arrays[-1] == expected).all()


def test_a_map_of_positions_and_scalars_has_the_shape_of_the_operands() -> None:
    x = np.zeros((6, 100), np.float32)
    outcome = check_lowering(POSITIONS, [x, 3, np.zeros((1, 100), np.int32)])
    assert (outcome.arrays[-1] == 6 * 3 + np.arange(100) * 3).all()


def test_narrow_sums_accumulate_in_f32() -> None:
    # In f16 the sum would stop at 2048.
    x = np.full((3, 100), 31, np.float16)
    x[:, 0] = 2000
    outcome = check_lowering(HALVES, [x, np.zeros((3, 1), np.float16)])
    assert (outcome.arrays[-1] == np.float16(2000 + 99 * 31)).all()
