"""Places of values and operands: finer than the operation that they belong to."""

from __future__ import annotations

import re

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.diagnostics import Place
from tileir_xdsl.dialects.cuda_tile.places import (
    argument_span,
    file_position,
    place_of,
    source_span,
)

_WORD = re.compile(
    r"""
      (?P<skip>"(?:[^"\\\n]|\\.)*"|//[^\n]*)
    | (?P<next>\n[ \t]*%[\w$.-]+(?::\d+)?(?:[ \t]*,[ \t]*%[\w$.-]+(?::\d+)?)*[ \t]*=(?!=))
    | (?P<bound>%[\w$.-]+(?=[ \t]*(?:=(?!=)|in\b)))
    | (?P<use>%[\w$.-]+(?:\#\d+)?)
    """,
    re.VERBOSE,
)


def operand_place(op: Operation, index: int) -> Place:
    """The place of an operand's name in the text of `op`; that of `op` where it is not known.

    Operands stand in the text in their order. Names that an operation defines in its own text
    (`%arg = %init`, `%i in`) are no operands.
    """
    span = source_span(op)
    if span is None:
        return place_of(op)
    source, _, end = span
    count = 0
    for match in _WORD.finditer(source.text, end):
        if match["next"] is not None:
            break
        if match["use"] is None:
            continue
        if count == index:
            return Place.at(source, match.start(), match.end())
        count += 1
    return place_of(op)


def value_place(value: SSAValue) -> Place:
    """Where a value is defined: its operation, or the name of a block argument."""
    if isinstance(value, OpResult):
        return place_of(value.op)
    if (span := argument_span(value)) is not None:
        return Place.at(*span)
    assert isinstance(value, BlockArgument)
    if (position := file_position(value.location)) is not None:
        return Place.line(*position)
    owner = value.block.parent_op()
    return Place.file("<unknown>") if owner is None else place_of(owner)
