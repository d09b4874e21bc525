"""Conversions between element types."""

from __future__ import annotations

from functools import partial
from typing import Any

from tileir_xdsl.dialects.cuda_tile import conversions as ir
from tileir_xdsl.interpreter.cuda_tile.arithmetic import is_signed, keyword
from tileir_xdsl.interpreter.elementwise import Check, elementwise, raw
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.values import float_format, integer_format, number_format
from tileir_xdsl.numerics import bits, convert


@builder(ir.BitcastOp, elementwise=True)
def build_bitcast(op: ir.BitcastOp, compiler: Compiler) -> Step:
    function = partial(
        raw(bits.bitcast), src=number_format(op.source), dst=number_format(op.result)
    )
    return elementwise(compiler, op, function)


@builder(ir.ExtIOp, elementwise=True)
def build_exti(op: ir.ExtIOp, compiler: Compiler) -> Step:
    function = partial(
        raw(convert.exti),
        src=integer_format(op.from_),
        dst=integer_format(op.to),
        signed=is_signed(op),
    )
    return elementwise(compiler, op, function)


@builder(ir.TruncIOp, elementwise=True)
def build_trunci(op: ir.TruncIOp, compiler: Compiler) -> Step:
    src, dst = integer_format(op.from_), integer_format(op.to)
    function = partial(raw(convert.trunci), src=src, dst=dst)
    claim = keyword(op.overflow)
    if claim == "none" or not compiler.checked:
        return elementwise(compiler, op, function)
    check = Check(
        "overflow",
        f"{dst.name} cannot hold the value in spite of overflow<{claim}>",
        partial(raw(convert.trunci_undefined), src=src, dst=dst, overflow=claim),
        "value",
    )
    return elementwise(compiler, op, function, check=check)


@builder(ir.FToFOp, elementwise=True)
def build_ftof(op: ir.FToFOp, compiler: Compiler) -> Step:
    function = partial(
        raw(convert.ftof),
        src=float_format(op.from_),
        dst=float_format(op.to),
        rounding=keyword(op.rounding_mode),
    )
    return elementwise(compiler, op, function)


@builder(ir.FToIOp, elementwise=True)
def build_ftoi(op: ir.FToIOp, compiler: Compiler) -> Step:
    src, dst = float_format(op.from_), integer_format(op.to)
    saturating = op.saturating is not None
    signed = is_signed(op)
    function = partial(raw(convert.ftoi), src=src, dst=dst, signed=signed, saturating=saturating)
    if saturating:
        return elementwise(compiler, op, function)
    check = Check(
        "float-to-int",
        f"{keyword(op.signedness)} {dst.name} cannot hold the value",
        partial(raw(convert.ftoi_undefined), src=src, dst=dst, signed=signed),
        "value",
    )
    return elementwise(compiler, op, function, check=check)


@builder(ir.IToFOp, elementwise=True)
def build_itof(op: ir.IToFOp, compiler: Compiler) -> Step:
    function = partial(
        raw(convert.itof),
        src=integer_format(op.from_),
        dst=float_format(op.to),
        signed=is_signed(op),
    )
    return elementwise(compiler, op, function)


@builder(ir.IntToPtrOp, ir.PtrToIntOp, ir.PtrToPtrOp, elementwise=True)
def build_address(op: Any, compiler: Compiler) -> Step:
    """Pointers are addresses already, with their provenance."""
    source, target = compiler.slot(op.operands[0]), compiler.slot(op.results[0])

    def run(env: Env) -> None:
        env[target] = env[source]
        env[target + 1] = env[source + 1]

    return run
