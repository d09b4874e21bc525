"""For every pattern, kernel bodies that it applies to.

`$E` stands for an element type, `$T` for a tile of it with a lane for each combination of inputs,
`$B` for an i1 tile of as many lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from support.pattern_check import Rewrite

INTS = ("i8", "i1", "i16", "i32", "i64")
SMALL_INTS = ("i8", "i1")
WIDE_INTS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
MODES = ("", "rounding<zero>", "rounding<negative_inf>", "rounding<positive_inf>")


def bodies(
    body: str,
    elements: Sequence[str],
    inputs: str = "x",
    result: str = "$E",
    where: Callable[..., Any] | None = None,
    lanes: int | None = None,
) -> list[Rewrite]:
    """A body for each element type, with inputs of that type and one result `%r`."""
    return [
        Rewrite(
            _expand(body, element),
            {"r": f"tile<Nx{_expand(result, element)}>"},
            {name: element for name in inputs.split()},
            where=where,
            lanes=lanes,
        )
        for element in elements
    ]


def _expand(text: str, element: str) -> str:
    text = text.replace("$T", "tile<Nx$E>").replace("$B", "tile<Nxi1>")
    return text.replace("$E", element)


def with_modes(
    body: str, elements: Sequence[str], inputs: str = "x", modes: Sequence[str] = MODES
) -> list[Rewrite]:
    """A body with `$M` for every rounding mode and element type."""
    return [r for mode in modes for r in bodies(body.replace("$M", mode), elements, inputs)]


def scalar(
    body: str,
    results: Mapping[str, str],
    scalars: Mapping[str, tuple[str, Sequence[Any]]] | None = None,
) -> Rewrite:
    """A body on scalar arguments."""
    return Rewrite(body, dict(results), scalars=dict(scalars or {}))


def const(name: str, value: str, type: str = "$T", element: str = "$E") -> str:
    return f"%{name} = constant <{element}: {value}> : {type}\n"


def _between(low: float, high: float) -> Callable[..., Any]:
    def inside(x: Any) -> Any:
        with np.errstate(invalid="ignore"):
            number = x.astype(np.float64)
        return (number > low) & (number < high)

    return inside


def _nonzero(*columns: Any) -> Any:
    return columns[-1] != 0


BOOL = ("i1", (False, True))
FEW = ("i32", (0, 1, 2, 5, -3))

Cases = dict[str, list[Rewrite]]


INTEGERS: Cases = {
    "fold-constants": [
        *bodies(const("a", "5") + const("b", "-3") + "%r = addi %a, %b : $T", WIDE_INTS),
        *bodies(const("a", "5") + const("b", "3") + "%r = divi %a, %b signed : $T", WIDE_INTS),
        *bodies(
            const("a", "1.1", element="$E") + const("b", "3.0") + "%r = divf %a, %b : $T", FLOATS
        ),
        *bodies(
            "%a = constant <i8: [1, -2, 127, -128, 0, 64, 3, -1]> : tile<8xi8>\n"
            "%b = constant <i8: 7> : tile<8xi8>\n%r = muli %a, %b : tile<8xi8>",
            ("i8",),
            inputs="",
            lanes=8,
        ),
        *bodies(const("a", "-3") + "%r = absi %a : $T", WIDE_INTS),
        *bodies(
            const("a", "-1.5") + "%r = ftoi %a signed : $T -> tile<Nxi32>", FLOATS, result="i32"
        ),
        *bodies(const("a", "2.5") + "%r = ftof %a : $T -> tile<Nxf16>", ("f32",), result="f16"),
        *bodies(const("a", "2.5") + "%r = bitcast %a : $T -> tile<Nxi32>", ("f32",), result="i32"),
        *bodies(
            const("a", "2.5") + const("b", "-0.0") + "%r = minf %a, %b : $T", FLOATS, inputs=""
        ),
        *bodies(
            const("a", "2.5") + const("b", "2.5") + "%r = cmpf equal ordered %a, %b : $T -> $B",
            FLOATS,
            result="i1",
        ),
    ],
    "integer-constant-to-the-right": [
        case
        for op in ("addi", "muli", "andi", "ori", "xori", "mulhii", "maxi", "mini")
        for case in bodies(
            const("c", "1") + f"%r = {op} %c, %x {'signed' if op in ('maxi', 'mini') else ''} : $T",
            SMALL_INTS,
        )
    ],
    "comparison-constant-to-the-right": [
        *(
            case
            for predicate in ("equal", "less_than", "greater_than_or_equal")
            for case in bodies(
                const("c", "1") + f"%r = cmpi {predicate} %c, %x, signed : $T -> $B",
                SMALL_INTS,
                result="i1",
            )
        ),
        *(
            case
            for predicate in ("not_equal", "less_than", "less_than_or_equal", "greater_than")
            for order in ("ordered", "unordered")
            for case in bodies(
                const("c", "1.0") + f"%r = cmpf {predicate} {order} %c, %x : $T -> $B",
                ("f16",),
                result="i1",
            )
        ),
    ],
    "add-zero": [
        *bodies(const("c", "0") + "%r = addi %x, %c : $T", INTS),
        *bodies(const("c", "0") + "%r = subi %x, %c : $T", INTS),
    ],
    "subtract-itself": bodies("%r = subi %x, %x : $T", INTS),
    "subtract-from-zero": bodies(const("c", "0") + "%r = subi %c, %x : $T", INTS),
    "add-constants": bodies(
        const("c", "100") + const("d", "90") + "%a = addi %x, %c : $T\n%r = addi %a, %d : $T",
        WIDE_INTS,
    ),
    "add-negated": [
        *bodies("%n = negi %y : $T\n%r = addi %x, %n : $T", SMALL_INTS, "x y"),
        *bodies("%n = negi %y : $T\n%r = addi %n, %x : $T", SMALL_INTS, "x y"),
    ],
    "subtract-negated": bodies("%n = negi %y : $T\n%r = subi %x, %n : $T", SMALL_INTS, "x y"),
    "negate-twice": bodies("%n = negi %x : $T\n%r = negi %n : $T", INTS),
    "absolute-of-sign-free": [
        *bodies("%n = negi %x : $T\n%r = absi %n : $T", INTS),
        *bodies("%n = absi %x : $T\n%r = absi %n : $T", INTS),
    ],
    "multiply-by-one": bodies(const("c", "1") + "%r = muli %x, %c : $T", INTS),
    "multiply-by-zero": [
        *bodies(const("c", "0") + "%r = muli %x, %c : $T", INTS),
        *bodies(const("c", "0") + "%r = andi %x, %c : $T", INTS),
    ],
    "multiply-constants": bodies(
        const("c", "11") + const("d", "-37") + "%a = muli %x, %c : $T\n%r = muli %a, %d : $T",
        WIDE_INTS,
    ),
    "multiply-extended-constants": [
        case
        for sign, promise, factor, where in (
            ("signed", "no_signed_wrap", "-7", _between(-18, 18)),
            ("signed", "no_wrap", "7", _between(-1, 18)),
            ("unsigned", "no_unsigned_wrap", "7", _between(-1, 36)),
            ("unsigned", "no_wrap", "7", _between(-1, 18)),
        )
        for case in bodies(
            const("c", factor)
            + f"%a = muli %x, %c overflow<{promise}> : $T\n"
            + f"%b = exti %a {sign} : $T -> tile<Nxi64>\n"
            + const("d", "-37", "tile<Nxi64>", "i64")
            + "%r = muli %b, %d : tile<Nxi64>",
            ("i8", "i16", "i32"),
            result="i64",
            where=where,
        )
    ],
    "high-half-of-small-product": [
        case
        for value in ("0", "1")
        for case in bodies(const("c", value) + "%r = mulhii %x, %c : $T", INTS)
    ],
    "divide-by-one": [
        case
        for sign in ("signed", "unsigned", "signed rounding<negative_inf>")
        for case in bodies(const("c", "1") + f"%r = divi %x, %c {sign} : $T", WIDE_INTS)
    ],
    "divide-by-itself": [
        case
        for sign in ("signed", "unsigned", "unsigned rounding<positive_inf>")
        for case in bodies(f"%r = divi %x, %x {sign} : $T", WIDE_INTS, where=_nonzero)
    ],
    "remainder-of-multiple": [
        *bodies("%r = remi %x, %x signed : $T", WIDE_INTS, where=_nonzero),
        *bodies(const("c", "1") + "%r = remi %x, %c signed : $T", WIDE_INTS),
        *bodies(const("c", "1") + "%r = remi %x, %c unsigned : $T", INTS),
    ],
    "same-operand-twice": [
        *bodies("%r = andi %x, %x : $T", INTS),
        *bodies("%r = ori %x, %x : $T", INTS),
    ],
    "extremum-of-itself": [
        *bodies("%r = maxi %x, %x signed : $T", INTS),
        *bodies("%r = mini %x, %x unsigned : $T", INTS),
    ],
    "combine-with-no-bits": [
        *bodies(const("c", "0") + "%r = ori %x, %c : $T", INTS),
        *bodies(const("c", "0") + "%r = xori %x, %c : $T", INTS),
    ],
    "and-with-all-bits": bodies(const("c", "-1") + "%r = andi %x, %c : $T", INTS),
    "or-with-all-bits": bodies(const("c", "-1") + "%r = ori %x, %c : $T", INTS),
    "exclusive-or-with-itself": bodies("%r = xori %x, %x : $T", INTS),
    "combine-masks": [
        case
        for op in ("andi", "ori", "xori")
        for case in bodies(
            const("c", "29") + const("d", "-52") + f"%a = {op} %x, %c : $T\n%r = {op} %a, %d : $T",
            WIDE_INTS,
        )
    ],
    "combine-with-complement": [
        case
        for op in ("andi", "ori", "xori")
        for operands in ("%x, %n", "%n, %x")
        for case in bodies(
            const("c", "-1") + f"%n = xori %x, %c : $T\n%r = {op} {operands} : $T", INTS
        )
    ],
    "shift-by-zero": [
        *bodies(const("c", "0") + "%r = shli %x, %c : $T", INTS),
        *bodies(const("c", "0") + "%r = shri %x, %c signed : $T", INTS),
        *bodies(const("c", "0") + "%r = shri %x, %c unsigned : $T", INTS),
    ],
    "shift-of-zero": [
        *bodies(
            const("c", "0") + "%r = shli %c, %x : $T",
            ("i8",),
            where=_between(-1, 8),
        ),
        *bodies(
            const("c", "0") + "%r = shri %c, %x signed : $T",
            ("i8",),
            where=_between(-1, 8),
        ),
    ],
    "shift-twice": [
        case
        for op in ("shli %s, %s", "shri %s, %s signed", "shri %s, %s unsigned")
        for first, second in ((3, 4), (1, 1), (0, 7))
        for case in bodies(
            const("c", str(first))
            + const("d", str(second))
            + f"%a = {op % ('%x', '%c')} : $T\n%r = {op % ('%a', '%d')} : $T",
            WIDE_INTS,
        )
    ],
    "extremum-with-limit": [
        case
        for op in ("maxi", "mini")
        for sign, value in (
            ("signed", "-128"),
            ("signed", "127"),
            ("unsigned", "0"),
            ("unsigned", "-1"),
        )
        for case in bodies(const("c", value) + f"%r = {op} %x, %c {sign} : $T", ("i8",))
    ],
    "nested-integer-extrema": [
        case
        for op in ("maxi", "mini")
        for sign in ("signed", "unsigned")
        for case in (
            *bodies(
                const("c", "100")
                + const("d", "-100")
                + f"%a = {op} %x, %c {sign} : $T\n%r = {op} %a, %d {sign} : $T",
                WIDE_INTS,
            ),
            *bodies(f"%a = {op} %x, %y {sign} : $T\n%r = {op} %a, %y {sign} : $T", ("i8",), "x y"),
            *bodies(f"%a = {op} %x, %y {sign} : $T\n%r = {op} %x, %a {sign} : $T", ("i8",), "x y"),
        )
    ],
    "compare-with-itself": [
        case
        for predicate in ("equal", "not_equal", "less_than", "greater_than_or_equal")
        for case in bodies(f"%r = cmpi {predicate} %x, %x, signed : $T -> $B", INTS, result="i1")
    ],
    "compare-truth-value": [
        case
        for predicate in ("equal", "not_equal")
        for value in ("true", "false")
        for sign in ("signed", "unsigned")
        for case in bodies(
            const("c", value) + f"%r = cmpi {predicate} %x, %c, {sign} : $T -> $B", ("i1",)
        )
    ],
    "compare-by-range": [
        case
        for predicate, value in (
            ("less_than", "0"),
            ("greater_than_or_equal", "0"),
            ("less_than_or_equal", "-1"),
            ("greater_than", "-1"),
        )
        for case in bodies(
            const("c", value) + f"%r = cmpi {predicate} %x, %c, unsigned : $T -> $B",
            INTS,
            result="i1",
        )
    ]
    + [
        case
        for predicate in ("equal", "not_equal", "less_than", "greater_than")
        for sign in ("signed", "unsigned")
        for case in bodies(
            const("m", "15")
            + const("c", "64")
            + f"%a = andi %x, %m : $T\n%r = cmpi {predicate} %a, %c, {sign} : $T -> $B",
            WIDE_INTS,
            result="i1",
        )
    ],
}

FLOAT_CASES: Cases = {
    "float-constant-to-the-right": [
        case
        for op in ("addf", "mulf", "maxf", "minf")
        for case in bodies(const("c", "1.5") + f"%r = {op} %c, %x : $T", FLOATS)
    ]
    + bodies(const("c", "1.5") + "%r = fma %c, %x, %y : $T", FLOATS, "x y"),
    "multiply-float-by-one": [
        *with_modes(const("c", "1.0") + "%r = mulf %x, %c $M : $T", FLOATS),
        *with_modes(const("c", "1.0") + "%r = divf %x, %c $M : $T", FLOATS),
    ],
    "multiply-float-by-minus-one": [
        *with_modes(const("c", "-1.0") + "%r = mulf %x, %c $M : $T", FLOATS),
        *with_modes(const("c", "-1.0") + "%r = divf %x, %c $M : $T", FLOATS),
    ],
    "add-neutral-zero": [
        *with_modes(
            const("c", "-0.0") + "%r = addf %x, %c $M : $T", FLOATS, modes=(*MODES[:2], MODES[3])
        ),
        *with_modes(
            const("c", "0.0") + "%r = subf %x, %c $M : $T", FLOATS, modes=(*MODES[:2], MODES[3])
        ),
        *with_modes(const("c", "0.0") + "%r = addf %x, %c $M : $T", FLOATS, modes=MODES[2:3]),
        *with_modes(const("c", "-0.0") + "%r = subf %x, %c $M : $T", FLOATS, modes=MODES[2:3]),
    ],
    "subtract-from-negative-zero": with_modes(
        const("c", "-0.0") + "%r = subf %c, %x $M : $T", FLOATS, modes=(*MODES[:2], MODES[3])
    ),
    "negate-float-twice": bodies("%n = negf %x : $T\n%r = negf %n : $T", FLOATS),
    "absolute-of-float-sign": [
        *bodies("%n = negf %x : $T\n%r = absf %n : $T", FLOATS),
        *bodies("%n = absf %x : $T\n%r = absf %n : $T", FLOATS),
    ],
    "add-negated-float": [
        case
        for flush in ("", " flush_to_zero")
        for expression in ("addf %x, %n", "addf %n, %x", "subf %x, %n")
        for case in with_modes(
            f"%n = negf %y : $T\n%r = {expression} $M{flush} : $T",
            ("f32",) if flush else FLOATS,
            "x y",
        )
    ],
    "product-of-negated": [
        case
        for expression in ("mulf %n, %m $M", "divf %n, %m $M", "fma %n, %m, %x $M")
        for case in with_modes(
            f"%n = negf %x : $T\n%m = negf %y : $T\n%r = {expression} : $T", FLOATS, "x y"
        )
    ],
    "multiply-negated-by-constant": [
        case
        for op in ("mulf", "divf")
        for value in ("3.1", "-0.0")
        for case in with_modes(
            const("c", value) + f"%n = negf %x : $T\n%r = {op} %n, %c $M : $T", FLOATS
        )
    ],
    "divide-by-power-of-two": [
        case
        for value in ("4.0", "-0.125", "1024.0")
        for case in with_modes(const("c", value) + "%r = divf %x, %c $M : $T", FLOATS)
    ]
    + bodies(const("c", "8.0") + "%r = divf %x, %c flush_to_zero : $T", ("f32",)),
    "fma-by-one": with_modes(const("c", "1.0") + "%r = fma %x, %c, %y $M : $T", FLOATS, "x y"),
    "fma-of-neutral-zero": [
        *with_modes(
            const("c", "-0.0") + "%r = fma %x, %y, %c $M : $T",
            FLOATS,
            "x y",
            (*MODES[:2], MODES[3]),
        ),
        *with_modes(const("c", "0.0") + "%r = fma %x, %y, %c $M : $T", FLOATS, "x y", MODES[2:3]),
        *bodies(const("c", "-0.0") + "%r = fma %x, %y, %c flush_to_zero : $T", ("f32",), "x y"),
    ],
    "round-integral": [
        *bodies("%a = floor %x : $T\n%r = ceil %a : $T", FLOATS),
        *bodies("%a = ceil %x : $T\n%r = ceil %a : $T", FLOATS),
        *bodies(
            "%a = itof %x signed : $T -> tile<Nxf16>\n%r = floor %a : tile<Nxf16>",
            ("i16", "i32"),
            result="f16",
        ),
    ],
    "float-extremum-of-itself": [
        case
        for op in ("maxf", "minf")
        for flag in ("", " propagate_nan")
        for case in bodies(f"%r = {op} %x, %x{flag} : $T", FLOATS)
    ],
    "float-extremum-with-infinity": [
        *bodies(const("c", "0xFC00") + "%r = maxf %x, %c propagate_nan : $T", ("f16",)),
        *bodies(const("c", "0x7C00") + "%r = minf %x, %c propagate_nan : $T", ("f16",)),
        *bodies(const("c", "0x7F80") + "%r = maxf %x, %c : $T", ("bf16",)),
        *bodies(const("c", "0xFF800000") + "%r = minf %x, %c : $T", ("f32",)),
        *bodies(const("c", "0x7F800000") + "%r = maxf %x, %c flush_to_zero : $T", ("f32",)),
    ],
    "float-extremum-with-nan": [
        *bodies(const("c", "0x7E00") + "%r = maxf %x, %c : $T", ("f16",)),
        *bodies(const("c", "0x7FC0") + "%r = minf %x, %c : $T", ("bf16",)),
    ],
    "nested-float-extrema": [
        case
        for op in ("maxf", "minf")
        for flag in ("", " propagate_nan", " flush_to_zero")
        for elements in [("f32",) if "flush" in flag else FLOATS]
        for case in (
            *bodies(
                const("c", "0.0")
                + const("d", "-0.0")
                + f"%a = {op} %x, %c{flag} : $T\n%r = {op} %a, %d{flag} : $T",
                elements,
            ),
            *bodies(
                const("c", "2.5")
                + const("d", "-1.0")
                + f"%a = {op} %x, %c{flag} : $T\n%r = {op} %a, %d{flag} : $T",
                elements,
            ),
            *bodies(f"%a = {op} %x, %y{flag} : $T\n%r = {op} %y, %a{flag} : $T", elements, "x y"),
        )
    ],
    "compare-float-with-itself": [
        case
        for predicate, order in (
            ("less_than", "ordered"),
            ("not_equal", "ordered"),
            ("greater_than", "ordered"),
            ("equal", "unordered"),
            ("less_than_or_equal", "unordered"),
            ("greater_than_or_equal", "unordered"),
        )
        for case in bodies(f"%r = cmpf {predicate} {order} %x, %x : $T -> $B", FLOATS, result="i1")
    ],
    "compare-with-nan": [
        case
        for predicate in ("equal", "not_equal", "less_than")
        for order in ("ordered", "unordered")
        for case in bodies(
            const("c", "0x7E00") + f"%r = cmpf {predicate} {order} %x, %c : $T -> $B",
            ("f16",),
            result="i1",
        )
    ],
}


def convert(
    steps: Sequence[tuple[str, str]], source: str, where: Callable[..., Any] | None = None
) -> Rewrite:
    """A chain of conversions `(operation, element type)` of an input."""
    lines: list[str] = []
    value, element = "x", source
    for k, (op, target) in enumerate(steps):
        name = "r" if k == len(steps) - 1 else f"v{k}"
        mnemonic, _, rest = op.partition(" ")
        lines.append(
            f"%{name} = {mnemonic} %{value} {rest} : tile<Nx{element}> -> tile<Nx{target}>"
        )
        value, element = name, target
    return Rewrite("\n".join(lines), {"r": f"tile<Nx{element}>"}, {"x": source}, where=where)


CASTS: Cases = {
    "bitcast-chain": [
        convert([("bitcast", "f16"), ("bitcast", "bf16")], "i16"),
        convert([("bitcast", "f32"), ("bitcast", "i32")], "i32"),
        convert([("bitcast", "f8E4M3FN"), ("bitcast", "f8E5M2")], "i8"),
    ],
    "extension-chain": [
        convert([(f"exti {a}", middle), (f"exti {b}", "i64")], source)
        for a, b in (("signed", "signed"), ("unsigned", "unsigned"), ("unsigned", "signed"))
        for source, middle in (("i8", "i16"), ("i1", "i8"), ("i16", "i32"))
    ],
    "truncation-chain": [
        convert([("trunci", "i16"), ("trunci", "i8")], "i64"),
        convert([("trunci", "i8"), ("trunci", "i1")], "i16"),
    ],
    "truncation-of-extension": [
        convert([(f"exti {sign}", middle), ("trunci", target)], source)
        for sign in ("signed", "unsigned")
        for source, middle, target in (
            ("i8", "i32", "i8"),
            ("i8", "i32", "i16"),
            ("i16", "i64", "i8"),
            ("i8", "i16", "i1"),
        )
    ],
    "iota-of-one": [
        scalar(
            "%i = iota : tile<1xi16>\n%r = broadcast %i : tile<1xi16> -> tile<8xi16>",
            {"r": "tile<8xi16>"},
        )
    ],
    "float-conversion-after-widening": [
        convert([("ftof", middle), (f"ftof {mode}", target)], source)
        for source, middle, target, mode in (
            ("f16", "f32", "f16", ""),
            ("f16", "f32", "bf16", ""),
            ("f16", "f32", "bf16", "rounding<zero>"),
            ("bf16", "f32", "f16", ""),
            ("bf16", "f64", "f32", "rounding<negative_inf>"),
            ("f8E4M3FN", "f16", "f8E4M3FN", ""),
            ("f8E4M3FN", "f32", "f8E5M2", ""),
            ("f8E5M2", "f16", "f8E4M3FN", ""),
            ("f8E5M2", "f16", "f32", ""),
            ("f8E8M0FNU", "f64", "f8E8M0FNU", "rounding<zero>"),
            ("f8E8M0FNU", "f64", "f32", ""),
            ("f16", "f64", "f8E8M0FNU", "rounding<positive_inf>"),
            ("f32", "f64", "f16", ""),
            ("f32", "f64", "f32", ""),
            ("f8E4M3FN", "tf32", "f32", ""),
        )
    ]
    + [
        Rewrite(
            "%p = iota : tile<8xi8>\n%h = constant <i8: 33> : tile<8xi8>\n"
            "%b = muli %p, %h : tile<8xi8>\n%c = constant <i8: 16> : tile<8xi8>\n"
            "%d = addi %b, %c : tile<8xi8>\n"
            "%x = unpack %d : tile<8xi8> -> tile<16xf4E2M1FN>\n"
            f"%w = ftof %x : tile<16xf4E2M1FN> -> tile<16x{middle}>\n"
            f"%v = ftof %w : tile<16x{middle}> -> tile<16x{target}>\n"
            + (
                f"%r = pack %v : tile<16x{target}> -> tile<8xi8>"
                if target == "f4E2M1FN"
                else f"%i = iota : tile<16xi32>\n%r = pack %v : tile<16x{target}> -> tile<8xi8>"
            ),
            {"r": "tile<Nxi8>"},
            lanes=8,
        )
        for middle, target in (("f32", "f4E2M1FN"),)
    ],
    "integer-conversion-after-widening": [
        convert(
            [("ftof", "f32"), (f"ftoi {sign}", "i32")],
            source,
            where=_between(low, 2.0**31),
        )
        for source in ("f16", "bf16", "f8E4M3FN", "f8E5M2")
        for sign, low in (("signed", -(2.0**31)), ("unsigned", -1.0))
    ]
    + [convert([("ftof", "f32"), ("ftoi signed saturating", "i8")], "f16")],
    "float-conversion-of-extension": [
        convert([(f"exti {a}", "i64"), (f"itof {b}", target)], source)
        for a, b in (("signed", "signed"), ("unsigned", "unsigned"), ("unsigned", "signed"))
        for source, target in (("i8", "f32"), ("i16", "f16"), ("i32", "bf16"), ("i1", "f32"))
    ],
    "pointer-conversion-chain": [
        convert(
            [
                ("int_to_ptr", "ptr<i8>"),
                ("ptr_to_ptr", "ptr<f32>"),
                ("ptr_to_ptr", "ptr<i16>"),
                ("ptr_to_int", "i64"),
            ],
            "i64",
        ),
        convert(
            [
                ("int_to_ptr", "ptr<i8>"),
                ("ptr_to_ptr", "ptr<i8>"),
                ("ptr_to_int", "i64"),
            ],
            "i64",
        ),
    ],
    "address-of-converted-pointer": [
        convert([("int_to_ptr", "ptr<i8>"), ("ptr_to_int", "i64")], "i64"),
        convert(
            [("int_to_ptr", "ptr<i8>"), ("ptr_to_ptr", "ptr<f32>"), ("ptr_to_int", "i64")], "i64"
        ),
    ],
    "pointer-of-address": [
        scalar(
            "%a = ptr_to_int %p : tile<ptr<i32>> -> tile<i64>\n"
            f"%q = int_to_ptr %a : tile<i64> -> tile<ptr<{pointee}>>\n"
            "%b = ptr_to_int %q : tile<ptr<" + pointee + ">> -> tile<i64>\n"
            "%s = subi %b, %a : tile<i64>\n%r = addi %s, %n : tile<i64>",
            {"r": "i64"},
            {"n": ("i64", (1, 2))},
        )
        for pointee in ("i32", "f32")
    ],
}
# A pointer to convert comes from an allocation: its address is the launch's own.
CASTS["pointer-of-address"] = [
    Rewrite(
        "%p = alloca num_elem = 1, alignment = 16 : tile<ptr<i32>>\n" + case.body,
        case.results,
        scalars=case.scalars,
    )
    for case in CASTS["pointer-of-address"]
]

SELECTION: Cases = {
    "select-equal-arms": [
        Rewrite(
            "%r = select %c, %x, %x : tile<Nxi1>, tile<Nxi8>",
            {"r": "tile<Nxi8>"},
            {"c": "i1", "x": "i8"},
        )
    ],
    "select-by-constant": [
        case
        for value in ("true", "false")
        for case in bodies(
            f"%c = constant <i1: {value}> : $B\n%r = select %c, %x, %y : $B, $T",
            ("i8", "f16"),
            "x y",
        )
    ],
    "select-truth-values": [
        *bodies(const("t", "true") + "%r = select %c, %t, %x : $B, $B", ("i1",), "c x"),
        *bodies(const("f", "false") + "%r = select %c, %x, %f : $B, $B", ("i1",), "c x"),
        *bodies(
            const("t", "true") + const("f", "false") + "%r = select %c, %t, %f : $B, $B",
            ("i1",),
            "c",
        ),
        *bodies(
            const("t", "true") + const("f", "false") + "%r = select %c, %f, %t : $B, $B",
            ("i1",),
            "c",
        ),
    ],
    "select-one-or-zero": [
        Rewrite(
            f"%o = constant <{e}: 1> : tile<Nx{e}>\n%z = constant <{e}: 0> : tile<Nx{e}>\n"
            f"%r = select %c, {arms} : tile<Nxi1>, tile<Nx{e}>",
            {"r": f"tile<Nx{e}>"},
            {"c": "i1"},
        )
        for e in ("i8", "i64")
        for arms in ("%o, %z", "%z, %o")
    ],
    "select-by-complement": [
        Rewrite(
            "%t = constant <i1: true> : tile<Nxi1>\n%n = xori %c, %t : tile<Nxi1>\n"
            "%r = select %n, %x, %y : tile<Nxi1>, tile<Nxf16>",
            {"r": "tile<Nxf16>"},
            {"c": "i1", "x": "f16", "y": "f16"},
        )
    ],
    "select-in-arm": [
        Rewrite(
            "%a = select %c, %x, %y : tile<Nxi1>, tile<Nxi8>\n"
            f"%r = select %c, {arms} : tile<Nxi1>, tile<Nxi8>",
            {"r": "tile<Nxi8>"},
            {"c": "i1", "x": "i8", "y": "i8", "z": "i8"},
        )
        for arms in ("%a, %z", "%z, %a")
    ],
    "select-by-equality": [
        case
        for predicate in ("equal", "not_equal")
        for compared in ("%x, %y", "%y, %x")
        for case in bodies(
            f"%c = cmpi {predicate} {compared}, signed : $T -> $B\n%r = select %c, %x, %y : $B, $T",
            ("i8", "i1"),
            "x y",
        )
    ],
    "select-extremum": [
        case
        for predicate in (
            "less_than",
            "less_than_or_equal",
            "greater_than",
            "greater_than_or_equal",
        )
        for compared in ("%x, %y", "%y, %x")
        for sign in ("signed", "unsigned")
        for case in bodies(
            f"%c = cmpi {predicate} {compared}, {sign} : $T -> $B\n%r = select %c, %x, %y : $B, $T",
            ("i8", "i1"),
            "x y",
        )
    ],
}


def reshaped(body: str, shape: str, result: str, element: str = "i8", lanes: int = 16) -> Rewrite:
    """A body on `%x : tile<SHAPE>` with `lanes` elements and a result `%y` of another shape."""
    flat = f"tile<{lanes}x{element}>"
    count = int(np.prod([int(n) for n in result.split("x")]))
    return Rewrite(
        f"%x = reshape %in : {flat} -> tile<{shape}x{element}>\n{body}\n"
        + (
            f"%q = reshape %y : tile<{result}x{element}> -> tile<{count}x{element}>\n"
            + (
                f"%r = cat %q, %q dim = 0 : tile<{count}x{element}>, tile<{count}x{element}> "
                f"-> tile<{2 * count}x{element}>"
                if count == lanes // 2
                else ""
            )
        ).replace("%q", "%r" if count != lanes // 2 else "%q"),
        {"r": f"tile<{lanes}x{element}>"},
        {"in": element},
        lanes=lanes,
    )


INDICES = "".join(f"%c{k} = constant <i32: {k}> : tile<i32>\n" for k in range(4))


def parts(body: str, element: str = "i8") -> Rewrite:
    """A body on `%x` and `%z`, tiles of 4x8, with a result `%y : tile<4x4>`."""
    return Rewrite(
        INDICES
        + f"%x = reshape %in : tile<32x{element}> -> tile<4x8x{element}>\n"
        + f"%w = negi %x : tile<4x8x{element}>\n"
        + body
        + f"\n%h = cat %y, %y dim = 1 : tile<4x4x{element}>, tile<4x4x{element}> "
        + f"-> tile<4x8x{element}>\n%r = reshape %h : tile<4x8x{element}> -> tile<32x{element}>",
        {"r": f"tile<32x{element}>"},
        {"in": element},
        lanes=32,
    )


def whole(body: str, scalars: Mapping[str, tuple[str, Sequence[Any]]] | None = None) -> Rewrite:
    """A body on `%x : tile<4x8>` and `%s : tile<2x4>` with a result `%y : tile<4x8>`."""
    return Rewrite(
        INDICES
        + "%x = reshape %in : tile<32xi8> -> tile<4x8xi8>\n"
        + "%n = negi %x : tile<4x8xi8>\n"
        + "%s = extract %n[%c1, %c0] : tile<4x8xi8> -> tile<2x4xi8>\n"
        + "%u = absi %s : tile<2x4xi8>\n"
        + body
        + "\n%r = reshape %y : tile<4x8xi8> -> tile<32xi8>",
        {"r": "tile<32xi8>"},
        {"in": "i8"},
        lanes=32,
        scalars=dict(scalars or {}),
    )


ROW = "[1, -2, 3, -4, 5, -6, 7, -8]"

SHAPES: Cases = {
    "regroup-constant": [
        Rewrite(
            f"%k = constant <i8: {value}> : tile<8xi8>\n"
            "%b = reshape %k : tile<8xi8> -> tile<2x4xi8>\n"
            "%p = permute %b [1, 0] : tile<2x4xi8> -> tile<4x2xi8>\n"
            "%one = constant <i32: 1> : tile<i32>\n%zero = constant <i32: 0> : tile<i32>\n"
            "%e = extract %p[%one, %zero] : tile<4x2xi8> -> tile<2x1xi8>\n"
            "%c = broadcast %e : tile<2x1xi8> -> tile<2x4xi8>\n"
            "%r = reshape %c : tile<2x4xi8> -> tile<8xi8>",
            {"r": "tile<8xi8>"},
            lanes=8,
        )
        for value in (ROW, "3")
    ],
    "concatenate-constants": [
        Rewrite(
            f"%a = constant <i8: {a}> : tile<2x2xi8>\n%b = constant <i8: {b}> : tile<2x2xi8>\n"
            f"%c = cat %a, %b dim = {dim} : tile<2x2xi8>, tile<2x2xi8> -> tile<{shape}xi8>\n"
            f"%r = reshape %c : tile<{shape}xi8> -> tile<8xi8>",
            {"r": "tile<8xi8>"},
            lanes=8,
        )
        for a, b in (("[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]"), ("1", "1"), ("1", "2"))
        for dim, shape in ((0, "4x2"), (1, "2x4"))
    ],
    "repack-constant": [
        Rewrite(
            "%a = constant <f32: [1.5, -2.25]> : tile<2xf32>\n"
            "%r = pack %a : tile<2xf32> -> tile<8xi8>",
            {"r": "tile<8xi8>"},
            lanes=8,
        ),
        Rewrite(
            f"%a = constant <i8: {ROW}> : tile<8xi8>\n%r = unpack %a : tile<8xi8> -> tile<4xi16>",
            {"r": "tile<4xi16>"},
            lanes=4,
        ),
        Rewrite(
            "%a = constant <i16: 258> : tile<4xi16>\n%r = pack %a : tile<4xi16> -> tile<8xi8>",
            {"r": "tile<8xi8>"},
            lanes=8,
        ),
    ],
    "same-shape": [
        *bodies("%r = reshape %x : $T -> $T", ("i8",)),
        *bodies("%r = broadcast %x : $T -> $T", ("f16",)),
    ],
    "reshape-chain": [
        Rewrite(
            "%a = reshape %x : tile<16xi8> -> tile<4x4xi8>\n"
            "%b = reshape %a : tile<4x4xi8> -> tile<2x8xi8>\n"
            "%r = reshape %b : tile<2x8xi8> -> tile<16xi8>",
            {"r": "tile<16xi8>"},
            {"x": "i8"},
            lanes=16,
        )
    ],
    "broadcast-chain": [
        Rewrite(
            "%a = reshape %s : tile<i8> -> tile<1x1xi8>\n"
            "%b = broadcast %a : tile<1x1xi8> -> tile<1x8xi8>\n"
            "%c = broadcast %b : tile<1x8xi8> -> tile<2x8xi8>\n"
            "%r = reshape %c : tile<2x8xi8> -> tile<16xi8>",
            {"r": "tile<16xi8>"},
            scalars={"s": ("i8", (1, -5))},
            lanes=16,
        )
    ],
    "permute-nothing": [
        reshaped("%y = permute %x [0, 1] : tile<2x8xi8> -> tile<2x8xi8>", "2x8", "2x8")
    ],
    "permutation-chain": [
        reshaped(
            "%a = permute %x [2, 0, 1] : tile<2x4x2xi8> -> tile<2x2x4xi8>\n"
            "%y = permute %a [1, 2, 0] : tile<2x2x4xi8> -> tile<2x4x2xi8>",
            "2x4x2",
            "2x4x2",
        ),
        reshaped(
            "%a = permute %x [2, 0, 1] : tile<2x4x2xi8> -> tile<2x2x4xi8>\n"
            "%y = permute %a [2, 0, 1] : tile<2x2x4xi8> -> tile<4x2x2xi8>",
            "2x4x2",
            "4x2x2",
        ),
    ],
    "permute-single-elements": [
        reshaped("%y = permute %x [1, 0] : tile<1x16xi8> -> tile<16x1xi8>", "1x16", "16x1"),
        reshaped("%y = permute %x [0, 2, 1] : tile<2x1x8xi8> -> tile<2x8x1xi8>", "2x1x8", "2x8x1"),
    ],
    "extract-everything": [
        whole("%y = extract %x[%c0, %c0] : tile<4x8xi8> -> tile<4x8xi8>"),
    ],
    "insert-everything": [
        whole("%y = insert %n, %x[%c0, %c0] : tile<4x8xi8>, tile<4x8xi8>"),
    ],
    "extract-chain": [
        parts(
            "%a = extract %x[%c0, %c1] : tile<4x8xi8> -> tile<4x4xi8>\n"
            "%e = extract %a[%c1, %c0] : tile<4x4xi8> -> tile<2x2xi8>\n"
            "%f = cat %e, %e dim = 0 : tile<2x2xi8>, tile<2x2xi8> -> tile<4x2xi8>\n"
            "%y = cat %f, %f dim = 1 : tile<4x2xi8>, tile<4x2xi8> -> tile<4x4xi8>"
        )
    ],
    "extract-from-concatenation": [
        parts(
            "%a = extract %x[%c0, %c0] : tile<4x8xi8> -> tile<4x4xi8>\n"
            "%b = extract %w[%c0, %c0] : tile<4x8xi8> -> tile<4x4xi8>\n"
            "%c = cat %a, %b dim = 1 : tile<4x4xi8>, tile<4x4xi8> -> tile<4x8xi8>\n"
            f"%y = extract %c[%c0, %c{k}] : tile<4x8xi8> -> tile<4x4xi8>"
        )
        for k in (0, 1)
    ],
    "extract-of-insert": [
        parts(
            "%s = extract %w[%c0, %c0] : tile<4x8xi8> -> tile<4x4xi8>\n"
            "%n = absi %s : tile<4x4xi8>\n"
            "%i = insert %n, %x[%c0, %c1] : tile<4x4xi8>, tile<4x8xi8>\n"
            f"%y = extract %i[%c0, %c{k}] : tile<4x8xi8> -> tile<4x4xi8>"
        )
        for k in (0, 1)
    ],
    "insert-over-insert": [
        whole(
            "%i = insert %s, %x[%c1, %c1] : tile<2x4xi8>, tile<4x8xi8>\n"
            "%y = insert %u, %i[%c1, %c1] : tile<2x4xi8>, tile<4x8xi8>"
        ),
        whole(
            "%i = insert %s, %x[%k, %k] : tile<2x4xi8>, tile<4x8xi8>\n"
            "%y = insert %u, %i[%k, %k] : tile<2x4xi8>, tile<4x8xi8>",
            {"k": ("i32", (0, 1))},
        ),
    ],
    "insert-extracted": [
        whole(
            "%e = extract %x[%k, %c1] : tile<4x8xi8> -> tile<2x4xi8>\n"
            "%y = insert %e, %x[%k, %c1] : tile<2x4xi8>, tile<4x8xi8>",
            {"k": ("i32", (0, 1))},
        ),
    ],
    "concatenate-halves": [
        whole(
            "%a = extract %x[%c0, %c0] : tile<4x8xi8> -> tile<4x4xi8>\n"
            "%b = extract %x[%c0, %c1] : tile<4x8xi8> -> tile<4x4xi8>\n"
            "%y = cat %a, %b dim = 1 : tile<4x4xi8>, tile<4x4xi8> -> tile<4x8xi8>"
        ),
    ],
    "unpack-packed": [
        Rewrite(
            f"%p = pack %x : tile<8x{source}> -> tile<{count}xi8>\n"
            f"%r = unpack %p : tile<{count}xi8> -> tile<8x{target}>",
            {"r": f"tile<8x{target}>"},
            {"x": source},
            lanes=8,
        )
        for source, target, count in (
            ("f32", "f32", 32),
            ("f32", "i32", 32),
            ("i16", "bf16", 16),
            ("i1", "i1", 1),
        )
    ],
    "pack-unpacked": [
        Rewrite(
            f"%p = unpack %x : tile<16xi8> -> tile<{count}x{element}>\n"
            f"%r = pack %p : tile<{count}x{element}> -> tile<16xi8>",
            {"r": "tile<16xi8>"},
            {"x": "i8"},
            lanes=16,
        )
        for element, count in (("f32", 4), ("i16", 8), ("i1", 128), ("f4E2M1FN", 32))
    ],
    "compute-before-broadcast": [
        Rewrite(
            f"%a = reshape %s : tile<{e}> -> tile<1x{e}>\n"
            f"%b = broadcast %a : tile<1x{e}> -> tile<8x{e}>\n" + body,
            {"r": f"tile<8x{result}>"},
            scalars={"s": (e, values)},
            lanes=8,
        )
        for e, values, result, body in (
            ("f32", (1.5, -0.0), "f32", "%r = exp %b : tile<8xf32>"),
            (
                "f32",
                (1.5, -0.0, float("nan")),
                "f32",
                "%k = constant <f32: 3.0> : tile<8xf32>\n%r = mulf %b, %k : tile<8xf32>",
            ),
            (
                "i32",
                (1, -7),
                "i1",
                "%k = constant <i32: 0> : tile<8xi32>\n"
                "%r = cmpi less_than %b, %k, signed : tile<8xi32> -> tile<8xi1>",
            ),
            ("i32", (1, -7), "f16", "%r = itof %b signed : tile<8xi32> -> tile<8xf16>"),
        )
    ],
}

BUFFER = "%p = alloca num_elem = 16, alignment = 16 : tile<ptr<i32>>\n"
LOAD = "%r, %t9 = load_ptr_tko weak %q token=%t8 : tile<ptr<i32>> -> tile<i32>, token"


def pointer_moves(moves: str) -> Rewrite:
    """Stores `%n` at `%q`, which `moves` makes from `%p`, and loads it again."""
    return scalar(
        BUFFER
        + moves
        + "\n%t8 = store_ptr_tko weak %q, %n : tile<ptr<i32>>, tile<i32> -> token\n"
        + LOAD,
        {"r": "i32"},
        {"n": ("i32", (3, 4))},
    )


POINTERS: Cases = {
    "offset-by-zero": [
        pointer_moves(
            "%c = constant <i32: 0> : tile<i32>\n"
            "%q = offset %p, %c : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
        )
    ],
    "offset-chain": [
        pointer_moves(
            "%c = constant <i32: 7> : tile<i32>\n%d = constant <i32: -4> : tile<i32>\n"
            "%a = offset %p, %c : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
            "%q = offset %a, %d : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
        )
    ],
}

TRUE = "%true = constant <i1: true> : tile<i1>\n"
FALSE = "%false = constant <i1: false> : tile<i1>\n"
NUMBERS = "".join(f"%n{k} = constant <i32: {k}> : tile<i32>\n" for k in (0, 1, 2, 3, 7))


def in_loop(body: str) -> str:
    """A body in a loop with three iterations of `%i` that carries `%v` from 0, results in %r."""
    return (
        NUMBERS + "%r = for %i in (%n0 to %n3, step %n1) : tile<i32> iter_values(%v = %n0) "
        f"-> (tile<i32>) {{\n{body}\n}}"
    )


BRANCHES: Cases = {
    "assert-truth": [
        scalar(
            TRUE + 'assert %true, "never" : tile<i1>\n%r = addi %n, %n : tile<i32>',
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "if-constant": [
        scalar(
            (TRUE if value == "true" else FALSE)
            + f"%r = if %{value} -> (tile<i32>) {{ %a = addi %n, %n : tile<i32>\n"
            "yield %a : tile<i32> } else { %b = muli %n, %n : tile<i32>\nyield %b : tile<i32> }",
            {"r": "i32"},
            {"n": FEW},
        )
        for value in ("true", "false")
    ]
    + [
        scalar(
            TRUE
            + in_loop(
                "if %true {\n%w = addi %v, %n : tile<i32>\ncontinue %w : tile<i32>\n}\n"
                "%u = addi %v, %n7 : tile<i32>\ncontinue %u : tile<i32>"
            ),
            {"r": "i32"},
            {"n": FEW},
        ),
        scalar(
            FALSE + "if %false { return }\n%r = addi %n, %n : tile<i32>",
            {"r": "i32"},
            {"n": FEW},
        ),
    ],
    "if-unused-results": [
        scalar(
            "%a, %r = if %c -> (tile<i32>, tile<i32>) { %x = addi %n, %n : tile<i32>\n"
            "yield %n, %x : tile<i32>, tile<i32> } else { yield %n, %n : tile<i32>, tile<i32> }",
            {"r": "i32"},
            {"n": FEW, "c": BOOL},
        )
    ],
    "if-equal-results": [
        scalar(
            NUMBERS + "%a, %b = if %c -> (tile<i32>, tile<i32>) { "
            'print_tko "then" -> token\n%k = constant <i32: 5> : tile<i32>\n'
            "yield %n, %k : tile<i32>, tile<i32> } "
            "else { %l = constant <i32: 5> : tile<i32>\nyield %n, %l : tile<i32>, tile<i32> }\n"
            "%r = addi %a, %b : tile<i32>",
            {"r": "i32"},
            {"n": FEW, "c": BOOL},
        ),
        scalar(
            TRUE + FALSE + "%r, %q = if %c -> (tile<i1>, tile<i1>) { "
            "yield %true, %false : tile<i1>, tile<i1> } else { "
            "yield %false, %true : tile<i1>, tile<i1> }",
            {"r": "i1", "q": "i1"},
            {"c": BOOL},
        ),
    ],
    "if-complement": [
        scalar(
            TRUE + "%m = xori %c, %true : tile<i1>\n%r = if %m -> (tile<i32>) { "
            "%a = addi %n, %n : tile<i32>\nyield %a : tile<i32> } else { yield %n : tile<i32> }",
            {"r": "i32"},
            {"n": FEW, "c": BOOL},
        )
    ],
    "if-empty-else": [
        scalar(
            'if %c { print_tko "then %i", %n : tile<i32> -> token\nyield } else { yield }\n'
            "%r = addi %n, %n : tile<i32>",
            {"r": "i32"},
            {"n": FEW, "c": BOOL},
        )
    ],
    "if-to-select": [
        scalar(
            "%x = iota : tile<Nxi32>\n%y = negi %x : tile<Nxi32>\n"
            "%a, %r = if %c -> (tile<i32>, tile<Nxi32>) { yield %n, %x : tile<i32>, tile<Nxi32> } "
            "else { yield %m, %y : tile<i32>, tile<Nxi32> }",
            {"a": "i32", "r": "tile<Nxi32>"},
            {"n": FEW, "m": FEW, "c": BOOL},
        )
    ],
    "if-never-continues": [
        scalar(
            in_loop(
                "if %c {\n%w = addi %v, %n : tile<i32>\ncontinue %w : tile<i32>\n} else {\n"
                "%u = subi %v, %n7 : tile<i32>\ncontinue %u : tile<i32>\n}\n"
                "continue %n7 : tile<i32>"
            ),
            {"r": "i32"},
            {"n": FEW, "c": BOOL},
        )
    ],
}

BOUNDS = ("i32", (-2, 0, 1, 3))

LOOPS: Cases = {
    "for-never-runs": [
        scalar(
            NUMBERS + f"%r = for{sign} %i in ({low} to {high}, step %n1) : tile<i32> "
            "iter_values(%v = %n) -> (tile<i32>) { %w = addi %v, %n7 : tile<i32>\n"
            "continue %w : tile<i32> }",
            {"r": "i32"},
            {"n": FEW},
        )
        for sign, low, high in (("", "%n3", "%n3"), (" unsigned", "%n7", "%n0"))
    ],
    "for-runs-once": [
        scalar(
            NUMBERS + f"%r, %q = for %i in ({low} to {high}, step {step}) : tile<i32> "
            "iter_values(%v = %n, %u = %n7) -> (tile<i32>, tile<i32>) { "
            "%w = addi %v, %i : tile<i32>\ncontinue %w, %v : tile<i32>, tile<i32> }",
            {"r": "i32", "q": "i32"},
            {"n": FEW},
        )
        for low, high, step in (("%n2", "%n3", "%n1"), ("%n1", "%n3", "%n7"))
    ],
    "loop-breaks-at-once": [
        scalar(
            "%r = loop iter_values(%v = %n) : tile<i32> -> tile<i32> { "
            "%w = addi %v, %v : tile<i32>\nbreak %w : tile<i32> }",
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "carried-invariant": [
        scalar(
            NUMBERS + "%r, %q = for %i in (%n0 to %m, step %n1) : tile<i32> "
            "iter_values(%v = %n, %u = %n0) -> (tile<i32>, tile<i32>) { "
            "%w = addi %u, %v : tile<i32>\n"
            "if %c { continue %n, %u : tile<i32>, tile<i32> }\n"
            "continue %v, %w : tile<i32>, tile<i32> }",
            {"r": "i32", "q": "i32"},
            {"n": FEW, "m": BOUNDS, "c": BOOL},
        ),
        scalar(
            NUMBERS + "%r = loop iter_values(%v = %n, %u = %n0) : tile<i32>, tile<i32> "
            "-> tile<i32> { %w = addi %u, %n1 : tile<i32>\n"
            "%d = cmpi greater_than %w, %n3, signed : tile<i32> -> tile<i1>\n"
            "if %d { %s = addi %u, %v : tile<i32>\nbreak %s : tile<i32> }\n"
            "continue %v, %w : tile<i32>, tile<i32> }",
            {"r": "i32"},
            {"n": FEW},
        ),
    ],
    "carried-duplicate": [
        scalar(
            NUMBERS + "%r, %q = for %i in (%n0 to %m, step %n1) : tile<i32> "
            "iter_values(%v = %n, %u = %n) -> (tile<i32>, tile<i32>) { "
            "%w = addi %u, %v : tile<i32>\n"
            "continue %w, %w : tile<i32>, tile<i32> }",
            {"r": "i32", "q": "i32"},
            {"n": FEW, "m": BOUNDS},
        ),
        scalar(
            NUMBERS + "%r, %q = for %i in (%n0 to %m, step %n1) : tile<i32> "
            "iter_values(%v = %n, %u = %n) -> (tile<i32>, tile<i32>) { "
            "%w = addi %u, %i : tile<i32>\n"
            "if %c { continue %v, %u : tile<i32>, tile<i32> }\n"
            "continue %w, %w : tile<i32>, tile<i32> }",
            {"r": "i32", "q": "i32"},
            {"n": FEW, "m": BOUNDS, "c": BOOL},
        ),
    ],
    "carried-unused": [
        scalar(
            NUMBERS + "%q, %r = for %i in (%n0 to %m, step %n1) : tile<i32> "
            "iter_values(%v = %n, %u = %n) -> (tile<i32>, tile<i32>) { "
            "%w = addi %v, %n7 : tile<i32>\n%x = muli %w, %w : tile<i32>\n"
            "%y = addi %u, %i : tile<i32>\n"
            "continue %x, %y : tile<i32>, tile<i32> }",
            {"r": "i32"},
            {"n": FEW, "m": BOUNDS},
        ),
        scalar(
            NUMBERS + "%r = loop iter_values(%v = %n, %u = %n0) : tile<i32>, tile<i32> "
            "-> tile<i32> { %w = addi %u, %n1 : tile<i32>\n%x = addi %v, %v : tile<i32>\n"
            "%d = cmpi greater_than %w, %n3, signed : tile<i32> -> tile<i1>\n"
            "if %d { break %w : tile<i32> }\n"
            "continue %x, %w : tile<i32>, tile<i32> }",
            {"r": "i32"},
            {"n": FEW},
        ),
    ],
    "loop-unused-results": [
        scalar(
            NUMBERS + "%r, %q, %s = loop iter_values(%u = %n0) : tile<i32> "
            "-> tile<i32>, tile<i32>, tile<i32> { %w = addi %u, %n1 : tile<i32>\n"
            "%d = cmpi greater_than %w, %n3, signed : tile<i32> -> tile<i1>\n"
            "if %d { break %n, %w, %u : tile<i32>, tile<i32>, tile<i32> }\n"
            "if %c { break %n, %u, %u : tile<i32>, tile<i32>, tile<i32> }\n"
            "continue %w : tile<i32> }",
            {"r": "i32", "q": "i32"},
            {"n": FEW, "c": BOOL},
        )
    ],
}

STORE = "store_ptr_tko weak %p, %n"
TYPES = ": tile<ptr<i32>>, tile<i32> -> token"

TOKENS: Cases = {
    "join-implied-tokens": [
        scalar(
            BUFFER
            + "%t0 = make_token : token\n"
            + f"%t1 = {STORE} token=%t0 {TYPES}\n%t2 = {STORE} token=%t1 {TYPES}\n"
            + "%t8 = join_tokens %t0, %t1, %t2, %t2 : token\n%q = reshape %p : "
            "tile<ptr<i32>> -> tile<ptr<i32>>\n" + LOAD,
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "join-of-joins": [
        scalar(
            BUFFER + "%o = constant <i32: 1> : tile<i32>\n"
            "%p2 = offset %p, %o : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
            "%p3 = offset %p2, %o : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
            f"%t1 = {STORE} {TYPES}\n"
            f"%t2 = store_ptr_tko weak %p2, %n {TYPES}\n"
            f"%t3 = store_ptr_tko weak %p3, %n {TYPES}\n"
            "%t4 = join_tokens %t1, %t2 : token\n%t8 = join_tokens %t4, %t3 : token\n"
            "%q = reshape %p : tile<ptr<i32>> -> tile<ptr<i32>>\n" + LOAD,
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "wait-for-nothing": [
        scalar(
            BUFFER
            + f"%t0 = make_token : token\n%t8 = {STORE} token=%t0 {TYPES}\n"
            + '%t7 = print_tko "%i", %n token=%t0 : tile<i32> -> token\n'
            "%q = reshape %p : tile<ptr<i32>> -> tile<ptr<i32>>\n" + LOAD,
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "load-nothing-uses": [
        scalar(
            BUFFER
            + f"%t1 = {STORE} {TYPES}\n"
            + "%u, %t8 = load_ptr_tko weak %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token\n"
            "%q = reshape %p : tile<ptr<i32>> -> tile<ptr<i32>>\n" + LOAD,
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "store-nowhere": [
        scalar(
            BUFFER
            + FALSE
            + f"%t1 = {STORE} {TYPES}\n%k = constant <i32: 77> : tile<i32>\n"
            + "%t8 = store_ptr_tko weak %p, %k, %false token=%t1 : "
            "tile<ptr<i32>>, tile<i32>, tile<i1> -> token\n"
            "%q = reshape %p : tile<ptr<i32>> -> tile<ptr<i32>>\n" + LOAD,
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "load-from-nowhere": [
        scalar(
            BUFFER + FALSE + "%r, %t = load_ptr_tko weak %p, %false, %n : "
            "tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token",
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "load-everywhere": [
        scalar(
            BUFFER
            + TRUE
            + f"%t1 = {STORE} {TYPES}\n"
            + "%r, %t = load_ptr_tko weak %p, %true, %m token=%t1 : "
            "tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token",
            {"r": "i32"},
            {"n": FEW, "m": FEW},
        )
    ],
    "store-everywhere": [
        scalar(
            BUFFER + TRUE + "%t8 = store_ptr_tko weak %p, %n, %true : "
            "tile<ptr<i32>>, tile<i32>, tile<i1> -> token\n"
            "%q = reshape %p : tile<ptr<i32>> -> tile<ptr<i32>>\n" + LOAD,
            {"r": "i32"},
            {"n": FEW},
        )
    ],
}

EIGHTHS = ("i32", (0, 8, 16, 40))

ASSUMPTIONS: Cases = {
    "assume-implied": [
        scalar(
            "%a = assume div_by<8>, %n : tile<i32>\n%b = assume bounded<0, ?>, %a : tile<i32>\n"
            "%c = assume div_by<4>, %b : tile<i32>\n%r = addi %c, %a : tile<i32>",
            {"r": "i32"},
            {"n": EIGHTHS},
        ),
        scalar(
            "%k = constant <i32: 12> : tile<i32>\n%a = assume bounded<0, 12>, %k : tile<i32>\n"
            "%r = addi %a, %n : tile<i32>",
            {"r": "i32"},
            {"n": EIGHTHS},
        ),
    ],
    "assume-stronger": [
        scalar(
            "%a = assume bounded<-5, 100>, %n : tile<i32>\n"
            "%b = assume bounded<0, ?>, %a : tile<i32>\n%r = addi %b, %n : tile<i32>",
            {"r": "i32"},
            {"n": EIGHTHS},
        ),
        scalar(
            "%a = assume div_by<4>, %n : tile<i32>\n"
            "%b = assume div_by<8>, %a : tile<i32>\n%r = addi %b, %n : tile<i32>",
            {"r": "i32"},
            {"n": EIGHTHS},
        ),
    ],
    "assume-merged-over-others": [
        scalar(
            "%a = assume bounded<0, ?>, %n : tile<i32>\n%b = assume div_by<8>, %a : tile<i32>\n"
            "%c = assume bounded<?, 64>, %b : tile<i32>\n%r = addi %c, %n : tile<i32>",
            {"r": "i32"},
            {"n": EIGHTHS},
        )
    ],
}

VIEWS: Cases = {
    "tensor-shape-of-made-view": [
        scalar(
            "%p = alloca num_elem = 16, alignment = 16 : tile<ptr<i32>>\n"
            "%v = make_tensor_view %p, shape = [%n, 4], strides = [4, 1] : tile<i32> -> "
            "tensor_view<?x4xi32, strides=[4,1]>\n"
            "%r, %q = get_tensor_shape %v : tensor_view<?x4xi32, strides=[4,1]> -> tile<i32>",
            {"r": "i32", "q": "i32"},
            {"n": ("i32", (0, 1, 4))},
        )
    ],
    "index-space-of-static-view": [
        scalar(
            "%p = alloca num_elem = 64, alignment = 16 : tile<ptr<i32>>\n"
            "%v = make_tensor_view %p, shape = [%n, 9], strides = [9, 1] : tile<i32> -> "
            "tensor_view<?x9xi32, strides=[9,1]>\n"
            f"%w = make_partition_view %v : {VIEW}\n"
            f"%r, %q = get_index_space_shape %w : {VIEW} -> tile<i32>",
            {"r": "i32", "q": "i32"},
            {"n": ("i32", (0, 1, 7))},
        )
        for VIEW in (
            "partition_view<tile=(2x4), tensor_view<?x9xi32, strides=[9,1]>>",
            "partition_view<tile=(2x4), tensor_view<?x9xi32, strides=[9,1]>, dim_map=[1, 0]>",
        )
    ],
}

CASES: Cases = {
    **INTEGERS,
    **FLOAT_CASES,
    **CASTS,
    **SELECTION,
    **SHAPES,
    **POINTERS,
    **BRANCHES,
    **LOOPS,
    **TOKENS,
    **ASSUMPTIONS,
    **VIEWS,
}
"""The kernel bodies by name of the pattern of `canonicalize` that applies to them."""
