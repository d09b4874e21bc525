"""`make demo`: an example as text, as bytecode, and assembled for a GPU where that is possible.

    python tools/demo.py [FILE...]

Writes to `build/demo`. Fails when tile-opt or tileiras fails; a platform without tileiras is said
plainly and is no failure.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.tileiras import find_tileiras, tool_version

ROOT = Path(__file__).parents[1]
OUTPUT = Path("build", "demo")
VERSION = "13.3"
GPU = "sm_100"


def run(*words: str | Path) -> None:
    """Show and run tile-opt with `words`; ends the demo when it fails."""
    arguments = [str(word) for word in words]
    print(f"$ tile-opt {shlex.join(arguments)}", flush=True)
    status = subprocess.run([ROOT / "tools" / "tile-opt", *arguments], cwd=ROOT, check=False)
    if status.returncode != 0:
        sys.exit(status.returncode)


def assembler() -> str | None:
    """The name and version of the assembler, if there is one."""
    try:
        return f"tileiras {tool_version(find_tileiras())}"
    except DiagnosticError as error:
        print(f"No cubin: {error.diagnostics[0].message}.")
        print("NVIDIA's tileiras comes from PyPI (nvidia-cuda-tileiras) for Linux and Windows.")
        return None


def show(example: Path, tileiras: str | None) -> None:
    bytecode = OUTPUT / f"{example.stem}.tileirbc"
    cubin = OUTPUT / f"{example.stem}.cubin"
    run(example)
    run(example, "-t", "tileirbc", "--bytecode-version", VERSION, "-o", bytecode)
    print(f"{bytecode}: {(ROOT / bytecode).stat().st_size} bytes of Tile IR {VERSION} bytecode\n")
    if tileiras is None:
        return
    run(example, "-t", "cubin", "--gpu-name", GPU, "-o", cubin)
    print(f"{cubin}: {(ROOT / cubin).stat().st_size} bytes for {GPU}, by {tileiras}\n")


def main(arguments: list[str]) -> None:
    examples = [Path(argument) for argument in arguments] or sorted(
        path.relative_to(ROOT) for path in (ROOT / "examples" / "cuda_tile").glob("*.mlir")
    )
    (ROOT / OUTPUT).mkdir(parents=True, exist_ok=True)
    tileiras = assembler()
    for example in examples:
        show(example, tileiras)


if __name__ == "__main__":
    main(sys.argv[1:])
