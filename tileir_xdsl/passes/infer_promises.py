"""`infer-promises`: accesses that provably start, or lie, inside their tensor say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC
from tileir_xdsl.dialects.tile_sugar import kernel as sugar
from tileir_xdsl.dialects.tile_sugar import memory
from tileir_xdsl.dialects.tile_sugar.types import TensorType, shape_of
from tileir_xdsl.passes.reporting import missed, remark
from tileir_xdsl.passes.sugar import operations
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class InferPromisesPass(TilePass):
    """Marks slices of parameters as `inside` or `full` where that is proven.

    A block's index is below what `grid(..)` says, a loop's variable below its bound, and an extent
    is a multiple of what the kernel promises. A start is known when it is a constant, a block's
    index, a loop's variable, or a constant times one of the two. Remarks name the missing fact.
    """

    name = "infer-promises"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for kernel in operations(op.regions):
            if isinstance(kernel, sugar.KernelOp):
                for inner in kernel.walk():
                    if isinstance(inner, memory.LoadOp | memory.StoreOp):
                        _infer(kernel, inner)


def _infer(kernel: sugar.KernelOp, op: memory.LoadOp | memory.StoreOp) -> None:
    tensor: SSAValue = op.tensor
    if "full" in op.properties or tensor not in kernel.body.block.args:
        return
    tile = op.result if isinstance(op, memory.LoadOp) else op.value
    shape = op.extents or shape_of(tile.type)
    facts = [
        _Start(kernel, tensor, dim, extent).of(start)
        for dim, (start, extent) in enumerate(zip(op.all_indices(), shape, strict=True))
    ]
    if all(fact.full for fact in facts):
        op.properties["full"] = UnitAttr()
        remark(op, "full: proven")
        return
    missing = next(fact.missing for fact in facts if not fact.full)
    missed(op, f"'full' not provable: {missing}")
    if all(fact.inside for fact in facts):
        op.properties["inside"] = UnitAttr()


@dataclass(frozen=True)
class _Fact:
    """What is proven of an access along one dimension."""

    inside: bool
    full: bool
    missing: str = ""


class _Start:
    """Looks at the start of an access along one dimension of a parameter."""

    def __init__(self, kernel: sugar.KernelOp, tensor: SSAValue, dim: int, reach: int) -> None:
        self.kernel = kernel
        self.tensor = cast(BlockArgument, tensor)
        self.dim = dim
        self.reach = reach
        """Elements that are accessed."""
        type = tensor.type
        assert isinstance(type, TensorType)
        static = type.get_shape()[dim]
        self.extent = None if static == DYNAMIC else static
        self.multiple = self._multiple() if self.extent is None else self.extent
        """A number that divides the extent."""

    @property
    def name(self) -> str:
        return f"extent {self.dim} of %{self.kernel.names[self.tensor.index]}"

    def of(self, start: SSAValue | int) -> _Fact:
        constant = start if isinstance(start, int) else _constant(start)
        if constant is not None:
            return self._constant(constant)
        assert isinstance(start, SSAValue)
        base, factor = _scaled(start)
        if isinstance(base.owner, sugar.BlockIdOp):
            return self._block(base.owner.dimension, factor)
        if isinstance(base, BlockArgument) and base.index == 0:
            loop = base.block.parent_op()
            if isinstance(loop, scf.ForOp) and factor == 1:
                return self._loop(loop)
        return _Fact(False, False, f"the start along {self.name} has no known bound")

    def _constant(self, start: int) -> _Fact:
        if self.extent is None:
            return _Fact(False, False, f"{self.name} may be small")
        inside = 0 <= start < self.extent
        full = inside and start + self.reach <= self.extent
        return _Fact(inside, full, f"{self.name} is {self.extent}")

    def _block(self, dimension: int, factor: int) -> _Fact:
        """The start is a block's index times a factor."""
        grid = self.kernel.grid_map()
        if grid is None or dimension >= len(grid.results):
            return _Fact(False, False, "the kernel states no grid for the block's index")
        blocks = grid.results[dimension]
        if isinstance(blocks, AffineConstantExpr):
            return self._last((blocks.value - 1) * factor)
        step = self._covered(blocks)
        if step is None or factor > step:
            return _Fact(False, False, f"the grid does not divide {self.name} by {factor} or more")
        return self._steps(factor if factor == step else 0)

    def _last(self, last: int) -> _Fact:
        """The start is from 0 to a number."""
        if self.extent is None:
            return _Fact(False, False, f"{self.name} is not bounded from below")
        full = last + self.reach <= self.extent
        return _Fact(last < self.extent, full, f"{self.name} is {self.extent}")

    def _covered(self, blocks: AffineExpr) -> int | None:
        """What the extent is divided by to get the number of blocks."""
        step = 1
        if isinstance(blocks, AffineBinaryOpExpr) and blocks.kind is AffineBinaryOpKind.CeilDiv:
            if not isinstance(blocks.rhs, AffineConstantExpr):
                return None
            step, blocks = blocks.rhs.value, blocks.lhs
        if not isinstance(blocks, AffineDimExpr):
            return None
        argument = sugar.grid_values(self.kernel.arguments)[blocks.position]
        own = (argument.kind, argument.parameter, argument.dim)
        return step if own == ("extent", self.tensor.index, self.dim) and step > 0 else None

    def _loop(self, loop: scf.ForOp) -> _Fact:
        lower, step = _constant(loop.lb), _constant(loop.step)
        if lower is None or step is None or lower < 0 or step < 1:
            return _Fact(False, False, "the loop has no constant start and step")
        bound = loop.ub.owner
        upper = _constant(loop.ub)
        if self.extent is not None and upper is not None:
            return self._last(lower + (upper - 1 - lower) // step * step)
        same = isinstance(bound, sugar.ExtentOp) and bound.tensor is self.tensor
        if not same or cast(sugar.ExtentOp, bound).dimension != self.dim:
            return _Fact(False, False, f"the loop does not end at {self.name}")
        return self._steps(step if lower % step == 0 else 0)

    def _steps(self, step: int) -> _Fact:
        """The start is below the extent, and a multiple of `step` unless that is 0."""
        if not step or self.reach > step:
            return _Fact(True, False, f"an access along {self.name} is longer than a step")
        if self.multiple % step:
            return _Fact(True, False, f"{self.name} has no `multiple` of {step}")
        return _Fact(True, True)

    def _multiple(self) -> int:
        value = self.kernel.promises(self.tensor.index).get("multiple")
        numbers = None if value is None else sugar.promise_values(value)
        return 1 if not numbers else max(1, numbers[self.dim])


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        return None
    return cast("IntegerAttr[Any]", owner.value).value.data


def _scaled(value: SSAValue) -> tuple[SSAValue, int]:
    """A value as another times a positive constant."""
    owner = value.owner
    if isinstance(owner, arith.MuliOp):
        for other, factor in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
            constant = _constant(factor)
            if constant is not None and constant > 0:
                return other, constant
    return value, 1
