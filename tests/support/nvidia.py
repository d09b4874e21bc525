"""NVIDIA's tools for tests; what needs them is skipped, with a reason, where they are not."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.tileiras import (
    check_tool_set,
    find_tileiras,
    find_tileirdisasm,
    tool_version,
)

READS_ALL_VERSIONS_SINCE = (13, 5)
"""The first release whose tools read bytecode of all versions."""


@functools.cache
def _usable(name: str) -> Path | str:
    """The tool, or why it cannot be used."""
    try:
        tool = find_tileiras() if name == "tileiras" else find_tileirdisasm()
        version = tool_version(tool)
        if name == "tileiras":
            check_tool_set(tool)
    except DiagnosticError as error:
        return str(error)
    release = tuple(map(int, version.split(".")[:2]))
    if release < READS_ALL_VERSIONS_SINCE:
        return f"{name} {version} does not read bytecode 13.5"
    return tool


def _required(name: str) -> Path:
    found = _usable(name)
    if isinstance(found, str):
        pytest.skip(found)
    return found


def tileirdisasm() -> Path:
    """The disassembler; skips the test where it is missing."""
    return _required("tileirdisasm")


def tileiras() -> Path:
    """The assembler; skips the test where it is missing."""
    return _required("tileiras")
