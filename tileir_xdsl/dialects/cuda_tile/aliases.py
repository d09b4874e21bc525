"""Aliases of locations and debug info: `#loc`, `#loc1`, `#di_file`, ...

Aliases are listed by nesting depth (what refers to no other alias comes first), then by name,
then by first use, and are numbered in that order. Source: `text.md` section 9 of the facts, and
MLIR's `AsmPrinter`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation

from tileir_xdsl.dialects.cuda_tile.attributes import DebugInfo, sorted_entries
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr

BUILTIN_LOCATIONS = (UnknownLoc, FileLineColLoc, CallSiteLoc, FusedLoc, NameLoc)


def alias_stem(attribute: Attribute) -> str | None:
    """The alias without its number: `loc`, `di_file`, ...; None for what gets no alias."""
    if isinstance(attribute, (*BUILTIN_LOCATIONS, DILocAttr)):
        return "loc"
    if isinstance(attribute, DebugInfo):
        return attribute.name.partition(".")[2]
    return None


def operands_of(attribute: Attribute) -> Sequence[Attribute]:
    """The attributes inside of which some may have aliases, in printed order."""
    match attribute:
        case DebugInfo():
            return attribute.parameters
        case CallSiteLoc():
            return (attribute.callee, attribute.caller)
        case FusedLoc():
            return (attribute.metadata, attribute.locations)
        case NameLoc():
            return () if isinstance(attribute.location, UnknownLoc) else (attribute.location,)
        case ArrayAttr():
            array: Sequence[Attribute] = attribute.data
            return array
        case DictionaryAttr():
            return [value for _, value in sorted_entries(attribute)]
        case _:
            return ()


class Aliases:
    """The aliases of everything that was visited."""

    def __init__(self) -> None:
        self._order: dict[Attribute, None] = {}
        self._early: set[Attribute] = set()

    def visit(self, attribute: Attribute, *, early: bool = False) -> None:
        """Note a use. An `early` one needs its alias defined before the program."""
        pending = [attribute]
        while pending:
            current = pending.pop()
            if current in self._early or (not early and current in self._order):
                continue
            if early:
                self._early.add(current)
            self._order.setdefault(current)
            pending.extend(reversed(operands_of(current)))

    def visit_operation(self, root: Operation, *, arguments: bool) -> None:
        """Note the locations at and below `root`; those of block arguments when they print."""
        self.visit(root.location)
        pending = [_parts(root)]
        while pending:
            part = next(pending[-1], None)
            if part is None:
                pending.pop()
            elif isinstance(part, Operation):
                self.visit(part.location)
                if part.regions:
                    pending.append(_parts(part))
            elif arguments:
                for argument in part.args:
                    self.visit(argument.location, early=True)

    def names(self) -> Mapping[Attribute, str]:
        """Alias of each attribute that has one, in the order of their definitions."""
        depths = self._depths()
        stems = {attribute: stem for attribute in depths if (stem := alias_stem(attribute))}
        ordered = sorted(stems, key=lambda attribute: (depths[attribute], stems[attribute]))
        counts: dict[str, int] = {}
        names: dict[Attribute, str] = {}
        for attribute in ordered:
            stem = stems[attribute]
            number = counts.get(stem, 0)
            counts[stem] = number + 1
            names[attribute] = f"#{stem}{number or ''}"
        return names

    def is_early(self, attribute: Attribute) -> bool:
        return attribute in self._early

    def _depths(self) -> dict[Attribute, int]:
        """Nesting depth of each visited attribute; 0 for one without an alias in it."""
        depths: dict[Attribute, int] = {}
        for attribute in self._order:
            pending = [attribute]
            while pending:
                current = pending[-1]
                missing = [inner for inner in operands_of(current) if inner not in depths]
                if missing:
                    pending.extend(missing)
                    continue
                pending.pop()
                deepest = max((depths[inner] for inner in operands_of(current)), default=0)
                own = alias_stem(current) is not None
                depths[current] = deepest + 1 if own or deepest else 0
        return {attribute: depths[attribute] for attribute in self._order}


def _parts(op: Operation) -> Iterator[Operation | Block]:
    """The blocks of an operation, each followed by its operations."""
    for region in op.regions:
        for block in region.blocks:
            yield block
            yield from block.ops
