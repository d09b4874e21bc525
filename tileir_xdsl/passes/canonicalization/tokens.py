"""Tokens, and memory operations that do nothing."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.analysis.constants import is_true, is_zero
from tileir_xdsl.analysis.tokens import (
    TOKEN_ORDERED,
    comes_after,
    token_of,
)
from tileir_xdsl.dialects.cuda_tile.memory import (
    JoinTokensOp,
    LoadPtrTkoOp,
    MakeTokenOp,
    MemoryFenceAliasTkoOp,
    StorePtrTkoOp,
)
from tileir_xdsl.dialects.cuda_tile.views import LoadViewTkoOp
from tileir_xdsl.passes.patterns import CHANGED, Outcome, PatternList

PATTERNS = PatternList()
rooted_at = PATTERNS.rooted_at

SEGMENT_SIZES = AttrSizedOperandSegments.attribute_name


@rooted_at(JoinTokensOp)
def join_implied_tokens(op: JoinTokensOp, rewriter: PatternRewriter) -> Outcome:
    """A token goes from a join when it is there twice, after nothing, or before another one."""
    needed: list[SSAValue] = []
    for token in op.tokens:
        if token in needed or isinstance(token.owner, MakeTokenOp):
            continue
        if any(other is not token and comes_after(other, token) for other in op.tokens):
            continue
        needed.append(token)
    if len(needed) == len(op.tokens):
        return None
    if not needed:
        return op.tokens[0]
    return needed[0] if len(needed) == 1 else JoinTokensOp(*needed)


@rooted_at(JoinTokensOp)
def join_of_joins(op: JoinTokensOp, rewriter: PatternRewriter) -> Outcome:
    """A join that only another join uses is part of that one."""
    tokens: list[SSAValue] = []
    for token in op.tokens:
        inner = token.owner
        if isinstance(inner, JoinTokensOp) and token.has_one_use():
            tokens.extend(inner.tokens)
        else:
            tokens.append(token)
    return JoinTokensOp(*tokens) if len(tokens) > len(op.tokens) else None


@rooted_at(*(cls for cls in TOKEN_ORDERED if cls is not MemoryFenceAliasTkoOp))
def wait_for_nothing(op: Operation, rewriter: PatternRewriter) -> Outcome:
    """An operation that waits for a token after nothing does not wait."""
    token = token_of(op)
    if token is None or not isinstance(token.owner, MakeTokenOp):
        return None
    # The token is the last operand of all these operations.
    op.operands = op.operands[:-1]
    sizes = op.properties.get(SEGMENT_SIZES)
    if sizes is not None:
        groups = cast("DenseArrayBase[IntegerType]", sizes).get_values()
        op.properties[SEGMENT_SIZES] = DenseArrayBase.from_list(i32, [*groups[:-1], 0])
    rewriter.notify_op_modified(op)
    return CHANGED


# Accesses that do nothing.

UNSYNCHRONIZED = ("weak", "relaxed")
"""Orderings of accesses that give no order to other accesses."""


def _skip(op: LoadPtrTkoOp | LoadViewTkoOp | StorePtrTkoOp, rewriter: PatternRewriter) -> SSAValue:
    """The token that stands for an access that does not happen."""
    if op.token is not None:
        return op.token
    return rewriter.insert(MakeTokenOp()).result


@rooted_at(LoadPtrTkoOp, LoadViewTkoOp)
def load_nothing_uses(op: LoadPtrTkoOp | LoadViewTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A load whose tile nobody uses goes, unless it acquires."""
    if op.results[0].first_use is not None:
        return None
    if op.memory_ordering_semantics.keyword not in UNSYNCHRONIZED:
        return None
    if op.result_token.first_use is not None:
        rewriter.replace_all_uses_with(op.result_token, _skip(op, rewriter))
    rewriter.erase(op)
    return CHANGED


@rooted_at(StorePtrTkoOp)
def store_nowhere(op: StorePtrTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A store whose mask is false everywhere goes, unless it releases."""
    if op.mask is None or not is_zero(op.mask):
        return None
    if op.memory_ordering_semantics.keyword not in UNSYNCHRONIZED:
        return None
    return _skip(op, rewriter)


@rooted_at(LoadPtrTkoOp)
def load_from_nowhere(op: LoadPtrTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A load whose mask is false everywhere gives its padding, unless it acquires."""
    if op.mask is None or not is_zero(op.mask) or op.padding_value is None:
        return None
    if op.memory_ordering_semantics.keyword not in UNSYNCHRONIZED:
        return None
    return [op.padding_value, _skip(op, rewriter)]


@rooted_at(LoadPtrTkoOp)
def load_everywhere(op: LoadPtrTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A mask that is true everywhere is none."""
    if op.mask is None or not is_true(op.mask):
        return None
    load = LoadPtrTkoOp(
        op.source,
        token=op.token,
        ordering=op.memory_ordering_semantics,
        scope=op.memory_scope,
        hints=op.optimization_hints,
    )
    load.attributes.update(op.attributes)
    return load


@rooted_at(StorePtrTkoOp)
def store_everywhere(op: StorePtrTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A mask that is true everywhere is none."""
    if op.mask is None or not is_true(op.mask):
        return None
    store = StorePtrTkoOp(
        op.destination,
        op.value,
        token=op.token,
        ordering=op.memory_ordering_semantics,
        scope=op.memory_scope,
        hints=op.optimization_hints,
    )
    store.attributes.update(op.attributes)
    return store
