"""The pass manager: pipelines, failures, reproducers, semantics."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.transforms import get_all_passes
from xdsl.utils.exceptions import PassFailedException

import tileir_xdsl
from tileir_xdsl.cli.tile_opt import main
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink, Place
from tileir_xdsl.dialects.cuda_tile.arithmetic import AddIOp, SubIOp
from tileir_xdsl.passes.manager import ManagerOptions, PassManager
from tileir_xdsl.passes.pipeline_text import PipelineError, Step, parse_pipeline
from tileir_xdsl.passes.registry import PASSES, REPLACED
from tileir_xdsl.passes.tile_pass import TilePass

KERNEL = """\
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %a = addi %n, %n : tile<i32>
    %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


@dataclass(frozen=True)
class SubtractPass(TilePass):
    """Wrong: makes sums differences."""

    name = "subtract"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, AddIOp):
                block = inner.parent
                assert block is not None
                difference = SubIOp(inner.lhs, inner.rhs)
                block.insert_op_before(difference, inner)
                inner.result.replace_all_uses_with(difference.result)
                block.erase_op(inner)


@dataclass(frozen=True)
class RefusingPass(TilePass):
    """Always fails."""

    name = "refusing"

    def run_on(self, ctx: Context, op: Operation) -> None:
        raise PassFailedException("no")


@dataclass(frozen=True)
class BrokenPass(TilePass):
    """Has a bug."""

    name = "broken"

    def run_on(self, ctx: Context, op: Operation) -> None:
        raise KeyError("bug")


@dataclass(frozen=True)
class InvalidPass(TilePass):
    """Leaves a program that does not verify."""

    name = "invalid"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in list(op.walk()):
            if inner.name == "cuda_tile.return":
                block = inner.parent
                assert block is not None
                block.erase_op(inner)


def _manage(*passes: TilePass, **options: object) -> tuple[ModuleOp, DiagnosticSink]:
    module = tileir_xdsl.parse(KERNEL, "k.mlir")
    sink = DiagnosticSink()
    manager = PassManager(
        Context(),
        [Step(p) for p in passes],
        ManagerOptions(**options),  # pyright: ignore[reportArgumentType]
        sink,
        Place.file("k.mlir"),
        lambda: tileir_xdsl.parse(KERNEL, "k.mlir"),
    )
    manager.run(module)
    return module, sink


def test_names_shared_with_xdsl_are_listed() -> None:
    assert set(PASSES) & set(get_all_passes()) == REPLACED


@pytest.mark.parametrize("name", PASSES)
def test_pass_declares_what_it_does(name: str) -> None:
    cls = PASSES[name]()
    assert cls.name == name
    assert issubclass(cls, TilePass)
    assert (cls.__doc__ or "").strip()
    assert cls.bit_exact or cls.bound


def test_semantics_check_names_the_pass_that_changed_a_result(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "r.mlir"
    with pytest.raises(DiagnosticError) as caught:
        _manage(SubtractPass(), check_semantics=True, reproducer=str(path))
    message = str(caught.value)
    assert "pass 'subtract' changed a result" in message
    assert "instead of" in message
    dumped = capsys.readouterr().err
    assert "IR Dump Before subtract" in dumped
    assert "IR Dump After subtract" in dumped
    assert "addi" in path.read_text()


def test_semantics_check_takes_inputs_from_a_file() -> None:
    cases = json.dumps({"cases": [{"args": {"p": "zeros:1", "n": 0}}]})
    _manage(SubtractPass(), check_semantics=True, inputs=("i.json", cases))
    cases = json.dumps({"cases": [{"args": {"p": "zeros:1", "n": 3}}]})
    with pytest.raises(DiagnosticError, match="changed a result"):
        _manage(SubtractPass(), check_semantics=True, inputs=("i.json", cases))


def test_failing_pass_leaves_its_input(tmp_path: Path) -> None:
    path = tmp_path / "r.mlir"
    with pytest.raises(DiagnosticError) as caught:
        _manage(SubtractPass(), RefusingPass(), reproducer=str(path))
    assert "pass 'refusing' failed: no" in str(caught.value)
    assert f"the input of the pass is in '{path}'" in str(caught.value)
    text = path.read_text()
    assert text.startswith("// RUN: tile-opt %s -p 'refusing'\n")
    assert "subi" in text
    tileir_xdsl.parse(text)


def test_internal_failure_leaves_its_input_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.mlir"
    with pytest.raises(KeyError):
        _manage(BrokenPass(), reproducer=str(path))
    assert str(path) in capsys.readouterr().err
    assert "addi" in path.read_text()


def test_invalid_result_is_reported_at_the_pass(tmp_path: Path) -> None:
    options = {"reproducer": str(tmp_path / "r.mlir")}
    with pytest.raises(DiagnosticError, match="pass 'invalid' made a program that does not verify"):
        _manage(InvalidPass(), **options)
    _manage(InvalidPass(), verify_each=False)


def test_errors_of_the_program_leave_no_file(tmp_path: Path) -> None:
    source = tmp_path / "k.mlir"
    source.write_text(KERNEL.replace("%a = addi", "%z = gdc_wait_tko -> token\n%a = addi"))
    before = set(tmp_path.iterdir())
    assert main([str(source), "-p", "legalize-version{to=13.1}"]) == 1
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", []),
        ("cse", ["cse"]),
        ("cse, canonicalize", ["cse", "canonicalize"]),
        ("builtin.module(cse,dce)", ["cse", "dce"]),
        (
            "builtin.module(cuda_tile.module(cuda_tile.entry(fuse-fma{duplicate=true}),cse))",
            [
                "builtin.module(cuda_tile.module(cuda_tile.entry(fuse-fma{duplicate=true})))",
                "builtin.module(cuda_tile.module(cse))",
            ],
        ),
    ],
)
def test_pipelines_read_back(text: str, steps: list[str]) -> None:
    parsed = parse_pipeline(text, PASSES)
    assert [step.text() for step in parsed] == steps
    again = parse_pipeline(",".join(step.text() for step in parsed), PASSES)
    assert again == parsed


def test_the_text_of_a_step_states_options_that_are_defaults() -> None:
    (step,) = parse_pipeline("loop-split", PASSES)
    assert step.text() == "loop-split{threshold=1}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("csee", "unknown pass 'csee', did you mean 'cse'?"),
        ("builtin.module(cse", "missing '\\)'"),
        ("cse)", "unmatched '\\)'"),
        ("cse,,dce", "a pass is missing"),
        ("builtin.module(cse)x", "expected '\\)' at the end"),
        ("cuda_tile.entry(cse)", "starts at 'builtin.module"),
        ("fuse-fma{duplicate=3}", "pass 'fuse-fma'"),
        ("lower-kernel{version=13.9}", "unknown bytecode version '13.9'"),
        ("tile-sugar-to-cuda-tile{version=13.9}", "unknown bytecode version '13.9'"),
        ("tile-sugar-to-cuda-tile{target=sm_99}", "unknown target 'sm_99': there are sm_80"),
        ("tile-sugar-to-cuda-tile{access=foo}", "access must be one of"),
        ("tile-sugar-to-cuda-tile{fastmath=foo}", "unknown fastmath flag 'foo'"),
        ("fuse-fma{color=3}", "pass 'fuse-fma'"),
    ],
)
def test_bad_pipelines_are_refused(text: str, message: str) -> None:
    with pytest.raises(PipelineError, match=message):
        parse_pipeline(text, PASSES)


def test_nested_pipelines_need_passes_that_can_nest() -> None:
    with pytest.raises(PipelineError, match=r"only runs on 'builtin\.module'"):
        parse_pipeline("builtin.module(cuda_tile.module(mlir-opt))", dict(get_all_passes()))


def test_nested_step_leaves_the_rest_alone() -> None:
    text = KERNEL.replace("}\n}\n", "}\n" + KERNEL.split("\n", 1)[1].replace("@k", "@other"))
    module = tileir_xdsl.parse(text)
    entry = next(op for op in module.walk() if op.name == "cuda_tile.entry")
    SubtractPass().run_on(Context(), entry)
    names = [op.name for op in module.walk()]
    assert names.count("cuda_tile.subi") == 1
    assert names.count("cuda_tile.addi") == 1
    step = Step(SubtractPass(), ("builtin.module", "cuda_tile.module", "cuda_tile.entry"))
    assert [t.name for t in step.targets(module)] == ["cuda_tile.entry"] * 2


def test_the_front_ends_patterns_reach_xdsls_canonicalize() -> None:
    module = tileir_xdsl.parse(KERNEL.replace("addi %n, %n", "subi %n, %n"))
    get_all_passes()["canonicalize"]()().apply(Context(), module)
    assert "cuda_tile.subi" not in [op.name for op in module.walk()]
