"""The launches of the examples, from `examples/launches.py`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[2] / "examples" / "launches.py"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("example_launches", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


launches = _load()
NAMES: list[str] = list(launches.EXAMPLES)


def example(name: str) -> Any:
    """A fresh launch of an example."""
    return launches.EXAMPLES[name]()
