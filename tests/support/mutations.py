"""Random mistakes in text: a token deleted, doubled, replaced, or swapped with another one."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|[%#@!^]?[\w$.]+|->|\S')


def tokens(text: str) -> list[tuple[int, int]]:
    """The offsets of the words, strings, comments and signs of a text."""
    return [match.span() for match in _TOKEN.finditer(text)]


class Mutator:
    """Makes one mistake in one of some texts, always the same ones for a seed."""

    def __init__(self, texts: Sequence[str], seed: int) -> None:
        self.random = random.Random(seed)
        self.texts = [(text, spans) for text in texts if (spans := tokens(text))]
        self.words = [text[a:b] for text, spans in self.texts for a, b in spans]

    def mutated(self) -> str:
        text, spans = self.random.choice(self.texts)
        start, end = self.random.choice(spans)
        match self.random.randrange(4):
            case 0:
                return text[:start] + text[end:]
            case 1:
                return text[:start] + self.random.choice(self.words) + text[end:]
            case 2:
                return f"{text[:end]} {text[start:end]}{text[end:]}"
            case _:
                return _swapped(text, (start, end), self.random.choice(spans))


def _swapped(text: str, one: tuple[int, int], other: tuple[int, int]) -> str:
    (a, b), (c, d) = sorted((one, other))
    if a == c:
        return text
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
