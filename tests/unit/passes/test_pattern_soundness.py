"""Every pattern is run before and after it applies, on the values that matter."""

from __future__ import annotations

import pytest
from support.pattern_check import apply_pattern, difference
from support.rewrite_cases import CASES

from tileir_xdsl.passes.canonicalization import canonicalization_patterns

PATTERNS = {pattern.name: pattern for pattern in canonicalization_patterns()}


def test_every_pattern_has_a_case() -> None:
    assert set(CASES) == set(PATTERNS)
    assert len(PATTERNS) == len(canonicalization_patterns()), "two patterns have one name"


def test_every_pattern_says_what_it_does() -> None:
    assert [p.name for p in PATTERNS.values() if not p.description.endswith(".")] == []


@pytest.mark.parametrize("name", CASES)
def test_pattern_keeps_results(name: str) -> None:
    for case in CASES[name]:
        assert difference(case, apply_pattern(PATTERNS[name])) is None, case.body
