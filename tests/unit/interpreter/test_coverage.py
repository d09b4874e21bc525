"""Every operation executes, and every kernel of the conformance corpus runs or says why not."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import corpus
from support.tile_programs import execute

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile import OPERATIONS, core, views
from tileir_xdsl.interpreter import UndefinedBehaviour, entries
from tileir_xdsl.interpreter.plan import BUILDERS, REFUSED
from tileir_xdsl.interpreter.semantics import Case, generate_inputs, run_case

STRUCTURE = {core.ModuleOp, core.EntryOp, core.GlobalOp}
"""What is never a step of a plan."""
MULTIMEM = {
    views.MultimemLoadReduceViewTkoOp,
    views.MultimemReduceViewTkoOp,
    views.MultimemStoreViewTkoOp,
}


def test_every_operation_has_a_builder_or_a_reason():
    import tileir_xdsl.interpreter.cuda_tile as _  # noqa: F401

    assert set(REFUSED) == MULTIMEM
    assert set(OPERATIONS) - STRUCTURE - MULTIMEM <= set(BUILDERS)
    assert not MULTIMEM & set(BUILDERS)


@functools.cache
def kernels(folder: Any) -> list[tuple[str, Any, Any]]:
    """The kernels of the newest files of a folder: id, module and entry."""
    return list(_kernels(folder))


def _kernels(folder: Any) -> Iterator[tuple[str, Any, Any]]:
    for case in corpus.cases(folder, version="13.5"):
        module = tileir_xdsl.decode(case.bytecode, case.id)
        for entry in entries(module):
            yield f"{case.name}@{entry.sym_name.data}", module, entry


REST = """
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
%w = make_partition_view %t : partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>
for %i in (%zero to %one, step %one) : tile<i32> {
  %q = divi %i, %one signed : tile<i32>
  %r = remi %i, %one signed : tile<i32>
}
%v, %t0 = load_view_tko weak %w[%zero]
  : partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32> -> tile<4xi32>, token
%t1 = atomic_red_view_tko relaxed device %w[%zero], add, %v token=%t0
  : tile<4xi32>, partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32> -> token
%t2 = store_view_tko weak %v, %w[%zero] token=%t1
  : tile<4xi32>, partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32> -> token
%yes = constant <i1: true> : tile<i1>
assert %yes, "" : tile<i1>
"""
"""The operations whose files divide by zero, access null pointers or fail."""


def test_every_operation_executes():
    """The files of single operations, as far as they are defined, and a program for the rest."""
    executed: set[str] = set()
    refused: set[str | None] = set()

    def trace(line: str) -> None:
        executed.add(line.split("): ", 1)[1].split(" ", 1)[0])

    execute("%p: tile<ptr<i32>>", REST, [np.zeros(4, np.int32)], trace=trace)
    for _, module, entry in kernels("accept"):
        try:
            (case,) = generate_inputs(module, entry, ("ordinary",))
            run_case(module, case, trace=trace)
        except UndefinedBehaviour:
            continue
        except DiagnosticError as error:
            refused.add(error.diagnostics[0].code)
    assert refused == {"refused"}
    runnable = set(OPERATIONS) - STRUCTURE - MULTIMEM
    missing = {op.mnemonic() for op in runnable} - executed
    assert sorted(missing) == []


UNDEFINED: dict[str, str] = {
    # real
    "list_sum_f32@list_sum_f32": "assume: pointers come from memory, where there are numbers",
    "print_assert_f32@print_assert_f32": "assert: the numbers are not all positive",
    "softmax_online_f32@softmax_online_f32": "index-space: tiles of 1024 in rows of fewer",
    # deep
    "atomic_red_inbounds@ar": "index-space: indices as large as the extents",
    "inbounds_all_views@ib": "index-space: indices as large as the extents",
    "insert_chains_rank0_5@ins": "slice-index: slice numbers as large as the extents",
    "partition_views_dim_map_padding@pviews": "index-space: the extents of the space as indices",
    "strided_gather_scatter_views@sviews": "index-space: the extents of the space as indices",
    "assume_chains@asm": "assume: no argument is a multiple of 2**62",
    "conversions_all@conv": "float-to-int: 1 is no signed i1",
    "conversions_e8m0@conv": "float-to-int: 1 is no signed i1",
    "conversions_f4_i4_pack@conv": "float-to-int: 1 is no signed i1",
    "inner_names_shadow_outer@shadow": "step-limit: the step is 0",
    "long_chain_300@chain": "overflow: claims that do not hold",
    "masks_paddings_all@masks": "race-tokens: stores of what was loaded without tokens",
    "nest_depth_24@deep24": "step-limit: the step is 0",
    "strings_escapes@s": "assert: fails on purpose",
}
"""Kernels that are undefined on the arguments made for them, with the kind and why."""

REFUSED_KERNELS = {"multimem_graph@mm": "multicast memory"}


@pytest.mark.parametrize("folder", ["real", "deep"])
def test_corpus_runs_or_says_why_not(folder: str):
    undefined: dict[str, str] = {}
    refused: dict[str, str] = {}
    ran: set[str] = set()
    for name, module, entry in kernels(folder):
        try:
            (case,) = generate_inputs(module, entry, ("ordinary",))
            run_case(module, case)
            ran.add(name)
        except UndefinedBehaviour as error:
            undefined[name] = error.kind
        except DiagnosticError as error:
            refused[name] = f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"
    known = {name for name, _, _ in kernels(folder)}
    expected = {n: text.partition(":")[0] for n, text in UNDEFINED.items() if n in known}
    assert undefined == expected
    assert set(refused) == set(REFUSED_KERNELS) & known
    assert all(message.startswith("refused: ") for message in refused.values())
    assert all(REFUSED_KERNELS[name] in message for name, message in refused.items())
    assert len(ran) >= 40


def test_cases_are_not_changed_by_running():
    _, module, entry = next(k for k in kernels("real") if k[0].startswith("axpy"))
    (case,) = generate_inputs(module, entry, ("ordinary",))
    before = {name: str(value) for name, value in case.arguments.items()}
    run_case(module, case)
    assert isinstance(case, Case)
    assert {name: str(value) for name, value in case.arguments.items()} == before
