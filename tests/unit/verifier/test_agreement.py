"""The fast verification says what xDSL's own says, of every operation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from support.corpus import cases, verifier_cases
from support.mutations import Mutator
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i8, i32
from xdsl.ir import Attribute, Operation, OpTraits
from xdsl.irdl import OpDef
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink, SourceFile
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.parser import parse_source
from tileir_xdsl.verifier import verify_module
from tileir_xdsl.verifier.declarations import check_declaration
from tileir_xdsl.verifier.walk import forget


def broken(check: object, *args: object) -> bool:
    assert callable(check)
    try:
        check(*args)
    except VerifyException:
        return True
    return False


def ours_refuses(op: CudaTileOp) -> bool:
    return broken(check_declaration, op)


@cache
def without_traits(cls: type[CudaTileOp]) -> OpDef:
    """What xDSL checks, apart from traits: those are rules between operations."""
    return replace(cls.get_irdl_definition(), traits=OpTraits(lambda: ()))


def xdsl_refuses(op: CudaTileOp) -> bool:
    return broken(without_traits(type(op)).verify, op)


def programs() -> Iterator[ModuleOp]:
    for case in cases("accept", version="13.5"):
        yield decode_module(case.bytecode, name=case.name)
    for case in verifier_cases():
        try:
            yield decode_module(case.case.bytecode, name=case.case.name)
        except DiagnosticError:
            continue


def operations(module: ModuleOp) -> Iterator[CudaTileOp]:
    return (op for op in module.walk() if isinstance(op, CudaTileOp))


def test_single_operations() -> None:
    refused = 0
    for module in programs():
        for op in operations(module):
            assert ours_refuses(op) == xdsl_refuses(op), f"{op}"
            refused += ours_refuses(op)
    assert refused > 10


def test_operations_with_a_wrong_property() -> None:
    values: list[Attribute] = [IntegerAttr(3, i8), StringAttr("x"), UnitAttr(), IntegerAttr(1, i32)]
    for module in programs():
        for op in operations(module):
            for name, before in list(op.properties.items()):
                for value in values:
                    op.properties[name] = value
                    assert ours_refuses(op) == xdsl_refuses(op), f"{op.name} {name} {value}"
                del op.properties[name]
                assert ours_refuses(op) == xdsl_refuses(op), f"{op.name} without {name}"
                op.properties[name] = before


def test_operations_with_a_missing_operand() -> None:
    for module in programs():
        for op in operations(module):
            if not op.operands:
                continue
            before = list(op.operands)
            op.operands = before[1:]
            assert ours_refuses(op) == xdsl_refuses(op), op.name
            op.operands = before


def test_mutated_programs() -> None:
    texts = [case.text.decode("utf-8", "surrogateescape") for case in cases("accept")]
    mutator = Mutator(texts, seed=3)
    for _ in range(500):
        module = parse_source(SourceFile("m.mlir", mutator.mutated()), DiagnosticSink())
        for op in operations(module):
            assert ours_refuses(op) == xdsl_refuses(op), f"{op}"


def shown(diagnostics: list[Diagnostic]) -> list[str]:
    return [f"{d.place}: {d.severity}: {d.message}" for d in diagnostics]


def test_what_is_remembered_changes_nothing() -> None:
    modules = list(programs())
    forget()
    first = [shown(verify_module(module)) for module in modules]
    again = [shown(verify_module(module)) for module in modules]
    backwards = [shown(verify_module(module)) for module in reversed(modules)]
    assert again == first
    assert backwards[::-1] == first


def test_a_change_of_types_is_seen() -> None:
    text = "entry @k(%a: tile<i32>) {\n  %0 = addi %a, %a : tile<i32>\n  return\n}\n"
    module = parse_source(SourceFile("m.mlir", text), DiagnosticSink())
    assert not verify_module(module)
    (addition,) = (op for op in operations(module) if op.name == "cuda_tile.addi")
    addition.results[0]._type = i32  # pyright: ignore[reportPrivateUsage]
    (error,) = verify_module(module)
    assert "must have the type of operand #0 ('lhs')" in error.message


@pytest.mark.parametrize("name", ["cuda_tile.addi", "cuda_tile.return"])
def test_operations_outside_of_a_program(name: str) -> None:
    text = "entry @k(%a: tile<i32>) {\n  %0 = addi %a, %a : tile<i32>\n  return\n}\n"
    module = parse_source(SourceFile("m.mlir", text), DiagnosticSink())
    op: Operation = next(op for op in module.walk() if op.name == name)
    op.detach()
    # Alone it is right, but its operands are nowhere.
    assert len(verify_module(op)) == len(op.operands)
