"""The corpus's wrong programs are refused, as bytecode and as text, and its odd ones accepted."""

from __future__ import annotations

import re

import pytest
from support.corpus import VerifierCase, cases, verifier_cases

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.diagnostics import (
    Diagnostic,
    DiagnosticError,
    DiagnosticSink,
    Severity,
    SourceFile,
)
from tileir_xdsl.dialects.cuda_tile.parser import parse_source
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.verifier import verify_into, verify_module

REJECTED = [case for case in verifier_cases() if case.expect == "reject"]
ODD = [case for case in verifier_cases() if case.expect == "accept"]

TYPE_OR_ATTRIBUTE = {
    "079_assume_div_by_3": "div_by<3>",
    "080_assume_div_by_0": "div_by<0>",
    "081_assume_div_by_2_63": "div_by<9223372036854775808>",
    "083_assume_every_only": None,
    "092_bounded_lb_ub": "bounded<5, 4>",
    "120_mtv_zero_stride": "tensor_view<64xf32, strides=[0]>",
    "124_pview_3": "partition_view<tile=(3x8), tensor_view<64x64xf32, strides=[64,1]>>",
    "125_pview_rank": "partition_view<tile=(4), tensor_view<64x64xf32, strides=[64,1]>>",
    "126_pview_dim_map_dup": (
        "partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 0]>"
    ),
    "127_pview_nan_int": (
        "partition_view<tile=(4x8), padding_value = nan, tensor_view<64x64xi32, strides=[64,1]>>"
    ),
    "129_sview_stride_0": (
        "strided_view<tile=(4x8), traversal_strides=[0,1], tensor_view<64x64xf32, strides=[64,1]>>"
    ),
    "130_gsview_sparse_2": (
        "gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=2>"
    ),
}
"""What the reader refuses before there is an operation; None where text has no form for it."""


def errors(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return [d for d in diagnostics if d.severity is Severity.ERROR]


def bytecode_errors(case: VerifierCase) -> list[Diagnostic]:
    try:
        return errors(verify_module(decode_module(case.case.bytecode, name=case.case.name)))
    except DiagnosticError as error:
        return list(error.diagnostics)


def text_errors(text: str) -> list[Diagnostic]:
    sink = DiagnosticSink()
    verify_into(parse_source(SourceFile("case.mlir", text), sink), sink)
    return errors(sink.sorted())


def name_of(case: VerifierCase) -> str:
    return case.case.name


def test_all_cases_are_here() -> None:
    assert len(REJECTED) == 129
    assert len(ODD) == 33


@pytest.mark.parametrize("case", REJECTED, ids=name_of)
def test_rejected_bytecode(case: VerifierCase) -> None:
    found = bytecode_errors(case)
    assert found
    assert all(error.path == case.case.name for error in found)
    assert all(error.place.byte_offset is not None for error in found)


@pytest.mark.parametrize(
    "case", [c for c in REJECTED if name_of(c) not in TYPE_OR_ATTRIBUTE], ids=name_of
)
def test_rejected_text(case: VerifierCase) -> None:
    """The generic form says all that bytecode does, so it has the same errors."""
    module = decode_module(case.case.bytecode, name=case.case.name)
    expected = [error.message for error in errors(verify_module(module))]
    text = module_text(module, generic=True)
    found = text_errors(text)
    assert [error.message for error in found] == expected
    for error in found:
        assert error.range is not None
        operation = re.match(r"'([\w.]+)' op", error.message)
        assert operation is not None
        assert operation[1] in text.splitlines()[error.range.start.line - 1]


@pytest.mark.parametrize(
    ("name", "written"), [item for item in TYPE_OR_ATTRIBUTE.items() if item[1] is not None]
)
def test_rejected_types_and_attributes(name: str, written: str) -> None:
    case = next(c for c in REJECTED if name_of(c) == name)
    (refusal,) = bytecode_errors(case)
    match = re.match(r"(?:attribute|type \d+) is not valid: (.*) \(reading ", refusal.message)
    assert match is not None
    argument = "tile<i32>" if "<" in written and written.startswith(("div", "bounded")) else written
    body = f"  %0 = assume {written}, %a : tile<i32>\n" if argument != written else ""
    text = f"entry @k(%a: {argument}) {{\n{body}  return\n}}\n"
    (error,) = text_errors(text)
    assert error.message == match[1]
    assert error.range is not None
    line = text.splitlines()[error.range.start.line - 1]
    assert line.startswith(written, error.range.start.column - 1)


@pytest.mark.parametrize("case", ODD, ids=name_of)
def test_odd_is_accepted(case: VerifierCase) -> None:
    module = decode_module(case.case.bytecode, name=case.case.name)
    assert not errors(verify_module(module))
    assert not text_errors(module_text(module))
    assert not text_errors(module_text(module, generic=True))


@pytest.mark.parametrize("version", ["13.1", "13.3", "13.5"])
def test_valid_programs_have_no_errors(version: str) -> None:
    for case in cases(version=version):
        module = decode_module(case.bytecode, name=case.name)
        assert not errors(verify_module(module)), case
