"""What operations with exactly specified results give for constant operands.

`numerics` computes; here stands which function belongs to which operation, and when its result
must not be used: where an operation is undefined for an element, and where arithmetic makes a NaN,
whose bits are the device's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.ir import Operation, TypeAttribute

from tileir_xdsl.analysis.constants import tile_of
from tileir_xdsl.dialects.cuda_tile import arithmetic as ops
from tileir_xdsl.dialects.cuda_tile import conversions, core
from tileir_xdsl.dialects.cuda_tile.attributes import (
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.constants import DenseElementsAttr
from tileir_xdsl.dialects.cuda_tile.types import ELEMENT_TYPES, TileType, i4
from tileir_xdsl.numerics import FORMATS, FloatFormat, NumberFormat

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Evaluate = Callable[[Any, Sequence[Array], NumberFormat, NumberFormat], Array]
    """The result for an operation, its operands, and the formats of operand and result."""

MAX_ELEMENTS = 64
"""Constants of more elements that differ are not computed: the program would grow."""

INEXACT_MODES = ("approx", "full")


def evaluate(op: Operation, operands: Sequence[DenseElementsAttr]) -> DenseElementsAttr | None:
    """The constant result of an elementwise operation, None when it has no certain one."""
    function = EVALUATORS.get(type(op))
    if function is None or not _is_exact(op):
        return None
    result = tile_of(op.results[0])
    if result.element_type == i4 or not _is_small(result, operands):
        return None
    source = format_of(operands[-1].type)
    target = format_of(result)
    arrays = _arrays(operands)
    defined = UNDEFINED.get(type(op))
    if defined is not None and defined(op, arrays, source, target).any():
        return None
    array = function(op, arrays, source, target)
    if type(op) not in KEEPS_NAN_BITS and _has_nan(array, target):
        return None
    return from_array(result, array)


_FORMATS = {type: FORMATS[name] for name, type in ELEMENT_TYPES.items()}


def format_of(type: TileType) -> NumberFormat:
    """The format of a tile's numbers."""
    return _FORMATS[cast(TypeAttribute, type.element_type)]


def to_array(elements: DenseElementsAttr) -> Array:
    """The elements in storage of their format: one of a splat, else all, in one dimension."""
    import numpy as np

    bits = np.array(elements.bits(), dtype=np.uint64)
    return format_of(elements.type).from_bits(bits)


def from_array(type: TileType, array: Array) -> DenseElementsAttr:
    """A constant of `type` from one element or all of them, in storage of the format."""
    bits = format_of(type).to_bits(array).reshape(-1)
    return DenseElementsAttr.from_bits(type, (int(b) for b in bits))


def _is_exact(op: Operation) -> bool:
    mode = op.properties.get("rounding_mode")
    return not isinstance(mode, RoundingModeAttr) or mode.keyword not in INEXACT_MODES


def _is_small(result: TileType, operands: Sequence[DenseElementsAttr]) -> bool:
    return result.num_elements <= MAX_ELEMENTS or all(o.is_splat for o in operands)


def _arrays(operands: Sequence[DenseElementsAttr]) -> Sequence[Array]:
    """The operands as arrays that broadcast against each other."""
    return [to_array(o) for o in operands]


def _has_nan(array: Array, fmt: NumberFormat) -> bool:
    if not isinstance(fmt, FloatFormat) or not fmt.has_nan:
        return False
    from tileir_xdsl.numerics.rounding import widen

    return bool((widen(array, fmt) != widen(array, fmt)).any())


# Properties of operations in the words of `numerics`.


def _signed(op: Operation) -> bool:
    attribute = op.properties["signedness"]
    assert isinstance(attribute, SignednessAttr)
    return attribute.keyword == "signed"


def _keyword(op: Operation, name: str, default: str) -> Any:
    attribute = op.properties.get(name)
    kinds = (
        RoundingModeAttr,
        IntegerOverflowAttr,
        ComparisonPredicateAttr,
        ComparisonOrderingAttr,
    )
    return attribute.keyword if isinstance(attribute, kinds) else default


def _rounding(op: Operation) -> Any:
    return _keyword(op, "rounding_mode", "nearest_even")


def _overflow(op: Operation) -> Any:
    return _keyword(op, "overflow", "none")


def _flag(op: Operation, name: str) -> bool:
    return name in op.properties


def _numerics(module: str, function: str) -> Callable[..., Array]:
    """A function of `numerics`, whose modules import NumPy, when it is first called."""

    def call(*args: Any, **kwargs: Any) -> Array:
        from importlib import import_module

        return getattr(import_module(f"tileir_xdsl.numerics.{module}"), function)(*args, **kwargs)

    return call


def _plain(module: str, function: str) -> Evaluate:
    call = _numerics(module, function)
    return lambda op, x, fmt, to: call(*x, fmt)


def _with_sign(module: str, function: str) -> Evaluate:
    call = _numerics(module, function)
    return lambda op, x, fmt, to: call(*x, fmt, _signed(op))


def _rounded(function: str) -> Evaluate:
    call = _numerics("floating", function)
    return lambda op, x, fmt, to: call(*x, fmt, _rounding(op), _flag(op, "flush_to_zero"))


def _extremum(function: str) -> Evaluate:
    call = _numerics("floating", function)
    return lambda op, x, fmt, to: call(
        *x, fmt, _flag(op, "propagate_nan"), _flag(op, "flush_to_zero")
    )


def _claimed(function: str) -> Evaluate:
    call = _numerics("integer", function)
    return lambda op, x, fmt, to: call(*x, fmt, _overflow(op))


_divi = _numerics("integer", "divi")
_cmpi = _numerics("compare", "cmpi")
_cmpf = _numerics("compare", "cmpf")
_select = _numerics("compare", "select")
_bitcast = _numerics("bits", "bitcast")
_exti = _numerics("convert", "exti")
_trunci = _numerics("convert", "trunci")
_trunci_undefined = _numerics("convert", "trunci_undefined")
_ftof = _numerics("convert", "ftof")
_itof = _numerics("convert", "itof")
_ftoi = _numerics("convert", "ftoi")
_ftoi_undefined = _numerics("convert", "ftoi_undefined")

EVALUATORS: dict[type[Operation], Evaluate] = {
    ops.AbsIOp: _plain("integer", "absi"),
    ops.AddIOp: _plain("integer", "addi"),
    ops.SubIOp: _plain("integer", "subi"),
    ops.MulIOp: _plain("integer", "muli"),
    ops.MulhiIOp: _plain("integer", "mulhii"),
    ops.NegIOp: _plain("integer", "negi"),
    ops.ShLIOp: _plain("integer", "shli"),
    ops.ShRIOp: _with_sign("integer", "shri"),
    ops.RemIOp: _with_sign("integer", "remi"),
    ops.MaxIOp: _with_sign("integer", "maxi"),
    ops.MinIOp: _with_sign("integer", "mini"),
    ops.DivIOp: lambda op, x, fmt, to: _divi(
        *x, fmt, _signed(op), _keyword(op, "rounding", "zero")
    ),
    ops.AndIOp: _plain("bits", "andi"),
    ops.OrIOp: _plain("bits", "ori"),
    ops.XOrIOp: _plain("bits", "xori"),
    ops.CmpIOp: lambda op, x, fmt, to: _cmpi(
        _keyword(op, "comparison_predicate", ""), *x, fmt, _signed(op)
    ),
    ops.CmpFOp: lambda op, x, fmt, to: _cmpf(
        _keyword(op, "comparison_predicate", ""), _keyword(op, "comparison_ordering", ""), *x, fmt
    ),
    core.SelectOp: lambda op, x, fmt, to: _select(*x),
    ops.AbsFOp: _plain("floating", "absf"),
    ops.NegFOp: _plain("floating", "negf"),
    ops.CeilOp: _plain("floating", "ceil"),
    ops.FloorOp: _plain("floating", "floor"),
    ops.RemFOp: _plain("floating", "remf"),
    ops.AddFOp: _rounded("addf"),
    ops.SubFOp: _rounded("subf"),
    ops.MulFOp: _rounded("mulf"),
    ops.DivFOp: _rounded("divf"),
    ops.SqrtOp: _rounded("sqrt"),
    ops.FmaOp: _rounded("fma"),
    ops.MaxFOp: _extremum("maxf"),
    ops.MinFOp: _extremum("minf"),
    conversions.BitcastOp: lambda op, x, fmt, to: _bitcast(*x, fmt, to),
    conversions.ExtIOp: lambda op, x, fmt, to: _exti(*x, fmt, to, _signed(op)),
    conversions.TruncIOp: lambda op, x, fmt, to: _trunci(*x, fmt, to),
    conversions.FToFOp: lambda op, x, fmt, to: _ftof(*x, fmt, to, _rounding(op)),
    conversions.IToFOp: lambda op, x, fmt, to: _itof(*x, fmt, to, _signed(op)),
    conversions.FToIOp: lambda op, x, fmt, to: _ftoi(
        *x, fmt, to, _signed(op), _flag(op, "saturating")
    ),
}
"""The elementwise operations that are computed, and how."""

UNDEFINED: dict[type[Operation], Evaluate] = {
    ops.AddIOp: _claimed("addi_undefined"),
    ops.SubIOp: _claimed("subi_undefined"),
    ops.MulIOp: _claimed("muli_undefined"),
    ops.NegIOp: _claimed("negi_undefined"),
    ops.ShLIOp: _claimed("shli_undefined"),
    ops.ShRIOp: _plain("integer", "shri_undefined"),
    ops.DivIOp: _with_sign("integer", "divi_undefined"),
    ops.RemIOp: _with_sign("integer", "remi_undefined"),
    conversions.TruncIOp: lambda op, x, fmt, to: _trunci_undefined(*x, fmt, to, _overflow(op)),
    conversions.FToIOp: lambda op, x, fmt, to: _ftoi_undefined(
        *x, fmt, to, _signed(op), _flag(op, "saturating")
    ),
}
"""The elements for which an operation is undefined."""

KEEPS_NAN_BITS = frozenset((ops.AbsFOp, ops.NegFOp, core.SelectOp, conversions.BitcastOp))
"""Operations that give the bits of a NaN as they are: the rest make one of their own."""
