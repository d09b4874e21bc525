"""Names of SSA values, as MLIR's printer assigns them.

Numbers and names go region by region: first all values that belong directly to a region, then
each nested region, which continues the counters of its parent; sibling regions start from the
same counters. Source: `text.md` section 3 of the facts, and MLIR's `AsmPrinter`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp

_IDENTIFIER = re.compile(r"[A-Za-z$._-][A-Za-z0-9$._-]*")

NO_NAMES: Mapping[SSAValue, str] = {}


class _Pending(NamedTuple):
    """A region still to be named, with the counters at the end of its parent."""

    region: Region
    value: int
    argument: int
    conflict: int
    depth: int
    """How many scopes of used names enclose the region."""


class ValueNames:
    """The names of all values below an operation.

    With `suggestions`, operations choose names through `get_asm_result_names` and
    `get_asm_block_argument_names`; without, results are numbers alone, as in generic form.
    """

    uses: dict[SSAValue, str]
    """How each value is written where it is used, e.g. `%0`, `%for#1`."""

    results: dict[Operation, str]
    """What stands before the ` = ` of each operation with results, e.g. `%0:2`."""

    def __init__(self, *, suggestions: bool = True) -> None:
        self.uses = {}
        self.results = {}
        self._suggestions = suggestions
        self._used: set[str] = set()
        self._scopes: list[list[str]] = []
        self._value = self._argument = self._conflict = 0

    def assign(self, root: Operation | Block | Region) -> None:
        """Name every value at or below `root`, nested to any depth."""
        self._used = set()
        self._scopes = [[]]
        self._value = self._argument = self._conflict = 0
        pending: list[_Pending] = []
        if isinstance(root, Operation):
            if root.results:
                self._name_results(root)
            self._push(pending, root.regions)
        elif isinstance(root, Block):
            self._name_block(root, True, NO_NAMES)
            self._push_nested(pending, root)
        else:
            self._push(pending, (root,))
        while pending:
            self._name_region(pending, pending.pop())

    def _push(self, pending: list[_Pending], regions: Iterable[Region]) -> None:
        counters = self._value, self._argument, self._conflict, len(self._scopes)
        pending.extend(_Pending(region, *counters) for region in regions)

    def _push_nested(self, pending: list[_Pending], block: Block) -> None:
        for op in block.ops:
            if op.regions:
                self._push(pending, op.regions)

    def _name_region(self, pending: list[_Pending], item: _Pending) -> None:
        region, self._value, self._argument, self._conflict, depth = item
        while len(self._scopes) > depth:
            self._used.difference_update(self._scopes.pop())
        self._scopes.append([])
        suggested = self._suggested_arguments(region)
        for position, block in enumerate(region.blocks):
            self._name_block(block, position == 0, suggested)
        for block in region.blocks:
            self._push_nested(pending, block)

    def _suggested_arguments(self, region: Region) -> Mapping[SSAValue, str]:
        suggest: Any = getattr(region.parent, "get_asm_block_argument_names", None)
        if suggest is None or not self._suggestions:
            return NO_NAMES
        names: dict[SSAValue, str] = {}

        def set_name(value: SSAValue, name: str) -> None:
            # Operations name the arguments of all their regions at once.
            if isinstance(value, BlockArgument) and value.block.parent is region:
                names[value] = self._choose(name) if name else self._number()

        suggest(set_name)
        return names

    def _name_block(self, block: Block, is_entry: bool, suggested: Mapping[SSAValue, str]) -> None:
        for argument in block.args:
            name = suggested.get(argument)
            if name is None and is_entry:
                name = self._choose(f"arg{self._argument}")
                self._argument += 1
            self.uses[argument] = f"%{name or self._number()}"
        for op in block.ops:
            if op.results:
                self._name_results(op)

    def _name_results(self, op: Operation) -> None:
        results = op.results
        suggested = self._suggested_results(op)
        first = f"%{suggested.get(results[0]) or self._number()}"
        if len(results) == 1:
            self.uses[results[0]] = self.results[op] = first
            return
        # A result with a name starts a group; those without belong to the group before.
        groups: list[tuple[str, list[SSAValue]]] = [(first, [results[0]])]
        for result in results[1:]:
            if result in suggested:
                groups.append((f"%{suggested[result]}", [result]))
            else:
                groups[-1][1].append(result)
        for name, members in groups:
            for position, member in enumerate(members):
                self.uses[member] = f"{name}#{position}" if len(members) > 1 else name
        self.results[op] = ", ".join(
            f"{name}:{len(members)}" if len(members) > 1 else name for name, members in groups
        )

    def _suggested_results(self, op: Operation) -> Mapping[SSAValue, str]:
        suggest: Any = getattr(op, "get_asm_result_names", None)
        if suggest is None or not self._suggestions or _suggests_none(type(op)):
            return NO_NAMES
        names: dict[SSAValue, str] = {}

        def set_name(value: SSAValue, name: str) -> None:
            names[value] = self._choose(name) if name else self._number()

        suggest(set_name)
        return names

    def _number(self) -> str:
        self._value += 1
        return str(self._value - 1)

    def _choose(self, name: str) -> str:
        """`name` as an identifier, with the next conflict number when it is taken."""
        plain = sanitize_identifier(name)
        chosen = plain
        while chosen in self._used:
            chosen = f"{plain}_{self._conflict}"
            self._conflict += 1
        self._used.add(chosen)
        self._scopes[-1].append(chosen)
        return chosen


def _suggests_none(cls: type[Any]) -> bool:
    return cls.get_asm_result_names is CudaTileOp.get_asm_result_names


def sanitize_identifier(name: str) -> str:
    """A suggestion as MLIR spells it: spaces become `_`, other odd bytes their hexadecimal."""
    if _IDENTIFIER.fullmatch(name):
        return name
    text = "".join(map(_sanitize_byte, name.encode("utf-8", "surrogateescape")))
    return f"_{text}" if text[:1].isdigit() else text


def _sanitize_byte(byte: int) -> str:
    character = chr(byte)
    if byte < 0x80 and (character.isalnum() or character in "$._-"):
        return character
    return "_" if character == " " else f"{byte:X}"
