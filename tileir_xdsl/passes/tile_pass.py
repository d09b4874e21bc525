"""What every pass of this project declares beside xDSL's `ModulePass`."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass


@dataclass(frozen=True)
class TilePass(ModulePass, ABC):
    """A pass that says how far results may move.

    The docstring of a subclass says what the pass does, guarantees and never does; it is the
    pass's entry in `docs/passes.md`.
    """

    exact: ClassVar[bool] = True
    """Whether a program computes the same bits after the pass (any NaN equals any other)."""

    bound: ClassVar[str] = ""
    """Of a pass that is not exact: what may change, in words."""
