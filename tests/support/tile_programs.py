"""Small `cuda_tile` programs for tests of the interpreter."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.diagnostics import Severity, render
from tileir_xdsl.interpreter import Report, run

NAME = "program.mlir"
HERE = "// here"
"""Marks the line of a program at which a diagnostic is expected."""


def program(parameters: str, body: str, globals: str = "") -> str:
    """A module with one entry `@k`."""
    return f"cuda_tile.module @m {{\n{globals}\nentry @k({parameters}) {{\n{body}\nreturn\n}}\n}}\n"


def module_of(text: str) -> ModuleOp:
    """The module of a text, which must be valid."""
    module = tileir_xdsl.parse(text, NAME)
    errors = [d for d in tileir_xdsl.verify(module) if d.severity is Severity.ERROR]
    assert not errors, "\n".join(map(render, errors))
    return module


def execute(
    parameters: str,
    body: str,
    args: Sequence[Any] | Mapping[str, Any],
    grid: Any = (1,),
    globals: str = "",
    **options: Any,
) -> Report:
    """Run a program; see `tileir_xdsl.run`."""
    return run(module_of(program(parameters, body, globals)), None, grid, args, **options)


def printed(parameters: str, body: str, args: Sequence[Any] = (), **options: Any) -> str:
    """What a program prints."""
    out = io.StringIO()
    execute(parameters, body, args, out=out, **options)
    return out.getvalue()


def marked_line(text: str) -> int:
    """The number of the line with `// here`."""
    (line,) = [k for k, line in enumerate(text.splitlines(), 1) if HERE in line]
    return line
