"""Binding the arguments of a launch to the parameters of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import BlockArgument

from tileir_xdsl.diagnostics import DiagnosticError
from tileir_xdsl.dialects.cuda_tile.core import EntryOp
from tileir_xdsl.dialects.cuda_tile.places import place_of
from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType, short_type
from tileir_xdsl.interpreter.memory import ALIGNMENT, Memory, memory_format
from tileir_xdsl.interpreter.values import format_of
from tileir_xdsl.numerics import F4E2M1FN, I8, FloatFormat

Array = npt.NDArray[Any]
Argument = Any
"""An array, a number, or None for a null pointer."""


def parameter_name(argument: BlockArgument) -> str:
    """The name of a parameter without `%`: as written, or `argN`."""
    return argument.name_hint or f"arg{argument.index}"


def parameter_names(entry: EntryOp) -> list[str]:
    return [parameter_name(argument) for argument in entry.body.block.args]


@dataclass
class Bound:
    """Arguments as the environment holds them."""

    values: list[Array]
    finish: list[Callable[[], None]]
    """What to call after the run: copies back arrays that are stored otherwise in memory."""


def in_order(
    entry: EntryOp, arguments: Sequence[Argument] | Mapping[str, Argument]
) -> list[Argument]:
    """The arguments in the order of the parameters; raises `DiagnosticError` for a wrong set."""
    names = parameter_names(entry)
    if not isinstance(arguments, Mapping):
        if len(arguments) != len(names):
            raise _error(
                entry,
                f"@{entry.sym_name.data} takes {len(names)} arguments ({', '.join(names)}), "
                f"but got {len(arguments)}",
            )
        return list(arguments)
    given = arguments
    unknown = [name for name in given if name not in names]
    if unknown:
        raise _error(
            entry,
            f"@{entry.sym_name.data} has no parameter '{unknown[0]}'; "
            f"it has {', '.join(names) or 'none'}",
        )
    missing = [name for name in names if name not in given]
    if missing:
        raise _error(entry, f"no argument for parameter '{missing[0]}' of @{entry.sym_name.data}")
    return [given[name] for name in names]


def bind(entry: EntryOp, arguments: Sequence[Argument], memory: Memory) -> Bound:
    """Put arrays into memory and turn numbers into tiles of rank 0.

    Raises `DiagnosticError` for an argument that does not fit its parameter.
    """
    bound = Bound([np.zeros((), np.int64)] * len(arguments), [])
    arrays: list[tuple[BlockArgument, Array]] = []
    for parameter, argument in zip(entry.body.block.args, arguments, strict=True):
        type = parameter.type
        assert isinstance(type, TileType)
        if not isinstance(type.element_type, PtrType):
            bound.values[parameter.index] = _scalar(entry, parameter, type, argument)
        elif argument is not None:
            array = _array(entry, parameter, type.element_type, argument)
            arrays.append((parameter, _in_memory(type.element_type, array, bound)))
    for group in _overlapping(arrays):
        _add_group(entry, group, memory, bound)
    return bound


def _error(entry: EntryOp, message: str, fix: str | None = None) -> DiagnosticError:
    return DiagnosticError.at(message, place_of(entry), fix=fix, code="argument")


def _scalar(entry: EntryOp, parameter: BlockArgument, type: TileType, argument: Argument) -> Array:
    name = parameter_name(parameter)
    fmt = format_of(type.element_type)
    value = np.asarray(argument)
    if value.ndim or (value.dtype.kind not in "biuf" and value.dtype != fmt.dtype):
        raise _error(
            entry, f"parameter '{name}' is a number ({short_type(type)}), but got {argument!r}"
        )
    if isinstance(fmt, FloatFormat):
        from tileir_xdsl.numerics.rounding import round_to_format

        if value.dtype == fmt.dtype:
            return value
        return round_to_format(value.astype(np.float64), fmt)
    if value.dtype.kind == "f" and value != np.trunc(value):
        raise _error(entry, f"parameter '{name}' is an integer, but got {argument!r}")
    number = int(value)
    low, high = fmt.limits(signed=True)[0], fmt.limits(signed=False)[1]
    if not low <= number <= high:
        raise _error(entry, f"{number} does not fit parameter '{name}' ({short_type(type)})")
    return fmt.from_bits(np.asarray(number & high, np.uint64))


def _array(entry: EntryOp, parameter: BlockArgument, pointer: PtrType, argument: Argument) -> Array:
    name, wanted = parameter_name(parameter), memory_format(pointer.pointee_type)
    if not isinstance(argument, np.ndarray):
        raise _error(
            entry,
            f"parameter '{name}' is a pointer to {short_type(pointer.pointee_type)}: "
            f"it needs a NumPy array, but got {type(argument).__name__}",
        )
    array = cast(Array, argument)
    same_bits = array.dtype.itemsize == wanted.size and array.dtype.kind in "iubV"
    if array.dtype not in (wanted.dtype, wanted.fmt.dtype) and not same_bits:
        raise _error(
            entry,
            f"parameter '{name}' points to {short_type(pointer.pointee_type)}, "
            f"but the array holds {array.dtype}",
            fix=f"pass an array of {wanted.fmt.dtype}",
        )
    if not array.dtype.isnative or not array.flags.aligned:
        raise _error(entry, f"the array for parameter '{name}' must be aligned and of native bytes")
    order = _memory_order(array)
    if order is None:
        raise _error(
            entry,
            f"the array for parameter '{name}' has gaps between its elements",
            fix="pass a contiguous array (numpy.ascontiguousarray)",
        )
    return order


def _memory_order(array: Array) -> Array | None:
    """The array with its axes in the order of memory; None when it has gaps."""
    axes = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    ordered = array.transpose(axes)
    return ordered if ordered.flags.c_contiguous else None


def _in_memory(pointer: PtrType, array: Array, bound: Bound) -> Array:
    """The array as it lies in memory: f4E2M1FN arrays of one element a byte are packed."""
    if format_of(pointer.pointee_type) is not F4E2M1FN or array.dtype.kind in "iub":
        return array
    from tileir_xdsl.numerics.bits import pack, unpack

    flat = array.reshape(-1)
    padded = np.zeros(-(-flat.size // 2) * 2, flat.dtype)
    padded[: flat.size] = flat
    packed = pack(padded, F4E2M1FN).view(np.uint8)

    def copy_back() -> None:
        if array.flags.writeable:
            flat[:] = unpack(packed.view(I8.dtype), F4E2M1FN)[: flat.size]

    bound.finish.append(copy_back)
    return packed


def _extent(array: Array) -> tuple[int, int]:
    start: int = array.__array_interface__["data"][0]
    return start, start + array.nbytes


Group = list[tuple[BlockArgument, Array]]


def _overlapping(arrays: Group) -> list[Group]:
    """The arguments in groups that share memory."""
    groups: list[Group] = []
    end = -1
    for entry in sorted(arrays, key=lambda item: _extent(item[1])):
        start, stop = _extent(entry[1])
        if groups and start < end:
            groups[-1].append(entry)
        else:
            groups.append([entry])
        end = max(end, stop)
    return groups


def _add_group(entry: EntryOp, group: Group, memory: Memory, bound: Bound) -> None:
    names = " and ".join(f"'{parameter_name(parameter)}'" for parameter, _ in group)
    start = min(_extent(array)[0] for _, array in group)
    stop = max(_extent(array)[1] for _, array in group)
    widest = max((array for _, array in group), key=lambda array: array.nbytes)
    data = _bytes_between(widest, start, stop)
    if data is None:
        raise _error(entry, f"the arrays for parameters {names} overlap in part")
    what = "argument" if len(group) == 1 else "arguments"
    granule = min(array.dtype.itemsize for _, array in group)
    misalignment = (start - _extent(_root(widest))[0]) % ALIGNMENT
    buffer = memory.add(f"{what} {names}", data, granule, misalignment)
    buffer.writable = all(array.flags.writeable for _, array in group)
    for parameter, array in group:
        address = buffer.base + _extent(array)[0] - start
        bound.values[parameter.index] = np.asarray(address, np.int64)


def _root(array: Array) -> Array:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _bytes_between(array: Array, start: int, stop: int) -> Array | None:
    """The bytes from address `start` to `stop`, through an array whose memory they belong to."""
    candidate: Any = array
    while isinstance(candidate, np.ndarray):
        ordered = _memory_order(cast(Array, candidate))
        low, high = _extent(cast(Array, candidate))
        if ordered is not None and low <= start and stop <= high:
            flat = ordered.reshape(-1).view(np.uint8)
            return flat[start - low : stop - low]
        candidate = candidate.base
    return None


__all__ = ["Bound", "bind", "in_order", "parameter_names"]
