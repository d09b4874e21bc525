"""Atomic operations. The lanes of one operation take effect in row-major order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tileir_xdsl.dialects.cuda_tile import atomics as ir
from tileir_xdsl.interpreter.access import MemoryAccess, Part, lanes_of
from tileir_xdsl.interpreter.cuda_tile.arithmetic import keyword
from tileir_xdsl.interpreter.cuda_tile.memory import (
    Pointers,
    ordering_of,
    pointee,
    token_of,
    token_slot,
)
from tileir_xdsl.interpreter.cuda_tile.views import ViewAccess
from tileir_xdsl.interpreter.elementwise import raw
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.values import full
from tileir_xdsl.numerics import FloatFormat, NumberFormat, bits, floating, integer

Array = npt.NDArray[Any]
Update = Callable[[Array, Array], Array]
"""The new content of memory from the old content and the operand."""


def _second(old: Array, operand: Array) -> Array:
    return operand


def update_function(mode: str, fmt: NumberFormat) -> Update:
    """What an atomic of a mode does to a number in memory."""
    if mode == "xchg":
        return _second
    if isinstance(fmt, FloatFormat):
        return partial(raw(floating.addf), fmt=fmt)
    match mode:
        case "and":
            return partial(raw(bits.andi), fmt=fmt)
        case "or":
            return partial(raw(bits.ori), fmt=fmt)
        case "xor":
            return partial(raw(bits.xori), fmt=fmt)
        case "max" | "umax":
            return partial(raw(integer.maxi), fmt=fmt, signed=mode == "max")
        case "min" | "umin":
            return partial(raw(integer.mini), fmt=fmt, signed=mode == "min")
        case _:
            return partial(raw(integer.addi), fmt=fmt)


class Atomic:
    """What the two pointer atomics have in common."""

    def __init__(self, op: Any, compiler: Compiler) -> None:
        self.op = op
        self.access = MemoryAccess(op, pointee(op.pointers), writes=True, ordering=ordering_of(op))
        self.pointers = Pointers(op, compiler, op.pointers, op.mask)
        self.shape = self.pointers.shape
        self.token = token_slot(compiler, op.token)
        self.target = compiler.slot(op.result)
        self.after = compiler.slot(op.result_token)

    def run(self, env: Env, slots: list[int], update: Callable[..., Array]) -> None:
        """Update memory by `update(old, *operands)` and answer what was there before."""
        block, shape = env[0], self.shape
        active = self.pointers.active(env)
        operands = [full(env[slot], shape) for slot in slots]
        unsure = [env[slot + 1] for slot in slots]
        addresses = full(env[self.pointers.slot], shape)
        if active is not None:
            active = full(active, shape)
            addresses = addresses[active]
            operands = [operand[active] for operand in operands]
            unsure = [None if u is None else u & active for u in unsure]
        for lanes in unsure:
            block.require_specified(self.op, lanes, "the operand")
        name_lane = lanes_of(shape, active)
        parts = self.access.parts(block, addresses, name_lane)
        token = token_of(env, self.token)
        env[self.after] = self.access.watch_parts(block, parts, token, name_lane)
        unsure_memory = self.access.unspecified(parts, addresses.shape)
        block.require_specified(self.op, unsure_memory, "the memory")
        old = np.empty(addresses.shape, self.access.format.fmt.dtype)
        with block.launch.lock:
            for part in parts:
                update_part(part, old, operands, update)
        if active is None:
            env[self.target], env[self.target + 1] = old, None
            return
        result = np.zeros(shape, old.dtype)
        result[active] = old
        env[self.target], env[self.target + 1] = result, ~active


def update_part(
    part: Part, old: Array, operands: list[Array], update: Callable[..., Array]
) -> None:
    index = part.index.reshape(-1)
    where = np.arange(index.size) if part.selected is None else part.selected
    flat_old = old.reshape(-1)
    flat = [operand.reshape(-1)[where] for operand in operands]
    memory = part.typed
    if np.unique(index).size == index.size:
        before = memory[index]
        flat_old[where] = before
        memory[index] = update(before, *flat)
        return
    for k, place in enumerate(index.tolist()):
        before = memory[place : place + 1].copy()
        flat_old[where[k]] = before[0]
        memory[place : place + 1] = update(before, *(x[k : k + 1] for x in flat))


@builder(ir.AtomicRMWTkoOp)
def build_rmw(op: ir.AtomicRMWTkoOp, compiler: Compiler) -> Step:
    atomic = Atomic(op, compiler)
    slots = [compiler.slot(op.arg)]
    update = update_function(keyword(op.mode), atomic.access.format.fmt)
    return lambda env: atomic.run(env, slots, update)


@builder(ir.AtomicCASTkoOp)
def build_cas(op: ir.AtomicCASTkoOp, compiler: Compiler) -> Step:
    """Compares encodings, also of floats."""
    atomic = Atomic(op, compiler)
    slots = [compiler.slot(op.cmp), compiler.slot(op.val)]
    fmt = atomic.access.format.fmt

    def exchange(old: Array, expected: Array, desired: Array) -> Array:
        return np.where(fmt.to_bits(old) == fmt.to_bits(expected), desired, old)

    return lambda env: atomic.run(env, slots, exchange)


@builder(ir.AtomicRedViewTkoOp)
def build_red_view(op: ir.AtomicRedViewTkoOp, compiler: Compiler) -> Step:
    spec = ViewAccess(op, compiler, writes=True)
    access, tile = spec.access, spec.tile
    value, after = compiler.slot(op.value), compiler.slot(op.result_token)
    update = update_function(keyword(op.mode), access.format.fmt)

    def run(env: Env) -> None:
        block, view = env[0], env[spec.view]
        starts = spec.starts(env, view)
        counts = spec.counts(view, starts)
        inside = tuple([slice(0, n) for n in counts])
        values, unsure = full(env[value], tile)[inside], env[value + 1]
        if unsure is not None:
            block.require_specified(op, full(unsure, tile)[inside], "the operand")
        positions = spec.elements(view, starts, counts)
        lanes = spec.describe_lane(counts)
        parts = access.parts(block, view.address + positions * spec.format.size, lanes)
        env[after] = access.watch_parts(block, parts, token_of(env, spec.token), lanes)
        block.require_specified(op, access.unspecified(parts, counts), "the memory")
        old = np.empty(counts, values.dtype)
        with block.launch.lock:
            for part in parts:
                update_part(part, old, [values], update)

    return run
