"""Scalar arithmetic of kernels: what operations of `arith` and `math` are in terms of `cuda_tile`.

Used by the lowering and by the interpreter, as `primitives` is. Values are rank-0 tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, UnitAttr, f32, i1
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import conversions
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    IntegerOverflow,
    IntegerOverflowAttr,
    RoundingMode,
    RoundingModeAttr,
)
from tileir_xdsl.dialects.cuda_tile.constants import FloatBitsAttr, float_bits
from tileir_xdsl.dialects.cuda_tile.types import TileType, short_type
from tileir_xdsl.dialects.tile_sugar import elementwise as sugar
from tileir_xdsl.dialects.tile_sugar.primitives import (
    NARROW_FLOATS,
    SIGNED,
    UNSIGNED,
    Emitter,
    element,
    lower_cast,
    lower_elementwise,
    round_to_even,
)
from tileir_xdsl.dialects.tile_sugar.types import ELEMENTS, element_of, signless

NEAREST: dict[str, Attribute] = {"rounding_mode": ct.NEAREST_EVEN}
_UP = RoundingModeAttr(RoundingMode.POSITIVE_INF)
_DOWN = RoundingModeAttr(RoundingMode.NEGATIVE_INF)
Properties = dict[str, Attribute]

_INTEGER: dict[type[Operation], tuple[type[Operation], Properties]] = {
    arith.DivSIOp: (ct.DivIOp, {"signedness": SIGNED, "rounding": ct.ROUND_ZERO}),
    arith.DivUIOp: (ct.DivIOp, {"signedness": UNSIGNED, "rounding": ct.ROUND_ZERO}),
    arith.CeilDivSIOp: (ct.DivIOp, {"signedness": SIGNED, "rounding": _UP}),
    arith.CeilDivUIOp: (ct.DivIOp, {"signedness": UNSIGNED, "rounding": _UP}),
    arith.FloorDivSIOp: (ct.DivIOp, {"signedness": SIGNED, "rounding": _DOWN}),
    arith.RemSIOp: (ct.RemIOp, {"signedness": SIGNED}),
    arith.RemUIOp: (ct.RemIOp, {"signedness": UNSIGNED}),
    arith.MaxSIOp: (ct.MaxIOp, {"signedness": SIGNED}),
    arith.MaxUIOp: (ct.MaxIOp, {"signedness": UNSIGNED}),
    arith.MinSIOp: (ct.MinIOp, {"signedness": SIGNED}),
    arith.MinUIOp: (ct.MinIOp, {"signedness": UNSIGNED}),
    arith.AndIOp: (ct.AndIOp, {}),
    arith.OrIOp: (ct.OrIOp, {}),
    arith.XOrIOp: (ct.XOrIOp, {}),
    arith.ShRSIOp: (ct.ShRIOp, {"signedness": SIGNED}),
    arith.ShRUIOp: (ct.ShRIOp, {"signedness": UNSIGNED}),
}
_WRAPPING: dict[type[Operation], type[Operation]] = {
    arith.AddiOp: ct.AddIOp,
    arith.SubiOp: ct.SubIOp,
    arith.MuliOp: ct.MulIOp,
    arith.ShLIOp: ct.ShLIOp,
}
_FLOAT: dict[type[Operation], tuple[type[Operation], Properties]] = {
    arith.AddfOp: (ct.AddFOp, NEAREST),
    arith.SubfOp: (ct.SubFOp, NEAREST),
    arith.MulfOp: (ct.MulFOp, NEAREST),
    arith.DivfOp: (ct.DivFOp, NEAREST),
    arith.NegfOp: (ct.NegFOp, {}),
    arith.MaximumfOp: (ct.MaxFOp, {"propagate_nan": UnitAttr()}),
    arith.MinimumfOp: (ct.MinFOp, {"propagate_nan": UnitAttr()}),
    arith.MaxnumfOp: (ct.MaxFOp, {}),
    arith.MinnumfOp: (ct.MinFOp, {}),
    math.AbsFOp: (ct.AbsFOp, {}),
    math.AbsIOp: (ct.AbsIOp, {}),
    math.CeilOp: (ct.CeilOp, {}),
    math.FloorOp: (ct.FloorOp, {}),
    math.CosOp: (ct.CosOp, {}),
    math.CoshOp: (ct.CosHOp, {}),
    math.ExpOp: (ct.ExpOp, {"rounding_mode": ct.ROUND_FULL}),
    math.Exp2Op: (ct.Exp2Op, {}),
    math.FmaOp: (ct.FmaOp, NEAREST),
    math.LogOp: (ct.LogOp, {}),
    math.Log2Op: (ct.Log2Op, {}),
    math.PowFOp: (ct.FPowFOp, {}),
    math.RsqrtOp: (ct.RsqrtOp, {}),
    math.SinOp: (ct.SinOp, {}),
    math.SinhOp: (ct.SinHOp, {}),
    math.SqrtOp: (ct.SqrtOp, NEAREST),
    math.TanOp: (ct.TanOp, {}),
    math.TanhOp: (ct.TanHOp, {"rounding_mode": ct.ROUND_FULL}),
}


def is_scalar_arithmetic(op: Operation) -> bool:
    """Whether an operation is one of `arith` or `math`, or one of ours on scalars."""
    dialect = op.dialect_name()
    if dialect in ("arith", "math"):
        return True
    if not isinstance(op, sugar.ElementwiseOp | sugar.CastOp | sugar.BitcastOp | sugar.ConstantOp):
        return False
    return not _has_shape(op.results[0].type)


def _has_shape(type: Attribute) -> bool:
    return element_of(type) is not type and bool(cast(Any, type).get_shape())


def scalar_type(e: Emitter, type: Attribute) -> TileType:
    """The rank-0 tile for a scalar's type."""
    if isinstance(type, TileType):
        return type
    if type not in ELEMENTS:
        raise e.error(f"a kernel has no scalars of type '{short_type(type)}'; indices are i32")
    return TileType.get((), signless(type))


def lower_scalar(e: Emitter, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """The value of a scalar operation on rank-0 tiles.

    Raises DiagnosticError for an operation that kernels do not have.
    """
    cls = type(op)
    if isinstance(op, sugar.ElementwiseOp):
        return promoted(e, op, operands)
    if isinstance(op, arith.ConstantOp | sugar.ConstantOp):
        return e.attribute(_number(e, op.value), ())
    result = scalar_type(e, op.results[0].type)
    if isinstance(op, sugar.BitcastOp | arith.BitcastOp):
        return e.bitcast(operands[0], result.element_type)
    if cls in _WRAPPING:
        return e.make(_WRAPPING[cls], operands, overflow=_overflow(op))
    found = _INTEGER.get(cls) or _FLOAT.get(cls)
    if found is not None:
        return e.make(found[0], operands, **found[1])
    special = _SPECIAL.get(cls)
    if special is None:
        raise e.error(f"'{op.name}' has no counterpart in Tile IR: a kernel cannot use it")
    return special(e, op, operands)


def promoted(e: Emitter, op: sugar.ElementwiseOp, operands: Sequence[SSAValue]) -> SSAValue:
    """An elementwise operation on operands of any types, each cast to the type it computes in."""
    if not isinstance(op, sugar.ShiftOp):
        elements = type(op).computed_elements(op.operand_types)
        operands = [
            lower_cast(e, v, signless(t), from_unsigned=False, to_unsigned=False)
            for v, t in zip(operands, elements, strict=True)
        ]
    return lower_elementwise(e, op, operands)


def _number(e: Emitter, value: Attribute) -> Attribute:
    if isinstance(value, FloatAttr | FloatBitsAttr):
        return FloatBitsAttr.get(*float_bits(cast(Attribute, value)))
    if isinstance(value, IntegerAttr) and isinstance(cast(Any, value).type, IntegerType):
        return cast("IntegerAttr[Any]", value)
    raise e.error(f"a kernel has no constant {value}; indices are i32")


def _overflow(op: Any) -> IntegerOverflowAttr:
    flags = {str(getattr(flag, "value", flag)) for flag in op.overflow_flags.data}
    signed, unsigned = "nsw" in flags, "nuw" in flags
    if signed and unsigned:
        return IntegerOverflowAttr(IntegerOverflow.NO_WRAP)
    if signed:
        return IntegerOverflowAttr(IntegerOverflow.NO_SIGNED_WRAP)
    return IntegerOverflowAttr(
        IntegerOverflow.NO_UNSIGNED_WRAP if unsigned else IntegerOverflow.NONE
    )


_INTEGER_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
"""Those of `arith.cmpi` by number; unsigned from number 6 on."""


def _cmpi(e: Emitter, op: arith.CmpiOp, operands: Sequence[SSAValue]) -> SSAValue:
    number = op.predicate.value.data
    a, b = operands
    if element(a) == i1 and 2 <= number < 6:
        # `arith` reads i1 signed, `compare` as 0 and 1: true is -1 there.
        a, b = b, a
    return e.compare(_INTEGER_PREDICATES[number], a, b, unsigned=number >= 6)


_FLOAT_PREDICATES: tuple[tuple[str, str], ...] = (
    ("false", ""),
    ("equal", "ordered"),
    ("greater_than", "ordered"),
    ("greater_than_or_equal", "ordered"),
    ("less_than", "ordered"),
    ("less_than_or_equal", "ordered"),
    ("not_equal", "ordered"),
    ("ord", ""),
    ("equal", "unordered"),
    ("greater_than", "unordered"),
    ("greater_than_or_equal", "unordered"),
    ("less_than", "unordered"),
    ("less_than_or_equal", "unordered"),
    ("not_equal", "unordered"),
    ("uno", ""),
    ("true", ""),
)
"""Those of `arith.cmpf` by number."""


def _cmpf(e: Emitter, op: arith.CmpfOp, operands: Sequence[SSAValue]) -> SSAValue:
    a, b = operands
    predicate, ordering = _FLOAT_PREDICATES[op.predicate.value.data]
    if predicate in ("false", "true"):
        return e.number(int(predicate == "true"), a, i1)
    if predicate == "ord":
        return e.make(ct.AndIOp, [e.compare("eq", a, a), e.compare("eq", b, b)])
    if predicate == "uno":
        return e.make(ct.OrIOp, [e.compare("ne", a, a), e.compare("ne", b, b)])
    return e.make(
        ct.CmpFOp,
        operands,
        TileType.get((), i1),
        comparison_predicate=ComparisonPredicateAttr(ComparisonPredicate(predicate)),
        comparison_ordering=ComparisonOrderingAttr(ComparisonOrdering(ordering)),
    )


def _select(e: Emitter, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    return e.select(*operands)


def _cast(
    *, from_unsigned: bool = False, to_unsigned: bool = False
) -> Callable[[Emitter, Any, Sequence[SSAValue]], SSAValue]:
    def lower(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
        target = scalar_type(e, op.results[0].type).element_type
        value = operands[0]
        if element(value) == i1 and not from_unsigned and target != i1:
            # `arith` reads i1 signed: extend it here, `lower_cast` would make 0 and 1 of it.
            return _extend_truth(e, value, target)
        return lower_cast(
            e,
            value,
            target,
            from_unsigned=from_unsigned,
            to_unsigned=to_unsigned,
            unchecked=True,
        )

    return lower


def _extend_truth(e: Emitter, value: SSAValue, target: Attribute) -> SSAValue:
    zero, minus_one = (e.number(n, value, target) for n in (0, -1))
    return e.select(value, minus_one, zero)


def _truncate(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    target = scalar_type(e, op.results[0].type)
    return e.one(conversions.TruncIOp(operands[0], target))


def _sugar_cast(e: Emitter, op: sugar.CastOp, operands: Sequence[SSAValue]) -> SSAValue:
    return lower_cast(
        e,
        operands[0],
        scalar_type(e, op.result.type).element_type,
        from_unsigned=op.reads_unsigned,
        to_unsigned=op.makes_unsigned,
        unchecked=op.unchecked is not None,
    )


def _round_even(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    (x,) = operands
    type = element(x)
    if type in NARROW_FLOATS:
        return e.float_cast(round_to_even(e, e.float_cast(x, f32)), type)
    return round_to_even(e, x)


def _through(cls: type[sugar.ElementwiseOp]) -> Any:
    """The lowering of an operation that means the same as one of ours."""

    def lower(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
        same = cls.create(operands=list(op.operands), result_types=[op.results[0].type])
        result = lower_elementwise(e, same, operands)
        same.erase()
        return result

    return lower


_SPECIAL: dict[type[Operation], Any] = {
    arith.CmpiOp: _cmpi,
    arith.CmpfOp: _cmpf,
    arith.SelectOp: _select,
    arith.ExtSIOp: _cast(),
    arith.ExtUIOp: _cast(from_unsigned=True),
    arith.TruncIOp: _truncate,
    arith.SIToFPOp: _cast(),
    arith.UIToFPOp: _cast(from_unsigned=True),
    arith.FPToSIOp: _cast(),
    arith.FPToUIOp: _cast(to_unsigned=True),
    arith.ExtFOp: _cast(),
    arith.TruncFOp: _cast(),
    sugar.CastOp: _sugar_cast,
    math.RoundEvenOp: _round_even,
    math.Atan2Op: _through(sugar.Atan2Op),
    math.ErfOp: _through(sugar.ErfOp),
    math.FPowIOp: _through(sugar.PowIOp),
}
