"""Floating-point, integer and bitwise operations. Specification: sections of the same names."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    IntegerType,
    UnitAttr,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    tf32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Commutative, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    IntegerOverflow,
    IntegerOverflowAttr,
    RoundingMode,
    RoundingModeAttr,
    Signedness,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    FLOAT_TILE,
    I8_TILE,
    I32_TILE,
    INT_TILE,
    CudaTileOp,
    ShapedLike,
    TileOf,
    cuda_tile_op,
    same,
)
from tileir_xdsl.dialects.cuda_tile.types import TileType, fnv8E5M3FNU, short_type
from tileir_xdsl.dialects.cuda_tile.wording import alternatives
from tileir_xdsl.versions import V13_2, V13_3, V13_4, Version

NEAREST_EVEN = RoundingModeAttr(RoundingMode.NEAREST_EVEN)
ROUND_ZERO = RoundingModeAttr(RoundingMode.ZERO)
ROUND_FULL = RoundingModeAttr(RoundingMode.FULL)
NO_OVERFLOW_CLAIM = IntegerOverflowAttr(IntegerOverflow.NONE)
SIGNED = SignednessAttr(Signedness.SIGNED)
UNSIGNED = SignednessAttr(Signedness.UNSIGNED)

FLOAT = same("T", FLOAT_TILE)
INT = same("T", INT_TILE)

IEEE_MODES = ("nearest_even", "zero", "negative_inf", "positive_inf")

_ROUNDED_BINARY = (
    "$lhs `,` $rhs custom<RoundingSlot>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? "
    "attr-dict `:` custom<ShortType>(type($result))"
)
_BINARY = "$lhs `,` $rhs attr-dict `:` custom<ShortType>(type($result))"
_UNARY = "$source attr-dict `:` custom<ShortType>(type($result))"
_OVERFLOW_BINARY = (
    "$lhs `,` $rhs custom<Overflow>($overflow) attr-dict `:` custom<ShortType>(type($result))"
)
_SIGNED_BINARY = (
    "$lhs `,` $rhs custom<Keyword>($signedness) attr-dict `:` custom<ShortType>(type($result))"
)


class SameTypeOp(CudaTileOp, ABC):
    """An operation whose operands and result have one type."""

    def __init__(
        self,
        *operands: SSAValue | Operation,
        properties: Mapping[str, Attribute | None] | None = None,
        attributes: Mapping[str, Attribute | None] | None = None,
    ) -> None:
        super().__init__(
            operands=operands,
            result_types=[SSAValue.get(operands[0]).type],
            properties=properties or {},
            attributes=attributes or {},
        )


def element_type(value: SSAValue) -> Attribute | None:
    """The element type of a tile value, None for anything else."""
    return value.type.element_type if isinstance(value.type, TileType) else None


def check_flush_to_zero(op: Any) -> None:
    if op.flush_to_zero is None or element_type(op.results[0]) == f32:
        return
    raise VerifyException(
        "flush_to_zero is only for f32, but the element type is "
        f"'{short_type(element_type(op.results[0]) or op.results[0].type)}'"
    )


def check_rounding(
    mode: RoundingModeAttr, allowed: Sequence[str], value: SSAValue, f32_only: Sequence[str] = ()
) -> None:
    """The mode is one of `allowed`; those of `f32_only` need f32 elements."""
    if mode.keyword not in allowed:
        raise VerifyException(
            f"rounding mode must be {alternatives(allowed)}, but got {mode.keyword}"
        )
    element = element_type(value)
    if mode.keyword in f32_only and element is not None and element != f32:
        raise VerifyException(
            f"rounding mode {mode.keyword} is only for f32, "
            f"but the element type is '{short_type(element)}'"
        )


# Floating point.


class UnaryFloatOp(SameTypeOp, ABC):
    source = operand_def(FLOAT)
    result = result_def(FLOAT)
    traits = traits_def(Pure())


class BinaryFloatOp(SameTypeOp, ABC):
    lhs = operand_def(FLOAT)
    rhs = operand_def(FLOAT)
    result = result_def(FLOAT)
    traits = traits_def(Pure())


class RoundedBinaryOp(BinaryFloatOp, ABC):
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        check_rounding(self.rounding_mode, IEEE_MODES, self.result)
        check_flush_to_zero(self)


@cuda_tile_op
class AbsFOp(UnaryFloatOp):
    """Magnitude: clears the sign bit, also of a NaN."""

    name = "cuda_tile.absf"
    OPCODE: ClassVar = 0x00
    assembly_format = _UNARY


@cuda_tile_op
class AddFOp(RoundedBinaryOp):
    """Sum, rounded once."""

    name = "cuda_tile.addf"
    OPCODE: ClassVar = 0x02
    traits = traits_def(Commutative())
    assembly_format = _ROUNDED_BINARY


@cuda_tile_op
class CeilOp(UnaryFloatOp):
    """Smallest integral value not below the operand."""

    name = "cuda_tile.ceil"
    OPCODE: ClassVar = 0x0D
    assembly_format = _UNARY


@cuda_tile_op
class CmpFOp(CudaTileOp):
    """Comparison; `ordered` is false and `unordered` true when an operand is a NaN."""

    name = "cuda_tile.cmpf"
    OPCODE: ClassVar = 0x0E
    lhs = operand_def(FLOAT)
    rhs = operand_def(FLOAT)
    comparison_predicate = prop_def(ComparisonPredicateAttr)
    comparison_ordering = prop_def(ComparisonOrderingAttr)
    result = result_def(ShapedLike("T"))
    traits = traits_def(Pure())
    assembly_format = (
        "custom<Keyword>($comparison_predicate) custom<Keyword>($comparison_ordering) "
        "$lhs `,` $rhs attr-dict `:` custom<ShortType>(type($lhs)) "
        "`->` custom<ShortType>(type($result))"
    )


@cuda_tile_op
class CosOp(UnaryFloatOp):
    """Cosine of an angle in radians."""

    name = "cuda_tile.cos"
    OPCODE: ClassVar = 0x12
    assembly_format = _UNARY


@cuda_tile_op
class CosHOp(UnaryFloatOp):
    """Hyperbolic cosine."""

    name = "cuda_tile.cosh"
    OPCODE: ClassVar = 0x13
    assembly_format = _UNARY


@cuda_tile_op
class DivFOp(BinaryFloatOp):
    """Quotient; `approx` and `full` are the inexact forms of f32."""

    name = "cuda_tile.divf"
    OPCODE: ClassVar = 0x14
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)
    assembly_format = _ROUNDED_BINARY

    def verify_(self) -> None:
        modes = (*IEEE_MODES, "approx", "full")
        check_rounding(self.rounding_mode, modes, self.result, f32_only=("approx", "full"))
        check_flush_to_zero(self)


@cuda_tile_op
class ExpOp(UnaryFloatOp):
    """Natural exponential."""

    name = "cuda_tile.exp"
    OPCODE: ClassVar = 0x17
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"rounding_mode": V13_3}
    rounding_mode = prop_def(RoundingModeAttr, default_value=ROUND_FULL)
    assembly_format = (
        "$source custom<RoundingSlot>($rounding_mode) attr-dict "
        "`:` custom<ShortType>(type($result))"
    )

    def verify_(self) -> None:
        check_rounding(self.rounding_mode, ("full", "approx"), self.result, f32_only=("approx",))


class FlushedUnaryOp(UnaryFloatOp, ABC):
    flush_to_zero = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        check_flush_to_zero(self)


_FLUSHED_UNARY = (
    "$source (`flush_to_zero` $flush_to_zero^)? attr-dict `:` custom<ShortType>(type($result))"
)


@cuda_tile_op
class Exp2Op(FlushedUnaryOp):
    """Power of two."""

    name = "cuda_tile.exp2"
    OPCODE: ClassVar = 0x18
    assembly_format = _FLUSHED_UNARY


@cuda_tile_op
class FloorOp(UnaryFloatOp):
    """Largest integral value not above the operand."""

    name = "cuda_tile.floor"
    OPCODE: ClassVar = 0x27
    assembly_format = _UNARY


@cuda_tile_op
class FmaOp(SameTypeOp):
    """lhs * rhs + acc, rounded once."""

    name = "cuda_tile.fma"
    OPCODE: ClassVar = 0x28
    lhs = operand_def(FLOAT)
    rhs = operand_def(FLOAT)
    acc = operand_def(FLOAT)
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)
    result = result_def(FLOAT)
    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $acc custom<RoundingSlot>($rounding_mode) "
        "(`flush_to_zero` $flush_to_zero^)? attr-dict `:` custom<ShortType>(type($result))"
    )

    def verify_(self) -> None:
        check_rounding(self.rounding_mode, IEEE_MODES, self.result)
        check_flush_to_zero(self)


@cuda_tile_op
class LogOp(UnaryFloatOp):
    """Natural logarithm."""

    name = "cuda_tile.log"
    OPCODE: ClassVar = 0x3F
    assembly_format = _UNARY


@cuda_tile_op
class Log2Op(UnaryFloatOp):
    """Logarithm to base two."""

    name = "cuda_tile.log2"
    OPCODE: ClassVar = 0x40
    assembly_format = _UNARY


class MinMaxFOp(BinaryFloatOp, ABC):
    propagate_nan = opt_prop_def(UnitAttr)
    flush_to_zero = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        check_flush_to_zero(self)


_MIN_MAX = (
    "$lhs `,` $rhs custom<FlushAndNan>($flush_to_zero, $propagate_nan) attr-dict "
    "`:` custom<ShortType>(type($result))"
)


@cuda_tile_op
class MaxFOp(MinMaxFOp):
    """Maximum; a NaN loses to a number unless `propagate_nan`."""

    name = "cuda_tile.maxf"
    OPCODE: ClassVar = 0x45
    traits = traits_def(Commutative())
    assembly_format = _MIN_MAX


@cuda_tile_op
class MinFOp(MinMaxFOp):
    """Minimum; a NaN loses to a number unless `propagate_nan`."""

    name = "cuda_tile.minf"
    OPCODE: ClassVar = 0x47
    traits = traits_def(Commutative())
    assembly_format = _MIN_MAX


MMAF_ACCUMULATORS: dict[Attribute, tuple[Attribute, ...]] = {
    f8E4M3FN: (f16, f32),
    f8E5M2: (f16, f32),
    f16: (f16, f32),
    bf16: (f32,),
    tf32: (f32,),
    f32: (f32,),
    f64: (f64,),
}
"""Accumulator element types for each input element type of `mmaf`."""

ACCUMULATOR = same("Acc", TileOf((f16, f32, f64), "f16, f32 or f64"))
I32_ACCUMULATOR = same("Acc", I32_TILE)
F32_ACCUMULATOR = same("Acc", TileOf((f32,), "f32"))
MMAF_INPUT = TileOf(
    (f16, bf16, f32, f64, tf32, f8E4M3FN, f8E5M2), "f16, bf16, f32, f64, tf32, f8E4M3FN or f8E5M2"
)


def check_matrix_shapes(lhs: TileType, rhs: TileType, acc: TileType) -> None:
    """[B x] M x K, [B x] K x N and [B x] M x N."""
    a, b, c = lhs.get_shape(), rhs.get_shape(), acc.get_shape()
    if len(a) not in (2, 3):
        raise VerifyException(f"operands must have rank 2 or 3, but lhs has rank {len(a)}")
    if len(b) != len(a) or len(c) != len(a):
        raise VerifyException(
            f"operands must have one rank, but got {len(a)}, {len(b)} and {len(c)}"
        )
    if a[:-2] != b[:-2] or a[:-2] != c[:-2]:
        raise VerifyException("batch dimensions of lhs, rhs and acc must be equal")
    if a[-1] != b[-2]:
        raise VerifyException(f"K differs: lhs has {a[-1]} columns, rhs has {b[-2]} rows")
    if c[-2] != a[-2]:
        raise VerifyException(f"M differs: lhs has {a[-2]} rows, acc has {c[-2]}")
    if c[-1] != b[-1]:
        raise VerifyException(f"N differs: rhs has {b[-1]} columns, acc has {c[-1]}")


def tile_types(*values: SSAValue) -> tuple[TileType, ...]:
    """The tile types of values that the constraints have already checked."""
    types: list[TileType] = []
    for value in values:
        assert isinstance(value.type, TileType)
        types.append(value.type)
    return tuple(types)


@cuda_tile_op
class MmaFOp(CudaTileOp):
    """Matrix product added to an accumulator."""

    name = "cuda_tile.mmaf"
    OPCODE: ClassVar = 0x49
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"fast_acc": V13_3}
    lhs = operand_def(MMAF_INPUT)
    rhs = operand_def(MMAF_INPUT)
    acc = operand_def(ACCUMULATOR)
    fast_acc = opt_prop_def(UnitAttr)
    result = result_def(ACCUMULATOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $acc (`fast_acc` $fast_acc^)? attr-dict "
        "`:` custom<ShortType>(type($lhs)) `,` custom<ShortType>(type($rhs)) "
        "`,` custom<ShortType>(type($acc))"
    )

    def verify_(self) -> None:
        lhs, rhs, acc = tile_types(self.lhs, self.rhs, self.acc)
        if lhs.element_type != rhs.element_type:
            raise VerifyException(
                "lhs and rhs must have one element type, but got "
                f"'{short_type(lhs.element_type)}' and '{short_type(rhs.element_type)}'"
            )
        allowed = MMAF_ACCUMULATORS[lhs.element_type]
        if acc.element_type not in allowed:
            names = " or ".join(map(short_type, allowed))
            raise VerifyException(
                f"{short_type(lhs.element_type)} inputs accumulate in {names}, "
                f"but acc has '{short_type(acc.element_type)}'"
            )
        check_matrix_shapes(lhs, rhs, acc)


@cuda_tile_op
class MmaIOp(CudaTileOp):
    """Matrix product of i8 tiles added to an i32 accumulator, wrapping."""

    name = "cuda_tile.mmai"
    OPCODE: ClassVar = 0x4A
    lhs = operand_def(I8_TILE)
    rhs = operand_def(I8_TILE)
    acc = operand_def(I32_ACCUMULATOR)
    signedness_lhs = prop_def(SignednessAttr)
    signedness_rhs = prop_def(SignednessAttr)
    result = result_def(I32_ACCUMULATOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $acc custom<Keyword>($signedness_lhs) "
        "custom<Keyword>($signedness_rhs) attr-dict `:` custom<ShortType>(type($lhs)) "
        "`,` custom<ShortType>(type($rhs)) `,` custom<ShortType>(type($acc))"
    )

    def verify_(self) -> None:
        lhs, rhs, acc = tile_types(self.lhs, self.rhs, self.acc)
        check_matrix_shapes(lhs, rhs, acc)


SCALE_BLOCKS: dict[tuple[bool, Attribute], tuple[int, ...]] = {
    (False, f8E8M0FNU): (32,),
    (True, f8E4M3FN): (16,),
    (True, f8E8M0FNU): (16, 32),
    (True, fnv8E5M3FNU): (16, 32),
}
"""Elements of K that one scale covers, by (inputs are f4E2M1FN, scale element type)."""


@cuda_tile_op
class MmaFScaledOp(CudaTileOp):
    """Matrix product of block-scaled tiles added to an f32 accumulator (13.3)."""

    name = "cuda_tile.mmaf_scaled"
    OPCODE: ClassVar = 0x72
    SINCE: ClassVar[Version] = V13_3
    lhs = operand_def(TileOf((f8E4M3FN, f8E5M2, f4E2M1FN), "f8E4M3FN, f8E5M2 or f4E2M1FN"))
    rhs = operand_def(TileOf((f8E4M3FN, f8E5M2, f4E2M1FN), "f8E4M3FN, f8E5M2 or f4E2M1FN"))
    acc = operand_def(F32_ACCUMULATOR)
    lhs_scale = operand_def(
        TileOf((f8E4M3FN, f8E8M0FNU, fnv8E5M3FNU), "f8E4M3FN, f8E8M0FNU or fnv8E5M3FNU")
    )
    rhs_scale = operand_def(
        TileOf((f8E4M3FN, f8E8M0FNU, fnv8E5M3FNU), "f8E4M3FN, f8E8M0FNU or fnv8E5M3FNU")
    )
    result = result_def(F32_ACCUMULATOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict "
        "`:` custom<ShortType>(type($lhs)) `,` custom<ShortType>(type($rhs)) "
        "`,` custom<ShortType>(type($acc)) `,` custom<ShortType>(type($lhs_scale)) "
        "`,` custom<ShortType>(type($rhs_scale))"
    )

    def verify_(self) -> None:
        lhs, rhs, acc = tile_types(self.lhs, self.rhs, self.acc)
        lhs_scale, rhs_scale = tile_types(self.lhs_scale, self.rhs_scale)
        for what, a, b in (("inputs", lhs, rhs), ("scales", lhs_scale, rhs_scale)):
            if a.element_type != b.element_type:
                raise VerifyException(
                    f"the two {what} must have one element type, but got "
                    f"'{short_type(a.element_type)}' and '{short_type(b.element_type)}'"
                )
        check_matrix_shapes(lhs, rhs, acc)
        self._check_scales(lhs, rhs, lhs_scale, rhs_scale)

    @staticmethod
    def _check_scales(
        lhs: TileType, rhs: TileType, lhs_scale: TileType, rhs_scale: TileType
    ) -> None:
        a, b = lhs.get_shape(), rhs.get_shape()
        sa, sb = lhs_scale.get_shape(), rhs_scale.get_shape()
        if len(sa) != len(a) or len(sb) != len(a):
            raise VerifyException(f"scales must have rank {len(a)} as the inputs have")
        if sa[:-2] != a[:-2] or sb[:-2] != b[:-2]:
            raise VerifyException("batch dimensions of the scales must equal those of the inputs")
        if sa[-2] != a[-2]:
            raise VerifyException(f"lhs_scale must have {a[-2]} rows as lhs has, but has {sa[-2]}")
        if sb[-1] != b[-1]:
            raise VerifyException(
                f"rhs_scale must have {b[-1]} columns as rhs has, but has {sb[-1]}"
            )
        if sa[-1] != sb[-2]:
            raise VerifyException(
                f"lhs_scale has {sa[-1]} columns, but rhs_scale has {sb[-2]} rows"
            )
        if a[-1] % sa[-1]:
            raise VerifyException(f"K = {a[-1]} must be a multiple of the {sa[-1]} scale columns")
        key = (lhs.element_type == f4E2M1FN, lhs_scale.element_type)
        blocks = SCALE_BLOCKS.get(key)
        if blocks is None:
            raise VerifyException(
                f"{short_type(lhs.element_type)} inputs cannot be scaled by "
                f"{short_type(lhs_scale.element_type)}"
            )
        block = a[-1] // sa[-1]
        if block not in blocks:
            expected = " or ".join(map(str, blocks))
            raise VerifyException(
                f"one scale must cover {expected} elements of K, but covers {block}"
            )


@cuda_tile_op
class MulFOp(RoundedBinaryOp):
    """Product, rounded once."""

    name = "cuda_tile.mulf"
    OPCODE: ClassVar = 0x4C
    traits = traits_def(Commutative())
    assembly_format = _ROUNDED_BINARY


@cuda_tile_op
class NegFOp(UnaryFloatOp):
    """Flips the sign bit, also of a NaN."""

    name = "cuda_tile.negf"
    OPCODE: ClassVar = 0x4F
    assembly_format = _UNARY


@cuda_tile_op
class FPowFOp(SameTypeOp):
    """source to the power of exponent."""

    name = "cuda_tile.fpowf"
    OPCODE: ClassVar = 0x54
    ALIASES: ClassVar[tuple[str, ...]] = ("pow",)
    source = operand_def(FLOAT)
    exponent = operand_def(FLOAT)
    result = result_def(FLOAT)
    traits = traits_def(Pure())
    assembly_format = "$source `,` $exponent attr-dict `:` custom<ShortType>(type($result))"


@cuda_tile_op
class FPowIOp(CudaTileOp):
    """source to a signed integer power (13.4)."""

    name = "cuda_tile.fpowi"
    OPCODE: ClassVar = 0x79
    SINCE: ClassVar[Version] = V13_4
    source = operand_def(FLOAT)
    exponent = operand_def(TileOf((IntegerType(1), i8, i16, i32), "i1, i8, i16 or i32"))
    result = result_def(FLOAT)
    traits = traits_def(Pure())
    assembly_format = (
        "$source `,` $exponent attr-dict `:` custom<ShortType>(type($source)) "
        "`,` custom<ShortType>(type($exponent))"
    )

    def verify_(self) -> None:
        check_same_shape(self.source, self.exponent)


def check_same_shape(*values: SSAValue) -> None:
    shapes = [t.get_shape() for t in tile_types(*values)]
    if any(shape != shapes[0] for shape in shapes):
        types = ", ".join(f"'{short_type(value.type)}'" for value in values)
        raise VerifyException(f"operands and results must have one shape, but got {types}")


@cuda_tile_op
class RemFOp(BinaryFloatOp):
    """Remainder of the truncated quotient, as C's `fmod`."""

    name = "cuda_tile.remf"
    OPCODE: ClassVar = 0x59
    assembly_format = _BINARY


@cuda_tile_op
class RsqrtOp(FlushedUnaryOp):
    """Reciprocal square root."""

    name = "cuda_tile.rsqrt"
    OPCODE: ClassVar = 0x5D
    assembly_format = _FLUSHED_UNARY


@cuda_tile_op
class SinOp(UnaryFloatOp):
    """Sine of an angle in radians."""

    name = "cuda_tile.sin"
    OPCODE: ClassVar = 0x62
    assembly_format = _UNARY


@cuda_tile_op
class SinHOp(UnaryFloatOp):
    """Hyperbolic sine."""

    name = "cuda_tile.sinh"
    OPCODE: ClassVar = 0x63
    assembly_format = _UNARY


@cuda_tile_op
class SqrtOp(UnaryFloatOp):
    """Square root."""

    name = "cuda_tile.sqrt"
    OPCODE: ClassVar = 0x64
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    flush_to_zero = opt_prop_def(UnitAttr)
    assembly_format = (
        "$source custom<RoundingSlot>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? "
        "attr-dict `:` custom<ShortType>(type($result))"
    )

    def verify_(self) -> None:
        modes = (*IEEE_MODES, "approx")
        check_rounding(self.rounding_mode, modes, self.result, f32_only=("approx",))
        check_flush_to_zero(self)


@cuda_tile_op
class SubFOp(RoundedBinaryOp):
    """Difference, rounded once."""

    name = "cuda_tile.subf"
    OPCODE: ClassVar = 0x67
    assembly_format = _ROUNDED_BINARY


@cuda_tile_op
class TanOp(UnaryFloatOp):
    """Tangent of an angle in radians."""

    name = "cuda_tile.tan"
    OPCODE: ClassVar = 0x69
    assembly_format = _UNARY


@cuda_tile_op
class TanHOp(UnaryFloatOp):
    """Hyperbolic tangent."""

    name = "cuda_tile.tanh"
    OPCODE: ClassVar = 0x6A
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"rounding_mode": V13_2}
    rounding_mode = prop_def(RoundingModeAttr, default_value=ROUND_FULL)
    assembly_format = (
        "$source custom<RoundingSlot>($rounding_mode) attr-dict "
        "`:` custom<ShortType>(type($result))"
    )

    def verify_(self) -> None:
        check_rounding(self.rounding_mode, ("full", "approx"), self.result, f32_only=("approx",))


@cuda_tile_op
class Atan2Op(SameTypeOp):
    """Angle of the point (y, x) in radians; x, the first operand, is the numerator (13.2)."""

    name = "cuda_tile.atan2"
    OPCODE: ClassVar = 0x6E
    SINCE: ClassVar[Version] = V13_2
    x = operand_def(FLOAT)
    y = operand_def(FLOAT)
    result = result_def(FLOAT)
    traits = traits_def(Pure())
    assembly_format = "$x `,` $y attr-dict `:` custom<ShortType>(type($result))"


# Integers.


class UnaryIntOp(SameTypeOp, ABC):
    source = operand_def(INT)
    result = result_def(INT)
    traits = traits_def(Pure())


class BinaryIntOp(SameTypeOp, ABC):
    lhs = operand_def(INT)
    rhs = operand_def(INT)
    result = result_def(INT)
    traits = traits_def(Pure())


class OverflowBinaryOp(BinaryIntOp, ABC):
    overflow = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_CLAIM)


class SignedBinaryOp(BinaryIntOp, ABC):
    signedness = prop_def(SignednessAttr)


@cuda_tile_op
class AbsIOp(UnaryIntOp):
    """Magnitude of a signed value, as an unsigned one."""

    name = "cuda_tile.absi"
    OPCODE: ClassVar = 0x01
    assembly_format = _UNARY


@cuda_tile_op
class AddIOp(OverflowBinaryOp):
    """Sum, wrapping."""

    name = "cuda_tile.addi"
    OPCODE: ClassVar = 0x03
    traits = traits_def(Commutative())
    assembly_format = _OVERFLOW_BINARY


@cuda_tile_op
class CmpIOp(CudaTileOp):
    """Integer comparison."""

    name = "cuda_tile.cmpi"
    OPCODE: ClassVar = 0x0F
    lhs = operand_def(INT)
    rhs = operand_def(INT)
    comparison_predicate = prop_def(ComparisonPredicateAttr)
    signedness = prop_def(SignednessAttr)
    result = result_def(ShapedLike("T"))
    traits = traits_def(Pure())
    assembly_format = (
        "custom<Keyword>($comparison_predicate) $lhs `,` $rhs `,` custom<Keyword>($signedness) "
        "attr-dict `:` custom<ShortType>(type($lhs)) `->` custom<ShortType>(type($result))"
    )


@cuda_tile_op
class DivIOp(SameTypeOp):
    """Quotient; by zero, and of the least value by -1, undefined."""

    name = "cuda_tile.divi"
    OPCODE: ClassVar = 0x15
    lhs = operand_def(INT)
    rhs = operand_def(INT)
    signedness = prop_def(SignednessAttr)
    rounding = prop_def(RoundingModeAttr, default_value=ROUND_ZERO)
    result = result_def(INT)
    traits = traits_def(NoMemoryEffect())
    assembly_format = (
        "$lhs `,` $rhs custom<Keyword>($signedness) custom<Rounding>($rounding) attr-dict "
        "`:` custom<ShortType>(type($result))"
    )

    def verify_(self) -> None:
        check_rounding(self.rounding, ("zero", "negative_inf", "positive_inf"), self.result)
        if self.rounding.keyword == "negative_inf" and self.signedness == UNSIGNED:
            raise VerifyException("rounding mode negative_inf needs signed division")


@cuda_tile_op
class MaxIOp(SignedBinaryOp):
    """Maximum."""

    name = "cuda_tile.maxi"
    OPCODE: ClassVar = 0x46
    traits = traits_def(Commutative())
    assembly_format = _SIGNED_BINARY


@cuda_tile_op
class MinIOp(SignedBinaryOp):
    """Minimum."""

    name = "cuda_tile.mini"
    OPCODE: ClassVar = 0x48
    traits = traits_def(Commutative())
    assembly_format = _SIGNED_BINARY


@cuda_tile_op
class MulhiIOp(SameTypeOp):
    """High half of the double-width product of unsigned values."""

    name = "cuda_tile.mulhii"
    OPCODE: ClassVar = 0x4D
    x = operand_def(INT)
    y = operand_def(INT)
    result = result_def(INT)
    traits = traits_def(Pure(), Commutative())
    assembly_format = "$x `,` $y attr-dict `:` custom<ShortType>(type($result))"


@cuda_tile_op
class MulIOp(OverflowBinaryOp):
    """Product, wrapping."""

    name = "cuda_tile.muli"
    OPCODE: ClassVar = 0x4E
    traits = traits_def(Commutative())
    assembly_format = _OVERFLOW_BINARY


@cuda_tile_op
class NegIOp(UnaryIntOp):
    """Two's complement negation."""

    name = "cuda_tile.negi"
    OPCODE: ClassVar = 0x50
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"overflow": V13_2}
    overflow = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_CLAIM)
    assembly_format = (
        "$source custom<Overflow>($overflow) attr-dict `:` custom<ShortType>(type($result))"
    )

    def verify_(self) -> None:
        if self.overflow.keyword == "no_unsigned_wrap":
            raise VerifyException("overflow no_unsigned_wrap is meaningless for a negation")


@cuda_tile_op
class RemIOp(SameTypeOp):
    """Remainder of the truncated quotient; by zero undefined."""

    name = "cuda_tile.remi"
    OPCODE: ClassVar = 0x5A
    lhs = operand_def(INT)
    rhs = operand_def(INT)
    signedness = prop_def(SignednessAttr)
    result = result_def(INT)
    traits = traits_def(Pure())
    assembly_format = _SIGNED_BINARY


@cuda_tile_op
class ShLIOp(OverflowBinaryOp):
    """Shift left; a count of the width or more is undefined."""

    name = "cuda_tile.shli"
    OPCODE: ClassVar = 0x60
    assembly_format = _OVERFLOW_BINARY


@cuda_tile_op
class ShRIOp(SignedBinaryOp):
    """Shift right, arithmetic when signed; a count of the width or more is undefined."""

    name = "cuda_tile.shri"
    OPCODE: ClassVar = 0x61
    assembly_format = _SIGNED_BINARY


@cuda_tile_op
class SubIOp(OverflowBinaryOp):
    """Difference, wrapping."""

    name = "cuda_tile.subi"
    OPCODE: ClassVar = 0x68
    assembly_format = _OVERFLOW_BINARY


# Bitwise.


@cuda_tile_op
class AndIOp(BinaryIntOp):
    """Bitwise and."""

    name = "cuda_tile.andi"
    OPCODE: ClassVar = 0x04
    traits = traits_def(Commutative())
    assembly_format = _BINARY


@cuda_tile_op
class OrIOp(BinaryIntOp):
    """Bitwise or."""

    name = "cuda_tile.ori"
    OPCODE: ClassVar = 0x52
    traits = traits_def(Commutative())
    assembly_format = _BINARY


@cuda_tile_op
class XOrIOp(BinaryIntOp):
    """Bitwise exclusive or."""

    name = "cuda_tile.xori"
    OPCODE: ClassVar = 0x6C
    traits = traits_def(Commutative())
    assembly_format = _BINARY


OPERATIONS: tuple[type[CudaTileOp], ...] = (
    AbsFOp,
    AbsIOp,
    AddFOp,
    AddIOp,
    AndIOp,
    Atan2Op,
    CeilOp,
    CmpFOp,
    CmpIOp,
    CosHOp,
    CosOp,
    DivFOp,
    DivIOp,
    Exp2Op,
    ExpOp,
    FPowFOp,
    FPowIOp,
    FloorOp,
    FmaOp,
    Log2Op,
    LogOp,
    MaxFOp,
    MaxIOp,
    MinFOp,
    MinIOp,
    MmaFOp,
    MmaFScaledOp,
    MmaIOp,
    MulFOp,
    MulIOp,
    MulhiIOp,
    NegFOp,
    NegIOp,
    OrIOp,
    RemFOp,
    RemIOp,
    RsqrtOp,
    ShLIOp,
    ShRIOp,
    SinHOp,
    SinOp,
    SqrtOp,
    SubFOp,
    SubIOp,
    TanHOp,
    TanOp,
    XOrIOp,
)
