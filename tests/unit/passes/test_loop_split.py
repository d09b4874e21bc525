"""`loop-split` makes the same iterations in the same order, at the ends of the range too."""

from __future__ import annotations

import pytest
from support.pattern_check import Rewrite, difference
from support.rewrite_cases import scalar
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp
from tileir_xdsl.passes.loop_split import LoopSplitPass

ENDS = (-128, -3, 0, 5, 126, 127)
PREDICATES = ("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal")


def _loop(predicate: str, compared: str, step: int, unsigned: bool, assume: str = "") -> Rewrite:
    """Prints and hashes the iterations, differently in each branch."""
    sign = "unsigned" if unsigned else "signed"
    return scalar(
        f"%step = constant <i8: {step}> : tile<i8>\n%z = constant <i32: 0> : tile<i32>\n"
        "%k3 = constant <i32: 3> : tile<i32>\n%k5 = constant <i32: 5> : tile<i32>\n"
        f"{assume or '%to = reshape %high : tile<i8> -> tile<i8>'}\n"
        f"%r = for {'unsigned ' if unsigned else ''}%i in (%low to %to, step %step) : tile<i8> "
        "iter_values(%v = %z) -> (tile<i32>) {\n"
        f"%c = cmpi {predicate} {compared}, {sign} : tile<i8> -> tile<i1>\n"
        "%n = exti %i signed : tile<i8> -> tile<i32>\n"
        "%w = if %c -> (tile<i32>) { %a = muli %v, %k3 : tile<i32>\n%b = addi %a, %n : tile<i32>\n"
        "yield %b : tile<i32> } else { %a = muli %v, %k5 : tile<i32>\n"
        "%b = subi %a, %n : tile<i32>\nyield %b : tile<i32> }\n"
        "continue %w : tile<i32> }",
        {"r": "i32"},
        {"low": ("i8", ENDS), "high": ("i8", ENDS), "p": ("i8", ENDS)},
    )


def _split(module: ModuleOp) -> None:
    before = sum(isinstance(op, ForOp) for op in module.walk())
    LoopSplitPass().apply(Context(), module)
    assert sum(isinstance(op, ForOp) for op in module.walk()) == before + 1
    assert not any(isinstance(op, IfOp) for op in module.walk())


@pytest.mark.parametrize("compared", ["%i, %p", "%p, %i"])
@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_unit_steps(predicate: str, unsigned: bool, compared: str) -> None:
    assert difference(_loop(predicate, compared, 1, unsigned), _split) is None


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("step", [3, 7])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_other_steps(predicate: str, step: int, unsigned: bool) -> None:
    sign = "unsigned" if unsigned else "signed"
    limit = f"%most = constant <i8: 120> : tile<i8>\n%to = mini %high, %most {sign} : tile<i8>"
    assert difference(_loop(predicate, "%i, %p", step, unsigned, limit), _split) is None


def test_steps_that_may_overflow_are_left_alone() -> None:
    def leave(module: ModuleOp) -> None:
        LoopSplitPass().apply(Context(), module)
        assert any(isinstance(op, IfOp) for op in module.walk())

    assert difference(_loop("less_than", "%i, %p", 3, False), leave) is None
