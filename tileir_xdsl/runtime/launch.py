"""Launching kernels: one call for every engine, and handlers around it.

A launch goes through the handlers that are active, the innermost `with` first; each may look at it,
change it, answer it, or pass it on. The last one is an *engine*: it runs the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.runtime.abi import Abi, Grid
from tileir_xdsl.runtime.arguments import Arguments, bind
from tileir_xdsl.runtime.kernel import Kernel

if TYPE_CHECKING:
    from tileir_xdsl.interpreter import Report


@dataclass(frozen=True)
class Launch:
    """A kernel, a grid and arguments that fit: everything an engine needs."""

    kernel: Kernel
    grid: Grid
    arguments: Arguments
    stream: int = 0
    """The handle of the CUDA stream; 0 is the default stream."""
    timed: bool = False
    """Whether the engine should measure, which makes the launch wait for the kernel."""

    @property
    def blocks(self) -> int:
        """Tile blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def error(self, message: str, fix: str | None = None) -> DiagnosticError:
        return DiagnosticError.at(message, self.kernel.place, fix=fix, code="launch")


@dataclass
class Result:
    """What a launch did."""

    engine: str
    """What ran the kernel: `interpreter`, or `gpu` and the device; `none` when nothing did."""
    grid: Grid
    seconds: float | None = None
    """Time of the kernel alone, where it was measured: by device events on a GPU."""
    report: Report | None = None
    """What the interpreter ran and checked."""
    notes: list[str] = field(default_factory=list[str])


Proceed = Callable[[Launch], Result]

_HANDLERS: ContextVar[tuple[Handler, ...]] = ContextVar("tileir_xdsl_handlers", default=())


class Handler:
    """Observes or replaces launches while its `with` statement is active."""

    def __init__(self) -> None:
        self._tokens: list[Token[tuple[Handler, ...]]] = []

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        """Handle a launch; `proceed` passes it on, changed or not, to the next handler."""
        return proceed(launch)

    def __enter__(self) -> Any:
        self._tokens.append(_HANDLERS.set((*_HANDLERS.get(), self)))
        return self

    def __exit__(self, *_: object) -> None:
        _HANDLERS.reset(self._tokens.pop())


class Engine(Handler):
    """A handler that runs kernels. In a `with` statement it is the default engine."""

    name = "engine"

    def run(self, launch: Launch) -> Result:
        """Run a kernel. Raises `DiagnosticError` when that is not possible or goes wrong."""
        raise NotImplementedError

    def handle(self, launch: Launch, proceed: Proceed) -> Result:
        return self.run(launch)


def launch(
    kernel: Any,
    grid: int | Sequence[int] | None = None,
    args: Sequence[Any] | Mapping[str, Any] = (),
    *,
    engine: Engine | str | None = None,
    stream: Any = None,
) -> Result:
    """Run a kernel on arrays and numbers; see `tileir_xdsl.launch`."""
    prepared = prepare(kernel, grid, args, stream=stream)
    chosen = _engine(engine, prepared)
    return perform(prepared, chosen, replace_engines=engine is not None)


def prepare(
    kernel: Any,
    grid: int | Sequence[int] | None = None,
    args: Sequence[Any] | Mapping[str, Any] = (),
    *,
    stream: Any = None,
) -> Launch:
    """Check arguments and grid against a kernel, or what a `Kernel` is made from."""
    if not isinstance(kernel, Kernel):
        kernel = Kernel(kernel)
    handle = stream_handle(stream, kernel.abi)
    arguments = bind(kernel.abi, args, handle)
    arguments.check_written(kernel.written)
    return Launch(kernel, _grid(kernel, grid, arguments), arguments, handle)


def perform(launch: Launch, engine: Engine, *, replace_engines: bool = False) -> Result:
    """Let the active handlers, and at last an engine, handle a launch.

    With `replace_engines` the active engines are passed over.
    """
    active = _HANDLERS.get()
    if replace_engines:
        active = tuple(handler for handler in active if not isinstance(handler, Engine))
    return _pass_on(launch, (engine, *active))


def _pass_on(launch: Launch, handlers: tuple[Handler, ...]) -> Result:
    *outer, innermost = handlers
    if isinstance(innermost, Engine) and launch.blocks == 0:
        return Result("none", launch.grid, 0.0 if launch.timed else None)
    return innermost.handle(launch, lambda changed: _pass_on(changed, tuple(outer)))


def _engine(engine: Engine | str | None, launch: Launch) -> Engine:
    """The engine that was asked for; else the GPU that an array lies on, else the interpreter."""
    from tileir_xdsl.runtime.engines import ENGINES, engine_named

    if isinstance(engine, Engine):
        return engine
    if engine is None:
        return engine_named("gpu" if launch.arguments.device_arrays else "interpreter")
    if engine not in ENGINES:
        raise launch.error(f"no engine {engine!r}; there are {' and '.join(ENGINES)}")
    return engine_named(engine)


def _grid(kernel: Kernel, grid: int | Sequence[int] | None, arguments: Arguments) -> Grid:
    if grid is None:
        asked = arguments.grid()
        if asked is None:
            raise kernel.abi.error(
                f"@{kernel.name} does not say what its grid is", fix="pass the grid of the launch"
            )
        extents: list[Any] = list(asked)
    else:
        extents = list(grid) if isinstance(grid, Iterable) else [grid]
    numbers = [n for n in extents if hasattr(n, "__index__") and int(n) >= 0]
    if len(numbers) != len(extents) or not 1 <= len(extents) <= 3:
        raise kernel.abi.error(
            f"a grid is one to three numbers of tile blocks, none negative, not {grid!r}"
        )
    x, y, z = (*(int(n) for n in numbers), 1, 1)[:3]
    return x, y, z


def stream_handle(stream: Any, abi: Abi) -> int:
    """The handle of a CUDA stream: None, a number, or a stream of another library."""
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for attribute in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    if hasattr(stream, "__index__"):
        return int(stream)
    raise abi.error(f"the stream is no CUDA stream, but {type(stream).__name__}")
