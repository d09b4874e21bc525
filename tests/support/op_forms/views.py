"""Forms of the operations on views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from support.op_forms.body import (
    ANY_FLOATS,
    FLOATS,
    INTS,
    PADDINGS,
    Body,
    Build,
    TensorView,
    TileView,
    access,
    forms,
    tile,
    views,
)
from support.op_forms.memory import ACCESS_HINTS, MODES, orderings


@forms("make_tensor_view")
def _(name: str) -> Iterator[Build]:
    def one(view: TensorView, index: str = "i32") -> Build:
        def build(body: Body) -> None:
            body.tensor_view(view, index)

        return build

    for kind, index in product((None, "none", "unicast", "multicast"), ("i16", "i32", "i64")):
        for rows, columns, row_stride, column_stride in product(
            (64, None), (64, None), (64, None), (1, None)
        ):
            view = TensorView((rows, columns), (row_stride, column_stride), "f32", kind)
            yield one(view, index)
    for element in (*INTS, *ANY_FLOATS):
        yield one(TensorView((64,), (1,), element))
    yield one(TensorView((), ()))
    yield one(TensorView((4, None, 16, 8), (None, 128, 8, 1)), "i8")


def view_types(name: str) -> Iterator[TileView]:
    """Views of one kind: paddings, dimension orders, dynamic tensors."""
    (plain,) = (view for view in views() if view.name == name)
    tensors = (
        TensorView(),
        TensorView((None, 64), (None, 1)),
        TensorView(element="i32"),
        TensorView(kind="multicast"),
    )
    for tensor in tensors:
        paddings = ("zero",) if tensor.element == "i32" else PADDINGS
        for padding in (None, *paddings):
            yield TileView(name, tensor, (4, 8), padding, plain.before, plain.after)
    if name == "gather_scatter_view":
        yield TileView(name, TensorView(), (4, 8), "nan", after=", sparse_dim=1")
        return
    for padding in (None, "neg_inf"):
        yield TileView(name, TensorView(), (4, 8), padding, plain.before, ", dim_map=[1, 0]")


@forms("make_partition_view", "make_strided_view", "make_gather_scatter_view")
def _(name: str) -> Iterator[Build]:
    def one(view: TileView) -> Build:
        def line(body: Body) -> str:
            attributes, body.attributes = body.attributes, ""
            tensor = body.tensor_view(view.tensor)
            return f"{name} {tensor}{attributes} : {view}"

        return access(line, view.short_name)

    for view in view_types(name.removeprefix("make_")):
        yield one(view)


@forms("get_tensor_shape")
def _(name: str) -> Iterator[Build]:
    def one(view: TensorView, types: Sequence[str]) -> Build:
        def build(body: Body) -> None:
            attributes, body.attributes = body.attributes, ""
            operand = body.tensor_view(view)
            printed = types[:1] if len(set(types)) == 1 else types
            text = f"{name} {operand}{attributes} : {view} -> {', '.join(printed)}"
            body.group(text, len(types))

        return build

    for element in INTS:
        yield one(TensorView((64,), (1,)), [tile(element)])
    yield one(TensorView(), [tile("i64")] * 2)
    yield one(TensorView((None, 4, None), (4, 1, 1)), [tile("i32")] * 3)
    yield one(TensorView(), [tile("i32"), tile("i64")])


@forms("get_index_space_shape")
def _(name: str) -> Iterator[Build]:
    def one(view: TileView, element: str) -> Build:
        def build(body: Body) -> None:
            operand = body.tile_view(view)
            type = tile(element)
            body.group(f"{name} {operand}{body.attributes} : {view} -> {type}", 2)

        return build

    for view, element in product(views(), INTS):
        yield one(view, element)


def inbounds_forms(rank: int) -> Iterator[str]:
    """The clause, absent when all are false."""
    for values in product((False, True), repeat=rank):
        words = ", ".join("true" if value else "false" for value in values)
        yield f"inbounds = [{words}]" if any(values) else ""


def _after(text: str) -> str:
    return f" {text}" if text else ""


@forms("load_view_tko")
def _(name: str) -> Iterator[Build]:
    def one(
        view: TileView, order: str, token: bool, hints: str, inbounds: str, index: str = "i32"
    ) -> Build:
        def line(body: Body) -> str:
            operand = body.tile_view(view)
            indices, types = body.indices(view, index)
            clause = f" token = {body.value('token')}" if token else ""
            text = f"{name} {order} {operand}{indices}{clause}{hints}{_after(inbounds)}"
            text += body.keyword_attributes
            return f"{text} : {view}, {types} -> {view.tile_type}, token"

        return access(line, "tile", "result_token")

    for order, token, hints, inbounds in product(
        orderings("weak", "relaxed", "acquire"), (False, True), ACCESS_HINTS, inbounds_forms(2)
    ):
        yield one(views()[0], order, token, hints, inbounds)
    for view, token, hints in product(views(), (False, True), ACCESS_HINTS):
        yield one(view, "weak", token, hints, "inbounds = [true, false]")
    for view, index in product(views(padding="nan"), ("i8", "i16", "i64")):
        yield one(view, "weak", False, "", "", index)


@forms("store_view_tko")
def _(name: str) -> Iterator[Build]:
    def one(
        view: TileView, order: str, token: bool, hints: str, inbounds: str, index: str = "i32"
    ) -> Build:
        def line(body: Body) -> str:
            stored = body.value(view.tile_type)
            operand = body.tile_view(view)
            indices, types = body.indices(view, index)
            clause = f" token = {body.value('token')}" if token else ""
            text = f"{name} {order} {stored}, {operand}{indices}{clause}{hints}{_after(inbounds)}"
            text += body.keyword_attributes
            return f"{text} : {view.tile_type}, {view}, {types} -> token"

        return access(line)

    for order, token, hints, inbounds in product(
        orderings("weak", "relaxed", "release"), (False, True), ACCESS_HINTS, inbounds_forms(2)
    ):
        yield one(views()[0], order, token, hints, inbounds)
    for view, token, hints in product(views(), (False, True), ACCESS_HINTS):
        yield one(view, "weak", token, hints, "inbounds = [true, false]")
    for view, index in product(views(), ("i8", "i16", "i64")):
        yield one(view, "weak", False, "", "", index)


@forms("atomic_red_view_tko")
def _(name: str) -> Iterator[Build]:
    def one(view: TileView, scope: str, mode: str, token: bool, inbounds: str) -> Build:
        def line(body: Body) -> str:
            value = body.value(view.tile_type)
            operand = body.tile_view(view)
            indices, types = body.indices(view)
            clause = f" token = {body.value('token')}" if token else ""
            text = f"{name} relaxed {scope} {operand}{indices}, {mode}, {value}{clause}"
            text += f"{_after(inbounds)}{body.keyword_attributes}"
            return f"{text} : {view.tile_type}, {view}, {types} -> token"

        return access(line)

    integers, _, _ = views(TensorView(element="i32"))
    for scope, token, inbounds in product(("tl_blk", "device"), (False, True), inbounds_forms(2)):
        yield one(integers, scope, "add", token, inbounds)
    for mode, element in MODES:
        if mode != "xchg":
            for view in views(TensorView(element=element))[:2]:
                yield one(view, "device", mode, False, "")


REDUCTIONS = (
    *product(("add", "min", "max", "and", "or", "xor", "umin", "umax"), ("i32", "i64")),
    *product(("add",), FLOATS),
    *product(("min", "max"), ("f16", "bf16")),
)
"""Multimem reductions with the elements that each takes."""


def multicast_view(element: str) -> TileView:
    return TileView("partition_view", TensorView(element=element, kind="multicast"))


def reduction_text(body: Body, kind: str) -> str:
    """The attribute dictionary with the reduction, in which keys are sorted."""
    if kind == "add":
        return body.keyword_attributes
    entry = f"reduction = #cuda_tile.multimem_reduction_kind<{kind}>"
    if not body.attributes:
        return f" attributes {{{entry}}}"
    return body.keyword_attributes.replace(", weight", f", {entry}, weight")


@forms("multimem_load_reduce_view_tko")
def _(name: str) -> Iterator[Build]:
    def one(order: str, element: str, kind: str, token: bool, inbounds: str) -> Build:
        def line(body: Body) -> str:
            view = multicast_view(element)
            operand = body.tile_view(view)
            indices, types = body.indices(view)
            clause = f" token = {body.value('token')}" if token else ""
            types += ", token" if token else ""
            text = f"{name} {order} {operand}{indices}{clause} {inbounds}"
            text += reduction_text(body, kind)
            return f"{text} : {view}, {types} -> {view.tile_type}, token"

        return access(line, "reduced_values", "result_token")

    for order, token, inbounds in product(
        orderings("weak", "relaxed", "acquire"), (False, True), inbounds_forms(2)
    ):
        yield one(order, "f32", "add", token, inbounds)
    for (kind, element), inbounds in product(REDUCTIONS, ("", "inbounds = [true, true]")):
        yield one("weak", element, kind, False, inbounds)


@forms("multimem_reduce_view_tko")
def _(name: str) -> Iterator[Build]:
    def one(order: str, element: str, kind: str, token: bool, inbounds: str) -> Build:
        def line(body: Body) -> str:
            view = multicast_view(element)
            value = body.value(view.tile_type)
            operand = body.tile_view(view)
            indices, types = body.indices(view)
            clause = f" token = {body.value('token')}" if token else ""
            types += ", token" if token else ""
            text = f"{name} {order} {operand}, {value}{indices}{clause} {inbounds}"
            text += reduction_text(body, kind)
            return f"{text} : {view}, {view.tile_type}, {types} -> token"

        return access(line)

    for order, token, inbounds in product(
        orderings("relaxed", "release"), (False, True), inbounds_forms(2)
    ):
        yield one(order, "i32", "add", token, inbounds)
    for kind, element in REDUCTIONS:
        if element in ("i32", "i64") or kind == "add":
            yield one("relaxed device", element, kind, True, "")


@forms("multimem_store_view_tko")
def _(name: str) -> Iterator[Build]:
    def one(order: str, element: str, token: bool, inbounds: str) -> Build:
        def line(body: Body) -> str:
            view = multicast_view(element)
            value = body.value(view.tile_type)
            operand = body.tile_view(view)
            indices, types = body.indices(view)
            clause = f" token = {body.value('token')}" if token else ""
            types += ", token" if token else ""
            text = f"{name} {order} {operand}, {value}{indices}{clause} {inbounds}"
            text += body.keyword_attributes
            return f"{text} : {view}, {view.tile_type}, {types} -> token"

        return access(line)

    for order, token, inbounds in product(
        orderings("weak", "relaxed", "release"), (False, True), inbounds_forms(2)
    ):
        yield one(order, "f32", token, inbounds)
    for element in ("i32", "i64", *FLOATS):
        yield one("weak", element, False, "")
