"""Loads and stores through pointers, tokens, allocation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import memory as ir
from tileir_xdsl.dialects.cuda_tile.types import PtrType
from tileir_xdsl.interpreter.access import MemoryAccess, Ordering, lanes_of
from tileir_xdsl.interpreter.cuda_tile.arithmetic import keyword
from tileir_xdsl.interpreter.memory import memory_format
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.races import DEVICE, IN_BLOCK, WEAK
from tileir_xdsl.interpreter.values import full, merge, tile_type

Array = npt.NDArray[Any]


def ordering_of(op: Any) -> Ordering:
    """How an operation with a memory ordering and scope synchronises."""
    semantics = keyword(op.memory_ordering_semantics)
    if semantics == "weak":
        return Ordering(WEAK)
    strength = IN_BLOCK if keyword(op.memory_scope) == "tl_blk" else DEVICE
    reaches = strength == DEVICE
    return Ordering(
        strength,
        acquire=reaches and semantics in ("acquire", "acq_rel"),
        release=reaches and semantics in ("release", "acq_rel"),
    )


def pointee(pointers: SSAValue) -> Any:
    element = tile_type(pointers).element_type
    assert isinstance(element, PtrType)
    return element.pointee_type


def token_slot(compiler: Compiler, token: SSAValue | None) -> int | None:
    return None if token is None else compiler.slot(token)


def token_of(env: Env, slot: int | None) -> int:
    """The events before an operation: none without a token."""
    return 0 if slot is None else env[slot]


class Pointers:
    """The pointers and the mask of a memory operation, as they are at run time."""

    def __init__(
        self, op: Operation, compiler: Compiler, pointers: SSAValue, mask: SSAValue | None
    ) -> None:
        self.op = op
        self.slot = compiler.slot(pointers)
        self.mask = None if mask is None else compiler.slot(mask)
        self.shape = tile_type(pointers).get_shape()

    def active(self, env: Env) -> Array | None:
        """The lanes that take part, None for all; raises where an address is unspecified."""
        block = env[0]
        unsure = env[self.slot + 1]
        if self.mask is None:
            block.require_specified(self.op, unsure, "the address")
            return None
        block.require_specified(self.op, env[self.mask + 1], "the mask")
        active = env[self.mask]
        if unsure is not None:
            block.require_specified(self.op, active & unsure, "the address")
        if active.all():
            return None
        return active

    def addresses(self, env: Env, active: Array | None) -> Array:
        """The addresses of the active lanes; without a mask in the shape they are held in."""
        held = env[self.slot]
        if active is None:
            return held
        shape = np.broadcast_shapes(held.shape, active.shape)
        return np.broadcast_to(held, shape)[np.broadcast_to(active, shape)]


@builder(ir.LoadPtrTkoOp)
def build_load(op: ir.LoadPtrTkoOp, compiler: Compiler) -> Step:
    access = MemoryAccess(op, pointee(op.source), writes=False, ordering=ordering_of(op))
    pointers = Pointers(op, compiler, op.source, op.mask)
    padding = None if op.padding_value is None else compiler.slot(op.padding_value)
    token = token_slot(compiler, op.token)
    target, after = compiler.slot(op.result), compiler.slot(op.result_token)
    dtype = access.format.fmt.dtype

    def run(env: Env) -> None:
        block = env[0]
        active = pointers.active(env)
        addresses = pointers.addresses(env, active)
        held = addresses.shape
        if active is not None:
            held = np.broadcast_shapes(env[pointers.slot].shape, active.shape)
            active = np.broadcast_to(active, held)
        lanes = lanes_of(held, active)
        parts = access.parts(block, addresses, lanes)
        env[after] = access.watch_parts(block, parts, token_of(env, token), lanes)
        values = access.gather(parts, addresses.shape)
        unsure = access.unspecified(parts, addresses.shape)
        if active is None:
            env[target], env[target + 1] = values, unsure
            return
        env[target], env[target + 1] = padded(env, active, values, unsure)

    def padded(
        env: Env, active: Array, values: Array, unsure: Array | None
    ) -> tuple[Array, Array | None]:
        """The loaded lanes among the masked ones."""
        if padding is None:
            result = np.zeros(active.shape, dtype)
            lanes: Array | None = ~active
        else:
            shape = np.broadcast_shapes(active.shape, env[padding].shape)
            result = np.array(np.broadcast_to(env[padding], shape))
            lanes = env[padding + 1]
            if shape != active.shape:
                active = np.broadcast_to(active, shape)
                values = np.broadcast_to(values, shape)
            lanes = None if lanes is None else lanes & ~active
        result[active] = values
        if unsure is not None:
            found = np.zeros(active.shape, np.bool_)
            found[active] = unsure
            lanes = merge(lanes, found)
        return result, lanes

    return run


@builder(ir.StorePtrTkoOp)
def build_store(op: ir.StorePtrTkoOp, compiler: Compiler) -> Step:
    access = MemoryAccess(op, pointee(op.destination), writes=True, ordering=ordering_of(op))
    pointers = Pointers(op, compiler, op.destination, op.mask)
    value = compiler.slot(op.value)
    token = token_slot(compiler, op.token)
    after = compiler.slot(op.result_token)
    shape = pointers.shape

    def run(env: Env) -> None:
        block = env[0]
        active = pointers.active(env)
        values, unsure = full(env[value], shape), env[value + 1]
        addresses = full(env[pointers.slot], shape)
        if active is not None:
            active = full(active, shape)
            values, addresses = values[active], addresses[active]
            unsure = None if unsure is None else unsure & active
        block.require_specified(op, unsure, "the stored value")
        lanes = lanes_of(shape, active)
        parts = access.parts(block, addresses, lanes)
        if compiler.checked:
            access.refuse_duplicates(block, parts, lanes)
        env[after] = access.watch_parts(block, parts, token_of(env, token), lanes)
        access.scatter(parts, values)
        access.specify(parts)

    return run


# Tokens.


@builder(ir.MakeTokenOp)
def build_make_token(op: ir.MakeTokenOp, compiler: Compiler) -> None:
    compiler.preset(op.result, 0)


@builder(ir.JoinTokensOp)
def build_join_tokens(op: ir.JoinTokensOp, compiler: Compiler) -> Step:
    sources, target = compiler.slots(op.tokens), compiler.slot(op.result)

    def run(env: Env) -> None:
        events = 0
        for source in sources:
            events |= env[source]
        env[target] = events

    return run


def _pass_token(compiler: Compiler, token: SSAValue | None, result: SSAValue, note: str) -> Step:
    source, target = token_slot(compiler, token), compiler.slot(result)

    def run(env: Env) -> None:
        env[0].launch.note(note)
        env[target] = token_of(env, source)

    return run


@builder(ir.GdcLaunchDependentsTkoOp, ir.GdcWaitTkoOp)
def build_gdc(op: Any, compiler: Compiler) -> Step:
    mnemonic = op.name.partition(".")[2]
    note = f"{mnemonic} does nothing here: a launch has no dependent grids"
    return _pass_token(compiler, op.token, op.result_token, note)


@builder(ir.MemoryFenceAliasTkoOp)
def build_fence(op: ir.MemoryFenceAliasTkoOp, compiler: Compiler) -> Step:
    note = "memory_fence_alias_tko does nothing here: memory has no aliases"
    return _pass_token(compiler, op.token, op.result_token, note)


# Allocation.


@builder(ir.AllocaOp)
def build_alloca(op: ir.AllocaOp, compiler: Compiler) -> Step:
    size = memory_format(pointee(op.result)).size
    if memory_format(pointee(op.result)).packed:
        total = -(-op.num_elem.value.data // 2)
    else:
        total = op.num_elem.value.data * size
    alignment = op.alignment.value.data
    outlives = op.is_global is not None
    target = compiler.slot(op.result)

    def run(env: Env) -> None:
        block = env[0]
        if total > MAX_ALLOCATION:
            raise block.unsupported(op, f"it allocates {total} bytes")
        name = f"memory allocated by block {block.id}"
        buffer = block.memory.allocate(name, total, size, alignment)
        if block.tracker is not None:
            buffer.tracked = True
            buffer.state = np.zeros(buffer.granules, np.int32)
        if not outlives:
            block.local.append(buffer)
        env[target] = np.asarray(buffer.base, np.int64)

    return run


MAX_ALLOCATION = 1 << 32
"""More bytes than this are refused."""

__all__ = ["Pointers", "ordering_of", "pointee", "token_of", "token_slot"]
