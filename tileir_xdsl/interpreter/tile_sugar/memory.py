"""Tensors and accesses to them. Those of one block take effect in program order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from xdsl.ir import Block as IRBlock
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC
from tileir_xdsl.dialects.tile_sugar import memory as ir
from tileir_xdsl.dialects.tile_sugar.kernel import MAY_ALIAS, ExtentOp, MakeTensorOp
from tileir_xdsl.dialects.tile_sugar.types import (
    TensorType,
    element_of,
    is_float,
    shape_of,
    signless,
)
from tileir_xdsl.interpreter.access import MemoryAccess, Ordering, lanes_of
from tileir_xdsl.interpreter.cuda_tile.atomics import update_function, update_part
from tileir_xdsl.interpreter.cuda_tile.memory import ordering_of
from tileir_xdsl.interpreter.memory import memory_format
from tileir_xdsl.interpreter.plan import Compiler, Env, Step, builder
from tileir_xdsl.interpreter.printing import format_values
from tileir_xdsl.interpreter.tile_sugar.elementwise import number_array
from tileir_xdsl.interpreter.undefined import first_lane
from tileir_xdsl.interpreter.values import full

Array = npt.NDArray[Any]


class Tensor(NamedTuple):
    """A tensor in memory: extents and strides count elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@builder(MakeTensorOp)
def build_make_tensor(op: MakeTensorOp, compiler: Compiler) -> Step:
    type = op.result.type
    assert isinstance(type, TensorType)
    size = memory_format(signless(type.element_type)).size
    base, target = compiler.slot(op.base), compiler.slot(op.result)
    offset = None if op.offset is None else compiler.slot(op.offset)
    extents, strides = compiler.slots(op.extents), compiler.slots(op.strides)
    static_shape, static_strides = type.get_shape(), type.get_strides()
    is_parameter = isinstance(_maker(op.base), IRBlock)

    def numbers(env: Env, static: tuple[int, ...], slots: list[int]) -> tuple[int, ...]:
        runtime = iter(slots)
        return tuple(int(env[next(runtime)]) if n == DYNAMIC else n for n in static)

    def run(env: Env) -> None:
        start = env[base]
        address = start.address if isinstance(start, Tensor) else int(start)
        if offset is not None:
            address += int(env[offset]) * size
        shape = numbers(env, static_shape, extents)
        if static_strides is not None:
            steps = numbers(env, static_strides, strides)
        else:
            steps = tuple(_product(shape[k + 1 :]) for k in range(len(shape)))
        _check(op, env, shape, steps)
        env[target] = tensor = Tensor(address, shape, steps)
        if is_parameter:
            _check_overlap(op, env, tensor, size)

    return run


def _maker(value: SSAValue) -> Any:
    """What made a pointer, assumptions about it aside."""
    while isinstance(value.owner, AssumeOp):
        value = value.owner.value
    return value.owner


def _check_overlap(op: MakeTensorOp, env: Env, tensor: Tensor, size: int) -> None:
    """Tensor parameters lie apart, unless both say that they may alias."""
    if 0 in tensor.shape:
        return
    launch = env[0].launch
    if op in launch.tensors:
        return
    reach = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.strides, strict=True))
    start, end = tensor.address, tensor.address + (reach + 1) * size
    aliases = MAY_ALIAS in op.attributes
    for other, (other_start, other_end, other_aliases) in launch.tensors.items():
        if end <= other_start or other_end <= start or (aliases and other_aliases):
            continue
        names = " and ".join(f"'{_name(o)}'" for o in (other, op))
        raise env[0].undefined(
            op,
            "assume",
            f"tensors {names} overlap",
            fix="declare both with {may_alias}, or pass arrays that lie apart",
        )
    launch.tensors[op] = (start, end, aliases)


def _name(op: MakeTensorOp) -> str:
    base = op.base
    while isinstance(base.owner, AssumeOp):
        base = base.owner.value
    return base.name_hint or "?"


def _product(extents: tuple[int, ...]) -> int:
    total = 1
    for extent in extents:
        total *= extent
    return total


def _check(op: MakeTensorOp, env: Env, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    for what, values, least in (("extent", shape, 0), ("stride", strides, 1)):
        for dim, value in enumerate(values):
            if value < least and (what == "extent" or 0 not in shape):
                raise env[0].undefined(
                    op, "tensor-view", f"{what} {dim} of a tensor is {value}, below {least}"
                )


@builder(ExtentOp)
def build_extent(op: ExtentOp, compiler: Compiler) -> Step:
    source, target, dim = compiler.slot(op.tensor), compiler.slot(op.result), op.dimension

    def run(env: Env) -> None:
        env[target] = np.asarray(env[source].shape[dim], np.int32)

    return run


class Lanes(NamedTuple):
    """Which elements of a tile an access reaches, and where they lie."""

    active: Array
    addresses: Array
    """Of the active elements, in row-major order."""


class Access:
    """An access to a tensor, compiled."""

    def __init__(
        self, op: Any, compiler: Compiler, tile: SSAValue, *, writes: bool, sliced: bool
    ) -> None:
        self.op = op
        self.compiler = compiler
        self.shape = shape_of(tile.type)
        element = signless(element_of(tile.type))
        ordering = ordering_of_op(op) if isinstance(op, ir.AtomicOp) else Ordering()
        self.memory = MemoryAccess(op, element, writes=writes, ordering=ordering)
        self.tensor = compiler.slot(op.tensor)
        self.indices = [
            index if isinstance(index, int) else (compiler.slot(index),)
            for index in op.all_indices()
        ]
        self.sliced = sliced
        self.rows = isinstance(op, ir.GatherRowsOp)
        self.extents = op.extents
        self.full = op.properties.get("full") is not None
        self.inside = op.properties.get("inside") is not None

    def positions(self, env: Env) -> list[Array]:
        """The index of each element along each dimension of the tensor."""
        found: list[Array] = []
        rank = len(self.shape)
        for dim, index in enumerate(self.indices):
            if isinstance(index, int):
                values = np.asarray(index, np.int64)
            else:
                env[0].require_specified(self.op, self._unsure(env, index[0]), "an index")
                values = np.asarray(env[index[0]]).astype(np.int64)
            if values.ndim and values.ndim < rank:
                values = values.reshape(-1, *[1] * (rank - 1))
            along = self.sliced or (self.rows and dim == 1)
            if along:
                line = np.arange(self.shape[dim], dtype=np.int64)
                values = values + line.reshape([-1 if k == dim else 1 for k in range(rank)])
            found.append(values)
        return found

    def _unsure(self, env: Env, slot: int) -> Array | None:
        """The unspecified lanes of an index that matter: those of the tile before padding."""
        lanes = env[slot + 1]
        if lanes is None or not np.ndim(lanes):
            return lanes
        return np.broadcast_to(lanes, self.shape) & self._logical()

    def _logical(self) -> Array:
        """Which elements belong to the tile before padding."""
        logical = np.ones(self.shape, np.bool_)
        for dim, extent in enumerate(self.extents or ()):
            line = np.arange(self.shape[dim]) < extent
            logical &= line.reshape([-1 if k == dim else 1 for k in range(len(self.shape))])
        return logical

    def lanes(self, env: Env) -> Lanes:
        """The elements that lie in the tensor; checks the promises of the access."""
        tensor: Tensor = env[self.tensor]
        positions = self.positions(env)
        active = self._logical()
        logical = active.copy()
        offsets = np.zeros(self.shape, np.int64)
        for position, extent, stride in zip(positions, tensor.shape, tensor.strides, strict=True):
            active &= (position >= 0) & (position < extent)
            offsets = offsets + position * stride
        self._check_promises(env, tensor, positions, logical & ~active)
        addresses = tensor.address + offsets * self.memory.size
        return Lanes(active, np.broadcast_to(addresses, self.shape)[active])

    def _check_promises(
        self, env: Env, tensor: Tensor, positions: list[Array], outside: Array
    ) -> None:
        if self.full and outside.any():
            raise env[0].undefined(
                self.op,
                "inbounds",
                "an access that promises `full` leaves the tensor",
                first_lane(outside),
            )
        if not self.inside:
            return
        starts = [int(position.reshape(-1)[0]) for position in positions]
        for dim, (start, extent) in enumerate(zip(starts, tensor.shape, strict=True)):
            if not 0 <= start < max(extent, 1):
                raise env[0].undefined(
                    self.op,
                    "inbounds",
                    f"an access that promises `inside` starts at {start} along dimension {dim}, "
                    f"of extent {extent}",
                )


def ordering_of_op(op: ir.AtomicOp) -> Ordering:
    """How an atomic synchronises."""

    class Stated:
        memory_ordering_semantics = op.ordering
        memory_scope = op.scope

    return ordering_of(Stated)


def everything_before(env: Env) -> int:
    """The token of all that the block has done: accesses take effect in program order."""
    return (1 << env[0].events) - 1


@builder(ir.LoadOp, ir.GatherOp, ir.GatherRowsOp)
def build_read(op: ir.ReadOp, compiler: Compiler) -> Step:
    access = Access(op, compiler, op.result, writes=False, sliced=isinstance(op, ir.LoadOp))
    memory, target = access.memory, compiler.slot(op.result)
    fill = number_array(op.fill_value)

    def run(env: Env) -> None:
        block = env[0]
        active, addresses = access.lanes(env)
        lanes = lanes_of(access.shape, active)
        parts = memory.parts(block, addresses, lanes)
        memory.watch_parts(block, parts, everything_before(env), lanes)
        result = np.full(access.shape, fill, memory.format.fmt.dtype)
        result[active] = memory.gather(parts, addresses.shape)
        unsure = memory.unspecified(parts, addresses.shape)
        env[target], env[target + 1] = result, None
        if unsure is not None:
            found = np.zeros(access.shape, np.bool_)
            found[active] = unsure
            env[target + 1] = found

    return run


@builder(ir.StoreOp, ir.ScatterOp)
def build_write(op: Any, compiler: Compiler) -> Step:
    access = Access(op, compiler, op.value, writes=True, sliced=isinstance(op, ir.StoreOp))
    memory, value = access.memory, compiler.slot(op.value)

    def run(env: Env) -> None:
        block = env[0]
        active, addresses = access.lanes(env)
        unsure = env[value + 1]
        if unsure is not None:
            block.require_specified(op, unsure & active, "the stored value")
        lanes = lanes_of(access.shape, active)
        parts = memory.parts(block, addresses, lanes)
        if compiler.checked:
            memory.refuse_duplicates(block, parts, lanes)
        memory.watch_parts(block, parts, everything_before(env), lanes)
        memory.scatter(parts, full(env[value], access.shape)[active])
        memory.specify(parts)

    return run


@builder(ir.AtomicOp)
def build_atomic(op: ir.AtomicOp, compiler: Compiler) -> Step:
    access = Access(op, compiler, op.value, writes=True, sliced=op.is_slice)
    memory, fmt = access.memory, access.memory.format.fmt
    operands = [op.value] if op.expected is None else [op.expected, op.value]
    slots = compiler.slots(operands)
    target = None if op.result is None else compiler.slot(op.result)
    mode: str = op.mode.keyword

    def exchange(old: Array, expected: Array, desired: Array) -> Array:
        return np.where(fmt.to_bits(old) == fmt.to_bits(expected), desired, old)

    update: Callable[..., Array] = exchange
    if mode != "cas":
        word = "addf" if mode == "add" and is_float(element_of(op.value.type)) else mode
        update = update_function(word, fmt)

    def run(env: Env) -> None:
        block = env[0]
        active, addresses = access.lanes(env)
        values = [full(env[slot], access.shape)[active] for slot in slots]
        for slot in slots:
            if env[slot + 1] is not None:
                block.require_specified(op, env[slot + 1] & active, "the operand")
        lanes = lanes_of(access.shape, active)
        parts = memory.parts(block, addresses, lanes)
        memory.watch_parts(block, parts, everything_before(env), lanes)
        block.require_specified(op, memory.unspecified(parts, addresses.shape), "the memory")
        old = np.empty(addresses.shape, fmt.dtype)
        with block.launch.lock:
            for part in parts:
                update_part(part, old, values, update)
        if target is not None:
            result = np.zeros(access.shape, fmt.dtype)
            result[active] = old
            env[target], env[target + 1] = result, None

    return run


@builder(ir.PrintOp)
def build_print(op: ir.PrintOp, compiler: Compiler) -> Step:
    from tileir_xdsl.interpreter.tile_sugar.products import padded

    text = op.format.data
    arguments = [(value, compiler.slot(value)) for value in op.values]

    def shown(env: Env, value: SSAValue, slot: int) -> tuple[Array, Array | None, int | None]:
        shape = shape_of(value.type)
        values = padded(np.asarray(env[slot]), shape) if shape else env[slot]
        lanes = env[slot + 1]
        if lanes is not None:
            lanes = padded(np.asarray(lanes), shape) if shape else lanes
        width: Any = getattr(element_of(value.type), "width", None)
        return values, lanes, None if width is None else width.data

    def run(env: Env) -> None:
        values = [shown(env, value, slot) for value, slot in arguments]
        env[0].launch.out.write(format_values(text, values))

    return run


@builder(ir.AssertOp)
def build_assert(op: ir.AssertOp, compiler: Compiler) -> Step:
    slot = compiler.slot(op.condition)
    shape = shape_of(op.condition.type)

    def run(env: Env) -> None:
        env[0].require_specified(op, env[slot + 1], "the condition")
        condition = env[slot]
        if np.all(condition):
            return
        lane = first_lane(~full(condition, shape)) if shape else None
        raise env[0].undefined(op, "assert", f'assertion failed: "{op.message.data}"', lane)

    return run
