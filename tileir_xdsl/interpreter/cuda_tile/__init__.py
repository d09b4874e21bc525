"""The operations of `cuda_tile`, one module for each group of the specification."""

from tileir_xdsl.interpreter.cuda_tile import (
    arithmetic,
    atomics,
    control_flow,
    conversions,
    core,
    folds,
    memory,
    misc,
    views,
)

__all__ = [
    "arithmetic",
    "atomics",
    "control_flow",
    "conversions",
    "core",
    "folds",
    "memory",
    "misc",
    "views",
]
