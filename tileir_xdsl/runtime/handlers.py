"""Handlers that observe launches: record, time, count, compare, or only check them.

with Timer() as timer:
    launch(kernel, grid, arguments)
print(timer.median)
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.abi import Grid, Slot
from tileir_xdsl.runtime.arguments import Arguments, bind
from tileir_xdsl.runtime.arrays import Array, DeviceArray, dtype_named, element_strides, span
from tileir_xdsl.runtime.comparison import Difference, Tolerance, difference, element_bits
from tileir_xdsl.runtime.engines import GpuEngine, Interpreter
from tileir_xdsl.runtime.launch import Engine, Handler, Launch, Proceed, Result
from tileir_xdsl.runtime.layouts import layout_of


@dataclass(frozen=True)
class SlotValue:
    """One argument of the entry, as an engine is to pass it."""

    slot: Slot
    name: str
    """The name of the parameter that it belongs to."""
    value: bytes | None
    """Its bytes; None for the address of memory that an engine still has to provide."""
    array: Array | None = None
    """The array that a pointer points to."""


@dataclass(frozen=True)
class RecordedLaunch:
    """A launch as it was when it came by."""

    kernel: str
    grid: Grid
    stream: int
    slots: tuple[SlotValue, ...]
    arguments: Arguments
    """With copies of the host arrays if the recorder makes copies."""


class Recorder(Handler):
    """Records launches with their arguments and passes them on.

    With `copy` the host arrays are recorded as they were before the launch.
    """

    def __init__(self, *, copy: bool = False) -> None:
        super().__init__()
        self.copy = copy
        self.launches: list[RecordedLaunch] = []

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        arguments = launch.arguments.copied() if self.copy else launch.arguments
        slots = tuple(_slot_value(slot, launch.arguments) for slot in arguments.abi.slots)
        self.launches.append(
            RecordedLaunch(launch.kernel.name, launch.grid, launch.stream, slots, arguments)
        )
        return proceed(launch)


def _slot_value(slot: Slot, arguments: Arguments) -> SlotValue:
    name = arguments.abi.names[slot.parameter]
    if slot.kind != "pointer":
        return SlotValue(slot, name, arguments.slot_bytes(slot, {}))
    array = arguments.arrays.get(slot.parameter)
    known = array is None or isinstance(array, DeviceArray)
    value = arguments.slot_bytes(slot, arguments.addresses([])) if known else None
    return SlotValue(slot, name, value, array)


class Timer(Handler):
    """Measures each launch: on a GPU by device events around the kernel alone."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        result = proceed(replace(launch, timed=True))
        if result.seconds is not None:
            self.seconds.append(result.seconds)
        return result

    @property
    def median(self) -> float:
        """Seconds; 0 when nothing was measured."""
        return statistics.median(self.seconds) if self.seconds else 0.0

    @property
    def spread(self) -> float:
        """Seconds between the quartiles."""
        if len(self.seconds) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return third - first

    def __str__(self) -> str:
        return f"median {self.median * 1e6:.2f} us, spread {self.spread * 1e6:.2f} us"


class DryRun(Handler):
    """Answers launches without running them: their arguments are checked, and that is all."""

    def __init__(self) -> None:
        super().__init__()
        self.launches: list[Launch] = []

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        self.launches.append(launch)
        return Result("none", launch.grid, 0.0 if launch.timed else None)


class ByteCounter(Handler):
    """Counts the bytes of the arrays that launches may read and may write.

    What a kernel must at least move when it touches each element once. Gaps between elements do not
    count; an array whose parameter is `writeonly` is not read.
    """

    def __init__(self) -> None:
        super().__init__()
        self.read = 0
        self.written = 0

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        result = proceed(launch)
        written = launch.kernel.written
        for position, array in launch.arguments.arrays.items():
            size = array.itemsize
            for extent in array.shape:
                size *= extent
            parameter = launch.arguments.abi.parameters[position]
            self.read += 0 if parameter.writeonly else size
            may_write = not parameter.readonly and (written is None or position in written)
            self.written += size if may_write else 0
        return result

    @property
    def total(self) -> int:
        return self.read + self.written


class Comparison(Handler):
    """Runs each launch on a second engine too, on copies, and compares the results.

    `reference` is that engine, by default the interpreter. `tolerance` says how far elements may be
    apart: one for all parameters or by name, by default estimated from the bounds of the operations
    (`tolerance.estimate`).

    Raises `DiagnosticError` at the first launch whose results differ, or, without `check`, only
    collects the differences.
    """

    def __init__(
        self,
        reference: Engine | None = None,
        tolerance: Tolerance | Mapping[str, Tolerance] | None = None,
        *,
        check: bool = True,
    ) -> None:
        super().__init__()
        self.reference = Interpreter() if reference is None else reference
        self.tolerance = tolerance
        self.check = check
        self.differences: list[Difference] = []
        self.compared = 0
        """Arrays that were compared so far."""

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        if launch.blocks == 0:
            return proceed(launch)
        expected = replace(launch, arguments=on_host(launch).copied(), stream=0, timed=False)
        tolerances = self._tolerances(expected)
        self.reference.run(expected)
        result = proceed(launch)
        actual = on_host(launch)
        found = compare(launch, actual, expected.arguments, tolerances)
        self.compared += len(tolerances)
        self.differences += found
        if found and self.check:
            raise mismatch(launch, result.engine, found)
        return result

    def _tolerances(self, launch: Launch) -> dict[int, Tolerance]:
        from tileir_xdsl.runtime.tolerance import compared_parameters, estimate

        names = launch.arguments.abi.names
        if self.tolerance is None:
            return estimate(launch)
        positions = compared_parameters(launch)
        if isinstance(self.tolerance, Tolerance):
            return dict.fromkeys(positions, self.tolerance)
        return {k: self.tolerance.get(names[k], Tolerance()) for k in positions}


def mismatch(launch: Launch, engine: str, found: list[Difference]) -> DiagnosticError:
    """The error for results that differ."""
    from tileir_xdsl.diagnostics import Diagnostic, Severity

    place = launch.kernel.place
    notes = [
        Diagnostic(Severity.NOTE, line, place)
        for difference in found
        for line in str(difference).splitlines()
    ]
    return DiagnosticError.at(
        f"@{launch.kernel.name} on {engine} does not compute what it should", place, notes
    )


def compare(
    launch: Launch,
    actual: Arguments,
    expected: Arguments,
    tolerances: Mapping[int, Tolerance],
) -> list[Difference]:
    """How arrays on the host differ from what was expected, by position of their parameters."""
    found: list[Difference] = []
    for position, tolerance in tolerances.items():
        parameter = launch.arguments.abi.parameters[position]
        layout = layout_of(parameter.element)
        one = difference(
            parameter.name,
            element_bits(array_bits(actual.arrays[position]), layout),
            element_bits(array_bits(expected.arrays[position]), layout),
            layout,
            tolerance,
        )
        found += [] if one is None else [one]
    return found


def array_bits(array: Array) -> Any:
    """The elements of a host array as unsigned integers."""
    assert isinstance(array, np.ndarray)
    return np.ascontiguousarray(array).view(f"u{array.itemsize}").reshape(array.shape)


def on_host(launch: Launch) -> Arguments:
    """The arguments of a launch with copies on the host of the arrays that lie on a device."""
    arguments = launch.arguments
    if not arguments.device_arrays:
        return arguments
    engine = GpuEngine()
    gpu = engine.open(launch)
    values = list(arguments.values)
    with gpu.current():
        for position, array in arguments.device_arrays.items():
            values[position] = _downloaded(gpu, array, launch.stream)
    return bind(arguments.abi, values)


def _downloaded(gpu: Any, array: DeviceArray, stream: int) -> Any:
    strides = element_strides(array)
    low, high = span(array.shape, strides)
    dtype = dtype_named(array.dtype) or np.dtype(f"u{array.itemsize}")
    if dtype.kind == "V" and dtype.fields is None:
        dtype = np.dtype(f"u{array.itemsize}")
    memory = np.empty(high - low, dtype)
    gpu.download(memory.ctypes.data, array.pointer + low * array.itemsize, memory.nbytes, stream)
    gpu.synchronize(stream)
    byte_strides = tuple(stride * array.itemsize for stride in strides)
    return np.ndarray(array.shape, dtype, memory.data, -low * array.itemsize, byte_strides)
