"""Rewrite patterns: named functions rooted at operations, applied greedily by xDSL's walker.

A pattern is a function from a matched operation to what replaces it:

* None: the pattern does not apply;
* a value, or a sequence with a value for each result: they replace the results;
* an operation that has no block yet: it is inserted and replaces the matched one;
* `CHANGED`: the function has changed the program itself, through the rewriter.

Operations that a pattern inserts get the location of the matched one unless the pattern sets one
(`fuse_locations` when they stand for several). Upstream has no such rule, no limit on rewriting
and no counts, which is what this module adds to `PatternRewriteWalker`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, FusedLoc, LocationAttr, NoneAttr, UnknownLoc
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.effects import is_dead
from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink
from tileir_xdsl.dialects.cuda_tile.locations import nested_location
from tileir_xdsl.dialects.cuda_tile.places import copy_place
from tileir_xdsl.passes.reporting import count


class Changed:
    """The type of `CHANGED`."""


CHANGED: Final = Changed()
"""What a pattern answers that has changed the program through the rewriter."""

Outcome = SSAValue | Operation | Sequence[SSAValue] | Changed | None
Match = Callable[[Any, PatternRewriter], Outcome]


@dataclass(frozen=True)
class Pattern:
    """A named rewrite rooted at operations of some classes."""

    name: str
    roots: tuple[type[Operation], ...]
    function: Match

    @property
    def description(self) -> str:
        """What it does, from the function's docstring."""
        return " ".join((self.function.__doc__ or "").split())


MatchT = TypeVar("MatchT", bound=Match)


@dataclass
class PatternList:
    """Patterns in the order of their declaration, which is the order in which they are tried."""

    patterns: list[Pattern] = field(default_factory=list[Pattern])

    def rooted_at(self, *roots: type[Operation]) -> Callable[[MatchT], MatchT]:
        """Declare the decorated function a pattern that matches operations of these classes."""

        def declare(function: MatchT) -> MatchT:
            name = getattr(function, "__name__").replace("_", "-")
            self.patterns.append(Pattern(name, roots, function))
            return function

        return declare


class PatternSet(RewritePattern):
    """Tries the patterns of an operation's class in order, after removing it when it is dead."""

    def __init__(
        self, patterns: Iterable[Pattern], *, remove_dead: bool = True, limit: int | None = None
    ) -> None:
        self._by_root: dict[type[Operation], list[Pattern]] = {}
        for pattern in patterns:
            for root in pattern.roots:
                self._by_root.setdefault(root, []).append(pattern)
        self._remove_dead = remove_dead
        self._limit = limit
        self._rewriter: PatternRewriter | None = None
        self._matched: Operation | None = None
        self.errors: dict[Operation, DiagnosticError] = {}
        """Contradictions in the program that patterns found, where they found them."""
        self.failure: Exception | None = None
        """What ended rewriting; nothing is applied after it.

        Kept here because the walker puts what a pattern raises into a message with all of the IR.
        """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if self.failure is not None:
            return
        try:
            self._rewrite(op, rewriter)
        except Exception as error:
            if self._limit is None:
                raise
            self.failure = error

    def _rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if self._remove_dead and is_dead(op):
            rewriter.erase(op)
            count("removed")
            return
        patterns = self._by_root.get(type(op))
        if patterns is None:
            return
        if rewriter is not self._rewriter:
            rewriter.operation_insertion_handler.append(self._locate)
            self._rewriter = rewriter
        self._matched = op
        for pattern in patterns:
            outcome = self._match(pattern, op, rewriter)
            if outcome is not None:
                self._apply(pattern, op, outcome, rewriter)
                return

    def _match(self, pattern: Pattern, op: Operation, rewriter: PatternRewriter) -> Outcome:
        try:
            return pattern.function(op, rewriter)
        except DiagnosticError as error:
            self.errors[op] = error
            return None

    def _apply(
        self, pattern: Pattern, op: Operation, outcome: Outcome, rewriter: PatternRewriter
    ) -> None:
        count(pattern.name)
        self._spend(pattern)
        if isinstance(outcome, Changed):
            rewriter.has_done_action = True
        elif isinstance(outcome, Operation):
            rewriter.replace(op, outcome)
        else:
            results = [outcome] if isinstance(outcome, SSAValue) else list(outcome or ())
            rewriter.replace(op, (), results)

    def _spend(self, pattern: Pattern) -> None:
        if self._limit is None:
            return
        self._limit -= 1
        if self._limit < 0:
            raise PassFailedException(f"pattern '{pattern.name}' is applied without end")

    def _locate(self, inserted: Operation) -> None:
        if self._matched is not None and inserted is not self._matched:
            inherit_place(inserted, self._matched)


def rewrite_greedily(
    region: Region,
    patterns: Iterable[Pattern],
    *,
    remove_dead: bool = True,
    after_walk: Callable[[Region], bool] | None = None,
) -> bool:
    """Apply patterns to everything in `region` until none applies; whether anything changed.

    `after_walk` runs between walks and answers whether it changed something. Raises
    `DiagnosticError` with all contradictions found, `PassFailedException` when rewriting does
    not end.
    """
    # Every rewrite makes the program smaller or simpler in some order: a few for each operation
    # are enough, and a limit turns a pair of patterns that undo each other into an error.
    limit = 10_000 + 100 * sum(1 for _ in region.walk())
    pattern = PatternSet(patterns, remove_dead=remove_dead, limit=limit)
    walker = PatternRewriteWalker(
        pattern,
        post_walk_func=None if after_walk is None else lambda region, _: after_walk(region),
    )
    changed = walker.rewrite_region(region)
    if pattern.failure is not None:
        raise pattern.failure
    # What was removed since was never reached, and is no error.
    sink = DiagnosticSink()
    for op, error in pattern.errors.items():
        if region.is_ancestor(op):
            sink.extend(error.diagnostics)
    if sink.has_errors:
        raise DiagnosticError(sink.sorted())
    return changed


# Locations.


def inherit_place(new: Operation, original: Operation) -> None:
    """Give a new operation the location of the one it stands for, unless it has one."""
    if isinstance(new.location, UnknownLoc):
        new.location = original.location
        copy_place(original, new)


def fuse_locations(new: Operation, *originals: Operation) -> None:
    """Give a new operation the location of the several that it stands for."""
    locations: list[Attribute] = []
    for original in originals:
        for location in _parts(original.location):
            if location not in locations:
                locations.append(location)
    copy_place(originals[0], new)
    if not locations:
        return
    if len(locations) == 1:
        new.location = cast(LocationAttr, locations[0])
        return
    new.location = nested_location(FusedLoc, ArrayAttr(locations), NoneAttr())


def _parts(location: Attribute) -> Sequence[Attribute]:
    if isinstance(location, UnknownLoc):
        return ()
    if isinstance(location, FusedLoc) and isinstance(location.metadata, NoneAttr):
        return cast("ArrayAttr[Attribute]", location.locations).data
    return (location,)
