"""Pausing Python's garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def garbage_collection_paused() -> Generator[None]:
    """No collections inside of a `with` that builds a module.

    Building makes nothing but live objects. Collections would visit all of them again and again,
    which takes a third of the time of parsing, and most of the time of reading bytecode.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
