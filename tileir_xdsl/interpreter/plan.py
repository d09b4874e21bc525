"""The plan of a kernel: its operations compiled once into Python callables.

A *step* is one operation, ready to run: a function of the environment, which is a flat list.
`env[0]` is the `Block` that runs; each SSA value owns two neighbouring slots, `env[s]` for its
value and `env[s + 1]` for its unspecified lanes (see `values`). Compiling an operation resolves its
operands, types and attributes, so that a step does nothing but NumPy calls.

A dialect teaches the interpreter its operations by builders, one for each operation class:

    @builder(AddFOp)
    def build_addf(op: AddFOp, compiler: Compiler) -> Step: ...

Builders of the dialect `x` live in `tileir_xdsl.interpreter.x`, which is imported when an operation
`x.y` is first met; a builder that is None marks an operation that is refused.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from xdsl.ir import Block as IRBlock
from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.places import place_of

Env = list[Any]


class Signal(Enum):
    """How a region ends when it does not fall through."""

    CONTINUE = 0
    BREAK = 1
    RETURN = 2


Step = Callable[[Env], "Signal | None"]
OpT = TypeVar("OpT", bound=Operation)
Builder = Callable[[Any, "Compiler"], "Step | None"]

BUILDERS: dict[type[Operation], Builder] = {}
REFUSED: dict[type[Operation], str] = {}
"""Operations that the interpreter refuses, and why."""
ELEMENTWISE: set[type[Operation]] = set()
"""Operations whose steps work on arrays of any shape, also where the types are of rank 0."""


def builder(
    *classes: type[OpT], elementwise: bool = False
) -> Callable[[Callable[[OpT, Compiler], Step | None]], Callable[[OpT, Compiler], Step | None]]:
    """Register the decorated function as the builder of some operation classes.

    A builder may answer None when there is nothing to run. `elementwise` says that the step treats
    lanes alike and alone, so that the bodies of reductions can run on whole tiles.
    """

    def register(function: Callable[[OpT, Compiler], Step | None]) -> Any:
        for cls in classes:
            BUILDERS[cls] = function
            if elementwise:
                ELEMENTWISE.add(cls)
        return function

    return register


def refuse(cls: type[Operation], reason: str) -> None:
    """Say that an operation cannot be interpreted, and why."""
    REFUSED[cls] = reason


def load_dialect(name: str) -> None:
    """Import the builders of a dialect, if it has any."""
    module = f"tileir_xdsl.interpreter.{name}"
    if importlib.util.find_spec(module) is not None:
        importlib.import_module(module)


@dataclass
class Target:
    """A region operation that terminators inside it refer to."""

    kind: str
    """`entry`, `if`, `for`, `loop` or `fold`."""
    yielded: list[int] = field(default_factory=list[int])
    """The slots that `yield` or `break` writes."""
    carried: list[int] = field(default_factory=list[int])
    """The slots that `continue` writes."""


@dataclass(frozen=True)
class Options:
    """What the steps are compiled for."""

    checked: bool = True
    trace: bool = False
    """Whether each step tells `Launch.trace` what it did."""
    check_order: bool = False
    order: str = "tree"
    seed: int = 0


class Compiler:
    """Compiles the operations of one kernel."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.size = 1
        """Length of the environment; slot 0 is the running block."""
        self.targets: list[Target] = []
        self.presets: list[tuple[int, Any]] = []
        """Slots whose value is known before the first step: constants."""
        self._slots: dict[SSAValue, int] = {}

    @property
    def checked(self) -> bool:
        return self.options.checked

    def slot(self, value: SSAValue) -> int:
        """The slot of a value; its unspecified lanes are in the next one."""
        slot = self._slots.get(value)
        if slot is None:
            slot = self.fresh()
            self._slots[value] = slot
        return slot

    def slots(self, values: Sequence[SSAValue]) -> list[int]:
        return [self.slot(value) for value in values]

    def share(self, value: SSAValue, other: SSAValue) -> None:
        """Let a value live in the slot of another: the two are the same at run time."""
        self._slots[value] = self.slot(other)

    def fresh(self) -> int:
        """Two new slots."""
        slot = self.size
        self.size += 2
        return slot

    def preset(self, value: SSAValue, content: Any) -> None:
        """Give a value its content once for all blocks."""
        self.presets.append((self.slot(value), content))

    def compile_op(self, op: Operation) -> Step | None:
        build = self._builder(op)
        step = build(op, self)
        return self._traced(op, step) if self.options.trace else step

    def _builder(self, op: Operation) -> Builder:
        cls = type(op)
        found = BUILDERS.get(cls)
        if found is None and cls not in REFUSED:
            load_dialect(op.name.partition(".")[0])
            found = BUILDERS.get(cls)
        if found is not None:
            return found
        reason = REFUSED.get(cls, "it is unknown to it")
        raise DiagnosticError.at(
            f"the interpreter does not run '{op.name}': {reason}", place_of(op), code="refused"
        )

    def _traced(self, op: Operation, step: Step | None) -> Step:
        from tileir_xdsl.interpreter.tracing import trace_line

        def run(env: Env) -> Signal | None:
            signal = None if step is None else step(env)
            env[0].launch.trace(trace_line(op, env, self))
            return signal

        return run

    def compile_block(self, block: IRBlock, target: Target) -> Body:
        """The steps of a block, terminator included, inside `target`."""
        self.targets.append(target)
        try:
            steps = [step for op in block.ops if (step := self.compile_op(op)) is not None]
        finally:
            self.targets.pop()
        return Body(tuple(steps), sum(1 for _ in block.ops))


class Body:
    """The compiled operations of one block."""

    __slots__ = ("count", "steps")

    def __init__(self, steps: tuple[Step, ...], count: int) -> None:
        self.steps = steps
        self.count = count

    def run(self, env: Env) -> Signal | None:
        env[0].executed += self.count
        for step in self.steps:
            signal = step(env)
            if signal is not None:
                return signal
        return None


def move(env: Env, sources: Sequence[int], targets: Sequence[int]) -> None:
    """Copy values and their unspecified lanes, all at once."""
    values = [(env[source], env[source + 1]) for source in sources]
    for target, (value, lanes) in zip(targets, values, strict=True):
        env[target] = value
        env[target + 1] = lanes


def mover(sources: Sequence[int], targets: Sequence[int]) -> Callable[[Env], None]:
    """A function that moves values; the common small cases without a list."""
    pairs = [(s, t) for s, t in zip(sources, targets, strict=True) if s != t]
    if not pairs:
        return lambda env: None
    if len(pairs) == 1:
        source, target = pairs[0]

        def move_one(env: Env) -> None:
            env[target] = env[source]
            env[target + 1] = env[source + 1]

        return move_one
    from_slots, to_slots = [s for s, _ in pairs], [t for _, t in pairs]
    return lambda env: move(env, from_slots, to_slots)


def branch(
    compiler: Compiler, op: Operation, condition: SSAValue, then: Region, otherwise: Region
) -> Step:
    """The step of an `if`: one of two regions, the second of which may have no block."""
    slot = compiler.slot(condition)
    target = Target("if", yielded=compiler.slots(op.results))
    then_body = compiler.compile_block(then.block, target)
    else_body = compiler.compile_block(otherwise.block, target) if otherwise.blocks else Body((), 0)

    def run(env: Env) -> Signal | None:
        env[0].require_specified(op, env[slot + 1], "the condition")
        return then_body.run(env) if env[slot] else else_body.run(env)

    return run
