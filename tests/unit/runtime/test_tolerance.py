"""Estimated tolerances: none where results cannot differ, and near what a device may show else."""

from typing import Any

import numpy as np
import pytest
from support.examples import example

from tileir_xdsl.runtime.comparison import Tolerance
from tileir_xdsl.runtime.launch import Launch, prepare
from tileir_xdsl.runtime.tolerance import SAFETY, compared_parameters, estimate, is_inexact


def elementwise(body: str, element: str = "f32") -> str:
    """A kernel that computes `%r` of `%v`, 128 elements a block."""
    return f"""
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>) {{
    %lane = iota : tile<128xi32>
    %x1 = reshape %x : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %xs = broadcast %x1 : tile<1xptr<{element}>> -> tile<128xptr<{element}>>
    %xp = offset %xs, %lane : tile<128xptr<{element}>>, tile<128xi32> -> tile<128xptr<{element}>>
    %v, %t = load_ptr_tko weak %xp : tile<128xptr<{element}>> -> tile<128x{element}>, token
    {body}
    %y1 = reshape %y : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %ys = broadcast %y1 : tile<1xptr<{element}>> -> tile<128xptr<{element}>>
    %yp = offset %ys, %lane : tile<128xptr<{element}>>, tile<128xi32> -> tile<128xptr<{element}>>
    %u = store_ptr_tko weak %yp, %r : tile<128xptr<{element}>>, tile<128x{element}> -> token
    return
  }}
}}
"""


def launch_of(body: str, element: str = "f32", dtype: Any = np.float32) -> Launch:
    x = np.linspace(-3, 3, 128).astype(dtype)
    return prepare(elementwise(body, element), 1, [x, np.zeros(128, dtype)])


def bound(body: str, element: str = "f32", dtype: Any = np.float32) -> Tolerance:
    return estimate(launch_of(body, element, dtype))[1]


@pytest.mark.parametrize(
    "body",
    [
        "%r = addf %v, %v : tile<128xf32>",
        "%r = fma %v, %v, %v : tile<128xf32>",
        "%r = divf %v, %v : tile<128xf32>",
        "%r = maxf %v, %v : tile<128xf32>",
        "%a = absf %v : tile<128xf32> %r = sqrt %a : tile<128xf32>",
    ],
)
def test_correctly_rounded_operations_are_equal(body: str):
    assert bound(body) == Tolerance()


def test_an_approximate_operation_has_a_multiple_of_its_bound():
    tolerance = bound("%r = exp %v : tile<128xf32>")
    assert tolerance.atol == 0
    # exp is good to 2 ulps; the runs move it by up to that, most by 1 or 2.
    assert SAFETY <= tolerance.ulps <= SAFETY * 2


def test_a_rounding_mode_counts():
    assert bound("%r = divf %v, %v rounding<approx> : tile<128xf32>").ulps >= 1


def test_f16_results_of_f32_work_are_one_rounding_off():
    tolerance = bound("%r = exp %v : tile<128xf16>", "f16", np.float16)
    assert 1 <= tolerance.ulps <= SAFETY


def test_cancellation_gets_an_absolute_bound():
    tolerance = bound(
        """%e = exp %v : tile<128xf32> %f = exp %v : tile<128xf32>
        %d = subf %e, %f : tile<128xf32> %r = addf %d, %v : tile<128xf32>"""
    )
    # Near 0 the error of the two exponentials is all that there is of x.
    assert tolerance.ulps > 0
    assert 0 < tolerance.atol < 1e-4


def test_order_matters_to_sums_of_floats_only():
    reduce = """%s = reduce %v dim=0 identities=[IDENTITY : TYPE] : tile<128xTYPE> -> tile<TYPE>
    (%a: tile<TYPE>, %b: tile<TYPE>) { %c = OP %a, %b : tile<TYPE> yield %c : tile<TYPE> }
    %s1 = reshape %s : tile<TYPE> -> tile<1xTYPE>
    %r = broadcast %s1 : tile<1xTYPE> -> tile<128xTYPE>"""

    def body(op: str, type: str, identity: str) -> str:
        return reduce.replace("OP", op).replace("TYPE", type).replace("IDENTITY", identity)

    assert bound(body("maxf", "f32", "0xFF800000")) == Tolerance()
    assert bound(body("addi", "i32", "0"), "i32", np.int32) == Tolerance()
    assert bound(body("addf", "f32", "0.0")) != Tolerance()


def test_integers_are_equal_whatever_they_depend_on():
    body = """%f = itof %v signed : tile<128xi32> -> tile<128xf32> %e = exp %f : tile<128xf32>
    %r = ftoi %e signed : tile<128xf32> -> tile<128xi32>"""
    launch = launch_of(body, "i32", np.int32)
    assert is_inexact(launch.kernel.program)
    assert estimate(launch) == {1: Tolerance()}


def test_additions_by_blocks_come_in_any_order():
    text = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>) {
    %one = constant <f32: 0.1> : tile<f32>
    %old, %t = atomic_rmw_tko relaxed device %x, addf, %one
      : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}
"""
    launch = prepare(text, 64, [np.zeros(1, np.float32)])
    assert estimate(launch)[0].ulps >= 64


def test_estimating_changes_nothing():
    case = example("softmax")
    launch = prepare(case.path, case.grid, case.arguments)
    before = case.arguments["y"].copy()
    first, second = estimate(launch), estimate(launch)
    assert first == second
    assert np.array_equal(case.arguments["y"], before)
    assert compared_parameters(launch) == [1]


def test_empty_arrays():
    text = elementwise("%r = exp %v : tile<128xf32>")
    launch = prepare(text, 0, [np.zeros(0, np.float32), np.zeros(0, np.float32)])
    assert launch.blocks == 0
    assert estimate(launch)[1] == Tolerance()


@pytest.mark.parametrize("name", ["softmax", "matmul", "attention", "scan"])
def test_bounds_of_examples_are_tight_enough_to_find_errors(name: str):
    case = example(name)
    launch = prepare(case.path, case.grid, case.arguments)
    for position, tolerance in estimate(launch).items():
        expected = case.expected[launch.kernel.abi.names[position]]
        scale = float(np.abs(expected).max())
        precision = 2.0**-10 if name == "attention" else 2.0**-23
        assert tolerance.ulps * precision < 1e-2
        assert tolerance.atol < scale * 1e-3
