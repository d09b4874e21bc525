"""How far a device's results may be from the interpreter's, estimated kernel by kernel.

What the operations of a kernel may show on a device is known one by one (`numerics.ulp`); what
that does to a result depends on the data. So the kernel is run in the interpreter several times,
each time with the result of every approximate operation moved at random within its bound, matrix
products within theirs, and reductions in another order, as in Monte Carlo arithmetic (Parker,
1997). The bounds are a multiple of what this moves the results by.

A kernel whose operations are all exact or correctly rounded, in an order that cannot matter, has to
give equal bits.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile import atomics, core
from tileir_xdsl.dialects.cuda_tile.attributes import AtomicRMWMode
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.interpreter import api, reset_globals
from tileir_xdsl.interpreter.plan import Compiler, Env, Options, Signal, Step
from tileir_xdsl.interpreter.values import format_of
from tileir_xdsl.numerics.formats import FloatFormat
from tileir_xdsl.numerics.rounding import round_to_format, widen
from tileir_xdsl.numerics.ulp import ACCURACY, mma_error_bound, ulp_bound
from tileir_xdsl.runtime.abi import find_kernel
from tileir_xdsl.runtime.comparison import Tolerance, distance, element_bits, values
from tileir_xdsl.runtime.engines import entry_arguments
from tileir_xdsl.runtime.handlers import array_bits
from tileir_xdsl.runtime.kernel import is_sugar
from tileir_xdsl.runtime.launch import Launch
from tileir_xdsl.runtime.layouts import layout_of

Array = npt.NDArray[Any]

ORDERS = ("sequential", "reversed", "shuffled", "halves")
"""The order of reductions in each of the runs that move results."""

SAFETY = 4
"""How much farther a device may be off than any of the runs was."""

PRODUCTS = ("mmaf", "mmaf_scaled")

_KEEP_ONE_OPERAND = frozenset({"maxf", "minf", "select", "absf", "negf"})
"""Operations on floats whose result does not depend on the order in which they combine."""


def compared_parameters(launch: Launch) -> list[int]:
    """The positions of the array parameters whose contents a launch may change."""
    written = launch.kernel.written
    return [k for k in sorted(launch.arguments.arrays) if written is None or k in written]


def estimate(launch: Launch) -> dict[int, Tolerance]:
    """A tolerance for each array that a launch may write, by position of its parameter.

    The arrays are on the host and are not changed. Raises `UndefinedBehaviour` when the program is
    undefined.
    """
    positions = compared_parameters(launch)
    kernel = find_kernel(launch.kernel.program, launch.kernel.name)
    # What lowering a kernel of `tile_sugar` may change is part of the bounds.
    exact = not is_inexact(kernel) and not is_sugar(launch.kernel.source)
    if launch.blocks == 0 or exact:
        return dict.fromkeys(positions, Tolerance())
    # Clones have globals of their own.
    expected = _contents(launch, launch.kernel.source.clone(), positions, api.Kernel, 0)
    program = launch.kernel.program.clone()
    moved = [_contents(launch, program, positions, _Moving, seed) for seed in range(len(ORDERS))]
    tolerances = {
        k: _tolerance(launch, k, expected[k], [contents[k] for contents in moved])
        for k in positions
    }
    return _with_atomics(launch, kernel, tolerances)


def is_inexact(kernel: Operation) -> bool:
    """Whether a device may give other results than the interpreter."""
    return any(
        _is_product(op) or _bound(op) is not None or _order_matters(op) for op in kernel.walk()
    )


def _mnemonic(op: Operation) -> str:
    return op.name.partition(".")[2]


def _is_product(op: Operation) -> bool:
    return _mnemonic(op) in PRODUCTS


def _bound(op: Operation) -> int | None:
    """How many ulps the result of an arithmetic operation may be off."""
    name = _mnemonic(op)
    if (name not in ACCURACY and name != "pow") or _is_product(op) or not op.results:
        return None
    type = op.results[0].type
    if not isinstance(type, TileType):
        return None
    return ulp_bound(name, format_of(type.element_type), _rounding(op))


def _rounding(op: Operation) -> str | None:
    mode: Any = getattr(op, "rounding_mode", None)
    return None if mode is None else str(mode.data)


def _order_matters(op: Operation) -> bool:
    """Whether a result depends on an order that is left open: folds and atomics on floats."""
    if isinstance(op, atomics.AtomicRMWTkoOp | atomics.AtomicRedViewTkoOp):
        return op.mode.data is AtomicRMWMode.ADDF
    if not isinstance(op, core.ReduceOp | core.ScanOp):
        return False
    return any(
        _has_float_result(inner) and _mnemonic(inner) not in _KEEP_ONE_OPERAND
        for inner in op.body.block.ops
    )


def _has_float_result(op: Operation) -> bool:
    return any(
        isinstance(value.type, TileType)
        and isinstance(format_of(value.type.element_type), FloatFormat)
        for value in op.results
    )


# --- runs


class _MovingCompiler(Compiler):
    """Moves the results of inexact operations within their bounds."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.random = np.random.default_rng(options.seed)

    def compile_op(self, op: Operation) -> Step | None:
        step = super().compile_op(op)
        if step is None:
            return None
        if _is_product(op):
            return self._moved_product(op, step)
        bound = _bound(op)
        return step if bound is None else self._moved(op, step, bound)

    def _moved(self, op: Operation, step: Step, bound: int) -> Step:
        target, fmt = self.slot(op.results[0]), _float_format(op)
        scale = bound * 2.0**-fmt.mantissa_bits

        def run(env: Env) -> Signal | None:
            signal = step(env)
            exact = widen(env[target], fmt)
            moved = exact * (1 + scale * self.random.uniform(-1, 1, exact.shape))
            env[target] = np.asarray(round_to_format(moved, fmt))
            return signal

        return run

    def _moved_product(self, op: Operation, step: Step) -> Step:
        target, fmt = self.slot(op.results[0]), _float_format(op)
        lhs = op.operands[0].type
        assert isinstance(lhs, TileType)
        terms = lhs.get_shape()[-1]
        bound = mma_error_bound(terms, cast(FloatFormat, format_of(lhs.element_type)), fmt)
        # It is one of the whole sum already, unlike those of single operations.
        factor = bound / SAFETY
        sources = self.slots(op.operands)

        def run(env: Env) -> Signal | None:
            signal = step(env)
            exact, lanes = env[target], env[target + 1]
            kept = [env[source] for source in sources]
            for source in sources:
                env[source] = np.abs(env[source])
            step(env)
            magnitude = widen(env[target], fmt)
            for source, value in zip(sources, kept, strict=True):
                env[source] = value
            wide = widen(exact, fmt)
            error = factor * np.where(np.isfinite(magnitude), magnitude, 0)
            moved = wide + error * self.random.uniform(-1, 1, wide.shape)
            env[target], env[target + 1] = np.asarray(round_to_format(moved, fmt)), lanes
            return signal

        return run


class _Moving(api.Kernel):
    """A kernel with results of inexact operations moved."""

    COMPILER: ClassVar[type[Compiler]] = _MovingCompiler


def _float_format(op: Operation) -> FloatFormat:
    type = op.results[0].type
    assert isinstance(type, TileType)
    return cast(FloatFormat, format_of(type.element_type))


def _contents(
    launch: Launch,
    program: Any,
    positions: list[int],
    kind: Callable[..., api.Kernel],
    seed: int,
) -> dict[int, Array]:
    """The arrays after a run, as bits."""
    reset_globals(program)
    order = "tree" if kind is api.Kernel else ORDERS[seed]
    kernel = kind(program, launch.kernel.name, Options(checked=False, order=order, seed=seed))
    copy = replace(launch, arguments=launch.arguments.copied())
    kernel.launch(launch.grid, entry_arguments(copy.arguments), out=io.StringIO())
    return {k: array_bits(copy.arguments.arrays[k]) for k in positions}


# --- from movements to tolerances


def _tolerance(launch: Launch, position: int, expected: Array, moved: list[Array]) -> Tolerance:
    """Ulps for most elements; and an absolute bound for those that cancellation made small.

    The first is a multiple of the median movement. Elements that moved by more than that are the
    small differences of large numbers: ulps mean nothing to them, so they get the greatest absolute
    movement among them.
    """
    layout = layout_of(launch.arguments.abi.parameters[position].element)
    if layout[0] == "int" or expected.size == 0:
        return Tolerance()
    exact = element_bits(expected, layout)
    runs = [element_bits(bits, layout) for bits in moved]
    steps = np.max([distance(bits, exact, layout) for bits in runs], axis=0)
    changed = steps[steps > 0]
    if changed.size == 0:
        return Tolerance(ulps=int(is_inexact(launch.kernel.program)))
    ulps = SAFETY * int(np.median(changed))
    far = steps > ulps
    if not far.any():
        return Tolerance(ulps=ulps)
    numbers = values(exact, layout)
    with np.errstate(invalid="ignore"):
        reach = np.max([np.abs(values(bits, layout) - numbers) for bits in runs], axis=0)[far]
    finite = reach[np.isfinite(reach)]
    return Tolerance(ulps, SAFETY * float(finite.max(initial=0.0)))


def _with_atomics(
    launch: Launch, kernel: Operation, tolerances: Mapping[int, Tolerance]
) -> dict[int, Tolerance]:
    """Blocks that add to one float come in any order: each addition may round differently."""
    adds = any(
        _order_matters(op)
        for op in kernel.walk()
        if not isinstance(op, core.ReduceOp | core.ScanOp)
    )
    if not adds:
        return dict(tolerances)
    return {
        k: Tolerance(tolerance.ulps + launch.blocks, tolerance.atol)
        for k, tolerance in tolerances.items()
    }
