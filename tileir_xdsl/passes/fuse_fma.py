"""`fuse-fma`: a product and the sum that it goes into, with one rounding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from xdsl.context import Context
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.dialects.cuda_tile.arithmetic import AddFOp, FmaOp, MulFOp, NegFOp, SubFOp
from tileir_xdsl.passes.patterns import (
    CHANGED,
    Outcome,
    Pattern,
    fuse_locations,
    inherit_place,
    rewrite_greedily,
)
from tileir_xdsl.passes.reporting import missed, remark
from tileir_xdsl.passes.tile_pass import TilePass


@dataclass(frozen=True)
class FuseFmaPass(TilePass):
    """Fuses `a*b + c`, `c + a*b`, `a*b - c` and `c - a*b` into `fma`.

    Product and sum must round the same way and flush alike, and the product must have no other
    use. Of two products, `a*b + c*d` and `a*b - c*d`, the left one is fused, always. The assembler
    contracts nothing by itself.

    Changes results: the product is no longer rounded before the sum, which moves a result by at
    most the rounding error of the product. Never fuses across different roundings, and never
    through a conversion.
    """

    name = "fuse-fma"

    bit_exact: ClassVar[bool] = False
    bound: ClassVar[str] = "the rounding error of each product that is fused"
    relative_error: ClassVar[float] = 2.0**-7

    duplicate: bool = False
    """Also fuse products with other uses, which are then computed twice."""

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            rewrite_greedily(region, fma_patterns(self.duplicate), remove_dead=False)


def fma_patterns(duplicate: bool) -> list[Pattern]:
    """The pass's patterns."""
    return [
        Pattern("fuse-sum", (AddFOp,), partial(fuse_sum, duplicate=duplicate)),
        Pattern("fuse-difference", (SubFOp,), partial(fuse_difference, duplicate=duplicate)),
    ]


def fuse_sum(op: AddFOp, rewriter: PatternRewriter, duplicate: bool = False) -> Outcome:
    """`a*b + c` and `c + a*b` are `fma(a, b, c)`."""
    for product_value, addend in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        product = _product(product_value, op, duplicate)
        if product is not None:
            return _fused(op, product, product.lhs, product.rhs, addend, rewriter)
    return None


def fuse_difference(op: SubFOp, rewriter: PatternRewriter, duplicate: bool = False) -> Outcome:
    """`a*b - c` is `fma(a, b, -c)`, `c - a*b` is `fma(-a, b, c)`."""
    product = _product(op.lhs, op, duplicate)
    if product is not None:
        negated = _negated(op.rhs, op, rewriter)
        return _fused(op, product, product.lhs, product.rhs, negated, rewriter)
    product = _product(op.rhs, op, duplicate)
    if product is not None:
        negated = _negated(product.lhs, product, rewriter)
        return _fused(op, product, negated, product.rhs, op.lhs, rewriter)
    return None


def _product(value: SSAValue, op: AddFOp | SubFOp, duplicate: bool) -> MulFOp | None:
    """The product behind a value, when it can be fused into `op`."""
    product = value.owner
    if not isinstance(product, MulFOp):
        return None
    if product.rounding_mode != op.rounding_mode or product.flush_to_zero != op.flush_to_zero:
        missed(op, "not fused with its product: they round or flush differently")
        return None
    if not duplicate and not value.has_one_use():
        missed(op, "not fused with its product, which has other uses; 'duplicate' allows it")
        return None
    return product


def _negated(value: SSAValue, original: Operation, rewriter: PatternRewriter) -> SSAValue:
    negation = NegFOp(value)
    inherit_place(negation, original)
    return rewriter.insert(negation).result


def _fused(
    op: AddFOp | SubFOp,
    product: MulFOp,
    a: SSAValue,
    b: SSAValue,
    c: SSAValue,
    rewriter: PatternRewriter,
) -> Outcome:
    remark(op, "fused with its product")
    fma = FmaOp(
        a,
        b,
        c,
        properties={"rounding_mode": op.rounding_mode, "flush_to_zero": op.flush_to_zero},
    )
    fuse_locations(fma, op, product)
    rewriter.replace(op, fma)
    if product.result.first_use is None:
        rewriter.erase(product)
    return CHANGED
