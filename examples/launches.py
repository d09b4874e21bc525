"""Launches the examples from NumPy arrays; those of `cuda_tile` are compared with NumPy.

    python examples/launches.py [--engine gpu] [--compare] [NAME ...]

With `--compare` the interpreter runs them too, and results are compared with its own. Exits 0 when
all results are right.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tileir_xdsl
from tileir_xdsl.runtime.handlers import Comparison
from tileir_xdsl.runtime.launch import Handler

FOLDER = Path(__file__).parent
Array = npt.NDArray[Any]


@dataclass
class Example:
    """One launch, and what arrays that it writes should hold afterwards."""

    path: Path
    grid: tuple[int, ...] | None
    """None where the kernel says itself."""
    arguments: dict[str, Any]
    expected: dict[str, Array]
    tolerance: float = 0.0
    """How far a result may be off, relative to the largest of the array."""

    def wrong(self) -> list[str]:
        """The names of the arrays that hold something else."""
        return [name for name, array in self.expected.items() if not self._near(name, array)]

    def _near(self, name: str, expected: Array) -> bool:
        actual = self.arguments[name].astype(np.float64)
        reach = self.tolerance * float(np.abs(expected).max(initial=0.0))
        return bool(np.all(np.abs(actual - expected.astype(np.float64)) <= reach))


def normal(*shape: int, dtype: Any = np.float32) -> Array:
    """Numbers from the standard normal distribution, the same in every run."""
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def vector_add() -> Example:
    n = 3000
    a, b = normal(n), normal(n)[::-1].copy()
    return Example(
        FOLDER / "cuda_tile" / "vector_add.mlir",
        (-(-n // 1024),),
        {"a": a, "b": b, "c": np.zeros(n, np.float32), "n": n},
        {"c": a + b},
    )


def softmax() -> Example:
    rows = 22
    x = normal(rows, 1024)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return Example(
        FOLDER / "cuda_tile" / "softmax.mlir",
        (4,),
        {"x": x, "y": np.zeros_like(x), "rows": rows},
        {"y": powers / powers.sum(axis=1, keepdims=True)},
        1e-5,
    )


def layer_norm() -> Example:
    rows, eps = 10, 1e-5
    x, g, b = 3 * normal(rows, 1024) + 1, normal(1024), normal(1024)[::-1].copy()
    exact = x.astype(np.float64)
    distances = exact - exact.mean(axis=1, keepdims=True)
    variance = (distances**2).mean(axis=1, keepdims=True)
    return Example(
        FOLDER / "cuda_tile" / "layer_norm.mlir",
        (-(-rows // 4),),
        {"x": x, "g": g, "b": b, "y": np.zeros_like(x), "rows": rows, "eps": eps},
        {"y": distances / np.sqrt(variance + eps) * g + b},
        1e-5,
    )


def matmul() -> Example:
    m, n, k = 200, 136, 128
    a, b = normal(m, k, dtype=np.float16), normal(k, n, dtype=np.float16)
    return Example(
        FOLDER / "cuda_tile" / "matmul.mlir",
        (-(-n // 128), -(-m // 128)),
        {"a": a, "b": b, "c": np.zeros((m, n), np.float32), "m": m, "n": n, "k": k},
        {"c": a.astype(np.float64) @ b.astype(np.float64)},
        1e-5,
    )


def attention() -> Example:
    queries, keys = 128, 192
    q = normal(queries, 64, dtype=np.float16)
    k, v = normal(keys, 64, dtype=np.float16), normal(keys + 1, 64, dtype=np.float16)[1:].copy()
    scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    arguments = {"q": q, "k": k, "v": v, "o": np.zeros_like(q), "queries": queries, "keys": keys}
    return Example(
        FOLDER / "cuda_tile" / "attention.mlir",
        (queries // 64,),
        {**arguments, "scale": float(np.log2(np.e)) / 8},
        {"o": weights @ v.astype(np.float64)},
        2e-3,
    )


def gather() -> Example:
    n, count = 500, 1000
    table = normal(n)
    index = np.random.default_rng(0).integers(-5, n + 5, count).astype(np.int32)
    inside = (index >= 0) & (index < n)
    return Example(
        FOLDER / "cuda_tile" / "gather.mlir",
        (-(-count // 256),),
        {"table": table, "index": index, "y": np.ones(count, np.float32), "n": n, "count": count},
        {"y": np.where(inside, table[np.clip(index, 0, n - 1)], 0)},
    )


def scan() -> Example:
    rows = 5
    x = normal(rows, 1024)
    sums = np.cumsum(x.astype(np.float64), axis=1)
    return Example(
        FOLDER / "cuda_tile" / "scan.mlir",
        (rows,),
        {"x": x, "y": np.zeros_like(x), "total": np.zeros(rows, np.float32), "rows": rows},
        {"y": sums, "total": sums[:, -1]},
        1e-5,
    )


def integers(low: int, high: int, *shape: int, dtype: Any = np.int32) -> Array:
    """Numbers from `low` to `high` - 1, the same in every run."""
    return np.random.default_rng(sum(shape)).integers(low, high, shape).astype(dtype)


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    return np.zeros(shape, dtype)


def sugar_arguments() -> dict[str, dict[str, Any]]:
    """The arguments of the examples of `tile_sugar`, with extents that do not fill whole tiles."""
    import ml_dtypes

    f16, bf16 = np.float16, ml_dtypes.bfloat16
    product = {"C": zeros(19, 21)}
    return {
        "activations": {"x": normal(13, 3, dtype=f16), "y": zeros(13, 3, dtype=f16)},
        "argsel": {"x": normal(13, 4), "y": zeros(13, 1, dtype=np.int32)},
        "attention": {
            **{name: normal(21, 32, dtype=f16) for name in "QKV"},
            "O": zeros(21, 32, dtype=f16),
        },
        "axpy": {"alpha": 1.7, "x": normal(1234), "y": normal(1234)[::-1].copy()},
        "column_stats": {"x": normal(24, 70), "out": zeros(3, 70)},
        "cross_entropy": {
            "x": normal(11, 100, dtype=f16),
            "label": integers(0, 100, 11, 1),
            "loss": zeros(11, 1, dtype=f16),
        },
        "cumsum": {"x": normal(17, 45), "y": zeros(17, 45), "z": zeros(17, 45)},
        "dequantize": {
            "q": integers(-128, 128, 11, 128, dtype=np.int8),
            "scale": normal(1, 128),
            "y": zeros(11, 128, dtype=f16),
        },
        "dot_48x96": {
            "A": normal(48, 96, dtype=f16),
            "B": normal(96, 40, dtype=f16),
            "C": zeros(48, 40),
        },
        "gather_rows": {
            "table": normal(37, 48),
            "index": integers(-2, 39, 21, 1),
            "y": zeros(21, 48),
        },
        "histogram": {"x": integers(-3, 20, 257), "bins": zeros(16, dtype=np.int32)},
        "layer_norm": {
            "x": normal(7, 100, dtype=bf16),
            "g": normal(1, 100, dtype=bf16),
            "b": normal(1, 100, dtype=bf16),
            "y": zeros(7, 100, dtype=bf16),
        },
        "matmul_bf16": {
            "A": normal(19, 23, dtype=bf16),
            "B": normal(23, 21, dtype=bf16),
            **product,
        },
        "matmul_bias_relu": {
            "A": normal(19, 64, dtype=f16),
            "B": normal(64, 37, dtype=f16),
            "bias": normal(1, 37, dtype=f16),
            "C": zeros(19, 37, dtype=f16),
        },
        "matmul_f16": {"A": normal(19, 23, dtype=f16), "B": normal(23, 21, dtype=f16), **product},
        "matmul_f32": {"A": normal(19, 23), "B": normal(23, 21), **product},
        "matmul_i8": {
            "A": integers(-128, 128, 19, 23, dtype=np.int8),
            "B": integers(-128, 128, 23, 21, dtype=np.int8),
            "C": zeros(19, 21, dtype=np.int32),
        },
        "matmul_tf32": {"A": normal(19, 32), "B": normal(32, 5), "C": zeros(19, 5)},
        "nibbles": {
            "q": integers(-128, 128, 257, dtype=np.int8),
            "low": zeros(257),
            "high": zeros(257),
        },
        "nll": {"logp": normal(19, 100), "label": integers(0, 100, 19), "loss": zeros(19)},
        "rms_norm": {
            "x": normal(6, 256, dtype=f16),
            "g": normal(1, 256, dtype=f16),
            "y": zeros(6, 256, dtype=f16),
        },
        "row_mean_var": {"x": normal(13, 96), "mean": zeros(13, 1), "var": zeros(13, 1)},
        "softmax_100": {"x": normal(13, 100), "y": zeros(13, 100)},
        "softmax_rows": {"S": normal(13, 128), "P": zeros(13, 128), "n": 100},
        "stencil": {"x": normal(200), "y": zeros(200)},
        "stencil_in_place": {"x": normal(200)},
        "tile_dot": {"x": normal(31, 20), "y": normal(20, 31).reshape(31, 20), "sum": zeros(1)},
        "top4": {"x": normal(13, 50), "v": zeros(13, 4), "i": zeros(13, 4, dtype=np.int32)},
        "tril": {"x": normal(2, 20, 20), "y": zeros(2, 20, 20)},
    }


def sugar(name: str) -> Example:
    """An example of `tile_sugar`, which says its grid itself."""
    return Example(FOLDER / "tile_sugar" / f"{name}.mlir", None, sugar_arguments()[name], {})


EXAMPLES: dict[str, Callable[[], Example]] = {
    **{
        function.__name__: function
        for function in (vector_add, softmax, layer_norm, matmul, attention, gather, scan)
    },
    **{f"sugar/{name}": partial(sugar, name) for name in sugar_arguments()},
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXAMPLES))
    parser.add_argument("--engine", choices=("interpreter", "gpu"), default="interpreter")
    parser.add_argument("--compare", action="store_true", help="with the interpreter")
    options = parser.parse_args()
    failed = False
    for name in options.names or EXAMPLES:
        example = EXAMPLES[name]()
        with Comparison() if options.compare else Handler():
            result = tileir_xdsl.launch(
                example.path, example.grid, example.arguments, engine=options.engine
            )
        wrong = example.wrong()
        failed |= bool(wrong)
        verdict = f"WRONG: {', '.join(wrong)}" if wrong else "right" if example.expected else "ran"
        print(f"{name}: {verdict} ({result.engine})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
