"""What library operations mean: each is defined by the operations that it expands to.

The pass `expand-library` puts the expansions into the program, the interpreter runs them. f16 and
bf16 compute in f32 and round once at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, f32, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.cuda_tile.types import bit_width, is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import library as lib
from tileir_xdsl.dialects.tile_sugar import memory, reductions, shapes
from tileir_xdsl.dialects.tile_sugar.attributes import Number, number_attr
from tileir_xdsl.dialects.tile_sugar.base import TileSugarOp
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter
from tileir_xdsl.dialects.tile_sugar.sweep import SweepOp, YieldOp
from tileir_xdsl.dialects.tile_sugar.types import (
    element_of,
    is_float,
    is_integer,
    shape_of,
    tile_type,
)

INT_MAX = (1 << 31) - 1


class Writer(Emitter):
    """Puts `tile_sugar` operations where a builder stands."""

    def of(self, cls: type[TileSugarOp], *operands: SSAValue, **properties: Any) -> SSAValue:
        """An operation of one result on some operands."""
        return self.one(cls.of(*operands, **properties))

    def constant(self, value: Number | Attribute, type: Attribute) -> SSAValue:
        """A number as a scalar or tile."""
        if isinstance(value, Attribute):
            op = ew.ConstantOp.create(properties={"value": value}, result_types=[type])
            return self.one(op)
        return self.one(ew.ConstantOp.make(value, type))

    def scalar(self, value: Number | Attribute, like: SSAValue) -> SSAValue:
        """A number in the element type of a value."""
        return self.constant(value, element_of(like.type))

    def index(self, value: int) -> SSAValue:
        return self.one(arith.ConstantOp(IntegerAttr(value, i32)))

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        if element_of(value.type) == element:
            return value
        return self.one(ew.CastOp.to(value, element))

    def widen(self, value: SSAValue) -> SSAValue:
        """f16 and bf16 as f32."""
        return self.cast(value, reductions.wide(element_of(value.type)))

    def position(self, dim: int, shape: Sequence[int]) -> SSAValue:
        """The index along a dimension, with extent 1 along the others."""
        narrow = [extent if k == dim else 1 for k, extent in enumerate(shape)]
        return self.one(ew.IotaOp.along(dim, narrow))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        if shape_of(value.type) == tuple(shape):
            return value
        return self.one(shapes.ReshapeOp.to(value, shape))


Expansion = Callable[[Writer, Any], Sequence[SSAValue]]
EXPANSIONS: dict[type[Operation], Expansion] = {}
"""The expansion of each operation that is defined by one."""


def expansion(*classes: type[Operation]) -> Callable[[Expansion], Expansion]:
    def register(function: Expansion) -> Expansion:
        for cls in classes:
            EXPANSIONS[cls] = function
        return function

    return register


def expansion_of(op: Operation) -> Expansion | None:
    """How an operation expands; None when it is not defined by an expansion."""
    if isinstance(op, ew.AddOp):
        return _accumulate if accumulating_dot(op) is not None else None
    if isinstance(op, lib.DotOp):
        if op.ordered is not None:
            return _ordered_dot
        return None if op.acc is not None or is_accumulated(op) else _dot_from_zero
    found = EXPANSIONS.get(type(op))
    if found is None and isinstance(op, reductions.ReductionOp | reductions.ReduceOp):
        return _ordered if op.ordered is not None else None
    return found


# Softmax and its relatives.


def _flags(op: Any) -> tuple[str, ...]:
    return () if op.fastmath is None else op.fastmath.data


def _finite(w: Writer, maximum: SSAValue) -> SSAValue:
    """The maximum, or 0 where it is infinite."""
    infinite = w.of(ew.CmpOp, w.of(ew.AbsOp, maximum), w.scalar("inf", maximum), predicate="eq")
    return w.of(ew.SelectOp, infinite, w.scalar(0, maximum), maximum)


def _exponentials(w: Writer, op: Any) -> tuple[SSAValue, SSAValue, SSAValue]:
    """x - g, its exponential, and g, for the rows of the operand."""
    x = w.widen(op.source)
    g = _finite(w, w.of(reductions.RowMaxOp, x, axis=op.dimension))
    distance = w.of(ew.SubOp, x, g, fastmath=_flags(op))
    return distance, w.of(ew.ExpOp, distance, fastmath=_flags(op)), g


@expansion(lib.SoftmaxOp)
def _softmax(w: Writer, op: lib.SoftmaxOp) -> Sequence[SSAValue]:
    _, powers, _ = _exponentials(w, op)
    total = w.of(reductions.RowSumOp, powers, axis=op.dimension)
    inverse = w.of(ew.DivOp, w.scalar(1, total), total, fastmath=_flags(op))
    result = w.of(ew.MulOp, powers, inverse, fastmath=_flags(op))
    return [w.cast(result, element_of(op.result.type))]


@expansion(lib.LogSoftmaxOp)
def _log_softmax(w: Writer, op: lib.LogSoftmaxOp) -> Sequence[SSAValue]:
    distance, powers, _ = _exponentials(w, op)
    total = w.of(reductions.RowSumOp, powers, axis=op.dimension)
    logarithm = w.of(ew.LogOp, total, fastmath=_flags(op))
    result = w.of(ew.SubOp, distance, logarithm, fastmath=_flags(op))
    return [w.cast(result, element_of(op.result.type))]


@expansion(lib.LogSumExpOp)
def _logsumexp(w: Writer, op: lib.LogSumExpOp) -> Sequence[SSAValue]:
    _, powers, g = _exponentials(w, op)
    total = w.of(reductions.RowSumOp, powers, axis=op.dimension)
    logarithm = w.of(ew.LogOp, total, fastmath=_flags(op))
    result = w.of(ew.AddOp, g, logarithm, fastmath=_flags(op))
    return [w.cast(result, element_of(op.result.type))]


@expansion(lib.CrossEntropyOp)
def _cross_entropy(w: Writer, op: lib.CrossEntropyOp) -> Sequence[SSAValue]:
    x = w.widen(op.logits)
    shape = shape_of(x.type)
    chosen = w.of(ew.CmpOp, w.position(1, shape), op.labels, predicate="eq")
    # NaN loses to every number: the maximum is the one element that is chosen.
    alone = w.of(ew.SelectOp, chosen, x, w.scalar("nan", x))
    target = w.of(reductions.RowMaxOp, alone)
    total = w.of(lib.LogSumExpOp, x)
    return [w.cast(w.of(ew.SubOp, total, target), element_of(op.result.type))]


@expansion(lib.OnlineSoftmaxStepOp)
def _online_softmax_step(w: Writer, op: lib.OnlineSoftmaxStepOp) -> Sequence[SSAValue]:
    flags = _flags(op)
    scale = w.constant(1 if op.scale is None else op.scale, f32)
    row = w.of(reductions.RowMaxOp, op.scores)
    scaled = w.of(ew.MulOp, row, scale, fastmath=flags)
    maximum = w.of(ew.MaxOp, op.maximum, scaled)
    g = _finite(w, maximum)
    distance = w.of(ew.FmaOp, op.scores, scale, w.of(ew.NegOp, g), fastmath=flags)
    p = w.of(ew.ExpOp, distance, fastmath=flags)
    decay = w.of(ew.ExpOp, w.of(ew.SubOp, op.maximum, g, fastmath=flags), fastmath=flags)
    kept = w.of(ew.MulOp, op.total, decay, fastmath=flags)
    total = w.of(ew.AddOp, kept, w.of(reductions.RowSumOp, p), fastmath=flags)
    product = w.of(ew.MulOp, op.acc, decay, fastmath=flags)
    narrow = w.cast(p, element_of(op.values.type))
    acc = w.of(lib.DotOp, narrow, op.values, product)
    return [maximum, total, acc]


# Masks and selections.


@expansion(lib.MaskColsOp)
def _mask_cols(w: Writer, op: lib.MaskColsOp) -> Sequence[SSAValue]:
    shape = shape_of(op.source.type)
    column = w.position(len(shape) - 1, shape)
    fill = number_attr(0, element_of(op.source.type)) if op.fill is None else op.fill
    below = w.of(ew.CmpOp, column, op.count, predicate="lt")
    return [w.of(ew.SelectOp, below, op.source, w.scalar(fill, op.source))]


@expansion(lib.CausalMaskOp)
def _causal_mask(w: Writer, op: lib.CausalMaskOp) -> Sequence[SSAValue]:
    shape = shape_of(op.source.type)
    column = w.of(ew.AddOp, w.position(1, shape), op.k0)
    row = w.of(ew.AddOp, w.position(0, shape), op.q0)
    seen = w.of(ew.CmpOp, column, row, predicate="le")
    return [w.of(ew.SelectOp, seen, op.source, w.scalar(-1.0e30, op.source))]


@expansion(shapes.TrilOp, shapes.TriuOp)
def _triangle(w: Writer, op: shapes.TriangleOp) -> Sequence[SSAValue]:
    shape = shape_of(op.source.type)
    rank = len(shape)
    row, column = w.position(rank - 2, shape), w.position(rank - 1, shape)
    limit = w.of(ew.AddOp, row, w.constant(op.offset, i32)) if op.offset else row
    predicate = "le" if isinstance(op, shapes.TrilOp) else "ge"
    inside = w.of(ew.CmpOp, column, limit, predicate=predicate)
    return [w.of(ew.SelectOp, inside, op.source, w.scalar(0, op.source))]


@expansion(lib.ArgSelOp)
def _argsel(w: Writer, op: lib.ArgSelOp) -> Sequence[SSAValue]:
    larger = w.of(ew.CmpOp, op.va, op.vb, predicate="ge")
    return [w.of(ew.SelectOp, larger, op.ia, op.ib)]


@expansion(memory.GatherTileOp)
def _gather_tile(w: Writer, op: memory.GatherTileOp) -> Sequence[SSAValue]:
    """Compare every entry with every index; the bits of the one that is equal survive an `or`."""
    (entries,) = shape_of(op.table.type)
    shape = shape_of(op.index.type)
    element = element_of(op.table.type)
    bits = IntegerType(bit_width(element)) if element != i1 else i1
    table = op.table
    if element != bits:
        table = w.one(ew.BitcastOp.to(table, bits))
    table = w.reshape(table, [*[1] * len(shape), entries])
    index = w.reshape(op.index, [*shape, 1])
    whole = (*shape, entries)
    equal = w.of(ew.CmpOp, index, w.position(len(shape), whole), predicate="eq")
    alone = w.of(ew.SelectOp, equal, table, w.scalar(0, table))
    fold = reductions.ReduceOp.fold([alone], len(shape), kinds=["or"])
    found = w.reshape(w.one(fold), shape)
    if element != bits:
        found = w.one(ew.BitcastOp.to(found, element))
    fill = op.fill_value
    if fill == number_attr(0, element):
        return [found]
    inside = w.of(ew.CmpOp, op.index, w.constant(entries, i32), predicate="ult")
    return [w.of(ew.SelectOp, inside, found, w.scalar(fill, found))]


# Means, variances, positions.


def _mean(w: Writer, x: SSAValue, axis: int, *, ordered: bool = False) -> SSAValue:
    total = w.of(reductions.RowSumOp, x, axis=axis, ordered=ordered)
    return w.of(ew.DivOp, total, w.scalar(shape_of(x.type)[axis], total))


def _as_float(w: Writer, value: SSAValue) -> SSAValue:
    """The operand of a mean: integers, f16 and bf16 as f32."""
    return w.cast(value, f32) if is_integer(element_of(value.type)) else w.widen(value)


@expansion(reductions.RowMeanOp, reductions.ColMeanOp)
def _row_mean(w: Writer, op: reductions.MeanOp) -> Sequence[SSAValue]:
    ordered = op.ordered is not None
    mean = _mean(w, _as_float(w, op.source), op.dimension, ordered=ordered)
    return [w.cast(mean, element_of(op.result.type))]


@expansion(reductions.RowVarOp)
def _row_var(w: Writer, op: reductions.RowVarOp) -> Sequence[SSAValue]:
    ordered = op.ordered is not None
    x = _as_float(w, op.source)
    distance = w.of(ew.SubOp, x, _mean(w, x, op.dimension, ordered=ordered))
    variance = _mean(w, w.of(ew.SquareOp, distance), op.dimension, ordered=ordered)
    return [w.cast(variance, element_of(op.result.type))]


@expansion(reductions.RowArgMaxOp, reductions.RowArgMinOp)
def _row_arg(w: Writer, op: Any) -> Sequence[SSAValue]:
    """The smallest position where the element equals the extremum; none equals NaN."""
    axis = op.dimension
    largest = isinstance(op, reductions.RowArgMaxOp)
    extremum = reductions.RowMaxOp if largest else reductions.RowMinOp
    best = w.of(extremum, op.source, axis=axis)
    equal = w.of(ew.CmpOp, op.source, best, predicate="eq")
    position = w.position(axis, shape_of(op.source.type))
    candidates = w.of(ew.SelectOp, equal, position, w.constant(INT_MAX, i32))
    first = w.of(reductions.RowMinOp, candidates, axis=axis)
    if is_integer(element_of(op.source.type)):
        return [first]
    none = w.of(ew.CmpOp, first, w.constant(INT_MAX, i32), predicate="eq")
    return [w.of(ew.SelectOp, none, w.constant(0, i32), first)]


@expansion(reductions.CumSumOp)
def _cumsum(w: Writer, op: reductions.CumSumOp) -> Sequence[SSAValue]:
    words = [word for word in ("reverse", "exclusive") if getattr(op, word) is not None]
    x = w.widen(op.source)
    scan = reductions.ScanOp.fold([x], op.dimension, kinds=["sum"], words=words)
    return [w.cast(w.one(scan), element_of(op.result.type))]


def _key(w: Writer, x: SSAValue) -> SSAValue:
    """Integers in the order of the elements, -0 equal to +0, NaN below every number.

    The lowest integer is the key of no element, except for i32 and i64, which are their own keys.
    """
    element = element_of(x.type)
    if not is_float(element):
        return w.cast(x, i32) if bit_width(element) < 32 else x
    x = w.widen(x)
    key = _fold(w, w.one(ew.BitcastOp.to(x, IntegerType(bit_width(element_of(x.type))))))
    unordered = w.of(ew.CmpOp, x, x, predicate="uno")
    below = {32: -0x7FC0_0000, 64: -0x7FF8_0000_0000_0000}  # The keys of a NaN with its sign set.
    return w.of(ew.SelectOp, unordered, w.scalar(below[bit_width(element_of(key.type))], key), key)


def _fold(w: Writer, bits: SSAValue) -> SSAValue:
    """Sign and magnitude as two's complement, and two's complement as sign and magnitude."""
    negative = w.of(ew.CmpOp, bits, w.scalar(0, bits), predicate="lt")
    return w.of(ew.SelectOp, negative, w.of(ew.SubOp, w.scalar(_lowest(bits), bits), bits), bits)


def _lowest(value: SSAValue) -> int:
    return -(1 << (bit_width(element_of(value.type)) - 1))


def _element(w: Writer, key: SSAValue, element: Attribute) -> SSAValue:
    """The element of a key."""
    if not is_float(element):
        return w.cast(key, element)
    return w.cast(w.one(ew.BitcastOp.to(_fold(w, key), reductions.wide(element))), element)


@expansion(lib.TopKOp)
def _topk(w: Writer, op: lib.TopKOp) -> Sequence[SSAValue]:
    """k rounds in a loop: the largest key, then the first column that has it.

    A pick becomes the lowest integer. Where that is an element's key too, its column becomes the
    highest, which comes after every other.
    """
    shape = shape_of(op.source.type)
    element = element_of(op.source.type)
    key = _key(w, op.source)
    lasting = w.one(ew.BroadcastOp.to(w.position(1, shape), shape))
    picks = [shape[0], op.picks]
    carried = [key, w.constant(0, tile_type(picks, element)), w.constant(0, tile_type(picks, i32))]
    marks_columns = key is op.source
    if marks_columns:
        carried.append(lasting)
    body = Block(arg_types=[i32, *(value.type for value in carried)])
    inner = Writer(Builder(InsertPoint.at_end(body)), w.origin, w.version)
    turn, left, values, picked, *names = body.args
    columns = names[0] if marks_columns else lasting
    last = inner.constant(INT_MAX, i32)
    best = inner.of(reductions.RowMaxOp, left)
    equal = inner.of(ew.CmpOp, left, best, predicate="eq")
    first = inner.of(reductions.RowMinOp, inner.of(ew.SelectOp, equal, columns, last))
    place = inner.of(ew.CmpOp, inner.position(1, picks), turn, predicate="eq")
    taken = inner.of(ew.CmpOp, columns, first, predicate="eq")
    results = [
        inner.of(ew.SelectOp, taken, inner.scalar(_lowest(left), left), left),
        inner.of(ew.SelectOp, place, _element(inner, best, element), values),
        inner.of(ew.SelectOp, place, first, picked),
    ]
    if marks_columns:
        results.append(inner.of(ew.SelectOp, taken, last, columns))
    inner.insert(scf.YieldOp(*results))
    loop = scf.ForOp(w.index(0), w.index(op.picks), w.index(1), carried, Region(body))
    w.insert(loop)
    return loop.results[1:3]


# Norms and activations.


@expansion(lib.LayerNormOp)
def _layer_norm(w: Writer, op: lib.LayerNormOp) -> Sequence[SSAValue]:
    x = w.widen(op.source)
    compute = element_of(x.type)
    axis = len(shape_of(x.type)) - 1
    distance = w.of(ew.SubOp, x, _mean(w, x, axis))
    variance = _mean(w, w.of(ew.SquareOp, distance), axis)
    inverse = w.of(ew.RsqrtOp, w.of(ew.AddOp, variance, w.constant(op.eps, compute)))
    normal = w.of(ew.MulOp, distance, inverse)
    result = w.of(ew.FmaOp, normal, w.cast(op.scale, compute), w.cast(op.shift, compute))
    return [w.cast(result, element_of(op.result.type))]


@expansion(lib.RmsNormOp)
def _rms_norm(w: Writer, op: lib.RmsNormOp) -> Sequence[SSAValue]:
    x = w.widen(op.source)
    compute = element_of(x.type)
    square = _mean(w, w.of(ew.SquareOp, x), len(shape_of(x.type)) - 1)
    inverse = w.of(ew.RsqrtOp, w.of(ew.AddOp, square, w.constant(op.eps, compute)))
    normal = w.of(ew.MulOp, x, inverse)
    result = w.of(ew.MulOp, normal, w.cast(op.scale, compute))
    return [w.cast(result, element_of(op.result.type))]


@expansion(lib.GeluOp)
def _gelu(w: Writer, op: lib.GeluOp) -> Sequence[SSAValue]:
    x = w.widen(op.source)
    error = w.of(ew.ErfOp, w.of(ew.MulOp, x, w.scalar(sqrt(0.5), x)), fastmath=_flags(op))
    half = w.of(ew.MulOp, x, w.scalar(0.5, x))
    result = w.of(ew.MulOp, half, w.of(ew.AddOp, w.scalar(1, x), error))
    return [w.cast(result, element_of(op.result.type))]


@expansion(lib.SiluOp)
def _silu(w: Writer, op: lib.SiluOp) -> Sequence[SSAValue]:
    x = w.widen(op.source)
    result = w.of(ew.MulOp, x, w.of(ew.SigmoidOp, x, fastmath=_flags(op)))
    return [w.cast(result, element_of(op.result.type))]


# Products.


@expansion(lib.AxpyOp)
def _axpy(w: Writer, op: lib.AxpyOp) -> Sequence[SSAValue]:
    return [w.of(ew.FmaOp, op.alpha, op.x, op.y, fastmath=_flags(op))]


@expansion(lib.TileDotOp)
def _tile_dot(w: Writer, op: lib.TileDotOp) -> Sequence[SSAValue]:
    total = w.of(ew.MulOp, w.widen(op.lhs), w.widen(op.rhs))
    shape = shape_of(total.type)
    if all(is_power_of_two(extent) for extent in shape[1:]):
        # One dimension makes the same tree as one after the other, the fastest first.
        total = w.reshape(total, [prod(shape)])
    for axis in reversed(range(len(shape_of(total.type)))):
        total = w.of(reductions.RowSumOp, total, axis=axis)
    scalar = w.of(ew.ToScalarOp, total)
    return [w.cast(scalar, element_of(op.result.type))]


def accumulating_dot(op: ew.AddOp) -> lib.DotOp | None:
    """The product of `acc + dot(a, b)` whose only use is the sum: the sum is its accumulator."""
    for position in (1, 0):
        dot = op.operands[position].owner
        other = op.operands[1 - position]
        if not isinstance(dot, lib.DotOp) or dot.acc is not None or dot.ordered is not None:
            continue
        uses = list(dot.result.uses)
        if len(uses) == 1 and other.type == dot.result.type and dot.parent is op.parent:
            return dot
    return None


def is_accumulated(dot: lib.DotOp) -> bool:
    """Whether a product is only computed by the sum that it is the summand of."""
    uses = list(dot.result.uses)
    if len(uses) != 1:
        return False
    user = uses[0].operation
    return isinstance(user, ew.AddOp) and accumulating_dot(user) is dot


def _accumulate(w: Writer, op: ew.AddOp) -> Sequence[SSAValue]:
    dot = accumulating_dot(op)
    assert dot is not None
    other = next(value for value in op.operands if value is not dot.result)
    properties = dict(dot.properties)
    new = lib.DotOp.create(
        operands=[dot.lhs, dot.rhs, other], result_types=[op.result.type], properties=properties
    )
    return [w.one(new)]


def _dot_from_zero(w: Writer, op: lib.DotOp) -> Sequence[SSAValue]:
    """A product with an accumulator: no later sum can become one."""
    zero = w.constant(0, op.result.type)
    new = lib.DotOp.create(
        operands=[op.lhs, op.rhs, zero],
        result_types=[op.result.type],
        properties=dict(op.properties),
    )
    return [w.one(new)]


def _ordered_dot(w: Writer, op: lib.DotOp) -> Sequence[SSAValue]:
    """Column k of the left times row k of the right, added one after the other."""
    result = op.result.type
    element = element_of(result)
    left, right = (w.cast(value, element) for value in (op.lhs, op.rhs))
    a, b = shape_of(left.type), shape_of(right.type)
    start = w.constant(0, result) if op.acc is None else op.acc
    body = Block(arg_types=[i32, result])
    inner = Writer(Builder(InsertPoint.at_end(body)), w.origin, w.version)
    k, acc = body.args
    batch = [0] * (len(a) - 2)
    column_type = tile_type([*a[:-1], 1], element)
    row_type = tile_type([*b[:-2], 1, b[-1]], element)
    column = inner.one(shapes.ExtractOp.at([], left, [*batch, 0, k], [column_type]))
    row = inner.one(shapes.ExtractOp.at([], right, [*batch, k, 0], [row_type]))
    inner.insert(scf.YieldOp(inner.of(ew.FmaOp, column, row, acc)))
    loop = scf.ForOp(w.index(0), w.index(a[-1]), w.index(1), [start], Region(body))
    w.insert(loop)
    return list(loop.results)


# Ordered reductions.

_COMBINE: dict[str, type[ew.BinaryOp]] = {
    "sum": ew.AddOp,
    "prod": ew.MulOp,
    "max": ew.MaxOp,
    "min": ew.MinOp,
    "and": ew.AndOp,
    "or": ew.OrOp,
    "xor": ew.XorOp,
}

KINDS: dict[type[Operation], str] = {
    reductions.RowMaxOp: "max",
    reductions.ColMaxOp: "max",
    reductions.RowMinOp: "min",
    reductions.ColMinOp: "min",
    reductions.RowSumOp: "sum",
    reductions.ColSumOp: "sum",
}
"""The combining kind of the reductions that have one."""


def combination(kinds: Sequence[str], elements: Sequence[Attribute]) -> Region:
    """The combine region that some kinds stand for."""
    block = Block(arg_types=[*elements, *elements])
    builder = Builder(InsertPoint.at_end(block))
    count = len(kinds)
    results: list[SSAValue] = []
    for position, kind in enumerate(kinds):
        op = _COMBINE[kind].of(block.args[position], block.args[position + count])
        builder.insert(op)
        results.append(op.results[0])
    builder.insert(YieldOp(*results))
    return Region(block)


def _ordered(w: Writer, op: Any) -> Sequence[SSAValue]:
    """A loop over the axis that combines one slice after the other."""
    if isinstance(op, reductions.ReduceOp):
        return _ordered_fold(w, op)
    x = op.source
    kind = KINDS[type(op)]
    if kind == "sum":
        x = w.widen(x)
    fold = reductions.ReduceOp.fold([x], op.dimension, kinds=[kind], words=["ordered"])
    (total,) = _ordered_fold(w, fold)
    fold.erase()
    return [w.cast(total, element_of(op.result.type))]


def mapped(w: Emitter, op: reductions.FoldOp) -> list[SSAValue]:
    """What a fold combines: its operands after its map, as a sweep."""
    inputs = list(op.inputs)
    if not op.map_region.blocks:
        return inputs
    types = [tile_type(op.shape, element) for element in op.elements]
    sweep = SweepOp(inputs, types, op.map_region.clone())
    w.insert(sweep)
    return list(sweep.results)


def _ordered_fold(w: Writer, op: reductions.ReduceOp) -> Sequence[SSAValue]:
    inputs = mapped(w, op)
    axis, shape = op.dimension, op.shape
    slice_shape = reductions.reduced_shape(shape, axis)
    types = [tile_type(slice_shape, element) for element in op.elements]
    words = op.kind_words
    region = op.combine_region if words is None else combination(words, op.elements)

    def piece(inner: Writer, value: SSAValue, type: Attribute, at: SSAValue | int) -> SSAValue:
        offsets = [at if k == axis else 0 for k in range(len(shape))]
        return inner.one(shapes.ExtractOp.at([], value, offsets, [type]))

    def combine(inner: Writer, first: Sequence[SSAValue], second: Sequence[SSAValue]) -> Any:
        sweep = SweepOp([*first, *second], types, region.clone())
        inner.insert(sweep)
        return list(sweep.results)

    start: Sequence[SSAValue] = [
        piece(w, value, type, 0) for value, type in zip(inputs, types, strict=True)
    ]
    if op.inits:
        start = combine(w, list(op.inits), start)
    body = Block(arg_types=[i32, *types])
    inner = Writer(Builder(InsertPoint.at_end(body)), w.origin, w.version)
    position, *accumulators = body.args
    elements = [
        piece(inner, value, type, position) for value, type in zip(inputs, types, strict=True)
    ]
    inner.insert(scf.YieldOp(*combine(inner, accumulators, elements)))
    loop = scf.ForOp(w.index(1), w.index(shape[axis]), w.index(1), start, Region(body))
    w.insert(loop)
    return list(loop.results)
