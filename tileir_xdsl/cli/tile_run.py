"""`tile-run`: runs a kernel on the CPU and reports undefined behaviour."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tileir_xdsl._version import __version__
from tileir_xdsl.cli import launch_options
from tileir_xdsl.cli.process import guarded

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tileir_xdsl.diagnostics import Diagnostic
    from tileir_xdsl.dialects.cuda_tile.core import EntryOp

EPILOG = """\
arguments:
  x=x.npy                  an array from a file of NumPy
  x=zeros:f32:4x1024       an array of zeros, ones, iota or random numbers; the type may be left out
  x=full:1.5:f32:1024      an array of equal numbers
  x=null                   the null pointer
  n=42                     a number
NAME is the parameter's name without %, or argN.

exit status: 0, or 1 when the program is undefined, an assertion fails or the input is wrong
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `tile-run`; `argv` is without the program's name. Answers the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    options = _parser().parse_args(arguments)
    return guarded(lambda: _checked_run(options), options.debug_traceback)


def _checked_run(options: argparse.Namespace) -> int:
    from tileir_xdsl.diagnostics import EXIT_USER_ERROR, DiagnosticError, print_diagnostics

    try:
        return _run(options)
    except DiagnosticError as error:
        if getattr(sys, "stdout") is not None:
            sys.stdout.flush()
        print_diagnostics(error.diagnostics, sys.stderr, format=options.diagnostics)
        return EXIT_USER_ERROR


class _ArgumentParser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        """As argparse, with the exit status of a mistake of the user."""
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _ArgumentParser(
        prog="tile-run",
        description="Runs a Tile IR kernel on the CPU, reporting undefined behaviour, or on a GPU.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("input", nargs="?", help="text or bytecode; - for standard input")
    parser.add_argument("--version", action="version", version=f"tile-run {__version__}")
    parser.add_argument(
        "--kernel", metavar="NAME", help="the entry to run, where there are several"
    )
    parser.add_argument(
        "--grid",
        metavar="XxYxZ",
        help="tile blocks in each dimension, as in 8 or 8x4 (default: as the kernel says, else 1)",
    )
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument(
        "--save", action="append", default=[], metavar="NAME=FILE.npy", help="write an array"
    )
    parser.add_argument(
        "--print", action="append", default=[], metavar="NAME", help="print an array"
    )
    parser.add_argument(
        "--unchecked",
        action="store_true",
        help="leave out the costly checks (the summary says which)",
    )
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="processes to use")
    parser.add_argument(
        "--trace", action="store_true", help="print each executed operation on standard error"
    )
    parser.add_argument(
        "--order", default="tree", metavar="ORDER", help="order of reductions (default %(default)s)"
    )
    parser.add_argument(
        "--check-order",
        action="store_true",
        help="try several orders at each reduction and scan and report results that differ",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of random numbers")
    parser.add_argument(
        "--step-limit", type=_positive, metavar="N", help="loop iterations a block may make"
    )
    parser.add_argument("--quiet", action="store_true", help="print no summary")
    parser.add_argument(
        "--diagnostics",
        choices=("text", "json", "sarif"),
        default="text",
        help="how to write diagnostics to standard error",
    )
    parser.add_argument("--debug-traceback", action="store_true", help=argparse.SUPPRESS)
    launch_options.add_options(parser)
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def _run(options: argparse.Namespace) -> int:
    from tileir_xdsl.interpreter import STEP_LIMIT, find_kernel, run

    module = _read(options.input)
    _check_order_name(options.order)
    if launch_options.is_wanted(options, module):
        return _launch(options, module)
    entry = find_kernel(module, options.kernel)
    grid = _grid(options.grid or "1")
    arguments = _arguments(entry, options.arg, options.seed)
    saves = [_named(text, "--save", "NAME=FILE.npy") for text in options.save]
    for name in (*(name for name, _ in saves), *options.print):
        _array(arguments, name)
    with _progress(grid, options.jobs) as progress:
        report = run(
            module,
            entry.sym_name.data,
            grid,
            arguments,
            checked=not options.unchecked,
            jobs=options.jobs,
            order=options.order,
            check_order=options.check_order,
            seed=options.seed,
            step_limit=options.step_limit or STEP_LIMIT,
            trace=_trace if options.trace else None,
            progress=progress,
        )
    _print_arrays(arguments, options.print)
    _save_arrays(arguments, saves)
    if not options.quiet:
        print(report, file=sys.stderr)
    return _status(report.findings, options)


def _launch(options: argparse.Namespace, module: ModuleOp) -> int:
    """Run through the launcher: other engines, and kernels of `tile_sugar`."""
    grid = None if options.grid is None else _grid(options.grid)
    saves = [_named(text, "--save", "NAME=FILE.npy") for text in options.save]
    outcome = launch_options.run(options, module, grid, _named)
    _print_arrays(outcome.arguments, options.print)
    _save_arrays(outcome.arguments, saves)
    for line in outcome.times:
        print(line)
    if not options.quiet:
        print(*outcome.summary, sep="\n", file=sys.stderr)
    return _status(outcome.findings, options)


def _status(findings: Sequence[Diagnostic], options: argparse.Namespace) -> int:
    """Show what was found; answers the exit status."""
    from tileir_xdsl.diagnostics import EXIT_OK, EXIT_USER_ERROR, Severity, print_diagnostics

    print_diagnostics(findings, sys.stderr, format=options.diagnostics)
    serious = any(finding.severity is Severity.WARNING for finding in findings)
    return EXIT_USER_ERROR if serious else EXIT_OK


def _trace(line: str) -> None:
    print(line, file=sys.stderr)


def _failure(message: str, fix: str | None = None) -> Exception:
    from tileir_xdsl.diagnostics import DiagnosticError, Place

    return DiagnosticError.at(message, Place.file("tile-run"), fix=fix)


def _read(path: str | None) -> ModuleOp:
    """The module in a file, verified."""
    import tileir_xdsl
    from tileir_xdsl.cli.files import decode_text, is_bytecode, read_input
    from tileir_xdsl.diagnostics import DiagnosticError, Severity

    data, name = read_input(path)
    if is_bytecode(data):
        module = tileir_xdsl.decode(data, name)
    else:
        module = tileir_xdsl.parse(decode_text(data, name), name)
    errors = [d for d in tileir_xdsl.verify(module) if d.severity is Severity.ERROR]
    if errors:
        raise DiagnosticError(errors)
    return module


def _grid(text: str) -> tuple[int, ...]:
    extents = text.replace(",", "x").split("x")
    if not 1 <= len(extents) <= 3 or not all(n.isdigit() and int(n) > 0 for n in extents):
        raise _failure(f"--grid {text}: expected one to three positive numbers, as in 8x4")
    return tuple(map(int, extents))


def _check_order_name(order: str) -> None:
    from tileir_xdsl.interpreter import ORDERS

    if order not in ORDERS:
        raise _failure(f"--order {order}: expected one of {', '.join(ORDERS)}")


def _named(text: str, option: str, form: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise _failure(f"{option} {text}: expected {option} {form}")
    return name.removeprefix("%"), value


def _arguments(entry: EntryOp, texts: Sequence[str], seed: int) -> dict[str, Any]:
    """The arguments by name, in the order of the parameters."""
    import numpy as np

    from tileir_xdsl.dialects.cuda_tile.types import TileType
    from tileir_xdsl.interpreter.arguments import parameter_name
    from tileir_xdsl.interpreter.initialisers import BadArgument, argument

    given = dict(_named(text, "--arg", "NAME=VALUE") for text in texts)
    random = np.random.default_rng(seed)
    found: dict[str, Any] = {}
    for parameter in entry.body.block.args:
        name = parameter_name(parameter)
        if name not in given:
            raise _failure(
                f"no argument for parameter '{name}' of @{entry.sym_name.data}",
                fix=f"--arg {name}=VALUE",
            )
        assert isinstance(parameter.type, TileType)
        try:
            found[name] = argument(given.pop(name), parameter.type.element_type, random)
        except BadArgument as error:
            raise _failure(f"--arg {name}: {error}") from None
    for name in given:
        known = ", ".join(found) or "none"
        raise _failure(f"@{entry.sym_name.data} has no parameter '{name}'; it has {known}")
    return found


def _array(arguments: dict[str, Any], name: str) -> Any:
    from tileir_xdsl.interpreter.values import is_array

    value: Any = arguments.get(name.removeprefix("%"))
    if not is_array(value):
        raise _failure(f"'{name}' is no array among the arguments")
    return value


def _print_arrays(arguments: dict[str, Any], names: Sequence[str]) -> None:
    import numpy as np

    for name in names:
        print(f"{name} = {np.array2string(_array(arguments, name), separator=', ')}")


def _save_arrays(arguments: dict[str, Any], saves: Sequence[tuple[str, str]]) -> None:
    import io

    import numpy as np

    from tileir_xdsl.cli.files import write_output

    for name, path in saves:
        stream = io.BytesIO()
        np.save(stream, _array(arguments, name), allow_pickle=False)
        write_output(stream.getvalue(), path)


class _progress:
    """A progress bar on terminals, for grids of many blocks."""

    def __init__(self, grid: tuple[int, ...], jobs: int) -> None:
        self.total = 1
        for extent in grid:
            self.total *= extent
        self.shown = sys.stderr.isatty() and self.total >= 64 and jobs == 1
        self._bar: Any = None

    def __enter__(self) -> Any:
        if not self.shown:
            return None
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._bar.start()
        task = self._bar.add_task("blocks", total=self.total)
        bar = self._bar

        def update(done: int) -> None:
            bar.update(task, completed=done)

        return update

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


if __name__ == "__main__":
    sys.exit(main())
