"""What a bytecode version cannot hold: collected as errors, each at its operation."""

from __future__ import annotations

from xdsl.ir import Operation

from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.versions import Version


class Unwritable(Exception):
    """A part of an operation that has no bytecode form in any version."""


class Gate:
    """Checks features against the version being written, and collects what it cannot hold.

    The encoders go on after an error, with a placeholder, so that one run reports all of them.
    """

    def __init__(self, version: Version, operation: Operation, sink: DiagnosticSink | None):
        self.version = version
        self.operation = operation
        """The operation being written: errors name it and stand at its place."""
        self._errors = DiagnosticSink()
        self._remarks = sink

    def require(self, since: Version, feature: str) -> bool:
        """Whether the version has a feature; an error that names it otherwise."""
        if since <= self.version:
            return True
        self.error(
            f"{feature} needs bytecode version {since}, but version {self.version} was asked for",
            fix=f"write bytecode version {since} or later",
            code="bytecode-version",
        )
        return False

    def error(self, message: str, fix: str | None = None, code: str | None = None) -> None:
        operation = self.operation
        self._errors.error(
            f"'{operation.name}': {message}", place_of(operation), fix=fix, code=code
        )

    def remark(self, message: str) -> None:
        if self._remarks is None:
            return
        operation = self.operation
        self._remarks.remark(f"'{operation.name}': {message}", place_of(operation))

    @property
    def has_errors(self) -> bool:
        return self._errors.has_errors

    def finish(self) -> None:
        """Raise all errors, if there are any."""
        if self._errors.has_errors:
            raise DiagnosticError(self._errors.sorted())
