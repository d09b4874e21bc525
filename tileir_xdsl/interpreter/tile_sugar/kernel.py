"""Kernels as entries that the interpreter can launch, and questions about the launch."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.places import copy_place
from tileir_xdsl.dialects.tile_sugar import kernel as ir
from tileir_xdsl.interpreter.plan import Compiler, Env, Signal, Step, builder
from tileir_xdsl.passes.lower_kernel import entry_with_parameters, index_arithmetic


def as_entry(kernel: ir.KernelOp) -> EntryOp:
    """An entry with the kernel's ABI and promises, whose body is the kernel's, not lowered."""
    copy = kernel.clone()
    for old, new in zip(kernel.walk(), copy.walk(), strict=True):
        copy_place(old, new)
    for op in index_arithmetic(copy):
        _forbid_wrapping(op)
    entry, block, parameters = entry_with_parameters(copy)
    for argument, value in zip(copy.body.block.args, parameters, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(copy.body.block.ops):
        op.detach()
        block.add_op(op)
    copy.erase()
    return entry


def _forbid_wrapping(op: Operation) -> None:
    """An overflow of arithmetic that feeds an index is undefined."""
    if "overflowFlags" not in op.properties:
        return
    flags: Any = op.properties["overflowFlags"]
    op.properties["overflowFlags"] = arith.IntegerOverflowAttr(
        [*flags.data, arith.IntegerOverflowFlag.NSW]
    )


@builder(ir.ReturnOp)
def build_return(op: ir.ReturnOp, compiler: Compiler) -> Step:
    return lambda env: Signal.RETURN


@builder(ir.BlockIdOp)
def build_block_id(op: ir.BlockIdOp, compiler: Compiler) -> Step:
    target, dim = compiler.slot(op.result), op.dimension

    def run(env: Env) -> None:
        env[target] = np.asarray(env[0].id[dim], np.int32)

    return run


@builder(ir.NumBlocksOp)
def build_num_blocks(op: ir.NumBlocksOp, compiler: Compiler) -> Step:
    target, dim = compiler.slot(op.result), op.dimension

    def run(env: Env) -> None:
        env[target] = np.asarray(env[0].launch.grid[dim], np.int32)

    return run
