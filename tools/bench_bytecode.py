"""Reading and writing bytecode: the cost of an operation at every size, beside NVIDIA's reader.

    python tools/bench.py bytecode

NVIDIA's disassembler reads a file and prints its text; ours does the same for the comparison, in
this process. A process of theirs takes 2 ms to start, which the large files show the ratio without.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import Budget, cpu, program

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.parser import parse_module
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.runtime.tileiras import find_tileirdisasm

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support import corpus

VERSION = "13.5"
SIZES = (1_000, 10_000, 100_000)
LINEAR = 1.5
"""How much more an operation may cost in the largest program than in the smallest."""


def run(budget: Budget) -> None:
    files: dict[int, bytes] = {}
    read: dict[int, float] = {}
    write: dict[int, float] = {}
    for size in SIZES:
        module = parse_module(program(size))
        repeats = max(3, 20_000 // size)
        data = files[size] = encode_module(module, VERSION)
        write[size] = cpu(lambda m=module: encode_module(m, VERSION), repeats) / size
        read[size] = cpu(lambda d=data: decode_module(d), repeats) / size
        del module
    for what, seconds in (("read", read), ("write", write)):
        for size in SIZES[:-1]:
            budget.add(f"{what} {size:,} operations", per_operation(seconds[size]))
        least, most = seconds[SIZES[0]], seconds[SIZES[-1]]
        budget.add(
            f"{what} {SIZES[-1]:,} operations",
            per_operation(most),
            f"{SIZES[0]:,}: {per_operation(least)}",
            f"{least / most:.2f}",
            f"linear: {1 / LINEAR:.2f}",
        )
    compare(budget, files)


def per_operation(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us/op"


def compare(budget: Budget, files: dict[int, bytes]) -> None:
    """Reading and printing, beside NVIDIA's disassembler."""
    try:
        tool = find_tileirdisasm()
    except DiagnosticError as error:
        budget.add("read and print", "-", error.diagnostics[0].message)
        return
    kernels = [(case.name, case.bytecode) for case in corpus.cases("real", version=VERSION)]
    measured = [(*both(tool, data), name) for name, data in kernels]
    by_ratio = sorted((theirs / ours, ours, theirs, name) for ours, theirs, name in measured)
    middle = statistics.median_low(by_ratio)
    for what, (ratio, ours, theirs, name) in (
        ("lowest", by_ratio[0]),
        ("median", middle),
        ("highest", by_ratio[-1]),
    ):
        add(budget, f"{name} ({what} of {len(kernels)} kernels)", ours, theirs, ratio)
    for size, data in files.items():
        ours, theirs = both(tool, data)
        add(budget, f"{size:,} operations", ours, theirs, theirs / ours)


def add(budget: Budget, what: str, ours: float, theirs: float, ratio: float) -> None:
    budget.add(
        f"read and print {what}",
        f"{ours * 1e3:.1f} ms",
        f"tileirdisasm {theirs * 1e3:.1f} ms",
        f"{ratio:.2f}",
    )


def both(tool: Path, data: bytes) -> tuple[float, float]:
    """CPU seconds of our reading and printing, and of NVIDIA's."""
    ours = cpu(lambda: module_text(decode_module(data), nvidia=True, wrapped=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "module.tileirbc")
        path.write_bytes(data)
        return ours, min(process_cpu([str(tool), str(path)]) for _ in range(5))


def process_cpu(arguments: list[str]) -> float:
    """CPU seconds of a process, finer than the clock ticks of `os.times`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
