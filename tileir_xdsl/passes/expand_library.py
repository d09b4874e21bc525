"""`expand-library`: library operations as the operations that define them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.ir import Operation

from tileir_xdsl.dialects.tile_sugar.attributes import FastMathAttr
from tileir_xdsl.dialects.tile_sugar.elementwise import FASTMATH, AddOp, ElementwiseOp
from tileir_xdsl.dialects.tile_sugar.expansion import Writer, accumulating_dot, expansion_of
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_float
from tileir_xdsl.passes.reporting import count
from tileir_xdsl.passes.sugar import before, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class ExpandLibraryPass(TilePass):
    """Replaces library operations of `tile_sugar` by the operations that define them.

    Softmax and its relatives, norms, masks, `topk`, means and variances, argument reductions,
    `cumsum`, `gather_tile`, `tile_dot`, `axpy`; `ordered` reductions and products become loops,
    and `acc + dot(a, b)` with one use a product with an accumulator. Shapes stay as they are.

    `fastmath` lists licences (`afn`, `contract`, `ftz`) for the float operations that are created,
    beside those of the operation that they come from.
    """

    name = "expand-library"

    bound: ClassVar[str] = "subnormal numbers may flush to zero with `fastmath=ftz`"
    relative_error: ClassVar[float] = 1e-6

    fastmath: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for word in self.fastmath:
            if word not in FastMathAttr.FLAGS:
                known = ", ".join(FastMathAttr.FLAGS)
                raise ValueError(f"unknown fastmath flag '{word}': there are {known}")

    @property
    def keeps_results(self) -> bool:
        return "ftz" not in self.fastmath

    def run_on(self, ctx: Context, op: Operation) -> None:
        rewrite(op, lambda inner: expand(inner, self.fastmath))


class LicensingWriter(Writer):
    """Gives the float operations that it puts fast-math flags beside their own."""

    flags: tuple[str, ...] = ()

    def insert(self, op: Operation) -> Operation:
        if self.flags and isinstance(op, ElementwiseOp) and FASTMATH in op.OPTIONS:
            if is_float(element_of(op.result.type)):
                own = () if op.fastmath is None else op.fastmath.data
                op.fastmath = FastMathAttr((*own, *self.flags))
        return super().insert(op)


def expand(op: Operation, flags: tuple[str, ...] = ()) -> bool:
    """Expand an operation; whether it had an expansion."""
    expansion = expansion_of(op)
    if expansion is None:
        return False
    dot = accumulating_dot(op) if isinstance(op, AddOp) else None
    writer = before(op, cls=LicensingWriter)
    writer.flags = flags
    replace(op, expansion(writer, op))
    if dot is not None:
        dot.detach()
        dot.erase()
    count(op.name.partition(".")[2])
    return True
