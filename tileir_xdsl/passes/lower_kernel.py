"""`lower-kernel`: kernels as entries of a `cuda_tile.module`, scalars as rank-0 tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile import arithmetic as ct
from tileir_xdsl.dialects.cuda_tile import control_flow as flow
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.attributes import (
    BoundedAttr,
    DivByAttr,
    IntegerOverflow,
    IntegerOverflowAttr,
)
from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp
from tileir_xdsl.dialects.cuda_tile.places import copy_place, place_of
from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC, PtrType, TileType
from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar import kernel as sugar
from tileir_xdsl.dialects.tile_sugar import memory
from tileir_xdsl.dialects.tile_sugar.primitives import Emitter
from tileir_xdsl.dialects.tile_sugar.scalars import (
    is_scalar_arithmetic,
    lower_scalar,
    scalar_type,
)
from tileir_xdsl.dialects.tile_sugar.types import TensorType, shape_of, signless
from tileir_xdsl.passes.sugar import check_padded, check_version
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import DEFAULT, Version

DEFAULT_ALIGNMENT = 16


@dataclass(frozen=True)
class LowerKernelPass(TilePass):
    """Makes each kernel an entry: parameters become the arguments of its ABI.

    A tensor is its pointer, then an i32 for each `?` extent and each `?` stride, put together
    again by `make_tensor`; promises become assumptions, and nothing else does. Scalars become
    rank-0 tiles, `scf` the control flow of `cuda_tile`, and `arith` and `math` its arithmetic.
    Integer arithmetic that feeds an index does not wrap, and says so. Accesses to tensors and
    prints stay for `lower-views`. `version` is the bytecode version to lower for. Needs
    `lower-elementwise`.
    """

    name = "lower-kernel"

    version: str | float = str(DEFAULT)

    def __post_init__(self) -> None:
        check_version(self.version)

    def run_on(self, ctx: Context, op: Operation) -> None:
        check_padded(op)
        version = Version.parse(str(self.version))
        for region in op.regions:
            for block in region.blocks:
                lower_kernels(block, version)


def lower_kernels(block: Block, version: Version) -> None:
    """Lower the kernels in the body of a module."""
    kernels = [op for op in block.ops if isinstance(op, sugar.KernelOp)]
    if not kernels:
        return
    module = next((op for op in block.ops if isinstance(op, core.ModuleOp)), None)
    if module is None:
        module = core.ModuleOp()
        module.location = kernels[0].location
        block.insert_op_before(module, kernels[0])
    for kernel in kernels:
        entry = entry_of(kernel, version)
        module.body.block.add_op(entry)
        kernel.detach()
        kernel.erase()


def entry_of(kernel: sugar.KernelOp, version: Version) -> core.EntryOp:
    """The entry that a kernel becomes; the kernel's operations move into it."""
    entry, block, parameters = entry_with_parameters(kernel)
    lowering = KernelLowering(kernel, version)
    for argument, value in zip(kernel.body.block.args, parameters, strict=True):
        lowering.values[argument] = value
    lowering.block(kernel.body.block, block)
    return entry


def entry_with_parameters(
    kernel: sugar.KernelOp,
) -> tuple[core.EntryOp, Block, list[SSAValue]]:
    """An entry with a kernel's ABI, whose block puts the parameters together again."""
    arguments = kernel.arguments
    e = Emitter(Builder(InsertPoint.at_end(Block())), kernel)
    types = [
        TileType.get((), PtrType.get(signless(a.type)))
        if a.kind == "pointer"
        else scalar_type(e, a.type)
        for a in arguments
    ]
    block = Block(arg_types=types)
    entry = core.EntryOp(kernel.sym_name.data, types, Region(block), kernel.optimization_hints)
    entry.location = kernel.location
    copy_place(kernel, entry)
    for argument, value in zip(arguments, block.args, strict=True):
        name = kernel.names[argument.parameter]
        if argument.kind in ("extent", "stride"):
            name += f"_{argument.kind}{argument.dim}"
        value.name_hint = name
    e.builder.insertion_point = InsertPoint.at_end(block)
    return entry, block, _Parameters(kernel, e, block).values()


class _Parameters:
    """The parameters of a kernel from the arguments of its entry."""

    def __init__(self, kernel: sugar.KernelOp, e: Emitter, block: Block) -> None:
        self.kernel = kernel
        self.e = e
        self.block = block

    def values(self) -> list[SSAValue]:
        listed = list(zip(self.kernel.arguments, self.block.args, strict=True))
        result: list[SSAValue] = []
        for position, parameter in enumerate(self.kernel.body.block.args):
            own = [(a, v) for a, v in listed if a.parameter == position]
            if isinstance(parameter.type, TensorType):
                result.append(self._tensor(position, parameter.type, own))
            else:
                result.append(self._scalar(position, own[0][1]))
        return result

    def _assume(self, value: SSAValue, predicate: Any) -> SSAValue:
        return self.e.one(AssumeOp(value, predicate))

    def _divisible(self, value: SSAValue, multiple: int) -> SSAValue:
        divisor = multiple & -multiple
        return self._assume(value, DivByAttr.get(divisor)) if divisor > 1 else value

    def _scalar(self, position: int, value: SSAValue) -> SSAValue:
        promises = self.kernel.promises(position)
        low, high = (_integer(promises.get(name)) for name in ("min", "max"))
        if low is not None or high is not None:
            value = self._assume(value, BoundedAttr.get(low, high))
        return self._divisible(value, _integer(promises.get("multiple")) or 1)

    def _tensor(
        self,
        position: int,
        type: TensorType,
        own: Sequence[tuple[sugar.KernelArgument, SSAValue]],
    ) -> SSAValue:
        promises = self.kernel.promises(position)
        pointer = self._divisible(own[0][1], _integer(promises.get("align")) or DEFAULT_ALIGNMENT)
        groups: dict[str, list[SSAValue]] = {"extent": [], "stride": []}
        multiples = {
            "extent": _integers(promises.get("multiple"), type.rank, 1),
            "stride": _integers(promises.get("stride_multiple"), type.rank, 1),
        }
        highest = _integers(promises.get("max"), type.rank, 0)
        for argument, value in own[1:]:
            kind = argument.kind
            upper = highest[argument.dim] or None if kind == "extent" else None
            lower = 0 if kind == "extent" else 1
            value = self._assume(value, BoundedAttr.get(lower, upper))
            value = self._divisible(value, multiples[kind][argument.dim] or 1)
            groups[kind].append(value)
        made = type.with_element(signless(type.element_type))
        tensor = sugar.MakeTensorOp(pointer, groups["extent"], groups["stride"], made)
        if "may_alias" in promises:
            tensor.attributes[sugar.MAY_ALIAS] = UnitAttr()
        return self.e.insert(tensor).results[0]


def _integer(value: Attribute | None) -> int | None:
    return None if value is None else cast("IntegerAttr[Any]", value).value.data


def _integers(value: Attribute | None, rank: int, default: int) -> list[int]:
    found = None if value is None else sugar.promise_values(value)
    return [default] * rank if found is None else found


class KernelLowering:
    """Rewrites the operations of a kernel into those of an entry, block by block."""

    def __init__(self, kernel: sugar.KernelOp, version: Version) -> None:
        self.version = version
        self.values: dict[SSAValue, SSAValue] = {}
        """What stands for the values that change their type."""
        self.indices = index_arithmetic(kernel)
        self.e = Emitter(Builder(InsertPoint.at_end(Block())), kernel, version)

    def value(self, value: SSAValue) -> SSAValue:
        return self.values.get(value, value)

    def block(self, source: Block, target: Block) -> None:
        """Lower the operations of one block to the end of another."""
        outer = self.e.builder.insertion_point
        self.e.builder.insertion_point = InsertPoint.at_end(target)
        for op in list(source.ops):
            self.e.origin = op
            if self.operation(op):
                break
        self.e.builder.insertion_point = outer

    def operation(self, op: Operation) -> bool:
        """Lower one operation; whether control leaves the block there."""
        handler = _HANDLERS.get(type(op))
        if handler is not None:
            return bool(handler(self, op))
        if is_scalar_arithmetic(op):
            self._scalar(op)
            return False
        self._keep(op)
        return False

    def operands(self, op: Operation) -> list[SSAValue]:
        return [self.value(operand) for operand in op.operands]

    def _scalar(self, op: Operation) -> None:
        result = lower_scalar(self.e, op, self.operands(op))
        if op in self.indices:
            mark_unwrapped(result)
        self.values[op.results[0]] = result

    def _keep(self, op: Operation) -> None:
        """Move an operation that stays as it is."""
        if op.dialect_name() not in ("cuda_tile", "tile_sugar"):
            raise self.e.error(f"a kernel cannot use '{op.name}'")
        for position, operand in enumerate(op.operands):
            op.operands[position] = self.value(operand)
        op.detach()
        self.e.builder.insert(op)

    def type(self, type: Attribute) -> Attribute:
        """The type that a value has in the entry."""
        if isinstance(type, TileType | TensorType) or shape_of(type):
            return type
        if type.name.startswith("cuda_tile."):
            return type
        return scalar_type(self.e, type)

    def region(self, source: Region) -> Region:
        """A region with the lowered operations of another."""
        block = source.block
        target = Block(arg_types=[self.type(arg.type) for arg in block.args])
        for old, new in zip(block.args, target.args, strict=True):
            self.values[old] = new
        self.block(block, target)
        return Region(target)

    def results(self, op: Operation, new: Operation) -> None:
        self.e.insert(new)
        for old, value in zip(op.results, new.results, strict=True):
            self.values[old] = value

    # Operations.

    def return_(self, op: Operation) -> bool:
        self.e.insert(flow.ReturnOp())
        return True

    def block_id(self, op: Any) -> None:
        ids = self.e.insert(core.GetTileBlockIdOp.create(result_types=[_I32] * 3))
        self.values[op.result] = ids.results[op.dimension]

    def num_blocks(self, op: Any) -> None:
        counts = self.e.insert(core.GetNumTileBlocksOp.create(result_types=[_I32] * 3))
        self.values[op.result] = counts.results[op.dimension]

    def extent(self, op: sugar.ExtentOp) -> None:
        self.values[op.result] = tensor_extent(self.e, self.value(op.tensor), op.dimension)

    def to_scalar(self, op: ew.ToScalarOp) -> None:
        source = self.value(op.source)
        self.values[op.result] = self.e.reshape(source, ())

    def splat(self, op: ew.SplatOp) -> None:
        shape = shape_of(op.result.type)
        source = self.value(op.source)
        self.values[op.result] = self.e.broadcast(source, shape) if shape else source

    def assert_(self, op: memory.AssertOp) -> None:
        self.e.insert(flow.AssertOp(self.value(op.condition), op.message.data))

    def for_(self, op: scf.ForOp) -> None:
        lower, upper, step, *inits = self.operands(op)
        body = self.region(op.body)
        self.results(op, flow.ForOp(lower, upper, step, inits, body))

    def if_(self, op: scf.IfOp) -> None:
        condition = self.value(op.cond)
        types = [self.type(result.type) for result in op.results]
        then = self.region(op.true_region)
        otherwise = self.region(op.false_region) if op.false_region.blocks else Region()
        self.results(op, flow.IfOp(condition, types, then, otherwise))

    def while_(self, op: scf.WhileOp) -> None:
        """A loop: the first region, leaving when its condition fails, then the second."""
        inits = self.operands(op)
        before, after = op.before_region.block, op.after_region.block
        block = Block(arg_types=[self.type(arg.type) for arg in before.args])
        for old, new in zip(before.args, block.args, strict=True):
            self.values[old] = new
        self.block(before, block)
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        passed = [self.value(value) for value in condition.args]
        for old, new in zip(after.args, passed, strict=True):
            self.values[old] = new
        self.block(after, block)
        types = [self.type(result.type) for result in op.results]
        self.results(op, flow.LoopOp(inits, types, Region(block)))

    def condition(self, op: scf.ConditionOp) -> None:
        proceed = self.value(op.condition)
        passed = [self.value(value) for value in op.args]
        leave = Block()
        leave.add_op(flow.BreakOp(*passed))
        stay = Block()
        stay.add_op(flow.YieldOp())
        self.e.insert(flow.IfOp(proceed, [], Region(stay), Region(leave)))

    def yield_(self, op: scf.YieldOp) -> bool:
        loops = scf.ForOp | scf.WhileOp
        terminator = flow.ContinueOp if isinstance(op.parent_op(), loops) else flow.YieldOp
        self.e.insert(terminator(*self.operands(op)))
        return True


_I32 = TileType.get((), i32)
_HANDLERS: dict[type[Operation], Callable[[KernelLowering, Any], Any]] = {
    sugar.ReturnOp: KernelLowering.return_,
    sugar.BlockIdOp: KernelLowering.block_id,
    sugar.NumBlocksOp: KernelLowering.num_blocks,
    sugar.ExtentOp: KernelLowering.extent,
    ew.ToScalarOp: KernelLowering.to_scalar,
    ew.SplatOp: KernelLowering.splat,
    memory.AssertOp: KernelLowering.assert_,
    scf.ForOp: KernelLowering.for_,
    scf.IfOp: KernelLowering.if_,
    scf.WhileOp: KernelLowering.while_,
    scf.ConditionOp: KernelLowering.condition,
    scf.YieldOp: KernelLowering.yield_,
}


def tensor_extent(e: Emitter, tensor: SSAValue, dim: int) -> SSAValue:
    """The extent of a tensor as a rank-0 tile: a constant, or what it was made from."""
    type = tensor.type
    assert isinstance(type, TensorType)
    static = type.get_shape()[dim]
    if static != DYNAMIC:
        return e.attribute(IntegerAttr(static, i32), ())
    maker = tensor.owner
    if not isinstance(maker, sugar.MakeTensorOp):
        raise DiagnosticError.at("a tensor without known extents", place_of(e.origin))
    return maker.extents[type.dynamic_extents.index(dim)]


# Arithmetic of indices.


def index_arithmetic(kernel: Operation) -> set[Operation]:
    """The scalar integer operations whose results feed an index, an offset or an extent.

    Their overflow is undefined at this level.
    """
    found: set[Operation] = set()
    worklist: list[SSAValue] = []
    for op in kernel.walk():
        if isinstance(op, memory.AccessOp):
            worklist += list(cast(Any, op).indices)
        elif isinstance(op, sugar.MakeTensorOp):
            worklist += [v for v in op.operands if not isinstance(v.type, TensorType)]
    seen: set[SSAValue] = set()
    while worklist:
        value = worklist.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if not isinstance(owner, Operation) or owner.name not in INDEX_OPERATIONS:
            continue
        found.add(owner)
        worklist += list(owner.operands)
    return found


INDEX_OPERATIONS = frozenset(
    (
        "arith.addi",
        "arith.subi",
        "arith.muli",
        "arith.shli",
        "tile_sugar.add",
        "tile_sugar.sub",
        "tile_sugar.mul",
    )
)


def mark_unwrapped(value: SSAValue) -> None:
    """Say that the operation that makes a value does not wrap when read signed."""
    op = value.owner
    if not isinstance(op, ct.AddIOp | ct.SubIOp | ct.MulIOp | ct.ShLIOp):
        return
    if op.overflow == ct.NO_OVERFLOW_CLAIM:
        op.properties["overflow"] = IntegerOverflowAttr(IntegerOverflow.NO_SIGNED_WRAP)
