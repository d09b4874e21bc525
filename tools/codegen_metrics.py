"""Static measures of assembled kernels: instructions, registers, memory, blocks an SM holds.

    python tools/codegen_metrics.py --gpu sm_90 FILE.cubin...

Needs NVIDIA's `cuobjdump` and `nvdisasm` (packages `nvidia-cuda-cuobjdump` and
`nvidia-cuda-nvdisasm`), no GPU. Static counts are not times. Occupancy follows the CUDA occupancy
calculator: registers go to warps in units of 256, and a block reserves 1 KiB of shared memory.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.tileiras import find_tileiras

WARP = 32
REGISTERS_PER_SM = 1 << 16
REGISTER_UNIT = 256
"""Registers that are given to a warp at once."""

RESERVED_SHARED_BYTES = 1024

WAITING = 16
"""Instructions of a loop that only waits for a barrier, at most."""


@dataclass(frozen=True)
class Limits:
    """What one SM holds, from the CUDA programming guide's table of compute capabilities."""

    warps: int
    blocks: int
    shared_bytes: int


SM_LIMITS = {
    "sm_80": Limits(64, 32, 164 << 10),
    "sm_90": Limits(64, 32, 228 << 10),
    "sm_100": Limits(64, 32, 228 << 10),
    "sm_120": Limits(48, 24, 100 << 10),
}


@dataclass(frozen=True)
class Metrics:
    """One kernel's code."""

    sass: int
    """Instructions, without the padding behind the last one."""
    loop: int
    """Those of the longest innermost loop; 0 without a loop."""
    registers: int
    stack: int
    """Bytes a thread."""
    shared: int
    """Bytes a block, static."""
    threads: int
    blocks_per_sm: int


_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", re.M)
_LABEL = re.compile(r"^(\.L_x_\d+):", re.M)
_BRANCH = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/.*\bBRA\b.*`\((\.L_x_\d+)\)", re.M)
_RESOURCES = re.compile(r"REG:(\d+) STACK:(\d+) SHARED:(\d+)")
_THREADS = re.compile(r"EIATTR_REQNTID\s+Format:\s+\S+\s+Value:\s+0x([0-9a-f]+)")
_MAX_THREADS = re.compile(r"EIATTR_MAX_THREADS\s+Format:\s+\S+\s+Value:\s+0x([0-9a-f]+)")


def find_tool(name: str) -> Path | None:
    """One of NVIDIA's binary tools: beside tileiras, or on PATH."""
    try:
        beside = find_tileiras().with_name(name)
    except DiagnosticError:
        beside = None
    if beside is not None and beside.exists():
        return beside
    found = shutil.which(name)
    return None if found is None else Path(found)


def tools_available() -> bool:
    return find_tool("nvdisasm") is not None and find_tool("cuobjdump") is not None


def metrics(cubin: bytes, gpu: str) -> Metrics:
    """Measures of the kernel in a cubin (of one entry)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        code = _call("nvdisasm", "-c", path)
        usage = _call("cuobjdump", "-res-usage", path)
        elf = _call("cuobjdump", "-elf", path)
    match = _RESOURCES.search(usage)
    assert match is not None, usage
    registers, stack, shared = map(int, match.groups())
    found = _THREADS.search(elf) or _MAX_THREADS.search(elf)
    assert found is not None, "no thread count"
    threads = int(found[1], 16)
    blocks = blocks_per_sm(gpu, registers, threads, shared)
    sass, loop = count_instructions(code), hot_loop(code)
    return Metrics(sass, loop, registers, stack, shared, threads, blocks)


def count_instructions(listing: str) -> int:
    """Instructions of a listing; the NOPs that pad a function do not count."""
    names = [match[1] for match in _INSTRUCTION.finditer(listing)]
    return sum(name != "NOP" for name in names)


def hot_loop(listing: str) -> int:
    """Instructions of the longest loop of a listing that holds no other loop but waiting ones.

    A loop goes from a label to a branch back to it; one of few instructions waits or ends.
    """
    labels = {match[1]: match.end() for match in _LABEL.finditer(listing)}
    spans = [
        (labels[match[1]], match.end())
        for match in _BRANCH.finditer(listing)
        if labels.get(match[1], len(listing)) < match.start()
    ]
    counts = {span: count_instructions(listing[slice(*span)]) for span in spans}
    loops = [span for span in spans if counts[span] > WAITING]
    return max((counts[span] for span in loops if _is_innermost(span, loops)), default=0)


def _is_innermost(span: tuple[int, int], loops: list[tuple[int, int]]) -> bool:
    start, end = span
    return not any(start <= first and last <= end for first, last in loops if (first, last) != span)


def blocks_per_sm(gpu: str, registers: int, threads: int, shared: int) -> int:
    limits = SM_LIMITS[gpu]
    warps = -(-threads // WARP)
    by_warps = limits.warps // warps
    register_units = -(-registers * WARP // REGISTER_UNIT)
    by_registers = REGISTERS_PER_SM // (register_units * REGISTER_UNIT) // warps
    by_shared = limits.shared_bytes // (shared + RESERVED_SHARED_BYTES)
    return min(limits.blocks, by_warps, by_registers, by_shared)


def _call(name: str, *arguments: str | Path) -> str:
    tool = find_tool(name)
    assert tool is not None, f"{name} is not installed"
    result = subprocess.run(
        [tool, *arguments], check=True, capture_output=True, text=True, errors="replace"
    )
    return result.stdout


def main(argv: Sequence[str] | None = None) -> int:
    """Print the measures of cubins, one line each. Answers the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cubin", nargs="+", type=Path, help="of one entry")
    parser.add_argument("--gpu", choices=SM_LIMITS, required=True, help="it was assembled for")
    options = parser.parse_args(argv)
    if not tools_available():
        parser.error("needs nvdisasm and cuobjdump")
    for path in options.cubin:
        try:
            measured = dataclasses.asdict(metrics(path.read_bytes(), options.gpu))
        except OSError as error:
            parser.error(f"{path}: {error.strerror}")
        except subprocess.CalledProcessError as error:
            parser.error(f"{path}: {Path(error.cmd[0]).name}: {error.stderr.strip()}")
        print(f"{path}:", *(f"{name} {value}" for name, value in measured.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
