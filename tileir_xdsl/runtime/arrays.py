"""Arrays of any library as memory that a kernel can work on.

NumPy arrays, and everything with `__dlpack__` (PyTorch, JAX, CuPy) or `__cuda_array_interface__`
(Numba, CuPy). Sources: DLPack, versions 0 and 1; the CUDA array interface, version 3.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

HostArray = npt.NDArray[Any]

CUDA_DEVICES = (2, 13)
"""DLPack's kDLCUDA and kDLCUDAManaged."""

HOST_DEVICES = (1, 3)
"""DLPack's kDLCPU and kDLCUDAHost."""

LEGACY_STREAM = 1
"""How DLPack and the CUDA array interface call the default stream, whose handle is 0."""

DLPACK_CODES = {
    0: "int",
    1: "uint",
    2: "float",
    4: "bfloat",
    5: "complex",
    8: "float8_e4m3",
    10: "float8_e4m3fn",
    12: "float8_e5m2",
    14: "float8_e8m0fnu",
    17: "float4_e2m1fn",
}
"""DLPack's type codes and what stands for them in the name of a dtype; 6 is bool."""

IMMUTABLE = ("jax", "jaxlib")
"""Packages whose arrays must not be written, whatever the protocol says."""

_READ_ONLY = 1
"""The flag of a versioned DLPack tensor that must not be written."""


class ArrayError(Exception):
    """An array that cannot be used; the message says why."""


@dataclass(frozen=True)
class DeviceArray:
    """Memory on a CUDA device that another library owns."""

    pointer: int
    """The address of the first element."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements."""
    dtype: str
    """NumPy's or ml_dtypes' name of the element type; `void16` and the like for raw bits."""
    itemsize: int
    device: int | None
    """The ordinal of the device; None when the owner does not tell."""
    writeable: bool
    owner: Any
    """Keeps the memory alive."""
    stream: int | None = None
    """The stream whose work has to be done before the memory is used."""


Array = HostArray | DeviceArray


def as_array(value: Any, stream: int = 0) -> Array | None:
    """The array behind an argument, sharing its memory; None when it is no array.

    `stream` is the stream that will use memory on a device. Raises `ArrayError` for an array that
    its owner does not hand out, or on a device that is neither a CPU nor a CUDA device.
    """
    if isinstance(value, np.ndarray):
        return cast(HostArray, value)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(value, stream)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_cuda_interface(value, interface)
    return None


# --- the CUDA array interface


def _from_cuda_interface(owner: Any, interface: dict[str, Any]) -> DeviceArray:
    dtype = np.dtype(interface["typestr"])
    shape = tuple(int(extent) for extent in interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        strides = row_major(shape)
    else:
        strides = tuple(int(stride) // dtype.itemsize for stride in strides)
    pointer, read_only = interface["data"]
    return DeviceArray(
        int(pointer),
        shape,
        strides,
        dtype.name,
        dtype.itemsize,
        None,
        not read_only,
        owner,
        interface.get("stream"),
    )


# --- DLPack


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    )


def _from_dlpack(value: Any, stream: int) -> Array:
    kind, index = (int(part) for part in value.__dlpack_device__())
    if kind in CUDA_DEVICES:
        return _device_from_dlpack(value, index, stream)
    if kind not in HOST_DEVICES:
        raise ArrayError(f"its memory is on a device of DLPack's kind {kind}, which is no CUDA GPU")
    # Not `numpy.from_dlpack`: it lacks the types of ml_dtypes, and takes all arrays that come
    # through version 0 of the protocol, which does not tell, for read-only ones.
    return _host_from_dlpack(value)


def _device_from_dlpack(value: Any, index: int, stream: int) -> DeviceArray:
    capsule = _capsule(value, stream=stream or LEGACY_STREAM)
    tensor, writeable = _tensor_of(capsule)
    shape, strides = _shape_and_strides(tensor)
    name, itemsize = _dlpack_dtype(tensor)
    pointer = int(tensor.data or 0) + int(tensor.byte_offset)
    # A capsule that nobody consumed frees the tensor when it goes.
    owner = (value, capsule)
    writeable = writeable and not _is_immutable(value)
    return DeviceArray(pointer, shape, strides, name, itemsize, index, writeable, owner)


def _host_from_dlpack(value: Any) -> HostArray:
    capsule = _capsule(value)
    tensor, writeable = _tensor_of(capsule)
    shape, strides = _shape_and_strides(tensor)
    name, itemsize = _dlpack_dtype(tensor)
    dtype = dtype_named(name)
    if dtype is None:
        raise ArrayError(f"its elements are {name}, which no kernel takes")
    start = int(tensor.data or 0) + int(tensor.byte_offset)
    low, high = span(shape, strides)
    memory = memory_at(start + low * itemsize, (high - low) * itemsize, (value, capsule))
    byte_strides = tuple(stride * itemsize for stride in strides)
    array: HostArray = np.ndarray(shape, dtype, memory, -low * itemsize, byte_strides)
    array.flags.writeable = writeable and not _is_immutable(value)
    return array


def _is_immutable(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in IMMUTABLE


def _capsule(value: Any, **arguments: Any) -> Any:
    try:
        try:
            return value.__dlpack__(max_version=(1, 0), **arguments)
        except TypeError:
            # A producer that knows only version 0 of the protocol.
            return value.__dlpack__(**arguments)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArrayError(f"its owner does not hand it out: {error}") from None


def _tensor_of(capsule: Any) -> tuple[Any, bool]:
    """The tensor in a DLPack capsule, and whether it may be written."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = (ctypes.py_object, ctypes.c_char_p)
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.restype = ctypes.c_int
    is_valid.argtypes = (ctypes.py_object, ctypes.c_char_p)
    if is_valid(capsule, b"dltensor_versioned"):
        pointer = get(capsule, b"dltensor_versioned")
        managed = ctypes.cast(pointer, ctypes.POINTER(_DLManagedTensorVersioned)).contents
        return managed.tensor, not managed.flags & _READ_ONLY
    return ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_DLTensor)).contents, True


def _shape_and_strides(tensor: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = tuple(int(tensor.shape[k]) for k in range(tensor.ndim))
    if not tensor.strides:
        return shape, row_major(shape)
    return shape, tuple(int(tensor.strides[k]) for k in range(tensor.ndim))


def _dlpack_dtype(tensor: Any) -> tuple[str, int]:
    """Name and bytes of the element type."""
    code, bits, lanes = int(tensor.code), int(tensor.bits), int(tensor.lanes)
    if lanes != 1:
        raise ArrayError(f"its elements are groups of {lanes}")
    itemsize = max(1, bits // 8)
    if code == 6:
        return "bool", itemsize
    name = DLPACK_CODES.get(code, f"dlpack{code}_")
    return (name if name.startswith("float") and bits <= 8 else f"{name}{bits}"), itemsize


# --- what arrays of both kinds have


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a dense array in row-major order."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def span(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """First element and end of the memory that an array covers, relative to its first element."""
    if 0 in shape:
        return 0, 0
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return sum(min(0, r) for r in reach), sum(max(0, r) for r in reach) + 1


def element_strides(array: Array) -> tuple[int, ...]:
    """Strides in elements. Raises `ArrayError` where one is no whole number of elements."""
    if isinstance(array, DeviceArray):
        return array.strides
    if any(stride % array.itemsize for stride in array.strides):
        raise ArrayError("its strides are no multiples of its element size")
    return tuple(stride // array.itemsize for stride in array.strides)


def address(array: Array) -> int:
    """The address of the first element."""
    if isinstance(array, DeviceArray):
        return array.pointer
    return int(array.ctypes.data)


def span_bytes(array: Array) -> tuple[int, int]:
    """First byte and end of the memory that an array covers."""
    low, high = span(array.shape, element_strides(array))
    start = address(array)
    return start + low * array.itemsize, start + high * array.itemsize


def owner_start(array: HostArray) -> int:
    """The address of the allocation that an array is part of, as far as NumPy knows."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return min(int(owner.ctypes.data), span_bytes(array)[0])


def memory_at(start: int, size: int, owner: Any) -> HostArray:
    """`size` bytes of host memory from an address on, keeping their owner alive."""
    if size == 0:
        return np.empty(0, np.uint8)
    memory: Any = (ctypes.c_uint8 * size).from_address(start)
    memory.owner = owner
    return np.frombuffer(memory, np.uint8)


def dtype_name(array: Array) -> str:
    return array.dtype if isinstance(array, DeviceArray) else array.dtype.name


def dtype_named(name: str) -> np.dtype[Any] | None:
    """A dtype of NumPy or ml_dtypes by name; None when neither has it."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        found = getattr(ml_dtypes, name, None)
        return None if found is None else np.dtype(found)


def is_writeable(array: Array) -> bool:
    return array.writeable if isinstance(array, DeviceArray) else array.flags.writeable
