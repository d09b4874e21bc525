"""Random mistakes in text: in its form (`Mutator`) or in its meaning (`Retyper`)."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|[%#@!^]?[\w$.]+|->|\S')


def tokens(text: str) -> list[tuple[int, int]]:
    """The offsets of the words, strings, comments and signs of a text."""
    return [match.span() for match in _TOKEN.finditer(text)]


class Mutator:
    """Deletes, doubles, replaces or swaps a token of one of some texts; the same for a seed."""

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


_ELEMENTS = (
    *("i1", "i4", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32"),
    *("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"),
)
_KEYWORDS = (
    *("weak", "relaxed", "acquire", "release", "acq_rel", "tl_blk", "device", "sys"),
    *("signed", "unsigned", "true", "false", "none", "unicast", "multicast"),
    *("add", "addf", "and", "or", "max", "min", "umax", "xchg"),
    *("nearest_even", "zero", "negative_inf", "positive_inf", "approx", "full"),
    *("nearest_int_to_zero", "nearest_away"),
    *("no_wrap", "no_signed_wrap", "no_unsigned_wrap"),
)
_ELEMENT = re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(_ELEMENTS)})\b")
_KEYWORD = re.compile(rf"\b(?:{'|'.join(_KEYWORDS)})\b")
_NUMBER = re.compile(r"(?<=[<x=( ,\[])\d+(?=[x\]>), ])")
_TILE = re.compile(r"tile<(?:\d+x)*")


class Retyper:
    """Changes types, keywords and numbers of one of some texts, whose form mostly stays right."""

    def __init__(self, texts: Sequence[str], seed: int) -> None:
        self.random = random.Random(seed)
        self.texts = texts

    def mutated(self) -> str:
        text = self.random.choice(self.texts)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            text = self._changed(text)
        return text

    def _changed(self, text: str) -> str:
        choose = self.random.choice
        match self.random.randrange(5):
            case 0:
                return self._replaced(text, _ELEMENT, choose(_ELEMENTS))
            case 1:
                return self._replaced(text, _KEYWORD, choose(_KEYWORDS))
            case 2:
                return self._replaced(text, _NUMBER, choose("0 1 2 3 4 8 16 -1 64".split()))
            case 3:
                old = self._some(text, _ELEMENT)
                return text if old is None else re.sub(rf"\b{old}\b", choose(_ELEMENTS), text)
            case _:
                old = self._some(text, _TILE)
                shape = "".join(f"{choose((1, 2, 4, 8))}x" for _ in range(choose((0, 1, 2, 3))))
                return text if old is None else text.replace(old, f"tile<{shape}")

    def _some(self, text: str, pattern: re.Pattern[str]) -> str | None:
        found = pattern.findall(text)
        return self.random.choice(found) if found else None

    def _replaced(self, text: str, pattern: re.Pattern[str], word: str) -> str:
        found = list(pattern.finditer(text))
        if not found:
            return text
        match = self.random.choice(found)
        return text[: match.start()] + word + text[match.end() :]
