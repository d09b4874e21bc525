"""What values of `cuda_tile` types are while a program runs.

* A tile of numbers is a NumPy array in the storage of its format (`numerics.formats`). It has the
  rank of the tile; an extent is that of the tile, or 1 where all elements along it are equal, as
  NumPy broadcasts. `full` answers the array with all extents.
* A tile of pointers is an `int64` array of addresses, broadcast in the same way. Buffers lie so far
  apart that the high bits of an address say which buffer it belongs to (`memory`).
* Beside every tile stands the boolean array of its unspecified lanes, or None when there is none.
* A token is an integer: bit *k* is set when event *k* of the block happens before the token.
* Views are `TensorView`; a tile view adds nothing to its tensor view but its type.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType
from tileir_xdsl.numerics import FORMATS, FloatFormat, IntegerFormat, NumberFormat

Array = npt.NDArray[Any]


class TensorView(NamedTuple):
    """A strided tensor in memory: extents and strides count elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def extents(self) -> tuple[int, ...]:
        return self.shape


@lru_cache(maxsize=256)
def format_of(element: Attribute) -> NumberFormat:
    """The format of a number type."""
    width = getattr(element, "width", None)
    return FORMATS[element.name if width is None else f"i{width.data}"]


def tile_type(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def number_format(value: SSAValue) -> NumberFormat:
    """The element format of a tile of numbers."""
    return format_of(tile_type(value).element_type)


def float_format(value: SSAValue) -> FloatFormat:
    fmt = number_format(value)
    assert isinstance(fmt, FloatFormat)
    return fmt


def integer_format(value: SSAValue) -> IntegerFormat:
    fmt = number_format(value)
    assert isinstance(fmt, IntegerFormat)
    return fmt


def is_pointer(value: SSAValue) -> bool:
    type = value.type
    return isinstance(type, TileType) and isinstance(type.element_type, PtrType)


def is_array(value: Any) -> TypeGuard[Array]:
    return isinstance(value, np.ndarray)


def full(values: Array, shape: tuple[int, ...]) -> Array:
    """The array with all extents of the tile."""
    return values if values.shape == shape else np.broadcast_to(values, shape)


def merge(first: Array | None, second: Array | None) -> Array | None:
    """The lanes that are unspecified in either operand."""
    if first is None:
        return second
    if second is None:
        return first
    return first | second
