"""Remarks of optimizers: what a pass or an assembler did, or could not do, at a place.

The YAML is LLVM's (https://llvm.org/docs/Remarks.html#yaml-remarks), which `opt-viewer` and other
tools read: one document for each remark, whose message is its arguments one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from tileir_xdsl.diagnostics.diagnostic import Diagnostic, Severity
from tileir_xdsl.diagnostics.source import Place

TEXT = "String"
"""LLVM's name for an argument that is only part of the message."""


class RemarkKind(Enum):
    PASSED = "Passed"
    """What was done."""
    MISSED = "Missed"
    """What was not done, for want of a fact or a promise."""
    FAILURE = "Failure"
    """What was asked for and not done."""
    ANALYSIS = "Analysis"
    """What was found, with nothing done."""


@dataclass
class Remark(Diagnostic):
    """A remark of a pass; its `code` is the name of the remark, by which tools count and filter."""

    kind: RemarkKind = RemarkKind.PASSED
    source: str = ""
    """The pass that speaks."""
    function: str = ""
    """The kernel that it speaks of."""
    arguments: tuple[tuple[str, str], ...] = ()
    """Names and values; the values make the message."""

    @staticmethod
    def of(
        kind: RemarkKind,
        source: str,
        name: str,
        arguments: Iterable[tuple[str, str]],
        place: Place,
        function: str,
    ) -> Remark:
        """A remark whose message is its arguments."""
        arguments = tuple(arguments)
        message = "".join(value for _, value in arguments)
        return Remark(
            Severity.REMARK,
            message,
            place,
            code=name,
            kind=kind,
            source=source,
            function=function,
            arguments=arguments,
        )


def to_yaml(remarks: Iterable[Remark]) -> str:
    """The remarks as LLVM writes them to files: YAML documents in the given order.

    A place without a line has line and column 0.
    """
    return "".join(map(_document, remarks))


def _document(remark: Remark) -> str:
    line = column = 0
    if remark.range is not None:
        line, column = remark.range.start.line, remark.range.start.column
    lines = [
        f"--- !{remark.kind.value}",
        f"Pass:            {_scalar(remark.source)}",
        f"Name:            {_scalar(remark.code or '')}",
        f"DebugLoc:        {{ File: {_scalar(remark.path)}, Line: {line}, Column: {column} }}",
        f"Function:        {_scalar(remark.function)}",
        "Args:",
        *(f"  - {_key(name):<16} {_scalar(value)}" for name, value in remark.arguments),
        "...",
    ]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return f"{_scalar(name)}:"


_PLAIN = re.compile(r"[A-Za-z_][\w-]*+(?:[ ./@+-]+[\w-]++)*+", re.ASCII)
"""Words that no reader of YAML takes for something else than text."""

_KEYWORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null", "inf", "nan"})
_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def _scalar(text: str) -> str:
    """Text as a YAML scalar on one line, in ASCII: plain, in single quotes, or in double ones."""
    if _PLAIN.fullmatch(text) and text.lower() not in _KEYWORDS:
        return text
    if _is_visible(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if _is_visible(character):
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_visible(text: str) -> bool:
    return text.isascii() and text.isprintable()
