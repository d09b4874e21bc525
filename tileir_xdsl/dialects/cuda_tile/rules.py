"""Broken rules: what an operation's `verify_` raises when a message alone says too little."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException


class RuleError(VerifyException):
    """A broken rule of an operation.

    The message continues `'cuda_tile.addf' op …`. The diagnostic stands at the operation, unless
    `operand` (an index) or `at` (another operation, whose name then begins the message) says
    where the mistake is. `notes` are further places, `fix` says what to write instead.
    """

    def __init__(
        self,
        message: str,
        *,
        operand: int | None = None,
        at: Operation | None = None,
        notes: Sequence[tuple[str, Operation | SSAValue]] = (),
        fix: str | None = None,
    ) -> None:
        super().__init__(message)
        self.operand = operand
        self.at = at
        self.notes = tuple(notes)
        self.fix = fix
