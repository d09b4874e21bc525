"""Running kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TextIO
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp as BuiltinModuleOp
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.core import EntryOp, GlobalOp, ModuleOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.dialects.cuda_tile.types import TileType
from tileir_xdsl.interpreter import jobs as processes
from tileir_xdsl.interpreter.arguments import Argument, bind, in_order
from tileir_xdsl.interpreter.launch import Block, Launch
from tileir_xdsl.interpreter.memory import Buffer, Memory, memory_format
from tileir_xdsl.interpreter.orders import ORDERS
from tileir_xdsl.interpreter.plan import Compiler, Env, Options, Target
from tileir_xdsl.interpreter.provenance import ANYWHERE, written_roots
from tileir_xdsl.interpreter.report import Report
from tileir_xdsl.interpreter.undefined import COSTLY, KINDS, BlockId

Array = npt.NDArray[Any]
Grid = int | Sequence[int]
Trace = Callable[[str], None]

STEP_LIMIT = 1_000_000
"""Loop iterations that one block may make by default."""

_GLOBALS: WeakKeyDictionary[Operation, dict[str, Buffer]] = WeakKeyDictionary()
"""The memory of the globals of each module that has run."""


def run(
    module: Operation,
    kernel: str | None = None,
    grid: Grid = (1,),
    args: Sequence[Argument] | Mapping[str, Argument] = (),
    *,
    checked: bool = True,
    jobs: int = 1,
    order: str = "tree",
    check_order: bool = False,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    trace: Trace | None = None,
    out: TextIO | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Run a kernel of a valid module.

    `kernel` may be left out where the module has one entry. `grid` is the number of tile blocks
    along up to three dimensions. `args` are the arguments in the order of the parameters, or by
    parameter name: NumPy arrays for pointers, changed in place, and numbers.

    `checked` looks for all kinds of undefined behaviour, otherwise only for those that cost little
    (`undefined.COSTLY` names the others). `jobs` processes share the blocks. `order` is one of
    `orders.ORDERS`; `check_order` tries several at each reduction and scan and records what
    differs in the report. `seed` is that of the order `shuffled`. `step_limit` bounds the loop
    iterations of a block. `trace` is called with a line for each executed operation. What the
    kernel prints goes to `out`, by default standard output. `progress` is called with the number
    of blocks that are done.

    Raises `UndefinedBehaviour` where the program is undefined or an assertion fails, and
    `DiagnosticError` when it cannot run; the arrays then hold what was written until then.
    """
    options = Options(
        checked=checked,
        trace=trace is not None,
        check_order=check_order,
        order=order,
        seed=seed,
    )
    prepared = Kernel(module, kernel, options)
    return prepared.launch(
        grid, args, jobs=jobs, step_limit=step_limit, trace=trace, out=out, progress=progress
    )


def reset_globals(module: Operation) -> None:
    """Forget what launches of a module wrote to its globals."""
    for tile_module in _tile_modules(module):
        _GLOBALS.pop(tile_module, None)


def entries(module: Operation) -> list[EntryOp]:
    """All kernels of a module; those of `tile_sugar` as entries with their ABI."""
    found = [entry for tile_module in _tile_modules(module) for entry in tile_module.entries()]
    if isinstance(module, BuiltinModuleOp):
        for op in module.ops:
            if op.name == "tile_sugar.kernel":
                found.append(_sugar_entry(op))
    return found


def _sugar_entry(kernel: Any) -> EntryOp:
    from tileir_xdsl.interpreter.tile_sugar.kernel import as_entry

    return as_entry(kernel)


def _tile_modules(module: Operation) -> list[ModuleOp]:
    if isinstance(module, ModuleOp):
        return [module]
    if isinstance(module, BuiltinModuleOp):
        return [op for op in module.ops if isinstance(op, ModuleOp)]
    return []


def _home(module: Operation, entry: EntryOp) -> ModuleOp | None:
    """The module whose globals an entry sees; a kernel of `tile_sugar` lowers into the first."""
    parent = entry.parent_op()
    if isinstance(parent, ModuleOp):
        return parent
    return next(iter(_tile_modules(module)), None)


def find_kernel(module: Operation, name: str | None) -> EntryOp:
    """The entry of a name, or the only one."""
    found = entries(module)
    place = place_of(module)
    known = ", ".join(f"@{entry.sym_name.data}" for entry in found)
    if not found:
        raise DiagnosticError.at("the module has no entry", place, code="kernel")
    if name is None:
        if len(found) == 1:
            return found[0]
        raise DiagnosticError.at(
            f"the module has several entries ({known})", place, fix="name one", code="kernel"
        )
    name = name.removeprefix("@")
    for entry in found:
        if entry.sym_name.data == name:
            return entry
    raise DiagnosticError.at(f"no entry @{name}; there is {known}", place, code="kernel")


def grid_of(grid: Grid) -> tuple[int, int, int]:
    """A grid as three positive numbers."""
    extents = [grid] if isinstance(grid, int) else [int(n) for n in grid]
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise ValueError(f"a grid is one to three positive numbers, not {grid!r}")
    return (*extents, 1, 1)[0], (*extents, 1, 1)[1], (*extents, 1, 1)[2]


class Kernel:
    """A kernel, compiled: can be launched several times."""

    COMPILER: ClassVar[type[Compiler]] = Compiler

    def __init__(
        self, module: Operation, name: str | None = None, options: Options | None = None
    ) -> None:
        self.entry = find_kernel(module, name)
        self._home = _home(module, self.entry)
        self.options = options or Options()
        if self.options.order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {self.options.order}")
        self.compiler = self.COMPILER(self.options)
        block = self.entry.body.block
        self._parameters = self.compiler.slots(block.args)
        self._body = self.compiler.compile_block(block, Target("entry"))
        self._written = written_roots(self.entry)

    def launch(
        self,
        grid: Grid,
        args: Sequence[Argument] | Mapping[str, Argument],
        *,
        jobs: int = 1,
        step_limit: int = STEP_LIMIT,
        trace: Trace | None = None,
        out: TextIO | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Report:
        """Run the kernel; see `run`."""
        extents = grid_of(grid)
        launch = Launch(
            Memory(),
            extents,
            checked=self.options.checked,
            step_limit=step_limit,
            out=sys.stdout if out is None else out,
            trace=trace,
        )
        arguments = in_order(self.entry, args)
        bound = bind(self.entry, arguments, launch.memory)
        template = self._environment(bound.values)
        self._bind_globals(launch)
        if launch.tracker is not None:
            self._track(launch.memory, template, launch)
        total = extents[0] * extents[1] * extents[2]
        try:
            executed = self._run(launch, template, total, min(jobs, total), progress)
        finally:
            for finish in bound.finish:
                finish()
        return self._report(launch, total, executed)

    def _environment(self, arguments: list[Array]) -> Env:
        env: Env = [None] * self.compiler.size
        for slot, content in self.compiler.presets:
            env[slot] = content
        for slot, value in zip(self._parameters, arguments, strict=True):
            env[slot] = value
        return env

    def _bind_globals(self, launch: Launch) -> None:
        if self._home is None:
            return
        kept = _GLOBALS.setdefault(self._home, {})
        for op in self._home.globals():
            name = op.sym_name.data
            if name not in kept:
                kept[name] = _global_buffer(op)
            launch.globals[name] = launch.memory.adopt(kept[name]).base

    def _track(self, memory: Memory, template: Env, launch: Launch) -> None:
        """Watch the buffers that the kernel may write."""
        for buffer in memory.buffers:
            if buffer is not None and self._may_write(buffer, template, launch):
                buffer.tracked = True
                buffer.state = np.zeros(buffer.granules, np.int32)

    def _may_write(self, buffer: Buffer, template: Env, launch: Launch) -> bool:
        if ANYWHERE in self._written:
            return True
        for root in self._written:
            if isinstance(root, str):
                address = launch.globals[root]
            else:
                address = int(template[self.compiler.slot(root)])
            if launch.memory.at(address) is buffer:
                return True
        return False

    def _run(
        self,
        launch: Launch,
        template: Env,
        total: int,
        jobs: int,
        progress: Callable[[int], None] | None,
    ) -> int:
        if jobs > 1 and not processes.available():
            launch.note("this platform has no fork: the blocks ran in one process")
            jobs = 1
        if jobs <= 1:
            return self._run_blocks(launch, template, range(total), progress)
        return processes.run_in_processes(
            launch,
            self.entry,
            total,
            jobs,
            lambda numbers: self._run_blocks(launch, template, numbers),
        )

    def _run_blocks(
        self,
        launch: Launch,
        template: Env,
        numbers: range,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        executed = 0
        body = self._body
        with np.errstate(all="ignore"):
            for number, id in _block_ids(launch.grid, numbers):
                block = Block(launch, id, number)
                if launch.tracker is not None:
                    launch.tracker.begin()
                env = template.copy()
                env[0] = block
                body.run(env)
                executed += block.executed
                for buffer in block.local:
                    buffer.free()
                if progress is not None:
                    progress(number + 1)
        return executed

    def _report(self, launch: Launch, blocks: int, executed: int) -> Report:
        left_out = COSTLY if not launch.checked else frozenset[str]()
        return Report(
            kernel=self.entry.sym_name.data,
            grid=launch.grid,
            blocks=blocks,
            operations=executed,
            checked=tuple(kind for kind in KINDS if kind not in left_out),
            unchecked=tuple(kind for kind in KINDS if kind in left_out),
            notes=list(launch.notes),
            findings=list(launch.findings.values()),
        )


def _block_ids(grid: BlockId, numbers: range) -> Iterator[tuple[int, BlockId]]:
    """Blocks by number: x runs fastest."""
    for number in numbers:
        rest, x = divmod(number, grid[0])
        z, y = divmod(rest, grid[1])
        yield number, (x, y, z)


def _global_buffer(op: GlobalOp) -> Buffer:
    """The memory of a global with its initial content."""
    from tileir_xdsl.interpreter.cuda_tile.core import dense_array

    type = op.value.type
    assert isinstance(type, TileType)
    layout = memory_format(type.element_type)
    values = np.ascontiguousarray(np.broadcast_to(dense_array(op.value), type.get_shape()))
    data = layout.store(values).view(np.uint8).reshape(-1)
    if layout.packed:
        from tileir_xdsl.numerics import F4E2M1FN
        from tileir_xdsl.numerics.bits import pack

        data = pack(values.reshape(-1), F4E2M1FN).view(np.uint8)
    buffer = Memory().add(f"global @{op.sym_name.data}", data.copy(), layout.size)
    buffer.constant = op.constant is not None
    return buffer
