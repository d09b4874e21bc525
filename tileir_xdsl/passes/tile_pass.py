"""What every pass of this project declares beside xDSL's `ModulePass`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class TilePass(ModulePass, ABC):
    """A pass that says how far results may move, and that can run on a part of a program.

    The docstring of a subclass says what the pass does, guarantees and never does; it is the
    pass's entry in `docs/passes.md`.
    """

    bit_exact: ClassVar[bool] = True
    """Whether a program computes the same bits after the pass (any NaN equals any other)."""

    bound: ClassVar[str] = ""
    """Of a pass that is not exact: what may change, in words."""

    relative_error: ClassVar[float] = 0.0
    """Of a pass that is not exact: the difference that `--check-semantics` accepts in an array,
    relative to its largest magnitude."""

    @property
    def keeps_results(self) -> bool:
        """Whether the pass with its options is exact."""
        return self.bit_exact

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.run_on(ctx, op)

    @abstractmethod
    def run_on(self, ctx: Context, op: Operation) -> None:
        """Transform what is inside `op`: the whole program, a `cuda_tile.module` or an entry."""
