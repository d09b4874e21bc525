"""Races: conflicting accesses that nothing orders.

Two accesses of one element conflict when one of them writes and they are not both atomic ("strong":
relaxed, acquire or release, with a scope that reaches both). Within a block only tokens order
accesses, never program order. Between blocks only synchronisation does: an acquire that reads what
a release wrote. (Tile IR specification, memory model; PTX ISA, memory consistency model.)

Every granule of a tracked buffer holds the number of a `State`: the accesses so far that a later
access must be compared with. Accesses of a tile mostly meet granules in one and the same state, so
the work is one comparison of an array with a number, a check in Python, and one fill.

Blocks run one after the other here, so what is found are the races of the program as it happened to
run: every pair of conflicting accesses that this run made, whatever values it computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileir_xdsl.interpreter.memory import Memory
from tileir_xdsl.interpreter.undefined import BlockId

Array = npt.NDArray[Any]

WEAK, IN_BLOCK, DEVICE = 0, 1, 2
"""How far an access is atomic: not at all, among its own block, among all blocks."""

LONGEST = 64
"""Accesses of an element that are remembered since the last write that orders them all. With more,
older ones are forgotten: then a race with one of those alone is missed."""

Knowledge = dict[int, int]
"""For each block (by number) the events of it that are known to have happened, as a bit set."""


class Access:
    """One execution of one memory operation."""

    __slots__ = (
        "acquire",
        "block",
        "event",
        "op",
        "release",
        "strength",
        "token",
        "where",
        "writes",
    )

    def __init__(
        self,
        op: Operation,
        block: int,
        where: BlockId,
        event: int,
        token: int,
        writes: bool,
        strength: int,
        acquire: bool,
        release: bool,
    ) -> None:
        self.op = op
        self.block = block
        self.where = where
        self.event = event
        self.token = token
        """The events of the block that happened before; needed only while the access is new."""
        self.writes = writes
        self.strength = strength
        self.acquire = acquire
        self.release = release


class Chain:
    """A list of accesses that shares its tail with older ones."""

    __slots__ = ("access", "length", "rest")

    def __init__(self, access: Access, rest: Chain | None) -> None:
        if rest is not None and rest.length >= LONGEST:
            rest = Chain(rest.access, None)
        self.access = access
        self.rest = rest
        self.length: int = 1 if rest is None else rest.length + 1


class State:
    """The accesses of a granule that are not ordered before a later write."""

    __slots__ = ("reads", "released", "strong", "writes")

    def __init__(
        self,
        writes: Chain | None,
        reads: Chain | None,
        strong: bool,
        released: Knowledge | None,
    ) -> None:
        self.writes = writes
        self.reads = reads
        self.strong = strong
        """Whether all accesses are atomic on the device."""
        self.released = released
        """What an acquire that reads the granule learns."""


class Race(Exception):
    """Two accesses race; `index` is where in the array of states that was accessed."""

    def __init__(self, earlier: Access, later: Access, index: int) -> None:
        super().__init__(earlier, later, index)
        self.earlier = earlier
        self.later = later
        self.index = index


COLLECT_AT = 1 << 17
"""When there are this many states, those out of use are collected."""


class Tracker:
    """The race states of all buffers."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.states: list[State] = [State(None, None, True, None)]
        self._collect_at = COLLECT_AT
        self.acquired: list[tuple[int, Knowledge]] = []
        """Events of the running block that acquired something, and what."""
        self.synchronised = False
        """Whether some access acquired or released."""

    def begin(self) -> None:
        """A block starts."""
        self.acquired = []

    def collect(self) -> None:
        """Forget the states that no granule is in, when there are many."""
        if len(self.states) < self._collect_at:
            return
        arrays = [b.state for b in self.memory.buffers if b is not None and b.state is not None]
        used = np.zeros(len(self.states), np.bool_)
        used[0] = True
        for array in arrays:
            used[array] = True
        numbers = (np.cumsum(used) - 1).astype(np.int32)
        for array in arrays:
            array[...] = numbers[array]
        self.states = [self.states[k] for k in np.flatnonzero(used).tolist()]
        self._collect_at = max(COLLECT_AT, 2 * len(self.states))

    def access(self, states: Array, access: Access, fill: Callable[[Any], None]) -> None:
        """Record an access of granules with the given states.

        `fill` is called with the new states (one number, or an array like `states`) when they
        differ. Raises `Race`.
        """
        if not states.size:
            return
        if access.acquire or access.release:
            self.synchronised = True
        first = int(states.flat[0])
        if states.size == 1 or bool((states == first).all()):
            new = self._next(first, access, states)
            if new != first:
                fill(new)
            self._acquire(access, [first])
            return
        olds, inverse = np.unique(states, return_inverse=True)
        news = [self._next(old, access, states) for old in olds.tolist()]
        fill(np.array(news, states.dtype)[inverse.reshape(states.shape)])
        self._acquire(access, olds.tolist())

    def _next(self, number: int, access: Access, states: Array) -> int:
        """The number of the state that `access` makes of a state."""
        state = self.states[number]
        strong = state.strong and access.strength == DEVICE
        if not strong:
            earlier = self._conflict(state.writes, access)
            if earlier is None and access.writes:
                earlier = self._conflict(state.reads, access)
            if earlier is not None:
                raise Race(earlier, access, int(np.flatnonzero(states == number)[0]))
        self.states.append(self._after(state, access, strong))
        return len(self.states) - 1

    def _after(self, state: State, access: Access, strong: bool) -> State:
        if not access.writes:
            reads = state.reads
            if reads is not None and self._ordered(reads.access, access):
                reads = reads.rest
            return State(state.writes, Chain(access, reads), strong, state.released)
        released = state.released if access.strength == DEVICE else None
        if access.release:
            released = _union(released or {}, self._known(access))
        if access.strength == WEAK:
            # All earlier accesses are ordered before this one, else it had raced.
            return State(Chain(access, None), None, False, released)
        return State(Chain(access, state.writes), state.reads, strong, released)

    def _conflict(self, chain: Chain | None, access: Access) -> Access | None:
        """The first access of the chain that races with a new one."""
        while chain is not None:
            earlier = chain.access
            reach = IN_BLOCK if earlier.block == access.block else DEVICE
            atomic = earlier.strength >= reach and access.strength >= reach
            if not atomic and not self._ordered(earlier, access):
                return earlier
            chain = chain.rest
        return None

    def _ordered(self, earlier: Access, access: Access) -> bool:
        """Whether `earlier` happens before `access`."""
        if earlier.block == access.block:
            return bool((access.token >> earlier.event) & 1)
        return any(
            (access.token >> event) & 1 and (knowledge.get(earlier.block, 0) >> earlier.event) & 1
            for event, knowledge in self.acquired
        )

    def _known(self, access: Access) -> Knowledge:
        """What happened before a release, itself included."""
        known: Knowledge = {}
        for event, knowledge in self.acquired:
            if (access.token >> event) & 1:
                known = _union(known, knowledge)
        return _union(known, {access.block: access.token | (1 << access.event)})

    def _acquire(self, access: Access, numbers: list[int]) -> None:
        if not access.acquire:
            return
        learned: Knowledge = {}
        for number in numbers:
            learned = _union(learned, self.states[number].released or {})
        if learned:
            # The access itself counts: what follows it by token has the knowledge.
            self.acquired.append((access.event, learned))


def _union(first: Knowledge, second: Knowledge) -> Knowledge:
    return {b: first.get(b, 0) | second.get(b, 0) for b in (*first, *second)}
