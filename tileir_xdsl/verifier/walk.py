"""The walk over a program: each operation's own rules, and the rules between operations.

A program repeats a few operations with the same types many times, and what the declaration and
`verify_` of an operation without regions say depends on its types and properties alone. So each
such combination is checked once and remembered; only the first one pays for xDSL's generic
machinery, which is most of the time of `Operation.verify`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, StringAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, ErasedSSAValue, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.parser.core import ForwardDeclaredValue  # noqa: TID251
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    NoMemoryEffect,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.diagnostics import Diagnostic, DiagnosticSink, Place, Severity
from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.dialects.cuda_tile.arithmetic import DivIOp, RemIOp
from tileir_xdsl.dialects.cuda_tile.attributes import DISubprogramAttr
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.control_flow import ForOp, LoopOp, TerminatorOp
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr
from tileir_xdsl.dialects.cuda_tile.nesting import deep_recursion
from tileir_xdsl.dialects.cuda_tile.places import byte_place, place_of
from tileir_xdsl.dialects.cuda_tile.rules import RuleError
from tileir_xdsl.verifier.declarations import check_declaration, check_regions, plain_message
from tileir_xdsl.verifier.lints import LINTS
from tileir_xdsl.verifier.places import operand_place, value_place
from tileir_xdsl.verifier.scopes import entry_scope_problem, scope_problem, subprogram_of

_SCOPE = "location-scope"

MAX_REMEMBERED = 1 << 13
"""Combinations remembered for each operation class."""


def verify_module(module: Operation) -> list[Diagnostic]:
    """All errors and warnings of a program, in source order.

    `module` may be any operation; what lies around it is not looked at.
    """
    sink = DiagnosticSink()
    verify_into(module, sink)
    return sink.sorted()


def verify_into(module: Operation, sink: DiagnosticSink) -> bool:
    """Report what is wrong with a program; answers whether it has no errors."""
    before = sink.error_count
    with deep_recursion():
        _Walk(sink).operation(module)
    return sink.error_count == before


class _Kind:
    """What the walk needs to know about an operation class."""

    def __init__(self, cls: type[Operation]) -> None:
        registered = not issubclass(cls, UnregisteredOp)
        traits = tuple(cls.traits) if registered else ()
        self.is_ours = issubclass(cls, CudaTileOp)
        self.is_isolated = any(isinstance(t, IsolatedFromAbove) for t in traits)
        self.ends_freely = not registered or any(isinstance(t, NoTerminator) for t in traits)
        self.is_terminator = any(isinstance(t, IsTerminator) for t in traits)
        self.may_terminate = self.is_terminator or not registered
        self.is_symbol_table = any(isinstance(t, SymbolTable) for t in traits)
        is_symbol = any(isinstance(t, SymbolOpInterface) for t in traits)
        # What has a name and holds none is a function, a kernel of `tile_sugar` for one.
        is_function = is_symbol and not self.is_symbol_table
        self.is_graph = self.ends_freely and not is_function
        effects = [t for t in traits if isinstance(t, MemoryEffect)]
        free = (Pure, NoMemoryEffect, RecursiveMemoryEffect)
        # `break` and `continue` count as effects, so that loops are never without.
        is_loop = issubclass(cls, ForOp | LoopOp)
        self.is_effect_free = (
            bool(effects) and not is_loop and all(isinstance(t, free) for t in effects)
        )
        self.is_fold = issubclass(cls, core.FoldOp)
        self.is_entry = issubclass(cls, core.EntryOp)
        self.is_module = issubclass(cls, core.ModuleOp)
        self.is_divided = issubclass(cls, DivIOp | RemIOp)
        self.verify_rules: Callable[[Any], None] = (
            cls.verify_rules if issubclass(cls, CudaTileOp) else cls.verify_
        )
        contextual = (TerminatorOp, core.GetGlobalOp)
        self.depends_on_types_alone = (
            issubclass(cls, CudaTileOp)
            and not cls.get_irdl_definition().regions
            and not issubclass(cls, contextual)
        )
        self.lints = LINTS.get(cls)
        self.accepted: dict[tuple[Any, ...], tuple[Attribute, ...]] = {}
        """Combinations that the declaration (and `verify_`, if it depends on them alone) takes.

        The types are kept so that their identities stay theirs.
        """


_KINDS: dict[type[Operation], _Kind] = {}


def _kind_of(cls: type[Operation]) -> _Kind:
    kind = _KINDS.get(cls)
    if kind is None:
        kind = _KINDS[cls] = _Kind(cls)
    return kind


def forget() -> None:
    """Forget all combinations, so that everything is checked anew."""
    _KINDS.clear()


def _combination(op: Operation) -> tuple[Any, ...]:
    """What the declaration sees of an operation: identities of types, values of properties."""
    operands = op._operands  # pyright: ignore[reportPrivateUsage]
    parts: list[Any] = [len(operands)]
    for value in operands:
        parts.append(id(value.type))
    for value in op.results:
        parts.append(id(value.type))
    for name, attribute in op.properties.items():
        # The elements of a constant are right by construction: only its type matters.
        if type(attribute) is DenseElementsAttr:
            parts += (name, id(attribute.type))
        else:
            parts += (name, attribute)
    return tuple(parts)


def _types_of(op: Operation) -> tuple[Attribute, ...]:
    types = [value.type for value in (*op.operands, *op.results)]
    types += [a.type for a in op.properties.values() if isinstance(a, DenseElementsAttr)]
    return tuple(types)


class _Walk:
    """One verification."""

    def __init__(self, sink: DiagnosticSink) -> None:
        self.sink = sink
        self.visible: set[int] = set()
        """Identities of the values that the operation at hand may use."""
        self.isolated: Operation | None = None
        """The innermost operation around that values do not pass into."""
        self.fold: core.FoldOp | None = None
        """The innermost reduction around whose body must be free of memory effects."""
        self.entry: core.EntryOp | None = None
        self.entry_scope: DISubprogramAttr | None = None
        self.good_scopes: set[int] = set()

    # Reports.

    def error(
        self,
        op: Operation,
        message: str,
        place: Place | None = None,
        notes: Sequence[tuple[str, Place]] = (),
        fix: str | None = None,
        code: str | None = None,
    ) -> None:
        diagnostic = Diagnostic(
            Severity.ERROR, f"'{op.name}' op {message}", place or place_of(op), fix=fix, code=code
        )
        for note, where in notes:
            diagnostic.attach_note(note, where)
        if diagnostic.range is not None and (byte := byte_place(op)) is not None:
            diagnostic.attach_note("read from here", byte)
        self.sink.emit(diagnostic)

    def warning(
        self,
        op: Operation,
        message: str,
        place: Place | None = None,
        fix: str | None = None,
        code: str | None = None,
    ) -> None:
        self.sink.warning(f"'{op.name}' op {message}", place or place_of(op), fix=fix, code=code)

    def broken_rule(self, op: Operation, error: VerifyException) -> None:
        if not isinstance(error, RuleError):
            message = str(error) if isinstance(op, CudaTileOp) else plain_message(op, error)
            self.error(op, message, code="rule")
            return
        at = error.at or op
        place = place_of(at) if error.operand is None else operand_place(at, error.operand)
        notes = [
            (note, place_of(where) if isinstance(where, Operation) else value_place(where))
            for note, where in error.notes
        ]
        self.error(at, str(error), place, notes, error.fix, code="rule")

    # Operations.

    def operation(self, op: Operation) -> None:
        kind = _KINDS.get(type(op)) or _kind_of(type(op))
        visible = self.visible
        index = 0
        for operand in op._operands:  # pyright: ignore[reportPrivateUsage]
            if id(operand) not in visible:
                self.not_visible(op, index, operand)
            index += 1
        combination = _combination(op)
        is_known = combination in kind.accepted
        if not is_known or not kind.depends_on_types_alone:
            self.own_rules(op, kind, combination, is_known)
        elif kind.lints is not None:
            self.lint(op, kind)
        if self.fold is not None:
            self.in_fold(op, kind)
        if type(op.location) is not FileLineColLoc and self.entry is not None:
            self.location(op)
        if op.regions:
            self.regions(op, kind)

    def own_rules(
        self, op: Operation, kind: _Kind, combination: tuple[Any, ...], is_known: bool
    ) -> None:
        """The rules that the operation's class states."""
        try:
            if is_known:
                check_regions(op)
            else:
                check_declaration(op)
            # A module's rule is one of each operation in it: see `symbols`.
            if not kind.is_module:
                kind.verify_rules(op)
        except VerifyException as error:
            if not _reported_elsewhere(error):
                self.broken_rule(op, error)
            return
        except ValueError:
            # Traits of xDSL ask for the owner of every value, which an undefined one lacks.
            if not _uses_undefined(op):
                raise
            return
        if kind.is_ours and not is_known:
            if len(kind.accepted) >= MAX_REMEMBERED:
                kind.accepted.clear()
            kind.accepted[combination] = _types_of(op)
        if kind.lints is not None:
            self.lint(op, kind)

    def lint(self, op: Operation, kind: _Kind) -> None:
        assert kind.lints is not None
        for lint in kind.lints(op):
            place = None if lint.operand is None else operand_place(op, lint.operand)
            self.warning(op, lint.message, place, lint.fix, lint.code)

    def in_fold(self, op: Operation, kind: _Kind) -> None:
        """Bodies of reductions have no memory effects."""
        fold = self.fold
        assert fold is not None
        if not kind.is_effect_free and not kind.is_terminator:
            self.error(
                op,
                f"has memory effects, which the body of '{fold.name}' must not have",
                notes=[("the reduction is here", place_of(fold))],
                code="fold-body",
            )
        elif kind.is_divided:
            self.warning(
                op,
                f"in the body of '{fold.name}' is refused by tools up to 13.3, "
                "those from 13.4 on take it",
                code="fold-body",
            )

    def location(self, op: Operation) -> None:
        location = cast(Attribute, op.location)
        # Operations share scopes, not locations.
        key = id(location.scope) if isinstance(location, DILocAttr) else id(location)
        if key in self.good_scopes:
            return
        problem = scope_problem(op, self.entry_scope)
        if problem is None:
            self.good_scopes.add(key)
            return
        assert self.entry is not None
        notes = [("the entry is here", place_of(self.entry))]
        self.error(op, problem, notes=notes, code=_SCOPE)

    # Values.

    def not_visible(self, op: Operation, index: int, value: SSAValue) -> None:
        """An operand whose definition does not dominate its use."""
        if isinstance(value, ForwardDeclaredValue):
            return  # The parser has reported that nothing defines it.
        place = operand_place(op, index)
        what = f"operand #{index}"
        if isinstance(value, ErasedSSAValue):
            self.error(op, f"{what} is the result of an erased operation", place, code="dominance")
            return
        message = f"{what} {self._why_not_visible(op, value)}"
        notes = [("defined here", value_place(value))]
        self.error(op, message, place, notes, code="dominance")

    def _why_not_visible(self, op: Operation, value: SSAValue) -> str:
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        if block is None:
            return "is defined by an operation that is not in the program"
        if self.isolated is not None and not _contains(self.isolated, block):
            return f"is defined outside of '{self.isolated.name}', which sees only its own values"
        if owner is op:
            return "is a result of the operation itself"
        ancestor = block.find_ancestor_op_in_block(op)
        if ancestor is not None and ancestor is owner:
            return f"is a result of '{ancestor.name}', which is around this use"
        if ancestor is not None:
            return "does not dominate this use: it is defined later"
        around = block.parent_op()
        if around is not None and _is_nested(block, op):
            return f"is defined inside of '{around.name}' and not visible outside of it"
        return "does not dominate this use"

    # Regions.

    def regions(self, op: Operation, kind: _Kind) -> None:
        saved = (self.visible, self.isolated, self.fold)
        if kind.is_isolated:
            self.visible = set()
            self.isolated = op
        if kind.is_fold:
            assert isinstance(op, core.FoldOp)
            self.fold = op
        if kind.is_symbol_table:
            self.symbols(op)
        if kind.is_entry:
            assert isinstance(op, core.EntryOp)
            self.enter(op)
        for region in op.regions:
            first = region.first_block
            if first is None:
                continue
            if first is region.last_block:
                self.block(first, op, kind)
            else:
                self.blocks(region, op, kind)
        self.visible, self.isolated, self.fold = saved
        if op is self.entry:
            self.entry = None

    def enter(self, op: core.EntryOp) -> None:
        self.entry = op
        self.entry_scope = subprogram_of(op.location)
        self.good_scopes = set()
        problem = entry_scope_problem(op)
        if problem is not None:
            self.error(op, problem, code=_SCOPE)

    def block(self, block: Block, parent: Operation, kind: _Kind) -> None:
        """The only block of a region."""
        visible = self.visible
        for argument in block.args:
            visible.add(id(argument))
        if kind.is_graph:
            for op in block.ops:
                visible.update(map(id, op.results))
        self.operations(block, parent, kind)
        if kind.is_isolated:
            return
        for argument in block.args:
            visible.discard(id(argument))
        op = block.first_op
        while op is not None:
            for result in op.results:
                visible.discard(id(result))
            op = op.next_op

    def operations(self, block: Block, parent: Operation, kind: _Kind) -> None:
        visible = self.visible
        op = block.first_op
        if op is None:
            if not kind.ends_freely:
                message = "has an empty block: it needs at least a terminator"
                self.error(parent, message, code="terminator")
            return
        while True:
            self.operation(op)
            for result in op.results:
                visible.add(id(result))
            following = op.next_op
            if following is None:
                break
            if _KINDS[type(op)].is_terminator:
                self.error(
                    op,
                    "must be the last operation in its block",
                    notes=[("this operation is never reached", place_of(following))],
                    code="terminator",
                )
            op = following
        if not kind.ends_freely and not _KINDS[type(op)].may_terminate:
            self.error(
                op,
                f"ends a block of '{parent.name}', but is no terminator",
                code="terminator",
            )

    def blocks(self, region: Region, parent: Operation, kind: _Kind) -> None:
        """A region of several blocks: values of the blocks that dominate one are visible in it."""
        outer = self.visible
        blocks = list(region.blocks)
        if not self._successors_are_here(blocks):
            return
        dominance = DominanceInfo(region)
        defined = {block: _values_of(block) for block in blocks}
        reached = _reached(blocks[0])
        for block in blocks:
            dominators = (
                [b for b in blocks if dominance.strictly_dominates(b, block)]
                if block in reached
                else blocks
            )
            self.visible = set(outer).union(*(defined[b] for b in dominators))
            self.visible.update(map(id, block.args))
            self.operations(block, parent, kind)
        self.visible = outer

    def _successors_are_here(self, blocks: Sequence[Block]) -> bool:
        known = set(blocks)
        good = True
        for op in (block.last_op for block in blocks):
            if op is not None and not known.issuperset(op.successors):
                self.error(op, "branches to a block of another region", code="terminator")
                good = False
        return good

    # Symbols.

    def symbols(self, table: Operation) -> None:
        first: dict[str, Operation] = {}
        is_program = isinstance(table, core.ModuleOp)
        for op in (op for region in table.regions for block in region.blocks for op in block.ops):
            if is_program and not isinstance(op, core.EntryOp | core.GlobalOp):
                message = "cannot be in a module, which holds entries and globals"
                self.error(op, message, code="rule")
            name = op.properties.get("sym_name") or op.attributes.get("sym_name")
            if isinstance(op, core.GlobalOp) and subprogram_of(op.location) is not None:
                self.error(op, "a global is in no subprogram, but its location is", code=_SCOPE)
            if not isinstance(name, StringAttr):
                continue
            earlier = first.setdefault(name.data, op)
            if earlier is not op:
                self.error(
                    op,
                    f"defines the symbol '@{name.data}' again",
                    notes=[("defined first here", place_of(earlier))],
                    code="symbol",
                )


def _uses_undefined(op: Operation) -> bool:
    """Whether there is a value in `op` that nothing defines, which the parser has reported."""
    operands = (operand for inner in op.walk() for operand in inner.operands)
    return any(isinstance(operand, ForwardDeclaredValue) for operand in operands)


def _reported_elsewhere(error: VerifyException) -> bool:
    """Whether xDSL's trait says what the walk says with places."""
    text = str(error)
    return text.startswith(
        (
            "Operation using value defined out of its IsolatedFromAbove parent",
            "Redefinition of symbol",
        )
    ) or text.endswith("must be the last operation in its parent block")


def _contains(op: Operation, block: Block) -> bool:
    return any(region.is_ancestor(block) for region in op.regions)


def _is_nested(block: Block, op: Operation) -> bool:
    """Whether a block lies in a region of an operation beside or before `op`."""
    parent = op.parent
    return parent is not None and parent.is_ancestor(block)


def _values_of(block: Block) -> set[int]:
    values = set(map(id, block.args))
    for op in block.ops:
        values.update(map(id, op.results))
    return values


def _reached(entry: Block) -> set[Block]:
    reached = {entry}
    pending = [entry]
    while pending:
        last = pending.pop().last_op
        for block in () if last is None else last.successors:
            if block not in reached:
                reached.add(block)
                pending.append(block)
    return reached
