"""How kernels of `tile_sugar` run: each operation by NumPy, before any lowering.

Elementwise operations run their definition (`dialects.tile_sugar.primitives`) on whole arrays,
library operations their expansion, everything else is here. Values are as for `cuda_tile`
(`interpreter.values`): a tile is an array of its rank, with extent 1 where all elements along an
axis are equal; a scalar is an array of rank 0; a tensor is a `memory.Tensor`.
"""

from tileir_xdsl.interpreter.tile_sugar import (
    elementwise,
    folds,
    kernel,
    memory,
    shapes,
)

__all__ = ["elementwise", "folds", "kernel", "memory", "shapes"]
