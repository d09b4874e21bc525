"""Messages in MLIR's wording.

Where the text is refused by xDSL's own parser, its message is reworded here: some begin with a
capital and end in an exclamation mark, some name Python classes, some are fragments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_REWORDED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"(?:a )?type expected.*", "expected a type"),
        (r"in block definition", "expected an operation, a block label or '}'"),
        (r"expected '='? ?after operation result list", "expected '=' after the results"),
        (r"expected block argument", "expected the name of a block argument, such as '%arg'"),
        (r"expected integer literal after '-'", "expected a number after '-'"),
        (r"expected (?:either )?integer literal.*", "expected an integer"),
        (r"expected integer value", "expected an integer"),
        (r"expected non-negative integer values", "expected a non-negative integer"),
        (r"expected region", "expected '{' and a body"),
        (r"expect(?:ed)? symbol name", "expected a symbol name, such as '@name'"),
        (r"expected boolean literal.*", "expected true or false"),
        (r"string literal expected.*", "expected a string"),
        (r"expected string literal.*", "expected a string"),
        (r"attribute expected.*", "expected an attribute"),
        (r"expected 'x' in shape delimiter.*", "expected 'x' and an element type"),
        (r"expected bare-id or string-literal.*", "expected a name or a string"),
        (r"expected attribute name", "expected the name of an attribute"),
        (r"expected result SSA value.*", "expected the name of a result, such as '%0'"),
        (r"expected SSA value tuple size.*", "expected a number of results"),
        (r"expected integer as SSA value tuple index", "expected the number of a result"),
        (r"unexpected dynamic dimension", "the dimension must be a number here, not '?'"),
        (r"expected float literal after '-'", "expected a number after '-'"),
        (r"expected integer or float literal.*", "expected a number"),
        (r"either an int or float must be present", "expected a number"),
        (r"expected either a float, integer, or complex literal", "expected a number"),
        (r"expected attribute dictionary after 'attributes'.*", "expected '{' after 'attributes'"),
        (r"invalid block name in region with named arguments", "this body takes no block label"),
        (
            r"unexpected attribute (t(?:ile|ensor)<.*)",
            r"'\1' is no scalar: operations on tiles have no 'arith.' or 'math.' before them",
        ),
        (r"undefined symbol alias '(.*)'", r"alias '\1' is not defined"),
        (r"re-declaration of block '(.*)'", r"block '\1' is defined twice"),
        (
            r"region ends with missing block declarations for block\(s\) (.*)",
            r"block '^\1' is not defined",
        ),
        (r"'([^']*)' is not registered", r"unknown attribute or type '\1'"),
        (r"operation ([\w.]+) is not registered", r"unknown operation '\1'"),
        (r"operation (\S+) does not have a custom format", r"'\1' has no custom form: quote it"),
        (r"unexpected end of file .*", "a bracket is not closed"),
        (r"unexpected closing parenthesis .*", "unexpected closing bracket"),
        (r"unbalanced '(.)' in .*", r"'\1' has no partner"),
        (r"unterminated string literal.*", "string has no end on its line"),
        (r"integer value (\S+) is out of range for type ([iu]\w+).*", r"\1 does not fit \2"),
        (r"boolean values are only allowed for i1 types", "true and false are for i1"),
        (r"'([^']*)' expected(.*)", r"expected '\1'\2"),
        (
            r"result (%\S+) is defined with type (.*), but used with type (.*)",
            r"'\1' has type '\2', but was used as '\3' before",
        ),
        (
            r"SSA value (?:tuple )?(%\S+) is referenced with .*",
            r"'\1' has fewer values than were used before",
        ),
    )
)

_ATTRIBUTE_NAME = re.compile(r"!(?:cuda_tile|tile_sugar)\.(?=[a-z_]+(?:<|\b))")

_INTERNAL = re.compile(
    r"\b(?:[A-Z][a-z0-9]{2,}){2,}\w*|\w*(?:Attr|Constraint|Exception)\b|\b0x[0-9a-f]{9,}"
    r"|<class|\bbuiltin\.\w+_type|\bMLIRTokenKind\b|\bxdsl\b"
)
"""What only a reader of Python sources understands."""


def clean_message(message: str, otherwise: str = "syntax error") -> str:
    """One line in MLIR's style: lower case, no full stop, short types, no names of Python.

    `otherwise` replaces a message that says nothing to a user.
    """
    message = next((line.strip() for line in message.splitlines() if line.strip()), "")
    message = _ATTRIBUTE_NAME.sub("", message).rstrip(".!")
    if message[:1].isupper() and not message[1:2].isupper():
        message = message[0].lower() + message[1:]
    for pattern, text in _REWORDED:
        if (match := pattern.fullmatch(message)) is not None:
            message = match.expand(text)
            break
    if not message or _INTERNAL.search(message) is not None:
        return otherwise
    return message


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'X'?` when a known word is close."""
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 index`, `2 indices`."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def alternatives(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
