"""Rows in parts: the same bits, or whole rows and a remark that says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.sugar import Launch, again, lowered, parse
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.dialects.tile_sugar.types import is_tile, shape_of
from tileir_xdsl.passes.chunk_rows import ChunkRowsPass
from tileir_xdsl.passes.expand_library import ExpandLibraryPass
from tileir_xdsl.passes.legalize_elementwise import LegalizeElementwisePass
from tileir_xdsl.passes.split_rows import SplitRowsPass

KERNEL = """tile_sugar.kernel @k(%X: tensor<?x{n}x{t}>, %Y: tensor<?x{n}x{t}>, %n: i32)
    grid(ceildiv(dim %X 0, 4)) {{
  %b = block_id 0
  %c4 = arith.constant 4 : i32
  %r = arith.muli %b, %c4 : i32
  %x = load %X[%r, {start}] fill 7 : tensor<?x{n}x{t}> -> tile<4x{n}x{t}>
  {body}
  store %y, %Y[%r, {start}] : tile<4x{n}x{t}>, tensor<?x{n}x{t}>
  return
}}
"""

HINTS = "optimization_hints = <default = {num_worker_warps_per_cta = 8 : i32}>"

BODIES = {
    "softmax": """%m = mask_cols %x, %n, -1.0e30 : tile<4x{n}x{t}>
  %y = softmax %m : tile<4x{n}x{t}>""",
    "moments": """%v = rowvar %x : tile<4x{n}x{t}>
  %m = rowmean %x : tile<4x{n}x{t}>
  %d = sub %x, %m : tile<4x{n}x{t}>, tile<4x1x{t}>
  %y = mul %d, %v : tile<4x{n}x{t}>, tile<4x1x{t}>""",
    "sum": """%s = rowsum %x : tile<4x{n}x{t}>
  %y = add %x, %s : tile<4x{n}x{t}>, tile<4x1x{t}>""",
    "extremes": """%h = rowmax %x : tile<4x{n}x{t}>
  %l = rowmin %x : tile<4x{n}x{t}>
  %d = sub %h, %l : tile<4x1x{t}>
  %y = mul %x, %d : tile<4x{n}x{t}>, tile<4x1x{t}>""",
    "columns": """%s = colsum %x : tile<4x{n}x{t}>
  %m = rowmax %x : tile<4x{n}x{t}>
  %d = sub %x, %s : tile<4x{n}x{t}>, tile<1x{n}x{t}>
  %y = add %d, %m : tile<4x{n}x{t}>, tile<4x1x{t}>""",
    "positions": """%i = rowargmin %x : tile<4x{n}x{t}>
  %r0 = iota 0 : tile<4x1xi32>
  %k = mul %i, %r0 : tile<4x1xi32>
  %f = cast %k : tile<4x1xi32> -> tile<4x1x{t}>
  %y = add %x, %f : tile<4x{n}x{t}>, tile<4x1x{t}>""",
    "loop": """%c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = constant 0 : tile<4x1x{t}>
  %a, %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %x, %v = %zero)
      -> (tile<4x{n}x{t}>, tile<4x1x{t}>) : i32 {{
    %m = rowsum %u : tile<4x{n}x{t}>
    %t = add %v, %m : tile<4x1x{t}>
    %w = sub %u, %m : tile<4x{n}x{t}>, tile<4x1x{t}>
    scf.yield %w, %t : tile<4x{n}x{t}>, tile<4x1x{t}>
  }}
  %y = add %a, %s : tile<4x{n}x{t}>, tile<4x1x{t}>""",
}

CUBE = """%c = reshape %x : tile<4x{n}x{t}> -> tile<2x2x{n}x{t}>
  %m = rowmax %c : tile<2x2x{n}x{t}>
  %y = exp %x : tile<4x{n}x{t}>"""


DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
}


def kernel(body: str, element: str = "f32", columns: int = 32, start: Any = 0) -> str:
    text = BODIES.get(body, body).format(n=columns, t=element)
    return KERNEL.format(body=text, n=columns, t=element, start=start)


def split(text: str, width: int = 8, **options: Any) -> ModuleOp:
    module = parse(text)
    split_rows = SplitRowsPass(width, **options)
    for pass_ in (ExpandLibraryPass(), LegalizeElementwisePass(), split_rows):
        pass_.apply(new_context(), module)
    return again(module, "split-rows")


def longest_row(module: ModuleOp) -> int:
    values = [value for op in module.walk() for value in (*op.results, *op.operands)]
    return max(shape_of(value.type)[-1] for value in values if is_tile(value.type))


def inputs(dtype: Any, columns: int) -> list[Any]:
    x = (np.random.default_rng(0).normal(size=(11, columns)) * 9).astype(dtype)
    if dtype is not np.int32:
        x[1, 3], x[2], x[3, 9], x[5] = np.nan, -np.inf, np.inf, np.nan
        x[6] = np.where(np.arange(columns) % 3, 0.0, -0.0)
    return [x, np.zeros_like(x), columns - 3]


@pytest.mark.parametrize(("columns", "start"), [(16, 0), (32, 0), (64, 0), (32, 5)])
@pytest.mark.parametrize(
    ("body", "element"),
    [
        *((body, "f32") for body in BODIES),
        *((body, "i32") for body in ("sum", "extremes", "loop")),
        *((body, "f16") for body in ("softmax", "sum", "extremes")),
        *((body, "f64") for body in ("moments", "extremes")),
    ],
)
def test_parts_keep_all_bits(body: str, element: str, columns: int, start: int) -> None:
    text = kernel(body, element, columns, start)
    module = split(text)
    assert longest_row(module) == 8
    launch = Launch(text, inputs(DTYPES[element], columns))
    assert launch.original().difference(launch.run(module)) is None


def chunked(text: str) -> ModuleOp:
    module = parse(text)
    for pass_ in (ExpandLibraryPass(), LegalizeElementwisePass(), ChunkRowsPass()):
        pass_.apply(new_context(), module)
    return again(module, "chunk-rows")


@pytest.mark.parametrize("body", ["softmax", "moments", "sum"])
def test_sums_in_another_order(body: str) -> None:
    text = kernel(body, columns=512)
    launch = Launch(text, inputs(np.float32, 512))
    expected, found = (launch.run(m).arrays[1] for m in (parse(text), chunked(text)))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_sums_reduce_once_in_another_order() -> None:
    text = kernel("sum", columns=512)
    modules = split(text, 128), chunked(text)
    sums = [sum(op.name == "tile_sugar.rowsum" for op in module.walk()) for module in modules]
    assert sums == [4, 1]


@pytest.mark.parametrize(
    "text",
    [
        kernel("sum", columns=40),
        kernel("sum", columns=128),
        kernel("sum", start="%n"),
        kernel("sum").replace("tile<4x", "tile<6x"),
        kernel("sum").replace("tile<4x", "tile<1x"),
        kernel("%s = rowsum %x ordered : tile<4x{n}x{t}>\n  %y = sub %x, %x : tile<4x{n}x{t}>"),
        kernel("%s = rowsum %x : tile<4x{n}x{t}>\n  %y = cumsum %x : tile<4x{n}x{t}>"),
        kernel("%y = exp %x : tile<4x{n}x{t}>"),
        kernel("sum").replace("4)) {", f"4)) {HINTS} {{"),
        kernel(CUBE),
    ],
    ids=[
        "odd length",
        "long",
        "computed start",
        "odd rows",
        "one row",
        "ordered",
        "scan",
        "no reduction",
        "stated warps",
        "rank 3",
    ],
)
def test_whole_rows_stay(text: str) -> None:
    assert longest_row(split(text)) > 8


def test_fewer_elements_on_older_gpus() -> None:
    text = kernel("sum", columns=1024).replace("tile<4x", "tile<16x").replace(", 4)", ", 16)")
    targets = ("sm_80", "sm_90", "sm_100")
    lengths = {target: longest_row(split(text, 128, target=target)) for target in targets}
    assert lengths == {"sm_80": 1024, "sm_90": 128, "sm_100": 128}
    assert longest_row(split(text, 128, target=targets)) == 1024


def test_pipeline_splits_and_reassociates_only_without_exact() -> None:
    text = kernel("sum", columns=512)
    sums = [
        sum(op.name == "cuda_tile.reduce" for op in lowered(text, exact=exact).walk())
        for exact in (True, False)
    ]
    assert sums == [4, 1]


def test_width_that_is_no_power_of_two() -> None:
    with pytest.raises(ValueError, match="width must be a power of two, but is 96"):
        SplitRowsPass(96)


@pytest.mark.parametrize(
    "text", [kernel("sum", "f16"), kernel("sum").replace("%x :", "%x ordered :")]
)
def test_sums_that_earlier_passes_rewrite_stay(text: str) -> None:
    module = parse(text)
    SplitRowsPass(8).apply(new_context(), module)
    assert longest_row(module) == 32


def test_no_target() -> None:
    with pytest.raises(ValueError, match="no target: there are sm_80"):
        SplitRowsPass(target=())
