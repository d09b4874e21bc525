"""What plain `xdsl-opt` sees of this package, through the `xdsl.universe` entry point.

Imported at every start of `xdsl-opt`: every value is a thunk that imports when it is called.
"""

from __future__ import annotations

from typing import IO, Any

from xdsl.universe import Universe

from tileir_xdsl.passes.registry import PASSES, REPLACED


def _cuda_tile() -> Any:
    from tileir_xdsl.dialects.cuda_tile import CudaTile

    return CudaTile


def _tile_sugar() -> Any:
    from tileir_xdsl.dialects.tile_sugar import TileSugar

    return TileSugar


def _bytes_target(name: str) -> Any:
    def target(module: Any, output: IO[str]) -> None:
        raise ValueError(
            f"target '{name}' writes bytes, and xdsl-opt's targets are text: "
            f"use 'tile-opt -t {name} -o FILE'"
        )

    return target


UNIVERSE = Universe(
    all_dialects={"cuda_tile": _cuda_tile, "tile_sugar": _tile_sugar},
    all_passes={name: load for name, load in PASSES.items() if name not in REPLACED},
    all_targets={name: _bytes_target(name) for name in ("tileirbc", "cubin")},
    all_frontends={},
)
