"""Reductions and scans: the fixed order, the other orders, and the check that compares them."""

from __future__ import annotations

import io
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tile_programs import execute, printed

from tileir_xdsl.diagnostics import Severity
from tileir_xdsl.interpreter import ORDERS
from tileir_xdsl.interpreter.orders import (
    REDUCE_ORDERS,
    SCAN_ORDERS,
    Items,
    reduce_in_order,
    scan_in_order,
)


def strings(*values: str) -> Items:
    return [(np.array(values, object), None)]


def join(accumulators: Items, elements: Items) -> Items:
    """Makes the order visible: `(ab)`."""
    joined = np.frompyfunc(lambda a, b: f"({a}{b})", 2, 1)
    return [(np.asarray(joined(accumulators[0][0], elements[0][0])), None)]


@pytest.mark.parametrize(
    ("order", "text", "expected"),
    [
        ("tree", "abcd", "((ab)(cd))"),
        ("tree", "abcdef", "(((ab)(cd))(ef))"),
        ("tree", "abcdefg", "(((ab)(cd))((ef)g))"),
        ("tree", "a", "a"),
        ("sequential", "abcd", "(((ab)c)d)"),
        ("reversed", "abcd", "((dc)(ba))"),
        ("halves", "abcd", "((ac)(bd))"),
        ("halves", "abc", "((ac)b)"),
        ("identity-front", "abcd", "(((-a)(bc))d)"),
        ("identity-middle", "abcd", "(((ab)(-c))d)"),
    ],
)
def test_reduce_orders(order: str, text: str, expected: str):
    identity = np.asarray("-", object)
    ((values, _),) = reduce_in_order(order, strings(*text), 0, join, [identity], 0)
    assert values[()] == expected


def test_a_shuffled_order_depends_on_the_seed_alone():
    def shuffled(seed: int) -> str:
        ((values, _),) = reduce_in_order("shuffled", strings(*"abcdefgh"), 0, join, [], seed)
        return str(values[()])

    assert shuffled(1) == shuffled(1)
    assert len({shuffled(seed) for seed in range(5)}) > 1
    assert sorted(shuffled(1).strip("()").replace("(", "").replace(")", "")) == sorted("abcdefgh")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("sequential", ["a", "(ab)", "((ab)c)", "(((ab)c)d)"]),
        ("tree", ["a", "(ab)", "(a(bc))", "((ab)(cd))"]),
        ("identity-front", ["(-a)", "((-a)b)", "(((-a)b)c)", "((((-a)b)c)d)"]),
    ],
)
def test_scan_orders(order: str, expected: list[str]):
    identity = np.asarray("-", object)
    ((values, _),) = scan_in_order(order, strings(*"abcd"), 0, join, [identity])
    assert values.tolist() == expected


def test_every_order_is_known():
    assert set(SCAN_ORDERS) <= set(ORDERS) == set(REDUCE_ORDERS)


def fold(
    kind: str, element: str, extents: tuple[int, ...], dim: int, identity: str, region: str,
    reverse: bool = False,
) -> str:  # fmt: skip
    """A kernel that loads a tile, folds it and stores the result."""
    kept = [n for axis, n in enumerate(extents) if kind == "scan" or axis != dim]
    tile, result = (f"{'x'.join(map(str, shape))}x{element}" for shape in (extents, kept))
    dense: dict[str, tuple[list[int], list[int], str, str, str]] = {}
    for name, shape in (("in", extents), ("out", kept)):
        strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
        tensor = (
            f"tensor_view<{'x'.join(map(str, shape))}x{element}, "
            f"strides=[{','.join(map(str, strides))}]>"
        )
        view = f"partition_view<tile=({'x'.join(map(str, shape))}), {tensor}>"
        dense[name] = (list(shape), strides, tensor, view, ", ".join(["%zero"] * len(shape)))
    shape, strides, tensor, view, zeros = dense["in"]
    out_shape, out_strides, out_tensor, out_view, out_zeros = dense["out"]
    flag = f" reverse={str(reverse).lower()}" if kind == "scan" else ""
    return f"""
%zero = constant <i32: 0> : tile<i32>
%ti = make_tensor_view %p, shape = {shape}, strides = {strides} : {tensor}
%vi = make_partition_view %ti : {view}
%x, %t = load_view_tko weak %vi[{zeros}] : {view}, tile<i32> -> tile<{tile}>, token
%r = {kind} %x dim={dim}{flag} identities=[{identity} : {element}] : tile<{tile}> -> tile<{result}>
(%a: tile<{element}>, %e: tile<{element}>) {{
{region}
}}
%to = make_tensor_view %q, shape = {out_shape}, strides = {out_strides} : {out_tensor}
%vo = make_partition_view %to : {out_view}
%s = store_view_tko weak %r, %vo[{out_zeros}]
  : tile<{result}>, {out_view}, tile<i32> -> token
"""


def run_fold(kind: str, values: Any, element: str, dim: int, identity: str, region: str,
             reverse: bool = False, **options: Any) -> Any:  # fmt: skip
    shape = list(values.shape)
    if kind == "reduce":
        del shape[dim]
    result = np.zeros(shape, values.dtype)
    body = fold(kind, element, values.shape, dim, identity, region, reverse)
    parameters = f"%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>"
    report = execute(parameters, body, [values.copy(), result], **options)
    return (result, report) if options.get("check_order") else result


def tree(values: Any, axis: int) -> Any:
    """The sum in the specified order, by its recursive definition."""
    values = np.moveaxis(values, axis, 0)

    def total(part: Any) -> Any:
        if len(part) == 1:
            return part[0]
        middle = len(part) // 2
        return total(part[:middle]) + total(part[middle:])

    return total(values)


ADD = "%r0 = addf %a, %e : tile<{t}>\nyield %r0 : tile<{t}>"
ADD_TWICE = "%h = negf %e : tile<{t}>\n%r0 = subf %a, %h : tile<{t}>\nyield %r0 : tile<{t}>"


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("region", [ADD, ADD_TWICE], ids=["one-operation", "general"])
@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f16", np.float16)])
def test_sums_are_balanced_trees(axis: int, region: str, element: str, dtype: Any):
    values = np.random.default_rng(axis).standard_normal((4, 8, 16)).astype(dtype)
    result = run_fold("reduce", values, element, axis, "0.0", region.format(t=element))
    assert result.tobytes() == tree(values, axis).tobytes()


@settings(max_examples=25, deadline=None)
@given(data=st.data(), mode=st.sampled_from(["maxf", "minf", "maxf+nan", "minf+nan"]))
def test_fast_extrema_agree_with_the_region(data: Any, mode: str):
    """Infinities, NaN and both zeros included: the quick way is the general one."""
    special = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-45]
    values = np.array(
        data.draw(st.lists(st.sampled_from(special), min_size=16, max_size=16)), np.float32
    ).reshape(2, 8)
    name, _, nan = mode.partition("+")
    flag = " propagate_nan" if nan else ""
    line = f"%r0 = {name} %a, %e{flag} : tile<f32>\n"
    quick = run_fold("reduce", values, "f32", 1, "0.0", line + "yield %r0 : tile<f32>")
    slow = run_fold(
        "reduce", values, "f32", 1, "0.0",
        line + "%r1 = absf %r0 : tile<f32>\nyield %r0 : tile<f32>",
    )  # fmt: skip
    assert np.array_equal(quick, slow, equal_nan=True)
    assert np.array_equal(np.signbit(quick[quick == 0]), np.signbit(slow[slow == 0]))


def total(x: Any) -> Any:
    return x.sum(axis=0, dtype=np.int32)


def product(x: Any) -> Any:
    return x.prod(axis=0, dtype=np.int32)


def signed_max(x: Any) -> Any:
    return x.max(axis=0)


def unsigned_max(x: Any) -> Any:
    return x.view(np.uint32).max(axis=0).view(np.int32)


def unsigned_min(x: Any) -> Any:
    return x.view(np.uint32).min(axis=0).view(np.int32)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("addi %a, %e", total),
        ("muli %a, %e", product),
        ("andi %a, %e", np.bitwise_and.reduce),
        ("xori %a, %e", np.bitwise_xor.reduce),
        ("maxi %a, %e signed", signed_max),
        ("maxi %a, %e unsigned", unsigned_max),
        ("mini %a, %e unsigned", unsigned_min),
    ],
)
def test_integer_reductions(op: str, expected: Any):
    values = np.random.default_rng(0).integers(-(2**31), 2**31, (8, 4)).astype(np.int32)
    region = f"%r0 = {op} : tile<i32>\nyield %r0 : tile<i32>"
    result = run_fold("reduce", values, "i32", 0, "0", region)
    assert result.tolist() == expected(values).tolist()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("region", [ADD, ADD_TWICE], ids=["one-operation", "general"])
def test_scans_go_left_to_right(reverse: bool, region: str):
    values = np.random.default_rng(3).standard_normal((4, 8)).astype(np.float32)
    result = run_fold("scan", values, "f32", 1, "0.0", region.format(t="f32"), reverse)
    flipped = values[:, ::-1] if reverse else values
    expected = [list(flipped[:, 0])]
    for k in range(1, 8):
        expected.append([a + b for a, b in zip(expected[-1], flipped[:, k], strict=True)])
    total = np.array(expected, np.float32).T
    assert result.tolist() == (total[:, ::-1] if reverse else total).tolist()


def test_arguments_are_accumulator_and_element():
    first = run_fold("reduce", np.array([3, 5], np.int32).reshape(2, 1), "i32", 0, "0",
                     "yield %a : tile<i32>")  # fmt: skip
    second = run_fold("reduce", np.array([3, 5], np.int32).reshape(2, 1), "i32", 0, "0",
                      "yield %e : tile<i32>")  # fmt: skip
    assert first.tolist() == [3]
    assert second.tolist() == [5]


def test_a_region_that_branches_runs_lane_by_lane():
    region = """
%zero0 = constant <f32: 0.0> : tile<f32>
%c = cmpf less_than ordered %e, %zero0 : tile<f32> -> tile<i1>
%r0 = if %c -> (tile<f32>) {
  yield %a : tile<f32>
} else {
  %s0 = addf %a, %e : tile<f32>
  yield %s0 : tile<f32>
}
yield %r0 : tile<f32>
"""
    values = np.array([[1, -2, 3, -4], [5, 6, -7, 8]], np.float32)
    assert run_fold("reduce", values, "f32", 1, "0.0", region, order="sequential").tolist() == [
        4,
        19,
    ]


def findings(
    region: str, values: Any, identity: str, kind: str = "reduce"
) -> list[tuple[str, Any]]:
    _, report = run_fold(
        kind, np.asarray(values, np.float32).reshape(1, -1), "f32", 1, identity,
        region.format(t="f32"), check_order=True,
    )  # fmt: skip
    return [(finding.code or "", finding.severity) for finding in report.findings]


MAX = "%r0 = maxf %a, %e : tile<f32>\nyield %r0 : tile<f32>"
SUB = "%r0 = subf %a, %e : tile<f32>\nyield %r0 : tile<f32>"


@pytest.mark.parametrize(
    ("region", "values", "identity", "expected"),
    [
        (MAX, [1, 2, 3, 4], "0xFF800000", []),
        (ADD, [1, 2, 3, 4], "0.0", []),
        (ADD, [1e8, 1, -1e8, 1], "0.0", [("fold-order", Severity.REMARK)]),
        (SUB, [1, 2, 3, 4], "0.0", [("fold-identity", Severity.WARNING),
                                    ("fold-order", Severity.WARNING)]),
        (MAX, [-1, -2, -3, -4], "0.0", [("fold-identity", Severity.WARNING)]),
        (ADD, [1, 2, 3, 4], "1.0", [("fold-identity", Severity.WARNING)]),
        (ADD, [-0.0, 1, 2, 3], "0.0", [("fold-identity", Severity.REMARK)]),
        (ADD, [-0.0, 1, 2, 3], "-0.0", []),
    ],
)  # fmt: skip
def test_check_order(region: str, values: list[float], identity: str, expected: Any):
    assert findings(region, values, identity) == expected


def test_an_order_in_which_the_region_is_undefined():
    """The sum of all fits i8, sums of a part do not."""
    values = np.array([[100, -100, 100, -100]], np.int8)
    region = "%r0 = addi %a, %e overflow<no_signed_wrap> : tile<i8>\nyield %r0 : tile<i8>"
    result, report = run_fold("reduce", values, "i8", 1, "0", region, check_order=True)
    assert result.tolist() == [0]
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert "the region is undefined in order halves" in finding.message
    assert "lhs = 100, rhs = 100" in finding.message


def test_check_order_of_scans():
    assert findings(ADD, [1, 2, 3, 4], "0.0", "scan") == []
    assert ("fold-order", Severity.WARNING) in findings(SUB, [1, 2, 3, 4], "0.0", "scan")


def test_two_operands_are_reduced_together():
    """argmax: the smaller index on a tie."""
    body = """
%x = constant <f32: [[1.0, 7.0, 7.0, 2.0], [4.0, 3.0, 2.0, 1.0]]> : tile<2x4xf32>
%i = iota : tile<4xi32>
%i1 = reshape %i : tile<4xi32> -> tile<1x4xi32>
%ib = broadcast %i1 : tile<1x4xi32> -> tile<2x4xi32>
%r:2 = reduce %x, %ib dim=1 identities=[0xFF800000 : f32, 0 : i32]
  : tile<2x4xf32>, tile<2x4xi32> -> tile<2xf32>, tile<2xi32>
(%a: tile<f32>, %e: tile<f32>, %ai: tile<i32>, %ei: tile<i32>) {
  %c = cmpf greater_than_or_equal ordered %a, %e : tile<f32> -> tile<i1>
  %v = select %c, %a, %e : tile<i1>, tile<f32>
  %k = select %c, %ai, %ei : tile<i1>, tile<i32>
  yield %v, %k : tile<f32>, tile<i32>
}
%print = print_tko "%.0f %d", %r#0, %r#1 : tile<2xf32>, tile<2xi32> -> token
"""
    assert printed("", body) == "[7, 4] [1, 0]"


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_sums_integers_alike(order: str):
    values = np.arange(32, dtype=np.int32).reshape(4, 8)
    region = "%r0 = addi %a, %e : tile<i32>\nyield %r0 : tile<i32>"
    reduced = run_fold("reduce", values, "i32", 1, "0", region, order=order)
    assert reduced.tolist() == values.sum(axis=1).tolist()
    scanned = run_fold("scan", values, "i32", 1, "0", region, order=order)
    assert scanned.tolist() == values.cumsum(axis=1).tolist()


def test_undefined_lanes_of_a_region_are_named():
    region = "%r0 = divi %a, %e signed : tile<i32>\nyield %r0 : tile<i32>"
    out = io.StringIO()
    with pytest.raises(Exception, match="division by zero"):
        run_fold("reduce", np.array([[8, 2], [1, 0]], np.int32), "i32", 1, "1", region, out=out)


def test_prefixes_of_items_that_are_equal_along_other_axes():
    """The combination has all elements of an axis along which an operand had only one."""
    ones, rows = np.ones((4, 1)), np.arange(8.0).reshape(4, 2)

    def combine(first: Items, second: Items) -> Items:
        (a, _), (b, _), (c, _), (d, _) = *first, *second
        return [(a + c + 0 * (b + d), None), (b + d, None)]

    expected = scan_in_order("sequential", [(ones, None), (rows, None)], 0, combine, [])
    found = scan_in_order("tree", [(ones, None), (rows, None)], 0, combine, [])
    for (first, _), (second, _) in zip(expected, found, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("columns", [4, 32])
@pytest.mark.parametrize(("operation", "expected"), [("minf", [-1, 2, 0]), ("maxf", [3, 2, 0])])
def test_a_signaling_nan_loses_to_every_number(operation: str, expected: Any, columns: int):
    # NumPy's own reduction answers NaN for it in some positions, which then loses to the next.
    x = np.full((4, columns), 0x7F800001, np.uint32).view(np.float32)
    x[0, 0], x[0, -1], x[1, 1], x[2, 2] = -1, 3, 2, 0
    y = np.ones(4, np.float32)
    tile, number = f"tile<{4 * columns}x", 4 * columns
    body = f"""
      %i = iota : {tile}i32>
      %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
      %pn = broadcast %p1 : tile<1xptr<f32>> -> {tile}ptr<f32>>
      %at = offset %pn, %i : {tile}ptr<f32>>, tile<{number}xi32> -> {tile}ptr<f32>>
      %v, %t = load_ptr_tko weak %at : {tile}ptr<f32>> -> {tile}f32>, token
      %x = reshape %v : {tile}f32> -> tile<4x{columns}xf32>
      %r = reduce %x dim=1 identities=[0x7FC00000 : f32] : tile<4x{columns}xf32> -> tile<4xf32>
          (%a: tile<f32>, %b: tile<f32>) {{
        %c = {operation} %a, %b : tile<f32>
        yield %c : tile<f32>
      }}
      %j = iota : tile<4xi32>
      %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
      %q4 = broadcast %q1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
      %to = offset %q4, %j : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
      %s = store_ptr_tko weak %to, %r : tile<4xptr<f32>>, tile<4xf32> -> token
    """
    execute("%p: tile<ptr<f32>>, %q: tile<ptr<f32>>", body, [x.reshape(-1), y])
    assert y[:3].tolist() == expected
    assert np.isnan(y[3])
