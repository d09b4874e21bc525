"""Which values are used where."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.types import TileType, bit_width


def values_from_outside(op: Operation) -> Iterator[SSAValue]:
    """The values that `op` and what it contains use but do not define, with repetitions."""
    yield from op.operands
    for region in op.regions:
        for inner in region.walk():
            for value in inner.operands:
                if not op.is_ancestor(value.owner):
                    yield value


def is_used_after(value: SSAValue, op: Operation) -> bool:
    """Whether a value is used by what follows `op` in the block of `op`, or inside that.

    `op` must be in the block that defines the value, or in one nested in it.
    """
    block = op.parent
    assert block is not None
    for use in value.uses:
        user = ancestor_in_block(use.operation, block)
        if user is not None and op is not user and op.is_before_in_block(user):
            return True
    return False


def ancestor_in_block(op: Operation, block: Block) -> Operation | None:
    """`op`, or the operation around it, that stands directly in `block`."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def live_values(block: Block) -> list[frozenset[SSAValue]]:
    """For each operation of a block, the values that are defined before it and used by it or later.

    Values from outside the block count as long as the block still uses them.
    """
    live: set[SSAValue] = set()
    result: list[frozenset[SSAValue]] = []
    for op in reversed(list(block.ops)):
        live.difference_update(op.results)
        live.update(values_from_outside(op))
        result.append(frozenset(live))
    return result[::-1]


def live_bits(block: Block) -> int:
    """The most bits of tiles that are live at once before an operation of a block."""
    return max((sum(map(_bits, live)) for live in live_values(block)), default=0)


def _bits(value: SSAValue) -> int:
    type = value.type
    if not isinstance(type, TileType):
        return 0
    element = type.element_type
    return type.num_elements * (64 if element.name == "cuda_tile.ptr" else bit_width(element))
