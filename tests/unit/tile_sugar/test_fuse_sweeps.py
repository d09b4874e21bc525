"""Fusion is free of meaning: with and without it a program ends in the same operations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.random_sugar import Program, programs
from support.sugar import EXAMPLES, Launch, lowered
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import Severity
from tileir_xdsl.interpreter import UndefinedBehaviour
from tileir_xdsl.interpreter.api import entries
from tileir_xdsl.interpreter.semantics import check_equal, generate_inputs
from tileir_xdsl.versions import SUPPORTED

CODEGEN = Path(__file__).parents[2] / "codegen"
KERNELS = sorted([*EXAMPLES.glob("*.mlir"), *CODEGEN.glob("*.mlir")])
CHECKS = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
VERSIONS = tuple(map(str, SUPPORTED))


def operations(module: Operation) -> Counter[tuple[Any, ...]]:
    """How often each operation appears, with its types, properties and attributes."""
    return Counter(
        (
            op.name,
            tuple(map(str, op.operand_types)),
            tuple(map(str, op.result_types)),
            tuple(sorted((name, str(value)) for name, value in op.properties.items())),
            tuple(sorted((name, str(value)) for name, value in op.attributes.items())),
        )
        for op in module.walk()
    )


def both(text: str, **options: Any) -> tuple[ModuleOp, ModuleOp]:
    """The lowered program with and without fusion, which must have the same operations."""
    fused, plain = (lowered(text, fuse=fuse, **options) for fuse in (True, False))
    assert operations(fused) == operations(plain)
    return fused, plain


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "default"])
def test_same_operations_and_bits(path: Path, exact: bool) -> None:
    text = path.read_text()
    fused, plain = both(text, exact=exact)
    (entry,) = entries(fused)
    found = check_equal(plain, fused, generate_inputs(fused, entry))
    assert [d.message for d in found if d.severity is Severity.ERROR] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_same_operations_in_every_version(path: Path) -> None:
    for version in VERSIONS:
        for exact in (True, False):
            both(path.read_text(), exact=exact, version=version)


def check_random(program: Program, version: str) -> None:
    both(program.text, version=version)
    fused, plain = both(program.text, exact=True, version=version)
    launch = Launch(program.text, program.values)
    try:
        expected = launch.original()
    except UndefinedBehaviour:
        return
    assert expected.difference(launch.run(plain)) is None
    assert expected.difference(launch.run(fused)) is None


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=CHECKS)
@given(programs(), st.sampled_from(VERSIONS))
def test_random_kernels(program: Program, version: str) -> None:
    check_random(program, version)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=CHECKS)
@given(programs(), st.sampled_from(VERSIONS))
def test_many_random_kernels(program: Program, version: str) -> None:
    check_random(program, version)
