"""NVIDIA GPUs through the driver: devices, memory, kernels, events.

The only module that imports cuda-python, and it does so when a device is opened. It imports nothing
of this package, because harness files carry its source.

A tile kernel is launched with the grid in tile blocks, blocks of 1x1x1 threads and no dynamic
shared memory; the driver accepts nothing else (CUDA driver API, cuLaunchKernel).
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

INSTALL_FIX = "pip install 'cuda-python>=13,<14'"

MIN_CAPABILITY = (8, 0)
"""The oldest compute capability that Tile IR is assembled for."""


class GpuError(Exception):
    """Something that a device or its driver refused; `fix` says what to do about it."""

    def __init__(self, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class NoDevice(GpuError):
    """There is no device to use: no cuda-python, no driver, no GPU, or one that is too old."""


def load_driver() -> Any:
    """The driver's Python binding.

    Raises `NoDevice` when it is not installed.
    """
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise NoDevice(f"cuda-python is not usable: {error}", INSTALL_FIX) from None


class Driver:
    """The driver's functions, with failures as exceptions."""

    def __init__(self) -> None:
        self.api = load_driver()

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function; answers its result, or a tuple of several.

        Raises `GpuError` when the driver reports an error or lacks the function, and `NoDevice`
        when there is no driver.
        """
        try:
            status, *results = getattr(self.api, name)(*arguments)
        except (RuntimeError, AttributeError) as error:
            raise self._absent(name, error) from None
        if int(status) != 0:
            raise GpuError(f"{name} failed: {self.describe(status)}")
        return results[0] if len(results) == 1 else tuple(results)

    def _absent(self, name: str, error: Exception) -> GpuError:
        if name == "cuInit":
            reason = str(error).rstrip(".")
            return NoDevice(f"no NVIDIA driver: {reason}", "install the driver of the GPU")
        return GpuError(f"the NVIDIA driver has no {name}: {error}", "install a newer driver")

    def describe(self, status: Any) -> str:
        """An error code in words."""
        parts: list[str] = []
        for name in ("cuGetErrorName", "cuGetErrorString"):
            found, text = getattr(self.api, name)(status)
            if int(found) == 0 and text:
                parts.append(text.decode() if isinstance(text, bytes) else str(text))
        if not parts:
            return f"error {int(status)}"
        return parts[0] + (f" ({parts[1]})" if len(parts) > 1 else "")

    def start(self) -> None:
        """Initialise the driver. Raises `NoDevice` when that is not possible."""
        try:
            self.call("cuInit", 0)
        except NoDevice:
            raise
        except GpuError as error:
            raise NoDevice(error.message) from None


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel on a device."""

    name: str
    function: Any


class Gpu:
    """One device, in the context that other libraries use too (the primary one)."""

    def __init__(self, ordinal: int = 0) -> None:
        self.driver = Driver()
        self.driver.start()
        count = self.call("cuDeviceGetCount")
        if count == 0:
            raise NoDevice("the NVIDIA driver finds no GPU")
        if not 0 <= ordinal < count:
            raise NoDevice(f"there is no GPU {ordinal}; there are {count}, counted from 0")
        self.ordinal = ordinal
        self.device = self.call("cuDeviceGet", ordinal)
        name = self.call("cuDeviceGetName", 256, self.device)
        self.name = name.split(b"\0")[0].decode() if isinstance(name, bytes) else str(name)
        self.capability = (
            self.attribute("COMPUTE_CAPABILITY_MAJOR"),
            self.attribute("COMPUTE_CAPABILITY_MINOR"),
        )
        if self.capability < MIN_CAPABILITY:
            raise NoDevice(
                f"{self.name} has compute capability {self.capability[0]}.{self.capability[1]}, "
                f"but Tile IR needs {MIN_CAPABILITY[0]}.{MIN_CAPABILITY[1]}"
            )
        self.context = self.call("cuDevicePrimaryCtxRetain", self.device)

    @property
    def architecture(self) -> str:
        """The name that the assembler has for the device: `sm_90`."""
        return f"sm_{self.capability[0]}{self.capability[1]}"

    def call(self, name: str, *arguments: Any) -> Any:
        return self.driver.call(name, *arguments)

    def attribute(self, name: str) -> int:
        kinds = self.driver.api.CUdevice_attribute
        kind = getattr(kinds, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.call("cuDeviceGetAttribute", kind, self.device))

    def driver_version(self) -> str:
        """The newest CUDA version that the driver serves, such as "13.1"."""
        version = int(self.call("cuDriverGetVersion"))
        return f"{version // 1000}.{version % 1000 // 10}"

    @contextlib.contextmanager
    def current(self) -> Generator[None]:
        """Make the device that of the calling thread."""
        self.call("cuCtxPushCurrent", self.context)
        try:
            yield
        finally:
            self.call("cuCtxPopCurrent")

    # Memory. Addresses of the host are those of memory that stays alive.

    def allocate(self, size: int) -> int:
        """The address of new memory, a multiple of 256; 0 for no bytes."""
        return int(self.call("cuMemAlloc", size)) if size else 0

    def free(self, address: int) -> None:
        if address:
            self.call("cuMemFree", self._pointer(address))

    def upload(self, address: int, host_address: int, size: int, stream: int = 0) -> None:
        if size:
            stream_handle = self._stream(stream)
            self.call(
                "cuMemcpyHtoDAsync", self._pointer(address), host_address, size, stream_handle
            )

    def download(self, host_address: int, address: int, size: int, stream: int = 0) -> None:
        """Copy to the host; the bytes are there after `synchronize`."""
        if size:
            stream_handle = self._stream(stream)
            self.call(
                "cuMemcpyDtoHAsync", host_address, self._pointer(address), size, stream_handle
            )

    def copy(self, target: int, source: int, size: int, stream: int = 0) -> None:
        """Copy within the device."""
        if size:
            pointers = self._pointer(target), self._pointer(source)
            self.call("cuMemcpyDtoDAsync", *pointers, size, self._stream(stream))

    def device_of(self, address: int) -> int:
        """The ordinal of the device that memory lies on."""
        kind = self.driver.api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self.call("cuPointerGetAttribute", kind, self._pointer(address)))

    # Kernels.

    def load(self, image: bytes) -> Any:
        """Load a cubin, or Tile IR bytecode that the driver assembles itself; answers a library.

        Globals keep their values as long as it is loaded.
        """
        return self.call("cuLibraryLoadData", image, None, None, 0, None, None, 0)

    def kernel(self, library: Any, name: str) -> LoadedKernel:
        found = self.call("cuLibraryGetKernel", library, name.encode())
        return LoadedKernel(name, self.call("cuKernelGetFunction", found))

    def unload(self, library: Any) -> None:
        self.call("cuLibraryUnload", library)

    def launch(
        self,
        kernel: LoadedKernel,
        grid: tuple[int, int, int],
        parameters: bytes,
        offsets: Sequence[int],
        stream: int = 0,
    ) -> None:
        """Start a kernel; `parameters` are packed, the k-th one beginning at `offsets[k]`."""
        memory = ctypes.create_string_buffer(parameters, max(1, len(parameters)))
        start = ctypes.addressof(memory)
        pointers = (ctypes.c_void_p * max(1, len(offsets)))(*(start + o for o in offsets))
        try:
            self.call(
                "cuLaunchKernel",
                kernel.function,
                *grid,
                *(1, 1, 1),
                0,
                self._stream(stream),
                ctypes.addressof(pointers),
                0,
            )
        except GpuError as error:
            shown = "x".join(map(str, grid))
            raise GpuError(f"cannot launch @{kernel.name} on a grid of {shown}: {error}") from None

    # Streams and events.

    def synchronize(self, stream: int = 0) -> None:
        """Wait until all work of a stream is done."""
        try:
            self.call("cuStreamSynchronize", self._stream(stream))
        except GpuError as error:
            raise GpuError(
                f"the kernel failed on the device: {error}",
                "run it in the interpreter, which says where it is undefined",
            ) from None

    def event(self) -> Any:
        return self.call("cuEventCreate", 0)

    def record(self, event: Any, stream: int = 0) -> None:
        self.call("cuEventRecord", event, self._stream(stream))

    def seconds_between(self, first: Any, last: Any) -> float:
        """Time between two recorded events; waits for the last."""
        self.call("cuEventSynchronize", last)
        return float(self.call("cuEventElapsedTime", first, last)) / 1000

    def destroy(self, *events: Any) -> None:
        for event in events:
            self.call("cuEventDestroy", event)

    def wait(self, stream: int, producer: int) -> None:
        """Let a stream wait for the work that another has so far."""
        if stream == producer:
            return
        event = self.event()
        self.record(event, producer)
        self.call("cuStreamWaitEvent", self._stream(stream), event, 0)
        self.destroy(event)

    def _stream(self, handle: int) -> Any:
        return self.driver.api.CUstream(handle)

    def _pointer(self, address: int) -> Any:
        return self.driver.api.CUdeviceptr(address)
