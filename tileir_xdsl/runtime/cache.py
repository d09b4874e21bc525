"""A disk cache of assembled kernels.

Safe under concurrent writers: an entry is a file that is written beside its place and renamed. An
entry that is damaged is a miss. The oldest used entries go when the cache outgrows its bound.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

CACHE_VARIABLE = "TILEIR_CACHE_DIR"
DEFAULT_MAX_BYTES = 256 << 20

STALE_SECONDS = 3600
"""Age of a temporary file whose writer cannot be alive any more."""

_PREFIX = ".new-"
_MAGIC = b"tileir-cubin-1\n"
_DIGEST_BYTES = 32


def default_directory() -> Path:
    """`TILEIR_CACHE_DIR`, or the user's cache directory.

    A user without a home directory has none: the place answered then cannot be written.
    """
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    variable, below_home = ("XDG_CACHE_HOME", (".cache",))
    if sys.platform == "win32":
        variable, below_home = ("LOCALAPPDATA", ("AppData", "Local"))
    if base := os.environ.get(variable):
        return Path(base, "tileir-xdsl")
    try:
        return Path(Path.home(), *below_home, "tileir-xdsl")
    except RuntimeError:
        return Path(os.devnull, "tileir-xdsl")


def cache_key(bytecode: bytes, gpu: str, tool_version: str, options: Sequence[str] = ()) -> str:
    """A name for the cubin of a bytecode file under one architecture, tool and options."""
    digest = hashlib.sha256()
    for part in (bytecode, gpu.encode(), tool_version.encode(), *(o.encode() for o in options)):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


class KernelCache:
    """Cubins by key in a directory of bounded size."""

    def __init__(self, directory: Path | None = None, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.directory = default_directory() if directory is None else directory
        self.max_bytes = max_bytes

    def get(self, key: str) -> bytes | None:
        """The cubin of a key; None when there is none or its file is damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        cubin = _unseal(data)
        if cubin is None:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        # The time of last use decides what is evicted.
        with contextlib.suppress(OSError):
            os.utime(path)
        return cubin

    def put(self, key: str, cubin: bytes) -> None:
        """Store a cubin; a cache that cannot be written is no error, it only does not help."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_PREFIX)
        except OSError:
            return
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_seal(cubin))
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            return
        self._evict(keep=path)

    def size(self) -> int:
        """Bytes of all entries."""
        return sum(size for _, size, _ in self._entries())

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}.cubin"

    def _entries(self) -> list[tuple[float, int, Path]]:
        """Time of last use, size and path of every entry."""
        entries: list[tuple[float, int, Path]] = []
        for path in self.directory.glob("*.cubin"):
            # Another process may have evicted it since.
            with contextlib.suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
        return entries

    def _evict(self, keep: Path) -> None:
        self._sweep()
        entries = sorted(self._entries(), key=lambda entry: entry[0])
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= self.max_bytes:
                return
            if path == keep:
                continue
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size

    def _sweep(self) -> None:
        """Remove what writers that were killed have left behind."""
        latest = time.time() - STALE_SECONDS
        for path in self.directory.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < latest:
                    path.unlink()


def _seal(cubin: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(cubin).digest() + cubin


def _unseal(data: bytes) -> bytes | None:
    start = len(_MAGIC) + _DIGEST_BYTES
    if not data.startswith(_MAGIC) or len(data) < start:
        return None
    cubin = data[start:]
    if hashlib.sha256(cubin).digest() != data[len(_MAGIC) : start]:
        return None
    return cubin
