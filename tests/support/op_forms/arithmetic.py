"""Forms of the floating-point, integer and matrix operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from support.op_forms.body import (
    FLOATS,
    IEEE_MODES,
    INTS,
    OVERFLOWS,
    PREDICATES,
    SIGNEDNESS,
    Build,
    flag,
    forms,
    simple,
    tile,
)

# Floating point.


def float_types() -> Iterator[str]:
    for element in FLOATS:
        yield tile(element, 4)
    yield tile("f32")
    yield tile("f16", 2, 1, 8)


@forms("absf", "ceil", "cos", "cosh", "floor", "log", "log2", "negf", "sin", "sinh", "tan")
def _(name: str) -> Iterator[Build]:
    for type in float_types():
        yield simple(f"{name} {{0}}{{a}} : {type}", type)


@forms("exp2", "rsqrt")
def _(name: str) -> Iterator[Build]:
    for type in float_types():
        yield simple(f"{name} {{0}}{{a}} : {type}", type)
    type = tile("f32", 4)
    yield simple(f"{name} {{0}} flush_to_zero{{a}} : {type}", type)


@forms("exp", "tanh")
def _(name: str) -> Iterator[Build]:
    for type in float_types():
        yield simple(f"{name} {{0}} {{a}} : {type}", type)
    type = tile("f32", 4)
    yield simple(f"{name} {{0}} rounding<approx>{{a}} : {type}", type)


def rounded(modes: Sequence[str], default: str) -> Iterator[tuple[str, str]]:
    """The rounding slot with the types of the elements, each mode with and without a flush."""
    f32 = tile("f32", 4)
    for mode, flush in product(modes, flag("flush_to_zero")):
        slot = "" if mode == default else f"rounding<{mode}>"
        yield f" {slot}{flush}", f32
    for type in float_types():
        yield " ", type
    yield " rounding<zero>", tile("f64", 4)


@forms("addf", "subf", "mulf")
def _(name: str) -> Iterator[Build]:
    for slot, type in rounded(IEEE_MODES, "nearest_even"):
        yield simple(f"{name} {{0}}, {{1}}{slot}{{a}} : {type}", type, type)


@forms("divf")
def _(name: str) -> Iterator[Build]:
    for slot, type in rounded((*IEEE_MODES, "approx", "full"), "nearest_even"):
        yield simple(f"{name} {{0}}, {{1}}{slot}{{a}} : {type}", type, type)


@forms("sqrt")
def _(name: str) -> Iterator[Build]:
    for slot, type in rounded((*IEEE_MODES, "approx"), "nearest_even"):
        yield simple(f"{name} {{0}}{slot}{{a}} : {type}", type)


@forms("fma")
def _(name: str) -> Iterator[Build]:
    for slot, type in rounded(IEEE_MODES, "nearest_even"):
        yield simple(f"{name} {{0}}, {{1}}, {{2}}{slot}{{a}} : {type}", type, type, type)


@forms("remf", "fpowf", "atan2")
def _(name: str) -> Iterator[Build]:
    for type in float_types():
        yield simple(f"{name} {{0}}, {{1}}{{a}} : {type}", type, type)


@forms("maxf", "minf")
def _(name: str) -> Iterator[Build]:
    f32 = tile("f32", 4)
    for flush, nan in product(flag("flush_to_zero"), flag("propagate_nan")):
        yield simple(f"{name} {{0}}, {{1}}{flush}{nan}{{a}} : {f32}", f32, f32)
    for type, nan in product(float_types(), flag("propagate_nan")):
        yield simple(f"{name} {{0}}, {{1}}{nan}{{a}} : {type}", type, type)


@forms("fpowi")
def _(name: str) -> Iterator[Build]:
    for element, exponent in product(FLOATS, ("i1", "i8", "i16", "i32")):
        types = tile(element, 4), tile(exponent, 4)
        yield simple(f"{name} {{0}}, {{1}}{{a}} : {types[0]}, {types[1]}", *types)


@forms("cmpf")
def _(name: str) -> Iterator[Build]:
    for predicate, ordering, element in product(PREDICATES, ("ordered", "unordered"), FLOATS):
        type, result = tile(element, 4), tile("i1", 4)
        text = f"{name} {predicate} {ordering} {{0}}, {{1}}{{a}} : {type} -> {result}"
        yield simple(text, type, type)


# Integers.


def int_types() -> Iterator[str]:
    for element in INTS:
        yield tile(element, 4)
    yield tile("i32")
    yield tile("i64", 2, 1, 8)


@forms("absi")
def _(name: str) -> Iterator[Build]:
    for type in int_types():
        yield simple(f"{name} {{0}}{{a}} : {type}", type)


@forms("addi", "subi", "muli", "shli")
def _(name: str) -> Iterator[Build]:
    for overflow, type in product(OVERFLOWS, int_types()):
        slot = "" if overflow == "none" else f" overflow<{overflow}>"
        yield simple(f"{name} {{0}}, {{1}}{slot}{{a}} : {type}", type, type)


@forms("negi")
def _(name: str) -> Iterator[Build]:
    for overflow, type in product(("none", "no_signed_wrap", "no_wrap"), int_types()):
        slot = "" if overflow == "none" else f" overflow<{overflow}>"
        yield simple(f"{name} {{0}}{slot}{{a}} : {type}", type)


@forms("andi", "ori", "xori", "mulhii")
def _(name: str) -> Iterator[Build]:
    for type in int_types():
        yield simple(f"{name} {{0}}, {{1}}{{a}} : {type}", type, type)


@forms("maxi", "mini", "remi", "shri")
def _(name: str) -> Iterator[Build]:
    for sign, type in product(SIGNEDNESS, int_types()):
        yield simple(f"{name} {{0}}, {{1}} {sign}{{a}} : {type}", type, type)


@forms("divi")
def _(name: str) -> Iterator[Build]:
    for sign, mode, type in product(
        SIGNEDNESS, ("zero", "negative_inf", "positive_inf"), int_types()
    ):
        if (sign, mode) == ("unsigned", "negative_inf"):
            continue
        slot = "" if mode == "zero" else f" rounding<{mode}>"
        yield simple(f"{name} {{0}}, {{1}} {sign}{slot}{{a}} : {type}", type, type)


@forms("cmpi")
def _(name: str) -> Iterator[Build]:
    for predicate, sign, element in product(PREDICATES, SIGNEDNESS, INTS):
        type, result = tile(element, 4), tile("i1", 4)
        text = f"{name} {predicate} {{0}}, {{1}}, {sign}{{a}} : {type} -> {result}"
        yield simple(text, type, type)


# Matrix products.


def matrices(element: str, accumulator: str, batch: Sequence[int] = ()) -> tuple[str, str, str]:
    return tile(element, *batch, 4, 8), tile(element, *batch, 8, 2), tile(accumulator, *batch, 4, 2)


MMAF_ACCUMULATORS = {
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
}


@forms("mmaf")
def _(name: str) -> Iterator[Build]:
    pairs = [(e, a) for e, accumulators in MMAF_ACCUMULATORS.items() for a in accumulators]
    for (element, accumulator), word, batch in product(pairs, flag("fast_acc"), ((), (2,))):
        types = matrices(element, accumulator, batch)
        yield simple(f"{name} {{0}}, {{1}}, {{2}}{word}{{a}} : {', '.join(types)}", *types)


@forms("mmai")
def _(name: str) -> Iterator[Build]:
    for lhs, rhs, batch in product(SIGNEDNESS, SIGNEDNESS, ((), (2,))):
        types = matrices("i8", "i32", batch)
        text = f"{name} {{0}}, {{1}}, {{2}} {lhs} {rhs}{{a}} : {', '.join(types)}"
        yield simple(text, *types)


@forms("mmaf_scaled")
def _(name: str) -> Iterator[Build]:
    scalings = (
        ("f8E4M3FN", "f8E8M0FNU", 32),
        ("f8E5M2", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E4M3FN", 16),
        ("f4E2M1FN", "f8E8M0FNU", 16),
        ("f4E2M1FN", "f8E8M0FNU", 32),
        ("f4E2M1FN", "fnv8E5M3FNU", 16),
        ("f4E2M1FN", "fnv8E5M3FNU", 32),
    )
    for (element, scale, block), batch in product(scalings, ((), (2,))):
        types = (
            tile(element, *batch, 4, 64),
            tile(element, *batch, 64, 2),
            tile("f32", *batch, 4, 2),
            tile(scale, *batch, 4, 64 // block),
            tile(scale, *batch, 64 // block, 2),
        )
        yield simple(f"{name} {{0}}, {{1}}, {{2}}, {{3}}, {{4}}{{a}} : {', '.join(types)}", *types)
