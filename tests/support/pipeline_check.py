"""The whole pipeline on a kernel, for every target: results, undefined behaviour, the assembler.

`check` lowers a kernel with the default licences, with `ftz` and with `exact`, for each target,
runs what comes out on the kernel's inputs and compares: under `exact` bit for bit with the kernel
as it is written, otherwise with what the licences allow (`licences`). What comes out is assembled.

As a program it does so for random kernels, by seed:

    python -m support.pipeline_check 0 1000
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from support.licences import Agreement, Range, Unknown, agreement, allowed, disagreement
from support.random_pipeline import write_kernel
from support.random_sugar import Program
from support.sugar import Launch, Outcome, again, parse
from tileir_xdsl.bytecode.writer import encode_module
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.parser import new_context
from tileir_xdsl.interpreter import UndefinedBehaviour
from tileir_xdsl.passes.clear_fastmath import ClearFastmathPass
from tileir_xdsl.passes.named_pipelines import TileSugarToCudaTilePipeline
from tileir_xdsl.passes.row_parts import ACCESS
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.runtime.tileiras import assemble

TARGETS = ("sm_80", "sm_90", "sm_100", "sm_120")
VERSIONS = ("13.1", "13.3", "13.4", "13.5")
ACCESSES = ("auto", "auto", "auto", "pointer", "view")
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "ftz": {"fastmath": ("afn", "contract", "ftz")},
    "exact": {"exact": True},
}


REFUSED: tuple[tuple[Sequence[str], str, str], ...] = (
    (["sm_80"], r"f8E", "Incompatibility with architecture"),
    (["sm_80"], r"\batomic add[^:]*: tile<[\dx]*xbf16>", "Incompatibility with architecture"),
    (TARGETS, r"(?s)\bdot %.*\bcumsum %\w+ axis 0", "cannot compile this program"),
)
"""What tileiras 13.5.37 may refuse: the targets, what a kernel has, and what the error says.

f8 and atomic sums of bf16 on sm_80, which lacks them; and scans across 32 rows or more of what a
product makes, with which the tool ends without a reason.
"""

WIDTHS: dict[str, dict[str, int]] = {
    "chunk-rows": {"width": 128, "chunk": 32},
    "split-rows": {"width": 32},
}
"""Options of passes over long rows for rows that are short enough to run and to assemble."""


@dataclass
class Report:
    """What came of some kernels."""

    kernels: int = 0
    """Those that are defined on their inputs."""
    undefined: int = 0
    """Kernels that are not, which say nothing."""
    unknown: int = 0
    """Kernels without ranges: an index depends on what is licensed. Compared under `exact` only."""
    runs: int = 0
    """Lowered programs that ran, each distinct one of a kernel once."""
    comparisons: int = 0
    """Arrays compared, for every target and variant."""
    assembled: int = 0
    """Distinct bytecode that the assembler took, for each target."""
    agreement: dict[str, Agreement] = field(
        default_factory=lambda: {name: Agreement() for name in VARIANTS}
    )
    refused: int = 0
    """Bytecode that the assembler refuses, as it should (`REFUSED`)."""
    failures: list[str] = field(default_factory=list[str])

    def add(self, other: Report) -> None:
        for name in (
            "kernels",
            "undefined",
            "unknown",
            "runs",
            "comparisons",
            "assembled",
            "refused",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, found in other.agreement.items():
            self.agreement[name].add(found)
        self.failures += other.failures

    def summary(self) -> str:
        return (
            f"{self.kernels} kernels ({self.undefined} more undefined, {self.unknown} without "
            f"ranges), {self.runs} runs, {self.comparisons} comparisons, {self.assembled} "
            f"assembled, {self.refused} refused as known, {len(self.failures)} failures"
        )

    def __str__(self) -> str:
        lines = [self.summary()]
        lines += [
            f"  {name}: {found.exact} elements exact, {found.bounded} bounded, {found.free} free, "
            f"largest error {found.worst:.3f} of its bound"
            for name, found in self.agreement.items()
        ]
        return "\n".join((*lines, *self.failures))


@dataclass(frozen=True)
class Setting:
    """Options of the pipeline that a kernel is checked with."""

    version: str = "13.4"
    access: str = "auto"
    small: bool = True
    """Whether passes take rows for long that fit the tests (`WIDTHS`)."""

    def passes(self, target: str, variant: str) -> list[TilePass]:
        pipeline = TileSugarToCudaTilePipeline(
            target=target, version=self.version, access=self.access, **VARIANTS[variant]
        )
        return [self._resized(pass_) for pass_ in pipeline.passes()]

    def _resized(self, pass_: TilePass) -> TilePass:
        widths = WIDTHS.get(pass_.name)
        return pass_ if widths is None or not self.small else replace(cast(Any, pass_), **widths)

    @property
    def sums(self) -> tuple[int, int]:
        """Beyond which length a sum may take another order, and of which parts it then is."""
        return ACCESS, WIDTHS["chunk-rows"]["chunk"] if self.small else ACCESS


def _applied(passes: Sequence[TilePass], context: Context, module: ModuleOp) -> ModuleOp:
    for pass_ in passes:
        pass_.apply(context, module)
    return module


class Check:
    """One kernel on one set of inputs."""

    def __init__(
        self,
        text: str,
        values: Sequence[Any],
        setting: Setting,
        targets: Sequence[str],
        tool: Path | None,
        others: Sequence[str],
    ) -> None:
        self.text = text
        self.setting = setting
        self.targets = targets
        self.tool = tool
        self.others = others
        self.assembled: set[tuple[bytes, str]] = set()
        self.launch = Launch(text, values)
        self.report = Report()

    def run(self) -> Report:
        module = parse(self.text)
        ClearFastmathPass().apply(new_context(), module)
        try:
            self.reference = self.launch.run(module)
        except UndefinedBehaviour:
            self.report.undefined = 1
            return self.report
        self.report.kernels = 1
        for variant in VARIANTS:
            self._variant(variant)
        return self.report

    def _variant(self, variant: str) -> None:
        ranges = self._ranges(variant)
        outcomes: dict[ModuleOp, Outcome | None] = {}
        for target, module in self._lowered(variant):
            if module not in outcomes:
                if not outcomes and variant == "default":
                    again(module, f"the pipeline for {target}")
                found = self._outcome(module, f"{target} {variant}")
                outcomes[module] = found
                if found is not None:
                    self._compare(found, ranges, variant, target)
            self.report.comparisons += len(self.reference.arrays)
            self._assemble(module, target, variant)

    def _lowered(self, variant: str) -> Iterator[tuple[str, ModuleOp]]:
        """The kernel lowered for each target.

        Passes that are the same for all targets run once at the front, and at the end once for
        each program that they meet.
        """
        pipelines = [self.setting.passes(target, variant) for target in self.targets]
        differ = [
            k for k, passes in enumerate(zip(*pipelines, strict=True)) if len(set(passes)) > 1
        ]
        first, last = (differ[0], differ[-1] + 1) if differ else (0, 0)
        context = new_context()
        shared = _applied(pipelines[0][:first], context, parse(self.text))
        done: list[tuple[ModuleOp, ModuleOp]] = []
        for target, passes in zip(self.targets, pipelines, strict=True):
            module = _applied(passes[first:last], context, shared.clone())
            lowered = next(
                (new for old, new in done if old.is_structurally_equivalent(module)), None
            )
            if lowered is None:
                lowered = _applied(passes[last:], context, module.clone())
                done.append((module, lowered))
            yield target, lowered

    def _ranges(self, variant: str) -> list[Range] | None:
        if variant == "exact":
            return None
        licences = TileSugarToCudaTilePipeline(**VARIANTS[variant]).fastmath
        try:
            ranges = allowed(self.text, self.launch.values, licences, self.setting.sums)
        except Unknown:
            self.report.unknown = 1
            return None
        for array, range_ in zip(self.reference.arrays, ranges, strict=True):
            # What is written is always allowed.
            problem = disagreement(array, range_)
            assert problem is None, f"the reference itself is out of range: {problem}"
        return ranges

    def _outcome(self, module: ModuleOp, where: str) -> Outcome | None:
        self.report.runs += 1
        try:
            return self.launch.run(module)
        except UndefinedBehaviour as undefined:
            self.report.failures.append(f"{where}: undefined: {undefined}")
            return None

    def _compare(
        self, found: Outcome, ranges: list[Range] | None, variant: str, target: str
    ) -> None:
        if variant == "exact":
            problem = self.reference.difference(found)
            if problem is not None:
                self.report.failures.append(f"{target} {variant}: {problem}")
        if ranges is None:
            ranges = [Range.point(array) for array in self.reference.arrays]
            if variant != "exact":
                return
        triples = zip(found.arrays, self.reference.arrays, ranges, strict=True)
        for number, (array, reference, range_) in enumerate(triples):
            problem = disagreement(array, range_)
            if problem is None:
                self.report.agreement[variant].add(agreement(array, reference, range_))
            elif variant != "exact":
                self.report.failures.append(f"{target} {variant}: array {number}: {problem}")

    def _assemble(self, module: ModuleOp, target: str, variant: str) -> None:
        if self.tool is None or (variant != "default" and target not in self.others):
            return
        bytecode = encode_module(module, self.setting.version)
        if (bytecode, target) in self.assembled:
            return
        self.assembled.add((bytecode, target))
        try:
            assemble(bytecode, target, self.tool)
        except DiagnosticError as error:
            if self._is_known(target, str(error)):
                self.report.refused += 1
            else:
                self.report.failures.append(f"{target} {variant}: {error}")
            return
        self.report.assembled += 1

    def _is_known(self, target: str, error: str) -> bool:
        return any(
            target in targets and message in error and re.search(pattern, self.text)
            for targets, pattern, message in REFUSED
        )


def check(
    text: str,
    values: Sequence[Any],
    setting: Setting | None = None,
    targets: Sequence[str] = TARGETS,
    tool: Path | None = None,
    others: Sequence[str] = TARGETS,
) -> Report:
    """Check a kernel on inputs for some targets.

    Assembled where there is a `tool`, the variants beside the default for the targets in `others`.
    """
    return Check(text, values, setting or Setting(), targets, tool, others).run()


def check_seed(
    seed: int,
    targets: Sequence[str] = TARGETS,
    tool: Path | None = None,
    write: Callable[[Random], Program] = write_kernel,
) -> Report:
    """Check a random kernel, with a version of the bytecode and accesses that the seed chooses."""
    random = Random(seed)
    program = write(random)
    setting = Setting(random.choice(VERSIONS), random.choice(ACCESSES))
    # Assembling takes longest: all variants of some kernels, the default of all.
    others = [TARGETS[seed // 4 % len(TARGETS)]] if seed % 4 == 0 else []
    report = check(program.text, program.values, setting, targets, tool, others)
    report.failures = [
        f"seed {seed} (version={setting.version} access={setting.access}) {failure}"
        for failure in report.failures
    ]
    return report


def main(first: int, last: int, step: int = 1) -> None:
    from support.nvidia import tileiras

    total = Report()
    for number, seed in enumerate(range(first, last, step), 1):
        found = check_seed(seed, tool=tileiras())
        for failure in found.failures:
            print(failure, flush=True)
        total.add(found)
        if number % 20 == 0:
            print(f"to seed {seed}: {total.summary()}", flush=True)
    print(total)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
