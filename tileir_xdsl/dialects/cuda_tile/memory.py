"""Loads and stores through pointers, tokens, allocation. Specification: section Memory."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64
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
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.arithmetic import (
    check_same_shape,
    tile_types,
)
from tileir_xdsl.dialects.cuda_tile.attributes import (
    MemoryOrdering,
    MemoryOrderingAttr,
    MemoryScopeAttr,
    OptimizationHintsAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_TILE,
    I1_TILE,
    I64_PROP,
    NUMBER_TILE,
    POINTER_TILE,
    SEGMENTS,
    TOKEN,
    CudaTileOp,
    SetName,
    cuda_tile_op,
    same,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    check_count,
    parse_enum,
    parse_operands,
    parse_optional_clause,
    parse_optional_enum,
    parse_optional_hints,
    parse_result_types,
    parse_types,
    print_hints,
    print_values,
    resolve,
    types_text,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    PtrKindAttr,
    PtrType,
    bit_width,
    is_power_of_two,
    parse_short_type,
    short_type,
    token,
)
from tileir_xdsl.dialects.cuda_tile.wording import alternatives
from tileir_xdsl.versions import V13_3, V13_4, Version

WEAK = MemoryOrderingAttr(MemoryOrdering.WEAK)


def check_ordering(
    ordering: MemoryOrderingAttr, allowed: Sequence[str], scope: MemoryScopeAttr | None
) -> None:
    """The ordering is allowed; `weak` has no scope and the others have one."""
    if ordering.keyword not in allowed:
        raise VerifyException(
            f"memory ordering must be {alternatives(allowed)}, but got {ordering.keyword}"
        )
    if ordering == WEAK and scope is not None:
        raise VerifyException("weak accesses have no memory scope")
    if ordering != WEAK and scope is None:
        raise VerifyException(
            f"{ordering.keyword} accesses need a memory scope: tl_blk, device or sys"
        )


def check_pointee(pointers: SSAValue, values: SSAValue) -> None:
    """Same shape, and the values are what the pointers point to."""
    check_same_shape(pointers, values)
    pointer_tile, value_tile = tile_types(pointers, values)
    pointer = pointer_tile.element_type
    assert isinstance(pointer, PtrType)
    if pointer.pointee_type != value_tile.element_type:
        raise VerifyException(
            f"pointers to '{short_type(pointer.pointee_type)}' do not hold "
            f"'{short_type(value_tile.element_type)}' elements"
        )


def check_mask(mask: SSAValue | None, values: SSAValue) -> None:
    if mask is None:
        return
    mask_tile, value_tile = tile_types(mask, values)
    if mask_tile.get_shape() != value_tile.get_shape():
        raise VerifyException(
            f"the mask must have the shape of '{short_type(value_tile)}', "
            f"but got '{short_type(mask_tile)}'"
        )


def is_multicast(pointers: SSAValue) -> bool:
    (tile,) = tile_types(pointers)
    pointer = tile.element_type
    kind = pointer.kind if isinstance(pointer, PtrType) else None
    return isinstance(kind, PtrKindAttr) and kind.keyword == "multicast"


def print_ordering(
    printer: Printer, ordering: MemoryOrderingAttr, scope: MemoryScopeAttr | None
) -> None:
    printer.print_string(f" {ordering.keyword}")
    if scope is not None:
        printer.print_string(f" {scope.keyword}")


def parse_ordering(parser: Parser) -> dict[str, Attribute]:
    """`ORDERING [SCOPE]` as properties."""
    properties: dict[str, Attribute] = {
        "memory_ordering_semantics": parse_enum(parser, MemoryOrderingAttr)
    }
    scope = parse_optional_enum(parser, MemoryScopeAttr)
    if scope is not None:
        properties["memory_scope"] = scope
    return properties


def name_results(op: CudaTileOp, set_name: SetName) -> None:
    """Operations with several single results print the declared names."""
    for (name, _), value in zip(op.get_irdl_definition().results, op.results, strict=True):
        set_name(value, name)


def print_token_clause(printer: Printer, value: SSAValue | None) -> None:
    if value is not None:
        printer.print_string(" token=")
        printer.print_ssa_value(value)


@cuda_tile_op
class LoadPtrTkoOp(CudaTileOp):
    """Loads through a tile of pointers; masked elements read the padding."""

    name = "cuda_tile.load_ptr_tko"
    OPCODE: ClassVar = 0x3D
    source = operand_def(POINTER_TILE)
    mask = opt_operand_def(I1_TILE)
    padding_value = opt_operand_def(NUMBER_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    result = result_def(ANY_TILE)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        source: SSAValue | Operation,
        *,
        mask: SSAValue | Operation | None = None,
        padding_value: SSAValue | Operation | None = None,
        token: SSAValue | Operation | None = None,
        ordering: MemoryOrderingAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ) -> None:
        (pointers,) = tile_types(SSAValue.get(source))
        assert isinstance(pointers.element_type, PtrType)
        super().__init__(
            operands=[source, mask, padding_value, token],
            result_types=[pointers.with_element(pointers.element_type.pointee_type), TOKEN_TYPE],
            properties={
                "memory_ordering_semantics": ordering,
                "memory_scope": scope,
                "optimization_hints": hints,
            },
        )

    def get_asm_result_names(self, set_name: SetName) -> None:
        name_results(self, set_name)

    @classmethod
    def parse(cls, parser: Parser) -> LoadPtrTkoOp:
        properties = parse_ordering(parser)
        source = parser.parse_unresolved_operand()
        mask = padding = None
        if parser.parse_optional_punctuation(",") is not None:
            mask = parser.parse_unresolved_operand()
            if parser.parse_optional_punctuation(",") is not None:
                padding = parser.parse_unresolved_operand()
        elif parser.parse_optional_keyword("padding") is not None:
            parser.parse_punctuation("=")
            padding = parser.parse_unresolved_operand()
        token_operand = parse_optional_clause(parser, "token")
        hints = parse_optional_hints(parser)
        if hints is not None:
            properties["optimization_hints"] = hints
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        operands = [o for o in (source, mask, padding) if o is not None]
        check_count(parser, "operand type", len(types), len(operands), position)
        if padding is None and mask is not None and not I1_TILE.accepts(types[1]):
            # NVIDIA prints padding without a mask in the mask's place.
            mask, padding = None, mask
        parser.parse_punctuation("->")
        results = parse_result_types(parser, 2)
        values = iter(resolve(parser, operands, types))
        groups = [
            next(values),
            next(values) if mask is not None else None,
            next(values) if padding is not None else None,
            None if token_operand is None else parser.resolve_operand(token_operand, token),
        ]
        return cls.build(
            operands=groups,
            result_types=results,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        nvidia = bool(getattr(printer, "nvidia", False))
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        typed = [self.source]
        if self.mask is not None:
            printer.print_string(", ")
            printer.print_ssa_value(self.mask)
            typed.append(self.mask)
        if self.padding_value is not None:
            # NVIDIA prints padding without a mask in the mask's place, which reads back as one.
            ambiguous = self.mask is None and not nvidia
            printer.print_string(" padding=" if ambiguous else ", ")
            printer.print_ssa_value(self.padding_value)
            typed.append(self.padding_value)
        print_token_clause(printer, self.token)
        print_hints(printer, self.optimization_hints)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(typed)} -> {types_text(self.results)}")

    def verify_(self) -> None:
        check_pointee(self.source, self.result)
        check_mask(self.mask, self.source)
        if self.padding_value is not None and self.padding_value.type != self.result.type:
            raise VerifyException(
                f"padding must be '{short_type(self.result.type)}' as the result is, "
                f"but got '{short_type(self.padding_value.type)}'"
            )
        check_ordering(
            self.memory_ordering_semantics, ("weak", "relaxed", "acquire"), self.memory_scope
        )
        if is_multicast(self.source):
            raise VerifyException("loads do not take multicast pointers")


TOKEN_TYPE = token


@cuda_tile_op
class StorePtrTkoOp(CudaTileOp):
    """Stores through a tile of pointers; masked elements are not written."""

    name = "cuda_tile.store_ptr_tko"
    OPCODE: ClassVar = 0x65
    destination = operand_def(POINTER_TILE)
    value = operand_def(ANY_TILE)
    mask = opt_operand_def(I1_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        destination: SSAValue | Operation,
        value: SSAValue | Operation,
        *,
        mask: SSAValue | Operation | None = None,
        token: SSAValue | Operation | None = None,
        ordering: MemoryOrderingAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[destination, value, mask, token],
            result_types=[TOKEN_TYPE],
            properties={
                "memory_ordering_semantics": ordering,
                "memory_scope": scope,
                "optimization_hints": hints,
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> StorePtrTkoOp:
        properties = parse_ordering(parser)
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        if parser.parse_optional_punctuation(",") is not None:
            operands.append(parser.parse_unresolved_operand())
        token_operand = parse_optional_clause(parser, "token")
        hints = parse_optional_hints(parser)
        if hints is not None:
            properties["optimization_hints"] = hints
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        check_count(parser, "operand type", len(types), len(operands), position)
        parser.parse_punctuation("->")
        result = parse_short_type(parser)
        values = resolve(parser, operands, types)
        return cls.build(
            operands=[
                values[0],
                values[1],
                values[2] if len(values) > 2 else None,
                None if token_operand is None else parser.resolve_operand(token_operand, token),
            ],
            result_types=[result],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        typed = [v for v in (self.destination, self.value, self.mask) if v is not None]
        printer.print_string(" ")
        print_values(printer, typed)
        print_token_clause(printer, self.token)
        print_hints(printer, self.optimization_hints)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(typed)} -> {types_text(self.results)}")

    def verify_(self) -> None:
        check_pointee(self.destination, self.value)
        check_mask(self.mask, self.destination)
        check_ordering(
            self.memory_ordering_semantics, ("weak", "relaxed", "release"), self.memory_scope
        )
        if is_multicast(self.destination):
            raise VerifyException("stores do not take multicast pointers")


@cuda_tile_op
class JoinTokensOp(CudaTileOp):
    """A token after all of some tokens."""

    name = "cuda_tile.join_tokens"
    OPCODE: ClassVar = 0x3C
    tokens = var_operand_def(TOKEN)
    result = result_def(TOKEN)
    traits = traits_def(Pure())

    def __init__(self, *tokens: SSAValue | Operation) -> None:
        super().__init__(operands=[tokens], result_types=[token])

    @classmethod
    def parse(cls, parser: Parser) -> JoinTokensOp:
        operands = parse_operands(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        result = parse_short_type(parser)
        return cls.create(
            operands=resolve(parser, operands, [token] * len(operands)),
            result_types=[result],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.results)}")

    def verify_(self) -> None:
        if len(self.tokens) < 2:
            raise VerifyException(f"joins at least two tokens, but got {len(self.tokens)}")


@cuda_tile_op
class MakeTokenOp(CudaTileOp):
    """A token after nothing."""

    name = "cuda_tile.make_token"
    OPCODE: ClassVar = 0x44
    result = result_def(TOKEN)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` custom<ShortType>(type($result))"

    def __init__(self) -> None:
        super().__init__(result_types=[token])


@cuda_tile_op
class AllocaOp(CudaTileOp):
    """Uninitialised memory for this tile block, or for the grid with `global` (13.3)."""

    name = "cuda_tile.alloca"
    OPCODE: ClassVar = 0x71
    SINCE: ClassVar[Version] = V13_3
    num_elem = prop_def(I64_PROP)
    alignment = prop_def(I64_PROP)
    is_global = opt_prop_def(UnitAttr, prop_name="global")
    result = result_def(POINTER_TILE.scalar())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self, num_elem: int, alignment: int, result_type: Attribute, *, is_global: bool = False
    ) -> None:
        super().__init__(
            properties={
                "num_elem": IntegerAttr(num_elem, i64),
                "alignment": IntegerAttr(alignment, i64),
                "global": UnitAttr() if is_global else None,
            },
            result_types=[result_type],
        )

    @classmethod
    def parse(cls, parser: Parser) -> AllocaOp:
        properties: dict[str, Attribute] = {}
        for key in ("num_elem", "alignment"):
            if properties:
                parser.parse_punctuation(",")
            parser.parse_keyword(key)
            parser.parse_punctuation("=")
            properties[key] = IntegerAttr(parser.parse_integer(allow_boolean=False), i64)
        if parser.parse_optional_keyword("global") is not None:
            properties["global"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            properties=properties,
            attributes=attributes,
            result_types=[parse_short_type(parser)],
        )

    def print(self, printer: Printer) -> None:
        count, alignment = self.num_elem.value.data, self.alignment.value.data
        printer.print_string(f" num_elem = {count}, alignment = {alignment}")
        if self.is_global is not None:
            printer.print_string(" global")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.results)}")

    def verify_(self) -> None:
        (type,) = tile_types(self.result)
        pointer = type.element_type
        assert isinstance(pointer, PtrType)
        count, alignment = self.num_elem.value.data, self.alignment.value.data
        if count < 0:
            raise VerifyException(f"num_elem must not be negative, but got {count}")
        if not is_power_of_two(alignment):
            raise VerifyException(f"alignment must be a power of two, but got {alignment}")
        size = max(1, storage_bytes(pointer.pointee_type))
        if alignment < size:
            raise VerifyException(
                f"alignment must be at least the {size} bytes of "
                f"'{short_type(pointer.pointee_type)}', but got {alignment}"
            )
        if is_multicast(self.result):
            raise VerifyException("multicast memory cannot be allocated")


def storage_bytes(element: Attribute) -> int:
    """Bytes of one element in global memory."""
    return 4 if element.name == "tf32" else (bit_width(element) + 7) // 8


class GdcOp(CudaTileOp, ABC):
    """A step of programmatic dependent launch: an optional token in, a token out."""

    token = opt_operand_def(TOKEN)
    result_token = result_def(TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, token: SSAValue | Operation | None = None) -> None:
        super().__init__(operands=[token], result_types=[TOKEN_TYPE])

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        operand = parse_optional_clause(parser, "token")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation("->")
        result = parse_short_type(parser)
        operands = [] if operand is None else [parser.resolve_operand(operand, token)]
        return cls.create(operands=operands, result_types=[result], attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.token is not None:
            printer.print_string(" token = ")
            printer.print_ssa_value(self.token)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" -> {types_text(self.results)}")


@cuda_tile_op
class GdcLaunchDependentsTkoOp(GdcOp):
    """Lets dependent grids launch (13.4)."""

    name = "cuda_tile.gdc_launch_dependents_tko"
    OPCODE: ClassVar = 0x77
    SINCE: ClassVar[Version] = V13_4


@cuda_tile_op
class GdcWaitTkoOp(GdcOp):
    """Waits for the grids that this one depends on (13.4)."""

    name = "cuda_tile.gdc_wait_tko"
    OPCODE: ClassVar = 0x78
    SINCE: ClassVar[Version] = V13_4


@cuda_tile_op
class MemoryFenceAliasTkoOp(CudaTileOp):
    """Orders accesses of aliasing addresses (13.4)."""

    name = "cuda_tile.memory_fence_alias_tko"
    OPCODE: ClassVar = 0x7A
    SINCE: ClassVar[Version] = V13_4
    token = operand_def(same("Token", TOKEN))
    result_token = result_def(same("Token", TOKEN))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, token: SSAValue | Operation) -> None:
        super().__init__(operands=[token], result_types=[TOKEN_TYPE])

    @classmethod
    def parse(cls, parser: Parser) -> MemoryFenceAliasTkoOp:
        operand = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=[parser.resolve_operand(operand, token)],
            result_types=[token],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.token)
        printer.print_op_attributes(self.attributes)


OPERATIONS: tuple[type[CudaTileOp], ...] = (
    AllocaOp,
    GdcLaunchDependentsTkoOp,
    GdcWaitTkoOp,
    JoinTokensOp,
    LoadPtrTkoOp,
    MakeTokenOp,
    MemoryFenceAliasTkoOp,
    StorePtrTkoOp,
)
