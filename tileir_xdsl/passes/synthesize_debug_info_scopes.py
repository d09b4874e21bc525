"""`synthesize-debug-info-scopes`: locations in scopes, which bytecode and debuggers need."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects.cuda_tile.attributes import (
    DICompileUnitAttr,
    DIFileAttr,
    DISubprogramAttr,
)
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr
from tileir_xdsl.dialects.cuda_tile.places import file_position
from tileir_xdsl.passes.tile_pass import TilePass

UNKNOWN_FILE = "<unknown>"


@dataclass(frozen=True)
class SynthesizeDebugInfoScopesPass(TilePass):
    """Gives entries without a scoped location one, and their operations locations in it.

    The bytecode holds no plain `file:line:column`: each becomes a location in a subprogram named as
    the entry, in a compilation unit for the module's file. Operations without a place get that of
    the entry. Entries that have a scope keep all their locations.
    """

    name = "synthesize-debug-info-scopes"

    def run_on(self, ctx: Context, op: Operation) -> None:
        for entry in [inner for inner in op.walk() if isinstance(inner, EntryOp)]:
            if not isinstance(entry.location, DILocAttr):
                _add_scope(entry)


def _add_scope(entry: EntryOp) -> None:
    position = _position(entry)
    module = entry.parent_op()
    file = _file(position if module is None else _position(module) or position)
    line = IntAttr(1 if position is None else position.line.data)
    name = StringAttr(entry.sym_name.data)
    scope = DISubprogramAttr(file, line, name, name, DICompileUnitAttr(file), line, IntAttr(0))
    start = position or FileLineColLoc(StringAttr(_path(file)), line, IntAttr(1))
    locations: dict[Attribute, DILocAttr] = {}
    for op in entry.walk():
        at = start if op is entry else _position(op) or start
        located = locations.setdefault(at, DILocAttr(at, scope))
        # xDSL's union of locations does not know `di_loc`.
        op.location = cast(LocationAttr, located)


def _position(op: Operation) -> FileLineColLoc | None:
    """The place of an operation in a file."""
    found = file_position(op.location)
    if found is None:
        return None
    file, line, column = found
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))


def _file(position: FileLineColLoc | None) -> DIFileAttr:
    if position is None:
        return DIFileAttr(StringAttr(UNKNOWN_FILE), StringAttr(""))
    directory, name = posixpath.split(position.filename.data)
    return DIFileAttr(StringAttr(name), StringAttr(directory))


def _path(file: DIFileAttr) -> str:
    return posixpath.join(file.directory.data, file.file_name.data)
