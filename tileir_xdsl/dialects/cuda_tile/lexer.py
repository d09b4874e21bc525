"""A faster lexer for MLIR text with the tokens of xDSL's.

xDSL's lexer dispatches on characters in Python and builds two frozen dataclasses for each token,
a third of the parsing time. This one is a single regular expression. It also takes raw bytes in
strings (as surrogate escapes), which xDSL's turns into another kind of token.
"""

from __future__ import annotations

import re
from typing import Any, cast

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Lexer, Span
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRTokenKind

_TOKEN = re.compile(
    r"""
    (?:[ \t\r\n\f\v]+|//[^\n]*)*
    (?:
      (?P<BARE_IDENT>[A-Za-z_][A-Za-z0-9_$.]*)
    | (?P<PERCENT_IDENT>%(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*))
    | (?P<PUNCTUATION>->|\{-\#|\#-\}|\.\.\.|[:,=<>(){}\[\]+*/?|-])
    | (?P<INTEGER_LIT>0x[0-9A-Fa-f]+(?![.])|[0-9]+(?![0-9.]))
    | (?P<FLOAT_LIT>[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)
    | (?P<HASH_IDENT>\#(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*))
    | (?P<STRING_LIT>"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*")
    | (?P<AT_IDENT>@(?:[A-Za-z_][A-Za-z0-9_$.]*|"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"))
    | (?P<EXCLAMATION_IDENT>!(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*))
    | (?P<CARET_IDENT>\^(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*))
    | (?P<EOF>\Z)
    )
    """,
    re.VERBOSE,
)

_KINDS = {name: MLIRTokenKind[name] for name in _TOKEN.groupindex if name != "PUNCTUATION"}

_ESCAPE = re.compile(rb"\\(?:([\"nt\\])|([0-9A-Fa-f]{2}))")
_NAMED = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


class FastToken:
    """A token whose span is made when somebody asks for it."""

    __slots__ = ("end", "input", "kind", "start", "text")

    def __init__(
        self, kind: MLIRTokenKind, start: int, end: int, text: str, input: Input[str]
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.text = text
        self.input = input

    @property
    def span(self) -> Span[str]:
        return Span(self.start, self.end, self.input)


class FastLexer(Lexer[MLIRTokenKind, str]):
    """Lexes one input from `pos` on."""

    def lex(self) -> Any:
        input = self.input
        match = _TOKEN.match(input.content, self.pos)
        if match is None:
            raise self._error()
        group = cast(str, match.lastgroup)
        start, end = match.span(group)
        text = match.group(group)
        self.pos = end
        kind = _KINDS.get(group)
        if kind is None:
            kind = KIND_BY_PUNCTUATION_SPELLING[text]
        return FastToken(kind, start, end, text, input)

    def _error(self) -> ParseError:
        content = self.input.content
        start = _skip_blank(content, self.pos)
        character = content[start] if start < len(content) else ""
        if character == '"' or content[start : start + 2] == '@"':
            message = "string has no end on its line, or a wrong escape"
        elif character in "%#!^@":
            message = f"expected a name after '{character}'"
        elif "\udc80" <= character <= "\udcff":
            message = f"byte 0x{ord(character) - 0xDC00:02X} is not UTF-8 text"
        else:
            message = f"unexpected character '{character}'"
        return ParseError(Span(start, start + 1, self.input), message)


_BLANK = re.compile(r"(?:[ \t\r\n\f\v]+|//[^\n]*)*")


def _skip_blank(content: str, pos: int) -> int:
    match = _BLANK.match(content, pos)
    return pos if match is None else match.end()


def string_value(literal: str) -> str:
    """The contents of a string literal with its quotes; bytes that are no UTF-8 are escaped."""
    if "\\" not in literal:
        return literal[1:-1]
    raw = literal[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescape, raw).decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    named, digits = match.groups()
    return _NAMED[named] if named else bytes([int(digits, 16)])
