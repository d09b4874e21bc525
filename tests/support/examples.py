"""The launches of the examples, from `examples/launches.py`, and what they should compute."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
PATH = ROOT / "examples" / "launches.py"
SUGAR_PREFIX = "sugar/"


def load(path: Path, name: str) -> Any:
    """A Python file that is in no package."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


launches = load(PATH, "example_launches")
NAMES: list[str] = list(launches.EXAMPLES)
CUDA_TILE_NAMES = [name for name in NAMES if not name.startswith(SUGAR_PREFIX)]


def example(name: str) -> Any:
    """A fresh launch of an example; its `expected` has all arrays that it writes."""
    case = launches.EXAMPLES[name]()
    if name.startswith(SUGAR_PREFIX):
        case.expected, case.tolerance = _sugar_reference(name, case.arguments)
    return case


@functools.cache
def sugar_examples() -> Any:
    # The references of the examples of `tile_sugar` stand with their tests.
    path = ROOT / "tests" / "unit" / "tile_sugar" / "test_examples.py"
    return load(path, "sugar_example_references").BY_NAME


def _sugar_reference(name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], float]:
    reference = sugar_examples()[name.removeprefix(SUGAR_PREFIX)]
    copies: list[Any] = [v.copy() if hasattr(v, "copy") else v for v in arguments.values()]
    results = list(reference.reference(*copies))
    arrays = [key for key, value in arguments.items() if isinstance(value, np.ndarray)]
    expected = {
        key: np.asarray(result)
        for key, result in zip(arrays, results[-len(arrays) :], strict=True)
        if result is not None
    }
    return expected, max(reference.rtol, reference.atol, 1e-6)
