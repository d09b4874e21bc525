"""Forms of the operations on shapes, of constants, `assume` and `print_tko`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from support.op_forms.body import (
    ANY_FLOATS,
    FLOATS,
    INTS,
    Body,
    Build,
    TensorView,
    access,
    forms,
    pointer,
    simple,
    tile,
)
from support.op_forms.conversions import conversion


@forms("get_num_tile_blocks")
def _(name: str) -> Iterator[Build]:
    names = ("gridSize_x", "gridSize_y", "gridSize_z")
    yield access(lambda body: f"{name}{body.attributes} : tile<i32>", *names)


@forms("get_tile_block_id")
def _(name: str) -> Iterator[Build]:
    names = ("blockId_x", "blockId_y", "blockId_z")
    yield access(lambda body: f"{name}{body.attributes} : tile<i32>", *names)


def regroup(name: str, hint: str | None, source: str, target: str) -> Build:
    def build(body: Body) -> None:
        operand = body.value(source)
        text = f"{name} {operand}{body.attributes} : {source} -> {target}"
        body.op(text, *([hint] if hint else []))

    return build


@forms("broadcast")
def _(name: str) -> Iterator[Build]:
    for element in (*INTS, *ANY_FLOATS, "i4", pointer("f32")):
        yield regroup(name, "bcast", tile(element, 1, 4), tile(element, 8, 4))
    yield regroup(name, "bcast", tile("f32", 1), tile("f32", 128))


@forms("reshape")
def _(name: str) -> Iterator[Build]:
    for element in (*INTS, *ANY_FLOATS, "i4", pointer("f32")):
        yield regroup(name, "reshape", tile(element, 8), tile(element, 2, 1, 4))
    yield regroup(name, "reshape", tile("f32"), tile("f32", 1, 1))


PACKED = {"f32": (8, 32), "f64": (2, 16), "f16": (8, 16), "bf16": (8, 16), "tf32": (8, 32)} | {
    "i1": (16, 2),
    "i4": (8, 4),
    "i16": (8, 16),
    "i32": (8, 32),
    "i64": (8, 64),
    "f4E2M1FN": (8, 4),
}
"""Extents of the numbers and of their bytes."""


@forms("pack")
def _(name: str) -> Iterator[Build]:
    for element, (count, size) in PACKED.items():
        yield conversion(name, "", tile(element, count), tile("i8", size))


@forms("unpack")
def _(name: str) -> Iterator[Build]:
    for element, (count, size) in PACKED.items():
        yield conversion(name, "", tile("i8", size), tile(element, count))


@forms("cat")
def _(name: str) -> Iterator[Build]:
    for element, dim in product(("f32", "i1", pointer("i8")), (0, 1)):
        result = tile(element, 4, 4) if dim == 0 else tile(element, 2, 8)
        type = tile(element, 2, 4)
        text = f"{name} {{0}}, {{1}} dim = {dim}{{a}} : {type}, {type} -> {result}"
        yield simple(text, type, type)


@forms("extract")
def _(name: str) -> Iterator[Build]:
    for shape in ((), (8,), (4, 8), (2, 4, 8)):
        part = tuple(extent // 2 for extent in shape)
        indices = ", ".join(f"{{{k + 1}}}" for k in range(len(shape)))
        types = tile("f32", *shape), tile("f32", *part)
        text = f"{name} {{0}}[{indices}]{{a}} : {types[0]} -> {types[1]}"
        yield simple(text, types[0], *[tile("i32")] * len(shape))


@forms("insert")
def _(name: str) -> Iterator[Build]:
    for shape in ((), (8,), (4, 8), (2, 4, 8)):
        part = tuple(extent // 2 for extent in shape)
        indices = ", ".join(f"{{{k + 2}}}" for k in range(len(shape)))
        types = tile("f32", *part), tile("f32", *shape)
        text = f"{name} {{0}}, {{1}}[{indices}]{{a}} : {types[0]}, {types[1]}"
        yield simple(text, *types, *[tile("i32")] * len(shape))


@forms("permute")
def _(name: str) -> Iterator[Build]:
    for order in ((1, 0), (0, 1), (2, 0, 1), (0, 2, 1, 3)):
        shape = (2, 4, 8, 16)[: len(order)]
        types = tile("f32", *shape), tile("f32", *(shape[k] for k in order))
        text = f"{name} {{0}} [{', '.join(map(str, order))}]{{a}} : {types[0]} -> {types[1]}"
        yield simple(text, types[0])


@forms("iota")
def _(name: str) -> Iterator[Build]:
    for element, count in (("i1", 2), ("i8", 128), ("i16", 8), ("i32", 1), ("i64", 256)):
        yield simple(f"{name}{{a}} : {tile(element, count)}")


@forms("offset")
def _(name: str) -> Iterator[Build]:
    for element, kind, shape in product(INTS, (None, "multicast"), ((), (4,), (2, 4))):
        types = tile(pointer("f32", kind), *shape), tile(element, *shape)
        text = f"{name} {{0}}, {{1}}{{a}} : {types[0]}, {types[1]} -> {types[0]}"
        yield simple(text, *types)


@forms("select")
def _(name: str) -> Iterator[Build]:
    for element in (*INTS, *FLOATS, "tf32", "f8E4M3FN", "i4", pointer("f32")):
        types = tile("i1", 4), tile(element, 4)
        text = f"{name} {{0}}, {{1}}, {{2}}{{a}} : {types[0]}, {types[1]}"
        yield simple(text, types[0], types[1], types[1])


CONSTANTS = (
    ("i1: true", "tile<i1>", "true"),
    ("i1: false", "tile<4xi1>", "false"),
    ("i1: [true, false]", "tile<2xi1>", "cst_i1"),
    ("i8: -128", "tile<i8>", "cst_-128_i8"),
    ("i8: [[1, 2], [-1, -128]]", "tile<2x2xi8>", "cst_i8"),
    ("i16: 32767", "tile<2xi16>", "cst_32767_i16"),
    ("i32: -1", "tile<1x1x1xi32>", "cst_-1_i32"),
    ("i64: -9223372036854775808", "tile<i64>", "cst_-9223372036854775808_i64"),
    ("i64: [9223372036854775807, 0]", "tile<2xi64>", "cst_i64"),
    ("f32: 1.000000e+00", "tile<f32>", "cst_1_f32"),
    ("f32: -0.000000e+00", "tile<f32>", "cst_f32"),
    ("f32: 3.14159274", "tile<4xf32>", "cst_f32"),
    ("f32: 1.17549435E-38", "tile<f32>", "cst_f32"),
    ("f32: 0x4B800000", "tile<f32>", "cst_16777216_f32"),
    ("f32: 0x7F800000", "tile<f32>", "cst_f32"),
    ("f32: 0xFFC00001", "tile<f32>", "cst_NaN_f32"),
    ("f32: [0x7F800001, 1.500000e+00]", "tile<2xf32>", "cst_f32"),
    ("f64: 1.000000e-01", "tile<f64>", "cst_f64"),
    ("f16: 0x7C00", "tile<f16>", "cst_f16"),
    ("bf16: 0x7FC0", "tile<bf16>", "cst_NaN_bf16"),
    ("tf32: 5.000000e-01", "tile<tf32>", "cst_tf32"),
    ("f8E4M3FN: 0x7F", "tile<f8E4M3FN>", "cst_NaN_f8E4M3FN"),
    ("f8E5M2: 2.000000e+00", "tile<f8E5M2>", "cst_2_f8E5M2"),
    ("f8E8M0FNU: 1.000000e+00", "tile<f8E8M0FNU>", "cst_1_f8E8M0FNU"),
    ("f4E2M1FN: [6.000000e+00, -5.000000e-01]", "tile<2xf4E2M1FN>", "cst_f4E2M1FN"),
    ("fnv8E5M3FNU: 1.000000e+00", "tile<fnv8E5M3FNU>", "cst_1_fnv8E5M3FNU"),
)


@forms("constant")
def _(name: str) -> Iterator[Build]:
    def one(literal: str, type: str, hint: str) -> Build:
        return access(lambda body: f"{name} <{literal}>{body.attributes} : {type}", hint)

    for constant in CONSTANTS:
        yield one(*constant)


# Miscellaneous.

ASSUMPTIONS = (
    ("div_by<16>", "tile<i32>"),
    ("div_by<1>", "tile<4xi8>"),
    ("div_by<4, every 2 along 0>", "tile<4xi32>"),
    ("div_by<16>", "tile<ptr<f32>>"),
    ("same_elements<[]>", "tile<i32>"),
    ("same_elements<[1, 4]>", "tile<2x4xi16>"),
    ("bounded<0, 42>", "tile<i32>"),
    ("bounded<?, 42>", "tile<i32>"),
    ("bounded<-1, ?>", "tile<4xi64>"),
    ("bounded<?, ?>", "tile<i8>"),
)


@forms("assume")
def _(name: str) -> Iterator[Build]:
    def one(predicate: str, type: str) -> Build:
        def build(body: Body) -> None:
            operand = body.value(type)
            hint = "" if operand.startswith("%arg") else f"_{operand[1:]}"
            text = f"{name} {predicate}, {operand}{body.attributes} : {type}"
            body.op(text, f"assume{hint}")

        return build

    def of_view(body: Body) -> None:
        operand = body.tensor_view(TensorView())
        body.op(f"{name} div_by<16>, {operand} : {TensorView()}", "assume_tview")

    for assumption in ASSUMPTIONS:
        yield one(*assumption)
    yield of_view


@forms("print_tko")
def _(name: str) -> Iterator[Build]:
    formats = (
        (r"hi\0A", ()),
        ("%i", (tile("i32"),)),
        (r"%5.2f|%s \22%%\22 \\", (tile("f32", 4), tile(pointer("f32")))),
    )

    def one(format: str, types: Sequence[str], token: bool) -> Build:
        def build(body: Body) -> None:
            operands = "".join(f", {body.value(type)}" for type in types)
            after = f" token={body.value('token')}" if token else ""
            colon = f" : {', '.join(types)}" if types else ""
            body.op(f'{name} "{format}"{operands}{after}{body.attributes}{colon} -> token')

        return build

    for (format, types), token in product(formats, (False, True)):
        yield one(format, types, token)
