"""Every text of the corpus parses, verifies, prints back exactly, and its default form reads back.

The texts are what NVIDIA's disassembler prints (`corpus.Case.text`, `.g_text`) and, for `deep`,
the modules as they were written (`.source_text`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import corpus
from support.comparison import difference, report, same_structure
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.diagnostics import Severity, render
from tileir_xdsl.dialects.cuda_tile.printer import module_text

GROUPS = [
    pytest.param(folder, version, id=f"{folder}-{version}")
    for folder in corpus.VERSIONED_FOLDERS
    for version in corpus.VERSIONS
]

HEADERS_WITHOUT_PRODUCER = {"deep/13.1/producer_plain", "deep/13.2/producer_plain"}
"""Their source names a producer, which the bytecode of their version does not hold."""


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def problems_of(case: corpus.Case) -> Iterator[tuple[object, str | None]]:
    """What is wrong with the texts of a case: how they print, verify or read back."""
    text = text_of(case.text)
    module = tileir_xdsl.parse(text, str(case))
    yield case, difference(text, module_text(module, nvidia=True))
    if case.g_text is None:
        yield case, semantic_problem(module, debuginfo=False)
        return
    # The text with debug info holds all that the plain one does.
    text = text_of(case.g_text)
    module = tileir_xdsl.parse(text, f"{case}.g")
    yield f"{case}.g", difference(text, module_text(module, debuginfo=True, nvidia=True))
    yield f"{case}.g", semantic_problem(module, debuginfo=True)


def semantic_problem(module: ModuleOp, debuginfo: bool) -> str | None:
    errors = [d for d in tileir_xdsl.verify(module) if d.severity is Severity.ERROR]
    if errors:
        return render(errors[0])
    return reading_problem(module, debuginfo)


def reading_problem(module: ModuleOp, debuginfo: bool) -> str | None:
    """What is lost when the default text of a module is read again."""
    text = module_text(module, debuginfo)
    again = tileir_xdsl.parse(text, "default text")
    if not module.is_structurally_equivalent(again):
        return "its default text reads back as another module"
    if debuginfo and not same_structure(module, again):
        return "its default text reads back with other locations"
    return difference(text, module_text(again, debuginfo))


@pytest.mark.parametrize(("folder", "version"), GROUPS)
def test_text_parses_verifies_and_prints_back(folder: corpus.Folder, version: str):
    cases = corpus.cases(folder, version=version)
    problems = [problem for case in cases for problem in problems_of(case)]
    assert problems
    assert not report(problems)


@pytest.mark.parametrize("version", corpus.VERSIONS)
def test_source_text_prints_as_the_disassembler_does(version: str):
    problems: list[tuple[object, str | None]] = []
    for case in corpus.cases("deep", version=version):
        if case.source_text is None:
            continue
        module = tileir_xdsl.parse(text_of(case.source_text), str(case))
        printed = module_text(module, nvidia=True, wrapped=False)
        if case.id in HEADERS_WITHOUT_PRODUCER:
            header, _, printed = printed.partition("\n")
            assert header.startswith("// Producer: ")
        problems.append((case, difference(text_of(case.text), printed)))
    assert problems
    assert not report(problems)
