"""`docs/dialects/` says what the declarations say, and its examples are programs."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

NAME = "gen_dialect_docs"


@pytest.fixture(scope="module")
def tool() -> Iterator[ModuleType]:
    path = Path(__file__).parents[3] / "tools" / f"{NAME}.py"
    spec = importlib.util.spec_from_file_location(NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[NAME]


@pytest.mark.parametrize("name", ["tile_sugar.md", "cuda_tile.md"])
def test_reference_is_up_to_date(tool: ModuleType, name: str) -> None:
    text = (tool.FOLDER / name).read_text(encoding="utf-8")
    assert text == tool.DOCUMENTS[name](), "run tools/gen_dialect_docs.py"


def test_examples_are_programs(tool: ModuleType) -> None:
    tool.check_examples()
