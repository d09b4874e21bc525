"""What the programs share as processes: lost streams, interrupts, and our own bugs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def guarded(run: Callable[[], int], show_traceback: bool) -> int:
    """The exit status of `run`, with a message in place of the traceback of a bug of ours."""
    # Python has no stream where a process starts with the descriptor closed (`2>&-`).
    if getattr(sys, "stderr") is None:
        sys.stderr = open(os.devnull, "w")
    from tileir_xdsl.diagnostics import EXIT_INTERNAL, internal_error_message

    try:
        status = run()
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
        if show_traceback:
            raise
        print(internal_error_message(error), file=sys.stderr)
        return EXIT_INTERNAL
