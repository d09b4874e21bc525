"""Hints that a release of tileiras takes for others, of which it says nothing itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xdsl.ir import Operation

from tileir_xdsl.diagnostics import Diagnostic, Severity
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.passes.choose_hints import WARPS, stated_warps, warps_taken
from tileir_xdsl.passes.sugar import assembler_of
from tileir_xdsl.runtime.tileiras import release, tool_version


def changed_hints(module: Operation, gpu: str, tool: Path) -> Iterator[Diagnostic]:
    """A warning for each entry whose number of warps this `tileiras` changes."""
    version = release(tool_version(tool))
    for entry in module.walk():
        stated = stated_warps(entry, gpu) if isinstance(entry, EntryOp) else None
        taken = None if stated is None else warps_taken(stated, assembler_of(version))
        if stated != taken:
            yield Diagnostic(
                Severity.WARNING,
                f"tileiras {version} takes {WARPS} = {stated} as {taken}",
                place_of(entry),
                fix=f"choose-hints and tile-sugar-to-cuda-tile with assembler={version}",
                code="hint",
            )
