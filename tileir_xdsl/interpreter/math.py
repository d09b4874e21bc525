"""Scalar functions of kernels: `math` by its definition in `cuda_tile`."""

from __future__ import annotations

from xdsl.dialects.math import Math

from tileir_xdsl.interpreter.arith import build_scalar
from tileir_xdsl.interpreter.plan import BUILDERS, ELEMENTWISE

for _cls in Math.operations:
    BUILDERS[_cls] = build_scalar
    ELEMENTWISE.add(_cls)
