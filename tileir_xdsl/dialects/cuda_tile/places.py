"""Where operations stand in the user's source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr

if TYPE_CHECKING:
    from tileir_xdsl.diagnostics import Place, SourceFile

_PLACE = "_place"
_BYTE = "_byte"
_PROBLEM = "_problem"
_FILE = "_file"


def set_place(op: Operation, source: SourceFile, start: int, end: int) -> None:
    """Remember the characters of `source` that an operation was read from."""
    object.__setattr__(op, _PLACE, (source, start, end))


def source_span(op: Operation) -> tuple[SourceFile, int, int] | None:
    """The source that an operation was read from, with the offsets of its name."""
    return op.__dict__.get(_PLACE)


def copy_place(source: Operation, target: Operation) -> None:
    """Let `target`, made from `source` by a rewrite, stand where `source` was read from."""
    for key in (_PLACE, _BYTE):
        if (value := source.__dict__.get(key)) is not None:
            setattr(target, key, value)


def set_argument_span(argument: SSAValue, source: SourceFile, start: int, end: int) -> None:
    """Remember where the name of a block argument stands."""
    object.__setattr__(argument, _PLACE, (source, start, end))


def argument_span(argument: SSAValue) -> tuple[SourceFile, int, int] | None:
    """The source of a block argument's name, with its offsets."""
    return argument.__dict__.get(_PLACE)


def set_problem(op: Operation, message: str) -> None:
    """Remember why the result types of an operation that was just parsed are unknown."""
    object.__setattr__(op, _PROBLEM, message)


def problem_of(op: object) -> str | None:
    """Why the result types of an operation are unknown; None when they are known."""
    return getattr(op, _PROBLEM, None)


def set_byte(op: Operation, offset: int) -> None:
    """Remember the offset in a binary file that an operation was read from."""
    setattr(op, _BYTE, offset)


def set_file(op: Operation, path: str) -> None:
    """Remember the binary file that an operation, and all below it, were read from."""
    setattr(op, _FILE, path)


def _file_of(op: Operation) -> str:
    current: Operation | None = op
    while current is not None:
        if (path := getattr(current, _FILE, None)) is not None:
            return path
        current = current.parent_op()
    return "<unknown>"


def place_of(op: Operation) -> Place:
    """The place to report a problem of `op` at.

    In this order: the text that it was read from, its location, the byte that it was read from,
    and then the same of its ancestors. So a program that comes from bytecode with debug info
    names the places of its own source.
    """
    from tileir_xdsl.diagnostics import Place

    current: Operation | None = op
    while current is not None:
        read_from = current.__dict__.get(_PLACE)
        if read_from is not None:
            return Place.at(*read_from)
        position = file_position(current.location)
        if position is not None:
            file, line, column = position
            return Place.line(file, line, column)
        if (place := byte_place(current)) is not None:
            return place
        current = current.parent_op()
    return Place.file("<unknown>")


def byte_place(op: Operation) -> Place | None:
    """The byte of a binary file that an operation was read from."""
    from tileir_xdsl.diagnostics import Place

    offset: int | None = getattr(op, _BYTE, None)
    return None if offset is None else Place.byte(_file_of(op), offset)


def file_position(location: Attribute) -> tuple[str, int, int] | None:
    """File, line and column of a location; of a call, where the callee is."""
    if isinstance(location, FileLineColLoc):
        return location.filename.data, location.line.data, location.column.data
    if isinstance(location, DILocAttr):
        return file_position(location.position)
    if isinstance(location, CallSiteLoc):
        return file_position(location.callee) or file_position(location.caller)
    if isinstance(location, NameLoc):
        return file_position(location.location)
    if isinstance(location, FusedLoc):
        nested = getattr(location.locations, "data", ())
        return next(filter(None, map(file_position, nested)), None)
    return None
