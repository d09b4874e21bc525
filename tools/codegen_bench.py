"""Static measures of the code for the kernels in `tests/codegen`, beside NVIDIA's front end.

    python tools/codegen_bench.py [--kernel NAME]... [--gpu sm_90]... [--json FILE] [--guide]

Above each table stand the pipelines of its columns with all their options, as `tile-opt -p` reads
them; in the file each result has its own.

Each kernel goes through `tile-sugar-to-cuda-tile` with each set of options, and the same kernel in
`cuda-tile` (`tools/codegen_kernels.py`) through its own compiler; both through one tileiras. Counts
are of SASS instructions, all and in the longest innermost loop, registers, stack and shared memory
in bytes, threads, and blocks that fit an SM. tileiras is deterministic; static counts are no times.
Needs NVIDIA's `tileiras`, `nvdisasm` and `cuobjdump`; without `cuda-tile` its column stays empty.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tools")]

from codegen_metrics import SM_LIMITS, Metrics, metrics, tools_available  # noqa: E402

from tileir_xdsl import encode, parse  # noqa: E402
from tileir_xdsl.diagnostics import DiagnosticError  # noqa: E402
from tileir_xdsl.dialects.cuda_tile.parser import new_context  # noqa: E402
from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline  # noqa: E402
from tileir_xdsl.passes.pipeline_text import pass_text  # noqa: E402
from tileir_xdsl.runtime.tileiras import (  # noqa: E402
    assemble,
    find_tileiras,
    release,
    tool_version,
)

KERNELS = ROOT / "tests" / "codegen"
VERSION = "13.4"
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "exact": {"exact": True},
    "ftz": {"fastmath": ("afn", "contract", "ftz")},
}
"""Sets of options of the pipeline, by name."""

CUTILE = "cuda-tile"

GUIDE = ROOT / "docs" / "performance-guide.md"
MARKS = ("<!-- written by tools/codegen_bench.py --guide -->", "<!-- end of what it writes -->")
"""Around the tables of the guide."""


def pipeline(gpu: str, options: Mapping[str, Any]) -> TileSugarToCudaTilePipeline:
    """The pipeline for a GPU and the assembler at hand."""
    assembler = release(tool_version(find_tileiras()))
    return TileSugarToCudaTilePipeline(target=gpu, version=VERSION, assembler=assembler, **options)


def origins(gpu: str) -> dict[str, str]:
    """What the results of each column come from: a pipeline, or NVIDIA's front end."""
    found = {name: pass_text(pipeline(gpu, options)) for name, options in OPTIONS.items()}
    return {**found, CUTILE: f"cuda-tile, bytecode {VERSION}"}


def assembled(path: Path, gpu: str, options: Mapping[str, Any]) -> bytes:
    """The cubin of a kernel of `tile_sugar`."""
    module = parse(path.read_text(), path.name)
    pipeline(gpu, options).apply(new_context(), module)
    return assemble(encode(module, VERSION), gpu)


def ours(path: Path, gpu: str, options: Mapping[str, Any]) -> Metrics:
    """Measures of a kernel of `tile_sugar`."""
    return metrics(assembled(path, gpu, options), gpu)


def theirs(name: str, gpu: str) -> Metrics | None:
    """Measures of the same kernel by NVIDIA's front end; None when it is not installed."""
    try:
        from codegen_kernels import KERNELS as kernels
        from support.cutile_kernels import compile_kernel
    except ImportError:
        return None
    return metrics(assemble(compile_kernel(kernels[name], VERSION, gpu), gpu), gpu)


def measure(path: Path, gpu: str) -> dict[str, Metrics | str]:
    """Measures of one kernel for one GPU by set of options; a message where there are none."""
    found: dict[str, Metrics | str] = {}
    for name, options in OPTIONS.items():
        try:
            found[name] = ours(path, gpu, options)
        except DiagnosticError as error:
            found[name] = error.diagnostics[0].message.splitlines()[0]
    try:
        reference = theirs(path.stem, gpu)
        if reference is not None:
            found[CUTILE] = reference
    except DiagnosticError as error:
        found[CUTILE] = error.diagnostics[0].message.splitlines()[0]
    return found


def cell(value: Metrics | str) -> str:
    if isinstance(value, str):
        return value
    m = value
    stack = f" stack {m.stack}" if m.stack else ""
    loop = f" loop {m.loop}" if m.loop else ""
    return f"{m.sass}{loop} r{m.registers} s{m.shared} t{m.threads} x{m.blocks_per_sm}{stack}"


def record(value: Metrics | str, origin: str) -> dict[str, Any]:
    """A result with the pipeline, or front end, and the assembler that it comes from."""
    found = asdict(value) if isinstance(value, Metrics) else {"error": value}
    return {"from": origin, "tileiras": tool_version(find_tileiras()), **found}


def guide_table(gpu: str, results: Mapping[str, Mapping[str, Any]]) -> str:
    """The results of a GPU as they stand in the performance guide."""
    columns = list(next(iter(results.values())))
    titles = " | ".join(f"`{name}`" if name in ("exact", "ftz") else name for name in columns)
    lines = [f"| {gpu} | {titles} |", "| --- |" + " --- |" * len(columns)]
    for kernel, found in results.items():
        cells = " | ".join(guide_cell(found[name]) for name in columns)
        lines.append(f"| `{kernel}` | {cells} |")
    totals = [sum(found[name].get("sass", 0) for found in results.values()) for name in columns]
    return "\n".join([*lines, "| all, SASS | " + " | ".join(map(str, totals)) + " |"])


def guide_cell(found: Mapping[str, Any]) -> str:
    if "error" in found:
        return found["error"]
    stack = f", stack {found['stack']}" if found["stack"] else ""
    return f"{found['sass']} x {found['threads'] // 32}, {found['blocks_per_sm']}{stack}"


def write_guide(table: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    text = GUIDE.read_text()
    start, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    tables = "\n\n".join(guide_table(gpu, results) for gpu, results in table.items())
    GUIDE.write_text(f"{text[:start]}\n\n{tables}\n\n{text[end:]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kernel", action="append", help="file name without .mlir; all by default")
    parser.add_argument("--gpu", action="append", choices=tuple(SM_LIMITS), help="all by default")
    parser.add_argument("--json", type=Path, help="also write the measures to a file")
    parser.add_argument(
        "--guide", action="store_true", help="also write the tables of the performance guide"
    )
    arguments = parser.parse_args()
    if arguments.guide and (arguments.kernel or arguments.gpu):
        parser.error("--guide needs all kernels and GPUs")
    if not tools_available():
        print(
            "error: needs nvdisasm and cuobjdump: pip install 'tileir-xdsl[codegen]'",
            file=sys.stderr,
        )
        return 1
    paths = [p for p in sorted(KERNELS.glob("*.mlir")) if p.stem in (arguments.kernel or [p.stem])]
    table: dict[str, dict[str, Any]] = {}
    print(f"tileiras {tool_version(find_tileiras())}")
    print(
        "SASS, of them the longest innermost loop, registers a thread (r), shared bytes (s), "
        "threads (t), blocks an SM (x), stack bytes"
    )
    for gpu in arguments.gpu or SM_LIMITS:
        columns = origins(gpu)
        print("\n" + "\n".join(f"{name}: {origin}" for name, origin in columns.items()))
        print(f"\n| {gpu} | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
        totals = dict.fromkeys(columns, 0)
        for path in paths:
            found = measure(path, gpu)
            row = [cell(found[name]) if name in found else "" for name in columns]
            print(f"| {path.stem} | " + " | ".join(row) + " |", flush=True)
            for name, value in found.items():
                totals[name] += value.sass if isinstance(value, Metrics) else 0
            table.setdefault(gpu, {})[path.stem] = {
                name: record(value, columns[name]) for name, value in found.items()
            }
        print("| total SASS | " + " | ".join(str(totals[name]) for name in columns) + " |")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(table, indent=1) + "\n")
    if arguments.guide:
        write_guide(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
