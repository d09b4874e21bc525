"""The whole pipeline on random kernels and examples, for each target; mistakes in it are found."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Sequence

import pytest
from support.examples import sugar_examples
from support.nvidia import tileiras
from support.pipeline_check import TARGETS, Report, Setting, check, check_seed
from support.sugar import example_text

from tileir_xdsl.diagnostics import DiagnosticError

KERNELS_WITH_A_MISTAKE = 100
"""Random kernels of which one at least must find a mistake."""
BY_NAME = sugar_examples()


def check_seeds(seeds: Sequence[int], targets: Sequence[str], *, assembled: bool) -> Report:
    total = Report()
    for seed in seeds:
        total.add(check_seed(seed, targets, tileiras() if assembled else None))
    return total


@pytest.mark.parametrize("target", TARGETS)
def test_random_kernels(target: str) -> None:
    first = 2000 + 6 * TARGETS.index(target)
    report = check_seeds(range(first, first + 6), [target], assembled=False)
    assert not report.failures, report
    assert report.kernels


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

MISTAKES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "scale of exp2": (
        "approximate_math",
        (("LOG2_E = 1.4426950408889634", "LOG2_E = 1.4426950408889634 * 1.001"),),
    ),
    "last bits of the scale of exp2": (
        "approximate_math",
        (("LOG2_E = 1.4426950408889634", "LOG2_E = 1.4426950408889634 * (1 + 2.0**-14)"),),
    ),
    "subnormal powers are lost": ("approximate_math", (("SHIFT = 24", "SHIFT = 0"),)),
    "no guard of infinite maxima": (
        "approximate_math",
        (("return _Distance(maximum.condition, row", "return _Distance(None, row"),),
    ),
    "sum that keeps the shift": (
        "approximate_math",
        (("_scale_sum(total, distance)\n", "pass\n"),),
    ),
    "shift of a softmax": (
        "approximate_math",
        (("scale, _full(w, SHIFT, m))", "scale, _full(w, -140, m))"),),
    ),
    "decay of an online softmax": (
        "approximate_math",
        (("w.of(ew.SubOp, start, origin)", "w.of(ew.SubOp, origin, start)"),),
    ),
    "scale of scores": (
        "approximate_math",
        (("_full(row, float(step.scale), g)", "_full(row, 1, g)"),),
    ),
    "exp2 without a licence": (
        "approximate_math",
        (('not op.has_flag("afn") or element_of(op.source.type)', "element_of(op.source.type)"),),
    ),
    "inverse of a constant": (
        "approximate_math",
        (("inverse = Fraction(1) / value", "inverse = Fraction(10001, 10000) / value"),),
    ),
    "inverse of a row": (
        "approximate_math",
        (("one = _full(w, 1, root)", "one = _full(w, 1.0001, root)"),),
    ),
    "sign in sigmoid": ("approximate_math", (("_full(w, -LOG2_E, x)", "_full(w, LOG2_E, x)"),)),
    "contraction by any flag": (
        "contract_fma",
        (
            ('not op.has_flag("contract")', "op.fastmath is None"),
            ('not product.has_flag("contract")', "product.fastmath is None"),
        ),
    ),
    "sign of a contracted product": ("contract_fma", (("a = w.of(ew.NegOp, a)", "pass"),)),
    "last chunk is left out": (
        "chunk_rows",
        (("in (0, columns, self.chunk)", "in (0, columns - self.chunk, self.chunk)"),),
    ),
    "sums of chunks begin at 1": (
        "chunk_rows",
        (("w.constant(reductions.identity_attr(kind, element), ", "w.constant(1, "),),
    ),
    "columns of each chunk begin at 0": (
        "chunk_rows",
        (("return self.w.of(ew.AddOp, line, start)", "return line"),),
    ),
    "first column of a long row": (
        "chunk_rows",
        (
            (
                "arith.AddiOp(self.w.index(start), self.column)",
                "arith.AddiOp(self.column, self.w.index(0))",
            ),
        ),
    ),
    "padding in reductions": (
        "pad_to_power_of_two",
        (
            (
                "op.operands[0] = keep_logical(before(op), op.source, neutral, [op.dimension])",
                "del neutral",
            ),
        ),
    ),
    "neutral element of reductions": (
        "pad_to_power_of_two",
        (("neutral = reductions.identity_attr(kind, ", "neutral = number_attr(1, "),),
    ),
    "what loads are filled with": (
        "pad_to_power_of_two",
        (("return owner.fill_value == neutral", "return True"),),
    ),
    "padded divisors": (
        "pad_to_power_of_two",
        (("((ew.DivOp, ew.RemOp), _guard_operand(1, 1)),", ""),),
    ),
    "mask of accesses": (
        "lower_views",
        (("mask = self._and(mask, self._inside(axis, index, along))", "pass"),),
    ),
    "negative starts": ("lower_views", (("position, limit, unsigned=True", "position, limit"),)),
    "padding in accesses": ("lower_views", (("mask = self._and(mask, below)", "pass"),)),
    "accesses that are full": (
        "infer_promises",
        (("full = inside and start + self.reach <= self.extent", "full = inside"),),
    ),
}


@pytest.fixture
def mistaken(request: pytest.FixtureRequest) -> Iterator[None]:
    """A pass with a mistake, by a change of its source."""
    name, changes = MISTAKES[request.param]
    module = importlib.import_module(f"tileir_xdsl.passes.{name}")
    text = inspect.getsource(module)
    for old, new in changes:
        assert text.count(old) == 1, f"{name} has not one {old!r}"
        text = text.replace(old, new)
    kept = dict(vars(module))
    exec(compile(text, str(module.__file__), "exec"), vars(module))
    yield
    vars(module).update(kept)


@pytest.mark.parametrize("mistaken", MISTAKES, indirect=True)
@pytest.mark.usefixtures("mistaken")
def test_mistake_is_found() -> None:
    for seed in range(KERNELS_WITH_A_MISTAKE):
        try:
            report = check_seed(3000 + seed, ["sm_90"])
        except DiagnosticError:
            return
        if report.failures:
            return
    raise AssertionError("no kernel finds it")
