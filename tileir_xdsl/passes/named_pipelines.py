"""Pipelines with a name: `tile-sugar-to-cuda-tile`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.ir import Operation

from tileir_xdsl.passes.sugar import assembler_of
from tileir_xdsl.passes.tile_pass import TilePass
from tileir_xdsl.versions import DEFAULT, LATEST, Version


@dataclass(frozen=True)
class NamedPipeline(TilePass, ABC):
    """A pass that is several others, one after the other.

    `tile-opt` runs the others as if they had been named, with dumps and checks in between.
    """

    @abstractmethod
    def passes(self) -> list[TilePass]:
        """The passes, in order."""

    def run_on(self, ctx: Context, op: Operation) -> None:
        for pass_ in self.passes():
            pass_.run_on(ctx, op)


@dataclass(frozen=True)
class TileSugarToCudaTilePipeline(NamedPipeline):
    """Lowers kernels of `tile_sugar` to entries of `cuda_tile`, ready for the assembler.

    `target` is the GPU, or several (`target=sm_90,sm_100`): then accesses are chosen for all of
    them, and hints for each. `version` is the bytecode version to lower for, `assembler` the
    release of tileiras that will read it. `fastmath` lists the licences (`afn`, `contract`, `ftz`)
    of operations that library operations expand to; what a kernel says of its own operations stays.
    `access` is that of `lower-views`; `fuse=false` leaves `fuse-sweeps` out, with the same result.
    With `exact`, fast-math flags are cleared first, and no pass that changes results runs.
    """

    name = "tile-sugar-to-cuda-tile"

    bit_exact: ClassVar[bool] = False
    bound: ClassVar[str] = "what the licences of operations allow; with `exact` not at all"
    relative_error: ClassVar[float] = 2.0**-7

    target: str | tuple[str, ...] = "sm_90"
    version: str | float = str(DEFAULT)
    assembler: str | float = str(LATEST)
    exact: bool = False
    fastmath: tuple[str, ...] = ("afn", "contract")
    access: str = "auto"
    fuse: bool = True

    @property
    def keeps_results(self) -> bool:
        return self.exact

    def __post_init__(self) -> None:
        self.passes()  # Each pass checks its options.
        if assembler_of(self.assembler) < Version.parse(str(self.version)):
            raise ValueError(f"tileiras {self.assembler} does not read bytecode {self.version}")

    def passes(self) -> list[TilePass]:
        from tileir_xdsl.passes.agree_vector_width import AgreeVectorWidthPass
        from tileir_xdsl.passes.approximate_math import ApproximateMathPass
        from tileir_xdsl.passes.canonicalize import CanonicalizePass
        from tileir_xdsl.passes.choose_hints import ChooseHintsPass
        from tileir_xdsl.passes.chunk_rows import ChunkRowsPass
        from tileir_xdsl.passes.clear_fastmath import ClearFastmathPass
        from tileir_xdsl.passes.contract_fma import ContractFmaPass
        from tileir_xdsl.passes.cse import CommonSubexpressionEliminationPass
        from tileir_xdsl.passes.dce import DeadCodeEliminationPass
        from tileir_xdsl.passes.expand_library import ExpandLibraryPass
        from tileir_xdsl.passes.extrema_to_redux import ExtremaToReduxPass
        from tileir_xdsl.passes.fuse_sweeps import FuseSweepsPass
        from tileir_xdsl.passes.infer_promises import InferPromisesPass
        from tileir_xdsl.passes.legalize_elementwise import LegalizeElementwisePass
        from tileir_xdsl.passes.licm import LoopInvariantCodeMotionPass
        from tileir_xdsl.passes.lower_elementwise import LowerElementwisePass
        from tileir_xdsl.passes.lower_kernel import LowerKernelPass
        from tileir_xdsl.passes.lower_reductions import LowerReductionsPass
        from tileir_xdsl.passes.lower_views import LowerViewsPass
        from tileir_xdsl.passes.merge_reductions import MergeReductionsPass
        from tileir_xdsl.passes.pad_to_power_of_two import PadToPowerOfTwoPass
        from tileir_xdsl.passes.split_causal_loops import SplitCausalLoopsPass
        from tileir_xdsl.passes.split_rows import SplitRowsPass

        version = self.version
        return [
            *([ClearFastmathPass()] if self.exact else []),
            InferPromisesPass(),
            SplitCausalLoopsPass(),
            ExpandLibraryPass(fastmath=() if self.exact else self.fastmath),
            LegalizeElementwisePass(),
            *(
                []
                if self.exact
                else [ApproximateMathPass(), ContractFmaPass(), ChunkRowsPass(target=self.target)]
            ),
            SplitRowsPass(target=self.target),
            *([FuseSweepsPass()] if self.fuse else []),
            PadToPowerOfTwoPass(),
            LowerReductionsPass(version=version),
            LowerElementwisePass(version=version),
            LowerKernelPass(version=version),
            LowerViewsPass(version=version, target=self.target, access=self.access),
            AgreeVectorWidthPass(),
            ChooseHintsPass(target=self.target, assembler=self.assembler),
            MergeReductionsPass(target=self.target),
            ExtremaToReduxPass(version=version, target=self.target),
            CanonicalizePass(),
            CommonSubexpressionEliminationPass(),
            DeadCodeEliminationPass(),
            LoopInvariantCodeMotionPass(),
        ]
