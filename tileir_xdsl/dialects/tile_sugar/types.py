"""Types of `tile_sugar`: tiles that `cuda_tile` cannot hold, tensors in global memory, and joins.

A tile type that `cuda_tile` can hold *is* `!cuda_tile.tile`; `tile_type` chooses. Inside a kernel
every type has a short spelling, `tile<8x100xf32>` and `tensor<?x128xf32>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ContainerType,
    IntAttr,
    IntegerType,
    ShapedType,
    Signedness,
    bf16,
    f4E2M1FN,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
    tf32,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tileir_xdsl.dialects.cuda_tile.types import (
    DYNAMIC,
    MAX_TILE_ELEMENTS,
    SCALAR_WIRE,
    CudaTileType,
    PtrType,
    TileType,
    i4,
    is_integer,
    is_power_of_two,
    next_power_of_two,
    parse_optional_short_type,
    short_type,
)

ui8 = IntegerType(8, Signedness.UNSIGNED)
ui16 = IntegerType(16, Signedness.UNSIGNED)
ui32 = IntegerType(32, Signedness.UNSIGNED)

ARITHMETIC_INTEGERS: tuple[TypeAttribute, ...] = (i8, i16, i32, i64)
ARITHMETIC_FLOATS: tuple[TypeAttribute, ...] = (f16, bf16, f32, f64)
ARITHMETIC: tuple[TypeAttribute, ...] = (*ARITHMETIC_INTEGERS, *ARITHMETIC_FLOATS)
UNSIGNED: tuple[TypeAttribute, ...] = (ui8, ui16, ui32)
STORAGE: tuple[TypeAttribute, ...] = (
    *UNSIGNED,
    i4,
    tf32,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f4E2M1FN,
)
"""Element types that memory, shape operations, `select`, `bitcast`, `cast` and `dot` take, but
arithmetic does not."""
ELEMENTS: tuple[TypeAttribute, ...] = (i1, *ARITHMETIC, *STORAGE)

MAX_RANK = 8


def is_unsigned(element: Attribute) -> bool:
    return is_integer(element) and element.signedness.data is Signedness.UNSIGNED


def is_float(element: Attribute) -> bool:
    return not is_integer(element)


def signless(element: Attribute) -> Attribute:
    """`ui8` as `i8`, and so on; any other type as it is."""
    if not is_integer(element):
        return element
    return IntegerType(element.width.data) if is_unsigned(element) else element


def shape_text(shape: Sequence[int]) -> str:
    return "x".join("?" if extent == DYNAMIC else str(extent) for extent in shape)


@irdl_attr_definition
class SugarTileType(CudaTileType, ShapedType, ContainerType[Attribute]):
    """`tile<8x100xf32>`: a tile with an extent that is no power of two, or unsigned elements.

    What `cuda_tile` can hold is `!cuda_tile.tile` instead (`tile_type` chooses).
    """

    name = "tile_sugar.tile"

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return tuple(value.data for value in self.shape.data)

    def get_element_type(self) -> Attribute:
        return self.element_type

    def verify(self) -> None:
        shape = self.get_shape()
        check_tile(shape, self.element_type)
        if is_cuda_tile(shape, self.element_type):
            raise VerifyException(
                f"tile<{shape_text(shape)}x{short_type(self.element_type)}> is written "
                "!cuda_tile.tile, because cuda_tile can hold it"
            )

    def body_text(self) -> str:
        return f"<{shape_text(self.get_shape())}x{short_type(self.element_type)}>"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element = _parse_shaped(parser)
        return (_ints(shape), element)


def is_cuda_tile(shape: Sequence[int], element: Attribute) -> bool:
    """Whether `cuda_tile` has the tile type."""
    if element not in SCALAR_WIRE or not all(map(is_power_of_two, shape)):
        return False
    return element != f4E2M1FN or any(extent % 2 == 0 for extent in shape)


def check_tile(shape: Sequence[int], element: Attribute) -> None:
    """The rules of a tile at this level."""
    if element not in ELEMENTS:
        raise VerifyException(f"'{short_type(element)}' cannot be the element type of a tile")
    if not 1 <= len(shape) <= MAX_RANK:
        raise VerifyException(f"a tile has rank 1 to {MAX_RANK}, but this one has {len(shape)}")
    for position, extent in enumerate(shape):
        if extent < 1:
            raise VerifyException(
                f"tile dimensions must be positive, but dimension {position} is {extent}"
            )
    if prod(map(next_power_of_two, shape)) > MAX_TILE_ELEMENTS:
        raise VerifyException(
            f"tile of shape {shape_text(shape)} is too large: rounded up to powers of two it has "
            f"{prod(map(next_power_of_two, shape))} elements, at most {MAX_TILE_ELEMENTS} fit"
        )


@irdl_attr_definition
class TensorType(CudaTileType, ShapedType, ContainerType[Attribute]):
    """`tensor<?x128xf32, strides=[?, 1]>`: a tensor in global memory.

    `?` extents and strides are i32 values known when the kernel runs. Without `strides` the
    tensor is row-major and dense.
    """

    name = "tile_sugar.tensor"

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()
    strides: ArrayAttr[IntAttr] = param_def()
    """Elements from one index to the next; empty for a dense row-major tensor."""

    @staticmethod
    def get(
        shape: Sequence[int], element_type: Attribute, strides: Sequence[int] | None = None
    ) -> TensorType:
        return TensorType(_ints(shape), element_type, _ints(strides or ()))

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return tuple(value.data for value in self.shape.data)

    def get_element_type(self) -> Attribute:
        return self.element_type

    def get_strides(self) -> tuple[int, ...] | None:
        """The strides that the type states; None for a dense row-major tensor."""
        return tuple(value.data for value in self.strides.data) or None

    def with_element(self, element_type: Attribute) -> TensorType:
        return TensorType(self.shape, element_type, self.strides)

    @property
    def rank(self) -> int:
        return len(self.shape.data)

    @property
    def dynamic_extents(self) -> list[int]:
        """The dimensions whose extent is `?`."""
        return [k for k, extent in enumerate(self.get_shape()) if extent == DYNAMIC]

    @property
    def dynamic_strides(self) -> list[int]:
        """The dimensions whose stride is `?`."""
        return [k for k, stride in enumerate(self.get_strides() or ()) if stride == DYNAMIC]

    def verify(self) -> None:
        if self.element_type not in ELEMENTS:
            raise VerifyException(
                f"'{short_type(self.element_type)}' cannot be the element type of a tensor"
            )
        if not 1 <= self.rank <= MAX_RANK:
            raise VerifyException(f"a tensor has rank 1 to {MAX_RANK}, not {self.rank}")
        for position, extent in enumerate(self.get_shape()):
            if extent != DYNAMIC and not 0 <= extent < 1 << 31:
                raise VerifyException(f"extent {extent} of dimension {position} does not fit i32")
        strides = self.get_strides()
        if strides is None:
            return
        if len(strides) != self.rank:
            raise VerifyException(f"{len(strides)} strides for a tensor of rank {self.rank}")
        for position, stride in enumerate(strides):
            if stride != DYNAMIC and not 1 <= stride < 1 << 31:
                raise VerifyException(
                    f"a stride is at least 1 and fits i32, but stride {position} is {stride}"
                )

    def body_text(self) -> str:
        text = f"<{shape_text(self.get_shape())}x{short_type(self.element_type)}"
        strides = self.get_strides()
        if strides is not None:
            text += f", strides=[{', '.join('?' if s == DYNAMIC else str(s) for s in strides)}]"
        return text + ">"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return _parse_tensor(parser)


def _ints(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(value) for value in values])


@lru_cache(maxsize=4096)
def _tile_type(shape: tuple[int, ...], element: Attribute) -> TypeAttribute:
    if not shape:
        return TileType.get((), element)
    check_tile(shape, element)
    if is_cuda_tile(shape, element):
        return TileType.get(shape, element)
    return SugarTileType(_ints(shape), element)


def tile_type(shape: Sequence[int], element: Attribute) -> TypeAttribute:
    """The type of a tile: `cuda_tile`'s where it can hold it.

    Raises VerifyException for a shape or an element type that no tile has.
    """
    return _tile_type(tuple(shape), element)


# Values: tiles and scalars.


def is_tile(type: Attribute) -> bool:
    """Whether a type is a tile of rank 1 or more."""
    return isinstance(type, TileType | SugarTileType) and bool(type.get_shape())


def is_scalar(type: Attribute) -> bool:
    """Whether a type is a scalar: a builtin number, or `cuda_tile`'s rank-0 tile of one."""
    if isinstance(type, TileType):
        return not type.get_shape() and not isinstance(type.element_type, PtrType)
    return type in ELEMENTS


def shape_of(type: Attribute) -> tuple[int, ...]:
    """The shape of a tile; the empty one for a scalar."""
    return type.get_shape() if isinstance(type, TileType | SugarTileType) else ()


def element_of(type: Attribute) -> Attribute:
    """The element type of a tile or tensor, and a scalar's own type."""
    if isinstance(type, TileType | SugarTileType | TensorType):
        return type.element_type
    return type


def like(type: Attribute, element: Attribute) -> Attribute:
    """The type with another element type: a tile for a tile, a scalar for a scalar."""
    if isinstance(type, TileType | SugarTileType):
        return tile_type(type.get_shape(), element)
    return element


def value_type(
    shape: Sequence[int], element: Attribute, operands: Sequence[Attribute]
) -> Attribute:
    """The type of an elementwise result of some operands: a scalar when the shape is empty."""
    if shape or any(isinstance(type, TileType) and not type.get_shape() for type in operands):
        return tile_type(shape, element)
    return element


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape under NumPy's rules for extents of 1 and scalars.

    Raises VerifyException that names two shapes that do not go together.
    """
    result: tuple[int, ...] = ()
    for shape in shapes:
        result = _broadcast_two(result, shape)
    return result


def _broadcast_two(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    if not a or not b:
        return a or b
    if len(a) != len(b):
        raise VerifyException(
            f"shapes {shape_text(a)} and {shape_text(b)} have different ranks; "
            "reshape one so that the ranks are equal"
        )
    for k, (x, y) in enumerate(zip(a, b, strict=True)):
        if x != y and 1 not in (x, y):
            raise VerifyException(
                f"shapes {shape_text(a)} and {shape_text(b)} do not broadcast: "
                f"dimension {k} is {x} and {y}"
            )
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


_FLOAT_ORDER: dict[Attribute, int] = {f16: 1, bf16: 1, f32: 2, f64: 3}


def join(a: Attribute, b: Attribute) -> Attribute:
    """The element type in which an operation on two arithmetic types is computed.

    Raises VerifyException when there is none.
    """
    if a == b:
        return a
    for element in (a, b):
        if element not in ARITHMETIC:
            raise VerifyException(
                f"'{short_type(a)}' and '{short_type(b)}' have no common type; cast one of them"
            )
    if is_integer(a) and is_integer(b):
        return a if a.width.data > b.width.data else b
    if is_integer(a) or is_integer(b):
        return b if is_integer(a) else a
    if _FLOAT_ORDER[a] == _FLOAT_ORDER[b]:
        return f32
    return a if _FLOAT_ORDER[a] > _FLOAT_ORDER[b] else b


def join_all(*elements: Attribute) -> Attribute:
    result = elements[0]
    for element in elements[1:]:
        result = join(result, element)
    return result


# Text.


def _parse_shaped(parser: AttrParser) -> tuple[list[int], Attribute]:
    shape: list[int] = []
    kinds = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.QUESTION)
    while parser._current_token.kind in kinds:  # pyright: ignore[reportPrivateUsage]
        shape.append(parser.parse_shape_dimension())
        parser.parse_shape_delimiter()
    return shape, parse_type(parser)


def _parse_tensor(parser: AttrParser) -> Sequence[Attribute]:
    shape, element = _parse_shaped(parser)
    strides: list[int] = []
    if parser.parse_optional_punctuation(",") is not None:
        parser.parse_keyword("strides")
        parser.parse_punctuation("=")
        strides = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: _parse_stride(parser)
        )
    return (_ints(shape), element, _ints(strides))


def _parse_stride(parser: AttrParser) -> int:
    if parser.parse_optional_punctuation("?") is not None:
        return DYNAMIC
    return parser.parse_integer(allow_boolean=False)


def parse_type(parser: AttrParser) -> TypeAttribute:
    """A type in the syntax of a kernel: a short spelling, or any other type."""
    type = parse_optional_kernel_type(parser)
    if type is None:
        parser.raise_error("expected a type")
    return type


def parse_optional_kernel_type(parser: AttrParser) -> TypeAttribute | None:
    current = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if current.kind is not MLIRTokenKind.BARE_IDENT or current.text not in ("tile", "tensor"):
        return parse_optional_short_type(parser)
    start = current.span.start
    parser._consume_token()  # pyright: ignore[reportPrivateUsage]
    try:
        with parser.in_angle_brackets():
            if current.text == "tensor":
                return TensorType(*cast(Any, _parse_tensor(parser)))
            shape, element = _parse_shaped(parser)
            if DYNAMIC in shape:
                parser.raise_error("tile dimensions must be static, '?' is for tensors", start)
            if isinstance(element, PtrType):
                return TileType.get(shape, element)
            return tile_type(shape, element)
    except VerifyException as error:
        parser.raise_error(str(error), start, parser.pos)


TYPES: tuple[type[CudaTileType], ...] = (SugarTileType, TensorType)
