"""`lower-views`: accesses to tensors as masked accesses through pointers, ordered by tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import atomics, core
from tileir_xdsl.dialects.cuda_tile import control_flow as flow
from tileir_xdsl.dialects.cuda_tile import memory as ct_memory
from tileir_xdsl.dialects.cuda_tile.attributes import AtomicRMWMode, AtomicRMWModeAttr
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp, PrintTkoOp
from tileir_xdsl.dialects.cuda_tile.places import copy_place, place_of
from tileir_xdsl.dialects.cuda_tile.types import token
from tileir_xdsl.dialects.tile_sugar import memory
from tileir_xdsl.dialects.tile_sugar.attributes import number_attr
from tileir_xdsl.dialects.tile_sugar.kernel import MAY_ALIAS, MakeTensorOp
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter, element, tile
from tileir_xdsl.dialects.tile_sugar.types import TensorType, element_of, is_float, shape_of
from tileir_xdsl.passes.sugar import before, check_version, operations, targets_of
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.passes.tile_views import ACCESSES, ViewChoice, as_i64, is_row_major, mixed
from tileir_xdsl.versions import DEFAULT, Version


@dataclass(frozen=True)
class LowerViewsPass(TilePass):
    """Lowers accesses to tensors to loads, stores and atomics through tiles of pointers.

    Each dimension is checked by one unsigned comparison, which covers what lies before and behind
    the tensor; addresses are computed in 64 bits. An access that is `full` is not checked; a store
    that is all inside or all outside is behind a branch. Accesses
    of a block to memory that may be the same and is written are ordered by tokens, carried through
    loops and branches; all others are independent. Needs `lower-kernel`.

    A slice goes through a partition view instead where its start is surely that of a tile and its
    rows are multiples of 16 bytes: without checks when it is `full` (bytecode 13.4) and has gaps
    between its rows, and with them in a kernel one of whose loops reads the operands of a product
    that way, on `target`s with TMA, and on any where products leave no registers for pointers.
    `access=pointer` uses no view, `access=view` one wherever that is possible.
    """

    name = "lower-views"

    version: str | float = str(DEFAULT)
    target: str | tuple[str, ...] = "sm_90"
    access: str = "auto"

    def __post_init__(self) -> None:
        check_version(self.version)
        targets_of(self.target)
        if self.access not in ACCESSES:
            raise ValueError(f"access must be one of {', '.join(ACCESSES)}, but is '{self.access}'")

    def run_on(self, ctx: Context, op: Operation) -> None:
        version = Version.parse(str(self.version))
        for inner in list(operations(op.regions)):
            if isinstance(inner, core.EntryOp):
                choice = ViewChoice(inner, version, targets_of(self.target), self.access)
                _Tokens(inner, version, choice).lower()
                _erase_tensors(inner)


def _erase_tensors(entry: core.EntryOp) -> None:
    """Remove the tensors, which nobody uses any more, the last made first."""
    for op in reversed([op for op in entry.walk() if isinstance(op, MakeTensorOp)]):
        op.detach()
        op.erase()


# Addresses.

Extent = int | SSAValue


@dataclass(frozen=True)
class Tensor:
    """What a tensor is made of."""

    pointer: SSAValue
    """A rank-0 tile."""
    extents: list[Extent]
    """Numbers, or rank-0 i32 tiles."""
    strides: list[Extent]
    """Numbers, or rank-0 i64 tiles."""


def take_apart(e: Emitter, value: SSAValue) -> Tensor:
    """The pointer, extents and strides of a tensor, computed where `e` stands."""
    maker = value.owner
    type = value.type
    assert isinstance(type, TensorType)
    if not isinstance(maker, MakeTensorOp):
        raise DiagnosticError.at("a tensor of unknown making", place_of(e.origin), code="lowering")
    base = maker.base
    pointer = take_apart(e, base).pointer if isinstance(base.type, TensorType) else base
    if maker.offset is not None:
        offset = e.extend(maker.offset, i64, signed=True)
        pointer = e.one(core.OffsetOp(pointer, offset))
    extents = mixed(type.get_shape(), maker.extents)
    stated = type.get_strides()
    if stated is not None:
        strides = [
            s if isinstance(s, int) else e.extend(s, i64, signed=True)
            for s in mixed(stated, maker.strides)
        ]
    else:
        strides = _row_major(e, extents)
    return Tensor(pointer, extents, strides)


def _row_major(e: Emitter, extents: Sequence[Extent]) -> list[Extent]:
    """The strides of a dense tensor: the products of the extents behind each dimension."""
    strides: list[Extent] = []
    product: Extent = 1
    for extent in reversed(extents):
        strides.insert(0, product)
        if len(strides) < len(extents):
            product = _times(e, product, extent)
    return strides


def _times(e: Emitter, a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 and isinstance(b, SSAValue):
        return e.extend(b, i64, signed=True)
    left, right = (as_i64(e, value) for value in (a, b))
    return e.make(ct.MulIOp, [left, right], overflow=ct.NO_OVERFLOW_CLAIM)


@dataclass
class Access:
    """The pointers of an access, and which lanes take part."""

    pointers: SSAValue
    mask: SSAValue | None
    """None when all lanes do."""
    condition: SSAValue | None = None
    """i1 of one element, where either all lanes take part or none."""


class AccessLowering:
    """Computes the pointers and the mask of one access."""

    def __init__(self, e: Emitter, op: memory.AccessOp, shape: Sequence[int]) -> None:
        self.e = e
        self.op = op
        self.shape = tuple(shape)
        self.tensor = take_apart(e, op.tensor)
        self.checked = op.properties.get("full") is None

    def slice(self) -> Access:
        """A slice: scalar starts, one for each dimension."""
        indices: list[tuple[Extent, int | None]] = [
            (start, dim) for dim, start in enumerate(self.op.all_indices())
        ]
        return self._access(indices)

    def elements(self) -> Access:
        """Tiles of indices, broadcast together."""
        return self._access([(index, None) for index in self.op.all_indices()])

    def rows(self) -> Access:
        """A tile of rows, and the first column."""
        rows, column = self.op.all_indices()
        assert isinstance(rows, SSAValue)
        rows = self.e.reshape(rows, [self.shape[0], 1])
        return self._access([(rows, None), (column, 1)])

    def _access(self, indices: Sequence[tuple[Extent, int | None]]) -> Access:
        """From an index for each dimension of the tensor, and the dimension of the tile that it
        is the start along, if it is one."""
        mask = self._logical()
        pointer = self.tensor.pointer
        offsets: list[SSAValue] = []
        steps: dict[int, Extent] = {}
        for axis, (index, along) in enumerate(indices):
            stride = self.tensor.strides[axis]
            if self.checked:
                mask = self._and(mask, self._inside(axis, index, along))
            if isinstance(index, SSAValue) and tile(index).rank:
                offsets.append(self._scaled(index, stride))
                continue
            pointer = self._moved(pointer, index, stride)
            if along is not None and self.shape[along] > 1:
                steps[along] = stride
        if not offsets and len(steps) > 1 and is_row_major(self.shape, steps):
            offsets = [self._flat()]
        else:
            offsets += [self._along(dim, stride) for dim, stride in steps.items()]
        condition = None if mask is None or tile(mask).num_elements > 1 else mask
        return Access(self._pointers(pointer, offsets), self._whole(mask), condition)

    # Masks.

    def _logical(self) -> SSAValue | None:
        """The lanes that belong to the tile before it was padded."""
        mask: SSAValue | None = None
        for dim, extent in enumerate(self.op.extents or ()):
            if extent == self.shape[dim]:
                continue
            position = self.e.iota(dim, self.shape)
            below = self.e.compare("lt", position, self.e.number(extent, position))
            mask = self._and(mask, below)
        return mask

    def _inside(self, axis: int, index: Extent, along: int | None) -> SSAValue | None:
        """Whether the index is below the extent: unsigned, so that negative ones are not."""
        extent = self.tensor.extents[axis]
        reach = 1 if along is None else self._reach(along)
        if isinstance(extent, int) and isinstance(index, int) and 0 <= index <= extent - reach:
            return None
        position = self._position(index, along)
        if isinstance(position, int):
            position = self.e.attribute(IntegerAttr(position, i32), ())
        limit = self._spread(extent, tile(position).get_shape())
        return self.e.compare("lt", position, limit, unsigned=True)

    def _reach(self, along: int) -> int:
        """How many elements of a dimension are accessed."""
        extents = self.op.extents
        return self.shape[along] if extents is None else extents[along]

    def _position(self, index: Extent, along: int | None) -> Extent:
        """The index of each lane, wrapping: what wraps is outside any tensor."""
        if along is None or (self.shape[along] == 1 and not isinstance(index, SSAValue)):
            return index
        line = self.e.iota(along, self.shape)
        if index == 0:
            return line
        start = self._spread(index, tile(line).get_shape())
        return self.e.make(ct.AddIOp, [start, line], overflow=ct.NO_OVERFLOW_CLAIM)

    def _spread(self, value: Extent, shape: Sequence[int]) -> SSAValue:
        if isinstance(value, int):
            return self.e.attribute(IntegerAttr(value, i32), shape)
        return self.e.broadcast(value, shape)

    def _and(self, a: SSAValue | None, b: SSAValue | None) -> SSAValue | None:
        if a is None or b is None:
            return a if b is None else b
        shape = _joined(tile(a).get_shape(), tile(b).get_shape())
        return self.e.make(ct.AndIOp, [self.e.broadcast(v, shape) for v in (a, b)])

    def _whole(self, mask: SSAValue | None) -> SSAValue | None:
        return None if mask is None else self.e.broadcast(mask, self.shape)

    # Pointers.

    def _moved(self, pointer: SSAValue, index: Extent, stride: Extent) -> SSAValue:
        """The pointer at an index along one dimension, in 64 bits."""
        if index == 0:
            return pointer
        if isinstance(index, int) and isinstance(stride, int):
            offset = self.e.attribute(IntegerAttr(index * stride, i64), ())
        else:
            offset = self._product(as_i64(self.e, index), stride)
        return self.e.one(core.OffsetOp(pointer, offset))

    def _product(self, value: SSAValue, stride: Extent) -> SSAValue:
        """An i64 tile times a stride."""
        if stride == 1:
            return value
        shape = tile(value).get_shape()
        factor = (
            self.e.attribute(IntegerAttr(stride, i64), shape)
            if isinstance(stride, int)
            else self.e.broadcast(stride, shape)
        )
        return self.e.make(ct.MulIOp, [value, factor], overflow=ct.NO_OVERFLOW_CLAIM)

    def _scaled(self, index: SSAValue, stride: Extent) -> SSAValue:
        """The offsets of a tile of indices."""
        return self._product(self.e.extend(index, i64, signed=True), stride)

    def _along(self, dim: int, stride: Extent) -> SSAValue:
        """The offsets of a slice along a dimension: in 32 bits where those of all surely fit."""
        line = self.e.iota(dim, self.shape)
        share = (1 << 31) // max(2, len(self.shape))
        if not isinstance(stride, int) or self.shape[dim] * stride >= share:
            return self._scaled(line, stride)
        if stride == 1:
            return line
        factor = self.e.number(stride, line)
        return self.e.make(ct.MulIOp, [line, factor], overflow=ct.NO_OVERFLOW_CLAIM)

    def _flat(self) -> SSAValue:
        """The offsets of a slice without gaps."""
        line = self.e.iota(0, [prod(self.shape)])
        return self.e.reshape(line, self.shape)

    def _pointers(self, pointer: SSAValue, offsets: Sequence[SSAValue]) -> SSAValue:
        total: SSAValue | None = None
        for offset in offsets:
            total = offset if total is None else self._sum(total, offset)
        pointers = self.e.broadcast(pointer, self.shape)
        if total is None:
            return pointers
        return self.e.one(core.OffsetOp(pointers, self.e.broadcast(total, self.shape)))

    def _sum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if element(a) != element(b):
            a, b = (self.e.extend(value, i64, signed=True) for value in (a, b))
        shape = _joined(tile(a).get_shape(), tile(b).get_shape())
        return self.e.make(
            ct.AddIOp,
            [self.e.broadcast(v, shape) for v in (a, b)],
            overflow=ct.NO_OVERFLOW_CLAIM,
        )


def _joined(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    if not a or not b:
        return tuple(a or b)
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


# Tokens.


class _Tokens:
    """Walks an entry in program order, lowers its accesses and orders those that may conflict."""

    def __init__(self, entry: core.EntryOp, version: Version, choice: ViewChoice) -> None:
        self.entry = entry
        self.choice = choice
        self.version = version
        self.classes = alias_classes(entry)
        self.written = self._written(entry)

    def lower(self) -> None:
        self._block(self.entry.body.block, _Order())

    def _written(self, root: Operation) -> set[str]:
        """The classes of memory that are written anywhere in an operation."""
        found: set[str] = set()
        for op in root.walk():
            if isinstance(op, memory.StoreOp | memory.ScatterOp | memory.AtomicOp):
                found.add(self.classes[op.tensor])
            elif isinstance(op, memory.PrintOp):
                found.add(PRINTS)
        return found

    def _touched(self, root: Operation) -> set[str]:
        """The classes whose accesses need an order and that an operation accesses."""
        found: set[str] = set()
        for op in root.walk():
            if isinstance(op, memory.AccessOp):
                found.add(self.classes[op.tensor])
            elif isinstance(op, memory.PrintOp):
                found.add(PRINTS)
        return found & self.written

    def _block(self, block: Block, order: _Order) -> None:
        """Lower the accesses of a block; `order` is what was before, and then what is after."""
        for op in list(block.ops):
            if isinstance(op, memory.AccessOp):
                self._access(op, order)
            elif isinstance(op, memory.PrintOp):
                self._print(op, order)
            elif isinstance(op, flow.IfOp):
                self._if(op, order)
            elif isinstance(op, flow.ForOp | flow.LoopOp):
                self._loop(op, order)

    # Accesses.

    def _access(self, op: memory.AccessOp, order: _Order) -> None:
        e = before(op, self.version, Emitter)
        kind = self.classes[op.tensor]
        ordered = kind in self.written
        if isinstance(op, memory.ReadOp):
            after = order.before_read(e, kind) if ordered else None
            done = self._load(e, op, after)
            if ordered:
                order.read(kind, done)
        else:
            after = order.before_write(e, kind) if ordered else None
            done = self._write(e, op, after)
            order.wrote(kind, done)
        op.detach()
        op.erase()

    def _load(self, e: Emitter, op: memory.ReadOp, after: SSAValue | None) -> SSAValue:
        shape = shape_of(op.result.type)
        viewed = self.choice.load(e, op, after) if isinstance(op, memory.LoadOp) else None
        if viewed is not None:
            op.result.replace_all_uses_with(viewed.tile)
            return viewed.result_token
        lowering = AccessLowering(e, op, shape)
        if isinstance(op, memory.LoadOp):
            access = lowering.slice()
        elif isinstance(op, memory.GatherRowsOp):
            access = lowering.rows()
        else:
            access = lowering.elements()
        padding = None if access.mask is None else e.attribute(op.fill_value, shape)
        load = ct_memory.LoadPtrTkoOp(
            access.pointers, mask=access.mask, padding_value=padding, token=after
        )
        e.insert(load)
        op.result.replace_all_uses_with(load.result)
        return load.result_token

    def _write(self, e: Emitter, op: Any, after: SSAValue | None) -> SSAValue:
        shape = shape_of(op.value.type)
        viewed = self.choice.store(e, op, after) if isinstance(op, memory.StoreOp) else None
        if viewed is not None:
            return viewed.result_token
        lowering = AccessLowering(e, op, shape)
        sliced = isinstance(op, memory.StoreOp) or (isinstance(op, memory.AtomicOp) and op.is_slice)
        access = lowering.slice() if sliced else lowering.elements()
        if isinstance(op, memory.AtomicOp):
            return self._atomic(e, op, access, after)
        if access.condition is not None and isinstance(op, memory.StoreOp):
            return self._store_if(e, op, access.pointers, access.condition, after)
        store = ct_memory.StorePtrTkoOp(access.pointers, op.value, mask=access.mask, token=after)
        e.insert(store)
        return store.result_token

    def _store_if(
        self,
        e: Emitter,
        op: memory.StoreOp,
        pointers: SSAValue,
        condition: SSAValue,
        after: SSAValue | None,
    ) -> SSAValue:
        """One branch around a store, where a mask would be one for each part of it."""
        before_it = e.one(ct_memory.MakeTokenOp()) if after is None else after
        store = ct_memory.StorePtrTkoOp(pointers, op.value, token=after)
        store.location = op.location
        copy_place(op, store)
        branch = flow.IfOp(
            e.reshape(condition, ()),
            [token],
            Region(Block([store, flow.YieldOp(store.result_token)])),
            Region(Block([flow.YieldOp(before_it)])),
        )
        e.insert(branch)
        return branch.results[0]

    def _atomic(
        self, e: Emitter, op: memory.AtomicOp, access: Access, after: SSAValue | None
    ) -> SSAValue:
        if op.expected is not None:
            new: Any = atomics.AtomicCASTkoOp.build(
                operands=[access.pointers, op.expected, op.value, access.mask, after],
                result_types=[op.value.type, token],
                properties={
                    "memory_ordering_semantics": op.ordering,
                    "memory_scope": op.scope,
                },
            )
        else:
            new = atomics.AtomicRMWTkoOp(
                access.pointers,
                _mode(op),
                op.value,
                ordering=op.ordering,
                scope=op.scope,
                mask=access.mask,
                token=after,
            )
        e.insert(new)
        if op.result is not None:
            old: SSAValue = new.result
            if access.mask is not None:
                zero = e.attribute(number_attr(0, element(old)), tile(old).get_shape())
                old = e.select(access.mask, old, zero)
            op.result.replace_all_uses_with(old)
        return new.result_token

    def _print(self, op: memory.PrintOp, order: _Order) -> None:
        e = before(op, self.version, Emitter)
        after = order.before_write(e, PRINTS)
        new = PrintTkoOp(op.format.data, list(op.values), after)
        e.insert(new)
        order.wrote(PRINTS, new.result_token)
        op.detach()
        op.erase()

    # Control flow.

    def _if(self, op: flow.IfOp, order: _Order) -> None:
        kinds = sorted(self._touched(op))
        if kinds and not op.else_region.blocks:
            op.else_region.add_block(Block([flow.YieldOp()]))
        for region in (op.then_region, op.else_region):
            if not region.blocks:
                continue
            inner = order.copy()
            self._block(region.block, inner)
            last = region.block.last_op
            if isinstance(last, flow.YieldOp):
                _append_operands(last, inner.joined(before(last, self.version, Emitter), kinds))
            self._leave(last, inner)
        if not kinds:
            return
        new = flow.IfOp(
            op.condition,
            [*op.result_types, *[token] * len(kinds)],
            _moved(op.then_region),
            _moved(op.else_region),
        )
        self._replace(op, new, kinds, order)

    def _loop(self, op: Any, order: _Order) -> None:
        kinds = sorted(self._touched(op))
        block = op.region.block
        inits = order.joined(before(op, self.version, Emitter), kinds)
        inner = order.copy()
        for kind in kinds:
            inner.wrote(kind, block.insert_arg(token, len(block.args)))
        outer, self.loop_kinds = self.loop_kinds, kinds
        self._block(block, inner)
        self._leave(block.last_op, inner)
        self.loop_kinds = outer
        if not kinds:
            return
        carried = [*op.init_values, *inits]
        if isinstance(op, flow.ForOp):
            new: Any = flow.ForOp(
                op.lower_bound,
                op.upper_bound,
                op.step,
                carried,
                _moved(op.region),
                unsigned=op.unsigned_cmp is not None,
            )
        else:
            types = [*op.result_types, *[token] * len(kinds)]
            new = flow.LoopOp(carried, types, _moved(op.region))
        self._replace(op, new, kinds, order)

    loop_kinds: Sequence[str] = ()
    """The classes whose tokens the innermost loop carries."""

    def _leave(self, last: Operation | None, order: _Order) -> None:
        """Let a jump to the innermost loop pass its tokens on."""
        if isinstance(last, flow.ContinueOp | flow.BreakOp) and self.loop_kinds:
            emitter = before(last, self.version, Emitter)
            _append_operands(last, order.joined(emitter, self.loop_kinds))

    def _replace(self, op: Operation, new: Operation, kinds: Sequence[str], order: _Order) -> None:
        new.location = op.location
        copy_place(op, new)
        block = op.parent
        assert block is not None
        block.insert_op_before(new, op)
        count = len(op.results)
        for old, value in zip(op.results, new.results[:count], strict=True):
            value.name_hint = old.name_hint
            old.replace_all_uses_with(value)
        op.detach()
        op.erase()
        for kind, value in zip(kinds, new.results[count:], strict=True):
            order.wrote(kind, value)


@dataclass
class _Order:
    """What the next access of each class of memory has to wait for."""

    writes: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    reads: dict[str, list[SSAValue]] = field(default_factory=dict[str, list[SSAValue]])

    def copy(self) -> _Order:
        return _Order(dict(self.writes), {k: list(v) for k, v in self.reads.items()})

    def before_read(self, e: Emitter, kind: str) -> SSAValue | None:
        return self.writes.get(kind)

    def before_write(self, e: Emitter, kind: str) -> SSAValue | None:
        tokens = self._pending(kind)
        if len(tokens) < 2:
            return tokens[0] if tokens else None
        return e.one(ct_memory.JoinTokensOp(*tokens))

    def _pending(self, kind: str) -> list[SSAValue]:
        reads = self.reads.get(kind, [])
        write = self.writes.get(kind)
        # A read waits for the last write: whoever waits for it waits for the write too.
        return reads if reads else [] if write is None else [write]

    def read(self, kind: str, done: SSAValue) -> None:
        self.reads.setdefault(kind, []).append(done)

    def wrote(self, kind: str, done: SSAValue) -> None:
        self.writes[kind] = done
        self.reads[kind] = []

    def joined(self, e: Emitter, kinds: Sequence[str]) -> list[SSAValue]:
        """One token for each class, after everything so far."""
        tokens: list[SSAValue] = []
        for kind in kinds:
            value = self.before_write(e, kind)
            tokens.append(e.one(ct_memory.MakeTokenOp()) if value is None else value)
        return tokens


PRINTS = "prints"


def _append_operands(op: Operation, values: Sequence[SSAValue]) -> None:
    op.operands = [*op.operands, *values]


def _moved(region: Region) -> Region:
    """The blocks of a region in a new one."""
    new = Region()
    region.move_blocks(new)
    return new


def _mode(op: memory.AtomicOp) -> AtomicRMWModeAttr:
    word: str = op.mode.keyword
    if word == "add" and is_float(element_of(op.value.type)):
        word = "addf"
    return AtomicRMWModeAttr(AtomicRMWMode(word))


def alias_classes(entry: core.EntryOp) -> dict[SSAValue, str]:
    """For each tensor, the class of memory that it lies in: tensors of two classes do not overlap.

    A parameter is a class of its own, but those that may alias share one. A tensor from a pointer
    that is no parameter may overlap all others.
    """
    roots: dict[SSAValue, str] = {}
    unknown = False
    for op in entry.walk():
        if not isinstance(op, MakeTensorOp):
            continue
        root = _root(op)
        if root is None:
            unknown = True
        roots[op.result] = root or "unknown"
    if unknown:
        return dict.fromkeys(roots, "memory")
    return roots


def _root(op: MakeTensorOp) -> str | None:
    """The class of the parameter that a tensor's base comes from."""
    maker: Any = op
    while True:
        base = maker.base
        if isinstance(base.type, TensorType):
            maker = base.owner
            continue
        while isinstance(base.owner, AssumeOp):
            base = base.owner.value
        if isinstance(base, BlockArgument):
            if maker.attributes.get(MAY_ALIAS) is not None:
                return "aliasing parameters"
            return f"parameter {base.index}"
        return None
