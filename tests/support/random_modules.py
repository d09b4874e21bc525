"""Random valid `cuda_tile` programs: every operation, nested regions, all versions.

`random_module` draws from a `random.Random`, so that a seed is a program; `modules` is the
Hypothesis strategy over the same. What a program may hold follows from the declarations (element
types, properties, first versions); properties are drawn until the operation's own rules hold.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, TypeVar, cast

from hypothesis import strategies as st
from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    IntAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    UnitAttr,
    UnknownLoc,
    bf16,
    f4E2M1FN,
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
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.irdl import OptOperandDef, OptPropertyDef
from xdsl.traits import MemoryEffect, NoMemoryEffect, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import (
    OPERATIONS,
    arithmetic,
    attributes,
    conversions,
    core,
    memory,
    misc,
    views,
)
from tileir_xdsl.dialects.cuda_tile import atomics as at
from tileir_xdsl.dialects.cuda_tile import control_flow as cf
from tileir_xdsl.dialects.cuda_tile.attributes import (
    BoundedAttr,
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
    DivByAttr,
    OptimizationHintsAttr,
    PaddingValueAttr,
    PtrKindAttr,
    SameElementsAttr,
)
from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp, encoding_of
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr, FloatBitsAttr
from tileir_xdsl.dialects.cuda_tile.literals import LAYOUTS
from tileir_xdsl.dialects.cuda_tile.locations import DILocAttr, callsite
from tileir_xdsl.dialects.cuda_tile.syntax import bool_array
from tileir_xdsl.dialects.cuda_tile.types import (
    BASE_FLOATS,
    DYNAMIC,
    INTEGERS,
    NUMBERS,
    SCALAR_WIRE,
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
    bit_width,
    i4,
    is_integer,
    token,
)
from tileir_xdsl.versions import SUPPORTED, V13_1, V13_4, V13_5, Version

Item = TypeVar("Item")

MAX_DEPTH = 4
"""Regions of operations inside each other."""

TRIES = 400
"""Draws of an operation's properties before its rules must have held once."""

NAMES = ("k", "kernel_1", "_", "a.b", "k 3", "9a", "a-b", 'quo"te', "back\\slash", "é∞", "a\udcff")
WORDS = (
    "",
    "x",
    "tile",
    "50%",
    'say "hi"',
    "a\\b",
    "line\nbreak",
    "\t\x00\x7f",
    "é∞𝄞",
    "\udcff\udc80",
)


class Choices:
    """Draws, simplest first: a draw of zero is the plainest program."""

    def __init__(self, random: Random, version: Version) -> None:
        self.random = random
        self.version = version

    def number(self, low: int, high: int) -> int:
        """A number of a range, both ends included."""
        return self.random.randint(low, high)

    def one(self, options: Sequence[Item]) -> Item:
        return options[self.random.randrange(len(options))]

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) >= 100 - percent

    def maybe(self, percent: int, draw: Callable[[], Item]) -> Item | None:
        return draw() if self.chance(percent) else None

    def many(self, low: int, high: int, draw: Callable[[], Item]) -> list[Item]:
        return [draw() for _ in range(self.number(low, high))]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        left, result = list(items), list[Item]()
        while left:
            result.append(left.pop(self.random.randrange(len(left))))
        return result

    # Types.

    def element(self, elements: Sequence[Attribute] = NUMBERS) -> TypeAttribute:
        """A number type of the version."""
        known = [e for e in elements if SCALAR_WIRE[cast(TypeAttribute, e)].since <= self.version]
        return cast(TypeAttribute, self.one(known))

    def shape(self, least: int = 0, most: int = 3) -> tuple[int, ...]:
        """Up to 4096 elements."""
        rank = self.number(least, most)
        if rank < 3 and self.chance(10):
            return (*(1,) * (rank - 1), 256)[-rank:] if rank else ()
        return tuple(self.one((4, 2, 1, 8, 16)) for _ in range(rank))

    def tile(self, element: Attribute, shape: Sequence[int] | None = None) -> TileType:
        shape = self.shape() if shape is None else shape
        pointee = element.pointee_type if isinstance(element, PtrType) else None
        if pointee == f4E2M1FN:
            return TileType.get([], element)
        if element == f4E2M1FN and not any(extent % 2 == 0 for extent in shape):
            return TileType.get([*shape, 2], element)
        return TileType.get(shape, element)

    def number_tile(self, shape: Sequence[int] | None = None) -> TileType:
        return self.tile(self.element(), shape)

    def pointer(self, pointee: Attribute | None = None, *, multicast: bool = True) -> PtrType:
        pointee = self.element() if pointee is None else pointee
        return PtrType.get(pointee, self.maybe(15, lambda: self.pointer_kind(multicast)))

    def pointer_kind(self, multicast: bool = True) -> PtrKindAttr | None:
        kinds = [
            PtrKindAttr.from_number(number)
            for number in range(3)
            if self.version >= (V13_5 if number else V13_4) and (multicast or number != 2)
        ]
        return self.one(kinds) if kinds else None

    def any_tile(self, shape: Sequence[int] | None = None) -> TileType:
        """A tile of numbers, of pointers or of i4."""
        kind = self.number(0, 9)
        if kind == 9 and SCALAR_WIRE[i4].since <= self.version:
            return self.tile(i4, shape)
        if kind == 8:
            pointer = self.pointer()
            return self.tile(f32 if pointer.pointee_type == f4E2M1FN else pointer, shape)
        return self.number_tile(shape)

    def tensor_view(self, element: Attribute | None = None) -> TensorViewType:
        element = self.element() if element is None else element
        rank = self.number(0, 3)
        shape = [DYNAMIC if self.chance(40) else self.one((64, 7, 1, 1 << 40)) for _ in range(rank)]
        strides = [DYNAMIC if self.chance(40) else self.one((1, 64, 3)) for _ in range(rank)]
        return TensorViewType.get(shape, element, strides, self.maybe(15, self.pointer_kind))

    def tile_view(self, *, scatter: bool = True) -> TileViewType:
        """A view of any kind that its accesses take."""
        while True:
            tensor = self.tensor_view()
            if not tensor.rank:
                continue
            tile = self.tile(tensor.element_type, self.shape(tensor.rank, tensor.rank))
            if tile.rank != tensor.rank:
                continue
            if tensor.element_type == f4E2M1FN and tensor.get_strides().count(1) != 1:
                continue
            view = self._view_of(tensor, tile.get_shape(), scatter)
            if view is not None:
                return view

    def _view_of(
        self, tensor: TensorViewType, tile: Sequence[int], scatter: bool
    ) -> TileViewType | None:
        padding = self.maybe(40, lambda: cast(PaddingValueAttr, self.enum(PaddingValueAttr)))
        dims = self.shuffled(range(tensor.rank)) if self.chance(30) else None
        kinds = ["partition", "strided", "gather"] if scatter else ["partition", "strided"]
        kind = self.one(kinds if StridedViewType.SINCE <= self.version else kinds[:1])
        try:
            if kind == "partition":
                return PartitionViewType.get(tile, tensor, dims, padding)
            if kind == "strided":
                steps = [self.one((1, 2, 3, 64)) for _ in tile]
                return StridedViewType.get(tile, steps, tensor, dims, padding)
            sparse = self.number(0, tensor.rank - 1)
            if tensor.element_type == f4E2M1FN and tensor.get_strides()[sparse] == 1:
                return None
            return GatherScatterViewType.get(tile, tensor, sparse, padding)
        except VerifyException:
            return None  # The padding does not exist in the element type.

    # Attributes.

    def enum(self, enum: type[Any]) -> Attribute:
        since = enum.VALUE_SINCE
        return enum(
            self.one([v for v in enum.enum_type if since.get(v.value, V13_1) <= self.version])
        )

    def word(self) -> str:
        return "".join(self.many(0, 2, lambda: self.one(WORDS)))

    def integer(self, width: int, *, signed: bool = True) -> int:
        """A number of a width, extremes often."""
        low = -(1 << (width - 1)) if signed else 0
        high = low + (1 << width) - 1
        return self.one((0, min(1, high), low, high, self.number(low, high)))

    def bits(self, element: Attribute) -> int:
        """A bit pattern of an element type: NaN payloads, signed zeros and subnormals too."""
        if is_integer(element):
            return self.integer(bit_width(element), signed=False)
        layout = LAYOUTS[element.name]
        special = ((1 << layout.exponent_bits) - 1) << layout.mantissa_bits
        anything = self.number(0, (1 << layout.width) - 1)
        payload = special | anything & ((1 << layout.mantissa_bits) - 1)
        one = layout.bias << layout.mantissa_bits
        return self.one((0, one, anything, payload, special, 1, 1 << (layout.width - 1)))

    def dense(self, type: TileType) -> DenseElementsAttr:
        element = type.element_type
        count = type.num_elements
        if count > 2048 or self.chance(60):
            return DenseElementsAttr.splat(type, self.bits(element))
        few = self.many(1, 4, lambda: self.bits(element))
        return DenseElementsAttr.from_bits(type, (self.one(few) for _ in range(count)))

    def scalar(self, element: Attribute) -> Attribute:
        if not is_integer(element):
            return FloatBitsAttr.get(self.bits(element), element)
        width = bit_width(element)
        if width == 1:
            return IntegerAttr(self.number(0, 1), i1)
        return IntegerAttr(self.integer(width), element)

    def attribute(self, depth: int = 2) -> Attribute:
        """An attribute that the bytecode can hold anywhere."""
        simple: list[Callable[[], Attribute]] = [
            lambda: self.scalar(self.element(INTEGERS)),
            lambda: self.scalar(self.element((f16, f32, f64, bf16, tf32))),
            lambda: StringAttr(self.word()),
            self.any_tile,
            self.tensor_view,
        ]
        nested: list[Callable[[], Attribute]] = [
            lambda: ArrayAttr(self.many(0, 3, lambda: self.scalar(self.element(INTEGERS)))),
            lambda: self.dictionary(self.keys(WORDS[1:6]), depth - 1),
        ]
        return self.one(simple + nested if depth else simple)()

    def keys(self, names: Sequence[str]) -> list[str]:
        """Some names, each once."""
        return self.shuffled(names)[: self.number(0, 3)]

    def dictionary(self, keys: Iterable[str], depth: int) -> DictionaryAttr:
        return DictionaryAttr({key: self.attribute(depth) for key in keys})

    def hints(self, names: Sequence[str]) -> OptimizationHintsAttr:
        def value() -> Attribute:
            if self.chance(90):
                return self.scalar(self.one((i32, i1, i64)))
            return self.attribute(1)

        archs = self.keys(("sm_100", "default", "sm_90", "sm_120a", "odd key"))
        return OptimizationHintsAttr.get(
            {arch: {name: value() for name in self.keys(names)} for arch in archs}
        )

    def entry_hints(self) -> OptimizationHintsAttr:
        return self.hints(("occupancy", "num_cta_in_cga", "num_worker_warps_per_cta", "my key"))

    def access_hints(self) -> OptimizationHintsAttr:
        return self.hints(("latency", "allow_tma", "z"))


class Locations:
    """The locations of an entry and its operations: scopes, blocks in them, inlined calls."""

    def __init__(self, choices: Choices, entry: str) -> None:
        self.choices = choices
        self.entry: LocationAttr = UnknownLoc()
        self._known: list[LocationAttr] = [self.entry]
        if choices.chance(60):
            scope = self.subprogram(entry)
            self.entry = self._position(scope)
            self._known += self._in_scope(scope)

    def pick(self) -> LocationAttr:
        return self.choices.one(self._known)

    def _in_scope(self, scope: DISubprogramAttr) -> Iterator[LocationAttr]:
        choices = self.choices
        scopes: list[Attribute] = [scope]
        for _ in range(choices.number(0, 3)):
            line, column = choices.number(0, 99), choices.number(0, 9)
            block = DILexicalBlockAttr(
                choices.one(scopes), self.file(), IntAttr(line), IntAttr(column)
            )
            scopes.append(block)
        own = [self._position(choices.one(scopes)) for _ in range(choices.number(1, 4))]
        yield from own
        for _ in range(choices.number(0, 3)):
            inner = self._position(self.subprogram(choices.word()))
            call = callsite(inner, choices.one(own))
            yield call
            if choices.chance(30):
                outer = self._position(self.subprogram(choices.word()))
                yield callsite(callsite(inner, outer), choices.one(own))
                yield callsite(inner, callsite(outer, choices.one(own)))

    def file(self) -> DIFileAttr:
        words = self.choices.word(), self.choices.word()
        return DIFileAttr(*map(StringAttr, words))

    def subprogram(self, linkage_name: str) -> DISubprogramAttr:
        choices = self.choices
        declaration = choices.version >= V13_5 and choices.chance(20)
        return DISubprogramAttr(
            self.file(),
            IntAttr(choices.number(0, 9999)),
            StringAttr(choices.word()),
            StringAttr(linkage_name),
            DICompileUnitAttr(self.file()),
            IntAttr(choices.number(0, 3)),
            IntAttr(int(declaration)),
        )

    def _position(self, scope: Attribute) -> LocationAttr:
        choices = self.choices
        line, column = choices.number(0, 10_000_000), choices.number(0, 200)
        position = FileLineColLoc(StringAttr(choices.word()), IntAttr(line), IntAttr(column))
        return cast(LocationAttr, DILocAttr(position, scope))


class Body(Choices):
    """An entry that grows: the open blocks, and the values that are visible in them."""

    def __init__(
        self, random: Random, version: Version, symbols: dict[str, TileType], where: Locations
    ) -> None:
        super().__init__(random, version)
        self.globals = symbols
        self.locations = where
        self.block = Block()
        self.scopes: list[dict[Attribute, list[SSAValue]]] = [{}]
        self.in_fold = False
        self.ends: list[Callable[[], Operation]] = []
        """How a block inside an `if` can end other than with `yield`."""
        self.budget = 0
        """Operations that regions may still take."""

    def define(self, *values: SSAValue) -> None:
        for value in values:
            self.scopes[-1].setdefault(value.type, []).append(value)

    def add(self, op: Operation) -> Operation:
        """Append an operation, whose results are visible from here on."""
        op.location = self.locations.pick()
        self.block.add_op(op)
        results = op.results
        if isinstance(op, misc.PrintTkoOp) and op.field_since("result_token") > self.version:
            results = ()
        self.define(*results)
        return op

    def visible(self, type: Attribute) -> list[SSAValue]:
        return [value for scope in self.scopes for value in scope.get(type, ())]

    def value(self, type: Attribute) -> SSAValue:
        """A value of a type: one that is there, or one made for it."""
        known = self.visible(type)
        if known and self.chance(70):
            return self.one(known)
        return self.add(self._source(type)).results[0]

    def _source(self, type: Attribute) -> Operation:
        match type:
            case TileType(element_type=PtrType()):
                return conversions.IntToPtrOp(self.value(type.with_element(i64)), type)
            case TileType() if type.element_type == i4:
                wide = self.value(type.with_element(i8))
                return conversions.TruncIOp(wide, type, {"overflow": arithmetic.NO_OVERFLOW_CLAIM})
            case TileType():
                return core.ConstantOp(self.dense(type))
            case TokenType():
                return memory.MakeTokenOp()
            case TensorViewType():
                return self._tensor(type)
            case PartitionViewType():
                return views.MakePartitionViewOp(self.value(type.tensor_view), type)
            case StridedViewType():
                return views.MakeStridedViewOp(self.value(type.tensor_view), type)
            case GatherScatterViewType():
                return views.MakeGatherScatterViewOp(self.value(type.tensor_view), type)
            case _:
                raise AssertionError(type)

    def _tensor(self, type: TensorViewType) -> Operation:
        kind = type.kind if isinstance(type.kind, PtrKindAttr) else None
        base = self.value(TileType.get([], PtrType.get(type.element_type, kind)))
        dynamic = TileType.get([], self.element(INTEGERS))
        shape, strides = (
            [self.value(dynamic) for _ in range(dims.count(DYNAMIC))]
            for dims in (type.get_shape(), type.get_strides())
        )
        return views.MakeTensorViewOp(base, shape, strides, type)

    def token(self) -> SSAValue:
        return self.value(token)

    def optional(self, cls: type[CudaTileOp], field: str, type: Attribute) -> SSAValue | None:
        """An optional operand, where the version has it."""
        if cls.field_since(field) > self.version:
            return None
        return self.maybe(50, lambda: self.value(type))

    def scalar_index(self) -> SSAValue:
        return self.value(TileType.get([], i32))

    # Building an operation whose properties obey its rules.

    def build(
        self,
        cls: type[CudaTileOp],
        operands: Sequence[SSAValue | Sequence[SSAValue] | None],
        results: Sequence[Attribute | Sequence[Attribute]],
        **properties: Attribute | None,
    ) -> Operation | None:
        """The operation with the properties that are not given drawn; None if none would do."""
        definition = cls.get_irdl_definition()
        for _ in range(TRIES):
            drawn = {
                name: self._property(cls, name, declared)
                for name, declared in definition.properties.items()
                if name not in properties and name != "operandSegmentSizes"
            }
            op = cls.build(
                operands=operands,
                result_types=results,
                properties={k: v for k, v in (drawn | properties).items() if v is not None},
            )
            try:
                op.verify_rules()
                return op
            except VerifyException:
                op.erase()
                if not drawn:
                    return None
        return None

    def _property(self, cls: type[CudaTileOp], name: str, declared: Any) -> Attribute | None:
        late = cls.field_since(name) > self.version
        optional = isinstance(declared, OptPropertyDef) and declared.default_value is None
        if late:
            return None if optional else declared.default_value
        if optional and not self.chance(50):
            return None
        match encoding_of(declared):
            case "unit":
                return UnitAttr()
            case "enum":
                bases: set[type[Attribute]] = declared.constr.get_bases() or set()
                return self.enum(bases.pop())
            case "hints":
                return self.access_hints()
            case "str":
                return StringAttr(self.word())
            case encoding:
                raise AssertionError(f"{cls.name}: no draw for {name}, of encoding {encoding}")

    # Regions.

    @contextmanager
    def region(self, types: Sequence[Attribute], *, fold: bool = False) -> Generator[Block]:
        """Open a block with arguments of some types."""
        outer, was_fold, ends = self.block, self.in_fold, self.ends
        block = self.block = Block(arg_types=types)
        self.scopes.append({})
        self.define(*block.args)
        self.in_fold = was_fold or fold
        if fold:
            self.ends = []
        yield block
        self.scopes.pop()
        self.block, self.in_fold, self.ends = outer, was_fold, ends

    def fill(self) -> None:
        """Some random operations."""
        for _ in range(self.number(0, 5)):
            if self.budget <= 0:
                return
            self.budget -= 1
            self.operation()

    def operation(self, cls: type[CudaTileOp] | None = None) -> None:
        """One random operation (of a class), after what it needs."""
        if cls is None:
            cls = self.one(self.classes())
        made = MAKERS[cls](self, cls)
        if made is not None:
            self.add(made)

    def classes(self) -> list[type[CudaTileOp]]:
        nested = len(self.scopes) > MAX_DEPTH or self.budget <= 0
        return [
            cls
            for cls in MAKERS
            if cls.SINCE <= self.version
            and not (nested and cls.get_irdl_definition().regions)
            and (not self.in_fold or may_be_in_fold(cls))
            and (self.globals or cls is not core.GetGlobalOp)
        ]

    def pass_on(self, cls: type[CudaTileOp], types: Sequence[Attribute]) -> None:
        """End the block with values of some types."""
        self.add(cls.build(operands=[[self.value(type) for type in types]]))


def may_be_in_fold(cls: type[CudaTileOp]) -> bool:
    """Bodies of `reduce` and `scan` hold operations without effects, and no loops."""
    effects = [t for t in cls.traits.traits if isinstance(t, MemoryEffect)]
    is_loop = issubclass(cls, cf.ForOp | cf.LoopOp)
    return (
        bool(effects)
        and not is_loop
        and all(
            isinstance(effect, Pure | NoMemoryEffect | RecursiveMemoryEffect) for effect in effects
        )
    )


Make = Callable[[Body, Any], "Operation | None"]

MAKERS: dict[type[CudaTileOp], Make] = {}
"""How an operation of each class is made; what it needs is added to the body first."""

TERMINATORS: tuple[type[CudaTileOp], ...] = (
    cf.BreakOp,
    cf.ContinueOp,
    cf.ReturnOp,
    cf.YieldOp,
)
TOP_LEVEL: tuple[type[CudaTileOp], ...] = (core.EntryOp, core.GlobalOp, core.ModuleOp)


def makes(*classes: type[CudaTileOp]) -> Callable[[Make], Make]:
    def keep(make: Make) -> Make:
        for cls in classes:
            MAKERS[cls] = make
        return make

    return keep


def elements_of(values: Sequence[tuple[str, Any]]) -> Sequence[Attribute]:
    """The element types that the tile of the first declared operand or result may have."""
    constraint = values[0][1].constr
    while not hasattr(constraint, "elements"):
        constraint = getattr(constraint, "constr", None) or constraint.constraint
    return constraint.elements


# --- arithmetic and conversions


@makes(*(op for op in arithmetic.OPERATIONS if issubclass(op, arithmetic.SameTypeOp)))
def make_elementwise(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    definition = cls.get_irdl_definition()
    type = body.tile(body.element(elements_of(definition.operands)))
    return body.build(cls, [body.value(type) for _ in definition.operands], [type])


@makes(arithmetic.CmpFOp, arithmetic.CmpIOp)
def make_comparison(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    type = body.tile(body.element(elements_of(cls.get_irdl_definition().operands)))
    return body.build(cls, [body.value(type), body.value(type)], [type.with_element(i1)])


@makes(arithmetic.FPowIOp)
def make_integer_power(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    type = body.tile(body.element(BASE_FLOATS))
    exponent = type.with_element(body.one((i32, i1, i8, i16)))
    return body.build(cls, [body.value(type), body.value(exponent)], [type])


def matrices(
    body: Body, inputs: Attribute, accumulator: Attribute
) -> tuple[TileType, TileType, TileType]:
    batch = body.shape(0, 1)
    m, n, k = (body.one((4, 2, 8, 16)) for _ in range(3))
    shapes = (*batch, m, k), (*batch, k, n), (*batch, m, n)
    lhs, rhs, acc = shapes
    return TileType.get(lhs, inputs), TileType.get(rhs, inputs), TileType.get(acc, accumulator)


@makes(arithmetic.MmaFOp)
def make_mmaf(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    inputs = body.element(list(arithmetic.MMAF_ACCUMULATORS))
    types = matrices(body, inputs, body.one(arithmetic.MMAF_ACCUMULATORS[inputs]))
    return body.build(cls, [body.value(type) for type in types], [types[2]])


@makes(arithmetic.MmaIOp)
def make_mmai(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    types = matrices(body, i8, i32)
    return body.build(cls, [body.value(type) for type in types], [types[2]])


@makes(arithmetic.MmaFScaledOp)
def make_mmaf_scaled(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    (packed, scale), blocks = body.one(list(arithmetic.SCALE_BLOCKS.items()))
    if SCALAR_WIRE[cast(TypeAttribute, scale)].since > body.version:
        return None
    inputs = f4E2M1FN if packed else body.one((builtin.f8E4M3FN, builtin.f8E5M2))
    batch = body.shape(0, 1)
    m, n, columns = (body.one((2, 4)) for _ in range(3))
    k = columns * body.one(blocks)
    shapes: list[tuple[tuple[int, ...], Attribute]] = [
        ((*batch, m, k), inputs),
        ((*batch, k, n), inputs),
        ((*batch, m, n), f32),
        ((*batch, m, columns), scale),
        ((*batch, columns, n), scale),
    ]
    types = [TileType.get(shape, element) for shape, element in shapes]
    return body.build(cls, [body.value(type) for type in types], [types[2]])


@makes(*conversions.OPERATIONS)
def make_conversion(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    definition = cls.get_irdl_definition()
    ends = elements_of(definition.operands), elements_of(definition.results)
    shape = body.shape()
    for _ in range(TRIES):
        source, result = (
            body.tile(body.element(elements) if elements else body.pointer(), shape)
            for elements in ends
        )
        if source.get_shape() != result.get_shape():
            continue
        probe = cls.create(operands=[Block(arg_types=[source]).args[0]], result_types=[result])
        if _can_convert(probe, source, result):
            return body.build(cls, [body.value(source)], [result])
    return None


def _can_convert(op: Operation, source: TileType, result: TileType) -> bool:
    """Whether some properties make the conversion valid."""
    if isinstance(op, conversions.FToFOp):
        return source != result
    if isinstance(op, conversions.FToIOp):
        return True
    if isinstance(op, conversions.IToFOp):
        return result.element_type != builtin.f8E8M0FNU
    try:
        cast(CudaTileOp, op).verify_rules()
    except VerifyException:
        return False
    return True


# --- core


@makes(core.ConstantOp)
def make_constant(body: Body, cls: type[CudaTileOp]) -> Operation:
    shape = body.shape() if body.chance(90) else (128,)
    return core.ConstantOp(body.dense(body.number_tile(shape)))


@makes(core.GetGlobalOp)
def make_get_global(body: Body, cls: type[CudaTileOp]) -> Operation:
    name = body.one(list(body.globals))
    pointer = body.pointer(body.globals[name].element_type)
    return core.GetGlobalOp(name, TileType.get([], pointer))


@makes(core.GetNumTileBlocksOp)
def make_grid_size(body: Body, cls: type[CudaTileOp]) -> Operation:
    return core.GetNumTileBlocksOp()


@makes(core.GetTileBlockIdOp)
def make_block_id(body: Body, cls: type[CudaTileOp]) -> Operation:
    return core.GetTileBlockIdOp()


@makes(core.IotaOp)
def make_iota(body: Body, cls: type[CudaTileOp]) -> Operation:
    element = body.element(INTEGERS)
    extent = body.one((1, 2) if element == i1 else (4, 1, 16, 128))
    return core.IotaOp(TileType.get([extent], element))


@makes(core.OffsetOp)
def make_offset(body: Body, cls: type[CudaTileOp]) -> Operation:
    type = body.tile(body.pointer())
    return core.OffsetOp(body.value(type), body.value(type.with_element(body.element(INTEGERS))))


@makes(core.SelectOp)
def make_select(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    type = body.any_tile()
    condition = body.value(type.with_element(i1))
    return body.build(cls, [condition, body.value(type), body.value(type)], [type])


@makes(core.ReshapeOp)
def make_reshape(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    source = body.any_tile()
    shape = body.shuffled(source.get_shape())
    if body.chance(50):
        shape.insert(body.number(0, len(shape)), 1)
    if len(shape) > 1 and body.chance(50):
        shape[:2] = [shape[0] * shape[1]]
    if source.num_elements == 1 and source.element_type != f4E2M1FN and body.chance(30):
        shape = []
    return body.build(cls, [body.value(source)], [source.with_shape(shape)])


@makes(core.BroadcastOp)
def make_broadcast(body: Body, cls: type[CudaTileOp]) -> Operation:
    result = body.any_tile()
    shape = [1 if body.chance(50) else extent for extent in result.get_shape()]
    source = body.tile(result.element_type, shape)
    if source.rank != result.rank:
        source = result
    return core.BroadcastOp(body.value(source), result)


@makes(core.PermuteOp)
def make_permute(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    source = body.any_tile(body.shape(2, 4))
    if source.rank < 2:
        return None
    order = body.shuffled(range(source.rank))
    result = source.with_shape([source.get_shape()[k] for k in order])
    permutation = builtin.DenseArrayBase.from_list(i32, order)
    return body.build(cls, [body.value(source)], [result], permutation=permutation)


@makes(core.CatOp)
def make_cat(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    part = body.any_tile(body.shape(1, 3))
    if not part.rank:
        return None
    dim = body.number(0, part.rank - 1)
    shape = list(part.get_shape())
    shape[dim] *= 2
    operands = [body.value(part), body.value(part)]
    return body.build(cls, operands, [part.with_shape(shape)], dim=IntegerAttr(dim, i64))


def whole_and_part(body: Body) -> tuple[TileType, TileType]:
    part = body.any_tile()
    shape = [extent * body.one((1, 2, 4)) for extent in part.get_shape()]
    return part.with_shape(shape), part


@makes(core.ExtractOp)
def make_extract(body: Body, cls: type[CudaTileOp]) -> Operation:
    whole, part = whole_and_part(body)
    indices = [body.scalar_index() for _ in range(whole.rank)]
    return core.ExtractOp(body.value(whole), indices, part)


@makes(core.InsertOp)
def make_insert(body: Body, cls: type[CudaTileOp]) -> Operation:
    whole, part = whole_and_part(body)
    indices = [body.scalar_index() for _ in range(whole.rank)]
    return core.InsertOp(body.value(part), body.value(whole), indices)


STORED_BITS = {tf32: 32}


def packed_types(body: Body) -> tuple[TileType, TileType] | None:
    elements = (*(e for e in NUMBERS if e != i8), i4)
    element = body.element(elements)
    width = STORED_BITS.get(cast(Any, element), bit_width(element))
    if width == 8:
        return None
    count = body.one((8, 16, 64))
    return TileType.get([count], element), TileType.get([count * width // 8], i8)


@makes(core.PackOp, core.UnpackOp)
def make_pack(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    types = packed_types(body)
    if types is None:
        return None
    source, result = types if cls is core.PackOp else reversed(types)
    return body.build(cls, [body.value(source)], [result])


@makes(core.ReduceOp, core.ScanOp)
def make_fold(body: Body, cls: type[core.FoldOp]) -> Operation:
    shape = body.shape(1, 3)
    dim = body.number(0, len(shape) - 1)
    elements = [*(e for e in NUMBERS if e != f4E2M1FN), i4]
    types = [TileType.get(shape, body.element(elements)) for _ in range(body.number(1, 3))]
    operands = [body.value(type) for type in types]
    scalars = [type.with_shape([]) for type in types]
    with body.region([t for scalar in scalars for t in (scalar, scalar)], fold=True) as block:
        body.fill()
        body.pass_on(cf.YieldOp, scalars)
    identities = [body.scalar(identity_element(body, type)) for type in types]
    if issubclass(cls, core.ScanOp):
        return core.ScanOp(operands, dim, identities, Region(block), reverse=body.chance(50))
    return core.ReduceOp(operands, dim, identities, Region(block))


def identity_element(body: Body, type: TileType) -> Attribute:
    """That of the operand; f16 and bf16 stand for each other."""
    element = type.element_type
    return body.one((element, f16, bf16)) if element in (f16, bf16) else element


# --- control flow


@makes(cf.AssertOp)
def make_assert(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    return body.build(cls, [body.value(body.tile(i1))], [])


def carried_types(body: Body, most: int = 3) -> list[Attribute]:
    def carried() -> Attribute:
        return token if body.chance(20) else body.any_tile()

    return list(body.many(0, most, carried))


@makes(cf.IfOp)
def make_if(body: Body, cls: type[CudaTileOp]) -> Operation:
    condition = body.value(TileType.get([], i1))
    results = carried_types(body) if body.chance(50) else []
    blocks: list[Block] = []
    for _ in range(2 if results or body.chance(50) else 1):
        with body.region([]) as block:
            body.fill()
            end_branch(body, results)
        blocks.append(block)
    then, *other = map(Region, blocks)
    return cf.IfOp(condition, results, then, *other)


def end_branch(body: Body, results: Sequence[Attribute]) -> None:
    if body.ends and body.chance(25):
        body.add(body.one(body.ends)())
    else:
        body.pass_on(cf.YieldOp, results)


def ends_with(body: Body, cls: type[CudaTileOp], types: Sequence[Attribute]) -> Callable[[], Any]:
    return lambda: cls.build(operands=[[body.value(type) for type in types]])


@makes(cf.ForOp)
def make_for(body: Body, cls: type[CudaTileOp]) -> Operation:
    bound = TileType.get([], body.element(INTEGERS))
    lower, upper, step = (body.value(bound) for _ in range(3))
    types = carried_types(body)
    inits = [body.value(type) for type in types]
    unsigned = cls.field_since("unsignedCmp") <= body.version and body.chance(40)
    with body.region([bound, *types]) as block:
        body.ends = [ends_with(body, cf.ContinueOp, types)]
        body.fill()
        body.pass_on(cf.ContinueOp, types)
    return cf.ForOp(lower, upper, step, inits, Region(block), unsigned=unsigned)


@makes(cf.LoopOp)
def make_loop(body: Body, cls: type[CudaTileOp]) -> Operation:
    types, results = carried_types(body), carried_types(body, 2)
    inits = [body.value(type) for type in types]
    with body.region(types) as block:
        returns = [end for end in body.ends if end is return_]
        body.ends = [
            ends_with(body, cf.BreakOp, results),
            ends_with(body, cf.ContinueOp, types),
            *returns,
        ]
        body.fill()
        body.add(body.one(body.ends)())
    return cf.LoopOp(inits, results, Region(block))


def return_() -> Operation:
    return cf.ReturnOp()


# --- memory


@makes(memory.MakeTokenOp)
def make_token(body: Body, cls: type[CudaTileOp]) -> Operation:
    return memory.MakeTokenOp()


@makes(memory.JoinTokensOp)
def make_join(body: Body, cls: type[CudaTileOp]) -> Operation:
    return memory.JoinTokensOp(*(body.token() for _ in range(body.number(2, 4))))


@makes(memory.MemoryFenceAliasTkoOp)
def make_fence(body: Body, cls: type[CudaTileOp]) -> Operation:
    return memory.MemoryFenceAliasTkoOp(body.token())


@makes(memory.GdcLaunchDependentsTkoOp, memory.GdcWaitTkoOp)
def make_gdc(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    return body.build(cls, [body.optional(cls, "token", token)], [token])


@makes(memory.AllocaOp)
def make_alloca(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    pointer = TileType.get([], body.pointer(multicast=False))
    count = body.one((64, 0, 1, 1 << 40))
    return body.build(
        cls,
        [],
        [pointer],
        num_elem=IntegerAttr(count, i64),
        alignment=IntegerAttr(body.one((16, 8, 4096)), i64),
    )


def pointer_tile(body: Body, *, multicast: bool = True) -> tuple[TileType, TileType]:
    """Pointers, and what they point to."""
    numbers = body.tile(body.element([e for e in NUMBERS if e != f4E2M1FN]))
    pointer = body.pointer(numbers.element_type, multicast=multicast)
    return numbers.with_element(pointer), numbers


@makes(memory.LoadPtrTkoOp)
def make_load(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    pointers, numbers = pointer_tile(body)
    operands = [
        body.value(pointers),
        body.optional(cls, "mask", numbers.with_element(i1)),
        body.optional(cls, "padding_value", numbers),
        body.optional(cls, "token", token),
    ]
    return body.build(cls, operands, [numbers, token])


@makes(memory.StorePtrTkoOp)
def make_store(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    pointers, numbers = pointer_tile(body)
    operands = [
        body.value(pointers),
        body.value(numbers),
        body.optional(cls, "mask", numbers.with_element(i1)),
        body.optional(cls, "token", token),
    ]
    return body.build(cls, operands, [token])


@makes(at.AtomicCASTkoOp)
def make_cas(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    numbers = body.tile(body.one((i32, i64, f32, f64)))
    pointers = numbers.with_element(body.pointer(numbers.element_type, multicast=False))
    operands = [
        body.value(pointers),
        body.value(numbers),
        body.value(numbers),
        body.optional(cls, "mask", numbers.with_element(i1)),
        body.optional(cls, "token", token),
    ]
    return body.build(cls, operands, [numbers, token])


ATOMIC_ELEMENTS = (i32, i64, f32, f16, bf16, f64)


@makes(at.AtomicRMWTkoOp)
def make_rmw(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    numbers = body.tile(body.one(ATOMIC_ELEMENTS))
    pointers = numbers.with_element(body.pointer(numbers.element_type, multicast=False))
    operands = [
        body.value(pointers),
        body.value(numbers),
        body.optional(cls, "mask", numbers.with_element(i1)),
        body.optional(cls, "token", token),
    ]
    return body.build(cls, operands, [numbers, token])


# --- views


@makes(views.MakeTensorViewOp)
def make_tensor_view(body: Body, cls: type[CudaTileOp]) -> Operation:
    return body._tensor(body.tensor_view())  # pyright: ignore[reportPrivateUsage]


VIEW_TYPES: dict[type[CudaTileOp], type[TileViewType]] = {
    views.MakePartitionViewOp: PartitionViewType,
    views.MakeStridedViewOp: StridedViewType,
    views.MakeGatherScatterViewOp: GatherScatterViewType,
}


@makes(*VIEW_TYPES)
def make_view(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    for _ in range(TRIES):
        type = body.tile_view()
        if isinstance(type, VIEW_TYPES[cls]):
            return body.build(cls, [body.value(type.tensor_view)], [type])
    return None


@makes(views.GetTensorShapeOp)
def make_tensor_shape(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    """Not of a rank-0 view, on which NVIDIA's printer crashes."""
    type = body.tensor_view()
    if not type.rank:
        return None
    results = [TileType.get([], body.element(INTEGERS)) for _ in range(type.rank)]
    return body.build(cls, [body.value(type)], [results])


@makes(views.GetIndexSpaceShapeOp)
def make_index_space(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    type = body.tile_view()
    result = TileType.get([], body.element(INTEGERS))
    return body.build(cls, [body.value(type)], [[result] * type.rank])


def indices(body: Body, view: TileViewType, *, one_type: bool = True) -> list[SSAValue]:
    scalar = TileType.get([], body.element(INTEGERS))
    result: list[SSAValue] = []
    for position, extent in enumerate(view.get_tile_shape()):
        if isinstance(view, GatherScatterViewType) and position == view.sparse_dim.data:
            result.append(body.value(TileType.get([extent], body.element(INTEGERS))))
            continue
        if not one_type:
            scalar = TileType.get([], body.element(INTEGERS))
        result.append(body.value(scalar))
    return result


def inbounds(body: Body, cls: type[CudaTileOp], view: TileViewType) -> Attribute | None:
    """None stands for all false, which has no spelling of its own."""
    if cls.field_since("inbounds") > body.version:
        return None
    values = [body.chance(30) for _ in range(view.rank)]
    return bool_array(values) if any(values) else None


@makes(views.LoadViewTkoOp, views.MultimemLoadReduceViewTkoOp)
def make_view_load(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    view = access_view(body, cls)
    operands = [body.value(view), indices(body, view), body.optional(cls, "token", token)]
    promise = inbounds(body, cls, view)
    return body.build(cls, operands, [view.tile_type, token], inbounds=promise)


@makes(views.StoreViewTkoOp)
def make_view_store(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    view = access_view(body, cls)
    tile = body.value(view.tile_type)
    operands = [tile, body.value(view), indices(body, view), body.optional(cls, "token", token)]
    return body.build(cls, operands, [token], inbounds=inbounds(body, cls, view))


@makes(views.MultimemReduceViewTkoOp, views.MultimemStoreViewTkoOp)
def make_multimem(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    view = access_view(body, cls)
    tile = body.value(view.tile_type)
    operands = [body.value(view), tile, indices(body, view), body.optional(cls, "token", token)]
    return body.build(cls, operands, [token], inbounds=inbounds(body, cls, view))


def access_view(body: Body, cls: type[CudaTileOp]) -> TileViewType:
    if not issubclass(cls, views.MultimemOp):
        return body.tile_view()
    element = body.one(views.MULTIMEM_ELEMENTS)
    strides = body.one(((1,), (64, 1), (1, DYNAMIC)))
    shape = [DYNAMIC if body.chance(40) else 64 for _ in strides]
    tensor = TensorViewType.get(shape, element, strides, PtrKindAttr.from_number(2))
    tile = [body.one((4, 8)) for _ in strides]
    return PartitionViewType.get(tile, tensor)


@makes(at.AtomicRedViewTkoOp)
def make_view_reduction(body: Body, cls: type[CudaTileOp]) -> Operation | None:
    tensor = body.tensor_view(body.one(ATOMIC_ELEMENTS))
    if not tensor.rank:
        return None
    view = PartitionViewType.get(body.shape(tensor.rank, tensor.rank), tensor)
    operands = [
        body.value(view),
        indices(body, view, one_type=False),
        body.value(view.tile_type),
        body.optional(cls, "token", token),
    ]
    return body.build(cls, operands, [token], inbounds=inbounds(body, cls, view))


# --- assumptions and prints


@makes(misc.AssumeOp)
def make_assume(body: Body, cls: type[CudaTileOp]) -> Operation:
    predicate = body.number(0, 3)
    if predicate == 3:
        divisor = DivByAttr.get(1 << body.number(0, 62))
        return misc.AssumeOp(body.value(body.tensor_view()), divisor)
    if predicate == 2:
        type = body.tile(body.element(INTEGERS))
        width = bit_width(type.element_type)
        bounds = sorted((body.integer(width), body.integer(width)))
        low, high = (None if body.chance(30) else bound for bound in bounds)
        return misc.AssumeOp(body.value(type), BoundedAttr.get(low, high))
    type = body.tile(body.pointer() if body.chance(40) else body.element(INTEGERS))
    extents = type.get_shape()
    if predicate == 1:
        values = [body.number(0, extent) for extent in extents]
        return misc.AssumeOp(body.value(type), SameElementsAttr.get(values))
    every = along = None
    if type.rank and body.chance(50):
        along = body.number(0, type.rank - 1)
        every = body.number(0, extents[along])
    divisor = DivByAttr.get(1 << body.number(0, 62), every, along)
    return misc.AssumeOp(body.value(type), divisor)


@makes(misc.PrintTkoOp)
def make_print(body: Body, cls: type[CudaTileOp]) -> Operation:
    args: list[SSAValue] = []
    pieces: list[str] = []
    for _ in range(body.number(0, 4)):
        if body.chance(50):
            args.append(body.value(body.any_tile()))
            pieces.append(body.one(("%d", "%f", "%-8.3e", "%#llx", "%+i", "%5c")))
        else:
            pieces.append(body.word().replace("%", "%%"))
    return misc.PrintTkoOp("".join(pieces), args, body.optional(cls, "token", token))


# --- modules


def random_module(
    random: Random, version: Version | str = V13_5, operations: int = 30
) -> builtin.ModuleOp:
    """A valid program of about `operations` operations that `version` can hold."""
    if isinstance(version, str):
        version = Version.parse(version)
    choices = Choices(random, version)
    names = choices.shuffled(NAMES)
    symbols: dict[str, TileType] = {}
    top: list[Operation] = []
    late = core.GlobalOp.field_since("constant") <= version
    for _ in range(choices.number(0, 3)):
        name = names.pop() + choices.one(("", "_g", "$1"))
        if name in symbols:
            continue
        value = choices.dense(choices.number_tile(choices.shape(1, 1)))
        if value.type.rank != 1:
            continue
        symbols[name] = value.type
        flags = {k: late and choices.chance(40) for k in ("constant", "private")}
        top.append(core.GlobalOp(name, value, alignment=choices.one((0, 16, 128, 3)), **flags))
    entries = choices.number(1, 2)
    for position in range(entries):
        name = f"{names.pop()}{position}"
        top.append(random_entry(random, version, name, symbols, operations // entries))
    producer = None
    if core.ModuleOp.field_since("producer") <= version:
        producer = choices.maybe(50, choices.word)
    return builtin.ModuleOp([core.ModuleOp("kernels", top, producer)])


def random_entry(
    random: Random, version: Version, name: str, symbols: dict[str, TileType], operations: int
) -> core.EntryOp:
    choices = Choices(random, version)
    locations = Locations(choices, name)
    body = Body(random, version, symbols, locations)
    types = [body.tile(body.any_tile([]).element_type, []) for _ in range(choices.number(0, 4))]
    types = [type for type in types if not type.rank]
    body.block = Block(arg_types=types)
    body.define(*body.block.args)
    body.ends = [return_]
    body.budget = operations
    while body.budget > 0:
        body.budget -= 1
        body.operation()
    body.add(cf.ReturnOp())
    attrs = None
    if core.EntryOp.field_since("arg_attrs") <= version and choices.chance(40):
        keys = ("cuda_tile.x", "my.key", "a.b c")
        attrs = [choices.dictionary(choices.keys(keys), 2).data for _ in types]
        attrs = attrs if any(attrs) else None
    hints = choices.maybe(40, choices.entry_hints)
    if hints is not None and not hints.hints.data:
        hints = None
    entry = core.EntryOp(name, types, Region(body.block), hints, attrs)
    entry.location = locations.entry
    return entry


@st.composite
def modules(
    draw: st.DrawFn, versions: Sequence[Version] = SUPPORTED
) -> tuple[builtin.ModuleOp, Version]:
    """Programs with a version that can hold them."""
    version = draw(st.sampled_from(list(reversed(versions))))
    operations = draw(st.integers(1, 30))
    random = draw(st.randoms(use_true_random=False))
    return random_module(random, version, operations), version


# --- what programs cover


def covered(module: Operation) -> set[str]:
    """Operations and their optional parts that occur in a program: `name`, `name.part`."""
    found: set[str] = set()
    for op in module.walk():
        if not isinstance(op, CudaTileOp):
            continue
        found.add(op.name)
        definition = op.get_irdl_definition()
        for name, declared in definition.operands:
            if isinstance(declared, OptOperandDef) and getattr(op, name) is not None:
                found.add(f"{op.name}.{name}")
        for name, value in op.properties.items():
            found.add(f"{op.name}.{name}")
            if isinstance(value, attributes.Bracketed):
                found.add(f"{op.name}.{name}={value.keyword}")
    return found


def coverable() -> set[str]:
    """What `covered` can answer, but for the values of enumerations."""
    return {cls.name for cls in OPERATIONS} | {
        f"{cls.name}.{name}"
        for cls in OPERATIONS
        for name in (
            *cls.get_irdl_definition().properties,
            *(n for n, d in cls.get_irdl_definition().operands if isinstance(d, OptOperandDef)),
        )
        if name != "res_attrs"  # The bytecode has no place for them.
    }
