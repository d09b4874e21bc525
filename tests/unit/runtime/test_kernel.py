"""What a kernel is compiled to depends on the assembler that will read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.fake_tools import write_tool

import tileir_xdsl
from tileir_xdsl.dialects.cuda_tile.core import EntryOp

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


@pytest.mark.skipif(os.name == "nt", reason="the fake tools are shell scripts")
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
