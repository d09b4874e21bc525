"""`tile-opt`: reads, checks, transforms and writes Tile IR programs.

An `xDSLOptMain` with NVIDIA's text, bytecode in and out, and diagnostics in place of tracebacks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tileir_xdsl._version import __version__
from tileir_xdsl.cli.process import guarded

if TYPE_CHECKING:
    from tileir_xdsl.cli.tile_opt_main import TileOptMain


def main(argv: Sequence[str] | None = None) -> int:
    """Run `tile-opt`; `argv` is without the program's name. Answers the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: _run(arguments), "--debug-traceback" in arguments)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-v"]):
        from importlib.metadata import version

        print(f"tile-opt {__version__} (xDSL {version('xdsl')})")
        return 0
    from tileir_xdsl.cli.tile_opt_main import TileOptMain
    from tileir_xdsl.diagnostics import EXIT_USER_ERROR, DiagnosticError, print_diagnostics

    try:
        tool: TileOptMain = TileOptMain(arguments)
    except DiagnosticError as error:
        print_diagnostics(error.diagnostics, sys.stderr)
        return EXIT_USER_ERROR
    except argparse.ArgumentError as error:
        print(f"tile-opt: error: {error}", file=sys.stderr)
        return EXIT_USER_ERROR
    return tool.run()


if __name__ == "__main__":
    sys.exit(main())
