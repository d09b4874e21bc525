"""Packing is deterministic and keeps every file."""

import importlib.util
import os
import tarfile
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def packer() -> ModuleType:
    path = Path(__file__).parents[3] / "tools" / "pack_conformance.py"
    spec = importlib.util.spec_from_file_location("pack_conformance", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_corpus(root: Path, names: list[str], time: int) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (time, time))


NAMES = ["real/13.1/b.tileirbc", "real/13.1/a.mlir", "verifier_cases.json"]


def test_same_files_give_the_same_bytes(packer: ModuleType, tmp_path: Path):
    write_corpus(tmp_path / "one", NAMES, 1_000_000_000)
    write_corpus(tmp_path / "two", NAMES[::-1], 1_500_000_000)
    assert packer.pack(tmp_path / "one") == packer.pack(tmp_path / "two")


def test_archive_holds_the_files_and_no_others(packer: ModuleType, tmp_path: Path):
    write_corpus(tmp_path / "source", [*NAMES, "README.md"], 1_000_000_000)
    archive = tmp_path / "out.tar.xz"
    assert packer.main([str(tmp_path / "source"), str(archive)]) == 0
    with tarfile.open(archive) as opened:
        assert opened.getnames() == sorted(NAMES)
    assert [path.name for path in tmp_path.glob("out*")] == ["out.tar.xz"]


def test_empty_source_is_an_error(
    packer: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    archive = tmp_path / "out.tar.xz"
    assert packer.main([str(tmp_path), str(archive)]) == 1
    assert "no conformance files" in capsys.readouterr().err
    assert not archive.exists()
