"""`choose-hints`: how many warps a block works with, by the shapes of its tiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i32
from xdsl.ir import Operation

from tileir_xdsl.analysis.products import accumulated_elements, products_held_together
from tileir_xdsl.dialects.cuda_tile import control_flow as flow
from tileir_xdsl.dialects.cuda_tile import core, memory, views
from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.passes.reporting import missed, remark
from tileir_xdsl.passes.sugar import SM_10X, assembler_of, operations, targets_of
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import LATEST, V13_5, Version

WARPS = "num_worker_warps_per_cta"
DEFAULT_WARPS = 4
"""What tileiras takes without a hint."""

ACCUMULATORS = 128 * 128
"""Elements of f32 products that the registers of four warps hold beside everything else."""

TWO_BLOCKS = {"sm_80": 128 * (128 + 64), "sm_87": 128 * (128 + 64)}
"""The same where a few spilled registers are the price of a second block, for which there is shared
memory and which computes while the other waits for memory or for its own warps."""

TENSOR_MEMORY = SM_10X
"""Targets where an accumulator is in registers only if something else is done with it."""

ROW_WARPS = ((2048, 1), (4096, 4), (8192, 8), (16384, 16), (32768, 32))
"""Warps for a block of one row, by the longest row."""

SHORTEST_ROW = 256


SINCE_ANY_WARPS = V13_5
"""The first assembler that takes what a hint says."""

FEWEST_BEFORE, MOST_BEFORE = 4, 8
"""What older ones take fewer and more warps for, without a word."""


@dataclass(frozen=True)
class ChooseHintsPass(TilePass):
    """States `num_worker_warps_per_cta` where four warps, the default, are wrong for an entry.

    Eight for products that the registers of four do not hold at once (on the `target`s that keep
    them there); for a reduction of one row, one warp up to 2048 columns, which needs no shared
    memory, and up to 32 for 32,768, unless rows are read in a loop. `assembler` is the release of
    tileiras: before 13.5 there are 4 and 8 warps. Each of several targets (`target=sm_90,sm_100`)
    gets a hint of its own, which no other GPU heeds. What an entry says itself stays.
    """

    name = "choose-hints"

    target: str | tuple[str, ...] = "sm_90"
    assembler: str | float = str(LATEST)

    def __post_init__(self) -> None:
        targets_of(self.target)
        assembler_of(self.assembler)

    def run_on(self, ctx: Context, op: Operation) -> None:
        for inner in operations(op.regions):
            if isinstance(inner, core.EntryOp):
                for target in targets_of(self.target):
                    self._choose(inner, target)

    def _choose(self, entry: core.EntryOp, target: str) -> None:
        choice = _best(entry, target) if stated_warps(entry, target) is None else None
        if choice is None:
            return
        best, reason = choice
        warps = warps_taken(best, assembler_of(self.assembler))
        if warps != DEFAULT_WARPS:
            _state(entry, target, warps)
        of = f" of {target}" if len(targets_of(self.target)) > 1 else ""
        chosen = f"{warps} warp{'s' * (warps > 1)}{of}{reason}"
        if warps != best:
            missed(entry, f"{chosen}, where tileiras {SINCE_ANY_WARPS} would take {best}")
        elif warps != DEFAULT_WARPS:
            remark(entry, chosen)


def _best(entry: core.EntryOp, target: str) -> tuple[int, str] | None:
    """A number of warps and the reason for it; None where nothing speaks for any."""
    if products_held_together(entry):
        return _best_for_products(entry, target)
    rows = [_shape(op.operands[0].type) for op in entry.walk() if isinstance(op, core.ReduceOp)]
    if not rows or any(len(shape) < 2 or prod(shape[:-1]) != 1 for shape in rows):
        return None
    columns = max(shape[-1] for shape in rows)
    if columns < SHORTEST_ROW or _reads_in_loops(entry):
        return None
    warps = next((warps for longest, warps in ROW_WARPS if columns <= longest), None)
    return None if warps is None else (warps, f" for a row of {columns} columns")


def _best_for_products(entry: core.EntryOp, target: str) -> tuple[int, str] | None:
    together = products_held_together(entry)
    if target in TENSOR_MEMORY and max(map(len, together)) == 1:
        return None
    # Products in another place, behind a loop, have operands of their own in shared memory.
    in_one_place = all(len(held) == len(together) for held in together)
    limit = TWO_BLOCKS.get(target, ACCUMULATORS) if in_one_place else ACCUMULATORS
    elements = accumulated_elements(entry)
    if elements <= limit:
        return None
    return 2 * DEFAULT_WARPS, f": products of {elements} elements do not fit the registers of 4"


def _reads_in_loops(entry: core.EntryOp) -> bool:
    """Whether a row may be longer than its tiles, which says nothing about the row then."""
    loops = [op for op in entry.walk() if isinstance(op, flow.ForOp | flow.LoopOp)]
    loads = (memory.LoadPtrTkoOp, views.LoadViewTkoOp)
    return any(isinstance(op, loads) for loop in loops for op in loop.walk())


def _shape(type: Any) -> tuple[int, ...]:
    assert isinstance(type, TileType)
    return tuple(type.get_shape())


def stated_warps(entry: core.EntryOp | KernelOp, target: str) -> int | None:
    """How many warps an entry asks for on a GPU."""
    hints = _dictionaries(entry)
    for name in (target, "default"):
        warps = hints[name].data.get(WARPS) if name in hints else None
        if isinstance(warps, IntegerAttr):
            return warps.value.data
    return None


def warps_taken(warps: int, assembler: Version) -> int:
    """How many warps a release of tileiras makes of a hint."""
    if assembler >= SINCE_ANY_WARPS:
        return warps
    return min(max(warps, FEWEST_BEFORE), MOST_BEFORE)


def _dictionaries(entry: core.EntryOp | KernelOp) -> dict[str, DictionaryAttr]:
    """The hints of an entry by architecture."""
    found: dict[str, DictionaryAttr] = {}
    hints = entry.optimization_hints
    for architecture, keys in hints.hints.data.items() if hints is not None else ():
        assert isinstance(keys, DictionaryAttr)
        found[architecture] = keys
    return found


def _state(entry: core.EntryOp, target: str, warps: int) -> None:
    # tileiras looks a hint up by its key: what `default` says of others still holds.
    hints = {name: dict(keys.data) for name, keys in _dictionaries(entry).items()}
    hints.setdefault(target, {})[WARPS] = IntegerAttr(warps, i32)
    entry.optimization_hints = OptimizationHintsAttr.get(hints)
