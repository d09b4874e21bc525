"""How a file that was read is spelled, so that it can be written back byte for byte.

A file can say the same module in many ways: sections in another order, tables in another order or
with entries that nothing uses, wide paddings, overlong numbers. The layout of a file keeps its
bytes and, for each part, a fingerprint: what our writer makes of that part over the tables of the
file. A part whose fingerprint is still the same when the module is written has not changed, and
its bytes are taken over; a changed part is spelled anew, over the same tables, which keep all
their entries and only grow. So a change of one operation leaves the bytes of all other functions.

Preserved are the order, alignment and padding of sections (as long as nothing before them changes
in size), repeated sections, tables with unused and equal entries, overlong numbers, unknown bits
that readers ignore, rows of locations, trailing bytes. A module that is written in another version
than that of the file is spelled as if it had not been read from one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from xdsl.ir import Operation

from tileir_xdsl.bytecode.container import (
    ALIGNED,
    ALIGNMENT,
    FILL,
    HEADER_SIZE,
    OffsetTable,
    Section,
    SectionRange,
    put_section,
)
from tileir_xdsl.bytecode.cursor import BytecodeError
from tileir_xdsl.bytecode.debuginfo import INDEX_BYTES, DebugReader, debug_payload
from tileir_xdsl.bytecode.tables import TableBase
from tileir_xdsl.bytecode.varint import align, put_varint
from tileir_xdsl.bytecode.writer import NOTHING, Bases, Function, Writer, table
from tileir_xdsl.diagnostics import DiagnosticSink
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.versions import Version

if TYPE_CHECKING:
    from tileir_xdsl.bytecode.reader import Reader


@dataclass(frozen=True)
class Spelling:
    """An entry of the function table as the file has it."""

    spelled: bytes
    location: int
    """1 + its row of locations, 0 without one."""
    fingerprint: Function | None
    """What our writer makes of it; None when it cannot be written."""


@dataclass(frozen=True)
class Layout:
    """The spelling of one file."""

    data: bytes
    version: Version
    sections: tuple[SectionRange, ...]
    """In the order of the file, repeated ones included."""
    bases: Bases
    functions: dict[str, Spelling]
    order: tuple[str, ...]
    """The names of the functions."""
    globals: bytes | None
    """Fingerprint of the global section; None when it cannot be written."""
    producer: str | None
    rows: tuple[bytes, ...]

    def payload(self, section: SectionRange) -> bytes:
        return self.data[section.start : section.end]


_LAYOUTS: WeakKeyDictionary[Operation, Layout] = WeakKeyDictionary()


def remember_layout(module: ModuleOp, reader: Reader) -> None:
    """Keep the spelling of the file that `reader` has read `module` from."""
    bases = _bases(reader)
    writer = Writer(module, reader.version, None, bases)
    _, entries = writer.split()
    _LAYOUTS[module] = Layout(
        data=reader.data,
        version=reader.version,
        sections=tuple(reader.all_sections),
        bases=bases,
        functions={
            entry.sym_name.data: Spelling(
                spelled=reader.data[span.start : span.end],
                location=span.location,
                fingerprint=_fingerprint(module, entry, reader.version, bases),
            )
            for entry, span in zip(entries, reader.function_spans, strict=True)
        },
        order=tuple(entry.sym_name.data for entry in entries),
        globals=_payload_of_globals(module, reader.version, bases),
        producer=None if module.producer is None else module.producer.data,
        rows=() if reader.debug is None else _rows(reader.debug),
    )


def _bases(reader: Reader) -> Bases:
    debug = reader.debug
    return Bases(
        strings=TableBase(_items(reader.strings.table), reader.strings.known()),
        types=TableBase(_items(reader.types.table), reader.types.known()),
        constants=TableBase(_items(reader.constants.table), reader.constants.known()),
        debug=NOTHING.debug if debug is None else TableBase(_items(debug.table), debug.known()),
    )


def _items(table: OffsetTable | None) -> tuple[bytes, ...]:
    """The items of a table as they are spelled; those that cannot be found are empty."""
    if table is None:
        return ()
    starts = [_start(table, index) for index in range(table.count)]
    return tuple(table.data[start:end] for start, end in pairwise([*starts, table.end]))


def _start(table: OffsetTable, index: int) -> int:
    try:
        return table.start(index)
    except BytecodeError:
        return table.end


def _rows(debug: DebugReader) -> tuple[bytes, ...]:
    rows: list[bytes] = []
    for row in range(debug.rows):
        try:
            offsets = debug.row(row + 1, 0)
        except BytecodeError:
            rows.append(b"")
            continue
        rows.append(debug.data[offsets.start : offsets.stop])
    return tuple(rows)


def _fingerprint(
    module: ModuleOp, entry: EntryOp, version: Version, bases: Bases
) -> Function | None:
    # A writer of its own: what another part adds to the tables must not show.
    writer = Writer(module, version, None, bases)
    function = writer.function(entry, writer.head(entry))
    return None if writer.gate.has_errors else function


def _payload_of_globals(module: ModuleOp, version: Version, bases: Bases) -> bytes | None:
    writer = Writer(module, version, None, bases)
    globals, _ = writer.split()
    payload = writer.globals(globals)
    return None if writer.gate.has_errors else payload


def write_preserved(module: ModuleOp, version: Version, sink: DiagnosticSink | None) -> bytes:
    """Write a module over the layout of the file that it was read from, if there is one."""
    layout = _LAYOUTS.get(module)
    if layout is not None and layout.version == version:
        return _Rewriter(module, layout, sink).write()
    if sink is not None:
        why = (
            "the module was not read with its layout"
            if layout is None
            else f"the file has version {layout.version}, but {version} was asked for"
        )
        sink.remark(f"the layout is not preserved: {why}", place_of(module))
    return Writer(module, version, sink).write()


class _Rewriter:
    """The writing of a module over the layout of its file."""

    def __init__(self, module: ModuleOp, layout: Layout, sink: DiagnosticSink | None):
        self.module = module
        self.layout = layout
        self.writer = Writer(module, layout.version, sink, layout.bases)
        self.rows = list(layout.rows)

    def write(self) -> bytes:
        payloads = self._payloads()
        self.writer.gate.finish()
        out = bytearray(self.layout.data[:HEADER_SIZE])
        last = {section.section: section for section in self.layout.sections}
        for section in self.layout.sections:
            if section is not last[section.section]:
                self._put(out, section, self.layout.payload(section))
            elif (payload := payloads.pop(section.section)) is not None:
                self._put(out, section, payload)
        for section, payload in payloads.items():
            if payload is not None:
                put_section(out, section, payload)
        out.append(Section.END)
        return bytes(out)

    def _put(self, out: bytearray, section: SectionRange, payload: bytes) -> None:
        """Append a section, framed as in the file when it stands at its place in its size."""
        if len(out) == section.header and len(payload) == section.end - section.start:
            out += self.layout.data[section.header : section.start]
            out += payload
            return
        if not section.alignment:
            out.append(section.section)
            put_varint(out, len(payload))
        else:
            out.append(section.section | ALIGNED)
            put_varint(out, len(payload))
            put_varint(out, section.alignment)
            align(out, section.alignment, FILL)
        out += payload

    def _payloads(self) -> dict[Section, bytes | None]:
        """The sections in the order in which new ones are added; None for those that are not."""
        globals, entries = self.writer.split()
        functions = self._functions(entries)
        global_payload = self._globals(len(globals))
        producer = self._producer()
        constants, types = self.writer.constants.items, self.writer.types.items
        bases = self.layout.bases
        return {
            Section.GLOBAL: global_payload,
            Section.FUNCTION: functions,
            Section.CONSTANT: self._table(Section.CONSTANT, bases.constants.items, constants),
            Section.DEBUG: self._debug(),
            Section.TYPE: self._table(Section.TYPE, bases.types.items, types),
            Section.PRODUCER: producer,
            Section.STRING: self._table(
                Section.STRING, bases.strings.items, self.writer.strings.items
            ),
        }

    def _original(self, section: Section) -> bytes | None:
        """The payload that counts in the file."""
        for found in reversed(self.layout.sections):
            if found.section is section:
                return self.layout.payload(found)
        return None

    def _table(
        self, section: Section, base: Sequence[bytes], added: Sequence[bytes]
    ) -> bytes | None:
        if not added:
            return self._original(section)
        return table(section, [*base, *added])

    def _functions(self, entries: Sequence[EntryOp]) -> bytes:
        layout = self.layout
        names = tuple(entry.sym_name.data for entry in entries)
        records = [self._record(entry) for entry in entries]
        original = self._original(Section.FUNCTION)
        assert original is not None
        spellings = [layout.functions.get(name) for name in names]
        if names == layout.order and all(
            spelling is not None and record == spelling.spelled
            for record, spelling in zip(records, spellings, strict=True)
        ):
            return original
        out = bytearray()
        put_varint(out, len(records))
        for record in records:
            out += record
        align(out, ALIGNMENT[Section.FUNCTION], FILL)
        return bytes(out)

    def _record(self, entry: EntryOp) -> bytes:
        layout = self.layout
        spelling = layout.functions.get(entry.sym_name.data)
        fingerprint = _fingerprint(self.module, entry, layout.version, layout.bases)
        if spelling is not None and fingerprint is not None:
            if fingerprint == spelling.fingerprint:
                return spelling.spelled
        function = self.writer.function(entry, self.writer.head(entry))
        out = bytearray()
        function.put(out, self._location(function, spelling))
        return bytes(out)

    def _location(self, function: Function, spelling: Spelling | None) -> int:
        """The place of the row of a function that has changed: its own if nothing shares it."""
        if not function.row:
            return 0
        own = 0 if spelling is None else spelling.location
        users = [s for s in self.layout.functions.values() if s.location == own]
        if own and len(users) == 1:
            old = self.rows[own - 1]
            if old[: len(function.row)] != function.row:
                self.rows[own - 1] = function.row
            return own
        self.rows.append(function.row)
        return len(self.rows)

    def _globals(self, count: int) -> bytes | None:
        layout = self.layout
        original = self._original(Section.GLOBAL)
        fingerprint = _payload_of_globals(self.module, layout.version, layout.bases)
        if fingerprint is not None and fingerprint == layout.globals:
            return original
        globals, _ = self.writer.split()
        payload = self.writer.globals(globals)
        return payload if count or original is not None else None

    def _producer(self) -> bytes | None:
        producer = self.module.producer
        if producer is not None and producer.data == self.layout.producer:
            return self._original(Section.PRODUCER)
        return self.writer.producer() or None

    def _debug(self) -> bytes | None:
        added = self.writer.debug.items
        original = self._original(Section.DEBUG)
        if not added and tuple(self.rows) == self.layout.rows:
            return original
        rows = [row or bytes(INDEX_BYTES) for row in self.rows]
        return debug_payload(rows, [*self.layout.bases.debug.items, *added])
