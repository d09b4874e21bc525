"""What `approximate-math` and `contract-fma` change stays within bounds, on every kind of row."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from support.sugar import Launch, check_ends, lowered, parse
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.passes.approximate_math import ApproximateMathPass
from tileir_xdsl.passes.contract_fma import ContractFmaPass
from tileir_xdsl.passes.expand_library import ExpandLibraryPass
from tileir_xdsl.passes.legalize_elementwise import LegalizeElementwisePass

Array = npt.NDArray[np.float32]
f32 = np.float32
ROWS = 16

KERNEL = """tile_sugar.kernel @k(%X: tensor<16x64xf32>, %Y: tensor<16x{width}xf32>) {{
  %x = load %X[0, 0] : tensor<16x64xf32> -> tile<16x64xf32>
  %y = {operation} : tile<16x64xf32>
  store %y, %Y[0, 0] : tile<16x{width}xf32>, tensor<16x{width}xf32>
  return
}}
"""


def special_rows() -> Array:
    """Rows of one huge number, with infinities and NaN, of large spread, of subnormal numbers."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(ROWS, 64)).astype(f32)
    x[0] = -1.0e30
    x[1] = np.finfo(f32).min
    x[2] = np.finfo(f32).max
    x[3] = -np.inf
    x[4, 5] = np.inf
    x[5, 5] = np.nan
    x[6] = np.nan
    x[7] = np.linspace(-120, 0, 64)
    x[8] = np.linspace(1000, 1104, 64)
    x[9] = 1e-42
    x[10, :63] = -np.inf
    x[11] = np.linspace(-60, 80, 64)
    x[11, 3] = np.inf
    x[12, 7] = -np.inf
    x[13] = np.linspace(1e30, 2e30, 64)
    x[14] = -0.0
    x[15] = np.linspace(60, 130, 64)  # Not all powers overflow, and more to the base e than 2.
    x[15, 3] = np.inf
    return x


@pytest.mark.parametrize(
    ("operation", "width"),
    [("softmax %x", 64), ("log_softmax %x", 64), ("logsumexp %x", 1)],
)
def test_softmax_of_special_rows(operation: str, width: int) -> None:
    text = KERNEL.format(operation=operation, width=width)
    launch = Launch(text, [special_rows(), np.zeros((ROWS, width), f32)])
    expected, found = launch.original().arrays[1], launch.run(lowered(text)).arrays[1]
    # Subnormal results are kept, to their last bit but one.
    least = float(np.finfo(f32).smallest_subnormal)
    np.testing.assert_allclose(found, expected, rtol=2.0**-16, atol=2 * least)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("exponents", [range(16, 32), range(22, 38), range(112, 128)])
@pytest.mark.parametrize("fastmath", [("afn", "contract"), ("afn", "contract", "ftz")])
def test_softmax_of_huge_rows(sign: int, exponents: range, fastmath: tuple[str, ...]) -> None:
    """Maxima on both sides of 2**30, equal to, next to and far from the other elements."""
    x = np.empty((ROWS, 64), f32)
    for row, exponent in enumerate(exponents):
        largest = f32(sign) * np.ldexp(f32(1.25), exponent)
        steps = np.arange(64) // 8 * 3
        x[row] = largest - np.abs(np.spacing(largest)) * steps.astype(f32)
        x[row, 40:44] = -np.inf, -1e30 if exponent < 100 else -np.inf, largest, largest
    launch = Launch(KERNEL.format(operation="softmax %x", width=64), [x, np.zeros_like(x)])
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    found = launch.run(lowered(launch.text, fastmath=fastmath)).arrays[1]
    np.testing.assert_allclose(found, expected, rtol=2.0**-16, atol=2.0**-86)


def _math(text: str) -> ModuleOp:
    module = parse(text)
    for pass_ in (
        ExpandLibraryPass(fastmath=("afn", "contract")),
        LegalizeElementwisePass(),
        ApproximateMathPass(),
        ContractFmaPass(),
    ):
        pass_.apply(new_context(), module)
    return module


def test_shift_is_taken_back_where_powers_are_used() -> None:
    body = """%m = rowmax %x : tile<16x64xf32>
  %d = sub %x, %m : tile<16x64xf32>, tile<16x1xf32>
  %y = exp %d fastmath<afn>"""
    text = KERNEL.replace("%y = {operation}", body).format(width=64)
    launch = Launch(text, [special_rows(), np.zeros((ROWS, 64), f32)])
    expected, found = launch.original().arrays[1], launch.run(_math(text)).arrays[1]
    least = float(np.finfo(f32).smallest_subnormal)
    np.testing.assert_allclose(found, expected, rtol=2.0**-16, atol=2 * least)
    assert (0 < expected).any()
    assert (expected < np.finfo(f32).tiny).any()


UNLICENSED = (
    "pow %x, %two",
    "pow %x, %half",
    "div %x, %four",
    "div %x, %three",
    "div %x, %tiny",
    "div %x, %zero",
)


@pytest.mark.parametrize("operation", UNLICENSED)
def test_what_needs_no_licence_keeps_all_bits(operation: str) -> None:
    names = {"two": 2.0, "half": 0.5, "four": -4.0, "three": 3.0, "tiny": 1e-42, "zero": 0.0}
    constants = "".join(f"%{name} = constant {v:e} : f32\n  " for name, v in names.items())
    text = KERNEL.replace(
        "%y = {operation} : tile<16x64xf32>", f"{constants}%y = {operation} : tile<16x64xf32>, f32"
    )
    launch = Launch(text.format(width=64), [special_rows(), np.zeros((ROWS, 64), f32)])
    assert launch.original().difference(launch.run(_math(text.format(width=64)))) is None


@pytest.mark.parametrize("operation", ["silu %x", "sigmoid %x fastmath<afn>", "gelu %x"])
def test_activations(operation: str) -> None:
    text = KERNEL.format(operation=operation, width=64)
    launch = Launch(text, [special_rows(), np.zeros((ROWS, 64), f32)])
    expected, found = launch.original().arrays[1], launch.run(lowered(text)).arrays[1]
    least = float(np.finfo(f32).smallest_subnormal)
    np.testing.assert_allclose(found, expected, rtol=2.0**-16, atol=2 * least)


def test_exact_clears_all_licences() -> None:
    text = KERNEL.format(operation="softmax %x fastmath<afn, contract>", width=64)
    check_ends(text, [special_rows(), np.zeros((ROWS, 64), f32)])


def test_unknown_flag_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown fastmath flag 'fast'"):
        ExpandLibraryPass(fastmath=("fast",))


STEP = """tile_sugar.kernel @k(%S: tensor<16x64xf32>, %V: tensor<64x8x{type}>, %M: tensor<16x1xf32>,
    %L: tensor<16x1xf32>, %A: tensor<16x8xf32>) {{
  %s = load %S[0, 0] : tensor<16x64xf32> -> tile<16x64xf32>
  %v = load %V[0, 0] : tensor<64x8x{type}> -> tile<64x8x{type}>
  %m = load %M[0, 0] : tensor<16x1xf32> -> tile<16x1xf32>
  %l = load %L[0, 0] : tensor<16x1xf32> -> tile<16x1xf32>
  %a = load %A[0, 0] : tensor<16x8xf32> -> tile<16x8xf32>
  %x, %y, %z = online_softmax_step %m, %l, %a, %s, %v scale {scale}
    : tile<16x1xf32>, tile<16x1xf32>, tile<16x8xf32>, tile<16x64xf32>, tile<64x8x{type}>
  store %x, %M[0, 0] : tile<16x1xf32>, tensor<16x1xf32>
  store %y, %L[0, 0] : tile<16x1xf32>, tensor<16x1xf32>
  store %z, %A[0, 0] : tile<16x8xf32>, tensor<16x8xf32>
  return
}}
"""
VALUES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": f32}


@pytest.mark.parametrize("maximum", [-np.inf, 0.0, 3.0e10, np.inf, np.nan])
@pytest.mark.parametrize("type", sorted(VALUES))
def test_step_of_special_rows(type: str, maximum: float) -> None:
    text = STEP.format(type=type, scale=0.125)
    values = np.random.default_rng(3).normal(size=(64, 8)).astype(VALUES[type])
    m, total = np.full((16, 1), maximum, f32), np.ones((16, 1), f32)
    launch = Launch(text, [special_rows(), values, m, total, np.ones((16, 8), f32)])
    expected, found = launch.original(), launch.run(lowered(text))
    np.testing.assert_array_equal(found.arrays[2], expected.arrays[2])
    for before, after in zip(expected.arrays[3:], found.arrays[3:], strict=True):
        # A weight may round to another f16.
        np.testing.assert_allclose(after, before, rtol=2.0**-9, atol=2.0**-9)
    assert "exp2" in module_text(lowered(text))


@pytest.mark.parametrize("type", ["bf16", "f32"])
def test_step_keeps_subnormal_weights(type: str) -> None:
    """Products with the columns of a unit matrix are the weights."""
    text = STEP.format(type=type, scale=0.125)
    scores = np.zeros((16, 64), f32)
    scores[:, :8] = np.linspace(-91, -85, 128).reshape(16, 8) * 8
    values = np.eye(64, 8).astype(VALUES[type])
    m, total = np.full((16, 1), -np.inf, f32), np.zeros((16, 1), f32)
    launch = Launch(text, [scores, values, m, total, np.zeros((16, 8), f32)])
    expected, found = launch.original().arrays[4], launch.run(lowered(text)).arrays[4]
    least = 2.0**-133 if type == "bf16" else 2.0**-149
    places = 8 if type == "bf16" else 16
    np.testing.assert_allclose(found, expected, rtol=2.0**-places, atol=2 * least)
    assert (expected > 0).all()
    assert (expected < np.finfo(f32).tiny).any()
    flushed = launch.run(lowered(text, fastmath=("afn", "contract", "ftz"))).arrays[4]
    assert (flushed == 0).any()


def _attention(text: str, scores: Array, values: Any, steps: int) -> tuple[Array, Array, Array]:
    """m, l and acc after a number of steps, each with 64 columns of the scores."""
    lowering = lowered(text)
    state = [np.full((16, 1), -np.inf, f32), np.zeros((16, 1), f32), np.zeros((16, 8), f32)]
    for step in range(steps):
        part = slice(64 * step, 64 * (step + 1))
        launch = Launch(text, [scores[:, part].copy(), values[part].copy(), *state])
        state = list(launch.run(lowering).arrays[2:])
    return state[0], state[1], state[2]


@pytest.mark.parametrize("magnitude", [0, 4, 8, 12, 16, 20, 24, 27, 28, 30, 34, 60, 120])
@pytest.mark.parametrize("scale", [0.125, 1.0])
def test_attention_with_growing_maxima(scale: float, magnitude: int) -> None:
    """Against f64. Row 0 holds one number, in the others every step raises the maximum a little:
    what came before must decay to the unit of what comes."""
    rng = np.random.default_rng(magnitude)
    size = f32(2.0**magnitude / scale)
    spacing = max(np.spacing(size), f32(1 / scale))
    rise = np.repeat(np.arange(4), 64) - rng.integers(0, 4, (16, 256))
    scores = (size + spacing * rise).astype(f32)
    scores[0] = -size
    scores[1, :128] = -1.0e30
    values = rng.normal(size=(256, 8)).astype(np.float16)
    m, total, acc = _attention(STEP.format(type="f16", scale=scale), scores, values, 4)
    t = scores.astype(np.float64) * scale
    np.testing.assert_array_equal(m[:, 0], t.max(1))
    weights = np.exp(t - t.max(1, keepdims=True))
    exact = weights @ values.astype(np.float64) / weights.sum(1, keepdims=True)
    # 256 weights are rounded to f16.
    np.testing.assert_allclose(acc / total, exact, rtol=0, atol=2.0**-10)
    unit = abs(t.max(1, keepdims=True)) * 2.0**-22 + 2.0**-16
    near = unit[:, 0] < 2.0**-4
    np.testing.assert_array_less(abs(total / weights.sum(1, keepdims=True) - 1)[near], unit[near])


@pytest.mark.parametrize("magnitude", [0, 8, 16, 20, 24.5])
def test_attention_at_any_scale(magnitude: float) -> None:
    """A scale that is no power of two is rounded once with log2 e: scores differ as by f32."""
    rng = np.random.default_rng(int(magnitude))
    scale = f32(0.08838835)
    scores = (rng.normal(size=(16, 256)) * 20 + 2.0**magnitude / scale).astype(f32)
    values = rng.normal(size=(256, 8)).astype(np.float16)
    m, total, acc = _attention(STEP.format(type="f16", scale=scale), scores, values, 4)
    t = scores.astype(np.float64) * float(scale)
    weights = np.exp(t - t.max(1, keepdims=True))
    exact = weights @ values.astype(np.float64) / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(acc / total, exact, rtol=0, atol=2.0**-9)
    assert np.isfinite(m).all()


BY_HAND = """tile_sugar.kernel @k(%S: tensor<{shape}xf32>, %Y: tensor<{sums}xf32>) {{
  %s = load %S[0, 0] : tensor<{shape}xf32> -> tile<{shape}xf32>
  %m0 = constant -inf : tile<{maxima}xf32>
  %scale = constant 0.125 : f32
  %zero = constant 0.0 : f32
  %inf = constant inf : f32
  %m1 = rowmax %s axis {axis} : tile<{shape}xf32>
  %m2 = mul %m1, %scale : tile<{maxima}xf32>, f32
  %m3 = max %m0, %m2 : tile<{maxima}xf32>
  %size = abs %m3 : tile<{maxima}xf32>
  %infinite = cmp eq %size, %inf : tile<{maxima}xf32>, f32
  %g = select %infinite, %zero, %m3 : tile<{maxima}xi1>, f32, tile<{maxima}xf32>
  %n = neg %g : tile<{maxima}xf32>
  %d = fma %s, %scale, %n : tile<{shape}xf32>, f32, tile<{maxima}xf32>
  %p = exp %d fastmath<afn> : tile<{shape}xf32>
  %y = rowsum %p axis {across} : tile<{shape}xf32>
  store %y, %Y[0, 0] : tile<{sums}xf32>, tensor<{sums}xf32>
  return
}}
"""


def by_hand(axis: int, across: int) -> str:
    """Weights by their maxima along one axis, summed along the same or the other one."""
    shapes = ("1x8", "8x1")
    return BY_HAND.format(
        shape="8x8", maxima=shapes[axis], sums=shapes[across], axis=axis, across=across
    )


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_across_rows_keep_subnormal_weights(axis: int) -> None:
    """Only a sum along the axis of the maximum surely has a weight of 1."""
    text = by_hand(axis, 1 - axis)
    scores = np.full((8, 8), -90 * 8, f32)
    scores[(slice(None), 0) if axis else (0, slice(None))] = 0
    launch = Launch(text, [scores, np.zeros((1, 8) if axis else (8, 1), f32)])
    expected, found = launch.original().arrays[1], launch.run(lowered(text)).arrays[1]
    assert "exp2" in module_text(lowered(text))
    np.testing.assert_allclose(found, expected, rtol=2.0**-9, atol=0)


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_along_rows_need_no_subnormal_weights(axis: int) -> None:
    result = module_text(_math(by_hand(axis, axis)))
    assert "exp2" in result
    assert "2.400000e+01" not in result


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max %m0, %m2", "max %m0, %m2 propagate_nan"),
        ("max %m0, %m2", "min %m0, %m2"),
        ("mul %m1, %scale", "mul %m1, %zero"),
        ("mul %m1, %scale", "add %m1, %scale"),
        ("rowmax %s axis 1", "rowmin %s axis 1"),
        ("cmp eq %size, %inf", "cmp gt %size, %scale"),
        ("cmp eq %size, %inf", "cmp eq %size, %scale"),
        ("abs %m3", "neg %m3"),
        ("select %infinite, %zero", "select %infinite, %scale"),
        ("neg %g", "abs %g"),
        ("%scale = constant 0.125", "%scale = constant -0.125"),
        ("%scale = constant 0.125", "%scale = constant inf"),
    ],
)
def test_what_is_nearly_a_step_keeps_its_exponentials(old: str, new: str) -> None:
    text = by_hand(1, 1)
    assert old in text
    result = module_text(_math(text.replace(old, new)))
    assert " exp %" in result
    assert "exp2" not in result


@pytest.mark.parametrize(
    "body",
    [
        "%r = sub %p, %s : tile<16x64xf32>, tile<16x1xf32>",
        "%r = div %s, %p : tile<16x1xf32>, tile<16x64xf32>",
        """%one = constant 1.0 : f32
  %i = div %one, %s : f32, tile<16x1xf32>
  %j = mul %i, %s : tile<16x1xf32>
  %r = mul %p, %j : tile<16x64xf32>, tile<16x1xf32>""",
        """%two = constant 2.0 : f32
  %i = div %two, %s : f32, tile<16x1xf32>
  %r = mul %p, %i : tile<16x64xf32>, tile<16x1xf32>""",
        """%q = div %p, %s : tile<16x64xf32>, tile<16x1xf32>
  %r = add %q, %p : tile<16x64xf32>""",
        """%q = mul %p, %p : tile<16x64xf32>
  %r = div %q, %s : tile<16x64xf32>, tile<16x1xf32>""",
    ],
    ids=["difference", "inverse", "sum used", "other numerator", "power used", "square"],
)
def test_factor_that_would_not_cancel_is_taken_back(body: str) -> None:
    """2**24 as a factor of all powers of a row would show in the result."""
    y = f"""%m = rowmax %x : tile<16x64xf32>
  %d = sub %x, %m fastmath<contract> : tile<16x64xf32>, tile<16x1xf32>
  %p = exp %d fastmath<afn> : tile<16x64xf32>
  %s = rowsum %p : tile<16x64xf32>
  {body}
  %y = add %r, %r"""
    text = KERNEL.replace("%y = {operation}", y).format(width=64)
    x = np.random.default_rng(5).normal(size=(16, 64)).astype(f32)
    launch = Launch(text, [x, np.zeros_like(x)])
    expected, found = launch.original().arrays[1], launch.run(_math(text)).arrays[1]
    np.testing.assert_allclose(found, expected, rtol=2.0**-15, atol=2.0**-18)
