"""Forms of the accesses through pointers, and of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from support.op_forms.body import (
    ANY_FLOATS,
    FLOATS,
    INTS,
    SCOPES,
    Body,
    Build,
    access,
    flag,
    forms,
    pointer,
    simple,
    tile,
)


@forms("make_token")
def _(name: str) -> Iterator[Build]:
    yield simple(f"{name}{{a}} : token")


@forms("join_tokens")
def _(name: str) -> Iterator[Build]:
    for count in (2, 3, 5):
        operands = ", ".join(f"{{{k}}}" for k in range(count))
        yield simple(f"{name} {operands}{{a}} : token", *["token"] * count)


@forms("gdc_launch_dependents_tko", "gdc_wait_tko")
def _(name: str) -> Iterator[Build]:
    yield simple(f"{name}{{a}} -> token")
    yield simple(f"{name} token = {{0}}{{a}} -> token", "token")


@forms("memory_fence_alias_tko")
def _(name: str) -> Iterator[Build]:
    yield simple(f"{name} {{0}}{{a}}", "token")


@forms("alloca")
def _(name: str) -> Iterator[Build]:
    for element, word in product(("f32", "i1", "i64", "f8E4M3FN"), flag("global")):
        result = tile(pointer(element))
        yield simple(f"{name} num_elem = 4, alignment = 16{word}{{a}} : {result}")


def orderings(*words: str) -> Iterator[str]:
    """Orderings with the scopes that they take."""
    for word in words:
        if word == "weak":
            yield word
            continue
        yield from (f"{word} {scope}" for scope in SCOPES)


ACCESS_HINTS = (
    "",
    " optimization_hints = <>",
    " optimization_hints = <default = {latency = 1}, sm_100 = {allow_tma = false, latency = 10}>",
)


@forms("load_ptr_tko")
def _(name: str) -> Iterator[Build]:
    def one(
        order: str,
        mask: bool,
        padding: bool,
        token: bool,
        hints: str,
        shape: Sequence[int],
        element: str = "f32",
    ) -> Build:
        def line(body: Body) -> str:
            types = [tile(pointer(element), *shape)]
            text = f"{name} {order} {body.value(types[0])}"
            if mask:
                types.append(tile("i1", *shape))
                text += f", {body.value(types[-1])}"
            if padding:
                types.append(tile(element, *shape))
                # Without a mask NVIDIA's text cannot be told from one with a mask.
                text += f"{', ' if mask else ' padding='}{body.value(types[-1])}"
            if token:
                text += f" token={body.value('token')}"
            result = f"{tile(element, *shape)}, token"
            return f"{text}{hints}{body.attributes} : {', '.join(types)} -> {result}"

        return access(line, "result", "result_token")

    bools = (False, True)
    for order, mask, padding, token, hints in product(
        orderings("weak", "relaxed", "acquire"), bools, bools, bools, ACCESS_HINTS
    ):
        yield one(order, mask, padding, token, hints, (4,))
    for shape in ((), (2, 4)):
        yield one("weak", True, True, True, "", shape)
    for element in (*INTS, *ANY_FLOATS):
        if element != "f4E2M1FN":
            yield one("weak", True, element not in ("i1",), False, "", (4,), element)


@forms("store_ptr_tko")
def _(name: str) -> Iterator[Build]:
    def one(order: str, mask: bool, token: bool, hints: str, element: str = "f32") -> Build:
        def line(body: Body) -> str:
            types = [tile(pointer(element), 4), tile(element, 4)]
            text = f"{name} {order} {body.value(types[0])}, {body.value(types[1])}"
            if mask:
                types.append(tile("i1", 4))
                text += f", {body.value(types[-1])}"
            if token:
                text += f" token={body.value('token')}"
            return f"{text}{hints}{body.attributes} : {', '.join(types)} -> token"

        return access(line)

    bools = (False, True)
    for order, mask, token, hints in product(
        orderings("weak", "relaxed", "release"), bools, bools, ACCESS_HINTS
    ):
        yield one(order, mask, token, hints)
    for element in (*INTS, *ANY_FLOATS):
        if element not in ("f4E2M1FN", "i1"):
            yield one("weak", False, False, "", element)


ATOMIC_ORDERINGS = ("relaxed", "acquire", "release", "acq_rel")


@forms("atomic_cas_tko")
def _(name: str) -> Iterator[Build]:
    def one(order: str, element: str, mask: bool, token: bool) -> Build:
        def line(body: Body) -> str:
            types = [tile(pointer(element), 4), tile(element, 4)]
            operands = [body.value(types[k]) for k in (0, 1, 1)]
            if mask:
                types.append(tile("i1", 4))
                operands.append(body.value(types[-1]))
            clause = f" token={body.value('token')}" if token else ""
            text = f"{name} {order} {', '.join(operands)}{clause}{body.attributes}"
            return f"{text} : {', '.join(types)} -> {types[1]}, token"

        return access(line, "result", "result_token")

    for order, element, mask, token in product(
        orderings(*ATOMIC_ORDERINGS), ("i32", "i64", "f32", "f64"), (False, True), (False, True)
    ):
        yield one(order, element, mask, token)


INTEGER_MODES = ("and", "or", "xor", "add", "max", "min", "umax", "umin")
MODES = (
    *product(INTEGER_MODES, ("i32", "i64")),
    *product(("addf",), FLOATS),
    *product(("xchg",), ("i32", "i64", "f32", "f64")),
)
"""Atomic modes with the elements that each takes."""


@forms("atomic_rmw_tko")
def _(name: str) -> Iterator[Build]:
    def one(order: str, mode: str, element: str, mask: bool, token: bool) -> Build:
        def line(body: Body) -> str:
            types = [tile(pointer(element), 4), tile(element, 4)]
            text = f"{name} {order} {body.value(types[0])}, {mode}, {body.value(types[1])}"
            if mask:
                types.append(tile("i1", 4))
                text += f", {body.value(types[-1])}"
            if token:
                text += f" token={body.value('token')}"
            return f"{text}{body.attributes} : {', '.join(types)} -> {types[1]}, token"

        return access(line, "result", "result_token")

    bools = (False, True)
    for order, mode, mask, token in product(
        orderings(*ATOMIC_ORDERINGS), ("add", "xchg"), bools, bools
    ):
        yield one(order, mode, "i32", mask, token)
    for (mode, element), mask in product(MODES, bools):
        yield one("relaxed device", mode, element, mask, False)
