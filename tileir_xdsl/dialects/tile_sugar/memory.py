"""Loads, stores, gathers, scatters, atomics, print and assert.

An access names a tensor and an index for each of its dimensions: a scalar (i32, or a literal) is
the start of a slice, a tile of i32 picks elements. Elements outside the tensor read `fill` and are
not written. `inside` promises that the start lies in the tensor, `full` that all of the access
does. `extent [..]`, which padding introduces, says how much of a padded tile is really accessed.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    StringAttr,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import (
    MemoryOrdering,
    MemoryOrderingAttr,
    MemoryScope,
    MemoryScopeAttr,
)
from tileir_xdsl.dialects.cuda_tile.types import next_power_of_two, short_type
from tileir_xdsl.dialects.cuda_tile.wording import plural
from tileir_xdsl.dialects.tile_sugar.attributes import (
    AtomicMode,
    AtomicModeAttr,
    number_attr,
)
from tileir_xdsl.dialects.tile_sugar.base import (
    Option,
    Properties,
    TileSugarOp,
    int_values,
    operand_types_text,
    parse_operand_types,
    require_tile,
    require_values,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.indexed import IndexedOp
from tileir_xdsl.dialects.tile_sugar.kernel import KernelOp, MakeTensorOp
from tileir_xdsl.dialects.tile_sugar.types import (
    TensorType,
    broadcast_shapes,
    element_of,
    is_tile,
    parse_type,
    shape_of,
    shape_text,
    tile_type,
)

INSIDE = Option("inside")
FULL = Option("full")
FILL = Option("fill", "number")
EXTENT = Option("extent", "ints")


class AccessOp(IndexedOp, ABC):
    """An access to a tensor."""

    OPTIONS: ClassVar[tuple[Option, ...]] = (EXTENT, INSIDE, FULL)

    if TYPE_CHECKING:
        tensor: Any

    @property
    def tensor_type(self) -> TensorType:
        type = self.tensor.type
        assert isinstance(type, TensorType)
        return type

    @property
    def extents(self) -> tuple[int, ...] | None:
        """The logical extents of the padded tile, when it is padded."""
        value = self.properties.get("extent")
        return None if value is None else int_values(value)

    @classmethod
    def number_element(cls, types: Sequence[Attribute]) -> Attribute:
        return element_of(types[cls.VALUES])

    def verify_promises(self) -> None:
        """The kernel keeps to what it says of a parameter: `readonly` or `writeonly`."""
        name, promises = promises_of(self.tensor)
        if "readonly" in promises and not isinstance(self, ReadOp):
            raise VerifyException(f"writes '%{name}', which the kernel declares readonly")
        if "writeonly" in promises and not isinstance(self, StoreOp | ScatterOp):
            raise VerifyException(f"reads '%{name}', which the kernel declares writeonly")

    def verify_slice(self, type: Attribute) -> None:
        """The indices are the start of a slice of the tile's shape."""
        self.verify_scalar_indices("the start of a slice")
        shape = require_tile(type, "a slice")
        if len(shape) != self.tensor_type.rank:
            raise VerifyException(
                f"a slice of '{short_type(self.tensor.type)}' has rank {self.tensor_type.rank}, "
                f"but '{short_type(type)}' has rank {len(shape)}"
            )
        self.verify_access(type)

    def verify_access(self, type: Attribute) -> None:
        """The element type is the tensor's, and the logical extents fit the tile."""
        self.verify_promises()
        element = element_of(type)
        if element != self.tensor_type.element_type:
            wanted = short_type(self.tensor_type.element_type)
            raise VerifyException(
                f"'{short_type(self.tensor.type)}' has '{wanted}' elements, but the tile "
                f"'{short_type(element)}': cast it, an access converts nothing"
            )
        extents = self.extents
        if extents is None:
            return
        shape = shape_of(type)
        if len(extents) != len(shape) or tuple(map(next_power_of_two, extents)) != shape:
            raise VerifyException(
                f"extent {shape_text(extents)} padded to powers of two is not {shape_text(shape)}"
            )


def promises_of(tensor: SSAValue) -> tuple[str, Mapping[str, Attribute]]:
    """The name and the promises of the kernel's parameter that a tensor belongs to."""
    while isinstance(tensor, OpResult) and isinstance(tensor.op, MakeTensorOp):
        tensor = tensor.op.base
    if not isinstance(tensor, BlockArgument):
        return "", {}
    kernel = tensor.block.parent_op()
    if not isinstance(kernel, KernelOp):
        return "", {}
    return kernel.names[tensor.index], kernel.promises(tensor.index)


class ReadOp(AccessOp, ABC):
    OPTIONS: ClassVar[tuple[Option, ...]] = (FILL, EXTENT, INSIDE, FULL)

    if TYPE_CHECKING:
        fill: Any
        result: Any

    @property
    def fill_value(self) -> Attribute:
        """What elements outside the tensor read."""
        value = self.properties.get("fill")
        return number_attr(0, self.tensor_type.element_type) if value is None else value

    def verify_fill(self) -> None:
        self.verify_numbers()


@sugar_op
class LoadOp(ReadOp):
    """The slice of a tensor at element offsets; what lies outside reads `fill`, 0 by default.

    Every start is defined, negative ones too.
    """

    name = "tile_sugar.load"
    tensor = operand_def(TensorType)
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    fill = opt_prop_def(Attribute)
    extent = opt_prop_def(DenseArrayBase)
    inside = opt_prop_def(UnitAttr)
    full = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_slice(self.result.type)
        self.verify_fill()


@sugar_op
class StoreOp(AccessOp):
    """Writes a tile to the slice of a tensor at element offsets; what lies outside is dropped."""

    name = "tile_sugar.store"
    VALUES: ClassVar[int] = 1
    value = operand_def()
    tensor = operand_def(TensorType)
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    extent = opt_prop_def(DenseArrayBase)
    inside = opt_prop_def(UnitAttr)
    full = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_slice(self.value.type)


def _indexed_shape(indices: Sequence[SSAValue]) -> tuple[int, ...]:
    return broadcast_shapes(*(shape_of(index.type) for index in indices))


@sugar_op
class GatherOp(ReadOp):
    """The elements that tiles of indices name, one for each dimension, broadcast together.

    An element with an index outside the tensor reads `fill`.
    """

    name = "tile_sugar.gather"
    OPTIONS: ClassVar[tuple[Option, ...]] = (FILL, EXTENT, FULL)
    tensor = operand_def(TensorType)
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    fill = opt_prop_def(Attribute)
    extent = opt_prop_def(DenseArrayBase)
    full = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_indices()
        shape = require_tile(self.result.type, "the result")
        if _indexed_shape(self.indices) != shape:
            raise VerifyException(
                f"the indices have shape {shape_text(_indexed_shape(self.indices))}, "
                f"but the result {shape_text(shape)}"
            )
        self.verify_access(self.result.type)
        self.verify_fill()


@sugar_op
class GatherRowsOp(ReadOp):
    """The rows of a matrix that a [R,1] tile of indices names, from a column on.

    An element outside the tensor reads `fill`.
    """

    name = "tile_sugar.gather_rows"
    OPTIONS: ClassVar[tuple[Option, ...]] = (FILL, EXTENT, FULL)
    tensor = operand_def(TensorType)
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    fill = opt_prop_def(Attribute)
    extent = opt_prop_def(DenseArrayBase)
    full = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_indices()
        if self.tensor_type.rank != 2:
            raise VerifyException(
                f"rows are those of a matrix, not of rank {self.tensor_type.rank}"
            )
        rows, column = self.all_indices()
        shape = require_tile(self.result.type, "the result")
        if len(shape) != 2:
            raise VerifyException(f"the result has rank 2, not {len(shape)}")
        if isinstance(rows, int) or shape_of(rows.type) not in ((shape[0], 1), (shape[0],)):
            raise VerifyException(
                f"the rows of a result '{short_type(self.result.type)}' are named by a tile "
                f"{shape[0]}x1 of i32"
            )
        if not isinstance(column, int) and is_tile(column.type):
            raise VerifyException("the first column is a scalar")
        self.verify_access(self.result.type)
        self.verify_fill()


@sugar_op
class ScatterOp(AccessOp):
    """Writes elements to where tiles of indices say; an element with an index outside is dropped.

    Two elements with the same indices in one scatter are undefined.
    """

    name = "tile_sugar.scatter"
    OPTIONS: ClassVar[tuple[Option, ...]] = (EXTENT, FULL)
    VALUES: ClassVar[int] = 1
    value = operand_def()
    tensor = operand_def(TensorType)
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    extent = opt_prop_def(DenseArrayBase)
    full = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_indices()
        shape = require_tile(self.value.type, "the value")
        if _indexed_shape(self.indices) != shape:
            raise VerifyException(
                f"the indices have shape {shape_text(_indexed_shape(self.indices))}, "
                f"but the value {shape_text(shape)}"
            )
        self.verify_access(self.value.type)


ATOMIC_ELEMENTS: dict[str, tuple[Attribute, ...]] = {
    "add": (i32, i64, f16, bf16, f32, f64),
    "xchg": (i32, i64, f32, f64),
    "cas": (i32, i64, f32, f64),
}
"""Element types of the atomics; the other modes take i32 and i64."""

RELAXED = MemoryOrderingAttr(MemoryOrdering.RELAXED)
DEVICE = MemoryScopeAttr(MemoryScope.DEVICE)


@sugar_op
class AtomicOp(AccessOp):
    """Changes elements in memory atomically: `atomic add %v, %T[..]`.

    Tiles of indices pick elements, and the result is what they held before (0 for an index
    outside, which is not changed). Scalar indices are the start of a slice into which all of the
    tile goes, without a result. `cas %expected, %v` stores where memory holds what is expected.
    The ordering is `relaxed` and the scope `device` unless stated.
    """

    name = "tile_sugar.atomic"
    OPTIONS: ClassVar[tuple[Option, ...]] = (EXTENT, INSIDE, FULL)
    mode = prop_def(AtomicModeAttr)
    ordering = prop_def(MemoryOrderingAttr, default_value=RELAXED)
    scope = prop_def(MemoryScopeAttr, default_value=DEVICE)
    expected = opt_operand_def()
    value = operand_def()
    tensor = operand_def(TensorType)
    indices = var_operand_def()
    static_indices = prop_def(DenseArrayBase)
    extent = opt_prop_def(DenseArrayBase)
    inside = opt_prop_def(UnitAttr)
    full = opt_prop_def(UnitAttr)
    result = opt_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def create(cls, *, operands: Any = (), properties: Any = None, **rest: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        made = dict(properties or {})
        made.setdefault("ordering", RELAXED)
        made.setdefault("scope", DEVICE)
        if "operandSegmentSizes" not in made:
            count = cls.value_count(made)
            segments = [count - 1, 1, 1, len(operands) - count - 1]
            made["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)
        return super().create(operands=operands, properties=made, **rest)

    @classmethod
    def value_count(cls, properties: Properties) -> int:
        mode = cast(AtomicModeAttr, properties["mode"])
        return 2 if mode.keyword == "cas" else 1

    @classmethod
    def make_properties(cls, types: Any, values: Any) -> dict[str, Attribute]:
        rest = {k: v for k, v in values.items() if k != "mode"}
        made = super().make_properties(types, rest)
        mode = values["mode"]
        made["mode"] = mode if isinstance(mode, Attribute) else AtomicModeAttr(AtomicMode(mode))
        return made

    @classmethod
    def parse_front(cls, parser: Parser, properties: dict[str, Attribute]) -> None:
        properties["mode"] = AtomicModeAttr(AtomicModeAttr.parse_keyword(parser))
        ordering = MemoryOrderingAttr.parse_optional_keyword(parser)
        if ordering is not None:
            properties["ordering"] = MemoryOrderingAttr(ordering)
        scope = MemoryScopeAttr.parse_optional_keyword(parser)
        if scope is not None:
            properties["scope"] = MemoryScopeAttr(scope)

    def print_front(self, printer: Printer) -> None:
        printer.print_string(f" {self.mode.keyword}")
        if self.ordering != RELAXED:
            printer.print_string(f" {self.ordering.keyword}")
        if self.scope != DEVICE:
            printer.print_string(f" {self.scope.keyword}")

    @property
    def is_slice(self) -> bool:
        return not any(is_tile(index.type) for index in self.indices)

    def verify_(self) -> None:
        if self.expected is not None and self.expected.type != self.value.type:
            raise VerifyException("what is expected must have the type of the value")
        mode = self.mode.keyword
        element = element_of(self.value.type)
        allowed = ATOMIC_ELEMENTS.get(mode, (i32, i64))
        if element not in allowed:
            names = ", ".join(map(short_type, allowed))
            raise VerifyException(
                f"atomic {mode} takes {names} elements, but got '{short_type(element)}'"
            )
        if self.is_slice:
            self.verify_slice(self.value.type)
            if self.result is not None:
                raise VerifyException("an atomic into a slice has no result; index with tiles")
            if mode == "cas":
                raise VerifyException("cas needs tiles of indices")
            return
        self.verify_indices()
        shape = require_tile(self.value.type, "the value")
        if _indexed_shape(self.indices) != shape:
            raise VerifyException(
                f"the indices have shape {shape_text(_indexed_shape(self.indices))}, "
                f"but the value {shape_text(shape)}"
            )
        if self.result is None or self.result.type != self.value.type:
            raise VerifyException("the result must have the type of the value")
        self.verify_access(self.value.type)


MAX_TABLE_WORK = 1 << 20


@sugar_op
class GatherTileOp(TileSugarOp):
    """The elements of a rank-1 tile that a tile of indices names; outside reads `fill`.

    Every pair of a table entry and an index is compared, so the product of their numbers is at
    most 2**20: a larger table belongs in memory, where `gather` reads it.
    """

    name = "tile_sugar.gather_tile"
    OPTIONS: ClassVar[tuple[Option, ...]] = (FILL,)
    table = operand_def()
    index = operand_def()
    fill = opt_prop_def(Attribute)
    result = result_def()
    traits = traits_def(Pure())

    @property
    def fill_value(self) -> Attribute:
        return number_attr(0, element_of(self.table.type)) if self.fill is None else self.fill

    @classmethod
    def number_element(cls, types: Sequence[Attribute]) -> Attribute:
        return element_of(types[0])

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        table = require_tile(types[0], "the table")
        shape = require_tile(types[1], "the index")
        if len(table) != 1:
            raise VerifyException(f"the table has rank 1, not {len(table)}; flatten it")
        if element_of(types[1]) != i32:
            raise VerifyException(f"indices are i32, not '{short_type(element_of(types[1]))}'")
        work = table[0]
        for extent in shape:
            work *= extent
        if work > MAX_TABLE_WORK:
            raise VerifyException(
                f"{table[0]} entries for {work // table[0]} indices are {work} comparisons, more "
                f"than {MAX_TABLE_WORK}: store the table and gather from memory"
            )
        return [tile_type(shape, element_of(types[0]))]


@sugar_op
class PrintOp(TileSugarOp):
    """Prints a format with the elements of values, as C's printf.

    A tile with an extent that is no power of two prints padded with zeros.
    """

    name = "tile_sugar.print"
    format = prop_def(StringAttr)
    values = var_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, format: str, values: Sequence[SSAValue | Operation] = ()) -> None:
        super().__init__(operands=[values], properties={"format": StringAttr(format)})

    @classmethod
    def parse(cls, parser: Parser) -> PrintOp:
        text = parser.parse_str_literal()
        operands: list[UnresolvedOperand] = []
        while parser.parse_optional_punctuation(",") is not None:
            operands.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        types, _ = parse_operand_types(parser, len(operands))
        values = [parser.resolve_operand(o, t) for o, t in zip(operands, types, strict=True)]
        op = cls(text, values)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.format.data)
        for value in self.values:
            printer.print_string(", ")
            printer.print_ssa_value(value)
        printer.print_op_attributes(self.attributes)
        if self.values:
            printer.print_string(f" : {operand_types_text(self.operand_types)}")

    def verify_(self) -> None:
        from tileir_xdsl.dialects.cuda_tile.misc import count_conversions

        require_values(self.operand_types)
        count = count_conversions(self.format.data)
        if count is None:
            raise VerifyException("the format has a conversion that is not finished")
        if count != len(self.values):
            raise VerifyException(
                f"the format has {plural(count, 'conversion')}, "
                f"but there {'is' if len(self.values) == 1 else 'are'} "
                f"{plural(len(self.values), 'value')}"
            )


@sugar_op
class AssertOp(TileSugarOp):
    """Stops the kernel with a message when an element is false."""

    name = "tile_sugar.assert"
    condition = operand_def()
    message = prop_def(StringAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, condition: SSAValue | Operation, message: str) -> None:
        super().__init__(operands=[condition], properties={"message": StringAttr(message)})

    @classmethod
    def parse(cls, parser: Parser) -> AssertOp:
        condition = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        message = parser.parse_str_literal()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(condition, parse_type(parser)), message)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(", ")
        printer.print_string_literal(self.message.data)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.condition.type)}")

    def verify_(self) -> None:
        require_values([self.condition.type])
        if element_of(self.condition.type) != i1:
            raise VerifyException(
                f"the condition must be i1, but got '{short_type(self.condition.type)}'"
            )


OPERATIONS: tuple[type[TileSugarOp], ...] = (
    AssertOp,
    AtomicOp,
    GatherOp,
    GatherRowsOp,
    GatherTileOp,
    LoadOp,
    PrintOp,
    ScatterOp,
    StoreOp,
)
