"""Control flow of kernels: `scf.for`, `scf.if` and `scf.while`."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import scf

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


@builder(scf.YieldOp)
def build_yield(op: scf.YieldOp, compiler: Compiler) -> Step | None:
    if not op.arguments:
        return None
    return mover(compiler.slots(op.arguments), compiler.targets[-1].yielded)


@builder(scf.IfOp)
def build_if(op: scf.IfOp, compiler: Compiler) -> Step:
    return branch(compiler, op, op.cond, op.true_region, op.false_region)


@builder(scf.ForOp)
def build_for(op: scf.ForOp, compiler: Compiler) -> Step:
    bounds = compiler.slots((op.lb, op.ub, op.step))
    block = op.body.block
    induction = compiler.slot(block.args[0])
    carried = compiler.slots(block.args[1:])
    enter = mover(compiler.slots(op.iter_args), carried)
    leave = mover(carried, compiler.slots(op.results))
    body = compiler.compile_block(block, Target("for", yielded=carried))

    def run(env: Env) -> Signal | None:
        for slot in bounds:
            env[0].require_specified(op, env[slot + 1], "a bound of the loop")
        low, high, step = (int(env[slot]) for slot in bounds)
        if step <= 0:
            raise env[0].undefined(
                op, "step-limit", "the step is not positive", values={"step": step}
            )
        dtype = env[bounds[0]].dtype
        enter(env)
        for value in range(low, high, step):
            env[0].iterate(op)
            env[induction] = np.asarray(value, dtype)
            if body.run(env) is Signal.RETURN:
                return Signal.RETURN
        leave(env)
        return None

    return run


@builder(scf.ConditionOp)
def build_condition(op: scf.ConditionOp, compiler: Compiler) -> Step:
    condition = compiler.slot(op.condition)
    transfer = mover(compiler.slots(op.args), compiler.targets[-1].yielded)

    def run(env: Env) -> Signal | None:
        env[0].require_specified(op, env[condition + 1], "the condition")
        transfer(env)
        return Signal.CONTINUE if env[condition] else Signal.BREAK

    return run


@builder(scf.WhileOp)
def build_while(op: scf.WhileOp, compiler: Compiler) -> Step:
    before, after = op.before_region.block, op.after_region.block
    first, second = compiler.slots(before.args), compiler.slots(after.args)
    passed = [compiler.fresh() for _ in second]
    enter = mover(compiler.slots(op.arguments), first)
    proceed = mover(passed, second)
    leave = mover(passed, compiler.slots(op.results))
    test = compiler.compile_block(before, Target("while", yielded=passed))
    body = compiler.compile_block(after, Target("while", yielded=first))

    def run(env: Env) -> Signal | None:
        enter(env)
        while True:
            env[0].iterate(op)
            signal = test.run(env)
            if signal is Signal.RETURN:
                return signal
            if signal is Signal.BREAK:
                break
            proceed(env)
            if body.run(env) is Signal.RETURN:
                return Signal.RETURN
        leave(env)
        return None

    return run
