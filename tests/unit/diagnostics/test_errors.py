import subprocess
import sys
from typing import cast

import pytest

from tileir_xdsl.diagnostics import (
    EXIT_INTERNAL,
    EXIT_OK,
    EXIT_USER_ERROR,
    Diagnostic,
    DiagnosticError,
    DiagnosticSink,
    Place,
    Severity,
    SourceFile,
    internal_error_message,
)


def test_exit_statuses():
    assert (EXIT_OK, EXIT_USER_ERROR, EXIT_INTERNAL) == (0, 1, 70)


def test_an_error_carries_its_diagnostics():
    first = Diagnostic(Severity.ERROR, "first", Place.line("f", 1, 1))
    second = Diagnostic(Severity.ERROR, "second", Place.line("f", 2, 1))
    assert DiagnosticError(first).diagnostics == (first,)
    error = DiagnosticError([first, second])
    assert error.diagnostics == (first, second)
    assert str(error) == "f:1:1: error: first\nf:2:1: error: second"


def test_an_error_at_a_place():
    place = Place.line("f", 1, 2)
    note = Diagnostic(Severity.NOTE, "n", place)
    error = DiagnosticError.at("m", place, [note], fix="x", code="c")
    assert error.diagnostics == (Diagnostic(Severity.ERROR, "m", place, [note], "x", "c"),)


def test_an_internal_error_says_so():
    try:
        raise KeyError("a\x1b\nb")
    except KeyError as error:
        message = internal_error_message(error)
    first, second = message.split("\n")
    assert first.startswith("tileir-xdsl: error: internal error: KeyError: ")
    assert "\x1b" not in first
    assert "diagnostics/test_errors.py:" in first
    assert "bug in tileir-xdsl" in second
    assert "please report it with the input that caused it" in second
    assert "Traceback" not in message


def test_an_internal_error_names_our_innermost_frame():
    with pytest.raises(AttributeError) as raised:
        DiagnosticSink().emit(cast(Diagnostic, object()))
    assert "(diagnostics/diagnostic.py:" in internal_error_message(raised.value)


def test_an_internal_error_without_text_or_frames():
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert "internal error: RecursionError\n" in internal_error_message(RecursionError())
    assert "the exception cannot be shown" in internal_error_message(Unprintable())


def test_the_import_is_light():
    """Every start of a command pays for it."""
    script = (
        "import sys\n"
        "import tileir_xdsl.diagnostics\n"
        "heavy = {'xdsl', 'rich', 'numpy', 'ml_dtypes', 'json', 'pathlib', 'unicodedata'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    # Isolated and without `site`, whose editable-install hooks import what they like.
    path = f"import sys; sys.path[:] = {sys.path!r}\n"
    command = [sys.executable, "-I", "-S", "-c", path + script]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_source_is_shown_in_the_text_of_an_error():
    place = Place.at(SourceFile("f", "abc"), 1)
    assert str(DiagnosticError.at("m", place)) == "f:1:2: error: m\nabc\n ^"
