"""The kernels of `tests/codegen` as a user of NVIDIA's `cuda-tile` writes them, for comparison.

Each does what the `.mlir` file of its name does, and is compiled with the same facts about its
arrays: extents, strides, what divides them, alignment. Needs the package `cuda-tile`, no GPU.
"""

from __future__ import annotations

import math
from typing import Any

from support.cutile_kernels import F16, F32, I32, Kernel, array, ct, scalar


def softmax_8x128_masked(s: Any, p: Any, n: Any) -> None:
    i = ct.bid(0)
    x = ct.load(s, (i, 0), (8, 128), padding_mode=ct.PaddingMode.ZERO)
    x = ct.where(ct.arange(128, dtype=ct.int32)[None, :] < n, x, -1.0e30)
    e = ct.exp(x - ct.max(x, axis=1, keepdims=True))
    ct.store(p, (i, 0), e / ct.sum(e, axis=1, keepdims=True))


def softmax(s: Any, p: Any, rows: Any, columns: Any) -> None:
    i = ct.bid(0)
    x = ct.load(s, (i, 0), (rows, columns), padding_mode=ct.PaddingMode.ZERO)
    e = ct.exp(x - ct.max(x, axis=1, keepdims=True))
    ct.store(p, (i, 0), e / ct.sum(e, axis=1, keepdims=True))


def layer_norm_4x1024(x: Any, g: Any, b: Any, y: Any) -> None:
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (4, 1024), padding_mode=ct.PaddingMode.ZERO)
    mean = ct.sum(t, axis=1, keepdims=True) / 1024
    distance = t - mean
    variance = ct.sum(distance * distance, axis=1, keepdims=True) / 1024
    normal = distance * ct.rsqrt(variance + 1.0e-5)
    scale, shift = ct.load(g, (0, 0), (1, 1024)), ct.load(b, (0, 0), (1, 1024))
    ct.store(y, (i, 0), normal * scale + shift)


def elementwise_1024(x: Any, y: Any, z: Any) -> None:
    i = ct.bid(0)
    a = ct.load(x, (i,), (1024,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(y, (i,), (1024,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(z, (i,), a + b)


def cast_64x64(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i, 0), ct.load(x, (i, 0), (64, 64)).astype(ct.float32))


def argmax_8x128(x: Any, index: Any) -> None:
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (8, 128), padding_mode=ct.PaddingMode.ZERO)
    ct.store(index, (i, 0), ct.argmax(t, axis=1, keepdims=True))


def topk_8x256(x: Any, v: Any, index: Any) -> None:
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (8, 256), padding_mode=ct.PaddingMode.ZERO)
    column = ct.arange(256, dtype=ct.int32)[None, :]
    place = ct.arange(8, dtype=ct.int32)[None, :]
    values = ct.zeros((8, 8), ct.float32)
    columns = ct.zeros((8, 8), ct.int32)
    for k in range(8):
        best = ct.max(t, axis=1, keepdims=True)
        first = ct.argmax(t, axis=1, keepdims=True)
        values = ct.where(place == k, best, values)
        columns = ct.where(place == k, first, columns)
        t = ct.where(column == first, -math.inf, t)
    ct.store(v, (i, 0), values)
    ct.store(index, (i, 0), columns)


def matmul_128x256(a: Any, b: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((128, 256), ct.float32)
    for k in range(ct.num_tiles(a, 1, (128, 64))):
        x = ct.load(a, (i, k), (128, 64), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (k, j), (64, 256), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc.astype(c.dtype))


def attention_d64(q: Any, k: Any, v: Any, o: Any) -> None:
    i = ct.bid(0)
    queries = ct.load(q, (i, 0), (128, 64))
    highest = ct.full((128, 1), -math.inf, ct.float32)
    total = ct.zeros((128, 1), ct.float32)
    acc = ct.zeros((128, 64), ct.float32)
    for j in range(ct.num_tiles(k, 0, (128, 64))):
        keys = ct.load(k, (0, j), (64, 128), order=(1, 0))
        scores = ct.mma(queries, keys, ct.zeros((128, 128), ct.float32)) * 0.125
        new = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        weights = ct.exp(scores - new)
        shrink = ct.exp(highest - new)
        total = total * shrink + ct.sum(weights, axis=1, keepdims=True)
        values = ct.load(v, (j, 0), (128, 64))
        acc = ct.mma(weights.astype(ct.float16), values, acc * shrink)
        highest = new
    ct.store(o, (i, 0), (acc / total).astype(ct.float16))


def attention_causal_d64(q: Any, k: Any, v: Any, o: Any) -> None:
    i = ct.bid(0)
    queries = ct.load(q, (i, 0), (128, 64))
    rows = i * 128 + ct.arange(128, dtype=ct.int32)[:, None]
    highest = ct.full((128, 1), -math.inf, ct.float32)
    total = ct.zeros((128, 1), ct.float32)
    acc = ct.zeros((128, 64), ct.float32)
    for j in range(i + 1):
        keys = ct.load(k, (0, j), (64, 128), order=(1, 0))
        scores = ct.mma(queries, keys, ct.zeros((128, 128), ct.float32)) * 0.125
        if j >= i:  # What the compiler splits the loop at.
            columns = j * 128 + ct.arange(128, dtype=ct.int32)[None, :]
            scores = ct.where(columns <= rows, scores, -1.0e30)
        new = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        weights = ct.exp(scores - new)
        shrink = ct.exp(highest - new)
        total = total * shrink + ct.sum(weights, axis=1, keepdims=True)
        values = ct.load(v, (j, 0), (128, 64))
        acc = ct.mma(weights.astype(ct.float16), values, acc * shrink)
        highest = new
    ct.store(o, (i, 0), (acc / total).astype(ct.float16))


def rows_of(dtype: Any, columns: int, rows: int | None = None) -> Any:
    """A dense matrix of a known number of columns."""
    return array(
        dtype,
        2,
        shape_constant=(rows, columns),
        stride_constant=(columns, 1),
        stride_divisible_by=(columns, 1),
    )


def vector() -> Any:
    return array(F32, 1, shape_divisible_by=(4,))


def matrix() -> Any:
    return array(F16, 2, shape_divisible_by=(1, 8))


F32_128, F32_1024 = rows_of(F32, 128), rows_of(F32, 1024)
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "softmax_8x128_masked": (softmax_8x128_masked, (F32_128, F32_128, scalar(I32))),
    "softmax_8x128_full": (softmax, (F32_128, F32_128, 8, 128)),
    "softmax_16x1024": (softmax, (F32_1024, F32_1024, 16, 1024)),
    "softmax_1x1024": (softmax, (F32_1024, F32_1024, 1, 1024)),
    "layer_norm_4x1024": (
        layer_norm_4x1024,
        (F32_1024, rows_of(F32, 1024, 1), rows_of(F32, 1024, 1), F32_1024),
    ),
    "elementwise_1024": (elementwise_1024, (vector(), vector(), vector())),
    "elementwise_1024_full": (elementwise_1024, (vector(), vector(), vector())),
    "cast_64x64": (cast_64x64, (rows_of(F16, 64), rows_of(F32, 64))),
    "argmax_8x128": (argmax_8x128, (F32_128, rows_of(I32, 1))),
    "topk_8x256": (topk_8x256, (rows_of(F32, 256), rows_of(F32, 8), rows_of(I32, 8))),
    "matmul_128x256": (matmul_128x256, (matrix(), matrix(), matrix())),
    "attention_causal_d64": (attention_causal_d64, (rows_of(F16, 64),) * 4),
    "attention_d64": (attention_d64, (rows_of(F16, 64),) * 4),
}

KERNELS = {
    name: Kernel(name, function, (signature,), "13.1", {})
    for name, (function, signature) in _SIGNATURES.items()
}
"""By the name of the file in `tests/codegen`."""
