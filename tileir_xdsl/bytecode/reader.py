"""Reads bytecode into a `cuda_tile` module."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, cast

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.bytecode.attributes import MAX_DEPTH, read_dense, read_tagged
from tileir_xdsl.bytecode.codec import (
    MAX_REGION_DEPTH,
    PREVIEW_OPCODES,
    SEGMENT_SIZES,
    TESTING_OPCODES,
    OperandPlan,
    Plan,
    plans_by_opcode,
    segment_sizes,
)
from tileir_xdsl.bytecode.container import (
    ALIGNMENT,
    OFFSET_WIDTH,
    REQUIRED,
    OffsetTable,
    Section,
    SectionRange,
    read_header,
    read_section,
)
from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.debuginfo import DebugReader
from tileir_xdsl.bytecode.tables import ConstantReader, StringReader
from tileir_xdsl.bytecode.types import TypeReader, read_enum
from tileir_xdsl.bytecode.varint import signed64
from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink, Place, Severity
from tileir_xdsl.dialects.cuda_tile.attributes import (
    OptimizationHintsAttr,
    SymbolVisibilityAttr,
)
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, GlobalOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.nesting import deep_recursion
from tileir_xdsl.dialects.cuda_tile.places import set_byte, set_file
from tileir_xdsl.dialects.cuda_tile.types import TileType, short_type
from tileir_xdsl.garbage import garbage_collection_paused
from tileir_xdsl.versions import SUPPORTED, V13_3, V13_4, V13_5, Version

MODULE_NAME = "kernels"
"""The file does not store the module's name; NVIDIA's readers call it so."""

PRIVATE, KERNEL, BIT2, BIT3 = 1, 2, 4, 8
"""Bits of a function's flags: bit 2 says that hints follow up to 13.4, and marks an external
implementation afterwards; bit 3 marks a test function since 13.5."""

PRODUCER_SINCE = ModuleOp.field_since("producer")
GLOBAL_FIELDS_SINCE = V13_3
ENTRY_ATTRIBUTES_SINCE = V13_5
STRICT_FLAGS_SINCE = V13_4
"""Before, readers ignore unknown flags of functions."""

UNIT = UnitAttr()

MAX_WARNINGS = 100

MAX_ARGUMENTS = 1 << 16
"""Arguments of all entries together beyond one for each byte of the file: entries can share a
signature, so that a small file could ask for any number of them."""


def decode_module(
    data: bytes,
    name: str = "<bytes>",
    *,
    sink: DiagnosticSink | None = None,
    strict: bool = False,
    preserve_layout: bool = False,
) -> builtin.ModuleOp:
    """Read bytecode of any version into a `builtin.module` with one `cuda_tile.module @kernels`.

    `name` stands for the file in diagnostics. What is wrong but harmless, and read by NVIDIA's
    tools without complaint, is a warning in `sink`, or with `strict` an error. The result is
    not verified.

    With `preserve_layout` the module remembers how its file is spelled, so that `encode_module`
    with the same option gives the same bytes.

    Raises `DiagnosticError` with the byte offset and what is being read there.
    """
    with deep_recursion(), garbage_collection_paused():
        try:
            reader = Reader(data, name, sink, strict)
            module = reader.read()
        except BytecodeError as error:
            raise DiagnosticError(_diagnostic(name, error)) from None
        if preserve_layout:
            from tileir_xdsl.bytecode.layout import remember_layout

            (tile_module,) = module.body.ops
            assert isinstance(tile_module, ModuleOp)
            remember_layout(tile_module, reader)
        return module


def _diagnostic(name: str, error: BytecodeError) -> Diagnostic:
    message = error.message
    if error.context:
        message += f" (reading {', '.join(error.context)})"
    return Diagnostic(Severity.ERROR, message, Place.byte(name, error.offset), code="bytecode")


class FunctionSpan(NamedTuple):
    """Where an entry of the function table lies in the file, and its location field."""

    start: int
    end: int
    location: int


class Reader:
    """The reading of one file: its tables, and the function being read."""

    def __init__(self, data: bytes, name: str, sink: DiagnosticSink | None, strict: bool):
        self.data = data
        self.name = name
        self._sink = sink
        self._strict = strict
        self._lax_count = 0
        cursor = Cursor(data, 0, len(data))
        self.version: Version = read_header(cursor)
        self.sections: dict[Section, SectionRange] = {}
        """Those that count: a repeated section replaces the earlier one."""
        self.all_sections: list[SectionRange] = []
        self.function_spans: list[FunctionSpan] = []
        self._read_sections(cursor)
        self.strings = StringReader(self._table(Section.STRING, "string"))
        self.types = TypeReader(self._table(Section.TYPE, "type"), self.version, self.lax)
        self.constants = ConstantReader(self._table(Section.CONSTANT, "constant"), self.lax)
        self.debug = self._debug()
        self._plans = plans_by_opcode(self.version)
        self._symbols: set[str] = set()
        self._values: list[SSAValue] = []
        self._row: Iterator[int] | None = None
        self._location = 0
        self._depth = 0
        self._argument_budget = MAX_ARGUMENTS + len(data)

    # The file.

    def read(self) -> builtin.ModuleOp:
        module = ModuleOp(MODULE_NAME, producer=self._producer())
        operations: list[Operation] = []
        if (globals := self._section(Section.GLOBAL)) is not None:
            with self._reading(Section.GLOBAL):
                operations += self._read_globals(globals)
        functions = self._section(Section.FUNCTION)
        assert functions is not None
        with self._reading(Section.FUNCTION):
            operations += self._read_functions(functions)
        module.body.block.add_ops(operations)
        outer = builtin.ModuleOp([module])
        set_file(outer, self.name)
        return outer

    def _read_sections(self, cursor: Cursor) -> None:
        while (found := read_section(cursor)) is not None:
            section = found.section
            if section in self.sections:
                self.lax(found.header, f"the {section.title} is repeated, the last one counts")
            if section is Section.PRODUCER and self.version < PRODUCER_SINCE:
                self.lax(
                    found.header,
                    f"the producer section needs version {PRODUCER_SINCE}, "
                    f"the file is {self.version}",
                )
            self.sections[section] = found
            self.all_sections.append(found)
        if cursor.remaining:
            raise BytecodeError(
                cursor.pos, f"expected the end of the file, {cursor.remaining} bytes follow"
            )
        for section in REQUIRED:
            if section not in self.sections:
                raise BytecodeError(len(self.data), f"the {section.title} is missing")

    def lax(self, at: int, message: str) -> None:
        """Something wrong that NVIDIA's readers do not look at."""
        if self._strict:
            raise BytecodeError(at, message)
        self._lax_count += 1
        if self._sink is None or self._lax_count > MAX_WARNINGS:
            return
        place = Place.byte(self.name, at)
        self._sink.warning(message, place, code="bytecode-lax")
        if self._lax_count == MAX_WARNINGS:
            self._sink.warning("further warnings are not shown", place, code="bytecode-lax")

    @contextmanager
    def _reading(self, section: Section) -> Generator[None]:
        try:
            yield
        except BytecodeError as error:
            error.within(f"the {section.title}")
            raise

    def _section(self, section: Section) -> Cursor | None:
        found = self.sections.get(section)
        return None if found is None else Cursor(self.data, found.start, found.end)

    def _table(self, section: Section, what: str) -> OffsetTable | None:
        cursor = self._section(section)
        if cursor is None:
            return None
        with self._reading(section):
            return OffsetTable(cursor, cursor.pos, OFFSET_WIDTH[section], what)

    def _debug(self) -> DebugReader | None:
        cursor = self._section(Section.DEBUG)
        if cursor is None:
            return None
        with self._reading(Section.DEBUG):
            return DebugReader(cursor, self.strings, self.version, self.lax)

    def _producer(self) -> str | None:
        cursor = self._section(Section.PRODUCER)
        if cursor is None:
            return None
        with self._reading(Section.PRODUCER):
            return self.string(cursor)

    def string(self, cursor: Cursor) -> str:
        at = cursor.pos
        return self.strings.get(cursor.varint("a string index"), at)

    def type(self, cursor: Cursor) -> Attribute:
        at = cursor.pos
        return self.types.get(cursor.varint("a type index"), at)

    # Globals and functions.

    def _symbol(self, cursor: Cursor) -> StringAttr:
        at = cursor.pos
        name = self.string(cursor)
        if not name:
            raise BytecodeError(at, "the name is empty")
        if name in self._symbols:
            raise BytecodeError(at, f"the name '{name}' is repeated")
        self._symbols.add(name)
        return StringAttr(name)

    def _read_globals(self, cursor: Cursor) -> list[Operation]:
        count = cursor.count("globals", 4)
        return [self._read_global(cursor) for _ in range(count)]

    def _read_global(self, cursor: Cursor) -> GlobalOp:
        start = cursor.pos
        name = self._symbol(cursor)
        try:
            properties = self._read_global_fields(cursor)
        except BytecodeError as error:
            error.within(f"global @{name.data}")
            raise
        operation = GlobalOp.create(properties={"sym_name": name, **properties})
        set_byte(operation, start)
        return operation

    def _read_global_fields(self, cursor: Cursor) -> dict[str, Attribute]:
        at = cursor.pos
        type = self.type(cursor)
        if not isinstance(type, TileType) or type.rank != 1:
            raise BytecodeError(
                at, f"the type of a global must be a rank-1 tile, but is '{short_type(type)}'"
            )
        properties: dict[str, Attribute] = {"value": read_dense(self, cursor, type)}
        properties["alignment"] = IntegerAttr(signed64(cursor.varint("an alignment")), i64)
        if self.version < GLOBAL_FIELDS_SINCE:
            return properties
        properties["symbol_visibility"] = read_enum(cursor, SymbolVisibilityAttr, self.version)
        at = cursor.pos
        constant = cursor.varint("whether the global is constant")
        if constant > 1:
            self.lax(at, f"expected 0 or 1 for the constant flag, found {constant}")
        if constant:
            properties["constant"] = UnitAttr()
        return properties

    def _read_functions(self, cursor: Cursor) -> list[Operation]:
        count = cursor.count("functions", 5)
        operations: list[Operation] = [self._read_function(cursor) for _ in range(count)]
        if cursor.remaining >= ALIGNMENT[Section.FUNCTION]:
            self.lax(cursor.pos, f"{cursor.remaining} bytes follow the last function")
        return operations

    def _read_function(self, cursor: Cursor) -> EntryOp:
        start = cursor.pos
        name = self._symbol(cursor)
        try:
            operation = self._read_entry(cursor, name)
        except BytecodeError as error:
            error.within(f"function @{name.data}")
            raise
        set_byte(operation, start)
        self.function_spans.append(FunctionSpan(start, cursor.pos, self._location))
        return operation

    def _read_entry(self, cursor: Cursor, name: StringAttr) -> EntryOp:
        at = cursor.pos
        signature = self.type(cursor)
        if not isinstance(signature, FunctionType):
            raise BytecodeError(
                at, f"a signature must be a function type, but is '{short_type(signature)}'"
            )
        self._check_signature(signature, at)
        hints_follow = self._read_flags(cursor)
        properties: dict[str, Attribute] = {"sym_name": name, "function_type": signature}
        location = self._begin_row(cursor)
        if hints_follow:
            hints = self._read_entry_hints(cursor)
            if hints.hints.data:
                properties["optimization_hints"] = hints
        if self.version >= ENTRY_ATTRIBUTES_SINCE:
            attributes = self._read_argument_attributes(cursor, len(signature.inputs))
            if any(entry.data for entry in attributes):
                properties["arg_attrs"] = ArrayAttr(attributes)
        at = cursor.pos
        length = cursor.varint("the length of the body")
        if length > cursor.remaining:
            raise BytecodeError(
                at, f"the body claims {length} bytes, but only {cursor.remaining} are left"
            )
        body = Cursor(self.data, cursor.pos, cursor.pos + length)
        cursor.pos = body.end
        block = self._read_body(body, signature.inputs.data)
        return EntryOp.create(properties=properties, location=location, regions=[Region(block)])

    def _check_signature(self, signature: FunctionType, at: int) -> None:
        self._argument_budget -= len(signature.inputs)
        if self._argument_budget < 0:
            raise BytecodeError(at, "the functions have too many arguments for a file of this size")
        if signature.outputs.data:
            raise BytecodeError(at, "the signature of an entry must have no results")
        for position, type in enumerate(signature.inputs.data):
            if not isinstance(type, TileType) or type.rank:
                raise BytecodeError(
                    at,
                    f"argument {position} must be a rank-0 tile, but is '{short_type(type)}'",
                )

    def _read_flags(self, cursor: Cursor) -> bool:
        """The flags of a function; whether hints follow."""
        at = cursor.pos
        flags = cursor.byte("the flags of a function")
        newest = self.version >= ENTRY_ATTRIBUTES_SINCE
        if newest and flags & BIT2:
            raise BytecodeError(
                at, "an external implementation is preview content, which is not supported"
            )
        if not flags & KERNEL:
            raise BytecodeError(at, "only kernels are supported, a function is preview content")
        if flags & PRIVATE:
            raise BytecodeError(at, "an entry must have public visibility, but is private")
        known = KERNEL if newest else KERNEL | BIT2
        if flags & ~known:
            message = f"unknown bits in the flags {flags:#04x} of a function"
            if self.version >= STRICT_FLAGS_SINCE:
                raise BytecodeError(at, message)
            self.lax(at, message)
        return newest or bool(flags & BIT2)

    def _read_entry_hints(self, cursor: Cursor) -> OptimizationHintsAttr:
        at = cursor.pos
        hints = read_tagged(self, cursor, MAX_DEPTH)
        if not isinstance(hints, OptimizationHintsAttr):
            raise BytecodeError(at, f"expected optimization hints, but found {hints.name}")
        return hints

    def _read_argument_attributes(self, cursor: Cursor, count: int) -> list[DictionaryAttr]:
        at = cursor.pos
        attributes = read_tagged(self, cursor, MAX_DEPTH)
        if not isinstance(attributes, ArrayAttr):
            raise BytecodeError(
                at, f"expected an array of argument attributes, but found {attributes.name}"
            )
        entries: list[DictionaryAttr] = []
        for entry in cast("ArrayAttr[Attribute]", attributes).data:
            if not isinstance(entry, DictionaryAttr):
                raise BytecodeError(
                    at, f"the attributes of an argument must be a dictionary, not {entry.name}"
                )
            entries.append(entry)
        if entries and len(entries) != count:
            raise BytecodeError(
                at, f"there are attributes for {len(entries)} arguments, but {count} arguments"
            )
        return entries

    # Locations.

    def _begin_row(self, cursor: Cursor) -> LocationAttr | None:
        """The location of a function; its operations take theirs from the rest of the row."""
        at = cursor.pos
        location = cursor.varint("the location of a function")
        self._row = None
        self._location = location
        if not location:
            return None
        if self.debug is None:
            raise BytecodeError(at, f"location {location} needs a debug section")
        self._row = iter(self.debug.row(location, at))
        return self._next_location(at)

    def _next_location(self, start: int) -> LocationAttr | None:
        if self._row is None:
            return None
        at = next(self._row, None)
        if at is None:
            raise BytecodeError(start, "the row of locations of the function is too short")
        assert self.debug is not None
        return self.debug.location(at)

    # Bodies.

    def _read_body(self, cursor: Cursor, arguments: Sequence[Attribute]) -> Block:
        block = Block(arg_types=arguments)
        self._values = list(block.args)
        last = False
        while cursor.pos < cursor.end:
            last = self._read_operation(cursor, block)
        self._check_terminator(cursor.pos, block, last)
        return block

    @staticmethod
    def _check_terminator(at: int, block: Block, last: bool) -> None:
        if block.last_op is None:
            raise BytecodeError(at, "expected a terminator, but the block is empty")
        if not last:
            raise BytecodeError(
                at, f"expected a terminator, but the block ends with '{block.last_op.name}'"
            )

    def _read_block(self, cursor: Cursor) -> Block:
        count = cursor.count("block arguments")
        block = Block(arg_types=[self.type(cursor) for _ in range(count)])
        mark = len(self._values)
        self._values += block.args
        count = cursor.count("operations", 2)
        last = False
        for _ in range(count):
            last = self._read_operation(cursor, block)
        self._check_terminator(cursor.pos, block, last)
        del self._values[mark:]
        return block

    def _read_operation(self, cursor: Cursor, block: Block) -> bool:
        """Read an operation to the end of `block`; whether it is a terminator."""
        start = cursor.pos
        opcode = cursor.varint("an opcode")
        plan = self._plans.get(opcode)
        if plan is None:
            raise self._unknown_opcode(start, opcode)
        try:
            # Linking each operation at once, not all in the end, lets Python store the attributes
            # of all objects of a class in one shape, which takes half of the memory.
            block.add_op(self._read_fields(cursor, plan, start))
        except BytecodeError as error:
            if not error.context or not error.in_operation:
                error.in_operation = True
                error.within(f"'{plan.name}' at {start:#x}")
            raise
        return plan.is_terminator

    def _unknown_opcode(self, at: int, opcode: int) -> BytecodeError:
        if opcode in PREVIEW_OPCODES:
            return BytecodeError(
                at, f"opcode {opcode:#x} is preview content, which is not supported"
            )
        if opcode in TESTING_OPCODES:
            return BytecodeError(at, f"opcode {opcode:#x} is for NVIDIA's own tests")
        newer = next(
            (v for v in SUPPORTED if v > self.version and opcode in plans_by_opcode(v)), None
        )
        if newer is not None:
            name = plans_by_opcode(newer)[opcode].name
            return BytecodeError(
                at,
                f"opcode {opcode:#x} ('{name}') needs version {newer}, the file is {self.version}",
            )
        return BytecodeError(at, f"unknown opcode {opcode:#x}")

    def _read_fields(self, cursor: Cursor, plan: Plan, start: int) -> Operation:
        location = self._next_location(start)
        count = plan.min_results
        if plan.counts_results:
            count = self._read_count(cursor, "results", plan.min_results, plan.max_results)
        get_type = self.types.get
        types = [get_type(cursor.varint("a result type"), cursor.pos - 1) for _ in range(count)]
        flags = 0
        properties: dict[str, Attribute] = {}
        if plan.has_flags:
            at = cursor.pos
            flags = cursor.varint("the flags of an operation")
            if flags & ~plan.known_flags:
                self.lax(at, f"unknown bits in the flags {flags:#x} of '{plan.name}'")
            for name, bit in plan.unit_bits:
                if flags & bit:
                    properties[name] = UNIT
        for name, _, read, bit, _, _ in plan.properties:
            if bit and not flags & bit:
                continue
            if read is None:
                properties[name] = read_dense(self, cursor, types[0])
            else:
                properties[name] = read(self, cursor)
        operands = self._read_operands(cursor, plan, flags, properties)
        regions = self._read_regions(cursor, plan) if plan.regions else ()
        operation = plan.cls.create(
            operands=operands,
            result_types=(*types, *plan.late_result_types),
            properties=properties,
            location=location,
            regions=regions,
        )
        self._values += operation.results[:count]
        for name in plan.computed:
            if properties.get(name) == operation.computed_default(name):
                del operation.properties[name]
        set_byte(operation, start)
        return operation

    def _read_count(self, cursor: Cursor, what: str, least: int, most: int | None) -> int:
        at = cursor.pos
        count = cursor.count(what)
        if count < least or (most is not None and count > most):
            limit = f"{least}" if least == most else f"at least {least}"
            raise BytecodeError(at, f"expected {limit} {what}, but found {count}")
        return count

    def _read_operands(
        self, cursor: Cursor, plan: Plan, flags: int, properties: dict[str, Attribute]
    ) -> list[SSAValue]:
        if plan.segments is not None:
            return self._read_segments(cursor, plan.segments, flags, properties)
        count = plan.min_operands
        if plan.counted:
            count = self._read_count(cursor, "operands", count, plan.max_operands)
        return [self._read_value(cursor) for _ in range(count)]

    def _read_segments(
        self,
        cursor: Cursor,
        segments: Sequence[OperandPlan],
        flags: int,
        properties: dict[str, Attribute],
    ) -> list[SSAValue]:
        operands: list[SSAValue] = []
        sizes: list[int] = []
        for segment in segments:
            if segment.late:
                size = 0
            elif segment.most is None:
                size = cursor.count("operands")
            elif segment.bit:
                size = int(bool(flags & segment.bit))
            else:
                size = 1
            sizes.append(size)
            for _ in range(size):
                operands.append(self._read_value(cursor))
        properties[SEGMENT_SIZES] = segment_sizes(tuple(sizes))
        return operands

    def _read_value(self, cursor: Cursor) -> SSAValue:
        at = cursor.pos
        number = cursor.varint("a value number")
        values = self._values
        if number >= len(values):
            raise BytecodeError(at, f"value {number} is not defined here, {len(values)} values are")
        return values[number]

    def _read_regions(self, cursor: Cursor, plan: Plan) -> list[Region]:
        at = cursor.pos
        count = cursor.varint("the number of regions")
        if count != len(plan.regions):
            raise BytecodeError(at, f"expected {len(plan.regions)} regions, but found {count}")
        self._depth += 1
        if self._depth > MAX_REGION_DEPTH:
            raise BytecodeError(at, f"regions nest more than {MAX_REGION_DEPTH} deep")
        regions: list[Region] = []
        for may_be_empty in plan.regions:
            at = cursor.pos
            blocks = cursor.varint("the number of blocks")
            if blocks > 1 or not (blocks or may_be_empty):
                raise BytecodeError(at, f"expected a region of one block, but found {blocks}")
            regions.append(Region(self._read_block(cursor)) if blocks else Region())
        self._depth -= 1
        return regions
