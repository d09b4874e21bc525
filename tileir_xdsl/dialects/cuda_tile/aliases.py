"""Aliases of locations and debug info: `#loc`, `#loc1`, `#di_file`, ...

Aliases are listed by nesting depth (what refers to no other alias comes first), then by name,
then by first use, and are numbered in that order. Source: `text.md` section 9 of the facts, and
MLIR's `AsmPrinter`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DictionaryAttr,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region

from tileir_xdsl.dialects.cuda_tile.attributes import DebugInfo, sorted_entries
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr

BUILTIN_LOCATIONS = (UnknownLoc, FileLineColLoc, CallSiteLoc, FusedLoc, NameLoc)


class Alias(NamedTuple):
    """The definition of one alias."""

    name: str
    attribute: Attribute
    early: bool
    """Whether the program needs the definition before it."""


class _Node(NamedTuple):
    """One of the distinct attributes, with the positions of those in it."""

    attribute: Attribute
    operands: tuple[int, ...]
    stem: str | None
    depth: int


class Aliases:
    """The aliases of all attributes that were visited.

    Attributes are looked up by identity and equal ones made one bottom-up, since hashing a
    location walks through all the scopes around it.
    """

    def __init__(self) -> None:
        self._position: dict[int, int] = {}
        self._content: dict[object, int] = {}
        self._nodes: list[_Node] = []
        self._used: dict[int, None] = {}
        self._early: set[int] = set()
        self._names: dict[int, str] = {}
        # An identity is only good for as long as its object lives.
        self._alive: list[Attribute] = []

    def visit(self, attribute: Attribute, *, early: bool = False) -> None:
        """Note a use; an `early` one needs its alias defined before the program."""
        pending = [self._node_of(attribute)]
        while pending:
            current = pending.pop()
            if current in self._early or (not early and current in self._used):
                continue
            if early:
                self._early.add(current)
            self._used.setdefault(current)
            pending.extend(reversed(self._nodes[current].operands))

    def visit_operation(
        self,
        root: Operation,
        *,
        arguments: Callable[[Block], bool] = lambda block: False,
        omitted: Callable[[Region], Operation | None] = lambda region: None,
    ) -> None:
        """Note the locations at and below `root`, as far as they print.

        `arguments` says whether those of a block's arguments do, `omitted` which operation of a
        region does not.
        """
        self.visit(root.location)
        pending = [_parts(root, omitted)]
        while pending:
            part = next(pending[-1], None)
            if part is None:
                pending.pop()
            elif isinstance(part, Operation):
                self.visit(part.location)
                if part.regions:
                    pending.append(_parts(part, omitted))
            elif part.args and arguments(part):
                for argument in part.args:
                    self.visit(argument.location, early=True)

    def name_all(self) -> list[Alias]:
        """Name what was visited; the definitions in order."""
        named = [node for node in self._used if self._nodes[node].stem is not None]
        named.sort(key=lambda node: (self._nodes[node].depth, self._nodes[node].stem))
        counts: dict[str | None, int] = {}
        for node in named:
            stem = self._nodes[node].stem
            number = counts.get(stem, 0)
            counts[stem] = number + 1
            self._names[node] = f"#{stem}{number or ''}"
        return [
            Alias(self._names[node], self._nodes[node].attribute, node in self._early)
            for node in named
        ]

    def name_of(self, attribute: Attribute) -> str | None:
        """The alias of a visited attribute."""
        position = self._position.get(id(attribute))
        return None if position is None else self._names.get(position)

    def _node_of(self, attribute: Attribute) -> int:
        if (known := self._position.get(id(attribute))) is not None:
            return known
        self._alive.append(attribute)
        pending = [attribute]
        while pending:
            current = pending[-1]
            operands = operands_of(current)
            missing = [inner for inner in operands if id(inner) not in self._position]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            self._add(current, tuple(self._position[id(inner)] for inner in operands))
        return self._position[id(attribute)]

    def _add(self, attribute: Attribute, operands: tuple[int, ...]) -> None:
        content = (type(attribute), _own_content(attribute), operands) if operands else attribute
        position = self._content.setdefault(content, len(self._nodes))
        self._position[id(attribute)] = position
        if position < len(self._nodes):
            return
        stem = alias_stem(attribute)
        deepest = max((self._nodes[inner].depth for inner in operands), default=0)
        depth = deepest + 1 if deepest or stem is not None else 0
        self._nodes.append(_Node(attribute, operands, stem, depth))


def alias_stem(attribute: Attribute) -> str | None:
    """The alias without its number: `loc`, `di_file`, ...; None for what gets no alias."""
    if isinstance(attribute, (*BUILTIN_LOCATIONS, DILocAttr)):
        return "loc"
    if isinstance(attribute, DebugInfo):
        return attribute.name.partition(".")[2]
    return None


def operands_of(attribute: Attribute) -> Sequence[Attribute]:
    """The attributes inside of one, in printed order, as far as they may have aliases."""
    match attribute:
        case DebugInfo():
            return attribute.parameters
        case CallSiteLoc():
            return (attribute.callee, attribute.caller)
        case FusedLoc():
            locations = cast("ArrayAttr[Attribute]", attribute.locations)
            return (attribute.metadata, *locations.data)
        case NameLoc():
            return () if isinstance(attribute.location, UnknownLoc) else (attribute.location,)
        case ArrayAttr():
            array: Sequence[Attribute] = attribute.data
            return array
        case DictionaryAttr():
            return [value for _, value in sorted_entries(attribute)]
        case _:
            return ()


def _own_content(attribute: Attribute) -> object:
    """What distinguishes an attribute beside its class and `operands_of` it."""
    if isinstance(attribute, NameLoc):
        return attribute.desc.data
    if isinstance(attribute, DictionaryAttr):
        return tuple(key for key, _ in sorted_entries(attribute))
    return None


def _parts(
    op: Operation, omitted: Callable[[Region], Operation | None]
) -> Iterator[Operation | Block]:
    """The blocks of an operation, each followed by its operations."""
    for region in op.regions:
        without = omitted(region)
        for block in region.blocks:
            yield block
            yield from (op for op in block.ops if op is not without)
