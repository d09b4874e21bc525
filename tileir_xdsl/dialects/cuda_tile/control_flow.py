"""Control flow. Specification: section Control Flow."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_VALUE,
    CARRIED_VALUE,
    I1_TILE,
    INT_TILE,
    CudaTileOp,
    SetName,
    cuda_tile_op,
    same,
)
from tileir_xdsl.dialects.cuda_tile.rules import RuleError
from tileir_xdsl.dialects.cuda_tile.syntax import (
    begins_operation,
    check_count,
    parse_body,
    parse_operands,
    parse_types,
    parse_types_in_parens,
    print_body,
    print_values,
    resolve,
    types_text,
)
from tileir_xdsl.dialects.cuda_tile.types import TileType, parse_short_type, short_type
from tileir_xdsl.versions import V13_2, Version

BOUND = same("B", INT_TILE.scalar())


@cuda_tile_op
class AssertOp(CudaTileOp):
    """Stops the kernel with a message when an element is false."""

    name = "cuda_tile.assert"
    OPCODE: ClassVar = 0x05
    condition = operand_def(I1_TILE)
    message = prop_def(StringAttr)

    def __init__(self, condition: SSAValue | Operation, message: str) -> None:
        super().__init__(operands=[condition], properties={"message": StringAttr(message)})

    @classmethod
    def parse(cls, parser: Parser) -> AssertOp:
        condition = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        message = parser.parse_str_literal()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parse_short_type(parser)
        return cls.create(
            operands=resolve(parser, [condition], [type]),
            properties={"message": StringAttr(message)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(", ")
        printer.print_string_literal(self.message.data)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.condition.type)}")


class TerminatorOp(CudaTileOp, ABC):
    """Ends a block and passes values on."""

    args = var_operand_def(ANY_VALUE)

    def __init__(self, *args: SSAValue | Operation) -> None:
        super().__init__(operands=[args])

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        operands = []
        first = None
        if not begins_operation(parser):
            first = parser.parse_optional_unresolved_operand()
        if first is not None:
            operands = [first]
            if parser.parse_optional_punctuation(",") is not None:
                operands += parse_operands(parser, parser.Delimiter.NONE)
        attributes = parser.parse_optional_attr_dict()
        types: list[Attribute] = []
        if operands:
            parser.parse_punctuation(":")
            position = parser.pos
            types = parse_types(parser)
            check_count(parser, "operand type", len(types), len(operands), position)
        return cls.create(operands=resolve(parser, operands, types), attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        if self.operands:
            printer.print_string(f" : {types_text(self.operands)}")


def check_passed(
    what: str, got: Sequence[SSAValue], expected: Sequence[Attribute], target: Operation
) -> None:
    """The values that a terminator passes have the types that `target` takes."""
    types = [value.type for value in got]
    if types == list(expected):
        return
    raise RuleError(
        f"must pass ({', '.join(map(short_type, expected))}), {what}, "
        f"but passes ({', '.join(map(short_type, types))})",
        notes=[(f"to this '{target.name}'", target)],
    )


def target_loop(op: Operation) -> Operation | None:
    """The first ancestor that is no `if`."""
    parent = op.parent_op()
    while isinstance(parent, IfOp):
        parent = parent.parent_op()
    return parent


@cuda_tile_op
class BreakOp(TerminatorOp):
    """Leaves the enclosing `loop` with its results."""

    name = "cuda_tile.break"
    OPCODE: ClassVar = 0x0A
    traits = traits_def(IsTerminator())

    def verify_(self) -> None:
        target = target_loop(self)
        if not isinstance(target, LoopOp):
            raise VerifyException("must be in a 'cuda_tile.loop', with only 'cuda_tile.if' between")
        check_passed("the results of the loop", self.args, target.result_types, target)


@cuda_tile_op
class ContinueOp(TerminatorOp):
    """Begins the next iteration of the enclosing `for` or `loop` with its carried values."""

    name = "cuda_tile.continue"
    OPCODE: ClassVar = 0x11
    traits = traits_def(IsTerminator())

    def verify_(self) -> None:
        target = target_loop(self)
        if isinstance(target, ForOp):
            check_passed("the carried values of the loop", self.args, target.result_types, target)
        elif isinstance(target, LoopOp):
            types = [value.type for value in target.operands]
            check_passed("the carried values of the loop", self.args, types, target)
        else:
            raise VerifyException(
                "must be in a 'cuda_tile.for' or 'cuda_tile.loop', with only 'cuda_tile.if' between"
            )


@cuda_tile_op
class YieldOp(TerminatorOp):
    """Gives the results of an `if` branch or of a `reduce` or `scan` body."""

    name = "cuda_tile.yield"
    OPCODE: ClassVar = 0x6D
    traits = traits_def(IsTerminator(), Pure())

    def verify_(self) -> None:
        from tileir_xdsl.dialects.cuda_tile.core import FoldOp

        parent = self.parent_op()
        if not isinstance(parent, IfOp | FoldOp):
            raise VerifyException(
                "must be directly in a 'cuda_tile.if', 'cuda_tile.reduce' or 'cuda_tile.scan'"
            )
        if isinstance(parent, IfOp):
            check_passed("the results of the if", self.args, parent.result_types, parent)


@cuda_tile_op
class ReturnOp(TerminatorOp):
    """Ends the kernel for this tile block."""

    name = "cuda_tile.return"
    OPCODE: ClassVar = 0x5C
    traits = traits_def(IsTerminator())

    def verify_(self) -> None:
        from tileir_xdsl.dialects.cuda_tile.core import EntryOp, ModuleOp

        if self.args:
            raise VerifyException("an entry has no results to return")
        parent = self.parent_op()
        while isinstance(parent, IfOp | LoopOp):
            parent = parent.parent_op()
        if isinstance(parent, ForOp):
            raise VerifyException("cannot leave a 'cuda_tile.for'; use 'cuda_tile.loop'")
        # A module says itself what it holds.
        if parent is not None and not isinstance(parent, EntryOp | ModuleOp):
            raise VerifyException(f"cannot be in '{parent.name}'")


@cuda_tile_op
class ForOp(CudaTileOp):
    """Counts from lower to upper bound in steps; bounds are compared signed or unsigned."""

    name = "cuda_tile.for"
    OPCODE: ClassVar = 0x29
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"unsignedCmp": V13_2}
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    IMPLICIT_TERMINATOR: ClassVar[str | None] = "cuda_tile.continue"
    lower_bound = operand_def(BOUND)
    upper_bound = operand_def(BOUND)
    step = operand_def(BOUND)
    init_values = var_operand_def(CARRIED_VALUE)
    unsigned_cmp = opt_prop_def(UnitAttr, prop_name="unsignedCmp")
    outputs = var_result_def(CARRIED_VALUE)
    region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        lower_bound: SSAValue | Operation,
        upper_bound: SSAValue | Operation,
        step: SSAValue | Operation,
        init_values: Sequence[SSAValue | Operation] = (),
        region: Region | None = None,
        *,
        unsigned: bool = False,
    ) -> None:
        values = [SSAValue.get(value) for value in init_values]
        types = [value.type for value in values]
        if region is None:
            region = Region(Block(arg_types=[SSAValue.get(lower_bound).type, *types]))
        super().__init__(
            operands=[lower_bound, upper_bound, step, values],
            result_types=[types],
            properties={"unsignedCmp": UnitAttr() if unsigned else None},
            regions=[region],
        )

    @property
    def induction_variable(self) -> SSAValue:
        return self.region.block.args[0]

    @property
    def iter_args(self) -> Sequence[SSAValue]:
        return self.region.block.args[1:]

    def get_asm_result_names(self, set_name: SetName) -> None:
        if self.results:
            set_name(self.results[0], "for")

    def get_asm_block_argument_names(self, set_name: SetName) -> None:
        for k, arg in enumerate(self.region.block.args):
            set_name(arg, f"iterArg{k - 1}" if k else "loopIdx")

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("unsigned") is not None:
            properties["unsignedCmp"] = UnitAttr()
        variable = parser.parse_argument(expect_type=False)
        parser.parse_keyword("in")
        with parser.in_parens():
            lower = parser.parse_unresolved_operand()
            parser.parse_keyword("to")
            upper = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parser.parse_keyword("step")
            step = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        type = parse_short_type(parser)
        arguments = [variable.resolve(type)]
        inits: list[Any] = []
        types: list[Attribute] = []
        if parser.parse_optional_keyword("iter_values") is not None:
            carried, inits = parse_carried(parser)
            parser.parse_punctuation("->")
            position = parser.pos
            types = parse_types_in_parens(parser)
            check_count(parser, "type", len(types), len(inits), position)
            arguments += [a.resolve(t) for a, t in zip(carried, types, strict=True)]
        operands = resolve(parser, [lower, upper, step, *inits], [type] * 3 + types)
        region = parse_body(parser, arguments, ContinueOp)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=operands,
            result_types=types,
            properties=properties,
            attributes=attributes,
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        args = self.region.block.args
        printer.print_string(" unsigned " if self.unsigned_cmp is not None else " ")
        printer.print_ssa_value(args[0])
        printer.print_string(" in (")
        printer.print_ssa_value(self.lower_bound)
        printer.print_string(" to ")
        printer.print_ssa_value(self.upper_bound)
        printer.print_string(", step ")
        printer.print_ssa_value(self.step)
        printer.print_string(f") : {short_type(args[0].type)}")
        if self.init_values:
            print_carried(printer, args[1:], self.init_values)
            printer.print_string(f" -> ({types_text(self.results)})")
        printer.print_string(" ")
        print_body(printer, self.region)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        args = self.region.block.args
        types = [value.type for value in self.init_values]
        if not args or args[0].type != self.lower_bound.type:
            raise VerifyException(
                "the body's first argument must have the type of the bounds, "
                f"'{short_type(self.lower_bound.type)}'"
            )
        if [arg.type for arg in args[1:]] != types or list(self.result_types) != types:
            raise VerifyException(
                "initial values, the body's arguments and results must have equal types"
            )
        check_terminator(self.region, (ContinueOp,))


def check_terminator(region: Region, allowed: tuple[type[Operation], ...]) -> None:
    """A terminator of another dialect does not end the body.

    Where those of this dialect may stand is their own rule, and that a block ends with a
    terminator is one of every block.
    """
    last = region.block.last_op
    if last is None or isinstance(last, TerminatorOp) or not last.has_trait(IsTerminator):
        return
    names = " or ".join(f"'{op.name}'" for op in allowed)
    raise RuleError(f"cannot end this body, which ends with {names}", at=last)


def parse_carried(parser: Parser) -> tuple[list[Parser.UnresolvedArgument], list[Any]]:
    """`(%arg = %init, ...)`."""
    arguments: list[Parser.UnresolvedArgument] = []
    inits: list[Any] = []

    def parse_pair() -> None:
        arguments.append(parser.parse_argument(expect_type=False))
        parser.parse_punctuation("=")
        inits.append(parser.parse_unresolved_operand())

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_pair)
    return arguments, inits


def print_carried(
    printer: Printer, arguments: Sequence[SSAValue], inits: Sequence[SSAValue]
) -> None:
    printer.print_string(" iter_values(")
    for position, (argument, init) in enumerate(zip(arguments, inits, strict=True)):
        printer.print_string(", " if position else "")
        printer.print_ssa_value(argument)
        printer.print_string(" = ")
        printer.print_ssa_value(init)
    printer.print_string(")")


@cuda_tile_op
class LoopOp(CudaTileOp):
    """Repeats until `break`."""

    name = "cuda_tile.loop"
    OPCODE: ClassVar = 0x41
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    IMPLICIT_TERMINATOR: ClassVar[str | None] = "cuda_tile.continue"
    init_values = var_operand_def(CARRIED_VALUE)
    outputs = var_result_def(CARRIED_VALUE)
    region = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        init_values: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        region: Region,
    ) -> None:
        super().__init__(operands=[init_values], result_types=[result_types], regions=[region])

    @classmethod
    def parse(cls, parser: Parser) -> LoopOp:
        arguments: list[Parser.Argument] = []
        operands: list[SSAValue] = []
        results: list[Attribute] = []
        if parser.parse_optional_keyword("iter_values") is not None:
            carried, inits = parse_carried(parser)
            parser.parse_punctuation(":")
            position = parser.pos
            types = parse_types(parser)
            check_count(parser, "type", len(types), len(inits), position)
            arguments = [a.resolve(t) for a, t in zip(carried, types, strict=True)]
            operands = resolve(parser, inits, types)
            if parser.parse_optional_punctuation("->") is not None:
                results = parse_types(parser)
        elif parser.parse_optional_punctuation(":") is not None:
            results = parse_types(parser)
        region = parse_body(parser, arguments, ContinueOp)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=operands, result_types=results, attributes=attributes, regions=[region]
        )

    def print(self, printer: Printer) -> None:
        if self.init_values:
            print_carried(printer, self.region.block.args, self.init_values)
            printer.print_string(f" : {types_text(self.operands)}")
            if self.results:
                printer.print_string(f" -> {types_text(self.results)}")
        elif self.results:
            printer.print_string(f" : {types_text(self.results)}")
        printer.print_string(" ")
        print_body(printer, self.region)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        types = [value.type for value in self.init_values]
        if [arg.type for arg in self.region.block.args] != types:
            raise VerifyException("initial values and the body's arguments must have equal types")
        check_terminator(self.region, (ContinueOp, BreakOp, ReturnOp))


@cuda_tile_op
class IfOp(CudaTileOp):
    """Runs one of two regions; with results the else region is required."""

    name = "cuda_tile.if"
    OPCODE: ClassVar = 0x32
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    IMPLICIT_TERMINATOR: ClassVar[str | None] = "cuda_tile.yield"
    condition = operand_def(I1_TILE.scalar())
    outputs = var_result_def(CARRIED_VALUE)
    then_region = region_def("single_block")
    else_region = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        condition: SSAValue | Operation,
        result_types: Sequence[Attribute],
        then_region: Region,
        else_region: Region | None = None,
    ) -> None:
        super().__init__(
            operands=[condition],
            result_types=[result_types],
            regions=[then_region, else_region or Region()],
        )

    @property
    def has_else(self) -> bool:
        return self.else_region.blocks.first is not None

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.parse_unresolved_operand()
        operands = resolve(parser, [condition], [TileType.get([], I1)])
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            results = parse_types_in_parens(parser)
        then_region = parse_body(parser, (), YieldOp)
        else_region = Region()
        if parser.parse_optional_keyword("else") is not None:
            else_region = parse_body(parser, (), YieldOp)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=operands,
            result_types=results,
            attributes=attributes,
            regions=[then_region, else_region],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        if self.results:
            printer.print_string(f" -> ({types_text(self.results)})")
        printer.print_string(" ")
        print_body(printer, self.then_region)
        if self.has_else:
            printer.print_string(" else ")
            print_body(printer, self.else_region)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if self.results and not self.has_else:
            raise VerifyException("an if with results needs an else region")
        terminators = (YieldOp, BreakOp, ContinueOp, ReturnOp)
        check_terminator(self.then_region, terminators)
        if not self.has_else:
            return
        if len(self.else_region.blocks) != 1:
            raise VerifyException("the else region must have one block")
        check_terminator(self.else_region, terminators)


I1 = I1_TILE.elements[0]

OPERATIONS: tuple[type[CudaTileOp], ...] = (
    AssertOp,
    BreakOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoopOp,
    ReturnOp,
    YieldOp,
)
