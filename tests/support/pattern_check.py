"""Checks a rewrite by running kernels before and after it, on the values that matter.

A `Rewrite` is the body of a kernel whose inputs are tiles: all values of 8-bit types and, for a
single input, of 16-bit types; special and random ones otherwise; all combinations of several
inputs. Scalars are arguments of the kernel and tried one after the other.
"""

from __future__ import annotations

import io
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.interpreter.api import Kernel
from tileir_xdsl.interpreter.plan import Options
from tileir_xdsl.interpreter.semantics import special_values
from tileir_xdsl.numerics import FORMATS, FloatFormat, NumberFormat
from tileir_xdsl.passes.patterns import Pattern, rewrite_greedily
from tileir_xdsl.passes.reporting import Report, reporting_to

Array = npt.NDArray[Any]

MAX_LANES = 1 << 16


@dataclass(frozen=True)
class Rewrite:
    """A kernel body that a pattern applies to."""

    body: str
    results: Mapping[str, str]
    """Types of the values that are stored, by name: tiles of N lanes or scalars."""
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Element types of the tiles `%name : tile<NxELT>` that the body uses; `N` stands for the
    number of lanes in all types."""
    scalars: Mapping[str, tuple[str, Sequence[Any]]] = field(
        default_factory=dict[str, "tuple[str, Sequence[Any]]"]
    )
    """Element types and values of the rank-0 arguments that the body uses."""
    where: Callable[..., Array] | None = None
    """Which combinations of the inputs are defined, as a mask; all by default."""
    lanes: int | None = None
    """The number of lanes, where the body needs a certain one: the first values are used."""
    shuffled: bool = False
    """Whether each lane has some values, not the next combination: for bodies of many inputs."""


def sample(fmt: NumberFormat, count: int) -> Array:
    """All values of a format, or special and random ones, at most about `count`."""
    if fmt.width <= 16 and 1 << fmt.width <= count:
        return fmt.from_bits(np.arange(1 << fmt.width, dtype=np.uint64))
    random = np.random.default_rng(fmt.width)
    special = fmt.to_bits(special_values(fmt)).astype(np.uint64)
    bits = random.integers(0, 1 << min(fmt.width, 63), count, dtype=np.uint64)
    if isinstance(fmt, FloatFormat):
        # Half of the random numbers near 1, where roundings differ.
        one = fmt.bias << fmt.mantissa_bits
        bits[::2] = one + bits[::2] % np.uint64(1 << (fmt.mantissa_bits + 2))
    return fmt.from_bits(np.unique(np.concatenate([special, bits])))


def combinations_of(rewrite: Rewrite) -> tuple[dict[str, Array], int]:
    """The lanes of all inputs and their number, a power of two."""
    formats = {name: FORMATS[element] for name, element in rewrite.inputs.items()}
    if not formats:
        return {}, rewrite.lanes or 8
    if rewrite.shuffled:
        lanes = rewrite.lanes or 32
        random = np.random.default_rng(0)
        return {name: random.choice(sample(f, 64), lanes) for name, f in formats.items()}, lanes
    each = int(MAX_LANES ** (1 / len(formats)) + 0.5)
    if any(1 << f.width > each for f in formats.values()):
        # Not all values anyway: special ones and a few more.
        each = 4096 if len(formats) == 1 else 64
    samples = [sample(fmt, each) for fmt in formats.values()]
    grids = np.meshgrid(*(np.arange(len(s)) for s in samples), indexing="ij")
    columns = [s[g.reshape(-1)] for s, g in zip(samples, grids, strict=True)]
    if rewrite.where is not None:
        mask = rewrite.where(*columns)
        columns = [column[mask] for column in columns]
    count = len(columns[0])
    lanes = rewrite.lanes or 1 << (count - 1).bit_length()
    index = np.arange(lanes) % count
    return {name: c[index] for name, c in zip(formats, columns, strict=True)}, lanes


def kernel_text(rewrite: Rewrite, lanes: int) -> str:
    """The kernel that loads the inputs, runs the body and stores the results."""
    parameters = [f"%in_{name}: tile<ptr<{e}>>" for name, e in rewrite.inputs.items()]
    parameters += [f"%{name}: tile<{e}>" for name, (e, _) in rewrite.scalars.items()]
    outputs = {name: type.removeprefix("tile<").removesuffix(">") for name, type in _typed(rewrite)}
    parameters += [
        f"%out_{name}: tile<ptr<{type.rpartition('x')[2]}>>" for name, type in outputs.items()
    ]
    lines = [f"%lane = iota : tile<{lanes}xi32>"]
    for name, element in rewrite.inputs.items():
        lines += _pointers(f"in_{name}", element, lanes)
        pointers = f"tile<{lanes}xptr<{element}>>"
        lines.append(
            f"%{name}, %loaded_{name} = load_ptr_tko weak %at_in_{name} : {pointers} "
            f"-> tile<{lanes}x{element}>, token"
        )
    lines.append(rewrite.body)
    for name, type in outputs.items():
        element = type.rpartition("x")[2]
        destination = f"out_{name}"
        pointers = f"tile<ptr<{element}>>"
        if "x" in type:
            lines += _pointers(destination, element, lanes)
            destination, pointers = f"at_{destination}", f"tile<{lanes}xptr<{element}>>"
        lines.append(
            f"%stored_{name} = store_ptr_tko weak %{destination}, %{name} : "
            f"{pointers}, tile<{type}> -> token"
        )
    text = "\n    ".join(lines).replace("<N", f"<{lanes}")
    header = f"entry @kernel({', '.join(parameters)}) {{"
    return f"cuda_tile.module @checked {{\n  {header}\n    {text}\n    return\n  }}\n}}\n"


def _typed(rewrite: Rewrite) -> Iterable[tuple[str, str]]:
    return rewrite.results.items()


def _pointers(parameter: str, element: str, lanes: int) -> list[str]:
    one, all_ = f"tile<1xptr<{element}>>", f"tile<{lanes}xptr<{element}>>"
    return [
        f"%one_{parameter} = reshape %{parameter} : tile<ptr<{element}>> -> {one}",
        f"%all_{parameter} = broadcast %one_{parameter} : {one} -> {all_}",
        f"%at_{parameter} = offset %all_{parameter}, %lane : {all_}, tile<{lanes}xi32> -> {all_}",
    ]


def run_kernel(
    module: ModuleOp, rewrite: Rewrite, inputs: Mapping[str, Array], lanes: int
) -> tuple[list[dict[str, Array]], str]:
    """The stored results for every combination of the scalars, and what was printed."""
    kernel = Kernel(module, None, Options())
    printed = io.StringIO()
    outcomes: list[dict[str, Array]] = []
    for scalars in itertools.product(*(values for _, values in rewrite.scalars.values())):
        outputs = {
            name: np.zeros(lanes, FORMATS[_element(type)].dtype) for name, type in _typed(rewrite)
        }
        arguments = [
            *(array.copy() for array in inputs.values()),
            *(
                FORMATS[element].dtype.type(value)
                for value, (element, _) in zip(scalars, rewrite.scalars.values(), strict=True)
            ),
            *outputs.values(),
        ]
        kernel.launch((1,), arguments, out=printed)
        outcomes.append(outputs)
    return outcomes, printed.getvalue()


def _element(type: str) -> str:
    return type.removeprefix("tile<").removesuffix(">").rpartition("x")[2]


def difference(
    rewrite: Rewrite, change: Callable[[ModuleOp], None], before: str | None = None
) -> str | None:
    """What a change to the kernel's module changes in its results; None when nothing."""
    inputs, lanes = combinations_of(rewrite)
    text = kernel_text(rewrite, lanes)
    original, changed = tileir_xdsl.parse(text), tileir_xdsl.parse(text)
    _require_valid(original)
    change(changed)
    _require_valid(changed)
    expected, printed = run_kernel(original, rewrite, inputs, lanes)
    actual, printed_now = run_kernel(changed, rewrite, inputs, lanes)
    if printed != printed_now:
        return f"printed {printed_now!r} instead of {printed!r}"
    for one, other in zip(expected, actual, strict=True):
        for name, type in _typed(rewrite):
            found = _lane_difference(one[name], other[name], FORMATS[_element(type)], inputs)
            if found is not None:
                return f"{name}: {found}"
    return None


def _require_valid(module: ModuleOp) -> None:
    errors = [d for d in tileir_xdsl.verify(module) if d.severity.value == "error"]
    assert not errors, f"{errors[0].message}\n{tileir_xdsl.text(module)}"


def _lane_difference(
    expected: Array, actual: Array, fmt: NumberFormat, inputs: Mapping[str, Array]
) -> str | None:
    same = fmt.to_bits(expected) == fmt.to_bits(actual)
    if isinstance(fmt, FloatFormat) and fmt.has_nan:
        with np.errstate(invalid="ignore"):
            one, other = expected.astype(np.float64), actual.astype(np.float64)
        same |= np.isnan(one) & np.isnan(other)
    lanes = np.flatnonzero(~same)
    if not lanes.size:
        return None
    lane = int(lanes[0])
    given = ", ".join(f"{name} = {array[lane]!r}" for name, array in inputs.items())
    return f"{actual[lane]!r} instead of {expected[lane]!r} for {given}"


def apply_pattern(pattern: Pattern) -> Callable[[ModuleOp], None]:
    """A change that applies one pattern, and fails when it never applies."""

    def change(module: ModuleOp) -> None:
        counts = apply_patterns(module, [pattern])
        assert counts[pattern.name], f"'{pattern.name}' does not apply"

    return change


def apply_patterns(module: ModuleOp, patterns: Sequence[Pattern]) -> Counter[str]:
    """Apply patterns until none applies; how often each was applied."""
    with reporting_to(Report()) as report:
        rewrite_greedily(module.body, patterns, remove_dead=False)
    return report.counts
