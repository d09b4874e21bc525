"""Float comparison over special values, and selection (cmpi is tested with the integers)."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import numeric_oracle as oracle

from tileir_xdsl.numerics.compare import cmpf, select
from tileir_xdsl.numerics.formats import FLOAT_FORMATS, FORMATS

PREDICATES: dict[Any, Callable[[float, float], bool]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}


@pytest.mark.parametrize("ordering", ["ordered", "unordered"])
@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_cmpf(name: str, ordering: Any) -> None:
    fmt = FLOAT_FORMATS[name]
    pairs = list(itertools.product(oracle.special_bits(name), repeat=2))
    lhs, rhs = (fmt.from_bits(np.array(c, dtype=np.uint64)) for c in zip(*pairs, strict=True))
    for predicate, holds in PREDICATES.items():
        result = cmpf(predicate, ordering, lhs, rhs, fmt)
        assert result.dtype == np.bool_
        for pair, actual in zip(pairs, result.tolist(), strict=True):
            a, b = (oracle.decode(name, bits) for bits in pair)
            if math.isnan(a) or math.isnan(b):
                assert actual == (ordering == "unordered"), (predicate, a, b)
            else:
                assert actual == holds(a, b), (predicate, a, b)


@pytest.mark.parametrize("name", list(FORMATS))
def test_select_keeps_type_and_encoding(name: str) -> None:
    fmt = FORMATS[name]
    codes = np.arange(1 << min(fmt.width, 8))
    values, others = fmt.from_bits(codes), fmt.from_bits(codes[::-1])
    condition = codes % 3 == 0
    result = select(condition, values, others)
    assert result.dtype == fmt.dtype
    expected = np.where(condition, codes, codes[::-1]).tolist()
    assert fmt.to_bits(result).tolist() == expected
