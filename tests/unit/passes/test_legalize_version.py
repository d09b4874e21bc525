"""`legalize-version`: equal results, nothing left that the version lacks, refusals by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.filecheck_runner import available_features
from support.legalization_cases import APPROXIMATE, CASES, NOT_IN_BODIES
from support.pattern_check import apply_pattern, difference
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.passes.legalization import legalizations
from tileir_xdsl.passes.legalize_version import LegalizeVersionPass

RULES = {rule.pattern.name: rule for rule in legalizations()}


def test_every_legalization_has_a_case() -> None:
    assert set(CASES) | NOT_IN_BODIES | APPROXIMATE == set(RULES)
    assert {name for name, rule in RULES.items() if rule.approximate} == APPROXIMATE


@pytest.mark.parametrize("name", CASES)
def test_legalization_keeps_results(name: str) -> None:
    for case in CASES[name]:
        assert difference(case, apply_pattern(RULES[name].pattern)) is None, case.body


@pytest.mark.parametrize("name", CASES)
def test_whole_pass_gives_13_1_with_the_same_results(name: str) -> None:
    for case in CASES[name][::5]:
        encoded: list[bytes] = []

        def legalize(module: ModuleOp, encoded: list[bytes] = encoded) -> None:
            LegalizeVersionPass(to=13.1).apply(Context(), module)
            encoded.append(tileir_xdsl.encode(module, "13.1"))

        assert difference(case, legalize) is None, case.body
        assert encoded


PROGRAM = Path(__file__).parents[2] / "filecheck/passes/legalize-version-everything.mlir"
EVERYTHING = PROGRAM.read_text(encoding="utf-8")


def test_a_module_with_every_feature_becomes_13_1() -> None:
    module = tileir_xdsl.parse(EVERYTHING)
    with pytest.raises(DiagnosticError):
        tileir_xdsl.encode(module, "13.1")
    LegalizeVersionPass(to=13.1).apply(Context(), module)
    assert not [d for d in tileir_xdsl.verify(module) if d.severity.value == "error"]
    text = tileir_xdsl.text(tileir_xdsl.decode(tileir_xdsl.encode(module, "13.1")))
    for feature in ("private", "constant @g", "unsigned {", "pack", "strided", "inbounds", "fpowi"):
        assert feature not in text


@pytest.mark.slow
@pytest.mark.skipif("tileiras" not in available_features(), reason="needs NVIDIA's tileiras")
def test_the_assembler_accepts_what_was_legalized() -> None:
    module = tileir_xdsl.parse(EVERYTHING)
    LegalizeVersionPass(to=13.1).apply(Context(), module)
    assert tileir_xdsl.compile(module, "sm_90", "13.1")


def _errors(body: str, **options: bool) -> list[str]:
    module = tileir_xdsl.parse(
        "cuda_tile.module @m { entry @k(%x: tile<f32>, %p: tile<ptr<f32>>) {\n"
        f"{body}\nreturn }} }}",
        "k.mlir",
    )
    try:
        LegalizeVersionPass(to=13.1, **options).apply(Context(), module)
    except DiagnosticError as error:
        return [f"{d.range.start.line if d.range else 0}: {d.message}" for d in error.diagnostics]
    return []


def test_what_has_no_equivalent_is_refused_by_name_and_place() -> None:
    errors = _errors(
        "%t = gdc_wait_tko -> token\n%a = atan2 %x, %x : tile<f32>\n"
        "%s = store_ptr_tko weak %p, %a token=%t : tile<ptr<f32>>, tile<f32> -> token"
    )
    assert [e.partition(":")[0] for e in errors] == ["2", "3"]
    assert "'cuda_tile.gdc_wait_tko'" in errors[0]
    assert "'cuda_tile.atan2'" in errors[1]


def test_approximations_only_when_allowed() -> None:
    body = (
        "%a = tanh %x rounding<approx> : tile<f32>\n%b = exp %a rounding<approx> : tile<f32>\n"
        "%s = store_ptr_tko weak %p, %b : tile<ptr<f32>>, tile<f32> -> token"
    )
    assert len(_errors(body)) == 2
    assert _errors(body, approximate=True) == []


def test_newer_versions_keep_what_they_have() -> None:
    module = tileir_xdsl.parse(EVERYTHING)
    before = tileir_xdsl.text(module)
    LegalizeVersionPass(to=13.5).apply(Context(), module)
    assert tileir_xdsl.text(module) == before
