"""Undefined behaviour as a diagnostic: where, in which block, in which lane, with which values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, Place, Severity
from tileir_xdsl.dialects.cuda_tile.places import place_of

Array = npt.NDArray[Any]
BlockId = tuple[int, int, int]

KINDS: dict[str, str] = {
    "out-of-bounds": "an access outside the buffer that its pointer belongs to",
    "dangling": "an access through a null, wild or freed pointer",
    "misaligned": "an address that is no multiple of the element size",
    "index-space": "a view index outside the index space of the view",
    "inbounds": "a view access whose `inbounds` does not hold",
    "tensor-view": "a tensor view with a negative extent or stride",
    "unspecified": "an unspecified lane that reaches a store, a branch, an address or an assertion",
    "race-blocks": "conflicting accesses by two blocks, not both atomic and not synchronised",
    "race-tokens": "conflicting accesses in one block with no token path between them",
    "duplicate-lanes": "two lanes of one store that write the same element",
    "constant-write": "a write to a constant global",
    "assume": "an `assume` that does not hold",
    "overflow": "an `overflow` claim that does not hold",
    "division": "an integer division by zero or whose quotient overflows",
    "shift": "a shift by the width or more",
    "float-to-int": "a non-saturating conversion of a NaN or of a number out of range",
    "slice-index": "an `extract` or `insert` index outside the tile",
    "step-limit": "a loop that does not end within the step limit, or whose step is not positive",
    "assert": "an assertion that fails",
}
"""Every kind of undefined behaviour that is reported: the `code` of its diagnostic, and what it is.
A failing assertion is defined, but ends the program the same way."""

COSTLY = frozenset(
    {"race-blocks", "race-tokens", "unspecified", "duplicate-lanes", "assume", "overflow"}
)
"""The kinds that an unchecked run does not look for."""


class UndefinedBehaviour(DiagnosticError):
    """A program ran into undefined behaviour.

    `kind` is one of `KINDS`, `block` the index of the tile block, `lane` the index of the first
    offending element within the tile (None where there is no tile), `values` the numbers involved.
    """

    def __init__(
        self,
        diagnostic: Diagnostic,
        kind: str = "",
        block: BlockId | None = None,
        lane: tuple[int, ...] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(diagnostic)
        self.kind = kind
        self.block = block
        self.lane = lane
        self.values = dict(values or {})
        self.buffer: str | None = None
        """The name of the buffer that was accessed out of bounds."""

    def __reduce__(self) -> Any:
        # Errors cross process boundaries when blocks run in several processes.
        arguments = (self.diagnostics[0], self.kind, self.block, self.lane, self.values)
        return UndefinedBehaviour, arguments, {"buffer": self.buffer}


def undefined(
    op: Operation,
    kind: str,
    what: str,
    block: BlockId | None,
    lane: Sequence[int] | None = None,
    values: Mapping[str, Any] | None = None,
    notes: Sequence[tuple[str, Place]] = (),
    fix: str | None = None,
) -> UndefinedBehaviour:
    """The exception for undefined behaviour of `kind` at `op`; `what` says what happened."""
    assert kind in KINDS
    message = f"{what}{_where(block, lane)}"
    shown = ", ".join(f"{name} = {show(value)}" for name, value in (values or {}).items())
    if shown:
        message += f": {shown}"
    place = place_of(op)
    attached = [Diagnostic(Severity.NOTE, text, where) for text, where in notes]
    diagnostic = Diagnostic(Severity.ERROR, message, place, attached, fix, kind)
    index = None if lane is None else tuple(int(i) for i in lane)
    return UndefinedBehaviour(diagnostic, kind, block, index, values)


def _where(block: BlockId | None, lane: Sequence[int] | None) -> str:
    parts: list[str] = []
    if lane is not None and len(lane):
        parts.append(f"lane [{', '.join(str(int(i)) for i in lane)}]")
    if block is not None:
        parts.append(f"block {block_text(block)}")
    return f", in {' of '.join(parts)}" if parts else ""


def block_text(block: BlockId) -> str:
    return f"({block[0]}, {block[1]}, {block[2]})"


def first_lane(bad: Array) -> tuple[int, ...]:
    """The index of the first True element in row-major order."""
    flat = int(np.flatnonzero(bad)[0])
    return tuple(int(i) for i in np.unravel_index(flat, bad.shape))


def at_lane(values: Array, lane: Sequence[int]) -> Any:
    """The element of an array that is broadcast to the shape `lane` belongs to."""
    if values.ndim == 0:
        return values[()]
    tail = tuple(lane)[len(lane) - values.ndim :]
    return values[tuple(0 if extent == 1 else i for i, extent in zip(tail, values.shape))]


def show(value: Any) -> str:
    """A number as a person writes it."""
    if isinstance(value, np.bool_ | bool):
        return "true" if value else "false"
    return str(value)
