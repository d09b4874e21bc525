"""`assume` and `print_tko`. Specification: section Miscellaneous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import (
    AssumePredicate,
    BoundedAttr,
    DivByAttr,
    SameElementsAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_TILE,
    SEGMENTS,
    TOKEN,
    CudaTileOp,
    OneOf,
    SetName,
    cuda_tile_op,
    same,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    check_count,
    parse_operands,
    parse_optional_clause,
    parse_types,
    print_values,
    resolve,
    types_text,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    PtrType,
    TensorViewType,
    TileType,
    TileViewType,
    bit_width,
    is_integer,
    parse_short_type,
    short_type,
    token,
)
from tileir_xdsl.dialects.cuda_tile.wording import plural
from tileir_xdsl.versions import V13_2, Version

ASSUMED = same("T", OneOf((TileType, TensorViewType, TileViewType), "tile or view"))


@cuda_tile_op
class AssumeOp(CudaTileOp):
    """Its operand, about which the predicate holds."""

    name = "cuda_tile.assume"
    OPCODE: ClassVar = 0x06
    value = operand_def(ASSUMED)
    predicate = prop_def(AssumePredicate)
    result = result_def(ASSUMED)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "custom<Predicate>($predicate) `,` $value attr-dict `:` custom<ShortType>(type($value))"
    )

    def __init__(self, value: SSAValue | Operation, predicate: AssumePredicate) -> None:
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type],
            properties={"predicate": predicate},
        )

    def get_asm_result_names(self, set_name: SetName) -> None:
        set_name(self.result, "_".join(["assume", *suggested_name(self.value)]))

    def verify_(self) -> None:
        predicate = self.predicate
        if isinstance(predicate, DivByAttr):
            check_div_by(predicate, self.value.type)
        elif isinstance(predicate, SameElementsAttr):
            check_same_elements(predicate, self.value.type)
        elif isinstance(predicate, BoundedAttr):
            check_bounded(predicate, self.value.type)


def suggested_name(value: SSAValue) -> list[str]:
    """The name that the value's operation suggests for it, if any."""
    names: list[str] = []
    owner = value.owner
    if isinstance(owner, CudaTileOp):
        owner.get_asm_result_names(lambda v, name: names.append(name) if v is value else None)
    return names[:1]


def _integers_or_pointers(type: Attribute) -> bool:
    return isinstance(type, TileType) and isinstance(type.element_type, IntegerType | PtrType)


def check_div_by(predicate: DivByAttr, type: Attribute) -> None:
    every, along = predicate.every_value, predicate.along_value
    if isinstance(type, TensorViewType):
        if every is not None:
            raise VerifyException("div_by of a tensor_view has no 'every' and 'along'")
        return
    if not _integers_or_pointers(type):
        raise VerifyException(
            "div_by needs a tile of integers or pointers or a tensor_view, "
            f"but got '{short_type(type)}'"
        )
    if every is None or along is None:
        return
    assert isinstance(type, TileType)
    if not type.rank:
        raise VerifyException("div_by of a rank-0 tile has no 'every' and 'along'")
    if not 0 <= along < type.rank:
        raise VerifyException(f"'along' must be in 0 to {type.rank - 1}, but got {along}")
    extent = type.get_shape()[along]
    if not 0 <= every <= extent:
        raise VerifyException(
            f"'every' must be in 0 to {extent}, the extent of dimension {along}, but got {every}"
        )


def check_same_elements(predicate: SameElementsAttr, type: Attribute) -> None:
    if not _integers_or_pointers(type):
        raise VerifyException(
            f"same_elements needs a tile of integers or pointers, but got '{short_type(type)}'"
        )
    assert isinstance(type, TileType)
    values = predicate.value_list
    if len(values) != type.rank:
        raise VerifyException(
            f"same_elements needs one value for each dimension of '{short_type(type)}', "
            f"but got {len(values)}"
        )
    for k, (value, extent) in enumerate(zip(values, type.get_shape(), strict=True)):
        if not 0 <= value <= extent:
            raise VerifyException(
                f"value {k} of same_elements must be in 0 to {extent}, but got {value}"
            )


def check_bounded(predicate: BoundedAttr, type: Attribute) -> None:
    if not isinstance(type, TileType) or not is_integer(type.element_type):
        raise VerifyException(f"bounded needs a tile of integers, but got '{short_type(type)}'")
    width = bit_width(type.element_type)
    lowest, highest = -(1 << (width - 1)), (1 << (width - 1)) - 1
    for bound in (predicate.lower_value, predicate.upper_value):
        if bound is not None and not lowest <= bound <= highest:
            raise VerifyException(
                f"bound {bound} is outside {lowest} to {highest}, "
                f"the range of signed '{short_type(type.element_type)}'"
            )


def count_conversions(text: str) -> int | None:
    """Number of printf conversions in a format; None when one is not finished."""
    count = position = 0
    while (position := text.find("%", position)) >= 0:
        position += 1
        while position < len(text) and text[position] not in "diouxXeEfFgGaAcsSpn%":
            position += 1
        if position == len(text):
            return None
        count += text[position] != "%"
        position += 1
    return count


@cuda_tile_op
class PrintTkoOp(CudaTileOp):
    """Prints tiles by a printf format; with tokens since 13.2."""

    name = "cuda_tile.print_tko"
    OPCODE: ClassVar = 0x55
    ALIASES: ClassVar[tuple[str, ...]] = ("print",)
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"token": V13_2, "result_token": V13_2}
    args = var_operand_def(ANY_TILE)
    token = opt_operand_def(TOKEN)
    format = prop_def(StringAttr, prop_name="str")
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        format: str,
        args: Sequence[SSAValue | Operation] = (),
        token: SSAValue | Operation | None = None,
    ) -> None:
        super().__init__(
            operands=[args, token],
            result_types=[TOKEN_TYPE],
            properties={"str": StringAttr(format)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> PrintTkoOp:
        format = parser.parse_str_literal()
        operands = []
        if parser.parse_optional_punctuation(",") is not None:
            operands = parse_operands(parser, parser.Delimiter.NONE)
        token_value = parse_optional_clause(parser, "token")
        attributes = parser.parse_optional_attr_dict()
        types: list[Attribute] = []
        if operands:
            parser.parse_punctuation(":")
            position = parser.pos
            types = parse_types(parser)
            check_count(parser, "operand type", len(types), len(operands), position)
        # 13.1 text, where the operation is called `print`, has no token result.
        result: Attribute = token
        if parser.parse_optional_punctuation("->") is not None:
            result = parse_short_type(parser)
        return cls.build(
            operands=[
                resolve(parser, operands, types),
                None if token_value is None else parser.resolve_operand(token_value, token),
            ],
            result_types=[result],
            properties={"str": StringAttr(format)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.format.data)
        if self.args:
            printer.print_string(", ")
            print_values(printer, self.args)
        if self.token is not None:
            printer.print_string(" token=")
            printer.print_ssa_value(self.token)
        printer.print_op_attributes(self.attributes)
        if self.args:
            printer.print_string(f" : {types_text(self.args)}")
        printer.print_string(f" -> {types_text(self.results)}")

    def verify_(self) -> None:
        count = count_conversions(self.format.data)
        if count is None:
            raise VerifyException("the format ends in an unfinished conversion; write %% for %")
        if count != len(self.args):
            raise VerifyException(
                f"the format has {plural(count, 'conversion')}, "
                f"but there {'is' if len(self.args) == 1 else 'are'} "
                f"{plural(len(self.args), 'argument')}"
            )


TOKEN_TYPE = token

OPERATIONS: tuple[type[CudaTileOp], ...] = (AssumeOp, PrintTkoOp)
