"""Ranges and divisibility against all values of 8-bit operands."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.ir import Operation

import tileir_xdsl
from tileir_xdsl.analysis.divisibility import trailing_zeros_of
from tileir_xdsl.analysis.ranges import is_never_zero, range_of
from tileir_xdsl.dialects.cuda_tile.core import ConstantOp
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.numerics import I8, I16, INTEGER_FORMATS, IntegerFormat
from tileir_xdsl.passes.canonicalization.evaluate import EVALUATORS, UNDEFINED

Array = npt.NDArray[Any]

CLAIMS = ("", " overflow<no_signed_wrap>", " overflow<no_unsigned_wrap>", " overflow<no_wrap>")
SIGNS = (" signed", " unsigned")
BINARY = [
    *(f"{op} %x, %y{claim}" for op in ("addi", "subi", "muli", "shli") for claim in CLAIMS),
    *(f"{op} %x, %y{sign}" for op in ("maxi", "mini", "shri", "remi") for sign in SIGNS),
    *(f"{op} %x, %y" for op in ("andi", "ori", "xori", "mulhii")),
    "divi %x, %y signed",
    "divi %x, %y unsigned",
    "divi %x, %y signed rounding<negative_inf>",
    "divi %x, %y signed rounding<positive_inf>",
    "divi %x, %y unsigned rounding<positive_inf>",
]
UNARY = [
    ("negi %x", I8),
    ("negi %x overflow<no_signed_wrap>", I8),
    ("absi %x", I8),
    ("exti %x signed", I16),
    ("exti %x unsigned", I16),
    *((f"trunci %x{claim}", INTEGER_FORMATS["i1"]) for claim in CLAIMS),
]
INTERVALS = [
    (0, 0),
    (1, 1),
    (-1, -1),
    (-128, 127),
    (-128, -128),
    (127, 127),
    (0, 127),
    (-128, -1),
    (-3, 5),
    (2, 7),
    (60, 70),
    (-70, -60),
    (1, 100),
    (-2, 0),
]


def _operation(text: str, to: IntegerFormat = I8, x: str = "", y: str = "") -> Operation:
    """The operation on two values that `x` and `y` say something about."""
    type = "tile<i8>" if to is I8 else f"tile<i8> -> tile<{to.name}>"
    lines = [
        f"%x = assume {x}, %a : tile<i8>" if "<" in x else f"%x = constant <i8: {x}> : tile<i8>",
        f"%y = assume {y}, %b : tile<i8>" if "<" in y else f"%y = constant <i8: {y}> : tile<i8>",
        f"%r = {text} : {type}",
    ]
    module = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @k(%a: tile<i8>, %b: tile<i8>) {\n"
        + "\n".join(lines)
        + "\nreturn } }"
    )
    operations = list(module.walk())
    return operations[-2]


def _results(op: Operation, operands: list[Array], to: IntegerFormat = I8) -> Array:
    """The bits of all results that are defined."""
    results = EVALUATORS[type(op)](op, operands, I8, to)
    undefined = UNDEFINED.get(type(op))
    if undefined is not None:
        results = results[~undefined(op, operands, I8, to)]
    return to.to_bits(results)


def _values(low: int, high: int) -> Array:
    return np.arange(low, high + 1).astype(np.int8)


def _pairs(x: Array, y: Array) -> list[Array]:
    first, second = np.meshgrid(x, y, indexing="ij")
    return [first.reshape(-1), second.reshape(-1)]


def _bounded(interval: tuple[int, int]) -> str:
    return f"bounded<{interval[0]}, {interval[1]}>"


@pytest.mark.parametrize("text", BINARY)
def test_range_of_binary_operation_holds_every_result(text: str) -> None:
    for first, second in itertools.product(INTERVALS, INTERVALS):
        op = _operation(text, x=_bounded(first), y=_bounded(second))
        results = _results(op, _pairs(_values(*first), _values(*second)))
        found = range_of(op.results[0])
        outside = [int(bits) for bits in results if not found.contains(int(bits))]
        assert not outside, f"{first}, {second}: {outside[0]} is outside {found}"


@pytest.mark.parametrize(("text", "to"), UNARY)
def test_range_of_unary_operation_holds_every_result(text: str, to: IntegerFormat) -> None:
    for interval in INTERVALS:
        op = _operation(text, to, _bounded(interval), "0")
        found = range_of(op.results[0])
        results = _results(op, [_values(*interval)], to)
        assert all(found.contains(int(bits)) for bits in results), f"{interval}: {found}"


@pytest.mark.parametrize("count", range(8))
@pytest.mark.parametrize("text", ["shli %x, %y", "shri %x, %y signed", "shri %x, %y unsigned"])
def test_range_of_shift_by_constant(text: str, count: int) -> None:
    for interval in INTERVALS:
        op = _operation(text, x=_bounded(interval), y=str(count))
        found = range_of(op.results[0])
        results = _results(op, _pairs(_values(*interval), _values(count, count)))
        assert all(found.contains(int(bits)) for bits in results), f"{interval}: {found}"


@pytest.mark.parametrize(
    ("text", "x", "y", "signed"),
    [
        ("addi %x, %y", (2, 7), (60, 70), (62, 77)),
        ("addi %x, %y", (60, 70), (127, 127), (-69, -59)),
        ("subi %x, %y", (2, 7), (1, 1), (1, 6)),
        ("muli %x, %y", (-3, 5), (2, 7), (-21, 35)),
        ("muli %x, %y", (60, 70), (2, 7), (-128, 127)),
        ("muli %x, %y overflow<no_signed_wrap>", (60, 70), (2, 7), (120, 127)),
        ("divi %x, %y signed", (-70, -60), (2, 7), (-35, -8)),
        ("remi %x, %y signed", (-70, -60), (2, 7), (-6, 0)),
        ("remi %x, %y unsigned", (0, 127), (2, 7), (0, 6)),
        ("andi %x, %y", (-128, 127), (0, 7), (0, 7)),
        ("maxi %x, %y signed", (-3, 5), (2, 7), (2, 7)),
        ("mini %x, %y signed", (-3, 5), (2, 7), (-3, 5)),
    ],
)
def test_range_is_tight(
    text: str, x: tuple[int, int], y: tuple[int, int], signed: tuple[int, int]
) -> None:
    op = _operation(text, x=_bounded(x), y=_bounded(y))
    assert range_of(op.results[0]).signed == signed


@pytest.mark.parametrize("text", BINARY)
def test_trailing_zeros_hold_for_every_result(text: str) -> None:
    everything = _values(-128, 127)
    for first, second in itertools.product(range(8), repeat=2):
        op = _operation(text, x=f"div_by<{1 << first}>", y=f"div_by<{1 << second}>")
        x, y = (everything[everything.astype(int) % (1 << k) == 0] for k in (first, second))
        _check_zeros(op, _pairs(x, y), I8)


@pytest.mark.parametrize("constant", [0, 1, 2, 3, 4, 7, 8, 12, 64, -128, -4])
@pytest.mark.parametrize("text", BINARY)
def test_trailing_zeros_with_constant(text: str, constant: int) -> None:
    everything = _values(-128, 127)
    for zeros in range(8):
        op = _operation(text, x=f"div_by<{1 << zeros}>", y=str(constant))
        x = everything[everything.astype(int) % (1 << zeros) == 0]
        _check_zeros(op, _pairs(x, np.array([constant], np.int8)), I8)


@pytest.mark.parametrize(("text", "to"), UNARY)
def test_trailing_zeros_of_unary_operation(text: str, to: IntegerFormat) -> None:
    everything = _values(-128, 127)
    for zeros in range(8):
        op = _operation(text, to, f"div_by<{1 << zeros}>", "0")
        x = everything[everything.astype(int) % (1 << zeros) == 0]
        _check_zeros(op, [x], to)


def _check_zeros(op: Operation, operands: list[Array], to: IntegerFormat) -> None:
    zeros = trailing_zeros_of(op.results[0])
    low_bits = (1 << zeros) - 1
    results = _results(op, operands, to)
    assert not any(int(bits) & low_bits for bits in results), f"{op}: 2^{zeros}"


def _entry(body: str) -> list[Operation]:
    module = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {\n"
        f"{body}\nreturn }} }}"
    )
    return list(module.walk())


def _last(body: str) -> Operation:
    return _entry(body)[-2]


def test_range_of_block_id_is_not_negative() -> None:
    op = _last("%x, %y, %z = get_tile_block_id : tile<i32>")
    assert range_of(op.results[0]).signed[0] == 0


def test_range_of_induction_variable() -> None:
    operations = _entry(
        "%a = constant <i32: 2> : tile<i32>\n%b = constant <i32: 9> : tile<i32>\n"
        "%s = constant <i32: 3> : tile<i32>\n"
        "for %i in (%a to %b, step %s) : tile<i32> { %u = addi %i, %i : tile<i32> }"
    )
    add = next(op for op in operations if op.name == "cuda_tile.addi")
    assert range_of(add.operands[0]).signed == (2, 8)
    assert range_of(add.results[0]).signed == (4, 16)


def test_range_of_induction_variable_whose_step_may_wrap() -> None:
    operations = _entry(
        "%a = constant <i8: 0> : tile<i8>\n%b = constant <i8: 120> : tile<i8>\n"
        "%s = constant <i8: 100> : tile<i8>\n"
        "for %i in (%a to %b, step %s) : tile<i8> { %u = addi %i, %i : tile<i8> }"
    )
    add = next(op for op in operations if op.name == "cuda_tile.addi")
    assert range_of(add.operands[0]).signed == (-128, 119)


def test_range_of_if_is_that_of_its_branches() -> None:
    op = _last(
        "%c = constant <i1: true> : tile<i1>\n"
        "%r = if %c -> (tile<i32>) { %a = constant <i32: 3> : tile<i32>\nyield %a : tile<i32> } "
        "else { %b = constant <i32: 8> : tile<i32>\nyield %b : tile<i32> }\n"
        "%s = addi %r, %r : tile<i32>"
    )
    assert range_of(op.operands[0]).signed == (3, 8)
    assert trailing_zeros_of(op.operands[0]) == 0


def test_carried_values_are_unknown() -> None:
    operations = _entry(
        "%a = constant <i32: 0> : tile<i32>\n%b = constant <i32: 9> : tile<i32>\n"
        "%s = constant <i32: 1> : tile<i32>\n"
        "%r = for %i in (%a to %b, step %s) : tile<i32> iter_values(%v = %a) -> (tile<i32>) { "
        "%u = addi %v, %s : tile<i32>\ncontinue %u : tile<i32> }"
    )
    add = next(op for op in operations if op.name == "cuda_tile.addi")
    assert range_of(add.operands[0]).signed == (-(1 << 31), (1 << 31) - 1)


def test_long_chain_is_followed_only_so_far() -> None:
    steps = "\n".join(f"%v{k + 1} = negi %v{k} : tile<i32>" for k in range(200))
    op = _last(f"%v0 = constant <i32: 8> : tile<i32>\n{steps}")
    assert range_of(op.results[0]).signed == (-(1 << 31), (1 << 31) - 1)
    assert trailing_zeros_of(op.results[0]) == 0
    assert trailing_zeros_of(op.results[0], depth=300) == 3


def test_pointer_divisibility_is_in_bytes() -> None:
    op = _last(
        "%a = assume div_by<16>, %p : tile<ptr<f32>>\n%m = assume div_by<2>, %n : tile<i32>\n"
        "%q = offset %a, %m : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>"
    )
    assert trailing_zeros_of(op.results[0]) == 3


def test_assumption_about_groups_says_nothing_about_single_elements() -> None:
    op = _last("%i = iota : tile<8xi32>\n%a = assume div_by<4, every 4 along 0>, %i : tile<8xi32>")
    assert isinstance(op, AssumeOp)
    assert trailing_zeros_of(op.results[0]) == 0


def test_never_zero() -> None:
    op = _last("%a = constant <i32: [1, 2, -1, 4]> : tile<4xi32>")
    assert isinstance(op, ConstantOp)
    assert is_never_zero(op.result)
    assert not is_never_zero(_last("%a = addi %n, %n : tile<i32>").results[0])
    assert is_never_zero(_last("%a = assume bounded<1, ?>, %n : tile<i32>").results[0])
