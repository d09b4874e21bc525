"""Every operation in every legal combination of its optional parts, as text.

The texts are what the printer must give: NVIDIA's layout with MLIR's value names, in the form that
reads back. Each form is an entry of its own, so that all forms of an operation make one module:
`programs` gives its text.

Operands are constants of distinct values, whose suggested names (`%cst_1_f32`, `%cst_2_f32`) are
known beforehand, and arguments of the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

from support.op_forms import arithmetic, control_flow, conversions, core, memory, views
from support.op_forms.body import BUILDERS, NOTE, Body, Build

FAMILIES = (arithmetic, control_flow, conversions, core, memory, views)
"""The modules that register the forms of operations in an entry when they are imported."""


def entry_text(name: str, body: Body, hints: str = "", attributes: str = "") -> str:
    """An entry around the lines of a body."""
    arguments = ", ".join(f"%arg{k}: {type}" for k, type in enumerate(body.arguments))
    lines = "".join(f"  {line}\n" for line in (*body.lines, "return"))
    return f"entry @{name}({arguments}){hints} {{\n{lines}}}{attributes}\n"


SYMBOLS = ("k", "_a.b$c", '"a-b"', '"9a"', r'"k \22\C3\A9\22"')

ENTRY_HINTS = (
    "",
    " optimization_hints=<sm_100 = {num_cta_in_cga = 2, occupancy = 4}>",
    " optimization_hints=<default = {num_worker_warps_per_cta = 8}, sm_100 = {occupancy = 2}, "
    "sm_90 = {occupancy = 1}>",
)

ARGUMENTS = (
    (),
    ("tile<i32>", "tile<ptr<f32>>"),
    ("tile<i32> {cuda_tile.x = 5 : i32}", "tile<f32>"),
    ('tile<ptr<i8>> {a.b = true, cuda_tile.s = "text", cuda_tile.x = 5 : i64}',),
)


def entries(attributes: str) -> Iterator[str]:
    for symbol, hints, arguments in product(SYMBOLS, ENTRY_HINTS, ARGUMENTS):
        yield entry_text(symbol, Body(arguments=list(arguments)), hints, attributes)


GLOBAL_VALUES = (
    "<i32: 1> : tile<2xi32>",
    "<f32: [1.000000e+00, -5.000000e-01]> : tile<2xf32>",
    "<i1: [true, false]> : tile<2xi1>",
)


def globals_(attributes: str) -> Iterator[str]:
    kinds = product(("", "private "), ("", " constant"), ("", " alignment = 16"))
    for k, ((private, constant, alignment), value) in enumerate(product(kinds, GLOBAL_VALUES)):
        value = value.replace("> :", f">{attributes} :", 1)
        yield f"global {private}{constant} @g{k}{alignment} {value}\n"


@cache
def get_global_forms(attributes: str = "") -> tuple[str, ...]:
    texts = ["global  @g0 <f32: 1.000000e+00> : tile<2xf32>\n"]
    body = Body(attributes)
    body.op(f"get_global @g0{attributes} : tile<ptr<f32>>")
    texts.append(entry_text("reads_g0", body))
    return tuple(texts)


MODULES = (
    "cuda_tile.module @kernels {\n}\n",
    "cuda_tile.module @kernels {\n  entry @k() {\n    return\n  }\n}\n",
    'cuda_tile.module @"a b" attributes {producer = "some \\22tool\\22"} {\n}\n',
    'cuda_tile.module @m attributes {note, producer = "tool"} {\n}\n',
)
"""Wrapped modules, which print as they were read."""


OPERATIONS_WITH_FORMS = (*BUILDERS, "entry", "get_global", "global", "module")


@cache
def body_builds(mnemonic: str) -> tuple[Build, ...]:
    """The forms of an operation that stands in an entry."""
    return tuple(build for function in BUILDERS[mnemonic] for build in function(mnemonic))


@cache
def programs(mnemonic: str) -> tuple[str, ...]:
    """Texts that together hold all forms of an operation; wrapped ones are the module's."""
    if mnemonic == "module":
        return MODULES
    if mnemonic == "entry":
        return ("".join(_distinct(entries(""))),)
    if mnemonic == "global":
        return ("".join(globals_("")),)
    if mnemonic == "get_global":
        return ("".join(get_global_forms()),)
    return (
        "".join(_entry_of(mnemonic, k, build) for k, build in enumerate(body_builds(mnemonic))),
    )


def _entry_of(mnemonic: str, k: int, build: Build, attributes: str = "") -> str:
    body = Body(attributes)
    build(body)
    return entry_text(f"{mnemonic}_{k}", body)


def _distinct(texts: Iterator[str]) -> Iterator[str]:
    """Entries renamed so that each symbol occurs once."""
    for k, text in enumerate(texts):
        yield re.sub(r'(?<=@)"?([^"(\\]*)', lambda m: f"{m[0]}{k}", text, count=1)


def with_attributes(mnemonic: str) -> str:
    """One form of an operation, with a discardable attribute dictionary where text has it."""
    attributes = f" {NOTE}"
    if mnemonic == "module":
        return f"cuda_tile.module @m attributes{attributes} {{\n}}\n"
    if mnemonic == "entry":
        return next(entries(attributes))
    if mnemonic == "global":
        return next(globals_(attributes))
    if mnemonic == "get_global":
        return "".join(get_global_forms(attributes))
    return _entry_of(mnemonic, 0, body_builds(mnemonic)[0], attributes)
