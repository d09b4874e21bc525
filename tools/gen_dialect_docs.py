"""Writes `docs/dialects/*.md`: a reference of each dialect from the declarations of its operations.

    python tools/gen_dialect_docs.py

The examples of `tile_sugar` are built from the declarations and printed by the printer; a test
reads them back.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from xdsl.dialects.builtin import f32, i1, i32
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import OPERATIONS as CUDA_OPERATIONS
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp, wire_layout
from tileir_xdsl.dialects.cuda_tile.parser import parse_module
from tileir_xdsl.dialects.cuda_tile.printer import module_text
from tileir_xdsl.dialects.tile_sugar import OPERATIONS as SUGAR_OPERATIONS
from tileir_xdsl.dialects.tile_sugar import (
    elementwise,
    kernel,
    library,
    memory,
    reductions,
    shapes,
    sweep,
)
from tileir_xdsl.dialects.tile_sugar.base import TileSugarOp
from tileir_xdsl.dialects.tile_sugar.elementwise import ConstantOp
from tileir_xdsl.dialects.tile_sugar.types import tile_type

FOLDER = Path(__file__).parents[1] / "docs" / "dialects"
HEADER = "<!-- written by tools/gen_dialect_docs.py -->\n"

GROUPS: tuple[tuple[str, ModuleType], ...] = (
    ("Kernels", kernel),
    ("Memory", memory),
    ("Elementwise operations", elementwise),
    ("Sweeps", sweep),
    ("Reductions", reductions),
    ("Shapes", shapes),
    ("Products and library", library),
)

WRITTEN: dict[str, str] = {
    "kernel": "tile_sugar.kernel @k(%X: tensor<?x100xf32> {readonly}, %n: i32) "
    "grid(ceildiv(dim %X 0, 8)) {\n  return\n}",
    "return": "return",
    "block_id": "%b = block_id 0",
    "num_blocks": "%count = num_blocks 0",
    "extent": "%rows = extent %X, 0 : tensor<?x100xf32>",
    "make_tensor": "%T = make_tensor %X + %n extents(%n) : tensor<?x100xf32>, i32 "
    "-> tensor<?x4xf32>",
    "load": "%x = load %X[%n, 0] fill 1.0 : tensor<?x100xf32> -> tile<8x100xf32>",
    "store": "store %x, %X[%n, 0] : tile<8x100xf32>, tensor<?x100xf32>",
    "gather": "%g = gather %X[%i, %j] : tensor<?x100xf32>, tile<8x1xi32>, tile<1x4xi32> "
    "-> tile<8x4xf32>",
    "gather_rows": "%g = gather_rows %X[%i, 0] : tensor<?x100xf32>, tile<8x1xi32> "
    "-> tile<8x100xf32>",
    "scatter": "scatter %x, %X[%i, %k] : tile<8x100xf32>, tensor<?x100xf32>, tile<8x1xi32>, "
    "tile<1x100xi32>",
    "atomic": "%o = atomic add %c, %L[%c] : tile<8xi32>, tensor<?xi32>, tile<8xi32> -> tile<8xi32>",
    "print": 'print "%d\\0A", %n : i32',
    "assert": 'assert %t, "message" : i1',
    "iota": "%k = iota 1 : tile<1x100xi32>",
    "constant": "%c = constant -1.0e30 : f16",
    "splat": "%y = splat %n : i32 -> tile<8x100xi32>",
    "broadcast": "%y = broadcast %i : tile<8x1xi32> -> tile<8x100xi32>",
    "to_scalar": "%y = to_scalar %one : tile<1x1xf32>",
    "cast": "%y = cast %x : tile<8x100xf32> -> tile<8x100xf16>",
    "bitcast": "%y = bitcast %x : tile<8x100xf32> -> tile<8x100xi32>",
    "sweep": "%y = sweep(%x) : tile<8x100xf32> -> tile<8x100xf32> {\n^bb0(%a: f32):\n"
    "  %0 = exp %a : f32\n  yield %0 : f32\n}",
    "index": "%y = sweep() : -> tile<8x100xi32> {\n  %0 = index 1\n  yield %0 : i32\n}",
    "yield": "%y = sweep(%x) : tile<8x100xf32> -> tile<8x100xf32> {\n^bb0(%a: f32):\n"
    "  yield %a : f32\n}",
    "reduce": "%y = reduce(%x) axis 1 kinds [sum] : tile<8x100xf32> -> tile<8x1xf32> map {\n"
    "^bb0(%a: f32):\n  %0 = square %a : f32\n  yield %0 : f32\n}",
    "scan": "%y = scan(%x) axis 1 kinds [max] : tile<8x100xf32> -> tile<8x100xf32>",
    "reshape": "%y = reshape %x : tile<8x100xf32> -> tile<8x1x100xf32>",
    "flat": "%y = flat %i : tile<8x1xi32>",
    "extract": "%y = extract %x[0, 64] : tile<8x100xf32> -> tile<8x4xf32>",
    "insert": "%y = insert %p, %x[0, 96] : tile<8x4xf32>, tile<8x100xf32>",
    "concat": "%y = concat %p, %p axis 1 : tile<8x4xf32>",
    "permute": "%y = permute %x order [1, 0] : tile<8x100xf32>",
    "gather_tile": "%y = gather_tile %c, %i : tile<8xi32>, tile<8x1xi32>",
    "mask_cols": "%y = mask_cols %x, %n, -1.0e30 : tile<8x100xf32>",
    "causal_mask": "%y = causal_mask %x, %n, %n : tile<8x100xf32>",
    "online_softmax_step": "%m1, %l1, %a1 = online_softmax_step %m, %m, %acc, %x, %v scale 0.125 : "
    "tile<8x1xf32>, tile<8x1xf32>, tile<8x16xf32>, tile<8x100xf32>, tile<100x16xf16>",
    "cross_entropy": "%y = cross_entropy %x, %i : tile<8x100xf32>, tile<8x1xi32>",
    "topk": "%v1, %c1 = topk %x k 4 : tile<8x100xf32>",
    "layer_norm": "%y = layer_norm %x, %g, %g eps 1.0e-5 : tile<8x100xf32>, tile<1x100xf32>, "
    "tile<1x100xf32>",
    "rms_norm": "%y = rms_norm %x, %g eps 1.0e-6 : tile<8x100xf32>, tile<1x100xf32>",
    "dot": "%y = dot %h, %v : tile<48x100xf16>, tile<100x16xf16>",
    "dot_scaled": "%y = dot_scaled %w, %e, %w, %f : tile<64x64xf8E4M3FN>, tile<64x2xf8E8M0FNU>, "
    "tile<64x64xf8E4M3FN>, tile<2x64xf8E8M0FNU>",
    "axpy": "%y = axpy %s, %x, %x : f32, tile<8x100xf32>, tile<8x100xf32>",
    "argsel": "%y = argsel %x, %x, %n, %n : tile<8x100xf32>, tile<8x100xf32>, i32, i32",
    "powi": "%y = powi %x, %n : tile<8x100xf32>, i32",
    "cmp": "%y = cmp lt %x, %s : tile<8x100xf32>, f32",
    "select": "%y = select %t, %x, %s : i1, tile<8x100xf32>, f32",
}
"""Examples of operations with a syntax of their own; the others are made from the declarations."""

PRELUDE = (
    ("%x", "tile<8x100xf32>"),
    ("%i", "tile<8x1xi32>"),
    ("%j", "tile<1x4xi32>"),
    ("%k", "tile<1x100xi32>"),
    ("%c", "tile<8xi32>"),
    ("%p", "tile<8x4xf32>"),
    ("%one", "tile<1x1xf32>"),
    ("%m", "tile<8x1xf32>"),
    ("%acc", "tile<8x16xf32>"),
    ("%v", "tile<100x16xf16>"),
    ("%g", "tile<1x100xf32>"),
    ("%h", "tile<48x100xf16>"),
    ("%w", "tile<64x64xf8E4M3FN>"),
    ("%e", "tile<64x2xf8E8M0FNU>"),
    ("%f", "tile<2x64xf8E8M0FNU>"),
    ("%t", "i1"),
)
"""The values that examples use, beside the parameters %X, %L, %n and %s."""

CANDIDATES: tuple[tuple[Attribute, Attribute], ...] = (
    (tile_type([8, 100], f32), tile_type([8, 1], f32)),
    (tile_type([8, 100], f32), tile_type([8, 100], f32)),
    (tile_type([8, 100], i32), tile_type([8, 1], i32)),
    (tile_type([8, 100], i1), tile_type([8, 100], i1)),
)
"""Types of the first operand and of the others to make an example of."""


@dataclass(frozen=True)
class Example:
    """The text of an operation that verifies, and the values that it uses."""

    text: str
    values: tuple[tuple[str, str], ...] = PRELUDE

    def kernel(self) -> str:
        """A kernel in which the example stands."""
        if self.text.startswith("tile_sugar.kernel"):
            return self.text
        results, equals, rest = self.text.partition("= ")
        defined = set(re.findall(r"%\w+", results)) if equals else set[str]()
        used = set(re.findall(r"%\w+", rest if equals else self.text))
        lines = [
            f"{name} = constant 1 : {type}"
            for name, type in self.values
            if name in used and name not in defined
        ]
        lines.append(self.text.replace("\n", "\n  "))
        if self.text != "return":
            lines.append("return")
        body = "\n  ".join(lines)
        return (
            "tile_sugar.kernel @example(%X: tensor<?x100xf32>, %L: tensor<?xi32>, %n: i32, "
            f"%s: f32) {{\n  {body}\n}}\n"
        )


def example_of(cls: type[TileSugarOp]) -> Example:
    """An example of an operation."""
    written = WRITTEN.get(cls.mnemonic())
    if written is not None:
        return Example(written)
    names = [name for name, _ in cls.get_irdl_definition().operands]
    for first, others in CANDIDATES:
        types = [first, *[others] * (len(names) - 1)]
        constants = [ConstantOp.make(1, type) for type in types]
        try:
            op = cls.of(*constants)
            op.verify()
        except VerifyException:
            continue
        text = _printed(op, constants, names)
        return Example(text, tuple((f"%{n}", _short(t)) for n, t in zip(names, types, strict=True)))
    raise AssertionError(f"no example of {cls.name}")


def _short(type: Attribute) -> str:
    return str(type).removeprefix("!cuda_tile.").removeprefix("!tile_sugar.")


def _printed(op: Operation, constants: Sequence[Operation], names: Sequence[str]) -> str:
    """One operation in its own form, its operands by name."""
    body = Region(Block([*constants, op, kernel.ReturnOp()]))
    text = module_text(kernel.KernelOp("k", body))
    line = next(line for line in text.splitlines() if f"= {op.name.partition('.')[2]} " in line)
    for number, name in reversed(list(enumerate(names))):
        line = re.sub(rf"%{number}\b", f"%{name}", line)
    return re.sub(r"^%\d+ =", "%result =", line.strip())


def syntax_of(cls: type[TileSugarOp]) -> str:
    """The options of an operation, in words."""
    words = {"unit": "", "int": " N", "ints": " [N, ..]", "number": " NUMBER"}
    options = [
        f"`{o.name}<..>`" if o.kind == "fastmath" else f"`{o.name}{words[o.kind]}`"
        for o in cls.OPTIONS
        if not (o.name == "extent" or o.name.startswith("from_unsigned") or o.name == "to_unsigned")
    ]
    return ", ".join(options)


def description_of(cls: type[Any]) -> str:
    return inspect.cleandoc(cls.__doc__ or "").strip()


def sugar_document() -> str:
    """The reference of `tile_sugar`."""
    parts = [
        HEADER,
        "# The operations of `tile_sugar`\n",
        "A guide with whole kernels is [Writing kernels](../tile_sugar.md). Operations stand in a "
        "`tile_sugar.kernel`, without the dialect's name before theirs; `%X: tensor<?x100xf32>`, "
        "`%n: i32` and `%s: f32` are parameters of the kernel in the examples.\n",
    ]
    listed: set[type[TileSugarOp]] = set()
    for title, module in GROUPS:
        parts.append(f"## {title}\n\n{description_of_module(module)}\n")
        for cls in sorted(module.OPERATIONS, key=lambda op: op.name):
            listed.add(cls)
            parts.append(_sugar_entry(cls))
    assert listed == set(SUGAR_OPERATIONS)
    return "\n".join(parts)


def description_of_module(module: ModuleType) -> str:
    return inspect.cleandoc(module.__doc__ or "").strip()


def _sugar_entry(cls: type[TileSugarOp]) -> str:
    lines = [f"### `{cls.mnemonic()}`\n", description_of(cls), ""]
    options = syntax_of(cls)
    if options:
        lines += [f"Options: {options}.", ""]
    lines += ["```mlir", example_of(cls).text, "```", ""]
    return "\n".join(lines)


def cuda_document() -> str:
    """The reference of `cuda_tile`."""
    parts = [
        HEADER,
        "# The operations of `cuda_tile`\n",
        "NVIDIA's dialect, as declared here: what each operation computes, since which version it "
        "and its later fields exist, and its number in the bytecode. A tile's element types are "
        "those that the verifier lets through.\n",
    ]
    for cls in sorted(CUDA_OPERATIONS, key=lambda op: op.name):
        parts.append(_cuda_entry(cls))
    return "\n".join(parts)


def _cuda_entry(cls: type[CudaTileOp]) -> str:
    layout = wire_layout(cls)
    lines = [
        f"### `{cls.mnemonic()}`\n",
        description_of(cls),
        "",
        f"Since {layout.since}, opcode {layout.opcode:#04x}.",
        "",
    ]
    rows: list[tuple[str, str, str]] = []
    rows += [(v.name, _kind("operand", v), _since(cls, v.since)) for v in layout.operands]
    rows += [
        (p.name, f"attribute{', optional' if p.flagged else ''}", _since(cls, p.since))
        for p in layout.properties
    ]
    rows += [(v.name, _kind("result", v), _since(cls, v.since)) for v in layout.results]
    if rows:
        lines += ["| name | what | since |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {what} | {since} |" for name, what, since in rows]
        lines.append("")
    return "\n".join(lines)


def _kind(what: str, value: Any) -> str:
    return (
        f"{what}{', any number' if value.variadic else ''}{', optional' if value.optional else ''}"
    )


def _since(cls: type[CudaTileOp], version: Any) -> str:
    return "" if version == cls.SINCE else str(version)


DOCUMENTS = {"tile_sugar.md": sugar_document, "cuda_tile.md": cuda_document}


def check_examples() -> None:
    """Every example reads back and verifies."""
    for cls in SUGAR_OPERATIONS:
        parse_module(example_of(cls).kernel(), cls.name).verify()


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    check_examples()
    for name, document in DOCUMENTS.items():
        (FOLDER / name).write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
