"""The guide to `tile_sugar`: its code and its commands run, and it names no operation in vain."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.nvidia import tileiras

from tileir_xdsl.cli.tile_opt import main
from tileir_xdsl.dialects.cuda_tile.parser import parse_module
from tileir_xdsl.dialects.tile_sugar import OPERATIONS

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "tile_sugar.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_code(capsys: pytest.CaptureFixture[str]):
    namespace: dict[str, Any] = {"__name__": "guide"}
    for block in blocks("python"):
        exec(compile(block, "tile_sugar.md", "exec"), namespace)
    assert "multiple" in capsys.readouterr().out


def test_fragments():
    for block in blocks("mlir"):
        parse_module(
            "tile_sugar.kernel @k() {\n%x = constant 1.0 : tile<8x100xf32>\n"
            f"%m = constant 1.0 : tile<8x1xf32>\n{block}\nreturn\n}}",
            "tile_sugar.md",
        ).verify()


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tileiras()
    monkeypatch.chdir(tmp_path)
    kernel = re.search(r'"""\n(tile_sugar\.kernel .*?)"""', GUIDE, re.DOTALL)
    assert kernel is not None
    Path("softmax.mlir").write_text(kernel[1], encoding="utf-8")
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    commands += re.findall(r"`(tile-opt [^`]+)`", GUIDE)
    assert len(commands) == 5
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "tile-opt"
        assert main(arguments) == 0, command
    assert Path("softmax.cubin").stat().st_size > 0
    assert Path("softmax.tileirbc").stat().st_size > 0


def test_operations_from_other_languages():
    known = {cls.mnemonic() for cls in OPERATIONS}
    table = GUIDE.partition("## From other tile languages")[2].partition("\n\nShapes")[0]
    rows = [line.split(" | ")[-1] for line in table.splitlines()[4:] if line.startswith("| ")]
    named = {
        word
        for row in rows
        for text in re.findall(r"`([^`]+)`", row)
        if re.match(r"%?[a-z]\w*( |=|$)", text)
        for word in [re.sub(r"^%\w+ = ", "", text).split()[0]]
    }
    assert len(named) > 12
    assert named - {"scf.for", "scf.if", "other", "fill", "iter_args"} <= known
