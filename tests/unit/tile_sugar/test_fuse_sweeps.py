"""Fusion is free of meaning: with and without it a program ends in the same operations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
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


NARROW = """tile_sugar.kernel @k(%X: tensor<4x8xi32>, %s: i32, %Y: tensor<4x8xi32>) {{
  %x = load %X[0, 0] : tensor<4x8xi32> -> tile<4x8xi32>
  {body}
  %m = mul %a, %x : tile<4x8xi32>
  store %m, %Y[0, 0] : tile<4x8xi32>, tensor<4x8xi32>
  return
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        """%i = iota 1 : tile<4x1xi32>
  %a = add %x, %i : tile<4x8xi32>, tile<4x1xi32>""",
        """%i = iota 0 : tile<1x8xi32>
  %j = iota 1 : tile<1x8xi32>
  %c = add %i, %j : tile<1x8xi32>
  %a = add %x, %c : tile<4x8xi32>, tile<1x8xi32>""",
        """%i = iota 1 : tile<1x1xi32>
  %c = add %i, %s : tile<1x1xi32>, i32
  %a = add %x, %c : tile<4x8xi32>, tile<1x1xi32>""",
        """%c = sweep(%s) : i32 -> tile<4x1xi32> {{
  ^bb0(%e: i32):
    %i = index 0
    %j = index 1
    %0 = add %i, %j : i32
    %1 = add %0, %e : i32
    yield %1 : i32
  }}
  %a = add %x, %c : tile<4x8xi32>, tile<4x1xi32>""",
        """%i = iota 1 : tile<4x1xi32>
  %c = mul %i, %i : tile<4x1xi32>
  %d = add %x, %c : tile<4x8xi32>, tile<4x1xi32>
  %a = rowmax %d : tile<4x8xi32>""",
    ],
    ids=["read", "moved", "one", "swept", "mapped"],
)
def test_only_position_stays_in_wider_shapes(body: str) -> None:
    text = NARROW.format(body=body.format()).replace("%m = mul %a, %x : tile<4x8xi32>", "{m}")
    reduced = "rowmax" in body
    types = "tile<4x1xi32>, tile<4x8xi32>" if reduced else "tile<4x8xi32>"
    text = text.replace("{m}", f"%m = mul %a, %x : {types}")
    values = [np.arange(32, dtype=np.int32).reshape(4, 8), np.int32(3), np.zeros((4, 8), np.int32)]
    launch = Launch(text, values)
    fused, _ = both(text, exact=True)
    assert launch.original().difference(launch.run(fused)) is None


@pytest.mark.parametrize("operation", ["div %i, %n", "rem %n, %j", "shl %n, %i"])
@pytest.mark.parametrize("reduced", [False, True])
def test_no_safe_operands_for_what_needs_none(operation: str, reduced: bool) -> None:
    """In a tile of 4x1 there is no padding, in one of 4x7 there would be."""
    value, columns = ("%r", 1) if reduced else ("%b", 7)
    text = f"""tile_sugar.kernel @k(%X: tensor<4x7xi32>, %n: i32, %Y: tensor<4x{columns}xi32>) {{
  %x = load %X[0, 0] : tensor<4x7xi32> -> tile<4x7xi32>
  %i = iota 0 : tile<4x1xi32>
  %j = add %i, %n : tile<4x1xi32>, i32
  %d = {operation} : TYPES
  %a = add %x, %d : tile<4x7xi32>, tile<4x1xi32>
  %b = mul %a, %x : tile<4x7xi32>
  %r = rowmax %b : tile<4x7xi32>
  store {value}, %Y[0, 0] : tile<4x{columns}xi32>, tensor<4x{columns}xi32>
  return
}}
"""
    first, second = ("tile<4x1xi32>", "i32") if "%i, %n" in operation else ("i32", "tile<4x1xi32>")
    text = text.replace("TYPES", f"{first}, {second}")
    values = [np.arange(28, dtype=np.int32).reshape(4, 7), 3, np.zeros((4, columns), np.int32)]
    launch = Launch(text, values)
    fused, plain = both(text, exact=True)
    expected = launch.original()
    assert expected.difference(launch.run(fused)) is None
    assert expected.difference(launch.run(plain)) is None
