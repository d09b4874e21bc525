"""The passes of this project by name, each behind a thunk that imports it when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from xdsl.passes import ModulePass

PassFactory = Callable[[], type[ModulePass]]


def _pass(module: str, cls: str) -> PassFactory:
    def load() -> type[ModulePass]:
        return getattr(import_module(f"tileir_xdsl.passes.{module}"), cls)

    return load


PASSES: dict[str, PassFactory] = {
    "canonicalize": _pass("canonicalize", "CanonicalizePass"),
    "cse": _pass("cse", "CommonSubexpressionEliminationPass"),
    "dce": _pass("dce", "DeadCodeEliminationPass"),
    "licm": _pass("licm", "LoopInvariantCodeMotionPass"),
    "fuse-fma": _pass("fuse_fma", "FuseFmaPass"),
    "loop-split": _pass("loop_split", "LoopSplitPass"),
    "legalize-version": _pass("legalize_version", "LegalizeVersionPass"),
    "synthesize-debug-info-scopes": _pass(
        "synthesize_debug_info_scopes", "SynthesizeDebugInfoScopesPass"
    ),
    "clear-fastmath": _pass("clear_fastmath", "ClearFastmathPass"),
    "infer-promises": _pass("infer_promises", "InferPromisesPass"),
    "split-causal-loops": _pass("split_causal_loops", "SplitCausalLoopsPass"),
    "expand-library": _pass("expand_library", "ExpandLibraryPass"),
    "legalize-elementwise": _pass("legalize_elementwise", "LegalizeElementwisePass"),
    "approximate-math": _pass("approximate_math", "ApproximateMathPass"),
    "contract-fma": _pass("contract_fma", "ContractFmaPass"),
    "chunk-rows": _pass("chunk_rows", "ChunkRowsPass"),
    "split-rows": _pass("split_rows", "SplitRowsPass"),
    "fuse-sweeps": _pass("fuse_sweeps", "FuseSweepsPass"),
    "pad-to-power-of-two": _pass("pad_to_power_of_two", "PadToPowerOfTwoPass"),
    "lower-reductions": _pass("lower_reductions", "LowerReductionsPass"),
    "lower-elementwise": _pass("lower_elementwise", "LowerElementwisePass"),
    "lower-kernel": _pass("lower_kernel", "LowerKernelPass"),
    "lower-views": _pass("lower_views", "LowerViewsPass"),
    "merge-reductions": _pass("merge_reductions", "MergeReductionsPass"),
    "agree-vector-width": _pass("agree_vector_width", "AgreeVectorWidthPass"),
    "choose-hints": _pass("choose_hints", "ChooseHintsPass"),
    "extrema-to-redux": _pass("extrema_to_redux", "ExtremaToReduxPass"),
    "tile-sugar-to-cuda-tile": _pass("named_pipelines", "TileSugarToCudaTilePipeline"),
}
"""All passes, in the order of the documentation."""

REPLACED = frozenset(("canonicalize", "cse", "dce", "licm"))
"""Names that xDSL has passes for as well.

In `tile-opt` ours take their place. Plain `xdsl-opt` keeps its own, since two packages must not
give one name: its `canonicalize` finds our patterns through the operations, the others know
nothing of `cuda_tile` and do less.
"""
