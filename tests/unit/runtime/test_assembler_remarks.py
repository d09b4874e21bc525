"""The assembler's remarks at the operations they are about: from a tool made of a few lines of
shell, and from the real one, which says what our lowering asks it for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.fake_tools import write_tool
from support.nvidia import tileiras

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError, Place, RemarkKind, to_yaml
from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline
from tileir_xdsl.runtime.assembler_remarks import (
    AssemblerRemark,
    compile_with_remarks,
    makes_remarks,
)

needs_shell = pytest.mark.skipif(os.name == "nt", reason="the fake tools are shell scripts")

KERNELS = Path(__file__).parents[2] / "codegen"

STORES = """\
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
    %u = store_ptr_tko weak %p, %x token=%t : tile<ptr<f32>>, tile<f32> -> token
  }
}
"""
# In program order: builtin.module, cuda_tile.module, entry, two stores, return.
FIRST_STORE, SECOND_STORE = 4, 5

DOCUMENT = """\
--- !{kind}
Pass:            Memory
Name:            RemarkMemoryTmaStoreFailed
DebugLoc:        {{ File: {file}, Line: {line}, Column: 1 }}
Function:        k
Args:
  - RemarkId:    1
  - Remark:      'Failed: it''s no TMA'
  - Reason:      'loc("operation.tileir-xdsl":5:1): stride not 16-byte aligned'
  - Reason:      'loc("operation.tileir-xdsl":4:1): stride not 16-byte aligned'
  - Shape:       "[1,\\t\\"2\\"]"
...
"""


def document(line: int, kind: str = "Failure", file: str = "operation.tileir-xdsl") -> str:
    return DOCUMENT.format(kind=kind, file=file, line=line)


def fake_tool(folder: Path, remarks: str, body: str = "", version: str = "13.5.37") -> Path:
    """An assembler that writes `remarks`, does `body`, and succeeds."""
    text = folder / "text"
    text.write_text(remarks)
    finding = 'file=$(echo "$arguments" | sed "s/.*--remarks-output-file=\\([^ ]*\\).*/\\1/")'
    writing = f'{finding}\ncat {text} >"$file"' if remarks else ""
    return write_tool(
        folder / "bin", "tileiras", f'{writing}\n{body}\necho cubin >"$output"', version
    )


def remarks_of(tool: Path) -> tuple[AssemblerRemark, ...]:
    module = tileir_xdsl.parse(STORES, "stores.mlir")
    return compile_with_remarks(module, "sm_90", "13.3", tool=tool).remarks


@needs_shell
def test_a_remark_belongs_to_its_operation(tmp_path: Path) -> None:
    module = tileir_xdsl.parse(STORES, "stores.mlir")
    tool = fake_tool(tmp_path, document(SECOND_STORE))
    assembly = compile_with_remarks(module, "sm_90", "13.3", tool=tool)
    assert assembly.cubin == b"cubin\n"
    (remark,) = assembly.remarks
    assert remark.kind is RemarkKind.FAILURE
    assert (remark.category, remark.function) == ("Memory", "k")
    assert remark.name == "RemarkMemoryTmaStoreFailed"
    assert remark.message == "Failed: it's no TMA"
    assert remark.operation is list(module.walk())[SECOND_STORE - 1]
    assert remark.details == (("Reason", "stride not 16-byte aligned"), ("Shape", '[1,\t"2"]'))
    assert remark.detail("Reason") == "stride not 16-byte aligned"
    assert remark.detail("Instruction") is None


@needs_shell
def test_a_remark_is_a_diagnostic_at_its_operation(tmp_path: Path) -> None:
    (remark,) = remarks_of(fake_tool(tmp_path, document(SECOND_STORE)))
    diagnostic = remark.diagnostic(Place.file("stores.mlir"))
    assert str(diagnostic.place) == "stores.mlir:4:10"
    assert diagnostic.message == (
        'Failed: it\'s no TMA: Reason = stride not 16-byte aligned, Shape = [1,\t"2"]'
    )
    assert to_yaml([diagnostic]).startswith("--- !Failure\nPass:            tileiras\n")


@needs_shell
@pytest.mark.parametrize("file", ["'<unknown file>'", "other.py"])
def test_a_remark_without_a_mark_belongs_to_no_operation(tmp_path: Path, file: str) -> None:
    (remark,) = remarks_of(fake_tool(tmp_path, document(SECOND_STORE, file=file)))
    assert remark.operation is None
    assert str(remark.diagnostic(Place.file("stores.mlir")).place) == "stores.mlir"


@needs_shell
def test_remarks_come_once_and_in_program_order(tmp_path: Path) -> None:
    text = document(SECOND_STORE) + document(FIRST_STORE) + document(SECOND_STORE, "Passed")
    found = remarks_of(fake_tool(tmp_path, text + document(FIRST_STORE)))
    places = [str(remark.diagnostic(Place.file("?")).place) for remark in found]
    assert places == ["stores.mlir:3:10", "stores.mlir:4:10", "stores.mlir:4:10"]


@needs_shell
def test_no_file_is_no_remark(tmp_path: Path) -> None:
    assert remarks_of(fake_tool(tmp_path, "")) == ()


@needs_shell
@pytest.mark.parametrize(
    "text", ["hello\n", "Pass: Memory\n", "--- !Invented\n", document(4).replace("Shape:", "Shape")]
)
def test_an_unknown_form_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(DiagnosticError, match="of its remarks is in no known form"):
        remarks_of(fake_tool(tmp_path, text))


@needs_shell
def test_an_error_stands_at_the_operation_that_the_assembler_names(tmp_path: Path) -> None:
    location = f'loc(\\"operation.tileir-xdsl\\":{FIRST_STORE}:1)'
    tool = fake_tool(tmp_path, "", f'echo "{location}: error: no such store" >&2; exit 5')
    with pytest.raises(DiagnosticError) as raised:
        remarks_of(tool)
    (error,) = raised.value.diagnostics
    assert error.message == "no such store"
    assert str(error.place) == "stores.mlir:3:10"


@needs_shell
def test_an_assembler_without_remarks_is_an_error(tmp_path: Path) -> None:
    tool = fake_tool(tmp_path, "", version="13.2.86")
    assert not makes_remarks(tool)
    with pytest.raises(DiagnosticError, match=r"13\.2\.86 makes no remarks; 13\.3 and newer"):
        remarks_of(tool)


@needs_shell
@pytest.mark.parametrize("option", ["--lineinfo", "-g"])
def test_line_information_would_be_wrong(tmp_path: Path, option: str) -> None:
    module = tileir_xdsl.parse(STORES, "stores.mlir")
    tool = fake_tool(tmp_path, "")
    with pytest.raises(DiagnosticError, match=f"remarks and {option} exclude each other"):
        compile_with_remarks(module, "sm_90", tool=tool, extra_args=[option])


# --- the real assembler


def lowered(text: str, name: str, gpu: str = "sm_90", access: str = "auto"):
    module = tileir_xdsl.parse(text, name)
    pipeline = TileSugarToCudaTilePipeline(target=gpu, version="13.4", access=access)
    pipeline.apply(new_context(), module)
    return module


def said_of(
    kernel: str, gpu: str = "sm_90", access: str = "auto", text: str | None = None
) -> dict[str, list[AssemblerRemark]]:
    """What the assembler says of a kernel of `tests/codegen`, by line of its text."""
    tool = tileiras()
    file = f"{kernel}.mlir"
    text = (KERNELS / file).read_text() if text is None else text
    lines = text.splitlines()
    found: dict[str, list[AssemblerRemark]] = {}
    assembly = compile_with_remarks(lowered(text, file, gpu, access), gpu, "13.4", tool=tool)
    for remark in assembly.remarks:
        place = remark.diagnostic(Place.file("?")).place
        assert place.range is not None
        found.setdefault(lines[place.range.start.line - 1].strip(), []).append(remark)
    return found


def instructions(remarks: list[AssemblerRemark]) -> list[str]:
    return [i for remark in remarks if (i := remark.detail("Instruction")) is not None]


def test_the_loads_of_a_product_are_tma_and_the_product_is_on_tensor_cores() -> None:
    said = said_of("matmul_128x256")
    loads = {line: instructions(r) for line, r in said.items() if " = load " in line}
    assert len(loads) == 2
    assert all(found == ["TMA Load instruction"] for found in loads.values())
    (product,) = [r for rs in said.values() for r in rs if r.category == "Tensor-core"]
    assert product.kind is RemarkKind.PASSED
    assert product.detail("Instruction") == "Tensor-core SM90"
    assert product.operation is not None
    assert product.operation.name == "cuda_tile.mmaf"


@pytest.mark.parametrize("access", ["auto", "view"])
def test_a_softmax_uses_no_tma(access: str) -> None:
    said = said_of("softmax_8x128_masked", access=access)
    found = [i for remarks in said.values() for i in instructions(remarks)]
    assert not any("TMA" in instruction for instruction in found)
    assert found == ([] if access == "auto" else ["Global-memory load instruction"])


def test_the_reason_why_a_view_is_not_loaded_by_tma() -> None:
    text = (KERNELS / "matmul_128x256.mlir").read_text().replace(", multiple = [1, 8]", "", 1)
    said = said_of("matmul_128x256", access="view", text=text)
    failures = {
        line: remark
        for line, remarks in said.items()
        for remark in remarks
        if remark.kind is RemarkKind.FAILURE
    }
    assert [line.split()[0] for line in failures] == ["%a"]
    for failure in failures.values():
        assert failure.details == (("Reason", "stride not 16-byte aligned"),)


def test_remarks_do_not_change_the_cubin() -> None:
    tool = tileiras()
    module = lowered((KERNELS / "softmax_8x128_full.mlir").read_text(), "k.mlir")
    text = tileir_xdsl.text(module, debuginfo=True)
    plain = tileir_xdsl.compile(module, "sm_90", "13.4", tool=tool)
    assert compile_with_remarks(module, "sm_90", "13.4", tool=tool).cubin == plain
    assert tileir_xdsl.text(module, debuginfo=True) == text
