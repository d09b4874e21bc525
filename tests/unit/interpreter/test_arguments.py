"""Binding arguments, and arguments written as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.tile_programs import execute, module_of, printed, program

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.types import PtrType, bf16, f32, i1, i8, i32
from tileir_xdsl.interpreter import find_kernel, run
from tileir_xdsl.interpreter.initialisers import BadArgument, argument

ADD_ONE = """
%v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
%one = constant <i32: 1> : tile<i32>
%w = addi %v, %one : tile<i32>
%u = store_ptr_tko weak %p, %w token=%t : tile<ptr<i32>>, tile<i32> -> token
"""


def test_by_order_and_by_name():
    body = '%t = print_tko "%d %.1f", %a, %b : tile<i32>, tile<f32> -> token'
    assert printed("%a: tile<i32>, %b: tile<f32>", body, [1, 2.5]) == "1 2.5"
    text = program("%a: tile<i32>, %b: tile<f32>", body)
    run(module_of(text), args={"b": 2.5, "a": 1})


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([1], "takes 2 arguments"),
        ({"a": 1}, "no argument for parameter 'p'"),
        ({"a": 1, "q": 2}, "no parameter 'q'"),
        ([1.5, np.zeros(1, np.int32)], "'a' is an integer"),
        ([2**32, np.zeros(1, np.int32)], "4294967296 does not fit parameter 'a'"),
        (["x", np.zeros(1, np.int32)], "'a' is a number"),
        ([np.zeros(2), np.zeros(1, np.int32)], "'a' is a number"),
        ([1, [1, 2]], "needs a NumPy array, but got list"),
        ([1, np.zeros(1, np.float32)], "points to i32, but the array holds float32"),
        ([1, np.zeros(1, np.int64)], "points to i32, but the array holds int64"),
        ([1, np.zeros((4, 4), np.int32)[:, :2]], "has gaps between its elements"),
        ([1, np.zeros(4, np.dtype(">i4"))], "native"),
    ],
)
def test_wrong_arguments(args: Any, message: str):
    with pytest.raises(DiagnosticError) as caught:
        execute("%a: tile<i32>, %p: tile<ptr<i32>>", "", args)
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.range is not None


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, 2], [3, 4]], np.int32),
        np.array([[1, 2], [3, 4]], np.int32).T,
        np.array([1, 2], np.uint32),
        np.array(1, np.int32),
        np.array([1, 2], np.int32)[:1],
    ],
)
def test_arrays_are_changed_in_place(array: Any):
    first = array.reshape(-1, order="A")[0]
    execute("%p: tile<ptr<i32>>", ADD_ONE, [array])
    assert array.reshape(-1, order="A")[0] == first + 1


def test_read_only_arrays_can_be_read():
    array = np.zeros(1, np.int32)
    array.flags.writeable = False
    load = "%v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token"
    execute("%p: tile<ptr<i32>>", load, [array])
    with pytest.raises(DiagnosticError, match="read-only"):
        execute("%p: tile<ptr<i32>>", ADD_ONE, [array])


@pytest.mark.parametrize(
    ("element", "value", "shown"),
    [
        ("i8", 255, "-1"),
        ("i32", -(2**31), "-2147483648"),
        ("i1", True, "1"),
        ("i64", 2**64 - 1, "-1"),
        ("i32", np.int64(7), "7"),
    ],
)
def test_integers_are_signless(element: str, value: Any, shown: str):
    body = f'%t = print_tko "%d", %a : tile<{element}> -> token'
    assert printed(f"%a: tile<{element}>", body, [value]) == shown


def test_floats_are_rounded_to_the_parameter():
    body = '%t = print_tko "%.10f", %a : tile<f16> -> token'
    assert printed("%a: tile<f16>", body, [0.1]) == "0.0999755859"


def test_grids():
    for grid in (0, (1, -1), (1, 1, 1, 1), ()):
        with pytest.raises(ValueError, match="one to three positive numbers"):
            execute("", "", [], grid)
    assert execute("", "", [], 3).blocks == 3
    assert execute("", "", [], (2, 3)).grid == (2, 3, 1)


def test_choice_of_the_kernel():
    two = module_of("cuda_tile.module @m {\nentry @a() {\nreturn\n}\nentry @b() {\nreturn\n}\n}")
    assert run(two, "@b").kernel == "b"
    with pytest.raises(DiagnosticError, match=r"several entries \(@a, @b\)"):
        find_kernel(two, None)
    with pytest.raises(DiagnosticError, match="no entry @c; there is @a, @b"):
        find_kernel(two, "c")
    with pytest.raises(DiagnosticError, match="has no entry"):
        find_kernel(module_of("cuda_tile.module @m {\n}"), None)


def test_unknown_order():
    with pytest.raises(ValueError, match="order must be one of tree, sequential"):
        execute("", "", [], order="upside-down")


@pytest.mark.parametrize(
    ("text", "element", "expected"),
    [
        ("zeros:4", f32, np.zeros(4, np.float32)),
        ("ones:f32:2x3", f32, np.ones((2, 3), np.float32)),
        ("full:-2:3", i8, np.full(3, -2, np.int8)),
        ("full:0.1:f32:1", f32, np.array([0.1], np.float32)),
        ("iota:i32:2x2", i32, np.array([[0, 1], [2, 3]], np.int32)),
        ("full:18446744073709551615:i64:1", f32, np.array([-1], np.int64)),
        ("full:true:i1:2", i1, np.array([True, True])),
        ("iota:300", i8, np.arange(300).astype(np.int8)),
        ("ones:i1:2", i1, np.array([True, True])),
        ("zeros:0", f32, np.zeros(0, np.float32)),
    ],
)
def test_written_arrays(text: str, element: Any, expected: Any):
    array = argument(text, PtrType.get(element), np.random.default_rng(0))
    assert array.dtype == expected.dtype
    assert array.tolist() == expected.tolist()


def test_random_arrays_depend_on_the_generator_alone():
    first, second = (
        argument("random:f32:100", PtrType.get(f32), np.random.default_rng(7)) for _ in range(2)
    )
    assert first.tolist() == second.tolist()
    assert 0.5 < first.std() < 1.5
    narrow = argument("random:bf16:4", PtrType.get(bf16), np.random.default_rng(7))
    assert narrow.dtype.name == "bfloat16"
    whole = argument("random:50", PtrType.get(i32), np.random.default_rng(7))
    assert whole.min() >= 0
    assert whole.max() < 100


@pytest.mark.parametrize(
    ("text", "element", "expected"),
    [("42", i32, 42), ("0x10", i32, 16), ("-1", i8, -1), ("true", i1, True), ("1e-3", f32, 1e-3)],
)
def test_written_numbers(text: str, element: Any, expected: Any):
    assert argument(text, element, np.random.default_rng(0)) == expected


@pytest.mark.parametrize(
    ("text", "element", "message"),
    [
        ("x", i32, "'x' is not an integer"),
        ("1.5", i32, "not an integer"),
        ("x", f32, "'x' is not a number"),
        ("nonsense:4", PtrType.get(f32), "is no array"),
        ("zeros:f33:4", PtrType.get(f32), "'f33' in 'zeros:f33:4' is no element type"),
        ("zeros", PtrType.get(f32), "needs a shape"),
        ("full:1", PtrType.get(f32), "needs a shape, as in full:1.5:f32:4x1024"),
        ("full:300:i8:4", PtrType.get(i8), "300 does not fit i8"),
        ("zeros:99999999999999999", PtrType.get(f32), "does not fit into memory"),
        ("-129", i8, "-129 does not fit i8"),
        ("zeros:4xx", PtrType.get(f32), "is no shape"),
        ("absent.npy", PtrType.get(f32), "cannot read absent.npy: No such file"),
    ],
)
def test_texts_that_are_no_arguments(text: str, element: Any, message: str):
    with pytest.raises(BadArgument) as caught:
        argument(text, element, np.random.default_rng(0))
    assert message in str(caught.value)


def test_arrays_from_files(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.arange(3, dtype=np.float32))
    (tmp_path / "y.npy").write_text("no array")
    random = np.random.default_rng(0)
    loaded = argument(str(tmp_path / "x.npy"), PtrType.get(f32), random)
    assert loaded.tolist() == [0, 1, 2]
    with pytest.raises(BadArgument, match="is no array of numbers"):
        argument(str(tmp_path / "y.npy"), PtrType.get(f32), random)
    assert argument("null", PtrType.get(f32), random) is None
