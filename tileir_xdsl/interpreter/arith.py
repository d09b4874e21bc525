"""Scalar arithmetic of kernels: `arith` by its definition in `cuda_tile`."""

from __future__ import annotations

from xdsl.dialects.arith import Arith
from xdsl.ir import Operation

from tileir_xdsl.dialects.tile_sugar.scalars import lower_scalar
from tileir_xdsl.interpreter.plan import BUILDERS, ELEMENTWISE, Compiler, Step
from tileir_xdsl.interpreter.tile_sugar.elementwise import by_definition


def build_scalar(op: Operation, compiler: Compiler) -> Step:
    """A scalar operation as its definition on rank-0 tiles."""
    return by_definition(op, compiler, lower_scalar)


for _cls in Arith.operations:
    BUILDERS[_cls] = build_scalar
    ELEMENTWISE.add(_cls)
