"""Accesses, the order of accesses, promises, control flow, and undefined behaviour of kernels."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.sugar import Launch, check_lowering, parse, states

from tileir_xdsl.interpreter import Kernel, UndefinedBehaviour

f32, i32 = np.float32, np.int32


def kernel(parameters: str, body: str, grid: str = "1") -> str:
    return f"tile_sugar.kernel @k({parameters}) grid({grid}) {{\n{body}\n  return\n}}\n"


def undefined(text: str, values: list[Any]) -> str:
    """The message of the undefined behaviour that a kernel runs into."""
    with pytest.raises(UndefinedBehaviour) as caught:
        Launch(text, values).original()
    return caught.value.diagnostics[0].message


# Slices.


@pytest.mark.parametrize("start", [0, 3, -1, -7, -8, 13, 20, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("width", [8, 7])
def test_every_start_is_defined(start: int, width: int) -> None:
    text = kernel(
        "%X: tensor<?xf32>, %Y: tensor<?xf32>, %s: i32",
        f"""  %x = load %X[%s] fill 7.0 : tensor<?xf32> -> tile<{width}xf32>
  store %x, %Y[0] : tile<{width}xf32>, tensor<?xf32>
  store %x, %X[%s] : tile<{width}xf32>, tensor<?xf32>""",
    )
    x = np.arange(16, dtype=f32)
    outcome = check_lowering(text, [x, np.zeros(width, f32), i32(start)])
    at = start + np.arange(width, dtype=np.int64)
    inside = (at >= 0) & (at < 16)
    assert (outcome.arrays[1] == np.where(inside, x[np.clip(at, 0, 15)], 7)).all()
    assert (outcome.arrays[0] == x).all()


def test_strided_tensor() -> None:
    text = kernel(
        "%X: tensor<?x?xf32, strides=[?, ?]>, %Y: tensor<5x3xf32>",
        """  %x = load %X[1, 0] : tensor<?x?xf32, strides=[?, ?]> -> tile<5x3xf32>
  store %x, %Y[0, 0] : tile<5x3xf32>, tensor<5x3xf32>""",
    )
    base = np.arange(24, dtype=f32).reshape(4, 6)
    outcome = check_lowering(text, [base.T, np.zeros((5, 3), f32)])
    assert (outcome.arrays[1] == base.T[1:, :3]).all()


def test_sub_tensors_of_a_batch() -> None:
    text = kernel(
        "%X: tensor<?x?x?xf32>, %Y: tensor<?x?xf32>",
        """  %b = block_id 0
  %m = extent %X, 1 : tensor<?x?x?xf32>
  %n = extent %X, 2 : tensor<?x?x?xf32>
  %mn = arith.muli %m, %n : i32
  %at = arith.muli %b, %mn : i32
  %M = make_tensor %X + %at extents(%m, %n) : tensor<?x?x?xf32>, i32 -> tensor<?x?xf32>
  %x = load %M[0, 0] : tensor<?x?xf32> -> tile<4x8xf32>
  %s = rowsum %x : tile<4x8xf32>
  %t = colsum %s : tile<4x1xf32>
  store %t, %Y[%b, 0] : tile<1x1xf32>, tensor<?x?xf32>""",
        "dim %X 0",
    )
    x = np.random.default_rng(0).integers(-9, 9, (3, 3, 5)).astype(f32)
    outcome = check_lowering(text, [x, np.zeros((3, 1), f32)])
    assert (outcome.arrays[1][:, 0] == x.sum((1, 2))).all()


@pytest.mark.parametrize("element", ["ui8", "f8E4M3FN", "bf16", "i1", "f64", "i16", "tf32"])
def test_memory_of_every_type(element: str) -> None:
    dtypes: dict[str, Any] = {
        "ui8": np.uint8, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "bf16": ml_dtypes.bfloat16,
        "i1": np.bool_, "f64": np.float64, "i16": np.int16, "tf32": np.float32,
    }  # fmt: skip
    text = kernel(
        f"%X: tensor<?x{element}>, %Y: tensor<?x{element}>",
        f"""  %x = load %X[1] : tensor<?x{element}> -> tile<17x{element}>
  store %x, %Y[0] : tile<17x{element}>, tensor<?x{element}>""",
    )
    x = (np.arange(16) % 3).astype(dtypes[element])
    outcome = check_lowering(text, [x, np.ones(20, dtypes[element])])
    expected = np.ones(20, dtypes[element])
    expected[:15], expected[15:17] = x[1:], 0
    assert (outcome.arrays[1] == expected).all()


# Indices by tiles.


def test_scatter_drops_what_is_outside() -> None:
    text = kernel(
        "%X: tensor<?x?xf32>, %I: tensor<7xi32>, %Y: tensor<7xf32>",
        """  %i = load %I[0] : tensor<7xi32> -> tile<7xi32>
  %y = load %Y[0] : tensor<7xf32> -> tile<7xf32>
  scatter %y, %X[%i, 1] : tile<7xf32>, tensor<?x?xf32>, tile<7xi32>, i32""",
    )
    text = (
        text.replace("%X[%i, 1]", "%X[%i, %one]")
        .replace("  scatter", "  %one = constant 1 : tile<7xi32>\n  scatter")
        .replace("tile<7xi32>, i32", "tile<7xi32>")
    )
    index = np.array([3, -1, 0, 99, 2, 5, -(2**31)], i32)
    y = np.arange(1, 8, dtype=f32)
    outcome = check_lowering(text, [np.zeros((6, 2), f32), index, y])
    expected = np.zeros((6, 2), f32)
    expected[[3, 0, 2, 5], 1] = [1, 3, 5, 6]
    assert (outcome.arrays[0] == expected).all()


def test_equal_indices_of_a_scatter_are_undefined() -> None:
    text = kernel(
        "%X: tensor<?xf32>",
        """  %i = constant 3 : tile<4xi32>
  %y = constant 1.0 : tile<4xf32>
  scatter %y, %X[%i] : tile<4xf32>, tensor<?xf32>, tile<4xi32>""",
    )
    assert "two lanes write the same element" in undefined(text, [np.zeros(8, f32)])


@pytest.mark.parametrize("mode", ["add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_atomics_answer_what_was_there(mode: str, dtype: Any) -> None:
    element = f"i{np.dtype(dtype).itemsize * 8}"
    text = kernel(
        f"%X: tensor<?x{element}>, %V: tensor<5x{element}>, %O: tensor<5x{element}>",
        f"""  %i = iota 0 : tile<5xi32>
  %one = constant 1 : i32
  %j = sub %i, %one : tile<5xi32>, i32
  %v = load %V[0] : tensor<5x{element}> -> tile<5x{element}>
  %o = atomic {mode} %v, %X[%j]
    : tile<5x{element}>, tensor<?x{element}>, tile<5xi32> -> tile<5x{element}>
  store %o, %O[0] : tile<5x{element}>, tensor<5x{element}>""",
    )
    x = np.array([5, -3, 7], dtype)
    v = np.array([1, 9, -6, 2, 4], dtype)
    outcome = check_lowering(text, [x, v, np.full(5, 77, dtype)])
    assert outcome.arrays[2].tolist() == [0, 5, -3, 7, 0]


@pytest.mark.parametrize("element", ["f32", "f16", "bf16", "f64"])
def test_a_tile_is_added_into_a_slice(element: str) -> None:
    dtype: Any = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": f32, "f64": np.float64}[
        element
    ]
    text = kernel(
        f"%X: tensor<?x{element}>",
        f"""  %v = constant 1.5 : tile<9x{element}>
  %b = block_id 0
  %c = arith.constant 3 : i32
  %k = arith.muli %b, %c : i32
  atomic add %v, %X[%k] : tile<9x{element}>, tensor<?x{element}>""",
        "4",
    )
    outcome = check_lowering(text, [np.zeros(12, dtype)])
    assert outcome.arrays[0].astype(np.float64).tolist() == [1.5] * 3 + [3.0] * 3 + [4.5] * 6


def test_compare_and_swap() -> None:
    text = kernel(
        "%X: tensor<?xi32>, %O: tensor<4xi32>",
        """  %i = iota 0 : tile<4xi32>
  %e = constant 5 : tile<4xi32>
  %v = constant 9 : tile<4xi32>
  %o = atomic cas acq_rel %e, %v, %X[%i]
    : tile<4xi32>, tile<4xi32>, tensor<?xi32>, tile<4xi32> -> tile<4xi32>
  store %o, %O[0] : tile<4xi32>, tensor<4xi32>""",
    )
    outcome = check_lowering(text, [np.array([5, 6, 5], i32), np.zeros(4, i32)])
    assert outcome.arrays[0].tolist() == [9, 6, 9]
    assert outcome.arrays[1].tolist() == [5, 6, 5, 0]


# Order.


def test_accesses_take_effect_in_program_order() -> None:
    text = kernel(
        "%X: tensor<?xf32>, %n: i32",
        """  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = constant 1.0 : f32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %next = arith.addi %k, %c1 : i32
    %x = load %X[%k] : tensor<?xf32> -> tile<5xf32>
    %y = add %x, %one : tile<5xf32>, f32
    store %y, %X[%next] : tile<5xf32>, tensor<?xf32>
    %odd = arith.andi %k, %c1 : i32
    %is = arith.cmpi eq, %odd, %c1 : i32
    scf.if %is {
      %z = load %X[%next] : tensor<?xf32> -> tile<3xf32>
      store %z, %X[0] : tile<3xf32>, tensor<?xf32>
    }
  }
  %l = load %X[0] : tensor<?xf32> -> tile<2xf32>
  store %l, %X[3] : tile<2xf32>, tensor<?xf32>""",
    )
    x = np.arange(12, dtype=f32)
    outcome = check_lowering(text, [x, i32(6)])
    expected = x.copy()
    for k in range(6):
        piece = np.zeros(5, f32)
        piece[: len(expected[k : k + 5])] = expected[k : k + 5]
        end = min(k + 6, 12)
        expected[k + 1 : end] = (piece + 1)[: end - k - 1]
        if k % 2:
            expected[:3] = expected[k + 1 : k + 4]
    expected[3:5] = expected[:2]
    assert (outcome.arrays[0] == expected).all()


def test_order_through_a_while_and_an_early_return() -> None:
    text = kernel(
        "%X: tensor<?xi32>, %n: i32",
        """  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.cmpi slt, %n, %c1 : i32
  scf.if %none {
    %m = constant -1 : tile<1xi32>
    store %m, %X[0] : tile<1xi32>, tensor<?xi32>
    return
  }
  %k = scf.while (%a = %c0) : (i32) -> i32 {
    %t = load %X[%a] : tensor<?xi32> -> tile<1xi32>
    %v = to_scalar %t : tile<1xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%a: i32):
    %seven = constant 7 : tile<1xi32>
    store %seven, %X[%a] : tile<1xi32>, tensor<?xi32>
    %next = arith.addi %a, %c1 : i32
    scf.yield %next : i32
  }
  %kt = splat %k : i32 -> tile<1xi32>
  store %kt, %X[0] : tile<1xi32>, tensor<?xi32>""",
    )
    x = np.array([0, 1, 2, 3, 9, 5], i32)
    assert check_lowering(text, [x, i32(4)]).arrays[0].tolist() == [4, 7, 7, 7, 9, 5]
    assert check_lowering(text, [x, i32(0)]).arrays[0].tolist() == [-1, 1, 2, 3, 9, 5]


def test_aliasing_parameters_are_ordered() -> None:
    text = kernel(
        "%X: tensor<8xf32> {may_alias}, %Y: tensor<8xf32> {may_alias}",
        """  %x = load %X[0] : tensor<8xf32> -> tile<8xf32>
  %y = neg %x : tile<8xf32>
  store %y, %Y[0] : tile<8xf32>, tensor<8xf32>
  %z = load %X[0] : tensor<8xf32> -> tile<8xf32>
  store %z, %Y[1] : tile<8xf32>, tensor<8xf32>""",
    )
    x = np.arange(8, dtype=f32)
    launch = Launch(text, [x, x])
    from support.sugar import states

    from tileir_xdsl.interpreter import Kernel

    results: list[Any] = []
    for _, module in states(text, "kernel.mlir"):
        shared = x.copy()
        Kernel(module).launch(launch.grid, [shared, shared])
        results.append(shared)
    expected = np.concatenate([[-0.0], -np.arange(7)]).astype(f32)
    assert all((result == expected).all() for result in results)


def test_prints_keep_their_order() -> None:
    text = kernel(
        "%n: i32",
        """  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  print "begin "
  scf.for %k = %c0 to %n step %c1 : i32 {
    print "%d ", %k : i32
  }
  %t = iota 0 : tile<3xi32>
  print "end %d", %t : tile<3xi32>""",
    )
    printed = check_lowering(text, [i32(3)]).printed
    assert printed.startswith("begin 0 1 2 end ")


# Promises.


@pytest.mark.parametrize(
    ("promises", "size", "message"),
    [
        ("multiple = [8]", 12, "no multiple of 8"),
        ("max = [8]", 12, "above 8"),
    ],
)
def test_promises_are_checked(promises: str, size: int, message: str) -> None:
    text = kernel(
        f"%X: tensor<?xf32> {{{promises}}}",
        """  %x = load %X[0] : tensor<?xf32> -> tile<4xf32>
  store %x, %X[0] : tile<4xf32>, tensor<?xf32>""",
    )
    assert message in undefined(text, [np.zeros(size, f32)])


def test_alignment_is_checked() -> None:
    text = kernel(
        "%X: tensor<?xf32>",
        """  %x = load %X[0] : tensor<?xf32> -> tile<4xf32>
  store %x, %X[0] : tile<4xf32>, tensor<?xf32>""",
    )
    (module,) = [module for name, module in states(text, "kernel.mlir") if name == "source"]
    with pytest.raises(UndefinedBehaviour, match="no multiple of 16"):
        Kernel(module).launch(1, [np.zeros(9, f32)[1:], 8])


def test_tensors_that_overlap_are_reported() -> None:
    text = kernel(
        "%X: tensor<?xf32>, %Y: tensor<?xf32>",
        """  %x = load %X[0] : tensor<?xf32> -> tile<4xf32>
  store %x, %Y[0] : tile<4xf32>, tensor<?xf32>""",
    )

    from tileir_xdsl.interpreter import Kernel

    shared = np.zeros(16, f32)
    with pytest.raises(UndefinedBehaviour, match="tensors 'X' and 'Y' overlap"):
        Kernel(parse(text)).launch(1, [shared, 16, shared[8:], 8])


def test_full_and_inside_are_checked() -> None:
    def text(words: str) -> str:
        return kernel(
            "%X: tensor<?xf32>, %s: i32",
            f"""  %x = load %X[%s] {words} : tensor<?xf32> -> tile<8xf32>
  store %x, %X[%s] : tile<8xf32>, tensor<?xf32>""",
        )

    x = np.zeros(16, f32)
    check_lowering(text("full"), [x, i32(8)])
    check_lowering(text("inside"), [x, i32(15)])
    assert "promises `full`" in undefined(text("full"), [x, i32(9)])
    assert "promises `inside`" in undefined(text("inside"), [x, i32(16)])


# Undefined behaviour.


@pytest.mark.parametrize(
    ("op", "x", "y", "message"),
    [
        ("div", 1, 0, "division by zero"),
        ("div", -(2**31), -1, "overflow"),
        ("rem", 1, 0, "division by zero"),
        ("shl", 1, 32, "shift"),
        ("shr", 1, -1, "shift"),
    ],
)
def test_undefined_arithmetic_is_reported(op: str, x: int, y: int, message: str) -> None:
    text = kernel(
        "%X: tensor<3xi32>, %Y: tensor<3xi32>",
        f"""  %x = load %X[0] : tensor<3xi32> -> tile<3xi32>
  %y = load %Y[0] : tensor<3xi32> -> tile<3xi32>
  %z = {op} %x, %y : tile<3xi32>
  store %z, %X[0] : tile<3xi32>, tensor<3xi32>""",
    )
    values = [np.full(3, x, i32), np.full(3, y, i32)]
    with pytest.raises(UndefinedBehaviour):
        Launch(text, values).original()
    assert message in undefined(text, values) or op in undefined(text, values)


def test_an_index_that_overflows_is_reported() -> None:
    text = kernel(
        "%X: tensor<?xf32>, %n: i32",
        """  %k = arith.muli %n, %n : i32
  %x = load %X[%k] : tensor<?xf32> -> tile<4xf32>
  store %x, %X[0] : tile<4xf32>, tensor<?xf32>""",
    )
    x = np.zeros(4, f32)
    check_lowering(text, [x, i32(1000)])
    assert "overflow" in undefined(text, [x, i32(2**20)])


def test_unchecked_conversions_are_reported() -> None:
    text = kernel(
        "%X: tensor<3xf32>, %Y: tensor<3xi32>",
        """  %x = load %X[0] : tensor<3xf32> -> tile<3xf32>
  %y = cast %x unchecked : tile<3xf32> -> tile<3xi32>
  store %y, %Y[0] : tile<3xi32>, tensor<3xi32>""",
    )
    check_lowering(text, [np.array([1.5, -2.5, 0], f32), np.zeros(3, i32)])
    with pytest.raises(UndefinedBehaviour):
        Launch(text, [np.array([1.5, np.nan, 0], f32), np.zeros(3, i32)]).original()


def test_assertions() -> None:
    text = kernel(
        "%X: tensor<?xi32>",
        """  %x = load %X[0] : tensor<?xi32> -> tile<5xi32>
  %n = constant 3 : i32
  %c = cmp lt %x, %n : tile<5xi32>, i32
  assert %c, "small" : tile<5xi1>""",
    )
    check_lowering(text, [np.arange(3, dtype=i32)])
    assert 'assertion failed: "small", in lane [3]' in undefined(text, [np.arange(5, dtype=i32)])


def test_scalar_arithmetic_and_functions() -> None:
    text = kernel(
        "%Y: tensor<12xf32>, %a: f32, %n: i32, %h: f16",
        """  %0 = math.exp %a : f32
  %1 = math.sqrt %0 : f32
  %2 = math.roundeven %a : f32
  %3 = arith.sitofp %n : i32 to f32
  %4 = arith.maxnumf %2, %3 : f32
  %5 = arith.extf %h : f16 to f32
  %6 = sigmoid %5 : f32
  %7 = add %n, %h : i32, f16
  %8 = cast %7 : f16 -> f32
  %9 = arith.ceildivsi %n, %n : i32
  %10 = arith.sitofp %9 : i32 to f32
  %c = arith.cmpf ogt, %a, %5 : f32
  %11 = arith.select %c, %a, %5 : f32
  %t0 = splat %1 : f32 -> tile<1xf32>
  %t1 = splat %4 : f32 -> tile<1xf32>
  %t2 = splat %6 : f32 -> tile<1xf32>
  %t3 = splat %8 : f32 -> tile<1xf32>
  %t4 = splat %10 : f32 -> tile<1xf32>
  %t5 = splat %11 : f32 -> tile<1xf32>
  store %t0, %Y[0] : tile<1xf32>, tensor<12xf32>
  store %t1, %Y[1] : tile<1xf32>, tensor<12xf32>
  store %t2, %Y[2] : tile<1xf32>, tensor<12xf32>
  store %t3, %Y[3] : tile<1xf32>, tensor<12xf32>
  store %t4, %Y[4] : tile<1xf32>, tensor<12xf32>
  store %t5, %Y[5] : tile<1xf32>, tensor<12xf32>""",
    )
    outcome = check_lowering(text, [np.zeros(12, f32), f32(2.5), i32(-7), np.float16(0.5)])
    found = outcome.arrays[0][:6]
    expected = [np.exp(1.25), 2.0, 1 / (1 + np.exp(-0.5)), -6.5, 1.0, 2.5]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_operations_of_cuda_tile_and_its_globals() -> None:
    text = """cuda_tile.module @tables {
  global @digits <i32: [3, 1, 4, 1]> : tile<4xi32>
}
""" + kernel(
        "%X: tensor<4xi32>",
        """  %p = cuda_tile.get_global @digits : tile<ptr<i32>>
  %r = cuda_tile.reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %b = cuda_tile.broadcast %r : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %i = iota 0 : tile<4xi32>
  %q = cuda_tile.offset %b, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %v, %t = cuda_tile.load_ptr_tko weak %q : tile<4xptr<i32>> -> tile<4xi32>, token
  %w = add %v, %i : tile<4xi32>
  store %w, %X[0] : tile<4xi32>, tensor<4xi32>""",
    )
    outcome = check_lowering(text, [np.zeros(4, i32)])
    assert outcome.arrays[0].tolist() == [3, 2, 6, 4]
