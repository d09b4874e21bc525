"""`for` and `loop`: trip counts of zero and one, carried values that are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.constants import constant_of, splat_integer, width_of
from tileir_xdsl.analysis.effects import only_computes
from tileir_xdsl.analysis.ranges import range_of
from tileir_xdsl.dialects.cuda_tile.control_flow import (
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    TerminatorOp,
)
from tileir_xdsl.passes.canonicalization.branches import is_outside
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


def jumps_of(loop: ForOp | LoopOp) -> list[TerminatorOp]:
    """The `continue` and `break` operations that belong to a loop."""
    found: list[TerminatorOp] = []
    _collect_jumps(loop.region.block, found)
    return found


def _collect_jumps(block: Block, found: list[TerminatorOp]) -> None:
    for op in block.ops:
        if isinstance(op, BreakOp | ContinueOp):
            found.append(op)
        elif isinstance(op, IfOp):
            for region in op.regions:
                if region.blocks:
                    _collect_jumps(region.block, found)


# Trip counts.


@rooted_at(ForOp)
def for_never_runs(op: ForOp, rewriter: PatternRewriter) -> Outcome:
    """A `for` whose lower bound is surely not below the upper one gives its initial values."""
    is_signed = op.unsigned_cmp is None
    low, _ = range_of(op.lower_bound).bounds(is_signed)
    _, high = range_of(op.upper_bound).bounds(is_signed)
    if low < high:
        return None
    if op.results:
        return list(op.init_values)
    rewriter.erase(op)
    return CHANGED


@rooted_at(ForOp)
def for_runs_once(op: ForOp, rewriter: PatternRewriter) -> Outcome:
    """A `for` with constant bounds and a single iteration is its body."""
    if not _runs_once(op) or len(jumps_of(op)) != 1:
        return None
    return _inline(op, [op.lower_bound, *op.init_values], rewriter)


def _runs_once(op: ForOp) -> bool:
    is_signed = op.unsigned_cmp is None
    bounds = [
        splat_integer(value, is_signed=is_signed)
        for value in (op.lower_bound, op.upper_bound, op.step)
    ]
    lower, upper, step = bounds
    if lower is None or upper is None or step is None or step <= 0 or lower >= upper:
        return False
    greatest = (1 << (width_of(op.step) - is_signed)) - 1
    return upper <= lower + step <= greatest


def _inline(
    op: ForOp | LoopOp, arguments: Sequence[SSAValue], rewriter: PatternRewriter
) -> Outcome:
    """Replace a loop by its only iteration."""
    block = op.region.block
    terminator = block.last_op
    assert terminator is not None
    # The terminator may pass on arguments, which inlining replaces.
    for argument, value in zip(block.args, arguments, strict=True):
        rewriter.replace_all_uses_with(argument, value)
    results = list(terminator.operands)
    rewriter.erase(terminator)
    rewriter.inline_block(block, InsertPoint.before(op))
    if results:
        return results
    rewriter.erase(op)
    return CHANGED


@rooted_at(LoopOp)
def loop_breaks_at_once(op: LoopOp, rewriter: PatternRewriter) -> Outcome:
    """A `loop` whose only jump is the `break` at its end is its body."""
    jumps = jumps_of(op)
    if len(jumps) != 1 or not isinstance(op.region.block.last_op, BreakOp):
        return None
    return _inline(op, op.init_values, rewriter)


# Carried values.


@dataclass
class Carried:
    """The values that a loop carries: an argument of the body, where it starts, what follows."""

    arguments: Sequence[SSAValue]
    initial: Sequence[SSAValue]
    continues: Sequence[ContinueOp]

    @staticmethod
    def of(loop: ForOp | LoopOp) -> Carried:
        arguments = loop.iter_args if isinstance(loop, ForOp) else loop.region.block.args
        continues = [jump for jump in jumps_of(loop) if isinstance(jump, ContinueOp)]
        return Carried(list(arguments), list(loop.init_values), continues)

    def next_values(self, k: int) -> list[SSAValue]:
        return [jump.operands[k] for jump in self.continues]


def _drop(
    op: ForOp | LoopOp, carried: Carried, dropped: Sequence[int], rewriter: PatternRewriter
) -> None:
    """Rebuild a loop without some carried values, whose arguments have no use but in `continue`.

    The results of a `for` go with its carried values and have no uses either.
    """
    gone = set(dropped)
    kept = [k for k in range(len(carried.initial)) if k not in gone]
    for jump in carried.continues:
        jump.operands = [jump.operands[k] for k in kept]
        rewriter.notify_op_modified(jump)
    for k in sorted(gone, reverse=True):
        argument = carried.arguments[k]
        op.region.block.erase_arg(argument)  # pyright: ignore[reportArgumentType]
    initial = [carried.initial[k] for k in kept]
    region = rewriter.move_region_contents_to_new_regions(op.region)
    if isinstance(op, ForOp):
        smaller = ForOp(
            op.lower_bound,
            op.upper_bound,
            op.step,
            initial,
            region,
            unsigned=op.unsigned_cmp is not None,
        )
        old_results = [op.results[k] for k in kept]
    else:
        smaller = LoopOp(initial, op.result_types, region)
        old_results = list(op.results)
    smaller.attributes.update(op.attributes)
    rewriter.insert(smaller)
    for old, new in zip(old_results, smaller.results, strict=True):
        rewriter.replace_all_uses_with(old, new)
    rewriter.erase(op)


@rooted_at(ForOp, LoopOp)
def carried_invariant(op: ForOp | LoopOp, rewriter: PatternRewriter) -> Outcome:
    """A carried value that never changes is its initial value."""

    def replacement(carried: Carried, k: int) -> SSAValue | None:
        own = (carried.arguments[k], carried.initial[k])
        unchanged = all(any(v is o for o in own) for v in carried.next_values(k))
        return carried.initial[k] if unchanged else None

    return _replace_carried(op, replacement, rewriter)


@rooted_at(ForOp, LoopOp)
def carried_duplicate(op: ForOp | LoopOp, rewriter: PatternRewriter) -> Outcome:
    """A carried value that starts and goes on as another one does is that one."""
    firsts: dict[object, int] = {}

    def replacement(carried: Carried, k: int) -> SSAValue | None:
        argument = carried.arguments[k]
        nexts = tuple("itself" if value is argument else value for value in carried.next_values(k))
        first = firsts.setdefault((_start(carried.initial[k]), nexts), k)
        return None if first == k else carried.arguments[first]

    return _replace_carried(op, replacement, rewriter)


def _start(value: SSAValue) -> object:
    elements = constant_of(value)
    return value if elements is None else elements


def _replace_carried(
    op: ForOp | LoopOp,
    replacement: Callable[[Carried, int], SSAValue | None],
    rewriter: PatternRewriter,
) -> Outcome:
    if not op.init_values:
        return None
    carried = Carried.of(op)
    dropped: list[int] = []
    for k in range(len(carried.initial)):
        value = replacement(carried, k)
        if value is None:
            continue
        dropped.append(k)
        rewriter.replace_all_uses_with(carried.arguments[k], value)
        if isinstance(op, ForOp):
            # After the loop, an argument's counterpart is the result in its place.
            after = {a: r for a, r in zip(carried.arguments, op.results, strict=True)}
            rewriter.replace_all_uses_with(op.results[k], after.get(value, value))
    if not dropped:
        return None
    _drop(op, carried, dropped, rewriter)
    return CHANGED


@rooted_at(ForOp, LoopOp)
def carried_unused(op: ForOp | LoopOp, rewriter: PatternRewriter) -> Outcome:
    """A carried value that only serves to compute its own next values goes."""
    if not op.init_values:
        return None
    carried = Carried.of(op)
    dropped = [
        k
        for k in range(len(carried.initial))
        if not (isinstance(op, ForOp) and op.results[k].first_use is not None)
        and _serves_itself(op, carried, k)
    ]
    if not dropped:
        return None
    for k in dropped:
        # What computes the next value has no other use: the start in its place sets it free.
        for jump in carried.continues:
            jump.operands[k] = carried.initial[k]
        _erase_users(carried.arguments[k], rewriter)
    _drop(op, carried, dropped, rewriter)
    return CHANGED


MAX_COMPUTATION = 64
"""Operations that are followed to see what a carried value is for."""


def _serves_itself(loop: Operation, carried: Carried, k: int) -> bool:
    pending = [carried.arguments[k]]
    seen: set[Operation] = set()
    while pending:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, ContinueOp) and user in carried.continues:
                if use.index != k:
                    return False
                continue
            if user in seen:
                continue
            if len(seen) == MAX_COMPUTATION or user.regions or not only_computes(user):
                return False
            seen.add(user)
            pending.extend(user.results)
    return True


def _erase_users(value: SSAValue, rewriter: PatternRewriter) -> None:
    """Remove all that is computed from a value, which only serves itself."""
    users = list(dict.fromkeys(use.operation for use in value.uses))
    for user in users:
        if user.parent is None:
            continue
        for result in user.results:
            _erase_users(result, rewriter)
        rewriter.erase(user)


# Results of `loop`.


@rooted_at(LoopOp)
def loop_unused_results(op: LoopOp, rewriter: PatternRewriter) -> Outcome:
    """Results of a `loop` that nobody uses, or that every `break` gives the same, go."""
    breaks = [jump for jump in jumps_of(op) if isinstance(jump, BreakOp)]
    dropped: list[int] = []
    for k, result in enumerate(op.results):
        values = [jump.operands[k] for jump in breaks]
        common = values[0] if values else None
        same = common is not None and all(value is common for value in values)
        if result.first_use is not None and common is not None and same and is_outside(common, op):
            rewriter.replace_all_uses_with(result, common)
        if result.first_use is None:
            dropped.append(k)
    if not dropped:
        return None
    kept = [k for k in range(len(op.results)) if k not in dropped]
    for jump in breaks:
        jump.operands = [jump.operands[k] for k in kept]
        rewriter.notify_op_modified(jump)
    region = rewriter.move_region_contents_to_new_regions(op.region)
    smaller = LoopOp(op.init_values, [op.results[k].type for k in kept], region)
    smaller.attributes.update(op.attributes)
    rewriter.insert(smaller)
    for new, k in zip(smaller.results, kept, strict=True):
        rewriter.replace_all_uses_with(op.results[k], new)
    rewriter.erase(op)
    return CHANGED
