"""`loop-split`: a loop whose iterations take one branch first and then the other, as two loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import RecursiveMemoryEffect

from tileir_xdsl.analysis.constants import splat_integer, width_of
from tileir_xdsl.analysis.ranges import range_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    SIGNED,
    UNSIGNED,
    AddIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    SubIOp,
)
from tileir_xdsl.dialects.cuda_tile.attributes import (
    RoundingMode,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, IfOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.passes.canonicalization.branches import PATTERNS as BRANCH_PATTERNS
from tileir_xdsl.passes.canonicalization.build import constant_like
from tileir_xdsl.passes.canonicalization.integers import MIRRORED
from tileir_xdsl.passes.patterns import inherit_place, rewrite_greedily
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.tile_pass import TilePass

ATTRIBUTE = "cuda_tile.loop_split"


@dataclass(frozen=True)
class LoopSplitPass(TilePass):
    """Splits a `for` at the iteration where an `if` in its body begins to take the other branch.

    The condition must compare the induction variable with a value from outside the loop by an
    order, in the loop's own signedness: `for i: if i < p {A} else {B}` becomes a loop with A up to
    `p` and a loop with B from there on. A causal attention kernel then masks only the tiles on the
    diagonal. An integer attribute `cuda_tile.loop_split` on the `if`, the `for` or the entry, in
    this order, overrides `threshold`.

    Exact. Leaves loops alone whose step is no positive constant, and those where the splitting
    point could overflow: steps other than 1 need an upper bound that is known to leave room.
    """

    name = "loop-split"

    threshold: int = 1
    """Operations that one of the branches must have at least, when it neither accesses memory nor
    holds a loop, branch, reduction or matrix product; 0 splits nothing."""

    def run_on(self, ctx: Context, op: Operation) -> None:
        # Inner loops first: a split replaces the outer loop and all that is in it.
        for loop in [inner for inner in op.walk() if isinstance(inner, ForOp)][::-1]:
            branch = self._branch_to_split(loop)
            if branch is not None:
                split(loop, branch)
                count("split")

    def _branch_to_split(self, loop: ForOp) -> IfOp | None:
        for op in loop.region.block.ops:
            if isinstance(op, IfOp) and self._is_worth_it(loop, op) and _condition(loop, op):
                return op
        return None

    def _is_worth_it(self, loop: ForOp, branch: IfOp) -> bool:
        threshold = _threshold(branch, loop)
        threshold = self.threshold if threshold is None else threshold
        if threshold <= 0:
            return False
        return threshold == 1 or any(_is_large(region, threshold) for region in branch.regions)


def _threshold(branch: IfOp, loop: ForOp) -> int | None:
    entry: Operation | None = loop
    while entry is not None and not isinstance(entry, EntryOp):
        entry = entry.parent_op()
    for op in (branch, loop, entry):
        attribute = None if op is None else op.attributes.get(ATTRIBUTE)
        if isinstance(attribute, IntegerAttr):
            return cast("IntegerAttr[IntegerType]", attribute).value.data
    return None


def _is_large(region: Region, threshold: int) -> bool:
    operations = list(region.block.ops)[:-1] if region.blocks else []
    return len(operations) >= threshold or any(_is_heavy(op) for op in operations)


def _is_heavy(op: Operation) -> bool:
    """Whether an operation accesses memory, multiplies matrices or has regions."""
    name = op.name.partition(".")[2]
    return name.startswith(("mma", "load", "store")) or op.has_trait(
        RecursiveMemoryEffect, value_if_unregistered=False
    )


@dataclass(frozen=True)
class Condition:
    """A comparison that holds for the iterations before a point, or for those from it on."""

    comparison: CmpIOp
    bound: SSAValue
    predicate: str
    """With the induction variable on the left."""

    @property
    def holds_first(self) -> bool:
        return self.predicate.startswith("less_than")

    @property
    def point_is_after_bound(self) -> bool:
        """Whether the bound belongs to the iterations before the point."""
        return self.predicate in ("less_than_or_equal", "greater_than")


def _condition(loop: ForOp, branch: IfOp) -> Condition | None:
    comparison = branch.condition.owner
    if not isinstance(comparison, CmpIOp) or not loop.is_ancestor(comparison):
        return None
    predicate = comparison.comparison_predicate.keyword
    variable = loop.induction_variable
    if comparison.lhs is variable:
        bound = comparison.rhs
    elif comparison.rhs is variable:
        bound, predicate = comparison.lhs, MIRRORED[predicate].value
    else:
        return None
    if predicate in ("equal", "not_equal") or loop.is_ancestor(bound.owner):
        return None
    if comparison.signedness != _signedness(loop):
        missed(branch, "not split: the condition's signedness is not that of the loop")
        return None
    if not _has_room(loop):
        missed(branch, "not split: the splitting point might overflow")
        return None
    return Condition(comparison, bound, predicate)


def _signedness(loop: ForOp) -> SignednessAttr:
    return SIGNED if loop.unsigned_cmp is None else UNSIGNED


def _has_room(loop: ForOp) -> bool:
    """Whether the first iteration at or after any point up to the upper bound is a number."""
    is_signed = loop.unsigned_cmp is None
    step = splat_integer(loop.step, is_signed=is_signed)
    if step is None or step <= 0:
        return False
    _, greatest = range_of(loop.upper_bound).bounds(is_signed)
    return step == 1 or greatest + step - 1 <= (1 << (width_of(loop.step) - is_signed)) - 1


def split(loop: ForOp, branch: IfOp) -> None:
    """Replace a loop by one for each branch of `branch`, whose condition is in the loop's body."""
    condition = _condition(loop, branch)
    assert condition is not None
    point = _splitting_point(loop, condition)
    signedness = {"signedness": _signedness(loop)}
    end = MinIOp(point, loop.upper_bound, properties=signedness)
    start = MaxIOp(point, loop.lower_bound, properties=signedness)
    for op in (end, start):
        _insert(op, loop)
    first = _part(loop, condition, condition.holds_first)
    first.operands[1] = end.result
    second = _part(loop, condition, not condition.holds_first)
    second.operands[0] = start.result
    for k, result in enumerate(first.results):
        second.operands[3 + k] = result
    for old, new in zip(loop.results, second.results, strict=True):
        old.replace_all_uses_with(new)
    remark(branch, "loop split where the condition changes")
    assert loop.parent is not None
    loop.parent.erase_op(loop)
    patterns = [p for p in BRANCH_PATTERNS.patterns if p.name == "if-constant"]
    for part in (first, second):
        rewrite_greedily(part.region, patterns)


def _insert(op: Operation, loop: ForOp) -> SSAValue:
    block = loop.parent
    assert block is not None
    inherit_place(op, loop)
    block.insert_op_before(op, loop)
    return op.results[0]


def _splitting_point(loop: ForOp, condition: Condition) -> SSAValue:
    """The first value of the induction variable, from the lower bound on, past the condition.

    Without overflow: a bound that is one too early is first brought below the upper bound, and the
    distance from the lower bound, which may not fit a signed number, is divided as unsigned.
    """
    one = constant_like(loop.step, 1)
    signedness = {"signedness": _signedness(loop)}
    point = condition.bound
    if condition.point_is_after_bound:
        _insert(one, loop)
        last = _insert(SubIOp(loop.upper_bound, one), loop)
        point = _insert(MinIOp(point, last, properties=signedness), loop)
        point = _insert(AddIOp(point, one), loop)
    if splat_integer(loop.step) == 1:
        return point
    point = _insert(MinIOp(point, loop.upper_bound, properties=signedness), loop)
    point = _insert(MaxIOp(point, loop.lower_bound, properties=signedness), loop)
    distance = _insert(SubIOp(point, loop.lower_bound), loop)
    up = {"signedness": UNSIGNED, "rounding": RoundingModeAttr(RoundingMode.POSITIVE_INF)}
    steps = _insert(DivIOp(distance, loop.step, properties=up), loop)
    moved = _insert(MulIOp(steps, loop.step), loop)
    return _insert(AddIOp(loop.lower_bound, moved), loop)


def _part(loop: ForOp, condition: Condition, holds: bool) -> ForOp:
    """A copy of the loop in front of it, with the condition a constant."""
    mapper: dict[SSAValue, SSAValue] = {}
    part = loop.clone(value_mapper=mapper)
    copy = mapper[condition.comparison.result].owner
    assert isinstance(copy, CmpIOp)
    assert loop.parent is not None
    loop.parent.insert_op_before(part, loop)
    constant = constant_like(copy.result, int(holds))
    inherit_place(constant, condition.comparison)
    assert copy.parent is not None
    copy.parent.insert_op_before(constant, copy)
    copy.result.replace_all_uses_with(constant.result)
    copy.parent.erase_op(copy)
    return part
