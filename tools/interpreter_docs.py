"""Writes the generated tables of docs/interpreter.md.

    python tools/interpreter_docs.py

A table stands between `<!-- NAME: generated -->` and `<!-- end -->`. A test fails when the file is
not what this writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.interpreter import COSTLY, KINDS
from tileir_xdsl.interpreter.plan import REFUSED, load_dialect
from tileir_xdsl.numerics import ACCURACY, Accuracy

PAGE = Path(__file__).parents[1] / "docs" / "interpreter.md"


def kinds_table() -> str:
    """Every kind of undefined behaviour."""
    lines = ["| code | what | unchecked |", "| --- | --- | --- |"]
    for kind, what in KINDS.items():
        lines.append(f"| `{kind}` | {what} | {'no' if kind in COSTLY else 'yes'} |")
    return "\n".join(lines)


def accuracy_table() -> str:
    """Every operation: what its result is worth, and what a device may show instead."""
    load_dialect("cuda_tile")
    lines = [
        "| operation | result | how | a device may be away by | source |",
        "| --- | --- | --- | --- | --- |",
    ]
    for cls in sorted(OPERATIONS, key=lambda op: op.name):
        lines.append(_row(cls))
    return "\n".join(lines)


def _row(cls: type[CudaTileOp]) -> str:
    name = f"`{cls.mnemonic()}`"
    if cls in REFUSED:
        return f"| {name} | refused | {REFUSED[cls]} | | |"
    accuracy = ACCURACY.get(cls.mnemonic())
    if accuracy is None:
        return f"| {name} | exact | {_summary(cls)} | | |"
    cells = (name, accuracy.tier, accuracy.how, _bounds(accuracy), accuracy.source)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _summary(cls: type[CudaTileOp]) -> str:
    """The first sentence of an operation's description."""
    text = " ".join((cls.__doc__ or "").split())
    sentence = re.split(r"(?<=[.;]) ", text)[0].rstrip(".;")
    return sentence[:1].lower() + sentence[1:]


def _bounds(accuracy: Accuracy) -> str:
    bounds = [
        ("f32", accuracy.f32),
        ("f64", accuracy.f64),
        ("approx", accuracy.approx),
        ("full", accuracy.full),
    ]
    found = [f"{bound} ulp {name}" for name, bound in bounds if bound is not None]
    return ", ".join(found)


TABLES: dict[str, Callable[[], str]] = {"kinds": kinds_table, "accuracy": accuracy_table}


def with_tables(text: str) -> str:
    """The page with its tables written anew."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}: generated -->\n", "<!-- end -->"
        before, found, rest = text.partition(begin)
        assert found, name
        text = f"{before}{begin}{table()}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
