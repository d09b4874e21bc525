"""The passes on what NVIDIA's own front end writes: size, results, and the assembler's verdict."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from support import nvidia
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.interpreter.api import entries
from tileir_xdsl.interpreter.semantics import compare, generate_inputs
from tileir_xdsl.passes.registry import PASSES
from tileir_xdsl.runtime.tileiras import assemble

if TYPE_CHECKING:
    from support import cutile_kernels as cutile
else:
    pytest.importorskip("cuda.tile", reason="the package cuda-tile is not installed")
    from support import cutile_kernels as cutile

pytestmark = pytest.mark.slow

CLEANUP = ("canonicalize", "cse", "dce")
GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
SECONDS = 120.0

NAMES = [kernel.name for kernel in cutile.KERNELS]


@cache
def _bytecode(name: str) -> tuple[bytes, str]:
    """A kernel in the newest version that it can be written in."""
    kernel = cutile.kernel_named(name)
    version = kernel.versions[-1]
    return cutile.compile_kernel(kernel, version, "sm_100"), version


def _cleaned(name: str, *passes: str) -> ModuleOp:
    module = tileir_xdsl.decode(_bytecode(name)[0])
    for pass_ in passes or CLEANUP:
        PASSES[pass_]()().apply(Context(), module)
    return module


def _size(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


def test_median_of_removed_operations() -> None:
    removed = sorted(
        1 - _size(_cleaned(name)) / _size(tileir_xdsl.decode(_bytecode(name)[0])) for name in NAMES
    )
    assert removed[len(removed) // 2] >= 0.18


@pytest.mark.parametrize("name", [name for name in NAMES if name != "matmul_persistent"])
def test_results_stay_the_same(name: str) -> None:
    # Generated inputs let the persistent kernel run to the limit of steps, which takes minutes.
    before = tileir_xdsl.decode(_bytecode(name)[0])
    after = _cleaned(name, *CLEANUP, "licm", "canonicalize")
    try:
        inputs = [case for entry in entries(before) for case in generate_inputs(before, entry)]
    except DiagnosticError as error:
        pytest.skip(f"not interpreted: {error.diagnostics[0].message}")
    assert compare(before, after, inputs).diagnostics == []


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", NAMES)
def test_the_assembler_accepts_what_is_left(name: str, gpu: str) -> None:
    data, version = _bytecode(name)
    tool = nvidia.tileiras()
    try:
        assemble(data, gpu, tool, [], SECONDS)
    except DiagnosticError:
        pytest.skip(f"{gpu} does not take the kernel as it is")
    written = tileir_xdsl.encode(_cleaned(name, *CLEANUP, "licm"), version)
    assert assemble(written, gpu, tool, [], SECONDS)
