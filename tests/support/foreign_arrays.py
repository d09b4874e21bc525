"""Arrays of other libraries, reduced to the protocols through which they hand out memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class DlpackArray:
    """A host array that is known by DLPack alone, as a tensor of PyTorch is."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.array.__dlpack__(**arguments)


class OldDlpackArray(DlpackArray):
    """One that knows only version 0 of the protocol."""

    def __dlpack__(self, **arguments: Any) -> Any:
        if arguments.keys() - {"stream"}:
            raise TypeError("unexpected keyword argument")
        return self.array.__dlpack__()


class CudaArray:
    """Device memory that is known by the CUDA array interface; nothing reads it."""

    def __init__(
        self,
        pointer: int,
        shape: tuple[int, ...],
        typestr: str,
        strides: tuple[int, ...] | None = None,
        read_only: bool = False,
        stream: int | None = None,
    ) -> None:
        self.__cuda_array_interface__ = {
            "version": 3,
            "data": (pointer, read_only),
            "shape": shape,
            "typestr": typestr,
            "strides": strides,
            "stream": stream,
        }


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class MadeDlpackArray:
    """A tensor with any fields: types that NumPy has not, other devices."""

    def __init__(
        self,
        pointer: int,
        shape: tuple[int, ...],
        code: int,
        bits: int,
        device: tuple[int, int] = (1, 0),
        strides: tuple[int, ...] | None = None,
        lanes: int = 1,
        byte_offset: int = 0,
    ) -> None:
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(shape))(*strides)
        self.streams: list[int | None] = []
        self.device = device
        self.tensor = _DLTensor(
            pointer,
            *device,
            len(shape),
            code,
            bits,
            lanes,
            ctypes.addressof(self.shape),
            None if self.strides is None else ctypes.addressof(self.strides),
            byte_offset,
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, stream: int | None = None) -> Any:
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


def host_address(array: Array) -> int:
    return int(np.asarray(array).ctypes.data)
