"""The guide to launching: its code and its commands run, on a driver whose device is the
interpreter."""

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import fake_driver
from support.nvidia import tileiras as required_tileiras

from tileir_xdsl.cli.tile_run import main
from tileir_xdsl.runtime import tileiras
from tileir_xdsl.runtime.check_program import (
    EXIT_CANNOT_RUN,
    EXIT_MATCH,
    EXIT_MISMATCH,
    EXIT_NO_DEVICE,
    EXIT_USAGE,
)

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "launching.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> fake_driver.State:
    """A device, an assembler for it, and a folder of its own that has the examples."""
    real = tileiras.assemble

    def assemble(bytecode: bytes, gpu: str, *arguments: Any, **options: Any) -> bytes:
        real(bytecode, gpu, *arguments, **options)
        return fake_driver.cubin_of(bytecode, gpu)

    required_tileiras()
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    state = fake_driver.install(monkeypatch)
    from tileir_xdsl.runtime.kernel import Kernel

    compile_kernel = Kernel.compile

    def compile_for_the_fake(kernel: Any, *arguments: Any, **options: Any) -> bytes:
        with monkeypatch.context() as patch:
            patch.setattr(tileiras, "assemble", assemble)
            return compile_kernel(kernel, *arguments, **options)

    monkeypatch.setattr(Kernel, "compile", compile_for_the_fake)
    return state


def test_code(device: fake_driver.State, capsys: pytest.CaptureFixture[str]):
    namespace: dict[str, Any] = {"__name__": "guide"}
    for block in blocks("python"):
        exec(compile(block, "launching.md", "exec"), namespace)
    out = capsys.readouterr().out
    assert len(device.launches) == 3
    # What comments say that a line prints is printed.
    for comment in re.findall(r"^# (.+)$|print\(.*\)  +# (.+)$", "\n".join(blocks("python")), re.M):
        expected = comment[0] or comment[1]
        if not expected.startswith("what ran"):
            assert expected in out


def test_commands(device: fake_driver.State, capsys: pytest.CaptureFixture[str]):
    commands = [
        shlex.split(line.removeprefix("$ "))
        for block in blocks("console")
        for line in block.splitlines()
    ]
    assert [command[0] for command in commands] == ["tile-run"] * 4 + ["python"] * 2
    for program, *arguments in commands:
        if program == "tile-run":
            assert main(arguments) == 0, capsys.readouterr().err
            continue
        module = runpy.run_path(arguments[0], run_name="check")
        assert module["main"](module["DATA"], arguments[1:]) == 0
    assert np.allclose(np.load("y.npy").sum(axis=1), 1)


def test_statuses():
    rows = re.findall(r"^\| (\d) \| (.+?)[:|]", GUIDE, re.M)
    found = {int(status): words.strip() for status, words in rows}
    assert found == {
        EXIT_MATCH: "the results match",
        EXIT_MISMATCH: "they do not",
        EXIT_USAGE: "its options are wrong",
        EXIT_NO_DEVICE: "there is no device",
        EXIT_CANNOT_RUN: "the device cannot run the kernel",
    }
