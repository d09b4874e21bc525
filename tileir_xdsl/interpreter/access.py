"""Loads and stores of the interpreter: bounds, alignment, unspecified contents, races.

Dialect builders make one `MemoryAccess` for each memory operation when they compile it, and call it
with addresses (`gather`, `scatter`, `update`) or with a strided box (`Box`) when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.interpreter.launch import Block
from tileir_xdsl.interpreter.memory import REGION_BITS, Buffer, memory_format
from tileir_xdsl.interpreter.races import WEAK, Access, Race
from tileir_xdsl.interpreter.undefined import UndefinedBehaviour, block_text, first_lane

Array = npt.NDArray[Any]
Lanes = Callable[[int], tuple[int, ...] | None]
"""The index of a lane within the tile, from its position in what was accessed."""


@dataclass(frozen=True)
class Ordering:
    """How a memory operation takes part in synchronisation."""

    strength: int = WEAK
    acquire: bool = False
    release: bool = False


class Part:
    """The elements of one access that lie in one buffer."""

    __slots__ = ("buffer", "index", "offsets", "selected", "typed")

    def __init__(
        self, buffer: Buffer, typed: Array, index: Array, offsets: Array, selected: Array | None
    ) -> None:
        self.buffer = buffer
        self.typed = typed
        """The buffer as elements."""
        self.index = index
        """The elements within `typed`."""
        self.offsets = offsets
        """The elements' offsets in bytes."""
        self.selected = selected
        """Which of the accessed elements these are; None for all."""


class Box:
    """A strided box of elements in one buffer."""

    __slots__ = ("buffer", "counts", "offset", "strides", "view")

    def __init__(
        self,
        buffer: Buffer,
        view: Array,
        offset: int,
        counts: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> None:
        self.buffer = buffer
        self.view = view
        self.offset = offset
        self.counts = counts
        self.strides = strides
        """In bytes."""


class MemoryAccess:
    """A memory operation, compiled."""

    def __init__(
        self, op: Operation, element: Attribute, *, writes: bool, ordering: Ordering
    ) -> None:
        self.op = op
        self.format = memory_format(element)
        self.size = self.format.size
        self.writes = writes
        self.ordering = ordering
        self._shift = self.size.bit_length() - 1
        self._verb = "writes" if writes else "reads"

    # Addresses.

    def parts(self, block: Block, addresses: Array, lanes: Lanes) -> list[Part]:
        """The buffers that `addresses` point into, checked for bounds and alignment."""
        if not addresses.size:
            return []
        low, high = int(addresses.min()), int(addresses.max())
        if low >> REGION_BITS == high >> REGION_BITS:
            return [self._part(block, addresses, low, high, None, lanes)]
        regions = addresses >> REGION_BITS
        parts: list[Part] = []
        for region in np.unique(regions).tolist():
            selected = np.flatnonzero(regions == region)
            own = addresses.reshape(-1)[selected]
            parts.append(self._part(block, own, int(own.min()), int(own.max()), selected, lanes))
        return parts

    def _part(
        self,
        block: Block,
        addresses: Array,
        low: int,
        high: int,
        selected: Array | None,
        lanes: Lanes,
    ) -> Part:
        def lane_of(bad: Array) -> tuple[int, ...] | None:
            position = int(np.flatnonzero(bad)[0])
            return lanes(position if selected is None else int(selected[position]))

        buffer = self.buffer_at(block, low, lambda: lane_of(addresses == low))
        base, size = buffer.base, self.size
        if low < base or high + size > base + buffer.size:
            outside = (addresses < base) | (addresses > base + buffer.size - size)
            address = int(addresses.reshape(-1)[np.flatnonzero(outside)[0]])
            raise self._out_of_bounds(block, buffer, address - base, size, lane_of(outside))
        if size > 1 and bool((addresses & (size - 1)).any()):
            crooked = (addresses & (size - 1)) != 0
            address = int(addresses.reshape(-1)[np.flatnonzero(crooked)[0]])
            raise block.undefined(
                self.op,
                "misaligned",
                f"{self._verb} {self.format.fmt.name} at an address that is no multiple of {size}",
                lane_of(crooked),
                {"address": block.memory.describe(address)},
            )
        offsets = addresses - base
        phase = -base % size
        index = (offsets - phase) >> self._shift if phase else offsets >> self._shift
        return Part(buffer, buffer.typed(self.format.dtype, phase), index, offsets, selected)

    def buffer_at(
        self, block: Block, address: int, lane: Callable[[], tuple[int, ...] | None]
    ) -> Buffer:
        """The buffer that an address belongs to, if it can be accessed."""
        buffer = block.memory.at(address)
        if buffer is None:
            raise block.undefined(
                self.op,
                "dangling",
                f"{self._verb} at an address that belongs to no buffer",
                lane(),
                {"address": f"{address:#x}"},
            )
        if buffer.freed:
            raise block.undefined(
                self.op, "dangling", f"{self._verb} {buffer.name} after its block ended", lane()
            )
        if not self.writes:
            return buffer
        if buffer.constant:
            raise block.undefined(
                self.op, "constant-write", f"writes to {buffer.name}, which is constant", lane()
            )
        if not buffer.writable:
            raise block.unsupported(self.op, f"the array of {buffer.name} is read-only")
        return buffer

    def _out_of_bounds(
        self,
        block: Block,
        buffer: Buffer,
        offset: int,
        size: int,
        lane: tuple[int, ...] | None,
    ) -> UndefinedBehaviour:
        error = block.undefined(
            self.op,
            "out-of-bounds",
            f"{self._verb} outside of {buffer.name}, which has {buffer.size} bytes",
            lane,
            {"byte offset": offset, "bytes": size},
        )
        error.buffer = buffer.name
        return error

    def watch_parts(self, block: Block, parts: Sequence[Part], token: int, lanes: Lanes) -> int:
        """Record the access for races; answers the token of what comes after it."""
        tracked = [part for part in parts if part.buffer.tracked]
        if not tracked:
            return token
        assert block.tracker is not None
        block.tracker.collect()
        access = self.event(block, token)
        for part in tracked:
            self._watch_part(block, part, access, lanes)
        # Tokens of long loops are large, and later accesses only ask for the event.
        access.token = 0
        return token | (1 << access.event)

    def _watch_part(self, block: Block, part: Part, access: Access, lanes: Lanes) -> None:
        buffer = part.buffer
        buffer.refine(self.size)
        index = buffer.shadow_index(self.size, part.offsets)
        state = buffer.state
        assert state is not None
        assert block.tracker is not None

        def fill(new: Any) -> None:
            state[index] = new

        try:
            block.tracker.access(state[index], access, fill)
        except Race as race:
            position = race.index // (self.size // buffer.granule)
            if part.selected is not None:
                position = int(part.selected[position])
            raise self._race(block, buffer, race, lanes(position)) from None

    def event(self, block: Block, token: int) -> Access:
        """A new memory event of the block."""
        event = block.events
        block.events = event + 1
        order = self.ordering
        return Access(
            self.op,
            block.number,
            block.id,
            event,
            token,
            self.writes,
            order.strength,
            order.acquire,
            order.release,
        )

    def _race(
        self, block: Block, buffer: Buffer, race: Race, lane: tuple[int, ...] | None
    ) -> UndefinedBehaviour:
        earlier = race.earlier
        did = "write" if earlier.writes else "read"
        if earlier.block == block.number:
            return block.undefined(
                self.op,
                "race-tokens",
                f"{self._verb} what an access of the same block {_past(earlier)} in {buffer.name}, "
                "with no token path between them",
                lane,
                notes=[(f"the other access, a {did}, is here", place_of(earlier.op))],
                fix="pass the token of the earlier access on to this one",
            )
        return block.undefined(
            self.op,
            "race-blocks",
            f"{self._verb} what block {block_text(earlier.where)} {_past(earlier)} in "
            f"{buffer.name}, without atomics or synchronisation",
            lane,
            notes=[(f"the other access, a {did}, is here", place_of(earlier.op))],
        )

    # Contents.

    def unspecified(self, parts: Sequence[Part], shape: tuple[int, ...]) -> Array | None:
        """Which of the accessed elements have unspecified content."""
        found: Array | None = None
        for part in parts:
            shadow = part.buffer.unspecified
            if shadow is None:
                continue
            part.buffer.refine(self.size)
            shadow = part.buffer.unspecified
            assert shadow is not None
            lanes = shadow[part.buffer.shadow_index(self.size, part.offsets)]
            if self.size > part.buffer.granule:
                lanes = lanes.any(axis=-1)
            if not lanes.any():
                continue
            found = np.zeros(shape, np.bool_) if found is None else found
            if part.selected is None:
                found |= lanes
            else:
                found.reshape(-1)[part.selected] = lanes
        return found

    def specify(self, parts: Sequence[Part]) -> None:
        """The accessed elements have been written."""
        for part in parts:
            shadow = part.buffer.unspecified
            if shadow is not None:
                part.buffer.refine(self.size)
                shadow = part.buffer.unspecified
                assert shadow is not None
                shadow[part.buffer.shadow_index(self.size, part.offsets)] = False

    def gather(self, parts: Sequence[Part], shape: tuple[int, ...]) -> Array:
        """The elements, in the storage of the format."""
        if len(parts) == 1 and parts[0].selected is None:
            part = parts[0]
            return np.asarray(self.format.load(np.asarray(part.typed[part.index])))
        raw = np.zeros(shape, self.format.dtype)
        for part in parts:
            assert part.selected is not None
            raw.reshape(-1)[part.selected] = part.typed[part.index]
        return np.asarray(self.format.load(raw))

    def scatter(self, parts: Sequence[Part], values: Array) -> None:
        """Write the elements; `values` has the shape of the addresses."""
        raw = self.format.store(values)
        for part in parts:
            if part.selected is None:
                part.typed[part.index] = raw
            else:
                part.typed[part.index] = raw.reshape(-1)[part.selected]

    def refuse_duplicates(self, block: Block, parts: Sequence[Part], lanes: Lanes) -> None:
        """Raise when two lanes write the same element."""
        for part in parts:
            flat = part.index.reshape(-1)
            if flat.size < 2 or bool((flat[1:] > flat[:-1]).all()):
                continue
            order = np.argsort(flat, kind="stable")
            ordered = flat[order]
            repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
            if not repeated.size:
                continue
            first, second = int(order[repeated[0]]), int(order[repeated[0] + 1])
            if part.selected is not None:
                first, second = int(part.selected[first]), int(part.selected[second])
            offset = int(part.offsets.reshape(-1)[order[repeated[0]]])
            raise block.undefined(
                self.op,
                "duplicate-lanes",
                f"two lanes write the same element of {part.buffer.name}",
                lanes(second),
                {"other lane": list(lanes(first) or ()), "byte offset": offset},
            )

    # Boxes.

    def box(
        self,
        block: Block,
        address: int,
        counts: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> Box | None:
        """A box of elements, `strides` in bytes; None when it is empty."""
        low = high = 0
        for count, stride in zip(counts, strides, strict=True):
            if count <= 0:
                return None
            if stride < 0:
                low += (count - 1) * stride
            else:
                high += (count - 1) * stride
        buffer = self.buffer_at(block, address, lambda: None)
        offset = address - buffer.base
        if offset + low < 0 or offset + high + self.size > buffer.size:
            lane = tuple(
                count - 1 if (stride > 0) == (offset + low >= 0) else 0
                for count, stride in zip(counts, strides, strict=True)
            )
            worst = offset + (high if offset + low >= 0 else low)
            raise self._out_of_bounds(block, buffer, worst, self.size, lane)
        if self.size > 1 and address & (self.size - 1):
            raise block.undefined(
                self.op,
                "misaligned",
                f"{self._verb} {self.format.fmt.name} at an address that is no multiple of "
                f"{self.size}",
                None,
                {"address": block.memory.describe(address)},
            )
        view = np.ndarray(counts, self.format.dtype, buffer.bytes, offset, strides)
        return Box(buffer, view, offset, counts, strides)

    def watch_box(self, block: Block, box: Box, token: int) -> int:
        """Record the access of a box for races; answers the token of what comes after it."""
        buffer = box.buffer
        if not buffer.tracked:
            return token
        buffer.refine(self.size)
        state = buffer.state
        assert state is not None
        assert block.tracker is not None
        block.tracker.collect()
        cells = buffer.shadow_box(state, self.size, box.offset, box.counts, box.strides)
        access = self.event(block, token)

        def fill(new: Any) -> None:
            cells[...] = new

        try:
            block.tracker.access(cells, access, fill)
        except Race as race:
            lane = np.unravel_index(race.index, cells.shape)[: len(box.counts)]
            raise self._race(block, buffer, race, tuple(int(i) for i in lane)) from None
        access.token = 0
        return token | (1 << access.event)

    def unspecified_box(self, box: Box) -> Array | None:
        """Which elements of a box have unspecified content."""
        buffer = box.buffer
        if buffer.unspecified is None:
            return None
        buffer.refine(self.size)
        lanes = buffer.shadow_box(
            buffer.unspecified, self.size, box.offset, box.counts, box.strides
        )
        if lanes.ndim > len(box.counts):
            lanes = np.asarray(lanes.any(axis=-1))
        return lanes.copy() if lanes.any() else None

    def specify_box(self, box: Box) -> None:
        """The elements of a box have been written."""
        buffer = box.buffer
        if buffer.unspecified is None:
            return
        buffer.refine(self.size)
        cells = buffer.shadow_box(
            buffer.unspecified, self.size, box.offset, box.counts, box.strides
        )
        cells[...] = False

    def refuse_overlap(self, block: Block, box: Box) -> None:
        """Raise when two elements of a box that is written are the same."""
        pairs = sorted(
            (abs(stride), count)
            for stride, count in zip(box.strides, box.counts, strict=True)
            if count > 1
        )
        reach = self.size
        for stride, count in pairs:
            if stride < reach:
                self._find_overlap(block, box)
                return
            reach = stride * (count - 1) + reach

    def _find_overlap(self, block: Block, box: Box) -> None:
        offsets = np.zeros(box.counts, np.int64)
        for axis, stride in enumerate(box.strides):
            shape = [1] * len(box.counts)
            shape[axis] = -1
            offsets += (np.arange(box.counts[axis]) * stride).reshape(shape)
        part = Part(box.buffer, box.view, offsets, offsets + box.offset, None)
        self.refuse_duplicates(
            block,
            [part],
            lambda position: tuple(int(i) for i in np.unravel_index(position, box.counts)),
        )


def _past(earlier: Access) -> str:
    return "writes" if earlier.writes else "reads"


def lanes_of(shape: tuple[int, ...], active: Array | None) -> Lanes:
    """Positions among the active lanes of a tile as indices of the tile."""

    def lane(position: int) -> tuple[int, ...]:
        flat = position if active is None else int(np.flatnonzero(active)[position])
        return tuple(int(i) for i in np.unravel_index(flat, shape))

    return lane


__all__ = ["Box", "MemoryAccess", "Ordering", "Part", "first_lane", "lanes_of"]
