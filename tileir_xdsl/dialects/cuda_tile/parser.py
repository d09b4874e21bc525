"""Parsing `cuda_tile` text: NVIDIA's form, wrapped or bare, and MLIR's generic form.

`TileParser` extends xDSL's parser by what it lacks: aliases that are used before their
definition, dialect locations, the place of every operation, recovery at the next entry, and
exact floats.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue  # noqa: TID251
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRTokenKind

from tileir_xdsl.diagnostics import (
    Diagnostic,
    DiagnosticError,
    DiagnosticSink,
    Place,
    Severity,
    SourceFile,
)
from tileir_xdsl.dialects.cuda_tile import ALIASES, CudaTile
from tileir_xdsl.dialects.cuda_tile import core as core_ops
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp, encoding_of
from tileir_xdsl.dialects.cuda_tile.constants import (
    FloatBitsAttr,
    check_shape,
    parse_literal,
    parse_typed_scalar,
)
from tileir_xdsl.dialects.cuda_tile.lexer import FastLexer, string_value
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr, callsite, nested_location
from tileir_xdsl.dialects.cuda_tile.nesting import (
    MAX_ATTRIBUTE_DEPTH,
    MAX_ATTRIBUTE_PARTS,
    MAX_LOCATION_PARTS,
    MAX_NESTING,
    AttributeSizes,
    deep_recursion,
)
from tileir_xdsl.dialects.cuda_tile.places import problem_of, set_argument_span, set_place
from tileir_xdsl.dialects.cuda_tile.printer import KERNEL_DIALECT
from tileir_xdsl.dialects.cuda_tile.types import (
    SHORT_NAMES,
    CudaTileType,
    TileType,
    fnv8E5M3FNU,
    parse_short_type,
)
from tileir_xdsl.dialects.cuda_tile.wording import clean_message, plural, suggestion
from tileir_xdsl.garbage import garbage_collection_paused

_ALIAS_DEFINITION = re.compile(r"^[ \t]*([#!][A-Za-z$._-][A-Za-z0-9$._-]*)[ \t]*=(?!=)", re.M)
_TOP_LEVEL = re.compile(r"^[ \t]*(?:cuda_tile\.)?(?:entry|global)\b", re.M)
_KERNEL = re.compile(r"^tile_sugar\.kernel\b", re.M)
_PRODUCER = re.compile(r"\A// Producer: ([^\n]*)\n")


def new_context() -> Context:
    """A context with the dialects of this project."""
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(CudaTile)
    for name, load in KERNEL_DIALECTS.items():
        context.register_dialect(name, load)
    return context


def _tile_sugar() -> Dialect:
    from tileir_xdsl.dialects.tile_sugar import TileSugar

    return TileSugar


def _arith() -> Dialect:
    from xdsl.dialects.arith import Arith

    return Arith


def _math() -> Dialect:
    from xdsl.dialects.math import Math

    return Math


def _scf() -> Dialect:
    from xdsl.dialects.scf import Scf

    return Scf


KERNEL_DIALECTS = {"tile_sugar": _tile_sugar, "arith": _arith, "math": _math, "scf": _scf}
"""The dialects of sugar kernels, imported when a program first names one of their operations."""


def parse_module(text: str, name: str = "<string>") -> ModuleOp:
    """Parse a program; `DiagnosticError` holds all that is wrong with its form.

    The operations are built but not verified: `tileir_xdsl.verify` does that.
    """
    sink = DiagnosticSink()
    module = parse_source(SourceFile(name, text), sink)
    if sink.has_errors:
        raise DiagnosticError([d for d in sink.sorted() if d.severity is Severity.ERROR])
    return module


def parse_source(
    source: SourceFile, sink: DiagnosticSink, context: Context | None = None
) -> ModuleOp:
    """Parse a program and put errors into the sink; what could be parsed is the result."""
    with deep_recursion(), garbage_collection_paused():
        return TileParser(context or new_context(), source, sink).parse_program()


class _LazyAliases(dict[str, Attribute]):
    """Aliases of a file, each parsed when it is first used."""

    def __init__(self, parser: TileParser, positions: dict[str, int]) -> None:
        super().__init__()
        self.parser = parser
        self.positions = positions
        self.active: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.positions

    def __missing__(self, name: str) -> Attribute:
        if name not in self.positions:
            raise KeyError(name)
        if name in self.active:
            self.parser.raise_error(f"alias '{name}' is defined by itself")
        self.active.add(name)
        value = self.parser.parse_alias_at(self.positions[name])
        self.active.discard(name)
        self[name] = value
        return value


@lru_cache(maxsize=1 << 12)
def _int(value: int) -> IntAttr:
    return IntAttr(value)


def file_location(name: StringAttr, line: int, column: int) -> FileLineColLoc:
    """A file location, built without xDSL's checks of each parameter: one is made per operation."""
    location = object.__new__(FileLineColLoc)
    object.__setattr__(location, "filename", name)
    object.__setattr__(location, "line", _int(line))
    object.__setattr__(location, "column", _int(column))
    return location


class TileParser(Parser):
    """Parser of one source file."""

    _builtin_float_types: ClassVar = {
        **Parser._builtin_float_types,  # pyright: ignore[reportPrivateUsage]
        fnv8E5M3FNU.name: fnv8E5M3FNU,
    }

    def __init__(self, context: Context, source: SourceFile, sink: DiagnosticSink) -> None:
        self._place_text = StringAttr(source.path)
        self.source = source
        self.sink = sink
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", source.text))]
        self.type_cache: dict[str, CudaTileType] = {}
        self._depth = 0
        self._sizes = AttributeSizes()
        self._forward_places: dict[str, Span[str]] = {}
        self._forward_spans: dict[SSAValue, Span[str]] = {}
        self._definitions: dict[str, Span[str]] = {}
        input = Input(source.text, source.path)
        super().__init__(context, "", source.path)
        self._parser_state = self._state_at(input, 0)
        positions: dict[str, int] = {}
        for match in _ALIAS_DEFINITION.finditer(source.text):
            positions.setdefault(match[1], match.end())
        self.attribute_aliases = _LazyAliases(self, positions)
        self._seen_aliases: set[str] = set()

    def _state_at(self, input: Input[str], pos: int) -> ParserState[MLIRTokenKind, str]:
        lexer = FastLexer(input)
        lexer.pos = pos
        state: Any = object.__new__(cast(Any, ParserState))
        state.lexer = lexer
        state.dialect_stack = ["builtin"]
        state.current_token = None
        return state

    # Errors.

    def report(self, error: ParseError) -> None:
        span = error.span
        place = Place.at(self.source, span.start, max(span.end, span.start))
        message = clean_message(error.msg)
        if message.startswith("expected ") and ", but " not in message:
            message += self._found(span)
        self.sink.error(message, place, _notes(self.source, error))

    def _found(self, span: Span[Any]) -> str:
        """`, but got 'TOKEN'` when a span is one token."""
        text = self.source.text
        if not text[span.start :].strip():
            return ", but the file ends"
        lexer = FastLexer(self.lexer.input)
        lexer.pos = span.start
        try:
            token = lexer.lex()
        except ParseError:
            return ""
        is_token = token.start == span.start and token.end == span.end
        shown = token.text if len(token.text) <= 40 else f"{token.text[:40]}..."
        return f", but got '{shown}'" if is_token else ""

    # Programs.

    def parse_program(self) -> ModuleOp:
        """The whole file as a `builtin.module`; errors are in the sink."""
        operations: list[Operation] = []
        try:
            self._resume_from(0)
            self._parse_top_level(operations)
        except ParseError as error:
            self.report(error)
        except RecursionError:
            self.report(ParseError(self._here(), "nested too deeply"))
        program = _as_program(operations)
        set_place(program, self.source, 0, 0)
        if self.sink.has_errors:
            _mark_incomplete(program)
        return program

    def _here(self) -> Span[str]:
        token: Any = self._current_token
        return token.span if token is not None else Span(0, 0, self.lexer.input)

    def _parse_top_level(self, operations: list[Operation]) -> None:
        bare = self._is_bare()
        if bare:
            operations.append(self._parse_bare_module())
            return
        while self._current_token.kind is not MLIRTokenKind.EOF:
            if self._parse_optional_preamble():
                continue
            try:
                operation = self.parse_optional_operation()
                if operation is None:
                    self.raise_error("expected an operation", self._here())
                operations.append(operation)
                self._report_undefined()
            except ParseError as error:
                self.report(error)
                if not self._recover_at_kernel(error.span.start):
                    return

    def _recover_at_kernel(self, position: int) -> bool:
        """Move to the next sugar kernel at the left margin after a broken one."""
        text = self.source.text
        after = _KERNEL.search(text, text.find("\n", position) + 1 or len(text))
        if after is None:
            return False
        self._parser_state.dialect_stack[:] = ["builtin"]
        self.ssa_values, self.blocks = {}, {}
        self.forward_ssa_references.clear()
        self.forward_block_references.clear()
        self._forward_places.clear()
        self._forward_spans.clear()
        self._depth = 0
        self._resume_quietly(after.start())
        return True

    def _parse_optional_preamble(self) -> bool:
        kind = self._current_token.kind
        if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
            self._parse_alias_def()
            return True
        if kind is MLIRTokenKind.FILE_METADATA_BEGIN:
            self._parse_file_metadata_dictionary()
            return True
        return False

    def _is_bare(self) -> bool:
        """Whether the file is a module's body, as NVIDIA's disassembler prints it."""
        for match in _STATEMENT.finditer(self.source.text):
            word = match[1]
            if word is not None:
                return word in ("entry", "global")
        return True

    def _parse_bare_module(self) -> core_ops.ModuleOp:
        producer = _PRODUCER.match(self.source.text)
        module = core_ops.ModuleOp(producer=None if producer is None else producer[1])
        module.bare = True
        self._parser_state.dialect_stack.append(CudaTile.name)
        self._parse_entries(module.body.block)
        self._parser_state.dialect_stack.pop()
        if self._current_token.kind is not MLIRTokenKind.EOF:
            self.raise_error("expected an entry or a global", self._here())
        return module

    def _parse_entries(self, block: Block) -> None:
        """The body of a module; after an error, go on at the next entry or global."""
        stack = list(self._parser_state.dialect_stack)
        # xDSL goes on in the outer scope's own dictionary inside of a region.
        values = self.ssa_values.copy()
        blocks, forward_blocks = self.blocks, self.forward_block_references
        while True:
            try:
                if self._parse_optional_preamble():
                    continue
                operation = self.parse_optional_operation()
                self._report_undefined()
                if operation is None:
                    return
                block.add_op(operation)
            except ParseError as error:
                self.report(error)
                self._parser_state.dialect_stack[:] = stack
                self.ssa_values = values.copy()
                self.blocks, self.forward_block_references = blocks, forward_blocks
                self._depth = 1
                self.forward_ssa_references.clear()
                self._forward_places.clear()
                self._forward_spans.clear()
                if not self._recover(error.span.start):
                    return

    def _recover(self, position: int) -> bool:
        """Move to the next entry or global after a broken one, or to the module's end."""
        text = self.source.text
        after = _TOP_LEVEL.search(text, text.find("\n", position) + 1 or len(text))
        if after is None:
            end = -1 if self._is_bare() else text.rfind("}", position)
            self._resume_quietly(len(text) if end < 0 else end)
            return False
        self._resume_quietly(after.start())
        return True

    def _resume_quietly(self, position: int) -> None:
        try:
            self._resume_from(position)
        except ParseError:
            self._resume_from(len(self.source.text))

    def _parse_block_body(self, block: Block) -> None:
        if self._in_module:
            self._in_module = False
            self._parse_entries(block)
            return
        super()._parse_block_body(block)

    _in_module = False

    def _report_undefined(self) -> None:
        for name, references in self.forward_ssa_references.items():
            for index in references:
                span = self._forward_places.get(f"{name}#{index}", self._here())
                place = Place.at(self.source, span.start, span.end)
                self.sink.error(f"use of undefined value '%{name}'", place)
        self.forward_ssa_references.clear()
        self._forward_places.clear()
        self._forward_spans.clear()

    # Operations.

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        bound = self._parse_op_result_list()
        token = self._current_token
        if token.kind is MLIRTokenKind.BARE_IDENT:
            op_type = self._get_op_by_name(token.text)
            name_end = token.span.end
            self._consume_token()
            operation = self._parse_custom(op_type, start, name_end)
        else:
            name = self.parse_optional_str_literal()
            if name is None:
                self.raise_error("expected an operation name", self._here())
            op_type = self._get_op_by_name(name, token.span)
            name_end = token.span.end
            self._parser_state.dialect_stack.append(op_type.dialect_name())
            self._in_module = op_type is core_ops.ModuleOp
            operation = self._parse_generic_operation(op_type)
            self._parser_state.dialect_stack.pop()
        self._bind_results(operation, bound, token.span)
        set_place(operation, self.source, token.span.start, name_end)
        if isinstance(operation.location, UnknownLoc) and not self._explicit_location:
            operation.location = self._implicit_location(token.span.start)
        self._explicit_location = False
        if operation.regions:
            self._report_defined_inside(operation)
        return operation

    _explicit_location = False

    def _report_defined_inside(self, operation: Operation) -> None:
        """Operands that the operation's own body defines.

        The definition came before the operation was there to have its operand replaced.
        """
        references = self.forward_ssa_references.values()
        undefined = {value for named in references for value in named.values()}
        for operand in operation.operands:
            if not isinstance(operand, ForwardDeclaredValue) or operand in undefined:
                continue
            span = self._forward_spans.get(operand, self._here())
            message = f"'%{span.text[1:]}' is defined inside of '{operation.name}'"
            self.report(ParseError(span, f"{message} and not visible outside of it"))

    def _parse_custom(self, op_type: type[Operation], start: int, name_end: int) -> Operation:
        stack = self._parser_state.dialect_stack
        stack.append(op_type.dialect_name())
        self._in_module = op_type is core_ops.ModuleOp
        try:
            operation = op_type.parse(self)
        except VerifyException as error:
            self.raise_error(str(error), start, name_end)
        stack.pop()
        if problem := problem_of(operation):
            mnemonic = operation.name.partition(".")[2]
            span = Span(name_end - len(mnemonic), name_end, self.lexer.input)
            self.report(ParseError(span, f"'{operation.name}' op {problem}"))
        location = self.parse_optional_location()
        if location is not None:
            operation.location = location
        return operation

    def _implicit_location(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return file_location(self._place_text, line + self.source.first_line - 1, column)

    def _bind_results(
        self, operation: Operation, bound: list[tuple[Span[str], int]], name: Span[str]
    ) -> None:
        if not bound:
            return
        count = sum(size for _, size in bound)
        results = operation.results
        if len(results) != count:
            self.raise_error(
                f"'{operation.name}' has {plural(len(results), 'result')}, "
                f"but {count} {'is' if count == 1 else 'are'} named",
                name,
            )
        position = 0
        for span, size in bound:
            self._register_ssa_definition(span.text[1:], results[position : position + size], span)
            position += size

    def _get_op_by_name(self, name: str, span: Span[str] | None = None) -> type[Operation]:
        stack = self._parser_state.dialect_stack
        if CudaTile.name in stack and "." not in name:
            qualified = f"{CudaTile.name}.{name}"
            known = self.ctx.get_optional_op(ALIASES.get(qualified, qualified))
            if known is not None and issubclass(known, CudaTileOp):
                return known
        if KERNEL_DIALECT in stack and "." not in name and name != "yield":
            # The loops of a kernel have a `reduce` of their own dialect; they keep its `yield`.
            known = self.ctx.get_optional_op(f"{KERNEL_DIALECT}.{name}")
            if known is not None:
                return known
        full = ALIASES.get(name, name)
        known = self.ctx.get_optional_op(full, dialect_stack=stack)
        if known is not None:
            return known
        in_kernel = KERNEL_DIALECT in stack and not name.startswith(f"{CudaTile.name}.")
        dialect = _tile_sugar() if in_kernel else CudaTile
        mnemonics = [op.name.partition(".")[2] for op in dialect.operations]
        hint = suggestion(name.removeprefix(f"{dialect.name}."), mnemonics)
        if name == "kernel" and not in_kernel:
            hint = f"; did you mean '{KERNEL_DIALECT}.kernel'?"
        self.raise_error(f"unknown operation '{name}'{hint}", span or self._here())

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        operation = super()._parse_generic_operation(op_type)
        if isinstance(operation, IRDLOperation):
            _numbers_to_enums(operation)
        return operation

    def parse_optional_region(self, arguments: Sequence[Parser.Argument] | None = None) -> Any:
        if self._current_token.kind is not MLIRTokenKind.L_BRACE:
            return None
        if self._depth >= MAX_NESTING:
            self.raise_error(f"regions are nested more than {MAX_NESTING} deep", self._here())
        self._depth += 1
        region = super().parse_optional_region(arguments)
        self._depth -= 1
        return region

    # Values.

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue[Any]:
        name = operand.operand_name
        values = self.ssa_values.get(name)
        if values is None:
            first = self._forward_places.setdefault(f"{name}#{operand.index}", operand.span)
            known = self.forward_ssa_references.get(name, {}).get(operand.index)
            if known is not None and known.type != type:
                raise _NotedParseError(
                    operand.span,
                    f"'%{name}' is used as '{type}', but was used as '{known.type}' before",
                    "used here",
                    first,
                )
            value = super().resolve_operand(operand, type)
            self._forward_spans[value] = operand.span
            return value
        if operand.index >= len(values):
            raise _NotedParseError(
                operand.span,
                f"'%{name}' has {plural(len(values), 'value')}, numbered from 0: "
                f"there is no number {operand.index}",
                "defined here",
                self._definitions.get(name),
            )
        value = values[operand.index]
        if value.type != type and problem_of(value.owner) is None:
            counts = "; a loop over 'i32' says so: ': i32'" if type == IndexType() else ""
            raise _NotedParseError(
                operand.span,
                f"'%{name}' has type '{value.type}', but is used as '{type}'{counts}",
                "defined here",
                self._definitions.get(name),
            )
        return value

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span[str]
    ) -> None:
        if name in self.ssa_values:
            raise _NotedParseError(
                span, f"'%{name}' is defined twice", "first here", self._definitions.get(name)
            )
        self._definitions[name] = span
        if len(values) == 1 and isinstance(values[0], BlockArgument):
            set_argument_span(values[0], self.source, span.start, span.end)
        super()._register_ssa_definition(name, values, span)

    # Tokens: the same grammar as xDSL's, with fewer lookups and MLIR's wording.

    def parse_optional_punctuation(self, punctuation: Any) -> Any:
        state = self._parser_state
        if state.current_token.kind is not KIND_BY_PUNCTUATION_SPELLING[punctuation]:
            return None
        state.current_token = state.lexer.lex()
        return punctuation

    def parse_punctuation(self, punctuation: Any, context_msg: str = "") -> Any:
        if self.parse_optional_punctuation(punctuation) is None:
            self.raise_error(f"expected '{punctuation}'{context_msg}", self._here())
        return punctuation

    def parse_optional_keyword(self, keyword: str) -> str | None:
        state = self._parser_state
        token = state.current_token
        if token.kind is not MLIRTokenKind.BARE_IDENT or token.text != keyword:
            return None
        state.current_token = state.lexer.lex()
        return keyword

    def parse_keyword(self, keyword: str, context_msg: str = "") -> str:
        if self.parse_optional_keyword(keyword) is None:
            self.raise_error(f"expected '{keyword}'{context_msg}", self._here())
        return keyword

    def parse_unresolved_operand(self, msg: str = "expected an operand") -> UnresolvedOperand:
        operand = self.parse_optional_unresolved_operand()
        if operand is None:
            self.raise_error(msg, self._here())
        return operand

    def parse_optional_unresolved_operand(self) -> UnresolvedOperand | None:
        state = self._parser_state
        token = state.current_token
        if token.kind is not MLIRTokenKind.PERCENT_IDENT:
            return None
        state.current_token = state.lexer.lex()
        if state.current_token.kind is not MLIRTokenKind.HASH_IDENT:
            return UnresolvedOperand(token.span, 0)
        number = state.current_token.text[1:]
        if not number.isdigit():
            self.raise_error("expected the number of a result after '#'", self._here())
        state.current_token = state.lexer.lex()
        return UnresolvedOperand(token.span, int(number))

    def parse_optional_str_literal(self) -> str | None:
        token = self._parse_optional_token(MLIRTokenKind.STRING_LIT)
        return None if token is None else string_value(token.text)

    def _parse_optional_string_attr(self) -> StringAttr | None:
        string = self.parse_optional_str_literal()
        return None if string is None else StringAttr(string)

    def parse_optional_symbol_name(self) -> StringAttr | None:
        token = self._parse_optional_token(MLIRTokenKind.AT_IDENT)
        if token is None:
            return None
        name = token.text[1:]
        return StringAttr(string_value(name) if name.startswith('"') else name)

    # Types and attributes.

    def parse_type(self) -> Any:
        token = self._current_token
        is_short = token.kind is MLIRTokenKind.BARE_IDENT and token.text in SHORT_NAMES
        if is_short and not self._in_kernel:
            self.raise_error(
                f"expected a type, but got '{token.text}': outside of cuda_tile operations "
                "put '!cuda_tile.' before it",
                token.span,
            )
        return super().parse_type()

    @property
    def _in_kernel(self) -> bool:
        """Whether types are spelled short in the operations of every dialect."""
        return KERNEL_DIALECT in self._parser_state.dialect_stack

    def parse_optional_type(self) -> Any:
        if not self._in_kernel or self._current_token.text not in _KERNEL_TYPES:
            return super().parse_optional_type()
        from tileir_xdsl.dialects.tile_sugar.types import parse_optional_kernel_type

        return parse_optional_kernel_type(self)

    def parse_optional_builtin_int_or_float_attr(self) -> Any:
        if self._parser_state.dialect_stack[-1] not in (CudaTile.name, KERNEL_DIALECT):
            return super().parse_optional_builtin_int_or_float_attr()
        token = self._current_token
        if token.kind is MLIRTokenKind.BARE_IDENT:
            return self.try_parse_builtin_boolean_attr()
        if token.kind not in _NUMBER_KINDS:
            return None
        return parse_typed_scalar(self)

    def _parse_builtin_dense_attr(self) -> Any:
        # The type, which says how to read the elements, stands behind them.
        start = self.pos
        self.parse_punctuation("<")
        self._resume_from(self._raw_scan_balanced(start + 1) + 1)
        after = self.pos
        if self.parse_optional_punctuation(":") is None:
            self.raise_error("expected ':' and a type", self._here())
        type = parse_short_type(self)
        end = self.pos
        if not isinstance(type, TileType):
            self._resume_from(start)
            return super()._parse_builtin_dense_attr()
        self._resume_from(start)
        self.parse_punctuation("<")
        position = self.pos
        bits, shape = parse_literal(self, type.element_type)
        self.parse_punctuation(">")
        assert self.pos == after
        value = check_shape(self, bits, shape, type, position)
        self._resume_from(end)
        return value

    def _parse_dialect_type_or_attribute_body(
        self,
        attr_name: str,
        is_type: bool,
        is_opaque: bool,
        starting_opaque_pos: int | None,
    ) -> Any:
        start = self.pos
        known = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
        if "." in attr_name and known(attr_name) is None:
            what = "type" if is_type else "attribute"
            self.raise_error(f"unknown {what} '{attr_name}'", start)
        try:
            return super()._parse_dialect_type_or_attribute_body(
                attr_name, is_type, is_opaque, starting_opaque_pos
            )
        except VerifyException as error:
            name = self.lexer.input.content.rfind(attr_name, 0, start)
            self.raise_error(str(error), max(name - 1, 0), self.pos)

    def parse_alias_at(self, position: int) -> Attribute:
        """The value of an alias whose definition's value begins at a position."""
        resume = self.pos
        self._resume_from(position)
        value = self._parse_alias_value()
        self._resume_from(resume)
        return value

    def _parse_alias_value(self) -> Attribute:
        if self._current_token.text == "loc":
            location = self.parse_optional_location()
            assert location is not None
            return location
        return self.parse_attribute()

    def _parse_alias_def(self) -> None:
        token = self._current_token
        self._consume_token()
        name = token.text
        if name in self._seen_aliases:
            self.raise_error(f"alias '{name}' is defined twice", token.span)
        self._seen_aliases.add(name)
        self.parse_punctuation("=", " after the name of an alias")
        aliases = cast(_LazyAliases, self.attribute_aliases)
        aliases.active.add(name)
        value = self._parse_alias_value()
        aliases.active.discard(name)
        # A value that was needed before stays the one, so that equal aliases are identical.
        aliases.setdefault(name, value)

    def parse_attribute(self) -> Attribute:
        start = self.pos
        try:
            attribute = super().parse_attribute()
        except NotImplementedError as error:
            # xDSL's answer to integers that it cannot store, such as those of `array<i3: 1>`.
            self.raise_error(str(error), start)
        self._check_size(attribute, start, "attribute", MAX_ATTRIBUTE_PARTS)
        return attribute

    def _check_size(self, attribute: Attribute, start: int, what: str, limit: int) -> None:
        parts, depth = self._sizes.of(attribute)
        if depth > MAX_ATTRIBUTE_DEPTH:
            self.raise_error(f"{what}s are nested more than {MAX_ATTRIBUTE_DEPTH} deep", start)
        if parts > limit:
            self.raise_error(f"the {what} has more than {limit} parts, aliases written out", start)

    # Locations.

    def parse_optional_location(self) -> Any:
        # Of all calls for an operation, the one for its own location is the last.
        self._explicit_location = False
        if self.parse_optional_keyword("loc") is None:
            return None
        with self.in_parens():
            location = self._parse_location()
        self._explicit_location = True
        return location

    def _parse_location(self) -> Any:
        start = self.pos
        location = self._parse_location_body()
        self._check_size(location, start, "location", MAX_LOCATION_PARTS)
        return location

    def _parse_location_body(self) -> Any:
        token = self._current_token
        if token.kind is MLIRTokenKind.STRING_LIT:
            return self._parse_file_or_name_location()
        if token.kind is MLIRTokenKind.HASH_IDENT:
            return self._parse_location_attribute()
        if token.text == "loc":
            return self.parse_optional_location()
        if self.parse_optional_keyword("unknown") is not None:
            return UnknownLoc()
        if self.parse_optional_keyword("callsite") is not None:
            with self.in_parens():
                callee = self._parse_location()
                self.parse_keyword("at")
                return callsite(callee, self._parse_location())
        if self.parse_optional_keyword("fused") is not None:
            return self._parse_fused_location()
        self.raise_error("expected a location", self._here())

    def _parse_file_or_name_location(self) -> Any:
        name = StringAttr(self.parse_str_literal())
        if self.parse_optional_punctuation(":") is not None:
            line = self.parse_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            column = self.parse_integer(allow_boolean=False, allow_negative=False)
            if self.parse_optional_keyword("to") is not None:
                self._skip_range_end()
            return FileLineColLoc(name, IntAttr(line), IntAttr(column))
        if self.parse_optional_punctuation("(") is None:
            return NameLoc(name, NoneAttr())
        child = self._parse_location()
        self.parse_punctuation(")")
        return nested_location(NameLoc, name, child)

    def _skip_range_end(self) -> None:
        """MLIR's ranges, `L:C to [L]:C`; the beginning is kept."""
        self.parse_optional_integer(allow_boolean=False, allow_negative=False)
        self.parse_punctuation(":")
        self.parse_integer(allow_boolean=False, allow_negative=False)

    def _parse_location_attribute(self) -> Any:
        start = self._here()
        attribute = self.parse_attribute()
        if not isinstance(attribute, _LOCATIONS):
            self.raise_error("expected a location", start)
        return attribute

    def _parse_fused_location(self) -> Any:
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<") is not None:
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        locations = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return nested_location(FusedLoc, ArrayAttr(locations), metadata)


class _NotedParseError(ParseError):
    """An error with a second place."""

    def __init__(self, span: Span[str], msg: str, note: str, second: Span[str] | None) -> None:
        super().__init__(span, msg)
        self.note = note
        self.second = second


def _notes(source: SourceFile, error: ParseError) -> list[Diagnostic]:
    if not isinstance(error, _NotedParseError) or error.second is None:
        return []
    place = Place.at(source, error.second.start, error.second.end)
    return [Diagnostic(Severity.NOTE, error.note, place, [])]


_KERNEL_TYPES = frozenset((*SHORT_NAMES, "tensor"))
_NUMBER_KINDS = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.MINUS)
_LOCATIONS = (UnknownLoc, FileLineColLoc, CallSiteLoc, NameLoc, FusedLoc, DILocAttr)

_STATEMENT = re.compile(
    r"^[ \t]*(?:#[^\n]*|![^\n]*|//[^\n]*|(?:cuda_tile\.(?=entry|global))?([^\s(@]+)[^\n]*)", re.M
)
"""A line: an alias, a comment, or something that begins with a word."""


def _as_program(operations: list[Operation]) -> ModuleOp:
    if len(operations) == 1 and isinstance(operations[0], ModuleOp):
        return operations[0]
    return ModuleOp(operations)


def _mark_incomplete(program: ModuleOp) -> None:
    for operation in program.walk():
        if isinstance(operation, core_ops.ModuleOp):
            operation.is_incomplete = True


def _numbers_to_enums(operation: IRDLOperation) -> None:
    """Generic text of MLIR's own printer has some enumerations as integers."""
    definition = operation.get_irdl_definition()
    for name, value in operation.properties.items():
        prop = definition.properties.get(name)
        if prop is None or not isinstance(value, IntegerAttr | FloatBitsAttr):
            continue
        if not isinstance(operation, CudaTileOp) or encoding_of(prop) != "enum":
            continue
        enum: Any = next(iter(prop.constr.get_bases() or ()))
        number = cast("IntegerAttr[Any]", value).value.data
        if 0 <= number < len(enum.keywords()):
            operation.properties[name] = enum.from_number(number)
