"""`chunk-rows`: rows too long for one tile, in a loop over chunks of their columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import memory, reductions
from tileir_xdsl.dialects.tile_sugar.expansion import KINDS, Writer
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.dialects.tile_sugar.types import element_of, shape_of, tile_type
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.row_parts import (
    ACCESS,
    COMBINE,
    EXPRESSIONS,
    RowsInParts,
    copy_access,
    is_long,
    reduction_obstacle,
)
from tileir_xdsl.passes.sugar import at_shape, before, operations, replace, targets_of
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class ChunkRowsPass(TilePass):
    """Computes rows of more than `width` columns in loops over `chunk` columns at a time.

    Each reduction of such a row, and each store of one, becomes a loop that computes what it needs
    from memory again; a reduction accumulates a tile of `chunk` columns and reduces it once behind
    the loop. Only in kernels whose long rows are all made by elementwise operations from `readonly`
    tensors, and whose lengths `chunk` divides: others keep their tiles, and a remark says why.

    Shorter rows, of up to eight times 128 columns, are computed in parts where `split-rows` would
    do so, but a sum of floats adds the parts before it is reduced, once for all of them.

    Changes the order of sums. `target` is the GPU, or several. Needs `legalize-elementwise`.
    """

    name = "chunk-rows"

    bit_exact: ClassVar[bool] = False
    bound: ClassVar[str] = "the rounding errors of sums along rows, whose order changes"
    relative_error: ClassVar[float] = 2.0**-12

    width: int = 32768
    chunk: int = 2048
    target: str | tuple[str, ...] = "sm_90"

    def __post_init__(self) -> None:
        targets_of(self.target)
        if not is_power_of_two(self.chunk) or self.chunk > self.width:
            raise ValueError(
                f"chunk must be a power of two up to width, {self.width}, but is {self.chunk}"
            )

    def run_on(self, ctx: Context, op: Operation) -> None:
        for kernel in operations(op.regions):
            if isinstance(kernel, KernelOp):
                _Kernel(kernel, self.width, self.chunk).rewrite()
                self._split(kernel)

    def _split(self, kernel: KernelOp) -> None:
        """Compute rows in parts, if sums make a difference; all others are for `split-rows`."""
        rows = RowsInParts(kernel, ACCESS, targets_of(self.target))
        if rows.sums_floats and rows.obstacle() is None:
            rows.split(reassociate=True)


class _Kernel:
    def __init__(self, kernel: KernelOp, width: int, chunk: int) -> None:
        self.kernel = kernel
        self.width = width
        self.chunk = chunk

    def rewrite(self) -> None:
        long = [op for op in self.kernel.walk() if any(map(self._is_long, op.results))]
        sinks = [op for op in self.kernel.walk() if any(map(self._is_long, op.operands))]
        sinks = [op for op in sinks if op not in long]
        for op in (*long, *sinks):
            obstacle = self._obstacle(op)
            if obstacle is not None:
                missed(op, f"long rows stay whole tiles: {obstacle}")
                return
        for sink in sinks:
            if isinstance(sink, memory.StoreOp):
                self._store(sink)
            else:
                self._reduce(sink)
        for op in reversed(long):
            op.detach()
            op.erase()

    def _is_long(self, value: SSAValue) -> bool:
        return is_long(value, self.width)

    def _obstacle(self, op: Operation) -> str | None:
        """Why an operation with a long row cannot be computed in chunks."""
        values = [*op.operands, *op.results]
        shape = shape_of(next(value for value in values if self._is_long(value)).type)
        if shape[-1] % self.chunk:
            return f"{self.chunk} does not divide {shape[-1]} columns"
        if isinstance(op, memory.LoadOp | memory.StoreOp):
            # A computed start plus a chunk's could overflow where the start alone does not.
            start = op.all_indices()[-1]
            if not isinstance(start, int) or not 0 <= start + shape[-1] < 1 << 31:
                return "the first column is computed"
        if isinstance(op, memory.LoadOp):
            return self._memory_obstacle(op)
        if isinstance(op, memory.StoreOp) or isinstance(op, EXPRESSIONS):
            return None
        if type(op) in KINDS and cast(Any, op).dimension == len(shape) - 1:
            return reduction_obstacle(op)
        return f"'{op.name}' needs the whole row"

    def _memory_obstacle(self, op: memory.LoadOp) -> str | None:
        tensor = op.tensor
        if not isinstance(tensor, BlockArgument) or tensor.block is not self.kernel.body.block:
            return "the tensor is no parameter"
        promises = self.kernel.promises(tensor.index)
        if "readonly" not in promises or "may_alias" in promises:
            return "the tensor is not readonly, and is read more than once"
        return None

    # Loops.

    def _reduce(self, op: Any) -> None:
        kind = KINDS[type(op)]
        source: SSAValue = op.source
        shape = shape_of(source.type)
        element = element_of(source.type)
        chunk_type = tile_type([*shape[:-1], self.chunk], element)
        w = before(op)
        start = w.constant(reductions.identity_attr(kind, element), chunk_type)

        def body(inner: Writer, column: SSAValue, sums: list[SSAValue]) -> list[SSAValue]:
            piece = _Chunk(inner, column, self).of(source)
            return [inner.of(COMBINE[kind], sums[0], piece)]

        (total,) = self._loop(w, shape[-1], [start], body)
        remark(op, f"reduced in chunks of {self.chunk} columns")
        reduction: Any = op.__class__
        replace(op, [w.of(reduction, total, axis=len(shape) - 1)])
        count("reductions")

    def _store(self, op: memory.StoreOp) -> None:
        def body(inner: Writer, column: SSAValue, _: list[SSAValue]) -> list[SSAValue]:
            chunk = _Chunk(inner, column, self)
            indices = [*op.all_indices()[:-1], chunk.shifted(op.all_indices()[-1])]
            new = memory.StoreOp.at([chunk.of(op.value)], op.tensor, indices)
            copy_access(op, new)
            inner.insert(new)
            return []

        self._loop(before(op), shape_of(op.value.type)[-1], [], body)
        remark(op, f"stored in chunks of {self.chunk} columns")
        op.detach()
        op.erase()
        count("stores")

    def _loop(
        self,
        w: Writer,
        columns: int,
        carried: list[SSAValue],
        body: Callable[[Writer, SSAValue, list[SSAValue]], list[SSAValue]],
    ) -> list[SSAValue]:
        block = Block(arg_types=[i32, *(value.type for value in carried)])
        inner = Writer(Builder(InsertPoint.at_end(block)), w.origin, w.version)
        column, *sums = block.args
        results = body(inner, column, list(sums))
        inner.insert(scf.YieldOp(*results))
        first, end, step = (w.index(number) for number in (0, columns, self.chunk))
        loop = scf.ForOp(first, end, step, carried, Region(block))
        w.insert(loop)
        return list(loop.results)


class _Chunk:
    """Computes the columns of long rows from one on."""

    def __init__(self, w: Writer, column: SSAValue, kernel: _Kernel) -> None:
        self.w = w
        self.column = column
        self.kernel = kernel
        self.values: dict[SSAValue, SSAValue] = {}

    def of(self, value: SSAValue) -> SSAValue:
        if not is_long(value, self.kernel.width):
            return value
        if value not in self.values:
            origin, self.w.origin = self.w.origin, cast(Operation, value.owner)
            self.values[value] = self._compute(value, cast(Any, value.owner))
            self.w.origin = origin
        return self.values[value]

    def shifted(self, start: SSAValue | int) -> SSAValue:
        assert isinstance(start, int)
        if start == 0:
            return self.column
        return self.w.one(arith.AddiOp(self.w.index(start), self.column))

    def _compute(self, value: SSAValue, op: Any) -> SSAValue:
        shape = [*shape_of(value.type)[:-1], self.kernel.chunk]
        chunk_type = tile_type(shape, element_of(value.type))
        if isinstance(op, memory.LoadOp):
            indices = [*op.all_indices()[:-1], self.shifted(op.all_indices()[-1])]
            new = memory.LoadOp.at([], op.tensor, indices, [chunk_type])
            copy_access(op, new)
            return self.w.one(new)
        if isinstance(op, ew.IotaOp):
            line = self.w.one(ew.IotaOp.along(op.dimension, shape))
            if op.dimension != len(shape) - 1:
                return line
            start = self.w.one(ew.SplatOp.to(self.column, shape))
            return self.w.of(ew.AddOp, line, start)
        return at_shape(self.w, op, [self.of(operand) for operand in op.operands], shape)
