"""`di_loc`, the location inside a debug scope. Source: `text.md` section 9 of the facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.attributes import DebugInfo, verify_scope


@irdl_attr_definition
class DILocAttr(DebugInfo):
    """A file position in a scope: `di_loc<loc("file":L:C) in SCOPE>`."""

    name = "cuda_tile.di_loc"

    position: FileLineColLoc = param_def()
    scope: Attribute = param_def()

    def verify(self) -> None:
        verify_scope(self.scope)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.position)
            printer.print_string(" in ")
            printer.print_attribute(self.scope)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.parse_optional_location() or parser.parse_attribute()
            if not isinstance(position, FileLineColLoc):
                parser.raise_error('expected a file position: loc("file":LINE:COLUMN)')
            parser.parse_keyword("in")
            return (position, parser.parse_attribute())


NestedLoc = TypeVar("NestedLoc", CallSiteLoc, FusedLoc, NameLoc)


def nested_location(cls: type[NestedLoc], *parameters: Attribute) -> NestedLoc:
    """A location around other locations, which may be `di_loc`.

    xDSL's own constructors accept only xDSL's own locations inside. `parameters` come in the
    order of the class: callee, caller; name, location; locations, metadata.
    """
    location = cls.__new__(cls)
    for (name, _), value in zip(cls.get_irdl_definition().parameters, parameters, strict=True):
        object.__setattr__(location, name, value)
    return location


def callsite(callee: Attribute, caller: Attribute) -> CallSiteLoc:
    """`callsite(CALLEE at CALLER)`: a location in inlined code."""
    return nested_location(CallSiteLoc, callee, caller)
