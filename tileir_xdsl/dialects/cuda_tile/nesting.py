"""Room on the stack for nested regions.

Parsing and printing follow the nesting of a program by recursion. Python's own limit of 1000
frames would stop them at some hundred regions.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

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
