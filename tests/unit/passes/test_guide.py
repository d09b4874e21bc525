"""The guide to writing a pass: its code runs, and is the code of the example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "writing-a-pass.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples" / "custom_pass"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_code_of_the_guide_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
    namespace: dict[str, object] = {"__name__": "guide"}
    monkeypatch.setitem(sys.modules, "guide", type(sys)("guide"))
    for block in _blocks("python"):
        exec(compile(block, "writing-a-pass.md", "exec"), namespace)
    assert "UNIVERSE" in namespace


def test_code_of_the_guide_is_that_of_the_example() -> None:
    sources = [path.read_text(encoding="utf-8") for path in EXAMPLE.rglob("*.py")]
    everything = "\n".join(sources)
    for block in _blocks("python"):
        if "tileir_xdsl.parse(" in block:
            continue
        for definition in re.split(r"\n\n\n", block):
            lines = definition.splitlines()
            body = "\n".join(x for x in lines if not x.startswith(("from ", "import ")))
            assert body.strip() in everything
    assert _blocks("toml")[0] in (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")


def _installed(project: Path, target: Path) -> None:
    """What an installation of a project leaves for its entry points to be found."""
    data = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = target / f"{data['name'].replace('-', '_')}-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {data['name']}\nVersion: 0\n")
    lines: list[str] = []
    for group, entries in data["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def _commands() -> list[list[str]]:
    lines = [line for line in _blocks("console")[0].splitlines() if line]
    return [
        [word.strip("'") for word in re.findall(r"(?:[^\s']|'[^']*')+", line)][1:] for line in lines
    ]


def test_commands_of_the_guide_work_when_the_package_is_installed(tmp_path: Path) -> None:
    for project in (ROOT, EXAMPLE):
        _installed(project, tmp_path)
    path = os.pathsep.join([str(tmp_path), str(ROOT), str(EXAMPLE)])
    programs = {"tile-opt": "tileir_xdsl.cli.tile_opt", "xdsl-opt": "xdsl.tools.xdsl_opt"}
    for program, *arguments in _commands():
        arguments = [a.replace("='", "=").rstrip("'") for a in arguments]
        result = subprocess.run(
            [sys.executable, "-m", programs[program], *arguments],
            cwd=EXAMPLE,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
        assert "shli" in result.stdout
