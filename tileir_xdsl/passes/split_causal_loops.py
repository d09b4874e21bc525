"""`split-causal-loops`: loops without their causal mask up to the diagonal, and with it behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile.places import copy_place
from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import library as lib
from tileir_xdsl.dialects.tile_sugar.expansion import INT_MAX, Writer
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.dialects.tile_sugar.types import shape_of
from tileir_xdsl.passes.lower_kernel import index_arithmetic
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.sugar import before, erase_with_operands, operations, replace
from tileir_xdsl.passes.tile_pass import TilePass

MOVING = "the loop's variable times a positive constant, plus what the loop does not change"


@dataclass(frozen=True)
class SplitCausalLoopsPass(TilePass):
    """Splits loops over key blocks at the causal diagonal (index-set splitting).

    A mask is a `causal_mask` or a `select` by a comparison of `iota`s plus scalars. Iterations in
    which it surely keeps the whole tile become a loop of their own without it; the others follow
    with it. Where they are surely at most one (a square tile, a step as long, starts that are
    multiples of it, an end no later than the diagonal block's), they are straight code under an
    `scf.if`; the loop may count blocks or their elements. The first column must be the loop's
    variable times a positive constant, plus what the loop does not change, and the first row
    something that it does not change.

    Exact: the same operations on the same values in the same order, for any bounds; the point is
    computed in 64 bits. No iteration is left out: a remark says which end would leave out those
    above the diagonal.
    """

    name = "split-causal-loops"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for kernel in operations(op.regions):
            if isinstance(kernel, KernelOp):
                _split_loops(kernel)


def _split_loops(kernel: KernelOp) -> None:
    splits: dict[scf.ForOp, list[Mask]] = {}
    unwrapped = index_arithmetic(kernel)
    for op in kernel.walk():
        for mask in _masks(op):
            loop = _loop_of(mask, unwrapped)
            if loop is not None:
                splits.setdefault(loop, []).append(mask)
                break
    # Inner loops first: a split copies all that is in the outer one, or takes its variable away.
    for loop in reversed([op for op in kernel.walk() if isinstance(op, scf.ForOp)]):
        masks = splits.get(loop, [])
        if masks:
            equal = [mask for mask in masks if mask.diagonal == masks[0].diagonal]
            _split(loop, equal, _point_of(loop, masks[0], unwrapped))


# Masks.


@dataclass(frozen=True)
class Mask:
    """An operation that keeps a tile where a position along one dimension has not passed one along
    another: `column + j + gap <= row + i`, in wrapping i32."""

    op: Operation
    kept: int
    """The operand that is the tile."""
    column: SSAValue | None
    row: SSAValue | None
    """The starts; None is 0."""
    columns: int
    rows: int
    gap: int

    @property
    def diagonal(self) -> tuple[Any, ...]:
        """What decides where the mask keeps everything."""
        return self.column, self.row, self.columns, self.rows, self.gap


def _masks(op: Operation) -> Iterator[Mask]:
    """The masks that an operation may be: a `select` by a comparison is one for either arm."""
    if isinstance(op, lib.CausalMaskOp):
        rows, columns = shape_of(op.source.type)
        yield Mask(op, 0, op.k0, op.q0, columns, rows, 0)
        return
    if not isinstance(op, ew.SelectOp) or not isinstance(op.condition.owner, ew.CmpOp):
        return
    comparison = op.condition.owner
    left, right = (_position(operand) for operand in comparison.operands)
    order = _ORDER.get(comparison.predicate.keyword)
    if left is None or right is None or left[0] == right[0] or order is None:
        return
    shape = shape_of(op.result.type)
    for arm, kept in ((True, 1), (False, 2)):
        if op.operands[kept].type != op.result.type:
            continue
        # Where `a <= b` fails, `b < a` holds.
        first, second = (left, right) if order.rising == arm else (right, left)
        gap = order.gap if arm else 1 - order.gap
        yield Mask(op, kept, first[1], second[1], shape[first[0]], shape[second[0]], gap)


@dataclass(frozen=True)
class _Order:
    rising: bool
    """Whether the left operand is the smaller one."""
    gap: int


_ORDER = {
    "le": _Order(True, 0),
    "lt": _Order(True, 1),
    "ge": _Order(False, 0),
    "gt": _Order(False, 1),
}


def _position(value: SSAValue) -> tuple[int, SSAValue | None] | None:
    """The dimension and the scalar of an `iota`, or of a scalar plus one, in i32."""
    value = _spread(value)
    if isinstance(value.owner, ew.IotaOp):
        return value.owner.dimension, None
    if not isinstance(value.owner, ew.AddOp):
        return None
    terms = [_spread(operand) for operand in value.owner.operands]
    for line, start in (terms, terms[::-1]):
        if isinstance(line.owner, ew.IotaOp) and start.type == i32:
            return line.owner.dimension, start
    return None


def _spread(value: SSAValue) -> SSAValue:
    """What is repeated to get a value."""
    while isinstance(value.owner, ew.SplatOp | ew.BroadcastOp):
        value = value.owner.source
    return value


# Numbers: modulo 2**32, as they wrap.


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp | ew.ConstantOp):
        return None
    number: Attribute = owner.value
    if value.type != i32 or not isinstance(number, IntegerAttr):
        return None
    return cast("IntegerAttr[Any]", number).value.data


_ADD, _SUB, _MUL = (arith.AddiOp, ew.AddOp), (arith.SubiOp, ew.SubOp), (arith.MuliOp, ew.MulOp)


class _Moving:
    """How values change with the variable of a loop."""

    def __init__(self, loop: scf.ForOp) -> None:
        self.loop = loop

    def coefficient(self, value: SSAValue | None) -> int | None:
        """What a value grows by with the variable; None when that is not known."""
        if value is self.loop.body.block.args[0]:
            return 1
        if value is None or not self.loop.is_ancestor(value.owner) or _constant(value) is not None:
            return 0
        op = value.owner
        if not isinstance(op, (*_ADD, *_SUB, *_MUL)) or value.type != i32:
            return None
        left, right = (self.coefficient(operand) for operand in op.operands)
        if left is None or right is None:
            return None
        if isinstance(op, _ADD):
            return left + right
        if isinstance(op, _SUB):
            return left - right
        if not left and not right:
            return 0
        moving, factor = (left, op.operands[1]) if left else (right, op.operands[0])
        number = _constant(factor)
        return None if number is None else moving * number

    def first(self, w: Writer, value: SSAValue | None) -> SSAValue:
        """A value whose coefficient is known as it is in the first iteration, in front of the
        loop."""
        if value is None:
            return w.index(0)
        if value is self.loop.body.block.args[0]:
            return self.loop.lb
        if not self.loop.is_ancestor(value.owner):
            return value
        number = _constant(value)
        if number is not None:
            return w.index(number)
        op = cast(Operation, value.owner)
        left, right = (self.first(w, operand) for operand in op.operands)
        # Without the claims of the original, which a loop that does not run never makes.
        if isinstance(op, _ADD):
            return w.one(arith.AddiOp(left, right))
        if isinstance(op, _SUB):
            return w.one(arith.SubiOp(left, right))
        return w.one(arith.MuliOp(left, right))


def _is_multiple(value: SSAValue | None, number: int) -> bool:
    """Whether a power of two surely divides a value."""
    if value is None or number == 1:
        return True
    constant = _constant(value)
    if constant is not None:
        return constant % number == 0
    op = value.owner
    if isinstance(op, Block):
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
            return False
        return _is_multiple(loop.lb, number) and _is_multiple(loop.step, number)
    found = (_is_multiple(operand, number) for operand in op.operands)
    if isinstance(op, _MUL):
        return any(found)
    return isinstance(op, (*_ADD, *_SUB, arith.MinSIOp, arith.MaxSIOp)) and all(found)


def _distance(value: SSAValue, base: SSAValue | None) -> int | None:
    """How far a value surely is above another, unless the sum wraps, which makes it less."""
    if value is base:
        return 0
    known, known_base = _constant(value), 0 if base is None else _constant(base)
    if known is not None and known_base is not None:
        return known - known_base
    if not isinstance(value.owner, _ADD):
        return None
    left, right = value.owner.operands
    number = _constant(right) if left is base else _constant(left) if right is base else None
    return None if number is None or number < 0 else number


def _is_at_most(value: SSAValue, base: SSAValue | None, distance: int) -> bool:
    """Whether a value is surely no more than a number above another."""
    if isinstance(value.owner, arith.MinSIOp):
        return any(_is_at_most(operand, base, distance) for operand in value.owner.operands)
    found = _distance(value, base)
    return found is not None and found <= distance


# Loops.


def _loop_of(mask: Mask, unwrapped: set[Operation]) -> scf.ForOp | None:
    """The innermost loop whose variable moves a mask, if it can be split."""
    outer = mask.op.parent_op()
    while outer is not None and not isinstance(outer, KernelOp):
        if isinstance(outer, scf.ForOp):
            moving = _Moving(outer)
            column, row = moving.coefficient(mask.column), moving.coefficient(mask.row)
            if column != 0 or row != 0:
                point = _point_of(outer, mask, unwrapped)
                missing = _obstacle(outer, mask, column, row, point)
                if missing is not None and (column or isinstance(mask.op, lib.CausalMaskOp)):
                    missed(mask.op, f"not split: {missing}")
                return outer if missing is None else None
        outer = outer.parent_op()
    return None


def _obstacle(
    loop: scf.ForOp, mask: Mask, column: int | None, row: int | None, point: _Point | None
) -> str | None:
    """Why a loop is not split at the diagonal of a mask, whose starts grow by such numbers."""
    if column is None or not 0 < column <= INT_MAX:
        return f"the first column is not {MOVING}"
    if row != 0:
        return "the first row changes in the loop"
    begin = None if point is None else _distance(loop.lb, point.value)
    if point is not None and begin is not None:
        if begin * point.factor + mask.columns - 1 + mask.gap > 0:
            return "the loop begins at the diagonal"
    return None


@dataclass(frozen=True)
class _Point:
    """Where the first column of a mask is its first row: `column = factor * variable` and
    `row = factor * value`, neither of which wraps."""

    value: SSAValue | None
    """None is 0."""
    factor: int


def _point_of(loop: scf.ForOp, mask: Mask, unwrapped: set[Operation]) -> _Point | None:
    variable = loop.body.block.args[0]
    if mask.column is variable:
        return _Point(mask.row, 1)
    if mask.column is None or mask.row is None:
        return None
    column, row = _scaled(mask.column), _scaled(mask.row)
    if column is None or row is None or column[0] is not variable or column[1] != row[1]:
        return None
    if mask.column.owner not in unwrapped or mask.row.owner not in unwrapped:
        return None
    return _Point(*row)


def _scaled(value: SSAValue) -> tuple[SSAValue, int] | None:
    """A value as another times a positive constant."""
    op = value.owner
    if not isinstance(op, _MUL):
        return None
    for other, factor in (op.operands, op.operands[::-1]):
        number = _constant(factor)
        if number is not None and number > 0:
            return other, number
    return None


def _split(loop: scf.ForOp, masks: Sequence[Mask], point: _Point | None) -> None:
    """Let a copy without some equal masks run up to their diagonal, and the loop go on there."""
    mask = masks[0]
    reason = _reason_for_a_loop(loop, mask, point)
    w = before(loop)
    if point is not None and not _ends_in_time(loop, mask, point):
        below = f"{_name(point.value)} plus {_reach(mask, point)}"
        missed(loop, f"iterations above the diagonal stay: an end of {below} would leave them out")
    if point is not None and reason is None:
        value = _Moving(loop).first(w, point.value)
        end = w.one(arith.MinSIOp(value, loop.ub))
        start = w.one(arith.MaxSIOp(value, loop.lb))
    else:
        end = start = _middle(w, loop, mask)
    mapper: dict[SSAValue, SSAValue] = {}
    full = loop.clone(value_mapper=mapper)
    for old, new in zip(loop.walk(), full.walk(), strict=True):
        copy_place(old, new)
    w.builder.insert(full)
    full.operands[1] = end
    for each in masks:
        copy = mapper[each.op.results[0]].owner
        assert isinstance(copy, Operation)
        copy.results[0].replace_all_uses_with(copy.operands[each.kept])
        erase_with_operands(copy, lambda op: op.has_trait(Pure))
    loop.operands[0] = start
    for k, result in enumerate(full.results):
        loop.operands[3 + k] = result
    remark(mask.op, "loop split at the diagonal")
    if reason is None:
        _straighten(w, loop)
    else:
        missed(mask.op, f"the diagonal block stays a loop: {reason}")
    count("split")


def _ends_in_time(loop: scf.ForOp, mask: Mask, point: _Point) -> bool:
    return _is_at_most(loop.ub, point.value, _reach(mask, point))


def _reach(mask: Mask, point: _Point) -> int:
    """How far behind the diagonal the variable may be with a column that a row sees."""
    return -(-mask.rows // point.factor)


def _name(value: SSAValue | None) -> str:
    return "the first row" if value is None or value.name_hint is None else f"%{value.name_hint}"


def _reason_for_a_loop(loop: scf.ForOp, mask: Mask, point: _Point | None) -> str | None:
    """Why more than one iteration may be left at the diagonal."""
    size = mask.rows
    if mask.columns != size or not is_power_of_two(size):
        return f"{mask.rows} rows and {mask.columns} columns are no square of a power of two"
    if point is None:
        return (
            "the first column is neither the loop's variable nor, as the first row is, an index "
            "times a constant"
        )
    step = _constant(loop.step)
    if step is None or step * point.factor != size:
        return f"the first column does not advance by {size}"
    if not _is_multiple(point.value, step):
        return f"{_name(point.value)} is not known to be a multiple of {step}"
    if not _is_multiple(loop.lb, step):
        return f"the loop's start is not known to be a multiple of {step}"
    if not _ends_in_time(loop, mask, point):
        return f"the loop's end is not known to be at most {_name(point.value)} plus {step}"
    return None


def _middle(w: Writer, loop: scf.ForOp, mask: Mask) -> SSAValue:
    """The value of the variable after the iterations in which a mask keeps everything.

    It is from the lower bound to the upper one, or the lower bound if that is above. Iteration `n`
    keeps everything when `first + n * stride + columns - 1 + gap <= row`, where no row may wrap; a
    column that does not pass a row cannot.
    """

    def wide(value: SSAValue) -> SSAValue:
        return w.one(arith.ExtSIOp(value, i64))

    def number(value: int) -> SSAValue:
        return w.one(arith.ConstantOp(IntegerAttr(value, i64)))

    moving = _Moving(loop)
    coefficient = moving.coefficient(mask.column)
    assert coefficient is not None
    first, row = (moving.first(w, value) for value in (mask.column, mask.row))
    lower, upper, step = (wide(value) for value in (loop.lb, loop.ub, loop.step))
    zero, factor = number(0), number(coefficient)
    stride = step if coefficient == 1 else w.one(arith.MuliOp(step, factor))
    reach = w.one(arith.SubiOp(wide(row), wide(first)))
    reach = w.one(arith.AddiOp(reach, stride))
    reach = w.one(arith.SubiOp(reach, number(mask.columns - 1 + mask.gap)))
    unwrapped = w.one(arith.CmpiOp(row, w.index(INT_MAX - (mask.rows - 1)), "sle"))
    reach = w.one(arith.SelectOp(unwrapped, w.one(arith.MaxSIOp(reach, zero)), zero))
    if coefficient != 1:
        reach = w.one(arith.DivUIOp(reach, factor))
    length = w.one(arith.MaxSIOp(w.one(arith.SubiOp(upper, lower)), zero))
    steps = w.one(arith.DivUIOp(w.one(arith.MinSIOp(reach, length)), step))
    middle = w.one(arith.AddiOp(lower, w.one(arith.MuliOp(steps, step))))
    return w.one(arith.TruncIOp(middle, i32))


def _straighten(w: Writer, loop: scf.ForOp) -> None:
    """Make a loop of at most one iteration a branch."""
    block = loop.body.block
    carried = list(loop.iter_args)
    condition = w.one(arith.CmpiOp(loop.lb, loop.ub, "slt"))
    for argument, value in zip(list(block.args), (loop.lb, *carried), strict=True):
        argument.replace_all_uses_with(value)
        block.erase_arg(argument)
    loop.body.detach_block(block)
    otherwise = Region(Block([scf.YieldOp(*carried)])) if carried else Region()
    types = [value.type for value in carried]
    branch = scf.IfOp(condition, types, Region(block), otherwise)
    w.insert(branch)
    replace(loop, branch.results)
