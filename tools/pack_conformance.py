"""Pack a directory of conformance files into the archive that the tests read.

    python tools/pack_conformance.py SOURCE [ARCHIVE]

The archive depends on names and contents alone: members are sorted and carry neither times nor
owners, so packing the same files again gives the same bytes.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

DEFAULT_ARCHIVE = Path(__file__).parents[1] / "tests" / "data" / "conformance.tar.xz"
SUFFIXES = frozenset({".tileirbc", ".mlir", ".json"})


def conformance_files(source: Path) -> Iterator[Path]:
    """The files of the corpus below `source`; files of one case stand beside each other."""
    files = [path for path in source.rglob("*") if path.is_file() and path.suffix in SUFFIXES]
    return iter(sorted(files, key=lambda path: path.relative_to(source).as_posix()))


def pack(source: Path) -> bytes:
    """The archive of all conformance files below `source`."""
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer, mode="w:xz", preset=9, format=tarfile.USTAR_FORMAT
    ) as archive:
        for path in conformance_files(source):
            data = path.read_bytes()
            member = tarfile.TarInfo(path.relative_to(source).as_posix())
            member.size = len(data)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Pack conformance files into one archive.")
    parser.add_argument("source", type=Path, help="directory of the conformance files")
    parser.add_argument("archive", type=Path, nargs="?", default=DEFAULT_ARCHIVE)
    arguments = parser.parse_args(argv)

    if not any(conformance_files(arguments.source)):
        print(f"error: {arguments.source}: no conformance files", file=sys.stderr)
        return 1
    data = pack(arguments.source)
    partial = arguments.archive.with_name(arguments.archive.name + ".partial")
    partial.write_bytes(data)
    os.replace(partial, arguments.archive)
    print(f"{arguments.archive}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
