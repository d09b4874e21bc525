"""Arguments written as text, as the command line and `cuda_tile.check` attributes have them.

| text | argument |
| --- | --- |
| `42`, `-1.5`, `true` | a number |
| `null` | the null pointer |
| `x.npy` | the array in a file of NumPy |
| `zeros[:TYPE]:SHAPE`, `ones…` | zeros or ones |
| `full:VALUE[:TYPE]:SHAPE` | all elements equal |
| `iota[:TYPE]:SHAPE` | 0, 1, 2, ... in row-major order |
| `random[:TYPE]:SHAPE` | floats from the standard normal distribution, integers from 0 to 99 |

`TYPE` is an element type of Tile IR, by default what the parameter points to; `SHAPE` is `1024` or
`4x1024`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute

from tileir_xdsl.dialects.cuda_tile.types import PtrType
from tileir_xdsl.interpreter.values import format_of
from tileir_xdsl.numerics import FORMATS, FloatFormat, NumberFormat

Array = npt.NDArray[Any]


class BadArgument(ValueError):
    """Text that is no argument; the message says what is wrong with it."""


def argument(text: str, element: Attribute, random: np.random.Generator) -> Any:
    """The argument that `text` describes for a parameter of rank 0 with an element type.

    Raises `BadArgument`, also for a file that cannot be read.
    """
    if not isinstance(element, PtrType):
        return number(text, format_of(element))
    if text == "null":
        return None
    kind, *rest = text.split(":")
    if text.endswith(".npy"):
        return load(text)
    if kind not in ("zeros", "ones", "full", "iota", "random"):
        raise BadArgument(
            f"'{text}' is no array: expected FILE.npy, null, or zeros, ones, full, iota or random "
            "as in zeros:f32:4x1024"
        )
    try:
        return _made(text, kind, rest, format_of(element.pointee_type), random)
    except (MemoryError, OverflowError):
        raise BadArgument(f"'{text}' does not fit into memory") from None


def number(text: str, fmt: NumberFormat) -> Any:
    """A number in a format."""
    if text in ("true", "false"):
        return text == "true"
    if isinstance(fmt, FloatFormat):
        try:
            return float(text)
        except ValueError:
            raise BadArgument(f"'{text}' is not a number") from None
    try:
        value = int(text, 0)
    except ValueError:
        raise BadArgument(f"'{text}' is not an integer") from None
    if not fmt.limits(signed=True)[0] <= value <= fmt.limits(signed=False)[1]:
        raise BadArgument(f"{value} does not fit {fmt.name}")
    return value


def load(path: str) -> Array:
    """The array in an `.npy` file."""
    try:
        return np.load(Path(path), allow_pickle=False)
    except OSError as error:
        raise BadArgument(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise BadArgument(f"{path} is no array of numbers: {error}") from None


def _made(
    text: str, kind: str, rest: list[str], default: NumberFormat, random: np.random.Generator
) -> Array:
    value = rest.pop(0) if kind == "full" and rest else "0"
    fmt = default
    if len(rest) == 2:
        if rest[0] not in FORMATS:
            raise BadArgument(f"'{rest[0]}' in '{text}' is no element type")
        fmt = FORMATS[rest.pop(0)]
    if len(rest) != 1:
        example = "full:1.5:f32:4x1024" if kind == "full" else f"{kind}:f32:4x1024"
        raise BadArgument(f"'{text}' needs a shape, as in {example}")
    shape = _shape(text, rest[0])
    match kind:
        case "random":
            return fill_random(fmt, shape, random)
        case "iota":
            numbers = np.arange(int(np.prod(shape))).reshape(shape)
        case "full":
            given = number(value, fmt)
            signed = isinstance(fmt, FloatFormat) or given <= np.iinfo(np.int64).max
            numbers = np.full(shape, given, None if signed else np.uint64)
        case _:
            numbers = np.full(shape, int(kind == "ones"))
    return converted(numbers, fmt)


def _shape(text: str, shape: str) -> tuple[int, ...]:
    extents = shape.split("x")
    if not all(extent.isdigit() for extent in extents):
        raise BadArgument(f"'{shape}' in '{text}' is no shape; write 1024 or 4x1024")
    return tuple(int(extent) for extent in extents)


def converted(numbers: Array, fmt: NumberFormat) -> Array:
    """Numbers in the storage of a format: floats rounded, integers wrapped."""
    if isinstance(fmt, FloatFormat):
        from tileir_xdsl.numerics.rounding import round_to_format

        return np.array(round_to_format(numbers.astype(np.float64), fmt))
    from tileir_xdsl.numerics.integer import wrap

    return np.array(wrap(numbers, fmt))


def fill_random(fmt: NumberFormat, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """Ordinary numbers: see the table."""
    if isinstance(fmt, FloatFormat):
        return converted(random.standard_normal(shape), fmt)
    return converted(random.integers(0, min(100, 1 << fmt.width), shape), fmt)
