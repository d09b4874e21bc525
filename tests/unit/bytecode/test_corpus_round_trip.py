"""Every file of the corpus is read, written and read again, in its own and in other versions."""

import subprocess
from pathlib import Path

import pytest
from support import corpus

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.tileiras import find_tileirdisasm

BY_NVIDIAS_WRITER = [
    case for version in ("13.1", "13.2", "13.3") for case in corpus.cases("deep", version=version)
]
"""Files that NVIDIA's own text tool wrote."""


def rewritten(case: corpus.Case) -> bytes:
    assert case.version is not None
    return encode_module(decode_module(case.bytecode, case.id), case.version)


def groups() -> list[tuple[corpus.Folder, str]]:
    return [(folder, version) for folder in corpus.VERSIONED_FOLDERS for version in corpus.VERSIONS]


@pytest.mark.parametrize("case", BY_NVIDIAS_WRITER, ids=str)
def test_written_bytes_are_those_of_nvidias_writer(case: corpus.Case):
    assert rewritten(case) == case.bytecode


@pytest.mark.parametrize(("folder", "version"), groups())
def test_writing_is_a_fixed_point(folder: corpus.Folder, version: str):
    for case in corpus.cases(folder, version=version):
        first = decode_module(case.bytecode, case.id)
        written = encode_module(first, version)
        second = decode_module(written, case.id)
        assert first.is_structurally_equivalent(second), case
        assert encode_module(second, version) == written, case


@pytest.mark.parametrize("version", corpus.VERSIONS[:-1])
def test_old_files_are_the_same_in_the_newest_version_and_back(version: str):
    """What an old version does not store has a default, which the newest version spells out."""
    for case in corpus.cases("deep", "accept", version=version):
        module = decode_module(case.bytecode, case.id)
        newest = decode_module(encode_module(module, "13.5"), case.id)
        assert module.is_structurally_equivalent(newest), case
        assert encode_module(newest, version) == encode_module(module, version), case


@pytest.fixture(scope="module")
def disassembler() -> Path:
    try:
        return find_tileirdisasm()
    except DiagnosticError:
        pytest.skip("NVIDIA's tileirdisasm is not installed")


@pytest.mark.parametrize(("folder", "version"), groups())
def test_nvidias_disassembler_prints_the_written_file_as_the_original(
    folder: corpus.Folder, version: str, disassembler: Path, tmp_path: Path
):
    path = tmp_path / "k.tileirbc"
    for case in corpus.cases(folder, version=version):
        if case in BY_NVIDIAS_WRITER:
            continue  # Written with the very same bytes.
        path.write_bytes(rewritten(case))
        for option, expected in (([], case.text), (["-g"], case.g_text)):
            if expected is None:
                continue
            done = subprocess.run(
                [disassembler, *option, path], capture_output=True, timeout=60, check=False
            )
            assert done.returncode == 0, (case, done.stderr)
            assert done.stdout == expected, (case, option)
