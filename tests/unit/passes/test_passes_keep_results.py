"""Whole passes on random kernels and on the corpus: results, fixed points, validity."""

from __future__ import annotations

import random

import pytest
from support.corpus import Case, cases
from support.pattern_check import Rewrite, difference
from support.random_kernels import FLOATS, INTEGERS, LANES, random_body
from support.random_modules import random_module
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import tileir_xdsl
from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.interpreter.api import entries
from tileir_xdsl.interpreter.semantics import compare, generate_inputs
from tileir_xdsl.passes.registry import PASSES

EXACT = ("canonicalize", "cse", "dce", "licm")


def run(module: ModuleOp, *names: str) -> None:
    for name in names:
        PASSES[name]()().apply(Context(), module)


def _random_kernel(seed: int) -> Rewrite:
    body, results = random_body(seed)
    return Rewrite(
        body,
        results,
        {f"x_{element}": element for element in INTEGERS + FLOATS},
        {"c0": ("i1", (False, True)), "c1": ("i1", (True,)), "n": ("i32", (0, 2))},
        lanes=LANES,
        shuffled=True,
    )


def _check_random_kernel(seed: int) -> None:
    text: list[str] = []

    def change(module: ModuleOp) -> None:
        run(module, *EXACT)
        run(module, "canonicalize", "cse", "dce")
        text.append(tileir_xdsl.text(module))
        run(module, "canonicalize")
        text.append(tileir_xdsl.text(module))

    kernel = _random_kernel(seed)
    assert difference(kernel, change) is None, f"seed {seed}\n{kernel.body}"
    assert text[0] == text[1], f"seed {seed}: canonicalize is not idempotent"


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_kernels(first: int) -> None:
    for seed in range(first, first + 20):
        _check_random_kernel(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 50))
def test_many_random_kernels(first: int) -> None:
    for seed in range(first, first + 50):
        _check_random_kernel(seed)


def _check_fixed_point(module: ModuleOp, name: str, what: str) -> None:
    run(module, name)
    assert _errors(module) == [], what
    once = tileir_xdsl.text(module, debuginfo=True)
    run(module, name)
    assert tileir_xdsl.text(module, debuginfo=True) == once, what


@pytest.mark.parametrize("name", [*EXACT, "fuse-fma"])
def test_corpus_reaches_a_fixed_point(name: str) -> None:
    for case in cases("real", "deep", version="13.5"):
        _check_fixed_point(tileir_xdsl.decode(case.bytecode), name, case.id)


def test_every_operation_reaches_a_fixed_point() -> None:
    for case in cases("accept", version="13.5"):
        _check_fixed_point(tileir_xdsl.decode(case.bytecode), "canonicalize", case.id)


def _check_random_module(seed: int) -> None:
    module = random_module(random.Random(seed))
    try:
        _check_fixed_point(module, "canonicalize", f"seed {seed}")
    except DiagnosticError as error:
        if "assumption" not in error.diagnostics[0].message:
            raise
        return
    for name in ("cse", "licm", "fuse-fma", "dce"):
        run(module, name)
        assert _errors(module) == [], f"{name}, seed {seed}"


def test_random_modules_stay_valid() -> None:
    for seed in range(60):
        _check_random_module(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_many_random_modules_stay_valid(first: int) -> None:
    for seed in range(first, first + 100):
        _check_random_module(seed)


def _errors(module: ModuleOp) -> list[str]:
    return [d.message for d in tileir_xdsl.verify(module) if d.severity.value == "error"]


REAL = {case.name: case for case in cases("real", version="13.4")}


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_kernels_compute_the_same(name: str) -> None:
    case: Case = REAL[name]
    before = tileir_xdsl.decode(case.bytecode)
    after = tileir_xdsl.decode(case.bytecode)
    run(after, *EXACT, "canonicalize")
    inputs = [c for entry in entries(before) for c in generate_inputs(before, entry)]
    assert compare(before, after, inputs).diagnostics == []


def test_a_quarter_of_the_front_ends_operations_goes() -> None:
    removed: list[float] = []
    for case in cases("real", version="13.3"):
        module = tileir_xdsl.decode(case.bytecode)
        before = sum(1 for _ in module.walk())
        run(module, "canonicalize", "cse", "dce")
        removed.append(1 - sum(1 for _ in module.walk()) / before)
    removed.sort()
    assert removed[len(removed) // 2] >= 0.18


def _seconds(size: int) -> float:
    from time import process_time

    lines = ["%v0 = addi %n, %n : tile<i32>"]
    for k in range(1, size):
        lines.append(f"%c{k} = constant <i32: {k % 7}> : tile<i32>")
        lines.append(f"%v{k} = addi %v{k - 1}, %c{k} : tile<i32>")
    body = "\n".join(lines)
    module = tileir_xdsl.parse(
        f"cuda_tile.module @m {{ entry @k(%n: tile<i32>) {{\n{body}\n"
        f'%t = print_tko "%i", %v{size - 1} : tile<i32> -> token\nreturn }} }}'
    )
    start = process_time()
    run(module, "canonicalize", "cse", "dce")
    return process_time() - start


@pytest.mark.slow
def test_time_is_linear_in_the_program() -> None:
    small = min(_seconds(2_500) for _ in range(2))
    large = _seconds(50_000)
    assert large < 20 * 3 * small


def test_folding_a_long_chain_is_not_quadratic() -> None:
    assert _seconds(4_000) < 12 * max(_seconds(1_000), 0.02)
