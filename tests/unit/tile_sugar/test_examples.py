"""Every example equals NumPy, and every state of its lowering has the same bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from support.sugar import EXAMPLES, Launch, check_lowering, example_text, lowered, parse

Array = npt.NDArray[Any]
Values = list[Any]
RNG = np.random.default_rng

f16, f32, bf16 = np.float16, np.float32, ml_dtypes.bfloat16


def normal(seed: int, *shape: int, dtype: Any = f32) -> Array:
    return RNG(seed).normal(size=shape).astype(dtype)


def adversarial(seed: int, *shape: int, dtype: Any = f32) -> Array:
    """Numbers with NaN, infinities, signed zeros, ties, huge and tiny ones, and special rows."""
    values = np.round(RNG(seed).normal(size=shape) * 2).astype(dtype)
    flat = values.reshape(-1)
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, -1e31, 1e-42, 3.0e4, -3.0e4]
    where = RNG(seed + 1).random(flat.size) < 0.3
    with np.errstate(over="ignore"):
        flat[where] = RNG(seed + 2).choice(np.array(special, f32), int(where.sum())).astype(dtype)
    rows = values.reshape(shape[0], -1)
    for row, fill in enumerate((-np.inf, np.nan, np.inf, -0.0)):
        if row < rows.shape[0] - 1:
            rows[row] = fill
    return values


@dataclass
class Example:
    """An example, its inputs, and what NumPy says that it leaves in its arrays."""

    name: str
    cases: Callable[[], Iterator[Values]]
    reference: Callable[..., Sequence[Array | None]]
    """The expected arrays for the values; None for those that are not written."""
    rtol: float = 1e-5
    atol: float = 1e-6


# References, in binary64 unless exactness asks for more.


def wide(values: Array) -> Array:
    return values.astype(np.float64)


def softmax(x: Array) -> Array:
    m = np.fmax.reduce(x, axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isinf(m), 0.0, m))
    return e * (1.0 / e.sum(-1, keepdims=True))


def ref_softmax_rows(s: Array, p: Array, n: int) -> Sequence[Array | None]:
    x = wide(s)
    x[:, max(n, 0) :] = f32(-1.0e30)
    return [None, softmax(x)]


def ref_softmax_100(x: Array, y: Array) -> Sequence[Array | None]:
    return [None, softmax(wide(x))]


def ref_nll(logp: Array, label: Array, loss: Array) -> Sequence[Array | None]:
    rows = np.arange(len(label))
    inside = (label >= 0) & (label < 100)
    picked = np.where(inside, logp[rows, np.where(inside, label, 0)], np.nan)
    return [None, None, -picked]


def ref_cross_entropy(x: Array, label: Array, loss: Array) -> Sequence[Array | None]:
    t = wide(x)
    m = np.fmax.reduce(t, axis=1, keepdims=True)
    g = np.where(np.isinf(m), 0.0, m)
    total = g + np.log(np.exp(t - g).sum(1, keepdims=True))
    inside = (label >= 0) & (label < 100)
    picked = np.take_along_axis(t, np.where(inside, label, 0), axis=1)
    return [None, None, total - np.where(inside, picked, np.nan)]


def ref_column_stats(x: Array, out: Array) -> Sequence[Array | None]:
    t = wide(x)
    return [None, np.stack([t.mean(0), np.fmax.reduce(t, axis=0), np.fmin.reduce(t, axis=0)])]


def ref_top4(x: Array, v: Array, i: Array) -> Sequence[Array | None]:
    key = np.where(np.isnan(x), -np.inf, wide(x))
    order = np.lexsort((np.broadcast_to(np.arange(50), x.shape), -key, np.isnan(x)), axis=1)[:, :4]
    return [None, np.take_along_axis(x, order, axis=1), order]


def ref_row_mean_var(x: Array, mean: Array, var: Array) -> Sequence[Array | None]:
    t = wide(x)
    return [None, t.mean(1, keepdims=True), t.var(1, keepdims=True)]


def ref_layer_norm(x: Array, g: Array, b: Array, y: Array) -> Sequence[Array | None]:
    t = wide(x)
    d = t - t.mean(1, keepdims=True)
    normal = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5)
    return [None, None, None, normal * wide(g) + wide(b)]


def ref_rms_norm(x: Array, g: Array, y: Array) -> Sequence[Array | None]:
    t = wide(x)
    return [None, None, t / np.sqrt((t * t).mean(1, keepdims=True) + 1e-6) * wide(g)]


def ref_attention(q: Array, k: Array, v: Array, o: Array) -> Sequence[Array | None]:
    n = len(q)
    scores = wide(q) @ wide(k)[:n].T
    scores = np.where(np.tril(np.ones((n, n), bool)), scores, -1e30) * 0.17677669
    return [None, None, None, softmax(scores) @ wide(v)[:n]]


def ref_matmul(a: Array, b: Array, c: Array) -> Sequence[Array | None]:
    return [None, None, wide(a) @ wide(b)]


def ref_matmul_i8(a: Array, b: Array, c: Array) -> Sequence[Array | None]:
    return [None, None, a.astype(np.int64) @ b.astype(np.int64)]


def ref_matmul_bias_relu(a: Array, b: Array, bias: Array, c: Array) -> Sequence[Array | None]:
    return [None, None, None, np.maximum(wide(a) @ wide(b) + wide(bias), 0)]


def ref_dequantize(q: Array, scale: Array, y: Array) -> Sequence[Array | None]:
    return [None, None, (q.astype(f32) * scale).astype(f16)]


def ref_nibbles(q: Array, low: Array, high: Array) -> Sequence[Array | None]:
    return [None, (q & 15).astype(f32), ((q >> 4) & 15).astype(f32)]


def ref_gather_rows(table: Array, index: Array, y: Array) -> Sequence[Array | None]:
    inside = (index >= 0) & (index < len(table))
    safe = np.where(inside, index, 0)[:, 0]
    rows = table[safe] if len(table) else np.zeros_like(y)
    return [None, None, np.where(inside, rows, 0)]


def ref_histogram(x: Array, bins: Array) -> Sequence[Array | None]:
    inside = x[(x >= 0) & (x < len(bins))]
    return [None, bins + np.bincount(inside, minlength=len(bins))]


def ref_tile_dot(x: Array, y: Array, total: Array) -> Sequence[Array | None]:
    return [None, None, total + (wide(x) * wide(y)).sum()]


def ref_axpy(alpha: float, x: Array, y: Array) -> Sequence[Array | None]:
    # The product of two f32 and its sum with a third are not exact in f64, but close.
    return [None, wide(np.asarray(f32(alpha))) * wide(x) + wide(y)]


def ref_cumsum(x: Array, y: Array, z: Array) -> Sequence[Array | None]:
    t = wide(x)
    backwards = np.cumsum(t[::-1], axis=0)[::-1]
    return [None, np.cumsum(t, axis=0), np.concatenate([backwards[1:], np.zeros_like(t[:1])])]


def ref_tril(x: Array, y: Array) -> Sequence[Array | None]:
    return [None, np.where(np.tri(20, 20, 1, bool), x, 0)]


def ref_stencil(x: Array, y: Array) -> Sequence[Array | None]:
    padded = np.concatenate([[f32(0)], x, [f32(0)]]).astype(f32)
    return [None, (padded[:-2] + padded[1:-1] + padded[2:]) / f32(3)]


def ref_stencil_in_place(x: Array) -> Sequence[Array | None]:
    values = np.concatenate([[f32(0)], x, [f32(0)]]).astype(f32)
    for k in range(0, len(x), 64):
        old = values.copy()
        end = min(k + 64, len(x))
        window = old[k : end + 2]
        values[k + 1 : end + 1] = (window[:-2] + window[1:-1] + window[2:]) / f32(3)
    return [values[1:-1]]


def ref_activations(x: Array, y: Array) -> Sequence[Array | None]:
    t = wide(x)
    erf = np.vectorize(math.erf, otypes=[np.float64])
    g = wide((t / 2 * (1 + erf(t / np.sqrt(2)))).astype(f16))
    return [None, g / (1 + np.exp(-g))]


def ref_argsel(x: Array, y: Array) -> Sequence[Array | None]:
    """Folds of `a >= b ? ia : ib` beside maxima that prefer numbers to NaN."""

    def fold(a: Array, b: Array, ia: Array, ib: Array) -> tuple[Array, Array]:
        return np.fmax(a, b), np.asarray(np.where(a >= b, ia, ib))

    columns = np.broadcast_to(np.arange(4), x[:, :4].shape)
    ab, iab = fold(x[:, 0], x[:, 1], columns[:, 0], columns[:, 1])
    cd, icd = fold(x[:, 2], x[:, 3], columns[:, 2], columns[:, 3])
    return [None, fold(ab, cd, iab, icd)[1][:, None]]


# Inputs.


def rows_to_rows(*columns: int, dtype: Any = f32, extra: Sequence[Any] = ()) -> Any:
    """An input of some rows, outputs of as many: full, ragged, adversarial and empty."""

    def cases() -> Iterator[Values]:
        for rows, make in ((16, normal), (13, normal), (9, adversarial), (0, normal)):
            x = make(rows, rows, columns[0], dtype=dtype)
            yield [x, *(np.zeros((rows, c), dtype) for c in columns[1:]), *extra]

    return cases


def softmax_rows_cases() -> Iterator[Values]:
    for rows, n, make in (
        (16, 128, normal),
        (13, 100, normal),
        (9, 77, adversarial),
        (3, 0, normal),
    ):
        yield [make(rows, rows, 128), np.zeros((rows, 128), f32), n]


def nll_cases() -> Iterator[Values]:
    for rows in (32, 19):
        label = RNG(rows).integers(-2, 103, rows).astype(np.int32)
        yield [adversarial(rows, rows, 100), label, np.zeros(rows, f32)]


def cross_entropy_cases() -> Iterator[Values]:
    for rows, make in ((8, normal), (11, normal), (9, adversarial)):
        label = RNG(rows).integers(-1, 101, (rows, 1)).astype(np.int32)
        yield [make(rows, rows, 100, dtype=f16), label, np.zeros((rows, 1), f16)]


def column_stats_cases() -> Iterator[Values]:
    for columns, make in ((64, normal), (70, normal), (65, adversarial), (0, normal)):
        yield [make(columns, 24, columns), np.zeros((3, columns), f32)]


def layer_norm_cases() -> Iterator[Values]:
    for rows in (4, 7):
        g, b = normal(1, 1, 100, dtype=bf16), normal(2, 1, 100, dtype=bf16)
        yield [normal(rows, rows, 100, dtype=bf16), g, b, np.zeros((rows, 100), bf16)]


def rms_norm_cases() -> Iterator[Values]:
    for rows in (4, 6):
        yield [
            normal(rows, rows, 256, dtype=f16),
            normal(1, 1, 256, dtype=f16),
            np.zeros((rows, 256), f16),
        ]


def attention_cases() -> Iterator[Values]:
    for length in (32, 21):
        q, k, v = (normal(seed, length, 32, dtype=f16) for seed in range(3))
        yield [q, k, v, np.zeros((length, 32), f16)]


def matmul_cases(dtype: Any, result: Any) -> Any:
    def cases() -> Iterator[Values]:
        for m, n, k in ((32, 16, 32), (19, 21, 23), (5, 3, 1)):
            if dtype is np.int8:
                a, b = (
                    RNG(s).integers(-128, 128, shape).astype(dtype)
                    for s, shape in enumerate(((m, k), (k, n)))
                )
            else:
                a, b = normal(1, m, k, dtype=dtype), normal(2, k, n, dtype=dtype)
            yield [a, b, np.zeros((m, n), result)]

    return cases


def matmul_tf32_cases() -> Iterator[Values]:
    for m, n in ((16, 16), (19, 5)):
        yield [normal(1, m, 32), normal(2, 32, n), np.zeros((m, n), f32)]


def matmul_bias_relu_cases() -> Iterator[Values]:
    for m, n in ((16, 32), (19, 37)):
        yield [
            normal(1, m, 64, dtype=f16),
            normal(2, 64, n, dtype=f16),
            normal(3, 1, n, dtype=f16),
            np.zeros((m, n), f16),
        ]


def dot_48x96_cases() -> Iterator[Values]:
    a, b = normal(1, 48, 96, dtype=f16), normal(2, 96, 40, dtype=f16)
    yield [a, b, np.zeros((48, 40), f32)]


def dequantize_cases() -> Iterator[Values]:
    for rows in (8, 11):
        q = RNG(rows).integers(-128, 128, (rows, 128)).astype(np.int8)
        yield [q, normal(1, 1, 128), np.zeros((rows, 128), f16)]


def nibbles_cases() -> Iterator[Values]:
    for count in (200, 257, 0):
        q = RNG(count).integers(-128, 128, count).astype(np.int8)
        yield [q, np.zeros(count, f32), np.zeros(count, f32)]


def gather_rows_cases() -> Iterator[Values]:
    for rows, count in ((16, 16), (37, 21), (5, 3)):
        index = RNG(count).integers(-2, rows + 2, (count, 1)).astype(np.int32)
        index[0] = np.iinfo(np.int32).min
        yield [normal(1, rows, 48), index, np.zeros((count, 48), f32)]


def histogram_cases() -> Iterator[Values]:
    for count in (100, 257):
        x = RNG(count).integers(-3, 20, count).astype(np.int32)
        x[0] = np.iinfo(np.int32).min
        yield [x, np.zeros(16, np.int32)]


def tile_dot_cases() -> Iterator[Values]:
    for rows in (12, 31):
        yield [normal(1, rows, 20), normal(2, rows, 20), np.zeros(1, f32)]


def axpy_cases() -> Iterator[Values]:
    for count in (1000, 1234, 3):
        yield [f32(1.7), normal(1, count), normal(2, count)]


def cumsum_cases() -> Iterator[Values]:
    for columns in (32, 45):
        yield [normal(1, 17, columns), *(np.zeros((17, columns), f32) for _ in range(2))]


def tril_cases() -> Iterator[Values]:
    yield [adversarial(3, 2, 20, 20), np.zeros((2, 20, 20), f32)]


def stencil_cases() -> Iterator[Values]:
    for count in (256, 200, 1):
        yield [normal(1, count), np.zeros(count, f32)]


def stencil_in_place_cases() -> Iterator[Values]:
    for count in (128, 200, 1):
        yield [normal(1, count)]


LIST = (
    Example("softmax_rows", softmax_rows_cases, ref_softmax_rows),
    Example("softmax_100", rows_to_rows(100, 100), ref_softmax_100),
    Example("nll", nll_cases, ref_nll, 0, 0),
    Example("cross_entropy", cross_entropy_cases, ref_cross_entropy, 1e-3, 1e-3),
    Example("column_stats", column_stats_cases, ref_column_stats),
    Example("row_mean_var", rows_to_rows(96, 1, 1), ref_row_mean_var, 1e-4),
    Example("layer_norm", layer_norm_cases, ref_layer_norm, 1e-2, 1e-2),
    Example("rms_norm", rms_norm_cases, ref_rms_norm, 2e-3, 1e-3),
    Example("attention", attention_cases, ref_attention, 4e-3, 2e-3),
    Example("matmul_f16", matmul_cases(f16, f32), ref_matmul, 1e-5, 1e-5),
    Example("matmul_bf16", matmul_cases(bf16, f32), ref_matmul, 1e-5, 1e-5),
    Example("matmul_f32", matmul_cases(f32, f32), ref_matmul, 1e-5, 1e-5),
    Example("matmul_tf32", matmul_tf32_cases, ref_matmul, 1e-2, 1e-2),
    Example("matmul_i8", matmul_cases(np.int8, np.int32), ref_matmul_i8, 0, 0),
    Example("matmul_bias_relu", matmul_bias_relu_cases, ref_matmul_bias_relu, 2e-3, 1e-3),
    Example("dot_48x96", dot_48x96_cases, ref_matmul, 1e-5, 1e-5),
    Example("dequantize", dequantize_cases, ref_dequantize, 0, 0),
    Example("nibbles", nibbles_cases, ref_nibbles, 0, 0),
    Example("gather_rows", gather_rows_cases, ref_gather_rows, 0, 0),
    Example("histogram", histogram_cases, ref_histogram, 0, 0),
    Example("tile_dot", tile_dot_cases, ref_tile_dot, 1e-4, 1e-4),
    Example("axpy", axpy_cases, ref_axpy, 1e-6, 1e-7),
    Example("cumsum", cumsum_cases, ref_cumsum, 1e-4, 1e-4),
    Example("tril", tril_cases, ref_tril, 0, 0),
    Example("stencil", stencil_cases, ref_stencil, 0, 0),
    Example("stencil_in_place", stencil_in_place_cases, ref_stencil_in_place, 0, 0),
    Example("activations", rows_to_rows(3, 3, dtype=f16), ref_activations, 2e-3, 1e-4),
    Example("argsel", rows_to_rows(4, 1), ref_argsel, 0, 0),
)


def top4_cases() -> Iterator[Values]:
    for rows, make in ((8, normal), (13, adversarial), (0, normal)):
        yield [make(rows, rows, 50), np.zeros((rows, 4), f32), np.zeros((rows, 4), np.int32)]


def argsel_cases() -> Iterator[Values]:
    for rows, make in ((16, normal), (13, adversarial)):
        yield [make(rows, rows, 4), np.zeros((rows, 1), np.int32)]


BY_NAME = {example.name: example for example in LIST} | {
    "top4": Example("top4", top4_cases, ref_top4, 0, 0),
    "argsel": Example("argsel", argsel_cases, ref_argsel, 0, 0),
}


def assert_close(found: Array, expected: Array, example: Example) -> None:
    with np.errstate(all="ignore"):
        rounded = expected.astype(found.dtype) if found.dtype.kind not in "iu" else expected
        np.testing.assert_allclose(
            found.astype(np.float64),
            rounded.astype(np.float64),
            rtol=example.rtol,
            atol=example.atol,
            equal_nan=True,
            err_msg=example.name,
        )


def test_all_examples_are_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.mlir")} == set(BY_NAME)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_equals_numpy(name: str) -> None:
    example = BY_NAME[name]
    for values in example.cases():
        with np.errstate(all="ignore"):
            expected = example.reference(*values)
        outcome = Launch(example_text(name), values).original()
        arrays: list[Array] = [v for v in values if isinstance(v, np.ndarray)]
        wanted = list(expected)[-len(arrays) :]
        for before, found, result in zip(arrays, outcome.arrays, wanted, strict=True):
            if result is None:
                assert found.tobytes() == before.tobytes()
            else:
                assert_close(found, np.asarray(result), example)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_state_has_the_same_bits(name: str) -> None:
    for values in BY_NAME[name].cases():
        check_lowering(example_text(name), values)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_lowers_for_the_oldest_version(name: str) -> None:
    values = next(iter(BY_NAME[name].cases()))
    check_lowering(example_text(name), values, version="13.1")


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_default_pipeline_equals_numpy(name: str) -> None:
    """With the licences that the pipeline gives unless told otherwise."""
    example = BY_NAME[name]
    for values in example.cases():
        with np.errstate(all="ignore"):
            expected = example.reference(*values)
        launch = Launch(example_text(name), values)
        outcome = launch.run(lowered(example_text(name)))
        for found, result in zip(outcome.arrays[::-1], list(expected)[::-1], strict=False):
            if result is not None:
                assert_close(found, np.asarray(result), example)


def test_examples_begin_with_what_they_do() -> None:
    for path in EXAMPLES.glob("*.mlir"):
        assert path.read_text().startswith("// ")
        parse(path.read_text(), path.name)
