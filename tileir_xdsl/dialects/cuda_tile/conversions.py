"""Conversions between element types. Specification: section Conversions."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr, f8E8M0FNU
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    NEAREST_EVEN,
    NO_OVERFLOW_CLAIM,
    check_rounding,
    check_same_shape,
    element_type,
    tile_types,
)
from tileir_xdsl.dialects.cuda_tile.attributes import (
    IntegerOverflowAttr,
    RoundingMode,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_FLOAT_TILE,
    I64_TILE,
    INT_OR_I4_TILE,
    INT_TILE,
    NUMBER_TILE,
    POINTER_TILE,
    CudaTileOp,
    cuda_tile_op,
)
from tileir_xdsl.dialects.cuda_tile.types import bit_width, short_type
from tileir_xdsl.dialects.cuda_tile.wording import alternatives
from tileir_xdsl.versions import V13_4, Version

_SOURCE_TO_RESULT = (
    "$source attr-dict `:` custom<ShortType>(type($source)) `->` custom<ShortType>(type($result))"
)
_FROM_TO = "attr-dict `:` custom<ShortType>(type($from_)) `->` custom<ShortType>(type($to))"

TO_INTEGER = RoundingModeAttr(RoundingMode.NEAREST_INT_TO_ZERO)


class ConversionOp(CudaTileOp, ABC):
    """An elementwise operation whose result has another element type."""

    def __init__(
        self,
        value: SSAValue | Operation,
        result_type: Attribute,
        properties: Mapping[str, Attribute | None] | None = None,
    ) -> None:
        super().__init__(operands=[value], result_types=[result_type], properties=properties or {})


@cuda_tile_op
class BitcastOp(ConversionOp):
    """The same bits as another number type of the same width."""

    name = "cuda_tile.bitcast"
    OPCODE: ClassVar = 0x09
    source = operand_def(NUMBER_TILE)
    result = result_def(NUMBER_TILE)
    traits = traits_def(Pure())
    assembly_format = _SOURCE_TO_RESULT

    def verify_(self) -> None:
        check_same_shape(self.source, self.result)
        source, result = tile_types(self.source, self.result)
        before, after = bit_width(source.element_type), bit_width(result.element_type)
        if before != after:
            raise VerifyException(
                "elements must have equal widths, "
                f"but '{short_type(source.element_type)}' has {before} "
                f"and '{short_type(result.element_type)}' has {after} bits"
            )


@cuda_tile_op
class ExtIOp(ConversionOp):
    """Sign or zero extension."""

    name = "cuda_tile.exti"
    OPCODE: ClassVar = 0x25
    from_ = operand_def(INT_OR_I4_TILE)
    signedness = prop_def(SignednessAttr)
    to = result_def(INT_OR_I4_TILE)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        check_same_shape(self.from_, self.to)
        source, result = tile_types(self.from_, self.to)
        if bit_width(result.element_type) <= bit_width(source.element_type):
            raise VerifyException(
                "result elements must be wider than the source's, but got "
                f"'{short_type(source.element_type)}' to '{short_type(result.element_type)}'"
            )

    assembly_format = "$from_ custom<Keyword>($signedness) " + _FROM_TO


FTOF_WIDENING: dict[str, tuple[str, ...]] = {
    "f32": ("f64",),
    "tf32": ("f64", "f32"),
    "f16": ("f64", "f32", "tf32"),
    "bf16": ("f64", "f32", "tf32"),
    "f8E4M3FN": ("f64", "f32", "tf32", "f16", "bf16"),
    "f8E5M2": ("f64", "f32", "tf32", "f16", "bf16"),
    "f8E8M0FNU": ("f64",),
    "f4E2M1FN": ("f64", "f32", "tf32", "f16", "bf16"),
    "fnv8E5M3FNU": ("f64", "f32", "tf32", "bf16"),
}
"""Targets that hold every value of a source format."""


def ftof_modes(source: str, target: str) -> tuple[str, ...]:
    """Rounding modes that `ftof` takes between two formats (13.4 and 13.5 tools)."""
    if target == "f8E8M0FNU":
        return ("zero", "positive_inf")
    if target in ("f8E4M3FN", "f8E5M2", "f4E2M1FN", "fnv8E5M3FNU"):
        return ("nearest_even",)
    if target in FTOF_WIDENING.get(source, ()):
        return ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")
    if (source, target) == ("f64", "f32"):
        return ("nearest_even", "zero", "negative_inf", "positive_inf")
    if (source, target) == ("f32", "tf32"):
        return ("nearest_even", "zero", "nearest_away")
    return ("nearest_even", "zero")


@cuda_tile_op
class FToFOp(ConversionOp):
    """Float to another float format; f8 and f4 results saturate."""

    name = "cuda_tile.ftof"
    OPCODE: ClassVar = 0x2A
    from_ = operand_def(ANY_FLOAT_TILE)
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    to = result_def(ANY_FLOAT_TILE)
    traits = traits_def(Pure())
    assembly_format = "$from_ custom<RoundingSlot>($rounding_mode) " + _FROM_TO

    def verify_(self) -> None:
        check_same_shape(self.from_, self.to)
        source, result = tile_types(self.from_, self.to)
        if source == result:
            raise VerifyException(
                f"source and result types must differ, but both are '{short_type(result)}'"
            )
        modes = ftof_modes(source.element_type.name, result.element_type.name)
        if self.rounding_mode.keyword not in modes:
            raise VerifyException(
                f"rounding mode from {short_type(source.element_type)} to "
                f"{short_type(result.element_type)} must be {alternatives(modes)}, "
                f"but got {self.rounding_mode.keyword}"
            )


@cuda_tile_op
class FToIOp(ConversionOp):
    """Float to integer, towards zero; out of range is undefined unless `saturating`."""

    name = "cuda_tile.ftoi"
    OPCODE: ClassVar = 0x2B
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"saturating": V13_4}
    from_ = operand_def(ANY_FLOAT_TILE)
    signedness = prop_def(SignednessAttr)
    rounding_mode = prop_def(RoundingModeAttr, default_value=TO_INTEGER)
    saturating = opt_prop_def(UnitAttr)
    to = result_def(INT_TILE)
    traits = traits_def(Pure())
    assembly_format = (
        "$from_ custom<Keyword>($signedness) custom<RoundingSlot>($rounding_mode) "
        "(`saturating` $saturating^)? " + _FROM_TO
    )

    def verify_(self) -> None:
        check_same_shape(self.from_, self.to)
        check_rounding(self.rounding_mode, ("nearest_int_to_zero",), self.to)


@cuda_tile_op
class IToFOp(ConversionOp):
    """Integer to float, rounded to nearest even."""

    name = "cuda_tile.itof"
    OPCODE: ClassVar = 0x3B
    from_ = operand_def(INT_TILE)
    signedness = prop_def(SignednessAttr)
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    to = result_def(ANY_FLOAT_TILE)
    traits = traits_def(Pure())
    assembly_format = (
        "$from_ custom<Keyword>($signedness) custom<RoundingSlot>($rounding_mode) " + _FROM_TO
    )

    def verify_(self) -> None:
        check_same_shape(self.from_, self.to)
        check_rounding(self.rounding_mode, ("nearest_even",), self.to)
        if element_type(self.to) == f8E8M0FNU:
            raise VerifyException("cannot convert integers to f8E8M0FNU; go through f32 with ftof")


@cuda_tile_op
class IntToPtrOp(ConversionOp):
    """Addresses to pointers."""

    name = "cuda_tile.int_to_ptr"
    OPCODE: ClassVar = 0x33
    source = operand_def(I64_TILE)
    result = result_def(POINTER_TILE)
    traits = traits_def(Pure())
    assembly_format = _SOURCE_TO_RESULT

    def verify_(self) -> None:
        check_same_shape(self.source, self.result)


@cuda_tile_op
class PtrToIntOp(ConversionOp):
    """Pointers to addresses."""

    name = "cuda_tile.ptr_to_int"
    OPCODE: ClassVar = 0x56
    source = operand_def(POINTER_TILE)
    result = result_def(I64_TILE)
    traits = traits_def(Pure())
    assembly_format = _SOURCE_TO_RESULT

    def verify_(self) -> None:
        check_same_shape(self.source, self.result)


@cuda_tile_op
class PtrToPtrOp(ConversionOp):
    """Pointers to another pointee."""

    name = "cuda_tile.ptr_to_ptr"
    OPCODE: ClassVar = 0x57
    source = operand_def(POINTER_TILE)
    result = result_def(POINTER_TILE)
    traits = traits_def(Pure())
    assembly_format = _SOURCE_TO_RESULT

    def verify_(self) -> None:
        check_same_shape(self.source, self.result)


@cuda_tile_op
class TruncIOp(ConversionOp):
    """Keeps the low bits."""

    name = "cuda_tile.trunci"
    OPCODE: ClassVar = 0x6B
    from_ = operand_def(INT_OR_I4_TILE)
    overflow = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_CLAIM)
    to = result_def(INT_OR_I4_TILE)
    traits = traits_def(Pure())
    assembly_format = "$from_ custom<Overflow>($overflow) " + _FROM_TO

    def verify_(self) -> None:
        check_same_shape(self.from_, self.to)
        source, result = tile_types(self.from_, self.to)
        if bit_width(result.element_type) >= bit_width(source.element_type):
            raise VerifyException(
                "result elements must be narrower than the source's, but got "
                f"'{short_type(source.element_type)}' to '{short_type(result.element_type)}'"
            )


OPERATIONS: tuple[type[CudaTileOp], ...] = (
    BitcastOp,
    ExtIOp,
    FToFOp,
    FToIOp,
    IToFOp,
    IntToPtrOp,
    PtrToIntOp,
    PtrToPtrOp,
    TruncIOp,
)
