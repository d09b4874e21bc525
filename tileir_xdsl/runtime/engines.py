"""The engines: the interpreter, and NVIDIA GPUs."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, TextIO, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.arguments import Arguments, Region
from tileir_xdsl.runtime.cache import KernelCache
from tileir_xdsl.runtime.gpu import Gpu, GpuError, LoadedKernel
from tileir_xdsl.runtime.kernel import Kernel
from tileir_xdsl.runtime.launch import Engine, Launch, Result

T = TypeVar("T")

Image = Literal["cubin", "bytecode"]

ENGINES = ("interpreter", "gpu")
"""The names of the engines."""


def engine_named(name: str) -> Engine:
    """An engine of `ENGINES` with its defaults."""
    return Interpreter() if name == "interpreter" else GpuEngine()


class Interpreter(Engine):
    """Runs kernels on the CPU and reports undefined behaviour; see `tileir_xdsl.run`."""

    name = "interpreter"

    def __init__(
        self,
        *,
        checked: bool = True,
        jobs: int = 1,
        order: str = "tree",
        seed: int = 0,
        check_order: bool = False,
        step_limit: int | None = None,
        trace: Callable[[str], None] | None = None,
        out: TextIO | None = None,
    ) -> None:
        super().__init__()
        self.options: dict[str, Any] = {
            "checked": checked,
            "jobs": jobs,
            "order": order,
            "seed": seed,
            "check_order": check_order,
            "trace": trace,
            "out": out,
        }
        if step_limit is not None:
            self.options["step_limit"] = step_limit

    def run(self, launch: Launch) -> Result:
        from tileir_xdsl import interpreter

        arguments = launch.arguments
        for position in arguments.device_arrays:
            raise launch.error(
                f"argument '{arguments.abi.names[position]}' lies on a GPU, "
                "but the interpreter works on host memory",
                fix="pass a copy on the host, or engine='gpu'",
            )
        values = entry_arguments(arguments)
        start = time.perf_counter()
        report = interpreter.run(
            launch.kernel.source, launch.kernel.name, launch.grid, values, **self.options
        )
        seconds = time.perf_counter() - start
        for step in arguments.copy_back:
            step()
        return Result(self.name, launch.grid, seconds if launch.timed else None, report)


def entry_arguments(arguments: Arguments) -> list[Any]:
    """The arguments of the `cuda_tile.entry`, one for each slot, as the interpreter takes them."""
    values: list[Any] = []
    for slot in arguments.abi.slots:
        position = slot.parameter
        if slot.kind == "pointer":
            values.append(arguments.flat(position) if position in arguments.offsets else None)
        elif slot.kind == "scalar":
            values.append(arguments.scalars[position])
        else:
            values.append(arguments.integers[slot.kind, position, slot.dim])
    return values


class GpuEngine(Engine):
    """Runs kernels on an NVIDIA GPU.

    `device` is the ordinal of the device, by default that of the arrays, else 0. `image` is what
    the driver loads: a cubin that `tileiras` assembles for the device's architecture, or the
    bytecode, which drivers since CUDA 13.1 assemble themselves; then `version` is that of the
    bytecode. `tool` and `extra_args` are those of `tileir_xdsl.compile`; `cache` keeps cubins, None
    for no cache.

    Arrays on the device are used where they are, and the launch does not wait. Arrays on the host
    are copied to the device and back, which it waits for. A kernel stays loaded, and its globals
    keep their values, as long as the `Kernel` lives.
    """

    name = "gpu"

    def __init__(
        self,
        device: int | None = None,
        *,
        image: Image = "cubin",
        version: str | None = None,
        tool: str | PathLike[str] | None = None,
        extra_args: Sequence[str] = (),
        cache: KernelCache | Literal["default"] | None = "default",
    ) -> None:
        super().__init__()
        self.device = device
        self.image: Image = image
        self.version = version
        self.tool = tool
        self.extra_args = tuple(extra_args)
        self.cache = KernelCache() if cache == "default" else cache

    def run(self, launch: Launch) -> Result:
        return self._as_diagnostics(launch.kernel, lambda: self._run(launch))

    def open(self, launch: Launch) -> Gpu:
        """The device for a launch. Raises `DiagnosticError` when there is none to use."""
        return self._as_diagnostics(launch.kernel, lambda: self._open(launch))

    def load(self, gpu: Gpu, kernel: Kernel) -> LoadedKernel:
        """The kernel on a device, which is current; its module is loaded once."""
        owner = kernel if kernel.module is None else kernel.module
        libraries = _LIBRARIES.setdefault(owner, {})
        key = (gpu.ordinal, self.image, self.version, self.extra_args, str(self.tool))
        if key not in libraries:
            libraries[key] = gpu.load(self._image(gpu, kernel))
            weakref.finalize(owner, _unload, gpu, libraries[key]).atexit = False
        return gpu.kernel(libraries[key], kernel.name)

    def _as_diagnostics(self, kernel: Kernel, action: Callable[[], T]) -> T:
        try:
            return action()
        except GpuError as error:
            raise DiagnosticError.at(
                error.message, kernel.place, fix=error.fix, code="gpu"
            ) from None

    def _open(self, launch: Launch) -> Gpu:
        arrays = launch.arguments.device_arrays
        ordinals = {a.device for a in arrays.values() if a.device is not None}
        wanted = self.device
        if wanted is None:
            wanted = min(ordinals, default=0)
        gpu = opened_gpu(wanted)
        for position, array in arrays.items():
            name = launch.arguments.abi.names[position]
            where = gpu.device_of(array.pointer) if array.device is None and array.pointer else None
            where = array.device if where is None else where
            if where is not None and where != wanted:
                raise launch.error(
                    f"argument '{name}' lies on GPU {where}, but the launch is on GPU {wanted}"
                )
        return gpu

    def _image(self, gpu: Gpu, kernel: Kernel) -> bytes:
        if self.image == "bytecode" and kernel.cubin is None:
            return kernel.bytecode(self.version, gpu.architecture)
        return kernel.compile(
            gpu.architecture, cache=self.cache, tool=self.tool, extra_args=self.extra_args
        )

    def _run(self, launch: Launch) -> Result:
        gpu = self._open(launch)
        with gpu.current():
            loaded = self.load(gpu, launch.kernel)
            seconds = _run_loaded(gpu, loaded, launch)
        return Result(f"gpu ({gpu.name}, {gpu.architecture})", launch.grid, seconds)


_LIBRARIES: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
"""What is loaded of each module, by device and options."""


def _unload(gpu: Gpu, library: Any) -> None:
    with contextlib.suppress(GpuError), gpu.current():
        gpu.unload(library)


_OPENED: dict[int, Gpu] = {}


def opened_gpu(ordinal: int) -> Gpu:
    """A device, opened once. Raises `NoDevice` when it cannot be."""
    if ordinal not in _OPENED:
        _OPENED[ordinal] = Gpu(ordinal)
    return _OPENED[ordinal]


def _run_loaded(gpu: Gpu, loaded: LoadedKernel, launch: Launch) -> float | None:
    arguments, stream = launch.arguments, launch.stream
    for array in arguments.device_arrays.values():
        if array.stream is not None:
            gpu.wait(stream, array.stream)
    bases: list[int] = []
    events: list[Any] = [gpu.event(), gpu.event()] if launch.timed else []
    seconds = None
    try:
        for region in arguments.regions:
            bases.append(gpu.allocate(region.memory.size))
            gpu.upload(bases[-1], region.memory.ctypes.data, region.memory.size, stream)
        packed = arguments.pack(arguments.addresses(bases))
        offsets = [slot.offset for slot in arguments.abi.slots]
        if events:
            gpu.record(events[0], stream)
        gpu.launch(loaded, launch.grid, packed, offsets, stream)
        if events:
            gpu.record(events[1], stream)
        if arguments.regions or events:
            gpu.synchronize(stream)
        if events:
            seconds = gpu.seconds_between(*events)
        for region, base in zip(arguments.regions, bases, strict=True):
            _download(gpu, region, base, launch)
    finally:
        for base in bases:
            gpu.free(base)
        gpu.destroy(*events)
    for step in arguments.copy_back:
        step()
    return seconds


def _download(gpu: Gpu, region: Region, base: int, launch: Launch) -> None:
    """Bring what the kernel may have written back to the host."""
    written = launch.kernel.written
    if written is not None and not written.intersection(region.parameters):
        return
    size = region.memory.size - region.lead
    target = region.memory[region.lead :]
    if not region.writeable:
        target = np.empty(size, np.uint8)
    gpu.download(target.ctypes.data, base + region.lead, size, launch.stream)
    gpu.synchronize(launch.stream)
    if region.writeable or np.array_equal(target, region.memory[region.lead :]):
        return
    names = " and ".join(f"'{launch.arguments.abi.names[k]}'" for k in region.parameters)
    raise launch.error(f"@{launch.kernel.name} wrote the read-only argument {names}")
