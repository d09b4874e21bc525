"""Rows in parts of their columns, which `split-rows` and `chunk-rows` compute."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.types import bit_width, is_power_of_two
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import memory, reductions
from tileir_xdsl.dialects.tile_sugar.expansion import KINDS, Writer
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_float, is_tile, shape_of, tile_type
from tileir_xdsl.passes.choose_hints import DEFAULT_WARPS, stated_warps
from tileir_xdsl.passes.reporting import count, remark
from tileir_xdsl.passes.sugar import SM_8X, at_shape, before

WARP = 32
"""Threads of a warp."""

ACCESS = 4 * WARP
"""Columns that a warp reads at once, 16 bytes a thread, of 32-bit elements."""

MOST_PARTS = 8

REGISTERS = 128
"""Of a thread, at most, for a tile."""

FEWER_REGISTERS: dict[str, int] = dict.fromkeys(SM_8X, 64)
"""Where whole rows need so few registers that more blocks fit an SM."""

COMBINE: dict[str, type[ew.BinaryOp]] = {"sum": ew.AddOp, "max": ew.MaxOp, "min": ew.MinOp}

EXPRESSIONS = (
    ew.ElementwiseOp,
    ew.CastOp,
    ew.BitcastOp,
    ew.BroadcastOp,
    ew.SplatOp,
    ew.ConstantOp,
    ew.IotaOp,
)


def reduction_obstacle(op: Any) -> str | None:
    """Why a reduction cannot combine parts of its rows element by element."""
    if op.ordered is not None:
        return f"'{op.name}' needs the whole row"
    element = element_of(op.source.type)
    narrow = KINDS[type(op)] == "sum" and reductions.wide(element) != element
    return "'legalize-elementwise' has not widened the sum" if narrow else None


class RowsInParts:
    """The long rows of a kernel, and whether they can be computed in parts of `width` columns."""

    def __init__(self, kernel: KernelOp, width: int, targets: Sequence[str]) -> None:
        self.kernel = kernel
        self.width = width
        self.targets = targets
        self.long = [
            op for op in kernel.walk() if any(map(self._is_long, (*op.operands, *op.results)))
        ]
        self.reduced = [op for op in self.long if _reduces_rows(op)]

    @property
    def sums_floats(self) -> bool:
        """Whether the order of a sum would tell how the parts are combined."""
        return any(_sums_floats(op) for op in self.reduced)

    def obstacle(self) -> tuple[Operation, str] | None:
        """Why the rows have to stay whole, and the operation that says so."""
        stated = {stated_warps(self.kernel, target) for target in self.targets}
        if stated - {None, DEFAULT_WARPS}:
            return self.reduced[0], "the kernel states other warps than four"
        for op in self.long:
            found = self._obstacle(op)
            if found is not None:
                return op, found
        return None

    def split(self, *, reassociate: bool) -> None:
        """Compute the rows in parts. With `reassociate` a sum of floats adds the parts element by
        element and reduces them once, in another order than that of the row."""
        for op in self.reduced:
            remark(op, f"rows in parts of {self.width} columns, each in one warp")
        _Parts(self.width, reassociate).rewrite(self.long)
        count("kernels")

    def _is_long(self, value: SSAValue) -> bool:
        return is_long(value, self.width)

    def _obstacle(self, op: Any) -> str | None:
        """Why an operation with long rows cannot be computed in parts."""
        for value in (*op.operands, *op.results):
            obstacle = self._shape_obstacle(value) if self._is_long(value) else None
            if obstacle is not None:
                return obstacle
        if isinstance(op, memory.LoadOp | memory.StoreOp):
            return self._memory_obstacle(op)
        if type(op) in KINDS:
            single = _reduces_rows(op) and shape_of(op.source.type)[0] == 1
            return "one row" if single else reduction_obstacle(op)
        if isinstance(op, EXPRESSIONS) or isinstance(op, scf.ForOp):
            return None
        if isinstance(op, scf.YieldOp) and isinstance(op.parent_op(), scf.ForOp):
            return None
        return f"'{op.name}' needs the whole row"

    def _shape_obstacle(self, value: SSAValue) -> str | None:
        shape = shape_of(value.type)
        if len(shape) != 2:
            return f"tiles of rank {len(shape)}"
        rows, columns = shape
        if not is_power_of_two(columns) or columns > MOST_PARTS * self.width:
            return f"{columns} columns"
        if rows == 1:
            return None
        if rows % DEFAULT_WARPS:
            return f"{rows} rows"
        limits = [FEWER_REGISTERS.get(t, REGISTERS) for t in self.targets]
        most = min(limits)
        each = 2 if bit_width(element_of(value.type)) == 64 else 1
        registers = each * rows * columns // (DEFAULT_WARPS * WARP)
        return f"{registers} registers a thread, more than {most}" if registers > most else None

    def _memory_obstacle(self, op: Any) -> str | None:
        value = op.value if isinstance(op, memory.StoreOp) else op.result
        if shape_of(value.type)[0] == 1:
            return "all rows share one in memory"
        # A computed start plus a part's could overflow where the start alone does not.
        *_, start = op.all_indices()
        if not isinstance(start, int) or not 0 <= start < (1 << 31) - MOST_PARTS * self.width:
            return "the first column is computed"
        return None


def is_long(value: SSAValue, width: int) -> bool:
    return is_tile(value.type) and shape_of(value.type)[-1] > width


def _sums_floats(op: Any) -> bool:
    return KINDS[type(op)] == "sum" and is_float(element_of(op.source.type))


def _reduces_rows(op: Any) -> bool:
    return type(op) in KINDS and op.dimension == len(shape_of(op.source.type)) - 1


class _Parts:
    """The parts of long values, by value."""

    def __init__(self, width: int, reassociate: bool) -> None:
        self.width = width
        self.reassociate = reassociate
        self.values: dict[SSAValue, list[SSAValue]] = {}
        self.arguments: list[BlockArgument] = []

    def rewrite(self, long: Sequence[Operation]) -> None:
        for op in long:
            self._compute(op)
        for op in reversed(long):
            op.detach()
            op.erase()
        for argument in self.arguments:
            argument.block.erase_arg(argument)

    def _is_long(self, value: SSAValue) -> bool:
        return is_long(value, self.width)

    def _count(self, value: SSAValue) -> int:
        return shape_of(value.type)[-1] // self.width

    def _shape(self, value: SSAValue) -> list[int]:
        return [shape_of(value.type)[0], self.width]

    def _flat(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [part for value in values for part in self.values.get(value, [value])]

    def _compute(self, op: Any) -> None:
        if isinstance(op, scf.ForOp):
            self._loop(op)
        elif isinstance(op, scf.YieldOp):
            before(op).insert(scf.YieldOp(*self._flat(op.operands)))
        elif isinstance(op, memory.StoreOp):
            self._store(op)
        elif _reduces_rows(op):
            self._reduce(op)
        else:
            self.values[op.results[0]] = self._parts(op)

    def _parts(self, op: Any) -> list[SSAValue]:
        w = before(op)
        count = self._count(op.results[0])
        if self._is_same_in_all(op):
            return [self._part(w, op, 0)] * count
        return [self._part(w, op, position) for position in range(count)]

    def _is_same_in_all(self, op: Any) -> bool:
        if isinstance(op, memory.LoadOp):
            return False
        if isinstance(op, ew.IotaOp):
            return op.dimension == 0
        return all(len(set(self.values.get(value, [value]))) == 1 for value in op.operands)

    def _part(self, w: Writer, op: Any, position: int) -> SSAValue:
        operands = [
            self.values[value][position] if self._is_long(value) else value for value in op.operands
        ]
        shape = self._shape(op.results[0])
        if isinstance(op, memory.LoadOp):
            part = tile_type(shape, element_of(op.result.type))
            new = memory.LoadOp.at([], op.tensor, self._indices(op, position), [part])
            copy_access(op, new)
            return w.one(new)
        if isinstance(op, ew.IotaOp):
            line = w.one(ew.IotaOp.along(op.dimension, shape))
            if op.dimension == 0 or position == 0:
                return line
            return w.of(ew.AddOp, line, w.constant(position * self.width, line.type))
        if type(op) in KINDS:
            return self._reduced(w, op, operands[0])
        return at_shape(w, op, operands, shape)

    def _indices(self, op: Any, position: int) -> list[SSAValue | int]:
        *rest, start = op.all_indices()
        return [*rest, start + position * self.width]

    def _store(self, op: memory.StoreOp) -> None:
        w = before(op)
        for position, part in enumerate(self.values[op.value]):
            new = memory.StoreOp.at([part], op.tensor, self._indices(op, position))
            copy_access(op, new)
            w.insert(new)

    def _reduce(self, op: Any) -> None:
        """A reduction of the combined parts; of sums in order, a combination of reduced parts."""
        w = before(op)
        kind = KINDS[type(op)]
        parts = self.values[op.source]
        in_order = _sums_floats(op) and not self.reassociate
        if in_order:
            parts = [self._reduced(w, op, part) for part in parts]
        while len(parts) > 1:
            neighbours = zip(parts[0::2], parts[1::2], strict=True)
            parts = [w.of(COMBINE[kind], first, second) for first, second in neighbours]
        result = parts[0] if in_order else self._reduced(w, op, parts[0])
        op.result.replace_all_uses_with(result)

    def _reduced(self, w: Writer, op: Any, part: SSAValue) -> SSAValue:
        return w.of(cast(Any, type(op)), part, axis=op.dimension)

    def _loop(self, op: scf.ForOp) -> None:
        block = op.body.block
        for argument in list(block.args[1:]):
            if not self._is_long(argument):
                continue
            part = tile_type(self._shape(argument), element_of(argument.type))
            self.values[argument] = [
                block.insert_arg(part, argument.index + 1 + position)
                for position in range(self._count(argument))
            ]
            self.arguments.append(argument)
        inits = self._flat(op.iter_args)
        loop = scf.ForOp(op.lb, op.ub, op.step, inits, op.detach_region(op.body))
        before(op).insert(loop)
        results = iter(loop.results)
        for old in op.results:
            if self._is_long(old):
                self.values[old] = list(islice(results, self._count(old)))
            else:
                old.replace_all_uses_with(next(results))


def copy_access(op: Any, new: Operation) -> None:
    """What an access says of itself that holds for each part: not that it starts `inside`."""
    for name in ("fill", "full"):
        if name in op.properties:
            new.properties[name] = op.properties[name]
