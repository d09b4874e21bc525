"""How `comparison` describes the element types of this package."""

from __future__ import annotations

from tileir_xdsl.numerics.formats import FORMATS, FloatFormat
from tileir_xdsl.runtime.comparison import Layout


def layout_of(element: str) -> Layout:
    """The layout of an element type, such as `f32` or `ui8`."""
    fmt = FORMATS[element.removeprefix("u")]
    if not isinstance(fmt, FloatFormat):
        return ("int", fmt.width)
    specials = "ieee" if fmt.has_inf else "fn" if fmt.has_nan else "none"
    return ("float", fmt.width, fmt.exponent_bits, fmt.mantissa_bits, specials, fmt.has_sign)
