"""Files that cuda-tile writes: read, printed, written again and assembled.

The normal run takes a few kernels, the slow one all of them; each in every version that has what
the kernel uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from support import nvidia
from support.comparison import difference, report, same_structure

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticSink, Severity
from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.runtime.tileiras import assemble, disassemble
from tileir_xdsl.verifier import verify_module

if TYPE_CHECKING:
    from support import cutile_kernels as cutile
else:
    pytest.importorskip("cuda.tile", reason="the package cuda-tile is not installed")
    from support import cutile_kernels as cutile

GPU = "sm_100"
SECONDS = 120.0

SAMPLE = (
    "axpy_three_types",
    "decode_attention",
    "every_atomic",
    "matmul_with_epilogue",
    "prints",
    "promised_bounds",
)

OUT_OF_REACH = {
    "alloca",
    "get_tensor_shape",
    "memory_fence_alias_tko",
    "mulhii",
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
    "ptr_to_int",
    "ptr_to_ptr",
}
"""Operations that no kernel leads to."""

sample = pytest.mark.parametrize("name", SAMPLE)
everything = pytest.mark.parametrize("name", [kernel.name for kernel in cutile.KERNELS])


def files(name: str) -> Iterator[tuple[str, bytes]]:
    """A kernel's bytecode in each version that it can be written in."""
    kernel = cutile.kernel_named(name)
    for version in kernel.versions:
        yield version, cutile.compile_kernel(kernel, version, GPU)


def check(problem: Callable[[bytes, str], str | None], name: str) -> None:
    assert not report((version, problem(data, version)) for version, data in files(name))


# What is checked of each file: each answers the problem, or None.


def text_problem(data: bytes, version: str) -> str | None:
    """The text is that of NVIDIA's disassembler, with and without debug info."""
    module = decode_module(data)
    for debuginfo in (False, True):
        ours = module_text(module, debuginfo, nvidia=True, wrapped=False)
        theirs = disassemble(data, debuginfo, nvidia.tileirdisasm())
        if (problem := difference(theirs, ours)) is not None:
            return f"{'-g: ' if debuginfo else ''}{problem}"
    return None


def reading_problem(data: bytes, version: str) -> str | None:
    """The file reads without complaint and is valid."""
    sink = DiagnosticSink()
    module = decode_module(data, sink=sink)
    found = [*sink.diagnostics, *verify_module(module)]
    errors = [d.message for d in found if d.severity in (Severity.ERROR, Severity.WARNING)]
    return "; ".join(errors) or None


def rewriting_problem(data: bytes, version: str) -> str | None:
    """What is written again reads as the same program and is a fixed point from then on."""
    first = decode_module(data)
    written = encode_module(first, version)
    second = decode_module(written)
    if not same_structure(first, second):
        return "another program"
    return None if encode_module(second, version) == written else "no fixed point"


def layout_problem(data: bytes, version: str) -> str | None:
    """With the layout kept, the file comes back byte for byte."""
    module = decode_module(data, preserve_layout=True)
    written = encode_module(module, version, preserve_layout=True)
    return None if written == data else f"{len(written)} other bytes for {len(data)}"


def code_problem(data: bytes, version: str) -> str | None:
    """The assembler makes the same cubin, line tables included, of the file written again."""
    written = encode_module(decode_module(data), version)
    tool = nvidia.tileiras()
    theirs, ours = (assemble(file, GPU, tool, ["--lineinfo"], SECONDS) for file in (data, written))
    return None if ours == theirs else "another cubin"


@sample
def test_text(name: str):
    nvidia.tileirdisasm()
    check(text_problem, name)


@sample
def test_reading(name: str):
    check(reading_problem, name)


@sample
def test_rewriting(name: str):
    check(rewriting_problem, name)


@sample
def test_layout(name: str):
    check(layout_problem, name)


@pytest.mark.parametrize("name", ["axpy_three_types", "prints"])
def test_code(name: str):
    nvidia.tileiras()
    version, data = list(files(name))[-1]
    assert code_problem(data, version) is None


@pytest.mark.slow
@everything
def test_text_of_every_kernel(name: str):
    nvidia.tileirdisasm()
    check(text_problem, name)


@pytest.mark.slow
@everything
def test_reading_of_every_kernel(name: str):
    check(reading_problem, name)


@pytest.mark.slow
@everything
def test_rewriting_of_every_kernel(name: str):
    check(rewriting_problem, name)


@pytest.mark.slow
@everything
def test_layout_of_every_kernel(name: str):
    check(layout_problem, name)


@pytest.mark.slow
@everything
def test_code_of_every_kernel(name: str):
    nvidia.tileiras()
    check(code_problem, name)


@pytest.mark.slow
def test_kernels_cover_the_dialect():
    used = {
        operation.name
        for kernel in cutile.KERNELS
        for _, data in files(kernel.name)
        for operation in decode_module(data).walk()
    }
    missing = {cls.mnemonic() for cls in OPERATIONS if cls.name not in used}
    assert missing == OUT_OF_REACH
    assert len(cutile.KERNELS) >= 40
