"""Core operations: module, entries, globals, constants, shapes, selection, reductions."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    bf16,
    f4E2M1FN,
    f16,
    i32,
    i64,
)
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    IsolatedFromAbove,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.arithmetic import check_same_shape, tile_types
from tileir_xdsl.dialects.cuda_tile.attributes import (
    OptimizationHintsAttr,
    SymbolVisibility,
    SymbolVisibilityAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_TILE,
    BOOL_PROP,
    I1_TILE,
    I8_TILE,
    I32_ARRAY_PROP,
    I32_PROP,
    I32_TILE,
    I64_PROP,
    INT_TILE,
    NUMBER_OR_I4_TILE,
    NUMBER_TILE,
    POINTER_TILE,
    CudaTileOp,
    SetName,
    cuda_tile_op,
    same,
)
from tileir_xdsl.dialects.cuda_tile.constants import (
    DenseElementsAttr,
    FloatBitsAttr,
    check_shape,
    literal_text,
    parse_literal,
    parse_typed_scalar,
    scalar_text,
)
from tileir_xdsl.dialects.cuda_tile.literals import (
    LAYOUTS,
    exact_value,
    is_nan,
    is_negative,
    is_special,
    layout_of,
)
from tileir_xdsl.dialects.cuda_tile.rules import RuleError
from tileir_xdsl.dialects.cuda_tile.syntax import (
    check_count,
    parse_body,
    parse_operands,
    parse_optional_hints,
    parse_types,
    print_body,
    print_values,
    resolve,
    types_text,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    PtrType,
    TileType,
    bit_width,
    is_integer,
    parse_short_type,
    short_type,
)
from tileir_xdsl.dialects.cuda_tile.wording import plural, suggestion
from tileir_xdsl.versions import V13_3, V13_4, V13_5, Version

PUBLIC = SymbolVisibilityAttr(SymbolVisibility.PUBLIC)
PRIVATE = SymbolVisibilityAttr(SymbolVisibility.PRIVATE)

T = same("T", ANY_TILE)
D = same("D", ANY_TILE)

_SOURCE_TO_RESULT = (
    "$source attr-dict `:` custom<ShortType>(type($source)) `->` custom<ShortType>(type($result))"
)


@cuda_tile_op
class ModuleOp(CudaTileOp):
    """A file: globals and entries. The bytecode does not store its name."""

    name = "cuda_tile.module"
    OPCODE: ClassVar = 0x4B
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"producer": V13_3}
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    sym_name = prop_def(SymbolNameConstraint())
    producer = opt_prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable())

    def __init__(
        self,
        name: str = "kernels",
        ops: Sequence[Operation] = (),
        producer: str | None = None,
    ) -> None:
        properties: dict[str, Attribute | None] = {"sym_name": StringAttr(name)}
        if producer is not None:
            properties["producer"] = StringAttr(producer)
        super().__init__(properties=properties, regions=[Region(Block(ops))])

    @property
    def bare(self) -> bool:
        """Whether the module was read without its wrapper, and prints so."""
        return bool(self.__dict__.get("_bare", False))

    @bare.setter
    def bare(self, value: bool) -> None:
        object.__setattr__(self, "_bare", value)

    @property
    def is_incomplete(self) -> bool:
        """Whether parts of the module's text could not be parsed and are missing."""
        return bool(self.__dict__.get("_incomplete", False))

    @is_incomplete.setter
    def is_incomplete(self, value: bool) -> None:
        object.__setattr__(self, "_incomplete", value)

    @classmethod
    def parse(cls, parser: Parser) -> ModuleOp:
        name = parser.parse_symbol_name()
        attributes = dict(
            attrs.data
            if (attrs := parser.parse_optional_attr_dict_with_keyword()) is not None
            else {}
        )
        properties: dict[str, Attribute] = {"sym_name": name}
        if "producer" in attributes:
            properties["producer"] = attributes.pop("producer")
        body = parse_body(parser)
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        attributes = dict(self.attributes)
        if self.producer is not None:
            attributes["producer"] = self.producer
        printer.print_op_attributes(attributes, print_keyword=True)
        printer.print_string(" ")
        print_body(printer, self.body)

    def entries(self) -> list[EntryOp]:
        return [op for op in self.body.block.ops if isinstance(op, EntryOp)]

    def globals(self) -> list[GlobalOp]:
        return [op for op in self.body.block.ops if isinstance(op, GlobalOp)]

    def verify_(self) -> None:
        for op in self.body.block.ops:
            if not isinstance(op, EntryOp | GlobalOp):
                raise RuleError("cannot be in a module, which holds entries and globals", at=op)


def check_in_module(op: Operation) -> None:
    parent = op.parent_op()
    if parent is not None and not isinstance(parent, ModuleOp):
        raise VerifyException(f"must be directly in a 'cuda_tile.module', not in '{parent.name}'")


@cuda_tile_op
class EntryOp(CudaTileOp):
    """A kernel. Its arguments are rank-0 tiles; it has no results."""

    name = "cuda_tile.entry"
    OPCODE: ClassVar = 0x16
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"arg_attrs": V13_5}
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        arg_types: Sequence[Attribute],
        body: Region | None = None,
        hints: OptimizationHintsAttr | None = None,
        arg_attrs: Sequence[Mapping[str, Attribute]] | None = None,
    ) -> None:
        properties: dict[str, Attribute | None] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(arg_types, []),
            "optimization_hints": hints,
        }
        if arg_attrs is not None:
            properties["arg_attrs"] = ArrayAttr([DictionaryAttr(dict(a)) for a in arg_attrs])
        region = Region(Block(arg_types=arg_types)) if body is None else body
        super().__init__(properties=properties, regions=[region])

    @classmethod
    def parse(cls, parser: Parser) -> EntryOp:
        from tileir_xdsl.dialects.cuda_tile.control_flow import ReturnOp

        properties: dict[str, Attribute] = {"sym_name": parser.parse_symbol_name()}
        arg_attrs: list[DictionaryAttr] = []

        def parse_argument() -> Parser.Argument:
            name = parser.parse_argument(expect_type=False)
            parser.parse_punctuation(":")
            argument = name.resolve(parse_short_type(parser))
            arg_attrs.append(DictionaryAttr(parser.parse_optional_attr_dict()))
            return argument

        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_short_type(parser)
            )
        properties["function_type"] = FunctionType.from_lists([a.type for a in arguments], results)
        if any(attrs.data for attrs in arg_attrs):
            properties["arg_attrs"] = ArrayAttr(arg_attrs)
        hints = parse_optional_hints(parser)
        if hints is not None and hints.hints.data:
            properties["optimization_hints"] = hints
        body = parse_body(parser, arguments, ReturnOp)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        attrs = () if self.arg_attrs is None else self.arg_attrs.data
        for position, arg in enumerate(self.body.block.args):
            printer.print_string(", " if position else "")
            printer.print_ssa_value(arg)
            printer.print_string(f": {short_type(arg.type)}")
            if position < len(attrs):
                printer.print_op_attributes(dict(sorted(attrs[position].data.items())))
        printer.print_string(")")
        if outputs := self.function_type.outputs.data:
            printer.print_string(f" -> ({', '.join(map(short_type, outputs))})")
        if self.optimization_hints is not None and self.optimization_hints.hints.data:
            printer.print_string(" optimization_hints=")
            self.optimization_hints.print_parameters(printer)
        printer.print_string(" ")
        print_body(printer, self.body)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        check_in_module(self)
        inputs = self.function_type.inputs.data
        if self.function_type.outputs.data:
            raise VerifyException("an entry has no results")
        if tuple(inputs) != tuple(arg.type for arg in self.body.block.args):
            raise VerifyException("the body's arguments must have the types of the signature")
        for position, type in enumerate(inputs):
            if not isinstance(type, TileType) or type.rank:
                raise VerifyException(
                    f"argument {position} must be a rank-0 tile, but got '{short_type(type)}'"
                )
        if self.arg_attrs is None:
            return
        if len(self.arg_attrs) != len(inputs):
            raise VerifyException(
                f"arg_attrs has {plural(len(self.arg_attrs), 'entry', 'entries')} "
                f"for {plural(len(inputs), 'argument')}"
            )
        for position, attrs in enumerate(self.arg_attrs):
            for key in attrs.data:
                if "." not in key.strip("."):
                    raise VerifyException(
                        f"attribute '{key}' of argument {position} needs a dialect prefix, "
                        f"e.g. 'cuda_tile.{key}'"
                    )


@cuda_tile_op
class GlobalOp(CudaTileOp):
    """A tensor in global memory that lives as long as the loaded module."""

    name = "cuda_tile.global"
    OPCODE: ClassVar = 0x31
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {
        "constant": V13_3,
        "symbol_visibility": V13_3,
    }
    sym_name = prop_def(SymbolNameConstraint())
    value = prop_def(DenseElementsAttr)
    alignment = prop_def(I64_PROP, default_value=IntegerAttr(0, i64))
    constant = opt_prop_def(UnitAttr)
    symbol_visibility = prop_def(SymbolVisibilityAttr, default_value=PUBLIC)
    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        name: str,
        value: DenseElementsAttr,
        *,
        alignment: int = 0,
        constant: bool = False,
        private: bool = False,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "value": value,
                "alignment": IntegerAttr(alignment, i64),
                "constant": UnitAttr() if constant else None,
                "symbol_visibility": PRIVATE if private else PUBLIC,
            }
        )

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        properties: dict[str, Attribute] = {"symbol_visibility": PUBLIC}
        if parser.parse_optional_keyword("private") is not None:
            properties["symbol_visibility"] = PRIVATE
        else:
            parser.parse_optional_keyword("public")
        if parser.parse_optional_keyword("constant") is not None:
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        alignment = 0
        if parser.parse_optional_keyword("alignment") is not None:
            parser.parse_punctuation("=")
            alignment = parser.parse_integer(allow_boolean=False)
        properties["alignment"] = IntegerAttr(alignment, i64)
        attributes, properties["value"] = parse_constant(parser)
        return cls.create(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.symbol_visibility == PRIVATE:
            printer.print_string("private ")
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.alignment.value.data:
            printer.print_string(f" alignment = {self.alignment.value.data}")
        print_constant(printer, self, self.value)

    def verify_(self) -> None:
        check_in_module(self)
        if self.value.type.rank != 1:
            raise VerifyException(
                f"a global's value must have rank 1, but its type is "
                f"'{short_type(self.value.type)}'"
            )


def parse_constant(parser: Parser) -> tuple[dict[str, Attribute], DenseElementsAttr]:
    """`<ELT: LITERAL> attr-dict : TYPE`."""
    parser.parse_punctuation("<")
    element_start = parser.pos
    element = parse_short_type(parser)
    element_end = parser.pos
    if not is_integer(element) and element.name not in _FLOAT_NAMES:
        parser.raise_error("expected a number type", element_start, element_end)
    if element == IntegerType(4):
        parser.raise_error("i4 has no constants", element_start, element_end)
    parser.parse_punctuation(":")
    start = parser.pos
    bits, shape = parse_literal(parser, element)
    parser.parse_punctuation(">")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_start = parser.pos
    type = parse_short_type(parser)
    if not isinstance(type, TileType):
        parser.raise_error(
            f"expected a tile type, but got '{short_type(type)}'", type_start, parser.pos
        )
    if type.element_type != element:
        parser.raise_error(
            f"literal has element type '{short_type(element)}', but its type is "
            f"'{short_type(type)}'",
            element_start,
            element_end,
        )
    return attributes, check_shape(parser, bits, shape, type, start)


def print_constant(printer: Printer, op: Operation, value: DenseElementsAttr) -> None:
    element = short_type(value.type.element_type)
    printer.print_string(f" <{element}: {literal_text(value)}>")
    printer.print_op_attributes(op.attributes)
    printer.print_string(f" : {short_type(value.type)}")


_FLOAT_NAMES = frozenset(LAYOUTS)


@cuda_tile_op
class ConstantOp(CudaTileOp):
    """A constant tile."""

    name = "cuda_tile.constant"
    OPCODE: ClassVar = 0x10
    value = prop_def(DenseElementsAttr)
    result = result_def(NUMBER_TILE)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseElementsAttr) -> None:
        super().__init__(properties={"value": value}, result_types=[value.type])

    def get_asm_result_names(self, set_name: SetName) -> None:
        set_name(self.result, constant_name(self.value))

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes, value = parse_constant(parser)
        return cls.create(
            properties={"value": value}, attributes=attributes, result_types=[value.type]
        )

    def print(self, printer: Printer) -> None:
        print_constant(printer, self, self.value)

    def verify_(self) -> None:
        if self.value.type != self.result.type:
            raise VerifyException(
                f"value has type '{short_type(self.value.type)}', "
                f"but the result is '{short_type(self.result.type)}'"
            )


def constant_name(value: DenseElementsAttr) -> str:
    """NVIDIA's suggested name, e.g. `cst_1_f32`, `true`."""
    element = value.type.element_type
    bits = value.splat_bits
    if element == IntegerType(1):
        return "cst_i1" if bits is None else ("true" if bits else "false")
    suffix = short_type(element)
    if bits is None:
        return f"cst_{suffix}"
    if isinstance(element, IntegerType):
        return f"cst_{literal_text(value)}_{suffix}"
    layout = layout_of(element)
    if is_nan(bits, layout):
        return f"cst_NaN_{suffix}"
    if is_special(bits, layout) or is_negative(bits, layout):
        return f"cst_{suffix}"
    number = exact_value(bits, layout)
    if number.denominator != 1 or number >= 1 << 64:
        return f"cst_{suffix}"
    return f"cst_{number}_{suffix}"


class RegroupOp(CudaTileOp, ABC):
    """A tile to a tile of the same element type and another shape."""

    source = operand_def(ANY_TILE)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        result_type: Attribute,
        properties: Mapping[str, Attribute | None] | None = None,
    ) -> None:
        super().__init__(operands=[source], result_types=[result_type], properties=properties or {})


def check_same_element(*values: SSAValue) -> None:
    elements = [type.element_type for type in tile_types(*values)]
    if any(element != elements[0] for element in elements):
        types = ", ".join(f"'{short_type(value.type)}'" for value in values)
        raise VerifyException(f"operands and results must have one element type, but got {types}")


def check_same_rank(*values: SSAValue) -> None:
    ranks = [type.rank for type in tile_types(*values)]
    if any(rank != ranks[0] for rank in ranks):
        types = ", ".join(f"'{short_type(value.type)}'" for value in values)
        raise VerifyException(f"operands and results must have one rank, but got {types}")


@cuda_tile_op
class BroadcastOp(RegroupOp):
    """Repeats the elements of dimensions of extent 1."""

    name = "cuda_tile.broadcast"
    OPCODE: ClassVar = 0x0B
    assembly_format = _SOURCE_TO_RESULT

    def get_asm_result_names(self, set_name: SetName) -> None:
        set_name(self.result, "bcast")

    def verify_(self) -> None:
        check_same_element(self.source, self.result)
        check_same_rank(self.source, self.result)
        source, result = tile_types(self.source, self.result)
        for k, (a, b) in enumerate(zip(source.get_shape(), result.get_shape(), strict=True)):
            if a not in (1, b):
                raise VerifyException(
                    f"dimension {k} of extent {a} cannot be broadcast to {b}: only 1 can"
                )


@cuda_tile_op
class CatOp(CudaTileOp):
    """Concatenation along a dimension."""

    name = "cuda_tile.cat"
    OPCODE: ClassVar = 0x0C
    lhs = operand_def(ANY_TILE)
    rhs = operand_def(ANY_TILE)
    dim = prop_def(I64_PROP)
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> CatOp:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        parser.parse_keyword("dim")
        parser.parse_punctuation("=")
        dim = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        lhs_type = parse_short_type(parser)
        parser.parse_punctuation(",")
        rhs_type = parse_short_type(parser)
        parser.parse_punctuation("->")
        result = parse_short_type(parser)
        return cls.create(
            operands=resolve(parser, [lhs, rhs], [lhs_type, rhs_type]),
            result_types=[result],
            properties={"dim": IntegerAttr(dim, i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_string(f" dim = {self.dim.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.operands)} -> {types_text(self.results)}")

    def verify_(self) -> None:
        check_same_element(self.lhs, self.rhs, self.result)
        check_same_rank(self.lhs, self.rhs, self.result)
        lhs, rhs, result = (t.get_shape() for t in tile_types(self.lhs, self.rhs, self.result))
        dim = self.dim.value.data
        if not 0 <= dim < len(result):
            raise VerifyException(
                f"dim must be in 0 to {len(result) - 1}, but got {dim}"
                if result
                else "rank-0 tiles cannot be concatenated; reshape them to rank 1"
            )
        for k in range(len(result)):
            expected = lhs[k] + rhs[k] if k == dim else lhs[k]
            if result[k] != expected or (k != dim and rhs[k] != lhs[k]):
                raise VerifyException(
                    f"extents {lhs[k]} and {rhs[k]} of dimension {k} do not give {result[k]}"
                )


@cuda_tile_op
class ExtractOp(CudaTileOp):
    """One of the equal parts of a tile; indices count parts, not elements."""

    name = "cuda_tile.extract"
    OPCODE: ClassVar = 0x26
    source = operand_def(ANY_TILE)
    indices = var_operand_def(I32_TILE.scalar())
    result = result_def(ANY_TILE)
    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        result_type: Attribute,
    ) -> None:
        super().__init__(operands=[source, indices], result_types=[result_type])

    @classmethod
    def parse(cls, parser: Parser) -> ExtractOp:
        source = parser.parse_unresolved_operand()
        indices = parse_operands(parser, parser.Delimiter.SQUARE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parse_short_type(parser)
        parser.parse_punctuation("->")
        result = parse_short_type(parser)
        index = TileType.get([], i32)
        return cls.create(
            operands=resolve(parser, [source, *indices], [source_type, *[index] * len(indices)]),
            result_types=[result],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string("[")
        print_values(printer, self.indices)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.source.type)} -> {types_text(self.results)}")

    def verify_(self) -> None:
        check_parts(self.source, self.result, len(self.indices))


def check_parts(whole: SSAValue, part: SSAValue, indices: int) -> None:
    """The part's extents divide the whole's, with one index for each dimension."""
    check_same_element(whole, part)
    check_same_rank(whole, part)
    big, small = (t.get_shape() for t in tile_types(whole, part))
    for k, (a, b) in enumerate(zip(big, small, strict=True)):
        if a % b:
            raise VerifyException(f"extent {a} of dimension {k} is not a multiple of {b}")
    if indices != len(big):
        raise VerifyException(
            f"needs one index for each dimension of '{short_type(whole.type)}', but got {indices}"
        )


@cuda_tile_op
class InsertOp(CudaTileOp):
    """Replaces one of the equal parts of a tile; indices count parts (13.4)."""

    name = "cuda_tile.insert"
    OPCODE: ClassVar = 0x76
    SINCE: ClassVar[Version] = V13_4
    source = operand_def(ANY_TILE)
    destination = operand_def(D)
    indices = var_operand_def(I32_TILE.scalar())
    result = result_def(D)
    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        destination: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
    ) -> None:
        super().__init__(
            operands=[source, destination, indices],
            result_types=[SSAValue.get(destination).type],
        )

    @classmethod
    def parse(cls, parser: Parser) -> InsertOp:
        source = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        destination = parser.parse_unresolved_operand()
        indices = parse_operands(parser, parser.Delimiter.SQUARE)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parse_short_type(parser)
        parser.parse_punctuation(",")
        type = parse_short_type(parser)
        index = TileType.get([], i32)
        types = [source_type, type, *[index] * len(indices)]
        return cls.create(
            operands=resolve(parser, [source, destination, *indices], types),
            result_types=[type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.operands[:2])
        printer.print_string("[")
        print_values(printer, self.indices)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.operands[:2])}")

    def verify_(self) -> None:
        check_parts(self.destination, self.source, len(self.indices))


@cuda_tile_op
class GetGlobalOp(CudaTileOp):
    """The address of a global."""

    name = "cuda_tile.get_global"
    OPCODE: ClassVar = 0x2C
    symbol = prop_def(SymbolRefAttr, prop_name="name")
    result = result_def(POINTER_TILE.scalar())
    traits = traits_def(Pure())

    def __init__(self, symbol: str, result_type: Attribute) -> None:
        super().__init__(properties={"name": SymbolRefAttr(symbol)}, result_types=[result_type])

    @classmethod
    def parse(cls, parser: Parser) -> GetGlobalOp:
        symbol = SymbolRefAttr(parser.parse_symbol_name())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            properties={"name": symbol},
            attributes=attributes,
            result_types=[parse_short_type(parser)],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.symbol.root_reference.data)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.results)}")

    def verify_(self) -> None:
        module = enclosing_module(self)
        if module is None and not isinstance(self.get_toplevel_object(), BuiltinModuleOp):
            return
        name = self.symbol.root_reference.data
        named = {} if module is None else globals_by_name(module)
        target = named.get(name)
        if target is None and module is not None and module.is_incomplete:
            return
        if target is None:
            hint = suggestion(f"@{name}", [f"@{known}" for known in named])
            raise VerifyException(f"no global is called '@{name}'{hint}")
        (type,) = tile_types(self.result)
        pointer = type.element_type
        value = target.properties.get("value")
        if not isinstance(value, DenseElementsAttr):
            return  # That the global is wrong is reported there.
        element = value.type.element_type
        if not isinstance(pointer, PtrType) or pointer.pointee_type != element:
            raise RuleError(
                f"'@{name}' holds '{short_type(element)}', "
                f"but the result is '{short_type(self.result.type)}'",
                notes=[("the global is here", target)],
            )


def globals_by_name(module: ModuleOp) -> dict[str, GlobalOp]:
    """The globals of a module that need not verify."""
    named: dict[str, GlobalOp] = {}
    for op in (op for block in module.body.blocks for op in block.ops):
        name = op.properties.get("sym_name")
        if isinstance(op, GlobalOp) and isinstance(name, StringAttr):
            named.setdefault(name.data, op)
    return named


def enclosing_module(op: Operation) -> ModuleOp | None:
    """The module around an operation; for a kernel beside modules the first, where it lowers to."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ModuleOp | BuiltinModuleOp):
        parent = parent.parent_op()
    if isinstance(parent, BuiltinModuleOp):
        return next((inner for inner in parent.ops if isinstance(inner, ModuleOp)), None)
    return parent


class GridOp(CudaTileOp, ABC):
    """Three i32 values of the launch grid."""

    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[TileType.get([], i32)] * 3)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parse_short_type(parser)
        return cls.create(result_types=[type] * 3, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.results[:1])}")

    def get_asm_result_names(self, set_name: SetName) -> None:
        for name, value in zip(self.result_names(), self.results, strict=False):
            set_name(value, name)

    @classmethod
    def result_names(cls) -> list[str]:
        return [name for name, _ in cls.get_irdl_definition().results]


@cuda_tile_op
class GetNumTileBlocksOp(GridOp):
    """The grid's extents in tile blocks."""

    name = "cuda_tile.get_num_tile_blocks"
    OPCODE: ClassVar = 0x2E
    gridSize_x = result_def(I32_TILE.scalar())
    gridSize_y = result_def(I32_TILE.scalar())
    gridSize_z = result_def(I32_TILE.scalar())


@cuda_tile_op
class GetTileBlockIdOp(GridOp):
    """The coordinates of this tile block in the grid."""

    name = "cuda_tile.get_tile_block_id"
    OPCODE: ClassVar = 0x30
    blockId_x = result_def(I32_TILE.scalar())
    blockId_y = result_def(I32_TILE.scalar())
    blockId_z = result_def(I32_TILE.scalar())


@cuda_tile_op
class IotaOp(CudaTileOp):
    """0, 1, 2, …"""

    name = "cuda_tile.iota"
    OPCODE: ClassVar = 0x3A
    result = result_def(INT_TILE)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` custom<ShortType>(type($result))"

    def __init__(self, result_type: Attribute) -> None:
        super().__init__(result_types=[result_type])

    def verify_(self) -> None:
        (type,) = tile_types(self.result)
        if type.rank != 1:
            raise VerifyException(f"result must have rank 1, but got '{short_type(type)}'")
        width = bit_width(type.element_type)
        if type.num_elements > 1 << width:
            raise VerifyException(
                f"{type.num_elements} values do not fit '{short_type(type.element_type)}'"
            )


@cuda_tile_op
class OffsetOp(CudaTileOp):
    """Moves pointers by a signed number of elements."""

    name = "cuda_tile.offset"
    OPCODE: ClassVar = 0x51
    ptr = operand_def(same("P", POINTER_TILE))
    offset = operand_def(INT_TILE)
    result = result_def(same("P", POINTER_TILE))
    traits = traits_def(Pure())
    assembly_format = (
        "$ptr `,` $offset attr-dict `:` custom<ShortType>(type($ptr)) "
        "`,` custom<ShortType>(type($offset)) `->` custom<ShortType>(type($result))"
    )

    def __init__(self, ptr: SSAValue | Operation, offset: SSAValue | Operation) -> None:
        super().__init__(operands=[ptr, offset], result_types=[SSAValue.get(ptr).type])

    def verify_(self) -> None:
        check_same_shape(self.ptr, self.offset)


def _storage_bits(element: Attribute) -> int:
    return 32 if element.name == "tf32" else bit_width(element)


def check_repacking(numbers: SSAValue, packed: SSAValue) -> None:
    """The rules of `pack` and `unpack` between a number tile and its i8 tile."""
    number, byte = tile_types(numbers, packed)
    if number.rank != 1 or byte.rank != 1:
        raise VerifyException(
            f"tiles must have rank 1, but got '{short_type(number)}' and '{short_type(byte)}'"
        )
    width = _storage_bits(number.element_type)
    if width == 8:
        raise VerifyException(
            f"'{short_type(number.element_type)}' is already one byte wide, use bitcast"
        )
    if width * number.num_elements != 8 * byte.num_elements:
        raise VerifyException(
            f"'{short_type(number)}' has {width * number.num_elements} bits, "
            f"but '{short_type(byte)}' has {8 * byte.num_elements}"
        )


@cuda_tile_op
class PackOp(RegroupOp):
    """The bytes of a rank-1 tile, little-endian (13.3)."""

    name = "cuda_tile.pack"
    OPCODE: ClassVar = 0x6F
    SINCE: ClassVar[Version] = V13_3
    source = operand_def(NUMBER_OR_I4_TILE)
    result = result_def(I8_TILE)
    assembly_format = _SOURCE_TO_RESULT

    def verify_(self) -> None:
        check_repacking(self.source, self.result)


@cuda_tile_op
class UnpackOp(RegroupOp):
    """A rank-1 tile from its bytes, little-endian (13.3)."""

    name = "cuda_tile.unpack"
    OPCODE: ClassVar = 0x70
    SINCE: ClassVar[Version] = V13_3
    source = operand_def(I8_TILE)
    result = result_def(NUMBER_OR_I4_TILE)
    assembly_format = _SOURCE_TO_RESULT

    def verify_(self) -> None:
        check_repacking(self.result, self.source)


@cuda_tile_op
class PermuteOp(RegroupOp):
    """Reorders dimensions: result dimension i is source dimension permutation[i]."""

    name = "cuda_tile.permute"
    OPCODE: ClassVar = 0x53
    permutation = prop_def(I32_ARRAY_PROP)
    assembly_format = (
        "$source custom<I32List>($permutation) attr-dict `:` custom<ShortType>(type($source)) "
        "`->` custom<ShortType>(type($result))"
    )

    @property
    def order(self) -> tuple[int, ...]:
        return cast("DenseArrayBase[IntegerType]", self.permutation).get_values()

    def verify_(self) -> None:
        check_same_element(self.source, self.result)
        check_same_rank(self.source, self.result)
        source, result = (t.get_shape() for t in tile_types(self.source, self.result))
        if len(source) < 2:
            raise VerifyException(f"source must have rank 2 or more, but has rank {len(source)}")
        order = self.order
        if sorted(order) != list(range(len(source))):
            raise VerifyException(
                f"[{', '.join(map(str, order))}] is not a permutation of 0 to {len(source) - 1}"
            )
        if result != tuple(source[k] for k in order):
            raise VerifyException(
                f"'{short_type(self.source.type)}' permuted has shape "
                f"{'x'.join(str(source[k]) for k in order)}, "
                f"but the result is '{short_type(self.result.type)}'"
            )


@cuda_tile_op
class ReshapeOp(RegroupOp):
    """The same elements in row-major order in another shape."""

    name = "cuda_tile.reshape"
    OPCODE: ClassVar = 0x5B
    assembly_format = _SOURCE_TO_RESULT

    def get_asm_result_names(self, set_name: SetName) -> None:
        set_name(self.result, "reshape")

    def verify_(self) -> None:
        check_same_element(self.source, self.result)
        source, result = (t.get_shape() for t in tile_types(self.source, self.result))
        if prod(source) != prod(result):
            raise VerifyException(f"{prod(source)} elements cannot be reshaped to {prod(result)}")


@cuda_tile_op
class SelectOp(CudaTileOp):
    """Per element, the second operand where the condition holds, else the third."""

    name = "cuda_tile.select"
    OPCODE: ClassVar = 0x5F
    cond = operand_def(I1_TILE)
    val_if_true = operand_def(T)
    val_if_false = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = (
        "$cond `,` $val_if_true `,` $val_if_false attr-dict "
        "`:` custom<ShortType>(type($cond)) `,` custom<ShortType>(type($result))"
    )

    def __init__(
        self,
        cond: SSAValue | Operation,
        val_if_true: SSAValue | Operation,
        val_if_false: SSAValue | Operation,
    ) -> None:
        super().__init__(
            operands=[cond, val_if_true, val_if_false],
            result_types=[SSAValue.get(val_if_true).type],
        )

    def verify_(self) -> None:
        check_same_shape(self.cond, self.val_if_true)
        (type,) = tile_types(self.result)
        if type.element_type == f4E2M1FN:
            raise VerifyException("f4E2M1FN tiles cannot be selected; select their bytes instead")


class FoldOp(CudaTileOp, ABC):
    """What `reduce` and `scan` share: a body of (accumulator, element) pairs."""

    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    RESULTS_KEEP_SHAPE: ClassVar[bool]
    traits = traits_def(RecursiveMemoryEffect())

    def fold_dim(self) -> int:
        return cast(Any, self).dim.value.data

    def identity_values(self) -> tuple[Attribute, ...]:
        return tuple(cast(Any, self).identities.data)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        operands = parse_operands(parser, parser.Delimiter.NONE)
        parser.parse_keyword("dim")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {
            "dim": IntegerAttr(parser.parse_integer(allow_boolean=False), i32)
        }
        if cls.RESULTS_KEEP_SHAPE:
            parser.parse_keyword("reverse")
            parser.parse_punctuation("=")
            reverse = parser.parse_boolean()
            properties["reverse"] = IntegerAttr(1 if reverse else 0, IntegerType(1))
        parser.parse_keyword("identities")
        parser.parse_punctuation("=")
        properties["identities"] = ArrayAttr(
            parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parse_typed_scalar(parser)
            )
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        check_count(parser, "operand type", len(types), len(operands), position)
        parser.parse_punctuation("->")
        results = parse_types(parser)
        values = resolve(parser, operands, types)

        def parse_argument() -> Parser.Argument:
            name = parser.parse_argument(expect_type=False)
            parser.parse_punctuation(":")
            return name.resolve(parse_short_type(parser))

        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp

        return cls.create(
            operands=values,
            result_types=results,
            properties=properties,
            attributes=attributes,
            regions=[parse_body(parser, arguments, YieldOp)],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_string(f" dim={self.fold_dim()}")
        if self.RESULTS_KEEP_SHAPE:
            reverse = cast(Any, self).reverse.value.data
            printer.print_string(f" reverse={'true' if reverse else 'false'}")
        identities = ", ".join(map(scalar_text, self.identity_values()))
        printer.print_string(f" identities=[{identities}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.operands)} -> {types_text(self.results)} ")
        printer._print_new_line()  # pyright: ignore[reportPrivateUsage]
        body = self.regions[0]
        with printer.in_parens():
            for position, arg in enumerate(body.block.args):
                printer.print_string(", " if position else "")
                printer.print_ssa_value(arg)
                printer.print_string(f": {short_type(arg.type)}")
        printer.print_string(" ")
        print_body(printer, body)

    def verify_(self) -> None:
        if not self.operands:
            raise VerifyException("needs at least one operand")
        check_same_shape(*self.operands)
        types = tile_types(*self.operands)
        rank = types[0].rank
        dim = self.fold_dim()
        if not 0 <= dim < rank:
            raise VerifyException(
                f"dim must be in 0 to {rank - 1}, but got {dim}"
                if rank
                else f"dim {dim} does not exist in a rank-0 tile"
            )
        self._check_results(types, dim)
        self._check_identities(types)
        self._check_body(types)

    def _check_results(self, types: Sequence[TileType], dim: int) -> None:
        if len(self.results) != len(types):
            raise VerifyException(
                f"needs one result for each of its {len(types)} operands, but has "
                f"{len(self.results)}"
            )
        for k, type in enumerate(types):
            shape = list(type.get_shape())
            if not self.RESULTS_KEEP_SHAPE:
                del shape[dim]
            expected = type.with_shape(shape)
            if self.results[k].type != expected:
                raise VerifyException(
                    f"result {k} must be '{short_type(expected)}', "
                    f"but got '{short_type(self.results[k].type)}'"
                )

    def _check_identities(self, types: Sequence[TileType]) -> None:
        identities = self.identity_values()
        if len(identities) != len(types):
            raise VerifyException(
                f"needs one identity for each operand, but got {len(identities)} for {len(types)}"
            )
        for k, (identity, type) in enumerate(zip(identities, types, strict=True)):
            if not isinstance(identity, IntegerAttr | FloatAttr | FloatBitsAttr):
                raise VerifyException(f"identity {k} must be a scalar")
            got: Attribute = cast(Any, identity).type
            element = type.element_type
            if got == element or {got, element} == {f16, bf16}:
                continue
            raise VerifyException(
                f"identity {k} has type '{short_type(got)}', "
                f"but the operand's elements are '{short_type(element)}'"
            )

    def _check_body(self, types: Sequence[TileType]) -> None:
        block = self.regions[0].block
        if len(block.args) != 2 * len(types):
            raise VerifyException(
                f"the body needs {2 * len(types)} arguments, an accumulator and an element "
                f"for each operand, but has {len(block.args)}"
            )
        scalars = [type.with_shape([]) for type in types]
        for k, arg in enumerate(block.args):
            if arg.type != scalars[k // 2]:
                raise VerifyException(
                    f"body argument {k} must be '{short_type(scalars[k // 2])}', "
                    f"but got '{short_type(arg.type)}'"
                )
        self._check_yield(scalars)

    def _check_yield(self, scalars: Sequence[TileType]) -> None:
        from tileir_xdsl.dialects.cuda_tile.control_flow import YieldOp

        last = self.regions[0].block.last_op
        if not isinstance(last, YieldOp):
            return  # What else may end a block is a rule of that operation.
        got = [value.type for value in last.operands]
        if got != list(scalars):
            raise RuleError(
                f"must pass ({', '.join(map(short_type, scalars))}), the new accumulators, "
                f"but passes ({', '.join(map(short_type, got))})",
                at=last,
                notes=[(f"for this '{self.name}'", self)],
            )


@cuda_tile_op
class ReduceOp(FoldOp):
    """Folds a dimension away with the body, in an unspecified order."""

    name = "cuda_tile.reduce"
    OPCODE: ClassVar = 0x58
    RESULTS_KEEP_SHAPE: ClassVar[bool] = False
    inputs = var_operand_def(ANY_TILE)
    dim = prop_def(I32_PROP)
    identities = prop_def(ArrayAttr)
    outputs = var_result_def(ANY_TILE)
    body = region_def("single_block")

    def __init__(
        self,
        inputs: Sequence[SSAValue | Operation],
        dim: int,
        identities: Sequence[Attribute],
        body: Region,
    ) -> None:
        values = [SSAValue.get(value) for value in inputs]
        results: list[Attribute] = []
        for type in tile_types(*values):
            shape = list(type.get_shape())
            del shape[dim]
            results.append(type.with_shape(shape))
        super().__init__(
            operands=[values],
            result_types=[results],
            properties={"dim": IntegerAttr(dim, i32), "identities": ArrayAttr(identities)},
            regions=[body],
        )

    def get_asm_result_names(self, set_name: SetName) -> None:
        if self.results:
            set_name(self.results[0], "reduce")

    def get_asm_block_argument_names(self, set_name: SetName) -> None:
        args = self.body.block.args
        for k, arg in enumerate(args):
            suffix = "" if len(args) == 2 else str(k // 2)
            set_name(arg, f"reduce_{'rhs' if k % 2 else 'lhs'}{suffix}")


@cuda_tile_op
class ScanOp(FoldOp):
    """Inclusive prefix fold along a dimension."""

    name = "cuda_tile.scan"
    OPCODE: ClassVar = 0x5E
    RESULTS_KEEP_SHAPE: ClassVar[bool] = True
    inputs = var_operand_def(ANY_TILE)
    dim = prop_def(I32_PROP)
    reverse = prop_def(BOOL_PROP)
    identities = prop_def(ArrayAttr)
    outputs = var_result_def(ANY_TILE)
    body = region_def("single_block")

    def __init__(
        self,
        inputs: Sequence[SSAValue | Operation],
        dim: int,
        identities: Sequence[Attribute],
        body: Region,
        *,
        reverse: bool = False,
    ) -> None:
        values = [SSAValue.get(value) for value in inputs]
        super().__init__(
            operands=[values],
            result_types=[[value.type for value in values]],
            properties={
                "dim": IntegerAttr(dim, i32),
                "reverse": IntegerAttr(1 if reverse else 0, IntegerType(1)),
                "identities": ArrayAttr(identities),
            },
            regions=[body],
        )


OPERATIONS: tuple[type[CudaTileOp], ...] = (
    BroadcastOp,
    CatOp,
    ConstantOp,
    EntryOp,
    ExtractOp,
    GetGlobalOp,
    GetNumTileBlocksOp,
    GetTileBlockIdOp,
    GlobalOp,
    InsertOp,
    IotaOp,
    ModuleOp,
    OffsetOp,
    PackOp,
    PermuteOp,
    ReduceOp,
    ReshapeOp,
    ScanOp,
    SelectOp,
    UnpackOp,
)
