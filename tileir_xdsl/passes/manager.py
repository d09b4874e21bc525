"""Runs pipelines with what an engineer needs to look into them: dumps, checks, times, counts.

The names of the options are those of `mlir-opt` without its prefix. Dumps, times and counts go to
standard error, so that standard output is the program.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, PassFailedException, VerifyException

from tileir_xdsl.diagnostics import DiagnosticError, DiagnosticSink, Place, Severity
from tileir_xdsl.dialects.cuda_tile.nesting import deep_recursion
from tileir_xdsl.passes.pipeline_text import PipelineError, Step
from tileir_xdsl.passes.reporting import REMARK_TOPICS, Report, reporting_to
from tileir_xdsl.passes.tile_pass import TilePass

if TYPE_CHECKING:
    from tileir_xdsl.interpreter.semantics import Case, Tolerance


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the pass manager, on a command's parser."""
    group = parser.add_argument_group("passes")
    group.add_argument(
        "--pass-pipeline",
        metavar="PIPELINE",
        help="pipeline in MLIR's form, e.g. 'builtin.module(cuda_tile.module(cse))'",
    )
    group.add_argument(
        "--print-ir-before",
        action="append",
        default=[],
        metavar="PASS",
        help="print the program before a pass",
    )
    group.add_argument(
        "--print-ir-after-all", action="store_true", help="print the program after each pass"
    )
    group.add_argument(
        "--print-ir-after-change",
        action="store_true",
        help="print the program after each pass that changed it",
    )
    group.add_argument(
        "--verify-each",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify the program after each pass (default)",
    )
    group.add_argument(
        "--check-semantics",
        action="store_true",
        help="interpret the program after each pass and stop at the first that changes a result",
    )
    group.add_argument(
        "--inputs",
        metavar="FILE",
        help="JSON file with the inputs of --check-semantics (default: generated)",
    )
    group.add_argument(
        "--remarks",
        metavar="PASS[,PASS...]",
        help="report what passes did and could not do, by pass or topic "
        f"({', '.join(REMARK_TOPICS)}); 'tileiras' for the assembler, with -t cubin; "
        "'all' for everyone",
    )
    group.add_argument(
        "--remark-format",
        choices=("text", "yaml"),
        default="text",
        help="how to write remarks: as other diagnostics, or as LLVM's YAML documents",
    )
    group.add_argument(
        "--remarks-output-file",
        metavar="FILE",
        help="where to write remarks (default: standard error)",
    )
    group.add_argument("--pass-statistics", action="store_true", help="count what each pass did")
    group.add_argument(
        "--reproducer",
        metavar="FILE",
        help="where a failing pass leaves its input (default: a temporary file)",
    )


@dataclass(frozen=True)
class ManagerOptions:
    """What to do around passes."""

    print_before: frozenset[str] = frozenset()
    print_after_all: bool = False
    print_after_change: bool = False
    verify_each: bool = True
    check_semantics: bool = False
    inputs: tuple[str, str] | None = None
    """Name and text of the file with the inputs of `check_semantics`."""
    time_passes: bool = False
    remarks: frozenset[str] = frozenset()
    statistics: bool = False
    reproducer: str | None = None

    @staticmethod
    def of(args: argparse.Namespace, inputs: tuple[str, str] | None = None) -> ManagerOptions:
        """From parsed arguments, xDSL's own included, and the name and text of --inputs."""
        return ManagerOptions(
            print_before=frozenset(args.print_ir_before),
            print_after_all=args.print_ir_after_all or args.print_between_passes,
            print_after_change=args.print_ir_after_change,
            verify_each=args.verify_each and not args.disable_verify,
            check_semantics=args.check_semantics,
            inputs=inputs,
            time_passes=args.time_passes,
            remarks=_passes_of(remark_words(args)),
            statistics=args.pass_statistics,
            reproducer=args.reproducer,
        )


def remark_words(args: argparse.Namespace) -> list[str]:
    """What --remarks names."""
    return args.remarks.split(",") if args.remarks else []


def _passes_of(words: Iterable[str]) -> frozenset[str]:
    """The passes that --remarks names, itself or by topic."""
    return frozenset[str]().union(*(REMARK_TOPICS.get(word, {word}) for word in words))


def check_names(
    args: argparse.Namespace, steps: Sequence[Step], speakers: Iterable[str] = ()
) -> None:
    """Raises PipelineError when an option names a pass that the pipeline lacks.

    `speakers` are others that make remarks.
    """
    remarks = remark_words(args)
    known = {step.name for step in steps}
    before: list[str] = args.print_ir_before
    for option, words, others in (
        ("--remarks", remarks, {"all", *REMARK_TOPICS, *speakers}),
        ("--print-ir-before", before, set[str]()),
    ):
        for word in words:
            if word not in known | others:
                there_are = ", ".join(sorted(known | others)) or "none"
                raise PipelineError(f"{option}: no pass '{word}' runs; known are {there_are}")


@dataclass
class PassManager:
    """Runs the steps of a pipeline on one program."""

    context: Context
    steps: Sequence[Step]
    options: ManagerOptions
    sink: DiagnosticSink
    place: Place
    """The file, for failures that name no place of their own."""

    fresh: Callable[[], ModuleOp]
    """The program as it was read, again: to find what a failing pass was given."""

    seconds: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    counts: list[tuple[str, Counter[str]]] = field(default_factory=list[tuple[str, Counter[str]]])

    def run(self, module: ModuleOp) -> None:
        """Apply all steps; raises `DiagnosticError` when one fails."""
        with deep_recursion():
            self._run(module)

    def _run(self, module: ModuleOp) -> None:
        checker = self._checker(module)
        try:
            for position, step in enumerate(self.steps):
                self._run_step(position, step, module, checker)
        finally:
            self._print_times()
            self._print_counts()

    def _run_step(
        self, position: int, step: Step, module: ModuleOp, checker: SemanticsChecker | None
    ) -> None:
        options = self.options
        if step.name in options.print_before:
            self._dump(f"Before {step.name}", module)
        before = _text(module) if options.print_after_change else None
        try:
            self._apply(step, module)
            if options.verify_each:
                self._verify(step, module)
            if checker is not None:
                checker.check(step.pass_, module, self.sink)
        except DiagnosticError as error:
            self._reproduce(position, error)
            raise
        except Exception:
            self._reproduce(position, None)
            raise
        if before is not None and before == _text(module):
            return
        if options.print_after_all or options.print_after_change:
            self._dump(f"After {step.name}", module)

    def _apply(self, step: Step, module: ModuleOp) -> None:
        wanted = bool(self.options.remarks & {step.name, "all"})
        report = Report(self.sink if wanted else None, step.name)
        start = time.perf_counter()
        try:
            with reporting_to(report):
                self._apply_to_targets(step, module)
        except (PassFailedException, DiagnosticException, VerifyException) as error:
            raise DiagnosticError.at(
                f"pass '{step.name}' failed: {_first_line(error)}",
                self.place,
                code=PASS_FAILURE,
            ) from None
        self.seconds.append((step.name, time.perf_counter() - start))
        self.counts.append((step.name, report.counts))

    def _apply_to_targets(self, step: Step, module: ModuleOp) -> None:
        for target in step.targets(module):
            if isinstance(step.pass_, TilePass):
                step.pass_.run_on(self.context, target)
            else:
                step.pass_.apply(self.context, module)

    def _verify(self, step: Step, module: ModuleOp) -> None:
        from tileir_xdsl.verifier import verify_into

        before = self.sink.error_count
        verify_into(module, self.sink)
        if self.sink.error_count > before:
            raise DiagnosticError.at(
                f"pass '{step.name}' made a program that does not verify",
                self.place,
                code=PASS_FAILURE,
            )

    def _checker(self, module: ModuleOp) -> SemanticsChecker | None:
        if not self.options.check_semantics:
            return None
        return SemanticsChecker.of(module, self.options.inputs, self.sink)

    # Output.

    def _dump(self, what: str, module: ModuleOp) -> None:
        print(f"// -----// IR Dump {what} //----- //\n{_text(module)}", file=sys.stderr)

    def _print_times(self) -> None:
        if not self.options.time_passes:
            return
        total = sum(seconds for _, seconds in self.seconds)
        lines = [
            f"{seconds:9.4f} s  {100 * seconds / total if total else 0:5.1f} %  {name}"
            for name, seconds in self.seconds
        ]
        print("\n".join(["Pass times", *lines, f"{total:9.4f} s  total"]), file=sys.stderr)

    def _print_counts(self) -> None:
        if not self.options.statistics:
            return
        lines = ["Pass statistics"]
        for name, counts in self.counts:
            lines.append(name if counts else f"{name}: nothing")
            lines += [f"{number:9d}  {what}" for what, number in sorted(counts.items())]
        print("\n".join(lines), file=sys.stderr)

    # Reproducers.

    def _reproduce(self, position: int, error: DiagnosticError | None) -> None:
        """Leave what the failing pass was given in a file, and say so.

        Not for errors of the program that a pass found, unless `--reproducer` asks for it.
        """
        ours = error is None or any(d.code == PASS_FAILURE for d in error.diagnostics)
        if not ours and self.options.reproducer is None:
            return
        try:
            path = self._write_reproducer(position)
        except Exception:
            # The failure itself is what matters; what cannot be reproduced is not reported twice.
            return
        message = f"the input of the pass is in '{path}'"
        if error is None:
            print(f"tile-opt: note: {message}", file=sys.stderr)
        else:
            error.diagnostics[0].attach_note(message, Place.file(path))

    def _write_reproducer(self, position: int) -> str:
        module = self.fresh()
        for step in self.steps[:position]:
            self._apply_to_targets(step, module)
        step = self.steps[position]
        option = "-p" if len(step.anchor) == 1 else "--pass-pipeline="
        text = f"// RUN: tile-opt %s {option} '{step.text()}'\n\n{_text(module, True)}"
        path = self.options.reproducer
        if path is None:
            handle, path = tempfile.mkstemp(prefix=f"tile-opt-{step.name}-", suffix=".mlir")
            os.close(handle)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return path


PASS_FAILURE = "pass-failure"
"""Code of errors that a pass is to blame for, not the program."""


def _text(module: ModuleOp, debuginfo: bool = False) -> str:
    from tileir_xdsl.dialects.cuda_tile.printer import module_text

    return module_text(module, debuginfo)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(error).__name__


@dataclass
class SemanticsChecker:
    """Compares what the program computes after a pass with what it computed before."""

    current: ModuleOp
    """A copy of the program before the pass."""
    cases: Sequence[Case]

    @staticmethod
    def of(
        module: ModuleOp, inputs: tuple[str, str] | None, sink: DiagnosticSink
    ) -> SemanticsChecker | None:
        """A checker on the inputs in a file, or on generated ones.

        None, with a warning, when the program cannot be interpreted.
        """
        from tileir_xdsl.interpreter.api import entries
        from tileir_xdsl.interpreter.semantics import generate_inputs, load_cases

        if inputs is not None:
            name, text = inputs
            return SemanticsChecker(module.clone(), load_cases(module, text, name))
        try:
            cases = [c for entry in entries(module) for c in generate_inputs(module, entry)]
        except DiagnosticError as error:
            first = error.diagnostics[0]
            sink.warning(f"semantics are not checked: {first.message}", first.place)
            return None
        return SemanticsChecker(module.clone(), cases)

    def check(self, pass_: ModulePass, module: ModuleOp, sink: DiagnosticSink) -> None:
        """Raise when the pass changed a result by more than it declares."""
        from tileir_xdsl.interpreter.semantics import check_equal

        found = check_equal(self.current, module, self.cases, exact=accepted_difference(pass_))
        errors = [d for d in found if d.severity is Severity.ERROR]
        sink.extend(d for d in found if d.severity is not Severity.ERROR)
        if errors:
            dump = "// -----// IR Dump {} //----- //\n{}"
            print(dump.format(f"Before {pass_.name}", _text(self.current)), file=sys.stderr)
            print(dump.format(f"After {pass_.name}", _text(module)), file=sys.stderr)
            for error in errors:
                error.message = f"pass '{pass_.name}' changed a result: {error.message}"
                error.code = PASS_FAILURE
            raise DiagnosticError(errors)
        self.current = module.clone()


def accepted_difference(pass_: ModulePass) -> bool | Tolerance:
    """How far results may be apart after a pass."""
    from tileir_xdsl.interpreter.semantics import Tolerance

    if not isinstance(pass_, TilePass) or pass_.keeps_results:
        return True
    # Where the difference crosses the middle between two f16, they are a whole unit apart.
    return Tolerance(ulps=1, relative=pass_.relative_error)
