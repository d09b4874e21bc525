"""The examples verify, read back in every form, and assemble for four architectures."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import nvidia
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.runtime.tileiras import assemble

FOLDER = Path(__file__).parents[3] / "examples" / "cuda_tile"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.mlir"))
GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
SECONDS = 120.0


def parsed(name: str) -> ModuleOp:
    path = FOLDER / f"{name}.mlir"
    return tileir_xdsl.parse(path.read_text(), path.name)


def test_there_are_the_examples_that_the_readme_names():
    assert {"vector_add", "softmax", "matmul", "attention", "gather", "scan"} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_verifies_and_reads_back(name: str):
    module = parsed(name)
    assert tileir_xdsl.verify(module) == []
    text = tileir_xdsl.text(module)
    for form in (text, module_text(module, generic=True)):
        assert tileir_xdsl.text(tileir_xdsl.parse(form)) == text


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_the_same_after_bytecode(name: str):
    module = parsed(name)
    again = tileir_xdsl.decode(tileir_xdsl.encode(module))
    assert module_text(again, wrapped=False) == module_text(module, wrapped=False)


@pytest.mark.slow
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_example_assembles(name: str, gpu: str):
    tool = nvidia.tileiras()
    data = tileir_xdsl.encode(parsed(name))
    assert assemble(data, gpu, tool, timeout=SECONDS, name=name).startswith(b"\x7fELF")
