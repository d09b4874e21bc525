"""What we write from the corpus's texts, NVIDIA's disassembler prints as those same texts."""

from __future__ import annotations

import pytest
from support import corpus, nvidia
from support.comparison import difference, report

import tileir_xdsl
from tileir_xdsl.runtime.tileiras import disassemble

GROUPS = [
    pytest.param(folder, version, id=f"{folder}-{version}")
    for folder in corpus.VERSIONED_FOLDERS
    for version in corpus.VERSIONS
]


def written(text: bytes, case: corpus.Case) -> bytes:
    assert case.version is not None
    module = tileir_xdsl.parse(text.decode("utf-8", "surrogateescape"), str(case))
    return tileir_xdsl.encode(module, case.version)


@pytest.mark.parametrize(("folder", "version"), GROUPS)
def test_written_file_disassembles_to_its_text(folder: corpus.Folder, version: str):
    tool = nvidia.tileirdisasm()
    problems: list[tuple[object, str | None]] = []
    for case in corpus.cases(folder, version=version):
        data = written(case.g_text or case.text, case)
        texts = {"": case.text, ".g": case.g_text}
        for suffix, expected in texts.items():
            if expected is None:
                continue
            actual = disassemble(data, debuginfo=suffix == ".g", tool=tool)
            text = expected.decode("utf-8", "surrogateescape")
            problems.append((f"{case}{suffix}", difference(text, actual)))
    assert problems
    assert not report(problems)


@pytest.mark.parametrize("version", corpus.VERSIONS)
def test_written_source_disassembles_to_its_text(version: str):
    tool = nvidia.tileirdisasm()
    problems: list[tuple[object, str | None]] = []
    for case in corpus.cases("deep", version=version):
        if case.source_text is None or case.name == "producer_plain":
            continue
        actual = disassemble(written(case.source_text, case), tool=tool)
        text = case.text.decode("utf-8", "surrogateescape")
        problems.append((case, difference(text, actual)))
    assert problems
    assert not report(problems)
