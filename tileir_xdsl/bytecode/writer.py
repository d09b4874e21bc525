"""Writes a `cuda_tile` module as bytecode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileir_xdsl.bytecode.attributes import MAX_DEPTH, Tag, put_i64, put_string, put_tagged
from tileir_xdsl.bytecode.codec import (
    MAX_REGION_DEPTH,
    SEGMENT_SIZES,
    LateField,
    OperandPlan,
    Plan,
    plans_by_class,
)
from tileir_xdsl.bytecode.container import (
    ALIGNMENT,
    FILL,
    OFFSET_WIDTH,
    Section,
    header,
    put_offset_table,
    put_section,
)
from tileir_xdsl.bytecode.debuginfo import DebugWriter, debug_payload, row_bytes
from tileir_xdsl.bytecode.gate import Gate, Unwritable
from tileir_xdsl.bytecode.tables import ConstantWriter, StringWriter, TableBase
from tileir_xdsl.bytecode.types import TypeWriter
from tileir_xdsl.bytecode.varint import align, put_varint
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, GlobalOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.nesting import deep_recursion
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.versions import DEFAULT, V13_3, V13_5, Version

KERNEL = 2
HINTS_FOLLOW = 4
"""Bits of the flags of a function; the second one up to 13.4, afterwards hints always follow."""

ENTRY_ATTRIBUTES_SINCE = V13_5
GLOBAL_FIELDS_SINCE = V13_3


def encode_module(
    module: Operation,
    version: Version | str = DEFAULT,
    *,
    sink: DiagnosticSink | None = None,
    preserve_layout: bool = False,
) -> bytes:
    """Write a `cuda_tile.module`, or a `builtin.module` that holds one, as bytecode of `version`.

    Equal modules give equal bytes. What the bytecode cannot hold without loss of meaning (foreign
    attributes, some locations) is dropped with a remark in `sink`.

    With `preserve_layout` a module that `decode_module` read with the same option is written as
    it was read, except for what was changed since.

    Raises `DiagnosticError` with all features of the module that the version lacks, each at its
    operation.
    """
    if isinstance(version, str):
        version = Version.parse(version)
    tile_module = find_module(module, sink)
    with deep_recursion():
        if not preserve_layout:
            return Writer(tile_module, version, sink).write()
        from tileir_xdsl.bytecode.layout import write_preserved

        return write_preserved(tile_module, version, sink)


def find_module(module: Operation, sink: DiagnosticSink | None = None) -> ModuleOp:
    """The one `cuda_tile.module` in or at `module`."""
    if isinstance(module, ModuleOp):
        return module
    if not isinstance(module, builtin.ModuleOp):
        raise DiagnosticError.at(
            f"expected a cuda_tile.module, but got '{module.name}'", place_of(module)
        )
    found: list[ModuleOp] = []
    for operation in module.body.ops:
        if isinstance(operation, ModuleOp):
            found.append(operation)
        elif operation.name.startswith("tile_sugar."):
            raise DiagnosticError.at(
                f"'{operation.name}' has no bytecode form",
                place_of(operation),
                fix="lower it with the pass tile-sugar-to-cuda-tile",
            )
        elif sink is not None:
            sink.remark(
                f"'{operation.name}' has no bytecode form and is dropped", place_of(operation)
            )
    filled = [candidate for candidate in found if _top_level(candidate)] or found[:1]
    if len(filled) == 1:
        return filled[0]
    if not filled:
        raise DiagnosticError.at("there is no cuda_tile.module to write", place_of(module))
    raise DiagnosticError.at(
        f"a bytecode file holds one cuda_tile.module, but there are {len(filled)}",
        place_of(filled[1]),
        fix="write each module to a file of its own",
    )


def _top_level(module: ModuleOp) -> list[Operation]:
    return [operation for block in module.body.blocks for operation in block.ops]


@dataclass(frozen=True)
class Bases:
    """What the tables begin with."""

    strings: TableBase[str] = field(default_factory=TableBase[str])
    types: TableBase[Attribute] = field(default_factory=TableBase[Attribute])
    constants: TableBase[DenseElementsAttr] = field(default_factory=TableBase[DenseElementsAttr])
    debug: TableBase[Attribute] = field(default_factory=TableBase[Attribute])


NOTHING = Bases()


class Function(NamedTuple):
    """An entry of the function table, in parts."""

    head: bytes
    """Name, signature and flags."""
    attributes: bytes
    """Hints and argument attributes."""
    body: bytes
    row: bytes
    """Indices of locations; empty when all are unknown."""

    def put(self, out: bytearray, location: int) -> None:
        """Append the entry; `location` is 1 + the position of its row, 0 without a row."""
        out += self.head
        put_varint(out, location)
        out += self.attributes
        put_varint(out, len(self.body))
        out += self.body


class Writer:
    """The writing of one module: the tables that grow, and the function being written."""

    def __init__(
        self,
        module: ModuleOp,
        version: Version,
        sink: DiagnosticSink | None,
        bases: Bases = NOTHING,
    ):
        self.module = module
        self.version = version
        self.gate = Gate(version, module, sink)
        self.strings = StringWriter(bases.strings)
        self.types = TypeWriter(self.gate, bases.types)
        self.constants = ConstantWriter(bases.constants)
        self.debug = DebugWriter(self.gate, self.strings, bases.debug)
        self._plans = plans_by_class(version)
        self._out = bytearray()
        self._row: list[int] = []
        # A value's number is its position in `_values` as long as its block is open.
        self._values: list[SSAValue] = []
        self._numbers: dict[int, int] = {}
        self._dropped: set[int] = set()
        """Results that the version lacks, each refused once where it is defined."""
        self._depth = 0

    def write(self) -> bytes:
        globals, entries = self.split()
        # The order in which the tables fill is that of NVIDIA's writer: names and signatures
        # of the entries, globals, locations of the entries, bodies.
        heads = [self.head(entry) for entry in entries]
        global_payload = self.globals(globals)
        for entry in entries:
            self.gate.operation = entry
            self.debug.location(entry.location)
        functions = [self.function(e, head) for e, head in zip(entries, heads, strict=True)]
        rows = [function.row for function in functions if function.row]
        producer = self.producer()
        self.gate.finish()

        out = bytearray(header(self.version))
        if globals:
            put_section(out, Section.GLOBAL, global_payload)
        put_section(out, Section.FUNCTION, _function_payload(functions))
        if self.constants.items:
            put_section(out, Section.CONSTANT, table(Section.CONSTANT, self.constants.items))
        if rows:
            put_section(out, Section.DEBUG, debug_payload(rows, self.debug.items))
        put_section(out, Section.TYPE, table(Section.TYPE, self.types.items))
        if producer:
            put_section(out, Section.PRODUCER, producer)
        put_section(out, Section.STRING, table(Section.STRING, self.strings.items))
        out.append(Section.END)
        return bytes(out)

    def split(self) -> tuple[list[GlobalOp], list[EntryOp]]:
        globals: list[GlobalOp] = []
        entries: list[EntryOp] = []
        self._drop_attributes(self.module)
        for operation in _top_level(self.module):
            self.gate.operation = operation
            match operation:
                case GlobalOp():
                    globals.append(operation)
                case EntryOp():
                    entries.append(operation)
                case _:
                    self.gate.error("only cuda_tile.entry and cuda_tile.global can be written here")
        return globals, entries

    def _drop_attributes(self, operation: Operation) -> None:
        for name in operation.attributes:
            self.gate.remark(f"attribute '{name}' has no bytecode form and is dropped")

    # The parts of the file outside of bodies.

    def producer(self) -> bytes:
        producer = self.module.producer
        if producer is None:
            return b""
        self.gate.operation = self.module
        self.gate.require(ModuleOp.field_since("producer"), "attribute 'producer'")
        out = bytearray()
        try:
            put_string(self, out, producer)
        except Unwritable as error:
            self.gate.error(str(error))
        return bytes(out)

    def globals(self, operations: Sequence[GlobalOp]) -> bytes:
        out = bytearray()
        put_varint(out, len(operations))
        for operation in operations:
            self.gate.operation = operation
            self._drop_attributes(operation)
            try:
                self._put_global(out, operation)
            except Unwritable as error:
                self.gate.error(str(error))
        return bytes(out)

    def _put_global(self, out: bytearray, operation: GlobalOp) -> None:
        put_varint(out, self.strings.index(operation.sym_name.data))
        put_varint(out, self.types.index(operation.value.type))
        put_varint(out, self.constants.index(operation.value))
        put_i64(self, out, operation.alignment)
        private = operation.symbol_visibility.number
        constant = operation.constant is not None
        for name, used in (("symbol_visibility", private), ("constant", constant)):
            if used:
                self._require_field(operation, name)
        if self.version >= GLOBAL_FIELDS_SINCE:
            out += bytes((private, constant))

    def _require_field(self, operation: CudaTileOp, name: str) -> None:
        since = operation.field_since(name)
        self.gate.require(since, f"attribute '{name}' ({operation.properties[name]})")

    def head(self, entry: EntryOp) -> bytes:
        """Name, signature and flags of an entry."""
        self.gate.operation = entry
        out = bytearray()
        try:
            put_varint(out, self.strings.index(entry.sym_name.data))
        except Unwritable as error:
            self.gate.error(str(error))
        put_varint(out, self.types.index(entry.function_type))
        hints_follow = self.version < ENTRY_ATTRIBUTES_SINCE and self._hints(entry) is not None
        out.append(KERNEL | HINTS_FOLLOW if hints_follow else KERNEL)
        return bytes(out)

    @staticmethod
    def _hints(entry: EntryOp) -> Attribute | None:
        hints = entry.optimization_hints
        return hints if hints is not None and hints.hints.data else None

    def function(self, entry: EntryOp, head: bytes) -> Function:
        self.gate.operation = entry
        self._drop_attributes(entry)
        attributes = bytearray()
        try:
            self._put_entry_attributes(attributes, entry)
        except Unwritable as error:
            self.gate.error(str(error))
        body = self._body(entry)
        return Function(head, bytes(attributes), bytes(body), row_bytes(self._row))

    def _put_entry_attributes(self, out: bytearray, entry: EntryOp) -> None:
        hints = self._hints(entry)
        argument_attributes = _non_empty(entry.arg_attrs)
        if argument_attributes is not None:
            self.gate.require(entry.field_since("arg_attrs"), "attributes of entry arguments")
        if _non_empty(entry.res_attrs) is not None:
            self.gate.remark("attribute 'res_attrs' has no bytecode form and is dropped")
        always = self.version >= ENTRY_ATTRIBUTES_SINCE
        if hints is not None:
            put_tagged(self, out, hints, MAX_DEPTH)
        elif always:
            out += bytes((Tag.OPTIMIZATION_HINTS, 0))
        if always:
            put_tagged(self, out, argument_attributes or ArrayAttr(()), MAX_DEPTH)

    # Bodies.

    def _body(self, entry: EntryOp) -> bytearray:
        self._out = bytearray()
        self._row = [self.debug.location(entry.location)]
        self._values = []
        self._numbers = {}
        blocks = entry.body.blocks
        if len(blocks) != 1 or blocks[0].first_op is None:
            self.gate.error("the body must be one block that is not empty")
            return self._out
        self._define(blocks[0].args)
        self._put_operations(blocks[0])
        return self._out

    def _define(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            self._numbers[id(value)] = len(self._values)
            self._values.append(value)

    def _put_operations(self, block: Block) -> int:
        count = 0
        operation = block.first_op
        while operation is not None:
            plan = self._plans.get(type(operation))
            self.gate.operation = operation
            if plan is None:
                self._refuse(operation)
            else:
                self._put_operation(operation, plan)
                count += 1
            operation = operation.next_op
        return count

    def _refuse(self, operation: Operation) -> None:
        if isinstance(operation, CudaTileOp) and operation.SINCE > self.version:
            self.gate.require(operation.SINCE, "the operation")
        elif isinstance(operation, CudaTileOp):
            self.gate.error("the operation cannot be written in a body")
        else:
            self.gate.error(
                "only cuda_tile operations have a bytecode form",
                fix="lower the operation to cuda_tile first",
            )
        self._define(operation.results)

    def _put_operation(self, operation: Operation, plan: Plan) -> None:
        out = self._out
        self._row.append(self.debug.location(operation.location))
        if operation.attributes:
            self._drop_attributes(operation)
        out += plan.opcode
        results: Sequence[SSAValue] = operation.results
        if plan.late_results:
            results = self._drop_late_results(results, plan)
        if plan.counts_results:
            put_varint(out, len(results))
        elif len(results) != plan.min_results:
            self.gate.error(f"expected {plan.min_results} results, but got {len(results)}")
        index_of = self.types.index
        for result in results:
            put_varint(out, index_of(result.type))
        if plan.late_properties:
            self._check_late_properties(operation, plan)
        try:
            self._put_fields(operation, plan)
        except Unwritable as error:
            self.gate.error(str(error))
        if plan.regions:
            self._put_regions(operation.regions, plan)
            self.gate.operation = operation
        for result in results:
            self._numbers[id(result)] = len(self._values)
            self._values.append(result)

    def _drop_late_results(self, results: Sequence[SSAValue], plan: Plan) -> Sequence[SSAValue]:
        kept = len(results) - len(plan.late_results)
        for result, late in zip(results[kept:], plan.late_results, strict=True):
            if result.first_use is not None:
                self._dropped.add(id(result))
                self.gate.require(late.since, f"a use of result '{late.name}'")
        return results[:kept]

    def _check_late_properties(self, operation: Operation, plan: Plan) -> None:
        for late in plan.late_properties:
            value = operation.properties.get(late.name)
            if value is None or value == self._default(operation, late):
                continue
            self.gate.require(late.since, f"attribute '{late.name}' ({value})")

    @staticmethod
    def _default(operation: Operation, field: LateField) -> Attribute | None:
        if not field.computed:
            return field.default
        return cast(CudaTileOp, operation).computed_default(field.name)

    def _put_fields(self, operation: Operation, plan: Plan) -> None:
        """Append flags, properties and operands."""
        out = self._out
        properties = operation.properties
        segments = plan.segments
        sizes = () if segments is None else self._segment_sizes(operation, segments)
        if plan.has_flags:
            flags = 0
            for name, bit in plan.property_bits:
                if name in properties:
                    flags |= bit
            if segments is not None:
                for segment, size in zip(segments, sizes, strict=True):
                    if size:
                        flags |= segment.bit
            put_varint(out, flags)
        for name, put, _, bit, default, computed in plan.properties:
            value = properties.get(name)
            if value is None:
                if bit:
                    continue
                value = default
                if computed:
                    value = cast(CudaTileOp, operation).computed_default(name)
                if value is None:
                    raise Unwritable(f"attribute '{name}' is missing")
            put(self, out, value)
        operands = operation.operands
        if segments is None:
            self._put_operands(operands, plan)
        else:
            self._put_segments(operands, segments, sizes)

    def _put_operands(self, operands: Sequence[SSAValue], plan: Plan) -> None:
        count = len(operands)
        if count < plan.min_operands or count > (plan.max_operands or count):
            raise Unwritable(f"the operation cannot have {count} operands")
        if plan.counted:
            put_varint(self._out, count)
        for operand in operands:
            self._put_value(operand)

    def _segment_sizes(self, operation: Operation, segments: Sequence[OperandPlan]) -> list[int]:
        attribute = operation.properties.get(SEGMENT_SIZES)
        if not isinstance(attribute, DenseArrayBase):
            raise Unwritable(f"attribute '{SEGMENT_SIZES}' is missing")
        sizes = list(cast("DenseArrayBase[IntegerType]", attribute).get_values())
        if len(sizes) != len(segments) or sum(sizes) != len(operation.operands):
            raise Unwritable(f"attribute '{SEGMENT_SIZES}' does not fit the operands")
        for size, segment in zip(sizes, segments, strict=True):
            if not segment.least <= size <= (segment.most or size):
                raise Unwritable(f"operand '{segment.name}' cannot be {size} values")
            if size and segment.late:
                self.gate.require(segment.late, f"operand '{segment.name}'")
        return sizes

    def _put_segments(
        self, operands: Sequence[SSAValue], segments: Sequence[OperandPlan], sizes: Sequence[int]
    ) -> None:
        first = 0
        for segment, size in zip(segments, sizes, strict=True):
            if segment.late:
                first += size
                continue
            if segment.most is None:
                put_varint(self._out, size)
            for position in range(first, first + size):
                self._put_value(operands[position])
            first += size

    def _put_value(self, value: SSAValue) -> None:
        number = self._numbers.get(id(value))
        values = self._values
        if number is None or number >= len(values) or values[number] is not value:
            self._refuse_value(value)
            return
        if number < 0x80:
            self._out.append(number)
        else:
            put_varint(self._out, number)

    def _refuse_value(self, value: SSAValue) -> None:
        if id(value) not in self._dropped:
            self.gate.error("an operand is used where its definition is not visible")

    def _put_regions(self, regions: Sequence[Region], plan: Plan) -> None:
        put_varint(self._out, len(plan.regions))
        self._depth += 1
        if self._depth > MAX_REGION_DEPTH:
            raise DiagnosticError.at(
                f"regions nest more than {MAX_REGION_DEPTH} deep", place_of(self.gate.operation)
            )
        for region in regions:
            put_varint(self._out, len(region.blocks))
            for block in region.blocks:
                self._put_block(block)
        self._depth -= 1

    def _put_block(self, block: Block) -> None:
        outer = self._out
        arguments = block.args
        put_varint(outer, len(arguments))
        for argument in arguments:
            put_varint(outer, self.types.index(argument.type))
        mark = len(self._values)
        self._define(arguments)
        # The number of operations comes first: one that cannot be written does not count.
        self._out = bytearray()
        count = self._put_operations(block)
        inner, self._out = self._out, outer
        del self._values[mark:]
        put_varint(outer, count)
        outer += inner


def _non_empty(attributes: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr] | None:
    if attributes is None or not any(entry.data for entry in attributes.data):
        return None
    return attributes


def _function_payload(functions: Sequence[Function]) -> bytes:
    out = bytearray()
    put_varint(out, len(functions))
    rows = 0
    for function in functions:
        rows += bool(function.row)
        function.put(out, rows if function.row else 0)
    align(out, ALIGNMENT[Section.FUNCTION], FILL)
    return bytes(out)


def table(section: Section, items: Sequence[bytes]) -> bytes:
    """The payload of a section that is one offset table."""
    out = bytearray()
    put_offset_table(out, items, OFFSET_WIDTH[section])
    return bytes(out)
