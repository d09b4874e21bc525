"""`contract-fma`: a product and the sum that it goes into, with one rounding, where licensed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.tile_sugar import elementwise as ew
from tileir_xdsl.dialects.tile_sugar.types import element_of, is_float
from tileir_xdsl.passes.reporting import count, missed, remark
from tileir_xdsl.passes.sugar import before, replace, rewrite
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class ContractFmaPass(TilePass):
    """Fuses `a*b + c`, `c + a*b`, `a*b - c` and `c - a*b` of floats into `fma`.

    Product and sum must both carry `fastmath<contract>` and flush alike, and the product must have
    no other use. Of two products the left one is fused. Needs `legalize-elementwise`, and runs
    before fusion, which then cannot change what is contracted.
    """

    name = "contract-fma"

    bit_exact: ClassVar[bool] = False
    bound: ClassVar[str] = "the rounding error of each product that is fused"
    relative_error: ClassVar[float] = 2.0**-7

    def run_on(self, ctx: Context, op: Operation) -> None:
        rewrite(op, contract)


def contract(op: Operation) -> bool:
    """Fuse a sum or difference with its product; whether that was possible."""
    if not isinstance(op, ew.AddOp | ew.SubOp) or not op.has_flag("contract"):
        return False
    if not is_float(element_of(op.result.type)):
        return False
    for position in (0, 1):
        product = _product(op, position)
        if product is not None:
            _fuse(op, product, position)
            return True
    return False


def _product(op: ew.AddOp | ew.SubOp, position: int) -> ew.MulOp | ew.SquareOp | None:
    """The product behind an operand, when it may be fused."""
    product = op.operands[position].owner
    if not isinstance(product, ew.MulOp | ew.SquareOp):
        return None
    if not product.has_flag("contract"):
        missed(op, "not contracted with its product, which has no licence: 'contract'")
        return None
    if product.has_flag("ftz") != op.has_flag("ftz"):
        missed(op, "not contracted with its product: one of them flushes subnormal numbers")
        return None
    if product.parent is not op.parent:
        missed(op, "not contracted with its product, which is in another block")
        return None
    if not product.result.has_one_use():
        missed(op, "not contracted with its product, which has other uses")
        return None
    return product


def _fuse(op: Any, product: ew.MulOp | ew.SquareOp, position: int) -> None:
    remark(op, "contracted with its product: licensed by contract")
    w = before(op)
    a: SSAValue = product.operands[0]
    b: SSAValue = product.operands[-1]
    c: SSAValue = op.operands[1 - position]
    if op.name == ew.SubOp.name:
        if position == 0:
            c = w.of(ew.NegOp, c)
        else:
            a = w.of(ew.NegOp, a)
    flags: tuple[str, ...] = op.fastmath.data
    replace(op, [w.of(ew.FmaOp, a, b, c, fastmath=flags)])
    product.detach()
    product.erase()
    count("contracted")
