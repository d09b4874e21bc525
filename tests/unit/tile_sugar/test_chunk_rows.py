"""Long rows in chunks: the same results but for the order of sums, or whole rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.sugar import Launch, again, lowered, parse
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.passes.chunk_rows import ChunkRowsPass
from tileir_xdsl.passes.expand_library import ExpandLibraryPass
from tileir_xdsl.passes.legalize_elementwise import LegalizeElementwisePass

f32 = np.float32

KERNEL = """tile_sugar.kernel @k(
    %X: tensor<?x300x{t}> {{{x}}}, %Y: tensor<?x300x{t}>, %Z: tensor<?x1x{t}>, %n: i32)
    grid(ceildiv(dim %X 0, 2)) {{
  %b = block_id 0
  %c2 = arith.constant 2 : i32
  %r = arith.muli %b, %c2 : i32
  %x = load %X[%r, {start}] fill 7 : tensor<?x300x{t}> -> tile<2x{n}x{t}>
  {body}
  return
}}
"""
SOFTMAX = """%m = mask_cols %x, %n, -1.0e30 : tile<2x{n}xf32>
  %y = softmax %m : tile<2x{n}xf32>
  store %y, %Y[%r, 3] : tile<2x{n}xf32>, tensor<?x300xf32>"""
EXTREMES = """%h = rowmax %x : tile<2x{n}x{t}>
  %l = rowmin %x : tile<2x{n}x{t}>
  %d = sub %h, %l : tile<2x1x{t}>
  store %d, %Z[%r, 0] : tile<2x1x{t}>, tensor<?x1x{t}>"""
POSITION = """%i = rowargmax %x : tile<2x{n}x{t}>
  %f = cast %i : tile<2x1xi32> -> tile<2x1x{t}>
  store %f, %Z[%r, 0] : tile<2x1x{t}>, tensor<?x1x{t}>"""
SUM = """%s = rowsum %x : tile<2x{n}x{t}>
  store %s, %Z[%r, 0] : tile<2x1x{t}>, tensor<?x1x{t}>"""
SCAN = """%s = cumsum %x axis 1 : tile<2x{n}x{t}>
  store %s, %Y[%r, 0] : tile<2x{n}x{t}>, tensor<?x300x{t}>"""


def kernel(body: str, element: str = "f32", **words: Any) -> str:
    words = {"t": element, "n": 256, "x": "readonly", "start": 0} | words
    return KERNEL.format(body=body.format(**words), **words)


def chunked(text: str) -> ModuleOp:
    module = parse(text)
    for pass_ in (ExpandLibraryPass(), LegalizeElementwisePass(), ChunkRowsPass(64, 32)):
        pass_.apply(new_context(), module)
    return again(module, "chunk-rows")


def inputs(dtype: Any) -> list[Any]:
    x: npt.NDArray[Any] = (np.random.default_rng(0).normal(size=(5, 300)) * 9).astype(dtype)
    if dtype is f32:
        x[1, 3], x[2], x[3, 9] = np.nan, -np.inf, np.inf
    return [x, np.zeros((5, 300), dtype), np.zeros((5, 1), dtype), 200]


def loops(module: ModuleOp) -> int:
    return sum(op.name == "scf.for" for op in module.walk())


@pytest.mark.parametrize("start", [0, 50])
def test_softmax(start: int) -> None:
    text = kernel(SOFTMAX, start=start)
    module = chunked(text)
    assert loops(module) == 3
    launch = Launch(text, inputs(f32))
    expected, found = launch.original().arrays[1], launch.run(module).arrays[1]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("element", "dtype"), [("f32", f32), ("i32", np.int32), ("f16", np.float16)]
)
@pytest.mark.parametrize("body", [EXTREMES, POSITION])
def test_extremes_keep_all_bits(element: str, dtype: Any, body: str) -> None:
    text = kernel(body, element)
    module = chunked(text)
    assert loops(module) == 2
    launch = Launch(text, inputs(dtype))
    assert launch.original().difference(launch.run(module)) is None


def test_narrow_sums_accumulate_in_f32() -> None:
    text = kernel(SUM, "f16")
    module = chunked(text)
    assert loops(module) == 1
    launch = Launch(text, inputs(np.float16))
    expected, found = launch.original().arrays[2], launch.run(module).arrays[2]
    np.testing.assert_allclose(found, expected, rtol=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        kernel(SOFTMAX, x=""),
        kernel(SOFTMAX, n=250),
        kernel(SOFTMAX, start="%n"),
        kernel(SCAN),
        kernel(EXTREMES, n=64),
    ],
    ids=["written", "odd length", "computed start", "scan", "short"],
)
def test_whole_rows_stay(text: str) -> None:
    module = chunked(text)
    assert not loops(module)


def test_pipeline_chunks_only_with_licences() -> None:
    text = kernel(SOFTMAX).replace("x256x", "x65536x").replace("x300x", "x65536x")
    text = text.replace("[%r, 3]", "[%r, 0]")
    assert "for " in module_text(lowered(text))
    assert "for " not in module_text(lowered(text, exact=True))


def test_chunk_that_is_no_power_of_two() -> None:
    with pytest.raises(ValueError, match="chunk must be a power of two up to width, 64, but is 96"):
        ChunkRowsPass(64, 96)


@pytest.mark.parametrize(
    "text", [kernel(SUM, "f16"), kernel(SUM).replace("rowsum %x", "rowsum %x ordered")]
)
def test_sums_that_earlier_passes_rewrite_stay(text: str) -> None:
    module = parse(text)
    ChunkRowsPass(64, 32).apply(new_context(), module)
    assert not loops(module)
