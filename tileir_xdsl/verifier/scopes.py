"""The rules of debug scopes: which locations an operation of an entry may carry.

Source: `bytecode.md` section 6 of the facts: the scope of an entry is a subprogram whose linkage
name is the entry's name; its operations are in the same subprogram or in none.
"""

from __future__ import annotations

from xdsl.dialects.builtin import CallSiteLoc, FusedLoc, NameLoc, StringAttr
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects.cuda_tile.attributes import DILexicalBlockAttr, DISubprogramAttr
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr


def subprogram_of(location: Attribute) -> DISubprogramAttr | None:
    """The subprogram that a location is in; of a call, the one that the caller is in."""
    if isinstance(location, CallSiteLoc):
        return subprogram_of(location.caller)
    if isinstance(location, NameLoc):
        return subprogram_of(location.location)
    if isinstance(location, FusedLoc):
        nested: tuple[Attribute, ...] = getattr(location.locations, "data", ())
        return next(filter(None, map(subprogram_of, nested)), None)
    if not isinstance(location, DILocAttr):
        return None
    scope = location.scope
    while isinstance(scope, DILexicalBlockAttr):
        scope = scope.scope
    return scope if isinstance(scope, DISubprogramAttr) else None


def entry_scope_problem(entry: EntryOp) -> str | None:
    """What is wrong with the location of an entry."""
    location: Attribute = entry.location
    if isinstance(location, CallSiteLoc):
        return "the location of an entry cannot be a call site"
    if not isinstance(location, DILocAttr):
        return None
    if not isinstance(location.scope, DISubprogramAttr):
        return "the scope of an entry's location must be a di_subprogram"
    linkage = location.scope.linkage_name.data
    name = entry.properties.get("sym_name")
    if not isinstance(name, StringAttr):
        return None
    if linkage != name.data:
        return f"the scope of '@{name.data}' has the linkageName '{linkage}', they must be equal"
    return None


def scope_problem(op: Operation, entry_scope: DISubprogramAttr | None) -> str | None:
    """What is wrong with the location of an operation in an entry of a scope."""
    scope = subprogram_of(op.location)
    if scope is None or scope == entry_scope:
        return None
    name = scope.subprogram_name.data
    if entry_scope is None:
        return f"its location is in the subprogram '{name}', but its entry's is in none"
    return (
        f"its location is in the subprogram '{name}', "
        f"but its entry is '{entry_scope.subprogram_name.data}'"
    )
