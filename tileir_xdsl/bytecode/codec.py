"""The layout of instructions, compiled from the operations' declarations for one version.

Nothing here knows an operation: `wire_layout` derives the layout from the IRDL definition, and a
plan is that layout with everything decided that depends on the version alone.
Source: `bytecode.md` section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AttrSizedOperandSegments,
    RangeLengthConstraint,
    RangeOf,
    SingleBlockRegionDef,
)
from xdsl.traits import IsTerminator

from tileir_xdsl.bytecode.attributes import PUT, READ, enum_reader
from tileir_xdsl.bytecode.cursor import Cursor
from tileir_xdsl.bytecode.varint import varint
from tileir_xdsl.dialects.cuda_tile import OPERATIONS
from tileir_xdsl.dialects.cuda_tile.base import (
    CudaTileOp,
    WireLayout,
    WireProperty,
    wire_layout,
)
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, GlobalOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.nesting import MAX_NESTING
from tileir_xdsl.versions import Version

if TYPE_CHECKING:
    from tileir_xdsl.bytecode.reader import Reader
    from tileir_xdsl.bytecode.writer import Writer

MAX_REGION_DEPTH = MAX_NESTING - 2
"""Regions inside each other in a body; those of the module and of the entry count in text."""

TOP_LEVEL: tuple[type[CudaTileOp], ...] = (ModuleOp, EntryOp, GlobalOp)
"""Operations that have an opcode and never stand in a body."""

SEGMENT_SIZES = AttrSizedOperandSegments.attribute_name

PREVIEW_OPCODES = range(0x4000, 0x5000)
TESTING_OPCODES = range(0x3000, 0x4000)


class PropertyPlan(NamedTuple):
    name: str
    put: Callable[[Writer, bytearray, Attribute], None]
    read: Callable[[Reader, Cursor], Attribute] | None
    """None for constant data, whose reading needs the type of the result."""
    bit: int
    """Its bit of the flags word, as a mask; 0 when the property is always there."""
    default: Attribute | None
    computed: bool
    """Whether the operation computes the default."""


class LateField(NamedTuple):
    """Something of an operation that came after the version."""

    name: str
    since: Version
    default: Attribute | None
    computed: bool


class OperandPlan(NamedTuple):
    name: str
    least: int
    most: int | None
    """How many values it can be; a variadic one (without a limit) carries its count."""
    bit: int
    """Mask of the presence bit of an optional operand of an operation with segments."""
    late: Version | None
    """The version that introduced it, when that is newer than the plan's."""


@dataclass(frozen=True)
class Plan:
    """Everything about the instruction of an operation class in one version."""

    cls: type[CudaTileOp]
    name: str
    opcode: bytes
    counts_results: bool
    min_results: int
    max_results: int | None
    late_results: tuple[LateField, ...]
    late_result_types: tuple[Attribute, ...]
    has_flags: bool
    known_flags: int
    """Mask of the bits that the version defines."""
    unit_bits: tuple[tuple[str, int], ...]
    property_bits: tuple[tuple[str, int], ...]
    """Masks of all flagged properties, units included."""
    properties: tuple[PropertyPlan, ...]
    late_properties: tuple[LateField, ...]
    computed: tuple[str, ...]
    """Properties with a computed default, left out when they have it."""
    segments: tuple[OperandPlan, ...] | None
    counted: bool
    min_operands: int
    max_operands: int | None
    regions: tuple[bool, ...]
    """For each region, whether it can be without a block."""
    is_terminator: bool


@cache
def plans_by_class(version: Version) -> dict[type[Operation], Plan]:
    """The plans of all operations that a version has and that occur in bodies."""
    return {
        cls: _compile(cls, version)
        for cls in OPERATIONS
        if cls.SINCE <= version and cls not in TOP_LEVEL
    }


@cache
def plans_by_opcode(version: Version) -> dict[int, Plan]:
    return {cls.OPCODE: plan for cls, plan in plans_by_class(version).items()}  # pyright: ignore


def _compile(cls: type[CudaTileOp], version: Version) -> Plan:
    layout = wire_layout(cls)
    bits = {name: 1 << k for k, (name, since) in enumerate(layout.flags) if since <= version}
    properties = [p for p in layout.properties if p.since <= version]
    units = tuple((p.name, bits[p.name]) for p in properties if p.encoding == "unit")
    flagged = tuple((p.name, bits[p.name]) for p in properties if p.flagged)
    min_results, max_results = _count_range(layout.results, version)
    min_operands, max_operands = _count_range(layout.operands, version)
    late_results = tuple(
        LateField(r.name, r.since, None, False) for r in layout.results if r.since > version
    )
    return Plan(
        cls=cls,
        name=cls.name,
        opcode=varint(layout.opcode),
        counts_results=layout.counts_results,
        min_results=min_results,
        max_results=max_results,
        late_results=late_results,
        late_result_types=tuple(_only_type(cls, result.name) for result in late_results),
        has_flags=bool(bits),
        known_flags=sum(bits.values()),
        unit_bits=units,
        property_bits=flagged,
        properties=tuple(_property_plan(cls, p, bits) for p in properties if p.encoding != "unit"),
        late_properties=tuple(
            LateField(p.name, p.since, p.default, p.name in cls.COMPUTED_DEFAULTS)
            for p in layout.properties
            if p.since > version
        ),
        computed=tuple(p.name for p in properties if p.name in cls.COMPUTED_DEFAULTS),
        segments=_segments(layout, bits, version) if layout.segments else None,
        counted=layout.counted,
        min_operands=min_operands,
        max_operands=max_operands,
        regions=tuple(
            not isinstance(region, SingleBlockRegionDef)
            for _, region in cls.get_irdl_definition().regions
        ),
        is_terminator=cls.has_trait(IsTerminator),
    )


def _property_plan(cls: type[CudaTileOp], prop: WireProperty, bits: dict[str, int]) -> PropertyPlan:
    read = enum_reader(prop.enum) if prop.enum is not None else READ.get(prop.encoding)
    return PropertyPlan(
        name=prop.name,
        put=PUT[prop.encoding],
        read=read,
        bit=bits[prop.name] if prop.flagged else 0,
        default=prop.default,
        computed=prop.name in cls.COMPUTED_DEFAULTS,
    )


def _count_range(values: tuple[Any, ...], version: Version) -> tuple[int, int | None]:
    """The smallest and the largest number of operands or results in a version."""
    present = [value for value in values if value.since <= version]
    fixed = sum(not value.variadic and not value.optional for value in present)
    if any(value.variadic for value in present):
        return fixed, None
    return fixed, len(present)


def _segments(
    layout: WireLayout, bits: dict[str, int], version: Version
) -> tuple[OperandPlan, ...]:
    return tuple(
        OperandPlan(
            name=operand.name,
            least=int(not (operand.variadic or operand.optional)),
            most=None if operand.variadic else 1,
            bit=bits.get(operand.name, 0),
            late=operand.since if operand.since > version else None,
        )
        for operand in layout.operands
    )


def _only_type(cls: type[CudaTileOp], result: str) -> Attribute:
    """The one type that a result can have, for files in which it does not exist yet."""
    constraint = dict(cls.get_irdl_definition().results)[result].constr
    assert isinstance(constraint, RangeLengthConstraint)
    assert isinstance(constraint.constraint, RangeOf)
    bases = constraint.constraint.constr.get_bases()
    assert bases is not None
    assert len(bases) == 1
    return bases.pop()()


@lru_cache(maxsize=1024)
def segment_sizes(sizes: tuple[int, ...]) -> Attribute:
    """The property that holds the sizes of an operation's operand segments."""
    return DenseArrayBase.from_list(i32, sizes)
