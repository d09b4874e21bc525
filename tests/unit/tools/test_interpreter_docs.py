"""The tables of docs/interpreter.md are what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.interpreter import KINDS

ROOT = Path(__file__).parents[3]


def load_tool() -> Any:
    path = ROOT / "tools" / "interpreter_docs.py"
    spec = importlib.util.spec_from_file_location("interpreter_docs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_current():
    tool = load_tool()
    page = (ROOT / "docs" / "interpreter.md").read_text()
    assert page == tool.with_tables(page), "run python tools/interpreter_docs.py"


def test_tables_are_complete():
    page = (ROOT / "docs" / "interpreter.md").read_text()
    for name in (*KINDS, *(op.mnemonic() for op in OPERATIONS)):
        assert f"| `{name}` |" in page
