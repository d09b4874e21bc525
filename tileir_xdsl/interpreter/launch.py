"""A launch: what its blocks share, and the block that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, Place
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.interpreter.memory import Memory
from tileir_xdsl.interpreter.races import Tracker
from tileir_xdsl.interpreter.undefined import (
    BlockId,
    UndefinedBehaviour,
    at_lane,
    first_lane,
    undefined,
)

Array = npt.NDArray[Any]


class Launch:
    """What all blocks of a launch share."""

    def __init__(
        self,
        memory: Memory,
        grid: tuple[int, int, int],
        *,
        checked: bool,
        step_limit: int,
        out: TextIO,
        trace: Callable[[str], None] | None = None,
    ) -> None:
        self.memory = memory
        self.grid = grid
        self.checked = checked
        self.step_limit = step_limit
        self.out = out
        self.trace = trace
        """Told a line for each step, where the plan is compiled for it."""
        self.tracker = Tracker(memory) if checked else None
        self.notes: dict[str, None] = {}
        """Remarks on the run as a whole, each once, in order."""
        self.findings: dict[tuple[Any, ...], Diagnostic] = {}
        """What the check of reduction orders found, at most one of a kind for an operation."""
        self.lock: AbstractContextManager[Any] = nullcontext()
        """Held while an atomic updates memory."""
        self.globals: dict[str, int] = {}
        """Addresses of the globals by name."""
        self.tensors: dict[Operation, tuple[int, int, bool]] = {}
        """Where the tensor parameters of a sugar kernel begin and end, and whether each may alias
        others."""

    def note(self, text: str) -> None:
        self.notes.setdefault(text)


class Block:
    """One tile block while it runs; `env[0]` of its environment."""

    __slots__ = (
        "events",
        "executed",
        "id",
        "iterations",
        "launch",
        "local",
        "memory",
        "number",
        "tracker",
    )

    def __init__(self, launch: Launch, id: BlockId, number: int) -> None:
        self.launch = launch
        self.memory = launch.memory
        self.tracker = launch.tracker
        self.id = id
        self.number = number
        self.events = 0
        """Memory events so far."""
        self.executed = 0
        """Operations so far."""
        self.iterations = 0
        """Loop iterations so far."""
        self.local: list[Any] = []
        """Buffers that end with the block."""

    def iterate(self, op: Operation) -> None:
        """Count a loop iteration against the step limit."""
        self.iterations += 1
        if self.iterations > self.launch.step_limit:
            raise self.undefined(
                op,
                "step-limit",
                f"more than {self.launch.step_limit} loop iterations",
                fix="raise the step limit if the loop is meant to run that long",
            )

    def undefined(
        self,
        op: Operation,
        kind: str,
        what: str,
        lane: Sequence[int] | None = None,
        values: Mapping[str, Any] | None = None,
        notes: Sequence[tuple[str, Place]] = (),
        fix: str | None = None,
    ) -> UndefinedBehaviour:
        return undefined(op, kind, what, self.id, lane, values, notes, fix)

    def refuse_lanes(
        self,
        op: Operation,
        kind: str,
        what: str,
        bad: Array,
        unspecified: Array | None,
        values: Mapping[str, Array],
    ) -> None:
        """Raise for the first `bad` lane that is not unspecified anyway, if there is one."""
        if unspecified is not None:
            bad = bad & ~unspecified
        if not bad.any():
            return
        lane = first_lane(bad)
        shown = {name: at_lane(np.asarray(value), lane) for name, value in values.items()}
        raise self.undefined(op, kind, what, lane, shown)

    def require_specified(
        self, op: Operation, lanes: Array | None, what: str, fix: str | None = None
    ) -> None:
        """Raise when a lane is unspecified, in a checked run."""
        if lanes is None or not self.launch.checked or not lanes.any():
            return
        raise self.undefined(
            op, "unspecified", f"{what} is unspecified", first_lane(lanes), fix=fix
        )

    def unsupported(self, op: Operation, what: str) -> DiagnosticError:
        """The error for something that the program may do and the interpreter cannot."""
        return DiagnosticError.at(
            f"the interpreter does not run this '{op.name}': {what}", place_of(op), code="refused"
        )
