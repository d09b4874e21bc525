"""The whole pipeline on random kernels and examples, for each target; mistakes in it are found."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.examples import sugar_examples
from support.nvidia import tileiras
from support.pipeline_check import TARGETS, Report, Setting, check, check_seed
from support.random_pipeline import write_kernel, write_rows
from support.random_sugar import Program
from support.sugar import example_text

BY_NAME = sugar_examples()


def check_seeds(seeds: Sequence[int], targets: Sequence[str], *, assembled: bool) -> Report:
    total = Report()
    for seed in seeds:
        total.add(check_seed(seed, targets, tileiras() if assembled else None))
    return total


@pytest.mark.parametrize("target", TARGETS)
def test_random_kernels(target: str) -> None:
    first = 2000 + 3 * TARGETS.index(target)
    report = check_seeds(range(first, first + 3), [target], assembled=False)
    assert not report.failures, report
    assert report.kernels


@pytest.mark.parametrize("small", [True, False])
def test_random_kernels_of_rows(small: bool) -> None:
    for seed in range(4):
        report = check_rows(seed, TARGETS[seed], small=small)
        assert not report.failures, report


def check_rows(seed: int, target: str, *, small: bool, tool: Path | None = None) -> Report:
    program = write_rows(Random(seed))
    return check(program.text, program.values, Setting(small=small), [target], tool)


def test_a_random_kernel_assembles() -> None:
    report = check_seeds([7], TARGETS, assembled=True)
    assert not report.failures, report
    assert report.assembled


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 20))
def test_many_random_kernels(first: int) -> None:
    report = check_seeds(range(first, first + 20), TARGETS, assembled=True)
    assert not report.failures, report
    default = report.agreement["default"]
    assert default.bounded > default.free


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_many_random_kernels_of_rows(first: int, target: str) -> None:
    for seed in range(first, first + 20):
        report = check_rows(seed, target, small=seed % 2 == 0, tool=tileiras())
        assert not report.failures, report


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_examples_for_one_target(name: str) -> None:
    report = check(example_text(name), next(iter(BY_NAME[name].cases())), targets=["sm_90"])
    assert not report.failures, report


@pytest.mark.slow
@pytest.mark.parametrize("version", ["13.1", "13.4"])
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_examples(name: str, version: str) -> None:
    for values in BY_NAME[name].cases():
        report = check(example_text(name), values, Setting(version, small=False), tool=tileiras())
        assert not report.failures, report


# Mistakes in passes, each of which random kernels have to find.

Finder = Callable[[], Iterator[Report]]
"""Checks the kernel that finds a mistake, and others after it."""

MORE = 60
"""Kernels to look at when the one that found a mistake is another, as after a change of `write`."""


def random_kernel(seed: int, write: Callable[[Random], Program] = write_kernel) -> Finder:
    def find() -> Iterator[Report]:
        for number in range(seed, seed + MORE):
            yield check_seed(number, ["sm_90"], write=write)

    return find


def rows_kernel(seed: int) -> Finder:
    return random_kernel(seed, write_rows)


def written(body: str) -> Finder:
    """A kernel on a tile of 4 rows, which hold an infinity, NaN, and numbers."""
    columns = int(body.partition("tile<4x")[2].partition("x")[0])
    x = np.linspace(-100, 80, 4 * columns, dtype=np.float32).reshape(4, columns)[:, ::-1].copy()
    x[3, 2], x[1, :8] = np.inf, np.nan
    head = f"tile_sugar.kernel @k(%X: tensor<4x{columns}xf32>, %Y: tensor<4x?xf32>) {{\n"
    values = [x, np.zeros_like(x)]
    text = head + body + "  return\n}\n"
    return lambda: iter([check(text, values, Setting(small=False), ["sm_90"])])


LOAD = "  %x = load %X[0, 0] : tensor<4x{n}xf32> -> tile<4x{n}xf32>\n"
INFINITE_ROW = (
    LOAD.format(n=32)
    + """  %m = rowmax %x : tile<4x32xf32>
  %a = abs %m : tile<4x1xf32>
  %i = constant inf : f32
  %z = constant 0.0 : f32
  %c = cmp eq %a, %i : tile<4x1xf32>, f32
  %g = select %c, %z, %m : tile<4x1xi1>, f32, tile<4x1xf32>
  %d = sub %x, %g : tile<4x32xf32>, tile<4x1xf32>
  %e = exp %d fastmath<afn> : tile<4x32xf32>
  store %e, %Y[0, 0] : tile<4x32xf32>, tensor<4x?xf32>
"""
)
DIVISORS = (
    LOAD.format(n=20)
    + """  %i = cast %x : tile<4x20xf32> -> tile<4x20xi32>
  %k = iota 1 : tile<4x20xi32>
  %n = constant 20 : i32
  %d = sub %n, %k : i32, tile<4x20xi32>
  %q = div %i, %d : tile<4x20xi32>
  %y = cast %q : tile<4x20xi32> -> tile<4x20xf32>
  store %y, %Y[0, 0] : tile<4x20xf32>, tensor<4x?xf32>
"""
)
MAXIMA = (
    LOAD.format(n=128)
    + """  %m = rowmax %x : tile<4x128xf32>
  %y = mul %x, %m : tile<4x128xf32>, tile<4x1xf32>
  store %y, %Y[0, 0] : tile<4x128xf32>, tensor<4x?xf32>
"""
)

MISTAKES: dict[str, tuple[str, Finder, tuple[tuple[str, str], ...]]] = {
    "scale of exp2": (
        "approximate_math",
        random_kernel(3001),
        (("LOG2_E = 1.4426950408889634", "LOG2_E = 1.4426950408889634 * 1.001"),),
    ),
    "last bits of the scale of exp2": (
        "approximate_math",
        random_kernel(3001),
        (("LOG2_E = 1.4426950408889634", "LOG2_E = 1.4426950408889634 * (1 + 2.0**-14)"),),
    ),
    "subnormal powers are lost": (
        "approximate_math",
        rows_kernel(4017),
        (("SHIFT = 24", "SHIFT = 0"),),
    ),
    "no guard of infinite maxima": (
        "approximate_math",
        written(INFINITE_ROW),
        (("return _Distance(maximum.condition, row", "return _Distance(None, row"),),
    ),
    "sum that keeps the shift": (
        "approximate_math",
        random_kernel(3032),
        (("_scale_sum(total, distance)\n", "pass\n"),),
    ),
    "shift of a softmax": (
        "approximate_math",
        random_kernel(3013),
        (("moved = 0 if ftz else SHIFT", "moved = -140"),),
    ),
    "decay of an online softmax": (
        "approximate_math",
        random_kernel(3001),
        (("w.of(ew.SubOp, start, origin)", "w.of(ew.SubOp, origin, start)"),),
    ),
    "scale of scores": (
        "approximate_math",
        random_kernel(3001),
        (("_full(row, float(step.scale), g)", "_full(row, 1, g)"),),
    ),
    "exp2 without a licence": (
        "approximate_math",
        random_kernel(3077),
        (('not op.has_flag("afn") or element_of(op.source.type)', "element_of(op.source.type)"),),
    ),
    "inverse of a constant": (
        "approximate_math",
        random_kernel(3015),
        (("inverse = Fraction(1) / value", "inverse = Fraction(10001, 10000) / value"),),
    ),
    "inverse of a row": (
        "approximate_math",
        random_kernel(3001),
        (("one = _full(w, 1, root)", "one = _full(w, 1.0001, root)"),),
    ),
    "sign in sigmoid": (
        "approximate_math",
        random_kernel(3027),
        (("_full(w, -LOG2_E, x)", "_full(w, LOG2_E, x)"),),
    ),
    "contraction by any flag": (
        "contract_fma",
        random_kernel(3157),
        (
            ('not op.has_flag("contract")', "op.fastmath is None"),
            ('not product.has_flag("contract")', "product.fastmath is None"),
        ),
    ),
    "sign of a contracted product": (
        "contract_fma",
        random_kernel(3173),
        (("a = w.of(ew.NegOp, a)", "pass"),),
    ),
    "last chunk is left out": (
        "chunk_rows",
        random_kernel(3016),
        (("in (0, columns, self.chunk)", "in (0, columns - self.chunk, self.chunk)"),),
    ),
    "sums of chunks begin at 1": (
        "chunk_rows",
        random_kernel(3016),
        (("w.constant(reductions.identity_attr(kind, element), ", "w.constant(1, "),),
    ),
    "columns of each chunk begin at 0": (
        "chunk_rows",
        random_kernel(3016),
        (("return self.w.of(ew.AddOp, line, start)", "return line"),),
    ),
    "first column of a long row": (
        "chunk_rows",
        random_kernel(3016),
        (
            (
                "arith.AddiOp(self.w.index(start), self.column)",
                "arith.AddiOp(self.column, self.w.index(0))",
            ),
        ),
    ),
    "columns of parts of rows": (
        "row_parts",
        random_kernel(3000),
        (("start + position * self.width", "start"),),
    ),
    "positions in parts of rows": (
        "row_parts",
        random_kernel(3152),
        (("w.constant(position * self.width, line", "w.constant(0, line"),),
    ),
    "sums in order": (
        "row_parts",
        rows_kernel(4038),
        (("in_order = _sums_floats(op) and not self.reassociate", "in_order = False"),),
    ),
    "diagonal of causal loops": (
        "split_causal_loops",
        random_kernel(3001),
        (("number(mask.columns - 1 + mask.gap)", "number(mask.gap)"),),
    ),
    "diagonal block": (
        "split_causal_loops",
        random_kernel(3028),
        (("end = w.one(arith.MinSIOp(value, loop.ub))", "end = loop.ub"),),
    ),
    "NaN in maxima of integers": (
        "extrema_to_redux",
        written(MAXIMA),
        (("-0x7FC0_0001", "0x7FC0_0000"),),
    ),
    "padding in reductions": (
        "pad_to_power_of_two",
        random_kernel(3023),
        (
            (
                "op.operands[0] = keep_logical(before(op), op.source, neutral, [op.dimension])",
                "del neutral",
            ),
        ),
    ),
    "neutral element of reductions": (
        "pad_to_power_of_two",
        random_kernel(3005),
        (("neutral = reductions.identity_attr(kind, ", "neutral = number_attr(1, "),),
    ),
    "what loads are filled with": (
        "pad_to_power_of_two",
        random_kernel(3111),
        (("return owner.fill_value == neutral", "return True"),),
    ),
    "padded divisors": (
        "pad_to_power_of_two",
        written(DIVISORS),
        (("((ew.DivOp, ew.RemOp), _guard_operand(1, 1)),", ""),),
    ),
    "mask of accesses": (
        "lower_views",
        random_kernel(3000),
        (("mask = self._and(mask, self._inside(axis, index, along))", "pass"),),
    ),
    "negative starts": (
        "lower_views",
        random_kernel(3004),
        (("position, limit, unsigned=True", "position, limit"),),
    ),
    "padding in accesses": (
        "lower_views",
        random_kernel(3005),
        (("mask = self._and(mask, below)", "pass"),),
    ),
    "accesses that are full": (
        "infer_promises",
        random_kernel(3042),
        (("full = inside and start + self.reach <= self.extent", "full = inside"),),
    ),
}


@pytest.fixture
def mistaken(request: pytest.FixtureRequest) -> Iterator[None]:
    """A pass with a mistake, by a change of its source."""
    name, _, changes = MISTAKES[request.param]
    module = importlib.import_module(f"tileir_xdsl.passes.{name}")
    text = inspect.getsource(module)
    for old, new in changes:
        assert text.count(old) == 1, f"{name} has not one {old!r}"
        text = text.replace(old, new)
    kept = dict(vars(module))
    exec(compile(text, str(module.__file__), "exec"), vars(module))
    yield
    vars(module).update(kept)


@pytest.mark.parametrize(
    ("mistaken", "find"),
    [(k, v[1]) for k, v in MISTAKES.items()],
    indirect=["mistaken"],
    ids=list(MISTAKES),
)
@pytest.mark.usefixtures("mistaken")
def test_mistake_is_found(find: Finder) -> None:
    assert any(report.failures for report in find())


@pytest.mark.parametrize("find", [v[1] for v in MISTAKES.values()], ids=list(MISTAKES))
def test_nothing_is_found_without_the_mistake(find: Finder) -> None:
    report = next(find())
    assert not report.failures, report
