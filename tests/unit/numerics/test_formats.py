"""Encodings: every format against a field-by-field decoder, exhaustively up to 19 bits."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from support import numeric_oracle as oracle

from tileir_xdsl.numerics.formats import FLOAT_FORMATS, FORMATS, INTEGER_FORMATS, FloatFormat
from tileir_xdsl.numerics.rounding import widen

NARROW = [name for name in FLOAT_FORMATS if FLOAT_FORMATS[name].width <= 19]


@pytest.mark.parametrize("name", NARROW)
def test_every_encoding_decodes_and_encodes_back(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    bits = np.arange(1 << fmt.width)
    values = fmt.from_bits(bits)
    assert values.dtype == fmt.dtype
    decoded = widen(values, fmt).tolist()
    wrong = [
        (code, decoded[code])
        for code in bits.tolist()
        if not oracle.same(decoded[code], oracle.decode(name, code))
    ]
    assert not wrong
    assert (fmt.to_bits(values) == bits).all()


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_wide_encodings(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    bits = np.array(oracle.special_bits(name), dtype=np.uint64)
    decoded = widen(fmt.from_bits(bits), fmt).tolist()
    for code, value in zip(bits.tolist(), decoded, strict=True):
        assert oracle.same(value, oracle.decode(name, code))


@pytest.mark.parametrize("name", list(FLOAT_FORMATS))
def test_described_properties(name: str) -> None:
    fmt, layout = FLOAT_FORMATS[name], oracle.LAYOUTS[name]
    assert fmt.width == layout.width
    assert fmt.max_finite == oracle.largest(name)
    assert fmt.has_sign == bool(layout.sign)
    assert fmt.has_inf == (layout.special == "ieee")
    assert fmt.has_nan == (layout.special != "none")
    assert fmt.saturates == (name in oracle.SATURATING)
    assert fmt.smallest_positive == oracle.decode(name, 1 if fmt.has_zero else 0)
    assert fmt.smallest_normal == oracle.decode(name, (1 if fmt.has_zero else 0) << layout.mantissa)
    assert fmt.has_zero == (oracle.decode(name, 0) == 0)


@pytest.mark.parametrize("name", list(FLOAT_FORMATS))
def test_canonical_nan(name: str) -> None:
    fmt = FLOAT_FORMATS[name]
    if fmt.canonical_nan_bits is None:
        assert name == "f4E2M1FN"
        return
    assert math.isnan(oracle.decode(name, fmt.canonical_nan_bits))
    if not fmt.has_sign:
        return
    nans = fmt.from_bits(np.array([fmt.canonical_nan_bits | fmt.sign_bit, 0], dtype=np.uint64))
    assert fmt.to_bits(fmt.canonicalize_nan(nans)).tolist() == [fmt.canonical_nan_bits, 0]


@pytest.mark.parametrize("name", list(INTEGER_FORMATS))
def test_integer_encodings(name: str) -> None:
    fmt = INTEGER_FORMATS[name]
    low, high = fmt.limits(signed=True)
    codes = [0, 1, (1 << fmt.width) - 1, 1 << (fmt.width - 1), (1 << (fmt.width - 1)) - 1]
    values = fmt.from_bits(np.array(codes, dtype=np.uint64))
    assert values.dtype == fmt.dtype
    assert fmt.to_bits(values).tolist() == codes
    if fmt.width > 1:
        assert values.tolist() == [0, 1, -1, low, high]
    assert fmt.limits(signed=False) == (0, (1 << fmt.width) - 1)


def test_constant_bytes() -> None:
    sizes = {name: fmt.constant_bytes for name, fmt in FORMATS.items()}
    assert sizes == {
        "i1": None,
        "i4": None,
        "i8": 1,
        "i16": 2,
        "i32": 4,
        "i64": 8,
        "f16": 2,
        "bf16": 2,
        "f32": 4,
        "tf32": 3,
        "f64": 8,
        "f8E4M3FN": 1,
        "f8E5M2": 1,
        "f8E8M0FNU": 1,
        "f4E2M1FN": 1,
        "fnv8E5M3FNU": 1,
    }
    assert all(isinstance(fmt, FloatFormat) for fmt in FLOAT_FORMATS.values())


def test_formats_and_bounds_import_without_numpy() -> None:
    code = (
        "import sys, tileir_xdsl.numerics, tileir_xdsl.numerics.formats, tileir_xdsl.numerics.ulp;"
        "sys.exit('numpy' in sys.modules or 'ml_dtypes' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
