"""What the walk finds between operations, where it says so, and what it costs to ask again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.corpus import case
from support.messages import flattened, forbidden
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.cli.tile_opt import main
from tileir_xdsl.diagnostics import Diagnostic, DiagnosticSink, Severity, SourceFile, render
from tileir_xdsl.dialects.cuda_tile.arithmetic import AddIOp, NegIOp
from tileir_xdsl.dialects.cuda_tile.attributes import IntegerOverflow, IntegerOverflowAttr
from tileir_xdsl.dialects.cuda_tile.parser import parse_module, parse_source
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.verifier import verify_into, verify_module

THREE_ERRORS = """\
cuda_tile.module @m {
  entry @first(%a: tile<i32>, %x: tile<f32>) {
    %v = constant <f32: 0.0> : tile<8xf32>
    %0 = addi %x, %x : tile<f32>
    %1 = reduce %v dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %2 = addf %p, %q rounding<full> : tile<f32>
      yield %2 : tile<f32>
    }
    return
  }
  entry @second(%a: tile<i32>) {
    %0 = broadcast %a : tile<i32> -> tile<4xi32>
    return
  }
}
"""


def lines(diagnostics: list[Diagnostic]) -> list[str]:
    return [f"{d.place}: {d.severity.value}: {d.message}" for d in diagnostics]


def operation(module: ModuleOp, name: str, index: int = 0) -> Operation:
    found = [op for op in module.walk() if op.name == f"cuda_tile.{name}"]
    return found[index]


def broken_negation(module: ModuleOp) -> Operation:
    """Breaks a rule of the program's negation."""
    op = operation(module, "negi")
    op.properties["overflow"] = IntegerOverflowAttr(IntegerOverflow.NO_UNSIGNED_WRAP)
    return op


def test_three_errors_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two words.mlir"
    path.write_text(THREE_ERRORS)
    assert main([str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    errors = [line for line in captured.err.splitlines() if ": error: " in line]
    assert errors == [
        f"{path}:4:15: error: 'cuda_tile.addi' op operand #0 ('lhs') must be a tile of i1, i8, "
        "i16, i32 or i64, but got 'tile<f32>'",
        f"{path}:7:12: error: 'cuda_tile.addf' op rounding mode must be nearest_even, zero, "
        "negative_inf or positive_inf, but got full",
        f"{path}:13:10: error: 'cuda_tile.broadcast' op operands and results must have one "
        "rank, but got 'tile<i32>', 'tile<4xi32>'",
    ]
    assert "    %0 = addi %x, %x : tile<f32>\n              ^~\n" in captured.err


def test_a_syntax_error_hides_no_error_of_another_entry() -> None:
    text = THREE_ERRORS.replace("constant <f32: 0.0> :", "constant <f32: 0.0>")
    sink = DiagnosticSink()
    module = parse_source(SourceFile("k.mlir", text), sink)
    assert not verify_into(module, sink)
    assert [d.place.range.start.line for d in sink.sorted() if d.place.range] == [3, 13]


def test_the_api_gives_diagnostics() -> None:
    module = parse_module(THREE_ERRORS, "k.mlir")
    first, *_ = verify_module(module)
    assert first.path == "k.mlir"
    assert first.severity is Severity.ERROR
    assert first.code == "rule"
    assert first.range is not None
    assert (first.range.start.line, first.range.start.column) == (4, 15)
    assert (first.range.end.line, first.range.end.column) == (4, 17)
    assert json.loads(json.dumps(first.to_json()))["range"]["start"] == {"line": 4, "column": 15}


def test_verify_into_counts_only_its_own_errors() -> None:
    sink = DiagnosticSink()
    assert not verify_into(parse_module(THREE_ERRORS, "k.mlir"), sink)
    assert sink.error_count == 3
    assert verify_into(parse_module("entry @k() {\n  return\n}\n", "l.mlir"), sink)
    # A warning is no error.
    assert verify_into(parse_module("entry @a.b() {\n  return\n}\n", "m.mlir"), sink)
    assert [d.severity for d in sink.diagnostics].count(Severity.WARNING) == 1


def test_places_survive_changes() -> None:
    text = "entry @k(%a: tile<i32>) {\n  %0 = negi %a : tile<i32>\n  return\n}\n"
    module = parse_module(text, "k.mlir")
    clone = module.clone()
    for program in (module, clone):
        broken_negation(program)
        (error,) = verify_module(program)
        assert str(error.place) == "k.mlir:2:8"


def test_places_survive_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(
        "entry @k(%a: tile<i32>, %p: tile<ptr<i32>>) {\n"
        "  %0 = addi %a, %a : tile<i32>\n"
        "  %1 = addi %a, %a : tile<i32>\n"
        "  %2 = addi %0, %1 : tile<i32>\n"
        "  %3 = store_ptr_tko weak %p, %2 : tile<ptr<i32>>, tile<i32> -> token\n"
        "  return\n"
        "}\n"
    )
    output = tmp_path / "after.mlir"
    options = ["-p", "cse,canonicalize", "--print-debuginfo", "-o", str(output)]
    assert main([str(path), *options]) == 0
    assert not capsys.readouterr().err
    printed = output.read_text()
    assert f'"{path}":4:8' in printed
    # The text that the passes left, read again, knows the first text's places.
    module = parse_module(printed, "after.mlir")
    store = operation(module, "store_ptr_tko")
    assert store.location == FileLineColLoc(StringAttr(str(path)), IntAttr(5), IntAttr(8))


SCOPED = """\
#file = #cuda_tile.di_file<"a.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", \
compileUnit = #unit>
cuda_tile.module @m {
  entry @k(%a: tile<i32>) {
    %0 = negi %a : tile<i32> loc(#cuda_tile.di_loc<loc("a.py":3:9) in #k>)
    return loc(#cuda_tile.di_loc<loc("a.py":4:5) in #k>)
  } loc(#cuda_tile.di_loc<loc("a.py":1:1) in #k>)
}
"""


def test_places_survive_bytecode() -> None:
    data = encode_module(parse_module(SCOPED, "k.mlir"), "13.3")
    module = decode_module(data, name="k.tileirbc")
    assert not verify_module(module)
    broken_negation(module)
    (error,) = verify_module(module)
    assert str(error.place) == "a.py:3:9"
    (note,) = error.notes
    assert str(note.place).startswith("k.tileirbc:+0x")


def test_places_survive_bytecode_and_text() -> None:
    data = encode_module(parse_module(SCOPED, "k.mlir"), "13.5")
    printed = module_text(decode_module(data, name="k.tileirbc"), debuginfo=True)
    again = decode_module(encode_module(parse_module(printed, "l.mlir"), "13.5"), name="l.tileirbc")
    broken_negation(again)
    (error,) = verify_module(again)
    assert str(error.place) == "a.py:3:9"


def test_bytecode_without_debug_info_names_bytes() -> None:
    text = "entry @k(%a: tile<i32>) {\n  %0 = negi %a : tile<i32>\n  return\n}\n"
    module = decode_module(encode_module(parse_module(text, "k.mlir"), "13.3"), name="k.tileirbc")
    broken_negation(module)
    (error,) = verify_module(module)
    assert str(error.place).startswith("k.tileirbc:+0x")


def test_erased_values() -> None:
    text = (
        "entry @k(%a: tile<i32>) {\n"
        "  %0 = negi %a : tile<i32>\n  %1 = addi %0, %a : tile<i32>\n  return\n}\n"
    )
    module = parse_module(text, "k.mlir")
    negation = operation(module, "negi")
    negation.detach()
    negation.erase(safe_erase=False)
    assert lines(verify_module(module)) == [
        "k.mlir:3:13: error: 'cuda_tile.addi' op operand #0 is the result of an erased operation"
    ]


def test_detached_values() -> None:
    text = "entry @k(%a: tile<i32>) {\n  %0 = negi %a : tile<i32>\n  return\n}\n"
    module = parse_module(text, "k.mlir")
    negation = operation(module, "negi")
    assert isinstance(negation, NegIOp)
    elsewhere = AddIOp(negation.result, negation.result)
    negation.operands[0] = elsewhere.result
    (error,) = verify_module(module)
    assert error.message == (
        "'cuda_tile.negi' op operand #0 is defined by an operation that is not in the program"
    )


def test_implicit_terminators_are_reported_at_their_operation() -> None:
    text = (
        "entry @k(%a: tile<i32>) {\n"
        "  %0 = loop iter_values(%x = %a) : tile<i32> -> tile<i32> {\n  }\n  return\n}\n"
    )
    (error,) = verify_module(parse_module(text, "k.mlir"))
    assert str(error.place) == "k.mlir:2:8"
    assert "must pass (tile<i32>), the carried values of the loop" in error.message


def test_rules_about_others_do_not_need_them_to_be_right() -> None:
    """A global or an entry without a name or a value is wrong, and so is nothing else."""
    text = (
        '"builtin.module"() ({\n'
        '  "cuda_tile.module"() <{sym_name = "m"}> ({\n'
        '    "cuda_tile.global"() <{alignment = 0 : i64}> : () -> ()\n'
        '    "cuda_tile.global"() <{sym_name = "g", alignment = 0 : i64}> : () -> ()\n'
        '    "cuda_tile.entry"() <{function_type = () -> ()}> ({\n'
        '      %0 = "cuda_tile.get_global"() <{name = @g}> : () -> !cuda_tile.tile<ptr<f32>>\n'
        '      "cuda_tile.return"() : () -> ()\n'
        "    }) : () -> ()\n"
        '    "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>\n'
        '    "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>\n'
        "  }) : () -> ()\n"
        "}) : () -> ()\n"
    )
    assert lines(verify_module(parse_module(text, "k.mlir"))) == [
        "k.mlir:3:5: error: 'cuda_tile.global' op requires attribute 'sym_name'",
        "k.mlir:4:5: error: 'cuda_tile.global' op requires attribute 'value'",
        "k.mlir:5:5: error: 'cuda_tile.entry' op requires attribute 'sym_name'",
        "k.mlir:9:5: error: 'cuda_tile.iota' op cannot be in a module, "
        "which holds entries and globals",
        "k.mlir:10:5: error: 'cuda_tile.iota' op cannot be in a module, "
        "which holds entries and globals",
    ]


def test_deep_nesting() -> None:
    depth = 200
    text = (
        "entry @k(%c: tile<i1>) {\n"
        + "if %c {\n" * depth
        + "yield %c : tile<i1>\n"
        + "}\n" * depth
        + "return\n}\n"
    )
    (error,) = verify_module(parse_module(text, "k.mlir"))
    assert error.place.order[0] == depth + 2


def test_deep_nesting_made_by_a_program() -> None:
    from tileir_xdsl.dialects.cuda_tile.control_flow import IfOp, YieldOp

    module = parse_module("entry @k(%c: tile<i1>) {\n  if %c {\n  }\n  return\n}\n", "k.mlir")
    branch = operation(module, "if")
    assert isinstance(branch, IfOp)
    condition = branch.condition
    from xdsl.ir import Block, Region

    inner = branch
    for _ in range(2000):
        deeper = IfOp(condition, [], Region(Block([YieldOp()])))
        block = inner.then_region.block
        last = block.last_op
        assert last is not None
        block.insert_op_before(deeper, last)
        inner = deeper
    assert not verify_module(module)


@pytest.mark.parametrize("path", ["real/13.5/axpy_f32", "deep/13.5/kernel_layernorm"])
def test_a_valid_program_has_no_diagnostics(path: str) -> None:
    text = case(path).text.decode()
    assert not verify_module(parse_module(text, path))


def test_every_message_of_every_mistake_is_for_users() -> None:
    folder = Path(__file__).parents[2] / "filecheck"
    found = 0
    for path in sorted(folder.rglob("*.mlir")):
        for line in path.read_text().splitlines():
            if "expected-" in line:
                message = line.partition("{{")[2].rpartition("}}")[0]
                assert not forbidden().search(message), message
                found += "expected-error" in line
    assert found >= 300


def test_no_message_of_xdsl_in_text() -> None:
    """Rules of other dialects may be worded by xDSL, but not in its inner language."""
    text = (
        '"builtin.module"() ({\n'
        '  %0 = "arith.constant"() <{value = "x"}> : () -> i32\n'
        '  %1 = "arith.cmpi"(%0, %0) <{predicate = 77 : i64}> : (i32, i32) -> f32\n'
        '  "func.func"() <{sym_name = 5 : i32, function_type = i32}> ({}) : () -> ()\n'
        '  "scf.if"(%0) ({}, {}) : (i32) -> ()\n'
        '  "scf.for"(%0, %0) ({}) : (i32, i32) -> ()\n'
        "}) : () -> ()\n"
    )
    sink = DiagnosticSink()
    from xdsl.context import Context
    from xdsl.dialects import arith, func, scf
    from xdsl.dialects.builtin import Builtin

    context = Context()
    for dialect in (Builtin, arith.Arith, func.Func, scf.Scf):
        context.load_dialect(dialect)
    verify_into(parse_source(SourceFile("k.mlir", text), sink, context), sink)
    assert sink.error_count >= 5
    for diagnostic in flattened(sink.diagnostics):
        assert not forbidden().search(diagnostic.message), render(diagnostic)
