"""The arguments of a launch: checked against the kernel's parameters, and packed for its entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from tileir_xdsl.numerics.formats import F4E2M1FN, I1, FloatFormat
from tileir_xdsl.runtime.abi import Abi, Grid, Parameter, Slot, SlotKind
from tileir_xdsl.runtime.arrays import (
    Array,
    ArrayError,
    DeviceArray,
    HostArray,
    address,
    as_array,
    dtype_name,
    element_strides,
    is_writeable,
    memory_at,
    owner_start,
    row_major,
    span,
    span_bytes,
)

MAX_I32 = (1 << 31) - 1

ALLOCATION_ALIGNMENT = 256
"""Bytes that CUDA aligns allocations to. An array of the host counts as aligned as it would be if
the allocation that it is part of were, for that is where a device finds its copy."""

NUMPY_FLOATS = ("f16", "f32", "f64", "tf32")
"""Formats whose elements NumPy itself has; raw bits stand for those of the others."""


@dataclass(frozen=True)
class Region:
    """A piece of host memory that arguments lie in: those that overlap share one."""

    memory: HostArray
    """Its bytes, from a place on that counts as a multiple of `ALLOCATION_ALIGNMENT`."""
    lead: int
    """Bytes before the first that belongs to an argument."""
    parameters: tuple[int, ...]
    """The positions of the parameters whose arguments lie in it."""
    writeable: bool


@dataclass(frozen=True)
class Arguments:
    """Arguments that fit the parameters of a kernel."""

    abi: Abi
    values: tuple[Any, ...]
    """As they were passed, in the order of the parameters."""
    arrays: Mapping[int, Array]
    """The arrays by position of their parameter; a null pointer has none."""
    integers: Mapping[tuple[SlotKind, int, int], int]
    """Extents, strides and integer scalars by kind, position and dimension."""
    scalars: Mapping[int, HostArray]
    """Scalars by position, as arrays of rank 0 in the storage of their format."""
    regions: tuple[Region, ...] = ()
    offsets: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """For each host array the number of its region and the bytes from there to its start."""
    copy_back: tuple[Callable[[], None], ...] = ()
    """What to call after the launch: unpacks arrays that lie in memory otherwise than in NumPy."""

    def named(self) -> dict[str, Any]:
        """The arguments as they were passed, by name."""
        return dict(zip(self.abi.names, self.values, strict=True))

    def grid(self) -> Grid | None:
        """The grid that the kernel asks for; None when it does not say."""
        return None if self.abi.grid is None else self.abi.grid(self.integers)

    def pack(self, addresses: Mapping[int, int]) -> bytes:
        """The entry's parameters as they lie in memory; `addresses` by position of the arrays.

        Bytes between parameters are zero.
        """
        packed = bytearray(self.abi.size)
        for slot in self.abi.slots:
            packed[slot.offset : slot.offset + slot.size] = self.slot_bytes(slot, addresses)
        return bytes(packed)

    def slot_bytes(self, slot: Slot, addresses: Mapping[int, int]) -> bytes:
        """One argument of the entry as it lies in memory, little-endian."""
        if slot.kind == "pointer":
            return addresses.get(slot.parameter, 0).to_bytes(slot.size, "little")
        if slot.kind == "scalar":
            return scalar_to_bytes(
                self.abi.parameters[slot.parameter], self.scalars[slot.parameter]
            )
        value = self.integers[slot.kind, slot.parameter, slot.dim]
        return value.to_bytes(slot.size, "little")

    def addresses(self, bases: Sequence[int]) -> dict[int, int]:
        """The address of each array when region `k` lies at `bases[k]` on the device."""
        found = {k: bases[number] + offset for k, (number, offset) in self.offsets.items()}
        for position, array in self.arrays.items():
            if isinstance(array, DeviceArray):
                found[position] = array.pointer
        return found

    @property
    def device_arrays(self) -> dict[int, DeviceArray]:
        return {k: a for k, a in self.arrays.items() if isinstance(a, DeviceArray)}

    def flat(self, position: int) -> HostArray:
        """The memory of a host array from its first element to its last, gaps included."""
        array = self.arrays[position]
        assert isinstance(array, np.ndarray)
        number, offset = self.offsets[position]
        _, end = span(array.shape, element_strides(array))
        region = self.regions[number]
        flat = region.memory[offset : offset + end * array.itemsize].view(array.dtype)
        flat.flags.writeable = region.memory.flags.writeable and array.flags.writeable
        return flat

    def copied(self) -> Arguments:
        """The same arguments in memory of their own; arrays on a device stay where they are."""
        regions = tuple(
            replace(region, memory=region.memory.copy(), writeable=True) for region in self.regions
        )
        arrays: dict[int, Array] = dict(self.arrays)
        for position, (number, offset) in self.offsets.items():
            old = self.arrays[position]
            assert isinstance(old, np.ndarray)
            memory = regions[number].memory.data if old.size else None
            arrays[position] = np.ndarray(
                old.shape, old.dtype, memory, offset if old.size else 0, old.strides
            )
        values = list(self.values)
        for position in self.offsets:
            values[position] = arrays[position]
        return replace(self, arrays=arrays, regions=regions, values=tuple(values), copy_back=())

    def check_written(self, written: frozenset[int] | None) -> None:
        """Raise `DiagnosticError` when the kernel may write an array that must not be.

        `written` are the positions of the parameters that it may write; None when unknown.
        """
        if written is None:
            return
        for position in sorted(written & self.arrays.keys()):
            if not is_writeable(self.arrays[position]):
                raise self.abi.error(
                    f"argument '{self.abi.names[position]}' is a read-only array, "
                    f"but @{self.abi.kernel} writes it",
                    fix="pass a writable copy",
                )


def scalar_to_bytes(parameter: Parameter, value: HostArray) -> bytes:
    """A scalar, an array of rank 0 in the storage of its format, as a kernel parameter."""
    if parameter.element == "tf32":
        return value.tobytes()
    bits = int(parameter.format.to_bits(value))
    return bits.to_bytes(max(1, parameter.format.packed_width // 8), "little")


# --- binding


def bind(abi: Abi, arguments: Sequence[Any] | Mapping[str, Any], stream: int = 0) -> Arguments:
    """Check arguments, in the order of the parameters or by name, against the parameters.

    Arrays stand for tensors and pointers, None for a null pointer, numbers for scalars. `stream`
    is the handle of the stream that will use arrays on a device.

    Raises `DiagnosticError` for a wrong set of arguments, an argument of a wrong kind, type or
    shape, and a promise that does not hold; its message names parameter, value and rule.
    """
    values = _in_order(abi, arguments)
    binder = _Binder(abi, stream)
    for position, value in enumerate(values):
        binder.add(position, value)
    _check_overlap(abi, binder.spans)
    regions, offsets = _regions(binder.arrays)
    return Arguments(
        abi,
        tuple(values),
        binder.arrays,
        binder.integers,
        binder.scalars,
        regions,
        offsets,
        tuple(binder.copy_back),
    )


def _in_order(abi: Abi, arguments: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
    names = abi.names
    takes = f"@{abi.kernel} takes {', '.join(map(str, abi.parameters)) or 'none'}"
    if not isinstance(arguments, Mapping):
        if len(arguments) != len(names):
            raise abi.error(f"{len(arguments)} arguments for {len(names)} parameters; {takes}")
        return list(arguments)
    for name in arguments:
        if name not in names:
            raise abi.error(f"no parameter is called '{name}'; {takes}")
    for name in names:
        if name not in arguments:
            raise abi.error(f"no argument for parameter '{name}'; {takes}")
    return [arguments[name] for name in names]


class _Binder:
    """Collects the arguments of one launch."""

    def __init__(self, abi: Abi, stream: int) -> None:
        self.abi = abi
        self.stream = stream
        self.arrays: dict[int, Array] = {}
        self.spans: dict[int, tuple[int, int]] = {}
        """First byte and end of each array as it was passed."""
        self.integers: dict[tuple[SlotKind, int, int], int] = {}
        self.scalars: dict[int, HostArray] = {}
        self.copy_back: list[Callable[[], None]] = []

    def add(self, position: int, value: Any) -> None:
        parameter = self.abi.parameters[position]
        if not parameter.takes_array:
            self._add_scalar(position, parameter, value)
            return
        if value is None and parameter.kind == "pointer":
            return
        try:
            array = as_array(value, self.stream)
            if array is None:
                raise ArrayError(f"it takes an array, not {type(value).__name__}")
            self._add_array(position, parameter, array)
        except ArrayError as error:
            raise self._error(parameter, str(error)) from None

    def _error(self, parameter: Parameter, message: str, fix: str | None = None) -> Exception:
        return self.abi.error(f"argument '{parameter.name}' ({_type(parameter)}): {message}", fix)

    def _add_scalar(self, position: int, parameter: Parameter, value: Any) -> None:
        number = _number(value)
        if number is None:
            raise self._error(parameter, f"it takes a number, not {type(value).__name__}")
        converted = _scalar(parameter, number)
        if isinstance(converted, str):
            raise self._error(parameter, converted)
        self.scalars[position] = converted
        if isinstance(parameter.format, FloatFormat):
            return
        integer = int(number)
        self.integers["scalar", position, 0] = integer
        self._check_integer(parameter, "value", integer, 0, parameter.multiple, parameter.max)
        for low in parameter.min[:1]:
            if low is not None and integer < low:
                raise self._error(
                    parameter, f"value {integer} is below the minimum {low} that is promised"
                )

    def _add_array(self, position: int, parameter: Parameter, array: Array) -> None:
        self._check_elements(parameter, array)
        self.spans[position] = span_bytes(array)
        strides = element_strides(array)
        if parameter.kind == "tensor":
            self._add_tensor(position, parameter, array.shape, strides, _packed(parameter, array))
        elif any(s < 0 and n > 1 for n, s in zip(array.shape, strides, strict=True)):
            raise self._error(
                parameter, f"strides {strides} go backwards", "pass a contiguous copy"
            )
        if isinstance(array, np.ndarray) and array.dtype == F4E2M1FN.dtype:
            array = self._pack(parameter, array)
        self.arrays[position] = array
        self._check_alignment(parameter, array)

    def _check_elements(self, parameter: Parameter, array: Array) -> None:
        if not _holds(parameter, array):
            raise self._error(
                parameter,
                f"the array holds {dtype_name(array)}",
                f"pass an array of {_wanted(parameter)}",
            )
        if isinstance(array, DeviceArray):
            return
        if not array.dtype.isnative:
            raise self._error(parameter, "the bytes of its elements are in foreign order")
        if not array.flags.aligned:
            raise self._error(
                parameter,
                f"its elements lie at addresses that are no multiples of {array.itemsize}",
            )

    def _add_tensor(
        self,
        position: int,
        parameter: Parameter,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        per_item: int,
    ) -> None:
        if len(shape) != len(parameter.shape):
            raise self._error(
                parameter, f"the array has rank {len(shape)}, not {len(parameter.shape)}"
            )
        if per_item > 1:
            shape = (*shape[:-1], shape[-1] * per_item)
            strides = (*(s * per_item for s in strides[:-1]), strides[-1])
        dense = row_major(shape)
        if 0 in shape:
            # Nothing lies in memory, so any strides do.
            strides = dense
        strides = tuple(d if n <= 1 else s for n, s, d in zip(shape, strides, dense, strict=True))
        for d, extent in enumerate(shape):
            self._add_extent(position, parameter, d, extent)
        for d, stride in enumerate(strides):
            self._add_stride(position, parameter, d, shape[d], stride, dense[d])

    def _add_extent(self, position: int, parameter: Parameter, d: int, extent: int) -> None:
        declared = parameter.shape[d]
        if declared is None:
            self.integers["extent", position, d] = extent
        elif extent != declared:
            raise self._error(parameter, f"extent {d} is {extent}, not {declared}")
        if extent > MAX_I32:
            raise self._error(parameter, f"extent {d} is {extent}, more than an i32 holds")
        self._check_integer(parameter, f"extent {d}", extent, d, parameter.multiple, parameter.max)

    def _add_stride(
        self, position: int, parameter: Parameter, d: int, extent: int, stride: int, dense: int
    ) -> None:
        fix = "pass a contiguous copy"
        multiple = parameter.stride_multiple[d] if parameter.stride_multiple else None
        if multiple and extent <= 1:
            # No element is reached by it, but what is promised about it must hold.
            stride = -(-stride // multiple) * multiple
        if stride < 1 or stride > MAX_I32:
            raise self._error(parameter, f"stride {d} is {stride}, not from 1 to {MAX_I32}", fix)
        if parameter.strides is None:
            if stride != dense and extent > 1:
                raise self._error(
                    parameter, f"stride {d} is {stride}, but a dense tensor has {dense}", fix
                )
        elif parameter.strides[d] is None:
            self.integers["stride", position, d] = stride
        elif stride != parameter.strides[d] and extent > 1:
            raise self._error(parameter, f"stride {d} is {stride}, not {parameter.strides[d]}", fix)
        if multiple and stride % multiple:
            raise self._error(
                parameter,
                f"stride {d} is {stride}, no multiple of {multiple} as is promised",
            )

    def _check_integer(
        self,
        parameter: Parameter,
        what: str,
        value: int,
        d: int,
        multiples: Sequence[int | None],
        maxima: Sequence[int | None],
    ) -> None:
        multiple = multiples[d] if multiples else None
        if multiple and value % multiple:
            raise self._error(
                parameter, f"{what} is {value}, no multiple of {multiple} as is promised"
            )
        maximum = maxima[d] if maxima else None
        if maximum is not None and value > maximum:
            raise self._error(
                parameter, f"{what} is {value}, above the maximum {maximum} that is promised"
            )

    def _check_alignment(self, parameter: Parameter, array: Array) -> None:
        align = parameter.align
        start = address(array)
        if isinstance(array, np.ndarray):
            start -= owner_start(array)
        if not align or 0 in array.shape or start % align == 0:
            return
        where = f"address {start:#x}"
        if isinstance(array, np.ndarray):
            where = f"start, {start} bytes into its allocation,"
        raise self._error(
            parameter,
            f"its {where} is no multiple of {align} bytes as is promised (align = {align})",
            "pass a copy",
        )

    def _pack(self, parameter: Parameter, array: HostArray) -> HostArray:
        """Two elements a byte, the low half first, as a device holds them."""
        from tileir_xdsl.numerics.bits import pack, unpack

        if not array.flags.c_contiguous:
            raise self._error(parameter, "an array of 4-bit elements must be contiguous")
        flat = array.reshape(-1)
        even = np.zeros(-(-flat.size // 2) * 2, flat.dtype)
        even[: flat.size] = flat
        packed = pack(even, F4E2M1FN).view(np.uint8)
        packed.flags.writeable = array.flags.writeable

        def copy_back() -> None:
            if array.flags.writeable:
                flat[:] = unpack(packed.view(np.int8), F4E2M1FN)[: flat.size]

        self.copy_back.append(copy_back)
        return packed


def _type(parameter: Parameter) -> str:
    return str(parameter).partition(": ")[2]


def _wanted(parameter: Parameter) -> str:
    """The dtype to pass for a parameter."""
    name = parameter.format.dtype.name
    return f"u{name}" if parameter.unsigned else name


def _holds(parameter: Parameter, array: Array) -> bool:
    """Whether the elements of an array are those of a parameter."""
    fmt, name = parameter.format, dtype_name(array)
    if parameter.unsigned:
        return name == _wanted(parameter)
    if name == fmt.dtype.name:
        return True
    if array.itemsize != (1 if fmt.width < 8 else fmt.dtype.itemsize):
        return False
    if name.startswith(("uint", "int")):
        # Integers are signless; elsewhere they are the bits of what NumPy has no type for.
        return not isinstance(fmt, FloatFormat) or fmt.name not in NUMPY_FLOATS
    return name.startswith("void") and fmt.name not in NUMPY_FLOATS


def _packed(parameter: Parameter, array: Array) -> int:
    """How many elements one item of the array holds."""
    raw = parameter.format.width == 4 and dtype_name(array) != parameter.format.dtype.name
    return 2 if raw else 1


def _number(value: Any) -> Any:
    """A number of Python or NumPy; None when the value is none."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, np.generic):
        return cast(Any, value)
    try:
        array = as_array(value)
    except ArrayError:
        return None
    if isinstance(array, np.ndarray) and array.ndim == 0:
        return array[()]
    return None


def _scalar(parameter: Parameter, value: Any) -> HostArray | str:
    """A number in the storage of its format, or what is wrong with it."""
    fmt = parameter.format
    dtype = np.asarray(value).dtype
    if isinstance(fmt, FloatFormat):
        from tileir_xdsl.numerics.rounding import round_to_format

        if dtype == fmt.dtype and fmt.name != "tf32":
            return np.asarray(value)
        try:
            return np.asarray(round_to_format(np.asarray(float(value)), fmt))
        except (TypeError, ValueError, OverflowError):
            return f"it takes a number, not {value!r}"
    if dtype.kind not in "biuf":
        return f"it takes an integer, not {value!r}"
    if dtype.kind == "f" and value != np.trunc(value):
        return f"it takes an integer, not {value!r}"
    number = int(value)
    low, high = (0 if parameter.unsigned else fmt.limits(True)[0]), fmt.limits(False)[1]
    if not low <= number <= high:
        return f"{number} does not fit {parameter.element}"
    if fmt is I1:
        return np.asarray(bool(number))
    return fmt.from_bits(np.asarray(number & high, np.uint64))


# --- memory


def _check_overlap(abi: Abi, spans: Mapping[int, tuple[int, int]]) -> None:
    """Raise when arrays overlap whose parameters do not both say that they may."""
    ordered = sorted((start, end, k) for k, (start, end) in spans.items() if start < end)
    for number, (_, end, first) in enumerate(ordered):
        for start, _, second in ordered[number + 1 :]:
            if start >= end:
                break
            low, high = sorted((first, second))
            if abi.parameters[low].may_alias and abi.parameters[high].may_alias:
                continue
            names = f"'{abi.names[low]}' and '{abi.names[high]}'"
            raise abi.error(
                f"the memory of arguments {names} overlaps, but not both are may_alias",
                fix="pass a copy of one, or declare both parameters may_alias",
            )


def _regions(
    arrays: Mapping[int, Array],
) -> tuple[tuple[Region, ...], dict[int, tuple[int, int]]]:
    """The pieces of host memory that arrays lie in, and where in them each array begins."""
    hosts = {k: a for k, a in arrays.items() if isinstance(a, np.ndarray)}
    groups: list[list[int]] = []
    end = -1
    for (start, stop), position in sorted((span_bytes(a), k) for k, a in hosts.items()):
        if groups and start < end:
            groups[-1].append(position)
        else:
            groups.append([position])
        end = max(end, stop)
    regions: list[Region] = []
    offsets: dict[int, tuple[int, int]] = {}
    for number, group in enumerate(groups):
        members = [hosts[k] for k in group]
        start = min(span_bytes(a)[0] for a in members)
        stop = max(span_bytes(a)[1] for a in members)
        lead = (start - min(owner_start(a) for a in members)) % ALLOCATION_ALIGNMENT
        writeable = any(a.flags.writeable for a in members)
        memory = memory_at(start - lead, stop - start + lead, members)
        memory.flags.writeable = writeable
        regions.append(Region(memory, lead, tuple(sorted(group)), writeable))
        offsets |= {k: (number, address(hosts[k]) - start + lead) for k in group}
    return tuple(regions), offsets
