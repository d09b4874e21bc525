"""`tile-opt`: reads, checks, transforms and writes Tile IR programs.

An `xDSLOptMain` with NVIDIA's text, bytecode in and out, and diagnostics in place of tracebacks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tileir_xdsl._version import __version__

if TYPE_CHECKING:
    from tileir_xdsl.cli.tile_opt_main import TileOptMain


def main(argv: Sequence[str] | None = None) -> int:
    """Run `tile-opt`; `argv` is without the program's name. Answers the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Python has no stream where a process starts with the descriptor closed (`2>&-`).
    if getattr(sys, "stderr") is None:
        sys.stderr = open(os.devnull, "w")
    from tileir_xdsl.diagnostics import EXIT_INTERNAL, internal_error_message

    try:
        status = _run(arguments)
        if getattr(sys, "stdout") is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader of our output went away: nothing is wrong, and nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "--debug-traceback" in arguments:
            raise
        print(internal_error_message(error), file=sys.stderr)
        return EXIT_INTERNAL


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
