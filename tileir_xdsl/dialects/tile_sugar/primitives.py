"""What elementwise operations are in terms of `cuda_tile`: one definition, used by the lowering
and by the interpreter.

An `Emitter` puts `cuda_tile` operations into a block. The functions take and answer tiles of any
one shape, so that a definition serves whole tiles and the scalars (rank-0 tiles) of sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile import arithmetic as arith
from tileir_xdsl.dialects.cuda_tile import conversions, core
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    RoundingMode,
    RoundingModeAttr,
)
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr, FloatBitsAttr
from tileir_xdsl.dialects.cuda_tile.places import copy_place, place_of
from tileir_xdsl.dialects.cuda_tile.types import TileType, bit_width, i4
from tileir_xdsl.dialects.tile_sugar import elementwise as sugar
from tileir_xdsl.dialects.tile_sugar.attributes import Number, number_attr
from tileir_xdsl.dialects.tile_sugar.types import (
    ARITHMETIC_FLOATS,
    is_float,
    is_integer,
    signless,
)
from tileir_xdsl.versions import DEFAULT, V13_2, V13_3, V13_4, Version

SIGNED, UNSIGNED = arith.SIGNED, arith.UNSIGNED
APPROX = RoundingModeAttr(RoundingMode.APPROX)


class Emitter:
    """Puts `cuda_tile` operations where a builder stands, on behalf of an operation."""

    def __init__(self, builder: Builder, origin: Operation, version: Version = DEFAULT) -> None:
        self.builder = builder
        self.origin = origin
        """The operation whose place the new ones get."""
        self.version = version

    def insert(self, op: Operation) -> Operation:
        op.location = self.origin.location
        copy_place(self.origin, op)
        self.builder.insert(op)
        return op

    def one(self, op: Operation) -> SSAValue:
        """Insert an operation with one result."""
        return self.insert(op).results[0]

    def make(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute | None = None,
        **properties: Attribute | None,
    ) -> SSAValue:
        """An operation of one result, whose type is the first operand's unless stated."""
        return self.one(
            cls.create(
                operands=operands,
                result_types=[operands[0].type if type is None else type],
                properties={k: v for k, v in properties.items() if v is not None},
            )
        )

    def error(self, message: str) -> DiagnosticError:
        """An error at the operation that is lowered."""
        return DiagnosticError.at(message, place_of(self.origin), code="lowering")

    # Constants and shapes.

    def attribute(self, value: Attribute, shape: Sequence[int]) -> SSAValue:
        """A number as a tile of some shape."""
        element = signless(cast(Any, value).type)
        bits = (
            value.bits.data
            if isinstance(value, FloatBitsAttr)
            else cast("IntegerAttr[Any]", value).value.data & ((1 << bit_width(element)) - 1)
        )
        type = TileType.get(shape, element)
        return self.one(core.ConstantOp(DenseElementsAttr.splat(type, bits)))

    def number(self, value: Number, like: SSAValue, element: Attribute | None = None) -> SSAValue:
        """A number in the shape and, unless stated, the element type of a tile."""
        type = tile(like)
        return self.attribute(number_attr(value, element or type.element_type), type.get_shape())

    def broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile of the same rank, or of rank 0, repeated to a shape."""
        type = tile(value)
        if type.get_shape() == tuple(shape):
            return value
        if not type.rank:
            value = self.reshape(value, [1] * len(shape))
        if tile(value).get_shape() == tuple(shape):
            return value
        return self.one(core.BroadcastOp(value, TileType.get(shape, type.element_type)))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        type = tile(value)
        if type.get_shape() == tuple(shape):
            return value
        return self.one(core.ReshapeOp(value, TileType.get(shape, type.element_type)))

    def iota(self, dim: int, shape: Sequence[int], element: Attribute = i32) -> SSAValue:
        """The index along a dimension, in a tile that has extent 1 along all others."""
        line = self.one(core.IotaOp.create(result_types=[TileType.get([shape[dim]], element)]))
        narrow = [extent if k == dim else 1 for k, extent in enumerate(shape)]
        return self.reshape(line, narrow)

    # Arithmetic that several definitions use.

    def compare(
        self, predicate: str, a: SSAValue, b: SSAValue, *, unsigned: bool = False
    ) -> SSAValue:
        """`a PREDICATE b` as i1: `eq ne lt le gt ge`, unordered only for `ne` of floats."""
        type = tile(a)
        words = {
            "eq": ComparisonPredicate.EQUAL,
            "ne": ComparisonPredicate.NOT_EQUAL,
            "lt": ComparisonPredicate.LESS_THAN,
            "le": ComparisonPredicate.LESS_THAN_OR_EQUAL,
            "gt": ComparisonPredicate.GREATER_THAN,
            "ge": ComparisonPredicate.GREATER_THAN_OR_EQUAL,
        }
        kind = ComparisonPredicateAttr(words[predicate])
        result = type.with_element(i1)
        if is_integer(type.element_type):
            signedness = UNSIGNED if unsigned or type.element_type == i1 else SIGNED
            return self.make(
                arith.CmpIOp, [a, b], result, comparison_predicate=kind, signedness=signedness
            )
        ordering = ComparisonOrdering.UNORDERED if predicate == "ne" else ComparisonOrdering.ORDERED
        return self.make(
            arith.CmpFOp,
            [a, b],
            result,
            comparison_predicate=kind,
            comparison_ordering=ComparisonOrderingAttr(ordering),
        )

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.one(core.SelectOp(condition, a, b))

    def float_cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        if tile(value).element_type == element:
            return value
        return self.one(conversions.FToFOp(value, tile(value).with_element(element)))

    def bitcast(self, value: SSAValue, element: Attribute) -> SSAValue:
        if tile(value).element_type == element:
            return value
        return self.one(conversions.BitcastOp(value, tile(value).with_element(element)))

    def extend(self, value: SSAValue, element: Attribute, *, signed: bool) -> SSAValue:
        """An integer in a wider, equal or narrower integer type."""
        before, after = bit_width(tile(value).element_type), bit_width(element)
        type = tile(value).with_element(element)
        if before == after:
            return value
        if before > after:
            return self.one(conversions.TruncIOp(value, type))
        signedness = SIGNED if signed else UNSIGNED
        return self.one(conversions.ExtIOp(value, type, {"signedness": signedness}))


def tile(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def element(value: SSAValue) -> Attribute:
    return tile(value).element_type


# Simple operations: one of `cuda_tile` for floats and one for integers.

_FLOAT_BINARY: dict[type[Operation], type[Operation]] = {
    sugar.AddOp: arith.AddFOp,
    sugar.SubOp: arith.SubFOp,
    sugar.MulOp: arith.MulFOp,
    sugar.DivOp: arith.DivFOp,
    sugar.RemOp: arith.RemFOp,
    sugar.MinOp: arith.MinFOp,
    sugar.MaxOp: arith.MaxFOp,
    sugar.PowOp: arith.FPowFOp,
    sugar.Atan2Op: arith.Atan2Op,
}
_INTEGER_BINARY: dict[type[Operation], type[Operation]] = {
    sugar.AddOp: arith.AddIOp,
    sugar.SubOp: arith.SubIOp,
    sugar.MulOp: arith.MulIOp,
    sugar.DivOp: arith.DivIOp,
    sugar.RemOp: arith.RemIOp,
    sugar.MinOp: arith.MinIOp,
    sugar.MaxOp: arith.MaxIOp,
    sugar.AndOp: arith.AndIOp,
    sugar.OrOp: arith.OrIOp,
    sugar.XorOp: arith.XOrIOp,
    sugar.ShlOp: arith.ShLIOp,
    sugar.ShrOp: arith.ShRIOp,
    sugar.ShruOp: arith.ShRIOp,
}
_FLOAT_UNARY: dict[type[Operation], type[Operation]] = {
    sugar.NegOp: arith.NegFOp,
    sugar.AbsOp: arith.AbsFOp,
    sugar.ExpOp: arith.ExpOp,
    sugar.Exp2Op: arith.Exp2Op,
    sugar.LogOp: arith.LogOp,
    sugar.Log2Op: arith.Log2Op,
    sugar.SqrtOp: arith.SqrtOp,
    sugar.RsqrtOp: arith.RsqrtOp,
    sugar.TanhOp: arith.TanHOp,
    sugar.SinOp: arith.SinOp,
    sugar.CosOp: arith.CosOp,
    sugar.TanOp: arith.TanOp,
    sugar.SinhOp: arith.SinHOp,
    sugar.CoshOp: arith.CosHOp,
    sugar.FloorOp: arith.FloorOp,
    sugar.CeilOp: arith.CeilOp,
}
_FLUSHING = (
    arith.AddFOp,
    arith.SubFOp,
    arith.MulFOp,
    arith.DivFOp,
    arith.MinFOp,
    arith.MaxFOp,
    arith.Exp2Op,
    arith.SqrtOp,
    arith.RsqrtOp,
    arith.FmaOp,
)
_APPROXIMATE: dict[type[Operation], Version] = {
    arith.ExpOp: V13_3,
    arith.TanHOp: V13_2,
    arith.DivFOp: Version(13, 1),
    arith.SqrtOp: Version(13, 1),
}
"""Operations with an approximate mode for f32, and since when."""
_FUNCTIONS = (
    sugar.ExpOp,
    sugar.Exp2Op,
    sugar.LogOp,
    sugar.Log2Op,
    sugar.SqrtOp,
    sugar.RsqrtOp,
    sugar.TanhOp,
    sugar.SinOp,
    sugar.CosOp,
    sugar.TanOp,
    sugar.SinhOp,
    sugar.CoshOp,
    sugar.DivOp,
    sugar.PowOp,
    sugar.Atan2Op,
)
"""Operations that `afn` makes approximate, in f32 for f16 and bf16."""

NARROW_FLOATS = (f16, bf16)


def _properties(e: Emitter, op: Any, cls: type[Operation], type: Attribute) -> dict[str, Attribute]:
    """The attributes that an operation of `cuda_tile` needs beside its operands."""
    found: dict[str, Attribute] = {}
    declared = cast(Any, cls).get_irdl_definition().properties
    for name, prop in declared.items():
        if prop.default_value is not None:
            found[name] = prop.default_value
    if "signedness" in declared:
        found["signedness"] = UNSIGNED if isinstance(op, sugar.ShruOp) else SIGNED
    if getattr(op, "propagate_nan", None) is not None and "propagate_nan" in declared:
        found["propagate_nan"] = UnitAttr()
    if type != f32 or not isinstance(op, sugar.ElementwiseOp):
        return found
    if op.has_flag("ftz") and cls in _FLUSHING:
        found["flush_to_zero"] = UnitAttr()
    if op.has_flag("afn") and cls in _APPROXIMATE and e.version >= _APPROXIMATE[cls]:
        found["rounding_mode"] = APPROX
    return found


def _simple(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    float_operation = is_float(element(operands[0]))
    tables = (_FLOAT_BINARY, _FLOAT_UNARY) if float_operation else (_INTEGER_BINARY,)
    cls = next(table[type(op)] for table in tables if type(op) in table)
    if cls is arith.Atan2Op and e.version < V13_2:
        raise e.error(f"atan2 needs bytecode 13.2, but the target version is {e.version}")
    return e.make(cls, operands, **_properties(e, op, cls, element(operands[0])))


def lower_elementwise(e: Emitter, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """The value of an elementwise operation on tiles of one shape and of the computed types."""
    special = _SPECIAL.get(type(op))
    computed = element(operands[-1])
    approximate = isinstance(op, _FUNCTIONS) and op.has_flag("afn")
    wide_only = isinstance(op, _IN_F32) or approximate
    if wide_only and computed in NARROW_FLOATS:
        wide = [e.float_cast(operand, f32) for operand in operands]
        return e.float_cast(lower_elementwise(e, op, wide), computed)
    if special is not None:
        return special(e, op, operands)
    return _simple(e, op, operands)


def _neg(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    if is_float(element(operands[0])):
        return _simple(e, op, operands)
    # `negi` has an overflow clause since 13.2; a difference is the same in all versions.
    return e.make(
        arith.SubIOp,
        [e.number(0, operands[0]), operands[0]],
        overflow=arith.NO_OVERFLOW_CLAIM,
    )


def _abs(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    cls = arith.AbsFOp if is_float(element(operands[0])) else arith.AbsIOp
    return e.make(cls, operands)


def _square(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    (x,) = operands
    cls = arith.MulFOp if is_float(element(x)) else arith.MulIOp
    return e.make(cls, [x, x], **_properties(e, op, cls, element(x)))


def _not(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    (x,) = operands
    ones = 1 if element(x) == i1 else -1
    return e.make(arith.XOrIOp, [x, e.number(ones, x)])


def _shift(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    value, count = operands
    # A count that does not fit the shifted type is too large in any case: keep it so.
    narrow, wide = bit_width(element(value)), bit_width(element(count))
    if wide > narrow:
        limit = e.number(narrow, count)
        count = e.make(arith.MinIOp, [count, limit], signedness=UNSIGNED)
    return _simple(e, op, [value, e.extend(count, element(value), signed=False)])


def _mulhi(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    a, b = operands
    high = e.make(arith.MulhiIOp, [a, b])
    if op.unsigned is not None:
        return high
    for x, y in ((a, b), (b, a)):
        # Read unsigned, a negative x is larger by 2**width: take that times y off the high half.
        last = e.number(bit_width(element(x)) - 1, x)
        sign = e.make(arith.ShRIOp, [x, last], signedness=SIGNED)
        part = e.make(arith.AndIOp, [sign, y])
        high = e.make(arith.SubIOp, [high, part], overflow=arith.NO_OVERFLOW_CLAIM)
    return high


def _fma(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    a, b, c = operands
    if is_float(element(a)):
        return e.make(arith.FmaOp, operands, **_properties(e, op, arith.FmaOp, element(a)))
    product = e.make(arith.MulIOp, [a, b], overflow=arith.NO_OVERFLOW_CLAIM)
    return e.make(arith.AddIOp, [product, c], overflow=arith.NO_OVERFLOW_CLAIM)


def _cmp(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    a, b = operands
    predicate: str = op.predicate.keyword
    if predicate in ("ord", "uno"):
        if predicate == "ord":
            first, second = (e.compare("eq", x, x) for x in (a, b))
            return e.make(arith.AndIOp, [first, second])
        first, second = (e.compare("ne", x, x) for x in (a, b))
        return e.make(arith.OrIOp, [first, second])
    unsigned = predicate.startswith("u")
    return e.compare(predicate.removeprefix("u"), a, b, unsigned=unsigned)


def _select(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    return e.select(*operands)


def round_to_even(e: Emitter, x: SSAValue) -> SSAValue:
    """The nearest integer of an f32 or f64 tile, ties to even.

    Adding 2**p to a magnitude below it rounds to the integers, and subtracting it is exact; larger
    magnitudes, infinities and NaN are integers already or stay what they are.
    """
    type = element(x)
    width, precision = (32, 23) if type == f32 else (64, 52)
    bits = IntegerType(width)
    magnitude = e.make(arith.AbsFOp, [x])
    limit = e.number(1 << precision, x)
    nearest = {"rounding_mode": arith.NEAREST_EVEN}
    up = e.make(arith.AddFOp, [magnitude, limit], **nearest)
    down = e.make(arith.SubFOp, [up, limit], **nearest)
    sign = e.make(arith.AndIOp, [e.bitcast(x, bits), e.number(-(1 << (width - 1)), x, bits)])
    signed = e.bitcast(e.make(arith.OrIOp, [e.bitcast(down, bits), sign]), type)
    return e.select(e.compare("lt", magnitude, limit), signed, x)


def _round(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    return round_to_even(e, operands[0])


def _sigmoid(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    (x,) = operands
    type = element(x)
    one = e.number(1, x)
    power = e.make(
        arith.ExpOp,
        [e.make(arith.NegFOp, [x])],
        **_properties(e, op, arith.ExpOp, type),
    )
    total = e.make(arith.AddFOp, [one, power], **_properties(e, op, arith.AddFOp, type))
    return e.make(arith.DivFOp, [one, total], **_properties(e, op, arith.DivFOp, type))


def _powi(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    x, power = operands
    if e.version >= V13_4:
        return e.make(arith.FPowIOp, [x, power])
    return _powi_by_squaring(e, x, power)


def _powi_by_squaring(e: Emitter, x: SSAValue, power: SSAValue) -> SSAValue:
    """Right-to-left binary exponentiation, a step for each bit of |power|."""
    type = element(x)
    wide = e.float_cast(x, f32) if type in NARROW_FLOATS else x
    nearest = {"rounding_mode": arith.NEAREST_EVEN}
    count = e.make(arith.AbsIOp, [power])
    one, zero = e.number(1, wide), e.number(0, power)
    result = one
    for bit in range(bit_width(element(power))):
        mask = e.number(1 << bit if bit < bit_width(element(power)) - 1 else _sign(power), power)
        present = e.compare("ne", e.make(arith.AndIOp, [count, mask]), zero)
        product = e.make(arith.MulFOp, [wide, result], **nearest) if bit else wide
        result = e.select(present, product, result)
        wide = e.make(arith.MulFOp, [wide, wide], **nearest)
    inverse = e.make(arith.DivFOp, [one, result], **nearest)
    result = e.select(e.compare("lt", power, zero), inverse, result)
    return e.float_cast(result, type)


def _sign(value: SSAValue) -> int:
    return -(1 << (bit_width(element(value)) - 1))


# The error function.

_ERF_SPLIT = 0.921875
_ERF_NEAR = (
    7.991272286744788e-05,
    -0.000804888317361474,
    0.0051923589780926704,
    -0.026855723932385445,
    0.11283625662326813,
    -0.3761262893676758,
    0.12837916612625122,
)
"""erf(x) / x - 1 in powers of x * x, fitted by minimax over |x| <= 0.921875."""
_ERF_FAR = (
    -2.1117744836374186e-05,
    0.0004347307258285582,
    -0.004172381479293108,
    0.025122923776507378,
    -0.10828549414873123,
    -0.6333420276641846,
    -1.1295173168182373,
    0.00017517349624540657,
)
"""log(1 - erf(x)), fitted by minimax of the error in erf over 0.921875 to 4."""


def _polynomial(e: Emitter, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
    """By Horner's rule, the highest coefficient first."""
    total = e.number(coefficients[0], x)
    for coefficient in coefficients[1:]:
        total = e.make(
            arith.FmaOp,
            [total, x, e.number(coefficient, x)],
            rounding_mode=arith.NEAREST_EVEN,
        )
    return total


def _erf(e: Emitter, op: Any, operands: Sequence[SSAValue]) -> SSAValue:
    """Near zero x + x * P(x * x), further out sign * (1 - exp(Q(|x|))), both in f32."""
    (x,) = operands
    nearest = {"rounding_mode": arith.NEAREST_EVEN}
    magnitude = e.make(arith.AbsFOp, [x])
    square = e.make(arith.MulFOp, [x, x], **nearest)
    near = e.make(arith.FmaOp, [_polynomial(e, square, _ERF_NEAR), x, x], **nearest)
    # Beyond 4 the result is 1 in f32; the polynomial is only good up to there.
    capped = e.make(arith.MinFOp, [magnitude, e.number(4, x)])
    exponent = _polynomial(e, capped, _ERF_FAR)
    power = e.make(arith.ExpOp, [exponent], rounding_mode=arith.ROUND_FULL)
    far = e.make(arith.SubFOp, [e.number(1, x), power], **nearest)
    sign = e.make(arith.AndIOp, [e.bitcast(x, i32), e.number(-(1 << 31), x, i32)])
    signed = e.bitcast(e.make(arith.OrIOp, [e.bitcast(far, i32), sign]), f32)
    is_near = e.compare("lt", magnitude, e.number(_ERF_SPLIT, x))
    chosen = e.select(is_near, near, signed)
    # `min` prefers a number to NaN.
    return e.select(e.compare("ne", x, x), x, chosen)


_IN_F32 = (sugar.RoundOp, sugar.ErfOp, sugar.SigmoidOp)
"""Definitions of several steps, which f16 and bf16 take in f32 with one rounding at the end."""

Definition = Callable[[Emitter, Any, Sequence[SSAValue]], SSAValue]
_SPECIAL: dict[type[Operation], Definition] = {
    sugar.NegOp: _neg,
    sugar.AbsOp: _abs,
    sugar.SquareOp: _square,
    sugar.NotOp: _not,
    sugar.ShlOp: _shift,
    sugar.ShrOp: _shift,
    sugar.ShruOp: _shift,
    sugar.MulhiOp: _mulhi,
    sugar.FmaOp: _fma,
    sugar.CmpOp: _cmp,
    sugar.SelectOp: _select,
    sugar.RoundOp: _round,
    sugar.SigmoidOp: _sigmoid,
    sugar.PowIOp: _powi,
    sugar.ErfOp: _erf,
}


# Conversions.


def lower_cast(
    e: Emitter,
    value: SSAValue,
    target: Attribute,
    *,
    from_unsigned: bool,
    to_unsigned: bool,
    unchecked: bool = False,
) -> SSAValue:
    """A value in another element type, as `cast` defines it; `target` is signless."""
    source = element(value)
    if source == target:
        return value
    if target == i1:
        return _truth(e, value)
    if is_integer(source) and is_integer(target):
        return _integer_cast(e, value, target, signed=not from_unsigned)
    if is_integer(source):
        return _int_to_float(e, value, target, signed=not from_unsigned)
    if is_integer(target):
        return _float_to_int(e, value, target, signed=not to_unsigned, unchecked=unchecked)
    return e.float_cast(value, target)


def _truth(e: Emitter, value: SSAValue) -> SSAValue:
    source = element(value)
    if source == i4:
        value = e.extend(value, i8, signed=True)
    elif is_float(source) and source not in ARITHMETIC_FLOATS:
        value = e.float_cast(value, f32)
    return e.compare("ne", value, e.number(0, value))


def _integer_cast(e: Emitter, value: SSAValue, target: Attribute, *, signed: bool) -> SSAValue:
    return e.extend(value, target, signed=signed and element(value) != i1)


def _int_to_float(e: Emitter, value: SSAValue, target: Attribute, *, signed: bool) -> SSAValue:
    if element(value) == i4:
        value = e.extend(value, i8, signed=signed)
        signed = True
    if element(value) == i1:
        # `itof` reads i1 as any integer; 0 and 1 are what zero extension gives.
        value, signed = e.extend(value, i8, signed=False), True
    through = target if target in ARITHMETIC_FLOATS else _exact_float(element(value))
    number = e.make(
        conversions.IToFOp,
        [value],
        tile(value).with_element(through),
        signedness=SIGNED if signed else UNSIGNED,
        rounding_mode=arith.NEAREST_EVEN,
    )
    return e.float_cast(number, target)


def _exact_float(integer: Attribute) -> Attribute:
    """A float from which a conversion to f8, f4 or tf32 rounds once what the integer was.

    Integers of 64 bits are only exact in f64 up to 2**53, but what is larger saturates.
    """
    return f32 if bit_width(integer) <= 16 else f64


def _float_to_int(
    e: Emitter, value: SSAValue, target: Attribute, *, signed: bool, unchecked: bool
) -> SSAValue:
    if element(value) not in ARITHMETIC_FLOATS:
        value = e.float_cast(value, f32)
    signedness = SIGNED if signed else UNSIGNED
    if target == i4:
        number = e.select(e.compare("eq", value, value), value, e.number(0, value))
        wide = _float_to_int(e, _clamped(e, number, 4), i8, signed=True, unchecked=True)
        return e.extend(wide, i4, signed=True)
    properties: dict[str, Attribute] = {
        "signedness": signedness,
        "rounding_mode": conversions.TO_INTEGER,
    }
    result = tile(value).with_element(target)
    if unchecked:
        return e.make(conversions.FToIOp, [value], result, **properties)
    if e.version >= V13_4:
        properties["saturating"] = UnitAttr()
        return e.make(conversions.FToIOp, [value], result, **properties)
    return _saturate(e, value, target, signed=signed)


def _limits(width: int, signed: bool) -> tuple[int, int]:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def _clamped(e: Emitter, value: SSAValue, width: int) -> SSAValue:
    low, high = _limits(width, True)
    value = e.make(arith.MaxFOp, [value, e.number(low, value)])
    return e.make(arith.MinFOp, [value, e.number(high, value)])


def _saturate(e: Emitter, value: SSAValue, target: Attribute, *, signed: bool) -> SSAValue:
    """A saturating conversion for versions without one: select around a safe value."""
    width = bit_width(target)
    low, high = _limits(width, signed)
    if element(value) in NARROW_FLOATS:
        value = e.float_cast(value, f32)
    # 2**k is a float, where the largest integer may be none.
    too_high = e.compare("ge", value, e.number(high + 1, value))
    too_low = e.compare("le", value, e.number(low, value))
    is_nan = e.compare("ne", value, value)
    unsafe = e.make(arith.OrIOp, [e.make(arith.OrIOp, [too_high, too_low]), is_nan])
    safe = e.select(unsafe, e.number(0, value), value)
    result = e.make(
        conversions.FToIOp,
        [safe],
        tile(value).with_element(target),
        signedness=SIGNED if signed else UNSIGNED,
        rounding_mode=conversions.TO_INTEGER,
    )
    result = e.select(too_high, e.number(_as_signed(high, width), result), result)
    return e.select(too_low, e.number(_as_signed(low, width), result), result)


def _as_signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) and value > 0 else value
