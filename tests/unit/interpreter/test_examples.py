"""The examples run, from text and from bytecode, and answer what NumPy answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileir_xdsl

EXAMPLES = Path(__file__).parents[3] / "examples" / "cuda_tile"
Check = Callable[[np.random.Generator], tuple[Any, list[Any], Callable[[], None]]]


def vector_add(random: np.random.Generator) -> Any:
    a, b = (random.standard_normal(3000).astype(np.float32) for _ in range(2))
    c = np.zeros(3000, np.float32)
    return (3,), [a, b, c, 3000], lambda: np.testing.assert_array_equal(c, a + b)


def softmax(random: np.random.Generator) -> Any:
    x = random.standard_normal((10, 1024)).astype(np.float32)
    y = np.zeros_like(x)

    def check() -> None:
        powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        np.testing.assert_allclose(y, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)

    return (2,), [x, y, 10], check


def layer_norm(random: np.random.Generator) -> Any:
    x = random.standard_normal((6, 1024)).astype(np.float32)
    g, b = (random.standard_normal(1024).astype(np.float32) for _ in range(2))
    y = np.zeros_like(x)

    def check() -> None:
        distances = x.astype(np.float64) - x.astype(np.float64).mean(axis=1, keepdims=True)
        deviation = np.sqrt((distances**2).mean(axis=1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(y, distances / deviation * g + b, rtol=1e-4, atol=1e-5)

    return (2,), [x, g, b, y, 6, 1e-5], check


def matmul(random: np.random.Generator) -> Any:
    a = random.standard_normal((136, 72)).astype(np.float16)
    b = random.standard_normal((72, 200)).astype(np.float16)
    c = np.zeros((136, 200), np.float32)

    def check() -> None:
        exact = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_allclose(c, exact, rtol=1e-4, atol=1e-5)

    return (2, 2), [a, b, c, 136, 200, 72], check


def attention(random: np.random.Generator) -> Any:
    q, k, v = (random.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
    o = np.zeros_like(q)

    def check() -> None:
        scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        exact = powers / powers.sum(axis=1, keepdims=True) @ v.astype(np.float64)
        np.testing.assert_allclose(o.astype(np.float64), exact, atol=2e-3)

    return (2,), [q, k, v, o, 128, 128, np.float32(np.log2(np.e) / 8)], check


def gather(random: np.random.Generator) -> Any:
    table = random.standard_normal(50).astype(np.float32)
    index = random.integers(-5, 60, 300).astype(np.int32)
    y = np.full(300, np.nan, np.float32)

    def check() -> None:
        inside = (index >= 0) & (index < 50)
        np.testing.assert_array_equal(y, np.where(inside, table[np.clip(index, 0, 49)], 0))

    return (2,), [table, index, y, 50, 300], check


def scan(random: np.random.Generator) -> Any:
    x = random.standard_normal((3, 1024)).astype(np.float32)
    y, total = np.zeros_like(x), np.zeros(3, np.float32)

    def check() -> None:
        np.testing.assert_array_equal(y, np.cumsum(x, axis=1))
        np.testing.assert_array_equal(total, y[:, -1])

    return (3,), [x, y, total, 3], check


CHECKS: dict[str, Check] = {
    function.__name__: function
    for function in (vector_add, softmax, layer_norm, matmul, attention, gather, scan)
}


@functools.cache
def module(name: str, form: str) -> Any:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    parsed = tileir_xdsl.parse(text, f"{name}.mlir")
    return parsed if form == "text" else tileir_xdsl.decode(tileir_xdsl.encode(parsed))


def test_every_example_is_checked():
    assert {path.stem for path in EXAMPLES.glob("*.mlir")} == set(CHECKS)


@pytest.mark.parametrize("checked", [True, False], ids=["checked", "unchecked"])
@pytest.mark.parametrize("form", ["text", "bytecode"])
@pytest.mark.parametrize("name", CHECKS)
def test_example(name: str, form: str, checked: bool):
    grid, arguments, check = CHECKS[name](np.random.default_rng(0))
    tileir_xdsl.run(module(name, form), grid=grid, args=arguments, checked=checked)
    check()
