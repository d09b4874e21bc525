"""Kernels of `tile_sugar` in tests: run them, and compare every state of the lowering."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.diagnostics import DiagnosticError, Severity
from tileir_xdsl.dialects.cuda_tile.parser import new_context, parse_module
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp, grid_values, kernels
from tileir_xdsl.interpreter import Kernel
from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline
from tileir_xdsl.verifier import verify_module

Array = npt.NDArray[Any]
EXAMPLES = Path(__file__).parents[2] / "examples" / "tile_sugar"


def parse(text: str, name: str = "kernel.mlir") -> ModuleOp:
    """A valid module from text; raises `DiagnosticError` otherwise."""
    module = parse_module(text, name)
    errors = [d for d in verify_module(module) if d.severity is Severity.ERROR]
    if errors:
        raise DiagnosticError(errors)
    return module


@functools.cache
def example_text(name: str) -> str:
    return (EXAMPLES / f"{name}.mlir").read_text()


def arguments(kernel: KernelOp, values: Sequence[Any]) -> list[Any]:
    """The arguments of the kernel's entry for a value of each parameter."""
    return [_argument(argument, values[argument.parameter]) for argument in kernel.arguments]


def _argument(argument: Any, value: Any) -> Any:
    match argument.kind:
        case "extent":
            return int(value.shape[argument.dim])
        case "stride":
            return int(value.strides[argument.dim]) // value.itemsize
        case _:
            return value


def grid_of(kernel: KernelOp, values: Sequence[Any]) -> tuple[int, ...]:
    """The grid that a kernel states, for a value of each parameter."""
    grid = kernel.grid_map()
    if grid is None:
        return (1,)
    numbers = [_argument(a, values[a.parameter]) for a in grid_values(kernel.arguments)]
    return grid.eval([int(n) for n in numbers], [])


def copied(values: Sequence[Any]) -> list[Any]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


class Outcome:
    """What a run left in its arrays and printed."""

    def __init__(self, values: Sequence[Any], printed: str) -> None:
        self.arrays: list[Array] = [value for value in values if isinstance(value, np.ndarray)]
        self.printed = printed

    def difference(self, other: Outcome) -> str | None:
        """Where another outcome has other bits; any NaN equals any other."""
        for position, (first, second) in enumerate(zip(self.arrays, other.arrays, strict=True)):
            found = difference(first, second)
            if found is not None:
                return f"array {position}: {found}"
        if self.printed != other.printed:
            return f"printed {other.printed!r} instead of {self.printed!r}"
        return None


def difference(first: Array, second: Array) -> str | None:
    """The first element that differs in its bits, but for two NaNs."""
    same = bits(first) == bits(second)
    if first.dtype.kind not in "iub":
        with np.errstate(all="ignore"):
            same |= np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    if same.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"element {where} is {second[where]} instead of {first[where]}"


def bits(values: Array) -> Array:
    flat = np.ascontiguousarray(values)
    return flat.view(f"u{values.itemsize}")


class Launch:
    """A kernel with its arguments, which runs in every state of the lowering alike."""

    def __init__(self, text: str, values: Sequence[Any], name: str = "kernel.mlir") -> None:
        self.text = text
        self.name = name
        self.values = list(values)
        (kernel,) = kernels(parse(text, name))
        self.grid = grid_of(kernel, values)
        self.kernel_arguments = kernel.arguments

    def run(self, module: ModuleOp) -> Outcome:
        """Run a state of the module on copies of the values."""
        values = copied(self.values)
        printed = io.StringIO()
        if 0 not in self.grid:
            listed = [_argument(a, values[a.parameter]) for a in self.kernel_arguments]
            Kernel(module).launch(self.grid, listed, out=printed)
        return Outcome(values, printed.getvalue())

    def original(self) -> Outcome:
        return self.run(parse(self.text, self.name))


def states(text: str, name: str, version: str = "13.3") -> Iterator[tuple[str, ModuleOp]]:
    """The module after each pass of the pipeline, as read back from its own text."""
    module = parse(text, name)
    context = new_context()
    yield "source", again(module, "source")
    for pass_ in TileSugarToCudaTilePipeline(version=version, exact=True).passes():
        pass_.apply(context, module)
        yield pass_.name, again(module, pass_.name)


def lowered(text: str, **options: Any) -> ModuleOp:
    """The module after the whole pipeline with some options, verified."""
    module = parse(text)
    TileSugarToCudaTilePipeline(**options).apply(new_context(), module)
    return again(module, "the pipeline")


def again(module: ModuleOp, name: str) -> ModuleOp:
    """A module verified, printed and read back: its text must read back to the same text."""
    errors = [d for d in verify_module(module) if d.severity is Severity.ERROR]
    assert not errors, f"after {name}: {errors[0].message}\n{module_text(module)}"
    text = module_text(module)
    copy = parse(text, f"after {name}")
    assert module_text(copy) == text
    return copy


def check_lowering(text: str, values: Sequence[Any], version: str = "13.3") -> Outcome:
    """Run a kernel in every state and compare: equal bits everywhere. Answers the outcome."""
    launch = Launch(text, values)
    expected = launch.original()
    for name, module in states(text, "kernel.mlir", version):
        found = expected.difference(launch.run(module))
        assert found is None, f"after {name}: {found}\n{module_text(module)}"
    return expected


def check_ends(text: str, values: Sequence[Any], version: str = "13.3") -> Outcome:
    """Compare the first state with the last one only."""
    launch = Launch(text, values)
    expected = launch.original()
    module = parse(text)
    TileSugarToCudaTilePipeline(version=version, exact=True).apply(new_context(), module)
    found = expected.difference(launch.run(module))
    assert found is None, f"{found}\n{module_text(module)}"
    return expected
