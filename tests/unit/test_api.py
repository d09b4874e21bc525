"""The public API is small, and importing it costs nothing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tileir_xdsl

ROOT = Path(__file__).parents[2]


def test_public_names():
    functions = "abi compile decode encode launch parse run text verify"
    assert tileir_xdsl.__all__ == ["Kernel", *functions.split()]
    assert all(callable(getattr(tileir_xdsl, name)) for name in tileir_xdsl.__all__)


@pytest.mark.parametrize("module", ["tileir_xdsl", "tileir_xdsl.runtime.tileiras"])
def test_import_is_light(module: str):
    heavy = {"numpy", "ml_dtypes", "rich", "xdsl", "importlib.metadata"}
    script = f"import sys, {module}; print(*sorted({heavy} & sys.modules.keys()))"
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", cwd=ROOT, check=True
    )
    assert completed.stdout.split() == []


def test_version_is_stated_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["dynamic"] == ["version"]
    assert tileir_xdsl.__version__.count(".") == 2
