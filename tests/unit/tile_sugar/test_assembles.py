"""NVIDIA's assembler takes the bytecode of every example, in every version and for every GPU."""

from __future__ import annotations

import pytest
from support.nvidia import tileiras
from support.sugar import EXAMPLES, example_text, parse

import tileir_xdsl
from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
VERSIONS = ("13.1", "13.3", "13.4", "13.5")


def assemble(name: str, version: str, gpu: str) -> None:
    tool = tileiras()
    module = parse(example_text(name), name)
    TileSugarToCudaTilePipeline(target=gpu, version=version).apply(new_context(), module)
    assert tileir_xdsl.compile(module, gpu, version, tool=tool).startswith(b"\x7fELF")


def test_an_example_assembles() -> None:
    assemble("softmax_100", "13.1", "sm_90")


@pytest.mark.slow
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_every_example_assembles(name: str, version: str, gpu: str) -> None:
    assemble(name, version, gpu)
