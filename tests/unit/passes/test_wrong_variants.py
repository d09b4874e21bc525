"""Deliberately wrong rewrites: the checks that the right ones pass must catch each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.pattern_check import Rewrite, difference
from support.rewrite_cases import CASES, bodies, const, scalar
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.analysis.constants import is_zero
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    AddFOp,
    AddIOp,
    DivFOp,
    FmaOp,
    MaxFOp,
    MulFOp,
    SubFOp,
    SubIOp,
)
from tileir_xdsl.dialects.cuda_tile.attributes import BoundedAttr
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp
from tileir_xdsl.dialects.cuda_tile.conversions import ExtIOp, FToFOp
from tileir_xdsl.dialects.cuda_tile.memory import JoinTokensOp
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.interpreter.undefined import UndefinedBehaviour
from tileir_xdsl.passes import licm
from tileir_xdsl.passes.canonicalization.build import constant_like
from tileir_xdsl.passes.patterns import Match, Pattern, rewrite_greedily

pytestmark = pytest.mark.slow

Change = Callable[[ModuleOp], None]
WRONG: dict[str, tuple[Change, list[Rewrite]]] = {}


def wrong(root: Any, cases: list[Rewrite]) -> Callable[[Match], Match]:
    """Declare a wrong pattern with bodies on which it must be noticed."""

    def declare(function: Match) -> Match:
        name = getattr(function, "__name__")
        pattern = Pattern(name, (root,), function)

        def change(module: ModuleOp) -> None:
            rewrite_greedily(module.body, [pattern], remove_dead=False)

        WRONG[name] = change, cases
        return function

    return declare


@wrong(SubFOp, bodies("%r = subf %x, %x : $T", ("f16",)))
def float_minus_itself_is_zero(op: SubFOp, rewriter: Any) -> Any:
    return constant_like(op.result, 0) if op.lhs is op.rhs else None


@wrong(AddFOp, bodies(const("c", "0.0") + "%r = addf %x, %c : $T", ("f16",)))
def adding_zero_is_nothing(op: AddFOp, rewriter: Any) -> Any:
    return op.lhs if is_zero(op.rhs) else None


@wrong(MulFOp, bodies(const("c", "0.0") + "%r = mulf %x, %c : $T", ("f16",)))
def multiplying_by_zero_is_zero(op: MulFOp, rewriter: Any) -> Any:
    return op.rhs if is_zero(op.rhs) else None


@wrong(MaxFOp, bodies(const("c", "0xFC00") + "%r = maxf %x, %c : $T", ("f16",)))
def maximum_with_minus_infinity_ignores_nan(op: MaxFOp, rewriter: Any) -> Any:
    return op.lhs


@wrong(MaxFOp, bodies("%r = maxf %x, %x flush_to_zero : $T", ("f32",)))
def maximum_skips_the_flush(op: MaxFOp, rewriter: Any) -> Any:
    return op.lhs if op.lhs is op.rhs else None


@wrong(DivFOp, bodies(const("c", "3.0") + "%r = divf %x, %c : $T", ("f16",)))
def division_is_multiplication_by_the_reciprocal(op: DivFOp, rewriter: Any) -> Any:
    third = rewriter.insert(constant_like(op.rhs, 0x3555)).result
    return MulFOp(op.lhs, third)


@wrong(SubIOp, bodies("%r = subi %x, %y : $T", ("i8",), "x y"))
def subtraction_commutes(op: SubIOp, rewriter: Any) -> Any:
    if "done" in op.attributes:
        return None
    swapped = SubIOp(op.rhs, op.lhs)
    swapped.attributes["done"] = op.overflow
    return swapped


@wrong(
    ExtIOp,
    bodies(
        "%a = exti %x signed : $T -> tile<Nxi16>\n"
        "%r = exti %a unsigned : tile<Nxi16> -> tile<Nxi32>",
        ("i8",),
        result="i32",
    ),
)
def extensions_of_any_signedness_are_one(op: ExtIOp, rewriter: Any) -> Any:
    inner = op.from_.owner
    if not isinstance(inner, ExtIOp):
        return None
    return ExtIOp(inner.from_, op.to.type, {"signedness": op.signedness})


BACK = "%a = ftof %x : $T -> tile<Nx{0}>\n%r = ftof %a : tile<Nx{0}> -> $T"


@wrong(FToFOp, bodies(BACK.format("bf16"), ("f8E5M2",)))
def infinities_come_back_from_f8(op: FToFOp, rewriter: Any) -> Any:
    inner = op.from_.owner
    return inner.from_ if isinstance(inner, FToFOp) else None


@wrong(FToFOp, bodies(BACK.format("f16"), ("f32",)))
def narrowing_comes_back(op: FToFOp, rewriter: Any) -> Any:
    inner = op.from_.owner
    return inner.from_ if isinstance(inner, FToFOp) else None


@wrong(AssumeOp, CASES["assume-stronger"])
def bounds_merged_the_wrong_way(op: AssumeOp, rewriter: Any) -> Any:
    inner = op.value.owner
    if not isinstance(inner, AssumeOp) or not isinstance(inner.predicate, BoundedAttr):
        return None
    upper = inner.predicate.upper_value
    return AssumeOp(inner.value, BoundedAttr.get(upper, None))


@wrong(JoinTokensOp, CASES["join-of-joins"])
def a_token_is_dropped(op: JoinTokensOp, rewriter: Any) -> Any:
    return op.tokens[-1]


@wrong(IfOp, CASES["if-complement"])
def branches_are_not_swapped(op: IfOp, rewriter: Any) -> Any:
    if "done" in op.attributes:
        return None
    regions = [rewriter.move_region_contents_to_new_regions(region) for region in op.regions]
    moved = IfOp(op.condition, op.result_types, regions[1], regions[0])
    moved.attributes["done"] = op.condition.type
    return moved


@wrong(ForOp, CASES["for-runs-once"])
def a_loop_that_runs_once_never_runs(op: ForOp, rewriter: Any) -> Any:
    return list(op.init_values)


@wrong(AddIOp, CASES["add-constants"][:1])
def constants_are_subtracted(op: AddIOp, rewriter: Any) -> Any:
    inner = op.lhs.owner
    if not isinstance(inner, AddIOp):
        return None
    return AddIOp(inner.lhs, rewriter.insert(SubIOp(inner.rhs, op.rhs)).result)


FUSED = bodies("%p = mulf %x, %y : $T\n%r = subf %z, %p : $T", ("f32",), "x y z")


@wrong(SubFOp, FUSED)
def the_product_keeps_its_sign(op: SubFOp, rewriter: Any) -> Any:
    product = op.rhs.owner
    return FmaOp(product.lhs, product.rhs, op.lhs) if isinstance(product, MulFOp) else None


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rewrite_is_noticed(name: str) -> None:
    change, cases = WRONG[name]
    assert any(_is_noticed(case, change) for case in cases)


def _is_noticed(case: Rewrite, change: Change) -> bool:
    try:
        return difference(case, change) is not None
    except UndefinedBehaviour:
        return True


GUARDED_DIVISION = scalar(
    "%z = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
    "%r = for %i in (%z to %m, step %one) : tile<i32> iter_values(%v = %n) -> (tile<i32>) {\n"
    "%q = divi %n, %m signed : tile<i32>\n%w = addi %v, %q : tile<i32>\n"
    "continue %w : tile<i32> }",
    {"r": "i32"},
    {"n": ("i32", (7, -8)), "m": ("i32", (0, 3))},
)


def test_division_hoisted_out_of_a_guarded_loop_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def hoist(module: ModuleOp) -> None:
        licm.LoopInvariantCodeMotionPass().apply(Context(), module)

    assert difference(GUARDED_DIVISION, hoist) is None

    def always(op: object) -> bool:
        return True

    monkeypatch.setattr(licm, "is_speculatable", always)
    assert _is_noticed(GUARDED_DIVISION, hoist)
