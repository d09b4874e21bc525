"""`fuse-fma`: the fused forms compute what `fma` computes."""

from __future__ import annotations

import numpy as np
import pytest
from support.pattern_check import Rewrite, combinations_of, kernel_text, run_kernel
from xdsl.context import Context

import tileir_xdsl
from tileir_xdsl.dialects.cuda_tile.arithmetic import FmaOp
from tileir_xdsl.passes.fuse_fma import FuseFmaPass

INPUTS = {"a": "f32", "b": "f32", "c": "f32"}
T = "tile<Nxf32>"


def _results(body: str, fuse: bool) -> np.ndarray:
    rewrite = Rewrite(body, {"r": T}, INPUTS, lanes=4096, shuffled=True)
    inputs, lanes = combinations_of(rewrite)
    module = tileir_xdsl.parse(kernel_text(rewrite, lanes))
    if fuse:
        FuseFmaPass().apply(Context(), module)
        assert any(isinstance(op, FmaOp) for op in module.walk())
    outcomes, _ = run_kernel(module, rewrite, inputs, lanes)
    return outcomes[0]["r"]


@pytest.mark.parametrize("mode", ["", "rounding<zero>", "rounding<negative_inf>"])
@pytest.mark.parametrize("flush", ["", "flush_to_zero"])
@pytest.mark.parametrize(
    ("sum", "fused"),
    [
        ("addf %p, %c", "fma %a, %b, %c"),
        ("addf %c, %p", "fma %a, %b, %c"),
        ("subf %p, %c", "fma %a, %b, %nc"),
        ("subf %c, %p", "fma %na, %b, %c"),
    ],
)
def test_fused_form_is_the_fma(sum: str, fused: str, mode: str, flush: str) -> None:
    tail = f"{mode} {flush} : {T}"
    negated = f"%na = negf %a : {T}\n%nc = negf %c : {T}\n"
    expected = _results(f"{negated}%r = {fused} {tail}", fuse=False)
    actual = _results(f"%p = mulf %a, %b {tail}\n%r = {sum} {tail}", fuse=True)
    same = (expected.view(np.uint32) == actual.view(np.uint32)) | (
        np.isnan(expected) & np.isnan(actual)
    )
    assert same.all()


def test_two_products_fuse_the_left_one() -> None:
    body = f"%p = mulf %a, %b : {T}\n%q = mulf %c, %a : {T}\n%r = subf %p, %q : {T}"
    expected = f"%q = mulf %c, %a : {T}\n%n = negf %q : {T}\n%r = fma %a, %b, %n : {T}"
    assert np.array_equal(_results(body, True), _results(expected, False), equal_nan=True)


def _cancelled(fuse: bool) -> float:
    """a*b + c for a = b = 1 + 2**-23 and c = -(1 + 2**-22)."""
    rewrite = Rewrite(
        "%p = mulf %a, %a : tile<f32>\n%r = addf %p, %c : tile<f32>",
        {"r": "f32"},
        scalars={"a": ("f32", [1 + 2.0**-23]), "c": ("f32", [-(1 + 2.0**-22)])},
        lanes=1,
    )
    module = tileir_xdsl.parse(kernel_text(rewrite, 1))
    if fuse:
        FuseFmaPass().apply(Context(), module)
    outcomes, _ = run_kernel(module, rewrite, {}, 1)
    return float(outcomes[0]["r"][0])


def test_the_rounding_of_the_product_is_what_changes() -> None:
    assert _cancelled(fuse=False) == 0.0
    assert _cancelled(fuse=True) == 2.0**-46
