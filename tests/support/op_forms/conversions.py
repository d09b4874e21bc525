"""Forms of the conversions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from support.op_forms.body import (
    ANY_FLOATS,
    IEEE_MODES,
    INTS,
    OVERFLOWS,
    SIGNEDNESS,
    WIDTHS,
    Build,
    flag,
    forms,
    pointer,
    simple,
    tile,
)


def conversion(name: str, slot: str, source: str, target: str) -> Build:
    return simple(f"{name} {{0}}{slot}{{a}} : {source} -> {target}", source)


@forms("bitcast")
def _(name: str) -> Iterator[Build]:
    numbers = (*INTS, *ANY_FLOATS)
    for source, target in product(numbers, numbers):
        if WIDTHS[source] == WIDTHS[target]:
            yield conversion(name, "", tile(source, 4), tile(target, 4))


@forms("exti")
def _(name: str) -> Iterator[Build]:
    for source, target, sign in product((*INTS, "i4"), (*INTS, "i4"), SIGNEDNESS):
        if WIDTHS[source] < WIDTHS[target]:
            yield conversion(name, f" {sign}", tile(source, 4), tile(target, 4))


@forms("trunci")
def _(name: str) -> Iterator[Build]:
    for source, target, overflow in product((*INTS, "i4"), (*INTS, "i4"), OVERFLOWS):
        if WIDTHS[source] > WIDTHS[target]:
            slot = "" if overflow == "none" else f" overflow<{overflow}>"
            yield conversion(name, slot, tile(source, 4), tile(target, 4))


EXACT_MODES = (*IEEE_MODES, "nearest_away")
FTOF_MODES = {
    ("f32", "f64"): EXACT_MODES,
    ("bf16", "f32"): EXACT_MODES,
    ("f16", "tf32"): EXACT_MODES,
    ("f4E2M1FN", "f16"): EXACT_MODES,
    ("f64", "f32"): IEEE_MODES,
    ("f32", "tf32"): ("nearest_even", "zero", "nearest_away"),
    ("f32", "f16"): ("nearest_even", "zero"),
    ("f16", "bf16"): ("nearest_even", "zero"),
}
"""The modes beside the default, for one pair of formats of each kind."""


@forms("ftof")
def _(name: str) -> Iterator[Build]:
    for source, target in product(ANY_FLOATS, ANY_FLOATS):
        if source == target:
            continue
        modes = FTOF_MODES.get((source, target), ("nearest_even",))
        if target == "f8E8M0FNU":
            modes = ("zero", "positive_inf")
        for mode in modes:
            slot = " " if mode == "nearest_even" else f" rounding<{mode}>"
            yield conversion(name, slot, tile(source, 4), tile(target, 4))


@forms("ftoi")
def _(name: str) -> Iterator[Build]:
    for source, target, sign, word in product(ANY_FLOATS, INTS, SIGNEDNESS, flag("saturating")):
        yield conversion(name, f" {sign} {word}", tile(source, 4), tile(target, 4))


@forms("itof")
def _(name: str) -> Iterator[Build]:
    for source, target, sign in product(INTS, ANY_FLOATS, SIGNEDNESS):
        if target != "f8E8M0FNU":
            yield conversion(name, f" {sign} ", tile(source, 4), tile(target, 4))


POINTERS = (
    *(pointer(element) for element in (*INTS, *ANY_FLOATS) if element != "f4E2M1FN"),
    pointer("f32", "none"),
    pointer("f32", "unicast"),
    pointer("f32", "multicast"),
)


@forms("int_to_ptr")
def _(name: str) -> Iterator[Build]:
    for element in POINTERS:
        yield conversion(name, "", tile("i64", 4), tile(element, 4))


@forms("ptr_to_int")
def _(name: str) -> Iterator[Build]:
    for element in POINTERS:
        yield conversion(name, "", tile(element, 4), tile("i64", 4))


@forms("ptr_to_ptr")
def _(name: str) -> Iterator[Build]:
    for element in POINTERS:
        yield conversion(name, "", tile(element, 4), tile(pointer("i8"), 4))
    yield conversion(name, "", tile(pointer("i8")), tile(pointer("f4E2M1FN")))
