"""The kernel and its ABI, and the operations that ask about the launch and about tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.syntax import parse_optional_hints
from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC, PtrType, TileType, short_type
from tileir_xdsl.dialects.tile_sugar.base import (
    Option,
    TileSugarOp,
    parse_operand_types,
    parse_types,
    sugar_op,
)
from tileir_xdsl.dialects.tile_sugar.types import (
    ELEMENTS,
    TensorType,
    element_of,
    is_scalar,
    parse_type,
)

PROMISES = ("align", "multiple", "stride_multiple", "max", "readonly", "writeonly", "may_alias")
"""The attributes of a tensor parameter: what the caller promises and what the body keeps to."""
SCALAR_PROMISES = ("multiple", "max", "min")
"""The attributes of an integer parameter."""

MAY_ALIAS = "tile_sugar.may_alias"
"""On the `make_tensor` of a parameter: it may overlap the others that say so."""


@dataclass(frozen=True)
class KernelArgument:
    """One argument of the kernel as it is launched."""

    kind: str
    """`pointer`, `extent`, `stride` or `scalar`."""
    parameter: int
    """The position of the parameter that it belongs to."""
    dim: int
    """The dimension of an extent or stride, 0 for the others."""
    type: Attribute
    """The element type of a pointer, and the type of the value of the others."""


def kernel_arguments(types: Sequence[Attribute]) -> list[KernelArgument]:
    """The arguments of a kernel with parameters of some types, in order.

    A tensor is its pointer, then an i32 for each `?` extent, then one for each `?` stride; a
    scalar is itself.
    """
    arguments: list[KernelArgument] = []
    for position, type in enumerate(types):
        if not isinstance(type, TensorType):
            arguments.append(KernelArgument("scalar", position, 0, type))
            continue
        arguments.append(KernelArgument("pointer", position, 0, type.element_type))
        for kind, dims in (("extent", type.dynamic_extents), ("stride", type.dynamic_strides)):
            arguments += [KernelArgument(kind, position, dim, i32) for dim in dims]
    return arguments


@sugar_op
class KernelOp(TileSugarOp):
    """A kernel: its parameters are tensors and scalars, its body runs once for each block.

    `grid(..)` says how many blocks are launched: up to three affine expressions of extents
    (`dim %T 0`) and i32 parameters. A parameter's attributes are promises of the caller.
    """

    name = "tile_sugar.kernel"
    DEFAULT_DIALECT_BODY: ClassVar[bool] = True
    sym_name = prop_def(SymbolNameConstraint())
    grid = opt_prop_def(AffineMapAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    arg_names = opt_prop_def(ArrayAttr[StringAttr])
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        body: Region,
        *,
        grid: AffineMap | None = None,
        arg_attrs: Sequence[Mapping[str, Attribute]] | None = None,
        arg_names: Sequence[str] | None = None,
        hints: OptimizationHintsAttr | None = None,
    ) -> None:
        properties: dict[str, Attribute | None] = {
            "sym_name": StringAttr(name),
            "grid": None if grid is None else AffineMapAttr(grid),
            "optimization_hints": hints,
        }
        if arg_attrs is not None and any(arg_attrs):
            properties["arg_attrs"] = ArrayAttr([DictionaryAttr(dict(a)) for a in arg_attrs])
        if arg_names is not None:
            properties["arg_names"] = ArrayAttr([StringAttr(n) for n in arg_names])
        super().__init__(properties=properties, regions=[body])

    @property
    def arguments(self) -> list[KernelArgument]:
        return kernel_arguments([arg.type for arg in self.body.block.args])

    @property
    def names(self) -> list[str]:
        """The names of the parameters, without `%`."""
        if self.arg_names is not None:
            return [name.data for name in self.arg_names]
        return [f"arg{k}" for k in range(len(self.body.block.args))]

    def promises(self, parameter: int) -> Mapping[str, Attribute]:
        """The attributes of a parameter."""
        return {} if self.arg_attrs is None else self.arg_attrs.data[parameter].data

    def grid_map(self) -> AffineMap | None:
        """The grid as a function of `grid_values`."""
        return None if self.grid is None else self.grid.data

    def get_asm_block_argument_names(self, set_name: Any) -> None:
        for arg, name in zip(self.body.block.args, self.names, strict=True):
            set_name(arg, name)

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        names: list[str] = []
        attributes: list[DictionaryAttr] = []

        def parse_parameter() -> Parser.Argument:
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation(":")
            names.append(argument.name.text[1:])
            typed = argument.resolve(parse_type(parser))
            attributes.append(DictionaryAttr(parser.parse_optional_attr_dict()))
            return typed

        parameters = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_parameter)
        grid = None
        if parser.parse_optional_keyword("grid") is not None:
            grid = _GridParser(parser, names, [p.type for p in parameters]).parse()
        hints = parse_optional_hints(parser)
        body = parser.parse_region(parameters)
        op = cls(
            name.data,
            body,
            grid=grid,
            arg_attrs=[a.data for a in attributes],
            arg_names=names,
            hints=hints,
        )
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        for position, arg in enumerate(self.body.block.args):
            printer.print_string(", " if position else "")
            printer.print_ssa_value(arg)
            printer.print_string(f": {short_type(arg.type)}")
            printer.print_op_attributes(dict(sorted(self.promises(position).items())))
        printer.print_string(")")
        grid = self.grid_map()
        if grid is not None:
            printer.print_string(" grid(")
            for position, expression in enumerate(grid.results):
                printer.print_string(", " if position else "")
                self._print_grid(printer, expression, 0)
            printer.print_string(")")
        if self.optimization_hints is not None:
            printer.print_string(" optimization_hints = ")
            self.optimization_hints.print_parameters(printer)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
        printer.print_op_attributes(self.attributes)

    def _print_grid(self, printer: Printer, expression: AffineExpr, binding: int) -> None:
        match expression:
            case AffineConstantExpr():
                printer.print_string(str(expression.value))
            case AffineDimExpr():
                argument = grid_values(self.arguments)[expression.position]
                value = self.body.block.args[argument.parameter]
                if argument.kind != "scalar":
                    printer.print_string("dim " if argument.kind == "extent" else "stride ")
                printer.print_ssa_value(value)
                if argument.kind != "scalar":
                    printer.print_string(f" {argument.dim}")
            case AffineBinaryOpExpr():
                self._print_binary(printer, expression, binding)
            case _:
                printer.print_string(str(expression))

    def _print_binary(self, printer: Printer, expression: Any, binding: int) -> None:
        function = _FUNCTIONS.get(expression.kind)
        if function is not None:
            printer.print_string(f"{function}(")
            self._print_grid(printer, expression.lhs, 0)
            printer.print_string(", ")
            self._print_grid(printer, expression.rhs, 0)
            printer.print_string(")")
            return
        symbol, level = _SYMBOLS[expression.kind]
        printer.print_string("(" if level < binding else "")
        self._print_grid(printer, expression.lhs, level)
        printer.print_string(f" {symbol} ")
        self._print_grid(printer, expression.rhs, level + 1)
        printer.print_string(")" if level < binding else "")

    def verify_(self) -> None:
        args = self.body.block.args
        for position, arg in enumerate(args):
            if isinstance(arg.type, TensorType) or arg.type in ELEMENTS:
                continue
            raise VerifyException(
                f"parameter {position} must be a tensor or a scalar, "
                f"but is '{short_type(arg.type)}'"
            )
        self._verify_lists(len(args))
        for position, arg in enumerate(args):
            self._verify_promises(position, arg.type)
        self._verify_grid()
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException("a kernel ends with 'return'")

    def _verify_lists(self, count: int) -> None:
        for what, values in (("arg_attrs", self.arg_attrs), ("arg_names", self.arg_names)):
            if values is not None and len(values.data) != count:
                raise VerifyException(
                    f"{what} has {len(values.data)} entries for {count} parameters"
                )

    def _verify_promises(self, position: int, type: Attribute) -> None:
        allowed = PROMISES if isinstance(type, TensorType) else SCALAR_PROMISES
        for name, value in self.promises(position).items():
            if name not in allowed:
                raise VerifyException(
                    f"parameter {position} has no promise '{name}'; there are {', '.join(allowed)}"
                )
            _verify_promise(position, type, name, value)
        promises = self.promises(position)
        if "readonly" in promises and "writeonly" in promises:
            raise VerifyException(f"parameter {position} cannot be readonly and writeonly")

    def _verify_grid(self) -> None:
        grid = self.grid_map()
        if grid is None:
            return
        if not 1 <= len(grid.results) <= 3:
            raise VerifyException(f"a grid has 1 to 3 extents, not {len(grid.results)}")
        values = grid_values(self.arguments)
        if grid.num_dims != len(values) or grid.num_symbols:
            raise VerifyException(
                f"the grid is a function of {len(values)} extents, strides and scalars, "
                f"not of {grid.num_dims} dimensions and {grid.num_symbols} symbols"
            )
        for dim in grid.used_dims():
            if values[dim].type != i32:
                raise VerifyException(
                    f"the grid depends on a parameter of type '{short_type(values[dim].type)}', "
                    "but only i32 counts"
                )


def _verify_promise(position: int, type: Attribute, name: str, value: Attribute) -> None:
    what = f"promise '{name}' of parameter {position}"
    if name in ("readonly", "writeonly", "may_alias"):
        if not isinstance(value, UnitAttr):
            raise VerifyException(f"{what} has no value")
        return
    if name in ("multiple", "stride_multiple", "max") and isinstance(type, TensorType):
        values = promise_values(value)
        if values is None or len(values) != type.rank:
            raise VerifyException(f"{what} must be a list of {type.rank} integers")
        if any(v < 0 for v in values):
            raise VerifyException(f"{what} has a negative entry")
        return
    if not isinstance(value, IntegerAttr):
        raise VerifyException(f"{what} must be an integer")
    number = cast("IntegerAttr[Any]", value).value.data
    if name == "align" and (number < 1 or number & (number - 1)):
        raise VerifyException(f"{what} must be a power of two, not {number}")


def promise_values(value: Attribute) -> list[int] | None:
    """The integers of a promise that is a list; None when it is none."""
    if isinstance(value, DenseArrayBase):
        return [int(v) for v in cast(Any, value).get_values()]
    if not isinstance(value, ArrayAttr):
        return None
    entries = cast("ArrayAttr[Attribute]", value).data
    if not all(isinstance(entry, IntegerAttr) for entry in entries):
        return None
    return [cast(Any, entry).value.data for entry in entries]


def grid_values(arguments: Sequence[KernelArgument]) -> list[KernelArgument]:
    """The arguments that the dimensions of a grid's map stand for: all but the pointers."""
    return [argument for argument in arguments if argument.kind != "pointer"]


_FUNCTIONS = {
    AffineBinaryOpKind.CeilDiv: "ceildiv",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.Mod: "mod",
}
_SYMBOLS = {AffineBinaryOpKind.Add: ("+", 1), AffineBinaryOpKind.Mul: ("*", 2)}


class _GridParser:
    """Reads `grid`'s expressions as an affine map over `grid_values`."""

    def __init__(self, parser: Parser, names: Sequence[str], types: Sequence[Attribute]) -> None:
        self.parser = parser
        self.names = list(names)
        self.types = list(types)
        self.values = grid_values(kernel_arguments(types))

    def parse(self) -> AffineMap:
        self.parser.parse_punctuation("(")
        results = [self.sum()]
        while self.parser.parse_optional_punctuation(")") is None:
            self.parser.parse_punctuation(
                ",", " or ')'; extents of a grid use + - * ceildiv(a, b) floordiv(a, b) mod(a, b)"
            )
            results.append(self.sum())
        return AffineMap(len(self.values), 0, tuple(results))

    def sum(self) -> AffineExpr:
        total = self.product()
        while True:
            if self.parser.parse_optional_punctuation("+") is not None:
                total = total + self.product()
            elif self.parser.parse_optional_punctuation("-") is not None:
                total = total + self.product() * -1
            else:
                return total

    def product(self) -> AffineExpr:
        total = self.factor()
        while self.parser.parse_optional_punctuation("*") is not None:
            total = total * self.factor()
        return total

    def factor(self) -> AffineExpr:
        parser = self.parser
        if parser.parse_optional_punctuation("(") is not None:
            inner = self.sum()
            parser.parse_punctuation(")")
            return inner
        for kind, word in _FUNCTIONS.items():
            if parser.parse_optional_keyword(word) is not None:
                with parser.in_parens():
                    lhs = self.sum()
                    parser.parse_punctuation(",")
                    return AffineExpr.binary(kind, lhs, self.sum())
        for kind, word in (("extent", "dim"), ("stride", "stride")):
            if parser.parse_optional_keyword(word) is not None:
                return self.dimension(kind)
        number = parser.parse_optional_integer(allow_boolean=False)
        if number is not None:
            return AffineExpr.constant(number)
        return self.value("scalar", self.parameter(), 0)

    def parameter(self) -> int:
        operand = self.parser.parse_unresolved_operand("expected an expression of the grid")
        if operand.operand_name not in self.names:
            self.parser.raise_error(
                f"'%{operand.operand_name}' is no parameter of the kernel", operand.span
            )
        return self.names.index(operand.operand_name)

    def dimension(self, kind: str) -> AffineExpr:
        position = self.parameter()
        start = self.parser.pos
        dim = self.parser.parse_integer(allow_boolean=False, allow_negative=False)
        type = self.types[position]
        if not isinstance(type, TensorType) or dim >= type.rank:
            self.parser.raise_error(f"'%{self.names[position]}' has no dimension {dim}", start)
        static = type.get_shape() if kind == "extent" else type.get_strides() or ()
        if dim < len(static) and static[dim] != DYNAMIC:
            return AffineExpr.constant(static[dim])
        return self.value(kind, position, dim)

    def value(self, kind: str, parameter: int, dim: int) -> AffineExpr:
        for position, argument in enumerate(self.values):
            if (argument.kind, argument.parameter, argument.dim) == (kind, parameter, dim):
                return AffineExpr.dimension(position)
        self.parser.raise_error(f"'%{self.names[parameter]}' has no {kind} that the grid can use")


@sugar_op
class ReturnOp(TileSugarOp):
    """Ends the kernel for this block: at its end, or early as the last word of an `scf.if`."""

    name = "tile_sugar.return"
    # No terminator: the `scf.yield` of an `scf.if` that it leaves early stands behind it.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self) -> None:
        super().__init__()

    @classmethod
    def parse(cls, parser: Parser) -> ReturnOp:
        return cls.create(attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        following = self.next_op
        if following is not None and following.name != "scf.yield":
            raise VerifyException("nothing can stand behind a return")
        parent = self.parent_op()
        while parent is not None and parent.name == "scf.if":
            parent = parent.parent_op()
        if parent is not None and not isinstance(parent, KernelOp):
            raise VerifyException(
                f"cannot leave '{parent.name}': a return is at kernel level or under 'scf.if'"
            )


class LaunchOp(TileSugarOp):
    """A question about the launch: one dimension of the grid, answered as i32."""

    dim = prop_def(IntegerAttr)
    result = result_def(i32)
    traits = traits_def(Pure())

    def __init__(self, dim: int) -> None:
        super().__init__(properties={"dim": IntegerAttr(dim, i32)}, result_types=[i32])

    @property
    def dimension(self) -> int:
        return cast(Any, self.dim).value.data

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        dim = parser.parse_integer(allow_boolean=False)
        op = cls(dim)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension}")
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if not 0 <= self.dimension <= 2:
            raise VerifyException(f"a grid has dimensions 0 to 2, not {self.dimension}")


@sugar_op
class BlockIdOp(LaunchOp):
    """The index of this block along a dimension of the grid."""

    name = "tile_sugar.block_id"


@sugar_op
class NumBlocksOp(LaunchOp):
    """The number of blocks along a dimension of the grid."""

    name = "tile_sugar.num_blocks"


@sugar_op
class ExtentOp(TileSugarOp):
    """The extent of a tensor along a dimension, as i32."""

    name = "tile_sugar.extent"
    tensor = operand_def(TensorType)
    dim = prop_def(IntegerAttr)
    result = result_def(i32)
    traits = traits_def(Pure())

    def __init__(self, tensor: SSAValue | Operation, dim: int) -> None:
        super().__init__(
            operands=[tensor], properties={"dim": IntegerAttr(dim, i32)}, result_types=[i32]
        )

    @property
    def dimension(self) -> int:
        return cast(Any, self.dim).value.data

    @classmethod
    def parse(cls, parser: Parser) -> ExtentOp:
        tensor = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict()
        (type,), _ = parse_operand_types(parser, 1)
        op = cls(parser.resolve_operand(tensor, type), dim)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(f", {self.dimension}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {short_type(self.tensor.type)}")

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        if not 0 <= self.dimension < self.tensor.type.rank:
            raise VerifyException(
                f"'{short_type(self.tensor.type)}' has no dimension {self.dimension}"
            )


@sugar_op
class MakeTensorOp(TileSugarOp):
    """A tensor from the base of another, or a pointer, moved by an offset in elements.

    The `?` extents and strides of the result follow, in order. Accesses to the result are
    accesses to the parameter that the base comes from.
    """

    name = "tile_sugar.make_tensor"
    OPTIONS: ClassVar[tuple[Option, ...]] = ()
    base = operand_def()
    offset = opt_operand_def()
    extents = var_operand_def()
    strides = var_operand_def()
    result = result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        base: SSAValue | Operation,
        extents: Sequence[SSAValue | Operation],
        strides: Sequence[SSAValue | Operation],
        result_type: TensorType,
        offset: SSAValue | Operation | None = None,
    ) -> None:
        super().__init__(operands=[base, offset, extents, strides], result_types=[result_type])

    @classmethod
    def parse(cls, parser: Parser) -> MakeTensorOp:
        base = parser.parse_unresolved_operand()
        offset = None
        if parser.parse_optional_punctuation("+") is not None:
            offset = parser.parse_unresolved_operand()
        groups: list[list[Any]] = []
        for word in ("extents", "strides"):
            group: list[Any] = []
            if parser.parse_optional_keyword(word) is not None:
                group = parser.parse_comma_separated_list(
                    parser.Delimiter.PAREN, parser.parse_unresolved_operand
                )
            groups.append(group)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        count = 1 + (offset is not None)
        index: Attribute = i32
        if len(types) == count + 1:
            index = types.pop()
        if len(types) != count:
            parser.raise_error(
                f"expected {count} types, or {count + 1} with the index type", position
            )
        parser.parse_punctuation("->")
        result = parse_type(parser)
        op = cls.build(
            operands=[
                parser.resolve_operand(base, types[0]),
                None if offset is None else parser.resolve_operand(offset, types[1]),
                *([parser.resolve_operand(o, index) for o in group] for group in groups),
            ],
            result_types=[result],
            attributes=attributes,
        )
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.base)
        types = [self.base.type]
        if self.offset is not None:
            printer.print_string(" + ")
            printer.print_ssa_value(self.offset)
            types.append(self.offset.type)
        for word, group in (("extents", self.extents), ("strides", self.strides)):
            if group:
                printer.print_string(f" {word}(")
                printer.print_list(group, printer.print_ssa_value)
                printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        indices = [*self.extents, *self.strides]
        if indices and indices[0].type != i32:
            types.append(indices[0].type)
        shown = ", ".join(map(short_type, types))
        printer.print_string(f" : {shown} -> {short_type(self.result.type)}")

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        base = self.base.type
        pointee: Attribute | None = None
        if isinstance(base, TensorType):
            pointee = base.element_type
        elif isinstance(base, TileType) and isinstance(base.element_type, PtrType):
            pointee = base.element_type.pointee_type if not base.rank else None
        if pointee is None:
            raise VerifyException(
                f"the base must be a tensor or a rank-0 tile of pointers, "
                f"but is '{short_type(base)}'"
            )
        if pointee != self.result.type.element_type:
            raise VerifyException(
                f"the base has '{short_type(pointee)}' elements, "
                f"but the result '{short_type(self.result.type.element_type)}'"
            )
        result = self.result.type
        for what, group, dims in (
            ("extents", self.extents, result.dynamic_extents),
            ("strides", self.strides, result.dynamic_strides),
        ):
            if len(group) != len(dims):
                raise VerifyException(
                    f"'{short_type(result)}' has {len(dims)} runtime {what}, but got {len(group)}"
                )
        self._verify_indices()

    def _verify_indices(self) -> None:
        for value in (*self.extents, *self.strides):
            if not is_scalar(value.type) or element_of(value.type) != i32:
                raise VerifyException(
                    f"extents and strides are i32, but got '{short_type(value.type)}'"
                )
        offset = self.offset
        if offset is None:
            return
        if not is_scalar(offset.type) or element_of(offset.type) not in (i32, i64):
            raise VerifyException(f"the offset is i32 or i64, but got '{short_type(offset.type)}'")


def kernels(module: Operation) -> list[KernelOp]:
    """The kernels directly in a module."""
    return [op for region in module.regions for op in region.block.ops if isinstance(op, KernelOp)]


OPERATIONS: tuple[type[TileSugarOp], ...] = (
    BlockIdOp,
    ExtentOp,
    KernelOp,
    MakeTensorOp,
    NumBlocksOp,
    ReturnOp,
)
