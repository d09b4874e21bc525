"""How a command ends: errors that the user caused, errors that are ours, exit statuses."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tileir_xdsl.diagnostics.diagnostic import Diagnostic, Severity
from tileir_xdsl.diagnostics.rendering import escape, render
from tileir_xdsl.diagnostics.source import Place

EXIT_OK = 0
EXIT_USER_ERROR = 1
EXIT_INTERNAL = 70
"""As `EX_SOFTWARE` in BSD's `sysexits.h`."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class DiagnosticError(Exception):
    """One or more errors that the user of the tool caused and can mend."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]):
        one = isinstance(diagnostics, Diagnostic)
        self.diagnostics = (diagnostics,) if one else tuple(diagnostics)
        super().__init__(self.diagnostics)

    @classmethod
    def at(
        cls,
        message: str,
        place: Place,
        notes: Iterable[Diagnostic] = (),
        fix: str | None = None,
        code: str | None = None,
    ) -> DiagnosticError:
        """An exception with a single error."""
        return cls(Diagnostic(Severity.ERROR, message, place, list(notes), fix, code))

    def __str__(self) -> str:
        return "\n".join(render(diagnostic) for diagnostic in self.diagnostics)


def internal_error_message(exc: BaseException) -> str:
    """
    What a command prints, before it exits with `EXIT_INTERNAL`, for an exception that it does not
    expect: that the fault is ours, how to report it, and where in our code it happened.
    """
    kind, text = type(exc).__name__, escape(_exception_text(exc))
    what = f"{kind}: {text}" if text else kind
    where = _origin(exc)
    return (
        f"tileir-xdsl: error: internal error: {what}{f' ({where})' if where else ''}\n"
        "tileir-xdsl: note: this is a bug in tileir-xdsl, not in your input; "
        "please report it with the input that caused it"
    )


def _exception_text(exc: BaseException) -> str:
    try:
        return str(exc)
    except Exception:
        return "<the exception cannot be shown>"


def _origin(exc: BaseException) -> str | None:
    """The innermost frame in this package, or else of all, as `folder/file.py:line`."""
    innermost: tuple[str, int] | None = None
    ours: tuple[str, int] | None = None
    traceback = exc.__traceback__
    while traceback is not None:
        innermost = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        if innermost[0].startswith(_PACKAGE):
            ours = innermost
        traceback = traceback.tb_next
    frame = ours or innermost
    if frame is None:
        return None
    path, line = frame
    folder, name = os.path.split(path)
    return escape(f"{os.path.basename(folder)}/{name}:{line}")
