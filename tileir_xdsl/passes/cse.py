"""`cse`: operations that compute what another one has computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import Commutative, IsolatedFromAbove

from tileir_xdsl.analysis.effects import only_computes
from tileir_xdsl.dialects.cuda_tile.arithmetic import CmpFOp, CmpIOp, FmaOp
from tileir_xdsl.dialects.cuda_tile.attributes import ComparisonPredicateAttr
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.memory import JoinTokensOp
from tileir_xdsl.dialects.cuda_tile.types import short_type
from tileir_xdsl.passes.reporting import count
from tileir_xdsl.passes.tile_pass import TilePass

MIRRORED = {
    "less_than": "greater_than",
    "less_than_or_equal": "greater_than_or_equal",
    "greater_than": "less_than",
    "greater_than_or_equal": "less_than_or_equal",
}


@dataclass(frozen=True)
class CommonSubexpressionEliminationPass(TilePass):
    """Replaces an operation by an equal one that is always computed before it.

    Equal are operations of one kind on the same values with the same attributes: constants,
    arithmetic, assumptions, view constructors, block ids, reductions with equal bodies, branches
    that only compute. Operands may be in another order where the operation commutes (`a < b` is
    `b > a`, and the product of an `fma` commutes). Loads, stores and everything else with effects
    stay. The one that is kept keeps its location.
    """

    name = "cse"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for region in op.regions:
            _Elimination().region(region)


@dataclass
class _Elimination:
    known: dict[object, Operation] = field(default_factory=dict[object, Operation])
    """What is computed before the current operation on every path to it."""

    def region(self, region: Region) -> None:
        for block in region.blocks:
            added: list[object] = []
            for op in list(block.ops):
                self.operation(op, added)
            for key in added:
                del self.known[key]

    def operation(self, op: Operation, added: list[object]) -> None:
        if op.has_trait(IsolatedFromAbove, value_if_unregistered=True):
            for region in op.regions:
                _Elimination().region(region)
            return
        for region in op.regions:
            self.region(region)
        if not op.results or not only_computes(op):
            return
        key = operation_key(op)
        existing = self.known.get(key)
        if existing is None:
            self.known[key] = op
            added.append(key)
            return
        for old, new in zip(op.results, existing.results, strict=True):
            old.replace_all_uses_with(new)
        assert op.parent is not None
        op.parent.erase_op(op)
        count("merged")


def operation_key(op: Operation, local: dict[SSAValue, int] | None = None) -> object:
    """A key that is equal for operations that compute the same.

    `local` numbers the values of a region that is part of the key, which are the same where they
    stand in the same place.
    """
    names: dict[SSAValue, int] = {} if local is None else local
    operands = [_value_key(value, names) for value in op.operands]
    properties = tuple(
        (name, _attribute_key(value)) for name, value in sorted(op.properties.items())
    )
    operands, properties = _ordered(op, operands, properties)
    return (
        type(op),
        tuple(operands),
        tuple(short_type(result.type) for result in op.results),
        properties,
        tuple(sorted(op.attributes.items(), key=lambda entry: entry[0])),
        tuple(_region_key(region, names) for region in op.regions),
    )


ValueKey = tuple[bool, int]
Properties = tuple[tuple[str, object], ...]


def _value_key(value: SSAValue, local: dict[SSAValue, int]) -> ValueKey:
    number = local.get(value)
    return (False, id(value)) if number is None else (True, number)


def _attribute_key(attribute: Attribute) -> object:
    if isinstance(attribute, DenseElementsAttr):
        return short_type(attribute.type), attribute.raw
    return attribute


def _ordered(
    op: Operation, operands: list[ValueKey], properties: Properties
) -> tuple[Sequence[ValueKey], Properties]:
    """Operands in one order where their order does not matter."""
    if op.has_trait(Commutative, value_if_unregistered=False) or isinstance(op, JoinTokensOp):
        return sorted(operands), properties
    if isinstance(op, FmaOp):
        return [*sorted(operands[:2]), operands[2]], properties
    if isinstance(op, CmpIOp | CmpFOp) and operands[0] > operands[1]:
        mirrored = tuple(
            (name, _mirrored(value)) if name == "comparison_predicate" else (name, value)
            for name, value in properties
        )
        return operands[::-1], mirrored
    return operands, properties


def _mirrored(predicate: object) -> object:
    assert isinstance(predicate, ComparisonPredicateAttr)
    keyword = MIRRORED.get(predicate.keyword, predicate.keyword)
    return ComparisonPredicateAttr(type(predicate.data)(keyword))


def _region_key(region: Region, local: dict[SSAValue, int]) -> object:
    return tuple(_block_key(block, local) for block in region.blocks)


def _block_key(block: Block, local: dict[SSAValue, int]) -> object:
    for argument in block.args:
        local[argument] = len(local)
    keys: list[object] = [tuple(short_type(argument.type) for argument in block.args)]
    for op in block.ops:
        keys.append(operation_key(op, local))
        for result in op.results:
            local[result] = len(local)
    return tuple(keys)
