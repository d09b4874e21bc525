"""`extrema-to-redux`: maxima and minima of f32 rows as those of integers between the lanes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.products import has_products
from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp
from tileir_xdsl.dialects.tile_sugar.expansion import combination
from tileir_xdsl.dialects.tile_sugar.primitives import SIGNED, Emitter, element, tile
from tileir_xdsl.dialects.tile_sugar.reductions import identity_attr
from tileir_xdsl.passes.lower_reductions import fold_body
from tileir_xdsl.passes.reporting import count, remark
from tileir_xdsl.passes.sugar import SM_10X, before, operations, replace, targets_of
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import DEFAULT, Version

VECTOR = 4
"""Neighbours of a row that one lane holds: 16 bytes."""

SHORTEST_ROW = 128
FEWEST_ROWS = 4

FLOAT_REDUX = SM_10X
"""Targets that reduce f32 between lanes in one instruction as well."""

MAGNITUDE = 0x7FFF_FFFF
NAN = {"max": -0x7FC0_0001, "min": 0x7FC0_0000}
"""Keys beyond those of all numbers, and of a NaN: of its sign bit one's complement, or itself."""


@dataclass(frozen=True)
class ExtremaToReduxPass(TilePass):
    """Reduces maxima and minima of f32 rows between the lanes of a warp as integers.

    Integers have one instruction for it, `redux.sync`, where f32 takes ten. Four neighbours, which
    a lane holds, are combined first; what is left becomes integers of the same order, NaN beyond
    all numbers. The result is the same number; which NaN it is where it is one may differ. Only
    blocks of four rows or more, of 128 columns or more, and `target`s none of which reduces f32
    in one instruction itself: elsewhere it makes the code longer, as it does in an entry with
    products, whose rows are spread over lanes in another way.
    """

    name = "extrema-to-redux"

    version: str | float = str(DEFAULT)
    target: str | tuple[str, ...] = "sm_90"

    def __post_init__(self) -> None:
        targets_of(self.target)

    def run_on(self, ctx: Context, op: Operation) -> None:
        if any(target in FLOAT_REDUX for target in targets_of(self.target)):
            return
        version = Version.parse(str(self.version))
        for inner in list(operations(op.regions)):
            if isinstance(inner, core.EntryOp) and not has_products(inner):
                for reduction in [o for o in inner.walk() if isinstance(o, core.ReduceOp)]:
                    _rewrite(reduction, version)


def _rewrite(op: core.ReduceOp, version: Version) -> None:
    kind = _extremum(op)
    if kind is None:
        return
    e = before(op, version, Emitter)
    rows, columns = tile(op.inputs[0]).get_shape()
    groups = e.reshape(op.inputs[0], [rows, columns // VECTOR, VECTOR])
    key = _key(e, _reduced(e, groups, 2, kind), kind)
    value = e.bitcast(_folded(e, _reduced(e, key, 1, kind)), f32)
    remark(op, "reduced between lanes as integers of the same order")
    count("reductions")
    replace(op, [value])


def _extremum(op: core.ReduceOp) -> str | None:
    """Whether it is the `max` or `min` of rows for which integers pay; None otherwise."""
    type = tile(op.inputs[0])
    if len(op.inputs) != 1 or type.element_type != f32 or type.rank != 2 or op.fold_dim() != 1:
        return None
    rows, columns = type.get_shape()
    if rows < FEWEST_ROWS or columns < SHORTEST_ROW:
        return None
    combine, end = op.body.block.first_op, op.body.block.last_op
    if not isinstance(combine, ct.MaxFOp | ct.MinFOp) or combine.next_op is not end:
        return None
    if combine.propagate_nan is not None or combine.flush_to_zero is not None:
        return None
    assert isinstance(end, YieldOp)
    if set(combine.operands) != set(op.body.block.args) or end.operands[0] is not combine.result:
        return None
    kind = "max" if isinstance(combine, ct.MaxFOp) else "min"
    return kind if op.identity_values() == (identity_attr(kind, f32),) else None


def _reduced(e: Emitter, value: SSAValue, axis: int, kind: str) -> SSAValue:
    type = element(value)
    body = fold_body(e, combination([kind], [type]), 1)
    return e.one(core.ReduceOp([value], axis, [identity_attr(kind, type)], body))


def _key(e: Emitter, value: SSAValue, kind: str) -> SSAValue:
    """Integers in the order of f32 numbers, NaN on the side that loses."""
    unordered = e.compare("ne", value, value)
    key = _folded(e, e.bitcast(value, i32))
    return e.select(unordered, e.number(NAN[kind], key), key)


def _folded(e: Emitter, bits: SSAValue) -> SSAValue:
    """Sign and magnitude as integers of the same order, and back: flips what is below a sign."""
    sign = e.make(ct.ShRIOp, [bits, e.number(31, bits)], signedness=SIGNED)
    flips = e.make(ct.AndIOp, [sign, e.number(MAGNITUDE, bits)])
    return e.make(ct.XOrIOp, [bits, flips])
