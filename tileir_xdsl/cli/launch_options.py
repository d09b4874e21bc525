"""The options of `tile-run` that launch: engines, comparison, times, harness files.

Kernels of `tile_sugar` run through here too: their arguments are tensors, and they may say their
grid.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tileir_xdsl.runtime.abi import Abi, Parameter
    from tileir_xdsl.runtime.comparison import Tolerance
    from tileir_xdsl.runtime.launch import Engine, Launch

Named = Callable[[str, str, str], tuple[str, str]]
"""Splits NAME=VALUE of an option, or raises."""

BYTES_PER_GB = 1e9


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options, on the parser of the command."""
    group = parser.add_argument_group("launching")
    group.add_argument(
        "--engine",
        choices=("interpreter", "gpu"),
        help="what runs the kernel (default: the interpreter)",
    )
    group.add_argument(
        "--compare",
        action="store_true",
        help="run on the GPU and in the interpreter, and fail when results differ",
    )
    group.add_argument(
        "--repeat",
        type=_positive,
        metavar="N",
        help="launch N times more and print median and spread of the time",
    )
    group.add_argument(
        "--emit-harness",
        metavar="FILE",
        help="write a Python file that runs the launch on a GPU and checks its results",
    )
    group.add_argument(
        "--harness-gpu",
        action="append",
        default=[],
        metavar="SM",
        help="put a cubin for an architecture (sm_90) into the harness, beside the bytecode",
    )
    group.add_argument("--device", type=int, metavar="N", help="ordinal of the GPU")
    group.add_argument(
        "--image",
        choices=("cubin", "bytecode"),
        default="cubin",
        help="what the GPU's driver loads: bytecode needs a driver of CUDA 13.1 or newer",
    )
    group.add_argument(
        "--ulps",
        type=int,
        metavar="N",
        help="how far compared results may be off (default: estimated from the operations)",
    )
    group.add_argument("--atol", type=float, metavar="X", help="the same as an absolute number")


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def is_wanted(options: argparse.Namespace, module: ModuleOp) -> bool:
    """Whether the launch is one for this module."""
    if options.engine == "gpu" or options.compare or options.repeat or options.emit_harness:
        return True
    from tileir_xdsl.runtime.kernel import is_sugar

    return is_sugar(module)


@dataclass
class Outcome:
    """What came of the options."""

    arguments: dict[str, Any]
    """By name, as the launch left them."""
    findings: Sequence[Any] = ()
    """Diagnostics of the interpreter."""
    summary: list[str] = field(default_factory=list[str])
    """Lines for standard error, unless the user wants none."""
    times: list[str] = field(default_factory=list[str])
    """Lines for standard output."""


def run(
    options: argparse.Namespace,
    module: ModuleOp,
    grid: tuple[int, ...] | None,
    named: Named,
) -> Outcome:
    """Launch as the options say."""
    from tileir_xdsl.runtime.kernel import Kernel
    from tileir_xdsl.runtime.launch import prepare

    kernel = Kernel(module, options.kernel)
    outcome = Outcome(_arguments(kernel.abi, options, named))
    launch = prepare(kernel, grid, outcome.arguments)
    if options.emit_harness:
        _emit(launch, options)
        outcome.summary.append(f"wrote {options.emit_harness}")
        if not _runs_too(options):
            return outcome
    _run(launch, options, outcome)
    return outcome


def _runs_too(options: argparse.Namespace) -> bool:
    """Whether more is wanted than a harness file."""
    return bool(
        options.engine or options.compare or options.repeat or options.save or options.print
    )


def _run(launch: Launch, options: argparse.Namespace, outcome: Outcome) -> None:
    from tileir_xdsl.runtime.handlers import Comparison
    from tileir_xdsl.runtime.launch import Handler, perform

    engine = _engine(options)
    around = Comparison(tolerance=_tolerance(options)) if options.compare else Handler()
    copies = [launch.arguments.copied() for _ in range(options.repeat or 0)]
    with around:
        result = perform(launch, engine)
    outcome.summary.append(str(result.report or f"@{launch.kernel.name} ran on {result.engine}"))
    if isinstance(around, Comparison):
        arrays = "array" if around.compared == 1 else "arrays"
        outcome.summary.append(f"{around.compared} {arrays} as the interpreter computes them")
    if result.report is not None:
        outcome.findings = result.report.findings
    if options.repeat:
        outcome.times.append(_times(launch, engine, copies, result.engine))


def _times(launch: Launch, engine: Engine, copies: Sequence[Any], name: str) -> str:
    """Times of further launches, each from the arguments as they were at first."""
    from dataclasses import replace

    from tileir_xdsl.runtime.handlers import ByteCounter, DryRun, Timer
    from tileir_xdsl.runtime.launch import perform

    with Timer() as timer:
        for arguments in copies:
            perform(replace(launch, arguments=arguments), engine)
    with DryRun(), ByteCounter() as counter:
        perform(launch, engine)
    rate = counter.total / timer.median / BYTES_PER_GB if timer.median else 0.0
    return (
        f"@{launch.kernel.name} on {name}: {timer} of {len(copies)} launches; "
        f"{counter.total} bytes at {rate:.1f} GB/s"
    )


def _engine(options: argparse.Namespace) -> Engine:
    from tileir_xdsl.runtime.engines import GpuEngine, Interpreter

    if options.engine == "gpu" or (options.compare and options.engine is None):
        return GpuEngine(options.device, image=options.image)
    return Interpreter(
        checked=not options.unchecked,
        jobs=options.jobs,
        order=options.order,
        seed=options.seed,
        check_order=options.check_order,
        step_limit=options.step_limit,
        trace=_trace if options.trace else None,
    )


def _trace(line: str) -> None:
    print(line, file=sys.stderr)


def _tolerance(options: argparse.Namespace) -> Tolerance | None:
    from tileir_xdsl.runtime.comparison import Tolerance

    if options.ulps is None and options.atol is None:
        return None
    return Tolerance(options.ulps or 0, options.atol or 0.0)


def _emit(launch: Launch, options: argparse.Namespace) -> None:
    import os

    from tileir_xdsl.cli.files import write_output
    from tileir_xdsl.runtime.harness import emit

    text = emit(
        launch,
        architectures=options.harness_gpu,
        tolerance=_tolerance(options),
        name=os.path.basename(options.emit_harness),
    )
    write_output(text, options.emit_harness)


# --- arguments


def _arguments(abi: Abi, options: argparse.Namespace, named: Named) -> dict[str, Any]:
    """The arguments by name, in the order of the parameters."""
    import numpy as np

    given = dict(named(text, "--arg", "NAME=VALUE") for text in options.arg)
    random = np.random.default_rng(options.seed)
    found: dict[str, Any] = {}
    for parameter in abi.parameters:
        if parameter.name not in given:
            raise abi.error(
                f"no argument for parameter '{parameter.name}' of @{abi.kernel}",
                fix=f"--arg {parameter.name}=VALUE",
            )
        found[parameter.name] = _argument(abi, parameter, given.pop(parameter.name), random)
    for name in given:
        known = ", ".join(found) or "none"
        raise abi.error(f"@{abi.kernel} has no parameter '{name}'; it has {known}")
    return found


def _argument(abi: Abi, parameter: Parameter, text: str, random: Any) -> Any:
    from tileir_xdsl.dialects.cuda_tile.types import ELEMENT_TYPES, PtrType
    from tileir_xdsl.interpreter.initialisers import BadArgument, argument

    # Memory holds no single i4: bytes stand for two of them.
    name = parameter.element.removeprefix("u")
    element: Any = ELEMENT_TYPES["i8" if name == "i4" and parameter.takes_array else name]
    if parameter.takes_array:
        element = PtrType.get(element)
    try:
        value = argument(text, element, random)
    except BadArgument as error:
        raise abi.error(f"--arg {parameter.name}: {error}") from None
    if value is not None and parameter.takes_array and parameter.unsigned:
        return value.view(f"u{value.dtype.name}") if value.dtype.kind == "i" else value
    return value
