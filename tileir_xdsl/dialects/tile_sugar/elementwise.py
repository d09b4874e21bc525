"""Elementwise operations: on tiles and scalars alike, with broadcasting and promotion.

Every operation rounds once, to nearest even, in its type. What each computes in terms of
`cuda_tile` is in `primitives`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, f8E8M0FNU, f64, i1, i32
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.types import TileType, bit_width, short_type
from tileir_xdsl.dialects.tile_sugar.attributes import (
    ComparePredicateAttr,
    FastMathAttr,
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
    require_tile,
    require_values,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.types import (
    ARITHMETIC,
    ARITHMETIC_FLOATS,
    ARITHMETIC_INTEGERS,
    ELEMENTS,
    STORAGE,
    broadcast_shapes,
    element_of,
    is_float,
    is_integer,
    is_scalar,
    is_tile,
    is_unsigned,
    join,
    join_all,
    like,
    parse_type,
    shape_of,
    shape_text,
    value_type,
)

FASTMATH = Option("fastmath", "fastmath")
PROPAGATE_NAN = Option("propagate_nan")


def require_elements(
    types: Sequence[Attribute], allowed: Sequence[Attribute], needs: str, verb: str
) -> None:
    """The element types are among `allowed`; the message says to cast the others."""
    for type in types:
        element = element_of(type)
        if element in allowed:
            continue
        name = short_type(element)
        if element in STORAGE:
            target = "i32 or f32" if is_integer(element) else "f32"
            raise VerifyException(f"cannot {verb} '{name}' elements: cast them to {target} first")
        raise VerifyException(f"needs {needs}, but got '{name}'")


class ElementwiseOp(TileSugarOp, ABC):
    """An operation on corresponding elements; extents of 1 and scalars broadcast."""

    OPTIONS: ClassVar[tuple[Option, ...]] = (FASTMATH,)
    VERB: ClassVar[str] = "compute with"
    """What messages say the operation does."""

    fastmath = opt_prop_def(FastMathAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        require_values(types)
        shape = broadcast_shapes(*map(shape_of, types))
        return [value_type(shape, cls.result_element(types), types)]

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        """The element type of the result.

        Raises VerifyException for element types that the operation does not take.
        """
        raise NotImplementedError

    @classmethod
    def computed_elements(cls, types: Sequence[Attribute]) -> Sequence[Attribute]:
        """The element type that each operand is cast to before the operation."""
        return [cls.result_element(types)] * len(types)

    def has_flag(self, flag: str) -> bool:
        return self.fastmath is not None and flag in self.fastmath.data


class UnaryOp(ElementwiseOp, ABC):
    source = operand_def()


class BinaryOp(ElementwiseOp, ABC):
    lhs = operand_def()
    rhs = operand_def()


# Arithmetic on joined types.


class ArithmeticOp(BinaryOp, ABC):
    """Two operands of any arithmetic types, joined."""

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, ARITHMETIC, "integers or floats", cls.VERB)
        return join_all(*map(element_of, types))


@sugar_op
class AddOp(ArithmeticOp):
    """Sum; integers wrap."""

    name = "tile_sugar.add"
    VERB: ClassVar[str] = "add"


@sugar_op
class SubOp(ArithmeticOp):
    """Difference; integers wrap."""

    name = "tile_sugar.sub"
    VERB: ClassVar[str] = "subtract"


@sugar_op
class MulOp(ArithmeticOp):
    """Product; integers wrap."""

    name = "tile_sugar.mul"
    VERB: ClassVar[str] = "multiply"


@sugar_op
class DivOp(ArithmeticOp):
    """Quotient. Integers truncate; division by zero, and of the least value by -1, is undefined."""

    name = "tile_sugar.div"
    VERB: ClassVar[str] = "divide"
    traits = traits_def(NoMemoryEffect())


@sugar_op
class RemOp(ArithmeticOp):
    """Remainder of the truncated quotient, with the sign of the dividend (C's `fmod`)."""

    name = "tile_sugar.rem"
    VERB: ClassVar[str] = "divide"
    traits = traits_def(NoMemoryEffect())


class ExtremumOp(ArithmeticOp, ABC):
    OPTIONS: ClassVar[tuple[Option, ...]] = (PROPAGATE_NAN, FASTMATH)
    VERB: ClassVar[str] = "compare"
    propagate_nan = opt_prop_def(UnitAttr)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        results = super().infer(types, properties)
        if "propagate_nan" in properties and is_integer(element_of(results[0])):
            raise VerifyException("propagate_nan is for floats: integers have no NaN")
        return results


@sugar_op
class MinOp(ExtremumOp):
    """Minimum: the other operand when one is NaN, unless `propagate_nan`; -0 is below +0."""

    name = "tile_sugar.min"


@sugar_op
class MaxOp(ExtremumOp):
    """Maximum: the other operand when one is NaN, unless `propagate_nan`; +0 is above -0."""

    name = "tile_sugar.max"


class FloatBinaryOp(BinaryOp, ABC):
    """Two operands whose joined type is a float."""

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, ARITHMETIC, "a float operand", cls.VERB)
        element = join_all(*map(element_of, types))
        require_elements([element], ARITHMETIC_FLOATS, "a float operand", cls.VERB)
        return element


@sugar_op
class PowOp(FloatBinaryOp):
    """lhs to the power of rhs, as IEEE 754's `pow`: `pow(1, NaN)` and `pow(NaN, 0)` are 1."""

    name = "tile_sugar.pow"


@sugar_op
class Atan2Op(FloatBinaryOp):
    """The angle of the point (rhs, lhs), as C's `atan2(lhs, rhs)`."""

    name = "tile_sugar.atan2"


@sugar_op
class PowIOp(BinaryOp):
    """A float to an integer power, by repeated multiplication in the float's type.

    f16 and bf16 compute in f32; a negative power is the reciprocal, taken at the end.
    """

    name = "tile_sugar.powi"

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types[:1], ARITHMETIC_FLOATS, "a float", "take a power of")
        require_elements(
            types[1:], ARITHMETIC_INTEGERS[:3], "an i8, i16 or i32 power", "take powers of"
        )
        return element_of(types[0])

    @classmethod
    def computed_elements(cls, types: Sequence[Attribute]) -> Sequence[Attribute]:
        return [element_of(type) for type in types]


@sugar_op
class MulhiOp(BinaryOp):
    """The high half of the product: of signed operands, or with `unsigned` of unsigned ones."""

    name = "tile_sugar.mulhi"
    OPTIONS: ClassVar[tuple[Option, ...]] = (Option("unsigned"),)
    unsigned = opt_prop_def(UnitAttr)

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, ARITHMETIC_INTEGERS, "integers", "multiply")
        return _equal_elements(types)


def _equal_elements(types: Sequence[Attribute]) -> Attribute:
    elements = list(map(element_of, types))
    if any(element != elements[0] for element in elements):
        shown = " and ".join(f"'{short_type(element)}'" for element in elements)
        raise VerifyException(f"needs one element type, but got {shown}; cast one of them")
    return elements[0]


# Bits.


class BitwiseOp(BinaryOp, ABC):
    """Two operands of one integer type or i1."""

    OPTIONS: ClassVar[tuple[Option, ...]] = ()

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, (i1, *ARITHMETIC_INTEGERS), "integers or i1", "combine the bits of")
        return _equal_elements(types)


@sugar_op
class AndOp(BitwiseOp):
    """Bitwise and."""

    name = "tile_sugar.and"


@sugar_op
class OrOp(BitwiseOp):
    """Bitwise or."""

    name = "tile_sugar.or"


@sugar_op
class XorOp(BitwiseOp):
    """Bitwise exclusive or."""

    name = "tile_sugar.xor"


class ShiftOp(BinaryOp, ABC):
    """A shift of the left operand, in its type; a count of its width or more is undefined."""

    OPTIONS: ClassVar[tuple[Option, ...]] = ()
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        for type in types:
            if element_of(type) in ARITHMETIC_FLOATS:
                raise VerifyException(
                    f"cannot shift '{short_type(element_of(type))}' elements: "
                    "bitcast or cast them to integers first"
                )
        require_elements(types, ARITHMETIC_INTEGERS, "integers to shift and to count", "shift")
        return element_of(types[0])


@sugar_op
class ShlOp(ShiftOp):
    """Shift to the left."""

    name = "tile_sugar.shl"


@sugar_op
class ShrOp(ShiftOp):
    """Shift to the right, filling with the sign."""

    name = "tile_sugar.shr"


@sugar_op
class ShruOp(ShiftOp):
    """Shift to the right, filling with zeros."""

    name = "tile_sugar.shru"


# One operand.


class ArithmeticUnaryOp(UnaryOp, ABC):
    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, ARITHMETIC, "integers or floats", cls.VERB)
        return element_of(types[0])


@sugar_op
class NegOp(ArithmeticUnaryOp):
    """Negation: flips the sign bit of a float, also of a NaN; the least integer stays."""

    name = "tile_sugar.neg"
    VERB: ClassVar[str] = "negate"


@sugar_op
class AbsOp(ArithmeticUnaryOp):
    """Magnitude: clears the sign bit of a float; the least integer stays."""

    name = "tile_sugar.abs"


@sugar_op
class SquareOp(ArithmeticUnaryOp):
    """The product of the operand with itself."""

    name = "tile_sugar.square"
    VERB: ClassVar[str] = "multiply"


@sugar_op
class NotOp(UnaryOp):
    """Flips all bits; of i1, negates."""

    name = "tile_sugar.not"
    OPTIONS: ClassVar[tuple[Option, ...]] = ()

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, (i1, *ARITHMETIC_INTEGERS), "integers or i1", "flip the bits of")
        return element_of(types[0])


class FloatUnaryOp(UnaryOp, ABC):
    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, ARITHMETIC_FLOATS, "floats", cls.VERB)
        return element_of(types[0])


@sugar_op
class ExpOp(FloatUnaryOp):
    """e to the operand."""

    name = "tile_sugar.exp"


@sugar_op
class Exp2Op(FloatUnaryOp):
    """2 to the operand."""

    name = "tile_sugar.exp2"


@sugar_op
class LogOp(FloatUnaryOp):
    """Natural logarithm: -inf of zeros, NaN of negative numbers."""

    name = "tile_sugar.log"


@sugar_op
class Log2Op(FloatUnaryOp):
    """Logarithm to base 2."""

    name = "tile_sugar.log2"


@sugar_op
class SqrtOp(FloatUnaryOp):
    """Square root."""

    name = "tile_sugar.sqrt"


@sugar_op
class RsqrtOp(FloatUnaryOp):
    """Reciprocal square root."""

    name = "tile_sugar.rsqrt"


@sugar_op
class TanhOp(FloatUnaryOp):
    """Hyperbolic tangent."""

    name = "tile_sugar.tanh"


@sugar_op
class SinOp(FloatUnaryOp):
    """Sine of radians."""

    name = "tile_sugar.sin"


@sugar_op
class CosOp(FloatUnaryOp):
    """Cosine of radians."""

    name = "tile_sugar.cos"


@sugar_op
class TanOp(FloatUnaryOp):
    """Tangent of radians."""

    name = "tile_sugar.tan"


@sugar_op
class SinhOp(FloatUnaryOp):
    """Hyperbolic sine."""

    name = "tile_sugar.sinh"


@sugar_op
class CoshOp(FloatUnaryOp):
    """Hyperbolic cosine."""

    name = "tile_sugar.cosh"


@sugar_op
class RoundOp(FloatUnaryOp):
    """The nearest integer, ties to the even one; the sign stays."""

    name = "tile_sugar.round"
    VERB: ClassVar[str] = "round"


@sugar_op
class FloorOp(FloatUnaryOp):
    """The largest integer not above."""

    name = "tile_sugar.floor"
    VERB: ClassVar[str] = "round"


@sugar_op
class CeilOp(FloatUnaryOp):
    """The smallest integer not below."""

    name = "tile_sugar.ceil"
    VERB: ClassVar[str] = "round"


@sugar_op
class ErfOp(FloatUnaryOp):
    """The error function of f16, bf16 or f32, within 2 ulp."""

    name = "tile_sugar.erf"

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        if element_of(types[0]) == f64:
            raise VerifyException("erf is for f16, bf16 and f32: cast f64 to f32 first")
        return super().result_element(types)


@sugar_op
class SigmoidOp(FloatUnaryOp):
    """1 / (1 + exp(-x))."""

    name = "tile_sugar.sigmoid"


# Three operands, comparisons, selection.


@sugar_op
class FmaOp(ElementwiseOp):
    """lhs * rhs + acc: rounded once for floats, wrapping for integers."""

    name = "tile_sugar.fma"
    lhs = operand_def()
    rhs = operand_def()
    acc = operand_def()

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        require_elements(types, ARITHMETIC, "integers or floats", "multiply")
        return join_all(*map(element_of, types))


@sugar_op
class CmpOp(BinaryOp):
    """Comparison to i1: `eq lt le gt ge` are false and `ne` is true when an operand is NaN.

    `ult ule ugt uge` read integers unsigned; `ord` and `uno` ask for no NaN and for one. i1
    compares as 0 and 1.
    """

    name = "tile_sugar.cmp"
    OPTIONS: ClassVar[tuple[Option, ...]] = ()
    WORD: ClassVar[tuple[str, type[Any]] | None] = ("predicate", ComparePredicateAttr)
    predicate = prop_def(ComparePredicateAttr)

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        require_values(types)
        element = cls.computed_elements(types)[0]
        predicate = cast(ComparePredicateAttr, properties["predicate"]).keyword
        if predicate in ("ult", "ule", "ugt", "uge") and is_float(element):
            raise VerifyException(f"{predicate} compares integers; use {predicate[1:]} for floats")
        if predicate in ("ord", "uno") and is_integer(element):
            raise VerifyException(f"{predicate} is about NaN, which integers do not have")
        shape = broadcast_shapes(*map(shape_of, types))
        return [value_type(shape, i1, types)]

    @classmethod
    def computed_elements(cls, types: Sequence[Attribute]) -> Sequence[Attribute]:
        elements = list(map(element_of, types))
        if elements == [i1, i1]:
            return elements
        require_elements(types, ARITHMETIC, "integers, floats or two i1", "compare")
        return [join_all(*elements)] * 2


@sugar_op
class SelectOp(ElementwiseOp):
    """The second operand where the i1 condition holds, else the third."""

    name = "tile_sugar.select"
    OPTIONS: ClassVar[tuple[Option, ...]] = ()
    condition = operand_def()
    if_true = operand_def()
    if_false = operand_def()

    @classmethod
    def result_element(cls, types: Sequence[Attribute]) -> Attribute:
        if element_of(types[0]) != i1:
            raise VerifyException(
                f"the condition must be i1, but got '{short_type(element_of(types[0]))}'; "
                "compare it first"
            )
        return join(element_of(types[1]), element_of(types[2]))

    @classmethod
    def computed_elements(cls, types: Sequence[Attribute]) -> Sequence[Attribute]:
        element = cls.result_element(types)
        return [i1, element, element]


# Conversions and sources.


@sugar_op
class CastOp(TileSugarOp):
    """Conversion to another element type.

    Float to float rounds to nearest even, to f8 and f4 it saturates. Float to integer truncates
    and saturates, NaN gives 0; `unchecked` leaves what is out of range undefined. Integers extend
    by their sign (`ui*` by zeros) and keep the low bits when they narrow. i1 is 0 or 1, and a cast
    to it is `!= 0`. `from_unsigned` and `to_unsigned` read and make a signless integer as unsigned.
    """

    name = "tile_sugar.cast"
    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("unchecked"),
        Option("from_unsigned"),
        Option("to_unsigned"),
    )
    EXPLICIT_RESULT: ClassVar[bool] = True
    source = operand_def()
    unchecked = opt_prop_def(UnitAttr)
    from_unsigned = opt_prop_def(UnitAttr)
    to_unsigned = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def to(cls, source: Any, element: Attribute, **properties: Any) -> CastOp:
        """The cast of a value to an element type."""
        from xdsl.ir import SSAValue

        value = SSAValue.get(source)
        return cls.create(
            operands=[value],
            result_types=[like(value.type, element)],
            properties=cls.make_properties([value.type], properties),
        )

    def verify_(self) -> None:
        check_conversion(self, "cast")
        source, target = element_of(self.source.type), element_of(self.result.type)
        if target == f8E8M0FNU and source != target:
            raise VerifyException(
                "no conversion to f8E8M0FNU rounds to nearest even: use cuda_tile.ftof with "
                "rounding<zero> or rounding<positive_inf>"
            )
        if self.unchecked is not None and not (is_float(source) and is_integer(target)):
            raise VerifyException("unchecked is for casts from floats to integers")
        for flag, element in (("from_unsigned", source), ("to_unsigned", target)):
            if getattr(self, flag) is not None and not is_integer(element):
                raise VerifyException(f"{flag} is for integers, not for '{short_type(element)}'")

    @property
    def reads_unsigned(self) -> bool:
        element = element_of(self.source.type)
        return self.from_unsigned is not None or is_unsigned(element) or element == i1

    @property
    def makes_unsigned(self) -> bool:
        return self.to_unsigned is not None or is_unsigned(element_of(self.result.type))


def check_conversion(op: Any, what: str) -> None:
    """Source and result have one shape and element types of this level."""
    source, result = op.source.type, op.result.type
    require_values([source])
    require_values([result], "result")
    if is_tile(source) != is_tile(result) or shape_of(source) != shape_of(result):
        raise VerifyException(
            f"a {what} keeps the shape, but '{short_type(source)}' becomes '{short_type(result)}'"
        )
    for type in (source, result):
        if element_of(type) not in ELEMENTS:
            raise VerifyException(f"cannot {what} '{short_type(element_of(type))}' elements")


@sugar_op
class BitcastOp(TileSugarOp):
    """The same bits as another element type of the same width."""

    name = "tile_sugar.bitcast"
    EXPLICIT_RESULT: ClassVar[bool] = True
    source = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def to(cls, source: Any, element: Attribute) -> BitcastOp:
        from xdsl.ir import SSAValue

        value = SSAValue.get(source)
        return cls.create(operands=[value], result_types=[like(value.type, element)])

    def verify_(self) -> None:
        check_conversion(self, "bitcast")
        source, target = element_of(self.source.type), element_of(self.result.type)
        if bit_width(source) != bit_width(target):
            raise VerifyException(
                f"'{short_type(source)}' has {bit_width(source)} bits, but "
                f"'{short_type(target)}' has {bit_width(target)}"
            )


class SourceOp(TileSugarOp, ABC):
    """A value from attributes alone: text states its type behind `:`."""

    result = result_def()
    traits = traits_def(Pure())


@sugar_op
class IotaOp(SourceOp):
    """The index along a dimension, as i32."""

    name = "tile_sugar.iota"
    dim = prop_def(IntegerAttr)
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def along(cls, dim: int, shape: Sequence[int]) -> IotaOp:
        return cls.create(
            properties={"dim": IntegerAttr(dim, i32)}, result_types=[value_type(shape, i32, ())]
        )

    @property
    def dimension(self) -> int:
        return int_value(self.dim, 0)

    @classmethod
    def parse(cls, parser: Parser) -> IotaOp:
        dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            properties={"dim": IntegerAttr(dim, i32)},
            attributes=attributes,
            result_types=[parse_type(parser)],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.result.type)}")

    def verify_(self) -> None:
        shape = require_tile(self.result.type, "the result")
        if element_of(self.result.type) != i32:
            raise VerifyException(
                f"an index is i32, not '{short_type(element_of(self.result.type))}'"
            )
        if not 0 <= self.dimension < len(shape):
            raise VerifyException(
                f"dimension must be in 0 to {len(shape) - 1}, not {self.dimension}"
            )


@sugar_op
class ConstantOp(SourceOp):
    """A number as a scalar, or as every element of a tile; rounded to the type and clamped."""

    name = "tile_sugar.constant"
    value = prop_def(Attribute)
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def make(cls, value: Number, type: Attribute) -> ConstantOp:
        return cls.create(
            properties={"value": number_attr(value, element_of(type))}, result_types=[type]
        )

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        start = parser.pos
        text = parse_number(parser)
        end = parser.pos
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parse_type(parser)
        try:
            value = number_attr(text, element_of(type))
        except (ValueError, KeyError):
            parser.raise_error(f"{text} is no value of '{short_type(type)}'", start, end)
        return cls.create(properties={"value": value}, attributes=attributes, result_types=[type])

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {number_text(self.value)}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.result.type)}")

    def verify_(self) -> None:
        require_values([self.result.type], "result")
        element = element_of(self.result.type)
        if not is_number(self.value, element):
            raise VerifyException(f"the value must be a number of '{short_type(element)}'")


class SpreadOp(TileSugarOp, ABC):
    """A value repeated to a larger shape."""

    EXPLICIT_RESULT: ClassVar[bool] = True
    source = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def to(cls, source: Any, shape: Sequence[int]) -> Any:
        from xdsl.ir import SSAValue

        value = SSAValue.get(source)
        type = value_type(shape, element_of(value.type), ())
        return cls.create(operands=[value], result_types=[type])

    def check_element(self) -> None:
        source, result = element_of(self.source.type), element_of(self.result.type)
        if source != result:
            raise VerifyException(
                f"the element type stays, but '{short_type(source)}' becomes '{short_type(result)}'"
            )


@sugar_op
class SplatOp(SpreadOp):
    """A scalar as every element of a tile, or as `cuda_tile`'s rank-0 tile."""

    name = "tile_sugar.splat"

    def verify_(self) -> None:
        if not is_scalar(self.source.type):
            raise VerifyException(
                f"the operand must be a scalar, but got '{short_type(self.source.type)}'; "
                "broadcast repeats a tile"
            )
        if not is_tile(self.result.type) and not isinstance(self.result.type, TileType):
            raise VerifyException(
                f"the result must be a tile, but is '{short_type(self.result.type)}'"
            )
        self.check_element()


@sugar_op
class BroadcastOp(SpreadOp):
    """A tile repeated along dimensions where its extent is 1."""

    name = "tile_sugar.broadcast"

    def verify_(self) -> None:
        source = require_tile(self.source.type, "the operand")
        result = require_tile(self.result.type, "the result")
        self.check_element()
        if broadcast_shapes(source, result) != result:
            raise VerifyException(
                f"shape {shape_text(source)} does not broadcast to {shape_text(result)}"
            )


@sugar_op
class ToScalarOp(TileSugarOp):
    """The element of a tile that has exactly one."""

    name = "tile_sugar.to_scalar"
    source = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def infer(cls, types: Sequence[Attribute], properties: Properties) -> Sequence[Attribute]:
        type = types[0]
        shape = shape_of(type)
        if not isinstance(type, TileType) and not is_tile(type):
            raise VerifyException(f"the operand must be a tile, but got '{short_type(type)}'")
        if any(extent != 1 for extent in shape):
            raise VerifyException(
                f"the operand must have one element, but '{short_type(type)}' has more; "
                "extract or reduce first"
            )
        return [element_of(type)]


ELEMENTWISE: tuple[type[ElementwiseOp], ...] = (
    AbsOp,
    AddOp,
    AndOp,
    Atan2Op,
    CeilOp,
    CmpOp,
    CosOp,
    CoshOp,
    DivOp,
    ErfOp,
    Exp2Op,
    ExpOp,
    FloorOp,
    FmaOp,
    Log2Op,
    LogOp,
    MaxOp,
    MinOp,
    MulOp,
    MulhiOp,
    NegOp,
    NotOp,
    OrOp,
    PowIOp,
    PowOp,
    RemOp,
    RoundOp,
    RsqrtOp,
    SelectOp,
    ShlOp,
    ShrOp,
    ShruOp,
    SigmoidOp,
    SinOp,
    SinhOp,
    SqrtOp,
    SquareOp,
    SubOp,
    TanOp,
    TanhOp,
    XorOp,
)
"""The operations that broadcast and promote."""

OPERATIONS: tuple[type[TileSugarOp], ...] = (
    *ELEMENTWISE,
    BitcastOp,
    BroadcastOp,
    CastOp,
    ConstantOp,
    IotaOp,
    SplatOp,
    ToScalarOp,
)
