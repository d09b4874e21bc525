"""What every `cuda_tile` operation declares, and the machinery that reads the declarations.

An operation is an IRDL definition. Beside xDSL's fields it states its wire facts as class
constants: the opcode, and since which version it and its later fields exist. Text, bytecode,
verification and documentation all follow from the one class.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    BaseAttr,
    EqAttrConstraint,
    InferenceContext,
    IRDLOperation,
    OptOperandDef,
    OptPropertyDef,
    ParamAttrConstraint,
    PropertyDef,
    RangeConstraint,
    RangeLengthConstraint,
    VarConstraint,
    VariadicDef,
    VerificationContext,
    irdl_op_definition,
)
from xdsl.irdl.declarative_assembly_format import FormatProgram, ParsingState
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import Bracketed
from tileir_xdsl.dialects.cuda_tile.types import (
    ANY_FLOATS,
    BASE_FLOATS,
    INTEGERS,
    NUMBERS,
    PtrType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
    i4,
    short_type,
)
from tileir_xdsl.versions import V13_1, Version

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern

SetName = Callable[[SSAValue, str], None]
"""Suggests a name for a value, as MLIR's `OpAsmSetValueNameFn` does."""


class CudaTileOp(HasCanonicalizationPatternsInterface, IRDLOperation, ABC):
    """Base of all `cuda_tile` operations."""

    OPCODE: ClassVar[int]
    """Number of the operation in the bytecode."""

    SINCE: ClassVar[Version] = V13_1
    """First version that has the operation."""

    FIELDS_SINCE: ClassVar[Mapping[str, Version]] = {}
    """First version of the operands, results and properties that came later."""

    COMPUTED_DEFAULTS: ClassVar[frozenset[str]] = frozenset()
    """Properties that are always on the wire, with a default that depends on the operation."""

    ALIASES: ClassVar[tuple[str, ...]] = ()
    """Other mnemonics that read as this operation."""

    DEFAULT_DIALECT_BODY: ClassVar[bool] = False
    """Whether operations in the regions print without `cuda_tile.`."""

    IMPLICIT_TERMINATOR: ClassVar[str | None] = None
    """The operand-less terminator (by name) that text may leave out."""

    def get_asm_result_names(self, set_name: SetName) -> None:
        """Suggest names for the results."""

    def get_asm_block_argument_names(self, set_name: SetName) -> None:
        """Suggest names for the arguments of the regions' blocks."""

    def computed_default(self, field: str) -> Attribute:
        """The value of a property in `COMPUTED_DEFAULTS` that is not set."""
        raise NotImplementedError

    def verify_rules(self) -> None:
        """`verify_` as the class writes it, without the checks of the declaration.

        Raises `VerifyException`. The declaration must hold.
        """

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """What xDSL's `canonicalize` applies; imported with the first use, as upstream does."""
        from tileir_xdsl.passes.canonicalization import patterns_rooted_at

        return patterns_rooted_at(cls)

    @classmethod
    def field_since(cls, field: str) -> Version:
        return cls.FIELDS_SINCE.get(field, cls.SINCE)

    @classmethod
    def mnemonic(cls) -> str:
        return cls.name.partition(".")[2]


CudaTileOpT = TypeVar("CudaTileOpT", bound=CudaTileOp)
IRDLOperationT = TypeVar("IRDLOperationT", bound=IRDLOperation)


def cuda_tile_op(cls: type[CudaTileOpT]) -> type[CudaTileOpT]:
    """`irdl_op_definition` with the `assembly_format` compiled on first use.

    Compiling the formats of all operations at import would take a quarter of the start-up time.
    """
    setattr(cls, "verify_rules", cls.verify_)
    text: str | None = cls.__dict__.get("assembly_format")
    if text is None:
        return irdl_op_definition(cls)
    del cls.assembly_format
    cls = irdl_op_definition(cls)
    cls.assembly_format = text
    program: list[FormatProgram] = []

    def compiled() -> FormatProgram:
        if not program:
            program.append(_compile(text, cls))
        return program[0]

    def parse(op_type: type[CudaTileOpT], parser: Parser) -> CudaTileOpT:
        return compiled().parse(parser, op_type)

    def print(self: CudaTileOpT, printer: Printer) -> None:
        compiled().print(printer, self)

    setattr(cls, "parse", classmethod(parse))
    setattr(cls, "print", print)
    return cls


def _compile(text: str, cls: type[CudaTileOp]) -> FormatProgram:
    from tileir_xdsl.dialects.cuda_tile.directives import DIRECTIVES

    definition = cls.get_irdl_definition()
    definition.custom_directives = DIRECTIVES
    return LenientFormat(FormatProgram.from_str(text, definition).stmts)


class LenientFormat(FormatProgram):
    """A format whose parser infers types but leaves checking them to the verifier.

    xDSL verifies constraints while it parses and raises at the first violation, without a
    place. Here every operation that has the right form is built, so that the verifier can
    report all errors of a file.
    """

    def parse(self, parser: Parser, op_type: type[IRDLOperationT]) -> IRDLOperationT:
        state = ParsingState(op_type)
        for stmt in self.stmts:
            stmt.parse(parser, state)
        definition = op_type.get_irdl_definition()
        context = state.context
        for types, (_, value) in zip(state.operand_types, definition.operands, strict=True):
            if types:
                _bind(value.constr, types[0], context)
        for types, (_, value) in zip(state.result_types, definition.results, strict=True):
            if types:
                _bind(value.constr, types[0], context)
        operands: list[SSAValue] = []
        for names, types, (_, value) in zip(
            state.operands, state.operand_types, definition.operands, strict=True
        ):
            assert names is not None
            if types is None:
                types = value.constr.infer(context, length=len(names))
            operands += parser.resolve_operands(names, types, parser.pos)
        results: list[Attribute] = []
        for types, (_, value) in zip(state.result_types, definition.results, strict=True):
            results += value.constr.infer(context, length=None) if types is None else types
        # None of the operations with a format has segments, so that nothing is left to build.
        return op_type.create(
            operands=operands,
            result_types=results,
            properties=state.properties,
            attributes=state.attributes,
        )


def _bind(constraint: RangeConstraint, type: Attribute, context: VerificationContext) -> None:
    # A single operand or result is a range of length one around its constraint.
    if isinstance(constraint, RangeLengthConstraint):
        constraint = constraint.constraint
    inner = getattr(constraint, "constr", None)
    if not isinstance(inner, VarConstraint):
        return
    if context.get_variable(inner.name) is None:
        context.set_attr_variable(inner.name, type)


# Constraints of operand and result types.


@dataclass(frozen=True)
class TileOf(AttrConstraint[TileType]):
    """A tile with one of some element types, of any rank or of a given one."""

    elements: tuple[TypeAttribute, ...]
    what: str
    """The element types in words."""
    pointers: bool = False
    """Whether pointers are elements too."""
    rank: int | None = None

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if self.accepts(attr):
            return
        rank = "" if self.rank is None else f"rank-{self.rank} "
        raise VerifyException(f"must be a {rank}tile of {self.what}, but got '{short_type(attr)}'")

    def accepts(self, type: Attribute) -> bool:
        if not isinstance(type, TileType):
            return False
        if self.rank is not None and type.rank != self.rank:
            return False
        element = type.element_type
        return element in self.elements or (self.pointers and isinstance(element, PtrType))

    def scalar(self) -> TileOf:
        """The same elements, of rank 0."""
        return TileOf(self.elements, self.what, self.pointers, 0)

    def get_bases(self) -> set[type[Attribute]]:
        return {TileType}

    def mapping_type_vars(self, type_var_mapping: Any) -> TileOf:
        return self


@dataclass(frozen=True)
class ShapedLike(AttrConstraint[TileType]):
    """An i1 tile with the shape of a variable: the result of a comparison."""

    variable: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        expected = self._expected(constraint_context)
        if expected is not None and attr != expected:
            raise VerifyException(
                f"must be '{short_type(expected)}', an i1 for each element, "
                f"but got '{short_type(attr)}'"
            )

    def _expected(self, context: InferenceContext) -> TileType | None:
        type = context.get_variable(self.variable)
        return type.with_element(IntegerType(1)) if isinstance(type, TileType) else None

    def can_infer(self, var_constraint_names: Any) -> bool:
        return self.variable in var_constraint_names

    def infer(self, context: InferenceContext) -> TileType:
        expected = self._expected(context)
        assert expected is not None
        return expected

    def get_bases(self) -> set[type[Attribute]]:
        return {TileType}

    def mapping_type_vars(self, type_var_mapping: Any) -> ShapedLike:
        return self


@dataclass(frozen=True)
class OneOf(AttrConstraint[Attribute]):
    """A type of one of some classes."""

    classes: tuple[type[Attribute], ...]
    what: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, self.classes):
            raise VerifyException(f"must be a {self.what}, but got '{short_type(attr)}'")

    def get_bases(self) -> set[type[Attribute]]:
        return set(self.classes)

    def mapping_type_vars(self, type_var_mapping: Any) -> OneOf:
        return self


ANY_TILE = TileOf((*NUMBERS, i4), "any element type", pointers=True)
NUMBER_TILE = TileOf(NUMBERS, "numbers")
NUMBER_OR_I4_TILE = TileOf((*NUMBERS, i4), "numbers or i4")
INT_TILE = TileOf(INTEGERS, "i1, i8, i16, i32 or i64")
INT_OR_I4_TILE = TileOf((*INTEGERS, i4), "i1, i4, i8, i16, i32 or i64")
FLOAT_TILE = TileOf(BASE_FLOATS, "f16, bf16, f32 or f64")
ANY_FLOAT_TILE = TileOf(ANY_FLOATS, "floats")
POINTER_TILE = TileOf((), "pointers", pointers=True)
I1_TILE = TileOf((IntegerType(1),), "i1")
I8_TILE = TileOf((IntegerType(8),), "i8")
I32_TILE = TileOf((i32,), "i32")
I64_TILE = TileOf((i64,), "i64")
TOKEN = OneOf((TokenType,), "token")
TENSOR_VIEW = OneOf((TensorViewType,), "tensor_view")
TILE_VIEW = OneOf((TileViewType,), "tile view")
ANY_VALUE = OneOf(
    (TileType, TokenType, TensorViewType, TileViewType), "tile, token, tensor_view or tile view"
)
CARRIED_VALUE = OneOf((TileType, TokenType), "tile or token (views cannot be carried)")


def same(name: str, constraint: AttrConstraint[Any]) -> VarConstraint[Any]:
    """A constraint variable: all its uses in one operation are the same type."""
    return VarConstraint(name, constraint)


# Properties and how the bytecode encodes them.

I64_PROP = ParamAttrConstraint(IntegerAttr, (BaseAttr(Attribute), EqAttrConstraint(i64)))
I32_PROP = ParamAttrConstraint(IntegerAttr, (BaseAttr(Attribute), EqAttrConstraint(i32)))
BOOL_PROP = ParamAttrConstraint(
    IntegerAttr, (BaseAttr(Attribute), EqAttrConstraint(IntegerType(1)))
)
I32_ARRAY_PROP = DenseArrayBase.constr(i32)
BOOL_ARRAY_PROP = DenseArrayBase.constr(IntegerType(1))


def encoding_of(definition: PropertyDef) -> str:
    """The wire encoding of a property, one of the names in the spec's legend.

    `enum unit i64 i32 bool str symref type dense i32array boolarray array hints assume`
    """
    return _encoding(definition.constr)


@lru_cache(maxsize=256)
def _encoding(constraint: AttrConstraint) -> str:
    from tileir_xdsl.dialects.cuda_tile.attributes import AssumePredicate, OptimizationHintsAttr
    from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr

    fixed: list[tuple[AttrConstraint, str]] = [
        (I64_PROP, "i64"),
        (I32_PROP, "i32"),
        (BOOL_PROP, "bool"),
        (I32_ARRAY_PROP, "i32array"),
        (BOOL_ARRAY_PROP, "boolarray"),
    ]
    for known, encoding in fixed:
        if constraint == known:
            return encoding
    bases = constraint.get_bases() or {getattr(constraint, "attr", Attribute)}
    by_base: list[tuple[type[Any], str]] = [
        (UnitAttr, "unit"),
        (StringAttr, "str"),
        (SymbolRefAttr, "symref"),
        (DenseElementsAttr, "dense"),
        (OptimizationHintsAttr, "hints"),
        (AssumePredicate, "assume"),
        (ArrayAttr, "array"),
        (Bracketed, "enum"),
        (TypeAttribute, "type"),
    ]
    for base, encoding in by_base:
        if bases and all(issubclass(b, base) for b in bases):
            return encoding
    raise TypeError(f"no wire encoding for a property constrained by {constraint}")


@dataclass(frozen=True)
class WireProperty:
    """A property as the codec sees it."""

    name: str
    encoding: str
    since: Version
    flagged: bool
    """Whether presence is a bit of the flags word."""
    default: Attribute | None
    enum: type[Any] | None


@dataclass(frozen=True)
class WireOperand:
    name: str
    since: Version
    variadic: bool
    optional: bool


@dataclass(frozen=True)
class WireLayout:
    """The layout of an operation's instruction, derived from its declaration.

    Source: `bytecode.md` section 7, rules 1 to 5.
    """

    opcode: int
    since: Version
    counts_results: bool
    segments: bool
    counted: bool
    """Whether a single group of operands is preceded by the total count."""
    properties: tuple[WireProperty, ...]
    operands: tuple[WireOperand, ...]
    results: tuple[WireOperand, ...]
    flags: tuple[tuple[str, Version], ...]
    """Names of the flag bits, from bit 0, with the version that introduced each."""
    regions: int


@cache
def wire_layout(cls: type[CudaTileOp]) -> WireLayout:
    """The instruction layout of an operation class."""
    definition = cls.get_irdl_definition()
    segments = any(isinstance(o, AttrSizedOperandSegments) for o in definition.options)
    properties = tuple(
        _wire_property(cls, name, prop)
        for name, prop in definition.properties.items()
        if name != AttrSizedOperandSegments.attribute_name
    )
    operands = tuple(_wire_value(cls, name, d) for name, d in definition.operands)
    results = tuple(_wire_value(cls, name, d) for name, d in definition.results)
    bits = [(p.since, 0, k, p.name) for k, p in enumerate(properties) if p.flagged]
    if segments:
        bits += [(o.since, 1, k, o.name) for k, o in enumerate(operands) if o.optional]
    bits.sort(key=lambda bit: bit[:3])
    variadic = any(v.variadic for v in (*operands, *results))
    return WireLayout(
        opcode=cls.OPCODE,
        since=cls.SINCE,
        counts_results=variadic,
        segments=segments,
        counted=not segments and any(o.variadic or o.optional for o in operands),
        properties=properties,
        operands=operands,
        results=results,
        flags=tuple((name, since) for since, _, _, name in bits),
        regions=len(definition.regions),
    )


def _wire_property(cls: type[CudaTileOp], name: str, prop: PropertyDef) -> WireProperty:
    encoding = encoding_of(prop)
    optional = isinstance(prop, OptPropertyDef) and prop.default_value is None
    bases = prop.constr.get_bases() or set()
    return WireProperty(
        name=name,
        encoding=encoding,
        since=cls.field_since(name),
        flagged=optional and name not in cls.COMPUTED_DEFAULTS,
        default=prop.default_value,
        enum=next(iter(bases)) if encoding == "enum" else None,
    )


def _wire_value(cls: type[CudaTileOp], name: str, definition: Any) -> WireOperand:
    optional = isinstance(definition, OptOperandDef)
    return WireOperand(
        name=name,
        since=cls.field_since(name),
        variadic=isinstance(definition, VariadicDef) and not optional,
        optional=optional,
    )


SEGMENTS = AttrSizedOperandSegments(as_property=True)
