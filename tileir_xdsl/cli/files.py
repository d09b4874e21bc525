"""Reading inputs and writing outputs of the commands, with errors that users can act on."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import Any

from tileir_xdsl.diagnostics import DiagnosticError, Place

BYTECODE_MAGIC = b"\x7fTileIR\x00"
DEFAULT_MAX_INPUT_MB = 64


def read_input(path: str | None, max_mb: float = DEFAULT_MAX_INPUT_MB) -> tuple[bytes, str]:
    """The contents of a file (None or `-` for standard input) and its name in diagnostics.

    Raises `DiagnosticError` for what cannot be read, is empty, or exceeds `max_mb` MiB.
    """
    standard = path is None or path == "-"
    name = "<stdin>" if standard else path
    assert name is not None
    check_path(name, "read")
    limit = int(max_mb * (1 << 20))
    try:
        if standard:
            data = _standard_input().read(limit + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise _failure(f"cannot read the file: {_reason(error)}", name) from None
    if len(data) > limit:
        raise _failure(f"the input is larger than {max_mb:g} MiB; raise --max-input-mb", name)
    if not data:
        raise _failure("the input is empty", name)
    return data, name


def check_path(path: str, verb: str) -> None:
    """Raise `DiagnosticError` for a name that no file can have."""
    if not path:
        raise _failure(f"cannot {verb} the file: its name is empty", "tile-opt")
    if "\0" in path:
        raise _failure(f"cannot {verb} the file: its name has a NUL character", path)


def _standard_input() -> Any:
    # Python has no stream where the descriptor is closed.
    stream: Any = sys.stdin
    if stream is None:
        raise _failure("standard input is closed", "<stdin>")
    return getattr(stream, "buffer", stream)


def decode_text(data: bytes, name: str) -> str:
    """Text of a source file; bytes that are no UTF-8 become surrogate escapes."""
    if b"\0" in data:
        raise _failure("neither Tile IR text nor bytecode: the file is binary", name)
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def is_bytecode(data: bytes) -> bool:
    return data[:8] == BYTECODE_MAGIC


def write_output(data: bytes | str, path: str | None) -> None:
    """Write to a file by renaming a finished temporary one, or to standard output.

    Raises `DiagnosticError` when that fails; then nothing half-written is left behind.
    """
    if path is None or path == "-":
        _write_standard_output(data)
        return
    check_path(path, "write")
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    try:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            # A device or pipe, e.g. /dev/null, cannot be renamed over.
            with open(path, "wb") as file:
                file.write(raw)
            return
        _replace(path, raw)
    except OSError as error:
        raise _failure(f"cannot write the file: {_reason(error)}", path) from None


def _replace(path: str, raw: bytes) -> None:
    if os.path.isdir(path):
        raise IsADirectoryError(21, "it is a directory")
    target = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".tile-opt-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(target: str) -> int:
    """Permissions of the file that is replaced, or those of a new one."""
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write_standard_output(data: bytes | str) -> None:
    stream: Any = sys.stdout
    if stream is None:
        raise _failure("standard output is closed", "<stdout>")
    if isinstance(data, bytes) and stream.isatty():
        raise _failure("will not write bytes to a terminal; use -o FILE", "<stdout>")
    binary = getattr(stream, "buffer", None)
    if isinstance(data, bytes) and binary is None:
        raise _failure("standard output does not take bytes; use -o FILE", "<stdout>")
    try:
        stream.flush()
        if binary is None:
            stream.write(data)
        else:
            raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
            binary.write(raw)
            binary.flush()
    except BrokenPipeError:
        # Whoever read our output has enough of it.
        raise
    except OSError as error:
        _discard_standard_output()
        raise _failure(f"cannot write: {_reason(error)}", "<stdout>") from None


def _discard_standard_output() -> None:
    """Send what is left in the buffers nowhere, so that the interpreter's exit does not fail."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _failure(message: str, path: str) -> DiagnosticError:
    return DiagnosticError.at(message, Place.file(path))
