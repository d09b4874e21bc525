"""Types of `cuda_tile`: tiles, pointers, tensor views, tile views, tokens.

Inside `cuda_tile` syntax every type has a short spelling (`tile<4xf32>`); everywhere else it is
`!cuda_tile.` and the same text. Source: Tile IR specification, types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias, TypeGuard, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BFloat16Type,
    ContainerType,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntAttr,
    IntegerType,
    NoneAttr,
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
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tileir_xdsl.dialects.cuda_tile.attributes import PaddingValueAttr, PtrKindAttr
from tileir_xdsl.dialects.cuda_tile.wording import alternatives, suggestion
from tileir_xdsl.versions import V13_1, V13_2, V13_3, V13_4, Version

DYNAMIC = DYNAMIC_INDEX
"""A `?` extent or stride."""

MAX_TILE_ELEMENTS = 1 << 24
"""Elements of one tile, at most (13.3 verifier)."""


@irdl_attr_definition
class FNv8E5M3FNUType(ParametrizedAttribute, BuiltinAttribute, TypeAttribute):
    """NVIDIA's unsigned 8-bit float: bias 15, three mantissa bits, only FF is NaN (13.4)."""

    name = "fnv8E5M3FNU"

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(self.name)

    @property
    def bitwidth(self) -> int:
        return 8


i4 = IntegerType(4)
fnv8E5M3FNU = FNv8E5M3FNUType()

INTEGERS: tuple[TypeAttribute, ...] = (i1, i8, i16, i32, i64)
BASE_FLOATS: tuple[TypeAttribute, ...] = (f16, bf16, f32, f64)
ANY_FLOATS: tuple[TypeAttribute, ...] = (
    *BASE_FLOATS,
    tf32,
    f8E4M3FN,
    f8E5M2,
    f8E8M0FNU,
    f4E2M1FN,
    fnv8E5M3FNU,
)
NUMBERS = (*INTEGERS, *ANY_FLOATS)

FloatType = (
    Float16Type
    | BFloat16Type
    | Float32Type
    | Float64Type
    | FloatTF32Type
    | Float8E4M3FNType
    | Float8E5M2Type
    | Float8E8M0FNUType
    | Float4E2M1FNType
    | FNv8E5M3FNUType
)


class ScalarWire(NamedTuple):
    """How the bytecode spells an element type."""

    tag: int
    since: Version
    constant_bytes: int
    """Bytes of one element in the constant pool; i1 is bit-packed, i4 has no constants."""


SCALAR_WIRE: dict[TypeAttribute, ScalarWire] = {
    i1: ScalarWire(0, V13_1, 1),
    i8: ScalarWire(1, V13_1, 1),
    i16: ScalarWire(2, V13_1, 2),
    i32: ScalarWire(3, V13_1, 4),
    i64: ScalarWire(4, V13_1, 8),
    f16: ScalarWire(5, V13_1, 2),
    bf16: ScalarWire(6, V13_1, 2),
    f32: ScalarWire(7, V13_1, 4),
    tf32: ScalarWire(8, V13_1, 3),
    f64: ScalarWire(9, V13_1, 8),
    f8E4M3FN: ScalarWire(10, V13_1, 1),
    f8E5M2: ScalarWire(11, V13_1, 1),
    f8E8M0FNU: ScalarWire(18, V13_2, 1),
    f4E2M1FN: ScalarWire(19, V13_3, 1),
    i4: ScalarWire(22, V13_3, 0),
    fnv8E5M3FNU: ScalarWire(130, V13_4, 1),
}

AnyInteger: TypeAlias = "IntegerType[int, Signedness]"


def is_integer(type: Attribute) -> TypeGuard[AnyInteger]:
    """`isinstance` with `IntegerType`, whose parameters the type checker then knows."""
    return isinstance(type, IntegerType)


ELEMENT_TYPES: dict[str, TypeAttribute] = {
    (f"i{t.width.data}" if is_integer(t) else t.name): t for t in SCALAR_WIRE
}


class TypeField(NamedTuple):
    """One field of a type on the wire, in the order of `Type.WIRE`."""

    parameter: str
    encoding: str
    """`type`, `i64s`, `i32s`, `u32` or `enum`."""
    optional: bool = False
    since: Version = V13_1


def bit_width(element: Attribute) -> int:
    """Bits of one element of a number type (tf32 counts its 19 stored bits)."""
    if is_integer(element):
        return element.width.data
    return cast(FloatType, element).bitwidth


def is_power_of_two(value: int) -> bool:
    return value > 0 and not value & (value - 1)


def next_power_of_two(value: int) -> int:
    return 1 if value < 1 else 1 << (value - 1).bit_length()


class CudaTileType(ParametrizedAttribute, TypeAttribute):
    """A type with a short spelling."""

    name = "cuda_tile.type"

    TAG: ClassVar[int]
    SINCE: ClassVar[Version] = V13_1
    WIRE: ClassVar[tuple[TypeField, ...]] = ()

    def body_text(self) -> str:
        """What follows the mnemonic in text, angle brackets included."""
        return ""

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(type_body(self))


def type_body(type: CudaTileType) -> str:
    # Kept in the type: to look it up elsewhere would hash all of the type at each use.
    text: str | None = type.__dict__.get("_body_text")
    if text is None:
        text = type.body_text()
        object.__setattr__(type, "_body_text", text)
    return text


def mnemonic(type: CudaTileType) -> str:
    return type.name.partition(".")[2]


def short_type(type: Attribute) -> str:
    """The spelling inside `cuda_tile` syntax, e.g. `tile<4xf32>`, `token`, `i32`."""
    if isinstance(type, CudaTileType):
        return mnemonic(type) + type_body(type)
    return str(type)


def _ints(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(map(IntAttr, values))


def _dims(values: ArrayAttr[IntAttr]) -> tuple[int, ...]:
    return tuple(value.data for value in values.data)


@irdl_attr_definition
class TileType(CudaTileType, ShapedType, ContainerType[Attribute]):
    """`tile<D0x..xELT>`: a value of static shape; every extent is a power of two."""

    name = "cuda_tile.tile"
    TAG: ClassVar = 13
    WIRE: ClassVar = (TypeField("element_type", "type"), TypeField("shape", "i64s"))

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()

    @staticmethod
    def get(shape: Sequence[int], element_type: Attribute) -> TileType:
        return _tile_type(tuple(shape), element_type)

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return _dims(self.shape)

    def get_element_type(self) -> Attribute:
        return self.element_type

    def with_element(self, element_type: Attribute) -> TileType:
        return TileType.get(self.get_shape(), element_type)

    def with_shape(self, shape: Sequence[int]) -> TileType:
        return TileType.get(shape, self.element_type)

    @property
    def rank(self) -> int:
        return len(self.shape.data)

    @property
    def num_elements(self) -> int:
        return prod(self.get_shape())

    def verify(self) -> None:
        verify_tile_shape(self.get_shape(), self.element_type)

    def body_text(self) -> str:
        return f"<{_shape_prefix(self.get_shape())}{short_type(self.element_type)}>"


@lru_cache(maxsize=4096)
def _tile_type(shape: tuple[int, ...], element_type: Attribute) -> TileType:
    return TileType(_ints(shape), element_type)


def _shape_prefix(shape: Sequence[int]) -> str:
    return "".join(f"{'?' if extent == DYNAMIC else extent}x" for extent in shape)


def verify_tile_shape(shape: Sequence[int], element: Attribute) -> None:
    """The rules of a tile; the message names the next power of two."""
    if element not in SCALAR_WIRE and not isinstance(element, PtrType):
        raise VerifyException(
            f"tile element type must be a number, a pointer or i4, but got '{short_type(element)}'"
        )
    for position, extent in enumerate(shape):
        if extent <= 0:
            raise VerifyException(
                f"tile dimensions must be positive, but dimension {position} is {extent}"
            )
        if not is_power_of_two(extent):
            raise VerifyException(
                f"tile dimensions must be powers of two, but dimension {position} is {extent}; "
                f"the next power of two is {next_power_of_two(extent)}"
            )
    if prod(shape) > MAX_TILE_ELEMENTS:
        raise VerifyException(
            f"tile has {prod(shape)} elements, at most {MAX_TILE_ELEMENTS} are allowed"
        )
    if element == f4E2M1FN and not any(extent % 2 == 0 for extent in shape):
        raise VerifyException("f4E2M1FN tiles need at least one even dimension")
    if isinstance(element, PtrType) and element.pointee_type == f4E2M1FN and shape:
        raise VerifyException("tiles of ptr<f4E2M1FN> must have rank 0")


@irdl_attr_definition
class PtrType(CudaTileType):
    """`ptr<ELT>`: the address of a number in global memory."""

    name = "cuda_tile.ptr"
    TAG: ClassVar = 12
    WIRE: ClassVar = (
        TypeField("pointee_type", "type"),
        TypeField("kind", "enum", optional=True, since=V13_4),
    )

    pointee_type: Attribute = param_def()
    kind: PtrKindAttr | NoneAttr = param_def()

    @staticmethod
    def get(pointee_type: Attribute, kind: PtrKindAttr | None = None) -> PtrType:
        return PtrType(pointee_type, kind or NoneAttr())

    def verify(self) -> None:
        if self.pointee_type not in NUMBERS:
            raise VerifyException(
                f"pointee must be a number type, but got '{short_type(self.pointee_type)}'"
            )

    def body_text(self) -> str:
        kind = f", <{self.kind.keyword}>" if isinstance(self.kind, PtrKindAttr) else ""
        return f"<{short_type(self.pointee_type)}{kind}>"


@irdl_attr_definition
class TensorViewType(CudaTileType, ShapedType, ContainerType[Attribute]):
    """`tensor_view<D0x..xELT, strides=[S0, ..]>`: a strided tensor in global memory."""

    name = "cuda_tile.tensor_view"
    TAG: ClassVar = 14
    WIRE: ClassVar = (
        TypeField("element_type", "type"),
        TypeField("shape", "i64s"),
        TypeField("strides", "i64s"),
        TypeField("kind", "enum", optional=True, since=V13_4),
    )

    element_type: Attribute = param_def()
    shape: ArrayAttr[IntAttr] = param_def()
    strides: ArrayAttr[IntAttr] = param_def()
    kind: PtrKindAttr | NoneAttr = param_def()

    @staticmethod
    def get(
        shape: Sequence[int],
        element_type: Attribute,
        strides: Sequence[int],
        kind: PtrKindAttr | None = None,
    ) -> TensorViewType:
        return TensorViewType(element_type, _ints(shape), _ints(strides), kind or NoneAttr())

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return _dims(self.shape)

    def get_element_type(self) -> Attribute:
        return self.element_type

    def get_strides(self) -> tuple[int, ...]:
        return _dims(self.strides)

    @property
    def rank(self) -> int:
        return len(self.shape.data)

    def verify(self) -> None:
        if self.element_type not in NUMBERS:
            raise VerifyException(
                "tensor_view element type must be a number, "
                f"but got '{short_type(self.element_type)}'"
            )
        shape, strides = self.get_shape(), self.get_strides()
        if len(shape) != len(strides):
            raise VerifyException(
                "tensor_view needs one stride for each dimension, "
                f"but got {len(strides)} for {len(shape)}"
            )
        for what, values in (("dimension", shape), ("stride", strides)):
            for position, value in enumerate(values):
                if value != DYNAMIC and value <= 0:
                    raise VerifyException(
                        f"static tensor_view {what}s must be positive, "
                        f"but {what} {position} is {value}"
                    )

    def body_text(self) -> str:
        text = f"<{_shape_prefix(self.get_shape())}{short_type(self.element_type)}"
        if self.rank:
            strides = ",".join("?" if s == DYNAMIC else str(s) for s in self.get_strides())
            text += f", strides=[{strides}]"
        if isinstance(self.kind, PtrKindAttr):
            text += f", #cuda_tile.ptr_attr<{self.kind.keyword}>"
        return text + ">"


class TileViewType(CudaTileType):
    """A tensor view cut into tiles: what view loads and stores index."""

    name = "cuda_tile.tile_view"

    if TYPE_CHECKING:
        # The subclasses declare these, each in its own wire order.
        tile_shape: ArrayAttr[IntAttr]
        tensor_view: Attribute
        padding_value: PaddingValueAttr | NoneAttr

    def get_tile_shape(self) -> tuple[int, ...]:
        return _dims(self.tile_shape)

    def get_tensor_view(self) -> TensorViewType:
        assert isinstance(self.tensor_view, TensorViewType)
        return self.tensor_view

    def get_dim_map(self) -> tuple[int, ...]:
        """The tensor dimension that each tile dimension walks along."""
        return tuple(range(len(self.tile_shape.data)))

    @property
    def rank(self) -> int:
        """Number of indices that an access of the view takes."""
        return len(self.tile_shape.data)

    @property
    def padding(self) -> PaddingValueAttr | None:
        return self.padding_value if isinstance(self.padding_value, PaddingValueAttr) else None

    @property
    def tile_type(self) -> TileType:
        """The type of one loaded tile."""
        return TileType.get(self.get_tile_shape(), self.get_tensor_view().element_type)

    def verify_tile_view(self) -> None:
        view = self.tensor_view
        kind = mnemonic(self)
        if not isinstance(view, TensorViewType):
            raise VerifyException(f"{kind} must be over a tensor_view, but got '{view}'")
        shape = self.get_tile_shape()
        if not shape:
            raise VerifyException(f"{kind} tile must have at least one dimension")
        if len(shape) != view.rank:
            raise VerifyException(
                f"{kind} tile has rank {len(shape)}, but its tensor_view has rank {view.rank}"
            )
        verify_tile_shape(shape, view.element_type)
        padding = self.padding
        if padding is None or padding.keyword == "zero":
            return
        if is_integer(view.element_type):
            raise VerifyException(
                f"padding_value {padding.keyword} needs a float element type, "
                f"but got '{short_type(view.element_type)}'"
            )
        unavailable = UNAVAILABLE_PADDING.get(view.element_type, ())
        if padding.keyword in unavailable:
            usable = [word for word in PaddingValueAttr.keywords() if word not in unavailable]
            raise VerifyException(
                f"padding_value {padding.keyword} is no value of "
                f"{short_type(view.element_type)}; use {alternatives(usable)}"
            )

    def verify_dim_map(self, dim_map: Sequence[int]) -> None:
        rank = self.get_tensor_view().rank
        if len(dim_map) != len(self.get_tile_shape()):
            raise VerifyException(
                f"{mnemonic(self)} dim_map needs one entry for each dimension of its tile, "
                f"but has {len(dim_map)} for {len(self.get_tile_shape())}"
            )
        if sorted(dim_map) != list(range(rank)):
            raise VerifyException(
                f"{mnemonic(self)} dim_map must be a permutation of 0 to {rank - 1}, "
                f"but got [{', '.join(map(str, dim_map))}]"
            )

    def _text(self, before: str = "", after: str = "") -> str:
        tile = "x".join(map(str, self.get_tile_shape()))
        padding = f"padding_value = {self.padding.keyword}, " if self.padding else ""
        return f"<tile=({tile}), {before}{padding}{short_type(self.tensor_view)}{after}>"


UNAVAILABLE_PADDING: dict[Attribute, tuple[str, ...]] = {
    f8E4M3FN: ("pos_inf", "neg_inf"),
    f8E8M0FNU: ("neg_zero", "pos_inf", "neg_inf"),
    f4E2M1FN: ("nan", "pos_inf", "neg_inf"),
    fnv8E5M3FNU: ("neg_inf",),
}
"""Padding on which tileiras 13.5 dies without a message where it is needed."""


def _dim_map_text(dim_map: Sequence[int]) -> str:
    if list(dim_map) == list(range(len(dim_map))):
        return ""
    return f", dim_map=[{', '.join(map(str, dim_map))}]"


@irdl_attr_definition
class PartitionViewType(TileViewType):
    """`partition_view<tile=(..), VIEW>`: disjoint tiles that cover a tensor."""

    name = "cuda_tile.partition_view"
    TAG: ClassVar = 15
    WIRE: ClassVar = (
        TypeField("tile_shape", "i32s"),
        TypeField("tensor_view", "type"),
        TypeField("dim_map", "i32s"),
        TypeField("padding_value", "enum", optional=True),
    )

    tile_shape: ArrayAttr[IntAttr] = param_def()
    tensor_view: Attribute = param_def()
    dim_map: ArrayAttr[IntAttr] = param_def()
    padding_value: PaddingValueAttr | NoneAttr = param_def()

    @staticmethod
    def get(
        tile_shape: Sequence[int],
        tensor_view: TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding_value: PaddingValueAttr | None = None,
    ) -> PartitionViewType:
        dims = range(len(tile_shape)) if dim_map is None else dim_map
        return PartitionViewType(
            _ints(tile_shape), tensor_view, _ints(dims), padding_value or NoneAttr()
        )

    def get_dim_map(self) -> tuple[int, ...]:
        return _dims(self.dim_map)

    def verify(self) -> None:
        self.verify_tile_view()
        self.verify_dim_map(self.get_dim_map())

    def body_text(self) -> str:
        return self._text(after=_dim_map_text(self.get_dim_map()))


@irdl_attr_definition
class StridedViewType(TileViewType):
    """`strided_view<tile=(..), traversal_strides=[..], VIEW>`: tiles at a stride (13.3)."""

    name = "cuda_tile.strided_view"
    TAG: ClassVar = 21
    SINCE: ClassVar = V13_3
    WIRE: ClassVar = (
        TypeField("tile_shape", "i32s"),
        TypeField("traversal_strides", "i32s"),
        TypeField("tensor_view", "type"),
        TypeField("dim_map", "i32s"),
        TypeField("padding_value", "enum", optional=True),
    )

    tile_shape: ArrayAttr[IntAttr] = param_def()
    traversal_strides: ArrayAttr[IntAttr] = param_def()
    tensor_view: Attribute = param_def()
    dim_map: ArrayAttr[IntAttr] = param_def()
    padding_value: PaddingValueAttr | NoneAttr = param_def()

    @staticmethod
    def get(
        tile_shape: Sequence[int],
        traversal_strides: Sequence[int],
        tensor_view: TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding_value: PaddingValueAttr | None = None,
    ) -> StridedViewType:
        dims = range(len(tile_shape)) if dim_map is None else dim_map
        return StridedViewType(
            _ints(tile_shape),
            _ints(traversal_strides),
            tensor_view,
            _ints(dims),
            padding_value or NoneAttr(),
        )

    def get_traversal_strides(self) -> tuple[int, ...]:
        return _dims(self.traversal_strides)

    def get_dim_map(self) -> tuple[int, ...]:
        return _dims(self.dim_map)

    def verify(self) -> None:
        self.verify_tile_view()
        strides = self.get_traversal_strides()
        if len(strides) != len(self.get_tile_shape()):
            raise VerifyException(
                "strided_view needs one traversal stride for each tile dimension, "
                f"but got {len(strides)} for {len(self.get_tile_shape())}"
            )
        for position, stride in enumerate(strides):
            if stride <= 0:
                raise VerifyException(
                    f"traversal strides must be positive, but stride {position} is {stride}"
                )
        self.verify_dim_map(self.get_dim_map())

    def body_text(self) -> str:
        strides = ",".join(map(str, self.get_traversal_strides()))
        return self._text(f"traversal_strides=[{strides}], ", _dim_map_text(self.get_dim_map()))


@irdl_attr_definition
class GatherScatterViewType(TileViewType):
    """`gather_scatter_view<tile=(..), VIEW, sparse_dim=N>`: rows chosen by an index tile (13.3)."""

    name = "cuda_tile.gather_scatter_view"
    TAG: ClassVar = 20
    SINCE: ClassVar = V13_3
    WIRE: ClassVar = (
        TypeField("tile_shape", "i32s"),
        TypeField("tensor_view", "type"),
        TypeField("sparse_dim", "u32"),
        TypeField("padding_value", "enum", optional=True),
    )

    tile_shape: ArrayAttr[IntAttr] = param_def()
    tensor_view: Attribute = param_def()
    sparse_dim: IntAttr = param_def()
    padding_value: PaddingValueAttr | NoneAttr = param_def()

    @staticmethod
    def get(
        tile_shape: Sequence[int],
        tensor_view: TensorViewType,
        sparse_dim: int,
        padding_value: PaddingValueAttr | None = None,
    ) -> GatherScatterViewType:
        return GatherScatterViewType(
            _ints(tile_shape), tensor_view, IntAttr(sparse_dim), padding_value or NoneAttr()
        )

    def verify(self) -> None:
        self.verify_tile_view()
        rank = len(self.get_tile_shape())
        if not 0 <= self.sparse_dim.data < rank:
            raise VerifyException(
                f"sparse_dim must be in 0 to {rank - 1}, but got {self.sparse_dim.data}"
            )

    def body_text(self) -> str:
        return self._text(after=f", sparse_dim={self.sparse_dim.data}")


@irdl_attr_definition
class TokenType(CudaTileType):
    """`token`: orders memory operations."""

    name = "cuda_tile.token"
    TAG: ClassVar = 17


token = TokenType()

TYPES: tuple[type[CudaTileType], ...] = (
    TileType,
    PtrType,
    TensorViewType,
    PartitionViewType,
    StridedViewType,
    GatherScatterViewType,
    TokenType,
)

SHORT_NAMES: dict[str, type[CudaTileType]] = {t.name.partition(".")[2]: t for t in TYPES}


def parse_short_type(parser: AttrParser) -> TypeAttribute:
    """A type in `cuda_tile` syntax: the short or the long spelling."""
    type = parse_optional_short_type(parser)
    if type is not None:
        return type
    current = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if current.kind is MLIRTokenKind.BARE_IDENT:
        hint = suggestion(current.text, (*ELEMENT_TYPES, *SHORT_NAMES))
        parser.raise_error(f"unknown type '{current.text}'{hint}")
    return parser.parse_type()


def parse_optional_short_type(parser: AttrParser) -> TypeAttribute | None:
    current = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if current.kind is not MLIRTokenKind.BARE_IDENT:
        return parser.parse_optional_type()
    text = current.text
    if (element := ELEMENT_TYPES.get(text)) is not None:
        parser._consume_token()  # pyright: ignore[reportPrivateUsage]
        return element
    if (short := SHORT_NAMES.get(text)) is None:
        return parser.parse_optional_type()
    start = current.span.start
    cache: dict[str, CudaTileType] | None = getattr(parser, "type_cache", None)
    if cache is None:
        parser._consume_token()  # pyright: ignore[reportPrivateUsage]
        return parse_type_parameters(parser, short, start)
    # Programs repeat a few types many times: the same text is the same type.
    match = _TYPE_TEXT.match(parser.lexer.input.content, start)
    assert match is not None
    if (known := cache.get(match[0])) is not None:
        parser._resume_from(match.end())  # pyright: ignore[reportPrivateUsage]
        return known
    parser._consume_token()  # pyright: ignore[reportPrivateUsage]
    type = parse_type_parameters(parser, short, start)
    cache[match[0]] = type
    return type


_TYPE_TEXT = re.compile(
    r"[a-z_]+(?:<[^<>\"\n]*(?:<[^<>\"\n]*(?:<[^<>\"\n]*>[^<>\"\n]*)*>[^<>\"\n]*)*>)?"
)
"""A short type up to its closing bracket, three brackets deep."""


def parse_type_parameters(
    parser: AttrParser, short: type[CudaTileType], start: int
) -> CudaTileType:
    """The parameters of a `cuda_tile` type; a broken rule is an error at `start`."""
    parse = _PARAMETERS.get(short)
    if parse is None:
        return short()
    with parser.in_angle_brackets():
        parameters = parse(parser)
    try:
        return short(*parameters)
    except VerifyException as error:
        parser.raise_error(str(error), start, parser.pos)


def _parse_shape(parser: AttrParser) -> list[int]:
    shape: list[int] = []
    while _at_dimension(parser):
        shape.append(parser.parse_shape_dimension())
        parser.parse_shape_delimiter()
    return shape


def _at_dimension(parser: AttrParser) -> bool:
    kind = parser._current_token.kind  # pyright: ignore[reportPrivateUsage]
    return kind in (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.QUESTION)


def _parse_tile(parser: AttrParser) -> Sequence[Attribute]:
    shape = _parse_shape(parser)
    if DYNAMIC in shape:
        parser.raise_error("tile dimensions must be static, '?' is for tensor_view")
    return (_ints(shape), parse_short_type(parser))


def _parse_ptr(parser: AttrParser) -> Sequence[Attribute]:
    pointee = parse_short_type(parser)
    if parser.parse_optional_punctuation(",") is None:
        return (pointee, NoneAttr())
    if (attribute := _parse_optional_ptr_kind(parser)) is not None:
        return (pointee, attribute)
    with parser.in_angle_brackets():
        return (pointee, PtrKindAttr(PtrKindAttr.parse_keyword(parser)))


def _parse_optional_ptr_kind(parser: AttrParser) -> PtrKindAttr | None:
    current = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if current.kind is not MLIRTokenKind.HASH_IDENT:
        return None
    attribute = parser.parse_attribute()
    if not isinstance(attribute, PtrKindAttr):
        parser.raise_error("expected #cuda_tile.ptr_attr<...>")
    return attribute


def _parse_tensor_view(parser: AttrParser) -> Sequence[Attribute]:
    shape = _parse_shape(parser)
    element = parse_short_type(parser)
    strides: list[int] = []
    kind = None
    while kind is None and parser.parse_optional_punctuation(",") is not None:
        kind = _parse_optional_ptr_kind(parser)
        if kind is None:
            parser.parse_keyword("strides")
            parser.parse_punctuation("=")
            strides = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: _parse_stride(parser)
            )
    return (element, _ints(shape), _ints(strides), kind or NoneAttr())


def _parse_stride(parser: AttrParser) -> int:
    if parser.parse_optional_punctuation("?") is not None:
        return DYNAMIC
    return parser.parse_integer(allow_boolean=False)


def _parse_i32_list(parser: AttrParser) -> ArrayAttr[IntAttr]:
    parser.parse_punctuation("=")
    values = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )
    return _ints(values)


def _parse_tile_clause(parser: AttrParser) -> ArrayAttr[IntAttr]:
    parser.parse_keyword("tile")
    parser.parse_punctuation("=")
    shape: list[int] = []
    with parser.in_parens():
        while _at_dimension(parser):
            shape.append(parser.parse_shape_dimension(allow_dynamic=False))
            if parser._parse_optional_shape_delimiter() is None:  # pyright: ignore[reportPrivateUsage]
                break
    parser.parse_punctuation(",")
    return _ints(shape)


def _parse_padding(parser: AttrParser) -> PaddingValueAttr | NoneAttr:
    if parser.parse_optional_keyword("padding_value") is None:
        return NoneAttr()
    parser.parse_punctuation("=")
    padding = PaddingValueAttr(PaddingValueAttr.parse_keyword(parser))
    parser.parse_punctuation(",")
    return padding


def _parse_dim_map(parser: AttrParser, tile: ArrayAttr[IntAttr]) -> ArrayAttr[IntAttr]:
    if parser.parse_optional_punctuation(",") is None:
        return _ints(range(len(tile)))
    parser.parse_keyword("dim_map")
    return _parse_i32_list(parser)


def _parse_partition_view(parser: AttrParser) -> Sequence[Attribute]:
    tile = _parse_tile_clause(parser)
    padding = _parse_padding(parser)
    view = parse_short_type(parser)
    return (tile, view, _parse_dim_map(parser, tile), padding)


def _parse_strided_view(parser: AttrParser) -> Sequence[Attribute]:
    tile = _parse_tile_clause(parser)
    parser.parse_keyword("traversal_strides")
    strides = _parse_i32_list(parser)
    parser.parse_punctuation(",")
    padding = _parse_padding(parser)
    view = parse_short_type(parser)
    return (tile, strides, view, _parse_dim_map(parser, tile), padding)


def _parse_gather_scatter_view(parser: AttrParser) -> Sequence[Attribute]:
    tile = _parse_tile_clause(parser)
    padding = _parse_padding(parser)
    view = parse_short_type(parser)
    parser.parse_punctuation(",")
    parser.parse_keyword("sparse_dim")
    parser.parse_punctuation("=")
    sparse_dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
    return (tile, view, IntAttr(sparse_dim), padding)


_PARAMETERS: dict[type[CudaTileType], Callable[[AttrParser], Sequence[Attribute]]] = {
    TileType: _parse_tile,
    PtrType: _parse_ptr,
    TensorViewType: _parse_tensor_view,
    PartitionViewType: _parse_partition_view,
    StridedViewType: _parse_strided_view,
    GatherScatterViewType: _parse_gather_scatter_view,
}


def _parse_parameters(cls: type[CudaTileType], parser: AttrParser) -> Sequence[Attribute]:
    parse = _PARAMETERS.get(cls)
    if parse is None:
        return ()
    with parser.in_angle_brackets():
        return parse(parser)


for _type in TYPES:
    # xDSL calls this for the long spelling, `!cuda_tile.tile<..>`.
    setattr(_type, "parse_parameters", classmethod(_parse_parameters))
