"""Diagnostics as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from tileir_xdsl.diagnostics.diagnostic import Diagnostic, Severity
from tileir_xdsl.diagnostics.source import Place

_MAX_LINE = 120
"""Longer source lines are cut to this many characters around the caret."""
_LEAD = 40
"""How many characters before the caret are kept when a line is cut."""
_ELLIPSIS = "..."

_RESET, _BOLD, _GREEN = "\x1b[0m", "\x1b[1m", "\x1b[1;32m"
_SEVERITY_COLOR = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;35m",
    Severity.REMARK: "\x1b[1;34m",
    Severity.NOTE: "\x1b[1;36m",
}


def escape(text: str) -> str:
    """
    The text with everything that is not a visible character written as a Python escape (`\\x1b`,
    `\\n`, `\\u202e`), so that it stays on one line and cannot steer a terminal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape_character(c) for c in text)


def render(diag: Diagnostic, *, color: bool = False) -> str:
    """
    The diagnostic as clang and MLIR write it, without a newline at the end:

        file.mlir:3:5: error: the message
            %0 = ...
            ^~
        file.mlir:3:5: note: fix: what to write instead
        file.mlir:1:1: note: a note of the diagnostic
        ...

    The excerpt is left out where the source is not known, and for a note at the place of its
    diagnostic. `color` adds ANSI colours.
    """
    return "\n".join(_render_lines(diag, color, excerpt=True))


def _render_lines(diag: Diagnostic, color: bool, *, excerpt: bool) -> Iterator[str]:
    yield _header(diag.place, diag.severity, diag.message, color)
    if excerpt:
        yield from _excerpt(diag.place, color)
    if diag.fix is not None:
        yield _header(diag.place, Severity.NOTE, f"fix: {diag.fix}", color)
    for note in diag.notes:
        yield from _render_lines(note, color, excerpt=note.place != diag.place)


def _header(place: Place, severity: Severity, message: str, color: bool) -> str:
    where, what = escape(str(place)), escape(message)
    if not color:
        return f"{where}: {severity.value}: {what}"
    label = f"{_SEVERITY_COLOR[severity]}{severity.value}: {_RESET}"
    # As in clang: the message of a note is not bold, so that it recedes behind its diagnostic.
    shown = what if severity is Severity.NOTE else f"{_BOLD}{what}{_RESET}"
    return f"{_BOLD}{where}: {_RESET}{label}{shown}"


def _excerpt(place: Place, color: bool) -> Iterator[str]:
    """The source line and the line with the caret under it."""
    source, range = place.source, place.range
    if source is None or range is None:
        return
    bounds = source.line_bounds(range.start.line)
    if bounds is None:
        return

    begin, end = bounds
    caret = min(max(begin + range.start.column - 1, begin), end)
    one_line = range.end.line == range.start.line
    stop = min(begin + range.end.column - 1, end) if one_line else end
    left, right = _window(begin, end, caret)

    shown = [_ELLIPSIS] if left > begin else []
    marks = [" " * len(_ELLIPSIS)] if left > begin else []
    for offset, character in enumerate(source.text[left:right], left):
        cell, width = _cell(character)
        shown.append(cell)
        if offset < caret:
            marks.append("\t" if character == "\t" else " " * width)
        elif offset == caret:
            marks.append("^" + "~" * (width - 1) if stop > caret else "^")
        elif offset < stop:
            marks.append("~" * width)
    if caret == right:
        marks.append("^")
    if right < end:
        shown.append(_ELLIPSIS)

    yield "".join(shown)
    carets = "".join(marks)
    yield f"{_GREEN}{carets}{_RESET}" if color else carets


def _window(begin: int, end: int, caret: int) -> tuple[int, int]:
    """The part of the line from offset `begin` to `end` that is shown."""
    if end - begin <= _MAX_LINE:
        return begin, end
    right = min(max(begin, caret - _LEAD) + _MAX_LINE, end)
    return right - _MAX_LINE, right


def _cell(character: str) -> tuple[str, int]:
    """How a character is shown, and how many columns of a terminal that takes."""
    if character == "\t" or " " <= character <= "~":
        return character, 1
    if not character.isprintable():
        escaped = _escape_character(character)
        return escaped, len(escaped)

    from unicodedata import category, east_asian_width

    if category(character) in ("Mn", "Me"):
        return character, 0
    return character, 2 if east_asian_width(character) in "WF" else 1


def _escape_character(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
