"""`legalize-version`: a program that an older version of the bytecode holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.passes.legalization import legalizations
from tileir_xdsl.passes.patterns import Pattern, rewrite_greedily
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import Version


@dataclass(frozen=True)
class LegalizeVersionPass(TilePass):
    """Rewrites what a version of the bytecode lacks by what it has, with the same results.

    `legalize-version{to=13.1}`: claims such as `inbounds` go; saturating `ftoi` becomes selects;
    `insert`, `pack` and `unpack` become selects, concatenations and shifts; accesses of strided and
    gather/scatter views and reductions into views become masked accesses through pointers;
    unsigned loops become signed ones; `fpowi` by a constant becomes products; prints lose their
    tokens. What has no equivalent is refused: one error for each feature, with its place.

    Never changes a result unless `approximate` allows it: then approximate `exp` and `tanh` and
    fast accumulation are computed in full.
    """

    name = "legalize-version"

    bound: ClassVar[str] = "with `approximate`, that of the approximations that are dropped"
    relative_error: ClassVar[float] = 2.0**-7

    to: float = 13.1
    """The version, e.g. 13.1."""

    approximate: bool = False
    """Also rewrite what has a more exact equivalent only."""

    @property
    def keeps_results(self) -> bool:
        return not self.approximate

    def run_on(self, ctx: Context, op: Operation) -> None:
        version = self.version()
        for region in op.regions:
            rewrite_greedily(region, self._patterns(version))
        if isinstance(op, ModuleOp):
            check_version(op, version)

    def version(self) -> Version:
        try:
            return Version.parse(str(self.to))
        except ValueError as error:
            raise PassFailedException(str(error)) from None

    def _patterns(self, version: Version) -> list[Pattern]:
        return [
            rule.pattern
            for rule in legalizations()
            if version < rule.since and (self.approximate or not rule.approximate)
        ]


def check_version(module: ModuleOp, version: Version) -> None:
    """Raise `DiagnosticError` with everything in a module that a version lacks."""
    # The writer knows what each version has; there is no second list.
    from tileir_xdsl.bytecode.writer import encode_module

    encode_module(module, version)
