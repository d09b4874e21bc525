"""Text of `cuda_tile` programs: NVIDIA's form, or MLIR's generic form.

The operations print themselves through xDSL's `Printer` interface and work with xDSL's own
printer too. `TilePrinter` adds what that printer lacks: the default dialect inside regions,
MLIR's value names, sorted dictionaries, exact scalars, and locations with aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import IO, Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FloatAttr,
    FusedLoc,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
    f64,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.aliases import BUILTIN_LOCATIONS, Alias, Aliases
from tileir_xdsl.dialects.cuda_tile.attributes import DebugInfo
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.constants import FloatBitsAttr, scalar_text
from tileir_xdsl.dialects.cuda_tile.literals import LAYOUTS
from tileir_xdsl.dialects.cuda_tile.names import ValueNames
from tileir_xdsl.dialects.cuda_tile.nesting import deep_recursion
from tileir_xdsl.dialects.cuda_tile.types import CudaTileType, short_type

WRAPPER = "cuda_tile.module"

KERNEL_DIALECT = "tile_sugar"
"""The dialect that stays the default inside a kernel's operations of other dialects, and whose
types print short there too."""

BARE_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")

_ESCAPED = re.compile(rb'[^ -~]|["\\]')


def module_text(
    module: Operation,
    debuginfo: bool = False,
    nvidia: bool = False,
    wrapped: bool | None = None,
    generic: bool = False,
    properties_as_attributes: bool = False,
) -> str:
    """The text of a `builtin.module` or `cuda_tile.module`, with a newline at its end.

    `wrapped` forces `cuda_tile.module @name { .. }` (True) or its body alone (False); None prints
    the module as it was read. `nvidia` prints exactly what NVIDIA's tools print, also where that
    does not read back. Raw bytes of strings are surrogate escapes in the result.
    `properties_as_attributes` gives the `generic` form of MLIR before it had properties. A program
    that breaks the rules of its operations so far that it has no other form prints generic too.
    """

    def text(generic: bool) -> str:
        stream = StringIO()
        printer = TilePrinter(
            stream,
            print_generic_format=generic,
            print_properties_as_attributes=properties_as_attributes,
            print_debuginfo=debuginfo,
            nvidia=nvidia,
            wrapped=wrapped,
        )
        printer.print_module(module)
        return stream.getvalue()

    try:
        return text(generic)
    except Exception:
        if generic or _verifies(module):
            raise
        return text(True)


def _verifies(module: Operation) -> bool:
    from tileir_xdsl.diagnostics import Severity
    from tileir_xdsl.verifier import verify_module

    return all(d.severity is not Severity.ERROR for d in verify_module(module))


def print_body(printer: Printer, region: Region) -> None:
    """Print a region in braces, without block arguments and the implicit terminator."""
    printer.print_region(
        region,
        print_entry_block_args=False,
        print_empty_block=False,
        print_block_terminators=omitted_terminator(printer, region) is None,
    )


def omitted_terminator(printer: Printer, region: Region) -> Operation | None:
    """The last operation of a region, when it is one that text leaves out."""
    implicit: str | None = getattr(region.parent, "IMPLICIT_TERMINATOR", None)
    if implicit is None or printer.print_generic_format:
        return None
    block = region.blocks.first
    last = None if block is None else block.last_op
    if last is None or last.name != implicit or len(region.blocks) != 1:
        return None
    if last.operands or last.attributes or last.properties:
        return None
    # NVIDIA's text drops the location; ours has to read back.
    located = printer.print_debuginfo and not isinstance(last.location, UnknownLoc)
    return None if located and not getattr(printer, "nvidia", False) else last


def escaped(string: str) -> str:
    """A string in quotes, with MLIR's escapes; surrogate escapes are raw bytes."""
    return escaped_bytes(string.encode("utf-8", "surrogateescape"))


def escaped_bytes(data: bytes) -> str:
    return f'"{_ESCAPED.sub(_escape, data).decode("ascii")}"'


def _escape(match: re.Match[bytes]) -> bytes:
    byte = match[0]
    return b"\\\\" if byte == b"\\" else b"\\%02X" % byte[0]


class TilePrinter(Printer):
    """Prints `cuda_tile`, and other dialects in their own form, as MLIR lays them out."""

    nvidia: bool
    """Whether to print exactly NVIDIA's text, also where it loses information."""

    wrapped: bool | None
    """Whether the module's wrapper is printed; None for as it was read."""

    def __init__(
        self,
        stream: IO[str] | None = None,
        print_generic_format: bool = False,
        print_properties_as_attributes: bool = False,
        print_debuginfo: bool = False,
        *,
        nvidia: bool = False,
        wrapped: bool | None = None,
    ) -> None:
        super().__init__(
            stream, print_generic_format, print_properties_as_attributes, print_debuginfo
        )
        self.nvidia = nvidia
        self.wrapped = wrapped
        self._names = ValueNames(suggestions=not print_generic_format)
        self._aliases = Aliases()
        self._default_dialect = ""

    # Modules.

    def print_module(self, module: Operation) -> None:
        """Print a whole program, with the definitions of its aliases and a final newline."""
        with deep_recursion():
            self._print_module(_only_program(module))

    def _print_module(self, module: Operation) -> None:
        self._aliases = Aliases()
        if self.is_bare(module):
            self._print_bare(module)
            return
        if self.print_debuginfo:
            self._visit(module)
        definitions = self._aliases.name_all()
        self._define(alias for alias in definitions if alias.early)
        self.print_op(module)
        self.print_string("\n")
        self._define(alias for alias in definitions if not alias.early)

    def is_bare(self, module: Operation) -> bool:
        """Whether a module prints as its body alone."""
        if module.name != WRAPPER or self.print_generic_format:
            return False
        if self.wrapped is not None:
            return not self.wrapped
        return bool(getattr(module, "bare", False))

    def _print_bare(self, module: Operation) -> None:
        block = module.regions[0].blocks.first
        ops = () if block is None else tuple(block.ops)
        if self.print_debuginfo:
            for op in ops:
                self._visit(op)
        if self.print_debuginfo and not ops:
            # NVIDIA's tools name the module's location only where there is no other.
            self._aliases.visit(module.location)
        definitions = self._aliases.name_all()
        producer = module.properties.get("producer")
        if isinstance(producer, StringAttr) and producer.data:
            self.print_string(f"// Producer: {producer.data}\n")
        with self._inside(module):
            for op in ops:
                self.print_op(op)
                self.print_string("\n")
        if not ops:
            self.print_string("\n")
        self._define(definitions)

    def _visit(self, op: Operation) -> None:
        self._aliases.visit_operation(
            op,
            arguments=self._has_located_arguments,
            omitted=lambda region: omitted_terminator(self, region),
        )

    def _has_located_arguments(self, block: Block) -> bool:
        """Whether the arguments of a block print with locations: not in NVIDIA's form."""
        return self.print_generic_format or not isinstance(block.parent_op(), CudaTileOp)

    def _define(self, definitions: Iterable[Alias]) -> None:
        for alias in definitions:
            self.print_string(f"{alias.name} = ")
            self._print_definition(alias.attribute)
            self.print_string("\n")

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        self._write(text)

    # Operations.

    def print_op(self, op: Operation) -> None:
        begin = self._current_column
        self._print_results(op)
        custom = self._has_custom_format(op)
        if isinstance(op, UnregisteredOp):
            self.print_string(escaped(op.op_name.data))
        elif custom:
            self.print_string(self._short_name(op.name))
        else:
            self.print_string(f'"{op.name}"')
        for message in self.diagnostic.op_messages.get(op, ()):
            self._add_message_on_next_line(message, begin, self._current_column)
        if custom:
            op.print(self)
        else:
            self.print_op_with_default_format(op)
        if self.print_debuginfo:
            self.print_string(f" {self._location(op.location)}")

    def _has_custom_format(self, op: Operation) -> bool:
        return not (
            self.print_generic_format
            or isinstance(op, UnregisteredOp)
            or type(op).print is Operation.print
        )

    def _short_name(self, name: str) -> str:
        dialect, _, mnemonic = name.partition(".")
        return mnemonic if dialect == self._default_dialect else name

    def print_op_with_default_format(self, op: Operation) -> None:
        if not isinstance(op, UnregisteredOp):
            super().print_op_with_default_format(op)
            return
        name = op.attributes.pop("op_name__")
        try:
            super().print_op_with_default_format(op)
        finally:
            op.attributes["op_name__"] = name

    def print_operation_type(self, op: Operation) -> None:
        # The location is printed by `print_op`.
        self.print_function_type(op.operand_types, op.result_types)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        with self._inside(region.parent):
            super().print_region(
                region, print_entry_block_args, print_empty_block, print_block_terminators
            )

    @contextmanager
    def _inside(self, parent: Operation | None):
        """In the regions of `parent`, whose dialect may be the default one there."""
        outer = self._default_dialect
        if parent is not None and getattr(parent, "DEFAULT_DIALECT_BODY", False):
            self._default_dialect = parent.dialect_name()
        elif outer != KERNEL_DIALECT:
            self._default_dialect = ""
        yield
        self._default_dialect = outer

    # Values.

    def _print_results(self, op: Operation) -> None:
        if not op.results:
            return
        names = self._names
        if op not in names.results:
            names.assign(_root(op))
        self.print_string(f"{names.results[op]} = ")

    def print_ssa_value(self, value: SSAValue) -> str:
        names = self._names
        name = names.uses.get(value)
        if name is None:
            names.assign(_root(value.owner))
            name = names.uses[value]
        self.print_string(name)
        return name.removeprefix("%")

    def print_operand(self, operand: SSAValue) -> None:
        self.print_ssa_value(operand)

    def print_block_argument(self, arg: Any, print_type: bool = True) -> None:
        self.print_ssa_value(arg)
        if not print_type:
            return
        self.print_string(": ")
        self.print_attribute(arg.type)
        if self.print_debuginfo:
            self.print_string(f" {self._location(arg.location)}")

    # Attributes.

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        super().print_attr_dict(_by_key(attr_dict))

    def print_string_literal(self, string: str) -> None:
        self.print_string(escaped(string))

    def print_bytes_literal(self, bytestring: bytes) -> None:
        self.print_string(escaped_bytes(bytestring))

    def print_identifier_or_string_literal(self, string: str | StringAttr) -> None:
        text = string.data if isinstance(string, StringAttr) else string
        self.print_string(text if BARE_IDENTIFIER.fullmatch(text) else escaped(text))

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, (DebugInfo, *BUILTIN_LOCATIONS)):
            alias = self._aliases.name_of(attribute)
            if alias is None:
                self._print_definition(attribute)
            else:
                self.print_string(alias)
            return
        if self._default_dialect == KERNEL_DIALECT and isinstance(attribute, CudaTileType):
            self.print_string(short_type(attribute))
        elif (scalar := _scalar(attribute)) is not None:
            self.print_string(scalar)
        elif isinstance(attribute, ArrayAttr):
            array = cast(ArrayAttr[Attribute], attribute)
            with self.in_square_brackets():
                self.print_list(array.data, self._print_element)
        else:
            super().print_attribute(attribute)

    def _print_element(self, attribute: Attribute) -> None:
        """An element of an array: i64 and decimal f64 omit their type."""
        if _scalar(attribute) is None:
            self.print_attribute(attribute)
        else:
            self.print_string(scalar_text(attribute))

    # Locations.

    def _location(self, location: Attribute) -> str:
        """`loc(..)` around an alias or a location."""
        return f"loc({self._nested_location(location)})"

    def _nested_location(self, location: Attribute) -> str:
        alias = self._aliases.name_of(location)
        return alias if alias is not None else self._location_body(location)

    def _print_definition(self, attribute: Attribute) -> None:
        """What an alias stands for."""
        if isinstance(attribute, BUILTIN_LOCATIONS):
            self.print_string(f"loc({self._location_body(attribute)})")
        else:
            super().print_attribute(attribute)

    def _location_body(self, location: Attribute) -> str:
        match location:
            case UnknownLoc():
                return "unknown"
            case FileLineColLoc():
                # MLIR has no empty file names and takes "-" instead.
                name = location.filename.data or ("-" if self.nvidia else "")
                return f"{escaped(name)}:{location.line.data}:{location.column.data}"
            case CallSiteLoc():
                callee = self._nested_location(location.callee)
                return f"callsite({callee} at {self._nested_location(location.caller)})"
            case NameLoc():
                child = location.location
                nameless = isinstance(child, NoneAttr | UnknownLoc)
                inner = "" if nameless else f"({self._nested_location(child)})"
                return f"{escaped(location.desc.data)}{inner}"
            case FusedLoc():
                metadata = location.metadata
                tag = "" if isinstance(metadata, NoneAttr) else f"<{self._text_of(metadata)}>"
                parts = cast(ArrayAttr[Attribute], location.locations)
                return f"fused{tag}[{', '.join(map(self._nested_location, parts))}]"
            case _:
                return self._text_of(location)

    def _text_of(self, attribute: Attribute) -> str:
        """An attribute's text, without printing it."""
        stream = StringIO()
        printer = TilePrinter(stream, nvidia=self.nvidia)
        printer._aliases = self._aliases
        printer.print_attribute(attribute)
        return stream.getvalue()


def _only_program(module: Operation) -> Operation:
    """The `cuda_tile.module` of a `builtin.module` that holds nothing else."""
    if not isinstance(module, ModuleOp) or module.attributes or module.properties:
        return module
    block = module.body.blocks.first
    ops: Sequence[Operation] = () if block is None else tuple(block.ops)
    return ops[0] if len(ops) == 1 and ops[0].name == WRAPPER else module


def _root(node: Operation | Block) -> Operation | Block | Region:
    root = node.get_toplevel_object()
    assert isinstance(root, Operation | Block | Region)
    return root


def _by_key(entries: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Entries in the order in which MLIR keeps them: bytewise by key."""
    return dict(sorted(entries.items(), key=lambda e: e[0].encode("utf-8", "surrogateescape")))


def _scalar(attribute: Attribute) -> str | None:
    """An integer or float with its type, when it is one that `cuda_tile` has."""
    match attribute:
        case IntegerAttr():
            type: Any = cast("IntegerAttr[Any]", attribute).type
            if type != IntegerType(getattr(type, "bitwidth", 0)):
                # `index` and explicitly signed integers print as xDSL does.
                return None
            return scalar_text(attribute) + (" : i64" if type == i64 else "")
        case FloatAttr() | FloatBitsAttr():
            type = cast("FloatAttr[Any]", attribute).type
            if type.name not in LAYOUTS:
                return None
            text = scalar_text(attribute)
            return text if type != f64 or ":" in text else f"{text} : f64"
        case _:
            return None
