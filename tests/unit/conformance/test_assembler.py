"""NVIDIA's assembler accepts what we write from the corpus's texts."""

from __future__ import annotations

import pytest
from support import corpus, nvidia
from support.comparison import report

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.tileiras import assemble

GPU = "sm_100"
SECONDS = 120.0

NOT_COMPILABLE = {
    "only_globals": "a module without an entry",
    "symbols_quoted": "names that are no PTX identifiers",
    "strings_raw_bytes": "names that are no PTX identifiers",
    "strided_gather_scatter_views": "a gather index of i16",
    "float_fnv8e5m3_all_bytes": "sm_100 has no fnv8E5M3FNU",
    "conversions_rounding_all": "sm_100 has no fnv8E5M3FNU",
}
"""Valid programs of `deep` that tileiras refuses, by name."""

SAMPLE = (
    "accept/13.1/atomic_cas_tko_03",
    "accept/13.1/load_ptr_tko_06",
    "accept/13.2/print_tko_02",
    "accept/13.3/mmaf_scaled_00",
    "accept/13.4/store_view_tko_04",
    "accept/13.5/insert_00",
    "accept/13.5/multimem_reduce_view_tko_08",
    "real/13.1/axpy_f32",
    "real/13.3/axpy_f32",
    "deep/13.1/kernel_layernorm",
    "deep/13.2/control_flow_all_carried_kinds",
    "deep/13.3/kernel_attention_online",
    "deep/13.4/kernel_matmul_pdl_insert",
    "deep/13.5/arg_attributes",
    "deep/13.5/inbounds_all_views",
)


def refusal(case: corpus.Case) -> str | None:
    """What the assembler says against our file of a case."""
    assert case.version is not None
    text = case.g_text or case.text
    module = tileir_xdsl.parse(text.decode("utf-8", "surrogateescape"), str(case))
    data = tileir_xdsl.encode(module, case.version)
    try:
        cubin = assemble(data, GPU, nvidia.tileiras(), timeout=SECONDS, name=str(case))
    except DiagnosticError as error:
        return str(error)
    return None if cubin.startswith(b"\x7fELF") else "no ELF image"


@pytest.mark.parametrize("name", SAMPLE)
def test_assembler_accepts_our_file(name: str):
    nvidia.tileiras()
    assert refusal(corpus.case(name)) is None


@pytest.mark.slow
@pytest.mark.parametrize("version", corpus.VERSIONS)
@pytest.mark.parametrize("folder", corpus.VERSIONED_FOLDERS)
def test_assembler_accepts_all_our_files(folder: corpus.Folder, version: str):
    nvidia.tileiras()
    problems = [
        (case, refusal(case))
        for case in corpus.cases(folder, version=version)
        if case.name not in NOT_COMPILABLE
    ]
    assert problems
    assert not report(problems)


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_COMPILABLE)
def test_assembler_refuses_what_it_cannot_compile(name: str):
    """Also keeps the list of exceptions short: what compiles does not belong there."""
    nvidia.tileiras()
    cases = [case for case in corpus.cases("deep") if case.name == name]
    assert cases
    for case in cases:
        assert refusal(case) is not None, f"{case} compiles"
