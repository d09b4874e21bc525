"""What `tileiras --remarks=all` says of a program, operation by operation.

The assembler names places of the debug information, by which several operations may stand at one
place and others at none. So it is given the program with a place of its own for every operation:
without `--lineinfo` and `-g` the cubin is the same, byte for byte.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticError, Place, Remark, RemarkKind
from tileir_xdsl.diagnostics.remarks import TEXT
from tileir_xdsl.dialects.cuda_tile.attributes import (
    DICompileUnitAttr,
    DIFileAttr,
    DISubprogramAttr,
)
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.runtime import tileiras

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

SOURCE = "tileiras"
"""Who speaks, in diagnostics and for `--remarks`."""

SINCE = (13, 3)
"""The first release of tileiras that makes remarks."""

LINE_INFO = frozenset({"-g", "--device-debug", "-lineinfo", "--lineinfo"})


@dataclass(frozen=True)
class AssemblerRemark:
    """One remark of tileiras.

    `category` is `Memory`, `Tensor-core` or `Hints`; `name`, `message` and `details` are
    tileiras's own: `RemarkMemoryLoadInstructionSelected`, `Load instruction selected` and
    `Instruction`, `Shape` or `Reason` with their values.
    """

    kind: RemarkKind
    category: str
    name: str
    function: str
    message: str
    details: tuple[tuple[str, str], ...]
    operation: Operation | None
    """The operation of the given module; None when tileiras names none."""

    def detail(self, name: str) -> str | None:
        """The first value of a detail: `detail("Instruction")` is "TMA Load instruction"."""
        return next((value for key, value in self.details if key == name), None)

    def diagnostic(self, place: Place) -> Remark:
        """As a diagnostic at the operation, or else at `place`."""
        arguments = [(TEXT, self.message)]
        for position, (name, value) in enumerate(self.details):
            arguments += [(TEXT, f"{', ' if position else ': '}{name} = "), (name, value)]
        at = place if self.operation is None else place_of(self.operation)
        return Remark.of(self.kind, SOURCE, self.name, arguments, at, self.function)


@dataclass(frozen=True)
class Assembly:
    """A cubin, and what the assembler said while making it, in the order of the operations."""

    cubin: bytes
    remarks: tuple[AssemblerRemark, ...]


def makes_remarks(tool: Path) -> bool:
    """Whether this `tileiras` has the option `--remarks`."""
    return tileiras.version_key(tileiras.tool_version(tool)) >= SINCE


def compile_with_remarks(
    module: ModuleOp,
    gpu: str = "sm_100",
    version: str | None = None,
    *,
    opt_level: int | None = None,
    tool: str | os.PathLike[str] | None = None,
    extra_args: Sequence[str] = (),
    timeout: float | None = None,
    name: str = "<module>",
) -> Assembly:
    """As `tileir_xdsl.compile`, with the remarks of the assembler.

    Raises `DiagnosticError` as that does, then at the operations that the assembler names, and when
    the assembler makes no remarks (before 13.3) or `extra_args` ask for line information, which
    would not be that of the program.
    """
    path = tileiras.find_tileiras(tool)
    if not makes_remarks(path):
        raise DiagnosticError.at(
            f"tileiras {tileiras.tool_version(path)} makes no remarks; 13.3 and newer ones do",
            Place.file(str(path)),
        )
    if (asked := LINE_INFO.intersection(extra_args)) != frozenset():
        raise DiagnosticError.at(f"remarks and {min(asked)} exclude each other", Place.file(name))
    marked = module.clone()
    operations = list(module.walk())
    _mark(marked)
    with tempfile.TemporaryDirectory(prefix="tileir-") as directory:
        file = Path(directory, "remarks.yaml")
        wanted = ("--remarks=all", "--remark-format=yaml", f"--remarks-output-file={file}")
        try:
            cubin = tileiras.compile_module(
                marked,
                gpu,
                version,
                opt_level=opt_level,
                tool=path,
                extra_args=(*extra_args, *wanted),
                timeout=timeout,
                name=name,
            )
        except DiagnosticError as error:
            raise DiagnosticError(
                _at_operation(diagnostic, operations) for diagnostic in error.diagnostics
            ) from None
        # tileiras writes no file when it has nothing to say.
        text = file.read_text("utf-8", "surrogateescape") if file.exists() else ""
    return Assembly(cubin, tuple(_attached(_documents(text, path), operations)))


# Marks.

MARK = "operation.tileir-xdsl"
"""The file of the marks; the line is the number of the operation in the module, from 1."""

_MARKED_TEXT = re.compile(rf'loc\("{re.escape(MARK)}":\d+:\d+\): ')


def _mark(module: ModuleOp) -> None:
    """Give every operation of an entry a place of its own."""
    file = DIFileAttr(StringAttr(MARK), StringAttr(""))
    unit = DICompileUnitAttr(file)
    scopes: dict[Operation, DISubprogramAttr] = {}
    for line, op in enumerate(module.walk(), 1):
        if isinstance(op, EntryOp):
            name = StringAttr(op.sym_name.data)
            start, flags = IntAttr(line), IntAttr(0)
            scope = DISubprogramAttr(file, start, name, name, unit, start, flags)
        else:
            parent = op.parent_op()
            scope = None if parent is None else scopes.get(parent)
        if scope is not None:
            scopes[op] = scope
            position = FileLineColLoc(StringAttr(MARK), IntAttr(line), IntAttr(1))
            # xDSL's union of locations does not know `di_loc`.
            op.location = cast(LocationAttr, DILocAttr(position, scope))


def _at_operation(diagnostic: Diagnostic, operations: Sequence[Operation]) -> Diagnostic:
    """A diagnostic, and its notes, at the operations that their marks name."""
    place = diagnostic.place
    if place.path == MARK and place.range is not None:
        place = place_of(operations[place.range.start.line - 1])
    notes = [_at_operation(note, operations) for note in diagnostic.notes]
    return replace(diagnostic, place=place, notes=notes)


# Reading.


@dataclass
class _Document:
    """A remark as tileiras writes it."""

    kind: str
    fields: dict[str, str]
    arguments: list[tuple[str, str]]


_START = re.compile(rf"--- !(?P<kind>{'|'.join(kind.value for kind in RemarkKind)})")
_FIELD = re.compile(r"(?P<argument>  - )?(?P<name>[\w-]+): +(?P<value>.*\S)")
_LINE = re.compile(r"Line: (\d+), Column: \d+ \}$")


def _documents(text: str, tool: Path) -> Iterator[_Document]:
    """The documents of a file in the form that LLVM writes, with one line for each value."""
    document: _Document | None = None
    for number, line in enumerate(text.splitlines(), 1):
        field = _FIELD.fullmatch(line)
        if (start := _START.fullmatch(line)) is not None:
            document = _Document(start["kind"], {}, [])
        elif document is None or (field is None and line not in ("Args:", "...")):
            raise DiagnosticError.at(
                f"line {number} of its remarks is in no known form: {line}", Place.file(str(tool))
            )
        elif line == "...":
            yield document
        elif field is not None and field["argument"]:
            document.arguments.append((field["name"], _unquoted(field["value"])))
        elif field is not None:
            document.fields[field["name"]] = _unquoted(field["value"])


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", "N": "\x85", "_": "\xa0"}


def _unquoted(value: str) -> str:
    """The text of a YAML scalar; a mapping stays what it is."""
    if value.startswith("'"):
        return value[1:-1].replace("''", "'")
    if value.startswith('"'):
        return _ESCAPE.sub(_escaped, value[1:-1])
    return value


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _NAMED.get(code, code)


def _attached(
    documents: Iterable[_Document], operations: Sequence[Operation]
) -> Iterator[AssemblerRemark]:
    """The remarks at their operations, each once, in the order of the operations."""
    found: dict[AssemblerRemark, int] = {}
    for document in documents:
        number = _operation_number(document)
        operation = operations[number - 1] if 0 < number <= len(operations) else None
        details = dict.fromkeys(
            (name, _MARKED_TEXT.sub("", value))
            for name, value in document.arguments
            if name not in ("Remark", "RemarkId")
        )
        remark = AssemblerRemark(
            RemarkKind(document.kind),
            document.fields.get("Pass", ""),
            document.fields.get("Name", ""),
            document.fields.get("Function", ""),
            dict(document.arguments).get("Remark", ""),
            tuple(details),
            operation,
        )
        found.setdefault(remark, number)
    # tileiras writes them in no order.
    yield from sorted(found, key=lambda r: (found[r], r.name, r.message, r.details))


def _operation_number(document: _Document) -> int:
    """The number in a mark; 0 without one."""
    location = document.fields.get("DebugLoc", "")
    line = _LINE.search(location)
    return int(line[1]) if line is not None and MARK in location else 0
