"""Operations on constants."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import constant_of
from tileir_xdsl.dialects.cuda_tile.core import ConstantOp
from tileir_xdsl.passes.canonicalization.evaluate import EVALUATORS, evaluate
from tileir_xdsl.passes.patterns import Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at


@rooted_at(*EVALUATORS)
def fold_constants(op: Operation, rewriter: PatternRewriter) -> Outcome:
    """An operation with an exactly specified result is computed when its operands are constant.

    Splats of any size, other constants up to 64 elements. Not where an element is undefined, and
    not where arithmetic makes a NaN, whose bits are the device's own.
    """
    constants = [constant_of(value) for value in op.operands]
    known = [elements for elements in constants if elements is not None]
    if len(known) != len(constants):
        return None
    result = evaluate(op, known)
    return None if result is None else ConstantOp(result)
