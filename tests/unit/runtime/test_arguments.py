"""Arguments: every kind of parameter packed byte for byte, and every rule with its message."""

import struct
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.foreign_arrays import CudaArray, DlpackArray

from tileir_xdsl.diagnostics import DiagnosticError, Place
from tileir_xdsl.numerics.formats import FORMATS
from tileir_xdsl.runtime.abi import Abi, Parameter
from tileir_xdsl.runtime.arguments import bind

MATRIX = Parameter(
    "A", "tensor", "f32", shape=(None, 128), strides=(None, 1), align=16, may_alias=False
)
DENSE = replace(MATRIX, name="B", strides=None)
POINTER = Parameter("p", "pointer", "f32")
COUNT = Parameter("n", "scalar", "i32")


def abi_of(*parameters: Parameter) -> Abi:
    return Abi("kernel", parameters, Place.file("kernel.mlir"))


def message(parameter: Parameter, value: Any) -> str:
    with pytest.raises(DiagnosticError) as raised:
        bind(abi_of(parameter), [value])
    (diagnostic,) = raised.value.diagnostics
    assert f"'{parameter.name}'" in diagnostic.message
    assert diagnostic.path == "kernel.mlir"
    return diagnostic.message


# --- packing


@pytest.mark.parametrize(
    ("element", "value", "packed"),
    [
        ("i1", True, "01"),
        ("i1", np.bool_(False), "00"),
        ("i4", -1, "0f"),
        ("i8", -2, "fe"),
        ("i8", 254, "fe"),
        ("ui8", 255, "ff"),
        ("i16", -2, "feff"),
        ("ui16", 65535, "ffff"),
        ("i32", 7, "07000000"),
        ("i32", np.int64(-1), "ffffffff"),
        ("i32", 8.0, "08000000"),
        ("ui32", 2**32 - 1, "ffffffff"),
        ("i64", -(2**63), "0000000000000080"),
        ("i64", 2**64 - 1, "ffffffffffffffff"),
        ("f16", 1.5, "003e"),
        ("f16", 1, "003c"),
        ("bf16", 1.5, "c03f"),
        ("bf16", ml_dtypes.bfloat16(-2), "00c0"),
        ("f32", 0.1, "cdcccc3d"),
        ("f32", float("-inf"), "000080ff"),
        ("f32", np.float64(1 + 2.0**-24), "0000803f"),
        ("tf32", 1 + 2.0**-10, "0020803f"),
        ("tf32", np.float32(1 + 2.0**-20), "0000803f"),
        ("f64", 0.1, "9a9999999999b93f"),
        ("f8E4M3FN", 1.0, "38"),
        ("f8E4M3FN", 1e6, "7e"),
        ("f8E5M2", -2.0, "c0"),
        ("f8E8M0FNU", 2.0, "80"),
        ("f4E2M1FN", -6.0, "0f"),
        ("fnv8E5M3FNU", 1.0, "78"),
    ],
)
def test_scalars(element: str, value: Any, packed: str):
    abi = abi_of(Parameter("v", "scalar", element))
    assert bind(abi, [value]).pack({}).hex() == packed
    assert abi.size == len(packed) // 2


def test_a_scalar_of_rank_0():
    abi = abi_of(COUNT)
    assert bind(abi, [np.asarray(3, np.int16)]).pack({}) == struct.pack("<i", 3)
    assert bind(abi, [DlpackArray(np.asarray(3, np.int16))]).pack({}) == struct.pack("<i", 3)


def test_a_tensor_is_pointer_extents_strides():
    wide = np.zeros((5, 256), np.float32)
    arguments = bind(abi_of(MATRIX, COUNT), [wide[:, :128], 9])
    assert arguments.pack({0: 0x7F00_1234_5600}) == struct.pack(
        "<Qiii", 0x7F00_1234_5600, 5, 256, 9
    )


def test_static_extents_and_strides_take_no_slots():
    static = replace(MATRIX, shape=(4, 128), strides=(128, 1))
    arguments = bind(abi_of(static, static), [np.zeros((4, 128), np.float32) for _ in range(2)])
    assert arguments.pack({0: 256, 1: 512}) == struct.pack("<QQ", 256, 512)


def test_slots_are_aligned():
    abi = abi_of(Parameter("a", "scalar", "i8"), MATRIX, Parameter("b", "scalar", "f16"), POINTER)
    array = np.zeros((3, 128), np.float32)
    packed = bind(abi, [1, array, 1.0, None]).pack({1: 0x1000})
    assert packed == struct.pack("<B7xQiiH6xQ", 1, 0x1000, 3, 128, 0x3C00, 0)


def test_all_extents_and_strides_at_runtime():
    tensor = replace(MATRIX, shape=(None, None, None), strides=(None, None, None))
    array = np.zeros((2, 3, 4), np.float32).transpose(2, 0, 1)
    assert bind(abi_of(tensor), [array]).pack({0: 64}) == struct.pack("<Q6i", 64, 4, 2, 3, 1, 12, 4)


@pytest.mark.parametrize("shape", [(0, 128), (0, 0), (3, 0)])
def test_a_tensor_without_elements(shape: tuple[int, int]):
    tensor = replace(MATRIX, shape=(None, None), strides=(None, None))
    array = np.zeros((8, 256), np.float32)[: shape[0], : shape[1]]
    arguments = bind(abi_of(tensor), [array])
    strides = max(shape[1], 1), 1
    assert arguments.pack({0: 0}) == struct.pack("<Q4i", 0, *shape, *strides)
    assert arguments.regions[0].memory.size == arguments.regions[0].lead


def test_strides_of_single_rows_do_not_matter():
    tensor = replace(MATRIX, stride_multiple=(16, None))
    array = np.lib.stride_tricks.as_strided(np.zeros(128, np.float32), (1, 128), (0, 4))
    assert bind(abi_of(tensor), [array]).pack({0: 0}) == struct.pack("<Qii", 0, 1, 128)
    narrow = replace(MATRIX, shape=(None, None), strides=(None, None), stride_multiple=(16, None))
    column = np.zeros((1, 5), np.float32)
    assert bind(abi_of(narrow), [column]).pack({0: 0}) == struct.pack("<Q4i", 0, 1, 5, 16, 1)


def test_arguments_by_name():
    abi = abi_of(POINTER, COUNT)
    array = np.zeros(4, np.float32)
    by_name = bind(abi, {"n": 4, "p": array})
    assert by_name.pack({0: 8}) == bind(abi, [array, 4]).pack({0: 8})
    assert list(by_name.named()) == ["p", "n"]


def test_device_arrays_bring_their_addresses():
    array = CudaArray(0x7F00_0000_0100, (3, 128), "<f4", strides=(1024, 4))
    arguments = bind(abi_of(MATRIX), [array])
    assert arguments.regions == ()
    assert arguments.pack(arguments.addresses([])) == struct.pack("<Qii", 0x7F00_0000_0100, 3, 256)


# --- where host arrays lie


def test_overlapping_arrays_share_a_region():
    whole = np.arange(64, dtype=np.float32)
    other = np.zeros(4, np.float32)
    abi = abi_of(POINTER, replace(POINTER, name="q"), replace(POINTER, name="r"))
    arguments = bind(abi, [whole[:40], other, whole[30:]])
    shared = arguments.offsets[0][0]
    assert arguments.offsets[2] == (shared, arguments.offsets[0][1] + 30 * 4)
    assert arguments.offsets[1][0] != shared
    region = arguments.regions[shared]
    assert region.parameters == (0, 2)
    assert region.memory[region.lead :].view(np.float32).tolist() == whole.tolist()


def test_a_copy_keeps_overlap_and_contents():
    whole = np.arange(64, dtype=np.float32)
    abi = abi_of(POINTER, replace(POINTER, name="q"))
    copy = bind(abi, [whole[:40], whole[30:]]).copied()
    first, second = copy.values
    assert first.tolist() == whole[:40].tolist()
    first[35] = -1
    assert second[5] == -1
    assert whole[35] == 35


def test_the_place_in_an_allocation_is_kept():
    whole = np.zeros(256, np.float32)
    arguments = bind(abi_of(POINTER), [whole[65:]])
    assert arguments.regions[0].lead == 4
    assert arguments.addresses([0x1000]) == {0: 0x1004}


def test_flat_memory_of_an_array_with_gaps():
    array = np.arange(20, dtype=np.float32).reshape(4, 5)[:, 1:3]
    flat = bind(abi_of(POINTER), [array]).flat(0)
    assert flat.tolist() == list(range(1, 18))
    flat[5] = -1
    assert array[1, 0] == -1


def test_four_bit_elements_are_packed():
    pointer = Parameter("x", "pointer", "f4E2M1FN")
    array = np.asarray([0.5, 1, -6], ml_dtypes.float4_e2m1fn)
    arguments = bind(abi_of(pointer), [array])
    assert arguments.flat(0).tolist() == [0x21, 0x0F]
    arguments.flat(0)[0] = 0x12
    for step in arguments.copy_back:
        step()
    assert array.astype(float).tolist() == [1, 0.5, -6]


def test_packed_bytes_count_twice():
    tensor = Parameter("x", "tensor", "f4E2M1FN", shape=(None, None), strides=(None, 1))
    arguments = bind(abi_of(tensor), [np.zeros((3, 8), np.uint8)])
    assert arguments.pack({0: 0}) == struct.pack("<Q3i", 0, 3, 16, 16)


# --- element types


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"i4"}))
def test_arrays_of_every_format(name: str):
    fmt = FORMATS[name]
    bind(abi_of(Parameter("x", "pointer", name)), [np.zeros(4, fmt.dtype)])


def test_raw_bits_for_what_numpy_lacks():
    bind(abi_of(Parameter("x", "pointer", "bf16")), [np.zeros(4, np.uint16)])
    bind(abi_of(Parameter("x", "pointer", "bf16")), [CudaArray(256, (4,), "|V2")])
    assert "holds uint32" in message(POINTER, np.zeros(4, np.uint32))
    assert "holds float16" in message(Parameter("x", "pointer", "bf16"), np.zeros(4, np.float16))


def test_integers_are_signless_but_unsigned_ones_are_not():
    bind(abi_of(Parameter("x", "pointer", "i16")), [np.zeros(4, np.uint16)])
    bind(abi_of(Parameter("x", "tensor", "ui8", shape=(None,))), [np.zeros(4, np.uint8)])
    unsigned = Parameter("x", "tensor", "ui8", shape=(None,))
    assert "holds int8" in message(unsigned, np.zeros(4, np.int8))


def test_wrong_elements():
    with pytest.raises(DiagnosticError) as raised:
        bind(abi_of(MATRIX), [np.zeros((2, 128))])
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == "argument 'A' (tensor<?x128xf32>): the array holds float64"
    assert diagnostic.fix == "pass an array of float32"


# --- rules


def test_wrong_sets():
    abi = abi_of(POINTER, COUNT)
    array = np.zeros(1, np.float32)
    takes = "@kernel takes p: ptr<f32>, n: i32"
    with pytest.raises(DiagnosticError, match=f"1 arguments for 2 parameters; {takes}"):
        bind(abi, [array])
    with pytest.raises(DiagnosticError, match=f"no parameter is called 'm'; {takes}"):
        bind(abi, {"p": array, "m": 1})
    with pytest.raises(DiagnosticError, match=f"no argument for parameter 'n'; {takes}"):
        bind(abi, {"p": array})


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        (POINTER, 3, "it takes an array, not int"),
        (MATRIX, None, "it takes an array, not NoneType"),
        (COUNT, "3", "it takes a number, not str"),
        (COUNT, None, "it takes a number, not NoneType"),
        (COUNT, np.zeros(1, np.int32), "it takes a number, not ndarray"),
        (COUNT, CudaArray(256, (), "<i4"), "it takes a number, not CudaArray"),
        (COUNT, 1.5, "it takes an integer, not 1.5"),
        (COUNT, float("nan"), "it takes an integer, not nan"),
        (COUNT, 2**32, "4294967296 does not fit i32"),
        (COUNT, -(2**31) - 1, "-2147483649 does not fit i32"),
        (Parameter("v", "scalar", "ui8"), -1, "-1 does not fit ui8"),
        (Parameter("v", "scalar", "i1"), 2, "2 does not fit i1"),
        (replace(COUNT, multiple=(8,)), 12, "value is 12, no multiple of 8"),
        (replace(COUNT, max=(100,)), 101, "value is 101, above the maximum 100"),
        (replace(COUNT, min=(1,)), 0, "value 0 is below the minimum 1"),
        (MATRIX, np.zeros(128, np.float32), "the array has rank 1, not 2"),
        (MATRIX, np.zeros((4, 64), np.float32), "extent 1 is 64, not 128"),
        (
            replace(MATRIX, multiple=(8, None)),
            np.zeros((12, 128), np.float32),
            "extent 0 is 12, no",
        ),
        (replace(MATRIX, max=(8, None)), np.zeros((9, 128), np.float32), "extent 0 is 9, above"),
        (MATRIX, np.zeros((4, 256), np.float32)[:, ::2], "stride 1 is 2, not 1"),
        (MATRIX, np.zeros((4, 128), np.float32)[::-1], "stride 0 is -128, not from 1 to"),
        (MATRIX, np.broadcast_to(np.zeros(128, np.float32), (4, 128)), "stride 0 is 0, not from 1"),
        (DENSE, np.zeros((4, 256), np.float32)[:, :128], "stride 0 is 256, but a dense tensor has"),
        (
            replace(MATRIX, stride_multiple=(16, None)),
            np.zeros((4, 130), np.float32)[:, :128],
            "stride 0 is 130, no multiple of 16",
        ),
        (MATRIX, np.zeros(4 * 128 + 1, np.float32)[1:].reshape(4, 128), "its start, 4 bytes into"),
        (replace(POINTER, align=32), CudaArray(0x110, (4,), "<f4"), "its address 0x110 is no mult"),
        (POINTER, np.zeros(8, np.float32)[::-1], "strides (-1,) go backwards"),
        (POINTER, np.zeros(4, ">f4"), "in foreign order"),
        (POINTER, np.zeros(17, np.uint8)[1:].view(np.float32), "no multiples of 4"),
        (
            replace(MATRIX, shape=(None,), strides=(1,)),
            CudaArray(256, (2**31,), "<f4"),
            "extent 0 is 2147483648, more than an i32 holds",
        ),
    ],
)
def test_rules(parameter: Parameter, value: Any, expected: str):
    assert expected in message(parameter, value)


def test_promises_that_hold():
    tensor = replace(
        MATRIX, align=128, multiple=(8, None), stride_multiple=(16, None), max=(64, None)
    )
    array = np.zeros((16, 144), np.float32)[:, :128]
    bind(abi_of(tensor, replace(COUNT, multiple=(4,), max=(8,), min=(8,))), [array, 8])


def test_tensors_must_not_overlap():
    array = np.zeros((9, 128), np.float32)
    other = replace(MATRIX, name="C")
    with pytest.raises(DiagnosticError, match="memory of arguments 'A' and 'C' overlaps"):
        bind(abi_of(MATRIX, other), [array[:5], array[4:]])
    bind(abi_of(MATRIX, other), [array[:4], array[4:8]])
    bind(abi_of(MATRIX, other), [array[:0], array])
    both = abi_of(replace(MATRIX, may_alias=True), replace(other, may_alias=True))
    bind(both, [array, array])
    one = abi_of(replace(MATRIX, may_alias=True), other)
    with pytest.raises(DiagnosticError, match="overlaps"):
        bind(one, [array, array])


def test_overlap_behind_an_array_in_between():
    array = np.zeros((64, 128), np.float32)
    abi = abi_of(*(replace(MATRIX, name=name) for name in "XYZ"))
    with pytest.raises(DiagnosticError, match="'X' and 'Y'"):
        bind(abi, [array, array[2:4], array[60:]])
    allowed = replace(MATRIX, may_alias=True)
    abi = abi_of(replace(allowed, name="X"), replace(allowed, name="Y"), replace(MATRIX, name="Z"))
    with pytest.raises(DiagnosticError, match="'X' and 'Z'"):
        bind(abi, [array, array[2:4], array[60:]])


def test_device_arrays_must_not_overlap():
    first = CudaArray(0x1000, (4, 128), "<f4")
    second = CudaArray(0x1000 + 3 * 512, (4, 128), "<f4")
    with pytest.raises(DiagnosticError, match="overlaps"):
        bind(abi_of(MATRIX, replace(MATRIX, name="C")), [first, second])


def test_read_only_arrays():
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    arguments = bind(abi_of(POINTER, COUNT), [array, 1])
    arguments.check_written(None)
    arguments.check_written(frozenset({1}))
    with pytest.raises(DiagnosticError, match="'p' is a read-only array, but @kernel writes it"):
        arguments.check_written(frozenset({0}))
