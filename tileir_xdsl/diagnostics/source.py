"""Source text and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """A place in a text: line and column, both from 1; columns count characters (code points)."""

    line: int
    column: int


@dataclass(frozen=True, order=True, slots=True)
class Range:
    """The characters from `start` up to, not including, `end`. A point has `start == end`."""

    start: Position
    end: Position


class SourceFile:
    """
    The text of one input, with conversion between offsets and positions.

    Offsets count characters from 0. Lines end at `\\n`; a `\\r` before it is not part of
    `line_text`. The text after the last `\\n` is a line too, also when it is empty, so that the end
    of the file always has a position. `first_line` is the number of the first line of `text`: more
    than 1 for a chunk of a split input.
    """

    path: str
    text: str
    first_line: int

    def __init__(self, path: str, text: str, first_line: int = 1):
        self.path = path
        self.text = text
        self.first_line = first_line
        self._line_starts: list[int] | None = None

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r}, first_line={self.first_line})"

    @property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character; computed when first asked for."""
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self._line_starts

    @property
    def last_line(self) -> int:
        """The number of the line that holds the end of the file."""
        return self.first_line + len(self.line_starts) - 1

    def position(self, offset: int) -> Position:
        """The position of the character at `offset`; an offset outside the text is clamped."""
        offset = min(max(offset, 0), len(self.text))
        index = bisect_right(self.line_starts, offset) - 1
        return Position(self.first_line + index, offset - self.line_starts[index] + 1)

    def range(self, start: int, end: int) -> Range:
        """The range of the characters from offset `start` up to `end`; never of negative length."""
        return Range(self.position(start), self.position(max(start, end)))

    def offset(self, position: Position) -> int:
        """The inverse of `position`; a position outside the text is clamped to the nearest one."""
        if position.line < self.first_line:
            return 0
        bounds = self.line_bounds(position.line)
        if bounds is None:
            return len(self.text)
        begin, end = bounds
        return min(max(begin + position.column - 1, begin), end)

    def line_bounds(self, line: int) -> tuple[int, int] | None:
        """The offsets of the start and end of a line without its terminator; None if absent."""
        index = line - self.first_line
        if not 0 <= index < len(self.line_starts):
            return None
        begin = self.line_starts[index]
        if index + 1 == len(self.line_starts):
            return begin, len(self.text)
        end = self.line_starts[index + 1] - 1
        if end > begin and self.text[end - 1] == "\r":
            end -= 1
        return begin, end

    def line_text(self, line: int) -> str | None:
        """The text of a line without its terminator, or None if there is no such line."""
        bounds = self.line_bounds(line)
        return None if bounds is None else self.text[bounds[0] : bounds[1]]


@dataclass(frozen=True)
class Place:
    """
    What a diagnostic is about: a range of a text, a byte of a binary file, or a whole file.

    `source` gives the excerpt. It does not take part in comparison: the same range of the same path
    is the same place.
    """

    path: str
    range: Range | None
    source: SourceFile | None = field(default=None, compare=False, repr=False)
    byte_offset: int | None = None

    @staticmethod
    def at(source: SourceFile, start_offset: int, end_offset: int | None = None) -> Place:
        """The characters of `source` from `start_offset` up to `end_offset`, by default a point."""
        end = start_offset if end_offset is None else end_offset
        return Place(source.path, source.range(start_offset, end), source)

    @staticmethod
    def line(path: str, line: int, column: int) -> Place:
        """A line and a column, both from 1, of a file whose text is not at hand."""
        point = Position(line, column)
        return Place(path, Range(point, point))

    @staticmethod
    def byte(path: str, offset: int) -> Place:
        """A byte of a binary file, counted from 0."""
        return Place(path, None, byte_offset=offset)

    @staticmethod
    def file(path: str) -> Place:
        """A file as a whole."""
        return Place(path, None)

    @property
    def order(self) -> tuple[int, int]:
        """The sort key within one file: line and column, or the byte; whole-file places first."""
        if self.range is not None:
            return self.range.start.line, self.range.start.column
        return 0, self.byte_offset or 0

    def __str__(self) -> str:
        """`path:line:column`, `path:+0x1f` or `path`, as they stand before a message."""
        if self.range is not None:
            return f"{self.path}:{self.range.start.line}:{self.range.start.column}"
        if self.byte_offset is not None:
            return f"{self.path}:+{self.byte_offset:#x}"
        return self.path


def split_input_file(text: str, marker: str = "// -----") -> list[tuple[str, int]]:
    """
    The chunks of a text and the number of each one's first line, as `--split-input-file` has them.

    A line that starts with `marker` separates two chunks and is part of neither.
    """
    chunks: list[tuple[str, int]] = []
    begin, first_line = 0, 1
    for match in re.finditer(rf"^{re.escape(marker)}[^\n]*(?:\n|\Z)", text, re.MULTILINE):
        chunk = text[begin : match.start()]
        chunks.append((chunk, first_line))
        begin, first_line = match.end(), first_line + chunk.count("\n") + 1
    chunks.append((text[begin:], first_line))
    return chunks
