"""What xDSL's tools find through the entry point: thunks, imported at every start."""

from __future__ import annotations

from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _shift_multiply() -> type[ModulePass]:
    from shift_multiply.shift_multiply import ShiftMultiplyPass

    return ShiftMultiplyPass


UNIVERSE = Universe(all_passes={"shift-multiply": _shift_multiply})
