"""What an operation's declaration asks for, checked with messages in MLIR's style.

xDSL checks the same rules (`OpDef.verify`), but its messages name Python classes. The rules
themselves are the declaration's constraints; only the wording is here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyOf,
    AttrConstraint,
    AttrSizedOperandSegments,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    OpDef,
    OptAttributeDef,
    OptionalDef,
    OptPropertyDef,
    OptSingleBlockRegionDef,
    ParamAttrConstraint,
    RangeConstraint,
    RangeLengthConstraint,
    SingleBlockRegionDef,
    VarConstraint,
    VariadicDef,
    VarIRConstruct,
    VarSingleBlockRegionDef,
    VerificationContext,
    verify_variadic_size,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.base import CudaTileOp, encoding_of
from tileir_xdsl.dialects.cuda_tile.literals import LAYOUTS
from tileir_xdsl.dialects.cuda_tile.rules import RuleError
from tileir_xdsl.dialects.cuda_tile.types import short_type
from tileir_xdsl.dialects.cuda_tile.wording import alternatives, clean_message, plural, suggestion


def check_declaration(op: Operation) -> None:
    """Operands, results, regions and attributes are as declared; raises the first `RuleError`."""
    if isinstance(op, UnregisteredOp) or not isinstance(op, IRDLOperation):
        return
    definition = op.get_irdl_definition()
    bound: dict[str, tuple[str, Attribute]] = {}
    context = VerificationContext()
    _check_values(op, definition, VarIRConstruct.OPERAND, bound, context)
    _check_values(op, definition, VarIRConstruct.RESULT, bound, context)
    check_regions(op)
    _check_sizes(op, definition, VarIRConstruct.SUCCESSOR)
    _check_attributes(op, definition, context)


_NAMES = {
    VarIRConstruct.OPERAND: "operand",
    VarIRConstruct.RESULT: "result",
    VarIRConstruct.REGION: "region",
    VarIRConstruct.SUCCESSOR: "successor",
}


def _definitions(definition: OpDef, construct: VarIRConstruct) -> Sequence[tuple[str, Any]]:
    match construct:
        case VarIRConstruct.OPERAND:
            return definition.operands
        case VarIRConstruct.RESULT:
            return definition.results
        case VarIRConstruct.REGION:
            return definition.regions
        case VarIRConstruct.SUCCESSOR:
            return definition.successors


def _constructs(op: Operation, construct: VarIRConstruct) -> Sequence[Any]:
    match construct:
        case VarIRConstruct.OPERAND:
            return op.operands
        case VarIRConstruct.RESULT:
            return op.results
        case VarIRConstruct.REGION:
            return op.regions
        case VarIRConstruct.SUCCESSOR:
            return op.successors


def _check_sizes(op: Operation, definition: OpDef, construct: VarIRConstruct) -> None:
    try:
        verify_variadic_size(op, definition, construct)
    except VerifyException:
        pass
    else:
        return
    name = _NAMES[construct]
    segments = AttrSizedOperandSegments.attribute_name
    sized = any(isinstance(o, AttrSizedOperandSegments) for o in definition.options)
    if construct is VarIRConstruct.OPERAND and sized and segments not in op.properties:
        raise RuleError(f"requires attribute '{segments}'")
    definitions = _definitions(definition, construct)
    got = len(_constructs(op, construct))
    required = sum(not isinstance(d, VariadicDef) for _, d in definitions)
    variadic = len(definitions) - required
    optional = sum(isinstance(d, OptionalDef) for _, d in definitions)
    if got < required:
        at_least = "at least " if variadic else ""
        raise RuleError(f"needs {at_least}{plural(required, name)}, but has {got}")
    if got > required + optional and variadic == optional:
        at_most = "at most " if optional else ""
        raise RuleError(f"takes {at_most}{plural(required + optional, name)}, but has {got}")
    raise RuleError(
        f"has {plural(got, name)}, which '{segments}' does not divide into "
        f"{', '.join(name for name, _ in definitions)}"
    )


def _groups(
    op: Operation, definition: OpDef, construct: VarIRConstruct
) -> list[tuple[str, Any, Sequence[Any]]]:
    """Each declared name with its values."""
    groups: list[tuple[str, Any, Sequence[Any]]] = []
    for name, declared in _definitions(definition, construct):
        values = getattr(op, name)
        if values is None:
            values = ()
        elif not isinstance(values, Sequence):
            values = (values,)
        groups.append((name, declared, cast(Sequence[Any], values)))
    return groups


def _check_values(
    op: Operation,
    definition: OpDef,
    construct: VarIRConstruct,
    bound: dict[str, tuple[str, Attribute]],
    context: VerificationContext,
) -> None:
    _check_sizes(op, definition, construct)
    index = 0
    for name, declared, values in _groups(op, definition, construct):
        constraint = _element_constraint(declared.constr)
        for value in cast(Sequence[SSAValue], values):
            what = f"{_NAMES[construct]} #{index} ('{name.rstrip('_')}')"
            problem = (
                None
                if constraint is None
                else _type_problem(what, constraint, value.type, bound, context)
            )
            if problem is not None:
                operand = index if construct is VarIRConstruct.OPERAND else None
                raise RuleError(f"{what} {problem}", operand=operand)
            index += 1
        if constraint is None:
            _check_range(name, declared.constr, [value.type for value in values], context)


def _element_constraint(constraint: RangeConstraint) -> AttrConstraint | None:
    """The constraint of each value of a range, where each has the same one."""
    if isinstance(constraint, RangeLengthConstraint):
        constraint = constraint.constraint
    return getattr(constraint, "constr", None)


def _check_range(
    name: str,
    constraint: RangeConstraint,
    types: Sequence[Attribute],
    context: VerificationContext,
) -> None:
    try:
        constraint.verify(types, context)
    except VerifyException:
        shown = ", ".join(map(short_type, types))
        raise RuleError(f"'{name}' cannot have the types ({shown})") from None


def _type_problem(
    what: str,
    constraint: AttrConstraint,
    type: Attribute,
    bound: dict[str, tuple[str, Attribute]],
    context: VerificationContext,
) -> str | None:
    if isinstance(constraint, VarConstraint):
        variable = constraint
        if variable.name in bound:
            first, expected = bound[variable.name]
            if type == expected:
                return None
            return (
                f"must have the type of {first}, '{short_type(expected)}', "
                f"but got '{short_type(type)}'"
            )
        bound[variable.name] = (what, type)
        context.set_attr_variable(variable.name, type)
        constraint = variable.constraint
    try:
        constraint.verify(type, context)
    except VerifyException as error:
        return constraint_problem(constraint, type, str(error))
    return None


def constraint_problem(constraint: AttrConstraint, value: Attribute, message: str) -> str:
    """`must be …, but got …` for a constraint that a type or attribute does not meet."""
    if message.startswith("must "):
        return message
    expected = described(constraint)
    got = short_type(value)
    if expected is None:
        return f"cannot be '{got}'"
    return f"must be {expected}, but got '{got}'"


def described(constraint: AttrConstraint) -> str | None:
    """A constraint in words; None when there are none for it."""
    if isinstance(constraint, VarConstraint):
        return described(constraint.constraint)
    if isinstance(constraint, MessageConstraint):
        return described(constraint.constr)
    if isinstance(constraint, EqAttrConstraint):
        return f"'{short_type(constraint.attr)}'"
    if isinstance(constraint, BaseAttr):
        return _BASES.get(constraint.attr.name)
    if isinstance(constraint, ParamAttrConstraint):
        return _BASES.get(cast(Any, constraint).base_attr.name)
    if isinstance(constraint, AnyOf):
        parts = dict.fromkeys(map(described, constraint.attr_constrs))
        return None if None in parts else alternatives([part for part in parts if part])
    return None


_BASES = {
    "integer_type": "an integer",
    "index": "an index",
    **{name: "a float" for name in ("f80", "f128", *LAYOUTS)},
    **{name: "a float" for name in ("f8E4M3", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ")},
    **{name: "a float" for name in ("f8E3M4", "f6E2M3FN", "f6E3M2FN")},
    "vector": "a vector",
    "tensor": "a tensor",
    "memref": "a memref",
    "integer": "an integer attribute",
    "string": "a string",
    "symbol_ref": "a symbol reference",
    "unit": "a unit attribute",
}


def check_regions(op: Operation) -> None:
    """The regions are as declared; raises `RuleError`."""
    if not isinstance(op, IRDLOperation):
        return
    definition = op.get_irdl_definition()
    if not definition.regions and not op.regions:
        return
    _check_sizes(op, definition, VarIRConstruct.REGION)
    index = 0
    single = (SingleBlockRegionDef, VarSingleBlockRegionDef, OptSingleBlockRegionDef)
    for name, declared, regions in _groups(op, definition, VarIRConstruct.REGION):
        for region in regions:
            count = len(region.blocks)
            if isinstance(declared, single) and count != 1:
                has = f"has {count}" if count else "is empty"
                raise RuleError(f"region #{index} ('{name}') must have one block, but {has}")
            index += 1


def _check_attributes(op: IRDLOperation, definition: OpDef, context: VerificationContext) -> None:
    for present, declared, optional in (
        (op.properties, definition.properties, OptPropertyDef),
        (op.attributes, definition.attributes, OptAttributeDef),
    ):
        for name, attribute in cast("dict[str, Any]", declared).items():
            value = present.get(name)
            if value is None and not isinstance(attribute, optional):
                raise RuleError(f"requires attribute '{name}'")
            if value is not None:
                _check_attribute(op, name, attribute, value, context)
    for name in op.properties:
        if name not in definition.properties:
            raise RuleError(f"has no attribute '{name}'{suggestion(name, definition.properties)}")


def _check_attribute(
    op: Operation, name: str, declared: Any, value: Attribute, context: VerificationContext
) -> None:
    try:
        declared.constr.verify(value, context)
    except VerifyException as error:
        problem = constraint_problem(declared.constr, value, str(error))
        if isinstance(op, CudaTileOp) and isinstance(op.properties.get(name), Attribute):
            kind = _KINDS.get(encoding_of(declared))
            problem = problem if kind is None else f"must be {kind}, but got '{short_type(value)}'"
            if encoding_of(declared) == "enum":
                enum: Any = next(iter(declared.constr.get_bases()))
                problem = (
                    f"must be a {enum.described()}, one of {', '.join(enum.keywords())}, "
                    f"but got '{short_type(value)}'"
                )
        raise RuleError(f"attribute '{name}' {problem}") from None


_KINDS = {
    "unit": "a unit attribute",
    "i64": "an i64 integer",
    "i32": "an i32 integer",
    "bool": "true or false",
    "str": "a string",
    "symref": "a symbol reference",
    "type": "a type",
    "dense": "the elements of a tile",
    "i32array": "an array of i32",
    "boolarray": "an array of i1",
    "array": "an array",
    "hints": "optimization hints",
    "assume": "an assumption: div_by, same_elements or bounded",
}


def plain_message(op: Operation, error: VerifyException) -> str:
    """The message of a rule of another dialect, without the names of Python classes."""
    message = str(error).removeprefix(f"'{op.name}' ")
    return clean_message(message, otherwise="does not verify")
