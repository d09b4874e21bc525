"""Bases of addresses, and what may alias."""

from __future__ import annotations

from xdsl.ir import SSAValue

import tileir_xdsl
from tileir_xdsl.analysis.aliasing import bases_of, may_alias


def _values(body: str, globals: str = "") -> dict[str, SSAValue]:
    """The results of the stores' address operands, by the number that is stored there."""
    module = tileir_xdsl.parse(
        f"cuda_tile.module @m {{ {globals}\n"
        "entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {\n"
        f"{body}\nreturn }} }}"
    )
    found: dict[str, SSAValue] = {}
    for op in module.walk():
        if op.name == "cuda_tile.print_tko":
            found[op.properties["str"].data] = op.operands[0]  # pyright: ignore
        for argument in (arg for r in op.regions for b in r.blocks for arg in b.args):
            found.setdefault(f"arg{argument.index}", argument)
    return found


MARK = 'print_tko "{}%p", %{} : tile<ptr<i32>> -> token\n'


def _marked(*names: str) -> str:
    return "".join(MARK.format(name, name) for name in names)


ALLOCA = "%{} = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>\n"


def test_arguments_may_alias() -> None:
    values = _values(_marked("p", "q"))
    assert may_alias(values["p%p"], values["q%p"])


def test_allocations_do_not() -> None:
    values = _values(ALLOCA.format("a") + ALLOCA.format("b") + _marked("a", "b", "p"))
    assert not may_alias(values["a%p"], values["b%p"])
    assert not may_alias(values["a%p"], values["p%p"])
    assert may_alias(values["a%p"], values["a%p"])


def test_offsets_and_casts_keep_the_base() -> None:
    body = ALLOCA.format("a") + (
        "%b = offset %a, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        "%d = ptr_to_ptr %b : tile<ptr<i32>> -> tile<ptr<f32>>\n"
        "%e = ptr_to_ptr %d : tile<ptr<f32>> -> tile<ptr<i32>>\n"
    )
    values = _values(body + _marked("a", "e", "p"))
    assert may_alias(values["a%p"], values["e%p"])
    assert not may_alias(values["e%p"], values["p%p"])
    assert len(bases_of(values["e%p"]) or ()) == 1


def test_select_and_if_have_both_bases() -> None:
    body = (
        ALLOCA.format("a")
        + ALLOCA.format("b")
        + ALLOCA.format("z")
        + "%s = select %c, %a, %b : tile<i1>, tile<ptr<i32>>\n"
        "%i = if %c -> (tile<ptr<i32>>) { yield %a : tile<ptr<i32>> } "
        "else { yield %s : tile<ptr<i32>> }\n"
    )
    values = _values(body + _marked("a", "b", "i", "z"))
    assert may_alias(values["i%p"], values["b%p"])
    assert not may_alias(values["i%p"], values["z%p"])


def test_loops_carry_bases() -> None:
    body = (
        ALLOCA.format("a")
        + ALLOCA.format("b")
        + "%f = for %i in (%n to %n, step %n) : tile<i32> iter_values(%v = %a) "
        "-> (tile<ptr<i32>>) {\n"
        "%w = offset %v, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        "continue %w : tile<ptr<i32>> }\n"
    )
    values = _values(body + _marked("a", "b", "f"))
    assert may_alias(values["f%p"], values["a%p"])
    assert not may_alias(values["f%p"], values["b%p"])


def test_an_address_that_escapes_may_come_back() -> None:
    body = (
        ALLOCA.format("a")
        + ALLOCA.format("b")
        + "%o = offset %a, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        "%x = ptr_to_int %o : tile<ptr<i32>> -> tile<i64>\n"
        "%y = addi %x, %x : tile<i64>\n"
        "%z = int_to_ptr %y : tile<i64> -> tile<ptr<i32>>\n"
    )
    values = _values(body + _marked("a", "b", "z"))
    assert bases_of(values["z%p"]) is None
    assert may_alias(values["z%p"], values["a%p"])
    assert not may_alias(values["z%p"], values["b%p"])


def test_globals_differ_from_each_other_but_not_from_arguments() -> None:
    values = _values(
        "%a = get_global @g : tile<ptr<i32>>\n%b = get_global @h : tile<ptr<i32>>\n"
        "%d = get_global @g : tile<ptr<i32>>\n" + _marked("a", "b", "d", "p"),
        "global @g <i32: 0> : tile<4xi32>\nglobal @h <i32: 0> : tile<4xi32>",
    )
    assert not may_alias(values["a%p"], values["b%p"])
    assert may_alias(values["a%p"], values["d%p"])
    assert may_alias(values["a%p"], values["p%p"])
