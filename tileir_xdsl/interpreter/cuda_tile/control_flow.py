"""Loops, branches, terminators, assertions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.dialects.cuda_tile import control_flow as ir
from tileir_xdsl.interpreter.plan import (
    Compiler,
    Env,
    Signal,
    Step,
    Target,
    branch,
    builder,
    mover,
)
from tileir_xdsl.interpreter.undefined import first_lane
from tileir_xdsl.interpreter.values import full, integer_format, tile_type


def _enclosing(compiler: Compiler, kinds: tuple[str, ...]) -> Target:
    """The innermost enclosing operation of some kinds."""
    return next(t for t in reversed(compiler.targets) if t.kind in kinds)


@builder(ir.YieldOp, elementwise=True)
def build_yield(op: ir.YieldOp, compiler: Compiler) -> Step | None:
    target = compiler.targets[-1]
    if not op.args:
        return None
    return mover(compiler.slots(op.args), target.yielded)


def _leave(op: Any, compiler: Compiler, targets: list[int], signal: Signal) -> Step:
    transfer = mover(compiler.slots(op.args), targets)

    def run(env: Env) -> Signal:
        transfer(env)
        return signal

    return run


@builder(ir.BreakOp)
def build_break(op: ir.BreakOp, compiler: Compiler) -> Step:
    return _leave(op, compiler, _enclosing(compiler, ("loop",)).yielded, Signal.BREAK)


@builder(ir.ContinueOp)
def build_continue(op: ir.ContinueOp, compiler: Compiler) -> Step:
    target = _enclosing(compiler, ("for", "loop"))
    return _leave(op, compiler, target.carried, Signal.CONTINUE)


@builder(ir.ReturnOp)
def build_return(op: ir.ReturnOp, compiler: Compiler) -> Step:
    return lambda env: Signal.RETURN


@builder(ir.IfOp)
def build_if(op: ir.IfOp, compiler: Compiler) -> Step:
    return branch(compiler, op, op.condition, op.then_region, op.else_region)


@builder(ir.ForOp)
def build_for(op: ir.ForOp, compiler: Compiler) -> Step:
    fmt = integer_format(op.lower_bound)
    bounds = compiler.slots((op.lower_bound, op.upper_bound, op.step))
    block = op.region.block
    induction = compiler.slot(block.args[0])
    carried = compiler.slots(block.args[1:])
    target = Target("for", carried=carried)
    enter = mover(compiler.slots(op.init_values), carried)
    leave = mover(carried, compiler.slots(op.results))
    body = compiler.compile_block(block, target)
    signed = op.unsigned_cmp is None
    names = ("the lower bound", "the upper bound", "the step")

    def bound(env: Env, position: int) -> int:
        slot = bounds[position]
        env[0].require_specified(op, env[slot + 1], names[position])
        value = int(env[slot])
        if fmt.width == 1 and signed:
            return -value
        return value if signed else value & ((1 << fmt.width) - 1)

    def run(env: Env) -> Signal | None:
        low, high, step = (bound(env, position) for position in range(3))
        if step <= 0:
            raise env[0].undefined(
                op, "step-limit", "the step is not positive", values={"step": step}
            )
        enter(env)
        wide, dtype = np.int64 if signed else np.uint64, fmt.dtype
        for value in range(low, high, step):
            env[0].iterate(op)
            env[induction] = np.asarray(value, wide).astype(dtype)
            if body.run(env) is Signal.RETURN:
                return Signal.RETURN
        leave(env)
        return None

    return run


@builder(ir.LoopOp)
def build_loop(op: ir.LoopOp, compiler: Compiler) -> Step:
    carried = compiler.slots(op.region.block.args)
    target = Target("loop", yielded=compiler.slots(op.results), carried=carried)
    enter = mover(compiler.slots(op.init_values), carried)
    body = compiler.compile_block(op.region.block, target)

    def run(env: Env) -> Signal | None:
        enter(env)
        while True:
            env[0].iterate(op)
            signal = body.run(env)
            if signal is Signal.BREAK:
                return None
            if signal is Signal.RETURN:
                return signal

    return run


@builder(ir.AssertOp)
def build_assert(op: ir.AssertOp, compiler: Compiler) -> Step:
    slot = compiler.slot(op.condition)
    shape = tile_type(op.condition).get_shape()

    def run(env: Env) -> None:
        env[0].require_specified(op, env[slot + 1], "the condition")
        condition = env[slot]
        if condition.all():
            return
        lane = first_lane(~full(condition, shape))
        raise env[0].undefined(op, "assert", f'assertion failed: "{op.message.data}"', lane)

    return run
