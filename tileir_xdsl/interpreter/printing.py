"""`printf` formats applied to tiles, and how tiles are shown to people."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d+)?(?:\.(?P<precision>\d+))?(?:hh|h|ll|l|L|j|z|t|q)?"
    r"(?P<type>[diouxXeEfFgGaAcsSpn%])"
)


def format_values(text: str, values: list[tuple[Array, Array | None, int | None]]) -> str:
    """Apply a `printf` format: one conversion for each tile, `%%` for a percent sign.

    A tile of rank 0 gives a number, any other its elements in brackets, row by row. Each value is
    the array, its unspecified lanes (shown as `?`), and the bits of an integer or None.
    """
    remaining = iter(values)

    def convert(match: re.Match[str]) -> str:
        if match["type"] == "%":
            return "%"
        array, lanes, width = next(remaining)
        spec = f"%{match['flags']}{match['width'] or ''}"
        precision = match["precision"]
        return _nested(array, lanes, width, spec, precision, match["type"])

    return _CONVERSION.sub(convert, text)


def _nested(
    array: Array,
    lanes: Array | None,
    width: int | None,
    spec: str,
    precision: str | None,
    kind: str,
) -> str:
    if array.ndim:
        parts = [
            _nested(array[k], None if lanes is None else lanes[k], width, spec, precision, kind)
            for k in range(array.shape[0])
        ]
        return f"[{', '.join(parts)}]"
    if lanes is not None and bool(lanes):
        return "?"
    return format_number(array[()], width, spec, precision, kind)


def format_number(
    value: Any, width: int | None, spec: str, precision: str | None, kind: str
) -> str:
    """One number by one conversion; a conversion for the other kind of number converts first."""
    digits = "" if precision is None else f".{precision}"
    if kind in "eEfFgG":
        return f"{spec}{digits}{kind}" % float(value)
    if kind in "aA":
        text = float(value).hex()
        return f"{spec}s" % (text.upper() if kind == "A" else text)
    if kind in "sSn":
        return f"{spec}s" % value
    number = int(value)
    if kind in "uoxX" and width is not None:
        number &= (1 << width) - 1
    if kind == "p":
        return f"{spec}s" % hex(number & ((1 << 64) - 1))
    if kind == "c":
        return f"{spec}c" % chr(number & 0xFF)
    return f"{spec}{digits}{'d' if kind == 'u' else kind}" % number


def sample(array: Array, lanes: Array | None, count: int = 4) -> str:
    """The first elements of a tile, `?` where unspecified."""
    flat = array.reshape(-1)[:count]
    unsure = np.zeros(flat.shape, np.bool_)
    if lanes is not None:
        unsure = np.broadcast_to(lanes, array.shape).reshape(-1)[:count]
    shown = ["?" if u else _short(v) for v, u in zip(flat, unsure, strict=True)]
    if array.ndim == 0:
        return shown[0]
    return f"[{', '.join(shown)}{', ...' if array.size > count else ''}]"


def _short(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    if getattr(value, "dtype", None) is not None and value.dtype.kind in "iu":
        return str(int(value))
    return f"{float(value):.6g}"
