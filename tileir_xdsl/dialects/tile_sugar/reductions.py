"""Reductions and scans. The reduced axis stays, with extent 1.

Order: a reduction is a balanced tree over the extent rounded up to a power of two, the low half
combined with the high half, absent elements skipped. A scan goes from left to right. `ordered`
pins a reduction left to right too.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, UnitAttr, bf16, f16, f32, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.types import short_type
from tileir_xdsl.dialects.tile_sugar.attributes import (
    CombineKind,
    CombineKindAttr,
    Number,
    is_number,
    number_attr,
    number_text,
    parse_number,
)
from tileir_xdsl.dialects.tile_sugar.base import (
    Option,
    Properties,
    TileSugarOp,
    int_value,
    operand_types_text,
    parse_operand_types,
    parse_types,
    require_tile,
    require_values,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.elementwise import require_elements
from tileir_xdsl.dialects.tile_sugar.sweep import SCALAR_BODY, IndexOp, verify_scalar_region
from tileir_xdsl.dialects.tile_sugar.types import (
    ARITHMETIC,
    ELEMENTS,
    broadcast_shapes,
    element_of,
    is_float,
    is_integer,
    shape_of,
    shape_text,
    tile_type,
)

AXIS = Option("axis", "int")
ORDERED = Option("ordered")


def reduced_shape(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    return tuple(1 if k == axis else extent for k, extent in enumerate(shape))


class ReductionOp(TileSugarOp, ABC):
    """A reduction of one tile along `axis`: of rows along the last, of columns the one before."""

    OPTIONS: ClassVar[tuple[Option, ...]] = (AXIS, ORDERED)
    FROM_END: ClassVar[int] = 1
    """The default axis, counted from the last one, which is 1."""

    source = operand_def()
    axis = opt_prop_def(IntegerAttr)
    ordered = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def axis_of(cls, types: Sequence[Attribute], properties: Properties) -> int:
        return int_value(properties.get("axis"), len(shape_of(types[0])) - cls.FROM_END)

    @property
    def dimension(self) -> int:
        return type(self).axis_of(self.operand_types, self.properties)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        require_elements(types, ARITHMETIC, "integers or floats", "reduce")
        axis = cls.axis_of(types, properties)
        if axis < 0 and "axis" not in properties:
            raise VerifyException(f"a tile of rank {len(shape)} has no columns; reduce its row")
        check_axis(axis, shape)
        return [tile_type(reduced_shape(shape, axis), cls.reduced_element(element_of(types[0])))]

    @classmethod
    def reduced_element(cls, element: Attribute) -> Attribute:
        return element


def check_axis(axis: int, shape: Sequence[int]) -> None:
    if not 0 <= axis < len(shape):
        raise VerifyException(
            f"a tile of shape {shape_text(shape)} has axes 0 to {len(shape) - 1}, not {axis}"
        )


@sugar_op
class RowMaxOp(ReductionOp):
    """The maximum of each row: NaN loses to every number; a row of only NaN answers NaN."""

    name = "tile_sugar.rowmax"


@sugar_op
class RowMinOp(ReductionOp):
    """The minimum of each row: NaN loses to every number; a row of only NaN answers NaN."""

    name = "tile_sugar.rowmin"


@sugar_op
class RowSumOp(ReductionOp):
    """The sum of each row: integers wrap, f16 and bf16 accumulate in f32 and round once."""

    name = "tile_sugar.rowsum"


class MeanOp(ReductionOp, ABC):
    @classmethod
    def reduced_element(cls, element: Attribute) -> Attribute:
        return element if is_float(element) else f32


@sugar_op
class RowMeanOp(MeanOp):
    """The mean of each row: in f32 for f16 and bf16; integers answer f32."""

    name = "tile_sugar.rowmean"


@sugar_op
class RowVarOp(MeanOp):
    """The biased variance of each row, of the distances from the mean, in two passes."""

    name = "tile_sugar.rowvar"


class ArgOp(ReductionOp, ABC):
    OPTIONS: ClassVar[tuple[Option, ...]] = (AXIS,)

    @classmethod
    def reduced_element(cls, element: Attribute) -> Attribute:
        return i32


@sugar_op
class RowArgMaxOp(ArgOp):
    """The smallest column of the maximum of each row; NaN never wins; 0 when all are NaN."""

    name = "tile_sugar.rowargmax"


@sugar_op
class RowArgMinOp(ArgOp):
    """The smallest column of the minimum of each row; NaN never wins; 0 when all are NaN."""

    name = "tile_sugar.rowargmin"


@sugar_op
class ColMaxOp(ReductionOp):
    """The maximum of each column, as `rowmax`."""

    name = "tile_sugar.colmax"
    FROM_END: ClassVar[int] = 2


@sugar_op
class ColMinOp(ReductionOp):
    """The minimum of each column, as `rowmin`."""

    name = "tile_sugar.colmin"
    FROM_END: ClassVar[int] = 2


@sugar_op
class ColSumOp(ReductionOp):
    """The sum of each column, as `rowsum`."""

    name = "tile_sugar.colsum"
    FROM_END: ClassVar[int] = 2


@sugar_op
class ColMeanOp(MeanOp):
    """The mean of each column, as `rowmean`."""

    name = "tile_sugar.colmean"
    FROM_END: ClassVar[int] = 2


@sugar_op
class CumSumOp(TileSugarOp):
    """The running sum down the rows: along axis 0 unless `axis` says otherwise.

    `reverse` runs from the end, `exclusive` leaves each element's own value out: the first is 0,
    as the identity of the sum (-0.0 for floats).
    f16 and bf16 accumulate in f32.
    """

    name = "tile_sugar.cumsum"
    OPTIONS: ClassVar[tuple[Option, ...]] = (AXIS, Option("reverse"), Option("exclusive"))
    source = operand_def()
    axis = opt_prop_def(IntegerAttr)
    reverse = opt_prop_def(UnitAttr)
    exclusive = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())

    @property
    def dimension(self) -> int:
        return int_value(self.axis, 0)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        require_elements(types, ARITHMETIC, "integers or floats", "sum")
        check_axis(int_value(properties.get("axis"), 0), shape)
        return types


# General reductions and scans.


def identity_number(kind: str, element: Attribute) -> Number:
    """The identity of a combining kind: combined with any element it gives that element."""
    integer = is_integer(element)
    width = element.width.data if is_integer(element) else 0
    match kind:
        case "sum":
            return 0 if integer else "-0.0"
        case "prod":
            return 1
        case "max":
            return -(1 << (width - 1)) if integer else "nan"
        case "min":
            return (1 << (width - 1)) - 1 if integer else "nan"
        case "and":
            return 1 if width == 1 else -1
        case _:
            return 0


def identity_attr(kind: str, element: Attribute) -> Attribute:
    return number_attr(identity_number(kind, element), element)


class FoldOp(TileSugarOp, ABC):
    """What `reduce` and `scan` share."""

    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    SCALAR_REGIONS: ClassVar[bool] = True
    KEEPS_SHAPE: ClassVar[bool]

    if TYPE_CHECKING:
        # The subclasses declare these.
        inputs: Any
        inits: Any
        axis: Any
        kinds: Any
        identities: Any
        map_region: Region
        combine_region: Region

    @classmethod
    def fold(
        cls,
        inputs: Sequence[SSAValue | Operation],
        axis: int,
        *,
        kinds: Sequence[str] | None = None,
        identities: Sequence[Attribute] | None = None,
        inits: Sequence[SSAValue | Operation] = (),
        map_region: Region | None = None,
        combine_region: Region | None = None,
        words: Sequence[str] = (),
    ) -> Any:
        """The fold of some tiles along an axis, by kinds or by a combine region."""
        values = [SSAValue.get(value) for value in inputs]
        shape = joint_shape([value.type for value in values])
        properties: dict[str, Attribute | None] = {"axis": IntegerAttr(axis, i32)}
        if kinds is not None:
            properties["kinds"] = ArrayAttr([CombineKindAttr(CombineKind(kind)) for kind in kinds])
        if identities is not None:
            properties["identities"] = ArrayAttr(identities)
        for word in words:
            properties[word] = UnitAttr()
        map_region = map_region or Region()
        elements = accumulated(map_region, [element_of(value.type) for value in values])
        shape = shape if cls.KEEPS_SHAPE else reduced_shape(shape, axis)
        return cls.build(
            operands=[values, list(inits)],
            result_types=[[tile_type(shape, element) for element in elements]],
            properties=properties,
            regions=[map_region, combine_region or Region()],
        )

    def again(self, inputs: Sequence[SSAValue], map_region: Region | None = None) -> Any:
        """The same fold of other tiles, after a map or none."""
        words = [w for w in ("ordered", "reverse", "exclusive") if w in self.properties]
        return self.fold(
            inputs,
            self.dimension,
            kinds=self.kind_words,
            identities=None if self.identities is None else self.identities.data,
            inits=list(self.inits),
            map_region=map_region,
            combine_region=self.combine_region.clone(),
            words=words,
        )

    @property
    def dimension(self) -> int:
        return self.axis.value.data

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is combined: of the inputs, or what they broadcast to for the map."""
        return joint_shape([value.type for value in self.inputs])

    def indexed_shape(self, region: Region) -> tuple[int, ...] | None:
        """The shape in which `index` counts in a region; None where there are no positions."""
        return self.shape if region is self.map_region else None

    @property
    def elements(self) -> list[Attribute]:
        """The element types that are combined."""
        return accumulated(self.map_region, [element_of(v.type) for v in self.inputs])

    @property
    def kind_words(self) -> list[str] | None:
        """The combining kind of each accumulator; None with a combine region."""
        return None if self.kinds is None else [kind.keyword for kind in self.kinds.data]

    def identity_attrs(self) -> list[Attribute]:
        """The identity of each accumulator."""
        if self.identities is not None:
            return list(self.identities.data)
        words = self.kind_words or []
        return [identity_attr(w, e) for w, e in zip(words, self.elements, strict=True)]

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        inits: list[Any] = []
        if parser.parse_optional_keyword("init") is not None:
            inits = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
        properties: dict[str, Attribute] = {}
        parser.parse_keyword("axis")
        properties["axis"] = AXIS.parse(parser)  # pyright: ignore[reportArgumentType]
        identities: list[str] = []
        if parser.parse_optional_keyword("kinds") is not None:
            kinds = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: CombineKindAttr.parse_keyword(parser)
            )
            properties["kinds"] = ArrayAttr([CombineKindAttr(kind) for kind in kinds])
        elif parser.parse_optional_keyword("identities") is not None:
            identities = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parse_number(parser)
            )
        cls.parse_options(parser, properties)
        attributes = parser.parse_optional_attr_dict()
        types, position = parse_operand_types(parser, len(operands) + len(inits))
        parser.parse_punctuation("->")
        results = parse_types(parser)
        regions = [Region(), Region()]
        for number, word in enumerate(("map", "combine")):
            if parser.parse_optional_keyword(word) is not None:
                regions[number] = parser.parse_region()
        if identities:
            if len(identities) != len(results):
                parser.raise_error(
                    f"expected {len(results)} identities, but got {len(identities)}", position
                )
            try:
                properties["identities"] = ArrayAttr(
                    [
                        number_attr(text, element_of(type))
                        for text, type in zip(identities, results, strict=True)
                    ]
                )
            except (ValueError, KeyError) as error:
                parser.raise_error(str(error), position, parser.pos)
        values = [
            parser.resolve_operand(o, t) for o, t in zip((*operands, *inits), types, strict=True)
        ]
        return cls.build(
            operands=[values[: len(operands)], values[len(operands) :]],
            result_types=[results],
            properties=properties,
            attributes=attributes,
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.inputs, printer.print_ssa_value)
        printer.print_string(")")
        if self.inits:
            printer.print_string(" init(")
            printer.print_list(self.inits, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_string(f" axis {self.dimension}")
        if self.kind_words is not None:
            printer.print_string(f" kinds [{', '.join(self.kind_words)}]")
        elif self.identities is not None:
            shown = ", ".join(map(number_text, self.identities.data))
            printer.print_string(f" identities [{shown}]")
        self.print_options(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {operand_types_text(self.operand_types)} -> ")
        printer.print_string(", ".join(map(short_type, self.result_types)))
        for word, region in (("map", self.map_region), ("combine", self.combine_region)):
            if region.blocks:
                printer.print_string(f" {word} ")
                printer.print_region(region)

    def verify_(self) -> None:
        if not self.inputs:
            raise VerifyException("needs at least one operand")
        shape = self._verify_inputs()
        check_axis(self.dimension, shape)
        inputs = [element_of(value.type) for value in self.inputs]
        results = [element_of(result.type) for result in self.results]
        if self.map_region.blocks:
            allowed = (*SCALAR_BODY, IndexOp)
            verify_scalar_region(self.map_region, inputs, results, allowed, "the map")
        elif inputs != results:
            raise VerifyException(
                "without a map the results have the element types of the operands"
            )
        self._verify_results(shape)
        self._verify_combination(results)

    def _verify_inputs(self) -> tuple[int, ...]:
        """The shape that is reduced."""
        types = [value.type for value in self.inputs]
        if self.map_region.blocks:
            require_values(types)
            shape = joint_shape(types)
            if not shape:
                raise VerifyException("needs an operand that is a tile")
            return shape
        shape = require_tile(types[0], "an operand")
        for type in types:
            if require_tile(type, "an operand") != shape:
                raise VerifyException(
                    f"without a map operands have one shape, but got {shape_text(shape)} and "
                    f"{shape_text(shape_of(type))}"
                )
        return shape

    def _verify_results(self, shape: tuple[int, ...]) -> None:
        expected = shape if self.KEEPS_SHAPE else reduced_shape(shape, self.dimension)
        for result in self.results:
            if shape_of(result.type) != expected:
                raise VerifyException(
                    f"a result must have shape {shape_text(expected)}, "
                    f"but has {shape_text(shape_of(result.type))}"
                )
        if self.inits and len(self.inits) != len(self.results):
            raise VerifyException(
                f"needs an init for each of the {len(self.results)} results, "
                f"but got {len(self.inits)}"
            )
        reduced = reduced_shape(shape, self.dimension)
        for init, result in zip(self.inits, self.results):
            if element_of(init.type) != element_of(result.type):
                raise VerifyException("an init has the element type of its result")
            if broadcast_shapes(shape_of(init.type), reduced) != reduced:
                raise VerifyException(
                    f"init of shape {shape_text(shape_of(init.type))} does not broadcast to "
                    f"{shape_text(reduced)}"
                )

    def _verify_combination(self, results: Sequence[Attribute]) -> None:
        words = self.kind_words
        if (words is None) != bool(self.combine_region.blocks):
            raise VerifyException("needs either kinds or a combine region")
        if words is not None:
            if self.identities is not None:
                raise VerifyException("kinds have identities of their own")
            if len(words) != len(results):
                raise VerifyException(f"{len(words)} kinds for {len(results)} results")
            for word, element in zip(words, results, strict=True):
                _check_kind(word, element)
            return
        if self.identities is None or len(self.identities.data) != len(results):
            raise VerifyException(
                f"a combine region needs identities, one for each of the {len(results)} results"
            )
        for identity, element in zip(self.identities.data, results, strict=True):
            if not is_number(identity, element):
                raise VerifyException(f"an identity must be a number of '{short_type(element)}'")
        pairs = [*results, *results]
        verify_scalar_region(self.combine_region, pairs, results, SCALAR_BODY, "the combination")


def joint_shape(types: Sequence[Attribute]) -> tuple[int, ...]:
    """The shape that tiles and scalars broadcast to; () of scalars alone."""
    return broadcast_shapes(*map(shape_of, types))


def accumulated(map_region: Region, elements: Sequence[Attribute]) -> list[Attribute]:
    """The element types that a map yields; those of the operands when there is none."""
    if not map_region.blocks:
        return list(elements)
    last = map_region.block.last_op
    return [] if last is None else [operand.type for operand in last.operands]


def _check_kind(word: str, element: Attribute) -> None:
    if element not in ELEMENTS:
        raise VerifyException(f"cannot reduce '{short_type(element)}' elements")
    if word in ("and", "or", "xor"):
        if not isinstance(element, IntegerType):
            raise VerifyException(f"{word} combines integers, not '{short_type(element)}'")
        return
    require_elements([element], ARITHMETIC, "integers or floats", "reduce")


@sugar_op
class ReduceOp(FoldOp):
    """The general reduction: of several tiles at once, after a map, by kinds or a combination.

    The map is over scalars as the body of a sweep: its operands broadcast, `index d` is the
    position.
    `kinds` are `sum prod max min and or xor`, one for each accumulator; f16 and bf16 accumulate
    in their own type here (map them to f32 to sum in f32). A combine region takes the
    accumulators, then as many elements; its `identities` must be identities of it, and it must be
    associative and commutative unless the reduction is `ordered`. `init` is combined in front.
    """

    name = "tile_sugar.reduce"
    OPTIONS: ClassVar[tuple[Option, ...]] = (ORDERED,)
    KEEPS_SHAPE: ClassVar[bool] = False
    inputs = var_operand_def()
    inits = var_operand_def()
    axis = prop_def(IntegerAttr)
    kinds = opt_prop_def(ArrayAttr)
    identities = opt_prop_def(ArrayAttr)
    ordered = opt_prop_def(UnitAttr)
    outputs = var_result_def()
    map_region = region_def()
    combine_region = region_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())


@sugar_op
class ScanOp(FoldOp):
    """The prefix form of `reduce`: each element combined with all before it along the axis.

    `reverse` runs from the end; `exclusive` leaves out the element itself, so the first is the
    identity, or `init`.
    """

    name = "tile_sugar.scan"
    OPTIONS: ClassVar[tuple[Option, ...]] = (Option("reverse"), Option("exclusive"))
    KEEPS_SHAPE: ClassVar[bool] = True
    inputs = var_operand_def()
    inits = var_operand_def()
    axis = prop_def(IntegerAttr)
    kinds = opt_prop_def(ArrayAttr)
    identities = opt_prop_def(ArrayAttr)
    reverse = opt_prop_def(UnitAttr)
    exclusive = opt_prop_def(UnitAttr)
    outputs = var_result_def()
    map_region = region_def()
    combine_region = region_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())


F16_LIKE: tuple[Attribute, ...] = (f16, bf16)


def wide(element: Attribute) -> Attribute:
    """The type that f16 and bf16 accumulate in; any other type itself."""
    return f32 if element in F16_LIKE else element


OPERATIONS: tuple[type[TileSugarOp], ...] = (
    ColMaxOp,
    ColMeanOp,
    ColMinOp,
    ColSumOp,
    CumSumOp,
    ReduceOp,
    RowArgMaxOp,
    RowArgMinOp,
    RowMaxOp,
    RowMeanOp,
    RowMinOp,
    RowSumOp,
    RowVarOp,
    ScanOp,
)
