"""Random kernels of `tile_sugar` for the whole pipeline: what its passes look for, in every mix.

Four kinds of kernel: rows in blocks, products in a loop over K, attention in a loop over keys, and
rows that `chunk-rows` takes apart. Each goes on with random steps: library operations, expressions
that fast-math flags license to rewrite, reductions, masks, indexed accesses, and those of
`random_sugar`. Every kernel verifies, most are defined on their inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from support.random_sugar import (
    ARITHMETIC,
    DTYPES,
    FLOATS,
    INTEGERS,
    STEPS,
    Program,
    Value,
    Writer,
    broadcast,
    join,
    text_of,
    tile_quotient,
)

HALVES = ("f16", "bf16", "f32")
FLAGS = (
    "",
    "",
    " fastmath<afn>",
    " fastmath<contract>",
    " fastmath<afn, contract>",
    " fastmath<afn, ftz>",
    " fastmath<afn, contract, ftz>",
)


@dataclass
class BlockWriter(Writer):
    """A kernel of several blocks while it is written."""

    grid: str = "1"
    blocks: tuple[int, ...] = ()
    """The number of blocks along each dimension of the grid; none for a single block."""
    special: bool = False
    """Whether inputs hold NaN, infinities and other numbers at which programs go wrong."""
    indices: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    stored: bool = True

    def index(self, number: int) -> str:
        name = self.fresh()
        self.line(f"{name} = arith.constant {number} : i32")
        return name

    def start(self, dim: int, extent: int) -> str:
        """The first element of a block along a dimension."""
        if dim >= len(self.blocks):
            return "0"
        if (dim, extent) not in self.indices:
            block, name = self.fresh(), self.fresh()
            self.line(f"{block} = block_id {dim}")
            self.line(f"{name} = arith.muli {block}, {self.index(extent)} : i32")
            self.indices[dim, extent] = name
        return self.indices[dim, extent]

    def tensor(self, array: Any, element: str, promises: str = "", static: bool = False) -> Value:
        """A parameter."""
        name = f"%T{len(self.parameters)}"
        dims = "x".join(str(n) if static else "?" for n in array.shape)
        type = f"tensor<{dims}x{element}>"
        self.parameters.append(f"{name}: {type}{promises}")
        self.arguments.append(array)
        return Value(name, array.shape, type)

    def numbers(self, element: str, shape: tuple[int, ...]) -> Any:
        random = np.random.default_rng(self.between(0, 1 << 30))
        dtype = DTYPES[element]
        if element in INTEGERS or element == "ui8":
            return random.integers(max(np.iinfo(dtype).min, -50), 50, shape).astype(dtype)
        values = random.normal(size=shape) * self.choose((0.1, 1, 1, 4, 30))
        if self.special:
            where = random.random(shape) < 0.05
            odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42, -3e4, 3e4, 80.0]
            values[where] = random.choice(odd, int(where.sum()))
        with np.errstate(over="ignore"):
            return values.astype(dtype)

    def rows(self, rows: int, columns: int, element: str, *, least: int = 0) -> Value:
        """A tile of a block's rows, of a parameter that may end before it does."""
        count = self.blocks[0] if self.blocks else 1
        whole = count * rows
        ends = max(whole - self.choose((0, 0, 0, 1, rows - 1)), least, 1)
        width = max(columns + self.choose((0, 0, 0, -2, 3)), 1)
        promises = [self.choose(("readonly", "readonly", ""))]
        if ends == whole and self.choose((True, False)):
            promises.append(f"multiple = [{rows}, {width if width % 4 else 4}]")
        words = ", ".join(word for word in promises if word)
        array = self.numbers(element, (ends, width))
        tensor = self.tensor(
            array, element, f" {{{words}}}" if words else "", self.choose((0, 1)) == 1 and not words
        )
        first = self.choose((0, 0, 0, 0, 1, -1))
        access = ""
        if ends == whole and width >= columns and first == 0:
            access = self.choose(("", " full", " inside"))
        fill = self.choose(("", "", " fill -1.0" if element in FLOATS else " fill 3"))
        tile = text_of((rows, columns), element)
        return self.emit(
            f"load {tensor.name}[{self.start(0, rows)}, {first}]{fill}{access} : "
            f"{tensor.element} -> {tile}",
            (rows, columns),
            element,
        )

    def flags(self) -> str:
        return self.choose(FLAGS)

    def constant(self, number: Any, element: str, shape: tuple[int, ...] = ()) -> Value:
        return self.emit(f"constant {number} : {text_of(shape, element)}", shape, element)

    def wide(self, value: Value) -> Value:
        """A value in f32."""
        if value.element == "f32":
            return value
        target = text_of(value.shape, "f32")
        return self.emit(f"cast {value.name} : {value.type} -> {target}", value.shape, "f32")

    def reduce(self, op: str, value: Value, axis: int) -> Value:
        shape = tuple(1 if k == axis else n for k, n in enumerate(value.shape))
        return self.emit(f"{op} {value.name} axis {axis} : {value.type}", shape, value.element)

    def apply(self, op: str, *operands: Value, words: str = "") -> Value:
        shape: tuple[int, ...] = ()
        element = operands[0].element
        for operand in operands:
            shape = broadcast(shape, operand.shape)
            element = join(element, operand.element)
        names = ", ".join(o.name for o in operands)
        types = ", ".join(o.type for o in operands)
        return self.emit(f"{op} {names}{words} : {types}", shape, element)


Maker = Callable[[BlockWriter], None]


# Expressions that flags license to rewrite.


def function(w: BlockWriter) -> None:
    a = w.pick(*FLOATS)
    if a is None:
        return
    names = ["exp", "exp2", "sqrt", "rsqrt", "tanh", "sigmoid", "log", "log2", "sin", "abs"]
    names += [] if a.element == "f64" else ["erf"]
    w.apply(w.choose(names), a, words=w.flags())


def arithmetic(w: BlockWriter) -> None:
    """Products and sums, some of which contract."""
    a = w.pick(*FLOATS)
    if a is None:
        return
    words = w.flags()
    product = w.apply("mul", a, w.partner(a), words=words)
    operands = [product, w.partner(product)]
    w.random.shuffle(operands)
    w.apply(w.choose(("add", "sub")), *operands, words=words)
    # Products with one use contract.
    w.values.remove(product)


def divided(w: BlockWriter) -> None:
    a = w.pick(*FLOATS)
    if a is None:
        return
    number = w.choose(("3.0", "4.0", "-0.5", "0.1", "7.0e10", "1.0e-3"))
    w.apply("div", a, w.constant(number, a.element), words=w.flags())


def divided_by_rows(w: BlockWriter) -> None:
    a = w.pick(*FLOATS)
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    total = w.reduce(w.choose(("rowsum", "rowmax", "rowmean")), w.apply("square", a), axis)
    w.apply("div", a, total, words=w.flags())


def by_root(w: BlockWriter) -> None:
    """A division by a square root, of a row or of each element."""
    a = w.pick("f32", "f16")
    if a is None:
        return
    square = w.apply("square", a)
    if w.choose((True, False)):
        square = w.reduce("rowmean", square, len(a.shape) - 1)
    words = w.flags()
    root = w.apply("sqrt", w.apply("add", square, w.constant("1.0e-3", a.element)), words=words)
    above = a if w.choose((True, False)) else w.constant("1.0", a.element)
    w.apply("div", above, root, words=words)


def power(w: BlockWriter) -> None:
    a = w.pick(*FLOATS)
    if a is not None:
        number = w.constant(w.choose(("2.0", "0.5", "3.0")), a.element)
        w.apply("pow", a, number, words=w.flags())


def finite(w: BlockWriter, a: Value) -> Value:
    """A value with 0 in place of infinities."""
    infinite = w.fresh()
    size = w.apply("abs", a)
    end, zero = w.constant("inf", a.element), w.constant("0.0", a.element)
    w.line(f"{infinite} = cmp eq {size.name}, {end.name} : {size.type}, {end.type}")
    types = f"{text_of(a.shape, 'i1')}, {zero.type}, {a.type}"
    return w.emit(f"select {infinite}, {zero.name}, {a.name} : {types}", a.shape, a.element)


def exponentials(w: BlockWriter) -> None:
    """exp(x - max x), and what may come of it."""
    a = w.pick("f32", "f16")
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    words = w.flags()
    largest = w.reduce("rowmax", a, axis)
    if w.choose((True, False)):
        largest = finite(w, largest)
    distance = w.apply("sub", a, largest, words=words)
    powers = w.apply("exp", distance, words=words)
    kind = w.choose(("only", "sum", "ratio", "inverse", "other axis"))
    if kind == "only":
        return
    total = w.reduce("rowsum", powers, len(a.shape) - 1 - axis if kind == "other axis" else axis)
    if kind == "ratio":
        w.apply("div", powers, total, words=words)
    if kind == "inverse":
        one = w.constant("1.0", a.element)
        w.apply("mul", powers, w.apply("div", one, total, words=words), words=words)


# Library operations.


def softmaxes(w: BlockWriter) -> None:
    a = w.pick(*FLOATS)
    if a is None:
        return
    axis = w.between(0, len(a.shape) - 1)
    op = w.choose(("softmax", "softmax", "log_softmax", "logsumexp"))
    shape = a.shape
    if op == "logsumexp":
        shape = tuple(1 if k == axis else n for k, n in enumerate(shape))
    w.emit(f"{op} {a.name} axis {axis}{w.flags()} : {a.type}", shape, a.element)


def activation(w: BlockWriter) -> None:
    a = w.pick("f32", "f16", "bf16")
    if a is not None:
        w.apply(w.choose(("gelu", "silu")), a, words=w.flags())


def norm(w: BlockWriter) -> None:
    a = w.pick("f32", "f16", "bf16", rank=2)
    if a is None:
        return
    row = (1, a.shape[1])
    scale = w.constant("1.5", a.element, row)
    if w.choose((True, False)):
        w.emit(
            f"rms_norm {a.name}, {scale.name} eps 1.0e-5 : {a.type}, {scale.type}",
            a.shape,
            a.element,
        )
        return
    shift = w.constant("0.25", a.element, row)
    w.emit(
        f"layer_norm {a.name}, {scale.name}, {shift.name} eps 1.0e-5 : "
        f"{a.type}, {scale.type}, {shift.type}",
        a.shape,
        a.element,
    )


def cross_entropy(w: BlockWriter) -> None:
    a = w.pick("f32", "f16", rank=2)
    if a is None:
        return
    shape = (a.shape[0], 1)
    label = w.emit(f"iota 0 : {text_of(shape, 'i32')}", shape, "i32")
    w.emit(f"cross_entropy {a.name}, {label.name} : {a.type}, {label.type}", shape, a.element)


def statistics(w: BlockWriter) -> None:
    """Several reductions of one tile, along both of its axes."""
    a = w.pick(*ARITHMETIC, rank=2)
    if a is None:
        return
    for _ in range(w.between(2, 4)):
        op = w.choose(("rowmax", "rowmin", "rowsum", "colmax", "colmin", "colsum", "rowargmax"))
        shape = (1, a.shape[1]) if op.startswith("col") else (a.shape[0], 1)
        element = "i32" if op == "rowargmax" else a.element
        w.emit(f"{op} {a.name} : {a.type}", shape, element)


def masked(w: BlockWriter) -> None:
    a = w.pick(*FLOATS, rank=2)
    if a is None:
        return
    kind = w.choose(("causal", "columns", "tril", "triu"))
    if kind == "causal":
        row, column = (w.constant(w.between(0, 9), "i32") for _ in range(2))
        operation = f"causal_mask {a.name}, {row.name}, {column.name}"
    elif kind == "columns":
        count = w.constant(w.between(0, a.shape[1]), "i32")
        operation = f"mask_cols {a.name}, {count.name}, {w.choose(('-1.0e30', '-inf', '0.0'))}"
    else:
        operation = f"{kind} {a.name} diagonal {w.between(-2, 2)}"
    m = w.emit(f"{operation} : {a.type}", a.shape, a.element)
    if w.choose((True, False)):
        w.emit(f"softmax {m.name}{w.flags()} : {m.type}", m.shape, m.element)


def online(w: BlockWriter) -> None:
    """Two steps of an online softmax on the same scores."""
    scores = w.pick("f32", rank=2)
    if scores is None:
        return
    rows, keys = scores.shape
    element = w.choose(HALVES)
    values = w.constant("0.75", element, (keys, 8))
    state = [
        w.constant("-inf", "f32", (rows, 1)),
        w.constant("0.0", "f32", (rows, 1)),
        w.constant("0.0", "f32", (rows, 8)),
    ]
    words = w.flags()
    for _ in range(w.between(1, 2)):
        names = [w.fresh() for _ in state]
        types = ", ".join(v.type for v in (*state, scores, values))
        operands = ", ".join(v.name for v in (*state, scores, values))
        w.line(f"{', '.join(names)} = online_softmax_step {operands} scale 0.35{words} : {types}")
        state = [Value(n, v.shape, "f32") for n, v in zip(names, state, strict=True)]
    w.values += state


def product(w: BlockWriter) -> None:
    a = w.pick("f32", "f16", "bf16", "f64", "i8", rank=2)
    if a is None or a.shape[0] * a.shape[1] > 2048:
        return
    other = w.emit(f"transpose {a.name} : {a.type}", a.shape[::-1], a.element)
    element = {"i8": "i32", "f64": "f64"}.get(a.element, "f32")
    shape = (a.shape[0], a.shape[0])
    p = w.emit(f"dot {a.name}, {other.name} : {a.type}, {other.type}", shape, element)
    if w.choose((True, False)):
        w.apply("add", w.constant("1", element, shape), p)


# Indexed accesses.


def gathered(w: BlockWriter) -> None:
    element = w.choose((*ARITHMETIC, "ui8"))
    count, columns = w.choose(((5, 6), (8, 8), (17, 4)))
    table = w.tensor(w.numbers(element, (count, columns)), element, " {readonly}")
    rows = w.choose((4, 5, 16))
    places = np.random.default_rng(w.between(0, 999)).integers(-2, count + 2, (rows, 1))
    index_tensor = w.tensor(places.astype(np.int32), "i32", " {readonly}")
    index = w.emit(
        f"load {index_tensor.name}[0, 0] : {index_tensor.element} -> {text_of((rows, 1), 'i32')}",
        (rows, 1),
        "i32",
    )
    fill = w.choose(("", " fill 1"))
    if w.choose((True, False)):
        width = w.choose((3, columns, columns + 2))
        result = text_of((rows, width), element)
        w.emit(
            f"gather_rows {table.name}[{index.name}, 0]{fill} : {table.element}, {index.type} -> "
            f"{result}",
            (rows, width),
            element,
        )
        return
    column = w.emit(f"iota 1 : {text_of((1, 3), 'i32')}", (1, 3), "i32")
    w.emit(
        f"gather {table.name}[{index.name}, {column.name}]{fill} : {table.element}, "
        f"{index.type}, {column.type} -> {text_of((rows, 3), element)}",
        (rows, 3),
        element,
    )


def scattered(w: BlockWriter) -> None:
    """Rows in another order, some of them outside."""
    a = w.pick(*ARITHMETIC, rank=2)
    if a is None or w.blocks:
        return
    rows = w.choose((a.shape[0], max(a.shape[0] - 2, 1)))
    target = w.tensor(np.zeros((rows, a.shape[1]), DTYPES[a.element]), a.element)
    line = w.emit(f"iota 0 : {text_of((a.shape[0], 1), 'i32')}", (a.shape[0], 1), "i32")
    last = w.constant(a.shape[0] - 1, "i32")
    row = w.apply("sub", last, line)
    column = w.emit(f"iota 1 : {text_of((1, a.shape[1]), 'i32')}", (1, a.shape[1]), "i32")
    w.line(
        f"scatter {a.name}, {target.name}[{row.name}, {column.name}] : {a.type}, {target.element}, "
        f"{row.type}, {column.type}"
    )


def counted(w: BlockWriter) -> None:
    """A histogram."""
    count = w.choose((8, 20, 33))
    random = np.random.default_rng(w.between(0, 999))
    data = w.tensor(random.integers(-2, 9, count).astype(np.int32), "i32", " {readonly}")
    bins = w.tensor(np.zeros(7, np.int32), "i32")
    index = w.emit(
        f"load {data.name}[0] fill -1 : {data.element} -> {text_of((count,), 'i32')}",
        (count,),
        "i32",
    )
    one = w.constant(1, "i32", (count,))
    old = w.fresh()
    w.line(
        f"{old} = atomic add {one.name}, {bins.name}[{index.name}] : {one.type}, {bins.element}, "
        f"{index.type} -> {one.type}"
    )


def added(w: BlockWriter) -> None:
    """Floats that all blocks add to one row."""
    element = w.choose(("f32", "f16", "bf16", "f64"))
    count = w.choose((3, 8, 20))
    data = w.tensor(w.numbers(element, (count,)), element, " {readonly}")
    total = w.tensor(np.zeros(count - w.choose((0, 0, 1)), DTYPES[element]), element)
    tile = text_of((count,), element)
    x = w.emit(f"load {data.name}[0] : {data.element} -> {tile}", (count,), element)
    w.line(f"atomic add {x.name}, {total.name}[0] : {tile}, {total.element}")


def through_f8(w: BlockWriter) -> None:
    a = w.pick("f32", "f16", "bf16")
    if a is None:
        return
    element = w.choose(("f8E4M3FN", "f8E5M2"))
    narrow, name = text_of(a.shape, element), w.fresh()
    w.line(f"{name} = cast {a.name} : {a.type} -> {narrow}")
    w.emit(f"cast {name} : {narrow} -> {a.type}", a.shape, a.element)


PLAIN: tuple[Maker, ...] = STEPS
LICENSED: tuple[Maker, ...] = (
    function, function, arithmetic, arithmetic, divided, divided_by_rows, by_root, power,
    exponentials, exponentials, softmaxes, softmaxes, activation, norm, norm, cross_entropy,
    statistics, masked, masked, online, product, gathered, scattered, counted,
    added, through_f8,
)  # fmt: skip


# Kinds of kernels.


def row_kernel(w: BlockWriter) -> None:
    """Rows in blocks, or a single block."""
    rows = w.choose((1, 2, 4, 5, 8, 16))
    if w.choose((True, True, False)):
        w.blocks = (w.between(1, 3),)
        w.grid = f"ceildiv(dim %T0 0, {rows})"
    least = (w.blocks[0] - 1) * rows + 1 if w.blocks else 1
    for _ in range(w.between(1, 2)):
        columns = w.choose((1, 3, 8, 16, 20, 33, 64, 64, 100, 128))
        element = w.choose(("f32", "f32", "f32", "f16", "bf16", "f64", "i32", "i8"))
        w.rows(rows, columns, element, least=least)


def product_kernel(w: BlockWriter) -> None:
    """A product in a loop over K, whose operands may be read through views."""
    m, n, k = (w.choose((8, 16, 16, 20, 32)) for _ in range(3))
    element = w.choose(("f16", "f16", "bf16", "f32", "i8"))
    w.blocks = (w.between(1, 2), w.between(1, 2))
    w.grid = f"ceildiv(dim %T2 0, {m}), ceildiv(dim %T2 1, {n})"
    ragged = w.choose((True, False))
    whole = [
        b * e - (w.between(0, e - 1) if ragged else 0)
        for b, e in zip(w.blocks, (m, n), strict=True)
    ]
    depth = w.between(1, 3) * k - (w.between(0, k - 1) if ragged else 0)
    even = "" if ragged else f", multiple = [{m}, {k}]"
    a = w.tensor(w.numbers(element, (whole[0], depth)), element, f" {{readonly{even}}}")
    even = "" if ragged else f", multiple = [{k}, {n}]"
    b = w.tensor(w.numbers(element, (depth, whole[1])), element, f" {{readonly{even}}}")
    result = "i32" if element == "i8" else "f32"
    even = "" if ragged else f" {{multiple = [{m}, {n}]}}"
    w.tensor(np.zeros(tuple(whole), DTYPES[result]), result, even)
    x, y = w.start(0, m), w.start(1, n)
    access = w.choose(("", " inside"))
    zero = w.constant("0", result, (m, n))
    first, step, last, total, carried, at, p, q, s = (w.fresh() for _ in range(9))
    types = [text_of(shape, element) for shape in ((m, k), (k, n))]
    w.line(f"{first} = arith.constant 0 : i32")
    w.line(f"{step} = arith.constant {k} : i32")
    w.line(f"{last} = extent {a.name}, 1 : {a.element}")
    w.line(
        f"{total} = scf.for {at} = {first} to {last} step {step} iter_args({carried} = {zero.name})"
        f" -> ({zero.type}) : i32 {{\n"
        f"    {p} = load {a.name}[{x}, {at}]{access} : {a.element} -> {types[0]}\n"
        f"    {q} = load {b.name}[{at}, {y}]{access} : {b.element} -> {types[1]}\n"
        f"    {s}p = dot {p}, {q} : {types[0]}, {types[1]}\n"
        f"    {s} = add {carried}, {s}p : {zero.type}\n"
        f"    scf.yield {s} : {zero.type}\n"
        "  }"
    )
    w.values = [Value(total, (m, n), result)]
    w.line(f"store {total}, %T2[{x}, {y}] : {zero.type}, tensor<?x?x{result}>")


def attention_kernel(w: BlockWriter) -> None:
    """Attention in a loop over keys, causal or not."""
    rows, keys, width = w.choose((8, 16)), w.choose((8, 16)), w.choose((16, 32, 20))
    element = w.choose(("f16", "bf16", "f32"))
    w.blocks = (w.between(1, 3),)
    w.grid = f"ceildiv(dim %T0 0, {rows})"
    length = w.blocks[0] * rows - w.choose((0, 0, 3))
    q, k, v = (
        w.tensor(w.numbers(element, (length, width)), element, " {readonly}") for _ in range(3)
    )
    at = w.start(0, rows)
    query, score = text_of((rows, width), element), text_of((rows, keys), "f32")
    key, turned = text_of((keys, width), element), text_of((width, keys), element)
    column, acc = text_of((rows, 1), "f32"), text_of((rows, width), "f32")
    causal, words = w.choose((True, False)), w.flags()
    w.line(f"%q = load {q.name}[{at}, 0] : {q.element} -> {query}")
    for name, number, type in (("m", "-inf", column), ("l", "0.0", column), ("a", "0.0", acc)):
        w.line(f"%{name}0 = constant {number} : {type}")
    w.line(f"%zero = arith.constant 0 : i32\n  %keys = arith.constant {keys} : i32")
    w.line(f"%rows = arith.constant {rows} : i32\n  %behind = arith.addi {at}, %rows : i32")
    w.line(f"%length = extent {k.name}, 0 : {k.element}")
    mask = f"%t = causal_mask %s, {at}, %at : {score}" if causal else f"%t = abs %s : {score}"
    types = f"({column}, {column}, {acc})"
    w.line(
        f"%am, %al, %aa = scf.for %at = %zero to {'%behind' if causal else '%length'} step %keys "
        f"iter_args(%mi = %m0, %li = %l0, %ai = %a0) -> {types} : i32 {{\n"
        f"    %k = load {k.name}[%at, 0] : {k.element} -> {key}\n"
        f"    %kt = transpose %k : {key}\n"
        f"    %s = dot %q, %kt : {query}, {turned}\n"
        f"    {mask}\n"
        f"    %v = load {v.name}[%at, 0] : {v.element} -> {key}\n"
        f"    %mo, %lo, %ao = online_softmax_step %mi, %li, %ai, %t, %v scale 0.25{words} : "
        f"{column}, {column}, {acc}, {score}, {key}\n"
        f"    scf.yield %mo, %lo, %ao : {types[1:-1]}\n"
        "  }"
    )
    total, sums = Value("%aa", (rows, width), "f32"), Value("%al", (rows, 1), "f32")
    w.values = [total, sums, Value("%am", (rows, 1), "f32")]
    w.apply("div", total, sums, words=w.flags())


def long_kernel(w: BlockWriter) -> None:
    """Rows for `chunk-rows` at a width of 128, from tensors that are only read."""
    rows = w.choose((1, 2, 3))
    columns = w.choose((160, 192, 256))
    w.blocks = (w.between(1, 2),)
    w.grid = f"ceildiv(dim %T0 0, {rows})"
    element = w.choose(("f32", "f32", "f32", "f16", "i32"))
    count = w.blocks[0] * rows
    extent = columns + w.choose((0, 0, -5, 7))
    array = w.numbers(element, (count - w.choose((0, 0, rows - 1)), extent))
    tensor = w.tensor(array, element, w.choose((" {readonly}", " {readonly}", "")))
    at, first = w.start(0, rows), w.choose((0, 0, 3))
    fill = w.choose(("", " fill 2"))
    shape = (rows, columns)
    x = w.emit(
        f"load {tensor.name}[{at}, {first}]{fill} : {tensor.element} -> {text_of(shape, element)}",
        shape,
        element,
    )
    if w.choose((True, False)):
        count = w.constant(w.between(1, columns), "i32")
        x = w.emit(f"mask_cols {x.name}, {count.name}, -100 : {x.type}", shape, element)
    if element in FLOATS:
        x = w.wide(x)
    for _ in range(w.between(1, 3)):
        op = w.choose(("softmax", "rowsum", "rowmax", "rowmin", "mean", "norm", "exp"))
        if op in ("rowsum", "rowmax", "rowmin"):
            w.reduce(op, x, 1)
        elif element not in FLOATS:
            w.apply("add", x, w.constant(3, element))
        elif op == "softmax":
            w.apply(w.choose(("softmax", "log_softmax")), x, words=w.flags())
        elif op == "mean":
            w.apply("sub", x, w.reduce("rowmean", x, 1))
        elif op == "norm":
            scale = w.constant("1.5", "f32", (1, columns))
            w.emit(
                f"rms_norm {x.name}, {scale.name} eps 1.0e-5 : {x.type}, {scale.type}", shape, "f32"
            )
        else:
            w.apply("exp", w.apply("sub", x, w.reduce("rowmax", x, 1)), words=w.flags())


KINDS: tuple[Maker, ...] = (
    row_kernel, row_kernel, row_kernel, row_kernel, product_kernel, attention_kernel, long_kernel,
)  # fmt: skip


def finish(w: BlockWriter) -> Program:
    """Store the last values, each block its own part."""
    rank = len(w.blocks)
    stored = [v for v in w.values if len(v.shape) >= max(rank, 1)][-3:]
    for number, value in enumerate(stored):
        counts = (*w.blocks, *[1] * len(value.shape))
        extents = [n * c for n, c in zip(value.shape, counts, strict=False)]
        if w.choose((True, False, False)):
            extents[0] = max(extents[0] - 1, 1)
        array = np.zeros(tuple(extents), DTYPES[value.element])
        dims = "x".join("?" for _ in extents)
        name = f"%O{number}"
        w.parameters.append(f"{name}: tensor<{dims}x{value.element}>")
        w.arguments.append(array)
        at = ", ".join(w.start(dim, n) for dim, n in enumerate(value.shape))
        w.line(f"store {value.name}, {name}[{at}] : {value.type}, tensor<{dims}x{value.element}>")
    body = "\n".join(w.lines)
    return Program(
        f"tile_sugar.kernel @random({', '.join(w.parameters)})\n    grid({w.grid}) {{\n{body}\n"
        "  return\n}\n",
        w.arguments,
    )


def write_kernel(random: Random) -> Program:
    """A random kernel with its inputs."""
    w = BlockWriter(random)
    w.special = w.choose((True, False, False))
    make = w.choose(KINDS)
    make(w)
    steps = (0, 2) if make in (long_kernel, attention_kernel) else (1, 3)
    for _ in range(w.between(*steps)):
        w.choose(w.choose((LICENSED, LICENSED, PLAIN)))(w)
    return finish(w)


# Kernels of few kinds of operations, on which passes over whole kernels are not stopped.


def distances(w: BlockWriter) -> None:
    """exp(x - max x) over a large range, with or without a guard of infinite maxima."""
    a = w.pick("f32", rank=2)
    if a is None:
        return
    far = w.apply("mul", a, w.constant(w.choose(("1.0", "20.0")), "f32"))
    largest = w.reduce("rowmax", far, 1)
    if w.choose((True, False)):
        largest = finite(w, largest)
    w.apply("exp", w.apply("sub", far, largest), words=w.choose(("", " fastmath<afn>")))


def row_statistics(w: BlockWriter) -> None:
    a = w.pick("f32", "i32", rank=2)
    if a is not None:
        names = ["rowsum", "rowmax", "rowmin"]
        names += ["rowmean", "rowvar"] if a.element == "f32" else []
        w.reduce(w.choose(names), a, 1)


def masked_rows(w: BlockWriter) -> None:
    a = w.pick("f32", "i32", rank=2)
    if a is not None:
        count = w.constant(w.between(0, a.shape[1]), "i32")
        w.emit(f"mask_cols {a.name}, {count.name}, -9 : {a.type}", a.shape, a.element)


def row_softmax(w: BlockWriter) -> None:
    a = w.pick("f32", rank=2)
    if a is not None:
        op = w.choose(("softmax", "softmax", "log_softmax"))
        w.emit(f"{op} {a.name}{w.flags()} : {a.type}", a.shape, a.element)


ROW_STEPS: tuple[Maker, ...] = (
    distances, distances, row_statistics, row_statistics, masked_rows, row_softmax, norm, divided,
    arithmetic, tile_quotient,
)  # fmt: skip


def write_rows(random: Random) -> Program:
    """A random kernel of elementwise operations and reductions of rows, some of them wide."""
    w = BlockWriter(random)
    w.special = w.choose((True, False))
    wide = w.choose((True, True, False))
    rows = w.choose((4, 4, 8) if wide else (3, 5, 8))
    w.blocks = (w.between(1, 2),)
    w.grid = f"ceildiv(dim %T0 0, {rows})"
    least = (w.blocks[0] - 1) * rows + 1
    columns = w.choose((64, 128, 256) if wide else (3, 20, 33))
    w.rows(rows, columns, w.choose(("f32", "f32", "f32", "i32")), least=least)
    for _ in range(w.between(1, 3)):
        w.choose(ROW_STEPS)(w)
    return finish(w)
