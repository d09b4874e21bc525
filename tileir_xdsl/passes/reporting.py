"""What passes report beside their result: remarks for users and counts for `--pass-statistics`.

The pass manager installs a `Report` around each pass; without one, reporting costs a look-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import DiagnosticSink, Remark, RemarkKind
from tileir_xdsl.diagnostics.remarks import TEXT

REMARK_TOPICS: Mapping[str, frozenset[str]] = {
    "fusion": frozenset(
        {"chunk-rows", "contract-fma", "fuse-fma", "fuse-sweeps", "merge-reductions", "split-rows"}
    ),
    "loops": frozenset({"chunk-rows", "loop-split", "split-causal-loops"}),
    "math": frozenset({"approximate-math", "clear-fastmath", "contract-fma", "fuse-fma"}),
    "views": frozenset({"agree-vector-width", "infer-promises", "lower-views"}),
}
"""The passes that speak of a topic."""


@dataclass
class Report:
    """The remarks and counts of one pass."""

    sink: DiagnosticSink | None = None
    """Where remarks go; None when nobody asked for them."""

    source: str = ""
    """The name of the pass."""

    counts: Counter[str] = field(default_factory=Counter[str])
    """How often each thing happened, e.g. by name of the pattern."""


_REPORT: ContextVar[Report | None] = ContextVar("report", default=None)


@contextmanager
def reporting_to(report: Report) -> Generator[Report]:
    """Collect what passes report in the body of the `with` statement."""
    token = _REPORT.set(report)
    try:
        yield report
    finally:
        _REPORT.reset(token)


def remark(op: Operation, message: str, kind: RemarkKind = RemarkKind.PASSED) -> None:
    """Tell the user what a pass did at `op`, when remarks are asked for."""
    report = _REPORT.get()
    if report is None or report.sink is None:
        return
    from tileir_xdsl.dialects.cuda_tile.places import place_of

    name = "".join(word.capitalize() for word in report.source.split("-"))
    arguments = [(TEXT, message)]
    place, function = place_of(op), function_of(op)
    report.sink.emit(Remark.of(kind, report.source, name, arguments, place, function))


def missed(op: Operation, message: str) -> None:
    """Tell the user what a pass could not do or prove at `op`, when remarks are asked for."""
    remark(op, message, RemarkKind.MISSED)


def function_of(op: Operation) -> str:
    """The name of the kernel that holds `op`, or of the innermost symbol that does."""
    current: Operation | None = op
    while current is not None:
        name = current.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            return name.data
        current = current.parent_op()
    return ""


def count(what: str, number: int = 1) -> None:
    """Add to a statistic of the running pass."""
    report = _REPORT.get()
    if report is not None:
        report.counts[what] += number
