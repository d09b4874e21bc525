"""Writing diagnostics to a stream: text, JSON, SARIF."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Literal, TextIO, cast

from tileir_xdsl.diagnostics.diagnostic import Diagnostic, DiagnosticSink, Severity
from tileir_xdsl.diagnostics.rendering import render
from tileir_xdsl.diagnostics.source import Place

Format = Literal["text", "json", "sarif"]

_SARIF_LEVEL = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.REMARK: "note",
    Severity.NOTE: "note",
}


def print_diagnostics(
    sink: DiagnosticSink | Iterable[Diagnostic],
    stream: TextIO,
    format: Format = "text",
    color: bool | None = None,
) -> None:
    """
    Write the diagnostics of a sink, in source order, or those given, in the given order.

    - `text`: see `render`. `color=None` colours on a terminal, unless `NO_COLOR` is set
      (https://no-color.org) or `TERM` is `dumb`. What the stream's encoding lacks is escaped.
    - `json`: one object `{"diagnostics": [...]}` of `Diagnostic.to_json`.
    - `sarif`: a SARIF 2.1.0 log (OASIS Standard) with one run.
    """
    diagnostics = sink.sorted() if isinstance(sink, DiagnosticSink) else list(sink)
    match format:
        case "text":
            use_color = _wants_color(stream) if color is None else color
            for diagnostic in diagnostics:
                stream.write(_encodable(render(diagnostic, color=use_color), stream) + "\n")
        case "json":
            _write_json({"diagnostics": [d.to_json() for d in diagnostics]}, stream)
        case "sarif":
            _write_json(to_sarif(diagnostics), stream)


def to_sarif(diagnostics: Iterable[Diagnostic]) -> dict[str, object]:
    """
    A SARIF 2.1.0 log: one result for each diagnostic, its notes as related locations, its `code` as
    rule. SARIF has no remarks: they are results of level `note`.
    """
    results = [_sarif_result(diagnostic) for diagnostic in diagnostics]
    rules = dict.fromkeys(result["ruleId"] for result in results if "ruleId" in result)
    run: dict[str, object] = {
        "tool": {"driver": {"name": "tileir-xdsl", "rules": [{"id": rule} for rule in rules]}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def _sarif_result(diagnostic: Diagnostic) -> dict[str, object]:
    fix = "" if diagnostic.fix is None else f"\nfix: {diagnostic.fix}"
    result: dict[str, object] = {
        "level": _SARIF_LEVEL[diagnostic.severity],
        "message": {"text": diagnostic.message + fix},
        "locations": [{"physicalLocation": _sarif_location(diagnostic.place)}],
    }
    if diagnostic.code is not None:
        result["ruleId"] = diagnostic.code
    related: list[dict[str, object]] = [
        {
            "id": index,
            "message": {"text": note.message},
            "physicalLocation": _sarif_location(note.place),
        }
        for index, note in enumerate(_all_notes(diagnostic))
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _sarif_location(place: Place) -> dict[str, object]:
    location: dict[str, object] = {"artifactLocation": {"uri": _uri(place.path)}}
    range = place.range
    # A location in IR may say line 0 for "unknown", which SARIF does not allow.
    if range is not None and range.start.line >= 1:
        location["region"] = {
            "startLine": range.start.line,
            "startColumn": max(range.start.column, 1),
            "endLine": range.end.line,
            "endColumn": max(range.end.column, 1),
        }
    elif place.byte_offset is not None:
        location["region"] = {"byteOffset": place.byte_offset, "byteLength": 0}
    return location


def _uri(path: str) -> str:
    from pathlib import Path
    from urllib.parse import quote

    local = Path(path)
    quoted = quote(local.as_posix().encode(errors="backslashreplace"))
    if not local.is_absolute():
        return quoted
    return f"file://{quoted}" if quoted.startswith("/") else f"file:///{quoted}"


def _all_notes(diagnostic: Diagnostic) -> Iterator[Diagnostic]:
    for note in diagnostic.notes:
        yield note
        yield from _all_notes(note)


def _wants_color(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _encodable(text: str, stream: TextIO) -> str:
    # A stream in memory has no encoding, whatever the annotation says.
    encoding = cast("str | None", stream.encoding)
    if encoding is None or text.isascii():
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _write_json(value: dict[str, object], stream: TextIO) -> None:
    import json

    json.dump(value, stream, indent=2)
    stream.write("\n")
