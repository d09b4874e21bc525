"""Diagnostics and the sink that collects them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from tileir_xdsl.diagnostics.source import Place, Range, SourceFile


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    NOTE = "note"


@dataclass
class Diagnostic:
    """
    One message about one place.

    `notes` belong to the diagnostic and are shown right after it ("defined here"). `fix` says what
    to write instead. `code` is a stable name of the rule, for tools that filter by rule.
    """

    severity: Severity
    message: str
    place: Place
    notes: list[Diagnostic] = field(default_factory=list["Diagnostic"])
    fix: str | None = None
    code: str | None = None

    @property
    def path(self) -> str:
        return self.place.path

    @property
    def range(self) -> Range | None:
        return self.place.range

    def attach_note(self, message: str, place: Place) -> Diagnostic:
        """Add a note to this diagnostic and return the note."""
        note = Diagnostic(Severity.NOTE, message, place)
        self.notes.append(note)
        return note

    def to_json(self) -> dict[str, object]:
        """
        The diagnostic as JSON values. Every key is always present:
        `severity`, `message`, `path`, `range` (`{"start": {"line", "column"}, "end": …}`, lines and
        columns from 1, end exclusive; or null), `byte_offset` (int or null), `fix` and `code`
        (string or null), `notes` (list of the same).
        """
        return {
            "severity": self.severity.value,
            "message": self.message,
            "path": self.path,
            "range": None if self.range is None else _range_to_json(self.range),
            "byte_offset": self.place.byte_offset,
            "fix": self.fix,
            "code": self.code,
            "notes": [note.to_json() for note in self.notes],
        }


def _range_to_json(range: Range) -> dict[str, object]:
    return {
        "start": {"line": range.start.line, "column": range.start.column},
        "end": {"line": range.end.line, "column": range.end.column},
    }


class DiagnosticSink:
    """
    Collects the diagnostics of one run, in the order in which they come.

    A diagnostic that equals an earlier one is dropped. After `max_errors` errors further ones are
    only counted, and `sorted` ends with a note that says how many.
    A place without a text gets that of the source known under its path, so that a pass that knows
    only a location still shows the line.
    """

    diagnostics: list[Diagnostic]

    def __init__(self, sources: Iterable[SourceFile] = (), *, max_errors: int = 1000):
        self.diagnostics = []
        self.max_errors = max_errors
        self.error_count = 0
        """The number of distinct errors, those beyond the limit included."""
        self._first_omitted: Diagnostic | None = None
        self._seen: dict[object, Diagnostic] = {}
        self._sources: dict[str, list[SourceFile]] = {}
        for source in sources:
            self.add_source(source)

    @property
    def has_errors(self) -> bool:
        return self.error_count > 0

    def add_source(self, source: SourceFile) -> None:
        """Make the text of a file known, for the places to come that name only its path."""
        self._sources.setdefault(source.path, []).append(source)

    def emit(self, diagnostic: Diagnostic) -> Diagnostic:
        """Record a diagnostic. Returns it, or the equal one that was recorded before."""
        key = _identity(diagnostic)
        if (earlier := self._seen.get(key)) is not None:
            return earlier
        self._seen[key] = diagnostic
        self._attach_source(diagnostic)
        if diagnostic.severity is Severity.ERROR:
            self.error_count += 1
            if self.error_count > self.max_errors:
                self._first_omitted = self._first_omitted or diagnostic
                return diagnostic
        self.diagnostics.append(diagnostic)
        return diagnostic

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Record several diagnostics, such as those of a `DiagnosticError`."""
        for diagnostic in diagnostics:
            self.emit(diagnostic)

    def error(
        self,
        message: str,
        place: Place,
        notes: Iterable[Diagnostic] = (),
        fix: str | None = None,
        code: str | None = None,
    ) -> Diagnostic:
        return self.emit(Diagnostic(Severity.ERROR, message, place, list(notes), fix, code))

    def warning(
        self,
        message: str,
        place: Place,
        notes: Iterable[Diagnostic] = (),
        fix: str | None = None,
        code: str | None = None,
    ) -> Diagnostic:
        return self.emit(Diagnostic(Severity.WARNING, message, place, list(notes), fix, code))

    def remark(
        self,
        message: str,
        place: Place,
        notes: Iterable[Diagnostic] = (),
        fix: str | None = None,
        code: str | None = None,
    ) -> Diagnostic:
        return self.emit(Diagnostic(Severity.REMARK, message, place, list(notes), fix, code))

    def note(
        self,
        message: str,
        place: Place,
        notes: Iterable[Diagnostic] = (),
        fix: str | None = None,
        code: str | None = None,
    ) -> Diagnostic:
        """A note that stands alone. One that belongs to a diagnostic goes into its `notes`."""
        return self.emit(Diagnostic(Severity.NOTE, message, place, list(notes), fix, code))

    def sorted(self) -> list[Diagnostic]:
        """
        The diagnostics in source order: files in the order in which they first occur, places within
        a file by line and column, equal places in the order in which they came.
        """
        files: dict[str, int] = {}
        for diagnostic in self.diagnostics:
            files.setdefault(diagnostic.path, len(files))
        result = sorted(self.diagnostics, key=lambda d: (files[d.path], *d.place.order))
        if self._first_omitted is not None:
            omitted = self.error_count - self.max_errors
            message = f"{omitted} more {'error' if omitted == 1 else 'errors'} not shown"
            place = Place.file(self._first_omitted.path)
            result.append(Diagnostic(Severity.NOTE, message, place))
        return result

    def _attach_source(self, diagnostic: Diagnostic) -> None:
        for note in diagnostic.notes:
            self._attach_source(note)
        place = diagnostic.place
        if place.range is None or place.source is not None:
            return
        line = place.range.start.line
        for source in self._sources.get(place.path, ()):
            if source.first_line <= line <= source.last_line:
                diagnostic.place = replace(place, source=source)
                return


def _identity(diagnostic: Diagnostic) -> object:
    return (
        diagnostic.severity,
        diagnostic.message,
        diagnostic.place,
        diagnostic.fix,
        diagnostic.code,
        tuple(_identity(note) for note in diagnostic.notes),
    )
