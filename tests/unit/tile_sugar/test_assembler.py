"""tileiras takes what the pipeline makes of every example, for every target."""

from __future__ import annotations

import pytest
from support.sugar import EXAMPLES, lowered

from tileir_xdsl import encode
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.tileiras import assemble, find_tileiras

TARGETS = ("sm_80", "sm_90", "sm_100", "sm_120")


@pytest.fixture(scope="module", autouse=True)
def fixture_tileiras() -> None:
    try:
        find_tileiras()
    except DiagnosticError:
        pytest.skip("tileiras is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.mlir")))
def test_examples_assemble(name: str, target: str) -> None:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    for version, exact in (("13.4", False), ("13.1", True)):
        module = lowered(text, target=target, version=version, exact=exact)
        assert assemble(encode(module, version), target)
