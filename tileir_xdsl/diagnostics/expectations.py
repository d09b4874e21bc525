"""`--verify-diagnostics`: the diagnostics that a test file says it expects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tileir_xdsl.diagnostics.diagnostic import Diagnostic, DiagnosticSink, Severity
from tileir_xdsl.diagnostics.errors import DiagnosticError
from tileir_xdsl.diagnostics.source import Place, SourceFile

_DESIGNATOR = re.compile(
    r"""
    expected-(?P<severity>error|warning|remark|note)(?P<regex>-re)?
    [ ]*+(?:@(?:
        (?P<unknown>unknown)
      | (?:(?P<offset>[+-][0-9]+)|(?P<above>above)|(?P<below>below))(?::(?P<column>[0-9]+))?
      | :(?P<only_column>[0-9]+)
    ))?
    [ ]*+\{\{
    """,
    re.VERBOSE,
)
# What was meant to be one: MLIR ignores it, and with it a test that no longer tests anything.
_ATTEMPT = re.compile(r"expected-\w(?:(?!expected-)[^{])*\{\{")
_SYNTAX = "expected-(error|warning|remark|note)[-re][@(above|below|+N|-N)[:column]] {{text}}"

# MLIR's regular expressions are POSIX extended ones; Python lacks these names of theirs.
_POSIX_CLASSES = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:blank:]": r" \t",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:space:]": r"\s",
    "[:upper:]": "A-Z",
    "[:xdigit:]": "0-9A-Fa-f",
}


@dataclass(frozen=True)
class Expectation:
    """
    One `expected-…` comment.

    `line` is the line of the diagnostic that it waits for, None for one without a line
    (`@unknown`). `column`, if given, must agree too. `text` is what the comment says between the
    outer braces, `pattern` its regular expression in case of `-re`. `place` is the comment.
    """

    severity: Severity
    text: str
    line: int | None
    column: int | None
    pattern: re.Pattern[str] | None
    place: Place

    def accepts_message(self, message: str) -> bool:
        if self.pattern is None:
            return self.text in message
        return self.pattern.search(message) is not None

    def accepts(self, diagnostic: Diagnostic, path: str) -> bool:
        """Whether `diagnostic` is what this expectation, in the file `path`, waits for."""
        return not self.differences(diagnostic, path) and self.accepts_message(diagnostic.message)

    def differences(self, diagnostic: Diagnostic, path: str) -> list[str]:
        """In what the diagnostic differs from the expectation, apart from the message."""
        differences: list[str] = []
        if self.severity is not diagnostic.severity:
            differences.append(f"as {diagnostic.severity.value}, not {self.severity.value}")
        if diagnostic.range is None:
            return differences if self.line is None else [*differences, "without a line"]
        if self.line is None:
            return [*differences, f"at line {diagnostic.range.start.line}, not without a line"]
        start = diagnostic.range.start
        if diagnostic.path != path:
            differences.append("in another file")
        if start.line != self.line:
            differences.append(f"at line {start.line}, not {self.line}")
        if self.column is not None and start.column != self.column:
            differences.append(f"at column {start.column}, not {self.column}")
        return differences


def parse_expectations(source: SourceFile) -> list[Expectation]:
    """
    The expectations in the comments of `source`, as MLIR's `mlir-opt --verify-diagnostics` reads
    them (https://mlir.llvm.org/docs/Diagnostics/#sourcemgr-diagnostic-verifier-handler):

        // expected-error {{text}}            text occurs in the message of an error of this line
        // expected-error@+2 {{text}}         … of an error two lines below; `@-2`: above
        // expected-error@below {{text}}      … of the next line that holds no expectation
        // expected-error@above {{text}}      … of the last line before that holds no expectation
        // expected-error@unknown {{text}}    … of an error that has no line
        // expected-error-re {{a {{[0-9]+}}}} text with regular expressions (Python's, and the
                                              POSIX classes such as `[[:digit:]]`) in inner braces

    and the same with `warning`, `remark` and `note`. A line that holds an expectation does not
    count for `@below` and `@above`, also when it holds code beside it, as in MLIR.

    Beyond MLIR:

        // expected-error@+1:12 {{text}}      the diagnostic starts exactly at column 12; likewise
                                              `@below:12`, `@above:12`, and `@:12` for this line
        // expected-error {{a}} expected-note {{b}}     several on one line

    Raises DiagnosticError with one error for each comment that looks like an expectation and is not
    one: misspelt, without closing braces, or with an invalid regular expression.
    """
    expectations, problems = _scan(source)
    if problems:
        raise DiagnosticError(problems)
    return expectations


def check_expectations(source: SourceFile, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """
    Compares diagnostics, and their notes, with the expectations in `source`.

    Each diagnostic meets one expectation and each expectation is met by one diagnostic. Returns the
    errors, in source order, for those that are left over on either side, and for expectations that
    cannot be read; empty if all is as expected. For a chunk of a split input, pass the chunk as
    `source` and its diagnostics alone.
    """
    expectations, problems = _scan(source)
    produced = list(_flatten(diagnostics))
    matching = _match(source.path, expectations, produced)
    unmet = [e for i, e in enumerate(expectations) if i not in matching]
    unexpected = [d for i, d in enumerate(produced) if i not in matching.values()]

    sink = DiagnosticSink()
    sink.extend(problems)
    for diagnostic in unexpected:
        nearest = _nearest(source.path, unmet, diagnostic)
        kind = diagnostic.severity.value
        if nearest is None:
            sink.error(f"unexpected {kind}: {diagnostic.message}", diagnostic.place)
            continue
        unmet.remove(nearest)
        differences = ", ".join(nearest.differences(diagnostic, source.path))
        note = Diagnostic(Severity.NOTE, f"{kind}: {diagnostic.message}", diagnostic.place)
        message = f'expected {nearest.severity.value} "{nearest.text}" was produced {differences}'
        sink.error(message, nearest.place, [note])
    for expectation in unmet:
        message = f'expected {expectation.severity.value} "{expectation.text}" was not produced'
        sink.error(message, expectation.place)
    return sink.sorted()


def _flatten(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        yield diagnostic
        yield from _flatten(diagnostic.notes)


def _line(diagnostic: Diagnostic) -> int | None:
    return None if diagnostic.range is None else diagnostic.range.start.line


def _match(
    path: str, expectations: list[Expectation], produced: list[Diagnostic]
) -> dict[int, int]:
    """
    A maximum matching of expectations (keys) to diagnostics (values), by augmenting paths: the
    first fit would let a general expectation take the diagnostic that a specific one needs.
    """
    by_line: dict[int | None, list[int]] = {}
    for index, expectation in enumerate(expectations):
        by_line.setdefault(expectation.line, []).append(index)
    candidates = [
        [i for i in by_line.get(_line(d), ()) if expectations[i].accepts(d, path)] for d in produced
    ]
    owner: dict[int, int] = {}

    def place(diagnostic: int, tried: set[int]) -> bool:
        for expectation in candidates[diagnostic]:
            if expectation in tried:
                continue
            tried.add(expectation)
            if expectation not in owner or place(owner[expectation], tried):
                owner[expectation] = diagnostic
                return True
        return False

    for diagnostic in range(len(produced)):
        place(diagnostic, set())
    return owner


def _nearest(path: str, unmet: list[Expectation], diagnostic: Diagnostic) -> Expectation | None:
    """The expectation with the right text that differs least otherwise, the right line first."""
    line = _line(diagnostic)
    return min(
        (e for e in unmet if e.text and e.accepts_message(diagnostic.message)),
        key=lambda e: (e.line != line, len(e.differences(diagnostic, path))),
        default=None,
    )


@dataclass(frozen=True)
class _Comment:
    """A comment that has the form of an expectation."""

    designator: re.Match[str]
    text: str
    place: Place


def _scan(source: SourceFile) -> tuple[list[Expectation], list[Diagnostic]]:
    """The expectations of a file, and errors for what cannot be read as one."""
    expectations: list[Expectation] = []
    problems: list[Diagnostic] = []
    below: list[_Comment] = []
    last_plain_line = source.first_line

    def add(comment: _Comment, line: int | None) -> None:
        try:
            expectations.append(_expectation(comment, line))
        except re.error as error:
            problems.append(_problem(f"invalid regular expression: {error}", comment.place))

    for line in range(source.first_line, source.last_line + 1):
        comments = _comments(source, line, problems)
        if not comments:
            last_plain_line = line
            for comment in below:
                add(comment, line)
            below.clear()
        for comment in comments:
            designator = comment.designator
            if designator["below"]:
                below.append(comment)
            elif designator["above"]:
                add(comment, last_plain_line)
            elif designator["unknown"]:
                add(comment, None)
            else:
                add(comment, line + int(designator["offset"] or 0))
    for comment in below:
        add(comment, source.last_line)
    expectations.sort(key=lambda expectation: expectation.place.order)
    problems.sort(key=lambda problem: problem.place.order)
    return expectations, problems


def _comments(source: SourceFile, line: int, problems: list[Diagnostic]) -> list[_Comment]:
    """The expectations in one line; appends an error to `problems` for each failed attempt."""
    begin, end = source.line_bounds(line) or (0, 0)
    if source.text.find("expected-", begin, end) < 0:
        return []

    designators = list(_DESIGNATOR.finditer(source.text, begin, end))
    comments: list[_Comment] = []
    for index, designator in enumerate(designators, 1):
        limit = designators[index].start() if index < len(designators) else end
        close = source.text.rfind("}}", designator.end(), limit)
        if close < 0:
            place = Place.at(source, designator.start(), limit)
            problems.append(_problem("expectation without closing '}}' on its line", place))
            continue
        place = Place.at(source, designator.start(), close + 2)
        comments.append(_Comment(designator, source.text[designator.end() : close], place))

    for attempt in _ATTEMPT.finditer(source.text, begin, end):
        # Text after the first designator is the text of an expectation.
        if designators and attempt.start() >= designators[0].start():
            break
        place = Place.at(source, attempt.start(), attempt.end())
        problems.append(_problem("not a valid expectation", place, fix=_SYNTAX))
    return comments


def _expectation(comment: _Comment, line: int | None) -> Expectation:
    """Raises re.error if the comment holds an invalid regular expression."""
    designator = comment.designator
    column = designator["column"] or designator["only_column"]
    return Expectation(
        severity=Severity(designator["severity"]),
        text=comment.text,
        line=line,
        column=None if column is None else int(column),
        pattern=_pattern(comment.text) if designator["regex"] else None,
        place=comment.place,
    )


def _pattern(text: str) -> re.Pattern[str]:
    """
    The literal text with each `{{…}}` in it as a regular expression, found anywhere in a message.
    Raises re.error.
    """
    parts: list[str] = []
    while (start := text.find("{{")) >= 0:
        end = text.find("}}", start + 2)
        if end < 0:
            raise re.error("'{{' without '}}'")
        block = text[start + 2 : end]
        for name, characters in _POSIX_CLASSES.items():
            block = block.replace(name, characters)
        re.compile(block)
        parts += [re.escape(text[:start]), f"(?:{block})"]
        text = text[end + 2 :]
    return re.compile("".join(parts) + re.escape(text), re.DOTALL)


def _problem(message: str, place: Place, fix: str | None = None) -> Diagnostic:
    return Diagnostic(Severity.ERROR, message, place, fix=fix)
