"""Programs of a few lines of shell that stand for NVIDIA's tools."""

from __future__ import annotations

import shlex
from pathlib import Path

VERSION_TEXT = "Cuda compilation tools, release {release}, V{version}"


def write_tool(folder: Path, name: str, body: str, version: str = "13.5.37") -> Path:
    """A program that answers `--version` as NVIDIA's tools do and otherwise runs `body`, in which
    `$source` is the last argument and `$output` the value of --output-file."""
    answer = VERSION_TEXT.format(release=version.rpartition(".")[0], version=version)
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / name
    tool.write_text(
        f"""#!/bin/sh
if [ "$1" = --version ]; then echo {shlex.quote(answer)}; exit 0; fi
arguments="$*"
output=
while [ $# -gt 1 ]; do
    if [ "$1" = --output-file ]; then output=$2; fi
    shift
done
source=$1
{body}
"""
    )
    tool.chmod(0o755)
    return tool
