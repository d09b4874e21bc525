"""What says something about a program without changing what it computes, and tokens of prints."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.constants import splat_integer, width_of
from tileir_xdsl.analysis.ranges import range_of
from tileir_xdsl.dialects.cuda_tile.arithmetic import NO_OVERFLOW_CLAIM, NegIOp, XOrIOp
from tileir_xdsl.dialects.cuda_tile.atomics import AtomicRedViewTkoOp
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp
from tileir_xdsl.dialects.cuda_tile.core import PUBLIC, EntryOp, GlobalOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.memory import MakeTokenOp
from tileir_xdsl.dialects.cuda_tile.misc import PrintTkoOp
from tileir_xdsl.dialects.cuda_tile.views import LoadViewTkoOp, StoreViewTkoOp
from tileir_xdsl.passes.canonicalization.build import constant_like
from tileir_xdsl.passes.legalization.rules import Emitter, LegalizationList
from tileir_xdsl.passes.patterns import CHANGED, Outcome, inherit_place
from tileir_xdsl.versions import V13_2, V13_3, V13_4, V13_5

LEGALIZATIONS = LegalizationList()
removing = LEGALIZATIONS.removing


def _drop_inbounds(
    op: LoadViewTkoOp | StoreViewTkoOp | AtomicRedViewTkoOp, rewriter: PatternRewriter
) -> Outcome:
    if op.inbounds is None:
        return None
    op.inbounds = None
    rewriter.notify_op_modified(op)
    return CHANGED


@removing(V13_4, LoadViewTkoOp, StoreViewTkoOp)
def unclaimed_bounds(op: LoadViewTkoOp | StoreViewTkoOp, rewriter: PatternRewriter) -> Outcome:
    """`inbounds` goes: the access checks its bounds."""
    return _drop_inbounds(op, rewriter)


@removing(V13_5, AtomicRedViewTkoOp)
def unclaimed_bounds_of_reduction(op: AtomicRedViewTkoOp, rewriter: PatternRewriter) -> Outcome:
    """`inbounds` of a reduction into a view goes."""
    return _drop_inbounds(op, rewriter)


@removing(V13_2, NegIOp)
def unclaimed_negation(op: NegIOp, rewriter: PatternRewriter) -> Outcome:
    """The promise that a negation does not overflow goes."""
    return NegIOp(op.source) if op.overflow != NO_OVERFLOW_CLAIM else None


@removing(V13_3, GlobalOp)
def plain_global(op: GlobalOp, rewriter: PatternRewriter) -> Outcome:
    """A constant or private global becomes an ordinary one."""
    if op.constant is None and op.symbol_visibility == PUBLIC:
        return None
    op.constant = None
    op.symbol_visibility = PUBLIC
    rewriter.notify_op_modified(op)
    return CHANGED


@removing(V13_3, ModuleOp)
def module_without_producer(op: ModuleOp, rewriter: PatternRewriter) -> Outcome:
    """The name of the producer goes."""
    if op.producer is None:
        return None
    op.producer = None
    rewriter.notify_op_modified(op)
    return CHANGED


@removing(V13_5, EntryOp)
def entry_without_argument_attributes(op: EntryOp, rewriter: PatternRewriter) -> Outcome:
    """Attributes of arguments go."""
    if op.arg_attrs is None:
        return None
    op.arg_attrs = None
    rewriter.notify_op_modified(op)
    return CHANGED


@removing(V13_2, PrintTkoOp)
def print_without_tokens(op: PrintTkoOp, rewriter: PatternRewriter) -> Outcome:
    """A print neither waits nor is waited for: what followed it follows what it waited for."""
    if op.token is None and op.result_token.first_use is None:
        return None
    if op.result_token.first_use is not None:
        after = op.token
        if after is None:
            after = rewriter.insert(MakeTokenOp()).result
        rewriter.replace_all_uses_with(op.result_token, after)
    plain = PrintTkoOp(op.format.data, op.args)
    plain.attributes.update(op.attributes)
    return plain


@removing(V13_2, ForOp)
def signed_for(op: ForOp, rewriter: PatternRewriter) -> Outcome:
    """An unsigned `for` is a signed one: the same where nothing is negative, else moved by half.

    Flipping the sign bits of bounds and induction variable keeps the order of unsigned numbers in
    signed comparisons, and commutes with adding the step.
    """
    if op.unsigned_cmp is None:
        return None
    if _fits_signed(op):
        op.unsigned_cmp = None
        rewriter.notify_op_modified(op)
        return CHANGED
    emit = Emitter(rewriter)
    lower, upper = (_flipped(v, emit) for v in (op.lower_bound, op.upper_bound))
    variable = op.induction_variable
    block = op.region.block
    sign = constant_like(variable, -(1 << (width_of(variable) - 1)))
    flipped = XOrIOp(variable, sign)
    for inserted in (sign, flipped):
        inherit_place(inserted, op)
    first = block.first_op
    assert first is not None
    rewriter.insert([sign, flipped], InsertPoint.before(first))
    rewriter.replace_uses_with_if(
        variable, flipped.result, lambda use: use.operation is not flipped
    )
    region = rewriter.move_region_contents_to_new_regions(op.region)
    moved = ForOp(lower, upper, op.step, op.init_values, region)
    moved.attributes.update(op.attributes)
    if op.results:
        return moved
    rewriter.insert(moved)
    rewriter.erase(op)
    return CHANGED


def _flipped(value: SSAValue, emit: Emitter) -> SSAValue:
    return emit.binary(XOrIOp, value, emit.op(constant_like(value, -(1 << (width_of(value) - 1)))))


def _fits_signed(op: ForOp) -> bool:
    """Whether signed comparison and signed steps make the same iterations."""
    step = splat_integer(op.step)
    lower, upper = range_of(op.lower_bound).signed, range_of(op.upper_bound).signed
    greatest = (1 << (width_of(op.step) - 1)) - 1
    if step is None or step <= 0 or lower[0] < 0 or upper[0] < 0:
        return False
    return upper[1] - 1 + step <= greatest
