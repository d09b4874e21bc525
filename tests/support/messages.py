"""What no message for a user may hold: the inner life of this program."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache

from xdsl.dialects import builtin
from xdsl.ir import Attribute, Operation

from tileir_xdsl.diagnostics import Diagnostic, Range, SourceFile
from tileir_xdsl.dialects.cuda_tile import ATTRIBUTES, OPERATIONS
from tileir_xdsl.dialects.cuda_tile.types import TYPES

_PATTERNS = (
    r"xdsl",
    r"\w*Attr\b",
    r"\w*Attribute\b",
    r"\w*Exception\b",
    r"\w*Error\b",
    r"Traceback",
    r"\w*Constraint\b",
    r"MLIRTokenKind",
    r"builtin\.int\w*",
    r"builtin\.array\w*",
    r"object at 0x",
    r"<class",
    r"dataclass",
    r"NotImplemented",
    r"SSAValue",
    r"Span\(",
    r"does not verify:",
    r"Underlying",
)


@cache
def forbidden() -> re.Pattern[str]:
    """Words of Python and of xDSL, and the names of all classes of operations and attributes."""
    names = {cls.__name__ for cls in (*OPERATIONS, *ATTRIBUTES, *TYPES)}
    for _, cls in inspect.getmembers(builtin, inspect.isclass):
        if issubclass(cls, Attribute | Operation):
            names.add(cls.__name__)
    classes = (rf"\b{re.escape(name)}\b" for name in sorted(names))
    return re.compile("|".join((*_PATTERNS, *classes)))


def flattened(diagnostics: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Diagnostics with their notes."""
    for diagnostic in diagnostics:
        yield diagnostic
        yield from flattened(diagnostic.notes)


def outside(source: SourceFile, range: Range | None) -> bool:
    """Whether a range is missing or not inside of a source."""
    if range is None or range.start > range.end:
        return True
    for position in (range.start, range.end):
        line = source.line_text(position.line)
        # The place after a `\r\n` may be the `\r`.
        if line is None or not 1 <= position.column <= len(line) + 2:
            return True
    return False
