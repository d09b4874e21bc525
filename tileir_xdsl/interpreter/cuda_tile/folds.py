"""`reduce` and `scan`: their regions run on whole tiles, many combinations at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation

from tileir_xdsl.diagnostics import Diagnostic, Severity
from tileir_xdsl.dialects.cuda_tile import arithmetic as arith
from tileir_xdsl.dialects.cuda_tile import core as ir
from tileir_xdsl.dialects.cuda_tile.constants import float_bits
from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.interpreter.cuda_tile.arithmetic import is_signed, keyword, native_function
from tileir_xdsl.interpreter.orders import (
    REDUCE_ORDERS,
    SCAN_ORDERS,
    Combine,
    Item,
    Items,
    reduce_in_order,
    scan_in_order,
    take,
)
from tileir_xdsl.interpreter.plan import ELEMENTWISE, Compiler, Env, Step, Target, builder
from tileir_xdsl.interpreter.undefined import (
    UndefinedBehaviour,
    block_text,
    first_lane,
    show,
)
from tileir_xdsl.interpreter.values import format_of, full, number_format, tile_type
from tileir_xdsl.numerics import FloatFormat, IntegerFormat, NumberFormat
from tileir_xdsl.numerics.convert import ftof

Array = npt.NDArray[Any]
FastFold = Callable[[Array, int], Array | None]
"""Folds a tile along an axis at once; None when this tile needs the general way."""


def identity_array(value: Attribute, fmt: NumberFormat) -> Array:
    """An identity as an array of rank 0 in the operand's format."""
    if isinstance(value, IntegerAttr):
        bits: int = value.value.data
        return fmt.from_bits(np.asarray(bits & ((1 << fmt.width) - 1), np.uint64))
    encoding, type = float_bits(value)
    own = format_of(type)
    number = own.from_bits(np.asarray(encoding, np.uint64))
    if own is fmt or not isinstance(own, FloatFormat) or not isinstance(fmt, FloatFormat):
        return number
    return ftof(number, own, fmt)


class Fold:
    """A reduce or a scan, compiled."""

    def __init__(self, op: Any, compiler: Compiler) -> None:
        self.op: Operation = op
        self.compiler = compiler
        self.axis: int = op.dim.value.data
        self.sources = compiler.slots(op.inputs)
        self.targets = compiler.slots(op.results)
        self.shape = tile_type(op.inputs[0]).get_shape()
        self.extent = self.shape[self.axis]
        self.formats = [number_format(value) for value in op.inputs]
        self.identities = [
            identity_array(value, fmt)
            for value, fmt in zip(op.identity_values(), self.formats, strict=True)
        ]
        block = op.body.block
        self.accumulators = compiler.slots(block.args[0::2])
        self.elements = compiler.slots(block.args[1::2])
        self.yielded = [compiler.fresh() for _ in op.inputs]
        self.body = compiler.compile_block(block, Target("fold", yielded=self.yielded))
        self.lanewise = all(type(inner) in ELEMENTWISE for inner in block.ops)

    def items(self, env: Env) -> Items:
        """The operands with all elements along the axis."""
        found: Items = []
        for source in self.sources:
            values, lanes = env[source], env[source + 1]
            found.append((self._along(values), None if lanes is None else self._along(lanes)))
        return found

    def _along(self, values: Array) -> Array:
        if values.shape[self.axis] == self.extent:
            return values
        shape = list(values.shape)
        shape[self.axis] = self.extent
        return np.broadcast_to(values, shape)

    def combine(self, env: Env) -> Combine:
        """The region as a function of arrays."""
        return self._combine_tiles(env) if self.lanewise else self._combine_lanes(env)

    def _combine_tiles(self, env: Env) -> Combine:
        def combined(accumulators: Items, elements: Items) -> Items:
            for slots, items in ((self.accumulators, accumulators), (self.elements, elements)):
                for slot, (values, lanes) in zip(slots, items, strict=True):
                    env[slot] = values
                    env[slot + 1] = lanes
            self.body.run(env)
            shape = np.broadcast_shapes(*(values.shape for values, _ in (*accumulators, *elements)))
            return [(full(env[slot], shape), env[slot + 1]) for slot in self.yielded]

        return combined

    def _combine_lanes(self, env: Env) -> Combine:
        """Element by element, for regions that branch."""
        whole = self._combine_tiles(env)

        def pick(items: Items, index: tuple[int, ...]) -> Items:
            return [
                (np.asarray(full(v, shape_of(items))[index]), lane_at(m, shape_of(items), index))
                for v, m in items
            ]

        def shape_of(items: Items) -> tuple[int, ...]:
            return np.broadcast_shapes(*(values.shape for values, _ in items))

        def lane_at(
            lanes: Array | None, shape: tuple[int, ...], index: tuple[int, ...]
        ) -> Array | None:
            return None if lanes is None else np.asarray(full(lanes, shape)[index])

        def combined(accumulators: Items, elements: Items) -> Items:
            shape = shape_of([*accumulators, *elements])
            results = [np.empty(shape, fmt.dtype) for fmt in self.formats]
            masks = [np.zeros(shape, np.bool_) for _ in self.formats]
            for index in np.ndindex(*shape):
                answers = whole(pick(accumulators, index), pick(elements, index))
                for k, (value, lane) in enumerate(answers):
                    results[k][index] = value
                    masks[k][index] = False if lane is None else lane
            return [(r, m if m.any() else None) for r, m in zip(results, masks, strict=True)]

        return combined

    def deliver(self, env: Env, items: Items) -> None:
        for target, (values, lanes) in zip(self.targets, items, strict=True):
            env[target] = np.asarray(values)
            env[target + 1] = lanes


@builder(ir.ReduceOp)
def build_reduce(op: ir.ReduceOp, compiler: Compiler) -> Step:
    fold = Fold(op, compiler)
    order, seed, axis = compiler.options.order, compiler.options.seed, fold.axis
    simple = order == "tree" and not compiler.options.check_order
    fast = _fast_reduce(op) if simple else None
    direct = _direct_tree(op) if simple else None

    def run(env: Env) -> None:
        items = fold.items(env)
        for whole in (fast, direct):
            if whole is None:
                continue
            values, lanes = items[0]
            total = whole(values, axis)
            if total is not None:
                env[0].executed += (fold.extent - 1) * fold.body.count
                unsure = None if lanes is None else np.asarray(lanes.any(axis=axis))
                fold.deliver(env, [(total, unsure)])
                return
        combine = fold.combine(env)
        if compiler.options.check_order:
            _compare_orders(env, fold, items, combine, REDUCE_ORDERS, seed)
        fold.deliver(env, reduce_in_order(order, items, axis, combine, fold.identities, seed))

    return run


@builder(ir.ScanOp)
def build_scan(op: ir.ScanOp, compiler: Compiler) -> Step:
    fold = Fold(op, compiler)
    axis = fold.axis
    backwards = bool(op.reverse.value.data)
    chosen = compiler.options.order
    order = {"tree": "sequential", "halves": "tree", "shuffled": "tree"}.get(chosen, chosen)
    simple = chosen == "tree" and not compiler.options.check_order
    fast = _fast_scan(op) if simple else None
    flip = slice(None, None, -1)

    def run(env: Env) -> None:
        items = fold.items(env)
        if backwards:
            items = take(items, axis, flip)
        if fast is not None and items[0][1] is None:
            env[0].executed += (fold.extent - 1) * fold.body.count
            prefixes: Items = [(fast(items[0][0], axis), None)]
        else:
            combine = fold.combine(env)
            if compiler.options.check_order:
                _compare_orders(env, fold, items, combine, SCAN_ORDERS, 0)
            prefixes = scan_in_order(order, items, axis, combine, fold.identities)
        if backwards:
            prefixes = take(prefixes, axis, flip)
        fold.deliver(env, prefixes)

    return run


# Regions of a single operation.


def _single_operation(op: Any) -> Any:
    """The one operation of a region that combines accumulator and element and yields the result."""
    block = op.body.block
    ops = list(block.ops)
    if len(op.inputs) != 1 or len(ops) != 2 or not isinstance(ops[1], YieldOp):
        return None
    inner = ops[0]
    if len(inner.operands) != 2 or set(inner.operands) != set(block.args):
        return None
    return inner if tuple(ops[1].args) == tuple(inner.results) else None


def _direct_tree(op: ir.ReduceOp) -> Callable[[Array, int], Array] | None:
    """`orders.tree` for a region that is one NumPy function of accumulator and element."""
    inner = _single_operation(op)
    function = None if inner is None else native_function(inner)
    if inner is None or function is None or inner.operands[0] is not op.body.block.args[0]:
        return None

    def reduce(values: Array, axis: int) -> Array:
        before = (slice(None),) * axis
        accumulators, elements = (*before, slice(0, None, 2)), (*before, slice(1, None, 2))
        # All extents are powers of two: every element has a partner.
        while values.shape[axis] > 1:
            values = function(values[accumulators], values[elements])
        return values[(*before, 0)]

    return reduce


_ANY_ORDER: dict[type[Operation], np.ufunc] = {
    arith.AddIOp: np.add,
    arith.MulIOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.MaxIOp: np.maximum,
    arith.MinIOp: np.minimum,
}
"""Integer operations that give the same in every order."""


def _integer_ufunc(inner: Operation, fmt: NumberFormat) -> np.ufunc | None:
    ufunc = _ANY_ORDER.get(type(inner))
    if ufunc is None or not isinstance(fmt, IntegerFormat) or fmt.width < 8:
        return None
    if isinstance(inner, arith.AddIOp | arith.MulIOp) and keyword(inner.overflow) != "none":
        return None
    return ufunc


def _signed_view(inner: Any, fmt: IntegerFormat) -> np.dtype[Any]:
    """The type in which to compare."""
    unsigned = isinstance(inner, arith.MaxIOp | arith.MinIOp) and not is_signed(inner)
    return fmt.bits_dtype if unsigned else fmt.dtype


def _fast_reduce(op: ir.ReduceOp) -> FastFold | None:
    """A reduction by NumPy's own, where the order makes no difference to any bit."""
    inner = _single_operation(op)
    if inner is None:
        return None
    fmt = number_format(op.inputs[0])
    if isinstance(inner, arith.MaxFOp | arith.MinFOp):
        return _fast_extremum(inner, fmt)
    ufunc = _integer_ufunc(inner, fmt)
    if ufunc is None or not isinstance(fmt, IntegerFormat):
        return None
    view = _signed_view(inner, fmt)

    def reduce(values: Array, axis: int) -> Array:
        total = ufunc.reduce(values.view(view), axis=axis, dtype=view)
        return np.asarray(total).view(fmt.dtype)

    return reduce


def _fast_extremum(inner: Any, fmt: NumberFormat) -> FastFold | None:
    if inner.flush_to_zero is not None:
        return None
    largest = isinstance(inner, arith.MaxFOp)
    propagates = inner.propagate_nan is not None
    ufunc = np.maximum if largest else np.minimum

    def reduce(values: Array, axis: int) -> Array | None:
        wide = values.astype(np.float32) if fmt.width < 32 else values
        # np.fmax answers NaN for a signaling one and a number, but only in some positions.
        if not propagates and np.isnan(wide).any():
            return None
        total = np.asarray(ufunc.reduce(wide, axis=axis))
        # NumPy does not say which zero it answers.
        if (total == 0).any():
            return None
        return total.astype(fmt.dtype)

    return reduce


def _fast_scan(op: ir.ScanOp) -> Callable[[Array, int], Array] | None:
    """A scan by NumPy's `accumulate`, which goes left to right in the type of the elements."""
    inner = _single_operation(op)
    if inner is None:
        return None
    fmt = number_format(op.inputs[0])
    ufunc = _integer_ufunc(inner, fmt)
    view = fmt.dtype
    if ufunc is not None and isinstance(fmt, IntegerFormat):
        view = _signed_view(inner, fmt)
    elif fmt.name in ("f32", "f64") and isinstance(inner, arith.AddFOp | arith.MulFOp):
        native = native_function(inner)
        ufunc = native if isinstance(native, np.ufunc) else None
    if ufunc is None:
        return None
    chosen = ufunc

    def scan(values: Array, axis: int) -> Array:
        return chosen.accumulate(values.view(view), axis=axis, dtype=view).view(fmt.dtype)

    return scan


# The check of orders.


def _compare_orders(
    env: Env, fold: Fold, items: Items, combine: Combine, orders: tuple[str, ...], seed: int
) -> None:
    """Record a finding where an order changes the result or an identity changes an element."""
    plain = [order for order in orders if not order.startswith("identity")]

    def result(order: str) -> Items:
        if isinstance(fold.op, ir.ScanOp):
            return scan_in_order(order, items, fold.axis, combine, fold.identities)
        return reduce_in_order(order, items, fold.axis, combine, fold.identities, seed)

    reference = result(plain[0])
    try:
        _check_identities(env, fold, items, combine)
    except UndefinedBehaviour as error:
        what = "the region is undefined when an identity is folded in"
        _record(env, fold, "identity", True, (), what, error.diagnostics[0].message)
    for order in plain[1:]:
        try:
            other = result(order)
        except UndefinedBehaviour as error:
            what = f"the region is undefined in order {order}, which the specification leaves open"
            _record(env, fold, "order", True, (), what, error.diagnostics[0].message)
            continue
        for position, (first, second) in enumerate(zip(reference, other, strict=True)):
            differs = _differing(first, second, fold.formats[position])
            if not differs.any():
                continue
            inputs = items[position][0]
            small = _only_rounding(first[0], second[0], inputs, fold, position) | ~differs
            serious = bool((~small).any())
            lane = first_lane(~small if serious else differs)
            _record(
                env,
                fold,
                "order",
                serious,
                lane,
                "the result depends on the order, which the specification leaves open",
                f"{show(first[0][lane])} in order {plain[0]}, {show(second[0][lane])} in {order}",
            )


def _check_identities(env: Env, fold: Fold, items: Items, combine: Combine) -> None:
    """An identity folded in before or after an element must leave it as it is."""
    neutral: Items = [
        (np.broadcast_to(identity, values.shape), None)
        for identity, (values, _) in zip(fold.identities, items, strict=True)
    ]
    for combined in (combine(neutral, items), combine(items, neutral)):
        for position, (element, other) in enumerate(zip(items, combined, strict=True)):
            fmt = fold.formats[position]
            differs = _differing(element, other, fmt)
            if not differs.any():
                continue
            values, result = element[0], other[0]
            # A sum with the identity +0 turns -0 into +0: common, and rarely meant.
            zeros = differs & (values == result)
            serious = bool((differs & ~zeros).any())
            lane = first_lane(differs & ~zeros if serious else differs)
            identity = show(fold.identities[position][()])
            _record(
                env,
                fold,
                "identity",
                serious,
                lane,
                f"identity {identity} is none",
                f"combined with it {show(values[lane])} becomes {show(result[lane])}",
            )


def _record(
    env: Env,
    fold: Fold,
    kind: str,
    serious: bool,
    lane: tuple[int, ...],
    what: str,
    values: str,
) -> None:
    """Keep one finding of a kind for each operation."""
    findings = env[0].launch.findings
    key = (fold.op, kind, serious)
    if key in findings:
        return
    block = f"block {block_text(env[0].id)}"
    where = f"lane {list(lane)} of {block}" if lane else block
    if not serious:
        what += " (by rounding only)" if kind == "order" else " (for the sign of zeros)"
    severity = Severity.WARNING if serious else Severity.REMARK
    findings[key] = Diagnostic(
        severity, f"{what}: {values}, in {where}", place_of(fold.op), code=f"fold-{kind}"
    )


def _differing(first: Item, second: Item, fmt: NumberFormat) -> Array:
    """Lane by lane, whether two results differ where both are specified."""
    shape = np.broadcast_shapes(first[0].shape, second[0].shape)
    differs = np.asarray(~_same(full(first[0], shape), full(second[0], shape), fmt))
    for lanes in (first[1], second[1]):
        if lanes is not None:
            differs = differs & ~lanes
    return np.asarray(differs)


def _same(first: Array, second: Array, fmt: NumberFormat) -> Array:
    """Lane by lane, whether the encodings are equal or both are NaN."""
    if not isinstance(fmt, FloatFormat):
        return np.asarray(first == second)
    both = np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    return np.asarray((fmt.to_bits(first) == fmt.to_bits(second)) | both)


def _only_rounding(first: Array, second: Array, inputs: Array, fold: Fold, position: int) -> Array:
    """Lane by lane, whether the difference is within what reordering a sum may do.

    n rounded additions of numbers of magnitude at most m err by at most n * n * m ulps of m; the
    same relative bound covers products.
    """
    fmt = fold.formats[position]
    if not isinstance(fmt, FloatFormat):
        return np.zeros(first.shape, np.bool_)
    a, b = first.astype(np.float64), second.astype(np.float64)
    magnitude = np.abs(np.where(np.isfinite(inputs), inputs, 0).astype(np.float64))
    sums = magnitude.sum(axis=fold.axis, keepdims=isinstance(fold.op, ir.ScanOp))
    bound = (
        fold.extent * 2.0**-fmt.mantissa_bits * np.maximum(sums, np.maximum(np.abs(a), np.abs(b)))
    )
    return np.asarray(np.abs(a - b) <= bound)
