"""Text of the corpus: NVIDIA's character for character, and ours reads back to the same program.

The deep cases of the newest version exercise every rule of the text; the rest is slow for what it
adds.
"""

from __future__ import annotations

import pytest
from support.corpus import VERSIONS, Case, cases
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.dialects.cuda_tile.parser import parse_module
from tileir_xdsl.dialects.cuda_tile.printer import module_text


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def check_nvidia(case: Case) -> ModuleOp:
    module = decode_module(case.bytecode, name=case.id)
    assert as_bytes(module_text(module, nvidia=True, wrapped=False)) == case.text, case
    if case.g_text is not None:
        text = module_text(module, debuginfo=True, nvidia=True, wrapped=False)
        assert as_bytes(text) == case.g_text, case
    return module


def check_reading_back(module: ModuleOp, case: Case) -> None:
    everything = module_text(module, debuginfo=True, generic=True)
    assert module_text(parse_module(everything), debuginfo=True, generic=True) == everything, case
    text = module_text(module, debuginfo=True, wrapped=True)
    assert module_text(parse_module(text), debuginfo=True, generic=True) == everything, case


@pytest.mark.parametrize("case", cases("deep", version="13.5"), ids=lambda case: case.name)
def test_deep_cases(case: Case):
    check_reading_back(check_nvidia(case), case)


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_all_cases(version: str):
    for case in cases(version=version):
        check_reading_back(check_nvidia(case), case)
