"""What a kernel takes: its parameters as a person passes them, and as they lie in its entry.

A *parameter* is what the source declares: a tensor, a pointer, a scalar. A *slot* is one argument
of the entry, in order: a tensor is its pointer, then one i32 for each `?` extent, then one for each
`?` stride; a pointer and a scalar are one slot. A launch packs the slots as a C structure, each at
the next multiple of its size (the parameter records of cubins that `tileiras` 13.5.37 writes).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from tileir_xdsl.diagnostics import DiagnosticError, Place
from tileir_xdsl.numerics.formats import FORMATS, NumberFormat

if TYPE_CHECKING:
    from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

    from tileir_xdsl.dialects.cuda_tile.core import EntryOp

Kind = Literal["tensor", "pointer", "scalar"]
SlotKind = Literal["pointer", "extent", "stride", "scalar"]
Grid = tuple[int, int, int]

POINTER_BYTES = 8
DEFAULT_ALIGN = 16
"""Bytes that the data of a tensor is aligned to unless its parameter says otherwise."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel, with what its caller promises.

    In `shape`, `strides` and the lists of promises None stands for what is known at the launch
    only, or is not promised.
    """

    name: str
    kind: Kind
    element: str
    """The type of the elements, or of the scalar: `f32`, `ui8`, `f8E4M3FN`, …"""
    shape: tuple[int | None, ...] = ()
    """Extents of a tensor."""
    strides: tuple[int | None, ...] | None = None
    """Strides of a tensor in elements; None for a dense row-major one."""
    align: int | None = None
    """Bytes of which the address is a multiple."""
    multiple: tuple[int | None, ...] = ()
    """What each extent is a multiple of; for a scalar one entry."""
    stride_multiple: tuple[int | None, ...] = ()
    max: tuple[int | None, ...] = ()
    """The largest extents; for a scalar one entry."""
    min: tuple[int | None, ...] = ()
    """The smallest value of a scalar, in one entry."""
    readonly: bool = False
    writeonly: bool = False
    may_alias: bool = True
    """Whether the memory may overlap that of other parameters that may alias."""

    @property
    def format(self) -> NumberFormat:
        """The number format of the elements; unsigned integers have that of the signed ones."""
        return FORMATS[self.element.removeprefix("u")]

    @property
    def unsigned(self) -> bool:
        return self.element.startswith("ui")

    @property
    def takes_array(self) -> bool:
        return self.kind != "scalar"

    def __str__(self) -> str:
        if self.kind == "scalar":
            return f"{self.name}: {self.element}"
        if self.kind == "pointer":
            return f"{self.name}: ptr<{self.element}>"
        shape = "".join(f"{'?' if n is None else n}x" for n in self.shape)
        return f"{self.name}: tensor<{shape}{self.element}>"


@dataclass(frozen=True)
class Slot:
    """One argument of the entry."""

    kind: SlotKind
    parameter: int
    """The position of the parameter that it belongs to."""
    dim: int
    """The dimension of an extent or stride, 0 otherwise."""
    element: str
    """The type of the value, or of what a pointer points to."""
    offset: int = 0
    """Bytes from the start of the packed parameters."""

    @property
    def size(self) -> int:
        """Bytes, which are its alignment too."""
        return POINTER_BYTES if self.kind == "pointer" else scalar_bytes(self.element)


def scalar_bytes(element: str) -> int:
    """Bytes of a scalar of an element type as a kernel parameter."""
    width = FORMATS[element.removeprefix("u")].packed_width
    return max(1, width // 8)


@dataclass(frozen=True)
class Abi:
    """The parameters and slots of a kernel."""

    kernel: str
    parameters: tuple[Parameter, ...]
    place: Place
    """Where the kernel stands."""
    grid: Callable[[Mapping[tuple[SlotKind, int, int], int]], Grid] | None = None
    """The grid as a function of the integers of the slots, by kind, parameter and dimension."""

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The arguments of the entry in order."""
        slots: list[Slot] = []
        end = 0
        for slot in (s for k, p in enumerate(self.parameters) for s in _slots_of(k, p)):
            offset = -(-end // slot.size) * slot.size
            end = offset + slot.size
            slots.append(Slot(slot.kind, slot.parameter, slot.dim, slot.element, offset))
        return tuple(slots)

    @property
    def size(self) -> int:
        """Bytes of the packed parameters."""
        return self.slots[-1].offset + self.slots[-1].size if self.slots else 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    def error(self, message: str, fix: str | None = None) -> DiagnosticError:
        """An error about the arguments of a launch."""
        return DiagnosticError.at(message, self.place, fix=fix, code="argument")


def _slots_of(position: int, parameter: Parameter) -> list[Slot]:
    if parameter.kind == "scalar":
        return [Slot("scalar", position, 0, parameter.element)]
    slots = [Slot("pointer", position, 0, parameter.element)]
    groups: tuple[tuple[SlotKind, Sequence[int | None]], ...] = (
        ("extent", parameter.shape),
        ("stride", parameter.strides or ()),
    )
    for kind, values in groups:
        slots += [Slot(kind, position, d, "i32") for d, v in enumerate(values) if v is None]
    return slots


def abi(module: Operation, kernel: str | None = None) -> Abi:
    """The parameters of a kernel of `module`, in the order in which a launch takes arguments.

    `kernel` may be left out where the module has only one. Raises `DiagnosticError` when there is
    no such kernel.
    """
    found = find_kernel(module, kernel)
    if found.name == "cuda_tile.entry":
        return _entry_abi(cast("EntryOp", found))
    return _sugar_abi(cast(Any, found))


def find_kernel(module: Operation, name: str | None = None) -> Operation:
    """The `cuda_tile.entry` or `tile_sugar.kernel` of a name, or the only one.

    Raises `DiagnosticError` when there is none or the choice is open.
    """
    from tileir_xdsl.dialects.cuda_tile.places import place_of

    kernels = {_symbol(op): op for op in _kernels(module)}
    known = ", ".join(f"@{symbol}" for symbol in kernels)
    if not kernels:
        raise DiagnosticError.at("the module has no kernel", place_of(module), code="kernel")
    if name is not None:
        found = kernels.get(name.removeprefix("@"))
        if found is not None:
            return found
        message = f"no kernel @{name.removeprefix('@')}; there is {known}"
        raise DiagnosticError.at(message, place_of(module), code="kernel")
    if len(kernels) > 1:
        raise DiagnosticError.at(
            f"the module has several kernels ({known})",
            place_of(module),
            fix="name one",
            code="kernel",
        )
    return next(iter(kernels.values()))


def _kernels(module: Operation) -> list[Operation]:
    if module.name in ("cuda_tile.entry", "tile_sugar.kernel"):
        return [module]
    if module.name not in ("builtin.module", "cuda_tile.module"):
        return []
    return [
        kernel
        for region in module.regions
        for block in region.blocks
        for op in block.ops
        for kernel in _kernels(op)
    ]


def _symbol(op: Operation) -> str:
    return cast(Any, op).sym_name.data


# --- entries of cuda_tile


def _entry_abi(entry: EntryOp) -> Abi:
    from tileir_xdsl.dialects.cuda_tile.places import place_of

    attributes: Sequence[Mapping[str, Attribute]] = [{} for _ in entry.body.block.args]
    if entry.arg_attrs is not None:
        attributes = [dictionary.data for dictionary in entry.arg_attrs.data]
    parameters = tuple(
        _entry_parameter(argument, attributes[argument.index]) for argument in entry.body.block.args
    )
    return Abi(entry.sym_name.data, parameters, place_of(entry))


def _entry_parameter(argument: BlockArgument, attributes: Mapping[str, Attribute]) -> Parameter:
    from tileir_xdsl.dialects.cuda_tile.types import PtrType, TileType, short_type

    type = argument.type
    assert isinstance(type, TileType)
    name = argument.name_hint or f"arg{argument.index}"
    divisor, low, high = _promised(argument, attributes)
    if isinstance(type.element_type, PtrType):
        element = short_type(type.element_type.pointee_type)
        return Parameter(name, "pointer", element, align=divisor)
    return Parameter(
        name,
        "scalar",
        short_type(type.element_type),
        multiple=() if divisor is None else (divisor,),
        max=() if high is None else (high,),
        min=() if low is None else (low,),
    )


def _promised(
    argument: BlockArgument, attributes: Mapping[str, Attribute]
) -> tuple[int | None, int | None, int | None]:
    """Divisor, lower and upper bound that the entry's `assume`s and attributes state."""
    from tileir_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr

    divisors: list[int] = []
    lows: list[int] = []
    highs: list[int] = []
    for predicate in (*attributes.values(), *_assumed(argument)):
        if isinstance(predicate, DivByAttr) and predicate.every_value is None:
            divisors.append(predicate.divisor.data)
        if isinstance(predicate, BoundedAttr):
            lows += [] if predicate.lower_value is None else [predicate.lower_value]
            highs += [] if predicate.upper_value is None else [predicate.upper_value]
    return max(divisors, default=None), max(lows, default=None), min(highs, default=None)


def _assumed(argument: BlockArgument) -> list[Attribute]:
    """What the entry assumes of an argument in every block, before any could have returned."""
    from tileir_xdsl.dialects.cuda_tile.control_flow import ReturnOp
    from tileir_xdsl.dialects.cuda_tile.misc import AssumeOp

    same: set[SSAValue] = {argument}
    predicates: list[Attribute] = []
    for op in argument.block.ops:
        if isinstance(op, AssumeOp) and op.value in same:
            predicates.append(op.predicate)
            same.add(op.result)
        if any(isinstance(inner, ReturnOp) for inner in op.walk()):
            break
    return predicates


# --- kernels of tile_sugar


def _sugar_abi(kernel: Any) -> Abi:
    from tileir_xdsl.dialects.cuda_tile.places import place_of

    parameters = tuple(
        _sugar_parameter(argument.type, name, kernel.promises(argument.index))
        for argument, name in zip(kernel.body.block.args, kernel.names, strict=True)
    )
    grid = None if kernel.grid is None else _grid_function(kernel)
    return Abi(kernel.sym_name.data, parameters, place_of(kernel), grid)


def _sugar_parameter(type: Attribute, name: str, promises: Mapping[str, Attribute]) -> Parameter:
    from tileir_xdsl.dialects.cuda_tile.types import short_type
    from tileir_xdsl.dialects.tile_sugar.types import TensorType

    if not isinstance(type, TensorType):
        return Parameter(
            name,
            "scalar",
            short_type(type),
            multiple=_integers(promises.get("multiple")),
            max=_integers(promises.get("max")),
            min=_integers(promises.get("min")),
        )
    strides = type.get_strides()
    align = _integers(promises.get("align"))
    return Parameter(
        name,
        "tensor",
        short_type(type.element_type),
        shape=_known(type.get_shape()),
        strides=None if strides is None else _known(strides),
        align=align[0] if align else DEFAULT_ALIGN,
        multiple=_integers(promises.get("multiple"), 0),
        stride_multiple=_integers(promises.get("stride_multiple"), 0),
        max=_integers(promises.get("max"), 0),
        readonly="readonly" in promises,
        writeonly="writeonly" in promises,
        may_alias="may_alias" in promises,
    )


def _known(values: Sequence[int]) -> tuple[int | None, ...]:
    from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC

    return tuple(None if value == DYNAMIC else value for value in values)


def _integers(value: Attribute | None, absent: int | None = None) -> tuple[int | None, ...]:
    """The integers of a promise; `absent` in a list stands for no promise."""
    from xdsl.dialects.builtin import IntegerAttr

    from tileir_xdsl.dialects.tile_sugar.kernel import promise_values

    if value is None:
        return ()
    if isinstance(value, IntegerAttr):
        return (cast(Any, value).value.data,)
    return tuple(None if v == absent else v for v in promise_values(value) or ())


def _grid_function(
    kernel: Any,
) -> Callable[[Mapping[tuple[SlotKind, int, int], int]], Grid]:
    from tileir_xdsl.dialects.tile_sugar.kernel import grid_values

    map = kernel.grid_map()
    assert map is not None
    keys = [(a.kind, a.parameter, a.dim) for a in grid_values(kernel.arguments)]

    def grid(values: Mapping[tuple[SlotKind, int, int], int]) -> Grid:
        # What is no integer cannot be used by the map; any number will do in its place.
        extents = map.eval([values.get(cast(Any, key), 0) for key in keys], [])
        x, y, z = (*extents, 1, 1)[:3]
        return x, y, z

    return grid
