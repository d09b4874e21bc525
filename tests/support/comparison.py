"""Comparing texts and modules, with the first difference in the report."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from xdsl.ir import Operation

LINES_SHOWN = 8


def difference(expected: str, actual: str) -> str | None:
    """The first lines that differ, as a diff without context; None for equal texts."""
    if expected == actual:
        return None
    lines = difflib.unified_diff(
        expected.splitlines(keepends=True), actual.splitlines(keepends=True), n=0
    )
    # The first two lines of a diff name the files; `repr` shows trailing spaces.
    shown = [ascii(line) for line in islice(lines, 2, 2 + LINES_SHOWN)]
    return "\n  ".join(shown) or "different line ends"


def same_structure(first: Operation, second: Operation) -> bool:
    """Whether two programs have equal operations, types, attributes, uses and locations."""
    if not first.is_structurally_equivalent(second):
        return False
    pairs = zip(first.walk(), second.walk(), strict=True)
    return all(one.location == other.location for one, other in pairs)


def report(problems: Iterable[tuple[object, str | None]]) -> str:
    """One paragraph for each problem, empty when there is none; for `assert not report(..)`."""
    found = [f"{what}:\n  {problem}" for what, problem in problems if problem is not None]
    return "\n".join([*found[:20], f"{len(found)} in all"]) if found else ""
