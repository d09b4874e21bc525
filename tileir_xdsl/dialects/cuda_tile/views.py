"""Tensor views, tile views and accesses through them. Specification: section Views."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import (
    IntegerType,
    bf16,
    f4E2M1FN,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import (
    MemoryOrderingAttr,
    MemoryScopeAttr,
    MultimemReductionKind,
    MultimemReductionKindAttr,
    OptimizationHintsAttr,
    PtrKindAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import (
    ANY_TILE,
    BOOL_ARRAY_PROP,
    INT_TILE,
    POINTER_TILE,
    SEGMENTS,
    TENSOR_VIEW,
    TILE_VIEW,
    TOKEN,
    CudaTileOp,
    OneOf,
    SetName,
    cuda_tile_op,
)
from tileir_xdsl.dialects.cuda_tile.memory import (
    WEAK,
    check_ordering,
    name_results,
    parse_ordering,
    print_ordering,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    bool_array,
    bool_values,
    check_count,
    inbounds_text,
    index_types_text,
    parse_operands,
    parse_optional_clause,
    parse_optional_hints,
    parse_optional_inbounds,
    parse_result_types,
    parse_types,
    print_hints,
    print_values,
    resolve,
    types_text,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    DYNAMIC,
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileType,
    TileViewType,
    bit_width,
    parse_short_type,
    short_type,
    token,
)
from tileir_xdsl.dialects.cuda_tile.wording import plural
from tileir_xdsl.versions import V13_3, V13_4, V13_5, Version

REDUCE_ADD = MultimemReductionKindAttr(MultimemReductionKind.ADD)


@cuda_tile_op
class MakeTensorViewOp(CudaTileOp):
    """A strided tensor at an address; `?` extents and strides are operands, in order."""

    name = "cuda_tile.make_tensor_view"
    OPCODE: ClassVar = 0x43
    base = operand_def(POINTER_TILE.scalar())
    dynamic_shape = var_operand_def(INT_TILE.scalar())
    dynamic_strides = var_operand_def(INT_TILE.scalar())
    result = result_def(TENSOR_VIEW)
    irdl_options = (SEGMENTS,)
    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        base: SSAValue | Operation,
        dynamic_shape: Sequence[SSAValue | Operation],
        dynamic_strides: Sequence[SSAValue | Operation],
        result_type: Attribute,
    ) -> None:
        super().__init__(
            operands=[base, dynamic_shape, dynamic_strides], result_types=[result_type]
        )

    def get_asm_result_names(self, set_name: SetName) -> None:
        set_name(self.result, "tview")

    @classmethod
    def parse(cls, parser: Parser) -> MakeTensorViewOp:
        base = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        parser.parse_keyword("shape")
        shape_position = parser.pos
        shape = _parse_mixed_list(parser)
        parser.parse_punctuation(",")
        parser.parse_keyword("strides")
        strides_position = parser.pos
        strides = _parse_mixed_list(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        if parser.parse_optional_punctuation("->") is not None:
            result = parse_short_type(parser)
        else:
            result = types.pop()
        if not isinstance(result, TensorViewType):
            parser.raise_error(
                f"expected a tensor_view type, but got '{short_type(result)}'", position, parser.pos
            )
        _check_static(parser, "shape", shape, result.get_shape(), shape_position)
        _check_static(parser, "strides", strides, result.get_strides(), strides_position)
        dynamic = [
            [entry.value for entry in entries if isinstance(entry.value, UnresolvedOperand)]
            for entries in (shape, strides)
        ]
        has_dynamic = bool(dynamic[0] or dynamic[1])
        dynamic_type = types.pop() if has_dynamic and types else None
        if has_dynamic and dynamic_type is None:
            parser.raise_error("expected the type of the dynamic operands and '->'", position)
        base_type = types.pop() if types else TileType.get([], PtrType.get(result.element_type))
        check_count(parser, "operand type", len(types), 0, position)
        return cls.build(
            operands=[
                parser.resolve_operand(base, base_type),
                *(
                    [parser.resolve_operand(o, dynamic_type or i32) for o in operands]
                    for operands in dynamic
                ),
            ],
            result_types=[result],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        type = self.view_type()
        printer.print_string(" ")
        printer.print_ssa_value(self.base)
        printer.print_string(", shape = [")
        _print_mixed_list(printer, type.get_shape(), self.dynamic_shape)
        printer.print_string("], strides = [")
        _print_mixed_list(printer, type.get_strides(), self.dynamic_strides)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        types: list[str] = []
        pointer = self.base.type.element_type if isinstance(self.base.type, TileType) else None
        if isinstance(pointer, PtrType) and isinstance(pointer.kind, PtrKindAttr):
            types.append(short_type(self.base.type))
        dynamic = (*self.dynamic_shape, *self.dynamic_strides)
        if dynamic:
            types.append(short_type(dynamic[0].type))
        arrow = f"{', '.join(types)} -> " if types else ""
        printer.print_string(f" : {arrow}{short_type(type)}")

    def view_type(self) -> TensorViewType:
        assert isinstance(self.result.type, TensorViewType)
        return self.result.type

    def verify_(self) -> None:
        view = self.view_type()
        assert isinstance(self.base.type, TileType)
        pointer = self.base.type.element_type
        assert isinstance(pointer, PtrType)
        if pointer.pointee_type != view.element_type:
            raise VerifyException(
                f"the base points to '{short_type(pointer.pointee_type)}', "
                f"but the tensor holds '{short_type(view.element_type)}'"
            )
        for what, values, dims in (
            ("shape", self.dynamic_shape, view.get_shape()),
            ("strides", self.dynamic_strides, view.get_strides()),
        ):
            expected = dims.count(DYNAMIC)
            if len(values) != expected:
                raise VerifyException(
                    f"{what} has {plural(expected, 'dynamic entry', 'dynamic entries')} "
                    f"in the type, but {plural(len(values), 'operand')}"
                )
        types = {value.type for value in (*self.dynamic_shape, *self.dynamic_strides)}
        if len(types) > 1:
            raise VerifyException("all dynamic extents and strides must have one type")
        if pointer.kind != view.kind:
            raise VerifyException("the base and the tensor_view must carry the same ptr_attr")


class _Entry(NamedTuple):
    """An extent or stride in text, with its place."""

    value: int | UnresolvedOperand
    start: int
    end: int


def _parse_mixed_list(parser: Parser) -> list[_Entry]:
    def parse_entry() -> _Entry:
        start = parser.pos
        operand = parser.parse_optional_unresolved_operand()
        value = parser.parse_integer(allow_boolean=False) if operand is None else operand
        return _Entry(value, start, start if operand is None else operand.span.end)

    parser.parse_punctuation("=")
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_entry)


def _check_static(
    parser: Parser,
    what: str,
    entries: Sequence[_Entry],
    dims: Sequence[int],
    position: int,
) -> None:
    if len(entries) != len(dims):
        parser.raise_error(
            f"{what} has {len(entries)} entries, but the type has {len(dims)}", position
        )
    for k, (entry, dim) in enumerate(zip(entries, dims, strict=True)):
        got = entry.value if isinstance(entry.value, int) else DYNAMIC
        if got != dim:
            shown = ["?" if value == DYNAMIC else str(value) for value in (got, dim)]
            parser.raise_error(
                f"entry {k} of {what} is {shown[0]}, but the type has {shown[1]}",
                entry.start,
                entry.end,
            )


def _print_mixed_list(printer: Printer, dims: Sequence[int], values: Sequence[SSAValue]) -> None:
    dynamic = iter(values)
    for position, dim in enumerate(dims):
        printer.print_string(", " if position else "")
        value = next(dynamic, None) if dim == DYNAMIC else None
        if value is not None:
            printer.print_ssa_value(value)
        else:
            printer.print_string("?" if dim == DYNAMIC else str(dim))


class MakeTileViewOp(CudaTileOp, ABC):
    """Cuts a tensor view into tiles."""

    tensor_view = operand_def(TENSOR_VIEW)
    traits = traits_def(Pure())
    SUGGESTED_NAME: ClassVar[str]

    def __init__(self, tensor_view: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[tensor_view], result_types=[result_type])

    def get_asm_result_names(self, set_name: SetName) -> None:
        set_name(self.results[0], self.SUGGESTED_NAME)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        operand = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        result = parse_short_type(parser)
        if not isinstance(result, TileViewType):
            parser.raise_error(
                f"expected a tile view type, but got '{short_type(result)}'", position, parser.pos
            )
        return cls.create(
            operands=[parser.resolve_operand(operand, result.tensor_view)],
            result_types=[result],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor_view)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.results)}")

    def verify_(self) -> None:
        view = self.results[0].type
        assert isinstance(view, TileViewType)
        if self.tensor_view.type != view.tensor_view:
            raise VerifyException(
                f"the operand must be '{short_type(view.tensor_view)}' as the view's type says, "
                f"but got '{short_type(self.tensor_view.type)}'"
            )


@cuda_tile_op
class MakePartitionViewOp(MakeTileViewOp):
    """A tensor as disjoint tiles."""

    name = "cuda_tile.make_partition_view"
    OPCODE: ClassVar = 0x42
    SUGGESTED_NAME: ClassVar[str] = "pview"
    result = result_def(OneOf((PartitionViewType,), "partition_view"))


@cuda_tile_op
class MakeStridedViewOp(MakeTileViewOp):
    """A tensor as tiles at a stride (13.3)."""

    name = "cuda_tile.make_strided_view"
    OPCODE: ClassVar = 0x74
    SINCE: ClassVar[Version] = V13_3
    SUGGESTED_NAME: ClassVar[str] = "sview"
    result = result_def(OneOf((StridedViewType,), "strided_view"))


@cuda_tile_op
class MakeGatherScatterViewOp(MakeTileViewOp):
    """A tensor as tiles of rows that an index tile chooses (13.3)."""

    name = "cuda_tile.make_gather_scatter_view"
    OPCODE: ClassVar = 0x73
    SINCE: ClassVar[Version] = V13_3
    SUGGESTED_NAME: ClassVar[str] = "gsview"
    result = result_def(OneOf((GatherScatterViewType,), "gather_scatter_view"))


class ShapeQueryOp(CudaTileOp, ABC):
    """One integer for each dimension of a view; text prints one type when all are equal."""

    traits = traits_def(NoMemoryEffect())

    def __init__(self, src: SSAValue | Operation, result_types: Sequence[Attribute]) -> None:
        super().__init__(operands=[src], result_types=[result_types])

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        operand = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parse_short_type(parser)
        if not isinstance(type, TensorViewType | TileViewType):
            parser.raise_error(
                f"expected a view type, but got '{short_type(type)}'", position, parser.pos
            )
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            position = parser.pos
            types = parse_types(parser)
            if len(types) == 1:
                types *= type.rank
            check_count(parser, "result type", len(types), type.rank, position)
        return cls.create(
            operands=[parser.resolve_operand(operand, type)],
            result_types=types,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        nvidia = bool(getattr(printer, "nvidia", False))
        printer.print_string(" ")
        print_values(printer, self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {types_text(self.operands)}")
        if not self.results:
            return
        # NVIDIA prints the first type only, which loses types that differ.
        equal = nvidia or len({value.type for value in self.results}) == 1
        printer.print_string(f" -> {types_text(self.results[:1] if equal else self.results)}")

    def verify_(self) -> None:
        view = self.operands[0].type
        assert isinstance(view, TensorViewType | TileViewType)
        if len(self.results) != view.rank:
            raise VerifyException(
                f"needs one result for each of the view's {view.rank} dimensions, "
                f"but has {len(self.results)}"
            )


@cuda_tile_op
class GetTensorShapeOp(ShapeQueryOp):
    """The extents of a tensor view."""

    name = "cuda_tile.get_tensor_shape"
    OPCODE: ClassVar = 0x2F
    src = operand_def(TENSOR_VIEW)
    extents = var_result_def(INT_TILE.scalar())


@cuda_tile_op
class GetIndexSpaceShapeOp(ShapeQueryOp):
    """The number of tiles of a view along each dimension."""

    name = "cuda_tile.get_index_space_shape"
    OPCODE: ClassVar = 0x2D
    src = operand_def(TILE_VIEW)
    extents = var_result_def(INT_TILE.scalar())

    def verify_(self) -> None:
        super().verify_()
        if len(set(self.result_types)) > 1:
            raise VerifyException("all results must have one type")


class ViewAccessOp(CudaTileOp, ABC):
    """An access of one tile of a view."""

    COMPUTED_DEFAULTS: ClassVar[frozenset[str]] = frozenset(("inbounds",))
    INDICES_HAVE_ONE_TYPE: ClassVar[bool] = True
    TAKES_MULTICAST: ClassVar[bool] = False

    def access_view(self) -> SSAValue:
        return Any_(self).view

    def access_index(self) -> Sequence[SSAValue]:
        return Any_(self).index

    def access_tile(self) -> SSAValue:
        """The loaded or stored tile."""
        raise NotImplementedError

    def computed_default(self, field: str) -> Attribute:
        view = self.access_view().type
        rank = view.rank if isinstance(view, TileViewType) else len(self.access_index())
        return bool_array([False] * rank)

    def is_inbounds(self) -> tuple[bool, ...]:
        """Per index dimension, whether the access is promised to lie inside."""
        inbounds = Any_(self).inbounds
        return bool_values(inbounds if inbounds is not None else self.computed_default("inbounds"))

    def check_access(self) -> None:
        view = self.access_view().type
        assert isinstance(view, TileViewType)
        self._check_indices(view)
        tile = self.access_tile()
        if tile.type != view.tile_type:
            raise VerifyException(
                f"the view's tiles are '{short_type(view.tile_type)}', "
                f"but got '{short_type(tile.type)}'"
            )
        inbounds = Any_(self).inbounds
        if inbounds is not None and len(bool_values(inbounds)) != view.rank:
            raise VerifyException(
                f"inbounds needs one entry for each of the view's {view.rank} dimensions, "
                f"but has {len(bool_values(inbounds))}"
            )
        self._check_packed_view(view)
        if is_multicast_view(view) and not self.TAKES_MULTICAST:
            raise VerifyException("only multimem accesses take a view of a multicast tensor_view")

    def _check_indices(self, view: TileViewType) -> None:
        index = self.access_index()
        if len(index) != view.rank:
            raise VerifyException(
                f"the view takes {plural(view.rank, 'index', 'indices')}, but got {len(index)}"
            )
        sparse = view.sparse_dim.data if isinstance(view, GatherScatterViewType) else None
        scalars: list[Attribute] = []
        for k, value in enumerate(index):
            type = value.type
            assert isinstance(type, TileType)
            if k == sparse:
                extent = view.get_tile_shape()[k]
                if type.get_shape() != (extent,):
                    raise VerifyException(
                        f"index {k}, along the sparse dimension, must have shape {extent}, "
                        f"but got '{short_type(type)}'"
                    )
                continue
            if type.rank:
                raise VerifyException(
                    f"index {k} must be a rank-0 tile, but got '{short_type(type)}'"
                )
            scalars.append(type)
        if self.INDICES_HAVE_ONE_TYPE and len(set(scalars)) > 1:
            got = ", ".join(map(short_type, scalars))
            raise VerifyException(f"all scalar indices must have one type, but got ({got})")

    @staticmethod
    def _check_packed_view(view: TileViewType) -> None:
        tensor = view.get_tensor_view()
        if tensor.element_type != f4E2M1FN:
            return
        unit = [k for k, stride in enumerate(tensor.get_strides()) if stride == 1]
        if len(unit) != 1:
            raise VerifyException("f4E2M1FN views need exactly one static unit stride")
        if isinstance(view, GatherScatterViewType) and view.sparse_dim.data == unit[0]:
            raise VerifyException("the unit stride of an f4E2M1FN view must not be its sparse_dim")


def is_multicast_view(view: TileViewType) -> bool:
    kind = view.get_tensor_view().kind
    return isinstance(kind, PtrKindAttr) and kind.keyword == "multicast"


def Any_(op: Operation) -> Any:
    """The operation as its subclass, whose accessors the base class cannot name."""
    return op


def parse_access_tail(parser: Parser, *, hints: bool) -> dict[str, Any]:
    """`[token = %t] [optimization_hints = <..>] [inbounds = [..]]`."""
    tail: dict[str, Any] = {"token": parse_optional_clause(parser, "token")}
    if hints:
        tail["optimization_hints"] = parse_optional_hints(parser)
    tail["inbounds"] = parse_optional_inbounds(parser)
    return tail


def tail_properties(tail: Mapping[str, Any]) -> dict[str, Attribute]:
    return {k: v for k, v in tail.items() if k != "token" and v is not None}


def resolve_indices(
    parser: Parser,
    operands: Sequence[UnresolvedOperand],
    types: Sequence[Attribute],
    position: int,
) -> list[SSAValue]:
    """Indices with one type for all, or one each."""
    if len(types) == 1:
        types = [types[0]] * len(operands)
    check_count(parser, "index type", len(types), len(operands), position)
    return resolve(parser, operands, types)


def parse_optional_types(parser: Parser) -> tuple[list[Attribute], int]:
    """`, TYPE, ...` up to what follows."""
    position = parser.pos
    types: list[Attribute] = []
    while parser.parse_optional_punctuation(",") is not None:
        types.append(parse_short_type(parser))
    return types, position


def token_operand(parser: Parser, operand: UnresolvedOperand | None) -> SSAValue | None:
    return None if operand is None else parser.resolve_operand(operand, token)


def print_indices(printer: Printer, index: Sequence[SSAValue]) -> None:
    printer.print_string("[")
    print_values(printer, index)
    printer.print_string("]")


def print_spaced_token(printer: Printer, value: SSAValue | None) -> None:
    if value is not None:
        printer.print_string(" token = ")
        printer.print_ssa_value(value)


def print_inbounds(printer: Printer, inbounds: Attribute | None) -> None:
    if text := inbounds_text(inbounds):
        printer.print_string(f" {text}")


@cuda_tile_op
class LoadViewTkoOp(ViewAccessOp):
    """Loads one tile of a view; elements outside the tensor read the view's padding."""

    name = "cuda_tile.load_view_tko"
    OPCODE: ClassVar = 0x3E
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"inbounds": V13_4}
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    inbounds = opt_prop_def(BOOL_ARRAY_PROP)
    tile = result_def(ANY_TILE)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        view: SSAValue | Operation,
        index: Sequence[SSAValue | Operation],
        *,
        token: SSAValue | Operation | None = None,
        ordering: MemoryOrderingAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        type = SSAValue.get(view).type
        assert isinstance(type, TileViewType)
        super().__init__(
            operands=[view, index, token],
            result_types=[type.tile_type, TOKEN_TYPE],
            properties={
                "memory_ordering_semantics": ordering,
                "memory_scope": scope,
                "optimization_hints": hints,
                "inbounds": None if inbounds is None else bool_array(inbounds),
            },
        )

    def get_asm_result_names(self, set_name: SetName) -> None:
        name_results(self, set_name)

    def access_tile(self) -> SSAValue:
        return self.tile

    @classmethod
    def parse(cls, parser: Parser) -> LoadViewTkoOp:
        properties = parse_ordering(parser)
        view = parser.parse_unresolved_operand()
        index = parse_operands(parser, parser.Delimiter.SQUARE)
        tail = parse_access_tail(parser, hints=True)
        attributes = parse_attributes(parser)
        parser.parse_punctuation(":")
        view_type = parse_short_type(parser)
        index_types, position = parse_optional_types(parser)
        parser.parse_punctuation("->")
        results = parse_result_types(parser, 2)
        return cls.build(
            operands=[
                parser.resolve_operand(view, view_type),
                resolve_indices(parser, index, index_types, position),
                token_operand(parser, tail["token"]),
            ],
            result_types=results,
            properties=properties | tail_properties(tail),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        printer.print_string(" ")
        printer.print_ssa_value(self.view)
        print_indices(printer, self.index)
        print_spaced_token(printer, self.token)
        print_hints(printer, self.optimization_hints)
        print_inbounds(printer, self.inbounds)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        index_types = f", {index_types_text(self.index)}" if self.index else ""
        printer.print_string(
            f" : {short_type(self.view.type)}{index_types} -> {types_text(self.results)}"
        )

    def verify_(self) -> None:
        self.check_access()
        check_ordering(
            self.memory_ordering_semantics, ("weak", "relaxed", "acquire"), self.memory_scope
        )


TOKEN_TYPE = token


def parse_attributes(parser: Parser) -> dict[str, Attribute]:
    """`attributes {..}`."""
    attributes = parser.parse_optional_attr_dict_with_keyword()
    return {} if attributes is None else dict(attributes.data)


@cuda_tile_op
class StoreViewTkoOp(ViewAccessOp):
    """Stores one tile of a view; elements outside the tensor are not written."""

    name = "cuda_tile.store_view_tko"
    OPCODE: ClassVar = 0x66
    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {"inbounds": V13_4}
    tile = operand_def(ANY_TILE)
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    inbounds = opt_prop_def(BOOL_ARRAY_PROP)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        tile: SSAValue | Operation,
        view: SSAValue | Operation,
        index: Sequence[SSAValue | Operation],
        *,
        token: SSAValue | Operation | None = None,
        ordering: MemoryOrderingAttr = WEAK,
        scope: MemoryScopeAttr | None = None,
        hints: OptimizationHintsAttr | None = None,
        inbounds: Sequence[bool] | None = None,
    ) -> None:
        super().__init__(
            operands=[tile, view, index, token],
            result_types=[TOKEN_TYPE],
            properties={
                "memory_ordering_semantics": ordering,
                "memory_scope": scope,
                "optimization_hints": hints,
                "inbounds": None if inbounds is None else bool_array(inbounds),
            },
        )

    def access_tile(self) -> SSAValue:
        return self.tile

    @classmethod
    def parse(cls, parser: Parser) -> StoreViewTkoOp:
        properties = parse_ordering(parser)
        tile = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        view = parser.parse_unresolved_operand()
        index = parse_operands(parser, parser.Delimiter.SQUARE)
        tail = parse_access_tail(parser, hints=True)
        attributes = parse_attributes(parser)
        parser.parse_punctuation(":")
        tile_type = parse_short_type(parser)
        parser.parse_punctuation(",")
        view_type = parse_short_type(parser)
        index_types, position = parse_optional_types(parser)
        parser.parse_punctuation("->")
        result = parse_short_type(parser)
        return cls.build(
            operands=[
                parser.resolve_operand(tile, tile_type),
                parser.resolve_operand(view, view_type),
                resolve_indices(parser, index, index_types, position),
                token_operand(parser, tail["token"]),
            ],
            result_types=[result],
            properties=properties | tail_properties(tail),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_ordering(printer, self.memory_ordering_semantics, self.memory_scope)
        printer.print_string(" ")
        print_values(printer, (self.tile, self.view))
        print_indices(printer, self.index)
        print_spaced_token(printer, self.token)
        print_hints(printer, self.optimization_hints)
        print_inbounds(printer, self.inbounds)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        index_types = f", {index_types_text(self.index)}" if self.index else ""
        printer.print_string(
            f" : {types_text((self.tile, self.view))}{index_types} -> {types_text(self.results)}"
        )

    def verify_(self) -> None:
        self.check_access()
        check_ordering(
            self.memory_ordering_semantics, ("weak", "relaxed", "release"), self.memory_scope
        )


MULTIMEM_ELEMENTS = (i32, i64, f16, bf16, f32, f64)


class MultimemOp(ViewAccessOp, ABC):
    """An access through a multicast address (13.5)."""

    SINCE: ClassVar[Version] = V13_5
    TAKES_MULTICAST: ClassVar[bool] = True
    HAS_TILE_OPERAND: ClassVar[bool] = True
    HAS_REDUCTION: ClassVar[bool] = False
    SCOPE_REQUIRED: ClassVar[bool] = False
    ORDERINGS: ClassVar[tuple[str, ...]]

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        properties = parse_ordering(parser)
        if cls.SCOPE_REQUIRED and "memory_scope" not in properties:
            parser.raise_error("expected a memory scope: tl_blk, device or sys")
        view = parser.parse_unresolved_operand()
        tile = None
        if cls.HAS_TILE_OPERAND:
            parser.parse_punctuation(",")
            tile = parser.parse_unresolved_operand()
        index = parse_operands(parser, parser.Delimiter.SQUARE)
        tail = parse_access_tail(parser, hints=False)
        attributes = parse_attributes(parser)
        if cls.HAS_REDUCTION:
            properties["reduction"] = attributes.pop("reduction", REDUCE_ADD)
        parser.parse_punctuation(":")
        groups: list[Any] = [parser.resolve_operand(view, parse_short_type(parser))]
        if tile is not None:
            parser.parse_punctuation(",")
            groups.append(parser.resolve_operand(tile, parse_short_type(parser)))
        index_types, position = parse_optional_types(parser)
        if tail["token"] is not None and index_types and index_types[-1] == token:
            index_types.pop()
        parser.parse_punctuation("->")
        results = parse_result_types(parser, len(cls.get_irdl_definition().results))
        groups.append(resolve_indices(parser, index, index_types, position))
        groups.append(token_operand(parser, tail["token"]))
        return cls.build(
            operands=groups,
            result_types=results,
            properties=properties | tail_properties(tail),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        op = Any_(self)
        print_ordering(printer, op.memory_ordering_semantics, op.memory_scope)
        printer.print_string(" ")
        values = [op.view, op.tile] if self.HAS_TILE_OPERAND else [op.view]
        print_values(printer, values)
        print_indices(printer, op.index)
        print_spaced_token(printer, op.token)
        printer.print_string(f" {inbounds_text(op.inbounds)}")
        attributes = dict(self.attributes)
        if self.HAS_REDUCTION and op.reduction != REDUCE_ADD:
            attributes["reduction"] = op.reduction
        printer.print_op_attributes(attributes, print_keyword=True)
        types = f"{types_text(values)}, {index_types_text(op.index)}"
        if op.token is not None:
            types += f", {short_type(op.token.type)}"
        printer.print_string(f" : {types} -> {types_text(self.results)}")

    def verify_(self) -> None:
        op = Any_(self)
        view = self.access_view().type
        if not isinstance(view, PartitionViewType):
            raise VerifyException(f"needs a partition_view, but got '{short_type(view)}'")
        tensor = view.get_tensor_view()
        if not is_multicast_view(view):
            raise VerifyException("the view must be of a multicast tensor_view")
        self.check_access()
        self._check_element(view, tensor)
        if self.HAS_REDUCTION:
            check_multimem_reduction(
                op.reduction, tensor.element_type, loads=not self.HAS_TILE_OPERAND
            )
        check_ordering(op.memory_ordering_semantics, self.ORDERINGS, op.memory_scope)

    def _check_element(self, view: TileViewType, tensor: TensorViewType) -> None:
        element = tensor.element_type
        if element not in MULTIMEM_ELEMENTS:
            raise VerifyException(
                "element type must be i32, i64, f16, bf16, f32 or f64, "
                f"but got '{short_type(element)}'"
            )
        if isinstance(element, IntegerType):
            return
        if view.tile_type.num_elements * bit_width(element) % 32:
            raise VerifyException("a float tile must be a whole number of 4-byte words")
        if element in (f16, bf16) and tensor.get_strides().count(1) != 1:
            raise VerifyException(
                f"{short_type(element)} tensors need exactly one static unit stride"
            )


def check_multimem_reduction(
    kind: MultimemReductionKindAttr, element: Attribute, *, loads: bool
) -> None:
    """Floats are added; a load also takes the least or greatest of f16 and bf16."""
    word = kind.keyword
    if isinstance(element, IntegerType) or word == "add":
        return
    if loads and word in ("min", "max") and element in (f16, bf16):
        return
    raise VerifyException(f"reduction {word} does not exist for '{short_type(element)}'")


@cuda_tile_op
class MultimemLoadReduceViewTkoOp(MultimemOp):
    """Loads one tile reduced over all devices of a multicast address (13.5)."""

    name = "cuda_tile.multimem_load_reduce_view_tko"
    OPCODE: ClassVar = 0x7B
    HAS_TILE_OPERAND: ClassVar[bool] = False
    HAS_REDUCTION: ClassVar[bool] = True
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "acquire")
    view = operand_def(TILE_VIEW)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    reduction = prop_def(MultimemReductionKindAttr, default_value=REDUCE_ADD)
    inbounds = opt_prop_def(BOOL_ARRAY_PROP)
    reduced_values = result_def(ANY_TILE)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def get_asm_result_names(self, set_name: SetName) -> None:
        name_results(self, set_name)

    def access_tile(self) -> SSAValue:
        return self.reduced_values


@cuda_tile_op
class MultimemReduceViewTkoOp(MultimemOp):
    """Reduces one tile into all devices of a multicast address (13.5)."""

    name = "cuda_tile.multimem_reduce_view_tko"
    OPCODE: ClassVar = 0x7C
    HAS_REDUCTION: ClassVar[bool] = True
    SCOPE_REQUIRED: ClassVar[bool] = True
    ORDERINGS: ClassVar[tuple[str, ...]] = ("relaxed", "release")
    view = operand_def(TILE_VIEW)
    tile = operand_def(ANY_TILE)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = prop_def(MemoryScopeAttr)
    reduction = prop_def(MultimemReductionKindAttr, default_value=REDUCE_ADD)
    inbounds = opt_prop_def(BOOL_ARRAY_PROP)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def access_tile(self) -> SSAValue:
        return self.tile


@cuda_tile_op
class MultimemStoreViewTkoOp(MultimemOp):
    """Stores one tile to all devices of a multicast address (13.5)."""

    name = "cuda_tile.multimem_store_view_tko"
    OPCODE: ClassVar = 0x7D
    ORDERINGS: ClassVar[tuple[str, ...]] = ("weak", "relaxed", "release")
    view = operand_def(TILE_VIEW)
    tile = operand_def(ANY_TILE)
    index = var_operand_def(INT_TILE)
    token = opt_operand_def(TOKEN)
    memory_ordering_semantics = prop_def(MemoryOrderingAttr)
    memory_scope = opt_prop_def(MemoryScopeAttr)
    inbounds = opt_prop_def(BOOL_ARRAY_PROP)
    result_token = result_def(TOKEN)
    irdl_options = (SEGMENTS,)
    traits = traits_def(MemoryWriteEffect())

    def access_tile(self) -> SSAValue:
        return self.tile


OPERATIONS: tuple[type[CudaTileOp], ...] = (
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    LoadViewTkoOp,
    MakeGatherScatterViewOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
    MultimemLoadReduceViewTkoOp,
    MultimemReduceViewTkoOp,
    MultimemStoreViewTkoOp,
    StoreViewTkoOp,
)
