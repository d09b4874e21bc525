"""What a kernel is compiled to depends on the assembler that will read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.fake_tools import write_tool

import tileir_xdsl
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.runtime.hints import changed_hints

ROW_SUM = """
tile_sugar.kernel @row_sum(%X: tensor<?x1024xf32> {readonly}, %S: tensor<?x1xf32> {writeonly})
    grid(dim %X 0) {
  %r = block_id 0
  %x = load %X[%r, 0] : tensor<?x1024xf32> -> tile<1x1024xf32>
  %s = rowsum %x : tile<1x1024xf32>
  store %s, %S[%r, 0] : tile<1x1xf32>, tensor<?x1xf32>
  return
}
"""


needs_shell = pytest.mark.skipif(os.name == "nt", reason="the fake tools are shell scripts")


@needs_shell
@pytest.mark.parametrize(("version", "hinted"), [("13.4.59", False), ("13.5.37", True)])
def test_hints_are_those_that_the_assembler_takes(
    tmp_path: Path, version: str, hinted: bool
) -> None:
    # Its cubin is the bytecode that it was given.
    tool = write_tool(tmp_path, "tileiras", 'cat "$source" >"$output"', version)
    bytecode = tileir_xdsl.Kernel(ROW_SUM).compile("sm_100", tool=tool)
    (entry,) = (op for op in tileir_xdsl.decode(bytecode).walk() if isinstance(op, EntryOp))
    hints = entry.optimization_hints
    assert (hints is not None) == hinted
    assert hints is None or list(hints.hints.data) == ["sm_100"]


@needs_shell
@pytest.mark.parametrize(
    ("version", "hints", "warnings"),
    [
        ("13.4.59", "default = {num_worker_warps_per_cta = 1}", ["1 as 4"]),
        (
            "13.4.59",
            "default = {num_worker_warps_per_cta = 1}, sm_90 = {occupancy = 2}",
            ["1 as 4"],
        ),
        ("13.4.59", "sm_90 = {num_worker_warps_per_cta = 32}", ["32 as 8"]),
        ("13.4.59", "sm_100 = {num_worker_warps_per_cta = 32}", []),
        ("13.4.59", "sm_90 = {num_worker_warps_per_cta = 8}", []),
        ("13.5.37", "sm_90 = {num_worker_warps_per_cta = 32}", []),
    ],
)
def test_a_hint_that_the_assembler_changes_is_a_warning(
    tmp_path: Path, version: str, hints: str, warnings: list[str]
) -> None:
    tool = write_tool(tmp_path, "tileiras", "", version)
    module = tileir_xdsl.parse(
        f"entry @k() optimization_hints=<{hints}> {{\n  return\n}}\n", "k.mlir"
    )
    found = [(str(d.place), d.message) for d in changed_hints(module, "sm_90", tool)]
    said = "tileiras 13.4 takes num_worker_warps_per_cta = "
    assert found == [("k.mlir:1:1", said + warning) for warning in warnings]
