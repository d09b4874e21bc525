"""Types on the wire, read off the `WIRE` fields of their classes. Source: `types.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntAttr, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.container import OffsetTable
from tileir_xdsl.bytecode.cursor import BytecodeError, Cursor
from tileir_xdsl.bytecode.gate import Gate, Unwritable
from tileir_xdsl.bytecode.tables import TableBase, first_indices
from tileir_xdsl.bytecode.varint import fits_signed, put_varint
from tileir_xdsl.dialects.cuda_tile.attributes import Bracketed
from tileir_xdsl.dialects.cuda_tile.types import (
    SCALAR_WIRE,
    TYPES,
    CudaTileType,
    TileType,
    TypeField,
    short_type,
)
from tileir_xdsl.versions import V13_3, Version

FUNCTION_TAG = 16

FLAGS_SINCE = V13_3
"""Optional fields have a bit of a flags word in front; before, a byte at their own place."""

MAX_TAG = 0xFF

MAX_RANK = 1024
"""A tile has at most 2^24 elements, so that at most 24 of its dimensions are not 1."""

MAX_DEPTH = 8
"""A type inside a type inside ...: a partition view of a tensor view of a number is 3 deep."""

_NONE = NoneAttr()


class TypePlan(NamedTuple):
    """The layout of a class of types in one version."""

    cls: type[CudaTileType]
    fields: tuple[TypeField, ...]
    flag_bits: dict[str, int]
    """Bits of the flags word by field, when the version has the word."""
    has_flags: bool
    order: tuple[str, ...]
    """The parameters in the order of the declaration."""
    enums: dict[str, type[Any]]
    """The enumerations of the parameters that hold one."""


@cache
def type_plan(cls: type[CudaTileType], version: Version) -> TypePlan:
    fields = tuple(field for field in cls.WIRE if field.since <= version)
    optional = [field.parameter for field in fields if field.optional]
    has_flags = bool(optional) and version >= FLAGS_SINCE
    bits = {name: bit for bit, name in enumerate(optional)} if has_flags else {}
    parameters = cls.get_irdl_definition().parameters
    order = tuple(name for name, _ in parameters)
    enums = {
        name: base
        for name, parameter in parameters
        for base in parameter.constr.get_bases() or ()
        if issubclass(base, Bracketed)
    }
    return TypePlan(cls, fields, bits, has_flags, order, enums)


def _ints(attribute: Attribute) -> list[int]:
    return [value.data for value in cast(ArrayAttr[IntAttr], attribute).data]


class TypeWriter:
    """Types by index, each stored once, after those that it refers to.

    `items` are those beyond the base.
    """

    def __init__(self, gate: Gate, base: TableBase[Attribute]) -> None:
        self.items: list[bytes] = []
        self._gate = gate
        self._base = base
        self._index: dict[Attribute, int] = {}
        self._by_identity: dict[int, int] = {}

    def index(self, type: Attribute) -> int:
        index = self._by_identity.get(id(type))
        if index is None:
            index = self._by_identity[id(type)] = self._intern(type)
        return index

    def _intern(self, type: Attribute) -> int:
        index = self._base.index.get(type)
        if index is None:
            index = self._index.get(type)
        if index is not None:
            return index
        item = bytearray()
        try:
            self._put(item, type)
        except Unwritable as error:
            self._gate.error(f"type '{short_type(type)}': {error}")
        index = self._index[type] = len(self._base.items) + len(self.items)
        self.items.append(bytes(item))
        return index

    def _put(self, out: bytearray, type: Attribute) -> None:
        scalar = SCALAR_WIRE.get(cast(TypeAttribute, type))
        if scalar is not None:
            self._gate.require(scalar.since, f"type '{short_type(type)}'")
            put_varint(out, scalar.tag)
        elif isinstance(type, FunctionType):
            inputs = [self.index(t) for t in type.inputs.data]
            outputs = [self.index(t) for t in type.outputs.data]
            put_varint(out, FUNCTION_TAG)
            for indices in (inputs, outputs):
                put_varint(out, len(indices))
                for index in indices:
                    put_varint(out, index)
        elif isinstance(type, CudaTileType):
            self._put_fields(out, type)
        else:
            self._gate.error(f"type '{type}' has no bytecode form")

    def _put_fields(self, out: bytearray, type: CudaTileType) -> None:
        version = self._gate.version
        self._gate.require(type.SINCE, f"type '{short_type(type)}'")
        plan = type_plan(type.__class__, version)
        for field in type.WIRE:
            present = not isinstance(getattr(type, field.parameter), NoneAttr)
            if field.since > version and present:
                what = "the pointer kind" if field.parameter == "kind" else field.parameter
                self._gate.require(field.since, f"{what} of type '{short_type(type)}'")
        put_varint(out, type.TAG)
        if plan.has_flags:
            flags = sum(
                1 << bit
                for name, bit in plan.flag_bits.items()
                if not isinstance(getattr(type, name), NoneAttr)
            )
            put_varint(out, flags)
        for field in plan.fields:
            value: Attribute = getattr(type, field.parameter)
            present = not isinstance(value, NoneAttr)
            if field.optional and not plan.has_flags:
                out.append(present)
            if present:
                self._put_field(out, type, field, value)

    def _put_field(
        self, out: bytearray, type: CudaTileType, field: TypeField, value: Attribute
    ) -> None:
        match field.encoding:
            case "type":
                put_varint(out, self.index(value))
            case "i64s":
                _put_ints(out, _ints(value), 8)
            case "i32s":
                _put_ints(out, _ints(value), 4)
            case "u32":
                put_varint(out, cast(IntAttr, value).data)
            case "enum":
                enum = cast(Bracketed, value)
                since = enum.VALUE_SINCE.get(enum.keyword, field.since)
                self._gate.require(since, f"'{enum.keyword}' of type '{short_type(type)}'")
                put_varint(out, enum.number)
            case encoding:
                raise AssertionError(encoding)


def _put_ints(out: bytearray, values: Sequence[int], width: int) -> None:
    if len(values) > MAX_RANK:
        raise Unwritable(f"{len(values)} dimensions, at most {MAX_RANK} are supported")
    put_varint(out, len(values))
    for value in values:
        if not fits_signed(value, 8 * width):
            raise Unwritable(f"{value} does not fit {8 * width} bits")
        out += value.to_bytes(width, "little", signed=True)


_SCALARS: dict[int, TypeAttribute] = {wire.tag: type for type, wire in SCALAR_WIRE.items()}
_CLASSES: dict[int, type[CudaTileType]] = {cls.TAG: cls for cls in TYPES}


class TypeReader:
    """Types of a file by index, decoded when they are first used."""

    def __init__(
        self, table: OffsetTable | None, version: Version, lax: Callable[[int, str], None]
    ):
        """Read from `table`; `lax` takes what is wrong and read nevertheless."""
        self.lax = lax
        self.version = version
        self.table = table
        self._types: list[Attribute | None] = [None] * (table.count if table else 0)
        self._open: list[int] = []

    def get(self, index: int, at: int) -> Attribute:
        """The type with an index that stands at the offset `at`."""
        if index >= len(self._types):
            raise BytecodeError(
                at, f"type {index} does not exist, the file has {len(self._types)} types"
            )
        type = self._types[index]
        return self._decode(index, at) if type is None else type

    def known(self) -> dict[Attribute, int]:
        """The types that were read, with the first index of each."""
        return first_indices((k, type) for k, type in enumerate(self._types) if type is not None)

    def _decode(self, index: int, at: int) -> Attribute:
        assert self.table is not None
        if index in self._open:
            raise BytecodeError(at, f"type {index} contains itself")
        if len(self._open) == MAX_DEPTH:
            raise BytecodeError(at, f"types nest more than {MAX_DEPTH} deep")
        self._open.append(index)
        cursor = self.table.item(index)
        start = cursor.pos
        try:
            type = self._read(cursor)
        except VerifyException as error:
            raise _invalid(start, index, error) from None
        except BytecodeError as error:
            error.within(f"type {index}")
            raise
        finally:
            self._open.pop()
        self._types[index] = type
        return type

    def _read(self, cursor: Cursor) -> Attribute:
        start = cursor.pos
        tag = cursor.varint("a type tag")
        if tag > MAX_TAG:
            self.lax(start, f"type tag {tag} does not fit 8 bits, the higher bits are dropped")
            tag &= MAX_TAG
        if (scalar := _SCALARS.get(tag)) is not None:
            self._check_since(start, tag, SCALAR_WIRE[scalar].since, short_type(scalar))
            return scalar
        if tag == FUNCTION_TAG:
            return FunctionType(self._read_types(cursor), self._read_types(cursor))
        cls = _CLASSES.get(tag)
        if cls is None:
            raise BytecodeError(start, f"unknown type tag {tag}")
        self._check_since(start, tag, cls.SINCE, cls.name.partition(".")[2])
        type = self._read_fields(cursor, type_plan(cls, self.version))
        if cls is TileType and cursor.remaining:
            raise BytecodeError(
                cursor.pos, f"expected the end of the tile type, {cursor.remaining} bytes follow"
            )
        return type

    def _check_since(self, at: int, tag: int, since: Version, name: str) -> None:
        if since > self.version:
            raise BytecodeError(
                at, f"type {name} (tag {tag}) needs version {since}, the file is {self.version}"
            )

    def _read_types(self, cursor: Cursor) -> ArrayAttr[Attribute]:
        count = cursor.count("types of a function")
        return ArrayAttr([self._read_type(cursor) for _ in range(count)])

    def _read_type(self, cursor: Cursor) -> Attribute:
        at = cursor.pos
        return self.get(cursor.varint("a type index"), at)

    def _read_fields(self, cursor: Cursor, plan: TypePlan) -> Attribute:
        flags = 0
        if plan.has_flags:
            at = cursor.pos
            flags = cursor.varint("the flags of a type")
            if flags >> len(plan.flag_bits):
                raise BytecodeError(at, f"unknown bits in the flags {flags:#x} of a type")
        values: dict[str, Attribute] = {}
        for field in plan.fields:
            if not field.optional or self._is_present(cursor, plan, field, flags):
                values[field.parameter] = self._read_field(cursor, plan, field)
        parameters = [values.get(name, _NONE) for name in plan.order]
        return cast(ParametrizedAttribute, plan.cls).new(parameters)

    def _is_present(self, cursor: Cursor, plan: TypePlan, field: TypeField, flags: int) -> bool:
        if plan.has_flags:
            return bool(flags >> plan.flag_bits[field.parameter] & 1)
        at = cursor.pos
        present = cursor.byte(f"whether there is a {field.parameter}")
        if present > 1:
            self.lax(at, f"expected 0 or 1 before a {field.parameter}, found {present}")
        return bool(present)

    def _read_field(self, cursor: Cursor, plan: TypePlan, field: TypeField) -> Attribute:
        match field.encoding:
            case "type":
                return self._read_type(cursor)
            case "i64s":
                return _read_ints(cursor, 8, field.parameter)
            case "i32s":
                return _read_ints(cursor, 4, field.parameter)
            case "u32":
                return IntAttr(cursor.varint(field.parameter))
            case "enum":
                return read_enum(cursor, plan.enums[field.parameter], self.version)
            case encoding:
                raise AssertionError(encoding)


def _read_ints(cursor: Cursor, width: int, what: str) -> ArrayAttr[IntAttr]:
    at = cursor.pos
    count = cursor.count(f"elements of {what}", width)
    if count > MAX_RANK:
        raise BytecodeError(at, f"{what} has {count} dimensions, at most {MAX_RANK} are supported")
    raw = cursor.take(count * width, what)
    return ArrayAttr(
        [
            IntAttr(int.from_bytes(raw[k : k + width], "little", signed=True))
            for k in range(0, len(raw), width)
        ]
    )


def read_enum(cursor: Cursor, enum: type[Any], version: Version) -> Any:
    """A value of an enumeration, a number on the wire."""
    at = cursor.pos
    number = cursor.varint(enum.described())
    keywords = enum.keywords()
    if number >= len(keywords):
        raise BytecodeError(
            at, f"{enum.described()} must be below {len(keywords)}, but is {number}"
        )
    since = enum.VALUE_SINCE.get(keywords[number])
    if since is not None and since > version:
        raise BytecodeError(
            at,
            f"{enum.described()} {keywords[number]} needs version {since}, the file is {version}",
        )
    return enum.from_number(number)


def _invalid(start: int, index: int, error: VerifyException) -> BytecodeError:
    return BytecodeError(start, f"type {index} is not valid: {error}")
