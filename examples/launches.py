"""Launches the examples from NumPy arrays and compares them with NumPy.

    python examples/launches.py [--engine gpu] [NAME ...]

Exits 0 when all results are right.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tileir_xdsl

FOLDER = Path(__file__).parent
Array = npt.NDArray[Any]


@dataclass
class Example:
    """One launch, and what the arrays that it writes should hold afterwards."""

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


EXAMPLES: dict[str, Callable[[], Example]] = {
    function.__name__: function
    for function in (vector_add, softmax, layer_norm, matmul, attention, gather, scan)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXAMPLES))
    parser.add_argument("--engine", choices=("interpreter", "gpu"), default="interpreter")
    options = parser.parse_args()
    failed = False
    for name in options.names or EXAMPLES:
        example = EXAMPLES[name]()
        result = tileir_xdsl.launch(
            example.path, example.grid, example.arguments, engine=options.engine
        )
        wrong = example.wrong()
        failed |= bool(wrong)
        verdict = f"WRONG: {', '.join(wrong)}" if wrong else "right"
        print(f"{name}: {verdict} ({result.engine})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
