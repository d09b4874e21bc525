"""The interpreter against the same computation written by hand in NumPy, tile by tile.

    python tools/bench_interpreter.py [--repeat N]

Prints, for each kernel, the CPU time of the hand-written loop over the same tiles and the ratios of
checked and unchecked runs to it: the shortest of some rounds in which the three take turns, with
BLAS on one thread. The goals are 10 and 5.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

import tileir_xdsl
from tileir_xdsl.interpreter import Kernel
from tileir_xdsl.interpreter.plan import Options

Array = npt.NDArray[Any]
EXAMPLES = Path(__file__).parents[1] / "examples" / "cuda_tile"
CHECKED_GOAL, UNCHECKED_GOAL = 10.0, 5.0

LAYERNORM = """
cuda_tile.module @layernorm {
  entry @layernorm(%x: tile<ptr<f32>>, %g: tile<ptr<f32>>, %b: tile<ptr<f32>>,
                   %y: tile<ptr<f32>>, %rows: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %width = constant <f32: 1024.0> : tile<8x1xf32>
    %eps = constant <f32: 1.0e-5> : tile<8x1xf32>
    %block, %u, %w = get_tile_block_id : tile<i32>
    %xa = make_tensor_view %x, shape = [%rows, 1024], strides = [1024, 1]
      : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %ya = make_tensor_view %y, shape = [%rows, 1024], strides = [1024, 1]
      : tile<i32> -> tensor_view<?x1024xf32, strides=[1024,1]>
    %ga = make_tensor_view %g, shape = [1, 1024], strides = [1024, 1]
      : tensor_view<1x1024xf32, strides=[1024,1]>
    %ba = make_tensor_view %b, shape = [1, 1024], strides = [1024, 1]
      : tensor_view<1x1024xf32, strides=[1024,1]>
    %xt = make_partition_view %xa
      : partition_view<tile=(8x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %yt = make_partition_view %ya
      : partition_view<tile=(8x1024), tensor_view<?x1024xf32, strides=[1024,1]>>
    %gt = make_partition_view %ga
      : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>
    %bt = make_partition_view %ba
      : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>
    %v, %t0 = load_view_tko weak %xt[%block, %zero]
      : partition_view<tile=(8x1024), tensor_view<?x1024xf32, strides=[1024,1]>>, tile<i32>
      -> tile<8x1024xf32>, token
    %gv, %t1 = load_view_tko weak %gt[%zero, %zero]
      : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>, tile<i32>
      -> tile<1x1024xf32>, token
    %bv, %t2 = load_view_tko weak %bt[%zero, %zero]
      : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>, tile<i32>
      -> tile<1x1024xf32>, token
    %s = reduce %v dim=1 identities=[0.0 : f32] : tile<8x1024xf32> -> tile<8xf32>
    (%a0: tile<f32>, %e0: tile<f32>) {
      %r0 = addf %a0, %e0 : tile<f32>
      yield %r0 : tile<f32>
    }
    %sc = reshape %s : tile<8xf32> -> tile<8x1xf32>
    %mean = divf %sc, %width : tile<8x1xf32>
    %meant = broadcast %mean : tile<8x1xf32> -> tile<8x1024xf32>
    %d = subf %v, %meant : tile<8x1024xf32>
    %d2 = mulf %d, %d : tile<8x1024xf32>
    %q = reduce %d2 dim=1 identities=[0.0 : f32] : tile<8x1024xf32> -> tile<8xf32>
    (%a1: tile<f32>, %e1: tile<f32>) {
      %r1 = addf %a1, %e1 : tile<f32>
      yield %r1 : tile<f32>
    }
    %qc = reshape %q : tile<8xf32> -> tile<8x1xf32>
    %var = divf %qc, %width : tile<8x1xf32>
    %vare = addf %var, %eps : tile<8x1xf32>
    %inv = rsqrt %vare : tile<8x1xf32>
    %invt = broadcast %inv : tile<8x1xf32> -> tile<8x1024xf32>
    %n = mulf %d, %invt : tile<8x1024xf32>
    %gb = broadcast %gv : tile<1x1024xf32> -> tile<8x1024xf32>
    %bb = broadcast %bv : tile<1x1024xf32> -> tile<8x1024xf32>
    %scaled = mulf %n, %gb : tile<8x1024xf32>
    %o = addf %scaled, %bb : tile<8x1024xf32>
    %t3 = store_view_tko weak %o, %yt[%block, %zero]
      : tile<8x1024xf32>, partition_view<tile=(8x1024), tensor_view<?x1024xf32, strides=[1024,1]>>,
      tile<i32> -> token
    return
  }
}
"""


def cpu_time(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


@dataclass
class Benchmark:
    """A kernel with its arguments, and the same by hand."""

    name: str
    module: Any
    launches: list[tuple[tuple[int, ...], list[Any]]]
    by_hand: Callable[[], None]
    difference: Callable[[], float]
    """The largest difference between the two results."""


def example(name: str) -> Any:
    path = EXAMPLES / f"{name}.mlir"
    return tileir_xdsl.parse(path.read_text(), path.name)


def softmax(random: np.random.Generator) -> Benchmark:
    """4096 rows of 1024, in tiles of 4 x 1024."""
    x = random.standard_normal((4096, 1024)).astype(np.float32)
    y, z = np.zeros_like(x), np.zeros_like(x)

    def by_hand() -> None:
        for row in range(0, 4096, 4):
            tile = x[row : row + 4]
            powers = np.exp(tile - tile.max(axis=1, keepdims=True))
            z[row : row + 4] = powers / powers.sum(axis=1, keepdims=True)

    return Benchmark(
        "softmax 4096x1024 f32",
        example("softmax"),
        [((8,), [x, y, 4096])],
        by_hand,
        lambda: float(np.abs(y - z).max()),
    )


def layernorm(random: np.random.Generator) -> Benchmark:
    """4096 rows of 1024, in tiles of 8 x 1024."""
    x = random.standard_normal((4096, 1024)).astype(np.float32)
    g, b = (random.standard_normal(1024).astype(np.float32) for _ in range(2))
    y, z = np.zeros_like(x), np.zeros_like(x)

    def by_hand() -> None:
        for row in range(0, 4096, 8):
            tile = x[row : row + 8]
            centred = tile - tile.sum(axis=1, keepdims=True) / np.float32(1024)
            variance = (centred * centred).sum(axis=1, keepdims=True) / np.float32(1024)
            inverse = 1 / np.sqrt(variance + np.float32(1e-5))
            z[row : row + 8] = centred * inverse * g + b

    return Benchmark(
        "layernorm 4096x1024 f32",
        tileir_xdsl.parse(LAYERNORM, "layernorm"),
        [((512,), [x, g, b, y, 4096])],
        by_hand,
        lambda: float(np.abs(y - z).max()),
    )


def matmul(random: np.random.Generator) -> Benchmark:
    """512 x 512 x 512 f16, in tiles of 128 x 128 x 64, accumulated in f32."""
    a, b = (random.standard_normal((512, 512)).astype(np.float16) for _ in range(2))
    c, d = np.zeros((512, 512), np.float32), np.zeros((512, 512), np.float32)

    def by_hand() -> None:
        for i in range(0, 512, 128):
            for j in range(0, 512, 128):
                total = np.zeros((128, 128), np.float32)
                for k in range(0, 512, 64):
                    left = a[i : i + 128, k : k + 64].astype(np.float32)
                    total += left @ b[k : k + 64, j : j + 128].astype(np.float32)
                d[i : i + 128, j : j + 128] = total

    return Benchmark(
        "matmul 512x512x512 f16",
        example("matmul"),
        [((4, 4), [a, b, c, 512, 512, 512])],
        by_hand,
        lambda: float(np.abs(c - d).max()),
    )


def attention(random: np.random.Generator) -> Benchmark:
    """8 heads of 512 queries and keys of 64 f16, in tiles of 64 x 64."""
    q, k, v = (random.standard_normal((8, 512, 64)).astype(np.float16) for _ in range(3))
    o, p = np.zeros_like(q), np.zeros_like(q)
    scale = np.float32(np.log2(np.e) / 8)

    def by_hand() -> None:
        for head in range(8):
            for row in range(0, 512, 64):
                one_block(head, row)

    def one_block(head: int, row: int) -> None:
        queries = q[head, row : row + 64].astype(np.float32)
        largest = np.full((64, 1), -np.inf, np.float32)
        total, result = np.zeros((64, 1), np.float32), np.zeros((64, 64), np.float32)
        for key in range(0, 512, 64):
            scores = queries @ k[head, key : key + 64].astype(np.float32).T * scale
            higher = np.maximum(largest, scores.max(axis=1, keepdims=True))
            powers, shrink = np.exp2(scores - higher), np.exp2(largest - higher)
            total = total * shrink + powers.sum(axis=1, keepdims=True)
            weights = powers.astype(np.float16).astype(np.float32)
            values = v[head, key : key + 64].astype(np.float32)
            result = result * shrink + weights @ values
            largest = higher
        p[head, row : row + 64] = (result / total).astype(np.float16)

    return Benchmark(
        "attention 1x8x512x64 f16",
        example("attention"),
        [((8,), [q[h], k[h], v[h], o[h], 512, 512, scale]) for h in range(8)],
        by_hand,
        lambda: float(np.abs(o.astype(np.float32) - p.astype(np.float32)).max()),
    )


def measure(benchmark: Benchmark, repeat: int) -> bool:
    """Print a line for a benchmark; whether it meets the goals."""
    kernels = [
        Kernel(benchmark.module, options=Options(checked=checked)) for checked in (True, False)
    ]

    def launch(kernel: Kernel) -> None:
        for grid, arguments in benchmark.launches:
            kernel.launch(grid, arguments)

    tasks = [benchmark.by_hand, *(partial(launch, kernel) for kernel in kernels)]
    times = [[cpu_time(task) for task in tasks] for _ in range(repeat)]
    hand, *others = (min(column) for column in zip(*times, strict=True))
    checked, unchecked = (other / hand for other in others)
    print(
        f"{benchmark.name:26} {hand * 1e3:9.1f} ms {checked:8.2f}x {unchecked:9.2f}x "
        f"{benchmark.difference():12.2g}"
    )
    return checked <= CHECKED_GOAL and unchecked <= UNCHECKED_GOAL


def main() -> int:
    parser = argparse.ArgumentParser(description="The interpreter against NumPy.")
    parser.add_argument("--repeat", type=int, default=5)
    repeat: int = parser.parse_args().repeat
    random = np.random.default_rng(0)
    print(f"{'kernel':26} {'by hand':>12} {'checked':>9} {'unchecked':>10} {'difference':>12}")
    made = [make(random) for make in (softmax, layernorm, matmul, attention)]
    met = [measure(benchmark, repeat) for benchmark in made]
    print(f"goals: checked {CHECKED_GOAL:g}x, unchecked {UNCHECKED_GOAL:g}x")
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
