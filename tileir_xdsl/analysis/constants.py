"""Values that are known constants, as bit patterns."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr, signed
from tileir_xdsl.dialects.cuda_tile.core import ConstantOp
from tileir_xdsl.dialects.cuda_tile.types import TileType, bit_width


def constant_of(value: SSAValue) -> DenseElementsAttr | None:
    """The elements of a value that a `constant` defines."""
    owner = value.owner
    return owner.value if isinstance(owner, ConstantOp) else None


def splat_bits(value: SSAValue) -> int | None:
    """The bit pattern, unsigned, that all elements of a constant share."""
    elements = constant_of(value)
    return None if elements is None else elements.splat_bits


def splat_integer(value: SSAValue, *, is_signed: bool = True) -> int | None:
    """The integer that all elements of a constant share."""
    bits = splat_bits(value)
    if bits is None or not isinstance(element_of(value), IntegerType):
        return None
    return signed(bits, width_of(value)) if is_signed else bits


def is_splat(value: SSAValue, bits: int) -> bool:
    """Whether all elements of a value are known to be one bit pattern."""
    return splat_bits(value) == bits


def is_zero(value: SSAValue) -> bool:
    """Whether all elements are known to be zero (positive, of floats)."""
    return splat_bits(value) == 0


def is_true(value: SSAValue) -> bool:
    """Whether all elements of an i1 value are known to be true."""
    return splat_bits(value) == 1 and width_of(value) == 1


def is_all_ones(value: SSAValue) -> bool:
    """Whether all bits of all elements of an integer value are known to be set."""
    return splat_bits(value) == (1 << width_of(value)) - 1


def tile_of(value: SSAValue) -> TileType:
    """The type of a value that is known to be a tile."""
    assert isinstance(value.type, TileType)
    return value.type


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tile value."""
    return tile_of(value).element_type


def width_of(value: SSAValue) -> int:
    """The bits of one element of a tile of numbers."""
    return bit_width(element_of(value))
