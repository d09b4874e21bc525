"""Memory as tile programs see it: buffers, addresses, bounds.

Every array argument, global and allocation is a `Buffer` of bytes. Buffer *k* has its addresses
around the middle of the range from k * 2**40 to (k + 1) * 2**40, so an address belongs to the
buffer whose range it lies in: that is its provenance, which arithmetic keeps however far it strays
outside the buffer (up to 2**39 bytes), and which a round trip through integers keeps as well.
Addresses below 2**40 belong to no buffer.

Beside the bytes a buffer may carry, for each *granule* (its element, or a smaller unit once some
access is smaller): the state that finds races (`races`), and whether the content is unspecified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute

from tileir_xdsl.interpreter.values import format_of
from tileir_xdsl.numerics import F4E2M1FN, I1, TF32, NumberFormat

Array = npt.NDArray[Any]

REGION_BITS = 40
_MIDDLE = 1 << (REGION_BITS - 1)
ALIGNMENT = 256
"""What the start of every allocation is a multiple of, in bytes."""
MAX_BYTES = _MIDDLE


@dataclass(frozen=True)
class MemoryFormat:
    """How elements of a number format lie in memory."""

    fmt: NumberFormat
    size: int
    """Bytes of an element; `f4E2M1FN` has two elements in a byte and is handled by its users."""
    dtype: np.dtype[Any]
    """What the bytes are viewed as."""

    @property
    def packed(self) -> bool:
        return self.fmt is F4E2M1FN

    @property
    def plain(self) -> bool:
        """Whether memory and tiles hold the same bits."""
        return self.fmt is not I1 and self.fmt is not TF32

    def load(self, raw: Array) -> Array:
        """What was read, in the storage of the format; may share memory with `raw`."""
        if self.fmt is I1:
            return raw != 0
        if self.fmt is TF32:
            return (raw.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        return raw

    def store(self, values: Array) -> Array:
        """What to write for values in the storage of the format."""
        return values.view(np.uint8) if self.fmt is I1 else values


_FORMATS: dict[str, MemoryFormat] = {}


def memory_format(element: Attribute) -> MemoryFormat:
    """How an element type lies in memory."""
    fmt = format_of(element)
    found = _FORMATS.get(fmt.name)
    if found is None:
        dtype = np.dtype(np.uint8) if fmt is I1 else fmt.dtype
        found = _FORMATS.setdefault(fmt.name, MemoryFormat(fmt, dtype.itemsize, dtype))
    return found


class Buffer:
    """A piece of memory that pointers can point into."""

    __slots__ = (
        "_typed",
        "base",
        "bytes",
        "constant",
        "freed",
        "granule",
        "index",
        "name",
        "size",
        "state",
        "tracked",
        "unspecified",
        "writable",
    )

    def __init__(
        self, index: int, name: str, data: Array, granule: int, misalignment: int = 0
    ) -> None:
        assert data.dtype == np.uint8
        assert data.ndim == 1
        self.index = index
        self.name = name
        self.bytes = data
        self.size = data.size
        self.base = (index << REGION_BITS) + _MIDDLE + misalignment
        """The address of the first byte."""
        self.granule = granule
        self.writable = True
        self.constant = False
        self.freed = False
        self.tracked = False
        """Whether accesses are watched for races."""
        self.state: Array | None = None
        """For each granule the number of its race state."""
        self.unspecified: Array | None = None
        """For each granule whether its content is unspecified; None when all is specified."""
        self._typed: dict[Any, Array] = {}

    def typed(self, dtype: np.dtype[Any], phase: int) -> Array:
        """The bytes from offset `phase` on as elements of `dtype`."""
        key = (dtype, phase)
        found = self._typed.get(key)
        if found is None:
            count = (self.size - phase) // dtype.itemsize
            found = self.bytes[phase : phase + count * dtype.itemsize].view(dtype)
            self._typed[key] = found
        return found

    def free(self) -> None:
        """End the life of the buffer; pointers into it dangle from now on."""
        self.freed = True
        self.tracked = False
        self.state = self.unspecified = None
        self.replace(np.zeros(0, np.uint8))

    def replace(self, data: Array) -> None:
        """Hold the content elsewhere from now on."""
        self.bytes = data
        self._typed.clear()

    def shadow_box(
        self,
        shadow: Array,
        size: int,
        offset: int,
        counts: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> Array:
        """The same box of a per-granule array: elements of `size` bytes, each some granules."""
        granule, item = self.granule, shadow.itemsize
        scaled = tuple(stride // granule * item for stride in strides)
        start = offset // granule * item
        if size == granule:
            return np.ndarray(counts, shadow.dtype, shadow, start, scaled)
        return np.ndarray((*counts, size // granule), shadow.dtype, shadow, start, (*scaled, item))

    def shadow_index(self, size: int, offsets: Array) -> Array:
        """Where the granules of elements at byte `offsets` lie in a per-granule array."""
        first = offsets // self.granule
        if size == self.granule:
            return first
        return first[..., None] + np.arange(size // self.granule)

    def refine(self, granule: int) -> None:
        """Make granules no larger than `granule` bytes."""
        if granule >= self.granule:
            return
        factor = self.granule // granule
        if self.state is not None:
            self.state = np.repeat(self.state, factor)
        if self.unspecified is not None:
            self.unspecified = np.repeat(self.unspecified, factor)
        self.granule = granule

    @property
    def granules(self) -> int:
        return -(-self.size // self.granule)


class Memory:
    """All buffers of a run."""

    def __init__(self) -> None:
        self.buffers: list[Buffer | None] = [None]

    def add(self, name: str, data: Array, granule: int, misalignment: int = 0) -> Buffer:
        """A new buffer over existing bytes."""
        buffer = Buffer(len(self.buffers), name, data, granule, misalignment)
        self.buffers.append(buffer)
        return buffer

    def adopt(self, buffer: Buffer) -> Buffer:
        """Take over a buffer of another memory: a global that outlives a launch."""
        adopted = self.add(buffer.name, buffer.bytes, buffer.granule)
        adopted.constant = buffer.constant
        return adopted

    def allocate(self, name: str, size: int, granule: int, alignment: int) -> Buffer:
        """New memory with unspecified content; `alignment` in bytes is at most that of buffers."""
        buffer = self.add(name, np.zeros(size, np.uint8), granule)
        buffer.unspecified = np.ones(buffer.granules, np.bool_)
        # Every base is a multiple of 2**39, hence of any alignment a program may ask for.
        assert buffer.base % min(alignment, _MIDDLE) == 0
        return buffer

    def at(self, address: int) -> Buffer | None:
        """The buffer that an address belongs to, inside its bounds or not."""
        index = address >> REGION_BITS
        if 0 < index < len(self.buffers):
            return self.buffers[index]
        return None

    def describe(self, address: int) -> str:
        """An address as a person reads it: the buffer and the offset."""
        buffer = self.at(address)
        if buffer is None:
            return f"{address:#x}"
        return f"{buffer.name} {address - buffer.base:+d} bytes"
