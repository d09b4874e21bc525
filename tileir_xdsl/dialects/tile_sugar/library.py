"""Matrix products, fused primitives and the library: operations that are defined by expansion.

`expansion` has the definitions. f16 and bf16 compute in f32 and round once.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    IntegerAttr,
    UnitAttr,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f16,
    f32,
    f64,
    i8,
    i32,
    tf32,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.arithmetic import SCALE_BLOCKS
from tileir_xdsl.dialects.cuda_tile.types import is_power_of_two, short_type
from tileir_xdsl.dialects.tile_sugar.attributes import FastMathAttr
from tileir_xdsl.dialects.tile_sugar.base import (
    Option,
    Properties,
    TileSugarOp,
    int_value,
    require_tile,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.elementwise import FASTMATH, require_elements
from tileir_xdsl.dialects.tile_sugar.reductions import AXIS, check_axis, reduced_shape, wide
from tileir_xdsl.dialects.tile_sugar.types import (
    ARITHMETIC,
    ARITHMETIC_FLOATS,
    broadcast_shapes,
    element_of,
    is_scalar,
    join,
    shape_of,
    shape_text,
    tile_type,
    ui8,
)

DOT_RESULTS: dict[Attribute, Attribute] = {
    f8E4M3FN: f32,
    f8E5M2: f32,
    f16: f32,
    bf16: f32,
    tf32: f32,
    f32: f32,
    f64: f64,
    i8: i32,
    ui8: i32,
}
"""The element type of a product of two tiles with one element type."""


def dot_operands(a: Attribute, b: Attribute) -> tuple[Attribute, Attribute]:
    """The element types that `dot` multiplies: two different floats of 16 or more bits join."""
    if a == b and a in DOT_RESULTS:
        return a, b
    if {a, b} == {i8, ui8}:
        return a, b
    if a in ARITHMETIC_FLOATS and b in ARITHMETIC_FLOATS:
        joined = join(a, b)
        return joined, joined
    raise VerifyException(
        f"no product of '{short_type(a)}' and '{short_type(b)}': dot takes f16, bf16, f32, f64, "
        "tf32, f8E4M3FN, f8E5M2 and 8-bit integers; cast one of them"
    )


@sugar_op
class DotOp(TileSugarOp):
    """The matrix product of [M,K] and [K,N], or of batches of them, added to `acc` if there is one.

    It accumulates in f32 (f64 in f64, 8-bit integers in i32), which is the element type of the
    result. `tf32` allows an f32 product to round its operands to tf32. `ordered` sums from left to
    right along K, one fma each.
    """

    name = "tile_sugar.dot"
    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("tf32"),
        Option("fast_acc"),
        Option("ordered"),
        Option("from_unsigned_lhs"),
        Option("from_unsigned_rhs"),
    )
    lhs = operand_def()
    rhs = operand_def()
    acc = opt_operand_def()
    tf32 = opt_prop_def(UnitAttr)
    fast_acc = opt_prop_def(UnitAttr)
    ordered = opt_prop_def(UnitAttr)
    from_unsigned_lhs = opt_prop_def(UnitAttr)
    from_unsigned_rhs = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def parse_operands(cls, parser: Parser, properties: dict[str, Attribute]) -> Any:
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        if parser.parse_optional_keyword("acc") is not None:
            operands.append(parser.parse_unresolved_operand())
        return operands

    def print_operands(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.lhs)
        printer.print_string(", ")
        printer.print_ssa_value(self.rhs)
        if self.acc is not None:
            printer.print_string(" acc ")
            printer.print_ssa_value(self.acc)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        a, b = (require_tile(type, "an operand") for type in types[:2])
        left, right = dot_operands(element_of(types[0]), element_of(types[1]))
        if "tf32" in properties and (left, right) != (f32, f32):
            raise VerifyException("tf32 is for products of f32")
        if len(a) != len(b) or len(a) not in (2, 3):
            raise VerifyException(
                f"operands have one rank, 2 or 3, but got {shape_text(a)} and {shape_text(b)}"
            )
        if a[:-2] != b[:-2]:
            raise VerifyException(
                f"batches of {shape_text(a)} and {shape_text(b)} differ: {a[0]} and {b[0]}"
            )
        if a[-1] != b[-2]:
            raise VerifyException(
                f"{shape_text(a)} has {a[-1]} columns, but {shape_text(b)} has {b[-2]} rows"
            )
        result = tile_type([*a[:-1], b[-1]], DOT_RESULTS[left])
        if len(types) > 2 and types[2] != result:
            raise VerifyException(
                f"acc must be '{short_type(result)}' as the product is, "
                f"but is '{short_type(types[2])}'"
            )
        return [result]


@sugar_op
class DotScaledOp(TileSugarOp):
    """The matrix product of block-scaled tiles, in f32: each scale covers a block along K.

    Operands and scales as `cuda_tile.mmaf_scaled` takes them; all extents are powers of two.
    """

    name = "tile_sugar.dot_scaled"
    lhs = operand_def()
    lhs_scale = operand_def()
    rhs = operand_def()
    rhs_scale = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        a, a_scale, b, b_scale = (require_tile(type, "an operand") for type in types)
        for shape in (a, a_scale, b, b_scale):
            if not all(map(is_power_of_two, shape)):
                raise VerifyException(
                    f"block-scaled products need powers of two, but got {shape_text(shape)}"
                )
        elements = [element_of(type) for type in types]
        if elements[0] != elements[2] or elements[1] != elements[3]:
            raise VerifyException("both operands, and both scales, have one element type")
        blocks = SCALE_BLOCKS.get((elements[0] == f4E2M1FN, elements[1]))
        if elements[0] not in (f8E4M3FN, f8E5M2, f4E2M1FN) or blocks is None:
            raise VerifyException(
                f"'{short_type(elements[0])}' cannot be scaled by '{short_type(elements[1])}'"
            )
        if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
            raise VerifyException(
                f"operands are [M,K] and [K,N], but got {shape_text(a)} and {shape_text(b)}"
            )
        if a_scale[0] != a[0] or b_scale[1] != b[1] or a_scale[1] != b_scale[0]:
            raise VerifyException(
                f"scales are [M,K/V] and [K/V,N], but got {shape_text(a_scale)} and "
                f"{shape_text(b_scale)}"
            )
        if a[1] // a_scale[1] not in blocks:
            raise VerifyException(
                f"a scale covers {' or '.join(map(str, blocks))} elements of K, "
                f"not {a[1] // a_scale[1]}"
            )
        return [tile_type([a[0], b[1]], f32)]


@sugar_op
class TileDotOp(TileSugarOp):
    """The sum of the products of corresponding elements of two tiles: one scalar.

    f16 and bf16 compute in f32 and round once. The fastest dimension is summed first.
    """

    name = "tile_sugar.tile_dot"
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        a, b = (require_tile(type, "an operand") for type in types)
        require_elements(types, ARITHMETIC, "integers or floats", "multiply")
        if types[0] != types[1]:
            raise VerifyException(
                f"operands have one type, but got '{short_type(types[0])}' and "
                f"'{short_type(types[1])}' (shapes {shape_text(a)} and {shape_text(b)})"
            )
        return [element_of(types[0])]


@sugar_op
class AxpyOp(TileSugarOp):
    """alpha * x + y for a scalar alpha: one fma per element."""

    name = "tile_sugar.axpy"
    OPTIONS: ClassVar[tuple[Option, ...]] = (FASTMATH,)
    alpha = operand_def()
    x = operand_def()
    y = operand_def()
    fastmath = opt_prop_def(FastMathAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        require_elements(types, ARITHMETIC, "integers or floats", "multiply")
        if not is_scalar(types[0]):
            raise VerifyException(f"alpha must be a scalar, but got '{short_type(types[0])}'")
        shape = broadcast_shapes(*(require_tile(type, "an operand") for type in types[1:]))
        element = join(join(element_of(types[0]), element_of(types[1])), element_of(types[2]))
        return [tile_type(shape, element)]


# The library.


class FloatLibraryOp(TileSugarOp, ABC):
    """An operation on a float tile, whose numbers are in the type that it computes in."""

    @classmethod
    def number_element(cls, types: Sequence[Attribute]) -> Attribute:
        return wide(element_of(types[0]))

    @staticmethod
    def check(types: Sequence[Attribute]) -> tuple[int, ...]:
        """The shape of the first operand, which must be a float tile."""
        shape = require_tile(types[0], "the operand")
        require_elements(types[:1], ARITHMETIC_FLOATS, "floats", "compute with")
        return shape


class NormalizationOp(FloatLibraryOp, ABC):
    OPTIONS: ClassVar[tuple[Option, ...]] = (AXIS, FASTMATH)
    source = operand_def()
    axis = opt_prop_def(IntegerAttr)
    fastmath = opt_prop_def(FastMathAttr)
    result = result_def()
    traits = traits_def(Pure())

    @property
    def dimension(self) -> int:
        return int_value(self.axis, len(shape_of(self.source.type)) - 1)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = cls.check(types)
        check_axis(int_value(properties.get("axis"), len(shape) - 1), shape)
        return types


@sugar_op
class SoftmaxOp(NormalizationOp):
    """exp(x - g) / sum(exp(x - g)) of each row, with g the row's maximum, or 0 if that is infinite.

    A row of only -inf is NaN. The reciprocal is taken once a row.
    """

    name = "tile_sugar.softmax"


@sugar_op
class LogSoftmaxOp(NormalizationOp):
    """The logarithm of `softmax`, computed without it."""

    name = "tile_sugar.log_softmax"


@sugar_op
class LogSumExpOp(NormalizationOp):
    """g + log(sum(exp(x - g))) of each row; -inf for a row of only -inf."""

    name = "tile_sugar.logsumexp"

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = cls.check(types)
        axis = int_value(properties.get("axis"), len(shape) - 1)
        check_axis(axis, shape)
        return [tile_type(reduced_shape(shape, axis), element_of(types[0]))]


class ActivationOp(FloatLibraryOp, ABC):
    OPTIONS: ClassVar[tuple[Option, ...]] = (FASTMATH,)
    source = operand_def()
    fastmath = opt_prop_def(FastMathAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        require_elements(types, ARITHMETIC_FLOATS, "floats", "compute with")
        return types


@sugar_op
class GeluOp(ActivationOp):
    """x / 2 * (1 + erf(x / sqrt 2)); not for f64, which has no `erf`."""

    name = "tile_sugar.gelu"

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        if element_of(types[0]) == f64:
            raise VerifyException("gelu is for f16, bf16 and f32: cast f64 to f32 first")
        return super().infer(types, properties)


@sugar_op
class SiluOp(ActivationOp):
    """x * sigmoid(x)."""

    name = "tile_sugar.silu"


FILL = Option("fill", "number")


@sugar_op
class MaskColsOp(TileSugarOp):
    """The tile where the column is below n, else `fill`: 0 unless stated."""

    name = "tile_sugar.mask_cols"
    source = operand_def()
    count = operand_def()
    fill = opt_prop_def(Attribute)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def number_element(cls, types: Sequence[Attribute]) -> Attribute:
        return element_of(types[0])

    @classmethod
    def parse(cls, parser: Parser) -> MaskColsOp:
        from tileir_xdsl.dialects.tile_sugar.attributes import number_attr, parse_number
        from tileir_xdsl.dialects.tile_sugar.base import parse_types

        source = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        count = parser.parse_unresolved_operand()
        text = None
        start = parser.pos
        if parser.parse_optional_punctuation(",") is not None:
            text = parse_number(parser)
        end = parser.pos
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parse_types(parser)
        index = types[1] if len(types) > 1 else i32
        properties: dict[str, Attribute] = {}
        if text is not None:
            try:
                properties["fill"] = number_attr(text, element_of(types[0]))
            except (ValueError, KeyError) as error:
                parser.raise_error(str(error), start, end)
        return cls.create(
            operands=[
                parser.resolve_operand(source, types[0]),
                parser.resolve_operand(count, index),
            ],
            result_types=[types[0]],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        from tileir_xdsl.dialects.tile_sugar.attributes import number_text

        self.print_operands(printer)
        if self.fill is not None:
            printer.print_string(f", {number_text(self.fill)}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.source.type)}")
        if self.count.type != i32:
            printer.print_string(f", {short_type(self.count.type)}")

    @classmethod
    def make_properties(cls, types: Any, values: Any) -> dict[str, Attribute]:
        from tileir_xdsl.dialects.tile_sugar.attributes import number_attr

        made: dict[str, Attribute] = {}
        fill = values.get("fill")
        if fill is not None:
            made["fill"] = (
                fill if isinstance(fill, Attribute) else number_attr(fill, element_of(types[0]))
            )
        return made

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        require_tile(types[0], "the operand")
        if element_of(types[1]) != i32 or not (is_scalar(types[1]) or shape_of(types[1])):
            raise VerifyException(f"the count is i32, but got '{short_type(types[1])}'")
        shape = shape_of(types[0])
        if broadcast_shapes(shape, shape_of(types[1])) != shape:
            raise VerifyException("the count does not broadcast to the tile")
        return types[:1]

    def verify_numbers(self) -> None:
        from tileir_xdsl.dialects.tile_sugar.attributes import is_number

        element = element_of(self.source.type)
        if self.fill is not None and not is_number(self.fill, element):
            raise VerifyException(f"fill must be a number of '{short_type(element)}'")


@sugar_op
class CausalMaskOp(TileSugarOp):
    """The tile where k0 + column <= q0 + row, else -1e30 (clamped to the element type)."""

    name = "tile_sugar.causal_mask"
    source = operand_def()
    q0 = operand_def()
    k0 = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> CausalMaskOp:
        from tileir_xdsl.dialects.tile_sugar.base import parse_types

        operands = cls.parse_operands(parser, {})
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parse_types(parser)
        index = types[1] if len(types) > 1 else i32
        return cls.create(
            operands=[
                parser.resolve_operand(o, t)
                for o, t in zip(operands, (types[0], index, index), strict=True)
            ],
            result_types=[types[0]],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        self.print_operands(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.source.type)}")
        if self.q0.type != i32:
            printer.print_string(f", {short_type(self.q0.type)}")

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        require_elements(types[:1], ARITHMETIC_FLOATS, "floats", "mask")
        if len(shape) != 2:
            raise VerifyException(f"the operand has rank 2, not {len(shape)}")
        for type in types[1:]:
            if not is_scalar(type) or element_of(type) != i32:
                raise VerifyException(f"a first row or column is i32, not '{short_type(type)}'")
        return types[:1]


@sugar_op
class ArgSelOp(TileSugarOp):
    """`va >= vb ? ia : ib`: the index that goes with the larger value, the first on a tie."""

    name = "tile_sugar.argsel"
    va = operand_def()
    vb = operand_def()
    ia = operand_def()
    ib = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        require_elements(types[:2], ARITHMETIC, "integers or floats", "compare")
        shape = broadcast_shapes(*map(shape_of, types))
        element = join(element_of(types[2]), element_of(types[3]))
        return [tile_type(shape, element) if shape else element]


@sugar_op
class TopKOp(TileSugarOp):
    """The k largest elements of each row and their columns.

    Picks go by descending value, then by ascending column; NaN comes after every number; each
    column is picked at most once. The results are [R,k], the columns as i32.
    """

    name = "tile_sugar.topk"
    OPTIONS: ClassVar[tuple[Option, ...]] = (Option("k", "int"),)
    source = operand_def()
    k = prop_def(IntegerAttr)
    values = result_def()
    columns = result_def()
    traits = traits_def(Pure())

    @property
    def picks(self) -> int:
        return int_value(self.k, 1)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = require_tile(types[0], "the operand")
        require_elements(types, ARITHMETIC, "integers or floats", "compare")
        if len(shape) != 2:
            raise VerifyException(f"the operand has rank 2, not {len(shape)}")
        picks = int_value(properties.get("k"), 0)
        if not 1 <= picks <= shape[1]:
            raise VerifyException(f"cannot pick {picks} of {shape[1]} columns")
        return [tile_type([shape[0], picks], element) for element in (element_of(types[0]), i32)]


@sugar_op
class CrossEntropyOp(FloatLibraryOp):
    """logsumexp(x) - x[label] of each row; a label outside the row gives NaN."""

    name = "tile_sugar.cross_entropy"
    logits = operand_def()
    labels = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = cls.check(types)
        if len(shape) != 2:
            raise VerifyException(f"the logits have rank 2, not {len(shape)}")
        expected = tile_type([shape[0], 1], i32)
        if types[1] != expected:
            raise VerifyException(
                f"the labels must be '{short_type(expected)}', but are '{short_type(types[1])}'"
            )
        return [tile_type([shape[0], 1], element_of(types[0]))]


EPS = Option("eps", "number")


def _check_parameters(shape: tuple[int, ...], types: Sequence[Attribute]) -> None:
    for type in types:
        parameter = require_tile(type, "a parameter")
        require_elements([type], ARITHMETIC_FLOATS, "floats", "scale by")
        if broadcast_shapes(shape, parameter) != shape:
            raise VerifyException(
                f"a parameter of shape {shape_text(parameter)} does not broadcast to "
                f"{shape_text(shape)}"
            )


@sugar_op
class LayerNormOp(FloatLibraryOp):
    """(x - mean) * rsqrt(var + eps) * g + b of each row, with the biased variance."""

    name = "tile_sugar.layer_norm"
    OPTIONS: ClassVar[tuple[Option, ...]] = (EPS,)
    source = operand_def()
    scale = operand_def()
    shift = operand_def()
    eps = prop_def(Attribute)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = cls.check(types)
        _check_parameters(shape, types[1:])
        return types[:1]


@sugar_op
class RmsNormOp(FloatLibraryOp):
    """x * rsqrt(mean(x * x) + eps) * g of each row."""

    name = "tile_sugar.rms_norm"
    OPTIONS: ClassVar[tuple[Option, ...]] = (EPS,)
    source = operand_def()
    scale = operand_def()
    eps = prop_def(Attribute)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        shape = cls.check(types)
        _check_parameters(shape, types[1:])
        return types[:1]


@sugar_op
class OnlineSoftmaxStepOp(FloatLibraryOp):
    """One block of attention: the running maximum, sum and product for scores and their values.

    With t = s * scale: m' = max(m, rowmax(t)), g is m' or 0 if that is infinite,
    p = exp(t - g) by one fma, l' = l * exp(m - g) + rowsum(p), and
    acc' = acc * exp(m - g) + p as v's type times v. Begin with m = -inf, l = 0, acc = 0, and
    divide acc by l at the end. `scale` is positive.
    """

    name = "tile_sugar.online_softmax_step"
    OPTIONS: ClassVar[tuple[Option, ...]] = (Option("scale", "number"), FASTMATH)
    maximum = operand_def()
    total = operand_def()
    acc = operand_def()
    scores = operand_def()
    values = operand_def()
    scale = opt_prop_def(Attribute)
    fastmath = opt_prop_def(FastMathAttr)
    new_maximum = result_def()
    new_total = result_def()
    new_acc = result_def()
    traits = traits_def(Pure())

    @classmethod
    def number_element(cls, types: Sequence[Attribute]) -> Attribute:
        return f32

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        scores = require_tile(types[3], "the scores")
        values = require_tile(types[4], "the values")
        if len(scores) != 2 or len(values) != 2 or scores[1] != values[0]:
            raise VerifyException(
                f"scores are [M,N] and values [N,D], but got {shape_text(scores)} and "
                f"{shape_text(values)}"
            )
        if element_of(types[3]) != f32:
            raise VerifyException(f"scores are f32, but got '{short_type(element_of(types[3]))}'")
        column = tile_type([scores[0], 1], f32)
        product = tile_type([scores[0], values[1]], f32)
        for what, type, expected in (
            ("the maximum", types[0], column),
            ("the sum", types[1], column),
            ("acc", types[2], product),
        ):
            if type != expected:
                raise VerifyException(
                    f"{what} must be '{short_type(expected)}', but is '{short_type(type)}'"
                )
        if element_of(types[4]) not in (f16, bf16, f32):
            raise VerifyException("values are f16, bf16 or f32")
        return [column, column, product]

    def verify_(self) -> None:
        super().verify_()
        from tileir_xdsl.dialects.cuda_tile.constants import float_bits

        if self.scale is not None and float_bits(self.scale)[0] >> 31:
            raise VerifyException("scale must be positive")


LIBRARY: tuple[type[TileSugarOp], ...] = (
    ArgSelOp,
    AxpyOp,
    CausalMaskOp,
    CrossEntropyOp,
    GeluOp,
    LayerNormOp,
    LogSoftmaxOp,
    LogSumExpOp,
    MaskColsOp,
    OnlineSoftmaxStepOp,
    RmsNormOp,
    SiluOp,
    SoftmaxOp,
    TileDotOp,
    TopKOp,
)
"""The operations that are defined by an expansion into others of the dialect."""

OPERATIONS: tuple[type[TileSugarOp], ...] = (*LIBRARY, DotOp, DotScaledOp)
