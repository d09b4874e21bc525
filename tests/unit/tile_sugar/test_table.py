"""Every operation, for every element type, on full, ragged and absent tiles of several widths:
the same as NumPy, the same after lowering, or refused with a reason."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from support.sugar import check_ends, parse

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.tile_sugar import OPERATIONS

Array = npt.NDArray[Any]

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f64": np.float64,
    "i32": np.int32,
    "i8": np.int8,
    "i64": np.int64,
    "ui8": np.uint8,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i1": np.bool_,
}
FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i32", "i8", "i64")
ARITHMETIC = (*FLOATS, *INTEGERS)
STORAGE = ("ui8", "f8E4M3FN", "f8E5M2")
TYPES = (*ARITHMETIC, *STORAGE)
WIDTHS = (16, 3, 17, 100)
ROWS = {16: 4, 3: 4, 17: 5, 100: 3}


@dataclass
class Tile:
    """The tiles that an entry works on: rows x width, elements of one type."""

    rows: int
    width: int
    element: str

    @property
    def type(self) -> str:
        return f"tile<{self.rows}x{self.width}x{self.element}>"

    def of(self, element: str) -> str:
        return f"tile<{self.rows}x{self.width}x{element}>"

    @property
    def dtype(self) -> Any:
        return DTYPES[self.element]

    @property
    def wide(self) -> str:
        """What f16 and bf16 compute in."""
        return "f32" if self.element in ("f16", "bf16") else self.element


Shape = tuple[int, int]
Reference = Callable[[Tile, Array, Array], Array]


@dataclass
class Entry:
    """One line of the table: text that makes `%r` of `%x` and `%y`, and what NumPy makes."""

    name: str
    text: Callable[[Tile], str]
    reference: Reference
    legal: tuple[str, ...] = ARITHMETIC
    refused: str = "cast them to|needs (integers|floats|a float)|cast|is for floats|no value of"
    """What the error says for types that are not legal."""
    shape: Callable[[Tile], Shape] = lambda t: (t.rows, t.width)
    result: Callable[[Tile], str] = lambda t: t.element
    ulps: float = 0
    """How far results may be from NumPy's, in units of the result's precision."""
    atol: float = 0
    """And how far in absolute terms, where numbers cancel."""


def exact(values: Array, dtype: Any) -> Array:
    """binary64 results rounded once to a type; integers wrap."""
    if np.dtype(dtype).kind == "i":
        return (
            values.astype(np.int64).astype(dtype)
            if values.dtype.kind == "i"
            else values.astype(dtype)
        )
    return values.astype(dtype)


def up(values: Array) -> Array:
    """Wide enough to compute in once."""
    return values.astype(np.int64) if values.dtype.kind in "iub" else values.astype(np.float64)


def binary(function: Callable[[Array, Array], Array]) -> Reference:
    return lambda t, x, y: exact(function(up(x), up(y)), t.dtype)


def unary(function: Callable[[Array], Array]) -> Reference:
    return lambda t, x, y: exact(function(up(x)), t.dtype)


def truncated(x: Array, y: Array) -> Array:
    if x.dtype.kind == "f":
        return x / y
    with np.errstate(all="ignore"):
        quotient = np.abs(x) // np.abs(y)
    return quotient * np.sign(x) * np.sign(y)


def ulp_close(found: Array, expected: Array, ulps: float, atol: float) -> Array:
    with np.errstate(all="ignore"):
        if found.dtype.kind in "iub":
            return found == expected
        a, b = found.astype(np.float64), expected.astype(np.float64)
        info = cast(Any, ml_dtypes.finfo(found.dtype))
        eps, tiny = float(info.eps), float(info.smallest_subnormal)
        near = np.abs(a - b) <= ulps * (np.abs(b) * eps + tiny) + atol
        return near | (a == b) | (np.isnan(a) & np.isnan(b))


def op1(name: str, options: str = "") -> Callable[[Tile], str]:
    return lambda t: f"%r = {name} %x{options} : {t.type}"


def op2(name: str, options: str = "") -> Callable[[Tile], str]:
    return lambda t: f"%r = {name} %x, %y{options} : {t.type}"


def shift(name: str) -> Callable[[Tile], str]:
    return lambda t: f"%n = constant 3 : {t.type}\n  %r = {name} %x, %n : {t.type}"


def high(t: Tile, x: Array, y: Array) -> Array:
    bits = x.dtype.itemsize * 8
    product = x.astype(object) * y.astype(object)
    return (product // (1 << bits)).astype(np.int64).astype(x.dtype)


def reduced(function: Callable[..., Array], axis: int) -> Reference:
    def reference(t: Tile, x: Array, y: Array) -> Array:
        return exact(function(up(x), axis=axis, keepdims=True), t.dtype)

    return reference


def mean_type(t: Tile) -> str:
    return t.element if t.element in FLOATS else "f32"


def mean(function: Callable[..., Array], axis: int) -> Reference:
    def reference(t: Tile, x: Array, y: Array) -> Array:
        values = function(x.astype(np.float64), axis=axis, keepdims=True)
        return values.astype(DTYPES[mean_type(t)])

    return reference


def first_of(best: Callable[..., Array]) -> Reference:
    def reference(t: Tile, x: Array, y: Array) -> Array:
        extremum = best(up(x), axis=1, keepdims=True)
        equal = up(x) == extremum
        return np.where(equal.any(1, keepdims=True), equal.argmax(1)[:, None], 0).astype(np.int32)

    return reference


def column(t: Tile) -> Shape:
    return t.rows, 1


def row(t: Tile) -> Shape:
    return 1, t.width


def softmax(x: Array) -> Array:
    m = np.fmax.reduce(x, axis=1, keepdims=True)
    e = np.exp(x - np.where(np.isinf(m), 0, m))
    return e / e.sum(1, keepdims=True)


def logsumexp(x: Array) -> Array:
    m = np.fmax.reduce(x, axis=1, keepdims=True)
    g = np.where(np.isinf(m), 0, m)
    return g + np.log(np.exp(x - g).sum(1, keepdims=True))


def top3(t: Tile, x: Array) -> Array:
    key = np.where(np.isnan(up(x)), -np.inf, up(x)) if t.element in FLOATS else up(x)
    nan = np.isnan(up(x)) if t.element in FLOATS else np.zeros(x.shape, bool)
    columns = np.broadcast_to(np.arange(t.width), x.shape)
    negated = -key.astype(np.float64) if t.element != "i64" else -key.astype(object)
    if t.element == "i64":
        return np.array([sorted(range(t.width), key=lambda c: (r[c], c))[:3] for r in negated])
    return np.lexsort((columns, negated, nan), axis=1)[:, :3]


def erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def backwards(x: Array) -> Array:
    """Sums of what stands behind each element of a row."""
    sums = np.cumsum(x[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([sums[:, 1:], np.zeros_like(sums[:, :1])], axis=1)


def pad3(t: Tile) -> Shape:
    return t.rows, 3


def sweep_text(t: Tile) -> str:
    e = t.element
    return f"""%m = rowmax %x : {t.type}
  %r = sweep(%x, %m) : {t.type}, tile<{t.rows}x1x{e}> -> {t.type} {{
  ^bb0(%a: {e}, %b: {e}):
    %0 = sub %a, %b : {e}
    %1 = index 1
    %2 = constant 5 : i32
    %3 = cmp lt %1, %2 : i32
    %4 = select %3, %0, %a : i1, {e}, {e}
    yield %4 : {e}
  }}"""


def sweep_reference(t: Tile, x: Array, y: Array) -> Array:
    m = (
        np.fmax.reduce(up(x), axis=1, keepdims=True)
        if t.element in FLOATS
        else up(x).max(1)[:, None]
    )
    moved = exact(up(x) - m, t.dtype)
    return np.where(np.arange(t.width) < 5, moved, x)


def reduce_text(t: Tile) -> str:
    e = t.element
    kept = f"tile<{t.rows}x1x{e}>"
    return f"""%s, %r = reduce(%x, %y) axis 1 kinds [sum, max] : {t.type} -> {kept}, {kept} map {{
  ^bb0(%a: {e}, %b: {e}):
    %0 = mul %a, %b : {e}
    yield %0, %0 : {e}
  }}"""


def reduce_reference(t: Tile, x: Array, y: Array) -> Array:
    product = exact(up(x) * up(y), t.dtype)
    if t.element in FLOATS:
        return np.fmax.reduce(product.astype(np.float64), axis=1, keepdims=True).astype(t.dtype)
    return product.max(1, keepdims=True)


def least(t: Tile) -> str:
    """The identity of a maximum."""
    return str(np.iinfo(t.dtype).min) if t.element in INTEGERS else "nan"


def combine_text(t: Tile) -> str:
    """The value of the largest |key|, the first on a tie: a combination of pairs."""
    e = t.element
    return f"""%k = iota 1 : {t.of("i32")}
  %v, %r = reduce(%x, %k) axis 1 identities [{least(t)}, 2147483647]
    : {t.type}, {t.of("i32")} -> tile<{t.rows}x1x{e}>, tile<{t.rows}x1xi32> combine {{
  ^bb0(%a: {e}, %i: i32, %b: {e}, %j: i32):
    %m = max %a, %b : {e}
    %ea = cmp eq %m, %a : {e}
    %eb = cmp eq %m, %b : {e}
    %both = and %ea, %eb : i1
    %least = min %i, %j : i32
    %one = select %ea, %i, %j : i1, i32, i32
    %at = select %both, %least, %one : i1, i32, i32
    yield %m, %at : {e}, i32
  }}"""


def combine_reference(t: Tile, x: Array, y: Array) -> Array:
    best = np.fmax.reduce if t.element in FLOATS else np.maximum.reduce
    extremum = best(up(x), axis=1, keepdims=True)
    equal = up(x) == extremum
    position = equal.argmax(1)[:, None].astype(np.int32)
    if t.element not in FLOATS:
        return position
    # Rows of only NaN: the combination never sees equal keys and keeps the second position.
    return np.where(equal.any(1, keepdims=True), position, t.width - 1).astype(np.int32)


def half(t: Tile) -> int:
    """The largest power of two below the width."""
    return 1 << ((t.width - 1).bit_length() - 1)


ENTRIES: tuple[Entry, ...] = (
    Entry("add", op2("add"), binary(np.add)),
    Entry("sub", op2("sub"), binary(np.subtract)),
    Entry("mul", op2("mul"), binary(np.multiply)),
    Entry("div", op2("div"), binary(truncated)),
    Entry("rem", op2("rem"), binary(np.fmod)),
    Entry("min", op2("min"), binary(np.fmin)),
    Entry("max", op2("max"), binary(np.fmax)),
    Entry("max_nan", op2("max", " propagate_nan"), binary(np.maximum), FLOATS),
    Entry("neg", op1("neg"), unary(np.negative)),
    Entry("abs", op1("abs"), unary(np.abs)),
    Entry("square", op1("square"), unary(np.square)),
    Entry("fma", lambda t: f"%r = fma %x, %y, %x : {t.type}", lambda t, x, y: fma(t, x, y)),
    Entry("pow", op2("pow"), binary(np.power), FLOATS, ulps=1),
    Entry("atan2", op2("atan2"), binary(np.arctan2), FLOATS, ulps=1),
    Entry(
        "powi",
        lambda t: f"%n = constant -2 : i32\n  %r = powi %x, %n : {t.type}, i32",
        unary(lambda x: 1 / (x * x)),
        FLOATS,
        ulps=3,
    ),
    *(
        Entry(name, op1(name), unary(function), FLOATS, ulps=1)
        for name, function in (
            ("exp", np.exp),
            ("exp2", np.exp2),
            ("log", np.log),
            ("log2", np.log2),
            ("sqrt", np.sqrt),
            ("tanh", np.tanh),
            ("sin", np.sin),
            ("cos", np.cos),
            ("tan", np.tan),
            ("sinh", np.sinh),
            ("cosh", np.cosh),
        )
    ),
    Entry("rsqrt", op1("rsqrt"), unary(lambda x: 1 / np.sqrt(x)), FLOATS, ulps=1),
    Entry("round", op1("round"), unary(np.rint), FLOATS),
    Entry("floor", op1("floor"), unary(np.floor), FLOATS),
    Entry("ceil", op1("ceil"), unary(np.ceil), FLOATS),
    Entry("erf", op1("erf"), unary(erf), ("f32", "f16", "bf16"), "erf is for|cast|needs", ulps=2),
    Entry("sigmoid", op1("sigmoid"), unary(lambda x: 1 / (1 + np.exp(-x))), FLOATS, ulps=4),
    Entry("mulhi", op2("mulhi"), high, INTEGERS),
    Entry("and", op2("and"), binary(np.bitwise_and), INTEGERS),
    Entry("or", op2("or"), binary(np.bitwise_or), INTEGERS),
    Entry("xor", op2("xor"), binary(np.bitwise_xor), INTEGERS),
    Entry("not", op1("not"), unary(np.invert), INTEGERS),
    Entry("shl", shift("shl"), unary(lambda x: x << 3), INTEGERS),
    Entry("shr", shift("shr"), unary(lambda x: x >> 3), INTEGERS),
    Entry(
        "shru",
        shift("shru"),
        lambda t, x, y: (x.view(f"u{x.itemsize}") >> 3).view(x.dtype),
        INTEGERS,
    ),
    Entry(
        "cmp",
        lambda t: f"%r = cmp lt %x, %y : {t.type}",
        lambda t, x, y: x < y,
        result=lambda t: "i1",
    ),
    Entry(
        "cmp_ne",
        lambda t: f"%r = cmp ne %x, %y : {t.type}",
        lambda t, x, y: x != y,
        result=lambda t: "i1",
    ),
    Entry(
        "cmp_ult",
        lambda t: f"%r = cmp ult %x, %y : {t.type}",
        lambda t, x, y: x.view(f"u{x.itemsize}") < y.view(f"u{y.itemsize}"),
        INTEGERS,
        "compares integers|cast",
        result=lambda t: "i1",
    ),
    Entry(
        "cmp_uno",
        lambda t: f"%r = cmp uno %x, %y : {t.type}",
        lambda t, x, y: np.isnan(up(x)) | np.isnan(up(y)),
        FLOATS,
        "about NaN|cast",
        result=lambda t: "i1",
    ),
    Entry(
        "select",
        lambda t: (
            f"%k = iota 1 : tile<1x{t.width}xi32>\n  %n = constant 2 : i32\n"
            f"  %c = cmp lt %k, %n : tile<1x{t.width}xi32>, i32\n"
            f"  %r = select %c, %x, %y : tile<1x{t.width}xi1>, {t.type}, {t.type}"
        ),
        lambda t, x, y: np.where(np.arange(t.width) < 2, x, y),
        TYPES,
    ),
    Entry(
        "cast_f32",
        lambda t: f"%r = cast %x : {t.type} -> {t.of('f32')}",
        lambda t, x, y: x.astype(np.float32),
        TYPES,
        result=lambda t: "f32",
    ),
    Entry(
        "cast_f16",
        lambda t: f"%r = cast %x : {t.type} -> {t.of('f16')}",
        lambda t, x, y: x.astype(np.float16),
        TYPES,
        result=lambda t: "f16",
    ),
    Entry(
        "cast_i8",
        lambda t: f"%r = cast %x : {t.type} -> {t.of('i8')}",
        lambda t, x, y: to_integer(t, x, np.int8),
        TYPES,
        result=lambda t: "i8",
    ),
    Entry(
        "cast_ui8",
        lambda t: f"%r = cast %x : {t.type} -> {t.of('ui8')}",
        lambda t, x, y: to_integer(t, x, np.uint8),
        TYPES,
        result=lambda t: "ui8",
    ),
    Entry(
        "cast_i1",
        lambda t: f"%r = cast %x : {t.type} -> {t.of('i1')}",
        lambda t, x, y: x.astype(np.float64) != 0,
        TYPES,
        result=lambda t: "i1",
    ),
    Entry(
        "cast_f8",
        lambda t: f"%r = cast %x : {t.type} -> {t.of('f8E4M3FN')}",
        lambda t, x, y: to_f8(x),
        TYPES,
        result=lambda t: "f8E4M3FN",
    ),
    Entry(
        "unchecked",
        lambda t: f"%r = cast %f unchecked : {t.of('f32')} -> {t.of('i32')}",
        lambda t, x, y: np.broadcast_to(np.arange(t.width, dtype=np.int32), x.shape),
        TYPES,
        result=lambda t: "i32",
    ),
    Entry(
        "bitcast",
        lambda t: (
            f"%0 = bitcast %x : {t.type} -> {t.of(bits_of(t))}\n"
            f"  %r = bitcast %0 : {t.of(bits_of(t))} -> {t.type}"
        ),
        lambda t, x, y: x,
        TYPES,
    ),
    Entry(
        "broadcast",
        lambda t: (
            f"%m = extract %x[0, 0] : {t.type} -> tile<1x{t.width}x{t.element}>\n"
            f"  %r = broadcast %m : tile<1x{t.width}x{t.element}> -> {t.type}"
        ),
        lambda t, x, y: np.broadcast_to(x[:1], x.shape),
        TYPES,
    ),
    Entry(
        "constant",
        lambda t: f"%r = constant 1.0 : {t.type}",
        lambda t, x, y: np.ones(x.shape, t.dtype),
        TYPES,
    ),
    Entry("sweep", sweep_text, sweep_reference),
    # Reductions.
    Entry("rowmax", op1("rowmax"), reduced(np.fmax.reduce, 1), shape=column),
    Entry("rowmin", op1("rowmin"), reduced(np.fmin.reduce, 1), shape=column),
    Entry("rowsum", op1("rowsum"), reduced(np.sum, 1), shape=column, ulps=200),
    Entry("rowsum_ordered", op1("rowsum", " ordered"), reduced(np.sum, 1), shape=column, ulps=400),
    Entry("rowmean", op1("rowmean"), mean(np.mean, 1), shape=column, result=mean_type, ulps=200),
    Entry("rowvar", op1("rowvar"), mean(np.var, 1), shape=column, result=mean_type, ulps=2000),
    Entry(
        "rowargmax",
        op1("rowargmax"),
        first_of(np.fmax.reduce),
        shape=column,
        result=lambda t: "i32",
    ),
    Entry(
        "rowargmin",
        op1("rowargmin"),
        first_of(np.fmin.reduce),
        shape=column,
        result=lambda t: "i32",
    ),
    Entry("colsum", op1("colsum"), reduced(np.sum, 0), shape=row, ulps=50),
    Entry("colmax", op1("colmax"), reduced(np.fmax.reduce, 0), shape=row),
    Entry("colmin", op1("colmin"), reduced(np.fmin.reduce, 0), shape=row),
    Entry("colmean", op1("colmean"), mean(np.mean, 0), shape=row, result=mean_type, ulps=50),
    Entry("colmax_ordered", op1("colmax", " ordered"), reduced(np.fmax.reduce, 0), shape=row),
    Entry("cumsum", op1("cumsum"), unary(lambda x: np.cumsum(x, axis=0)), ulps=50),
    Entry(
        "cumsum_row",
        op1("cumsum", " axis 1 reverse exclusive"),
        unary(backwards),
        ulps=4000,
    ),
    Entry("reduce", reduce_text, reduce_reference, shape=column),
    Entry(
        "combine",
        combine_text,
        combine_reference,
        shape=column,
        result=lambda t: "i32",
    ),
    Entry(
        "scan",
        lambda t: f"%r = scan(%x) axis 1 kinds [max] : {t.type} -> {t.type}",
        lambda t, x, y: exact(accumulate(t, up(x)), t.dtype),
    ),
    # Shapes.
    Entry(
        "transpose",
        lambda t: (
            f"%0 = transpose %x : {t.type}\n"
            f"  %r = transpose %0 : tile<{t.width}x{t.rows}x{t.element}>"
        ),
        lambda t, x, y: x,
        TYPES,
    ),
    Entry(
        "permute",
        lambda t: f"%r = permute %x order [1, 0] : {t.type}",
        lambda t, x, y: x.T,
        TYPES,
        shape=lambda t: (t.width, t.rows),
    ),
    Entry(
        "reshape",
        lambda t: (
            f"%0 = reshape %x : {t.type} -> tile<{t.rows}x1x{t.width}x{t.element}>\n"
            f"  %r = reshape %0 : tile<{t.rows}x1x{t.width}x{t.element}> -> {t.type}"
        ),
        lambda t, x, y: x,
        TYPES,
    ),
    Entry(
        "extract",
        lambda t: (
            f"%n = constant {t.width - 1} : i32\n"
            f"  %r = extract %x[0, %n] : {t.type} -> tile<{t.rows}x1x{t.element}>"
        ),
        lambda t, x, y: x[:, -1:],
        TYPES,
        shape=column,
    ),
    Entry(
        "insert",
        lambda t: (
            f"%p = extract %y[0, 0] : {t.type} -> tile<{t.rows}x1x{t.element}>\n"
            f"  %r = insert %p, %x[0, {t.width - 1}] : tile<{t.rows}x1x{t.element}>, {t.type}"
        ),
        lambda t, x, y: np.concatenate([x[:, :-1], y[:, :1]], axis=1),
        TYPES,
    ),
    Entry(
        "concat",
        lambda t: (
            f"%a = extract %x[0, 0] : {t.type} -> tile<{t.rows}x{half(t)}x{t.element}>\n"
            f"  %b = extract %y[0, 0] : {t.type} -> tile<{t.rows}x1x{t.element}>\n"
            f"  %r = concat %a, %b axis 1 "
            f": tile<{t.rows}x{half(t)}x{t.element}>, tile<{t.rows}x1x{t.element}>"
        ),
        lambda t, x, y: np.concatenate([x[:, : half(t)], y[:, :1]], axis=1),
        TYPES,
        shape=lambda t: (t.rows, half(t) + 1),
    ),
    Entry("tril", op1("tril"), lambda t, x, y: np.tril(x), TYPES),
    Entry("triu", op1("triu", " diagonal -1"), lambda t, x, y: np.triu(x, -1), TYPES),
    # Products and library.
    Entry(
        "dot",
        lambda t: (
            f"%0 = transpose %y : {t.type}\n  %r = dot %x, %0 : {t.type}, "
            f"tile<{t.width}x{t.rows}x{t.element}>"
        ),
        lambda t, x, y: dot(t, x, y),
        (*FLOATS, "i8", "ui8", "f8E4M3FN", "f8E5M2"),
        "no product",
        shape=lambda t: (t.rows, t.rows),
        result=lambda t: dot_type(t),
        ulps=8,
    ),
    Entry(
        "tile_dot",
        lambda t: (
            f"%0 = tile_dot %x, %y : {t.type}\n"
            f"  %r = splat %0 : {t.element} -> tile<1x1x{t.element}>"
        ),
        lambda t, x, y: exact((up(x) * up(y)).sum(keepdims=True), t.dtype),
        shape=lambda t: (1, 1),
        ulps=4000,
    ),
    Entry(
        "axpy",
        lambda t: (
            f"%n = constant 2 : {t.element}\n"
            f"  %r = axpy %n, %x, %y : {t.element}, {t.type}, {t.type}"
        ),
        binary(lambda x, y: 2 * x + y),
    ),
    Entry("softmax", op1("softmax"), unary(softmax), FLOATS, ulps=100),
    Entry("log_softmax", op1("log_softmax"), unary(lambda x: x - logsumexp(x)), FLOATS, ulps=100),
    Entry("logsumexp", op1("logsumexp"), unary(logsumexp), FLOATS, shape=column, ulps=100),
    Entry(
        "mask_cols",
        lambda t: f"%n = constant 2 : i32\n  %r = mask_cols %x, %n, 1.0 : {t.type}",
        lambda t, x, y: np.where(np.arange(t.width) < 2, x, np.ones((), t.dtype)),
        TYPES,
    ),
    Entry(
        "causal_mask",
        lambda t: (
            f"%n = constant 1 : i32\n  %z = constant 0 : i32\n"
            f"  %r = causal_mask %x, %n, %z : {t.type}"
        ),
        lambda t, x, y: np.where(np.tri(t.rows, t.width, 1, bool), x, lowest(t)),
        FLOATS,
    ),
    Entry(
        "argsel",
        lambda t: (
            f"%k = iota 0 : {t.of('i32')}\n  %l = iota 1 : {t.of('i32')}\n"
            f"  %r = argsel %x, %y, %k, %l : {t.type}, {t.type}, {t.of('i32')}, {t.of('i32')}"
        ),
        lambda t, x, y: np.where(x >= y, *np.indices(x.shape, np.int32)),
        result=lambda t: "i32",
    ),
    Entry(
        "topk",
        lambda t: f"%r, %at = topk %x k 3 : {t.type}",
        lambda t, x, y: np.take_along_axis(x, top3(t, x), axis=1),
        shape=pad3,
    ),
    Entry(
        "topk_columns",
        lambda t: f"%v, %r = topk %x k 3 : {t.type}",
        lambda t, x, y: top3(t, x).astype(np.int32),
        shape=pad3,
        result=lambda t: "i32",
    ),
    Entry(
        "cross_entropy",
        lambda t: (
            f"%l = constant 1 : tile<{t.rows}x1xi32>\n"
            f"  %r = cross_entropy %x, %l : {t.type}, tile<{t.rows}x1xi32>"
        ),
        unary(lambda x: logsumexp(x) - x[:, 1:2]),
        FLOATS,
        shape=column,
        ulps=500,
    ),
    Entry(
        "layer_norm",
        lambda t: (
            f"%g = extract %y[0, 0] : {t.type} -> tile<1x{t.width}x{t.element}>\n"
            f"  %r = layer_norm %x, %g, %g eps 0.001 "
            f": {t.type}, tile<1x{t.width}x{t.element}>, tile<1x{t.width}x{t.element}>"
        ),
        lambda t, x, y: exact(layer_norm(up(x), up(y)[:1]), t.dtype),
        FLOATS,
        ulps=2000,
    ),
    Entry(
        "rms_norm",
        lambda t: (
            f"%g = extract %y[0, 0] : {t.type} -> tile<1x{t.width}x{t.element}>\n"
            f"  %r = rms_norm %x, %g eps 0.001 : {t.type}, tile<1x{t.width}x{t.element}>"
        ),
        lambda t, x, y: exact(
            up(x) / np.sqrt((up(x) ** 2).mean(1, keepdims=True) + 0.001) * up(y)[:1], t.dtype
        ),
        FLOATS,
        ulps=200,
    ),
    Entry(
        "gelu",
        op1("gelu"),
        unary(lambda x: x / 2 * (1 + erf(x * np.sqrt(0.5)))),
        ("f32", "f16", "bf16"),
        "gelu is for|cast|needs",
        ulps=4,
        atol=1e-6,
    ),
    Entry("silu", op1("silu"), unary(lambda x: x / (1 + np.exp(-x))), FLOATS, ulps=10),
    # Memory.
    Entry(
        "gather",
        lambda t: (
            f"%k = iota 0 : tile<{t.rows}x1xi32>\n  %l = iota 1 : tile<1x{t.width}xi32>\n"
            f"  %two = constant 2 : i32\n  %m = sub %l, %two : tile<1x{t.width}xi32>, i32\n"
            f"  %r = gather %X[%k, %m] fill 1.0 : tensor<?x{t.width}x{t.element}>, "
            f"tile<{t.rows}x1xi32>, tile<1x{t.width}xi32> -> {t.type}"
        ),
        lambda t, x, y: gathered(t, y),
        TYPES,
    ),
    Entry(
        "gather_rows",
        lambda t: (
            f"%k = constant 1 : tile<{t.rows}x1xi32>\n"
            f"  %r = gather_rows %X[%k, 1] "
            f": tensor<?x{t.width}x{t.element}>, tile<{t.rows}x1xi32> -> {t.type}"
        ),
        lambda t, x, y: second_row(t),
        TYPES,
    ),
    Entry(
        "gather_tile",
        lambda t: (
            f"%0 = extract %x[0, 0] : {t.type} -> tile<1x{t.width}x{t.element}>\n"
            f"  %1 = reshape %0 : tile<1x{t.width}x{t.element}> -> tile<{t.width}x{t.element}>\n"
            f"  %k = iota 1 : {t.of('i32')}\n  %one = constant 1 : i32\n"
            f"  %m = sub %k, %one : {t.of('i32')}, i32\n"
            f"  %r = gather_tile %1, %m fill 1.0 : tile<{t.width}x{t.element}>, {t.of('i32')}"
        ),
        lambda t, x, y: np.broadcast_to(np.concatenate([np.ones(1, t.dtype), x[0, :-1]]), x.shape),
        TYPES,
    ),
)


def fma(t: Tile, x: Array, y: Array) -> Array:
    if t.element == "f64":
        from fractions import Fraction

        def one(a: float, b: float) -> float:
            if not (math.isfinite(a) and math.isfinite(b)):
                return a * b + a
            return float(Fraction(a) * Fraction(b) + Fraction(a))

        return np.vectorize(one, otypes=[np.float64])(x, y)
    return exact(up(x) * up(y) + up(x), t.dtype)


def to_integer(t: Tile, x: Array, dtype: Any) -> Array:
    if np.dtype(x.dtype).kind in "iu":
        return x.astype(dtype)
    info = np.iinfo(dtype)
    values = np.trunc(x.astype(np.float64))
    clipped = np.clip(np.where(np.isnan(values), 0, values), info.min, info.max)
    return clipped.astype(dtype)


def to_f8(x: Array) -> Array:
    return np.clip(x.astype(np.float64), -448, 448).astype(ml_dtypes.float8_e4m3fn)


def bits_of(t: Tile) -> str:
    return f"i{np.dtype(t.dtype).itemsize * 8}"


def accumulate(t: Tile, x: Array) -> Array:
    function = np.fmax if t.element in FLOATS else np.maximum
    return function.accumulate(x, axis=1)


def dot_type(t: Tile) -> str:
    return {"f64": "f64", "i8": "i32", "ui8": "i32"}.get(t.element, "f32")


def dot(t: Tile, x: Array, y: Array) -> Array:
    wide = np.int64 if t.element in ("i8", "ui8") else np.float64
    return (x.astype(wide) @ y.astype(wide).T).astype(DTYPES[dot_type(t)])


def layer_norm(x: Array, g: Array) -> Array:
    d = x - x.mean(1, keepdims=True)
    return d / np.sqrt((d * d).mean(1, keepdims=True) + 0.001) * g + g


def lowest(t: Tile) -> Array:
    value = -65504.0 if t.element == "f16" else -1e30
    return np.asarray(value).astype(t.dtype)


SOURCE: dict[str, Array] = {}
"""The array that the kernel under test gathers from."""


def gathered(t: Tile, y: Array) -> Array:
    source = SOURCE["X"]
    padded = np.concatenate([np.ones((len(source), 2), t.dtype), source], axis=1)
    rows = [
        padded[r, : t.width] if r < len(source) else np.ones(t.width, t.dtype)
        for r in range(t.rows)
    ]
    return np.stack(rows)


def second_row(t: Tile) -> Array:
    row = np.concatenate([SOURCE["X"][1, 1:], np.zeros(1, t.dtype)])
    return np.broadcast_to(row, (t.rows, t.width))


def numbers(element: str, shape: Shape, seed: int) -> Array:
    random = np.random.default_rng(seed)
    if element in INTEGERS:
        values = random.integers(-100, 100, shape)
        return np.where(values == 0, 7, values).astype(DTYPES[element])
    if element == "ui8":
        return random.integers(1, 256, shape).astype(np.uint8)
    values = random.normal(size=shape) * 3
    values[0, 0] = -0.0
    if element in FLOATS and shape[0] > 2:
        values[1, :2] = [np.nan, np.inf]
        values[2] = -np.inf
    return values.astype(DTYPES[element])


def kernel(tile: Tile, entries: list[Entry]) -> str:
    """A kernel that stores what each entry makes; `%y` reads 1 outside the tensor."""
    outputs: list[str] = []
    body: list[str] = []
    for number, entry in enumerate(entries):
        rows, width = entry.shape(tile)
        result = entry.result(tile)
        outputs.append(f"%O{number}: tensor<?x{width}x{result}>")
        text = re.sub(r"%(?![xyfXY]\b|bx\b|c\b)", f"%v{number}_", entry.text(tile))
        text = re.sub(r"%c\b", f"%v{number}_c", text)
        text = text.replace("^bb0", f"^b{number}")
        body.append(text)
        body.append(
            f"%w{number} = constant {rows} : i32\n  %p{number} = arith.muli %bx, %w{number} : i32"
        )
        body.append(
            f"store %v{number}_r, %O{number}[%p{number}, 0] : "
            f"tile<{rows}x{width}x{result}>, tensor<?x{width}x{result}>"
        )
    joined = "\n  ".join(body)
    parameters = ", ".join(
        [
            f"%X: tensor<?x{tile.width}x{tile.element}>",
            f"%Y: tensor<?x{tile.width}x{tile.element}>",
            *outputs,
        ]
    )
    return f"""tile_sugar.kernel @table({parameters}) grid(3) {{
  %bx = block_id 0
  %rows = arith.constant {tile.rows} : i32
  %start = arith.muli %bx, %rows : i32
  %x = load %X[%start, 0] : tensor<?x{tile.width}x{tile.element}> -> {tile.type}
  %y = load %Y[%start, 0] fill 1.0 : tensor<?x{tile.width}x{tile.element}> -> {tile.type}
  %index = iota 1 : {tile.of("i32")}
  %f = cast %index : {tile.of("i32")} -> {tile.of("f32")}
  {joined}
  return
}}
"""


def tiles_of(array: Array, tile: Tile, fill: int) -> Iterator[Array]:
    """What the three blocks load: all inside, half inside, all outside."""
    for block in range(3):
        part = array[block * tile.rows : (block + 1) * tile.rows]
        whole = np.full((tile.rows, tile.width), fill).astype(tile.dtype)
        whole[: len(part)] = part
        yield whole


def check(tile: Tile, entries: list[Entry]) -> None:
    rows = tile.rows + tile.rows // 2
    x = numbers(tile.element, (rows, tile.width), 1)
    y = numbers(tile.element, (rows, tile.width), 2)
    SOURCE["X"] = x
    outputs = [
        np.zeros((3 * entry.shape(tile)[0], entry.shape(tile)[1]), DTYPES[entry.result(tile)])
        for entry in entries
    ]
    outcome = check_ends(kernel(tile, entries), [x, y, *outputs])
    for entry, found in zip(entries, outcome.arrays[2:], strict=True):
        with np.errstate(all="ignore"):
            parts = [
                entry.reference(tile, a, b)
                for a, b in zip(tiles_of(x, tile, 0), tiles_of(y, tile, 1), strict=True)
            ]
            expected = np.concatenate(parts).astype(found.dtype)
            close = ulp_close(found, expected, entry.ulps, entry.atol)
        where = np.argwhere(~close)
        assert close.all(), (
            f"{entry.name} of {tile.type}: element {where[0]} is "
            f"{found[tuple(where[0])]} instead of {expected[tuple(where[0])]}"
        )


def combinations() -> list[Any]:
    """All types and widths; f32, and one odd width of the others, are enough for every day."""
    return [
        pytest.param(
            element,
            width,
            marks=() if element == "f32" or width == 17 else pytest.mark.slow,
            id=f"{element}-{width}",
        )
        for element in TYPES
        for width in WIDTHS
    ]


@pytest.mark.parametrize(("element", "width"), combinations())
def test_operations(element: str, width: int) -> None:
    tile = Tile(ROWS[width], width, element)
    check(tile, [entry for entry in ENTRIES if element in entry.legal])


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if set(TYPES) - set(e.legal)], ids=lambda e: e.name
)
def test_refusals(entry: Entry) -> None:
    for element in set(TYPES) - set(entry.legal):
        tile = Tile(4, 17, element)
        with pytest.raises(DiagnosticError) as caught:
            parse(kernel(tile, [entry]))
        message = caught.value.diagnostics[0].message
        assert re.search(entry.refused, message), f"{entry.name} of {element}: {message}"


TESTED_ELSEWHERE = {
    "kernel", "return", "block_id", "num_blocks", "extent", "make_tensor", "yield", "index",
    "load", "store", "iota", "splat", "to_scalar", "scatter", "atomic", "print", "assert", "flat",
    "dot_scaled", "online_softmax_step",
}  # fmt: skip
"""Used by all kernels here, or tested in `test_memory.py` and `test_examples.py`."""


def test_no_operation_is_left_out() -> None:
    texts = " ".join(e.text(Tile(4, 17, "f32")) for e in ENTRIES)
    names = set(re.findall(r"= (\w+)", texts))
    missing = {op.name.partition(".")[2] for op in OPERATIONS} - names - TESTED_ELSEWHERE
    assert not missing
