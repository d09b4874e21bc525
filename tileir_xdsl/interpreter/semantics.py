"""Whether two modules compute the same: what pass checking runs after every pass.

Inputs are *cases*: a kernel, a grid and arguments. They come from a JSON file (`load_cases`), from
attributes of the entry (`cuda_tile.check` on arguments, `cuda_tile.check_grid` on the entry), or
are generated from the types of the parameters, the sizes of the arrays being found by running.

A case in which the original module is undefined says nothing about a pass: it is discarded and
counted.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, Place, Severity
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType
from tileir_xdsl.interpreter.api import Kernel, entries, reset_globals
from tileir_xdsl.interpreter.arguments import parameter_name, parameter_names
from tileir_xdsl.interpreter.initialisers import BadArgument, argument, fill_random
from tileir_xdsl.interpreter.plan import Options
from tileir_xdsl.interpreter.undefined import UndefinedBehaviour, show
from tileir_xdsl.interpreter.values import format_of, is_array
from tileir_xdsl.numerics import FloatFormat, NumberFormat, ulp_distance

Array = npt.NDArray[Any]

KINDS = ("ordinary", "ragged", "special")
"""Kinds of generated inputs: numbers that fill whole tiles; extents that do not; and NaN,
infinities, signed zeros, subnormals and the extremes of integers among the numbers."""

_SIZES = {
    "ordinary": (64, 128, 256, 1024, 4096, 16, 4, 1),
    "special": (64, 128, 256, 1024, 4096, 16, 4, 1),
    "ragged": (100, 104, 48, 112, 1040, 9, 3),
}
"""Values tried for the integer parameters. All get the same one, so extents and strides agree,
but for integers that follow a pointer as extents and strides do in cuTile's ABI."""
_GRIDS: tuple[tuple[int, int, int], ...] = ((2, 1, 1), (1, 1, 1))
_FIRST_BYTES = 1 << 12
_LAST_BYTES = 1 << 26
STEP_LIMIT = 100_000
"""Loop iterations of one block of a checked case."""


@dataclass(frozen=True)
class Tolerance:
    """How far results may be apart: either bound suffices."""

    ulps: int = 0
    """Units in the last place."""
    relative: float = 0.0
    """Relative to the largest magnitude of the array."""


@dataclass(frozen=True)
class Case:
    """One launch to compare."""

    kernel: str
    grid: tuple[int, int, int]
    arguments: Mapping[str, Any]
    """By parameter name; arrays are copied before they are used."""
    kind: str = "given"


@dataclass
class Comparison:
    """The outcome of `compare`."""

    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """A difference each, at most one for a case."""
    ran: int = 0
    """Cases in which both modules were compared."""
    discarded: list[UndefinedBehaviour] = field(default_factory=list[UndefinedBehaviour])
    """What was undefined in the original, for each case that says nothing."""


def check_equal(
    before: Operation,
    after: Operation,
    inputs: Sequence[Case],
    *,
    exact: bool | Tolerance = True,
) -> list[Diagnostic]:
    """The differences between two modules on some inputs, as errors at the kernels of `after`.

    `exact` is True when results must have equal bits (any two NaNs are equal), or how far they may
    be apart. A remark counts the cases that were discarded because `before` is undefined.
    """
    comparison = compare(before, after, inputs, exact=exact)
    found = list(comparison.diagnostics)
    if comparison.discarded:
        first = comparison.discarded[0].diagnostics[0]
        count = len(comparison.discarded)
        remark = Diagnostic(
            Severity.REMARK,
            f"{count} of {len(inputs)} cases discarded: the program is undefined on them",
            first.place,
            [Diagnostic(Severity.NOTE, first.message, first.place)],
            code="semantics-discarded",
        )
        found.append(remark)
    return found


def compare(
    before: Operation,
    after: Operation,
    inputs: Sequence[Case],
    *,
    exact: bool | Tolerance = True,
) -> Comparison:
    """Run both modules on all inputs; see `check_equal`."""
    tolerance = exact if isinstance(exact, Tolerance) else Tolerance()
    comparison = Comparison()
    for case in inputs:
        reset_globals(before)
        try:
            expected = run_case(before, case)
        except UndefinedBehaviour as undefined:
            comparison.discarded.append(undefined)
            continue
        reset_globals(after)
        comparison.ran += 1
        entry = next(e for e in entries(before) if e.sym_name.data == case.kernel)
        difference = _difference(after, case, entry, expected, tolerance)
        if difference is not None:
            comparison.diagnostics.append(difference)
    return comparison


@dataclass
class Outcome:
    """What a case answers."""

    arrays: dict[str, Array]
    printed: str


def run_case(
    module: Operation, case: Case, *, trace: Callable[[str], None] | None = None
) -> Outcome:
    """Run a module on a case; raises as `run` does."""
    arguments = {name: _copied(value) for name, value in case.arguments.items()}
    kernel = Kernel(module, case.kernel, Options(trace=trace is not None))
    # A pass may rename parameters; their order stays.
    ordered = [arguments[name] for name in arguments]
    printed = io.StringIO()
    kernel.launch(case.grid, ordered, step_limit=STEP_LIMIT, trace=trace, out=printed)
    arrays: dict[str, Array] = {n: v for n, v in arguments.items() if is_array(v)}
    return Outcome(arrays, printed.getvalue())


def _copied(value: Any) -> Any:
    return value.copy() if is_array(value) else value


def _difference(
    after: Operation, case: Case, entry: EntryOp, expected: Outcome, tolerance: Tolerance
) -> Diagnostic | None:
    """The error for a case in which `after` does something else."""
    where = f"@{case.kernel} on {case.kind} inputs, grid {'x'.join(map(str, case.grid))}"
    try:
        outcome = run_case(after, case)
    except UndefinedBehaviour as undefined:
        cause = undefined.diagnostics[0]
        return Diagnostic(
            Severity.ERROR,
            f"{where}: the program has become undefined: {cause.message}",
            cause.place,
            list(cause.notes),
            code="semantics",
        )
    place = _place(after, case.kernel)
    for parameter in entry.body.block.args:
        name = parameter_name(parameter)
        if name not in expected.arrays:
            continue
        assert isinstance(parameter.type, TileType)
        assert isinstance(parameter.type.element_type, PtrType)
        fmt = format_of(parameter.type.element_type.pointee_type)
        message = _array_difference(expected.arrays[name], outcome.arrays[name], fmt, tolerance)
        if message is not None:
            return Diagnostic(
                Severity.ERROR, f"{where}: '{name}' differs: {message}", place, code="semantics"
            )
    if outcome.printed != expected.printed:
        return Diagnostic(
            Severity.ERROR,
            f"{where}: printed {outcome.printed!r} instead of {expected.printed!r}",
            place,
            code="semantics",
        )
    return None


def _place(module: Operation, kernel: str) -> Place:
    for entry in entries(module):
        if entry.sym_name.data == kernel:
            return place_of(entry)
    return place_of(module)


def _array_difference(
    expected: Array, actual: Array, fmt: NumberFormat, tolerance: Tolerance
) -> str | None:
    """What the first difference is and how many there are."""
    differs = _differing(expected, actual, fmt, tolerance)
    count = int(differs.sum())
    if not count:
        return None
    index = tuple(int(i) for i in np.argwhere(differs)[0])
    values = f"{show(actual[index])} instead of {show(expected[index])}"
    return f"element {list(index)} is {values} ({count} of {expected.size} elements differ)"


def _differing(
    expected: Array, actual: Array, fmt: NumberFormat, tolerance: Tolerance
) -> npt.NDArray[np.bool_]:
    if expected.dtype != fmt.dtype or not isinstance(fmt, FloatFormat):
        return np.asarray(expected != actual)
    same = fmt.to_bits(expected) == fmt.to_bits(actual)
    if fmt.name == "fnv8E5M3FNU":
        return np.asarray(~same)
    wide, other = expected.astype(np.float64), actual.astype(np.float64)
    same |= np.isnan(wide) & np.isnan(other)
    if tolerance.ulps:
        same |= ulp_distance(expected, actual, fmt) <= tolerance.ulps
    if tolerance.relative:
        finite = np.abs(wide[np.isfinite(wide)])
        largest = float(finite.max()) if finite.size else 0.0
        with np.errstate(invalid="ignore"):
            same |= np.abs(wide - other) <= tolerance.relative * largest
    return np.asarray(~same)


# Inputs.


def load_cases(module: Operation, text: str, path: str) -> list[Case]:
    """The cases in a JSON text.

    `{"cases": [{"kernel": "k", "grid": [2], "args": {"x": "random:1024", "n": 37}}, ...]}`;
    arguments are numbers or text as on the command line, `kernel` may be left out where the module
    has one entry. Raises `DiagnosticError` for anything else.
    """
    place = Place.file(path)
    try:
        data = cast("dict[str, Any]", json.loads(text))
        listed = cast("list[dict[str, Any]]", data["cases"])
    except (ValueError, KeyError, TypeError) as error:
        raise DiagnosticError.at(f"not a list of cases: {error}", place) from None
    known = {entry.sym_name.data: entry for entry in entries(module)}
    cases: list[Case] = []
    for position, item in enumerate(listed):
        name = item.get("kernel", next(iter(known)) if len(known) == 1 else None)
        if name not in known:
            raise DiagnosticError.at(f"case {position} names no entry of the module", place)
        try:
            cases.append(_given(known[name], item.get("grid", [1]), item.get("args", {}), position))
        except (BadArgument, KeyError) as error:
            raise DiagnosticError.at(f"case {position}: {error}", place) from None
    return cases


def _given(entry: EntryOp, grid: Any, args: Mapping[str, Any], seed: int) -> Case:
    random = np.random.default_rng(seed)
    arguments: dict[str, Any] = {}
    for parameter in entry.body.block.args:
        assert isinstance(parameter.type, TileType)
        name = parameter_name(parameter)
        if name not in args:
            raise BadArgument(f"no argument for '{name}'")
        arguments[name] = argument(
            str(args[name]).lower() if isinstance(args[name], bool) else str(args[name]),
            parameter.type.element_type,
            random,
        )
    x, y, z = (*(int(n) for n in grid), 1, 1, 1)[:3]
    return Case(entry.sym_name.data, (x, y, z), arguments)


def generate_inputs(
    module: Operation, entry: EntryOp, kinds: Sequence[str] = KINDS, seed: int = 0
) -> list[Case]:
    """Cases for an entry: at most one of each kind.

    Arguments with a `cuda_tile.check` attribute are taken from it. Of the others, all integers get
    one value and arrays start small and grow while the kernel accesses them out of bounds. A kind
    for which nothing makes the kernel defined answers the first attempt, whose comparison is then
    discarded and counted.
    """
    return [_generate(module, entry, kind, seed) for kind in kinds]


def _generate(module: Operation, entry: EntryOp, kind: str, seed: int) -> Case:
    first: Case | None = None
    for candidate in _candidates(entry, kind, seed):
        case, defined = _grown(module, entry, candidate, kind, seed)
        if defined:
            return case
        first = first or case
    assert first is not None
    return first


def _candidates(entry: EntryOp, kind: str, seed: int) -> Iterator[Case]:
    given = check_arguments(entry)
    fixed_grid = check_grid(entry)
    sizes = _SIZES[kind] if entry.body.block.args else (0,)
    for size in sizes:
        for grid in (fixed_grid,) if fixed_grid else _GRIDS:
            random = np.random.default_rng(seed)
            known = _row_major_strides(entry, size) | _indices(entry)
            arguments = {
                name: argument(given[name], element, random)
                if name in given
                else _first_argument(element, known.get(name, size), kind, random)
                for name, element in _elements(entry)
            }
            yield Case(entry.sym_name.data, grid, arguments, kind)


def _row_major_strides(entry: EntryOp, size: int) -> dict[str, int]:
    """The strides among the parameters: of a pointer and 2r integers, the last r integers."""
    found: dict[str, int] = {}
    run: list[str] = []
    listed = [*_elements(entry), ("", None)]
    for name, element in listed:
        if element is not None and not isinstance(element, PtrType):
            run.append(name)
            continue
        rank = len(run) // 2
        if len(run) % 2 == 0:
            found |= {run[rank + k]: size ** (rank - 1 - k) for k in range(rank)}
        run = []
    return found


def _indices(entry: EntryOp) -> dict[str, int]:
    """The parameters that are indices as they are: 0 lies in every index space."""
    found: dict[str, int] = {}
    for op in entry.walk():
        indices = getattr(op, "index", None) or getattr(op, "indices", None) or ()
        for value in cast("Sequence[SSAValue]", indices):
            if isinstance(value, BlockArgument) and value.block is entry.body.block:
                found[parameter_name(value)] = 0
    return found


def _elements(entry: EntryOp) -> Iterator[tuple[str, Attribute]]:
    for name, parameter in zip(parameter_names(entry), entry.body.block.args, strict=True):
        assert isinstance(parameter.type, TileType)
        yield name, parameter.type.element_type


def _first_argument(element: Attribute, size: int, kind: str, random: np.random.Generator) -> Any:
    if isinstance(element, PtrType):
        fmt = format_of(element.pointee_type)
        count = _FIRST_BYTES // fmt.dtype.itemsize
        return _numbers(fmt, count, size, kind, random)
    fmt = format_of(element)
    if isinstance(fmt, FloatFormat):
        return _numbers(fmt, 1, size, "ordinary", random)[0]
    return min(size, fmt.limits(signed=True)[1]) if fmt.width > 1 else True


def _numbers(
    fmt: NumberFormat, count: int, size: int, kind: str, random: np.random.Generator
) -> Array:
    """Numbers of a kind. Integers may be indices: but for special ones they stay below `size`."""
    if isinstance(fmt, FloatFormat):
        numbers = fill_random(fmt, (count,), random)
    else:
        limit = min(size, fmt.limits(signed=True)[1]) if fmt.width > 1 else 2
        numbers = random.integers(0, max(limit, 1), count).astype(fmt.dtype)
    if kind != "special":
        return numbers
    special = special_values(fmt)
    where = random.random(count) < 0.25
    numbers[where] = special[random.integers(0, special.size, int(where.sum()))]
    return numbers


def special_values(fmt: NumberFormat) -> Array:
    """The values at which programs go wrong: extremes, zeros, subnormals, infinities, NaN."""
    if not isinstance(fmt, FloatFormat):
        low, high = fmt.limits(signed=True)
        wide = np.array([low, low + 1, -1, 0, 1, high - 1, high], np.int64)
        return fmt.from_bits(wide.view(np.uint64))
    from tileir_xdsl.numerics.rounding import round_to_format

    last_place = 2.0**-fmt.mantissa_bits
    numbers = [0.0] if fmt.has_zero else []
    numbers += [
        fmt.smallest_positive,
        fmt.smallest_normal * (1 - last_place),
        fmt.smallest_normal,
        1.0,
        1 + last_place,
        1 - last_place / 2,
        fmt.max_finite,
    ]
    if fmt.has_inf:
        numbers.append(np.inf)
    if fmt.has_sign:
        numbers += [-number for number in numbers]
    values = round_to_format(np.array(numbers), fmt, saturate=False)
    if fmt.canonical_nan_bits is None:
        return values
    nan = fmt.from_bits(np.array([fmt.canonical_nan_bits], np.uint64))
    return np.concatenate((values, nan))


def _grown(
    module: Operation, entry: EntryOp, case: Case, kind: str, seed: int
) -> tuple[Case, bool]:
    """The case with arrays large enough, and whether the kernel is defined on it."""
    given = check_arguments(entry)
    elements = dict(_elements(entry))
    while True:
        reset_globals(module)
        try:
            run_case(module, case)
        except UndefinedBehaviour as undefined:
            name = _argument_named(undefined.buffer, case)
            if name is None or name in given:
                return case, False
            end = int(undefined.values["byte offset"]) + int(undefined.values["bytes"])
            old: Array = case.arguments[name]
            if end <= old.nbytes or end > _LAST_BYTES:
                return case, False
            count = 1 << (-(-end // old.itemsize) - 1).bit_length()
            pointer = elements[name]
            assert isinstance(pointer, PtrType)
            random = np.random.default_rng((seed, count))
            larger = _numbers(format_of(pointer.pointee_type), count, 64, kind, random)
            larger[: old.size] = old
            case = replace(case, arguments={**case.arguments, name: larger})
            continue
        finally:
            reset_globals(module)
        return case, True


def _argument_named(buffer: str | None, case: Case) -> str | None:
    if buffer is None:
        return None
    name = buffer.removeprefix("argument '").removesuffix("'")
    return name if name in case.arguments else None


def check_arguments(entry: EntryOp) -> dict[str, str]:
    """The `cuda_tile.check` attributes of an entry's arguments, by parameter name."""
    if entry.arg_attrs is None:
        return {}
    return {
        name: attribute.data
        for name, attributes in zip(parameter_names(entry), entry.arg_attrs, strict=True)
        if isinstance(attribute := attributes.data.get("cuda_tile.check"), StringAttr)
    }


def check_grid(entry: EntryOp) -> tuple[int, int, int] | None:
    """The `cuda_tile.check_grid` attribute of an entry: up to three integers."""
    attribute = entry.attributes.get("cuda_tile.check_grid")
    if not isinstance(attribute, ArrayAttr):
        return None
    numbers = [
        cast("IntegerAttr[Any]", n).value.data
        for n in cast("ArrayAttr[Attribute]", attribute)
        if isinstance(n, IntegerAttr)
    ]
    return (*numbers, 1, 1, 1)[0], (*numbers, 1, 1, 1)[1], (*numbers, 1, 1, 1)[2]
