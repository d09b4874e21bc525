"""Another dialect teaches the interpreter its operations."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.tile_programs import module_of, program
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.arithmetic import NegIOp
from tileir_xdsl.interpreter import run
from tileir_xdsl.interpreter.elementwise import elementwise
from tileir_xdsl.interpreter.plan import BUILDERS, ELEMENTWISE, Compiler, Step, builder


def square(x: Any) -> Any:
    return x * x


@irdl_op_definition
class SquareOp(IRDLOperation):
    name = "test_interpreter.square"
    source = operand_def()
    result = result_def()


@pytest.fixture
def squares() -> Iterator[Any]:
    """A module in which a negation has become an operation of another dialect."""
    module = module_of(
        program(
            "%p: tile<ptr<i32>>, %x: tile<i32>",
            "%y = negi %x : tile<i32>\n"
            "%t = store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token",
        )
    )
    for op in list(module.walk()):
        if isinstance(op, NegIOp):
            replacement = SquareOp.create(operands=op.operands, result_types=[op.result.type])
            assert op.parent is not None
            op.parent.insert_op_before(replacement, op)
            value: SSAValue = op.result
            value.replace_all_uses_with(replacement.results[0])
            op.detach()
            op.erase()
    yield module
    BUILDERS.pop(SquareOp, None)
    ELEMENTWISE.discard(SquareOp)
    sys.modules.pop("tileir_xdsl.interpreter.test_interpreter", None)


def test_registered_operations_run(squares: Any):
    @builder(SquareOp, elementwise=True)
    def build(op: SquareOp, compiler: Compiler) -> Step:  # pyright: ignore[reportUnusedFunction]
        return elementwise(compiler, op, square)

    memory = np.zeros(1, np.int32)
    run(squares, args=[memory, 7])
    assert memory[0] == 49


def test_unknown_operations_are_named(squares: Any):
    with pytest.raises(DiagnosticError, match=r"does not run 'test_interpreter\.square'"):
        run(squares, args=[np.zeros(1, np.int32), 7])


def test_builders_are_imported_when_they_are_needed(squares: Any, monkeypatch: Any):
    imported: list[str] = []

    def load(name: str) -> types.ModuleType:
        imported.append(name)
        builder(SquareOp)(lambda op, compiler: elementwise(compiler, op, square))
        return types.ModuleType(name)

    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr("importlib.import_module", load)
    memory = np.zeros(1, np.int32)
    run(squares, args=[memory, 3])
    assert imported == ["tileir_xdsl.interpreter.test_interpreter"]
    assert memory[0] == 9
