"""For every legalization, kernel bodies that it applies to and that 13.1 can hold otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.pattern_check import Rewrite
from support.rewrite_cases import FEW, Cases, bodies, const, scalar

STRIDED = (
    "strided_view<tile=(4x4), traversal_strides=[{}], {}tensor_view<?x4xi32, strides=[4,1]>{}>"
)
GATHER = "gather_scatter_view<tile=(4x4), {}tensor_view<?x4xi32, strides=[?,1]>, sparse_dim=0>"
TENSOR = (
    "%tv = make_tensor_view %in_s, shape = [%n, 4], strides = [4, 1] : tile<i32> -> "
    "tensor_view<?x4xi32, strides=[4,1]>\n"
)
GATHERED_TENSOR = (
    "%four = constant <i32: 4> : tile<i32>\n"
    "%tv = make_tensor_view %in_s, shape = [%n, 4], strides = [%four, 1] : tile<i32> -> "
    "tensor_view<?x4xi32, strides=[?,1]>\n"
)
ROWS = "%rows = constant <i32: [2, 0, 1, 2]> : tile<4xi32>\n"
BACK = "\n%r, %tr = load_ptr_tko weak %at_in_s token=%t1 : tile<16xptr<i32>> -> tile<16xi32>, token"
VALUES = "%tile = reshape %s : tile<16xi32> -> tile<4x4xi32>\n%new = negi %tile : tile<4x4xi32>\n"


def _on_buffer(body: str, **scalars: tuple[str, tuple[int, ...]]) -> Rewrite:
    """A body on the 16 numbers at `%in_s`, which it may change after `%loaded_s`."""
    return Rewrite(body, {"r": "tile<16xi32>"}, {"s": "i32"}, scalars=scalars, lanes=16)


def _load(make: str, view: str, index: str, types: str, tail: str = "") -> str:
    return (
        f"%view = {make} %tv : {view}\n"
        f"%x, %t1 = load_view_tko weak %view[{index}] token = %loaded_s{tail} : "
        f"{view}, {types} -> tile<4x4xi32>, token\n"
        "%r = reshape %x : tile<4x4xi32> -> tile<16xi32>"
    )


def _strided_load(steps: str, padding: str, dim_map: str = "", tail: str = "") -> str:
    view = STRIDED.format(steps, padding, dim_map)
    return TENSOR + _load("make_strided_view", view, "%i, %j", "tile<i32>", tail)


def _not_least(x: Any) -> Any:
    return x != np.iinfo(x.dtype).min


FLOAT_SOURCES = ("f16", "bf16", "f32", "f64")

CASES: Cases = {
    "unclaimed-bounds": [
        _on_buffer(
            TENSOR
            + _load(
                "make_partition_view",
                view := "partition_view<tile=(4x4), tensor_view<?x4xi32, strides=[4,1]>>",
                "%i, %i",
                "tile<i32>",
                " inbounds = [true, true]",
            ),
            n=("i32", (4,)),
            i=("i32", (0,)),
        ),
        _on_buffer(
            TENSOR
            + VALUES
            + f"%view = make_partition_view %tv : {view}\n"
            + "%t1 = store_view_tko weak %new, %view[%i, %i] token = %loaded_s "
            + f"inbounds = [true, true] : tile<4x4xi32>, {view}, tile<i32> -> token"
            + BACK,
            n=("i32", (4,)),
            i=("i32", (0,)),
        ),
    ],
    "unclaimed-bounds-of-reduction": [
        _on_buffer(
            TENSOR
            + VALUES
            + f"%view = make_partition_view %tv : {view}\n"
            + "%t1 = atomic_red_view_tko relaxed device %view[%i, %i], add, %new token = %loaded_s "
            + f"inbounds = [true, true] : tile<4x4xi32>, {view}, tile<i32> -> token"
            + BACK,
            n=("i32", (4,)),
            i=("i32", (0,)),
        )
    ],
    "unclaimed-negation": bodies(
        "%r = negi %x overflow<no_signed_wrap> : $T",
        ("i8", "i32"),
        where=_not_least,
    ),
    "print-without-tokens": [
        scalar(
            '%t = print_tko "%i", %n : tile<i32> -> token\n'
            '%u = print_tko "%i", %n token=%t : tile<i32> -> token\n'
            "%r = addi %n, %n : tile<i32>",
            {"r": "i32"},
            {"n": FEW},
        ),
        _on_buffer(
            '%t = print_tko "%i", %s token=%loaded_s : tile<16xi32> -> token\n'
            "%v = negi %s : tile<16xi32>\n"
            "%t1 = store_ptr_tko weak %at_in_s, %v token=%t : "
            "tile<16xptr<i32>>, tile<16xi32> -> token" + BACK
        ),
    ],
    "signed-for": [
        scalar(
            f"%n1 = constant <i8: {step}> : tile<i8>\n%n0 = constant <i32: 0> : tile<i32>\n"
            "%one = constant <i32: 1> : tile<i32>\n"
            "%r, %q = for unsigned %i in (%low to %high, step %n1) : tile<i8> "
            "iter_values(%v = %n0, %c = %n0) -> (tile<i32>, tile<i32>) { "
            "%w = exti %i unsigned : tile<i8> -> tile<i32>\n%s = addi %v, %w : tile<i32>\n"
            "%d = addi %c, %one : tile<i32>\n"
            "continue %s, %d : tile<i32>, tile<i32> }",
            {"r": "i32", "q": "i32"},
            {"low": ("i8", (0, 5, 120, -128, -20)), "high": ("i8", (0, 127, -128, -20))},
        )
        for step in (1, 7)
    ]
    + [
        scalar(
            "%z = constant <i32: 0> : tile<i32>\n%e = constant <i32: 9> : tile<i32>\n"
            "%st = constant <i32: 2> : tile<i32>\n"
            'for unsigned %i in (%z to %e, step %st) : tile<i32> { %t = print_tko "%i", %i : '
            "tile<i32> -> token }\n%r = addi %n, %e : tile<i32>",
            {"r": "i32"},
            {"n": FEW},
        )
    ],
    "clamped-conversion": [
        case
        for target in ("i1", "i8", "i16", "i32", "i64")
        for sign in ("signed", "unsigned")
        for case in bodies(
            f"%r = ftoi %x {sign} saturating : $T -> tile<Nx{target}>",
            (*FLOAT_SOURCES, "f8E4M3FN", "f8E5M2"),
            result=target,
        )
    ],
    "widening-in-any-rounding": [
        case
        for mode in ("zero", "negative_inf", "positive_inf", "nearest_away")
        for case in (
            *bodies(
                f"%r = ftof %x rounding<{mode}> : $T -> tile<Nxf32>", ("f16", "bf16"), result="f32"
            ),
            *bodies(
                f"%r = ftof %x rounding<{mode}> : $T -> tile<Nxf16>", ("f8E4M3FN",), result="f16"
            ),
        )
    ],
    "multiplied-power": [
        case
        for exponent in ("0", "1", "2", "3", "-1", "-5", "10", "63")
        for case in bodies(
            const("e", exponent, "tile<Nxi32>", "i32") + "%r = fpowi %x, %e : $T, tile<Nxi32>",
            FLOAT_SOURCES,
        )
    ],
    "selected-part": [
        Rewrite(
            f"%w = reshape %x : tile<32x{e}> -> tile<4x8x{e}>\n"
            "%n0 = constant <i32: 1> : tile<i32>\n%n1 = constant <i32: 0> : tile<i32>\n"
            f"%p = extract %w[%n0, %n1] : tile<4x8x{e}> -> tile<{part}x{e}>\n"
            f"%q = {negate} %p : tile<{part}x{e}>\n"
            f"%y = insert %q, %w[%i, %j] : tile<{part}x{e}>, tile<4x8x{e}>\n"
            f"%r = reshape %y : tile<4x8x{e}> -> tile<32x{e}>",
            {"r": f"tile<32x{e}>"},
            {"x": e},
            scalars={"i": ("i32", (0, 1)), "j": ("i32", tuple(range(columns)))},
            lanes=32,
        )
        for e, negate in (("i8", "negi"), ("f16", "negf"))
        for part, columns in (("2x4", 2), ("1x8", 1), ("2x1", 8))
    ],
    "packed-by-shifts": [
        Rewrite(
            f"%p = pack %x : tile<8x{e}> -> tile<{8 * width // 8}xi8>\n"
            + (
                "%r = extract %p[%k] : " + f"tile<{width}xi8> -> tile<8xi8>"
                if width > 8
                else "%v = cat %p, %p dim = 0 : tile<1xi8>, tile<1xi8> -> tile<2xi8>\n"
                "%u = cat %v, %v dim = 0 : tile<2xi8>, tile<2xi8> -> tile<4xi8>\n"
                "%r = cat %u, %u dim = 0 : tile<4xi8>, tile<4xi8> -> tile<8xi8>"
            ),
            {"r": "tile<8xi8>"},
            {"x": e},
            scalars={"k": ("i32", tuple(range(max(1, width // 8))))},
            lanes=8,
        )
        for e, width in (("i16", 16), ("f32", 32), ("i64", 64), ("bf16", 16), ("i1", 1))
    ],
    "unpacked-by-shifts": [
        Rewrite(
            f"%b = unpack %x : tile<8xi8> -> tile<{count}x{e}>\n"
            + (
                f"%r = extract %b[%k] : tile<{count}x{e}> -> tile<8x{e}>"
                if count > 8
                else "".join(
                    f"%d{n} = cat %{'b' if n == count else f'd{n // 2}'}, "
                    f"%{'b' if n == count else f'd{n // 2}'} dim = 0 : "
                    f"tile<{n}x{e}>, tile<{n}x{e}> -> tile<{2 * n}x{e}>\n"
                    for n in (1, 2, 4)
                    if n >= count
                )
                + f"%r = reshape %d4 : tile<8x{e}> -> tile<8x{e}>"
            ),
            {"r": f"tile<8x{e}>"},
            {"x": "i8"},
            scalars={"k": ("i32", tuple(range(max(1, count // 8))))},
            lanes=8,
        )
        for e, count in (("i16", 4), ("f32", 2), ("i64", 1), ("f16", 4), ("i1", 64))
    ],
    "load-by-pointers": [
        _on_buffer(
            _strided_load(steps, padding, dim_map),
            n=("i32", (1, 3, 4)),
            i=("i32", (0,)),
            j=("i32", (0, 1)),
        )
        for steps, padding, dim_map in (
            ("1,2", "padding_value = zero, ", ""),
            ("4,1", "padding_value = zero, ", ""),
        )
    ]
    + [
        _on_buffer(
            _strided_load("2,1", "padding_value = zero, ", ", dim_map=[1, 0]"),
            n=("i32", (2, 3, 4)),
            i=("i32", (0, 1)),
            j=("i32", (0, 1)),
        ),
        _on_buffer(
            _strided_load("1,4", "", tail=" inbounds = [true, true]"),
            n=("i32", (4,)),
            i=("i32", (0,)),
            j=("i32", (0,)),
        ),
        _on_buffer(
            GATHERED_TENSOR
            + ROWS
            + "%z = constant <i32: 0> : tile<i32>\n"
            + _load(
                "make_gather_scatter_view",
                GATHER.format("padding_value = zero, "),
                "%rows, %z",
                "tile<4xi32>, tile<i32>",
            ),
            n=("i32", (3, 4)),
        ),
    ],
    "store-by-pointers": [
        _on_buffer(
            TENSOR
            + VALUES
            + f"%view = make_strided_view %tv : {STRIDED.format('1,2', '', '')}\n"
            + "%t1 = store_view_tko weak %new, %view[%i, %j] token = %loaded_s : tile<4x4xi32>, "
            + f"{STRIDED.format('1,2', '', '')}, tile<i32> -> token"
            + BACK,
            n=("i32", (1, 3, 4)),
            i=("i32", (0,)),
            j=("i32", (0, 1)),
        ),
        _on_buffer(
            GATHERED_TENSOR
            + ROWS.replace("2, 0, 1, 2", "2, 0, 1, 3")
            + VALUES
            + f"%z = constant <i32: 0> : tile<i32>\n%view = make_gather_scatter_view %tv : "
            f"{GATHER.format('')}\n"
            + "%t1 = store_view_tko weak %new, %view[%rows, %z] token = %loaded_s : "
            f"tile<4x4xi32>, {GATHER.format('')}, tile<4xi32>, tile<i32> -> token" + BACK,
            n=("i32", (4,)),
        ),
    ],
    "reduction-by-pointers": [
        _on_buffer(
            TENSOR
            + VALUES
            + f"%view = make_partition_view %tv : {view}\n"
            + f"%t1 = atomic_red_view_tko relaxed device %view[%i, %i], {mode}, %new "
            + f"token = %loaded_s : tile<4x4xi32>, {view}, tile<i32> -> token"
            + BACK,
            n=("i32", (1, 3, 4)),
            i=("i32", (0,)),
        )
        for mode in ("add", "umax")
    ],
    "computed-index-space": [
        scalar(
            "%z = constant <i64: 0> : tile<i64>\n"
            "%p = int_to_ptr %z : tile<i64> -> tile<ptr<i32>>\n"
            f"%tv = make_tensor_view %p, shape = [%n, 4], strides = [{stride}, 1] : tile<i32> -> "
            f"tensor_view<?x4xi32, strides=[{text},1]>\n"
            f"%v = {make} %tv : {view_type}\n"
            f"%r, %q = get_index_space_shape %v : {view_type} -> tile<{element}>",
            {"r": element, "q": element},
            {"n": ("i32", (0, 1, 5, 7, 8))},
        )
        for element in ("i32", "i64", "i16")
        for make, view_type, stride, text in (
            ("make_strided_view", STRIDED.format("3,2", "", ""), "4", "4"),
            ("make_gather_scatter_view", GATHER.format(""), "%n", "?"),
        )
    ],
}
"""The bodies by name of the legalization. What lies outside of a body (modules, entries and
globals) is tested by text."""

NOT_IN_BODIES = frozenset(
    ("plain-global", "module-without-producer", "entry-without-argument-attributes")
)

APPROXIMATE = frozenset(("full-exponential", "full-hyperbolic-tangent", "full-accumulation"))
