"""What the licences of a kernel allow its results to be: a range for each element that it writes.

`allowed` evaluates a kernel after `expand-library` and `legalize-elementwise`, which say what was
licensed, on ranges instead of numbers. An element whose range is one number has to have these bits:
nothing that it depends on was licensed. The ends of a range are numbers of its type, and an
operation that grows with its operands takes ends to ends by the interpreter's own steps, roundings
included. What a flag allows is added where its operation stands:

* `afn`: `exp` a relative 2**-19, and 2**-17 beyond exp(22) and exp(-22); in a step of online
  softmax 2**-16, and |g| 2**-22 with the maximum g; a division 2 ulp, and 2 more by a root that
  may become `rsqrt`; where the divisor or its inverse is subnormal nothing is promised;
* `contract`: a product that a licensed sum takes up is not rounded;
* `ftz`: subnormal operands and results may be zeros;
* `chunk-rows` and `split-rows`: the sum of a long row of floats may take another order.

Where a range meets a jump (a comparison, a quotient by what may be zero) the result is the hull of
both sides or, where there is no rule, free. Bounds of the passes are those of their docstrings.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np
import numpy.typing as npt
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from support.sugar import grid_of, parse
from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import kernel as ir
from tileir_xdsl.dialects.tile_sugar import library, memory, reductions, shapes, sweep
from tileir_xdsl.dialects.tile_sugar.expansion import mapped
from tileir_xdsl.dialects.tile_sugar.kernel import kernels
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_float, shape_of, signless
from tileir_xdsl.interpreter.plan import Compiler, Options, Step
from tileir_xdsl.interpreter.values import format_of
from tileir_xdsl.passes.expand_library import ExpandLibraryPass
from tileir_xdsl.passes.legalize_elementwise import LegalizeElementwisePass
from tileir_xdsl.passes.sugar import before, operations, replace

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.int64]

BF16: Any = np.dtype(ml_dtypes.bfloat16)
F8: tuple[Any, ...] = (np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2))
FLOATS: tuple[Any, ...] = (
    *F8, np.dtype(np.float16), BF16, np.dtype(np.float32), np.dtype(np.float64),
)  # fmt: skip
F32 = np.dtype(np.float32)
TINY = float(np.finfo(np.float32).tiny)


class Unknown(Exception):
    """There is no rule for what the kernel does: an index or a bound of a loop is not certain."""


# Numbers in their order.


def keys(values: Array) -> Keys:
    """Numbers as integers of the same order, neighbours apart by 1; -0 lies below +0."""
    if values.dtype not in FLOATS:
        return values.astype(np.int64)
    signed = np.ascontiguousarray(values).view(f"i{values.itemsize}").astype(np.int64)
    magnitude = signed & ((1 << (8 * values.itemsize - 1)) - 1)
    return np.where(signed < 0, -1 - magnitude, magnitude)


def numbers(found: Keys, dtype: Any) -> Array:
    """The inverse of `keys`."""
    if dtype not in FLOATS:
        return found.astype(dtype)
    width = 8 * np.dtype(dtype).itemsize
    sign = np.int64(-(1 << (width - 1)))
    raw = np.where(found < 0, (-1 - found) | sign, found)
    return raw.astype(f"i{width // 8}").view(dtype)


def moved(values: Array, steps: Any) -> Array:
    """Numbers some ulp away, up to the infinities; NaN stays."""
    limit = int(keys(np.array([np.inf], np.float64).astype(values.dtype))[0])
    return np.where(
        is_nan(values),
        values,
        numbers(np.clip(keys(values) + steps, -1 - limit, limit), values.dtype),
    )


def is_nan(values: Array) -> Bools:
    return values != values


def lesser(a: Array, b: Array) -> Array:
    return np.where(keys(a) <= keys(b), a, b)


def greater(a: Array, b: Array) -> Array:
    return np.where(keys(a) >= keys(b), a, b)


@dataclass
class Range:
    """What each element of a value may be: from `low` to `high`, or, where `free`, anything."""

    low: Array
    high: Array
    free: Bools

    @classmethod
    def point(cls, values: Array) -> Range:
        return cls(values, values, np.zeros(values.shape, np.bool_))

    @property
    def certain(self) -> Bools:
        """The elements that are one number, any NaN taken for any other."""
        same = keys(self.low) == keys(self.high)
        return ~self.free & (same | (is_nan(self.low) & is_nan(self.high)))

    @property
    def dtype(self) -> Any:
        return self.low.dtype

    def to(self, shape: Sequence[int]) -> Range:
        parts = (np.broadcast_to(a, shape) for a in (self.low, self.high, self.free))
        return Range(*parts)

    def copy(self) -> Range:
        return Range(self.low.copy(), self.high.copy(), self.free.copy())

    def freed(self, where: Any) -> Range:
        return Range(self.low, self.high, self.free | where)

    def widened(self, low: Array, high: Array) -> Range:
        """Hull with other ends, which NaN does not move."""
        number = ~(is_nan(low) | is_nan(high) | is_nan(self.low))
        return Range(
            np.where(number, lesser(self.low, low), self.low),
            np.where(number, greater(self.high, high), self.high),
            self.free,
        )

    def loosened(self, ulps: Any) -> Range:
        """With ends some ulp further out."""
        return self.widened(moved(self.low, -np.asarray(ulps)), moved(self.high, ulps))

    def has(self, what: Callable[[Array], Bools]) -> Bools:
        return what(self.low) | what(self.high)


def hull(parts: Sequence[Array], free: Bools) -> Range:
    """From the least of some results to the largest; free where some but not all are NaN."""
    nans = np.stack(np.broadcast_arrays(*(is_nan(part) for part in parts)))
    low, high = parts[0], parts[0]
    for part in parts[1:]:
        low, high = lesser(low, part), greater(high, part)
    mixed = nans.any(0) & ~nans.all(0)
    return Range(low, high, np.broadcast_to(free, mixed.shape) | mixed)


def around_zero(value: Range) -> Bools:
    return (keys(value.low) <= 0) & (keys(value.high) >= -1)


def with_infinity(value: Range) -> Bools:
    return value.has(lambda a: np.isinf(a.astype(np.float64)))


def flushed(value: Range) -> Range:
    """With zeros for subnormal f32 numbers, as well as themselves."""

    def flush(values: Array) -> Array:
        small = np.abs(values) < TINY
        return np.where(small, np.copysign(np.float32(0), values), values).astype(values.dtype)

    return value.widened(flush(value.low), flush(value.high))


class _Block:
    """What the interpreter's steps ask of the block that runs."""

    executed = 0

    def require_specified(self, *_: Any, **__: Any) -> None:
        """All lanes are specified."""


Values = dict[SSAValue, Any]


class _Steps:
    """The interpreter's steps for single operations."""

    def __init__(self) -> None:
        self.compiler = Compiler(Options(checked=False))
        self.env: list[Any] = [_Block()]
        self.steps: dict[Operation, Step | None] = {}

    def run(self, op: Operation, operands: Sequence[Array]) -> list[Array]:
        """The results of an operation on arrays."""
        if op not in self.steps:
            known = len(self.compiler.presets)
            self.steps[op] = self.compiler.compile_op(op)
            self._grow()
            for slot, content in self.compiler.presets[known:]:
                self.env[slot] = content
        slots = self.compiler.slots(op.operands)
        self._grow()
        for slot, value in zip(slots, operands, strict=True):
            self.env[slot] = value
        step = self.steps[op]
        if step is not None:
            step(self.env)
        return [np.asarray(self.env[self.compiler.slot(result)]) for result in op.results]

    def _grow(self) -> None:
        self.env += [None] * (self.compiler.size - len(self.env))


_GROWING = (
    ew.ExpOp, ew.Exp2Op, ew.LogOp, ew.Log2Op, ew.SqrtOp, ew.TanhOp, ew.RoundOp, ew.FloorOp,
    ew.CeilOp, ew.ErfOp, ew.SigmoidOp, ew.SinhOp, ew.MaxOp, ew.MinOp, ew.AddOp,
)  # fmt: skip
_COMPOSITE = (ew.ErfOp, ew.SigmoidOp)
"""Computed in several roundings, so not quite monotone."""
_MOVEMENT = (
    ew.BroadcastOp, ew.SplatOp, ew.ToScalarOp, shapes.TransposeOp, shapes.PermuteOp,
    shapes.ReshapeOp, shapes.FlatOp, shapes.ConcatOp, shapes.ExtractOp, shapes.InsertOp,
)  # fmt: skip
_ENDS = {ew.AddOp: ["ll", "hh"], ew.SubOp: ["lh", "hl"]}
"""The operands of the least and of the largest result."""
_EXTREMA = (reductions.RowMaxOp, reductions.RowMinOp, reductions.ColMaxOp, reductions.ColMinOp)
_SUMS = (reductions.RowSumOp, reductions.ColSumOp)


class Evaluation:
    """A kernel on ranges."""

    def __init__(self, text: str, fastmath: Sequence[str], sums: tuple[int, int] | None) -> None:
        module = parse(text)
        context = new_context()
        ExpandLibraryPass(fastmath=tuple(fastmath)).apply(context, module)
        _split_maps(module)
        LegalizeElementwisePass().apply(context, module)
        (self.kernel,) = kernels(module)
        self.sums = sums
        self.flags: dict[Operation, frozenset[str]] = {}
        for op in module.walk():
            flags = op.properties.pop("fastmath", None)
            self.flags[op] = frozenset(cast(Any, flags).data) if flags is not None else frozenset()
        self.steps = _Steps()
        self.values: Values = {}
        self.block_id: tuple[int, ...] = (0, 0, 0)
        self.grid: tuple[int, ...] = (1, 1, 1)

    def run(self, values: Sequence[Any]) -> list[Range]:
        """What the kernel leaves in its arrays."""
        arrays: list[Range] = []
        for argument, value in zip(self.kernel.body.block.args, values, strict=True):
            content: Any = np.asarray(value)
            if isinstance(value, np.ndarray):
                element = format_of(signless(element_of(argument.type))).dtype
                content = Range.point(cast(Array, value).view(element)).copy()
                arrays.append(content)
                self.values[argument] = content
            else:
                self.values[argument] = Range.point(content)
        self.grid = (*grid_of(self.kernel, values), 1, 1)[:3]
        with np.errstate(all="ignore"):
            for z, y, x in itertools.product(*(range(n) for n in reversed(self.grid))):
                self.block_id = (x, y, z)
                self._block(self.kernel.body.block)
        return arrays

    # Control flow.

    def _block(self, block: Block) -> tuple[list[Range], bool]:
        """Run a block: what it yields, and whether the kernel goes on."""
        for op in block.ops:
            if isinstance(op, ir.ReturnOp):
                return [], False
            if isinstance(op, scf.YieldOp | sweep.YieldOp):
                return [self.values[operand] for operand in op.operands], True
            if isinstance(op, scf.IfOp):
                results, goes_on = self._if(op)
                if not goes_on:
                    return [], False
            else:
                results = self._results(op)
            for result, value in zip(op.results, results, strict=True):
                self.values[result] = value
        return [], True

    def _if(self, op: scf.IfOp) -> tuple[list[Range], bool]:
        region = op.true_region if self._integer(op.cond) else op.false_region
        return self._block(region.block) if region.blocks else ([], True)

    def _for(self, op: scf.ForOp) -> list[Range]:
        carried = [self.values[value] for value in op.iter_args]
        position, *arguments = op.body.block.args
        for number in range(*(self._integer(v) for v in (op.lb, op.ub, op.step))):
            self.values[position] = Range.point(np.asarray(number, np.int32))
            self.values |= dict(zip(arguments, carried, strict=True))
            carried, _ = self._block(op.body.block)
        return carried

    def _sweep(self, op: sweep.SweepOp) -> list[Range]:
        for argument, value in zip(op.body.block.args, op.inputs, strict=True):
            self.values[argument] = self.values[value]
        results, _ = self._block(op.body.block)
        shape = tuple(op.shape)
        return [value.to(shape) for value in results]

    def _integer(self, value: SSAValue) -> int:
        found: Range = self.values[value]
        if not found.certain.all():
            raise Unknown
        return int(found.low.reshape(()))

    # Operations.

    def _results(self, op: Operation) -> list[Range]:
        match op:
            case scf.ForOp():
                return self._for(op)
            case sweep.SweepOp():
                return self._sweep(op)
            case ir.BlockIdOp():
                return [Range.point(np.asarray(self.block_id[op.dimension], np.int32))]
            case ir.NumBlocksOp():
                return [Range.point(np.asarray(self.grid[op.dimension], np.int32))]
            case ir.ExtentOp():
                extent = self.values[op.tensor].low.shape[op.dimension]
                return [Range.point(np.asarray(extent, np.int32))]
            case memory.LoadOp() | memory.GatherOp() | memory.GatherRowsOp():
                return [self._read(op)]
            case memory.StoreOp() | memory.ScatterOp():
                self._write(op)
                return []
            case memory.AtomicOp():
                return self._atomic(op)
            case library.DotOp():
                return [self._dot(op)]
            case reductions.FoldOp():
                return self._fold(op)
            case _:
                return [self._single(op)]

    def _single(self, op: Operation) -> Range:
        operands: list[Range] = [self.values[operand] for operand in op.operands]
        shape = shape_of(op.results[0].type)
        flags = self.flags[op]
        if "ftz" in flags:
            operands = [flushed(v) if v.dtype == F32 else v for v in operands]
        if isinstance(op, _EXTREMA):
            found = self._reduced(op, operands[0], op.dimension)
        elif isinstance(op, _SUMS):
            found = self._sum(op, operands[0])
        elif all(v.certain.all() for v in operands):
            found = Range.point(self._point(op, operands))
        elif isinstance(op, _MOVEMENT):
            found = self._movement(op, operands)
        else:
            # Outside of sweeps operands have the shape of the result, inside they broadcast.
            wide = np.broadcast_shapes(*(v.low.shape for v in operands))
            found = self._elementwise(op, [v.to(wide) for v in operands])
        if shape:
            found = found.to(shape)
        if isinstance(op, ew.PowOp) and found.dtype == np.float64:
            # The interpreter's is the host's, which a square may be closer to the power than.
            found = found.loosened(1)
        if flags and found.dtype in FLOATS:
            found = self._licensed(op, flags, operands, found)
        return found

    def _point(self, op: Operation, operands: Sequence[Range]) -> Array:
        return self.steps.run(op, [v.low for v in operands])[0]

    def _movement(self, op: Operation, operands: Sequence[Range]) -> Range:
        moving = [v if is_value(v, o) else None for v, o in zip(operands, op.operands, strict=True)]

        def run(part: Callable[[Range], Array]) -> Array:
            chosen = [
                v.low if m is None else part(m) for v, m in zip(operands, moving, strict=True)
            ]
            return self.steps.run(op, chosen)[0]

        free = run(lambda v: v.free.astype(v.dtype))
        return Range(run(lambda v: v.low), run(lambda v: v.high), free != 0)

    def _corners(self, op: Operation, operands: Sequence[Range], picks: Sequence[str]) -> Range:
        """The hull of the results at some ends: `l` is the low end of an operand, `h` the high."""
        results = [
            self.steps.run(
                op, [v.low if c == "l" else v.high for v, c in zip(operands, pick, strict=True)]
            )[0]
            for pick in picks
        ]
        return hull(results, np.logical_or.reduce([v.free for v in operands]))

    def _elementwise(self, op: Operation, operands: Sequence[Range]) -> Range:
        certain = np.logical_and.reduce([v.certain for v in operands])
        if isinstance(op, ew.SelectOp):
            return self._select(operands)
        if isinstance(op, ew.CmpOp):
            return self._compare(op, operands, certain)
        if isinstance(op, ew.CastOp):
            return self._cast(op, operands[0], certain)
        if isinstance(op, ew.BitcastOp):
            return self._bits(op, operands[0], certain)
        if operands[-1].dtype not in FLOATS:
            return self._integers(op, operands, certain)
        count = len(operands)
        if isinstance(op, _GROWING):
            found = self._corners(op, operands, ["l" * count, "h" * count])
            conflict = isinstance(op, ew.AddOp) and np.logical_and(*map(with_infinity, operands))
            slack = 4 if isinstance(op, _COMPOSITE) else 0
            return found.freed(~certain & conflict).loosened(np.where(certain, 0, slack))
        if isinstance(op, ew.NegOp):
            return self._corners(op, operands, ["h", "l"])
        if isinstance(op, ew.SubOp):
            conflict = np.logical_and(*map(with_infinity, operands))
            return self._corners(op, operands, ["lh", "hl"]).freed(~certain & conflict)
        if isinstance(op, ew.AbsOp | ew.SquareOp) or _is_square(op):
            # Equal operands have one place among the steps: the ends are those of one number.
            found = self._corners(op, operands, ["l" * count, "h" * count])
            low = np.where(
                around_zero(operands[0]) & ~certain, np.zeros((), found.dtype), found.low
            )
            return Range(low.astype(found.dtype), found.high, found.free)
        if isinstance(op, ew.RsqrtOp):
            return self._corners(op, operands, "lh").freed(~certain & (keys(operands[0].low) <= 0))
        if isinstance(op, ew.MulOp):
            a, b = operands
            conflict = around_zero(a) & with_infinity(b) | around_zero(b) & with_infinity(a)
            found = self._corners(op, operands, ["ll", "lh", "hl", "hh"])
            return found.freed(~certain & conflict)
        if isinstance(op, ew.DivOp):
            a, b = operands
            conflict = around_zero(b) | with_infinity(b) & with_infinity(a)
            found = self._corners(op, operands, ["ll", "lh", "hl", "hh"])
            return found.freed(~certain & conflict)
        if isinstance(op, ew.FmaOp) and op.lhs is op.rhs:
            return self._without_rule(op, operands, certain)
        if isinstance(op, ew.FmaOp):
            picks = ["".join(p) for p in itertools.product("lh", repeat=3)]
            conflict = np.logical_or.reduce([with_infinity(v) for v in operands])
            return self._corners(op, operands, picks).freed(~certain & conflict)
        return self._without_rule(op, operands, certain)

    def _without_rule(self, op: Operation, operands: Sequence[Range], certain: Bools) -> Range:
        ones = [np.where(certain, v.low, np.ones((), v.dtype)).astype(v.dtype) for v in operands]
        found = self.steps.run(op, ones)[0]
        return Range.point(found).freed(~np.broadcast_to(certain, found.shape))

    def _select(self, operands: Sequence[Range]) -> Range:
        condition, a, b = operands
        both = hull([a.low, a.high, b.low, b.high], a.free | b.free)
        yes = condition.certain & condition.low.astype(np.bool_)
        no = condition.certain & ~condition.low.astype(np.bool_)

        def chosen(part: Callable[[Range], Array]) -> Array:
            return np.where(yes, part(a), np.where(no, part(b), part(both)))

        return Range(chosen(lambda v: v.low), chosen(lambda v: v.high), chosen(lambda v: v.free))

    def _compare(self, op: ew.CmpOp, operands: Sequence[Range], certain: Bools) -> Range:
        a, b = operands
        word = op.predicate.keyword
        found = self._without_rule(op, operands, certain)
        unknown = ~certain
        ordered = ~(a.free | b.free)
        nans = is_nan(a.low) | is_nan(b.low)
        below, above = keys(a.high) < keys(b.low), keys(a.low) > keys(b.high)
        # -0 and +0 are equal.
        zeros = around_zero(a) & around_zero(b)
        below, above = below & ~zeros, above & ~zeros
        answers: dict[str, tuple[Any, Any]] = {
            "lt": (below, above),
            "le": (below, above),
            "gt": (above, below),
            "ge": (above, below),
            "eq": (False, below | above),
            "ne": (below | above, False),
        }
        if word in ("ord", "uno"):
            known = ordered
            truth: Any = nans == (word == "uno")
        elif word in answers:
            yes, no = answers[word]
            known = ordered & (yes | no | nans)
            truth = np.where(nans, word == "ne", yes)
        else:
            known, truth = np.zeros(unknown.shape, np.bool_), False
        low = np.where(unknown, known & truth, found.low)
        high = np.where(unknown, ~known | truth, found.high)
        return Range(low, high, np.zeros(unknown.shape, np.bool_))

    def _cast(self, op: ew.CastOp, value: Range, certain: Bools) -> Range:
        source, target = element_of(op.source.type), element_of(op.result.type)
        found = self._corners(op, [value], "lh")
        if is_float(target):
            return found
        if is_float(source):
            jumps = np.zeros(certain.shape, np.bool_)
            free = jumps if found.dtype != np.bool_ else ~certain
            return Range(found.low, found.high, found.free | free)
        return self._without_rule(op, [value], certain)

    def _bits(self, op: ew.BitcastOp, value: Range, certain: Bools) -> Range:
        """Bits of numbers of one sign, which are ordered as these are, or in reverse."""
        ends = [self.steps.run(op, [end])[0] for end in (value.low, value.high)]
        signs = (keys(value.low) < 0) != (keys(value.high) < 0)
        return hull(ends, value.free | (~certain & signs))

    def _integers(self, op: Operation, operands: Sequence[Range], certain: Bools) -> Range:
        if isinstance(op, ew.MaxOp | ew.MinOp) or (
            isinstance(op, ew.AndOp | ew.OrOp) and operands[0].dtype == np.bool_
        ):
            return self._corners(op, operands, ["ll", "hh"])
        if isinstance(op, ew.NotOp) and operands[0].dtype == np.bool_:
            return self._corners(op, operands, "hl")
        if isinstance(op, ew.AddOp | ew.SubOp) and operands[0].dtype.itemsize <= 4:
            return self._corners(op, operands, _ENDS[type(op)]).freed(
                ~certain & _wraps(op, operands)
            )
        return self._without_rule(op, operands, certain)

    # Reductions.

    def _reduced(self, op: Operation, value: Range, axis: int) -> Range:
        ends = [self.steps.run(op, [end])[0] for end in (value.low, value.high)]
        return hull(ends, np.asarray(value.free.any(axis, keepdims=True)))

    def _sum(self, op: Any, value: Range) -> Range:
        value = value.to(shape_of(op.source.type))
        axis: int = op.dimension
        uncertain = ~value.certain.all(axis, keepdims=True)
        found = self._reduced(op, value, axis)
        if value.dtype not in FLOATS:
            return found.freed(uncertain)
        found = found.freed(uncertain & with_infinity(value).any(axis, keepdims=True))
        extent = value.low.shape[axis]
        if self.sums is None or axis != value.low.ndim - 1 or extent <= self.sums[0]:
            return found
        # Additions on the way of one element into the sum, in either order.
        depth = extent // self.sums[1] + 2 * int(np.log2(extent)) + 2
        size = np.maximum(*(np.abs(end.astype(np.float64)) for end in (value.low, value.high)))
        slack = size.sum(axis, keepdims=True) * depth * 2.0**-24
        return found.widened(
            (found.low - slack).astype(value.dtype), (found.high + slack).astype(value.dtype)
        )

    def _fold(self, op: Any) -> list[Range]:
        operands: list[Range] = [self.values[operand] for operand in op.operands]
        axis: int = op.dimension
        full = [v.to(shape_of(o.type)) for v, o in zip(operands, op.operands, strict=True)]
        lows, highs = ([getattr(v, end) for v in full] for end in ("low", "high"))
        results = zip(self.steps.run(op, lows), self.steps.run(op, highs), strict=True)
        words = op.kind_words
        growing = words is not None and all(word in ("sum", "max", "min") for word in words)
        unsure: Any = False
        for value in full:
            rows = (~value.certain).any(axis, keepdims=True)
            free = rows
            if growing and value.dtype in FLOATS:
                infinite = with_infinity(value).any(axis, keepdims=True)
                free = value.free.any(axis, keepdims=True) | (rows & infinite)
            unsure = unsure | free
        return [
            hull([low, high], np.broadcast_to(unsure, np.broadcast_shapes(low.shape))).to(
                shape_of(result.type)
            )
            for (low, high), result in zip(results, op.results, strict=True)
        ]

    def _dot(self, op: library.DotOp) -> Range:
        a, b, acc = (self.values[v].to(shape_of(v.type)) for v in op.operands)
        found = Range.point(self.steps.run(op, [a.low, b.low, acc.low])[0])
        rows = (~a.certain).any(-1)[..., :, None]
        columns = (~b.certain).any(-2)[..., None, :]
        unsure = ~acc.certain | rows | columns
        if not unsure.any():
            return found
        if acc.dtype not in FLOATS or op.properties.get("tf32") is not None:
            return found.freed(unsure)
        wide = [[e.astype(np.float64) for e in (v.low, v.high)] for v in (a, b, acc)]
        products = np.stack(
            [x[..., :, :, None] * y[..., None, :, :] for x, y in itertools.product(*wide[:2])]
        )
        low = products.min(0).sum(-2) + wide[2][0]
        high = products.max(0).sum(-2) + wide[2][1]
        size = np.abs(products).max(0).sum(-2) + np.abs(np.stack(wide[2])).max(0)
        terms = a.low.shape[-1] + 4
        slack = size * terms * (2.0**-23 if acc.dtype == F32 else 2.0**-52)
        ends = Range((low - slack).astype(acc.dtype), (high + slack).astype(acc.dtype), unsure)
        bad = ~np.isfinite(low) | ~np.isfinite(high) | a.free.any(-1)[..., :, None]
        bad = bad | b.free.any(-2)[..., None, :] | acc.free
        return Range(
            np.where(unsure, ends.low, found.low),
            np.where(unsure, ends.high, found.high),
            unsure & bad,
        )

    # Memory.

    def _positions(self, op: Any, shape: tuple[int, ...]) -> list[Array]:
        sliced = isinstance(op, memory.LoadOp | memory.StoreOp) or (
            isinstance(op, memory.AtomicOp) and op.is_slice
        )
        found: list[Array] = []
        for dim, index in enumerate(op.all_indices()):
            if isinstance(index, int):
                values = np.asarray(index, np.int64)
            else:
                known: Range = self.values[index]
                if not known.certain.all():
                    raise Unknown
                values = np.asarray(known.low).astype(np.int64)
            if values.ndim and values.ndim < len(shape):
                values = values.reshape(-1, *[1] * (len(shape) - 1))
            if sliced or (isinstance(op, memory.GatherRowsOp) and dim == 1):
                line = np.arange(shape[dim], dtype=np.int64)
                values = values + line.reshape([-1 if k == dim else 1 for k in range(len(shape))])
            found.append(np.broadcast_to(values, shape))
        return found

    def _reach(self, op: Any, tile: SSAValue) -> tuple[Range, Bools, tuple[Array, ...]]:
        """The memory, which elements lie in it, and where those do."""
        tensor: Range = self.values[op.tensor]
        shape = shape_of(tile.type)
        positions = self._positions(op, shape)
        inside = np.ones(shape, np.bool_)
        for position, extent in zip(positions, tensor.low.shape, strict=True):
            inside &= (position >= 0) & (position < extent)
        return tensor, inside, tuple(position[inside] for position in positions)

    def _read(self, op: Any) -> Range:
        from tileir_xdsl.interpreter.tile_sugar.elementwise import number_array

        tensor, inside, places = self._reach(op, op.result)
        fill = number_array(op.fill_value)
        low, high = (np.full(inside.shape, fill, tensor.dtype) for _ in range(2))
        free = np.zeros(inside.shape, np.bool_)
        low[inside], high[inside] = tensor.low[places], tensor.high[places]
        free[inside] = tensor.free[places]
        return Range(low, high, free)

    def _write(self, op: Any) -> None:
        tensor, inside, places = self._reach(op, op.value)
        value = self.values[op.value].to(inside.shape)
        tensor.low[places], tensor.high[places] = value.low[inside], value.high[inside]
        tensor.free[places] = value.free[inside]

    def _atomic(self, op: memory.AtomicOp) -> list[Range]:
        """Additions of numbers that are certain, one after the other."""
        tensor, inside, places = self._reach(op, op.value)
        value = self.values[op.value].to(inside.shape)
        if op.mode.keyword != "add" or not value.certain.all() or not tensor.certain.all():
            raise Unknown
        old = np.zeros(inside.shape, tensor.dtype)
        before_ = np.empty(int(inside.sum()), tensor.dtype)
        for number, place in enumerate(zip(*places, strict=True)):
            before_[number] = tensor.low[place]
            tensor.low[place] = tensor.low[place] + value.low[inside][number]
        old[inside] = before_
        tensor.high[:] = tensor.low
        return [] if op.result is None else [Range.point(old)]

    # Licences.

    def _licensed(
        self, op: Operation, flags: frozenset[str], operands: Sequence[Range], found: Range
    ) -> Range:
        if "afn" in flags and found.dtype != np.float64:
            if found.dtype != F32:
                # Computed in f32 and rounded once more.
                found = found.loosened(1)
            elif isinstance(op, ew.ExpOp):
                found = self._exponential(op, operands[0], found, flushes="ftz" in flags)
            elif isinstance(op, ew.SigmoidOp):
                found = _relative(found, 2.0**-17)
                found = flushed(found) if (np.abs(operands[0].low) > 87).any() else found
            elif isinstance(op, ew.DivOp):
                found = self._quotient(op, operands[1], found)
        if "contract" in flags and self._is_contracted(op):
            found = found.loosened(1)
        return flushed(found) if "ftz" in flags and found.dtype == F32 else found

    def _exponential(self, op: ew.ExpOp, distance: Range, found: Range, *, flushes: bool) -> Range:
        ends = [np.broadcast_to(end, found.low.shape) for end in (distance.low, distance.high)]
        # Where an argument is certain some results are what they are: 0, 1, inf and NaN.
        special = found.certain & (
            is_nan(found.low) | np.isinf(found.low) | (ends[0] == 0) | np.isneginf(ends[0])
        )
        far = np.maximum(*(np.abs(end) for end in ends)) > 22
        error = np.where(far, 2.0**-17, 2.0**-19)
        maker = op.source.owner
        sizes = [self._size(v) for v in (maker.operands if isinstance(maker, Operation) else ())]
        step = _step_maximum(op)
        if step is not None:
            size = np.broadcast_to(self._size(step), found.low.shape)
            special = special & (size == 0)
            error = 2.0**-16 + size * 2.0**-22
            found = found.freed(~special & (size > 2.0**25))
        # Rows with an infinity, and huge ones, have no bound on what exp is taken of.
        sizes += [np.abs(end) for end in ends]
        unbounded = step is not None or any((size > 2.0**20).any() for size in sizes)
        loose = _relative(found, np.where(special, 0, error))
        loose = flushed(loose) if flushes or unbounded else loose
        if any((size > 2.0**24).any() for size in sizes):
            lost = np.where(loose.low < 2.0**-86, np.float32(0), loose.low)
            loose = Range(lost, loose.high, loose.free)
        low = np.where(special, found.low, loose.low)
        return Range(low, np.where(special, found.high, loose.high), found.free)

    def _size(self, value: SSAValue) -> Array:
        known: Range = self.values[value]
        with np.errstate(all="ignore"):
            size = np.maximum(*(np.abs(e.astype(np.float64)) for e in (known.low, known.high)))
        return np.where(is_nan(size), 0, size)

    def _quotient(self, op: ew.DivOp, divisor: Range, found: Range) -> Range:
        root = _narrow(op.rhs).owner
        by_root = isinstance(root, ew.SqrtOp) and "afn" in self.flags[root]
        found = found.loosened(4 if by_root else 2)

        def beyond(values: Array) -> Bools:
            size = np.abs(values.astype(np.float64))
            return np.isfinite(size) & (size != 0) & ((size < 2.0**-126) | (size > 2.0**126))

        return found.freed(divisor.has(beyond))

    def _is_contracted(self, op: Operation) -> bool:
        """Whether `contract-fma` may take a product up."""
        if not isinstance(op, ew.MulOp | ew.SquareOp | ew.PowOp | ew.DivOp):
            return False
        users = [use.operation for use in op.results[0].uses]
        return any(
            isinstance(user, ew.AddOp | ew.SubOp) and "contract" in self.flags[user]
            for user in users
        )


def _is_square(op: Operation) -> bool:
    return isinstance(op, ew.MulOp) and op.lhs is op.rhs


def _wraps(op: Operation, operands: Sequence[Range]) -> Bools:
    """Whether a sum or difference of integers may leave its type."""
    (a, b), (c, d) = ((v.low.astype(np.int64), v.high.astype(np.int64)) for v in operands)
    ends = (a + c, b + d) if isinstance(op, ew.AddOp) else (a - d, b - c)
    limits = np.iinfo(operands[0].dtype)
    return (ends[0] < limits.min) | (ends[1] > limits.max)


def _narrow(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, ew.BroadcastOp | ew.SplatOp):
        value = value.owner.source
    return value


def _step_maximum(op: ew.ExpOp) -> SSAValue | None:
    """The maximum that exp is taken relative to, in a step of online softmax."""
    distance: Any = op.source.owner
    if isinstance(distance, ew.FmaOp):
        return distance.acc
    if not isinstance(distance, ew.SubOp):
        return None
    choice: Any = _narrow(distance.rhs).owner
    running = isinstance(choice, ew.SelectOp) and isinstance(choice.if_false.owner, ew.MaxOp)
    return distance.rhs if running else None


def is_value(value: Range, operand: SSAValue) -> bool:
    """Whether an operand of a movement is what is moved, and not where to."""
    scalar_index = not shape_of(operand.type) and value.dtype == np.int32
    return not (scalar_index and any(_indexes(use.operation, operand) for use in operand.uses))


def _indexes(op: Operation, value: SSAValue) -> bool:
    return isinstance(op, shapes.ExtractOp | shapes.InsertOp) and value in op.operands[1:]


def _relative(found: Range, error: Any) -> Range:
    """With ends a relative distance further out, and an ulp for its rounding."""
    low, high = found.low.astype(np.float64), found.high.astype(np.float64)
    low, high = low - np.abs(low) * error, high + np.abs(high) * error
    return found.widened(low.astype(found.dtype), high.astype(found.dtype)).loosened(1)


def _split_maps(module: ModuleOp) -> None:
    """Folds with a map as a sweep and a fold without."""
    for op in operations(module.regions):
        if not isinstance(op, reductions.FoldOp) or not op.map_region.blocks:
            continue
        properties = dict(op.properties)
        new = type(op).build(
            operands=[mapped(before(op), op), list(op.inits)],
            result_types=[[result.type for result in op.results]],
            properties={k: v for k, v in properties.items() if k != "operandSegmentSizes"},
            regions=[Region(), op.combine_region.clone()],
        )
        before(op).insert(new)
        replace(op, list(new.results))


def allowed(
    text: str,
    values: Sequence[Any],
    fastmath: Sequence[str] = ("afn", "contract"),
    sums: tuple[int, int] | None = None,
) -> list[Range]:
    """What a kernel may leave in its arrays, in the order of its parameters.

    `fastmath` are the licences of library operations, `sums` the length beyond which a row's
    sum may take another order, and that of the parts that it is then made of.
    Raises Unknown for kernels in which an index depends on what is licensed.
    """
    return Evaluation(text, fastmath, sums).run(values)


@dataclass
class Agreement:
    """How results lie in their ranges."""

    exact: int = 0
    """Elements of one number only."""
    bounded: int = 0
    free: int = 0
    worst: float = 0.0
    """The largest distance from the reference as a part of that to the end of the range."""

    def add(self, other: Agreement) -> None:
        self.exact += other.exact
        self.bounded += other.bounded
        self.free += other.free
        self.worst = max(self.worst, other.worst)


def disagreement(found: Array, range_: Range) -> str | None:
    """The first element outside of its range."""
    values = found.view(range_.dtype)
    bad = ~range_.free & ~_lies_in(values, range_)
    if not bad.any():
        return None
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    return (
        f"element {where} is {values[where]}, not from {range_.low[where]} to {range_.high[where]} "
        f"({int(bad.sum())} of {bad.size} elements)"
    )


def _lies_in(values: Array, range_: Range) -> Bools:
    nan = is_nan(range_.low) & is_nan(range_.high)
    place = keys(values)
    between = (keys(range_.low) <= place) & (place <= keys(range_.high)) & ~is_nan(values)
    return np.where(nan, is_nan(values), between)


def agreement(found: Array, reference: Array, range_: Range) -> Agreement:
    """How results that lie in their ranges do."""
    values, exact = found.view(range_.dtype), reference.view(range_.dtype)
    certain = range_.certain
    bounded = ~certain & ~range_.free
    place, center = keys(values)[bounded], keys(exact)[bounded]
    above = place > center
    room = np.where(above, keys(range_.high)[bounded] - center, center - keys(range_.low)[bounded])
    worst = np.abs(place - center) / np.maximum(room, 1)
    return Agreement(
        int(certain.sum()), int(bounded.sum()), int(range_.free.sum()), float(worst.max(initial=0))
    )
