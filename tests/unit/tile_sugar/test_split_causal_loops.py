"""Loops split at a causal diagonal compute the same bits, for any bounds, starts and shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.sugar import Launch, again, check_ends, lowered, parse
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.passes.split_causal_loops import SplitCausalLoopsPass

CODEGEN = Path(__file__).parents[2] / "codegen" / "attention_causal_d64.mlir"
INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1
RANDOM = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
)

MASKS: dict[str, str] = {
    "library": "%m = causal_mask %t, %q, %k : TILE",
    "le": "%c = cmp le %col, %row : ROW, COLUMN\n%m = select %c, %t, %fill : MASK, TILE, f32",
    "lt": "%c = cmp lt %col, %row : ROW, COLUMN\n%m = select %c, %t, %fill : MASK, TILE, f32",
    "ge": "%c = cmp ge %row, %col : COLUMN, ROW\n%m = select %c, %t, %fill : MASK, TILE, f32",
    "gt": "%c = cmp gt %row, %col : COLUMN, ROW\n%m = select %c, %t, %fill : MASK, TILE, f32",
    "not gt": "%c = cmp gt %col, %row : ROW, COLUMN\n%m = select %c, %fill, %t : MASK, f32, TILE",
    "not le": "%c = cmp le %row, %col : COLUMN, ROW\n%m = select %c, %fill, %t : MASK, f32, TILE",
}
"""Ways to write a mask of `%t`."""

POSITIONS = """
    %i = iota 1 : ROW
    %j = iota 0 : COLUMN
    %col = add %i, %k : ROW, i32
    %row = add %q, %j : i32, COLUMN
    %fill = constant -3.0 : f32
"""


def kernel(rows: int, columns: int, mask: str, k: str, q: str, bounds: str, step: str) -> str:
    """Folds masked tiles into one; how depends on their order."""
    text = f"""
tile_sugar.kernel @k(%S: tensor<40x40xf32>, %O: tensor<40x40xf32>,
                     %low: i32, %high: i32, %start: i32, %by: i32) {{
  {q}
  {bounds}
  %step = {step}
  %zero = constant 1.0 : TILE
  %half = constant 0.5 : f32
  %r = scf.for %n = %from to %to step %step iter_args(%acc = %zero) -> (TILE) : i32 {{
    {k}
    %t = load %S[3, %k] fill 2.0 : tensor<40x40xf32> -> TILE
    {"" if mask == "library" else POSITIONS}
    {MASKS[mask]}
    %p = mul %acc, %half : TILE, f32
    %next = add %p, %m : TILE
    scf.yield %next : TILE
  }}
  store %r, %O[0, 0] : TILE, tensor<40x40xf32>
  return
}}
"""
    types = {
        "TILE": f"tile<{rows}x{columns}xf32>",
        "MASK": f"tile<{rows}x{columns}xi1>",
        "ROW": f"tile<1x{columns}xi32>",
        "COLUMN": f"tile<{rows}x1xi32>",
    }
    for name, type in types.items():
        text = text.replace(name, type)
    return text


K = "%k = arith.addi %n, %c0 : i32"
GIVEN = "%from = arith.addi %low, %c0 : i32\n%to = arith.addi %high, %c0 : i32"
SAME = "%c0 = arith.constant 0 : i32\n"
Q = SAME + "%q = arith.addi %start, %c0 : i32"


def launch(text: str, low: int, high: int, start: int, by: int = 1) -> Launch:
    source = np.arange(1600, dtype=np.float32).reshape(40, 40) - 700
    values: list[Any] = [source, np.zeros((40, 40), np.float32)]
    return Launch(text, [*values, *map(np.int32, (low, high, start, by))])


def split(module: ModuleOp, loops: int) -> None:
    """Run the pass on a kernel, which then has so many loops."""
    SplitCausalLoopsPass().apply(new_context(), module)
    assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == loops


def check(found: Launch, loops: int) -> None:
    module = parse(found.text)
    expected = found.run(module)
    split(module, loops)
    assert expected.difference(found.run(module)) is None


def clamped(number: int) -> int:
    return min(max(number, INT_MIN), INT_MAX)


@st.composite
def cases(draw: Callable[[Any], Any]) -> tuple[int, int, int, int, int, int]:
    """Rows, columns, a step, bounds and a first row: the ends of the range included, and the
    diagonal at, just before or just behind the start of an iteration, mostly."""
    rows, columns = (draw(st.sampled_from((1, 2, 3, 4, 8, 16, 20))) for _ in range(2))
    step = draw(st.sampled_from((columns, columns, 1, 3, 16)))
    anchors = (0, INT_MAX - 70, INT_MIN + 9, 1000, INT_MAX, -(1 << 30))
    low = clamped(draw(st.sampled_from(anchors)) + draw(st.integers(-9, 9)))
    trips, seen = draw(st.sampled_from((5, 3, 2, 1, 0, -1))), draw(st.sampled_from((2, 1, 3, 0, 6)))
    high = clamped(low + trips * step + draw(st.sampled_from((0, 1, -1))))
    seen = seen * step + draw(st.sampled_from((0, -1, 1, -columns)))
    far = draw(st.sampled_from((0, 0, 0, 0, INT_MIN, INT_MAX)))
    start = clamped(far or low + seen + columns - 1)
    return rows, columns, step, low, high, start


@pytest.mark.parametrize("mask", sorted(MASKS))
@pytest.mark.parametrize("start", [14, 15, 16, 39, 40])
def test_around_the_diagonal(mask: str, start: int) -> None:
    check(launch(kernel(4, 8, mask, K, Q, GIVEN, "arith.constant 8 : i32"), 0, 40, start), 2)


@pytest.mark.parametrize("mask", sorted(MASKS))
@RANDOM
@example((16, 8, 4, INT_MAX - 60, INT_MAX, INT_MAX - 2), True)  # Rows wrap.
@example((8, 8, 4, INT_MIN, INT_MIN + 60, INT_MIN + 12), True)
@example((8, 8, 8, 8, 0, 100), True)  # No iteration.
@given(cases(), st.booleans())
def test_any_bounds(mask: str, case: tuple[int, int, int, int, int, int], known: bool) -> None:
    rows, columns, step, low, high, start = case
    stated = f"arith.constant {step} : i32" if known else "arith.addi %by, %c0 : i32"
    text = kernel(rows, columns, mask, K, Q, GIVEN, stated)
    check(launch(text, low, high, start, step), 2)


@RANDOM
@given(cases(), st.sampled_from((1, 3, 8, 16)), st.integers(-40, 40), st.integers(-40, 40))
def test_columns_that_are_computed(
    case: tuple[int, int, int, int, int, int], factor: int, offset: int, moved: int
) -> None:
    """The sums and products wrap where the kernel's own do."""
    rows, columns, step, low, high, start = case
    k = (
        f"%f = arith.constant {factor} : i32\n%o = arith.constant {offset} : i32\n"
        "%g = mul %f, %n : i32\n%h = sub %g, %o : i32\n%k2 = arith.addi %by, %h : i32\n"
        "%s = splat %k2 : i32 -> tile<1xi32>\n%k = to_scalar %s : tile<1xi32>"
    )
    # What feeds an index must not wrap: the load's comes by way of a tile.
    text = kernel(rows, columns, "library", k, Q, GIVEN, f"arith.constant {step} : i32")
    text = text.replace("causal_mask %t, %q, %k ", "causal_mask %t, %q, %k2 ")
    row = clamped((start - low) * factor + low * factor - offset + moved)
    check(launch(text, low, high, row, moved), 2)


@RANDOM
@given(
    block=st.integers(-6, 12)
    | st.integers((INT_MAX >> 4) - 3, (INT_MAX >> 4))
    | st.integers(-(1 << 27), 3 - (1 << 27)),
    lower=st.sampled_from((-32, 0, 16, 48)),
    past=st.sampled_from((16, 0, 7, 15, 17, 31)),
    high=st.integers(-100, 300),
    mask=st.sampled_from(sorted(MASKS)),
)
def test_straight_diagonal(block: int, lower: int, past: int, high: int, mask: str) -> None:
    """One iteration at most, also where the end wraps or comes before the diagonal."""
    q = SAME + "%c16 = arith.constant 16 : i32\n%q = arith.muli %start, %c16 : i32"
    ends = (
        f"%from0 = arith.constant {lower} : i32\n%past = arith.constant {past} : i32\n"
        "%from1 = arith.muli %low, %c16 : i32\n%from = arith.addi %from0, %from1 : i32\n"
        "%end = arith.addi %q, %past : i32\n%to = arith.minsi %end, %high : i32"
    )
    k = "%x = arith.constant 0 : i32"
    text = kernel(16, 16, mask, k, q, ends, "arith.addi %c16, %c0 : i32")
    text = text.replace("arith.addi %c16, %c0 : i32", "arith.constant 16 : i32")
    text = text.replace("%n =", "%k =")
    near_block = max(block - 3, -(1 << 27) + 4)
    loops = 1 if past <= 16 else 2
    check(launch(text, 0, high, block), loops)
    if abs(block) > 100:
        check(launch(text, near_block, INT_MAX, block), loops)


@RANDOM
@given(
    block=st.integers(-4, 8) | st.integers((1 << 27) - 6, (1 << 27) - 3),
    low=st.integers(-5, 3),
    past=st.sampled_from((1, 0, 2)),
    high=st.sampled_from((100, INT_MAX, 2, -1)),
    mask=st.sampled_from(sorted(MASKS)),
    part=st.sampled_from((1, 2)),
)
def test_loops_that_count_blocks(
    block: int, low: int, past: int, high: int, mask: str, part: int
) -> None:
    """Or halves of blocks, two a step; both products feed indices, so that none may wrap."""
    q = (
        f"{SAME}%factor = arith.constant {16 // part} : i32\n%part = arith.constant {part} : i32\n"
        "%x = arith.muli %start, %part : i32\n%q = arith.muli %x, %factor : i32\n"
        "%u = load %S[%q, 0] : tensor<40x40xf32> -> tile<1x1xf32>"
    )
    ends = (
        f"%past = arith.constant {past * part} : i32\n%from = arith.muli %low, %part : i32\n"
        "%end = arith.addi %x, %past : i32\n%to = arith.minsi %end, %high : i32"
    )
    k = "%k = arith.muli %n, %factor : i32"
    text = kernel(16, 16, mask, k, q, ends, f"arith.constant {part} : i32")
    first = low if block < 100 else block - 3
    check(launch(text, first, high, block), 1 if past <= 1 else 2)


NEARLY = {
    "another factor": ("arith.muli %start, %c16 : i32", "arith.muli %n, %c32 : i32", "1", 3),
    "a step that is shorter": ("arith.muli %start, %c16 : i32", "K", "8", 3),
    "a row that is no multiple": ("arith.addi %start, %c0 : i32", "K", "16", 53),
}
"""First rows and columns, a step and a start: one fact is missing to straight code."""


@pytest.mark.parametrize("what", sorted(NEARLY))
def test_more_than_one_iteration_behind_the_diagonal(what: str) -> None:
    row, column, step, start = NEARLY[what]
    q = (
        f"{SAME}%c16 = arith.constant 16 : i32\n%c32 = arith.constant 32 : i32\n%q = {row}\n"
        "%u = load %S[%q, 0] : tensor<40x40xf32> -> tile<1x1xf32>"
    )
    point, reach = ("%start", 1) if step == "1" else ("%q", 16)
    ends = (
        f"%from = arith.constant 0 : i32\n%past = arith.constant {reach} : i32\n"
        f"%to = arith.addi {point}, %past : i32"
    )
    k = "" if column == "K" else f"%k = {column}"
    text = kernel(16, 16, "library", k, q, ends, f"arith.constant {step} : i32")
    if column == "K":
        text = text.replace("%n =", "%k =")
    check(launch(text, 0, 0, start), 2)


@pytest.mark.parametrize("mask", sorted(MASKS))
@pytest.mark.parametrize("start", [-5, 0, 13, 32, 100])
def test_whole_pipeline(mask: str, start: int) -> None:
    text = kernel(16, 8, mask, K, Q, GIVEN, "arith.constant 8 : i32")
    values = launch(text, -8, 44, start).values
    check_ends(text, values)
    loops = sum(op.name == "cuda_tile.for" for op in lowered(text, exact=True).walk())
    assert loops == 2


def test_masks_of_one_diagonal_and_of_another() -> None:
    masks = (
        "%m0 = causal_mask %t, %q, %k : TILE\n%m1 = causal_mask %m0, %q, %k : TILE\n"
        "%q2 = arith.subi %q, %step : i32\n%m2 = causal_mask %m1, %q2, %k : TILE\n"
        "%m = causal_mask %m2, %q, %c0 : TILE"
    ).replace("TILE", "tile<8x8xf32>")
    text = kernel(8, 8, "library", K, Q, GIVEN, "arith.constant 8 : i32")
    text = text.replace("%m = causal_mask %t, %q, %k : tile<8x8xf32>", masks)
    check(launch(text, 0, 40, 21), 2)
    module = parse(text)
    split(module, 2)
    names = [op.name for op in again(module, "split-causal-loops").walk()]
    assert names.count("tile_sugar.causal_mask") == 2 + 4


@pytest.mark.parametrize("end", ["arith.addi %q0, %c128 : i32", "extent %K, 0 : tensor<?x64xf16>"])
def test_what_other_passes_need_survives(end: str) -> None:
    """Views and their alignment, approximate exponentials and the number of warps."""
    text = CODEGEN.read_text().replace("arith.addi %q0, %c128 : i32", end)
    loops = 1 if end.startswith("arith") else 2
    names = Counter(op.name for op in lowered(text, version="13.4").walk())
    assert names["cuda_tile.for"] == loops
    assert names["cuda_tile.load_view_tko"] == 1 + 2 * 2
    assert names["cuda_tile.load_ptr_tko"] == 0
    assert names["cuda_tile.exp"] == 0
    assert names["cuda_tile.select"] > 0
    (entry,) = (op for op in lowered(text).walk() if isinstance(op, EntryOp))
    assert "num_worker_warps_per_cta = 8" in str(entry.optimization_hints)


def test_loop_in_a_loop_that_becomes_straight() -> None:
    """The rows of the inner mask are the outer loop's variable, which goes with the outer loop."""
    text = """tile_sugar.kernel @k(%S: tensor<16x64xf32>, %Y: tensor<16x16xf32>, %r: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %row = arith.muli %r, %c16 : i32
  %end = arith.addi %row, %c16 : i32
  %zero = constant 0.0 : TILE
  %y = scf.for %q = %c0 to %end step %c16 iter_args(%a = %zero) -> (TILE) : i32 {
    %s = scf.for %k = %c0 to %end step %c16 iter_args(%b = %a) -> (TILE) : i32 {
      %t = load %S[0, %k] : tensor<16x64xf32> -> TILE
      %m = causal_mask %t, %q, %k : TILE
      %n = add %b, %m : TILE
      scf.yield %n : TILE
    }
    %m = causal_mask %s, %row, %q : TILE
    scf.yield %m : TILE
  }
  store %y, %Y[0, 0] : TILE, tensor<16x16xf32>
  return
}
""".replace("TILE", "tile<16x16xf32>")
    source = np.arange(1024, dtype=np.float32).reshape(16, 64) - 500
    found = Launch(text, [source, np.zeros((16, 16), np.float32), np.int32(2)])
    # Each of the outer loop and what is left of it has two inner ones.
    check(found, 5)
