"""`docs/passes.md` says what the passes' docstrings say."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def test_documentation_of_passes_is_up_to_date() -> None:
    path = Path(__file__).parents[3] / "tools" / "gen_pass_docs.py"
    spec = importlib.util.spec_from_file_location("gen_pass_docs", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.TARGET.read_text(encoding="utf-8") == tool.document(), "run tools/gen_pass_docs.py"
