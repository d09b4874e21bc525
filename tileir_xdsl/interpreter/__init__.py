"""The interpreter: runs `cuda_tile` programs on NumPy arrays and reports undefined behaviour.

`run` compiles a kernel into a plan of Python callables over whole tiles (`plan`) and runs its tile
blocks one after the other. Memory is `memory` and `access`, races are found by `races`; the
operations of a dialect are in the package of its name.

This package imports NumPy.
"""

from tileir_xdsl.interpreter.api import (
    STEP_LIMIT,
    Kernel,
    entries,
    find_kernel,
    reset_globals,
    run,
)
from tileir_xdsl.interpreter.orders import ORDERS
from tileir_xdsl.interpreter.report import Report
from tileir_xdsl.interpreter.undefined import COSTLY, KINDS, UndefinedBehaviour

__all__ = [
    "COSTLY",
    "KINDS",
    "ORDERS",
    "STEP_LIMIT",
    "Kernel",
    "Report",
    "UndefinedBehaviour",
    "entries",
    "find_kernel",
    "reset_globals",
    "run",
]
