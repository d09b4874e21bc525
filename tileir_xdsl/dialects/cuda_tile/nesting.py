"""Room on the stack for nested regions.

Parsing and printing follow the nesting of a program by recursion. Python's own limit of 1000
frames would stop them at some hundred regions.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, ParametrizedAttribute

MAX_NESTING = 256
"""Regions in regions, at most, in text."""

FRAMES = 20_000
"""Python frames that `MAX_NESTING` regions of any operation fit in."""


@contextmanager
def deep_recursion(limit: int = FRAMES) -> Generator[None]:
    """Allow `limit` frames on the stack inside of a `with`."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


MAX_ATTRIBUTE_DEPTH = 128
"""Attributes in attributes, at most, in text; locations count as attributes."""

MAX_ATTRIBUTE_PARTS = 1 << 20
MAX_LOCATION_PARTS = 1 << 12
"""Parts of one attribute or location, at most, every alias written out. Aliases that use others
twice double the size with each line, and everything that hashes or prints them visits all parts.
"""


class Size(NamedTuple):
    """Of an attribute as a tree."""

    parts: int
    depth: int


ONE = Size(1, 1)


class AttributeSizes:
    """The sizes of attributes, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Attribute, Size]] = {}

    def of(self, attribute: Attribute) -> Size:
        # Kept with its size, so that no other attribute gets its identity.
        known = self._known.get(id(attribute))
        if known is not None:
            return known[1]
        inner = [self.of(part) for part in _parts(attribute)]
        size = ONE
        if inner:
            size = Size(1 + sum(s.parts for s in inner), 1 + max(s.depth for s in inner))
        self._known[id(attribute)] = attribute, size
        return size


def _parts(attribute: Attribute) -> Iterable[Attribute]:
    if isinstance(attribute, ParametrizedAttribute):
        return attribute.parameters
    if isinstance(attribute, ArrayAttr):
        return cast("ArrayAttr[Attribute]", attribute).data
    return attribute.data.values() if isinstance(attribute, DictionaryAttr) else ()
