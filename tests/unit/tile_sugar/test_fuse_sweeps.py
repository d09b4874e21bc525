"""Fusion is free of meaning: with and without it a program ends in the same operations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from support.random_sugar import Program, programs
from support.sugar import EXAMPLES, lowered
from xdsl.ir import Operation

CODEGEN = Path(__file__).parents[2] / "codegen"
KERNELS = sorted([*EXAMPLES.glob("*.mlir"), *CODEGEN.glob("*.mlir")])


def operations(module: Operation) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often each operation appears with each result types."""
    return Counter((op.name, tuple(map(str, op.result_types))) for op in module.walk())


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("exact", [True, False])
def test_same_operations_with_and_without(path: Path, exact: bool) -> None:
    text = path.read_text()
    fused, plain = (lowered(text, exact=exact, fuse=fuse) for fuse in (True, False))
    assert operations(fused) == operations(plain)


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
)
@given(programs())
def test_random_kernels(program: Program) -> None:
    fused, plain = (lowered(program.text, fuse=fuse) for fuse in (True, False))
    assert operations(fused) == operations(plain)
