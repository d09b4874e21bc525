"""A stand-in for `cuda.bindings.driver` whose device is the interpreter.

It has the driver's rules that a launch must keep: a current context, memory that was allocated,
blocks of 1x1x1, no dynamic shared memory, and errors that show when a stream is waited for. An
image is bytecode, or `cubin_of` it. What was called and launched is in `state`.
"""

from __future__ import annotations

import ctypes
import io
import os
import sys
import time
import types
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import tileir_xdsl
from tileir_xdsl import interpreter
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.abi import abi

SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, NO_DEVICE = 0, 1, 2, 100
INVALID_IMAGE, INVALID_CONTEXT, NOT_FOUND, ILLEGAL_ADDRESS = 200, 201, 500, 700
NAMES = {
    INVALID_VALUE: "CUDA_ERROR_INVALID_VALUE",
    OUT_OF_MEMORY: "CUDA_ERROR_OUT_OF_MEMORY",
    NO_DEVICE: "CUDA_ERROR_NO_DEVICE",
    INVALID_IMAGE: "CUDA_ERROR_INVALID_IMAGE",
    INVALID_CONTEXT: "CUDA_ERROR_INVALID_CONTEXT",
    NOT_FOUND: "CUDA_ERROR_NOT_FOUND",
    ILLEGAL_ADDRESS: "CUDA_ERROR_ILLEGAL_ADDRESS",
}
CUBIN_PREFIX = b"\x7fELF, says the fake assembler for "

FLIP_VARIABLE = "FAKE_CUDA_FLIP"
"""`P:B` flips the lowest bit of byte B of what parameter P points to, after each launch."""


def cubin_of(bytecode: bytes, gpu: str) -> bytes:
    """What stands for the cubin of bytecode."""
    return CUBIN_PREFIX + gpu.encode() + b"\n" + bytecode


@dataclass
class Launched:
    name: str
    grid: tuple[int, int, int]
    stream: int
    parameters: tuple[bytes, ...]


@dataclass
class State:
    devices: int = 1
    capability: tuple[int, int] = (9, 0)
    calls: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    launches: list[Launched] = field(default_factory=list[Launched])
    failures: dict[str, int] = field(default_factory=dict[str, int])
    """Functions that answer an error, and which."""
    memory: dict[int, npt.NDArray[np.uint8]] = field(
        default_factory=dict[int, "npt.NDArray[np.uint8]"]
    )
    loaded: set[int] = field(default_factory=set[int])
    """The identities of the libraries that are loaded."""
    contexts: list[Any] = field(default_factory=list[Any])
    pending: int = 0
    """The error that the next wait answers."""
    flip: str | None = None

    def called(self, name: str) -> int:
        return sum(call[0] == name for call in self.calls)


state = State()


def install(monkeypatch: Any) -> State:
    """Let `cuda.bindings.driver` be this module, with a fresh state, for one test."""
    from tileir_xdsl.runtime import engines

    global state
    state = State()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", sys.modules[__name__])
    monkeypatch.setattr(engines, "_OPENED", {})
    monkeypatch.setattr(engines, "_LIBRARIES", type(engines._LIBRARIES)())  # pyright: ignore[reportPrivateUsage]
    return state


def write_package(folder: Any) -> None:
    """Write a package `cuda.bindings` whose driver this is, for other processes."""
    package = folder / "cuda" / "bindings"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "driver.py").write_text("from support.fake_driver import *\n")


class CUdevice_attribute:
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76


class CUpointer_attribute:
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9


def CUstream(handle: int) -> int:
    return handle


def CUdeviceptr(address: int) -> int:
    return address


def _log(name: str, *arguments: Any) -> int:
    """Note a call; answers the error that was asked for."""
    state.calls.append((name, *arguments))
    needs_context = name.startswith(("cuMem", "cuLaunch", "cuEvent", "cuStream", "cuKernel"))
    if needs_context and not state.contexts:
        return INVALID_CONTEXT
    return state.failures.get(name, SUCCESS)


def cuInit(flags: int) -> tuple[int]:
    return (_log("cuInit", flags),)


def cuDriverGetVersion() -> tuple[int, int]:
    return _log("cuDriverGetVersion"), 13020


def cuGetErrorName(status: int) -> tuple[int, bytes | None]:
    return (SUCCESS, NAMES[status].encode()) if status in NAMES else (INVALID_VALUE, None)


def cuGetErrorString(status: int) -> tuple[int, bytes | None]:
    name = NAMES.get(status)
    if name is None:
        return INVALID_VALUE, None
    return SUCCESS, name.removeprefix("CUDA_ERROR_").replace("_", " ").lower().encode()


def cuDeviceGetCount() -> tuple[int, int]:
    return _log("cuDeviceGetCount"), state.devices


def cuDeviceGet(ordinal: int) -> tuple[int, int]:
    return _log("cuDeviceGet", ordinal), ordinal


def cuDeviceGetName(length: int, device: int) -> tuple[int, bytes]:
    return _log("cuDeviceGetName"), b"Fake GPU".ljust(length, b"\0")


def cuDeviceGetAttribute(attribute: int, device: int) -> tuple[int, int]:
    return _log("cuDeviceGetAttribute", attribute), state.capability[attribute - 75]


def cuDevicePrimaryCtxRetain(device: int) -> tuple[int, Any]:
    return _log("cuDevicePrimaryCtxRetain", device), f"context {device}"


def cuCtxPushCurrent(context: Any) -> tuple[int]:
    state.contexts.append(context)
    return (_log("cuCtxPushCurrent"),)


def cuCtxPopCurrent() -> tuple[int, Any]:
    return _log("cuCtxPopCurrent"), state.contexts.pop()


# --- memory


def _find(address: int, size: int) -> npt.NDArray[np.uint8] | None:
    for base, memory in state.memory.items():
        if base <= address and address + size <= base + memory.size:
            return memory[address - base : address - base + size]
    return None


def cuMemAlloc(size: int) -> tuple[int, int]:
    status = _log("cuMemAlloc", size)
    if size == 0:
        return INVALID_VALUE, 0
    end = max((base + memory.size for base, memory in state.memory.items()), default=0)
    base = max(0x7000_0000_0000, -(-end // 256) * 256 + 256)
    if status == SUCCESS:
        state.memory[base] = np.full(size, 0xCC, np.uint8)
    return status, base


def cuMemFree(address: int) -> tuple[int]:
    status = _log("cuMemFree", address)
    if state.memory.pop(address, None) is None:
        return (INVALID_VALUE,)
    return (status,)


def cuMemcpyHtoDAsync(target: int, source: int, size: int, stream: int) -> tuple[int]:
    status, memory = _log("cuMemcpyHtoDAsync", size, stream), _find(target, size)
    if memory is None:
        return (INVALID_VALUE,)
    ctypes.memmove(memory.ctypes.data, source, size)
    return (status,)


def cuMemcpyDtoHAsync(target: int, source: int, size: int, stream: int) -> tuple[int]:
    status, memory = _log("cuMemcpyDtoHAsync", size, stream), _find(source, size)
    if memory is None:
        return (INVALID_VALUE,)
    ctypes.memmove(target, memory.ctypes.data, size)
    return (status,)


def cuMemcpyDtoDAsync(target: int, source: int, size: int, stream: int) -> tuple[int]:
    status = _log("cuMemcpyDtoDAsync", size, stream)
    to, start = _find(target, size), _find(source, size)
    if to is None or start is None:
        return (INVALID_VALUE,)
    to[:] = start
    return (status,)


def cuPointerGetAttribute(attribute: int, address: int) -> tuple[int, int]:
    return _log("cuPointerGetAttribute"), address >> 60


# --- kernels


def cuLibraryLoadData(image: bytes, *options: Any) -> tuple[int, Any]:
    status = _log("cuLibraryLoadData", len(image), image[:8])
    if image.startswith(CUBIN_PREFIX):
        gpu, _, image = image.removeprefix(CUBIN_PREFIX).partition(b"\n")
        if gpu.decode() != f"sm_{state.capability[0]}{state.capability[1]}":
            return INVALID_IMAGE, None
    try:
        library = tileir_xdsl.decode(image)
    except DiagnosticError:
        return INVALID_IMAGE, None
    state.loaded.add(id(library))
    return status, library


def cuLibraryUnload(library: Any) -> tuple[int]:
    state.loaded.discard(id(library))
    return (_log("cuLibraryUnload"),)


def cuLibraryGetKernel(library: Any, name: bytes) -> tuple[int, Any]:
    status = _log("cuLibraryGetKernel", name)
    names = [entry.sym_name.data for entry in interpreter.entries(library)]
    return (status if name.decode() in names else NOT_FOUND), (library, name.decode())


def cuKernelGetFunction(kernel: Any) -> tuple[int, Any]:
    return _log("cuKernelGetFunction"), kernel


def cuLaunchKernel(
    function: Any,
    x: int,
    y: int,
    z: int,
    block_x: int,
    block_y: int,
    block_z: int,
    shared: int,
    stream: int,
    parameters: int,
    extra: int,
) -> tuple[int]:
    status = _log("cuLaunchKernel", stream)
    if (block_x, block_y, block_z, shared, extra) != (1, 1, 1, 0, 0) or min(x, y, z) < 1:
        return (INVALID_VALUE,)
    if status:
        return (status,)
    module, name = function
    slots = abi(module, name).slots
    pointers = (ctypes.c_void_p * max(1, len(slots))).from_address(parameters)
    values = tuple(ctypes.string_at(pointers[k] or 0, slot.size) for k, slot in enumerate(slots))
    state.launches.append(Launched(name, (x, y, z), stream, values))
    state.pending = state.pending or _execute(module, name, (x, y, z), values)
    return (SUCCESS,)


def _execute(module: Any, name: str, grid: tuple[int, int, int], values: tuple[bytes, ...]) -> int:
    found = abi(module, name)
    arguments: list[Any] = []
    for slot, raw, parameter in zip(found.slots, values, found.parameters, strict=True):
        if slot.kind == "pointer":
            arguments.append(_array_at(int.from_bytes(raw, "little"), parameter.format.dtype))
        else:
            bits = np.asarray(int.from_bytes(raw, "little"), np.uint64)
            arguments.append(_scalar(parameter, bits))
    try:
        interpreter.run(module, name, grid, arguments, out=io.StringIO())
    except DiagnosticError:
        return ILLEGAL_ADDRESS
    flip = state.flip or os.environ.get(FLIP_VARIABLE)
    if flip:
        position, byte = map(int, flip.split(":"))
        if isinstance(arguments[position], np.ndarray) and arguments[position].ndim:
            arguments[position].view(np.uint8)[byte] ^= 1
    return SUCCESS


def _array_at(address: int, dtype: Any) -> Any:
    if address == 0:
        return None
    for base, memory in state.memory.items():
        if base <= address <= base + memory.size:
            rest = memory[address - base :]
            if dtype.name == "float4_e2m1fn":
                return rest
            return rest[: rest.size // dtype.itemsize * dtype.itemsize].view(dtype)
    return np.zeros(0, dtype)


def _scalar(parameter: Any, bits: Any) -> Any:
    if parameter.element == "tf32":
        return bits.astype(np.uint32).view(np.float32)
    return np.asarray(parameter.format.from_bits(bits))


# --- streams and events


def cuStreamSynchronize(stream: int) -> tuple[int]:
    status = _log("cuStreamSynchronize", stream)
    pending, state.pending = state.pending, SUCCESS
    return (pending or status,)


def cuStreamWaitEvent(stream: int, event: Any, flags: int) -> tuple[int]:
    return (_log("cuStreamWaitEvent", stream, event.stream),)


def cuEventCreate(flags: int) -> tuple[int, Any]:
    return _log("cuEventCreate"), types.SimpleNamespace(stream=None, time=0.0)


def cuEventRecord(event: Any, stream: int) -> tuple[int]:
    event.stream, event.time = stream, time.perf_counter()
    return (_log("cuEventRecord", stream),)


def cuEventSynchronize(event: Any) -> tuple[int]:
    return (_log("cuEventSynchronize"),)


def cuEventElapsedTime(first: Any, last: Any) -> tuple[int, float]:
    return _log("cuEventElapsedTime"), (last.time - first.time) * 1000


def cuEventDestroy(event: Any) -> tuple[int]:
    return (_log("cuEventDestroy"),)
