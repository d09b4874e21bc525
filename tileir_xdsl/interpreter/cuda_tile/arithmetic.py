"""Floating-point, integer and bitwise operations, comparisons, matrix products."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects.cuda_tile import arithmetic as ir
from tileir_xdsl.interpreter.elementwise import ArrayFunction, Check, elementwise, raw
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.values import (
    float_format,
    full,
    integer_format,
    merge,
    tile_type,
)
from tileir_xdsl.numerics import BF16, FloatFormat, bits, compare, floating, integer, matrix

Array = npt.NDArray[Any]


def keyword(attribute: Attribute) -> str:
    """The keyword of an enumeration attribute."""
    return getattr(attribute, "keyword")


def is_signed(op: Any) -> bool:
    return keyword(op.signedness) == "signed"


# Floating point.

_EXACT_UNARY = {
    ir.AbsFOp: floating.absf,
    ir.NegFOp: floating.negf,
    ir.CeilOp: floating.ceil,
    ir.FloorOp: floating.floor,
    ir.CosOp: floating.cos,
    ir.CosHOp: floating.cosh,
    ir.LogOp: floating.log,
    ir.Log2Op: floating.log2,
    ir.SinOp: floating.sin,
    ir.SinHOp: floating.sinh,
    ir.TanOp: floating.tan,
}


@builder(*_EXACT_UNARY, elementwise=True)
def build_unary_float(op: Any, compiler: Compiler) -> Step:
    function = raw(_EXACT_UNARY[type(op)])
    return elementwise(compiler, op, partial(function, fmt=float_format(op.result)))


@builder(ir.Exp2Op, ir.RsqrtOp, elementwise=True)
def build_flushed_unary(op: Any, compiler: Compiler) -> Step:
    function = raw(floating.exp2 if isinstance(op, ir.Exp2Op) else floating.rsqrt)
    ftz = op.flush_to_zero is not None
    return elementwise(compiler, op, partial(function, fmt=float_format(op.result), ftz=ftz))


@builder(ir.ExpOp, ir.TanHOp, elementwise=True)
def build_rounded_unary(op: Any, compiler: Compiler) -> Step:
    function = raw(floating.exp if isinstance(op, ir.ExpOp) else floating.tanh)
    rounding = keyword(op.rounding_mode)
    return elementwise(
        compiler, op, partial(function, fmt=float_format(op.result), rounding=rounding)
    )


@builder(ir.SqrtOp, elementwise=True)
def build_sqrt(op: ir.SqrtOp, compiler: Compiler) -> Step:
    function = _rounded(op, floating.sqrt, float_format(op.result))
    return elementwise(compiler, op, function)


_ROUNDED_BINARY = {
    ir.AddFOp: floating.addf,
    ir.SubFOp: floating.subf,
    ir.MulFOp: floating.mulf,
    ir.DivFOp: floating.divf,
}
_NATIVE: dict[type[Operation], ArrayFunction] = {
    ir.AddFOp: np.add,
    ir.SubFOp: np.subtract,
    ir.MulFOp: np.multiply,
    ir.DivFOp: np.divide,
}
"""What the functions of `numerics` do to nearest even without flushing, in one call."""


def _rounded(op: Any, function: Any, fmt: FloatFormat) -> ArrayFunction:
    return partial(
        raw(function),
        fmt=fmt,
        rounding=keyword(op.rounding_mode),
        ftz=op.flush_to_zero is not None,
    )


def native_function(op: Operation) -> ArrayFunction | None:
    """The NumPy function that is this arithmetic operation, bit for bit, if there is one."""
    function = _NATIVE.get(type(op))
    if function is None:
        return None
    rounded: Any = op
    nearest = ("nearest_even",)
    if isinstance(op, ir.DivFOp):
        nearest = ("nearest_even", "approx", "full")
    if keyword(rounded.rounding_mode) not in nearest or rounded.flush_to_zero is not None:
        return None
    exact_in_bf16 = isinstance(op, ir.AddFOp | ir.SubFOp)
    return function if float_format(rounded.result) is not BF16 or exact_in_bf16 else None


@builder(*_ROUNDED_BINARY, elementwise=True)
def build_rounded_binary(op: Any, compiler: Compiler) -> Step:
    native = native_function(op)
    if native is not None:
        return elementwise(compiler, op, native)
    function = _rounded(op, _ROUNDED_BINARY[type(op)], float_format(op.result))
    return elementwise(compiler, op, function)


@builder(ir.FmaOp, elementwise=True)
def build_fma(op: ir.FmaOp, compiler: Compiler) -> Step:
    return elementwise(compiler, op, _rounded(op, floating.fma, float_format(op.result)))


@builder(ir.MaxFOp, ir.MinFOp, elementwise=True)
def build_extremum(op: Any, compiler: Compiler) -> Step:
    function = raw(floating.maxf if isinstance(op, ir.MaxFOp) else floating.minf)
    return elementwise(
        compiler,
        op,
        partial(
            function,
            fmt=float_format(op.result),
            propagate_nan=op.propagate_nan is not None,
            ftz=op.flush_to_zero is not None,
        ),
    )


_PLAIN_BINARY_FLOAT = {
    ir.RemFOp: floating.remf,
    ir.Atan2Op: floating.atan2,
    ir.FPowFOp: floating.fpowf,
}


@builder(*_PLAIN_BINARY_FLOAT, elementwise=True)
def build_plain_binary_float(op: Any, compiler: Compiler) -> Step:
    function = raw(_PLAIN_BINARY_FLOAT[type(op)])
    return elementwise(compiler, op, partial(function, fmt=float_format(op.result)))


@builder(ir.FPowIOp, elementwise=True)
def build_fpowi(op: ir.FPowIOp, compiler: Compiler) -> Step:
    function = partial(
        raw(floating.fpowi),
        fmt=float_format(op.source),
        exponent_fmt=integer_format(op.exponent),
    )
    return elementwise(compiler, op, function)


@builder(ir.CmpFOp, elementwise=True)
def build_cmpf(op: ir.CmpFOp, compiler: Compiler) -> Step:
    predicate, ordering = keyword(op.comparison_predicate), keyword(op.comparison_ordering)
    function = partial(raw(compare.cmpf), predicate, ordering, fmt=float_format(op.lhs))
    return elementwise(compiler, op, function)


# Integers.

_NATIVE_INTEGER: dict[type[Operation], ArrayFunction] = {
    ir.AddIOp: np.add,
    ir.SubIOp: np.subtract,
    ir.MulIOp: np.multiply,
}
_OVERFLOWING = {
    ir.AddIOp: (integer.addi, integer.addi_undefined),
    ir.SubIOp: (integer.subi, integer.subi_undefined),
    ir.MulIOp: (integer.muli, integer.muli_undefined),
    ir.ShLIOp: (integer.shli, integer.shli_undefined),
}


@builder(ir.AddIOp, ir.SubIOp, ir.MulIOp, elementwise=True)
def build_overflowing(op: Any, compiler: Compiler) -> Step:
    fmt = integer_format(op.result)
    function, mask = _OVERFLOWING[type(op)]
    apply = partial(raw(function), fmt=fmt)
    if fmt.width >= 8:
        apply = _NATIVE_INTEGER[type(op)]
    claim = keyword(op.overflow)
    if claim == "none" or not compiler.checked:
        return elementwise(compiler, op, apply)
    check = Check(
        "overflow",
        f"{fmt.name} overflow in spite of overflow<{claim}>",
        partial(raw(mask), fmt=fmt, overflow=claim),
        "lhs",
        "rhs",
    )
    return elementwise(compiler, op, apply, check=check)


@builder(ir.ShLIOp, elementwise=True)
def build_shli(op: ir.ShLIOp, compiler: Compiler) -> Step:
    fmt = integer_format(op.result)
    claim = keyword(op.overflow)
    step = elementwise(
        compiler,
        op,
        partial(raw(integer.shli), fmt=fmt),
        check=Check(
            "shift",
            f"shift of {fmt.name} by {fmt.width} or more",
            partial(raw(integer.shli_undefined), fmt=fmt),
            "lhs",
            "rhs",
        ),
    )
    if claim == "none" or not compiler.checked:
        return step
    overflow = elementwise(
        compiler,
        op,
        partial(raw(integer.shli), fmt=fmt),
        check=Check(
            "overflow",
            f"{fmt.name} overflow in spite of overflow<{claim}>",
            partial(raw(integer.shli_undefined), fmt=fmt, overflow=claim),
            "lhs",
            "rhs",
        ),
    )

    def run(env: Env) -> None:
        step(env)
        overflow(env)

    return run


@builder(ir.ShRIOp, elementwise=True)
def build_shri(op: ir.ShRIOp, compiler: Compiler) -> Step:
    fmt = integer_format(op.result)
    return elementwise(
        compiler,
        op,
        partial(raw(integer.shri), fmt=fmt, signed=is_signed(op)),
        check=Check(
            "shift",
            f"shift of {fmt.name} by {fmt.width} or more",
            partial(raw(integer.shri_undefined), fmt=fmt),
            "lhs",
            "rhs",
        ),
    )


@builder(ir.DivIOp, ir.RemIOp, elementwise=True)
def build_division(op: Any, compiler: Compiler) -> Step:
    fmt, signed = integer_format(op.result), is_signed(op)
    if isinstance(op, ir.DivIOp):
        function = partial(raw(integer.divi), fmt=fmt, signed=signed, rounding=keyword(op.rounding))
        mask = integer.divi_undefined
    else:
        function = partial(raw(integer.remi), fmt=fmt, signed=signed)
        mask = integer.remi_undefined
    what = "division by zero" if not signed else "division by zero or overflowing quotient"
    check = Check("division", what, partial(raw(mask), fmt=fmt, signed=signed), "lhs", "rhs")
    return elementwise(compiler, op, function, check=check)


@builder(ir.MaxIOp, ir.MinIOp, elementwise=True)
def build_integer_extremum(op: Any, compiler: Compiler) -> Step:
    function = raw(integer.maxi if isinstance(op, ir.MaxIOp) else integer.mini)
    apply = partial(function, fmt=integer_format(op.result), signed=is_signed(op))
    return elementwise(compiler, op, apply)


@builder(ir.AbsIOp, elementwise=True)
def build_absi(op: ir.AbsIOp, compiler: Compiler) -> Step:
    return elementwise(compiler, op, partial(raw(integer.absi), fmt=integer_format(op.result)))


@builder(ir.NegIOp, elementwise=True)
def build_negi(op: ir.NegIOp, compiler: Compiler) -> Step:
    fmt = integer_format(op.result)
    claim = keyword(op.overflow)
    function = partial(raw(integer.negi), fmt=fmt)
    if claim == "none" or not compiler.checked:
        return elementwise(compiler, op, function)
    check = Check(
        "overflow",
        f"{fmt.name} overflow in spite of overflow<{claim}>",
        partial(raw(integer.negi_undefined), fmt=fmt, overflow=claim),
        "source",
    )
    return elementwise(compiler, op, function, check=check)


@builder(ir.MulhiIOp, elementwise=True)
def build_mulhii(op: ir.MulhiIOp, compiler: Compiler) -> Step:
    return elementwise(compiler, op, partial(raw(integer.mulhii), fmt=integer_format(op.result)))


_NATIVE_COMPARE: dict[str, ArrayFunction] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}


@builder(ir.CmpIOp, elementwise=True)
def build_cmpi(op: ir.CmpIOp, compiler: Compiler) -> Step:
    fmt, predicate = integer_format(op.lhs), keyword(op.comparison_predicate)
    signless = predicate in ("equal", "not_equal")
    if fmt.width >= 8 and (is_signed(op) or signless):
        return elementwise(compiler, op, _NATIVE_COMPARE[predicate])
    function = partial(raw(compare.cmpi), predicate, fmt=fmt, signed=is_signed(op))
    return elementwise(compiler, op, function)


# Bits.


@builder(ir.XOrIOp, elementwise=True)
def build_xori(op: ir.XOrIOp, compiler: Compiler) -> Step:
    return elementwise(compiler, op, partial(raw(bits.xori), fmt=integer_format(op.result)))


@builder(ir.AndIOp, ir.OrIOp, elementwise=True)
def build_masking(op: Any, compiler: Compiler) -> Step:
    """And with zero, or with all ones, is specified whatever the other operand is."""
    fmt = integer_format(op.result)
    conjunction = isinstance(op, ir.AndIOp)
    function = partial(raw(bits.andi if conjunction else bits.ori), fmt=fmt)
    plain = elementwise(compiler, op, function)
    if not compiler.checked:
        return plain
    a, b = compiler.slots(op.operands)
    target = compiler.slot(op.result)
    decisive = np.zeros((), fmt.dtype) if conjunction else ~np.zeros((), fmt.dtype)

    def run(env: Env) -> None:
        plain(env)
        first, second = env[a + 1], env[b + 1]
        if first is None and second is None:
            return
        first = np.False_ if first is None else first
        second = np.False_ if second is None else second
        decided = ((env[a] == decisive) & ~first) | ((env[b] == decisive) & ~second)
        env[target + 1] = np.asarray((first | second) & ~decided)

    return run


# Matrix products.


@builder(ir.MmaFOp)
def build_mmaf(op: ir.MmaFOp, compiler: Compiler) -> Step:
    function = partial(raw(matrix.mmaf), fmt=float_format(op.lhs), acc_fmt=float_format(op.acc))
    return _matrix_product(op, compiler, function)


@builder(ir.MmaIOp)
def build_mmai(op: ir.MmaIOp, compiler: Compiler) -> Step:
    function = partial(
        raw(matrix.mmai),
        signed_lhs=keyword(op.signedness_lhs) == "signed",
        signed_rhs=keyword(op.signedness_rhs) == "signed",
    )
    return _matrix_product(op, compiler, function)


@builder(ir.MmaFScaledOp)
def build_mmaf_scaled(op: ir.MmaFScaledOp, compiler: Compiler) -> Step:
    function = partial(
        raw(matrix.mmaf_scaled),
        fmt=float_format(op.lhs),
        scale_fmt=float_format(op.lhs_scale),
        acc_fmt=float_format(op.acc),
    )
    return _matrix_product(op, compiler, function)


def _matrix_product(op: Operation, compiler: Compiler, function: ArrayFunction) -> Step:
    """Operands are lhs, rhs, acc and perhaps the scales of lhs and rhs."""
    sources = compiler.slots(op.operands)
    shapes = [tile_type(operand).get_shape() for operand in op.operands]
    target = compiler.slot(op.results[0])
    pairs = list(zip(sources, shapes, strict=True))

    def run(env: Env) -> None:
        env[target] = function(*(full(env[source], shape) for source, shape in pairs))
        if compiler.checked:
            env[target + 1] = unspecified(env)

    def unspecified(env: Env) -> Array | None:
        """An unspecified element spoils its row or column of the result."""
        lanes: Array | None = env[sources[2] + 1]
        for position, (source, shape) in enumerate(pairs):
            own = env[source + 1]
            if own is None or position == 2:
                continue
            axis = -1 if position in (0, 3) else -2
            spoilt = np.asarray(full(own, shape).any(axis=axis, keepdims=True))
            lanes = merge(lanes, spoilt)
        return lanes

    return run
