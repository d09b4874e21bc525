"""Atomic operations. Specification: section Atomics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import bf16, f16, f32, f64, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.arithmetic import element_type
from tileir_xdsl.dialects.cuda_tile.attributes import (
    AtomicRMWModeAttr,
    MemoryOrderingAttr,
    MemoryScopeAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_TILE,
    BOOL_ARRAY_PROP,
    I1_TILE,
    INT_TILE,
    POINTER_TILE,
    SEGMENTS,
    TILE_VIEW,
    TOKEN,
    CudaTileOp,
    SetName,
    cuda_tile_op,
    same,
)
from tileir_xdsl.dialects.cuda_tile.memory import (
    check_mask,
    check_ordering,
    check_pointee,
    is_multicast,
    name_results,
    parse_ordering,
    print_ordering,
    print_token_clause,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    bool_array,
    check_count,
    index_types_text,
    parse_enum,
    parse_operands,
    parse_optional_clause,
    parse_result_types,
    parse_types,
    print_values,
    resolve,
    types_text,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    parse_short_type,
    short_type,
    token,
)
from tileir_xdsl.dialects.cuda_tile.views import (
    ViewAccessOp,
    parse_access_tail,
    parse_attributes,
    parse_optional_types,
    print_inbounds,
    print_indices,
    print_spaced_token,
    resolve_indices,
    tail_properties,
    token_operand,
)
from tileir_xdsl.versions import V13_3, V13_5, Version

ORDERINGS = ("relaxed", "acquire", "release", "acq_rel")
TOKEN_TYPE = token


def check_mode(mode: AtomicRMWModeAttr, element: Attribute | None) -> None:
    """Element types that an atomic read-modify-write takes."""
    word = mode.keyword
    if word == "addf":
        allowed, names = (f16, bf16, f32, f64), "f16, bf16, f32 or f64"
    elif word == "xchg":
        allowed, names = (i32, i64, f32, f64), "i32, i64, f32 or f64"
    else:
        allowed, names = (i32, i64), "i32 or i64"
    if element in allowed:
        return
    hint = "; use addf for floats" if word == "add" and element in (f16, bf16, f32, f64) else ""
    shown = "nothing" if element is None else short_type(element)
    raise VerifyException(f"atomic {word} needs {names} elements, but got '{shown}'{hint}")


def require_scope(parser: Parser, properties: Mapping[str, Attribute]) -> None:
    if "memory_scope" not in properties:
        parser.raise_error("expected a memory scope: tl_blk, device or sys")


@cuda_tile_op
class AtomicCASTkoOp(CudaTileOp):
    """Compare and swap per element; answers the old values."""

    name = "cuda_tile.atomic_cas_tko"
    OPCODE: ClassVar = 0x07
    pointers = operand_def(POINTER_TILE)
    cmp = operand_def(same("V", ANY_TILE))
    val = operand_def(same("V", ANY_TILE))
    mask = opt_operand_def(I1_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    result = result_def(same("V", ANY_TILE))
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def get_asm_result_names(self, set_name: SetName) -> None:
        name_results(self, set_name)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicCASTkoOp:
        properties = parse_ordering(parser)
        require_scope(parser, properties)
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        if parser.parse_optional_punctuation(",") is not None:
            operands.append(parser.parse_unresolved_operand())
        token_value = parse_optional_clause(parser, "token")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        # The type of `cmp` is that of `val` and not repeated.
        check_count(parser, "operand type", len(types), len(operands) - 1, position)
        types.insert(1, types[1])
        parser.parse_punctuation("->")
        results = parse_result_types(parser, 2)
        values = resolve(parser, operands, types)
        return cls.build(
            operands=[
                *values[:3],
                values[3] if len(values) > 3 else None,
                token_operand(parser, token_value),
            ],
            result_types=results,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        values = [v for v in (self.pointers, self.cmp, self.val, self.mask) if v is not None]
        printer.print_string(" ")
        print_values(printer, values)
        print_token_clause(printer, self.token)
        printer.print_op_attributes(self.attributes)
        typed = [values[0], *values[2:]]
        printer.print_string(f" : {types_text(typed)} -> {types_text(self.results)}")

    def verify_(self) -> None:
        check_pointee(self.pointers, self.val)
        check_mask(self.mask, self.val)
        element = element_type(self.val)
        if element not in (i32, i64, f32, f64):
            shown = short_type(element) if element is not None else "nothing"
            raise VerifyException(
                f"compare and swap needs i32, i64, f32 or f64 elements, but got '{shown}'"
            )
        check_ordering(self.memory_ordering_semantics, ORDERINGS, self.memory_scope)
        if is_multicast(self.pointers):
            raise VerifyException("atomics do not take multicast pointers")


@cuda_tile_op
class AtomicRMWTkoOp(CudaTileOp):
    """Read, modify and write per element; answers the old values."""

    name = "cuda_tile.atomic_rmw_tko"
    OPCODE: ClassVar = 0x08
    pointers = operand_def(POINTER_TILE)
    arg = operand_def(same("V", ANY_TILE))
    mask = opt_operand_def(I1_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    mode = prop_def(AtomicRMWModeAttr)
    result = result_def(same("V", ANY_TILE))
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        pointers: SSAValue | Operation,
        mode: AtomicRMWModeAttr,
        arg: SSAValue | Operation,
        *,
        ordering: MemoryOrderingAttr,
        scope: MemoryScopeAttr,
        mask: SSAValue | Operation | None = None,
        token: SSAValue | Operation | None = None,
    ) -> None:
        super().__init__(
            operands=[pointers, arg, mask, token],
            result_types=[SSAValue.get(arg).type, TOKEN_TYPE],
            properties={
                "memory_ordering_semantics": ordering,
                "memory_scope": scope,
                "mode": mode,
            },
        )

    def get_asm_result_names(self, set_name: SetName) -> None:
        name_results(self, set_name)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWTkoOp:
        properties = parse_ordering(parser)
        require_scope(parser, properties)
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        properties["mode"] = parse_enum(parser, AtomicRMWModeAttr)
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        if parser.parse_optional_punctuation(",") is not None:
            operands.append(parser.parse_unresolved_operand())
        token_value = parse_optional_clause(parser, "token")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        check_count(parser, "operand type", len(types), len(operands), position)
        parser.parse_punctuation("->")
        results = parse_result_types(parser, 2)
        values = resolve(parser, operands, types)
        return cls.build(
            operands=[
                *values[:2],
                values[2] if len(values) > 2 else None,
                token_operand(parser, token_value),
            ],
            result_types=results,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        printer.print_string(" ")
        printer.print_ssa_value(self.pointers)
        printer.print_string(f", {self.mode.keyword}, ")
        values = [self.arg] if self.mask is None else [self.arg, self.mask]
        print_values(printer, values)
        print_token_clause(printer, self.token)
        printer.print_op_attributes(self.attributes)
        printer.print_string(
            f" : {types_text((self.pointers, *values))} -> {types_text(self.results)}"
        )

    def verify_(self) -> None:
        check_pointee(self.pointers, self.arg)
        check_mask(self.mask, self.arg)
        check_mode(self.mode, element_type(self.arg))
        check_ordering(self.memory_ordering_semantics, ORDERINGS, self.memory_scope)
        if is_multicast(self.pointers):
            raise VerifyException("atomics do not take multicast pointers")


@cuda_tile_op
class AtomicRedViewTkoOp(ViewAccessOp):
    """Atomically reduces one tile into a view (13.3)."""

    name = "cuda_tile.atomic_red_view_tko"
    OPCODE: ClassVar = 0x75
    SINCE: ClassVar[Version] = V13_3
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"inbounds": V13_5}
    INDICES_HAVE_ONE_TYPE: ClassVar[bool] = False
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    value = operand_def(ANY_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    mode = prop_def(AtomicRMWModeAttr)
    inbounds = opt_prop_def(BOOL_ARRAY_PROP)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        view: SSAValue | Operation,
        index: Sequence[SSAValue | Operation],
        mode: AtomicRMWModeAttr,
        value: SSAValue | Operation,
        *,
        ordering: MemoryOrderingAttr,
        scope: MemoryScopeAttr,
        token: SSAValue | Operation | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        super().__init__(
            operands=[view, index, value, token],
            result_types=[TOKEN_TYPE],
            properties={
                "memory_ordering_semantics": ordering,
                "memory_scope": scope,
                "mode": mode,
                "inbounds": None if inbounds is None else bool_array(inbounds),
            },
        )

    def access_tile(self) -> SSAValue:
        return self.value

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRedViewTkoOp:
        properties = parse_ordering(parser)
        require_scope(parser, properties)
        view = parser.parse_unresolved_operand()
        index = parse_operands(parser, parser.Delimiter.SQUARE)
        parser.parse_punctuation(",")
        properties["mode"] = parse_enum(parser, AtomicRMWModeAttr)
        parser.parse_punctuation(",")
        value = parser.parse_unresolved_operand()
        tail = parse_access_tail(parser, hints=False)
        attributes = parse_attributes(parser)
        parser.parse_punctuation(":")
        value_type = parse_short_type(parser)
        parser.parse_punctuation(",")
        view_type = parse_short_type(parser)
        index_types, position = parse_optional_types(parser)
        parser.parse_punctuation("->")
        result = parse_short_type(parser)
        return cls.build(
            operands=[
                parser.resolve_operand(view, view_type),
                resolve_indices(parser, index, index_types, position),
                parser.resolve_operand(value, value_type),
                token_operand(parser, tail["token"]),
            ],
            result_types=[result],
            properties=properties | tail_properties(tail),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        printer.print_string(" ")
        printer.print_ssa_value(self.view)
        print_indices(printer, self.index)
        printer.print_string(f", {self.mode.keyword}, ")
        printer.print_ssa_value(self.value)
        print_spaced_token(printer, self.token)
        print_inbounds(printer, self.inbounds)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        index_types = f", {index_types_text(self.index)}" if self.index else ""
        printer.print_string(
            f" : {types_text((self.value, self.view))}{index_types} -> {types_text(self.results)}"
        )

    def verify_(self) -> None:
        if isinstance(self.view.type, GatherScatterViewType):
            raise VerifyException("a gather_scatter_view cannot be reduced into")
        self.check_access()
        if self.mode.keyword == "xchg":
            raise VerifyException("atomic reductions have no xchg")
        check_mode(self.mode, element_type(self.value))
        check_ordering(self.memory_ordering_semantics, ("relaxed",), self.memory_scope)
        if self.memory_scope.keyword == "sys":
            raise VerifyException("atomic reductions have scope tl_blk or device, not sys")


OPERATIONS: tuple[type[CudaTileOp], ...] = (
    AtomicCASTkoOp,
    AtomicRMWTkoOp,
    AtomicRedViewTkoOp,
)
