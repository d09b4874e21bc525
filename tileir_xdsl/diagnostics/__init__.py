"""
The one sink for errors, warnings, notes and remarks, with places.

Independent of the IR: everything that can go wrong in the package is reported as a `Diagnostic`,
into a `DiagnosticSink` where work can go on, as a `DiagnosticError` where it cannot.
"""

from tileir_xdsl.diagnostics.diagnostic import Diagnostic, DiagnosticSink, Severity
from tileir_xdsl.diagnostics.errors import (
    EXIT_INTERNAL,
    EXIT_OK,
    EXIT_USER_ERROR,
    DiagnosticError,
    internal_error_message,
)
from tileir_xdsl.diagnostics.expectations import (
    Expectation,
    check_expectations,
    parse_expectations,
)
from tileir_xdsl.diagnostics.output import Format, print_diagnostics, to_sarif
from tileir_xdsl.diagnostics.remarks import Remark, RemarkKind, to_yaml
from tileir_xdsl.diagnostics.rendering import escape, render
from tileir_xdsl.diagnostics.source import (
    Place,
    Position,
    Range,
    SourceFile,
    split_input_file,
)

__all__ = [
    "EXIT_INTERNAL",
    "EXIT_OK",
    "EXIT_USER_ERROR",
    "Diagnostic",
    "DiagnosticError",
    "DiagnosticSink",
    "Expectation",
    "Format",
    "Place",
    "Position",
    "Range",
    "Remark",
    "RemarkKind",
    "Severity",
    "SourceFile",
    "check_expectations",
    "escape",
    "internal_error_message",
    "parse_expectations",
    "print_diagnostics",
    "render",
    "split_input_file",
    "to_sarif",
    "to_yaml",
]
