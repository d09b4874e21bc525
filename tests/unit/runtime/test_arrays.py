"""Arrays of other libraries: their memory is shared, and their shape, strides and type are kept."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.foreign_arrays import (
    CudaArray,
    DlpackArray,
    MadeDlpackArray,
    OldDlpackArray,
    host_address,
)

from tileir_xdsl.runtime.arrays import (
    ArrayError,
    DeviceArray,
    as_array,
    element_strides,
    owner_start,
    row_major,
    span,
    span_bytes,
)


def host(value: Any) -> Any:
    array = as_array(value)
    assert isinstance(array, np.ndarray)
    return array


def device(value: Any, stream: int = 0) -> DeviceArray:
    array = as_array(value, stream)
    assert isinstance(array, DeviceArray)
    return array


@pytest.mark.parametrize("wrapper", [DlpackArray, OldDlpackArray])
@pytest.mark.parametrize(
    "array",
    [
        np.arange(12, dtype=np.float32).reshape(3, 4),
        np.arange(12, dtype=np.int8).reshape(3, 4).T,
        np.arange(12, dtype=np.float64)[1::2],
        np.arange(12, dtype=np.uint16)[::-3],
        np.asarray(2.5, np.float16),
        np.zeros((0, 4), np.int64),
        np.asarray([True, False]),
    ],
)
def test_dlpack_shares_memory(wrapper: Any, array: Any):
    found = host(wrapper(array))
    assert found.dtype == array.dtype
    assert found.strides == array.strides or array.size == 0
    assert found.tolist() == array.tolist()
    if array.size:
        assert np.shares_memory(found, array)
        assert found.flags.writeable


def test_numpy_arrays_are_taken_as_they_are():
    array = np.zeros(3)
    assert as_array(array) is array


@pytest.mark.parametrize("value", [None, 3, 2.5, "x", [1.0, 2.0], (1,), object()])
def test_no_arrays(value: Any):
    assert as_array(value) is None


def test_read_only_stays_read_only():
    array = np.zeros(3)
    array.flags.writeable = False
    assert not host(DlpackArray(array)).flags.writeable


def test_arrays_of_immutable_libraries_are_read_only():
    array = np.zeros(3)
    kind = type("Array", (OldDlpackArray,), {"__module__": "jaxlib._jax"})
    assert not host(kind(array)).flags.writeable


def test_memory_outlives_the_tensor():
    found = host(DlpackArray(np.full(1000, 7.0)))
    assert found.sum() == 7000


@pytest.mark.parametrize(
    ("code", "bits", "dtype"),
    [
        (4, 16, ml_dtypes.bfloat16),
        (10, 8, ml_dtypes.float8_e4m3fn),
        (12, 8, ml_dtypes.float8_e5m2),
        (14, 8, ml_dtypes.float8_e8m0fnu),
    ],
)
def test_types_that_numpy_has_not(code: int, bits: int, dtype: Any):
    memory = np.asarray([[1, 2, 4], [8, 16, 32]], dtype)
    made = MadeDlpackArray(host_address(memory), (3, 2), code, bits, strides=(1, 3), byte_offset=0)
    found = host(made)
    assert found.dtype == dtype
    assert found.astype(float).tolist() == memory.T.astype(float).tolist()
    found[0, 0] = 64
    assert float(memory[0, 0]) == 64


def test_byte_offset():
    memory = np.arange(8, dtype=np.float32)
    made = MadeDlpackArray(host_address(memory), (2,), 2, 32, byte_offset=12)
    assert host(made).tolist() == [3, 4]


def test_types_that_nobody_has():
    memory = np.zeros(8)
    with pytest.raises(ArrayError, match="its elements are dlpack99_8"):
        as_array(MadeDlpackArray(host_address(memory), (2,), 99, 8))
    with pytest.raises(ArrayError, match="groups of 2"):
        as_array(MadeDlpackArray(host_address(memory), (2,), 17, 4, lanes=2))


def test_arrays_that_are_not_handed_out():
    class Attached(DlpackArray):
        def __dlpack__(self, **arguments: Any) -> Any:
            raise BufferError("detach it first")

    with pytest.raises(ArrayError, match="does not hand it out: detach it first"):
        as_array(Attached(np.zeros(1)))


def test_other_devices():
    with pytest.raises(ArrayError, match="kind 8, which is no CUDA GPU"):
        as_array(MadeDlpackArray(0, (1,), 2, 32, device=(8, 0)))


@pytest.mark.parametrize(("stream", "announced"), [(0, 1), (0x5500, 0x5500)])
def test_device_memory_through_dlpack(stream: int, announced: int):
    made = MadeDlpackArray(0x7000, (4, 8), 4, 16, (2, 1), strides=(16, 1), byte_offset=32)
    found = device(made, stream)
    assert (found.pointer, found.shape, found.strides) == (0x7020, (4, 8), (16, 1))
    assert (found.dtype, found.itemsize, found.device) == ("bfloat16", 2, 1)
    assert made.streams == [announced]


def test_device_memory_through_the_cuda_array_interface():
    found = device(CudaArray(0x7000, (4, 8), "<f2", (32, 2), read_only=True, stream=2))
    assert (found.pointer, found.shape, found.strides) == (0x7000, (4, 8), (16, 1))
    assert (found.dtype, found.itemsize, found.device) == ("float16", 2, None)
    assert (found.writeable, found.stream) == (False, 2)
    assert device(CudaArray(0, (2, 0, 3), "|i1")).strides == row_major((2, 0, 3))


def test_span():
    assert span((3, 4), (4, 1)) == (0, 12)
    assert span((3, 4), (-4, 2)) == (-8, 7)
    assert span((3, 0), (1, 1)) == (0, 0)
    assert span((), ()) == (0, 1)


def test_span_bytes_and_owner():
    whole = np.zeros((4, 5), np.float32)
    part = whole[1:3, ::-2]
    start = host_address(whole)
    assert span_bytes(part) == (start + 5 * 4, start + 15 * 4)
    assert owner_start(part) == start
    assert element_strides(part) == (5, -2)


def test_strides_of_fields():
    records = np.zeros(3, [("x", "f4"), ("y", "i2")])
    with pytest.raises(ArrayError, match="no multiples of its element size"):
        element_strides(records["x"])


torch_types = ["float32", "float64", "float16", "bfloat16", "int8", "int64", "uint8", "bool"]


@pytest.mark.parametrize("name", [*torch_types, "float8_e4m3fn", "float8_e5m2"])
def test_tensors_of_pytorch(name: str):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensor = torch.ones(3, 4).to(getattr(torch, name)).T
    found = host(tensor)
    assert (found.dtype.name, found.shape) == (name, (4, 3))
    found[1, 2] = 0
    assert float(tensor[1, 2]) == 0
    with pytest.raises(ArrayError, match="detach"):
        as_array(torch.zeros(2, requires_grad=True))


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_arrays_of_jax(name: str):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    found = host(jax.numpy.ones((3, 4), name))
    assert (found.dtype.name, found.shape, found.flags.writeable) == (name, (3, 4), False)
