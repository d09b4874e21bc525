"""Random kernels of `tile_sugar` that verify and are defined on their inputs, for Hypothesis.

A kernel loads slices at random starts, some before and some behind the ends of the tensors, makes
values of them by random operations on odd shapes, some of them in a loop, and stores the last ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

T = TypeVar("T")

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f64": np.float64,
    "i32": np.int32,
    "i8": np.int8,
    "i16": np.int16,
    "i1": np.bool_,
    "ui8": np.uint8,
}
FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i32", "i16", "i8")
ARITHMETIC = (*FLOATS, *INTEGERS)
EXTENTS = (1, 2, 3, 5, 8, 17, 20)


@dataclass(frozen=True)
class Value:
    """A tile or scalar of the program."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        return text_of(self.shape, self.element)


def text_of(shape: tuple[int, ...], element: str) -> str:
    return element if not shape else f"tile<{'x'.join(map(str, shape))}x{element}>"


@dataclass
class Program:
    """The text of a kernel, and the values of its parameters."""

    text: str
    values: list[Any]


@dataclass
class Writer:
    """A program while it is written."""

    random: Random
    lines: list[str] = field(default_factory=list[str])
    values: list[Value] = field(default_factory=list[Value])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Any] = field(default_factory=list[Any])
    count: int = 0
    indent: str = "  "

    def choose(self, found: Sequence[T]) -> T:
        return self.random.choice(found)

    def between(self, least: int, most: int) -> int:
        return self.random.randint(least, most)

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def emit(self, text: str, shape: tuple[int, ...], element: str) -> Value:
        value = Value(self.fresh(), shape, element)
        self.line(f"{value.name} = {text}")
        self.values.append(value)
        return value

    def pick(self, *elements: str, rank: int | None = None) -> Value | None:
        found = [
            v
            for v in self.values
            if v.element in elements and v.shape and (rank is None or len(v.shape) == rank)
        ]
        return self.choose(found) if found else None

    def number(self, element: str) -> Value:
        """A small constant that is not zero."""
        number = self.choose((1, 2, 3, -1, 5))
        return self.emit(f"constant {number} : {element}", (), element)

    def partner(self, value: Value) -> Value:
        """A value that broadcasts with another: of its shape, with extents of 1, or a scalar."""

        def fits(other: Value) -> bool:
            if not other.shape:
                return True
            if len(other.shape) != len(value.shape):
                return False
            return all(a == b or 1 in (a, b) for a, b in zip(value.shape, other.shape, strict=True))

        found = [v for v in self.values if v.element in ARITHMETIC and fits(v)]
        return self.choose(found)


def join(a: str, b: str) -> str:
    if a == b:
        return a
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS[::-1].index)
    if a in INTEGERS or b in INTEGERS:
        return b if a in INTEGERS else a
    order = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}
    if order[a] == order[b]:
        return "f32"
    return a if order[a] > order[b] else b


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    if not a or not b:
        return a or b
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


def binary(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    b = w.partner(a)
    op = w.choose(("add", "sub", "mul", "min", "max"))
    w.emit(
        f"{op} {a.name}, {b.name} : {a.type}, {b.type}",
        broadcast(a.shape, b.shape),
        join(a.element, b.element),
    )


def quotient(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    b = w.number(a.element)
    op = w.choose(("div", "rem"))
    if a.element in INTEGERS and op == "div":
        # The least integer by -1 is undefined.
        b = w.emit(f"constant 3 : {a.element}", (), a.element)
    elif a.element in INTEGERS:
        b = w.emit(f"constant 7 : {a.element}", (), a.element)
    w.emit(f"{op} {a.name}, {b.name} : {a.type}, {b.type}", a.shape, a.element)


def tile_quotient(w: Writer) -> None:
    """An integer quotient by a tile that is nowhere zero, but may be in its padding."""
    a = w.pick(*INTEGERS)
    if a is None:
        return
    k = w.emit(f"iota {len(a.shape) - 1} : {text_of(a.shape, 'i32')}", a.shape, "i32")
    count = w.emit(f"constant {a.shape[-1]} : i32", (), "i32")
    d = w.emit(f"sub {count.name}, {k.name} : i32, {k.type}", a.shape, "i32")
    w.emit(f"div {a.name}, {d.name} : {a.type}, {d.type}", a.shape, join(a.element, "i32"))


def positions(w: Writer) -> None:
    """Positions along some dimension of a tile, at its shape or a narrower one."""
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    dim = w.between(0, len(a.shape) - 1)
    shape = tuple(n if w.choose((True, False)) else 1 for n in a.shape)
    k = w.emit(f"iota {dim} : {text_of(shape, 'i32')}", shape, "i32")
    n = w.number("i32")
    p = w.emit(f"sub {n.name}, {k.name} : i32, {k.type}", shape, "i32")
    w.emit(f"add {a.name}, {p.name} : {a.type}, {p.type}", a.shape, join(a.element, "i32"))


def unary(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    names = ["neg", "abs", "square"]
    if a.element in FLOATS:
        names += ["exp", "sqrt", "tanh", "round", "floor", "sigmoid", "log"]
    else:
        names.append("not")
    w.emit(f"{w.choose(names)} {a.name} : {a.type}", a.shape, a.element)


def cast(w: Writer) -> None:
    a = w.pick(*ARITHMETIC, "i1", "ui8")
    if a is None:
        return
    target = w.choose((*ARITHMETIC, "ui8"))
    w.emit(f"cast {a.name} : {a.type} -> {text_of(a.shape, target)}", a.shape, target)


def compare_and_select(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    b = w.partner(a)
    shape = broadcast(a.shape, b.shape)
    predicate = w.choose(("lt", "ge", "eq", "ne"))
    c = w.emit(f"cmp {predicate} {a.name}, {b.name} : {a.type}, {b.type}", shape, "i1")
    w.emit(
        f"select {c.name}, {a.name}, {b.name} : {c.type}, {a.type}, {b.type}",
        shape,
        join(a.element, b.element),
    )


def shift(w: Writer) -> None:
    a = w.pick(*INTEGERS)
    if a is None:
        return
    n = w.emit("constant 2 : i32", (), "i32")
    op = w.choose(("shl", "shr", "shru"))
    w.emit(f"{op} {a.name}, {n.name} : {a.type}, i32", a.shape, a.element)


def reduction(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    op = w.choose(("rowmax", "rowmin", "rowsum", "rowmean", "rowvar", "rowargmax", "rowargmin"))
    element = a.element
    if op in ("rowmean", "rowvar") and element in INTEGERS:
        element = "f32"
    if op.startswith("rowarg"):
        element = "i32"
    shape = tuple(1 if k == axis else n for k, n in enumerate(a.shape))
    ordered = ""
    if op in ("rowmax", "rowsum", "rowmean"):
        ordered = w.choose(("", "", " ordered"))
    w.emit(f"{op} {a.name} axis {axis}{ordered} : {a.type}", shape, element)


def cumulative(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    words = w.choose(("", " reverse", " exclusive", " reverse exclusive"))
    w.emit(f"cumsum {a.name} axis {axis}{words} : {a.type}", a.shape, a.element)


def mask(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    n = w.emit(f"constant {w.between(-1, 20)} : i32", (), "i32")
    w.emit(f"mask_cols {a.name}, {n.name}, 3.0 : {a.type}", a.shape, a.element)


def library(w: Writer) -> None:
    a = w.pick(*FLOATS)
    if a is None:
        return
    op = w.choose(("softmax", "log_softmax", "silu"))
    w.emit(f"{op} {a.name} : {a.type}", a.shape, a.element)


def topk(w: Writer) -> None:
    a = w.pick(*ARITHMETIC, rank=2)
    if a is None:
        return
    k = w.between(1, min(3, a.shape[1]))
    values, columns = w.fresh(), w.fresh()
    w.line(f"{values}, {columns} = topk {a.name} k {k} : {a.type}")
    shape = (a.shape[0], k)
    w.values += [Value(values, shape, a.element), Value(columns, shape, "i32")]


def transpose(w: Writer) -> None:
    a = w.pick(*ARITHMETIC, "ui8", "i1", rank=2)
    if a is not None:
        w.emit(f"transpose {a.name} : {a.type}", a.shape[::-1], a.element)


def extract(w: Writer) -> None:
    a = w.pick(*ARITHMETIC, "ui8")
    if a is None:
        return
    offsets: list[int] = []
    shape: list[int] = []
    for extent in a.shape:
        part = w.choose([n for n in (1, 2, 4) if n <= extent] + [extent])
        offsets.append(0 if part == extent else part * w.between(0, extent // part - 1))
        shape.append(part)
    piece = tuple(shape)
    at = ", ".join(map(str, offsets))
    w.emit(f"extract {a.name}[{at}] : {a.type} -> {text_of(piece, a.element)}", piece, a.element)


def concat(w: Writer) -> None:
    a = w.pick(*ARITHMETIC, "ui8")
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    if a.shape[axis] & (a.shape[axis] - 1) or a.shape[axis] > 16:
        return
    shape = tuple(2 * n if k == axis else n for k, n in enumerate(a.shape))
    w.emit(f"concat {a.name}, {a.name} axis {axis} : {a.type}", shape, a.element)


def insert(w: Writer) -> None:
    a = w.pick(*ARITHMETIC, rank=2)
    if a is None:
        return
    column = w.between(0, a.shape[1] - 1)
    piece = (a.shape[0], 1)
    p = w.emit(
        f"extract {a.name}[0, {column}] : {a.type} -> {text_of(piece, a.element)}", piece, a.element
    )
    at = w.between(0, a.shape[1] - 1)
    w.emit(f"insert {p.name}, {a.name}[0, {at}] : {p.type}, {a.type}", a.shape, a.element)


def sweep(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    b = w.partner(a)
    shape = broadcast(a.shape, b.shape)
    element = join(a.element, b.element)
    w.emit(
        f"sweep({a.name}, {b.name}) : {a.type}, {b.type} -> {text_of(shape, element)} {{\n"
        f"  ^bb0(%a: {a.element}, %b: {b.element}):\n"
        f"    %0 = mul %a, %b : {a.element}, {b.element}\n"
        f"    %1 = index {len(shape) - 1}\n"
        f"    %2 = constant 2 : i32\n"
        f"    %3 = cmp lt %1, %2 : i32\n"
        f"    %4 = select %3, %0, %b : i1, {element}, {b.element}\n"
        f"    yield %4 : {element}\n"
        "  }",
        shape,
        element,
    )


def general_reduce(w: Writer) -> None:
    a = w.pick(*ARITHMETIC)
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    shape = tuple(1 if k == axis else n for k, n in enumerate(a.shape))
    kinds = w.choose((("sum", "max"), ("min", "prod"), ("max", "sum")))
    b = w.partner(a)
    whole = broadcast(a.shape, b.shape)
    if whole != a.shape:
        b = a
    first, second = w.fresh(), w.fresh()
    type = text_of(shape, a.element)
    w.line(
        f"{first}, {second} = reduce({a.name}, {b.name}) axis {axis} kinds [{', '.join(kinds)}] : "
        f"{a.type}, {b.type} -> {type}, {type} map {{\n"
        f"  ^bb0(%a: {a.element}, %b: {b.element}):\n"
        f"    %0 = square %a : {a.element}\n"
        f"    %1 = index {axis}\n"
        f"    %2 = constant 3 : i32\n"
        f"    %3 = cmp lt %1, %2 : i32\n"
        f"    %4 = cmp ge %b, %b : {b.element}\n"
        f"    %5 = and %3, %4 : i1\n"
        f"    %6 = select %5, %a, %0 : i1, {a.element}, {a.element}\n"
        f"    yield %0, %6 : {a.element}\n"
        "  }"
    )
    w.values += [Value(first, shape, a.element), Value(second, shape, a.element)]


def loop(w: Writer) -> None:
    """A running sum of slices, in a loop that may not run at all."""
    a = w.pick(*ARITHMETIC, rank=2)
    if a is None:
        return
    trips = w.between(0, 3)
    zero, one, end = (w.fresh() for _ in range(3))
    for name, number in ((zero, 0), (one, 1), (end, trips)):
        w.line(f"{name} = arith.constant {number} : i32")
    result, induction, carried, column, total = (w.fresh() for _ in range(5))
    piece = text_of((a.shape[0], 1), a.element)
    start = w.emit(f"constant 0 : {piece}", (a.shape[0], 1), a.element)
    limit = min(trips, a.shape[1])
    w.line(f"{end}b = arith.constant {limit} : i32")
    w.line(
        f"{result} = scf.for {induction} = {zero} to {end}b step {one} "
        f"iter_args({carried} = {start.name}) -> ({piece}) : i32 {{\n"
        f"    {column} = extract {a.name}[0, {induction}] : {a.type} -> {piece}\n"
        f"    {total} = add {carried}, {column} : {piece}\n"
        f"    scf.yield {total} : {piece}\n"
        "  }"
    )
    w.values.append(Value(result, (a.shape[0], 1), a.element))


STEPS = (
    binary, binary, quotient, tile_quotient, unary, cast, compare_and_select, shift, reduction,
    reduction, cumulative, mask, library, topk, transpose, extract, concat, insert, sweep,
    general_reduce, loop, positions,
)  # fmt: skip


def load(w: Writer) -> None:
    element = w.choose((*ARITHMETIC, "ui8"))
    rank = w.choose((1, 2, 2, 2, 3))
    shape = tuple(w.choose(EXTENTS if rank < 3 else EXTENTS[:5]) for _ in range(rank))
    extents = tuple(max(n + w.choose((-2, 0, 0, 3)), 1) for n in shape)
    starts = [w.choose((0, 0, 1, -1, 30)) for _ in shape]
    number = len(w.parameters)
    dims = "x".join("?" for _ in shape)
    w.parameters.append(f"%T{number}: tensor<{dims}x{element}>")
    w.arguments.append(numbers(element, extents, w.between(0, 1000)))
    fill = w.choose(("", " fill 1.0"))
    at = ", ".join(map(str, starts))
    w.emit(
        f"load %T{number}[{at}]{fill} : tensor<{dims}x{element}> -> {text_of(shape, element)}",
        shape,
        element,
    )


def numbers(element: str, shape: tuple[int, ...], seed: int) -> Any:
    random = np.random.default_rng(seed)
    dtype = DTYPES[element]
    if element in INTEGERS or element == "ui8":
        info = np.iinfo(dtype)
        values = random.integers(max(info.min, -50), min(info.max, 50), shape)
        if seed % 3 == 0:
            values.reshape(-1)[0] = info.min
        return values.astype(dtype)
    values = random.normal(size=shape) * 3
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    where = random.random(shape) < 0.15
    values[where] = random.choice(special, int(where.sum()))
    return values.astype(dtype)


def write(random: Random) -> Program:
    """A kernel of some loads and steps, storing its last values."""
    w = Writer(random)
    for _ in range(w.between(1, 2)):
        load(w)
    for _ in range(w.between(2, 9)):
        w.choose(STEPS)(w)
    stored = [v for v in w.values if v.shape][-4:]
    for number, value in enumerate(stored):
        dims = "x".join("?" for _ in value.shape)
        w.parameters.append(f"%O{number}: tensor<{dims}x{value.element}>")
        w.arguments.append(np.zeros(value.shape, DTYPES[value.element]))
        at = ", ".join("0" for _ in value.shape)
        w.line(
            f"store {value.name}, %O{number}[{at}] : {value.type}, tensor<{dims}x{value.element}>"
        )
    body = "\n".join(w.lines)
    text = (
        f"tile_sugar.kernel @random({', '.join(w.parameters)}) grid(1) {{\n{body}\n  return\n}}\n"
    )
    return Program(text, w.arguments)


def programs() -> st.SearchStrategy[Program]:
    """Random kernels for Hypothesis."""
    return st.randoms(use_true_random=False).map(write)
