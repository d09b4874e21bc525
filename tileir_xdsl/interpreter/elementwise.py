"""Steps of elementwise operations: an array function applied to operands of any common shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.interpreter.plan import Compiler, Env, Step
from tileir_xdsl.interpreter.values import merge, tile_type

Array = npt.NDArray[Any]
ArrayFunction = Callable[..., Any]


def raw(function: Callable[..., Array]) -> ArrayFunction:
    """A function of `numerics` without its guard against floating-point warnings.

    A run silences them once for all its steps.
    """
    return getattr(function, "__wrapped__", function)


def aligned(function: ArrayFunction) -> ArrayFunction:
    """The function with operands broadcast to one shape: it may not do so itself."""
    broadcast_to, broadcast_shapes = np.broadcast_to, np.broadcast_shapes

    def applied(*operands: Array) -> Array:
        shape = operands[0].shape
        for operand in operands:
            if operand.shape != shape:
                break
        else:
            return function(*operands)
        shape = broadcast_shapes(*(operand.shape for operand in operands))
        return function(*(broadcast_to(operand, shape) for operand in operands))

    return applied


class Check:
    """What makes lanes of an operation undefined."""

    def __init__(self, kind: str, what: str, mask: ArrayFunction, *names: str) -> None:
        self.kind = kind
        self.what = what
        self.mask = mask
        """The undefined lanes, from the operands."""
        self.names = names
        """What to call the operands."""


def elementwise(
    compiler: Compiler,
    op: Operation,
    function: ArrayFunction,
    operands: Sequence[SSAValue] | None = None,
    check: Check | None = None,
) -> Step:
    """The step that applies `function` to tiles lane by lane."""
    sources = compiler.slots(op.operands if operands is None else operands)
    target = compiler.slot(op.results[0])
    if len(sources) > 1 and not isinstance(function, np.ufunc):
        function = aligned(function)
    if tile_type(op.results[0]).rank == 0:
        function = _as_array(function)
    step = _STEPS[len(sources)](sources, target, function, compiler.checked)
    if check is None:
        return step
    return _checked(op, step, sources, check)


def _as_array(function: ArrayFunction) -> ArrayFunction:
    """NumPy makes scalars of arrays of rank 0: this makes arrays of them again."""
    asarray = np.asarray

    def applied(*operands: Array) -> Array:
        return asarray(function(*operands))

    return applied


def _unary(sources: list[int], target: int, function: ArrayFunction, checked: bool) -> Step:
    (a,) = sources

    def plain(env: Env) -> None:
        env[target] = function(env[a])

    def step(env: Env) -> None:
        env[target] = function(env[a])
        env[target + 1] = env[a + 1]

    return step if checked else plain


def _binary(sources: list[int], target: int, function: ArrayFunction, checked: bool) -> Step:
    a, b = sources

    def plain(env: Env) -> None:
        env[target] = function(env[a], env[b])

    def step(env: Env) -> None:
        env[target] = function(env[a], env[b])
        first, second = env[a + 1], env[b + 1]
        if first is None and second is None:
            env[target + 1] = None
            return
        env[target + 1] = merge(first, second)

    return step if checked else plain


def _ternary(sources: list[int], target: int, function: ArrayFunction, checked: bool) -> Step:
    a, b, c = sources

    def plain(env: Env) -> None:
        env[target] = function(env[a], env[b], env[c])

    def step(env: Env) -> None:
        env[target] = function(env[a], env[b], env[c])
        env[target + 1] = merge(merge(env[a + 1], env[b + 1]), env[c + 1])

    return step if checked else plain


_STEPS = {1: _unary, 2: _binary, 3: _ternary}


def _checked(op: Operation, step: Step, sources: list[int], check: Check) -> Step:
    mask = aligned(check.mask) if len(sources) > 1 else check.mask
    names = check.names

    def run(env: Env) -> None:
        operands = [env[source] for source in sources]
        bad = mask(*operands)
        if bad.any():
            _refuse(env, operands, np.asarray(bad))
        step(env)

    def _refuse(env: Env, operands: list[Array], bad: Array) -> None:
        lanes: Array | None = None
        for source in sources:
            lanes = merge(lanes, env[source + 1])
        values = dict(zip(names, operands, strict=True))
        env[0].refuse_lanes(op, check.kind, check.what, bad, lanes, values)

    return run
