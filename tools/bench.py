"""`make bench`: what costs how much, as ratios measured in one run.

    python tools/bench.py [SECTION...]

Times are CPU seconds, the least of several repeats. A ratio above 1 is in our favour. The
interpreter has a benchmark of its own, `bench_interpreter.py`.
"""

from __future__ import annotations

import importlib
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.bytecode.reader import decode_module
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticSink, SourceFile
from tileir_xdsl.dialects.cuda_tile.parser import new_context, parse_source
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.verifier import verify_into

ROOT = Path(__file__).parents[1]
OPERATIONS = 10_000
OPERATIONS_PER_ENTRY = 200


def program(operations: int = OPERATIONS) -> str:
    """A module of entries of 200 operations each: arithmetic, shapes, a loop and a reduction."""
    body = """\
    %one{i} = constant <f32: 1.0> : tile<128xf32>
    %a{i} = addf %x, %one{i} : tile<128xf32>
    %b{i} = mulf %a{i}, %x rounding<zero> flush_to_zero : tile<128xf32>
    %c{i} = fma %a{i}, %b{i}, %x : tile<128xf32>
    %d{i} = reshape %c{i} : tile<128xf32> -> tile<8x16xf32>
    %e{i} = exp2 %d{i} flush_to_zero : tile<8x16xf32>
    %f{i} = cmpf less_than ordered %e{i}, %d{i} : tile<8x16xf32> -> tile<8x16xi1>
    %g{i} = select %f{i}, %e{i}, %d{i} : tile<8x16xi1>, tile<8x16xf32>
    %h{i} = ftof %g{i} : tile<8x16xf32> -> tile<8x16xf16>
    %t{i} = store_ptr_tko weak %p, %c{i} : tile<128xptr<f32>>, tile<128xf32> -> token
"""
    lines = ["cuda_tile.module @bench {"]
    for entry in range(max(1, operations // OPERATIONS_PER_ENTRY)):
        lines.append(f"  entry @k{entry}(%base: tile<ptr<f32>>) {{")
        lines.append("    %r = reshape %base : tile<ptr<f32>> -> tile<1xptr<f32>>")
        lines.append("    %p = broadcast %r : tile<1xptr<f32>> -> tile<128xptr<f32>>")
        lines.append(
            "    %x, %read = load_ptr_tko weak %p : tile<128xptr<f32>> -> tile<128xf32>, token"
        )
        for i in range(OPERATIONS_PER_ENTRY // 10):
            lines.append(body.replace("{i}", str(i)).rstrip("\n"))
        lines += ["    return", "  }"]
    return "\n".join([*lines, "}", ""])


def cpu(call: Callable[[], Any], repeats: int = 3) -> float:
    """The least CPU seconds of some repeats."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def command_cpu(arguments: list[str], repeats: int = 5) -> float:
    """The least CPU seconds of a command, user and system together."""
    best = float("inf")
    for _ in range(repeats):
        before = os.times()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        after = os.times()
        used = after.children_user + after.children_system
        best = min(best, used - before.children_user - before.children_system)
    return best


class Budget:
    """The table of the run."""

    def __init__(self) -> None:
        self.table = Table("what", "measured", "compared with", "ratio", "budget")

    def add(
        self, what: str, measured: str, other: str = "", ratio: str = "", goal: str = ""
    ) -> None:
        self.table.add_row(what, measured, other, ratio, goal)

    def rate(self, what: str, seconds: float, stock: float | None, goal: str) -> None:
        """A row of operations per second, beside xDSL's own way when there is one."""
        measured = f"{OPERATIONS / seconds:,.0f} ops/s"
        if stock is None:
            self.add(what, measured, goal=goal)
            return
        other = f"xDSL {OPERATIONS / stock:,.0f} ops/s"
        self.add(what, measured, other, f"{stock / seconds:.2f}", goal)


def bench_text(budget: Budget) -> None:
    """Parsing, verifying, printing, encoding and decoding 10,000 operations."""
    text = program()
    context = new_context()

    def parse() -> Any:
        return parse_source(SourceFile("bench.mlir", text), DiagnosticSink(), context)

    def parse_stock() -> Any:
        return Parser(context, text, "bench.mlir").parse_module()

    module = parse()
    budget.rate("parse", cpu(parse), cpu(parse_stock), "not slower, later 3x")
    budget.rate(
        "verify",
        cpu(lambda: verify_into(module, DiagnosticSink())),
        cpu(module.verify),
        "later 2x",
    )
    budget.rate(
        "print",
        cpu(lambda: module_text(module)),
        cpu(lambda: Printer(io.StringIO()).print_op(module)),
        "later 1x",
    )
    data = encode_module(module, "13.3")
    budget.rate("encode", cpu(lambda: encode_module(module, "13.3")), None, "later 50,000")
    budget.rate("decode", cpu(lambda: decode_module(data)), None, "later 25,000")


def bench_startup(budget: Budget) -> None:
    """CPU time of the command on a program of one operation, beside plain `xdsl-opt`."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.mlir")
        small.write_text("cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n")
        empty = Path(folder, "empty.mlir")
        empty.write_text("builtin.module {}\n")
        run = "import sys; from {} import main; sys.exit(main())"
        ours = [sys.executable, "-c", run.format("tileir_xdsl.cli.tile_opt")]
        theirs = [sys.executable, "-c", run.format("xdsl.tools.xdsl_opt")]
        seconds = command_cpu([*ours, str(small)])
        stock = command_cpu([*theirs, str(empty)])
        version = command_cpu([*ours, "--version"])
    budget.add(
        "start tile-opt", f"{seconds:.3f} s", f"xdsl-opt {stock:.3f} s", f"{stock / seconds:.2f}",
        "<= 0.5 s",
    )  # fmt: skip
    budget.add("tile-opt --version", f"{version:.3f} s", goal="later 0.06 s")


def bench_bytecode(budget: Budget) -> None:
    """Reading and writing by size, and beside NVIDIA's disassembler."""
    importlib.import_module("bench_bytecode").run(budget)


SECTIONS: dict[str, Callable[[Budget], None]] = {
    "text": bench_text,
    "startup": bench_startup,
    "bytecode": bench_bytecode,
}


def main(arguments: list[str]) -> None:
    unknown = set(arguments) - SECTIONS.keys()
    if unknown:
        sys.exit(f"unknown section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    budget = Budget()
    for name in arguments or SECTIONS:
        SECTIONS[name](budget)
    Console(width=120).print(budget.table)


if __name__ == "__main__":
    main(sys.argv[1:])
