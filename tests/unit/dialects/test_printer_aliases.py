"""Location aliases: order, numbering, and what needs its definition early."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from tileir_xdsl.dialects.cuda_tile.aliases import Aliases
from tileir_xdsl.dialects.cuda_tile.attributes import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
)
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr, callsite, nested_location


def at(line: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr("a.py"), IntAttr(line), IntAttr(0))


def file(name: str = "a.py") -> DIFileAttr:
    return DIFileAttr(StringAttr(name), StringAttr("/dir"))


def subprogram(line: int = 1) -> DISubprogramAttr:
    name = StringAttr("f")
    unit = DICompileUnitAttr(file())
    return DISubprogramAttr(file(), IntAttr(line), name, name, unit, IntAttr(0), IntAttr(0))


def block(scope: Attribute, line: int) -> DILexicalBlockAttr:
    return DILexicalBlockAttr(scope, file(), IntAttr(line), IntAttr(0))


def in_scope(line: int, scope: Attribute) -> DILocAttr:
    return DILocAttr(at(line), scope)


def defined(*uses: Attribute) -> list[str]:
    aliases = Aliases()
    for use in uses:
        aliases.visit(use)
    return [alias.name for alias in aliases.name_all()]


def test_first_use_decides_among_equals():
    aliases = Aliases()
    for line in (3, 1, 2, 1):
        aliases.visit(at(line))
    assert [(a.name, a.attribute) for a in aliases.name_all()] == [
        ("#loc", at(3)),
        ("#loc1", at(1)),
        ("#loc2", at(2)),
    ]


def test_depth_then_name_then_use():
    scope = subprogram()
    names = defined(in_scope(1, scope), UnknownLoc(), in_scope(2, block(scope, 2)))
    assert names == [
        *("#di_file", "#loc", "#loc1", "#loc2"),
        "#di_compile_unit",
        "#di_subprogram",
        *("#di_lexical_block", "#loc3"),
        "#loc4",
    ]


def test_a_callsite_comes_after_its_parts():
    aliases = Aliases()
    inlined = callsite(in_scope(1, subprogram()), at(2))
    aliases.visit(inlined)
    aliases.name_all()
    assert aliases.name_of(at(2)) is None, "only the visited objects are found"
    assert aliases.name_of(inlined.caller) == "#loc1"
    assert aliases.name_of(inlined.callee) == "#loc2"
    assert aliases.name_of(inlined) == "#loc3"


def test_equal_attributes_share_an_alias():
    first, second = in_scope(1, subprogram()), in_scope(1, subprogram())
    aliases = Aliases()
    aliases.visit(first)
    aliases.visit(second)
    aliases.name_all()
    assert aliases.name_of(first) == aliases.name_of(second) == "#loc1"


@pytest.mark.parametrize(
    "other",
    [
        nested_location(NameLoc, StringAttr("b"), at(1)),
        nested_location(NameLoc, StringAttr("a"), at(2)),
        nested_location(FusedLoc, ArrayAttr([at(1)]), NoneAttr()),
    ],
)
def test_different_attributes_do_not(other: Attribute):
    name = nested_location(NameLoc, StringAttr("a"), at(1))
    aliases = Aliases()
    aliases.visit(name)
    aliases.visit(other)
    aliases.name_all()
    assert aliases.name_of(name) != aliases.name_of(other)


def test_metadata_of_a_fused_location():
    metadata = DictionaryAttr({"scope": subprogram()})
    fused = FusedLoc(ArrayAttr([at(1), UnknownLoc()]), metadata)
    assert defined(fused) == [
        *("#di_file", "#loc", "#loc1"),
        "#di_compile_unit",
        "#di_subprogram",
        "#loc2",
    ]


def test_early_use_takes_its_parts_along():
    aliases = Aliases()
    early = callsite(at(1), at(2))
    aliases.visit(at(3))
    aliases.visit(early.caller)
    aliases.visit(early, early=True)
    assert [(a.name, a.early) for a in aliases.name_all()] == [
        ("#loc", False),
        ("#loc1", True),
        ("#loc2", True),
        ("#loc3", True),
    ]


def test_scopes_nest_deeper_than_the_stack():
    scope: Attribute = subprogram()
    for line in range(3000):
        scope = block(scope, line)
    names = defined(in_scope(1, scope))
    assert names[-2:] == ["#di_lexical_block2999", "#loc1"]
