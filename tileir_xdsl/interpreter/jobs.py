"""Blocks shared by several processes.

The processes are forked, so they start with the plan; arrays lie in shared memory meanwhile and
atomics take a lock. Each process looks for races among its own blocks; afterwards the accesses of
different processes are compared. A kernel that synchronises blocks by acquire and release would
need knowledge from other processes for that: then the comparison is left out, and a note says so.
"""

from __future__ import annotations

import io
import mmap
import multiprocessing
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, internal_error_message
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.interpreter.launch import Launch
from tileir_xdsl.interpreter.memory import Buffer
from tileir_xdsl.interpreter.races import DEVICE, Access, Chain, State
from tileir_xdsl.interpreter.undefined import BlockId, UndefinedBehaviour, block_text, undefined

Array = npt.NDArray[Any]

WEAK_WRITE, STRONG_WRITE, WEAK_READ, STRONG_READ = 1, 2, 4, 8
_ANY = WEAK_WRITE | STRONG_WRITE | WEAK_READ | STRONG_READ


@dataclass
class _Seen:
    """An access of another process, as much of it as a message needs."""

    op: int
    """Position of the operation in the walk over the kernel."""
    where: BlockId
    writes: bool


@dataclass
class _Shadow:
    """The accesses that a process made of one buffer."""

    granule: int
    states: Array
    flags: Array
    """For each state, which kinds of accesses it holds."""
    seen: list[dict[int, _Seen]]
    """For each state, an access of each kind."""


@dataclass
class _Result:
    """What a process sends back."""

    executed: int
    printed: str
    traced: list[str]
    notes: list[str]
    findings: dict[tuple[int, str, bool], Diagnostic]
    error: DiagnosticError | None
    crash: str | None
    synchronised: bool
    shadows: dict[int, _Shadow]


class InternalError(Exception):
    """A process failed for a reason that is no fault of the program."""


def available() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


def run_in_processes(
    launch: Launch,
    entry: Operation,
    total: int,
    jobs: int,
    run: Callable[[range], int],
) -> int:
    """Run `total` blocks in `jobs` processes; answers the number of executed operations.

    `run` runs a range of blocks.
    """
    context = multiprocessing.get_context("fork")
    shared = [_share(b) for b in launch.memory.buffers if b is not None]
    launch.lock = context.Lock()
    bounds = [total * k // jobs for k in range(jobs + 1)]
    connections: list[Connection] = []
    processes: list[Any] = []
    launch.out.flush()
    for low, high in pairwise(bounds):
        receiver, sender = context.Pipe(duplex=False)
        arguments = (launch, entry, range(low, high), run, sender)
        process = context.Process(target=_work, args=arguments)
        with warnings.catch_warnings():
            # Python warns of the threads of BLAS, which survives a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        sender.close()
        connections.append(receiver)
        processes.append(process)
    results = [_receive(connection) for connection in connections]
    for process in processes:
        process.join()
    for give_back in shared:
        give_back()
    return _merge(launch, entry, results)


def _share(buffer: Buffer) -> Callable[[], None]:
    """Move a buffer to shared memory; the result moves it back."""
    original = buffer.bytes
    if not original.size:
        return lambda: None
    memory = np.frombuffer(mmap.mmap(-1, original.size), np.uint8)
    memory[:] = original
    buffer.replace(memory)

    def give_back() -> None:
        if original.flags.writeable:
            original[:] = memory
        buffer.replace(original)

    return give_back


def _receive(connection: Connection) -> _Result:
    try:
        return connection.recv()
    except EOFError:
        raise InternalError("a process of the interpreter ended without a result") from None


def _work(
    launch: Launch,
    entry: Operation,
    numbers: range,
    run: Callable[[range], int],
    sender: Connection,
) -> None:
    """What a process does."""
    printed = io.StringIO()
    launch.out = printed
    traced: list[str] = []
    launch.trace = traced.append
    executed = 0
    error: DiagnosticError | None = None
    crash: str | None = None
    try:
        executed = run(numbers)
    except DiagnosticError as failure:
        error = failure
    except Exception as failure:
        crash = internal_error_message(failure)
    positions = {op: k for k, op in enumerate(entry.walk())}
    tracker = launch.tracker
    findings = {
        (positions[op], kind, serious): diagnostic
        for (op, kind, serious), diagnostic in launch.findings.items()
    }
    sender.send(
        _Result(
            executed,
            printed.getvalue(),
            traced,
            list(launch.notes),
            findings,
            error,
            crash,
            tracker is not None and tracker.synchronised,
            {} if tracker is None else _shadows(launch, positions),
        )
    )
    sender.close()


def _shadows(launch: Launch, positions: dict[Operation, int]) -> dict[int, _Shadow]:
    assert launch.tracker is not None
    states = launch.tracker.states
    found: dict[int, _Shadow] = {}
    for buffer in launch.memory.buffers:
        if buffer is None or buffer.state is None:
            continue
        used, compact = np.unique(buffer.state, return_inverse=True)
        numbers: list[int] = used.tolist()
        seen = [_summary(states[number], positions) for number in numbers]
        flags = np.array([sum(kinds) for kinds in seen], np.uint8)
        found[buffer.index] = _Shadow(buffer.granule, compact.astype(np.int32), flags, seen)
    return found


def _summary(state: State, positions: dict[Operation, int]) -> dict[int, _Seen]:
    kinds: dict[int, _Seen] = {}
    for chain in (state.writes, state.reads):
        link: Chain | None = chain
        while link is not None:
            access = link.access
            seen = _Seen(positions[access.op], access.where, access.writes)
            kinds.setdefault(_kind(access), seen)
            link = link.rest
    return kinds


def _kind(access: Access) -> int:
    if access.writes:
        return STRONG_WRITE if access.strength == DEVICE else WEAK_WRITE
    return STRONG_READ if access.strength == DEVICE else WEAK_READ


def _merge(launch: Launch, entry: Operation, results: list[_Result]) -> int:
    ops = list(entry.walk())
    for result in results:
        launch.out.write(result.printed)
        for line in result.traced:
            if launch.trace is not None:
                launch.trace(line)
        for note in result.notes:
            launch.note(note)
        for (position, kind, serious), diagnostic in result.findings.items():
            launch.findings.setdefault((ops[position], kind, serious), diagnostic)
        if result.crash is not None:
            raise InternalError(result.crash)
        if result.error is not None:
            raise result.error
    if any(result.synchronised for result in results):
        launch.note(
            "races between blocks of different processes were not looked for, because blocks "
            "synchronise; run with one job"
        )
    else:
        _compare(launch, ops, results)
    return sum(result.executed for result in results)


def _compare(launch: Launch, ops: list[Operation], results: list[_Result]) -> None:
    """Raise when accesses of different processes race."""
    for buffer in launch.memory.buffers:
        if buffer is None:
            continue
        shadows = [r.shadows[buffer.index] for r in results if buffer.index in r.shadows]
        if not shadows:
            continue
        granule = min(shadow.granule for shadow in shadows)
        numbers = [np.repeat(s.states, s.granule // granule) for s in shadows]
        flags = [s.flags[n] for s, n in zip(shadows, numbers, strict=True)]
        for later in range(1, len(shadows)):
            for earlier in range(later):
                bad = np.flatnonzero(_conflict(flags[earlier], flags[later]))
                if bad.size:
                    place = int(bad[0])
                    pair = [
                        shadows[which].seen[int(numbers[which][place])]
                        for which in (earlier, later)
                    ]
                    raise _race(buffer, ops, pair[0], pair[1], place * granule)


def _conflict(a: Array, b: Array) -> Array:
    """Granule by granule, whether accesses of the two kinds race."""
    weak = ((a & WEAK_WRITE) != 0) & ((b & _ANY) != 0)
    weak |= ((b & WEAK_WRITE) != 0) & ((a & _ANY) != 0)
    mixed = ((a & STRONG_WRITE) != 0) & ((b & WEAK_READ) != 0)
    mixed |= ((b & STRONG_WRITE) != 0) & ((a & WEAK_READ) != 0)
    return weak | mixed


def _race(
    buffer: Buffer,
    ops: list[Operation],
    first: dict[int, _Seen],
    second: dict[int, _Seen],
    offset: int,
) -> UndefinedBehaviour:
    one, other = next(
        (a, b)
        for kind, a in first.items()
        for wanted, b in second.items()
        if _conflict(np.asarray(kind), np.asarray(wanted))
    )
    verb, did = "writes" if other.writes else "reads", "writes" if one.writes else "reads"
    return undefined(
        ops[other.op],
        "race-blocks",
        f"{verb} what block {block_text(one.where)} {did} in {buffer.name}, without atomics or "
        "synchronisation",
        other.where,
        values={"byte offset": offset},
        notes=[
            (f"the other access, a {did.removesuffix('s')}, is here", place_of(ops[one.op])),
        ],
    )
