"""`choose-hints`: how many warps a block works with, by the shapes of its tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i32
from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import control_flow as flow
from tileir_xdsl.dialects.cuda_tile import core, memory, views
from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.passes.reporting import remark
from tileir_xdsl.passes.sugar import check_target, operations
from tileir_xdsl.passes.tile_pass import TilePass

WARPS = "num_worker_warps_per_cta"
DEFAULT_WARPS = 4
"""What tileiras takes without a hint."""

ACCUMULATORS = 128 * 128
"""Elements of f32 products that the registers of four warps hold beside everything else."""

ASYNCHRONOUS_ACCUMULATORS = 128 * (128 + 64)
"""The same on sm_90, whose products read their operands from shared memory."""

TENSOR_MEMORY = ("sm_100", "sm_103", "sm_110")
"""Targets where an accumulator is in registers only if something else is done with it."""

ROW_WARPS = ((2048, 1), (4096, 4), (8192, 8), (16384, 16), (32768, 32))
"""Warps for a block of one row, by the longest row."""

SHORTEST_ROW = 256


@dataclass(frozen=True)
class ChooseHintsPass(TilePass):
    """States `num_worker_warps_per_cta` where four warps, the default, are wrong for an entry.

    Eight for products that the registers of four do not hold (on the `target`s that keep them
    there); for a reduction of one row, one warp up to 2048 columns, which needs no shared
    memory, and up to 32 for 32,768, unless rows are read in a loop. tileiras before 13.5 takes
    1 and 2 as 4, 16 and 32 as 8. What an entry says itself stays.
    """

    name = "choose-hints"

    target: str = "sm_90"

    def __post_init__(self) -> None:
        check_target(self.target)

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in operations(op.regions):
            if isinstance(inner, core.EntryOp) and not _has_warps(inner):
                warps = self._warps(inner)
                if warps is not None:
                    _state(inner, warps)

    def _warps(self, entry: core.EntryOp) -> int | None:
        products = [op for op in entry.walk() if isinstance(op, ct.MmaFOp | ct.MmaIOp)]
        if products:
            return self._warps_for_products(entry, products)
        rows = [_shape(op.operands[0].type) for op in entry.walk() if isinstance(op, core.ReduceOp)]
        if not rows or any(len(shape) < 2 or prod(shape[:-1]) != 1 for shape in rows):
            return None
        columns = max(shape[-1] for shape in rows)
        if columns < SHORTEST_ROW or _reads_in_loops(entry):
            return None
        for longest, warps in ROW_WARPS:
            if columns <= longest:
                break
        else:
            return None
        if warps == DEFAULT_WARPS:
            return None
        remark(entry, f"{warps} warp{'s' * (warps > 1)} for a row of {columns} columns")
        return warps

    def _warps_for_products(self, entry: core.EntryOp, products: Sequence[Any]) -> int | None:
        if self.target in TENSOR_MEMORY and len(products) == 1:
            return None
        elements = sum(prod(_shape(op.result.type)) for op in products)
        limit = ASYNCHRONOUS_ACCUMULATORS if self.target == "sm_90" else ACCUMULATORS
        if elements <= limit:
            return None
        remark(entry, f"8 warps: products of {elements} elements do not fit the registers of 4")
        return 2 * DEFAULT_WARPS


def _reads_in_loops(entry: core.EntryOp) -> bool:
    """Whether a row may be longer than its tiles, which says nothing about the row then."""
    loops = [op for op in entry.walk() if isinstance(op, flow.ForOp | flow.LoopOp)]
    loads = (memory.LoadPtrTkoOp, views.LoadViewTkoOp)
    return any(isinstance(op, loads) for loop in loops for op in loop.walk())


def _shape(type: Any) -> tuple[int, ...]:
    assert isinstance(type, TileType)
    return tuple(type.get_shape())


def _has_warps(entry: core.EntryOp) -> bool:
    hints = entry.optimization_hints
    if hints is None:
        return False
    return any(WARPS in keys.data for keys in _dictionaries(hints).values())


def _dictionaries(hints: OptimizationHintsAttr) -> dict[str, DictionaryAttr]:
    found: dict[str, DictionaryAttr] = {}
    for architecture, keys in hints.hints.data.items():
        assert isinstance(keys, DictionaryAttr)
        found[architecture] = keys
    return found


def _state(entry: core.EntryOp, warps: int) -> None:
    hints = {} if entry.optimization_hints is None else _dictionaries(entry.optimization_hints)
    # A hint for the target's own name would hide the ones that the kernel gives by default.
    keys = hints or {"default": DictionaryAttr({})}
    stated = {
        architecture: {**known.data, WARPS: IntegerAttr(warps, i32)}
        for architecture, known in keys.items()
    }
    entry.optimization_hints = OptimizationHintsAttr.get(stated)
