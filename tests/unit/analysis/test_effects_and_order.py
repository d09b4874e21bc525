"""What operations do, where they may go, token order and liveness."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

import tileir_xdsl
from tileir_xdsl.analysis.effects import is_dead, leaves, only_computes
from tileir_xdsl.analysis.liveness import is_used_after, live_bits, live_values
from tileir_xdsl.analysis.speculation import is_speculatable, may_stop, runs_at_least_once
from tileir_xdsl.analysis.tokens import comes_after, operations_before
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp, LoopOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp


def _operations(body: str) -> list[Operation]:
    module = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>, "
        f"%c: tile<i1>, %x: tile<f32>) {{\n{body}\nreturn }} }}"
    )
    return [op for op in module.walk() if not isinstance(op, EntryOp)][2:]


def _first(body: str, mnemonic: str) -> Operation:
    return next(op for op in _operations(body) if op.name == f"cuda_tile.{mnemonic}")


ONE = "%one = constant <i32: 1> : tile<i32>\n"
FIVE = "%five = constant <i32: 5> : tile<i32>\n"
LOAD = "%v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token"
STORE = "%t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token"
POSITIVE = "%d = assume bounded<1, ?>, %m : tile<i32>\n"
NEGATIVE = "%d = assume bounded<?, -1>, %m : tile<i32>\n"
PART = "%i = iota : tile<8xi32>\n%r = extract %i[{}] : tile<8xi32> -> tile<2xi32>"


@pytest.mark.parametrize(
    ("body", "mnemonic", "expected"),
    [
        ("%r = addi %n, %m : tile<i32>", "addi", True),
        ("%r = divi %n, %m signed : tile<i32>", "divi", True),
        ("%r = assume bounded<0, ?>, %n : tile<i32>", "assume", True),
        (
            "%t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token",
            "store_ptr_tko",
            False,
        ),
        (
            "%v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token",
            "load_ptr_tko",
            False,
        ),
        ('assert %c, "x" : tile<i1>', "assert", False),
        ('%t = print_tko "x" -> token', "print_tko", False),
        ("if %c { return }", "if", False),
        ("if %c { %r = addi %n, %m : tile<i32>\nyield }", "if", True),
        ("for %i in (%n to %m, step %m) : tile<i32> { }", "for", True),
        ("for %i in (%n to %m, step %m) : tile<i32> { if %c { continue } }", "for", True),
        ("loop { break }", "loop", False),
        ('for %i in (%n to %m, step %m) : tile<i32> { %t = print_tko "x" -> token }', "for", False),
    ],
)
def test_only_computes(body: str, mnemonic: str, expected: bool) -> None:
    op = _first(body, mnemonic)
    assert only_computes(op) is expected
    assert is_dead(op) is expected


def test_an_if_that_continues_is_not_removable() -> None:
    op = _first("for %i in (%n to %m, step %m) : tile<i32> { if %c { continue } }", "if")
    assert isinstance(op, IfOp)
    assert leaves(op)
    assert not is_dead(op)


@pytest.mark.parametrize(
    ("body", "mnemonic", "expected"),
    [
        ("%r = addi %n, %m : tile<i32>", "addi", True),
        ("%r = addi %n, %m overflow<no_wrap> : tile<i32>", "addi", False),
        ("%r = divi %n, %m signed : tile<i32>", "divi", False),
        ("%r = remi %n, %m unsigned : tile<i32>", "remi", False),
        (FIVE + "%r = divi %n, %five signed : tile<i32>", "divi", True),
        (POSITIVE + "%r = divi %n, %d signed : tile<i32>", "divi", True),
        (NEGATIVE + "%r = divi %n, %d signed : tile<i32>", "divi", False),
        (NEGATIVE + "%r = divi %n, %d unsigned : tile<i32>", "divi", True),
        ("%r = shli %n, %m : tile<i32>", "shli", False),
        (FIVE + "%r = shli %n, %five : tile<i32>", "shli", True),
        (FIVE + "%r = shli %n, %five overflow<no_signed_wrap> : tile<i32>", "shli", False),
        ("%r = ftoi %x signed : tile<f32> -> tile<i32>", "ftoi", False),
        ("%r = ftoi %x signed saturating : tile<f32> -> tile<i32>", "ftoi", True),
        ("%r = assume bounded<0, ?>, %n : tile<i32>", "assume", False),
        (LOAD, "load_ptr_tko", False),
        (PART.format("%n"), "extract", False),
        (ONE + PART.format("%one"), "extract", True),
        (FIVE + PART.format("%five"), "extract", False),
        ("if %c { %r = divi %n, %m signed : tile<i32>\nyield }", "if", False),
        ("if %c { %r = muli %n, %m : tile<i32>\nyield }", "if", True),
    ],
)
def test_speculatable(body: str, mnemonic: str, expected: bool) -> None:
    assert is_speculatable(_first(body, mnemonic)) is expected


@pytest.mark.parametrize(
    ("bounds", "expected"), [("%one to %five", True), ("%five to %one", False), ("%n to %m", False)]
)
def test_loops_that_surely_run(bounds: str, expected: bool) -> None:
    loop = _first(ONE + FIVE + f"for %i in ({bounds}, step %one) : tile<i32> {{ }}", "for")
    assert isinstance(loop, ForOp)
    assert runs_at_least_once(loop) is expected
    other = _first("loop { break }", "loop")
    assert isinstance(other, LoopOp)
    assert runs_at_least_once(other)
    assert may_stop(other)


def test_token_order() -> None:
    store = "store_ptr_tko weak %p, %n"
    types = ": tile<ptr<i32>>, tile<i32> -> token"
    operations = _operations(
        f"%a = {store} {types}\n%b = {store} token=%a {types}\n%z = {store} {types}\n"
        f"%j = join_tokens %b, %z : token\n%e = {store} token=%j {types}\n%f = make_token : token"
    )
    a, b, z, join, e, fresh = (op.results[-1] for op in operations[:6])
    assert comes_after(e, a)
    assert comes_after(join, b)
    assert comes_after(join, z)
    assert not comes_after(b, z)
    assert not comes_after(a, b)
    assert comes_after(a, fresh)
    assert list(operations_before(e)) == [e.owner, b.owner, z.owner, a.owner]


def test_a_carried_token_is_after_nothing_known() -> None:
    operations = _operations(
        "%a = make_token : token\n%s = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> "
        "-> token\n%f = for %i in (%n to %m, step %m) : tile<i32> iter_values(%v = %s) "
        "-> (token) { continue %a : token }"
    )
    loop = next(op for op in operations if isinstance(op, ForOp))
    assert not comes_after(loop.results[0], loop.init_values[0])
    assert not comes_after(loop.iter_args[0], loop.init_values[0])


def test_liveness() -> None:
    operations = _operations(
        "%a = addi %n, %m : tile<i32>\n%b = muli %a, %n : tile<i32>\n"
        'if %c { %t = print_tko "%i", %b : tile<i32> -> token\nyield }\n'
        "%d = subi %m, %n : tile<i32>"
    )
    a, b = operations[0].results[0], operations[1].results[0]
    block = operations[0].parent
    assert block is not None
    branch = next(op for op in operations if isinstance(op, IfOp))
    assert is_used_after(a, operations[0])
    assert not is_used_after(a, operations[1])
    assert is_used_after(b, operations[1])
    assert not is_used_after(b, branch)
    live = live_values(block)
    assert live[1] == {a, *block.args[1:4]}
    assert live[2] == {b, *block.args[1:4]}
    assert live_bits(block) == 32 + 32 + 32 + 1
